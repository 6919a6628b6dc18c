/* Tiles of running sums, products, maxima and minima in vectors; compiled once per instruction set.
 *
 * A vector of eight or sixteen values is scanned in itself, by adding to it itself moved on by one, two, four (eight)
 * places, and then gets the value that the vectors before it left. Invariant: every variant joins in the same order, so
 * that bits depend on neither the processor nor the number of threads; of less than CPI_SCAN_SHORT floating numbers the
 * sums are made one after the other. */
#include "scan/tiles.h"

#include <math.h>
#include <string.h>

#include "cpu/vectors.h"

#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))

/* v moved on by k of 8 or 16 places, with values of `fill` before it. */
typedef int64_t places8 __attribute__((vector_size(64)));
typedef int32_t places16 __attribute__((vector_size(64)));
#define ON8_1(fill, v) __builtin_shuffle(fill, v, (places8){0, 8, 9, 10, 11, 12, 13, 14})
#define ON8_2(fill, v) __builtin_shuffle(fill, v, (places8){0, 1, 8, 9, 10, 11, 12, 13})
#define ON8_4(fill, v) __builtin_shuffle(fill, v, (places8){0, 1, 2, 3, 8, 9, 10, 11})
#define ON16_1(fill, v) \
    __builtin_shuffle(fill, v, (places16){0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30})
#define ON16_2(fill, v) \
    __builtin_shuffle(fill, v, (places16){0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29})
#define ON16_4(fill, v) \
    __builtin_shuffle(fill, v, (places16){0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27})
#define ON16_8(fill, v) \
    __builtin_shuffle(fill, v, (places16){0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23})
#define LAST8(v) __builtin_shuffle(v, (places8){7, 7, 7, 7, 7, 7, 7, 7})
#define LAST8_PAIR(v) __builtin_shuffle(v, (places8){6, 7, 6, 7, 6, 7, 6, 7})
#define LAST16(v) __builtin_shuffle(v, (places16){15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15})

/* The steps within a vector. */
#define WITHIN8(v, JOIN)        \
    v = JOIN(ON8_1(fill, v), v); \
    v = JOIN(ON8_2(fill, v), v); \
    v = JOIN(ON8_4(fill, v), v);
#define WITHIN8_PAIR(v, JOIN)    \
    v = JOIN(ON8_2(fill, v), v); \
    v = JOIN(ON8_4(fill, v), v);
#define WITHIN16(v, JOIN)         \
    v = JOIN(ON16_1(fill, v), v); \
    v = JOIN(ON16_2(fill, v), v); \
    v = JOIN(ON16_4(fill, v), v); \
    v = JOIN(ON16_8(fill, v), v);

/* 32 or 64 bytes beside the caches. */
INLINE void put_past(void *to, const void *from, int bytes)
{
#if defined(__AVX512F__)
    if (bytes == 64) _mm512_stream_si512((void *)to, _mm512_loadu_si512(from));
    else _mm256_stream_si256((void *)to, _mm256_loadu_si256(from));
#elif defined(__AVX2__)
    for (int k = 0; k < bytes; k += 32)
        _mm256_stream_si256((void *)((char *)to + k), _mm256_loadu_si256((const void *)((const char *)from + k)));
#elif defined(__x86_64__)
    for (int k = 0; k < bytes; k += 16)
        _mm_stream_si128((void *)((char *)to + k), _mm_loadu_si128((const void *)((const char *)from + k)));
#else
    memcpy(to, from, (size_t)bytes);
#endif
}

/* What was put past the caches is there before what follows is. */
INLINE void fence(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

/* T an element's number, A a gathered one, of which L make a vector; PARTS numbers an element; SHORT: how many of them
 * are joined one after the other; VJOIN: JOIN of vectors. */
#define TILES(NAME, T, A, L, PARTS, SHORT, NONE, JOIN, VJOIN, WITHIN, LAST)                                     \
    typedef A v_##NAME __attribute__((vector_size(64)));                                                       \
    typedef T e_##NAME __attribute__((vector_size(L * sizeof(T))));                                            \
    static void scan_##NAME(const void *from, void *to, int64_t n)                                             \
    {                                                                                                          \
        const T *x = from;                                                                                     \
        A *local = to;                                                                                         \
        n *= PARTS;                                                                                            \
        if (n < SHORT * PARTS) {                                                                               \
            for (int64_t i = 0; i < n; i++) {                                                                  \
                const A one = (A)x[i];                                                                         \
                local[i] = i < PARTS ? one : JOIN(local[i - PARTS], one);                                      \
            }                                                                                                  \
            return;                                                                                            \
        }                                                                                                      \
        const v_##NAME fill = CPI_SPLAT(v_##NAME, (A)(NONE));                                                  \
        v_##NAME carry = fill, v;                                                                              \
        e_##NAME e;                                                                                            \
        int64_t i = 0;                                                                                         \
        for (; i + L <= n; i += L) {                                                                           \
            memcpy(&e, x + i, sizeof e);                                                                       \
            v = __builtin_convertvector(e, v_##NAME);                                                          \
            WITHIN(v, VJOIN)                                                                                   \
            const v_##NAME sums = VJOIN(carry, v);                                                             \
            carry = VJOIN(carry, LAST(v));                                                                     \
            memcpy(local + i, &sums, sizeof sums);                                                             \
        }                                                                                                      \
        if (i == n) return;                                                                                    \
        T rest[L] = {0};                                                                                       \
        memcpy(rest, x + i, (size_t)(n - i) * sizeof(T));                                                      \
        memcpy(&e, rest, sizeof e);                                                                            \
        v = __builtin_convertvector(e, v_##NAME);                                                              \
        WITHIN(v, VJOIN)                                                                                       \
        v = VJOIN(carry, v);                                                                                   \
        memcpy(local + i, &v, (size_t)(n - i) * sizeof(A));                                                    \
    }                                                                                                          \
    static void pass_##NAME(void *carry, const void *local)                                                    \
    {                                                                                                          \
        A a[PARTS], b[PARTS];                                                                                  \
        memcpy(a, carry, sizeof a), memcpy(b, local, sizeof b);                                                \
        for (int k = 0; k < PARTS; k++) a[k] = JOIN(a[k], b[k]);                                               \
        memcpy(carry, a, sizeof a);                                                                            \
    }                                                                                                          \
    static void join_##NAME(const void *carry, const void *from, void *out, int64_t n, bool past,              \
                            const char *ahead)                                                                 \
    {                                                                                                          \
        const A *local = from;                                                                                 \
        T *to = out;                                                                                           \
        A before[PARTS], many[L];                                                                              \
        memcpy(before, carry, sizeof before);                                                                  \
        for (int k = 0; k < L; k++) many[k] = before[k % PARTS];                                               \
        v_##NAME c, v;                                                                                         \
        memcpy(&c, many, sizeof c);                                                                            \
        int64_t i = 0;                                                                                         \
        for (n *= PARTS; i + L <= n; i += L) {                                                                 \
            memcpy(&v, local + i, sizeof v);                                                                   \
            const e_##NAME e = __builtin_convertvector(VJOIN(c, v), e_##NAME);                                 \
            if (ahead) __builtin_prefetch(ahead + i * (int64_t)sizeof(T), 0, 2);                               \
            if (past) put_past(to + i, &e, sizeof e);                                                          \
            else memcpy(to + i, &e, sizeof e);                                                                 \
        }                                                                                                      \
        if (past) fence();                                                                                     \
        for (; i < n; i++) to[i] = (T)JOIN(before[i % PARTS], local[i]);                                       \
    }

TILES(add_f32_vectors, float, double, 8, 1, CPI_SCAN_SHORT, -0.0, PLUS, PLUS, WITHIN8, LAST8)
TILES(add_f64, double, double, 8, 1, CPI_SCAN_SHORT, -0.0, PLUS, PLUS, WITHIN8, LAST8)
TILES(add_c64, float, double, 8, 2, CPI_SCAN_SHORT, -0.0, PLUS, PLUS, WITHIN8_PAIR, LAST8_PAIR)
TILES(add_c128, double, double, 8, 2, CPI_SCAN_SHORT, -0.0, PLUS, PLUS, WITHIN8_PAIR, LAST8_PAIR)
TILES(add_32, uint32_t, uint32_t, 16, 1, 16, 0, PLUS, PLUS, WITHIN16, LAST16)
TILES(add_64, uint64_t, uint64_t, 8, 1, 8, 0, PLUS, PLUS, WITHIN8, LAST8)
TILES(multiply_32, uint32_t, uint32_t, 16, 1, 16, 1, TIMES, TIMES, WITHIN16, LAST16)
TILES(multiply_64, uint64_t, uint64_t, 8, 1, 8, 1, TIMES, TIMES, WITHIN8, LAST8)

/* --- sums of float32: eight times eight elements, turned, so that additions are of whole vectors --- */

typedef float eight __attribute__((vector_size(32)));
typedef int32_t places32 __attribute__((vector_size(32)));

/* Rows become columns. */
INLINE void turn(eight *r)
{
    eight a[8], b[8];
    UNROLL for (int k = 0; k < 4; k++) {
        a[2 * k] = __builtin_shuffle(r[2 * k], r[2 * k + 1], (places32){0, 8, 1, 9, 4, 12, 5, 13});
        a[2 * k + 1] = __builtin_shuffle(r[2 * k], r[2 * k + 1], (places32){2, 10, 3, 11, 6, 14, 7, 15});
    }
    UNROLL for (int k = 0; k < 8; k += 4)
        UNROLL for (int h = 0; h < 2; h++) {
            b[k + 2 * h] = __builtin_shuffle(a[k + h], a[k + h + 2], (places32){0, 1, 8, 9, 4, 5, 12, 13});
            b[k + 2 * h + 1] = __builtin_shuffle(a[k + h], a[k + h + 2], (places32){2, 3, 10, 11, 6, 7, 14, 15});
        }
    UNROLL for (int k = 0; k < 4; k++) {
        r[k] = __builtin_shuffle(b[k], b[k + 4], (places32){0, 1, 2, 3, 8, 9, 10, 11});
        r[k + 4] = __builtin_shuffle(b[k], b[k + 4], (places32){4, 5, 6, 7, 12, 13, 14, 15});
    }
}

enum { BLOCK = 64 };

/* The same numbers; what the compiler makes of a conversion is three instructions where the processor has one. */
INLINE v_add_f32_vectors widened(eight x)
{
#if defined(__AVX512F__)
    return (v_add_f32_vectors)_mm512_cvtps_pd((__m256)x);
#else
    return __builtin_convertvector(x, v_add_f32_vectors);
#endif
}

/* Of whole blocks local has the sums turned: element 8 i + k at 8 k + i. */
static void scan_add_f32(const void *from, void *to, int64_t n)
{
    typedef v_add_f32_vectors V;
    const float *x = from;
    double *local = to;
    if (n < CPI_SCAN_SHORT) {
        scan_add_f32_vectors(x, local, n);
        return;
    }
    const V fill = CPI_SPLAT(V, -0.0);
    V carry = fill;
    int64_t at = 0;
    for (; at + BLOCK <= n; at += BLOCK) {
        eight r[8];
        V p[8];
        UNROLL for (int k = 0; k < 8; k++) memcpy(&r[k], x + at + 8 * k, sizeof r[k]);
        turn(r);
        p[0] = widened(r[0]);
        UNROLL for (int k = 1; k < 8; k++) p[k] = p[k - 1] + widened(r[k]);
        V sums = p[7];
        WITHIN8(sums, PLUS)
        const V before = carry + ON8_1(fill, sums);
        UNROLL for (int k = 0; k < 8; k++) p[k] = before + p[k];
        carry = LAST8(p[7]);
        UNROLL for (int k = 0; k < 8; k++) memcpy(local + at + 8 * k, &p[k], sizeof p[k]);
    }
    if (at == n) return;
    double last[BLOCK];
    scan_add_f32_vectors(x + at, last, n - at);
    for (int64_t i = at; i < n; i++) local[i] = carry[0] + last[i - at];
}

static void join_add_f32(const void *carry, const void *from, void *out, int64_t n, bool past, const char *ahead)
{
    typedef v_add_f32_vectors V;
    const double *local = from;
    float *to = out;
    double before;
    int64_t at = 0;
    memcpy(&before, carry, sizeof before);
    for (; n >= CPI_SCAN_SHORT && at + BLOCK <= n; at += BLOCK) {
        eight r[8];
        V p[8];
        UNROLL for (int k = 0; k < 8; k++) memcpy(&p[k], local + at + 8 * k, sizeof p[k]);
        UNROLL for (int k = 0; k < 8; k++) r[k] = __builtin_convertvector(CPI_SPLAT(V, before) + p[k], eight);
        turn(r);
        if (ahead) UNROLL for (int k = 0; k < 4; k++) __builtin_prefetch(ahead + (at + 16 * k) * 4, 0, 2);
        if (past) UNROLL for (int k = 0; k < 8; k++) put_past(to + at + 8 * k, &r[k], sizeof r[k]);
        else UNROLL for (int k = 0; k < 8; k++) memcpy(to + at + 8 * k, &r[k], sizeof r[k]);
    }
    join_add_f32_vectors(carry, local + at, to + at, n - at, past, NULL);
}
#define pass_add_f32 pass_add_f32_vectors

/* --- the greatest and the least: of equal ones the first, and the first NaN for ever --- */

#define ONE_MOST(a, b) ((a) >= (b) ? (a) : (b))
#define ONE_LEAST(a, b) ((a) <= (b) ? (a) : (b))
#define ONE_MOST_REAL(a, b) ((a) >= (b) || (a) != (a) ? (a) : (b))
#define ONE_LEAST_REAL(a, b) ((a) <= (b) || (a) != (a) ? (a) : (b))
#define CHOICE(V, M, take, a, b) ((V)(((M)(a) & (M)(take)) | ((M)(b) & ~(M)(take))))
#define CHOOSERS(NAME, A, M)                                                                                      \
    typedef A w_##NAME __attribute__((vector_size(64)));                                                           \
    INLINE w_##NAME most_##NAME(w_##NAME a, w_##NAME b) { return CHOICE(w_##NAME, M, a >= b, a, b); }              \
    INLINE w_##NAME least_##NAME(w_##NAME a, w_##NAME b) { return CHOICE(w_##NAME, M, a <= b, a, b); }
#define CHOOSERS_REAL(NAME, A, M)                                                                                 \
    typedef A w_##NAME __attribute__((vector_size(64)));                                                           \
    INLINE w_##NAME most_##NAME(w_##NAME a, w_##NAME b) { return CHOICE(w_##NAME, M, (a >= b) | (a != a), a, b); } \
    INLINE w_##NAME least_##NAME(w_##NAME a, w_##NAME b) { return CHOICE(w_##NAME, M, (a <= b) | (a != a), a, b); }
CHOOSERS(i32, int32_t, places16)
CHOOSERS(u32, uint32_t, places16)
CHOOSERS(i64, int64_t, places8)
CHOOSERS(u64, uint64_t, places8)
CHOOSERS_REAL(f32, float, places16)
CHOOSERS_REAL(f64, double, places8)

#define EXTREMES(NAME, A, L, LOW, HIGH, REAL, WITHIN, LAST)                                                   \
    TILES(most_##NAME##_, A, A, L, 1, L, LOW, ONE_MOST##REAL, most_##NAME, WITHIN, LAST)                       \
    TILES(least_##NAME##_, A, A, L, 1, L, HIGH, ONE_LEAST##REAL, least_##NAME, WITHIN, LAST)
EXTREMES(i32, int32_t, 16, INT32_MIN, INT32_MAX, , WITHIN16, LAST16)
EXTREMES(u32, uint32_t, 16, 0, UINT32_MAX, , WITHIN16, LAST16)
EXTREMES(i64, int64_t, 8, INT64_MIN, INT64_MAX, , WITHIN8, LAST8)
EXTREMES(u64, uint64_t, 8, 0, UINT64_MAX, , WITHIN8, LAST8)
EXTREMES(f32, float, 16, -INFINITY, INFINITY, _REAL, WITHIN16, LAST16)
EXTREMES(f64, double, 8, -INFINITY, INFINITY, _REAL, WITHIN8, LAST8)

#define SET(NAME, A, PARTS, NONE)                                                                                \
    do {                                                                                                         \
        const A none[2] = {(A)(NONE), (A)(NONE)};                                                                \
        t = (cpi_scan_tiles){.size = (int)sizeof(A) * PARTS, .scan = scan_##NAME, .pass = pass_##NAME,           \
                             .join = join_##NAME};                                                               \
        memcpy(t.none, none, sizeof none);                                                                       \
        return t;                                                                                                \
    } while (0)

/* Floating types and those of 32 and 64 bits; the narrower go through them. */
cpi_scan_tiles CPI_ISA_NAME(cpi_scan_tiles_of)(cpi_scan_op op, cp_type type)
{
    cpi_scan_tiles t = {0};
    if (op == CPI_SCAN_ADD || op == CPI_SCAN_MULTIPLY) {
        const bool add = op == CPI_SCAN_ADD;
        switch ((int)type) {
        case CP_FLOAT32: if (add) SET(add_f32, double, 1, -0.0); break;
        case CP_FLOAT64: if (add) SET(add_f64, double, 1, -0.0); break;
        case CP_COMPLEX64: if (add) SET(add_c64, double, 2, -0.0); break;
        case CP_COMPLEX128: if (add) SET(add_c128, double, 2, -0.0); break;
        case CP_INT32: case CP_UINT32:
            if (add) SET(add_32, uint32_t, 1, 0);
            SET(multiply_32, uint32_t, 1, 1);
        case CP_INT64: case CP_UINT64:
            if (add) SET(add_64, uint64_t, 1, 0);
            SET(multiply_64, uint64_t, 1, 1);
        }
        return t;
    }
#define EXTREME(NAME, A, LOW, HIGH)                                     \
    if (op == CPI_SCAN_MAXIMUM) SET(most_##NAME##_, A, 1, LOW);         \
    SET(least_##NAME##_, A, 1, HIGH)
    switch ((int)type) {
    case CP_INT32: EXTREME(i32, int32_t, INT32_MIN, INT32_MAX);
    case CP_UINT32: EXTREME(u32, uint32_t, 0, UINT32_MAX);
    case CP_INT64: EXTREME(i64, int64_t, INT64_MIN, INT64_MAX);
    case CP_UINT64: EXTREME(u64, uint64_t, 0, UINT64_MAX);
    case CP_FLOAT32: EXTREME(f32, float, -INFINITY, INFINITY);
    case CP_FLOAT64: EXTREME(f64, double, -INFINITY, INFINITY);
    }
#undef EXTREME
    return t;
}
