/* A transpose times a vector on the GPU, with the sums of the CPU: elements in their order, in parts. Elements get
 * their places in the transpose's rows as for a conversion, and are added there: the transpose itself is never made. */
#include "sparse/point_cuda.h"

namespace {

#include "sparse/transposed.cuh"

template <class V, class I> static cp_code multiply(cp_stream *stream, const cpi_sparse_multiply *m)
{
    cudaStream_t s = cpi_cuda_stream(stream);
    const cpi_csr *a = &m->a;
    const int64_t n = a->nnz, each = cpi_sparse_part(a), parts = (a->rows + each - 1) / each;
    const size_t products = (sizeof(V) * (size_t)n + 15) / 16 * 16;
    char *work = (char *)cpi_host->work_alloc(
        stream, products + sizeof(I) * (size_t)(4 * n + a->columns + 1 + n / SHORT + 2));
    if (!work) return CP_ERROR_MEMORY;
    entry<I> *entries = (entry<I> *)(work + products);
    I *place = (I *)(entries + n), *at = place + n, *ends = at + n, *listed = ends + a->columns + 1, *list = listed + 1;
    const I *row = (const I *)a->indices, *from = (const I *)a->indptr;
    const V *data = (const V *)a->data, *in = (const V *)m->x;
    cpi_sparse_coo c = {};
    c.n = n, c.rows = a->columns, c.row = row, c.indptr = ends;
    cp_code code = point<I>(stream, &c, place, listed);
    if (code == CP_OK) {
        place_entries<I, false><<<cpi_cuda_blocks(n, THREADS, 0x7fffffff), THREADS, 0, s>>>(
            n, row, NULL, from, a->rows, ends, place, entries);
        sum_short<V, I><<<cpi_cuda_blocks(a->columns, THREADS / LANES, 0x7fffffff), THREADS, 0, s>>>(
            a->columns, each, parts, ends, entries, data, in, (V *)m->y, listed, list);
        code = CPI_LAUNCHED(stream, "sparse_multiply");
    }
    if (code == CP_OK && n > SHORT) {
        sum_long<V, I><<<cpi_cuda_blocks(n, SHORT, BLOCKS), THREADS, 0, s>>>(
            n, each, parts, row, from, a->rows, ends, entries, data, in, (V *)m->y, (V *)work, at, listed, list);
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
