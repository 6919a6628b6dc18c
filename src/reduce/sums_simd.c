/* Sums, products, moments and counts, compiled once per instruction set.
 *
 * Invariant: every variant adds in the same order (32 lanes of 64 bits, then a tree), so that the bits of a
 * result depend on neither the processor nor the number of threads. Floating-point sums are taken in double. */
#include <string.h>

#include "reduce/kernels.h"
#include "scalar/convert.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

#define LANES 8
typedef double vdouble __attribute__((vector_size(64)));
typedef uint64_t vuint __attribute__((vector_size(64)));
#define VECTOR(NAME, T) typedef T v_##NAME __attribute__((vector_size(LANES * sizeof(T))));
CPI_REDUCE_INTS(VECTOR)
CPI_REDUCE_FLOATS(VECTOR)

#define ADD(a, b) ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
/* -0.0 is the identity of addition that keeps the sign of a zero */
#define ZERO_vuint 0
#define ZERO_vdouble -0.0
#define ONE_vuint 1
#define ONE_vdouble 1

/* --- one run of real elements --- */

#define RUN(KIND, NAME, T, VA, A, IDENTITY, COMBINE)                                                          \
    static void KIND##_run_##NAME(const void *data, int64_t n, int64_t base, const double *shift, void *acc)  \
    {                                                                                                         \
        const T *x = data;                                                                                    \
        (void)base, (void)shift;                                                                              \
        VA a0 = (A)IDENTITY##_##VA - (VA){0}, a1 = a0, a2 = a0, a3 = a0;                                      \
        v_##NAME v0, v1, v2, v3;                                                                              \
        int64_t i = 0;                                                                                        \
        for (; i + 4 * LANES <= n; i += 4 * LANES) {                                                          \
            CPI_REDUCE_FETCH(x + i, 4 * sizeof v0);                                                           \
            memcpy(&v0, x + i, sizeof v0), memcpy(&v1, x + i + LANES, sizeof v1);                             \
            memcpy(&v2, x + i + 2 * LANES, sizeof v2), memcpy(&v3, x + i + 3 * LANES, sizeof v3);             \
            a0 = COMBINE(a0, __builtin_convertvector(v0, VA)), a1 = COMBINE(a1, __builtin_convertvector(v1, VA)); \
            a2 = COMBINE(a2, __builtin_convertvector(v2, VA)), a3 = COMBINE(a3, __builtin_convertvector(v3, VA)); \
        }                                                                                                     \
        for (; i + LANES <= n; i += LANES) {                                                                  \
            memcpy(&v0, x + i, sizeof v0);                                                                    \
            a0 = COMBINE(a0, __builtin_convertvector(v0, VA));                                                \
        }                                                                                                     \
        a0 = COMBINE(COMBINE(a0, a1), COMBINE(a2, a3));                                                       \
        A s = COMBINE(COMBINE(COMBINE(a0[0], a0[1]), COMBINE(a0[2], a0[3])),                                  \
                      COMBINE(COMBINE(a0[4], a0[5]), COMBINE(a0[6], a0[7])));                                 \
        for (; i < n; i++) s = COMBINE(s, (A)x[i]);                                                           \
        memcpy(acc, &s, sizeof s);                                                                            \
    }

#define COLUMNS(KIND, NAME, T, VA, A, IDENTITY, COMBINE)                                                      \
    static void KIND##_columns_##NAME(const void *data, int64_t pitch, int64_t rows, int64_t cols,            \
                                      int64_t base, const double *shift, void *acc)                           \
    {                                                                                                         \
        const char *x = data;                                                                                 \
        A *restrict a = acc;                                                                                  \
        (void)base, (void)shift;                                                                              \
        for (int64_t j = 0; j < cols; j++) a[j] = (A)IDENTITY##_##VA;                                         \
        int64_t i = 0;                                                                                        \
        for (; i + 4 <= rows; i += 4, x += 4 * pitch) {                                                       \
            const T *restrict r0 = (const T *)x, *restrict r1 = (const T *)(x + pitch);                       \
            const T *restrict r2 = (const T *)(x + 2 * pitch), *restrict r3 = (const T *)(x + 3 * pitch);     \
            int64_t j = 0;                                                                                    \
            for (; j + LANES <= cols; j += LANES) {                                                           \
                VA s;                                                                                         \
                v_##NAME v0, v1, v2, v3;                                                                      \
                memcpy(&s, a + j, sizeof s);                                                                  \
                memcpy(&v0, r0 + j, sizeof v0), memcpy(&v1, r1 + j, sizeof v1);                               \
                memcpy(&v2, r2 + j, sizeof v2), memcpy(&v3, r3 + j, sizeof v3);                               \
                __builtin_prefetch((const char *)(r0 + j) + 4 * pitch);                                       \
                __builtin_prefetch((const char *)(r1 + j) + 4 * pitch);                                       \
                __builtin_prefetch((const char *)(r2 + j) + 4 * pitch);                                       \
                __builtin_prefetch((const char *)(r3 + j) + 4 * pitch);                                       \
                s = COMBINE(s, COMBINE(COMBINE(__builtin_convertvector(v0, VA), __builtin_convertvector(v1, VA)), \
                                       COMBINE(__builtin_convertvector(v2, VA), __builtin_convertvector(v3, VA)))); \
                memcpy(a + j, &s, sizeof s);                                                                  \
            }                                                                                                 \
            for (; j < cols; j++)                                                                             \
                a[j] = COMBINE(a[j], COMBINE(COMBINE((A)r0[j], (A)r1[j]), COMBINE((A)r2[j], (A)r3[j])));      \
        }                                                                                                     \
        for (; i < rows; i++, x += pitch) {                                                                   \
            const T *restrict r = (const T *)x;                                                               \
            for (int64_t j = 0; j < cols; j++) a[j] = COMBINE(a[j], (A)r[j]);                                 \
        }                                                                                                     \
    }

#define JOIN(KIND, A, COMBINE)                                                                                \
    static void KIND##_join(void *av, const void *bv, int64_t n)                                              \
    {                                                                                                         \
        A *restrict a = av;                                                                                   \
        const A *restrict b = bv;                                                                             \
        for (int64_t i = 0; i < n; i++) a[i] = COMBINE(a[i], b[i]);                                           \
    }

/* Small integers are added in lanes twice as wide, which a block cannot fill (1024 of them at most). */
#define RUN_NARROW(NAME, T, WIDE)                                                                             \
    static void sumi_run_##NAME(const void *data, int64_t n, int64_t base, const double *shift, void *acc)    \
    {                                                                                                         \
        const T *x = data;                                                                                    \
        (void)base, (void)shift;                                                                              \
        enum { L = 64 / sizeof(WIDE) };                                                                       \
        typedef WIDE wide __attribute__((vector_size(64)));                                                   \
        typedef T narrow __attribute__((vector_size(L * sizeof(T))));                                         \
        wide a0 = {0}, a1 = a0;                                                                               \
        narrow v0, v1;                                                                                        \
        int64_t i = 0;                                                                                        \
        for (; i + 2 * L <= n; i += 2 * L) {                                                                  \
            CPI_REDUCE_FETCH(x + i, 2 * sizeof v0);                                                           \
            memcpy(&v0, x + i, sizeof v0), memcpy(&v1, x + i + L, sizeof v1);                                 \
            a0 += __builtin_convertvector(v0, wide), a1 += __builtin_convertvector(v1, wide);                 \
        }                                                                                                     \
        a0 += a1;                                                                                             \
        uint64_t s = 0;                                                                                       \
        for (int l = 0; l < L; l++) s += (uint64_t)a0[l];                                                     \
        for (; i < n; i++) s += (uint64_t)x[i];                                                               \
        memcpy(acc, &s, sizeof s);                                                                            \
    }
RUN_NARROW(INT8, int8_t, int16_t)
RUN_NARROW(UINT8, uint8_t, uint16_t)
RUN_NARROW(INT16, int16_t, int32_t)
RUN_NARROW(UINT16, uint16_t, uint32_t)
#define RUN_WIDE(NAME, T) RUN(sumi, NAME, T, vuint, uint64_t, ZERO, ADD)
RUN_WIDE(INT32, int32_t)
RUN_WIDE(UINT32, uint32_t)
RUN_WIDE(INT64, int64_t)
RUN_WIDE(UINT64, uint64_t)

#define INTEGRAL(NAME, T)                                            \
    COLUMNS(sumi, NAME, T, vuint, uint64_t, ZERO, ADD)               \
    RUN(prodi, NAME, T, vuint, uint64_t, ONE, MULTIPLY)              \
    COLUMNS(prodi, NAME, T, vuint, uint64_t, ONE, MULTIPLY)
#define FLOATING(NAME, T)                                            \
    RUN(sum, NAME, T, vdouble, double, ZERO, ADD)                    \
    COLUMNS(sum, NAME, T, vdouble, double, ZERO, ADD)                \
    RUN(prod, NAME, T, vdouble, double, ONE, MULTIPLY)               \
    COLUMNS(prod, NAME, T, vdouble, double, ONE, MULTIPLY)
CPI_REDUCE_INTS(INTEGRAL)
CPI_REDUCE_INTS(FLOATING)
CPI_REDUCE_FLOATS(FLOATING)
JOIN(sumi, uint64_t, ADD)
JOIN(prodi, uint64_t, MULTIPLY)
JOIN(sum, double, ADD)
JOIN(prod, double, MULTIPLY)

/* --- complex sums and products --- */

typedef struct pair { double re, im; } pair;
static inline pair multiply(pair a, pair b) { return (pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

#define COMPLEX(NAME, T)                                                                                      \
    typedef T vc_##NAME __attribute__((vector_size(LANES * sizeof(T))));                                      \
    static void csum_run_##NAME(const void *data, int64_t count, int64_t base, const double *shift, void *acc) \
    {                                                                                                         \
        const T *x = data;                                                                                    \
        (void)base, (void)shift;                                                                              \
        int64_t n = 2 * count, i = 0;                                                                         \
        vdouble a0 = -0.0 - (vdouble){0}, a1 = a0;                                                            \
        vc_##NAME v0, v1;                                                                                     \
        for (; i + 2 * LANES <= n; i += 2 * LANES) {                                                          \
            CPI_REDUCE_FETCH(x + i, 2 * sizeof v0);                                                           \
            memcpy(&v0, x + i, sizeof v0), memcpy(&v1, x + i + LANES, sizeof v1);                             \
            a0 += __builtin_convertvector(v0, vdouble), a1 += __builtin_convertvector(v1, vdouble);           \
        }                                                                                                     \
        a0 += a1;                                                                                             \
        pair s = {(a0[0] + a0[2]) + (a0[4] + a0[6]), (a0[1] + a0[3]) + (a0[5] + a0[7])};                      \
        for (; i < n; i += 2) s.re += (double)x[i], s.im += (double)x[i + 1];                                 \
        memcpy(acc, &s, sizeof s);                                                                            \
    }                                                                                                         \
    static void csum_columns_##NAME(const void *data, int64_t pitch, int64_t rows, int64_t cols, int64_t base, \
                                    const double *shift, void *acc)                                           \
    {                                                                                                         \
        sum_columns_FROM_##NAME(data, pitch, rows, 2 * cols, base, shift, acc);                               \
    }                                                                                                         \
    static void cprod_run_##NAME(const void *data, int64_t n, int64_t base, const double *shift, void *acc)   \
    {                                                                                                         \
        const T *x = data;                                                                                    \
        (void)base, (void)shift;                                                                              \
        pair p[4] = {{1, 0}, {1, 0}, {1, 0}, {1, 0}};                                                         \
        for (int64_t i = 0; i < n; i++) p[i & 3] = multiply(p[i & 3], (pair){(double)x[2 * i], (double)x[2 * i + 1]}); \
        pair s = n < 2 ? p[0] : n < 3 ? multiply(p[0], p[1])                                                  \
               : n < 4 ? multiply(multiply(p[0], p[1]), p[2])                                                 \
                       : multiply(multiply(p[0], p[1]), multiply(p[2], p[3]));                                \
        memcpy(acc, &s, sizeof s);                                                                            \
    }                                                                                                         \
    static void cprod_columns_##NAME(const void *data, int64_t pitch, int64_t rows, int64_t cols, int64_t base, \
                                     const double *shift, void *acc)                                          \
    {                                                                                                         \
        pair *restrict a = acc;                                                                               \
        (void)base, (void)shift;                                                                              \
        for (int64_t i = 0; i < rows; i++) {                                                                  \
            const T *restrict x = (const T *)((const char *)data + i * pitch);                                \
            for (int64_t j = 0; j < cols; j++) {                                                              \
                pair v = {(double)x[2 * j], (double)x[2 * j + 1]};                                            \
                a[j] = i ? multiply(a[j], v) : v;                                                             \
            }                                                                                                 \
        }                                                                                                     \
    }
#define sum_columns_FROM_COMPLEX64 sum_columns_FLOAT32
#define sum_columns_FROM_COMPLEX128 sum_columns_FLOAT64
CPI_REDUCE_COMPLEX(COMPLEX)

static void csum_join(void *a, const void *b, int64_t n) { sum_join(a, b, 2 * n); }
static void cprod_join(void *av, const void *bv, int64_t n)
{
    pair *a = av;
    const pair *b = bv;
    for (int64_t i = 0; i < n; i++) a[i] = multiply(a[i], b[i]);
}

/* --- moments: exact mean of the block, then the deviations from it, while the block is in cache --- */

#define across(v) ({ vdouble u = (v); ((u[0] + u[1]) + (u[2] + u[3])) + ((u[4] + u[5]) + (u[6] + u[7])); })

#define LOAD(v, p) (memcpy(&(v), (p), sizeof(v)), __builtin_convertvector((v), vdouble))

#define MOMENTS(NAME, T)                                                                                      \
    static void moments_run_##NAME(const void *data, int64_t n, int64_t base, const double *shift, void *acc) \
    {                                                                                                         \
        const T *x = data;                                                                                    \
        (void)base;                                                                                           \
        double k = shift[0], s = 0, q = 0, c = 0;                                                             \
        vdouble a0 = {0}, a1 = a0, a2 = a0, a3 = a0;                                                          \
        v_##NAME v;                                                                                           \
        int64_t i = 0, whole = n / (4 * LANES) * (4 * LANES);                                                 \
        for (; i < whole; i += 4 * LANES) {                                                                   \
            CPI_REDUCE_FETCH(x + i, 4 * sizeof v);                                                            \
            a0 += LOAD(v, x + i) - k, a1 += LOAD(v, x + i + LANES) - k;                                       \
            a2 += LOAD(v, x + i + 2 * LANES) - k, a3 += LOAD(v, x + i + 3 * LANES) - k;                       \
        }                                                                                                     \
        s = across((a0 + a1) + (a2 + a3));                                                                    \
        for (; i < n; i++) s += (double)x[i] - k;                                                             \
        double mean = n ? s / (double)n : 0;                                                                  \
        vdouble q0 = {0}, q1 = q0, c0 = q0, c1 = q0;                                                          \
        for (i = 0; i < whole; i += 2 * LANES) {                                                              \
            vdouble d0 = (LOAD(v, x + i) - k) - mean, d1 = (LOAD(v, x + i + LANES) - k) - mean;               \
            q0 += d0 * d0, q1 += d1 * d1, c0 += d0, c1 += d1;                                                 \
        }                                                                                                     \
        q = across(q0 + q1), c = across(c0 + c1);                                                             \
        for (; i < n; i++) {                                                                                  \
            double d = ((double)x[i] - k) - mean;                                                             \
            q += d * d, c += d;                                                                               \
        }                                                                                                     \
        q = n ? q - c * c / (double)n : 0; /* what the mean's rounding added */                               \
        *(cpi_moments *)acc = (cpi_moments){(double)n, mean, 0, q < 0 ? 0 : q};                               \
    }                                                                                                         \
    static void moments_columns_##NAME(const void *data, int64_t pitch, int64_t rows, int64_t cols,           \
                                       int64_t base, const double *shift, void *acc)                          \
    {                                                                                                         \
        cpi_moments *a = acc;                                                                                 \
        (void)base;                                                                                           \
        for (int64_t j0 = 0; j0 < cols; j0 += 128) {                                                          \
            int64_t m = cols - j0 < 128 ? cols - j0 : 128;                                                    \
            double k[128], mean[128], q[128];                                                                 \
            for (int64_t j = 0; j < m; j++) k[j] = shift[2 * (j0 + j)], mean[j] = 0, q[j] = 0;                \
            for (int64_t i = 0; i < rows; i++) {                                                              \
                const T *restrict x = (const T *)((const char *)data + i * pitch) + j0;                       \
                for (int64_t j = 0; j < m; j++) mean[j] += (double)x[j] - k[j];                               \
            }                                                                                                 \
            for (int64_t j = 0; j < m; j++) mean[j] /= (double)rows;                                          \
            for (int64_t i = 0; i < rows; i++) {                                                              \
                const T *restrict x = (const T *)((const char *)data + i * pitch) + j0;                       \
                for (int64_t j = 0; j < m; j++) {                                                             \
                    double d = ((double)x[j] - k[j]) - mean[j];                                               \
                    q[j] += d * d;                                                                            \
                }                                                                                             \
            }                                                                                                 \
            for (int64_t j = 0; j < m; j++) a[j0 + j] = (cpi_moments){(double)rows, mean[j], 0, q[j]};        \
        }                                                                                                     \
    }
CPI_REDUCE_INTS(MOMENTS)
CPI_REDUCE_FLOATS(MOMENTS)

#define MOMENTS_COMPLEX(NAME, T)                                                                              \
    static void cmoments_strided_##NAME(const char *data, int64_t step, int64_t n, const double *k, cpi_moments *a) \
    {                                                                                                         \
        double re = 0, im = 0, q = 0;                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                                     \
            const T *x = (const T *)(data + i * step);                                                        \
            re += (double)x[0] - k[0], im += (double)x[1] - k[1];                                             \
        }                                                                                                     \
        if (n) re /= (double)n, im /= (double)n;                                                              \
        for (int64_t i = 0; i < n; i++) {                                                                     \
            const T *x = (const T *)(data + i * step);                                                        \
            double d = ((double)x[0] - k[0]) - re, e = ((double)x[1] - k[1]) - im;                            \
            q += d * d + e * e;                                                                               \
        }                                                                                                     \
        *a = (cpi_moments){(double)n, re, im, q};                                                             \
    }                                                                                                         \
    static void cmoments_run_##NAME(const void *data, int64_t n, int64_t base, const double *shift, void *acc) \
    {                                                                                                         \
        (void)base;                                                                                           \
        cmoments_strided_##NAME(data, 2 * sizeof(T), n, shift, acc);                                          \
    }                                                                                                         \
    static void cmoments_columns_##NAME(const void *data, int64_t pitch, int64_t rows, int64_t cols,          \
                                        int64_t base, const double *shift, void *acc)                         \
    {                                                                                                         \
        (void)base;                                                                                           \
        for (int64_t j = 0; j < cols; j++)                                                                    \
            cmoments_strided_##NAME((const char *)data + j * 2 * (int64_t)sizeof(T), pitch, rows, shift + 2 * j, \
                                    (cpi_moments *)acc + j);                                                  \
    }
CPI_REDUCE_COMPLEX(MOMENTS_COMPLEX)

/* Chan, Golub and LeVeque's rule for two parts. */
static void moments_join(void *av, const void *bv, int64_t n)
{
    cpi_moments *a = av;
    const cpi_moments *b = bv;
    for (int64_t i = 0; i < n; i++) {
        double all = a[i].n + b[i].n;
        if (b[i].n == 0) continue;
        if (a[i].n == 0) {
            a[i] = b[i];
            continue;
        }
        double d = b[i].mean - a[i].mean, e = b[i].im - a[i].im, part = b[i].n / all;
        a[i].mean += d * part;
        a[i].im += e * part;
        a[i].m2 += b[i].m2 + (d * d + e * e) * (a[i].n * part);
        a[i].n = all;
    }
}

/* --- counts of what is not zero --- */

#define COUNT(NAME, T, SIGNED)                                                                                \
    typedef T wide_##NAME __attribute__((vector_size(64)));                                                   \
    typedef SIGNED mask_##NAME __attribute__((vector_size(64)));                                              \
    static void count_run_##NAME(const void *data, int64_t n, int64_t base, const double *shift, void *acc)   \
    {                                                                                                         \
        const T *x = data;                                                                                    \
        (void)base, (void)shift;                                                                              \
        enum { L = 64 / sizeof(T) };                                                                          \
        mask_##NAME a = {0};                                                                                  \
        wide_##NAME v;                                                                                        \
        int64_t i = 0, count = 0;                                                                             \
        for (; i + L <= n; i += L) {                                                                          \
            memcpy(&v, x + i, sizeof v);                                                                      \
            a -= (mask_##NAME)(v != 0);                                                                       \
        }                                                                                                     \
        for (int l = 0; l < L; l++) count += a[l];                                                            \
        for (; i < n; i++) count += x[i] != 0;                                                                \
        memcpy(acc, &count, sizeof count);                                                                    \
    }                                                                                                         \
    static void count_columns_##NAME(const void *data, int64_t pitch, int64_t rows, int64_t cols,             \
                                     int64_t base, const double *shift, void *acc)                            \
    {                                                                                                         \
        uint64_t *restrict a = acc;                                                                           \
        (void)base, (void)shift;                                                                              \
        memset(a, 0, (size_t)cols * sizeof *a);                                                               \
        for (int64_t i = 0; i < rows; i++) {                                                                  \
            const T *restrict x = (const T *)((const char *)data + i * pitch);                                \
            for (int64_t j = 0; j < cols; j++) a[j] += x[j] != 0;                                             \
        }                                                                                                     \
    }
COUNT(UINT8, uint8_t, int8_t)
COUNT(UINT16, uint16_t, int16_t)
COUNT(UINT32, uint32_t, int32_t)
COUNT(UINT64, uint64_t, int64_t)
COUNT(FLOAT32, float, int32_t)
COUNT(FLOAT64, double, int64_t)

#define COUNT_COMPLEX(NAME, T)                                                                                \
    static void ccount_columns_##NAME(const void *data, int64_t pitch, int64_t rows, int64_t cols,            \
                                      int64_t base, const double *shift, void *acc)                           \
    {                                                                                                         \
        uint64_t *restrict a = acc;                                                                           \
        (void)base, (void)shift;                                                                              \
        memset(a, 0, (size_t)cols * sizeof *a);                                                               \
        for (int64_t i = 0; i < rows; i++) {                                                                  \
            const T *restrict x = (const T *)((const char *)data + i * pitch);                                \
            for (int64_t j = 0; j < cols; j++) a[j] += (x[2 * j] != 0) | (x[2 * j + 1] != 0);                 \
        }                                                                                                     \
    }                                                                                                         \
    static void ccount_run_##NAME(const void *data, int64_t n, int64_t base, const double *shift, void *acc)  \
    {                                                                                                         \
        const T *x = data;                                                                                    \
        (void)base, (void)shift;                                                                              \
        uint64_t count = 0;                                                                                   \
        for (int64_t i = 0; i < n; i++) count += (x[2 * i] != 0) | (x[2 * i + 1] != 0);                       \
        memcpy(acc, &count, sizeof count);                                                                    \
    }
CPI_REDUCE_COMPLEX(COUNT_COMPLEX)

/* --- half types --- */

static void widen(cp_type type, const char *x, int64_t stride, int64_t n, float *to)
{
    if (stride == 2 && type == CP_FLOAT16) {
        int64_t i = 0;
#if defined(__AVX512F__)
        for (; i + 16 <= n; i += 16)
            _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(x + 2 * i))));
#elif defined(__F16C__)
        for (; i + 8 <= n; i += 8) _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(x + 2 * i))));
#endif
        for (; i < n; i++) to[i] = cps_f16_to_f32(((const uint16_t *)x)[i]);
    } else if (stride == 2) {
        for (int64_t i = 0; i < n; i++) to[i] = cps_bf16_to_f32(((const uint16_t *)x)[i]);
    } else if (type == CP_FLOAT16) {
        for (int64_t i = 0; i < n; i++) to[i] = cps_f16_to_f32(*(const uint16_t *)(x + i * stride));
    } else {
        for (int64_t i = 0; i < n; i++) to[i] = cps_bf16_to_f32(*(const uint16_t *)(x + i * stride));
    }
}
const cpi_reduce_widen CPI_ISA_NAME(cpi_reduce_widen) = widen;

/* --- the table --- */

#define INT_SUM(NAME, T) [CP_##NAME] = {8, sumi_run_##NAME, sumi_columns_##NAME, sumi_join},
#define INT_PROD(NAME, T) [CP_##NAME] = {8, prodi_run_##NAME, prodi_columns_##NAME, prodi_join},
#define REAL_SUM(NAME, T) [CP_##NAME] = {8, sum_run_##NAME, sum_columns_##NAME, sum_join},
#define REAL_PROD(NAME, T) [CP_##NAME] = {8, prod_run_##NAME, prod_columns_##NAME, prod_join},
#define COMPLEX_SUM(NAME, T) [CP_##NAME] = {16, csum_run_##NAME, csum_columns_##NAME, csum_join},
#define COMPLEX_PROD(NAME, T) [CP_##NAME] = {16, cprod_run_##NAME, cprod_columns_##NAME, cprod_join},
#define REAL_MOMENTS(NAME, T) [CP_##NAME] = {sizeof(cpi_moments), moments_run_##NAME, moments_columns_##NAME, moments_join},
#define COMPLEX_MOMENTS(NAME, T) [CP_##NAME] = {sizeof(cpi_moments), cmoments_run_##NAME, cmoments_columns_##NAME, moments_join},
#define COUNTER(TYPE, NAME) [CP_##TYPE] = {8, count_run_##NAME, count_columns_##NAME, sumi_join},
#define COMPLEX_COUNT(NAME, T) [CP_##NAME] = {8, ccount_run_##NAME, ccount_columns_##NAME, sumi_join},

const cpi_reduce_kernels CPI_ISA_NAME(cpi_reduce_sums) = {
    [CPI_KIND_SUM_INT] = {CPI_REDUCE_INTS(INT_SUM)},
    [CPI_KIND_PROD_INT] = {CPI_REDUCE_INTS(INT_PROD)},
    [CPI_KIND_SUM] = {CPI_REDUCE_INTS(REAL_SUM) CPI_REDUCE_FLOATS(REAL_SUM) CPI_REDUCE_COMPLEX(COMPLEX_SUM)},
    [CPI_KIND_PROD] = {CPI_REDUCE_INTS(REAL_PROD) CPI_REDUCE_FLOATS(REAL_PROD) CPI_REDUCE_COMPLEX(COMPLEX_PROD)},
    [CPI_KIND_MOMENTS] = {CPI_REDUCE_INTS(REAL_MOMENTS) CPI_REDUCE_FLOATS(REAL_MOMENTS)
                          CPI_REDUCE_COMPLEX(COMPLEX_MOMENTS)},
    [CPI_KIND_COUNT] = {COUNTER(INT8, UINT8) COUNTER(UINT8, UINT8) COUNTER(INT16, UINT16) COUNTER(UINT16, UINT16)
                        COUNTER(INT32, UINT32) COUNTER(UINT32, UINT32) COUNTER(INT64, UINT64) COUNTER(UINT64, UINT64)
                        COUNTER(FLOAT32, FLOAT32) COUNTER(FLOAT64, FLOAT64) CPI_REDUCE_COMPLEX(COMPLEX_COUNT)},
};
