/* Distances to the nearest zero in kernels. This header needs no CUDA header, so that tests compile it for the CPU
 * (tests/python/test_geometry_kernels.py).
 *
 * The first axis: segments of columns know their first and their last zero; those tell each segment the nearest zeros
 * around it, and then it is filled. Every further axis: each element tries its line's elements step by step to both
 * sides, then whole blocks, whose least squares say whether they can have a nearer one. */
#ifndef CPI_NEAREST_CUH
#define CPI_NEAREST_CUH

#include "loop/unravel.cuh"

enum { CPI_NEAREST_SEGMENT = 64, CPI_NEAREST_BLOCK = 32 };

struct cpi_nearest_args {
    int64_t size, outer, n, inner, parts; /* of the axis; `parts`: segments or blocks of a line */
    double step;
    const uint8_t *x;
    int32_t *low, *high;     /* (parts, inner): a segment's first and last zero; then those behind and before it */
    const double *from;      /* squares of the axes before */
    double *least;           /* (outer, parts, inner): of blocks */
    double *to;
    int32_t *nearest;        /* the index along the axis, or NULL; -1: none */
};

#define CPI_NEAREST_NEVER ((double)INFINITY)

/* Thread: column and segment. */
__device__ __forceinline__ void cpi_nearest_ends(const cpi_nearest_args &g, int64_t thread)
{
    const int64_t column = thread % g.inner, part = thread / g.inner, first = part * CPI_NEAREST_SEGMENT;
    const int64_t end = first + CPI_NEAREST_SEGMENT < g.n ? first + CPI_NEAREST_SEGMENT : g.n;
    int32_t low = -1, high = -1;
    for (int64_t i = first; i < end; i++)
        if (!g.x[i * g.inner + column]) high = (int32_t)i, low = low < 0 ? high : low;
    g.low[thread] = low, g.high[thread] = high;
}

/* Thread: a column. `high` becomes the last zero before each segment, `low` the first one behind it; -1: none. */
__device__ __forceinline__ void cpi_nearest_around(const cpi_nearest_args &g, int64_t column)
{
    int32_t before = -1, behind = -1;
    for (int64_t p = 0; p < g.parts; p++) {
        const int32_t high = g.high[p * g.inner + column];
        g.high[p * g.inner + column] = before;
        before = high >= 0 ? high : before;
    }
    for (int64_t p = g.parts - 1; p >= 0; p--) {
        const int32_t low = g.low[p * g.inner + column];
        g.low[p * g.inner + column] = behind;
        behind = low >= 0 ? low : behind;
    }
}

/* Thread: column and segment. Downwards `to` holds the last zero, upwards it becomes the square. */
__device__ __forceinline__ void cpi_nearest_fill(const cpi_nearest_args &g, int64_t thread)
{
    const int64_t column = thread % g.inner, part = thread / g.inner, first = part * CPI_NEAREST_SEGMENT;
    const int64_t end = first + CPI_NEAREST_SEGMENT < g.n ? first + CPI_NEAREST_SEGMENT : g.n;
    double before = g.high[thread] < 0 ? -CPI_NEAREST_NEVER : g.high[thread];
    double behind = g.low[thread] < 0 ? CPI_NEAREST_NEVER : g.low[thread];
    for (int64_t i = first; i < end; i++) {
        if (!g.x[i * g.inner + column]) before = (double)i;
        g.to[i * g.inner + column] = before;
    }
    for (int64_t i = end - 1; i >= first; i--) {
        const int64_t at = i * g.inner + column;
        if (!g.x[at]) behind = (double)i;
        const double up = (double)i - g.to[at], down = behind - (double)i, which = down < up ? behind : g.to[at];
        const double d = (down < up ? down : up) * g.step;
        if (g.nearest) g.nearest[at] = which >= 0 && which < (double)g.n ? (int32_t)which : -1;
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

/* Thread: an element. Of equal distances the one of the least index counts. */
__device__ __forceinline__ void cpi_nearest_search(const cpi_nearest_args &g, int64_t thread)
{
    const int64_t column = thread % g.inner, rest = thread / g.inner, i = rest % g.n, outer = rest / g.n;
    const double *line = g.from + outer * g.n * g.inner + column;
    const double *least = g.least + outer * g.parts * g.inner + column;
    double best = line[i * g.inner];
    int64_t which = i, k = 1;
    for (; k <= CPI_NEAREST_BLOCK; k++) {
        const double d = (double)k * g.step, t = d * d;
        if (t > best) break;
        if (i - k >= 0 && line[(i - k) * g.inner] + t <= best) best = line[(i - k) * g.inner] + t, which = i - k;
        if (i + k < g.n && line[(i + k) * g.inner] + t < best) best = line[(i + k) * g.inner] + t, which = i + k;
    }
    if (k > CPI_NEAREST_BLOCK) {
        /* downwards from i - k, block by block; then upwards */
        for (int64_t j = i - k; j >= 0;) {
            const int64_t part = j / CPI_NEAREST_BLOCK, first = part * CPI_NEAREST_BLOCK;
            double d = (double)(i - j) * g.step;
            if (d * d > best) break;
            if (least[part * g.inner] + d * d <= best)
                for (; j >= first; j--) {
                    d = (double)(i - j) * g.step;
                    const double square = line[j * g.inner] + d * d;
                    if (square <= best) best = square, which = j;
                }
            j = first - 1;
        }
        for (int64_t j = i + k; j < g.n;) {
            const int64_t part = j / CPI_NEAREST_BLOCK, end = (part + 1) * CPI_NEAREST_BLOCK;
            double d = (double)(j - i) * g.step;
            if (d * d > best) break;
            if (least[part * g.inner] + d * d < best)
                for (; j < end && j < g.n; j++) {
                    d = (double)(j - i) * g.step;
                    const double square = line[j * g.inner] + d * d;
                    if (square < best) best = square, which = j;
                }
            j = end;
        }
    }
    g.to[thread] = best;
    if (g.nearest) g.nearest[thread] = best < CPI_NEAREST_NEVER ? (int32_t)which : -1;
}

#endif
