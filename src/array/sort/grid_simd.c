/* Cells of a grid (grid.h); compiled once per instruction set. */
#include "sort/grid.h"

#include <string.h>

#include "cpu/vectors.h"

static void cells(const double *x, int64_t n, double first, double scale, int32_t top, int32_t *cell)
{
    const double most = top;
    for (int64_t i = 0; i < n; i++) {
        double position = (x[i] - first) * scale;
        position = position < most ? position : most;
        position = position > 0 ? position : 0;
        cell[i] = (int32_t)position;
    }
}

typedef double numbers __attribute__((vector_size(VECTOR_BYTES)));
typedef int64_t counts __attribute__((vector_size(VECTOR_BYTES)));

/* Sixteen values at a time stay in registers. */
static void few(const double *x, int64_t n, const double *edges, int m, bool right, int64_t *to)
{
    enum { SIDE = 16, LANES = VECTOR_BYTES / 8, CHUNKS = SIDE / LANES };
    for (int64_t i = 0; i < n; i += SIDE) {
        const size_t bytes = n - i < SIDE ? (size_t)(n - i) * 8 : SIDE * 8;
        double rest[SIDE] = {0};
        const double *from = x + i;
        if (bytes < sizeof rest) memcpy(rest, from, bytes), from = rest;
        numbers v[CHUNKS];
        counts r[CHUNKS];
        memcpy(v, from, sizeof v);
        for (int p = 0; p < CHUNKS; p++) r[p] = (counts){0} + m; /* and -1, which is true, for each that is greater */
        for (int k = 0; k < m; k++) {
            const numbers edge = CPI_SPLAT(numbers, edges[k]);
            if (right) UNROLL for (int p = 0; p < CHUNKS; p++) r[p] += edge > v[p];
            else UNROLL for (int p = 0; p < CHUNKS; p++) r[p] += edge >= v[p];
        }
        if (bytes == sizeof r) memcpy(to + i, r, sizeof r);
        else memcpy(to + i, r, bytes);
    }
}

const cpi_cells CPI_ISA_NAME(cpi_cells) = cells;
const cpi_count_edges CPI_ISA_NAME(cpi_count_edges) = few;
