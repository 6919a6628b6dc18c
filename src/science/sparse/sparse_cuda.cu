/* Sparse matrices on the GPU: checks, places, copies of rows, and dense arrays. Where a row's elements do not depend on
 * each other some lanes of a warp share it; where they do, a thread has it. */
#include "sparse/cuda.h"

namespace {

enum { THREADS = CPI_SPARSE_THREADS, LANES = 8 };

/* The row of this thread's lanes. */
static __device__ __forceinline__ int64_t lane_row() { return ((int64_t)blockIdx.x * THREADS + threadIdx.x) / LANES; }
static __device__ __forceinline__ int lane() { return (int)(threadIdx.x % LANES); }
static __device__ __forceinline__ int64_t thread_row() { return (int64_t)blockIdx.x * THREADS + threadIdx.x; }
static unsigned by_lanes(int64_t rows) { return cpi_cuda_blocks(rows, THREADS / LANES, 0x7fffffff); }
static unsigned by_threads(int64_t rows) { return cpi_cuda_blocks(rows, THREADS, 0x7fffffff); }

template <class I> __global__ void __launch_bounds__(THREADS) check_rows(const __grid_constant__ cpi_csr a,
                                                                         unsigned long long *found)
{
    const I *p = (const I *)a.indptr, *x = (const I *)a.indices;
    const int64_t r = lane_row();
    if (r >= a.rows && (r || lane())) return;
    unsigned long long bits = 0;
    if (r == 0 && !lane()) {
        const int64_t last = p[a.rows];
        if (p[0]) bits |= CP_SPARSE_BAD_START;
        if (last > 0) bits |= (unsigned long long)last * CP_SPARSE_LAST;
    }
    if (r < a.rows) {
        const int64_t first = p[r], last = p[r + 1];
        if (first < 0 || last < first || last > a.nnz) bits |= CP_SPARSE_BAD_POINTERS;
        else
            for (int64_t i = first + lane(); i < last; i += LANES) {
                const int64_t c = x[i], before = i > first ? (int64_t)x[i - 1] : -1;
                bits |= (c < 0 ? CP_SPARSE_BAD_LOW : 0) | (c >= a.columns ? CP_SPARSE_BAD_HIGH : 0);
                if (i > first) bits |= (c < before ? CP_SPARSE_UNSORTED : 0) | (c == before ? CP_SPARSE_DUPLICATES : 0);
            }
    }
    if (bits) atomicOr(found, bits);
}
template <class I> __global__ void __launch_bounds__(THREADS) expand_rows(const __grid_constant__ cpi_csr a, I *rows)
{
    const I *p = (const I *)a.indptr;
    const int64_t r = lane_row();
    if (r >= a.rows) return;
    for (int64_t i = p[r] + lane(); i < p[r + 1]; i += LANES) rows[i] = (I)r;
}
template <class I> __global__ void __launch_bounds__(THREADS) find_places(const __grid_constant__ cpi_sparse_job j)
{
    const int64_t i = thread_row();
    if (i < j.n) j.found[i] = cpi_sp_find<I>(&j, i);
}
template <class I> __global__ void __launch_bounds__(THREADS) count_taken(const __grid_constant__ cpi_sparse_job j)
{
    const int64_t r = thread_row();
    if (r < j.n) cpi_sp_take_count<I>(&j, r, r + 1);
}
template <class I> __global__ void __launch_bounds__(THREADS) count_distinct(const __grid_constant__ cpi_sparse_job j)
{
    const int64_t r = thread_row();
    if (r < j.a.rows) cpi_sp_sum_count<I>(&j, r, r + 1);
}
template <class V, class I>
__global__ void __launch_bounds__(THREADS) take_rows(const __grid_constant__ cpi_sparse_job j)
{
    const int64_t r = lane_row();
    if (r < j.n) cpi_sp_take<V, I>(&j, r, r + 1, lane(), LANES);
}
template <class V, class I>
__global__ void __launch_bounds__(THREADS) sum_rows(const __grid_constant__ cpi_sparse_job j)
{
    const int64_t r = thread_row();
    if (r < j.a.rows) cpi_sp_sum<V, I>(&j, r, r + 1);
}
template <class V, class I>
__global__ void __launch_bounds__(THREADS) add_to_dense(const __grid_constant__ cpi_sparse_job j)
{
    const int64_t r = thread_row();
    if (r < j.a.rows) cpi_sp_dense<V, I>(&j, r, r + 1);
}
template <class V, class I>
__global__ void __launch_bounds__(THREADS) put_into_dense(const __grid_constant__ cpi_sparse_job j)
{
    const I *p = (const I *)j.a.indptr, *x = (const I *)j.a.indices;
    const int64_t r = lane_row();
    if (r >= j.a.rows) return;
    for (int64_t i = p[r] + lane(); i < p[r + 1]; i += LANES)
        ((V *)j.data)[r * j.row_step + (int64_t)x[i] * j.column_step] = ((const V *)j.a.data)[i];
}

} // namespace

cp_code cpi_sparse_cuda_check(cp_stream *stream, const cpi_csr *a, int64_t *found)
{
    cp_code code = cpi_cuda_issued(stream, cudaMemsetAsync(found, 0, sizeof *found, cpi_cuda_stream(stream)),
                                   "sparse_check");
    if (code != CP_OK) return code;
    return cpi_sparse_with_index(a->wide, [&](auto index) {
        check_rows<decltype(index)><<<by_lanes(a->rows), THREADS, 0, cpi_cuda_stream(stream)>>>(
            *a, (unsigned long long *)found);
        return CPI_LAUNCHED(stream, "sparse_check");
    });
}

cp_code cpi_sparse_cuda_expand(cp_stream *stream, const cpi_csr *a, void *rows)
{
    return cpi_sparse_with_index(a->wide, [&](auto index) {
        using I = decltype(index);
        expand_rows<I><<<by_lanes(a->rows), THREADS, 0, cpi_cuda_stream(stream)>>>(*a, (I *)rows);
        return CPI_LAUNCHED(stream, "sparse_rows");
    });
}

cp_code cpi_sparse_cuda_find(cp_stream *stream, const cpi_sparse_job *j)
{
    return cpi_sparse_with_index(j->a.wide, [&](auto index) {
        find_places<decltype(index)><<<by_threads(j->n), THREADS, 0, cpi_cuda_stream(stream)>>>(*j);
        return CPI_LAUNCHED(stream, "sparse_find");
    });
}

cp_code cpi_sparse_cuda_take_count(cp_stream *stream, const cpi_sparse_job *j)
{
    return cpi_sparse_with_index(j->a.wide, [&](auto index) {
        count_taken<decltype(index)><<<by_threads(j->n), THREADS, 0, cpi_cuda_stream(stream)>>>(*j);
        return CPI_LAUNCHED(stream, "sparse_take");
    });
}

cp_code cpi_sparse_cuda_take_fill(cp_stream *stream, const cpi_sparse_job *j)
{
    return cpi_sparse_with_size((int64_t)cpi_type_sizes[j->a.type], j->a.wide, [&](auto value, auto index) {
        take_rows<decltype(value), decltype(index)><<<by_lanes(j->n), THREADS, 0, cpi_cuda_stream(stream)>>>(*j);
        return CPI_LAUNCHED(stream, "sparse_take");
    });
}

cp_code cpi_sparse_cuda_sum_count(cp_stream *stream, const cpi_sparse_job *j)
{
    return cpi_sparse_with_index(j->a.wide, [&](auto index) {
        count_distinct<decltype(index)><<<by_threads(j->a.rows), THREADS, 0, cpi_cuda_stream(stream)>>>(*j);
        return CPI_LAUNCHED(stream, "sum_duplicates");
    });
}

cp_code cpi_sparse_cuda_sum_fill(cp_stream *stream, const cpi_sparse_job *j)
{
    return cpi_sparse_with_types(j->a.type, j->a.wide, [&](auto value, auto index) {
        sum_rows<decltype(value), decltype(index)><<<by_threads(j->a.rows), THREADS, 0, cpi_cuda_stream(stream)>>>(*j);
        return CPI_LAUNCHED(stream, "sum_duplicates");
    });
}

cp_code cpi_sparse_cuda_dense(cp_stream *stream, const cpi_sparse_job *j)
{
    cudaStream_t s = cpi_cuda_stream(stream);
    if (j->unique)
        return cpi_sparse_with_size((int64_t)cpi_type_sizes[j->a.type], j->a.wide, [&](auto value, auto index) {
            put_into_dense<decltype(value), decltype(index)><<<by_lanes(j->a.rows), THREADS, 0, s>>>(*j);
            return CPI_LAUNCHED(stream, "sparse_dense");
        });
    return cpi_sparse_with_types(j->a.type, j->a.wide, [&](auto value, auto index) {
        add_to_dense<decltype(value), decltype(index)><<<by_threads(j->a.rows), THREADS, 0, s>>>(*j);
        return CPI_LAUNCHED(stream, "sparse_dense");
    });
}
