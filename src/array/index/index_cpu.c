/* Selection on the CPU: chunks of SEGMENT elements, each processed by one task in every step. */
#include "index/index.h"

#include <string.h>

#include "backend/device.h"
#include "core/memory.h"
#include "cpu/threads.h"
#include "index/kernels.h"
#include "loop/loop.h"

enum { SEGMENT = 16384, WORDS = SEGMENT / 64, GROUP = 4 }; /* GROUP chunks a task */

typedef struct job {
    const cpi_index_kernels *k;
    const cpi_selection *s;
    cpi_selection *make;
    const char *condition;
    cp_type type;
    const char *x;
    char *to;
    int64_t step, value_step, bytes;
    int ndim;
    const int64_t *shape;
    bool points;
    const cpi_rows *rows;
    int64_t per_task;
} job;

static int64_t nchunks(int64_t n) { return (n + SEGMENT - 1) / SEGMENT; }
static const uint64_t *words_of(const cpi_selection *s, int64_t chunk) { return (uint64_t *)s->bits + chunk * WORDS; }
static int64_t length(const cpi_selection *s, int64_t chunk)
{
    int64_t left = s->n - chunk * SEGMENT;
    return left < SEGMENT ? left : SEGMENT;
}
static int64_t selected(const cpi_selection *s, int64_t chunk)
{
    return (chunk + 1 < nchunks(s->n) ? s->before[chunk + 1] : s->count) - s->before[chunk];
}
static void run_job(job *j, cpi_task task)
{
    j->k = CPI_BEST(cpi_index_kernels);
    cpi_parallel((nchunks(j->s->n) + GROUP - 1) / GROUP, task, j);
}
/* A single chunk, as most selections are, is passed to its kernel directly. */
static inline bool is_chunk(const cpi_selection *s) { return s->n <= SEGMENT; }
/* for each chunk of the task */
#define CHUNKS(p) int64_t p = task * GROUP; p < (task + 1) * GROUP && p < nchunks(j->s->n); p++

static void bits_task(void *context, int64_t task, int worker)
{
    job *j = context;
    (void)worker;
    for (CHUNKS(p))
        j->make->before[p] = j->k->bits(j->condition + p * SEGMENT * cpi_itemsize(j->type), j->type, length(j->s, p),
                                        (uint64_t *)j->make->bits + p * WORDS);
}

/* What selecting from one chunk needs: host memory only. */
static size_t values_bytes(int64_t n) { return (size_t)((n + 63) / 64 + 1) * 8; }

cp_code cpi_index_cpu_select(cp_stream *stream, const void *condition, cp_type type, int64_t n, cpi_selection *s)
{
    int64_t np = nchunks(n), words = np == 1 ? (n + 63) / 64 : np * WORDS;
    s->work = np == 1 ? cpi_malloc_kept(values_bytes(n)) : cpi_work_alloc(stream, (size_t)(words + np) * 8);
    if (!s->work) return CP_ERROR_MEMORY;
    s->n = n;
    s->bits = s->work;
    s->before = (int64_t *)s->work + words;
    if (np == 1) {
        s->before[0] = 0;
        s->count = CPI_BEST(cpi_index_kernels)->bits(condition, type, n, s->bits);
        return CP_OK;
    }
    job j = {.s = s, .make = s, .condition = condition, .type = type};
    run_job(&j, bits_task);
    s->count = 0;
    for (int64_t p = 0; p < np; p++) {
        int64_t here = s->before[p];
        s->before[p] = s->count;
        s->count += here;
    }
    return CP_OK;
}

void cpi_index_cpu_release(cp_stream *stream, cpi_selection *s)
{
    if (nchunks(s->n) == 1) cpi_free_kept(s->work, values_bytes(s->n));
    else cpi_work_free(stream, s->work);
}

static void compact_task(void *context, int64_t task, int worker)
{
    job *j = context;
    (void)worker;
    for (CHUNKS(p))
        j->k->compact(words_of(j->s, p), length(j->s, p), j->x + p * SEGMENT * j->step, j->step, j->bytes,
                      j->to + j->s->before[p] * j->bytes, selected(j->s, p));
}

cp_code cpi_index_cpu_compact(cp_stream *stream, const cpi_selection *s, const char *x, int64_t step, int64_t bytes,
                              char *out)
{
    (void)stream;
    if (is_chunk(s)) {
        CPI_BEST(cpi_index_kernels)->compact(s->bits, s->n, x, step, bytes, out, s->count);
        return CP_OK;
    }
    job j = {.s = s, .x = x, .step = step, .bytes = bytes, .to = out};
    run_job(&j, compact_task);
    return CP_OK;
}

static inline void copy_element(char *to, const char *from, int64_t bytes)
{
    switch (bytes) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, 16);
    }
}

/* Values, with a stride of value_step, to the elements of `to` whose bits are set. */
static inline __attribute__((always_inline)) void spread_some(const uint64_t *words, int64_t n, char *to, int64_t step,
                                                              const char *value, int64_t value_step, int64_t bytes)
{
    for (int64_t i = 0; i < n; i += 64)
        for (uint64_t w = words[i / 64]; w; w &= w - 1, value += value_step)
            copy_element(to + (i + __builtin_ctzll(w)) * step, value, bytes);
}

static void spread_chunk(const uint64_t *words, int64_t n, char *to, int64_t step, const char *value,
                         int64_t value_step, int64_t bytes)
{
    switch (bytes) {
    case 4: spread_some(words, n, to, step, value, value_step, 4); break;
    case 8: spread_some(words, n, to, step, value, value_step, 8); break;
    default: spread_some(words, n, to, step, value, value_step, bytes);
    }
}

static void spread_task(void *context, int64_t task, int worker)
{
    job *j = context;
    (void)worker;
    for (CHUNKS(p))
        spread_chunk(words_of(j->s, p), length(j->s, p), j->to + p * SEGMENT * j->step, j->step,
                     j->x + j->s->before[p] * j->value_step, j->value_step, j->bytes);
}

cp_code cpi_index_cpu_spread(cp_stream *stream, const cpi_selection *s, char *x, int64_t step, int64_t bytes,
                             const char *value, int64_t value_step)
{
    (void)stream;
    if (is_chunk(s)) {
        spread_chunk(s->bits, s->n, x, step, value, value_step, bytes);
        return CP_OK;
    }
    job j = {.s = s, .x = value, .value_step = value_step, .to = x, .step = step, .bytes = bytes};
    run_job(&j, spread_task);
    return CP_OK;
}

cp_code cpi_index_cpu_place(cp_stream *stream, const uint8_t *mask, int64_t n, char *x, int64_t step, int64_t bytes,
                               const char *value)
{
    cpi_selection s = {0};
    cp_code code = cpi_index_cpu_select(stream, mask, CP_BOOL, n, &s);
    if (!code) code = cpi_index_cpu_spread(stream, &s, x, step, bytes, value, bytes);
    cpi_index_cpu_release(stream, &s);
    return code;
}

/* Where the coordinates of a selection go, and the current row of the innermost axis. */
typedef struct indices {
    const job *j;
    int64_t *out, across, along, inner, row, at[CP_MAXDIM];
    int last;
} indices;

/* Coordinates but the last change slowly: they are computed again once a row. */
static inline void find_row(indices *p, int64_t flat)
{
    if (p->row >= 0 && flat - p->row < 2 * p->inner) { /* the next one */
        p->row += p->inner;
        cpi_next(p->last, p->j->shape, p->at);
        return;
    }
    const int64_t rest = flat / p->inner;
    p->row = rest * p->inner;
    cpi_unravel(p->last, p->j->shape, rest, p->at);
}

/* Stores the positions of w's set bits, from `flat` on; the first of them is the k-th of all. Row by row, so that
 * little is computed for each. */
static void put_bits(indices *p, int64_t flat, uint64_t w, int64_t k)
{
    while (w) {
        const int64_t first = flat + __builtin_ctzll(w), along = p->along;
        if (p->row < 0 || first >= p->row + p->inner) find_row(p, first);
        const int64_t end = p->row + p->inner - flat, at = flat - p->row;
        uint64_t here = end < 64 ? w & (((uint64_t)1 << end) - 1) : w;
        int64_t *to = p->out + k * along, *last = to + p->last * p->across;
        int n = 0;
        w &= ~here;
        for (; here; here &= here - 1, n++) last[n * along] = at + __builtin_ctzll(here);
        for (int d = 0; d < p->last; d++, to += p->across) {
            const int64_t v = p->at[d];
            for (int i = 0; i < n; i++) to[i * along] = v;
        }
        k += n;
    }
}

/* n consecutive positions, the first of them the k-th of all. */
static void put_indexed(indices *p, int64_t flat, int64_t k, int64_t n)
{
    while (n > 0) {
        if (p->row < 0 || flat >= p->row + p->inner) find_row(p, flat);
        const int64_t left = p->row + p->inner - flat, m = n < left ? n : left, first = flat - p->row;
        int64_t *to = p->out + p->last * p->across + k;
        for (int d = 0; d < p->last; d++) {
            const int64_t v = p->at[d];
            for (int64_t i = 0; i < m; i++) p->out[d * p->across + k + i] = v;
        }
        for (int64_t i = 0; i < m; i++) to[i] = first + i;
        flat += m, k += m, n -= m;
    }
}

static void coordinates_task(void *context, int64_t task, int worker)
{
    enum { LONG = 8 };
    job *j = context;
    (void)worker;
    indices c = {.j = j, .out = (int64_t *)j->to, .across = j->points ? 1 : j->s->count,
                 .along = j->points ? j->ndim : 1, .last = j->ndim - 1, .inner = j->shape[j->ndim - 1], .row = -1};
    for (CHUNKS(p)) {
        const uint64_t *words = words_of(j->s, p);
        int64_t n = length(j->s, p), k = j->s->before[p];
        for (int64_t i = 0; i < n; i += 64) {
            uint64_t w = words[i / 64];
            if (!w) continue;
            const int64_t base = p * SEGMENT + i;
            const int set = __builtin_popcountll(w), runs = __builtin_popcountll(w & ~(w << 1));
            if (j->points || set < LONG * runs) {
                put_bits(&c, base, w, k);
                k += set;
                continue;
            }
            while (w) { /* one run of ones after the other */
                const int from = __builtin_ctzll(w);
                const uint64_t behind = ~(w >> from);
                const int ones = behind ? __builtin_ctzll(behind) : 64;
                put_indexed(&c, base + from, k, ones);
                k += ones;
                w = from + ones < 64 ? w & ~(uint64_t)0 << (from + ones) : 0;
            }
        }
    }
}

static void positions_task(void *context, int64_t task, int worker)
{
    job *j = context;
    (void)worker;
    for (CHUNKS(p))
        j->k->positions(words_of(j->s, p), length(j->s, p), p * SEGMENT, (int64_t *)j->to + j->s->before[p],
                        selected(j->s, p));
}

cp_code cpi_index_cpu_coordinates(cp_stream *stream, const cpi_selection *s, int ndim, const int64_t *shape,
                                  bool points, int64_t *out)
{
    (void)stream;
    job j = {.s = s, .ndim = ndim, .shape = shape, .points = points, .to = (char *)out};
    run_job(&j, ndim == 1 ? positions_task : coordinates_task);
    return CP_OK;
}

/* --- one value through a mask --- */

static void fill_task(void *context, int64_t task, int worker)
{
    job *j = context;
    (void)worker;
    for (CHUNKS(p))
        j->k->fill(j->to + p * SEGMENT * j->bytes, (const uint8_t *)j->condition + p * SEGMENT, length(j->s, p),
                   j->bytes, j->x);
}

cp_code cpi_index_cpu_fill(cp_stream *stream, char *x, const uint8_t *mask, int64_t n, int64_t bytes, const void *value)
{
    (void)stream;
    cpi_selection s = {.n = n};
    if (is_chunk(&s)) {
        CPI_BEST(cpi_index_kernels)->fill(x, mask, n, bytes, value);
        return CP_OK;
    }
    job j = {.s = &s, .condition = (const char *)mask, .to = x, .bytes = bytes, .x = value};
    run_job(&j, fill_task);
    return CP_OK;
}

/* --- rows --- */

/* Rows first..last-1 of one outer step; common sizes are compile-time constants. */
static inline __attribute__((always_inline)) void move_some(const cpi_rows *r, char *array, char *result, int64_t first,
                                                            int64_t last, size_t bytes, bool put)
{
    if (r->most) {
        for (int64_t i = first; i < last; i++) {
            if ((uint64_t)r->index[i] >= (uint64_t)r->most) continue; /* not even its address is computed */
            char *m = array + r->index[i] * r->step, *f = result + i * r->values_step;
            memcpy(put ? m : f, put ? f : m, bytes);
        }
        return;
    }
    if (r->step == (int64_t)bytes && r->values_step == (int64_t)bytes) { /* the addresses need no multiplication */
        for (int64_t i = first; i < last; i++) {
            char *m = array + r->index[i] * (int64_t)bytes, *f = result + i * (int64_t)bytes;
            memcpy(put ? m : f, put ? f : m, bytes);
        }
        return;
    }
    for (int64_t i = first; i < last; i++) {
        char *m = array + r->index[i] * r->step, *f = result + i * r->values_step;
        memcpy(put ? m : f, put ? f : m, bytes);
    }
}

static void rows_task(void *context, int64_t task, int worker, bool put)
{
    job *j = context;
    const cpi_rows *r = j->rows;
    (void)worker;
    int64_t at = task * j->per_task, end = at + j->per_task, all = r->outer * r->count;
    if (end > all) end = all;
    while (at < end) {
        int64_t o = at / r->count, first = at - o * r->count, last = r->count;
        if (last - first > end - at) last = first + (end - at);
        char *array = r->array + o * r->outer_step, *result = r->result + o * r->values_outer_step;
        switch (r->bytes) {
        case 1: move_some(r, array, result, first, last, 1, put); break;
        case 2: move_some(r, array, result, first, last, 2, put); break;
        case 4: move_some(r, array, result, first, last, 4, put); break;
        case 8: move_some(r, array, result, first, last, 8, put); break;
        case 16: move_some(r, array, result, first, last, 16, put); break;
        default: move_some(r, array, result, first, last, (size_t)r->bytes, put);
        }
        at += last - first;
    }
}
static void take_task(void *context, int64_t task, int worker) { rows_task(context, task, worker, false); }
static void put_task(void *context, int64_t task, int worker) { rows_task(context, task, worker, true); }

static cp_code move(const cpi_rows *r, cpi_task task)
{
    job j = {.rows = r};
    int64_t grain = 262144 / (r->bytes + 16);
    j.per_task = grain < 1 ? 1 : grain;
    cpi_parallel((r->outer * r->count + j.per_task - 1) / j.per_task, task, &j);
    return CP_OK;
}
cp_code cpi_index_cpu_take(cp_stream *stream, const cpi_rows *rows) { return (void)stream, move(rows, take_task); }
cp_code cpi_index_cpu_put(cp_stream *stream, const cpi_rows *rows) { return (void)stream, move(rows, put_task); }

cp_code cpi_index_cpu_repeat(cp_stream *stream, const int64_t *ends, int64_t n, int64_t total, int64_t *to)
{
    (void)stream;
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t end = ends[i] < total ? ends[i] : total; at < end; at++) to[at] = i;
    return CP_OK;
}

/* --- bits of bytes --- */

enum { BITS_GRAIN = 65536 /* bytes of a task; a multiple of 64 */ };

typedef struct packing {
    const cpi_index_kernels *k;
    const uint8_t *x;
    uint8_t *out;
    int64_t rows, n, some; /* rows of a task, where they are short */
    bool little;
} packing;

static void pack_task(void *context, int64_t task, int worker)
{
    const packing *p = context;
    const int64_t to = (p->n + 7) / 8, parts = (p->n + BITS_GRAIN - 1) / BITS_GRAIN;
    (void)worker;
    if (parts > 1) { /* of long rows */
        const int64_t row = task / parts, first = task % parts * BITS_GRAIN, left = p->n - first;
        p->k->pack(p->x + row * p->n + first, left < BITS_GRAIN ? left : BITS_GRAIN, p->little,
                   p->out + row * to + first / 8);
        return;
    }
    for (int64_t r = task * p->some; r < (task + 1) * p->some && r < p->rows; r++)
        p->k->pack(p->x + r * p->n, p->n, p->little, p->out + r * to);
}

cp_code cpi_index_cpu_pack(cp_stream *stream, const uint8_t *x, int64_t rows, int64_t n, bool little, uint8_t *out)
{
    (void)stream;
    packing p = {CPI_BEST(cpi_index_kernels), x, out, rows, n, 1, little};
    if (n % 8 == 0) p.n = n *= rows, p.rows = rows = 1; /* rows that end with whole bytes are joined to one */
    const int64_t parts = (n + BITS_GRAIN - 1) / BITS_GRAIN;
    if (parts == 1) p.some = BITS_GRAIN / n;
    cpi_parallel(parts > 1 ? rows * parts : (rows + p.some - 1) / p.some, pack_task, &p);
    return CP_OK;
}

static void unpack_task(void *context, int64_t task, int worker)
{
    const packing *p = context;
    const int64_t each = BITS_GRAIN / 8, first = task * each, left = p->n - first;
    (void)worker;
    p->k->unpack(p->x + first, left < each ? left : each, p->little, p->out + 8 * first);
}

cp_code cpi_index_cpu_unpack(cp_stream *stream, const uint8_t *x, int64_t n, bool little, uint8_t *out)
{
    (void)stream;
    packing p = {CPI_BEST(cpi_index_kernels), x, out, 1, n, 1, little};
    cpi_parallel((n + BITS_GRAIN / 8 - 1) / (BITS_GRAIN / 8), unpack_task, &p);
    return CP_OK;
}
