/* Products of two matrices on the GPU: a block has a row. It lists the row's products by (column, number) in shared
 * memory and sorts them, so that those of one column are adjacent, in the order in which the CPU adds them. Their
 * values are computed again where they are added. A matrix with a row of more products than fit is left to
 * product_all. */
#include "sparse/cuda.h"

namespace {

enum { NUMBER = 12 }; /* bits of a product's number */
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

template <class I, int MOST, int THREADS>
__global__ void __launch_bounds__(THREADS) count_products(const __grid_constant__ cpi_sparse_job j)
{
    count_products_of<I, MOST, THREADS>(j);
}
template <class V, class I, int MOST, int THREADS>
__global__ void __launch_bounds__(THREADS) fill_products(const __grid_constant__ cpi_sparse_job j)
{
    fill_products_of<V, I, MOST, THREADS>(j);
}
static unsigned blocks_of(int64_t rows) { return cpi_cuda_blocks(rows, 1, 1 << 20); }

template <class I> static cp_code count(cp_stream *stream, const cpi_sparse_job *j)
{
    cudaStream_t s = cpi_cuda_stream(stream);
    if (j->n <= 128) count_products<I, 128, 32><<<blocks_of(j->a.rows), 32, 0, s>>>(*j);
    else if (j->n <= 1024) count_products<I, 1024, 128><<<blocks_of(j->a.rows), 128, 0, s>>>(*j);
    else count_products<I, 4096, 512><<<blocks_of(j->a.rows), 512, 0, s>>>(*j);
    return CPI_LAUNCHED(stream, "sparse_product");
}
template <class V, class I> static cp_code fill(cp_stream *stream, const cpi_sparse_job *j)
{
    cudaStream_t s = cpi_cuda_stream(stream);
    if (j->n <= 128) fill_products<V, I, 128, 32><<<blocks_of(j->a.rows), 32, 0, s>>>(*j);
    else if (j->n <= 1024) fill_products<V, I, 1024, 128><<<blocks_of(j->a.rows), 128, 0, s>>>(*j);
    else fill_products<V, I, 4096, 512><<<blocks_of(j->a.rows), 512, 0, s>>>(*j);
    return CPI_LAUNCHED(stream, "sparse_product");
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
    return cpi_sparse_with_index(j->a.wide, [&](auto index) { return count<decltype(index)>(stream, j); });
}

cp_code cpi_sparse_cuda_product_fill(cp_stream *stream, const cpi_sparse_job *j)
{
    return cpi_sparse_with_types(j->a.type, j->a.wide, [&](auto value, auto index) {
        return fill<decltype(value), decltype(index)>(stream, j);
    });
}
