/* A table that a search among many edges on the CPU begins with (grid_cpu.c), and cells of elements in vectors, which
 * grid_simd.c has once per instruction set. */
#ifndef CPI_SORT_GRID_H
#define CPI_SORT_GRID_H

#include "backend/backend.h"
#include "cpu/features.h"

enum { CPI_BLOCK = 512 }; /* elements: as float64 and with their places they stay in the first cache */

/* cell[i] = where x[i] lies in units of 1 / scale from `first` on, from 0 to top; NaN at the top. It ascends with x. */
typedef void (*cpi_cells)(const double *x, int64_t n, double first, double scale, int32_t top, int32_t *cell);
extern const cpi_cells cpi_cells_v2, cpi_cells_v3, cpi_cells_v4;
/* How many of a few edges, none of them NaN, are less than each x (`right`: or equal); NaN is greater than any. */
typedef void (*cpi_count_edges)(const double *x, int64_t n, const double *edges, int m, bool right, int64_t *to);
extern const cpi_count_edges cpi_count_edges_v2, cpi_count_edges_v3, cpi_count_edges_v4;

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
    if (__builtin_expect(high - low <= 1, 1)) { /* without a jump: nobody foresees whether there is one */
        const double *edge = edges + (low < high ? low : 0);
        return low + ((low < high) & (*edge <= x));
    }
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (edges[middle] <= x) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Cells of at most CPI_BLOCK elements of any real type. */
void cpi_grid_cells(const cpi_grid *g, cp_type type, const void *x, int64_t n, int32_t *cell);

/* The grid of m ascending edges for n searches; false where it would not help or edges do not ascend, which is no
 * error. g->start is the caller's to free. */
bool cpi_grid_make(cpi_grid *g, cp_stream *stream, cp_type type, const void *edges, int64_t m, int64_t n);

#endif
