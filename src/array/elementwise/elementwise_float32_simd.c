/* float32 functions for which vector libraries cost more than the rows' error bounds (elementwise.def) require. Short
 * series in double, or in float where that suffices, meet the bounds.
 *
 * Each function is right for every argument, or its kernel sends the chunk's special elements through libm. Every
 * element uses the same operations whatever its index, so results do not depend on it. */
#include <math.h>

#include "elementwise/loops.h"
#include "scalar/scalar.h"

#if defined(__FMA__)
enum { SEGMENT = 128 };
#define LN2_HIGH 0x1.62e42fefa38p-1  /* few enough bits that n times it is exact */
#define LN2_LOW 0x1.ef35793c7673p-45

/* log of a positive normal number to some 5e-11 of the result: x = m * 2^k, log m = 2 artanh((m - 1) / (m + 1)). */
CPS_MATH double log_of(double x)
{
    const uint64_t root = 0x3fe6a09e00000000u; /* about sqrt(1/2): m is between it and its double */
    uint64_t u = cps_bits_f64(x) - root;
    double m = cps_from_bits_f64((u & 0x000fffffffffffffu) + root);
    double k = cps_from_bits_f64(0x4338000000000000u + (uint64_t)((int64_t)u >> 52)) - 0x1.8p52;
    /* the division is a float's, with a Newton step: half the time */
    double divisor = m + 1, inverse = (double)(1 / (float)divisor);
    inverse = fma(inverse, fma(-divisor, inverse, 1), inverse);
    double s = (m - 1) * inverse, z = s * s;
    double p = fma(z, fma(z, fma(z, fma(z, fma(z, 1 / 11.0, 1 / 9.0), 1 / 7.0), 1 / 5.0), 1 / 3.0), 1.0);
    return fma(k, 0x1.62e42fefa39efp-1, 2 * s * p);
}

/* exp(x) = power * (1 + rest) for |x| < 700, `rest` to some 1e-8 of it. */
CPS_MATH double exp_rest(double x, double *power)
{
    double shifted = fma(x, 1.442695040888963407, 0x1.8p52), n = shifted - 0x1.8p52;
    double r = fma(n, -LN2_LOW, fma(n, -LN2_HIGH, x));
    double p = fma(r, fma(r, 1 / 5040.0, 1 / 720.0), 1 / 120.0);
    *power = cps_from_bits_f64(0x3ff0000000000000u + (cps_bits_f64(shifted) << 52));
    return r * fma(r, fma(r, fma(r, fma(r, p, 1 / 24.0), 1 / 6.0), 0.5), 1.0);
}

/* The cube root of the exponent by division, then two Halley steps; the last has t^3 in two parts. */
CPS_MATH float cbrt_of(float x)
{
    float a = fabsf(x);
    float scale = a < 0x1p-126f ? 0x1p24f : a > 0x1p120f ? 0x1p-24f : 1;
    float back = a < 0x1p-126f ? 0x1p-8f : a > 0x1p120f ? 0x1p8f : 1;
    a *= scale;
    float t = cps_from_bits_f32(cps_bits_f32(a) / 3 + 0x2a5119f2u), r = t * t * t;
    t *= (r + a + a) / (r + r + a);
    float p = t * t, pe = fmaf(t, t, -p);
    r = p * t;
    float re = fmaf(p, t, -r) + pe * t;
    t = fmaf(t, ((a - r) - re) / (r + r + a), t);
    return a > 0 && a < INFINITY ? copysignf(t * back, x) : x;
}

/* An odd polynomial below 0.625, 1 - 2 / (exp(2|x|) + 1) above. */
CPS_MATH float tanh_of(float x)
{
    float a = fabsf(x), z = x * x;
    float p =
        fmaf(z, fmaf(z, fmaf(z, fmaf(z, -0.00559101057f, 0.0205388143f), -0.0537096555f), 0.133310922f), -0.333332695f);
    float near = copysignf(fmaf(p * z, x, x), x), e = a < 20 ? a + a : 40;
    float shifted = fmaf(e, 1.44269504f, 0x1.8p23f), n = shifted - 0x1.8p23f;
    float r = fmaf(n, -1.42860677e-6f, fmaf(n, -0.693145752f, e));
    float q = fmaf(r, fmaf(r, fmaf(r, 1 / 720.0f, 1 / 120.0f), 1 / 24.0f), 1 / 6.0f);
    q = fmaf(r, fmaf(r, fmaf(r, q, 0.5f), 1), 1);
    q = cps_from_bits_f32(cps_bits_f32(q) + (cps_bits_f32(shifted) << 23));
    float far = copysignf(1 - 2 / (q + 1), x);
    return a < 0.625f ? near : a == a ? far : x;
}

/* For positive finite x and finite y. */
CPS_MATH float power_of(float x, float y)
{
    double t = (double)y * log_of((double)x);
    t = t < 200 ? t : 200;
    t = t > -200 ? t : -200;
    double power, rest = exp_rest(t, &power);
    return (float)fma(power, rest, power);
}

/* exp(x) = p * 2^k for |x| < 105, by Taylor's series up to the seventh power. */
CPS_MATH float exp_parts(float x, int32_t *k)
{
    float shifted = fmaf(x, 1.44269504f, 0x1.8p23f), n = shifted - 0x1.8p23f;
    float r = fmaf(n, -1.42860677e-6f, fmaf(n, -0.693145752f, x));
    float p = fmaf(r, fmaf(r, fmaf(r, 1 / 5040.0f, 1 / 720.0f), 1 / 120.0f), 1 / 24.0f);
    *k = (int32_t)(cps_bits_f32(shifted) - 0x4b400000u);
    return fmaf(r, fmaf(r, fmaf(r, fmaf(r, p, 1 / 6.0f), 0.5f), 1), 1);
}

/* Is the result certainly a normal number? */
CPS_MATH int exp_is_normal(float x) { return fabsf(x) < 86; }
CPS_MATH float exp_normal(float x)
{
    int32_t k;
    float p = exp_parts(x, &k);
    return cps_from_bits_f32(cps_bits_f32(p) + ((uint32_t)k << 23));
}

/* The power of two is applied in two steps, so that subnormal results are rounded once. Below -104 the result is 0
 * without a product: processors take a hundred cycles for one that underflows. */
CPS_MATH float exp_any(float x)
{
    int32_t k;
    float t = x < 89 ? x : 89;
    float p = exp_parts(t > -104 ? t : 0, &k);
    p *= cps_from_bits_f32((uint32_t)((k >> 1) + 127) << 23);
    p *= cps_from_bits_f32((uint32_t)(k - (k >> 1) + 127) << 23);
    p = x > -104 ? p : 0;
    return x == x ? p : x;
}

/* log(1 + exp(-d)) for d >= 0, to some 1e-10 of it; of NaN nearly 0. */
CPS_MATH double log1p_exp(double d)
{
    double power, rest = exp_rest(d < 200 ? -d : -200, &power), e = fma(power, rest, power);
    double small = e * fma(e, fma(e, 1 / 3.0, -0.5), 1), large = log_of(1 + e);
    return e < 1e-5 ? small : large;
}

/* *lost: the two nearly cancel, and the error of the logarithm is no longer small. */
CPS_MATH float sum_of_exps(float a, float b, double unit, int *lost)
{
    double x = a > b ? (double)a : (double)b, term = log1p_exp(fabs((double)a - (double)b) * unit) / unit, r = x + term;
    *lost |= fabs(r) < fabs(term) * 0x1p-8;
    r = a == b ? (double)a + 0.69314718055994530942 / unit : r; /* infinities too */
    return (a == a) & (b == b) ? (float)r : a + b;
}

#define CLENSHAW(c, n, u)                                               \
    double b1 = 0, b2 = 0;                                              \
    _Pragma("GCC unroll 32") for (int k = n - 1; k > 0; k--)            \
    {                                                                   \
        double b = fma(2 * (u), b1, c[k] - b2);                         \
        b2 = b1, b1 = b;                                                \
    }                                                                   \
    double series = fma(u, b1, c[0] - b2)
CPS_MATH double exp_up_to_200(double x)
{
    double power, rest = exp_rest(x < 200 ? x : 200, &power);
    return fma(power, rest, power);
}
/* As F(i0), with the terms that matter for float32. */
CPS_MATH float i0_near(float a)
{
    double x = fabs((double)a), u = x / 4 - 1;
    CLENSHAW(cps_i0_near, 21, u);
    return a == a ? (float)(exp_up_to_200(x) * series) : a;
}
CPS_MATH float i0_far(float a)
{
    double x = fabs((double)a), u = 16 / x - 1;
    CLENSHAW(cps_i0_far, 9, u);
    float r = (float)(exp_up_to_200(x) * series / sqrt(x));
    return a == a ? x < (double)INFINITY ? r : NAN : a;
}

CPS_MATH float spacing_of(float a)
{
    uint32_t u = cps_bits_f32(a) & 0x7fffffffu;
    float d = cps_from_bits_f32(u + 1) - cps_from_bits_f32(u);
    d = a < 0 ? -d : d;
    return u < 0x7f800000u ? d : u == 0x7f800000u ? NAN : a;
}

CPS_MATH float nextafter_of(float a, float b)
{
    uint32_t u = cps_bits_f32(a), up = u + 1, down = u - 1;
    uint32_t smallest = (cps_bits_f32(b) & 0x80000000u) | 1;
    u = (a < b) == (a > 0) ? up : down;
    float r = cps_from_bits_f32(a == 0 ? smallest : u);
    r = a == b ? b : r;
    return (a == a) & (b == b) ? r : a + b;
}

#define HEAD(name)                                                                                                \
    extern void CPI_ISA_NAME(cpi_##name##_f32)(void *const *, int64_t, unsigned); \
    void CPI_ISA_NAME(cpi_##name##_f32)(void *const *op, int64_t n, unsigned s)
#define KERNEL(name)                                                                    \
    HEAD(cheap_##name)                                                                  \
    {                                                                                   \
        float *out = op[0];                                                             \
        const float *a = op[1];                                                         \
        (void)s;                                                                        \
        _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) out[i] = name##_of(a[i]);  \
    }
KERNEL(cbrt)
KERNEL(tanh)
KERNEL(spacing)

HEAD(cheap_exp)
{
    float *out = op[0];
    const float *a = op[1];
    (void)s;
    for (int64_t i = 0; i < n; i += SEGMENT) {
        const int64_t m = n - i < SEGMENT ? n - i : SEGMENT;
        int normal = 1;
        for (int64_t k = 0; k < m; k++) normal &= exp_is_normal(a[i + k]);
        if (normal) _Pragma("GCC ivdep") for (int64_t k = 0; k < m; k++) out[i + k] = exp_normal(a[i + k]);
        else _Pragma("GCC ivdep") for (int64_t k = 0; k < m; k++) out[i + k] = exp_any(a[i + k]);
    }
}

HEAD(cheap_nextafter)
{
    float *out = op[0];
    const float *a = op[1], *b = op[2], x = *a, y = *b;
    if (s & 1) _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) out[i] = nextafter_of(x, s & 2 ? y : b[i]);
    else if (s & 2) _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) out[i] = nextafter_of(a[i], y);
    else _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) out[i] = nextafter_of(a[i], b[i]);
}

HEAD(cheap_i0)
{
    float *out = op[0];
    const float *a = op[1];
    (void)s;
    for (int64_t i = 0; i < n; i += SEGMENT) {
        const int64_t m = n - i < SEGMENT ? n - i : SEGMENT;
        int far = 0, near = 0;
        for (int64_t k = 0; k < m; k++) far |= fabsf(a[i + k]) > 8, near |= !(fabsf(a[i + k]) > 8);
        float x[SEGMENT], r[SEGMENT];
        for (int64_t k = 0; k < m; k++) x[k] = a[i + k];
        if (near) _Pragma("GCC ivdep") for (int64_t k = 0; k < m; k++) r[k] = i0_near(x[k]);
        if (far && near) for (int64_t k = 0; k < m; k++) r[k] = fabsf(x[k]) > 8 ? i0_far(x[k]) : r[k];
        else if (far) _Pragma("GCC ivdep") for (int64_t k = 0; k < m; k++) r[k] = i0_far(x[k]);
        for (int64_t k = 0; k < m; k++) out[i + k] = r[k];
    }
}

/* Where precision is lost, the row's own body computes. */
#define SUMS_OF_EXPS(name, unit)                                                                                  \
    HEAD(cheap_##name)                                                                                            \
    {                                                                                                             \
        float *out = op[0], ta[SEGMENT], tb[SEGMENT], r[SEGMENT];                                                 \
        const float *a = op[1], *b = op[2];                                                                       \
        for (int64_t i = 0; s && i < SEGMENT; i++) ta[i] = a[0], tb[i] = b[0];                                    \
        for (int64_t i = 0; i < n; i += SEGMENT) {                                                                \
            const int64_t m = n - i < SEGMENT ? n - i : SEGMENT;                                                  \
            const float *x = s & 1 ? ta : a + i, *y = s & 2 ? tb : b + i;                                         \
            int lost = 0;                                                                                         \
            _Pragma("GCC ivdep") for (int64_t k = 0; k < m; k++) r[k] = sum_of_exps(x[k], y[k], unit, &lost);     \
            for (int64_t k = 0; lost && k < m; k++) {                                                             \
                int one = 0;                                                                                      \
                sum_of_exps(x[k], y[k], unit, &one);                                                              \
                if (one) r[k] = cps_##name##_f32(x[k], y[k]);                                                     \
            }                                                                                                     \
            for (int64_t k = 0; k < m; k++) out[i + k] = r[k];                                                    \
        }                                                                                                         \
    }
SUMS_OF_EXPS(logaddexp, 1.0)
SUMS_OF_EXPS(logaddexp2, 0.69314718055994530942)

CPS_MATH int is_plain(float x, float y) { return (x > 0) & (x < INFINITY) & (fabsf(y) < INFINITY); }

HEAD(cheap_power)
{
    float *out = op[0], ta[SEGMENT], tb[SEGMENT];
    const float *a = op[1], *b = op[2];
    for (int64_t i = 0; s && i < SEGMENT; i++) ta[i] = a[0], tb[i] = b[0];
    for (int64_t i = 0; i < n; i += SEGMENT) {
        int64_t m = n - i < SEGMENT ? n - i : SEGMENT;
        const float *x = s & 1 ? ta : a + i, *y = s & 2 ? tb : b + i;
        int wild = 0;
        for (int64_t k = 0; k < m; k++) wild |= !is_plain(x[k], y[k]);
        if (!wild) {
            _Pragma("GCC ivdep") for (int64_t k = 0; k < m; k++) out[i + k] = power_of(x[k], y[k]);
        } else {
            for (int64_t k = 0; k < m; k++)
                out[i + k] = is_plain(x[k], y[k]) ? power_of(x[k], y[k]) : powf(x[k], y[k]);
        }
    }
}
#else
typedef int cpi_float32_no_fma; /* the scalar bodies serve */
#endif
