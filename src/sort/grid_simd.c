/* Cells of a grid (grid.h); compiled once per instruction set. */
#include "sort/grid.h"

#include <string.h>

static void cells(const double *x, int64_t n, double first, double scale, int32_t top, int32_t *cell)
{
    const double most = top;
    for (int64_t i = 0; i < n; i++) {
        double place = (x[i] - first) * scale;
        place = place < most ? place : most;
        place = place > 0 ? place : 0;
        cell[i] = (int32_t)place;
    }
}

typedef double eight __attribute__((vector_size(64)));
typedef int64_t counts __attribute__((vector_size(64)));

/* Sixteen values at a time stay in registers. */
static void few(const double *x, int64_t n, const double *edges, int m, bool right, int64_t *to)
{
    enum { SIDE = 16 };
    for (int64_t i = 0; i < n; i += SIDE) {
        const size_t bytes = n - i < SIDE ? (size_t)(n - i) * 8 : SIDE * 8;
        double rest[SIDE] = {0};
        const double *from = x + i;
        if (bytes < sizeof rest) memcpy(rest, from, bytes), from = rest;
        eight a, b;
        memcpy(&a, from, sizeof a), memcpy(&b, from + 8, sizeof b);
        counts r[2] = {(counts){0} + m, (counts){0} + m}; /* and -1, which is true, for each that is greater */
        for (int k = 0; k < m; k++) {
            const eight edge = (eight){0} + edges[k];
            r[0] += right ? edge > a : edge >= a;
            r[1] += right ? edge > b : edge >= b;
        }
        if (bytes == sizeof r) memcpy(to + i, r, sizeof r);
        else memcpy(to + i, r, bytes);
    }
}

const cpi_cells CPI_ISA_NAME(cpi_cells) = cells;
const cpi_few CPI_ISA_NAME(cpi_few) = few;
