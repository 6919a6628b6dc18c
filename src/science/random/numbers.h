/* Mathematics of the distributions: every operation is an IEEE one or an fma, written in one order, so that C17 and
 * CUDA C++ give the same bits. Errors are a few units in the last place, which no test of a distribution can see.
 *
 * Functions without branches (log, exp, sin and cos of a turn) become vectors in the loops that call them. */
#ifndef CPR_NUMBERS_H
#define CPR_NUMBERS_H

#include <math.h>
#include <string.h>

#include "random/philox.h"

CPR_FN double cpr_from_bits(uint64_t b)
{
    double v;
    memcpy(&v, &b, sizeof v);
    return v;
}
CPR_FN uint64_t cpr_bits(double v)
{
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

#define CPR_LN2_HIGH 0x1.62e42fefa38p-1   /* 43 bits: times an exponent it is exact */
#define CPR_LN2_LOW 0x1.ef35793c7673p-45
#define CPR_PI 3.14159265358979323846

/* Coefficients, in C as literals; on a GPU in constant memory, from where an instruction takes its operand for nothing:
 * a literal of 64 bits costs two more. Each row is a polynomial by its values at Chebyshev's nodes. */
#define CPR_COEFFICIENTS                                                                                       \
    /* (log((1 + s) / (1 - s)) - 2 s) / s^3 of s^2 in [0, 0.0296]; error 2^-51, of the logarithm 2^-57 */       \
    0x1.5555555555558p-1, 0x1.9999999995077p-2, 0x1.2492492e35998p-2, 0x1.c71c628e9e0c9p-3,                    \
    0x1.7462cd53e5318p-3, 0x1.39fb2efe206abp-3, 0x1.2b7fa64da1a6ap-3,                                          \
    /* sin(pi/2 x) / x of x^2 in [0, 1/4]; 2^-58 */                                                            \
    0x1.921fb54442d18p+0, -0x1.4abbce625be41p-1, 0x1.466bc677587f8p-4, -0x1.32d2cce2e5b19p-8,                  \
    0x1.50782fda12d96p-13, -0x1.e30071afc3e59p-19, 0x1.e3f38399551bfp-25,                                      \
    /* cos(pi/2 x) of the same; 2^-64 */                                                                       \
    0x1p+0, -0x1.3bd3cc9be45dep+0, 0x1.03c1f081b5aacp-2, -0x1.55d3c7e3c90f8p-6, 0x1.e1f5068355e15p-11,         \
    -0x1.a6d1ec7906c20p-16, 0x1.f9cc41140bb60p-22, -0x1.b264ba152378ap-28, CPR_LN2_HIGH, CPR_LN2_LOW
enum { CPR_C_LOG = 0, CPR_C_SIN = 7, CPR_C_COS = 14, CPR_C_LN2 = 22, CPR_C_LN2_LOW, CPR_NC };
#ifdef __CUDACC__
static __constant__ double cpr_there[CPR_NC] = {CPR_COEFFICIENTS};
#endif
CPR_FN double cpr_c(int i)
{
#ifdef __CUDA_ARCH__
    return cpr_there[i];
#else
    static const double here[CPR_NC] = {CPR_COEFFICIENTS};
    return here[i];
#endif
}

/* n / d, sqrt(x) of double and of float, correctly rounded as the operators are, but where no operand and no result is
 * near the ends of the exponents: then a GPU needs no branch. */
CPR_FN double cpr_quotient(double n, double d)
{
#ifdef __CUDA_ARCH__
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d)); /* 20 bits, doubled and doubled again */
    double e = fma(-d, r, 1.0);
    e = fma(e, e, e);
    r = fma(r, e, r);
    r = fma(r, fma(-d, r, 1.0), r);
    const double q = n * r;
    return fma(r, fma(-d, q, n), q);
#else
    return n / d;
#endif
}

CPR_FN double cpr_root(double x)
{
#ifdef __CUDA_ARCH__
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = fma(x, -(y * y), 1.0);
    y = fma(fma(e, 0.375, 0.5), y * e, y);
    const double g = x * y;
    return fma(fma(g, -g, x), 0.5 * y, g);
#else
    return sqrt(x);
#endif
}

CPR_FN float cpr_root32(float x)
{
#ifdef __CUDA_ARCH__
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    const float g = x * y;
    return fmaf(fmaf(-g, g, x), 0.5f * y, g);
#else
    return sqrtf(x);
#endif
}

/* log x of a positive normal number. x = 2^k m, m in [sqrt(1/2), sqrt 2); log m = 2 artanh((m - 1) / (m + 1)). */
CPR_FN double cpr_log(double x)
{
    const uint64_t least = UINT64_C(0x3fe6a09e00000000), up = cpr_bits(x) + (UINT64_C(0x3ff0000000000000) - least);
    const double k = cpr_from_bits((up >> 52) | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023); /* the exponent */
    const double m = cpr_from_bits((up & UINT64_C(0x000fffffffffffff)) + least);
    const double f = m - 1, s = cpr_quotient(f, 2 + f), z = s * s, half = 0.5 * f * f;
    double p = cpr_c(CPR_C_LOG + 6);
    p = fma(p, z, cpr_c(CPR_C_LOG + 5));
    p = fma(p, z, cpr_c(CPR_C_LOG + 4));
    p = fma(p, z, cpr_c(CPR_C_LOG + 3));
    p = fma(p, z, cpr_c(CPR_C_LOG + 2));
    p = fma(p, z, cpr_c(CPR_C_LOG + 1));
    p = fma(p, z, cpr_c(CPR_C_LOG));
    p *= z;
    const double low = fma(s, half + p, k * cpr_c(CPR_C_LN2_LOW)); /* log m = f - half + s (half + p) */
    return fma(k, cpr_c(CPR_C_LN2), f - (half - low));
}

/* exp x, 0 and infinity at the ends, subnormals too; NaN stays. */
CPR_FN double cpr_exp(double x)
{
    double c = x < -746 ? -746 : x;
    c = c > 710 ? 710 : c;
    const double shifted = fma(c, 1.44269504088896340736, 0x1.8p52), k = shifted - 0x1.8p52;
    const double r = fma(-k, CPR_LN2_LOW, fma(-k, CPR_LN2_HIGH, c));
    double p = 1.0 / 6227020800.0;
    p = fma(p, r, 1.0 / 479001600);
    p = fma(p, r, 1.0 / 39916800);
    p = fma(p, r, 1.0 / 3628800);
    p = fma(p, r, 1.0 / 362880);
    p = fma(p, r, 1.0 / 40320);
    p = fma(p, r, 1.0 / 5040);
    p = fma(p, r, 1.0 / 720);
    p = fma(p, r, 1.0 / 120);
    p = fma(p, r, 1.0 / 24);
    p = fma(p, r, 1.0 / 6);
    p = fma(p, r, 0.5);
    p = fma(p, r, 1);
    p = fma(p, r, 1);
    const int64_t n = (int64_t)(int32_t)(uint32_t)cpr_bits(shifted), half = n >> 1;
    return p * cpr_from_bits((uint64_t)(half + 1023) << 52) * cpr_from_bits((uint64_t)(n - half + 1023) << 52);
}

/* sin and cos of the angle x quarter turns, x in [-1/2, 1/2] */
CPR_FN void cpr_quarter(double x, double *sine, double *cosine)
{
    const double z = x * x;
    double s = cpr_c(CPR_C_SIN + 6), c = cpr_c(CPR_C_COS + 7);
    s = fma(s, z, cpr_c(CPR_C_SIN + 5));
    s = fma(s, z, cpr_c(CPR_C_SIN + 4));
    s = fma(s, z, cpr_c(CPR_C_SIN + 3));
    s = fma(s, z, cpr_c(CPR_C_SIN + 2));
    s = fma(s, z, cpr_c(CPR_C_SIN + 1));
    *sine = fma(s, z, cpr_c(CPR_C_SIN)) * x;
    c = fma(c, z, cpr_c(CPR_C_COS + 6));
    c = fma(c, z, cpr_c(CPR_C_COS + 5));
    c = fma(c, z, cpr_c(CPR_C_COS + 4));
    c = fma(c, z, cpr_c(CPR_C_COS + 3));
    c = fma(c, z, cpr_c(CPR_C_COS + 2));
    c = fma(c, z, cpr_c(CPR_C_COS + 1));
    *cosine = fma(c, z, cpr_c(CPR_C_COS));
}

/* sin and cos of 2 pi u, u in [0, 1). */
CPR_FN void cpr_turn(double u, double *sine, double *cosine)
{
    const double t = 4 * u, shifted = t + 0x1.8p52;
    const uint64_t q = cpr_bits(shifted); /* the quarter is in its last bits */
    double s, c;
    cpr_quarter(t - (shifted - 0x1.8p52), &s, &c);
    const double a = q & 1 ? c : s, b = q & 1 ? s : c;
    *sine = cpr_from_bits(cpr_bits(a) ^ (q & 2) << 62);
    *cosine = cpr_from_bits(cpr_bits(b) ^ ((q + 1) & 2) << 62);
}

/* A word as a number in [1, 2): its upper 52 bits. */
CPR_FN double cpr_one_to_two(uint64_t w) { return cpr_from_bits(w >> 12 | UINT64_C(0x3ff0000000000000)); }
/* (0, 1]: for logarithms */
CPR_FN double cpr_open(uint64_t w) { return 2 - cpr_one_to_two(w); }
/* (0, 1), both ends open: odd multiples of 2^-53 */
CPR_FN double cpr_inside(uint64_t w) { return cpr_one_to_two(w) - (1 - 0x1p-53); }

/* Two independent normal numbers (Box and Muller 1958): the first word makes the radius, 52 bits of the second one an
 * angle of the quarter around 0. Its upper two bits make the circle of it: one is the cosine's sign, with the other the
 * two change places. */
CPR_FN void cpr_normals(uint64_t v, uint64_t w, double *a, double *b)
{
    double s, c;
    const double r = cpr_root(-2 * cpr_log(cpr_inside(v)));
    cpr_quarter(cpr_one_to_two(w << 2) - 1.5, &s, &c);
    c = cpr_from_bits(cpr_bits(c) ^ (w & UINT64_C(1) << 63));
    const bool swapped = w >> 62 & 1;
    *a = r * (swapped ? s : c);
    *b = r * (swapped ? c : s);
}

CPR_FN float cpr_from_bits32(uint32_t b)
{
    float v;
    memcpy(&v, &b, sizeof v);
    return v;
}
CPR_FN uint32_t cpr_bits32(float v)
{
    uint32_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

/* log u of u in (0, 1), float32 */
CPR_FN float cpr_log32(float u)
{
    /* u = 2^k m, m in [sqrt(1/2), sqrt 2) */
    const int32_t bits = (int32_t)cpr_bits32(u), k = (bits - 0x3f3504f3) >> 23;
    const float f = cpr_from_bits32((uint32_t)bits - ((uint32_t)k << 23)) - 1;
    float p = 0.0697579465f; /* (log(1 + f) - f + f^2 / 2) / f^3; 2^-28 of the logarithm */
    p = fmaf(p, f, -0.114859161f);
    p = fmaf(p, f, 0.1168681424f);
    p = fmaf(p, f, -0.1242499324f);
    p = fmaf(p, f, 0.1424885781f);
    p = fmaf(p, f, -0.1666782309f);
    p = fmaf(p, f, 0.200007216f);
    p = fmaf(p, f, -0.2499999681f);
    p = fmaf(p, f, 0.3333333116f);
    return fmaf((float)k, 0.693147180559945f, fmaf(f * f, fmaf(p, f, -0.5f), f));
}

/* Two normal numbers of one word, in float32 throughout: 32 bits for the radius, which goes to 6.76, 25 for the angle.
 */
CPR_FN void cpr_normals32(uint64_t w, float *a, float *b)
{
    const uint32_t l = (uint32_t)w;
    const float u = fmaf((float)(uint32_t)(w >> 32), 0x1p-32f, 0x1p-33f), most = 0x1.fffffep-1f;
    const float r = cpr_root32(-2 * cpr_log32(u < most ? u : most));
    const float x = cpr_from_bits32(0x3f800000u | (l & 0x7fffffu)) - 1.5f, z = x * x;
    float s = -0.004602149213f, c = 0.0009036280664f; /* as cpr_quarter's; 2^-28, 2^-33 */
    s = fmaf(s, z, 0.07968021765f);
    s = fmaf(s, z, -0.6459634777f);
    s = fmaf(s, z, 1.570796322f) * x;
    c = fmaf(c, z, -0.0208600695f);
    c = fmaf(c, z, 0.2536692037f);
    c = fmaf(c, z, -1.233700541f);
    c = fmaf(c, z, 1);
    c = cpr_from_bits32(cpr_bits32(c) ^ (l & 0x80000000u));
    const bool swapped = l >> 30 & 1;
    *a = r * (swapped ? s : c);
    *b = r * (swapped ? c : s);
}

/* --- of any argument; these branch --- */

/* log x of any x >= 0 */
CPR_FN double cpr_log_any(double x)
{
    if (!(x >= 0x1p-1022)) return x > 0 ? cpr_log(x * 0x1p54) - 54 * 0.693147180559945309417 : x == 0 ? -INFINITY : NAN;
    return x > 1.7976931348623157e308 ? x : cpr_log(x);
}

/* log(1 + x), x > -1 */
CPR_FN double cpr_log1p(double x)
{
    const double u = 1 + x;
    if (u == 1) return x;
    return cpr_log_any(u) * (x / (u - 1)); /* u's rounding cancels, as Kahan found */
}

/* exp(x) - 1 of |x| <= 0.3, and of any */
CPR_FN double cpr_expm1_small(double x)
{
    double p = 1.0 / 87178291200.0;
    p = fma(p, x, 1.0 / 6227020800.0);
    p = fma(p, x, 1.0 / 479001600.0);
    p = fma(p, x, 1.0 / 39916800.0);
    p = fma(p, x, 1.0 / 3628800.0);
    p = fma(p, x, 1.0 / 362880.0);
    p = fma(p, x, 1.0 / 40320.0);
    p = fma(p, x, 1.0 / 5040.0);
    p = fma(p, x, 1.0 / 720.0);
    p = fma(p, x, 1.0 / 120.0);
    p = fma(p, x, 1.0 / 24.0);
    p = fma(p, x, 1.0 / 6.0);
    p = fma(p, x, 1.0 / 2.0);
    return fma(p * x, x, x);
}

CPR_FN double cpr_expm1(double x) { return fabs(x) > 0.3 ? cpr_exp(x) - 1 : cpr_expm1_small(x); }

/* The same of 0 < x <= 1, and of any x, in the same operations without branches. */
CPR_FN double cpr_log1p_eager(double x)
{
    const double u = 1 + x, l = cpr_log(u) * (x / (u - 1));
    return u == 1 ? x : l;
}

CPR_FN double cpr_expm1_eager(double x)
{
    const double large = cpr_exp(x) - 1, small = cpr_expm1_small(x);
    return fabs(x) > 0.3 ? large : small;
}

/* x to the power of p, x >= 0 */
CPR_FN double cpr_pow(double x, double p)
{
    if (x == 0) return p > 0 ? 0 : p == 0 ? 1 : INFINITY;
    return cpr_exp(p * cpr_log_any(x));
}

/* What Stirling's formula for log k! lacks: (k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2 is all else. */
#define CPR_STIRLING_TAILS                                                                                     \
    0.081061466795327258220, 0.041340695955409294094, 0.027677925684998339149, 0.020790672103765093112,        \
    0.016644691189821192163, 0.013876128823070747999, 0.011896709945891770095, 0.010411265261972096498,        \
    0.009255462182712732918, 0.008330563433362871256, 0.007573675487951840795, 0.006942840107209529866,        \
    0.006408994188004207068, 0.005951370112758847736, 0.005554733551962801371, 0.005207655919609640441
CPR_FN double cpr_stirling_series(double k)
{
    const double n = k + 1, z = 1 / (n * n);
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / 1680 * z) * z) * z) / n;
}

CPR_FN double cpr_stirling_tail(double k)
{
    const double t[] = {CPR_STIRLING_TAILS};
    return k < 16 ? t[(int)k] : cpr_stirling_series(k);
}

/* log k!, k a whole number >= 0; of what its tail is */
CPR_FN double cpr_lfactorial_by(double k, double tail)
{
    const double n = k + 1;
    return (k + 0.5) * cpr_log(n) - n + 0.918938533204672741780 + tail;
}

CPR_FN double cpr_lfactorial(double k) { return cpr_lfactorial_by(k, cpr_stirling_tail(k)); }

/* tan(pi (u - 1/2)), u in (0, 1): by sine and cosine, whose quotient is exact near both ends because u's distance to
 * them is. */
CPR_FN double cpr_cauchy(double u)
{
    double s, c;
    const double h = u - 0.5;                 /* exact; (-1/2, 1/2) */
    cpr_turn(0.5 * fabs(h), &s, &c);          /* the angle pi |h| */
    return (h < 0 ? -s : s) / c;
}

#endif
