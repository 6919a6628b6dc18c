/* The chapter of Tricomi's confluent hypergeometric function U and of parabolic cylinder functions.
 *
 * U of a > 0 is its integral, whose integrand is positive, by the trapezoidal rule; smaller a follow by their
 * recurrence, downwards as it is stable. Parabolic cylinder functions are U or its like where they decay; where they
 * oscillate or grow, their differential equation is solved by Taylor series from 0 on, or from where their asymptotic
 * series holds. What would take too many steps is NaN. */
#ifndef CPS_PARABOLIC_H
#define CPS_PARABOLIC_H

#include "scalar/gamma.h"
#include "scalar/parabolic_complex.h"
#include "scalar/tables_taylor.h"

#define CPS_MOST_STEPS 8000

/* --- U --- */

/* x^-a times 2F0(a, 1 + a - b; -1/x); NaN where that is not certain. */
CPS_HEAVY double cps_hyperu_far(double a, double b, double x)
{
    const double c = 1 + a - b;
    double term = 1, sum = 1, last = 1;
    for (double k = 0; k < 300; k++) {
        term *= -(a + k) * (c + k) / ((k + 1) * x);
        const double size = fabs(term);
        sum += term;
        if (size > 2 || (size > last && size > 0.1)) return CPS_NAN;
        if (size < 1e-17 * fabs(sum)) return pow(x, -a) * sum;
        if (size > last) return CPS_NAN;
        last = size;
    }
    return CPS_NAN;
}
/* u of u - exp(-u) = s */
CPS_MATH double cps_from_exponent(double s)
{
    double u = s > 0 ? s : -log(1.5 - s);
    for (int i = 0; i < 4; i++) {
        const double e = exp(-u);
        u -= (u - e - s) / (1 + e);
    }
    return u;
}
/* The integrand t^a (1 + t)^p exp(-x t) dt / t of t = scale exp(u - exp(-u)), with exp(`least`) divided out; if
 * `less`, without exp(-c t) t^a, c = x - min(p, 0). */
CPS_MATH double cps_hyperu_integrand(double a, double p, double x, double scale, double u, double least, int less)
{
    const double e = exp(-u), s = u - e, t = scale * exp(s);
    if (!(t > 0) || t > 1e300) return 0;
    const double power = p * log1p(t), value = exp(-x * t + a * s + power - least) * (1 + e);
    if (!less) return value;
    return -expm1(p < 0 ? -p * cps_log1p_less(t, 1 + t) : -power) * value;
}
/* U of a > 0 and x > 0. */
CPS_HEAVY double cps_hyperu_integral(double a, double b, double x)
{
    const double p = b - a - 1, m = b - 1 - x, root = sqrt(m * m + 4 * x * a), scale = x > 1 ? 1 / x : 1;
    const double peak = m < 0 ? 2 * a / (root - m) : (m + root) / (2 * x), c = x - fmin(p, 0);
    const int less = a < 1;
    const double begin = less ? fmax(peak, 1 / c) : peak, s = log(begin / scale);
    if (!(begin > 0 && begin < 1e300)) return CPS_NAN;
    const double curve = x * peak - p * (peak / (1 + peak)) / (1 + peak), u = cps_from_exponent(s);
    const double step = fmin(0.1, 0.6 / (sqrt(fabs(curve)) * (1 + exp(-u))));
    const double least = -x * begin + a * s + p * log1p(begin);
    double sum = cps_hyperu_integrand(a, p, x, scale, u, least, less);
    for (int side = -1; side <= 1; side += 2)
        for (double k = 1; k < CPS_MOST_STEPS; k++) {
            const double add = cps_hyperu_integrand(a, p, x, scale, u + side * k * step, least, less);
            sum += add;
            if (add < 1e-18 * sum) break;
        }
    const double factor = a * log(scale) + least;
    sum *= step;
    if (a > 100 || fabs(factor) > 600) sum = exp(factor - cps_gammaln(a) + log(sum));
    else sum *= exp(factor) * cps_rgamma(a);
    return less ? sum + pow(c, -a) : sum;
}
CPS_HEAVY double cps_hyperu_positive(double a, double b, double x)
{
    const double far = x > 8 ? cps_hyperu_far(a, b, x) : CPS_NAN;
    return far == far ? far : cps_hyperu_integral(a, b, x);
}
/* U of a <= 0 by steps from a number in 0 to 1. */
CPS_HEAVY double cps_hyperu_down(double a, double b, double x)
{
    const double n = ceil(-a);
    double d = a + n, now, above = 0, scale = 1;
    const double most = d == 0 || fabs(b) <= 2 ? 1e5 : fabs(b) > 15 ? 3 : 9; /* beyond, no digits would be left */
    if (n > most) return CPS_NAN;
    if (d == 0) now = 1;
    else {
        now = cps_hyperu_positive(d, b, x);
        above = cps_hyperu_positive(d + 1, b, x);
    }
    for (double k = 0; k < n; k++, d -= 1) {
        const double next = (x - b + 2 * d) * now - d * (d - b + 1) * above;
        above = now;
        now = next;
        if (fabs(now) > 1e250) now *= 1e-200, above *= 1e-200, scale = scale == 1 ? 1e200 : CPS_INF;
    }
    return now * scale;
}
/* Of x below 10^-100: gamma(1 - b) / gamma(1 + a - b) + gamma(b - 1) / gamma(a) x^(1 - b), with its limit at b = 1. */
CPS_HEAVY double cps_hyperu_near_0(double a, double b, double x)
{
    const double r = cps_rgamma(a), power = pow(x, 1 - b);
    if (fabs(a) < 1e-290) return 1;
    if (b == 1) return -r * (log(x) + cps_digamma(a) + 2 * CPS_EULER);
    const double first = cps_is_pole(1 - b) ? 0 : cps_gamma(1 - b) * cps_rgamma(1 + a - b);
    return first + (cps_is_pole(b - 1) || r == 0 || power == 0 ? 0 : cps_gamma(b - 1) * r * power);
}
/* Of x <= 4 by 1F1; NaN where b is nearly whole, or where terms or the two parts cancel. */
CPS_HEAVY double cps_hyperu_small(double a, double b, double x)
{
    const double c = 1 + a - b;
    double f = 1, g = 1, tf = 1, tg = 1, most_f = 1, most_g = 1;
    if (fabs(b - rint(b)) < 0.05 || fabs(a) > 60 || fabs(b) > 60) return CPS_NAN;
    for (double k = 0; k < 200; k++) {
        tf *= (a + k) / (b + k) / (k + 1) * x;
        tg *= (c + k) / (2 - b + k) / (k + 1) * x;
        f += tf, g += tg;
        most_f = fmax(most_f, fabs(tf)), most_g = fmax(most_g, fabs(tg));
        if (k > fabs(b) && fabs(tf) < 1e-18 * fabs(f) && fabs(tg) < 1e-18 * fabs(g)) break;
    }
    const double lost_f = most_f / fabs(f), lost_g = most_g / fabs(g);
    f *= cps_gamma(1 - b) * cps_rgamma(c);
    g *= cps_gamma(b - 1) * cps_rgamma(a) * pow(x, 1 - b);
    const double lost = fmax(lost_f * fabs(f), lost_g * fabs(g)) / fabs(f + g); /* how many units of rounding */
    return lost < 200 ? f + g : CPS_NAN;
}
/* Of whole b = n + 1 >= 1 and a < 0 that is not whole (Abramowitz and Stegun 13.1.6); NaN where the terms cancel. */
CPS_HEAVY double cps_hyperu_whole(double a, double b, double x)
{
    const double n = b - 1, count = ceil(-a), top = cps_digamma(a + count), l = log(x);
    double psi = top, other = cps_digamma(b) - CPS_EULER, term = 1, sum = 0, most = 0;
    for (double k = count - 1; k >= 0; k--) psi -= 1 / (a + k);
    for (double k = 0; k < 300; k++) {
        if (k == count) psi = top; /* a pole lies between */
        const double size = fabs(term) * (fabs(l) + fabs(psi) + fabs(other));
        sum += term * (l + psi - other);
        most = fmax(most, size);
        if (k > count && size < 1e-18 * fabs(sum)) break;
        psi += 1 / (a + k);
        other += 1 / (1 + k) + 1 / (b + k);
        term *= (a + k) * x / ((b + k) * (k + 1));
    }
    double first = 0, largest = 0;
    term = 1;
    for (double k = 0; k < n; k++) {
        first += term;
        largest = fmax(largest, fabs(term));
        if (k + 1 < n) term *= (a - n + k) * x / ((1 - n + k) * (k + 1));
    }
    const double factor = (fmod(n, 2) != 0 ? 1 : -1) * cps_rgamma(a - n) * cps_rgamma(b);
    const double front = n > 0 ? cps_gamma(n) * cps_rgamma(a) * pow(x, -n) : 0, r = factor * sum + front * first;
    return fmax(fabs(factor) * most, fabs(front) * largest) < 400 * fabs(r) ? r : CPS_NAN;
}
CPS_HEAVY double cps_hyperu(double a, double b, double x)
{
    const double c = 1 + a - b;
    if (a != a || b != b || !(x >= 0) || cps_infinite(a)) return CPS_NAN;
    if (a == 0) return 1;
    if (cps_infinite(b)) return CPS_NAN;
    if (x == 0) {
        if (a < 0 && a == rint(a)) { /* a polynomial: (b)_n, with a sign */
            double r = 1;
            if (a < -400) return CPS_NAN;
            for (double k = 0; k < -a; k++) r *= -(b + k);
            return r;
        }
        return b >= 1 ? CPS_INF : cps_gamma(1 - b) * cps_rgamma(c);
    }
    if (x == CPS_INF) return a > 0 ? 0 : CPS_INF;
    if (x > 8) {
        const double far = cps_hyperu_far(a, b, x);
        if (far == far) return far;
    }
    const int whole = a <= 0 && a == rint(a);
    if (x < 1e-100 && !whole) return cps_hyperu_near_0(a, b, x);
    if (a > 0) return cps_hyperu_integral(a, b, x);
    const double small = x <= 4 ? cps_hyperu_small(a, b, x) : CPS_NAN;
    if (small == small) return small;
    if (b == rint(b) && !whole && c <= 0 && a > -60 && c > -60 && x < 12) {
        const double u = b >= 1 ? cps_hyperu_whole(a, b, x) : pow(x, 1 - b) * cps_hyperu_whole(c, 2 - b, x);
        if (u == u) return u;
    }
    if (c > 0) return pow(x, 1 - b) * cps_hyperu_integral(c, 2 - b, x);
    if (c > a && (!whole || (c <= 0 && c == rint(c)))) return pow(x, 1 - b) * cps_hyperu_down(c, 2 - b, x);
    return cps_hyperu_down(a, b, x);
}

/* --- y'' = (a + q x^2) y --- */

typedef struct cps_line { double y, slope; } cps_line;
CPS_HEAVY cps_line cps_taylor(double a, double q, double x, double h, cps_line f)
{
    const double hh = h * h, q0 = (a + q * x * x) * hh, q1 = 2 * q * x * hh * h, q2 = q * hh * hh;
    double t3 = 0, t2 = 0, t1 = f.y, t0 = f.slope * h, y = t1 + t0, slope = t0; /* the newest is t0 */
    for (int k = 0; k < 80; k++) {
        const double next = (q0 * t1 + q1 * t2 + q2 * t3) * cps_taylor_over[k];
        t3 = t2, t2 = t1, t1 = t0, t0 = next;
        y += t0;
        slope += (k + 2) * t0;
        if ((k & 3) == 3 && k * (fabs(t0) + fabs(t1)) + fabs(t2) < 1e-18 * (fabs(y) + fabs(slope))) break;
    }
    const cps_line r = {y, slope / h};
    return r;
}
/* From one place to another; both on one side of 0. */
CPS_HEAVY cps_line cps_solve(double a, double q, double from, double to, cps_line f)
{
    const cps_line none = {CPS_NAN, CPS_NAN};
    if (from == to) return f;
    if (from == 0 && fabs(to) < 1e-100) {
        const cps_line r = {f.y + f.slope * to, f.slope + a * f.y * to};
        return r;
    }
    const double far = fmax(fabs(from), fabs(to)), near = fmin(fabs(from), fabs(to));
    if ((far - near) * sqrt(fabs(a) + 0.25 * far * far) > 1.5 * CPS_MOST_STEPS) return none;
    const double side = to > from ? 1 : -1;
    double x = from;
    for (int i = 0; i < 2 * CPS_MOST_STEPS && x != to; i++) {
        double step = 2 / sqrt(fabs(a) + 0.25 * x * x + 0.5);
        if (fabs(to - x) < 1.01 * step) {
            f = cps_taylor(a, q, x, to - x, f);
            x = to;
        } else {
            const double next = x + side * step;
            f = cps_taylor(a, q, x, next - x, f);
            x = next;
        }
        if (!(fabs(f.y) < 1e305 && fabs(f.slope) < 1e305)) return f;
    }
    return f;
}

/* --- D, U and V of y'' = (a + x^2 / 4) y --- */

/* U at 0 */
CPS_MATH cps_line cps_u_at_0(double a)
{
    const double r = exp2(-0.5 * a - 0.25) * CPS_SQRT_PI;
    const cps_line f = {r * cps_rgamma(0.75 + 0.5 * a), -r * 1.4142135623730950488 * cps_rgamma(0.25 + 0.5 * a)};
    return f;
}
/* The same from U(-v/2, 1/2, x^2/2) and U(1/2 - v/2, 1/2, x^2/2) */
CPS_MATH cps_line cps_d_of(double v, double x, double u, double w)
{
    const double e = cps_exp_square(x, 0.25) * exp2(0.5 * v), d = e == 0 ? 0 : e * u;
    const cps_line f = {d, e == 0 ? 0 : v * (e * CPS_SQRT_HALF * w) - 0.5 * x * d};
    return f;
}
/* D of order v and its derivative at x >= 0 */
CPS_HEAVY cps_line cps_d_right(double v, double x)
{
    const double a = -v - 0.5, far = x * sqrt(fabs(a) + 0.25 * x * x);
    if (x == 0 || far < (a > 0 ? 0.5 : 2)) return cps_solve(a, 0.25, 0, x, cps_u_at_0(a));
    cps_line f = {0, 0};
    if (x > 1e100) return f;
    /* from where U has its asymptotic series on backwards, in which direction it grows */
    const double from = 9.5, z = 0.5 * from * from;
    const int near = x < from && fabs(v) < 12;
    const double u = near ? cps_hyperu_far(-0.5 * v, 0.5, z) : CPS_NAN;
    const double w = near && v != 0 ? cps_hyperu_far(0.5 - 0.5 * v, 0.5, z) : near ? 0 : CPS_NAN;
    if (u == u && w == w) return cps_solve(a, 0.25, from, x, cps_d_of(v, from, u, w));
    const double y = 0.5 * x * x;
    return cps_d_of(v, x, cps_hyperu(-0.5 * v, 0.5, y), v == 0 ? 0 : cps_hyperu(0.5 - 0.5 * v, 0.5, y));
}
/* V of a = -v - 1/2 and its derivative at x >= 0 */
CPS_HEAVY cps_line cps_v_right(double v, double x)
{
    const double a = -v - 0.5;
    if (x > 1e100) {
        const cps_line f = {CPS_INF, CPS_INF};
        return f;
    }
    if (x > 5) {
        double term = 1, sum = 0, slope = 0, last = 2;
        for (double k = 0; k < 100; k++) {
            sum += term;
            slope += term * (0.5 * x + (a - 0.5 - 2 * k) / x);
            const double size = fabs(term);
            if (size < 1e-17 * fabs(sum)) {
                const double e = exp(0.125 * x * x), r = sqrt(2 / CPS_PI) * pow(x, a - 0.5);
                const double lost = fma(x, x, -(x * x)), right = 1 + 0.25 * lost;
                cps_line f = {e * (r * sum * right) * e, e * (r * slope * right) * e};
                return f;
            }
            if (size > last) break;
            last = size;
            term *= (0.5 - a + 2 * k) * (1.5 - a + 2 * k) / ((k + 1) * 2 * x * x);
        }
    }
    const double p = 0.75 - 0.5 * a, q = 0.25 - 0.5 * a, r = exp2(0.5 * a + 0.25);
    const cps_line f = {r * cps_sinpi(p) * cps_rgamma(p), r * 1.4142135623730950488 * cps_sinpi(q) * cps_rgamma(q)};
    return cps_solve(a, 0.25, 0, x, f);
}
/* a x + b y, where a factor of 0 takes infinities away */
CPS_MATH double cps_mixed(double a, double x, double b, double y)
{
    return (a == 0 ? 0 : a * x) + (b == 0 ? 0 : b * y);
}
/* D and its derivative */
CPS_HEAVY cps_line cps_pbdv(double v, double x)
{
    cps_line r = {CPS_NAN, CPS_NAN}, d, g = {0, 0};
    if (v != v || x != x || cps_infinite(v)) return r;
    if (x < 0 && v < -0.5) { /* grows from 0 on */
        r.y = CPS_INF, r.slope = -CPS_INF;
        if (x < -200) return r;
        d = cps_u_at_0(-v - 0.5);
        d.slope = -d.slope;
        d = cps_solve(-v - 0.5, 0.25, 0, -x, d);
        if (x < -30 && !(cps_finite(d.y) && cps_finite(d.slope))) return r;
        d.slope = -d.slope;
        return d;
    }
    d = cps_d_right(v, fabs(x));
    if (x >= 0) return d;
    double b = CPS_PI * cps_rgamma(-v);
    if (b != 0) g = cps_v_right(v, -x);
    if (v > 160) { /* -sin(pi v) gamma(1 + v) */
        const double half = exp(0.5 * cps_gammaln(1 + v));
        b = -cps_sinpi(v);
        g.y = g.y * half * half, g.slope = g.slope * half * half;
    }
    const double c = cps_cospi(v);
    r.y = cps_mixed(c, d.y, b, g.y), r.slope = -cps_mixed(c, d.slope, b, g.slope);
    return r;
}
/* V of -v - 1/2 and its derivative */
CPS_HEAVY cps_line cps_pbvv(double v, double x)
{
    cps_line r = {CPS_NAN, CPS_NAN}, d = {0, 0};
    if (v != v || x != x || cps_infinite(v)) return r;
    const cps_line g = cps_v_right(v, fabs(x));
    if (x >= 0) return g;
    const double b = -cps_sinpi(v) * cps_rgamma(1 + v), c = -cps_cospi(v);
    if (b != 0) d = cps_d_right(v, -x);
    r.y = cps_mixed(c, g.y, b, d.y), r.slope = -cps_mixed(c, g.slope, b, d.slope);
    return r;
}

/* --- W of y'' = (a - x^2 / 4) y --- */

/* From where the asymptotic series holds. */
CPS_MATH double cps_w_from(double a) { return sqrt(144 + 4 * a * a); }
CPS_HEAVY cps_line cps_w_far(double a, double x) /* |x| from there on */
{
    const double y = fabs(x), square = y * y, lost = fma(y, y, -square), tail = exp(CPS_PI * a);
    const double k = tail < CPS_INF ? 1 / (hypot(1, tail) + tail) : 0;
    const double rest = 0.25 * lost - a * log(y) + 0.25 * CPS_PI + 0.5 * cps_loggamma_c128(CPS_C(0.5, a)).im;
    cp_complex128 term = CPS_C(1, 0), sum = CPS_C(0, 0), slope = sum;
    for (double j = 0; j < 200; j++) {
        sum = cps_add_c128(sum, term);
        slope = cps_add_c128(slope, cps_multiply_c128(term, CPS_C(-(2 * j + 0.5) / y, 0.5 * y - a / y)));
        if (fabs(term.re) + fabs(term.im) < 1e-18) break;
        const cp_complex128 f = cps_multiply_c128(CPS_C(2 * j + 0.5, a), CPS_C(2 * j + 1.5, a));
        term = cps_multiply_c128(term, CPS_C(f.im / (2 * square * (j + 1)), -f.re / (2 * square * (j + 1))));
    }
    const cp_complex128 turn = cps_multiply_c128(cps_exp_c128(CPS_C(0, 0.25 * square)), cps_exp_c128(CPS_C(0, rest)));
    sum = cps_multiply_c128(sum, turn);
    slope = cps_multiply_c128(slope, turn);
    const double r = sqrt(x > 0 ? 2 * k / y : 2 / (k * y));
    cps_line f = {r * (x > 0 ? sum.re : sum.im), r * (x > 0 ? slope.re : -slope.im)};
    return f;
}
CPS_TABLE cps_quarters[6] = {
    -0.015625, 0.00244140625, -0.0012410481770833333, 0.0013208389282226562, -0.002409029006958008,
    0.006712389489014943};
/* The root of |gamma(1/4 + i t) / gamma(3/4 + i t)|: shifted by 12, where the logarithm of the quotient is
 * -log(w) / 2 + sum of 2 E(n) / (n 4^(n + 1) w^n), w = 12 + i t, n = 2, 4, ..., with Euler's numbers. */
CPS_MATH double cps_gamma_quarters(double t)
{
    double up = 1, down = 1;
    for (double j = 0; j < 12; j++) {
        up *= (j + 0.75) * (j + 0.75) + t * t;
        down *= (j + 0.25) * (j + 0.25) + t * t;
    }
    const double size = 144 + t * t, re = (144 - t * t) / size / size, im = -24 * t / size / size; /* w^-2 */
    double x = cps_quarters[5], y = 0;
    for (int k = 4; k >= 0; k--) {
        const double next = x * re - y * im + cps_quarters[k];
        y = x * im + y * re;
        x = next;
    }
    return sqrt(sqrt(up / (down * sqrt(size)))) * exp(0.5 * (x * re - y * im));
}
/* W and its derivative */
CPS_HEAVY cps_line cps_pbwa(double a, double x)
{
    cps_line f = {CPS_NAN, CPS_NAN};
    if (a != a || x != x || fabs(a) > 1e4 || cps_infinite(x)) return f;
    const double from = cps_w_from(a);
    if (fabs(x) >= from) return cps_w_far(a, x);
    if (x > 0 && a > 0 && x * sqrt(a) > 0.5) return cps_solve(a, -0.25, from, x, cps_w_far(a, from));
    const double r = cps_gamma_quarters(0.5 * a);
    f.y = 0.59460355750136053336 * r;
    f.slope = -0.84089641525371454303 / r;
    return cps_solve(a, -0.25, 0, x, f);
}

#endif
