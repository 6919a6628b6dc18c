/* Which elements are among others, on the GPU: a hash table of these, half empty, in which each element is looked for.
 * No order, no range and no wait is needed. Elements are compared by their keys (keys.h), those of 128 bits through
 * their places. Invariant: what the table holds depends on the order in which threads come, what is found does not. */
#include "sort/cuda.h"
#include "sort/sort.h"

namespace {

enum { EACH = 4 };

/* An entry is a key, or the place of a key of 128 bits; NONE is no entry. A key that is NONE itself has a word of its
 * own behind the table. */
const unsigned long long NONE = ~0ull;
struct table {
    unsigned long long *entry;
    uint64_t last; /* entries less 1: a power of two less 1 */
    const void *from;
};

__device__ __forceinline__ uint64_t mixed(uint64_t key)
{
    key = (key ^ key >> 32) * 0x9e3779b97f4a7c15ull;
    return key ^ key >> 29;
}

__device__ __forceinline__ uint64_t mixed(cpi_u128 key) { return mixed((uint64_t)(key >> 64) * 31 + (uint64_t)key); }

template <class Key> __device__ __forceinline__ Key key_of(const cpi_keys &k, const void *from, int64_t i)
{
    if constexpr (sizeof(Key) == 8) return cpi_element_key(k, from, i, true);
    else return cpi_element_key128(k, from, i);
}

/* NaN is among nothing. */
template <class Key> __device__ __forceinline__ bool is_number(const cpi_keys &k, Key key)
{
    if constexpr (sizeof(Key) == 16) return !cpi_ckey_nan128(&k, key);
    else return k.complex_parts ? !cpi_ckey_nan64(&k, key) : key <= k.last;
}

template <class Key> __device__ __forceinline__ bool holds(const cpi_keys &k, const table &t, uint64_t entry, Key key)
{
    if constexpr (sizeof(Key) == 8) return entry == key;
    else return key_of<Key>(k, t.from, (int64_t)entry) == key;
}

template <class Key>
__global__ void __launch_bounds__(CPI_SORT_THREADS) plant(const cpi_keys k, int64_t n, const void *from, const table t)
{
    CPI_SORT_EACH(i, n)
    {
        const Key key = key_of<Key>(k, from, i);
        if (!is_number(k, key)) continue;
        unsigned long long own = (unsigned long long)i;
        if constexpr (sizeof(Key) == 8) own = key;
        if (sizeof(Key) == 8 && own == NONE) {
            t.entry[t.last + 1] = 0;
            continue;
        }
        for (uint64_t at = mixed(key) & t.last;; at = (at + 1) & t.last) {
            const unsigned long long there = atomicCAS(t.entry + at, NONE, own);
            if (there == NONE || holds(k, t, there, key)) break;
        }
    }
}

template <class Key>
__device__ __forceinline__ bool found(const cpi_keys &k, const table &t, Key key, uint64_t at, uint64_t there)
{
    if (!is_number(k, key)) return false;
    if (sizeof(Key) == 8 && key == (Key)NONE) return t.entry[t.last + 1] == 0;
    while (there != NONE && !holds(k, t, there, key)) at = (at + 1) & t.last, there = t.entry[at];
    return there != NONE;
}

template <class Key> __global__ void __launch_bounds__(CPI_SORT_THREADS)
ask(const cpi_keys k, int64_t m, const void *values, const table t, bool invert, uint8_t *to)
{
    const int64_t first = blockIdx.x * (int64_t)(CPI_SORT_THREADS * EACH) + threadIdx.x;
    Key key[EACH];
    uint64_t at[EACH], there[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++)
        key[e] = first + e * CPI_SORT_THREADS < m ? key_of<Key>(k, values, first + e * CPI_SORT_THREADS) : (Key)0;
#pragma unroll
    for (int e = 0; e < EACH; e++) at[e] = mixed(key[e]) & t.last, there[e] = t.entry[at[e]];
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (first + e * CPI_SORT_THREADS < m)
            to[first + e * CPI_SORT_THREADS] = found(k, t, key[e], at[e], there[e]) != invert;
}

template <class Key>
cp_code isin(cp_stream *stream, const cpi_keys &k, int64_t n, const void *from, int64_t m, const void *values,
             bool invert, uint8_t *to)
{
    const cudaStream_t s = cpi_cuda_stream(stream);
    int64_t size = 64;
    while (size < 2 * n) size *= 2;
    const size_t bytes = (size_t)(size + 1) * 8;
    table t = {(unsigned long long *)cpi_host->work_alloc(stream, bytes), (uint64_t)size - 1, from};
    if (!t.entry) return CP_ERROR_MEMORY;
    cp_code code = cpi_cuda_issued(stream, cudaMemsetAsync(t.entry, 0xff, bytes, s), "isin");
    if (!code) {
        CPI_SORT_LAUNCH(plant<Key>, n)(k, n, from, t);
        code = CPI_LAUNCHED(stream, "isin");
    }
    if (!code) {
        const unsigned blocks = cpi_cuda_blocks(m, CPI_SORT_THREADS * EACH, INT32_MAX);
        ask<Key><<<blocks, CPI_SORT_THREADS, 0, s>>>(k, m, values, t, invert, to);
        code = CPI_LAUNCHED(stream, "isin");
    }
    cpi_host->work_free(stream, t.entry);
    return code;
}

} // namespace

cp_code cpi_sort_cuda_isin(cp_stream *stream, cp_type type, int64_t n, const void *from, int64_t m, const void *values,
                            bool invert, uint8_t *to)
{
    const cpi_keys k = cpi_keys_of(type);
    return k.bytes > 8 ? isin<cpi_u128>(stream, k, n, from, m, values, invert, to)
                       : isin<uint64_t>(stream, k, n, from, m, values, invert, to);
}
