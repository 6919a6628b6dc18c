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

enum { CPI_NEAREST_EACH = 8, CPI_NEAREST_COARSE = 128, CPI_NEAREST_FEW = 128, CPI_NEAREST_STEPS_HERE = 24 };

/* Shared memory of a line of n <= 8 * threads elements. */
struct cpi_nearest_shared {
    double *value;              /* n; 16-byte aligned, the rest behind it */
    double *least;              /* of blocks of 32 */
    int32_t *site, *fine;       /* n; n / 8 + 1 */
    int32_t *coarse;            /* n / 128 + 1 */
    uint32_t *set;              /* n / 32 + 1: which elements are sites */
    int32_t *before;            /* n / 32 + 1: how many sites lie before those; the last one: all */
};
__host__ __device__ static inline int64_t cpi_nearest_shared_bytes(int64_t n)
{
    return 8 * (n + n / 32 + 1) + 4 * (n + n / 8 + n / 128 + 2 * (n / 32) + 8);
}
__device__ __forceinline__ cpi_nearest_shared cpi_nearest_shared_at(double *memory, int n)
{
    cpi_nearest_shared s;
    s.value = memory, s.least = s.value + n;
    s.site = (int32_t *)(s.least + n / 32 + 1), s.fine = s.site + n, s.coarse = s.fine + n / 8 + 1;
    s.set = (uint32_t *)(s.coarse + n / 128 + 1), s.before = (int32_t *)(s.set + n / 32 + 1);
    return s;
}

/* Reads the line and lists its sites; returns their number. */
template <int THREADS>
__device__ __forceinline__ int cpi_nearest_read(const cpi_nearest_args &g, const double *line, cpi_nearest_shared s)
{
    const int n = (int)g.n, t = (int)threadIdx.x, words = (n + 31) / 32;
    for (int first = 0; first < n; first += THREADS) {
        const int i = first + t;
        const double v = i < n ? line[i] : CPI_NEAREST_NEVER;
        if (i < n) s.value[i] = v;
        const uint32_t set = __ballot_sync(~0u, v < CPI_NEAREST_NEVER);
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
        if (t == 31) s.before[words] = all;
    }
    __syncthreads();
    for (int i = t; i < n; i += THREADS) {
        const uint32_t set = s.set[i / 32], bit = 1u << (i % 32);
        if (set & bit) s.site[s.before[i / 32] + __popc(set & (bit - 1))] = i;
    }
    const int sites = s.before[words];
    __syncthreads();
    return sites;
}

__device__ __forceinline__ double cpi_nearest_square(const cpi_nearest_args &g, cpi_nearest_shared s, int i, int site)
{
    const double d = (double)(i - site) * g.step;
    return s.value[site] + d * d;
}

/* The first of sites from .. to that is nearest to element i, by the threads of a warp. */
__device__ __forceinline__ int cpi_nearest_by_warp(const cpi_nearest_args &g, cpi_nearest_shared s, int i, int from,
                                                   int to)
{
    double best = CPI_NEAREST_NEVER;
    int which = to;
    for (int k = from + (int)threadIdx.x % 32; k <= to; k += 32) {
        const double square = cpi_nearest_square(g, s, i, s.site[k]);
        if (square < best) best = square, which = k;
    }
    for (int d = 16; d > 0; d /= 2) {
        const double other = __shfl_xor_sync(~0u, best, d);
        const int there = __shfl_xor_sync(~0u, which, d);
        if (other < best || (other == best && there < which)) best = other, which = there;
    }
    return which;
}

/* All elements of a line with sites, whose squares are exact. */
template <int THREADS, class Put>
__device__ __forceinline__ void cpi_nearest_divide(const cpi_nearest_args &g, cpi_nearest_shared s, int sites, Put put)
{
    const int n = (int)g.n, t = (int)threadIdx.x, last = sites - 1;
    const int coarse = (n - 1) / CPI_NEAREST_COARSE + 1, fine = (n - 1) / CPI_NEAREST_EACH + 1;
    const int ratio = CPI_NEAREST_COARSE / CPI_NEAREST_EACH;
    for (int a = t / 32; a < coarse; a += THREADS / 32) {
        const int k = cpi_nearest_by_warp(g, s, a * CPI_NEAREST_COARSE, 0, last);
        if (t % 32 == 0) s.coarse[a] = k;
    }
    __syncthreads();
    for (int b = t; b < fine; b += THREADS) {
        const int a = b / ratio, to = a + 1 < coarse ? s.coarse[a + 1] : last;
        int which = s.coarse[a];
        double best = CPI_NEAREST_NEVER;
        for (int k = b % ratio ? which : to + 1; k <= to; k++) {
            const double square = cpi_nearest_square(g, s, b * CPI_NEAREST_EACH, s.site[k]);
            if (square < best) best = square, which = k;
        }
        s.fine[b] = which;
    }
    __syncthreads();
    double best[CPI_NEAREST_EACH];
    int32_t which[CPI_NEAREST_EACH];
    const int first = t * CPI_NEAREST_EACH; /* one group a thread */
    if (t < fine) {
        const int to = t + 1 < fine ? s.fine[t + 1] : last;
#pragma unroll
        for (int u = 0; u < CPI_NEAREST_EACH; u++) best[u] = CPI_NEAREST_NEVER, which[u] = -1;
        for (int k = s.fine[t]; k <= to; k++) {
            const int site = s.site[k];
            const double value = s.value[site], from = (double)(first - site);
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
    for (int i = t; i < n; i += THREADS) put(i, s.value[i], s.site[i]);
}

/* The nearest ones of element i, at most CPI_NEAREST_STEPS_HERE away; true: there may be a nearer one further away. */
__device__ __forceinline__ bool cpi_nearest_step(const cpi_nearest_args &g, cpi_nearest_shared s, int i, double *best,
                                                 int *which)
{
    const int n = (int)g.n;
    double least = s.value[i];
    int at = i, k = 1;
    for (; k <= CPI_NEAREST_STEPS_HERE; k++) {
        const double d = (double)k * g.step, t = d * d;
        if (t > least) break;
        if (i - k >= 0 && s.value[i - k] + t <= least) least = s.value[i - k] + t, at = i - k;
        if (i + k < n && s.value[i + k] + t < least) least = s.value[i + k] + t, at = i + k;
    }
    *best = least, *which = at;
    return k > CPI_NEAREST_STEPS_HERE;
}

/* Element i's nearest ones in whole blocks: of those whose least squares are small enough all elements are tried. */
__device__ __forceinline__ void cpi_nearest_blocks(const cpi_nearest_args &g, cpi_nearest_shared s, int i, double *best,
                                                   int *which)
{
    const int n = (int)g.n, own = i / 32, parts = (n + 31) / 32;
    for (int k = 0; own - k >= 0 || own + k < parts; k++) {
        for (int side = k ? -1 : 1; side <= 1; side += 2) {
            const int part = own + side * k;
            if (part < 0 || part >= parts) continue;
            const int first = part * 32, end = first + 32 < n ? first + 32 : n;
            const int gap = i < first ? first - i : i >= end ? i - end + 1 : 0;
            const double d = (double)gap * g.step;
            if (s.least[part] + d * d > *best) continue;
            for (int j = first; j < end; j++) {
                const double square = cpi_nearest_square(g, s, i, j);
                if (square < *best || (square == *best && j < *which)) *best = square, *which = j;
            }
        }
        const double d = (double)(k > 0 ? (k - 1) * 32 : 0) * g.step; /* whatever comes is further away */
        if (d * d > *best) break;
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
    bool further = false;
    if (sites * 8 >= n) {
        for (int i = t; i < n; i += THREADS) {
            further = cpi_nearest_step(g, s, i, &best, &which) || further;
            put(i, best, which);
        }
        further = __syncthreads_or(further);
        if (!further) return;
    }
    if (g.exact) {
        cpi_nearest_divide<THREADS>(g, s, sites, put);
    } else if (sites <= CPI_NEAREST_FEW) {
        for (int i = t; i < n; i += THREADS) {
            best = CPI_NEAREST_NEVER, which = -1;
            for (int k = 0; k < sites; k++) {
                const double square = cpi_nearest_square(g, s, i, s.site[k]);
                if (square < best) best = square, which = s.site[k];
            }
            put(i, best, which);
        }
    } else {
        for (int part = t; part * 32 < n; part += THREADS) {
            double least = CPI_NEAREST_NEVER;
            for (int j = part * 32; j < part * 32 + 32 && j < n; j++)
                least = s.value[j] < least ? s.value[j] : least;
            s.least[part] = least;
        }
        __syncthreads();
        for (int i = t; i < n; i += THREADS) {
            best = s.value[i], which = i;
            cpi_nearest_blocks(g, s, i, &best, &which);
            put(i, best, best < CPI_NEAREST_NEVER ? which : -1);
        }
    }
}

#endif
