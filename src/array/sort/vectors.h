/* Vectors of unsigned keys of 32 and 64 bits, for what sorts and selects in registers: the same words for AVX-512 and
 * for AVX2, which has neither masks nor unsigned comparisons nor anything that compresses: there a table of
 * permutations does it, and brings what is left out behind what stays. CPI_KEY_VECTOR_BITS is the bits of a vector, 0
 * where there are none. */
#ifndef CPI_SORT_VECTORS_H
#define CPI_SORT_VECTORS_H

#include <stdint.h>

#include "cpu/vectors.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#define CPI_KEY_VECTOR_BITS 512
typedef __m512i q_vector;
INLINE q_vector q_load(const void *a) { return _mm512_loadu_si512(a); }
INLINE void q_store(void *a, q_vector v) { _mm512_storeu_si512(a, v); }
INLINE q_vector q_ones(void) { return _mm512_set1_epi32(-1); }

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
/* The lesser of each two, in the lanes that have bit d the larger. */
INLINE __m512i q32_meet(__m512i a, __m512i b, int d)
{
    const __mmask16 upper = d == 1 ? 0xAAAA : d == 2 ? 0xCCCC : d == 4 ? 0xF0F0 : 0xFF00;
    return _mm512_mask_max_epu32(_mm512_min_epu32(a, b), upper, a, b);
}
INLINE __m512i q32_min(__m512i a, __m512i b) { return _mm512_min_epu32(a, b); }
INLINE __m512i q32_max(__m512i a, __m512i b) { return _mm512_max_epu32(a, b); }
INLINE __m512i q32_set1(uint32_t x) { return _mm512_set1_epi32((int)x); }
INLINE unsigned q32_lt(__m512i a, __m512i b) { return _mm512_cmplt_epu32_mask(a, b); }
INLINE unsigned q32_le(__m512i a, __m512i b) { return _mm512_cmple_epu32_mask(a, b); }
INLINE __m512i q32_compress(unsigned m, __m512i v) { return _mm512_maskz_compress_epi32((__mmask16)m, v); }
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
INLINE __m512i q64_zip_low(__m512i a, __m512i b)
{
    return _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), b);
}
INLINE __m512i q64_zip_high(__m512i a, __m512i b)
{
    return _mm512_permutex2var_epi64(a, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), b);
}
INLINE __m512i q64_meet(__m512i a, __m512i b, int d)
{
    return _mm512_mask_max_epu64(_mm512_min_epu64(a, b), d == 1 ? 0xAA : d == 2 ? 0xCC : 0xF0, a, b);
}
INLINE __m512i q64_min(__m512i a, __m512i b) { return _mm512_min_epu64(a, b); }
INLINE __m512i q64_max(__m512i a, __m512i b) { return _mm512_max_epu64(a, b); }
INLINE __m512i q64_set1(uint64_t x) { return _mm512_set1_epi64((long long)x); }
INLINE unsigned q64_lt(__m512i a, __m512i b) { return _mm512_cmplt_epu64_mask(a, b); }
INLINE unsigned q64_le(__m512i a, __m512i b) { return _mm512_cmple_epu64_mask(a, b); }
INLINE __m512i q64_compress(unsigned m, __m512i v) { return _mm512_maskz_compress_epi64((__mmask8)m, v); }
INLINE unsigned q64_part(int n) { return n >= 8 ? 0xFFu : n <= 0 ? 0 : (1u << n) - 1; }
INLINE __m512i q64_load_part(__m512i fill, int n, const uint64_t *a)
{
    return _mm512_mask_loadu_epi64(fill, (__mmask8)q64_part(n), a);
}
INLINE void q64_store_part(uint64_t *a, int n, __m512i v) { _mm512_mask_storeu_epi64(a, (__mmask8)q64_part(n), v); }
#elif defined(__AVX2__)
#define CPI_KEY_VECTOR_BITS 256
typedef __m256i q_vector;
INLINE q_vector q_load(const void *a) { return _mm256_loadu_si256(a); }
INLINE void q_store(void *a, q_vector v) { _mm256_storeu_si256(a, v); }
INLINE q_vector q_ones(void) { return _mm256_set1_epi32(-1); }

/* For each mask of eight lanes: those that it has, in their order, and behind them the others; a byte a lane. */
#define RANK(m, k) __builtin_popcount((m) & ((1 << (k)) - 1))
#define POSITION(m, k) ((m) >> (k) & 1 ? RANK(m, k) : RANK(m, 8) + (k) - RANK(m, k))
#define LANE(m, k) ((uint64_t)(k) << 8 * POSITION(m, k))
#define LANES(m) \
    (LANE(m, 0) | LANE(m, 1) | LANE(m, 2) | LANE(m, 3) | LANE(m, 4) | LANE(m, 5) | LANE(m, 6) | LANE(m, 7))
#define LANES_4(m) LANES(m), LANES((m) + 1), LANES((m) + 2), LANES((m) + 3)
#define LANES_16(m) LANES_4(m), LANES_4((m) + 4), LANES_4((m) + 8), LANES_4((m) + 12)
#define LANES_64(m) LANES_16(m), LANES_16((m) + 16), LANES_16((m) + 32), LANES_16((m) + 48)
static const uint64_t q_parted[256] = {LANES_64(0), LANES_64(64), LANES_64(128), LANES_64(192)};
#undef RANK
#undef POSITION
#undef LANE
#undef LANES
#undef LANES_4
#undef LANES_16
#undef LANES_64

INLINE __m256i q32_compress(unsigned m, __m256i v)
{
    return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)q_parted[m])));
}
INLINE __m256i q32_swap(__m256i v, int x)
{
    switch (x) {
    case 1: return _mm256_shuffle_epi32(v, 0xB1);
    case 2: return _mm256_shuffle_epi32(v, 0x4E);
    case 3: return _mm256_shuffle_epi32(v, 0x1B);
    case 4: return _mm256_permute4x64_epi64(v, 0x4E);
    default: return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
    }
}
INLINE __m256i q32_zip_low(__m256i a, __m256i b)
{
    return _mm256_permute2x128_si256(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b), 0x20);
}
INLINE __m256i q32_zip_high(__m256i a, __m256i b)
{
    return _mm256_permute2x128_si256(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b), 0x31);
}
INLINE __m256i q32_min(__m256i a, __m256i b) { return _mm256_min_epu32(a, b); }
INLINE __m256i q32_max(__m256i a, __m256i b) { return _mm256_max_epu32(a, b); }
INLINE __m256i q32_meet(__m256i a, __m256i b, int d)
{
    const __m256i low = q32_min(a, b), high = q32_max(a, b);
    return d == 1   ? _mm256_blend_epi32(low, high, 0xAA)
           : d == 2 ? _mm256_blend_epi32(low, high, 0xCC)
                    : _mm256_blend_epi32(low, high, 0xF0);
}
INLINE __m256i q32_set1(uint32_t x) { return _mm256_set1_epi32((int)x); }
INLINE unsigned q32_bits(__m256i m) { return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(m)); }
INLINE unsigned q32_le(__m256i a, __m256i b) { return q32_bits(_mm256_cmpeq_epi32(q32_min(a, b), a)); }
INLINE unsigned q32_lt(__m256i a, __m256i b) { return q32_le(b, a) ^ 0xFF; }
INLINE __m256i q32_part(int n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
INLINE __m256i q32_load_part(__m256i fill, int n, const uint32_t *a)
{
    if (n >= 8) return _mm256_loadu_si256((const void *)a);
    if (n <= 0) return fill;
    const __m256i part = q32_part(n);
    return _mm256_blendv_epi8(fill, _mm256_maskload_epi32((const int *)a, part), part);
}
INLINE void q32_store_part(uint32_t *a, int n, __m256i v)
{
    if (n >= 8) _mm256_storeu_si256((void *)a, v);
    else if (n > 0) _mm256_maskstore_epi32((int *)a, q32_part(n), v);
}

/* A lane of 64 bits is two of 32. */
INLINE __m256i q64_compress(unsigned m, __m256i v)
{
    const unsigned pairs = (m & 1) * 3 | (m & 2) * 6 | (m & 4) * 12 | (m & 8) * 24;
    return q32_compress(pairs, v);
}
INLINE __m256i q64_swap(__m256i v, int x)
{
    switch (x) {
    case 1: return _mm256_shuffle_epi32(v, 0x4E);
    case 2: return _mm256_permute4x64_epi64(v, 0x4E);
    default: return _mm256_permute4x64_epi64(v, 0x1B);
    }
}
INLINE __m256i q64_zip_low(__m256i a, __m256i b)
{
    return _mm256_permute2x128_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b), 0x20);
}
INLINE __m256i q64_zip_high(__m256i a, __m256i b)
{
    return _mm256_permute2x128_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b), 0x31);
}
INLINE __m256i q64_above(__m256i a, __m256i b)
{
    const __m256i sign = _mm256_set1_epi64x(INT64_MIN);
    return _mm256_cmpgt_epi64(_mm256_xor_si256(a, sign), _mm256_xor_si256(b, sign));
}
INLINE __m256i q64_min(__m256i a, __m256i b) { return _mm256_blendv_epi8(a, b, q64_above(a, b)); }
INLINE __m256i q64_max(__m256i a, __m256i b) { return _mm256_blendv_epi8(b, a, q64_above(a, b)); }
INLINE __m256i q64_meet(__m256i a, __m256i b, int d)
{
    const __m256i low = q64_min(a, b), high = q64_max(a, b);
    return d == 1 ? _mm256_blend_epi32(low, high, 0xCC) : _mm256_blend_epi32(low, high, 0xF0);
}
INLINE __m256i q64_set1(uint64_t x) { return _mm256_set1_epi64x((long long)x); }
INLINE unsigned q64_bits(__m256i m) { return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(m)); }
INLINE unsigned q64_lt(__m256i a, __m256i b) { return q64_bits(q64_above(b, a)); }
INLINE unsigned q64_le(__m256i a, __m256i b) { return q64_bits(q64_above(a, b)) ^ 0xF; }
INLINE __m256i q64_part(int n)
{
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}
INLINE __m256i q64_load_part(__m256i fill, int n, const uint64_t *a)
{
    if (n >= 4) return _mm256_loadu_si256((const void *)a);
    if (n <= 0) return fill;
    const __m256i part = q64_part(n);
    return _mm256_blendv_epi8(fill, _mm256_maskload_epi64((const void *)a, part), part);
}
INLINE void q64_store_part(uint64_t *a, int n, __m256i v)
{
    if (n >= 4) _mm256_storeu_si256((void *)a, v);
    else if (n > 0) _mm256_maskstore_epi64((void *)a, q64_part(n), v);
}
#else
#define CPI_KEY_VECTOR_BITS 0
#endif

#endif
