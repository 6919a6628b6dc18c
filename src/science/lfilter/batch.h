/* What lfilter_cpu.c asks of the kernels in lfilter_simd.c. */
#ifndef CPI_LFILTER_BATCH_H
#define CPI_LFILTER_BATCH_H

#include <stdint.h>

enum { CPI_LFILTER_BATCH = 32, CPI_LFILTER_STATE = 128 }; /* the most lanes; bytes of a part of all of them */

/* `count` rows side by side, n elements each. z: filters x order numbers, each of the parts of all rows. */
typedef struct cpi_batch {
    int64_t filters, order, n;
    int count;
    const void *c; /* of each filter b, then a, order + 1 elements */
    const void *from[CPI_LFILTER_BATCH];
    void *to[CPI_LFILTER_BATCH]; /* all NULL: the states alone */
    void *z;                     /* aligned to 64 bytes */
} cpi_batch;

/* Outputs of one row (cpi_polyphase). Outputs i, i + classes, ... have one phase, and their elements lie `step` apart:
 * x is split into `step` streams, so that a vector of them is one load. */
typedef struct cpi_phases {
    int64_t n, up, down;
    int64_t length;       /* taps of a phase, zeros behind the last */
    int64_t classes, step; /* up and down without their common divisor */
    int64_t stride, apart; /* elements of scratch: of a stream, of all of them (or of as many results) */
    const void *phases;   /* up x length */
    const void *from;
    int64_t *offsets;     /* length, of the worker */
} cpi_phases;

typedef struct cpi_lfilter_kernels {
    int lanes, bytes; /* and bytes of a vector */
    void (*run)(const cpi_batch *l);
    /* Outputs first..first + m - 1; scratch: twice `apart` numbers. */
    void (*polyphase)(const cpi_phases *p, int64_t first, int64_t m, void *to, void *scratch);
} cpi_lfilter_kernels;

#define CPI_LFILTER_DECLARE(isa)                                                                                      \
    extern const cpi_lfilter_kernels cpi_lfilter_f32_##isa, cpi_lfilter_f64_##isa, cpi_lfilter_c64_##isa,             \
        cpi_lfilter_c128_##isa
CPI_LFILTER_DECLARE(v2);
CPI_LFILTER_DECLARE(v3);
CPI_LFILTER_DECLARE(v4);

#endif
