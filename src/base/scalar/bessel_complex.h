/* I and K of a real order and a complex argument right of the imaginary axis, of which all cylinder functions are made.
 *
 * I is its power series where that hardly cancels, far away both are Hankel's series in 1/z, for orders from 50 on
 * Debye's in 1/order. Between these, K of the order's fraction is Temme's series or Steed's continued fraction, which
 * grows with the order without loss, and I follows from the continued fraction of its ratio and the Wronskian. */
#ifndef CPS_BESSEL_COMPLEX_H
#define CPS_BESSEL_COMPLEX_H

#include "scalar/gamma_real.h"
#include "scalar/tables_cylinder.h"

/* I exp(-z) and K exp(z), each to be multiplied by exp of its scale; `known` is 0 where the order is too large. */
typedef struct cps_ik { cp_complex128 i, k; double i_scale, k_scale; int known; } cps_ik;

/* exp(i pi x) */
CPS_MATH cp_complex128 cps_turn(double x) { return CPS_C(cps_cospi(x), cps_sinpi(x)); }

/* I by its power series. */
CPS_HEAVY cp_complex128 cps_i_series(double v, cp_complex128 z)
{
    const cp_complex128 half = cps_scale(z, 0.5), q = cps_multiply_c128(half, half);
    cp_complex128 sum = CPS_C(1, 0), term = sum;
    for (double k = 1; k < 500; k++) {
        term = cps_scale(cps_multiply_c128(term, q), 1 / (k * (k + v)));
        sum = cps_add_c128(sum, term);
        if (cps_size(term) < 1e-17 * cps_size(sum)) break;
    }
    const double size = hypot(half.re, half.im), f = v < 170 ? pow(size, v) * cps_rgamma(v + 1) : 0;
    if (z.im == 0) return CPS_C(sum.re * f, 0);
    const double angle = z.re == 0 ? 0 : v * atan2(z.im, z.re);
    const cp_complex128 turn = z.re == 0 ? cps_turn(copysign(0.5 * v, z.im)) : CPS_C(cos(angle), sin(angle));
    return cps_multiply_c128(cps_scale(sum, f), turn);
}
/* K by the finite part of its series, for large orders; what overflows has a scale that does. */
CPS_HEAVY cp_complex128 cps_k_series(double v, cp_complex128 z, double *scale)
{
    const cp_complex128 half = cps_scale(z, 0.5), q = cps_multiply_c128(half, half);
    cp_complex128 sum = CPS_C(1, 0), term = sum;
    for (double k = 1; k < 40; k++) {
        term = cps_scale(cps_multiply_c128(term, q), -1 / (k * (v - k)));
        sum = cps_add_c128(sum, term);
    }
    const double size = hypot(half.re, half.im), f = 0.5 * cps_gamma(v) * pow(size, -v), angle = -v * atan2(z.im, z.re);
    *scale = f < CPS_INF ? 0 : 1e4;
    sum = cps_scale(sum, f < CPS_INF ? f : 1);
    if (z.im == 0) return sum;
    return cps_multiply_c128(sum, z.re == 0 ? cps_turn(copysign(0.5 * v, -z.im)) : CPS_C(cos(angle), sin(angle)));
}
/* Hankel's series. */
CPS_HEAVY cps_ik cps_ik_far(double v, cp_complex128 z)
{
    const cp_complex128 r = cps_reciprocal_c128(z);
    cp_complex128 term = CPS_C(1, 0), even = term, odd = CPS_C(0, 0);
    for (double k = 1; k < 120; k++) {
        const double twice = 2 * k - 1;
        term = cps_scale(cps_multiply_c128(term, r), (2 * v - twice) * (2 * v + twice) / (8 * k));
        if (fmod(k, 2) != 0) odd = cps_add_c128(odd, term);
        else even = cps_add_c128(even, term);
        if (cps_size(term) < 1e-17 || (k > 2 * v + 40)) break;
    }
    cps_ik s;
    const cp_complex128 root = cps_sqrt_c128(r), up = cps_add_c128(even, odd), down = cps_subtract_c128(even, odd);
    s.k = cps_scale(cps_multiply_c128(root, up), CPS_SQRT_2PI / 2);
    s.i = cps_scale(cps_multiply_c128(root, down), 1 / CPS_SQRT_2PI);
    if (z.im != 0 && z.re < 40) { /* i exp(i pi v) K / pi, which counts near the imaginary axis */
        const double side = z.im < 0 ? -1 : 1, e = exp(-2 * z.re) / CPS_PI;
        const cp_complex128 turn = cps_turn(side * (v + 0.5)), w = CPS_C(e * cos(2 * z.im), -e * sin(2 * z.im));
        s.i = cps_add_c128(s.i, cps_multiply_c128(cps_multiply_c128(turn, w), s.k));
    }
    s.i_scale = s.k_scale = 0;
    s.known = 1;
    return s;
}
/* Debye's series, of orders from 50 on; not known near the turning points z = v i and -v i. */
CPS_HEAVY cps_ik cps_ik_debye(double v, cp_complex128 z)
{
    cps_ik s;
    s.known = 0;
    const cp_complex128 t = cps_scale(z, 1 / v), tt = cps_multiply_c128(t, t);
    const cp_complex128 square = z.re == 0 ? CPS_C((1 - t.im) * (1 + t.im), copysign(0.0, z.im))
                                           : CPS_C(1 + tt.re, tt.im);
    const cp_complex128 w = cps_sqrt_c128(square);
    if (w.re == 0 && w.im == 0) return s;
    const cp_complex128 p = cps_reciprocal_c128(w), pp = cps_multiply_c128(p, p);
    cp_complex128 power = CPS_C(1, 0), even = power, odd = CPS_C(0, 0);
    double last = 1;
    int at = 1;
    for (int k = 1; k < 17 && !s.known; k++) {
        cp_complex128 u = CPS_C(cps_debye[at + k], 0);
        for (int j = k - 1; j >= 0; j--) u = cps_multiply_c128(u, pp), u.re += cps_debye[at + j];
        at += k + 1;
        power = cps_scale(cps_multiply_c128(power, p), 1 / v);
        u = cps_multiply_c128(u, power);
        if (k & 1) odd = cps_add_c128(odd, u);
        else even = cps_add_c128(even, u);
        const double size = cps_size(u);
        s.known = size < 1e-17 || (size < 1e-15 && last < 1e-13);
        if (size > 0.5) break;
        last = size;
    }
    if (!s.known) return s;
    const cp_complex128 root = cps_sqrt_c128(p), up = cps_add_c128(even, odd), down = cps_subtract_c128(even, odd);
    cp_complex128 l = cps_log_c128(cps_divide_c128(t, CPS_C(1 + w.re, w.im))), eta = cps_add_c128(w, l);
    if (z.re == 0 && w.re == 0) eta = CPS_C(0, eta.im); /* they cancel */
    const double f = 1 / sqrt(2 * CPS_PI * v), g = sqrt(CPS_PI / (2 * v));
    const double re = v * eta.re - z.re, im = v * eta.im - z.im;
    cp_complex128 e = CPS_C(cos(im), sin(im));
    if (z.re == 0 && w.im == 0) /* a quarter turn for each order */
        e = cps_multiply_c128(cps_turn(copysign(0.5 * v, z.im)), CPS_C(cos(z.im), -sin(z.im)));
    s.i = cps_scale(cps_multiply_c128(cps_multiply_c128(root, up), e), f);
    s.k = cps_scale(cps_multiply_c128(cps_multiply_c128(root, down), CPS_C(e.re, -e.im)), g);
    s.i_scale = re;
    s.k_scale = -re;
    if (fabs(eta.im) > 0.5 * CPS_PI && z.im != 0 && eta.re * v < 20) { /* left of the line of Stokes */
        const double side = z.im < 0 ? -1 : 1, h = exp(-2 * (re + z.re)) / CPS_PI;
        const cp_complex128 turn = cps_turn(side * (v + 0.5)), both = CPS_C(h * cos(2 * z.im), -h * sin(2 * z.im));
        s.i = cps_add_c128(s.i, cps_multiply_c128(cps_multiply_c128(turn, both), s.k));
    }
    return s;
}
/* K exp(z) of an order from -1/2 to 1/2 and of the next. */
CPS_HEAVY void cps_k_temme(double v, cp_complex128 z, cp_complex128 *k0, cp_complex128 *k1)
{
    const cp_complex128 half = cps_scale(z, 0.5), q = cps_multiply_c128(half, half), r = cps_reciprocal_c128(half);
    cp_complex128 d = cps_log_c128(z); /* log(2 / z) */
    d = CPS_C(CPS_LN2 - d.re, -d.im);
    const double vv = v * v, g1 = cps_polynomial(cps_temme_1, 13, vv), g2 = cps_polynomial(cps_temme_2, 13, vv);
    const double turn = v == 0 ? 1 : CPS_PI * v / cps_sinpi(v);
    const cp_complex128 a = cps_scale(d, v), e = cps_exp_c128(a), back = cps_exp_c128(CPS_C(-a.re, -a.im));
    const cp_complex128 cosh_a = CPS_C(0.5 * (e.re + back.re), 0.5 * (e.im + back.im)), aa = cps_multiply_c128(a, a);
    cp_complex128 sinh_a = CPS_C(1, 0); /* sinh(a) / a */
    if (cps_size(aa) > 0.5) sinh_a = cps_divide_c128(CPS_C(0.5 * (e.re - back.re), 0.5 * (e.im - back.im)), a);
    else
        for (double k = 16; k > 0; k -= 2) {
            sinh_a = cps_scale(cps_multiply_c128(sinh_a, aa), 1 / (k * (k + 1)));
            sinh_a.re += 1;
        }
    cp_complex128 f = cps_add_c128(cps_scale(cosh_a, g1), cps_scale(cps_multiply_c128(sinh_a, d), g2));
    f = cps_scale(f, turn);
    cp_complex128 p0 = cps_scale(e, 0.5 / (g2 - v * g1)), q0 = cps_scale(back, 0.5 / (g2 + v * g1));
    cp_complex128 c = CPS_C(1, 0), sum = f, sum1 = p0;
    for (double k = 1; k < 60; k++) {
        f = cps_scale(cps_add_c128(cps_scale(f, k), cps_add_c128(p0, q0)), 1 / (k * k - vv));
        c = cps_scale(cps_multiply_c128(c, q), 1 / k);
        p0 = cps_scale(p0, 1 / (k - v));
        q0 = cps_scale(q0, 1 / (k + v));
        const cp_complex128 term = cps_multiply_c128(c, f);
        sum = cps_add_c128(sum, term);
        sum1 = cps_add_c128(sum1, cps_multiply_c128(c, cps_subtract_c128(p0, cps_scale(f, k))));
        if (cps_size(term) < 1e-18 * cps_size(sum)) break;
    }
    const cp_complex128 up = cps_exp_c128(z);
    *k0 = cps_multiply_c128(sum, up);
    *k1 = cps_multiply_c128(cps_multiply_c128(sum1, r), up);
}
CPS_HEAVY void cps_k_steed(double v, cp_complex128 z, cp_complex128 *k0, cp_complex128 *k1)
{
    cp_complex128 b = CPS_C(2 * (1 + z.re), 2 * z.im), d = cps_reciprocal_c128(b), h = d, dh = d;
    const double a1 = 0.25 - v * v;
    cp_complex128 q1 = CPS_C(0, 0), q2 = CPS_C(1, 0), q = CPS_C(a1, 0), s = CPS_C(1 + a1 * d.re, a1 * d.im);
    double a = -a1, c = a1;
    for (double k = 2; k < 3000; k++) {
        a -= 2 * (k - 1);
        c = -a * c / k;
        const cp_complex128 next = cps_scale(cps_subtract_c128(q1, cps_multiply_c128(b, q2)), 1 / a);
        q1 = q2;
        q2 = next;
        q = cps_add_c128(q, cps_scale(next, c));
        b.re += 2;
        d = cps_reciprocal_c128(cps_add_c128(b, cps_scale(d, a)));
        const cp_complex128 m = cps_multiply_c128(b, d);
        dh = cps_multiply_c128(CPS_C(m.re - 1, m.im), dh);
        h = cps_add_c128(h, dh);
        const cp_complex128 ds = cps_multiply_c128(q, dh);
        s = cps_add_c128(s, ds);
        if (cps_size(ds) < 1e-17 * cps_size(s)) break;
    }
    const cp_complex128 r = cps_reciprocal_c128(z);
    *k0 = cps_scale(cps_divide_c128(cps_sqrt_c128(r), s), CPS_SQRT_2PI / 2);
    h = cps_scale(h, a1);
    *k1 = cps_multiply_c128(*k0, cps_multiply_c128(CPS_C(v + z.re + 0.5 - h.re, z.im - h.im), r));
}
/* I of order v + 1 over I of order v, Lentz's continued fraction. */
CPS_HEAVY cp_complex128 cps_i_ratio(double v, cp_complex128 z)
{
    const cp_complex128 r = cps_scale(cps_reciprocal_c128(z), 2);
    cp_complex128 b = cps_scale(r, v + 1), f = b, c = b, d = CPS_C(0, 0);
    if (cps_size(f) == 0) f = c = CPS_C(1e-300, 0);
    for (double k = 2; k < 1e5; k++) {
        b = cps_scale(r, v + k);
        d = cps_add_c128(b, d);
        if (cps_size(d) == 0) d = CPS_C(1e-300, 0);
        d = cps_reciprocal_c128(d);
        c = cps_add_c128(b, cps_reciprocal_c128(c));
        if (cps_size(c) == 0) c = CPS_C(1e-300, 0);
        const cp_complex128 change = cps_multiply_c128(c, d);
        f = cps_multiply_c128(f, change);
        if (fabs(change.re - 1) + fabs(change.im) < 2e-16) break;
    }
    return cps_reciprocal_c128(f);
}
/* From orders v and v + 1 n steps up: next = before + 2 order / z now; scaled down where it would overflow. */
CPS_HEAVY double cps_k_up(double v, double n, cp_complex128 z, cp_complex128 *k0, cp_complex128 *k1)
{
    const cp_complex128 r = cps_scale(cps_reciprocal_c128(z), 2);
    double scale = 0;
    for (double k = 1; k <= n; k++) {
        const cp_complex128 next = cps_add_c128(*k0, cps_multiply_c128(cps_scale(r, v + k), *k1));
        *k0 = *k1;
        *k1 = next;
        if (cps_size(next) > 1e250) { /* 2^-700 */
            *k0 = cps_scale(*k0, 0x1p-700), *k1 = cps_scale(*k1, 0x1p-700);
            scale += 700 * CPS_LN2;
        }
    }
    return scale;
}
/* Of an order v >= 0 and of z, z.re >= 0, not 0 and finite. `want` has 1 for I and 2 for K. */
CPS_HEAVY cps_ik cps_ik_of(double v, cp_complex128 z, int want)
{
    const double size = hypot(z.re, z.im);
    cps_ik s;
    const int series = size * size < 4 * (v + 1);
    if (size > 25 && size > v * v / 6) return cps_ik_far(v, z);
    if (v >= 50 && !(series && v < 170)) {
        s = cps_ik_debye(v, z);
        if (s.known || v > 1e5) return s;
    }
    s.known = 1;
    s.i = s.k = CPS_C(0, 0);
    s.i_scale = s.k_scale = 0;
    if (series) {
        s.i = cps_i_series(v, z);
        if (want & 1) s.i = cps_multiply_c128(s.i, cps_exp_c128(CPS_C(-z.re, -z.im)));
        if (!(want & 2)) return s;
    }
    const double n = floor(v + 0.5), m = v - n;
    cp_complex128 k0, k1;
    if (v >= 50 && series) {
        s.k = cps_multiply_c128(cps_k_series(v, z, &s.k_scale), cps_exp_c128(z));
        return s;
    }
    if (size < 1e-17 && n > 0) { /* gamma(v) (2 / z)^v / 2, maybe beyond the range, in the right direction */
        const double angle = -v * atan2(z.im, z.re);
        const double f = size > 1e-300 ? 0.5 * cps_gamma(v) * pow(2 / size, v) : CPS_INF;
        s.k = z.im == 0 ? CPS_C(1, 0) : z.re == 0 ? cps_turn(copysign(0.5 * v, -z.im)) : CPS_C(cos(angle), sin(angle));
        if (f < CPS_INF) s.k = cps_scale(s.k, f);
        else s.k_scale = cps_gammaln(v) + v * (CPS_LN2 - log(size)) - CPS_LN2;
        return s;
    }
    if (size <= 2) cps_k_temme(m, z, &k0, &k1);
    else cps_k_steed(m, z, &k0, &k1);
    s.k_scale = cps_k_up(m, n, z, &k0, &k1);
    s.k = k0;
    if (series || !(want & 1)) return s;
    const cp_complex128 both = cps_add_c128(k1, cps_multiply_c128(cps_i_ratio(v, z), k0));
    s.i = cps_reciprocal_c128(cps_multiply_c128(z, both));
    s.i_scale = -s.k_scale;
    return s;
}
/* v exp(a), where exp(a) alone may leave the range */
CPS_MATH cp_complex128 cps_times_exp_c128(cp_complex128 v, double a)
{
    const double half = exp(0.5 * a);
    return CPS_C(v.re == 0 ? 0 : v.re * half * half, v.im == 0 ? v.im : v.im * half * half);
}

#endif
