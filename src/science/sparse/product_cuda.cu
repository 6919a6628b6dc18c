/* Products of two matrices on the GPU, counted and then written. A warp has a row of at most 64 products: it makes them
 * in shared memory, in their order, and compares each with all others: the first one of a column adds those of the same
 * column, and how many columns are below it says where the sum goes. A row of more is a block's: it lists the products
 * by (column, number) and sorts them, so that those of one column are adjacent, in the order in which the CPU adds
 * them; their values are computed again where they are added. A matrix with a row of more products than fit is left to
 * product_all. */
#include "sparse/cuda.h"

namespace {

enum { NUMBER = 12, BLOCKS = 2048 }; /* bits of a product's number; blocks that share listed rows */
static_assert(CPI_SPARSE_PRODUCT_MOST <= 1 << NUMBER, "numbers of products fit");

template <class I> __global__ void __launch_bounds__(CPI_SPARSE_THREADS)
size_products(const __grid_constant__ cpi_sparse_job j)
{
    const int64_t r = (int64_t)blockIdx.x * CPI_SPARSE_THREADS + threadIdx.x;
    if (r < j.a.rows) cpi_sp_product_size<I>(&j, r, r + 1);
}
/* All products: a warp has a row. */
template <class V, class I>
__global__ void __launch_bounds__(CPI_SPARSE_THREADS) list_products(const __grid_constant__ cpi_sparse_job j)
{
    const I *ap = (const I *)j.a.indptr, *ai = (const I *)j.a.indices;
    const I *bp = (const I *)j.b.indptr, *bi = (const I *)j.b.indices;
    const V *av = (const V *)j.a.data, *bv = (const V *)j.b.data;
    const int64_t r = ((int64_t)blockIdx.x * CPI_SPARSE_THREADS + threadIdx.x) / 32;
    if (r >= j.a.rows) return;
    int64_t n = j.ends[r];
    for (int64_t i = ap[r]; i < ap[r + 1]; i++) {
        const int64_t first = bp[ai[i]], length = bp[ai[i] + 1] - first;
        for (int64_t k = threadIdx.x % 32; k < length; k += 32) {
            ((I *)j.indices)[n + k] = bi[first + k];
            ((V *)j.data)[n + k] = cpi_sp_mul(av[i], bv[first + k]);
        }
        n += length;
    }
}

#include "sparse/product.cuh"

template <class V, class I>
__global__ void __launch_bounds__(WARPS * 32)
rows_by_warps(const __grid_constant__ cpi_sparse_job j, bool fill, I *lists)
{
    products_of_warps<V, I, CPI_SPARSE_PRODUCT_MOST>(j, fill, lists);
}
template <class V, class I>
__global__ void __launch_bounds__(512)
rows_by_blocks(const __grid_constant__ cpi_sparse_job j, bool fill, int most, const I *list, const int64_t *listed)
{
    extern __shared__ uint64_t keys[];
    products_of_blocks<V, I>(j, fill, most, list, listed, keys);
}

/* j->n: how many rows the lists have, in j->found by class; where they are to be counted, -1. */
template <class V, class I> static cp_code products(cp_stream *stream, const cpi_sparse_job *j, bool fill)
{
    const char *name = "sparse_product";
    cudaStream_t s = cpi_cuda_stream(stream);
    const int64_t rows = j->a.rows;
    I *lists = NULL;
    if (j->n && !(lists = (I *)cpi_host->work_alloc(stream, sizeof(I) * (size_t)(CLASSES * rows))))
        return CP_ERROR_MEMORY;
    cp_code code = CP_OK;
    if (j->n) code = cpi_cuda_issued(stream, cudaMemsetAsync(j->found, 0, (CLASSES + 1) * sizeof *j->found, s), name);
    if (code == CP_OK) {
        rows_by_warps<V, I><<<cpi_cuda_blocks(rows, WARPS, 0x7fffffff), WARPS * 32, 0, s>>>(*j, fill, lists);
        code = CPI_LAUNCHED(stream, name);
    }
    if (code == CP_OK && j->n) {
        const struct { int most, threads; } class_of[CLASSES] = {{128, 32}, {1024, 128}, {4096, 512}};
        for (int c = 0; c < CLASSES && code == CP_OK; c++) {
            rows_by_blocks<V, I><<<BLOCKS, class_of[c].threads, BLOCK_BYTES(class_of[c].most), s>>>(
                *j, fill, class_of[c].most, lists + c * rows, j->found + c);
            code = CPI_LAUNCHED(stream, name);
        }
    }
    cpi_host->work_free(stream, lists);
    return code;
}

} // namespace

cp_code cpi_sparse_cuda_product_size(cp_stream *stream, const cpi_sparse_job *j)
{
    return cpi_sparse_with_index(j->a.wide, [&](auto index) {
        size_products<decltype(index)><<<cpi_cuda_blocks(j->a.rows, CPI_SPARSE_THREADS, 0x7fffffff), CPI_SPARSE_THREADS,
                                         0, cpi_cuda_stream(stream)>>>(*j);
        return CPI_LAUNCHED(stream, "sparse_product");
    });
}

cp_code cpi_sparse_cuda_product_all(cp_stream *stream, const cpi_sparse_job *j)
{
    return cpi_sparse_with_types(j->a.type, j->a.wide, [&](auto value, auto index) {
        const unsigned blocks = cpi_cuda_blocks(j->a.rows, CPI_SPARSE_THREADS / 32, 0x7fffffff);
        list_products<decltype(value), decltype(index)><<<blocks, CPI_SPARSE_THREADS, 0, cpi_cuda_stream(stream)>>>(*j);
        return CPI_LAUNCHED(stream, "sparse_product");
    });
}

cp_code cpi_sparse_cuda_product_count(cp_stream *stream, const cpi_sparse_job *j)
{
    return cpi_sparse_with_types(j->a.type, j->a.wide, [&](auto value, auto index) {
        return products<decltype(value), decltype(index)>(stream, j, false);
    });
}

cp_code cpi_sparse_cuda_product_fill(cp_stream *stream, const cpi_sparse_job *j)
{
    return cpi_sparse_with_types(j->a.type, j->a.wide, [&](auto value, auto index) {
        return products<decltype(value), decltype(index)>(stream, j, true);
    });
}
