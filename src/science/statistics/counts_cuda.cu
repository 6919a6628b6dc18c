/* Counts of whole numbers and of bins on the GPU.
 *
 * Counts of few bins are gathered in shared memory, a table a block or, of fewer yet, several that neighbouring threads
 * take turns in, so that those which meet in a bin need not wait for each other; else in the result. Only whole numbers
 * are added by atomics, so the same input gives the same counts. Elements are read in vectors. */
#include "cuda/elements.h"
#include "statistics/cuda.h"
#include "statistics/methods.h"

namespace {

enum {
    THREADS = 512, RESIDENT = 3,
    SHARED_BINS = 16384,  /* counts of a block */
    STAGED = CPI_MADE_BINS, /* bins whose edges are in shared memory too */
    ALONE = 8192,         /* elements that one block counts */
    UNASKED = 48 * 1024   /* bytes of shared memory that every kernel may have */
};

/* f(element, place) for the elements of a thread, among all of the grid's: vectors, then what lies beside them. */
template <class T, class F> __device__ __forceinline__ void each_element(const T *x, int64_t n, F f)
{
    constexpr int V = (int)(16 / sizeof(T));
    const int64_t thread = blockIdx.x * (int64_t)THREADS + threadIdx.x, threads = (int64_t)gridDim.x * THREADS;
    int64_t head = (int64_t)((-(uintptr_t)x & 15) / sizeof(T));
    if (head > n) head = n;
    const int64_t vectors = (n - head) / V, beside = n - vectors * V;
    const uint4 *body = (const uint4 *)(x + head);
    for (int64_t v = thread; v < vectors; v += threads) {
        const uint4 bits = body[v];
        T e[V];
        memcpy(e, &bits, sizeof e);
#pragma unroll
        for (int j = 0; j < V; j++) f(e[j], head + v * V + j);
    }
    for (int64_t i = thread; i < beside; i += threads) {
        const int64_t at = i < head ? i : i + vectors * V;
        f(x[at], at);
    }
}

/* --- tables --- */

/* Of `bins` counters each has 2^shift, those of one bin side by side; shift negative: there is none, `to` is counted
 * in. A grid of one block stores counts, others add them to what is 0. */
struct counts {
    int64_t bins;
    int shift;
    unsigned long long *to;
};

__device__ void clear(const counts &c, unsigned *table)
{
    if (c.shift < 0) return;
    for (int i = threadIdx.x; i < (int)c.bins << c.shift; i += THREADS) table[i] = 0;
}

__device__ void deliver(const counts &c, const unsigned *table)
{
    if (c.shift < 0) return;
    const int copies = 1 << c.shift;
    for (int i = threadIdx.x; i < (int)c.bins; i += THREADS) {
        unsigned long long sum = 0;
        for (int k = 0; k < copies; k++) sum += table[(i << c.shift) + ((k + i) & (copies - 1))];
        if (gridDim.x == 1) c.to[i] = sum;
        else if (sum) atomicAdd(c.to + i, sum);
    }
}

/* How counts are gathered, and by how many blocks of how much shared memory besides `more`. */
struct plan {
    counts c;
    unsigned blocks;
    int64_t bytes;
};

plan plan_for(cp_stream *stream, int64_t n, int64_t size, int64_t bins, void *to, int64_t more)
{
    plan p = {{bins, -1, (unsigned long long *)to}, 1, more};
    const bool few = bins && bins <= SHARED_BINS && (bins <= STAGED || n >= 4 * bins);
    if (few) p.c.shift = bins <= 256 ? 5 : bins <= 1024 ? 3 : 0;
    if (p.c.shift >= 0) p.bytes += bins * (int64_t)sizeof(unsigned) << p.c.shift;
    if (n > ALONE) p.blocks = cpi_cuda_blocks(n * size, THREADS * 32, (int64_t)cpi_cuda_units(stream) * RESIDENT);
    /* a block sees less than 2^32 elements, so its counts fit a word */
    if (n / p.blocks > 0x7fffffffll) p.blocks = (unsigned)(n / 0x7fffffffll) + 1;
    return p;
}

__global__ void __launch_bounds__(THREADS) begin(counts c, long long *extent)
{
    const int64_t thread = blockIdx.x * (int64_t)THREADS + threadIdx.x, threads = (int64_t)gridDim.x * THREADS;
    for (int64_t i = thread; i < c.bins; i += threads) c.to[i] = 0;
    if (extent && !thread) extent[0] = LLONG_MAX, extent[1] = LLONG_MIN;
}

/* Makes counts 0 and the extent empty, where a kernel does not store them. */
cp_code begin_counts(cp_stream *stream, const plan &p, long long *extent)
{
    if (p.blocks == 1 && (p.c.shift >= 0 || (!p.c.bins && extent))) return CP_OK;
    begin<<<cpi_cuda_blocks(p.c.bins, THREADS * 4, (int64_t)cpi_cuda_units(stream) * 4), THREADS, 0,
            cpi_cuda_stream(stream)>>>(p.c, extent);
    return CPI_LAUNCHED(stream, "bincount");
}

/* --- whole numbers --- */

/* What elements are compared in: as wide as need be, of 64 bits as int64. */
template <class T> using wide =
    std::conditional_t<sizeof(T) == 8, int64_t, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>>;

__device__ void join_extents(long long least, long long most, bool alone, long long *extent)
{
    __shared__ long long ends[2][THREADS / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int d = 16; d; d /= 2) {
        const long long low = __shfl_down_sync(0xffffffffu, least, d), high = __shfl_down_sync(0xffffffffu, most, d);
        least = low < least ? low : least, most = high > most ? high : most;
    }
    if (!lane) ends[0][warp] = least, ends[1][warp] = most;
    __syncthreads();
    if (threadIdx.x) return;
    for (int w = 1; w < THREADS / 32; w++) {
        if (ends[0][w] < least) least = ends[0][w];
        if (ends[1][w] > most) most = ends[1][w];
    }
    if (alone) extent[0] = least, extent[1] = most;
    else atomicMin(extent, least), atomicMax(extent + 1, most);
}

template <class T, bool EXTENT> __global__ void __launch_bounds__(THREADS, RESIDENT)
count_whole(const T *x, int64_t n, const counts c, bool stored, long long *extent)
{
    extern __shared__ unsigned table[];
    typedef wide<T> W;
    typedef std::make_unsigned_t<W> U;
    constexpr W LEAST = std::is_signed_v<W> ? (W)((U)1 << (8 * sizeof(W) - 1)) : 0;
    W least = (W) ~(U)LEAST, most = LEAST;
    clear(c, table);
    __syncthreads();
    if (c.shift >= 0) {
        const unsigned own = threadIdx.x & ((1u << c.shift) - 1);
        const U bins = (U)c.bins;
        each_element(x, n, [&](T v, int64_t) {
            const W w = (W)v;
            if (EXTENT) least = w < least ? w : least, most = w > most ? w : most;
            if ((U)w < bins) atomicAdd(table + (((unsigned)w << c.shift) + own), 1u);
        });
    } else {
        each_element(x, n, [&](T v, int64_t) {
            const W w = (W)v;
            if (EXTENT) least = w < least ? w : least, most = w > most ? w : most;
            if ((uint64_t)(int64_t)w < (uint64_t)c.bins) atomicAdd(c.to + w, 1ull);
        });
    }
    __syncthreads();
    deliver(c, table);
    if (EXTENT) join_extents(least, most, stored, extent);
}

template <class T, bool EXTENT>
cp_code count(cp_stream *stream, int64_t n, const void *x, int64_t bins, void *to, long long *extent)
{
    const plan p = plan_for(stream, n, sizeof(T), bins, to, 0);
    cp_code code = CP_OK;
    if (p.bytes > UNASKED) code = cpi_cuda_allow(stream, count_whole<T, EXTENT>, p.bytes, "bincount");
    if (!code) code = begin_counts(stream, p, extent);
    if (code) return code;
    const bool stored = p.blocks == 1 && (p.c.shift >= 0 || !bins);
    const cudaStream_t cs = cpi_cuda_stream(stream);
    count_whole<T, EXTENT><<<p.blocks, THREADS, (size_t)p.bytes, cs>>>((const T *)x, n, p.c, stored, extent);
    return CPI_LAUNCHED(stream, "bincount");
}

/* --- bins --- */

/* Evenly spaced edges that lie at most half of this, in bins, from where they should: then the place of a number that
 * is farther from them tells its bin, and no edge is read. */
#define NEAR (1 / 1024.0)

struct binning {
    const double *edges;
    int64_t bins;
    bool even, sure;
    double first, scale;

    __device__ __forceinline__ int64_t operator()(double x) const
    {
        if (sure) {
            const double position = (x - first) * scale;
            if (position > 0 && position < (double)bins) {
                const int i = (int)position;
                const double share = position - i;
                if (share > NEAR && share < 1 - NEAR) return i;
            }
        }
        return cpi_bin_of(edges, bins, even, first, scale, x);
    }
};

template <class T> __device__ __forceinline__ double number(T x)
{
    return (double)cpi_widen(x);
}

template <class T> __global__ void __launch_bounds__(THREADS, RESIDENT)
bin_each(const T *x, int64_t n, binning b, const __grid_constant__ cpi_edges made, const counts c, int64_t *index)
{
    extern __shared__ double staged[];
    const bool here = b.bins <= STAGED;
    unsigned *table = (unsigned *)(staged + (here ? b.bins + 1 : 0));
    if (here) {
        bool good = b.even;
        for (int i = threadIdx.x; i <= (int)b.bins; i += THREADS) {
            const double e = made.to ? cpi_edge_at(&made, b.bins, i) : b.edges[i], off = (e - b.first) * b.scale - i;
            staged[i] = e;
            if (made.to && !blockIdx.x) cpi_put_edge(&made, i, e);
            good = good && off > -NEAR / 2 && off < NEAR / 2;
        }
        b.edges = staged;
        b.sure = __syncthreads_and(good);
    }
    if (index) {
        each_element(x, n, [&](T v, int64_t i) { index[i] = b(number(v)); });
        return;
    }
    clear(c, table);
    __syncthreads();
    const unsigned own = threadIdx.x & ((1u << (c.shift < 0 ? 0 : c.shift)) - 1);
    each_element(x, n, [&](T v, int64_t) {
        const int64_t k = b(number(v));
        if (k >= b.bins) return;
        if (c.shift >= 0) atomicAdd(table + (((unsigned)k << c.shift) + own), 1u);
        else atomicAdd(c.to + k, 1ull);
    });
    __syncthreads();
    deliver(c, table);
}

template <class T> cp_code start_bins(cp_stream *stream, const cpi_bins *b)
{
    const binning how = {b->edges, b->bins, b->even, false, b->first, (double)b->bins / (b->last - b->first)};
    const int64_t edges = b->bins <= STAGED ? (b->bins + 1) * (int64_t)sizeof(double) : 0;
    plan p = plan_for(stream, b->n, sizeof(T), b->index ? 0 : b->bins, b->counts, edges);
    cp_code code = CP_OK;
    if (p.bytes > UNASKED) code = cpi_cuda_allow(stream, bin_each<T>, p.bytes, "histogram");
    if (!code && !b->index) code = begin_counts(stream, p, nullptr);
    if (code) return code;
    bin_each<T><<<p.blocks, THREADS, (size_t)p.bytes, cpi_cuda_stream(stream)>>>((const T *)b->x, b->n, how,
                                                                                b->made, p.c, b->index);
    return CPI_LAUNCHED(stream, "histogram");
}

} // namespace

cp_code cpi_statistics_cuda_tally(cp_stream *stream, cp_type type, int64_t n, const void *x, int64_t bins,
                                  int64_t *counts, int64_t *extent)
{
    long long *ends = (long long *)extent;
    switch ((int)type) {
    case CP_BOOL: case CP_UINT8: return count<uint8_t, true>(stream, n, x, bins, counts, ends);
    case CP_INT8: return count<int8_t, true>(stream, n, x, bins, counts, ends);
    case CP_INT16: return count<int16_t, true>(stream, n, x, bins, counts, ends);
    case CP_UINT16: return count<uint16_t, true>(stream, n, x, bins, counts, ends);
    case CP_INT32: return count<int32_t, true>(stream, n, x, bins, counts, ends);
    case CP_UINT32: return count<uint32_t, true>(stream, n, x, bins, counts, ends);
    default: return count<int64_t, true>(stream, n, x, bins, counts, ends);
    }
}

cp_code cpi_statistics_cuda_bincount(cp_stream *stream, int64_t n, const int64_t *x, const double *weights,
                                     int64_t bins, void *to)
{
    if (weights) return cpi_weigh_cuda(stream, n, x, weights, bins, (double *)to);
    return count<int64_t, false>(stream, n, x, bins, to, nullptr);
}

cp_code cpi_statistics_cuda_bins(cp_stream *stream, const cpi_bins *b)
{
    return cpi_with_type(b->type, [&](auto e) -> cp_code {
        typedef decltype(e) E;
        if constexpr (E::kind == 'c') return cpi_host->fail(CP_ERROR_INTERNAL, "bins of complex numbers");
        else return start_bins<typename E::T>(stream, b);
    });
}
