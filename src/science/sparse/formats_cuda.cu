/* Diagonals and blocks as compressed rows, on the GPU. */
#include "sparse/cuda.h"

namespace {

enum { THREADS = CPI_SPARSE_THREADS };

#include "sparse/formats.cuh"

template <class V, class I>
__global__ void __launch_bounds__(THREADS) spans_count(const __grid_constant__ cpi_sparse_spans s)
{
    spans_count_of<V, I>(s);
}
template <class V, class I>
__global__ void __launch_bounds__(THREADS) spans_fill(const __grid_constant__ cpi_sparse_spans s)
{
    spans_fill_of<V, I>(s);
}
template <class V, class I>
__global__ void __launch_bounds__(THREADS) untile(const __grid_constant__ cpi_sparse_tiles t)
{
    untile_of<V, I>(t);
}

} // namespace

cp_code cpi_sparse_cuda_spans_count(cp_stream *stream, const cpi_sparse_spans *s)
{
    return cpi_sparse_with_types(s->type, false, [&](auto value, auto index) {
        const unsigned blocks = cpi_cuda_blocks(s->lines, THREADS, 0x7fffffff);
        spans_count<decltype(value), decltype(index)><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(*s);
        return CPI_LAUNCHED(stream, "dia_compress");
    });
}
cp_code cpi_sparse_cuda_spans_fill(cp_stream *stream, const cpi_sparse_spans *s)
{
    return cpi_sparse_with_types(s->type, s->wide, [&](auto value, auto index) {
        const unsigned blocks = cpi_cuda_blocks(s->lines, THREADS, 0x7fffffff);
        spans_fill<decltype(value), decltype(index)><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(*s);
        return CPI_LAUNCHED(stream, "dia_compress");
    });
}
cp_code cpi_sparse_cuda_untile(cp_stream *stream, const cpi_sparse_tiles *t)
{
    return cpi_sparse_with_size(cpi_itemsize(t->a.type), t->a.wide, [&](auto value, auto index) {
        const unsigned blocks = cpi_cuda_blocks(t->a.rows * t->height, THREADS / 32, 0x7fffffff);
        untile<decltype(value), decltype(index)><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(*t);
        return CPI_LAUNCHED(stream, "bsr_rows");
    });
}
