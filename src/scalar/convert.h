/* Scalar conversions between the 15 element types, one text for C17, CUDA C++ and run-time compilation.
 *
 * CPS_CONVERT(from, to, value) at the end is the whole of it. Invariant: a conversion has one result on every device, that of
 * NumPy on x86-64; in particular floating-point values that do not fit an integer (and NaN) give the smallest
 * 32- or 64-bit integer, cut to the width, which is what the processor's cvttsd2si gives. */
#ifndef CPS_CONVERT_H
#define CPS_CONVERT_H

#ifdef __CUDACC__
#define CPS static __device__ __host__ __forceinline__
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
    /* Values from 2^63 up are moved down by 2^63 first; what is out of range even then gives 0. */
    return f >= 9223372036854775808.0
               ? (uint64_t)cps_f64_to_i64(f - 9223372036854775808.0) ^ ((uint64_t)1 << 63)
               : (uint64_t)cps_f64_to_i64(f);
}

/* --- one type's value to another type ---
 *
 * CPS_LOAD_s(raw) widens a stored value of type s; its class CPS_CLASS_s is I (an integer), F (float), D (double),
 * C or G (complex64, complex128); CPS_TO_class_t(x) makes the stored form of type t from it. */
#define CPS_TYPES(X, A) X(A, b) X(A, i8) X(A, u8) X(A, i16) X(A, u16) X(A, i32) X(A, u32) X(A, i64) X(A, u64) \
    X(A, f16) X(A, bf16) X(A, f32) X(A, f64) X(A, c64) X(A, c128)
/* the same list, for use inside the first */
#define CPS_TYPES_INNER(X, A) X(A, b) X(A, i8) X(A, u8) X(A, i16) X(A, u16) X(A, i32) X(A, u32) X(A, i64) \
    X(A, u64) X(A, f16) X(A, bf16) X(A, f32) X(A, f64) X(A, c64) X(A, c128)
#define CPS_CTYPE_b uint8_t
#define CPS_CTYPE_i8 int8_t
#define CPS_CTYPE_u8 uint8_t
#define CPS_CTYPE_i16 int16_t
#define CPS_CTYPE_u16 uint16_t
#define CPS_CTYPE_i32 int32_t
#define CPS_CTYPE_u32 uint32_t
#define CPS_CTYPE_i64 int64_t
#define CPS_CTYPE_u64 uint64_t
#define CPS_CTYPE_f16 uint16_t
#define CPS_CTYPE_bf16 uint16_t
#define CPS_CTYPE_f32 float
#define CPS_CTYPE_f64 double
#define CPS_CTYPE_c64 cp_complex64
#define CPS_CTYPE_c128 cp_complex128
#define CPS_ENUM_b CP_BOOL
#define CPS_ENUM_i8 CP_INT8
#define CPS_ENUM_u8 CP_UINT8
#define CPS_ENUM_i16 CP_INT16
#define CPS_ENUM_u16 CP_UINT16
#define CPS_ENUM_i32 CP_INT32
#define CPS_ENUM_u32 CP_UINT32
#define CPS_ENUM_i64 CP_INT64
#define CPS_ENUM_u64 CP_UINT64
#define CPS_ENUM_f16 CP_FLOAT16
#define CPS_ENUM_bf16 CP_BFLOAT16
#define CPS_ENUM_f32 CP_FLOAT32
#define CPS_ENUM_f64 CP_FLOAT64
#define CPS_ENUM_c64 CP_COMPLEX64
#define CPS_ENUM_c128 CP_COMPLEX128
#define CPS_LOAD_b(x) ((uint8_t)((x) != 0))
#define CPS_LOAD_i8(x) (x)
#define CPS_LOAD_u8(x) (x)
#define CPS_LOAD_i16(x) (x)
#define CPS_LOAD_u16(x) (x)
#define CPS_LOAD_i32(x) (x)
#define CPS_LOAD_u32(x) (x)
#define CPS_LOAD_i64(x) (x)
#define CPS_LOAD_u64(x) (x)
#define CPS_LOAD_f16(x) cps_f16_to_f32(x)
#define CPS_LOAD_bf16(x) cps_bf16_to_f32(x)
#define CPS_LOAD_f32(x) (x)
#define CPS_LOAD_f64(x) (x)
#define CPS_LOAD_c64(x) (x)
#define CPS_LOAD_c128(x) (x)
#define CPS_CLASS_b I
#define CPS_CLASS_i8 I
#define CPS_CLASS_u8 I
#define CPS_CLASS_i16 I
#define CPS_CLASS_u16 I
#define CPS_CLASS_i32 I
#define CPS_CLASS_u32 I
#define CPS_CLASS_i64 I
#define CPS_CLASS_u64 I
#define CPS_CLASS_f16 F
#define CPS_CLASS_bf16 F
#define CPS_CLASS_f32 F
#define CPS_CLASS_f64 D
#define CPS_CLASS_c64 C
#define CPS_CLASS_c128 G

CPS cp_complex64 cps_pair32(float re, float im) { cp_complex64 z; z.re = re; z.im = im; return z; }
CPS cp_complex128 cps_pair64(double re, double im) { cp_complex128 z; z.re = re; z.im = im; return z; }

#define CPS_TO_I_b(x) ((uint8_t)((x) != 0))
#define CPS_TO_F_b(x) ((uint8_t)((x) != 0))
#define CPS_TO_D_b(x) ((uint8_t)((x) != 0))
#define CPS_TO_C_b(x) ((uint8_t)(((x).re != 0) | ((x).im != 0)))
#define CPS_TO_G_b(x) CPS_TO_C_b(x)
#define CPS_TO_I_i8(x) ((int8_t)(x))
#define CPS_TO_F_i8(x) ((int8_t)cps_f32_to_i32(x))
#define CPS_TO_D_i8(x) ((int8_t)cps_f64_to_i32(x))
#define CPS_TO_C_i8(x) CPS_TO_F_i8((x).re)
#define CPS_TO_G_i8(x) CPS_TO_D_i8((x).re)
#define CPS_TO_I_u8(x) ((uint8_t)(x))
#define CPS_TO_F_u8(x) ((uint8_t)cps_f32_to_i32(x))
#define CPS_TO_D_u8(x) ((uint8_t)cps_f64_to_i32(x))
#define CPS_TO_C_u8(x) CPS_TO_F_u8((x).re)
#define CPS_TO_G_u8(x) CPS_TO_D_u8((x).re)
#define CPS_TO_I_i16(x) ((int16_t)(x))
#define CPS_TO_F_i16(x) ((int16_t)cps_f32_to_i32(x))
#define CPS_TO_D_i16(x) ((int16_t)cps_f64_to_i32(x))
#define CPS_TO_C_i16(x) CPS_TO_F_i16((x).re)
#define CPS_TO_G_i16(x) CPS_TO_D_i16((x).re)
#define CPS_TO_I_u16(x) ((uint16_t)(x))
#define CPS_TO_F_u16(x) ((uint16_t)cps_f32_to_i32(x))
#define CPS_TO_D_u16(x) ((uint16_t)cps_f64_to_i32(x))
#define CPS_TO_C_u16(x) CPS_TO_F_u16((x).re)
#define CPS_TO_G_u16(x) CPS_TO_D_u16((x).re)
#define CPS_TO_I_i32(x) ((int32_t)(x))
#define CPS_TO_F_i32(x) cps_f32_to_i32(x)
#define CPS_TO_D_i32(x) cps_f64_to_i32(x)
#define CPS_TO_C_i32(x) CPS_TO_F_i32((x).re)
#define CPS_TO_G_i32(x) CPS_TO_D_i32((x).re)
#define CPS_TO_I_u32(x) ((uint32_t)(x))
#define CPS_TO_F_u32(x) ((uint32_t)cps_f32_to_i64(x))
#define CPS_TO_D_u32(x) ((uint32_t)cps_f64_to_i64(x))
#define CPS_TO_C_u32(x) CPS_TO_F_u32((x).re)
#define CPS_TO_G_u32(x) CPS_TO_D_u32((x).re)
#define CPS_TO_I_i64(x) ((int64_t)(x))
#define CPS_TO_F_i64(x) cps_f32_to_i64(x)
#define CPS_TO_D_i64(x) cps_f64_to_i64(x)
#define CPS_TO_C_i64(x) CPS_TO_F_i64((x).re)
#define CPS_TO_G_i64(x) CPS_TO_D_i64((x).re)
#define CPS_TO_I_u64(x) ((uint64_t)(x))
#define CPS_TO_F_u64(x) cps_f64_to_u64((double)(x))
#define CPS_TO_D_u64(x) cps_f64_to_u64(x)
#define CPS_TO_C_u64(x) CPS_TO_F_u64((x).re)
#define CPS_TO_G_u64(x) CPS_TO_D_u64((x).re)
#define CPS_TO_I_f16(x) cps_f32_to_f16((float)(x))
#define CPS_TO_F_f16(x) cps_f32_to_f16(x)
#define CPS_TO_D_f16(x) cps_f32_to_f16(cps_f64_to_odd(x))
#define CPS_TO_C_f16(x) CPS_TO_F_f16((x).re)
#define CPS_TO_G_f16(x) CPS_TO_D_f16((x).re)
#define CPS_TO_I_bf16(x) cps_f32_to_bf16((float)(x))
#define CPS_TO_F_bf16(x) cps_f32_to_bf16(x)
#define CPS_TO_D_bf16(x) cps_f32_to_bf16(cps_f64_to_odd(x))
#define CPS_TO_C_bf16(x) CPS_TO_F_bf16((x).re)
#define CPS_TO_G_bf16(x) CPS_TO_D_bf16((x).re)
#define CPS_TO_I_f32(x) ((float)(x))
#define CPS_TO_F_f32(x) ((x))
#define CPS_TO_D_f32(x) cps_f64_to_f32(x)
#define CPS_TO_C_f32(x) CPS_TO_F_f32((x).re)
#define CPS_TO_G_f32(x) CPS_TO_D_f32((x).re)
#define CPS_TO_I_f64(x) ((double)(x))
#define CPS_TO_F_f64(x) cps_f32_to_f64(x)
#define CPS_TO_D_f64(x) ((x))
#define CPS_TO_C_f64(x) CPS_TO_F_f64((x).re)
#define CPS_TO_G_f64(x) CPS_TO_D_f64((x).re)
#define CPS_TO_I_c64(x) cps_pair32((float)(x), 0)
#define CPS_TO_F_c64(x) cps_pair32(x, 0)
#define CPS_TO_D_c64(x) cps_pair32(cps_f64_to_f32(x), 0)
#define CPS_TO_C_c64(x) (x)
#define CPS_TO_G_c64(x) cps_pair32(cps_f64_to_f32((x).re), cps_f64_to_f32((x).im))
#define CPS_TO_I_c128(x) cps_pair64((double)(x), 0)
#define CPS_TO_F_c128(x) cps_pair64(cps_f32_to_f64(x), 0)
#define CPS_TO_D_c128(x) cps_pair64(x, 0)
#define CPS_TO_C_c128(x) cps_pair64(cps_f32_to_f64((x).re), cps_f32_to_f64((x).im))
#define CPS_TO_G_c128(x) (x)

/* CPS_CONVERT(from, to, raw): the stored form of type `to` of a stored value of type `from`. */
#define CPS_CONVERT_3(class, to, x) CPS_TO_##class##_##to(x)
#define CPS_CONVERT_2(class, to, x) CPS_CONVERT_3(class, to, x)
#define CPS_CONVERT(from, to, raw) CPS_CONVERT_2(CPS_CLASS_##from, to, CPS_LOAD_##from(raw))

#endif
