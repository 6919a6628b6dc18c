/* The narrowing kernels, once for each instruction set. All variants give the same results. */
#include "cpu/features.h"
#include "sort/select.h"

#include "sort/vectors.h"

#if CPI_KEY_VECTOR_BITS == 512

/* Vectors of LANES keys of W bits. Compressed vectors are stored whole where all lanes are valid. In `band`, what lies
 * behind their end is overwritten later or not read, and since no more keys are kept than were read, the store ends at
 * or before the element just read. In `deal`, the space between both ends still has room for all that is to come. */
#define KERNELS(W, LANES)                                                                                              \
    static inline __mmask##LANES valid##W(int64_t left)                                                                \
    {                                                                                                                  \
        return left >= LANES ? (__mmask##LANES)~0 : (__mmask##LANES)((1u << left) - 1);                                \
    }                                                                                                                  \
    static inline __m512i keys##W(__m512i u, __m512i negative, __m512i positive, __m512i minus)                        \
    {                                                                                                                  \
        __m512i flip = _mm512_mask_blend_epi##W(_mm512_movepi##W##_mask(u), positive, negative);                       \
        return _mm512_sub_epi##W(_mm512_xor_si512(u, flip), minus);                                                    \
    }                                                                                                                  \
    cpi_window CPI_ISA_NAME(cpi_window##W)(const uint##W##_t *x, int64_t n, const cpi_keys *k, uint##W##_t lo,         \
                                           uint##W##_t hi, uint##W##_t *to)                                            \
    {                                                                                                                  \
        const __m512i negative = _mm512_set1_epi##W((int##W##_t)k->negative);                                          \
        const __m512i positive = _mm512_set1_epi##W((int##W##_t)k->positive);                                          \
        const __m512i minus = _mm512_set1_epi##W((int##W##_t)k->minus), low = _mm512_set1_epi##W((int##W##_t)lo);      \
        const __m512i width = _mm512_set1_epi##W((int##W##_t)(hi - lo));                                               \
        __m512i largest = _mm512_setzero_si512();                                                                      \
        int64_t below = 0, inside = 0;                                                                                 \
        for (int64_t i = 0; i < n; i += LANES) {                                                                       \
            __mmask##LANES valid = valid##W(n - i);                                                                    \
            __m512i key = keys##W(_mm512_maskz_loadu_epi##W(valid, x + i), negative, positive, minus);                 \
            largest = _mm512_mask_max_epu##W(largest, valid, largest, key);                                            \
            below += __builtin_popcount(_mm512_mask_cmplt_epu##W##_mask(valid, key, low));                             \
            __mmask##LANES in = _mm512_mask_cmple_epu##W##_mask(valid, _mm512_sub_epi##W(key, low), width);            \
            if (to) {                                                                                                  \
                __m512i packed = _mm512_maskz_compress_epi##W(in, key);                                                \
                __mmask##LANES kept = (__mmask##LANES)((1u << __builtin_popcount(in)) - 1);                            \
                if (valid == (__mmask##LANES)~0) _mm512_storeu_si512(to + inside, packed);                             \
                else _mm512_mask_storeu_epi##W(to + inside, kept, packed);                                             \
            }                                                                                                          \
            inside += __builtin_popcount(in);                                                                          \
        }                                                                                                              \
        return (cpi_window){below, inside, n > 0 ? _mm512_reduce_max_epu##W(largest) : 0};                             \
    }                                                                                                                  \
    cpi_parts CPI_ISA_NAME(cpi_three_way##W)(const uint##W##_t *x, int64_t n, const cpi_keys *k, uint##W##_t lo,       \
                                             uint##W##_t hi, uint##W##_t *ends, uint##W##_t *middle)                   \
    {                                                                                                                  \
        const __m512i negative = _mm512_set1_epi##W((int##W##_t)k->negative);                                          \
        const __m512i positive = _mm512_set1_epi##W((int##W##_t)k->positive);                                          \
        const __m512i minus = _mm512_set1_epi##W((int##W##_t)k->minus);                                                \
        const __m512i low = _mm512_set1_epi##W((int##W##_t)lo), high = _mm512_set1_epi##W((int##W##_t)hi);             \
        cpi_parts d = {0, 0, 0};                                                                                       \
        for (int64_t i = 0; i < n; i += LANES) {                                                                       \
            __mmask##LANES valid = valid##W(n - i);                                                                    \
            __m512i key = keys##W(_mm512_maskz_loadu_epi##W(valid, x + i), negative, positive, minus);                 \
            __mmask##LANES below = _mm512_mask_cmplt_epu##W##_mask(valid, key, low);                                   \
            __mmask##LANES above = _mm512_mask_cmpgt_epu##W##_mask(valid, key, high);                                  \
            __mmask##LANES in = (__mmask##LANES)(valid & ~(below | above));                                            \
            int nb = __builtin_popcount(below), ni = __builtin_popcount(in), na = __builtin_popcount(above);           \
            __m512i packed = _mm512_maskz_compress_epi##W(below, key), kept = _mm512_maskz_compress_epi##W(in, key);   \
            if (valid == (__mmask##LANES)~0) {                                                                         \
                _mm512_storeu_si512(ends + d.below, packed);                                                           \
                if (in) _mm512_storeu_si512(middle + d.inside, kept);                                                  \
            } else {                                                                                                   \
                _mm512_mask_storeu_epi##W(ends + d.below, (__mmask##LANES)((1u << nb) - 1), packed);                   \
                _mm512_mask_storeu_epi##W(middle + d.inside, (__mmask##LANES)((1u << ni) - 1), kept);                  \
            }                                                                                                          \
            d.above += na;                                                                                             \
            _mm512_mask_storeu_epi##W(ends + n - d.above, (__mmask##LANES)((1u << na) - 1),                            \
                                      _mm512_maskz_compress_epi##W(above, key));                                       \
            d.below += nb;                                                                                             \
            d.inside += ni;                                                                                            \
        }                                                                                                              \
        return d;                                                                                                      \
    }
KERNELS(32, 16)
KERNELS(64, 8)

#elif CPI_KEY_VECTOR_BITS == 256

INLINE q_vector keys32(q_vector u, q_vector negative, q_vector positive, q_vector minus)
{
    const q_vector flip = _mm256_blendv_epi8(positive, negative, _mm256_srai_epi32(u, 31));
    return _mm256_sub_epi32(_mm256_xor_si256(u, flip), minus);
}
INLINE q_vector keys64(q_vector u, q_vector negative, q_vector positive, q_vector minus)
{
    const __m256d flip = _mm256_blendv_pd((__m256d)positive, (__m256d)negative, (__m256d)u); /* by the sign */
    return _mm256_sub_epi64(_mm256_xor_si256(u, (q_vector)flip), minus);
}

/* Vectors are stored whole, the keys that stay first: behind them is what is overwritten later or not read. In `deal`
 * the last are stored before the end in the same way, so there the space between both ends is as large as two vectors
 * as long as there is a whole one; the few keys behind go one by one. */
#define KERNELS(W, LANES)                                                                                              \
    cpi_window CPI_ISA_NAME(cpi_window##W)(const uint##W##_t *x, int64_t n, const cpi_keys *keys, uint##W##_t lo,      \
                                           uint##W##_t hi, uint##W##_t *to)                                            \
    {                                                                                                                  \
        const cpi_keys k = *keys;                                                                                      \
        const q_vector negative = q##W##_set1((uint##W##_t)k.negative), minus = q##W##_set1((uint##W##_t)k.minus);     \
        const q_vector positive = q##W##_set1((uint##W##_t)k.positive), low = q##W##_set1(lo);                         \
        const uint##W##_t span = (uint##W##_t)(hi - lo);                                                               \
        const q_vector width = q##W##_set1(span);                                                                      \
        q_vector most = q##W##_set1(0);                                                                                \
        uint##W##_t largest = 0, lanes[LANES];                                                                         \
        int64_t below = 0, inside = 0, i = 0;                                                                          \
        for (; i + LANES <= n; i += LANES) {                                                                           \
            const q_vector key = keys##W(q_load(x + i), negative, positive, minus);                                    \
            const unsigned in = q##W##_le(_mm256_sub_epi##W(key, low), width);                                         \
            most = q##W##_max(most, key);                                                                              \
            below += __builtin_popcount(q##W##_lt(key, low));                                                          \
            if (to) q_store(to + inside, q##W##_compress(in, key));                                                    \
            inside += __builtin_popcount(in);                                                                          \
        }                                                                                                              \
        q_store(lanes, most);                                                                                          \
        for (int l = 0; l < LANES; l++) largest = lanes[l] > largest ? lanes[l] : largest;                             \
        for (; i < n; i++) {                                                                                           \
            const uint##W##_t key = cpi_key##W(&k, x[i]);                                                              \
            largest = key > largest ? key : largest;                                                                   \
            below += key < lo;                                                                                         \
            if (to) to[inside] = key;                                                                                  \
            inside += (uint##W##_t)(key - lo) <= span;                                                                 \
        }                                                                                                              \
        return (cpi_window){below, inside, largest};                                                                   \
    }                                                                                                                  \
    cpi_parts CPI_ISA_NAME(cpi_three_way##W)(const uint##W##_t *x, int64_t n, const cpi_keys *keys, uint##W##_t lo,    \
                                             uint##W##_t hi, uint##W##_t *ends, uint##W##_t *middle)                   \
    {                                                                                                                  \
        const cpi_keys k = *keys;                                                                                      \
        const q_vector negative = q##W##_set1((uint##W##_t)k.negative), minus = q##W##_set1((uint##W##_t)k.minus);     \
        const q_vector positive = q##W##_set1((uint##W##_t)k.positive), low = q##W##_set1(lo), high = q##W##_set1(hi); \
        const unsigned all = (1u << LANES) - 1;                                                                        \
        cpi_parts d = {0, 0, 0};                                                                                       \
        int64_t i = 0;                                                                                                 \
        for (; i + 2 * LANES <= n; i += LANES) {                                                                       \
            const q_vector key = keys##W(q_load(x + i), negative, positive, minus);                                    \
            const unsigned below = q##W##_lt(key, low), above = q##W##_lt(high, key), in = all & ~(below | above);     \
            q_store(ends + d.below, q##W##_compress(below, key));                                                      \
            q_store(ends + n - d.above - LANES, q##W##_compress(above ^ all, key));                                    \
            q_store(middle + d.inside, q##W##_compress(in, key));                                                      \
            d.below += __builtin_popcount(below);                                                                      \
            d.inside += __builtin_popcount(in);                                                                        \
            d.above += __builtin_popcount(above);                                                                      \
        }                                                                                                              \
        for (; i < n; i++) {                                                                                           \
            const uint##W##_t key = cpi_key##W(&k, x[i]);                                                              \
            if (key < lo) ends[d.below++] = key;                                                                       \
            else if (key > hi) ends[n - ++d.above] = key;                                                              \
            else middle[d.inside++] = key;                                                                             \
        }                                                                                                              \
        return d;                                                                                                      \
    }
KERNELS(32, 8)
KERNELS(64, 4)

#else

/* Without compressing stores: every key is written, and the place moves on when it is to stay. */
#define WINDOW(W)                                                                                                 \
    cpi_window CPI_ISA_NAME(cpi_window##W)(const uint##W##_t *x, int64_t n, const cpi_keys *keys, uint##W##_t lo, \
                                           uint##W##_t hi, uint##W##_t *to)                                       \
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
            return (cpi_window){below, inside, largest};                                                          \
        }                                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                                         \
            uint##W##_t key = cpi_key##W(&k, x[i]);                                                               \
            largest = key > largest ? key : largest;                                                              \
            below += key < lo;                                                                                    \
            to[inside] = key;                                                                                     \
            inside += (uint##W##_t)(key - lo) <= width;                                                           \
        }                                                                                                         \
        return (cpi_window){below, inside, largest};                                                              \
    }
WINDOW(32)
WINDOW(64)

#define THREE_WAY(W)                                                                                              \
    cpi_parts CPI_ISA_NAME(cpi_three_way##W)(const uint##W##_t *x, int64_t n, const cpi_keys *keys, uint##W##_t lo, \
                                             uint##W##_t hi, uint##W##_t *ends, uint##W##_t *middle)              \
    {                                                                                                             \
        const cpi_keys k = *keys;                                                                                 \
        cpi_parts d = {0, 0, 0};                                                                                  \
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
THREE_WAY(32)
THREE_WAY(64)

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
