/* Order on the GPU: elements as keys of which the highest is looked for, NaN beyond everything, complex numbers by
 * parts.
 *
 * One kernel finds minima and maxima of signed and unsigned numbers: a key is an element with some bits flipped, those
 * that turn the order round (all bits of integers, the sign of floating-point numbers) and the sign of signed integers,
 * whose order is then the unsigned one. Which bits is decided once a thread. Elements that were loaded together are
 * flipped as whole words. */
#ifndef CPI_REDUCE_KEYS_CUH
#define CPI_REDUCE_KEYS_CUH

#include "reduce/fold.cuh"

namespace fold {

/* --- what is flipped, of an element or of each part of a complex one --- */

__device__ __forceinline__ uint64_t bits_to_flip(const plan &p, bool low)
{
    switch (p.a.type) {
    case CP_INT8: return low ? 0x7f : 0x80;
    case CP_INT16: return low ? 0x7fff : 0x8000;
    case CP_INT32: return low ? 0x7fffffff : 0x80000000u;
    case CP_INT64: return low ? 0x7fffffffffffffffull : 0x8000000000000000ull;
    case CP_FLOAT16:
    case CP_BFLOAT16: return low ? 0x8000 : 0;
    case CP_FLOAT32:
    case CP_COMPLEX64: return low ? 0x80000000u : 0;
    case CP_FLOAT64:
    case CP_COMPLEX128: return low ? 0x8000000000000000ull : 0;
    default: return low ? ~0ull : 0; /* unsigned; bool is uint8 */
    }
}

__device__ __forceinline__ uint8_t flipped(uint8_t x, uint64_t flip) { return (uint8_t)(x ^ flip); }
__device__ __forceinline__ uint16_t flipped(uint16_t x, uint64_t flip) { return (uint16_t)(x ^ flip); }
__device__ __forceinline__ uint32_t flipped(uint32_t x, uint64_t flip) { return x ^ (uint32_t)flip; }
__device__ __forceinline__ uint64_t flipped(uint64_t x, uint64_t flip) { return x ^ flip; }
__device__ __forceinline__ f16 flipped(f16 x, uint64_t flip) { return f16{(uint16_t)(x.bits ^ flip)}; }
__device__ __forceinline__ bf16 flipped(bf16 x, uint64_t flip) { return bf16{(uint16_t)(x.bits ^ flip)}; }
__device__ __forceinline__ float flipped(float x, uint64_t flip)
{
    return __uint_as_float(__float_as_uint(x) ^ (uint32_t)flip);
}
__device__ __forceinline__ double flipped(double x, uint64_t flip)
{
    return __longlong_as_double((long long)((uint64_t)__double_as_longlong(x) ^ flip));
}
__device__ __forceinline__ c64 flipped(c64 x, uint64_t flip) { return c64{flipped(x.re, flip), flipped(x.im, flip)}; }
__device__ __forceinline__ c128 flipped(c128 x, uint64_t flip) { return c128{flipped(x.re, flip), flipped(x.im, flip)}; }

/* All elements of a vector. Narrow ones by words, which are whole but for a vector of one element. */
template <class R, int V> __device__ __forceinline__ vector<R, V> flipped(const vector<R, V> &v, uint64_t flip)
{
    vector<R, V> out;
    if constexpr (sizeof(R) < 4 && sizeof(v) % 4 == 0) {
        uint32_t w[sizeof(v) / 4], byte = flip & 0xff, half = flip & 0xffff;
        uint32_t m = sizeof(R) == 1 ? byte * 0x01010101u : half * 0x00010001u;
        memcpy(w, &v, sizeof v);
#pragma unroll
        for (unsigned i = 0; i < sizeof(v) / 4; i++) w[i] ^= m;
        memcpy(&out, w, sizeof out);
    } else {
#pragma unroll
        for (int e = 0; e < V; e++) out.x[e] = flipped(v.x[e], flip);
    }
    return out;
}

/* --- keys: whole words, halves as float; an element that has been flipped is its own key --- */

template <class R> struct keyed { typedef R type; };
template <> struct keyed<uint8_t> { typedef uint32_t type; };
template <> struct keyed<uint16_t> { typedef uint32_t type; };
template <> struct keyed<f16> { typedef float type; };
template <> struct keyed<bf16> { typedef float type; };

template <class R> __device__ __forceinline__ typename keyed<R>::type key(R x) { return x; }
template <> __device__ __forceinline__ float key(f16 x) { return cps_f16_to_f32(x.bits); }
template <> __device__ __forceinline__ float key(bf16 x) { return cps_bf16_to_f32(x.bits); }

template <class R> __device__ __forceinline__ R of_key(typename keyed<R>::type k) { return (R)k; }
template <> __device__ __forceinline__ f16 of_key<f16>(float k) { return f16{cps_f32_to_f16(k)}; }
template <> __device__ __forceinline__ bf16 of_key<bf16>(float k) { return bf16{cps_f32_to_bf16(k)}; }
template <> __device__ __forceinline__ c64 of_key<c64>(c64 k) { return k; }
template <> __device__ __forceinline__ c128 of_key<c128>(c128 k) { return k; }

template <class K> __device__ __forceinline__ bool is_nan(K) { return false; }
template <> __device__ __forceinline__ bool is_nan(float x) { return x != x; }
template <> __device__ __forceinline__ bool is_nan(double x) { return x != x; }
template <> __device__ __forceinline__ bool is_nan(c64 x) { return x.re != x.re || x.im != x.im; }
template <> __device__ __forceinline__ bool is_nan(c128 x) { return x.re != x.re || x.im != x.im; }

template <class K> __device__ __forceinline__ bool beats(K a, K b) { return a > b; }
template <> __device__ __forceinline__ bool beats(c64 a, c64 b) { return a.re == b.re ? a.im > b.im : a.re > b.re; }
template <> __device__ __forceinline__ bool beats(c128 a, c128 b) { return a.re == b.re ? a.im > b.im : a.re > b.re; }

/* The lowest key. */
template <class K> __device__ __forceinline__ K lowest_key() { return 0; }
template <> __device__ __forceinline__ float lowest_key() { return -INFINITY; }
template <> __device__ __forceinline__ double lowest_key() { return -(double)INFINITY; }
template <> __device__ __forceinline__ c64 lowest_key() { return c64{-INFINITY, -INFINITY}; }
template <> __device__ __forceinline__ c128 lowest_key() { return c128{-(double)INFINITY, -(double)INFINITY}; }

/* Calls F for the elements' type: integers as unsigned ones of their width. */
template <template <class> class F> cp_code launch_ordered(cp_stream *s, const cpi_reduce_args *a)
{
    switch (a->type) {
    case CP_INT16:
    case CP_UINT16: return launch<F<uint16_t>>(s, a);
    case CP_INT32:
    case CP_UINT32: return launch<F<uint32_t>>(s, a);
    case CP_INT64:
    case CP_UINT64: return launch<F<uint64_t>>(s, a);
    case CP_FLOAT16: return launch<F<f16>>(s, a);
    case CP_BFLOAT16: return launch<F<bf16>>(s, a);
    case CP_FLOAT32: return launch<F<float>>(s, a);
    case CP_FLOAT64: return launch<F<double>>(s, a);
    case CP_COMPLEX64: return launch<F<c64>>(s, a);
    case CP_COMPLEX128: return launch<F<c128>>(s, a);
    default: return launch<F<uint8_t>>(s, a);
    }
}

/* The same for folds that leave NaN out, which integers do not have. */
template <template <class> class F> cp_code launch_ordered_floats(cp_stream *s, const cpi_reduce_args *a)
{
    switch (a->type) {
    case CP_FLOAT16: return launch<F<f16>>(s, a);
    case CP_BFLOAT16: return launch<F<bf16>>(s, a);
    case CP_FLOAT32: return launch<F<float>>(s, a);
    case CP_FLOAT64: return launch<F<double>>(s, a);
    case CP_COMPLEX64: return launch<F<c64>>(s, a);
    case CP_COMPLEX128: return launch<F<c128>>(s, a);
    default: return cpi_host->fail(CP_ERROR_TYPE, "%s: integers have a fold of their own", cpi_reduce_name(a->op));
    }
}

} // namespace fold

#endif
