/* Order on the GPU: elements as unsigned keys. The highest key is searched for; NaN is beyond everything; complex
 * numbers compare by parts.
 *
 * One kernel finds minima and maxima of signed and unsigned numbers. A key is an element with some bits flipped:
 * those that reverse the order (all bits of integers, the sign of floating-point numbers), and the sign of signed
 * integers, which makes their order the unsigned one. The mask is computed once a thread. Elements that were loaded
 * together are flipped as whole words. */
#ifndef CPI_REDUCE_KEYS_CUH
#define CPI_REDUCE_KEYS_CUH

#include <type_traits>

#include "reduce/reducer.cuh"

namespace reducer {

/* --- the bits that are flipped (cpi_order_flip), of an element or of each part of a complex one --- */

__device__ __forceinline__ uint8_t flipped(uint8_t x, uint64_t flip) { return (uint8_t)(x ^ flip); }
__device__ __forceinline__ uint16_t flipped(uint16_t x, uint64_t flip) { return (uint16_t)(x ^ flip); }
__device__ __forceinline__ uint32_t flipped(uint32_t x, uint64_t flip) { return x ^ (uint32_t)flip; }
__device__ __forceinline__ uint64_t flipped(uint64_t x, uint64_t flip) { return x ^ flip; }
template <class H> __device__ __forceinline__ std::enable_if_t<cpi_half_element<H>, H> flipped(H x, uint64_t flip)
{
    x.bits = (decltype(x.bits))(x.bits ^ flip);
    return x;
}
__device__ __forceinline__ float flipped(float x, uint64_t flip)
{
    return __uint_as_float(__float_as_uint(x) ^ (uint32_t)flip);
}
__device__ __forceinline__ double flipped(double x, uint64_t flip)
{
    return __longlong_as_double((long long)((uint64_t)__double_as_longlong(x) ^ flip));
}
__device__ __forceinline__ c64 flipped(c64 x, uint64_t flip) { return c64{flipped(x.re, flip), flipped(x.im, flip)}; }
__device__ __forceinline__ c128 flipped(c128 x, uint64_t flip)
{
    return c128{flipped(x.re, flip), flipped(x.im, flip)};
}

/* All elements of a vector. Narrow ones by words, unless the vector is of one element. */
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

/* --- keys: integers, halves as float; an element that has been flipped is its own key --- */

template <class R> struct keyed { typedef std::conditional_t<cpi_half_element<R>, float, R> type; };
template <> struct keyed<uint8_t> { typedef uint32_t type; };
template <> struct keyed<uint16_t> { typedef uint32_t type; };

template <class R> __device__ __forceinline__ typename keyed<R>::type key(R x) { return cpi_widen(x); }
template <class R> __device__ __forceinline__ R of_key(typename keyed<R>::type k) { return cpi_narrow<R>(k); }

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

/* Floating and complex types, which have NaN. */
template <class E> constexpr bool has_nan = E::kind == 'f' || E::kind == 'c';

/* Calls F for the elements' type: integers as unsigned ones of their width. */
template <template <class> class F> cp_code launch_ordered(cp_stream *s, const cpi_reduce_args *a)
{
    return cpi_with_type(a->type, [&](auto e) {
        typedef decltype(e) E;
        return launch<F<std::conditional_t<has_nan<E>, stored<E>, typename E::Bits>>>(s, a);
    });
}

/* The same for reducers that ignore NaN, which integers do not have. */
template <template <class> class F> cp_code launch_ordered_floats(cp_stream *s, const cpi_reduce_args *a)
{
    return cpi_with_type(a->type, [&](auto e) {
        typedef decltype(e) E;
        if constexpr (has_nan<E>) return launch<F<stored<E>>>(s, a);
        else return cpi_host->fail(CP_ERROR_TYPE, "%s: integers have a reduction of their own", cpi_reduce_name(a->op));
    });
}

} // namespace reducer

#endif
