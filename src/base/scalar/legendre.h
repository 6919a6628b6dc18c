/* The chapter of Legendre functions of the second kind, of whole degree n and order m, and of their derivatives.
 *
 * With D the m-th derivative of Q_n they are (-1)^m (1 - z^2)^(m/2) D between -1 and 1, and of complex numbers for
 * |z| <= 1 (the inner ones), else (z^2 - 1)^(m/2) D. Each recurrence is taken in the direction in which its terms have
 * one sign, or the function grows: of degrees from m on those of orders 0 and 1 are made first, by the recurrence in
 * the degree, upwards in the form of differences near the cut and downwards (Miller) elsewhere, then the recurrence in
 * the order; of degrees below m the one of degree m - 1 is known, and the degrees are taken downwards.
 */
#ifndef CPS_LEGENDRE_H
#define CPS_LEGENDRE_H

#include "scalar/neighbours.h"

/* Where a function is computed: z with a real part from 0 on, what is less than 1, the root of z^2 - 1, or of 1 - z^2
 * of inner ones, and by which power of 2 z and that root are larger than `scaled` and `root`. */
typedef struct cps_legendre { double n, m, b; cp_complex128 z, less, scaled, root; int inner; } cps_legendre;

/* Q_0 */
CPS_MATH cp_complex128 cps_legendre_start(const cps_legendre *l)
{
    const double x = l->z.re, y = l->z.im, d = l->less.re, s = (1 + x) * d - y * y; /* 1 - |z|^2 */
    if (l->b > 30) return cps_reciprocal_c128(l->z);
    if (y == 0 && x > 1) return CPS_C(0.5 * log1p(-2 / d), 0);
    const double square = d * d + y * y;
    const double re = square > 1e-200 ? 0.25 * log1p(4 * x / square) : 0.5 * (log(1 + x) - cps_log_abs(d, y));
    return CPS_C(re, l->inner ? 0.5 * atan2(2 * y, s) : -0.5 * atan2(2 * y, -s));
}
/* Of orders 0 and 1 upwards from degree 0: with the differences of two degrees no digits are lost near 1. */
CPS_HEAVY cps_neighbours cps_legendre_up(const cps_legendre *l)
{
    cp_complex128 q = cps_legendre_start(l), step = CPS_C(0, 0);
    cps_neighbours r = {q, CPS_C(0, 0), 0};
    for (double k = 0; k < l->n; k++) {
        const cp_complex128 by = cps_scale(cps_multiply_c128(l->less, q), 2 * k + 1), old = cps_scale(step, k);
        const double over = 1 / (k + 1);
        step = CPS_C((old.re - by.re - (k == 0)) * over, (old.im - by.im) * over);
        q = cps_add_c128(q, step);
    }
    const cp_complex128 slope = cps_subtract_c128(step, cps_multiply_c128(l->less, q)); /* n: (z^2 - 1) Q_n' */
    r.now = q;
    r.next = cps_divide_c128(l->n > 0 ? cps_scale(slope, l->n) : CPS_C(-1, 0), l->root);
    r.next = cps_of_exponent(r.next, -l->b); /* 0 but for n = 0 */
    return r;
}
/* The same of n > 0 by quotients of two degrees from far above n downwards; `fall` is the logarithm of those far away.
 * Times 2^e. */
CPS_HEAVY cps_neighbours cps_legendre_down(const cps_legendre *l, cp_complex128 far, double fall)
{
    const double less = ldexp(1.0, (int)(-2 * l->b));
    cp_complex128 quotient = far;
    cps_neighbours r = {CPS_C(1, 0), CPS_C(0, 0), 0};
    for (double k = l->n + ceil(20 / fall) + 2; k > l->n; k--) {
        const cp_complex128 a = cps_scale(l->scaled, 2 * k + 1), b = cps_scale(quotient, (k + 1) * less);
        quotient = cps_divide_c128(CPS_C(k, 0), cps_subtract_c128(a, b));
    }
    cp_complex128 last = quotient; /* of n + 1 and n */
    for (double k = l->n; k > 0; k--) {
        const cp_complex128 a = cps_scale(l->scaled, 2 * k + 1), b = cps_scale(quotient, (k + 1) * less);
        quotient = cps_divide_c128(CPS_C(k, 0), cps_subtract_c128(a, b));
        if (k == l->n) last = quotient;
        r.now = cps_multiply_c128(r.now, quotient);
        r.e -= l->b;
        r = cps_neighbours_fit(r);
    }
    r.now = cps_multiply_c128(r.now, cps_legendre_start(l));
    /* n (z Q_n - Q_(n-1)) over the root, of Q_n = last Q_(n-1) */
    const cp_complex128 whole = cps_multiply_c128(l->scaled, last);
    const cp_complex128 by = cps_divide_c128(CPS_C(l->n * (whole.re - 1), l->n * whole.im), last);
    r.next = cps_divide_c128(cps_multiply_c128(r.now, by), l->root);
    return cps_neighbours_fit(r);
}
/* Of n >= m, of those of orders 0 and 1. */
CPS_HEAVY cps_slopes cps_legendre_orders(const cps_legendre *l, cps_neighbours q)
{
    const cp_complex128 c = cps_divide_c128(l->scaled, l->root);
    const double sign = l->inner ? -1 : 1, n = l->n, m = l->m;
    cp_complex128 slope = cps_scale(q.next, sign);
    for (double k = 1; k <= m; k++) { /* now, next: of orders k - 1 and k */
        const cp_complex128 rest = cps_scale(q.now, (n - k + 1) * (n + k)), by = cps_multiply_c128(c, q.next);
        if (k == m) slope = cps_subtract_c128(rest, cps_scale(by, sign * k));
        q.now = q.next;
        q.next = cps_subtract_c128(cps_scale(rest, sign), cps_scale(by, 2 * k));
        if (k < m) q = cps_neighbours_fit(q);
    }
    const cps_slopes r = {cps_of_exponent(q.now, q.e),
                          cps_of_exponent(cps_divide_c128(slope, l->root), q.e - l->b)};
    return r;
}
/* Ferrers' function of the first kind of n >= m. */
CPS_HEAVY cps_slopes cps_legendre_first(const cps_legendre *l)
{
    const double n = l->n, m = l->m;
    cps_neighbours p = {CPS_C(1, 0), CPS_C(0, 0), 0}; /* next: of the degree before */
    for (double k = 1; k <= m; k++) {
        p.now = cps_multiply_c128(p.now, cps_scale(l->root, 1 - 2 * k));
        p = cps_neighbours_fit(p);
    }
    for (double k = m; k < n; k++) {
        const cp_complex128 a = cps_scale(cps_multiply_c128(l->z, p.now), 2 * k + 1), b = cps_scale(p.next, k + m);
        p.next = p.now;
        p.now = cps_scale(cps_subtract_c128(a, b), 1 / (k - m + 1));
        p = cps_neighbours_fit(p);
    }
    const cp_complex128 a = cps_scale(cps_multiply_c128(l->z, p.now), n), b = cps_scale(p.next, n + m);
    const cp_complex128 under = cps_multiply_c128(l->less, CPS_C(1 + l->z.re, l->z.im));
    const cp_complex128 slope = cps_divide_c128(cps_subtract_c128(b, a), under);
    const cps_slopes r = {cps_of_exponent(p.now, p.e), cps_of_exponent(slope, p.e)};
    return r;
}
/* Of n < m: from (-1)^m 2^(m-1) (m-1)! over the root to the m-th, of degree m - 1, downwards. */
CPS_HEAVY cps_slopes cps_legendre_below(const cps_legendre *l)
{
    const double n = l->n, m = l->m, less = ldexp(1.0, (int)-l->b);
    const cp_complex128 over = cps_reciprocal_c128(l->root), z = l->scaled;
    cps_neighbours q = {over, CPS_C(0, 0), -l->b};
    for (double k = 1; k < m; k++) {
        q.now = cps_multiply_c128(q.now, cps_scale(over, 2 * k));
        q.e -= l->b;
        q = cps_neighbours_fit(q);
    }
    for (double k = m - 1; k > n; k--) { /* now, next: of degrees k and k + 1 */
        const cp_complex128 a = cps_scale(cps_multiply_c128(z, q.now), 2 * k + 1);
        const cp_complex128 b = cps_scale(q.next, (m - k - 1) * less);
        q.next = cps_scale(q.now, less);
        q.now = cps_scale(cps_add_c128(a, b), 1 / (k + m));
        q.e += l->b;
        q = cps_neighbours_fit(q);
    }
    const double sign = fmod(m, 2) != 0 ? -1 : 1;
    const cp_complex128 a = cps_scale(cps_multiply_c128(z, q.now), n + 1), b = cps_scale(q.next, (m - n - 1) * less);
    const cp_complex128 up = cps_divide_c128(cps_add_c128(a, b), l->less); /* over 1 - z and 1 + z, which is as z */
    const cp_complex128 slope = cps_divide_c128(up, cps_of_exponent(CPS_C(1 + l->z.re, l->z.im), -l->b));
    const cps_slopes r = {cps_of_exponent(cps_scale(q.now, sign), q.e), cps_of_exponent(cps_scale(slope, sign), q.e)};
    return r;
}
CPS_HEAVY cps_slopes cps_legendre_right(double n, double m, cp_complex128 z, int inner)
{
    cps_legendre l = {n, m, 0, z, CPS_C(1 - z.re, -z.im), z, CPS_C(0, 0), inner};
    const double size = fmax(fabs(z.re), fabs(z.im));
    if (size > 4) {
        int b;
        frexp(size, &b);
        l.b = b;
        l.scaled = cps_of_exponent(z, -l.b);
    }
    const double one = ldexp(1.0, (int)-l.b);
    const cp_complex128 above = CPS_C(l.scaled.re + one, l.scaled.im), below = CPS_C(l.scaled.re - one, l.scaled.im);
    const cp_complex128 outer = cps_multiply_c128(cps_sqrt_c128(l.b > 0 ? below : cps_negative_c128(l.less)),
                                                  cps_sqrt_c128(above));
    l.root = inner ? cps_multiply_c128(cps_sqrt_c128(l.less), cps_sqrt_c128(above)) : outer;
    if (n < m) return cps_legendre_below(&l);
    const cp_complex128 grown = cps_add_c128(l.scaled, outer);
    const double fall = cps_log_abs(grown.re, grown.im) + l.b * CPS_LN2;
    if (!(n * fall > 0.5)) return cps_legendre_orders(&l, cps_legendre_up(&l));
    if (!inner) return cps_legendre_orders(&l, cps_legendre_down(&l, cps_reciprocal_c128(grown), fall));
    l.inner = 0; /* they are the outer ones and pi i / 2 times those of the first kind */
    const cps_neighbours q = cps_legendre_down(&l, cps_reciprocal_c128(grown), fall);
    l.inner = 1;
    const cps_slopes f = cps_legendre_orders(&l, q), p = cps_legendre_first(&l);
    const double by = z.im > 0 ? 0.5 * CPS_PI : -0.5 * CPS_PI;
    const cps_slopes r = {CPS_C(f.y.re - by * p.y.im, f.y.im + by * p.y.re),
                          CPS_C(f.slope.re - by * p.slope.im, f.slope.im + by * p.slope.re)};
    return r;
}
/* Functions of -z are those of z with signs, as the roots are the same. At 1 they are infinite. */
CPS_HEAVY cps_slopes cps_assoc_legendre_q_c128(double n, double m, cp_complex128 z)
{
    cps_slopes r = {CPS_C(CPS_NAN, CPS_NAN), CPS_C(CPS_NAN, CPS_NAN)};
    if (!(n >= 0 && m >= 0 && n <= 1e5 && m <= 1e5) || n != floor(n) || m != floor(m)) return r;
    if (z.re != z.re || z.im != z.im) return r;
    const int left = z.re < 0;
    const double sign = left && fmod(n + m, 2) == 0 ? -1 : 1, other = left ? -sign : sign;
    if (left) z = CPS_C(-z.re, -z.im);
    if (cps_infinite(z.re) || cps_infinite(z.im)) r.y = r.slope = CPS_C(0, 0);
    else if (z.re == 1 && z.im == 0) r.y = r.slope = CPS_C(fmod(m, 2) != 0 ? -CPS_INF : CPS_INF, 0);
    else r = cps_legendre_right(n, m, z, z.im == 0 ? z.re < 1 : hypot(z.re, z.im) <= 1);
    r.y = cps_scale(r.y, sign), r.slope = cps_scale(r.slope, other);
    return r;
}
CPS_MATH cps_slopes_narrow cps_assoc_legendre_q_c64(double n, double m, cp_complex64 z)
{
    const cps_slopes wide = cps_assoc_legendre_q_c128(n, m, cps_widen(z));
    const cps_slopes_narrow r = {cps_narrow(wide.y), cps_narrow(wide.slope)};
    return r;
}
CPS_MATH cps_slopes_real cps_assoc_legendre_q(double n, double m, double x)
{
    const cps_slopes wide = cps_assoc_legendre_q_c128(n, m, CPS_C(x, 0));
    const cps_slopes_real r = {wide.y.re, wide.slope.re};
    return r;
}

#endif
