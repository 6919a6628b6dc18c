/* Elliptic integrals and Jacobi's functions, of the parameter m = k^2.
 *
 * Complete integrals are polynomials in cells, and a logarithm times one near m = 1; incomplete ones Carlson's
 * symmetric integrals; Jacobi's functions descending Landen transformations. */
#ifndef CPS_ELLIPTIC_H
#define CPS_ELLIPTIC_H

#include "scalar/special.h"
#include "scalar/tables_elliptic.h"

/* K of m = 1 - p */
CPS_HEAVY double cps_ellipkm1(double p)
{
    if (!(p >= 0)) return CPS_NAN;
    if (p == 0) return CPS_INF;
    if (p == CPS_INF) return 0;
    double scale = 1;
    if (p > 1) { /* K(m) = K(m / (m - 1)) / sqrt(1 - m) */
        scale = 1 / sqrt(p);
        p = 1 / p;
    }
    if (p > 6.103515625e-05) return scale * CPS_CELL_TO_1(cps_ellipk_by_power, -14, p);
    return scale * (CPS_CELL(cps_ellipk_rest, p, 0, 32) - log(p) * CPS_CELL(cps_ellipk_log, p, 0, 32));
}
CPS_MATH double cps_ellipk(double m)
{
    return m >= 0 && m < 0.9999 ? CPS_CELL_TO_1(cps_ellipk_by_power, -14, 1 - m) : cps_ellipkm1(1 - m);
}
/* E(1 - p) for p to 2^-10: a series with l = log(4 / sqrt(p)). */
CPS_MATH double cps_ellipe_near_1(double p)
{
    const double l = 2 * CPS_LN2 - 0.5 * log(p);
    const double a = p * (0.5 * l - 0.25), b = p * (0.1875 * l - 0.203125), c = p * (0.1171875 * l - 0.140625);
    const double d = p * (0.08544921875 * l - 0.10691324869791667);
    const double e = p * (0.067291259765625 * l - 0.08614349365234375);
    return 1 + (a + p * (b + p * (c + p * (d + p * e))));
}
/* (K(p) - E(p)) / (pi p / 4) */
CPS_TABLE cps_ellip_difference[13] = {
    1.0, 0.375, 0.234375, 0.1708984375, 0.13458251953125, 0.11103057861328125, 0.09450817108154297,
    0.0822727382183075, 0.0728456536307931, 0.06535873922985047, 0.05926849307434168, 0.054217201050960284,
    0.04995976058381757};
/* E(m) of p = 1 - m, one of them rounded: polynomials for m to 1/2. */
CPS_HEAVY double cps_ellipe_positive(double m, double p)
{
    if (p == 0) return 1;
    if (m <= 0.5) return CPS_CELL(cps_ellipe_cells, m, 0, 32);
    /* Legendre's relation with the integrals of p, which are polynomials */
    if (p < 0x1p-10) return cps_ellipe_near_1(p);
    const double k = cps_ellipkm1(p), kp = CPS_CELL_TO_1(cps_ellipk_by_power, -14, m);
    const double less = p < 0.0625 ? 0.25 * CPS_PI * p * CPS_POLYNOMIAL(cps_ellip_difference, p)
                                   : kp - CPS_CELL(cps_ellipe_cells, p, 0, 32); /* E(p) */
    return CPS_FMA(k, less, 0.5 * CPS_PI) / kp;
}
CPS_MATH double cps_ellipe(double m)
{
    if (!(m <= 1)) return CPS_NAN;
    if (m == -CPS_INF) return CPS_INF;
    const double p = 1 - m;
    return m < 0 ? sqrt(p) * cps_ellipe_positive(m / -p, 1 / p) : cps_ellipe_positive(m, p);
}

/* Carlson's integrals: arguments not negative, at most one of them 0. */
CPS_HEAVY double cps_carlson_rf(double x, double y, double z)
{
    for (int i = 0; i < 1100; i++) { /* arguments may be 10^600 apart */
        const double mean = (x + y + z) / 3, dx = 1 - x / mean, dy = 1 - y / mean, dz = 1 - z / mean;
        const double far = fmax(fabs(dx), fmax(fabs(dy), fabs(dz)));
        if (far < 0.003) {
            const double e2 = dx * dy - dz * dz, e3 = dx * dy * dz;
            const double series = 1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44 - 5 * e2 * e2 * e2 / 208 +
                                  3 * e3 * e3 / 104;
            return series / sqrt(mean);
        }
        const double l = sqrt(x) * sqrt(y) + sqrt(x) * sqrt(z) + sqrt(y) * sqrt(z);
        x = 0.25 * (x + l), y = 0.25 * (y + l), z = 0.25 * (z + l);
    }
    return CPS_NAN;
}
CPS_HEAVY double cps_carlson_rd(double x, double y, double z)
{
    double sum = 0, power = 1;
    for (int i = 0; i < 1100; i++) {
        const double mean = (x + y + 3 * z) / 5, dx = 1 - x / mean, dy = 1 - y / mean, dz = 1 - z / mean;
        const double far = fmax(fabs(dx), fmax(fabs(dy), fabs(dz)));
        if (far < 0.003) {
            const double a = dx * dy, b = dz * dz;
            const double e2 = a - 6 * b, e3 = (3 * a - 8 * b) * dz, e4 = 3 * (a - b) * b, e5 = a * b * dz;
            const double series = 1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 +
                                  3 * e5 / 26 - e2 * e2 * e2 / 16 + 3 * e3 * e3 / 40 + 3 * e2 * e4 / 20;
            return 3 * sum + power * series / (mean * sqrt(mean));
        }
        const double l = sqrt(x) * sqrt(y) + sqrt(x) * sqrt(z) + sqrt(y) * sqrt(z);
        sum += power / (sqrt(z) * (z + l));
        power *= 0.25;
        x = 0.25 * (x + l), y = 0.25 * (y + l), z = 0.25 * (z + l);
    }
    return CPS_NAN;
}
/* F of |phi| below 10^-150, where m sin^2 phi may be large still */
CPS_MATH double cps_ellipkinc_tiny(double phi, double m)
{
    const double root = m < 0 ? sqrt(-m) : 0, u = root * phi;
    return fabs(u) < 1e-9 ? phi : asinh(u) / root;
}
/* phi reduced to -pi/2..pi/2: the number of half turns, in two parts of pi. */
CPS_MATH double cps_half_turns(double *phi)
{
    const double n = rint(*phi / CPS_PI);
    *phi = fma(-n, CPS_PI, *phi) - n * 1.2246467991473532e-16;
    return n;
}
CPS_HEAVY double cps_ellipkinc(double phi, double m)
{
    if (phi != phi || m != m || m > 1) return CPS_NAN;
    if (m == -CPS_INF) return fabs(phi) == CPS_INF ? CPS_NAN : 0;
    if (fabs(phi) == CPS_INF) return phi;
    if (m == 0) return phi;
    if (m == 1) return fabs(phi) >= 0.5 * CPS_PI ? CPS_INF : asinh(tan(phi));
    const double n = cps_half_turns(&phi), s = sin(phi), c = cos(phi);
    double f;
    if (fabs(s) <= 1e-150) {
        f = cps_ellipkinc_tiny(phi, m);
    } else {
        const double d = m > 0.5 ? c * c + (1 - m) * s * s : 1 - m * s * s;
        f = s * cps_carlson_rf(c * c, d, 1);
    }
    return n == 0 ? f : f + 2 * n * cps_ellipk(m);
}
CPS_HEAVY double cps_ellipeinc(double phi, double m)
{
    if (phi != phi || m != m || m > 1) return CPS_NAN;
    if (m == -CPS_INF) return fabs(phi) == CPS_INF ? CPS_NAN : CPS_INF;
    if (fabs(phi) == CPS_INF) return phi;
    if (m == 0) return phi;
    const double n = cps_half_turns(&phi), s = sin(phi), c = cos(phi);
    double e;
    if (fabs(s) <= 1e-150) {
        e = 0.5 * (phi * (m < 0 ? hypot(1.0, sqrt(-m) * phi) : 1) + cps_ellipkinc_tiny(phi, m));
    } else {
        const double d = m > 0.5 ? c * c + (1 - m) * s * s : 1 - m * s * s;
        if (m <= 0) { /* both terms are positive */
            e = s * (cps_carlson_rf(c * c, d, 1) - m * s * s / 3 * cps_carlson_rd(c * c, d, 1));
        } else { /* in another form where they are: E = (1-m) F + m (1-m) s^3/3 RD(c^2, 1, d) + m s |c| / sqrt(d) */
            e = s * (1 - m) * (cps_carlson_rf(c * c, d, 1) + m * s * s / 3 * cps_carlson_rd(c * c, 1, d));
            e += m * s * fabs(c) / sqrt(d);
        }
    }
    return n == 0 ? e : e + 2 * n * cps_ellipe(m);
}

/* sn, cn, dn and the amplitude, for 0 <= m <= 1. */
typedef struct cps_jacobi { double sn, cn, dn, ph; } cps_jacobi;
CPS_HEAVY cps_jacobi cps_ellipj(double u, double m)
{
    cps_jacobi r = {CPS_NAN, CPS_NAN, CPS_NAN, CPS_NAN};
    if (!(m >= 0 && m <= 1) || u != u) return r;
    if (m == 0) {
        r.sn = sin(u), r.cn = cos(u), r.dn = 1, r.ph = u;
        return r;
    }
    if (m == 1) {
        r.sn = tanh(u), r.cn = r.dn = 1 / cosh(u), r.ph = atan(sinh(u));
        return r;
    }
    double a[16], c[16], b = sqrt(1 - m), two = 1;
    int n = 0;
    a[0] = 1, c[0] = sqrt(m);
    while (n < 14 && fabs(c[n] / a[n]) > 1e-17) {
        const double mean = 0.5 * (a[n] + b), half = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
        n++;
        a[n] = mean, c[n] = half;
        two *= 2;
        if (half < 1e-16 * mean) break;
    }
    double phi = two * a[n] * u, before = phi;
    for (; n > 0; n--) {
        before = phi;
        phi = 0.5 * (asin(c[n] * sin(phi) / a[n]) + phi);
    }
    r.sn = sin(phi), r.cn = cos(phi), r.ph = phi;
    const double d = cos(before - phi);
    r.dn = fabs(d) < 0.1 ? sqrt(1 - m * r.sn * r.sn) : r.cn / d;
    r.dn = m < 0.9 ? sqrt(1 - m * r.sn * r.sn) : sqrt(r.cn * r.cn + (1 - m) * r.sn * r.sn);
    return r;
}
CPS_MATH double cps_ellipj_sn(double u, double m) { return cps_ellipj(u, m).sn; }
CPS_MATH double cps_ellipj_cn(double u, double m) { return cps_ellipj(u, m).cn; }
CPS_MATH double cps_ellipj_dn(double u, double m) { return cps_ellipj(u, m).dn; }
CPS_MATH double cps_ellipj_ph(double u, double m) { return cps_ellipj(u, m).ph; }

#endif
