/* Windows in shared memory: a block reads its part of the image once, continued beyond the edges, and a thread makes
 * several neighbouring results from registers. This header needs no CUDA runtime, so that tests run it on the CPU
 * (tests/python/test_filters_tiles.py). */
#ifndef CPI_FILTERS_TILE_CUH
#define CPI_FILTERS_TILE_CUH

#include <type_traits>

#include "filters/elements.cuh"
#include "filters/network.cuh"
#include "loop/divisor.h"

enum { TILE_THREADS = 256, TILE_LANES = 32, TILE_BATCH = 4 };

/* What a line filter's blocks do. Lines along (inner < TILE_LANES): a block takes `lines` of them and `positions` of
 * each, `threads` threads a line. Lines across: TILE_LANES neighbouring lines. */
struct tile_lines {
    cpi_line_filter f;
    bool nan_low;
    int n, inner, size, before;     /* of f, in 32 bits */
    int rank;                       /* of tile_ranked */
    int positions, reach;           /* of a tile; and with the window's surroundings */
    int lines, threads, pitch;      /* along: pitch, the elements of a line in shared memory */
    uint32_t all_lines, tiles;      /* of the image; of a line: where tiles lie is blockIdx.x = part * tiles + tile */
    cpi_divisor by_inner, by_tiles, by_threads;
};

/* Where element e of a line lies: after R elements there is a gap, so that threads of a warp, R elements apart, meet no
 * bank twice. */
template <int R> __device__ __forceinline__ int tile_place_of(int e) { return e + (int)((unsigned)e / R); }

/* Element c of what a thread sees: its R results' windows begin at 0 .. R - 1. */
template <class W, int R> struct tile_along {
    W *at;
    __device__ __forceinline__ W &operator[](int c) const { return at[tile_place_of<R>(c)]; }
};
template <class W, int R> struct tile_across {
    W *at;
    __device__ __forceinline__ W &operator[](int c) const { return at[c * TILE_LANES]; }
};

/* --- the results of a thread --- */

/* SciPy's order: the middle first, then pairs from the ends inwards; without symmetry the last one first. */
template <int R, class X>
__device__ __forceinline__ void tile_correlate(const X &x, const double *w, int size, int way, double (&sum)[R])
{
    double a[R], b[R];
    const int half = size / 2;
#pragma unroll
    for (int i = 0; i < R; i++) {
        sum[i] = x[(way ? half : size - 1) + i] * __ldg(w + (way ? half : size - 1));
        a[i] = x[i];
        if (way) b[i] = x[size - 1 + i];
    }
    if (!way) {
        for (int k = 0; k < size - 1; k += R) {
#pragma unroll
            for (int j = 0; j < R; j++) { /* a is turned round, not moved */
                if (k + j >= size - 1) break;
                const double c = __ldg(w + k + j);
#pragma unroll
                for (int i = 0; i < R; i++) sum[i] += a[(i + j) % R] * c;
                a[j] = x[k + j + R];
            }
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < R; i++) b[i] = way > 0 ? b[i] : -b[i]; /* a - b is a + (-b) */
    for (int k = 0; k < half; k += R) {
#pragma unroll
        for (int j = 0; j < R; j++) {
            if (k + j >= half) break;
            const double c = __ldg(w + k + j);
#pragma unroll
            for (int i = 0; i < R; i++) sum[i] += (a[(i + j) % R] + b[(i - j + R) % R]) * c;
            a[j] = x[k + j + R];
            const double other = x[size - 2 - k - j];
            b[R - 1 - j] = way > 0 ? other : -other;
        }
    }
}

/* a / b of a count b, rounded as a division is: with the rounded reciprocal r the remainder of a * r is known exactly
 * (Markstein). */
__device__ __forceinline__ double tile_quotient(double a, double b, double r)
{
    const double size = fabs(a);
    if (!(size > 1e-280 && size < 1e300)) return a / b;
    const double q = a * r;
    return fma(fma(-q, b, a), r, q);
}
template <int R, class X>
__device__ __forceinline__ void tile_mean(const X &x, int size, double (&sum)[R])
{
    double a[R];
#pragma unroll
    for (int i = 0; i < R; i++) a[i] = x[i], sum[i] = 0;
    for (int k = 0; k < size; k += R) {
#pragma unroll
        for (int j = 0; j < R; j++) {
            if (k + j >= size) break;
#pragma unroll
            for (int i = 0; i < R; i++) sum[i] += a[(i + j) % R];
            a[j] = x[k + j + 1 < size ? k + j + R : 0];
        }
    }
    const double b = (double)size, r = 1 / b;
#pragma unroll
    for (int i = 0; i < R; i++) sum[i] = tile_quotient(sum[i], b, r);
}

/* Elements R - 1 .. size - 1 are in all windows; before them and behind them each window has one more or one less.
 * size >= R - 1. */
template <bool LOW, class K> __device__ __forceinline__ K tile_better(K a, K b)
{
    return LOW ? (a < b ? a : b) : (a > b ? a : b);
}
template <int R, bool LOW, class K, class X>
__device__ __forceinline__ void tile_extreme(const X &x, int size, K (&best)[R])
{
    K all = LOW ? ~(K)0 : 0;
    for (int k = R - 1; k < size; k++) all = tile_better<LOW, K>(all, x[k]);
    best[R - 1] = all;
#pragma unroll
    for (int i = R - 2; i >= 0; i--) best[i] = all = tile_better<LOW, K>(all, x[i]);
    K behind = LOW ? ~(K)0 : 0;
#pragma unroll
    for (int i = 1; i < R; i++) {
        behind = tile_better<LOW, K>(behind, x[size - 1 + i]);
        best[i] = tile_better<LOW, K>(best[i], behind);
    }
}

/* --- work elements: numbers for sums, keys for orders --- */

/* The type of elements that a kernel knows; tile_any: what is asked at run time. */
struct tile_any {};
template <class T> __device__ __forceinline__ cp_type tile_type(cp_type t) { return t; }
template <> __device__ __forceinline__ cp_type tile_type<float>(cp_type) { return CP_FLOAT32; }
template <> __device__ __forceinline__ cp_type tile_type<double>(cp_type) { return CP_FLOAT64; }
template <> __device__ __forceinline__ cp_type tile_type<uint8_t>(cp_type) { return CP_UINT8; }
/* Code of all types, once. */
static __device__ __noinline__ void tile_store(cp_type t, void *p, int64_t i, double v) { filter_store(t, p, i, v); }
/* A sum; that its type is T is likely. */
template <class T> __device__ __forceinline__ void tile_put(cp_type t, void *p, int64_t i, double v)
{
    constexpr bool any = std::is_same<T, tile_any>::value;
    const cp_type likely = any ? CP_FLOAT32 : tile_type<T>(t);
    if (t == likely) filter_store(likely, p, i, v);
    else tile_store(t, p, i, v);
}

/* The constant as a key. */
template <class K> static __device__ __noinline__ K tile_fill(cp_type t, double v, bool nan_low)
{
    uint64_t value = 0;
    filter_store(t, &value, 0, v);
    return filter_key<K>(t, &value, 0, nan_low);
}

template <class T> struct tile_number {
    typedef double W;
    static __device__ __forceinline__ W of(const cpi_line_filter &f, int64_t i, bool)
    {
        return filter_load(tile_type<T>(f.from), f.in, i);
    }
    static __device__ __forceinline__ W fill(const cpi_line_filter &f, bool) { return f.fill; }
    static __device__ __forceinline__ void put(const cpi_line_filter &f, int64_t i, W v)
    {
        tile_put<T>(f.to, f.out, i, v);
    }
    template <int R, class X>
    static __device__ __forceinline__ void make(const tile_lines &a, const X &x, const double *w, int way, W (&v)[R])
    {
        if (a.f.op == CPI_LINE_CORRELATE) tile_correlate<R>(x, w, a.size, way, v);
        else tile_mean<R>(x, a.size, v);
    }
};
template <class K, class T> struct tile_key {
    typedef K W;
    static __device__ __forceinline__ W of(const cpi_line_filter &f, int64_t i, bool nan_low)
    {
        return filter_key<K>(tile_type<T>(f.from), f.in, i, nan_low);
    }
    static __device__ __forceinline__ W fill(const cpi_line_filter &f, bool nan_low)
    {
        return tile_fill<K>(f.from, f.fill, nan_low);
    }
    static __device__ __forceinline__ void put(const cpi_line_filter &f, int64_t i, W v)
    {
        filter_set_key<K>(tile_type<T>(f.from), f.out, i, v);
    }
    template <int R, class X>
    static __device__ __forceinline__ void make(const tile_lines &a, const X &x, const double *, int, W (&v)[R])
    {
        if (a.f.op == CPI_LINE_MINIMUM) tile_extreme<R, true, K>(x, a.size, v);
        else tile_extreme<R, false, K>(x, a.size, v);
    }
};

/* The rank of a line's N elements. */
template <class K, class T, int N> struct tile_ranked : tile_key<K, T> {
    typedef K W;
    template <int R, class X>
    static __device__ __forceinline__ void make(const tile_lines &a, const X &x, const double *, int, W (&v)[R])
    {
#pragma unroll
        for (int i = 0; i < R; i++) {
            K own[N];
#pragma unroll
            for (int k = 0; k < N; k++) own[k] = x[i + k];
            network_sort<K, N>(own);
            v[i] = network_pick<K, N>(own, a.rank);
        }
    }
};

/* --- blocks --- */

/* Are the weights symmetric (1), antisymmetric (-1) or neither (0)? Each warp looks by itself. */
__device__ __forceinline__ int tile_symmetry(const tile_lines &a)
{
    if (a.f.op != CPI_LINE_CORRELATE) return 0;
    const double *w = a.f.weights + a.size / 2;
    bool even = a.size & 1, odd = even;
    for (int k = 1 + (int)threadIdx.x % 32; k <= a.size / 2; k += 32) {
        const double p = __ldg(w + k), q = __ldg(w - k);
        even = even && !(fabs(p - q) > 2.220446049250313e-16);
        odd = odd && !(fabs(p + q) > 2.220446049250313e-16);
    }
    even = __all_sync(~0u, even), odd = __all_sync(~0u, odd);
    return even ? 1 : odd ? -1 : 0;
}

/* The element 0 of a line. */
__device__ __forceinline__ int64_t tile_line(const tile_lines &a, uint32_t line)
{
    if (a.inner == 1) return (int64_t)line * a.n;
    const uint32_t outer = cpi_quotient(&a.by_inner, line);
    return (int64_t)outer * a.n * a.inner + (line - outer * (uint32_t)a.inner);
}

/* The element of an axis of n elements that stands at position p; -1: the constant. */
static __device__ __noinline__ int tile_position(int p, int n, cpi_boundary mode)
{
    return (int)cpi_boundary_index(p, n, mode);
}
/* Element p, any position, of a line that begins at `line`. */
template <class E>
__device__ __forceinline__ typename E::W tile_element(const tile_lines &a, int64_t line, int p)
{
    int i = p;
    if ((unsigned)p >= (unsigned)a.n) i = tile_position(p, a.n, a.f.boundary);
    return i < 0 ? E::fill(a.f, a.nan_low) : E::of(a.f, line + (int64_t)i * a.inner, a.nan_low);
}

/* Block: `lines` lines, a tile of each. */
template <class E, int R>
__device__ __forceinline__ void tile_lines_along(const tile_lines &a, typename E::W *shared)
{
    typedef typename E::W W;
    const uint32_t part = cpi_quotient(&a.by_tiles, blockIdx.x), line0 = part * (uint32_t)a.lines;
    const int first = (int)(blockIdx.x - part * a.tiles) * a.positions;
    const int lines = a.all_lines - line0 < (uint32_t)a.lines ? (int)(a.all_lines - line0) : a.lines;
    const int rest = a.n - first + a.size - 1, live = rest < a.reach ? rest : a.reach;
    /* elements low .. end - 1 lie inside the line */
    const int low = a.before > first ? a.before - first : 0;
    const int end = a.n - first + a.before < live ? a.n - first + a.before : live;
    const int beyond = low + (live > end ? live - end : 0);
    /* the block takes one line, or its warps take one each */
    const bool one = a.lines == 1;
    const int l0 = one ? 0 : (int)threadIdx.x / 32, lines_step = one ? 1 : TILE_THREADS / 32;
    const int e0 = one ? (int)threadIdx.x : (int)threadIdx.x % 32, step = one ? TILE_THREADS : 32;
    for (int l = l0; l < lines; l += lines_step) {
        const int64_t line = tile_line(a, line0 + (uint32_t)l), at = line + (int64_t)(first - a.before) * a.inner;
        W *to = shared + l * a.pitch;
#pragma unroll 4
        for (int e = low + e0; e < end; e += step)
            to[tile_place_of<R>(e)] = E::of(a.f, at + (int64_t)e * a.inner, a.nan_low);
        for (int k = e0; k < beyond; k += step) {
            const int e = k < low ? k : end + k - low;
            to[tile_place_of<R>(e)] = tile_element<E>(a, line, first - a.before + e);
        }
    }
    const int way = tile_symmetry(a);
    __syncthreads();
    const int my = (int)cpi_quotient(&a.by_threads, threadIdx.x), j = (int)threadIdx.x - my * a.threads;
    W v[R];
    W *own = shared + my * a.pitch + j * (R + 1);
    if (my < lines) E::template make<R>(a, tile_along<W, R>{own}, a.f.weights, way, v);
    __syncthreads();
    if (my < lines)
#pragma unroll
        for (int i = 0; i < R; i++) own[i] = v[i];
    __syncthreads();
    const int some = a.n - first < a.positions ? a.n - first : a.positions;
    for (int l = l0; l < lines; l += lines_step) {
        const int64_t to = tile_line(a, line0 + (uint32_t)l) + (int64_t)first * a.inner;
#pragma unroll 2
        for (int e = e0; e < some; e += step)
            E::put(a.f, to + (int64_t)e * a.inner, shared[l * a.pitch + tile_place_of<R>(e)]);
    }
}

/* Block: TILE_LANES lines side by side; blockIdx.y: which ones of an outer index. Warps take R positions each. */
template <class E, int R>
__device__ __forceinline__ void tile_lines_across(const tile_lines &a, typename E::W *shared)
{
    typedef typename E::W W;
    enum { WARPS = TILE_THREADS / TILE_LANES };
    const uint32_t outer = cpi_quotient(&a.by_tiles, blockIdx.x);
    const int first = (int)(blockIdx.x - outer * a.tiles) * a.positions;
    const int lane = threadIdx.x % TILE_LANES, warp = threadIdx.x / TILE_LANES;
    const int column = (int)blockIdx.y * TILE_LANES + lane;
    const int64_t line = (int64_t)outer * a.n * a.inner + column;
    const int rest = a.n - first + a.size - 1, live = rest < a.reach ? rest : a.reach;
    const int low = a.before > first ? a.before - first : 0;
    const int end = a.n - first + a.before < live ? a.n - first + a.before : live;
    const int64_t block = line + (int64_t)(first - a.before) * a.inner;
    for (int e0 = warp; e0 < live && column < a.inner; e0 += TILE_BATCH * WARPS) {
        W v[TILE_BATCH];
#pragma unroll
        for (int u = 0; u < TILE_BATCH; u++) {
            const int e = e0 + u * WARPS;
            if (e >= low && e < end) v[u] = E::of(a.f, block + (int64_t)e * a.inner, a.nan_low);
        }
#pragma unroll
        for (int u = 0; u < TILE_BATCH; u++) {
            const int e = e0 + u * WARPS;
            if (e >= low && e < end) shared[e * TILE_LANES + lane] = v[u];
        }
    }
    const int beyond = low + (live > end ? live - end : 0);
    for (int k = warp; k < beyond && column < a.inner; k += WARPS) {
        const int e = k < low ? k : end + k - low;
        shared[e * TILE_LANES + lane] = tile_element<E>(a, line, first - a.before + e);
    }
    const int way = tile_symmetry(a);
    __syncthreads();
    if (column >= a.inner) return;
    for (int p = warp * R; p < a.positions && first + p < a.n; p += WARPS * R) {
        W v[R];
        E::template make<R>(a, tile_across<W, R>{shared + p * TILE_LANES + lane}, a.f.weights, way, v);
#pragma unroll
        for (int i = 0; i < R; i++)
            if (first + p + i < a.n) E::put(a.f, line + (int64_t)(first + p + i) * a.inner, v[i]);
    }
}

#endif
