/* The kernel templates of ufunc reductions and ufunc.at: a thread joins the elements of one slice, or those with one
 * index, in their order.
 *
 * Everything that depends on an operation is one function, called for each element. A slice waits for its memory, not
 * for the call, and one kernel per operation would take minutes to compile. */
#ifndef CPI_ACCUMULATE_CUDA_H
#define CPI_ACCUMULATE_CUDA_H

#include "elementwise/flat_cuda.h"

/* One operation of two numbers. Its body may act on the unsigned integers of that size. */
template <class Op, class C> __device__ __forceinline__ C cpi_join(C a, C b)
{
    typename Op::Type x[3] = {(typename Op::Type)a, (typename Op::Type)b};
    return (C)cpi_call<Op, Op::call != CPI_CALL_NEVER>(x);
}

/* A number rounded to another type, and back. */
template <class Links> __device__ __forceinline__ typename Links::Type cpi_rounded_as(typename Links::Type v, int type)
{
    alignas(16) unsigned char rounded[16];
    Links::store(rounded, type, v);
    return Links::load(rounded, type);
}

/* join() of an operation that computes in `type`. Links may be wider. */
template <class Links>
__device__ __forceinline__ typename Links::Type cpi_join_in(int type, int op, typename Links::Type a,
                                                            typename Links::Type b)
{
    const typename Links::Type r = Links::join(op, a, b);
    return type == Links::type ? r : cpi_rounded_as<Links>(r, type);
}

template <class Links> __device__ __forceinline__ void cpi_accumulate(const cpi_ufunc_reduction &c)
{
    using C = typename Links::Type;
    const int64_t slice = (int64_t)blockIdx.x * CPI_THREADS + threadIdx.x;
    if (slice >= c.slices) return;
    int64_t x_at = 0, out_at = 0, where_at = 0, position = 0;
    cpi_indices_of(c.ndim, c.shape, slice, [&](int d, int64_t i) {
        if (d == c.ndim - 1) position = i;
        x_at += i * c.x_step[d];
        out_at += i * c.out_step[d];
        where_at += i * c.where_step[d];
    });
    const int64_t n = c.first ? c.last[position] - c.first[position] : c.n;
    const char *x = c.x + x_at + (c.first ? c.first[position] * c.x_along : 0);
    const uint8_t *where = c.where ? c.where + where_at : nullptr;
    char *out = c.out + out_at;
    const bool same = c.held == Links::type;
    C r = same ? *(const C *)(c.started ? out : x) : Links::load(c.started ? out : x, c.held);
    if (c.every) {
        if (same) *(C *)out = r;
        else Links::store(out, c.held, r);
    }
    for (int64_t k = c.started ? 0 : 1; k < n; k++) {
        if (where && !where[k * c.where_along]) continue;
        const char *p = x + k * c.x_along;
        r = cpi_join_in<Links>(c.type, c.op, r, same ? *(const C *)p : Links::load(p, c.held));
        if (c.held != c.type) r = cpi_rounded_as<Links>(r, c.held);
        if (!c.every) continue;
        if (same) *(C *)(out + k * c.out_along) = r;
        else Links::store(out + k * c.out_along, c.held, r);
    }
    if (c.every) return;
    if (same) *(C *)out = r;
    else Links::store(out, c.held, r);
}

/* The thread of the first of equal indices processes all of them. */
template <class Links> __device__ __forceinline__ void cpi_join_at(const cpi_indexed &p)
{
    using C = typename Links::Type;
    const int64_t i = (int64_t)blockIdx.x * CPI_THREADS + threadIdx.x;
    if (i >= p.n) return;
    const int64_t position = p.position[i];
    if (i > 0 && p.position[i - 1] == position) return;
    const bool same = p.x_type == Links::type;
    char *x = p.x + position * p.x_size;
    C r = same ? *(const C *)x : Links::load(x, p.x_type), joined = r;
    for (int64_t k = i; k < p.n && p.position[k] == position; k++) {
        const char *v = p.v + k * p.v_step;
        joined = cpi_join_in<Links>(p.type, p.op, r, p.type == Links::type ? *(const C *)v : Links::load(v, p.type));
        r = p.x_type == p.type ? joined : cpi_rounded_as<Links>(joined, p.x_type);
    }
    if (same) *(C *)x = joined;
    else Links::store(x, p.x_type, joined); /* not r: 2^64 - 2 read as a float64 is 2^64, which no uint64 is */
}

/* One kernel for both: it has a copy of each body. */
template <class Links>
__global__ void __launch_bounds__(CPI_THREADS) cpi_links_kernel(const __grid_constant__ cpi_links_args a)
{
    if (a.is_reduction) cpi_accumulate<Links>(a.reduction);
    else cpi_join_at<Links>(a.indexed);
}

template <class Links> cpi_cuda_accumulator cpi_accumulator_of()
{
    return {(const void *)cpi_links_kernel<Links>};
}

#endif
