/* Scalar conversions between the element types, one source for C17, CUDA C++ and run-time compilation.
 *
 * cps_FROM_to_TO(x), suffixes of types.def, makes the stored form of one type from that of another. Special pairs are
 * written here; all others are generated from the rows (scalar/conversions.h). Invariant: a conversion has the same
 * result on every device, that of NumPy on x86-64. In particular floating-point values that do not fit an integer (and
 * NaN) give the smallest 32- or 64-bit integer, truncated to the width, as the processor's cvttsd2si does. */
#ifndef CPS_CONVERT_H
#define CPS_CONVERT_H

#ifdef __CUDACC__
#define CPS static __device__ __host__ __forceinline__
#define CPS_DEVICE static __device__ __forceinline__
#else
#define CPS static inline __attribute__((always_inline, unused))
#endif

typedef union { float f; uint32_t u; } cps_bits32;
typedef union { double f; uint64_t u; } cps_bits64;

CPS uint32_t cps_bits_f32(float f) { cps_bits32 b; b.f = f; return b.u; }
CPS float cps_from_bits_f32(uint32_t u) { cps_bits32 b; b.u = u; return b.f; }
CPS uint64_t cps_bits_f64(double f) { cps_bits64 b; b.f = f; return b.u; }
CPS double cps_from_bits_f64(uint64_t u) { cps_bits64 b; b.u = u; return b.f; }

/* --- half types --- */

/* Branch-free where it matters, so that compilers can vectorise it. */
CPS float cps_f16_to_f32(uint16_t h)
{
#ifdef __CUDA_ARCH__
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    /* the instruction would give every NaN the same bits */
    uint32_t nan = (uint32_t)(h & 0x8000u) << 16 | 0x7f800000u | (uint32_t)(h & 0x3ffu) << 13;
    return (h & 0x7fffu) > 0x7c00u ? cps_from_bits_f32(nan) : f;
#else
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, body = (uint32_t)(h & 0x7fffu) << 13;
    /* normal numbers: shift the exponent's bias; subnormal: an exact subtraction; inf and NaN: largest exponent */
    float normal = cps_from_bits_f32(body + 0x38000000u);
    float small = cps_from_bits_f32(body + 0x38800000u) - cps_from_bits_f32(0x38800000u);
    float big = cps_from_bits_f32(body | 0x7f800000u);
    float m = body < 0x00800000u ? small : body >= 0x0f800000u ? big : normal;
    return cps_from_bits_f32(cps_bits_f32(m) | sign);
#endif
}

CPS uint16_t cps_f32_to_f16(float f)
{
#ifdef __CUDA_ARCH__
    uint16_t h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    uint32_t u = cps_bits_f32(f), nan = 0x7e00u | ((u >> 16) & 0x8000u) | ((u >> 13) & 0x3ffu);
    return f != f ? (uint16_t)nan : h;
#else
    uint32_t u = cps_bits_f32(f), sign = (u >> 16) & 0x8000u, a = u & 0x7fffffffu;
    /* normal: round the 13 bits that go to nearest even; subnormal: let an addition round */
    uint32_t normal = (a + 0x0fffu + ((a >> 13) & 1u) - 0x38000000u) >> 13;
    uint32_t small = cps_bits_f32(cps_from_bits_f32(a < 0x38800000u ? a : 0) + 0.5f) - 0x3f000000u;
    uint32_t nan = 0x7e00u | ((a >> 13) & 0x3ffu);
    uint32_t h = a < 0x38800000u ? small : a >= 0x477ff000u ? 0x7c00u : normal;
    h = a > 0x7f800000u ? nan : h;
    return (uint16_t)(h | sign);
#endif
}

#ifdef __CUDACC__
/* For the GPU only: the bare instructions, which give every NaN the same bits. The generator finds them by name:
 * loose_TYPE_to_f32, and loose_f32_to_TYPE_pair, the first number in the lower half of the word. */
CPS_DEVICE float cps_loose_f16_to_f32(uint16_t h)
{
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
}
CPS_DEVICE uint32_t cps_loose_f32_to_f16_pair(float first, float second)
{
    uint32_t two;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(second), "f"(first));
    return two;
}
#endif

CPS float cps_bf16_to_f32(uint16_t h) { return cps_from_bits_f32((uint32_t)h << 16); }

CPS uint16_t cps_f32_to_bf16(float f)
{
    uint32_t u = cps_bits_f32(f);
    uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : rounded);
}

/* Between float32 and float64 a NaN keeps its sign and payload, and is quiet, as on the CPU. */
CPS double cps_f32_to_f64(float f)
{
#ifdef __CUDA_ARCH__
    uint32_t u = cps_bits_f32(f);
    uint64_t nan = (uint64_t)(u >> 31) << 63 | 0x7ff8000000000000u | (uint64_t)(u & 0x7fffffu) << 29;
    return f != f ? cps_from_bits_f64(nan) : (double)f;
#else
    return (double)f;
#endif
}

CPS float cps_f64_to_f32(double d)
{
#ifdef __CUDA_ARCH__
    uint64_t u = cps_bits_f64(d);
    uint32_t nan = (uint32_t)(u >> 63) << 31 | 0x7fc00000u | ((uint32_t)(u >> 29) & 0x3fffffu);
    return d != d ? cps_from_bits_f32(nan) : (float)d;
#else
    return (float)d;
#endif
}

/* float64 to float32 so that a second rounding to a half type rounds the float64 correctly: round to odd. */
CPS float cps_f64_to_odd(double d)
{
    float f = cps_f64_to_f32(d);
    double back = (double)f;
    uint32_t u = cps_bits_f32(f);
    uint32_t cut = (back < 0 ? -back : back) > (d < 0 ? -d : d) ? u - 1 : u;
    return back == d || d != d ? f : cps_from_bits_f32(cut | 1u);
}

/* --- floating point to integers, as cvttss2si and cvttsd2si do --- */

CPS int32_t cps_f32_to_i32(float f)
{
    return f >= -2147483648.0f && f < 2147483648.0f ? (int32_t)f : INT32_MIN;
}
CPS int32_t cps_f64_to_i32(double f)
{
    return f > -2147483649.0 && f < 2147483648.0 ? (int32_t)f : INT32_MIN;
}
CPS int64_t cps_f32_to_i64(float f)
{
    return f >= -9223372036854775808.0f && f < 9223372036854775808.0f ? (int64_t)f : INT64_MIN;
}
CPS int64_t cps_f64_to_i64(double f)
{
    return f >= -9223372036854775808.0 && f < 9223372036854775808.0 ? (int64_t)f : INT64_MIN;
}
CPS uint64_t cps_f64_to_u64(double f)
{
    /* Values from 2^63 up are moved down by 2^63 first; values out of range even then give 0. */
    return f >= 9223372036854775808.0
               ? (uint64_t)cps_f64_to_i64(f - 9223372036854775808.0) ^ ((uint64_t)1 << 63)
               : (uint64_t)cps_f64_to_i64(f);
}

/* --- every other pair of types, made from src/base/core/types.def --- */
#include "scalar/conversions.h"
#include "scalar/type_list.h"

#endif
