/* Searching, interpolating and quantiles on the GPU: a thread an element. Counting stands in counts_cuda.cu and
 * weights_cuda.cu. */
#include "cuda/cuda.h"
#include "sort/sort.h"
#include "statistics/cuda.h"
#include "statistics/methods.h"

namespace {

enum { THREADS = 256 };

constexpr auto bincount = cpi_bincount_cuda;
constexpr auto bins = cpi_bins_cuda;

/* Edges are a list that values are searched in. */
cp_code locate(cp_stream *stream, cp_type type, int64_t n, const void *x, int64_t m, const void *edges, bool right,
               int64_t *to)
{
    return cpi_sort_cuda.search(stream, type, m, edges, n, x, right, to);
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
const cpi_statistics_ops cpi_statistics_cuda = {bincount, cpi_tally_cuda, bins, locate, interpolate, quantiles, NULL};
