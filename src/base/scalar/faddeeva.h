/* Faddeeva's function w(z) = exp(-z^2) erfc(-i z) and what is made of it: the error functions of complex numbers.
 *
 * Above the real axis w is the trapezoidal or the midpoint rule of its integral with 12 points, and where the poles are
 * near, their residue (Al Azah and Chandler-Wilde, "Computation of the complex error function using modified
 * trapezoidal rules", SIAM J. Numer. Anal. 59, 2021): the same few operations everywhere. Below, w(z) = 2 exp(-z^2) -
 * w(-z). Near 0, where differences would cancel, the functions are their power series. */
#ifndef CPS_FADDEEVA_H
#define CPS_FADDEEVA_H

#include "scalar/normal_real.h"

#define CPS_TWO_OVER_SQRT_PI 1.1283791670955125738961589031215452
#define CPS_STEP 0.5116633539732443 /* of the rule: sqrt(pi / 12) */

/* exp(-((k + 1/2) h)^2) and exp(-(k h)^2), the weights of the two rules. */
CPS_TABLE cps_w_midpoint[12] = {
    0.9366460212365959, 0.5548549101598534, 0.19470957808529029, 0.040476144603805739, 0.0049844231324685859,
    0.0003636089863893044, 1.5712969017800476e-5, 4.0224054215648124e-7, 6.0998249159121568e-9,
    5.479650239757524e-11, 2.9160317551794974e-13, 9.1925415251343651e-16};
CPS_TABLE cps_w_trapezoid[12] = {
    1.0, 0.7696654124932398, 0.35091980717841096, 0.094780224842154847, 0.015164619864546568, 0.0014373060804075315,
    8.0699517570304581e-5, 2.6840867930967425e-6, 5.2884221169441552e-8, 6.1724788652243064e-10,
    4.267731135455222e-12, 1.7479879405655e-14};

/* exp(-z^2 * scale - shift), scale 1 or 1/2, of squares in two parts: their rounding errors would be magnified. Where
 * both parts of z are large the exponent is the product of their difference, which is exact unless the result is 0 or
 * infinite, and their sum. An infinite result whose angle is unknown is infinity and NaN. */
CPS_HEAVY cp_complex128 cps_exp_square_less(cp_complex128 z, double scale, double shift)
{
    if (z.re == 0) {
        const double y = fabs(z.im), half = exp(0.5 * (scale * y * y - shift));
        return CPS_C(y > 60 ? CPS_INF : half * half * (1 + scale * fma(y, y, -(y * y))), -z.re);
    }
    const double x = z.re, y = z.im, a = fabs(x), b = fabs(y), p = 2 * x * y;
    double whole, lost; /* y^2 - x^2 and what it loses */
    if (a > 64 && b > 64) {
        const double d = b - a, sum = a + b;
        whole = d == 0 ? 0 : d * sum;
        lost = d == 0 ? 0 : fma(d, sum, -whole) + d * ((fmax(a, b) - sum) + fmin(a, b));
    } else {
        const double xx = x * x, yy = y * y, back = (yy - xx) - yy;
        whole = yy - xx;
        lost = (yy - (whole - back)) + (-xx - back) + (fma(y, y, -yy) - fma(x, x, -xx));
    }
    whole *= scale, lost *= scale;
    if (whole - shift < -800) return CPS_C(0, 0);
    if (cps_infinite(p)) return whole > 1400 ? CPS_C(CPS_INF, CPS_NAN) : CPS_C(CPS_NAN, CPS_NAN);
    const double q = p * scale, low = fma(2 * x, y, -p) * scale;
    const int far = fabs(low) > 1e-8; /* the angle is -(q + low) */
    const double c = cos(q), s = -sin(q), u = far ? cos(low) : 1, v = far ? sin(low) : low;
    const double re = c * u + s * v, im = s * u - c * v;
    if (whole > 1400) return CPS_C(copysign(CPS_INF, re), p == 0 ? im : copysign(CPS_INF, im));
    const double half = exp(0.5 * (whole - shift)), e = half * (fabs(lost) > 1e-8 ? exp(lost) : 1 + lost);
    return CPS_C(re * e * half, p == 0 ? -p : im * e * half);
}
CPS_MATH cp_complex128 cps_exp_square_c128(cp_complex128 z, double scale) { return cps_exp_square_less(z, scale, 0); }
/* w of x >= 0, y >= 0 */
CPS_HEAVY cp_complex128 cps_wofz_quadrant(double x, double y)
{
    const double h = CPS_STEP;
    if (x > 1e9 || y > 1e9) { /* i / (sqrt(pi) z) */
        const cp_complex128 r = cps_reciprocal_c128(CPS_C(x * 0x1p-4, y * 0x1p-4));
        if (x == CPS_INF || y == CPS_INF) return CPS_C(0, 0);
        return CPS_C(-r.im * 0x1p-4 / CPS_SQRT_PI, r.re * 0x1p-4 / CPS_SQRT_PI);
    }
    const double part = x / h - floor(x / h);
    const int pole = !(y >= x || y >= CPS_PI / h), trapezoid = pole && part >= 0.25 && part <= 0.75;
    const int plain = y >= CPS_PI / h || y >= x;
    const double re = (x - y) * (x + y), im = 2 * x * y, shift = trapezoid ? 0 : 0.5;
    double sr = 0, si = 0;
    for (int k = trapezoid; k < 12; k++) { /* weight / (z^2 - t^2) */
        const double t = (k + shift) * h, d = re - t * t, g = trapezoid ? cps_w_trapezoid[k] : cps_w_midpoint[k];
        const double r = g / (d * d + im * im);
        sr += d * r;
        si -= im * r;
    }
    /* (2 i h z / pi) sum */
    const double f = 2 * h / CPS_PI;
    cp_complex128 w = CPS_C(-f * (x * si + y * sr), f * (x * sr - y * si));
    if (trapezoid) { /* + i h / (pi z) */
        const double r = h / CPS_PI / (x * x + y * y);
        w = CPS_C(w.re + y * r, w.im + x * r);
    }
    if (!(plain && y >= CPS_PI / h)) {
        const double turn = 2 * CPS_PI / h;
        /* exp(-2 i pi z / h), of which only the part of a turn counts */
        const double e = exp(turn * y), c = e * cos(turn * h * part), s = -e * sin(turn * h * part);
        const cp_complex128 d = trapezoid ? CPS_C(1 - c, -s) : CPS_C(1 + c, s);
        const cp_complex128 q = cps_divide_c128(cps_exp_square_c128(CPS_C(x, y), 1), d);
        w = CPS_C(w.re + 2 * q.re, w.im + 2 * q.im);
    }
    return w;
}
CPS_HEAVY cp_complex128 cps_wofz_c128(cp_complex128 z)
{
    if (z.re != z.re || z.im != z.im) return CPS_C(CPS_NAN, CPS_NAN);
    if (cps_infinite(z.re) && cps_infinite(z.im)) return CPS_C(CPS_NAN, CPS_NAN);
    const cp_complex128 w = cps_wofz_quadrant(fabs(z.re), fabs(z.im));
    if (!(z.im < 0)) return CPS_C(w.re, z.re < 0 ? -w.im : w.im);
    if (fabs(z.re) == CPS_INF) return CPS_C(0, 0);
    if (z.im == -CPS_INF) return CPS_C(z.re == 0 ? CPS_INF : CPS_NAN, z.re == 0 ? 0 : CPS_NAN);
    const cp_complex128 e = cps_exp_square_c128(z, 1); /* 2 exp(-z^2) - w(-z) */
    return CPS_C(2 * e.re - w.re, 2 * e.im - (z.re > 0 ? -w.im : w.im));
}

/* --- modified Fresnel integrals --- */

typedef struct cps_modfresnel_pair { cp_complex128 f, k; } cps_modfresnel_pair;
typedef struct cps_modfresnel_narrow { cp_complex64 f, k; } cps_modfresnel_narrow;
/* f: of exp(i t^2) from x on; k: exp(-i (x^2 + pi/4)) / sqrt(pi) times it. `minus`: of -i in place of i. Right of 0 k
 * is w of exp(i pi/4) x, halved. */
CPS_HEAVY cps_modfresnel_pair cps_modfresnel_c128(double x, int minus)
{
    const double a = fabs(x), h = a * a, lost = fma(a, a, -h);
    cps_modfresnel_pair r = {CPS_C(CPS_NAN, CPS_NAN), CPS_C(CPS_NAN, CPS_NAN)};
    if (x != x) return r;
    r.k = CPS_C(0, 0);
    if (a < CPS_INF) r.k = cps_scale(cps_wofz_c128(CPS_C(CPS_SQRT_HALF * a, CPS_SQRT_HALF * a)), 0.5);
    r.f = CPS_C(0, 0);
    if (h < CPS_INF) { /* exp(i a^2) (1 + i) / sqrt(2) */
        const double s = sin(h), c = cos(h), sn = s + lost * c, cs = c - lost * s;
        const cp_complex128 turn = CPS_C(CPS_SQRT_HALF * (cs - sn), CPS_SQRT_HALF * (cs + sn));
        r.f = cps_scale(cps_multiply_c128(r.k, turn), CPS_SQRT_PI);
        if (x < 0) r.k = CPS_C(cs - r.k.re, -sn - r.k.im);
    } else if (x < 0)
        r.k = CPS_C(CPS_NAN, CPS_NAN);
    if (x < 0) r.f = CPS_C(CPS_SQRT_PI * CPS_SQRT_HALF - r.f.re, CPS_SQRT_PI * CPS_SQRT_HALF - r.f.im);
    if (minus) r.f.im = -r.f.im, r.k.im = -r.k.im;
    return r;
}
CPS_MATH cps_modfresnel_narrow cps_modfresnel_c64(float x, int minus)
{
    const cps_modfresnel_pair r = cps_modfresnel_c128(x, minus);
    const cps_modfresnel_narrow n = {cps_narrow(r.f), cps_narrow(r.k)};
    return n;
}

#endif
