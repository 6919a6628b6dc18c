/* Searching, interpolating and quantiles on the GPU: a thread an element. Counting is in counts_cuda.cu and
 * weights_cuda.cu. */
#include "cuda/cuda.h"
#include "cuda/elements.h"
#include "sort/sort.h"
#include "statistics/cuda.h"
#include "statistics/methods.h"

namespace {

enum { THREADS = 256 };

} // namespace

/* Edges are a list that values are searched in. */
cp_code cpi_statistics_cuda_locate(cp_stream *stream, cp_type type, int64_t n, const void *x, int64_t m,
                                   const void *edges, bool right, int64_t *to)
{
    return cpi_sort_cuda.search(stream, type, m, edges, n, x, right, to);
}

namespace {

/* Edges in shared memory: each block determines their direction, and reports an error if they are not monotonic. */
template <class T> __global__ void __launch_bounds__(THREADS)
digitize_each(int64_t n, const T *x, int m, const T *edges, bool right, int64_t *to, uint32_t *mailbox,
              uint32_t failure)
{
    typedef cpi_wide<T> W; /* compares as the type does */
    extern __shared__ uint64_t staged[];
    W *e = (W *)staged;
    for (int i = threadIdx.x; i < m; i += THREADS) e[i] = cpi_widen(edges[i]);
    __syncthreads();
    __shared__ int first; /* the later of the first two that are unequal, as NaN is even to itself */
    bool rises = false, falls = false;
    if (!threadIdx.x) first = m;
    __syncthreads();
    for (int i = threadIdx.x + 1; i < m; i += THREADS) {
        rises |= e[i - 1] < e[i], falls |= e[i - 1] > e[i];
        if (!(e[i - 1] == e[i])) atomicMin(&first, i);
    }
    rises = __syncthreads_or(rises), falls = __syncthreads_or(falls);
    const bool up = first == m || e[first - 1] < e[first]; /* NumPy's rule: NaN is in order with anything */
    if ((up ? falls : rises) && !blockIdx.x && !threadIdx.x) *mailbox = failure;
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS) {
        const W v = cpi_widen(x[i]);
        int low = 0, high = m; /* how many of the edges, ascending, lie before v, which NaN is greatest of */
        while (low < high) {
            const int middle = (low + high) / 2;
            const W here = e[up ? middle : m - 1 - middle];
            const bool before = right ? !(v < here || (here != here && v == v)) : here < v || (v != v && here == here);
            if (before) low = middle + 1;
            else high = middle;
        }
        to[i] = up ? low : m - low;
    }
}

} // namespace

cp_code cpi_statistics_cuda_digitize(cp_stream *stream, cp_type type, int64_t n, const void *x, int64_t m,
                                     const void *edges, bool right, int64_t *to)
{
    static const uint32_t failure = cpi_cuda_late(CP_ERROR_VALUE, "digitize", CPI_UNORDERED_EDGES);
    uint32_t *mailbox = cpi_cuda_mailbox(stream);
    if (!mailbox) return CP_ERROR_MEMORY;
    const unsigned blocks = cpi_cuda_blocks(n, THREADS, (int64_t)cpi_cuda_units(stream) * 16);
    return cpi_with_type(type, [&](auto element) -> cp_code {
        typedef decltype(element) E;
        if constexpr (E::kind == 'c') {
            return cpi_host->fail(CP_ERROR_INTERNAL, "bins of complex numbers");
        } else {
            typedef typename E::T T;
            digitize_each<T><<<blocks, THREADS, (size_t)m * sizeof(cpi_wide<T>), cpi_cuda_stream(stream)>>>(
                n, (const T *)x, (int)m, (const T *)edges, right, to, mailbox, failure);
            return CPI_LAUNCHED(stream, "digitize");
        }
    });
}

namespace {

__global__ void __launch_bounds__(THREADS) interpolate_each(cpi_interpolation p)
{
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < p.n; i += (int64_t)gridDim.x * THREADS)
        cpi_interpolate_one(&p, i);
}

} // namespace

cp_code cpi_statistics_cuda_interpolate(cp_stream *stream, const cpi_interpolation *p)
{
    interpolate_each<<<cpi_cuda_blocks(p->n, THREADS, (int64_t)cpi_cuda_units(stream) * 64), THREADS, 0,
                       cpi_cuda_stream(stream)>>>(*p);
    return CPI_LAUNCHED(stream, "interp");
}

namespace {

__global__ void __launch_bounds__(THREADS) quantile_each(cpi_quantiles q, int64_t bytes)
{
    const int64_t all = q.rows * q.count;
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < all; i += (int64_t)gridDim.x * THREADS)
        cpi_quantile_one(&q, i % q.rows, i / q.rows, bytes);
}

} // namespace

cp_code cpi_statistics_cuda_quantiles(cp_stream *stream, const cpi_quantiles *q)
{
    quantile_each<<<cpi_cuda_blocks(q->rows * q->count, THREADS, (int64_t)cpi_cuda_units(stream) * 64), THREADS, 0,
                    cpi_cuda_stream(stream)>>>(*q, cpi_itemsize(q->type));
    return CPI_LAUNCHED(stream, "quantile");
}

