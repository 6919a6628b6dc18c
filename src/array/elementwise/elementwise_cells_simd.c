/* Special functions in vectors whose polynomials are read from tables of cells: the rows of four elements' cells are
 * loaded whole and transposed, which takes a fifth of what gathering coefficients does. The rows of cells_*.h are for
 * that; the scalar functions have some of them by power (src/base/scalar).
 *
 * Most functions are one method, a row of a table, for nearly all arguments, so that nothing depends on their order.
 * A segment's other elements are sorted by the method that serves them; each method has its elements side by side.
 * Methods are a row's polynomial with series.inc's exponentials, logarithms and sines; what none serves goes through
 * the scalar function. Invariant: a result does not depend on the argument's neighbours. */
#include <math.h>
#include <string.h>

#include "elementwise/special.h"

#if defined(__FMA__) && defined(__AVX2__)
#include <immintrin.h>

#include "elementwise/cells_bessel.h"
#include "elementwise/cells_bessel_j.h"
#include "elementwise/cells_bessel_y.h"
#include "elementwise/cells_elliptic.h"
#include "elementwise/cells_gamma.h"
#include "elementwise/cells_normal.h"
#include "scalar/bessel.h"
#include "scalar/distributions.h"
#include "scalar/elliptic.h"
#include "scalar/elementary.h"
#include "scalar/gamma.h"
#include "scalar/integrals_real.h"
#include "scalar/normal_real.h"

enum { SEGMENT = 256 };
#define INLINE static inline __attribute__((always_inline, unused))
#include "elementwise/series_f64.inc"

typedef void (*method)(double *r, const double *x, int64_t n);

/* --- cells --- */

/* Two columns of the rows p[0] to p[3], from column j on. */
INLINE void pair_of(const double *const p[4], int j, __m256d c[2])
{
    const __m256d a = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p[0] + j)), _mm_loadu_pd(p[2] + j), 1);
    const __m256d b = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p[1] + j)), _mm_loadu_pd(p[3] + j), 1);
    c[0] = _mm256_unpacklo_pd(a, b);
    c[1] = _mm256_unpackhi_pd(a, b);
}
INLINE void columns_of(const double *const p[4], int j, __m256d c[4])
{
    pair_of(p, j, c);
    pair_of(p, j + 2, c + 2);
}
/* cps_cell of four */
INLINE __m256d cells_of(const double *table, int count, int columns, __m256d at)
{
    const __m128i k = _mm_min_epu32(_mm256_cvttpd_epi32(at), _mm_set1_epi32(count - 1));
    const __m256d t = _mm256_sub_pd(_mm256_sub_pd(at, _mm256_cvtepi32_pd(k)), _mm256_set1_pd(0.5));
    const double *const p[4] = {table + columns * _mm_extract_epi32(k, 0), table + columns * _mm_extract_epi32(k, 1),
                                table + columns * _mm_extract_epi32(k, 2), table + columns * _mm_extract_epi32(k, 3)};
    __m256d c[4];
    int j = columns - 4;
    columns_of(p, j, c);
    __m256d r = c[3];
    for (int i = 2; i >= 0; i--) r = _mm256_fmadd_pd(r, t, c[i]);
    while (j > 0) {
        const int next = j >= 4 ? j - 4 : 0; /* the last four overlap */
        columns_of(p, next, c);
        for (int i = 3; i >= 0; i--)
            if (next + i < j) r = _mm256_fmadd_pd(r, t, c[i]);
        j = next;
    }
    return r;
}
/* Arrays have room for three elements behind the n-th. */
#define CELLS(r, at, n, table)                                                                                    \
    for (int64_t i_ = 0; i_ < (n); i_ += 4)                                                                       \
        _mm256_storeu_pd((r) + i_, cells_of(&(table)[0][0], CPS_ROWS(table), CPS_COLUMNS(table),                  \
                                            _mm256_loadu_pd((at) + i_)));
/* The polynomials of rows row[i] in x[i]; with_origin: in x[i] less the row's first two numbers. There are two chains
 * of operations but for the last ones, whose errors count. */
INLINE void rows_of(double *r, const int64_t *row, const double *x, int64_t n, const double *table, int columns,
                    bool with_origin)
{
    const int first = with_origin ? 2 : 0;
    for (int64_t i = 0; i < n; i += 4) {
        const double *const p[4] = {table + columns * row[i], table + columns * row[i + 1],
                                    table + columns * row[i + 2], table + columns * row[i + 3]};
        __m256d d = _mm256_loadu_pd(x + i), c[2];
        if (with_origin) {
            pair_of(p, 0, c);
            d = _mm256_sub_pd(_mm256_sub_pd(d, c[0]), c[1]);
        }
        const __m256d square = _mm256_mul_pd(d, d);
        pair_of(p, columns - 2, c);
        __m256d v = _mm256_fmadd_pd(c[1], d, c[0]);
        for (int j = columns - 4; j > first; j -= 2) {
            pair_of(p, j, c);
            v = _mm256_fmadd_pd(v, square, _mm256_fmadd_pd(c[1], d, c[0]));
        }
        pair_of(p, first, c);
        _mm256_storeu_pd(r + i, _mm256_fmadd_pd(_mm256_fmadd_pd(v, d, c[1]), d, c[0]));
    }
}
/* A whole number, not negative, as an integer: loops with conversions are not vectors. */
#define WHOLE(f) ((int64_t)(cps_bits_f64((f) + 0x1p52) - cps_bits_f64(0x1p52)))
/* WITH_ORIGIN: of rows of functions with zeros. */
#define ROWS(r, row, x, n, table) rows_of(r, row, x, n, &(table)[0][0], CPS_COLUMNS(table), false)
#define ROWS_WITH_ORIGIN(r, row, x, n, table) rows_of(r, row, x, n, &(table)[0][0], CPS_COLUMNS(table), true)
/* The cell of x in eighths of octaves from 2^low on, and where it begins. */
#define OCTAVE(x, low) ((int64_t)(cps_bits_f64(x) >> 49) - ((1023 + (low)) << 3))
#define BEGINNING(x) cps_from_bits_f64(cps_bits_f64(x) >> 49 << 49)
#define EACH _Pragma("GCC ivdep") for (int64_t k = 0; k < n; k++)
#define SPACE (SEGMENT + 4)

INLINE double exp_square_of(double x, double scale)
{
    const double square = x * x, lost = fma(x, x, -square);
    return exp_any_f64(-square * scale) * (1 - lost * scale);
}

/* --- the error functions --- */

static void erf_any(double *r, const double *x, int64_t n)
{
    int64_t row[SPACE] = {0};
    double t[SPACE] = {0};
    EACH {
        const double a = fabs(x[k]) < 5.95 ? fabs(x[k]) : 5.95;
        const double cell = floor(a * 16);
        row[k] = WHOLE(cell);
        t[k] = a - cell * 0.0625;
    }
    ROWS(r, row, t, n, cps_rows_erf);
    EACH {
        const double a = fabs(x[k]);
        r[k] = copysign(fma(r[k], a < 1 ? a : 1, a < 1 ? a : 0), x[k]);
    }
}
static void erfcx_near(double *r, const double *a, int64_t n) /* 0 to 30 */
{
    int64_t row[SPACE] = {0};
    double t[SPACE] = {0};
    EACH {
        const double y = a[k] + 1;
        row[k] = OCTAVE(y, 0);
        t[k] = a[k] - (BEGINNING(y) - 1);
    }
    ROWS(r, row, t, n, cps_rows_erfcx);
}
static void erfcx_far(double *r, const double *a, int64_t n)
{
    double at[SPACE] = {0};
    EACH at[k] = 4 / (4 + a[k]) * 64;
    CELLS(r, at, n, cps_erfcx_far)
    EACH r[k] *= 4 / (4 + a[k]);
}
static void erfc_any(double *r, const double *x, int64_t n)
{
    double a[SPACE] = {0}, p[SPACE];
    EACH a[k] = fabs(x[k]) < 28 ? fabs(x[k]) : 28;
    erfcx_near(p, a, n);
    EACH {
        const double t = exp_square_of(a[k], 1) * p[k], tail = fabs(x[k]) > 28 ? 0 : t;
        r[k] = x[k] > 0 ? tail : 2 - tail;
    }
}
static void ndtr_any(double *r, const double *x, int64_t n)
{
    double a[SPACE] = {0}, p[SPACE];
    EACH a[k] = (fabs(x[k]) < 40 ? fabs(x[k]) : 40) * CPS_SQRT_HALF;
    erfcx_near(p, a, n);
    EACH {
        const double size = fabs(x[k]) < 40 ? fabs(x[k]) : 40, whole = cps_erfcx_of_half(size, a[k], p[k]);
        const double t = 0.5 * exp_square_of(size, 0.5) * whole, tail = fabs(x[k]) > 40 ? 0 : t;
        r[k] = x[k] < 0 ? tail : 1 - tail;
    }
}

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

/* erfinv(y) / y of t = 1 - |y|, 2^-14 to 1 */
static void inverse_near(double *r, const double *t, int64_t n)
{
    int64_t row[SPACE] = {0};
    double d[SPACE] = {0};
    EACH {
        row[k] = OCTAVE(t[k], -14);
        d[k] = t[k] - BEGINNING(t[k]);
    }
    ROWS(r, row, d, n, cps_rows_erfinv);
}
/* -ndtri(p) of small p */
static void inverse_far(double *r, const double *p, int64_t n)
{
    double root[SPACE] = {0}, at[SPACE] = {0};
    EACH root[k] = sqrt(-log_any_f64(p[k]));
    EACH at[k] = (root[k] - 1.5) * 4;
    CELLS(r, at, n, cps_ndtri_tail)
    EACH r[k] *= root[k];
}
#define TAIL(p) ((p) < 0.5 ? (p) : 1 - (p))
static void ndtri_near(double *r, const double *p, int64_t n)
{
    double t[SPACE] = {0}, v[SPACE];
    EACH t[k] = 2 * TAIL(p[k]);
    inverse_near(v, t, n);
    EACH r[k] = (p[k] - 0.5) * (2.8284271247461903 * v[k]);
}
static void ndtri_far(double *r, const double *p, int64_t n)
{
    double t[SPACE] = {0}, v[SPACE];
    EACH t[k] = TAIL(p[k]);
    inverse_far(v, t, n);
    EACH r[k] = p[k] < 0.5 ? -v[k] : v[k];
}
static void erfinv_near(double *r, const double *y, int64_t n)
{
    double t[SPACE] = {0}, v[SPACE];
    EACH t[k] = 1 - fabs(y[k]);
    inverse_near(v, t, n);
    EACH r[k] = y[k] * v[k];
}
static void erfinv_far(double *r, const double *y, int64_t n)
{
    double t[SPACE] = {0}, v[SPACE];
    EACH t[k] = 0.5 * (1 - fabs(y[k]));
    inverse_far(v, t, n);
    EACH r[k] = copysign(v[k] * CPS_SQRT_HALF, y[k]);
}

/* --- Bessel functions --- */

/* Below 24 */
INLINE void j_near(double *r, const double *x, int64_t n, const double *table, int columns, bool odd)
{
    int64_t row[SPACE] = {0};
    double a[SPACE] = {0};
    EACH {
        a[k] = fabs(x[k]);
        row[k] = WHOLE(floor(a[k] * 4));
    }
    rows_of(r, row, a, n, table, columns, true);
    if (!odd) return;
    EACH r[k] *= copysign(1.0, x[k]); /* of -0 too */
}
static void j0_near(double *r, const double *x, int64_t n)
{
    j_near(r, x, n, &cps_rows_j0[0][0], CPS_COLUMNS(cps_rows_j0), false);
}
static void j1_near(double *r, const double *x, int64_t n)
{
    j_near(r, x, n, &cps_rows_j1[0][0], CPS_COLUMNS(cps_rows_j1), true);
}
/* 1/16 to 24: eighths of octaves up to 2, then quarters */
INLINE void y_near(double *r, const double *x, int64_t n, const double *table, int columns)
{
    int64_t row[SPACE] = {0};
    EACH {
        const int64_t quarter = WHOLE(floor(x[k] * 4)) + 32, octave = OCTAVE(x[k], -4);
        row[k] = x[k] < 2 ? octave : quarter;
    }
    rows_of(r, row, x, n, table, columns, true);
}
static void y0_near(double *r, const double *x, int64_t n)
{
    y_near(r, x, n, &cps_rows_y0[0][0], CPS_COLUMNS(cps_rows_y0));
}
static void y1_near(double *r, const double *x, int64_t n)
{
    y_near(r, x, n, &cps_rows_y1[0][0], CPS_COLUMNS(cps_rows_y1));
}
/* From 8 on; J or Y of either order. */
#define FAR(name, p_table, q_table, SUM)                                                     \
    static void name(double *r, const double *x, int64_t n)                                  \
    {                                                                                        \
        double at[SPACE] = {0}, p[SPACE], q[SPACE];                                          \
        EACH at[k] = 1 / fabs(x[k]) * 32;                                                    \
        CELLS(p, at, n, p_table)                                                             \
        CELLS(q, at, n, q_table)                                                             \
        EACH {                                                                               \
            double sine, cosine;                                                             \
            const double a = fabs(x[k]), u = q[k] * (1 / a);                                 \
            const uint64_t turns = parts_f64(a, &sine, &cosine);                             \
            const double s = turned_f64(sine, cosine, turns), c = turned_f64(sine, cosine, turns + 1); \
            const double f = 1 / sqrt(CPS_PI) / sqrt(a), sum = f * (s + c), less = f * (s - c);        \
            r[k] = SUM;                                                                      \
        }                                                                                    \
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

/* m to 1 - 2^-10 */
INLINE void elliptic_near(double *r, const double *m, int64_t n, const double *table, int columns)
{
    int64_t row[SPACE] = {0};
    double t[SPACE] = {0};
    EACH {
        const double p = 1 - m[k];
        row[k] = OCTAVE(p, -10);
        t[k] = p - BEGINNING(p);
    }
    rows_of(r, row, t, n, table, columns, false);
}
static void ellipk_near(double *r, const double *m, int64_t n)
{
    elliptic_near(r, m, n, &cps_rows_ellipk[0][0], CPS_COLUMNS(cps_rows_ellipk));
}
static void ellipe_near(double *r, const double *m, int64_t n)
{
    elliptic_near(r, m, n, &cps_rows_ellipe[0][0], CPS_COLUMNS(cps_rows_ellipe));
}
static void ellipk_far(double *r, const double *m, int64_t n)
{
    double at[SPACE] = {0}, l[SPACE];
    EACH at[k] = (1 - m[k]) * 32;
    CELLS(r, at, n, cps_ellipk_rest)
    CELLS(l, at, n, cps_ellipk_log)
    EACH r[k] -= log_any_f64(1 - m[k]) * l[k];
}

/* --- the gamma function's, for x > 0 --- */

static void gamma_of_1_and(double *r, const double *d, int64_t n) /* gamma(1 + d), 0 <= d < 19 */
{
    int64_t row[SPACE] = {0};
    double t[SPACE] = {0};
    EACH {
        const double cell = floor(d[k] * 4);
        row[k] = WHOLE(cell);
        t[k] = d[k] - cell * 0.25;
    }
    ROWS(r, row, t, n, cps_rows_gamma);
}
static void gamma_near(double *r, const double *x, int64_t n) /* below 20 */
{
    double d[SPACE] = {0}, p[SPACE];
    EACH d[k] = x[k] < 1 ? x[k] : x[k] - 1;
    gamma_of_1_and(p, d, n);
    EACH r[k] = x[k] < 1 ? p[k] / x[k] : p[k];
}
static void gammaln_near(double *r, const double *x, int64_t n) /* 1/16 to 128 */
{
    int64_t row[SPACE] = {0};
    EACH row[k] = OCTAVE(x[k], -4);
    ROWS_WITH_ORIGIN(r, row, x, n, cps_rows_lgamma);
}
static void gammaln_far(double *r, const double *x, int64_t n)
{
    EACH r[k] = (x[k] - 0.5) * (log_any_f64(x[k]) - 1) + (cps_stirling(x[k]) + (0.5 * CPS_LOG_2PI - 0.5));
}
static void digamma_near(double *r, const double *x, int64_t n) /* below 128 */
{
    int64_t row[SPACE] = {0};
    double y[SPACE] = {0};
    EACH {
        y[k] = x[k] < 1 ? x[k] + 1 : x[k];
        row[k] = OCTAVE(y[k], 0);
    }
    ROWS_WITH_ORIGIN(r, row, y, n, cps_rows_digamma);
    EACH r[k] += x[k] < 1 ? -1 / x[k] : 0;
}
static void digamma_far(double *r, const double *x, int64_t n)
{
    EACH r[k] = log_any_f64(x[k]) - 0.5 / x[k] - cps_digamma_rest(x[k]);
}

/* The regularized incomplete gamma function, below LARGEST in both arguments: x^a exp(-x) / gamma(a + 1) times the sum
 * of x^k / ((a + 1) ... (a + k)), whose terms are positive, as one quotient. 20^70 / 70! is 1e-17 of exp(20); the
 * product of 70 factors up to 90 is below 1e130. */
enum { GAMMAINC_TERMS = 70 };
extern const cpi_kernel CPI_ISA_NAME(cpi_mathematics_f64)[CPI_NKERNELS];
#define GAMMAINC_USUAL(a, x) (((a) > 0) & ((a) < 19) & ((x) > 0) & ((x) < 20))
static void gammainc_usual(double *r, const double *a, const double *x, int64_t n)
{
    enum { SIDE = 4 }; /* chains of operations side by side */
    double gamma[SPACE], top[SPACE], all[SPACE], power[SPACE];
    CPI_ISA_NAME(cpi_mathematics_f64)[CP_OP_power]((void *[]){power, (void *)x, (void *)a}, n, 0);
    gamma_of_1_and(gamma, a, n);
    for (int64_t i = 0; i < n; i += 4 * SIDE) { /* a segment is a multiple of that */
        __m256d own[SIDE], z[SIDE], t[SIDE], p[SIDE], term = _mm256_set1_pd(GAMMAINC_TERMS);
        for (int s = 0; s < SIDE; s++) {
            own[s] = _mm256_loadu_pd(a + i + 4 * s), z[s] = _mm256_loadu_pd(x + i + 4 * s);
            t[s] = p[s] = _mm256_set1_pd(1);
        }
        for (int k = 0; k < GAMMAINC_TERMS; k++) {
            for (int s = 0; s < SIDE; s++) {
                p[s] = _mm256_mul_pd(p[s], _mm256_add_pd(own[s], term));
                t[s] = _mm256_fmadd_pd(z[s], t[s], p[s]);
            }
            term = _mm256_sub_pd(term, _mm256_set1_pd(1));
        }
        for (int s = 0; s < SIDE; s++) _mm256_storeu_pd(top + i + 4 * s, t[s]), _mm256_storeu_pd(all + i + 4 * s, p[s]);
    }
    EACH {
        const double v = power[k] * exp_any_f64(-x[k]) * (top[k] / (all[k] * gamma[k]));
        r[k] = v < 1 ? v : 1;
    }
}

/* --- methods by argument --- */

/* `which`: the number of the method of each element, of which those from `count` on are the scalar function's. The
 * method of most elements computes the others too, from an argument of its own. */
static void by_method(double *r, const double *x, int64_t n, const uint8_t *which, int count, const method *of,
                      double (*scalar)(double))
{
    uint16_t place[SEGMENT];
    double a[SPACE] = {0}, v[SPACE];
    int64_t left = n;
    for (int m = 0; m <= count && left; m++) {
        int64_t some = 0;
        for (int64_t k = 0; k < n; k++) some += which[k] == m;
        if (some == 0) continue;
        left -= some;
        if (m < count && some == n) {
            of[m](v, x, n);
            memcpy(r, v, (size_t)n * sizeof *r);
            return;
        }
        some = 0;
        for (int64_t k = 0; k < n; k++) place[some] = (uint16_t)k, some += which[k] == m;
        if (m == count) {
            for (int64_t k = 0; k < some; k++) r[place[k]] = scalar(x[place[k]]);
        } else if (some > n / 2) {
            const double own = x[place[0]];
            for (int64_t k = 0; k < n; k++) a[k] = which[k] == m ? x[k] : own;
            of[m](v, a, n);
            for (int64_t k = 0; k < n; k++) r[k] = which[k] == m ? v[k] : r[k];
        } else {
            for (int64_t k = 0; k < some; k++) a[k] = x[place[k]];
            of[m](v, a, some);
            for (int64_t k = 0; k < some; k++) r[place[k]] = v[k];
        }
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

FUNCTION(erf, x == x ? 0 : none, erf_any)
FUNCTION(erfc, x == x ? 0 : none, erfc_any)
FUNCTION(ndtr, x == x ? 0 : none, ndtr_any)
FUNCTION(ndtri, (x >= 0x1p-15) & (x <= 1 - 0x1p-15) ? 0 : (x > 0) & (x < 1) ? 1 : none, ndtri_near, ndtri_far)
FUNCTION(erfinv, fabs(x) <= 1 - 0x1p-14 ? 0 : fabs(x) < 1 ? 1 : none, erfinv_near, erfinv_far)
FUNCTION(j0, fabs(x) < 24 ? 0 : fabs(x) < 1e14 ? 1 : none, j0_near, j0_far)
FUNCTION(j1, fabs(x) < 24 ? 0 : fabs(x) < 1e14 ? 1 : none, j1_near, j1_far)
#define OF_Y(x) (!((x) >= 0.0625) ? none : (x) < 24 ? 0 : (x) < 1e14 ? 1 : none)
FUNCTION(y0, OF_Y(x), y0_near, y0_far)
FUNCTION(y1, OF_Y(x), y1_near, y1_far)
#define OF_M(x) (((x) > -0.99) & ((x) <= 1 - 0x1p-10))
FUNCTION(ellipk, OF_M(x) ? 0 : (x > 0) & (x < 1) ? 1 : none, ellipk_near, ellipk_far)
FUNCTION(ellipe, OF_M(x) ? 0 : none, ellipe_near)
FUNCTION(gamma, (x > 0) & (x < 20) ? 0 : none, gamma_near)
#define OF_GAMMALN(x) (!((x) >= 0.0625) ? none : (x) < 128 ? 0 : (x) < 1e17 ? 1 : none)
FUNCTION(gammaln, OF_GAMMALN(x), gammaln_near, gammaln_far)
FUNCTION(digamma, !((x > 0) & (x < 1e300)) ? none : x < 128 ? 0 : 1, digamma_near, digamma_far)
FUNCTION(loggamma, OF_GAMMALN(x), gammaln_near, gammaln_far)
FUNCTION(log_ndtr, !(x > -1e150) ? none : x >= 0 ? 0 : x > -1 ? 1 : -x * CPS_SQRT_HALF < 30 ? 2 : 3, log_ndtr_near,
         log_ndtr_middle, log_ndtr_low, log_ndtr_far)
FUNCTION_OF(i0, cps_i0_f64, fabs(x) < 8 ? 0 : fabs(x) < 700 ? 1 : none, i0_near, i0_far)
FUNCTION(spence, !((x > 0) & (x < 1e300)) ? none : x < 0.5 ? 0 : x <= 2 ? 1 : 2, spence_low, spence_near, spence_high)
FUNCTION(exprel, (fabs(x) < 600) ? 0 : none, exprel_any)

/* --- two arguments --- */

/* r is neither a nor x, which have room for a segment. */
static void gammainc_segment(double *r, double *a, double *x, int64_t n)
{
    double whole[2][SPACE];
    int any = 0;
    if (!CPI_ISA_NAME(cpi_mathematics_f64)[CP_OP_power]) { /* without SLEEF */
        for (int64_t k = 0; k < n; k++) r[k] = cps_gammainc(a[k], x[k]);
        return;
    }
    EACH any |= !GAMMAINC_USUAL(a[k], x[k]);
    if (any) {
        EACH whole[0][k] = a[k], whole[1][k] = x[k];
        EACH {
            const bool usual = GAMMAINC_USUAL(a[k], x[k]);
            a[k] = usual ? a[k] : 1, x[k] = usual ? x[k] : 1;
        }
    }
    gammainc_usual(r, a, x, n);
    for (int64_t k = 0; any && k < n; k++)
        if (!GAMMAINC_USUAL(whole[0][k], whole[1][k])) r[k] = cps_gammainc(whole[0][k], whole[1][k]);
}
/* s: which of the two is one number for all */
#define KERNEL_OF_TWO(name, suffix, T)                                                                    \
    void CPI_ISA_NAME(cpi_special_##name##_##suffix)(void *const *op, int64_t n, unsigned s)              \
    {                                                                                                     \
        double x[SPACE] = {0}, y[SPACE] = {0}, r[SPACE];                                                  \
        const T *a = op[1], *b = op[2];                                                                   \
        for (int64_t i = 0; i < n; i += SEGMENT) {                                                        \
            const int64_t m = n - i < SEGMENT ? n - i : SEGMENT;                                          \
            for (int64_t k = 0; k < m; k++) x[k] = a[s & 1 ? 0 : i + k], y[k] = b[s & 2 ? 0 : i + k];     \
            name##_segment(r, x, y, m);                                                                   \
            for (int64_t k = 0; k < m; k++) ((T *)op[0])[i + k] = (T)r[k];                                \
        }                                                                                                 \
    }
KERNEL_OF_TWO(gammainc, f64, double)
KERNEL_OF_TWO(gammainc, f32, float)
#else
typedef int cpi_cells_no_avx2; /* the scalar bodies serve */
#endif
