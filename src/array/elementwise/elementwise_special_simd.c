/* Special functions in vectors: those of src/base/scalar that are made of exponentials, logarithms and powers. (Where a
 * polynomial is read from a table, emulated gathers cost more than the scalar functions.) Arguments that are RARE
 * (poles, NaN) are computed by the scalar function afterwards, each for itself.
 *
 * All compute in double; float32 is converted by segments, so that its results are the float64 ones, rounded. */
#include <math.h>
#include <string.h>

#include "elementwise/special.h"
#include "scalar/elementary.h"
#include "scalar/gamma_real.h"

#if defined(__FMA__)
enum { SEGMENT = 256 };
#define INLINE static inline __attribute__((always_inline, unused))
#include "elementwise/series_f64.inc"

/* The values of a segment; r is none of the inputs. */
#define EACH(...)                                        \
    _Pragma("GCC ivdep") for (int64_t k = 0; k < n; k++) \
    {                                                    \
        const double x = a[k];                           \
        __VA_ARGS__;                                     \
    }

INLINE double expit_of(double x)
{
    const double e = exp_any_f64(-fabs(x));
    return (x < 0 ? e : 1) / (1 + e);
}
static void expit_all(double *r, const double *a, int64_t n) { EACH(r[k] = expit_of(x)) }
static void log_expit_all(double *r, const double *a, int64_t n)
{
    EACH(r[k] = (x < 0 ? x : 0) - log1p_f64(exp_any_f64(-fabs(x))))
}
static void logit_all(double *r, const double *a, int64_t n) { EACH(r[k] = cps_logit_usual(x)) }
static void entr_all(double *r, const double *a, int64_t n) { EACH(r[k] = -x * log_any_f64(x)) }


/* --- kernels of one argument --- */

#define RARE_expit(x) ((x) != (x))
#define RARE_log_expit(x) ((x) != (x))
#define RARE_logit(p) (!(((p) > 2.3e-308) & ((p) < 1)))
#define RARE_entr(x) (!(((x) > 0) & ((x) < INFINITY)))

#define KERNEL(name)                                                                                     \
    static void name##_segment(double *r, const double *a, int64_t n)                                    \
    {                                                                                                    \
        int any = 0;                                                                                     \
        name##_all(r, a, n);                                                                             \
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

/* s: which of a and b are one number for all. */
static void two_by_segments_f64(double *out, const double *a, const double *b, int64_t n, unsigned s, segment_of_two f)
{
    double x[SEGMENT], y[SEGMENT], r[SEGMENT];
    for (int64_t i = 0; i < n; i += SEGMENT) {
        const int64_t m = n - i < SEGMENT ? n - i : SEGMENT;
        for (int64_t k = 0; s && k < m; k++) x[k] = a[s & 1 ? 0 : i + k], y[k] = b[s & 2 ? 0 : i + k];
        f(r, s ? x : a + i, s ? y : b + i, m);
        memcpy(out + i, r, (size_t)m * sizeof *r);
    }
}
static void two_by_segments_f32(float *out, const float *a, const float *b, int64_t n, unsigned s, segment_of_two f)
{
    double x[SEGMENT], y[SEGMENT], r[SEGMENT];
    for (int64_t i = 0; i < n; i += SEGMENT) {
        const int64_t m = n - i < SEGMENT ? n - i : SEGMENT;
        for (int64_t k = 0; k < m; k++) x[k] = a[s & 1 ? 0 : i + k], y[k] = b[s & 2 ? 0 : i + k];
        f(r, x, y, m);
        for (int64_t k = 0; k < m; k++) out[i + k] = (float)r[k];
    }
}
#define KERNEL_OF_TWO(name)                                                              \
    void CPI_ISA_NAME(cpi_special_##name##_f64)(void *const *op, int64_t n, unsigned s)  \
    {                                                                                    \
        two_by_segments_f64(op[0], op[1], op[2], n, s, name##_segment);                  \
    }                                                                                    \
    void CPI_ISA_NAME(cpi_special_##name##_f32)(void *const *op, int64_t n, unsigned s)  \
    {                                                                                    \
        two_by_segments_f32(op[0], op[1], op[2], n, s, name##_segment);                  \
    }
KERNEL_OF_TWO(xlogy)
KERNEL_OF_TWO(xlog1py)
KERNEL_OF_TWO(zeta)
#else
typedef int cpi_special_no_fma; /* the scalar bodies serve */
#endif
