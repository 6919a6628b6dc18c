/* The chapter of Legendre functions of the second kind, of whole degree n and order m, and of their derivatives.
 *
 * With D the m-th derivative of Q_n they are (-1)^m (1 - z^2)^(m/2) D between -1 and 1, and of complex numbers for
 * |z| <= 1 (the inner ones), else (z^2 - 1)^(m/2) D. Each recurrence is taken in the direction in which its terms have
 * one sign, or the function grows: of degrees from m on those of orders 0 and 1 are made first, by the recurrence in
 * the degree, upwards near the cut and downwards (Miller) elsewhere, of differences too, then the recurrence in the
 * order; of degrees below m the one of degree m - 1 is known, and the degrees are taken downwards. */
#ifndef CPS_LEGENDRE_H
#define CPS_LEGENDRE_H

#include "scalar/neighbours.h"

CPS_MATH double cps_of_exponent_real(double v, double e)
{
    return e == 0 ? v : ldexp(v, e > 4000 ? 4000 : e < -4000 ? -4000 : (int)e);
}
#define V double
#define N(name) name##_r
#define NUMBER(x) (x)
#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define OVER(a, b) ((a) / (b))
#define BY(a, b) ((a) * (b))
#define SIZE(a) fabs(a)
#define TWOS(a, e) cps_of_exponent_real(a, e)
#include "scalar/legendre_steps.inc"
#define V cp_complex128
#define N(name) name##_c
#define NUMBER(x) CPS_C(x, 0)
#define ADD(a, b) cps_add_c128(a, b)
#define SUB(a, b) cps_subtract_c128(a, b)
#define MUL(a, b) cps_multiply_c128(a, b)
#define OVER(a, b) cps_divide_c128(a, b)
#define BY(a, b) cps_scale(a, b)
#define SIZE(a) cps_size(a)
#define TWOS(a, e) cps_of_exponent(a, e)
#include "scalar/legendre_steps.inc"

/* --- real arguments from 0 on, but 1 --- */

CPS_HEAVY cps_slopes_of_r cps_legendre_real(double n, double m, double x)
{
    const int inner = x < 1;
    cps_legendre_r l = cps_legendre_of_r(n, m, x, inner);
    const double one = cps_of_exponent_real(1, -l.b);
    l.root = sqrt(l.b > 0 ? l.scaled - one : fabs(l.less)) * sqrt(l.scaled + one);
    if (n < m) return cps_legendre_below_r(&l);
    const double d = l.less, far = l.scaled + l.root, fall = inner ? 0 : log(far) + l.b * CPS_LN2;
    const double start = l.b > 30 ? 1 / x : inner ? 0.25 * log1p(4 * x / (d * d)) : 0.5 * log1p(-2 / d);
    return cps_legendre_orders_r(&l, n * fall > 0.5 ? cps_legendre_down_r(&l, start, 1 / far, fall) :
                                     cps_legendre_up_r(&l, start));
}

/* --- complex arguments whose imaginary part is not 0 --- */

/* Q_0 */
CPS_MATH cp_complex128 cps_legendre_start(const cps_legendre_c *l)
{
    const double x = l->z.re, y = l->z.im, d = l->less.re, s = (1 + x) * d - y * y; /* 1 - |z|^2 */
    if (l->b > 30) return cps_reciprocal_c128(l->z);
    const double square = d * d + y * y;
    const double re = square > 1e-200 ? 0.25 * log1p(4 * x / square) : 0.5 * (log(1 + x) - cps_log_abs(d, y));
    return CPS_C(re, l->inner ? 0.5 * atan2(2 * y, s) : -0.5 * atan2(2 * y, -s));
}
/* Ferrers' function of the first kind of n >= m. */
CPS_HEAVY cps_slopes_of_c cps_legendre_first(const cps_legendre_c *l)
{
    const double n = l->n, m = l->m;
    cps_pair_of_c p = {CPS_C(1, 0), CPS_C(0, 0), 0}; /* next: of the degree before */
    for (double k = 1; k <= m; k++) {
        p.now = cps_multiply_c128(p.now, cps_scale(l->root, 1 - 2 * k));
        p = cps_pair_fit_c(p);
    }
    for (double k = m; k < n; k++) {
        const cp_complex128 a = cps_scale(cps_multiply_c128(l->z, p.now), 2 * k + 1), b = cps_scale(p.next, k + m);
        p.next = p.now;
        p.now = cps_scale(cps_subtract_c128(a, b), 1 / (k - m + 1));
        p = cps_pair_fit_c(p);
    }
    const cp_complex128 a = cps_scale(cps_multiply_c128(l->z, p.now), n), b = cps_scale(p.next, n + m);
    const cp_complex128 under = cps_multiply_c128(l->less, CPS_C(1 + l->z.re, l->z.im));
    const cp_complex128 slope = cps_divide_c128(cps_subtract_c128(b, a), under);
    const cps_slopes_of_c r = {cps_of_exponent(p.now, p.e), cps_of_exponent(slope, p.e)};
    return r;
}
CPS_HEAVY cps_slopes_of_c cps_legendre_complex(double n, double m, cp_complex128 z, int inner)
{
    cps_legendre_c l = cps_legendre_of_c(n, m, z, inner);
    const double one = cps_of_exponent_real(1, -l.b);
    const cp_complex128 above = CPS_C(l.scaled.re + one, l.scaled.im), below = CPS_C(l.scaled.re - one, l.scaled.im);
    const cp_complex128 outer = cps_multiply_c128(cps_sqrt_c128(l.b > 0 ? below : cps_negative_c128(l.less)),
                                                  cps_sqrt_c128(above));
    l.root = inner ? cps_multiply_c128(cps_sqrt_c128(l.less), cps_sqrt_c128(above)) : outer;
    if (n < m) return cps_legendre_below_c(&l);
    const cp_complex128 grown = cps_add_c128(l.scaled, outer), far = cps_reciprocal_c128(grown);
    const double fall = cps_log_abs(grown.re, grown.im) + l.b * CPS_LN2;
    if (!(n * fall > 0.5)) return cps_legendre_orders_c(&l, cps_legendre_up_c(&l, cps_legendre_start(&l)));
    l.inner = 0;
    const cps_pair_of_c q = cps_legendre_down_c(&l, cps_legendre_start(&l), far, fall);
    if (!inner) return cps_legendre_orders_c(&l, q);
    l.inner = 1; /* they are the outer ones and pi i / 2 times those of the first kind */
    const cps_slopes_of_c f = cps_legendre_orders_c(&l, q), p = cps_legendre_first(&l);
    const double by = z.im > 0 ? 0.5 * CPS_PI : -0.5 * CPS_PI;
    const cps_slopes_of_c r = {CPS_C(f.y.re - by * p.y.im, f.y.im + by * p.y.re),
                               CPS_C(f.slope.re - by * p.slope.im, f.slope.im + by * p.slope.re)};
    return r;
}

/* --- all arguments --- */

CPS_MATH int cps_legendre_has(double n, double m)
{
    return n >= 0 && m >= 0 && n <= 1e5 && m <= 1e5 && n == floor(n) && m == floor(m);
}
/* Functions of -z are those of z with signs, as the roots are the same. At 1 they are infinite. */
CPS_HEAVY cps_slopes_of_r cps_assoc_legendre_q(double n, double m, double x)
{
    cps_slopes_of_r r = {CPS_NAN, CPS_NAN};
    if (!cps_legendre_has(n, m) || x != x) return r;
    const double sign = x < 0 && fmod(n + m, 2) == 0 ? -1 : 1, size = fabs(x);
    if (size == CPS_INF) r.y = r.slope = 0;
    else if (size == 1) r.y = r.slope = fmod(m, 2) != 0 ? -CPS_INF : CPS_INF;
    else r = cps_legendre_real(n, m, size);
    if (size == 0 && fmod(n + m, 2) == 0) r.y = 0; /* odd functions */
    else if (size == 0) r.slope = 0;
    r.y *= sign, r.slope *= x < 0 ? -sign : sign;
    return r;
}
CPS_HEAVY cps_slopes_of_c cps_assoc_legendre_q_c128(double n, double m, cp_complex128 z)
{
    cps_slopes_of_c r = {CPS_C(CPS_NAN, CPS_NAN), CPS_C(CPS_NAN, CPS_NAN)};
    if (z.im == 0) {
        const cps_slopes_of_r real = cps_assoc_legendre_q(n, m, z.re);
        r.y = CPS_C(real.y, 0), r.slope = CPS_C(real.slope, 0);
        return r;
    }
    if (!cps_legendre_has(n, m) || z.re != z.re || z.im != z.im) return r;
    const double sign = z.re < 0 && fmod(n + m, 2) == 0 ? -1 : 1, other = z.re < 0 ? -sign : sign;
    if (z.re < 0) z = CPS_C(-z.re, -z.im);
    if (cps_infinite(z.re) || cps_infinite(z.im)) r.y = r.slope = CPS_C(0, 0);
    else r = cps_legendre_complex(n, m, z, hypot(z.re, z.im) <= 1);
    r.y = cps_scale(r.y, sign), r.slope = cps_scale(r.slope, other);
    return r;
}
CPS_MATH cps_slopes_narrow cps_assoc_legendre_q_c64(double n, double m, cp_complex64 z)
{
    const cps_slopes_of_c wide = cps_assoc_legendre_q_c128(n, m, cps_widen(z));
    const cps_slopes_narrow r = {cps_narrow(wide.y), cps_narrow(wide.slope)};
    return r;
}

#endif
