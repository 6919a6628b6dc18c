/* The chapter of Struve's functions, and of integrals of Bessel, Struve and Airy functions.
 *
 * Near 0 they are polynomials in cells, or power series, in pairs of doubles where these cancel.
 * Beyond, the integral of an oscillation or of an exponential is that times an asymptotic series whose coefficients
 * follow from those of the function: B(k) = a(k) + (k - 1/2 + s) B(k - 1), by parts, where the integrand is divided by
 * t^s. Its least term is exp(-x) of the first. */
#ifndef CPS_STRUVE_H
#define CPS_STRUVE_H

#include "scalar/cylinder.h"
#include "scalar/integrals_real.h"
#include "scalar/pairs.h"
#include "scalar/tables_integrals_airy.h"
#include "scalar/tables_integrals_bessel.h"
#include "scalar/tables_integrals_modified.h"
#include "scalar/tables_integrals_struve.h"

#define CPS_2_OVER_PI 0.63661977236758134308
#define CPS_FAR 36.75 /* exp(-36.75) is 2^-53 */

/* --- what the integrals have in common --- */

/* The sum of t(k) / (2 k + m), from k = 1 on where m is 0; t(k) is t(k - 1) x^2 / (4 (k + half)^2). */
CPS_HEAVY double cps_integrated_plainly(double half, double x, double m)
{
    double term = 1, sum = m == 0 ? 0 : 1 / m;
    for (double k = 1; k < 200; k++) {
        const double ratio = 0.5 * x / (k + half); /* a square that is rounded would be wrong by as much each time */
        term = term * ratio * ratio;
        const double part = term / (2 * k + m);
        sum += part;
        if (2 * k > x && part < 1e-18 * sum) break;
    }
    return sum;
}
/* The asymptotic series of an integral: its even and its odd terms, each with alternating signs where `sign` is -1.
 * a(k) is that of Bessel functions of the order whose square is `order`/4, or with order < 0 Airy's. `rest` is the size
 * of what is left out, or of the largest term's rounding. */
typedef struct cps_far { double even, odd, rest; } cps_far;
CPS_HEAVY cps_far cps_far_of(double order, double shift, double z, double sign)
{
    cps_far r = {1, 0, 1};
    double a = 1, b = 1, s = 1, largest = 1;
    for (double k = 1; k < 120; k++) {
        const double odd = 2 * k - 1;
        a *= order < 0 ? (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * odd * z)
                       : (odd * odd - order) / (8 * k * z);
        const double next = a + (k - 0.5 + shift) / z * b, size = fabs(next) + fabs(a);
        if (size > r.rest && size < 0.01) break;
        b = next;
        if (fmod(k, 2) != 0) r.odd += s * b;
        else s *= sign, r.even += s * b;
        r.rest = size;
        largest = fmax(largest, size);
        if (size < 1e-18) break;
    }
    r.rest = fmax(r.rest, 1e-17 * largest);
    return r;
}
/* The real and the imaginary part of the integral of exp(i (t - pi/4)) times such a series, from x on; r is what stands
 * before it. */
CPS_MATH cp_complex128 cps_wave(cps_far f, double x, double r)
{
    const double s = sin(x), c = cos(x), p = CPS_SQRT_HALF * (c + s), q = CPS_SQRT_HALF * (s - c);
    return CPS_C(r * (p * f.odd - q * f.even), r * (p * f.even + q * f.odd));
}
CPS_MATH double cps_log_half(double x) { return log(0.5 * x) + CPS_EULER; }

/* --- J0 and Y0, I0 and K0 --- */

/* The integrals of J0 and Y0 from 0 to x. */
CPS_HEAVY double cps_itj0y0(int which, double x)
{
    const double a = fabs(x);
    if (x != x || (which && x < 0)) return CPS_NAN;
    if (x == 0 || (which && a == CPS_INF)) return 0;
    if (a == CPS_INF) return copysign(1.0, x);
    if (a > CPS_FAR) {
        const cp_complex128 w = cps_wave(cps_far_of(0, 0, a, -1), a, sqrt(2 / (CPS_PI * a)));
        return which ? -w.im : copysign(1 - w.re, x);
    }
    if (which && a >= 4) return CPS_CELL_BY_POWER(cps_iy0_by_power, a, 4, 1);
    const double j = CPS_CELL_BY_POWER(cps_ij0_by_power, a, 0, 1);
    return which ? CPS_2_OVER_PI * a * (cps_log_half(a) * j - CPS_CELL(cps_iy0_near, a * a, 0, 0.5)) : x * j;
}
/* The integral of (1 - J0(t)) / t from 0 to x, and that of Y0(t) / t from x on. */
CPS_HEAVY double cps_it2j0y0(int which, double x)
{
    const double a = fabs(x);
    if (x != x || (which && x < 0)) return CPS_NAN;
    if (a == CPS_INF) return which ? 0 : CPS_INF;
    if (x == 0) return which ? -CPS_INF : 0;
    if (a > CPS_FAR) {
        const cp_complex128 w = cps_wave(cps_far_of(0, 1, a, -1), a, sqrt(2 / (CPS_PI * a)) / a);
        return which ? w.im : cps_log_half(a) + w.re;
    }
    if (which && a >= 4) return CPS_CELL_BY_POWER(cps_iy0_over_by_power, a, 4, 1);
    const double j = a * a * CPS_CELL_BY_POWER(cps_ij0_over_by_power, a, 0, 1);
    if (!which) return j;
    const double l = cps_log_half(a), square = a * a;
    return CPS_PI / 6 - CPS_2_OVER_PI * (l * (0.5 * l - j) - square * CPS_CELL(cps_iy0_over_near, square, 0, 0.5));
}
/* exp(x) / sqrt(2 pi x) times the series */
CPS_MATH double cps_growing(double x, double shift)
{
    const cps_far f = cps_far_of(0, shift, x, 1);
    const double half = exp(0.5 * x);
    return half * ((f.even + f.odd) / sqrt(2 * CPS_PI * x)) * half;
}
/* The integral of K0 from x >= 1 on, or that of K0(t) / t. */
CPS_MATH double cps_k0_tail(int over, double x)
{
    const double far = over ? CPS_POLYNOMIAL(cps_ik0_over_far, 1 / x - 0.0078125)
                            : CPS_POLYNOMIAL(cps_ik0_far, 1 / x - 0.0078125);
    const double near = over ? CPS_CELL_OF_OCTAVES(cps_ik0_over_tail_by_power, 0, 2, x, 0, x)
                             : CPS_CELL_OF_OCTAVES(cps_ik0_tail_by_power, 0, 2, x, 0, x);
    return x > 750 ? 0 : (x < 64 ? near : far) * exp(-x) / (over ? x * sqrt(x) : sqrt(x));
}
/* The integrals of I0 and K0 from 0 to x. */
CPS_HEAVY double cps_iti0k0(int which, double x)
{
    const double a = fabs(x);
    if (x != x || (which && x < 0)) return CPS_NAN;
    if (x == 0) return 0;
    if (which && a >= 1) return 0.5 * CPS_PI - cps_k0_tail(0, a);
    if (a > CPS_FAR) return a > 730 ? copysign(CPS_INF, x) : copysign(cps_growing(a, 0), x);
    const double i = cps_integrated_plainly(0, a, 1);
    return which ? a * (CPS_CELL(cps_ik0_near, a * a, 0, 2) - cps_log_half(a) * i) : x * i;
}
/* The integral of (I0(t) - 1) / t from 0 to x, and that of K0(t) / t from x on. */
CPS_HEAVY double cps_it2i0k0(int which, double x)
{
    const double a = fabs(x);
    if (x != x || (which && x < 0)) return CPS_NAN;
    if (x == 0) return which ? CPS_INF : 0;
    if (which && a >= 1) return cps_k0_tail(1, a);
    if (a > CPS_FAR + 9) return a > 730 ? CPS_INF : cps_growing(a, 1) / a - cps_log_half(a);
    const double i = cps_integrated_plainly(0, a, 0), square = a * a, l = cps_log_half(a);
    return which ? CPS_PI * CPS_PI / 24 + (l * (0.5 * l + i) - square * CPS_CELL(cps_ik0_over_near, square, 0, 2)) : i;
}

/* --- Struve's functions of order 0 --- */

/* The integral of H0 from 0 to x. */
CPS_HEAVY double cps_itstruve0(double x)
{
    x = fabs(x);
    if (!(x < CPS_INF)) return x;
    if (x <= CPS_FAR) return x * x * CPS_CELL_BY_POWER(cps_istruve_by_power, x, 0, 1);
    const cp_complex128 w = cps_wave(cps_far_of(0, 0, x, -1), x, sqrt(2 / (CPS_PI * x)));
    double sum = log(2) + log(x) + CPS_EULER, term = 1;
    for (double k = 1; k < 12; k++) {
        term *= -(2 * k - 1) / x * ((2 * k - 1) / x);
        sum -= term / (2 * k);
    }
    return 2 / CPS_PI * sum - w.im;
}
/* The integral of H0(t) / t from x on. */
CPS_HEAVY double cps_it2struve0(double x)
{
    const double a = fabs(x);
    double r = 0;
    if (x != x) return x;
    if (a <= CPS_FAR) r = CPS_CELL_BY_POWER(cps_istruve_over_by_power, a, 0, 1);
    else if (a < CPS_INF) { /* H0 - Y0 and Y0 */
        const cp_complex128 w = cps_wave(cps_far_of(0, 1, a, -1), a, sqrt(2 / (CPS_PI * a)) / a);
        double sum = 1, term = 1;
        for (double k = 1; k < 12; k++) {
            term *= -(2 * k - 1) / a * ((2 * k - 1) / a);
            sum += term / (2 * k + 1);
        }
        r = w.im + 2 / (CPS_PI * a) * sum;
    }
    return x < 0 ? CPS_PI - r : r;
}
/* The integral of L0 from 0 to x; far away it is that of I0. */
CPS_HEAVY double cps_itmodstruve0(double x)
{
    x = fabs(x);
    if (!(x < 730)) return x != x ? x : CPS_INF;
    return x > CPS_FAR + 4 ? cps_growing(x, 0) : CPS_2_OVER_PI * x * x * cps_integrated_plainly(0.5, x, 2);
}

/* --- Airy's functions --- */

/* The integrals of Ai and Bi from 0 to x, both of x > 0 (`turned` 0), and of Ai(-t) and Bi(-t) */
CPS_HEAVY double cps_itairy_positive(int which, int turned, double x)
{
    const double zeta = 2.0 / 3 * x * sqrt(x), root = 1 / (sqrt(x) * sqrt(sqrt(x)));
    if (turned && zeta > CPS_FAR) {
        const cp_complex128 w = cps_wave(cps_far_of(-1, 0, zeta, -1), zeta, root / CPS_SQRT_PI);
        if (x == CPS_INF) return which ? 0 : 2.0 / 3;
        return which ? w.im : 2.0 / 3 - w.re;
    }
    if (!turned && zeta > (which ? CPS_FAR : 19)) {
        if (x == CPS_INF || zeta > 730) return which ? CPS_INF : 1.0 / 3;
        const cps_far f = cps_far_of(-1, 0, zeta, 1);
        const double half = exp(0.5 * zeta);
        return which ? half * ((f.even + f.odd) * root / CPS_SQRT_PI) * half
                     : 1.0 / 3 - 0.5 * root / CPS_SQRT_PI * (f.even - f.odd) / (half * half);
    }
    if (turned) return x * (which ? CPS_CELL_BY_POWER(cps_ibi_left_by_power, x, 0, 2)
                                  : CPS_CELL_BY_POWER(cps_iai_left_by_power, x, 0, 2));
    return x * (which ? CPS_CELL_BY_POWER(cps_ibi_right_by_power, x, 0, 2)
                      : CPS_CELL_BY_POWER(cps_iai_right_by_power, x, 0, 2));
}
/* Of Ai and Bi from 0 to x, and of Ai(-t) and Bi(-t): `which` from 0 to 3 */
CPS_HEAVY double cps_itairy(int which, double x)
{
    if (x != x || x == 0) return x;
    if (x > 0) return cps_itairy_positive(which & 1, which >> 1, x);
    return -cps_itairy_positive(which & 1, !(which >> 1), -x);
}

/* --- Struve's functions of real order --- */

/* The power series without its first term, or NaN where it cancels too much: of two parts *scale. */
CPS_HEAVY double cps_struve_series(double v, double x, double sign, double *scale)
{
    const cps_two square = cps_two_times(cps_two_of(0.5 * x, 0), cps_two_of(0.5 * sign * x, 0));
    cps_two term = {1, 0}, sum = term;
    double largest = 1;
    *scale = 1;
    for (double k = 1; k < 5000; k++) {
        const cps_two d = cps_two_times(cps_two_of(k + 0.5, 0), cps_two_sum(v, k + 0.5));
        term = cps_two_over(cps_two_times(term, square), d);
        sum = cps_two_add(sum, term);
        const double size = fabs(term.high);
        largest = fmax(largest, size);
        if (k > -v && size < 1e-18 * fabs(sum.high) && 2 * fabs(square.high) < fabs(d.high))
            return largest > 1e15 * fabs(sum.high) ? CPS_NAN : sum.high;
        if (largest > 1e250 && *scale == 1) {
            term = cps_two_of(term.high * 0x1p-664, term.low * 0x1p-664);
            sum = cps_two_of(sum.high * 0x1p-664, sum.low * 0x1p-664);
            largest *= 0x1p-664;
            *scale = 0x1p664;
        }
    }
    return CPS_NAN;
}
/* (x/2)^(v + 1) / gamma(v + 3/2), times s */
CPS_HEAVY double cps_struve_first(double v, double x, double s)
{
    const double h = 0.5 * x, w = v + 1.5;
    if (fabs(w) < 170) {
        const double p = pow(h, 0.5 * v + 0.5);
        return p * (cps_rgamma(w) * s) * p;
    }
    if (w < 0) return exp((v + 1) * log(h) - cps_gammaln(w)) * cps_gammasgn(w) * s;
    const double half = exp(0.5 * ((w - 0.5) * (log(h / w) + 1) + 0.5 - cps_stirling(w)));
    return half * (s / CPS_SQRT_2PI) * half;
}
/* H - Y, or I - L of -v: the asymptotic series; *rest is what it leaves out. */
CPS_HEAVY double cps_struve_far(double v, double x, double sign, double *rest)
{
    const double h = 2 / x;
    double term = cps_struve_first(v - 1, x, h / CPS_SQRT_PI), sum = term, last = fabs(term);
    for (double k = 0; k < 2000; k++) {
        term *= sign * (k + 0.5) * h * ((v - 0.5 - k) * h);
        const double size = fabs(term);
        if (k > v && size > last) break;
        sum += term;
        last = size;
        if (size < 1e-18 * fabs(sum)) break;
    }
    *rest = last;
    return sum;
}
/* H of an order above x by Bessel functions, whose ratios follow downwards: all terms are positive. */
CPS_HEAVY double cps_struve_bessel(double v, double x)
{
    const double h = 0.5 * x, most = 40 + rint(0.6 * x);
    double above = 0, now = 1e-280, sum = 0;
    for (double k = most; k >= 0; k--) { /* now is J of order v + k + 1/2 */
        sum = (k < most ? sum * h / (k + 1) : 0) + now / (k + 0.5);
        const double next = 2 * (v + k + 0.5) / x * now - above;
        above = now;
        if (k > 0) now = next;
        if (now > 1e200) now *= 1e-200, above *= 1e-200, sum *= 1e-200;
    }
    return sqrt(h / CPS_PI) * (sum / above) * cps_jv(v + 0.5, x);
}
CPS_HEAVY double cps_struve_positive(double v, double x, int modified)
{
    if (x == 0) return v > -1 ? 0 : v == -1 ? 2 / CPS_PI : cps_gammasgn(v + 1.5) * CPS_INF;
    const double n = -v - 0.5, sign = modified ? 1 : -1;
    if (n > 0 && cps_is_whole(n)) /* half of a whole order */
        return modified ? cps_i_real(-v, x, 0) : (fmod(n, 2) != 0 ? -1 : 1) * cps_jv(-v, x);
    if (x == CPS_INF) return modified || v > 1 ? CPS_INF : v == 1 ? 2 / CPS_PI : v > -0.5 ? 0 : CPS_NAN;
    if (x >= 0.7 * fabs(v) + 12 && v <= x) {
        double rest;
        const double far = cps_struve_far(v, x, -sign, &rest), b = modified ? cps_i_real(-v, x, 0) : cps_yv(v, x);
        const double r = modified ? b - far : b + far, both = fabs(far) + fabs(b);
        if (both == CPS_INF && v > 0) return both;
        if (rest < 1e-16 * (both + (modified ? 0 : sqrt(0.6 / x))) && (fabs(v) < x || fabs(r) > 0.1 * both)) return r;
    }
    double scale;
    const double sum = cps_struve_series(v, x, sign, &scale);
    if (sum == sum) return cps_struve_first(v, x, sum * 2 / CPS_SQRT_PI) * scale;
    return !modified && v > x && v < 1e4 ? cps_struve_bessel(v, x) : CPS_NAN;
}
CPS_MATH double cps_struve(double v, double x, int modified)
{
    if (v != v || x != x || cps_infinite(v) || (x < 0 && !cps_is_whole(v))) return CPS_NAN;
    return (x < 0 && fmod(v, 2) == 0 ? -1 : 1) * cps_struve_positive(v, fabs(x), modified);
}

/* --- the integral of x^l J(v, 2 a x) from 0 to 1 --- */

/* Of v >= 0 and z = 2 a by J of the orders v + 1, v + 3, ..., whose factors decrease; m is l + v + 1. Orders go down
 * from beyond z, where the first two are nothing, and are scaled by the last two. */
CPS_HEAVY double cps_besselpoly_series(double z, double l, double v, double m)
{
    const double most = 2 * ceil(0.5 * (fmax(z - v, 0) + 12 * cbrt(z) + 30)) + 1;
    double above = 0, now = 1e-280, sum = 0;
    if (!(most < 1e4)) return CPS_NAN;
    for (double k = most; k > 0; k--) { /* now is J of order v + k */
        if (fmod(k, 2) != 0) sum = (v + k) * now + (v - l + k) / (m + k + 1) * sum;
        const double next = 2 * (v + k) / z * now - above;
        above = now;
        now = next;
        if (fabs(now) > 1e200) now *= 1e-200, above *= 1e-200, sum *= 1e-200;
    }
    const double scale = fabs(now) > fabs(above) ? cps_jv(v, z) / now : cps_jv(v + 1, z) / above;
    return 2 / (m * z) * sum * scale;
}

CPS_HEAVY double cps_besselpoly(double a, double l, double v)
{
    if (a != a || l != l || v != v || cps_infinite(l) || cps_infinite(v)) return CPS_NAN;
    double sign = 1;
    if (v < 0 && cps_is_whole(v)) {
        v = -v;
        sign = fmod(v, 2) != 0 ? -1 : 1;
    }
    if (a < 0) {
        if (!cps_is_whole(v)) return CPS_NAN;
        a = -a;
        sign *= fmod(v, 2) != 0 ? -1 : 1;
    }
    const double m = l + v + 1, z = 2 * a;
    if (m <= 0 && fmod(m, 2) == 0) return CPS_INF;
    if (a == 0) return v == 0 ? 1 / m : v > 0 ? 0 : cps_gammasgn(v + 1) * copysign(CPS_INF, m);
    if (z > CPS_FAR) {
        const cps_far f = cps_far_of(4 * v * v, -l, z, -1);
        if (f.rest < 1e-15) { /* the integral from 0 to infinity without that from z on */
            const cp_complex128 w = cps_wave(f, z, sqrt(2 / (CPS_PI * z)) / z), t = cps_turn(-0.5 * v);
            const double all = pow(2 / z, l) / z * cps_gamma(0.5 * m) * cps_rgamma(0.5 * (1 + v - l));
            return a == CPS_INF ? CPS_NAN : sign * (all - (w.re * t.re - w.im * t.im));
        }
    }
    const cps_two square = cps_two_times(cps_two_of(a, 0), cps_two_of(-a, 0));
    const cps_two whole = cps_two_add(cps_two_sum(l, v), cps_two_of(1, 0));
    cps_two term = {1, 0}, sum = term;
    double largest = 1;
    for (double k = 1; k < 300; k++) {
        const cps_two d = cps_two_times(cps_two_of(k, 0), cps_two_sum(v, k));
        term = cps_two_over(cps_two_times(term, square), d);
        const cps_two part = cps_two_over(cps_two_times(term, whole), cps_two_add(whole, cps_two_of(2 * k, 0)));
        sum = cps_two_add(sum, part);
        largest = fmax(largest, fabs(part.high));
        if (k > -v && fabs(part.high) < 1e-20 * fabs(sum.high) && k * (k + v) > a * a) {
            const double p = pow(a, 0.5 * v);
            if (largest < 3e16 * fabs(sum.high)) return sign * p * (cps_rgamma(v + 1) / m * sum.high) * p;
            break;
        }
    }
    return v >= 0 ? sign * cps_besselpoly_series(z, l, v, m) : CPS_NAN;
}

#endif
