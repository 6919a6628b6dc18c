/* unique of rows on the GPU. The keys of a row are read as a string of chunks of 64 bits (as on the CPU). The leading
 * chunks that all rows share are found first. Where few are left, row numbers are sorted by each of them, the last one
 * first (stable radix passes). Where many are left, they are sorted by a stable merge sort, which carries the first
 * chunk along and reads the rows only where it is equal. Then as for elements: marks, their cumulative sum, the count,
 * which is read back, and the results. Rows of many chunks are marked by a warp each. */
#include "sort/cuda.h"
#include "sort/unique_cuda.h"
#include "sort/unique_rows.cuh"

#define FEW_CHUNKS 4   /* up to so many radix sorts, each of all rows */
#define SHORT_CHUNKS 8 /* rows up to this length are marked by one thread */

static __device__ __forceinline__ bool is_nan(const cpi_row_table &t, int64_t i)
{
    if (t.k.bytes == 16) return cpi_ckey_nan128(&t.k, cpi_element_key128(t.k, t.from, i));
    uint64_t key = cpi_element_key(t.k, t.from, i, false);
    return t.k.complex_parts ? cpi_ckey_nan64(&t.k, key) : key > t.k.last;
}

/* Kernels with one warp per item: the items i of a thread's warp, and a grid for n of them. */
#define WARPS (CPI_SORT_THREADS / 32)
#define LAUNCH_WARPS(kernel, n)                                                                                        \
    kernel<<<cpi_cuda_blocks(n, 4 * WARPS, 1 << 16), CPI_SORT_THREADS, 0, cpi_cuda_stream(stream)>>>
#define EACH_BY(LANES, i, n)                                                                                           \
    for (int64_t i = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) / (LANES); i < (n);                              \
         i += (int64_t)gridDim.x * blockDim.x / (LANES))

/* --- the common prefix of all rows --- */

/* *found: the first chunk in which a row differs from row 0; begins as all ones. */
static __global__ void find_common(cpi_row_table t, unsigned long long *found)
{
    const int lane = threadIdx.x % 32;
    EACH_BY(32, row, t.n)
    {
        for (int64_t c = 0; c < t.chunks; c += 32) {
            unsigned long long limit = lane == 0 ? *(volatile unsigned long long *)found : 0;
            if ((unsigned long long)c >= __shfl_sync(0xFFFFFFFFu, limit, 0)) break;
            bool differs = c + lane < t.chunks && cpi_row_chunk(t, row, c + lane) != cpi_row_chunk(t, 0, c + lane);
            unsigned which = __ballot_sync(0xFFFFFFFFu, differs);
            if (!which) continue;
            if (lane == 0) atomicMin(found, (unsigned long long)(c + __ffs((int)which) - 1));
            break;
        }
    }
}

static cp_code common_chunks(cp_stream *stream, const cpi_row_table *t, int64_t *common)
{
    unsigned long long found = 0;
    unsigned long long *device = (unsigned long long *)cpi_host->work_alloc(stream, sizeof found);
    if (!device) return CP_ERROR_MEMORY;
    cp_code code =
        cpi_cuda_issued(stream, cudaMemsetAsync(device, 0xFF, sizeof found, cpi_cuda_stream(stream)), "unique");
    if (code == CP_OK) {
        LAUNCH_WARPS(find_common, t->n)(*t, device);
        code = CPI_LAUNCHED(stream, "unique");
    }
    if (code == CP_OK) code = cpi_cuda_read(stream, &found, device, sizeof found);
    cpi_host->work_free(stream, device);
    *common = found < (unsigned long long)t->chunks ? (int64_t)found : t->chunks;
    return code;
}

/* --- few chunks --- */

template <class I> static __global__ void number_rows(int64_t n, I *index) { CPI_SORT_EACH(i, n) index[i] = (I)i; }

template <class I> static __global__ void load_chunk(cpi_row_table t, int64_t c, const I *index, uint64_t *keys)
{
    CPI_SORT_EACH(i, t.n) keys[i] = cpi_row_chunk(t, (int64_t)index[i], c);
}

template <class I> static __global__ void store_order(int64_t n, const I *index, int64_t *order)
{
    CPI_SORT_EACH(i, n) order[i] = (int64_t)index[i];
}

static int chunk_bits(const cpi_row_table *t, int64_t c)
{
    if (t->k.bytes == 16) return 64;
    int64_t left = t->width - c * t->each;
    return (int)(left < t->each ? left : t->each) * t->k.bytes * 8;
}

/* Sorts row numbers by chunks c..chunks-1. */
template <class I> static cp_code sort_by_chunks(cp_stream *stream, const cpi_row_table *t, int64_t c, int64_t *order)
{
    const size_t key_bytes = cpi_round_up((size_t)t->n * sizeof(uint64_t), 512),
                 index_bytes = cpi_round_up((size_t)t->n * sizeof(I), 512);
    char *memory = (char *)cpi_host->work_alloc(stream, 2 * (key_bytes + index_bytes));
    if (!memory) return CP_ERROR_MEMORY;
    void *keys = memory, *keys2 = memory + key_bytes, *index = memory + 2 * key_bytes,
         *index2 = (char *)index + index_bytes;
    CPI_SORT_LAUNCH(number_rows, t->n)(t->n, (I *)index);
    cp_code code = CPI_LAUNCHED(stream, "unique");
    for (int64_t at = t->chunks; code == CP_OK && at-- > c;) {
        CPI_SORT_LAUNCH(load_chunk, t->n)(*t, at, (const I *)index, (uint64_t *)keys);
        code = CPI_LAUNCHED(stream, "unique");
        if (code == CP_OK)
            code = cpi_cub_sort_pairs(stream, "unique", 8, sizeof(I) == 8, &keys, &keys2, &index, &index2, t->n, 0,
                                      chunk_bits(t, at));
    }
    if (code == CP_OK) {
        CPI_SORT_LAUNCH(store_order, t->n)(t->n, (const I *)index, order);
        code = CPI_LAUNCHED(stream, "unique");
    }
    cpi_host->work_free(stream, memory);
    return code;
}

/* --- many chunks --- */

static __global__ void load_items(cpi_row_table t, int64_t c, cpi_row_item *items)
{
    CPI_SORT_EACH(i, t.n)
    {
        items[i].chunk = cpi_row_chunk(t, i, c);
        items[i].row = i;
    }
}

static __global__ void store_items(int64_t n, const cpi_row_item *items, int64_t *order)
{
    CPI_SORT_EACH(i, n) order[i] = items[i].row;
}

/* Sorts row numbers by chunks c..chunks-1. */
static cp_code sort_by_rows(cp_stream *stream, const cpi_row_table *t, int64_t c, int64_t *order)
{
    cpi_row_item *items = (cpi_row_item *)cpi_host->work_alloc(stream, (size_t)t->n * sizeof *items);
    if (!items) return CP_ERROR_MEMORY;
    CPI_SORT_LAUNCH(load_items, t->n)(*t, c, items);
    cp_code code = CPI_LAUNCHED(stream, "unique");
    if (code == CP_OK) code = cpi_cub_sort_rows(stream, t, c + 1, items);
    if (code == CP_OK) {
        CPI_SORT_LAUNCH(store_items, t->n)(t->n, items, order);
        code = CPI_LAUNCHED(stream, "unique");
    }
    cpi_host->work_free(stream, items);
    return code;
}

/* --- the result --- */

template <int LANES> static __device__ __forceinline__ bool any_lane(bool x)
{
    return LANES == 1 ? x : __any_sync(0xFFFFFFFFu, x) != 0;
}

/* first[i]: row order[i] differs from the one before in a chunk from c on, or holds a NaN. */
template <int LANES> static __global__ void mark_rows(cpi_row_table t, int64_t c, const int64_t *order, uint8_t *first)
{
    const int lane = LANES == 1 ? 0 : threadIdx.x % LANES;
    EACH_BY(LANES, i, t.n)
    {
        const int64_t row = order[i], last = i ? order[i - 1] : 0;
        bool differs = i == 0;
        for (int64_t at = c; !differs && at < t.chunks; at += LANES)
            differs =
                any_lane<LANES>(at + lane < t.chunks &&
                                cpi_row_chunk(t, row, at + lane) != cpi_row_chunk(t, last, at + lane));
        for (int64_t at = 0; t.k.zero_add && !differs && at < t.width; at += LANES)
            differs = any_lane<LANES>(at + lane < t.width && is_nan(t, row * t.width + at + lane));
        if (lane == 0) first[i] = differs;
    }
}

static __global__ void write_order(int64_t n, const int64_t *order, const uint8_t *first, const int64_t *position,
                                   int64_t *index, int64_t *inverse, int64_t *start)
{
    CPI_SORT_EACH(i, n)
    {
        int64_t u = position[i] - 1, row = order[i];
        if (inverse) inverse[row] = u;
        if (!first[i]) continue;
        index[u] = row;
        if (start) start[u] = i;
    }
}

/* Rows of `width` words; N holds total, their number in all. */
template <class W, class N>
static __global__ void copy_rows(int64_t total, int64_t width, const W *from, const int64_t *index, W *to)
{
    CPI_SORT_EACH(i, total)
    {
        N row = (N)i / (N)width, at = (N)i - row * (N)width;
        to[i] = from[index[row] * width + (int64_t)at];
    }
}

template <class W>
static cp_code copy_words(cp_stream *stream, int64_t count, int64_t row_bytes, const void *from, const int64_t *index,
                          void *to)
{
    int64_t width = row_bytes / (int64_t)sizeof(W), total = count * width;
    if (total <= (int64_t)UINT32_MAX)
        CPI_SORT_LAUNCH((copy_rows<W, uint32_t>), total)(total, width, (const W *)from, index, (W *)to);
    else
        CPI_SORT_LAUNCH((copy_rows<W, int64_t>), total)(total, width, (const W *)from, index, (W *)to);
    return CPI_LAUNCHED(stream, "unique");
}

/* In the widest words to which all rows are aligned. */
static cp_code gather(cp_stream *stream, const cpi_row_table *t, int64_t count, const int64_t *index, void *to)
{
    int64_t bytes = t->width * t->k.bytes;
    uint64_t position = (uint64_t)bytes | (uint64_t)(uintptr_t)t->from | (uint64_t)(uintptr_t)to;
    if (position % 8 == 0) return copy_words<uint64_t>(stream, count, bytes, t->from, index, to);
    if (position % 4 == 0) return copy_words<uint32_t>(stream, count, bytes, t->from, index, to);
    if (position % 2 == 0) return copy_words<uint16_t>(stream, count, bytes, t->from, index, to);
    return copy_words<uint8_t>(stream, count, bytes, t->from, index, to);
}

static cp_code finish(cp_stream *stream, cpi_unique *q, const cpi_row_table *t, const int64_t *order,
                      const uint8_t *first, const int64_t *position)
{
    int64_t count = 0, *start = NULL, *found = NULL;
    cp_code code = cpi_cuda_read(stream, &count, position + t->n - 1, sizeof count);
    if (code == CP_OK) code = q->sized(q, count);
    if (code != CP_OK) return code;
    if ((!q->index && !(found = (int64_t *)cpi_host->work_alloc(stream, (size_t)count * sizeof *found))) ||
        (q->counts && !(start = (int64_t *)cpi_host->work_alloc(stream, (size_t)count * sizeof *start))))
        code = CP_ERROR_MEMORY;
    int64_t *index = q->index ? q->index : found;
    if (code == CP_OK) {
        CPI_SORT_LAUNCH(write_order, t->n)(t->n, order, first, position, index, q->inverse, start);
        code = CPI_LAUNCHED(stream, "unique");
    }
    if (code == CP_OK) code = gather(stream, t, count, index, q->values);
    if (code == CP_OK && q->counts) code = cpi_cuda_starts_to_counts(stream, count, t->n, start, q->counts);
    cpi_host->work_free(stream, start);
    cpi_host->work_free(stream, found);
    return code;
}

static cp_code mark_and_write(cp_stream *stream, cpi_unique *q, const cpi_row_table *t, int64_t c, const int64_t *order)
{
    uint8_t *first = (uint8_t *)cpi_host->work_alloc(stream, (size_t)t->n);
    int64_t *position = first ? (int64_t *)cpi_host->work_alloc(stream, (size_t)t->n * sizeof *position) : NULL;
    cp_code code = CP_ERROR_MEMORY;
    if (position) {
        if (t->chunks <= SHORT_CHUNKS)
            CPI_SORT_LAUNCH(mark_rows<1>, t->n)(*t, c, order, first);
        else
            LAUNCH_WARPS(mark_rows<32>, t->n)(*t, c, order, first);
        code = CPI_LAUNCHED(stream, "unique");
    }
    if (code == CP_OK) code = cpi_cuda_sum_marks(stream, {NULL, first}, position, t->n);
    if (code == CP_OK) code = finish(stream, q, t, order, first, position);
    cpi_host->work_free(stream, position);
    cpi_host->work_free(stream, first);
    return code;
}

cp_code cpi_sort_cuda_unique_rows(cp_stream *stream, cpi_unique *q)
{
    cpi_row_table t = {};
    t.k = cpi_keys_of(q->type);
    t.from = q->from;
    t.n = q->n;
    t.width = q->width;
    t.each = t.k.bytes < 8 ? 8 / t.k.bytes : 1;
    t.chunks = t.k.bytes == 16 ? 2 * t.width : (t.width - 1) / t.each + 1;
    int64_t c = 0, *order = NULL;
    cp_code code = t.chunks > FEW_CHUNKS ? common_chunks(stream, &t, &c) : CP_OK;
    if (code != CP_OK) return code;
    order = (int64_t *)cpi_host->work_alloc(stream, (size_t)t.n * sizeof *order);
    if (!order) return CP_ERROR_MEMORY;
    if (t.chunks - c > FEW_CHUNKS)
        code = sort_by_rows(stream, &t, c, order);
    else if (t.n > (int64_t)UINT32_MAX)
        code = sort_by_chunks<int64_t>(stream, &t, c, order);
    else
        code = sort_by_chunks<uint32_t>(stream, &t, c, order);
    if (code == CP_OK) code = mark_and_write(stream, q, &t, c, order);
    cpi_host->work_free(stream, order);
    return code;
}
