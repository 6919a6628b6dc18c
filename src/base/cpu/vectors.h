/* SIMD vectors for loops that are compiled once per instruction set: names of the vector types, and operations without
 * a C operator. */
#ifndef CPI_CPU_VECTORS_H
#define CPI_CPU_VECTORS_H

#include "cpu/intrinsics.h"

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

typedef float cpi_f32x4 __attribute__((vector_size(16)));
typedef double cpi_f64x2 __attribute__((vector_size(16)));
#if VECTOR_BYTES >= 32
typedef float cpi_f32x8 __attribute__((vector_size(32)));
typedef double cpi_f64x4 __attribute__((vector_size(32)));
#endif
#if VECTOR_BYTES >= 64
typedef float cpi_f32x16 __attribute__((vector_size(64)));
typedef double cpi_f64x8 __attribute__((vector_size(64)));
#endif

/* acc + a * k, rounded once where the processor has the instruction. */
#if defined(__FMA__)
INLINE cpi_f32x4 cpi_mac_f32x4(cpi_f32x4 acc, cpi_f32x4 a, cpi_f32x4 k)
{
    return (cpi_f32x4)_mm_fmadd_ps((__m128)a, (__m128)k, (__m128)acc);
}
INLINE cpi_f64x2 cpi_mac_f64x2(cpi_f64x2 acc, cpi_f64x2 a, cpi_f64x2 k)
{
    return (cpi_f64x2)_mm_fmadd_pd((__m128d)a, (__m128d)k, (__m128d)acc);
}
INLINE cpi_f32x8 cpi_mac_f32x8(cpi_f32x8 acc, cpi_f32x8 a, cpi_f32x8 k)
{
    return (cpi_f32x8)_mm256_fmadd_ps((__m256)a, (__m256)k, (__m256)acc);
}
INLINE cpi_f64x4 cpi_mac_f64x4(cpi_f64x4 acc, cpi_f64x4 a, cpi_f64x4 k)
{
    return (cpi_f64x4)_mm256_fmadd_pd((__m256d)a, (__m256d)k, (__m256d)acc);
}
#elif defined(__aarch64__)
INLINE cpi_f32x4 cpi_mac_f32x4(cpi_f32x4 acc, cpi_f32x4 a, cpi_f32x4 k)
{
    return (cpi_f32x4)vfmaq_f32((float32x4_t)acc, (float32x4_t)a, (float32x4_t)k);
}
INLINE cpi_f64x2 cpi_mac_f64x2(cpi_f64x2 acc, cpi_f64x2 a, cpi_f64x2 k)
{
    return (cpi_f64x2)vfmaq_f64((float64x2_t)acc, (float64x2_t)a, (float64x2_t)k);
}
#else
INLINE cpi_f32x4 cpi_mac_f32x4(cpi_f32x4 acc, cpi_f32x4 a, cpi_f32x4 k) { return acc + a * k; }
INLINE cpi_f64x2 cpi_mac_f64x2(cpi_f64x2 acc, cpi_f64x2 a, cpi_f64x2 k) { return acc + a * k; }
#endif
#if defined(__AVX512F__)
INLINE cpi_f32x16 cpi_mac_f32x16(cpi_f32x16 acc, cpi_f32x16 a, cpi_f32x16 k)
{
    return (cpi_f32x16)_mm512_fmadd_ps((__m512)a, (__m512)k, (__m512)acc);
}
INLINE cpi_f64x8 cpi_mac_f64x8(cpi_f64x8 acc, cpi_f64x8 a, cpi_f64x8 k)
{
    return (cpi_f64x8)_mm512_fmadd_pd((__m512d)a, (__m512d)k, (__m512d)acc);
}
#endif

/* Which of them a vector type needs. */
#if VECTOR_BYTES == 64
#define CPI_MAC(acc, a, k)                                                                                       \
    _Generic((acc), cpi_f32x4: cpi_mac_f32x4, cpi_f64x2: cpi_mac_f64x2, cpi_f32x8: cpi_mac_f32x8,                \
             cpi_f64x4: cpi_mac_f64x4, cpi_f32x16: cpi_mac_f32x16, cpi_f64x8: cpi_mac_f64x8)(acc, a, k)
#elif VECTOR_BYTES == 32
#define CPI_MAC(acc, a, k)                                                                                       \
    _Generic((acc), cpi_f32x4: cpi_mac_f32x4, cpi_f64x2: cpi_mac_f64x2, cpi_f32x8: cpi_mac_f32x8,                \
             cpi_f64x4: cpi_mac_f64x4)(acc, a, k)
#else
#define CPI_MAC(acc, a, k) _Generic((acc), cpi_f32x4: cpi_mac_f32x4, cpi_f64x2: cpi_mac_f64x2)(acc, a, k)
#endif

/* A vector of type V whose elements are all x: x - 0 is x for every x, -0 and NaN too, where 0 + x is not. */
#define CPI_SPLAT(V, x) ((x) - (V){0})

#endif
