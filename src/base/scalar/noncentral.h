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

/* Both sides, with the derivatives of the lower one by the logarithm of x, or of x / y, or of t. */
typedef struct cps_grown { double p, q, slope, bend; } cps_grown;
CPS_MATH cps_grown cps_grown_of(double p, double q, double slope, double bend)
{
    cps_grown g;
    g.p = p, g.q = q, g.slope = slope, g.bend = bend;
    return g;
}
/* A probability that roundings took above 1; NaN stays. */
CPS_MATH double cps_to_1(double p) { return p > 1 ? 1 : p; }
/* t[j + 1] / t[j] */
CPS_MATH double cps_front_ratio(const cps_central *c, double j)
{
    const double a = c->a + j;
    return c->b > 0 ? c->x * ((a + c->b) / (a + 1)) : c->x / (a + 1);
}
/* The j of the largest product of weight and front. */
CPS_MATH double cps_largest_product(const cps_central *c)
{
    const double n = c->b > 0 ? c->half * c->x * (c->a + c->b) : c->half * c->x;
    const double m = c->b > 0 ? c->a - c->half * c->x : c->a, root = sqrt(m * m + 4 * n);
    return floor(m > 0 ? 2 * n / (m + root) : 0.5 * (root - m));
}
CPS_MATH double cps_front_of(const cps_central *c, double j)
{
    const double a = c->a + j;
    return c->b > 0 ? cps_beta_density(a, c->b, c->x, c->y, 1) / a : cps_gamma_front(a, c->x);
}
/* The lower side of shape c->a + j over its front: 1 + r[j] + r[j] r[j+1] + ..., to an error below 10^-17 / scale of
 * it, where that converges fast. */
CPS_HEAVY double cps_lower_over_front(const cps_central *c, double j, double scale)
{
    if (c->a + j > 300 || (c->b > 0 && c->x > 0.6)) {
        const double a = c->a + j, front = cps_front_of(c, j);
        if (front > 1e-290)
            return (c->b > 0 ? cps_beta_sides(a, c->b, c->x, c->y) : cps_gamma_sides(a, c->x)).p / front;
    }
    double term = 1, sum = 1;
    for (int k = 0; k < 100000; k++) {
        term *= cps_front_ratio(c, j + k);
        sum += term;
        if (term * scale < 1e-17 * sum) break;
    }
    return sum;
}
/* The upper side over the front */
CPS_HEAVY double cps_upper_over_front(const cps_central *c, double j)
{
    const double a = c->a + j, front = cps_front_of(c, j);
    if (c->b > 0 && a == 1) return 1 / (c->b * c->x);
    return front > 0 ? (c->b > 0 ? cps_beta_sides(a, c->b, c->x, c->y) : cps_gamma_sides(a, c->x)).q / front : 0;
}
#define CPS_MOST_TERMS 2000000
/* Over the product of weight and front of one j: the sum of all times their side over the front, and those times the
 * shape and its square, from which derivatives follow: that of a side is the front times the shape. */
typedef struct cps_chain { double side, once, twice; } cps_chain;
/* Of lower sides; `at` is the j of the largest product, `from` that of the one by which all are divided, 0 or `at`. A
 * quotient takes longer than all else of a step, so there is one in each. */
CPS_MATH cps_chain cps_sum_of_lower(const cps_central *c, double at, double from)
{
    const int beta = c->b > 0;
    double j = from, product = 1, most = 1, fronts = 1;
    for (int k = 0; k < CPS_MOST_TERMS; k++, j++) {
        const double a = c->a + j, i = j + 1 + c->by, r = 1 / (i * (a + 1)), x = c->x * (beta ? a + c->b : 1);
        const double front = x * (i * r), next = product * (c->half * x * r);
        if (j >= at && !(next > 1e-18 * most)) break;
        product = next;
        most = next > most ? next : most;
        fronts = j < at ? 1 : fronts * front;
    }
    const double over = 1 / (c->half * c->x);
    cps_chain s = {0, 0, 0};
    double side = cps_lower_over_front(c, j, fmin(fronts, 1)); /* its error is as much smaller where it counts */
    for (int k = 0; k < CPS_MOST_TERMS; k++) {
        const double a = c->a + j, term = product * side, part = product * a;
        s.side += term, s.once += part, s.twice += part * a;
        if (j == 0 || (j < at && term < 1e-18 * s.side)) return s;
        const double m = beta ? a - 1 + c->b : 1, r = 1 / (a * m); /* to the shape a - 1 */
        side = 1 + c->x * (beta ? m * (m * r) : r) * side;
        product *= (j + c->by) * over * (beta ? a * (a * r) : a);
        j--;
    }
    s.side = CPS_NAN;
    return s;
}
/* The same of upper sides. */
CPS_MATH cps_chain cps_sum_of_upper(const cps_central *c, double at, double from)
{
    const int beta = c->b > 0;
    const double over = 1 / (c->half * c->x);
    double j = from, product = 1;
    for (int k = 0; k < CPS_MOST_TERMS && j > 0; k++, j--) {
        const double a = c->a + j, next = product * ((j + c->by) * over * (beta ? a / (a - 1 + c->b) : a));
        if (!(next > 1e-18)) break;
        product = next;
    }
    double term = product * cps_upper_over_front(c, j);
    cps_chain s = {0, 0, 0};
    for (int k = 0; k < CPS_MOST_TERMS; k++) {
        const double a = c->a + j, part = product * a;
        s.side += term, s.once += part, s.twice += part * a;
        if (j > at && term < 1e-18 * s.side) return s;
        const double i = j + 1 + c->by, r = 1 / (i * (a + 1)), weight = c->half * ((a + 1) * r);
        term = (term + product) * weight;
        product *= weight * (c->x * (beta ? a + c->b : 1) * (i * r));
        j++;
    }
    s.side = CPS_NAN;
    return s;
}
/* The sum of the lower sides, or of the upper ones, and the derivatives of the lower ones. */
CPS_HEAVY cps_grown cps_noncentral_sum(const cps_central *c, int lower)
{
    const double at = cps_largest_product(c);
    double from = at < 12 && c->half < 30 ? 0 : at, factor = 0;
    if (from == 0)
        factor = exp(-c->half) * (c->by > 0 ? 2 / CPS_SQRT_PI * sqrt(c->half) : 1) * cps_front_of(c, 0);
    if (factor < 1e-280)
        from = at, factor = cps_gamma_front(at + c->by, c->half) * cps_front_of(c, at);
    const cps_chain s = lower ? cps_sum_of_lower(c, at, from) : cps_sum_of_upper(c, at, from);
    const double bend = c->b > 0 ? c->y * s.twice - c->b * c->x * s.once : s.twice - c->x * s.once;
    return cps_grown_of(factor * s.side, factor * s.side, factor * s.once, factor * bend);
}
CPS_MATH int cps_is_below(const cps_central *c)
{
    return c->b > 0 ? c->x * c->b < c->y * (c->a + c->half) : c->x < c->a + c->half;
}
CPS_HEAVY cps_grown cps_noncentral_sides(double a, double b, double x, double y, double half)
{
    const cps_central c = {a, b, x, y, half, 0};
    if (half * x == 0) {
        const cps_sides s = b > 0 ? cps_beta_sides(a, b, x, y) : cps_gamma_sides(a, x);
        const double slope = b > 0 ? cps_beta_density(a, b, x, y, 1) : a * cps_gamma_front(a, x);
        return cps_grown_of(s.p, s.q, slope, slope * (b > 0 ? a * y - b * x : a - x));
    }
    const int lower = cps_is_below(&c);
    cps_grown s = cps_noncentral_sum(&c, lower);
    s.p = cps_to_1(s.p);
    s.q = 1 - s.p;
    return lower ? s : cps_grown_of(s.q, s.p, s.slope, s.bend);
}
#define CPS_MOST_NONCENTRAL 1e9

CPS_MATH int cps_is_noncentral(double nc) { return nc >= 0 && nc <= CPS_MOST_NONCENTRAL; }
CPS_HEAVY cps_grown cps_chi_sides(double x, double df, double nc)
{
    if (!(df > 0 && df < CPS_INF && x >= 0 && cps_is_noncentral(nc)))
        return cps_grown_of(CPS_NAN, CPS_NAN, CPS_NAN, CPS_NAN);
    if (x == 0 || x == CPS_INF) return cps_grown_of(x > 0, x == 0, 0, 0);
    return cps_noncentral_sides(0.5 * df, 0, 0.5 * x, 0, 0.5 * nc);
}
CPS_HEAVY cps_grown cps_ncf_sides(double dfn, double dfd, double nc, double f)
{
    if (!(dfn > 0 && dfn < CPS_INF && dfd > 0 && dfd < CPS_INF && f >= 0 && cps_is_noncentral(nc)))
        return cps_grown_of(CPS_NAN, CPS_NAN, CPS_NAN, CPS_NAN);
    if (f == 0 || f == CPS_INF) return cps_grown_of(f > 0, f == 0, 0, 0);
    const double t = dfn / dfd * f;
    if (t == 0 || t > 1e300) return cps_grown_of(t > 0, t == 0, 0, 0);
    return cps_noncentral_sides(0.5 * dfn, 0.5 * dfd, t / (1 + t), 1 / (1 + t), 0.5 * nc);
}
/* phi(d) / Phi(-d) */
CPS_MATH double cps_hazard(double d)
{
    return 0.79788456080286535588 / cps_erfcx(0.70710678118654752440 * d);
}
/* Near the s of the largest x^a exp(-x) Phi(nc - s), x = (s / r)^2 / 2; *curve is minus the second derivative of its
 * logarithm by that of s. By Newton's method, from where Phi is as that of a normal density or 1. */
CPS_HEAVY double cps_nct_top(double a, double nc, double r, double *curve)
{
    const double k = 1 / r / r + 1, root = sqrt(nc * nc + 8 * a * k);
    double s = nc > 0 ? (nc + root) / (2 * k) : 4 * a / (root - nc), low = 0, high = CPS_INF;
    for (int i = 0; i < 60; i++) {
        const double w = s / r, d = s - nc, ratio = cps_hazard(d);
        const double slope = 2 * a - w * w - s * ratio, turned = 2 * w * w + s * ratio * (1 + s * (ratio - d));
        *curve = turned;
        if (slope > 0) low = s;
        else high = s;
        const double step = slope / turned;
        if (fabs(step) * sqrt(turned) < 0.05 || !(fabs(step) < CPS_INF)) break;
        const double next = s * exp(fmax(fmin(step, 3), -3));
        s = next > low && next < high ? next : high == CPS_INF ? 20 * s : low == 0 ? 0.05 * s : sqrt(low) * sqrt(high);
    }
    return fmax(s, 1e-12 * fmin(r, 1)); /* left of this it is a power of s */
}
/* Student's upper side of t = r sqrt(df) > 0, relatively exact wherever it is: the integral of Phi(nc - r sqrt(v)) over
 * the density of v, chi squared with df degrees of freedom. In log(v) the trapezoidal rule converges exponentially; the
 * exponents are differences from the largest product, of which no part cancels. */
CPS_HEAVY cps_grown cps_nct_tail(double df, double nc, double t)
{
    const double a = 0.5 * df, r = t / sqrt(df);
    double curve;
    const double s = cps_nct_top(a, nc, r, &curve), w = s / r, x = 0.5 * w * w;
    const double front = x > 1e-290 ? cps_gamma_front(a, x) /* x^a exp(-x) / gamma(a + 1) */
                                    : exp(a * (2 * log(s) - (2 * log(t) - log(df)) - 0.69314718055994530942)) *
                                          cps_rgamma(a + 1);
    const double near = fmax(s - nc, 0), normal = cps_exp_square(near, 0.5), off = (s - nc) - near;
    /* so that the rule's error is below 10^-16 for every a, and where Phi falls, near nc */
    const double h = 0.7 / sqrt(curve + 34 + (nc > 0 ? nc * nc : 0)), by = 2 * a * h;
    double sum = 0, once = 0, twice = 0, rest = 0;
    for (int side = 0; side < 2; side++) {
        const double one = side ? -h : h, grown = expm1(one), twice_grown = grown * (2 + grown);
        const double first = twice_grown - 2 * one;
        const double bent = fabs(h) > 0.01 ? first : 2 * h * h * (1 + 2 * one / 3 * (1 + 0.5 * one * (1 + 0.4 * one)));
        double g = 1, m = 0, b = 0; /* exp(k h), that less 1, exp(2 k h) - 1 - 2 k h */
        for (int k = 0; k < 200000; k++) {
            const double more = s * m + off, d = near + more, lost = 0.5 * more * (more + 2 * near);
            const double e = exp((a - x) * (2 * k * one) - x * b - lost), at = s * g;
            const double half = 0.5 * normal * e * cps_erfcx_positive(0.70710678118654752440 * fabs(d));
            const double term = d >= 0 ? half : exp((a - x) * (2 * k * one) - x * b) - half;
            const double part = normal * e * 0.39894228040143267794 * at;
            const int take = !side || k > 0;
            if (take) sum += term, once += part, twice += part * (1 - at * d);
            if (side && at < 1e-20 && x * g * g < 1e-20) { /* from here on they are powers of one number */
                rest = by > 1e-300 ? term * (by / -expm1(-by) - by) : term;
                break;
            }
            if (!(term > 1e-18 * sum)) break;
            b += m * (2 + m) * twice_grown + bent;
            m += grown * (1 + m);
            g += grown * g;
        }
    }
    const double q = cps_to_1(front * (by * sum + rest));
    return cps_grown_of(1 - q, q, front * by * once, front * by * twice);
}
/* Student's of t > 0: Phi(-nc) and half the sums of two chains of shapes, of weights with h^j and h^(j + 1/2), of which
 * the second is subtracted for nc < 0. */
CPS_HEAVY cps_grown cps_nct_right(double df, double nc, double t)
{
    const double r = t / sqrt(df), z = r * r;
    if (z < 1e-290) return cps_grown_of(cps_ndtr(-nc), cps_ndtr(nc), 0, 0);
    if (z > 1e290 || nc < -1.65) return cps_nct_tail(df, nc, t); /* the chains would cancel */
    const cps_central even = {0.5, 0.5 * df, z / (1 + z), 1 / (1 + z), 0.5 * nc * nc, 0};
    if (even.half == 0) {
        const cps_grown s = cps_noncentral_sides(0.5, even.b, even.x, even.y, 0);
        return cps_grown_of(0.5 + 0.5 * s.p, 0.5 * s.q, s.slope, 2 * s.bend);
    }
    cps_central odd = even;
    odd.a = 1, odd.by = 0.5;
    const int lower = nc > 0 && cps_is_below(&even);
    const cps_grown first = cps_noncentral_sum(&even, lower), second = cps_noncentral_sum(&odd, lower);
    if (nc < 0 && !(first.p - second.p > 0.1 * first.p)) return cps_nct_tail(df, nc, t);
    const double sign = nc < 0 ? -1 : 1, sum = 0.5 * (first.p + sign * second.p);
    const double least = cps_to_1(lower ? cps_ndtr(-nc) + sum : sum);
    return cps_grown_of(lower ? least : 1 - least, lower ? 1 - least : least, first.slope + sign * second.slope,
                        2 * (first.bend + sign * second.bend));
}
CPS_HEAVY cps_sides cps_nct_sides(double df, double nc, double t)
{
    if (!(df > 0 && fabs(nc) <= 4e4 && t == t)) return cps_sides_of(CPS_NAN, CPS_NAN);
    if (df > 1e40) return cps_sides_of(cps_ndtr(t - nc), cps_ndtr(nc - t)); /* as good as infinite */
    const cps_grown s = cps_nct_right(df, t < 0 ? -nc : nc, fabs(t));
    return t < 0 ? cps_sides_of(s.q, s.p) : cps_sides_of(s.p, s.q);
}
CPS_MATH double cps_nctdtr(double df, double nc, double t) { return cps_nct_sides(df, nc, t).p; }
/* Chi squared's lower side over the product of the first weight and front, in one pass: the sum over j of weights times
 * lower sides, which are sums of fronts from j on, is that of fronts times the sum of the weights up to theirs. */
CPS_MATH double cps_chi_lower(double a, double x, double half)
{
    double front = 1, weight = 1, grown = 1, sum = 1, term = 1;
    for (double k = 1; k < 10000; k++) {
        const double b = a + k, r = 1 / (b * k);
        front *= x * (k * r);
        weight *= half * (b * r);
        grown += weight;
        const double next = front * grown;
        sum += next;
        if (next < 1e-18 * sum && next < 0.5 * term) break;
        term = next;
    }
    return sum;
}
/* Above the mean it is 1 less the upper side. */
CPS_HEAVY double cps_chndtr(double x, double df, double nc)
{
    if (df > 0 && df < CPS_INF && x > 0 && x < 200 && nc > 0 && nc < 200 && x < df + nc) {
        const double factor = exp(-0.5 * nc) * cps_gamma_front(0.5 * df, 0.5 * x);
        if (factor > 1e-280) return cps_to_1(factor * cps_chi_lower(0.5 * df, 0.5 * x, 0.5 * nc));
    }
    return cps_chi_sides(x, df, nc).p;
}
CPS_MATH double cps_ncfdtr(double dfn, double dfd, double nc, double f) { return cps_ncf_sides(dfn, dfd, nc, f).p; }

/* --- inverses --- */
/* In the last argument, for t in its size on the side of its sign. */
enum { CPS_CHI, CPS_NCF, CPS_NCT };
/* The x for which the sides are p and q, of which one is exact, from a guess on: by Halley's method for the logarithm
 * of the smaller side in that of x, in which both are close to straight lines far out. */
CPS_HEAVY double cps_noncentral_quantile(int which, double u, double v, double w, double p, double q, double x)
{
    double low = 0, high = CPS_INF;
    x = fmin(fmax(x, 1e-290), 1e290);
    for (int i = 0; i < 200; i++) {
        const cps_grown s = which == CPS_CHI   ? cps_chi_sides(x, u, v)
                            : which == CPS_NCF ? cps_ncf_sides(u, v, w, x)
                                               : cps_nct_right(u, v, x);
        const double side = p < q ? s.p : s.q, far = p < q ? log(s.p / p) : -log(s.q / q);
        if (far != far) return CPS_NAN;
        if (far > 0) high = x;
        else low = x;
        const double slope = s.slope / side, turn = s.bend / s.slope + (p < q ? -slope : slope);
        const double newton = -far / slope, step = newton / fmin(fmax(1 + 0.5 * newton * turn, 0.5), 4);
        if (fabs(step) * (slope + fabs(turn)) < 1e-5 && fabs(step) < 1e-5) /* the next one is below rounding errors */
            return x + x * expm1(step);
        double next = x * exp(fmin(fmax(step, -20), 20));
        if (!(next > low && next < high))
            next = high == CPS_INF ? 100 * x : low == 0 ? 0.01 * x : sqrt(low) * sqrt(high);
        if (next == x || !(next > 0 && next < CPS_INF)) return next;
        x = next;
    }
    return x;
}
/* The other parameters */
enum { CPS_CHI_DF, CPS_CHI_NC, CPS_NCF_DFN, CPS_NCF_DFD, CPS_NCF_NC, CPS_NCT_DF, CPS_NCT_NC, CPS_NCT_MINUS_NC };
/* log of a side over the wanted one where parameter `which` is exp(log_s) and the others are u, v, w in their order. */
CPS_HEAVY double cps_noncentral_off(int which, double log_s, double u, double v, double w, double p)
{
    const double s = exp(log_s), q = 1 - p;
    cps_sides found;
    if (which >= CPS_NCT_DF)
        found = which == CPS_NCT_DF ? cps_nct_sides(s, u, v) : cps_nct_sides(u, which == CPS_NCT_NC ? s : -s, v);
    else {
        const cps_grown g = which == CPS_CHI_DF    ? cps_chi_sides(u, s, v)
                            : which == CPS_CHI_NC  ? cps_chi_sides(u, v, s)
                            : which == CPS_NCF_DFN ? cps_ncf_sides(s, u, v, w)
                            : which == CPS_NCF_DFD ? cps_ncf_sides(u, s, v, w)
                                                   : cps_ncf_sides(u, v, s, w);
        found = cps_sides_of(g.p, g.q);
    }
    return p < q ? log(found.p / p) : -log(found.q / q);
}
/* The parameter for which the distribution is p; NaN where none between exp(low) and exp(high) is. It is enclosed from
 * below, as large ones take long. Then by Chandrupatla's method ("A new hybrid quadratic/bisection algorithm", 1997) in
 * its logarithm: inverse quadratic interpolation, where three values lie so that it can be trusted, else bisection. */
CPS_HEAVY double cps_noncentral_parameter(int which, double u, double v, double w, double p, double low, double high)
{
    if (!(p > 0 && p < 1)) return CPS_NAN;
    double a = low, b = low, f = cps_noncentral_off(which, low, u, v, w, p), g = f;
    while (a < high && ((f < 0 && g < 0) || (f > 0 && g > 0))) {
        b = a, g = f;
        a = fmin(a < 2 ? 2 : a + 3, high);
        f = cps_noncentral_off(which, a, u, v, w, p);
    }
    if (f != f || g != g || (f < 0 && g < 0) || (f > 0 && g > 0)) return CPS_NAN;
    double c = b, h = g, part = 0.5; /* the root lies between a, the newest, and b; c was before */
    for (int i = 0; i < 200; i++) {
        const double at = a + part * (b - a), k = cps_noncentral_off(which, at, u, v, w, p);
        if (k != k) return CPS_NAN;
        if ((k > 0) == (f > 0)) c = a, h = f;
        else c = b, b = a, h = g, g = f;
        a = at, f = k;
        const double best = fabs(f) < fabs(g) ? a : b, least = 2e-16 * fmax(1, fabs(best)) / fabs(b - a);
        if (f == 0 || least > 0.5) return exp(best);
        const double x = (a - b) / (c - b), y = (f - g) / (h - g);
        part = 0.5;
        if (fabs(f) < 1e300 && fabs(g) < 1e300 && fabs(h) < 1e300 && y * y < x && (1 - y) * (1 - y) < 1 - x)
            part = f / (g - f) * (h / (g - h)) + (c - a) / (b - a) * (f / (h - f)) * (g / (h - g));
        part = fmin(fmax(part, least), 1 - least);
    }
    return exp(a);
}
/* The sides as a normal quantile */
CPS_MATH double cps_normal_of(double p, double q) { return p < q ? cps_ndtri(p) : -cps_ndtri(q); }
/* By a power that is nearly normal (Sankaran 1963), or by the first term of the power series. */
CPS_HEAVY double cps_chi_guess(double df, double nc, double p, double q)
{
    const double n = df + nc, f = df + 2 * nc, h = 1 - 2 * (n / f) * ((df + 3 * nc) / f) / 3, s = f / n / n;
    const double m = (h - 1) * (1 - 3 * h), z = cps_normal_of(p, q);
    const double base = 1 + h * s * (h - 1 - 0.5 * (2 - h) * m * s) + z * h * sqrt(2 * s) * (1 + 0.5 * m * s);
    if (base > 0.25) return n * pow(base, 1 / h);
    return fmin(2 * exp((log(p) + 0.5 * nc + cps_gammaln(0.5 * df + 1)) / (0.5 * df)), 0.3 * n);
}
/* Of F: by that of chi squared variates' cube roots (Paulson 1942), of which the first has one moment more, or by the
 * first terms of the power series at both ends. */
CPS_HEAVY double cps_ncf_guess(double dfn, double dfd, double nc, double p, double q)
{
    const double n = dfn + nc, z = cps_normal_of(p, q), d = 2 / (9 * dfd), e = 2 / (9 * n) * ((dfn + 2 * nc) / n);
    const double a = 1 - d, b = 1 - e, under = a * a - z * z * d, inside = a * a * e + b * b * d - z * z * d * e;
    const double w = (a * b + z * sqrt(fmax(inside, 0))) / under;
    if (under > 0.05 && inside > 0 && w > 0.2) return n / dfn * (w * w * w);
    const double k = 0.5 * dfn, l = 0.5 * dfd, half = 0.5 * nc;
    if (p < q) return dfd / dfn * fmin(exp((log(p) + half + log(k) + cps_betaln_positive(k, l)) / k), n / dfd);
    return dfd / dfn * fmax(exp(-(log(q) + log(l) + cps_betaln_positive(k + half, l)) / l), n / dfd);
}
/* Of Student's t > 0 (Johnson and Welch 1940), or by the density at 0, or by the power of the tail. */
CPS_HEAVY double cps_nct_guess(double df, double nc, double p, double q)
{
    const double z = cps_normal_of(p, q), g = 1 - 1 / (4 * df + 1), w = 0.5 / df;
    const double under = g * g - z * z * w, inside = g * g + (nc * nc - z * z) * w;
    const double t = (nc * g + z * sqrt(fmax(inside, 0))) / under;
    const double from = p < q ? p - cps_ndtr(-nc) : cps_ndtr(nc) - q; /* beyond the value at 0 */
    const double near = from * CPS_SQRT_2PI * exp(0.5 * nc * nc);
    if (near < 0.3) return near;
    if (under > 0.1 * g * g && inside > 0 && t > 0.3) return t;
    return fmax(near < 1 ? near : 1, sqrt(df) * exp(-log(2 * q) / df) * (1 + fmax(nc, 0)));
}
CPS_MATH double cps_chndtrix(double p, double df, double nc)
{
    if (!(df > 0 && df < CPS_INF && cps_is_noncentral(nc))) return CPS_NAN;
    if (p == 0 || p == 1) return p == 0 ? 0 : CPS_INF;
    if (!(p > 0 && p < 1)) return CPS_NAN;
    return cps_noncentral_quantile(CPS_CHI, df, nc, 0, p, 1 - p, cps_chi_guess(df, nc, p, 1 - p));
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
    if (!(p > 0 && p < 1)) return CPS_NAN;
    return cps_noncentral_quantile(CPS_NCF, dfn, dfd, nc, p, 1 - p, cps_ncf_guess(dfn, dfd, nc, p, 1 - p));
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
    if (!(p > 0 && p < 1)) return CPS_NAN;
    const double origin = cps_ndtr(-nc);
    if (p == origin) return 0;
    if (df > 1e40) return nc + cps_ndtri(p);
    if (p > origin) return cps_noncentral_quantile(CPS_NCT, df, nc, 0, p, 1 - p, cps_nct_guess(df, nc, p, 1 - p));
    return -cps_noncentral_quantile(CPS_NCT, df, -nc, 0, 1 - p, p, cps_nct_guess(df, -nc, 1 - p, p));
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
