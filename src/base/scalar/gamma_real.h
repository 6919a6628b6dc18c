/* The gamma function and what is made of it: logarithms, ratios, its derivatives, the zeta function.
 *
 * gamma: polynomials to 20, then Stirling's series; negative numbers are shifted by a product whose rounding errors are
 * kept, below -20 reflected. digamma: polynomials to 8 of the function divided by its zero, then Stirling's
 * series, as gammaln from 256 on; negative numbers are reflected, from -20 on near zeros as differences from these. */
#ifndef CPS_GAMMA_REAL_H
#define CPS_GAMMA_REAL_H

#include "scalar/special.h"
#include "scalar/tables_gamma.h"

/* log(gamma(x)) - ((x - 1/2) log(x) - x + log(2 pi) / 2) for x >= 7, of 1/x. */
CPS_MATH double cps_stirling(double x)
{
    const double r = 1 / x, s = r * r;
    double p = -0.59243243243243243243; /* B(2k) / (2k (2k - 1)) */
    p = CPS_FMA(p, s, 0.17964437236883057316);
    p = CPS_FMA(p, s, -0.029550653594771241830);
    p = CPS_FMA(p, s, 0.0064102564102564102564);
    p = CPS_FMA(p, s, -0.0019175269175269175269);
    p = CPS_FMA(p, s, 0.00084175084175084175084);
    p = CPS_FMA(p, s, -0.00059523809523809523810);
    p = CPS_FMA(p, s, 0.00079365079365079365079);
    p = CPS_FMA(p, s, -0.0027777777777777777778);
    p = CPS_FMA(p, s, 0.083333333333333333333);
    return p * r;
}

/* gamma(x) = result * *scale^2; the scale is 1 but for the largest x. 20 <= x < 1e4. The logarithm has two parts. */
CPS_MATH double cps_gamma_large(double x, double *scale)
{
    double low;
    const double high = cps_log_parts(x, &low), n = x - 0.5, product = n * high;
    const double t = product - x, c = cps_stirling(x) + 0.9189385332046728, y = t + c; /* c: log(2 pi) / 2 too */
    const double rounded = ((product - t) - x) + ((t - y) + c);
    const double lost = fma(n, high, -product) + rounded + (n * low - 3.8782941580672414e-17);
    const double k = x < 140 ? 0 : fmin(rint(y * 0.7213475204444817), 1000); /* of y / (2 log(2)) */
    *scale = cps_from_bits_f64((uint64_t)(1023 + (int)k) << 52);
    const double e = exp((y - 2 * k * CPS_LN2_HIGH) - 2 * k * CPS_LN2_LOW);
    return CPS_FMA(e, lost, e);
}
/* gamma(x) for 0 < x < 20: by a polynomial from a whole number on, of x + 1 or x + 2 where that is 1 or 0. A number
 * just below a whole one may belong to it. */
CPS_MATH double cps_gamma_cell(double x)
{
    double whole;
    const unsigned k = cps_nearest(x - 0.499, &whole);
    const int row = (int)k - 2; /* if negative, 0, without a branch */
    const double *c = &cps_gamma_by_power[0][0] + (row & ~(row >> 31));
    const double r = cps_polynomial_by(c, CPS_ROWS(cps_gamma_by_power), CPS_COLUMNS(cps_gamma_by_power), x - whole);
    return k >= 2 ? r : r / (k ? x : x * (x + 1));
}
/* The same for -20 < x < 20: negative numbers are shifted to 0..1 by a product whose rounding errors are kept. */
CPS_MATH double cps_gamma_small(double x)
{
    if (x > 0) return cps_gamma_cell(x);
    double product = 1, lost = 0, y = x;
    while (y < 0) {
        const double p = product * y;
        lost = lost * y + fma(product, y, -p);
        product = p;
        y += 1;
    }
    return cps_gamma_cell(y) / (product + lost);
}
/* gamma(x) = result * *scale^2, or result / *scale^2 where x < 0. */
CPS_MATH double cps_gamma_scaled(double x, double *scale)
{
    *scale = 1;
    if (fabs(x) < 20) return cps_gamma_small(x);
    if (x > 0) return cps_gamma_large(x, scale);
    const double g = cps_gamma_large(-x, scale);
    return CPS_PI / (x * cps_sinpi(x) * g) * -1;
}
CPS_MATH int cps_is_pole(double x) { return x <= 0 && x == floor(x); }

/* Of numbers that are not in 0 to 20. */
CPS_HEAVY double cps_gamma_unusual(double x)
{
    double scale;
    if (x != x || x == CPS_INF) return x;
    if (x == 0) return 1 / x;
    if (cps_is_pole(x)) return CPS_NAN;
    if (x > 171.7) return CPS_INF;
    if (x < -200) return cps_sinpi(x) > 0 ? 0.0 : -0.0;
    const double g = cps_gamma_scaled(x, &scale);
    return x > 0 ? g * scale * scale : g / scale / scale;
}
CPS_MATH double cps_gamma_of(double x) { return x > 0 && x < 20 ? cps_gamma_cell(x) : cps_gamma_unusual(x); }
CPS_HEAVY double cps_gamma(double x) { return cps_gamma_of(x); }
CPS_HEAVY double cps_rgamma(double x)
{
    double scale;
    if (x != x) return x;
    if (fabs(x) < 1e-20) return x; /* also where gamma overflows */
    if (x == CPS_INF || x > 200) return 0;
    if (cps_is_pole(x)) return 0;
    if (x < -190) return cps_sinpi(x) > 0 ? CPS_INF : -CPS_INF;
    const double g = cps_gamma_scaled(x, &scale);
    return x > 0 ? 1 / g / scale / scale : 1 / g * scale * scale;
}
CPS_MATH double cps_gammasgn(double x)
{
    if (x != x || x == -CPS_INF) return CPS_NAN;
    if (x > 0) return 1;
    if (x == 0) return copysign(1.0, x);
    const double whole = floor(x);
    return whole == x ? CPS_NAN : whole - 2 * floor(0.5 * whole) != 0 ? -1 : 1;
}

/* log(gamma(1 + x)), 0 <= x <= 1/2 */
CPS_MATH double cps_gammaln_beyond_1(double x)
{
    return (x < 0.5 ? x : x - 1) * CPS_CELL_OF_OCTAVES(cps_lgamma_by_power, -4, 2, 1 + x, 1, x);
}
/* log(gamma(x)) for x >= 7 */
CPS_MATH double cps_gammaln_large(double x)
{
    if (x > 1e17) return x * (log(x) - 1);
    return (x - 0.5) * (log(x) - 1) + (cps_stirling(x) + (0.5 * CPS_LOG_2PI - 0.5));
}
/* Of numbers that are not in 1/16 to 256. */
CPS_HEAVY double cps_gammaln_unusual(double x)
{
    if (x != x) return x;
    if (fabs(x) == CPS_INF) return x;
    if (cps_is_pole(x)) return CPS_INF;
    if (x < 0) {
        if (x > -1e-17) return -log(-x); /* and gamma(1 + x) is 1 */
        if (x > -20) return log(fabs(cps_gamma_small(x)));
        return log(CPS_PI / fabs(x * cps_sinpi(x))) - cps_gammaln_large(-x);
    }
    return x < 0.5 ? cps_gammaln_beyond_1(x) - log(x) : cps_gammaln_large(x);
}
/* log|gamma(x)|: a polynomial, from 1/2 to 4 of the function divided by the distance from 1 or 2. */
CPS_MATH double cps_gammaln_of(double x)
{
    if (!(x >= 0.0625 && x < 256)) return cps_gammaln_unusual(x);
    const double r = CPS_CELL_OF_OCTAVES(cps_lgamma_by_power, -4, 2, x, 0, x);
    return x >= 0.5 && x < 4 ? (x - (x < 1.5 ? 1 : 2)) * r : r;
}
CPS_HEAVY double cps_gammaln(double x) { return cps_gammaln_of(x); }

/* x + shift less the zero of digamma, near which the shift is exact. */
CPS_MATH double cps_from_digamma_zero(double x, double shift)
{
    return (x - (1.4616321449683622 - shift)) - 9.549995429965697e-17;
}
/* log(x) - 1/(2x) - digamma(x), for x >= 7 */
CPS_MATH double cps_digamma_rest(double x)
{
    const double s = 1 / (x * x);
    double p = -26.456212121212121212; /* B(2k) / 2k */
    p = CPS_FMA(p, s, 3.0539543302701197438);
    p = CPS_FMA(p, s, -0.44325980392156862745);
    p = CPS_FMA(p, s, 0.083333333333333333333);
    p = CPS_FMA(p, s, -0.021092796092796092796);
    p = CPS_FMA(p, s, 0.0075757575757575757576);
    p = CPS_FMA(p, s, -0.0041666666666666666667);
    p = CPS_FMA(p, s, 0.0039682539682539682540);
    p = CPS_FMA(p, s, -0.0083333333333333333333);
    p = CPS_FMA(p, s, 0.083333333333333333333);
    return p * s;
}
/* The zeros of digamma between -k - 1 and -k, in two parts. */
CPS_TABLE cps_digamma_zeros[20][2] = {
    {-0.5040830082644554, -8.15428206243813e-18}, {-1.5734984731623904, -1.574185691077347e-17},
    {-2.6107208684441447, 9.881960746978353e-17}, {-3.635293366436901, 5.454396163173039e-17},
    {-4.653237761743142, -2.5492686201468193e-16}, {-5.6671624415568855, -3.2153051074948335e-18},
    {-6.678418213073427, 3.470798723495241e-16}, {-7.687788325031626, -1.351562494643672e-16},
    {-8.695764163816401, -3.2859903716289447e-16}, {-9.702672540001863, -3.2563178405401477e-16},
    {-10.708740838254144, -6.287211750540301e-16}, {-11.714133061228955, 8.598250154343834e-16},
    {-12.718971025749207, -4.752312432106917e-16}, {-13.723347457363827, 4.528278691518058e-16},
    {-14.727334416018529, -3.6618399963139786e-17}, {-15.730988906332882, 1.0551956373365842e-16},
    {-16.734356723955734, -1.2039501631800144e-15}, {-17.73747515997759, -5.125776230727235e-16},
    {-18.7403749447801, 7.757330874026816e-16}, {-19.74308167259022, 6.505672516695227e-16}};
/* (digamma(a + h) - digamma(a - h)) / 2h, h small beside a >= 1.4: 1 / ((a + j)^2 - h^2) for j from 0 on, beyond 16 by
 * the first derivatives of Stirling's series. */
CPS_MATH double cps_digamma_slope(double a, double h)
{
    const double square = h * h, r = 1 / (a + 16), s = r * r;
    double sum = 0;
    for (double j = 15; j >= 0; j--) sum += 1 / ((a + j - h) * (a + j + h));
    const double first = r * (1 + r * (1.0 / 2 + r * (1.0 / 6 - s * (1.0 / 30 - s * (1.0 / 42 - s * (1.0 / 30))))));
    const double third = r * s * (2 + r * (3 + r * (2 - s * (1 - s * (4.0 / 3)))));
    const double fifth = r * s * s * (24 + r * (60 + r * 60));
    return sum + (first + square * (third * (1.0 / 6) + square * (fifth * (1.0 / 120))));
}
/* digamma(x) of x = zero + low + d: digamma(1 - x) - digamma(1 - zero), and pi (cot(pi zero) - cot(pi x)), where
 * nothing cancels. */
CPS_MATH double cps_digamma_by_zero(double x, double zero, double low, double d)
{
    const double sine = cps_sinpi(zero) + CPS_PI * low * cps_cospi(zero);
    const double turned = CPS_PI * sin(CPS_PI * d) / (cps_sinpi(x) * sine);
    return turned - d * cps_digamma_slope(1 - zero - 0.5 * d, 0.5 * d);
}
/* Of numbers that are not in 1/16 to 256. */
CPS_HEAVY double cps_digamma_unusual(double x)
{
    if (x != x || x == CPS_INF) return x;
    if (x == -CPS_INF) return CPS_NAN;
    if (x == 0) return -1 / x;
    if (cps_is_pole(x)) return CPS_NAN;
    double reflected = 0;
    if (x < 0 && x > -1e-17) return -1 / x;
    if (x < 0 && x > -20) {
        const double *zero = cps_digamma_zeros[(int)-x];
        const double d = (x - zero[0]) - zero[1];
        if (fabs(d) < 0.25) return cps_digamma_by_zero(x, zero[0], zero[1], d);
    }
    if (x < 0) { /* digamma(1 - x) - pi / tan(pi x) = digamma(-x) - 1/x - pi / tan(pi x) */
        const double r = x - rint(x);
        reflected = -1 / x - CPS_PI * cps_cospi(r) / cps_sinpi(r);
        x = -x;
    }
    if (x < 8) { /* of 1 + x or, where that is beyond 4, of x */
        const int less = x < 3;
        const double r = CPS_CELL_OF_OCTAVES(cps_digamma_by_power, -4, 2, less ? 1 + x : x, less, x);
        if (less) return cps_from_digamma_zero(x, 1) * r - 1 / x + reflected;
        return (x < 4 ? cps_from_digamma_zero(x, 0) * r : r) + reflected;
    }
    return log(x) - 0.5 / x - cps_digamma_rest(x) + reflected;
}
/* A polynomial, from 1 to 4 of the function divided by the distance from its zero. */
CPS_MATH double cps_digamma_of(double x)
{
    if (!(x >= 0.0625 && x < 256)) return cps_digamma_unusual(x);
    const double r = CPS_CELL_OF_OCTAVES(cps_digamma_by_power, -4, 2, x, 0, x);
    return x >= 1 && x < 4 ? cps_from_digamma_zero(x, 0) * r : r;
}
CPS_HEAVY double cps_digamma(double x) { return cps_digamma_of(x); }

/* --- the zeta function --- */

/* The sum of (a + k)^-x for a of about 10, b = a^-x: a b / (x - 1) + b / 2 and the sum of B(2j) / (2j)! times
 * x (x + 1) .. (x + 2j - 2) a^(1 - x - 2j). */
CPS_MATH double cps_zeta_tail(double x, double a, double b)
{
    const double s = 1 / (a * a);
    double term = x * b / a, sum = b * a / (x - 1) + 0.5 * b;
#define CPS_TERM(j, over)            \
    sum += term * (1.0 / (over));    \
    term *= (x + (2 * j + 1)) * (x + (2 * j + 2)) * s
    CPS_TERM(0, 12.0);
    CPS_TERM(1, -720.0);
    CPS_TERM(2, 30240.0);
    CPS_TERM(3, -1209600.0);
    CPS_TERM(4, 47900160.0);
    CPS_TERM(5, -1.8924375803183791606e9);
    CPS_TERM(6, 7.47242496e10);
    CPS_TERM(7, -2.950130727918164224e12);
    CPS_TERM(8, 1.1646782814350067249e14);
    CPS_TERM(9, -4.5979787224074726105e15);
    CPS_TERM(10, 1.8152105401943546773e17);
#undef CPS_TERM
    return sum;
}
/* The sum of (q + k)^-x, k from 0, by the Euler-Maclaurin formula. */
CPS_HEAVY double cps_zeta_sum(double x, double q)
{
    const int usual = q > 1e-300 && q < 1e300 && x < 1e4;
    double sum = 0, a = q, b = 0;
    for (int k = 0;; k++, a += 1) {
        b = usual ? cps_power_of_inverse(a, x) : pow(a, -x);
        if (k >= 10 && a >= 10) return sum + cps_zeta_tail(x, a, b);
        sum += b;
        if (fabs(b) <= sum * 1e-18) return sum;
    }
}
/* Hurwitz's zeta function for x > 1, else NaN as in SciPy; large q by the first terms of its asymptotic series. */
CPS_HEAVY double cps_zeta(double x, double q)
{
    if (x != x || q != q) return CPS_NAN;
    if (x == 1) return CPS_INF;
    if (x < 1) return CPS_NAN;
    if (q <= 0) {
        if (q == floor(q)) return CPS_INF;
        if (x != floor(x)) return CPS_NAN; /* powers of negative numbers */
    }
    if (q == CPS_INF) return 0;
    if (x == CPS_INF) return q > 1 ? 0 : q == 1 ? 1 : CPS_INF;
    if (q > 1e8) return (1 / (x - 1) + 1 / (2 * q)) * pow(q, 1 - x);
    if (q < -1e4) return CPS_NAN;
    double sum = 0;
    while (q < 0) { /* x is an integer */
        sum += pow(q, -x);
        q += 1;
    }
    return sum + cps_zeta_sum(x, q);
}
/* The n-th derivative of digamma, n a whole number of at least 0. */
CPS_HEAVY double cps_polygamma(double n, double x)
{
    if (n != floor(n) || n < 0) return CPS_NAN;
    if (n == 0) return cps_digamma(x);
    const double sign = fmod(n, 2) != 0 ? 1 : -1;
    return sign * cps_gamma(n + 1) * cps_zeta(n + 1, x);
}

/* --- ratios --- */

/* stirling(a) + stirling(b) - stirling(a + b) */
CPS_MATH double cps_beta_rest(double a, double b) { return cps_stirling(a) + (cps_stirling(b) - cps_stirling(a + b)); }

/* log(gamma(b) / gamma(a + b)) for b >= 10 and a of any size from 0 on, without the difference of large logarithms. */
CPS_HEAVY double cps_gamma_ratio_log(double a, double b)
{
    const double c = a + b, l = log1p(a / b);
    return -(b - 0.5) * l - a * (log(c) - 1) + cps_stirling(b) - cps_stirling(c);
}
/* log(beta(a, b)) for positive a and b */
CPS_HEAVY double cps_betaln_positive(double a, double b)
{
    if (a > b) {
        const double t = a;
        a = b, b = t;
    }
    if (b == CPS_INF) return -CPS_INF;
    if (a < 1e-290) return (b < 1 ? log1p(a / b) : 0) - log(a); /* whose inverse may overflow */
    if (a >= 10) { /* -(a - 1/2) log(a/(a+b)) ... */
        const double h = a / b;
        return 0.5 * (CPS_LOG_2PI - log(b)) + (a - 0.5) * log(h / (1 + h)) - b * log1p(h) + cps_beta_rest(a, b);
    }
    if (b >= 10) return cps_gammaln(a) + cps_gamma_ratio_log(a, b);
    return log(cps_gamma(a) / cps_gamma(a + b) * cps_gamma(b));
}
CPS_HEAVY double cps_beta_positive(double a, double b)
{
    if (a + b == CPS_INF) return 0;
    if (a + b < 20) return cps_gamma(a) / cps_gamma(a + b) * cps_gamma(b);
    const double small = a < b ? a : b, large = a < b ? b : a;
    if (small < 10) return cps_gamma(small) * exp(cps_gamma_ratio_log(small, large));
    return exp(cps_betaln_positive(a, b));
}
/* gamma(a) gamma(b) / gamma(a + b) without the exponential of `part`: a >= b, b below -9, neither a pole. By
 * reflections, so that no large logarithms are subtracted. */
CPS_HEAVY double cps_beta_left(double a, double b, double *part)
{
    const double sum = a + b;
    double f;
    if (sum > -9 && a <= -2 * b) { /* a > 0, and the sum is exact: gamma(a) / gamma(1 - b) */
        *part = -cps_gamma_ratio_log(sum - 1, 1 - b);
        f = CPS_PI / cps_sinpi(b);
        if (sum < 150) return f * cps_rgamma(sum);
        *part -= cps_gammaln(sum);
    } else if (sum > -9) {
        *part = cps_gammaln(b) + cps_gamma_ratio_log(b, a);
        f = cps_gammasgn(b);
    } else { /* gamma(a), gamma(1 - a - b) / gamma(1 - b), and sin(pi (a + b)) / sin(pi b) */
        const int exact = sum - a == b && sum - b == a;
        f = exact && sum == floor(sum) ? 0 : cps_sinpi(a) * (cps_cospi(b) / cps_sinpi(b)) + cps_cospi(a);
        *part = cps_gamma_ratio_log(a, 1 - sum);
        if (fabs(a) < 150 && fabs(a) > 1e-290) return f * cps_gamma(a);
        *part += cps_gammaln(a);
        f *= cps_gammasgn(a);
    }
    return f;
}
CPS_HEAVY double cps_beta(double a, double b)
{
    double part;
    if (a != a || b != b) return CPS_NAN;
    if (a > 0 && b > 0) return cps_beta_positive(a, b);
    if (a < b) {
        const double t = a;
        a = b, b = t;
    }
    if (cps_is_pole(a) || cps_is_pole(b)) { /* finite where the pole of the denominator cancels one of them */
        const double pole = cps_is_pole(b) ? b : a, other = cps_is_pole(b) ? a : b;
        if (other == floor(other) && other > 0 && 1 - pole - other > 0)
            return (fmod(other, 2) != 0 ? -1 : 1) * cps_beta_positive(1 - pole - other, other);
        return CPS_INF;
    }
    if (a == CPS_INF) return cps_gammasgn(b) * a;
    if (fabs(a) < 150 && fabs(b) < 150 && fabs(a + b) < 150) return cps_gamma(a) * (cps_rgamma(a + b) * cps_gamma(b));
    const int right = a + b > 10 && b > -150;
    const double f = right ? cps_gamma(b) : cps_beta_left(a, b, &part);
    const double half = exp(0.5 * (right ? cps_gamma_ratio_log(b, a) : part));
    return f == 0 ? 0 : f * half * half;
}
CPS_HEAVY double cps_betaln(double a, double b)
{
    double part;
    if (a != a || b != b) return CPS_NAN;
    if (a > 0 && b > 0) return cps_betaln_positive(a, b);
    if (a < b) {
        const double t = a;
        a = b, b = t;
    }
    if (a < CPS_INF && a + b > 10 && b > -150 && !cps_is_pole(b)) return cps_gammaln(b) + cps_gamma_ratio_log(b, a);
    const double v = cps_beta(a, b);
    if (v != 0 && fabs(v) < CPS_INF) return log(fabs(v));
    if (a > 0 && a == floor(a) && cps_is_pole(b) && 1 - b - a > 0) return cps_betaln_positive(1 - b - a, a);
    if (cps_is_pole(a) || cps_is_pole(b) || a == CPS_INF) return CPS_INF;
    if (b > -9) return cps_is_pole(a + b) ? -CPS_INF : (cps_gammaln(a) - cps_gammaln(a + b)) + cps_gammaln(b);
    const double f = cps_beta_left(a, b, &part);
    return f == 0 ? -CPS_INF : log(fabs(f)) + part;
}

/* gamma(z + m) / gamma(z) of finite numbers */
CPS_HEAVY double cps_poch_of(double z, double m)
{
    if (cps_is_pole(z)) return 0;
    if (cps_is_pole(z + m)) return CPS_INF;
    if (fabs(z) < 20 && fabs(z + m) < 20) return cps_gamma(z + m) * cps_rgamma(z);
    if (z > 10 && m > 0) return exp(-cps_gamma_ratio_log(m, z));
    if (z + m > 10 && m < 0) return exp(cps_gamma_ratio_log(-m, z + m));
    if (z < -9 && z + m < -9) /* the reflection of both */
        return exp(-cps_gamma_ratio_log(m, 1 - z - m)) /
               (cps_cospi(m) + cps_sinpi(m) * (cps_cospi(z) / cps_sinpi(z)));
    return cps_gammasgn(z) * cps_gammasgn(z + m) * exp(cps_gammaln(z + m) - cps_gammaln(z));
}
CPS_HEAVY double cps_poch(double z, double m)
{
    if (z == -CPS_INF) return m == floor(m) && fabs(m) < CPS_INF ? pow(z, m) : CPS_NAN;
    if (z == z && fabs(m) == CPS_INF) return cps_is_pole(z) ? 0 : m > 0 ? cps_gammasgn(z) * m : CPS_NAN;
    if (z != z || m != m) return CPS_NAN;
    if (z == CPS_INF) return m > 0 ? CPS_INF : m == 0 ? 1 : 0;
    if (m == floor(m) && fabs(m) < 40) {
        double r = 1;
        for (double k = 0; k < m; k++) r *= z + k;
        for (double k = -1; k >= m; k--) r /= z + k;
        return fabs(r) == CPS_INF && m < 0 ? CPS_INF : r;
    }
    if (m == floor(m)) { /* the same product from its other end */
        const double sign = fmod(m, 2) != 0 ? -1 : 1;
        if (m < 0 && (z < 1 || (m < -1e15 && z != floor(z)))) return sign / cps_poch_of(1 - z, -m);
        if (m > 0 && z + m < 1) return sign * cps_poch_of(1 - z - m, m);
    }
    return cps_poch_of(z, m);
}

/* Binomial coefficients of real arguments. */
CPS_HEAVY double cps_binom(double n, double k)
{
    if (n != n || k != k || (n < 0 && n == floor(n))) return CPS_NAN;
    if (fabs(k) == CPS_INF) return n > -1 && n < CPS_INF ? 0 : CPS_NAN;
    if (n == CPS_INF) return k > 0 ? n : k == 0; /* n^k / gamma(k + 1) */
    double kx = floor(k);
    if (k == kx && (fabs(n) > 1e-8 || n == 0)) {
        const double nx = floor(n);
        if (nx == n && kx > nx / 2 && nx > 0) kx = nx - kx;
        if (kx >= 0 && kx < 20) {
            double num = 1, den = 1;
            for (int i = 1; i < 1 + (int)kx; i++) {
                num *= i + n - kx;
                den *= i;
                if (fabs(num) > 1e50) num /= den, den = 1;
            }
            return num / den;
        }
    }
    if (k == floor(k) && (k < 0 || (k > n && n >= 0 && n == floor(n)))) return 0;
    const double sine = cps_sinpi(k) * cps_cospi(n) - cps_cospi(k) * cps_sinpi(n); /* of pi (k - n) */
    const int far = k > 10 && k - n > 10 && (n > -1 || k != floor(k) || k > 1e8 * fabs(n));
    double sign = 1;
    if (n < -1 && k == floor(k) && !far) { /* the same of k - n - 1, which is above k */
        sign = k - 2 * floor(0.5 * k) != 0 ? -1 : 1;
        n = k - n - 1;
    }
    if (n >= k && n > 0 && k > 0) {
        const double beta = cps_beta(1 + n - k, 1 + k);
        return sign * (beta > 1e-290 ? 1 / ((n + 1) * beta)
                                     : exp(-log(n + 1) - cps_betaln_positive(1 + n - k, 1 + k)));
    }
    if (fabs(n) < 150 && fabs(k) < 150 && fabs(n - k) < 150) /* no product on the way leaves the range */
        return cps_gamma(n + 1) * cps_rgamma(k + 1) * cps_rgamma(n - k + 1);
    if (far) { /* the reflection of gamma(n - k + 1) */
        const double size = cps_gamma_ratio_log(n + 1, k - n), half = exp(0.5 * size);
        if (sine == 0) return 0;
        if (fabs(n) < 150) return cps_gamma(n + 1) * (sine / CPS_PI) * half * half;
        return cps_gammasgn(n + 1) * (sine / CPS_PI) * exp(cps_gammaln(n + 1) + size);
    }
    const double beta = (n + 1) * cps_beta(1 + n - k, 1 + k);
    if (fabs(beta) > 1e-300 && fabs(beta) < 1e300) return 1 / beta;
    if (cps_is_pole(k + 1) || cps_is_pole(n - k + 1)) return 0;
    sign = cps_gammasgn(n + 1) * cps_gammasgn(k + 1) * cps_gammasgn(n - k + 1);
    return sign * exp(-log(fabs(n + 1)) - cps_betaln(1 + n - k, 1 + k));
}

#endif
