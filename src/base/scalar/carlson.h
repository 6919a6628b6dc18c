/* The chapter of Carlson's symmetric elliptic integrals, of real numbers, and of the arithmetic-geometric mean. */
#ifndef CPS_CARLSON_H
#define CPS_CARLSON_H

#include "scalar/elliptic.h"

CPS_MATH int cps_any_nan(double x, double y, double z) { return (x != x) | (y != y) | (z != z); }
/* RC; for y < 0 Cauchy's principal value. */
CPS_HEAVY double cps_elliprc(double x, double y)
{
    if (cps_any_nan(x, y, 0) || x < 0) return CPS_NAN;
    if (y == 0) return CPS_NAN;
    if (x == CPS_INF || fabs(y) == CPS_INF) return 0;
    double factor = 1;
    if (y < 0) {
        factor = sqrt(x) / sqrt(x - y);
        x -= y;
        y = -y;
    }
    if (x == 0) return factor * 0.5 * CPS_PI / sqrt(y);
    const double d = y - x, r = d / x, t = sqrt(fabs(r));
    if (fabs(r) < 1e-3) return factor / sqrt(x) * (1 - r * cps_polynomial(cps_odd, 6, -r));
    if (d > 0) return factor * atan(t) / sqrt(d);
    const double root = sqrt(x - y);
    return factor * (t < 0.5 ? atanh(t) : log((sqrt(x) + root) / sqrt(y))) / root;
}
CPS_MATH int cps_two_zeros(double x, double y, double z) { return ((x == 0) + (y == 0) + (z == 0)) > 1; }
CPS_HEAVY double cps_elliprf(double x, double y, double z)
{
    if (cps_any_nan(x, y, z) || x < 0 || y < 0 || z < 0) return CPS_NAN;
    if (cps_two_zeros(x, y, z)) return CPS_INF;
    if (x == CPS_INF || y == CPS_INF || z == CPS_INF) return 0;
    return cps_carlson_rf(x, y, z);
}
CPS_HEAVY double cps_elliprd(double x, double y, double z)
{
    if (cps_any_nan(x, y, z) || x < 0 || y < 0 || z < 0) return CPS_NAN;
    if (z == 0 || (x == 0 && y == 0)) return CPS_INF;
    if (x == CPS_INF || y == CPS_INF || z == CPS_INF) return 0;
    return cps_carlson_rd(x, y, z);
}
/* With z between x and y all terms are positive. */
CPS_HEAVY double cps_elliprg(double x, double y, double z)
{
    if (cps_any_nan(x, y, z) || x < 0 || y < 0 || z < 0) return CPS_NAN;
    if (x == CPS_INF || y == CPS_INF || z == CPS_INF) return CPS_INF;
    const double low = fmin(x, fmin(y, z)), high = fmax(x, fmax(y, z));
    const double middle = fmax(fmin(x, y), fmin(fmax(x, y), z));
    if (middle == 0) return 0.5 * sqrt(high);
    const double root = sqrt(low) * (sqrt(high) / sqrt(middle));
    return 0.5 * (middle * cps_carlson_rf(low, high, middle) +
                  (middle - low) * (high - middle) * cps_carlson_rd(low, high, middle) / 3 + root);
}
/* RJ of p > 0, by duplication. */
CPS_HEAVY double cps_carlson_rj(double x, double y, double z, double p)
{
    double sum = 0, power = 1;
    for (int i = 0; i < 1100; i++) {
        const double mean = (x + y + z + 2 * p) / 5, dx = 1 - x / mean, dy = 1 - y / mean, dz = 1 - z / mean;
        const double dp = 1 - p / mean, far = fmax(fmax(fabs(dx), fabs(dy)), fmax(fabs(dz), fabs(dp)));
        if (far < 0.003) {
            const double product = dx * dy * dz, e2 = dx * dy + dx * dz + dy * dz - 3 * dp * dp;
            const double e3 = product + 2 * e2 * dp + 4 * dp * dp * dp;
            const double e4 = (2 * product + e2 * dp + 3 * dp * dp * dp) * dp, e5 = product * dp * dp;
            const double series = 1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 +
                                  3 * e5 / 26 - e2 * e2 * e2 / 16 + 3 * e3 * e3 / 40 + 3 * e2 * e4 / 20;
            return sum + power * series / (mean * sqrt(mean));
        }
        const double rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), l = rx * ry + rx * rz + ry * rz;
        const double a = p * (rx + ry + rz) + rx * ry * rz, b = (p + l) / a; /* a^2 and p (p + l)^2 */
        sum += 3 * power * cps_elliprc(1, p * b * b) / a;
        power *= 0.25;
        x = 0.25 * (x + l), y = 0.25 * (y + l), z = 0.25 * (z + l), p = 0.25 * (p + l);
    }
    return CPS_NAN;
}
CPS_HEAVY double cps_elliprj(double x, double y, double z, double p)
{
    if (cps_any_nan(x, y, z) || p != p || x < 0 || y < 0 || z < 0) return CPS_NAN;
    if (p == 0) return CPS_NAN;
    if (cps_two_zeros(x, y, z)) return CPS_INF;
    if (x == CPS_INF || y == CPS_INF || z == CPS_INF || fabs(p) == CPS_INF) return 0;
    if (p > 0) return cps_carlson_rj(x, y, z, p);
    /* Cauchy's principal value (DLMF 19.20.14) */
    const double low = fmin(x, fmin(y, z)), high = fmax(x, fmax(y, z)), q = -p;
    const double middle = fmax(fmin(x, y), fmin(fmax(x, y), z));
    const double r = (high * (low + middle + q) - low * middle) / (high + q), s = low * middle + r * q;
    return ((r - high) * cps_carlson_rj(low, middle, high, r) - 3 * cps_carlson_rf(low, middle, high) +
            3 * sqrt(low * middle * high / s) * cps_elliprc(s, r * q)) / (q + high);
}
CPS_HEAVY double cps_agm(double a, double b)
{
    if (a != a || b != b || (a < 0 && b > 0) || (a > 0 && b < 0)) return CPS_NAN;
    if ((fabs(a) == CPS_INF && b == 0) || (a == 0 && fabs(b) == CPS_INF)) return CPS_NAN;
    if (a == 0 || b == 0) return 0;
    if (fabs(a) == CPS_INF || fabs(b) == CPS_INF) return copysign(CPS_INF, a);
    const double sign = copysign(1.0, a);
    a = fabs(a), b = fabs(b);
    for (int i = 0; i < 60 && fabs(a - b) > 2e-16 * a; i++) {
        const double mean = 0.5 * a + 0.5 * b;
        b = sqrt(a) * sqrt(b);
        a = mean;
    }
    return sign * a;
}

#include "scalar/carlson_complex.h" /* calls the functions above */

#endif
