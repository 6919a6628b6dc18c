/* Legendre functions, spherical harmonics and Wright's generalized Bessel function. */
#ifndef CPS_HARMONICS_H
#define CPS_HARMONICS_H

#include "scalar/gamma_real.h"

/* The associated Legendre function of whole degree v and order m >= 0, by the recurrence in the degree. */
CPS_MATH double cps_legendre_whole(double m, double v, double x)
{
    if (m > v) return 0;
    const double s = sqrt((1 - x) * (1 + x));
    double now = 1, before = 0;
    for (double k = 1; k <= m; k++) now *= -(2 * k - 1) * s;
    for (double k = m + 1; k <= v; k++) {
        const double next = ((2 * k - 1) * x * now - (k + m - 1) * before) / (k - m);
        before = now;
        now = next;
    }
    return now;
}
/* F(v + 1, -v; m + 1; z) for 0 <= z <= 1, v no integer: from z = 0.6 on in powers of 1 - z and its logarithm
 * (DLMF 15.8.10). */
CPS_HEAVY double cps_legendre_series(double m, double v, double z)
{
    const double a = v + 1, b = -v;
    double sum = 0, term = 1;
    if (z <= 0.6) {
        for (double k = 0; k < 3000; k++) {
            sum += term;
            term *= (a + k) * (b + k) / ((m + 1 + k) * (k + 1)) * z;
            if (fabs(term) < 1e-17 * fabs(sum) && k > v) break;
        }
        return sum;
    }
    const double r = 1 - z;
    for (double k = 0; k < m; k++) { /* (a)_k (b)_k (m-k-1)! / k! (z-1)^k */
        sum += term * cps_gamma(m - k);
        term *= (a + k) * (b + k) / (k + 1) * -r;
    }
    sum *= cps_rgamma(a + m) * cps_rgamma(b + m);
    if (r == 0) return m == 0 ? CPS_INF * (cps_sinpi(v) < 0 ? 1 : -1) : sum * cps_gamma(m + 1);
    double log_sum = 0;
    term = 1;
    for (double k = 1; k <= m; k++) term *= -r / k; /* (z-1)^m / m! */
    term *= cps_rgamma(a) * cps_rgamma(b);
    for (double k = 0; k < 300; k++) {
        const double part = term * (log(r) - cps_digamma(k + 1) - cps_digamma(k + m + 1) + cps_digamma(a + k + m) +
                                    cps_digamma(b + k + m));
        log_sum += part;
        term *= (a + m + k) * (b + m + k) / ((k + 1) * (k + m + 1)) * r;
        if (fabs(part) < 1e-17 * fabs(log_sum) && k > v) break;
    }
    return (sum - log_sum) * cps_gamma(m + 1);
}
/* (-1)^m gamma(v+m+1) / gamma(v-m+1) / m! (z / (1-z))^(m/2) F, z = (1-x)/2 */
CPS_HEAVY double cps_legendre_any(double m, double v, double x)
{
    double factor = 1;
    for (double k = 1; k <= m; k++) factor *= -(v - m + k) * (v + k) / k;
    const double f = m > 0 && x == 1 ? 0 : cps_legendre_series(m, v, 0.5 * (1 - x));
    if (m == 0) return f;
    if (x == -1) return CPS_INF * (factor < 0 ? -1 : 1) * (f < 0 ? -1 : 1);
    return f * factor * pow((1 - x) / (1 + x), 0.5 * m);
}
CPS_HEAVY double cps_lpmv(double order, double v, double x)
{
    if (order != trunc(order) || v != v) return CPS_NAN;
    if (v < 0) v = -v - 1;
    const int polynomial = order == 0 && v == floor(v) && isfinite(x); /* has values outside [-1, 1] too */
    if (!(fabs(x) <= 1) && !polynomial) return CPS_NAN;
    const double m = fabs(order);
    if (v > 1e5 || (m > 1e3 && v != floor(v))) return CPS_NAN;
    double p;
    if (v == floor(v)) {
        if (m > v) return order > 0 ? 0 : CPS_NAN;
        p = cps_legendre_whole(m, v, x);
    } else if (v < m + 2) {
        p = cps_legendre_any(m, v, x);
    } else { /* the series cancels for large degrees: from the two lowest above m upwards */
        const double start = v - floor(v - m);
        double before = cps_legendre_any(m, start, x);
        p = cps_legendre_any(m, start + 1, x);
        for (double k = start + 2; k < v + 0.5; k++) {
            const double next = ((2 * k - 1) * x * p - (k + m - 1) * before) / (k - m);
            before = p;
            p = next;
        }
    }
    if (order >= 0) return p;
    double ratio = fmod(m, 2) != 0 ? -1 : 1; /* (-1)^m gamma(v-m+1) / gamma(v+m+1) */
    for (double k = 1 - m; k <= m; k++) ratio /= v + k;
    return p * ratio;
}

/* Of degree n and order m, at the polar angle theta and the azimuth phi: normalised Legendre functions by their
 * recurrence in the degree, which neither overflows nor loses digits. */
CPS_HEAVY cp_complex128 cps_sph_harm_y(double n, double m, double theta, double phi)
{
    if (n != trunc(n) || m != trunc(m) || n > 1e5 || theta != theta || phi != phi)
        return CPS_C(CPS_NAN, CPS_NAN);
    const double k = fabs(m), x = cos(theta), s = fabs(sin(theta)); /* the root of 1 - x^2, at any angle */
    if (k > n) return CPS_C(0, 0); /* so of n below 0 */
    double now = 0.28209479177387814347, before = 0; /* 1 / sqrt(4 pi) */
    for (double i = 1; i <= k; i++) now *= -sqrt((2 * i + 1) / (2 * i)) * s;
    double last = 0;
    for (double l = k + 1; l <= n; l++) {
        const double c = sqrt((4 * l * l - 1) / ((l - k) * (l + k)));
        const double next = c * (x * now - (last > 0 ? before / last : 0));
        before = now;
        now = next;
        last = c;
    }
    if (m < 0 && fmod(k, 2) != 0) now = -now;
    return CPS_C(now * cos(m * phi), now * sin(m * phi));
}

/* The logarithm of x^k / (k! gamma(a k + b)), which has one maximum in k. */
CPS_MATH double cps_wright_log(double a, double b, double log_x, double k)
{
    return k * log_x - cps_gammaln(k + 1) - cps_gammaln(a * k + b);
}
/* The logarithm of the sum of many terms around their maximum, which have the shape of a normal distribution of a large
 * width: every n-th of them, two a width, has the sum's n-th part. NaN where the maximum is near 0. */
CPS_HEAVY double cps_wright_log_of_many(double a, double b, double x)
{
    const double log_x = log(x);
    double low = 0, high = 2 * x + 2;
    for (int i = 0; i < 200 && high - low > 0.5 + 1e-9 * low; i++) {
        const double k = low < 1 ? 0.5 * (low + high) : sqrt(low) * sqrt(high), v = a * k + b;
        if (log_x - cps_digamma(k + 1) - a * cps_digamma(v) > 0) low = k;
        else high = k;
    }
    const double middle = rint(low), width = sqrt(middle / (1 + a));
    if (!(middle < 1e300 && middle > 40 * width && width > 20)) return CPS_NAN;
    const double step = floor(0.5 * width), top = cps_wright_log(a, b, log_x, middle);
    double sum = 1;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 1; i < 100; i++) {
            const double e = cps_wright_log(a, b, log_x, middle + side * i * step) - top;
            if (e < -40) break;
            sum += exp(e);
        }
    }
    return top + log(sum * step);
}
/* The sum of x^k / (k! gamma(a k + b)), all of whose terms are positive, times exp(-*scale). */
CPS_HEAVY double cps_wright_sum(double a, double b, double x, double *scale)
{
    *scale = 0;
    if (!(a >= 0 && b >= 0 && x >= 0)) return CPS_NAN;
    if (a == CPS_INF || b == CPS_INF) return CPS_NAN;
    if (x == CPS_INF) return CPS_INF;
    double sum = 0, factor = 1;
    if (x <= 100) { /* factors x^k / k! are in range */
        for (int k = 0; k < 2000; k++) {
            const double term = factor * cps_rgamma(a * k + b);
            sum += term;
            factor *= x / (k + 1);
            if (term < 1e-17 * sum && k > 2) break;
        }
        return sum;
    }
    const double log_x = log(x);
    double largest = -CPS_INF;
    for (int k = 0; k < 20000; k++) { /* a scaled sum of exponentials */
        if (a * k + b == 0) continue;
        const double e = k * log_x - cps_gammaln(k + 1.0) - cps_gammaln(a * k + b);
        if (e > largest) {
            sum *= exp(largest - e);
            largest = e;
        }
        sum += exp(e - largest);
        *scale = largest;
        if (e < largest - 40) return sum;
    }
    return CPS_INF; /* terms that grow so long have a logarithm of that size */
}
CPS_MATH double cps_wright_bessel(double a, double b, double x)
{
    if (b >= 0 && b < CPS_INF && x >= 0 && x < CPS_INF) {
        if (x == 0 && a >= 0 && a < CPS_INF) return cps_rgamma(b);
        if (a == 0) return exp(x) * cps_rgamma(b);
    }
    double scale;
    const double sum = cps_wright_sum(a, b, x, &scale);
    return scale == 0 ? sum : exp(scale + log(sum));
}
CPS_MATH double cps_log_wright_bessel(double a, double b, double x)
{
    if (b >= 0 && b < CPS_INF && x >= 0 && x < CPS_INF && a >= 0 && a < CPS_INF && (x == 0 || a == 0))
        return b == 0 ? -CPS_INF : x - cps_gammaln(b);
    double scale;
    if (a >= 0 && b >= 0 && b < CPS_INF && x > 1e3 && x < CPS_INF) {
        const double many = cps_wright_log_of_many(a, b, x);
        if (many == many) return many;
    }
    const double sum = cps_wright_sum(a, b, x, &scale);
    return scale + log(sum);
}

#endif
