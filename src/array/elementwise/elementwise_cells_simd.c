/* Special functions in vectors whose polynomials are read from tables of cells: the rows of four elements' cells are
 * loaded whole and transposed, which takes a fifth of what gathering coefficients does. The rows of cells_*.h are for
 * that; the scalar functions have some of them by power (src/base/scalar).
 *
 * A segment's elements are sorted by the method that serves them; each method has its elements side by side. Methods
 * are a cell's polynomial with series.inc's exponentials, logarithms and sines; what none serves goes through the
 * scalar function. Invariant: a result does not depend on the argument's neighbours. */
#include <math.h>
#include <string.h>

#include "elementwise/special.h"

#if defined(__FMA__) && defined(__AVX2__)
#include <immintrin.h>

#include "elementwise/cells_bessel.h"
#include "elementwise/cells_gamma.h"
#include "elementwise/cells_normal.h"
#include "scalar/bessel.h"
#include "scalar/elliptic.h"
#include "scalar/elementary.h"
#include "scalar/gamma.h"
#include "scalar/integrals_real.h"
#include "scalar/normal_real.h"

enum { SEGMENT = 256, MOST = 6 };
#define INLINE static inline __attribute__((always_inline, unused))
#include "elementwise/series_f64.inc"

typedef void (*method)(double *r, const double *x, int64_t n);

/* --- cells --- */

/* Four columns of the rows p[0] to p[3], from column j on. */
INLINE void columns_of(const double *const p[4], int j, __m256d c[4])
{
    const __m256d a = _mm256_loadu_pd(p[0] + j), b = _mm256_loadu_pd(p[1] + j);
    const __m256d d = _mm256_loadu_pd(p[2] + j), e = _mm256_loadu_pd(p[3] + j);
    const __m256d ab = _mm256_unpacklo_pd(a, b), de = _mm256_unpacklo_pd(d, e);
    const __m256d ab1 = _mm256_unpackhi_pd(a, b), de1 = _mm256_unpackhi_pd(d, e);
    c[0] = _mm256_permute2f128_pd(ab, de, 0x20);
    c[1] = _mm256_permute2f128_pd(ab1, de1, 0x20);
    c[2] = _mm256_permute2f128_pd(ab, de, 0x31);
    c[3] = _mm256_permute2f128_pd(ab1, de1, 0x31);
}
/* cps_cell of four: the columns from `first` on are the polynomial's. */
INLINE __m256d cells_of(const double *table, int count, int columns, int first, __m256d at, const double *p[4])
{
    const __m128i k = _mm_min_epu32(_mm256_cvttpd_epi32(at), _mm_set1_epi32(count - 1));
    const __m256d t = _mm256_sub_pd(_mm256_sub_pd(at, _mm256_cvtepi32_pd(k)), _mm256_set1_pd(0.5));
    p[0] = table + columns * _mm_extract_epi32(k, 0), p[1] = table + columns * _mm_extract_epi32(k, 1);
    p[2] = table + columns * _mm_extract_epi32(k, 2), p[3] = table + columns * _mm_extract_epi32(k, 3);
    __m256d c[4];
    int j = columns - 4;
    columns_of(p, j, c);
    __m256d r = c[3];
    for (int i = 2; i >= 0; i--)
        if (j + i >= first) r = _mm256_fmadd_pd(r, t, c[i]);
    while (j > first) {
        const int next = j >= 4 ? j - 4 : 0; /* the last four overlap */
        columns_of(p, next, c);
        for (int i = 3; i >= 0; i--)
            if (next + i >= first && next + i < j) r = _mm256_fmadd_pd(r, t, c[i]);
        j = next;
    }
    return r;
}
/* Arrays have room for three elements behind the n-th. */
#define CELLS(r, at, n, table)                                                                                \
    for (int64_t i_ = 0; i_ < (n); i_ += 4) {                                                                 \
        const double *p_[4];                                                                                  \
        _mm256_storeu_pd((r) + i_, cells_of(&(table)[0][0], CPS_ROWS(table), CPS_COLUMNS(table), 0,           \
                                            _mm256_loadu_pd((at) + i_), p_));                                 \
    }
/* The same where rows begin with a zero in two parts; x are the arguments. */
#define CELLS_OF_ZEROS(r, at, x, n, table)                                                                    \
    for (int64_t i_ = 0; i_ < (n); i_ += 4) {                                                                 \
        const double *p_[4];                                                                                  \
        __m256d c_[4];                                                                                        \
        const __m256d v_ = cells_of(&(table)[0][0], CPS_ROWS(table), CPS_COLUMNS(table), 2,                   \
                                    _mm256_loadu_pd((at) + i_), p_);                                          \
        columns_of(p_, 0, c_);                                                                                \
        const __m256d d_ = _mm256_sub_pd(_mm256_sub_pd(_mm256_loadu_pd((x) + i_), c_[0]), c_[1]);             \
        const __m256d none_ = _mm256_cmp_pd(c_[0], _mm256_setzero_pd(), _CMP_EQ_OQ);                          \
        _mm256_storeu_pd((r) + i_, _mm256_blendv_pd(_mm256_mul_pd(v_, d_), v_, none_));                       \
    }
#define EACH _Pragma("GCC ivdep") for (int64_t k = 0; k < n; k++)
#define SPACE (SEGMENT + 4)

INLINE double exp_square_of(double x, double scale)
{
    const double square = x * x, lost = fma(x, x, -square);
    return exp_any_f64(-square * scale) * (1 - lost * scale);
}

/* --- the error functions --- */

static void erfcx_near(double *r, const double *a, int64_t n) /* 0 to 4 */
{
    double at[SPACE] = {0};
    EACH at[k] = a[k] * 4;
    CELLS(r, at, n, cps_rows_erfcx)
}
static void erfcx_far(double *r, const double *a, int64_t n)
{
    double at[SPACE] = {0};
    EACH at[k] = 4 / (4 + a[k]) * 64;
    CELLS(r, at, n, cps_erfcx_far)
    EACH r[k] *= 4 / (4 + a[k]);
}
static void erf_near(double *r, const double *x, int64_t n)
{
    double at[SPACE] = {0};
    EACH at[k] = x[k] * x[k] * 4;
    CELLS(r, at, n, cps_erf_cells)
    EACH r[k] *= x[k];
}
INLINE void erf_tail(double *r, const double *x, int64_t n, method of, int complement)
{
    double a[SPACE] = {0}, p[SPACE];
    EACH a[k] = fabs(x[k]) < 28 ? fabs(x[k]) : 28;
    of(p, a, n);
    if (complement) {
        EACH {
            const double t = exp_square_of(a[k], 1) * p[k], tail = fabs(x[k]) > 28 ? 0 : t;
            r[k] = x[k] > 0 ? tail : 2 - tail;
        }
        return;
    }
    EACH r[k] = copysign(1 - exp_square_of(a[k], 1) * p[k], x[k]);
}
static void erf_middle(double *r, const double *x, int64_t n) { erf_tail(r, x, n, erfcx_near, 0); }
static void erf_far(double *r, const double *x, int64_t n) { erf_tail(r, x, n, erfcx_far, 0); }
static void erfc_near(double *r, const double *x, int64_t n)
{
    double p[SPACE];
    erf_near(p, x, n);
    EACH r[k] = 1 - p[k];
}
static void erfc_middle(double *r, const double *x, int64_t n) { erf_tail(r, x, n, erfcx_near, 1); }
static void erfc_far(double *r, const double *x, int64_t n) { erf_tail(r, x, n, erfcx_far, 1); }
static void ndtr_near(double *r, const double *x, int64_t n)
{
    double t[SPACE] = {0}, p[SPACE];
    EACH t[k] = x[k] * CPS_SQRT_HALF;
    erf_near(p, t, n);
    EACH r[k] = 0.5 + 0.5 * p[k];
}
INLINE void ndtr_tail(double *r, const double *x, int64_t n, method of)
{
    double a[SPACE] = {0}, p[SPACE];
    EACH a[k] = (fabs(x[k]) < 40 ? fabs(x[k]) : 40) * CPS_SQRT_HALF;
    of(p, a, n);
    EACH {
        const double t = 0.5 * exp_square_of(fabs(x[k]) < 40 ? x[k] : 40, 0.5) * p[k], tail = fabs(x[k]) > 40 ? 0 : t;
        r[k] = x[k] < 0 ? tail : 1 - tail;
    }
}
static void ndtr_middle(double *r, const double *x, int64_t n) { ndtr_tail(r, x, n, erfcx_near); }
static void ndtr_far(double *r, const double *x, int64_t n) { ndtr_tail(r, x, n, erfcx_far); }

static void ndtr_segment(double *r, const double *x, int64_t n);
/* log_ndtr: of x >= 0, of -1 to 0, and below */
static void log_ndtr_near(double *r, const double *x, int64_t n)
{
    double p[SPACE], y[SPACE] = {0};
    EACH y[k] = -x[k];
    ndtr_segment(p, y, n);
    EACH r[k] = log1p_f64(-p[k]);
}
static void log_ndtr_middle(double *r, const double *x, int64_t n)
{
    double p[SPACE];
    ndtr_segment(p, x, n);
    EACH r[k] = log_any_f64(p[k]);
}
INLINE void log_ndtr_tail(double *r, const double *x, int64_t n, method of)
{
    double a[SPACE] = {0}, p[SPACE];
    EACH a[k] = -x[k] * CPS_SQRT_HALF;
    of(p, a, n);
    EACH r[k] = log_any_f64(0.5 * p[k]) - 0.5 * x[k] * x[k];
}
static void log_ndtr_low(double *r, const double *x, int64_t n) { log_ndtr_tail(r, x, n, erfcx_near); }
static void log_ndtr_far(double *r, const double *x, int64_t n) { log_ndtr_tail(r, x, n, erfcx_far); }

/* ndtri of 1/2 + q, and -ndtri of exp(-r^2) */
static void ndtri_middle(double *r, const double *q, int64_t n)
{
    double at[SPACE] = {0};
    EACH at[k] = q[k] * q[k] * 64;
    CELLS(r, at, n, cps_rows_ndtri)
    EACH r[k] *= q[k];
}
static void ndtri_outer(double *r, const double *p, int64_t n) /* of probabilities */
{
    double root[SPACE] = {0}, at[SPACE] = {0};
    EACH root[k] = sqrt(-log_any_f64(p[k]));
    EACH at[k] = (root[k] - 1.5) * 4;
    CELLS(r, at, n, cps_ndtri_tail)
    EACH r[k] *= root[k];
}
static void ndtri_near(double *r, const double *p, int64_t n)
{
    double q[SPACE] = {0};
    EACH q[k] = p[k] - 0.5;
    ndtri_middle(r, q, n);
}
static void ndtri_far(double *r, const double *p, int64_t n)
{
    double t[SPACE] = {0}, v[SPACE];
    EACH t[k] = p[k] < 0.5 ? p[k] : 1 - p[k];
    ndtri_outer(v, t, n);
    EACH r[k] = p[k] < 0.5 ? -v[k] : v[k];
}
static void erfinv_near(double *r, const double *y, int64_t n)
{
    double q[SPACE] = {0}, v[SPACE];
    EACH q[k] = 0.5 * fabs(y[k]);
    ndtri_middle(v, q, n);
    EACH r[k] = copysign(v[k] * CPS_SQRT_HALF, y[k]);
}
static void erfinv_far(double *r, const double *y, int64_t n)
{
    double t[SPACE] = {0}, v[SPACE];
    EACH t[k] = 0.5 * (1 - fabs(y[k]));
    ndtri_outer(v, t, n);
    EACH r[k] = copysign(v[k] * CPS_SQRT_HALF, y[k]);
}

/* --- Bessel functions --- */

#define NEAR(name, table, factor)                                  \
    static void name(double *r, const double *x, int64_t n)        \
    {                                                              \
        double a[SPACE] = {0}, at[SPACE] = {0};                      \
        EACH a[k] = fabs(x[k]);                                    \
        EACH at[k] = a[k] * 2;                                     \
        CELLS_OF_ZEROS(r, at, a, n, table)                         \
        EACH r[k] *= factor;                                       \
    }
NEAR(j0_near, cps_rows_j0, 1)
NEAR(j1_near, cps_rows_j1, x[k])
#undef NEAR
#define MIDDLE(name, table, first, per)                            \
    static void name(double *r, const double *x, int64_t n)        \
    {                                                              \
        double a[SPACE] = {0}, at[SPACE] = {0};                      \
        EACH a[k] = x[k];                                          \
        EACH at[k] = (a[k] - first) * per;                         \
        CELLS_OF_ZEROS(r, at, a, n, table)                         \
    }
MIDDLE(y0_middle, cps_rows_y0_middle, 0.5, 8)
MIDDLE(y1_middle, cps_rows_y1_middle, 0.5, 8)
MIDDLE(y0_outer, cps_rows_y0, 2, 2)
MIDDLE(y1_outer, cps_rows_y1, 2, 2)
#undef MIDDLE
/* From 8 on; J or Y of either order. */
#define FAR(name, p_table, q_table, SUM)                                                             \
    static void name(double *r, const double *x, int64_t n)                                          \
    {                                                                                                \
        double at[SPACE] = {0}, p[SPACE], q[SPACE];                                                     \
        EACH at[k] = 1 / fabs(x[k]) * 32;                                                            \
        CELLS(p, at, n, p_table)                                                                     \
        CELLS(q, at, n, q_table)                                                                     \
        EACH {                                                                                       \
            const double a = fabs(x[k]), s = sin_of_f64(a), c = cos_of_f64(a), u = q[k] * (1 / a);   \
            const double f = 1 / sqrt(CPS_PI) / sqrt(a), sum = f * (s + c), less = f * (s - c);      \
            r[k] = SUM;                                                                              \
        }                                                                                            \
    }
FAR(j0_far, cps_rows_p0, cps_rows_q0, p[k] * sum - u * less)
FAR(j1_far, cps_rows_p1, cps_rows_q1, copysign(1.0, x[k]) * (p[k] * less + u * sum))
FAR(y0_far, cps_rows_p0, cps_rows_q0, p[k] * less + u * sum)
FAR(y1_far, cps_rows_p1, cps_rows_q1, u * less - p[k] * sum)
#undef FAR

static void i0_near(double *r, const double *x, int64_t n)
{
    double at[SPACE] = {0};
    EACH at[k] = fabs(x[k]) * 2;
    CELLS(r, at, n, cps_rows_i0e)
    EACH r[k] *= exp_any_f64(fabs(x[k]));
}
static void i0_far(double *r, const double *x, int64_t n) /* to 700 */
{
    double at[SPACE] = {0};
    EACH at[k] = 1 / fabs(x[k]) * 128;
    CELLS(r, at, n, cps_i0e_far)
    EACH r[k] = r[k] / sqrt(fabs(x[k])) * exp_any_f64(fabs(x[k]));
}

/* --- the dilogarithm, and (exp(x) - 1) / x --- */

INLINE void spence_cells(double *r, const double *x, int64_t n) /* 1/2 to 2 */
{
    double at[SPACE] = {0};
    EACH at[k] = (x[k] - 0.5) * 8;
    CELLS(r, at, n, cps_spence_cells)
    EACH r[k] *= 1 - x[k];
}
static void spence_low(double *r, const double *x, int64_t n) /* below 1/2, above 0 */
{
    double at[SPACE] = {0}, p[SPACE];
    EACH at[k] = (1 - x[k] - 0.5) * 8;
    CELLS(p, at, n, cps_spence_cells)
    EACH r[k] = CPS_PI * CPS_PI / 6 - log_any_f64(x[k]) * log1p_f64(-x[k]) - x[k] * p[k];
}
static void spence_high(double *r, const double *x, int64_t n) /* above 2 */
{
    double u[SPACE] = {0}, at[SPACE] = {0}, p[SPACE];
    EACH u[k] = 1 / x[k];
    EACH at[k] = ((u[k] < 0.5 ? 1 - u[k] : u[k]) - 0.5) * 8;
    CELLS(p, at, n, cps_spence_cells)
    EACH {
        const double l = log_any_f64(x[k]), near = (1 - u[k]) * p[k];
        const double low = CPS_PI * CPS_PI / 6 + l * log1p_f64(-u[k]) - u[k] * p[k];
        r[k] = -0.5 * l * l - (u[k] < 0.5 ? low : near);
    }
}
static void spence_near(double *r, const double *x, int64_t n) { spence_cells(r, x, n); }
static void exprel_any(double *r, const double *x, int64_t n)
{
    EACH r[k] = fabs(x[k]) < 1e-17 ? 1 : expm1_f64(x[k]) / x[k];
}

/* --- elliptic integrals, for 0 <= m < 1 --- */

static void ellipk_near(double *r, const double *m, int64_t n)
{
    double at[SPACE] = {0};
    EACH at[k] = m[k] * 32;
    CELLS(r, at, n, cps_rows_ellipk)
}
static void ellipk_far(double *r, const double *m, int64_t n)
{
    double at[SPACE] = {0}, l[SPACE];
    EACH at[k] = (1 - m[k]) * 32;
    CELLS(r, at, n, cps_ellipk_rest)
    CELLS(l, at, n, cps_ellipk_log)
    EACH r[k] -= log_any_f64(1 - m[k]) * l[k];
}
static void ellipe_near(double *r, const double *m, int64_t n)
{
    double at[SPACE] = {0};
    EACH at[k] = m[k] * 32;
    CELLS(r, at, n, cps_ellipe_cells)
}
static void ellipe_far(double *r, const double *m, int64_t n)
{
    double p[SPACE] = {0}, at[SPACE] = {0}, whole[SPACE], kp[SPACE], ep[SPACE];
    ellipk_far(whole, m, n);
    EACH p[k] = 1 - m[k];
    EACH at[k] = p[k] * 32;
    CELLS(kp, at, n, cps_rows_ellipk)
    CELLS(ep, at, n, cps_ellipe_cells)
    EACH r[k] = (0.5 * CPS_PI + whole[k] * (kp[k] - ep[k])) / kp[k];
}

/* --- the gamma function's, for x > 0 --- */

static void gamma_near(double *r, const double *x, int64_t n)
{
    double at[SPACE] = {0}, p[SPACE];
    EACH at[k] = (x[k] - (x[k] < 1 ? 0.0 : 1.0)) * 4;
    CELLS(p, at, n, cps_rows_gamma)
    EACH r[k] = x[k] < 1 ? p[k] / x[k] : p[k];
}
static void gammaln_tiny(double *r, const double *x, int64_t n) /* below 1/2 */
{
    double at[SPACE] = {0}, p[SPACE];
    EACH at[k] = (x[k] - -0.5) * 4;
    CELLS(p, at, n, cps_rows_lgamma)
    EACH r[k] = x[k] * (x[k] - 1) * p[k] - log_any_f64(x[k]);
}
static void gammaln_near(double *r, const double *x, int64_t n) /* below 8 */
{
    double at[SPACE] = {0}, p[SPACE];
    EACH at[k] = (x[k] - 0.5) * 4;
    CELLS(p, at, n, cps_rows_lgamma)
    EACH r[k] = (x[k] - 1) * (x[k] - 2) * p[k];
}
static void gammaln_far(double *r, const double *x, int64_t n)
{
    EACH r[k] = (x[k] - 0.5) * (log_any_f64(x[k]) - 1) + (cps_stirling(x[k]) + (0.5 * CPS_LOG_2PI - 0.5));
}
static void digamma_near(double *r, const double *x, int64_t n)
{
    const double zero = 1.4616321449683622, zero_low = 9.549995429965697e-17;
    double at[SPACE] = {0}, p[SPACE];
    EACH at[k] = (x[k] < 1 ? x[k] : x[k] - 1) * 4;
    CELLS(p, at, n, cps_rows_digamma)
    EACH {
        const double near = (x[k] < 1 ? x[k] + 1 - zero : x[k] - zero) - zero_low;
        r[k] = near * p[k] + (x[k] < 1 ? -1 / x[k] : 0);
    }
}
static void digamma_far(double *r, const double *x, int64_t n)
{
    EACH r[k] = log_any_f64(x[k]) - 0.5 / x[k] - cps_digamma_rest(x[k]);
}

/* --- methods by argument --- */

/* `which`: the number of the method of each element, of which those from `count` on are the scalar function's. */
static void by_method(double *r, const double *x, int64_t n, const uint8_t *which, int count, const method *of,
                      double (*scalar)(double))
{
    uint16_t place[SEGMENT];
    double a[SPACE] = {0}, v[SPACE];
    for (int m = 0; m <= count; m++) {
        int64_t some = 0;
        for (int64_t k = 0; k < n; k++) place[some] = (uint16_t)k, some += which[k] == m;
        if (some == 0) continue;
        if (m == count) {
            for (int64_t k = 0; k < some; k++) r[place[k]] = scalar(x[place[k]]);
            continue;
        }
        if (some == n) {
            of[m](v, x, n);
            memcpy(r, v, (size_t)n * sizeof *r);
            return;
        }
        for (int64_t k = 0; k < some; k++) a[k] = x[place[k]];
        of[m](v, a, some);
        for (int64_t k = 0; k < some; k++) r[place[k]] = v[k];
    }
}
/* What CHOICE of x, the number of a method, is. */
#define FUNCTION(name, CHOICE, ...) FUNCTION_OF(name, cps_##name, CHOICE, __VA_ARGS__)
#define FUNCTION_OF(name, function, CHOICE, ...)                                                  \
    static double name##_scalar(double x) { return function(x); }                                 \
    static void name##_segment(double *r, const double *a, int64_t n)                             \
    {                                                                                             \
        static const method of[] = {__VA_ARGS__};                                                 \
        enum { none = sizeof of / sizeof *of };                                                   \
        uint8_t which[SEGMENT];                                                                   \
        EACH {                                                                                    \
            const double x = a[k];                                                                \
            which[k] = (uint8_t)(CHOICE);                                                         \
        }                                                                                         \
        by_method(r, a, n, which, none, of, name##_scalar);                                       \
    }                                                                                             \
    KERNELS(name, f64)                                                                            \
    KERNELS(name, f32)
#define KERNELS(name, t)                                                                          \
    void CPI_ISA_NAME(cpi_special_##name##_##t)(void *const *op, int64_t n, unsigned s)           \
    {                                                                                             \
        (void)s;                                                                                  \
        by_segments_##t(op[0], op[1], n, name##_segment);                                         \
    }

static void by_segments_f64(double *out, const double *a, int64_t n, method f)
{
    double x[SPACE] = {0}, r[SPACE];
    for (int64_t i = 0; i < n; i += SEGMENT) {
        const int64_t m = n - i < SEGMENT ? n - i : SEGMENT;
        memcpy(x, a + i, (size_t)m * sizeof *x); /* out may be a */
        f(r, x, m);
        memcpy(out + i, r, (size_t)m * sizeof *r);
    }
}
static void by_segments_f32(float *out, const float *a, int64_t n, method f)
{
    double x[SPACE] = {0}, r[SPACE];
    for (int64_t i = 0; i < n; i += SEGMENT) {
        const int64_t m = n - i < SEGMENT ? n - i : SEGMENT;
        for (int64_t k = 0; k < m; k++) x[k] = a[i + k];
        f(r, x, m);
        for (int64_t k = 0; k < m; k++) out[i + k] = (float)r[k];
    }
}

#define OF_SIZE(x, first) (fabs(x) < (first) ? 0 : fabs(x) < 4 ? 1 : (x) == (x) ? 2 : none)
FUNCTION(erf, OF_SIZE(x, 1), erf_near, erf_middle, erf_far)
FUNCTION(erfc, OF_SIZE(x, 0.5), erfc_near, erfc_middle, erfc_far)
FUNCTION(ndtr, fabs(x) < 0.5 ? 0 : fabs(x) * CPS_SQRT_HALF < 4 ? 1 : x == x ? 2 : none, ndtr_near, ndtr_middle,
         ndtr_far)
FUNCTION(ndtri, fabs(x - 0.5) < 0.42 ? 0 : (x > 0) & (x < 1) ? 1 : none, ndtri_near, ndtri_far)
FUNCTION(erfinv, fabs(x) < 0.84 ? 0 : fabs(x) < 1 ? 1 : none, erfinv_near, erfinv_far)
FUNCTION(j0, fabs(x) < 8 ? 0 : fabs(x) < 1e14 ? 1 : none, j0_near, j0_far)
FUNCTION(j1, fabs(x) < 8 ? 0 : fabs(x) < 1e14 ? 1 : none, j1_near, j1_far)
#define OF_Y(x) (!((x) >= 0.5) ? none : (x) < 2 ? 0 : (x) < 8 ? 1 : (x) < 1e14 ? 2 : none)
FUNCTION(y0, OF_Y(x), y0_middle, y0_outer, y0_far)
FUNCTION(y1, OF_Y(x), y1_middle, y1_outer, y1_far)
#define OF_M(x, half) ((half) & ((x) >= 0) ? 0 : ((x) > 0) & ((x) < 1) ? 1 : none)
FUNCTION(ellipk, OF_M(x, x < 0.5), ellipk_near, ellipk_far)
FUNCTION(ellipe, OF_M(x, x <= 0.5), ellipe_near, ellipe_far)
FUNCTION(gamma, (x > 0) & (x < 20) ? 0 : none, gamma_near)
FUNCTION(gammaln, !((x > 0) & (x < 1e17)) ? none : x < 0.5 ? 0 : x < 8 ? 1 : 2, gammaln_tiny, gammaln_near, gammaln_far)
FUNCTION(digamma, !((x > 0) & (x < 1e300)) ? none : x < 8 ? 0 : 1, digamma_near, digamma_far)
FUNCTION(loggamma, !((x > 0) & (x < 1e17)) ? none : x < 0.5 ? 0 : x < 8 ? 1 : 2, gammaln_tiny, gammaln_near,
         gammaln_far)
FUNCTION(log_ndtr, !(x > -1e150) ? none : x >= 0 ? 0 : x > -1 ? 1 : -x * CPS_SQRT_HALF < 4 ? 2 : 3, log_ndtr_near,
         log_ndtr_middle, log_ndtr_low, log_ndtr_far)
FUNCTION_OF(i0, cps_i0_f64, fabs(x) < 8 ? 0 : fabs(x) < 700 ? 1 : none, i0_near, i0_far)
FUNCTION(spence, !((x > 0) & (x < 1e300)) ? none : x < 0.5 ? 0 : x <= 2 ? 1 : 2, spence_low, spence_near, spence_high)
FUNCTION(exprel, (fabs(x) < 600) ? 0 : none, exprel_any)
#else
typedef int cpi_cells_no_avx2; /* the scalar bodies serve */
#endif
