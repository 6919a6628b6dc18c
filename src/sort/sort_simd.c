/* Sorting kernels of the CPU, one object file per instruction set: AVX-512 splits with compressed stores and
 * sorts leaves in registers; elsewhere branch-free scalar splits and radix passes. */
#include "sort/kernels.h"

#include <string.h>

#include "cpu/features.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define HAVE_VECTOR 1

#define INLINE static inline __attribute__((always_inline))

/* Lane i of the result is lane i^x of v; x is a constant. */
INLINE __m512i q32_swap(__m512i v, int x)
{
    switch (x) {
    case 1:
        return _mm512_shuffle_epi32(v, 0xB1);
    case 2:
        return _mm512_shuffle_epi32(v, 0x4E);
    case 3:
        return _mm512_shuffle_epi32(v, 0x1B);
    case 4:
        return _mm512_shuffle_i32x4(v, v, 0xB1);
    case 7:
        return _mm512_permutexvar_epi32(_mm512_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8), v);
    case 8:
        return _mm512_shuffle_i32x4(v, v, 0x4E);
    default:
        return _mm512_permutexvar_epi32(_mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), v);
    }
}
/* Lanes that have bit d. */
INLINE unsigned q32_upper(int d) { return d == 1 ? 0xAAAA : d == 2 ? 0xCCCC : d == 4 ? 0xF0F0 : 0xFF00; }
/* a0 b0 a1 b1 ..., and the second half of that. */
INLINE __m512i q32_zip_low(__m512i a, __m512i b)
{
    return _mm512_permutex2var_epi32(a, _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), b);
}
INLINE __m512i q32_zip_high(__m512i a, __m512i b)
{
    return _mm512_permutex2var_epi32(a, _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31),
                                     b);
}
INLINE __m512i q32_mask_max(__m512i src, unsigned m, __m512i a, __m512i b)
{
    return _mm512_mask_max_epu32(src, (__mmask16)m, a, b);
}
INLINE __m512i q32_min(__m512i a, __m512i b) { return _mm512_min_epu32(a, b); }
INLINE __m512i q32_max(__m512i a, __m512i b) { return _mm512_max_epu32(a, b); }
INLINE __m512i q32_set1(uint32_t x) { return _mm512_set1_epi32((int)x); }
typedef __mmask16 q32_mask;
INLINE q32_mask q32_lt(__m512i a, __m512i b) { return _mm512_cmplt_epu32_mask(a, b); }
INLINE q32_mask q32_le(__m512i a, __m512i b) { return _mm512_cmple_epu32_mask(a, b); }
INLINE q32_mask q32_gt(__m512i a, __m512i b) { return _mm512_cmpgt_epu32_mask(a, b); }
INLINE q32_mask q32_ge(__m512i a, __m512i b) { return _mm512_cmpge_epu32_mask(a, b); }
INLINE __m512i q32_compress(q32_mask m, __m512i v) { return _mm512_maskz_compress_epi32(m, v); }
INLINE unsigned q32_part(int n) { return n >= 16 ? 0xFFFFu : n <= 0 ? 0 : (1u << n) - 1; }
INLINE __m512i q32_load_part(__m512i fill, int n, const uint32_t *a)
{
    return _mm512_mask_loadu_epi32(fill, (__mmask16)q32_part(n), a);
}
INLINE void q32_store_part(uint32_t *a, int n, __m512i v) { _mm512_mask_storeu_epi32(a, (__mmask16)q32_part(n), v); }

INLINE __m512i q64_swap(__m512i v, int x)
{
    switch (x) {
    case 1:
        return _mm512_shuffle_epi32(v, 0x4E);
    case 2:
        return _mm512_permutex_epi64(v, 0x4E);
    case 3:
        return _mm512_permutex_epi64(v, 0x1B);
    case 4:
        return _mm512_shuffle_i64x2(v, v, 0x4E);
    default:
        return _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), v);
    }
}
INLINE unsigned q64_upper(int d) { return d == 1 ? 0xAA : d == 2 ? 0xCC : 0xF0; }
INLINE __m512i q64_zip_low(__m512i a, __m512i b)
{
    return _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), b);
}
INLINE __m512i q64_zip_high(__m512i a, __m512i b)
{
    return _mm512_permutex2var_epi64(a, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), b);
}
INLINE __m512i q64_mask_max(__m512i src, unsigned m, __m512i a, __m512i b)
{
    return _mm512_mask_max_epu64(src, (__mmask8)m, a, b);
}
INLINE __m512i q64_min(__m512i a, __m512i b) { return _mm512_min_epu64(a, b); }
INLINE __m512i q64_max(__m512i a, __m512i b) { return _mm512_max_epu64(a, b); }
INLINE __m512i q64_set1(uint64_t x) { return _mm512_set1_epi64((long long)x); }
typedef __mmask8 q64_mask;
INLINE q64_mask q64_lt(__m512i a, __m512i b) { return _mm512_cmplt_epu64_mask(a, b); }
INLINE q64_mask q64_le(__m512i a, __m512i b) { return _mm512_cmple_epu64_mask(a, b); }
INLINE q64_mask q64_gt(__m512i a, __m512i b) { return _mm512_cmpgt_epu64_mask(a, b); }
INLINE q64_mask q64_ge(__m512i a, __m512i b) { return _mm512_cmpge_epu64_mask(a, b); }
INLINE __m512i q64_compress(q64_mask m, __m512i v) { return _mm512_maskz_compress_epi64(m, v); }
INLINE unsigned q64_part(int n) { return n >= 8 ? 0xFFu : n <= 0 ? 0 : (1u << n) - 1; }
INLINE __m512i q64_load_part(__m512i fill, int n, const uint64_t *a)
{
    return _mm512_mask_loadu_epi64(fill, (__mmask8)q64_part(n), a);
}
INLINE void q64_store_part(uint64_t *a, int n, __m512i v) { _mm512_mask_storeu_epi64(a, (__mmask8)q64_part(n), v); }
#else
#define HAVE_VECTOR 0
#endif

#define KEY uint32_t
#define BITS 32
#define NAME(f) q32_##f
#define VECTOR HAVE_VECTOR
#include "sort/quick.h"

#define KEY uint64_t
#define BITS 64
#define NAME(f) q64_##f
#define VECTOR HAVE_VECTOR
#include "sort/quick.h"

#define KEY cpi_u128
#define BITS 128
#define NAME(f) q128_##f
#define VECTOR 0
#include "sort/quick.h"

/* --- elements and keys --- */

/* Complex elements are aligned as their parts are. */
typedef uint64_t complex64_bits __attribute__((aligned(4)));
typedef cpi_u128 complex128_bits __attribute__((aligned(8)));

#define LOOP(FROM, TO, expression)                                                                                     \
    do {                                                                                                               \
        const FROM *f = from;                                                                                          \
        TO *t = to;                                                                                                    \
        for (int64_t i = 0; i < n; i++) t[i] = (TO)(expression);                                                       \
    } while (0)

static void load(const cpi_keys *keys, const void *from, void *to, int64_t n)
{
    const cpi_keys local = *keys, *k = &local;
    if (k->complex_parts && k->bytes == 8)
        LOOP(complex64_bits, uint64_t, cpi_ckey64(k, f[i]));
    else if (k->complex_parts)
        LOOP(complex128_bits, cpi_u128, cpi_ckey128(k, f[i]));
    else if (k->bytes == 1)
        LOOP(uint8_t, uint32_t, cpi_key8(k, f[i]));
    else if (k->bytes == 2)
        LOOP(uint16_t, uint32_t, cpi_key16(k, f[i]));
    else if (k->bytes == 4)
        LOOP(uint32_t, uint32_t, cpi_key32(k, f[i]));
    else
        LOOP(uint64_t, uint64_t, cpi_key64(k, f[i]));
}

static void store(const cpi_keys *keys, const void *from, void *to, int64_t n)
{
    const cpi_keys local = *keys, *k = &local;
    if (k->complex_parts && k->bytes == 8)
        LOOP(uint64_t, complex64_bits, cpi_cunkey64(k, f[i]));
    else if (k->complex_parts)
        LOOP(cpi_u128, complex128_bits, cpi_cunkey128(k, f[i]));
    else if (k->bytes == 1)
        LOOP(uint32_t, uint8_t, cpi_unkey8(k, (uint8_t)f[i]));
    else if (k->bytes == 2)
        LOOP(uint32_t, uint16_t, cpi_unkey16(k, (uint16_t)f[i]));
    else if (k->bytes == 4)
        LOOP(uint32_t, uint32_t, cpi_unkey32(k, f[i]));
    else
        LOOP(uint64_t, uint64_t, cpi_unkey64(k, f[i]));
}

static void same(const cpi_keys *keys, void *to, int64_t n)
{
    const cpi_keys local = *keys, *k = &local;
    const void *from = to;
    if (k->complex_parts && k->bytes == 8)
        LOOP(uint64_t, uint64_t, cpi_csame64(k, f[i]));
    else if (k->complex_parts)
        LOOP(cpi_u128, cpi_u128, cpi_csame128(k, f[i]));
    else if (!k->zero_add)
        return;
    else if (k->bytes == 1)
        LOOP(uint32_t, uint32_t, cpi_same8(k, (uint8_t)f[i]));
    else if (k->bytes == 2)
        LOOP(uint32_t, uint32_t, cpi_same16(k, (uint16_t)f[i]));
    else if (k->bytes == 4)
        LOOP(uint32_t, uint32_t, cpi_same32(k, f[i]));
    else
        LOOP(uint64_t, uint64_t, cpi_same64(k, f[i]));
}

const cpi_sort_kernels CPI_ISA_NAME(cpi_sort_kernels) = {
    {{4, q32_sort, q32_deal}, {8, q64_sort, q64_deal}, {16, q128_sort, q128_deal}},
    load,
    store,
    same,
};
