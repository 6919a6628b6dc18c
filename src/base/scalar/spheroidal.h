/* Spheroidal wave functions (Flammer's and SciPy's normalization).
 *
 * Less the factor |1 - x^2|^(m/2), or (1 + x^2)^(m/2), all of them solve
 *     (1 + s x^2) u'' + 2 s (m + 1) x u' + (b + g x^2) u = 0   (DLMF 30.2, 30.11)
 * by Taylor series, always in the direction in which the solution does not decay beside another: angular functions from
 * 0 on to a place where they oscillate and from 1 back to it, radial ones of the first kind from 1 (oblate: 0)
 * outwards, those of the second kind from where their expansion at infinity holds inwards. No coefficients of Legendre
 * functions are summed, which cancel for large c. What would take too many steps is NaN. */
#ifndef CPS_SPHEROIDAL_H
#define CPS_SPHEROIDAL_H

#include "scalar/taylor.h"
#include "scalar/tridiagonal.h"

/* --- characteristic values --- */

CPS_MATH int cps_spheroid_exists(double m, double n)
{
    return m >= 0 && n >= m && m == floor(m) && n == floor(n) && n <= 1e5;
}
CPS_HEAVY double cps_spheroid_value(int oblate, double m, double n, double c)
{
    const double q = oblate ? -c * c : c * c, low = n * (n + 1) + (q < 0 ? q : 0), high = n * (n + 1) + (q < 0 ? 0 : q);
    if (!cps_spheroid_exists(m, n) || n - m > 198 || !(fabs(c) < 5000)) return CPS_NAN;
    if (q == 0 || low == high) return low;
    cps_tridiagonal s;
    s.kind = CPS_TRI_SPHEROIDAL;
    s.m = m, s.q = q, s.p = fmod(n - m, 2) != 0, s.first = 0;
    s.place = floor((n - m) / 2);
    const double i = s.place, here = cps_tri_row(&s, i), l = n - m, w = oblate ? n + (s.p ? 0 : 1) : 2 * l + 1;
    double v = here + cps_tri_square(&s, i) / (here - cps_tri_row(&s, i + 1));
    if (i > 0) v += cps_tri_square(&s, i - 1) / (here - cps_tri_row(&s, i - 1));
    c = fabs(c);
    if (c > 2 * n + 2) v = oblate ? q + 2 * c * w - 0.5 * (w * w + 1 - m * m) : c * w + m * m - 0.125 * (w * w + 5);
    return cps_tri_value(&s, low, high, v < low || v > high ? 0.5 * (low + high) : v);
}

typedef struct cps_spheroid { double m, n, c, value; int oblate; } cps_spheroid;
CPS_MATH void cps_spheroid_make(cps_spheroid *s, int oblate, double m, double n, double c)
{
    const cps_spheroid made = {m, n, c, cps_spheroid_value(oblate, m, n, c), oblate};
    *s = made;
}
CPS_HEAVY double cps_spheroid_kept(int oblate, double m, double n, double c)
{
    CPS_KEPT(cps_spheroid, s, s->m != m || s->n != n || s->c != c || s->oblate != oblate,
             cps_spheroid_make(s, oblate, m, n, c))
    return s->value;
}

/* --- solutions --- */

CPS_MATH cps_equation cps_spheroid_equation(int s, double m, double value, double square)
{
    const double b = value - m * (m + 1);
    const cps_equation e = {s, m, s > 0 ? -b : b, -square};
    return e;
}
/* u of an odd or even solution at 0, or of the regular one at 1. */
CPS_MATH cps_point cps_spheroid_begin(int at_1, int odd)
{
    const cps_point p = {at_1 ? 1.0 : 0.0, at_1 || !odd ? 1.0 : 0.0, at_1 || !odd ? 0.0 : 1.0, 0};
    return p;
}
/* The function and its derivative of u: times |1 + s x^2|^(m/2). */
CPS_MATH cps_solution cps_spheroid_whole(int s, double m, double x, cps_point p)
{
    const double a = s > 0 ? 1 + x * x : (1 - x) * (1 + x), root = pow(fabs(a), 0.5 * m);
    const double slope = p.slope + s * m * x / a * p.u;
    const cps_solution w = {cps_times_power(root * p.u, p.power), cps_times_power(root * slope, p.power)};
    return w;
}

/* --- angular functions --- */

/* P of order m and degree n at 0 (of odd n - m its derivative), without the sign (-1)^m. */
CPS_MATH double cps_spheroid_at_0(double m, double n)
{
    double p = 1;
    const int odd = fmod(n - m, 2) != 0;
    for (double k = 1; k < 2 * m && p < CPS_INF; k += 2) p *= k;
    for (double k = m; k + 1 < n - odd; k += 2) p *= -(k + m + 1) / (k + 2 - m);
    return odd ? p * (n + m) : p;
}
/* Where the solutions from both sides meet: amid the places where they oscillate. */
CPS_MATH double cps_spheroid_meeting(double m, double value, double square)
{
    const double b = value + square, d = b * b - 4 * square * (value - m * m), root = sqrt(d > 0 ? d : 0);
    const double f = 2 * (value - m * m) / (b + root), g = 2 * (value - m * m) / (b - root);
    double low = f < g ? f : g, high = f < g ? g : f;
    if (!(high <= 1 + 1e-6)) high = low, low = 0; /* of m = 0 one is 1 */
    if (square >= 0) low = 0;
    low = low > 0 ? low : 0;
    const double x = 0.5 * (sqrt(low) + sqrt(high > 1 ? 1 : high > 0 ? high : 0));
    return x > 0.1 && x < 0.98 ? x : x >= 0.98 ? 0.98 : 0.5;
}
typedef struct cps_angular {
    double m, n, value, square, meeting, scale, scale_1;
    int power_1;
    cps_path from_0, from_1;
} cps_angular;
CPS_HEAVY void cps_angular_make(cps_angular *a, double m, double n, double value, double square)
{
    const cps_equation e = cps_spheroid_equation(-1, m, value, square);
    const int odd = fmod(n - m, 2) != 0;
    a->m = m, a->n = n, a->value = value, a->square = square;
    a->scale = cps_spheroid_at_0(m, n);
    a->meeting = cps_spheroid_meeting(m, value, square);
    cps_path_begin(&a->from_0, cps_spheroid_begin(0, odd));
    cps_path_begin(&a->from_1, cps_spheroid_begin(1, 0));
    const cps_point p = cps_path_to(&a->from_0, &e, a->meeting), r = cps_path_to(&a->from_1, &e, a->meeting);
    const double w = 1 / (1 + fabs(value) + fabs(square));
    a->scale_1 = a->scale * (p.u * r.u + w * p.slope * r.slope) / (r.u * r.u + w * r.slope * r.slope);
    a->power_1 = p.power - r.power;
}
CPS_HEAVY cps_solution cps_spheroid_angular(int oblate, double m, double n, double c, double value, double x)
{
    if (!cps_spheroid_exists(m, n) || !(fabs(x) < 1) || value != value || !(fabs(c) < 5000)) return cps_no_solution();
    const double square = oblate ? -c * c : c * c, place = fabs(x);
    CPS_KEPT(cps_angular, a, a->m != m || a->n != n || a->value != value || a->square != square,
             cps_angular_make(a, m, n, value, square))
    const cps_equation e = cps_spheroid_equation(-1, m, value, square);
    const int beyond = place > a->meeting;
    cps_point p = cps_path_to(beyond ? &a->from_1 : &a->from_0, &e, place);
    const double scale = beyond ? a->scale_1 : a->scale, sign = x < 0 ? -1 : 1, odd = fmod(n - m, 2) != 0 ? sign : 1;
    p.u *= scale * odd, p.slope *= scale * odd;
    p.power += beyond ? a->power_1 : 0;
    cps_solution w = cps_spheroid_whole(-1, m, place, p);
    w.slope *= sign;
    return w;
}

/* --- radial functions --- */

/* u of the third kind at x, of its expansion at infinity; `known`: whether it holds. */
typedef struct cps_outer { cps_point first, second; int known; } cps_outer;
CPS_MATH cps_outer cps_spheroid_outer(int s, double m, double n, double c, double value, double x)
{
    /* terms of 1, 1/x, ...: re + i im, in turn multiplied by 1 / (i x) */
    const double over = 1 / x, half = 0.5 / c;
    double re[3] = {1, 0, 0}, im[3] = {0, 0, 0}, sum_re = 1, sum_im = 0, slope_re = 0, slope_im = 0;
    cps_outer r;
    r.known = 0;
    for (double k = 1; k < 400; k++) {
        const double f = (k * (k - 1) - value - s * c * c) * over, g = -2 * s * c * (m + k - 1) * over * over;
        const double h = s * (m + k - 2) * (m + k - 1) * over * over * over;
        /* times 1 / (2 i c k) */
        const double a = f * re[0] - g * im[1] + h * re[2], b = f * im[0] + g * re[1] + h * im[2], t = half / k;
        re[2] = re[1], im[2] = im[1], re[1] = re[0], im[1] = im[0];
        re[0] = b * t, im[0] = -a * t;
        sum_re += re[0], sum_im += im[0];
        slope_re -= k * re[0], slope_im -= k * im[0];
        const double size = fabs(re[0]) + fabs(im[0]), whole = fabs(sum_re) + fabs(sum_im);
        if (!(size < 1e4)) return r;
        if (k > 2 && (k + 1) * (size + fabs(re[1]) + fabs(im[1])) < 2e-17 * whole) {
            r.known = 1;
            break;
        }
    }
    const double turn = fmod(n + 1, 4), sn = sin(c * x), cn = cos(c * x); /* exp(i (c x - (n + 1) pi / 2)) */
    const double er = turn == 0 ? cn : turn == 1 ? sn : turn == 2 ? -cn : -sn;
    const double ei = turn == 0 ? sn : turn == 1 ? -cn : turn == 2 ? -sn : cn;
    /* less x^-(m + 1) / c, which is given as a power of two */
    const double size = -(m + 1) * log2(x) - log2(c), power = rint(size), scale = exp2(size - power);
    slope_re = (slope_re - (m + 1) * sum_re) * over - c * sum_im;
    slope_im = (slope_im - (m + 1) * sum_im) * over + c * (sum_re);
    const double first = er * slope_re - ei * slope_im, second = er * slope_im + ei * slope_re;
    const cps_point u = {x, scale * (er * sum_re - ei * sum_im), scale * first, (int)power};
    const cps_point v = {x, scale * (er * sum_im + ei * sum_re), scale * second, (int)power};
    r.first = u, r.second = v;
    return r;
}
typedef struct cps_radial {
    double m, n, c, value, far, scale;
    int s, power, second, known;
    cps_path path;
} cps_radial;
CPS_HEAVY void cps_radial_make(cps_radial *a, int s, int second, double m, double n, double c, double value)
{
    const cps_equation e = cps_spheroid_equation(s, m, value, s < 0 ? c * c : -c * c);
    a->m = m, a->n = n, a->c = c, a->value = value, a->s = s, a->second = second;
    a->far = 3 + 0.3 * m;
    const double least = (22 + 0.25 * fabs(value + s * c * c)) / c;
    a->far = least > a->far ? least : a->far;
    a->known = c * a->far < 2.5 * CPS_WAVE_STEPS;
    cps_outer o = {{0, 0, 0, 0}, {0, 0, 0, 0}, 0};
    for (int k = 0; a->known && !o.known && k < 20; k++, a->far *= o.known ? 1 : 1.4)
        o = cps_spheroid_outer(s, m, n, c, value, a->far);
    a->known &= o.known;
    a->scale = 1, a->power = 0;
    if (!a->known) return;
    if (second) {
        cps_path_begin(&a->path, o.second);
        return;
    }
    cps_path_begin(&a->path, cps_spheroid_begin(s < 0, fmod(n - m, 2) != 0));
    const cps_point p = cps_path_to(&a->path, &e, a->far);
    const double w = 1 / (c * c);
    a->scale = (p.u * o.first.u + w * p.slope * o.first.slope) / (p.u * p.u + w * p.slope * p.slope);
    a->power = o.first.power - p.power;
}
CPS_HEAVY cps_solution cps_spheroid_radial(int oblate, int second, double m, double n, double c, double value, double x)
{
    const int s = oblate ? 1 : -1;
    if (!cps_spheroid_exists(m, n) || !(oblate ? x >= 0 : x > 1) || x == CPS_INF || value != value || !(fabs(c) < 5000))
        return cps_no_solution();
    const double size = fabs(c), sign = c < 0 && (fmod(n, 2) != 0) != second ? -1 : 1;
    CPS_KEPT(cps_radial, a,
             a->m != m || a->n != n || a->c != size || a->value != value || a->s != s || a->second != second,
             cps_radial_make(a, s, second, m, n, size, value))
    if (!a->known) return cps_no_solution();
    cps_point p;
    if (x < a->far) {
        const cps_equation e = cps_spheroid_equation(s, m, value, s < 0 ? c * c : -c * c);
        p = cps_path_to(&a->path, &e, x);
        p.u *= a->scale, p.slope *= a->scale, p.power += a->power;
    } else {
        const cps_outer o = cps_spheroid_outer(s, m, n, size, value, x);
        p = second ? o.second : o.first;
    }
    cps_solution w = cps_spheroid_whole(s, m, x, p);
    w.y *= sign, w.slope *= sign;
    return w;
}

CPS_MATH cps_solution cps_spheroid_ang1(int oblate, double m, double n, double c, double x)
{
    return cps_spheroid_angular(oblate, m, n, c, cps_spheroid_kept(oblate, m, n, c), x);
}
CPS_MATH cps_solution cps_spheroid_rad(int oblate, int second, double m, double n, double c, double x)
{
    return cps_spheroid_radial(oblate, second, m, n, c, cps_spheroid_kept(oblate, m, n, c), x);
}

#endif
