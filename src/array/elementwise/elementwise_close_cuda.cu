/* isclose and allclose on the GPU. Pairs are compared as float, double, complex of doubles or 64-bit integers, by a
 * kernel of runs where operands have them (kernels_cuda.h), else element by element. */
#include "elementwise/flat_cuda.h"
#include "move/memory_runs_cuda.h"
#include "move/move_cuda.h"
#include "scalar/scalar.h"

namespace {

struct tolerance {
    double rtol, atol;
    bool equal_nan;
};

__device__ __forceinline__ bool is_close(float x, float y, const tolerance &g)
{
    return x == y || (fabsf(y) < INFINITY && fabsf(x - y) <= (float)g.atol + (float)g.rtol * fabsf(y)) ||
           (g.equal_nan && x != x && y != y);
}
__device__ __forceinline__ bool is_close(double x, double y, const tolerance &g)
{
    return x == y || (fabs(y) < (double)INFINITY && fabs(x - y) <= g.atol + g.rtol * fabs(y)) ||
           (g.equal_nan && x != x && y != y);
}
__device__ __forceinline__ bool is_close(cp_complex128 x, cp_complex128 y, const tolerance &g)
{
    bool finite = fabs(y.re) < (double)INFINITY && fabs(y.im) < (double)INFINITY;
    bool nan_x = x.re != x.re || x.im != x.im, nan_y = y.re != y.re || y.im != y.im;
    return (x.re == y.re && x.im == y.im) ||
           (finite && cps_hypot(x.re - y.re, x.im - y.im) <= g.atol + g.rtol * cps_hypot(y.re, y.im)) ||
           (g.equal_nan && nan_x && nan_y);
}
__device__ __forceinline__ bool is_close(int64_t x, int64_t y, const tolerance &) { return x == y; }

/* What a pair is compared as. */
#define COMPARED(x)                                                                                            \
    struct compared_##x {                                                                                      \
        using Type = CPS_CTYPE_##x;                                                                            \
        static __device__ __forceinline__ Type load(const void *p, int type) { return cpi_load_##x(p, type); } \
        static __device__ __forceinline__ cpi_pack<Type, CPI_RUN> load_run(const void *p, int type, bool al)   \
        {                                                                                                      \
            return cpi_load_run_##x(p, type, al);                                                              \
        }                                                                                                      \
    };
COMPARED(f32) COMPARED(f64) COMPARED(c128) COMPARED(i64)

/* A uint64 beyond int64 is no int64: where those are mixed, the first input's bits must not be negative. */
template <class E, bool MIXED> __device__ __forceinline__ bool pair_is_close(E x, E y, const tolerance &t)
{
    if constexpr (MIXED) return x >= 0 && is_close(x, y, t);
    return is_close(x, y, t);
}

struct close_runs_args {
    cpi_runs_args r;
    int *no; /* NULL: the answers are written; else it becomes 1 where a pair is not close */
    tolerance t;
};

template <class Op, bool MIXED>
__global__ void __launch_bounds__(CPI_THREADS) close_runs(const __grid_constant__ close_runs_args g)
{
    using C = typename Op::Type;
    constexpr int V = CPI_RUN;
    const cpi_device_loop &w = g.r.loop;
    const int64_t step = (int64_t)gridDim.x * CPI_THREADS * V;
    for (int64_t i = ((int64_t)blockIdx.x * CPI_THREADS + threadIdx.x) * V; i < w.n; i += step) {
        bool all = true;
        if (i + V <= w.n) {
            C x[V], y[V];
            cpi_pack<uint8_t, V> good;
            const cpi_run_position<3> position(g.r, i);
            cpi_run_of<Op>(g.r, 1, i, position, x);
            cpi_run_of<Op>(g.r, 2, i, position, y);
#pragma unroll
            for (int j = 0; j < V; j++) all &= good.x[j] = pair_is_close<C, MIXED>(x[j], y[j], g.t);
            if (!g.no)
                cpi_give<uint8_t>(g.r.data[0] + (g.r.mode[0] == CPI_RUN_FLAT ? i : position.offset[0]), g.r.aligned & 1,
                                  good);
        } else {
            for (int64_t at = i; at < w.n; at++) {
                C v[2];
                int64_t offset[3];
                cpi_offset_of(w, at, offset);
#pragma unroll
                for (int k = 0; k < 2; k++) {
                    const char *p = g.r.data[k + 1] + offset[k + 1];
                    if (g.r.mode[k + 1] == CPI_RUN_VALUE) v[k] = *(const C *)g.r.value[k];
                    else v[k] = Op::load(p, g.r.type[k + 1]);
                }
                bool good = pair_is_close<C, MIXED>(v[0], v[1], g.t);
                all &= good;
                if (!g.no) g.r.data[0][offset[0]] = good;
            }
        }
        if (!g.no) continue;
        if (!all) *(volatile int *)g.no = 1;
        if (*(volatile int *)g.no) return; /* somebody found a pair */
    }
}

struct close_args {
    cpi_device_loop loop;
    uint8_t *out;          /* NULL where `no` is wanted */
    int *no;               /* as in close_runs_args */
    const char *in[2];     /* operands 1 and 2 of the loop; the output is 0 */
    cp_type type[2];
    alignas(16) unsigned char value[2][16];
    unsigned values;
    tolerance t;
};

template <class Op, bool MIXED>
__global__ void __launch_bounds__(CPI_THREADS) close(const __grid_constant__ close_args g)
{
    using C = typename Op::Type;
    int64_t step = (int64_t)gridDim.x * CPI_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * CPI_THREADS + threadIdx.x; i < g.loop.n; i += step) {
        int64_t offset[3];
        cpi_offset_of<3>(g.loop, i, offset);
        C x = g.values & 1 ? *(const C *)g.value[0] : Op::load(g.in[0] + offset[1], g.type[0]);
        C y = g.values & 2 ? *(const C *)g.value[1] : Op::load(g.in[1] + offset[2], g.type[1]);
        bool good = pair_is_close<C, MIXED>(x, y, g.t);
        if (g.out) {
            g.out[offset[0]] = good;
            continue;
        }
        if (!good) *(volatile int *)g.no = 1;
        if (*(volatile int *)g.no) return; /* somebody found a pair */
    }
}

struct close_kernels {
    const void *runs, *any;
};
template <class Op, bool MIXED> close_kernels kernels_of()
{
    return {(const void *)close_runs<Op, MIXED>, (const void *)close<Op, MIXED>};
}
close_kernels kernels_for(cp_type type)
{
    switch (type) {
    case CP_FLOAT32: return kernels_of<compared_f32, false>();
    case CP_FLOAT64: return kernels_of<compared_f64, false>();
    case CP_COMPLEX128: return kernels_of<compared_c128, false>();
    CPI_CASE_WHOLE:
    CPI_CASE_HALVES: /* the others are compared as one of these */
    case CP_COMPLEX64:
    case CP_DEFAULT: break;
    }
    /* uint64: one of them is int64 */
    return type == CP_UINT64 ? kernels_of<compared_i64, true>() : kernels_of<compared_i64, false>();
}

struct close_context {
    cp_stream *stream;
    cp_type type;
    tolerance t;
    int *no;
    const char *what;
};

/* The loop has the output first; it is not written where `no` is wanted. */
cp_code launch_close(void *context, const cpi_loop *loop)
{
    const close_context *c = (const close_context *)context;
    const close_kernels k = kernels_for(c->type);
    const cp_type compared = c->type == CP_UINT64 ? CP_INT64 : c->type;
    const int64_t most = (int64_t)cpi_cuda_units(c->stream) * 16;
    close_runs_args r;
    if (cpi_runs_fit(loop, 2, compared, CP_BOOL, &r.r)) {
        r.no = c->no;
        r.t = c->t;
        unsigned blocks = cpi_cuda_blocks(loop->size, CPI_THREADS * CPI_RUN, c->no ? most : INT32_MAX);
        return cpi_cuda_launch(k.runs, blocks, &r, c->stream, c->what);
    }
    close_args g;
    cpi_device_loop_init(&g.loop, loop, 0, loop->nop);
    g.values = 0;
    g.no = c->no;
    g.t = c->t;
    g.out = c->no ? nullptr : (uint8_t *)loop->op[0].data;
    for (int i = 0; i < 2; i++) {
        const cpi_operand *op = &loop->op[i + 1];
        g.in[i] = op->data;
        g.type[i] = op->type;
        if (!op->host) continue;
        cpi_cuda_convert(op->type, op->data, compared, g.value[i]);
        g.values |= 1u << i;
    }
    return cpi_cuda_launch(k.any, cpi_cuda_blocks(g.loop.n, CPI_THREADS, most), &g, c->stream, c->what);
}

} /* namespace */

cp_code cpi_elementwise_cuda_close(cp_stream *stream, cp_type type, const cpi_loop *loop, double rtol, double atol,
                                   bool equal_nan)
{
    if (!loop->size) return CP_OK;
    close_context c = {stream, type, {rtol, atol, equal_nan}, nullptr, "isclose"};
    return cpi_device_loop_each(loop, launch_close, &c);
}

cp_code cpi_elementwise_cuda_all_close(cp_stream *stream, cp_type type, const cpi_loop *inputs, double rtol,
                                       double atol, bool equal_nan, bool *result)
{
    int no = 0;
    int *flag = (int *)cpi_host->work_alloc(stream, sizeof no);
    if (!flag) return CP_ERROR_MEMORY;
    close_context c = {stream, type, {rtol, atol, equal_nan}, flag, "allclose"};
    cpi_loop loop = *inputs; /* with an output that nobody writes */
    loop.nop = 3;
    loop.op[1] = inputs->op[0];
    loop.op[2] = inputs->op[1];
    loop.op[0] = {};
    loop.op[0].type = CP_BOOL;
    for (int64_t d = loop.ndim - 1, stride = 1; d >= 0; stride *= loop.shape[d--]) loop.op[0].strides[d] = stride;
    cp_code code = cpi_cuda_issued(stream, cudaMemsetAsync(flag, 0, sizeof no, cpi_cuda_stream(stream)), "allclose");
    if (!code) code = cpi_device_loop_each(&loop, launch_close, &c);
    if (!code) code = cpi_cuda_read(stream, &no, flag, sizeof no);
    cpi_host->work_free(stream, flag);
    *result = no == 0;
    return code;
}
