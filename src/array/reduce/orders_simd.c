/* Extremes of floating-point numbers and the places of all, where kernels written by hand beat those made from the
 * rows; compiled once per instruction set.
 *
 * Invariant: NaN beats everything, the first of several NaN or equal elements wins. Runs of real numbers find
 * the extreme of a block with vectors first and look for its place only where it beats what is known. The second look
 * ends with the block all the same: another thread may have written there meanwhile. */
#include <string.h>

#include "reduce/kernels.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define LESS(a, b) ((a) < (b))
#define MORE(a, b) ((a) > (b))

#define NAN_INT(x) 0
#define NAN_FLOAT(x) ((x) != (x))
#define NAN_INT_LANES(M, v) ((M){0})
#define NAN_FLOAT_LANES(M, v) ((M)((v) != (v)))

/* --- extremes of a run, and where they are --- */

#define INDEXED_OF(KIND, NAME, T)                                                                     \
    static int64_t KIND##_at_##NAME(const T *x, int64_t n, T best)                                    \
    {                                                                                                 \
        int64_t i = 0;                                                                                \
        for (; i + 64 <= n; i += 64) { /* which 64 it is in, then where */                            \
            int hit = 0;                                                                              \
            for (int l = 0; l < 64; l++) hit |= x[i + l] == best;                                     \
            if (hit) break;                                                                           \
        }                                                                                             \
        while (i < n && x[i] != best) i++;                                                            \
        return i < n ? i : 0;                                                                         \
    }

#define FIND(KIND, NAME, T, SIGNED, ISNAN, BETTER)                                                            \
    INDEXED_OF(KIND, NAME, T)                                                                                 \
    static T KIND##_of_##NAME(const T *x, int64_t n)                                                          \
    {                                                                                                         \
        enum { L = CPI_REGISTER / sizeof(T) };                                                                \
        T best = x[0];                                                                                        \
        int64_t i = 0;                                                                                        \
        if (n >= 2 * L) {                                                                                     \
            v_##NAME a, b, v, w;                                                                              \
            m_##NAME nan = {0}, m;                                                                            \
            memcpy(&a, x, sizeof a);                                                                          \
            b = a;                                                                                            \
            for (; i + 2 * L <= n; i += 2 * L) {                                                              \
                memcpy(&v, x + i, sizeof v), memcpy(&w, x + i + L, sizeof w);                                 \
                CPI_REDUCE_FETCH(x + i, 2 * sizeof v);                                                        \
                nan |= ISNAN##_LANES(m_##NAME, v) | ISNAN##_LANES(m_##NAME, w);              \
                m = (m_##NAME)BETTER(v, a);                                                                   \
                a = (v_##NAME)(((m_##NAME)v & m) | ((m_##NAME)a & ~m));                                       \
                m = (m_##NAME)BETTER(w, b);                                                                   \
                b = (v_##NAME)(((m_##NAME)w & m) | ((m_##NAME)b & ~m));                                       \
            }                                                                                                 \
            SIGNED any = 0;                                                                                   \
            for (int l = 0; l < L; l++) any |= nan[l];                                                        \
            if (any) {                                                                                        \
                for (i = 0; i < n - 1 && !ISNAN(x[i]); i++) {}                                                \
                return x[i];                                                                                  \
            }                                                                                                 \
            best = a[0];                                                                                      \
            for (int l = 0; l < L; l++) {                                                                     \
                if (BETTER(a[l], best)) best = a[l];                                                          \
                if (BETTER(b[l], best)) best = b[l];                                                          \
            }                                                                                                 \
        }                                                                                                     \
        for (; i < n; i++) {                                                                                  \
            if (ISNAN(x[i])) return x[i];                                                                     \
            if (BETTER(x[i], best)) best = x[i];                                                              \
        }                                                                                                     \
        return best;                                                                                          \
    }

#define RUN(KIND, NAME, T, ISNAN, BETTER)                                                                     \
    static void KIND##_indexed_run_##NAME(const void *data, int64_t n, int64_t base, const double *shift, void *acc) \
    {                                                                                                         \
        const T *x = data;                                                                                    \
        indexed_##NAME *a = acc;                                                                              \
        (void)shift;                                                                                          \
        if (a->index >= 0 && ISNAN(a->value)) return;                                                         \
        T best = KIND##_of_##NAME(x, n);                                                                      \
        if (a->index >= 0 && !BETTER(best, a->value) && !ISNAN(best)) return;                                 \
        int64_t i = 0;                                                                                        \
        if (ISNAN(best))                                                                                      \
            while (i < n - 1 && !ISNAN(x[i])) i++;                                                            \
        else                                                                                                  \
            i = KIND##_at_##NAME(x, n, best);                                                                 \
        *a = (indexed_##NAME){base + i, best};                                                                \
    }

/* The processor's minimum and maximum of floats take one instruction; NaN is looked for beside them, two
 * vectors in one comparison. */
#if defined(__AVX512F__)
#define VECTOR_FLOAT32 __m512
#define VECTOR_FLOAT64 __m512d
#define OP_FLOAT32(op) _mm512_##op##_ps
#define OP_FLOAT64(op) _mm512_##op##_pd
#define NAN_TYPE_FLOAT32 __mmask16
#define NAN_TYPE_FLOAT64 __mmask8
#define UNORDERED(NAME, a, b) OP_##NAME##_MASK(a, b)
#define OP_FLOAT32_MASK(a, b) _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q)
#define OP_FLOAT64_MASK(a, b) _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q)
#define JOIN_NAN(NAME, a, b) ((NAN_TYPE_##NAME)((a) | (b)))
#define ANY_NAN(NAME, a) ((a) != 0)
#define EQUAL(NAME, a, b) EQUAL_##NAME(a, b)
#define EQUAL_FLOAT32(a, b) _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)
#define EQUAL_FLOAT64(a, b) _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ)
#elif defined(__AVX2__)
#define VECTOR_FLOAT32 __m256
#define VECTOR_FLOAT64 __m256d
#define OP_FLOAT32(op) _mm256_##op##_ps
#define OP_FLOAT64(op) _mm256_##op##_pd
#define NAN_TYPE_FLOAT32 __m256
#define NAN_TYPE_FLOAT64 __m256d
#define UNORDERED(NAME, a, b) OP_##NAME(cmp)(a, b, _CMP_UNORD_Q)
#define JOIN_NAN(NAME, a, b) OP_##NAME(or)(a, b)
#define ANY_NAN(NAME, a) (OP_##NAME(movemask)(a) != 0)
#define EQUAL(NAME, a, b) (unsigned)OP_##NAME(movemask)(OP_##NAME(cmp)(a, b, _CMP_EQ_OQ))
#endif
#ifdef VECTOR_FLOAT32
#define TAKE_low(NAME) OP_##NAME(min)
#define TAKE_high(NAME) OP_##NAME(max)
#define FIND_FLOATS(KIND, NAME, T, SIGNED, ISNAN, BETTER)                                             \
    static T KIND##_of_##NAME(const T *x, int64_t n)                                                  \
    {                                                                                                 \
        enum { L = sizeof(VECTOR_##NAME) / sizeof(T) };                                               \
        T best = x[0];                                                                                \
        int64_t i = 0;                                                                                \
        if (n >= L) {                                                                                 \
            VECTOR_##NAME a[4], v[4];                                                                 \
            NAN_TYPE_##NAME nan = UNORDERED(NAME, OP_##NAME(set1)(0), OP_##NAME(set1)(0));            \
            for (int u = 0; u < 4; u++) a[u] = OP_##NAME(set1)(x[0]);                                 \
            for (; i + 4 * L <= n; i += 4 * L) {                                                      \
                CPI_REDUCE_FETCH(x + i, sizeof v);                                                    \
                for (int u = 0; u < 4; u++) v[u] = OP_##NAME(loadu)(x + i + u * L);                   \
                for (int u = 0; u < 4; u++) a[u] = TAKE_##KIND(NAME)(v[u], a[u]);                     \
                nan = JOIN_NAN(NAME, nan, UNORDERED(NAME, v[0], v[1]));                               \
                nan = JOIN_NAN(NAME, nan, UNORDERED(NAME, v[2], v[3]));                               \
            }                                                                                         \
            for (; i < n; i += L) { /* the last of them ends with the run: some elements come twice */\
                v[0] = OP_##NAME(loadu)(x + (i + L <= n ? i : n - L));                                \
                a[0] = TAKE_##KIND(NAME)(v[0], a[0]);                                                 \
                nan = JOIN_NAN(NAME, nan, UNORDERED(NAME, v[0], v[0]));                               \
            }                                                                                         \
            if (ANY_NAN(NAME, nan)) {                                                                 \
                for (i = 0; i < n - 1 && !ISNAN(x[i]); i++) {}                                        \
                return x[i];                                                                          \
            }                                                                                         \
            T lane[L];                                                                                \
            a[0] = TAKE_##KIND(NAME)(TAKE_##KIND(NAME)(a[0], a[1]), TAKE_##KIND(NAME)(a[2], a[3]));   \
            OP_##NAME(storeu)(lane, a[0]);                                                            \
            for (int half = L / 2; half; half /= 2)                                                   \
                for (int l = 0; l < half; l++) lane[l] = BETTER(lane[l + half], lane[l]) ? lane[l + half] : lane[l];\
            return lane[0];                                                                           \
        }                                                                                             \
        for (; i < n; i++) {                                                                          \
            if (ISNAN(x[i])) return x[i];                                                             \
            if (BETTER(x[i], best)) best = x[i];                                                      \
        }                                                                                             \
        return best;                                                                                  \
    }                                                                                                 \
    static int64_t KIND##_at_##NAME(const T *x, int64_t n, T best)                                    \
    {                                                                                                 \
        enum { L = sizeof(VECTOR_##NAME) / sizeof(T) };                                               \
        const VECTOR_##NAME wanted = OP_##NAME(set1)(best);                                           \
        int64_t i = 0;                                                                                \
        for (; i + 4 * L <= n; i += 4 * L) {                                                          \
            uint64_t hit = 0;                                                                         \
            for (int u = 0; u < 4; u++)                                                               \
                hit |= (uint64_t)EQUAL(NAME, OP_##NAME(loadu)(x + i + u * L), wanted) << u * L;       \
            if (hit) return i + __builtin_ctzll(hit);                                                 \
        }                                                                                             \
        while (i < n && x[i] != best) i++;                                                            \
        return i < n ? i : 0;                                                                         \
    }
#else
#define FIND_FLOATS FIND
#endif
#define FINDNAN_INT FIND
#define FINDNAN_FLOAT FIND_FLOATS

/* --- the same for columns --- */

#define COLUMNS(KIND, NAME, T, ISNAN, BETTER)                                                                 \
    static void KIND##_indexed_columns_##NAME(const void *data, int64_t pitch, int64_t rows, int64_t cols,    \
                                              int64_t base, const double *shift, void *acc)                   \
    {                                                                                                         \
        indexed_##NAME *restrict a = acc;                                                                     \
        (void)shift;                                                                                          \
        for (int64_t i = 0; i < rows; i++) {                                                                  \
            const T *restrict x = (const T *)((const char *)data + i * pitch);                                \
            for (int64_t j = 0; j < cols; j++)                                                                \
                if (a[j].index < 0 || ((BETTER(x[j], a[j].value) || ISNAN(x[j])) && !ISNAN(a[j].value)))      \
                    a[j] = (indexed_##NAME){base + i, x[j]};                                                  \
        }                                                                                                     \
    }                                                                                                         \
    static void KIND##_indexed_join_##NAME(void *av, const void *bv, int64_t n)                               \
    {                                                                                                         \
        indexed_##NAME *a = av;                                                                               \
        const indexed_##NAME *b = bv;                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                                     \
            if (b[i].index < 0) continue;                                                                     \
            if (a[i].index < 0 || ((BETTER(b[i].value, a[i].value) || ISNAN(b[i].value)) && !ISNAN(a[i].value))) \
                a[i] = b[i];                                                                                  \
        }                                                                                                     \
    }

#define REAL(NAME, T, SIGNED, ISNAN)                                                                          \
    typedef T v_##NAME __attribute__((vector_size(CPI_REGISTER)));                                            \
    typedef SIGNED m_##NAME __attribute__((vector_size(CPI_REGISTER)));                                       \
    typedef struct indexed_##NAME { int64_t index; T value; } indexed_##NAME;                                 \
    FIND##ISNAN(low, NAME, T, SIGNED, ISNAN, LESS)                                                            \
    FIND##ISNAN(high, NAME, T, SIGNED, ISNAN, MORE)                                                           \
    RUN(low, NAME, T, ISNAN, LESS)                                                                            \
    RUN(high, NAME, T, ISNAN, MORE)                                                                           \
    COLUMNS(low, NAME, T, ISNAN, LESS)                                                                        \
    COLUMNS(high, NAME, T, ISNAN, MORE)
REAL(INT8, int8_t, int8_t, NAN_INT)
REAL(UINT8, uint8_t, int8_t, NAN_INT)
REAL(INT16, int16_t, int16_t, NAN_INT)
REAL(UINT16, uint16_t, int16_t, NAN_INT)
REAL(INT32, int32_t, int32_t, NAN_INT)
REAL(UINT32, uint32_t, int32_t, NAN_INT)
REAL(INT64, int64_t, int64_t, NAN_INT)
REAL(UINT64, uint64_t, int64_t, NAN_INT)
REAL(FLOAT32, float, int32_t, NAN_FLOAT)
REAL(FLOAT64, double, int64_t, NAN_FLOAT)

/* --- places of booleans: the first true one, the first false one --- */

static int64_t first_true(const uint8_t *x, int64_t n)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t eight;
        memcpy(&eight, x + i, sizeof eight);
        if (eight) break;
    }
    while (i < n && !x[i]) i++;
    return i;
}

static int64_t first_false(const uint8_t *x, int64_t n)
{
    const uint8_t *p = memchr(x, 0, (size_t)n);
    return p ? p - x : n;
}

#define BOOL_RUN(KIND, BEST, FIRST)                                                                           \
    static void KIND##_indexed_run_BOOL(const void *data, int64_t n, int64_t base, const double *shift, void *acc) \
    {                                                                                                         \
        indexed_UINT8 *a = acc;                                                                               \
        (void)shift;                                                                                          \
        if (a->index >= 0 && (a->value != 0) == BEST) return;                                                 \
        int64_t i = FIRST(data, n);                                                                           \
        if (i < n) *a = (indexed_UINT8){base + i, BEST};                                                      \
        else if (a->index < 0) *a = (indexed_UINT8){base, !BEST};                                             \
    }
BOOL_RUN(low, 0, first_false)
BOOL_RUN(high, 1, first_true)

/* Runs and columns of floating-point numbers. */
#define EXTREME_RUN(KIND, NAME, T)                                                                            \
    static void KIND##_run_##NAME(const void *data, int64_t n, int64_t base, const double *shift, void *acc)  \
    {                                                                                                         \
        (void)base, (void)shift;                                                                              \
        T best = KIND##_of_##NAME(data, n);                                                                   \
        memcpy(acc, &best, sizeof best);                                                                      \
    }
#define EXTREME_COLUMNS(KIND, NAME, T, BETTER)                                                                \
    static void KIND##_columns_##NAME(const void *data, int64_t pitch, int64_t rows, int64_t cols,            \
                                      int64_t base, const double *shift, void *acc)                           \
    {                                                                                                         \
        T *restrict a = acc;                                                                                  \
        (void)base, (void)shift;                                                                              \
        memcpy(a, data, (size_t)cols * sizeof *a);                                                            \
        for (int64_t i = 1; i < rows; i++) {                                                                  \
            const T *restrict x = (const T *)((const char *)data + i * pitch);                                \
            for (int64_t j = 0; j < cols; j++) a[j] = BETTER(x[j], a[j]) || NAN_FLOAT(x[j]) ? x[j] : a[j];    \
        }                                                                                                     \
    }
#define EXTREMES(NAME, T)                    \
    EXTREME_RUN(low, NAME, T)                \
    EXTREME_RUN(high, NAME, T)               \
    EXTREME_COLUMNS(low, NAME, T, LESS)      \
    EXTREME_COLUMNS(high, NAME, T, MORE)
EXTREMES(FLOAT32, float)
EXTREMES(FLOAT64, double)

/* --- complex numbers: by real part, then imaginary part --- */

#define NAN_PAIR(x) ((x).re != (x).re || (x).im != (x).im)
#define LESS_PAIR(a, b) ((a).re < (b).re || ((a).re == (b).re && (a).im < (b).im))
#define MORE_PAIR(a, b) ((a).re > (b).re || ((a).re == (b).re && (a).im > (b).im))

#define COMPLEX_RUN(KIND, NAME, T)                                                                            \
    static void KIND##_indexed_run_##NAME(const void *data, int64_t n, int64_t base, const double *shift, void *acc) \
    {                                                                                                         \
        KIND##_indexed_columns_##NAME(data, sizeof(T), n, 1, base, shift, acc);                               \
    }
#define COMPLEX_KEEP(KIND, NAME, T, BETTER)                                                                   \
    COLUMNS(KIND, NAME, T, NAN_PAIR, BETTER)                                                                  \
    COMPLEX_RUN(KIND, NAME, T)
#define COMPLEX(NAME, T)                                                                                      \
    typedef struct indexed_##NAME { int64_t index; T value; } indexed_##NAME;                                 \
    COMPLEX_KEEP(low, NAME, T, LESS_PAIR)                                                                     \
    COMPLEX_KEEP(high, NAME, T, MORE_PAIR)
COMPLEX(COMPLEX64, cp_complex64)
COMPLEX(COMPLEX128, cp_complex128)

/* --- the table --- */

#define INDEXED(KIND, NAME)                                                                                            \
    [CP_##NAME] = {sizeof(indexed_##NAME), KIND##_indexed_run_##NAME, KIND##_indexed_columns_##NAME,                   \
                   KIND##_indexed_join_##NAME},
#define LOW_INDEXED(NAME, T) INDEXED(low, NAME)
#define HIGH_INDEXED(NAME, T) INDEXED(high, NAME)
#define ALL(X) CPI_REDUCE_INTS(X) CPI_REDUCE_FLOATS(X) X(COMPLEX64, cp_complex64) X(COMPLEX128, cp_complex128)

static const cpi_reduce_kernel lowest[CP_NTYPES] = {
    [CP_FLOAT32] = {4, .run = low_run_FLOAT32, .columns = low_columns_FLOAT32},
    [CP_FLOAT64] = {8, .run = low_run_FLOAT64, .columns = low_columns_FLOAT64},
};
static const cpi_reduce_kernel highest[CP_NTYPES] = {
    [CP_FLOAT32] = {4, .run = high_run_FLOAT32, .columns = high_columns_FLOAT32},
    [CP_FLOAT64] = {8, .run = high_run_FLOAT64, .columns = high_columns_FLOAT64},
};
static const cpi_reduce_kernel lowest_indexed[CP_NTYPES] = {
    [CP_BOOL] = {sizeof(indexed_UINT8), .run = low_indexed_run_BOOL}, ALL(LOW_INDEXED)};
static const cpi_reduce_kernel highest_indexed[CP_NTYPES] = {
    [CP_BOOL] = {sizeof(indexed_UINT8), .run = high_indexed_run_BOOL}, ALL(HIGH_INDEXED)};

const cpi_reduce_kernels CPI_ISA_NAME(cpi_reduce_orders) = {
    [CPI_REDUCER_LOWEST][0] = lowest, [CPI_REDUCER_HIGHEST][0] = highest,
    [CPI_REDUCER_LOWEST_INDEXED][0] = lowest_indexed, [CPI_REDUCER_HIGHEST_INDEXED][0] = highest_indexed,
};
