/* Short rows' columns compared each with each, and rows times a vector; compiled once per instruction set.
 *
 * No comparison waits for another one, as those of a merge do, and what rows differ in length by is not branched on:
 * elements behind a short row's end are read, where there are any, and masked. */
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "sparse/kernels.h"

#ifdef __AVX2__
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
enum { VECTORS = CPI_SPARSE_SHORT / LANES };
typedef int32_t columns __attribute__((vector_size(4 * LANES)));

/* A bit for each lane that is not 0. */
static inline unsigned bits_of(columns x)
{
#if defined(__AVX2__)
    return (unsigned)_mm256_movemask_ps((__m256)x);
#elif defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)x);
#else
    unsigned bits = 0;
    for (int i = 0; i < LANES; i++) bits |= (unsigned)(x[i] != 0) << i;
    return bits;
#endif
}
/* The columns i..i + LANES - 1 of n; INT32_MAX behind the last one. */
static inline columns load(const int32_t *x, int i, int n, int64_t there)
{
    columns v, place;
    for (int l = 0; l < LANES; l++) place[l] = i + l;
    if (i + LANES <= there) memcpy(&v, x + i, sizeof v);
    else
        for (int l = 0; l < LANES; l++) v[l] = i + l < n ? x[i + l] : 0;
    const columns inside = place < n - (columns){0};
    return (v & inside) | (~inside & (INT32_MAX - (columns){0}));
}
static inline __attribute__((always_inline)) void order_in(const int32_t *x, int n, int64_t there, int32_t *less,
                                                           int vectors)
{
    columns v[VECTORS], below[VECTORS];
    for (int i = 0; i < vectors; i++) {
        v[i] = load(x, i * LANES, n, there);
        below[i] = (columns){0};
    }
    for (int k = 0; k < n; k++) {
        const columns y = x[k] - (columns){0};
        for (int i = 0; i < vectors; i++) below[i] -= y < v[i];
    }
    for (int i = 0; i < vectors; i++) memcpy(less + i * LANES, &below[i], sizeof below[i]);
}
static void order(const int32_t *x, int n, int64_t there, int32_t *less)
{
    if (n <= 8) order_in(x, n, there, less, 8 / LANES);
    else if (n <= 16) order_in(x, n, there, less, 16 / LANES);
    else order_in(x, n, there, less, VECTORS);
}

/* As many vectors at a time as registers hold beside what they are compared with. */
static void rank(const int32_t *key, int n, int32_t *rank)
{
    for (int at = 0; at < n; at += CPI_SPARSE_SHORT) {
        const int left = n - at, vectors = left > 16 ? VECTORS : left > 8 ? 16 / LANES : 8 / LANES;
        columns v[VECTORS], below[VECTORS];
        memcpy(v, key + at, sizeof v);
        for (int i = 0; i < VECTORS; i++) below[i] = (columns){0};
        if (vectors == VECTORS)
            for (int k = 0; k < n; k++)
                for (int i = 0; i < VECTORS; i++) below[i] -= key[k] - (columns){0} < v[i];
        else if (vectors == 16 / LANES)
            for (int k = 0; k < n; k++)
                for (int i = 0; i < 16 / LANES; i++) below[i] -= key[k] - (columns){0} < v[i];
        else
            for (int k = 0; k < n; k++)
                for (int i = 0; i < 8 / LANES; i++) below[i] -= key[k] - (columns){0} < v[i];
        memcpy(rank + at, below, sizeof below);
    }
}

static inline __attribute__((always_inline)) bool meet_in(const int32_t *a, int na, int64_t there, const int32_t *b,
                                                          int nb, int vectors)
{
    columns v[VECTORS], same = {0};
    for (int i = 0; i < vectors; i++) v[i] = load(a, i * LANES, na, there);
    for (int k = 0; k < nb; k++)
        for (int i = 0; i < vectors; i++) same |= v[i] == b[k] - (columns){0};
    return bits_of(same) != 0;
}
static bool meet(const int32_t *a, int na, int64_t there, const int32_t *b, int nb)
{
    return na <= 8 ? meet_in(a, na, there, b, nb, 8 / LANES)
           : na <= 16 ? meet_in(a, na, there, b, nb, 16 / LANES) : meet_in(a, na, there, b, nb, VECTORS);
}

static inline __attribute__((always_inline)) void match_in(const int32_t *a, int na, int64_t there, const int32_t *b,
                                                           int nb, cpi_sparse_matches *p, int vectors)
{
    columns v[VECTORS], below[VECTORS], same[VECTORS];
    for (int i = 0; i < vectors; i++) {
        v[i] = load(a, i * LANES, na, there);
        below[i] = same[i] = (columns){0};
    }
    p->equal[0] = p->equal[1] = 0;
    for (int k = 0; k < nb; k++) {
        const columns y = b[k] - (columns){0};
        uint32_t above = 0, equal = 0;
        for (int i = 0; i < vectors; i++) {
            const columns greater = y < v[i], here = y == v[i];
            below[i] -= greater;
            same[i] |= here;
            above |= bits_of(greater) << (i * LANES & 31);
            equal |= bits_of(here);
        }
        p->less[1][k] = vectors * LANES - __builtin_popcount(above) - (equal != 0);
        p->equal[1] |= (uint32_t)(equal != 0) << k;
    }
    for (int i = 0; i < vectors; i++) {
        memcpy(p->less[0] + i * LANES, &below[i], sizeof below[i]);
        p->equal[0] |= bits_of(same[i]) << (i * LANES & 31);
    }
}
static void match(const int32_t *a, int na, int64_t there, const int32_t *b, int nb, cpi_sparse_matches *p)
{
    if (na <= 8) match_in(a, na, there, b, nb, p, 8 / LANES);
    else if (na <= 16) match_in(a, na, there, b, nb, p, 16 / LANES);
    else match_in(a, na, there, b, nb, p, VECTORS);
}

static bool some_zero_32(const uint32_t *v, int64_t n, uint32_t mask)
{
    uint32_t found = 0;
    for (int64_t i = 0; i < n; i++) found |= (v[i] & mask) == 0;
    return found;
}
static bool some_zero_64(const uint64_t *v, int64_t n, uint64_t mask)
{
    uint64_t found = 0;
    for (int64_t i = 0; i < n; i++) found |= (v[i] & mask) == 0;
    return found;
}

#define I int32_t
#define TREND trend_32
#include "sparse/trend.inc"
#define I int64_t
#define TREND trend_64
#include "sparse/trend.inc"

#define V float
#define N int32_t
#define TIMES(f) f##_f32
#include "sparse/times.inc"
#define V double
#define N int64_t
#define TIMES(f) f##_f64
#include "sparse/times.inc"

const cpi_sparse_kernels CPI_ISA_NAME(cpi_sparse_kernels) = {order, rank, meet, match, some_zero_32, some_zero_64,
                                                               trend_32, trend_64, times_f32, times_f64};
