/* Special functions in vectors: the methods of src/base/scalar, without branches. Arguments that a function's `rare`
 * names (poles, negative numbers, NaN) are computed by the scalar function afterwards, each for itself.
 *
 * All compute in double; float32 is converted by segments, so that its results are the float64 ones, rounded. */
#include <math.h>
#include <string.h>

#include "elementwise/special.h"
#include "scalar/bessel.h"
#include "scalar/elementary.h"
#include "scalar/elliptic.h"
#include "scalar/gamma_real.h"
#include "scalar/normal.h"

#if defined(__FMA__)
enum { SEGMENT = 256 };
#define INLINE static inline __attribute__((always_inline, unused))
#include "elementwise/series_f64.inc"

/* --- polynomials in cells --- */

#define H1(c, t, i) (c)[i]
#define H2(c, t, i) fma(H1(c, t, (i) + 1), t, (c)[i])
#define H3(c, t, i) fma(H2(c, t, (i) + 1), t, (c)[i])
#define H4(c, t, i) fma(H3(c, t, (i) + 1), t, (c)[i])
#define H5(c, t, i) fma(H4(c, t, (i) + 1), t, (c)[i])
#define H6(c, t, i) fma(H5(c, t, (i) + 1), t, (c)[i])
#define H7(c, t, i) fma(H6(c, t, (i) + 1), t, (c)[i])
#define H8(c, t, i) fma(H7(c, t, (i) + 1), t, (c)[i])
#define H9(c, t, i) fma(H8(c, t, (i) + 1), t, (c)[i])
#define H10(c, t, i) fma(H9(c, t, (i) + 1), t, (c)[i])
#define H11(c, t, i) fma(H10(c, t, (i) + 1), t, (c)[i])
#define H12(c, t, i) fma(H11(c, t, (i) + 1), t, (c)[i])
#define H13(c, t, i) fma(H12(c, t, (i) + 1), t, (c)[i])
#define H14(c, t, i) fma(H13(c, t, (i) + 1), t, (c)[i])
#define H15(c, t, i) fma(H14(c, t, (i) + 1), t, (c)[i])
#define H16(c, t, i) fma(H15(c, t, (i) + 1), t, (c)[i])

/* The number of the cell; arguments beyond the table, whose result is not used, take its ends. */
INLINE int cell_number(double at, int cells)
{
    const double low = at > 0 ? at : 0, inside = low < cells - 1 ? low : cells - 1;
    return (int)inside;
}
/* cell_N: of tables with N coefficients. */
#define CELL_OF(n)                                                                \
    INLINE double cell_##n(const double *c, int cells, double at)                 \
    {                                                                             \
        const int k = cell_number(at, cells);                                     \
        const double t = at - k - 0.5;                                            \
        return H##n(c + k * n, t, 0);                                             \
    }
CELL_OF(8) CELL_OF(9) CELL_OF(10) CELL_OF(11) CELL_OF(12) CELL_OF(13) CELL_OF(14) CELL_OF(16)
#define CELL(n, table, at)                                                                                     \
    cell_##n(&(table)[0][0] + 0 * sizeof(char[CPS_COLUMNS(table) == n ? 1 : -1]), CPS_ROWS(table), at)

/* --- functions --- */

INLINE double expit_of(double x)
{
    const double e = exp_any_f64(-fabs(x));
    return (x < 0 ? e : 1) / (1 + e);
}
INLINE double log_expit_of(double x) { return (x < 0 ? x : 0) - log1p_f64(exp_any_f64(-fabs(x))); }
INLINE double logit_of(double p)
{
    const double near = 2 * arctanh_f64(2 * (p - 0.5)), far = log_any_f64(p / (1 - p));
    return fabs(p - 0.5) <= 0.25 ? near : far;
}
INLINE double entr_of(double x) { return -x * log_any_f64(x); }

INLINE double stirling_of(double x) { return cps_stirling(x); }
INLINE double gamma_of(double x)
{
    const double r = CELL(14, cps_gamma_cells, (x < 1 ? x : x - 1) * 4);
    return x < 1 ? r / x : r;
}
INLINE double gammaln_of(double x)
{
    const double l = log_any_f64(x), start = x < 0.5 ? -0.5 : 0.5;
    const double p = CELL(16, cps_lgamma_cells, (x - start) * 4);
    const double near = x < 0.5 ? x * (x - 1) * p - l : (x - 1) * (x - 2) * p;
    const double far = (x - 0.5) * (l - 1) + (stirling_of(x < 8 ? 8 : x) + (0.5 * CPS_LOG_2PI - 0.5));
    return x < 8 ? near : far;
}
INLINE double digamma_of(double x)
{
    const double zero = 1.4616321449683622, zero_low = 9.549995429965697e-17;
    const double at = x < 1 ? x : x - 1, distance = ((x < 1 ? x + 1 : x) - zero) - zero_low;
    const double near = distance * CELL(14, cps_digamma_cells, at * 4);
    const double far = log_any_f64(x) - 0.5 / x - cps_digamma_rest(x < 7 ? 7 : x);
    return (at < 7 ? near : far) + (x < 1 ? -1 / x : 0);
}

INLINE double erfcx_of(double x)
{
    const double u = 4 / (4 + x);
    const double near = CELL(12, cps_erfcx_near, x * 4), far = u * CELL(8, cps_erfcx_far, u * 64);
    return x < 4 ? near : far;
}
/* exp(-x^2 scale) for 0 <= x < 50 */
INLINE double exp_square_of(double x, double scale)
{
    const double square = x * x, lost = fma(x, x, -square);
    return exp_any_f64(-square * scale) * (1 - lost * scale);
}
INLINE double erf_near_of(double x) { return x * CELL(9, cps_erf_cells, x * x * 4); }
INLINE double erf_of(double x)
{
    const double a = fabs(x) < 28 ? fabs(x) : 28, tail = exp_square_of(a, 1) * erfcx_of(a);
    return a < 1 ? erf_near_of(x) : copysign(1 - tail, x);
}
INLINE double erfc_of(double x)
{
    const double a = fabs(x) < 28 ? fabs(x) : 28, tail = exp_square_of(a, 1) * erfcx_of(a);
    return a < 0.5 ? 1 - erf_near_of(x) : x > 0 ? tail : 2 - tail;
}
INLINE double ndtr_of(double x)
{
    const double a = fabs(x) < 40 ? fabs(x) : 40, tail = 0.5 * exp_square_of(a, 0.5) * erfcx_of(a * CPS_SQRT_HALF);
    return a < 0.5 ? 0.5 + 0.5 * erf_near_of(x * CPS_SQRT_HALF) : x < 0 ? tail : 1 - tail;
}
INLINE double log_ndtr_of(double x)
{
    const double n = ndtr_of(-fabs(x)), far = 0.5 * erfcx_of(fabs(x) * CPS_SQRT_HALF);
    const double l = log_any_f64(x > -1 ? n : far);
    return x >= 0 ? log1p_f64(-n) : x > -1 ? l : l - 0.5 * x * x;
}
INLINE double ndtri_near_of(double q) { return q * CELL(13, cps_ndtri_central, q * q * 64); }
/* -ndtri of exp(l) */
INLINE double ndtri_tail_of(double l)
{
    const double r = sqrt(l < -2.25 ? -l : 2.25);
    return r * CELL(13, cps_ndtri_tail, (r - 1.5) * 4);
}
INLINE double erfinv_of(double y)
{
    const double a = fabs(y), tail = ndtri_tail_of(log_any_f64(0.5 * (1 - a)));
    return (a < 0.84 ? ndtri_near_of(0.5 * y) : copysign(tail, y)) * CPS_SQRT_HALF;
}
INLINE double ndtri_of(double p)
{
    const double q = p - 0.5, x = ndtri_tail_of(log_any_f64(p < 0.5 ? p : 1 - p));
    return fabs(q) < 0.42 ? ndtri_near_of(q) : p < 0.5 ? -x : x;
}

/* K of m, and of p = 1 - m */
INLINE double ellipk_of_both(double m, double p)
{
    const double near = CELL(13, cps_ellipk_cells, m * 8);
    const double far = CELL(11, cps_ellipk_rest, p * 8) - log_any_f64(p) * CELL(13, cps_ellipk_log, p * 8);
    return m <= 0.5 ? near : far;
}
INLINE double ellipk_of(double m) { return ellipk_of_both(m, 1 - m); }
INLINE double ellipkm1_of(double p) { return ellipk_of_both(1 - p, p); }

/* J of the order for x >= 8: its factors, and sums of sine and cosine. */
INLINE void waves(double x, double *sum, double *difference)
{
    double s, c;
    const uint64_t n = parts_f64(x, &s, &c);
    const double sine = turned_f64(s, c, n), cosine = turned_f64(s, c, n + 1), r = 1 / sqrt(CPS_PI) / sqrt(x);
    *sum = r * (sine + cosine);
    *difference = r * (sine - cosine);
}
INLINE double j0_of(double x)
{
    const double a = fabs(x), far = a < 8 ? 8 : a, u = 1 / far;
    const double *c = &cps_j0_cells[0][0] + 14 * cell_number(a * 2, CPS_ROWS(cps_j0_cells));
    const double t = a * 2 - cell_number(a * 2, CPS_ROWS(cps_j0_cells)) - 0.5, p = H12(c + 2, t, 0);
    const double near = c[0] != 0 ? p * ((a - c[0]) - c[1]) : p;
    double sum, difference;
    waves(far, &sum, &difference);
    const double wave = CELL(9, cps_p0_far, u * 32) * sum - u * CELL(10, cps_q0_far, u * 32) * difference;
    return a < 8 ? near : wave;
}
INLINE double j1_of(double x)
{
    const double a = fabs(x), far = a < 8 ? 8 : a, u = 1 / far;
    const double *c = &cps_j1_cells[0][0] + 13 * cell_number(a * 2, CPS_ROWS(cps_j1_cells));
    const double t = a * 2 - cell_number(a * 2, CPS_ROWS(cps_j1_cells)) - 0.5, p = H11(c + 2, t, 0);
    const double near = c[0] != 0 ? p * ((a - c[0]) - c[1]) : p;
    double sum, difference;
    waves(far, &sum, &difference);
    const double wave = CELL(9, cps_p1_far, u * 32) * difference + u * CELL(10, cps_q1_far, u * 32) * sum;
    return a < 8 ? x * near : copysign(1, x) * wave;
}

/* --- kernels of one argument --- */

#define RARE_expit(x) ((x) != (x))
#define RARE_log_expit(x) ((x) != (x))
#define RARE_logit(p) (!(((p) > 0) & ((p) < 1)))
#define RARE_entr(x) (!(((x) > 0) & ((x) < INFINITY)))
#define RARE_gamma(x) (!(((x) > 1e-300) & ((x) < 20)))
#define RARE_gammaln(x) (!(((x) > 0) & ((x) < 1e17)))
#define RARE_digamma(x) (!(((x) > 1e-300) & ((x) < 1e300)))
#define RARE_erf(x) ((x) != (x))
#define RARE_erfc(x) ((x) != (x))
#define RARE_ndtr(x) ((x) != (x))
#define RARE_log_ndtr(x) (!(fabs(x) < 1e100))
#define RARE_erfinv(y) (!(fabs(y) < 1))
#define RARE_ndtri(p) (!(((p) > 0) & ((p) < 1)))
#define RARE_ellipk(m) (!(((m) >= 0) & ((m) < 1)))
#define RARE_ellipkm1(p) (!(((p) > 0) & ((p) <= 1)))
#define RARE_j0(x) (!(fabs(x) < 1e14))
#define RARE_j1(x) (!(fabs(x) < 1e14))
CPS_MATH double cps_erf(double x) { return erf(x); } /* of NaN */

#define KERNEL(name)                                                                                     \
    static void name##_segment(double *r, const double *a, int64_t n)                                    \
    {                                                                                                    \
        int any = 0;                                                                                     \
        _Pragma("GCC ivdep") for (int64_t k = 0; k < n; k++) r[k] = name##_of(a[k]);                     \
        for (int64_t k = 0; k < n; k++) any |= RARE_##name(a[k]);                                        \
        for (int64_t k = 0; any && k < n; k++)                                                           \
            if (RARE_##name(a[k])) r[k] = cps_##name(a[k]);                                              \
    }                                                                                                    \
    void CPI_ISA_NAME(cpi_special_##name##_f64)(void *const *op, int64_t n, unsigned s)                  \
    {                                                                                                    \
        (void)s;                                                                                         \
        by_segments_f64(op[0], op[1], n, name##_segment);                                                \
    }                                                                                                    \
    void CPI_ISA_NAME(cpi_special_##name##_f32)(void *const *op, int64_t n, unsigned s)                  \
    {                                                                                                    \
        (void)s;                                                                                         \
        by_segments_f32(op[0], op[1], n, name##_segment);                                                \
    }
typedef void (*segment)(double *, const double *, int64_t);
static void by_segments_f64(double *out, const double *a, int64_t n, segment f)
{
    double r[SEGMENT];
    for (int64_t i = 0; i < n; i += SEGMENT) {
        const int64_t m = n - i < SEGMENT ? n - i : SEGMENT;
        f(r, a + i, m); /* out may be a, which is read twice */
        memcpy(out + i, r, (size_t)m * sizeof *r);
    }
}
static void by_segments_f32(float *out, const float *a, int64_t n, segment f)
{
    double x[SEGMENT], r[SEGMENT];
    for (int64_t i = 0; i < n; i += SEGMENT) {
        const int64_t m = n - i < SEGMENT ? n - i : SEGMENT;
        for (int64_t k = 0; k < m; k++) x[k] = a[i + k];
        f(r, x, m);
        for (int64_t k = 0; k < m; k++) out[i + k] = (float)r[k];
    }
}
CPI_SPECIAL_OF_ONE(KERNEL)

/* --- kernels of two --- */

typedef void (*segment_of_two)(double *, const double *, const double *, int64_t);

static void xlogy_segment(double *r, const double *a, const double *b, int64_t n)
{
#pragma GCC ivdep
    for (int64_t k = 0; k < n; k++) {
        const double v = a[k] * log_any_f64(b[k]);
        r[k] = (a[k] == 0) & (b[k] == b[k]) ? 0 : v;
    }
}
static void xlog1py_segment(double *r, const double *a, const double *b, int64_t n)
{
#pragma GCC ivdep
    for (int64_t k = 0; k < n; k++) {
        const double v = a[k] * log1p_f64(b[k]);
        r[k] = (a[k] == 0) & (b[k] == b[k]) ? 0 : v;
    }
}

extern const cpi_kernel CPI_ISA_NAME(cpi_mathematics_f64)[CPI_NKERNELS];
/* The terms' powers are those of the kernel of power. */
static void zeta_segment(double *r, const double *x, const double *q, int64_t n)
{
    double a[SEGMENT], b[SEGMENT], minus[SEGMENT];
    const cpi_kernel power = CPI_ISA_NAME(cpi_mathematics_f64)[CP_OP_power];
    int any = !power;
    for (int64_t k = 0; k < n; k++) any |= !((x[k] > 1) & (x[k] < 100) & (q[k] > 1e-3) & (q[k] < 1e8));
    for (int64_t k = 0; k < n; k++) a[k] = q[k], minus[k] = -x[k], r[k] = 0;
    for (int i = 0; power && i <= 10; i++) {
        power((void *[]){b, a, minus}, n, 0);
        if (i == 10) break;
#pragma GCC ivdep
        for (int64_t k = 0; k < n; k++) r[k] += b[k], a[k] += 1;
    }
#pragma GCC ivdep
    for (int64_t k = 0; power && k < n; k++) r[k] += cps_zeta_tail(x[k], a[k], b[k]);
    for (int64_t k = 0; any && k < n; k++)
        if (!power || !((x[k] > 1) & (x[k] < 100) & (q[k] > 1e-3) & (q[k] < 1e8))) r[k] = cps_zeta(x[k], q[k]);
}

#define KERNEL_OF_TWO(name)                                                                               \
    void CPI_ISA_NAME(cpi_special_##name##_f64)(void *const *op, int64_t n, unsigned s)                   \
    {                                                                                                     \
        double *out = op[0], x[SEGMENT], y[SEGMENT], r[SEGMENT];                                          \
        const double *a = op[1], *b = op[2];                                                              \
        for (int64_t i = 0; i < n; i += SEGMENT) {                                                        \
            const int64_t m = n - i < SEGMENT ? n - i : SEGMENT;                                          \
            for (int64_t k = 0; s && k < m; k++) x[k] = a[s & 1 ? 0 : i + k], y[k] = b[s & 2 ? 0 : i + k]; \
            name##_segment(r, s ? x : a + i, s ? y : b + i, m);                                           \
            memcpy(out + i, r, (size_t)m * sizeof *r);                                                    \
        }                                                                                                 \
    }                                                                                                     \
    void CPI_ISA_NAME(cpi_special_##name##_f32)(void *const *op, int64_t n, unsigned s)                   \
    {                                                                                                     \
        float *out = op[0];                                                                               \
        double x[SEGMENT], y[SEGMENT], r[SEGMENT];                                                        \
        const float *a = op[1], *b = op[2];                                                               \
        for (int64_t i = 0; i < n; i += SEGMENT) {                                                        \
            const int64_t m = n - i < SEGMENT ? n - i : SEGMENT;                                          \
            for (int64_t k = 0; k < m; k++) x[k] = a[s & 1 ? 0 : i + k], y[k] = b[s & 2 ? 0 : i + k];     \
            name##_segment(r, x, y, m);                                                                   \
            for (int64_t k = 0; k < m; k++) out[i + k] = (float)r[k];                                     \
        }                                                                                                 \
    }
KERNEL_OF_TWO(xlogy)
KERNEL_OF_TWO(xlog1py)
KERNEL_OF_TWO(zeta)
#else
typedef int cpi_special_no_fma; /* the scalar bodies serve */
#endif
