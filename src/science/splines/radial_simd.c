/* Radial functions of a block of centres; compiled once per instruction set. */
#include "splines/radial.h"

#include <math.h>

#include "cpu/features.h"

static void squares(const cpi_rbf *p, const double *at, const double *y, int64_t step, int64_t n, double *to)
{
    for (int64_t i = 0; i < n; i++) to[i] = 0;
    for (int64_t d = 0; d < p->ndim; d++) {
        const double here = at[d], *line = y + d * step;
        for (int64_t i = 0; i < n; i++) to[i] += (here - line[i]) * (here - line[i]);
    }
}

/* Called with the squares of distances. */
static void of_squares(cp_rbf_kernel kernel, int64_t n, double *v)
{
    switch ((int)kernel) {
        case CP_RBF_KERNEL_LINEAR:
            for (int64_t i = 0; i < n; i++) v[i] = -sqrt(v[i]);
            break;
        case CP_RBF_KERNEL_CUBIC:
            for (int64_t i = 0; i < n; i++) v[i] = v[i] * sqrt(v[i]);
            break;
        case CP_RBF_KERNEL_QUINTIC:
            for (int64_t i = 0; i < n; i++) v[i] = -(v[i] * v[i] * sqrt(v[i]));
            break;
        case CP_RBF_KERNEL_MULTIQUADRIC:
            for (int64_t i = 0; i < n; i++) v[i] = -sqrt(v[i] + 1);
            break;
        case CP_RBF_KERNEL_INVERSE_MULTIQUADRIC:
            for (int64_t i = 0; i < n; i++) v[i] = 1 / sqrt(v[i] + 1);
            break;
        default:
            for (int64_t i = 0; i < n; i++) v[i] = 1 / (v[i] + 1);
    }
}

void CPI_ISA_NAME(cpi_radial_block)(const cpi_rbf *p, const double *at, const double *y, int64_t step, int64_t n,
                                    cpi_kernel function, double *values)
{
    double work[CPI_RADIAL_BLOCK];
    void *const op[] = {work, values};
    squares(p, at, y, step, n, values);
    if (p->kernel == CP_RBF_KERNEL_THIN_PLATE_SPLINE) {
        function(op, n, 0);
        for (int64_t i = 0; i < n; i++) values[i] = values[i] == 0 ? 0 : 0.5 * values[i] * work[i];
    } else if (p->kernel == CP_RBF_KERNEL_GAUSSIAN) {
        for (int64_t i = 0; i < n; i++) values[i] = -values[i];
        function(op, n, 0);
        for (int64_t i = 0; i < n; i++) values[i] = work[i];
    } else {
        of_squares(p->kernel, n, values);
    }
}

double CPI_ISA_NAME(cpi_radial_sum)(const double *values, const double *c, int64_t n)
{
    double part[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++) part[k] += values[i + k] * c[i + k];
    for (; i < n; i++) part[i & 7] += values[i] * c[i];
    return ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
}

/* The row of the greatest element of a column, of those from `first` on. */
static int64_t pivot_of(const double *rows, int64_t n, int64_t stride, int64_t first, int64_t column)
{
    int64_t best = first;
    double most = fabs(rows[first * stride + column]);
    for (int64_t i = first + 1; i < n; i++) {
        const double v = fabs(rows[i * stride + column]);
        if (v > most) most = v, best = i;
    }
    return best;
}
static void swap_rows(double *a, double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const double v = a[i];
        a[i] = b[i];
        b[i] = v;
    }
}
static inline void take_row(double *restrict to, const double *restrict from, double factor, int64_t first, int64_t end)
{
    for (int64_t i = first; i < end; i += CPI_RADIAL_STEP)
        for (int k = 0; k < CPI_RADIAL_STEP; k++) to[i + k] -= factor * from[i + k];
}
static inline void take_rows(double *restrict to, const double *restrict a, const double *restrict b, double of_a,
                             double of_b, int64_t first, int64_t end)
{
    for (int64_t i = first; i < end; i += CPI_RADIAL_STEP)
        for (int k = 0; k < CPI_RADIAL_STEP; k++) to[i + k] = to[i + k] - of_a * a[i + k] - of_b * b[i + k];
}
/* Two columns a step: the second one's factors follow from what the first one leaves of it, before whole rows change.
 * Elements left of the diagonal are not needed any more, so rows change from a multiple of the step on. */
bool CPI_ISA_NAME(cpi_radial_solve)(double *rows, int64_t n, int64_t m, int64_t stride)
{
    int64_t k = 0;
    for (; k < n; k += 2) {
        double *a = rows + k * stride, *b = a + stride;
        const int64_t first = k / CPI_RADIAL_STEP * CPI_RADIAL_STEP;
        const int64_t p = pivot_of(rows, n, stride, k, k);
        if (rows[p * stride + k] == 0) return false;
        if (p != k) swap_rows(a, rows + p * stride, stride);
        if (k + 1 == n) break;
        for (int64_t i = k + 1; i < n; i++) {
            double *r = rows + i * stride;
            r[k] /= a[k];
            r[k + 1] -= r[k] * a[k + 1];
        }
        const int64_t q = pivot_of(rows, n, stride, k + 1, k + 1);
        if (rows[q * stride + k + 1] == 0) return false;
        if (q != k + 1) swap_rows(b, rows + q * stride, stride);
        const double of_a = b[k], corner = b[k + 1];
        take_row(b, a, of_a, first, stride);
        b[k + 1] = corner;
        for (int64_t i = k + 2; i < n; i++) {
            double *r = rows + i * stride;
            take_rows(r, a, b, r[k], r[k + 1] / corner, first, stride);
        }
    }
    for (int64_t i = n; i-- > 0;)
        for (int64_t c = n; c < n + m; c++) {
            double sum = rows[i * stride + c];
            for (int64_t j = i + 1; j < n; j++) sum -= rows[i * stride + j] * rows[j * stride + c];
            rows[i * stride + c] = sum / rows[i * stride + i];
        }
    return true;
}
