/* Counts of non-zero elements on the GPU, and `any` and `all`, which are made of them. */
#include "reduce/fold.cuh"

namespace fold {

/* Zero is all bits clear, but for the sign of floating-point numbers. */
template <class T, T MASK> struct Bits {
    typedef T Raw;
    static __device__ __forceinline__ bool set(T x) { return (x & MASK) != 0; }
};
template <class T> struct Parts {
    typedef T Raw;
    static __device__ __forceinline__ bool set(T x) { return x.re != 0 || x.im != 0; }
};

template <class E> struct Count {
    typedef typename E::Raw Raw;
    typedef int64_t Acc;
    struct State { int64_t a; };
    static __device__ void start(State &s, const plan &, const Raw *) { s.a = 0; }
    static __device__ __forceinline__ void add(State &s, Raw x, int64_t) { s.a += E::set(x); }
    /* what takes no part does not spoil `all` */
    static __device__ void skip(State &s, const plan &p) { s.a += p.a.op == CP_REDUCE_all; }
    static __device__ void turn(State &) {}
    static __device__ Acc result(const State &s) { return s.a; }
    static __device__ Acc join(Acc a, Acc b) { return a + b; }
    static __device__ void finish(const plan &p, Acc a, char *out)
    {
        int64_t v = cpi_finish_count(p.a.op, a, p.a.reduced);
        if (p.a.initial) v = p.a.op == CP_REDUCE_any ? v | (p.a.value[0] != 0) : v & (p.a.value[0] != 0);
        cpi_store_int(p.a.result, out, (uint64_t)v);
    }
};

} // namespace fold

cp_code cpi_fold_counts(cp_stream *s, const cpi_reduce_args *a)
{
    using namespace fold;
    switch (a->type) {
    case CP_INT16:
    case CP_UINT16: return launch<Count<Bits<uint16_t, 0xffff>>>(s, a);
    case CP_INT32:
    case CP_UINT32: return launch<Count<Bits<uint32_t, 0xffffffffu>>>(s, a);
    case CP_INT64:
    case CP_UINT64: return launch<Count<Bits<uint64_t, ~0ull>>>(s, a);
    case CP_FLOAT16:
    case CP_BFLOAT16: return launch<Count<Bits<uint16_t, 0x7fff>>>(s, a);
    case CP_FLOAT32: return launch<Count<Bits<uint32_t, 0x7fffffffu>>>(s, a);
    case CP_FLOAT64: return launch<Count<Bits<uint64_t, 0x7fffffffffffffffull>>>(s, a);
    case CP_COMPLEX64: return launch<Count<Parts<c64>>>(s, a);
    case CP_COMPLEX128: return launch<Count<Parts<c128>>>(s, a);
    default: return launch<Count<Bits<uint8_t, 0xff>>>(s, a);
    }
}
