/* Vectorized operations on blocks of elements for counting and searching on the CPU; statistics_simd.c has them once
 * per instruction set. */
#ifndef CPI_STATISTICS_BLOCKS_H
#define CPI_STATISTICS_BLOCKS_H

#include "backend/backend.h"
#include "cpu/features.h"
#include "sort/grid.h"

/* Evenly spaced bins. Edge i is at i +- `off` in units of bins, with rounded positions. */
typedef struct cpi_even {
    double first, scale, off;
    int32_t bins;
    bool single; /* float32 is wide enough for elements of it */
} cpi_even;

enum { CPI_SMALL_BINS = 24 };

typedef struct cpi_statistics_simd {
    /* The positions of n elements of float32 or float64 in units of bins, as float32. */
    void (*indices)(cp_type type, const void *x, int64_t n, const cpi_even *e, float *position);
    /* The bin of each of at most 512 positions, or `bins` for none; -1 where it is too near to an edge to decide.
     * Returns how many these are, and which in `untold`. */
    int (*bins)(const float *position, int64_t n, const cpi_even *e, int32_t *bin, int16_t *untold);
    /* counts[b] += how many of n <= 512 bins are b, for each b up to `bins`, at most CPI_SMALL_BINS. */
    void (*few)(const int32_t *bin, int64_t n, int32_t bins, uint32_t *counts);
    /* The minimum and the maximum of n >= 1 elements of float32 or float64, of that type; NaN where there is one. */
    void (*span)(cp_type type, const void *x, int64_t n, double *least, double *most);
    /* The bitwise OR of n integers, sign-extended. */
    uint64_t (*bits)(cp_type type, const void *x, int64_t n);
    /* The minimum and the maximum of n >= 1 integers, as int64. */
    void (*extent)(cp_type type, const void *x, int64_t n, int64_t *least, int64_t *most);
} cpi_statistics_simd;
extern const cpi_statistics_simd cpi_statistics_simd_v2, cpi_statistics_simd_v3, cpi_statistics_simd_v4;

#endif
