/* The last axis of distances in kernels: a block a line, in shared memory. This header needs no CUDA header, so that
 * tests compile it for the CPU.
 *
 * Elements try their neighbours step by step. Where zeros are few that takes too long: then the elements with a finite
 * square, the sites, are listed, and since the nearest sites of ascending elements ascend, those of some elements bound
 * those of all between them. That needs squares without rounding errors; else an element tries all sites, if there are
 * few, or whole blocks, as in nearest.cuh. */
#ifndef CPI_NEAREST_LINE_CUH
#define CPI_NEAREST_LINE_CUH

#include "geometry/nearest.cuh"

/* EACH: elements of a thread, of neighbours; COARSE, MIDDLE: apart those lie whose sites bound the others'. */
enum { CPI_NEAREST_EACH = 8, CPI_NEAREST_MIDDLE = 64, CPI_NEAREST_COARSE = 512, CPI_NEAREST_FEW = 128 };
enum { CPI_NEAREST_NEAR = 12 }; /* steps */

/* Shared memory of a line of n <= 8 * threads elements, at most 1024 threads. */
struct cpi_nearest_shared {
    double *value, *site;       /* n; of sites, once they are listed, values lie side by side */
    double *least;              /* of blocks of 32 */
    int32_t *fine, *middle, *coarse;
    uint32_t *set;              /* which elements are sites */
    int32_t *before;            /* how many lie before those; the last one: all */
};
__host__ __device__ static inline int64_t cpi_nearest_shared_bytes(int64_t n)
{
    return 8 * (2 * n + n / 32 + 1) + 4 * (n / 8 + n / 64 + n / 512 + 2 * (n / 32) + 40);
}
__device__ __forceinline__ cpi_nearest_shared cpi_nearest_shared_at(double *memory, int n)
{
    cpi_nearest_shared s;
    s.value = memory, s.site = s.value + n, s.least = s.site + n;
    s.fine = (int32_t *)(s.least + n / 32 + 1), s.middle = s.fine + n / 8 + 1, s.coarse = s.middle + n / 64 + 1;
    s.set = (uint32_t *)(s.coarse + n / 512 + 1), s.before = (int32_t *)(s.set + n / 32 + 1);
    return s;
}

/* Reads the line; returns the number of its sites. */
template <int THREADS>
__device__ __forceinline__ int cpi_nearest_read(const cpi_nearest_args &g, const double *line, cpi_nearest_shared s)
{
    const int n = (int)g.n, t = (int)threadIdx.x;
    int own = 0, all = 0;
#pragma unroll 4
    for (int i = t; i < n; i += THREADS) {
        const double v = line[i];
        s.value[i] = v;
        own += v < CPI_NEAREST_NEVER;
    }
    for (int d = 16; d > 0; d /= 2) own += __shfl_xor_sync(~0u, own, d);
    if (t % 32 == 0) s.before[t / 32] = own;
    __syncthreads();
    for (int w = 0; w < THREADS / 32; w++) all += s.before[w];
    return all;
}

/* Lists the sites: their values take the line's place. */
template <int THREADS>
__device__ __forceinline__ void cpi_nearest_list(const cpi_nearest_args &g, cpi_nearest_shared s)
{
    const int n = (int)g.n, t = (int)threadIdx.x, words = (n + 31) / 32;
    double v[CPI_NEAREST_EACH];
#pragma unroll
    for (int k = 0; k < CPI_NEAREST_EACH; k++) {
        const int i = k * THREADS + t;
        v[k] = i < n ? s.value[i] : CPI_NEAREST_NEVER;
        const uint32_t set = __ballot_sync(~0u, v[k] < CPI_NEAREST_NEVER);
        if (t % 32 == 0 && i < n) s.set[i / 32] = set;
    }
    __syncthreads();
    if (t < 32) { /* lanes take neighbouring words */
        const int each = (words + 31) / 32;
        int sum = 0;
        for (int k = t * each; k < (t + 1) * each && k < words; k++) sum += __popc(s.set[k]);
        int all = sum;
        for (int d = 1; d < 32; d *= 2) {
            const int other = __shfl_up_sync(~0u, all, d);
            if (t >= d) all += other;
        }
        int at = all - sum;
        for (int k = t * each; k < (t + 1) * each && k < words; k++) {
            s.before[k] = at;
            at += __popc(s.set[k]);
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < CPI_NEAREST_EACH; k++) {
        const int i = k * THREADS + t;
        if (!(v[k] < CPI_NEAREST_NEVER)) continue;
        const int at = s.before[i / 32] + __popc(s.set[i / 32] & ((1u << (i % 32)) - 1));
        s.value[at] = v[k], s.site[at] = (double)i;
    }
    __syncthreads();
}

/* The square of element i's distance by listed site k. */
__device__ __forceinline__ double cpi_nearest_square(const cpi_nearest_args &g, cpi_nearest_shared s, double i, int k)
{
    const double d = (i - s.site[k]) * g.step;
    return s.value[k] + d * d;
}

/* The first of sites from .. to that is nearest to element i, by the threads of a warp. */
__device__ __forceinline__ int cpi_nearest_by_warp(const cpi_nearest_args &g, cpi_nearest_shared s, int i, int from,
                                                   int to)
{
    double best = CPI_NEAREST_NEVER;
    int which = to;
    for (int k = from + (int)threadIdx.x % 32; k <= to; k += 32) {
        const double square = cpi_nearest_square(g, s, (double)i, k);
        if (square < best) best = square, which = k;
    }
    for (int d = 16; d > 0; d /= 2) {
        const double other = __shfl_xor_sync(~0u, best, d);
        const int there = __shfl_xor_sync(~0u, which, d);
        if (other < best || (other == best && there < which)) best = other, which = there;
    }
    return which;
}

/* Of elements that are multiples of EACH the first nearest sites, to s.fine. */
template <int THREADS>
__device__ __forceinline__ void cpi_nearest_bounds(const cpi_nearest_args &g, cpi_nearest_shared s, int last)
{
    const int n = (int)g.n, t = (int)threadIdx.x;
    const int coarse = (n - 1) / CPI_NEAREST_COARSE + 1, middle = (n - 1) / CPI_NEAREST_MIDDLE + 1;
    const int fine = (n - 1) / CPI_NEAREST_EACH + 1, wide = CPI_NEAREST_COARSE / CPI_NEAREST_MIDDLE;
    const int narrow = CPI_NEAREST_MIDDLE / CPI_NEAREST_EACH;
    for (int a = t / 32; a < coarse; a += THREADS / 32) {
        const int k = cpi_nearest_by_warp(g, s, a * CPI_NEAREST_COARSE, 0, last);
        if (t % 32 == 0) s.coarse[a] = k;
    }
    __syncthreads();
    for (int b = t / 32; b < middle; b += THREADS / 32) {
        const int a = b / wide, to = a + 1 < coarse ? s.coarse[a + 1] : last;
        const int k = b % wide ? cpi_nearest_by_warp(g, s, b * CPI_NEAREST_MIDDLE, s.coarse[a], to) : s.coarse[a];
        if (t % 32 == 0) s.middle[b] = k;
    }
    __syncthreads();
    for (int c = t; c < fine; c += THREADS) {
        const int b = c / narrow, to = b + 1 < middle ? s.middle[b + 1] : last;
        int which = s.middle[b];
        double best = CPI_NEAREST_NEVER;
        for (int k = c % narrow ? which : to + 1; k <= to; k++) {
            const double square = cpi_nearest_square(g, s, (double)(c * CPI_NEAREST_EACH), k);
            if (square < best) best = square, which = k;
        }
        s.fine[c] = which;
    }
    __syncthreads();
}

/* All elements of a line with listed sites, whose squares are exact. */
template <int THREADS, class Put>
__device__ __forceinline__ void cpi_nearest_divide(const cpi_nearest_args &g, cpi_nearest_shared s, int sites, Put put)
{
    const int n = (int)g.n, t = (int)threadIdx.x, last = sites - 1, fine = (n - 1) / CPI_NEAREST_EACH + 1;
    const int first = t * CPI_NEAREST_EACH; /* one group a thread */
    double best[CPI_NEAREST_EACH], which[CPI_NEAREST_EACH];
    cpi_nearest_bounds<THREADS>(g, s, last);
    if (t < fine) {
        const int to = t + 1 < fine ? s.fine[t + 1] : last;
#pragma unroll
        for (int u = 0; u < CPI_NEAREST_EACH; u++) best[u] = CPI_NEAREST_NEVER, which[u] = -1;
        for (int k = s.fine[t]; k <= to; k++) {
            const double site = s.site[k], value = s.value[k], from = (double)first - site;
#pragma unroll
            for (int u = 0; u < CPI_NEAREST_EACH; u++) {
                const double d = (from + u) * g.step, square = value + d * d;
                if (square < best[u]) best[u] = square, which[u] = site;
            }
        }
    }
    __syncthreads(); /* results take the places of values and sites */
    if (t < fine)
#pragma unroll
        for (int u = 0; u < CPI_NEAREST_EACH; u++)
            if (first + u < n) s.value[first + u] = best[u], s.site[first + u] = which[u];
    __syncthreads();
    for (int i = t; i < n; i += THREADS) put(i, s.value[i], (int32_t)s.site[i]);
}

/* The nearest ones of element i, few steps away; true: there may be a nearer one further away. */
__device__ __forceinline__ bool cpi_nearest_step(const cpi_nearest_args &g, cpi_nearest_shared s, int i, double *best,
                                                 int *which)
{
    const int n = (int)g.n;
    double least = s.value[i];
    int at = i, k = 1;
    for (; k <= CPI_NEAREST_NEAR; k++) {
        const double d = (double)k * g.step, t = d * d;
        if (t > least) break;
        if (i - k >= 0 && s.value[i - k] + t <= least) least = s.value[i - k] + t, at = i - k;
        if (i + k < n && s.value[i + k] + t < least) least = s.value[i + k] + t, at = i + k;
    }
    *best = least, *which = at;
    return k > CPI_NEAREST_NEAR;
}

/* All elements of a line that is not listed, from their neighbours on. */
template <int THREADS, class Put>
__device__ __forceinline__ void cpi_nearest_by_blocks(const cpi_nearest_args &g, cpi_nearest_shared s, Put put)
{
    const int n = (int)g.n, t = (int)threadIdx.x;
    for (int part = t; part * CPI_NEAREST_BLOCK < n; part += THREADS) {
        double least = CPI_NEAREST_NEVER;
        for (int j = part * CPI_NEAREST_BLOCK; j < (part + 1) * CPI_NEAREST_BLOCK && j < n; j++)
            least = s.value[j] < least ? s.value[j] : least;
        s.least[part] = least;
    }
    __syncthreads();
    const cpi_nearest_sites all = {s.value, s.least, n, 1, g.step};
    for (int i = t; i < n; i += THREADS) {
        double best;
        int near;
        const bool further = cpi_nearest_step(g, s, i, &best, &near);
        int64_t which = near;
        if (further) cpi_nearest_far(all, i, CPI_NEAREST_NEAR + 1, best, which);
        put(i, best, (int32_t)which);
    }
}

/* A line: put(i, square, which) for each element, which < 0: there is none. All threads of the block take part. */
template <int THREADS, class Put>
__device__ __forceinline__ void cpi_nearest_line(const cpi_nearest_args &g, const double *line, double *memory, Put put)
{
    const int n = (int)g.n, t = (int)threadIdx.x;
    const cpi_nearest_shared s = cpi_nearest_shared_at(memory, n);
    const int sites = cpi_nearest_read<THREADS>(g, line, s);
    double best;
    int which;
    if (sites == 0) {
        for (int i = t; i < n; i += THREADS) put(i, CPI_NEAREST_NEVER, -1);
        return;
    }
    if (sites * 8 >= n) {
        bool further = false;
        for (int i = t; i < n; i += THREADS) {
            further = cpi_nearest_step(g, s, i, &best, &which) || further;
            put(i, best, which);
        }
        if (!__syncthreads_or(further)) return;
    }
    if (!g.exact && sites > CPI_NEAREST_FEW) {
        cpi_nearest_by_blocks<THREADS>(g, s, put);
        return;
    }
    __syncthreads();
    cpi_nearest_list<THREADS>(g, s);
    if (g.exact) {
        cpi_nearest_divide<THREADS>(g, s, sites, put);
        return;
    }
    for (int i = t; i < n; i += THREADS) {
        best = CPI_NEAREST_NEVER, which = -1;
        for (int k = 0; k < sites; k++) {
            const double square = cpi_nearest_square(g, s, (double)i, k);
            if (square < best) best = square, which = (int)s.site[k];
        }
        put(i, best, which);
    }
}

#endif
