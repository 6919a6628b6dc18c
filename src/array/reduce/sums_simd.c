/* Moments of real numbers, sums of float32, sums and products of integers of at most 16 bits and counts, where
 * kernels written by hand beat those made from the rows; compiled once per instruction set.
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

/* --- sums of integers of at most 16 bits, in lanes twice as wide, which a block of 1024 cannot fill --- */

#define SUM_NARROW(NAME, T, WIDE)                                                                             \
    static void sum_run_##NAME(const void *data, int64_t n, int64_t base, const double *shift, void *acc)     \
    {                                                                                                         \
        enum { L = 64 / sizeof(WIDE) };                                                                       \
        typedef WIDE wide __attribute__((vector_size(64)));                                                   \
        typedef T narrow __attribute__((vector_size(L * sizeof(T))));                                         \
        const T *x = data;                                                                                    \
        wide a0 = {0}, a1 = a0;                                                                               \
        narrow v0, v1;                                                                                        \
        int64_t i = 0;                                                                                        \
        (void)base, (void)shift;                                                                              \
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
SUM_NARROW(INT8, int8_t, int16_t)
SUM_NARROW(UINT8, uint8_t, uint16_t)
SUM_NARROW(INT16, int16_t, int32_t)
SUM_NARROW(UINT16, uint16_t, uint32_t)

/* --- products of the same, which widen to 64 bits in one step --- */

#define PRODUCT_NARROW(NAME, T)                                                                               \
    static void product_run_##NAME(const void *data, int64_t n, int64_t base, const double *shift, void *acc) \
    {                                                                                                         \
        const T *x = data;                                                                                    \
        vuint a0 = 1 - (vuint){0}, a1 = a0;                                                                   \
        v_##NAME v0, v1;                                                                                      \
        int64_t i = 0;                                                                                        \
        (void)base, (void)shift;                                                                              \
        for (; i + 2 * LANES <= n; i += 2 * LANES) {                                                          \
            CPI_REDUCE_FETCH(x + i, 2 * sizeof v0);                                                           \
            memcpy(&v0, x + i, sizeof v0), memcpy(&v1, x + i + LANES, sizeof v1);                             \
            a0 *= __builtin_convertvector(v0, vuint), a1 *= __builtin_convertvector(v1, vuint);               \
        }                                                                                                     \
        a0 *= a1;                                                                                             \
        uint64_t s = ((a0[0] * a0[1]) * (a0[2] * a0[3])) * ((a0[4] * a0[5]) * (a0[6] * a0[7]));               \
        for (; i < n; i++) s *= (uint64_t)x[i];                                                               \
        memcpy(acc, &s, sizeof s);                                                                            \
    }
PRODUCT_NARROW(INT8, int8_t)
PRODUCT_NARROW(UINT8, uint8_t)
PRODUCT_NARROW(INT16, int16_t)
PRODUCT_NARROW(UINT16, uint16_t)

/* --- counts, in lanes of the elements' width: of integers, and of other numbers by their bits without the signs --- */

#define COUNT(NAME, T, SIGNED, BITS)                                                                          \
    static void count_run_##NAME(const void *data, int64_t n, int64_t base, const double *shift, void *acc)   \
    {                                                                                                         \
        enum { L = CPI_REGISTER / sizeof(T) };                                                                \
        typedef T lanes __attribute__((vector_size(CPI_REGISTER)));                                           \
        typedef SIGNED marks __attribute__((vector_size(CPI_REGISTER)));                                      \
        const T *x = data;                                                                                    \
        marks a = {0};                                                                                        \
        lanes v;                                                                                              \
        int64_t i = 0, count = 0;                                                                             \
        (void)base, (void)shift;                                                                              \
        for (; i + L <= n; i += L) {                                                                          \
            memcpy(&v, x + i, sizeof v);                                                                      \
            a -= (marks)((v & (T)(BITS)) != 0);                                                               \
        }                                                                                                     \
        for (int l = 0; l < L; l++) count += a[l];                                                            \
        for (; i < n; i++) count += (x[i] & (T)(BITS)) != 0;                                                  \
        memcpy(acc, &count, sizeof count);                                                                    \
    }
COUNT(UINT8, uint8_t, int8_t, -1)
COUNT(UINT16, uint16_t, int16_t, -1)
COUNT(UINT32, uint32_t, int32_t, -1)
COUNT(UINT64, uint64_t, int64_t, -1)
COUNT(FLOAT32, uint32_t, int32_t, INT32_MAX)
COUNT(FLOAT64, uint64_t, int64_t, INT64_MAX)
COUNT(COMPLEX64, uint64_t, int64_t, 0x7fffffff7fffffff)

static void count_run_COMPLEX128(const void *data, int64_t n, int64_t base, const double *shift, void *acc)
{
    const uint64_t *x = data;
    vuint v, w, a = {0};
    int64_t i = 0;
    (void)base, (void)shift;
    for (; i + LANES <= n; i += LANES) {
        memcpy(&v, x + 2 * i, sizeof v), memcpy(&w, x + 2 * i + LANES, sizeof w);
        vuint either = __builtin_shufflevector(v, w, 0, 2, 4, 6, 8, 10, 12, 14) |
                       __builtin_shufflevector(v, w, 1, 3, 5, 7, 9, 11, 13, 15);
        either <<= 1;
        a += (either | -either) >> 63; /* 1 where it is not 0 */
    }
    uint64_t count = 0;
    for (int l = 0; l < LANES; l++) count += a[l];
    for (; i < n; i++) count += ((x[2 * i] | x[2 * i + 1]) << 1) != 0;
    memcpy(acc, &count, sizeof count);
}

#define across(v) ({ vdouble u = (v); ((u[0] + u[1]) + (u[2] + u[3])) + ((u[4] + u[5]) + (u[6] + u[7])); })

#define LOAD(v, p) (memcpy(&(v), (p), sizeof(v)), __builtin_convertvector((v), vdouble))

/* As many elements as a register holds doubles: GCC takes longer vectors through memory where it widens them. */
enum { WIDTH = CPI_REGISTER / sizeof(double), PARTS = 4 * LANES / WIDTH };
typedef double vwide __attribute__((vector_size(CPI_REGISTER)));
#if CPI_REGISTER == 16
#define WIDENED(NAME, T) \
    static inline vwide widened_##NAME(const T *x) { return (vwide){(double)x[0], (double)x[1]}; }
WIDENED(FLOAT32, float)
#else
#define WIDENED(NAME, T)                                                                                      \
    static inline vwide widened_##NAME(const T *x)                                                            \
    {                                                                                                         \
        T __attribute__((vector_size(WIDTH * sizeof(T)))) v;                                                  \
        memcpy(&v, x, sizeof v);                                                                              \
        return __builtin_convertvector(v, vwide);                                                             \
    }
static inline vwide widened_FLOAT32(const float *x) /* of which compilers make two steps */
{
#if CPI_REGISTER == 64
    return (vwide)_mm512_cvtps_pd(_mm256_loadu_ps(x));
#else
    return (vwide)_mm256_cvtps_pd(_mm_loadu_ps(x));
#endif
}
#endif
CPI_REDUCE_INTS(WIDENED)
WIDENED(FLOAT64, double)

/* --- sums of float32 --- */

static void sum_run_FLOAT32(const void *data, int64_t n, int64_t base, const double *shift, void *acc)
{
    const float *x = data;
    vwide a[PARTS];
    vdouble lanes[4];
    int64_t i = 0;
    (void)base, (void)shift;
    for (int k = 0; k < PARTS; k++) a[k] = -0.0 - (vwide){0}; /* -0.0 keeps the sign of a zero */
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        CPI_REDUCE_FETCH(x + i, 4 * LANES * sizeof *x);
        for (int k = 0; k < PARTS; k++) a[k] += widened_FLOAT32(x + i + k * WIDTH);
    }
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < PARTS / 4; k++) a[k] += widened_FLOAT32(x + i + k * WIDTH);
    memcpy(lanes, a, sizeof lanes);
    double s = across((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
    for (; i < n; i++) s += (double)x[i];
    memcpy(acc, &s, sizeof s);
}

static void sum_columns_FLOAT32(const void *data, int64_t pitch, int64_t rows, int64_t cols, int64_t base,
                                const double *shift, void *acc)
{
    const char *at = data;
    double *restrict a = acc;
    int64_t i = 0;
    (void)base, (void)shift;
    for (int64_t j = 0; j < cols; j++) a[j] = -0.0;
    for (; i + 4 <= rows; i += 4, at += 4 * pitch) {
        const float *p = (const float *)at, *q = (const float *)(at + pitch);
        const float *r = (const float *)(at + 2 * pitch), *s = (const float *)(at + 3 * pitch);
        int64_t j = 0;
        for (; j + LANES <= cols; j += LANES) {
            vdouble sum;
            v_FLOAT32 u, v, w, x;
            memcpy(&sum, a + j, sizeof sum);
            for (int k = 4; k < 8; k++) __builtin_prefetch((const char *)(p + j) + k * pitch);
            sum += (LOAD(u, p + j) + LOAD(v, q + j)) + (LOAD(w, r + j) + LOAD(x, s + j));
            memcpy(a + j, &sum, sizeof sum);
        }
        for (; j < cols; j++) a[j] += ((double)p[j] + (double)q[j]) + ((double)r[j] + (double)s[j]);
    }
    for (; i < rows; i++, at += pitch)
        for (int64_t j = 0; j < cols; j++) a[j] += (double)((const float *)at)[j];
}

/* --- moments: exact mean of the block, then the deviations from it, while the block is in cache --- */

#define MOMENTS(NAME, T)                                                                                      \
    static void moments_run_##NAME(const void *data, int64_t n, int64_t base, const double *shift, void *acc) \
    {                                                                                                         \
        const T *x = data;                                                                                    \
        (void)base;                                                                                           \
        double k = shift[0], s = 0, q = 0, c = 0;                                                             \
        vdouble lanes[4];                                                                                     \
        vwide a[PARTS] = {{0}}, qs[PARTS / 2] = {{0}}, cs[PARTS / 2] = {{0}};                                 \
        int64_t i = 0, whole = n / (4 * LANES) * (4 * LANES);                                                 \
        for (; i < whole; i += 4 * LANES) {                                                                   \
            CPI_REDUCE_FETCH(x + i, 4 * LANES * sizeof *x);                                                   \
            for (int p = 0; p < PARTS; p++) a[p] += widened_##NAME(x + i + p * WIDTH) - k;                    \
        }                                                                                                     \
        memcpy(lanes, a, sizeof a);                                                                           \
        s = across((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));                                            \
        for (; i < n; i++) s += (double)x[i] - k;                                                             \
        double mean = n ? s / (double)n : 0;                                                                  \
        for (i = 0; i < whole; i += 2 * LANES)                                                                \
            for (int p = 0; p < PARTS / 2; p++) {                                                             \
                vwide d = (widened_##NAME(x + i + p * WIDTH) - k) - mean;                                     \
                qs[p] += d * d, cs[p] += d;                                                                   \
            }                                                                                                 \
        memcpy(lanes, qs, sizeof qs), memcpy(lanes + 2, cs, sizeof cs);                                       \
        q = across(lanes[0] + lanes[1]), c = across(lanes[2] + lanes[3]);                                     \
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

/* --- half types --- */

/* float16 lying side by side, for which processors have an instruction; says how many it did. */
static int64_t widen_near_f16(const char *x, int64_t n, float *to)
{
    int64_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(x + 2 * i))));
#endif
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8) _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(x + 2 * i))));
    for (; i < n; i++) to[i] = _cvtsh_ss(((const uint16_t *)(const void *)x)[i]);
#else
    (void)x, (void)n, (void)to;
#endif
    return i;
}

/* a step that the compiler knows lets it use vectors */
#define WIDEN(A, s)                                                                                                    \
    case CPS_ENUM_##s:                                                                                                 \
        if (stride == (int64_t)sizeof(CPS_CTYPE_##s))                                                                  \
            for (; i < n; i++) to[i] = cps_##s##_to_f32(((const CPS_CTYPE_##s *)x)[i]);                                \
        for (; i < n; i++) to[i] = cps_##s##_to_f32(*(const CPS_CTYPE_##s *)(x + i * stride));                         \
        break;
static void widen(cp_type type, const char *x, int64_t stride, int64_t n, float *to)
{
    int64_t i = type == CP_FLOAT16 && stride == 2 ? widen_near_f16(x, n, to) : 0;
    switch ((int)type) {
        CPS_HALVES(WIDEN, )
    }
}
const cpi_reduce_widen CPI_ISA_NAME(cpi_reduce_widen) = widen;

/* --- the tables; what a hand-written kernel leaves out is the row's --- */

#define MOMENTS_OF(NAME, T)                                                                                            \
    [CP_##NAME] = {sizeof(cpi_moments), moments_run_##NAME, moments_columns_##NAME, moments_join},
static const cpi_reduce_kernel sums[CP_NTYPES] = {
    [CP_INT8] = {8, .run = sum_run_INT8},
    [CP_UINT8] = {8, .run = sum_run_UINT8},
    [CP_INT16] = {8, .run = sum_run_INT16},
    [CP_UINT16] = {8, .run = sum_run_UINT16},
};
static const cpi_reduce_kernel products[CP_NTYPES] = {
    [CP_INT8] = {8, .run = product_run_INT8},
    [CP_UINT8] = {8, .run = product_run_UINT8},
    [CP_INT16] = {8, .run = product_run_INT16},
    [CP_UINT16] = {8, .run = product_run_UINT16},
};
static const cpi_reduce_kernel floating_sums[CP_NTYPES] = {
    [CP_FLOAT32] = {8, .run = sum_run_FLOAT32, .columns = sum_columns_FLOAT32},
};
static const cpi_reduce_kernel counts[CP_NTYPES] = {
    [CP_INT8] = {8, .run = count_run_UINT8},
    [CP_UINT8] = {8, .run = count_run_UINT8},
    [CP_INT16] = {8, .run = count_run_UINT16},
    [CP_UINT16] = {8, .run = count_run_UINT16},
    [CP_INT32] = {8, .run = count_run_UINT32},
    [CP_UINT32] = {8, .run = count_run_UINT32},
    [CP_INT64] = {8, .run = count_run_UINT64},
    [CP_UINT64] = {8, .run = count_run_UINT64},
    [CP_FLOAT32] = {8, .run = count_run_FLOAT32},
    [CP_FLOAT64] = {8, .run = count_run_FLOAT64},
    [CP_COMPLEX64] = {8, .run = count_run_COMPLEX64},
    [CP_COMPLEX128] = {8, .run = count_run_COMPLEX128},
};
static const cpi_reduce_kernel moments[CP_NTYPES] = {CPI_REDUCE_INTS(MOMENTS_OF) CPI_REDUCE_FLOATS(MOMENTS_OF)};

const cpi_reduce_kernels CPI_ISA_NAME(cpi_reduce_sums) = {
    [CPI_REDUCER_SUM][0] = floating_sums, [CPI_REDUCER_SUM][1] = sums,
    [CPI_REDUCER_PRODUCT][1] = products,
    [CPI_REDUCER_COUNT][0] = counts, [CPI_REDUCER_MOMENTS][0] = moments,
};
