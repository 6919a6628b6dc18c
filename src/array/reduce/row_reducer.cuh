/* Reducers of the GPU's engine (reducer.cuh) from the rows of reduce.def: Row<B, R> is the reducer of a struct B that
 * tools/generate makes of a row and a type, for elements stored as R.
 *
 * Invariant: a partial accumulator takes at most about 64 turns before it is added to another, so that sequential
 * sums stay short however long the array is. */
#ifndef CPI_REDUCE_ROW_REDUCER_CUH
#define CPI_REDUCE_ROW_REDUCER_CUH

#include <type_traits>

#include "reduce/reducer.cuh"
#include "reduce/reducers_cuda.h"
#include "reduce/words.h"

namespace reducer {

/* --- elements as stored, and as rows see them --- */

/* Which NaN it is does not matter to a reducer. */
template <class E, class R> __device__ __forceinline__ E element(R x) { return cpi_loosely_widen(x); }
template <> __device__ __forceinline__ cp_complex64 element(c64 x) { return cps_pair32(x.re, x.im); }
template <> __device__ __forceinline__ cp_complex128 element(c128 x) { return cps_pair64(x.re, x.im); }

template <class R, class E> __device__ __forceinline__ void put(R *to, E x) { *to = cpi_narrow<R>(x); }
template <> __device__ __forceinline__ void put(c64 *to, cp_complex64 x) { to->re = x.re, to->im = x.im; }
template <> __device__ __forceinline__ void put(c128 *to, cp_complex128 x) { to->re = x.re, to->im = x.im; }

/* Accumulators are exchanged between threads as whole words. */
template <class A> struct words { typedef A type; };
template <> struct words<int8_t> { typedef int32_t type; };
template <> struct words<int16_t> { typedef int32_t type; };
template <> struct words<uint8_t> { typedef uint32_t type; };
template <> struct words<uint16_t> { typedef uint32_t type; };

/* --- finalizing accumulators, by their type --- */

__device__ __forceinline__ pair as_pair(double a) { return pair{a, 0}; }
__device__ __forceinline__ pair as_pair(pair a) { return a; }
template <class A> __device__ __forceinline__ A of_pair(pair v) { return v.re; }
template <> __device__ __forceinline__ pair of_pair(pair v) { return v; }

template <class B> __device__ void finalize_number(const plan &p, uint64_t a, char *out)
{
    if (p.a.initial) a = B::combine(a, cpi_load_word(p.a.result, p.a.value));
    cpi_finalize_whole(&p.a, out, a);
}

template <class B, class A> __device__ void finalize_number(const plan &p, A a, char *out)
{
    pair v = as_pair(a);
    if (p.a.initial) {
        pair start = cpi_load_number(p.a.result, p.a.value);
        bool real = sizeof(A) == sizeof(double) && start.im == 0;
        v = real ? as_pair(B::combine(a, of_pair<A>(start))) : B::Pairs::combine(v, start);
    }
    double re = cpi_finalize_number(p.a.op, v.re, p.a.reduced), im = cpi_finalize_number(p.a.op, v.im, p.a.reduced);
    cpi_store_number(p.a.result, out, re, im);
}

/* --- the reducer of a row B for elements stored as R --- */

template <class B, class R> struct Row {
    typedef R Raw;
    typedef typename B::Acc A;
    typedef typename words<A>::type Acc;
    static constexpr bool SUMS = B::CLASS == CPI_NUMBER && !std::is_same<A, uint64_t>::value;
    static constexpr bool MASKS = B::CLASS != CPI_INDEXED;
    struct State { A a, total; int turns; };
    static __device__ void start(State &s, const plan &, const Raw *)
    {
        s.a = s.total = B::identity();
        s.turns = 0;
    }
    static __device__ __forceinline__ void add(State &s, Raw x, int64_t i)
    {
        s.a = B::combine(s.a, B::map(element<typename B::Element>(x), i));
    }
    static __device__ void skip(State &s, const plan &p)
    {
        if constexpr (B::CLASS == CPI_COUNT) s.a += p.a.op == CP_REDUCE_all; /* must not make `all` false */
    }
    static __device__ void turn(State &s)
    {
        if (SUMS && (++s.turns & 15) == 0) s.total = B::combine(s.total, s.a), s.a = B::identity();
    }
    static __device__ Acc result(const State &s) { return SUMS ? B::combine(s.total, s.a) : s.a; }
    static __device__ Acc join(Acc a, Acc b) { return B::combine((A)a, (A)b); }
    /* Of real numbers, where results are elements. */
    static __device__ __forceinline__ R result_of(const plan &p, A a)
    {
        if (p.a.initial) a = B::combine(a, (A)(*(const R *)p.a.value));
        return (R)cpi_finalize_number(p.a.op, a, p.a.reduced);
    }
    static __device__ void finalize(const plan &p, Acc a, char *out)
    {
        if constexpr (B::CLASS == CPI_NUMBER && std::is_floating_point<R>::value) {
            if (p.a.result == p.a.type) { /* the common case, which short rows need to be fast */
                *(R *)out = result_of(p, a);
                return;
            }
            finalize_number<B>(p, a, out);
        } else if constexpr (B::CLASS == CPI_NUMBER) {
            finalize_number<B>(p, a, out);
        } else if constexpr (B::CLASS == CPI_MOMENTS) {
            cpi_store_number(p.a.result, out, cpi_finalize_moments(p.a.op, cpi_deviations(&p.a, a), a.n, p.a.ddof), 0);
        } else if constexpr (B::CLASS == CPI_COUNT) {
            int64_t v = cpi_finalize_count(p.a.op, (int64_t)a, p.a.reduced);
            if (p.a.initial) v = p.a.op == CP_REDUCE_any ? v | (p.a.value[0] != 0) : v & (p.a.value[0] != 0);
            cpi_store_int(p.a.result, out, (uint64_t)v);
        } else if constexpr (B::CLASS == CPI_INDEXED) {
            *(int64_t *)out = cpi_finalize_indexed(p.a.op, a.index, p.a.reduced);
        } else {
            if (p.a.initial) {
                R raw;
                memcpy(&raw, p.a.value, sizeof raw);
                a = join(a, element<A>(raw));
            }
            put((R *)out, (A)a);
        }
    }
};

/* The reducer of a row B for uint64_t, for narrower integers U, signed or not, that are extended to it: with the sign
 * bit flipped, a signed one is as unsigned what it is above the least. */
template <class B, class U> struct Extended : Row<B, U> {
    struct State : Row<B, U>::State { uint32_t sign; };
    static __device__ void start(State &s, const plan &p, const U *x)
    {
        Row<B, U>::start(s, p, x);
        s.sign = (uint32_t)cpi_order_flip(p.a.type, false);
    }
    static __device__ __forceinline__ void add(State &s, U x, int64_t i)
    {
        s.a = B::combine(s.a, B::map((uint64_t)(x ^ s.sign) - s.sign, i));
    }
};

template <class B, class R> struct gives_elements<Row<B, R>> {
    static constexpr bool ever = B::CLASS == CPI_NUMBER && std::is_floating_point<R>::value;
};

/* Elements are added one by one, so narrow ones leave registers for more blocks. */
template <class B, class R> struct resident<Row<B, R>> {
    static constexpr int narrow = 3, wide = 4;
};
template <class B, class U> struct resident<Extended<B, U>> : resident<Row<B, U>> {};

} // namespace reducer

#endif
