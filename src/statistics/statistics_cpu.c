/* Counting, searching and interpolating on the CPU: elements dealt out to the threads. Counts of each worker lie in a
 * table of its own; sums of weights are added by one thread in the order of the elements. */
#include "statistics/statistics.h"

#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "statistics/methods.h"

enum { GRAIN = 16384, MOST_TABLES = 1 << 20 }; /* entries of all workers' tables */

/* --- counts: tables of the workers, added up --- */

typedef struct counting {
    int64_t n, each, bins;
    const int64_t *x;
    const cpi_bins *b;
    double scale;
    int64_t *tables; /* bins + 1 a worker: the last one is for those in no bin */
} counting;

static void count_task(void *context, int64_t task, int worker)
{
    const counting *c = context;
    int64_t *table = c->tables + worker * (c->bins + 1);
    const int64_t end = (task + 1) * c->each < c->n ? (task + 1) * c->each : c->n;
    for (int64_t i = task * c->each; i < end; i++) {
        const uint64_t bin = (uint64_t)c->x[i], none = (uint64_t)c->bins; /* beyond: what failed on the device */
        table[bin < none ? bin : none]++;
    }
}

static void bin_task(void *context, int64_t task, int worker)
{
    const counting *c = context;
    const cpi_bins *b = c->b;
    int64_t *table = c->tables ? c->tables + worker * (c->bins + 1) : NULL;
    const int64_t end = (task + 1) * c->each < c->n ? (task + 1) * c->each : c->n;
#define EACH(A, s)                                                                                                  \
    case CPS_ENUM_##s:                                                                                              \
        for (int64_t i = task * c->each; i < end; i++) {                                                            \
            const double x = cps_##s##_to_f64(((const CPS_CTYPE_##s *)b->x)[i]);                                    \
            const int64_t bin = cpi_bin_of(b->edges, b->bins, b->even, b->first, c->scale, x);                      \
            if (table) table[bin]++;                                                                                \
            else b->index[i] = bin;                                                                                 \
        }                                                                                                           \
        break;
    switch ((int)b->type) {
        CPS_REALS(EACH, )
    }
#undef EACH
}

/* Runs the task with tables, and adds these up. */
static cp_code count(cp_stream *stream, counting *c, cpi_task task, int64_t *to)
{
    const int workers = (c->bins + 1) * cpi_workers() <= MOST_TABLES || c->n / 4 > c->bins ? cpi_workers() : 1;
    const int64_t entries = (c->bins + 1) * workers;
    c->tables = cpi_work_alloc(stream, (size_t)entries * sizeof *c->tables);
    if (!c->tables) return cp_error();
    memset(c->tables, 0, (size_t)entries * sizeof *c->tables);
    int64_t tasks = cpi_cut(c->n, GRAIN, &c->each);
    if (workers == 1) tasks = 1, c->each = c->n;
    cpi_parallel(tasks, task, c);
    memcpy(to, c->tables, (size_t)c->bins * sizeof *to);
    for (int w = 1; w < workers; w++)
        for (int64_t i = 0; i < c->bins; i++) to[i] += c->tables[w * (c->bins + 1) + i];
    cpi_work_free(stream, c->tables);
    return CP_OK;
}

static cp_code bincount(cp_stream *stream, int64_t n, const int64_t *x, const double *weights, int64_t bins, void *to)
{
    counting c = {.n = n, .bins = bins, .x = x};
    if (!bins) return CP_OK;
    if (!weights) return count(stream, &c, count_task, to);
    memset(to, 0, (size_t)bins * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        if ((uint64_t)x[i] < (uint64_t)bins) ((double *)to)[x[i]] += weights[i];
    return CP_OK;
}

static cp_code bins(cp_stream *stream, const cpi_bins *b)
{
    counting c = {.n = b->n, .bins = b->bins, .b = b, .scale = (double)b->bins / (b->last - b->first)};
    if (b->counts) return count(stream, &c, bin_task, b->counts);
    cpi_parallel(cpi_cut(b->n, GRAIN, &c.each), bin_task, &c);
    return CP_OK;
}

/* --- places among edges --- */

typedef struct search {
    cpi_keys k;
    int64_t n, m, each;
    const void *x, *edges;
    bool right;
    int64_t *to;
} search;

#define LOCATE(W)                                                                                                   \
    static void locate##W(const search *s, int64_t from, int64_t end)                                               \
    {                                                                                                               \
        const uint##W##_t *x = s->x, *edges = s->edges;                                                             \
        for (int64_t i = from; i < end; i++) {                                                                      \
            const uint##W##_t key = cpi_same##W(&s->k, cpi_key##W(&s->k, x[i]));                                    \
            int64_t low = 0, high = s->m;                                                                           \
            while (low < high) {                                                                                    \
                const int64_t middle = low + (high - low) / 2;                                                      \
                const uint##W##_t edge = cpi_same##W(&s->k, cpi_key##W(&s->k, edges[middle]));                      \
                if (edge < key || (s->right && edge == key)) low = middle + 1;                                      \
                else high = middle;                                                                                 \
            }                                                                                                       \
            s->to[i] = low;                                                                                         \
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
    (void)stream;
    search s = {.k = cpi_keys_of(type), .n = n, .m = m, .x = x, .edges = edges, .right = right, .to = to};
    cpi_parallel(cpi_cut(n, GRAIN / 4, &s.each), locate_task, &s);
    return CP_OK;
}

/* --- between samples, and quantiles --- */

typedef struct each { const void *what; int64_t n, each; } each;

static void interpolate_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const each *e = context;
    const int64_t end = (task + 1) * e->each < e->n ? (task + 1) * e->each : e->n;
    for (int64_t i = task * e->each; i < end; i++) cpi_interpolate_one(e->what, i);
}

static cp_code interpolate(cp_stream *stream, const cpi_interpolation *p)
{
    (void)stream;
    each e = {p, p->n, 0};
    cpi_parallel(cpi_cut(p->n, GRAIN / 4, &e.each), interpolate_task, &e);
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
    each e = {q, q->rows, 0};
    cpi_parallel(cpi_cut(q->rows, 256, &e.each), quantiles_task, &e);
    return CP_OK;
}

const cpi_statistics_ops cpi_statistics_cpu = {bincount, bins, locate, interpolate, quantiles};
