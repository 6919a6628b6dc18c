/* unique of rows on the CPU: row numbers are sorted by the rows' keys, 64 bits of them at a time from the front.
 *
 * The keys (keys.h, in the form that is equal for equal values) of a row are read as a string of chunks of 64 bits:
 * eight bytes, two float32s, one float64, half a complex128. A run is a stretch of `order` whose rows are equal in
 * all chunks before some chunk c; it is sorted by the first chunk in which not all of its rows agree, and so falls
 * into runs that are equal in one chunk more. What a run has in common is found by comparing each of its rows with
 * its first: a long common prefix is read once, not once for each comparison of a sort.
 *
 * Invariants. Equal rows stand in `order` in the order of their numbers. first[i] is 1 where row order[i] is known
 * to differ from order[i - 1]; within a run it is 0 but for the run's beginning. Long runs are worked on by all
 * threads one after the other, short ones by one task each; of the runs that a run falls into, all but the longest
 * are recursed into, so the depth is logarithmic. */
#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "sort/cpu.h"
#include "sort/sort.h"

enum {
    SHORT = 1 << 14,      /* rows of a run that one task sorts by itself */
    TINY = 8,             /* rows that are sorted by comparing them whole */
    GRAIN = 1 << 13,      /* rows of a task, at most; fewer where rows are long: */
    TASK_BYTES = 1 << 18, /* bytes of a task, about */
    ALONE = 1 << 22       /* bytes up to which a short run is not shared between threads */
};

typedef struct table {
    cpi_unique *request;
    cpi_keys keys;
    const cpi_sort_width *by; /* sorts (chunk, row number) as one integer of 128 bits */
    const char *from;
    int64_t n, row_bytes, chunks, grain;
    int64_t each, parts; /* tasks over all rows */
    int64_t *order;      /* row numbers */
    uint8_t *first;      /* 1 where a row differs from the one before */
    int64_t *before;     /* [parts + 1]: values that begin before a part */
} table;

static inline const char *row_at(const table *t, int64_t row) { return t->from + row * t->row_bytes; }

/* --- chunks --- */

/* Keys of the m elements whose bytes are `u`, the first one uppermost. */
static inline uint64_t keys_of(const cpi_keys *k, uint64_t u, int m)
{
    uint64_t keys = 0;
    switch (k->bytes) {
    case 1: /* integers: keys differ from elements in the sign bit */
        if (!k->zero_add) return __builtin_bswap64(u ^ k->positive * 0x0101010101010101u) >> (64 - 8 * m);
        for (int i = 0; i < m; i++) keys = keys << 8 | cpi_same8(k, cpi_key8(k, (uint8_t)(u >> 8 * i)));
        return keys;
    case 2:
        for (int i = 0; i < m; i++) keys = keys << 16 | cpi_same16(k, cpi_key16(k, (uint16_t)(u >> 16 * i)));
        return keys;
    case 4:
        keys = cpi_same32(k, cpi_key32(k, (uint32_t)u));
        return m == 1 ? keys : keys << 32 | cpi_same32(k, cpi_key32(k, (uint32_t)(u >> 32)));
    default:
        return k->complex_parts ? cpi_csame64(k, cpi_ckey64(k, u)) : cpi_same64(k, cpi_key64(k, u));
    }
}

static inline uint64_t chunk_of(const table *t, const char *row, int64_t c)
{
    if (t->keys.bytes == 16) {
        cpi_u128 u;
        memcpy(&u, row + c / 2 * 16, sizeof u);
        u = cpi_csame128(&t->keys, cpi_ckey128(&t->keys, u));
        return (uint64_t)(c % 2 ? u : u >> 64);
    }
    int64_t left = t->row_bytes - 8 * c;
    uint64_t u = 0;
    if (left >= 8)
        memcpy(&u, row + 8 * c, 8);
    else
        memcpy(&u, row + 8 * c, (size_t)left);
    return keys_of(&t->keys, u, (int)((left < 8 ? left : 8) / t->keys.bytes));
}

/* The first chunk from c to end - 1 in which two rows differ, else end. Equal bits need no keys. */
static inline int64_t differ(const table *t, const char *a, const char *b, int64_t c, int64_t end)
{
    const int64_t whole = t->row_bytes / 8;
    for (; c < end; c++) {
        uint64_t u, v;
        if (c < whole) {
            memcpy(&u, a + 8 * c, 8);
            memcpy(&v, b + 8 * c, 8);
            if (u == v && (t->keys.bytes != 16 || memcmp(a + c / 2 * 16, b + c / 2 * 16, 16) == 0)) continue;
        }
        if (chunk_of(t, a, c) != chunk_of(t, b, c)) return c;
    }
    return end;
}

/* The first chunk from c on in which not all of the rows agree; it is looked for below `end` only. */
static int64_t common(const table *t, const int64_t *order, int64_t n, int64_t c, int64_t end, const char *with)
{
    for (int64_t i = 0; i < n && end > c; i++) end = differ(t, with, row_at(t, order[i]), c, end);
    return end;
}

/* --- short runs --- */

static void sort_pair(const table *t, int64_t *order, uint8_t *first, int64_t c)
{
    const char *a = row_at(t, order[0]), *b = row_at(t, order[1]);
    c = differ(t, a, b, c, t->chunks);
    if (c == t->chunks) return;
    first[1] = 1;
    if (chunk_of(t, a, c) < chunk_of(t, b, c)) return;
    int64_t row = order[0];
    order[0] = order[1];
    order[1] = row;
}

static bool behind(const table *t, int64_t row, int64_t other, int64_t c)
{
    const char *a = row_at(t, row), *b = row_at(t, other);
    c = differ(t, a, b, c, t->chunks);
    return c < t->chunks && chunk_of(t, a, c) > chunk_of(t, b, c);
}

static void insert(const table *t, int64_t *order, uint8_t *first, int64_t n, int64_t c)
{
    for (int64_t i = 1; i < n; i++) {
        int64_t row = order[i], j = i;
        for (; j > 0 && behind(t, order[j - 1], row, c); j--) order[j] = order[j - 1];
        order[j] = row;
    }
    for (int64_t i = 1; i < n; i++)
        first[i] = differ(t, row_at(t, order[i - 1]), row_at(t, order[i]), c, t->chunks) < t->chunks;
}

static int64_t run_end(const uint8_t *first, int64_t i, int64_t n)
{
    for (i++; i < n && !first[i];) i++;
    return i;
}

/* Sorts a run by chunk c. Rows that agree in it keep their order, which is that of their numbers. */
static void sort_by_chunk(const table *t, int64_t *order, uint8_t *first, int64_t n, int64_t c, cpi_u128 *scratch)
{
    for (int64_t i = 0; i < n; i++)
        scratch[i] = (cpi_u128)chunk_of(t, row_at(t, order[i]), c) << 64 | (uint64_t)order[i];
    t->by->sort(scratch, n, scratch + n);
    order[0] = (int64_t)scratch[0];
    for (int64_t i = 1; i < n; i++) {
        order[i] = (int64_t)scratch[i];
        first[i] = (uint64_t)(scratch[i] >> 64) != (uint64_t)(scratch[i - 1] >> 64);
    }
}

static void sort_run(const table *t, int64_t *order, uint8_t *first, int64_t n, int64_t c, cpi_u128 *scratch)
{
    while (n > 2 && c < t->chunks) {
        c = common(t, order + 1, n - 1, c, t->chunks, row_at(t, order[0]));
        if (c == t->chunks) return;
        if (n <= TINY) {
            insert(t, order, first, n, c);
            return;
        }
        sort_by_chunk(t, order, first, n, c++, scratch);
        if (c == t->chunks) return;
        int64_t most = 0, at = 0;
        for (int64_t i = 0, j; i < n; i = j) {
            j = run_end(first, i, n);
            if (j - i > most) most = j - i, at = i;
        }
        for (int64_t i = 0, j; i < n; i = j) {
            j = run_end(first, i, n);
            if (j - i > 1 && i != at) sort_run(t, order + i, first + i, j - i, c, scratch);
        }
        order += at;
        first += at;
        n = most;
    }
    if (n == 2 && c < t->chunks) sort_pair(t, order, first, c);
}

static size_t scratch_bytes(int64_t rows)
{
    return ((size_t)(2 * rows + CPI_SORT_SLACK) * sizeof(cpi_u128) + 63) / 64 * 64;
}

/* --- long runs --- */

typedef struct run {
    const table *t;
    int64_t *order; /* of the run */
    uint8_t *first;
    int64_t n, c, each, parts;
    uint64_t *chunk; /* chunk c of each row */
    int64_t *position; /* the run's order by chunk c; the order itself where the run is all rows */
    int64_t *starts; /* [parts + 1]: where a part's tasks begin; before that each part's common chunks */
    char *scratch;   /* of each worker */
} run;

static int64_t part_end(const run *r, int64_t task)
{
    return (task + 1) * r->each < r->n ? (task + 1) * r->each : r->n;
}

static void common_part(void *context, int64_t task, int worker)
{
    (void)worker;
    const run *r = context;
    int64_t lo = task * r->each;
    r->starts[task] =
        common(r->t, r->order + lo, part_end(r, task) - lo, r->c, r->t->chunks, row_at(r->t, r->order[0]));
}

static void load_part(void *context, int64_t task, int worker)
{
    (void)worker;
    const run *r = context;
    for (int64_t i = task * r->each, end = part_end(r, task); i < end; i++)
        r->chunk[i] = chunk_of(r->t, row_at(r->t, r->order[i]), r->c);
}

static void mark_part(void *context, int64_t task, int worker)
{
    (void)worker;
    const run *r = context;
    int64_t lo = task * r->each;
    for (int64_t i = lo ? lo : 1, end = part_end(r, task); i < end; i++)
        r->first[i] = r->chunk[r->position[i]] != r->chunk[r->position[i - 1]];
}

static void look_up_part(void *context, int64_t task, int worker)
{
    (void)worker;
    const run *r = context;
    for (int64_t i = task * r->each, end = part_end(r, task); i < end; i++) r->position[i] = r->order[r->position[i]];
}

static void put_back_part(void *context, int64_t task, int worker)
{
    (void)worker;
    const run *r = context;
    int64_t lo = task * r->each;
    memcpy(r->order + lo, r->position + lo, (size_t)(part_end(r, task) - lo) * sizeof *r->order);
}

static cp_code split_by_chunk(cp_stream *stream, run *r)
{
    bool all = r->n == r->t->n; /* nothing has been sorted yet: places are row numbers */
    cp_code code = CP_ERROR_MEMORY;
    r->chunk = cpi_work_alloc(stream, (size_t)r->n * sizeof *r->chunk);
    r->position = all ? r->order : r->chunk ? cpi_work_alloc(stream, (size_t)r->n * sizeof *r->position) : NULL;
    if (r->chunk && r->position) {
        cpi_parallel(r->parts, load_part, r);
        code = cpi_sort_cpu_argsort(stream, CP_UINT64, 1, r->n, r->chunk, r->position);
    }
    if (code == CP_OK) {
        cpi_parallel(r->parts, mark_part, r);
        if (!all) cpi_parallel(r->parts, look_up_part, r);
        if (!all) cpi_parallel(r->parts, put_back_part, r);
    }
    if (!all) cpi_work_free(stream, r->position);
    cpi_work_free(stream, r->chunk);
    return code;
}

static void short_runs(void *context, int64_t task, int worker)
{
    const run *r = context;
    cpi_u128 *scratch = (cpi_u128 *)(r->scratch + (size_t)worker * scratch_bytes(r->n < SHORT ? r->n : SHORT));
    for (int64_t i = r->starts[task], end = r->starts[task + 1], j; i < end; i = j) {
        j = run_end(r->first, i, end);
        if (j - i > 1 && j - i <= SHORT) sort_run(r->t, r->order + i, r->first + i, j - i, r->c, scratch);
    }
}

/* A task takes the runs that begin in its part: found beforehand, since tasks change marks. */
static cp_code sort_short_runs(cp_stream *stream, run *r)
{
    r->scratch = cpi_work_alloc(stream, (size_t)cpi_workers() * scratch_bytes(r->n < SHORT ? r->n : SHORT));
    if (!r->scratch) return CP_ERROR_MEMORY;
    r->starts[0] = 0;
    r->starts[r->parts] = r->n;
    for (int64_t p = 1; p < r->parts; p++) {
        const uint8_t *lo = r->first + p * r->each, *at = memchr(lo, 1, (size_t)(r->n - p * r->each));
        r->starts[p] = at ? at - r->first : r->n;
    }
    cpi_parallel(r->parts, short_runs, r);
    cpi_work_free(stream, r->scratch);
    return CP_OK;
}

/* One turn: a long run falls into others, of which the short ones are sorted. r->c: what the long ones have in
 * common now. */
static cp_code split_run(cp_stream *stream, run *r)
{
    r->parts = cpi_cut(r->n, r->t->grain, &r->each);
    r->starts = cpi_work_alloc(stream, (size_t)(r->parts + 1) * sizeof *r->starts);
    if (!r->starts) return CP_ERROR_MEMORY;
    cpi_parallel(r->parts, common_part, r);
    int64_t c = r->t->chunks;
    for (int64_t p = 0; p < r->parts; p++) c = r->starts[p] < c ? r->starts[p] : c;
    r->c = c;
    cp_code code = CP_OK;
    if (c < r->t->chunks) {
        code = split_by_chunk(stream, r);
        if (++r->c < r->t->chunks && code == CP_OK) code = sort_short_runs(stream, r);
    }
    cpi_work_free(stream, r->starts);
    return code;
}

/* The next run of more than SHORT rows from i on, and its end; n: none. Looks at one mark in SHORT or so. */
static int64_t next_long(const uint8_t *first, int64_t i, int64_t n, int64_t *end)
{
    while (n - i > SHORT) {
        int64_t last = i + SHORT;
        while (last > i && !first[last]) last--;
        if (last == i) {
            const uint8_t *at = memchr(first + i + SHORT, 1, (size_t)(n - i - SHORT));
            *end = at ? at - first : n;
            return i;
        }
        i = last;
    }
    return *end = n;
}

static cp_code sort_long_run(cp_stream *stream, const table *t, int64_t *order, uint8_t *first, int64_t n, int64_t c)
{
    for (;;) {
        run r = {.t = t, .order = order, .first = first, .n = n, .c = c};
        cp_code code = split_run(stream, &r);
        if (code != CP_OK || r.c == t->chunks) return code;
        int64_t most = 0, at = 0;
        for (int64_t j, i = next_long(first, 0, n, &j); i < n; i = next_long(first, j, n, &j))
            if (j - i > most) most = j - i, at = i;
        for (int64_t j, i = next_long(first, 0, n, &j); i < n; i = next_long(first, j, n, &j)) {
            if (i == at) continue;
            code = sort_long_run(stream, t, order + i, first + i, j - i, r.c);
            if (code != CP_OK) return code;
        }
        if (most == 0) return CP_OK;
        order += at;
        first += at;
        n = most;
        c = r.c;
    }
}

static void number_part(void *context, int64_t task, int worker)
{
    (void)worker;
    const table *t = context;
    int64_t lo = task * t->each, hi = lo + t->each < t->n ? lo + t->each : t->n;
    for (int64_t i = lo; i < hi; i++) t->order[i] = i;
    memset(t->first + lo, 0, (size_t)(hi - lo));
}

static cp_code sort_rows(cp_stream *stream, table *t)
{
    cpi_parallel(t->parts, number_part, t);
    t->first[0] = 1;
    if (t->n > SHORT || t->n > ALONE / t->row_bytes) return sort_long_run(stream, t, t->order, t->first, t->n, 0);
    cpi_u128 *scratch = cpi_work_alloc(stream, scratch_bytes(t->n));
    if (!scratch) return CP_ERROR_MEMORY;
    sort_run(t, t->order, t->first, t->n, 0, scratch);
    cpi_work_free(stream, scratch);
    return CP_OK;
}

/* --- the result --- */

static bool holds_nan(const table *t, const char *row)
{
    const cpi_keys *k = &t->keys;
    int64_t part = k->complex_parts ? k->bytes / 2 : k->bytes, parts = t->row_bytes / part;
    bool found = false;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    for (int64_t i = 0; i < parts; i++, row += part) {
        if (part == 1)
            found |= cpi_key_nan8(k, cpi_key8(k, *(const uint8_t *)row));
        else if (part == 2)
            found |= cpi_key_nan16(k, cpi_key16(k, (memcpy(&u16, row, 2), u16)));
        else if (part == 4)
            found |= cpi_key_nan32(k, cpi_key32(k, (memcpy(&u32, row, 4), u32)));
        else
            found |= cpi_key_nan64(k, cpi_key64(k, (memcpy(&u64, row, 8), u64)));
    }
    return found;
}

/* Counts the values of a part, and parts equal rows that hold NaNs. */
static void count_part(void *context, int64_t task, int worker)
{
    (void)worker;
    const table *t = context;
    int64_t lo = task * t->each, hi = lo + t->each < t->n ? lo + t->each : t->n, found = 0;
    bool looked = false, apart = false; /* at the rows that are equal to the last one */
    for (int64_t i = lo; i < hi; i++) {
        if (t->first[i]) {
            looked = false;
        } else {
            if (!looked) apart = t->keys.zero_add && holds_nan(t, row_at(t, t->order[i]));
            looked = true;
            t->first[i] = apart;
        }
        found += t->first[i];
    }
    t->before[task + 1] = found;
}

static void write_part(void *context, int64_t task, int worker)
{
    (void)worker;
    const table *t = context;
    cpi_unique *q = t->request;
    int64_t lo = task * t->each, hi = lo + t->each < t->n ? lo + t->each : t->n, u = t->before[task];
    for (int64_t i = lo; i < hi; i++) {
        int64_t row = t->order[i];
        if (t->first[i]) {
            memcpy((char *)q->values + u * t->row_bytes, row_at(t, row), (size_t)t->row_bytes);
            if (q->index) q->index[u] = row;
            if (q->counts) q->counts[u] = i;
            u++;
        }
        if (q->inverse) q->inverse[row] = u - 1;
    }
}

static cp_code write_rows(table *t)
{
    cpi_unique *q = t->request;
    cpi_parallel(t->parts, count_part, t);
    t->before[0] = 0;
    for (int64_t p = 0; p < t->parts; p++) t->before[p + 1] += t->before[p];
    int64_t count = t->before[t->parts];
    cp_code code = q->sized(q, count);
    if (code != CP_OK) return code;
    cpi_parallel(t->parts, write_part, t);
    if (q->counts) cpi_cpu_starts_to_counts(q->counts, count, t->n);
    return CP_OK;
}

cp_code cpi_sort_cpu_unique_rows(cp_stream *stream, cpi_unique *request)
{
    table t = {.request = request,
               .keys = cpi_keys_of(request->type),
               .by = &cpi_cpu_sort_kernels()->width[2],
               .from = request->from,
               .n = request->n};
    t.row_bytes = request->width * t.keys.bytes;
    t.chunks = t.row_bytes / 8 + (t.row_bytes % 8 != 0);
    t.grain = TASK_BYTES / t.row_bytes < GRAIN ? TASK_BYTES / t.row_bytes + 1 : GRAIN;
    t.parts = cpi_cut(t.n, t.grain, &t.each);
    cp_code code = CP_ERROR_MEMORY;
    if ((t.first = cpi_work_alloc(stream, (size_t)t.n)) &&
        (t.before = cpi_work_alloc(stream, (size_t)(t.parts + 1) * sizeof *t.before)) &&
        (t.order = cpi_work_alloc(stream, (size_t)t.n * sizeof *t.order))) {
        code = sort_rows(stream, &t);
        if (code == CP_OK) code = write_rows(&t);
    }
    cpi_work_free(stream, t.first);
    cpi_work_free(stream, t.before);
    cpi_work_free(stream, t.order);
    return code;
}
