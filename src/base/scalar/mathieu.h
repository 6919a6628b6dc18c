/* Mathieu's functions, of y'' + (a - 2 q cos(2 x)) y = 0 and of the modified equation.
 *
 * A characteristic value is an eigenvalue of a symmetric tridiagonal matrix (DLMF 28.4.5 to 28.4.8), found by steps of
 * Newton on the pivot of a twisted factorization; how many pivots are negative says which eigenvalue it is. The same
 * factorization has the Fourier coefficients, each with its own digits. Modified functions are sums of products of
 * Bessel functions (DLMF 28.24), about the largest coefficient, so that terms hardly cancel. */
#ifndef CPS_MATHIEU_H
#define CPS_MATHIEU_H

#include "scalar/bessel.h"
#include "scalar/taylor.h"
#include "scalar/tridiagonal.h"

/* Coefficients that are kept: of q up to about 10^5. */
#define CPS_MOST_COEFFICIENTS 320
#define CPS_MOST_BESSEL (2 * CPS_MOST_COEFFICIENTS + 8)

/* Even functions (ce) or odd ones (se) of order m. */
CPS_MATH cps_tridiagonal cps_mathieu_chain(int odd, double m, double q)
{
    cps_tridiagonal c;
    const int uneven = fmod(m, 2) != 0;
    c.kind = CPS_TRI_MATHIEU;
    c.p = uneven ? 1 : odd ? 2 : 0;
    c.first = c.p * c.p + (uneven ? (odd ? -q : q) : 0);
    c.q = q;
    c.place = (m - c.p) / 2;
    return c;
}
/* (a + 2 q) / (4 q) of the phase of a quarter of a turn over sqrt(q), w: the inverse of E(k) - (1 - k) K(k), and beyond
 * 1, where waves pass over the barrier, of sqrt(k) E(1/k). */
CPS_MATH double cps_mathieu_level(double w)
{
    const double t = w - 1;
    if (t < 0) return 1.000501 + t * (0.486394 + t * (-1.489693 + t * (-3.090466 + t * (-4.177195 - t * 2.26271))));
    return 0.99895 + t * (0.526594 + t * (1.074606 + t * (-0.990281 + t * (0.756861 - t * 0.225932))));
}
/* A characteristic value for a start: its series of small q, its expansion for large ones, between them the level of a
 * whole number of waves, or of a half more or less where they do not pass over the barrier. */
CPS_MATH double cps_mathieu_guess(int odd, double m, double q)
{
    const double s = odd ? 2 * m - 1 : 2 * m + 1, h = sqrt(q), w = q * q, sign = odd ? -1 : 1;
    const double waves = 0.78539816339744831 / h, level = waves * m;
    if (m > 1.5 && level > 0.45 && level < 2) {
        const double t = 2 * h * (1 - cps_mathieu_level(level)), part = 0.25 + 0.25 * t / (1 + fabs(t));
        return q * (4 * cps_mathieu_level(waves * (m + sign * part)) - 2);
    }
    if (level < 1) {
        const double ss = s * s, over = 1 / h, u = over * 0.0078125;
        return -2 * q + 2 * s * h - 0.125 * (ss + 1) -
               u * (s * (ss + 3) + over * (0.03125 * (5 * ss * ss + 34 * ss + 9) +
                    over * 0.0078125 * s * (33 * ss * ss + 410 * ss + 405)));
    }
    if (m == 0) return w * (-0.5 + w * (0.0546875 - w * 0.012586805555555556));
    if (m == 1) return 1 + sign * q * (1 - w * 0.015625 + w * w * 3.0e-4) - w * (0.125 + w * 6.5104166666666663e-04);
    if (m == 2)
        return odd ? 4 - w * (0.083333333333333329 - w * 3.6168981481481481e-04) :
               4 + w * (0.41666666666666669 - w * (0.055193865740740741 - w * 0.0127));
    const double mm = m * m, e = mm - 1, f = 1 / (e * e * e * (mm - 4));
    double a = mm + 0.5 * w / e + (5 * mm + 7) * w * w * 0.03125 * f;
    if (m == 3) a += sign * q * w * 0.015625;
    if (m == 4) a += sign * w * w * 4.34e-04;
    return a;
}
/* Of a whole order and q >= 0. */
CPS_HEAVY double cps_mathieu_value(int odd, double m, double q)
{
    if (q == 0) return m * m;
    if (!(q < 2e6 && m < 2e6)) return CPS_NAN;
    const cps_tridiagonal c = cps_mathieu_chain(odd, m, q);
    return cps_tri_value(&c, m * m - 2 * q, m * m + 2 * q, cps_mathieu_guess(odd, m, q));
}
/* a (odd: 0) or b; of q < 0 that of the function which a quarter of a turn makes of it. */
CPS_HEAVY double cps_mathieu_of(int odd, double m, double q)
{
    if (!(m >= odd) || m != floor(m) || q != q || m == CPS_INF) return CPS_NAN;
    return cps_mathieu_value(q < 0 && fmod(m, 2) != 0 ? !odd : odd, m, fabs(q));
}
CPS_MATH double cps_mathieu_a(double m, double q) { return cps_mathieu_of(0, m, q); }
CPS_MATH double cps_mathieu_b(double m, double q) { return cps_mathieu_of(1, m, q); }

/* --- Fourier coefficients --- */

/* c[i] is that of cos or sin of (2 i + p) x; n of them (0: too many), the largest at `most`. A sum of sines has no use
 * for more than the first `used`; beside the smaller ones are large Bessel functions of the second kind. */
typedef struct cps_fourier {
    double m, q;
    int odd, p, n, used, most;
    double c[CPS_MOST_COEFFICIENTS];
} cps_fourier;

CPS_HEAVY void cps_fourier_make(cps_fourier *f, int odd, double m, double q)
{
    const double a = cps_mathieu_value(odd, m, q);
    const cps_tridiagonal c = cps_mathieu_chain(odd, m, q);
    f->m = m, f->q = q, f->odd = odd, f->p = c.p;
    f->n = f->most = 0;
    const double rows = a == a && c.place < CPS_MOST_COEFFICIENTS ? cps_tri_rows(&c, a, 1e36) : CPS_INF;
    if (!(rows < CPS_MOST_COEFFICIENTS)) return;
    f->n = (int)rows + 1;
    if (q == 0) {
        for (int i = 0; i < f->n; i++) f->c[i] = i == c.place;
        f->most = (int)c.place;
    } else {
        f->most = cps_tri_vector(&c, a, f->n - 1, f->c);
    }
    if (c.p == 0) f->c[0] *= CPS_SQRT_HALF;
    for (f->used = f->n; f->used > f->most + 1 && fabs(f->c[f->used - 1]) < 1e-18 / (f->used + 1.0); f->used--) {}
}
/* The sum at x degrees, and its derivative by the angle in radians. */
CPS_HEAVY cps_solution cps_fourier_sum(const cps_fourier *f, double x)
{
    if (!f->n || !(fabs(x) < CPS_INF)) return cps_no_solution();
    const double turn = x - 360 * rint(x / 360), t = (fabs(x) < 720 ? turn : fmod(x, 360)) / 180;
    const double s = cps_sinpi(t), c = cps_cospi(t), c2 = (c - s) * (c + s), s2 = 2 * s * c;
    double u = f->p == 0 ? 1 : f->p == 1 ? c : c2, v = f->p == 0 ? 0 : f->p == 1 ? s : s2;
    double plain = 0, turned = 0;
    for (int i = 0; i < f->used; i++) {
        const double k = 2 * i + f->p, a = f->c[i], next = u * c2 - v * s2;
        plain += a * (f->odd ? v : u);
        turned += k * a * (f->odd ? u : -v);
        v = v * c2 + u * s2;
        u = next;
    }
    const cps_solution r = {plain, turned};
    return r;
}
/* ce (odd: 0) or se. q < 0: a quarter of a turn makes it that of -q (DLMF 28.2.34 and after). */
CPS_HEAVY cps_solution cps_mathieu_wave(int odd, double m, double q, double x)
{
    if (!(m >= 0) || m != floor(m) || q != q || x != x || m == CPS_INF) return cps_no_solution();
    const cps_solution none = {0, 0};
    if (odd && m == 0) return none;
    const int turned = q < 0, uneven = fmod(m, 2) != 0, other = turned && uneven ? !odd : odd;
    CPS_KEPT(cps_fourier, f, f->m != m || f->q != fabs(q) || f->odd != other, cps_fourier_make(f, other, m, fabs(q)))
    cps_solution r = cps_fourier_sum(f, turned ? 90 - x : x);
    if (turned) {
        const double sign = (fmod(floor(m / 2), 2) != 0 ? -1 : 1) * (odd && !uneven ? -1 : 1);
        r.y *= sign, r.slope *= -sign;
    }
    return r;
}

/* --- modified functions --- */

/* J of the orders 0 to n - 1: up while they oscillate, then by quotients. */
CPS_HEAVY void cps_j_orders(double x, int n, double *r)
{
    const double over = 2 / x;
    const int turn = x < n - 1 ? (int)x : n - 1;
    r[0] = cps_j0_of(x), r[1] = cps_j1_of(x);
    for (int k = 1; k < turn; k++) r[k + 1] = k * over * r[k] - r[k - 1];
    const int from = turn < 1 ? 1 : turn;
    if (from >= n - 1) return;
    double q = 0;
    for (int k = n + 12 + (int)(0.3 * x < 40 ? 0.3 * x : 40); k > from; k--) {
        q = 1 / (k * over - q);
        if (k < n) r[k] = q;
    }
    for (int k = from + 1; k < n; k++) r[k] *= r[k - 1];
}
CPS_HEAVY void cps_y_orders(double x, int n, double *r)
{
    const double over = 2 / x;
    r[0] = cps_y0_of(x), r[1] = cps_y1_of(x);
    for (int k = 1; k + 1 < n; k++) r[k + 1] = r[k] > -CPS_INF ? k * over * r[k] - r[k - 1] : -CPS_INF;
}
/* The one of an order, which may be negative, and x times its derivative. */
CPS_MATH cps_solution cps_of_orders(const double *r, int order, double x)
{
    const int k = order < 0 ? -order : order;
    const double sign = order < 0 && (k & 1) ? -1 : 1;
    const cps_solution w = {sign * r[k], sign * (k ? x * r[k - 1] - k * r[k] : -x * r[1])};
    return w;
}
/* Mc or Ms of the first or second kind at x >= 0. */
CPS_HEAVY cps_solution cps_modified_sum(const cps_fourier *f, int second, double x)
{
    double near[CPS_MOST_BESSEL], far[CPS_MOST_BESSEL];
    const double h = sqrt(f->q), u = h * exp(-x), w = h * exp(x);
    const int s = f->most, p = f->p, orders = f->n + s + p + 2;
    if (!f->n || !(w < 1e300) || !(u > 0)) return cps_no_solution();
    cps_j_orders(u, orders, near);
    if (second) cps_y_orders(w, orders, far);
    else cps_j_orders(w, orders, far);
    double y = 0, slope = 0;
    for (int i = 0; i < f->n; i++) {
        const double a = (i & 1) ? -f->c[i] : f->c[i];
        const cps_solution n = cps_of_orders(near, i - s, u), g = cps_of_orders(far, i + s + p, w);
        const cps_solution k = cps_of_orders(near, i + s + p, u), l = cps_of_orders(far, i - s, w);
        const double sign = f->odd ? -1 : 1, t = a * n.y, v = a * n.slope, b = sign * a * k.y, d = sign * a * k.slope;
        y += (t == 0 ? 0 : t * g.y) + b * l.y;
        slope += (t == 0 ? 0 : t * g.slope) - (v == 0 ? 0 : v * g.y) + b * l.slope - d * l.y;
    }
    const double order = floor((f->m - (f->p == 2 ? 2 : 0)) / 2), turn = fmod(order, 2) != 0 ? -1 : 1;
    const double scale = turn / (f->c[s] * (p == 0 && s == 0 ? 2 : 1));
    const cps_solution r = {scale * y, scale * slope};
    return r;
}
/* Left of 0 the first kind is even or odd, the second one a sum of both. */
CPS_HEAVY cps_solution cps_mathieu_modified(int odd, int second, double m, double q, double x)
{
    if (!(m >= odd) || m != floor(m) || !(q >= 0) || x != x || m == CPS_INF) return cps_no_solution();
    CPS_KEPT(cps_fourier, f, f->m != m || f->q != q || f->odd != odd, cps_fourier_make(f, odd, m, q))
    cps_solution r = cps_modified_sum(f, second, fabs(x));
    if (x < 0 && second) {
        const cps_solution zero = cps_modified_sum(f, 1, 0), first = cps_modified_sum(f, 0, 0);
        const cps_solution there = cps_modified_sum(f, 0, -x);
        const double k = odd ? 2 * zero.slope / first.slope : 2 * zero.y / first.y;
        const double side = odd ? -1 : 1;
        r.y = side * (k * there.y - r.y);
        r.slope = -side * (k * there.slope - r.slope);
    } else if (!second) {
        if (odd) r.y = x < 0 ? -r.y : x == 0 ? 0 : r.y;
        else r.slope = x < 0 ? -r.slope : x == 0 ? 0 : r.slope;
    }
    return r;
}

#endif
