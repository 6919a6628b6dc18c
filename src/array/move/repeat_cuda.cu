/* Copies on the GPU in which every element of the input comes several times in a row: a thread writes whole vectors,
 * after one division, and reads what they are made of, which its neighbours read too. */
#include "move/move_cuda.h"
#include "move/vectors.cuh"

namespace {

enum { VECTORS = 2 }; /* of a thread */

struct repeat_args {
    char *out;
    const char *in;
    int64_t step;      /* bytes from one element of the input to the next */
    uint32_t n;        /* elements of the output */
    cpi_divisor times;
};

template <class E> __global__ void __launch_bounds__(CPI_THREADS) repeat(const __grid_constant__ repeat_args g)
{
    constexpr int V = (int)(16 / sizeof(E));
    const uint32_t first = blockIdx.x * (CPI_THREADS * V * VECTORS) + threadIdx.x * V;
    cpi_pack<E, V> v[VECTORS];
#pragma unroll
    for (int u = 0; u < VECTORS; u++) {
        const uint32_t at = first + u * (CPI_THREADS * V);
        uint32_t q = at, r = cpi_index_along(g.times, q);
#pragma unroll
        for (int k = 0; k < V; k++) {
            if (at + k < g.n) v[u].x[k] = *(const E *)(g.in + q * g.step);
            if (++r == g.times.by) r = 0, q++;
        }
    }
#pragma unroll
    for (int u = 0; u < VECTORS; u++) {
        const uint32_t at = first + u * (CPI_THREADS * V);
        E *to = (E *)g.out + at;
        if (at + V <= g.n) *(cpi_pack<E, V> *)to = v[u];
        else
#pragma unroll
            for (int k = 0; k < V; k++)
                if (at + k < g.n) to[k] = v[u].x[k];
    }
}

const void *by_size(int64_t size)
{
    return size == 1   ? (const void *)repeat<uint8_t>
           : size == 2 ? (const void *)repeat<uint16_t>
           : size == 4 ? (const void *)repeat<uint32_t>
           : size == 8 ? (const void *)repeat<uint64_t>
                       : (const void *)repeat<cp_complex128>;
}

} /* namespace */

bool cpi_cuda_repeats(const cpi_loop *loop)
{
    const cpi_operand *to = &loop->op[0], *from = &loop->op[1];
    const int64_t size = cpi_itemsize(to->type);
    return loop->nop == 2 && loop->ndim == 2 && !from->host && to->type == from->type && !from->strides[1] &&
           to->strides[1] == size && to->strides[0] == size * loop->shape[1] && (uintptr_t)to->data % 16 == 0 &&
           loop->size <= INT32_MAX;
}

cp_code cpi_cuda_repeat(cp_stream *stream, const cpi_loop *loop)
{
    const int64_t size = cpi_itemsize(loop->op[0].type), per_block = CPI_THREADS * (16 / size) * VECTORS;
    repeat_args g;
    g.out = loop->op[0].data, g.in = loop->op[1].data, g.step = loop->op[1].strides[0];
    g.n = (uint32_t)loop->size, g.times = cpi_divisor_of(loop->shape[1]);
    return cpi_cuda_launch(by_size(size), cpi_ceil_div(loop->size, per_block), &g, stream, "copy");
}
