/* Counts of non-zero elements on the GPU, and `any` and `all`, which are made of them. */
#include "reduce/reducer.cuh"
#include "reduce/reducers_cuda.h"

namespace reducer {

/* An element is zero when all bits but the sign of floating-point numbers are clear. The mask of these bits is
 * computed once a thread, so that types of one width share a kernel. */
template <class T> struct Bits {
    typedef T Raw;
    static __device__ __forceinline__ bool set(T x, uint64_t mask) { return (x & (T)mask) != 0; }
};
template <class T> struct Parts {
    typedef T Raw;
    static __device__ __forceinline__ bool set(T x, uint64_t) { return x.re != 0 || x.im != 0; }
};

template <class E> struct Count {
    typedef typename E::Raw Raw;
    typedef int64_t Acc;
    enum { MASKS = true };
    struct State { int64_t a; uint64_t mask; };
    static __device__ void start(State &s, const plan &p, const Raw *) { s.a = 0, s.mask = cpi_not_sign(p.a.type); }
    static __device__ __forceinline__ void add(State &s, Raw x, int64_t) { s.a += E::set(x, s.mask); }
    /* a masked-out element must not make `all` false */
    static __device__ void skip(State &s, const plan &p) { s.a += p.a.op == CP_REDUCE_all; }
    static __device__ void turn(State &) {}
    static __device__ Acc result(const State &s) { return s.a; }
    static __device__ Acc join(Acc a, Acc b) { return a + b; }
    static __device__ void finalize(const plan &p, Acc a, char *out)
    {
        int64_t v = cpi_finalize_count(p.a.op, a, p.a.reduced);
        if (p.a.initial) v = p.a.op == CP_REDUCE_any ? v | (p.a.value[0] != 0) : v & (p.a.value[0] != 0);
        cpi_store_int(p.a.result, out, (uint64_t)v);
    }
};

} // namespace reducer

cp_code cpi_reducer_counts(cp_stream *s, const cpi_reduce_args *a)
{
    using namespace reducer;
    return cpi_with_type(a->type, [&](auto e) {
        typedef decltype(e) E;
        if constexpr (E::kind == 'c') return launch<Count<Parts<stored<E>>>>(s, a);
        else return launch<Count<Bits<typename E::Bits>>>(s, a);
    });
}
