/* The chapter of the integrals: those of real numbers, of complex ones, and Lambert's W.
 *
 * E1 is its series near 0 and along the negative axis, where that does not cancel, else a continued fraction, far away
 * its asymptotic series. The sine, cosine and hyperbolic integrals are made of it, Fresnel's of Faddeeva's function
 * with an exact angle. On the axes a complex function is the real one. */
#ifndef CPS_INTEGRALS_H
#define CPS_INTEGRALS_H

#include "scalar/faddeeva.h"
#include "scalar/integrals_real.h"

CPS_MATH cp_complex128 cps_times(cp_complex128 z, double s) { return CPS_C(z.re * s, z.im * s); }

/* exp(z) E1(z) for z right of the cut or far from 0 */
CPS_HEAVY cp_complex128 cps_exp1_fraction(cp_complex128 z)
{
    const double size = hypot(z.re, z.im);
    cp_complex128 sum = CPS_C(1, 0);
    if (size > 40) {
        const cp_complex128 r = cps_reciprocal_c128(CPS_C(-z.re, -z.im));
        cp_complex128 term = sum;
        for (double k = 1; k < 40; k++) {
            term = cps_multiply_c128(term, cps_times(r, k));
            sum = cps_add_c128(sum, term);
            if (fabs(term.re) + fabs(term.im) < 1e-17) break;
        }
        return cps_divide_c128(sum, z);
    }
    cp_complex128 b = CPS_C(z.re + 1, z.im), d = cps_reciprocal_c128(b), c = CPS_C(1e300, 0), h = d;
    for (double k = 1; k < 500; k++) {
        b.re += 2;
        d = cps_reciprocal_c128(cps_add_c128(cps_times(d, -k * k), b));
        c = cps_add_c128(b, cps_divide_c128(CPS_C(-k * k, 0), c));
        const cp_complex128 change = cps_multiply_c128(c, d);
        h = cps_multiply_c128(h, change);
        if (fabs(change.re - 1) + fabs(change.im) < 1e-16) break;
    }
    return h;
}
CPS_HEAVY cp_complex128 cps_exp1_c128(cp_complex128 z)
{
    if (z.re != z.re || z.im != z.im) return CPS_C(CPS_NAN, CPS_NAN);
    if (z.im == 0) return z.re >= 0 ? CPS_C(cps_exp1(z.re), -z.im) : CPS_C(-cps_expi(-z.re), copysign(CPS_PI, -z.im));
    const double size = hypot(z.re, z.im);
    if (cps_infinite(z.re) || cps_infinite(z.im)) return z.re == -CPS_INF ? CPS_C(CPS_NAN, CPS_NAN) : CPS_C(0, 0);
    if (size < 40 && size + z.re <= 2.5) {
        cp_complex128 term = CPS_C(1, 0), sum = CPS_C(0, 0);
        for (double k = 1; k < 200; k++) {
            term = cps_multiply_c128(term, CPS_C(-z.re / k, -z.im / k));
            sum = CPS_C(sum.re - term.re / k, sum.im - term.im / k);
            if (k > size && fabs(term.re) + fabs(term.im) < 1e-18 * (fabs(sum.re) + fabs(sum.im))) break;
        }
        const cp_complex128 l = cps_log_c128(z);
        return CPS_C(sum.re - (CPS_EULER + l.re), sum.im - l.im);
    }
    const cp_complex128 f = cps_exp1_fraction(z), e = CPS_C(cos(z.im), -sin(z.im)), r = cps_multiply_c128(f, e);
    const double half = exp(-0.5 * z.re); /* twice: exp(-z) may overflow where the result does not */
    return CPS_C(r.re == 0 ? 0 : r.re * half * half, r.im == 0 ? 0 : r.im * half * half);
}
CPS_HEAVY cp_complex128 cps_expi_c128(cp_complex128 z)
{
    if (z.im == 0) return CPS_C(cps_expi(z.re), z.re < 0 ? 0 : z.im);
    const cp_complex128 e = cps_exp1_c128(CPS_C(-z.re, -z.im));
    return CPS_C(-e.re, copysign(CPS_PI, z.im) - e.im);
}
typedef struct cps_pair { cp_complex128 s, c; } cps_pair;
/* Si, and Ci - log(z), by their series: |z| < 4 */
CPS_HEAVY cps_pair cps_sici_series(cp_complex128 z)
{
    const cp_complex128 q = cps_multiply_c128(z, z);
    cp_complex128 term = z;
    cps_pair r = {z, CPS_C(CPS_EULER, 0)};
    for (double k = 2; k < 60; k += 2) {
        term = cps_times(cps_multiply_c128(term, q), -1 / (k * (k + 1)));
        r.s = cps_add_c128(r.s, cps_times(term, 1 / (k + 1)));
        if (fabs(term.re) + fabs(term.im) < 1e-18 * (fabs(r.s.re) + fabs(r.s.im))) break;
    }
    term = CPS_C(1, 0);
    for (double k = 2; k < 60; k += 2) {
        term = cps_times(cps_multiply_c128(term, q), -1 / (k * (k - 1)));
        r.c = cps_add_c128(r.c, cps_times(term, 1 / k));
        if (fabs(term.re) + fabs(term.im) < 1e-18) break;
    }
    return r;
}
CPS_HEAVY cps_pair cps_sici_of(cp_complex128 z)
{
    cps_pair r;
    if (z.im == 0) {
        r.s = CPS_C(cps_sine_integral(z.re), z.im);
        r.c = CPS_C(cps_cosine_integral(fabs(z.re)), z.re < 0 ? copysign(CPS_PI, z.im) : 0);
        return r;
    }
    if (z.re == 0) {
        r.s = CPS_C(z.re, cps_shi(z.im));
        r.c = CPS_C(cps_chi(z.im), copysign(0.5 * CPS_PI, z.im));
        return r;
    }
    if (z.re * z.re + z.im * z.im < 16) {
        r = cps_sici_series(z);
        r.c = cps_add_c128(r.c, cps_log_c128(z));
        return r;
    }
    const int left = z.re < 0;
    const cp_complex128 w = left ? CPS_C(-z.re, -z.im) : z;
    const cp_complex128 up = cps_exp1_c128(CPS_C(-w.im, w.re)), down = cps_exp1_c128(CPS_C(w.im, -w.re));
    r.s = CPS_C(0.5 * CPS_PI - 0.5 * (down.im - up.im), 0.5 * (down.re - up.re));
    r.c = CPS_C(-0.5 * (up.re + down.re), -0.5 * (up.im + down.im));
    if (left) r.s = CPS_C(-r.s.re, -r.s.im), r.c.im += copysign(CPS_PI, z.im);
    return r;
}
CPS_MATH cp_complex128 cps_sine_integral_c128(cp_complex128 z) { return cps_sici_of(z).s; }
CPS_MATH cp_complex128 cps_cosine_integral_c128(cp_complex128 z) { return cps_sici_of(z).c; }
/* Shi(z) = -i Si(i z), Chi(z) = Ci(i z) + log(z) - log(i z) */
CPS_MATH cp_complex128 cps_shi_c128(cp_complex128 z) { return cps_over_i(cps_sici_of(cps_times_i(z)).s); }
CPS_HEAVY cp_complex128 cps_chi_c128(cp_complex128 z)
{
    if (z.im == 0) return CPS_C(cps_chi(z.re), z.re < 0 ? copysign(CPS_PI, z.im) : 0);
    const int far = z.im < 0 ? -1 : 1;
    const cp_complex128 up = CPS_C(far * -z.im, far * z.re); /* i z or -i z, right of the axis that cuts */
    cp_complex128 r = cps_sici_of(CPS_C(-up.re, -up.im)).c;
    r.im += far * 0.5 * CPS_PI;
    return r;
}

/* 1 - exp(-t^2) w(i t) of t right of the imaginary axis, -1 + exp(-t^2) w(-i t) left of it: erf(t), from exp(-t^2) */
CPS_MATH cp_complex128 cps_erf_from(cp_complex128 t, cp_complex128 e)
{
    const double side = t.re < 0 ? -1 : 1;
    const cp_complex128 p = cps_multiply_c128(e, cps_wofz_c128(CPS_C(-side * t.im, side * t.re)));
    return CPS_C(side - side * p.re, -side * p.im);
}
CPS_HEAVY cps_pair cps_fresnel_of_c128(cp_complex128 z)
{
    cps_pair r;
    if (z.im == 0 || z.re == 0) { /* S(i y) = -i S(y), C(i y) = i C(y) */
        const cps_fresnel f = cps_fresnel_of(z.im == 0 ? z.re : z.im);
        r.s = z.im == 0 ? CPS_C(f.s, z.im) : CPS_C(z.re, -f.s);
        r.c = z.im == 0 ? CPS_C(f.c, z.im) : CPS_C(z.re, f.c);
        return r;
    }
    const double xx = z.re * z.re, yy = z.im * z.im, half = 0.5 * CPS_PI;
    if (xx + yy < 2) { /* the series in (pi z^2 / 2)^2 */
        const cp_complex128 q = cps_times(cps_multiply_c128(z, z), half), qq = cps_multiply_c128(q, q);
        cp_complex128 term = z;
        r.c = z;
        for (double k = 2; k < 60; k += 2) {
            term = cps_times(cps_multiply_c128(term, qq), -1 / (k * (k - 1)));
            r.c = cps_add_c128(r.c, cps_times(term, 1 / (2 * k + 1)));
        }
        term = cps_multiply_c128(z, q);
        r.s = cps_times(term, 1.0 / 3);
        for (double k = 3; k < 60; k += 2) {
            term = cps_times(cps_multiply_c128(term, qq), -1 / (k * (k - 1)));
            r.s = cps_add_c128(r.s, cps_times(term, 1 / (2 * k + 1)));
        }
        return r;
    }
    /* exp(i pi z^2 / 2) and exp(-i pi z^2 / 2), of the exact square */
    const double sum = xx - yy, part = sum - xx;
    const double lost = (xx - (sum - part)) - (yy + part) + fma(z.re, z.re, -xx) - fma(z.im, z.im, -yy);
    const double turns = 0.5 * sum - 2 * rint(0.25 * sum), angle = turns + 0.5 * lost;
    const double c = cps_cospi(angle), s = cps_sinpi(angle), xy = z.re * z.im;
    const double size = fabs(xy) < 223 ? xy : copysign(223, xy), e = CPS_PI * size; /* exp(700) overflows below */
    const double rest = fma(CPS_PI, size, -e) + CPS_PI * fma(z.re, z.im, -xy) + 1.2246467991473532e-16 * size;
    const double up = exp(-e) * (1 - rest), down = exp(e) * (1 + rest);
    const double root = 0.5 * CPS_SQRT_PI;
    const cp_complex128 plus = cps_erf_from(CPS_C(root * (z.re + z.im), root * (z.im - z.re)), CPS_C(up * c, up * s));
    const cp_complex128 t = CPS_C(root * (z.re - z.im), root * (z.im + z.re));
    const cp_complex128 less = cps_erf_from(t, CPS_C(down * c, -down * s));
    /* C + i S = (1 + i)/2 plus, C - i S = (1 - i)/2 less */
    const cp_complex128 a = CPS_C(0.5 * (plus.re - plus.im), 0.5 * (plus.re + plus.im));
    const cp_complex128 b = CPS_C(0.5 * (less.re + less.im), 0.5 * (less.im - less.re));
    r.c = CPS_C(0.5 * (a.re + b.re), 0.5 * (a.im + b.im));
    r.s = CPS_C(0.5 * (a.im - b.im), 0.5 * (b.re - a.re));
    if (size != xy) {
        const double huge = fabs(xy) < 226 ? exp(CPS_PI * (fabs(xy) - 223)) : CPS_INF;
        r.s = CPS_C(r.s.re * huge, r.s.im * huge), r.c = CPS_C(r.c.re * huge, r.c.im * huge);
    }
    return r;
}
CPS_MATH cp_complex128 cps_fresnel_sine_c128(cp_complex128 z) { return cps_fresnel_of_c128(z).s; }
CPS_MATH cp_complex128 cps_fresnel_cosine_c128(cp_complex128 z) { return cps_fresnel_of_c128(z).c; }

/* The dilogarithm of w, |w| <= 1 and w.re <= 1/2, from u = -log(1 - w): sum of B_n u^(n+1) / (n+1)! */
CPS_MATH cp_complex128 cps_dilogarithm_near(cp_complex128 u)
{
    const double c[11] = {1.0 / 36, -1.0 / 3600, 1.0 / 211680, -1.0 / 10886400, 1.8978869988970999e-09,
                          -4.0647616451442256e-11, 8.9216910204564523e-13, -1.9939295860721076e-14,
                          4.5189800296199182e-16, -1.0356517612182471e-17, 2.3952186210261867e-19};
    const cp_complex128 q = cps_multiply_c128(u, u);
    cp_complex128 sum = CPS_C(c[10], 0);
    for (int k = 9; k >= 0; k--) sum = cps_multiply_c128(sum, q), sum.re += c[k];
    sum = cps_add_c128(cps_multiply_c128(sum, u), CPS_C(-0.25, 0));
    return cps_add_c128(u, cps_multiply_c128(q, sum));
}
CPS_HEAVY cp_complex128 cps_spence_c128(cp_complex128 z)
{
    if (z.re != z.re || z.im != z.im) return CPS_C(CPS_NAN, CPS_NAN);
    if (z.im == 0 && z.re >= 0) return CPS_C(cps_spence(z.re), -z.im);
    if (cps_infinite(z.re) || cps_infinite(z.im)) return CPS_C(-CPS_INF, CPS_NAN);
    const cp_complex128 w = CPS_C(1 - z.re, -z.im), l = cps_log_c128(z);
    const double size = hypot(w.re, w.im), pi6 = CPS_PI * CPS_PI / 6;
    if (size <= 1 && w.re > 0.5) { /* pi^2/6 - log(z) log(1 - z) - Li2(z) */
        const cp_complex128 m = cps_log1p_c128(CPS_C(-z.re, -z.im)), p = cps_multiply_c128(l, m);
        const cp_complex128 d = cps_dilogarithm_near(CPS_C(-m.re, -m.im));
        return CPS_C(pi6 - p.re - d.re, -p.im - d.im);
    }
    if (size <= 1) {
        const cp_complex128 u = cps_log1p_c128(CPS_C(-w.re, -w.im));
        return cps_dilogarithm_near(CPS_C(-u.re, -u.im));
    }
    const cp_complex128 minus = cps_log_c128(CPS_C(z.re - 1, z.im));
    const cp_complex128 half = cps_times(cps_multiply_c128(minus, minus), 0.5);
    const cp_complex128 v = cps_reciprocal_c128(w); /* -Li2(1/w) - pi^2/6 - log(-w)^2 / 2 */
    cp_complex128 d;
    if (v.re <= 0.5) {
        const cp_complex128 u = cps_log1p_c128(CPS_C(-v.re, -v.im));
        d = cps_dilogarithm_near(CPS_C(-u.re, -u.im));
    } else {
        const cp_complex128 lv = cps_log_c128(v), rest = cps_log_c128(cps_divide_c128(CPS_C(-z.re, -z.im), w));
        const cp_complex128 p = cps_multiply_c128(lv, rest), e = cps_dilogarithm_near(CPS_C(-lv.re, -lv.im));
        d = CPS_C(pi6 - p.re - e.re, -p.im - e.im);
    }
    return CPS_C(-d.re - pi6 - half.re, -d.im - half.im);
}

/* Branch k of w exp(w) = z, by Halley's iteration until a step is smaller than tol |w|. */
CPS_HEAVY cp_complex128 cps_lambertw(cp_complex128 z, double branch, double tol)
{
    const double k = trunc(branch);
    if (z.re != z.re || z.im != z.im || k != k) return CPS_C(CPS_NAN, CPS_NAN);
    if (z.re == CPS_INF) return CPS_C(CPS_INF, z.im + 2 * CPS_PI * k);
    if (z.re == -CPS_INF) return CPS_C(CPS_INF, -z.im + 2 * CPS_PI * k + CPS_PI);
    if (z.re == 0 && z.im == 0) return k == 0 ? z : CPS_C(-CPS_INF, 0);
    if (z.re == 1 && z.im == 0 && k == 0) return CPS_C(0.56714329040978387300, 0);
    const double far = hypot(z.re + 0.36787944117144233, z.im);
    cp_complex128 w;
    const int near_branch = k == 0 || (k == 1 && z.im < 0) || (k == -1 && z.im > 0) ||
                            (k == -1 && z.im == 0 && z.re < 0);
    if (near_branch && far < 0.3) { /* the series around the branch point, in p = sqrt(2 (e z + 1)) */
        cp_complex128 p = cps_sqrt_c128(CPS_C(2 * (2.718281828459045 * z.re + 1 + 1.4456468917292502e-16 * z.re),
                                              2 * 2.718281828459045 * z.im));
        if (k != 0) p = CPS_C(-p.re, -p.im);
        w = cps_add_c128(CPS_C(-1, 0), cps_multiply_c128(p, cps_add_c128(CPS_C(1, 0), cps_multiply_c128(p,
                cps_add_c128(CPS_C(-1.0 / 3, 0), CPS_C(p.re * 11 / 72, p.im * 11 / 72))))));
    } else if (k == 0 && z.re > -1 && z.re < 1.5 && fabs(z.im) < 1 && -2.5 * fabs(z.im) - 0.2 < z.re) {
        /* Pade's approximant around 0 */
        const cp_complex128 z2 = cps_multiply_c128(z, z);
        w = cps_divide_c128(cps_add_c128(cps_multiply_c128(z, CPS_C(12.85106382978723404255, 0)),
                                         cps_add_c128(CPS_C(12.34042553191489361902 * z2.re, 12.34042553191489361902 *
                                                            z2.im), CPS_C(1, 0))),
                            cps_add_c128(CPS_C(32.53191489361702127660 * z.re + 14.34042553191489361702 * z2.re,
                                               32.53191489361702127660 * z.im + 14.34042553191489361702 * z2.im),
                                         CPS_C(1, 0)));
        w = cps_multiply_c128(z, cps_divide_c128(CPS_C(1 + 4.0 / 3 * z.re, 4.0 / 3 * z.im),
                              cps_add_c128(CPS_C(1 + 7.0 / 3 * z.re, 7.0 / 3 * z.im),
                                           CPS_C(5.0 / 6 * z2.re, 5.0 / 6 * z2.im))));
    } else { /* log(z) + 2 pi i k, less its logarithm */
        w = cps_log_c128(z);
        w.im += 2 * CPS_PI * k;
        if (w.re == 0 && w.im == 0) w.re = 0.5;
        w = cps_subtract_c128(w, cps_log_c128(w));
        if (k == 0 && z.im == 0 && z.re > 0 && z.re < 3) w = CPS_C(log1p(z.re) * 0.7, 0);
    }
    if (k == -1 && z.im == 0 && z.re < 0 && z.re > -0.36) w = CPS_C(log(-z.re) - log(-log(-z.re)), 0);
    /* f = w - z exp(-w) where w >= 0, else w exp(w) - z */
    for (int i = 0; i < 100; i++) {
        const cp_complex128 one = CPS_C(w.re + 1, w.im);
        cp_complex128 step;
        if (w.re >= 0) {
            const cp_complex128 e = cps_multiply_c128(z, cps_exp_c128(CPS_C(-w.re, -w.im)));
            const cp_complex128 f = cps_subtract_c128(w, e);
            const cp_complex128 half = cps_divide_c128(CPS_C(0.5 * (w.re + 2), 0.5 * w.im), one);
            step = cps_divide_c128(f, cps_subtract_c128(one, cps_multiply_c128(half, f)));
        } else {
            const cp_complex128 e = cps_exp_c128(w), f = cps_subtract_c128(cps_multiply_c128(w, e), z);
            const cp_complex128 half = cps_divide_c128(cps_multiply_c128(CPS_C(w.re + 2, w.im), f),
                                                       CPS_C(2 * one.re, 2 * one.im));
            step = cps_divide_c128(f, cps_subtract_c128(cps_multiply_c128(e, one), half));
        }
        if (step.re != step.re || step.im != step.im) break; /* at the branch point */
        w = cps_subtract_c128(w, step);
        if (hypot(step.re, step.im) <= (tol < 1e-15 ? 1e-15 : tol) * hypot(w.re, w.im)) break;
    }
    return w;
}

#define CPS_NARROW(name) \
    CPS_MATH cp_complex64 cps_##name##_c64(cp_complex64 z) { return cps_narrow(cps_##name##_c128(cps_widen(z))); }
CPS_NARROW(exp1)
CPS_NARROW(expi)
CPS_NARROW(sine_integral)
CPS_NARROW(cosine_integral)
CPS_NARROW(shi)
CPS_NARROW(chi)
CPS_NARROW(fresnel_sine)
CPS_NARROW(fresnel_cosine)
CPS_NARROW(spence)
#undef CPS_NARROW

#endif
