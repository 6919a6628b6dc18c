/* CUDA's <cuda_fp6.h> on the CPU: numbers of 6 bits with 2 and 3 bits of exponent (Open Compute Project, "Microscaling
 * formats", 2023), one, two and four together, each in a byte. There are neither infinities nor NaN: what is beyond the
 * largest number becomes that one, and NaN does, with the sign +. Rounding is to the nearest, ties to even, or toward
 * zero. */
#pragma once
#include "cuda_fp8.h"

typedef __nv_fp8_storage_t __nv_fp6_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp6x2_storage_t;
typedef __nv_fp8x4_storage_t __nv_fp6x4_storage_t;
enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 };

/* The bits of x with `mantissa` bits below the exponent, of which the largest is `most`; `sign` is the sign's bit. */
template <int mantissa, int bias, unsigned most, unsigned sign> struct __cu_tiny {
    static unsigned char rounded(double x, cudaRoundMode mode)
    {
        if (x != x) return most;
        double a = fabs(x);
        const int exponent = a < 1e-30 ? 1 - bias : (int)(__double2hiint(a) >> 20 & 0x7ff) - 1023;
        const int unit = (exponent < 1 - bias ? 1 - bias : exponent) - mantissa;
        a = scalbn(a, -unit);
        a = mode == cudaRoundZero ? trunc(a) : rint(a);
        double bits = a; /* in units of the last place: of denormals it is all; each binade above has as many */
        if (exponent >= 1 - bias) bits = a + (double)((exponent + bias - 1) << mantissa);
        return (unsigned char)((bits < most ? (unsigned)bits : most) | (signbit(x) ? sign : 0));
    }
    static float value(unsigned char x)
    {
        const int exponent = (x & (sign - 1)) >> mantissa, rest = x & ((1 << mantissa) - 1);
        const int all = exponent ? rest + (1 << mantissa) : rest, unit = (exponent ? exponent : 1) - bias - mantissa;
        const float r = scalbnf((float)all, unit);
        return x & sign ? -r : r;
    }
    static unsigned char of(float x) { return rounded(x, cudaRoundNearest); }
    static unsigned char of(double x) { return rounded(x, cudaRoundNearest); }
    static bool is_true(unsigned char x) { return (x & (sign - 1)) != 0; }
};
struct __cu_e2m3 : __cu_tiny<3, 1, 0x1f, 0x20> {};
struct __cu_e3m2 : __cu_tiny<2, 3, 0x1f, 0x20> {};

static inline __nv_fp6_storage_t __nv_cvt_double_to_fp6(double x, __nv_fp6_interpretation_t kind, cudaRoundMode mode)
{
    return kind == __NV_E2M3 ? __cu_e2m3::rounded(x, mode) : __cu_e3m2::rounded(x, mode);
}
static inline __nv_fp6_storage_t __nv_cvt_float_to_fp6(float x, __nv_fp6_interpretation_t kind, cudaRoundMode mode)
{
    return __nv_cvt_double_to_fp6(x, kind, mode);
}
static inline __nv_fp6_storage_t __nv_cvt_halfraw_to_fp6(__half_raw x, __nv_fp6_interpretation_t kind,
                                                         cudaRoundMode mode)
{
    return __nv_cvt_double_to_fp6(__cu_from_half(x.x), kind, mode);
}
static inline __nv_fp6_storage_t __nv_cvt_bfloat16raw_to_fp6(__nv_bfloat16_raw x, __nv_fp6_interpretation_t kind,
                                                             cudaRoundMode mode)
{
    return __nv_cvt_double_to_fp6(__cu_from_bfloat16(x.x), kind, mode);
}
static inline __half_raw __nv_cvt_fp6_to_halfraw(__nv_fp6_storage_t x, __nv_fp6_interpretation_t kind)
{
    return __half_raw(__half(kind == __NV_E2M3 ? __cu_e2m3::value(x & 0x3f) : __cu_e3m2::value(x & 0x3f)));
}
static inline __half2_raw __nv_cvt_fp6x2_to_halfraw2(__nv_fp6x2_storage_t x, __nv_fp6_interpretation_t kind)
{
    return {__nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)x, kind).x,
            __nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)(x >> 8), kind).x};
}
/* Two at once: the first is the lower one. */
#define __CU_TINY_PAIR(name, from, Pair, kind, storage, bits)                             \
    static inline storage name(Pair x, kind k, cudaRoundMode mode)                        \
    {                                                                                     \
        return (storage)(from({x.x}, k, mode) | from({x.y}, k, mode) << bits);            \
    }
#define __CU_FP6_PAIR(name, from, Pair) \
    __CU_TINY_PAIR(name, from, Pair, __nv_fp6_interpretation_t, __nv_fp6x2_storage_t, 8)
__CU_FP6_PAIR(__nv_cvt_float2_to_fp6x2, __nv_cvt_float_to_fp6, float2)
__CU_FP6_PAIR(__nv_cvt_double2_to_fp6x2, __nv_cvt_double_to_fp6, double2)
__CU_FP6_PAIR(__nv_cvt_halfraw2_to_fp6x2, __nv_cvt_halfraw_to_fp6, __half2_raw)
__CU_FP6_PAIR(__nv_cvt_bfloat16raw2_to_fp6x2, __nv_cvt_bfloat16raw_to_fp6, __nv_bfloat162_raw)
#undef __CU_FP6_PAIR

#define __CU_FP6_TYPES(kind)                                                                                  \
    struct __nv_fp6_##kind : __cu_fp8<__cu_##kind> { using __cu_fp8<__cu_##kind>::__cu_fp8; };               \
    struct __attribute__((aligned(2))) __nv_fp6x2_##kind : __cu_fp8x2<__cu_##kind> {                          \
        using __cu_fp8x2<__cu_##kind>::__cu_fp8x2;                                                            \
    };                                                                                                        \
    struct __attribute__((aligned(4))) __nv_fp6x4_##kind : __cu_fp8x4<__cu_##kind> {                          \
        using __cu_fp8x4<__cu_##kind>::__cu_fp8x4;                                                            \
    };
__CU_FP6_TYPES(e2m3) __CU_FP6_TYPES(e3m2)
#undef __CU_FP6_TYPES
