/* The CPU's loops of products, compiled once for each instruction set: blocks of a result that stay in registers while
 * k products are added to each of their sums.
 *
 * Elements of 8 bits are computed with as 16, which gives the same low bits. Padding is zero and is never stored, so
 * what is not finite does not meet it in a result. */
#include <string.h>

#include "cpu/features.h"
#include "cpu/intrinsics.h"
#include "products/kernels.h"
#include "scalar/halves.h"
#include "scalar/type_list.h"

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#define BLOCK_ROWS 12
#define COMPLEX_ROWS 10
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#define BLOCK_ROWS 6
#define COMPLEX_ROWS 4
#else
#define VECTOR_BYTES 16
#define BLOCK_ROWS 4
#define COMPLEX_ROWS 4
#endif

/* The first n elements of a vector, of `bytes` bytes each; nothing behind them is touched. */
#if defined(__AVX512BW__)
#define HAVE_PARTS 1
INLINE __m512i load_part(const void *p, int n, size_t bytes)
{
    uint64_t mask = ~(uint64_t)0 >> (64 - n);
    return bytes == 8   ? _mm512_maskz_loadu_epi64((__mmask8)mask, p)
           : bytes == 4 ? _mm512_maskz_loadu_epi32((__mmask16)mask, p)
           : bytes == 2 ? _mm512_maskz_loadu_epi16((__mmask32)mask, p)
                        : _mm512_maskz_loadu_epi8((__mmask64)mask, p);
}
INLINE void store_part(void *p, __m512i v, int n, size_t bytes)
{
    uint64_t mask = ~(uint64_t)0 >> (64 - n);
    if (bytes == 8) _mm512_mask_storeu_epi64(p, (__mmask8)mask, v);
    else if (bytes == 4) _mm512_mask_storeu_epi32(p, (__mmask16)mask, v);
    else if (bytes == 2) _mm512_mask_storeu_epi16(p, (__mmask32)mask, v);
    else _mm512_mask_storeu_epi8(p, (__mmask64)mask, v);
}
#define LOAD_PART load_part
#define STORE_PART(p, v, n, bytes) store_part(p, (__m512i)(v), n, bytes)
#else /* nobody asks: small matrices are copied */
#define HAVE_PARTS 0
#define LOAD_PART(p, n, bytes) (V){0}
#define STORE_PART(p, v, n, bytes) ((void)0)
#endif

/* acc + a * k, rounded once where the processor has the instruction. */
#if defined(__AVX512F__)
#define FMA32(acc, a, k) ((__typeof__(acc))_mm512_fmadd_ps((__m512)(a), (__m512)(k), (__m512)(acc)))
#define FMA64(acc, a, k) ((__typeof__(acc))_mm512_fmadd_pd((__m512d)(a), (__m512d)(k), (__m512d)(acc)))
#elif defined(__FMA__)
#define FMA32(acc, a, k) ((__typeof__(acc))_mm256_fmadd_ps((__m256)(a), (__m256)(k), (__m256)(acc)))
#define FMA64(acc, a, k) ((__typeof__(acc))_mm256_fmadd_pd((__m256d)(a), (__m256d)(k), (__m256d)(acc)))
#elif defined(__aarch64__)
#define FMA32(acc, a, k) ((__typeof__(acc))vfmaq_f32((float32x4_t)(acc), (float32x4_t)(a), (float32x4_t)(k)))
#define FMA64(acc, a, k) ((__typeof__(acc))vfmaq_f64((float64x2_t)(acc), (float64x2_t)(a), (float64x2_t)(k)))
#else
#define FMA32(acc, a, k) ((acc) + (a) * (k))
#define FMA64(acc, a, k) ((acc) + (a) * (k))
#endif

#define PLAIN_MAC(acc, a, k) ((acc) + (a) * (k))
#define WRAPPED(s, a, k) ((s) + 1u * (a) * (k)) /* small integers are no int meanwhile, which must not overflow */
#define SUM(x, y) ((x) + (y))
#define STORED(p, i) ((T)((const S *)(p))[i])
#define STORE(p, i, value) (((S *)(p))[i] = (S)(value))

#define T uint8_t
#define S uint8_t
#define NAME(f) f##_boolean
#define MAC(acc, a, k) ((acc) | ((a) & (k)))
#define JOIN(x, y) ((x) | (y))
#define ADDED(s, a, k) ((s) | ((a) & (k)))
#define LOAD STORED
#define PUT STORE
#define KIND
#define KIND_NAME
#define ROWS BLOCK_ROWS
#define SAME 1
#include "products/block.h"
#define T uint16_t
#define S uint8_t
#define NAME(f) f##_u8
#define MAC PLAIN_MAC
#define JOIN SUM
#define ADDED WRAPPED
#define LOAD STORED
#define PUT STORE
#define KIND
#define KIND_NAME
#define ROWS BLOCK_ROWS
#define SAME 0
#include "products/block.h"
#define T uint16_t
#define S uint16_t
#define NAME(f) f##_u16
#define MAC PLAIN_MAC
#define JOIN SUM
#define ADDED WRAPPED
#define LOAD STORED
#define PUT STORE
#define KIND
#define KIND_NAME
#define ROWS BLOCK_ROWS
#define SAME 1
#include "products/block.h"
#define T uint32_t
#define S uint32_t
#define NAME(f) f##_u32
#define MAC PLAIN_MAC
#define JOIN SUM
#define ADDED WRAPPED
#define LOAD STORED
#define PUT STORE
#define KIND
#define KIND_NAME
#define ROWS BLOCK_ROWS
#define SAME 1
#include "products/block.h"
#define T uint64_t
#define S uint64_t
#define NAME(f) f##_u64
#define MAC PLAIN_MAC
#define JOIN SUM
#define ADDED WRAPPED
#define LOAD STORED
#define PUT STORE
#define KIND
#define KIND_NAME
#define ROWS BLOCK_ROWS
#define SAME 1
#include "products/block.h"
#define T float
#define S float
#define NAME(f) f##_f32
#define MAC FMA32
#define JOIN SUM
#define ADDED PLAIN_MAC
#define LOAD STORED
#define PUT STORE
#define KIND
#define KIND_NAME
#define ROWS BLOCK_ROWS
#define SAME 1
#include "products/block.h"
#define T double
#define S double
#define NAME(f) f##_f64
#define MAC FMA64
#define JOIN SUM
#define ADDED PLAIN_MAC
#define LOAD STORED
#define PUT STORE
#define KIND
#define KIND_NAME
#define ROWS BLOCK_ROWS
#define SAME 1
#include "products/block.h"
#define T float
#define S uint16_t
#define NAME(f) f##_half
#define MAC FMA32
#define JOIN SUM
#define ADDED PLAIN_MAC
#define LOAD(p, i) cps_load_half(kind, p, i)
#define PUT(p, i, value) cps_store_half(kind, p, i, value)
#define KIND cp_type kind,
#define KIND_NAME kind,
#define ROWS BLOCK_ROWS
#define SAME 0
#include "products/block.h"
#define T float
#define NAME(f) f##_c64
#define MAC FMA32
#include "products/complex_block.h"
#define T double
#define NAME(f) f##_c128
#define MAC FMA64
#include "products/complex_block.h"

/* One small float: the loops above, each with its type. */
#define HALF(A, s)                                                                                                    \
    static void small_##s(int64_t m, int64_t n, int64_t k, const void *a, int64_t a_row, int64_t a_col,               \
                          const void *b, int64_t b_row, int64_t b_col, void *c, int64_t c_row, void *scratch)         \
    {                                                                                                                 \
        small_half(CPS_ENUM_##s, m, n, k, a, a_row, a_col, b, b_row, b_col, c, c_row, scratch);                       \
    }                                                                                                                 \
    static void pack_a_##s(int64_t m, int64_t k, const void *a, int64_t row, int64_t col, void *to)                   \
    {                                                                                                                 \
        pack_a_half(CPS_ENUM_##s, m, k, a, row, col, to);                                                             \
    }                                                                                                                 \
    static void pack_b_##s(int64_t n, int64_t k, const void *b, int64_t row, int64_t col, void *to)                   \
    {                                                                                                                 \
        pack_b_half(CPS_ENUM_##s, n, k, b, row, col, to);                                                             \
    }                                                                                                                 \
    static void store_##s(int64_t m, int64_t n, const void *sums, int64_t pitch, void *c, int64_t c_row)              \
    {                                                                                                                 \
        store_half(CPS_ENUM_##s, m, n, sums, pitch, c, c_row);                                                        \
    }                                                                                                                 \
    static void dot_##s(int64_t n, const void *a, int64_t a_step, const void *b, int64_t b_step, bool conjugate,      \
                        void *sum)                                                                                    \
    {                                                                                                                 \
        dot_half(CPS_ENUM_##s, n, a, a_step, b, b_step, conjugate, sum);                                              \
    }                                                                                                                 \
    static void finish_##s(int64_t n, const void *sums, void *c) { finish_half(CPS_ENUM_##s, n, sums, c); }           \
    static void column_##s(int64_t m, const void *a, const void *b, void *sums, bool add)                             \
    {                                                                                                                 \
        column_half(CPS_ENUM_##s, m, a, b, sums, add);                                                                \
    }
CPS_HALVES(HALF, )

#define TABLE(s, how, item_, rows_, cols_)                                                                            \
    {                                                                                                                 \
        item_, rows_, cols_, small_##s, pack_a_##s, pack_b_##s, multiply_##how, store_##s, dot_##s, finish_##s,       \
            column_##s                                                                                                \
    }
#define REAL(s, how, T) TABLE(s, how, sizeof(T), BLOCK_ROWS, (int)(2 * VECTOR_BYTES / sizeof(T)))
#define COMPLEX(s, T) TABLE(s, s, 2 * sizeof(T), COMPLEX_ROWS, (int)(VECTOR_BYTES / sizeof(T)))
#define HALF_TABLE(A, s) REAL(s, half, float),

extern const cpi_products_simd CPI_ISA_NAME(cpi_products_simd);
const cpi_products_simd CPI_ISA_NAME(cpi_products_simd) = {
    REAL(boolean, boolean, uint8_t), REAL(u8, u8, uint16_t), REAL(u16, u16, uint16_t), REAL(u32, u32, uint32_t),
    REAL(u64, u64, uint64_t), REAL(f32, f32, float), REAL(f64, f64, double), COMPLEX(c64, float),
    COMPLEX(c128, double), {CPS_HALVES(HALF_TABLE, )},
};
