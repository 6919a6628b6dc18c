/* Windows along one axis on the GPU: a thread an element, which reads its window from the caches. Sums are added in
 * SciPy's order, so that integers are cut off alike on all devices. */
#include "filters/filters.cuh"

namespace {

struct line_args {
    cpi_line_filter f;
    int64_t total;
    bool nan_low;
};

/* An element's window: where it is, and whether it lies inside of the line. */
template <class I> struct window {
    int64_t first, line; /* the first position; the element 0 of the line */
    bool inside;
    __device__ __forceinline__ window(const cpi_line_filter &f, I i)
    {
        const I inner = (I)f.inner, n = (I)f.n, rest = i / inner, outer = rest / n;
        first = (int64_t)(rest - outer * n) - f.before;
        line = (int64_t)outer * f.n * f.inner + (int64_t)(i - rest * inner);
        inside = first >= 0 && first + f.size <= f.n;
    }
    /* The index of the window's position k; -1: the constant. */
    __device__ __forceinline__ int64_t at(const cpi_line_filter &f, int64_t k) const
    {
        const int64_t p = inside ? first + k : cpi_boundary_index(first + k, f.n, f.boundary);
        return p < 0 ? -1 : line + p * f.inner;
    }
};

struct any_number {
    static __device__ __forceinline__ double of(const cpi_line_filter &f, int64_t i)
    {
        return i < 0 ? f.fill : filter_load(f.from, f.in, i);
    }
};
template <class T> struct number {
    static __device__ __forceinline__ double of(const cpi_line_filter &f, int64_t i)
    {
        return i < 0 ? f.fill : (double)((const T *)f.in)[i];
    }
};

/* Are the weights symmetric (1), antisymmetric (-1) or neither (0)? All threads of a block take part. */
__device__ int symmetry(const double *w, int64_t size)
{
    bool even = size & 1, odd = even;
    for (int64_t k = 1 + threadIdx.x; k <= size / 2; k += FILTER_THREADS) {
        const double a = w[size / 2 + k], b = w[size / 2 - k];
        even = even && !(fabs(a - b) > 2.220446049250313e-16);
        odd = odd && !(fabs(a + b) > 2.220446049250313e-16);
    }
    even = __syncthreads_and(even), odd = __syncthreads_and(odd);
    return even ? 1 : odd ? -1 : 0;
}

template <class R, class I> __device__ __forceinline__ double correlation(const cpi_line_filter &f, const window<I> &w,
                                                                           int way)
{
    const int64_t half = f.size / 2, first = way ? half : f.size - 1;
    double sum = R::of(f, w.at(f, first)) * __ldg(f.weights + first);
    if (way) {
        for (int64_t k = half; k > 0; k--) {
            const double a = R::of(f, w.at(f, half - k)), b = R::of(f, w.at(f, half + k));
            sum += (way > 0 ? a + b : a - b) * __ldg(f.weights + half - k);
        }
    } else {
        for (int64_t k = 0; k < f.size - 1; k++) sum += R::of(f, w.at(f, k)) * __ldg(f.weights + k);
    }
    return sum;
}

template <class R, class I> __global__ void __launch_bounds__(FILTER_THREADS)
sums(const __grid_constant__ line_args a)
{
    const cpi_line_filter &f = a.f;
    const int way = f.op == CPI_LINE_CORRELATE ? symmetry(f.weights, f.size) : 0;
    for (I i = (I)blockIdx.x * FILTER_THREADS + threadIdx.x; i < (I)a.total; i += (I)gridDim.x * FILTER_THREADS) {
        const window<I> w(f, i);
        double sum = 0;
        if (f.op == CPI_LINE_CORRELATE) {
            sum = correlation<R>(f, w, way);
        } else {
            for (int64_t k = 0; k < f.size; k++) sum += R::of(f, w.at(f, k));
            sum /= (double)f.size;
        }
        filter_store(f.to, f.out, i, sum);
    }
}

template <class K, class I> __global__ void __launch_bounds__(FILTER_THREADS)
extremes(const __grid_constant__ line_args a)
{
    const cpi_line_filter &f = a.f;
    uint64_t value = 0;
    filter_store(f.from, &value, 0, f.fill);
    const K fill = filter_key<K>(f.from, &value, 0, a.nan_low);
    const bool low = f.op == CPI_LINE_MINIMUM;
    for (I i = (I)blockIdx.x * FILTER_THREADS + threadIdx.x; i < (I)a.total; i += (I)gridDim.x * FILTER_THREADS) {
        const window<I> w(f, i);
        K best = low ? ~(K)0 : 0;
        for (int64_t k = 0; k < f.size; k++) {
            const int64_t at = w.at(f, k);
            const K x = at < 0 ? fill : filter_key<K>(f.from, f.in, at, a.nan_low);
            best = low ? (x < best ? x : best) : (x > best ? x : best);
        }
        filter_set_key<K>(f.from, f.out, i, best);
    }
}

template <class I> void launch(cudaStream_t s, const line_args &a)
{
    const unsigned blocks = filter_blocks(a.total);
    const bool sum = a.f.op == CPI_LINE_CORRELATE || a.f.op == CPI_LINE_MEAN;
    if (!sum && cpi_itemsize(a.f.from) == 8) extremes<uint64_t, I><<<blocks, FILTER_THREADS, 0, s>>>(a);
    else if (!sum) extremes<uint32_t, I><<<blocks, FILTER_THREADS, 0, s>>>(a);
    else if (a.f.from == CP_FLOAT32) sums<number<float>, I><<<blocks, FILTER_THREADS, 0, s>>>(a);
    else if (a.f.from == CP_FLOAT64) sums<number<double>, I><<<blocks, FILTER_THREADS, 0, s>>>(a);
    else sums<any_number, I><<<blocks, FILTER_THREADS, 0, s>>>(a);
}

} // namespace

cp_code cpi_filters_cuda_line(cp_stream *stream, const cpi_line_filter *f)
{
    if (cpi_filter_tile_line_cuda(stream, f)) return CPI_LAUNCHED(stream, "filter");
    line_args a = {*f, f->outer * f->n * f->inner, f->op == CPI_LINE_MINIMUM};
    if (filter_is_small(a.total)) launch<uint32_t>(cpi_cuda_stream(stream), a);
    else launch<uint64_t>(cpi_cuda_stream(stream), a);
    return CPI_LAUNCHED(stream, "filter");
}
