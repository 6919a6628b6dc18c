/* The chapter of hypergeometric functions of real numbers, and of the orthogonal polynomials that are made of them.
 *
 * Power series are summed in pairs of doubles where their terms cancel: sums that are 10^-16 of their terms have right
 * digits.
 * 2F1 is taken to the half of the unit interval by Pfaff's transformation and that of 1 - z, also where that has a
 * logarithm; where its two parts cancel, as they do near such parameters, it is continued by Taylor series of its
 * differential equation, to which no parameters are special. A result of which no digit would be certain is NaN. */
#ifndef CPS_HYPER_H
#define CPS_HYPER_H

#include "scalar/gamma_real.h"
#include "scalar/pairs.h"

CPS_MATH int cps_not_positive_whole(double x) { return x <= 0 && x == floor(x); }

/* The same in double, NaN where a digit is lost. Of every two terms there is one test. */
CPS_HEAVY double cps_hyper_series_plain(double a, double b, double c, double z)
{
    const int one = b == CPS_INF;
    double sum = 1, term = 1, largest = 1;
    for (double k = 0; k < 1000; k += 2) {
        const double s = (a + k) * (one ? 1 : b + k), t = (a + k + 1) * (one ? 1 : b + k + 1);
        const double d = (c + k) * (k + 1), e = (c + k + 1) * (k + 2), ratio = t * z / e;
        const double first = term * (s * z / d), before = fabs(first);
        largest = before > largest ? before : largest;
        if (s == 0 || t == 0) return largest < 4 * fabs(sum + first) ? sum + first : CPS_NAN;
        term = first * ratio;
        sum = sum + first + term;
        const double size = fabs(term);
        largest = size > largest ? size : largest;
        if (k + 1 > -c && size < 1e-17 * fabs(sum) * (1 - fabs(ratio)))
            return largest < 4 * fabs(sum) ? sum : CPS_NAN;
        if (!(largest < 1e200)) break;
    }
    return CPS_NAN;
}
/* The sum of (a)_k (b)_k / ((c)_k k!) z^k, without (b)_k where `b` is infinite (1F1); c is no pole before a or b ends
 * it. */
CPS_HEAVY double cps_hyper_series(double a, double b, double c, double z)
{
    const int one = b == CPS_INF;
    const double plain = cps_hyper_series_plain(a, b, c, z);
    if (plain == plain) return plain;
    cps_two sum = {1, 0}, term = {1, 0};
    double largest = 1;
    for (double k = 0; k < 20000; k++) {
        cps_two t = cps_two_sum(a, k), d = cps_two_times(cps_two_sum(c, k), cps_two_of(k + 1, 0));
        if (!one) t = cps_two_times(t, cps_two_sum(b, k));
        if (t.high == 0) { /* near a root 0, unless the terms were so large that it may be any number */
            if (fabs(sum.high) < 1e-29 * largest) return largest < 1e10 ? 0 : CPS_NAN;
            return cps_two_result(sum, largest);
        }
        term = cps_two_over(cps_two_times(cps_two_times(term, t), cps_two_of(z, 0)), d);
        sum = cps_two_add(sum, term);
        const double size = fabs(term.high), turn = t.high * z / d.high, ratio = fabs(turn);
        if (size > largest) largest = size;
        if (!(size < 1e300)) /* infinite where all that follow have the sign */
            return turn > 0 && k > -a && k > -c && (one || k > -b) ? copysign(CPS_INF, term.high) : CPS_NAN;
        if (k > -c && size < 1e-18 * fabs(sum.high) * (ratio < 1 ? 1 - ratio : 0))
            return cps_two_result(sum, largest);
        if (k > -c && size < 1e-34 * largest && ratio < 0.9) return cps_two_result(sum, largest);
    }
    return CPS_NAN;
}

/* --- 0F1 and 1F1 --- */

CPS_HEAVY double cps_hyp1f1_as_given(double a, double b, double x)
{
    if (a != a || b != b || x != x || cps_infinite(a) || cps_infinite(b)) return CPS_NAN;
    if (cps_not_positive_whole(b) && !(cps_not_positive_whole(a) && a >= b)) return CPS_INF;
    if (a == 0 || x == 0) return 1;
    if (x == CPS_INF) return cps_not_positive_whole(a) ? CPS_NAN : cps_gammasgn(a) * cps_gammasgn(b) * CPS_INF;
    if (x == -CPS_INF) return a > 0 ? 0 : CPS_NAN;
    if (a == b && !cps_not_positive_whole(b)) return exp(x);
    const int ends = cps_not_positive_whole(a), back = cps_not_positive_whole(b - a);
    if (x > 0 && back && !ends && b > 0) return exp(x) * cps_hyper_series(b - a, CPS_INF, b, -x);
    if (!ends && x > 60 && x > 2 * fabs((b - a) * (1 - a))) { /* exp(x) x^(a - b) gamma(b) / gamma(a) 2F0 */
        double term = 1, sum = 1;
        for (double k = 0; k < 200; k++) {
            const double next = term * (b - a + k) * (1 - a + k) / ((k + 1) * x);
            if (fabs(next) < 1e-17 * fabs(sum) || next == 0) break;
            if (fabs(next) > fabs(term) && k > 2) sum = CPS_NAN; /* then by the series below */
            term = next;
            sum += term;
        }
        const double half = exp(0.5 * x);
        if (sum == sum) return cps_rgamma(a) / cps_rgamma(b) * half * (pow(x, a - b) * sum) * half;
    }
    return cps_hyper_series(a, CPS_INF, b, x);
}
/* 1F1(a, b, -y) for a large y: gamma(b) / gamma(b - a) y^-a 2F0(a, 1 + a - b; 1 / y). NaN where the terms of 2F0 grow
 * before they are small, or cancel. */
CPS_HEAVY double cps_hyp1f1_far_left(double a, double b, double y)
{
    double term = 1, sum = 1, largest = 1;
    for (double k = 0; k < 1000; k++) {
        const double ratio = (a + k) * (1 + a - b + k) / ((k + 1) * y);
        term *= ratio;
        sum += term;
        largest = fmax(largest, fabs(term));
        if (fabs(term) < 1e-17 * fabs(sum)) {
            if (largest > 10 * fabs(sum)) return CPS_NAN;
            return cps_rgamma(b - a) / cps_rgamma(b) * (pow(y, -a) * sum);
        }
        if (fabs(ratio) > 1 && k > fabs(a) + fabs(b)) break;
    }
    return CPS_NAN;
}
/* exp(-y) 1F1(a, b, y) for 300 < y < 1400, where one factor or the other leaves the range. NaN where terms cancel. */
CPS_HEAVY double cps_hyp1f1_by_halves(double a, double b, double y)
{
    if (y >= 1400) return CPS_NAN;
    const double half = exp(-0.5 * y);
    double term = half, sum = half, largest = half;
    for (double k = 0; k < 20000; k++) {
        const double ratio = (a + k) / (b + k) * (y / (k + 1));
        term *= ratio;
        sum += term;
        largest = fmax(largest, fabs(term));
        if (k > -b && fabs(ratio) < 0.9 && fabs(term) < 1e-18 * fabs(sum))
            return largest < 4 * fabs(sum) ? sum * half : CPS_NAN;
    }
    return CPS_NAN;
}
CPS_MATH double cps_hyp1f1(double a, double b, double x)
{
    const int whole = cps_not_positive_whole(a) || cps_not_positive_whole(b);
    if (!(x < 0 && x > -CPS_INF) || whole || a == b) return cps_hyp1f1_as_given(a, b, x);
    if (x < -300 && !cps_not_positive_whole(b - a)) { /* where exp(x) and what it multiplies leave the range */
        const double far = cps_hyp1f1_far_left(a, b, -x);
        if (far == far) return far;
        const double near = cps_hyp1f1_by_halves(b - a, b, -x);
        if (near == near) return near;
    }
    const double other = cps_hyp1f1_as_given(b - a, b, -x); /* Kummer: exp(x) 1F1(b - a, b, -x) */
    return cps_infinite(other) || (exp(x) == 0 && !cps_not_positive_whole(b - a)) ? CPS_NAN : exp(x) * other;
}

/* --- 2F1 --- */

/* gamma(c) / (gamma(a) gamma(b)), 0 at the poles of gamma(a) and gamma(b) */
CPS_MATH double cps_gamma_quotient(double c, double a, double b)
{
    return cps_gamma(c) * cps_rgamma(a) * cps_rgamma(b);
}
/* Of c = a + b + m with a whole m >= 0 and y = 1 - z below 1/2 (DLMF 15.8.10). */
CPS_HEAVY double cps_hyp2f1_log(double a, double b, double m, double y)
{
    double first = 0, term = 1, most = 0, largest = 0;
    for (double k = 0; k < m; k++) { /* (a)_k (b)_k (m - k - 1)! / k! (-y)^k */
        first += term * cps_gamma(m - k);
        most = fmax(most, fabs(term * cps_gamma(m - k)));
        term *= (a + k) * (b + k) / (k + 1) * -y;
    }
    const double factors = cps_gamma_quotient(a + b + m, a + m, b + m);
    first *= factors;
    most *= fabs(factors);
    double sum = 0, factor = 1, psi = cps_digamma(a + m) + cps_digamma(b + m) - cps_digamma(1) - cps_digamma(m + 1);
    const double l = log(y);
    factor = cps_rgamma(m + 1);
    for (double k = 0; k < 2000; k++) {
        const double add = factor * (l + psi);
        sum += add;
        largest = fmax(largest, fabs(factor) * (fabs(l) + fabs(psi)));
        if (k > 3 && fabs(add) < 1e-18 * fabs(sum)) break;
        psi += 1 / (a + m + k) + 1 / (b + m + k) - 1 / (k + 1) - 1 / (k + m + 1);
        factor *= (a + m + k) * (b + m + k) / ((k + 1) * (k + m + 1)) * y;
    }
    const double sign = fmod(m, 2) != 0 ? -1 : 1;
    const double other = sign * pow(y, m) * cps_gamma_quotient(a + b + m, a, b), r = first - other * sum;
    return fabs(r) < 0.01 * fmax(most, largest * fabs(other)) ? CPS_NAN : r;
}
/* For 1/2 < z < 1, y = 1 - z: by 1 - z. NaN where it loses two digits. */
CPS_HEAVY double cps_hyp2f1_near_1(double a, double b, double c, double y)
{
    const double m = c - a - b;
    if (m == rint(m)) {
        if (m >= 0) return cps_hyp2f1_log(a, b, m, y);
        return pow(y, m) * cps_hyp2f1_log(c - a, c - b, -m, y);
    }
    const double p = cps_gamma(c) * cps_gamma(m) * cps_rgamma(c - a) * cps_rgamma(c - b);
    const double q = cps_gamma(c) * cps_gamma(-m) * cps_rgamma(a) * cps_rgamma(b) * pow(y, m);
    const double u = p == 0 ? 0 : p * cps_hyper_series(a, b, 1 - m, y);
    const double v = q == 0 ? 0 : q * cps_hyper_series(c - a, c - b, 1 + m, y);
    return fabs(u + v) < 0.1 * fabs(u) ? CPS_NAN : u + v;
}
typedef struct cps_hyper_place { double s, y, slope; } cps_hyper_place; /* y and its derivative at s */
/* From s on by h, along the equation of 2F1(a, b; c; s): (k + 1)(k + 2) s (1 - s) t(k + 2) = h^2 (k + a)(k + b) t(k)
 * - h (k + 1)(k (1 - 2 s) + c - (a + b + 1) s) t(k + 1). */
CPS_HEAVY cps_hyper_place cps_hyper_step(double a, double b, double c, double h, cps_hyper_place f)
{
    const double p = h / (f.s * (1 - f.s)), q = h * p;
    double t0 = f.y, t1 = f.slope * h, y = t0 + t1, slope = t1;
    for (double k = 0; k < 400; k++) {
        const double middle = k * (1 - 2 * f.s) + c - (a + b + 1) * f.s;
        const double next = ((k + a) * (k + b) * q * t0 / (k + 1) - p * middle * t1) / (k + 2);
        t0 = t1, t1 = next;
        y += t1;
        slope += (k + 2) * t1;
        if (k > 4 && k * (fabs(t0) + fabs(t1)) < 1e-18 * (fabs(y) + fabs(slope))) break;
    }
    const cps_hyper_place r = {f.s + h, y, slope / h};
    return r;
}
/* For y = 1 - z below 1/2, from 1/2 on, by Euler's transformation if c - a - b < 0: no error grows with that power of
 * y. NaN where the result is so much smaller than it was on the way that five digits are lost. */
CPS_HEAVY double cps_hyp2f1_continued_to_1(double a, double b, double c, double y)
{
    const double m = c - a - b, p = m < 0 ? c - a : a, q = m < 0 ? c - b : b;
    cps_hyper_place f = {0.5, cps_hyper_series(p, q, c, 0.5), -p * q / c * cps_hyper_series(p + 1, q + 1, c + 1, 0.5)};
    double most = fabs(f.y);
    for (int i = 0; i < 1100 && f.s > y; i++) {
        f = cps_hyper_step(p, q, 1 - fabs(m), y > 0.45 * f.s ? y - f.s : -0.5 * f.s, f);
        if (!(fabs(f.y) < 1e300)) return CPS_NAN;
        most = fmax(most, fabs(f.y));
    }
    return fabs(f.y) < 1e-5 * most ? CPS_NAN : m < 0 ? pow(y, m) * f.y : f.y;
}
/* A polynomial near 1, y = 1 - z, whose terms cancel in powers of z: in powers of y (DLMF 15.8.7), or by Euler's
 * transformation where that is a polynomial too. */
CPS_HEAVY double cps_hyp2f1_polynomial_near_1(double a, double b, double c, double z, double y)
{
    const int first = cps_not_positive_whole(a) && !(cps_not_positive_whole(b) && b > a);
    const double n = first ? -a : -b, other = first ? b : a, d = other - c - n + 1;
    if (cps_not_positive_whole(d))
        return cps_not_positive_whole(c - other) ? pow(y, c - a - b) * cps_hyper_series(c - a, c - b, c, z) : CPS_NAN;
    double factor = 1;
    for (double k = 0; k < n; k++) factor *= (c - other + k) / (c + k);
    return factor * cps_hyper_series(-n, other, d, y);
}
/* z and 1 - z for 0 <= z < 1. */
CPS_HEAVY double cps_hyp2f1_unit(double a, double b, double c, double z, double y)
{
    const int ends = (cps_not_positive_whole(a) && a >= -1e4) || (cps_not_positive_whole(b) && b >= -1e4);
    if (ends || z <= 0.6) {
        const double r = cps_hyper_series(a, b, c, z);
        return r != r && ends && z > 0.5 ? cps_hyp2f1_polynomial_near_1(a, b, c, z, y) : r;
    }
    if (z <= 0.8) { /* as fast as what follows, and of terms that hardly cancel */
        const double plain = cps_hyper_series_plain(a, b, c, z);
        if (plain == plain) return plain;
    }
    if ((cps_not_positive_whole(c - a) && c - a >= -1e4) || (cps_not_positive_whole(c - b) && c - b >= -1e4))
        return pow(y, c - a - b) * cps_hyper_series(c - a, c - b, c, z);
    const double m = c - a - b, off = fabs(m - rint(m));
    double r = fabs(m) < 40 && (off == 0 || off > 0.05) ? cps_hyp2f1_near_1(a, b, c, y) : CPS_NAN;
    if (r != r && z <= 0.9) r = cps_hyper_series_plain(a, b, c, z);
    if (r == r) return r;
    if (fabs(a) + fabs(b) + fabs(c) < 30) r = cps_hyp2f1_continued_to_1(a, b, c, y); /* else Taylor's terms cancel */
    if (r == r || z > 0.999) return r;
    return m < 0 ? pow(y, m) * cps_hyper_series(c - a, c - b, c, z) : cps_hyper_series(a, b, c, z);
}
/* gamma(c) gamma(c - a - b) / (gamma(c - a) gamma(c - b)), also where these leave the range */
CPS_HEAVY double cps_hyp2f1_of_1(double a, double b, double c)
{
    const double m = c - a - b, far = cps_gamma(c) * cps_gamma(m), near = cps_rgamma(c - a) * cps_rgamma(c - b);
    if (near == 0 && (cps_not_positive_whole(c - a) || cps_not_positive_whole(c - b))) return 0;
    if (near != 0 && fabs(far) > 1e-290 && fabs(far) < CPS_INF && fabs(near) > 1e-290) return far * near;
    const double sign = cps_gammasgn(c) * cps_gammasgn(c - a) * cps_gammasgn(c - b);
    return sign * exp(cps_gammaln(c) - cps_gammaln(c - a) + (cps_gammaln(m) - cps_gammaln(c - b)));
}
/* Of z and y = 1 - z, one of them rounded. */
CPS_HEAVY double cps_hyp2f1_at(double a, double b, double c, double z, double y)
{
    if (a != a || b != b || c != c || z != z) return CPS_NAN;
    if (z == 0 || a == 0 || b == 0) return cps_not_positive_whole(c) && z != 0 && a != 0 && b != 0 ? CPS_INF : 1;
    const int ends = cps_not_positive_whole(a) || cps_not_positive_whole(b);
    if (cps_not_positive_whole(c) && !((cps_not_positive_whole(a) && a >= c) || (cps_not_positive_whole(b) && b >= c)))
        return CPS_INF;
    if (cps_infinite(a) || cps_infinite(b) || cps_infinite(c) || cps_infinite(z)) return CPS_NAN;
    if (y == 0) {
        const double m = c - a - b;
        if (ends && fabs(a) <= 1e4 && fabs(b) <= 1e4) return cps_hyper_series(a, b, c, 1);
        return m > 0 ? cps_hyp2f1_of_1(a, b, c) : CPS_INF;
    }
    if (ends && (z > 1 || z < -1)) return cps_hyper_series(a, b, c, z);
    if (y < 0) return CPS_INF;
    if (b == c && !ends) return pow(y, -a);
    if (a == c && !ends) return pow(y, -b);
    if (z > 0) return cps_hyp2f1_unit(a, b, c, z, y);
    if (z >= -0.6 || ends) return cps_hyper_series(a, b, c, z);
    /* Pfaff: (1 - z)^-a 2F1(a, c - b; c; z / (z - 1)), with the one of a and b that is smaller */
    const double u = -z / y, less = 1 / y;
    if (fabs(b) < fabs(a)) {
        const double t = a;
        a = b, b = t;
    }
    return pow(less, a) * cps_hyp2f1_unit(a, c - b, c, u, less);
}
CPS_MATH double cps_hyp2f1(double a, double b, double c, double z) { return cps_hyp2f1_at(a, b, c, z, 1 - z); }

/* --- orthogonal polynomials: recurrences for whole degrees, else hypergeometric functions --- */

CPS_MATH int cps_is_degree(double n) { return n >= 0 && n == rint(n) && n <= 1e5; }
/* gamma(c) / (gamma(a) gamma(b)) of c = a + b - 1: by the beta function where gamma leaves the range */
CPS_MATH double cps_binomial_by_gamma(double c, double a, double b)
{
    const double r = cps_gamma_quotient(c, a, b);
    if (fabs(r) > 1e-290 && fabs(r) < CPS_INF) return r;
    return c > 150 || a > 150 || b > 150 ? 1 / (c * cps_beta(a, b)) : r;
}
CPS_MATH double cps_binomial_of(double n, double a) /* gamma(n + a + 1) / (gamma(n + 1) gamma(a + 1)) */
{
    return cps_binomial_by_gamma(n + a + 1, n + 1, a + 1);
}
CPS_MATH double cps_hyper_of_degree(double n, double b, double c, double x)
{
    return cps_hyp2f1_at(-n, b, c, 0.5 * (1 - x), 0.5 * (1 + x)); /* near -1 the second is exact */
}
/* A polynomial p of whole degree n and positive leading coefficient, whose zeros lie within `far`: infinite beyond
 * them, where its steps subtract infinities. */
CPS_MATH double cps_beyond_zeros(double p, double n, double x, double far)
{
    return p == p || !(fabs(x) > far) ? p : x < 0 && fmod(n, 2) != 0 ? -CPS_INF : CPS_INF;
}
/* Of equal parameters, by steps that keep the parity: the polynomials of odd degree have their zero at 0 exactly. */
CPS_HEAVY double cps_eval_jacobi_even(double n, double a, double x)
{
    double before = 1, p = (a + 1) * x;
    for (double k = 1; k < n; k++) {
        const double next = (k + a + 1) * ((2 * (k + a) + 1) * x * p - (k + a) * before) / ((k + 1) * (k + 1 + 2 * a));
        before = p;
        p = next;
    }
    return p;
}
CPS_HEAVY double cps_eval_jacobi(double n, double a, double b, double x)
{
    if (n != n || a != a || b != b || x != x) return CPS_NAN;
    if (!cps_is_degree(n)) return cps_binomial_of(n, a) * cps_hyper_of_degree(n, n + a + b + 1, a + 1, x);
    if (n == 0) return 1;
    if (a == b && a > -1 && fabs(x) < 0.5) return cps_eval_jacobi_even(n, a, x);
    /* by differences, which keep digits near x = 1 (as SciPy has it) */
    double d = 0.5 * (a + b + 2) * (x - 1) / (a + 1), p = d + 1, scale = 1, least = 1;
    if (n == 1) return 0.5 * (2 * (a + 1) + (a + b + 2) * (x - 1));
    for (double k = 1; k < n; k++) {
        const double t = 2 * k + a + b;
        const double over = 2 * (k + a + 1) * (k + a + b + 1) * t;
        least = fmin(least, fmin(fabs(t), fabs(k + a + b + 1)));
        d = (t * (t + 1) * (t + 2) * (x - 1) * p + 2 * k * (k + b) * (t + 2) * d) / over;
        p += d;
    }
    for (double k = 1; k <= n; k++) scale *= (a + k) / k;
    if (least > 1e-3) return a > -1 && b > -1 ? cps_beyond_zeros(scale * p, n, x, 1) : scale * p;
    return scale * cps_hyper_of_degree(n, n + a + b + 1, a + 1, x); /* a step nearly divided by 0 */
}
CPS_HEAVY double cps_eval_legendre(double n, double x)
{
    if (n != n || x != x) return CPS_NAN;
    if (n < 0 && n == rint(n)) n = -n - 1;
    if (!cps_is_degree(n)) return cps_hyper_of_degree(n, n + 1, 1, x);
    if (n == 0) return 1;
    if (fabs(x) < 0.5) return cps_eval_jacobi_even(n, 0, x);
    double d = x - 1, p = x;
    for (double k = 1; k < n; k++) {
        d = (2 * k + 1) / (k + 1) * (x - 1) * p + k / (k + 1) * d;
        p += d;
    }
    return cps_beyond_zeros(p, n, x, 1);
}
CPS_HEAVY double cps_eval_chebyt(double n, double x)
{
    if (n != n || x != x) return CPS_NAN;
    n = fabs(n);
    if (n == rint(n) && n <= 100) {
        double before = x, p = 1;
        for (double k = 0; k < n; k++) {
            const double next = 2 * x * p - before;
            before = p;
            p = next;
        }
        return cps_beyond_zeros(p, n, x, 1);
    }
    if (n == rint(n) && fabs(x) < 0.5) { /* the parity is kept */
        const double turn = n * asin(x), r = fmod(n, 2) != 0 ? sin(turn) : cos(turn);
        return fmod(n, 4) >= 2 ? -r : r;
    }
    if (fabs(x) <= 1) return cos(n * acos(x));
    if (x > 1) return cosh(n * acosh(x));
    return n == rint(n) ? (fmod(n, 2) != 0 ? -1 : 1) * cosh(n * acosh(-x)) : cps_hyper_of_degree(n, n, 0.5, x);
}
CPS_HEAVY double cps_eval_chebyu_of(double n, double x)
{
    if (n != n || x != x) return CPS_NAN;
    if (n == -1) return 0;
    if (!cps_is_degree(n) && fabs(x) < 1) return sin((n + 1) * acos(x)) / sqrt((1 - x) * (1 + x));
    if (!cps_is_degree(n)) return (n + 1) * cps_hyper_of_degree(n, n + 2, 1.5, x);
    double before = 0, p = 1;
    for (double k = 0; k < n; k++) {
        const double next = 2 * x * p - before;
        before = p;
        p = next;
    }
    return cps_beyond_zeros(p, n, x, 1);
}
CPS_MATH double cps_eval_chebyu(double n, double x)
{
    return n < -1 && n == rint(n) ? -cps_eval_chebyu_of(-n - 2, x) : cps_eval_chebyu_of(n, x);
}
CPS_HEAVY double cps_eval_gegenbauer(double n, double a, double x)
{
    if (n != n || a != a || x != x) return CPS_NAN;
    if (!cps_is_degree(n))
        return cps_binomial_by_gamma(n + 2 * a, n + 1, 2 * a) * cps_hyper_of_degree(n, n + 2 * a, a + 0.5, x);
    double before = 0, p = 1;
    for (double k = 0; k < n; k++) {
        const double next = (2 * (k + a) * x * p - (k + 2 * a - 1) * before) / (k + 1);
        before = p;
        p = next;
    }
    return a > 0 ? cps_beyond_zeros(p, n, x, 1) : p;
}
CPS_HEAVY double cps_eval_genlaguerre(double n, double a, double x)
{
    if (n != n || a != a || x != x || a <= -1) return CPS_NAN;
    if (!cps_is_degree(n)) return cps_binomial_of(n, a) * cps_hyp1f1(-n, a + 1, x);
    if (n == 0) return 1;
    double before = 1, p = 1 + a - x;
    for (double k = 1; k < n; k++) {
        const double next = ((2 * k + 1 + a - x) * p - (k + a) * before) / (k + 1);
        before = p;
        p = next;
    }
    return cps_beyond_zeros(p, n, -x, x < 0 ? 0 : 4 * n + 2 * a + 2);
}
/* He of whole degrees, and H: times `two` at each step, of two x. */
CPS_HEAVY double cps_eval_hermite_of(double n, double x, double two)
{
    if (x != x || !cps_is_degree(n)) return CPS_NAN;
    double before = 0, p = 1;
    for (double k = 0; k < n; k++) {
        const double next = two * (x * p - k * before);
        before = p;
        p = next;
    }
    return cps_beyond_zeros(p, n, x, 2 * sqrt(n));
}
CPS_HEAVY double cps_eval_sh_jacobi(double n, double p, double q, double x)
{
    return cps_eval_jacobi(n, p - q, q - 1, 2 * x - 1) / cps_binomial_of(n, n + p - 1);
}

#include "scalar/hyper_complex.h" /* calls the functions above */

#endif
