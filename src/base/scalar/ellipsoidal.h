/* The chapter of ellipsoidal harmonics: Lamé's functions of degree n, the p-th of its 2 n + 1, for 0 < h^2 < k^2.
 *
 * One is s^a |s^2 - h^2|^(b/2) |s^2 - k^2|^(c/2), a, b, c 0 or 1, times a polynomial of s^2 whose zeros all are between
 * 0 and k^2. Monomials lose all digits between zeros, so a place decides how it is summed: up to h as a Fourier series
 * in the angle of cosine s / h, from h to k as one in that of sine sqrt((s^2 - h^2) / (k^2 - h^2)), as k^2 - s^2 obeys
 * an equation of the same form with k^2 - h^2 in place of h^2, and from k on in powers of s^2 - k^2, which all have
 * positive coefficients. Where no zeros are, and the harmonic falls towards h, the series cancel and powers of
 * s^2 - h^2 do not. The eigenvalue is that of the Fourier series, whose matrix is tridiagonal, by halving.
 *
 * Invariant: a recurrence runs from either end to the row where both meet, never beyond, so each coefficient has its
 * own digits; none is stored. */
#ifndef CPS_ELLIPSOIDAL_H
#define CPS_ELLIPSOIDAL_H

#include "scalar/elliptic.h"
#include "scalar/taylor.h"

#define CPS_MOST_LAME 1000 /* degrees: coefficients of higher ones are out of range */

/* The Fourier series of an interval: of cosines or sines of `first`, first + 2, ... last times the angle, times the
 * root's power `root`. The eigenvalue; the row where the coefficients from both ends meet. */
typedef struct cps_lame_wave { double h2, k2, n, first, last, value, meet; int sine, root; } cps_lame_wave;
/* A harmonic: its exponents, the degree of the polynomial, its series up to h and from h to k, the row where powers
 * about h meet (-1: not yet known). It is none unless `good`. */
typedef struct cps_lame {
    double h2, k2, n, p, degree, middle;
    int a, b, c, good;
    cps_lame_wave inner, outer;
} cps_lame;

/* A sum, and that of its terms' absolute values. */
typedef struct cps_lame_sum { double value, size; } cps_lame_sum;

/* --- the series --- */

CPS_MATH double cps_lame_row(const cps_lame_wave *w, double j)
{
    const double n = w->n, q = n * (n + 1), edge = j == 1 ? 0.25 * w->h2 * q : 0;
    return j * j * (w->k2 - 0.5 * w->h2) + 0.5 * q * w->h2 + (w->sine ? -edge : edge) - w->value;
}
/* What row j has of the coefficients of j + 2 and of j - 2. */
CPS_MATH double cps_lame_up(const cps_lame_wave *w, double j)
{
    return 0.25 * w->h2 * (w->n + j + 2 - w->root) * (w->n - j - 1 + w->root);
}
CPS_MATH double cps_lame_down(const cps_lame_wave *w, double j)
{
    return (j == 2 && !w->sine ? 0.5 : 0.25) * w->h2 * (w->n - j + 2 - w->root) * (w->n + j - 1 + w->root);
}
/* The next pivot of a factorization from the first row, and from the last one. */
CPS_MATH double cps_lame_pivot_up(const cps_lame_wave *w, double pivot, double j)
{
    return cps_lame_row(w, j) - cps_lame_up(w, j - 2) * cps_lame_down(w, j) / (pivot == 0 ? 1e-290 : pivot);
}
CPS_MATH double cps_lame_pivot_down(const cps_lame_wave *w, double pivot, double j)
{
    return cps_lame_row(w, j) - cps_lame_up(w, j) * cps_lame_down(w, j + 2) / (pivot == 0 ? 1e-290 : pivot);
}
/* How many eigenvalues are below w->value. */
CPS_HEAVY double cps_lame_below(const cps_lame_wave *w)
{
    double pivot = cps_lame_row(w, w->first), below = pivot < 0;
    for (double j = w->first + 2; j <= w->last; j += 2) {
        pivot = cps_lame_pivot_up(w, pivot, j);
        below += pivot < 0;
    }
    return below;
}
/* Finds the eigenvalue above `place` others, and the row of the largest coefficient. All are from 0 to n (n + 1) k^2.
 */
CPS_HEAVY void cps_lame_solve(cps_lame_wave *w, double place)
{
    w->value = 0, w->meet = w->first;
    if (w->first == w->last) {
        w->value = cps_lame_row(w, w->first);
        return;
    }
    double low = 0, high = w->n * (w->n + 1) * w->k2 * (1 + 1e-12);
    for (int i = 0; i < 400; i++) {
        w->value = 0.5 * (low + high);
        if (w->value == low || w->value == high) break;
        if (cps_lame_below(w) > place) high = w->value;
        else low = w->value;
    }
    double least = CPS_INF, pivot = 0;
    for (double j = w->first; j <= w->last; j += 2) {
        pivot = j == w->first ? cps_lame_row(w, j) : cps_lame_pivot_up(w, pivot, j);
        double other = cps_lame_row(w, w->last);
        for (double i = w->last - 2; i >= j; i -= 2) other = cps_lame_pivot_down(w, other, i);
        const double both = fabs(pivot + (other - cps_lame_row(w, j)));
        if (both < least) least = both, w->meet = j;
    }
}
CPS_MATH double cps_lame_term(const cps_lame_wave *w, double j, double angle)
{
    return w->sine ? sin(j * angle) : cos(j * angle);
}
/* The series at the angle of this cosine and sine, times powers of them and of h whose product has the highest
 * coefficient 1 in s; `square` is k^2 less the place's. */
CPS_HEAVY cps_lame_sum cps_lame_series(const cps_lame_wave *w, double cosine, double sine, double square)
{
    const double angle = atan2(sine, cosine);
    double c = 1, d = 1, low = 0, high = 0, low_size = 0, high_size = 0, pivot = cps_lame_row(w, w->first);
    for (double j = w->first; j < w->meet; j += 2) {
        const double term = c * cps_lame_term(w, j, angle);
        low += term, low_size += fabs(term);
        c *= -pivot / cps_lame_up(w, j);
        pivot = cps_lame_pivot_up(w, pivot, j + 2);
    }
    pivot = cps_lame_row(w, w->last);
    for (double j = w->last; j > w->meet; j -= 2) {
        const double term = d * cps_lame_term(w, j, angle);
        high += term, high_size += fabs(term);
        d *= -pivot / cps_lame_down(w, j);
        pivot = cps_lame_pivot_down(w, pivot, j - 2);
    }
    const double term = d * cps_lame_term(w, w->meet, angle), by = d / c;
    const double unit = w->last == 0 ? 1 : 2 * pow(0.25 * w->h2, 0.5 * w->last), root = w->root ? sqrt(square) : 1;
    const cps_lame_sum r = {(high + (term + low * by)) * unit * root,
                            (high_size + fabs(term) + low_size * fabs(by)) * unit * root};
    return r;
}
/* The polynomial at s^2 = k^2 + u: coefficients from the lowest up to the row where the diagonal becomes positive, and
 * from the highest, 1, down to it, are sums of positive terms. */
CPS_HEAVY double cps_lame_powers(const cps_lame *l, double u)
{
    const double h2 = l->h2, k2 = l->k2, v = k2 - h2, most = l->degree, odd = l->a + l->b + l->c;
    const double fixed = l->a * v + l->b * k2 + l->c * (k2 + v) + 2 * l->c * (l->a * v + l->b * k2) - l->outer.value;
    const double linear = 4 * (l->a * v + l->b * k2 + l->c * (k2 + v));
    double meet = 0, low = 0, high = 1, c = 1, before = 0, d = 1, above = 0;
    while (meet < most && 4 * (k2 + v) * meet * meet + linear * meet + fixed <= 0) meet++;
    double power = 1;
    for (double i = 0; i < meet; i++) {
        const double row = 4 * (k2 + v) * i * i + linear * i + fixed;
        const double next = ((most - i + 1) * (4 * (most + i) - 2 + 4 * odd) * before - row * c) /
                            (k2 * v * (i + 1) * (4 * i + 2 + 4 * l->c));
        low += c * power;
        power *= u;
        before = c, c = next;
    }
    for (double i = most; i > meet; i--) {
        const double row = 4 * (k2 + v) * i * i + linear * i + fixed;
        const double next = (row * d + k2 * v * (i + 1) * (4 * i + 2 + 4 * l->c) * above) /
                            ((most - i + 1) * (4 * (most + i) - 2 + 4 * odd));
        high = high * u + next;
        above = d, d = next;
    }
    return high * power + low * (d / c);
}

/* Row i of the recurrence of powers of w = s^2 - h^2, and what it has of the coefficients i + 1 and i - 1. */
CPS_MATH double cps_lame_middle_row(const cps_lame *l, double i)
{
    const double h2 = l->h2, v = l->k2 - h2, linear = 4 * ((l->b + l->c) * h2 - (l->a + l->b) * v);
    const double fixed = l->b * (h2 - v) + l->c * h2 - l->a * v + 2 * l->b * (l->c * h2 - l->a * v);
    return 4 * (h2 - v) * i * i + linear * i + fixed + (l->inner.value - l->n * (l->n + 1) * h2);
}
CPS_MATH double cps_lame_middle_up(const cps_lame *l, double i)
{
    return -l->h2 * (l->k2 - l->h2) * (i + 1) * (4 * i + 2 + 4 * l->b);
}
CPS_MATH double cps_lame_middle_down(const cps_lame *l, double i)
{
    const double n = l->degree;
    return -(n - i + 1) * (4 * (n + i) - 2 + 4 * (l->a + l->b + l->c));
}
CPS_MATH double cps_lame_middle_pivot(const cps_lame *l, double pivot, double i, double from)
{
    const double low = from < i ? from : i;
    const double square = cps_lame_middle_up(l, low) * cps_lame_middle_down(l, low + 1);
    return cps_lame_middle_row(l, i) - square / (pivot == 0 ? 1e-290 : pivot);
}
CPS_HEAVY double cps_lame_middle_meet(const cps_lame *l)
{
    const double most = l->degree;
    double least = CPS_INF, pivot = 0, meet = 0;
    for (double i = 0; i <= most; i++) {
        pivot = i == 0 ? cps_lame_middle_row(l, 0) : cps_lame_middle_pivot(l, pivot, i, i - 1);
        double other = cps_lame_middle_row(l, most);
        for (double j = most - 1; j >= i; j--) other = cps_lame_middle_pivot(l, other, j, j + 1);
        const double both = fabs(pivot + (other - cps_lame_middle_row(l, i)));
        if (both < least) least = both, meet = i;
    }
    return meet;
}
/* The polynomial in powers of w, which have the more digits the nearer h is. */
CPS_HEAVY cps_lame_sum cps_lame_middle(const cps_lame *l, double w)
{
    const double most = l->degree, meet = l->middle;
    double pivot, c = 1, d = 1, low = 0, low_size = 0, high = 1, high_size = 1, power = 1;
    pivot = cps_lame_middle_row(l, 0);
    for (double i = 0; i < meet; i++) {
        low += c * power, low_size += fabs(c * power);
        power *= w;
        c *= -pivot / cps_lame_middle_up(l, i);
        pivot = cps_lame_middle_pivot(l, pivot, i + 1, i);
    }
    pivot = cps_lame_middle_row(l, most);
    for (double i = most; i > meet; i--) {
        d *= -pivot / cps_lame_middle_down(l, i);
        pivot = cps_lame_middle_pivot(l, pivot, i - 1, i);
        high = high * w + d, high_size = high_size * fabs(w) + fabs(d);
    }
    const double by = d / c;
    const cps_lame_sum r = {high * power + low * by, high_size * fabs(power) + low_size * fabs(by)};
    return r;
}

/* --- harmonics --- */

CPS_HEAVY void cps_lame_make(cps_lame *l, double h2, double k2, double n, double p)
{
    l->h2 = h2, l->k2 = k2, l->n = n, l->p = p, l->good = 0, l->middle = -1;
    if (!(n >= 0 && n <= CPS_MOST_LAME && p >= 1 && p <= 2 * n + 1)) return;
    if (n != floor(n) || p != floor(p) || h2 != h2 || k2 != k2) return;
    const double half = floor(0.5 * n), more = n - half;
    const int odd = n != 2 * half;
    double place = p - 1, rows = half + 1;
    l->a = odd, l->b = 0, l->c = 0;
    if (place >= half + 1) {
        place -= half + 1, rows = more;
        l->a = !odd, l->b = 1;
        if (place >= more) place -= more, l->b = 0, l->c = 1;
        if (l->c && place >= more) place -= more, rows = half, l->a = odd, l->b = 1;
    }
    l->degree = rows - 1;
    if (rows > 1 && !(h2 > 0 && k2 > h2 && k2 < CPS_INF)) return;
    const double first = l->a == l->b ? (l->b ? 2 : 0) : 1, other = l->c == l->b ? (l->b ? 2 : 0) : 1;
    const cps_lame_wave inner = {h2, k2, n, first, n - l->c, 0, 0, l->b, l->c};
    const cps_lame_wave outer = {k2 - h2, k2, n, other, n - l->a, 0, 0, l->b, l->a};
    l->inner = inner, l->outer = outer;
    cps_lame_solve(&l->inner, place);
    cps_lame_solve(&l->outer, rows - 1 - place);
    l->good = 1;
}
#define CPS_LAME_KEPT(l, h2, k2, n, p) \
    CPS_KEPT(cps_lame, l, l->h2 != h2 || l->k2 != k2 || l->n != n || l->p != p, cps_lame_make(l, h2, k2, n, p))
/* Between -k and k: by the series or, where its terms cancel more than powers of s^2 - h^2 do, by these. */
CPS_HEAVY double cps_lame_between(cps_lame *l, double s, double near, double far)
{
    const double v = l->k2 - l->h2;
    cps_lame_sum r;
    if (near <= 0) {
        r = cps_lame_series(&l->inner, fabs(s) / sqrt(l->h2), sqrt(-near / l->h2), -far);
    } else {
        r = cps_lame_series(&l->outer, sqrt(-far / v), sqrt(near / v), s * s);
        if (fmod(l->degree, 2) != 0) r.value = -r.value;
    }
    if (!(fabs(r.value) < 0.1 * r.size)) return r.value;
    if (l->middle < 0) l->middle = cps_lame_middle_meet(l);
    const cps_lame_sum m = cps_lame_middle(l, near);
    const double roots = (l->a ? fabs(s) : 1) * (l->b ? sqrt(fabs(near)) : 1) * (l->c ? sqrt(-far) : 1);
    return m.size * roots < r.size ? m.value * roots : r.value;
}
CPS_HEAVY double cps_lame_at(cps_lame *l, double s)
{
    const double far = fma(s, s, -l->k2), near = fma(s, s, -l->h2);
    double r;
    if (l->degree == 0 || far >= 0) {
        r = l->degree == 0 ? 1 : cps_lame_powers(l, far);
        r *= (l->a ? fabs(s) : 1) * (l->b ? sqrt(fabs(near)) : 1) * (l->c ? sqrt(fabs(far)) : 1);
    } else {
        r = cps_lame_between(l, s, near, far);
    }
    return l->a && s < 0 ? -r : r;
}
CPS_HEAVY double cps_lame_harmonic(double h2, double k2, double n, double p, double s)
{
    CPS_LAME_KEPT(l, h2, k2, n, p)
    if (s != s || !l->good) return CPS_NAN;
    if (cps_infinite(s)) return n == 0 ? 1 : l->a && s < 0 ? -CPS_INF : CPS_INF;
    return cps_lame_at(l, s);
}
/* That of the second kind, from k on: 2 n + 1 over E(s) times the integral of (E(s) / E(x))^2 over the roots of
 * x^2 - h^2 and x^2 - k^2 from s on, of x^2 = k^2 + y^2, by the trapezoidal rule in the logarithm of y. */
CPS_HEAVY double cps_ellip_harm_2(double h2, double k2, double n, double p, double s)
{
    CPS_LAME_KEPT(l, h2, k2, n, p)
    if (s != s || !(h2 > 0 && k2 > h2 && k2 < CPS_INF) || !l->good) return CPS_NAN;
    const double square = fma(s, s, -k2), sign = s < 0 && !l->a ? -1 : 1;
    if (square < 0) return CPS_NAN;
    if (cps_infinite(s)) return 0;
    const double start = sqrt(square), v = k2 - h2, x0 = fabs(s), step = 0.13;
    const double roots = (l->a ? x0 : 1) * (l->b ? sqrt(square + v) : 1);
    const double part = roots * (l->degree > 0 ? cps_lame_powers(l, square) : 1);
    if (l->c && start == 0) return sign * (2 * n + 1) / (x0 * sqrt(v) * part);
    const double scale = (start + (l->c ? 0 : sqrt(k2))) / (n + 1);
    double sum = 0;
    for (double at = -42; at < 200; at += step) {
        const double by = scale * exp(at), y = start + by, u = y * y, x2 = k2 + u;
        const double e = part / (l->degree > 0 ? cps_lame_powers(l, u) : 1);
        const double other = (l->a ? x2 : 1) * (l->b ? u + v : 1) * (l->c ? u / square : 1);
        const double add = by * (e * e / other) / sqrt(x2 * (u + v));
        sum += add;
        if (at > 0 && add < 1e-18 * sum) break;
    }
    return sign * (2 * n + 1) / (part * (l->c ? start : 1)) * sum * step;
}
/* E^2, and it times the sine's square, summed over K (m) of the angle's amplitude: by the trapezoidal rule, which is
 * exact but for the poles. NaN where these are so near that it would take seconds. */
typedef struct cps_lame_sums { double plain, square; } cps_lame_sums;
CPS_HEAVY cps_lame_sums cps_lame_integrals(const cps_lame *l, const cps_lame_wave *w)
{
    const double m = w->h2 / w->k2, rest = (w == &l->inner ? l->k2 - l->h2 : l->h2) / w->k2;
    const double whole = cps_ellipkm1(rest), other = cps_ellipkm1(m);
    const double count = ceil(whole / other * (12 + 1.2 * l->n) + l->n + 8);
    cps_lame_sums r = {count < 20000 ? 0 : CPS_NAN, 0};
    for (double i = 0; i <= count && count < 20000; i++) {
        const cps_jacobi j = cps_ellipj(whole * i / count, m);
        const double sn = i == count ? 1 : j.sn, cn = i == count ? 0 : j.cn, square = rest + m * cn * cn;
        const double e = cps_lame_series(w, sn, cn, w->k2 * square).value;
        const double add = (i == 0 || i == count ? 0.5 : 1) * e * e;
        r.plain += add, r.square += add * cn * cn;
    }
    r.plain *= whole / count, r.square *= whole / count;
    return r;
}
CPS_HEAVY double cps_ellip_normal(double h2, double k2, double n, double p)
{
    cps_lame l;
    cps_lame_make(&l, h2, k2, n, p);
    if (!(h2 > 0 && k2 > h2 && k2 < CPS_INF) || !l.good) return CPS_NAN;
    const cps_lame_sums a = cps_lame_integrals(&l, &l.inner), b = cps_lame_integrals(&l, &l.outer);
    return 8 * ((k2 - h2) / k2 * b.square * a.plain + h2 / k2 * b.plain * a.square);
}

#endif
