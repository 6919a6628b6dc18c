/* Sorting rows on the CPU.
 *
 * Three ways: bytes, and long rows of 16 bits, are counted; rows that fit a cache are turned into keys, sorted
 * and turned back, many rows at a time; a long row is dealt into groups by splitters from a sample, chunk by
 * chunk, then each group is collected from the chunks and sorted. The sorted sequence of keys is unique, so the
 * result does not depend on how the work was cut. */
#include <string.h>

#include "backend/device.h"
#include "cpu/features.h"
#include "cpu/threads.h"
#include "sort/cpu.h"
#include "sort/sort.h"

enum {
    LONG_ROW = 1 << 16,    /* from here on a row is dealt into groups */
    GROUP = 1 << 14,       /* keys of one group, at least */
    CHUNK_BYTES = 1 << 18, /* keys that are dealt at a time: they and their scratch fit the second cache */
    SAMPLE = 4096,
    TASK = 1 << 15 /* elements of a task, about */
};

const cpi_sort_kernels *cpi_cpu_sort_kernels(void) { return CPI_BEST(cpi_sort_kernels); }

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
    short_rows s = {.from = from,
                    .to = to,
                    .keys = keys,
                    .rows = rows,
                    .n = n,
                    .item = keys.bytes,
                    .key_bytes = cpi_key_bytes(&keys)};
    s.in_place = s.item == s.key_bytes && (uintptr_t)to % (uintptr_t)s.key_bytes == 0;
    s.rows_each = n >= TASK ? 1 : TASK / n;
    int64_t tasks = (rows + s.rows_each - 1) / s.rows_each, workers = cpi_workers();
    if (workers > tasks) workers = tasks > 1 ? workers : 1;
    s.work_bytes = ((s.in_place ? 1 : 2) * (n + CPI_SORT_SLACK) * s.key_bytes + 63) / 64 * 64;
    s.work = cpi_work_alloc(stream, (size_t)(workers * s.work_bytes));
    if (!s.work) return cp_error();
    if (tasks == 1)
        sort_rows(&s, 0, 0);
    else
        cpi_parallel(tasks, sort_rows, &s);
    cpi_work_free(stream, s.work);
    return CP_OK;
}

/* --- one long row --- */

typedef struct long_row {
    const char *from;
    char *to, *parts, *work; /* parts: the keys, each chunk dealt into groups */
    cpi_keys keys;
    const cpi_sort_kernels *kernels;
    const cpi_sort_width *width;
    int64_t n, item, key_bytes, each, chunks, work_bytes;
    bool in_place;
    int groups;
    int64_t *counts; /* [chunks][CPI_SORT_GROUPS] */
    int64_t start[CPI_SORT_GROUPS + 1];
    cpi_u128 splitters[CPI_SORT_GROUPS]; /* keys of key_bytes */
} long_row;

/* Splitters from a sorted sample, all different. */
static cp_code choose_splitters(cp_stream *stream, long_row *r)
{
    int64_t kb = r->key_bytes, step = r->n / SAMPLE;
    char *keys = cpi_work_alloc(stream, (size_t)((3 * SAMPLE + CPI_SORT_SLACK) * kb));
    if (!keys) return cp_error();
    char *sample = keys + SAMPLE * kb, *scratch = sample + SAMPLE * kb, *splitters = (char *)r->splitters;
    for (int64_t i = 0; i < SAMPLE; i++) {
        int64_t at = i * step + (int64_t)((uint64_t)i * 0x9E3779B97F4A7C15u >> 33) % step;
        memcpy(sample + i * r->item, r->from + at * r->item, (size_t)r->item);
    }
    r->kernels->load(&r->keys, sample, keys, SAMPLE);
    r->width->sort(keys, SAMPLE, scratch);
    int64_t wanted = r->n / GROUP < 2 ? 2 : r->n / GROUP < CPI_SORT_GROUPS ? r->n / GROUP : CPI_SORT_GROUPS;
    int found = 0;
    for (int64_t g = 1; g < wanted; g++) {
        const char *key = keys + g * SAMPLE / wanted * kb;
        if (found && memcmp(splitters + (found - 1) * kb, key, (size_t)kb) == 0) continue;
        memcpy(splitters + found++ * kb, key, (size_t)kb);
    }
    r->groups = found + 1;
    cpi_work_free(stream, keys);
    return CP_OK;
}

static void bin_chunk(void *context, int64_t task, int worker)
{
    const long_row *r = context;
    int64_t lo = task * r->each, m = r->n - lo < r->each ? r->n - lo : r->each;
    char *keys = r->parts + lo * r->key_bytes;
    r->kernels->load(&r->keys, r->from + lo * r->item, keys, m);
    r->width->three_way(keys, m, r->splitters, r->groups, r->counts + task * CPI_SORT_GROUPS,
                        r->work + worker * r->work_bytes);
}

/* Collects a group from all chunks, sorts it, and stores its elements. Here counts hold where pieces begin. */
static void sort_group(void *context, int64_t group, int worker)
{
    const long_row *r = context;
    int64_t kb = r->key_bytes, lo = r->start[group], m = r->start[group + 1] - lo, got = 0;
    char *scratch = r->work + worker * r->work_bytes, *to = r->to + lo * r->item;
    char *keys = r->in_place ? to : scratch + (m + CPI_SORT_SLACK) * kb;
    for (int64_t c = 0; c < r->chunks; c++) {
        const int64_t *begin = r->counts + c * CPI_SORT_GROUPS + group;
        int64_t end = (c + 1) * r->each < r->n ? (c + 1) * r->each : r->n;
        int64_t chunk = (group + 1 < r->groups ? begin[1] : end) - begin[0];
        memcpy(keys + got * kb, r->parts + begin[0] * kb, (size_t)(chunk * kb));
        got += chunk;
    }
    r->width->sort(keys, m, scratch);
    r->kernels->store(&r->keys, keys, to, m);
}

/* Turns counts into places in parts; returns the size of the largest group. */
static int64_t sum_counts(long_row *r)
{
    int64_t most = 0;
    memset(r->start, 0, sizeof r->start);
    for (int64_t c = 0; c < r->chunks; c++) {
        int64_t at = c * r->each, *counts = r->counts + c * CPI_SORT_GROUPS;
        for (int g = 0; g < r->groups; g++) {
            int64_t chunk = counts[g];
            counts[g] = at;
            at += chunk;
            r->start[g + 1] += chunk;
        }
    }
    for (int g = 0; g < r->groups; g++) {
        if (r->start[g + 1] > most) most = r->start[g + 1];
        r->start[g + 1] += r->start[g];
    }
    return most;
}

/* Scratch for every worker: `items` keys. */
static cp_code work_for(cp_stream *stream, long_row *r, int64_t items)
{
    cpi_work_free(stream, r->work);
    r->work_bytes = ((items + 2 * CPI_SORT_SLACK) * r->key_bytes + 63) / 64 * 64;
    r->work = cpi_work_alloc(stream, (size_t)(cpi_workers() * r->work_bytes));
    return r->work ? CP_OK : CP_ERROR_MEMORY;
}

static cp_code bin_and_sort(cp_stream *stream, long_row *r)
{
    cp_code code = choose_splitters(stream, r);
    if (code == CP_OK) code = work_for(stream, r, 2 * r->each);
    if (code != CP_OK) return code;
    cpi_parallel(r->chunks, bin_chunk, r);
    int64_t most = sum_counts(r);
    code = work_for(stream, r, (r->in_place ? 1 : 2) * most);
    if (code == CP_OK) cpi_parallel(r->groups, sort_group, r);
    return code;
}

static cp_code sort_long_row(cp_stream *stream, cpi_keys keys, int64_t n, const void *from, void *to)
{
    long_row r = {.from = from,
                  .to = to,
                  .keys = keys,
                  .n = n,
                  .item = keys.bytes,
                  .key_bytes = cpi_key_bytes(&keys),
                  .kernels = cpi_cpu_sort_kernels()};
    r.in_place = r.item == r.key_bytes && (uintptr_t)to % (uintptr_t)r.key_bytes == 0;
    r.width = &r.kernels->width[cpi_sort_width_of(&keys)];
    r.each = CHUNK_BYTES / r.key_bytes;
    r.chunks = (n + r.each - 1) / r.each;
    cp_code code = CP_ERROR_MEMORY;
    r.parts = cpi_work_alloc(stream, (size_t)(n * r.key_bytes));
    if (r.parts) r.counts = cpi_work_alloc(stream, (size_t)(r.chunks * CPI_SORT_GROUPS) * sizeof *r.counts);
    if (r.counts) code = bin_and_sort(stream, &r);
    cpi_work_free(stream, r.parts);
    cpi_work_free(stream, r.counts);
    cpi_work_free(stream, r.work);
    return code;
}

/* --- the slot --- */

cp_code cpi_sort_cpu_sort(cp_stream *stream, cp_type type, int64_t rows, int64_t n, const void *from, void *to)
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
