/* The CPU's transforms, compiled once for each instruction set: the templates batch.h, group.h,
 * cosine.h and line.h for both types. */
#include "fft/simd.h"

#include <string.h>

#include "cpu/features.h"
#include "cpu/intrinsics.h"

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#define FMA32(a, b, c) ((V)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define FMA64(a, b, c) ((V)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define FNMA32(a, b, c) ((V)_mm512_fnmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define FNMA64(a, b, c) ((V)_mm512_fnmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#elif defined(__FMA__)
#define VECTOR_BYTES 32
#define FMA32(a, b, c) ((V)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define FMA64(a, b, c) ((V)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define FNMA32(a, b, c) ((V)_mm256_fnmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define FNMA64(a, b, c) ((V)_mm256_fnmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#elif defined(__aarch64__)
#define VECTOR_BYTES 16
#define FMA32(a, b, c) ((V)vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b)))
#define FMA64(a, b, c) ((V)vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b)))
#define FNMA32(a, b, c) ((V)vfmsq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b)))
#define FNMA64(a, b, c) ((V)vfmsq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b)))
#else
#define VECTOR_BYTES 16
#define FMA32(a, b, c) ((a) * (b) + (c))
#define FMA64(a, b, c) ((a) * (b) + (c))
#define FNMA32(a, b, c) ((c) - (a) * (b))
#define FNMA64(a, b, c) ((c) - (a) * (b))
#endif

/* A vector that no cache is to hold, p a multiple of its size; and what ends a number of them. */
#if defined(__AVX512F__)
#define STREAM(p, v) _mm512_stream_si512((__m512i *)(p), (__m512i)(v))
#elif defined(__AVX2__)
#define STREAM(p, v) _mm256_stream_si256((__m256i *)(p), (__m256i)(v))
#elif defined(__x86_64__)
#define STREAM(p, v) _mm_stream_si128((__m128i *)(p), (__m128i)(v))
#else
#define STREAM(p, v) (*(U *)(p) = (v))
#endif
#if defined(__x86_64__)
#define STREAMED(yes) do { if (yes) _mm_sfence(); } while (0)
#else
#define STREAMED(yes) ((void)(yes))
#endif

/* Places of two vectors of n: taken alternately from their lower and upper halves; the even and the odd ones of both
 * behind one another; those of one backwards. */
#define LOW_2 0, 2
#define HIGH_2 1, 3
#define EVEN_2 0, 2
#define ODD_2 1, 3
#define BACK_2 1, 0
#define LOW_4 0, 4, 1, 5
#define HIGH_4 2, 6, 3, 7
#define EVEN_4 0, 2, 4, 6
#define ODD_4 1, 3, 5, 7
#define BACK_4 3, 2, 1, 0
#define LOW_8 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_8 4, 12, 5, 13, 6, 14, 7, 15
#define EVEN_8 0, 2, 4, 6, 8, 10, 12, 14
#define ODD_8 1, 3, 5, 7, 9, 11, 13, 15
#define BACK_8 7, 6, 5, 4, 3, 2, 1, 0
#define LOW_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define EVEN_16 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_16 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define BACK_16 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

#define T float
#define WIDTH (VECTOR_BYTES / 4)
#define NAME(f) f##_32
#define FMA FMA32
#define FNMA FNMA32
#if VECTOR_BYTES == 64
#define LOW LOW_16
#define HIGH HIGH_16
#define EVEN EVEN_16
#define ODD ODD_16
#define BACK BACK_16
#elif VECTOR_BYTES == 32
#define LOW LOW_8
#define HIGH HIGH_8
#define EVEN EVEN_8
#define ODD ODD_8
#define BACK BACK_8
#else
#define LOW LOW_4
#define HIGH HIGH_4
#define EVEN EVEN_4
#define ODD ODD_4
#define BACK BACK_4
#endif
#include "fft/batch.h"
#include "fft/group.h"
#include "fft/cosine.h"
#include "fft/line.h"
#undef T
#undef WIDTH
#undef NAME
#undef FMA
#undef FNMA
#undef LOW
#undef HIGH
#undef EVEN
#undef ODD
#undef BACK
#define T double
#define WIDTH (VECTOR_BYTES / 8)
#define NAME(f) f##_64
#define FMA FMA64
#define FNMA FNMA64
#if VECTOR_BYTES == 64
#define LOW LOW_8
#define HIGH HIGH_8
#define EVEN EVEN_8
#define ODD ODD_8
#define BACK BACK_8
#elif VECTOR_BYTES == 32
#define LOW LOW_4
#define HIGH HIGH_4
#define EVEN EVEN_4
#define ODD ODD_4
#define BACK BACK_4
#else
#define LOW LOW_2
#define HIGH HIGH_2
#define EVEN EVEN_2
#define ODD ODD_2
#define BACK BACK_2
#endif
#include "fft/batch.h"
#include "fft/group.h"
#include "fft/cosine.h"
#include "fft/line.h"

#define TABLE(w, s)                                                                                                 \
    {w, group_bytes_##s, group_##s, wide_bytes_##s, wide_##s, middle_bytes_##s, segment_bytes_##s, columns_##s,      \
     rows_##s, multiply_##s, after_real_##s, before_real_##s, cosine_bytes_##s, cosine_##s, cosine_before_##s,       \
     cosine_after_##s}

const cpi_fft_simd CPI_ISA_NAME(cpi_fft_simd)[2] = {TABLE(VECTOR_BYTES / 8, 64), TABLE(VECTOR_BYTES / 4, 32)};
