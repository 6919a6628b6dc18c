/* Cells of a grid (grid.h); compiled once per instruction set. */
#include "sort/grid.h"

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

const cpi_cells CPI_ISA_NAME(cpi_cells) = cells;
