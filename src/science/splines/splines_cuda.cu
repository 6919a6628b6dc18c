/* Splines, piecewise polynomials and radial functions on the GPU: a thread for each number of the result. Banded
 * matrices are factored on the host, where their few numbers take less than a wait for the GPU's sequential steps; many
 * right-hand sides are solved here, a thread each. */
#include <math.h>

#include "cuda/cuda.h"
#include "splines/banded.h"
#include "splines/each.h"

namespace {

enum { THREADS = 256, MANY_SIDES = 64, FEW_WEIGHTS = 16 };
constexpr int64_t MOST = 1 << 20; /* blocks; kernels iterate over what is more */

#define FOR_EACH(i, n) \
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < (n); i += (int64_t)gridDim.x * THREADS)

static unsigned blocks(int64_t n) { return cpi_cuda_blocks(n, THREADS, MOST); }

/* K: the degree, or CPI_SPLINE_DEGREE for any. */
template <int K> __global__ void __launch_bounds__(THREADS) bspline_kernel(const __grid_constant__ cpi_bspline p)
{
    double h[2 * K + 2];
    const int k = K == CPI_SPLINE_DEGREE ? p.k : K;
    FOR_EACH(i, p.places * p.m) {
        const int64_t place = p.m == 1 ? i : i / p.m, e = i - place * p.m;
        const double x = p.at[place];
        double sum = NAN;
        if (cpi_inside(x, p.t[k], p.t[p.n], p.extrapolate)) {
            const int64_t l = cpi_interval_between(p.t, x, k, p.n - 1);
            if (K == 3 && !p.nu) cpi_cubic_basis(p.t + l, x, h);
            else cpi_bspline_basis(p.t, x, k, l, p.nu, h);
            sum = 0;
            for (int a = 0; a <= k; a++) sum += p.c[(l - k + a) * p.m + e] * h[a];
        }
        p.to[i] = sum;
    }
}

__global__ void __launch_bounds__(THREADS) basis_kernel(const __grid_constant__ cpi_basis p)
{
    double h[2 * CPI_SPLINE_DEGREE + 2];
    FOR_EACH(i, p.places) {
        const int64_t l = cpi_interval_between(p.t, p.at[i], p.k, p.n - 1);
        cpi_bspline_basis(p.t, p.at[i], p.k, l, p.nu, h);
        for (int a = 0; a <= p.k; a++) p.values[i * (p.k + 1) + a] = h[a];
        p.first[i] = l - p.k;
    }
}

__global__ void __launch_bounds__(THREADS) ppoly_kernel(const __grid_constant__ cpi_ppoly p)
{
    const double first = p.x[0], last = p.x[p.n], low = first < last ? first : last, high = first < last ? last : first;
    FOR_EACH(i, p.places * p.m) {
        const int64_t place = p.m == 1 ? i : i / p.m, e = i - place * p.m;
        const double x = p.at[place];
        double value = NAN;
        if (cpi_inside(x, low, high, p.extrapolate)) {
            const int64_t l = p.descending ? cpi_interval_descending(p.x, x, p.n)
                                           : cpi_interval_between(p.x, x, 0, p.n - 1);
            const double *c = p.c + l * p.m + e;
            const double s = p.bernstein ? (x - p.x[l]) / (p.x[l + 1] - p.x[l]) : x - p.x[l];
            value = p.bernstein ? cpi_bernstein(c, p.n * p.m, p.k, s) : cpi_powers(c, p.n * p.m, p.k, s, p.nu);
        }
        p.to[i] = value;
    }
}

/* Local memory is reserved for all threads of the device, so that few weights have a kernel of their own. */
template <int WEIGHTS> __global__ void __launch_bounds__(THREADS) tensor_kernel(const __grid_constant__ cpi_tensor p)
{
    double h[2 * WEIGHTS];
    int64_t first[CPI_TENSOR_DIMS];
    FOR_EACH(i, p.places * p.m) {
        const int64_t place = p.m == 1 ? i : i / p.m, e = i - place * p.m;
        bool inside = true;
        double *weights = h;
        for (int d = 0; d < p.ndim; d++) {
            first[d] = cpi_tensor_axis(&p, d, p.at[place * p.ndim + d], weights);
            inside = inside && first[d] >= 0;
            if (p.kind != CPI_TENSOR_NEAREST) weights += 2 * (p.degree[d] + 1);
        }
        p.to[i] = inside ? cpi_tensor_sum(&p, first, h, e) : NAN;
    }
}

__global__ void __launch_bounds__(THREADS) rbf_kernel(const __grid_constant__ cpi_rbf p)
{
    const int64_t columns = p.c ? p.m : p.n;
    FOR_EACH(i, p.places * columns) {
        const int64_t place = columns == 1 ? i : i / columns, e = i - place * columns;
        const double *at = p.at + place * p.ndim;
        double sum = 0;
        if (!p.c) sum = cpi_radial(p.kernel, cpi_square_distance(at, p.y + e * p.ndim, p.ndim));
        for (int64_t k = 0; p.c && k < p.n; k++)
            sum += cpi_radial(p.kernel, cpi_square_distance(at, p.y + k * p.ndim, p.ndim)) * p.c[k * p.m + e];
        p.to[i] = sum;
    }
}

/* A block has a system. */
__global__ void __launch_bounds__(THREADS) near_kernel(const __grid_constant__ cpi_rbf_near p)
{
    const int64_t n = p.n, all = n + p.terms;
    for (int64_t system = blockIdx.x; system < p.systems; system += gridDim.x) {
        double *shift = p.frame + system * 2 * p.ndim, *scale = shift + p.ndim;
        const int64_t *which = p.which + system * n;
        for (int64_t d = threadIdx.x; d < p.ndim; d += THREADS) cpi_rbf_shift(&p, system, d, shift + d, scale + d);
        __syncthreads();
        for (int64_t e = threadIdx.x; e < all * (all + 1); e += THREADS) { /* the last row is that of the place */
            const int64_t i = e / all, k = e - i * all, lower = i < all ? i < k ? i : k : k;
            const int64_t upper = i < all ? i < k ? k : i : all;
            const double *at = upper == all ? p.at + system * p.ndim : upper < n ? p.y + which[upper] * p.ndim : NULL;
            const double *other = lower < n ? p.y + which[lower] * p.ndim : NULL;
            double value = 0;
            if (at && other) {
                double square = 0;
                for (int64_t d = 0; d < p.ndim; d++) {
                    const double apart = at[d] * p.epsilon - other[d] * p.epsilon;
                    square += apart * apart;
                }
                value = cpi_radial(p.kernel, square) + (upper == lower ? p.smoothing[which[lower]] : 0);
            } else if (at || other) {
                value = cpi_rbf_monomial(&p, (at ? lower : upper) - n, at ? at : other, shift, scale);
            }
            (i < all ? p.matrix + system * all * all : p.row + (system - all) * all)[e] = value;
        }
        __syncthreads();
    }
}

__global__ void __launch_bounds__(32) band_kernel(const __grid_constant__ cpi_banded p, const double *r,
                                                  const double *turns)
{
    const int64_t j = (int64_t)blockIdx.x * 32 + threadIdx.x;
    if (j < p.m) cpi_banded_column(&p, r, turns, j);
}

} // namespace

cp_code cpi_splines_cuda_bspline(cp_stream *stream, const cpi_bspline *p)
{
    const unsigned n = blocks(p->places * p->m);
    cudaStream_t s = cpi_cuda_stream(stream);
    if (p->k == 3) bspline_kernel<3><<<n, THREADS, 0, s>>>(*p);
    else if (p->k == 1) bspline_kernel<1><<<n, THREADS, 0, s>>>(*p);
    else if (p->k == 5) bspline_kernel<5><<<n, THREADS, 0, s>>>(*p);
    else bspline_kernel<CPI_SPLINE_DEGREE><<<n, THREADS, 0, s>>>(*p);
    return CPI_LAUNCHED(stream, "BSpline");
}

cp_code cpi_splines_cuda_basis(cp_stream *stream, const cpi_basis *p)
{
    basis_kernel<<<blocks(p->places), THREADS, 0, cpi_cuda_stream(stream)>>>(*p);
    return CPI_LAUNCHED(stream, "BSpline.design_matrix");
}

cp_code cpi_splines_cuda_ppoly(cp_stream *stream, const cpi_ppoly *p)
{
    ppoly_kernel<<<blocks(p->places * p->m), THREADS, 0, cpi_cuda_stream(stream)>>>(*p);
    return CPI_LAUNCHED(stream, "PPoly");
}

cp_code cpi_splines_cuda_tensor(cp_stream *stream, const cpi_tensor *p)
{
    int weights = 0;
    for (int d = 0; d < p->ndim; d++) weights += p->degree[d] + 1;
    const unsigned n = blocks(p->places * p->m);
    cudaStream_t s = cpi_cuda_stream(stream);
    if (weights <= FEW_WEIGHTS) tensor_kernel<FEW_WEIGHTS><<<n, THREADS, 0, s>>>(*p);
    else tensor_kernel<CPI_TENSOR_WEIGHTS><<<n, THREADS, 0, s>>>(*p);
    return CPI_LAUNCHED(stream, "interpolate");
}

cp_code cpi_splines_cuda_rbf(cp_stream *stream, const cpi_rbf *p)
{
    rbf_kernel<<<blocks(p->places * (p->c ? p->m : p->n)), THREADS, 0, cpi_cuda_stream(stream)>>>(*p);
    return CPI_LAUNCHED(stream, "RBFInterpolator");
}

cp_code cpi_splines_cuda_rbf_near(cp_stream *stream, const cpi_rbf_near *p)
{
    near_kernel<<<cpi_cuda_blocks(p->systems, 1, 1 << 20), THREADS, 0, cpi_cuda_stream(stream)>>>(*p);
    return CPI_LAUNCHED(stream, "RBFInterpolator");
}

static cp_code write(cp_stream *stream, double *to, const double *from, int64_t n)
{
    return cpi_cuda_issued(stream, cudaMemcpyAsync(to, from, (size_t)n * sizeof *to, cudaMemcpyHostToDevice,
                                                   cpi_cuda_stream(stream)), "banded_solve");
}

/* Few right-hand sides: all of it on the host. */
static cp_code solve_there(cp_stream *stream, const cpi_banded *p, cpi_banded *host, double *sides)
{
    host->b = sides, host->x = sides + p->rows * p->m;
    cp_code code = cpi_cuda_read(stream, sides, p->b, (size_t)(p->rows * p->m) * sizeof *sides);
    if (code == CP_OK) code = cpi_host->cpu->splines->banded(cpi_host->cpu_stream(), host);
    return code == CP_OK ? write(stream, p->x, host->x, p->n * p->m) : code;
}

/* Many: the factors are brought here. */
static cp_code solve_here(cp_stream *stream, const cpi_banded *p, const cpi_banded *host, double *factors,
                          int64_t count)
{
    double *there = (double *)cpi_host->work_alloc(stream, (size_t)count * sizeof *there);
    if (!there) return CP_ERROR_MEMORY;
    for (int64_t i = 0; i < p->n * p->width; i++) factors[i] = 0;
    cpi_banded_factor(host, factors, factors + p->n * p->width);
    cp_code code = write(stream, there, factors, count);
    if (code == CP_OK) {
        band_kernel<<<cpi_cuda_blocks(p->m, 32, 0x7fffffff), 32, 0, cpi_cuda_stream(stream)>>>(
            *p, there, there + p->n * p->width);
        code = CPI_LAUNCHED(stream, "banded_solve");
    }
    cpi_host->work_free(stream, there);
    return code;
}

cp_code cpi_splines_cuda_banded(cp_stream *stream, const cpi_banded *p)
{
    const bool many = p->m >= MANY_SIDES;
    const int64_t size = p->rows * p->width, sides = (p->rows + p->n) * p->m, count = p->n * p->width + 2 * size;
    double *host = (double *)cpi_host->malloc((size_t)(size + p->rows + (many ? count : sides)) * sizeof *host);
    if (!host) return CP_ERROR_MEMORY;
    cpi_banded mine = *p;
    mine.values = host;
    mine.first = (const int64_t *)(host + size);
    cp_code code = cpi_cuda_read(stream, host, p->values, (size_t)size * sizeof *host);
    if (code == CP_OK) code = cpi_cuda_read(stream, host + size, p->first, (size_t)p->rows * sizeof(int64_t));
    if (code == CP_OK)
        code = many ? solve_here(stream, p, &mine, host + size + p->rows, count)
                    : solve_there(stream, p, &mine, host + size + p->rows);
    if (code == CP_OK) code = cpi_cuda_wait(stream, "banded_solve"); /* the copies read the host's memory */
    cpi_host->free(host);
    return code;
}
