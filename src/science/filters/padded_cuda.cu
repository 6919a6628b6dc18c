/* An image continued beyond its edges on the GPU, and the offsets of a window's taps in it. */
#include "filters/filters.cuh"

namespace {

struct pad_args {
    int ndim;
    cpi_boundary boundary;
    cp_type type;
    bool nan_low;
    double fill;
    int64_t total, padded[CP_MAXDIM], before[CP_MAXDIM], shape[CP_MAXDIM];
    const void *in;
    void *to;
};

/* The element of the image that stands at position i of the padded one; -1: the constant. */
template <class I> __device__ __forceinline__ int64_t source_of(const pad_args &a, I i)
{
    int64_t at = 0, step = 1;
    for (int d = a.ndim - 1; d >= 0; d--) {
        const I n = (I)a.padded[d], rest = i / n;
        const int64_t k = cpi_boundary_index((int64_t)(i - rest * n) - a.before[d], a.shape[d], a.boundary);
        if (k < 0) return -1;
        at += k * step;
        step *= a.shape[d];
        i = rest;
    }
    return at;
}

template <class I> __global__ void __launch_bounds__(FILTER_THREADS)
pad_numbers(const __grid_constant__ pad_args a)
{
    for (I i = (I)blockIdx.x * FILTER_THREADS + threadIdx.x; i < (I)a.total; i += (I)gridDim.x * FILTER_THREADS) {
        const int64_t k = source_of(a, i);
        ((double *)a.to)[i] = k < 0 ? a.fill : filter_load(a.type, a.in, k);
    }
}
template <class I, class K> __global__ void __launch_bounds__(FILTER_THREADS)
pad_keys(const __grid_constant__ pad_args a)
{
    for (I i = (I)blockIdx.x * FILTER_THREADS + threadIdx.x; i < (I)a.total; i += (I)gridDim.x * FILTER_THREADS) {
        const int64_t k = source_of(a, i);
        uint64_t value = 0;
        if (k < 0) filter_store(a.type, &value, 0, a.fill);
        ((K *)a.to)[i] = filter_key<K>(a.type, k < 0 ? &value : a.in, k < 0 ? 0 : k, a.nan_low);
    }
}
template <class I> __global__ void __launch_bounds__(FILTER_THREADS) pad_bytes(const __grid_constant__ pad_args a)
{
    for (I i = (I)blockIdx.x * FILTER_THREADS + threadIdx.x; i < (I)a.total; i += (I)gridDim.x * FILTER_THREADS) {
        const int64_t k = source_of(a, i);
        ((uint8_t *)a.to)[i] = k < 0 ? a.fill != 0 : ((const uint8_t *)a.in)[k];
    }
}

template <class I> void launch(cudaStream_t s, filter_form form, const pad_args &a)
{
    const unsigned blocks = filter_blocks(a.total);
    if (form == FILTER_NUMBERS) pad_numbers<I><<<blocks, FILTER_THREADS, 0, s>>>(a);
    else if (form == FILTER_KEYS32) pad_keys<I, uint32_t><<<blocks, FILTER_THREADS, 0, s>>>(a);
    else if (form == FILTER_KEYS64) pad_keys<I, uint64_t><<<blocks, FILTER_THREADS, 0, s>>>(a);
    else pad_bytes<I><<<blocks, FILTER_THREADS, 0, s>>>(a);
}

} // namespace

cp_code cpi_filter_pad_cuda(cp_stream *stream, const filter_padding *p, filter_padded *to)
{
    static const int64_t items[] = {8, 4, 8, 1};
    pad_args a = {};
    a.ndim = p->ndim, a.boundary = p->boundary, a.type = p->type, a.nan_low = p->nan_low, a.fill = p->fill;
    a.total = 1, a.in = p->in;
    bool fits = true;
    for (int d = p->ndim - 1; d >= 0; d--) {
        a.before[d] = p->before[d], a.shape[d] = p->shape[d];
        to->strides[d] = a.total;
        fits = fits && !__builtin_add_overflow(p->shape[d], p->size[d] - 1, &a.padded[d]) &&
               !__builtin_mul_overflow(a.total, a.padded[d], &a.total);
    }
    to->data = NULL;
    to->total = a.total;
    if (!fits || a.total > INT64_MAX / 16) return cpi_host->fail(CP_ERROR_MEMORY, "filter: the window is too large");
    to->data = (char *)cpi_host->work_alloc(stream, (size_t)(a.total * items[p->form]));
    if (!to->data) return CP_ERROR_MEMORY;
    a.to = to->data;
    if (filter_is_small(a.total)) launch<uint32_t>(cpi_cuda_stream(stream), p->form, a);
    else launch<uint64_t>(cpi_cuda_stream(stream), p->form, a);
    return CPI_LAUNCHED(stream, "filter");
}

int64_t *cpi_filter_offsets_cuda(cp_stream *stream, int ndim, const int64_t *size, const int64_t *strides, int64_t n,
                                 const int64_t *taps)
{
    int64_t *host = (int64_t *)cpi_host->malloc((size_t)n * sizeof *host);
    int64_t *there = host ? (int64_t *)cpi_host->work_alloc(stream, (size_t)n * sizeof *host) : NULL;
    for (int64_t k = 0; there && k < n; k++) {
        int64_t rest = taps ? taps[k] : k;
        host[k] = 0;
        for (int d = ndim - 1; d >= 0; d--) {
            host[k] += rest % size[d] * strides[d];
            rest /= size[d];
        }
    }
    if (there && stream->device->backend->from_host(stream, there, host, (size_t)n * sizeof *host)) {
        cpi_host->work_free(stream, there);
        there = NULL;
    }
    cpi_host->free(host);
    return there;
}

filter_starts cpi_filter_starts_cuda(int ndim, const int64_t *shape, const int64_t *strides)
{
    filter_starts p = {};
    p.ndim = ndim, p.total = 1;
    for (int d = 0; d < ndim; d++) p.shape[d] = shape[d], p.strides[d] = strides[d], p.total *= shape[d];
    return p;
}
