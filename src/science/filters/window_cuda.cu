/* Windows over all axes on the GPU: a thread an element, over the padded image.
 *
 * A rank is found bit by bit, from the keys' highest: the greatest number with at most so many elements below it. Small
 * windows are held in registers. */
#include "filters/filters.cuh"

namespace {

struct window_args {
    filter_starts starts;
    cp_type to;
    cpi_window_op op;
    int bits;
    int64_t taps, rank;
    const int64_t *at;       /* device memory */
    const double *weights;   /* of sums; of extremes the heights, or NULL */
    const void *in;          /* the padded image */
    void *out;
};

#define EACH_ELEMENT(i)                                                                                              \
    for (I i = (I)blockIdx.x * FILTER_THREADS + threadIdx.x; i < (I)a.starts.total; i += (I)gridDim.x * FILTER_THREADS)

template <class I> __global__ void __launch_bounds__(FILTER_THREADS) sums(const __grid_constant__ window_args a)
{
    EACH_ELEMENT(i) {
        const double *in = (const double *)a.in + filter_start(a.starts, i);
        double sum = 0;
        for (int64_t k = 0; k < a.taps; k++) {
            const double w = __ldg(a.weights + k);
            if (!(fabs(w) <= 2.220446049250313e-16)) sum += in[__ldg(a.at + k)] * w;
        }
        filter_store(a.to, a.out, i, sum);
    }
}

template <class I> __global__ void __launch_bounds__(FILTER_THREADS)
extremes_above(const __grid_constant__ window_args a)
{
    const bool low = a.op == CPI_WINDOW_MINIMUM;
    EACH_ELEMENT(i) {
        const double *in = (const double *)a.in + filter_start(a.starts, i);
        double best = 0;
        for (int64_t k = 0; k < a.taps; k++) {
            const double h = __ldg(a.weights + k), x = in[__ldg(a.at + k)] + (low ? -h : h);
            if (!k || x != x || (best == best && (low ? x < best : x > best))) best = x;
        }
        ((double *)a.out)[i] = best;
    }
}

template <class K, class I> __global__ void __launch_bounds__(FILTER_THREADS)
extremes(const __grid_constant__ window_args a)
{
    const bool low = a.op == CPI_WINDOW_MINIMUM;
    EACH_ELEMENT(i) {
        const K *in = (const K *)a.in + filter_start(a.starts, i);
        K best = low ? ~(K)0 : 0;
        for (int64_t k = 0; k < a.taps; k++) {
            const K x = in[__ldg(a.at + k)];
            best = low ? (x < best ? x : best) : (x > best ? x : best);
        }
        filter_set_key<K>(a.to, a.out, i, best);
    }
}

/* N: the most taps held in registers; 0: they are read again for each bit. */
template <class K, class I, int N> __global__ void __launch_bounds__(FILTER_THREADS)
ranks(const __grid_constant__ window_args a)
{
    EACH_ELEMENT(i) {
        const K *in = (const K *)a.in + filter_start(a.starts, i);
        K held[N ? N : 1];
#pragma unroll
        for (int k = 0; k < N; k++) held[k] = k < a.taps ? in[__ldg(a.at + k)] : ~(K)0;
        K found = 0;
        for (int b = a.bits - 1; b >= 0; b--) {
            const K trial = found | (K)1 << b;
            int64_t below = 0;
            if constexpr (N > 0) {
                int n = 0;
#pragma unroll
                for (int k = 0; k < N; k++) n += held[k] < trial;
                below = n;
            } else {
                for (int64_t k = 0; k < a.taps; k++) below += in[__ldg(a.at + k)] < trial;
            }
            if (below <= a.rank) found = trial;
        }
        filter_set_key<K>(a.to, a.out, i, found);
    }
}

template <class K, class I> void launch_keys(cudaStream_t s, unsigned blocks, const window_args &a)
{
    if (a.op != CPI_WINDOW_RANK) extremes<K, I><<<blocks, FILTER_THREADS, 0, s>>>(a);
    else if (a.taps <= 9) ranks<K, I, 9><<<blocks, FILTER_THREADS, 0, s>>>(a);
    else if (a.taps <= 25) ranks<K, I, 25><<<blocks, FILTER_THREADS, 0, s>>>(a);
    else if (a.taps <= 49) ranks<K, I, 49><<<blocks, FILTER_THREADS, 0, s>>>(a);
    else ranks<K, I, 0><<<blocks, FILTER_THREADS, 0, s>>>(a);
}

template <class I> void launch(cudaStream_t s, filter_form form, const window_args &a)
{
    const unsigned blocks = filter_blocks(a.starts.total);
    if (a.op == CPI_WINDOW_SUM) sums<I><<<blocks, FILTER_THREADS, 0, s>>>(a);
    else if (form == FILTER_NUMBERS) extremes_above<I><<<blocks, FILTER_THREADS, 0, s>>>(a);
    else if (form == FILTER_KEYS32) launch_keys<uint32_t, I>(s, blocks, a);
    else launch_keys<uint64_t, I>(s, blocks, a);
}

/* Numbers of the host's memory in workspace; NULL: error written. */
double *upload(cp_stream *stream, const double *numbers, int64_t n)
{
    double *there = (double *)cpi_host->work_alloc(stream, (size_t)n * sizeof *there);
    if (there && stream->device->backend->from_host(stream, there, numbers, (size_t)n * sizeof *there)) {
        cpi_host->work_free(stream, there);
        return NULL;
    }
    return there;
}

} // namespace

cp_code cpi_filters_cuda_window(cp_stream *stream, const cpi_window_filter *f)
{
    if (cpi_filter_tile_window_cuda(stream, f)) return CPI_LAUNCHED(stream, "filter");
    window_args a = {};
    filter_padded image = {};
    const bool sum = f->op == CPI_WINDOW_SUM;
    const filter_form form = sum || f->heights ? FILTER_NUMBERS : filter_keys_of(f->from);
    const filter_padding p = {f->ndim, f->shape, f->before, f->size, f->boundary, f->from, f->in, f->fill, form,
                              f->op == CPI_WINDOW_MINIMUM};
    cp_code code = cpi_filter_pad_cuda(stream, &p, &image);
    a.taps = f->ntaps;
    if (sum) a.taps = 1;
    for (int d = 0; sum && d < f->ndim; d++) a.taps *= f->size[d];
    const int64_t *taps = sum ? NULL : f->taps;
    int64_t *at = code ? NULL : cpi_filter_offsets_cuda(stream, f->ndim, f->size, image.strides, a.taps, taps);
    double *heights = at && f->heights ? upload(stream, f->heights, a.taps) : NULL;
    if (!code && (!at || (f->heights && !heights))) code = CP_ERROR_MEMORY;
    if (!code) {
        a.starts = cpi_filter_starts_cuda(f->ndim, f->shape, image.strides);
        a.to = f->to, a.op = f->op, a.bits = filter_key_bits(f->from), a.rank = f->rank;
        a.at = at, a.weights = sum ? f->weights : heights, a.in = image.data, a.out = f->out;
        if (filter_is_small(a.starts.total)) launch<uint32_t>(cpi_cuda_stream(stream), form, a);
        else launch<uint64_t>(cpi_cuda_stream(stream), form, a);
        code = CPI_LAUNCHED(stream, "filter");
    }
    cpi_host->work_free(stream, heights);
    cpi_host->work_free(stream, at);
    cpi_host->work_free(stream, image.data);
    return code;
}
