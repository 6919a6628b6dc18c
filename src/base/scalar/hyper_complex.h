/* Hypergeometric functions and orthogonal polynomials of real parameters and complex numbers.
 *
 * Power series are summed in pairs of doubles where their terms cancel. 2F1 is made of those of z, z / (z - 1), 1 / z
 * or 1 - z; where these cancel, it is continued by Taylor series of its differential equation, around 1 on the side of
 * the imaginary part's sign: no parameters are special there. */
#ifndef CPS_HYPER_COMPLEX_H
#define CPS_HYPER_COMPLEX_H

#include "scalar/pairs.h"

typedef struct cps_two_c { cps_two re, im; } cps_two_c;
CPS_MATH cps_two cps_two_less(cps_two a, cps_two b) { return cps_two_add(a, cps_two_of(-b.high, -b.low)); }
/* a s z of a complex number z and a pair s */
CPS_MATH cps_two_c cps_two_c_times(cps_two_c a, cps_two s, cp_complex128 z)
{
    const cps_two x = cps_two_times(s, cps_two_of(z.re, 0)), y = cps_two_times(s, cps_two_of(z.im, 0));
    const cps_two_c r = {cps_two_less(cps_two_times(a.re, x), cps_two_times(a.im, y)),
                         cps_two_add(cps_two_times(a.re, y), cps_two_times(a.im, x))};
    return r;
}
CPS_MATH double cps_two_c_size(cps_two_c a) { return fabs(a.re.high) + fabs(a.im.high); }
CPS_MATH cp_complex128 cps_no_number(void) { return CPS_C(CPS_NAN, CPS_NAN); }
/* z^p exp(q) of a factor, where one alone may leave the range */
CPS_MATH cp_complex128 cps_power_times(cp_complex128 z, double p, cp_complex128 q, cp_complex128 factor)
{
    const cp_complex128 l = cps_log_c128(z);
    const double size = 0.5 * (p * l.re + q.re), angle = p * l.im + q.im, half = exp(size);
    return cps_scale(cps_multiply_c128(cps_scale(factor, half), CPS_C(cos(angle), sin(angle))), half);
}

/* The same in double, NaN where a digit is lost. */
CPS_HEAVY cp_complex128 cps_hyper_series_plain_c128(double a, double b, double c, cp_complex128 z)
{
    const int one = b == CPS_INF;
    const double size = cps_size(z);
    cp_complex128 term = CPS_C(1, 0), sum = term;
    double largest = 1;
    for (int k = 0; k < 1000; k++) {
        const double t = (a + k) * (one ? 1 : b + k), s = t / ((c + k) * (k + 1));
        if (t == 0) return largest < 4 * cps_size(sum) ? sum : cps_no_number();
        const double x = s * z.re, y = s * z.im, re = CPS_FMA(term.re, x, -term.im * y);
        term.im = CPS_FMA(term.re, y, term.im * x);
        term.re = re;
        sum = CPS_C(sum.re + re, sum.im + term.im);
        const double now = cps_size(term);
        largest = now > largest ? now : largest;
        if ((k & 3) != 3) continue;
        const double left = 1 - fabs(s) * size, all = cps_size(sum);
        if (k > -c && now < 1e-17 * all * (left > 0.1 ? left : 0.1) && fabs(s) * size < 1.4)
            return largest < 4 * all ? sum : cps_no_number();
        if (!(largest < 1e200)) break;
    }
    return cps_no_number();
}
/* The sum of (a)_k (b)_k / ((c)_k k!) z^k, without (b)_k where b is infinite; NaN where it cancels too much. */
CPS_HEAVY cp_complex128 cps_hyper_series_c128(double a, double b, double c, cp_complex128 z)
{
    const int one = b == CPS_INF;
    const cp_complex128 plain = cps_hyper_series_plain_c128(a, b, c, z);
    if (plain.re == plain.re) return plain;
    const double size = hypot(z.re, z.im);
    cps_two_c term = {{1, 0}, {0, 0}}, sum = term;
    double largest = 1;
    for (double k = 0; k < 20000; k++) {
        cps_two t = cps_two_sum(a, k), d = cps_two_times(cps_two_sum(c, k), cps_two_of(k + 1, 0));
        if (!one) t = cps_two_times(t, cps_two_sum(b, k));
        if (t.high == 0) break;
        const cps_two s = cps_two_over(t, d);
        term = cps_two_c_times(term, s, z);
        sum.re = cps_two_add(sum.re, term.re);
        sum.im = cps_two_add(sum.im, term.im);
        const double now = cps_two_c_size(term), ratio = fabs(s.high) * size;
        if (!(now < 1e300)) return cps_no_number();
        largest = fmax(largest, now);
        const int little = now < 1e-18 * cps_two_c_size(sum) * (1 - ratio);
        const int least = now < 1e-34 * largest && ratio < 0.9;
        if (k > -c && (little || least)) break;
        if (k == 19999) return cps_no_number();
    }
    return cps_two_c_size(sum) < 1e-17 * largest ? cps_no_number() : CPS_C(sum.re.high, sum.im.high);
}

/* --- 1F1 --- */

/* The sum of (a)_k (b)_k / k! z^k, as long as terms decrease; NaN where that is not enough. */
CPS_HEAVY cp_complex128 cps_hyper_far_c128(double a, double b, cp_complex128 z)
{
    cp_complex128 term = CPS_C(1, 0), sum = term;
    double last = 1;
    for (double k = 0; k < 300; k++) {
        term = cps_scale(cps_multiply_c128(term, z), (a + k) * (b + k) / (k + 1));
        const double size = cps_size(term);
        if (size > 3 || (size > last && size > 2e-15 * cps_size(sum))) return cps_no_number();
        sum = cps_add_c128(sum, term);
        if (size < 1e-17 * cps_size(sum)) break;
        last = size;
    }
    return sum;
}
/* exp(q) 1F1 right of the imaginary axis; `ends`: a polynomial */
CPS_HEAVY cp_complex128 cps_hyp1f1_right(double a, double b, cp_complex128 z, int ends, cp_complex128 q)
{
    const double size = hypot(z.re, z.im);
    if (!ends && size > 30) {
        const cp_complex128 r = cps_reciprocal_c128(z), minus = CPS_C(-z.re, -z.im);
        cp_complex128 up = cps_hyper_far_c128(b - a, 1 - a, r);
        cp_complex128 down = cps_hyper_far_c128(a, a - b + 1, CPS_C(-r.re, -r.im));
        if (z.re > 60 + 2 * fabs(b - 2 * a) * log(size)) down = CPS_C(0, 0);
        if (up.re == up.re && down.re == down.re) {
            up = cps_power_times(z, a - b, cps_add_c128(z, q), cps_scale(up, cps_gamma(b) * cps_rgamma(a)));
            down = cps_power_times(minus, -a, q, cps_scale(down, cps_gamma(b) * cps_rgamma(b - a)));
            return z.im == 0 ? CPS_C(up.re + down.re, 0) : cps_add_c128(up, down);
        }
    }
    if (size > 2000 && !ends) return cps_no_number();
    return cps_power_times(CPS_C(1, 0), 0, q, cps_hyper_series_c128(a, CPS_INF, b, z));
}
CPS_HEAVY cp_complex128 cps_hyp1f1_c128(double a, double b, cp_complex128 z)
{
    if (a != a || b != b || z.re != z.re || z.im != z.im || cps_infinite(a) || cps_infinite(b)) return cps_no_number();
    const int ends = cps_not_positive_whole(a), back = cps_not_positive_whole(b - a);
    if (cps_not_positive_whole(b) && !(ends && a >= b)) return CPS_C(CPS_INF, 0);
    if (a == 0 || (z.re == 0 && z.im == 0)) return CPS_C(1, 0);
    if (cps_infinite(z.re) || cps_infinite(z.im)) return cps_no_number();
    if (ends || (z.re >= 0 && !(back && b > 0))) return cps_hyp1f1_right(a, b, z, ends, CPS_C(0, 0));
    /* Kummer: exp(z) 1F1(b - a, b, -z) */
    return cps_hyp1f1_right(b - a, b, CPS_C(-z.re, -z.im), back, z);
}

/* --- 2F1 --- */

typedef struct cps_branch { cp_complex128 y, slope; } cps_branch;
/* From z on by h: (k + 1)(k + 2) z (1 - z) t(k + 2) = (k + a)(k + b) t(k) - (k + 1)(k (1 - 2 z) + c - (a + b + 1) z)
 * t(k + 1). */
CPS_HEAVY cps_branch cps_hyp2f1_step(double a, double b, double c, cp_complex128 z, cp_complex128 h, cps_branch f)
{
    const cp_complex128 over = cps_reciprocal_c128(cps_multiply_c128(z, CPS_C(1 - z.re, -z.im)));
    const cp_complex128 p = cps_multiply_c128(h, over), q = cps_multiply_c128(h, p);
    cp_complex128 t0 = f.y, t1 = cps_multiply_c128(f.slope, h), y = cps_add_c128(t0, t1), slope = t1;
    for (double k = 0; k < 400; k++) {
        const double s = a + b + 1 + 2 * k;
        const cp_complex128 u = cps_multiply_c128(t1, CPS_C(k + c - s * z.re, -s * z.im));
        const cp_complex128 v = cps_subtract_c128(cps_scale(cps_multiply_c128(t0, q), (k + a) * (k + b)),
                                                  cps_scale(cps_multiply_c128(u, p), k + 1));
        t0 = t1;
        t1 = cps_scale(v, 1 / ((k + 1) * (k + 2)));
        y = cps_add_c128(y, t1);
        slope = cps_add_c128(slope, cps_scale(t1, k + 2));
        if (k > 4 && k * (cps_size(t0) + cps_size(t1)) < 1e-18 * (cps_size(y) + cps_size(slope))) break;
    }
    const cps_branch r = {y, cps_divide_c128(slope, h)};
    return r;
}
/* Along a straight line to z. */
CPS_HEAVY cps_branch cps_hyp2f1_along(double a, double b, double c, cp_complex128 at, cp_complex128 z, cps_branch f)
{
    for (int i = 0; i < 2000; i++) {
        const double radius = fmin(hypot(at.re, at.im), hypot(1 - at.re, at.im)), most = 0.5 * radius;
        const cp_complex128 way = cps_subtract_c128(z, at);
        const double left = hypot(way.re, way.im);
        if (left == 0) break;
        const cp_complex128 next = left <= 1.1 * most ? z : cps_add_c128(at, cps_scale(way, most / left));
        f = cps_hyp2f1_step(a, b, c, at, cps_subtract_c128(next, at), f);
        at = next;
    }
    return f;
}
/* Of |z| >= 3/4 from a place of modulus 1/2, or less where that series cancels: in z's direction, but for what lies
 * behind 1, around which it goes no farther away than z is: errors are solutions like (1 - z)^(c - a - b), which grow
 * with the distance. */
CPS_HEAVY cp_complex128 cps_hyp2f1_continued(double a, double b, double c, cp_complex128 z, cp_complex128 y)
{
    const double size = hypot(z.re, z.im), m = c - a - b, side = copysign(1.0, z.im);
    const int behind = size > 1 && z.re > 0.5 * size, turned = m < 0; /* by Euler's: else it is largest near 1 */
    const double p = turned ? c - a : a, q = turned ? c - b : b;
    const cp_complex128 way = behind ? CPS_C(0.5, side * 0.86602540378443864676) : cps_scale(z, 1 / size);
    cp_complex128 at;
    cps_branch f;
    for (double r = 0.5; r > 0.05; r *= 0.5) {
        at = cps_scale(way, r);
        f.y = cps_hyper_series_c128(p, q, c, at);
        f.slope = cps_scale(cps_hyper_series_c128(p + 1, q + 1, c + 1, at), p * q / c);
        if (f.y.re == f.y.re && f.slope.re == f.slope.re) break;
    }
    /* in y, whose equation is that of p + q - c + 1 instead of c: near 1 no digit of it is lost */
    const double e = p + q - c + 1;
    f.slope = CPS_C(-f.slope.re, -f.slope.im);
    at = CPS_C(1 - at.re, -at.im);
    if (behind) {
        const double radius = fmin(0.866, hypot(y.re, y.im)), end = fabs(atan2(y.im, -y.re));
        for (double angle = CPS_PI * 5 / 6; angle > end; angle -= 0.4) {
            const cp_complex128 by = CPS_C(-radius * cos(angle), -side * radius * sin(angle));
            f = cps_hyp2f1_along(p, q, e, at, by, f);
            at = by;
        }
    }
    f = cps_hyp2f1_along(p, q, e, at, y, f);
    return turned ? cps_power_times(y, m, CPS_C(0, 0), f.y) : f.y;
}
/* u + v, NaN where they cancel by two digits. */
CPS_MATH cp_complex128 cps_sure_sum(cp_complex128 u, cp_complex128 v)
{
    const cp_complex128 r = cps_add_c128(u, v);
    return cps_size(r) > 0.01 * (cps_size(u) + cps_size(v)) ? r : cps_no_number();
}
/* gamma(c) gamma(d) / (gamma(e) gamma(f)) y^p times the series of z */
CPS_MATH cp_complex128 cps_connected(double d, double e, double f, cp_complex128 y, double p, double a, double b,
                                     double c, cp_complex128 z)
{
    const double factor = cps_gamma(d) * cps_rgamma(e) * cps_rgamma(f);
    if (factor == 0) return CPS_C(0, 0);
    return cps_power_times(y, p, CPS_C(0, 0), cps_scale(cps_hyper_series_c128(a, b, c, z), factor));
}
/* Pfaff: (1 - z)^-a 2F1(a, c - b; c; z / (z - 1)), with the one of a and b that is smaller; NaN where that series does
 * not converge much better. */
CPS_HEAVY cp_complex128 cps_hyp2f1_turned(double a, double b, double c, cp_complex128 z, cp_complex128 y)
{
    const double less = z.re * z.re + z.im * z.im, more = y.re * y.re + y.im * y.im; /* the square of its modulus */
    if (!(less < 0.5625 * more && more > 1.5)) return cps_no_number();
    if (fabs(b) < fabs(a)) {
        const double t = a;
        a = b, b = t;
    }
    const cp_complex128 s = cps_divide_c128(CPS_C(-z.re, -z.im), y);
    return cps_power_times(y, -a, CPS_C(0, 0), cps_hyper_series_c128(a, c - b, c, s));
}
/* 2F1 over gamma(c), where c = a + b + m of a whole m >= 0 and y = 1 - z (DLMF 15.8.10); NaN where the parts cancel by
 * two digits. */
CPS_HEAVY cp_complex128 cps_hyp2f1_log_c128(double a, double b, double m, cp_complex128 y)
{
    cp_complex128 first = CPS_C(0, 0), term = CPS_C(cps_gamma(m) * cps_rgamma(a + m) * cps_rgamma(b + m), 0);
    double most = 0, largest = 0;
    for (double k = 0; k < m; k++) { /* (a)_k (b)_k (m - k - 1)! / k! (-y)^k */
        first = cps_add_c128(first, term);
        most = fmax(most, cps_size(term));
        if (k + 1 < m) term = cps_scale(cps_multiply_c128(term, y), -(a + k) * (b + k) / ((k + 1) * (m - k - 1)));
    }
    const cp_complex128 l = cps_log_c128(y);
    const double sign = fmod(m, 2) != 0 ? -1 : 1, factor = sign * cps_rgamma(a) * cps_rgamma(b) * cps_rgamma(m + 1);
    cp_complex128 sum = CPS_C(0, 0);
    double psi = cps_digamma(a + m) + cps_digamma(b + m) - cps_digamma(1) - cps_digamma(m + 1);
    term = cps_power_times(y, m, CPS_C(0, 0), CPS_C(factor, 0));
    for (double k = 0; k < 2000; k++) {
        const cp_complex128 add = cps_multiply_c128(term, CPS_C(l.re + psi, l.im));
        sum = cps_add_c128(sum, add);
        largest = fmax(largest, cps_size(term) * (cps_size(l) + fabs(psi)));
        if (k > 3 && k > -a - m && k > -b - m && cps_size(add) < 1e-18 * cps_size(sum)) break;
        psi += 1 / (a + m + k) + 1 / (b + m + k) - 1 / (k + 1) - 1 / (k + m + 1);
        term = cps_scale(cps_multiply_c128(term, y), (a + m + k) * (b + m + k) / ((k + 1) * (k + m + 1)));
    }
    const cp_complex128 r = cps_subtract_c128(first, sum);
    return cps_size(r) > 0.01 * fmax(most, largest) ? r : cps_no_number();
}
/* Of |z| > 3/4 by series of 1 / z or 1 - z, where these add without loss; else continued. */
CPS_HEAVY cp_complex128 cps_hyp2f1_far(double a, double b, double c, cp_complex128 z, cp_complex128 y)
{
    const double size = hypot(z.re, z.im), m = c - a - b, d = b - a, all = cps_gamma(c);
    const cp_complex128 minus = CPS_C(-z.re, -z.im), one = CPS_C(1, 0);
    cp_complex128 r = cps_no_number();
    if (size > 1.25 && fabs(d - rint(d)) > 0.02 && fabs(d) < 100) {
        const cp_complex128 t = cps_reciprocal_c128(z);
        r = cps_sure_sum(cps_connected(d, b, c - a, minus, -a, a, a - c + 1, 1 - d, t),
                         cps_connected(-d, a, c - b, minus, -b, b, b - c + 1, 1 + d, t));
    }
    const double whole = rint(m); /* from it m may be away by the rounding of what made c */
    if (r.re != r.re && cps_size(y) < 0.8 && fabs(m - whole) <= CPS_EPS * (fabs(a) + fabs(b) + fabs(c)) &&
        fabs(m) < 100) {
        r = m < 0 ? cps_hyp2f1_log_c128(c - a, c - b, -whole, y) : cps_hyp2f1_log_c128(a, b, whole, y);
        if (m < 0) r = cps_power_times(y, whole, CPS_C(0, 0), r);
    }
    if (r.re != r.re && cps_size(y) < 0.8 && fabs(m - whole) > 0.02 && fabs(m) < 100)
        r = cps_sure_sum(cps_connected(m, c - a, c - b, one, 0, a, b, 1 - m, y),
                         cps_connected(-m, a, b, y, m, c - a, c - b, 1 + m, y));
    return r.re == r.re && all < CPS_INF ? cps_scale(r, all) : cps_hyp2f1_continued(a, b, c, z, y);
}
/* Of z and y = 1 - z, one of them rounded. */
CPS_HEAVY cp_complex128 cps_hyp2f1_at_c128(double a, double b, double c, cp_complex128 z, cp_complex128 y)
{
    if (a != a || b != b || c != c || z.re != z.re || z.im != z.im) return cps_no_number();
    const int ends = (cps_not_positive_whole(a) && a >= -1e4) || (cps_not_positive_whole(b) && b >= -1e4);
    const int zero = z.re == 0 && z.im == 0;
    if (cps_not_positive_whole(c) && !((cps_not_positive_whole(a) && a >= c) || (cps_not_positive_whole(b) && b >= c)))
        return zero || a == 0 || b == 0 ? CPS_C(1, 0) : CPS_C(CPS_INF, 0);
    if (zero || a == 0 || b == 0) return CPS_C(1, 0);
    if (cps_infinite(a) || cps_infinite(b) || cps_infinite(c)) return cps_no_number();
    if (cps_infinite(z.re) || cps_infinite(z.im)) return cps_no_number();
    if (ends) return cps_hyper_series_c128(a, b, c, z);
    if (y.re == 0 && y.im == 0) return CPS_C(cps_hyp2f1(a, b, c, 1), 0);
    const cp_complex128 none = CPS_C(0, 0);
    if (b == c) return cps_power_times(y, -a, none, CPS_C(1, 0));
    if (a == c) return cps_power_times(y, -b, none, CPS_C(1, 0));
    cp_complex128 r;
    if ((cps_not_positive_whole(c - a) && c - a >= -1e4) || (cps_not_positive_whole(c - b) && c - b >= -1e4))
        r = cps_power_times(y, c - a - b, none, cps_hyper_series_c128(c - a, c - b, c, z));
    else {
        r = cps_hyp2f1_turned(a, b, c, z, y);
        const int near = hypot(z.re, z.im) <= 0.75;
        if (r.re != r.re) r = near ? cps_hyper_series_c128(a, b, c, z) : cps_hyp2f1_far(a, b, c, z, y);
    }
    return z.im == 0 && y.re > 0 ? CPS_C(r.re, z.im) : r;
}
CPS_MATH cp_complex128 cps_hyp2f1_c128(double a, double b, double c, cp_complex128 z)
{
    return cps_hyp2f1_at_c128(a, b, c, z, CPS_C(1 - z.re, -z.im));
}

/* --- orthogonal polynomials: recurrences for whole degrees, else hypergeometric functions --- */

/* 2F1(-n, b; c; (1 - z) / 2), which of a real number has a positive zero, as SciPy has it; near -1, where it has a
 * singularity, (1 + z) / 2 is exact. */
CPS_HEAVY cp_complex128 cps_hyper_of_degree_c128(double n, double b, double c, cp_complex128 z)
{
    const double half = 0.5 * (0 - z.im);
    return cps_hyp2f1_at_c128(-n, b, c, CPS_C(0.5 * (1 - z.re), half), CPS_C(0.5 * (1 + z.re), -half));
}
/* a x y + b z */
CPS_MATH cp_complex128 cps_three(double a, cp_complex128 x, cp_complex128 y, double b, cp_complex128 z)
{
    return cps_add_c128(cps_scale(cps_multiply_c128(x, y), a), cps_scale(z, b));
}
/* Of equal parameters, by steps that keep the parity. */
CPS_HEAVY cp_complex128 cps_eval_jacobi_even_c128(double n, double a, cp_complex128 z)
{
    cp_complex128 before = CPS_C(1, 0), p = cps_scale(z, a + 1);
    for (double k = 1; k < n; k++) {
        const double f = (k + a + 1) / ((k + 1) * (k + 1 + 2 * a));
        const cp_complex128 next = cps_three((2 * (k + a) + 1) * f, z, p, -(k + a) * f, before);
        before = p;
        p = next;
    }
    return p;
}
CPS_HEAVY cp_complex128 cps_eval_jacobi_c128(double n, double a, double b, cp_complex128 z)
{
    if (n != n || a != a || b != b || z.re != z.re || z.im != z.im) return cps_no_number();
    if (!cps_is_degree(n))
        return cps_scale(cps_hyper_of_degree_c128(n, n + a + b + 1, a + 1, z), cps_binomial_of(n, a));
    if (n == 0) return CPS_C(1, 0);
    if (a == b && a > -1 && fabs(z.re) < 0.5 && fabs(z.im) < 0.5) return cps_eval_jacobi_even_c128(n, a, z);
    const cp_complex128 y = CPS_C(z.re - 1, z.im);
    if (n == 1) return CPS_C(a + 1 + 0.5 * (a + b + 2) * y.re, 0.5 * (a + b + 2) * y.im);
    cp_complex128 d = cps_scale(y, 0.5 * (a + b + 2) / (a + 1)), p = CPS_C(d.re + 1, d.im);
    double scale = 1, least = 1;
    for (double k = 1; k < n; k++) {
        const double t = 2 * k + a + b, over = 1 / (2 * (k + a + 1) * (k + a + b + 1) * t);
        least = fmin(least, fmin(fabs(t), fabs(k + a + b + 1)));
        d = cps_three(t * (t + 1) * (t + 2) * over, y, p, 2 * k * (k + b) * (t + 2) * over, d);
        p = cps_add_c128(p, d);
    }
    for (double k = 1; k <= n; k++) scale *= (a + k) / k;
    if (least > 1e-3) return cps_scale(p, scale);
    /* a step nearly divided by 0 */
    return cps_scale(cps_hyper_of_degree_c128(n, n + a + b + 1, a + 1, z), scale);
}
CPS_HEAVY cp_complex128 cps_eval_legendre_c128(double n, cp_complex128 z)
{
    if (n != n || z.re != z.re || z.im != z.im) return cps_no_number();
    if (n < 0 && n == rint(n)) n = -n - 1;
    if (!cps_is_degree(n)) return cps_hyper_of_degree_c128(n, n + 1, 1, z);
    if (n == 0) return CPS_C(1, 0);
    if (fabs(z.re) < 0.5 && fabs(z.im) < 0.5) return cps_eval_jacobi_even_c128(n, 0, z);
    const cp_complex128 y = CPS_C(z.re - 1, z.im);
    cp_complex128 d = y, p = z;
    for (double k = 1; k < n; k++) {
        d = cps_three((2 * k + 1) / (k + 1), y, p, k / (k + 1), d);
        p = cps_add_c128(p, d);
    }
    return p;
}
/* T and U of whole degrees begin with one of degree -1. */
CPS_HEAVY cp_complex128 cps_chebyshev_steps(double n, cp_complex128 z, cp_complex128 before)
{
    cp_complex128 p = CPS_C(1, 0);
    for (double k = 0; k < n; k++) {
        const cp_complex128 next = cps_three(2, z, p, -1, before);
        before = p;
        p = next;
    }
    return p;
}
CPS_HEAVY cp_complex128 cps_eval_chebyt_c128(double n, cp_complex128 z)
{
    if (n != n || z.re != z.re || z.im != z.im) return cps_no_number();
    n = fabs(n);
    return cps_is_degree(n) ? cps_chebyshev_steps(n, z, z) : cps_hyper_of_degree_c128(n, n, 0.5, z);
}
CPS_HEAVY cp_complex128 cps_eval_chebyu_c128(double n, cp_complex128 z)
{
    if (n != n || z.re != z.re || z.im != z.im) return cps_no_number();
    if (n == -1) return CPS_C(0, 0);
    const int turned = n < -1 && n == rint(n);
    if (turned) n = -n - 2;
    if (turned && !cps_is_degree(n)) return cps_no_number();
    if (cps_is_degree(n)) return cps_scale(cps_chebyshev_steps(n, z, CPS_C(0, 0)), turned ? -1 : 1);
    return cps_scale(cps_hyper_of_degree_c128(n, n + 2, 1.5, z), n + 1);
}
CPS_HEAVY cp_complex128 cps_eval_gegenbauer_c128(double n, double a, cp_complex128 z)
{
    if (n != n || a != a || z.re != z.re || z.im != z.im) return cps_no_number();
    if (!cps_is_degree(n))
        return cps_scale(cps_hyper_of_degree_c128(n, n + 2 * a, a + 0.5, z),
                         cps_binomial_by_gamma(n + 2 * a, n + 1, 2 * a));
    cp_complex128 before = CPS_C(0, 0), p = CPS_C(1, 0);
    for (double k = 0; k < n; k++) {
        const cp_complex128 next = cps_three(2 * (k + a) / (k + 1), z, p, -(k + 2 * a - 1) / (k + 1), before);
        before = p;
        p = next;
    }
    return p;
}
CPS_HEAVY cp_complex128 cps_eval_genlaguerre_c128(double n, double a, cp_complex128 z)
{
    if (n != n || a != a || z.re != z.re || z.im != z.im || a <= -1) return cps_no_number();
    if (!cps_is_degree(n)) return cps_scale(cps_hyp1f1_c128(-n, a + 1, z), cps_binomial_of(n, a));
    cp_complex128 before = CPS_C(0, 0), p = CPS_C(1, 0);
    for (double k = 0; k < n; k++) {
        const cp_complex128 next = cps_three(1 / (k + 1), CPS_C(2 * k + 1 + a - z.re, -z.im), p, -(k + a) / (k + 1),
                                             before);
        before = p;
        p = next;
    }
    return p;
}
CPS_MATH cp_complex128 cps_eval_sh_jacobi_c128(double n, double p, double q, cp_complex128 z)
{
    const cp_complex128 r = cps_eval_jacobi_c128(n, p - q, q - 1, CPS_C(2 * z.re - 1, 2 * z.im));
    return cps_scale(r, 1 / cps_binomial_of(n, n + p - 1));
}
CPS_MATH cp_complex128 cps_eval_chebyc_c128(double n, cp_complex128 z)
{
    return cps_scale(cps_eval_chebyt_c128(n, cps_scale(z, 0.5)), 2);
}
CPS_MATH cp_complex128 cps_eval_chebys_c128(double n, cp_complex128 z)
{
    return cps_eval_chebyu_c128(n, cps_scale(z, 0.5));
}
CPS_MATH cp_complex128 cps_eval_laguerre_c128(double n, cp_complex128 z) { return cps_eval_genlaguerre_c128(n, 0, z); }
CPS_MATH cp_complex128 cps_shifted(cp_complex128 z) { return CPS_C(2 * z.re - 1, 2 * z.im); }
CPS_MATH cp_complex128 cps_eval_sh_chebyt_c128(double n, cp_complex128 z)
{
    return cps_eval_chebyt_c128(n, cps_shifted(z));
}
CPS_MATH cp_complex128 cps_eval_sh_chebyu_c128(double n, cp_complex128 z)
{
    return cps_eval_chebyu_c128(n, cps_shifted(z));
}
CPS_MATH cp_complex128 cps_eval_sh_legendre_c128(double n, cp_complex128 z)
{
    return cps_eval_legendre_c128(n, cps_shifted(z));
}

#define CPS_NARROW_1(name)                                                                                       \
    CPS_MATH cp_complex64 cps_##name##_c64(float n, cp_complex64 z)                                              \
    {                                                                                                            \
        return cps_narrow(cps_##name##_c128(n, cps_widen(z)));                                                   \
    }
#define CPS_NARROW_2(name)                                                                                       \
    CPS_MATH cp_complex64 cps_##name##_c64(float n, float a, cp_complex64 z)                                     \
    {                                                                                                            \
        return cps_narrow(cps_##name##_c128(n, a, cps_widen(z)));                                                \
    }
#define CPS_NARROW_3(name)                                                                                       \
    CPS_MATH cp_complex64 cps_##name##_c64(float n, float a, float b, cp_complex64 z)                            \
    {                                                                                                            \
        return cps_narrow(cps_##name##_c128(n, a, b, cps_widen(z)));                                             \
    }
CPS_NARROW_1(eval_legendre) CPS_NARROW_1(eval_chebyt) CPS_NARROW_1(eval_chebyu) CPS_NARROW_1(eval_chebyc)
CPS_NARROW_1(eval_chebys) CPS_NARROW_1(eval_laguerre) CPS_NARROW_1(eval_sh_chebyt) CPS_NARROW_1(eval_sh_chebyu)
CPS_NARROW_1(eval_sh_legendre) CPS_NARROW_2(eval_gegenbauer) CPS_NARROW_2(eval_genlaguerre) CPS_NARROW_2(hyp1f1)
CPS_NARROW_3(eval_jacobi) CPS_NARROW_3(eval_sh_jacobi) CPS_NARROW_3(hyp2f1)
#undef CPS_NARROW_1
#undef CPS_NARROW_2
#undef CPS_NARROW_3

#endif
