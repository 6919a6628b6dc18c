/* The scalar prelude: every function that a body of elementwise.def (or another table) may call, for C17, CUDA C++ and
 * run-time compilation.
 *
 * Functions are named cps_NAME_SUFFIX, one for each computing type: i8..u64, f32, f64, c64, c128. The templates
 * int.inc, real.inc and complex.inc are instantiated for every type by tools/generate/element_types.py
 * (scalar/functions.h). In them, and in the bodies of tables, T is the type, U an unsigned type of at least 32 bits
 * (integers), R the type of a complex number's parts, F(name) the prelude's function for the type, M(name) the
 * mathematical library's, X(name) a name with the type's suffix. The half types compute in float; half.inc has the
 * operations on their bits. */
#ifndef CPS_SCALAR_H
#define CPS_SCALAR_H

#ifndef __CUDACC_RTC__
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "cuprite/types.h"
#endif
#include "scalar/convert.h"

#ifdef __CUDACC__
#define CPS_MATH static __device__ __forceinline__
#define CPS_HEAVY static __device__ __noinline__ /* large functions: compiled once, called */
#else
#define CPS_MATH static inline __attribute__((always_inline, unused))
#define CPS_HEAVY static __attribute__((noinline, unused))
#endif

#define CPS_CAT3_(a, b, c) a##b##_##c
#define CPS_CAT3(a, b, c) CPS_CAT3_(a, b, c)
#define CPS_CAT_(a, b) a##b
#define CPS_CAT(a, b) CPS_CAT_(a, b)
#define F(name) CPS_CAT3(cps_, name, CPS_X)
#define M(name) CPS_CAT(name, CPS_LIBM)

/* A product that no fused operation takes: GCC makes one of a sum beside a difference, whatever -ffp-contract says, but
 * not at the end of an array. */
#if defined __has_builtin && !defined __CUDACC__
#if __has_builtin(__builtin_assoc_barrier)
#define CPS_ROUNDED(x) __builtin_assoc_barrier(x)
#endif
#endif
#ifndef CPS_ROUNDED
#define CPS_ROUNDED(x) (x)
#endif

#ifdef __CUDACC__
/* 2^f for f in [-1/2, 1/2]: a polynomial of degree 6. */
CPS_MATH float cps_exp2_part_f32(float f)
{
    float p = 1.54614475e-04f;
    p = fmaf(p, f, 1.33908674e-03f);
    p = fmaf(p, f, 9.61805667e-03f);
    p = fmaf(p, f, 5.55035710e-02f);
    p = fmaf(p, f, 2.40226509e-01f);
    p = fmaf(p, f, 6.93147188e-01f);
    return fmaf(p, f, 1.0f);
}

/* 2^x for -64 < x <= 0 within 0.85 ulp, where CUDA's exp2f has 2. */
CPS_MATH float cps_exp2_near_f32(float x)
{
    const float whole = rintf(x);
    return cps_exp2_part_f32(x - whole) * cps_from_bits_f32((uint32_t)((int)whole + 127) << 23);
}

/* a to the power of b, for positive finite a and finite b, within 1.2 ulp: the logarithm of a is computed in two
 * parts. */
CPS_MATH float cps_pow_usual_f32(float a, float b)
{
    const int tiny = a < 1.17549435e-38f;
    /* a = m 2^e, m in [1/sqrt(2), sqrt(2)); ln(m) = r + r^3 (1/12 + r^2/80 + ...), r = 2 (m - 1) / (m + 1) */
    const int32_t bits = (int32_t)cps_bits_f32(tiny ? a * 16777216.0f : a);
    const int32_t above = (bits - 0x3f3504f3) & (int32_t)0xff800000;
    const float e = (float)((above >> 23) - (tiny ? 24 : 0));
    const float m = cps_from_bits_f32((uint32_t)(bits - above)), d = m - 1;
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(m + 1));
    const float r = inverse * (d + d), s = r * r, missing = inverse * fmaf(d, -r, 2 * (d - r)); /* the rounding error of
                                                                                                   r */
    float p = fmaf(s, 6.64489693e-04f, 3.21645569e-03f);
    p = fmaf(s, p, 1.80338398e-02f);
    p = s * fmaf(s, p, 1.20224588e-01f);
    const float log2e = 1.44269502f, high = fmaf(r, log2e, e);
    float low = fmaf(r, log2e, e - high);
    low = fmaf(missing, log2e, low);
    low = fmaf(r, 1.925963e-08f, low); /* the rounding error of log2e */
    low = fmaf(missing, 3 * p, low);
    low = fmaf(r, p, low);
    const float log = high + low, y = log * b, whole = rintf(y);
    if (fabsf(y) > 160) return y < 0 ? 0 : INFINITY;
    const float f = fmaf(low - (log - high), b, fmaf(log, b, -y)) + (y - whole);
    const int n = (int)whole, half = n / 2; /* in two steps: results may be subnormal */
    return cps_exp2_part_f32(f) * cps_from_bits_f32((uint32_t)(half + 127) << 23) *
           cps_from_bits_f32((uint32_t)(n - half + 127) << 23);
}
/* For any numbers: CUDA's function handles all special cases. */
CPS_HEAVY float cps_pow_any_f32(float a, float b) { return powf(a, b); }
#endif

#include "scalar/series.h"
#include "scalar/functions.h"
#include "scalar/complex_math.h"

/* The distance from a float16 to the next towards infinity, as NumPy does for that type alone. */
CPS_MATH uint16_t cps_spacing_upwards_f16(uint16_t a)
{
    if ((a & 0x7fff) >= 0x7c00) return 0x7e00;
    return cps_f32_to_f16(cps_f16_to_f32(cps_nextafter_f16(a, 0x7c00)) - cps_f16_to_f32(a));
}

#endif
