/* Counting, searching and interpolating on the GPU: a thread an element.
 *
 * Counts of few bins are gathered in shared memory, a table a block, else in the result. Only whole numbers are added
 * by atomics; sums of weights are made of elements ordered by their bins, each bin's by one warp in one order, so the
 * same input gives the same bits. */
#include "cuda/cuda.h"
#include "cuda/elements.h"
#include "sort/sort.h"
#include "statistics/methods.h"
#include "statistics/statistics.h"

namespace {

enum { THREADS = 256, SHARED_BINS = 8192, EACH = 16 };

/* The bins of elements, one after the other. */
struct listed {
    const int64_t *x;
    __device__ int64_t operator()(int64_t i) const { return x[i]; }
};
struct sorted_out {
    cpi_bins b;
    double scale;
    __device__ int64_t operator()(int64_t i) const
    {
        const double x = cpi_number_at(b.type, b.x, i);
        return cpi_bin_of(b.edges, b.bins, b.even, b.first, scale, x);
    }
};

template <class Bin> __global__ void __launch_bounds__(THREADS)
count_shared(Bin bin, int64_t n, int bins, unsigned long long *to)
{
    extern __shared__ unsigned table[];
    for (int i = threadIdx.x; i < bins; i += THREADS) table[i] = 0;
    __syncthreads();
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS) {
        const int64_t k = bin(i);
        if (k < bins) atomicAdd(table + k, 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < bins; i += THREADS)
        if (table[i]) atomicAdd(to + i, (unsigned long long)table[i]);
}

template <class Bin> __global__ void __launch_bounds__(THREADS)
count_global(Bin bin, int64_t n, int64_t bins, unsigned long long *to)
{
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS) {
        const int64_t k = bin(i);
        if (k < bins) atomicAdd(to + k, 1ull);
    }
}

template <class Bin> __global__ void __launch_bounds__(THREADS) list(Bin bin, int64_t n, int64_t *to)
{
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS)
        to[i] = bin(i);
}

template <class Bin> cp_code count(cp_stream *stream, Bin bin, int64_t n, int64_t bins, void *to)
{
    const cudaStream_t cs = cpi_cuda_stream(stream);
    unsigned long long *counts = (unsigned long long *)to;
    /* a block sees less than 2^32 elements, so its counts fit a word */
    const int64_t most = (int64_t)cpi_cuda_units(stream) * 8;
    cp_code code = cpi_cuda_check(stream, cudaMemsetAsync(to, 0, (size_t)bins * 8, cs), "bincount");
    if (code) return code;
    const unsigned blocks = cpi_cuda_blocks(n, (int64_t)THREADS * EACH, most);
    if (bins <= SHARED_BINS && n / blocks < 0xffff0000ll)
        count_shared<<<blocks, THREADS, (size_t)bins * sizeof(unsigned), cs>>>(bin, n, (int)bins, counts);
    else
        count_global<<<cpi_cuda_blocks(n, THREADS, most * 8), THREADS, 0, cs>>>(bin, n, bins, counts);
    return CPI_LAUNCHED(stream, "bincount");
}

/* The first place of an ordered list, read through `order`, at which a value is not less than v. */
__device__ int64_t lower_bound(const int64_t *x, const int64_t *order, int64_t n, int64_t v)
{
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (x[order[middle]] < v) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* A warp a bin: lanes add every 32nd weight, then the lanes' sums in one order. */
__global__ void __launch_bounds__(THREADS)
weigh(const int64_t *x, const int64_t *order, const double *weights, int64_t n, int64_t bins, double *to)
{
    const int lane = threadIdx.x % 32;
    for (int64_t k = (blockIdx.x * (int64_t)THREADS + threadIdx.x) / 32; k < bins;
         k += (int64_t)gridDim.x * THREADS / 32) {
        const int64_t first = lower_bound(x, order, n, k), end = lower_bound(x, order, n, k + 1);
        double sum = 0;
        for (int64_t i = first + lane; i < end; i += 32) sum += weights[order[i]];
        for (int d = 16; d; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
        if (!lane) to[k] = sum;
    }
}

cp_code bincount(cp_stream *stream, int64_t n, const int64_t *x, const double *weights, int64_t bins, void *to)
{
    if (!weights) return count(stream, listed{x}, n, bins, to);
    int64_t *order = (int64_t *)cpi_host->work_alloc(stream, (size_t)n * sizeof *order);
    if (!order) return CP_ERROR_MEMORY;
    cp_code code = cpi_sort_cuda.argsort(stream, CP_INT64, 1, n, x, order);
    if (!code) {
        weigh<<<cpi_cuda_blocks(bins, THREADS / 32, (int64_t)cpi_cuda_units(stream) * 64), THREADS, 0,
                cpi_cuda_stream(stream)>>>(x, order, weights, n, bins, (double *)to);
        code = CPI_LAUNCHED(stream, "bincount");
    }
    cpi_host->work_free(stream, order);
    return code;
}

cp_code bins(cp_stream *stream, const cpi_bins *b)
{
    const sorted_out bin = {*b, (double)b->bins / (b->last - b->first)};
    if (b->counts) return count(stream, bin, b->n, b->bins, b->counts);
    list<<<cpi_cuda_blocks(b->n, THREADS, (int64_t)cpi_cuda_units(stream) * 64), THREADS, 0,
           cpi_cuda_stream(stream)>>>(bin, b->n, b->index);
    return CPI_LAUNCHED(stream, "histogram");
}

template <class U> __device__ U same_key(const cpi_keys &k, U bits)
{
    if constexpr (sizeof(U) == 1) return cpi_same8(&k, cpi_key8(&k, bits));
    else if constexpr (sizeof(U) == 2) return cpi_same16(&k, cpi_key16(&k, bits));
    else if constexpr (sizeof(U) == 4) return cpi_same32(&k, cpi_key32(&k, bits));
    else return cpi_same64(&k, cpi_key64(&k, bits));
}

template <class U> __global__ void __launch_bounds__(THREADS)
locate_each(cpi_keys k, int64_t n, const U *x, int64_t m, const U *edges, bool right, int64_t *to)
{
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS) {
        const U key = same_key(k, x[i]);
        int64_t low = 0, high = m;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            const U edge = same_key(k, edges[middle]);
            if (edge < key || (right && edge == key)) low = middle + 1;
            else high = middle;
        }
        to[i] = low;
    }
}

template <class U>
void start_locating(unsigned blocks, cudaStream_t cs, const cpi_keys &k, int64_t n, const void *x, int64_t m,
                    const void *edges, bool right, int64_t *to)
{
    locate_each<<<blocks, THREADS, 0, cs>>>(k, n, (const U *)x, m, (const U *)edges, right, to);
}

cp_code locate(cp_stream *stream, cp_type type, int64_t n, const void *x, int64_t m, const void *edges, bool right,
               int64_t *to)
{
    const cpi_keys k = cpi_keys_of(type);
    const unsigned blocks = cpi_cuda_blocks(n, THREADS, (int64_t)cpi_cuda_units(stream) * 64);
    const cudaStream_t cs = cpi_cuda_stream(stream);
    switch (k.bytes) {
    case 1: start_locating<uint8_t>(blocks, cs, k, n, x, m, edges, right, to); break;
    case 2: start_locating<uint16_t>(blocks, cs, k, n, x, m, edges, right, to); break;
    case 4: start_locating<uint32_t>(blocks, cs, k, n, x, m, edges, right, to); break;
    default: start_locating<uint64_t>(blocks, cs, k, n, x, m, edges, right, to);
    }
    return CPI_LAUNCHED(stream, "digitize");
}

__global__ void __launch_bounds__(THREADS) interpolate_each(cpi_interpolation p)
{
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < p.n; i += (int64_t)gridDim.x * THREADS)
        cpi_interpolate_one(&p, i);
}

cp_code interpolate(cp_stream *stream, const cpi_interpolation *p)
{
    interpolate_each<<<cpi_cuda_blocks(p->n, THREADS, (int64_t)cpi_cuda_units(stream) * 64), THREADS, 0,
                       cpi_cuda_stream(stream)>>>(*p);
    return CPI_LAUNCHED(stream, "interp");
}

__global__ void __launch_bounds__(THREADS) quantile_each(cpi_quantiles q, int64_t bytes)
{
    const int64_t all = q.rows * q.count;
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < all; i += (int64_t)gridDim.x * THREADS)
        cpi_quantile_one(&q, i % q.rows, i / q.rows, bytes);
}

cp_code quantiles(cp_stream *stream, const cpi_quantiles *q)
{
    quantile_each<<<cpi_cuda_blocks(q->rows * q->count, THREADS, (int64_t)cpi_cuda_units(stream) * 64), THREADS, 0,
                    cpi_cuda_stream(stream)>>>(*q, cpi_itemsize(q->type));
    return CPI_LAUNCHED(stream, "quantile");
}

} // namespace

extern const cpi_statistics_ops cpi_statistics_cuda;
const cpi_statistics_ops cpi_statistics_cuda = {bincount, nullptr, bins, locate, interpolate, quantiles};
