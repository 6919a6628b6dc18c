/* The question that integer powers ask on the GPU: is there a negative exponent? Nobody waits for the answer; it
 * goes to the stream's mailbox. */
#include <string.h>

#include "elementwise/kernels_cuda.h"

namespace {

struct exponents {
    cpi_walk walk; /* exponents, mask */
    const char *data, *mask;
    uint32_t *mailbox;
};

template <class T> __global__ void __launch_bounds__(CPI_THREADS) find_negative(const __grid_constant__ exponents g)
{
    int64_t first = (int64_t)blockIdx.x * (CPI_THREADS * CPI_PER_THREAD) + threadIdx.x;
    int64_t negative = 0; /* its sign */
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++) {
        int64_t i = first + u * CPI_THREADS, offset[2];
        if (i >= g.walk.n) break;
        cpi_locate<2>(g.walk, i, offset);
        if (!g.mask || g.mask[offset[1]]) negative |= (int64_t)*(const T *)(g.data + offset[0]);
    }
    if (negative < 0) *g.mailbox = CPI_LATE_NEGATIVE_POWER;
}

cp_code launch_find(void *context, const cpi_loop *loop)
{
    cp_stream *stream = (cp_stream *)context;
    exponents g;
    cpi_walk_init(&g.walk, loop, 0, loop->nop);
    if (loop->nop < 2) memset(g.walk.strides[1], 0, sizeof g.walk.strides[1]);
    g.data = loop->op[0].data;
    g.mask = loop->nop > 1 ? loop->op[1].data : nullptr;
    g.mailbox = cpi_cuda_mailbox(stream);
    if (!g.mailbox) return CP_ERROR_MEMORY;
    int64_t per_block = CPI_THREADS * CPI_PER_THREAD;
    dim3 blocks((unsigned)((g.walk.n + per_block - 1) / per_block));
    cudaStream_t s = cpi_cuda_stream(stream);
    switch (cpi_itemsize(loop->op[0].type)) { /* signed */
    case 1: find_negative<int8_t><<<blocks, CPI_THREADS, 0, s>>>(g); break;
    case 2: find_negative<int16_t><<<blocks, CPI_THREADS, 0, s>>>(g); break;
    case 4: find_negative<int32_t><<<blocks, CPI_THREADS, 0, s>>>(g); break;
    default: find_negative<int64_t><<<blocks, CPI_THREADS, 0, s>>>(g); break;
    }
    return CPI_LAUNCHED(stream, "power");
}

} // namespace

cp_code cpi_cuda_check_exponents(cp_stream *stream, const cpi_loop *loop)
{
    const cpi_operand *b = &loop->op[2], *mask = loop->nop > 3 ? &loop->op[3] : nullptr;
    if (b->host || !cpi_is_signed(b->type)) return CP_OK; /* host values were looked at before */
    cpi_loop part = *loop;
    part.nop = mask ? 2 : 1;
    part.ndim = 0;
    part.size = 1;
    part.op[0] = *b;
    if (mask) part.op[1] = *mask;
    for (int d = 0; d < loop->ndim; d++) { /* without the dimensions along which they repeat */
        if (b->strides[d] == 0 && (!mask || mask->strides[d] == 0)) continue;
        part.shape[part.ndim] = loop->shape[d];
        part.op[0].strides[part.ndim] = b->strides[d];
        if (mask) part.op[1].strides[part.ndim] = mask->strides[d];
        part.size *= loop->shape[d];
        part.ndim++;
    }
    return cpi_walk_each(&part, launch_find, stream);
}
