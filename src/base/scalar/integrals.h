/* Exponential, trigonometric and hyperbolic integrals, and Lambert's W.
 *
 * Near 0 they are a logarithm and an entire function, a polynomial; far from it exponentials or sine and cosine times
 * polynomials of 1/x. */
#ifndef CPS_INTEGRALS_H
#define CPS_INTEGRALS_H

#include "scalar/special.h"
#include "scalar/tables_fresnel.h"
#include "scalar/tables_integrals.h"

CPS_HEAVY double cps_exp1(double x)
{
    if (!(x > 0)) return x == 0 ? CPS_INF : CPS_NAN;
    if (x <= 1) return CPS_CELL(cps_exp1_near, x, 0, 4) - log(x);
    if (x > 745) return 0;
    const double rest = CPS_CELL(cps_exp1_far, 1 / x, 0, 32) / x;
    if (x < 700) return rest * exp(-x);
    const double half = exp(-0.5 * x);
    return rest * half * half;
}
CPS_HEAVY double cps_expi(double x)
{
    const double zero = 0.37250741078136663, zero_low = 1.3140183414386028e-17;
    if (x != x || x == CPS_INF) return x;
    if (x == 0) return -CPS_INF;
    if (x < 0) return x == -CPS_INF ? -0.0 : -cps_exp1(-x);
    if (x < 1) { /* log(x / zero) + (x - zero) p */
        const double d = (x - zero) - zero_low;
        const double l = fabs(d) < 0.18 ? log1p(d / zero) : log(x) - -0.98749834664534188712;
        return l + d * CPS_CELL(cps_expi_near, x, 0, 4);
    }
    if (x < 7) return log(x) + CPS_CELL(cps_expi_middle, x, 1, 2);
    const double rest = CPS_CELL(cps_expi_far, 1 / x, 0, 192) / x;
    if (x < 700) return rest * exp(x);
    const double half = exp(0.5 * x);
    return x > 730 ? CPS_INF : rest * half * half;
}
/* The integral of exp(-x t) / t^n from 1 on, n whole: a series up to 1, then Lentz's continued fraction. */
CPS_HEAVY double cps_expn(double order, double x)
{
    const double n = trunc(order);
    if (n != n || x != x || n < 0 || x < 0) return CPS_NAN;
    if (x == 0) return n < 2 ? CPS_INF : 1 / (n - 1);
    if (n == 0) return exp(-x) / x;
    if (n == 1) return cps_exp1(x);
    if (x > 745) return 0;
    if (n > 5e4) { /* in powers of n / (x + n)^2 */
        const double r = 1 / (x + n), y = n * r * r;
        return exp(-x) * r * (1 + y * (1 + r * (n - 2 * x) * r + r * r * r * r * (6 * x * x - 8 * n * x + n * n)));
    }
    if (x <= 1) {
        double psi = -CPS_EULER - log(x), power = 1, sum = 0;
        for (double k = 1; k < n; k++) psi += 1 / k;
        if (n > 1) sum = 1 / (n - 1);
        for (double k = 1; k < 200; k++) {
            power *= -x / k;
            if (k == n - 1) continue;
            const double term = power / (k - (n - 1));
            sum -= term;
            if (k == 1) sum = 1 / (n - 1) - term;
            if (fabs(term) < 1e-17 * fabs(sum) && k > n) break;
        }
        double factor = 1; /* (-x)^(n-1) / (n-1)! */
        for (double k = 1; k < n && factor != 0; k++) factor *= -x / k;
        return factor * psi + sum;
    }
    double b = x + n, c = 1e300, d = 1 / b, h = d;
    for (double k = 1; k < 3000; k++) {
        const double a = -k * (n - 1 + k);
        b += 2;
        d = 1 / (a * d + b);
        c = b + a / c;
        const double change = c * d;
        h *= change;
        if (fabs(change - 1) < 1e-16) break;
    }
    return h * exp(-x);
}

/* f and g of x >= 4: Si = pi/2 - f cos - g sin, Ci = f sin - g cos */
CPS_MATH double cps_f_of(double x) { return CPS_CELL(cps_f_far, 1 / x, 0, 64) / x; }
CPS_MATH double cps_g_of(double x) { return CPS_CELL(cps_g_far, 1 / x, 0, 64) / x / x; }
CPS_HEAVY double cps_sine_integral(double x)
{
    const double a = fabs(x);
    if (a < 4) return x * CPS_CELL(cps_si_near, a * a, 0, 0.5);
    if (a != a) return x;
    return copysign(0.5 * CPS_PI - (a == CPS_INF ? 0 : cps_f_of(a) * cos(a) + cps_g_of(a) * sin(a)), x);
}
CPS_HEAVY double cps_cosine_integral(double x)
{
    if (x == -CPS_INF) return CPS_NAN; /* Ci has an imaginary part there, which its limit keeps */
    x = fabs(x);
    if (x == 0) return -CPS_INF;
    if (x < 4) return log(x) + (CPS_EULER + x * x * CPS_CELL(cps_ci_near, x * x, 0, 0.5));
    return x == CPS_INF ? 0 : cps_f_of(x) * sin(x) - cps_g_of(x) * cos(x);
}
CPS_HEAVY double cps_shi(double x)
{
    const double a = fabs(x);
    if (a < 2) return x * CPS_CELL(cps_shi_near, a * a, 0, 0.5);
    return copysign(0.5 * cps_expi(a) + 0.5 * cps_exp1(a), x);
}
CPS_HEAVY double cps_chi(double x)
{
    x = fabs(x);
    if (x == 0) return -CPS_INF;
    if (x < 2) return log(x) + (CPS_EULER + x * x * CPS_CELL(cps_chi_near, x * x, 0, 0.5));
    return 0.5 * cps_expi(x) - 0.5 * cps_exp1(x);
}

/* Dawson's integral exp(-x^2) times the integral of exp(t^2) from 0 to x. */
CPS_HEAVY double cps_dawsn(double x)
{
    const double a = fabs(x);
    if (a < 8) return x * CPS_CELL(cps_dawsn_near, a, 0, 4);
    return a > 1e300 ? 0.5 / x : CPS_CELL(cps_dawsn_far, 1 / a, 0, 64) / x;
}
CPS_HEAVY double cps_erfi(double x)
{
    const double square = x * x, lost = fma(x, x, -square), factor = 2 / CPS_SQRT_PI;
    if (!(fabs(x) < 27)) return x != x ? x : copysign(CPS_INF, x);
    return factor * cps_dawsn(x) * exp(0.5 * square) * (1 + lost) * exp(0.5 * square);
}

/* Fresnel's integrals of sin and cos (pi t^2 / 2), in one; beyond 1.6 by sine and cosine of the exact square. */
typedef struct cps_fresnel { double s, c; } cps_fresnel;
CPS_HEAVY cps_fresnel cps_fresnel_of(double x)
{
    cps_fresnel r;
    const double a = fabs(x), square = a * a;
    if (!(a >= 1.6)) {
        r.s = x * square * CPS_CELL(cps_fresnel_s, square, 0, 4);
        r.c = x * CPS_CELL(cps_fresnel_c, square, 0, 4);
        return r;
    }
    r.s = r.c = copysign(0.5, x);
    if (a > 1e150) return r;
    const double lost = fma(a, a, -square), turns = 0.5 * square - 2 * rint(0.25 * square), angle = turns + 0.5 * lost;
    const double sine = cps_sinpi(angle), cosine = cps_cospi(angle), u = 1 / a;
    const double f = CPS_CELL(cps_fresnel_f, u, 0, 32) * u / CPS_PI;
    const double g = CPS_CELL(cps_fresnel_g, u, 0, 32) * u * u * u / (CPS_PI * CPS_PI);
    r.s = copysign(0.5 - (f * cosine + g * sine), x);
    r.c = copysign(0.5 + (f * sine - g * cosine), x);
    return r;
}
CPS_MATH double cps_fresnel_sine(double x) { return cps_fresnel_of(x).s; }
CPS_MATH double cps_fresnel_cosine(double x) { return cps_fresnel_of(x).c; }

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

#endif
