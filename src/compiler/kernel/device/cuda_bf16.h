/* CUDA's bfloat16 on the CPU, the upper half of a float: small_floats.h says what it has. */
#pragma once
#include "small_floats.h"

static inline float __cu_from_bfloat16(unsigned short h) { return __uint_as_float((unsigned)h << 16); }
static inline unsigned short __cu_to_bfloat16(float f)
{
    unsigned u = __float_as_uint(f);
    return f != f ? (unsigned short)0x7fff : (unsigned short)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}

#define __CU_F __nv_bfloat16
#define __CU_R __nv_bfloat16_raw
#define __CU_V __nv_bfloat162
#define __CU_R2 __nv_bfloat162_raw
#define __CU_N bfloat16
#include "small_float.inc"
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
static inline __nv_bfloat162 make_nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
static inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
