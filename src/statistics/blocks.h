/* What counting and searching on the CPU do with blocks of elements in vectors: statistics_simd.c has it once per
 * instruction set. And the grid that a search among edges begins with: grid_cpu.c. */
#ifndef CPI_STATISTICS_BLOCKS_H
#define CPI_STATISTICS_BLOCKS_H

#include "backend/backend.h"
#include "cpu/features.h"

enum { CPI_BLOCK = 512 }; /* elements: as float64 and with their places they stay in the first cache */

/* Evenly spaced bins. An edge i lies at i +- `off` in units of bins. */
typedef struct cpi_even {
    double first, scale, off;
    int32_t bins;
} cpi_even;

typedef struct cpi_statistics_simd {
    /* cell[i] = where x[i] lies in units of 1 / scale from `first` on, from 0 to top; NaN at the top. It ascends with x. */
    void (*cells)(const double *x, int64_t n, double first, double scale, int32_t top, int32_t *cell);
    /* The bin of each element, or `bins` for none; -1 where it is too near to an edge to tell; whether there is one. */
    bool (*bins)(const double *x, int64_t n, const cpi_even *e, int32_t *bin);
    /* The least and the greatest of n >= 1 whole numbers, as int64. */
    void (*extent)(cp_type type, const void *x, int64_t n, int64_t *least, int64_t *most);
} cpi_statistics_simd;
extern const cpi_statistics_simd cpi_statistics_simd_v2, cpi_statistics_simd_v3, cpi_statistics_simd_v4;

/* For each of top + 1 cells of even width, which edge is the first in it or behind it. */
typedef struct cpi_grid {
    double first, scale;
    int32_t top;
    int32_t *start;   /* top + 2 */
} cpi_grid;

/* How many of all edges are not greater than x, which is a number and lies in the cell. */
static inline int64_t cpi_grid_count(const cpi_grid *g, const double *edges, double x, int32_t cell)
{
    int64_t low = g->start[cell];
    int64_t high = g->start[cell + 1];
    if (high - low <= 1) return low + (low < high && edges[low] <= x);
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (edges[middle] <= x) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The grid of m ascending edges for n searches; false where it would not help or edges do not ascend, which is no error.
 * g->start is the caller's to free. */
bool cpi_grid_make(cpi_grid *g, cp_stream *stream, cp_type type, const void *edges, int64_t m, int64_t n);

#endif
