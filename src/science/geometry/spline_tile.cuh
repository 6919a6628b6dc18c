/* The spline filter in shared memory: a block takes a segment of 32 lines, with what lies within the horizon before and
 * behind it, and makes both recursions of a pole there. Line continuations that end in sums over the whole line (wrap)
 * are not for it. This header needs no CUDA header, so that tests compile it for the CPU. */
#ifndef CPI_SPLINE_TILE_CUH
#define CPI_SPLINE_TILE_CUH

#include "geometry/resample.cuh"

enum { CPI_SPLINE_TILE_LINES = 32, CPI_SPLINE_TILE_PITCH = 33, CPI_SPLINE_TILE_MOST = 176 };

/* Elements of a segment: lines are cut evenly. */
__host__ __device__ static inline int64_t cpi_spline_tile_each(int64_t n)
{
    const int64_t segments = (n - 1) / CPI_SPLINE_TILE_MOST + 1;
    return (n - 1) / segments + 1;
}
__host__ __device__ static inline int64_t cpi_spline_tile_bytes(int64_t n)
{
    const int64_t rows = cpi_spline_tile_each(n) + 2 * CPI_SPLINE_HORIZON;
    return (rows < n ? rows : n) * CPI_SPLINE_TILE_PITCH * 8;
}

/* Visits the elements first .. end - 1 of the block's lines: visit(place in the tile, element). Neighbouring threads
 * have neighbouring elements in memory. */
template <int THREADS, class F>
__device__ __forceinline__ void cpi_spline_tile_each_element(const cpi_spline_args &g, int64_t line0, int lines,
                                                             int64_t begin, int64_t first, int64_t end, F visit)
{
    const int t = (int)threadIdx.x;
    if (g.inner >= 8) {
        const int l = t % CPI_SPLINE_TILE_LINES;
        const int64_t line = line0 + l, base = line / g.inner * g.n * g.inner + line % g.inner;
        if (l < lines)
#pragma unroll 4
            for (int64_t i = first + t / CPI_SPLINE_TILE_LINES; i < end; i += THREADS / CPI_SPLINE_TILE_LINES)
                visit((int)(i - begin) * CPI_SPLINE_TILE_PITCH + l, base + i * g.inner);
        return;
    }
    for (int l = t / 32; l < lines; l += THREADS / 32) {
        const int64_t line = line0 + l, base = line / g.inner * g.n * g.inner + line % g.inner;
#pragma unroll 4
        for (int64_t i = first + t % 32; i < end; i += 32)
            visit((int)(i - begin) * CPI_SPLINE_TILE_PITCH + l, base + i * g.inner);
    }
}

/* What the recursion forwards begins with at a line's first element: cpi_spline_begin of a line whose elements are in
 * the tile, times the gain; `from` has those that are not. */
template <class T>
__device__ __forceinline__ double cpi_spline_tile_begin(const cpi_spline_args &g, const double *a, const T *from,
                                                        int64_t rows, double z)
{
    const int64_t n = g.n, terms = n - 1 < CPI_SPLINE_HORIZON ? n - 1 : CPI_SPLINE_HORIZON;
    const double end = cpi_spline_power(z, g.ends == CPI_SPLINE_MIRROR ? n - 1 : n), first = a[0];
    const bool near = end != 0; /* else the last elements have no weight */
    double sum = first, power = z;
    if (near) sum = first + end * ((double)from[(n - 1) * g.inner] * g.gain);
    for (int64_t i = 1; i <= terms; i++, power *= z) {
        if (g.ends == CPI_SPLINE_MIRROR && i >= n - 1) break;
        const int64_t k = n - 1 - i;
        double v = a[i * CPI_SPLINE_TILE_PITCH];
        if (near) v = v + end * (k < rows ? a[k * CPI_SPLINE_TILE_PITCH] : (double)from[k * g.inner] * g.gain);
        sum += power * v;
    }
    if (g.ends == CPI_SPLINE_MIRROR) return sum / (1 - end * end);
    return first + sum * (z / (1 - end * end));
}

/* Block: 32 lines and a segment, blockIdx.x = segment * groups + lines. `to` is not `from`. */
template <class T, int THREADS>
__device__ __forceinline__ void cpi_spline_tile(const cpi_spline_args &g, int64_t groups, double *tile)
{
    const int64_t segment = blockIdx.x / groups, line0 = (blockIdx.x - segment * groups) * CPI_SPLINE_TILE_LINES;
    const int64_t all = g.outer * g.inner, each = cpi_spline_tile_each(g.n), first = segment * each;
    const int64_t end = first + each < g.n ? first + each : g.n;
    const int64_t begin = first > CPI_SPLINE_HORIZON ? first - CPI_SPLINE_HORIZON : 0;
    const int64_t stop = end + CPI_SPLINE_HORIZON < g.n ? end + CPI_SPLINE_HORIZON : g.n;
    const int lines = all - line0 < CPI_SPLINE_TILE_LINES ? (int)(all - line0) : CPI_SPLINE_TILE_LINES;
    const int rows = (int)(stop - begin), l = (int)threadIdx.x;
    double pole[2];
    cpi_spline_poles(g.order, pole);
    const double z = pole[g.pole_number];
    cpi_spline_tile_each_element<THREADS>(g, line0, lines, begin, begin, stop, [&](int at, int64_t i) {
        tile[at] = (double)((const T *)g.from)[i] * g.gain;
    });
    __syncthreads();
    if (l < lines && first < end) {
        const int64_t line = line0 + l, base = line / g.inner * g.n * g.inner + line % g.inner;
        double *a = tile + l, c = a[0];
        if (begin == 0) a[0] = c = cpi_spline_tile_begin<T>(g, a, (const T *)g.from + base, rows, z);
#pragma unroll 8
        for (int i = 1; i < rows; i++) {
            c = a[i * CPI_SPLINE_TILE_PITCH] + z * c;
            a[i * CPI_SPLINE_TILE_PITCH] = c;
        }
        double *last = a + (rows - 1) * CPI_SPLINE_TILE_PITCH;
        if (stop < g.n) c = -z * *last;
        else if (g.ends == CPI_SPLINE_MIRROR) c = (z * *(last - CPI_SPLINE_TILE_PITCH) + *last) * z / (z * z - 1);
        else c = *last * (z / (z - 1));
        *last = c;
#pragma unroll 8
        for (int i = rows - 2; i >= 0; i--) {
            c = z * (c - a[i * CPI_SPLINE_TILE_PITCH]);
            a[i * CPI_SPLINE_TILE_PITCH] = c;
        }
    }
    __syncthreads();
    cpi_spline_tile_each_element<THREADS>(g, line0, lines, begin, first, end, [&](int at, int64_t i) {
        g.to[i] = tile[at];
    });
}

#endif
