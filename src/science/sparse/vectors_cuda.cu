/* Solvers' vectors on the GPU: chunks' sums, which a launch of one block then adds. */
#include "cuda/cuda.h"
#include "sparse/vectors.h"

namespace {

#include "sparse/vectors.cuh"

template <class V>
__global__ void __launch_bounds__(DOT_ROWS * 32)
basis_dots(const __grid_constant__ cpi_sparse_basis b, int64_t chunks, cpi_number *partial)
{
    basis_dots_of<V>(b, chunks, partial);
}
template <class V>
__global__ void __launch_bounds__(SUBTRACT_THREADS)
basis_subtract(const __grid_constant__ cpi_sparse_basis b, cpi_number *partial)
{
    basis_subtract_of<V>(b, partial);
}
template <class V>
__global__ void __launch_bounds__(PASS_THREADS)
pass(const __grid_constant__ cpi_sparse_pass p, int64_t chunks, cpi_number *partial)
{
    pass_of<V>(p, chunks, partial);
}
template <int WIDTH> __global__ void __launch_bounds__(FINISH_THREADS) finish(const __grid_constant__ finish_job j)
{
    finish_of<WIDTH>(j);
}

/* f(V()) with the type of the vectors. */
template <class F> static cp_code with_vectors(cp_type t, F f)
{
    return t == CP_FLOAT32 ? f(float()) : t == CP_FLOAT64 ? f(double()) : t == CP_COMPLEX64 ? f(cp_complex64())
                                                                                            : f(cp_complex128());
}
/* Room for so many products' chunks, at least one byte; NULL on failure. */
static cpi_number *chunks_of(cp_stream *stream, int64_t products, int64_t chunks)
{
    const size_t bytes = sizeof(cpi_number) * (size_t)(products * chunks);
    return (cpi_number *)cpi_host->work_alloc(stream, bytes ? bytes : 1);
}
static cp_code finished(cp_stream *stream, const finish_job *j, cp_type type, const char *name)
{
    const int64_t warps = j->products < FINISH_THREADS / 32 ? j->products : FINISH_THREADS / 32;
    const unsigned threads = (unsigned)(warps > 0 ? warps * 32 : 32);
    if (type == CP_COMPLEX64 || type == CP_COMPLEX128)
        finish<2><<<1, threads, 0, cpi_cuda_stream(stream)>>>(*j);
    else
        finish<1><<<1, threads, 0, cpi_cuda_stream(stream)>>>(*j);
    return CPI_LAUNCHED(stream, name);
}

} // namespace

cp_code cpi_sparse_cuda_basis_dots(cp_stream *stream, const cpi_sparse_basis *b)
{
    finish_job j = {};
    j.b = *b, j.products = b->count * (b->last ? 2 : 1), j.chunks = cpi_sparse_chunks(b->n), j.numbers = b->numbers;
    cpi_number *partial = chunks_of(stream, j.products, j.chunks);
    if (!partial) return CP_ERROR_MEMORY;
    j.partial = partial;
    cp_code code = !j.chunks ? CP_OK : with_vectors(b->type, [&](auto value) {
        const dim3 grid((unsigned)j.chunks, (unsigned)((b->count + DOT_ROWS - 1) / DOT_ROWS));
        basis_dots<decltype(value)><<<grid, DOT_ROWS * 32, 0, cpi_cuda_stream(stream)>>>(*b, j.chunks, partial);
        return CPI_LAUNCHED(stream, "sparse_extend");
    });
    if (code == CP_OK) code = finished(stream, &j, b->type, "sparse_extend");
    cpi_host->work_free(stream, partial);
    return code;
}

cp_code cpi_sparse_cuda_basis_subtract(cp_stream *stream, const cpi_sparse_basis *b)
{
    finish_job j = {};
    j.products = 1, j.chunks = cpi_sparse_chunks(b->n), j.numbers = b->size, j.root = true;
    cpi_number *partial = b->size ? chunks_of(stream, 1, j.chunks) : NULL;
    if (b->size && !partial) return CP_ERROR_MEMORY;
    j.partial = partial;
    cp_code code = !j.chunks ? CP_OK : with_vectors(b->type, [&](auto value) {
        basis_subtract<decltype(value)><<<(unsigned)j.chunks, SUBTRACT_THREADS, 0, cpi_cuda_stream(stream)>>>(*b,
                                                                                                          partial);
        return CPI_LAUNCHED(stream, "sparse_extend");
    });
    if (code == CP_OK && b->size) code = finished(stream, &j, b->type, "sparse_extend");
    if (partial) cpi_host->work_free(stream, partial);
    return code;
}

cp_code cpi_sparse_cuda_pass(cp_stream *stream, const cpi_sparse_pass *p)
{
    finish_job j = {};
    j.products = p->dots, j.chunks = cpi_sparse_chunks(p->n), j.numbers = p->numbers;
    j.root = p->root, j.measure = p->measure, j.count = p->count, j.state = p->state, j.limit = p->limit;
    j.turn = p->turn, j.all = p->all;
    cpi_number *partial = p->dots ? chunks_of(stream, p->dots, j.chunks) : NULL;
    if (p->dots && !partial) return CP_ERROR_MEMORY;
    j.partial = partial;
    cp_code code = !j.chunks ? CP_OK : with_vectors(p->type, [&](auto value) {
        pass<decltype(value)><<<(unsigned)j.chunks, PASS_THREADS, 0, cpi_cuda_stream(stream)>>>(*p, j.chunks, partial);
        return CPI_LAUNCHED(stream, "sparse_solve");
    });
    if (code == CP_OK && p->dots) code = finished(stream, &j, p->type, "sparse_solve");
    if (partial) cpi_host->work_free(stream, partial);
    return code;
}
