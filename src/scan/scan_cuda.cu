/* Scans on the GPU.
 *
 * A row is cut into tiles of a block's size. A row of several tiles takes three launches: the tiles' sums, a scan of
 * these in one block a row, and the tiles again from what stands before them. Nothing waits for another block and
 * nothing is atomic, so the same input gives the same bits. Columns are threads side by side. */
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "cuda/cuda.h"
#include "cuda/elements.h"
#include "scan/scan.h"

namespace {

enum { THREADS = 256, ITEMS = 8, TILE = THREADS * ITEMS };

/* --- what is gathered --- */

template <class U, bool MULTIPLY> struct whole {
    typedef U T;
    typedef U A;
    static __device__ A load(T x) { return x; }
    static __device__ T store(A a) { return a; }
    static __device__ A nothing() { return MULTIPLY ? 1 : 0; }
    __device__ A operator()(A a, A b) const
    {
        typedef std::conditional_t<sizeof(U) == 8, uint64_t, uint32_t> W;
        return (A)(MULTIPLY ? (W)a * (W)b : (W)a + (W)b);
    }
};
template <bool MULTIPLY> struct truth {
    typedef uint8_t T;
    typedef uint8_t A;
    static __device__ A load(T x) { return x != 0; }
    static __device__ T store(A a) { return a; }
    static __device__ A nothing() { return MULTIPLY ? 1 : 0; }
    __device__ A operator()(A a, A b) const { return MULTIPLY ? a & b : a | b; }
};
template <class F, bool MULTIPLY> struct real {
    typedef F T;
    typedef double A;
    static __device__ A load(T x) { return x; }
    static __device__ T store(A a) { return (T)a; }
    static __device__ A nothing() { return MULTIPLY ? 1.0 : -0.0; }
    __device__ A operator()(A a, A b) const { return MULTIPLY ? a * b : a + b; }
};
/* The first factor is the first element, not 1 times it, which would be NaN where a part is infinite. */
struct pair { double re, im; int begun; };
template <class C, bool MULTIPLY> struct complexes {
    typedef C T;
    typedef pair A;
    static __device__ A load(T x) { return pair{x.re, x.im, 1}; }
    static __device__ T store(A a) { T r; r.re = (decltype(r.re))a.re, r.im = (decltype(r.im))a.im; return r; }
    static __device__ A nothing() { return pair{0, 0, 0}; }
    __device__ A operator()(A a, A b) const
    {
        if (!a.begun) return b;
        if (!b.begun) return a;
        if (MULTIPLY) return pair{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re, 1};
        return pair{a.re + b.re, a.im + b.im, 1};
    }
};

template <class E, bool MULTIPLY> auto words_of()
{
    if constexpr (E::type == CP_BOOL) return truth<MULTIPLY>();
    else if constexpr (E::kind == 'c') return complexes<typename E::T, MULTIPLY>();
    else if constexpr (cpi_half_element<typename E::T>) return real<float, MULTIPLY>(); /* never asked for */
    else if constexpr (E::kind == 'f') return real<typename E::T, MULTIPLY>();
    else return whole<typename E::Bits, MULTIPLY>();
}

/* --- kernels --- */

template <class W> __global__ void __launch_bounds__(THREADS)
tile_sums(const typename W::T *x, int64_t n, int64_t tiles, int64_t all, typename W::A *sums)
{
    typedef typename W::A A;
    typedef cub::BlockReduce<A, THREADS> Reduce;
    __shared__ typename Reduce::TempStorage shared;
    for (int64_t t = blockIdx.x; t < all; t += gridDim.x) {
        const int64_t first = t % tiles * TILE, left = n - first;
        const typename W::T *from = x + t / tiles * n + first;
        A a = W::nothing();
#pragma unroll
        for (int k = 0; k < ITEMS; k++) { /* neighbours stay in one thread: the order of a product */
            const int i = threadIdx.x * ITEMS + k;
            if (i < left) a = W()(a, W::load(from[i]));
        }
        a = Reduce(shared).Reduce(a, W());
        if (!threadIdx.x) sums[t] = a;
        __syncthreads();
    }
}

/* Each row's sums to what stands before each. */
template <class A, class W> __global__ void __launch_bounds__(THREADS) offsets(int64_t tiles, A *sums)
{
    typedef cub::BlockScan<A, THREADS> Scan;
    __shared__ typename Scan::TempStorage shared;
    A *row = sums + blockIdx.x * tiles, before = W::nothing();
    for (int64_t first = 0; first < tiles; first += THREADS) {
        const int64_t i = first + threadIdx.x;
        A a = i < tiles ? row[i] : W::nothing(), all;
        Scan(shared).ExclusiveScan(a, a, W::nothing(), W(), all);
        if (i < tiles) row[i] = W()(before, a);
        before = W()(before, all);
        __syncthreads();
    }
}

/* Every tile from what stands before it (`before` NULL: a row is one tile). */
template <class W> __global__ void __launch_bounds__(THREADS)
scan_tiles(const typename W::T *x, typename W::T *to, int64_t n, int64_t tiles, int64_t all,
           const typename W::A *before)
{
    typedef typename W::A A;
    typedef cub::BlockScan<A, THREADS> Scan;
    __shared__ typename Scan::TempStorage shared;
    for (int64_t t = blockIdx.x; t < all; t += gridDim.x) {
        const int64_t first = t % tiles * TILE, left = n - first, place = t / tiles * n + first;
        A v[ITEMS], sum = W::nothing();
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            const int i = threadIdx.x * ITEMS + k;
            if (i < left) sum = W()(sum, W::load(x[place + i]));
            v[k] = sum;
        }
        A start;
        Scan(shared).ExclusiveScan(sum, start, W::nothing(), W());
        if (before) start = W()(before[t], start);
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            const int i = threadIdx.x * ITEMS + k;
            if (i < left) to[place + i] = W::store(W()(start, v[k]));
        }
        __syncthreads();
    }
}

template <class W> __global__ void __launch_bounds__(THREADS)
columns(const typename W::T *x, typename W::T *to, int64_t lanes, int64_t n, int64_t inner)
{
    for (int64_t l = blockIdx.x * (int64_t)THREADS + threadIdx.x; l < lanes; l += (int64_t)gridDim.x * THREADS) {
        const int64_t first = l / inner * n * inner + l % inner;
        typename W::A a = W::nothing();
        for (int64_t i = 0; i < n; i++) {
            a = W()(a, W::load(x[first + i * inner]));
            to[first + i * inner] = W::store(a);
        }
    }
}

template <class W> cp_code launch(cp_stream *stream, const cpi_scan *s)
{
    typedef typename W::T T;
    typedef typename W::A A;
    const cudaStream_t cs = cpi_cuda_stream(stream);
    const T *x = (const T *)s->from;
    T *to = (T *)s->to;
    const int64_t most = (int64_t)cpi_cuda_units(stream) * 1024;
    if (s->inner > 1) {
        const int64_t lanes = s->outer * s->inner;
        columns<W><<<cpi_cuda_blocks(lanes, THREADS, most), THREADS, 0, cs>>>(x, to, lanes, s->n, s->inner);
        return CPI_LAUNCHED(stream, "scan");
    }
    const int64_t tiles = (s->n - 1) / TILE + 1, all = s->outer * tiles;
    A *sums = NULL;
    cp_code code = CP_OK;
    if (tiles > 1) {
        if (!(sums = (A *)cpi_host->work_alloc(stream, (size_t)all * sizeof(A)))) return CP_ERROR_MEMORY;
        tile_sums<W><<<cpi_cuda_blocks(all, 1, most), THREADS, 0, cs>>>(x, s->n, tiles, all, sums);
        code = CPI_LAUNCHED(stream, "scan");
        if (!code) { /* rows of several tiles are fewer than blocks of a launch may be */
            offsets<A, W><<<(unsigned)s->outer, THREADS, 0, cs>>>(tiles, sums);
            code = CPI_LAUNCHED(stream, "scan");
        }
    }
    if (!code) {
        scan_tiles<W><<<cpi_cuda_blocks(all, 1, most), THREADS, 0, cs>>>(x, to, s->n, tiles, all, sums);
        code = CPI_LAUNCHED(stream, "scan");
    }
    cpi_host->work_free(stream, sums);
    return code;
}

cp_code scan(cp_stream *stream, const cpi_scan *s)
{
    return cpi_with_type(s->type, [=](auto element) {
        typedef decltype(element) E;
        return s->op == CPI_SCAN_ADD ? launch<decltype(words_of<E, false>())>(stream, s)
                                     : launch<decltype(words_of<E, true>())>(stream, s);
    });
}

} // namespace

extern const cpi_scan_ops cpi_scan_cuda;
const cpi_scan_ops cpi_scan_cuda = {scan};
