/* Binary search, compiled once per instruction set. Values go through their steps SIDE at a time. The steps' lengths
 * are the same for all of them, so a step is a loop, which the compiler vectorizes where the processor has gather
 * instructions. Where the searched array is large, each value prefetches what its next step reads.
 *
 * Keys (keys.h) are compared, equal for equal values. A step is a mask, not a choice: the compiler would make a jump of
 * that, which is mispredicted every other time. */
#include "sort/search.h"

#include "cpu/intrinsics.h"

enum { SIDE = 64, FEW = 16 /* so many go one by one */ };

/* I: an integer as wide as an element, in which places are counted. key(k, x): x's key. */
#define SEARCH(name, T, I, key)                                                                       \
    static void name(const cpi_search *s, int64_t first, int64_t last)                                \
    {                                                                                                 \
        const T *from = s->from, *values = s->values;                                                 \
        const cpi_keys keys = s->keys, *k = &keys;                                                    \
        const bool right = s->right;                                                                  \
        for (int64_t i = first; i < last;) {                                                          \
            const int64_t m = last - i < SIDE ? last - i : SIDE;                                      \
            if (m < FEW || s->n > INT32_MAX) {                                                        \
                const T v = key(k, values[i]);                                                        \
                const T *at = from;                                                                   \
                for (int64_t n = s->n, half; n > 1; n -= half) {                                      \
                    half = n / 2;                                                                     \
                    const T here = key(k, at[half - 1]);                                              \
                    at += half & -(int64_t)((here < v) | (right & (here == v)));                      \
                }                                                                                     \
                const T here = key(k, *at);                                                           \
                s->to[i++] = at - from + ((here < v) | (right & (here == v)));                        \
                continue;                                                                             \
            }                                                                                         \
            T v[SIDE];                                                                                \
            I at[SIDE];                                                                               \
            for (int b = 0; b < SIDE; b++) v[b] = key(k, values[i + (b < m ? b : 0)]), at[b] = 0;     \
            for (I n = (I)s->n, half; n > 1; n -= half) {                                             \
                half = n / 2;                                                                         \
                for (int b = 0; b < SIDE; b++) {                                                      \
                    const T here = key(k, from[at[b] + half - 1]);                                    \
                    at[b] += half & -(I)((here < v[b]) | (right & (here == v[b])));                   \
                }                                                                                     \
                if (s->far && n - half > 1)                                                           \
                    for (int b = 0; b < SIDE; b++) __builtin_prefetch(from + at[b] + (n - half) / 2 - 1); \
            }                                                                                         \
            for (int b = 0; b < m; b++) {                                                             \
                const T here = key(k, from[at[b]]);                                                   \
                s->to[i + b] = (int64_t)at[b] + ((here < v[b]) | (right & (here == v[b])));           \
            }                                                                                         \
            i += m;                                                                                   \
        }                                                                                             \
    }

#define KEY16(k, x) cpi_same16(k, cpi_key16(k, x))
#define KEY32(k, x) cpi_same32(k, cpi_key32(k, x))
#define KEY64(k, x) cpi_same64(k, cpi_key64(k, x))
#define CKEY64(k, x) cpi_csame64(k, cpi_ckey64(k, x))
#define CKEY128(k, x) cpi_csame128(k, cpi_ckey128(k, x))

SEARCH(search_8, uint8_t, uint32_t, cpi_key8)
SEARCH(search_16, uint16_t, uint32_t, KEY16)
SEARCH(search_32, uint32_t, uint32_t, KEY32)
SEARCH(search_64, uint64_t, uint64_t, KEY64)
SEARCH(search_c64, uint64_t, uint64_t, CKEY64)
SEARCH(search_c128, cpi_u128, uint64_t, CKEY128)

void CPI_ISA_NAME(cpi_search_some)(const cpi_search *s, int64_t first, int64_t last)
{
    switch (s->keys.bytes) {
    case 1: search_8(s, first, last); break;
    case 2: search_16(s, first, last); break;
    case 4: search_32(s, first, last); break;
    case 8: (s->keys.complex_parts ? search_c64 : search_64)(s, first, last); break;
    default: search_c128(s, first, last);
    }
}
