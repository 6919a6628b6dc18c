/* Eigenvalues and eigenvectors of the symmetric tridiagonal matrices of wave functions. Rows are computed where they
 * are needed: no matrix is kept. An eigenvector falls beyond the rows that count, so the matrix ends there. */
#ifndef CPS_TRIDIAGONAL_H
#define CPS_TRIDIAGONAL_H

#include "scalar/special.h"

enum { CPS_TRI_MATHIEU, CPS_TRI_SPHEROIDAL };
/* Mathieu's: (2 i + p)^2 but for the first row, beside them q. Spheroidal ones: Legendre functions of order m and
 * degrees m + p + 2 i, of q = c^2 (oblate: -c^2). `place` is the eigenvalue's, from 0 on. */
typedef struct cps_tridiagonal { double first, q, place, m; int p, kind; } cps_tridiagonal;

CPS_MATH double cps_tri_row(const cps_tridiagonal *c, double i)
{
    if (c->kind == CPS_TRI_MATHIEU) {
        const double k = 2 * i + c->p;
        return i == 0 ? c->first : k * k;
    }
    const double d = c->m + c->p + 2 * i, dd = d * (d + 1);
    return dd + c->q * (2 * (dd - c->m * c->m) - 1) / ((2 * d - 1) * (2 * d + 3));
}
/* The square of what is beside the rows i and i + 1. */
CPS_MATH double cps_tri_square(const cps_tridiagonal *c, double i)
{
    if (c->kind == CPS_TRI_MATHIEU) return i == 0 && c->p == 0 ? 2 * c->q * c->q : c->q * c->q;
    const double r = c->p + 2 * i, d = c->m + r, e = 2 * d + 3, mm = 2 * c->m;
    const double top = (r + 1) * (r + 1 + mm) * (r + 2) * (r + 2 + mm);
    return c->q * c->q * top / ((e - 2) * (e + 2) * e * e);
}
/* The last row that counts of the eigenvector of v: it falls by `by` from where the row is above v, and all that is
 * beside it. */
CPS_MATH double cps_tri_rows(const cps_tridiagonal *c, double v, double by)
{
    const int mathieu = c->kind == CPS_TRI_MATHIEU;
    const double beside = mathieu ? c->q : 0.25 * fabs(c->q), top = v + (mathieu || c->q < 0 ? 2 * beside : 0);
    const double over = 1 / beside;
    double i = floor(0.5 * sqrt(top > 0 ? top : 0)) - (mathieu ? 1 : floor(0.5 * c->m)), fall = 1;
    i = i < c->place ? c->place : i;
    while (fall < by && i < 1e7) {
        i++;
        const double above = (cps_tri_row(c, i) - v) * over;
        if (above > 2) fall *= above - 1; /* at least */
    }
    return i;
}
/* A pivot of a factorization of the matrix less v, its derivatives by v (the first one's sign turned), and how many of
 * those before it are negative. */
typedef struct cps_pivot { double value, slope, bend, third; int below; } cps_pivot;
CPS_MATH cps_pivot cps_pivot_first(double row)
{
    const cps_pivot p = {row, 1, 0, 0, 0};
    return p;
}
CPS_MATH cps_pivot cps_pivot_next(cps_pivot p, double square, double row)
{
    const double d = p.value == 0 ? 1e-100 : p.value, over = 1 / d, up = square * over, by = up * over;
    const double s = p.slope * over, bend = p.bend - 2 * s * p.slope;
    const cps_pivot r = {row - up, 1 + by * p.slope, by * bend, by * (p.third + 6 * s * (p.bend - s * p.slope)),
                         p.below + (d < 0)};
    return r;
}
/* Householder's step of the fourth order from v on the pivot of row j, where the factorizations from both ends meet,
 * and about how far it ends from the eigenvalue, by its terms and by the distance of others, a root of v at least. How
 * many eigenvalues are below v, with and without that pivot. */
typedef struct cps_twist { double step, lost; int below, others; } cps_twist;
CPS_MATH cps_twist cps_tri_twist(const cps_tridiagonal *c, double v, double j, double n)
{
    cps_pivot d = cps_pivot_first(cps_tri_row(c, 0) - v), e = cps_pivot_first(cps_tri_row(c, n) - v);
    double i = 0, k = n;
    for (; i < j && k > j; i++, k--) { /* the two do not wait for each other */
        d = cps_pivot_next(d, cps_tri_square(c, i), cps_tri_row(c, i + 1) - v);
        e = cps_pivot_next(e, cps_tri_square(c, k - 1), cps_tri_row(c, k - 1) - v);
    }
    for (; i < j; i++) d = cps_pivot_next(d, cps_tri_square(c, i), cps_tri_row(c, i + 1) - v);
    for (; k > j; k--) e = cps_pivot_next(e, cps_tri_square(c, k - 1), cps_tri_row(c, k - 1) - v);
    const double pivot = d.value + e.value - (cps_tri_row(c, j) - v), slope = d.slope + e.slope - 1;
    const double h = pivot / slope, over = h / slope, a = -0.5 * over * (d.bend + e.bend);
    const double b = over * h * (d.third + e.third) * -0.16666666666666666, by = (1 + a) / (1 + 2 * a + b);
    const double step = by > 0.4 && by < 2.5 ? h * by : h, far = fabs(b) + h * h / (1 + fabs(v));
    const double lost = fabs(h) * (fabs(a) * (a * a + far) + far * sqrt(far));
    const int others = d.below + e.below;
    const cps_twist r = {step, slope < 1e90 ? lost : CPS_INF, others + (pivot < 0), others};
    return r;
}
/* The row at which the eigenvector of v is not small: the last below v, or the first. */
CPS_MATH double cps_tri_middle(const cps_tridiagonal *c, double v, double n)
{
    if (c->kind == CPS_TRI_MATHIEU) {
        const double i = rint(0.5 * (sqrt(v > 0 ? v : 0) - c->p));
        return i < 0 ? 0 : i > n ? n : i;
    }
    const double i = rint(0.5 * (sqrt(v > 0 ? v : 0) - c->m - c->p));
    return i < 0 ? 0 : i > n ? n : i;
}
/* The eigenvalue, which is between low and high. Where the row of the pivot has others on the wrong side of v, it is
 * hardly in the eigenvector: the next one is tried, then halves. */
CPS_MATH double cps_tri_value(const cps_tridiagonal *c, double low, double high, double v)
{
    const double n = cps_tri_rows(c, v, 1e9);
    int aside = 0;
    for (int k = 0; k < 200; k++) {
        const double last = k < 3 ? n : cps_tri_rows(c, high, 1e9), middle = cps_tri_middle(c, v, last);
        const cps_twist t = cps_tri_twist(c, v, !aside ? middle : middle > 0 ? middle - 1 : last > 0, last);
        const double next = v + t.step;
        if (t.below <= c->place) low = v > low ? v : low;
        else high = v < high ? v : high;
        const int right = t.others == c->place;
        if (right && t.lost < 1e-17 * (1 + fabs(v))) return next;
        aside = !right && !aside;
        if (aside) continue;
        v = right && next > low && next < high && (k & 7) != 7 ? next : 0.5 * (low + high);
        if (v == low || v == high) return v;
    }
    return CPS_NAN;
}
/* The normalized eigenvector of v, its first element positive; gives the place of the largest. */
CPS_MATH int cps_tri_vector(const cps_tridiagonal *c, double v, int n, double *r)
{
    const int j = (int)cps_tri_middle(c, v, n);
    double d = cps_tri_row(c, 0) - v, norm = 0, most = 0;
    int place = 0;
    r[j] = 1;
    for (int i = 0; i < j; i++) {
        d = d == 0 ? 1e-290 : d;
        const double up = cps_tri_square(c, i);
        r[i] = -sqrt(up) / d * (c->q < 0 ? -1 : 1);
        d = cps_tri_row(c, i + 1) - v - up / d;
    }
    d = cps_tri_row(c, n) - v;
    for (int i = n; i > j; i--) {
        d = d == 0 ? 1e-290 : d;
        const double up = cps_tri_square(c, i - 1);
        r[i] = -sqrt(up) / d * (c->q < 0 ? -1 : 1);
        d = cps_tri_row(c, i - 1) - v - up / d;
    }
    for (int i = j - 1; i >= 0; i--) r[i] *= r[i + 1];
    for (int i = j + 1; i <= n; i++) r[i] *= r[i - 1];
    double sign = 0;
    for (int i = 0; i <= n; i++) {
        norm += r[i] * r[i];
        if (fabs(r[i]) > most) most = fabs(r[i]), place = i;
        if (sign == 0 && r[i] != 0) sign = r[i] < 0 ? -1 : 1;
    }
    const double scale = sign / sqrt(norm);
    for (int i = 0; i <= n; i++) r[i] *= scale;
    return place;
}

#endif
