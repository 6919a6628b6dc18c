/* Coordinates to rows on the GPU, in the order in which they come, or by column.
 *
 * An atomic counter for each row gives an element its place there, in any order. A thread writes an entry of two
 * numbers to that place: the element's number and its column. Then each entry is compared with all of its row, whose
 * lanes share it: how many are before it is where it belongs. A block sorts a longer row in shared memory; for one that
 * does not fit there it goes through the whole input. */
#include "sparse/point_cuda.h"

namespace {

template <class V, class I, bool ORDERED> static cp_code compress(cp_stream *stream, const cpi_sparse_coo *c)
{
    cudaStream_t s = cpi_cuda_stream(stream);
    const int64_t n = c->n;
    entry<I> *entries = (entry<I> *)cpi_host->work_alloc(stream, sizeof(I) * (size_t)(3 * n + n / SHORT + 2));
    if (!entries) return CP_ERROR_MEMORY;
    I *place = (I *)(entries + n), *listed = place + n, *list = listed + 1;
    const I *row = (const I *)c->row, *column = (const I *)c->column, *from = (const I *)c->ends;
    const I *ends = (const I *)c->indptr;
    unsigned long long *twice = (unsigned long long *)c->twice;
    cp_code code = point<I>(stream, c, place, listed);
    if (code == CP_OK) {
        place_entries<I, ORDERED><<<cpi_cuda_blocks(n, THREADS, 0x7fffffff), THREADS, 0, s>>>(
            n, row, column, from, c->lines, ends, place, entries);
        order_short<V, I, ORDERED><<<cpi_cuda_blocks(c->rows, THREADS / LANES, 0x7fffffff), THREADS, 0, s>>>(
            c->rows, ends, entries, (const V *)c->data, (I *)c->indices, (V *)c->out, listed, list, twice);
        code = CPI_LAUNCHED(stream, "sparse_compress");
    }
    if (code == CP_OK && n > SHORT) {
        order_long<V, I, ORDERED><<<cpi_cuda_blocks(n, SHORT, BLOCKS), THREADS, 0, s>>>(
            n, row, column, from, c->lines, ends, entries, (const V *)c->data, (I *)c->indices, (V *)c->out, listed,
            list, twice);
        code = CPI_LAUNCHED(stream, "sparse_compress");
    }
    cpi_host->work_free(stream, entries);
    return code;
}

} // namespace

cp_code cpi_sparse_cuda_compress(cp_stream *stream, const cpi_sparse_coo *c)
{
    return cpi_sparse_with_size(c->bytes, c->wide, [&](auto value, auto index) {
        using V = decltype(value);
        using I = decltype(index);
        return c->twice ? compress<V, I, true>(stream, c) : compress<V, I, false>(stream, c);
    });
}
