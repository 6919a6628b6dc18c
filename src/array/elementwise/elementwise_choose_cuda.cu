/* Choice by a condition on the GPU. */
#include "elementwise/kernels_cuda.h"
#include "move/memory_cuda.h"
#include "move/move_cuda.h"
#include "scalar/scalar.h"

namespace {

template <class E, int V> using pack = cpi_pack<E, V>;

/* --- select --- */

struct select_args {
    cpi_device_loop loop;
    char *out;
    const char *cond, *in[2];
    cp_type cond_type, type[2], out_type;
    alignas(16) unsigned char value[2][16];
    unsigned values, singles;
    int64_t n;
    bool aligned;
};

/* Contiguous condition (bool), output and choices of one element size, or choices that are one value. */
template <class E, int UN>
__global__ void __launch_bounds__(CPI_THREADS) select_flat(const __grid_constant__ select_args g)
{
    constexpr int V = (int)(16 / sizeof(E));
    E single[2] = {};
    unsigned one = g.values | g.singles;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        if (g.values >> k & 1) single[k] = *(const E *)g.value[k];
        else if (g.singles >> k & 1) single[k] = *(const E *)g.in[k];
    }
    int64_t first = (int64_t)blockIdx.x * (CPI_THREADS * V * UN) + (int64_t)threadIdx.x * V;
    E *out = (E *)g.out;
    pack<uint8_t, V> cond[UN];
    pack<E, V> in[UN][2];
#pragma unroll
    for (int u = 0; u < UN; u++) {
        int64_t at = first + u * (CPI_THREADS * V);
        if (!g.aligned || at + V > g.n) continue;
        cond[u] = *(const pack<uint8_t, V> *)(g.cond + at);
#pragma unroll
        for (int k = 0; k < 2; k++)
            if (!(one >> k & 1)) in[u][k] = *(const pack<E, V> *)((const E *)g.in[k] + at);
    }
#pragma unroll
    for (int u = 0; u < UN; u++) {
        int64_t at = first + u * (CPI_THREADS * V);
        if (g.aligned && at + V <= g.n) {
            pack<E, V> r;
#pragma unroll
            for (int j = 0; j < V; j++) {
                E a = one & 1 ? single[0] : in[u][0].x[j], b = one & 2 ? single[1] : in[u][1].x[j];
                r.x[j] = cond[u].x[j] ? a : b;
            }
            *(pack<E, V> *)(out + at) = r;
        } else {
            for (int j = 0; j < V && at + j < g.n; j++) {
                int k = g.cond[at + j] ? 0 : 1;
                out[at + j] = one >> k & 1 ? (k ? single[1] : single[0]) : ((const E *)g.in[k])[at + j];
            }
        }
    }
}

template <class E, E (*LOAD)(const void *, int)>
__global__ void __launch_bounds__(CPI_THREADS) select_general(const __grid_constant__ select_args g)
{
    int64_t first = (int64_t)blockIdx.x * (CPI_THREADS * CPI_PER_THREAD) + threadIdx.x;
#pragma unroll 1
    for (int u = 0; u < CPI_PER_THREAD; u++) {
        int64_t i = first + u * CPI_THREADS, offset[4];
        if (i >= g.loop.n) return;
        cpi_offset_of<4>(g.loop, i, offset);
        const char *c = g.cond + offset[1];
        int k = (g.cond_type == CP_BOOL ? *(const uint8_t *)c : cpi_load_b(c, g.cond_type)) ? 0 : 1;
        const char *p = k ? g.in[1] + offset[3] : g.in[0] + offset[2];
        E v = g.values >> k & 1                ? *(const E *)g.value[k]
              : g.type[k] == g.out_type        ? *(const E *)p
                                               : LOAD(p, g.type[k]);
        *(E *)(g.out + offset[0]) = v;
    }
}
#define SELECT_ENTRY(A, to) (const void *)select_general<CPS_CTYPE_##to, cpi_load_##to>,
const void *const select_generals[CP_NTYPES] = {CPS_TYPES(SELECT_ENTRY, )};

/* Vectors of a thread. Of 4 bytes, as measured on an H200: one where both choices are read, so that more threads share
 * the reading, and two where one of them is a value. */
int vectors(const select_args &g)
{
    if (cpi_itemsize(g.out_type) != 4) return 4;
    return g.values | g.singles ? 2 : 1;
}

const void *select_flat_of(const select_args &g)
{
    const int64_t size = cpi_itemsize(g.out_type);
    return size == 1   ? (const void *)select_flat<uint8_t, 4>
           : size == 2 ? (const void *)select_flat<uint16_t, 4>
           : size == 8 ? (const void *)select_flat<uint64_t, 4>
           : size != 4 ? (const void *)select_flat<cp_complex128, 4>
           : vectors(g) == 1 ? (const void *)select_flat<uint32_t, 1>
                             : (const void *)select_flat<uint32_t, 2>;
}

bool contiguous(const cpi_loop *loop, int k)
{
    return loop->ndim == 0 || loop->op[k].strides[0] == cpi_itemsize(loop->op[k].type);
}

void select_fill(select_args *g, const cpi_loop *loop)
{
    g->out = loop->op[0].data;
    g->out_type = loop->op[0].type;
    g->cond = loop->op[1].data;
    g->cond_type = loop->op[1].type;
    g->values = g->singles = 0;
    for (int k = 0; k < 2; k++) {
        const cpi_operand *op = &loop->op[2 + k];
        g->in[k] = op->data;
        g->type[k] = op->type;
        if (!op->host) continue;
        cpi_cuda_convert(op->type, op->data, g->out_type, g->value[k]);
        g->values |= 1u << k;
    }
}

cp_code launch_select(void *context, const cpi_loop *loop)
{
    select_args g;
    select_fill(&g, loop);
    cpi_device_loop_init(&g.loop, loop, 0, 4);
    int64_t per_block = CPI_THREADS * CPI_PER_THREAD;
    return cpi_cuda_launch(select_generals[g.out_type], cpi_ceil_div(g.loop.n, per_block), &g,
                           (cp_stream *)context, "where");
}

bool select_fits(select_args *g, const cpi_loop *loop)
{
    if (loop->ndim > 1 || loop->op[1].type != CP_BOOL || !contiguous(loop, 0) || !contiguous(loop, 1)) return false;
    int64_t width = 16 / cpi_itemsize(g->out_type);
    g->aligned = (uintptr_t)g->out % 16 == 0 && (uintptr_t)g->cond % width == 0;
    g->n = loop->size;
    for (int k = 0; k < 2; k++) {
        if (g->values >> k & 1) continue;
        if (g->type[k] != g->out_type) return false;
        if (loop->ndim == 0 || loop->op[2 + k].strides[0] == 0) g->singles |= 1u << k;
        else if (!contiguous(loop, 2 + k)) return false;
        else g->aligned &= (uintptr_t)g->in[k] % 16 == 0;
    }
    return true;
}

} /* namespace */

cp_code cpi_elementwise_cuda_select(cp_stream *stream, const cpi_loop *loop)
{
    select_args g;
    if (!loop->size) return CP_OK;
    if (loop->op[1].host) { /* one condition for all */
        uint8_t yes;
        cpi_cuda_convert(loop->op[1].type, loop->op[1].data, CP_BOOL, &yes);
        cpi_loop copy = *loop;
        copy.nop = 2;
        copy.op[1] = loop->op[yes ? 2 : 3];
        return cpi_move_cuda_copy(stream, &copy);
    }
    select_fill(&g, loop);
    if (!select_fits(&g, loop)) return cpi_device_loop_each(loop, launch_select, stream);
    int64_t per_block = CPI_THREADS * (16 / cpi_itemsize(g.out_type)) * vectors(g);
    return cpi_cuda_launch(select_flat_of(g), cpi_ceil_div(g.n, per_block), &g, stream, "where");
}
