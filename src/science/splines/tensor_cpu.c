/* Functions of several variables on the CPU. */
#include <math.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "splines/finder.h"

typedef struct tensor_job {
    const cpi_tensor *p;
    cpi_finder find[CPI_TENSOR_DIMS];
    int64_t each;
} tensor_job;

/* Linear interpolation in two dimensions, one column. */
static inline double bilinear(const cpi_tensor *p, const int64_t *first, const double *h, int64_t j)
{
    const int64_t across = p->lengths[1], m = p->m;
    const double *c = p->c + (first[0] * across + first[1]) * m + j;
    return h[0] * h[4] * c[0] + h[0] * h[5] * c[m] + h[1] * h[4] * c[across * m] + h[1] * h[5] * c[across * m + m];
}

static inline double trilinear(const cpi_tensor *p, const int64_t *first, const double *h, int64_t j)
{
    const int64_t row = p->lengths[2] * p->m, plane = p->lengths[1] * row, m = p->m;
    const double *c = p->c + first[0] * plane + first[1] * row + first[2] * m + j, *d = c + plane;
    const double a = h[0] * h[4], b = h[0] * h[5], e = h[1] * h[4], g = h[1] * h[5];
    double r = a * h[8] * c[0] + a * h[9] * c[m];
    r = r + b * h[8] * c[row] + b * h[9] * c[row + m];
    r = r + e * h[8] * d[0] + e * h[9] * d[m];
    return r + g * h[8] * d[row] + g * h[9] * d[row + m];
}

static bool all_linear(const cpi_tensor *p, int n)
{
    bool all = p->kind == CPI_TENSOR_LINEAR && p->ndim == n;
    for (int d = 0; d < n; d++) all = all && p->degree[d] == 1;
    return all;
}

/* cpi_tensor_axis, where the table has found the interval. */
static inline int64_t axis(const tensor_job *j, int d, double x, double *h)
{
    return x == x ? cpi_tensor_weights(j->p, d, x, cpi_finder_find(&j->find[d], x), h) : -1;
}

static void tensor_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const tensor_job *j = context;
    const cpi_tensor *p = j->p;
    const int64_t to = (task + 1) * j->each < p->places ? (task + 1) * j->each : p->places;
    const bool two = all_linear(p, 2), three = all_linear(p, 3);
    double h[2 * CPI_TENSOR_WEIGHTS];
    int64_t first[CPI_TENSOR_DIMS];
    for (int64_t i = task * j->each; i < to; i++) {
        bool inside = true;
        double *weights = h;
        for (int d = 0; d < p->ndim; d++) {
            first[d] = axis(j, d, p->at[i * p->ndim + d], weights);
            inside = inside && first[d] >= 0;
            if (p->kind != CPI_TENSOR_NEAREST) weights += 2 * (p->degree[d] + 1);
        }
        for (int64_t e = 0; e < p->m; e++) {
            double value = NAN;
            if (inside && two) value = bilinear(p, first, h, e);
            else if (inside && three) value = trilinear(p, first, h, e);
            else if (inside) value = cpi_tensor_sum(p, first, h, e);
            p->to[i * p->m + e] = value;
        }
    }
}

cp_code cpi_splines_cpu_tensor(cp_stream *stream, const cpi_tensor *p)
{
    tensor_job j = {.p = p};
    for (int d = 0; d < p->ndim; d++) {
        const int k = p->kind == CPI_TENSOR_BSPLINES ? p->degree[d] : 0;
        const bool grid = p->kind == CPI_TENSOR_LINEAR || p->kind == CPI_TENSOR_NEAREST;
        const int64_t high = p->lengths[d] - (grid ? 2 : 1);
        if (high >= k) cpi_finder_make(stream, &j.find[d], p->knots[d], k, high, p->places);
    }
    cpi_parallel(cpi_cut_evenly(p->places, 512, &j.each), tensor_task, &j);
    for (int d = 0; d < p->ndim; d++) cpi_work_free(stream, j.find[d].start);
    return CP_OK;
}
