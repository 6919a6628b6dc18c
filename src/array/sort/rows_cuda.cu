/* Many short rows on the GPU: a row is read once, sorted in registers and shared memory, and written once.
 * Up to 32 elements a warp sorts a row by a bitonic network, up to CPI_CUDA_BLOCK_ROW a block by radix passes.
 * Places behind the end of a row hold the largest key and stay behind all others. */
#include <cub/block/block_radix_sort.cuh>

#include "sort/cuda.h"

enum { WARPS = 8 };

/* Bitonic sort over a warp of pairs (key, place): places make all pairs different, so the order is stable. */
template <class K>
static __global__ void __launch_bounds__(32 * WARPS)
    warp_rows(cpi_keys k, int64_t rows, int n, const void *from, void *to, bool order)
{
    int lane = threadIdx.x % 32;
    for (int64_t row = blockIdx.x * (int64_t)WARPS + threadIdx.x / 32; row < rows; row += (int64_t)gridDim.x * WARPS) {
        K key = lane < n ? (K)cpi_element_key(k, from, row * n + lane, order) : (K) ~(K)0;
        int position = lane;
        for (int size = 2; size <= 32; size *= 2)
            for (int step = size / 2; step > 0; step /= 2) {
                K other = __shfl_xor_sync(0xFFFFFFFFu, key, step);
                int there = __shfl_xor_sync(0xFFFFFFFFu, position, step);
                bool other_less = other < key || (other == key && there < position);
                bool want_small = ((lane & step) == 0) == ((lane & size) == 0);
                if (other_less == want_small) {
                    key = other;
                    position = there;
                }
            }
        if (lane < n) {
            if (order)
                ((int64_t *)to)[row * n + lane] = position;
            else
                cpi_put_element(k, key, to, row * n + lane);
        }
    }
}

template <class K, int THREADS, int ITEMS>
static __global__ void __launch_bounds__(THREADS)
    block_rows(cpi_keys k, int64_t rows, int n, const void *from, void *to)
{
    typedef cub::BlockRadixSort<K, THREADS, ITEMS> Sort;
    __shared__ typename Sort::TempStorage shared;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        K key[ITEMS];
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
            int i = j * THREADS + threadIdx.x;
            key[j] = i < n ? (K)cpi_element_key(k, from, row * n + i, false) : (K) ~(K)0;
        }
        Sort(shared).SortBlockedToStriped(key, 0, k.bytes * 8);
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
            int i = j * THREADS + threadIdx.x;
            if (i < n) cpi_put_element(k, key[j], to, row * n + i);
        }
        __syncthreads();
    }
}

template <class K, int THREADS, int ITEMS>
static __global__ void __launch_bounds__(THREADS)
    block_orders(cpi_keys k, int64_t rows, int n, const void *from, int64_t *to)
{
    typedef cub::BlockRadixSort<K, THREADS, ITEMS, uint16_t> Sort;
    __shared__ typename Sort::TempStorage shared;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        K key[ITEMS];
        uint16_t position[ITEMS];
#pragma unroll
        for (int j = 0; j < ITEMS; j++) { /* neighbours in one thread: radix passes keep their order */
            int i = threadIdx.x * ITEMS + j;
            key[j] = i < n ? (K)cpi_element_key(k, from, row * n + i, true) : (K) ~(K)0;
            position[j] = (uint16_t)i;
        }
        Sort(shared).SortBlockedToStriped(key, position, 0, k.bytes * 8);
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
            int i = j * THREADS + threadIdx.x;
            if (i < n) to[row * n + i] = position[j];
        }
        __syncthreads();
    }
}

template <class K, int THREADS, int ITEMS>
static void launch(cudaStream_t s, const cpi_keys *k, int64_t rows, int n, const void *from, void *to, bool order)
{
    unsigned grid = cpi_cuda_blocks(rows, 1, 1 << 20);
    if (order)
        block_orders<K, THREADS, ITEMS><<<grid, THREADS, 0, s>>>(*k, rows, n, from, (int64_t *)to);
    else
        block_rows<K, THREADS, ITEMS><<<grid, THREADS, 0, s>>>(*k, rows, n, from, to);
}

template <class K>
static void sort_rows(cudaStream_t s, const cpi_keys *k, int64_t rows, int n, const void *from, void *to, bool order)
{
    if (n <= 32)
        warp_rows<K><<<cpi_cuda_blocks(rows, WARPS, 1 << 20), 32 * WARPS, 0, s>>>(*k, rows, n, from, to, order);
    else if (n <= 256)
        launch<K, 64, 4>(s, k, rows, n, from, to, order);
    else if (n <= 1024)
        launch<K, 128, 8>(s, k, rows, n, from, to, order);
    else if (n <= 2048)
        launch<K, 256, 8>(s, k, rows, n, from, to, order);
    else
        launch<K, 512, 8>(s, k, rows, n, from, to, order);
}

cp_code cpi_cuda_block_rows(cp_stream *stream, const char *what, const cpi_keys *keys, int64_t rows, int64_t n,
                            const void *from, void *to, bool order)
{
    if (keys->bytes <= 4)
        sort_rows<uint32_t>(cpi_cuda_stream(stream), keys, rows, (int)n, from, to, order);
    else
        sort_rows<uint64_t>(cpi_cuda_stream(stream), keys, rows, (int)n, from, to, order);
    return CPI_LAUNCHED(stream, what);
}
