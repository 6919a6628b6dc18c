/* Fourier coefficients times a function of their indices, on the GPU. */
#include "filters/filters.cuh"
#include "filters/fourier.h"

namespace {

struct fourier_args {
    cpi_fourier_filter f;
    int64_t total;
};

/* The product or the sum of the tables' numbers for an element. */
template <class I> __device__ __forceinline__ double of_tables(const cpi_fourier_filter &f, I i)
{
    const bool product = f.op == CPI_FOURIER_PRODUCT;
    double v = product ? 1 : 0;
    int64_t behind = 0;
    for (int d = 0; d < f.ndim; d++) behind += f.shape[d];
    for (int d = f.ndim - 1; d >= 0; d--) {
        const I n = (I)f.shape[d], rest = i / n;
        behind -= f.shape[d];
        const double t = __ldg(f.tables + behind + (int64_t)(i - rest * n));
        v = product ? v * t : v + t;
        i = rest;
    }
    return v;
}

template <class T, int PARTS, class I> __global__ void __launch_bounds__(FILTER_THREADS)
coefficients(const __grid_constant__ fourier_args a)
{
    const cpi_fourier_filter &f = a.f;
    const T *in = (const T *)f.in;
    T *to = (T *)f.out;
    for (I i = (I)blockIdx.x * FILTER_THREADS + threadIdx.x; i < (I)a.total; i += (I)gridDim.x * FILTER_THREADS) {
        const double v = of_tables(f, i);
        const int64_t at = (int64_t)i * PARTS;
        if (PARTS == 2 && f.op == CPI_FOURIER_SHIFT) {
            double re, im;
            sincos(v, &im, &re);
            const double x = in[at], y = in[at + PARTS - 1];
            to[at] = (T)(x * re - y * im);
            to[at + PARTS - 1] = (T)(x * im + y * re);
            continue;
        }
        const double k = f.op == CPI_FOURIER_DISC ? cpi_fourier_disc(v, f.ndim) : v;
#pragma unroll
        for (int p = 0; p < PARTS; p++) to[at + p] = (T)(in[at + p] * k);
    }
}

template <class T, int PARTS> void launch(cudaStream_t s, const fourier_args &a)
{
    const unsigned blocks = filter_blocks(a.total);
    if (filter_is_small(a.total)) coefficients<T, PARTS, uint32_t><<<blocks, FILTER_THREADS, 0, s>>>(a);
    else coefficients<T, PARTS, uint64_t><<<blocks, FILTER_THREADS, 0, s>>>(a);
}

} // namespace

cp_code cpi_filters_cuda_fourier(cp_stream *stream, const cpi_fourier_filter *f)
{
    fourier_args a = {*f, 1};
    for (int d = 0; d < f->ndim; d++) a.total *= f->shape[d];
    cudaStream_t s = cpi_cuda_stream(stream);
    if (f->type == CP_FLOAT32) launch<float, 1>(s, a);
    else if (f->type == CP_FLOAT64) launch<double, 1>(s, a);
    else if (f->type == CP_COMPLEX64) launch<float, 2>(s, a);
    else launch<double, 2>(s, a);
    return CPI_LAUNCHED(stream, "fourier");
}
