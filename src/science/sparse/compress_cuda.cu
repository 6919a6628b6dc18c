/* Coordinates to rows on the GPU, in the order in which they come.
 *
 * Atomics count rows and place the numbers of the elements in their rows, in any order. Then each row's numbers are
 * sorted, which makes the order that of the input, and the elements are gathered. A thread sorts a short row; a block
 * sorts a longer one in shared memory; for one that does not fit there it goes through the whole input. */
#include "scan/scan.h"
#include "sparse/cuda.h"

namespace {

enum { THREADS = CPI_SPARSE_THREADS };

#include "sparse/compress.cuh"

template <class V, class I> static cp_code compress(cp_stream *stream, const cpi_sparse_coo *c)
{
    const char *name = "sparse_compress";
    cudaStream_t s = cpi_cuda_stream(stream);
    const int64_t n = c->n, most = n / SHORT + 2;
    const I *row = (const I *)c->row;
    I *ends = (I *)c->indptr;
    I *number = (I *)cpi_host->work_alloc(stream, sizeof(I) * (size_t)(2 * n + c->rows + 2 + most));
    if (!number) return CP_ERROR_MEMORY;
    I *line = number + n, *next = line + n, *listed = next + c->rows + 1, *list = listed + 1;
    const unsigned blocks = cpi_cuda_blocks(n, THREADS, 0x7fffffff);
    cp_code code = cpi_cuda_issued(stream, cudaMemsetAsync(ends, 0, sizeof(I) * (size_t)(c->rows + 1), s), name);
    if (code == CP_OK) {
        count_rows<I><<<blocks, THREADS, 0, s>>>(n, row, ends);
        code = CPI_LAUNCHED(stream, name);
    }
    const cp_type type = sizeof(I) == 8 ? CP_INT64 : CP_INT32;
    cpi_scan scan = {};
    scan.op = CPI_SCAN_ADD, scan.type = scan.source = scan.result = type;
    scan.outer = scan.inner = 1, scan.n = c->rows + 1, scan.from = scan.to = ends;
    if (code == CP_OK) code = cpi_scan_cuda_scan(stream, &scan);
    if (code == CP_OK)
        code = cpi_cuda_issued(stream, cudaMemcpyAsync(next, ends, sizeof(I) * (size_t)c->rows,
                                                       cudaMemcpyDeviceToDevice, s), name);
    if (code == CP_OK) code = cpi_cuda_issued(stream, cudaMemsetAsync(listed, 0, sizeof(I), s), name);
    if (code == CP_OK) {
        place_numbers<I><<<blocks, THREADS, 0, s>>>(n, row, next, number);
        sort_short<I><<<cpi_cuda_blocks(c->rows, THREADS, 0x7fffffff), THREADS, 0, s>>>(c->rows, ends, number, listed,
                                                                                       list);
        sort_long<I><<<BLOCKS, THREADS, 0, s>>>(n, row, ends, number, listed, list);
        code = CPI_LAUNCHED(stream, name);
    }
    const I *column = (const I *)c->column;
    if (code == CP_OK && !column) {
        cpi_csr lines = {};
        lines.rows = c->lines, lines.nnz = n, lines.wide = c->wide, lines.indptr = c->ends;
        code = cpi_sparse_cuda_expand(stream, &lines, line);
        column = line;
    }
    if (code == CP_OK) {
        gather_elements<V, I><<<blocks, THREADS, 0, s>>>(n, number, column, (const V *)c->data, (I *)c->indices,
                                                        (V *)c->out);
        code = CPI_LAUNCHED(stream, name);
    }
    cpi_host->work_free(stream, number);
    return code;
}

} // namespace

cp_code cpi_sparse_cuda_compress(cp_stream *stream, const cpi_sparse_coo *c)
{
    return cpi_sparse_with_size(c->bytes, c->wide, [&](auto value, auto index) {
        return compress<decltype(value), decltype(index)>(stream, c);
    });
}
