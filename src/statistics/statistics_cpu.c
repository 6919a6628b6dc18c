/* Searching and interpolating on the CPU: elements dealt out to the threads. */
#include "statistics/statistics.h"

#include "backend/device.h"
#include "cpu/threads.h"
#include "elementwise/engine_cpu.h"
#include "statistics/blocks.h"
#include "statistics/counts.h"
#include "statistics/methods.h"

enum {
    GRAIN = 4096,
    AHEAD = 16 /* searches that are prepared while others go on */
};

/* --- places among edges --- */

typedef struct search {
    cpi_keys k;
    const cpi_statistics_simd *simd;
    const cpi_kernels *set;
    const cpi_grid *grid;    /* or NULL */
    cp_type type;
    int64_t n, m, each;
    const void *x, *edges;
    bool right;
    int64_t *to;
} search;

/* The cells of a block of elements. */
static void find_cells(const search *s, int64_t i, int64_t n, int32_t *cell)
{
    double buffer[CPI_BLOCK];
    const char *from = (const char *)s->x + i * cpi_itemsize(s->type);
    const double *x = (const double *)from;
    if (s->type != CP_FLOAT64) s->set->convert[s->type][CP_FLOAT64](buffer, from, n), x = buffer;
    s->simd->cells(x, n, s->grid->first, s->grid->scale, s->grid->top, cell);
}

#define LOCATE(W)                                                                                                   \
    static int64_t search##W(const search *s, uint##W##_t x, int64_t low, int64_t high)                             \
    {                                                                                                               \
        const uint##W##_t *edges = s->edges;                                                                        \
        const uint##W##_t key = cpi_same##W(&s->k, cpi_key##W(&s->k, x));                                           \
        if (high == low + 1) { /* without a jump that nobody foresees */                                           \
            const uint##W##_t edge = cpi_same##W(&s->k, cpi_key##W(&s->k, edges[low]));                             \
            return low + ((edge < key) | (s->right & (edge == key)));                                               \
        }                                                                                                           \
        while (low < high) {                                                                                        \
            const int64_t middle = low + (high - low) / 2;                                                          \
            const uint##W##_t edge = cpi_same##W(&s->k, cpi_key##W(&s->k, edges[middle]));                          \
            if (edge < key || (s->right && edge == key)) low = middle + 1;                                          \
            else high = middle;                                                                                     \
        }                                                                                                           \
        return low;                                                                                                 \
    }                                                                                                               \
    static void locate##W(const search *s, int64_t from, int64_t end)                                               \
    {                                                                                                               \
        const uint##W##_t *x = s->x;                                                                                \
        int32_t cell[CPI_BLOCK];                                                                                    \
        for (int64_t i = from; !s->grid && i < end; i++) s->to[i] = search##W(s, x[i], 0, s->m);                    \
        for (int64_t i = from; s->grid && i < end; i += CPI_BLOCK) {                                                \
            const int64_t n = end - i < CPI_BLOCK ? end - i : CPI_BLOCK;                                            \
            const int32_t *start = s->grid->start;                                                                  \
            find_cells(s, i, n, cell);                                                                              \
            for (int64_t k = 0; k < n; k++) {                                                                       \
                __builtin_prefetch(&start[cell[k + AHEAD < n ? k + AHEAD : k]]);                                    \
                __builtin_prefetch((const uint##W##_t *)s->edges + start[cell[k + AHEAD / 2 < n ? k + AHEAD / 2 : k]]); \
                s->to[i + k] = search##W(s, x[i + k], start[cell[k]], start[cell[k] + 1]);                          \
            }                                                                                                       \
        }                                                                                                           \
    }
LOCATE(8)
LOCATE(16)
LOCATE(32)
LOCATE(64)

static void locate_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const search *s = context;
    const int64_t from = task * s->each, end = from + s->each < s->n ? from + s->each : s->n;
    switch (s->k.bytes) {
    case 1: locate8(s, from, end); break;
    case 2: locate16(s, from, end); break;
    case 4: locate32(s, from, end); break;
    default: locate64(s, from, end);
    }
}

static cp_code locate(cp_stream *stream, cp_type type, int64_t n, const void *x, int64_t m, const void *edges,
                      bool right, int64_t *to)
{
    cpi_grid grid;
    search s = {.k = cpi_keys_of(type), .simd = CPI_BEST(cpi_statistics_simd), .set = cpi_kernels_best(), .type = type,
                .n = n, .m = m, .x = x, .edges = edges, .right = right, .to = to};
    if (cpi_grid_make(&grid, stream, type, edges, m, n)) s.grid = &grid;
    cpi_parallel(cpi_cut(n, GRAIN, &s.each), locate_task, &s);
    if (s.grid) cpi_work_free(stream, grid.start);
    return CP_OK;
}

/* --- between samples, and quantiles --- */

typedef struct each { const void *what; int64_t n, each; const cpi_grid *grid; const cpi_statistics_simd *simd; } each;

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
        e->simd->cells(p->x + i, n, e->grid->first, e->grid->scale, e->grid->top, cell);
        for (int64_t k = 0; k < n; k++)
            cpi_interpolate_at(p, i + k, cpi_grid_count(e->grid, p->at, p->x[i + k], cell[k]) - 1);
    }
}

static cp_code interpolate(cp_stream *stream, const cpi_interpolation *p)
{
    cpi_grid grid;
    each e = {.what = p, .n = p->n, .simd = CPI_BEST(cpi_statistics_simd)};
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

static cp_code quantiles(cp_stream *stream, const cpi_quantiles *q)
{
    (void)stream;
    each e = {.what = q, .n = q->rows};
    cpi_parallel(cpi_cut(q->rows, 256, &e.each), quantiles_task, &e);
    return CP_OK;
}

const cpi_statistics_ops cpi_statistics_cpu = {
    .bincount = cpi_bincount_cpu, .tally = cpi_tally, .bins = cpi_bins_cpu, .locate = locate,
    .interpolate = interpolate, .quantiles = quantiles,
};
