/* Order on the GPU: what is lower or higher, with NaN beyond everything, and complex numbers by parts. */
#ifndef CPI_REDUCE_ORDER_CUH
#define CPI_REDUCE_ORDER_CUH

#include "reduce/fold.cuh"

namespace fold {

/* The type that an element is compared as: whole words, halves as float. */
template <class T> struct keyed { typedef T type; };
template <> struct keyed<int8_t> { typedef int32_t type; };
template <> struct keyed<int16_t> { typedef int32_t type; };
template <> struct keyed<uint8_t> { typedef uint32_t type; };
template <> struct keyed<uint16_t> { typedef uint32_t type; };
template <> struct keyed<f16> { typedef float type; };
template <> struct keyed<bf16> { typedef float type; };

template <class T> __device__ __forceinline__ typename keyed<T>::type key(T x) { return x; }
template <> __device__ __forceinline__ float key(f16 x) { return cps_f16_to_f32(x.bits); }
template <> __device__ __forceinline__ float key(bf16 x) { return cps_bf16_to_f32(x.bits); }

template <class K> __device__ __forceinline__ bool is_nan(K) { return false; }
template <> __device__ __forceinline__ bool is_nan(float x) { return x != x; }
template <> __device__ __forceinline__ bool is_nan(double x) { return x != x; }
template <> __device__ __forceinline__ bool is_nan(c64 x) { return x.re != x.re || x.im != x.im; }
template <> __device__ __forceinline__ bool is_nan(c128 x) { return x.re != x.re || x.im != x.im; }

template <bool LOW, class K> __device__ __forceinline__ bool beats(K a, K b) { return LOW ? a < b : a > b; }
template <bool LOW> __device__ __forceinline__ bool beats(c64 a, c64 b)
{
    return a.re == b.re ? (LOW ? a.im < b.im : a.im > b.im) : LOW ? a.re < b.re : a.re > b.re;
}
template <bool LOW> __device__ __forceinline__ bool beats(c128 a, c128 b)
{
    return a.re == b.re ? (LOW ? a.im < b.im : a.im > b.im) : LOW ? a.re < b.re : a.re > b.re;
}

/* What every element of the type beats or equals. */
template <bool LOW, class T> struct worst;
#define WORST(T, LOWEST, HIGHEST) \
    template <bool LOW> struct worst<LOW, T> { static __device__ typename keyed<T>::type value() { return LOW ? HIGHEST : LOWEST; } };
WORST(int8_t, INT8_MIN, INT8_MAX)
WORST(uint8_t, 0u, UINT8_MAX)
WORST(int16_t, INT16_MIN, INT16_MAX)
WORST(uint16_t, 0u, UINT16_MAX)
WORST(int32_t, INT32_MIN, INT32_MAX)
WORST(uint32_t, 0u, UINT32_MAX)
WORST(int64_t, INT64_MIN, INT64_MAX)
WORST(uint64_t, 0ull, UINT64_MAX)
WORST(f16, -INFINITY, INFINITY)
WORST(bf16, -INFINITY, INFINITY)
WORST(float, -INFINITY, INFINITY)
WORST(double, -(double)INFINITY, (double)INFINITY)
#undef WORST
template <bool LOW> struct worst<LOW, c64> {
    static __device__ c64 value() { return LOW ? c64{INFINITY, INFINITY} : c64{-INFINITY, -INFINITY}; }
};
template <bool LOW> struct worst<LOW, c128> {
    static __device__ c128 value() { return LOW ? c128{INFINITY, INFINITY} : c128{-INFINITY, -INFINITY}; }
};

/* Calls F<element type, LOW> for the type of the arguments. */
template <template <class, bool> class F, bool LOW> cp_code launch_ordered(cp_stream *s, const cpi_reduce_args *a)
{
    switch (a->type) {
    case CP_INT8: return launch<F<int8_t, LOW>>(s, a);
    case CP_INT16: return launch<F<int16_t, LOW>>(s, a);
    case CP_UINT16: return launch<F<uint16_t, LOW>>(s, a);
    case CP_INT32: return launch<F<int32_t, LOW>>(s, a);
    case CP_UINT32: return launch<F<uint32_t, LOW>>(s, a);
    case CP_INT64: return launch<F<int64_t, LOW>>(s, a);
    case CP_UINT64: return launch<F<uint64_t, LOW>>(s, a);
    case CP_FLOAT16: return launch<F<f16, LOW>>(s, a);
    case CP_BFLOAT16: return launch<F<bf16, LOW>>(s, a);
    case CP_FLOAT32: return launch<F<float, LOW>>(s, a);
    case CP_FLOAT64: return launch<F<double, LOW>>(s, a);
    case CP_COMPLEX64: return launch<F<c64, LOW>>(s, a);
    case CP_COMPLEX128: return launch<F<c128, LOW>>(s, a);
    default: return launch<F<uint8_t, LOW>>(s, a);
    }
}

} // namespace fold

#endif
