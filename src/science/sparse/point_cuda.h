/* The pointers of rows, and a place in its row for each element, for the files that use compress.cuh. */
#ifndef CPI_SPARSE_POINT_CUDA_H
#define CPI_SPARSE_POINT_CUDA_H

#include "scan/scan.h"
#include "sparse/cuda.h"

namespace {

enum { THREADS = CPI_SPARSE_THREADS };

#include "sparse/compress.cuh"

/* Counts rows, and sums: the pointers. */
template <class I> static cp_code point(cp_stream *stream, const cpi_sparse_coo *c, I *place, I *listed)
{
    const char *name = "sparse_compress";
    cudaStream_t s = cpi_cuda_stream(stream);
    I *ends = (I *)c->indptr;
    cp_code code = cpi_cuda_issued(stream, cudaMemsetAsync(ends, 0, sizeof(I) * (size_t)(c->rows + 1), s), name);
    if (code != CP_OK) return code;
    count_rows<I><<<cpi_cuda_blocks(c->n, THREADS, 0x7fffffff), THREADS, 0, s>>>(
        c->n, (const I *)c->row, ends, place, listed, (unsigned long long *)c->twice);
    code = CPI_LAUNCHED(stream, name);
    if (code != CP_OK) return code;
    const cp_type type = sizeof(I) == 8 ? CP_INT64 : CP_INT32;
    cpi_scan scan = {};
    scan.op = CPI_SCAN_ADD, scan.type = scan.source = scan.result = type;
    scan.outer = scan.inner = 1, scan.n = c->rows + 1, scan.from = scan.to = ends;
    return cpi_scan_cuda_scan(stream, &scan);
}

} // namespace

#endif
