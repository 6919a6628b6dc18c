/* Matrices times vectors and dense matrices on the GPU, with the sums of the CPU: lanes of a row's own, then a tree; of
 * a transpose, elements in their order. */
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

cp_code cpi_sparse_cuda_multiply_transposed(cp_stream *stream, const cpi_sparse_multiply *m)
{
    const cpi_csr *a = &m->a;
    const size_t size = cpi_type_sizes[a->type], index_size = a->wide ? 8 : 4;
    const size_t data = (size * (size_t)a->nnz + 15) / 16 * 16, indices = index_size * (size_t)a->nnz;
    char *work = (char *)cpi_host->work_alloc(stream, data + indices + index_size * (size_t)(a->columns + 2));
    if (!work) return CP_ERROR_MEMORY;
    cpi_sparse_coo c = {};
    c.n = a->nnz, c.rows = a->columns, c.bytes = (int64_t)size, c.wide = a->wide;
    c.row = a->indices, c.data = a->data, c.ends = a->indptr, c.lines = a->rows;
    c.out = work, c.indices = work + data, c.indptr = work + data + indices;
    cp_code code = cpi_sparse_cuda_compress(stream, &c);
    if (code == CP_OK)
        code = cpi_sparse_with_types(a->type, a->wide, [&](auto value, auto index) {
            using V = decltype(value);
            using I = decltype(index);
            const int64_t each = cpi_sparse_part(a);
            parts_times_vector<V, I><<<cpi_cuda_blocks(a->columns, THREADS, 0x7fffffff), THREADS, 0,
                                       cpi_cuda_stream(stream)>>>(
                a->columns, each, (a->rows + each - 1) / each, (const I *)c.indptr, (const I *)c.indices,
                (const V *)c.out, (const V *)m->x, (V *)m->y);
            return CPI_LAUNCHED(stream, "sparse_multiply");
        });
    cpi_host->work_free(stream, work);
    return code;
}
