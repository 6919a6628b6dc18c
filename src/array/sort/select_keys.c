/* Selection on arrays of keys, in one thread: quickselect in place, and for 32 and 64 bits narrowing first.
 *
 * place: pivots are medians of a sample; the loop without branches puts keys below the pivot in front; a step
 * that makes no progress counts against a budget, and a lane that uses its budget up is sorted by a heap, so no
 * input takes more than O(n log n). pick: a band around the rank, guessed from a sample, is cut out by the
 * kernels; a band that missed is replaced by the side on which the rank is. */
#include "cpu/features.h"
#include "sort/select.h"

cpi_window32_fn cpi_window32(void) { return CPI_BEST(cpi_window32); }
cpi_window64_fn cpi_window64(void) { return CPI_BEST(cpi_window64); }
cpi_three_way32_fn cpi_three_way32(void) { return CPI_BEST(cpi_three_way32); }
cpi_three_way64_fn cpi_three_way64(void) { return CPI_BEST(cpi_three_way64); }
cpi_columns32_fn cpi_columns32(void) { return CPI_BEST(cpi_columns32); }
cpi_columns64_fn cpi_columns64(void) { return CPI_BEST(cpi_columns64); }

static const cpi_keys identity = {0, 0, 0, ~(uint64_t)0, 0, 0, 0, 8, false};

#define POSITION(W, T)                                                                     \
    static void insertion##W(T *a, int64_t n)                                              \
    {                                                                                      \
        for (int64_t i = 1; i < n; i++) {                                                  \
            T v = a[i];                                                                    \
            int64_t j = i;                                                                 \
            for (; j > 0 && a[j - 1] > v; j--) a[j] = a[j - 1];                            \
            a[j] = v;                                                                      \
        }                                                                                  \
    }                                                                                      \
    static void compress##W(T *a, int64_t i, int64_t n)                                    \
    {                                                                                      \
        T v = a[i];                                                                        \
        for (int64_t c; (c = 2 * i + 1) < n; i = c) {                                      \
            if (c + 1 < n && a[c + 1] > a[c]) c++;                                         \
            if (a[c] <= v) break;                                                          \
            a[i] = a[c];                                                                   \
        }                                                                                  \
        a[i] = v;                                                                          \
    }                                                                                      \
    static void heap##W(T *a, int64_t n)                                                   \
    {                                                                                      \
        for (int64_t i = n / 2; i-- > 0;) compress##W(a, i, n);                            \
        for (int64_t i = n; i-- > 1;) {                                                    \
            T v = a[0];                                                                    \
            a[0] = a[i];                                                                   \
            a[i] = v;                                                                      \
            compress##W(a, 0, i);                                                          \
        }                                                                                  \
    }                                                                                      \
    /* a pivot near rank k: one of up to 63 samples, sorted */                             \
    static T pivot##W(const T *a, int64_t n, int64_t k)                                    \
    {                                                                                      \
        T s[63];                                                                           \
        int count = n > 2000 ? 63 : n > 200 ? 15 : 5;                                      \
        int64_t stride = n / count;                                                        \
        for (int i = 0; i < count; i++) s[i] = a[cpi_sample_at(i, stride)];                \
        insertion##W(s, count);                                                            \
        return s[(int)((double)k / (double)n * count)];                                    \
    }                                                                                      \
    /* keys below p to the front; their number */                                          \
    static int64_t split##W(T *a, int64_t n, T p)                                          \
    {                                                                                      \
        int64_t m = 0;                                                                     \
        for (int64_t i = 0; i < n; i++) {                                                  \
            T v = a[i];                                                                    \
            a[i] = a[m];                                                                   \
            a[m] = v;                                                                      \
            m += v < p;                                                                    \
        }                                                                                  \
        return m;                                                                          \
    }                                                                                      \
    void cpi_nth_element##W(T *a, int64_t n, int64_t k)                                    \
    {                                                                                      \
        for (int budget = 100; n > 24; budget--) {                                         \
            if (!budget) {                                                                 \
                heap##W(a, n);                                                             \
                return;                                                                    \
            }                                                                              \
            T p = pivot##W(a, n, k);                                                       \
            int64_t m = split##W(a, n, p);                                                 \
            if (k < m) {                                                                   \
                n = m;                                                                     \
                continue;                                                                  \
            }                                                                              \
            a += m;                                                                        \
            n -= m;                                                                        \
            k -= m;                                                                        \
            m = p == (T) ~(T)0 ? n : split##W(a, n, (T)(p + 1)); /* the keys equal to p */ \
            if (k < m) return;                                                             \
            a += m;                                                                        \
            n -= m;                                                                        \
            k -= m;                                                                        \
        }                                                                                  \
        insertion##W(a, n);                                                                \
    }
POSITION(8, uint8_t)
POSITION(16, uint16_t)
POSITION(32, uint32_t)
POSITION(64, uint64_t)
POSITION(128, cpi_u128)

#define PAIR(W, T)                                                                         \
    static cpi_pair##W pair##W(T *a, int64_t n, int64_t k)                                 \
    {                                                                                      \
        cpi_nth_element##W(a, n, k);                                                       \
        T next = k + 1 < n ? a[k + 1] : a[k];                                              \
        for (int64_t i = k + 2; i < n; i++) next = a[i] < next ? a[i] : next;              \
        return (cpi_pair##W){a[k], next};                                                  \
    }
PAIR(32, uint32_t)
PAIR(64, uint64_t)
PAIR(128, cpi_u128)

/* The band of keys that holds ranks k and k + 1 of n but for bad luck, from a sorted sample. */
#define PICK(W)                                                                                            \
    cpi_pair##W cpi_select##W(uint##W##_t *a, int64_t n, int64_t k)                                        \
    {                                                                                                      \
        enum { SAMPLES = 511 };                                                                            \
        cpi_window##W##_fn window = cpi_window##W();                                                       \
        while (n > 3000) {                                                                                 \
            uint##W##_t s[SAMPLES], lo = 0, hi = (uint##W##_t) ~(uint##W##_t)0;                            \
            int count = n > 50000 ? SAMPLES : 127, margin = n > 50000 ? 36 : 20;                           \
            int64_t stride = n / count, at = (int64_t)((double)k / (double)n * count);                     \
            for (int i = 0; i < count; i++) s[i] = a[cpi_sample_at(i, stride)];                            \
            if (at - margin >= 0) cpi_nth_element##W(s, count, at - margin), lo = s[at - margin];          \
            if (at + margin < count) cpi_nth_element##W(s, count, at + margin), hi = s[at + margin];       \
            cpi_window b = window(a, n, &identity, lo, hi, NULL);                                          \
            if (k < b.below) {                                                                             \
                hi = (uint##W##_t)(lo - 1);                                                                \
                lo = 0;                                                                                    \
            } else if (k >= b.below + b.inside) {                                                          \
                lo = (uint##W##_t)(hi + 1);                                                                \
                hi = (uint##W##_t) ~(uint##W##_t)0;                                                        \
            } else if (k + 1 == b.below + b.inside && k + 1 < n) {                                         \
                break; /* the pair lies across the band's edge */                                          \
            } else if (lo == hi) {                                                                         \
                return (cpi_pair##W){lo, lo};                                                              \
            }                                                                                              \
            b = window(a, n, &identity, lo, hi, a);                                                        \
            k -= b.below;                                                                                  \
            if (b.inside > n / 8 * 7) {                                                                    \
                n = b.inside;                                                                              \
                break; /* many equal keys: the loop below deals with them better */                        \
            }                                                                                              \
            n = b.inside;                                                                                  \
        }                                                                                                  \
        return pair##W(a, n, k);                                                                           \
    }
PICK(32)
PICK(64)

cpi_pair128 cpi_select128(cpi_u128 *a, int64_t n, int64_t k) { return pair128(a, n, k); }
