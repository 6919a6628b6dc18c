/* Splines and piecewise polynomials on the CPU: places are shared out to the threads. */
#include <math.h>

#include "backend/device.h"
#include "core/error.h"
#include "cpu/threads.h"
#include "splines/banded.h"
#include "splines/each.h"
#include "splines/finder.h"

enum { GRAIN = 2048 };

/* --- B-splines --- */

typedef struct bspline_job {
    const cpi_bspline *p;
    cpi_finder find;
    int64_t each;
} bspline_job;

static inline __attribute__((always_inline)) void bspline_places(const bspline_job *j, int64_t from, int64_t to, int k,
                                                                 bool cubic)
{
    const cpi_bspline *p = j->p;
    const double low = p->t[p->k], high = p->t[p->n];
    double h[2 * CPI_SPLINE_DEGREE + 2];
    for (int64_t i = from; i < to; i++) {
        const double x = p->at[i];
        double *out = p->to + i * p->m;
        if (!cpi_inside(x, low, high, p->extrapolate)) {
            for (int64_t e = 0; e < p->m; e++) out[e] = NAN;
            continue;
        }
        const int64_t l = cpi_finder_find(&j->find, x);
        if (cubic) cpi_cubic_basis(p->t + l, x, h);
        else cpi_bspline_basis(p->t, x, k, l, p->nu, h);
        const double *c = p->c + (l - k) * p->m;
        for (int64_t e = 0; e < p->m; e++) {
            double sum = 0;
            for (int a = 0; a <= k; a++) sum += c[a * p->m + e] * h[a];
            out[e] = sum;
        }
    }
}

static void bspline_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const bspline_job *j = context;
    const int64_t from = task * j->each, to = from + j->each < j->p->places ? from + j->each : j->p->places;
    if (j->p->k == 3 && !j->p->nu) bspline_places(j, from, to, 3, true);
    else bspline_places(j, from, to, j->p->k, false);
}

cp_code cpi_splines_cpu_bspline(cp_stream *stream, const cpi_bspline *p)
{
    bspline_job j = {.p = p};
    cpi_finder_make(stream, &j.find, p->t, p->k, p->n - 1, p->places);
    cpi_parallel(cpi_cut_evenly(p->places, GRAIN, &j.each), bspline_task, &j);
    cpi_work_free(stream, j.find.start);
    return CP_OK;
}

typedef struct basis_job {
    const cpi_basis *p;
    int64_t each;
} basis_job;

static void basis_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const basis_job *j = context;
    const cpi_basis *p = j->p;
    const int64_t to = (task + 1) * j->each < p->places ? (task + 1) * j->each : p->places;
    double h[2 * CPI_SPLINE_DEGREE + 2];
    for (int64_t i = task * j->each; i < to; i++) {
        const int64_t l = cpi_interval_between(p->t, p->at[i], p->k, p->n - 1);
        cpi_bspline_basis(p->t, p->at[i], p->k, l, p->nu, h);
        for (int a = 0; a <= p->k; a++) p->values[i * (p->k + 1) + a] = h[a];
        p->first[i] = l - p->k;
    }
}

cp_code cpi_splines_cpu_basis(cp_stream *stream, const cpi_basis *p)
{
    (void)stream;
    basis_job j = {.p = p};
    cpi_parallel(cpi_cut_evenly(p->places, GRAIN, &j.each), basis_task, &j);
    return CP_OK;
}

/* --- piecewise polynomials --- */

typedef struct ppoly_job {
    const cpi_ppoly *p;
    cpi_finder find;
    double *packed; /* (n, m, k) where that is worth a pass; else NULL */
    int64_t each;
} ppoly_job;

static inline __attribute__((always_inline)) void ppoly_places(const ppoly_job *j, int64_t from, int64_t to, int k,
                                                               int nu)
{
    const cpi_ppoly *p = j->p;
    const double first = p->x[0], last = p->x[p->n], low = first < last ? first : last;
    const double high = first < last ? last : first;
    const int64_t step = j->packed ? 1 : p->n * p->m;
    for (int64_t i = from; i < to; i++) {
        const double x = p->at[i];
        double *out = p->to + i * p->m;
        if (!cpi_inside(x, low, high, p->extrapolate)) {
            for (int64_t e = 0; e < p->m; e++) out[e] = NAN;
            continue;
        }
        const int64_t l = p->descending ? cpi_interval_descending(p->x, x, p->n) : cpi_finder_find(&j->find, x);
        const double *c = j->packed ? j->packed + l * p->m * k : p->c + l * p->m;
        const double s = p->bernstein ? (x - p->x[l]) / (p->x[l + 1] - p->x[l]) : x - p->x[l];
        for (int64_t e = 0; e < p->m; e++) {
            const double *mine = c + (j->packed ? e * k : e);
            out[e] = p->bernstein ? cpi_bernstein(mine, step, k, s) : cpi_powers(mine, step, k, s, nu);
        }
    }
}

static void ppoly_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const ppoly_job *j = context;
    const int64_t from = task * j->each, to = from + j->each < j->p->places ? from + j->each : j->p->places;
    if (j->p->k == 4 && !j->p->nu) ppoly_places(j, from, to, 4, 0);
    else ppoly_places(j, from, to, j->p->k, j->p->nu);
}

static void pack(const cpi_ppoly *p, double *packed)
{
    const int64_t columns = p->n * p->m;
    for (int a = 0; a < p->k; a++)
        for (int64_t i = 0; i < columns; i++) packed[i * p->k + a] = p->c[a * columns + i];
}

cp_code cpi_splines_cpu_ppoly(cp_stream *stream, const cpi_ppoly *p)
{
    ppoly_job j = {.p = p};
    if (!p->descending) cpi_finder_make(stream, &j.find, p->x, 0, p->n - 1, p->places);
    if (p->places > 4 * p->n && p->n > 256) {
        j.packed = cpi_work_alloc(stream, (size_t)(p->n * p->m * p->k) * sizeof(double));
        if (j.packed) pack(p, j.packed);
        else cp_error_clear();
    }
    cpi_parallel(cpi_cut_evenly(p->places, GRAIN, &j.each), ppoly_task, &j);
    cpi_work_free(stream, j.packed);
    cpi_work_free(stream, j.find.start);
    return CP_OK;
}

/* --- banded systems --- */

typedef struct band_job {
    const cpi_banded *p;
    const double *r, *turns;
    int64_t each;
} band_job;

static void band_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const band_job *j = context;
    const int64_t to = (task + 1) * j->each < j->p->m ? (task + 1) * j->each : j->p->m;
    for (int64_t e = task * j->each; e < to; e++) cpi_banded_column(j->p, j->r, j->turns, e);
}

cp_code cpi_splines_cpu_banded(cp_stream *stream, const cpi_banded *p)
{
    const int64_t size = p->n * p->width;
    double *r = cpi_work_alloc(stream, (size_t)(size + 2 * p->rows * p->width) * sizeof *r);
    if (!r) return CP_ERROR_MEMORY;
    for (int64_t i = 0; i < size; i++) r[i] = 0;
    cpi_banded_factor(p, r, r + size);
    band_job j = {p, r, r + size, 0};
    cpi_parallel(cpi_cut_evenly(p->m, 64, &j.each), band_task, &j);
    cpi_work_free(stream, r);
    return CP_OK;
}
