/* CUDA's <cuda_fp8.h> on the CPU: numbers of 8 bits with 4 and 5 bits of exponent (Open Compute Project, "OFP8", 2023),
 * and exponents alone (e8m0), one, two and four together. Conversions round to the nearest, ties to even, as the
 * hardware does from compute capability 8.9 on: NaN is 0x7f, but of double it keeps its sign. */
#pragma once
#include "cuprite_device.h"
#include "cuda_fp16.h"
#include "cuda_bf16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

/* Bits of mantissa, the exponents' bias, and the largest finite number. */
struct __cu_fp8_kind { int mantissa, bias; unsigned char most, infinite; };
static inline __cu_fp8_kind __cu_fp8_of(__nv_fp8_interpretation_t kind)
{
    return kind == __NV_E4M3 ? __cu_fp8_kind{3, 7, 0x7e, 0x7f} : __cu_fp8_kind{2, 15, 0x7b, 0x7c};
}
static inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind)
{
    const __cu_fp8_kind k = __cu_fp8_of(kind);
    const unsigned bits = __float_as_uint(x), a = bits & 0x7fffffffu, sign = bits >> 24 & 0x80;
    if (a > 0x7f800000u) return 0x7f;
    const int drop = 23 - k.mantissa;
    const unsigned least = (unsigned)(128 - k.bias) << 23; /* the smallest normal number */
    unsigned r;
    if (a < least) {
        const float step = __uint_as_float((unsigned)(128 - k.bias - k.mantissa) << 23);
        r = (unsigned)rint((double)__uint_as_float(a) / step);
    } else {
        r = (a + (1u << (drop - 1)) - 1 + (a >> drop & 1)) >> drop;
        r -= (unsigned)(127 - k.bias) << k.mantissa;
    }
    if (r > k.most) r = saturate == __NV_SATFINITE ? k.most : k.infinite;
    return (__nv_fp8_storage_t)(r | sign);
}
static inline float __cu_fp8_value(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    const __cu_fp8_kind k = __cu_fp8_of(kind);
    const unsigned a = x & 0x7fu, sign = (x & 0x80u) << 24, exponent = a >> k.mantissa;
    const unsigned rest = a & ((1u << k.mantissa) - 1);
    if (kind == __NV_E4M3 ? a == 0x7f : a > 0x7c) return __uint_as_float(0x7fffffffu);
    if (kind == __NV_E5M2 && a == 0x7c) return __uint_as_float(sign | 0x7f800000u);
    const float r = exponent ? __uint_as_float((exponent + 127 - k.bias) << 23 | rest << (23 - k.mantissa))
                             : (float)rest * __uint_as_float((unsigned)(128 - k.bias - k.mantissa) << 23);
    return __uint_as_float(__float_as_uint(r) | sign);
}
static inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t s, __nv_fp8_interpretation_t kind)
{
    if (x != x && kind == __NV_E5M2) { /* no instruction of the hardware */
        const unsigned high = (unsigned)__double2hiint(x);
        return (__nv_fp8_storage_t)((high >> 24 & 0x80) | 0x7e | (high >> 18 & 3));
    }
    if (x != x) return (__nv_fp8_storage_t)(((unsigned)__double2hiint(x) >> 24 & 0x80) | 0x7f);
    return __nv_cvt_float_to_fp8(__cu_odd(x), s, kind);
}
static inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t s,
                                                         __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__cu_from_half(x.x), s, kind);
}
static inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t s,
                                                             __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__cu_from_bfloat16(x.x), s, kind);
}
static inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    const float f = __cu_fp8_value(x, kind);
    return f != f ? __half_raw{0x7fff} : __half_raw(__half(f));
}

/* The exponent of the power of two at |x|, or the next one above; NaN is 0xff. */
static inline __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate, cudaRoundMode mode)
{
    const unsigned a = __float_as_uint(x) & 0x7fffffffu;
    if (a > 0x7f800000u) return 0xff;
    unsigned r = a >> 23;
    if (mode == cudaRoundPosInf) r = r ? r + ((a & 0x7fffffu) != 0) : a > 0x400000u;
    return (__nv_fp8_storage_t)(r < 0xff ? r : saturate == __NV_SATFINITE ? 0xfe : 0xff);
}
static inline __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate, cudaRoundMode mode)
{
    return __nv_cvt_float_to_e8m0(__cu_of_double(fabs(x), mode == cudaRoundPosInf ? __CU_RU : __CU_RZ), saturate, mode);
}
static inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                              cudaRoundMode mode)
{
    return __nv_cvt_float_to_e8m0(__cu_from_bfloat16(x.x), saturate, mode);
}
static inline __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x)
{
    return {(unsigned short)(x == 0xff ? 0x7fff : x == 0 ? 0x0040 : x << 7)};
}

/* Two at once: the first is the lower byte. */
#define __CU_FP8_PAIR(name, from, Pair, Mode)                                                       \
    static inline __nv_fp8x2_storage_t name(Pair x, __nv_saturation_t saturate, Mode mode)          \
    {                                                                                               \
        return (__nv_fp8x2_storage_t)(from(x.x, saturate, mode) | from(x.y, saturate, mode) << 8);  \
    }
#define __CU_FP8_RAW_PAIR(name, from, Pair, Raw, Mode)                                                            \
    static inline __nv_fp8x2_storage_t name(Pair x, __nv_saturation_t saturate, Mode mode)                        \
    {                                                                                                             \
        return (__nv_fp8x2_storage_t)(from(Raw{x.x}, saturate, mode) | from(Raw{x.y}, saturate, mode) << 8);      \
    }
__CU_FP8_PAIR(__nv_cvt_float2_to_fp8x2, __nv_cvt_float_to_fp8, float2, __nv_fp8_interpretation_t)
__CU_FP8_PAIR(__nv_cvt_double2_to_fp8x2, __nv_cvt_double_to_fp8, double2, __nv_fp8_interpretation_t)
__CU_FP8_RAW_PAIR(__nv_cvt_halfraw2_to_fp8x2, __nv_cvt_halfraw_to_fp8, __half2_raw, __half_raw,
                  __nv_fp8_interpretation_t)
__CU_FP8_RAW_PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_cvt_bfloat16raw_to_fp8, __nv_bfloat162_raw, __nv_bfloat16_raw,
                  __nv_fp8_interpretation_t)
__CU_FP8_PAIR(__nv_cvt_float2_to_e8m0x2, __nv_cvt_float_to_e8m0, float2, cudaRoundMode)
__CU_FP8_PAIR(__nv_cvt_double2_to_e8m0x2, __nv_cvt_double_to_e8m0, double2, cudaRoundMode)
__CU_FP8_RAW_PAIR(__nv_cvt_bfloat162raw_to_e8m0x2, __nv_cvt_bfloat16raw_to_e8m0, __nv_bfloat162_raw, __nv_bfloat16_raw,
                  cudaRoundMode)
#undef __CU_FP8_PAIR
#undef __CU_FP8_RAW_PAIR
static inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind)
{
    return {__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x,
            __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x};
}
static inline __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x)
{
    return {__nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x,
            __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x};
}

/* What the classes are made of: to and from float. */
struct __cu_e4m3 {
    static unsigned char of(float x) { return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3); }
    static unsigned char of(double x) { return __nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E4M3); }
    static float value(unsigned char x) { return __cu_fp8_value(x, __NV_E4M3); }
    static bool is_true(unsigned char x) { return (x & 0x7f) != 0; }
};
struct __cu_e5m2 {
    static unsigned char of(float x) { return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2); }
    static unsigned char of(double x) { return __nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E5M2); }
    static float value(unsigned char x) { return __cu_fp8_value(x, __NV_E5M2); }
    static bool is_true(unsigned char x) { return (x & 0x7f) != 0; }
};
struct __cu_e8m0 {
    static unsigned char of(float x) { return __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf); }
    static unsigned char of(double x) { return __nv_cvt_double_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf); }
    static float value(unsigned char x) { return __cu_from_bfloat16(__nv_cvt_e8m0_to_bf16raw(x).x); }
    static bool is_true(unsigned char) { return true; }
};
/* To integers: toward zero, saturated; NaN is 0, of 64 bits the number with the highest bit alone. */
template <class I> static inline I __cu_fp8_whole(float x)
{
    if constexpr (sizeof(I) < 4) return x != x ? 0 : (I)__cu_clamped<I>(__float2int_rz(x));
    else if constexpr (sizeof(I) == 4) return I(-1) < I(0) ? (I)__float2int_rz(x) : (I)__float2uint_rz(x);
    else return I(-1) < I(0) ? (I)__float2ll_rz(x) : (I)__float2ull_rz(x);
}
template <class K> struct __cu_fp8 {
    __nv_fp8_storage_t __x;
    __cu_fp8() = default;
    explicit __cu_fp8(__half x) : __x(K::of((float)x)) {}
    explicit __cu_fp8(__nv_bfloat16 x) : __x(K::of((float)x)) {}
    explicit __cu_fp8(float x) : __x(K::of(x)) {}
    explicit __cu_fp8(double x) : __x(K::of(x)) {}
    template <class I, class = typename __cu_if<__cu_is_integer<I>::value>::type>
    explicit __cu_fp8(I x) : __x(K::of((double)x)) {}
    explicit operator __half() const { return K::value(__x); }
    explicit operator __nv_bfloat16() const { return K::value(__x); }
    explicit operator float() const { return K::value(__x); }
    explicit operator double() const { return K::value(__x); }
    explicit operator bool() const { return K::is_true(__x); }
    template <class I, class = typename __cu_if<__cu_is_integer<I>::value>::type>
    explicit operator I() const { return __cu_fp8_whole<I>(K::value(__x)); }
};
template <class K> struct __cu_fp8x2 {
    __nv_fp8x2_storage_t __x;
    template <class P> static __nv_fp8x2_storage_t of(P x, P y)
    {
        return (__nv_fp8x2_storage_t)(K::of(x) | K::of(y) << 8);
    }
    __cu_fp8x2() = default;
    explicit __cu_fp8x2(__half2 v) : __x(of((float)v.x, (float)v.y)) {}
    explicit __cu_fp8x2(__nv_bfloat162 v) : __x(of((float)v.x, (float)v.y)) {}
    explicit __cu_fp8x2(float2 v) : __x(of(v.x, v.y)) {}
    explicit __cu_fp8x2(double2 v) : __x(of(v.x, v.y)) {}
    explicit operator __half2() const { return {__half(low()), __half(high())}; }
    explicit operator __nv_bfloat162() const { return {__nv_bfloat16(low()), __nv_bfloat16(high())}; }
    explicit operator float2() const { return make_float2(low(), high()); }
private:
    float low() const { return K::value((unsigned char)__x); }
    float high() const { return K::value((unsigned char)(__x >> 8)); }
};
template <class K> struct __cu_fp8x4 {
    __nv_fp8x4_storage_t __x;
    template <class P> static __nv_fp8x4_storage_t of(P x, P y, P z, P w)
    {
        return K::of(x) | K::of(y) << 8 | K::of(z) << 16 | (unsigned)K::of(w) << 24;
    }
    __cu_fp8x4() = default;
    explicit __cu_fp8x4(__half2 a, __half2 b) : __x(of((float)a.x, (float)a.y, (float)b.x, (float)b.y)) {}
    explicit __cu_fp8x4(__nv_bfloat162 a, __nv_bfloat162 b) : __x(of((float)a.x, (float)a.y, (float)b.x, (float)b.y)) {}
    explicit __cu_fp8x4(float4 v) : __x(of(v.x, v.y, v.z, v.w)) {}
    explicit __cu_fp8x4(double4 v) : __x(of(v.x, v.y, v.z, v.w)) {}
    explicit operator float4() const
    {
        return make_float4(K::value((unsigned char)__x), K::value((unsigned char)(__x >> 8)),
                           K::value((unsigned char)(__x >> 16)), K::value((unsigned char)(__x >> 24)));
    }
};
#define __CU_FP8_TYPES(kind)                                                                                   \
    struct __nv_fp8_##kind : __cu_fp8<__cu_##kind> { using __cu_fp8<__cu_##kind>::__cu_fp8; };                \
    struct __attribute__((aligned(2))) __nv_fp8x2_##kind : __cu_fp8x2<__cu_##kind> {                           \
        using __cu_fp8x2<__cu_##kind>::__cu_fp8x2;                                                             \
    };                                                                                                         \
    struct __attribute__((aligned(4))) __nv_fp8x4_##kind : __cu_fp8x4<__cu_##kind> {                           \
        using __cu_fp8x4<__cu_##kind>::__cu_fp8x4;                                                             \
    };
__CU_FP8_TYPES(e4m3) __CU_FP8_TYPES(e5m2) __CU_FP8_TYPES(e8m0)
#undef __CU_FP8_TYPES
