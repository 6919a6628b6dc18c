/* Prominences of many peaks on the GPU: what lies beside a peak is looked at in blocks of 32, 32^2, ... elements, whose
 * lowest and highest ones were found before, so the highest peak of a signal needs no look at all of it. The same
 * numbers come as of look.h's. This header needs no other, so that tests compile it for the CPU. */
#ifndef CPI_PEAKS_LEVELS_CUH
#define CPI_PEAKS_LEVELS_CUH

enum { CPI_LEVELS = 12, CPI_LEVEL_BITS = 5, CPI_LEVEL_THREADS = 1024 };

/* Level k has a block of 32^k elements at each place; level 0 are the elements. `high` is NaN where one of them is. */
struct cpi_levels {
    int64_t n;
    int levels;
    const double *low[CPI_LEVELS], *high[CPI_LEVELS];
};

__device__ __forceinline__ double cpi_low_of(double a, double b) { return b < a ? b : a; }
__device__ __forceinline__ double cpi_high_of(double a, double b) { return a != a || b <= a ? a : b; }

/* Levels k + 1 and k + 2 of `count` blocks of level k: a block of CPI_LEVEL_THREADS threads has as many of these. */
struct cpi_level_pair {
    int64_t count;
    const double *low, *high;
    double *low1, *high1, *low2, *high2;
};
__device__ __forceinline__ void cpi_level_warp(double &low, double &high)
{
#pragma unroll
    for (int by = 16; by; by >>= 1) {
        low = cpi_low_of(low, __shfl_xor_sync(~0u, low, by));
        high = cpi_high_of(high, __shfl_xor_sync(~0u, high, by));
    }
}
__device__ __forceinline__ void cpi_level_build(const cpi_level_pair &p)
{
    __shared__ double lows[32], highs[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t at = (int64_t)blockIdx.x * CPI_LEVEL_THREADS + threadIdx.x, last = p.count - 1;
    double low = p.low[at < last ? at : last], high = p.high[at < last ? at : last];
    cpi_level_warp(low, high);
    if (!lane) {
        lows[warp] = low;
        highs[warp] = high;
        if (at <= last) p.low1[at / 32] = low, p.high1[at / 32] = high;
    }
    __syncthreads();
    if (warp) return;
    low = lows[lane], high = highs[lane];
    cpi_level_warp(low, high);
    if (!lane) p.low2[blockIdx.x] = low, p.high2[blockIdx.x] = high;
}

/* From the peak to the left (step -1) or right (1): the lowest value before one that is above the peak, no further than
 * `end`, and the place of it that is nearest to the peak. */
template <int STEP>
__device__ __forceinline__ double cpi_level_search(const cpi_levels &l, int64_t at, int64_t end, int64_t *place)
{
    enum { FIRST = STEP > 0 ? 0 : 31 }; /* of a block's parts the first one on the way */
    const double top = l.low[0][at];
    double low = top;
    int level = 0, most = l.levels - 1, best = 0;
    int64_t c = at + STEP, found = at;
    while (true) {
        const int shift = level * CPI_LEVEL_BITS;
        const int64_t begin = c << shift, behind = c + 1 << shift, stop = behind < l.n ? behind : l.n;
        if (STEP > 0 ? begin > end : c < 0 || behind <= end) break;
        if (level < most && (c & 31) == FIRST) { /* nothing of the larger block was looked at */
            level++;
            c >>= CPI_LEVEL_BITS;
            continue;
        }
        if ((STEP > 0 ? stop - 1 <= end : begin >= end) && l.high[level][c] <= top) {
            const double v = l.low[level][c];
            if (v < low) low = v, best = level, found = c;
            c += STEP;
        } else if (level) {
            most = --level;
            c = (c << CPI_LEVEL_BITS) + FIRST;
        } else {
            break;
        }
    }
    for (; best; best--) {
        found = (found << CPI_LEVEL_BITS) + FIRST;
        while (l.low[best - 1][found] != low) found += STEP;
    }
    *place = found;
    return low;
}

#endif
