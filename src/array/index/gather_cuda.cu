/* Elements by arrays of integers, on the GPU: reading them, and where they lie. A thread takes a few words, which of
 * index and rest runs through neighbouring threads is chosen so that they write neighbouring memory (gather.cuh). */
#include "cuda/cuda.h"
#include "index/gather.cuh"

namespace {

enum { THREADS = CPI_GATHER_THREADS, EACH = CPI_GATHER_EACH, TURNS = 4 };

template <class T, int DIMS, int P>
__device__ __forceinline__ void gather_items(const cpi_gather_args<P> &r, uint32_t first)
{
    cpi_items<EACH> t;
    T x[EACH];
    cpi_find_items<DIMS>(r, first, THREADS, &t);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        cpi_add_rest(r, t.s[e], &t.array[e], &t.result[e]);
        if (t.good[e]) x[e] = *(const T *)(r.array + t.array[e] + t.word[e] * sizeof(T));
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (t.good[e]) *(T *)(r.result + t.result[e] + t.word[e] * sizeof(T)) = x[e];
}

/* A block takes `turns` times as many neighbours: they may name elements that it has in its cache already. */
template <class T, int P, int DIMS>
__global__ void __launch_bounds__(THREADS) gather_kernel(const __grid_constant__ cpi_gather_args<P> r, int turns)
{
    const uint32_t first = blockIdx.x * (THREADS * EACH * turns) + threadIdx.x;
    for (int k = 0; k < turns; k++) gather_items<T, DIMS>(r, first + k * (THREADS * EACH));
}

template <class T, int P, int DIMS> cp_code launch(cp_stream *stream, const cpi_gather *g)
{
    cpi_gather_args<P> r;
    cp_code code = cpi_gather_args_of(stream, g, g->bytes / (int64_t)sizeof(T), &r);
    if (code) return code;
    const int turns = r.items >= (uint32_t)cpi_cuda_units(stream) * (THREADS * EACH * TURNS * 4) ? TURNS : 1;
    const unsigned blocks = cpi_cuda_blocks(r.items, THREADS * EACH * turns, INT32_MAX);
    gather_kernel<T, P, DIMS><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(r, turns);
    return CPI_LAUNCHED(stream, g->function);
}

template <int P, int DIMS> cp_code gather(cp_stream *stream, const cpi_gather *g)
{
    const int64_t word = cpi_word_of(g);
    return cpi_each_part(g, word, 0, [&](const cpi_gather *part, int64_t) {
        switch (word) {
        case 1: return launch<uint8_t, P, DIMS>(stream, part);
        case 2: return launch<uint16_t, P, DIMS>(stream, part);
        case 4: return launch<uint32_t, P, DIMS>(stream, part);
        case 8: return launch<uint2, P, DIMS>(stream, part);
        default: return launch<uint4, P, DIMS>(stream, part);
        }
    });
}

template <int P, int DIMS>
__global__ void __launch_bounds__(THREADS) offsets_kernel(const __grid_constant__ cpi_gather_args<P> r, int64_t *to)
{
    const uint32_t first = blockIdx.x * (THREADS * EACH) + threadIdx.x;
    uint32_t i[EACH];
    int64_t array[EACH];
    bool wanted[EACH], good[EACH];
    cpi_find_indexed<DIMS>(r, first, THREADS, i, wanted, array, good);
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (wanted[e]) to[i[e]] = good[e] ? array[e] : 0;
}

template <int P, int DIMS> cp_code indices(cp_stream *stream, const cpi_gather *g, int64_t *to)
{
    return cpi_each_part(g, g->bytes, 0, [&](const cpi_gather *part, int64_t before) {
        cpi_gather_args<P> r;
        cp_code code = cpi_gather_args_of(stream, part, 1, &r);
        if (code) return code;
        const unsigned blocks = cpi_cuda_blocks(r.count.by, THREADS * EACH, INT32_MAX);
        offsets_kernel<P, DIMS><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(r, to + before);
        return CPI_LAUNCHED(stream, g->function);
    });
}

/* Numbers as coordinates; from[k], the k-th axis by which they are divided, is where its row of `to` begins. */
struct numbered {
    int ndim;
    cpi_divisor64 extent[CP_MAXDIM];
    int64_t from[CP_MAXDIM];
};

template <int P, int DIMS> __global__ void __launch_bounds__(THREADS)
unravel_kernel(const __grid_constant__ cpi_gather_args<P> r, const __grid_constant__ numbered a, int64_t *to)
{
    const uint32_t first = blockIdx.x * (THREADS * EACH) + threadIdx.x;
    uint32_t i[EACH];
    int64_t array[EACH];
    bool wanted[EACH], good[EACH];
    cpi_find_indexed<DIMS>(r, first, THREADS, i, wanted, array, good);
    for (int k = 0; k < a.ndim; k++) {
        const cpi_divisor64 extent = a.extent[k];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int64_t q = k == a.ndim - 1 ? 0 : (int64_t)cpi_quotient64(&extent, (uint64_t)array[e]);
            if (good[e]) to[a.from[k] + i[e]] = array[e] - q * (int64_t)extent.by;
            array[e] = q;
        }
    }
}

template <int P, int DIMS>
cp_code unravel(cp_stream *stream, const cpi_gather *g, const cpi_numbered *axes, int64_t *to)
{
    const int64_t count = cpi_gather_count(g);
    numbered a = {axes->ndim, {}, {}};
    for (int k = 0; k < a.ndim; k++) {
        const int d = axes->columns ? k : a.ndim - 1 - k;
        a.extent[k] = cpi_divisor64_of(axes->shape[d] > 0 ? axes->shape[d] : 1), a.from[k] = d * count;
    }
    return cpi_each_part(g, g->bytes, 0, [&](const cpi_gather *part, int64_t before) {
        cpi_gather_args<P> r;
        cp_code code = cpi_gather_args_of(stream, part, 1, &r);
        if (code) return code;
        const unsigned blocks = cpi_cuda_blocks(r.count.by, THREADS * EACH, INT32_MAX);
        unravel_kernel<P, DIMS><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(r, a, to + before);
        return CPI_LAUNCHED(stream, g->function);
    });
}

} // namespace

cp_code cpi_index_cuda_gather(cp_stream *stream, const cpi_gather *g)
{
    cp_code code;
    if (cpi_cuda_columns(stream, g, &code)) return code;
    return cpi_with_dims(g, [&](auto p, auto d) { return gather<decltype(p)::value, decltype(d)::value>(stream, g); });
}

cp_code cpi_index_cuda_offsets(cp_stream *stream, const cpi_gather *g, int64_t *to)
{
    return cpi_with_dims(g, [&](auto p, auto d) {
        return indices<decltype(p)::value, decltype(d)::value>(stream, g, to);
    });
}

cp_code cpi_index_cuda_unravel(cp_stream *stream, const cpi_gather *g, const cpi_numbered *axes, int64_t *to)
{
    return cpi_with_dims(g, [&](auto p, auto d) {
        return unravel<decltype(p)::value, decltype(d)::value>(stream, g, axes, to);
    });
}
