/* Padding and triangles on the GPU: each element of the result is computed where it is written, in one pass. Elements
 * are moved as integers of their size. */
#include "loop/boundary.h"
#include "move/move_cuda.h"
#include "move/vectors.cuh"

namespace {

/* --- padding --- */

struct pad_args {
    int ndim;
    int64_t n;
    cpi_divisor blocks;           /* per row; of pad_rows */
    cpi_divisor shape[CP_MAXDIM]; /* of the result */
    int64_t stride[CP_MAXDIM];    /* of the array */
    cpi_padding p;
    const char *in;
    void *out;
};

template <class E> __global__ void __launch_bounds__(CPI_THREADS) pad(const __grid_constant__ pad_args g)
{
    const uint32_t first = blockIdx.x * (CPI_THREADS * CPI_PER_THREAD) + threadIdx.x;
    uint32_t rest[CPI_PER_THREAD];
    int64_t from[CPI_PER_THREAD];
    bool inside[CPI_PER_THREAD];
    E v[CPI_PER_THREAD];
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++)
        rest[u] = first + u * CPI_THREADS, from[u] = 0, inside[u] = first + u * CPI_THREADS < g.n;
#pragma unroll 1
    for (int d = g.ndim - 1; d >= 0; d--) {
#pragma unroll
        for (int u = 0; u < CPI_PER_THREAD; u++) {
            int64_t i = (int64_t)cpi_index_along(g.shape[d], rest[u]) - g.p.before[d];
            if (i < 0 || i >= g.p.n[d]) i = cpi_boundary_index(i, g.p.n[d], g.p.boundary);
            inside[u] &= i >= 0;
            from[u] += i * g.stride[d];
        }
    }
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++) {
        if (inside[u]) v[u] = *(const E *)(g.in + from[u]);
        else memcpy(&v[u], g.p.value, sizeof v[u]);
    }
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++)
        if (first + u * CPI_THREADS < g.n) ((E *)g.out)[first + u * CPI_THREADS] = v[u];
}

enum { LONG_ROW = 512 }; /* elements of a row: fewer leave too many threads of a block idle */

/* A block writes a part of one row: which row of the array that is, is computed once per thread. */
template <class E> __global__ void __launch_bounds__(CPI_THREADS) pad_rows(const __grid_constant__ pad_args g)
{
    const int inner = g.ndim - 1;
    const uint32_t width = g.shape[inner].by;
    uint32_t row = blockIdx.x;
    const uint32_t first = cpi_index_along(g.blocks, row) * (CPI_THREADS * CPI_PER_THREAD) + threadIdx.x;
    if (first >= width) return;
    E *out = (E *)g.out + ((int64_t)row * width + first);
    const char *in = g.in;
    bool inside = true;
#pragma unroll 1
    for (int d = inner - 1; d >= 0; d--) {
        const int64_t at = (int64_t)cpi_index_along(g.shape[d], row) - g.p.before[d];
        const int64_t i = cpi_boundary_index(at, g.p.n[d], g.p.boundary);
        inside &= i >= 0;
        in += i * g.stride[d];
    }
    const int64_t n = inside ? g.p.n[inner] : 0, before = g.p.before[inner], stride = g.stride[inner];
    E v[CPI_PER_THREAD];
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++) {
        int64_t i = (int64_t)(first + u * CPI_THREADS) - before;
        if (inside && (uint64_t)i >= (uint64_t)n && first + u * CPI_THREADS < width)
            i = cpi_boundary_index(i, n, g.p.boundary);
        if ((uint64_t)i < (uint64_t)n && first + u * CPI_THREADS < width) v[u] = *(const E *)(in + i * stride);
        else memcpy(&v[u], g.p.value, sizeof v[u]);
    }
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++)
        if (first + u * CPI_THREADS < width) out[u * CPI_THREADS] = v[u];
}

const void *pad_by_size(int64_t size, bool rows)
{
    if (rows)
        return size == 1   ? (const void *)pad_rows<uint8_t>
               : size == 2 ? (const void *)pad_rows<uint16_t>
               : size == 4 ? (const void *)pad_rows<uint32_t>
               : size == 8 ? (const void *)pad_rows<uint64_t>
                           : (const void *)pad_rows<cp_complex128>;
    return size == 1   ? (const void *)pad<uint8_t>
           : size == 2 ? (const void *)pad<uint16_t>
           : size == 4 ? (const void *)pad<uint32_t>
           : size == 8 ? (const void *)pad<uint64_t>
                       : (const void *)pad<cp_complex128>;
}

/* --- triangles --- */

struct triangle_args {
    cpi_device_loop loop;
    char *out;
    const char *in;
    int64_t k;
    bool upper;

    __device__ __forceinline__ bool keeps(int64_t column, int64_t row) const
    {
        return upper ? column - row >= k : column - row <= k;
    }
};

/* Both contiguous: 16 bytes a thread. A thread whose elements all become 0 reads nothing. */
template <class E> __global__ void __launch_bounds__(CPI_THREADS) triangle_flat(const __grid_constant__ triangle_args g)
{
    constexpr int V = (int)(16 / sizeof(E));
    const int nd = g.loop.ndim;
    const int64_t i = ((int64_t)blockIdx.x * CPI_THREADS + threadIdx.x) * V;
    if (i >= g.loop.n) return;
    uint32_t rest = (uint32_t)i;
    const uint32_t columns = g.loop.shape[nd - 1].by, rows = g.loop.shape[nd - 2].by;
    uint32_t column = cpi_loop_index_along(g.loop, nd - 1, rest), row = cpi_loop_index_along(g.loop, nd - 2, rest);
    const E *in = (const E *)g.in + i;
    E *out = (E *)g.out + i;
    if (i + V <= g.loop.n && column + V <= columns) {
        cpi_pack<E, V> v = {};
        const bool begins = g.keeps(column, row), ends = g.keeps(column + V - 1, row);
        if (begins || ends) v = *(const cpi_pack<E, V> *)in;
        if (!begins || !ends) {
#pragma unroll
            for (int j = 0; j < V; j++)
                if (!g.keeps(column + j, row)) v.x[j] = E{};
        }
        *(cpi_pack<E, V> *)out = v;
        return;
    }
    for (int j = 0; j < V && i + j < g.loop.n; j++) { /* may continue in the next row, or the next matrix */
        out[j] = g.keeps(column, row) ? in[j] : E{};
        if (++column < columns) continue;
        column = 0;
        if (++row == rows) row = 0;
    }
}

template <class E> __global__ void __launch_bounds__(CPI_THREADS) triangle(const __grid_constant__ triangle_args g)
{
    const int nd = g.loop.ndim;
    const int64_t first = (int64_t)blockIdx.x * (CPI_THREADS * CPI_PER_THREAD) + threadIdx.x;
    int64_t offset[CPI_PER_THREAD][2];
    E v[CPI_PER_THREAD];
    cpi_offsets_of<0>(g.loop, first, CPI_THREADS, offset);
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++) {
        uint32_t rest = (uint32_t)(first + u * CPI_THREADS);
        const uint32_t column = cpi_loop_index_along(g.loop, nd - 1, rest),
                       row = cpi_loop_index_along(g.loop, nd - 2, rest);
        v[u] = E{};
        if (first + u * CPI_THREADS < g.loop.n && g.keeps(column, row)) v[u] = *(const E *)(g.in + offset[u][1]);
    }
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++)
        if (first + u * CPI_THREADS < g.loop.n) *(E *)(g.out + offset[u][0]) = v[u];
}

const void *triangle_by_size(int64_t size, bool flat)
{
#define EITHER(E) (flat ? (const void *)triangle_flat<E> : (const void *)triangle<E>)
    return size == 1 ? EITHER(uint8_t) : size == 2 ? EITHER(uint16_t) : size == 4 ? EITHER(uint32_t)
         : size == 8 ? EITHER(uint64_t) : EITHER(cp_complex128);
#undef EITHER
}

bool is_flat(const cpi_loop *loop, int k)
{
    int64_t step = cpi_itemsize(loop->op[k].type);
    for (int d = loop->ndim - 1; d >= 0; step *= loop->shape[d--])
        if (loop->shape[d] != 1 && loop->op[k].strides[d] != step) return false;
    return (uintptr_t)loop->op[k].data % 16 == 0;
}

} // namespace

cp_code cpi_move_cuda_pad(cp_stream *stream, const cpi_loop *loop, const cpi_padding *padding)
{
    if (loop->size >= INT32_MAX) { /* split in halves along the first dimension that can be */
        int d = 0;
        while (loop->shape[d] < 2) d++;
        const int64_t half = loop->shape[d] / 2, step = loop->op[0].strides[d];
        cpi_loop part = *loop;
        cpi_padding p = *padding;
        part.shape[d] = half, part.size = loop->size / loop->shape[d] * half;
        cp_code code = cpi_move_cuda_pad(stream, &part, &p);
        part.shape[d] = loop->shape[d] - half, part.size = loop->size - part.size;
        part.op[0].data += half * step, p.before[d] -= half;
        return code ? code : cpi_move_cuda_pad(stream, &part, &p);
    }
    pad_args g;
    g.ndim = loop->ndim;
    g.n = loop->size;
    for (int d = 0; d < loop->ndim; d++) {
        g.shape[d] = cpi_divisor_of(loop->shape[d]);
        g.stride[d] = loop->op[1].strides[d];
    }
    g.p = *padding;
    g.in = loop->op[1].data;
    g.out = loop->op[0].data;
    const int64_t per_block = CPI_THREADS * CPI_PER_THREAD, width = g.ndim ? loop->shape[g.ndim - 1] : 1;
    const bool rows = width >= LONG_ROW && width < INT32_MAX / 2;
    g.blocks = cpi_divisor_of(cpi_ceil_div(width, per_block));
    const int64_t blocks = rows ? g.n / width * g.blocks.by : cpi_ceil_div(g.n, per_block);
    return cpi_cuda_launch(pad_by_size(cpi_itemsize(loop->op[0].type), rows), blocks, &g, stream, "pad");
}

cp_code cpi_move_cuda_triangle(cp_stream *stream, const cpi_loop *loop, int64_t k, bool upper)
{
    const int nd = loop->ndim;
    cp_code code = CP_OK;
    if (nd > CPI_DEVICE_LOOP_DIMS) {
        for (int64_t i = 0; i < loop->shape[0] && !code; i++) {
            cpi_loop part = cpi_loop_slice(loop, 0, i, 1);
            cpi_loop_drop_first(&part);
            code = cpi_move_cuda_triangle(stream, &part, k, upper);
        }
        return code;
    }
    if (loop->size >= INT32_MAX) {
        int d = 0;
        while (loop->shape[d] < 2) d++;
        const int64_t half = loop->shape[d] / 2;
        const cpi_loop a = cpi_loop_slice(loop, d, 0, half), b = cpi_loop_slice(loop, d, half, loop->shape[d] - half);
        code = cpi_move_cuda_triangle(stream, &a, k, upper);
        if (code) return code;
        return cpi_move_cuda_triangle(stream, &b, d == nd - 2 ? k + half : d == nd - 1 ? k - half : k, upper);
    }
    triangle_args g;
    cpi_device_loop_init(&g.loop, loop, 0, 2);
    g.out = loop->op[0].data, g.in = loop->op[1].data;
    g.k = k, g.upper = upper;
    const bool flat = is_flat(loop, 0) && is_flat(loop, 1);
    const int64_t size = cpi_itemsize(loop->op[0].type);
    const int64_t per_block = CPI_THREADS * (flat ? 16 / size : CPI_PER_THREAD);
    return cpi_cuda_launch(triangle_by_size(size, flat), cpi_ceil_div(loop->size, per_block), &g, stream,
                           upper ? "triu" : "tril");
}
