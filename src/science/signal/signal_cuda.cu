/* Correlation on the GPU, by its definition, in two kernels: one slides along columns (planes), one along rows
 * (kernels of one row, such as 1-d convolution).
 *
 * Both work in tiles: a block loads a part of the extended image, with the boundary rule applied, and of the
 * correlation's kernel into shared memory, and every thread computes R adjacent results. A thread holds R sums and a
 * ring of R image values: a step reads one new image value and one coefficient for R multiplications. Large correlation
 * kernels pass through shared memory in chunks while the sums stay in registers; so each result adds its products in
 * one fixed order. Where the results are too few to fill the GPU, the taps of a long row are divided too: sums over
 * slices of the kernel go to a workspace, and a last kernel adds them in order. The division of taps depends on the
 * sizes alone. No product outside the kernel is ever formed: padding with zeros would turn an infinity beside the
 * kernel's edge into NaN. */
#include <cstring>
#include <type_traits>

#include "cuda/cuda.h"
#include "cuda/elements.h"
#include "signal/signal.h"

namespace {

/* --- arithmetic: S is an element as stored, C as computed with, R results of a thread --- */

template <class U> struct integer {
    typedef U S;
    typedef typename std::conditional<sizeof(U) == 8, uint64_t, uint32_t>::type C;
    enum { R = sizeof(U) == 8 ? 8 : 16 }; /* as many as registers allow */
    static __device__ C load(S s) { return s; }
    static __device__ S store(C c) { return (S)c; }
    static __device__ C conjugate(C c) { return c; }
    static __device__ C zero() { return 0; }
    static __device__ bool finite(C) { return true; }
    static __device__ void mac(C &sum, C a, C k) { sum += a * k; }
    static __device__ void add(C &sum, C c) { sum += c; }
};
struct boolean : integer<uint8_t> {
    static __device__ C load(S s) { return s != 0; }
    static __device__ void mac(C &sum, C a, C k) { sum |= a & k; }
    static __device__ void add(C &sum, C c) { sum |= c; }
};
struct f32 {
    typedef float S;
    typedef float C;
    enum { R = 16 };
    static __device__ C load(S s) { return s; }
    static __device__ S store(C c) { return c; }
    static __device__ C conjugate(C c) { return c; }
    static __device__ C zero() { return 0; }
    static __device__ bool finite(C c) { return isfinite(c); }
    static __device__ void mac(C &sum, C a, C k) { sum = fmaf(a, k, sum); }
    static __device__ void add(C &sum, C c) { sum += c; }
};
template <class H> struct half : f32 {
    typedef H S;
    static __device__ C load(S s) { return cpi_widen(s); }
    static __device__ S store(C c) { return cpi_narrow<H>(c); }
};
struct f64 {
    typedef double S;
    typedef double C;
    enum { R = 16 };
    static __device__ C load(S s) { return s; }
    static __device__ S store(C c) { return c; }
    static __device__ C conjugate(C c) { return c; }
    static __device__ C zero() { return 0; }
    static __device__ bool finite(C c) { return isfinite(c); }
    static __device__ void mac(C &sum, C a, C k) { sum = fma(a, k, sum); }
    static __device__ void add(C &sum, C c) { sum += c; }
};
template <class V, int N> struct complexes {
    typedef V S;
    typedef V C;
    enum { R = N };
    static __device__ C load(S s) { return s; }
    static __device__ S store(C c) { return c; }
    static __device__ C conjugate(C c) { c.y = -c.y; return c; }
    static __device__ C zero() { C c; c.x = 0, c.y = 0; return c; }
    static __device__ bool finite(C c) { return isfinite(c.x) && isfinite(c.y); }
    static __device__ void mac(C &sum, C a, C k)
    {
        sum.x = fma(-a.y, k.y, fma(a.x, k.x, sum.x));
        sum.y = fma(a.y, k.x, fma(a.x, k.y, sum.y));
    }
    static __device__ void add(C &sum, C c) { sum.x += c.x, sum.y += c.y; }
};

/* The arithmetic of E, a cpi_element; complex numbers are read as vectors. */
template <class E> auto arithmetic_of()
{
    if constexpr (E::type == CP_BOOL) return boolean();
    else if constexpr (cpi_is_int(E::type)) return integer<typename E::Bits>();
    else if constexpr (cpi_half_element<typename E::T>) return half<typename E::T>();
    else if constexpr (E::type == CP_COMPLEX64) return complexes<float2, 16>();
    else if constexpr (E::type == CP_COMPLEX128) return complexes<double2, 8>();
    else return std::conditional_t<std::is_same<typename E::T, float>::value, f32, f64>();
}

/* The correlation with its fill value by value: the argument of both kernels. */
template <class A> struct job {
    const typename A::S *image, *kernel;
    typename A::S *result;
    typename A::S fill;
    int64_t image_h, image_w, kernel_h, kernel_w, h, w, origin_y, origin_x;
    int64_t tiles_x, tiles;
    int64_t slices, taps;  /* of rows: taps of the kernel in a slice */
    typename A::C *partly; /* sums over each slice, where there are several */
    cpi_boundary boundary;
    bool flip, conjugate, bounded;
};

template <class A>
__device__ __forceinline__ typename A::C coefficient(const job<A> &j, int64_t ky, int64_t kx)
{
    int64_t i = ky * j.kernel_w + kx;
    if (j.flip) i = j.kernel_h * j.kernel_w - 1 - i;
    typename A::C k = A::load(j.kernel[i]);
    return j.conjugate ? A::conjugate(k) : k;
}

/* sum[r] += sum over i < n of k[i] * x[r + i] for r < R: the ring. `next(b, i)` reads x[b * R + i]; it and the
 * coefficients are read one step ahead, so x[n - 1 + R] and k[n] must be readable. */
template <class A, class Next>
__device__ __forceinline__ void slide(typename A::C *sum, const typename A::C *k, int n, Next next)
{
    constexpr int R = A::R;
    typename A::C ring[R], coming = *k;
#pragma unroll
    for (int r = 0; r < R; r++) ring[r] = next(0, r);
    for (int b = 0;; b++) {
#pragma unroll
        for (int i = 0; i < R; i++) {
            if (b * R + i >= n) return; /* exit both loops: the ring is dead here and costs no moves */
            const typename A::C c = coming, x = next(b, i + R);
            coming = k[b * R + i + 1];
#pragma unroll
            for (int r = 0; r < R; r++) A::mac(sum[r], ring[(i + r) % R], c);
            ring[i] = x; /* the value it held is not needed again */
        }
    }
}

/* --- planes --- */

enum { LANES = 32, GROUPS = 4, THREADS = LANES * GROUPS, SEGMENT = 16 };

/* A tile is LANES columns by GROUPS * R rows; thread (group, lane) has R rows of one column. The source has one
 * row more than the last sum needs, because the ring reads one value ahead. */
template <class A> __global__ void __launch_bounds__(THREADS, 4) correlate_plane(const __grid_constant__ job<A> j)
{
    typedef typename A::C C;
    constexpr int R = A::R, ROWS = GROUPS * R, PITCH = LANES + SEGMENT - 1;
    __shared__ __align__(16) C source[(ROWS + SEGMENT) * PITCH];
    __shared__ __align__(16) C kernel[SEGMENT * SEGMENT + 1]; /* column by column */
    const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    for (int64_t tile = blockIdx.x; tile < j.tiles; tile += gridDim.x) {
        const int64_t y0 = tile / j.tiles_x * ROWS, x0 = tile % j.tiles_x * LANES;
        C sum[R];
#pragma unroll
        for (int r = 0; r < R; r++) sum[r] = A::zero();
        for (int64_t ky = 0; ky < j.kernel_h; ky += SEGMENT) {
            for (int64_t kx = 0; kx < j.kernel_w; kx += SEGMENT) {
                const int kh = (int)min((int64_t)SEGMENT, j.kernel_h - ky);
                const int kw = (int)min((int64_t)SEGMENT, j.kernel_w - kx);
                const int rows = (int)min((int64_t)ROWS, j.h - y0) + kh - 1;
                __syncthreads(); /* the previous chunk is no longer read */
                for (int i = threadIdx.x; i < kh * kw; i += THREADS)
                    kernel[i % kw * SEGMENT + i / kw] = coefficient(j, ky + i / kw, kx + i % kw);
                const int64_t left = j.origin_x + x0 + kx + lane;
                const int64_t sx0 = cpi_boundary_index(left, j.image_w, j.boundary);
                const int64_t sx1 = lane < kw - 1 ? cpi_boundary_index(left + LANES, j.image_w, j.boundary) : -1;
                const int64_t top = j.origin_y + y0 + ky;
                auto bring = [&](int row, int64_t sy) {
                    const typename A::S *from = j.image + sy * j.image_w;
                    source[row * PITCH + lane] = A::load(sy >= 0 && sx0 >= 0 ? from[sx0] : j.fill);
                    if (lane < kw - 1)
                        source[row * PITCH + LANES + lane] = A::load(sy >= 0 && sx1 >= 0 ? from[sx1] : j.fill);
                };
                if (top >= 0 && top + rows <= j.image_h) { /* no branch between the loads: several are in flight */
#pragma unroll 4
                    for (int row = group; row < rows; row += GROUPS) bring(row, top + row);
                } else {
                    for (int row = group; row < rows; row += GROUPS)
                        bring(row, cpi_boundary_index(top + row, j.image_h, j.boundary));
                }
                __syncthreads();
                if (y0 + group * R < j.h) {
                    const C *s = source + group * R * PITCH + lane;
                    for (int x = 0; x < kw; x++, s++)
                        slide<A>(sum, kernel + x * SEGMENT, kh, [s](int b, int i) { return s[(b * R + i) * PITCH]; });
                }
            }
        }
        const int64_t x = x0 + lane, y = y0 + group * R;
        if (x < j.w) {
#pragma unroll
            for (int r = 0; r < R; r++)
                if (y + r < j.h) j.result[(y + r) * j.w + x] = A::store(sum[r]);
        }
    }
}

/* --- rows --- */

enum { ROW_CHUNK = 256 };

/* Thread t has the R results from t * R on. Gaps of one element after every R keep the threads of a warp, which read at
 * a stride of R, in different banks. */
template <int R> __device__ __forceinline__ unsigned spread(unsigned i) { return i + i / R; }

template <class A> __global__ void __launch_bounds__(THREADS, 4) correlate_row(const __grid_constant__ job<A> j)
{
    typedef typename A::C C;
    constexpr int R = A::R, COLS = THREADS * R, LENGTH = COLS + ROW_CHUNK;
    __shared__ __align__(16) C source[LENGTH + LENGTH / R + 1];
    __shared__ __align__(16) C kernel[ROW_CHUNK + 1];
    for (int64_t item = blockIdx.x; item < j.tiles * j.slices; item += gridDim.x) {
        const int64_t slice = item / j.tiles, tile = item % j.tiles;
        const int64_t first = slice * j.taps, end = min(first + j.taps, j.kernel_w);
        const int64_t y = tile / j.tiles_x, x0 = tile % j.tiles_x * COLS;
        const int64_t sy = cpi_boundary_index(j.origin_y + y, j.image_h, j.boundary);
        const typename A::S *from = j.image + sy * j.image_w;
        const int cols = (int)min((int64_t)COLS, j.w - x0);
        C sum[R];
#pragma unroll
        for (int r = 0; r < R; r++) sum[r] = A::zero();
        for (int64_t kx = first; kx < end; kx += ROW_CHUNK) {
            const int kw = (int)min((int64_t)ROW_CHUNK, end - kx);
            const int64_t left = j.origin_x + x0 + kx;
            __syncthreads(); /* the previous chunk, or tile, is no longer read */
            int odd = 0; /* a coefficient that padding must not be multiplied by */
            for (int i = threadIdx.x; i < kw; i += THREADS) {
                kernel[i] = coefficient(j, 0, kx + i);
                odd |= !A::finite(kernel[i]);
            }
            const int length = cols + kw - 1;
            if (sy >= 0 && left >= 0 && left + length <= j.image_w) {
#pragma unroll 8
                for (int i = threadIdx.x; i < length; i += THREADS) source[spread<R>(i)] = A::load(from[left + i]);
            } else {
                for (int i = threadIdx.x; i < length; i += THREADS) {
                    const int64_t sx = sy < 0 ? -1 : cpi_boundary_index(left + i, j.image_w, j.boundary);
                    source[spread<R>(i)] = A::load(sx >= 0 ? from[sx] : j.fill);
                }
            }
            const bool spoilt = __syncthreads_or(odd) && j.bounded && (left < 0 || left + length > j.image_w);
            if (spoilt && threadIdx.x * R < cols) {
                for (int i = 0; i < kw; i++) {
#pragma unroll
                    for (int r = 0; r < R; r++) {
                        const int at = threadIdx.x * R + r + i;
                        if (at < length && left + at >= 0 && left + at < j.image_w)
                            A::mac(sum[r], source[spread<R>(at)], kernel[i]);
                    }
                }
            } else if (threadIdx.x * R < cols) {
                const C *s = source + spread<R>(threadIdx.x * R);
                slide<A>(sum, kernel, kw, [s](int b, int i) { return s[b * (R + 1) + i + i / R]; });
            }
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < R; r++) source[spread<R>(threadIdx.x * R + r)] = sum[r];
        __syncthreads();
        const int64_t at = y * j.w + x0;
        if (j.partly) {
            for (int i = threadIdx.x; i < cols; i += THREADS)
                j.partly[slice * j.h * j.w + at + i] = source[spread<R>(i)];
        } else {
            for (int i = threadIdx.x; i < cols; i += THREADS) j.result[at + i] = A::store(source[spread<R>(i)]);
        }
    }
}

/* The sums of all slices, in order. */
template <class A> __global__ void __launch_bounds__(THREADS) add_slices(const __grid_constant__ job<A> j)
{
    const int64_t total = j.h * j.w, step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < total; i += step) {
        typename A::C sum = j.partly[i];
#pragma unroll 4
        for (int64_t s = 1; s < j.slices; s++) A::add(sum, j.partly[s * total + i]);
        j.result[i] = A::store(sum);
    }
}

/* Few tiles and long rows of taps: enough slices to load a large GPU evenly. */
enum { ITEMS = 1024 };
template <class A> void cut_taps(job<A> *j)
{
    const int64_t nchunks = (j->kernel_w - 1) / ROW_CHUNK + 1;
    const int64_t wanted = j->tiles < ITEMS ? ITEMS / j->tiles : 1;
    const int64_t each = wanted < nchunks ? (nchunks - 1) / wanted + 1 : 1;
    j->taps = each * ROW_CHUNK;
    j->slices = (nchunks - 1) / each + 1;
}

template <class A> cp_code run_rows(cp_stream *stream, job<A> *j)
{
    cudaStream_t s = cpi_cuda_stream(stream);
    cut_taps(j);
    j->partly = NULL;
    if (j->slices > 1) {
        const size_t bytes = (size_t)(j->slices * j->h * j->w) * sizeof *j->partly;
        j->partly = (typename A::C *)cpi_host->work_alloc(stream, bytes);
        if (!j->partly) return CP_ERROR_MEMORY;
    }
    correlate_row<A><<<cpi_cuda_blocks(j->tiles * j->slices, 1, 1 << 30), THREADS, 0, s>>>(*j);
    cp_code code = CPI_LAUNCHED(stream, "convolve");
    if (j->partly && code == CP_OK) {
        add_slices<A><<<cpi_cuda_blocks(j->h * j->w, THREADS, 1 << 30), THREADS, 0, s>>>(*j);
        code = CPI_LAUNCHED(stream, "convolve");
    }
    cpi_host->work_free(stream, j->partly);
    return code;
}

template <class A> cp_code correlate_with(cp_stream *stream, const cpi_correlation *c)
{
    job<A> j;
    j.image = (const typename A::S *)c->image;
    j.kernel = (const typename A::S *)c->kernel;
    j.result = (typename A::S *)c->result;
    memcpy(&j.fill, c->fill, sizeof j.fill);
    j.image_h = c->image_h, j.image_w = c->image_w;
    j.kernel_h = c->kernel_h, j.kernel_w = c->kernel_w;
    j.h = c->h, j.w = c->w;
    j.origin_y = c->origin_y, j.origin_x = c->origin_x;
    j.boundary = c->boundary;
    j.flip = c->flip, j.conjugate = c->conjugate, j.bounded = c->bounded;
    const bool flat = c->kernel_h == 1 && (c->h == 1 || c->w >= 1024); /* many short rows fill planes better */
    const int64_t tile_w = flat ? THREADS * A::R : LANES, tile_h = flat ? 1 : GROUPS * A::R;
    j.tiles_x = (c->w - 1) / tile_w + 1;
    j.tiles = j.tiles_x * ((c->h - 1) / tile_h + 1);
    if (flat) return run_rows(stream, &j);
    j.slices = 1, j.taps = c->kernel_w, j.partly = NULL;
    correlate_plane<A><<<cpi_cuda_blocks(j.tiles, 1, 1 << 30), THREADS, 0, cpi_cuda_stream(stream)>>>(j);
    return CPI_LAUNCHED(stream, "convolve");
}

} // namespace

cp_code cpi_signal_cuda_correlate(cp_stream *stream, const cpi_correlation *c)
{
    return cpi_with_type(c->type,
                         [&](auto e) { return correlate_with<decltype(arithmetic_of<decltype(e)>())>(stream, c); });
}

