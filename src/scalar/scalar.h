/* The scalar prelude: every function that a body of elementwise.def (or another table) may call, for C17, CUDA
 * C++ and run-time compiled text alike.
 *
 * Functions are named cps_NAME_SUFFIX, one for each computing type: i8..u64, f32, f64, c64, c128. The templates int.inc,
 * real.inc and complex.inc are written out for every type by tools/generate/element_types.py (scalar/functions.h). In them, and
 * in the bodies of tables, T is the type, U an unsigned type of at least 32 bits (integers), R the type of a complex
 * number's parts, F(name) the prelude's function for the type, M(name) the mathematical library's, X(name) a name with
 * the type's suffix. The half types compute in float; half.inc has what is done with their bits. */
#ifndef CPS_SCALAR_H
#define CPS_SCALAR_H

#ifndef __CUDACC_RTC__
#include <math.h>
#include <stdint.h>
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

#ifdef __CUDACC__
/* 2^x for -64 < x <= 0 within 0.85 ulp, where CUDA's exp2f has 2: a polynomial of degree 6 on [-1/2, 1/2]. */
CPS_MATH float cps_exp2_near_f32(float x)
{
    const float whole = rintf(x), f = x - whole;
    float p = 1.54614475e-04f;
    p = fmaf(p, f, 1.33908674e-03f);
    p = fmaf(p, f, 9.61805667e-03f);
    p = fmaf(p, f, 5.55035710e-02f);
    p = fmaf(p, f, 2.40226509e-01f);
    p = fmaf(p, f, 6.93147188e-01f);
    return fmaf(p, f, 1.0f) * cps_from_bits_f32((uint32_t)((int)whole + 127) << 23);
}
#endif

#include "scalar/series.h"
#include "scalar/functions.h"
#include "scalar/complex_math.h"

/* The distance from a float16 to the next towards infinity, as NumPy has it for that type alone. */
CPS_MATH uint16_t cps_spacing_upwards_f16(uint16_t a)
{
    if ((a & 0x7fff) >= 0x7c00) return 0x7e00;
    return cps_f32_to_f16(cps_f16_to_f32(cps_nextafter_f16(a, 0x7c00)) - cps_f16_to_f32(a));
}

#endif
