/* The chapter of noncentral distributions: chi squared's, F's and Student's, and their inverses.
 *
 * A noncentral distribution is a sum of central ones, of shapes a, a + 1, ..., with Poisson's weights w[j]. Divided by
 * its front, t[j], the lower side of one follows from that of the next one, and the upper side from that of the one
 * before, by sums of positive numbers. So the smaller side of the two is a sum of positive terms without cancellation:
 * it begins at the largest product of weight and front, and ends on both sides where terms no longer count. */
#ifndef CPS_NONCENTRAL_H
#define CPS_NONCENTRAL_H

#include "scalar/distributions.h"

/* The central distribution: gammainc's of x, or, for b > 0, betainc's of x, where y is 1 - x. The weights are
 * exp(-half) half^(j + by) / gamma(j + by + 1). */
typedef struct cps_central { double a, b, x, y, half, by; } cps_central;

/* t[j + 1] / t[j] */
CPS_MATH double cps_front_ratio(const cps_central *c, double j)
{
    const double a = c->a + j;
    return c->b > 0 ? c->x * ((a + c->b) / (a + 1)) : c->x / (a + 1);
}
CPS_MATH double cps_product_ratio(const cps_central *c, double j) /* the same of weight and front */
{
    return c->half / (j + 1 + c->by) * cps_front_ratio(c, j);
}
/* The j of the largest product of weight and front. */
CPS_MATH double cps_largest_product(const cps_central *c)
{
    const double n = c->b > 0 ? c->half * c->x * (c->a + c->b) : c->half * c->x;
    const double m = c->b > 0 ? c->a - c->half * c->x : c->a, root = sqrt(m * m + 4 * n);
    return floor(m > 0 ? 2 * n / (m + root) : 0.5 * (root - m));
}
/* The lower side of shape j over its front: 1 + r[j] + r[j] r[j+1] + ... */
CPS_MATH double cps_lower_over_front(const cps_central *c, double j)
{
    double term = 1, sum = 1;
    for (int k = 0; k < 100000; k++) {
        term *= cps_front_ratio(c, j + k);
        sum += term;
        if (term < 1e-17 * sum) break;
    }
    return sum;
}
#define CPS_MOST_TERMS 2000000
/* The sum of the lower sides over the largest product; `at` is its j. */
CPS_MATH double cps_sum_of_lower(const cps_central *c, double at)
{
    double j = at, product = 1, sum = 0;
    for (int k = 0; k < CPS_MOST_TERMS && product > 1e-18; k++) product *= cps_product_ratio(c, j), j++;
    double side = cps_lower_over_front(c, j);
    for (int k = 0; k < CPS_MOST_TERMS; k++) {
        const double term = product * side;
        sum += term;
        if (j == 0 || (j < at && term < 1e-18 * sum)) return sum;
        j--;
        side = 1 + cps_front_ratio(c, j) * side;
        product /= cps_product_ratio(c, j);
    }
    return CPS_NAN;
}
/* The same of the upper sides. */
CPS_MATH double cps_sum_of_upper(const cps_central *c, double at)
{
    double j = at, product = 1, sum = 0;
    for (int k = 0; k < CPS_MOST_TERMS && product > 1e-18 && j > 0; k++) j--, product /= cps_product_ratio(c, j);
    const double a = c->a + j;
    const cps_sides first = c->b > 0 ? cps_beta_sides(a, c->b, c->x, c->y) : cps_gamma_sides(a, c->x);
    const double front = c->b > 0 ? cps_beta_density(a, c->b, c->x, c->y, 1) / a : cps_gamma_front(a, c->x);
    double term = front > 0 ? product * (first.q / front) : 0;
    for (int k = 0; k < CPS_MOST_TERMS; k++) {
        sum += term;
        if (j > at && term < 1e-18 * sum) return sum;
        term = (term + product) * (c->half / (j + 1 + c->by));
        product *= cps_product_ratio(c, j);
        j++;
    }
    return CPS_NAN;
}
/* The sum of the lower sides, or of the upper ones. */
CPS_HEAVY double cps_noncentral_sum(const cps_central *c, int lower)
{
    const double at = cps_largest_product(c), shape = c->a + at;
    const double front = c->b > 0 ? cps_beta_density(shape, c->b, c->x, c->y, 1) / shape : cps_gamma_front(shape, c->x);
    return cps_gamma_front(at + c->by, c->half) * front * (lower ? cps_sum_of_lower(c, at) : cps_sum_of_upper(c, at));
}
CPS_MATH int cps_is_below(const cps_central *c)
{
    return c->b > 0 ? c->x * c->b < c->y * (c->a + c->half) : c->x < c->a + c->half;
}
CPS_HEAVY cps_sides cps_noncentral_sides(double a, double b, double x, double y, double half)
{
    const cps_central c = {a, b, x, y, half, 0};
    if (half == 0) return b > 0 ? cps_beta_sides(a, b, x, y) : cps_gamma_sides(a, x);
    return cps_is_below(&c) ? cps_of_p(fmin(cps_noncentral_sum(&c, 1), 1))
                            : cps_of_q(fmin(cps_noncentral_sum(&c, 0), 1));
}
#define CPS_MOST_NONCENTRAL 1e9

CPS_MATH int cps_is_noncentral(double nc) { return nc >= 0 && nc <= CPS_MOST_NONCENTRAL; }
CPS_HEAVY cps_sides cps_chi_sides(double x, double df, double nc)
{
    if (!(df > 0 && df < CPS_INF && x >= 0 && cps_is_noncentral(nc))) return cps_sides_of(CPS_NAN, CPS_NAN);
    if (x == 0 || x == CPS_INF) return cps_sides_of(x > 0, x == 0);
    return cps_noncentral_sides(0.5 * df, 0, 0.5 * x, 0, 0.5 * nc);
}
CPS_HEAVY cps_sides cps_ncf_sides(double dfn, double dfd, double nc, double f)
{
    if (!(dfn > 0 && dfn < CPS_INF && dfd > 0 && dfd < CPS_INF && f >= 0 && cps_is_noncentral(nc)))
        return cps_sides_of(CPS_NAN, CPS_NAN);
    if (f == 0 || f == CPS_INF) return cps_sides_of(f > 0, f == 0);
    const double t = dfn / dfd * f;
    if (t == 0 || t > 1e300) return cps_sides_of(t > 0, t == 0);
    return cps_noncentral_sides(0.5 * dfn, 0.5 * dfd, t / (1 + t), 1 / (1 + t), 0.5 * nc);
}
/* The slope, by the logarithm of s, of x^a exp(-x) Phi(nc - s), x = (s / r)^2 / 2; it falls. */
CPS_MATH double cps_nct_slope(double a, double nc, double r, double s)
{
    const double w = s / r, d = (nc - s) * -0.70710678118654752440; /* phi / Phi is sqrt(2 / pi) / erfcx(d) */
    return 2 * a - w * w - s * (0.79788456080286535588 / cps_erfcx(d));
}
/* Student's upper side of t = r sqrt(df) > 0, relatively exact wherever it is: the integral of Phi(nc - r sqrt(v)) over
 * the density of v, chi squared with df degrees of freedom. In log(v) the trapezoidal rule converges exponentially. */
CPS_HEAVY double cps_nct_tail(double df, double nc, double t)
{
    const double a = 0.5 * df, r = t / sqrt(df), log_r = log(t) - 0.5 * log(df);
    double low = -800, high = 800;
    for (int i = 0; i < 60; i++) { /* the largest product */
        const double middle = 0.5 * (low + high);
        if (cps_nct_slope(a, nc, r, exp(middle)) > 0) low = middle;
        else high = middle;
    }
    const double top = 0.5 * (low + high), s = exp(top);
    const double bend = cps_nct_slope(a, nc, r, s * 0.999) - cps_nct_slope(a, nc, r, s * 1.001);
    const double h = fmin(0.12, 0.5 / sqrt(fmax(500 * bend, 1e-3)));
    const double by = 2 * a * h;
    double sum = 0, rest = 0;
    for (int side = 0; side < 2; side++) {
        for (int k = side; k < 200000; k++) {
            const double log_at = top + (side ? -k : k) * h, at = exp(log_at), w = at / r, x = 0.5 * w * w;
            const double front = x > 1e-290 ? cps_gamma_front(a, x) /* x^a exp(-x) / gamma(a + 1) */
                                            : exp(a * (2 * (log_at - log_r) - 0.69314718055994530942)) *
                                                  cps_rgamma(a + 1);
            const double term = front * cps_ndtr(nc - at);
            if (side && at < 1e-20 && x < 1e-20) { /* from here on they are powers of one number */
                rest = by > 1e-300 ? term * (by / -expm1(-by)) : term;
                break;
            }
            sum += term;
            if (!(term > 1e-18 * sum)) break;
        }
    }
    return fmin(by * sum + rest, 1);
}
/* Student's of t > 0: Phi(-nc) and half the sums of two chains of shapes, of weights with h^j and h^(j + 1/2), of which
 * the second is subtracted for nc < 0. */
CPS_HEAVY cps_sides cps_nct_right(double df, double nc, double t)
{
    const double r = t / sqrt(df), z = r * r;
    if (z > 1e290) return cps_of_q(cps_nct_tail(df, nc, t));
    const cps_central even = {0.5, 0.5 * df, z / (1 + z), 1 / (1 + z), 0.5 * nc * nc, 0};
    if (z < 1e-290) return cps_sides_of(cps_ndtr(-nc), cps_ndtr(nc));
    if (even.half == 0) {
        const cps_sides b = cps_beta_sides(0.5, even.b, even.x, even.y);
        return cps_sides_of(0.5 + 0.5 * b.p, 0.5 * b.q);
    }
    cps_central odd = even;
    odd.a = 1, odd.by = 0.5;
    const int lower = nc > 0 && cps_is_below(&even);
    const double first = cps_noncentral_sum(&even, lower), second = cps_noncentral_sum(&odd, lower);
    if (nc < 0 && !(first - second > 0.5 * first)) return cps_of_q(cps_nct_tail(df, nc, t));
    const double sum = 0.5 * (nc < 0 ? first - second : first + second);
    return lower ? cps_of_p(fmin(cps_ndtr(-nc) + sum, 1)) : cps_of_q(fmin(fmax(sum, 0), 1));
}
CPS_HEAVY cps_sides cps_nct_sides(double df, double nc, double t)
{
    if (!(df > 0 && fabs(nc) <= 4e4 && t == t)) return cps_sides_of(CPS_NAN, CPS_NAN);
    if (df > 1e40) return cps_sides_of(cps_ndtr(t - nc), cps_ndtr(nc - t)); /* as good as infinite */
    const cps_sides s = cps_nct_right(df, t < 0 ? -nc : nc, fabs(t));
    return t < 0 ? cps_sides_of(s.q, s.p) : s;
}
CPS_MATH double cps_nctdtr(double df, double nc, double t) { return cps_nct_sides(df, nc, t).p; }
CPS_MATH double cps_chndtr(double x, double df, double nc) { return cps_chi_sides(x, df, nc).p; }
CPS_MATH double cps_ncfdtr(double dfn, double dfd, double nc, double f) { return cps_ncf_sides(dfn, dfd, nc, f).p; }

/* --- inverses --- */
enum { CPS_CHI_X, CPS_CHI_DF, CPS_CHI_NC, CPS_NCF_DFN, CPS_NCF_DFD, CPS_NCF_NC, CPS_NCF_F, CPS_NCT_DF, CPS_NCT_NC,
       CPS_NCT_MINUS_NC, CPS_NCT_T, CPS_NCT_MINUS_T };
/* log of a side over the wanted one where parameter `which` is exp(log_s) and the others are u, v, w in their order. */
CPS_HEAVY double cps_noncentral_off(int which, double log_s, double u, double v, double w, double p)
{
    const double s = exp(log_s), q = 1 - p;
    const cps_sides found = which == CPS_CHI_X     ? cps_chi_sides(s, u, v)
                            : which == CPS_CHI_DF  ? cps_chi_sides(u, s, v)
                            : which == CPS_CHI_NC  ? cps_chi_sides(u, v, s)
                            : which == CPS_NCF_DFN ? cps_ncf_sides(s, u, v, w)
                            : which == CPS_NCF_DFD ? cps_ncf_sides(u, s, v, w)
                            : which == CPS_NCF_NC  ? cps_ncf_sides(u, v, s, w)
                            : which == CPS_NCF_F   ? cps_ncf_sides(u, v, w, s)
                            : which == CPS_NCT_DF  ? cps_nct_sides(s, u, v)
                            : which <= CPS_NCT_MINUS_NC ? cps_nct_sides(u, which == CPS_NCT_NC ? s : -s, v)
                                                        : cps_nct_sides(u, v, which == CPS_NCT_T ? s : -s);
    return p < q ? log(found.p / p) : -log(found.q / q);
}
/* The parameter for which the distribution is p; NaN where none between exp(low) and exp(high) is. By regula falsi in
 * its logarithm, as quantiles.h's. */
CPS_HEAVY double cps_noncentral_parameter(int which, double u, double v, double w, double p, double low, double high)
{
    if (!(p > 0 && p < 1)) return CPS_NAN;
    double f = cps_noncentral_off(which, low, u, v, w, p), g = cps_noncentral_off(which, high, u, v, w, p);
    if (f != f || g != g || !((f <= 0 && g >= 0) || (f >= 0 && g <= 0))) return CPS_NAN;
    for (int i = 0; i < 200; i++) {
        const double width = high - low, middle = low + 0.5 * width;
        double at = middle;
        if (fabs(f) < 1e300 && fabs(g) < 1e300 && i % 3 != 2 && f != g) at = low - f * (width / (g - f));
        if (!(at > low && at < high)) at = middle;
        if (width < 4e-16 * fmax(1, fabs(middle))) return exp(middle);
        const double h = cps_noncentral_off(which, at, u, v, w, p);
        if (h == 0) return exp(at);
        if ((h < 0) == (f < 0)) {
            low = at, f = h, g *= 0.5;
        } else {
            high = at, g = h, f *= 0.5;
        }
    }
    return exp(0.5 * (low + high));
}
CPS_MATH double cps_chndtrix(double p, double df, double nc)
{
    if (!(df > 0 && df < CPS_INF && cps_is_noncentral(nc))) return CPS_NAN;
    if (p == 0 || p == 1) return p == 0 ? 0 : CPS_INF;
    return cps_noncentral_parameter(CPS_CHI_X, df, nc, 0, p, -708, log(4 * (df + nc) + 2000));
}
CPS_MATH double cps_chndtridf(double x, double p, double nc)
{
    return cps_noncentral_parameter(CPS_CHI_DF, x, nc, 0, p, -34, 30);
}
CPS_MATH double cps_chndtrinc(double x, double df, double p)
{
    return cps_noncentral_parameter(CPS_CHI_NC, x, df, 0, p, -34, 18);
}
CPS_MATH double cps_ncfdtri(double dfn, double dfd, double nc, double p)
{
    if (!(dfn > 0 && dfn < CPS_INF && dfd > 0 && dfd < CPS_INF && cps_is_noncentral(nc))) return CPS_NAN;
    if (p == 0 || p == 1) return p == 0 ? 0 : CPS_INF;
    return cps_noncentral_parameter(CPS_NCF_F, dfn, dfd, nc, p, -650, 650);
}
CPS_MATH double cps_ncfdtridfd(double dfn, double p, double nc, double f)
{
    return cps_noncentral_parameter(CPS_NCF_DFD, dfn, nc, f, p, -34, 30);
}
CPS_MATH double cps_ncfdtridfn(double p, double dfd, double nc, double f)
{
    return cps_noncentral_parameter(CPS_NCF_DFN, dfd, nc, f, p, -34, 30);
}
CPS_MATH double cps_ncfdtrinc(double dfn, double dfd, double p, double f)
{
    return cps_noncentral_parameter(CPS_NCF_NC, dfn, dfd, f, p, -34, 18);
}

CPS_MATH double cps_nctdtrit(double df, double nc, double p)
{
    if (!(df > 0 && df < CPS_INF && fabs(nc) <= 4e4)) return CPS_NAN;
    if (p == 0 || p == 1) return p == 0 ? -CPS_INF : CPS_INF;
    const double origin = cps_ndtr(-nc);
    if (p == origin) return 0;
    double size = cps_noncentral_parameter(p > origin ? CPS_NCT_T : CPS_NCT_MINUS_T, df, nc, 0, p, -330, 709);
    if (size != size && p > 0 && p < 1) size = CPS_INF; /* beyond the largest number */
    return p > origin ? size : -size;
}
CPS_MATH double cps_nctdtridf(double p, double nc, double t)
{
    return cps_noncentral_parameter(CPS_NCT_DF, nc, t, 0, p, -34, 30);
}
CPS_MATH double cps_nctdtrinc(double df, double p, double t)
{
    const double central = cps_nct_sides(df, 0, t).p;
    if (p == central) return 0;
    const double size = cps_noncentral_parameter(p < central ? CPS_NCT_NC : CPS_NCT_MINUS_NC, df, t, 0, p, -40, 10.5);
    return p < central ? size : -size;
}

#endif
