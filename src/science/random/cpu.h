/* What the files of the CPU's slots share: kernels over a piece of a call, compiled once per instruction set. */
#ifndef CPI_RANDOM_CPU_H
#define CPI_RANDOM_CPU_H

#include "random/random.h"

enum { CPI_RANDOM_CHUNK = 2048 }; /* words */

/* Tries at n elements by their first words: those that are `good` are what they are to be. */
typedef void (*cpi_random_first)(const cpi_draw *d, const uint64_t *w, int64_t n, double *v, int64_t *good);

typedef struct cpi_random_simd {
    /* words first .. first + n - 1 of a piece of a stream with a counter */
    void (*fill)(const cpi_bit_stream *from, int64_t first, int64_t n, uint64_t *out);
    /* Elements at .. at + n - 1 of a call, of the words `w` that are theirs; n as a piece of words allows. */
    void (*draw)(const cpi_draw *d, const uint64_t *w, int64_t at, int64_t n);
    /* n floats of parts of 32 bits */
    void (*floats)(const uint32_t *part, int64_t n, float *out);
    /* Numbers of n parts at `part`, the good ones behind one another at `out`; how many. `from`: the place of the first
     * among parts of one bit. */
    int64_t (*integers)(const cpi_integers *q, const void *part, int from, int64_t n, void *out);
} cpi_random_simd;

#endif
