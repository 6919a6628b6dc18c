/* CUDA's half precision on the CPU: small_floats.h says what it has. */
#pragma once
#include "small_floats.h"

/* By the bits, without branches, so that loops become vectors. */
static inline float __cu_from_half(unsigned short h)
{
    unsigned sign = (h & 0x8000u) << 16, body = (h & 0x7fffu) << 13;
    float normal = __uint_as_float(body + 0x38000000u);
    float small = __uint_as_float(body + 0x38800000u) - __uint_as_float(0x38800000u);
    float big = __uint_as_float(body | 0x7f800000u);
    float m = body < 0x00800000u ? small : body >= 0x0f800000u ? big : normal;
    return __uint_as_float(__float_as_uint(m) | sign);
}
static inline unsigned short __cu_to_half(float f)
{
    unsigned u = __float_as_uint(f), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
    unsigned normal = (a + 0x0fffu + (a >> 13 & 1u) - 0x38000000u) >> 13;
    unsigned small = __float_as_uint(__uint_as_float(a < 0x38800000u ? a : 0) + 0.5f) - 0x3f000000u;
    unsigned r = a > 0x7f800000u    ? 0x7e00u | (a >> 13 & 0x3ffu)
                 : a >= 0x477ff000u ? 0x7c00u
                 : a < 0x38800000u  ? small
                                    : normal;
    return (unsigned short)(r | sign);
}

#define __CU_F __half
#define __CU_R __half_raw
#define __CU_V __half2
#define __CU_R2 __half2_raw
#define __CU_N half
#include "small_float.inc"
typedef __half half;
typedef __half nv_half;
typedef __half2 half2;
static inline __half2 make_half2(__half a, __half b) { return {a, b}; }
