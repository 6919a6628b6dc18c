/* What counting and searching on the CPU do with blocks of elements in vectors: statistics_simd.c has it once per
 * instruction set. */
#ifndef CPI_STATISTICS_BLOCKS_H
#define CPI_STATISTICS_BLOCKS_H

#include "backend/backend.h"
#include "cpu/features.h"
#include "sort/grid.h"

/* Evenly spaced bins. An edge i lies at i +- `off` in units of bins, as places are rounded. */
typedef struct cpi_even {
    double first, scale, off;
    int32_t bins;
    bool single; /* float32 is wide enough for elements of it */
} cpi_even;

enum { CPI_SMALL_BINS = 24 };

typedef struct cpi_statistics_simd {
    /* Where n elements of float32 or float64 lie in units of bins, as float32. */
    void (*indices)(cp_type type, const void *x, int64_t n, const cpi_even *e, float *position);
    /* The bin of each of at most 512 places, or `bins` for none; -1 where it is too near to an edge to tell: how many
     * those are is returned, and which in `untold`. */
    int (*bins)(const float *position, int64_t n, const cpi_even *e, int32_t *bin, int16_t *untold);
    /* counts[b] += how many of n <= 512 bins are b, of each b up to `bins` itself, which are at most CPI_SMALL_BINS. */
    void (*few)(const int32_t *bin, int64_t n, int32_t bins, uint32_t *counts);
    /* The least and the greatest of n >= 1 elements of float32 or float64, as that; NaN where there is one. */
    void (*span)(cp_type type, const void *x, int64_t n, double *least, double *most);
    /* All bits of n whole numbers, of signed ones with the sign in front. */
    uint64_t (*bits)(cp_type type, const void *x, int64_t n);
    /* The least and the greatest of n >= 1 whole numbers, as int64. */
    void (*extent)(cp_type type, const void *x, int64_t n, int64_t *least, int64_t *most);
} cpi_statistics_simd;
extern const cpi_statistics_simd cpi_statistics_simd_v2, cpi_statistics_simd_v3, cpi_statistics_simd_v4;

#endif
