/* unique on the CPU: sort (or argsort, where indices are asked for), mark the first of each run of equal
 * values, count, then write. Invariant: marks and counts are per part of the sorted row, cut by size alone. */
#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "sort/cpu.h"
#include "sort/sort.h"

enum { BLOCK = 512, GRAIN = 1 << 15 };

typedef struct distinct {
    cpi_unique *request;
    cpi_keys keys;
    const cpi_sort_kernels *kernels;
    int64_t n, each, parts;
    char *sorted;    /* elements */
    int64_t *order;  /* where they were, or NULL */
    uint8_t *first;  /* 1 where a value begins */
    int64_t *before; /* [parts + 1]: values that begin before a part */
    int64_t *start;  /* where each value begins, or NULL */
} distinct;

static void part_of(const distinct *d, int64_t task, int64_t *lo, int64_t *hi)
{
    *lo = task * d->each;
    *hi = *lo + d->each < d->n ? *lo + d->each : d->n;
}

static void gather_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const distinct *d = context;
    int64_t lo, hi;
    part_of(d, task, &lo, &hi);
    const char *from = d->request->from;
    switch (d->keys.bytes) {
#define CASE(bytes, type)                                                                                              \
    case bytes:                                                                                                        \
        for (int64_t i = lo; i < hi; i++) memcpy(d->sorted + i * bytes, from + d->order[i] * bytes, bytes);            \
        break
        CASE(1, uint8_t);
        CASE(2, uint16_t);
        CASE(4, uint32_t);
        CASE(8, uint64_t);
        CASE(16, cpi_u128);
#undef CASE
    default:
        break;
    }
}

/* Marks where values begin in m sorted keys; keys[-1] is the key before, except at the very beginning. */
#define MARK(KEY, is_nan)                                                                                              \
    for (int64_t i = 0; i < m; i++) {                                                                                  \
        KEY key = ((const KEY *)keys)[i + 1], last = ((const KEY *)keys)[i];                                           \
        bool nan = is_nan(&d->keys, key), both = nan && is_nan(&d->keys, last);                                        \
        first[i] = apart ? nan || key != last : !both && key != last;                                                  \
    }
static bool int_nan(const cpi_keys *k, uint64_t key)
{
    (void)k;
    (void)key;
    return false;
}

static void mark(const distinct *d, const void *keys, int64_t m, uint8_t *first)
{
    bool apart = d->request->distinct_nan;
    if (d->keys.complex_parts && d->keys.bytes == 8) {
        MARK(uint64_t, cpi_ckey_nan64)
    } else if (d->keys.complex_parts) {
        MARK(cpi_u128, cpi_ckey_nan128)
    } else if (!d->keys.zero_add && d->keys.bytes == 8) {
        MARK(uint64_t, int_nan)
    } else if (!d->keys.zero_add) {
        MARK(uint32_t, int_nan)
    } else if (d->keys.bytes == 1) {
        MARK(uint32_t, cpi_key_nan8)
    } else if (d->keys.bytes == 2) {
        MARK(uint32_t, cpi_key_nan16)
    } else if (d->keys.bytes == 4) {
        MARK(uint32_t, cpi_key_nan32)
    } else {
        MARK(uint64_t, cpi_key_nan64)
    }
}

static void mark_part(void *context, int64_t task, int worker)
{
    (void)worker;
    const distinct *d = context;
    cpi_u128 space[BLOCK + 1];
    int64_t lo, hi, found = 0, key_bytes = cpi_key_bytes(&d->keys);
    part_of(d, task, &lo, &hi);
    for (int64_t at = lo, m; at < hi; at += m) {
        m = hi - at < BLOCK ? hi - at : BLOCK;
        int64_t lead = at > 0; /* the key before the block is loaded with it */
        char *keys = (char *)space + (lead ? 0 : key_bytes);
        if (!lead) memset(space, 0, (size_t)key_bytes);
        d->kernels->load(&d->keys, d->sorted + (at - lead) * d->keys.bytes, keys, m + lead);
        d->kernels->same(&d->keys, keys, m + lead);
        mark(d, space, m, d->first + at);
        if (!lead) d->first[0] = 1;
        for (int64_t i = 0; i < m; i++) found += d->first[at + i];
    }
    d->before[task + 1] = found;
}

static void write_part(void *context, int64_t task, int worker)
{
    (void)worker;
    const distinct *d = context;
    cpi_unique *q = d->request;
    int64_t lo, hi, u = d->before[task], bytes = d->keys.bytes;
    part_of(d, task, &lo, &hi);
    for (int64_t i = lo; i < hi; i++) {
        if (d->first[i]) {
            memcpy((char *)q->values + u * bytes, d->sorted + i * bytes, (size_t)bytes);
            if (q->index) q->index[u] = d->order[i];
            if (q->counts) q->counts[u] = i;
            u++;
        }
        if (q->inverse) q->inverse[d->order[i]] = u - 1;
    }
}

/* Values and their starts: the common cases. */
#define WRITE(T)                                                                                                       \
    {                                                                                                                  \
        const T *sorted = (const T *)d->sorted;                                                                        \
        T *to = (T *)d->request->values + d->before[task];                                                             \
        T *end = (T *)d->request->values + d->before[task + 1];                                                        \
        for (int64_t i = lo; !start && to < end; i++) {                                                                \
            *to = sorted[i];                                                                                           \
            to += d->first[i];                                                                                         \
        }                                                                                                              \
        for (int64_t i = lo; to < end; i++) {                                                                          \
            *to = sorted[i];                                                                                           \
            *start = i;                                                                                                \
            to += d->first[i];                                                                                         \
            start += d->first[i];                                                                                      \
        }                                                                                                              \
    }
static void write_values(void *context, int64_t task, int worker)
{
    (void)worker;
    const distinct *d = context;
    int64_t lo, hi, *start = d->request->counts ? d->request->counts + d->before[task] : NULL;
    part_of(d, task, &lo, &hi);
    switch (d->keys.bytes) {
    case 1:
        WRITE(uint8_t) break;
    case 2:
        WRITE(uint16_t) break;
    case 4:
        WRITE(uint32_t) break;
    case 8:
        WRITE(uint64_t) break;
    default:
        WRITE(cp_complex128) break;
    }
}

static cp_code sort_first(cp_stream *stream, distinct *d)
{
    cpi_unique *q = d->request;
    if (!d->order) return cpi_sort_cpu_sort(stream, q->type, 1, d->n, q->from, d->sorted);
    cp_code code = cpi_sort_cpu_argsort(stream, q->type, 1, d->n, q->from, d->order);
    if (code == CP_OK) cpi_parallel(d->parts, gather_task, d);
    return code;
}

static cp_code mark_and_write(cp_stream *stream, distinct *d)
{
    cpi_unique *q = d->request;
    cp_code code = sort_first(stream, d);
    if (code != CP_OK) return code;
    cpi_parallel(d->parts, mark_part, d);
    d->before[0] = 0;
    for (int64_t t = 0; t < d->parts; t++) d->before[t + 1] += d->before[t];
    int64_t count = d->before[d->parts];
    if ((code = q->sized(q, count)) != CP_OK) return code;
    cpi_parallel(d->parts, d->order ? write_part : write_values, d);
    if (q->counts) cpi_cpu_starts_to_counts(q->counts, count, d->n);
    return CP_OK;
}

cp_code cpi_sort_cpu_unique(cp_stream *stream, cpi_unique *request)
{
    distinct d = {
        .request = request, .keys = cpi_keys_of(request->type), .kernels = cpi_cpu_sort_kernels(), .n = request->n};
    bool indices = request->want_index || request->inverse;
    d.parts = cpi_cut(d.n, GRAIN, &d.each);
    cp_code code = CP_ERROR_MEMORY;
    if (cpi_cpu_unique_table(stream, request, &code)) return code;
    if ((d.sorted = cpi_work_alloc(stream, (size_t)(d.n * d.keys.bytes))) &&
        (d.first = cpi_work_alloc(stream, (size_t)d.n)) &&
        (d.before = cpi_work_alloc(stream, (size_t)(d.parts + 1) * sizeof *d.before)) &&
        (!indices || (d.order = cpi_work_alloc(stream, (size_t)d.n * sizeof *d.order))))
        code = mark_and_write(stream, &d);
    cpi_work_free(stream, d.sorted);
    cpi_work_free(stream, d.first);
    cpi_work_free(stream, d.before);
    cpi_work_free(stream, d.order);
    return code;
}
