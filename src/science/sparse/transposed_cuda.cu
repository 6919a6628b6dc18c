/* A transpose times a vector on the GPU, with the sums of the CPU: elements in their order, in parts. Elements get
 * their places in the transpose's rows as for a conversion; their products go there, and are added: the transpose
 * itself is never made. No structure is kept from one product to the next: indices may be written to in between. */
#include "sparse/point_cuda.h"

namespace {

#include "sparse/transposed.cuh"

template <class V, class I> static cp_code multiply(cp_stream *stream, const cpi_sparse_multiply *m)
{
    cudaStream_t s = cpi_cuda_stream(stream);
    const cpi_csr *a = &m->a;
    const int64_t n = a->nnz, each = cpi_sparse_part(a), parts = (a->rows + each - 1) / each;
    using N = numbered<V, I>;
    char *work = (char *)cpi_host->work_alloc(
        stream, sizeof(N) * (size_t)n + sizeof(I) * (size_t)(n + a->columns + 1 + n / SHORT + 2));
    if (!work) return CP_ERROR_MEMORY;
    N *products = (N *)work;
    I *place = (I *)(products + n), *ends = place + n, *listed = ends + a->columns + 1, *list = listed + 1;
    const I *row = (const I *)a->indices, *from = (const I *)a->indptr;
    const V *data = (const V *)a->data, *in = (const V *)m->x;
    cpi_sparse_coo c = {};
    c.n = n, c.rows = a->columns, c.row = row, c.indptr = ends;
    cp_code code = point<I>(stream, &c, place, listed);
    if (code == CP_OK) {
        place_products<V, I><<<cpi_cuda_blocks(n, THREADS, 0x7fffffff), THREADS, 0, s>>>(n, row, from, a->rows, ends,
                                                                                         place, data, in, products);
        sum_short<V, I><<<cpi_cuda_blocks(a->columns, THREADS / LANES, 0x7fffffff), THREADS, 0, s>>>(
            a->columns, each, parts, from, a->rows, ends, products, (V *)m->y, listed, list);
        code = CPI_LAUNCHED(stream, "sparse_multiply");
    }
    if (code == CP_OK && n > SHORT) {
        sum_long<V, I><<<cpi_cuda_blocks(n, SHORT, BLOCKS), THREADS, 0, s>>>(
            n, each, parts, row, from, a->rows, ends, products, data, in, (V *)m->y, listed, list);
        code = CPI_LAUNCHED(stream, "sparse_multiply");
    }
    cpi_host->work_free(stream, work);
    return code;
}

} // namespace

cp_code cpi_sparse_cuda_multiply_transposed(cp_stream *stream, const cpi_sparse_multiply *m)
{
    return cpi_sparse_with_types(m->a.type, m->a.wide, [&](auto value, auto index) {
        return multiply<decltype(value), decltype(index)>(stream, m);
    });
}
