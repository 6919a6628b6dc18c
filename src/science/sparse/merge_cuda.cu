/* Two matrices on the GPU, elementwise: a thread walks a row of both. */
#include "sparse/cuda.h"

namespace {

enum { THREADS = CPI_SPARSE_THREADS };

template <class V, class I>
__global__ void __launch_bounds__(THREADS) merge_rows(const __grid_constant__ cpi_sparse_job j, bool fill)
{
    const int64_t r = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (r < j.a.rows) cpi_sp_merge<V, I>(&j, r, r + 1, fill);
}
template <class I> __global__ void __launch_bounds__(THREADS) count_aligned(const __grid_constant__ cpi_sparse_job j)
{
    const int64_t r = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (r < j.a.rows) cpi_sp_align_count<I>(&j, r, r + 1);
}
template <class V, class I>
__global__ void __launch_bounds__(THREADS) align_rows(const __grid_constant__ cpi_sparse_job j)
{
    const int64_t r = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (r < j.a.rows) cpi_sp_align<V, I>(&j, r, r + 1);
}

static cp_code merge(cp_stream *stream, const cpi_sparse_job *j, bool fill)
{
    return cpi_sparse_with_types(j->a.type, j->a.wide, [&](auto value, auto index) {
        const unsigned blocks = cpi_cuda_blocks(j->a.rows, THREADS, 0x7fffffff);
        merge_rows<decltype(value), decltype(index)><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(*j, fill);
        return CPI_LAUNCHED(stream, "sparse_merge");
    });
}

} // namespace

cp_code cpi_sparse_cuda_merge_count(cp_stream *stream, const cpi_sparse_job *j)
{
    if (j->op != CP_SPARSE_ALIGN) return merge(stream, j, false);
    return cpi_sparse_with_index(j->a.wide, [&](auto index) {
        const unsigned blocks = cpi_cuda_blocks(j->a.rows, THREADS, 0x7fffffff);
        count_aligned<decltype(index)><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(*j);
        return CPI_LAUNCHED(stream, "sparse_merge");
    });
}

cp_code cpi_sparse_cuda_merge_fill(cp_stream *stream, const cpi_sparse_job *j) { return merge(stream, j, true); }

cp_code cpi_sparse_cuda_align_fill(cp_stream *stream, const cpi_sparse_job *j)
{
    return cpi_sparse_with_size((int64_t)cpi_type_sizes[j->a.type], j->a.wide, [&](auto value, auto index) {
        const unsigned blocks = cpi_cuda_blocks(j->a.rows, THREADS, 0x7fffffff);
        align_rows<decltype(value), decltype(index)><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(*j);
        return CPI_LAUNCHED(stream, "sparse_align");
    });
}
