/* Least squares of banded matrices by Givens rotations, row by row, as FITPACK's: shared by C17 and CUDA C++.
 *
 * R has `width` elements a row, the diagonal's first. A row of the matrix is rotated into the rows of R from its first
 * column on; the rotations are kept and then applied to the right-hand sides, each column by itself. Nothing is rotated
 * where the row's element is 0. */
#ifndef CPI_SPLINES_BANDED_H
#define CPI_SPLINES_BANDED_H

#include "splines/each.h"

CPI_EACH int64_t cpi_banded_first(const cpi_banded *p, int64_t row)
{
    const int64_t first = p->first[row], last = p->n - p->width;
    return first < 0 ? 0 : first > last ? last : first;
}

/* `r`: (n, width) zeros; `turns`: cosine and sine of (rows, width). On the host. */
static inline void cpi_banded_factor(const cpi_banded *p, double *r, double *turns)
{
    const int width = p->width;
    double row[2 * CPI_SPLINE_DEGREE];
    for (int64_t i = 0; i < p->rows; i++) {
        double *at = r + cpi_banded_first(p, i) * width, *turn = turns + 2 * i * width;
        for (int q = 0; q < width; q++) row[q] = p->values[i * width + q];
        for (int q = 0; q < width; q++, at += width, turn += 2) {
            const double pivot = row[q];
            turn[0] = 1, turn[1] = 0;
            if (pivot == 0) continue;
            const double big = fabs(pivot) > fabs(at[0]) ? fabs(pivot) : fabs(at[0]);
            const double small = fabs(pivot) > fabs(at[0]) ? fabs(at[0]) : fabs(pivot);
            const double ratio = small / big, length = big * sqrt(1 + ratio * ratio);
            const double cosine = at[0] / length, sine = pivot / length;
            turn[0] = cosine, turn[1] = sine;
            at[0] = length;
            for (int e = 1; e < width - q; e++) {
                const double old = at[e];
                at[e] = cosine * old + sine * row[q + e];
                row[q + e] = cosine * row[q + e] - sine * old;
            }
        }
    }
}

/* Column j of the solution. */
CPI_EACH void cpi_banded_column(const cpi_banded *p, const double *r, const double *turns, int64_t j)
{
    const int64_t m = p->m;
    double *x = p->x + j;
    for (int64_t i = 0; i < p->n; i++) x[i * m] = 0;
    for (int64_t i = 0; i < p->rows; i++) {
        double y = p->b[i * m + j], *z = x + cpi_banded_first(p, i) * m;
        const double *turn = turns + 2 * i * p->width;
        for (int q = 0; q < p->width; q++, z += m, turn += 2) {
            const double old = *z;
            *z = turn[0] * old + turn[1] * y;
            y = turn[0] * y - turn[1] * old;
        }
    }
    for (int64_t i = p->n; i-- > 0;) {
        double sum = x[i * m];
        const int64_t last = p->n - i < p->width ? p->n - i : p->width;
        for (int64_t e = 1; e < last; e++) sum -= r[i * p->width + e] * x[(i + e) * m];
        x[i * m] = sum / r[i * p->width];
    }
}

#endif
