/* The question that integer powers ask on the GPU: is there a negative exponent? Nobody waits for the answer; it
 * goes to the stream's mailbox. */
#include <string.h>

#include "elementwise/kernels_cuda.h"
#include "scalar/halves.h"

namespace {

struct exponents {
    cpi_device_loop loop; /* exponents, mask */
    const char *data, *mask;
    cp_type type;
    uint32_t *mailbox;
};

/* Is an exponent negative, as a whole number of that many bits? A fraction is cut off; of a complex one the real part
 * counts, which comes first. */
template <class T> __device__ __forceinline__ bool is_negative(const char *p, cp_type) { return *(const T *)p <= -1; }
struct half {};
template <> __device__ __forceinline__ bool is_negative<half>(const char *p, cp_type type)
{
    return cps_load_half(type, p, 0) <= -1;
}

template <class T> __global__ void __launch_bounds__(CPI_THREADS) find_negative(const __grid_constant__ exponents g)
{
    int64_t first = (int64_t)blockIdx.x * (CPI_THREADS * CPI_PER_THREAD) + threadIdx.x;
    bool negative = false;
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++) {
        int64_t i = first + u * CPI_THREADS, offset[2];
        if (i >= g.loop.n) break;
        cpi_offset_of<2>(g.loop, i, offset);
        if (!g.mask || g.mask[offset[1]]) negative |= is_negative<T>(g.data + offset[0], g.type);
    }
    if (negative) *g.mailbox = CPI_LATE_NEGATIVE_POWER;
}

struct find_context {
    cp_stream *stream;
    cp_type type; /* the loop's */
};

/* The kernel for exponents of a type: integers have the sign that their bytes have in the loop's type, where that is
 * not wider. */
const void *finder(cp_type from, cp_type type)
{
    if (cpi_is_half(from)) return (const void *)find_negative<half>;
    if (cpi_part_type(from) == CP_FLOAT32) return (const void *)find_negative<float>;
    if (cpi_part_type(from) == CP_FLOAT64) return (const void *)find_negative<double>;
    switch (cpi_itemsize(from) < cpi_itemsize(type) ? cpi_itemsize(from) : cpi_itemsize(type)) {
    case 1: return (const void *)find_negative<int8_t>;
    case 2: return (const void *)find_negative<int16_t>;
    case 4: return (const void *)find_negative<int32_t>;
    default: return (const void *)find_negative<int64_t>;
    }
}

cp_code launch_find(void *context, const cpi_loop *loop)
{
    const find_context *find = (const find_context *)context;
    cp_stream *stream = find->stream;
    exponents g;
    cpi_device_loop_init(&g.loop, loop, 0, loop->nop);
    if (loop->nop < 2) memset(g.loop.strides[1], 0, sizeof g.loop.strides[1]);
    g.data = loop->op[0].data;
    g.mask = loop->nop > 1 ? loop->op[1].data : nullptr;
    g.type = loop->op[0].type;
    g.mailbox = cpi_cuda_mailbox(stream);
    if (!g.mailbox) return CP_ERROR_MEMORY;
    int64_t per_block = CPI_THREADS * CPI_PER_THREAD;
    const int64_t blocks = cpi_ceil_div(g.loop.n, per_block);
    return cpi_cuda_launch(finder(g.type, find->type), blocks, &g, stream, "power");
}

} // namespace

cp_code cpi_cuda_check_exponents(cp_stream *stream, cp_type type, const cpi_loop *loop)
{
    const cpi_operand *b = &loop->op[2], *mask = loop->nop > 3 ? &loop->op[3] : nullptr;
    if (b->host || !cpi_is_signed(type)) return CP_OK; /* host values were looked at before */
    bool whole = cpi_is_int(b->type) && !cpi_is_signed(b->type);
    if (b->type == CP_BOOL || (whole && cpi_itemsize(b->type) < cpi_itemsize(type))) return CP_OK;
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
    find_context find = {stream, type};
    return cpi_device_loop_each(&part, launch_find, &find);
}
