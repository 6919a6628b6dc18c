/* Copies on the GPU: conversion between all types, fills, copies of rows, strided and transposed copies; and the slot
 * table.
 *
 * Contiguous conversions have a kernel for each pair of types. Copies of one type have a kernel for each unit size:
 * the element, or more where rows allow it. Everything else uses a kernel for each destination type that converts
 * through a switch. */
#include "loop/transpose.cuh"
#include "move/memory_cuda.h"
#include "move/move_cuda.h"
#include "move/vectors.cuh"

namespace {

template <class E, int V> using pack = cpi_pack<E, V>;

/* --- conversion of contiguous elements --- */

enum { CONVERTED = 2 }; /* vectors of a thread */

/* Elements of a vector: 16 bytes of the wider side. */
template <class C> constexpr int width()
{
    constexpr size_t from = sizeof(typename C::From), to = sizeof(typename C::To);
    return (int)(16 / (from > to ? from : to));
}

template <class C> __global__ void __launch_bounds__(CPI_THREADS)
convert(typename C::To *out, const typename C::From *in, int64_t n, bool aligned)
{
    using From = typename C::From;
    using To = typename C::To;
    constexpr int V = width<C>(), UN = CONVERTED;
    int64_t first = (int64_t)blockIdx.x * (CPI_THREADS * V * UN) + (int64_t)threadIdx.x * V;
    pack<From, V> v[UN];
#pragma unroll
    for (int u = 0; u < UN; u++) {
        int64_t at = first + u * (CPI_THREADS * V);
        if (aligned && at + V <= n) v[u] = *(const pack<From, V> *)(in + at);
    }
#pragma unroll
    for (int u = 0; u < UN; u++) {
        int64_t at = first + u * (CPI_THREADS * V);
        if (aligned && at + V <= n) {
            pack<To, V> r;
#pragma unroll
            for (int j = 0; j < V; j++) r.x[j] = C::call(v[u].x[j]);
            *(pack<To, V> *)(out + at) = r;
        } else {
#pragma unroll 1 /* a load waits for the store before it anyway */
            for (int j = 0; j < V && at + j < n; j++) out[at + j] = C::call(in[at + j]);
        }
    }
}

struct entry {
    const void *kernel;
    int elements;
};
template <class C> entry entry_of() { return {(const void *)convert<C>, CPI_THREADS * width<C>() * CONVERTED}; }
/* Pairs of types whose results have the same bits share a kernel. */
#include "move/converters_cuda.h"

/* --- fill --- */

template <class E> __global__ void __launch_bounds__(CPI_THREADS) fill(E *out, E value, int64_t n, bool aligned)
{
    constexpr int V = (int)(16 / sizeof(E)), UN = 4;
    int64_t first = (int64_t)blockIdx.x * (CPI_THREADS * V * UN) + (int64_t)threadIdx.x * V;
    pack<E, V> v;
#pragma unroll
    for (int j = 0; j < V; j++) v.x[j] = value;
#pragma unroll
    for (int u = 0; u < UN; u++) {
        int64_t at = first + u * (CPI_THREADS * V);
        if (aligned && at + V <= n) {
            *(pack<E, V> *)(out + at) = v;
        } else {
#pragma unroll 1
            for (int j = 0; j < V && at + j < n; j++) out[at + j] = value;
        }
    }
}

template <class E> cp_code launch_fill(cp_stream *stream, void *out, const void *value, int64_t n)
{
    E v;
    memcpy(&v, value, sizeof v);
    int64_t per_block = CPI_THREADS * (16 / (int64_t)sizeof(E)) * 4;
    fill<E><<<(unsigned)cpi_ceil_div(n, per_block), CPI_THREADS, 0, cpi_cuda_stream(stream)>>>(
        (E *)out, v, n, (uintptr_t)out % 16 == 0);
    return CPI_LAUNCHED(stream, "fill");
}

/* --- strided --- */

struct strided_args {
    cpi_device_loop loop;
    char *out;
    const char *in, *mask; /* in NULL: `value` */
    cp_type type;          /* of `in`, where a conversion is needed */
    alignas(16) unsigned char value[16];
};

/* NOPS 3: with a mask. A copy without one saves a third of the index arithmetic. */
template <class E, int NOPS>
__global__ void __launch_bounds__(CPI_THREADS) strided(const __grid_constant__ strided_args g)
{
    int64_t first = (int64_t)blockIdx.x * (CPI_THREADS * CPI_PER_THREAD) + threadIdx.x;
    int64_t offset[CPI_PER_THREAD][NOPS];
    E v[CPI_PER_THREAD];
    bool active[CPI_PER_THREAD];
    cpi_offsets_of<0>(g.loop, first, CPI_THREADS, offset);
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++) {
        active[u] = first + u * CPI_THREADS < g.loop.n;
        if (!active[u]) continue;
        if constexpr (NOPS > 2) active[u] = g.mask[offset[u][2]] != 0;
        v[u] = *(const E *)g.value;
        if (active[u] && g.in) v[u] = *(const E *)(g.in + offset[u][1]);
    }
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++)
        if (active[u]) *(E *)(g.out + offset[u][0]) = v[u];
}

template <class E, E (*LOAD)(const void *, int)>
__global__ void __launch_bounds__(CPI_THREADS) strided_convert(const __grid_constant__ strided_args g)
{
    int64_t first = (int64_t)blockIdx.x * (CPI_THREADS * CPI_PER_THREAD) + threadIdx.x;
#pragma unroll 1
    for (int u = 0; u < CPI_PER_THREAD; u++) {
        int64_t i = first + u * CPI_THREADS, offset[3];
        if (i >= g.loop.n) return;
        cpi_offset_of<3>(g.loop, i, offset);
        if (g.mask && !g.mask[offset[2]]) continue;
        *(E *)(g.out + offset[0]) = LOAD(g.in + offset[1], g.type);
    }
}

#define STRIDED_ENTRY(A, to) (const void *)strided_convert<CPS_CTYPE_##to, cpi_load_##to>,
const void *const strided_converters[CP_NTYPES] = {CPS_TYPES(STRIDED_ENTRY, )};

template <int NOPS> const void *strided_by_size(int64_t size)
{
    return size == 1   ? (const void *)strided<uint8_t, NOPS>
           : size == 2 ? (const void *)strided<uint16_t, NOPS>
           : size == 4 ? (const void *)strided<uint32_t, NOPS>
           : size == 8 ? (const void *)strided<uint64_t, NOPS>
                       : (const void *)strided<cp_complex128, NOPS>; /* only 8-byte alignment is certain */
}

/* The unit of a copy between rows of one type: 1, 2, 4, 8 or 16 bytes. Addresses, strides and, unless `open`,
 * lengths of the rows are multiples of it. It is the element's size where the input runs backwards, and 0 where an
 * element's neighbours in memory are not its neighbours in the loop. */
int64_t row_unit(const cpi_loop *loop, bool open)
{
    const cpi_operand *to = &loop->op[0], *from = &loop->op[1];
    const int inner = loop->ndim - 1;
    const int64_t size = cpi_itemsize(to->type);
    if (loop->nop != 2 || from->host || to->type != from->type) return 0;
    uintptr_t all = (uintptr_t)to->data | (uintptr_t)from->data | 16;
    if (!open) all |= (uintptr_t)(inner < 0 ? size : loop->shape[inner] * size);
    const bool backwards = inner >= 0 && from->strides[inner] == -size;
    if (inner >= 0 && (to->strides[inner] != size || (from->strides[inner] != size && !backwards))) return 0;
    for (int d = 0; d < inner; d++) all |= (uintptr_t)to->strides[d] | (uintptr_t)from->strides[d];
    const int64_t unit = (int64_t)(all & -all);
    return !backwards ? unit : unit >= size ? size : 0;
}

cp_code launch_strided(void *context, const cpi_loop *loop)
{
    cp_stream *stream = (cp_stream *)context;
    strided_args g;
    const cpi_operand *from = &loop->op[1];
    cp_type to = loop->op[0].type;
    cpi_device_loop_init(&g.loop, loop, 0, loop->nop);
    if (loop->nop < 3)
        for (int d = 0; d < g.loop.ndim; d++) g.loop.strides[2][d] = 0;
    g.out = loop->op[0].data;
    g.in = from->host ? nullptr : from->data;
    g.mask = loop->nop > 2 ? loop->op[2].data : nullptr;
    g.type = from->type;
    if (from->host) cpi_cuda_convert(from->type, from->data, to, g.value);
    const void *kernel = !from->host && from->type != to ? strided_converters[to]
                         : g.mask                        ? strided_by_size<3>(cpi_itemsize(to))
                                                         : strided_by_size<2>(cpi_itemsize(to));
    int64_t per_block = CPI_THREADS * CPI_PER_THREAD;
    return cpi_cuda_launch(kernel, cpi_ceil_div(g.loop.n, per_block), &g, stream, "copy");
}

/* A copy between rows, with units of 2, 4 or 8 bytes instead of elements. */
cp_code copy_wider(cp_stream *stream, const cpi_loop *loop, int64_t unit)
{
    cpi_loop wide = *loop;
    const int inner = loop->ndim - 1;
    const int64_t size = cpi_itemsize(loop->op[0].type);
    wide.shape[inner] = loop->shape[inner] * size / unit;
    wide.size = loop->size * size / unit;
    for (int k = 0; k < 2; k++) {
        wide.op[k].type = unit == 2 ? CP_UINT16 : unit == 4 ? CP_UINT32 : CP_UINT64;
        wide.op[k].strides[inner] = unit;
    }
    return cpi_device_loop_each(&wide, launch_strided, stream);
}

/* --- rows: contiguous along the last dimension on both sides; several copies in one launch --- */

enum { ROWS_PARTS = 8 };

struct rows_part {
    char *out;
    const char *in;
    int64_t out_pitch, in_pitch; /* bytes from row to row */
    uint32_t n;                  /* units in all, fewer than 2^31 */
    cpi_divisor width;           /* units in a row */
    int64_t bytes;               /* of a row */
    int64_t in_step;             /* bytes from unit to unit: one unit's, or as many backwards */
    uint32_t rest;               /* bytes behind the last unit, in a part that is a single forward row */
};
struct rows_args {
    int parts;
    uint32_t first[ROWS_PARTS]; /* first block of each part */
    rows_part part[ROWS_PARTS];
};

template <class U> __global__ void __launch_bounds__(CPI_THREADS) copy_rows(const __grid_constant__ rows_args g)
{
    int k = g.parts - 1;
    while (blockIdx.x < g.first[k]) k--;
    const rows_part &c = g.part[k];
    const uint32_t first = (blockIdx.x - g.first[k]) * (CPI_THREADS * CPI_PER_THREAD) + threadIdx.x;
    int64_t to[CPI_PER_THREAD];
    U v[CPI_PER_THREAD];
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++) {
        const uint32_t i = first + u * CPI_THREADS;
        if (i >= c.n) continue;
        uint32_t row = i;
        const uint32_t at = cpi_index_along(c.width, row);
        to[u] = row * c.out_pitch + (int64_t)at * (int64_t)sizeof(U);
        v[u] = *(const U *)(c.in + row * c.in_pitch + (int64_t)at * c.in_step);
    }
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++)
        if (first + u * CPI_THREADS < c.n) *(U *)(c.out + to[u]) = v[u];
    if (sizeof(U) > 1 && c.rest && first == 0)
        for (uint32_t k = 0; k < c.rest; k++) c.out[c.n * sizeof(U) + k] = c.in[c.n * sizeof(U) + k];
}

/* Rows without a useful common unit: a unit is the 16 aligned bytes of the output that overlap a row. A whole unit is
 * assembled from the words of the input that hold its bytes. */
__global__ void __launch_bounds__(CPI_THREADS) copy_bytes(const __grid_constant__ rows_args g)
{
    int k = g.parts - 1;
    while (blockIdx.x < g.first[k]) k--;
    const rows_part &c = g.part[k];
    const uint32_t i = (blockIdx.x - g.first[k]) * CPI_THREADS + threadIdx.x;
    if (i >= c.n) return;
    uint32_t row = i;
    const uint32_t at = cpi_index_along(c.width, row);
    const uintptr_t begin = (uintptr_t)c.out + row * c.out_pitch, end = begin + c.bytes;
    const uintptr_t to = begin / 16 * 16 + 16 * (uintptr_t)at;
    const uintptr_t from = (uintptr_t)c.in + row * c.in_pitch + (to - begin);
    if (to >= begin && to + 16 <= end) {
        const uint32_t *words = (const uint32_t *)(from / 4 * 4), bits = from % 4 * 8;
        uint32_t v[5] = {};
#pragma unroll
        for (int j = 0; j < 5; j++)
            if (j < 4 || bits) v[j] = words[j];
        *(uint4 *)to = make_uint4(__funnelshift_r(v[0], v[1], bits), __funnelshift_r(v[1], v[2], bits),
                                  __funnelshift_r(v[2], v[3], bits), __funnelshift_r(v[3], v[4], bits));
        return;
    }
    uint8_t v[16];
#pragma unroll
    for (int j = 0; j < 16; j++)
        if (to + j >= begin && to + j < end) v[j] = ((const uint8_t *)from)[j];
#pragma unroll
    for (int j = 0; j < 16; j++)
        if (to + j >= begin && to + j < end) ((uint8_t *)to)[j] = v[j];
}

const void *copy_rows_by_size(int64_t unit)
{
    return unit == 1   ? (const void *)copy_rows<uint8_t>
           : unit == 2 ? (const void *)copy_rows<uint16_t>
           : unit == 4 ? (const void *)copy_rows<uint32_t>
           : unit == 8 ? (const void *)copy_rows<uint64_t>
                       : (const void *)copy_rows<uint4>;
}

bool goes_back(const cpi_loop *loop) { return loop->ndim && loop->op[1].strides[loop->ndim - 1] < 0; }

/* Can the loop be a part of a copy of rows? Sets *unit to its unit. */
bool fits_rows(const cpi_loop *loop, int64_t *unit)
{
    const bool open = loop->ndim == 1 && loop->shape[0] * cpi_itemsize(loop->op[0].type) >= 64 && !goes_back(loop);
    *unit = loop->ndim <= 2 ? row_unit(loop, open) : 0;
    return *unit && loop->size * cpi_itemsize(loop->op[0].type) / *unit < INT32_MAX;
}

int64_t row_bytes(const cpi_loop *loop)
{
    return (loop->ndim ? loop->shape[loop->ndim - 1] : 1) * cpi_itemsize(loop->op[0].type);
}

cp_code launch_rows(cp_stream *stream, int n, const cpi_loop *const *loops, int64_t unit)
{
    rows_args g;
    uint32_t blocks = 0;
    bool narrow = unit <= 2;
    for (int k = 0; k < n; k++) narrow &= row_bytes(loops[k]) >= 64 && !goes_back(loops[k]);
    const uint32_t per_block = narrow ? CPI_THREADS : CPI_THREADS * CPI_PER_THREAD;
    g.parts = n;
    for (int k = 0; k < n; k++) {
        const cpi_loop *loop = loops[k];
        const int64_t size = cpi_itemsize(loop->op[0].type);
        rows_part *c = &g.part[k];
        c->out = loop->op[0].data;
        c->in = loop->op[1].data;
        c->out_pitch = loop->ndim > 1 ? loop->op[0].strides[0] : 0;
        c->in_pitch = loop->ndim > 1 ? loop->op[1].strides[0] : 0;
        c->bytes = row_bytes(loop);
        c->in_step = goes_back(loop) ? -unit : unit;
        c->width = cpi_divisor_of(narrow ? (c->bytes + 30) / 16 : c->bytes / unit);
        c->n = (uint32_t)(loop->size * size / c->bytes) * c->width.by;
        c->rest = narrow ? 0 : (uint32_t)(c->bytes % unit);
        g.first[k] = blocks;
        blocks += cpi_ceil_div(c->n, per_block);
    }
    return cpi_cuda_launch(narrow ? (const void *)copy_bytes : copy_rows_by_size(unit), blocks, &g, stream, "copy");
}

/* --- long rows in any number of dimensions: a block copies a part of one row --- */

enum { LONG_ROW = 256 }; /* units of a row: fewer leave too many threads of a block idle */

struct long_rows_args {
    cpi_device_loop rows; /* all dimensions but the last; operands 0 and 1 */
    char *out;
    const char *in;
    uint32_t width;     /* units in a row */
    cpi_divisor blocks; /* per row */
};

/* The row's position is computed once per thread, not once per unit. */
template <class U>
__global__ void __launch_bounds__(CPI_THREADS) copy_long_rows(const __grid_constant__ long_rows_args g)
{
    uint32_t row = blockIdx.x;
    const uint32_t first = cpi_index_along(g.blocks, row) * (CPI_THREADS * CPI_PER_THREAD) + threadIdx.x;
    if (first >= g.width) return;
    int64_t offset[2];
    cpi_offset_of<2>(g.rows, row, offset);
    U *out = (U *)(g.out + offset[0]) + first;
    const U *in = (const U *)(g.in + offset[1]) + first;
    U v[CPI_PER_THREAD];
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++)
        if (first + u * CPI_THREADS < g.width) v[u] = in[u * CPI_THREADS];
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++)
        if (first + u * CPI_THREADS < g.width) out[u * CPI_THREADS] = v[u];
}

const void *copy_long_rows_by_size(int64_t unit)
{
    return unit == 1   ? (const void *)copy_long_rows<uint8_t>
           : unit == 2 ? (const void *)copy_long_rows<uint16_t>
           : unit == 4 ? (const void *)copy_long_rows<uint32_t>
           : unit == 8 ? (const void *)copy_long_rows<uint64_t>
                       : (const void *)copy_long_rows<uint4>;
}

/* Is the loop, whose rows have this unit, one of long rows that fits in a launch? */
bool has_long_rows(const cpi_loop *loop, int64_t unit)
{
    const int inner = loop->ndim - 1;
    if (!unit || inner < 1 || inner > CPI_DEVICE_LOOP_DIMS || goes_back(loop)) return false;
    const int64_t width = row_bytes(loop) / unit, rows = loop->size / loop->shape[inner];
    return width >= LONG_ROW && width < INT32_MAX / 2 && rows < INT32_MAX / cpi_ceil_div(width, LONG_ROW);
}

cp_code launch_long_rows(cp_stream *stream, const cpi_loop *loop, int64_t unit)
{
    long_rows_args g;
    cpi_loop rows = *loop;
    rows.ndim--;
    cpi_device_loop_init(&g.rows, &rows, 0, 2);
    g.out = loop->op[0].data;
    g.in = loop->op[1].data;
    g.width = (uint32_t)(row_bytes(loop) / unit);
    g.blocks = cpi_divisor_of(cpi_ceil_div((int64_t)g.width, CPI_THREADS * CPI_PER_THREAD));
    return cpi_cuda_launch(copy_long_rows_by_size(unit), g.rows.n * g.blocks.by, &g, stream, "copy");
}

/* --- transposed --- */

/* Rows and columns of a block's tile: long enough that partial cache lines matter little. */
template <class E> constexpr int tile_of = sizeof(E) <= 4 ? 64 : 32;

struct transpose_args {
    cpi_device_loop outer;             /* the planes; operands 0 and 1 */
    char *out;
    const char *in;
    int64_t rows, columns;      /* out[r][c] = in[c][sign * r] */
    int64_t sign;               /* -1: the input runs backwards */
    int64_t out_stride, in_stride;
    int64_t row_tiles, column_tiles;
};

template <class E> __global__ void __launch_bounds__(CPI_THREADS) transpose(const __grid_constant__ transpose_args g)
{
    constexpr int TILE = tile_of<E>, BAND = CPI_THREADS / TILE;
    __shared__ cpi_tile<E, TILE> tile;
    const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    int64_t block = blockIdx.x, plane = block / (g.row_tiles * g.column_tiles);
    int64_t at = block - plane * (g.row_tiles * g.column_tiles);
    int64_t r0 = at / g.column_tiles * TILE, c0 = at % g.column_tiles * TILE, offset[2];
    cpi_offset_of<2>(g.outer, plane, offset);
    const char *in = g.in + offset[1];
    char *out = g.out + offset[0];
    in += (c0 + y) * g.in_stride + g.sign * (r0 + x) * (int64_t)sizeof(E);
    out += (r0 + y) * g.out_stride + (c0 + x) * (int64_t)sizeof(E);
    const int rows = (int)(g.rows - r0 < TILE ? g.rows - r0 : TILE);
    const int columns = (int)(g.columns - c0 < TILE ? g.columns - c0 : TILE);
    cpi_transpose_tile<BAND, false>(
        tile, x, y,
        [&](int j, E &v) { /* rows of the input are columns of the output */
            if (x < rows && y + j < columns) v = *(const E *)(in + j * g.in_stride);
        },
        [&](int j, const E &v) {
            if (y + j < rows && x < columns) *(E *)(out + j * g.out_stride) = v;
        });
}

const void *transpose_by_size(int64_t size)
{
    return size == 1   ? (const void *)transpose<uint8_t>
           : size == 2 ? (const void *)transpose<uint16_t>
           : size == 4 ? (const void *)transpose<uint32_t>
           : size == 8 ? (const void *)transpose<uint64_t>
                       : (const void *)transpose<cp_complex128>;
}

/* The dimension along which the input is contiguous, forwards or backwards, in a copy whose output is contiguous
 * along another; -1: it is no such copy. */
int transposed_along(const cpi_loop *loop)
{
    int inner = loop->ndim - 1;
    int64_t size = cpi_itemsize(loop->op[0].type);
    if (loop->nop != 2 || loop->ndim < 2 || loop->ndim - 2 > CPI_DEVICE_LOOP_DIMS || loop->op[1].host) return -1;
    if (loop->op[0].type != loop->op[1].type || loop->op[0].strides[inner] != size) return -1;
    if (loop->op[1].strides[inner] == size || loop->shape[inner] < 8) return -1;
    for (int d = inner - 1; d >= 0; d--)
        if ((loop->op[1].strides[d] == size || loop->op[1].strides[d] == -size) && loop->shape[d] >= 8) return d;
    return -1;
}

cp_code copy_transposed(cp_stream *stream, const cpi_loop *loop, int across)
{
    transpose_args g;
    int inner = loop->ndim - 1;
    cpi_loop outer = *loop;
    outer.ndim = 0;
    for (int d = 0; d < inner; d++) {
        if (d == across) continue;
        outer.shape[outer.ndim] = loop->shape[d];
        for (int k = 0; k < 2; k++) outer.op[k].strides[outer.ndim] = loop->op[k].strides[d];
        outer.ndim++;
    }
    cpi_device_loop_init(&g.outer, &outer, 0, 2);
    g.out = loop->op[0].data;
    g.in = loop->op[1].data;
    g.rows = loop->shape[across];
    g.columns = loop->shape[inner];
    g.out_stride = loop->op[0].strides[across];
    g.in_stride = loop->op[1].strides[inner];
    g.sign = loop->op[1].strides[across] < 0 ? -1 : 1;
    const int64_t size = cpi_itemsize(loop->op[0].type), tile = size <= 4 ? tile_of<uint32_t> : tile_of<uint64_t>;
    g.row_tiles = cpi_ceil_div(g.rows, tile);
    g.column_tiles = cpi_ceil_div(g.columns, tile);
    int64_t blocks = g.outer.n * g.row_tiles * g.column_tiles;
    return cpi_cuda_launch(transpose_by_size(size), blocks, &g, stream, "copy");
}

/* Are the elements of the only dimension, if there is one, contiguous? False for a host value. */
bool contiguous(const cpi_operand *op, const cpi_loop *loop)
{
    return !op->host && (loop->ndim == 0 || op->strides[0] == cpi_itemsize(op->type));
}

cp_code copy_flat(cp_stream *stream, const cpi_loop *loop)
{
    const cpi_operand *to = &loop->op[0], *from = &loop->op[1];
    const entry *e = &converters[from->type][to->type];
    void *out = to->data;
    const void *in = from->data;
    int64_t n = loop->size;
    bool aligned = (uintptr_t)out % 16 == 0 && (uintptr_t)in % 16 == 0;
    void *args[] = {&out, &in, &n, &aligned};
    cudaLaunchKernel(e->kernel, dim3((unsigned)cpi_ceil_div(n, e->elements)), dim3(CPI_THREADS), args, 0,
                     cpi_cuda_stream(stream));
    return CPI_LAUNCHED(stream, "copy");
}

} /* namespace */

void cpi_cuda_convert(cp_type from, const void *value, cp_type to, void *result)
{
    switch (to) {
#define CONVERT_CASE(A, t)                                      \
    case CPS_ENUM_##t: {                                        \
        CPS_CTYPE_##t v = cpi_load_##t(value, from);            \
        memcpy(result, &v, sizeof v);                           \
        break;                                                  \
    }
        CPS_TYPES(CONVERT_CASE, )
    case CP_DEFAULT: break;
    }
}

cp_code cpi_move_cuda_copy(cp_stream *stream, const cpi_loop *loop)
{
    const cpi_operand *to = &loop->op[0], *from = &loop->op[1];
    if (!loop->size) return CP_OK;
    if (loop->nop > 2 && loop->op[2].host) { /* one mask value for all elements */
        if (!*loop->op[2].data) return CP_OK;
        cpi_loop unmasked = *loop;
        unmasked.nop = 2;
        return cpi_move_cuda_copy(stream, &unmasked);
    }
    if (loop->ndim <= 1 && loop->nop == 2 && contiguous(to, loop)) {
        if (from->host) {
            alignas(16) unsigned char value[16];
            cpi_cuda_convert(from->type, from->data, to->type, value);
            switch (cpi_itemsize(to->type)) {
            case 1: return launch_fill<uint8_t>(stream, to->data, value, loop->size);
            case 2: return launch_fill<uint16_t>(stream, to->data, value, loop->size);
            case 4: return launch_fill<uint32_t>(stream, to->data, value, loop->size);
            case 8: return launch_fill<uint64_t>(stream, to->data, value, loop->size);
            default: return launch_fill<cp_complex128>(stream, to->data, value, loop->size);
            }
        }
        bool aligned = ((uintptr_t)to->data | (uintptr_t)from->data) % 16 == 0;
        if (contiguous(from, loop) && (aligned || from->type != to->type)) return copy_flat(stream, loop);
    }
    if (cpi_cuda_repeats(loop)) return cpi_cuda_repeat(stream, loop);
    int across = transposed_along(loop);
    if (across >= 0) return copy_transposed(stream, loop, across);
    int64_t unit;
    if (fits_rows(loop, &unit)) return launch_rows(stream, 1, &loop, unit);
    unit = row_unit(loop, false);
    if (has_long_rows(loop, unit)) return launch_long_rows(stream, loop, unit);
    if (unit > 8) unit = 8;
    if (unit > cpi_itemsize(to->type)) return copy_wider(stream, loop, unit);
    return cpi_device_loop_each(loop, launch_strided, stream);
}

/* Units differ between parts: those with the same unit are launched together, copies not of rows singly. */
cp_code cpi_move_cuda_copy_all(cp_stream *stream, int n, const cpi_loop *loops)
{
    cp_code code = CP_OK;
    const cpi_loop *same[ROWS_PARTS];
    for (int64_t unit = 16; unit && !code; unit /= 2) {
        int kept = 0;
        for (int i = 0; i < n && !code; i++) {
            int64_t own;
            if (!loops[i].size || !fits_rows(&loops[i], &own) || own != unit) continue;
            same[kept++] = &loops[i];
            if (kept < ROWS_PARTS) continue;
            code = launch_rows(stream, kept, same, unit);
            kept = 0;
        }
        if (kept && !code) code = launch_rows(stream, kept, same, unit);
    }
    for (int i = 0; i < n && !code; i++) {
        int64_t own;
        if (!fits_rows(&loops[i], &own)) code = cpi_move_cuda_copy(stream, &loops[i]);
    }
    return code;
}
