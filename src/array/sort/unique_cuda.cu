/* unique on the GPU. Keys are sorted, or order indices where these are asked for. The first of each run of equal keys
 * is marked, and a cumulative sum of the marks gives each value its index. The last sum, the number of values, is read
 * back; then the results are written. The range of integers is found first: those in a small range go through a table
 * (unique_table_cuda.cu), others are sorted only by the bits in which they differ. */
#include "sort/cuda.h"
#include "sort/unique_cuda.h"

template <class K>
static __global__ void mark_keys(cpi_keys k, int64_t n, const K *keys, bool make_same, bool apart, uint8_t *first)
{
    CPI_SORT_EACH(i, n) first[i] = cpi_begins_value(k, keys[i], i ? keys[i - 1] : 0, i == 0, make_same, apart);
}

template <class I>
static __global__ void mark_elements128(cpi_keys k, int64_t n, const void *from, const I *index, bool apart,
                                        uint8_t *first)
{
    CPI_SORT_EACH(i, n)
    {
        cpi_u128 key = cpi_element_key128(k, from, (int64_t)index[i]);
        cpi_u128 last = i ? cpi_element_key128(k, from, (int64_t)index[i - 1]) : 0;
        bool nan = cpi_ckey_nan128(&k, key), both = nan && cpi_ckey_nan128(&k, last);
        first[i] = i == 0 || (apart ? nan || key != last : !both && key != last);
    }
}

/* What the last kernel writes; pointers that are not wanted are NULL. */
typedef struct output {
    void *values;
    int64_t *index, *inverse, *start;
} output;

template <class K>
static __global__ void write_keys(cpi_keys k, int64_t n, uint64_t low, const K *keys, const uint8_t *first,
                                  const int64_t *position, output out)
{
    CPI_SORT_EACH(i, n)
    {
        if (!first[i]) continue;
        int64_t u = position[i] - 1;
        cpi_put_element(k, low + keys[i], out.values, u);
        if (out.start) out.start[u] = i;
    }
}

template <class I>
static __global__ void write_ordered(cpi_keys k, int64_t n, const void *from, const I *order, const uint8_t *first,
                                     const int64_t *position, output out)
{
    CPI_SORT_EACH(i, n)
    {
        int64_t u = position[i] - 1, at = (int64_t)order[i];
        if (out.inverse) out.inverse[at] = u;
        if (!first[i]) continue;
        cpi_copy_element(k, from, at, out.values, u);
        if (out.index) out.index[u] = at;
        if (out.start) out.start[u] = i;
    }
}

static __global__ void write_counts(int64_t count, int64_t n, const int64_t *start, int64_t *counts)
{
    CPI_SORT_EACH(u, count) counts[u] = (u + 1 < count ? start[u + 1] : n) - start[u];
}

cp_code cpi_cuda_starts_to_counts(cp_stream *stream, int64_t count, int64_t n, const int64_t *start, int64_t *counts)
{
    CPI_SORT_LAUNCH(write_counts, count)(count, n, start, counts);
    return CPI_LAUNCHED(stream, "unique");
}

/* The sorted row, in one of two forms. */
typedef struct sorted_row {
    cpi_keys k;
    const void *from;
    int64_t n;
    bool ordered; /* by index: `order` holds; else `keys` holds keys less `low`, `width` bytes wide */
    uint64_t low; /* smallest key of integers, 0 of other types */
    int bits, width;
    cpi_ordering order;
    void *memory, *keys;
} sorted_row;

template <class K> static __global__ void load_unique(cpi_keys k, int64_t n, uint64_t low, const void *from, K *keys)
{
    CPI_SORT_EACH(i, n) keys[i] = (K)(cpi_element_key(k, from, i, false) - low);
}

static cp_code sort_first(cp_stream *stream, sorted_row *s)
{
    if (s->ordered) {
        cp_code code = cpi_cuda_order(stream, "unique", &s->k, 1, s->n, s->from, s->low, s->bits, &s->order);
        s->memory = code == CP_OK ? s->order.memory : NULL;
        return code;
    }
    size_t bytes = cpi_round_up((size_t)(s->n * s->width), 512);
    s->memory = cpi_host->work_alloc(stream, 2 * bytes);
    if (!s->memory) return CP_ERROR_MEMORY;
    void *spare = (char *)s->memory + bytes;
    s->keys = s->memory;
    switch (s->width) {
    case 1:
        CPI_SORT_LAUNCH(load_unique, s->n)(s->k, s->n, s->low, s->from, (uint8_t *)s->keys);
        break;
    case 2:
        CPI_SORT_LAUNCH(load_unique, s->n)(s->k, s->n, s->low, s->from, (uint16_t *)s->keys);
        break;
    case 4:
        CPI_SORT_LAUNCH(load_unique, s->n)(s->k, s->n, s->low, s->from, (uint32_t *)s->keys);
        break;
    default:
        CPI_SORT_LAUNCH(load_unique, s->n)(s->k, s->n, s->low, s->from, (uint64_t *)s->keys);
        break;
    }
    cp_code code = CPI_LAUNCHED(stream, "unique");
    if (code != CP_OK) return code;
    return cpi_cub_sort_keys(stream, "unique", s->width, &s->keys, &spare, s->n, 0, s->bits);
}

static cp_code mark(cp_stream *stream, const sorted_row *s, bool apart, uint8_t *first)
{
    const cpi_ordering *o = &s->order;
    if (s->ordered && o->bytes == 4)
        CPI_SORT_LAUNCH(mark_keys, s->n)(s->k, s->n, (const uint32_t *)o->keys, false, apart, first);
    else if (s->ordered && o->bytes == 8)
        CPI_SORT_LAUNCH(mark_keys, s->n)(s->k, s->n, (const uint64_t *)o->keys, false, apart, first);
    else if (s->ordered && o->wide)
        CPI_SORT_LAUNCH(mark_elements128, s->n)(s->k, s->n, s->from, (const int64_t *)o->index, apart, first);
    else if (s->ordered)
        CPI_SORT_LAUNCH(mark_elements128, s->n)(s->k, s->n, s->from, (const uint32_t *)o->index, apart, first);
    else if (s->width == 1)
        CPI_SORT_LAUNCH(mark_keys, s->n)(s->k, s->n, (const uint8_t *)s->keys, true, apart, first);
    else if (s->width == 2)
        CPI_SORT_LAUNCH(mark_keys, s->n)(s->k, s->n, (const uint16_t *)s->keys, true, apart, first);
    else if (s->width == 4)
        CPI_SORT_LAUNCH(mark_keys, s->n)(s->k, s->n, (const uint32_t *)s->keys, true, apart, first);
    else
        CPI_SORT_LAUNCH(mark_keys, s->n)(s->k, s->n, (const uint64_t *)s->keys, true, apart, first);
    return CPI_LAUNCHED(stream, "unique");
}

static cp_code write(cp_stream *stream, const sorted_row *s, const uint8_t *first, const int64_t *position, output out)
{
    const cpi_ordering *o = &s->order;
    if (s->ordered && o->wide)
        CPI_SORT_LAUNCH(write_ordered, s->n)(s->k, s->n, s->from, (const int64_t *)o->index, first, position, out);
    else if (s->ordered)
        CPI_SORT_LAUNCH(write_ordered, s->n)(s->k, s->n, s->from, (const uint32_t *)o->index, first, position, out);
    else if (s->width == 1)
        CPI_SORT_LAUNCH(write_keys, s->n)(s->k, s->n, s->low, (const uint8_t *)s->keys, first, position, out);
    else if (s->width == 2)
        CPI_SORT_LAUNCH(write_keys, s->n)(s->k, s->n, s->low, (const uint16_t *)s->keys, first, position, out);
    else if (s->width == 4)
        CPI_SORT_LAUNCH(write_keys, s->n)(s->k, s->n, s->low, (const uint32_t *)s->keys, first, position, out);
    else
        CPI_SORT_LAUNCH(write_keys, s->n)(s->k, s->n, s->low, (const uint64_t *)s->keys, first, position, out);
    return CPI_LAUNCHED(stream, "unique");
}

static cp_code finish(cp_stream *stream, cpi_unique *q, const sorted_row *s, const uint8_t *first,
                      const int64_t *position)
{
    int64_t count = 0, *start = NULL;
    cp_code code = cpi_cuda_read(stream, &count, position + s->n - 1, sizeof count);
    if (code == CP_OK) code = q->sized(q, count);
    if (code != CP_OK) return code;
    if (q->counts && !(start = (int64_t *)cpi_host->work_alloc(stream, (size_t)count * sizeof *start)))
        return CP_ERROR_MEMORY;
    output out = {q->values, q->index, q->inverse, start};
    code = write(stream, s, first, position, out);
    if (code == CP_OK && q->counts) code = cpi_cuda_starts_to_counts(stream, count, s->n, start, q->counts);
    cpi_host->work_free(stream, start);
    return code;
}

/* Elements up to which the table is tried before the range is known: below that a wait costs more than the table. */
enum { TRIED = 1 << 24 };

/* The range of the keys, which decides the method; `done` where the range was small already. 8 and 16 bits are not
 * read: their range is always small. */
static cp_code look(cp_stream *stream, cpi_unique *q, sorted_row *s, int64_t most, uint64_t *high, bool *done)
{
    cp_code code;
    *done = false;
    s->bits = s->k.bytes >= 8 ? 64 : 8 * s->k.bytes;
    s->width = s->k.bytes;
    *high = s->k.bytes >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << s->bits) - 1;
    if (s->k.zero_add || s->k.bytes <= 2) return CP_OK;
    if (q->n <= TRIED && !q->want_index && !q->want_counts)
        code = cpi_cuda_unique_near(stream, &s->k, q, most, &s->low, high, done);
    else
        code = cpi_cuda_key_range(stream, "unique", &s->k, s->n, s->from, &s->low, high);
    if (code != CP_OK || *done) return code;
    for (s->bits = 1; s->bits < 64 && (*high - s->low) >> s->bits;) s->bits++;
    if (s->bits <= 32) s->width = 4;
    return CP_OK;
}

cp_code cpi_sort_cuda_unique(cp_stream *stream, cpi_unique *q)
{
    sorted_row s = {};
    uint64_t high;
    /* a table of as many values costs less than a sort; one with counts of half as many */
    const int64_t capacity = q->want_counts || q->want_index ? q->n / 2 : q->n,
                  most = capacity > 1024 ? capacity : 1024;
    bool done;
    s.k = cpi_keys_of(q->type);
    s.from = q->from;
    s.n = q->n;
    s.ordered = q->want_index || q->inverse || s.k.bytes == 16;
    if (q->n <= CPI_UNIQUE_SMALL && !s.ordered && !q->want_counts) return cpi_cuda_unique_small(stream, &s.k, q);
    cp_code code = look(stream, q, &s, most, &high, &done);
    if (code != CP_OK || done) return code;
    if (!s.k.zero_add && high - s.low < (uint64_t)most)
        return cpi_cuda_unique_table(stream, &s.k, q, s.low, (int64_t)(high - s.low) + 1);
    code = sort_first(stream, &s);
    uint8_t *first = NULL;
    int64_t *position = NULL;
    if (code == CP_OK) {
        first = (uint8_t *)cpi_host->work_alloc(stream, (size_t)s.n);
        position = first ? (int64_t *)cpi_host->work_alloc(stream, (size_t)s.n * sizeof *position) : NULL;
        if (!position) code = CP_ERROR_MEMORY;
    }
    if (code == CP_OK) code = mark(stream, &s, q->distinct_nan, first);
    if (code == CP_OK) code = cpi_cuda_sum_marks(stream, {NULL, first}, position, s.n);
    if (code == CP_OK) code = finish(stream, q, &s, first, position);
    cpi_host->work_free(stream, position);
    cpi_host->work_free(stream, first);
    cpi_host->work_free(stream, s.memory);
    return code;
}
