/* The folds that are made from the rows of reduce.def on the GPU: those without a hand-written one. Every row is
 * compiled to a struct of small functions; Row makes a fold for the engine of fold.cuh from one of them.
 *
 * Invariant: as for hand-written sums, a running number takes at most some 64 turns before it is put aside. */
#include <type_traits>

#include "reduce/fold.cuh"
#include "reduce/folds.h"

namespace fold {

/* --- one struct for each row and computing type: row_NANSUM_f32, row_SUM_INT_i8, ... --- */

#define CPF_FULL(name) CPS_CAT3(row_, CPF_KIND(name), CPF_X)
#define CPF_ROW(name, identity_, map_, combine_)                                                        \
    struct CPF_FULL(name) {                                                                             \
        typedef CPF_T Element;                                                                          \
        typedef CPF_V Value;                                                                            \
        typedef CPF_A Acc;                                                                              \
        typedef CPS_CAT3(row_, name, c128) Pairs; /* the same fold of pairs of doubles */               \
        static constexpr int CLASS = CPI_CLASS_##name;                                                  \
        static __device__ __forceinline__ Value read(Element x) { return CPF_READ(&x); }                \
        static __device__ __forceinline__ Acc identity() { return identity_; }                          \
        static __device__ __forceinline__ Acc map(Value x, int64_t i) { return (void)i, map_; }         \
        static __device__ __forceinline__ Acc combine(Acc a, Acc b) { return combine_; }                \
    };
#include "reduce/folds.inc"

/* --- elements as stored, and as rows see them --- */

template <class E, class R> __device__ __forceinline__ E element(R x) { return x; }
template <> __device__ __forceinline__ float element(f16 x) { return cps_f16_to_f32(x.bits); }
template <> __device__ __forceinline__ float element(bf16 x) { return cps_bf16_to_f32(x.bits); }
template <> __device__ __forceinline__ cp_complex64 element(c64 x) { return cps_pair32(x.re, x.im); }
template <> __device__ __forceinline__ cp_complex128 element(c128 x) { return cps_pair64(x.re, x.im); }

template <class R, class E> __device__ __forceinline__ void put(R *to, E x) { *to = x; }
template <> __device__ __forceinline__ void put(f16 *to, float x) { to->bits = cps_f32_to_f16(x); }
template <> __device__ __forceinline__ void put(bf16 *to, float x) { to->bits = cps_f32_to_bf16(x); }
template <> __device__ __forceinline__ void put(c64 *to, cp_complex64 x) { to->re = x.re, to->im = x.im; }
template <> __device__ __forceinline__ void put(c128 *to, cp_complex128 x) { to->re = x.re, to->im = x.im; }

/* Accumulators travel between threads as whole words. */
template <class A> struct words { typedef A type; };
template <> struct words<int8_t> { typedef int32_t type; };
template <> struct words<int16_t> { typedef int32_t type; };
template <> struct words<uint8_t> { typedef uint32_t type; };
template <> struct words<uint16_t> { typedef uint32_t type; };

/* --- what is done with accumulators at the end, by their type --- */

__device__ __forceinline__ pair as_pair(double a) { return pair{a, 0}; }
__device__ __forceinline__ pair as_pair(pair a) { return a; }
template <class A> __device__ __forceinline__ A of_pair(pair v) { return v.re; }
template <> __device__ __forceinline__ pair of_pair(pair v) { return v; }

template <class B> __device__ void finish_number(const plan &p, uint64_t a, char *out)
{
    if (p.a.initial) a = B::combine(a, cpi_load_int(p.a.result, p.a.value));
    cpi_store_int(p.a.result, out, a);
}

template <class B, class A> __device__ void finish_number(const plan &p, A a, char *out)
{
    pair v = as_pair(a), identity = as_pair(B::identity());
    if (p.a.initial) {
        pair start = cpi_load_number(p.a.result, p.a.value);
        bool real = sizeof(A) == sizeof(double) && start.im == 0;
        v = real ? as_pair(B::combine(a, of_pair<A>(start))) : B::Pairs::combine(v, start);
    } else if (identity.re == 0 && signbit(identity.re)) {
        v = as_pair(B::combine(a, of_pair<A>(pair{0, 0}))); /* 0, not -0 */
    }
    double re = cpi_finish_number(p.a.op, v.re, p.a.reduced), im = cpi_finish_number(p.a.op, v.im, p.a.reduced);
    cpi_store_number(p.a.result, out, re, im);
}

/* --- the fold of a row B for elements stored as R --- */

template <class B, class R> struct Row {
    typedef R Raw;
    typedef typename B::Acc A;
    typedef typename words<A>::type Acc;
    static constexpr bool SUMS = B::CLASS == CPI_NUMBER && !std::is_same<A, uint64_t>::value;
    struct State { A a, total; int turns; };
    static __device__ void start(State &s, const plan &, const Raw *)
    {
        s.a = s.total = B::identity();
        s.turns = 0;
    }
    static __device__ __forceinline__ void add(State &s, Raw x, int64_t i)
    {
        s.a = B::combine(s.a, B::map(B::read(element<typename B::Element>(x)), i));
    }
    static __device__ void skip(State &s, const plan &p)
    {
        if constexpr (B::CLASS == CPI_COUNT) s.a += p.a.op == CP_REDUCE_all; /* what takes no part does not spoil it */
    }
    static __device__ void turn(State &s)
    {
        if (SUMS && (++s.turns & 15) == 0) s.total = B::combine(s.total, s.a), s.a = B::identity();
    }
    static __device__ Acc result(const State &s) { return SUMS ? B::combine(s.total, s.a) : s.a; }
    static __device__ Acc join(Acc a, Acc b) { return B::combine((A)a, (A)b); }
    static __device__ void finish(const plan &p, Acc a, char *out)
    {
        if constexpr (B::CLASS == CPI_NUMBER) {
            finish_number<B>(p, a, out);
        } else if constexpr (B::CLASS == CPI_MOMENTS) {
            cpi_store_number(p.a.result, out, cpi_finish_moments(p.a.op, a, p.a.ddof), 0);
        } else if constexpr (B::CLASS == CPI_COUNT) {
            int64_t v = cpi_finish_count(p.a.op, (int64_t)a, p.a.reduced);
            if (p.a.initial) v = p.a.op == CP_REDUCE_any ? v | (p.a.value[0] != 0) : v & (p.a.value[0] != 0);
            cpi_store_int(p.a.result, out, (uint64_t)v);
        } else if constexpr (B::CLASS == CPI_PLACE) {
            *(int64_t *)out = cpi_finish_place(p.a.op, a.index, p.a.reduced);
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

/* --- launching: for each row one function of the elements' type --- */

#ifdef CPI_ALL_ROWS /* to see that all rows make folds; takes minutes */
#define PICK(name, ...) __VA_ARGS__
#else
#define PICK(name, ...) CPS_CAT(PICK_, CPF_IS(CPF_TUNED_##name))(__VA_ARGS__)
#endif
#define PICK_0(...) __VA_ARGS__
#define PICK_1(...)

#define LAUNCH(name, X, R) launch<Row<CPS_CAT3(row_, name, X), R>>(s, a)
#define INTEGERS(name)                                      \
    case CP_INT8: return LAUNCH(name, i8, int8_t);          \
    case CP_INT16: return LAUNCH(name, i16, int16_t);       \
    case CP_UINT16: return LAUNCH(name, u16, uint16_t);     \
    case CP_INT32: return LAUNCH(name, i32, int32_t);       \
    case CP_UINT32: return LAUNCH(name, u32, uint32_t);     \
    case CP_INT64: return LAUNCH(name, i64, int64_t);       \
    case CP_UINT64: return LAUNCH(name, u64, uint64_t);     \
    case CP_BOOL:                                           \
    case CP_UINT8: return LAUNCH(name, u8, uint8_t);
#define WHOLE(name) if (a->whole) switch (a->type) { INTEGERS(name##_INT) default: break; }
#define FUNCTION(name, class, integers)                                                      \
    static cp_code rows_##name(cp_stream *s, const cpi_reduce_args *a)                       \
    {                                                                                        \
        CPF_IF(CPF_IS(CPF_NOW_##class), CPF_IS(CPF_INTEGERS_##integers))(WHOLE(name))        \
        switch (a->type) {                                                                   \
        CPF_IF(1, CPF_IS(CPF_INTEGERS_##integers))(INTEGERS(name))                           \
        case CP_FLOAT16: return LAUNCH(name, f32, f16);                                      \
        case CP_BFLOAT16: return LAUNCH(name, f32, bf16);                                    \
        case CP_FLOAT32: return LAUNCH(name, f32, float);                                    \
        case CP_FLOAT64: return LAUNCH(name, f64, double);                                   \
        case CP_COMPLEX64: return LAUNCH(name, c64, c64);                                    \
        case CP_COMPLEX128: return LAUNCH(name, c128, c128);                                 \
        default: return cpi_host->fail(CP_ERROR_TYPE, "reduce: fold " #name " takes no integers");      \
        }                                                                                    \
    }
#define CPF_NOW_NUMBER CPF_YES
#define CP_FOLD(name, class, integers, ...) PICK(name, FUNCTION(name, class, integers))
#include "cuprite/reduce.def"

} // namespace fold

cp_code cpi_fold_rows(cp_stream *s, const cpi_reduce_args *a)
{
    switch (a->fold) {
#define CP_FOLD(name, ...) PICK(name, case CPI_FOLD_##name: return fold::rows_##name(s, a);)
#include "cuprite/reduce.def"
    default: return cpi_host->fail(CP_ERROR_VALUE, "reduce: fold %d has a kernel of its own", (int)a->fold);
    }
}
