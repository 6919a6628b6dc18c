/* Sums and products on the GPU: integers modulo 2^64, everything else in double.
 *
 * Invariant: a thread's running sum takes at most some 64 turns before it is put aside, so that sequential
 * sums stay short however long the array is. */
#ifndef CPI_REDUCE_NUMBERS_CUH
#define CPI_REDUCE_NUMBERS_CUH

#include "reduce/fold.cuh"

namespace fold {

template <class T, bool PROD> struct Whole {
    typedef T Raw;
    typedef uint64_t Acc;
    struct State { uint64_t a; };
    static __device__ void start(State &s, const plan &, const Raw *) { s.a = PROD; }
    static __device__ void add(State &s, Raw x, int64_t) { s.a = PROD ? s.a * (uint64_t)x : s.a + (uint64_t)x; }
    static __device__ void skip(State &, const plan &) {}
    static __device__ void turn(State &) {}
    static __device__ Acc result(const State &s) { return s.a; }
    static __device__ Acc join(Acc a, Acc b) { return PROD ? a * b : a + b; }
    static __device__ void finish(const plan &p, Acc a, char *out)
    {
        if (p.a.initial) a = join(a, cpi_load_int(p.a.result, p.a.value));
        cpi_store_int(p.a.result, out, a);
    }
};

template <class T, bool PROD> struct Number {
    typedef T Raw;
    typedef double Acc;
    struct State { double a, total; int turns; };
    static __device__ void start(State &s, const plan &, const Raw *)
    {
        s.a = s.total = PROD ? 1.0 : -0.0; /* -0.0 keeps the sign of a zero */
        s.turns = 0;
    }
    static __device__ void add(State &s, Raw x, int64_t) { s.a = PROD ? s.a * number(x) : s.a + number(x); }
    static __device__ void skip(State &, const plan &) {}
    static __device__ void turn(State &s)
    {
        if (!PROD && (++s.turns & 15) == 0) s.total += s.a, s.a = -0.0;
    }
    static __device__ Acc result(const State &s) { return PROD ? s.a : s.total + s.a; }
    static __device__ Acc join(Acc a, Acc b) { return PROD ? a * b : a + b; }
    static __device__ void finish(const plan &p, Acc a, char *out)
    {
        pair start = {PROD ? 1.0 : 0.0, 0};
        if (p.a.initial) start = cpi_load_number(p.a.result, p.a.value);
        double im = PROD ? a * start.im + 0.0 * start.re : start.im;
        if (PROD) a = start.im == 0 ? a * start.re : a * start.re - 0.0 * start.im;
        else a += start.re; /* without an initial value 0: the sum of -0.0 is 0.0, as NumPy's */
        cpi_store_number(p.a.result, out, cpi_finish_number(p.a.op, a, p.a.reduced), cpi_finish_number(p.a.op, im, p.a.reduced));
    }
};

template <class T, bool PROD> struct Complex {
    typedef T Raw;
    typedef pair Acc;
    struct State { pair a, total; int turns; };
    static __device__ pair multiply(pair a, pair b)
    {
        return pair{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    static __device__ void start(State &s, const plan &, const Raw *)
    {
        s.a = s.total = PROD ? pair{1.0, 0.0} : pair{-0.0, -0.0};
        s.turns = 0;
    }
    static __device__ void add(State &s, Raw x, int64_t) { s.a = join(s.a, pair{real(x), imag(x)}); }
    static __device__ void skip(State &, const plan &) {}
    static __device__ void turn(State &s)
    {
        if (!PROD && (++s.turns & 15) == 0) s.total = join(s.total, s.a), s.a = pair{-0.0, -0.0};
    }
    static __device__ Acc result(const State &s) { return PROD ? s.a : join(s.total, s.a); }
    static __device__ Acc join(Acc a, Acc b) { return PROD ? multiply(a, b) : pair{a.re + b.re, a.im + b.im}; }
    static __device__ void finish(const plan &p, Acc a, char *out)
    {
        if (p.a.initial) a = join(a, cpi_load_number(p.a.result, p.a.value));
        else if (!PROD) a = join(a, pair{0, 0});
        cpi_store_number(p.a.result, out, cpi_finish_number(p.a.op, a.re, p.a.reduced), cpi_finish_number(p.a.op, a.im, p.a.reduced));
    }
};

template <bool PROD> cp_code fold_numbers(cp_stream *s, const cpi_reduce_args *a)
{
    if (a->whole) switch (a->type) {
    case CP_INT8: return launch<Whole<int8_t, PROD>>(s, a);
    case CP_INT16: return launch<Whole<int16_t, PROD>>(s, a);
    case CP_UINT16: return launch<Whole<uint16_t, PROD>>(s, a);
    case CP_INT32: return launch<Whole<int32_t, PROD>>(s, a);
    case CP_UINT32: return launch<Whole<uint32_t, PROD>>(s, a);
    case CP_INT64:
    case CP_UINT64: return launch<Whole<uint64_t, PROD>>(s, a);
    default: return launch<Whole<uint8_t, PROD>>(s, a);
    }
    switch (a->type) {
    case CP_INT8: return launch<Number<int8_t, PROD>>(s, a);
    case CP_INT16: return launch<Number<int16_t, PROD>>(s, a);
    case CP_UINT16: return launch<Number<uint16_t, PROD>>(s, a);
    case CP_INT32: return launch<Number<int32_t, PROD>>(s, a);
    case CP_UINT32: return launch<Number<uint32_t, PROD>>(s, a);
    case CP_INT64: return launch<Number<int64_t, PROD>>(s, a);
    case CP_UINT64: return launch<Number<uint64_t, PROD>>(s, a);
    case CP_FLOAT16: return launch<Number<f16, PROD>>(s, a);
    case CP_BFLOAT16: return launch<Number<bf16, PROD>>(s, a);
    case CP_FLOAT32: return launch<Number<float, PROD>>(s, a);
    case CP_FLOAT64: return launch<Number<double, PROD>>(s, a);
    case CP_COMPLEX64: return launch<Complex<c64, PROD>>(s, a);
    case CP_COMPLEX128: return launch<Complex<c128, PROD>>(s, a);
    default: return launch<Number<uint8_t, PROD>>(s, a);
    }
}

} // namespace fold

#endif
