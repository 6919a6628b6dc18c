/* The error functions and their inverses, Dawson's integral, and the distribution function of the normal distribution.
 *
 * erfcx is a polynomial in x, from 4 on in 4 / (4 + x), erfc and ndtr are exp of an exact square times that. The
 * inverses are one function: a polynomial in p (1 - p), or in the root of the tail's logarithm. */
#ifndef CPS_NORMAL_REAL_H
#define CPS_NORMAL_REAL_H

#include "scalar/special.h"
#include "scalar/tables_fresnel.h"
#include "scalar/tables_normal.h"

/* exp(x^2) erfc(x) for x >= 0 */
CPS_MATH double cps_erfcx_positive(double x)
{
    if (x < 4) return CPS_CELL_BY_POWER(cps_erfcx_by_power, x, 0, 4);
    const double u = 4 / (4 + x);
    return u * CPS_CELL(cps_erfcx_far, u, 0, 64);
}
CPS_MATH double cps_erfcx(double x)
{
    if (x != x) return x;
    if (x >= 0) return cps_erfcx_positive(x);
    if (x < -26.7) return CPS_INF;
    const double square = x * x;
    return 2 * exp(square) * (1 + fma(x, x, -square)) - cps_erfcx_positive(-x);
}
/* erf(x) for |x| < 1 */
CPS_MATH double cps_erf_near(double x) { return x * CPS_CELL(cps_erf_cells, x * x, 0, 4); }
CPS_MATH double cps_erf(double x)
{
    if (fabs(x) < 1) return cps_erf_near(x);
    return x != x ? x : copysign(fabs(x) > 28 ? 1 : 1 - cps_exp_square(x, 1) * cps_erfcx_positive(fabs(x)), x);
}
CPS_MATH double cps_erfc(double x)
{
    if (x != x) return x;
    if (fabs(x) < 0.5) return 1 - cps_erf_near(x);
    const double tail = fabs(x) > 28 ? 0 : cps_exp_square(x, 1) * cps_erfcx_positive(fabs(x));
    return x > 0 ? tail : 2 - tail;
}
/* erfcx(x sqrt(1/2)) of p, which is erfcx(a), where a is that product, rounded: by the derivative 2 a p - 2/sqrt(pi) */
CPS_MATH double cps_erfcx_of_half(double x, double a, double p)
{
    const double lost = CPS_FMA(x, CPS_SQRT_HALF, -a) + x * -4.833646656726457e-17;
    return p + lost * (2 * a * p - 2 / CPS_SQRT_PI);
}
/* ndtr(-x), for x >= 0 */
CPS_MATH double cps_ndtr_tail(double x)
{
    const double a = x * CPS_SQRT_HALF;
    return x > 40 ? 0 : 0.5 * cps_exp_square(x, 0.5) * cps_erfcx_of_half(x, a, cps_erfcx_positive(a));
}
CPS_MATH double cps_ndtr(double x)
{
    if (x != x) return x;
    const double tail = cps_ndtr_tail(fabs(x));
    return x < 0 ? tail : 1 - tail;
}
CPS_MATH double cps_log_ndtr(double x)
{
    if (x != x) return x;
    if (x >= 0) return log1p(-cps_ndtr(-x));
    if (x > -1) return log(cps_ndtr(x));
    return log(0.5 * cps_erfcx_positive(-x * CPS_SQRT_HALF)) - 0.5 * x * x;
}

/* erfinv(y) / y of t = 1 - y^2, above CPS_ERFINV_LEAST */
#define CPS_ERFINV_LEAST 6.103515625e-05
CPS_MATH double cps_erfinv_part(double t) { return CPS_CELL_TO_1(cps_erfinv_by_power, -14, t); }
/* ndtri(1/2 + q), |q| < 0.43 */
CPS_MATH double cps_ndtri_near(double q) { return 2.8284271247461903 * q * cps_erfinv_part(fma(-2 * q, 2 * q, 1)); }
/* -ndtri(p) for p = exp(-r^2), r at least 1.5 */
CPS_MATH double cps_ndtri_tail_of(double r)
{
    if (r > 27.5) return CPS_INF;
    return r * CPS_CELL(cps_ndtri_tail, r, 1.5, 4);
}
CPS_MATH double cps_ndtri(double p)
{
    const double t = 4 * p * (1 - p);
    if (t > CPS_ERFINV_LEAST) return 2.8284271247461903 * (p - 0.5) * cps_erfinv_part(t);
    if (!(p >= 0 && p <= 1)) return CPS_NAN;
    const double tail = p < 0.5 ? p : 1 - p, x = tail > 0 ? cps_ndtri_tail_of(sqrt(-log(tail))) : CPS_INF;
    return p < 0.5 ? -x : x;
}
/* ndtri(exp(y)) */
CPS_MATH double cps_ndtri_exp(double y)
{
    if (!(y <= 0)) return CPS_NAN;
    if (y > -0.0833) { /* near 1: of the complement */
        const double p = -expm1(y);
        return p > 0 ? cps_ndtri_tail_of(sqrt(-log(p))) : CPS_INF;
    }
    if (y > -1 && y < -0.4) /* around its zero, whose distance keeps all digits */
        return cps_ndtri_near(0.5 * expm1(((y + CPS_LN2_HIGH) + CPS_LN2_LOW) - 1.733344248909145e-22));
    if (y > -2.5) return cps_ndtri_near(y > -0.5 ? 0.5 + expm1(y) : exp(y) - 0.5);
    const double r = sqrt(-y);
    if (r <= 27.5) return -cps_ndtri_tail_of(r);
    double x = r * 1.4142135623730951; /* log ndtr(-x) = -x^2/2 - log(x sqrt(2 pi)) - 1/x^2 ... */
    for (int k = 0; k < 6; k++) {
        const double s = 1 / (x * x);
        x = 2 * sqrt(0.5 * (-y - log(CPS_SQRT_2PI * x) + log1p(-s * (1 - s * (3 - s * (15 - s * 105))))));
    }
    return y == -CPS_INF ? y : -x;
}
CPS_MATH double cps_erfinv(double y)
{
    const double a = fabs(y), t = fma(-y, y, 1);
    if (t > CPS_ERFINV_LEAST) return y * cps_erfinv_part(t);
    if (!(a <= 1)) return CPS_NAN;
    const double x = a < 1 ? cps_ndtri_tail_of(sqrt(-log(0.5 * (1 - a)))) * CPS_SQRT_HALF : CPS_INF;
    return copysign(x, y);
}
CPS_MATH double cps_erfcinv(double y)
{
    if (!(y >= 0 && y <= 2)) return CPS_NAN;
    if (fabs(1 - y) < 0.84) return cps_ndtri_near(0.5 * (1 - y)) * CPS_SQRT_HALF;
    const double tail = y < 1 ? y : 2 - y;
    const double x = tail > 0 ? cps_ndtri_tail_of(sqrt(CPS_LN2 - log(tail))) * CPS_SQRT_HALF : CPS_INF;
    return y < 1 ? x : -x;
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

#endif
