/* Exponential, trigonometric and hyperbolic integrals, and the dilogarithm, of real numbers.
 *
 * Near 0 they are a logarithm and an entire function, a polynomial; far from it exponentials or sine and cosine times
 * polynomials of 1/x. */
#ifndef CPS_INTEGRALS_REAL_H
#define CPS_INTEGRALS_REAL_H

#include "scalar/special.h"
#include "scalar/tables_fresnel.h"
#include "scalar/tables_integrals.h"
#include "scalar/tables_spence.h"

CPS_HEAVY double cps_exp1(double x)
{
    if (!(x > 0)) return x == 0 ? CPS_INF : CPS_NAN;
    if (x <= 1) return CPS_CELL(cps_exp1_near, x, 0, 4) - log(x);
    if (x > 745) return 0;
    const double rest = CPS_CELL(cps_exp1_far, 1 / x, 0, 32) / x;
    if (x < 700) return rest * exp(-x);
    const double half = exp(-0.5 * x);
    return rest * half * half;
}
CPS_HEAVY double cps_expi(double x)
{
    const double zero = 0.37250741078136663, zero_low = 1.3140183414386028e-17;
    if (x != x || x == CPS_INF) return x;
    if (x == 0) return -CPS_INF;
    if (x < 0) return x == -CPS_INF ? -0.0 : -cps_exp1(-x);
    if (x < 1) { /* log(x / zero) + (x - zero) p */
        const double d = (x - zero) - zero_low;
        const double l = fabs(d) < 0.18 ? log1p(d / zero) : log(x) - -0.98749834664534188712;
        return l + d * CPS_CELL(cps_expi_near, x, 0, 4);
    }
    if (x < 7) return log(x) + CPS_CELL(cps_expi_middle, x, 1, 2);
    const double rest = CPS_CELL(cps_expi_far, 1 / x, 0, 192) / x;
    if (x < 700) return rest * exp(x);
    const double half = exp(0.5 * x);
    return x > 730 ? CPS_INF : rest * half * half;
}
/* The integral of exp(-x t) / t^n from 1 on, n whole: a series up to 1, then Lentz's continued fraction. */
CPS_HEAVY double cps_expn(double order, double x)
{
    const double n = trunc(order);
    if (n != n || x != x || n < 0 || x < 0) return CPS_NAN;
    if (x == 0) return n < 2 ? CPS_INF : 1 / (n - 1);
    if (n == 0) return exp(-x) / x;
    if (n == 1) return cps_exp1(x);
    if (x > 745) return 0;
    if (n > 5e4) { /* in powers of n / (x + n)^2 */
        const double r = 1 / (x + n), y = n * r * r;
        return exp(-x) * r * (1 + y * (1 + r * (n - 2 * x) * r + r * r * r * r * (6 * x * x - 8 * n * x + n * n)));
    }
    if (x <= 1) {
        double psi = -CPS_EULER - log(x), power = 1, sum = 0;
        for (double k = 1; k < n; k++) psi += 1 / k;
        if (n > 1) sum = 1 / (n - 1);
        for (double k = 1; k < 200; k++) {
            power *= -x / k;
            if (k == n - 1) continue;
            const double term = power / (k - (n - 1));
            sum -= term;
            if (k == 1) sum = 1 / (n - 1) - term;
            if (fabs(term) < 1e-17 * fabs(sum) && k > n) break;
        }
        double factor = 1; /* (-x)^(n-1) / (n-1)! */
        for (double k = 1; k < n && factor != 0; k++) factor *= -x / k;
        return factor * psi + sum;
    }
    double b = x + n, c = 1e300, d = 1 / b, h = d;
    for (double k = 1; k < 3000; k++) {
        const double a = -k * (n - 1 + k);
        b += 2;
        d = 1 / (a * d + b);
        c = b + a / c;
        const double change = c * d;
        h *= change;
        if (fabs(change - 1) < 1e-16) break;
    }
    return h * exp(-x);
}

/* f and g of x >= 4: Si = pi/2 - f cos - g sin, Ci = f sin - g cos */
CPS_MATH double cps_f_of(double x) { return CPS_CELL(cps_f_far, 1 / x, 0, 64) / x; }
CPS_MATH double cps_g_of(double x) { return CPS_CELL(cps_g_far, 1 / x, 0, 64) / x / x; }
CPS_HEAVY double cps_sine_integral(double x)
{
    const double a = fabs(x);
    if (a < 4) return x * CPS_CELL(cps_si_near, a * a, 0, 0.5);
    if (a != a) return x;
    return copysign(0.5 * CPS_PI - (a == CPS_INF ? 0 : cps_f_of(a) * cos(a) + cps_g_of(a) * sin(a)), x);
}
CPS_HEAVY double cps_cosine_integral(double x)
{
    if (x == -CPS_INF) return CPS_NAN; /* Ci has an imaginary part there, which its limit keeps */
    x = fabs(x);
    if (x == 0) return -CPS_INF;
    if (x < 4) return log(x) + (CPS_EULER + x * x * CPS_CELL(cps_ci_near, x * x, 0, 0.5));
    return x == CPS_INF ? 0 : cps_f_of(x) * sin(x) - cps_g_of(x) * cos(x);
}
CPS_HEAVY double cps_shi(double x)
{
    const double a = fabs(x);
    if (a < 2) return x * CPS_CELL(cps_shi_near, a * a, 0, 0.5);
    return copysign(0.5 * cps_expi(a) + 0.5 * cps_exp1(a), x);
}
CPS_HEAVY double cps_chi(double x)
{
    x = fabs(x);
    if (x == 0) return -CPS_INF;
    if (x < 2) return log(x) + (CPS_EULER + x * x * CPS_CELL(cps_chi_near, x * x, 0, 0.5));
    return 0.5 * cps_expi(x) - 0.5 * cps_exp1(x);
}

/* Fresnel's integrals of sin and cos (pi t^2 / 2), in one; beyond 1.6 by sine and cosine of the exact square. */
typedef struct cps_fresnel { double s, c; } cps_fresnel;
CPS_HEAVY cps_fresnel cps_fresnel_of(double x)
{
    cps_fresnel r;
    const double a = fabs(x), square = a * a;
    if (!(a >= 1.6)) {
        r.s = x * square * CPS_CELL(cps_fresnel_s, square, 0, 4);
        r.c = x * CPS_CELL(cps_fresnel_c, square, 0, 4);
        return r;
    }
    r.s = r.c = copysign(0.5, x);
    if (a > 1e150) return r;
    const double lost = fma(a, a, -square), turns = 0.5 * square - 2 * rint(0.25 * square), angle = turns + 0.5 * lost;
    const double sine = cps_sinpi(angle), cosine = cps_cospi(angle), u = 1 / a;
    const double f = CPS_CELL(cps_fresnel_f, u, 0, 32) * u / CPS_PI;
    const double g = CPS_CELL(cps_fresnel_g, u, 0, 32) * u * u * u / (CPS_PI * CPS_PI);
    r.s = copysign(0.5 - (f * cosine + g * sine), x);
    r.c = copysign(0.5 + (f * sine - g * cosine), x);
    return r;
}
CPS_MATH double cps_fresnel_sine(double x) { return cps_fresnel_of(x).s; }
CPS_MATH double cps_fresnel_cosine(double x) { return cps_fresnel_of(x).c; }

/* The dilogarithm of 1 - x. */
CPS_HEAVY double cps_spence(double x)
{
    if (!(x >= 0)) return CPS_NAN;
    if (x == 0) return CPS_PI * CPS_PI / 6;
    if (x < 0.5) return CPS_PI * CPS_PI / 6 - log(x) * log1p(-x) - x * CPS_CELL(cps_spence_cells, 1 - x, 0.5, 8);
    if (x <= 2) return (1 - x) * CPS_CELL(cps_spence_cells, x, 0.5, 8);
    const double l = log(x), u = 1 / x;
    if (u >= 0.5) return -0.5 * l * l - (1 - u) * CPS_CELL(cps_spence_cells, u, 0.5, 8);
    const double low = CPS_PI * CPS_PI / 6 + l * log1p(-u) - u * CPS_CELL(cps_spence_cells, 1 - u, 0.5, 8);
    return -0.5 * l * l - low;
}

#endif
