/* The kernel templates of the elementwise operations (see kernels_cuda.h). */
#ifndef CPI_FLAT_CUDA_H
#define CPI_FLAT_CUDA_H

#include <type_traits>

#include "elementwise/kernels_cuda.h"

template <class T> __device__ __forceinline__ uint8_t cpi_truth(T x) { return x != 0; }
__device__ __forceinline__ uint8_t cpi_truth(cp_complex64 x) { return (x.re != 0) | (x.im != 0); }
__device__ __forceinline__ uint8_t cpi_truth(cp_complex128 x) { return (x.re != 0) | (x.im != 0); }

/* Where a body is called instead of being copied for every element of a vector (elementwise.def). */
enum cpi_calls { CPI_CALL_NEVER, CPI_CALL_GENERAL, CPI_CALL_WIDE, CPI_CALL_ALWAYS };

/* Functions of one number whose NaN is the processor's own, whatever the input's NaN. */
template <class Op>
constexpr bool cpi_any_nan = Op::nin == 1 && (Op::call == CPI_CALL_WIDE || Op::call == CPI_CALL_ALWAYS);

/* A vector in the computing type. The vector instruction may lose the NaN's bits; unless ANY, NaNs are converted
 * separately. */
template <bool ANY, class C, class S, int V>
__device__ __forceinline__ void cpi_widen_all(const cpi_pack<S, V> &in, C (&x)[V])
{
#pragma unroll
    for (int j = 0; j < V; j++) x[j] = cpi_loosely_widen(in.x[j]);
    if constexpr (!ANY && cpi_loosely_widened<S>) {
        bool nan = false;
#pragma unroll
        for (int j = 0; j < V; j++) nan |= x[j] != x[j];
        if (!nan) return;
#pragma unroll
        for (int j = 0; j < V; j++) x[j] = cpi_widen(in.x[j]);
    }
}

/* Results of a vector in stored form: two at a time, where there is an instruction for it; NaNs keep their bits. */
template <bool ANY, class O, class R, int V> __device__ __forceinline__ cpi_pack<O, V> cpi_narrow_all(const R (&r)[V])
{
    cpi_pack<O, V> out;
    if constexpr (cpi_loosely_narrowed<O> && V % 2 == 0) {
        bool nan = false;
        decltype(O::loosely_narrowed(0, 0)) two[V / 2];
#pragma unroll
        for (int j = 0; j < V; j += 2) {
            two[j / 2] = O::loosely_narrowed(r[j], r[j + 1]);
            nan |= !ANY && (r[j] != r[j] || r[j + 1] != r[j + 1]);
        }
        memcpy(&out, two, sizeof out);
        if (!nan) return out;
    }
#pragma unroll
    for (int j = 0; j < V; j++) out.x[j] = cpi_narrow<O>(r[j]);
    return out;
}

template <class Op> constexpr bool cpi_called_in_flat()
{
    constexpr size_t bytes = sizeof(typename Op::Type);
    return Op::call == CPI_CALL_ALWAYS || (Op::call == CPI_CALL_WIDE && bytes == 8) ||
           (Op::call == CPI_CALL_GENERAL && bytes == 16);
}
template <class Op> __device__ __noinline__ typename Op::Result
cpi_called(typename Op::Type a, typename Op::Type b, typename Op::Type c)
{
    typename Op::Type x[3] = {a, b, c};
    return Op::body_of(x);
}
template <class Op> __device__ __noinline__ typename Op::Result
cpi_called(typename Op::Type a, typename Op::Type b, typename Op::Type c, typename Op::Type d)
{
    typename Op::Type x[4] = {a, b, c, d};
    return Op::body_of(x);
}
template <class Op, bool CALLED> __device__ __forceinline__ typename Op::Result cpi_call(const typename Op::Type *x)
{
    if constexpr (CALLED && Op::nin > 3) return cpi_called<Op>(x[0], x[1], x[2], x[3]);
    else if constexpr (CALLED) return cpi_called<Op>(x[0], x[Op::nin > 1 ? 1 : 0], x[Op::nin > 2 ? 2 : 0]);
    else return Op::body_of(x);
}

/* Elements of one 16-byte load, of which a thread makes one. As measured on an H200, more loads a thread are slower,
 * and hints that bypass the L2 cache lose more on some sizes than they gain on others. */
template <class S> constexpr int cpi_width() { return (int)(16 / sizeof(S)); }

/* The body on a vector, whose inputs are in `wide`. */
template <class Op, int V>
__device__ __forceinline__ void cpi_flat_compute(const typename Op::Type (&wide)[Op::nin][V],
                                                 typename Op::Result (&result)[V])
{
#pragma unroll
    for (int j = 0; j < V; j++) {
        typename Op::Type x[CPI_MAXIN];
#pragma unroll
        for (int k = 0; k < Op::nin; k++) x[k] = wide[k][j];
        result[j] = cpi_call<Op, cpi_called_in_flat<Op>()>(x);
    }
}

/* One whole vector. Where an input is one value for all (a bit of `one`), it is in `single`. */
template <class Op, class S, class O, bool ONES>
__device__ __forceinline__ void cpi_flat_vector(const cpi_flat_args &g, int64_t at, unsigned one,
                                                const typename Op::Type (&single)[CPI_MAXIN])
{
    using C = typename Op::Type;
    constexpr int V = cpi_width<S>(), N = Op::nin;
    cpi_pack<S, V> in[N];
    C wide[N][V];
    typename Op::Result result[V];
#pragma unroll
    for (int k = 0; k < N; k++)
        if (!ONES || !(one >> k & 1)) in[k] = *(const cpi_pack<S, V> *)((const S *)g.in[k] + at);
#pragma unroll
    for (int k = 0; k < N; k++) {
        cpi_widen_all<cpi_any_nan<Op>, C, S, V>(in[k], wide[k]);
#pragma unroll
        for (int j = 0; ONES && j < V; j++) wide[k][j] = one >> k & 1 ? single[k] : wide[k][j];
    }
    cpi_flat_compute<Op, V>(wide, result);
    *(cpi_pack<O, V> *)((O *)g.out + at) = cpi_narrow_all<cpi_any_nan<Op>, O>(result);
}

/* Which elements a thread computes one by one: those of its vector, or, where pointers are not aligned, a strided set
 * that is read and written together with its neighbours'. */
struct cpi_flat_steps {
    int64_t first, step;
    __device__ __forceinline__ cpi_flat_steps(const cpi_flat_args &g, int64_t at, int width)
        : first(g.aligned ? at : (int64_t)blockIdx.x * CPI_THREADS * width + threadIdx.x),
          step(g.aligned ? 1 : CPI_THREADS)
    {
    }
};

/* Small bodies: a path for whole vectors, one for those with single values, and one element after the other at the
 * end and where pointers are not aligned. */
template <class Op, class S, class O> __device__ __forceinline__ void cpi_flat_small(const cpi_flat_args &g)
{
    using C = typename Op::Type;
    constexpr int V = cpi_width<S>(), N = Op::nin;
    const int64_t at = ((int64_t)blockIdx.x * CPI_THREADS + threadIdx.x) * V;
    const unsigned one = g.values | g.singles;
    const bool whole = g.aligned && at + V <= g.n;
    C single[CPI_MAXIN];
    if (whole && !one) {
        cpi_flat_vector<Op, S, O, false>(g, at, one, single);
        return;
    }
#pragma unroll
    for (int k = 0; k < N; k++) {
        if (g.values >> k & 1) single[k] = *(const C *)g.value[k];
        else if (g.singles >> k & 1) single[k] = cpi_widen(*(const S *)g.in[k]);
    }
    if (whole && N > 1) {
        cpi_flat_vector<Op, S, O, true>(g, at, one, single);
        return;
    }
    const cpi_flat_steps s(g, at, V);
    constexpr int TOGETHER = V < 4 ? V : 4; /* loads issued before the first is used */
#pragma unroll 1
    for (int j = 0; j < V; j += TOGETHER) {
        const int64_t i = s.first + j * s.step;
        S in[N][TOGETHER] = {};
#pragma unroll
        for (int k = 0; k < N; k++)
#pragma unroll
            for (int u = 0; u < TOGETHER; u++)
                if (!(one >> k & 1) && i + u * s.step < g.n) in[k][u] = ((const S *)g.in[k])[i + u * s.step];
#pragma unroll
        for (int u = 0; u < TOGETHER; u++) {
            if (i + u * s.step >= g.n) break;
            C x[CPI_MAXIN];
#pragma unroll
            for (int k = 0; k < N; k++) x[k] = one >> k & 1 ? single[k] : cpi_widen(in[k][u]);
            ((O *)g.out)[i + u * s.step] = cpi_narrow<O>(Op::body_of(x));
        }
    }
}

/* Larger bodies: the paths differ only in loads and stores, so that the body exists once per element of a vector.
 * Where all inputs are whole vectors, there is one test before they are loaded. */
template <class Op, class S, class O> __device__ __forceinline__ void cpi_flat_large(const cpi_flat_args &g)
{
    using C = typename Op::Type;
    constexpr int V = cpi_width<S>(), N = Op::nin;
    const int64_t at = ((int64_t)blockIdx.x * CPI_THREADS + threadIdx.x) * V;
    const unsigned one = g.values | g.singles;
    const bool whole = g.aligned && at + V <= g.n;
    const cpi_flat_steps s(g, at, V);
    cpi_pack<S, V> in[N];
    C wide[N][V];
    typename Op::Result result[V];
    if (whole && !one) {
#pragma unroll
        for (int k = 0; k < N; k++) in[k] = *(const cpi_pack<S, V> *)((const S *)g.in[k] + at);
    } else {
#pragma unroll
        for (int k = 0; k < N; k++) {
            const S *p = (const S *)g.in[k];
            in[k] = {};
            if (one >> k & 1) continue;
            if (whole) {
                in[k] = *(const cpi_pack<S, V> *)(p + at);
                continue;
            }
#pragma unroll
            for (int j = 0; j < V; j++)
                if (s.first + j * s.step < g.n) in[k].x[j] = p[s.first + j * s.step];
        }
    }
#pragma unroll
    for (int k = 0; k < N; k++) cpi_widen_all<cpi_any_nan<Op>, C, S, V>(in[k], wide[k]);
    if (one) {
#pragma unroll
        for (int k = 0; k < N; k++) {
            if (!(one >> k & 1)) continue;
            const C single = g.values >> k & 1 ? *(const C *)g.value[k] : cpi_widen(*(const S *)g.in[k]);
#pragma unroll
            for (int j = 0; j < V; j++) wide[k][j] = single;
        }
    }
    cpi_flat_compute<Op, V>(wide, result);
    const cpi_pack<O, V> out = cpi_narrow_all<cpi_any_nan<Op>, O>(result);
    O *to = (O *)g.out;
    if (whole) {
        *(cpi_pack<O, V> *)(to + at) = out;
        return;
    }
#pragma unroll
    for (int j = 0; j < V; j++)
        if (s.first + j * s.step < g.n) to[s.first + j * s.step] = out.x[j];
}

template <class Op, class S, class O>
__global__ void __launch_bounds__(CPI_THREADS) cpi_flat(const __grid_constant__ cpi_flat_args g)
{
    if constexpr (Op::call == CPI_CALL_NEVER) cpi_flat_small<Op, S, O>(g);
    else cpi_flat_large<Op, S, O>(g);
}

/* --- runs and general: one kernel for all operations of a type with the same inputs and kind of result --- */

/* A value as an operation of float32 or complex64 has it. */
__device__ __forceinline__ double cpi_as_narrow(double v) { return (double)(float)v; }
__device__ __forceinline__ cp_complex128 cpi_as_narrow(cp_complex128 v)
{
    return {cpi_as_narrow(v.re), cpi_as_narrow(v.im)};
}
template <class Family, class T, int N> __device__ __forceinline__ void cpi_narrow_run(T (&x)[N])
{
    if constexpr (Family::narrows) {
#pragma unroll
        for (int j = 0; j < N; j++) x[j] = cpi_as_narrow(x[j]);
    }
}
template <class Family, class C, class R, int N>
__device__ __forceinline__ void cpi_family_apply(int op, bool narrow, C (&x)[N][CPI_RUN], R (&r)[CPI_RUN])
{
    if (Family::narrows && narrow) {
#pragma unroll
        for (int k = 0; k < N; k++) cpi_narrow_run<Family>(x[k]);
    }
    Family::apply(op, x, r);
    if (Family::narrows && narrow) cpi_narrow_run<Family>(r);
}

/* One operation on the elements of a thread; called where the body is more than a few instructions. */
template <class Op, int N, class C, class R>
__device__ __forceinline__ void cpi_apply(const C (&x)[N][CPI_RUN], R (&r)[CPI_RUN])
{
#pragma unroll
    for (int j = 0; j < CPI_RUN; j++) {
        typename Op::Type one[CPI_MAXIN];
#pragma unroll
        for (int k = 0; k < N; k++) one[k] = (typename Op::Type)x[k][j];
        r[j] = (R)cpi_call<Op, Op::call != CPI_CALL_NEVER>(one);
    }
}

/* The position of the run that begins at element i: `left` elements of it at `offset`, the others at `next`, in the
 * next row. */
template <int NOPS> struct cpi_run_position {
    int64_t offset[NOPS], next[NOPS];
    int left;

    __device__ __forceinline__ cpi_run_position(const cpi_runs_args &g, int64_t i) : left(CPI_RUN)
    {
        if (g.locate) cpi_offset_of(g.loop, i, offset);
        if (!g.each) return;
        uint32_t rest = (uint32_t)i;
        const int last = g.loop.ndim - 1;
        left = (int)(g.loop.shape[last].by - cpi_loop_index_along(g.loop, last, rest));
        if (left < CPI_RUN) cpi_offset_of(g.loop, i + left, next);
    }
};

/* The run of input k of a whole thread: the elements of the loop from i on. */
template <class Family, int NOPS>
__device__ __forceinline__ void cpi_run_of(const cpi_runs_args &g, int k, int64_t i,
                                           const cpi_run_position<NOPS> &position, typename Family::Type (&x)[CPI_RUN])
{
    using C = typename Family::Type;
    const char *p = g.data[k];
    const bool exact = g.exact >> k & 1, aligned = g.aligned >> k & 1;
    switch (g.mode[k]) {
    case CPI_RUN_VALUE:
    case CPI_RUN_REPEAT: {
        p = g.mode[k] == CPI_RUN_VALUE ? (const char *)g.value[k - 1] : p + position.offset[k];
        C one = exact ? *(const C *)p : Family::load(p, g.type[k]);
#pragma unroll
        for (int j = 0; j < CPI_RUN; j++) x[j] = one;
        break;
    }
    case CPI_RUN_EACH: {
        const int64_t stride = g.loop.strides[k][g.loop.ndim - 1];
#pragma unroll
        for (int j = 0; j < CPI_RUN; j++) {
            const char *at = p + (j < position.left ? position.offset[k] + j * stride
                                                    : position.next[k] + (j - position.left) * stride);
            x[j] = exact ? *(const C *)at : Family::load(at, g.type[k]);
        }
        break;
    }
    default: {
        p += g.mode[k] == CPI_RUN_FLAT ? i * g.size[k] : position.offset[k];
        cpi_pack<C, CPI_RUN> v = exact ? cpi_take<C>(p, aligned) : Family::load_run(p, g.type[k], aligned);
#pragma unroll
        for (int j = 0; j < CPI_RUN; j++) x[j] = v.x[j];
    }
    }
}

template <class Family> __global__ void __launch_bounds__(CPI_THREADS) cpi_runs(const __grid_constant__ cpi_runs_args g)
{
    using C = typename Family::Type;
    using R = typename Family::Result;
    constexpr int N = Family::nin;
    int64_t i = ((int64_t)blockIdx.x * CPI_THREADS + threadIdx.x) * CPI_RUN, to = 0;
    if (i >= g.loop.n) return;
    const bool exact = g.exact & 1, whole = i + CPI_RUN <= g.loop.n;
    C x[N][CPI_RUN] = {};
    R r[CPI_RUN];
    if (whole) {
        const cpi_run_position<N + 1> position(g, i);
#pragma unroll
        for (int k = 0; k < N; k++) cpi_run_of<Family>(g, k + 1, i, position, x[k]);
        to = g.mode[0] == CPI_RUN_FLAT ? i * g.size[0] : position.offset[0];
    } else { /* the last few */
        int64_t at[CPI_RUN][N];
        cpi_offsets_of<1>(g.loop, i, 1, at);
#pragma unroll
        for (int k = 0; k < N; k++)
#pragma unroll
            for (int j = 0; j < CPI_RUN; j++) {
                if (i + j >= g.loop.n) break;
                const char *p = g.mode[k + 1] == CPI_RUN_VALUE ? (const char *)g.value[k] : g.data[k + 1] + at[j][k];
                x[k][j] = g.exact >> (k + 1) & 1 ? *(const C *)p : Family::load(p, g.type[k + 1]);
            }
    }
    cpi_family_apply<Family>(g.op, g.narrow, x, r);
    if (whole) {
        cpi_pack<R, CPI_RUN> v;
        memcpy(&v, r, sizeof v);
        if (exact) cpi_give<R>(g.data[0] + to, g.aligned & 1, v);
        else Family::store_run(g.data[0] + to, g.type[0], g.aligned & 1, v);
        return;
    }
    int64_t at[CPI_RUN][1];
    cpi_offsets_of<0>(g.loop, i, 1, at);
#pragma unroll
    for (int j = 0; j < CPI_RUN; j++) {
        if (i + j >= g.loop.n) break;
        char *p = g.data[0] + at[j][0];
        if (exact) *(R *)p = r[j];
        else Family::store(p, g.type[0], r[j]);
    }
}

/* Which of a thread's elements are inside the loop and selected by the mask, operand Q. */
template <int Q>
__device__ __forceinline__ void cpi_taking_part(const cpi_general_args &g, int64_t first, bool (&active)[CPI_RUN])
{
    int64_t at[CPI_RUN][1] = {};
    if (g.mask) cpi_offsets_of<Q>(g.loop, first, CPI_THREADS, at);
#pragma unroll
    for (int u = 0; u < CPI_RUN; u++)
        active[u] = first + u * CPI_THREADS < g.loop.n && (!g.mask || *(const uint8_t *)(g.data[Q] + at[u][0]) != 0);
}

template <class Family>
__global__ void __launch_bounds__(CPI_THREADS) cpi_general(const __grid_constant__ cpi_general_args g)
{
    using C = typename Family::Type;
    using R = typename Family::Result;
    constexpr int N = Family::nin;
    int64_t first = (int64_t)blockIdx.x * (CPI_THREADS * CPI_RUN) + threadIdx.x;
    int64_t offset[CPI_RUN][N + 1];
    C x[N][CPI_RUN] = {};
    R r[CPI_RUN];
    bool active[CPI_RUN];
    cpi_offsets_of<0>(g.loop, first, CPI_THREADS, offset);
    if (g.plain && first + (CPI_RUN - 1) * CPI_THREADS < g.loop.n) { /* no branch between the loads */
#pragma unroll
        for (int u = 0; u < CPI_RUN; u++) {
            active[u] = true;
#pragma unroll
            for (int k = 0; k < N; k++) x[k][u] = *(const C *)(g.data[k + 1] + offset[u][k + 1]);
        }
    } else {
        cpi_taking_part<N + 1>(g, first, active);
#pragma unroll
        for (int u = 0; u < CPI_RUN; u++) {
            if (!active[u]) continue;
#pragma unroll
            for (int k = 0; k < N; k++) {
                const char *p = g.values >> k & 1 ? (const char *)g.value[k] : g.data[k + 1] + offset[u][k + 1];
                x[k][u] = g.exact || g.values >> k & 1 ? *(const C *)p : Family::load(p, g.type[k + 1]);
            }
        }
    }
    cpi_family_apply<Family>(g.op, g.narrow, x, r);
#pragma unroll
    for (int u = 0; u < CPI_RUN; u++) {
        if (!active[u]) continue;
        char *p = g.data[0] + offset[u][0];
        if (g.exact) *(R *)p = r[u];
        else Family::store(p, g.type[0], r[u]);
    }
}

/* --- several results, or inputs of other types: a thread's run of contiguous operands --- */

/* Elements i.. of input k, operand q, as E; `load` and `load_run` serve operands of other types. int32 beside int64,
 * the common type of exponents and counts, has a path of its own. */
template <class E, class Load, class LoadRun>
__device__ __forceinline__ void cpi_straight_run(const cpi_general_args &g, int k, int q, cp_type type, int64_t i,
                                                 int left, cpi_pack<E, CPI_RUN> &x, Load load, LoadRun load_run)
{
    if (g.values >> k & 1) {
#pragma unroll
        for (int u = 0; u < CPI_RUN; u++) x.x[u] = *(const E *)g.value[k];
        return;
    }
    const bool whole = left == CPI_RUN;
    const char *p = g.data[q] + i * g.size[q];
    if constexpr (std::is_same<E, int64_t>::value)
        if (whole && g.type[q] == CP_INT32) {
            const cpi_pack<int32_t, CPI_RUN> v = cpi_take<int32_t>(p, g.aligned);
#pragma unroll
            for (int u = 0; u < CPI_RUN; u++) x.x[u] = v.x[u];
            return;
        }
    if (whole && g.type[q] == type) {
        x = cpi_take<E>(p, g.aligned);
    } else if (whole) {
        x = load_run(p, g.type[q], g.aligned);
    } else {
        x = {};
#pragma unroll
        for (int u = 0; u < CPI_RUN; u++)
            if (u < left) x.x[u] = load(p + u * g.size[q], g.type[q]);
    }
}

template <class R>
__device__ __forceinline__ void cpi_straight_give(const cpi_general_args &g, int k, int64_t i, int left,
                                                  const cpi_pack<R, CPI_RUN> &r)
{
    R *to = (R *)g.data[k] + i;
    if (left == CPI_RUN) {
        cpi_give<R>(to, g.aligned, r);
        return;
    }
#pragma unroll
    for (int u = 0; u < CPI_RUN; u++)
        if (u < left) to[u] = r.x[u];
}

/* --- the entries of the tables --- */

template <class Op> cpi_cuda_entry cpi_flat_entry()
{
    using S = typename Op::Type;
    cpi_cuda_entry e = {};
    e.flat = (const void *)cpi_flat<Op, S, typename Op::Result>;
    e.flat_elements = CPI_THREADS * cpi_width<S>();
    return e;
}
/* The same for operands of a half type; results that are not floats (bool) are unchanged. */
template <class Op, class H> cpi_cuda_half_entry cpi_half_entry()
{
    using R = std::conditional_t<std::is_same<typename Op::Result, float>::value, H, typename Op::Result>;
    return {(const void *)cpi_flat<Op, H, R>, CPI_THREADS * cpi_width<H>()};
}
template <class Op, class Family> cpi_cuda_entry cpi_entry()
{
    cpi_cuda_entry e = cpi_flat_entry<Op>();
    e.runs = (const void *)cpi_runs<Family>;
    e.general = (const void *)cpi_general<Family>;
    return e;
}
/* Of float32 or complex64, where Family is of the wide type. */
template <class Op, class Family> cpi_cuda_entry cpi_narrow_entry()
{
    cpi_cuda_entry e = cpi_entry<Op, Family>();
    e.wide = true;
    return e;
}
typedef void cpi_general_kernel(cpi_general_args);
static inline cpi_cuda_entry cpi_several_entry(cpi_general_kernel *straight, cpi_general_kernel *general)
{
    cpi_cuda_entry e = {};
    e.straight = (const void *)straight;
    e.general = (const void *)general;
    return e;
}
static inline cpi_cuda_entry cpi_once_entry(cpi_general_kernel *general)
{
    cpi_cuda_entry e = {};
    e.general = (const void *)general;
    e.wide = true;
    return e;
}

#endif
