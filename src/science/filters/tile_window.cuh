/* Windows over the last two axes in shared memory; without a CUDA runtime, as tile.cuh. */
#ifndef CPI_FILTERS_TILE_WINDOW_CUH
#define CPI_FILTERS_TILE_WINDOW_CUH

#include "filters/network.cuh"
#include "filters/tile.cuh"

/* Images of height x width; blockIdx.x = (image * tiles_y + y) * tiles_x + x. */
struct tile_windows {
    cp_type from, to;
    cpi_boundary boundary;
    double fill;
    int height, width, size_y, size_x, before_y, before_x, rank;
    int tile_y, tile_x, pitch, threads_bits; /* threads_bits: log2 of a row's threads */
    cpi_divisor by_tiles_x, by_tiles_y, by_reach;
    const double *weights;
    const void *in;
    void *out;
};

/* A block's place. */
struct tile_place {
    int x, y;
    int64_t image; /* its first element */
    __device__ __forceinline__ tile_place(const tile_windows &a)
    {
        const uint32_t rest = cpi_quotient(&a.by_tiles_x, blockIdx.x), i = cpi_quotient(&a.by_tiles_y, rest);
        x = (int)(blockIdx.x - rest * a.by_tiles_x.by) * a.tile_x, y = (int)(rest - i * a.by_tiles_y.by) * a.tile_y;
        image = (int64_t)i * a.height * a.width;
    }
};

/* Reads rows of tile_x + size_x - 1 elements; after GAP elements of a row (0: none) one place is left out. `of(i)` is
 * an element as a work element, `fill()` the constant. */
template <int GAP, class W, class F, class C>
__device__ __forceinline__ void tile_read(const tile_windows &a, const tile_place &p, W *shared, F of, C fill)
{
    const int reach = a.tile_x + a.size_x - 1, x0 = p.x - a.before_x, y0 = p.y - a.before_y;
    const int live = a.height - p.y + a.size_y - 1;
    const int rows = a.tile_y + a.size_y - 1 < live ? a.tile_y + a.size_y - 1 : live;
    if (x0 >= 0 && y0 >= 0 && x0 + reach <= a.width && y0 + rows <= a.height) {
        const int64_t block = p.image + (int64_t)y0 * a.width + x0;
        for (int i0 = threadIdx.x; i0 < rows * reach; i0 += TILE_BATCH * TILE_THREADS) {
            W v[TILE_BATCH];
            int to[TILE_BATCH];
#pragma unroll
            for (int u = 0; u < TILE_BATCH; u++) {
                const int i = i0 + u * TILE_THREADS;
                const int r = (int)cpi_quotient(&a.by_reach, (uint32_t)i), e = i - r * reach;
                to[u] = GAP ? r * a.pitch + tile_place_of<GAP ? GAP : 1>(e) : i;
                if (i < rows * reach) v[u] = of(block + ((int64_t)r * a.width + e));
            }
#pragma unroll
            for (int u = 0; u < TILE_BATCH; u++)
                if (i0 + u * TILE_THREADS < rows * reach) shared[to[u]] = v[u];
        }
        return;
    }
    for (int i = threadIdx.x; i < rows * reach; i += TILE_THREADS) {
        const int r = (int)cpi_quotient(&a.by_reach, (uint32_t)i), e = i - r * reach;
        int x = x0 + e, y = y0 + r;
        if (x >= a.width + a.size_x - 1) continue;
        if ((unsigned)x >= (unsigned)a.width) x = tile_position(x, a.width, a.boundary);
        if ((unsigned)y >= (unsigned)a.height) y = tile_position(y, a.height, a.boundary);
        shared[GAP ? r * a.pitch + tile_place_of<GAP ? GAP : 1>(e) : i] =
            x < 0 || y < 0 ? fill() : of(p.image + (int64_t)y * a.width + x);
    }
}

/* --- sums --- */

/* A thread makes R results side by side. */
template <class T, int R>
__device__ __forceinline__ void tile_sums(const tile_windows &a, double *shared, double *weights)
{
    const tile_place p(a);
    for (int k = threadIdx.x; k < a.size_y * a.size_x; k += TILE_THREADS) {
        const double w = a.weights[k];
        weights[k] = fabs(w) <= 2.220446049250313e-16 ? 0 : w; /* no tap */
    }
    tile_read<R>(a, p, shared, [&](int64_t i) { return filter_load(tile_type<T>(a.from), a.in, i); },
                 [&] { return a.fill; });
    __syncthreads();
    const int j = threadIdx.x & ((1 << a.threads_bits) - 1), row = threadIdx.x >> a.threads_bits;
    double sum[R], v[R];
#pragma unroll
    for (int i = 0; i < R; i++) sum[i] = 0;
    if (p.y + row >= a.height) return;
    for (int y = 0; y < a.size_y; y++) {
        const tile_along<double, R> x = {shared + (row + y) * a.pitch + j * (R + 1)};
        const double *w = weights + y * a.size_x;
#pragma unroll
        for (int i = 0; i < R; i++) v[i] = x[i];
        for (int k = 0; k < a.size_x; k += R) {
#pragma unroll
            for (int u = 0; u < R; u++) {
                if (k + u >= a.size_x) break;
                const double c = w[k + u];
                if (c != 0) {
#pragma unroll
                    for (int i = 0; i < R; i++) sum[i] += v[(i + u) % R] * c;
                }
                if (k + u + 1 < a.size_x) v[u] = x[k + u + R];
            }
        }
    }
    const int64_t to = p.image + (int64_t)(p.y + row) * a.width + p.x + j * R;
#pragma unroll
    for (int i = 0; i < R; i++) {
        if (p.x + j * R + i >= a.width) break;
        tile_put<T>(a.to, a.out, to + i, sum[i]);
    }
}

/* --- ranks --- */

/* Each row of an N x N window's elements is sorted once for all windows of the thread, R of them, one above the other.
 * Two windows have N - 1 rows in common; those are merged, in pairs that further windows have too, and the rank is
 * found between them and the window's own row. */
template <class K, int N> struct tile_row {
    K v[N];
    __device__ __forceinline__ void read(const K *at)
    {
#pragma unroll
        for (int i = 0; i < N; i++) v[i] = at[i];
        network_sort<K, N>(v);
    }
};
template <class K, int N> struct tile_pair {
    K v[2 * N];
};
template <class K, int N>
__device__ __forceinline__ void tile_common(const tile_pair<K, N> (&pair)[(N - 1) / 2], K (&to)[(N - 1) * N])
{
    static_assert(N == 3 || N == 5 || N == 7, "");
    if constexpr (N == 3) {
#pragma unroll
        for (int i = 0; i < 6; i++) to[i] = pair[0].v[i];
    } else if constexpr (N == 5) {
        network_merge<K, 10, 10>(pair[0].v, pair[1].v, to);
    } else {
        K two[28];
        network_merge<K, 14, 14>(pair[0].v, pair[1].v, two);
        network_merge<K, 28, 14>(two, pair[2].v, to);
    }
}

/* R even. RANK < 0: a.rank. */
template <class K, class T, int N, int R, int RANK>
__device__ __forceinline__ void tile_ranks(const tile_windows &a, K *shared)
{
    const tile_place p(a);
    const cp_type type = tile_type<T>(a.from);
    tile_read<0>(a, p, shared, [&](int64_t i) { return filter_key<K>(type, a.in, i, false); },
                 [&] { return tile_fill<K>(a.from, a.fill, false); });
    __syncthreads();
    const int x = threadIdx.x & ((1 << a.threads_bits) - 1), y = (threadIdx.x >> a.threads_bits) * R;
    if (p.x + x >= a.width || p.y + y >= a.height) return;
    const int rank = RANK < 0 ? a.rank : RANK;
    const K *in = shared + y * a.pitch + x;
    const int64_t to = p.image + (int64_t)(p.y + y) * a.width + p.x + x;
    constexpr int PAIRS = (N - 1) / 2;
    tile_row<K, N> above, first, second[PAIRS], below; /* second: of each pair */
    tile_pair<K, N> pair[PAIRS];                       /* rows 1 and 2, 3 and 4, ... of the upper window */
    above.read(in);
    first.read(in + a.pitch);
#pragma unroll
    for (int k = 0; k < PAIRS - 1; k++) {
        second[k].read(in + (2 * k + 2) * a.pitch);
        network_merge<K, N, N>(first.v, second[k].v, pair[k].v);
        first.read(in + (2 * k + 3) * a.pitch);
    }
#pragma unroll
    for (int i = 0; i < R; i += 2) {
        K common[(N - 1) * N];
        second[PAIRS - 1].read(in + (i + N - 1) * a.pitch);
        network_merge<K, N, N>(first.v, second[PAIRS - 1].v, pair[PAIRS - 1].v);
        tile_common<K, N>(pair, common);
        below.read(in + (i + N) * a.pitch);
        const K upper = network_rank_of_two<K, (N - 1) * N, N>(common, above.v, rank);
        const K lower = network_rank_of_two<K, (N - 1) * N, N>(common, below.v, rank);
        if (p.y + y + i < a.height) filter_set_key<K>(type, a.out, to + (int64_t)i * a.width, upper);
        if (p.y + y + i + 1 < a.height) filter_set_key<K>(type, a.out, to + (int64_t)(i + 1) * a.width, lower);
        above = second[0], first = below;
#pragma unroll
        for (int k = 0; k + 1 < PAIRS; k++) second[k] = second[k + 1], pair[k] = pair[k + 1];
    }
}

#endif
