/* A transpose times a vector on the GPU, with the sums of the CPU: elements in their order, in parts.
 *
 * Each row of the transpose has room for somewhat more products than rows have in the mean. One pass makes the products;
 * a row's atomic counter gives each its place there, in any order. Then those of a row are added in the order of their
 * numbers. Rows that have more products are listed by the device, and two more kernels place theirs and add them; there
 * is nothing to do for them where no row is listed. The transpose itself is never made, and no structure is kept from
 * one product to the next: indices may be written to in between. */
#include "sparse/point_cuda.h"

namespace {

#include "sparse/transposed.cuh"

/* Room for a row: of n products in rows of any length the most have as many as are 4 standard deviations above the
 * mean. 0, where this would be too much memory, or rows are long: all of them are listed then. */
static int64_t room_of(int64_t n, int64_t rows)
{
    const double mean = (double)n / (double)rows, memory = 4 * mean + (double)(1 << 20) / (double)rows;
    const double room = mean + 4 * sqrt(mean) + 4;
    return mean > SHORT * .75 || memory < 4 ? 0 : (int64_t)fmin(fmin(room, SHORT), memory) / 4 * 4;
}
template <class V, class I> static cp_code multiply(cp_stream *stream, const cpi_sparse_multiply *m)
{
    const char *name = "sparse_multiply";
    cudaStream_t s = cpi_cuda_stream(stream);
    const cpi_csr *a = &m->a;
    const int64_t n = a->nnz, rows = a->columns, lines = a->rows, each = cpi_sparse_part(a);
    const int64_t parts = (lines + each - 1) / each, room = room_of(n, rows), listed = n < rows ? n : rows;
    using N = numbered<V, I>;
    char *work = (char *)cpi_host->work_alloc(
        stream, sizeof(N) * (size_t)(rows * room + n) + sizeof(I) * (size_t)(n + 2 * rows + 3 + listed));
    if (!work) return CP_ERROR_MEMORY;
    N *products = (N *)work, *more = products + rows * room;
    I *place = (I *)(more + n), *count = place + n, *begin = count + rows + 3, *list = begin + rows;
    rest<I> *found = (rest<I> *)(count + rows);
    const I *row = (const I *)a->indices, *from = (const I *)a->indptr;
    const V *data = (const V *)a->data, *in = (const V *)m->x;
    V *y = (V *)m->y;
    cp_code code = cpi_cuda_issued(stream, cudaMemsetAsync(count, 0, sizeof(I) * (size_t)(rows + 3), s), name);
    if (code == CP_OK) {
        place_products<V, I><<<cpi_cuda_blocks(n, THREADS, 0x7fffffff), THREADS, 0, s>>>(n, row, from, lines, data, in,
                                                                                         room, count, place, products);
        sum_rows<V, I><<<cpi_cuda_blocks(rows, THREADS / LANES, 0x7fffffff), THREADS, 0, s>>>(
            rows, each, parts, from, lines, room, count, products, y, found, begin, list, listed);
        code = CPI_LAUNCHED(stream, name);
    }
    if (code == CP_OK && n > room) {
        place_rest<V, I><<<cpi_cuda_blocks(n, THREADS, 4 * BLOCKS), THREADS, 0, s>>>(n, row, from, lines, data, in, room,
                                                                                     count, begin, found, place, more);
        sum_rest<V, I><<<cpi_cuda_blocks(n, SHORT, BLOCKS), THREADS, 0, s>>>(
            n, each, parts, row, from, lines, count, begin, found, more, data, in, y, list, listed);
        code = CPI_LAUNCHED(stream, name);
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
