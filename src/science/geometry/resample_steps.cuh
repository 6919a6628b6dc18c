/* Splines of orders 0 and 1 at positions of one index each, of two or three axes: shift, zoom, diagonal matrices. Taps
 * belong to an index along an axis, not to an element: a block finds those of its tile's rows once, a thread those of
 * its column, for CPI_STEPS_ROWS rows. Values are those of cpi_resample_known, operation by operation. This header
 * needs no CUDA header, so that tests compile it for the CPU (tests/python/test_geometry_kernels.py). */
#ifndef CPI_RESAMPLE_STEPS_CUH
#define CPI_RESAMPLE_STEPS_CUH

#include "geometry/resample.cuh"

enum { CPI_STEPS_THREADS = 256, CPI_STEPS_ROWS = 8, CPI_STEPS_NARROW = 32 };

/* Tiles of the last two axes are 2^wide columns, at least CPI_STEPS_NARROW, and as many rows as the block's threads and
 * CPI_STEPS_ROWS then make. */
struct cpi_steps_tiles {
    int wide, high;
    uint32_t x, y;      /* tiles along the axes */
    int64_t blocks;
};
static inline cpi_steps_tiles cpi_steps_tiles_of(int ndim, const int64_t *shape)
{
    const int64_t width = shape[ndim - 1], height = shape[ndim - 2];
    cpi_steps_tiles t = {5, 0, 0, 0, 0};
    while (t.wide < 8 && (int64_t)1 << t.wide < width) t.wide++;
    t.high = CPI_STEPS_ROWS * (CPI_STEPS_THREADS >> t.wide);
    const int64_t x = ((width - 1) >> t.wide) + 1, y = (height - 1) / t.high + 1;
    if (x >= (int64_t)1 << 31 || y >= (int64_t)1 << 31) return t; /* 0 blocks */
    t.x = (uint32_t)x, t.y = (uint32_t)y;
    int64_t blocks = x;
    const int64_t more[2] = {y, ndim == 3 ? shape[0] : 1};
    for (int i = 0; i < 2; i++) {
        if (more[i] > ((int64_t)1 << 31) / blocks) return t;
        blocks *= more[i];
    }
    t.blocks = blocks < (int64_t)1 << 31 ? blocks : 0;
    return t;
}

template <int ORDER> struct cpi_steps_taps {
    double w[ORDER + 1];
    int64_t offset[ORDER + 1]; /* -1: cval */
    bool outside;              /* the result is cval */
};
/* Of `index` along axis d of the result; elements of the input are `stride` apart along it. */
template <int ORDER>
__device__ __forceinline__ cpi_steps_taps<ORDER> cpi_steps_taps_of(const cpi_resample_args &g, int d, int64_t index,
                                                                   int64_t stride)
{
    cpi_steps_taps<ORDER> r;
    const double zoom = g.numbers[2 * d], i = (double)index + g.numbers[2 * d + 1];
    const double any = (g.kind == 2 ? (i + 0.5) * zoom - 0.5 : i * zoom) + g.pad;
    const double within = cpi_position_within(any, g.in_shape[d], g.mode);
    r.outside = cpi_is_outside(within, g.mode);
    const double at = r.outside ? 0 : within, first = cpi_spline_first(at, ORDER);
    cpi_spline_weights(at, ORDER, r.w);
#pragma unroll
    for (int t = 0; t <= ORDER; t++) {
        const int64_t tap = cpi_spline_tap(first, t, g.in_shape[d], g.mode);
        r.offset[t] = tap < 0 ? -1 : tap * stride;
    }
    return r;
}

/* The sum over the taps of a column, of the row that begins at p. */
template <class T, int ORDER>
__device__ __forceinline__ double cpi_steps_line(const T *p, const cpi_steps_taps<ORDER> &c, double cval)
{
    double sum = 0;
#pragma unroll
    for (int t = 0; t <= ORDER; t++) sum += c.w[t] * (c.offset[t] < 0 ? cval : (double)p[c.offset[t]]);
    return sum;
}

/* The sum over the taps of a row of the plane that begins at p. */
template <class T, int ORDER>
__device__ __forceinline__ double cpi_steps_plane(const T *p, const cpi_steps_taps<ORDER> &row,
                                                  const cpi_steps_taps<ORDER> &c, double cval)
{
    double sum = 0;
#pragma unroll
    for (int t = 0; t <= ORDER; t++)
        sum += row.w[t] * (row.offset[t] < 0 ? cval : cpi_steps_line(p + row.offset[t], c, cval));
    return sum;
}

/* Do CPI_STEPS_ROWS rows each begin with the last tap of the one before, and is none of them constant? */
template <int ORDER> __device__ __forceinline__ bool cpi_steps_follow(const cpi_steps_taps<ORDER> *rows)
{
    bool follow = true;
#pragma unroll
    for (int k = 0; k < CPI_STEPS_ROWS; k++) {
        follow = follow && !rows[k].outside && rows[k].offset[0] >= 0 && rows[k].offset[ORDER] >= 0;
        if (k) follow = follow && rows[k].offset[0] == rows[k - 1].offset[ORDER];
    }
    return follow;
}

/* What block `block` does; put(i, v) has result i. `rows`: shared memory for the tile's taps. */
template <class T, int ND, int ORDER, class F>
__device__ __forceinline__ void cpi_resample_steps(const cpi_resample_args &g, const cpi_steps_tiles &tiles,
                                                   uint32_t block, cpi_steps_taps<ORDER> *rows, F put)
{
    const int64_t width = g.out_shape[ND - 1], height = g.out_shape[ND - 2], stride = g.in_shape[ND - 1];
    const uint32_t above = block / tiles.x, slice = above / tiles.y;
    const int lane = threadIdx.x & ((1 << tiles.wide) - 1), group = (threadIdx.x >> tiles.wide) * CPI_STEPS_ROWS;
    const int64_t x = ((int64_t)(block - above * tiles.x) << tiles.wide) + lane;
    const int64_t top = (int64_t)(above - slice * tiles.y) * tiles.high, y = top + group;
    for (int k = threadIdx.x; k < tiles.high; k += CPI_STEPS_THREADS)
        if (top + k < height) rows[k] = cpi_steps_taps_of<ORDER>(g, ND - 2, top + k, stride);
    const cpi_steps_taps<ORDER> column = cpi_steps_taps_of<ORDER>(g, ND - 1, x, 1);
    __syncthreads();
    if (x >= width || y >= height) return;
    const cpi_steps_taps<ORDER> *own = rows + group;
    const T *p = (const T *)g.from;
    const int64_t to = ((int64_t)slice * height + y) * width + x;
    const int many = height - y < CPI_STEPS_ROWS ? (int)(height - y) : CPI_STEPS_ROWS;
    if constexpr (ND == 2 && ORDER == 1) {
        /* lines are shared by neighbouring rows, and all loaded before the first result is stored */
        if (many == CPI_STEPS_ROWS && !column.outside && cpi_steps_follow<ORDER>(own)) {
            double line[CPI_STEPS_ROWS + 1];
            line[0] = cpi_steps_line(p + own[0].offset[0], column, g.cval);
#pragma unroll
            for (int k = 0; k < CPI_STEPS_ROWS; k++)
                line[k + 1] = cpi_steps_line(p + own[k].offset[1], column, g.cval);
#pragma unroll
            for (int k = 0; k < CPI_STEPS_ROWS; k++) {
                double sum = 0;
                sum += own[k].w[0] * line[k];
                sum += own[k].w[1] * line[k + 1];
                put(to + k * width, sum);
            }
            return;
        }
    }
    cpi_steps_taps<ORDER> deep;
    if constexpr (ND == 3) deep = cpi_steps_taps_of<ORDER>(g, 0, slice, g.in_shape[1] * stride);
#pragma unroll 1
    for (int k = 0; k < many; k++) {
        double v = g.cval;
        if constexpr (ND == 2) {
            if (!column.outside && !own[k].outside) v = cpi_steps_plane(p, own[k], column, g.cval);
        } else if (!deep.outside && !column.outside && !own[k].outside) {
            v = 0;
#pragma unroll
            for (int t = 0; t <= ORDER; t++)
                v += deep.w[t] *
                     (deep.offset[t] < 0 ? g.cval : cpi_steps_plane(p + deep.offset[t], own[k], column, g.cval));
        }
        put(to + k * width, v);
    }
}

#endif
