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
