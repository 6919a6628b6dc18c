/* CUDA's <cuda_fp4.h> on the CPU: numbers of 4 bits (0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives), one in a byte,
 * two in a byte, four in two. cuda_fp6.h says how they are rounded. */
#pragma once
#include "cuda_fp6.h"

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
enum __nv_fp4_interpretation_t { __NV_E2M1 };

struct __cu_e2m1 : __cu_tiny<1, 1, 7, 8> {};

static inline __nv_fp4_storage_t __nv_cvt_double_to_fp4(double x, __nv_fp4_interpretation_t, cudaRoundMode mode)
{
    return __cu_e2m1::rounded(x, mode);
}
static inline __nv_fp4_storage_t __nv_cvt_float_to_fp4(float x, __nv_fp4_interpretation_t, cudaRoundMode mode)
{
    return __cu_e2m1::rounded(x, mode);
}
static inline __nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(__half_raw x, __nv_fp4_interpretation_t, cudaRoundMode mode)
{
    return __cu_e2m1::rounded(__cu_from_half(x.x), mode);
}
static inline __nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(__nv_bfloat16_raw x, __nv_fp4_interpretation_t,
                                                             cudaRoundMode mode)
{
    return __cu_e2m1::rounded(__cu_from_bfloat16(x.x), mode);
}
static inline __half_raw __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t x, __nv_fp4_interpretation_t)
{
    return __half_raw(__half(__cu_e2m1::value(x & 15)));
}
static inline __half2_raw __nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t x, __nv_fp4_interpretation_t kind)
{
    return {__nv_cvt_fp4_to_halfraw(x, kind).x, __nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)(x >> 4), kind).x};
}
#define __CU_FP4_PAIR(name, from, Pair) \
    __CU_TINY_PAIR(name, from, Pair, __nv_fp4_interpretation_t, __nv_fp4x2_storage_t, 4)
__CU_FP4_PAIR(__nv_cvt_float2_to_fp4x2, __nv_cvt_float_to_fp4, float2)
__CU_FP4_PAIR(__nv_cvt_double2_to_fp4x2, __nv_cvt_double_to_fp4, double2)
__CU_FP4_PAIR(__nv_cvt_halfraw2_to_fp4x2, __nv_cvt_halfraw_to_fp4, __half2_raw)
__CU_FP4_PAIR(__nv_cvt_bfloat16raw2_to_fp4x2, __nv_cvt_bfloat16raw_to_fp4, __nv_bfloat162_raw)
#undef __CU_FP4_PAIR
#undef __CU_TINY_PAIR

struct __nv_fp4_e2m1 : __cu_fp8<__cu_e2m1> { using __cu_fp8<__cu_e2m1>::__cu_fp8; };
struct __nv_fp4x2_e2m1 {
    __nv_fp4x2_storage_t __x;
    __nv_fp4x2_e2m1() = default;
    explicit __nv_fp4x2_e2m1(__half2 v) : __x(of((float)v.x, (float)v.y)) {}
    explicit __nv_fp4x2_e2m1(__nv_bfloat162 v) : __x(of((float)v.x, (float)v.y)) {}
    explicit __nv_fp4x2_e2m1(float2 v) : __x(of(v.x, v.y)) {}
    explicit __nv_fp4x2_e2m1(double2 v) : __x(of(v.x, v.y)) {}
    explicit operator __half2() const { return {__half(low()), __half(high())}; }
    explicit operator __nv_bfloat162() const { return {__nv_bfloat16(low()), __nv_bfloat16(high())}; }
    explicit operator float2() const { return make_float2(low(), high()); }

private:
    static __nv_fp4x2_storage_t of(double x, double y)
    {
        return (__nv_fp4x2_storage_t)(__cu_e2m1::of(x) | __cu_e2m1::of(y) << 4);
    }
    float low() const { return __cu_e2m1::value(__x & 15); }
    float high() const { return __cu_e2m1::value(__x >> 4); }
};
struct __nv_fp4x4_e2m1 {
    __nv_fp4x4_storage_t __x;
    __nv_fp4x4_e2m1() = default;
    explicit __nv_fp4x4_e2m1(__half2 a, __half2 b) : __x(of((float)a.x, (float)a.y, (float)b.x, (float)b.y)) {}
    explicit __nv_fp4x4_e2m1(__nv_bfloat162 a, __nv_bfloat162 b)
        : __x(of((float)a.x, (float)a.y, (float)b.x, (float)b.y))
    {
    }
    explicit __nv_fp4x4_e2m1(float4 v) : __x(of(v.x, v.y, v.z, v.w)) {}
    explicit __nv_fp4x4_e2m1(double4 v) : __x(of(v.x, v.y, v.z, v.w)) {}
    explicit operator float4() const { return make_float4(at(0), at(4), at(8), at(12)); }

private:
    static __nv_fp4x4_storage_t of(double x, double y, double z, double w)
    {
        return (__nv_fp4x4_storage_t)(__cu_e2m1::of(x) | __cu_e2m1::of(y) << 4 | __cu_e2m1::of(z) << 8 |
                                      __cu_e2m1::of(w) << 12);
    }
    float at(int bit) const { return __cu_e2m1::value(__x >> bit & 15); }
};
