/* The CPU's loops of products, compiled once for each instruction set: blocks of a result that stay in registers while
 * k products are added to each of their sums.
 *
 * Elements of 8 bits are computed with as 16, which gives the same low bits. Padding is zero and is never stored, so
 * what is not finite does not meet it in a result. */
#include <string.h>

#include "cpu/features.h"
#include "cpu/vectors.h"
#include "products/kernels.h"
#include "scalar/halves.h"
#include "scalar/type_list.h"

/* Rows of a block whose sums stay in registers, and how many registers sums of small matrices may have. */
#if VECTOR_BYTES == 64
#define BLOCK_ROWS 12
#define COMPLEX_ROWS 10
#define SUM_REGISTERS 24
#elif VECTOR_BYTES == 32
#define BLOCK_ROWS 6
#define COMPLEX_ROWS 4
#define SUM_REGISTERS 12
#else
#define BLOCK_ROWS 4
#define COMPLEX_ROWS 4
#define SUM_REGISTERS 12
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
#else /* never used: small matrices are copied */
#define HAVE_PARTS 0
#define LOAD_PART(p, n, bytes) (V){0}
#define STORE_PART(p, v, n, bytes) ((void)0)
#endif

/* Transposes a square of 4 x 4 or 2 x 2 elements, a vector a row. Any type of their size can be moved. */
#define TURN_SQUARE(row)                                   \
    do {                                                   \
        if (sizeof(row) == 64) turn_4((void *)(row));      \
        else if (sizeof(row) == 32) turn_2((void *)(row)); \
    } while (0)
typedef float four __attribute__((vector_size(16), may_alias));
typedef double two __attribute__((vector_size(16), may_alias));
INLINE void turn_4(four *row)
{
    typedef int32_t lanes __attribute__((vector_size(16)));
    const lanes low = {0, 4, 1, 5}, high = {2, 6, 3, 7};
    four a = __builtin_shuffle(row[0], row[2], low), b = __builtin_shuffle(row[1], row[3], low);
    four c = __builtin_shuffle(row[0], row[2], high), d = __builtin_shuffle(row[1], row[3], high);
    row[0] = __builtin_shuffle(a, b, low), row[1] = __builtin_shuffle(a, b, high);
    row[2] = __builtin_shuffle(c, d, low), row[3] = __builtin_shuffle(c, d, high);
}
INLINE void turn_2(two *row)
{
    typedef int64_t lanes __attribute__((vector_size(16)));
    two a = row[0], b = row[1];
    row[0] = __builtin_shuffle(a, b, (lanes){0, 2}), row[1] = __builtin_shuffle(a, b, (lanes){1, 3});
}

#define PLAIN_MAC(acc, a, k) ((acc) + (a) * (k))

/* --- large matrices of each type, and small ones of integers and small floats --- */

#define T uint8_t
#define NAME(f) f##_boolean
#define MAC(acc, a, k) ((acc) | ((a) & (k)))
#define JOIN(x, y) ((x) | (y))
#include "products/block.h"
#define T uint16_t
#define S uint8_t
#define NAME(f) f##_u8
#define MAC PLAIN_MAC
#include "products/block.h"
#define T uint16_t
#define NAME(f) f##_u16
#define MAC PLAIN_MAC
#include "products/block.h"
#define T uint32_t
#define NAME(f) f##_u32
#define MAC PLAIN_MAC
#include "products/block.h"
#define T uint64_t
#define NAME(f) f##_u64
#define MAC PLAIN_MAC
#include "products/block.h"
#define T float
#define NAME(f) f##_f32
#define MAC CPI_MAC
#define IN_PLACE
#include "products/block.h"
#define T double
#define NAME(f) f##_f64
#define MAC CPI_MAC
#define IN_PLACE
#include "products/block.h"
#define T float
#define S uint16_t
#define NAME(f) f##_half
#define MAC CPI_MAC
#define KIND cp_type kind,
#define KIND_NAME kind,
#define LOAD(p, i) cps_load_half(kind, p, i)
#define PUT(p, i, value) cps_store_half(kind, p, i, value)
#include "products/block.h"
#define T float
#define NAME(f) f##_c64
#include "products/complex_block.h"
#define T double
#define NAME(f) f##_c128
#include "products/complex_block.h"

/* --- small matrices of floating types, in vectors of each length --- */

/* Half a vector, twice. */
#if defined(__AVX512F__)
#define TWICE(p) _mm512_broadcast_f64x4(_mm256_loadu_pd((const void *)(p)))
#endif

/* Longer rows are the longer vectors'. */
#define VECTORS_OF_16 (VECTOR_BYTES > 16 ? 2 : 4)
#define VECTORS_OF_32 (VECTOR_BYTES > 32 ? 2 : 4)
#define VECTORS_OF_64 4

#define T float
#define LANES 2
#define PARTS 1
#define VECTORS 2
#define NAME(f) f##_f32x2
#include "products/small.h"
#define T float
#define LANES 4
#define PARTS 1
#define VECTORS VECTORS_OF_16
#define NAME(f) f##_f32x4
#include "products/small.h"
#define T double
#define LANES 2
#define PARTS 1
#define VECTORS VECTORS_OF_16
#define NAME(f) f##_f64x2
#include "products/small.h"
#define T float
#define LANES 4
#define PARTS 2
#define VECTORS VECTORS_OF_16
#define NAME(f) f##_c64x4
#include "products/small.h"
#define T double
#define LANES 2
#define PARTS 2
#define VECTORS VECTORS_OF_16
#define NAME(f) f##_c128x2
#include "products/small.h"
#if VECTOR_BYTES >= 32
#define T float
#define LANES 8
#define PARTS 1
#define VECTORS VECTORS_OF_32
#define NAME(f) f##_f32x8
#include "products/small.h"
#define T double
#define LANES 4
#define PARTS 1
#define VECTORS VECTORS_OF_32
#define NAME(f) f##_f64x4
#include "products/small.h"
#define T float
#define LANES 8
#define PARTS 2
#define VECTORS VECTORS_OF_32
#define NAME(f) f##_c64x8
#include "products/small.h"
#define T double
#define LANES 4
#define PARTS 2
#define VECTORS VECTORS_OF_32
#define NAME(f) f##_c128x4
#include "products/small.h"
#endif
#if VECTOR_BYTES >= 64
#define T float
#define LANES 16
#define PARTS 1
#define SQUARE_ROWS 2
#define VECTORS VECTORS_OF_64
#define NAME(f) f##_f32x16
#include "products/small.h"
#define T double
#define LANES 8
#define PARTS 1
#define SQUARE_ROWS 1
#define VECTORS VECTORS_OF_64
#define NAME(f) f##_f64x8
#include "products/small.h"
#define T float
#define LANES 16
#define PARTS 2
#define SQUARE_ROWS 1
#define VECTORS VECTORS_OF_64
#define NAME(f) f##_c64x16
#include "products/small.h"
#define T double
#define LANES 8
#define PARTS 2
#define SQUARE_ROWS 1
#define VECTORS VECTORS_OF_64
#define NAME(f) f##_c128x8
#include "products/small.h"
#endif

/* One small float: the loops above, each with its type. */
#define HALF_BLOCKS(A, s)                                                                                             \
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
    }
#define HALF_VECTORS(A, s)                                                                                            \
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
CPS_HALVES(HALF_BLOCKS, )
CPS_HALVES(HALF_VECTORS, )

#define TABLE(s, how, small_, item_, rows_, cols_)                                                                    \
    .item = item_, .rows = rows_, .cols = cols_, .large = VECTOR_BYTES > 16, .small = small_, .pack_a = pack_a_##s,   \
    .pack_b = pack_b_##s, .multiply = multiply_##how, .store = store_##s, .dot = dot_##s, .finish = finish_##s,       \
    .column = column_##s
#define IN_PLACE_TOO(s) .multiply_rows = multiply_rows_##s
#define REAL(s, how, small_, T) TABLE(s, how, small_, sizeof(T), BLOCK_ROWS, (int)(2 * VECTOR_BYTES / sizeof(T)))
#define COMPLEX(s, T) TABLE(s, s, NULL, 2 * sizeof(T), COMPLEX_ROWS, (int)(VECTOR_BYTES / sizeof(T)))
#define HALF_TABLE(A, s) {REAL(s, half, small_##s, float)},

#if VECTOR_BYTES == 64
#define BLOCKS(x16, x32, x64) .blocks = {x16, x32, x64}
#define SQ(a, b) .squares = {a, b},
#elif VECTOR_BYTES == 32
#define BLOCKS(x16, x32, x64) .blocks = {x16, x32}
#define SQ(a, b)
#else
#define BLOCKS(x16, x32, x64) .blocks = {x16}
#define SQ(a, b)
#endif

extern const cpi_products_simd CPI_ISA_NAME(cpi_products_simd);
const cpi_products_simd CPI_ISA_NAME(cpi_products_simd) = {
    .boolean = {REAL(boolean, boolean, small_boolean, uint8_t)},
    .u8 = {REAL(u8, u8, small_u8, uint16_t)},
    .u16 = {REAL(u16, u16, small_u16, uint16_t)},
    .u32 = {REAL(u32, u32, small_u32, uint32_t)},
    .u64 = {REAL(u64, u64, small_u64, uint64_t)},
    .f32 = {REAL(f32, f32, NULL, float), IN_PLACE_TOO(f32), SQ(NULL, squares_f32x16) .pair = &small_f32x2,
            BLOCKS(&small_f32x4, &small_f32x8, &small_f32x16)},
    .f64 = {REAL(f64, f64, NULL, double), IN_PLACE_TOO(f64), SQ(NULL, squares_f64x8)
            BLOCKS(&small_f64x2, &small_f64x4, &small_f64x8)},
    .c64 = {COMPLEX(c64, float), IN_PLACE_TOO(c64), SQ(NULL, squares_c64x16)
            BLOCKS(&small_c64x4, &small_c64x8, &small_c64x16)},
    .c128 = {COMPLEX(c128, double), IN_PLACE_TOO(c128), SQ(squares_c128x8, NULL)
            BLOCKS(&small_c128x2, &small_c128x4, &small_c128x8)},
    .half = {CPS_HALVES(HALF_TABLE, )},
};
