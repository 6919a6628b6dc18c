/* Distances to the nearest zero in kernels. This header needs no CUDA header, so that tests compile it for the CPU
 * (tests/python/test_geometry_kernels.py).
 *
 * The first axis: segments of columns, of a bit an element, know their first and their last zero; those tell each
 * segment the nearest zeros around it, and then it is filled. Every further axis: each element tries its line's
 * elements step by step to both sides, then whole blocks, whose least squares say whether they can have a nearer one.
 * Lines of the last axis that fit in shared memory are in nearest_line.cuh. */
#ifndef CPI_NEAREST_CUH
#define CPI_NEAREST_CUH

#include "loop/unravel.cuh"

enum { CPI_NEAREST_SEGMENT = 64, CPI_NEAREST_BLOCK = 32 };

struct cpi_nearest_args {
    int64_t size, outer, n, inner, parts; /* of the axis; `parts`: segments or blocks of a line */
    double step;
    const uint8_t *x;
    int32_t *low, *high;     /* (parts, inner): a segment's first and last zero; then those behind and before it */
    uint64_t *zeros;         /* (parts, inner): its zeros, the first one in bit 0 */
    const double *from;      /* squares of the axes before */
    double *least;           /* (outer, parts, inner): of blocks */
    double *to;
    int32_t *nearest;        /* the index along the axis, or NULL; -1: none */
    bool exact;              /* squares and their sums have no rounding errors */
};

#define CPI_NEAREST_NEVER ((double)INFINITY)

/* Thread: column and segment. */
__device__ __forceinline__ void cpi_nearest_ends(const cpi_nearest_args &g, int64_t thread)
{
    const int64_t column = thread % g.inner, part = thread / g.inner, first = part * CPI_NEAREST_SEGMENT;
    const uint8_t *x = g.x + first * g.inner + column;
    const int n = (int)(first + CPI_NEAREST_SEGMENT < g.n ? CPI_NEAREST_SEGMENT : g.n - first);
    uint64_t zeros = 0;
#pragma unroll 16
    for (int i = 0; i < n; i++) zeros |= (uint64_t)(x[i * g.inner] == 0) << i;
    g.zeros[thread] = zeros;
    g.low[thread] = zeros ? (int32_t)first + __ffsll((long long)zeros) - 1 : -1;
    g.high[thread] = zeros ? (int32_t)first + 63 - __clzll((long long)zeros) : -1;
}

/* Thread: a column. `high` becomes the last zero before each segment, `low` the first one behind it; -1: none. Some
 * are read before any is written. */
__device__ __forceinline__ void cpi_nearest_around(const cpi_nearest_args &g, int64_t column)
{
    enum { AHEAD = 16 };
    int32_t v[AHEAD], before = -1, behind = -1;
    for (int64_t p = 0; p < g.parts; p += AHEAD) {
#pragma unroll
        for (int u = 0; u < AHEAD; u++) v[u] = p + u < g.parts ? g.high[(p + u) * g.inner + column] : -1;
#pragma unroll
        for (int u = 0; u < AHEAD; u++) {
            if (p + u < g.parts) g.high[(p + u) * g.inner + column] = before;
            before = v[u] >= 0 ? v[u] : before;
        }
    }
    for (int64_t p = g.parts - 1; p >= 0; p -= AHEAD) {
#pragma unroll
        for (int u = 0; u < AHEAD; u++) v[u] = p - u >= 0 ? g.low[(p - u) * g.inner + column] : -1;
#pragma unroll
        for (int u = 0; u < AHEAD; u++) {
            if (p - u >= 0) g.low[(p - u) * g.inner + column] = behind;
            behind = v[u] >= 0 ? v[u] : behind;
        }
    }
}

/* Thread: column and segment. */
__device__ __forceinline__ void cpi_nearest_fill(const cpi_nearest_args &g, int64_t thread)
{
    const int64_t column = thread % g.inner, part = thread / g.inner, first = part * CPI_NEAREST_SEGMENT;
    const int n = (int)(first + CPI_NEAREST_SEGMENT < g.n ? CPI_NEAREST_SEGMENT : g.n - first);
    const int32_t before = g.high[thread], behind = g.low[thread];
    const uint64_t zeros = g.zeros[thread];
    for (int i = 0; i < n; i++) {
        const uint64_t up = zeros << (63 - i), down = zeros >> i;
        const int32_t here = (int32_t)first + i;
        const int32_t above = up ? here - __clzll((long long)up) : before;
        const int32_t below = down ? here + __ffsll((long long)down) - 1 : behind;
        const bool lower = below >= 0 && (above < 0 || below - here < here - above);
        const int32_t which = lower ? below : above;
        const double d = (which < 0 ? CPI_NEAREST_NEVER : (double)(lower ? below - here : here - above)) * g.step;
        const int64_t at = (first + i) * g.inner + column;
        if (g.nearest) g.nearest[at] = which;
        g.to[at] = d * d;
    }
}

/* Thread: (outer, part, inner) of `least`. */
__device__ __forceinline__ void cpi_nearest_least(const cpi_nearest_args &g, int64_t thread)
{
    const int64_t column = thread % g.inner, rest = thread / g.inner, part = rest % g.parts, outer = rest / g.parts;
    const int64_t first = part * CPI_NEAREST_BLOCK;
    const int64_t end = first + CPI_NEAREST_BLOCK < g.n ? first + CPI_NEAREST_BLOCK : g.n;
    const double *line = g.from + outer * g.n * g.inner + column;
    double least = CPI_NEAREST_NEVER;
    for (int64_t i = first; i < end; i++) least = line[i * g.inner] < least ? line[i * g.inner] : least;
    g.least[thread] = least;
}

/* A line's elements, squares of the axes before, and the least ones of its blocks. */
struct cpi_nearest_sites {
    const double *at, *least;
    int64_t n, inner;
    double step;
};

/* From distance k on: whole blocks downwards, then upwards. */
__device__ __forceinline__ void cpi_nearest_far(const cpi_nearest_sites &s, int64_t i, int64_t k, double &best,
                                                int64_t &which)
{
    for (int64_t j = i - k; j >= 0;) {
        const int64_t part = j / CPI_NEAREST_BLOCK, first = part * CPI_NEAREST_BLOCK;
        double d = (double)(i - j) * s.step;
        if (d * d > best) break;
        if (s.least[part * s.inner] + d * d <= best)
            for (; j >= first; j--) {
                d = (double)(i - j) * s.step;
                const double square = s.at[j * s.inner] + d * d;
                if (square <= best) best = square, which = j;
            }
        j = first - 1;
    }
    for (int64_t j = i + k; j < s.n;) {
        const int64_t part = j / CPI_NEAREST_BLOCK, end = (part + 1) * CPI_NEAREST_BLOCK;
        double d = (double)(j - i) * s.step;
        if (d * d > best) break;
        if (s.least[part * s.inner] + d * d < best)
            for (; j < end && j < s.n; j++) {
                d = (double)(j - i) * s.step;
                const double square = s.at[j * s.inner] + d * d;
                if (square < best) best = square, which = j;
            }
        j = end;
    }
}

/* Thread: an element. Of equal distances the one of the least index counts. */
__device__ __forceinline__ void cpi_nearest_search(const cpi_nearest_args &g, int64_t thread)
{
    const int64_t column = thread % g.inner, rest = thread / g.inner, i = rest % g.n, outer = rest / g.n;
    const double *line = g.from + outer * g.n * g.inner + column;
    double best = line[i * g.inner];
    int64_t which = i, k = 1;
    for (; k <= CPI_NEAREST_BLOCK; k++) {
        const double d = (double)k * g.step, t = d * d;
        if (t > best) break;
        if (i - k >= 0 && line[(i - k) * g.inner] + t <= best) best = line[(i - k) * g.inner] + t, which = i - k;
        if (i + k < g.n && line[(i + k) * g.inner] + t < best) best = line[(i + k) * g.inner] + t, which = i + k;
    }
    if (k > CPI_NEAREST_BLOCK) {
        const cpi_nearest_sites s = {line, g.least + outer * g.parts * g.inner + column, g.n, g.inner, g.step};
        cpi_nearest_far(s, i, k, best, which);
    }
    g.to[thread] = best;
    if (g.nearest) g.nearest[thread] = best < CPI_NEAREST_NEVER ? (int32_t)which : -1;
}

#endif
