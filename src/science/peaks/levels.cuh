/* Prominences of many peaks on the GPU: what lies beside a peak is looked at in blocks of 8, 64, ... elements, whose
 * lowest and highest ones were found before, so the highest peak of a signal needs no look at all of it. The same
 * numbers come as of look.h's. This header needs no other, so that tests compile it for the CPU. */
#ifndef CPI_PEAKS_LEVELS_CUH
#define CPI_PEAKS_LEVELS_CUH

enum { CPI_LEVELS = 22, CPI_LEVEL_BITS = 3, CPI_LEVEL_THREADS = 1024 };

/* Of a block of elements; `high` is NaN where one of them is. */
struct __align__(16) cpi_low_high {
    double low, high;
};
/* Level k >= 1 has an extent of 8^k elements at each place; level 0 are the elements. */
struct cpi_levels {
    const double *x;
    int64_t n;
    int levels;
    const cpi_low_high *of[CPI_LEVELS];
};

__device__ __forceinline__ cpi_low_high cpi_low_high_of(cpi_low_high a, cpi_low_high b)
{
    return {b.low < a.low ? b.low : a.low, a.high != a.high || b.high <= a.high ? a.high : b.high};
}
/* Of eight neighbouring lanes. */
__device__ __forceinline__ cpi_low_high cpi_low_high_of_eight(cpi_low_high e)
{
#pragma unroll
    for (int by = 4; by; by >>= 1)
        e = cpi_low_high_of(e, {__shfl_xor_sync(~0u, e.low, by), __shfl_xor_sync(~0u, e.high, by)});
    return e;
}

/* Three levels from `count` blocks of one, or from the elements. */
struct cpi_level_step {
    int64_t count;
    const double *x; /* NULL: from `from` */
    const cpi_low_high *from;
    cpi_low_high *to[3];
};
__device__ __forceinline__ void cpi_level_build(const cpi_level_step &s)
{
    __shared__ cpi_low_high held[CPI_LEVEL_THREADS / 8];
    const int t = threadIdx.x;
    const int64_t first = (int64_t)blockIdx.x * CPI_LEVEL_THREADS, last = s.count - 1;
    const int64_t at = first + t < last ? first + t : last;
    cpi_low_high e = {};
    if (s.x) e.low = e.high = s.x[at];
    else e = s.from[at];
    e = cpi_low_high_of_eight(e);
    if (t % 8 == 0) {
        held[t / 8] = e;
        if (first + t <= last) s.to[0][(first + t) / 8] = e;
    }
    __syncthreads();
    if (t < CPI_LEVEL_THREADS / 8) {
        e = cpi_low_high_of_eight(held[t]);
        if (t % 8 == 0 && first + 8 * t <= last) s.to[1][(first + 8 * t) / 64] = e;
    }
    __syncthreads();
    if (t < CPI_LEVEL_THREADS / 8 && t % 8 == 0) held[t / 8] = e;
    __syncthreads();
    if (t >= 32) return;
    e = cpi_low_high_of_eight(held[t % (CPI_LEVEL_THREADS / 64)]);
    if (t % 8 == 0 && t < CPI_LEVEL_THREADS / 64 && first + 64 * t <= last) s.to[2][(first + 64 * t) / 512] = e;
}

/* From the peak to the left (step -1) or right (1): the lowest value before one that is above the peak, no further than
 * `end`, and the place of it that is nearest to the peak. I: holds twice n. */
template <int STEP, class I>
__device__ __forceinline__ double cpi_level_search(const cpi_levels &l, I at, I end, int64_t *place)
{
    enum { FIRST = STEP > 0 ? 0 : 7 }; /* of a block's parts the first one on the way */
    const double top = l.x[at];
    const bool all = STEP > 0 && end == (I)l.n - 1; /* then the last block of a level counts, which may be shorter */
    double low = top;
    int level = 0, most = l.levels - 1, best = 0;
    I c = at + STEP, found = at;
    for (bool rest = true; rest; c += STEP) { /* of the smallest block */
        if (STEP > 0 ? c > end : c < end) break;
        const double v = l.x[c];
        if (!(v <= top)) {
            most = -1;
            break;
        }
        if (v < low) low = v, found = c;
        rest = (c & 7) != 7 - FIRST;
    }
    while (most >= 0) {
        const int shift = level * CPI_LEVEL_BITS;
        if (level < most && (c & 7) == FIRST) { /* nothing of the larger block was looked at */
            level++;
            c >>= CPI_LEVEL_BITS;
            continue;
        }
        if (STEP > 0 ? c << shift > end : c < 0 || c + 1 << shift <= end) break;
        if (STEP > 0 ? all || c < end + 1 >> shift : c << shift >= end) {
            cpi_low_high e;
            if (level) e = l.of[level][c];
            else e.low = e.high = l.x[c];
            if (e.high <= top) {
                if (e.low < low) low = e.low, best = level, found = c;
                c += STEP;
                continue;
            }
        }
        if (!level) break;
        most = --level;
        c = (c << CPI_LEVEL_BITS) + FIRST;
    }
    for (; best; best--) {
        found = (found << CPI_LEVEL_BITS) + FIRST;
        while ((best > 1 ? l.of[best - 1][found].low : l.x[found]) != low) found += STEP;
    }
    *place = found;
    return low;
}

#endif
