/* Counting on the CPU: tables of the workers, added up.
 *
 * Counts of whole numbers look block by block whether there is a table for all of them: memory is read once, and the
 * least and the greatest are told by the tables.
 * Where few bins are, a worker has several tables that neighbours take turns in, since an addition to a place waits for
 * the one before it. Sums of weights are added by one thread in the order of the elements. */
#include "statistics/counts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "move/kernels.h"
#include "statistics/blocks.h"
#include "statistics/methods.h"

enum {
    GRAIN = 16384,
    TURNS = 4, FEW = 1024,    /* tables of a worker for up to so many bins: half of a first cache */
    MOST_TABLES = 1 << 20,    /* entries of all workers' tables, where they are more than elements */
    LONGEST = 1 << 30         /* elements that tables of 32 bits count */
};

typedef struct counting {
    int64_t n, each, bins;
    uint64_t even_bins;       /* a power of two, at most bins */
    const cpi_statistics_simd *simd;
    const cpi_move_kernels *set;
    cp_type type;
    const char *x;
    const cpi_bins *b;
    const cpi_even *even;     /* bins that lie evenly, or NULL */
    const cpi_grid *grid;     /* or NULL */
    double scale;
    int64_t apart;            /* entries of a table: bins + 1, the last for those in no bin */
    int64_t few;              /* entries of each table of a worker that neighbours take turns in; behind them there */
    int64_t whole;            /* is one for all bins, of `apart` entries, where those are too short; else 0 */
    uint32_t *tables;
    bool *used;               /* by the workers: whose tables are cleared */
    int64_t *least, *most;    /* of what each worker has seen */
} counting;

static uint32_t *table_of(const counting *c, int worker)
{
    const int64_t entries = TURNS * c->few + c->whole;
    uint32_t *table = c->tables + worker * entries;
    if (!c->used[worker]) memset(table, 0, (size_t)entries * sizeof *table);
    c->used[worker] = true;
    return table;
}

/* --- whole numbers --- */

#define TALLY(T)                                                                               \
    do {                                                                                       \
        const T *v = (const T *)x;                                                             \
        int64_t i = 0;                                                                         \
        for (; i + 2 * TURNS <= n; i += 2 * TURNS) {                                           \
            if (sizeof(T) > 2) __builtin_prefetch(v + i + n); /* of the next block */          \
            for (int k = 0; k < 2 * TURNS; k++) table[k % TURNS * apart + (int64_t)v[i + k]]++; \
        }                                                                                      \
        for (; i < n; i++) table[(int64_t)v[i]]++;                                             \
    } while (0)

/* Neighbours take turns in tables that lie `apart`; 0: there is but one. */
static void tally_block(cp_type type, const char *x, int64_t n, uint32_t *table, int64_t apart)
{
    switch ((int)type) {
    case CP_BOOL: case CP_UINT8: case CP_INT8: TALLY(uint8_t); break;
    case CP_UINT16: case CP_INT16: TALLY(uint16_t); break;
    case CP_UINT32: case CP_INT32: TALLY(uint32_t); break;
    default: TALLY(uint64_t);
    }
}

static void tally_task(void *context, int64_t task, int worker)
{
    counting *c = context;
    enum { STEP = 2048 };
    const int64_t size = cpi_itemsize(c->type), end = (task + 1) * c->each < c->n ? (task + 1) * c->each : c->n;
    uint32_t *few = c->bins ? table_of(c, worker) : NULL, *all = c->whole ? few + TURNS * c->few : few;
    const int64_t apart = c->whole ? 0 : c->few;
    const uint64_t few_bins = (uint64_t)(c->few < c->bins ? c->few : 0); /* as many as tell by their bits */
    int64_t least = c->least[worker], most = c->most[worker], low, high;
    for (int64_t i = task * c->each; i < end; i += STEP) {
        const int64_t n = end - i < STEP ? end - i : STEP;
        const char *x = c->x + i * size;
        const uint64_t bits = few ? c->simd->bits(c->type, x, n) : UINT64_MAX;
        if (bits < few_bins) {
            tally_block(c->type, x, n, few, c->few);
            continue;
        }
        if (few && bits < c->even_bins) {
            tally_block(c->type, x, n, all, apart);
            continue;
        }
        c->simd->extent(c->type, x, n, &low, &high);
        least = low < least ? low : least, most = high > most ? high : most;
        if (few && low >= 0 && high < c->bins) tally_block(c->type, x, n, all, apart);
    }
    c->least[worker] = least, c->most[worker] = most;
}

/* --- bins --- */

static void search_bins(const counting *c, const double *x, int64_t n, int32_t *bin)
{
    const cpi_bins *b = c->b;
    const double *edges = b->edges;
    const int64_t bins = b->bins;
    if (c->grid) cpi_grid_cells(c->grid, CP_FLOAT64, x, n, bin);
    for (int64_t i = 0; i < n; i++) {
        if (!c->grid) {
            bin[i] = (int32_t)cpi_bin_of(edges, bins, false, 0, 0, x[i]);
            continue;
        }
        int64_t low = x[i] == x[i] ? cpi_grid_count(c->grid, edges, x[i], bin[i]) : 0;
        low -= low > bins && x[i] == edges[bins]; /* the last bin has its right edge too */
        bin[i] = low > 0 && low <= bins ? (int32_t)low - 1 : (int32_t)bins;
    }
}

static void bin_block(const counting *c, const void *x, const double *wide, int64_t n, int32_t *bin)
{
    const cpi_bins *b = c->b;
    float position[CPI_BLOCK];
    if (!c->even) {
        search_bins(c, wide, n, bin);
        return;
    }
    if (wide) {
        c->simd->indices(CP_FLOAT64, wide, n, c->even, position);
    } else {
        float buffer[CPI_BLOCK];
        if (b->type != CP_FLOAT32) c->set->convert[b->type][CP_FLOAT32](buffer, x, n);
        c->simd->indices(CP_FLOAT32, b->type != CP_FLOAT32 ? buffer : x, n, c->even, position);
    }
    int16_t untold[CPI_BLOCK];
    const int all = c->simd->bins(position, n, c->even, bin, untold);
    for (int k = 0; k < all; k++) {
        const int i = untold[k];
        const double value = wide ? wide[i] : cpi_number_at(b->type, x, i);
        bin[i] = (int32_t)cpi_bin_of(b->edges, b->bins, true, b->first, c->scale, value);
    }
}

static void bin_task(void *context, int64_t task, int worker)
{
    const counting *c = context;
    const cpi_bins *b = c->b;
    const int64_t end = (task + 1) * c->each < c->n ? (task + 1) * c->each : c->n;
    uint32_t *table = c->tables ? table_of(c, worker) : NULL;
    const int64_t all = c->whole ? TURNS * c->few : 0, apart = c->whole ? 0 : c->few; /* the table of all bins */
    double buffer[CPI_BLOCK];
    int32_t bin[CPI_BLOCK];
    for (int64_t i = task * c->each; i < end; i += CPI_BLOCK) {
        const int64_t n = end - i < CPI_BLOCK ? end - i : CPI_BLOCK;
        const char *from = (const char *)b->x + i * cpi_itemsize(b->type);
        const double *x = c->even && c->even->single ? NULL : (const double *)from;
        if (x && b->type != CP_FLOAT64) c->set->convert[b->type][CP_FLOAT64](buffer, from, n), x = buffer;
        bin_block(c, from, x, n, bin);
        for (int64_t k = 0; k < n * cpi_itemsize(b->type); k += 64) /* the next block comes while this one is counted */
            __builtin_prefetch(from + n * cpi_itemsize(b->type) + k);
        if (table && b->bins <= CPI_SMALL_BINS) c->simd->few(bin, n, (int32_t)b->bins, table);
        else if (table) tally_block(CP_INT32, (const char *)bin, n, table + all, apart);
        else
            for (int64_t k = 0; k < n; k++) b->index[i + k] = bin[k];
    }
}

/* How far the edges lie from where they would by their numbers; half a bin and more: not evenly. */
static bool find_even(const cpi_bins *b, double scale, cpi_even *e)
{
    if (!b->even || !isfinite(scale) || b->bins > 1 << 20) return false;
    *e = (cpi_even){.first = b->first, .scale = scale, .bins = (int32_t)b->bins};
    for (int64_t i = 0; i <= b->bins; i++) {
        const double off = fabs((b->edges[i] - b->first) * scale - (double)i);
        if (!(off < 0.25)) return false;
        if (off > e->off) e->off = off;
    }
    /* a place is rounded to 24 bits; in float32 so are the first edge, the distance from it, the scale, the product */
    const double half = 0x1.02p-24, last = (double)(b->bins + 1), rounding = half * last;
    double more = half * (fabs(b->first) * scale + 4 * last);
    const bool whole = cpi_is_whole(b->type) && cpi_itemsize(b->type) <= 4; /* rounded to float32 before */
    if (whole) more += half * (fabs(b->first) + fabs(b->last)) * scale; /* those between the edges by at most this */
    e->single = (b->type == CP_FLOAT32 || whole) && fabs(b->first) < FLT_MAX && scale < FLT_MAX && scale > FLT_MIN &&
                e->off + rounding + more < 0.25;
    e->off += rounding + (e->single ? more : 0);
    return e->off < 0.25;
}

/* --- both --- */

/* Memory for the tables of as many workers as there shall be; 0: none. */
static int open_tables(cp_stream *stream, counting *c)
{
    int workers = cpi_workers();
    if (c->bins * workers > MOST_TABLES && c->n / 4 < c->bins) workers = 1;
    c->apart = c->bins + 1;
    c->few = c->bins <= FEW ? c->apart : FEW;
    c->whole = c->bins <= FEW ? 0 : c->apart;
    const size_t entries = c->bins ? (size_t)(workers * (TURNS * c->few + c->whole)) : 0;
    const size_t bytes = entries * sizeof *c->tables;
    const size_t line = (bytes + 63) / 64 * 64, numbers = (size_t)workers * 8 * sizeof(int64_t);
    char *memory = cpi_work_alloc(stream, line + 2 * numbers + (size_t)workers);
    if (!memory) return 0;
    c->tables = (uint32_t *)memory;
    c->least = (int64_t *)(memory + line), c->most = c->least + workers;
    c->used = (bool *)(memory + line + 2 * numbers);
    for (int w = 0; w < workers; w++) c->least[w] = INT64_MAX, c->most[w] = INT64_MIN, c->used[w] = false;
    return workers;
}

/* Elements c->from and c->n behind it, in as many workers' tables; the counts are added to `to`. */
static void count(counting *c, cpi_task task, int workers, int64_t *to)
{
    int64_t tasks = cpi_cut(c->n, GRAIN, &c->each);
    if (workers == 1) tasks = 1, c->each = c->n;
    cpi_parallel(tasks, task, c);
    for (int w = 0; to && w < workers; w++) {
        const uint32_t *table = c->tables + w * (TURNS * c->few + c->whole);
        const int64_t few = c->few < c->bins ? c->few : c->bins;
        for (int k = 0; c->used[w] && k < TURNS; k++, table += c->few)
            for (int64_t i = 0; i < few; i++) to[i] += table[i];
        for (int64_t i = 0; c->used[w] && c->whole && i < c->bins; i++) to[i] += table[i];
    }
    for (int w = 0; w < workers; w++) c->used[w] = false;
}

#define TALLY_FEW(T)                                                          \
    do {                                                                      \
        const T *v = x;                                                       \
        for (int64_t i = 0; i < n; i++) counts[(int64_t)v[i]]++;              \
    } while (0)

/* Without tables, which are dearer than a few elements. */
static void tally_few(cp_type type, int64_t n, const void *x, int64_t bins, int64_t *counts, int64_t *extent)
{
    CPI_BEST(cpi_statistics_simd)->extent(type, x, n, &extent[0], &extent[1]);
    if (bins) memset(counts, 0, (size_t)bins * sizeof *counts);
    if (extent[0] < 0 || extent[1] >= bins) return;
    switch (cpi_itemsize(type)) {
    case 1: TALLY_FEW(uint8_t); break;
    case 2: TALLY_FEW(uint16_t); break;
    case 4: TALLY_FEW(uint32_t); break;
    default: TALLY_FEW(uint64_t);
    }
}

cp_code cpi_statistics_cpu_tally(cp_stream *stream, cp_type type, int64_t n, const void *x, int64_t bins,
                                 int64_t *counts, int64_t *extent)
{
    counting c = {.n = n, .bins = bins, .simd = CPI_BEST(cpi_statistics_simd), .type = type, .x = x};
    if (n <= GRAIN || bins > n) return tally_few(type, n, x, bins, counts, extent), CP_OK;
    const int workers = open_tables(stream, &c);
    if (!workers) return cp_error();
    if (bins) c.even_bins = UINT64_C(1) << (63 - __builtin_clzll((uint64_t)bins));
    if (bins) memset(counts, 0, (size_t)bins * sizeof *counts);
    for (int64_t left = n; left > 0; left -= c.n, c.x += c.n * cpi_itemsize(type)) {
        c.n = left < LONGEST ? left : LONGEST;
        count(&c, tally_task, workers, bins ? counts : NULL);
    }
    extent[0] = c.least[0], extent[1] = c.most[0];
    int64_t low = 0, high = bins;
    while (low < bins && !counts[low]) low++;
    while (high > low && !counts[high - 1]) high--;
    if (low < high) { /* what was counted without being looked at */
        if (low < extent[0]) extent[0] = low;
        if (high - 1 > extent[1]) extent[1] = high - 1;
    }
    for (int w = 1; w < workers; w++) {
        if (c.least[w] < extent[0]) extent[0] = c.least[w];
        if (c.most[w] > extent[1]) extent[1] = c.most[w];
    }
    cpi_work_free(stream, c.tables);
    return CP_OK;
}

cp_code cpi_statistics_cpu_bincount(cp_stream *stream, int64_t n, const int64_t *x, const double *weights, int64_t bins,
                                    void *to)
{
    if (!bins) return CP_OK;
    memset(to, 0, (size_t)bins * 8);
    if (!weights) {
        int64_t *counts = to; /* one that is beyond counts nowhere: what failed before left anything */
        for (int64_t i = 0; i < n; i++)
            if ((uint64_t)x[i] < (uint64_t)bins) counts[x[i]]++;
        return CP_OK;
    }
    double *sums = to;
    (void)stream;
    for (int64_t i = 0; i < n; i++)
        if ((uint64_t)x[i] < (uint64_t)bins) sums[x[i]] += weights[i];
    return CP_OK;
}

/* The edges that are to be made, made. */
static cp_code bins_between(cp_stream *stream, const cpi_bins *b)
{
    double edges[CPI_MADE_BINS + 1];
    cpi_bins given = *b;
    for (int64_t i = 0; i <= b->bins; i++) cpi_put_edge(&b->made, i, edges[i] = cpi_edge_at(&b->made, b->bins, i));
    given.edges = edges, given.made.to = NULL;
    return cpi_statistics_cpu_bins(stream, &given);
}

cp_code cpi_statistics_cpu_bins(cp_stream *stream, const cpi_bins *b)
{
    if (b->made.to) return bins_between(stream, b);
    cpi_even even;
    cpi_grid grid;
    counting c = {.n = b->n, .bins = b->bins, .simd = CPI_BEST(cpi_statistics_simd), .set = cpi_move_kernels_best(),
                  .b = b, .type = b->type, .scale = (double)b->bins / (b->last - b->first)};
    if (find_even(b, c.scale, &even)) c.even = &even;
    else if (cpi_grid_make(&grid, stream, CP_FLOAT64, b->edges, b->bins + 1, b->n)) c.grid = &grid;
    cp_code code = CP_OK;
    if (b->counts) {
        const int workers = open_tables(stream, &c);
        memset(b->counts, 0, (size_t)b->bins * sizeof *b->counts);
        cpi_bins part = *b;
        c.b = &part;
        for (int64_t left = b->n; workers && left > 0; left -= c.n) {
            part.x = (const char *)b->x + (b->n - left) * cpi_itemsize(b->type);
            c.n = left < LONGEST ? left : LONGEST;
            count(&c, bin_task, workers, b->counts);
        }
        if (workers) cpi_work_free(stream, c.tables);
        else code = cp_error();
    } else {
        cpi_parallel(cpi_cut(b->n, GRAIN, &c.each), bin_task, &c);
    }
    if (c.grid) cpi_work_free(stream, grid.start);
    return code;
}

/* --- what bins cover --- */

typedef struct spanning {
    const cpi_statistics_simd *simd;
    cp_type type;
    const char *x;
    int64_t n, each;
    double (*ends)[2]; /* of each task */
} spanning;

static void span_task(void *context, int64_t task, int worker)
{
    enum { STEP = 2048 };
    const spanning *s = context;
    const int64_t size = cpi_itemsize(s->type), end = (task + 1) * s->each < s->n ? (task + 1) * s->each : s->n;
    double *ends = s->ends[task], low, high;
    int64_t least, most;
    (void)worker;
    ends[0] = INFINITY, ends[1] = -INFINITY;
    for (int64_t i = task * s->each; i < end; i += STEP) {
        const int64_t n = end - i < STEP ? end - i : STEP;
        if (cpi_is_whole(s->type)) {
            s->simd->extent(s->type, s->x + i * size, n, &least, &most);
            low = (double)least, high = (double)most;
        } else {
            s->simd->span(s->type, s->x + i * size, n, &low, &high);
        }
        ends[0] = low < ends[0] || low != low ? low : ends[0]; /* NaN stays */
        ends[1] = high > ends[1] || high != high ? high : ends[1];
    }
}

cp_code cpi_statistics_cpu_span(cp_stream *stream, cp_type type, int64_t n, const void *x, double *ends)
{
    double parts[256][2];
    spanning s = {.simd = CPI_BEST(cpi_statistics_simd), .type = type, .x = x, .n = n, .ends = parts};
    const int64_t tasks = cpi_cut(n, GRAIN, &s.each);
    (void)stream;
    cpi_parallel(tasks, span_task, &s);
    ends[0] = parts[0][0], ends[1] = parts[0][1];
    for (int64_t t = 1; t < tasks; t++) {
        ends[0] = parts[t][0] < ends[0] || parts[t][0] != parts[t][0] ? parts[t][0] : ends[0];
        ends[1] = parts[t][1] > ends[1] || parts[t][1] != parts[t][1] ? parts[t][1] : ends[1];
    }
    return CP_OK;
}
