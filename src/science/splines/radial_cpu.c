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
    cpi_radial_solve *solve;
    double *work;   /* of each worker: the points of a system by coordinates, and a place, scaled; its rows */
    int64_t each, points, stride, size;
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
/* A system, and the row of the place; rows lie `stride` elements apart. */
static void near_system(const near_job *j, int64_t system, double *points, double *matrix, int64_t stride, double *row)
{
    const cpi_rbf_near *p = j->p;
    const int64_t n = p->n, *which = p->which + system * n;
    double *shift = p->frame + system * 2 * p->ndim, *scale = shift + p->ndim;
    for (int64_t d = 0; d < p->ndim; d++) {
        cpi_rbf_shift(p, system, d, shift + d, scale + d);
        for (int64_t k = 0; k < n; k++) points[d * n + k] = p->y[which[k] * p->ndim + d] * p->epsilon;
    }
    for (int64_t i = 0; i < n; i++) {
        const double *at = p->y + which[i] * p->ndim;
        near_row(j, at, i, points, matrix + i * stride);
        for (int64_t k = i + 1; k < n; k++) matrix[k * stride + i] = matrix[i * stride + k];
        matrix[i * stride + i] += p->smoothing[which[i]];
        for (int64_t t = 0; t < p->terms; t++)
            matrix[i * stride + n + t] = matrix[(n + t) * stride + i] = cpi_rbf_monomial(p, t, at, shift, scale);
    }
    for (int64_t t = 0; t < p->terms; t++)
        memset(matrix + (n + t) * stride + n, 0, (size_t)p->terms * sizeof *matrix);
    near_row(j, p->at + system * p->ndim, 0, points, row);
    for (int64_t t = 0; t < p->terms; t++)
        row[n + t] = cpi_rbf_monomial(p, t, p->at + system * p->ndim, shift, scale);
}
/* The values at a place, in `rows` of the worker's; false: its system is singular. */
static bool near_values(const near_job *j, int64_t system, double *points, double *rows)
{
    const cpi_rbf_near *p = j->p;
    const int64_t n = p->n, all = n + p->terms, stride = j->stride;
    double *row = rows + all * stride;
    near_system(j, system, points, rows, stride, row);
    for (int64_t i = 0; i < all; i++) {
        const double *d = i < n ? p->d + p->which[system * n + i] * p->m : NULL;
        for (int64_t c = all; c < stride; c++) rows[i * stride + c] = d && c < all + p->m ? d[c - all] : 0;
    }
    if (!j->solve(rows, all, p->m, stride)) return false;
    for (int64_t c = 0; c < p->m; c++) {
        double sum = 0;
        for (int64_t i = 0; i < all; i++) sum += row[i] * rows[i * stride + all + c];
        p->values[system * p->m + c] = sum;
    }
    return true;
}
static void near_task(void *context, int64_t task, int worker)
{
    const near_job *j = context;
    const cpi_rbf_near *p = j->p;
    const int64_t to = (task + 1) * j->each < p->systems ? (task + 1) * j->each : p->systems, all = p->n + p->terms;
    double *points = j->work + worker * j->size;
    for (int64_t i = task * j->each; i < to; i++) {
        if (!p->d) near_system(j, i, points, p->matrix + i * all * all, all, p->row + i * all);
        else if (!near_values(j, i, points, points + j->points)) __atomic_store_n(p->singular, 1, __ATOMIC_RELAXED);
    }
}

cp_code cpi_splines_cpu_rbf_near(cp_stream *stream, const cpi_rbf_near *p)
{
    near_job j = {.p = p, .block_of = {.ndim = p->ndim, .n = p->n, .kernel = p->kernel}};
    const int64_t all = p->n + p->terms;
    j.stride = (all + p->m + CPI_RADIAL_STEP - 1) / CPI_RADIAL_STEP * CPI_RADIAL_STEP;
    j.points = (p->ndim * (p->n + 1) + CPI_RADIAL_STEP) / CPI_RADIAL_STEP * CPI_RADIAL_STEP;
    j.size = j.points + (p->d ? all * j.stride + all + CPI_RADIAL_STEP : 0);
    j.work = cpi_work_alloc(stream, (size_t)(j.size * cpi_workers()) * sizeof *j.work);
    if (!j.work) return CP_ERROR_MEMORY;
    j.solve = CPI_BEST(cpi_radial_solve);
    j.function = cpi_kernel_of(cpi_kernels_best(), p->kernel == CP_RBF_KERNEL_GAUSSIAN ? CP_OP_exp : CP_OP_log,
                               CP_FLOAT64);
    j.block = CPI_BEST(cpi_radial_block);
    cpi_parallel(cpi_cut_evenly(p->systems, 1 + 4096 / (p->n * p->n + 1), &j.each), near_task, &j);
    cpi_work_free(stream, j.work);
    return CP_OK;
}
