/* Tiles of cumulative sums, products, maxima and minima in vectors; compiled once per instruction set.
 *
 * A group is 64 bytes, eight or sixteen values. It is scanned by adding it to itself shifted by one, two, four (and
 * eight) elements; then the total of the groups before it is joined. A group is as many vectors as the processor
 * needs for it: wider vectors would be split into single elements by the compiler. Invariant: every variant joins in
 * the same order, so that bits depend on neither the processor nor the number of threads. Fewer than CPI_SCAN_SHORT
 * floating-point numbers are summed in element order. */
#include "scan/tiles.h"

#include <math.h>
#include <string.h>

#include "core/paste.h"
#include "cpu/vectors.h"

#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))

enum { CHUNKS = 64 / VECTOR_BYTES, LANES64 = VECTOR_BYTES / 8, LANES32 = VECTOR_BYTES / 4 };
typedef int64_t offsets64 __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t offsets32 __attribute__((vector_size(VECTOR_BYTES)));

/* Shuffle indices that shift two adjacent vectors by k elements: the second vector's elements behind k of the
 * first's. */
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

/* A group joined with itself shifted by k elements. */
#define STEP(BITS, v, k, JOIN)                                                                        \
    UNROLL for (int p = CHUNKS - 1; p >= 0; p--) {                                                    \
        if (k < LANES##BITS) v[p] = JOIN(__builtin_shuffle(p ? v[p ? p - 1 : 0] : fill, v[p], ON##BITS(k)), v[p]); \
        else if (p >= k / LANES##BITS) v[p] = JOIN(v[p >= k / LANES##BITS ? p - k / LANES##BITS : 0], v[p]); \
    }
#define WITHIN64(v, JOIN) STEP(64, v, 1, JOIN) STEP(64, v, 2, JOIN) STEP(64, v, 4, JOIN)
#define WITHIN64_PAIR(v, JOIN) STEP(64, v, 2, JOIN) STEP(64, v, 4, JOIN)
#define WITHIN32(v, JOIN) STEP(32, v, 1, JOIN) STEP(32, v, 2, JOIN) STEP(32, v, 4, JOIN) STEP(32, v, 8, JOIN)

/* Elements as accumulators, and back: themselves, or float32 as float64. */
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

/* Non-temporal store of 16, 32 or 64 bytes. */
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

/* Orders non-temporal stores before later stores. */
INLINE void fence(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

#define X add_f32_vectors
#define T float
#define A double
#define GROUP 8
#define IN widened
#define OUT narrowed
#define PARTS 1
#define SHORT CPI_SCAN_SHORT
#define NONE -0.0
#define JOIN PLUS
#define WITHIN WITHIN64
#define LAST LAST64
#include "scan/tiles.inc"

#define X add_f64
#define T double
#define A double
#define GROUP 8
#define IN ITSELF
#define OUT ITSELF
#define PARTS 1
#define SHORT CPI_SCAN_SHORT
#define NONE -0.0
#define JOIN PLUS
#define WITHIN WITHIN64
#define LAST LAST64
#include "scan/tiles.inc"

#define X add_c64
#define T float
#define A double
#define GROUP 8
#define IN widened
#define OUT narrowed
#define PARTS 2
#define SHORT CPI_SCAN_SHORT
#define NONE -0.0
#define JOIN PLUS
#define WITHIN WITHIN64_PAIR
#define LAST LAST64_PAIR
#include "scan/tiles.inc"

#define X add_c128
#define T double
#define A double
#define GROUP 8
#define IN ITSELF
#define OUT ITSELF
#define PARTS 2
#define SHORT CPI_SCAN_SHORT
#define NONE -0.0
#define JOIN PLUS
#define WITHIN WITHIN64_PAIR
#define LAST LAST64_PAIR
#include "scan/tiles.inc"

#define X add_32
#define T uint32_t
#define A uint32_t
#define GROUP 16
#define IN ITSELF
#define OUT ITSELF
#define PARTS 1
#define SHORT 16
#define NONE 0
#define JOIN PLUS
#define WITHIN WITHIN32
#define LAST LAST32
#include "scan/tiles.inc"

#define X add_64
#define T uint64_t
#define A uint64_t
#define GROUP 8
#define IN ITSELF
#define OUT ITSELF
#define PARTS 1
#define SHORT 8
#define NONE 0
#define JOIN PLUS
#define WITHIN WITHIN64
#define LAST LAST64
#include "scan/tiles.inc"

#define X multiply_32
#define T uint32_t
#define A uint32_t
#define GROUP 16
#define IN ITSELF
#define OUT ITSELF
#define PARTS 1
#define SHORT 16
#define NONE 1
#define JOIN TIMES
#define WITHIN WITHIN32
#define LAST LAST32
#include "scan/tiles.inc"

#define X multiply_64
#define T uint64_t
#define A uint64_t
#define GROUP 8
#define IN ITSELF
#define OUT ITSELF
#define PARTS 1
#define SHORT 8
#define NONE 1
#define JOIN TIMES
#define WITHIN WITHIN64
#define LAST LAST64
#include "scan/tiles.inc"

/* --- sums of float32: 8 x 8 elements, transposed, so that additions are of whole vectors --- */

typedef float eight __attribute__((vector_size(32)));
typedef int32_t eighths __attribute__((vector_size(32)));

/* Transposes: rows become columns. */
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

/* Halves, or quarters, as one vector. Through memory, the load would stall on store forwarding. */
#if VECTOR_BYTES == 64
#define WHOLE(part) ((eight)(part)[0])
#elif VECTOR_BYTES == 32
#define WHOLE(part) ((eight)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)(part)[0]), (__m128)(part)[1], 1))
#else
#define WHOLE(part) ({ eight all; memcpy(&all, part, sizeof all); all; })
#endif

enum { BLOCK = 64 };

/* The exclusive scan: the group shifted by one element, behind `carry`. */
#define STEP_BEFORE(v)                                                                                    \
    UNROLL for (int h = CHUNKS - 1; h >= 0; h--)                                                          \
        v[h] = carry + __builtin_shuffle(h ? v[h ? h - 1 : 0] : fill, v[h], ON64(1));

INLINE void put_row(float *to, const eight *row)
{
    enum { BYTES = VECTOR_BYTES < 32 ? VECTOR_BYTES : 32 };
    for (int k = 0; k < 32; k += BYTES) put_past((char *)to + k, (const char *)row + k, BYTES);
}

/* For whole blocks, local has the sums transposed: element 8 i + k at 8 k + i. */
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
    if (n - at > BLOCK) __builtin_unreachable(); /* GCC 14 asks */
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

/* --- maximum and minimum: of equal elements the first, and NaN from the first one on --- */

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

#define NUMBER int32_t
#define SUFFIX i32
#define BITS 32
#define LOWEST INT32_MIN
#define HIGHEST INT32_MAX
#define REAL
#include "scan/extremes.inc"

#define NUMBER uint32_t
#define SUFFIX u32
#define BITS 32
#define LOWEST 0
#define HIGHEST UINT32_MAX
#define REAL
#include "scan/extremes.inc"

#define NUMBER int64_t
#define SUFFIX i64
#define BITS 64
#define LOWEST INT64_MIN
#define HIGHEST INT64_MAX
#define REAL
#include "scan/extremes.inc"

#define NUMBER uint64_t
#define SUFFIX u64
#define BITS 64
#define LOWEST 0
#define HIGHEST UINT64_MAX
#define REAL
#include "scan/extremes.inc"

#define NUMBER float
#define SUFFIX f32
#define BITS 32
#define LOWEST -INFINITY
#define HIGHEST INFINITY
#define REAL _REAL
#include "scan/extremes.inc"

#define NUMBER double
#define SUFFIX f64
#define BITS 64
#define LOWEST -INFINITY
#define HIGHEST INFINITY
#define REAL _REAL
#include "scan/extremes.inc"

#define SET(NAME, A, PARTS, NONE)                                                                                \
    do {                                                                                                         \
        const A none[2] = {(A)(NONE), (A)(NONE)};                                                                \
        t = (cpi_scan_tiles){.size = (int)sizeof(A) * PARTS, .scan = scan_##NAME, .pass = pass_##NAME,           \
                             .join = join_##NAME};                                                               \
        memcpy(t.none, none, sizeof none);                                                                       \
        return t;                                                                                                \
    } while (0)

/* Floating types and integers of 32 and 64 bits; narrower types are converted to these. */
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
