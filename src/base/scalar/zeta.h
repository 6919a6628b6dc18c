/* Riemann's zeta function of real and of complex numbers.
 *
 * Complex numbers: from -1/2 on it is a sum of powers, whose rest is given by the Euler-Maclaurin formula; left of that
 * the reflection, which near 0 would lose s in 1 - s.
 * Angles t log(n) are made of logarithms in pairs of doubles, so a large imaginary part t costs time alone: |t| / 3
 * terms, fewer far from the critical strip. It is NaN beyond 10^9 of t in the strip, and beyond 10^15. */
#ifndef CPS_ZETA_H
#define CPS_ZETA_H

#include "scalar/gamma.h"
#include "scalar/pairs.h"

/* zeta(x) for x < -1: 2^x pi^(x-1) sin(pi x / 2) gamma(1 - x) zeta(1 - x) */
CPS_HEAVY double cps_zeta_left(double x)
{
    const double s = 1 - x, sine = cps_sinpi(0.5 * x);
    double z = cps_zeta_sum(s, 1);
    if (sine == 0) return 0;
    z *= 1 + x * 3.8981718325193755e-17 + (1 - (s + x)) * (log(s) - 0.5 / s); /* roundings of 2 pi and of s */
    if (s < 150) return sine * z * cps_gamma(s) * pow(2 * CPS_PI, x) / CPS_PI;
    double scale;
    if (s > 400) return sine > 0 ? CPS_INF : -CPS_INF;
    const double g = cps_gamma_large(s, &scale), half = pow(2 * CPS_PI, 0.5 * x);
    return sine * z / CPS_PI * (g * scale * half) * (scale * half);
}
/* zeta(x) - 1 */
CPS_HEAVY double cps_zetac(double x)
{
    if (x != x || x == -CPS_INF) return CPS_NAN;
    if (x == 1) return CPS_INF;
    if (x > 60) return pow(2.0, -x) + pow(3.0, -x);
    if (x > 1) return cps_zeta_sum(x, 2);
    return (x >= -1 ? CPS_CELL(cps_zeta_cells, x, -1, 4) / (x - 1) : cps_zeta_left(x)) - 1;
}
CPS_HEAVY double cps_riemann_zeta(double x)
{
    if (x != x || x == -CPS_INF) return CPS_NAN;
    if (x >= 1 || x < -1) return x < -1 ? cps_zeta_left(x) : 1 + cps_zetac(x);
    return CPS_CELL(cps_zeta_cells, x, -1, 4) / (x - 1);
}

/* --- logarithms in pairs --- */

CPS_MATH cps_two cps_two_square(double a)
{
    const double p = a * a;
    const cps_two r = {p, fma(a, a, -p)};
    return r;
}
/* log(a) for a from 1e-300 on: 2 atanh((m - 1) / (m + 1)) of a = 2^k m */
CPS_HEAVY cps_two cps_two_log(cps_two a)
{
    int k;
    const double m = frexp(a.high, &k), up = m < CPS_SQRT_HALF ? 2 : 1;
    k -= up == 2;
    const double low = ldexp(a.low, -k);
    const cps_two one = {1, 0}, ln2 = {CPS_LN2, 2.3190468138462996e-17};
    const cps_two over = cps_two_add(cps_two_sum(up * m, -1), cps_two_of(low, 0));
    const cps_two under = cps_two_add(cps_two_sum(up * m, 1), cps_two_of(low, 0));
    const cps_two s = cps_two_over(over, under), q = cps_two_times(s, s);
    cps_two sum = {0, 0};
    for (double j = 43; j > 0; j -= 2) {
        const cps_two odd = {j, 0};
        sum = cps_two_add(cps_two_over(one, odd), cps_two_times(q, sum));
    }
    const cps_two whole = {(double)k, 0}, part = cps_two_times(s, sum), twice = {2 * part.high, 2 * part.low};
    return cps_two_add(cps_two_times(whole, ln2), twice);
}
/* log(n + 1) of log(n), for n from 32 on: 2 atanh(s) of s = 1 / (2 n + 1) */
CPS_MATH cps_two cps_two_log_next(cps_two log, double n)
{
    const double odd = 2 * n + 1, u = 2 / odd, low = fma(-u, odd, 2) * (0.5 * u), q = u * u; /* 2 s, 4 s^2 */
    const double cubic = u * q * 0.083333333333333329, more = q * (0.15 + q * (0.026785714285714284 + q * 0.0052083));
    cps_two rest = {cubic, cubic * more};
    if (n < 1024) { /* what u^3 / 12 has lost */
        const cps_two first = {u, low}, twelve = {12, 0}, square = cps_two_times(first, first);
        const cps_two part = cps_two_over(cps_two_times(first, square), twelve);
        rest.high = part.high, rest.low = part.low + part.high * more;
    }
    const cps_two step = {u, low};
    return cps_two_add(cps_two_add(log, step), cps_two_of(rest.high, rest.low));
}
/* t l less whole turns, for |t| up to 10^9 */
CPS_MATH double cps_two_angle(double t, cps_two l)
{
    const double p = t * l.high, lost = fma(t, l.high, -p) + t * l.low, turns = rint(p * 0.15915494309189535);
    return fma(-turns, 6.283185307179586, p) + (lost - turns * 2.4492935982947064e-16);
}

/* --- complex numbers --- */

/* B(2j) / (2j)! of j = 1, 2, ... */
CPS_TABLE cps_zeta_bernoulli[30] = {
    0.08333333333333333, -0.001388888888888889, 3.306878306878307e-05, -8.267195767195768e-07, 2.08767569878681e-08,
    -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13, 8.586062056277845e-15,
    -2.174868698558062e-16, 5.5090028283602295e-18, -1.3954464685812522e-19, 3.534707039629467e-21,
    -8.953517427037546e-23, 2.267952452337683e-24, -5.744790668872202e-26, 1.455172475614865e-27,
    -3.6859949406653103e-29, 9.336734257095045e-31, -2.36502241570063e-32, 5.990671762482134e-34,
    -1.5174548844682903e-35, 3.843758125454189e-37, -9.736353072646691e-39, 2.466247044200681e-40,
    -6.247076741820743e-42, 1.5824030244644914e-43, -4.008273685948936e-45, 1.0153075855569557e-46,
    -2.5718041582418717e-48};
/* The sum of n^-s from n = a on, b = a^-s: a b / (s - 1) + b / 2 and those of B(2j) / (2j)! s (s + 1) .. (s + 2j - 2)
 * a^(1 - s - 2j). */
CPS_HEAVY cp_complex128 cps_zeta_rest(cp_complex128 s, double a, cp_complex128 b)
{
    const double over = 1 / a;
    cp_complex128 sum = cps_divide_c128(cps_scale(b, a), CPS_C(s.re - 1, s.im));
    cp_complex128 term = cps_scale(cps_multiply_c128(b, s), over);
    sum = cps_add_c128(sum, cps_scale(b, 0.5));
    for (int j = 0; j < 30; j++) {
        sum = cps_add_c128(sum, cps_scale(term, cps_zeta_bernoulli[j]));
        const cp_complex128 f = CPS_C((s.re + (2 * j + 1)) * over, s.im * over);
        const cp_complex128 g = CPS_C((s.re + (2 * j + 2)) * over, s.im * over);
        term = cps_multiply_c128(cps_multiply_c128(term, f), g);
    }
    return sum;
}
/* Of s.re >= -1/2. */
CPS_HEAVY cp_complex128 cps_zeta_right(cp_complex128 s)
{
    const double most = ceil(0.32 * (s.re + fabs(s.im))) + 18;
    const int far = fabs(s.im) > 1e4;
    double re = 0, im = 0, lost_re = 0, lost_im = 0;
    cps_two l = {0, 0};
    for (double n = 1;; n++) {
        const double y = -s.re * l.high, size = exp(y) * (1 + (fma(-s.re, l.high, -y) - s.re * l.low));
        const double angle = cps_two_angle(-s.im, l);
        const cp_complex128 b = CPS_C(size * cos(angle), size * sin(angle));
        if (n >= most) {
            const cp_complex128 rest = cps_zeta_rest(s, n, b);
            return CPS_C(re + (lost_re + rest.re), im + (lost_im + rest.im));
        }
        re = cps_sum_c128(re, b.re, &lost_re), im = cps_sum_c128(im, b.im, &lost_im);
        if (n * size < 1e-18 * (s.re - 1)) return CPS_C(re + lost_re, im + lost_im); /* all others are less */
        const cps_two next = {n + 1, 0};
        if (!far) l.high = cps_log_parts(n + 1, &l.low);
        else l = n < 32 ? cps_two_log(next) : cps_two_log_next(l, n);
    }
}
/* Of s.re < -1/2 by that of w = 1 - s: 2 (2 pi)^-w cos(pi w / 2) gamma(w) zeta(w). Far from the real axis gamma is
 * Stirling's series, in which exp(-+ i pi w / 2) of the cosine cancels, so that nothing overflows. */
CPS_HEAVY cp_complex128 cps_zeta_reflected(cp_complex128 s)
{
    const double t = fabs(s.im), u = 1 - s.re;
    const cp_complex128 w = CPS_C(u, t);
    if (u > 400) return CPS_C(CPS_INF, CPS_NAN);
    cp_complex128 r = cps_zeta_right(w), e;
    if (t < 8) {
        const cp_complex128 g = cps_loggamma_right(w), sine = cps_sinpi_c128(CPS_C(0.5 * s.re, -0.5 * t));
        e = CPS_C(g.re - u * CPS_LOG_2PI + CPS_LN2, g.im - t * CPS_LOG_2PI);
        r = cps_multiply_c128(r, sine);
    } else {
        const cps_two log_2pi = {-CPS_LOG_2PI, 7.756588316134483e-17}, minus_one = {-1, 0};
        const cps_two square = cps_two_add(cps_two_square(u), cps_two_square(t)), l = cps_two_log(square);
        const cps_two half = {0.5 * l.high, 0.5 * l.low}, k = cps_two_add(half, log_2pi);
        const cp_complex128 g = cps_stirling_c128(w);
        const double d = atan2(u, t), angle = cps_two_angle(t, cps_two_add(k, minus_one)) - (u - 0.5) * d;
        const double fall = exp(-CPS_PI * t);
        e = CPS_C((u - 0.5) * k.high + (t * d - u) + g.re, angle + (g.im - 0.25 * CPS_PI));
        r = cps_multiply_c128(r, CPS_C(1 + fall * cps_cospi(u), fall * cps_sinpi(u)));
    }
    const double size = exp(0.5 * e.re); /* half of it: the other may be in r */
    r = cps_scale(cps_multiply_c128(r, CPS_C(size * cos(e.im), size * sin(e.im))), size);
    return s.im > 0 ? CPS_C(r.re, -r.im) : r;
}
CPS_HEAVY cp_complex128 cps_riemann_zeta_c128(cp_complex128 s)
{
    const double t = fabs(s.im), from_half = fabs(s.re - 0.5);
    if (s.im == 0) return CPS_C(cps_riemann_zeta(s.re), 0);
    if (s.re != s.re || s.re == -CPS_INF || !(t < CPS_INF)) return CPS_C(CPS_NAN, CPS_NAN);
    if (s.re > 60 && (t > 1e9 || s.re == CPS_INF)) return CPS_C(1, 0);
    if (t > 1e15 || (t > 1e9 && from_half < 2.6)) return CPS_C(CPS_NAN, CPS_NAN);
    return s.re >= -0.5 ? cps_zeta_right(s) : cps_zeta_reflected(s);
}
CPS_MATH cp_complex64 cps_riemann_zeta_c64(cp_complex64 s) { return cps_narrow(cps_riemann_zeta_c128(cps_widen(s))); }

#endif
