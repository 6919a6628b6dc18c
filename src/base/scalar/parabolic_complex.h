/* Parabolic cylinder functions of whole order from 0 on, of complex numbers: Hermite polynomials times exp(-z^2 / 4).
 */
#ifndef CPS_PARABOLIC_COMPLEX_H
#define CPS_PARABOLIC_COMPLEX_H

#include "scalar/neighbours.h"

/* exp(-z^2 / 4) / 2^*e; the square has its own rounding errors. */
CPS_MATH cp_complex128 cps_gauss_c128(cp_complex128 z, double *e)
{
    const double x = z.re, y = z.im, xx = x * x, yy = y * y, xy = x * y;
    double lost = fma(x, x, -xx) - fma(y, y, -yy);
    const double s = -0.25 * cps_sum_c128(xx, -yy, &lost), k = rint(s / CPS_LN2);
    const double size = exp((s - k * CPS_LN2_HIGH) - k * CPS_LN2_LOW - 0.25 * lost);
    const double more = -0.5 * fma(x, y, -xy), c = cos(0.5 * xy), d = -sin(0.5 * xy);
    *e = k;
    return CPS_C(size * (c - more * d), size * (d + more * c));
}
CPS_HEAVY cps_slopes cps_pbdn_c128(double n, cp_complex128 z)
{
    const double square = z.re * z.re - z.im * z.im;
    cps_slopes r = {CPS_C(CPS_NAN, CPS_NAN), CPS_C(CPS_NAN, CPS_NAN)};
    if (!(n >= 0 && n <= 1e5) || n != floor(n)) return r;
    if (square > 1e16) r.y = r.slope = CPS_C(0, 0);
    if (!(cps_size(z) < 1e8)) return r;
    cps_neighbours h = {CPS_C(1, 0), CPS_C(0, 0), 0}; /* next: of the order before */
    for (double k = 0; k < n; k++) {
        const cp_complex128 up = cps_subtract_c128(cps_multiply_c128(z, h.now), cps_scale(h.next, k));
        h.next = h.now;
        h.now = up;
        h = cps_neighbours_fit(h);
    }
    double e;
    const cp_complex128 by = cps_gauss_c128(z, &e);
    const cp_complex128 slope = cps_subtract_c128(cps_scale(h.next, n), cps_scale(cps_multiply_c128(z, h.now), 0.5));
    r.y = cps_of_exponent(cps_multiply_c128(by, h.now), h.e + e);
    r.slope = cps_of_exponent(cps_multiply_c128(by, slope), h.e + e);
    return r;
}
CPS_MATH cps_slopes_narrow cps_pbdn_c64(double n, cp_complex64 z)
{
    const cps_slopes wide = cps_pbdn_c128(n, cps_widen(z));
    const cps_slopes_narrow r = {cps_narrow(wide.y), cps_narrow(wide.slope)};
    return r;
}

#endif
