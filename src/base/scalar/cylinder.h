/* The chapter of Bessel functions of real order: J, Y, I, K and Hankel's functions, of real and complex numbers.
 *
 * Above the real axis J and H1 are I and K of -i z, below they are the conjugates. Negative orders are reflected. An
 * order above 10^5 is NaN near its turning points, where it would take as many steps. */
#ifndef CPS_CYLINDER_H
#define CPS_CYLINDER_H

#include "scalar/bessel_complex.h"
#include "scalar/pairs.h"

CPS_MATH int cps_is_whole(double v) { return v == rint(v); }
CPS_MATH cp_complex128 cps_nan_c128(void) { return CPS_C(CPS_NAN, CPS_NAN); }

/* J exp(i z) and H1 exp(-i z) of a positive order and z above the real axis or on it, with their scales */
typedef struct cps_jh { cp_complex128 j, h; double j_scale, h_scale; int known; } cps_jh;
CPS_HEAVY cps_jh cps_jh_of(double v, cp_complex128 z, int want)
{
    const cps_ik s = cps_ik_of(v, CPS_C(z.im, -z.re), want);
    const cp_complex128 up = cps_turn(0.5 * v), down = CPS_C(up.re, -up.im);
    cps_jh r;
    r.j = cps_multiply_c128(up, s.i);
    r.j_scale = s.i_scale;
    r.h = cps_scale(cps_over_i(cps_multiply_c128(down, s.k)), 2 / CPS_PI);
    r.h_scale = s.k_scale;
    r.known = s.known;
    return r;
}
enum { CPS_J, CPS_Y, CPS_H1, CPS_H2 };
/* One of the four of an order v >= 0; with `scaled` J and Y times exp(-|z.im|), H1 exp(-i z), H2 exp(i z). */
CPS_HEAVY cp_complex128 cps_cylinder_positive(int which, double v, cp_complex128 z, int scaled)
{
    const int below = z.im < 0;
    if (below) {
        z.im = -z.im;
        which = which == CPS_H1 ? CPS_H2 : which == CPS_H2 ? CPS_H1 : which;
    }
    const cps_jh s = cps_jh_of(v, z, which == CPS_J ? 1 : which == CPS_H1 ? 2 : 3);
    const cp_complex128 turn = CPS_C(cos(z.re), sin(z.re)), back = CPS_C(turn.re, -turn.im);
    const double y = z.im;
    cp_complex128 r;
    if (which == CPS_J) { /* exp(-i z) is exp(y) turned back */
        r = cps_times_exp_c128(cps_multiply_c128(s.j, back), s.j_scale + (scaled ? 0 : y));
    } else if (which == CPS_H1) {
        r = scaled ? cps_times_exp_c128(s.h, s.h_scale)
                   : cps_times_exp_c128(cps_multiply_c128(s.h, turn), s.h_scale - y);
    } else if (which == CPS_H2) { /* 2 J - H1, times exp(i z) where scaled */
        cp_complex128 j = cps_scale(s.j, 2), h = cps_multiply_c128(s.h, turn);
        if (scaled) h = cps_multiply_c128(h, turn);
        else j = cps_multiply_c128(j, back);
        r = cps_subtract_c128(cps_times_exp_c128(j, s.j_scale + (scaled ? 0 : y)),
                              cps_times_exp_c128(h, s.h_scale - (scaled ? 2 * y : y)));
    } else { /* -i (H1 - J) */
        const cp_complex128 j = cps_times_exp_c128(cps_multiply_c128(s.j, back), s.j_scale + (scaled ? 0 : y));
        const cp_complex128 h = cps_times_exp_c128(cps_multiply_c128(s.h, turn), s.h_scale - (scaled ? 2 * y : y));
        r = cps_over_i(cps_subtract_c128(h, j));
        if (z.im == 0 && z.re > 0) r = CPS_C(h.im, 0);
    }
    if (!s.known) return cps_nan_c128();
    if (z.im == 0 && z.re > 0 && cps_infinite(r.im)) r.re = 0; /* J beside Y */
    return below ? CPS_C(r.re, -r.im) : r;
}
/* a z + b w, where a factor of 0 takes infinities away */
CPS_MATH cp_complex128 cps_mix(double a, cp_complex128 z, double b, cp_complex128 w)
{
    const cp_complex128 p = a == 0 ? CPS_C(0, 0) : cps_scale(z, a), q = b == 0 ? CPS_C(0, 0) : cps_scale(w, b);
    return cps_add_c128(p, q);
}
CPS_HEAVY cp_complex128 cps_cylinder(int which, double v, cp_complex128 z, int scaled)
{
    if (v != v || z.re != z.re || z.im != z.im || cps_infinite(v)) return cps_nan_c128();
    const double size = fabs(v);
    if (z.re == 0 && z.im == 0) {
        if (which == CPS_J)
            return v == 0 ? CPS_C(1, 0) : v > 0 || cps_is_whole(v) ? CPS_C(0, 0) :
                   CPS_C(cps_gammasgn(v + 1) * CPS_INF, CPS_NAN);
        if (which != CPS_Y) return cps_nan_c128();
        const double c = v < 0 ? cps_cospi(v) : 1;
        return CPS_C(c == 0 ? 0 : -c * CPS_INF, 0);
    }
    if (cps_infinite(z.re) && z.im == 0) return CPS_C(0, 0);
    if (cps_infinite(z.re) || cps_infinite(z.im)) return cps_nan_c128();
    if (v >= 0) return cps_cylinder_positive(which, v, z, scaled);
    const double c = cps_cospi(size), s = cps_sinpi(size);
    if (which >= CPS_H1) {
        const cp_complex128 h = cps_cylinder_positive(which, size, z, scaled);
        return cps_multiply_c128(h, CPS_C(c, which == CPS_H1 ? s : -s));
    }
    cp_complex128 j = CPS_C(0, 0), y = j;
    if (which == CPS_J ? c != 0 : s != 0) j = cps_cylinder_positive(CPS_J, size, z, scaled);
    if (which == CPS_J ? s != 0 : c != 0) y = cps_cylinder_positive(CPS_Y, size, z, scaled);
    return which == CPS_J ? cps_mix(c, j, -s, y) : cps_mix(s, j, c, y);
}
/* I and K, also left of the imaginary axis and of negative orders. */
CPS_HEAVY cp_complex128 cps_i_of(double v, cp_complex128 z, int scaled)
{
    if (v != v || z.re != z.re || z.im != z.im || cps_infinite(v)) return cps_nan_c128();
    if (z.re == 0 && z.im == 0)
        return v == 0 ? CPS_C(1, 0) : v > 0 || cps_is_whole(v) ? CPS_C(0, 0) :
               CPS_C(cps_gammasgn(v + 1) * CPS_INF, CPS_NAN);
    if (cps_infinite(z.re) && z.im == 0) {
        if (scaled) return CPS_C(0, 0);
        if (z.re > 0) return z;
        return cps_is_whole(v) ? CPS_C(fmod(v, 2) != 0 ? z.re : -z.re, 0) : cps_nan_c128();
    }
    if (cps_infinite(z.re) || cps_infinite(z.im)) return cps_nan_c128();
    const int left = z.re < 0;
    const cp_complex128 w = left ? CPS_C(-z.re, -z.im) : z;
    const double size = fabs(v), s = v < 0 ? cps_sinpi(size) : 0;
    const cps_ik r = cps_ik_of(size, w, s != 0 ? 3 : 1);
    if (!r.known) return cps_nan_c128();
    const cp_complex128 turn = CPS_C(cos(w.im), sin(w.im));
    cp_complex128 i = w.im == 0 ? r.i : cps_multiply_c128(r.i, turn);
    i = cps_times_exp_c128(i, r.i_scale + (scaled ? 0 : w.re));
    if (s != 0) { /* I of -v is I + 2/pi sin(pi v) K */
        const cp_complex128 k = cps_multiply_c128(r.k, CPS_C(turn.re, -turn.im));
        i = cps_add_c128(i, cps_times_exp_c128(cps_scale(k, 2 / CPS_PI * s), r.k_scale - (scaled ? 2 : 1) * w.re));
    }
    if (!left) return i;
    const double c = cps_cospi(v), d = cps_sinpi(v);
    return d == 0 ? cps_scale(i, c) : cps_multiply_c128(i, CPS_C(c, z.im < 0 ? -d : d));
}
CPS_HEAVY cp_complex128 cps_k_of(double v, cp_complex128 z, int scaled)
{
    v = fabs(v);
    if (v != v || z.re != z.re || z.im != z.im || v == CPS_INF) return cps_nan_c128();
    if (z.re == 0 && z.im == 0) return CPS_C(CPS_INF, CPS_NAN);
    if (z.re == CPS_INF && z.im == 0) return CPS_C(0, 0);
    if (cps_infinite(z.re) || cps_infinite(z.im)) return cps_nan_c128();
    const int left = z.re < 0;
    const cp_complex128 w = left ? CPS_C(-z.re, -z.im) : z;
    const cps_ik r = cps_ik_of(v, w, left ? 3 : 2);
    if (!r.known) return cps_nan_c128();
    const cp_complex128 turn = CPS_C(cos(w.im), sin(w.im)), back = CPS_C(turn.re, -turn.im);
    if (!left) {
        if (w.im == 0) return cps_times_exp_c128(r.k, r.k_scale - (scaled ? 0 : w.re));
        return cps_times_exp_c128(scaled ? r.k : cps_multiply_c128(r.k, back), r.k_scale - (scaled ? 0 : w.re));
    }
    /* K of w exp(+-i pi): exp(-+i pi v) K -+ i pi I; scaled by exp(-w) */
    const double side = z.im < 0 ? -1 : 1, c = cps_cospi(v), s = cps_sinpi(v);
    cp_complex128 k = cps_multiply_c128(r.k, CPS_C(c, -side * s)), i = cps_scale(r.i, CPS_PI);
    k = cps_multiply_c128(k, scaled ? cps_multiply_c128(back, back) : back);
    if (!scaled) i = cps_multiply_c128(i, turn);
    k = cps_times_exp_c128(k, r.k_scale - (scaled ? 2 : 1) * w.re);
    i = cps_times_exp_c128(i, r.i_scale + (scaled ? 0 : w.re));
    return CPS_C(k.re + side * i.im, k.im - side * i.re);
}

#define CPS_OF_ORDER(name, body)                                                            \
    CPS_MATH cp_complex128 cps_##name##_c128(double v, cp_complex128 z) { return body; }     \
    CPS_MATH cp_complex64 cps_##name##_c64(float v, cp_complex64 z)                          \
    {                                                                                       \
        return cps_narrow(cps_##name##_c128(v, cps_widen(z)));                               \
    }
CPS_OF_ORDER(jv, cps_cylinder(CPS_J, v, z, 0))
CPS_OF_ORDER(jve, cps_cylinder(CPS_J, v, z, 1))
CPS_OF_ORDER(yv, cps_cylinder(CPS_Y, v, z, 0))
CPS_OF_ORDER(yve, cps_cylinder(CPS_Y, v, z, 1))
CPS_OF_ORDER(hankel1, cps_cylinder(CPS_H1, v, z, 0))
CPS_OF_ORDER(hankel1e, cps_cylinder(CPS_H1, v, z, 1))
CPS_OF_ORDER(hankel2, cps_cylinder(CPS_H2, v, z, 0))
CPS_OF_ORDER(hankel2e, cps_cylinder(CPS_H2, v, z, 1))
CPS_OF_ORDER(iv, cps_i_of(v, z, 0))
CPS_OF_ORDER(ive, cps_i_of(v, z, 1))
CPS_OF_ORDER(kv, cps_k_of(v, z, 0))
CPS_OF_ORDER(kve, cps_k_of(v, z, 1))
#undef CPS_OF_ORDER

/* Of real numbers: left of 0 of whole orders alone. */
CPS_MATH double cps_jv(double v, double x)
{
    if (x < 0 && !cps_is_whole(v)) return CPS_NAN;
    const double r = cps_cylinder(CPS_J, v, CPS_C(fabs(x), 0), 0).re;
    return x < 0 && fmod(v, 2) != 0 ? -r : r;
}
CPS_MATH double cps_yv(double v, double x)
{
    if (x < 0) return CPS_NAN;
    return cps_cylinder(CPS_Y, v, CPS_C(x, 0), 0).re;
}
CPS_MATH double cps_i_real(double v, double x, int scaled)
{
    if (x < 0 && !cps_is_whole(v)) return CPS_NAN;
    const double r = cps_i_of(v, CPS_C(fabs(x), 0), scaled).re;
    return x < 0 && fmod(v, 2) != 0 ? -r : r;
}
CPS_MATH double cps_k_real(double v, double x, int scaled)
{
    return x < 0 ? CPS_NAN : cps_k_of(v, CPS_C(x, 0), scaled).re;
}

/* 0F1: its series where that hardly cancels, else of I or J of order v - 1 and 2 sqrt(z). */
CPS_HEAVY cp_complex128 cps_hyp0f1_c128(double v, cp_complex128 z)
{
    if (v != v || z.re != z.re || z.im != z.im || cps_is_pole(v)) return cps_nan_c128();
    const double size = hypot(z.re, z.im);
    if (size < 1 + fabs(v)) {
        cp_complex128 sum = CPS_C(1, 0), term = sum;
        for (double k = 0; k < 500; k++) {
            term = cps_scale(cps_multiply_c128(term, z), 1 / ((k + 1) * (v + k)));
            sum = cps_add_c128(sum, term);
            if (k > -v && cps_size(term) < 1e-18 * cps_size(sum)) break;
        }
        return sum;
    }
    if (cps_infinite(v) || size == CPS_INF) return cps_nan_c128();
    const int turned = z.im == 0 && z.re < 0; /* J of a real number */
    const cp_complex128 root = turned ? CPS_C(sqrt(-z.re), 0) : cps_sqrt_c128(z), twice = cps_scale(root, 2);
    double m = (1 - v) * log(hypot(root.re, root.im)) + cps_gammaln(v);
    const double angle = (1 - v) * atan2(root.im, root.re);
    cp_complex128 f;
    if (v >= 50) { /* of what alone may vanish */
        const double turn = turned ? -twice.re : twice.im;
        const cps_ik s = cps_ik_of(v - 1, turned ? CPS_C(0, -twice.re) : twice, 1);
        if (!s.known) return cps_nan_c128();
        f = cps_multiply_c128(s.i, CPS_C(cos(turn), sin(turn)));
        if (turned) f = cps_multiply_c128(f, cps_turn(0.5 * (v - 1)));
        m += s.i_scale;
    } else
        f = turned ? cps_cylinder(CPS_J, v - 1, twice, 0) : cps_i_of(v - 1, twice, 1);
    f = cps_scale(f, cps_gammasgn(v));
    if (z.im != 0) f = cps_multiply_c128(f, CPS_C(cos(angle), sin(angle)));
    return cps_times_exp_c128(f, m + (turned ? 0 : twice.re));
}
/* The series of v > 0 in doubles, where terms hardly cancel. */
CPS_MATH double cps_hyp0f1_plain(double v, double x)
{
    double term = 1, sum = 1;
    for (double k = 0; k < 500; k++) {
        term *= x / ((k + 1) * (v + k));
        sum += term;
        if (fabs(term) < 1e-17 * sum) break;
    }
    return sum;
}
/* The same in pairs of doubles; the one quotient of a step does not wait for the last term. */
CPS_MATH double cps_hyp0f1_pairs(double v, double x)
{
    cps_two term = {1, 0}, sum = term;
    for (double k = 0; k < 500; k++) {
        const cps_two n = cps_two_sum(v, k);
        const double d = (k + 1) * n.high, rest = fma(k + 1, n.high, -d) + (k + 1) * n.low, over = 1 / d;
        const double p = term.high * x, lost = fma(term.high, x, -p) + term.low * x, q = p * over;
        term = cps_two_of(q, (fma(-q, d, p) + (lost - q * rest)) * over);
        sum = cps_two_add(sum, term);
        if (k > 3 && fabs(term.high) < 1e-18 * fabs(sum.high) && (k + 1) * d > -x) break;
    }
    return sum.high;
}
CPS_HEAVY double cps_hyp0f1(double v, double x)
{
    if (v > 0 && v < CPS_INF && x >= -1.3 * v && (x < 1000 || x < 20 * v)) return cps_hyp0f1_plain(v, x);
    if (v > 0 && x < 0 && (x > -450 || x > -15 * v)) return cps_hyp0f1_pairs(v, x);
    return cps_hyp0f1_c128(v, CPS_C(x, 0)).re;
}
CPS_MATH cp_complex64 cps_hyp0f1_c64(float v, cp_complex64 z) { return cps_narrow(cps_hyp0f1_c128(v, cps_widen(z))); }

#endif
