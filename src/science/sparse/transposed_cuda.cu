/* A transpose times a vector on the GPU, with the sums of the CPU: elements in their order, in parts.
 *
 * One pass makes the products, in the order of the elements, and gives each row of the transpose the numbers of its
 * elements, by an atomic counter, in any order. A row has space for somewhat more numbers than rows have in the mean.
 * Then a row's numbers are ordered, and its products added in that order. Rows with more numbers are listed by the
 * device, and two more kernels place theirs and add them; there is nothing to do for them where no row is listed. The
 * transpose itself is never made, and no structure is kept from one product to the next: indices may be written to in
 * between. */
#include "sparse/point_cuda.h"

namespace {

#include "sparse/transposed.cuh"

/* Space for a row: as many numbers as are 5 standard deviations above the mean where elements are strewn. 0, where this
 * would be too much memory, or rows are long: all of them are listed then. */
static int64_t space_of(int64_t n, int64_t rows)
{
    const double mean = (double)n / (double)rows, memory = 8 * mean + (double)(1 << 20) / (double)rows;
    const double space = mean + 5 * sqrt(mean) + 4;
    return mean > FEW * .75 || memory < 4 ? 0 : (int64_t)fmin(fmin(space, FEW), memory);
}
template <class V, class I> static cp_code multiply(cp_stream *stream, const cpi_sparse_multiply *m)
{
    const char *name = "sparse_multiply";
    cudaStream_t s = cpi_cuda_stream(stream);
    const cpi_csr *a = &m->a;
    const int64_t n = a->nnz, rows = a->columns, lines = a->rows, each = cpi_sparse_part(a);
    const int64_t parts = (lines + each - 1) / each, space = space_of(n, rows), listed = n < rows ? n : rows;
    const V *data = (const V *)a->data, *in = (const V *)m->x;
    const size_t products_size = in ? sizeof(V) * (size_t)n : 0, fill = (16 - products_size % 16) % 16;
    char *work = (char *)cpi_host->work_alloc(
        stream, products_size + fill + sizeof(I) * (size_t)(rows * space + n + 2 * rows + 3 + listed));
    if (!work) return CP_ERROR_MEMORY;
    V *y = (V *)m->y, *products = in ? (V *)work : (V *)data; /* which are only read */
    I *numbers = (I *)(work + products_size + fill), *more = numbers + rows * space;
    I *count = more + n, *cursor = count + rows + 3, *list = cursor + rows;
    rest<I> *found = (rest<I> *)(count + rows);
    const I *row = (const I *)a->indices, *from = (const I *)a->indptr;
    cp_code code = cpi_cuda_issued(stream, cudaMemsetAsync(count, 0, sizeof(I) * (size_t)(rows + 3), s), name);
    if (code == CP_OK) {
        place_numbers<V, I><<<cpi_cuda_blocks(n, THREADS, 0x7fffffff), THREADS, 0, s>>>(
            n, row, from, lines, data, in, products, space, count, numbers);
        sum_rows<V, I><<<cpi_cuda_blocks(rows, THREADS / LANES, 0x7fffffff), THREADS, 0, s>>>(
            rows, each, parts, from, lines, space, count, numbers, products, y, found, cursor, list, listed);
        code = CPI_LAUNCHED(stream, name);
    }
    if (code == CP_OK && n > space) {
        place_rest<I><<<cpi_cuda_blocks(n, THREADS, 4 * BLOCKS), THREADS, 0, s>>>(n, row, space, count, cursor, found,
                                                                                  more);
        sum_rest<V, I><<<cpi_cuda_blocks(n, SHORT, BLOCKS), THREADS, 0, s>>>(
            n, each, parts, row, from, lines, count, cursor, found, more, products, y, list, listed);
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
