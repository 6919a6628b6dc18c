/* unique of integers that lie close together, on the CPU: a table over all values between the smallest and the
 * largest instead of a sort. Every part of the input has its own table; they are added in order. */
#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "sort/cpu.h"
#include "sort/sort.h"

enum { BLOCK = 1024, PARTS = 4, MIN_N = 256, MIN_RANGE = 1024 };

typedef struct table {
    cpi_unique *request;
    cpi_keys keys;
    const cpi_sort_kernels *kernels;
    int64_t n, each, parts, range;
    uint64_t low, high;
    uint64_t part_low[PARTS], part_high[PARTS];
    int64_t *counts; /* [parts][range]; at the end, in the first: places among the distinct values */
    int64_t *first;  /* [parts][range]: first occurrence, where the count is not 0; or NULL */
} table;

/* Calls for each block of keys of a part: `each_block` uses at, m and key(i). */
#define KEY_AT(i) (narrow ? ((const uint32_t *)block)[i] : block[i])
#define FOR_BLOCKS(t, task)                                                                                            \
    uint64_t block[BLOCK];                                                                                             \
    bool narrow = (t)->keys.bytes <= 4;                                                                                \
    int64_t end_ = ((task) + 1) * (t)->each < (t)->n ? ((task) + 1) * (t)->each : (t)->n;                              \
    for (int64_t at = (task) * (t)->each, m; at < end_ && (m = load_block(t, at, end_, block)); at += m)

static int64_t load_block(const table *t, int64_t at, int64_t end, uint64_t *block)
{
    int64_t m = end - at < BLOCK ? end - at : BLOCK;
    t->kernels->load(&t->keys, (const char *)t->request->from + at * t->keys.bytes, block, m);
    return m;
}

static void find_range(void *context, int64_t task, int worker)
{
    (void)worker;
    table *t = context;
    uint64_t low = ~(uint64_t)0, high = 0;
    FOR_BLOCKS(t, task)
    {
        if (narrow) {
            const uint32_t *k = (const uint32_t *)block;
            for (int64_t i = 0; i < m; i++) low = k[i] < low ? k[i] : low, high = k[i] > high ? k[i] : high;
        } else {
            for (int64_t i = 0; i < m; i++)
                low = block[i] < low ? block[i] : low, high = block[i] > high ? block[i] : high;
        }
    }
    t->part_low[task] = low;
    t->part_high[task] = high;
}

/* True when the table is worth it. A look at the first elements spares most inputs the whole pass. */
static bool close_together(table *t)
{
    uint64_t most = (uint64_t)(t->n / 8 > MIN_RANGE ? t->n / 8 : MIN_RANGE), low = ~(uint64_t)0, high = 0;
    table look = *t;
    look.n = look.each = t->n < BLOCK ? t->n : BLOCK;
    find_range(&look, 0, 0);
    if (look.part_high[0] - look.part_low[0] >= most) return false;
    cpi_parallel(t->parts, find_range, t);
    for (int64_t p = 0; p < t->parts; p++) {
        if (t->part_low[p] < low) low = t->part_low[p];
        if (t->part_high[p] > high) high = t->part_high[p];
    }
    t->low = low;
    t->high = high;
    t->range = (int64_t)(high - low) + 1;
    return high - low < most;
}

/* A key's place in a table: any, where another thread wrote the key after its range was found. */
static inline uint64_t position_of(uint64_t key, uint64_t low, uint64_t range)
{
    return key - low < range ? key - low : 0;
}

static void count_part(void *context, int64_t task, int worker)
{
    (void)worker;
    const table *t = context;
    const uint64_t low = t->low, range = (uint64_t)t->range;
    int64_t *counts = t->counts + task * t->range, *first = t->first ? t->first + task * t->range : NULL;
    memset(counts, 0, (size_t)t->range * sizeof *counts);
    FOR_BLOCKS(t, task)
    {
        for (int64_t i = 0; i < m; i++) {
            uint64_t at_key = position_of(KEY_AT(i), low, range);
            if (first && counts[at_key] == 0) first[at_key] = at + i;
            counts[at_key]++;
        }
    }
}

static void write_inverse(void *context, int64_t task, int worker)
{
    (void)worker;
    const table *t = context;
    const uint64_t low = t->low, range = (uint64_t)t->range;
    const int64_t *indices = t->counts;
    FOR_BLOCKS(t, task)
    {
        int64_t *inverse = t->request->inverse + at;
        for (int64_t i = 0; i < m; i++) inverse[i] = indices[position_of(KEY_AT(i), low, range)];
    }
}

/* Adds the parts' tables into the first; returns the number of distinct values. */
static int64_t add_parts(const table *t)
{
    int64_t found = 0;
    for (int64_t p = 1; p < t->parts; p++)
        for (int64_t k = 0; k < t->range; k++) {
            int64_t count = t->counts[p * t->range + k];
            if (count && t->first && t->counts[k] == 0) t->first[k] = t->first[p * t->range + k];
            t->counts[k] += count;
        }
    for (int64_t k = 0; k < t->range; k++) found += t->counts[k] != 0;
    return found;
}

static void write_values(const table *t)
{
    cpi_unique *q = t->request;
    for (int64_t k = 0, u = 0; k < t->range; k++) {
        if (!t->counts[k]) continue;
        uint64_t key = t->low + (uint64_t)k;
        t->kernels->store(&t->keys, &key, (char *)q->values + u * t->keys.bytes,
                          1); /* little endian: narrow keys too */
        if (q->index) q->index[u] = t->first[k];
        if (q->counts) q->counts[u] = t->counts[k];
        t->counts[k] = u++;
    }
}

bool cpi_cpu_unique_table(cp_stream *stream, cpi_unique *request, cp_code *code)
{
    table t = {
        .request = request, .keys = cpi_keys_of(request->type), .kernels = cpi_cpu_sort_kernels(), .n = request->n};
    if (t.keys.zero_add || t.n < MIN_N) return false; /* not integers, or too few */
    t.parts = t.n < 1 << 16 ? 1 : PARTS;
    t.each = (t.n + t.parts - 1) / t.parts;
    if (!close_together(&t)) return false;
    size_t bytes = (size_t)(t.parts * t.range) * sizeof *t.counts;
    *code = CP_ERROR_MEMORY;
    if ((t.counts = cpi_work_alloc(stream, bytes)) &&
        (!request->want_index || (t.first = cpi_work_alloc(stream, bytes)))) {
        cpi_parallel(t.parts, count_part, &t);
        *code = request->sized(request, add_parts(&t));
        if (*code == CP_OK) write_values(&t);
        if (*code == CP_OK && request->inverse) cpi_parallel(t.parts, write_inverse, &t);
    }
    cpi_work_free(stream, t.first);
    cpi_work_free(stream, t.counts);
    return true;
}
