/* Sorting rows on the CPU.
 *
 * Three ways: bytes, and long rows of 16 bits, are counted; rows that fit a cache are turned into keys, sorted
 * and turned back, many rows at a time; a long row is first dealt into buckets of keys by splitters from a
 * sample, then its buckets are sorted as rows are. The sorted sequence of keys is unique, so the result does
 * not depend on how the work was cut. */
#include <string.h>

#include "backend/device.h"
#include "cpu/features.h"
#include "cpu/threads.h"
#include "sort/cpu.h"
#include "sort/sort.h"

enum {
    LONG_ROW = 1 << 16,   /* from here on a row is dealt into buckets */
    BUCKET = 1 << 14,     /* keys of one bucket, about */
    BUCKETS = 1024,
    BLOCK = 1024,         /* elements turned into keys at a time */
    SAMPLE = 8192,
    TASK = 1 << 15,       /* elements of a task, about */
    CHUNKS = 64           /* parts of a long row that are counted and dealt apart */
};

const cpi_sort_kernels *cpi_cpu_sort_kernels(void)
{
    return CPI_BEST(cpi_sort_kernels);
}

/* --- counting --- */

typedef struct counting {
    const unsigned char *from;
    unsigned char *to;
    cpi_keys keys;
    int64_t rows, n, rows_each, each, chunks;
    int64_t *counts; /* [chunks][65536], then summed into the first */
} counting;

static void count_bytes(const counting *c, const unsigned char *from, unsigned char *to)
{
    int64_t at[4][256] = {{0}}, i = 0;
    for (; i + 4 <= c->n; i += 4) {
        at[0][from[i]]++;
        at[1][from[i + 1]]++;
        at[2][from[i + 2]]++;
        at[3][from[i + 3]]++;
    }
    for (; i < c->n; i++) at[0][from[i]]++;
    for (int key = 0; key < 256; key++) {
        unsigned char v = cpi_unkey8(&c->keys, (uint8_t)key);
        int64_t count = at[0][v] + at[1][v] + at[2][v] + at[3][v];
        if (count) memset(to, v, (size_t)count);
        to += count;
    }
}

static void count_byte_rows(void *context, int64_t task, int worker)
{
    (void)worker;
    const counting *c = context;
    int64_t end = (task + 1) * c->rows_each < c->rows ? (task + 1) * c->rows_each : c->rows;
    for (int64_t r = task * c->rows_each; r < end; r++) count_bytes(c, c->from + r * c->n, c->to + r * c->n);
}

static void count_words(void *context, int64_t task, int worker)
{
    (void)worker;
    const counting *c = context;
    int64_t *counts = c->counts + task * 65536;
    const uint16_t *from = (const uint16_t *)c->from;
    int64_t end = (task + 1) * c->each < c->n ? (task + 1) * c->each : c->n;
    memset(counts, 0, 65536 * sizeof *counts);
    for (int64_t i = task * c->each; i < end; i++) counts[from[i]]++;
}

/* Task t writes the keys 4096*t up to 4096*(t+1). */
static void write_words(void *context, int64_t task, int worker)
{
    (void)worker;
    const counting *c = context;
    uint16_t *to = (uint16_t *)c->to;
    for (int64_t key = 0; key < task * 4096; key++) to += c->counts[cpi_unkey16(&c->keys, (uint16_t)key)];
    for (int64_t key = task * 4096; key < (task + 1) * 4096; key++) {
        uint16_t v = cpi_unkey16(&c->keys, (uint16_t)key);
        for (int64_t i = c->counts[v]; i > 0; i--) *to++ = v;
    }
}

static cp_code count_long_words(cp_stream *stream, counting *c)
{
    c->chunks = c->n < 1 << 20 ? 1 : c->n < 1 << 22 ? 4 : 16;
    c->each = (c->n + c->chunks - 1) / c->chunks;
    c->counts = cpi_work_alloc(stream, (size_t)c->chunks * 65536 * sizeof *c->counts);
    if (!c->counts) return cp_error();
    cpi_parallel(c->chunks, count_words, c);
    for (int64_t t = 1; t < c->chunks; t++)
        for (int v = 0; v < 65536; v++) c->counts[v] += c->counts[t * 65536 + v];
    cpi_parallel(16, write_words, c);
    cpi_work_free(stream, c->counts);
    return CP_OK;
}

/* --- rows that fit a cache --- */

typedef struct short_rows {
    const char *from;
    char *to, *work;
    cpi_keys keys;
    int64_t rows, n, rows_each, item, key_bytes, work_bytes;
    bool in_place; /* keys are as wide as elements, and `to` is aligned for them */
} short_rows;

static void sort_rows(void *context, int64_t task, int worker)
{
    const short_rows *s = context;
    const cpi_sort_kernels *kernels = cpi_cpu_sort_kernels();
    const cpi_sort_width *width = &kernels->width[cpi_sort_width_of(&s->keys)];
    char *scratch = s->work + worker * s->work_bytes, *own = scratch + (s->n + CPI_SORT_SLACK) * s->key_bytes;
    int64_t end = (task + 1) * s->rows_each < s->rows ? (task + 1) * s->rows_each : s->rows;
    for (int64_t r = task * s->rows_each; r < end; r++) {
        char *to = s->to + r * s->n * s->item, *keys = s->in_place ? to : own;
        kernels->load(&s->keys, s->from + r * s->n * s->item, keys, s->n);
        width->sort(keys, s->n, scratch);
        kernels->store(&s->keys, keys, to, s->n);
    }
}

static cp_code sort_short_rows(cp_stream *stream, cpi_keys keys, int64_t rows, int64_t n, const void *from, void *to)
{
    short_rows s = {.from = from, .to = to, .keys = keys, .rows = rows, .n = n, .item = keys.bytes,
                    .key_bytes = cpi_key_bytes(&keys)};
    s.in_place = s.item == s.key_bytes && (uintptr_t)to % (uintptr_t)s.key_bytes == 0;
    s.rows_each = n >= TASK ? 1 : TASK / n;
    int64_t tasks = (rows + s.rows_each - 1) / s.rows_each, workers = cpi_workers();
    if (workers > tasks) workers = tasks > 1 ? workers : 1;
    s.work_bytes = ((s.in_place ? 1 : 2) * (n + CPI_SORT_SLACK) * s.key_bytes + 63) / 64 * 64;
    s.work = cpi_work_alloc(stream, (size_t)(workers * s.work_bytes));
    if (!s.work) return cp_error();
    if (tasks == 1) sort_rows(&s, 0, 0);
    else cpi_parallel(tasks, sort_rows, &s);
    cpi_work_free(stream, s.work);
    return CP_OK;
}

/* --- one long row --- */

typedef struct long_row {
    const char *from;
    char *to, *parts, *scratch;  /* parts: all keys, dealt into buckets */
    cpi_keys keys;
    const cpi_sort_kernels *kernels;
    const cpi_sort_width *width;
    int64_t n, item, key_bytes, each, chunks, scratch_bytes;
    int64_t *offsets;            /* [chunks][buckets] */
    int64_t start[BUCKETS + 1];
    cpi_splitter splitter;
} long_row;

static cpi_u128 key_at(const long_row *r, const void *keys, int64_t i)
{
    if (r->key_bytes == 4) return ((const uint32_t *)keys)[i];
    if (r->key_bytes == 8) return ((const uint64_t *)keys)[i];
    return ((const cpi_u128 *)keys)[i];
}

/* Splitters from a sorted sample. The table covers the sample but its outermost parts, so that a few far
 * values do not put all the others into one cell. */
static cp_code choose_splitters(cp_stream *stream, long_row *r)
{
    enum { OUTER = SAMPLE / 256 };
    char *work = cpi_work_alloc(stream, (size_t)((3 * SAMPLE + CPI_SORT_SLACK) * r->key_bytes));
    if (!work) return cp_error();
    char *picked = work + SAMPLE * r->key_bytes, *scratch = picked + SAMPLE * r->key_bytes;
    int64_t step = r->n / SAMPLE;
    for (int64_t i = 0; i < SAMPLE; i++) {
        int64_t at = i * step + (int64_t)((uint64_t)i * 0x9E3779B97F4A7C15u >> 33) % step;
        memcpy(picked + i * r->item, r->from + at * r->item, (size_t)r->item);
    }
    r->kernels->load(&r->keys, picked, work, SAMPLE);
    r->width->sort(work, SAMPLE, scratch);
    cpi_splitter *s = &r->splitter;
    s->low = key_at(r, work, OUTER);
    cpi_u128 range = key_at(r, work, SAMPLE - 1 - OUTER) - s->low;
    for (s->shift = 0; (range >> s->shift) >= CPI_SORT_CELLS - 1;) s->shift++;
    int64_t wanted = r->n / BUCKET < BUCKETS ? r->n / BUCKET : BUCKETS, next = 0, seen = 0;
    int bucket = 0;
    for (int64_t cell = 0; cell < CPI_SORT_CELLS; cell++) {
        int64_t before = seen;
        for (; seen < SAMPLE; seen++) {
            cpi_u128 key = key_at(r, work, seen), of = key <= s->low ? 0 : (key - s->low) >> s->shift;
            if (of > (cpi_u128)cell && cell < CPI_SORT_CELLS - 1) break;
        }
        /* a cell with much in it, and the one behind it, begin buckets of their own */
        if ((seen - next >= SAMPLE / wanted || seen - before >= SAMPLE / wanted) && before > next && bucket < BUCKETS - 1) {
            bucket++;
            next = before;
        }
        s->table[cell] = (uint16_t)bucket;
    }
    s->buckets = bucket + 1;
    cpi_work_free(stream, work);
    return CP_OK;
}

/* Keys of elements lo.. in a block on the stack. */
static int64_t load_block(const long_row *r, int64_t lo, int64_t hi, cpi_u128 *block)
{
    int64_t m = hi - lo < BLOCK ? hi - lo : BLOCK;
    r->kernels->load(&r->keys, r->from + lo * r->item, block, m);
    return m;
}

static void count_chunk(void *context, int64_t task, int worker)
{
    (void)worker;
    const long_row *r = context;
    cpi_u128 block[BLOCK];
    int64_t hi = (task + 1) * r->each < r->n ? (task + 1) * r->each : r->n;
    int64_t *counts = r->offsets + task * r->splitter.buckets;
    memset(counts, 0, (size_t)r->splitter.buckets * sizeof *counts);
    for (int64_t lo = task * r->each, m; lo < hi; lo += m) {
        m = load_block(r, lo, hi, block);
        r->width->count(&r->splitter, block, m, counts);
    }
}

static void deal_chunk(void *context, int64_t task, int worker)
{
    (void)worker;
    const long_row *r = context;
    cpi_u128 block[BLOCK];
    int64_t hi = (task + 1) * r->each < r->n ? (task + 1) * r->each : r->n;
    for (int64_t lo = task * r->each, m; lo < hi; lo += m) {
        m = load_block(r, lo, hi, block);
        r->width->scatter(&r->splitter, block, m, r->offsets + task * r->splitter.buckets, r->parts);
    }
}

static void sort_bucket(void *context, int64_t task, int worker)
{
    const long_row *r = context;
    int64_t lo = r->start[task], m = r->start[task + 1] - lo;
    char *keys = r->parts + lo * r->key_bytes;
    r->width->sort(keys, m, r->scratch + worker * r->scratch_bytes);
    r->kernels->store(&r->keys, keys, r->to + lo * r->item, m);
}

/* Turns counts into offsets; returns the largest bucket. */
static int64_t sum_counts(long_row *r)
{
    int64_t sum = 0, most = 0;
    for (int b = 0; b < r->splitter.buckets; b++) {
        r->start[b] = sum;
        for (int64_t t = 0; t < r->chunks; t++) {
            int64_t *at = &r->offsets[t * r->splitter.buckets + b], c = *at;
            *at = sum;
            sum += c;
        }
        if (sum - r->start[b] > most) most = sum - r->start[b];
    }
    r->start[r->splitter.buckets] = sum;
    return most;
}

static cp_code deal_and_sort(cp_stream *stream, long_row *r)
{
    cp_code code = choose_splitters(stream, r);
    if (code != CP_OK) return code;
    r->offsets = cpi_work_alloc(stream, (size_t)(r->chunks * r->splitter.buckets) * sizeof *r->offsets);
    if (!r->offsets) return cp_error();
    cpi_parallel(r->chunks, count_chunk, r);
    int64_t most = sum_counts(r);
    r->scratch_bytes = ((most + CPI_SORT_SLACK) * r->key_bytes + 63) / 64 * 64;
    r->scratch = cpi_work_alloc(stream, (size_t)(cpi_workers() * r->scratch_bytes));
    if (!r->scratch) return cp_error();
    cpi_parallel(r->chunks, deal_chunk, r);
    cpi_parallel(r->splitter.buckets, sort_bucket, r);
    return CP_OK;
}

static cp_code sort_long_row(cp_stream *stream, cpi_keys keys, int64_t n, const void *from, void *to)
{
    long_row *r = cpi_work_alloc(stream, sizeof *r);
    if (!r) return cp_error();
    memset(r, 0, offsetof(long_row, start));
    r->from = from;
    r->to = to;
    r->keys = keys;
    r->n = n;
    r->item = keys.bytes;
    r->key_bytes = cpi_key_bytes(&keys);
    r->kernels = cpi_cpu_sort_kernels();
    r->width = &r->kernels->width[cpi_sort_width_of(&keys)];
    r->each = n / CHUNKS < TASK ? TASK : (n + CHUNKS - 1) / CHUNKS;
    r->chunks = (n + r->each - 1) / r->each;
    cp_code code = CP_ERROR_MEMORY;
    r->parts = cpi_work_alloc(stream, (size_t)(n * r->key_bytes));
    if (r->parts) code = deal_and_sort(stream, r);
    cpi_work_free(stream, r->parts);
    cpi_work_free(stream, r->offsets);
    cpi_work_free(stream, r->scratch);
    cpi_work_free(stream, r);
    return code;
}

/* --- the slot --- */

cp_code cpi_cpu_sort(cp_stream *stream, cp_type type, int64_t rows, int64_t n, const void *from, void *to)
{
    cpi_keys keys = cpi_keys_of(type);
    if (n == 1) {
        if (from != to) memcpy(to, from, (size_t)(rows * keys.bytes));
        return CP_OK;
    }
    if (keys.bytes == 1 && n >= 64) {
        counting c = {.from = from, .to = to, .keys = keys, .rows = rows, .n = n};
        c.rows_each = n >= TASK ? 1 : TASK / n;
        cpi_parallel((rows + c.rows_each - 1) / c.rows_each, count_byte_rows, &c);
        return CP_OK;
    }
    bool words = keys.bytes == 2 && n >= 1 << 18, is_long = n >= LONG_ROW && (rows < 8 || n >= 1 << 22);
    if (!words && !is_long) return sort_short_rows(stream, keys, rows, n, from, to);
    for (int64_t r = 0; r < rows; r++) {
        const char *row = (const char *)from + r * n * keys.bytes;
        char *dst = (char *)to + r * n * keys.bytes;
        counting c = {.from = (const unsigned char *)row, .to = (unsigned char *)dst, .keys = keys, .rows = 1, .n = n};
        cp_code code = words ? count_long_words(stream, &c) : sort_long_row(stream, keys, n, row, dst);
        if (code != CP_OK) return code;
    }
    return CP_OK;
}
