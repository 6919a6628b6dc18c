/* Searching and interpolating on the CPU: elements divided among the threads. */
#include "statistics/statistics.h"

#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "core/error.h"
#include "cpu/threads.h"
#include "sort/grid.h"
#include "sort/sort.h"
#include "statistics/counts.h"
#include "statistics/methods.h"

enum { GRAIN = 4096 };

/* --- positions in edges, as searchsorted finds them --- */

cp_code cpi_statistics_cpu_locate(cp_stream *stream, cp_type type, int64_t n, const void *x, int64_t m,
                                  const void *edges, bool right, int64_t *to)
{
    if (m) return cpi_sort_cpu_search(stream, type, m, edges, n, x, right, to);
    memset(to, 0, (size_t)n * sizeof *to);
    return CP_OK;
}

/* Is edge a less than edge b? float64 does not distinguish all 64-bit integers. */
static bool less(cp_type type, const void *edges, int64_t a, int64_t b)
{
    return type == CP_INT64    ? ((const int64_t *)edges)[a] < ((const int64_t *)edges)[b]
           : type == CP_UINT64 ? ((const uint64_t *)edges)[a] < ((const uint64_t *)edges)[b]
                               : cpi_number_at(type, edges, a) < cpi_number_at(type, edges, b);
}

/* Do edges of a usual type ascend, none of them NaN? Without a branch for each edge; false may be wrong. */
static bool surely_ascend(cp_type type, const void *edges, int64_t m)
{
    const double *d = edges;
    const float *f = edges;
    const int64_t *n = edges;
    int good = type == CP_FLOAT64 || type == CP_FLOAT32 || type == CP_INT64;
    for (int64_t i = 1; i < m && type == CP_FLOAT64; i++) good &= d[i - 1] <= d[i];
    for (int64_t i = 1; i < m && type == CP_FLOAT32; i++) good &= f[i - 1] <= f[i];
    for (int64_t i = 1; i < m && type == CP_INT64; i++) good &= n[i - 1] <= n[i];
    return good;
}

/* 1 where few edges ascend, -1 where they descend, 0 where they do neither. By NumPy's rule NaN is in order with
 * anything: the first unequal pair determines the direction, and no later pair goes the other way. */
static int direction(cp_type type, const void *edges, int64_t m)
{
    int64_t i = 1;
    if (surely_ascend(type, edges, m)) return 1;
    const bool nan = cpi_is_float(type); /* which is unequal to itself */
    while (i < m && !less(type, edges, i - 1, i) && !less(type, edges, i, i - 1) &&
           !(nan && (isnan(cpi_number_at(type, edges, i - 1)) || isnan(cpi_number_at(type, edges, i)))))
        i++;
    const bool up = i >= m || less(type, edges, i - 1, i);
    for (; i < m; i++)
        if (up ? less(type, edges, i, i - 1) : less(type, edges, i - 1, i)) return 0;
    return up ? 1 : -1;
}

typedef struct turning { int64_t m, n, each, *to; } turning;

static void turn_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const turning *t = context;
    const int64_t end = (task + 1) * t->each < t->n ? (task + 1) * t->each : t->n;
    for (int64_t i = task * t->each; i < end; i++) t->to[i] = t->m - t->to[i];
}

cp_code cpi_statistics_cpu_digitize(cp_stream *stream, cp_type type, int64_t n, const void *x, int64_t m,
                                    const void *edges, bool right, int64_t *to)
{
    uint64_t transposed[CPI_SMALL_EDGES]; /* no type is wider */
    const int64_t size = cpi_itemsize(type);
    const int way = direction(type, edges, m);
    if (way > 0) return cpi_statistics_cpu_locate(stream, type, n, x, m, edges, right, to);
    if (!way) return cpi_fail(CP_ERROR_VALUE, "digitize: %s", CPI_UNORDERED_EDGES);
    for (int64_t i = 0; i < m; i++)
        memcpy((char *)transposed + i * size, (const char *)edges + (m - 1 - i) * size, (size_t)size);
    const cp_code code = cpi_statistics_cpu_locate(stream, type, n, x, m, transposed, right, to);
    turning t = {.m = m, .n = n, .to = to};
    if (!code) cpi_parallel(cpi_cut(n, 16 * GRAIN, &t.each), turn_task, &t);
    return code;
}

/* --- between samples, and quantiles --- */

typedef struct each { const void *what; int64_t n, each; const cpi_grid *grid; } each;

static void interpolate_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const each *e = context;
    const cpi_interpolation *p = e->what;
    const int64_t end = (task + 1) * e->each < e->n ? (task + 1) * e->each : e->n;
    int32_t cell[CPI_BLOCK];
    for (int64_t i = task * e->each; !e->grid && i < end; i++) cpi_interpolate_one(p, i);
    for (int64_t i = task * e->each; e->grid && i < end; i += CPI_BLOCK) {
        const int64_t n = end - i < CPI_BLOCK ? end - i : CPI_BLOCK;
        cpi_grid_cells(e->grid, CP_FLOAT64, p->x + i, n, cell);
        for (int64_t k = 0; k < n; k++)
            cpi_interpolate_at(p, i + k, cpi_grid_count(e->grid, p->at, p->x[i + k], cell[k]) - 1);
    }
}

cp_code cpi_statistics_cpu_interpolate(cp_stream *stream, const cpi_interpolation *p)
{
    cpi_grid grid;
    each e = {.what = p, .n = p->n};
    if (cpi_grid_make(&grid, stream, CP_FLOAT64, p->at, p->samples, p->n)) e.grid = &grid;
    cpi_parallel(cpi_cut(p->n, GRAIN, &e.each), interpolate_task, &e);
    if (e.grid) cpi_work_free(stream, grid.start);
    return CP_OK;
}

static void quantiles_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const each *e = context;
    const cpi_quantiles *q = e->what;
    const int64_t end = (task + 1) * e->each < e->n ? (task + 1) * e->each : e->n;
    for (int64_t row = task * e->each; row < end; row++)
        for (int64_t i = 0; i < q->count; i++) cpi_quantile_one(q, row, i, cpi_itemsize(q->type));
}

cp_code cpi_statistics_cpu_quantiles(cp_stream *stream, const cpi_quantiles *q)
{
    (void)stream;
    each e = {.what = q, .n = q->rows};
    cpi_parallel(cpi_cut(q->rows, 256, &e.each), quantiles_task, &e);
    return CP_OK;
}
