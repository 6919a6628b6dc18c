/* The CPU's inner loops: a line as a bit mask, where its elements change, non-temporal stores.
 *
 * Bit j of word j / 64 is set where element j is not zero; bits behind the last element are 0. */
#include <string.h>

#include "cpu/features.h"
#include "cpu/intrinsics.h"
#include "ndimage/bits.h"

/* 64 elements of SIZE bytes to one word, the part that the instruction set decides. `keep` has the bits that
 * count (all but the sign for floating types). */
#if defined(__AVX512BW__)
#define WORD(SIZE, SUFFIX)                                                             \
    static inline uint64_t word##SIZE(const char *x, uint64_t keep)                    \
    {                                                                                  \
        __m512i m = _mm512_set1_epi64((long long)keep);                                \
        uint64_t w = 0;                                                                \
        for (int i = 0; i < SIZE; i++)                                                 \
            w |= (uint64_t)_mm512_test_epi##SUFFIX##_mask(_mm512_loadu_si512(x + 64 * i), m) << i * (64 / SIZE); \
        return w;                                                                      \
    }
WORD(1, 8)
WORD(2, 16)
WORD(4, 32)
WORD(8, 64)
#elif defined(__AVX2__)
static inline __m256i zero_of(const char *x, __m256i m, int size)
{
    __m256i v = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)x), m), z = _mm256_setzero_si256();
    return size == 1 ? _mm256_cmpeq_epi8(v, z) : size == 2 ? _mm256_cmpeq_epi16(v, z)
         : size == 4 ? _mm256_cmpeq_epi32(v, z) : _mm256_cmpeq_epi64(v, z);
}
#define WORD(SIZE, PER, MASK)                                                          \
    static inline uint64_t word##SIZE(const char *x, uint64_t keep)                    \
    {                                                                                  \
        __m256i m = _mm256_set1_epi64x((long long)keep);                               \
        uint64_t w = 0;                                                                \
        for (int i = 0; i < 64 / PER; i++) w |= (uint64_t)(MASK) << i * PER;           \
        return ~w;                                                                     \
    }
WORD(1, 32, (uint32_t)_mm256_movemask_epi8(zero_of(x + 32 * i, m, 1)))
WORD(2, 32, (uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(
    _mm256_packs_epi16(zero_of(x + 64 * i, m, 2), zero_of(x + 64 * i + 32, m, 2)), 0xd8)))
WORD(4, 8, (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(zero_of(x + 32 * i, m, 4))))
WORD(8, 4, (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(zero_of(x + 32 * i, m, 8))))
#else
#define WORD(SIZE, TYPE)                                                               \
    static inline uint64_t word##SIZE(const char *x, uint64_t keep)                    \
    {                                                                                  \
        uint64_t w = 0;                                                                \
        for (int i = 0; i < 64; i++) {                                                 \
            TYPE v;                                                                    \
            memcpy(&v, x + SIZE * i, SIZE);                                            \
            w |= (uint64_t)((v & (TYPE)keep) != 0) << i;                               \
        }                                                                              \
        return w;                                                                      \
    }
WORD(1, uint8_t)
WORD(2, uint16_t)
WORD(4, uint32_t)
WORD(8, uint64_t)
#endif

static inline uint64_t word_of(const char *x, int size, uint64_t keep)
{
    return size == 1 ? word1(x, keep) : size == 2 ? word2(x, keep) : size == 4 ? word4(x, keep) : word8(x, keep);
}

static inline bool is_set(const char *x, int size, uint64_t keep)
{
    uint64_t v8 = 0;
    uint32_t v4 = 0;
    uint16_t v2 = 0;
    switch (size) { /* copies of a known length, as x need not be aligned */
    case 1: return ((unsigned char)*x & keep) != 0;
    case 2: memcpy(&v2, x, 2); return (v2 & keep) != 0;
    case 4: memcpy(&v4, x, 4); return (v4 & keep) != 0;
    default: memcpy(&v8, x, 8); return (v8 & keep) != 0;
    }
}

/* The last elements of a line, fewer than 64. */
static inline uint64_t tail_word(const char *x, int64_t n, int size, uint64_t keep)
{
    uint64_t w = 0;
    if (n < 16) {
        for (int64_t k = 0; k < n; k++) w |= (uint64_t)is_set(x + k * size, size, keep) << k;
        return w;
    }
    char tail[64 * 8] = {0};
    memcpy(tail, x, (size_t)(n * size));
    return word_of(tail, size, keep);
}

int64_t CPI_ISA_NAME(cpi_line_bits)(const void *line, int64_t n, int size, uint64_t keep, bool joined, uint64_t *bits)
{
    const char *x = line;
    int64_t words = n / 64, rest = n % 64, runs = 0;
    uint64_t carry = 0;
    for (int64_t i = 0; i <= words; i++) {
        if (i == words && !rest) break;
        uint64_t w =
            i < words ? word_of(x + i * 64 * size, size, keep) : tail_word(x + i * 64 * size, rest, size, keep);
        bits[i] = w;
        runs += __builtin_popcountll(joined ? w & ~(w << 1 | carry) : w);
        carry = w >> 63;
    }
    return runs;
}

/* The same for "element i differs from element i + 1". */
#if defined(__AVX512BW__)
#define CHANGES(SIZE, SUFFIX)                                                          \
    static inline uint64_t changes##SIZE(const char *x)                                \
    {                                                                                  \
        uint64_t w = 0;                                                                \
        for (int i = 0; i < SIZE; i++)                                                 \
            w |= (uint64_t)_mm512_cmpneq_epi##SUFFIX##_mask(_mm512_loadu_si512(x + 64 * i), \
                                                           _mm512_loadu_si512(x + 64 * i + SIZE)) << i * (64 / SIZE); \
        return w;                                                                      \
    }
CHANGES(1, 8)
CHANGES(2, 16)
CHANGES(4, 32)
CHANGES(8, 64)
#else
#define CHANGES(SIZE)                                                                  \
    static inline uint64_t changes##SIZE(const char *x)                                \
    {                                                                                  \
        char gap[64 * SIZE]; /* 0 where the neighbours are equal */                    \
        for (int i = 0; i < 64 * SIZE; i++) gap[i] = x[i] ^ x[i + SIZE];               \
        return word##SIZE(gap, UINT64_MAX);                                            \
    }
CHANGES(1)
CHANGES(2)
CHANGES(4)
CHANGES(8)
#endif

uint64_t CPI_ISA_NAME(cpi_changes)(const void *p, int size)
{
    return size == 1 ? changes1(p) : size == 2 ? changes2(p) : size == 4 ? changes4(p) : changes8(p);
}

void CPI_ISA_NAME(cpi_stream_copy)(void *to, const void *from, int64_t bytes)
{
#if defined(__SSE2__)
    char *t = to;
    const char *f = from;
    int64_t head = -(intptr_t)t & 63;
    if (head > bytes) head = bytes;
    memcpy(t, f, (size_t)head);
    int64_t i = head;
    for (; i + 64 <= bytes; i += 64)
#if defined(__AVX512F__)
        _mm512_stream_si512((void *)(t + i), _mm512_loadu_si512(f + i));
#else
        for (int k = 0; k < 64; k += 16)
            _mm_stream_si128((__m128i *)(t + i + k), _mm_loadu_si128((const __m128i *)(f + i + k)));
#endif
    memcpy(t + i, f + i, (size_t)(bytes - i));
#else
    memcpy(to, from, (size_t)bytes);
#endif
}

void CPI_ISA_NAME(cpi_stream_fence)(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}
