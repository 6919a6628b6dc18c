/* The chapter of inverses: parameters of distributions, Student's and Kolmogorov's quantiles, Owen's T function.
 *
 * A parameter that no closed formula gives is found between brackets, in its logarithm, by regula falsi that halves the
 * end that stays (Illinois), of the logarithm of the smaller side over the wanted one. */
#ifndef CPS_QUANTILES_H
#define CPS_QUANTILES_H

#include "scalar/distributions.h"

/* Which parameter s is: of gammainc's shape; of betainc's a or b; both of a binomial's count; the second degrees of
 * freedom of F; Student's. */
enum { CPS_SHAPE, CPS_BETA_A, CPS_BETA_B, CPS_COUNT, CPS_SECOND, CPS_STUDENT };
CPS_HEAVY cps_sides cps_sides_at(int which, double s, double u, double v)
{
    switch (which) {
    case CPS_SHAPE: return cps_gamma_sides(s, u);
    case CPS_BETA_A: return cps_beta_sides(s, u, v, 1 - v);
    case CPS_BETA_B: return cps_beta_sides(u, s, v, 1 - v);
    case CPS_COUNT: return cps_beta_sides(fmax(u + 1 - s, 0), s, 1 - v, v); /* of k = s - 1 */
    case CPS_SECOND: return cps_f_sides(u, s, v);
    default: {
        const double t = v * v / s;
        const cps_sides b = cps_beta_sides(0.5, 0.5 * s, t / (1 + t), 1 / (1 + t));
        return cps_sides_of(v < 0 ? 0.5 * b.q : 0.5 + 0.5 * b.p, v < 0 ? 0.5 + 0.5 * b.p : 0.5 * b.q);
    }
    }
}
/* log of a side over the wanted one: 0 at the solution, with the sign of a function that grows or falls with s. */
CPS_MATH double cps_off(int which, double log_s, double u, double v, double p, double q)
{
    const cps_sides s = cps_sides_at(which, exp(log_s), u, v);
    return p < q ? log(s.p / p) : -log(s.q / q);
}
/* s between exp(low) and exp(high) for which the lower side is p; NaN where there is none. */
CPS_HEAVY double cps_parameter(int which, double u, double v, double p, double q, double low, double high)
{
    double f = cps_off(which, low, u, v, p, q), g = cps_off(which, high, u, v, p, q);
    if (f != f || g != g || !((f <= 0 && g >= 0) || (f >= 0 && g <= 0))) return CPS_NAN;
    for (int i = 0; i < 200; i++) {
        const double width = high - low, middle = low + 0.5 * width;
        double at = middle;
        if (fabs(f) < 1e300 && fabs(g) < 1e300 && i % 3 != 2 && f != g) at = low - f * (width / (g - f));
        if (!(at > low && at < high)) at = middle;
        if (width < 4e-16 * fmax(1, fabs(middle))) return exp(middle);
        const double h = cps_off(which, at, u, v, p, q);
        if (h == 0) return exp(at);
        if ((h < 0) == (f < 0)) {
            low = at, f = h, g *= 0.5;
        } else {
            high = at, g = h, f *= 0.5;
        }
    }
    return exp(0.5 * (low + high));
}
CPS_MATH int cps_is_probability(double p) { return p > 0 && p < 1; }
#define CPS_LEAST (-34)
#define CPS_GREATEST 46

CPS_MATH double cps_gdtrib_of(double x, double p) /* b of gammainc(b, x) = p */
{
    if (!(x >= 0 && p >= 0 && p <= 1)) return CPS_NAN;
    if (x == 0) return CPS_NAN;
    if (p == 0) return CPS_INF;
    if (p == 1) return 0;
    return cps_parameter(CPS_SHAPE, x, 0, p, 1 - p, CPS_LEAST, CPS_GREATEST);
}
CPS_MATH double cps_gdtrib(double a, double p, double x) { return cps_gdtrib_of(a * x, p); }
CPS_MATH double cps_chdtriv(double p, double x) { return 2 * cps_gdtrib_of(0.5 * x, p); }
CPS_MATH double cps_gdtria(double p, double b, double x) { return cps_gammaincinv(b, p) / x; }
CPS_MATH double cps_gdtrix(double a, double b, double p) { return cps_gammaincinv(b, p) / a; }
CPS_MATH double cps_btdtria(double p, double b, double x)
{
    if (!(cps_is_probability(p) && b > 0 && x > 0 && x < 1)) return CPS_NAN;
    return cps_parameter(CPS_BETA_A, b, x, p, 1 - p, CPS_LEAST, CPS_GREATEST);
}
CPS_MATH double cps_btdtrib(double a, double p, double x)
{
    if (!(cps_is_probability(p) && a > 0 && x > 0 && x < 1)) return CPS_NAN;
    return cps_parameter(CPS_BETA_B, a, x, p, 1 - p, CPS_LEAST, CPS_GREATEST);
}
/* Counts below 0 are 0. */
CPS_MATH double cps_pdtrik(double p, double m)
{
    if (!(p >= 0 && p < 1 && m >= 0)) return CPS_NAN;
    if (p <= exp(-m)) return 0;
    return cps_parameter(CPS_SHAPE, m, 0, 1 - p, p, 0, CPS_GREATEST) - 1;
}
CPS_MATH double cps_bdtrik(double y, double n, double p)
{
    if (!(y >= 0 && y <= 1 && n > 0 && p > 0 && p < 1)) return CPS_NAN;
    if (y == 1) return n;
    if (y <= pow(1 - p, n)) return 0;
    return cps_parameter(CPS_COUNT, n, p, y, 1 - y, 0, log(n + 1)) - 1;
}
CPS_MATH double cps_bdtrin(double k, double y, double p)
{
    if (!(cps_is_probability(y) && k >= 0 && p > 0 && p < 1)) return CPS_NAN;
    return k + cps_parameter(CPS_BETA_A, k + 1, 1 - p, y, 1 - y, CPS_LEAST, CPS_GREATEST);
}
CPS_MATH double cps_nbdtrik(double y, double n, double p)
{
    if (!(y >= 0 && y < 1 && n > 0 && p > 0 && p < 1)) return CPS_NAN;
    if (y <= pow(p, n)) return 0;
    return cps_parameter(CPS_BETA_B, n, p, y, 1 - y, 0, CPS_GREATEST) - 1;
}
CPS_MATH double cps_nbdtrin(double k, double y, double p)
{
    if (!(cps_is_probability(y) && k >= 0 && p > 0 && p < 1)) return CPS_NAN;
    return cps_parameter(CPS_BETA_A, k + 1, p, y, 1 - y, CPS_LEAST, CPS_GREATEST);
}
CPS_MATH double cps_fdtridfd(double a, double p, double x)
{
    if (!(cps_is_probability(p) && a > 0 && x > 0)) return CPS_NAN;
    return cps_parameter(CPS_SECOND, a, x, p, 1 - p, -23, 25);
}
CPS_MATH double cps_stdtridf(double p, double t)
{
    if (!(cps_is_probability(p)) || t != t) return CPS_NAN;
    return cps_parameter(CPS_STUDENT, 0, t, p, 1 - p, -23, 25);
}
CPS_HEAVY double cps_stdtrit(double v, double p)
{
    if (!(v > 0 && p >= 0 && p <= 1)) return CPS_NAN;
    if (v > 1e20) return cps_ndtri(p); /* see cps_stdtr */
    if (p == 0 || p == 1) return p == 0 ? -CPS_INF : CPS_INF;
    const double side = p < 0.5 ? -1 : 1, tail = p < 0.5 ? p : 1 - p;
    if (p == 0.5) return 0;
    const cps_sides s = cps_beta_inverse(0.5, 0.5 * v, 1 - 2 * tail, 2 * tail);
    return side * sqrt(v) * sqrt(s.p / s.q);
}
CPS_MATH double cps_nrdtrimn(double p, double sd, double x)
{
    return cps_is_probability(p) && sd > 0 ? x - sd * cps_ndtri(p) : CPS_NAN;
}
CPS_MATH double cps_nrdtrisd(double mean, double p, double x)
{
    return cps_is_probability(p) ? (x - mean) / cps_ndtri(p) : CPS_NAN;
}

/* Kolmogorov's distribution: the probability above, and the density. */
CPS_HEAVY double cps_kolmogorov(double x)
{
    if (x != x) return x;
    if (x < 0.04) return 1;
    double sum = 0;
    if (x < 0.75) { /* 1 - sqrt(2 pi) / x sum of exp(-(2k - 1)^2 pi^2 / (8 x^2)) */
        const double e = CPS_PI * CPS_PI / 8 / (x * x);
        for (int k = 7; k > 0; k -= 2) sum += exp(-e * k * k);
        return 1 - CPS_SQRT_2PI / x * sum;
    }
    for (int k = 6; k > 0; k--) sum += (k & 1 ? 2 : -2) * cps_exp_square(k * x, 2);
    return sum;
}
/* Newton's steps for the logarithm of the smaller side, which is concave: of 1 - p, which is exact, where p > 1/2. */
CPS_HEAVY double cps_kolmogi(double p)
{
    if (!(p >= 0 && p <= 1)) return CPS_NAN;
    if (p == 0 || p == 1) return p == 0 ? CPS_INF : 0;
    if (p < 1e-290) return sqrt(0.5 * (0.69314718055994530942 - log(p))); /* of the first term, maybe subnormal */
    const int below = p > 0.5;
    const double q = below ? 1 - p : p;
    double x = below ? 0.5 : sqrt(0.5 * log(2 / p));
    if (below) /* by the first term of the series */
        for (int i = 0; i < 4; i++) x = CPS_PI / sqrt(8 * log(CPS_SQRT_2PI / (q * x)));
    for (int i = 0; i < 9; i++) {
        double side = 0, slope = 0;
        if (below) {
            const double e = CPS_PI * CPS_PI / 8 / (x * x);
            for (int k = 7; k > 0; k -= 2) {
                const double add = exp(-e * k * k);
                side += add;
                slope += (2 * e * k * k - 1) * add;
            }
            side *= CPS_SQRT_2PI / x;
            slope *= CPS_SQRT_2PI / (x * x);
        } else {
            side = cps_kolmogorov(x);
            for (int k = 6; k > 0; k--) slope += (k & 1 ? -8 : 8) * k * k * x * cps_exp_square(k * x, 2);
        }
        const double off = (side - q) / q, step = log1p(off) * side / slope;
        x -= step;
        if (fabs(step) < 1e-9 * x) break; /* what is left is its square */
    }
    return x;
}

/* Owen's T: for |a| <= 1 by Gauss and Legendre, else from T(a h, 1 / a). */
CPS_TABLE cps_owen_node[16] = {
    0.9972638618494816, 0.9856115115452684, 0.9647622555875064, 0.9349060759377397, 0.8963211557660521,
    0.84936761373257, 0.7944837959679424, 0.7321821187402897, 0.6630442669302152, 0.5877157572407623,
    0.5068999089322294, 0.42135127613063533, 0.33186860228212767, 0.23928736225213706, 0.1444719615827965,
    0.04830766568773832};
CPS_TABLE cps_owen_weight[16] = {
    0.007018610009470096, 0.01627439473090567, 0.02539206530926206, 0.03427386291302143, 0.04283589802222668,
    0.050998059262376175, 0.058684093478535544, 0.06582222277636185, 0.0723457941088485, 0.07819389578707031,
    0.08331192422694675, 0.08765209300440381, 0.09117387869576389, 0.09384439908080457, 0.09563872007927486,
    0.0965400885147278};
CPS_HEAVY double cps_owens_unit(double h, double a) /* h >= 0, 0 <= a <= 1 */
{
    const double end = h * a > 9 ? 9 / h : a; /* exp(-h^2 x^2 / 2) ends the integral */
    double sum = 0;
    for (int k = 0; k < 16; k++)
        for (int side = -1; side < 2; side += 2) {
            const double x = 0.5 * end * (1 + side * cps_owen_node[k]), s = x * x;
            sum += cps_owen_weight[k] * exp(-0.5 * h * h * s) / (1 + s);
        }
    return 0.5 * end * sum * cps_exp_square(h, 0.5) / (2 * CPS_PI);
}
CPS_HEAVY double cps_owens_t(double h, double a)
{
    if (h != h || a != a) return CPS_NAN;
    h = fabs(h);
    const double size = fabs(a), sign = copysign(1.0, a);
    if (h == CPS_INF || a == 0) return 0;
    if (h == 0) return sign * atan(size) / (2 * CPS_PI);
    if (size <= 1) return sign * cps_owens_unit(h, size);
    const double p = cps_ndtr(-h), q = size == CPS_INF ? 0 : cps_ndtr(-size * h);
    const double rest = size == CPS_INF ? 0 : cps_owens_unit(size * h, 1 / size);
    return sign * (0.5 * (p + q) - p * q - rest);
}
/* w + log(w) = x */
CPS_HEAVY double cps_wrightomega(double x)
{
    if (x != x || x == CPS_INF || x > 1e20) return x;
    const double e = exp(x);
    if (x < -50) return e;
    if (x < 0) { /* w = exp(x) exp(-w): the logarithm's rounding would be as large as x is */
        double w = e / (1 + e);
        for (int i = 0; i < 9; i++) {
            const double other = e * exp(-w), step = (w - other) / (1 + other);
            w -= step;
            if (fabs(step) < 1e-9 * w) break; /* what is left is its square */
        }
        return w;
    }
    double w = x > 1 ? x - log(x) + log(x) / x : 0.56714329040978384 + 0.36 * x + 0.07 * x * x;
    for (int i = 0; i < 12; i++) {
        const double r = x - w - log(w), u = 1 + w, t = 2 * u * (u + 2.0 / 3 * r);
        const double step = w * (r / u) * (t - r) / (t - 2 * r);
        w += step;
        if (fabs(step) < 4e-16 * w) break;
    }
    return w;
}
/* Wright's omega function of complex numbers: w + log(w) = z, on the branch whose number of turns is that of z. First
 * values and steps are those of Lawrence, Corless and Jeffrey ("Algorithm 917", 2012). Left of -1 it jumps at the lines
 * of imaginary part pi and -pi; near them w is negated, so that the logarithm is far from its own cut. */
CPS_MATH cp_complex128 cps_omega_times(cp_complex128 z, cp_complex128 w) { return cps_multiply_c128(z, w); }
CPS_HEAVY cp_complex128 cps_omega_first(cp_complex128 z, double below, double above)
{
    const double x = z.re, y = z.im;
    if (x > -2 && x <= 1 && fabs(y) > 1 && fabs(y) < 2 * CPS_PI) { /* about -1 + i pi, -1 - i pi */
        const double side = y > 0 ? 1 : -1;
        const cp_complex128 root = cps_sqrt_c128(CPS_C(2 * (x + 1), -2 * (y > 0 ? below : above)));
        const cp_complex128 p = CPS_C(root.re, -root.im);
        cp_complex128 r = CPS_C(1.0 / 270 - side * p.im / 4320, side * p.re / 4320);
        r = cps_add_c128(cps_omega_times(r, p), CPS_C(0, -side / 36));
        r = cps_add_c128(cps_omega_times(r, p), CPS_C(1.0 / 3, 0));
        r = cps_add_c128(cps_omega_times(r, p), CPS_C(0, side));
        r = cps_omega_times(r, p);
        r.re -= 1;
        return r;
    }
    if (x <= -2 && below <= 0 && above > 0) {
        const cp_complex128 e = cps_exp_c128(z);
        cp_complex128 r = CPS_C(125.0 / 24 * e.re - 8.0 / 3, 125.0 / 24 * e.im);
        r = cps_add_c128(cps_omega_times(r, e), CPS_C(1.5, 0));
        r = cps_add_c128(cps_omega_times(r, e), CPS_C(-1, 0));
        r = cps_add_c128(cps_omega_times(r, e), CPS_C(1, 0));
        return cps_omega_times(r, e);
    }
    if ((x > -2 && x <= 1 && fabs(y) <= 1) || (x > 1 && (x - 1) * (x - 1) + y * y <= CPS_PI * CPS_PI)) {
        const cp_complex128 d = CPS_C(x - 1, y);
        cp_complex128 r = CPS_C(-1.0 / 3072 + 13.0 / 61440 * d.re, 13.0 / 61440 * d.im);
        r = cps_add_c128(cps_omega_times(r, d), CPS_C(-1.0 / 192, 0));
        r = cps_add_c128(cps_omega_times(r, d), CPS_C(1.0 / 16, 0));
        r = cps_omega_times(cps_omega_times(r, d), d);
        return CPS_C(r.re + 0.5 + 0.5 * x, r.im + 0.5 * y);
    }
    cp_complex128 t = z, l;
    if (x <= -1.05 && below > 0 && below <= -0.75 * (x + 1)) t.im = below, l = cps_log_c128(CPS_C(-x, -below));
    else if (x <= -1.05 && above > 0.75 * (x + 1) && above <= 0) t.im = above, l = cps_log_c128(CPS_C(-x, -above));
    else l = cps_log_c128(z);
    /* t - l + l / t + l (l / 2 - 1) / t^2 + l (l^2 / 3 - 3 l / 2 + 1) / t^3 */
    cp_complex128 c3 = cps_add_c128(cps_omega_times(CPS_C(l.re / 3 - 1.5, l.im / 3), l), CPS_C(1, 0)), r;
    c3 = cps_omega_times(c3, l);
    const cp_complex128 c2 = cps_omega_times(CPS_C(0.5 * l.re - 1, 0.5 * l.im), l), u = cps_reciprocal_c128(t);
    r = cps_omega_times(cps_add_c128(cps_omega_times(c3, u), c2), u);
    r = cps_omega_times(cps_add_c128(r, l), u);
    return cps_add_c128(cps_subtract_c128(t, l), r);
}
CPS_HEAVY cp_complex128 cps_wrightomega_c128(cp_complex128 z)
{
    const double low = fabs(z.im) == CPS_PI ? 0 : 1.2246467991473532e-16; /* what the number lacks that counts as pi */
    const double below = (z.im - CPS_PI) - low, above = (z.im + CPS_PI) + low;
    if (z.re != z.re || z.im != z.im) return CPS_C(CPS_NAN, CPS_NAN);
    if (z.re == -CPS_INF && below <= 0 && above > 0)
        return CPS_C(fabs(z.im) <= 0.5 * CPS_PI ? 0.0 : -0.0, z.im >= 0 ? 0.0 : -0.0);
    if (cps_infinite(z.re) || cps_infinite(z.im)) return z;
    if (z.re == -1 && fabs(z.im) == CPS_PI) return CPS_C(-1, 0);
    cp_complex128 w = cps_omega_first(z, below, above);
    double s = 1;
    if (z.re <= -0.99 && (fabs(below) <= 0.01 || fabs(above) <= 0.01)) {
        s = -1;
        z.im = fabs(below) <= 0.01 ? below : above;
        w = CPS_C(-w.re, -w.im);
    }
    if (w.re == 0 && w.im == 0) return w;
    for (int i = 0; i < 4; i++) {
        const cp_complex128 l = cps_log_c128(w), u = CPS_C(s * w.re + 1, s * w.im);
        const cp_complex128 r = CPS_C(z.re - s * w.re - l.re, z.im - s * w.im - l.im);
        const cp_complex128 t = cps_omega_times(u, CPS_C(2 * (u.re + 2.0 / 3 * r.re), 2 * (u.im + 2.0 / 3 * r.im)));
        const cp_complex128 over = CPS_C(t.re - r.re, t.im - r.im), under = CPS_C(t.re - 2 * r.re, t.im - 2 * r.im);
        const cp_complex128 e = cps_omega_times(cps_divide_c128(r, u), cps_divide_c128(over, under));
        const cp_complex128 step = cps_omega_times(w, e);
        if (step.re != step.re || step.im != step.im) break;
        w = cps_add_c128(w, step);
        if (cps_size(e) < 1e-6) break;
    }
    return CPS_C(s * w.re, s * w.im);
}
CPS_MATH cp_complex64 cps_wrightomega_c64(cp_complex64 z) { return cps_narrow(cps_wrightomega_c128(cps_widen(z))); }

CPS_MATH double cps_powm1(double x, double y)
{
    if (x > 0 && fabs(y * log(x)) < 1) return expm1(y * log(x));
    return pow(x, y) - 1;
}

/* --- Smirnov's distribution of the largest distance above of n values, and Tukey's lambda --- */
/* d times the sum of binomial densities at j of n, of the probability d + j / n, over that (Birnbaum and Tingey). */
CPS_HEAVY double cps_smirnov(double n, double d)
{
    n = trunc(n);
    if (!(n > 0 && n <= 1e6 && d >= 0 && d <= 1)) return CPS_NAN;
    if (d == 0 || d == 1) return d == 0;
    if (n == 1) return 1 - d;
    double sum = 0;
    for (double j = 0; j <= n; j++) {
        const double q = fma(-n, d, n - j) / n, p = fma(n, d, j) / n;
        if (!(q > 0)) break;
        const double density = j == 0 ? p * exp(n * log1p(-p)) * q * (n + 1)
                                      : cps_beta_density(j + 1, n - j + 1, p, q, 1);
        sum += density / ((n + 1) * p * q) / p;
    }
    return fmin(d * sum, 1);
}
CPS_HEAVY double cps_smirnovi(double n, double p)
{
    n = trunc(n);
    if (!(n > 0 && n <= 1e6 && p >= 0 && p <= 1)) return CPS_NAN;
    if (p == 0 || p == 1) return p == 0;
    if (n == 1) return 1 - p;
    double low = 0, high = 1, f = -log(p), g = -CPS_INF; /* log(smirnov(n, d) / p) falls with d */
    for (int i = 0; i < 200; i++) {
        double at = 0.5 * (low + high);
        if (g > -1e300 && i % 3 != 2 && f != g) at = low - f * ((high - low) / (g - f));
        if (!(at > low && at < high)) at = 0.5 * (low + high);
        if (high - low < 4e-16 * high || at == low || at == high) break;
        const double h = log(cps_smirnov(n, at) / p);
        if (h == 0) return at;
        if (h > 0) {
            low = at, f = h, g *= 0.5;
        } else {
            high = at, g = h, f *= 0.5;
        }
    }
    return 0.5 * (low + high);
}
/* For log(p) = u, p < 1/2: how far Tukey's quantile (p^l - (1-p)^l) / l is from x, times l or by its logarithm; by sums
 * without cancellation where x is near -1/l or near 0. */
CPS_MATH double cps_tukey_off(double u, double l, double x)
{
    if (l > 0 && l * x > -0.1) { /* both powers may be tiny: the logarithms of their difference and of -l x, signed */
        const double b = l * log1p(-exp(u));
        return log(-l * x) - (b + log(-expm1(l * u - b)));
    }
    const double rest = expm1(l * log1p(-exp(u))), left = fma(l, x, 1);
    return l > 0 && left < 0.5 ? (exp(l * u) - rest) - left : (expm1(l * u) - rest) - l * x;
}
CPS_HEAVY double cps_tukey_below(double x, double l) /* x < 0 */
{
    if (l > 0 && fma(l, x, 1) <= 0) return 0;
    if (l == 0) return exp(x) / (1 + exp(x));
    double low = -745, high = -0.69314718055994530942;
    double f = cps_tukey_off(low, l, x), g = cps_tukey_off(high, l, x);
    const double sign = l > 0 ? 1 : -1; /* what grows with u */
    if (f * sign > 0) return 0;
    for (int i = 0; i < 200; i++) {
        const double middle = 0.5 * (low + high);
        double at = middle;
        if (fabs(f) < 1e300 && fabs(g) < 1e300 && i % 3 != 2 && f != g) at = low - f * ((high - low) / (g - f));
        if (!(at > low && at < high)) at = middle;
        if (high - low < 2e-16 * fmax(1, fabs(middle))) break;
        const double h = cps_tukey_off(at, l, x);
        if (h == 0) return exp(at);
        if (h * sign < 0) {
            low = at, f = h, g *= 0.5;
        } else {
            high = at, g = h, f *= 0.5;
        }
    }
    return exp(0.5 * (low + high));
}
CPS_MATH double cps_tklmbda(double x, double l)
{
    if (x != x || l != l) return CPS_NAN;
    if (x == 0) return 0.5;
    return x < 0 ? cps_tukey_below(x, l) : 1 - cps_tukey_below(-x, l);
}

#endif
