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

/* log x of a positive normal number. x = 2^k m, m in [sqrt(1/2), sqrt 2); log m = 2 artanh((m - 1) / (m + 1)). */
CPR_FN double cpr_log(double x)
{
    const uint64_t b = cpr_bits(x), up = b + (UINT64_C(0x3ff0000000000000) - UINT64_C(0x3fe6a09e667f3bcd));
    const double k = cpr_from_bits((up >> 52) | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023); /* the exponent */
    const double m = cpr_from_bits((up & UINT64_C(0x000fffffffffffff)) + UINT64_C(0x3fe6a09e667f3bcd));
    const double f = m - 1, s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    double p = 2.0 / 21;
    p = fma(p, z, 2.0 / 19);
    p = fma(p, z, 2.0 / 17);
    p = fma(p, z, 2.0 / 15);
    p = fma(p, z, 2.0 / 13);
    p = fma(p, z, 2.0 / 11);
    p = fma(p, z, 2.0 / 9);
    p = fma(p, z, 2.0 / 7);
    p = fma(p, z, 2.0 / 5);
    p = fma(p, z, 2.0 / 3);
    p *= z;
    const double low = fma(s, half + p, k * CPR_LN2_LOW); /* log m = f - half + s (half + p) */
    return fma(k, CPR_LN2_HIGH, f - (half - low));
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

/* sin and cos of 2 pi u, u in [0, 1). */
CPR_FN void cpr_turn(double u, double *sine, double *cosine)
{
    const double t = 4 * u, shifted = t + 0x1.8p52, r = (t - (shifted - 0x1.8p52)) * (CPR_PI / 2), z = r * r;
    double s = 1.0 / -1307674368000.0, c = 1.0 / 20922789888000.0;
    s = fma(s, z, 1.0 / 6227020800.0);
    s = fma(s, z, 1.0 / -39916800);
    s = fma(s, z, 1.0 / 362880);
    s = fma(s, z, 1.0 / -5040);
    s = fma(s, z, 1.0 / 120);
    s = fma(s, z, 1.0 / -6);
    s = fma(s * z, r, r);
    c = fma(c, z, 1.0 / -87178291200.0);
    c = fma(c, z, 1.0 / 479001600);
    c = fma(c, z, 1.0 / -3628800);
    c = fma(c, z, 1.0 / 40320);
    c = fma(c, z, 1.0 / -720);
    c = fma(c, z, 1.0 / 24);
    c = fma(c, z, -0.5);
    c = fma(c, z, 1);
    const uint64_t q = cpr_bits(shifted); /* the quarter is in its last bits */
    const double a = q & 1 ? c : s, b = q & 1 ? s : c;
    *sine = cpr_from_bits(cpr_bits(a) ^ (q & 2) << 62);
    *cosine = cpr_from_bits(cpr_bits(b) ^ ((q + 1) & 2) << 62);
}

/* A word as a number in [1, 2): its upper 52 bits. */
CPR_FN double cpr_one_to_two(uint64_t w) { return cpr_from_bits(w >> 12 | UINT64_C(0x3ff0000000000000)); }
/* (0, 1]: for logarithms */
CPR_FN double cpr_open(uint64_t w) { return 2 - cpr_one_to_two(w); }
/* (0, 1), both ends open: odd multiples of 2^-53 */
CPR_FN double cpr_inside(uint64_t w) { return (cpr_one_to_two(w) - 1) + 0x1p-53; }

/* Two independent normal numbers (Box and Muller 1958). */
CPR_FN void cpr_normals(uint64_t v, uint64_t w, double *a, double *b)
{
    double s, c;
    const double r = sqrt(-2 * cpr_log(cpr_open(v)));
    cpr_turn(cpr_one_to_two(w) - 1, &s, &c);
    *a = r * c;
    *b = r * s;
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

/* exp(x) - 1 */
CPR_FN double cpr_expm1(double x)
{
    if (fabs(x) > 0.3) return cpr_exp(x) - 1;
    double p = 1.0 / 87178291200.0;
    for (int k = 13; k >= 2; k--) {
        const double f[] = {0,          0,          1.0 / 2,     1.0 / 6,      1.0 / 24,       1.0 / 120, 1.0 / 720,
                            1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600,
                            1.0 / 6227020800.0};
        p = fma(p, x, f[k]);
    }
    return fma(p * x, x, x);
}

/* x to the power of p, x >= 0 */
CPR_FN double cpr_pow(double x, double p)
{
    if (x == 0) return p > 0 ? 0 : p == 0 ? 1 : INFINITY;
    return cpr_exp(p * cpr_log_any(x));
}

/* What Stirling's formula for log k! lacks: (k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2 is all else. */
CPR_FN double cpr_stirling_tail(double k)
{
    const double t[] = {0.081061466795327258220, 0.041340695955409294094, 0.027677925684998339149,
                        0.020790672103765093112, 0.016644691189821192163, 0.013876128823070747999,
                        0.011896709945891770095, 0.010411265261972096498, 0.009255462182712732918,
                        0.008330563433362871256, 0.007573675487951840795, 0.006942840107209529866,
                        0.006408994188004207068, 0.005951370112758847736, 0.005554733551962801371,
                        0.005207655919609640441};
    if (k < 16) return t[(int)k];
    const double n = k + 1, z = 1 / (n * n);
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / 1680 * z) * z) * z) / n;
}

/* log k!, k a whole number >= 0 */
CPR_FN double cpr_lfactorial(double k)
{
    const double n = k + 1;
    return (k + 0.5) * cpr_log(n) - n + 0.918938533204672741780 + cpr_stirling_tail(k);
}

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
