/* Airy's functions, of I and K of the orders 1/3 and 2/3; near 0 their power series. */
#ifndef CPS_AIRY_H
#define CPS_AIRY_H

#include "scalar/bessel_complex.h"

/* Ai, Ai' and Bi, Bi' */
typedef struct cps_airy { cp_complex128 a, da, b, db; } cps_airy;
/* For |z| < 1. */
CPS_HEAVY cps_airy cps_airy_series(cp_complex128 z)
{
    const double c1 = 0.35502805388781723926, c2 = 0.25881940379280679840, root = 1.7320508075688772935;
    const cp_complex128 zz = cps_multiply_c128(z, z), q = cps_multiply_c128(zz, z);
    cp_complex128 f = CPS_C(1, 0), g = z, tf = f, tg = g, df = CPS_C(0, 0), dg = f, sf = cps_scale(zz, 0.5), sg = f;
    for (double k = 3; k < 40; k += 3) {
        tf = cps_scale(cps_multiply_c128(tf, q), 1 / (k * (k - 1)));
        tg = cps_scale(cps_multiply_c128(tg, q), 1 / (k * (k + 1)));
        f = cps_add_c128(f, tf);
        g = cps_add_c128(g, tg);
        df = cps_add_c128(df, sf);
        sf = cps_scale(cps_multiply_c128(sf, q), 1 / (k * (k + 2)));
        sg = cps_scale(cps_multiply_c128(sg, q), 1 / (k * (k - 2)));
        dg = cps_add_c128(dg, sg);
    }
    cps_airy r;
    r.a = cps_subtract_c128(cps_scale(f, c1), cps_scale(g, c2));
    r.da = cps_subtract_c128(cps_scale(df, c1), cps_scale(dg, c2));
    r.b = cps_scale(cps_add_c128(cps_scale(f, c1), cps_scale(g, c2)), root);
    r.db = cps_scale(cps_add_c128(cps_scale(df, c1), cps_scale(dg, c2)), root);
    return r;
}
/* K exp(zeta) of zeta between -pi and pi: also left of the imaginary axis, above the real one (side 1) or below (-1) */
CPS_HEAVY cp_complex128 cps_airy_k(double v, cp_complex128 zeta, double side)
{
    if (zeta.re >= 0) return cps_ik_of(v, zeta, 2).k;
    const cp_complex128 w = CPS_C(-zeta.re, -zeta.im);
    const cps_ik s = cps_ik_of(v, w, 3);
    const double c = cps_cospi(v), d = -side * cps_sinpi(v), e = exp(-2 * w.re);
    const cp_complex128 turn = cps_multiply_c128(CPS_C(c, d), CPS_C(e * cos(2 * w.im), -e * sin(2 * w.im)));
    const cp_complex128 k = cps_multiply_c128(s.k, turn);
    return CPS_C(k.re + side * CPS_PI * s.i.im, k.im - side * CPS_PI * s.i.re);
}
/* Ai or Ai' exp(zeta) for |arg z| <= 2/3 pi, |z| >= 1 */
CPS_HEAVY cp_complex128 cps_airy_sector(cp_complex128 z, cp_complex128 zeta, double side, int derivative)
{
    const cp_complex128 k = cps_airy_k(derivative ? 2.0 / 3 : 1.0 / 3, zeta, side);
    return derivative ? cps_scale(cps_multiply_c128(z, k), -0.18377629847393068)
                      : cps_scale(cps_multiply_c128(cps_sqrt_c128(z), k), 0.18377629847393068);
}
/* exp(2 pi i n / 12) */
CPS_MATH cp_complex128 cps_twelfth(int n)
{
    return cps_turn(n / 6.0);
}
enum { CPS_AI, CPS_DAI, CPS_BI, CPS_DBI };
CPS_MATH cp_complex128 cps_airy_pick(cps_airy s, int which)
{
    return which == CPS_AI ? s.a : which == CPS_DAI ? s.da : which == CPS_BI ? s.b : s.db;
}
/* zeta above the real axis is that of both turns but for the sign, so each is p exp(-zeta) + q exp(zeta). With `scaled`
 * Ai times exp(zeta), Bi times exp(-|zeta.re|). */
CPS_HEAVY cp_complex128 cps_airy_c128(int which, cp_complex128 z, int scaled)
{
    const int below = copysign(1.0, z.im) < 0, derivative = which & 1, second = which >= CPS_BI;
    if (z.re != z.re || z.im != z.im) return CPS_C(CPS_NAN, CPS_NAN);
    if (below) z.im = -z.im;
    const double size = hypot(z.re, z.im);
    const cp_complex128 zeta = cps_scale(cps_multiply_c128(z, cps_sqrt_c128(z)), 2.0 / 3);
    if (!(cps_size(zeta) < CPS_INF)) return CPS_C(CPS_NAN, CPS_NAN);
    cp_complex128 r;
    if (size < 1) {
        r = cps_airy_pick(cps_airy_series(z), which);
        if (scaled) r = cps_multiply_c128(r, second ? CPS_C(exp(-fabs(zeta.re)), 0) : cps_exp_c128(zeta));
        return below ? CPS_C(r.re, -r.im) : r;
    }
    const int far = z.re < -0.5 * size; /* left of the angle 2 pi/3 */
    cp_complex128 p = CPS_C(0, 0), q = p;
    if (far) {
        const cp_complex128 w = cps_multiply_c128(z, cps_twelfth(4));
        const cp_complex128 v = cps_airy_sector(w, zeta, -1, derivative);
        p = cps_multiply_c128(v, cps_twelfth(second ? (derivative ? 5 : 1) : (derivative ? 2 : -2)));
    } else {
        p = cps_airy_sector(z, zeta, 1, derivative);
        if (second) p = cps_times_i(p);
    }
    if (far || second) {
        const cp_complex128 w = cps_multiply_c128(z, cps_twelfth(-4));
        q = cps_airy_sector(w, CPS_C(-zeta.re, -zeta.im), -1, derivative);
        q = cps_multiply_c128(q, cps_twelfth(second ? (derivative ? -5 : -1) : (derivative ? -2 : 2)));
        if (second && !far) q = cps_scale(q, 2);
    }
    const cp_complex128 turn = CPS_C(cos(zeta.im), sin(zeta.im)), back = CPS_C(turn.re, -turn.im);
    if (scaled && !second) q = cps_multiply_c128(cps_multiply_c128(q, turn), turn);
    else p = cps_multiply_c128(p, back), q = cps_multiply_c128(q, turn);
    const double shift = !scaled ? 0 : second ? -fabs(zeta.re) : zeta.re;
    r = cps_add_c128(cps_times_exp_c128(p, shift - zeta.re), cps_times_exp_c128(q, shift + zeta.re));
    return below ? CPS_C(r.re, -r.im) : r;
}
/* Of real numbers, zeta in two parts. Left of -10^11, where its last places are unknown, it is NaN. */
CPS_HEAVY double cps_airy_real(int which, double x, int scaled)
{
    const int derivative = which & 1, second = which >= CPS_BI;
    const double a = fabs(x), root = sqrt(a), third = 1 / 1.7320508075688772935;
    if (x != x || (scaled && x < 0 && !second)) return CPS_NAN;
    const double p = a * root, part = fma(a, root, -p) + (a > 0 ? 0.5 * a * (fma(-root, root, a) / root) : 0);
    const double zeta = p * (2.0 / 3), rest = fma(2.0 / 3, p, -zeta) + p * 3.700743415417188e-17 + part * (2.0 / 3);
    if (a < 1) {
        const double r = cps_airy_pick(cps_airy_series(CPS_C(x, 0)), which).re;
        return !scaled || x < 0 ? r : r * exp(second ? -zeta : zeta);
    }
    if (x < -1e11) return a == CPS_INF && !derivative ? 0 : CPS_NAN;
    if (x > 0 && !(zeta < (scaled ? 1e300 : 1e3)))
        return second ? (scaled ? (derivative ? CPS_INF : 0) : CPS_INF) : scaled && derivative ? -CPS_INF : 0;
    const double v = derivative ? 2.0 / 3 : 1.0 / 3, f = derivative ? a : root;
    if (x > 0) {
        const cps_ik s = cps_ik_of(v, CPS_C(zeta, 0), second ? 3 : 2);
        if (!second) {
            const double k = (derivative ? -1 : 1) * f * 0.18377629847393068 * s.k.re;
            return scaled ? k : cps_times_exp_c128(CPS_C(k, 0), -zeta).re * (1 - rest);
        }
        const double i = f * third * (2 * s.i.re + 0.55132889542179204 * s.k.re * exp(-2 * zeta));
        return scaled ? i : cps_times_exp_c128(CPS_C(i, 0), zeta).re * (1 + rest);
    }
    /* H1 exp(-i zeta), turned by zeta + rest */
    const cp_complex128 h = cps_multiply_c128(cps_over_i(cps_turn(-0.5 * v)), cps_ik_of(v, CPS_C(0, -zeta), 2).k);
    const cp_complex128 turn = cps_multiply_c128(CPS_C(cos(zeta), sin(zeta)), CPS_C(cos(rest), sin(rest)));
    const cp_complex128 jy = cps_multiply_c128(h, turn);
    const double j = jy.re / CPS_PI, y = jy.im / CPS_PI; /* half of J and Y */
    return f * (which == CPS_AI ? j - y * third : which == CPS_DAI ? j + y * third :
                which == CPS_BI ? -(j * third + y) : j * third - y);
}
CPS_MATH cp_complex64 cps_airy_c64(int which, cp_complex64 z, int scaled)
{
    return cps_narrow(cps_airy_c128(which, cps_widen(z), scaled));
}

/* Kelvin's functions for 0 < x < 2, by their series in x^2 / 4: ber + i bei, ker + i kei. */
CPS_HEAVY cp_complex128 cps_kelvin_near(int second, int derivative, double x)
{
    const double q = 0.25 * x * x;
    double part[2] = {0, 0}, slope[2] = {0, 0}, of_psi[2] = {0, 0}, psi_slope[2] = {0, 0};
    double term = 1, step = 0, psi = -CPS_EULER;
    for (int j = 0; j < 18; j++) {
        const int i = j & 1; /* ber has the even powers, bei the odd ones */
        const double sign = j & 2 ? -1 : 1;
        if (j > 0) {
            step = j == 1 ? 1 : step * q / (j * (j - 1.0)); /* j q^(j - 1) / (j!)^2 */
            term *= q / ((double)j * j);
            psi += 1.0 / j;
        }
        part[i] += sign * term;
        slope[i] += sign * step;
        of_psi[i] += sign * term * psi;
        psi_slope[i] += sign * step * psi;
    }
    const double half = 0.5 * x, l = -log(half), quarter = 0.25 * CPS_PI;
    if (!second) return derivative ? CPS_C(half * slope[0], half * slope[1]) : CPS_C(part[0], part[1]);
    if (!derivative)
        return CPS_C(l * part[0] + quarter * part[1] + of_psi[0], l * part[1] - quarter * part[0] + of_psi[1]);
    return CPS_C(half * (l * slope[0] + quarter * slope[1] + psi_slope[0]) - part[0] / x,
                 half * (l * slope[1] - quarter * slope[0] + psi_slope[1]) - part[1] / x);
}
/* Of the orders 0 and 1 at x exp(i pi/4), which has two parts: ber + i bei, ker + i kei and their derivatives. */
CPS_HEAVY cp_complex128 cps_kelvin(int second, int derivative, double x)
{
    const double a = fabs(x), r = a * CPS_SQRT_HALF, rest = fma(a, CPS_SQRT_HALF, -r) - a * 4.8336466567264567e-17;
    if (!(a < CPS_INF)) return x == CPS_INF && second ? CPS_C(0, 0) : CPS_C(CPS_NAN, CPS_NAN);
    if (second && x < 0) return CPS_C(CPS_NAN, CPS_NAN);
    if (a == 0 && second) return derivative ? CPS_C(-CPS_INF, 0) : CPS_C(CPS_INF, -0.25 * CPS_PI);
    if (a == 0) return derivative ? CPS_C(0, 0) : CPS_C(1, 0);
    if (a < 2) {
        const cp_complex128 v = cps_kelvin_near(second, derivative, a);
        return derivative && x < 0 ? CPS_C(-v.re, -v.im) : v;
    }
    const cps_ik s = cps_ik_of(derivative, CPS_C(r, r), second ? 2 : 1);
    const double sign = second ? -1 : 1, low = sign * rest, c = cos(r), t = sign * sin(r);
    const cp_complex128 e = cps_multiply_c128(CPS_C(c, t), CPS_C(1 + low, low));
    cp_complex128 v = cps_multiply_c128(second ? s.k : s.i, e);
    const double turn = second ? -CPS_SQRT_HALF : copysign(CPS_SQRT_HALF, x);
    if (derivative) v = cps_scale(CPS_C(v.re - v.im, v.re + v.im), turn);
    return cps_times_exp_c128(v, sign * r);
}

#endif
