/* The scalar prelude: every function that a body of elementwise.def (or another table) may call, for C17, CUDA
 * C++ and run-time compiled text alike.
 *
 * Functions are named cps_NAME_SUFFIX, one for each computing type: bool, i8..u64, f32, f64, c64, c128. Where a
 * body is expanded, CPS_X is the suffix of the type at hand, T the type, U an unsigned type of at least 32 bits
 * (integers), F(name) the prelude's function for the type and M(name) the mathematical library's. The half
 * types compute in float and need no bodies. */
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

#define CPS_X i8
#define T int8_t
#define U uint32_t
#define CPS_SIGNED 1
#include "scalar/int.inc"
#define CPS_X u8
#define T uint8_t
#define U uint32_t
#define CPS_SIGNED 0
#include "scalar/int.inc"
#define CPS_X i16
#define T int16_t
#define U uint32_t
#define CPS_SIGNED 1
#include "scalar/int.inc"
#define CPS_X u16
#define T uint16_t
#define U uint32_t
#define CPS_SIGNED 0
#include "scalar/int.inc"
#define CPS_X i32
#define T int32_t
#define U uint32_t
#define CPS_SIGNED 1
#include "scalar/int.inc"
#define CPS_X u32
#define T uint32_t
#define U uint32_t
#define CPS_SIGNED 0
#include "scalar/int.inc"
#define CPS_X i64
#define T int64_t
#define U uint64_t
#define CPS_SIGNED 1
#include "scalar/int.inc"
#define CPS_X u64
#define T uint64_t
#define U uint64_t
#define CPS_SIGNED 0
#include "scalar/int.inc"

#define CPS_X f32
#define CPS_LIBM f
#define T float
#include "scalar/real.inc"
#define CPS_X f64
#define CPS_LIBM
#define T double
#include "scalar/real.inc"

#define CPS_X c64
#define T cp_complex64
#define CPS_R float
#define CPS_LIBM f
#include "scalar/complex.inc"
#define CPS_X c128
#define T cp_complex128
#define CPS_R double
#define CPS_LIBM
#include "scalar/complex.inc"
#include "scalar/complex_math.h"

/* The next float16 or bfloat16 from a towards b, by their bits; `infinity` is that type's. */
CPS_MATH uint16_t cps_nextafter_bits(uint16_t a, uint16_t b, uint16_t infinity)
{
    uint16_t ma = a & 0x7fff, mb = b & 0x7fff;
    if (ma > infinity || mb > infinity) return ma > infinity ? a : b;
    int ia = a & 0x8000 ? -(int)ma : ma, ib = b & 0x8000 ? -(int)mb : mb; /* ordered as the values are */
    if (ia == ib) return b;
    if (!ma) return (uint16_t)((b & 0x8000) | 1);
    return (uint16_t)((ia < ib) == (ia > 0) ? a + 1 : a - 1);
}

#endif
