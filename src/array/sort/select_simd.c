/* The narrowing kernels, once for each instruction set. All variants give the same results. */
#include "cpu/features.h"
#include "sort/select.h"

#include "sort/vectors.h"

#if CPI_KEY_VECTOR_BITS == 512

#define W 32
#define T uint32_t
#define SIGNED int32_t
#define LANES 16
#define MASK __mmask16
#include "sort/select_masks.inc"

#define W 64
#define T uint64_t
#define SIGNED int64_t
#define LANES 8
#define MASK __mmask8
#include "sort/select_masks.inc"

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

#define W 32
#define T uint32_t
#define LANES 8
#include "sort/select_compress.inc"

#define W 64
#define T uint64_t
#define LANES 4
#include "sort/select_compress.inc"

#else

#define W 32
#define T uint32_t
#include "sort/select_scalar.inc"

#define W 64
#define T uint64_t
#include "sort/select_scalar.inc"

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
