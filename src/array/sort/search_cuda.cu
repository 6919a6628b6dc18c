/* Binary search on the GPU; elements are compared by their keys (keys.h).
 *
 * A block keeps every d-th key of the list in shared memory, as an implicit tree: node i has the children 2i and 2i +
 * 1. So the nodes of a level are adjacent, and threads at different ones have no bank conflicts. A value descends the
 * tree, then is searched in global memory among the at most d - 1 elements between two of the tree. Where the list
 * fits, d is 1. A thread has several values in flight. */
#include "sort/cuda.h"
#include "sort/sort.h"

namespace {

enum { THREADS = 256, EACH = 4, RESIDENT = 6, TREE_BYTES = 16 * 1024, SMALL_TREE = 256 };

template <class U> __device__ __forceinline__ U same_key(const cpi_keys &k, U bits)
{
    if constexpr (sizeof(U) == 1) return cpi_same8(&k, cpi_key8(&k, bits));
    else if constexpr (sizeof(U) == 2) return cpi_same16(&k, cpi_key16(&k, bits));
    else if constexpr (sizeof(U) == 4) return cpi_same32(&k, cpi_key32(&k, bits));
    else return cpi_same64(&k, cpi_key64(&k, bits));
}

template <bool RIGHT, class U> __device__ __forceinline__ bool before(U here, U value)
{
    return RIGHT ? here <= value : here < value;
}

/* What all threads know: the list, and its tree of 2^levels - 1 nodes, of which `known` are elements, every d-th of the
 * list; those behind are greater than any. `steps` halve d - 1 to nothing. */
template <class U> struct list {
    const U *from;
    int64_t n, d;
    uint32_t known;
    int levels, steps;
};

/* Node i, the middle of its part of the list. */
template <class U> __device__ void plant(const cpi_keys &k, const list<U> &a, U *tree)
{
    for (int i = 1 + threadIdx.x; i < 1 << a.levels; i += THREADS) {
        const int level = 31 - __clz(i);
        const uint32_t rank = ((2u * (i - (1 << level)) + 1) << (a.levels - level - 1)) - 1;
        tree[i] = rank < a.known ? same_key(k, a.from[(rank + 1) * a.d - 1]) : (U) ~(U)0;
    }
    __syncthreads();
}

/* Values whose distance is THREADS, EACH of them or those that are left. */
template <bool RIGHT, int Q, bool WHOLE, class U>
__device__ __forceinline__ void search_some(const cpi_keys &k, const list<U> &a, const U *tree, const U *values,
                                            int64_t *to, int64_t left)
{
    U v[Q];
    uint32_t node[Q], rest[Q];
    const U *low[Q];
#pragma unroll
    for (int q = 0; q < Q; q++) {
        v[q] = WHOLE || q * THREADS < left ? same_key(k, values[q * THREADS]) : (U)0;
        node[q] = 1;
    }
#pragma unroll 1
    for (int l = 0; l < a.levels; l++)
#pragma unroll
        for (int q = 0; q < Q; q++) node[q] = 2 * node[q] + before<RIGHT>(tree[node[q]], v[q]);
#pragma unroll
    for (int q = 0; q < Q; q++) {
        uint32_t part = node[q] - (1u << a.levels);
        part = part < a.known ? part : a.known; /* RIGHT: the greatest value goes by those behind the list, too */
        const int64_t first = part * a.d, behind = a.n - first;
        low[q] = a.from + first;
        rest[q] = (uint32_t)(behind < a.d - 1 ? behind : a.d - 1);
    }
#pragma unroll 1
    for (int s = 0; s < a.steps; s++)
#pragma unroll
        for (int q = 0; q < Q; q++) {
            if (!rest[q]) continue;
            const uint32_t half = rest[q] / 2;
            const bool beyond = before<RIGHT>(same_key(k, low[q][half]), v[q]);
            low[q] = beyond ? low[q] + half + 1 : low[q];
            rest[q] = beyond ? rest[q] - half - 1 : half;
        }
#pragma unroll
    for (int q = 0; q < Q; q++)
        if (WHOLE || q * THREADS < left) to[q * THREADS] = low[q] - a.from;
}

template <class U, bool RIGHT, int Q> __global__ void __launch_bounds__(THREADS, RESIDENT)
search_tree(const cpi_keys k, const list<U> a, int64_t m, const U *values, int64_t *to)
{
    extern __shared__ __align__(8) unsigned char shared[];
    U *tree = (U *)shared;
    plant(k, a, tree);
    for (int64_t i = blockIdx.x * (int64_t)(THREADS * Q); i < m; i += (int64_t)gridDim.x * (THREADS * Q)) {
        const int64_t at = i + threadIdx.x;
        if (i + THREADS * Q <= m)
            search_some<RIGHT, Q, true>(k, a, tree, values + at, to + at, m - at);
        else
            search_some<RIGHT, Q, false>(k, a, tree, values + at, to + at, m - at);
    }
}

template <class U>
void start(cp_stream *stream, const cpi_keys &k, int64_t n, const void *from, int64_t m, const void *values, bool right,
           int64_t *to)
{
    const int64_t units = cpi_cuda_units(stream), most = m < 1 << 16 ? SMALL_TREE : TREE_BYTES / (int)sizeof(U);
    const bool many = m >= units * (RESIDENT * THREADS * EACH * 4); /* enough that no block waits long for the last */
    list<U> a = {(const U *)from, n, 0, 0, 0, 0};
    while ((1ll << a.levels) <= n && (2ll << a.levels) <= most) a.levels++;
    a.d = n / (1ll << a.levels) + 1; /* so that n / d are less than 2^levels */
    a.known = (uint32_t)(n / a.d);
    while ((a.d - 1) >> a.steps) a.steps++;
    const size_t bytes = sizeof(U) << a.levels;
    const unsigned blocks = cpi_cuda_blocks(m, THREADS * (many ? EACH : 1), units * RESIDENT);
    const cudaStream_t cs = cpi_cuda_stream(stream);
    const U *v = (const U *)values;
    if (many && right) search_tree<U, true, EACH><<<blocks, THREADS, bytes, cs>>>(k, a, m, v, to);
    else if (many) search_tree<U, false, EACH><<<blocks, THREADS, bytes, cs>>>(k, a, m, v, to);
    else if (right) search_tree<U, true, 1><<<blocks, THREADS, bytes, cs>>>(k, a, m, v, to);
    else search_tree<U, false, 1><<<blocks, THREADS, bytes, cs>>>(k, a, m, v, to);
}

/* Complex numbers. */
template <class Key> __device__ __forceinline__ Key wide_key(const cpi_keys &k, const void *from, int64_t i)
{
    if constexpr (sizeof(Key) == 8) return cpi_element_key(k, from, i, true);
    else return cpi_element_key128(k, from, i);
}

template <class Key> __global__ void __launch_bounds__(CPI_SORT_THREADS)
search_wide(const cpi_keys k, int64_t n, const void *from, int64_t m, const void *values, bool right, int64_t *to)
{
    CPI_SORT_EACH(i, m) {
        const Key v = wide_key<Key>(k, values, i);
        int64_t low = 0;
        for (int64_t left = n; left > 0;) {
            const int64_t half = left / 2;
            const Key here = wide_key<Key>(k, from, low + half);
            const bool beyond = right ? here <= v : here < v;
            low = beyond ? low + half + 1 : low;
            left = beyond ? left - half - 1 : half;
        }
        to[i] = low;
    }
}

} // namespace

cp_code cpi_sort_cuda_search(cp_stream *stream, cp_type type, int64_t n, const void *from, int64_t m,
                             const void *values, bool right, int64_t *to)
{
    const cpi_keys k = cpi_keys_of(type);
    const unsigned blocks = cpi_cuda_blocks(m, CPI_SORT_THREADS, 1 << 16);
    if (k.bytes > 8)
        search_wide<cpi_u128><<<blocks, CPI_SORT_THREADS, 0, cpi_cuda_stream(stream)>>>(k, n, from, m, values, right,
                                                                                       to);
    else if (k.complex_parts)
        search_wide<uint64_t><<<blocks, CPI_SORT_THREADS, 0, cpi_cuda_stream(stream)>>>(k, n, from, m, values, right,
                                                                                       to);
    else if (k.bytes == 1) start<uint8_t>(stream, k, n, from, m, values, right, to);
    else if (k.bytes == 2) start<uint16_t>(stream, k, n, from, m, values, right, to);
    else if (k.bytes == 4) start<uint32_t>(stream, k, n, from, m, values, right, to);
    else start<uint64_t>(stream, k, n, from, m, values, right, to);
    return CPI_LAUNCHED(stream, "searchsorted");
}
