/* Radial functions on the CPU: places are shared out to the threads, and centres are taken in blocks. */
#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "splines/each.h"
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

/* --- systems of neighbours --- */

typedef struct near_job {
    const cpi_rbf_near *p;
    cpi_rbf block_of; /* what a block needs to know */
    cpi_kernel function;
    cpi_radial_block *block;
    double *points; /* of each worker: a place, and the points of a system by coordinates, scaled */
    int64_t each;
} near_job;

/* phi of a place and the system's points from `first` on. */
static void near_row(const near_job *j, const double *at, int64_t first, double *points, double *to)
{
    const cpi_rbf_near *p = j->p;
    double *scaled = points + p->ndim * p->n, values[CPI_RADIAL_BLOCK];
    for (int64_t d = 0; d < p->ndim; d++) scaled[d] = at[d] * p->epsilon;
    for (int64_t k = first; k < p->n; k += CPI_RADIAL_BLOCK) {
        const int64_t n = p->n - k < CPI_RADIAL_BLOCK ? p->n - k : CPI_RADIAL_BLOCK;
        j->block(&j->block_of, scaled, points + k, p->n, n, j->function, values);
        memcpy(to + k, values, (size_t)n * sizeof *to);
    }
}
static void near_system(const near_job *j, int64_t system, double *points)
{
    const cpi_rbf_near *p = j->p;
    const int64_t n = p->n, all = n + p->terms, *which = p->which + system * n;
    double *matrix = p->matrix + system * all * all, *row = p->row + system * all;
    double *shift = p->frame + system * 2 * p->ndim, *scale = shift + p->ndim;
    for (int64_t d = 0; d < p->ndim; d++) {
        cpi_rbf_shift(p, system, d, shift + d, scale + d);
        for (int64_t k = 0; k < n; k++) points[d * n + k] = p->y[which[k] * p->ndim + d] * p->epsilon;
    }
    for (int64_t i = 0; i < n; i++) {
        const double *at = p->y + which[i] * p->ndim;
        near_row(j, at, i, points, matrix + i * all);
        for (int64_t k = i + 1; k < n; k++) matrix[k * all + i] = matrix[i * all + k];
        matrix[i * all + i] += p->smoothing[which[i]];
        for (int64_t t = 0; t < p->terms; t++)
            matrix[i * all + n + t] = matrix[(n + t) * all + i] = cpi_rbf_monomial(p, t, at, shift, scale);
    }
    for (int64_t t = 0; t < p->terms; t++) memset(matrix + (n + t) * all + n, 0, (size_t)p->terms * sizeof *matrix);
    near_row(j, p->at + system * p->ndim, 0, points, row);
    for (int64_t t = 0; t < p->terms; t++)
        row[n + t] = cpi_rbf_monomial(p, t, p->at + system * p->ndim, shift, scale);
}
static void near_task(void *context, int64_t task, int worker)
{
    const near_job *j = context;
    const int64_t to = (task + 1) * j->each < j->p->systems ? (task + 1) * j->each : j->p->systems;
    for (int64_t i = task * j->each; i < to; i++)
        near_system(j, i, j->points + worker * j->p->ndim * (j->p->n + 1));
}

cp_code cpi_splines_cpu_rbf_near(cp_stream *stream, const cpi_rbf_near *p)
{
    near_job j = {.p = p, .block_of = {.ndim = p->ndim, .n = p->n, .kernel = p->kernel}};
    j.points = cpi_work_alloc(stream, (size_t)(p->ndim * (p->n + 1) * cpi_workers() + 1) * sizeof *j.points);
    if (!j.points) return CP_ERROR_MEMORY;
    j.function = cpi_kernel_of(cpi_kernels_best(), p->kernel == CP_RBF_KERNEL_GAUSSIAN ? CP_OP_exp : CP_OP_log,
                               CP_FLOAT64);
    j.block = CPI_BEST(cpi_radial_block);
    cpi_parallel(cpi_cut_evenly(p->systems, 1 + 4096 / (p->n * p->n + 1), &j.each), near_task, &j);
    cpi_work_free(stream, j.points);
    return CP_OK;
}
