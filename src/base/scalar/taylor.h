/* Solutions of (1 + s x^2) u'' + 2 s (m + 1) x u' + (b + g x^2) u = 0, s = 1 or -1, by Taylor series from place to
 * place. The places depend on the equation and the beginning alone: what is kept of them on the CPU changes no bit. */
#ifndef CPS_TAYLOR_H
#define CPS_TAYLOR_H

#include "scalar/tables_taylor.h"

#define CPS_WAVE_STEPS 16000
#define CPS_WAVE_TERMS 80
#ifdef __CUDACC__
#define CPS_WAVE_PLACES 1
#else
#define CPS_WAVE_PLACES 48
#endif

typedef struct cps_solution { double y, slope; } cps_solution;
CPS_MATH cps_solution cps_no_solution(void)
{
    const cps_solution r = {CPS_NAN, CPS_NAN};
    return r;
}
typedef struct cps_equation { int s; double m, b, g; } cps_equation;
/* u and its derivative at x, times 2^power */
typedef struct cps_point { double x, u, slope; int power; } cps_point;

/* A value of which elements beside each other often share one: on the CPU the last one is kept. */
#ifdef __CUDACC__
#define CPS_KEPT(type, a, differs, make) \
    type kept_##a, *a = &kept_##a;       \
    make;
#else
#define CPS_KEPT(type, a, differs, make)        \
    static _Thread_local type kept_##a;         \
    static _Thread_local int filled_##a;        \
    type *const a = &kept_##a;                  \
    if (!filled_##a || (differs)) {             \
        make;                                   \
        filled_##a = 1;                         \
    }
#endif

CPS_MATH double cps_times_power(double x, int power)
{
    if (power == 0) return x;
    power = power > 4000 ? 4000 : power < -4000 ? -4000 : power;
    for (; power > 1000; power -= 1000) x *= 1.0715086071862673e301;
    for (; power < -1000; power += 1000) x *= 9.332636185032189e-302;
    return x * exp2((double)power);
}
/* How far the series at x is used: so far that its terms hardly cancel, and by less than half of the way to where the
 * equation is singular. At x = 1 it is that of the regular solution. */
CPS_MATH double cps_taylor_step(const cps_equation *e, double x)
{
    const double a = e->s > 0 ? 1 + x * x : fabs((1 - x) * (1 + x)), f = fabs(e->b + e->g * x * x);
    if (a == 0) { /* I of order m and sqrt(2 f h) */
        const double h = (4 + 1.5 * e->m) / (f + 1e-300), most = 3 / (e->m + 1);
        return h < most ? h < 0.7 ? h : 0.7 : most < 0.7 ? most : 0.7;
    }
    const double away = e->s > 0 ? sqrt(a) : fabs(1 - x), w = sqrt(f / a) + (e->m + 1) * x / a, h = 2.5 / w;
    return h < 0.45 * away ? h : 0.45 * away;
}
CPS_HEAVY cps_point cps_taylor_at(const cps_equation *e, cps_point p, double to)
{
    const double x = p.x, h = to - x, s = e->s, hh = h * h, m = e->m;
    const double a = s > 0 ? 1 + x * x : (1 - x) * (1 + x), f = e->b + e->g * x * x;
    cps_point r = {to, p.u, p.slope, p.power};
    if (h == 0) return r;
    double t3 = 0, t2 = 0, t1, t0, u, slope;
    if (a == 0) { /* x = 1: t(k + 1) = (f - k (k + 2m + 1)) t(k) + ... */
        const double q0 = 0.5 * h, q1 = e->g * h * hh * 0.5, fh = 2 * e->g * hh * 0.5;
        t1 = 0, t0 = p.u, u = t0, slope = 0;
        for (int k = 0; k < CPS_WAVE_TERMS; k++) {
            const double next = ((f - k * (k + 2 * m + 1)) * q0 * t0 + fh * t1 + q1 * t2) / ((k + 1) * (k + m + 1));
            t3 = t2, t2 = t1, t1 = t0, t0 = next;
            u += t0, slope += (k + 1) * t0;
            if (k > 3 && (k + 1) * (fabs(t0) + fabs(t1) + fabs(t2)) < 1e-18 * (fabs(u) + fabs(slope))) break;
        }
    } else {
        const double over = -1 / a, q1 = 2 * s * x * h * over, q2 = hh * over, q3 = 2 * e->g * x * h * q2;
        const double q4 = e->g * hh * q2;
        t1 = p.u, t0 = p.slope * h, u = t1 + t0, slope = t0;
        for (int k = 0; k < CPS_WAVE_TERMS; k++) {
            const double first = q1 * ((k + 1) * (k + m + 1)), second = q2 * (s * (k * (k + 2 * m + 1)) + f);
            const double next = (first * t0 + second * t1 + q3 * t2 + q4 * t3) * cps_taylor_over[k];
            t3 = t2, t2 = t1, t1 = t0, t0 = next;
            u += t0, slope += (k + 2) * t0;
            if (k > 3 && (k + 2) * (fabs(t0) + fabs(t1) + fabs(t2)) < 1e-18 * (fabs(u) + fabs(slope))) break;
        }
    }
    r.u = u, r.slope = slope / h;
    const double size = fabs(r.u) + fabs(r.slope);
    if (size > 1e100) r.u *= 0x1p-300, r.slope *= 0x1p-300, r.power += 300;
    if (size < 1e-100 && size > 0) r.u *= 0x1p300, r.slope *= 0x1p300, r.power -= 300;
    return r;
}
/* The places of a solution from its beginning on in one direction: the first, and of the others every `each`-th, as far
 * as one was asked for. */
typedef struct cps_path {
    int n, each;
    cps_point p[CPS_WAVE_PLACES];
} cps_path;
CPS_MATH void cps_path_begin(cps_path *path, cps_point p)
{
    path->p[0] = p;
    path->n = path->each = 1;
}
#ifdef __CUDACC__
CPS_MATH void cps_path_keep(cps_path *, int, cps_point) {}
#else
/* p is `steps` from the last one kept. */
CPS_MATH void cps_path_keep(cps_path *path, int steps, cps_point p)
{
    if (steps % path->each) return;
    if (path->n == CPS_WAVE_PLACES) { /* every second one goes; p is the next of the others in turn */
        for (int j = 0; 2 * j < CPS_WAVE_PLACES; j++) path->p[j] = path->p[2 * j];
        path->n = CPS_WAVE_PLACES / 2;
        path->each *= 2;
    }
    path->p[path->n++] = p;
}
#endif
CPS_HEAVY cps_point cps_path_to(cps_path *path, const cps_equation *e, double x)
{
    const int down = x < path->p[0].x;
    int k = path->n - 1, steps = 0, counted = path->n;
    while (k > 0 && (down ? path->p[k].x < x : path->p[k].x > x)) k--;
    const int last = k == path->n - 1;
    cps_point p = path->p[k];
    for (int i = 0; i < CPS_WAVE_STEPS; i++) {
        const double step = cps_taylor_step(e, p.x), next = down ? p.x - step : p.x + step;
        if (down ? next <= x : next >= x) return cps_taylor_at(e, p, x);
        p = cps_taylor_at(e, p, next);
        steps++;
        if (last) cps_path_keep(path, steps, p);
        if (path->n != counted) counted = path->n, steps = 0;
    }
    p.u = p.slope = CPS_NAN;
    return p;
}

#endif
