/* Sorting on the GPU: the slots sort and argsort.
 *
 * Rows of up to CPI_CUDA_BLOCK_ROW elements are sorted by a block each, a few rows that are longer by several. A
 * long row is sorted by CUB straight into the result. What lies between (many middling rows) is sorted all at once with
 * the row above the key: as one 64-bit key where it fits, else by one more stable pass over the rows. Elements of 128
 * bits are ordered by two stable passes, then gathered. */
#include "sort/cuda.h"
#include "sort/sort.h"

#define MIDDLING (1 << 18)       /* rows from this length on are sorted one after the other */
#define BATCH ((int64_t)1 << 26) /* elements that are sorted at a time in rows, about: bounds the workspace */

static __global__ void load_keys(cpi_keys k, int64_t n, const void *from, uint64_t *keys)
{
    CPI_SORT_EACH(i, n) keys[i] = cpi_element_key(k, from, i, false);
}

static __global__ void store_keys(cpi_keys k, int64_t n, const uint64_t *keys, void *to)
{
    CPI_SORT_EACH(i, n) cpi_put_element(k, keys[i], to, i);
}

static __global__ void load_rows(cpi_keys k, int64_t total, int64_t n, const void *from, uint64_t *keys)
{
    CPI_SORT_EACH(i, total) keys[i] = (uint64_t)(i / n) << 32 | cpi_element_key(k, from, i, false);
}

static __global__ void store_rows(cpi_keys k, int64_t total, const uint64_t *keys, void *to)
{
    CPI_SORT_EACH(i, total) cpi_put_element(k, (uint32_t)keys[i], to, i);
}

/* Keys for ordering, and the indices 0, 1, ...; part 1 is the upper half of a 128-bit key. */
template <class K, class I>
static __global__ void load_order(cpi_keys k, int64_t n, const void *from, uint64_t low, K *keys, I *index)
{
    CPI_SORT_EACH(i, n)
    {
        keys[i] = k.bytes == 16 ? (K)cpi_element_key128(k, from, i) : (K)(cpi_element_key(k, from, i, true) - low);
        index[i] = (I)i;
    }
}

template <class I>
static __global__ void load_upper(cpi_keys k, int64_t n, const void *from, const I *index, uint64_t *keys)
{
    CPI_SORT_EACH(i, n) keys[i] = (uint64_t)(cpi_element_key128(k, from, (int64_t)index[i]) >> 64);
}

template <class K, class I> static __global__ void load_row_numbers(int64_t total, int64_t n, const I *index, K *keys)
{
    CPI_SORT_EACH(i, total) keys[i] = (K)((int64_t)index[i] / n);
}

template <class I> static __global__ void store_order(int64_t total, int64_t n, const I *index, int64_t *to)
{
    CPI_SORT_EACH(i, total)
    {
        int64_t at = (int64_t)index[i];
        to[i] = at < n ? at : at % n;
    }
}

template <class I> static __global__ void gather(cpi_keys k, int64_t total, const void *from, const I *index, void *to)
{
    CPI_SORT_EACH(i, total) cpi_copy_element(k, from, (int64_t)index[i], to, i);
}

static int bits_of(int64_t x)
{
    int b = 0;
    while (b < 63 && x >> b) b++;
    return b;
}

template <class K, class I>
static cp_code order(cp_stream *stream, const char *what, const cpi_keys *k, int64_t rows, int64_t n, const void *from,
                     uint64_t low, int bits, cpi_ordering *r)
{
    int64_t total = rows * n;
    size_t key_bytes = cpi_round_up((size_t)total * sizeof(K), 512),
           index_bytes = cpi_round_up((size_t)total * sizeof(I), 512);
    char *memory = (char *)cpi_host->work_alloc(stream, 2 * (key_bytes + index_bytes));
    if (!memory) return CP_ERROR_MEMORY;
    void *keys = memory, *keys2 = memory + key_bytes, *index = memory + 2 * key_bytes,
         *index2 = (char *)index + index_bytes;
    bool wide = sizeof(I) == 8;
    CPI_SORT_LAUNCH(load_order, total)(*k, total, from, low, (K *)keys, (I *)index);
    cp_code code = CPI_LAUNCHED(stream, what);
    if (!bits) bits = k->bytes >= 8 ? 64 : 8 * k->bytes;
    if (code == CP_OK)
        code = cpi_cub_sort_pairs(stream, what, sizeof(K), wide, &keys, &keys2, &index, &index2, total, 0, bits);
    if (code == CP_OK && k->bytes == 16) {
        CPI_SORT_LAUNCH(load_upper, total)(*k, total, from, (const I *)index, (uint64_t *)keys);
        code = CPI_LAUNCHED(stream, what);
        if (code == CP_OK)
            code = cpi_cub_sort_pairs(stream, what, sizeof(K), wide, &keys, &keys2, &index, &index2, total, 0, 64);
    }
    if (code == CP_OK && rows > 1) {
        CPI_SORT_LAUNCH(load_row_numbers, total)(total, n, (const I *)index, (K *)keys);
        code = CPI_LAUNCHED(stream, what);
        if (code == CP_OK)
            code = cpi_cub_sort_pairs(stream, what, sizeof(K), wide, &keys, &keys2, &index, &index2, total, 0,
                                      bits_of(rows - 1));
    }
    if (code != CP_OK) {
        cpi_host->work_free(stream, memory);
        return code;
    }
    *r = (cpi_ordering){memory, wide, k->bytes == 16 || rows > 1 ? 0 : (int)sizeof(K), keys, index};
    return CP_OK;
}

cp_code cpi_cuda_order(cp_stream *stream, const char *what, const cpi_keys *keys, int64_t rows, int64_t n,
                       const void *from, uint64_t low, int bits, cpi_ordering *result)
{
    if (rows * n > (int64_t)UINT32_MAX)
        return order<uint64_t, int64_t>(stream, what, keys, rows, n, from, low, bits, result);
    if (keys->bytes == 16 || (keys->bytes == 8 && (bits == 0 || bits > 32)))
        return order<uint64_t, uint32_t>(stream, what, keys, rows, n, from, low, bits, result);
    return order<uint32_t, uint32_t>(stream, what, keys, rows, n, from, low, bits, result);
}

/* --- sort --- */

/* Elements in the order of their keys, where the keys themselves cannot be sorted alone. */
static cp_code sort_by_order(cp_stream *stream, const cpi_keys *k, int64_t rows, int64_t n, const void *from, void *to)
{
    cpi_ordering o;
    cp_code code = cpi_cuda_order(stream, "sort", k, rows, n, from, 0, 0, &o);
    if (code != CP_OK) return code;
    int64_t total = rows * n;
    void *aside = NULL;
    if (from == to) {
        size_t bytes = (size_t)(total * k->bytes);
        aside = cpi_host->work_alloc(stream, bytes);
        code = aside
                   ? cpi_cuda_issued(stream, 
                         cudaMemcpyAsync(aside, from, bytes, cudaMemcpyDeviceToDevice, cpi_cuda_stream(stream)), "sort")
                   : CP_ERROR_MEMORY;
        from = aside;
    }
    if (code == CP_OK) {
        if (o.wide)
            CPI_SORT_LAUNCH(gather, total)(*k, total, from, (const int64_t *)o.index, to);
        else
            CPI_SORT_LAUNCH(gather, total)(*k, total, from, (const uint32_t *)o.index, to);
        code = CPI_LAUNCHED(stream, "sort");
    }
    cpi_host->work_free(stream, aside);
    cpi_host->work_free(stream, o.memory);
    return code;
}

/* complex64: its keys, sorted. */
static cp_code sort_complex_row(cp_stream *stream, const cpi_keys *k, int64_t n, const void *from, void *to)
{
    size_t bytes = cpi_round_up((size_t)n * sizeof(uint64_t), 512);
    char *memory = (char *)cpi_host->work_alloc(stream, 2 * bytes);
    if (!memory) return CP_ERROR_MEMORY;
    void *keys = memory, *spare = memory + bytes;
    CPI_SORT_LAUNCH(load_keys, n)(*k, n, from, (uint64_t *)keys);
    cp_code code = CPI_LAUNCHED(stream, "sort");
    if (code == CP_OK) code = cpi_cub_sort_keys(stream, "sort", 8, &keys, &spare, n, 0, 64);
    if (code == CP_OK) {
        CPI_SORT_LAUNCH(store_keys, n)(*k, n, (const uint64_t *)keys, to);
        code = CPI_LAUNCHED(stream, "sort");
    }
    cpi_host->work_free(stream, memory);
    return code;
}

static cp_code sort_long_row(cp_stream *stream, cp_type type, const cpi_keys *k, int64_t n, const void *from, void *to)
{
    if (!k->complex_parts) return cpi_cub_sort_row(stream, "sort", type, n, from, to);
    if (k->bytes == 8) return sort_complex_row(stream, k, n, from, to);
    return sort_by_order(stream, k, 1, n, from, to);
}

/* Rows of keys of up to 32 bits, all at once. */
static cp_code sort_middling_rows(cp_stream *stream, const cpi_keys *k, int64_t rows, int64_t n, const void *from,
                                  void *to)
{
    int64_t total = rows * n;
    size_t bytes = cpi_round_up((size_t)total * 8, 512);
    char *memory = (char *)cpi_host->work_alloc(stream, 2 * bytes);
    if (!memory) return CP_ERROR_MEMORY;
    void *keys = memory, *spare = memory + bytes;
    CPI_SORT_LAUNCH(load_rows, total)(*k, total, n, from, (uint64_t *)keys);
    cp_code code = CPI_LAUNCHED(stream, "sort");
    /* the key's bits first, then the row's: what lies between is zero */
    if (code == CP_OK && k->bytes < 4)
        code = cpi_cub_sort_keys(stream, "sort", 8, &keys, &spare, total, 0, 8 * k->bytes);
    if (code == CP_OK)
        code =
            cpi_cub_sort_keys(stream, "sort", 8, &keys, &spare, total, k->bytes < 4 ? 32 : 0, 32 + bits_of(rows - 1));
    if (code == CP_OK) {
        CPI_SORT_LAUNCH(store_rows, total)(*k, total, (const uint64_t *)keys, to);
        code = CPI_LAUNCHED(stream, "sort");
    }
    cpi_host->work_free(stream, memory);
    return code;
}

static bool of_chunks(const cpi_keys *k, int64_t rows, int64_t n)
{
    return n <= CPI_CUDA_CHUNKS && rows <= CPI_CUDA_CHUNKS_TOTAL / n && k->bytes <= 8;
}

static int64_t at_least_1(int64_t x) { return x < 1 ? 1 : x; }

cp_code cpi_sort_cuda_sort(cp_stream *stream, cp_type type, int64_t rows, int64_t n, const void *from, void *to)
{
    cpi_keys k = cpi_keys_of(type);
    if (n <= CPI_CUDA_BLOCK_ROW && k.bytes <= 8)
        return cpi_cuda_block_rows(stream, "sort", &k, rows, n, from, to, false);
    if (of_chunks(&k, rows, n)) return cpi_cuda_chunks(stream, "sort", &k, rows, n, from, to, false);
    int64_t each = n >= MIDDLING ? 1 : at_least_1(BATCH / n);
    for (int64_t r = 0; r < rows; r += each) {
        int64_t now = rows - r < each ? rows - r : each;
        const char *src = (const char *)from + r * n * k.bytes;
        char *dst = (char *)to + r * n * k.bytes;
        cp_code code = now == 1       ? sort_long_row(stream, type, &k, n, src, dst)
                       : k.bytes <= 4 ? sort_middling_rows(stream, &k, now, n, src, dst)
                                      : sort_by_order(stream, &k, now, n, src, dst);
        if (code != CP_OK) return code;
    }
    return CP_OK;
}

/* --- argsort --- */

static cp_code order_rows(cp_stream *stream, const cpi_keys *k, int64_t rows, int64_t n, const void *from, int64_t *to)
{
    cpi_ordering o;
    cp_code code = cpi_cuda_order(stream, "argsort", k, rows, n, from, 0, 0, &o);
    if (code != CP_OK) return code;
    if (o.wide)
        CPI_SORT_LAUNCH(store_order, rows * n)(rows * n, n, (const int64_t *)o.index, to);
    else
        CPI_SORT_LAUNCH(store_order, rows * n)(rows * n, n, (const uint32_t *)o.index, to);
    code = CPI_LAUNCHED(stream, "argsort");
    cpi_host->work_free(stream, o.memory);
    return code;
}

cp_code cpi_sort_cuda_argsort(cp_stream *stream, cp_type type, int64_t rows, int64_t n, const void *from, int64_t *to)
{
    cpi_keys k = cpi_keys_of(type);
    if (n <= CPI_CUDA_BLOCK_ROW && k.bytes <= 8)
        return cpi_cuda_block_rows(stream, "argsort", &k, rows, n, from, to, true);
    if (of_chunks(&k, rows, n)) return cpi_cuda_chunks(stream, "argsort", &k, rows, n, from, to, true);
    int64_t each = n >= MIDDLING ? 1 : at_least_1(BATCH / n);
    for (int64_t r = 0; r < rows; r += each) {
        int64_t now = rows - r < each ? rows - r : each;
        cp_code code = order_rows(stream, &k, now, n, (const char *)from + r * n * k.bytes, to + r * n);
        if (code != CP_OK) return code;
    }
    return CP_OK;
}

/* As partition: the radix sort's full order satisfies every kth. */
cp_code cpi_sort_cuda_argpartition(cp_stream *stream, cp_type type, int64_t rows, int64_t n, const void *from,
                                   int64_t *to, int nkth, const int64_t *kth)
{
    (void)nkth;
    (void)kth;
    return cpi_sort_cuda_argsort(stream, type, rows, n, from, to);
}

/* --- the table --- */
