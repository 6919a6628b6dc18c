/* Bessel functions of the orders 0 and 1, and those that recurrences make of them.
 *
 * Below 8 they are polynomials in cells, divided by the zeros, so that digits are right near these too. Beyond, J and Y
 * are (P cos - Q sin) of the exact argument with polynomials P and Q of 1/x: near a zero the error is that of its
 * neighbourhood. */
#ifndef CPS_BESSEL_H
#define CPS_BESSEL_H

#include "scalar/special.h"
#include "scalar/tables_bessel.h"
#include "scalar/tables_bessel_modified.h"

/* P and Q of order 0 or 1 for x >= 8, and sin(x) + cos(x), sin(x) - cos(x) times 1/sqrt(pi x). */
typedef struct cps_hankel { double p, q, sum, difference; } cps_hankel;
CPS_MATH cps_hankel cps_hankel_of(int order, double x)
{
    const double u = 1 / x, r = sqrt(u * 0.31830988618379067154), t = fma(u, u, -0.0078125);
    double s, c;
#ifdef __CUDACC__
    sincos(x, &s, &c);
#else
    s = sin(x), c = cos(x);
#endif
    cps_hankel h;
    h.p = order ? CPS_POLYNOMIAL(cps_p1_far, t) : CPS_POLYNOMIAL(cps_p0_far, t);
    h.q = u * (order ? CPS_POLYNOMIAL(cps_q1_far, t) : CPS_POLYNOMIAL(cps_q0_far, t));
    h.sum = r * (s + c);
    h.difference = r * (s - c);
    return h;
}
/* The distance from a zero, in two parts. */
CPS_MATH double cps_from(double x, double zero, double low) { return (x - zero) - low; }

CPS_MATH double cps_j0_of(double x)
{
    x = fabs(x);
    if (!(x < CPS_INF)) return x != x ? x : 0;
    if (x < 8) {
        const double r = CPS_CELL_BY_POWER(cps_j0_by_power, x, 0, 2);
        const double far = x < 4 ? cps_from(x, 2.404825557695773, -1.176691651530894e-16)
                                 : cps_from(x, 5.520078110286311, 8.088597146146722e-17);
        return x < 1 ? r : r * far;
    }
    const cps_hankel h = cps_hankel_of(0, x);
    return h.p * h.sum - h.q * h.difference;
}
CPS_HEAVY double cps_j0(double x) { return cps_j0_of(x); }
CPS_MATH double cps_j1_of(double x)
{
    const double a = fabs(x);
    if (!(a < CPS_INF)) return x != x ? x : copysign(0.0, x);
    if (a < 8) {
        const double r = CPS_CELL_BY_POWER(cps_j1_by_power, a, 0, 2);
        const double far = a < 5 ? cps_from(a, 3.8317059702075125, -1.5269184090088067e-16)
                                 : cps_from(a, 7.015586669815619, -9.414165653410389e-17);
        return x * (r * far);
    }
    const cps_hankel h = cps_hankel_of(1, a);
    return copysign(1.0, x) * (h.p * h.difference + h.q * h.sum);
}
CPS_HEAVY double cps_j1(double x) { return cps_j1_of(x); }
CPS_MATH double cps_y0_of(double x)
{
    if (!(x > 0)) return x == 0 ? -CPS_INF : CPS_NAN;
    if (x == CPS_INF) return 0;
    if (x < 0.125) {
        const double l = 0.63661977236758134308 * log(x);
        return l * cps_j0(x) + CPS_CELL(cps_y0_near, x * x, 0, 4);
    }
    if (x < 8) {
        const double r = CPS_CELL_OF_OCTAVES(cps_y0_by_power, -3, 2, x, 0, x);
        const double near = x < 2 ? cps_from(x, 0.8935769662791675, 2.6596231539720385e-17)
                                  : cps_from(x, 3.957678419314858, -1.0764340697562706e-16);
        return r * (x < 5 ? near : cps_from(x, 7.086051060301773, -8.835285723085408e-17));
    }
    const cps_hankel h = cps_hankel_of(0, x);
    return h.p * h.difference + h.q * h.sum;
}
CPS_HEAVY double cps_y0(double x) { return cps_y0_of(x); }
CPS_MATH double cps_y1_of(double x)
{
    if (!(x > 0)) return x == 0 ? -CPS_INF : CPS_NAN;
    if (x == CPS_INF) return 0;
    if (x < 0.125) return 0.63661977236758134308 * log(x) * cps_j1(x) + CPS_CELL(cps_y1_near, x * x, 0, 4) / x;
    if (x < 8) {
        const double r = CPS_CELL_OF_OCTAVES(cps_y1_by_power, -3, 2, x, 0, x);
        return r * (x < 4 ? cps_from(x, 2.197141326031017, -4.8259835876454966e-17)
                          : cps_from(x, 5.429681040794135, 4.162514026670377e-16));
    }
    const cps_hankel h = cps_hankel_of(1, x);
    return h.q * h.difference - h.p * h.sum;
}
CPS_HEAVY double cps_y1(double x) { return cps_y1_of(x); }
/* Orders above which the recurrences end: functions of them overflow, but for arguments of that size, which are NaN. */
#define CPS_MOST_ORDERS 1e5
/* Of a whole order, which grows upwards from Y0 and Y1. */
CPS_HEAVY double cps_yn(double order, double x)
{
    if (order != order || x != x) return CPS_NAN;
    const double n = fabs(trunc(order)), sign = order < 0 && fmod(n, 2) != 0 ? -1 : 1;
    if (x == 0) return -CPS_INF * sign;
    if (x < 0) return CPS_NAN;
    if (n == 0) return cps_y0(x);
    if (n > CPS_MOST_ORDERS) return x < 0.5 * n ? -CPS_INF * sign : CPS_NAN;
    double before = cps_y0(x), now = cps_y1(x);
    for (double k = 1; k < n && now > -CPS_INF; k++) {
        const double next = 2 * k / x * now - before;
        before = now;
        now = next;
    }
    return sign * now;
}
CPS_HEAVY double cps_spherical_yn(double order, double x)
{
    const double n = trunc(order);
    if (n < 0 || n != n || x != x) return CPS_NAN;
    if (x < 0) return (fmod(n, 2) != 0 ? 1 : -1) * cps_spherical_yn(n, -x);
    if (x == 0) return -CPS_INF;
    if (x == CPS_INF) return 0;
    if (n > CPS_MOST_ORDERS) return x < 0.5 * n ? -CPS_INF : CPS_NAN;
    double before = -cos(x) / x, now = (before - sin(x)) / x;
    if (n == 0) return before;
    for (double k = 1; k < n && now > -CPS_INF; k++) {
        const double next = (2 * k + 1) / x * now - before;
        before = now;
        now = next;
    }
    return now;
}

/* exp(-|x|) I(x) */
CPS_MATH double cps_i0e_of(double x)
{
    x = fabs(x);
    if (x < 120) return CPS_CELL_OF_OCTAVES(cps_i0e_by_power, 3, 3, x + 8, 8, x);
    return x == CPS_INF ? 0 : CPS_CELL(cps_i0e_far, 1 / x, 0, 128) / sqrt(x);
}
CPS_HEAVY double cps_i0e(double x) { return cps_i0e_of(x); }
CPS_HEAVY double cps_i1e(double x)
{
    const double a = fabs(x);
    if (a < 8) return x * CPS_CELL(cps_i1e_near, a, 0, 2);
    return a != a ? x : a == CPS_INF ? copysign(0.0, x) : copysign(CPS_CELL(cps_i1e_far, 1 / a, 0, 128) / sqrt(a), x);
}
/* exp(x) in two factors: the result may fit where exp(x) does not. */
CPS_MATH double cps_times_exp(double v, double x)
{
    if (x < 700) return v * exp(x);
    const double half = exp(0.5 * x);
    return v * half * half;
}
CPS_MATH double cps_i0(double x)
{
    return fabs(x) == CPS_INF ? CPS_INF : cps_times_exp(cps_i0e(x), fabs(x));
}
CPS_MATH double cps_i1(double x) { return fabs(x) == CPS_INF ? x : cps_times_exp(cps_i1e(x), fabs(x)); }

/* exp(x) K(x) for x >= 1/16 */
CPS_MATH double cps_k0e_far_of(double x)
{
    if (x < 64) return CPS_CELL_OF_OCTAVES(cps_k0e_by_power, -4, 2, x, 0, x);
    return CPS_POLYNOMIAL(cps_k0e_far, 1 / x - 0.0078125) / sqrt(x);
}
CPS_MATH double cps_k1e_far_of(double x)
{
    if (x < 64) return CPS_CELL_OF_OCTAVES(cps_k1e_by_power, -4, 2, x, 0, x);
    return CPS_POLYNOMIAL(cps_k1e_far, 1 / x - 0.0078125) / sqrt(x);
}
/* K(x) for 0 < x < 1/16 */
CPS_HEAVY double cps_k0_near_of(double x)
{
    return CPS_CELL(cps_k0_near, x * x, 0, 4) - log(x) * (exp(x) * cps_i0e_of(x));
}
CPS_HEAVY double cps_k1_near_of(double x)
{
    return CPS_CELL(cps_k1_near, x * x, 0, 4) / x + log(x) * (exp(x) * cps_i1e(x));
}
CPS_MATH double cps_k0e_of(double x)
{
    if (!(x > 0)) return x == 0 ? CPS_INF : CPS_NAN;
    return x < 0.0625 ? cps_k0_near_of(x) * exp(x) : x == CPS_INF ? 0 : cps_k0e_far_of(x);
}
CPS_MATH double cps_k1e_of(double x)
{
    if (!(x > 0)) return x == 0 ? CPS_INF : CPS_NAN;
    return x < 0.0625 ? cps_k1_near_of(x) * exp(x) : x == CPS_INF ? 0 : cps_k1e_far_of(x);
}
CPS_MATH double cps_k0_of(double x)
{
    if (!(x > 0)) return x == 0 ? CPS_INF : CPS_NAN;
    return x < 0.0625 ? cps_k0_near_of(x) : x > 750 ? 0 : cps_times_exp(cps_k0e_far_of(x), -x);
}
CPS_MATH double cps_k1_of(double x)
{
    if (!(x > 0)) return x == 0 ? CPS_INF : CPS_NAN;
    return x < 0.0625 ? cps_k1_near_of(x) : x > 750 ? 0 : cps_times_exp(cps_k1e_far_of(x), -x);
}
CPS_HEAVY double cps_k0e(double x) { return cps_k0e_of(x); }
CPS_HEAVY double cps_k1e(double x) { return cps_k1e_of(x); }
CPS_HEAVY double cps_k0(double x) { return cps_k0_of(x); }
CPS_HEAVY double cps_k1(double x) { return cps_k1_of(x); }

#endif
