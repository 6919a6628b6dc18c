/* Matrices times vectors and dense matrices on the GPU, with the sums of the CPU: lanes of a row's own, then a tree. */
#include "sparse/cuda.h"

namespace {

enum { THREADS = CPI_SPARSE_THREADS };

#include "sparse/multiply.cuh"

template <class V, class I, int LANES>
__global__ void __launch_bounds__(THREADS) rows_times_vector(const __grid_constant__ cpi_sparse_multiply m)
{
    rows_times_vector_of<V, I, LANES>(m);
}
template <class V, class I>
__global__ void __launch_bounds__(THREADS) rows_times_columns(const __grid_constant__ cpi_sparse_multiply m)
{
    rows_times_columns_of<V, I>(m);
}
template <class V, class I>
__global__ void __launch_bounds__(THREADS) blocks_times_columns(const __grid_constant__ cpi_sparse_blocks b)
{
    blocks_times_columns_of<V, I>(b);
}

template <class V, class I>
__global__ void __launch_bounds__(THREADS) diagonals_times_columns(const __grid_constant__ cpi_sparse_diagonals d)
{
    diagonals_times_columns_of<V, I>(d);
}

template <class V, class I, int LANES> static cp_code times_vector(cp_stream *stream, const cpi_sparse_multiply *m)
{
    const unsigned blocks = cpi_cuda_blocks(m->a.rows, THREADS / LANES, 0x7fffffff);
    rows_times_vector<V, I, LANES><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(*m);
    return CPI_LAUNCHED(stream, "sparse_multiply");
}

} // namespace

cp_code cpi_sparse_cuda_multiply(cp_stream *stream, const cpi_sparse_multiply *m)
{
    return cpi_sparse_with_types(m->a.type, m->a.wide, [&](auto value, auto index) {
        using V = decltype(value);
        using I = decltype(index);
        if (m->k == 1)
            return cpi_sparse_accumulators(&m->a) == 4 ? times_vector<V, I, 4>(stream, m)
                                                       : times_vector<V, I, 16>(stream, m);
        const unsigned blocks = cpi_cuda_blocks(m->a.rows * m->k, THREADS, 1 << 20);
        rows_times_columns<V, I><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(*m);
        return CPI_LAUNCHED(stream, "sparse_multiply");
    });
}

cp_code cpi_sparse_cuda_blocks(cp_stream *stream, const cpi_sparse_blocks *b)
{
    return cpi_sparse_with_types(b->a.type, b->a.wide, [&](auto value, auto index) {
        const unsigned blocks = cpi_cuda_blocks(b->a.rows * b->height * b->k, THREADS, 1 << 20);
        blocks_times_columns<decltype(value), decltype(index)><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(*b);
        return CPI_LAUNCHED(stream, "bsr_multiply");
    });
}

cp_code cpi_sparse_cuda_diagonals(cp_stream *stream, const cpi_sparse_diagonals *d)
{
    return cpi_sparse_with_types(d->type, d->wide, [&](auto value, auto index) {
        const unsigned blocks = cpi_cuda_blocks(d->rows * d->k, THREADS, 1 << 20);
        diagonals_times_columns<decltype(value), decltype(index)><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(*d);
        return CPI_LAUNCHED(stream, "dia_multiply");
    });
}
