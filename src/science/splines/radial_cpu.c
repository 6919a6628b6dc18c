/* Radial functions on the CPU: places are shared out to the threads, and centres are taken in blocks. */
#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "splines/radial.h"

typedef struct rbf_job {
    const cpi_rbf *p;
    const double *y, *c; /* by coordinates (ndim, n) and by columns (m, n) */
    cpi_kernel function;
    cpi_radial_block *block;
    cpi_radial_sum *sum;
    int64_t each;
} rbf_job;

static void rbf_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const rbf_job *j = context;
    const cpi_rbf *p = j->p;
    const int64_t to = (task + 1) * j->each < p->places ? (task + 1) * j->each : p->places;
    double values[CPI_RADIAL_BLOCK];
    for (int64_t i = task * j->each; i < to; i++) {
        double *out = p->to + i * (p->c ? p->m : p->n);
        for (int64_t e = 0; p->c && e < p->m; e++) out[e] = 0;
        for (int64_t k = 0; k < p->n; k += CPI_RADIAL_BLOCK) {
            const int64_t n = p->n - k < CPI_RADIAL_BLOCK ? p->n - k : CPI_RADIAL_BLOCK;
            j->block(p, p->at + i * p->ndim, j->y + k, p->n, n, j->function, values);
            for (int64_t e = 0; p->c && e < p->m; e++) out[e] += j->sum(values, j->c + e * p->n + k, n);
            if (!p->c) memcpy(out + k, values, (size_t)n * sizeof *out);
        }
    }
}

static void transpose(const double *from, int64_t rows, int64_t columns, double *to)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < columns; k++) to[k * rows + i] = from[i * columns + k];
}

cp_code cpi_splines_cpu_rbf(cp_stream *stream, const cpi_rbf *p)
{
    const int64_t columns = p->c ? p->m : 0;
    double *y = cpi_work_alloc(stream, (size_t)(p->n * (p->ndim + columns) + 1) * sizeof *y);
    if (!y) return CP_ERROR_MEMORY;
    rbf_job j = {.p = p, .y = y, .c = y + p->n * p->ndim};
    transpose(p->y, p->n, p->ndim, y);
    if (p->c) transpose(p->c, p->n, p->m, y + p->n * p->ndim);
    j.function = cpi_kernel_of(cpi_kernels_best(), p->kernel == CP_RBF_KERNEL_GAUSSIAN ? CP_OP_exp : CP_OP_log,
                               CP_FLOAT64);
    j.block = CPI_BEST(cpi_radial_block);
    j.sum = CPI_BEST(cpi_radial_sum);
    cpi_parallel(cpi_cut_evenly(p->places, 64, &j.each), rbf_task, &j);
    cpi_work_free(stream, y);
    return CP_OK;
}
