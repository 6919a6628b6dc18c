/* The narrowing kernels, once for each instruction set. All variants give the same results. */
#include "cpu/features.h"
#include "sort/select.h"

#if defined(__AVX512F__) && defined(__AVX512BW__)
#include <immintrin.h>

/* The compressed vector is stored whole: what lies behind its end is overwritten later or not read, and since no
 * more keys are kept than were read, the store ends at or before the element just read. */
cpi_band CPI_ISA_NAME(cpi_band32)(const uint32_t *x, int64_t n, const cpi_keys *k, uint32_t lo, uint32_t hi, uint32_t *to)
{
    const __m512i negative = _mm512_set1_epi32((int)k->negative), positive = _mm512_set1_epi32((int)k->positive);
    const __m512i minus = _mm512_set1_epi32((int)k->minus), low = _mm512_set1_epi32((int)lo);
    const __m512i width = _mm512_set1_epi32((int)(hi - lo));
    __m512i largest = _mm512_setzero_si512();
    int64_t below = 0, inside = 0, i = 0;
    for (; i < n; i += 16) {
        __mmask16 valid = n - i >= 16 ? (__mmask16)0xFFFF : (__mmask16)((1u << (n - i)) - 1);
        __m512i u = _mm512_maskz_loadu_epi32(valid, x + i);
        __m512i flip = _mm512_mask_blend_epi32(_mm512_movepi32_mask(u), positive, negative);
        __m512i key = _mm512_sub_epi32(_mm512_xor_si512(u, flip), minus);
        largest = _mm512_mask_max_epu32(largest, valid, largest, key);
        below += __builtin_popcount(_mm512_mask_cmplt_epu32_mask(valid, key, low));
        __mmask16 in = _mm512_mask_cmple_epu32_mask(valid, _mm512_sub_epi32(key, low), width);
        if (to) {
            __m512i packed = _mm512_maskz_compress_epi32(in, key);
            if (valid == 0xFFFF) _mm512_storeu_si512(to + inside, packed);
            else _mm512_mask_storeu_epi32(to + inside, (__mmask16)((1u << __builtin_popcount(in)) - 1), packed);
        }
        inside += __builtin_popcount(in);
    }
    return (cpi_band){below, inside, n > 0 ? _mm512_reduce_max_epu32(largest) : 0};
}

cpi_band CPI_ISA_NAME(cpi_band64)(const uint64_t *x, int64_t n, const cpi_keys *k, uint64_t lo, uint64_t hi, uint64_t *to)
{
    const __m512i negative = _mm512_set1_epi64((int64_t)k->negative), positive = _mm512_set1_epi64((int64_t)k->positive);
    const __m512i minus = _mm512_set1_epi64((int64_t)k->minus), low = _mm512_set1_epi64((int64_t)lo);
    const __m512i width = _mm512_set1_epi64((int64_t)(hi - lo));
    __m512i largest = _mm512_setzero_si512();
    int64_t below = 0, inside = 0, i = 0;
    for (; i < n; i += 8) {
        __mmask8 valid = n - i >= 8 ? (__mmask8)0xFF : (__mmask8)((1u << (n - i)) - 1);
        __m512i u = _mm512_maskz_loadu_epi64(valid, x + i);
        __m512i flip = _mm512_mask_blend_epi64(_mm512_movepi64_mask(u), positive, negative);
        __m512i key = _mm512_sub_epi64(_mm512_xor_si512(u, flip), minus);
        largest = _mm512_mask_max_epu64(largest, valid, largest, key);
        below += __builtin_popcount(_mm512_mask_cmplt_epu64_mask(valid, key, low));
        __mmask8 in = _mm512_mask_cmple_epu64_mask(valid, _mm512_sub_epi64(key, low), width);
        if (to) {
            __m512i packed = _mm512_maskz_compress_epi64(in, key);
            if (valid == 0xFF) _mm512_storeu_si512(to + inside, packed);
            else _mm512_mask_storeu_epi64(to + inside, (__mmask8)((1u << __builtin_popcount(in)) - 1), packed);
        }
        inside += __builtin_popcount(in);
    }
    return (cpi_band){below, inside, n > 0 ? _mm512_reduce_max_epu64(largest) : 0};
}

cpi_dealt CPI_ISA_NAME(cpi_deal32)(const uint32_t *x, int64_t n, const cpi_keys *k, uint32_t lo, uint32_t hi,
                                  uint32_t *ends, uint32_t *middle)
{
    const __m512i negative = _mm512_set1_epi32((int)k->negative), positive = _mm512_set1_epi32((int)k->positive);
    const __m512i minus = _mm512_set1_epi32((int)k->minus);
    const __m512i low = _mm512_set1_epi32((int)lo), high = _mm512_set1_epi32((int)hi);
    cpi_dealt d = {0, 0, 0};
    for (int64_t i = 0; i < n; i += 16) {
        __mmask16 valid = n - i >= 16 ? (__mmask16)0xFFFF : (__mmask16)((1u << (n - i)) - 1);
        __m512i u = _mm512_maskz_loadu_epi32(valid, x + i);
        __m512i flip = _mm512_mask_blend_epi32(_mm512_movepi32_mask(u), positive, negative);
        __m512i key = _mm512_sub_epi32(_mm512_xor_si512(u, flip), minus);
        __mmask16 below = _mm512_mask_cmplt_epu32_mask(valid, key, low), above = _mm512_mask_cmpgt_epu32_mask(valid, key, high);
        __mmask16 in = (__mmask16)(valid & ~(below | above));
        int nb = __builtin_popcount(below), ni = __builtin_popcount(in), na = __builtin_popcount(above);
        __m512i packed = _mm512_maskz_compress_epi32(below, key), kept = _mm512_maskz_compress_epi32(in, key);
        if (valid == 0xFFFF) { /* the space between both ends still has room for all that is to come */
            _mm512_storeu_si512(ends + d.below, packed);
            if (in) _mm512_storeu_si512(middle + d.inside, kept);
        } else {
            _mm512_mask_storeu_epi32(ends + d.below, (__mmask16)((1u << nb) - 1), packed);
            _mm512_mask_storeu_epi32(middle + d.inside, (__mmask16)((1u << ni) - 1), kept);
        }
        d.above += na;
        _mm512_mask_storeu_epi32(ends + n - d.above, (__mmask16)((1u << na) - 1), _mm512_maskz_compress_epi32(above, key));
        d.below += nb;
        d.inside += ni;
    }
    return d;
}

cpi_dealt CPI_ISA_NAME(cpi_deal64)(const uint64_t *x, int64_t n, const cpi_keys *k, uint64_t lo, uint64_t hi,
                                  uint64_t *ends, uint64_t *middle)
{
    const __m512i negative = _mm512_set1_epi64((int64_t)k->negative), positive = _mm512_set1_epi64((int64_t)k->positive);
    const __m512i minus = _mm512_set1_epi64((int64_t)k->minus);
    const __m512i low = _mm512_set1_epi64((int64_t)lo), high = _mm512_set1_epi64((int64_t)hi);
    cpi_dealt d = {0, 0, 0};
    for (int64_t i = 0; i < n; i += 8) {
        __mmask8 valid = n - i >= 8 ? (__mmask8)0xFF : (__mmask8)((1u << (n - i)) - 1);
        __m512i u = _mm512_maskz_loadu_epi64(valid, x + i);
        __m512i flip = _mm512_mask_blend_epi64(_mm512_movepi64_mask(u), positive, negative);
        __m512i key = _mm512_sub_epi64(_mm512_xor_si512(u, flip), minus);
        __mmask8 below = _mm512_mask_cmplt_epu64_mask(valid, key, low), above = _mm512_mask_cmpgt_epu64_mask(valid, key, high);
        __mmask8 in = (__mmask8)(valid & ~(below | above));
        int nb = __builtin_popcount(below), ni = __builtin_popcount(in), na = __builtin_popcount(above);
        __m512i packed = _mm512_maskz_compress_epi64(below, key), kept = _mm512_maskz_compress_epi64(in, key);
        if (valid == 0xFF) { /* the space between both ends still has room for all that is to come */
            _mm512_storeu_si512(ends + d.below, packed);
            if (in) _mm512_storeu_si512(middle + d.inside, kept);
        } else {
            _mm512_mask_storeu_epi64(ends + d.below, (__mmask8)((1u << nb) - 1), packed);
            _mm512_mask_storeu_epi64(middle + d.inside, (__mmask8)((1u << ni) - 1), kept);
        }
        d.above += na;
        _mm512_mask_storeu_epi64(ends + n - d.above, (__mmask8)((1u << na) - 1), _mm512_maskz_compress_epi64(above, key));
        d.below += nb;
        d.inside += ni;
    }
    return d;
}

#else

/* Without compressing stores: every key is written, and the place moves on when it is to stay. */
#define BAND(W)                                                                                                   \
    cpi_band CPI_ISA_NAME(cpi_band##W)(const uint##W##_t *x, int64_t n, const cpi_keys *keys, uint##W##_t lo,     \
                                       uint##W##_t hi, uint##W##_t *to)                                           \
    {                                                                                                             \
        const cpi_keys k = *keys;                                                                                 \
        uint##W##_t width = (uint##W##_t)(hi - lo), largest = 0;                                                  \
        int64_t below = 0, inside = 0;                                                                            \
        if (!to) {                                                                                                \
            for (int64_t i = 0; i < n; i++) {                                                                     \
                uint##W##_t key = cpi_key##W(&k, x[i]);                                                           \
                largest = key > largest ? key : largest;                                                          \
                below += key < lo;                                                                                \
                inside += (uint##W##_t)(key - lo) <= width;                                                       \
            }                                                                                                     \
            return (cpi_band){below, inside, largest};                                                            \
        }                                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                                         \
            uint##W##_t key = cpi_key##W(&k, x[i]);                                                               \
            largest = key > largest ? key : largest;                                                              \
            below += key < lo;                                                                                    \
            to[inside] = key;                                                                                     \
            inside += (uint##W##_t)(key - lo) <= width;                                                           \
        }                                                                                                         \
        return (cpi_band){below, inside, largest};                                                                \
    }
BAND(32)
BAND(64)

#define DEAL(W)                                                                                                   \
    cpi_dealt CPI_ISA_NAME(cpi_deal##W)(const uint##W##_t *x, int64_t n, const cpi_keys *keys, uint##W##_t lo,    \
                                        uint##W##_t hi, uint##W##_t *ends, uint##W##_t *middle)                   \
    {                                                                                                             \
        const cpi_keys k = *keys;                                                                                 \
        cpi_dealt d = {0, 0, 0};                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                                         \
            uint##W##_t key = cpi_key##W(&k, x[i]);                                                               \
            ends[d.below] = key;                                                                                  \
            ends[n - 1 - d.above] = key;                                                                          \
            middle[d.inside] = key;                                                                               \
            d.below += key < lo;                                                                                  \
            d.above += key > hi;                                                                                  \
            d.inside += (key >= lo) & (key <= hi);                                                                \
        }                                                                                                         \
        return d;                                                                                                 \
    }
DEAL(32)
DEAL(64)

#endif

/* --- many short lanes --- */

/* Batcher's network over the rows of a tile: each exchange works on all lanes at once, and the compiler makes
 * vector minima and maxima of it. */
#define COLUMNS(W)                                                                                        \
    static void network##W(uint##W##_t *tile, int n)                                                      \
    {                                                                                                     \
        for (int p = 1; p < n; p *= 2)                                                                    \
            for (int k = p; k; k /= 2)                                                                    \
                for (int j = k % p; j + k < n; j += 2 * k)                                                \
                    for (int i = j; i < j + k && i + k < n; i++) {                                        \
                        if (i / (2 * p) != (i + k) / (2 * p)) continue;                                   \
                        uint##W##_t *restrict a = tile + i * CPI_COLUMNS, *restrict b = a + k * CPI_COLUMNS; \
                        for (int l = 0; l < CPI_COLUMNS; l++) {                                           \
                            uint##W##_t x = a[l], y = b[l];                                               \
                            a[l] = x < y ? x : y;                                                         \
                            b[l] = x < y ? y : x;                                                         \
                        }                                                                                 \
                    }                                                                                     \
    }
COLUMNS(32)
COLUMNS(64)

#define TRANSPOSED(T, key)                                                        \
    for (int i = 0; i < n; i++)                                                   \
        for (int l = 0; l < rows; l++) tile[i * CPI_COLUMNS + l] = key(&keys, ((const T *)from)[l * n + i])

void CPI_ISA_NAME(cpi_columns32)(const cpi_keys *k, const void *from, int rows, int n, uint32_t *tile)
{
    const cpi_keys keys = *k;
    if (keys.bytes == 4) TRANSPOSED(uint32_t, cpi_key32);
    else if (keys.bytes == 2) TRANSPOSED(uint16_t, cpi_key16);
    else TRANSPOSED(uint8_t, cpi_key8);
    network32(tile, n);
}

void CPI_ISA_NAME(cpi_columns64)(const cpi_keys *k, const void *from, int rows, int n, uint64_t *tile)
{
    const cpi_keys keys = *k;
    TRANSPOSED(uint64_t, cpi_key64);
    network64(tile, n);
}
