/* The kernel templates of the elementwise operations (see kernels_cuda.h). */
#ifndef CPI_FLAT_CUDA_H
#define CPI_FLAT_CUDA_H

#include <type_traits>

#include "elementwise/kernels_cuda.h"

template <class T> __device__ __forceinline__ uint8_t cpi_truth(T x) { return x != 0; }
__device__ __forceinline__ uint8_t cpi_truth(cp_complex64 x) { return (x.re != 0) | (x.im != 0); }
__device__ __forceinline__ uint8_t cpi_truth(cp_complex128 x) { return (x.re != 0) | (x.im != 0); }

/* Stored form to computing form and back: only the half types differ. */
template <class C, class S> __device__ __forceinline__ C cpi_widen(S s) { return s; }
template <> __device__ __forceinline__ float cpi_widen<float, cpi_f16>(cpi_f16 s) { return cps_f16_to_f32(s.bits); }
template <> __device__ __forceinline__ float cpi_widen<float, cpi_bf16>(cpi_bf16 s) { return cps_bf16_to_f32(s.bits); }
template <class O, class R> __device__ __forceinline__ O cpi_narrow(R r) { return r; }
template <> __device__ __forceinline__ cpi_f16 cpi_narrow<cpi_f16, float>(float r) { return {cps_f32_to_f16(r)}; }
template <> __device__ __forceinline__ cpi_bf16 cpi_narrow<cpi_bf16, float>(float r) { return {cps_f32_to_bf16(r)}; }

/* Large bodies are compiled once and called, not copied for every element of a vector. */
constexpr bool cpi_is_large(int op, double ulp, bool wide)
{
    return op == CP_OP_floor_divide || op == CP_OP_remainder || op == CP_OP_fmod || op == CP_OP_gcd || op == CP_OP_lcm ||
           op == CP_OP_power || op == CP_OP_logaddexp || op == CP_OP_logaddexp2 || ulp >= (wide ? 2 : 4);
}
template <class Op> __device__ __noinline__ typename Op::Result
cpi_called(typename Op::Type a, typename Op::Type b, typename Op::Type c)
{
    typename Op::Type x[3] = {a, b, c};
    return Op::body_of(x);
}
template <class Op> __device__ __forceinline__ typename Op::Result cpi_call(const typename Op::Type *x)
{
    if constexpr (cpi_is_large(Op::id, Op::ulp, sizeof(typename Op::Type) == 8))
        return cpi_called<Op>(x[0], x[Op::nin > 1 ? 1 : 0], x[Op::nin > 2 ? 2 : 0]);
    else return Op::body_of(x);
}

/* Elements of one 16-byte load. */
template <class S> constexpr int cpi_width() { return (int)(16 / sizeof(S)); }

/* Arrays that do not fit the L2 cache go past what is in it. */
template <class P> __device__ __forceinline__ P cpi_fetch(const P *p, bool stream)
{
    if constexpr (sizeof(P) == 16) {
        if (stream) {
            uint4 v = __ldcs((const uint4 *)p);
            P r;
            memcpy(&r, &v, sizeof r);
            return r;
        }
    }
    return *p;
}
template <class P> __device__ __forceinline__ void cpi_put(P *p, const P &r, bool stream)
{
    if constexpr (sizeof(P) == 16) {
        if (stream) {
            uint4 v;
            memcpy(&v, &r, sizeof v);
            __stcs((uint4 *)p, v);
            return;
        }
    }
    *p = r;
}

template <class Op, class S, class O>
__global__ void __launch_bounds__(CPI_THREADS) cpi_flat(const __grid_constant__ cpi_flat_args g)
{
    using C = typename Op::Type;
    constexpr int V = cpi_width<S>(), N = Op::nin;
    C single[3];
    const int64_t at = ((int64_t)blockIdx.x * CPI_THREADS + threadIdx.x) * V;
    const unsigned one = g.values | g.singles;
    const bool whole = g.aligned && at + V <= g.n;
    if (at >= g.n) return;
    cpi_pack<S, V> in[N];
#pragma unroll
    for (int k = 0; k < N; k++) {
        if (g.values >> k & 1) single[k] = *(const C *)g.value[k];
        else if (g.singles >> k & 1) single[k] = cpi_widen<C, S>(*(const S *)g.in[k]);
        else if (whole) in[k] = cpi_fetch((const cpi_pack<S, V> *)((const S *)g.in[k] + at), g.stream);
    }
    O *out = (O *)g.out + at;
    if (whole) {
        cpi_pack<O, V> result;
#pragma unroll
        for (int j = 0; j < V; j++) {
            C x[3];
#pragma unroll
            for (int k = 0; k < N; k++) x[k] = one >> k & 1 ? single[k] : cpi_widen<C, S>(in[k].x[j]);
            result.x[j] = cpi_narrow<O, typename Op::Result>(cpi_call<Op>(x));
        }
        cpi_put((cpi_pack<O, V> *)out, result, g.stream);
        return;
    }
    /* the last, partial vector; everything where pointers are not aligned */
#pragma unroll 1
    for (int j = 0; j < V && at + j < g.n; j++) {
        C x[3];
#pragma unroll
        for (int k = 0; k < N; k++) x[k] = one >> k & 1 ? single[k] : cpi_widen<C, S>(((const S *)g.in[k])[at + j]);
        out[j] = cpi_narrow<O, typename Op::Result>(cpi_call<Op>(x));
    }
}

/* The run of one input of a whole thread: the elements of the loop from i on. */
template <class Op>
__device__ __forceinline__ void cpi_run_of(const cpi_runs_args &g, int k, int64_t i, int64_t offset,
                                           typename Op::Type (&x)[cpi_run_length<typename Op::Type>()])
{
    using C = typename Op::Type;
    constexpr int V = cpi_run_length<C>();
    const char *p = g.data[k];
    const bool exact = g.exact >> k & 1, aligned = g.aligned >> k & 1;
    switch (g.mode[k]) {
    case CPI_RUN_VALUE:
    case CPI_RUN_REPEAT: {
        p = g.mode[k] == CPI_RUN_VALUE ? (const char *)g.value[k - 1] : p + offset;
        C one = exact ? *(const C *)p : Op::load(p, g.type[k]);
#pragma unroll
        for (int j = 0; j < V; j++) x[j] = one;
        break;
    }
    case CPI_RUN_EACH:
#pragma unroll
        for (int j = 0; j < V; j++) {
            const char *at = p + cpi_locate_one(g.walk, k, i + j);
            x[j] = exact ? *(const C *)at : Op::load(at, g.type[k]);
        }
        break;
    default: {
        p += g.mode[k] == CPI_RUN_FLAT ? i * g.size[k] : offset;
        cpi_pack<C, V> v = exact ? cpi_take<C, V>(p, aligned) : Op::template load_run<V>(p, g.type[k], aligned);
#pragma unroll
        for (int j = 0; j < V; j++) x[j] = v.x[j];
    }
    }
}

template <class Op> __global__ void __launch_bounds__(CPI_THREADS) cpi_runs(const __grid_constant__ cpi_runs_args g)
{
    using C = typename Op::Type;
    using R = typename Op::Result;
    constexpr int N = Op::nin, V = cpi_run_length<C>();
    int64_t i = ((int64_t)blockIdx.x * CPI_THREADS + threadIdx.x) * V;
    if (i >= g.walk.n) return;
    const bool exact = g.exact & 1;
    if (i + V <= g.walk.n) {
        int64_t offset[N + 1];
        C x[N][V];
        cpi_pack<R, V> r;
        if (g.locate) cpi_locate<N + 1>(g.walk, i, offset);
#pragma unroll
        for (int k = 0; k < N; k++) cpi_run_of<Op>(g, k + 1, i, offset[k + 1], x[k]);
#pragma unroll
        for (int j = 0; j < V; j++) {
            C one[3];
#pragma unroll
            for (int k = 0; k < N; k++) one[k] = x[k][j];
            r.x[j] = cpi_call<Op>(one);
        }
        char *p = g.data[0] + (g.mode[0] == CPI_RUN_FLAT ? i * g.size[0] : offset[0]);
        if (exact) cpi_give<R, V>(p, g.aligned & 1, r);
        else Op::template store_run<V>(p, g.type[0], g.aligned & 1, r);
        return;
    }
#pragma unroll 1
    for (; i < g.walk.n; i++) { /* the last few */
        C x[3];
#pragma unroll
        for (int k = 0; k < N; k++) {
            const char *p = g.mode[k + 1] == CPI_RUN_VALUE ? (const char *)g.value[k]
                                                          : g.data[k + 1] + cpi_locate_one(g.walk, k + 1, i);
            x[k] = g.exact >> (k + 1) & 1 ? *(const C *)p : Op::load(p, g.type[k + 1]);
        }
        R r = cpi_call<Op>(x);
        char *p = g.data[0] + cpi_locate_one(g.walk, 0, i);
        if (exact) *(R *)p = r;
        else Op::store(p, g.type[0], r);
    }
}

template <class Op> __global__ void __launch_bounds__(CPI_THREADS) cpi_general(const __grid_constant__ cpi_general_args g)
{
    using C = typename Op::Type;
    using R = typename Op::Result;
    constexpr int N = Op::nin;
    C single[3];
#pragma unroll
    for (int k = 0; k < N; k++)
        if (g.values >> k & 1) single[k] = *(const C *)g.value[k];
    int64_t first = (int64_t)blockIdx.x * (CPI_THREADS * CPI_PER_THREAD) + threadIdx.x;
    int64_t offset[CPI_PER_THREAD][N + 1];
    C x[CPI_PER_THREAD][3];
    bool active[CPI_PER_THREAD];
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++) {
        int64_t i = first + u * CPI_THREADS;
        active[u] = i < g.walk.n;
        if (!active[u]) continue;
        if (g.mask) active[u] = *(const uint8_t *)(g.data[N + 1] + cpi_locate_one(g.walk, N + 1, i)) != 0;
        if (!active[u]) continue;
        cpi_locate<N + 1>(g.walk, i, offset[u]);
#pragma unroll
        for (int k = 0; k < N; k++) {
            const char *p = g.data[k + 1] + offset[u][k + 1];
            x[u][k] = g.values >> k & 1 ? single[k] : g.exact ? *(const C *)p : Op::load(p, g.type[k + 1]);
        }
    }
#pragma unroll
    for (int u = 0; u < CPI_PER_THREAD; u++) {
        if (!active[u]) continue;
        R r = cpi_call<Op>(x[u]);
        char *p = g.data[0] + offset[u][0];
        if (g.exact) *(R *)p = r;
        else Op::store(p, g.type[0], r);
    }
}

/* nin as a member, out of the reach of the macros of loops_cuda.inc */
#define CPI_MEMBERS(n, op, error, own_)    \
    static constexpr int nin = n, id = op; \
    static constexpr double ulp = error;   \
    static constexpr bool own = own_; /* computes in this type; else only takes operands of it (logic) */
#define CPI_UNUSED(a) (void)(a)

template <class Op> cpi_cuda_entry cpi_entry()
{
    using S = typename Op::Type;
    cpi_cuda_entry e = {};
    e.flat = (const void *)cpi_flat<Op, S, typename Op::Result>;
    if constexpr (Op::own) {
        e.runs = (const void *)cpi_runs<Op>;
        e.general = (const void *)cpi_general<Op>;
    }
    e.flat_elements = CPI_THREADS * cpi_width<S>();
    e.run = cpi_run_length<S>();
    if constexpr (std::is_same<S, float>::value) { /* results that are no float (bool) stay what they are */
        constexpr bool same = std::is_same<typename Op::Result, float>::value;
        using H = typename std::conditional<same, cpi_f16, typename Op::Result>::type;
        using B = typename std::conditional<same, cpi_bf16, typename Op::Result>::type;
        e.flat_f16 = (const void *)cpi_flat<Op, cpi_f16, H>;
        e.flat_bf16 = (const void *)cpi_flat<Op, cpi_bf16, B>;
        e.half_elements = CPI_THREADS * cpi_width<cpi_f16>();
    }
    return e;
}

#endif
