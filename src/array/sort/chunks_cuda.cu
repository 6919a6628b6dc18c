/* A few rows of some thousand elements on the GPU, in two kernels. Each block sorts a chunk of a row. Then every
 * element finds its rank in the row: its index in its own chunk plus, by bisection, the number of elements before it in
 * each other one. Of equal keys those of earlier chunks come first, so ranks differ and the order is stable. */
#include <cub/block/block_radix_sort.cuh>

#include "sort/cuda.h"

enum { SEARCHES = 4, POSITION_THREADS = 128 };

/* Sorted keys of each chunk into `keys`; with `indices`, where in its chunk each was. The last chunk of a row may be
 * short: it is padded with the largest key, which stays last. */
template <class K, int THREADS, int ITEMS>
static __global__ void __launch_bounds__(THREADS)
    sort_chunks(cpi_keys k, int n, int nchunks, const void *from, K *keys)
{
    typedef cub::BlockRadixSort<K, THREADS, ITEMS> Sort;
    __shared__ typename Sort::TempStorage shared;
    const int begin = (int)blockIdx.x % nchunks * (THREADS * ITEMS), length = min(THREADS * ITEMS, n - begin);
    const int64_t at = (int64_t)(blockIdx.x / nchunks) * n + begin;
    K key[ITEMS];
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
        int i = j * THREADS + threadIdx.x;
        key[j] = i < length ? (K)cpi_element_key(k, from, at + i, false) : (K) ~(K)0;
    }
    Sort(shared).SortBlockedToStriped(key, 0, k.bytes * 8);
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
        int i = j * THREADS + threadIdx.x;
        if (i < length) keys[at + i] = key[j];
    }
}

template <class K, int THREADS, int ITEMS>
static __global__ void __launch_bounds__(THREADS)
    order_chunks(cpi_keys k, int n, int nchunks, const void *from, K *keys, uint16_t *indices)
{
    typedef cub::BlockRadixSort<K, THREADS, ITEMS, uint16_t> Sort;
    __shared__ typename Sort::TempStorage shared;
    const int begin = (int)blockIdx.x % nchunks * (THREADS * ITEMS), length = min(THREADS * ITEMS, n - begin);
    const int64_t at = (int64_t)(blockIdx.x / nchunks) * n + begin;
    K key[ITEMS];
    uint16_t position[ITEMS];
#pragma unroll
    for (int j = 0; j < ITEMS; j++) { /* neighbours in one thread: radix passes keep their order */
        int i = threadIdx.x * ITEMS + j;
        key[j] = i < length ? (K)cpi_element_key(k, from, at + i, true) : (K) ~(K)0;
        position[j] = (uint16_t)i;
    }
    Sort(shared).SortBlockedToStriped(key, position, 0, k.bytes * 8);
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
        int i = j * THREADS + threadIdx.x;
        if (i < length) {
            keys[at + i] = key[j];
            indices[at + i] = position[j];
        }
    }
}

/* Several bisections at a time, so that their loads overlap. */
template <class K, int SEGMENT>
static __global__ void __launch_bounds__(POSITION_THREADS)
    partition_elements(cpi_keys k, int total, int n, int nchunks, const K *keys, const uint16_t *indices, void *to)
{
    CPI_SORT_EACH(at, total)
    {
        const int row = (int)at / n * n, i = (int)at - row, mine = i / SEGMENT;
        const K key = keys[at];
        int rank = i % SEGMENT;
        for (int p = 0; p < nchunks; p += SEARCHES) {
            const K *chunk[SEARCHES];
            int length[SEARCHES], before[SEARCHES];
#pragma unroll
            for (int q = 0; q < SEARCHES; q++) {
                const int begin = (p + q) * SEGMENT;
                const bool other = p + q < nchunks && p + q != mine;
                chunk[q] = keys + row + (other ? begin : 0);
                length[q] = other ? min(SEGMENT, n - begin) : 0;
                before[q] = 0;
            }
#pragma unroll
            for (int step = SEGMENT; step > 0; step /= 2) {
#pragma unroll
                for (int q = 0; q < SEARCHES; q++) {
                    const int next = before[q] + step;
                    const K there = chunk[q][max(min(next, length[q]), 1) - 1];
                    if (next <= length[q] && (there < key || (there == key && p + q < mine))) before[q] = next;
                }
            }
#pragma unroll
            for (int q = 0; q < SEARCHES; q++) rank += before[q];
        }
        if (indices) ((int64_t *)to)[row + rank] = mine * SEGMENT + indices[at];
        else cpi_put_element(k, key, to, row + rank);
    }
}

template <class K, int THREADS, int ITEMS>
static cp_code sort_in_chunks(cp_stream *stream, const char *what, const cpi_keys *k, int64_t rows, int64_t n,
                              const void *from, void *to, bool order)
{
    const int64_t total = rows * n, nchunks = (n - 1) / (THREADS * ITEMS) + 1;
    const size_t key_bytes = cpi_round_up((size_t)total * sizeof(K), 512);
    cudaStream_t s = cpi_cuda_stream(stream);
    char *memory = (char *)cpi_host->work_alloc(stream, key_bytes + (order ? (size_t)total * sizeof(uint16_t) : 0));
    if (!memory) return CP_ERROR_MEMORY;
    K *keys = (K *)memory;
    uint16_t *indices = order ? (uint16_t *)(memory + key_bytes) : NULL;
    const unsigned blocks = (unsigned)(rows * nchunks);
    if (order)
        order_chunks<K, THREADS, ITEMS><<<blocks, THREADS, 0, s>>>(*k, (int)n, (int)nchunks, from, keys, indices);
    else
        sort_chunks<K, THREADS, ITEMS><<<blocks, THREADS, 0, s>>>(*k, (int)n, (int)nchunks, from, keys);
    cp_code code = CPI_LAUNCHED(stream, what);
    if (code == CP_OK) {
        partition_elements<K, THREADS * ITEMS>
            <<<cpi_cuda_blocks(total, POSITION_THREADS, 1 << 20), POSITION_THREADS, 0, s>>>(
                *k, (int)total, (int)n, (int)nchunks, keys, indices, to);
        code = CPI_LAUNCHED(stream, what);
    }
    cpi_host->work_free(stream, memory);
    return code;
}

cp_code cpi_cuda_chunks(cp_stream *stream, const char *what, const cpi_keys *k, int64_t rows, int64_t n,
                        const void *from, void *to, bool order)
{
    const bool small = n <= 16 * 1024;
    if (k->bytes <= 4)
        return small ? sort_in_chunks<uint32_t, 128, 8>(stream, what, k, rows, n, from, to, order)
                     : sort_in_chunks<uint32_t, 256, 8>(stream, what, k, rows, n, from, to, order);
    return small ? sort_in_chunks<uint64_t, 128, 8>(stream, what, k, rows, n, from, to, order)
                 : sort_in_chunks<uint64_t, 256, 8>(stream, what, k, rows, n, from, to, order);
}
