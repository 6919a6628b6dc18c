/* Bits of a condition and compaction by them, compiled once per instruction set.
 *
 * Words that are full or empty are copied or skipped whole. Mixed ones use the processor's compress instruction where
 * there is one (AVX-512), else go bit by bit. A compressed register is stored in full, with a mask only at the end of a
 * chunk, because compressing straight to memory is slow on some processors. */
#include <string.h>

#include "cpu/intrinsics.h"
#include "index/kernels.h"


/* --- bits --- */

static inline uint64_t word_of_bytes(const uint8_t *b)
{
#if defined(__AVX512BW__)
    __m512i v = _mm512_loadu_si512(b);
    return _mm512_test_epi8_mask(v, v);
#elif defined(__AVX2__)
    __m256i z = _mm256_setzero_si256();
    uint32_t lo = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256((const void *)b), z));
    uint32_t hi = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256((const void *)(b + 32)), z));
    return ~((uint64_t)hi << 32 | lo);
#elif defined(__SSE2__)
    uint64_t w = 0;
    for (int i = 0; i < 4; i++) {
        __m128i v = _mm_cmpeq_epi8(_mm_loadu_si128((const void *)(b + 16 * i)), _mm_setzero_si128());
        w |= (uint64_t)(uint16_t)~_mm_movemask_epi8(v) << (16 * i);
    }
    return w;
#else
    uint64_t w = 0;
    for (int i = 0; i < 64; i++) w |= (uint64_t)(b[i] != 0) << i;
    return w;
#endif
}

/* n <= 64 elements to bytes that are 0 or not */
#define TRUTH(T) \
    for (int i = 0; i < n; i++) b[i] = (((const T *)x)[i] & (T)magnitude) != 0; \
    break
#define TRUTH_PAIR(T) \
    for (int i = 0; i < n; i++) b[i] = (((const T *)x)[2 * i] != 0) | (((const T *)x)[2 * i + 1] != 0); \
    break

/* `item` is negative for pairs, of numbers half that long; of others only the bits of `magnitude` count. */
static void truth(const char *x, int item, uint64_t magnitude, int n, uint8_t *b)
{
    switch (item) {
    case 1: TRUTH(uint8_t);
    case 2: TRUTH(uint16_t);
    case 4: TRUTH(uint32_t);
    case 8: TRUTH(uint64_t);
    case -8: TRUTH_PAIR(float);
    case -16: TRUTH_PAIR(double);
    }
}

static int64_t bits(const void *condition, cp_type type, int64_t n, uint64_t *words)
{
    const char *x = condition;
    int64_t item = cpi_itemsize(type), count = 0;
    const int kind = cpi_is_complex(type) ? (int)-item : (int)item;
    const uint64_t magnitude = kind > 0 ? cpi_magnitude(type) : 0;
    const bool bytes = item == 1 && !cpi_is_float(type);
    int64_t i = 0;
    for (; bytes && n - i >= 64; i += 64) { /* by itself: a loop without branches */
        const uint64_t w = word_of_bytes((const uint8_t *)x + i);
        words[i / 64] = w;
        count += __builtin_popcountll(w);
    }
    for (x += i * item; i < n; i += 64, x += 64 * item) {
        uint8_t b[64] = {0};
        if (bytes) memcpy(b, x, (uint32_t)(n - i) & 63u);
        else if (n - i >= 64) truth(x, kind, magnitude, 64, b);
        else truth(x, kind, magnitude, (int)(n - i), b);
        const uint64_t w = word_of_bytes(b);
        words[i / 64] = w;
        count += __builtin_popcountll(w);
    }
    return count;
}

/* Byte 0 of w first, whatever the byte order. */
static inline void store_little(uint8_t *to, uint64_t w)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    memcpy(to, &w, sizeof w);
}

/* --- compaction --- */

typedef struct sixteen { uint64_t a, b; } sixteen;

#define EACH_BIT(T)                                                              \
    for (; w; w &= w - 1) {                                                      \
        int64_t i = __builtin_ctzll(w);                                          \
        memcpy(out, x + i * step, sizeof(T));                                    \
        out += sizeof(T);                                                        \
    }                                                                            \
    break

#if defined(__AVX512F__)
#define PACK(BITS, LANES)                                                                          \
    for (int i = 0; i < 64; i += LANES) {                                                          \
        unsigned m = (unsigned)(w >> i) & ((1u << LANES) - 1), k = (unsigned)__builtin_popcount(m);  \
        __m512i v = _mm512_maskz_compress_epi##BITS((__mmask##LANES)m, _mm512_loadu_si512(x + i * (BITS / 8))); \
        if (out + 64 <= end) _mm512_storeu_si512(out, v);                                          \
        else _mm512_mask_storeu_epi##BITS(out, (__mmask##LANES)((1u << k) - 1), v);                \
        out += k * (BITS / 8);                                                                     \
    }
#endif

/* The selected of the 64 elements at x; returns behind what was written. */
static inline char *compact_word(uint64_t w, const char *x, int64_t step, int64_t bytes, char *out, const char *end)
{
#if defined(__AVX512F__)
    if (step == bytes && bytes == 4) {
        PACK(32, 16)
        return out;
    }
    if (step == bytes && bytes == 8) {
        PACK(64, 8)
        return out;
    }
#endif
    (void)end;
    switch (bytes) {
    case 1: EACH_BIT(uint8_t);
    case 2: EACH_BIT(uint16_t);
    case 4: EACH_BIT(uint32_t);
    case 8: EACH_BIT(uint64_t);
    default: EACH_BIT(sixteen);
    }
    return out;
}

static void compact(const uint64_t *words, int64_t n, const char *x, int64_t step, int64_t bytes, char *out,
                    int64_t count)
{
    const char *end = out + count * bytes;
    int64_t i = 0;
    for (; i + 64 <= n; i += 64) {
        uint64_t w = words[i / 64];
        const char *from = x + i * step;
        if (w == 0) continue;
        if (w == ~(uint64_t)0 && step == bytes) {
            memcpy(out, from, (size_t)(64 * bytes));
            out += 64 * bytes;
        } else {
            out = compact_word(w, from, step, bytes, out, end);
        }
    }
    if (i == n) return;
    /* the last, short word: no reads behind x */
    for (uint64_t w = words[i / 64]; w; w &= w - 1) {
        memcpy(out, x + (i + __builtin_ctzll(w)) * step, (size_t)bytes);
        out += bytes;
    }
}

static void positions(const uint64_t *words, int64_t n, int64_t base, int64_t *out, int64_t count)
{
    const int64_t *end = out + count;
    (void)end;
    for (int64_t i = 0; i < n; i += 64) {
        uint64_t w = words[i / 64];
#if defined(__AVX512F__)
        if (__builtin_popcountll(w) > 8) {
            __m512i v = _mm512_add_epi64(_mm512_set1_epi64(base + i), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
            for (int l = 0; l < 64; l += 8, v = _mm512_add_epi64(v, _mm512_set1_epi64(8))) {
                unsigned m = (unsigned)(w >> l) & 0xffu, k = (unsigned)__builtin_popcount(m);
                __m512i packed = _mm512_maskz_compress_epi64((__mmask8)m, v);
                if (out + 8 <= end) _mm512_storeu_si512(out, packed);
                else _mm512_mask_storeu_epi64(out, (__mmask8)((1u << k) - 1), packed);
                out += k;
            }
            continue;
        }
#endif
        for (; w; w &= w - 1) *out++ = base + i + __builtin_ctzll(w);
    }
}

/* Every element is written, those not selected too: a loop without branches. */
#define FILL(T)                                                         \
    {                                                                   \
        T v, *restrict to = (T *)x;                                     \
        memcpy(&v, value, sizeof v);                                    \
        for (int64_t i = 0; i < n; i++) to[i] = mask[i] ? v : to[i];    \
        return;                                                         \
    }

static void fill(char *x, const uint8_t *restrict mask, int64_t n, int64_t bytes, const void *value)
{
    switch (bytes) {
    case 1: FILL(uint8_t)
    case 2: FILL(uint16_t)
    case 4: FILL(uint32_t)
    case 8: FILL(uint64_t)
    default:
        for (int64_t i = 0; i < n; i++)
            if (mask[i]) memcpy(x + 16 * i, value, 16);
    }
}

/* --- bits of bytes --- */

/* Reverses the bits of each byte. */
static inline uint64_t mirrored(uint64_t w)
{
    w = (w >> 1 & 0x5555555555555555u) | (w & 0x5555555555555555u) << 1;
    w = (w >> 2 & 0x3333333333333333u) | (w & 0x3333333333333333u) << 2;
    return (w >> 4 & 0x0f0f0f0f0f0f0f0fu) | (w & 0x0f0f0f0f0f0f0f0fu) << 4;
}

static void pack(const uint8_t *x, int64_t n, bool little, uint8_t *out)
{
    for (int64_t i = 0; i < n; i += 64) {
        const int64_t left = n - i < 64 ? n - i : 64;
        uint64_t w;
        if (left == 64) {
            w = word_of_bytes(x + i);
        } else {
            uint8_t rest[64] = {0};
            memcpy(rest, x + i, (size_t)left);
            w = word_of_bytes(rest);
        }
        if (!little) w = mirrored(w);
        if (left == 64) store_little(out + i / 8, w);
        else
            for (int64_t k = 0; k < (left + 7) / 8; k++) out[i / 8 + k] = (uint8_t)(w >> (8 * k));
    }
}

/* Byte k of the eight has one bit of x, and is 1 where that is set: a bit plus 127 reaches bit 7. */
static void unpack(const uint8_t *x, int64_t n, bool little, uint8_t *out)
{
    const uint64_t ones = 0x0101010101010101u, mine = little ? 0x8040201008040201u : 0x0102040810204080u;
    for (int64_t i = 0; i < n; i++) {
        uint64_t w = ((x[i] * ones & mine) + 0x7f * ones) >> 7 & ones;
        store_little(out + 8 * i, w);
    }
}

const cpi_index_kernels CPI_ISA_NAME(cpi_index_kernels) = {bits, compact, positions, fill, pack, unpack};
