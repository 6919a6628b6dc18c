/* Shared by the files of the CPU's slots: kernels over a chunk of a call, compiled once per instruction set. */
#ifndef CPI_RANDOM_CPU_H
#define CPI_RANDOM_CPU_H

#include "random/random.h"

enum { CPI_RANDOM_CHUNK = 2048 }; /* words */

/* Attempts n elements by their first words: `good` marks the final ones. */
typedef void (*cpi_random_first)(const cpi_draw *d, const uint64_t *w, int64_t n, double *v, int64_t *good);

typedef struct cpi_random_simd {
    /* words first .. first + n - 1 of a section of a counter-based stream */
    void (*fill)(const cpi_bit_stream *from, int64_t first, int64_t n, uint64_t *out);
    /* Elements at .. at + n - 1 of a call, from their words `w`; n is limited by a chunk of words. */
    void (*draw)(const cpi_draw *d, const uint64_t *w, int64_t at, int64_t n);
    /* n floats from 32-bit parts */
    void (*floats)(const uint32_t *part, int64_t n, float *out);
    /* Integers from n parts at `part`; the accepted ones are compacted to `out`. Returns their number. `from`: the
     * index of the first among parts of one bit. */
    int64_t (*integers)(const cpi_integers *q, const void *part, int from, int64_t n, void *out);
} cpi_random_simd;

#endif
