/* Incomplete gamma and beta functions, their inverses, and the distribution functions that are made of them.
 *
 * Of the two sides that add to 1, the smaller is computed: by its series, its continued fraction, or, for the gamma
 * function around x = a, Temme's uniform expansion ("The asymptotic expansion of the incomplete gamma functions",
 * 1979).
 * The common factor x^a exp(-x) / gamma(a), or x^a y^b / beta(a, b), is made of the distance from its maximum, so that
 * large exponents do not cancel. Inverses are Newton's method for the logarithms of both, between bounds. */
#ifndef CPS_DISTRIBUTIONS_H
#define CPS_DISTRIBUTIONS_H

#include "scalar/gamma_real.h"
#include "scalar/normal_real.h"
#include "scalar/tables_temme.h"

/* Two sides of a distribution: p below, q above. */
typedef struct cps_sides { double p, q; } cps_sides;
CPS_MATH cps_sides cps_sides_of(double p, double q)
{
    cps_sides s;
    s.p = p, s.q = q;
    return s;
}
CPS_MATH cps_sides cps_of_p(double p) { return cps_sides_of(p, 1 - p); }
CPS_MATH cps_sides cps_of_q(double q) { return cps_sides_of(1 - q, q); }

/* x^a exp(-x) / gamma(a + 1), x > 0 */
CPS_HEAVY double cps_gamma_front(double a, double x)
{
    if (a >= 10) {
        const double t = (x - a) / a;
        return exp(a * cps_log1p_less(t, x / a) - cps_stirling(a)) / sqrt(2 * CPS_PI * a);
    }
    if (x > 1000) return 0;
    const double half = exp(-0.5 * x);
    return pow(x, a) * half * (half * cps_rgamma(a + 1));
}
/* Temme's expansion for a >= 20 and x within 0.3 a of a. */
CPS_MATH cps_sides cps_gamma_uniform(double a, double x)
{
    const double phi = -cps_log1p_less((x - a) / a, x / a), y = sqrt(a * phi);
    const double eta = x < a ? -sqrt(2 * phi) : sqrt(2 * phi);
    double sum = 0, power = 1;
    for (int k = 0; k < CPS_ROWS(cps_temme); k++) {
        const double term = power * cps_polynomial(cps_temme[k], CPS_COLUMNS(cps_temme), eta);
        sum += term;
        if (fabs(term) < 1e-17 * fabs(sum)) break;
        power /= a;
    }
    const double rest = sum / sqrt(2 * CPS_PI * a), e = exp(-a * phi), tail = 0.5 * cps_erfcx_positive(y);
    return x < a ? cps_of_p(e * (tail - rest)) : cps_of_q(e * (tail + rest));
}
/* The lower side over the front by its series: 1 + x/(a+1) + ..., all terms over one denominator. */
CPS_MATH double cps_gamma_series(double a, double x)
{
    if (a > 1e5) return 0; /* x is below 0.7 a */
    double term = 1, sum = 1, under = 1, n = a;
    for (int k = 1; k < 4000; k++) {
        n += 1;
        term *= x;
        under *= n;
        sum = CPS_FMA(sum, n, term);
        if (term < 1e-17 * sum) break;
        if (under > 1e200) term *= 1e-200, sum *= 1e-200, under *= 1e-200;
    }
    return sum / under;
}
/* The upper side over the front by its continued fraction, whose numerator and denominator are evaluated forwards. */
CPS_MATH double cps_gamma_fraction(double a, double x)
{
    if (x > 1e5) return 0; /* a is below 0.77 x */
    double b = x + 1 - a, p0 = 0, q0 = 1, p1 = 1, q1 = b;
    for (double k = 1; k < 5000; k++) {
        const double n = k * (a - k);
        b += 2;
        const double p = CPS_FMA(b, p1, n * p0), q = CPS_FMA(b, q1, n * q0);
        p0 = p1, p1 = p, q0 = q1, q1 = q;
        if (fabs(p1 * q0 - p0 * q1) <= 1e-16 * fabs(p1 * q0)) break;
        if (fabs(q1) > 1e100) p0 *= 1e-100, p1 *= 1e-100, q0 *= 1e-100, q1 *= 1e-100;
    }
    return a * (p1 / q1);
}
/* The upper side for small a and x: 1 - x^a / gamma(1 + a) and a series. */
CPS_MATH double cps_gamma_small_side(double a, double x)
{
    double factor = 1, sum = 0;
    for (double n = 1; n < 200; n++) {
        const double r = 1 / (n * (a + n));
        factor *= -x * ((a + n) * r);
        const double term = factor * (n * r);
        sum += term;
        if (fabs(term) <= 1e-17 * fabs(sum)) break;
    }
    const double log_x = log(x), log_gamma = cps_gammaln(a + 1);
    const double exact = a < 0.5 ? cps_gammaln_beyond_1(a) : log_gamma;
    return -expm1(a * log_x - exact) - a * sum * exp(a * log_x - exact);
}
CPS_HEAVY cps_sides cps_gamma_sides(double a, double x)
{
    if (!(a >= 0 && x >= 0)) return cps_sides_of(CPS_NAN, CPS_NAN);
    if (a == 0) return x > 0 ? cps_sides_of(1, 0) : cps_sides_of(CPS_NAN, CPS_NAN);
    if (x == 0) return cps_sides_of(0, 1);
    if (a == CPS_INF) return x == CPS_INF ? cps_sides_of(CPS_NAN, CPS_NAN) : cps_sides_of(0, 1);
    if (x == CPS_INF) return cps_sides_of(1, 0);
    if (a >= 20 && fabs(x - a) < 0.3 * a) return cps_gamma_uniform(a, x);
    const int series = x > 1.1 ? x <= a : x > 0.5 ? a > 0.75 * x : a * log(x) < -0.4;
    if (x <= 1.1 && !series) return cps_of_q(cps_gamma_small_side(a, x));
    const double v = (series ? cps_gamma_series(a, x) : cps_gamma_fraction(a, x)) * cps_gamma_front(a, x);
    return series ? cps_of_p(v) : cps_of_q(v);
}
CPS_MATH double cps_gammainc(double a, double x) { return cps_gamma_sides(a, x).p; }
CPS_MATH double cps_gammaincc(double a, double x) { return cps_gamma_sides(a, x).q; }

/* The x with sides p and q, of which one is exact: `lower` says that it is p. */
CPS_HEAVY double cps_gamma_inverse(double a, double p, double q, int lower)
{
    if (!(a >= 0) || !(p >= 0 && q >= 0)) return CPS_NAN;
    if (p == 0) return 0;
    if (q == 0) return CPS_INF;
    if (a == 0) return CPS_NAN;
    const double log_gamma = cps_gammaln(a + 1);
    double x = exp((log(p) + log_gamma) / a); /* P is x^a / gamma(a + 1) near 0 */
    if (x == 0) return 0;
    if (a > 1 && x > 0.2 * a) { /* Wilson and Hilferty */
        const double w = 1 / (9 * a), t = lower ? cps_ndtri(p) : -cps_ndtri(q), r = 1 - w + t * sqrt(w);
        if (r > 0) x = a * r * r * r;
    } else if (a <= 1 && x > 0.5) {
        const double l = -log(q) - (log_gamma - log(a));
        if (l > 1) x = l + (a - 1) * log(l);
        if (!(x > 0.1)) x = 0.1;
    }
    double low = 0, high = CPS_INF;
    for (int i = 0; i < 100; i++) {
        const cps_sides s = cps_gamma_sides(a, x);
        const int by_p = lower ? p < 0.9 : q > 0.9;
        const double far = by_p ? log(s.p / p) : -log(s.q / q); /* positive where x is too large */
        if (far > 0) high = x;
        else low = x;
        const double slope = a * cps_gamma_front(a, x) / (by_p ? s.p : s.q); /* by log(x) */
        double step = -far / slope;
        if (fabs(step) < 1e-8) { /* the next one would be below rounding errors */
            x += x * step;
            break;
        }
        if (!(fabs(step) < 2)) step = far > 0 ? -2 : 2;
        double next = x * exp(step);
        if (!(next > low && next < high))
            next = high == CPS_INF ? 2 * x : low > 0 ? sqrt(low) * sqrt(high) : 0.01 * high;
        if (next == x) break;
        x = next;
    }
    return x;
}
CPS_MATH double cps_gammaincinv(double a, double p) { return cps_gamma_inverse(a, p, 1 - p, 1); }
CPS_MATH double cps_gammainccinv(double a, double q) { return cps_gamma_inverse(a, 1 - q, q, 0); }

/* --- the beta function's --- */

/* a - (a + b) x, by whichever of x and y is exact. */
CPS_MATH double cps_below_mean(double a, double b, double x, double y)
{
    const double n = a + b, lost = a > b ? (a - n) + b : (b - n) + a; /* a + b is n + lost */
    return x < 0.5 ? fma(-n, x, a) - lost * x : fma(n, y, -b) + lost * y;
}
/* x^a for x = 1 - y, by whichever of x and y is exact. */
CPS_MATH double cps_power_of_rest(double x, double y, double a)
{
    const double lost = x > 0.5 ? a * (((1 - x) - y) / x) : 0;
    return pow(x, a) * (fabs(lost) < 1e-9 ? 1 + lost : exp(lost));
}
/* x^a y^b / beta(a, b), or without y^b. */
CPS_HEAVY double cps_beta_density(double a, double b, double x, double y, int whole)
{
    if (a >= 10 && b >= 10 && whole) {
        const double n = a + b, far = cps_below_mean(a, b, x, y);
        return sqrt(a / n * b / (2 * CPS_PI)) * exp(a * cps_log1p_less(-far / a, x / a * n) +
                                                    b * cps_log1p_less(far / b, y / b * n) - cps_beta_rest(a, b));
    }
    double size[2];
    for (int k = 0; k < 2; k++) size[k] = k && !whole ? 1 : cps_power_of_rest(k ? y : x, k ? x : y, k ? b : a);
    const double beta = cps_beta(a, b);
    if (size[0] > 1e-290 && size[1] > 1e-290 && beta > 1e-290 && beta < 1e290) return size[0] * size[1] / beta;
    const double log_x = y < 0.5 ? log1p(-y) : log(x), log_y = !whole ? 0 : x < 0.5 ? log1p(-x) : log(y);
    return exp(a * log_x + b * log_y - cps_betaln_positive(a, b));
}
/* By the power series for small b x: p = x^a / (a beta) (1 + a (1-b) x / (a+1) + ...), of which this is the sum of all
 * terms but the first, over a. */
CPS_MATH double cps_beta_series(double a, double b, double x)
{
    double factor = 1, sum = 0;
    for (double n = 1; n < 2000; n++) {
        const double r = 1 / (n * (a + n));
        factor *= ((n - b) * x) * ((a + n) * r);
        const double term = factor * (n * r);
        sum += term;
        if (fabs(term) < 1e-17 * fabs(sum) || term == 0) break;
    }
    return sum;
}
/* Both sides, of the lower one and the parts of its series. Where that is near 1, as for small a, q is the distance of
 * the first term from 1, by its logarithm, less the other terms. */
CPS_MATH cps_sides cps_beta_near(double a, double b, double x, double p, double rest)
{
    if (a > 0.5 || p < 0.5) return cps_of_p(p);
    const double near = cps_gammaln_beyond_1(a);
    double grown = 0; /* of gamma(a + b) / gamma(b) by going up to b >= 10, less 1 */
    for (; b < 10; b++) grown += a / b + grown * (a / b);
    return cps_of_q(-expm1(a * log(x) - near - log1p(grown) - cps_gamma_ratio_log(a, b)) - rest);
}
/* The lower side over the density / a, by the continued fraction of Didonato and Morris ("Significant digit computation
 * of the incomplete beta function ratios", 1992), whose terms do not cancel: they are of a - (a + b) x, which is not
 * negative. */
CPS_MATH double cps_beta_fraction(double a, double b, double x, double y)
{
    const double over_a = 1 / a, below = (1 + cps_below_mean(a, b, x, y)) * over_a, more = (y + 1) * over_a;
    double over_e = 1 / (a + 1), p0 = 0, q0 = 1, p1 = 1, q1 = a * over_e * below;
    for (double n = 1; n < 5000; n++) {
        const double over_d = over_e, w = n * ((b - n) * over_a) * x * over_d;
        over_e = 1 / (a + 2 * n + 1);
        const double up = w * ((a + n - 1) * over_d) * ((a + b + n - 1) * over_a * x);
        const double on = n * over_a + w + ((a + n) * over_e) * (below + n * more);
        const double p = CPS_FMA(on, p1, up * p0), q = CPS_FMA(on, q1, up * q0);
        p0 = p1, p1 = p, q0 = q1, q1 = q;
        if (fabs(p1 * q0 - p0 * q1) <= 1e-16 * fabs(p1 * q0)) break;
        if (fabs(q1) > 1e100 || fabs(q1) < 1e-100) p0 /= q1, q0 /= q1, p1 /= q1, q1 = 1;
    }
    return p1 / q1;
}
/* The lower side below the mean, for a and b from 1e8 on, where the fraction has too many terms: the first two terms of
 * Temme's uniform expansion (DLMF 8.18.9) with w^2 / 2 the exponent of the density and u the distance from the mean. */
CPS_HEAVY double cps_beta_normal(double a, double b, double x, double y)
{
    if (!(a + b < CPS_INF)) a *= 0.25, b *= 0.25;
    const double n = a + b, far = cps_below_mean(a, b, x, y);
    const double half = -a * cps_log1p_less(-far / a, x / a * n) - b * cps_log1p_less(far / b, y / b * n);
    const double w = sqrt(2 * half), s = sqrt(1 / a + 1 / b), u = far * s, g = (1 / a - 1 / b) / s;
    const double bend = (1 / a / a - 1 / a / b + 1 / b / b) / s / s;
    const double less = u > 0.1 ? 1 / w - 1 / u : u * (g * g / 6 - 0.25 * bend) - g / 3; /* its limit */
    return cps_ndtr(-w) - exp(-half) * 0.39894228040143267794 * less;
}
/* One series and one fraction, of the side that they suit: threads of a warp that need different ones wait for each
 * other. */
CPS_HEAVY cps_sides cps_beta_sides(double a, double b, double x, double y)
{
    if (!(a >= 0 && b >= 0 && x >= 0 && y >= 0) || (a == 0 && b == 0)) return cps_sides_of(CPS_NAN, CPS_NAN);
    if (a == CPS_INF || b == CPS_INF) {
        if (a == b) return cps_sides_of(CPS_NAN, CPS_NAN);
        return a == CPS_INF ? cps_sides_of(x == 1, x < 1) : cps_sides_of(x > 0, x == 0);
    }
    if (x == 0 || (b == 0 && y > 0)) return cps_sides_of(0, 1);
    if (y == 0 || a == 0) return cps_sides_of(1, 0);
    if (a > 1e20 || b > 1e20) { /* beside which the other is so small that powers are exponentials */
        const double u = b * x, v = a * y;
        if (b > 1e16 * (a + 1 + u) * (a + 1 + u)) return cps_gamma_sides(a, u);
        if (a > 1e16 * (b + 1 + v) * (b + 1 + v)) {
            const cps_sides s = cps_gamma_sides(b, v);
            return cps_sides_of(s.q, s.p);
        }
    }
    const int of_x = b * x <= 1 && x <= 0.3, of_y = !of_x && a * y <= 1 && y <= 0.3;
    const int swap = of_y || (!of_x && cps_below_mean(a, b, x, y) < 0);
    if (swap) {
        double t = a;
        a = b, b = t;
        t = x, x = y, y = t;
    }
    const int series = of_x || of_y;
    if (!series && a >= 1e8 && b >= 1e8) {
        const double p = cps_beta_normal(a, b, x, y);
        return swap ? cps_sides_of(1 - p, p) : cps_sides_of(p, 1 - p);
    }
    const double sum = series ? cps_beta_series(a, b, x) : cps_beta_fraction(a, b, x, y);
    const double front = cps_beta_density(a, b, x, y, !series) / a;
    const cps_sides s = series ? cps_beta_near(a, b, x, front + front * a * sum, front * a * sum)
                               : cps_of_p(front == 0 ? 0 : front * sum);
    return swap ? cps_sides_of(s.q, s.p) : s;
}
CPS_MATH double cps_betainc(double a, double b, double x) { return cps_beta_sides(a, b, x, 1 - x).p; }
CPS_MATH double cps_betaincc(double a, double b, double x) { return cps_beta_sides(a, b, x, 1 - x).q; }

/* x and 1 - x with sides p and q. */
CPS_HEAVY cps_sides cps_beta_inverse(double a, double b, double p, double q)
{
    if (!(a > 0 && b > 0) || !(p >= 0 && q >= 0)) return cps_sides_of(CPS_NAN, CPS_NAN);
    if (p == 0) return cps_sides_of(0, 1);
    if (q == 0) return cps_sides_of(1, 0);
    if (!(a + b < CPS_INF)) { /* all at one end; of two infinite ones nobody knows where */
        if ((a < CPS_INF) == (b < CPS_INF)) return cps_sides_of(CPS_NAN, CPS_NAN);
        return a < CPS_INF ? cps_sides_of(0, 1) : cps_sides_of(1, 0);
    }
    if (b > 1e16 * (a + 1e3) * (a + 1e3)) return cps_sides_of(cps_gamma_inverse(a, p, q, p < 0.5) / b, 1);
    if (a > 1e16 * (b + 1e3) * (b + 1e3)) return cps_sides_of(1, cps_gamma_inverse(b, q, p, q < 0.5) / a);
    const cps_sides middle = cps_beta_sides(a, b, 0.5, 0.5);
    const int swap = p < q ? middle.p < p : middle.q > q; /* the smaller of x and 1 - x is found */
    if (swap) {
        const double t = a, u = p;
        a = b, b = t, p = q, q = u;
    }
    double x = exp((log(p) + log(a) + cps_betaln_positive(a, b)) / a);
    if (a > 1 && b > 1 && x > 0.1 * a / (a + b)) {
        const double t = -cps_ndtri(p < q ? p : q) * (p < q ? -1 : 1), l = (t * t - 3) / 6;
        const double u = 1 / (2 * a - 1), v = 1 / (2 * b - 1), h = 2 / (u + v);
        const double w = -t * sqrt(h + l) / h - (v - u) * (l + 5.0 / 6 - 2 / (3 * h));
        const double guess = a / (a + b * exp(2 * w));
        if (guess > 0 && guess < 1) x = guess;
    }
    if (x < 2.2250738585072014e-308) return swap ? cps_sides_of(1, x) : cps_sides_of(x, 1); /* no other term counts */
    if (!(x < 0.5)) x = 0.4;
    double low = 0, high = 0.5000001;
    for (int i = 0; i < 100; i++) {
        const cps_sides s = cps_beta_sides(a, b, x, 1 - x);
        const int by_p = p < 0.5;
        const double far = by_p ? log(s.p / p) : -log(s.q / q);
        if (far > 0) high = x;
        else low = x;
        const double slope = cps_beta_density(a, b, x, 1 - x, 1) / (1 - x) / (by_p ? s.p : s.q);
        double step = -far / slope;
        if (fabs(step) < 1e-8) { /* the next one would be below rounding errors */
            x += x * step;
            break;
        }
        if (!(fabs(step) < 2)) step = far > 0 ? -2 : 2;
        double next = x * exp(step);
        if (!(next > low && next < high)) next = low > 0 ? sqrt(low) * sqrt(high) : 0.01 * high;
        if (next == x) break;
        x = next;
    }
    return swap ? cps_sides_of(1 - x, x) : cps_sides_of(x, 1 - x);
}
CPS_MATH double cps_betaincinv(double a, double b, double p) { return cps_beta_inverse(a, b, p, 1 - p).p; }
CPS_MATH double cps_betainccinv(double a, double b, double q) { return cps_beta_inverse(a, b, 1 - q, q).p; }

/* --- distributions --- */

/* Of k successes or fewer in n trials of probability p, and of more. */
CPS_MATH double cps_bdtr(double k, double n, double p)
{
    const double whole = floor(k);
    if (!(p >= 0 && p <= 1) || !(whole >= 0 && whole <= n)) return CPS_NAN;
    return whole == n ? 1 : cps_betaincc(whole + 1, n - whole, p);
}
CPS_MATH double cps_bdtrc(double k, double n, double p)
{
    const double whole = floor(k);
    if (!(p >= 0 && p <= 1) || !(whole <= n)) return CPS_NAN;
    return whole < 0 ? 1 : whole == n ? 0 : cps_betainc(whole + 1, n - whole, p);
}
CPS_MATH double cps_bdtri(double k, double n, double y)
{
    const double whole = floor(k);
    if (!(y >= 0 && y <= 1) || !(whole >= 0 && whole < n)) return CPS_NAN;
    return cps_betainccinv(whole + 1, n - whole, y);
}
CPS_MATH double cps_nbdtr(double k, double n, double p)
{
    k = trunc(k), n = trunc(n);
    return p >= 0 && p <= 1 && k >= 0 && n > 0 ? cps_betainc(n, k + 1, p) : CPS_NAN;
}
CPS_MATH double cps_nbdtrc(double k, double n, double p)
{
    k = trunc(k), n = trunc(n);
    return p >= 0 && p <= 1 && k >= 0 && n > 0 ? cps_betaincc(n, k + 1, p) : CPS_NAN;
}
CPS_MATH double cps_nbdtri(double k, double n, double y)
{
    k = trunc(k), n = trunc(n);
    return y >= 0 && y <= 1 && k >= 0 && n > 0 ? cps_betaincinv(n, k + 1, y) : CPS_NAN;
}
CPS_MATH cps_sides cps_f_sides(double a, double b, double x)
{
    if (!(a > 0 && b > 0 && x >= 0)) return cps_sides_of(CPS_NAN, CPS_NAN);
    if (x == CPS_INF) return cps_sides_of(1, 0);
    const double w = a * x;
    if (b > 1e250 && a < 1e100 && w < 1e100) return cps_gamma_sides(0.5 * a, 0.5 * w); /* of chi squared */
    if (a > 1e250 && b < 1e100 && x > b * 1e-100) {
        const cps_sides s = cps_gamma_sides(0.5 * b, 0.5 * (b / x));
        return cps_sides_of(s.q, s.p);
    }
    if (b + w <= 1e300) return cps_beta_sides(0.5 * a, 0.5 * b, w / (b + w), b / (b + w));
    const double far = w < CPS_INF ? b / w : b / a / x;
    return cps_beta_sides(0.5 * a, 0.5 * b, 1 / (1 + far), far < CPS_INF ? far / (1 + far) : 1);
}
CPS_MATH double cps_fdtr(double a, double b, double x) { return cps_f_sides(a, b, x).p; }
CPS_MATH double cps_fdtrc(double a, double b, double x) { return cps_f_sides(a, b, x).q; }
CPS_MATH double cps_fdtri(double a, double b, double p)
{
    if (!(a > 0 && b > 0 && p >= 0 && p <= 1)) return CPS_NAN;
    if (b > 1e16 * (a + 2e3) * (a + 2e3)) return 2 / a * cps_gamma_inverse(0.5 * a, p, 1 - p, p < 0.5);
    if (a > 1e16 * (b + 2e3) * (b + 2e3)) return 0.5 * b / cps_gamma_inverse(0.5 * b, 1 - p, p, p > 0.5);
    const cps_sides s = cps_beta_inverse(0.5 * a, 0.5 * b, p, 1 - p);
    return b * s.p / (a * s.q);
}
CPS_MATH double cps_gdtr(double a, double b, double x) { return x >= 0 ? cps_gammainc(b, a * x) : CPS_NAN; }
CPS_MATH double cps_gdtrc(double a, double b, double x) { return x >= 0 ? cps_gammaincc(b, a * x) : CPS_NAN; }
CPS_MATH double cps_chdtr(double v, double x) { return x >= 0 ? cps_gammainc(0.5 * v, 0.5 * x) : CPS_NAN; }
CPS_MATH double cps_chdtrc(double v, double x) { return x >= 0 ? cps_gammaincc(0.5 * v, 0.5 * x) : CPS_NAN; }
CPS_MATH double cps_chdtri(double v, double q)
{
    return q >= 0 && q <= 1 ? 2 * cps_gammainccinv(0.5 * v, q) : CPS_NAN;
}
CPS_MATH double cps_pdtr(double k, double m)
{
    if (!(k >= 0 && m >= 0)) return CPS_NAN;
    return m == 0 ? 1 : cps_gammaincc(floor(k) + 1, m);
}
CPS_MATH double cps_pdtrc(double k, double m)
{
    if (!(k >= 0 && m >= 0)) return CPS_NAN;
    return m == 0 ? 0 : cps_gammainc(floor(k) + 1, m);
}
CPS_MATH double cps_pdtri(double k, double y)
{
    k = trunc(k);
    return k >= 0 && y >= 0 && y < 1 ? cps_gammainccinv(k + 1, y) : CPS_NAN;
}
/* Student's t distribution with v degrees of freedom. */
CPS_MATH double cps_stdtr(double v, double t)
{
    if (!(v > 0) || t != t) return CPS_NAN;
    if (v > 1e20) return cps_ndtr(t); /* the same to 1e-14 of it where it is not 0, and t^2 / v would round to 0 */
    if (fabs(t) == CPS_INF) return t > 0;
    const double s = t * t / v, a = 0.5 * v;
    if (s < 1e290) {
        const double tail = 0.5 * cps_beta_sides(a, 0.5, 1 / (1 + s), s / (1 + s)).p;
        return t < 0 ? tail : 1 - tail;
    }
    const double whole = a < 1e-20 ? 0 : log(a) + cps_betaln_positive(a, 0.5); /* the first term serves */
    const double tail = 0.5 * exp(a * (log(v) - 2 * log(fabs(t))) - whole);
    return t < 0 ? tail : 1 - tail;
}

#endif
