/* Splines and distances on the GPU: launchers. What the kernels compute is in resample.cuh and nearest.cuh. */
#include "cuda/cuda.h"
#include "geometry/geometry.h"
#include "geometry/nearest_line.cuh"
#include "geometry/resample.cuh"
#include "geometry/resample_steps.cuh"
#include "geometry/rounding.h"
#include "geometry/spline_tile.cuh"

namespace {

enum { THREADS = 256, FEW = 6 };
constexpr int64_t MOST = 1 << 20; /* blocks; kernels iterate over what is more */

#define FOR_EACH(i, n) \
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < (n); i += (int64_t)gridDim.x * THREADS)

extern __shared__ double line_memory[];

/* --- values at positions --- */

__device__ __forceinline__ void store(cp_type type, void *to, int64_t i, double v)
{
    switch ((int)type) {
        case CP_BOOL: ((bool *)to)[i] = cpi_rounded_bool(v); break;
        case CP_INT8: ((int8_t *)to)[i] = (int8_t)cpi_rounded_signed(v, 8); break;
        case CP_INT16: ((int16_t *)to)[i] = (int16_t)cpi_rounded_signed(v, 16); break;
        case CP_INT32: ((int32_t *)to)[i] = (int32_t)cpi_rounded_signed(v, 32); break;
        case CP_INT64: ((int64_t *)to)[i] = cpi_rounded_signed(v, 64); break;
        case CP_UINT8: ((uint8_t *)to)[i] = (uint8_t)cpi_rounded_unsigned(v, 8); break;
        case CP_UINT16: ((uint16_t *)to)[i] = (uint16_t)cpi_rounded_unsigned(v, 16); break;
        case CP_UINT32: ((uint32_t *)to)[i] = (uint32_t)cpi_rounded_unsigned(v, 32); break;
        case CP_UINT64: ((uint64_t *)to)[i] = cpi_rounded_unsigned(v, 64); break;
        case CP_FLOAT32: ((float *)to)[i] = (float)v; break;
        default: ((double *)to)[i] = v;
    }
}

/* ND 0: up to ORDER axes, and any order. Local memory is reserved for all threads of the device, so that few axes have
 * a kernel of their own. */
template <class T, int ND, int ORDER>
__global__ void __launch_bounds__(THREADS) resample_kernel(const __grid_constant__ cpi_resample_args g, cp_type result)
{
    FOR_EACH(i, g.n) {
        int64_t k = i, image = 0;
        if (g.n != g.out_size) image = i / g.out_size, k = i - image * g.out_size;
        const T *p = (const T *)g.from + image * g.in_size;
        double at[ND ? ND : ORDER], v;
        cpi_resample_positions<ND, ND ? ND : ORDER>(g, k, at);
        if constexpr (ND) v = cpi_resample_known<T, ND, ORDER>(g, p, at);
        else v = cpi_resample_any<T, ORDER>(g, p, at);
        store(result, g.to, i, v);
    }
}

template <class T> const void *resample_kernel_of(const cpi_resample_args &g)
{
    const bool square = g.in_ndim == g.out_ndim || g.kind == CPI_POSITIONS_GIVEN;
    switch (square && g.in_ndim <= 3 ? g.in_ndim * 8 + g.order : 0) {
        case 8 + 1: return (const void *)resample_kernel<T, 1, 1>;
        case 8 + 3: return (const void *)resample_kernel<T, 1, 3>;
        case 16 + 0: return (const void *)resample_kernel<T, 2, 0>;
        case 16 + 1: return (const void *)resample_kernel<T, 2, 1>;
        case 16 + 2: return (const void *)resample_kernel<T, 2, 2>;
        case 16 + 3: return (const void *)resample_kernel<T, 2, 3>;
        case 16 + 5: return (const void *)resample_kernel<T, 2, 5>;
        case 24 + 1: return (const void *)resample_kernel<T, 3, 1>;
        case 24 + 3: return (const void *)resample_kernel<T, 3, 3>;
        default:
            return g.in_ndim <= FEW && g.out_ndim <= FEW ? (const void *)resample_kernel<T, 0, FEW>
                                                         : (const void *)resample_kernel<T, 0, CPI_RESAMPLE_DIMS>;
    }
}

template <class T, int ND, int ORDER>
__global__ void __launch_bounds__(CPI_STEPS_THREADS)
steps_kernel(const __grid_constant__ cpi_resample_args g, const __grid_constant__ cpi_steps_tiles tiles, cp_type result)
{
    __shared__ cpi_steps_taps<ORDER> rows[CPI_STEPS_ROWS * CPI_STEPS_THREADS / CPI_STEPS_NARROW];
    cpi_resample_steps<T, ND, ORDER>(g, tiles, blockIdx.x, rows,
                                     [&](int64_t i, double v) { store(result, g.to, i, v); });
}

template <class T> const void *steps_kernel_of(const cpi_resample_args &g)
{
    if (g.in_ndim == 2) return g.order ? (const void *)steps_kernel<T, 2, 1> : (const void *)steps_kernel<T, 2, 0>;
    return g.order ? (const void *)steps_kernel<T, 3, 1> : (const void *)steps_kernel<T, 3, 0>;
}

/* --- coefficients --- */

template <class T>
__global__ void __launch_bounds__(THREADS) forwards_kernel(const __grid_constant__ cpi_spline_args g)
{
    FOR_EACH(i, g.outer * g.inner * g.segments) cpi_spline_forwards<T>(g, i);
}
__global__ void __launch_bounds__(THREADS) backwards_kernel(const __grid_constant__ cpi_spline_args g)
{
    FOR_EACH(i, g.outer * g.inner * g.segments) cpi_spline_backwards(g, i);
}

template <class T>
__global__ void __launch_bounds__(THREADS) tile_kernel(const __grid_constant__ cpi_spline_args g, int64_t groups)
{
    cpi_spline_tile<T, THREADS>(g, groups, line_memory);
}

/* --- distances --- */

__global__ void __launch_bounds__(THREADS) ends_kernel(const __grid_constant__ cpi_nearest_args g)
{
    FOR_EACH(i, g.parts * g.inner) cpi_nearest_ends(g, i);
}
__global__ void __launch_bounds__(THREADS) around_kernel(const __grid_constant__ cpi_nearest_args g)
{
    FOR_EACH(i, g.inner) cpi_nearest_around(g, i);
}
__global__ void __launch_bounds__(THREADS) fill_kernel(const __grid_constant__ cpi_nearest_args g)
{
    FOR_EACH(i, g.parts * g.inner) cpi_nearest_fill(g, i);
}
__global__ void __launch_bounds__(THREADS) least_kernel(const __grid_constant__ cpi_nearest_args g)
{
    FOR_EACH(i, g.outer * g.parts * g.inner) cpi_nearest_least(g, i);
}
__global__ void __launch_bounds__(THREADS) search_kernel(const __grid_constant__ cpi_nearest_args g)
{
    FOR_EACH(i, g.size) cpi_nearest_search(g, i);
}

/* to[i] = what `from`, one of the planes of indices, has at i's nearest element along the axis. */
__global__ void __launch_bounds__(THREADS) move_kernel(const __grid_constant__ cpi_nearest_args g, const int32_t *from,
                                                       int32_t *to)
{
    FOR_EACH(i, g.size) {
        const int64_t column = i % g.inner, outer = i / g.inner / g.n;
        to[i] = g.nearest[i] < 0 ? from[i] : from[(outer * g.n + g.nearest[i]) * g.inner + column];
    }
}

/* What distance i is, of its square; where there is no zero anywhere, distances and indices are as if one lay before
 * the first element. */
__device__ __forceinline__ double finished(const cpi_nearest &p, int64_t i, double sum)
{
    if (!(sum < CPI_NEAREST_NEVER)) {
        int64_t rest = i;
        double square[CP_MAXDIM];
        for (int d = p.ndim - 1; d >= 0; d--) {
            const int64_t at = cpi_index_along(p.shape[d], rest);
            const double t = (double)(at + (d == 0)) * p.sampling[d];
            square[d] = t * t;
            if (p.indices) p.indices[d * p.size + i] = d ? 0 : -1;
        }
        sum = 0;
        for (int d = 0; d < p.ndim; d++) sum += square[d];
    }
    return sqrt(sum);
}
__global__ void __launch_bounds__(THREADS) finish_kernel(const __grid_constant__ cpi_nearest p)
{
    FOR_EACH(i, p.size) p.distances[i] = finished(p, i, p.distances[i]);
}

/* The last axis: a block a line. Without indices it ends with distances, not squares. */
__global__ void __launch_bounds__(THREADS) line_kernel(const __grid_constant__ cpi_nearest_args g,
                                                       const __grid_constant__ cpi_nearest p)
{
    for (int64_t line = blockIdx.x; line < g.outer; line += gridDim.x) {
        const int64_t first = line * g.n;
        cpi_nearest_line<THREADS>(g, g.from + first, line_memory, [&](int i, double square, int32_t which) {
            if (g.nearest) g.to[first + i] = square, g.nearest[first + i] = which;
            else g.to[first + i] = finished(p, first + i, square);
        });
        __syncthreads();
    }
}

cp_code launch(cp_stream *stream, const void *kernel, int64_t n, void **args, const char *what)
{
    cudaLaunchKernel(kernel, dim3(cpi_cuda_blocks(n, THREADS, MOST)), dim3(THREADS), args, 0, cpi_cuda_stream(stream));
    return CPI_LAUNCHED(stream, what);
}
cp_code launch_nearest(cp_stream *stream, const void *kernel, int64_t n, cpi_nearest_args &g)
{
    void *args[] = {&g};
    return launch(stream, kernel, n, args, "distance_transform_edt");
}

} // namespace

cp_code cpi_geometry_cuda_resample(cp_stream *stream, const cpi_resample *r)
{
    cpi_resample_args g = {};
    static_assert((int)CPI_RESAMPLE_DIMS == (int)CP_MAXDIM, "");
    g.order = r->order, g.in_ndim = r->in_ndim, g.out_ndim = r->out_ndim, g.kind = (int)r->kind, g.mode = r->mode;
    g.cval = r->cval, g.pad = r->pad;
    g.in_size = g.out_size = 1;
    for (int d = 0; d < r->in_ndim; d++) g.in_size *= g.in_shape[d] = r->in_shape[d];
    for (int d = 0; d < r->out_ndim; d++) g.out_size *= g.out_shape[d] = r->out_shape[d];
    g.n = r->images * g.out_size;
    g.small = g.out_size < (int64_t)1 << 31;
    for (int d = 0; d < r->in_ndim && d < 3; d++) g.length[d] = (double)r->in_shape[d];
    for (int d = 0; d < r->out_ndim && d < 3; d++) g.by[d] = cpi_divisor_of(g.small ? r->out_shape[d] : 1);
    static_assert(sizeof g.numbers == sizeof r->numbers, "");
    memcpy(g.numbers, r->numbers, sizeof g.numbers);
    g.place = r->place, g.from = r->from, g.to = r->to;
    cp_type result = r->result;
    if (g.order < 2 && g.kind != CPI_POSITIONS_AFFINE && g.kind != CPI_POSITIONS_GIVEN && !g.place && r->images == 1 &&
        (g.in_ndim == 2 || g.in_ndim == 3)) {
        cpi_steps_tiles tiles = cpi_steps_tiles_of(g.in_ndim, g.out_shape);
        if (tiles.blocks) {
            void *those[] = {&g, &tiles, &result};
            cudaLaunchKernel(r->source == CP_FLOAT32 ? steps_kernel_of<float>(g) : steps_kernel_of<double>(g),
                             dim3((unsigned)tiles.blocks), dim3(CPI_STEPS_THREADS), those, 0, cpi_cuda_stream(stream));
            return CPI_LAUNCHED(stream, "resample");
        }
    }
    void *args[] = {&g, &result};
    const void *kernel = r->source == CP_FLOAT32 ? resample_kernel_of<float>(g) : resample_kernel_of<double>(g);
    return launch(stream, kernel, g.n, args, "resample");
}

/* The filter of a pole, from g.from to g.to. */
template <class T> static cp_code launch_tile(cp_stream *stream, const cpi_spline_args &g)
{
    const int64_t groups = cpi_ceil_div(g.outer * g.inner, (int64_t)CPI_SPLINE_TILE_LINES);
    const int64_t blocks = groups * cpi_ceil_div(g.n, cpi_spline_tile_each(g.n)), bytes = cpi_spline_tile_bytes(g.n);
    const cp_code code = cpi_cuda_allow(stream, tile_kernel<T>, bytes, "spline_filter");
    if (code) return code;
    tile_kernel<T><<<(unsigned)blocks, THREADS, (size_t)bytes, cpi_cuda_stream(stream)>>>(g, groups);
    return CPI_LAUNCHED(stream, "spline_filter");
}

/* Pole by pole, each from one array to another one. */
static cp_code spline_by_tiles(cp_stream *stream, const cpi_spline *s)
{
    const int64_t size = s->outer * s->n * s->inner;
    const bool in_place = s->from == s->to;
    double pole[2], *between = NULL;
    const int poles = cpi_spline_poles(s->order, pole);
    if (poles == 2 || in_place) between = (double *)cpi_host->work_alloc(stream, (size_t)size * sizeof *between);
    if ((poles == 2 || in_place) && !between) return CP_ERROR_MEMORY;
    cpi_spline_args g = {s->order, 0, s->ends, s->outer, s->n, s->inner, 1, cpi_spline_gain(s->order), s->from, s->to};
    cp_code code = CP_OK;
    if (in_place && poles == 1) {
        code = cpi_cuda_check(stream, cudaMemcpyAsync(between, s->from, (size_t)size * sizeof *between,
                                                      cudaMemcpyDeviceToDevice, cpi_cuda_stream(stream)),
                              "spline_filter");
        g.from = between;
    } else if (poles == 2) {
        g.to = between;
    }
    if (!code)
        code = s->source == CP_FLOAT32 ? launch_tile<float>(stream, g) : launch_tile<double>(stream, g);
    if (!code && poles == 2) {
        g.pole_number = 1, g.gain = 1, g.from = between, g.to = s->to;
        code = launch_tile<double>(stream, g);
    }
    cpi_host->work_free(stream, between);
    return code;
}

cp_code cpi_geometry_cuda_spline(cp_stream *stream, const cpi_spline *s)
{
    const int64_t groups = cpi_ceil_div(s->outer * s->inner, (int64_t)CPI_SPLINE_TILE_LINES);
    if (s->ends != CPI_SPLINE_WRAP && groups * cpi_ceil_div(s->n, cpi_spline_tile_each(s->n)) < (int64_t)1 << 31)
        return spline_by_tiles(stream, s);
    const int64_t size = s->outer * s->n * s->inner;
    double pole[2], *between = (double *)cpi_host->work_alloc(stream, (size_t)size * sizeof *between);
    if (!between) return CP_ERROR_MEMORY;
    const int64_t segments = cpi_ceil_div(s->n, (int64_t)CPI_SPLINE_SEGMENT);
    cpi_spline_args g = {s->order, 0, s->ends, s->outer, s->n, s->inner, segments, cpi_spline_gain(s->order), s->from,
                         between};
    const int poles = cpi_spline_poles(s->order, pole);
    const int64_t threads = s->outer * s->inner * segments;
    cp_code code = CP_OK;
    for (int p = 0; p < poles && !code; p++) {
        void *args[] = {&g};
        g.pole_number = p;
        g.to = between;
        code = launch(stream, !p && s->source == CP_FLOAT32 ? (const void *)forwards_kernel<float>
                                                            : (const void *)forwards_kernel<double>,
                      threads, args, "spline_filter");
        g.from = between, g.to = s->to, g.gain = 1;
        if (!code) code = launch(stream, (const void *)backwards_kernel, threads, args, "spline_filter");
        g.from = s->to;
    }
    cpi_host->work_free(stream, between);
    return code;
}

/* The first axis: squares to `to`, indices to their first plane. */
static cp_code first_axis(cp_stream *stream, cpi_nearest_args &g)
{
    g.parts = cpi_ceil_div(g.n, (int64_t)CPI_NEAREST_SEGMENT);
    const int64_t segments = g.parts * g.inner;
    g.zeros = (uint64_t *)cpi_host->work_alloc(stream, (size_t)segments * (sizeof *g.zeros + 2 * sizeof *g.low));
    if (!g.zeros) return CP_ERROR_MEMORY;
    g.low = (int32_t *)(g.zeros + segments);
    g.high = g.low + segments;
    cp_code code = launch_nearest(stream, (const void *)ends_kernel, segments, g);
    if (!code) code = launch_nearest(stream, (const void *)around_kernel, g.inner, g);
    if (!code) code = launch_nearest(stream, (const void *)fill_kernel, segments, g);
    cpi_host->work_free(stream, g.zeros);
    return code;
}

/* The nearest ones along an axis, of squares from `from` to `to`. */
static cp_code search(cp_stream *stream, cpi_nearest_args &g)
{
    g.parts = cpi_ceil_div(g.n, (int64_t)CPI_NEAREST_BLOCK);
    const int64_t blocks = g.outer * g.parts * g.inner;
    g.least = (double *)cpi_host->work_alloc(stream, (size_t)blocks * sizeof *g.least);
    if (!g.least) return CP_ERROR_MEMORY;
    cp_code code = launch_nearest(stream, (const void *)least_kernel, blocks, g);
    if (!code) code = launch_nearest(stream, (const void *)search_kernel, g.size, g);
    cpi_host->work_free(stream, g.least);
    return code;
}

/* Is the last axis' line one of shared memory? (Axes before it have inner == 1 too where those behind have one element,
 * and must not end with roots.) */
static bool is_line(const cpi_nearest_args &g, const cpi_nearest *p, int axis)
{
    return axis == p->ndim - 1 && g.n <= CPI_NEAREST_EACH * THREADS;
}
static cp_code search_lines(cp_stream *stream, cpi_nearest_args &g, const cpi_nearest *p)
{
    const unsigned blocks = cpi_cuda_blocks(g.outer, 1, MOST);
    line_kernel<<<blocks, THREADS, (size_t)cpi_nearest_shared_bytes(g.n), cpi_cuda_stream(stream)>>>(g, *p);
    return CPI_LAUNCHED(stream, "distance_transform_edt");
}

/* A further axis; `copy` has space for a plane of indices. */
static cp_code next_axis(cp_stream *stream, cpi_nearest_args &g, const cpi_nearest *p, int axis, int32_t *copy)
{
    int32_t *indices = p->indices;
    g.nearest = indices ? indices + axis * g.size : NULL;
    cp_code code = is_line(g, p, axis) ? search_lines(stream, g, p) : search(stream, g);
    for (int d = 0; indices && d < axis && !code; d++) {
        int32_t *plane = indices + d * g.size;
        const int32_t *from = copy;
        const cudaError_t status = cudaMemcpyAsync(copy, plane, (size_t)g.size * sizeof *copy, cudaMemcpyDeviceToDevice,
                                                   cpi_cuda_stream(stream));
        code = cpi_cuda_check(stream, status, "distance_transform_edt");
        void *args[] = {&g, &from, &plane};
        if (!code) code = launch(stream, (const void *)move_kernel, g.size, args, "distance_transform_edt");
    }
    return code;
}

/* Have squares, and sums of them, no rounding errors? Distances that are multiples of 1 / 1024 are tried. */
static bool is_exact(const cpi_nearest *p)
{
    double most = 0;
    for (int d = 0; d < p->ndim; d++) {
        const double unit = p->sampling[d] * 1024, far = unit * (double)p->shape[d];
        if (!(fabs(unit) >= 1 && fabs(unit) < 0x1p40) || (double)(int64_t)unit != unit) return false;
        most += far * far;
    }
    return most < 0x1p53;
}

cp_code cpi_geometry_cuda_nearest(cp_stream *stream, const cpi_nearest *p)
{
    cpi_nearest_args g = {};
    g.size = g.outer = 1;
    for (int d = 0; d < p->ndim; d++) g.size *= p->shape[d];
    g.exact = is_exact(p);
    const bool copies = p->ndim > 1;
    double *other = copies ? (double *)cpi_host->work_alloc(stream, (size_t)g.size * (p->indices ? 12 : 8)) : NULL;
    if (copies && !other) return CP_ERROR_MEMORY;
    /* squares go to and fro between the two, to end in the result */
    double *now = p->ndim % 2 ? p->distances : other;
    g.x = p->x, g.n = p->shape[0], g.inner = g.size / g.n, g.step = p->sampling[0], g.to = now, g.nearest = p->indices;
    cp_code code = first_axis(stream, g);
    for (int axis = 1; axis < p->ndim && !code; axis++) {
        g.outer *= g.n;
        g.n = p->shape[axis];
        g.inner /= g.n;
        g.step = p->sampling[axis];
        g.from = now;
        g.to = now = now == other ? p->distances : other;
        code = next_axis(stream, g, p, axis, (int32_t *)(other + g.size));
    }
    cpi_nearest all = *p;
    void *args[] = {&all};
    const bool done = p->ndim > 1 && !p->indices && is_line(g, p, p->ndim - 1);
    if (!code && !done) code = launch(stream, (const void *)finish_kernel, g.size, args, "distance_transform_edt");
    if (other) cpi_host->work_free(stream, other);
    return code;
}
