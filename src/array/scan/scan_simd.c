/* Tiles of running sums, products, maxima and minima in vectors; compiled once per instruction set.
 *
 * A group of 64 bytes, eight or sixteen values, is scanned in itself, by adding to it itself moved on by one, two, four
 * (eight) places, and then gets the value that the groups before it left. It is as many vectors as the processor needs
 * for that: of wider ones the compiler would make single elements. Invariant: every variant joins in the same order, so
 * that bits depend on neither the processor nor the number of threads; of less than CPI_SCAN_SHORT floating numbers the
 * sums are made one after the other. */
#include "scan/tiles.h"

#include <math.h>
#include <string.h>

#include "cpu/vectors.h"

#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))

enum { CHUNKS = 64 / VECTOR_BYTES, LANES64 = VECTOR_BYTES / 8, LANES32 = VECTOR_BYTES / 4 };
typedef int64_t offsets64 __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t offsets32 __attribute__((vector_size(VECTOR_BYTES)));

/* Which elements of two vectors, one behind the other, make the second moved on by k places, k of them of the first. */
#define FOUR(n, k) (n) - (k), (n) + 1 - (k), (n) + 2 - (k), (n) + 3 - (k)
#if VECTOR_BYTES == 64
#define ON64(k) ((offsets64){FOUR(8, k), FOUR(12, k)})
#define ON32(k) ((offsets32){FOUR(16, k), FOUR(20, k), FOUR(24, k), FOUR(28, k)})
#define LAST_PAIR ((offsets64){6, 7, 6, 7, 6, 7, 6, 7})
#elif VECTOR_BYTES == 32
#define ON64(k) ((offsets64){FOUR(4, k)})
#define ON32(k) ((offsets32){FOUR(8, k), FOUR(12, k)})
#define LAST_PAIR ((offsets64){2, 3, 2, 3})
#else
#define ON64(k) ((offsets64){2 - (k), 3 - (k)})
#define ON32(k) ((offsets32){FOUR(4, k)})
#define LAST_PAIR ((offsets64){0, 1})
#endif
#define LAST64(v) __builtin_shuffle(v, (offsets64){0} + LANES64 - 1)
#define LAST32(v) __builtin_shuffle(v, (offsets32){0} + LANES32 - 1)
#define LAST64_PAIR(v) __builtin_shuffle(v, LAST_PAIR)

/* A group joined to itself moved on by k places. */
#define STEP(BITS, v, k, JOIN)                                                                        \
    UNROLL for (int p = CHUNKS - 1; p >= 0; p--) {                                                    \
        if (k < LANES##BITS) v[p] = JOIN(__builtin_shuffle(p ? v[p ? p - 1 : 0] : fill, v[p], ON##BITS(k)), v[p]); \
        else if (p >= k / LANES##BITS) v[p] = JOIN(v[p >= k / LANES##BITS ? p - k / LANES##BITS : 0], v[p]); \
    }
#define WITHIN64(v, JOIN) STEP(64, v, 1, JOIN) STEP(64, v, 2, JOIN) STEP(64, v, 4, JOIN)
#define WITHIN64_PAIR(v, JOIN) STEP(64, v, 2, JOIN) STEP(64, v, 4, JOIN)
#define WITHIN32(v, JOIN) STEP(32, v, 1, JOIN) STEP(32, v, 2, JOIN) STEP(32, v, 4, JOIN) STEP(32, v, 8, JOIN)

/* Elements as what is gathered, and back: themselves, or float32 as float64. */
typedef float floats __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef double doubles __attribute__((vector_size(VECTOR_BYTES)));
#define ITSELF(v) (v)
INLINE doubles widened(floats x)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_cvtps_pd((__m256)x);
#elif defined(__AVX2__)
    return (doubles)_mm256_cvtps_pd((__m128)x);
#else
    return __builtin_convertvector(x, doubles);
#endif
}
INLINE floats narrowed(doubles x)
{
#if defined(__AVX512F__)
    return (floats)_mm512_cvtpd_ps((__m512d)x);
#elif defined(__AVX2__)
    return (floats)_mm256_cvtpd_ps((__m256d)x);
#else
    return __builtin_convertvector(x, floats);
#endif
}

/* 16, 32 or 64 bytes beside the caches. */
INLINE void put_past(void *to, const void *from, int bytes)
{
#if defined(__AVX512F__)
    if (bytes == 64) {
        _mm512_stream_si512((void *)to, _mm512_loadu_si512(from));
        return;
    }
#endif
#if defined(__AVX2__)
    if (bytes == 32) {
        _mm256_stream_si256((void *)to, _mm256_loadu_si256(from));
        return;
    }
#endif
#if defined(__x86_64__)
    if (bytes == 16) {
        _mm_stream_si128((void *)to, _mm_loadu_si128((const void *)from));
        return;
    }
#endif
    memcpy(to, from, (size_t)bytes);
}

/* What was put past the caches is there before what follows is. */
INLINE void fence(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

/* T an element's number, A a gathered one, of which L make a group; IN and OUT: between the two; PARTS numbers an
 * element; SHORT: how many of them are joined one after the other; VJOIN: JOIN of vectors. */
#define TILES(NAME, T, A, L, IN, OUT, PARTS, SHORT, NONE, JOIN, VJOIN, WITHIN, LAST)                                 \
    typedef A v_##NAME __attribute__((vector_size(VECTOR_BYTES)));                                                   \
    typedef T e_##NAME __attribute__((vector_size(VECTOR_BYTES / sizeof(A) * sizeof(T))));                           \
    static void scan_##NAME(const void *from, void *to, int64_t n, const char *ahead)                                \
    {                                                                                                                \
        const T *x = from;                                                                                           \
        A *local = to;                                                                                               \
        n *= PARTS;                                                                                                  \
        if (n < SHORT * PARTS) {                                                                                     \
            for (int64_t i = 0; i < n; i++) {                                                                        \
                const A one = (A)x[i];                                                                               \
                local[i] = i < PARTS ? one : JOIN(local[i - PARTS], one);                                            \
            }                                                                                                        \
            return;                                                                                                  \
        }                                                                                                            \
        enum { EACH = L / CHUNKS };                                                                                  \
        const v_##NAME fill = CPI_SPLAT(v_##NAME, (A)(NONE));                                                        \
        v_##NAME carry = fill, v[CHUNKS];                                                                            \
        e_##NAME e;                                                                                                  \
        int64_t i = 0;                                                                                               \
        for (; i + L <= n; i += L) {                                                                                 \
            if (ahead) __builtin_prefetch(ahead + i * (int64_t)sizeof(T), 0, 2);                                     \
            UNROLL for (int p = 0; p < CHUNKS; p++) memcpy(&e, x + i + p * EACH, sizeof e), v[p] = IN(e);            \
            WITHIN(v, VJOIN)                                                                                         \
            UNROLL for (int p = 0; p < CHUNKS; p++) {                                                                \
                const v_##NAME sums = VJOIN(carry, v[p]);                                                            \
                memcpy(local + i + p * EACH, &sums, sizeof sums);                                                    \
            }                                                                                                        \
            carry = VJOIN(carry, LAST(v[CHUNKS - 1]));                                                               \
        }                                                                                                            \
        if (i == n) return;                                                                                          \
        T rest[L] = {0};                                                                                             \
        memcpy(rest, x + i, (size_t)(n - i) * sizeof(T));                                                            \
        UNROLL for (int p = 0; p < CHUNKS; p++) memcpy(&e, rest + p * EACH, sizeof e), v[p] = IN(e);                 \
        WITHIN(v, VJOIN)                                                                                             \
        UNROLL for (int p = 0; p < CHUNKS; p++) v[p] = VJOIN(carry, v[p]);                                           \
        memcpy(local + i, v, (size_t)(n - i) * sizeof(A));                                                           \
    }                                                                                                                \
    static void pass_##NAME(void *carry, const void *local)                                                          \
    {                                                                                                                \
        A a[PARTS], b[PARTS];                                                                                        \
        memcpy(a, carry, sizeof a), memcpy(b, local, sizeof b);                                                      \
        for (int k = 0; k < PARTS; k++) a[k] = JOIN(a[k], b[k]);                                                     \
        memcpy(carry, a, sizeof a);                                                                                  \
    }                                                                                                                \
    static void join_##NAME(const void *carry, const void *from, void *out, int64_t n, bool past)                    \
    {                                                                                                                \
        const A *local = from;                                                                                       \
        T *to = out;                                                                                                 \
        enum { EACH = L / CHUNKS };                                                                                  \
        A before[PARTS], many[EACH];                                                                                 \
        memcpy(before, carry, sizeof before);                                                                        \
        for (int k = 0; k < EACH; k++) many[k] = before[k % PARTS];                                                  \
        v_##NAME c, v;                                                                                               \
        memcpy(&c, many, sizeof c);                                                                                  \
        int64_t i = 0;                                                                                               \
        for (n *= PARTS; i + L <= n; i += L) {                                                                       \
            UNROLL for (int p = 0; p < CHUNKS; p++) {                                                                \
                memcpy(&v, local + i + p * EACH, sizeof v);                                                          \
                const e_##NAME e = OUT(VJOIN(c, v));                                                                 \
                if (past) put_past(to + i + p * EACH, &e, sizeof e);                                                 \
                else memcpy(to + i + p * EACH, &e, sizeof e);                                                        \
            }                                                                                                        \
        }                                                                                                            \
        if (past) fence();                                                                                           \
        for (; i < n; i++) to[i] = (T)JOIN(before[i % PARTS], local[i]);                                             \
    }

TILES(add_f32_vectors, float, double, 8, widened, narrowed, 1, CPI_SCAN_SHORT, -0.0, PLUS, PLUS, WITHIN64, LAST64)
TILES(add_f64, double, double, 8, ITSELF, ITSELF, 1, CPI_SCAN_SHORT, -0.0, PLUS, PLUS, WITHIN64, LAST64)
TILES(add_c64, float, double, 8, widened, narrowed, 2, CPI_SCAN_SHORT, -0.0, PLUS, PLUS, WITHIN64_PAIR, LAST64_PAIR)
TILES(add_c128, double, double, 8, ITSELF, ITSELF, 2, CPI_SCAN_SHORT, -0.0, PLUS, PLUS, WITHIN64_PAIR, LAST64_PAIR)
TILES(add_32, uint32_t, uint32_t, 16, ITSELF, ITSELF, 1, 16, 0, PLUS, PLUS, WITHIN32, LAST32)
TILES(add_64, uint64_t, uint64_t, 8, ITSELF, ITSELF, 1, 8, 0, PLUS, PLUS, WITHIN64, LAST64)
TILES(multiply_32, uint32_t, uint32_t, 16, ITSELF, ITSELF, 1, 16, 1, TIMES, TIMES, WITHIN32, LAST32)
TILES(multiply_64, uint64_t, uint64_t, 8, ITSELF, ITSELF, 1, 8, 1, TIMES, TIMES, WITHIN64, LAST64)

/* --- sums of float32: eight times eight elements, turned, so that additions are of whole vectors --- */

typedef float eight __attribute__((vector_size(32)));
typedef int32_t eighths __attribute__((vector_size(32)));

/* Rows become columns. */
INLINE void turn(eight *r)
{
    eight a[8], b[8];
    UNROLL for (int k = 0; k < 4; k++) {
        a[2 * k] = __builtin_shuffle(r[2 * k], r[2 * k + 1], (eighths){0, 8, 1, 9, 4, 12, 5, 13});
        a[2 * k + 1] = __builtin_shuffle(r[2 * k], r[2 * k + 1], (eighths){2, 10, 3, 11, 6, 14, 7, 15});
    }
    UNROLL for (int k = 0; k < 8; k += 4)
        UNROLL for (int h = 0; h < 2; h++) {
            b[k + 2 * h] = __builtin_shuffle(a[k + h], a[k + h + 2], (eighths){0, 1, 8, 9, 4, 5, 12, 13});
            b[k + 2 * h + 1] = __builtin_shuffle(a[k + h], a[k + h + 2], (eighths){2, 3, 10, 11, 6, 7, 14, 15});
        }
    UNROLL for (int k = 0; k < 4; k++) {
        r[k] = __builtin_shuffle(b[k], b[k + 4], (eighths){0, 1, 2, 3, 8, 9, 10, 11});
        r[k + 4] = __builtin_shuffle(b[k], b[k + 4], (eighths){4, 5, 6, 7, 12, 13, 14, 15});
    }
}

/* Halves, or quarters, as one: through the memory they would wait until they are there. */
#if VECTOR_BYTES == 64
#define WHOLE(part) ((eight)(part)[0])
#elif VECTOR_BYTES == 32
#define WHOLE(part) ((eight)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)(part)[0]), (__m128)(part)[1], 1))
#else
#define WHOLE(part) ({ eight all; memcpy(&all, part, sizeof all); all; })
#endif

enum { BLOCK = 64 };

/* What stands before each lane: the group moved on by one, behind `carry`. */
#define STEP_BEFORE(v)                                                                                    \
    UNROLL for (int h = CHUNKS - 1; h >= 0; h--)                                                          \
        v[h] = carry + __builtin_shuffle(h ? v[h ? h - 1 : 0] : fill, v[h], ON64(1));

INLINE void put_row(float *to, const eight *row)
{
    enum { BYTES = VECTOR_BYTES < 32 ? VECTOR_BYTES : 32 };
    for (int k = 0; k < 32; k += BYTES) put_past((char *)to + k, (const char *)row + k, BYTES);
}

/* Of whole blocks local has the sums turned: element 8 i + k at 8 k + i. */
static void scan_add_f32(const void *from, void *to, int64_t n, const char *ahead)
{
    const float *x = from;
    double *local = to;
    if (n < CPI_SCAN_SHORT) {
        scan_add_f32_vectors(x, local, n, NULL);
        return;
    }
    const doubles fill = CPI_SPLAT(doubles, -0.0);
    doubles carry = fill;
    int64_t at = 0;
    for (; at + BLOCK <= n; at += BLOCK) {
        eight r[8];
        doubles p[8][CHUNKS], sums[CHUNKS];
        UNROLL for (int k = 0; k < 8; k++) memcpy(&r[k], x + at + 8 * k, sizeof r[k]);
        if (ahead) UNROLL for (int k = 0; k < 4; k++) __builtin_prefetch(ahead + (at + 16 * k) * 4, 0, 2);
        turn(r);
        UNROLL for (int k = 0; k < 8; k++)
            UNROLL for (int h = 0; h < CHUNKS; h++) {
                floats part;
                memcpy(&part, (const char *)&r[k] + h * sizeof part, sizeof part);
                p[k][h] = k ? p[k ? k - 1 : 0][h] + widened(part) : widened(part);
            }
        UNROLL for (int h = 0; h < CHUNKS; h++) sums[h] = p[7][h];
        WITHIN64(sums, PLUS)
        STEP_BEFORE(sums)
        UNROLL for (int k = 0; k < 8; k++)
            UNROLL for (int h = 0; h < CHUNKS; h++) {
                p[k][h] = sums[h] + p[k][h];
                memcpy(local + at + 8 * k + h * LANES64, &p[k][h], sizeof p[k][h]);
            }
        carry = LAST64(p[7][CHUNKS - 1]);
    }
    if (at == n) return;
    double last[BLOCK];
    scan_add_f32_vectors(x + at, last, n - at, NULL);
    for (int64_t i = at; i < n; i++) local[i] = carry[0] + last[i - at];
}

static void join_add_f32(const void *carry, const void *from, void *out, int64_t n, bool past)
{
    const double *local = from;
    float *to = out;
    double before;
    int64_t at = 0;
    memcpy(&before, carry, sizeof before);
    for (; n >= CPI_SCAN_SHORT && at + BLOCK <= n; at += BLOCK) {
        eight r[8];
        UNROLL for (int k = 0; k < 8; k++) {
            floats part[CHUNKS];
            UNROLL for (int h = 0; h < CHUNKS; h++) {
                doubles p;
                memcpy(&p, local + at + 8 * k + h * LANES64, sizeof p);
                part[h] = narrowed(CPI_SPLAT(doubles, before) + p);
            }
            r[k] = WHOLE(part);
        }
        turn(r);
        if (past) UNROLL for (int k = 0; k < 8; k++) put_row(to + at + 8 * k, &r[k]);
        else UNROLL for (int k = 0; k < 8; k++) memcpy(to + at + 8 * k, &r[k], sizeof r[k]);
    }
    join_add_f32_vectors(carry, local + at, to + at, n - at, past);
}
#define pass_add_f32 pass_add_f32_vectors

/* --- the greatest and the least: of equal ones the first, and the first NaN for ever --- */

#define ONE_MOST(a, b) ((a) >= (b) ? (a) : (b))
#define ONE_LEAST(a, b) ((a) <= (b) ? (a) : (b))
#define ONE_MOST_REAL(a, b) ((a) >= (b) || (a) != (a) ? (a) : (b))
#define ONE_LEAST_REAL(a, b) ((a) <= (b) || (a) != (a) ? (a) : (b))
#define CHOICE(V, M, take, a, b) ((V)(((M)(a) & (M)(take)) | ((M)(b) & ~(M)(take))))
#define CHOOSERS(NAME, A, M)                                                                                      \
    typedef A w_##NAME __attribute__((vector_size(VECTOR_BYTES)));                                                     \
    INLINE w_##NAME most_##NAME(w_##NAME a, w_##NAME b) { return CHOICE(w_##NAME, M, a >= b, a, b); }              \
    INLINE w_##NAME least_##NAME(w_##NAME a, w_##NAME b) { return CHOICE(w_##NAME, M, a <= b, a, b); }
#define CHOOSERS_REAL(NAME, A, M)                                                                                 \
    typedef A w_##NAME __attribute__((vector_size(VECTOR_BYTES)));                                                     \
    INLINE w_##NAME most_##NAME(w_##NAME a, w_##NAME b) { return CHOICE(w_##NAME, M, (a >= b) | (a != a), a, b); } \
    INLINE w_##NAME least_##NAME(w_##NAME a, w_##NAME b) { return CHOICE(w_##NAME, M, (a <= b) | (a != a), a, b); }
CHOOSERS(i32, int32_t, offsets32)
CHOOSERS(u32, uint32_t, offsets32)
CHOOSERS(i64, int64_t, offsets64)
CHOOSERS(u64, uint64_t, offsets64)
CHOOSERS_REAL(f32, float, offsets32)
CHOOSERS_REAL(f64, double, offsets64)

#define EXTREMES(NAME, A, L, LOW, HIGH, REAL, WITHIN, LAST)                                                   \
    TILES(most_##NAME##_, A, A, L, ITSELF, ITSELF, 1, L, LOW, ONE_MOST##REAL, most_##NAME, WITHIN, LAST)               \
    TILES(least_##NAME##_, A, A, L, ITSELF, ITSELF, 1, L, HIGH, ONE_LEAST##REAL, least_##NAME, WITHIN, LAST)
EXTREMES(i32, int32_t, 16, INT32_MIN, INT32_MAX, , WITHIN32, LAST32)
EXTREMES(u32, uint32_t, 16, 0, UINT32_MAX, , WITHIN32, LAST32)
EXTREMES(i64, int64_t, 8, INT64_MIN, INT64_MAX, , WITHIN64, LAST64)
EXTREMES(u64, uint64_t, 8, 0, UINT64_MAX, , WITHIN64, LAST64)
EXTREMES(f32, float, 16, -INFINITY, INFINITY, _REAL, WITHIN32, LAST32)
EXTREMES(f64, double, 8, -INFINITY, INFINITY, _REAL, WITHIN64, LAST64)

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
