/* Reductions on the GPU: accumulators, the kernels (rows, short rows, columns), and how they are launched.
 *
 * A reducer F has: Raw (an element as stored), Acc (what is joined and exchanged), State (what one thread
 * accumulates), MASKS (whether it may have a mask), start, add, skip (a masked-out element), turn (between groups of
 * elements: keeps sequential sums short), result, join, finalize. Where elements that were loaded together can be added
 * faster than one by one, batch<F> is specialised.
 *
 * Invariants: joins have an order that depends on shapes and the device alone. The partial accumulators of a result
 * are joined by the last block to arrive, which resets their counter to zero. There are no atomics on floating-point
 * numbers. */
#ifndef CPI_REDUCE_REDUCER_CUH
#define CPI_REDUCE_REDUCER_CUH

#include <cmath>
#include <cstring>

#include "cuda/cuda.h"
#include "cuda/elements.h"
#include "loop/unravel.cuh"
#include "reduce/result.h"

namespace reducer {

enum { THREADS = 256 };

/* --- elements --- */

struct __align__(8) c64 { float re, im; };
struct c128 { double re, im; }; /* may be aligned to 8 only */

/* An element of E, a cpi_element, as loaded: a pair where it is complex, a bool as uint8. */
template <class T> struct stored_as { typedef T type; };
template <> struct stored_as<cp_complex64> { typedef c64 type; };
template <> struct stored_as<cp_complex128> { typedef c128 type; };
template <class E> using stored = typename stored_as<typename E::T>::type;

template <class T> __device__ __forceinline__ double number(T x) { return (double)cpi_widen(x); }
__device__ __forceinline__ double real(c64 x) { return (double)x.re; }
__device__ __forceinline__ double imag(c64 x) { return (double)x.im; }
__device__ __forceinline__ double real(c128 x) { return x.re; }
__device__ __forceinline__ double imag(c128 x) { return x.im; }

typedef cpi_pair pair;
typedef cpi_moments moments;

/* --- the plan of a launch, passed by value --- */

struct plan {
    cpi_reduce_args a;
    int64_t parts, each;   /* parts of the reduced range; vectors (rows) or rows (columns) of one */
    int64_t head, vectors; /* rows: elements before the first whole vector, vectors */
    int64_t tiles;         /* columns: tiles in the last kept dimension */
    int group;             /* rows: threads of one result (a power of two); short rows: rows of a block at a time;
                            * columns: columns of one tile */
    bool small;            /* every flat index fits 31 bits */
    int staged;            /* short rows: bytes of a block's rows, where these pass through shared memory; else 0 */
    char *partial;
    unsigned *counters;
    uint32_t *mailbox;     /* for nanargmin and nanargmax: `failure` is written here where all is NaN */
    uint32_t failure;
};

template <int WHICH> __device__ __forceinline__ int64_t step_of(const cpi_reduce_dim &d)
{
    return WHICH == 0 ? d.x : WHICH == 1 ? d.where : d.out;
}

/* Offset of linear index `flat` in merged dimensions. */
template <int WHICH> __device__ __forceinline__ int64_t offset(const cpi_reduce_dim *d, int n, int64_t flat, bool small)
{
    int64_t sum = 0;
    if (small) {
        uint32_t f = (uint32_t)flat;
#pragma unroll 1
        for (int i = n - 1; i > 0; i--) sum += (int64_t)cpi_index_along((uint32_t)d[i].n, f) * step_of<WHICH>(d[i]);
        flat = f;
    } else {
#pragma unroll 1
        for (int i = n - 1; i > 0; i--) sum += cpi_index_along(d[i].n, flat) * step_of<WHICH>(d[i]);
    }
    return n ? sum + flat * step_of<WHICH>(d[0]) : 0;
}

/* --- exchanging accumulators between threads and blocks, word by word --- */

template <class A> __device__ __forceinline__ A shuffle_down(A a, int by, int width)
{
    static_assert(sizeof(A) % 4 == 0, "accumulators are whole words");
    int w[sizeof(A) / 4];
    memcpy(w, &a, sizeof a);
#pragma unroll
    for (unsigned i = 0; i < sizeof(A) / 4; i++) w[i] = __shfl_down_sync(0xffffffffu, w[i], by, width);
    memcpy(&a, w, sizeof a);
    return a;
}

/* Bypasses the L1 cache, which may hold an older copy of another block's word. */
template <class A> __device__ __forceinline__ A load_partial(const char *p)
{
    int w[sizeof(A) / 4];
#pragma unroll
    for (unsigned i = 0; i < sizeof(A) / 4; i++) w[i] = __ldcg((const int *)p + i);
    A a;
    memcpy(&a, w, sizeof a);
    return a;
}

/* Joins the accumulators of groups of `group` threads (a power of two); the first thread of each has the result. */
template <class F> __device__ typename F::Acc join_group(typename F::Acc a, int group, typename F::Acc *shared)
{
    int width = group < 32 ? group : 32;
#pragma unroll 1
    for (int d = width / 2; d; d /= 2) a = F::join(a, shuffle_down(a, d, width));
    if (group <= 32) return a;
    int warp = threadIdx.x / 32, warps = group / 32;
    __syncthreads();
    if (threadIdx.x % 32 == 0) shared[warp] = a;
    __syncthreads();
    if (threadIdx.x % group == 0) {
#pragma unroll 1
        for (int i = 1; i < warps; i++) a = F::join(a, shared[warp + i]);
    }
    return a;
}

/* True in every thread of the block that arrives last of `parts`. */
__device__ __forceinline__ bool last_to_arrive(unsigned *counter, int64_t parts)
{
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(counter, 1u) == (unsigned)(parts - 1);
        if (last) *counter = 0;
    }
    __syncthreads();
    if (last) __threadfence();
    return last;
}

/* Joins the partial accumulators that one thread of a group reads, four at a time; they lie `step` bytes apart. */
template <class F>
__device__ __forceinline__ typename F::Acc join_parts(typename F::Acc acc, const char *from, int64_t step, int64_t i,
                                                      int64_t parts, int group)
{
    typedef typename F::Acc A;
    for (; i < parts; i += 4 * group) {
        A other[4];
#pragma unroll
        for (int u = 0; u < 4; u++)
            if (i + u * group < parts) other[u] = load_partial<A>(from + (i + u * group) * step);
#pragma unroll
        for (int u = 0; u < 4; u++)
            if (i + u * group < parts) acc = F::join(acc, other[u]);
    }
    return acc;
}

/* --- rows: consecutive reduced elements by consecutive threads, V of them in one load --- */

template <class R, int V> struct __align__(V == 1 ? alignof(R) : sizeof(R) * V <= 16 ? sizeof(R) * V : 16) vector {
    R x[V];
};

/* Adds the elements that a thread loaded at once: element e of vector u is at position `at` + u * `step` + e. */
template <class F> struct batch {
    template <int U, int V>
    static __device__ __forceinline__ void add(typename F::State &s, const vector<typename F::Raw, V> (&v)[U],
                                               int64_t at, int64_t step)
    {
#pragma unroll
        for (int u = 0; u < U; u++)
#pragma unroll
            for (int e = 0; e < V; e++) F::add(s, v[u].x[e], at + u * step + e);
    }
};

/* Offsets from x of the elements with reduced indices i, i + step, ...; `apart` is the stride in bytes where there is
 * one dimension. The case is tested once for all of them, so that no branch stands between their loads. */
template <int U>
__device__ __forceinline__ void addresses(const char *(&from)[U], const plan &p, const char *x, int64_t i, int64_t step,
                                          int64_t apart)
{
    if (p.a.nreduced <= 1) {
#pragma unroll
        for (int u = 0; u < U; u++) from[u] = x + (i + u * step) * apart;
        return;
    }
    /* one after the other: together they need more registers than there are */
#pragma unroll
    for (int u = 0; u < U; u++) from[u] = x + offset<0>(p.a.reduce, p.a.nreduced, i + u * step, p.small);
}

/* Vectors first + lane, first + lane + group, ... of a thread, four at a time; all threads of a group iterate equally
 * often. */
template <class F, int V>
__device__ __forceinline__ void read_vectors(typename F::State &s, const plan &p, const char *x, int lane,
                                             int64_t first, int64_t end)
{
    typedef vector<typename F::Raw, V> W;
    const int group = p.group;
    const int64_t head = p.a.nreduced <= 1 ? p.head : 0;
    /* between vectors in one dimension, between elements in several */
    const int64_t apart = V > 1 ? (int64_t)sizeof(W) / V : p.a.nreduced ? p.a.reduce[0].x : 0;
    int64_t i = first + lane;
    for (; i - lane + 4 * group <= end; i += 4 * group) {
        const char *from[4];
        W v[4];
        addresses(from, p, x, i * V, group * V, apart);
#pragma unroll
        for (int u = 0; u < 4; u++) v[u] = *(const W *)from[u];
        batch<F>::add(s, v, head + i * V, group * V);
        F::turn(s);
    }
    if (i >= end) return;
    const char *from[4];
    W rest[4]; /* the last few loads overlap too */
    addresses(from, p, x, i * V, group * V, apart);
#pragma unroll
    for (int u = 0; u < 4; u++)
        if (i + u * group < end) rest[u] = *(const W *)from[u];
#pragma unroll
    for (int u = 0; u < 4; u++)
        if (i + u * group < end) {
            W one[1] = {rest[u]};
            batch<F>::add(s, one, head + (i + u * group) * V, 0);
        }
}

/* Reducers whose computation takes long: two vectors, while the next two are being loaded. */
template <class F> constexpr bool loads_ahead = false;

template <class F, int V>
__device__ __forceinline__ void read_ahead(typename F::State &s, const plan &p, const char *x, int64_t i, int64_t end)
{
    typedef vector<typename F::Raw, V> W;
    const int group = p.group;
    const int64_t head = p.a.nreduced <= 1 ? p.head : 0;
    const int64_t apart = V > 1 ? (int64_t)sizeof(W) / V : p.a.nreduced ? p.a.reduce[0].x : 0;
    const char *from[2];
    W next[2];
    addresses(from, p, x, i * V, group * V, apart);
#pragma unroll
    for (int u = 0; u < 2; u++)
        if (i + u * group < end) next[u] = *(const W *)from[u];
#pragma unroll 1
    while (i < end) {
        const int64_t at = i;
        W v[2] = {next[0], next[1]};
        i += 2 * group;
        addresses(from, p, x, i * V, group * V, apart);
#pragma unroll
        for (int u = 0; u < 2; u++)
            if (i + u * group < end) next[u] = *(const W *)from[u];
        if (at + group < end) {
            batch<F>::add(s, v, head + at * V, group * V);
        } else {
            W one[1] = {v[0]};
            batch<F>::add(s, one, head + at * V, 0);
        }
        F::turn(s);
    }
}

/* Masked elements of one thread along one dimension; the mask decides after the load, so that loads overlap. */
template <class F>
__device__ __forceinline__ void read_masked(typename F::State &s, const plan &p, const char *x, const uint8_t *w,
                                            int64_t i, int64_t end, int group)
{
    typedef typename F::Raw R;
    const int64_t step = p.a.nreduced ? p.a.reduce[0].x : 0, wstep = p.a.nreduced ? p.a.reduce[0].where : 0;
    for (; i + 7 * group < end; i += 8 * group) {
        R v[8];
        uint8_t m[8];
#pragma unroll
        for (int u = 0; u < 8; u++) m[u] = w[(i + u * group) * wstep], v[u] = *(const R *)(x + (i + u * group) * step);
#pragma unroll
        for (int u = 0; u < 8; u++)
            if (m[u]) F::add(s, v[u], i + u * group);
            else F::skip(s, p);
        F::turn(s);
    }
    if (i >= end) return;
    R rest[8]; /* the last few loads overlap too */
    uint8_t m[8];
#pragma unroll
    for (int u = 0; u < 8; u++)
        if (i + u * group < end) m[u] = w[(i + u * group) * wstep], rest[u] = *(const R *)(x + (i + u * group) * step);
#pragma unroll
    for (int u = 0; u < 8; u++) {
        if (i + u * group >= end) break;
        if (m[u]) F::add(s, rest[u], i + u * group);
        else F::skip(s, p);
    }
}

/* The same along several dimensions. */
template <class F>
__device__ __forceinline__ void read_masked_dimensions(typename F::State &s, const plan &p, const char *x,
                                                       const uint8_t *w, int64_t i, int64_t end, int group)
{
    typedef typename F::Raw R;
    const cpi_reduce_args &a = p.a;
    for (; i < end; i += group) {
        bool selected = w[offset<1>(a.reduce, a.nreduced, i, p.small)] != 0;
        if (selected) F::add(s, *(const R *)(x + offset<0>(a.reduce, a.nreduced, i, p.small)), i);
        else F::skip(s, p);
        F::turn(s);
    }
}

/* Resident blocks of a processor, which hide memory latency. Narrow elements come in large numbers and need
 * registers. */
template <class F> struct resident {
    static constexpr int narrow = 2, wide = 4;
};
template <class F, int V> constexpr int resident_blocks()
{
    return sizeof(typename F::Raw) < 4 && V > 1 ? resident<F>::narrow : resident<F>::wide;
}

/* Whole vectors have no mask (fits_vectors), so only V = 1 has code for one. */
template <class F, int V>
__global__ void __launch_bounds__(THREADS, (resident_blocks<F, V>())) rows(const __grid_constant__ plan p)
{
    typedef typename F::Raw R;
    typedef typename F::Acc A;
    typedef vector<R, V> W;
    __shared__ A shared[THREADS / 32];
    const cpi_reduce_args &a = p.a;
    int group = p.group, lane = threadIdx.x % group;
    int64_t unit = (int64_t)blockIdx.x * (THREADS / group) + threadIdx.x / group;
    const unsigned cut = (unsigned)p.parts; /* in parts a group is a block */
    int64_t r = cut > 1 ? blockIdx.x / cut : unit, part = cut > 1 ? blockIdx.x % cut : 0;
    bool live = r < a.kept;
    typename F::State s;
    const char *x = a.x, *base;
    if (live) x += offset<0>(a.keep, a.nkept, r, p.small);
    base = x;
    F::start(s, p, (const R *)base);
    if (live) {
        if (V > 1) x += p.head * (int64_t)sizeof(R);
        int64_t first = part * p.each, end = first + p.each;
        if (end > p.vectors) end = p.vectors;
        if (V == 1 && F::MASKS && a.where) {
            const uint8_t *w = a.where + offset<1>(a.keep, a.nkept, r, p.small);
            if (a.nreduced <= 1) read_masked<F>(s, p, x, w, first + lane, end, group);
            else read_masked_dimensions<F>(s, p, x, w, first + lane, end, group);
        } else {
            if constexpr (loads_ahead<F> && V > 1) read_ahead<F, V>(s, p, x, first + lane, end);
            else read_vectors<F, V>(s, p, x, lane, first, end);
        }
        if (V > 1 && a.nreduced <= 1) { /* elements before and after the whole vectors */
            if (part == 0)
                for (int64_t h = lane; h < p.head; h += group) F::add(s, ((const R *)base)[h], h);
            if (part == p.parts - 1)
                for (int64_t t = p.head + p.vectors * V + lane; t < a.reduced; t += group)
                    F::add(s, ((const R *)base)[t], t);
        }
    }
    A acc = F::result(s);
    for (bool last = p.parts == 1;; last = true) {
        acc = join_group<F>(acc, group, shared);
        if (last) break;
        /* here the group is the block */
        if (lane == 0) memcpy(p.partial + unit * sizeof(A), &acc, sizeof acc);
        if (!last_to_arrive(p.counters + r, p.parts)) return;
        F::start(s, p, (const R *)base);
        acc = join_parts<F>(F::result(s), p.partial + r * p.parts * sizeof(A), sizeof(A), lane, p.parts, group);
    }
    if (live && lane == 0) F::finalize(p, acc, a.out + offset<2>(a.keep, a.nkept, r, p.small));
}

/* --- short rows: a thread makes two results at a time, so that enough loads are in flight --- */

/* Elements of a short row; results that are worth the kernel; results of a thread and of a block at a time; bytes of
 * shared memory that keep a processor fully occupied. */
enum { SHORT = 16, MANY = 1 << 16, AT_ONCE = 2, TILE = AT_ONCE * THREADS, STAGED = 16384 };

/* Copies `bytes` of contiguous rows to shared memory, coalesced; `from` is aligned to 16 bytes. */
template <class R> __device__ __forceinline__ void stage(uint4 *to, const char *from, int bytes)
{
    const int vectors = bytes / 16;
    __syncthreads(); /* earlier contents have been read */
#pragma unroll 1
    for (int i = threadIdx.x; i < vectors; i += 4 * THREADS) {
        uint4 v[4];
#pragma unroll
        for (int u = 0; u < 4; u++)
            if (i + u * THREADS < vectors) v[u] = ((const uint4 *)from)[i + u * THREADS];
#pragma unroll
        for (int u = 0; u < 4; u++)
            if (i + u * THREADS < vectors) to[i + u * THREADS] = v[u];
    }
#pragma unroll 1
    for (int i = vectors * 16 + (int)(threadIdx.x * sizeof(R)); i < bytes; i += (int)(THREADS * sizeof(R)))
        *(R *)((char *)to + i) = *(const R *)(from + i);
    __syncthreads();
}

/* The accumulators of rows r and r + THREADS of `left` rows of n elements in shared memory. */
template <class F>
__device__ __forceinline__ void reduce_staged(const plan &p, const typename F::Raw *rows, int r, int left, int n,
                                              typename F::Acc (&acc)[AT_ONCE])
{
    const typename F::Raw *x[AT_ONCE];
    typename F::State s[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) { /* past the last row, the first one is read again */
        x[k] = rows + (r + k * THREADS < left ? r + k * THREADS : 0) * n;
        F::start(s[k], p, x[k]);
    }
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) F::add(s[k], x[k][i], i);
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) acc[k] = F::result(s[k]);
}

/* The same of rows `row` bytes apart in device memory, of elements `along` bytes apart. */
template <class F>
__device__ __forceinline__ void reduce_rows(const plan &p, const char *base, int64_t row, int64_t along, int r,
                                            int64_t left, int n, typename F::Acc (&acc)[AT_ONCE])
{
    typedef typename F::Raw R;
    const char *x[AT_ONCE];
    typename F::State s[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
        x[k] = base + (r + k * THREADS < left ? r + k * THREADS : 0) * row;
        F::start(s[k], p, (const R *)x[k]);
    }
    for (int i = 0; i < n; i += 4) {
        R v[AT_ONCE][4];
#pragma unroll
        for (int u = 0; u < 4; u++)
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++)
                if (i + u < n) v[k][u] = *(const R *)(x[k] + (i + u) * along);
#pragma unroll
        for (int u = 0; u < 4; u++)
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++)
                if (i + u < n) F::add(s[k], v[k][u], i + u);
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) acc[k] = F::result(s[k]);
}

/* Blocks of a processor: what their registers allow. */
template <class F> constexpr int short_row_blocks()
{
    return sizeof(typename F::Raw) <= 4 ? 4 : sizeof(typename F::Raw) <= 8 ? 3 : 2;
}

template <class F>
__global__ void __launch_bounds__(THREADS, (short_row_blocks<F>())) short_rows(const __grid_constant__ plan p)
{
    typedef typename F::Raw R;
    extern __shared__ uint4 staged_rows[];
    const cpi_reduce_args &a = p.a;
    const int64_t row = a.keep[0].x, to = a.keep[0].out;
    const int n = (int)a.reduced, tile = p.group;
    for (int64_t first = (int64_t)blockIdx.x * tile; first < a.kept; first += (int64_t)gridDim.x * tile) {
        const int here = a.kept - first < tile ? (int)(a.kept - first) : tile;
        const char *base = a.x + first * row;
        char *out = a.out + first * to;
        if (sizeof(R) >= 4 && p.staged) stage<R>(staged_rows, base, here * n * (int)sizeof(R));
#pragma unroll 1
        for (int r = threadIdx.x; r < here; r += TILE) {
            typename F::Acc acc[AT_ONCE];
            if (sizeof(R) >= 4 && p.staged) reduce_staged<F>(p, (const R *)staged_rows, r, here, n, acc);
            else reduce_rows<F>(p, base, row, a.reduce[0].x, r, here, n, acc);
            static_assert(AT_ONCE == 2, "acc[0] and acc[1] are the results");
#pragma unroll 1
            for (int k = 0; k < AT_ONCE; k++) /* the finalize code exists once */
                if (r + k * THREADS < here) F::finalize(p, k ? acc[1] : acc[0], out + (r + k * THREADS) * to);
        }
    }
}

/* --- tuples: rows of two to four elements; a thread takes as many as make whole vectors of elements and of results
 * --- */

/* Reducers whose results may be elements (result_of). */
template <class F> struct gives_elements { static constexpr bool ever = false; };

template <class F, int N> __device__ __forceinline__ void reduce_tuples(const plan &p, int64_t first)
{
    typedef typename F::Raw R;
    enum { V = 16 / sizeof(R) };
    typedef vector<R, V> W;
    const R *x = (const R *)p.a.x + first * N;
    R *out = (R *)p.a.out + first;
    const int left = p.a.kept - first < V ? (int)(p.a.kept - first) : V;
    W in[N] = {}, results;
    if (left == V) {
#pragma unroll
        for (int v = 0; v < N; v++) in[v] = ((const W *)x)[v];
    } else {
#pragma unroll
        for (int e = 0; e < N * V; e++)
            if (e < left * N) in[e / V].x[e % V] = x[e];
    }
#pragma unroll
    for (int k = 0; k < V; k++) {
        typename F::State s;
        F::start(s, p, x);
#pragma unroll
        for (int i = 0; i < N; i++) F::add(s, in[(k * N + i) / V].x[(k * N + i) % V], i);
        results.x[k] = F::result_of(p, F::result(s));
    }
    if (left == V) {
        *(W *)out = results;
        return;
    }
#pragma unroll
    for (int k = 0; k < V; k++)
        if (k < left) out[k] = results.x[k];
}

template <class F> __global__ void __launch_bounds__(THREADS) tuples(const __grid_constant__ plan p)
{
    const int64_t first = ((int64_t)blockIdx.x * THREADS + threadIdx.x) * (16 / (int)sizeof(typename F::Raw));
    if (first >= p.a.kept) return;
    if (p.a.reduced == 2) reduce_tuples<F, 2>(p, first);
    else if (p.a.reduced == 3) reduce_tuples<F, 3>(p, first);
    else reduce_tuples<F, 4>(p, first);
}

/* --- columns: neighbouring results by neighbouring threads --- */

/* A tile is `width` columns, each with `height` threads; surplus threads only wait. */
template <class F> __global__ void __launch_bounds__(THREADS) columns(const __grid_constant__ plan p)
{
    typedef typename F::Raw R;
    typedef typename F::Acc A;
    __shared__ A shared[THREADS];
    const cpi_reduce_args &a = p.a;
    const cpi_reduce_dim &col = a.keep[a.nkept - 1];
    const int width = p.group, height = THREADS / width, tx = threadIdx.x % width, ty = threadIdx.x / width;
    const unsigned unit = blockIdx.x / (unsigned)p.parts, part = blockIdx.x % (unsigned)p.parts;
    const unsigned tiles = (unsigned)p.tiles, above = unit / tiles;
    const int64_t column = (int64_t)(unit - above * tiles) * width + tx, r = above * col.n + column;
    const bool live = column < col.n && ty < height;
    typename F::State s;
    const char *x = a.x;
    if (live) x += offset<0>(a.keep, a.nkept, r, p.small);
    F::start(s, p, (const R *)x);
    if (live) {
        int64_t i = part * p.each + ty, end = (part + 1) * p.each;
        if (end > a.reduced) end = a.reduced;
        const int64_t apart = a.nreduced ? a.reduce[0].x : 0;
        for (; i + 7 * height < end; i += 8 * height) {
            const char *from[8];
            vector<R, 1> v[8];
            addresses(from, p, x, i, height, apart);
#pragma unroll
            for (int u = 0; u < 8; u++) v[u].x[0] = *(const R *)from[u];
            batch<F>::add(s, v, i, height);
            F::turn(s);
        }
        for (; i < end; i += 4 * height) { /* the last few loads overlap too */
            const char *from[4];
            R v[4];
            addresses(from, p, x, i, height, apart);
#pragma unroll
            for (int u = 0; u < 4; u++)
                if (i + u * height < end) v[u] = *(const R *)from[u];
#pragma unroll
            for (int u = 0; u < 4; u++)
                if (i + u * height < end) F::add(s, v[u], i + u * height);
        }
    }
    A acc = F::result(s);
    for (bool last = p.parts == 1;; last = true) {
        __syncthreads();
        shared[threadIdx.x] = acc;
#pragma unroll 1
        for (int left = height; left > 1;) { /* the lower half joins the upper; the middle of an odd number waits */
            const int half = cpi_ceil_div(left, 2);
            __syncthreads();
            if (ty + half < left)
                shared[threadIdx.x] = F::join(shared[threadIdx.x], shared[threadIdx.x + half * width]);
            left = half;
        }
        if (last) break;
        const int64_t first = (int64_t)unit * p.parts;
        if (ty == 0) memcpy(p.partial + ((first + part) * width + tx) * sizeof(A), &shared[tx], sizeof(A));
        if (!last_to_arrive(p.counters + unit, p.parts)) return;
        F::start(s, p, (const R *)x);
        acc = F::result(s);
        if (ty < height)
            acc = join_parts<F>(acc, p.partial + (first * width + tx) * sizeof(A), width * (int64_t)sizeof(A), ty,
                                p.parts, height);
    }
    if (ty == 0 && live) F::finalize(p, shared[tx], a.out + offset<2>(a.keep, a.nkept, r, p.small));
}

/* --- launching --- */

static inline int power_of_two(int64_t n, int most)
{
    int p = 1;
    while (p < most && p < n) p *= 2;
    return p;
}

/* Blocks that fill the device. Launches are multiples of this: a partial last wave would idle most of the device. */
template <class K> int64_t one_round(cp_stream *stream, K kernel)
{
    int fit = 0;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, THREADS, 0) != cudaSuccess || fit < 1) {
        cudaGetLastError();
        fit = 4;
    }
    return (int64_t)cpi_cuda_units(stream) * fit;
}

static inline bool fits_vectors(const cpi_reduce_args *a, int64_t item, int64_t v)
{
    if (a->where || v < 2 || !a->nreduced || a->reduce[a->nreduced - 1].x != item) return false;
    if (a->nreduced == 1 && a->kept == 1) return (uintptr_t)a->x % (uintptr_t)item == 0 && a->reduced >= 64 * v;
    if ((uintptr_t)a->x % 16 || (a->nreduced > 1 && a->reduce[a->nreduced - 1].n % v) || a->reduced < v) return false;
    for (int d = 0; d < a->nreduced - 1; d++)
        if (a->reduce[d].x % 16) return false;
    for (int d = 0; d < a->nkept; d++)
        if (a->keep[d].x % 16) return false;
    return true;
}

/* Memory for the partial accumulators, `bytes` in all, and the counters; none where nothing is split into parts. */
static inline cp_code take_scratch(cp_stream *stream, plan *p, int64_t bytes)
{
    if (p->parts == 1) return CP_OK;
    p->counters = (unsigned *)cpi_cuda_counters(stream);
    p->partial = p->counters ? (char *)cpi_host->work_alloc(stream, (size_t)bytes) : NULL;
    return p->partial ? CP_OK : CP_ERROR_MEMORY;
}

/* Cuts rows into parts and chooses the threads of a result; `target` blocks fill the device. */
static inline void cut_rows(cp_stream *stream, plan &p, int64_t target)
{
    const cpi_reduce_args *a = &p.a;
    int64_t most = cpi_ceil_div(p.vectors, THREADS * 4);
    /* long rows in two waves, as processors are not equally fast; short ones in one, with fewer parts to join */
    if (a->kept * p.vectors >= target * THREADS * 64) target *= 2;
    p.parts = a->kept < target / 2 && a->kept <= CPI_CUDA_COUNTERS / 4 ? target / a->kept : 1;
    if (p.parts > most) p.parts = most;
    if (p.parts < 1) p.parts = 1;
    p.each = cpi_ceil_div(p.vectors, p.parts);
    /* a warp at most, while there are enough results: threads then read much and join with few */
    int64_t busy = (int64_t)cpi_cuda_units(stream) * 1024;
    int all = power_of_two(p.vectors, THREADS);
    p.group = power_of_two(cpi_ceil_div(p.vectors, 4), 32);
    while (p.group < all && a->kept * p.group < busy / 4 * 3) p.group *= 2;
    if (p.parts > 1) p.group = THREADS;
}

template <class F, int V> cp_code launch_rows_of(cp_stream *stream, plan &p)
{
    const cpi_reduce_args *a = &p.a;
    static const int64_t round = one_round(stream, rows<F, V>);
    cut_rows(stream, p, round);
    cp_code code = take_scratch(stream, &p, a->kept * p.parts * (int64_t)sizeof(typename F::Acc));
    if (code) return code;
    int64_t blocks = p.parts > 1 ? a->kept * p.parts : cpi_ceil_div(a->kept, THREADS / p.group);
    rows<F, V><<<(unsigned)blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(p);
    return CPI_LAUNCHED(stream, cpi_reduce_name(a->op));
}

template <class F> cp_code launch_rows(cp_stream *stream, plan &p)
{
    enum { V = sizeof(typename F::Raw) >= 16 ? 1 : 16 / sizeof(typename F::Raw) };
    const cpi_reduce_args *a = &p.a;
    const int64_t item = sizeof(typename F::Raw);
    p.head = 0;
    p.vectors = a->reduced;
    if (!fits_vectors(a, item, V)) return launch_rows_of<F, 1>(stream, p);
    if (a->kept == 1 && a->nreduced == 1) p.head = (int64_t)((16 - (uintptr_t)a->x % 16) % 16) / item;
    p.vectors = (a->reduced - p.head) / V;
    return launch_rows_of<F, V>(stream, p);
}

/* Rows that a block stages at a time; 0 where direct loads are better. Staged are contiguous rows of an odd
 * number of words: threads read these from different banks of shared memory, and device memory is read coalesced. */
static inline int staged_tile(const cpi_reduce_args *a, int64_t item)
{
    const int64_t row = a->keep[0].x;
    if (item < 4 || a->reduced < 3 || a->reduced % 2 == 0 || a->reduce[0].x != item || row != a->reduced * item ||
        (uintptr_t)a->x % 16)
        return 0;
    return 2 * TILE * row <= STAGED ? 2 * TILE : TILE * row <= STAGED ? TILE : 0;
}

/* Are rows tuples, contiguous one after the other, and results elements, contiguous too? */
static inline bool are_tuples(const cpi_reduce_args *a, int64_t item)
{
    return a->reduced >= 2 && a->reduced <= 4 && a->reduce[0].x == item && a->keep[0].x == a->reduced * item &&
           a->keep[0].out == item && a->result == a->type &&
           ((uintptr_t)a->x | (uintptr_t)a->out) % 16 == 0 && a->kept <= INT32_MAX;
}

template <class F> cp_code launch_tuples(cp_stream *stream, const plan &p)
{
    const int64_t per_block = THREADS * (16 / (int64_t)sizeof(typename F::Raw));
    tuples<F><<<cpi_cuda_blocks(p.a.kept, per_block, INT32_MAX), THREADS, 0, cpi_cuda_stream(stream)>>>(p);
    return CPI_LAUNCHED(stream, cpi_reduce_name(p.a.op));
}

template <class F> cp_code launch_short_rows(cp_stream *stream, plan &p)
{
    if constexpr (gives_elements<F>::ever)
        if (are_tuples(&p.a, sizeof(typename F::Raw))) return launch_tuples<F>(stream, p);
    static const int64_t round = one_round(stream, short_rows<F>);
    const int tile = staged_tile(&p.a, sizeof(typename F::Raw));
    p.group = tile ? tile : TILE;
    p.staged = tile * (int)p.a.keep[0].x;
    /* where rows are staged, more blocks overlap one's loads with another's computation */
    unsigned blocks = cpi_cuda_blocks(p.a.kept, p.group, tile ? INT32_MAX : 4 * round);
    short_rows<F><<<blocks, THREADS, (size_t)p.staged, cpi_cuda_stream(stream)>>>(p);
    return CPI_LAUNCHED(stream, cpi_reduce_name(p.a.op));
}

/* Into how many parts `units` work items are split to fill waves of `round` blocks: the fewest waves that leave few
 * blocks idle. */
static inline int64_t parts_to_fill(int64_t units, int64_t round)
{
    int64_t parts = 1;
    for (int rounds = 1; rounds <= 4; rounds++) {
        parts = rounds * round / units;
        if (parts * units * 10 >= rounds * round * 9) break;
    }
    return parts > 1 ? parts : 1;
}

template <class F> cp_code launch_columns(cp_stream *stream, plan &p)
{
    const cpi_reduce_args *a = &p.a;
    const cpi_reduce_dim *col = &a->keep[a->nkept - 1];
    int widest = THREADS / power_of_two(a->reduced / 4, 8);
    p.tiles = cpi_ceil_div(col->n, widest);
    p.group = p.tiles <= 4 ? (int)cpi_ceil_div(col->n, p.tiles) : widest; /* a few tiles are made equal */
    static const int64_t round = one_round(stream, columns<F>);
    int64_t units = a->kept / col->n * p.tiles, most = a->reduced / (8 * (THREADS / p.group));
    p.parts = units <= CPI_CUDA_COUNTERS / 4 ? parts_to_fill(units, round) : 1;
    if (p.parts > most) p.parts = most;
    if (p.parts < 1) p.parts = 1;
    p.each = cpi_ceil_div(a->reduced, p.parts);
    cp_code code = take_scratch(stream, &p, units * p.parts * p.group * (int64_t)sizeof(typename F::Acc));
    if (code) return code;
    columns<F><<<(unsigned)(units * p.parts), THREADS, 0, cpi_cuda_stream(stream)>>>(p);
    return CPI_LAUNCHED(stream, cpi_reduce_name(a->op));
}

static inline plan plan_of(const cpi_reduce_args *a)
{
    plan p;
    memset(&p, 0, sizeof p);
    p.a = *a;
    p.small = a->kept < INT32_MAX && a->reduced < INT32_MAX;
    return p;
}

/* For reducers that are used with a mask only: one kernel. */
template <class F> cp_code launch_masked(cp_stream *stream, const cpi_reduce_args *a)
{
    plan p = plan_of(a);
    p.vectors = a->reduced;
    cp_code code = launch_rows_of<F, 1>(stream, p);
    cpi_host->work_free(stream, p.partial);
    return code;
}

template <class F> cp_code launch(cp_stream *stream, const cpi_reduce_args *a)
{
    plan p = plan_of(a);
    if (a->known && a->class_of == CPI_INDEXED) {
        const char *name = a->reducer == CPI_REDUCER_LOWEST_INDEXED ? "nanargmin" : "nanargmax";
        p.failure = cpi_cuda_late(CP_ERROR_VALUE, name, "All-NaN slice encountered");
        if (!(p.mailbox = cpi_cuda_mailbox(stream))) return CP_ERROR_MEMORY;
    }
    bool by_columns = a->reduced > 0 && cpi_reduce_by_columns(a, 2);
    bool in_short_rows = !a->where && a->nkept == 1 && a->nreduced == 1 && a->reduced <= SHORT && a->kept >= MANY;
    cp_code code = by_columns ? launch_columns<F>(stream, p)
                 : in_short_rows ? launch_short_rows<F>(stream, p) : launch_rows<F>(stream, p);
    cpi_host->work_free(stream, p.partial);
    return code;
}

} // namespace reducer

#endif
