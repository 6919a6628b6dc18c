/* Functions that the C library lacks, of CUDA's: of half turns, scaled, normal distributions, inverses. */
#pragma once

/* Of x in half turns: what is left of whole quarters is exact. */
static inline double sinpi(double x)
{
    x = fmod(x, 2);
    const double n = rint(2 * x), r = 3.14159265358979323846 * fma(-0.5, n, x);
    const int quarter = (int)n & 3;
    const double s = quarter & 1 ? cos(r) : sin(r);
    return s == 0 ? 0 * x : quarter & 2 ? -s : s;
}
static inline float sinpif(float x) { return (float)sinpi((double)x); }
static inline double cospi(double x)
{
    x = fmod(fabs(x), 2);
    const double n = rint(2 * x), r = 3.14159265358979323846 * fma(-0.5, n, x);
    const int quarter = (int)n & 3;
    const double c = quarter & 1 ? sin(r) : cos(r);
    return c == 0 ? 0 : quarter == 1 || quarter == 2 ? -c : c;
}
static inline float cospif(float x) { return (float)cospi((double)x); }
/* exp(x * x) with what the square loses; for large x the series in 1/x. */
static inline double erfcx(double x)
{
    if (x < 20) {
        const double h = x * x;
        return exp(h) * (__builtin_isinf(h) ? 2 : erfc(x) * (1 + fma(x, x, -h)));
    }
    const double q = 0.5 / x / x;
    double term = 1, sum = 1;
    for (int k = 1; k < 12; k++) sum += term *= -(2 * k - 1) * q;
    return 0.56418958354775628695 / x * sum;
}
/* The argument of erfc with its own error, which would count many times over where x is far below 0. */
static inline double normcdf(double x)
{
    const double root = 0.70710678118654752440, t = -x * root;
    const double lost = fma(-x, root, -t) + x * 4.8336466567264567e-17;
    const double r = 0.5 * erfc(t);
    return fabs(t) < 30 ? r - lost * 0.56418958354775628695 * exp(-t * t) : r;
}
static inline float normcdff(float x) { return (float)normcdf(x); }
static inline void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }
static inline void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
/* Steps of Newton's: on erf where it is not flat, on the logarithm of erfc elsewhere. */
static inline double erfcinv(double x)
{
    if (!(x > 0 && x < 2)) return x == 0 ? __builtin_inf() : x == 2 ? -__builtin_inf() : __builtin_nan("");
    if (x > 1.5) return -erfcinv(2 - x);
    double y = x >= 0.5 ? (1 - x) * 0.886226925452758 : sqrt(-log(x));
    for (int i = 0; i < 12; i++) {
        double e = x >= 0.5 ? erf(y) - (1 - x) : (log(x) - log(erfc(y))) * erfc(y);
        double step = e * 0.886226925452758 * exp(y * y);
        y -= step;
        if (fabs(step) <= 1e-16 * fabs(y)) break;
    }
    return y;
}
static inline double erfinv(double x)
{
    if (fabs(x) > 0.5) return copysign(erfcinv(1 - fabs(x)), x);
    double y = x * 0.886226925452758;
    for (int i = 0; i < 6; i++) y -= (erf(y) - x) * 0.886226925452758 * exp(y * y);
    return y;
}
static inline double normcdfinv(double x) { return -1.41421356237309504880 * erfcinv(2 * x); }
static inline float erfinvf(float x) { return (float)erfinv((double)x); }
static inline float erfcinvf(float x) { return (float)erfcinv((double)x); }
static inline float normcdfinvf(float x) { return (float)normcdfinv((double)x); }
static inline float erfcxf(float x) { return (float)erfcx((double)x); }
static inline double rhypot(double a, double b) { return 1 / hypot(a, b); }
static inline float rhypotf(float a, float b) { return 1 / hypotf(a, b); }
