/* Selection by one block of a GPU, on keys that a function computes again and again (from memory that a cache holds).
 *
 * The range of the keys is found, then cut into bins of equal width. The bin with the wanted rank becomes the next
 * range, until few keys are left: these are listed and ranked by counting. All threads of the block take part and get
 * the same result, which does not depend on the order in which the threads ran. */
#ifndef CPI_SORT_SELECT_BLOCK_H
#define CPI_SORT_SELECT_BLOCK_H

#include "sort/cuda.h"

enum { CPI_BLOCK_BINS = 1024, CPI_BLOCK_LIST = 256 };

template <class K>
struct cpi_block_space {
    unsigned hist[CPI_BLOCK_BINS];
    unsigned warps[32];
    K list[CPI_BLOCK_LIST];
    K low, high;        /* of all keys; then of the range */
    K first, second;
    unsigned listed, bin, count;
    int64_t less;
};

/* Bits needed for a number: the position of the highest one, plus 1. */
template <class K>
static __device__ __forceinline__ int cpi_bits_of(K v)
{
    int bits = 0;
    if (sizeof(K) == 16) {
        uint64_t high = (uint64_t)((cpi_u128)v >> 64);
        return high ? 128 - __clzll((long long)high) : 64 - __clzll((long long)(uint64_t)v);
    }
    bits = 64 - __clzll((long long)(uint64_t)v);
    return bits;
}

/* Smallest and largest of one value a thread; results in s->low and s->high. The block's size is a multiple of 32,
 * at most 1024. Uses s->list. */
template <class K>
static __device__ void cpi_block_range(K low, K high, cpi_block_space<K> *s)
{
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int step = 16; step; step /= 2) {
        K l, h;
        if (sizeof(K) == 16) { /* shuffled by halves */
            uint64_t la = __shfl_xor_sync(~0u, (uint64_t)low, step),
                     lb = __shfl_xor_sync(~0u, (uint64_t)((cpi_u128)low >> 64), step);
            uint64_t ha = __shfl_xor_sync(~0u, (uint64_t)high, step),
                     hb = __shfl_xor_sync(~0u, (uint64_t)((cpi_u128)high >> 64), step);
            l = (K)((cpi_u128)lb << 64 | la);
            h = (K)((cpi_u128)hb << 64 | ha);
        } else {
            l = (K)__shfl_xor_sync(~0u, (unsigned long long)low, step);
            h = (K)__shfl_xor_sync(~0u, (unsigned long long)high, step);
        }
        low = l < low ? l : low;
        high = h > high ? h : high;
    }
    __syncthreads(); /* the list may still be in use */
    if (!lane) {
        s->list[2 * warp] = low;
        s->list[2 * warp + 1] = high;
    }
    __syncthreads();
    if (!threadIdx.x) {
        for (int w = 1; w < (int)(blockDim.x >> 5); w++) {
            low = s->list[2 * w] < low ? s->list[2 * w] : low;
            high = s->list[2 * w + 1] > high ? s->list[2 * w + 1] : high;
        }
        s->low = low;
        s->high = high;
    }
    __syncthreads();
}

/* The bin of the counts that contains `rank`: s->bin, the keys before it (s->less), those in it (s->count). */
template <class K>
static __device__ void cpi_block_find(int64_t rank, cpi_block_space<K> *s)
{
    __syncthreads();
    if (threadIdx.x < 32) { /* one warp, 32 bins a lane */
        unsigned lane = threadIdx.x, sum = 0;
        for (int i = 0; i < CPI_BLOCK_BINS / 32; i++) sum += s->hist[lane * (CPI_BLOCK_BINS / 32) + i];
        unsigned upto = sum;
        for (int step = 1; step < 32; step *= 2) {
            unsigned v = __shfl_up_sync(~0u, upto, step);
            if (lane >= (unsigned)step) upto += v;
        }
        int64_t before = (int64_t)upto - sum;
        if (rank >= before && rank < (int64_t)upto) {
            for (unsigned b = lane * (CPI_BLOCK_BINS / 32);; b++) {
                if (rank < before + s->hist[b]) {
                    s->bin = b;
                    s->less = before;
                    s->count = s->hist[b];
                    break;
                }
                before += s->hist[b];
            }
        }
    }
    __syncthreads();
}

/* The smallest of n keys above `high`, in every thread. */
template <class K, class F>
static __device__ K cpi_block_next(F key_at, int64_t n, K high, cpi_block_space<K> *s)
{
    K next = (K)~(K)0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        K key = key_at(i);
        if (key > high && key < next) next = key;
    }
    cpi_block_range<K>(next, next, s);
    return s->low;
}

/* Keys of rank `rank` and rank + 1 (where there is one, else the first again) of n < 2^32 keys; low and high are the
 * smallest and the largest one. */
template <class K, class F>
static __device__ void cpi_block_select(F key_at, int64_t n, int64_t rank, K low, K high, cpi_block_space<K> *s,
                                        K *first, K *second)
{
    int64_t left = n, r = rank; /* keys in low..high; the rank within them */
    bool listed = false;
    while (low != high) {
        if (left <= CPI_BLOCK_LIST) {
            listed = true;
            break;
        }
        int shift = cpi_bits_of<K>((K)(high - low)) - 10;
        if (shift < 0) shift = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < CPI_BLOCK_BINS; i += blockDim.x) s->hist[i] = 0;
        __syncthreads();
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
            K key = key_at(i);
            if (key >= low && key <= high) atomicAdd(&s->hist[(unsigned)((K)(key - low) >> shift)], 1u);
        }
        cpi_block_find(r, s);
        K width = ((K)1 << shift) - 1, begin = low + ((K)s->bin << shift);
        high = high - begin > width ? begin + width : high;
        low = begin;
        r -= s->less;
        left = s->count;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        s->listed = 0;
        s->first = s->second = low;
    }
    __syncthreads();
    if (listed) {
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
            K key = key_at(i);
            if (key >= low && key <= high) s->list[atomicAdd(&s->listed, 1u)] = key;
        }
        __syncthreads();
        for (unsigned i = threadIdx.x; i < s->listed; i += blockDim.x) {
            K key = s->list[i];
            int64_t position = 0;
            for (unsigned j = 0; j < s->listed; j++) position += s->list[j] < key || (s->list[j] == key && j < i);
            if (position == r) s->first = key;
            if (position == r + 1) s->second = key;
        }
        __syncthreads();
    }
    *first = s->first;
    *second = r + 1 < left ? s->second : s->first;
    if (r + 1 >= left && rank + 1 < n) *second = cpi_block_next(key_at, n, high, s); /* it lies above the range */
    __syncthreads();
}

#endif
