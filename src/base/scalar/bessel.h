/* Bessel functions of the orders 0 and 1, and those that recurrences make of them.
 *
 * Below 24 they are polynomials in cells, divided by the nearest zero, so that digits are right near these too. Beyond,
 * J and Y are (P cos - Q sin) of the exact argument with polynomials P and Q of 1/x: near a zero the error is that of
 * its neighbourhood. */
#ifndef CPS_BESSEL_H
#define CPS_BESSEL_H

#include "scalar/special.h"
#include "scalar/tables_bessel.h"
#include "scalar/tables_bessel_modified.h"

/* P and Q of order 0 or 1 for x >= 24, and sin(x) + cos(x), sin(x) - cos(x) times 1/sqrt(pi x). */
typedef struct cps_hankel { double p, q, sum, difference; } cps_hankel;
CPS_MATH cps_hankel cps_hankel_of(int order, double x)
{
    const double u = 1 / x, r = sqrt(u * 0.31830988618379067154), t = fma(u, u, -0.5 / 576);
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
CPS_HEAVY double cps_j0_far(double x)
{
    if (!(x < CPS_INF)) return x != x ? x : 0;
    const cps_hankel h = cps_hankel_of(0, x);
    return h.p * h.sum - h.q * h.difference;
}
CPS_HEAVY double cps_j1_far(double x)
{
    if (!(x < CPS_INF)) return x != x ? x : 0;
    const cps_hankel h = cps_hankel_of(1, x);
    return h.p * h.difference + h.q * h.sum;
}
CPS_MATH double cps_j0_of(double x)
{
    x = fabs(x);
    if (!(x < 24)) return cps_j0_far(x);
    double whole;
    const unsigned cell = cps_nearest(x - 0.5, &whole);
    return CPS_CELL_OF_ZEROS(cps_j0_by_power, cell, x, whole + 0.5, cell == 0);
}
CPS_MATH double cps_j1_of(double x)
{
    const double a = fabs(x), sign = copysign(1.0, x);
    if (!(a < 24)) return sign * cps_j1_far(a);
    double whole;
    const unsigned cell = cps_nearest(a - 0.5, &whole);
    return sign * CPS_CELL_OF_ZEROS(cps_j1_by_power, cell, a, whole + 0.5, 0);
}
CPS_HEAVY double cps_j0(double x) { return cps_j0_of(x); }
CPS_HEAVY double cps_j1(double x) { return cps_j1_of(x); }
CPS_HEAVY double cps_y0_unusual(double x)
{
    if (!(x > 0)) return x == 0 ? -CPS_INF : CPS_NAN;
    if (x == CPS_INF) return 0;
    if (x < 1) {
        const double l = 0.63661977236758134308 * log(x);
        return l * cps_j0(x) + CPS_CELL(cps_y0_near, x * x, 0, 4);
    }
    const cps_hankel h = cps_hankel_of(0, x);
    return h.p * h.difference + h.q * h.sum;
}
CPS_HEAVY double cps_y1_unusual(double x)
{
    if (!(x > 0)) return x == 0 ? -CPS_INF : CPS_NAN;
    if (x == CPS_INF) return 0;
    if (x < 1) return 0.63661977236758134308 * log(x) * cps_j1(x) + CPS_CELL(cps_y1_near, x * x, 0, 4) / x;
    const cps_hankel h = cps_hankel_of(1, x);
    return h.q * h.difference - h.p * h.sum;
}
/* Of 1/8 to 24: 24 cells in octaves to 8, then of unit width. */
CPS_MATH unsigned cps_y_cell(double x, double *middle)
{
    double whole;
    const unsigned unit = cps_nearest(x - 0.5, &whole);
    const uint64_t quarter = cps_bits_f64(x) >> 50;
    *middle = x < 8 ? cps_from_bits_f64(quarter << 50 | 1ull << 49) : whole + 0.5;
    return x < 8 ? (unsigned)quarter - (1020 << 2) : unit + 16;
}
CPS_MATH double cps_y0_of(double x)
{
    if (!(x >= 0.125 && x < 24)) return cps_y0_unusual(x);
    double middle;
    const unsigned cell = cps_y_cell(x, &middle);
    return CPS_CELL_OF_ZEROS(cps_y0_by_power, cell, x, middle, 0);
}
CPS_MATH double cps_y1_of(double x)
{
    if (!(x >= 0.125 && x < 24)) return cps_y1_unusual(x);
    double middle;
    const unsigned cell = cps_y_cell(x, &middle);
    return CPS_CELL_OF_ZEROS(cps_y1_by_power, cell, x, middle, 0);
}
CPS_HEAVY double cps_y0(double x) { return cps_y0_of(x); }
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
CPS_HEAVY double cps_spherical_yn_positive(double n, double x)
{
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
CPS_MATH double cps_spherical_yn(double order, double x)
{
    const double n = trunc(order);
    if (n < 0 || n != n || x != x) return CPS_NAN;
    return (x < 0 && fmod(n, 2) == 0 ? -1 : 1) * cps_spherical_yn_positive(n, fabs(x));
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
