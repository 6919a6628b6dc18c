/* Complex mathematical functions, computed in double for both complex types.
 *
 * The formulas are Kahan's ("Branch cuts for complex elementary functions", 1987): no cancellation in either
 * part, the sign of a zero part selects the side of a branch cut, and infinities and NaN give the values of C99's Annex
 * G. complex64 rounds the double result once. */
#ifndef CPS_COMPLEX_MATH_H
#define CPS_COMPLEX_MATH_H

#define CPS_C(re, im) cps_make_c128(re, im)
#define CPS_INF ((double)INFINITY)
#define CPS_NAN ((double)NAN)
#define CPS_LN2 0.693147180559945309417232121458176568
#define CPS_PI 3.141592653589793238462643383279502884

CPS_MATH int cps_finite(double x) { return fabs(x) < CPS_INF; }
CPS_MATH int cps_infinite(double x) { return fabs(x) == CPS_INF; }
/* times i, times -i */
CPS_MATH cp_complex128 cps_times_i(cp_complex128 z) { return CPS_C(-z.im, z.re); }
CPS_MATH cp_complex128 cps_over_i(cp_complex128 z) { return CPS_C(z.im, -z.re); }

CPS_HEAVY cp_complex128 cps_sqrt_c128(cp_complex128 z)
{
    double x = z.re, y = z.im;
    if (cps_infinite(y)) return CPS_C(CPS_INF, y);
    if (x != x) return CPS_C(x, CPS_NAN);
    if (cps_infinite(x)) {
        if (x > 0) return CPS_C(x, y != y ? y : copysign(0.0, y));
        return CPS_C(y != y ? y : 0.0, copysign(CPS_INF, y));
    }
    if (y != y) return CPS_C(y, y);
    if (x == 0 && y == 0) return CPS_C(0, y);
    double scale = 1;
    if (fabs(x) > 4e307 || fabs(y) > 4e307) x *= 0.0625, y *= 0.0625, scale = 4;
    else if (fabs(x) < 1e-290 && fabs(y) < 1e-290) x *= 0x1p108, y *= 0x1p108, scale = 0x1p-54;
    double t = sqrt((fabs(x) + hypot(x, y)) * 0.5);
    if (x >= 0) return CPS_C(scale * t, scale * (y / (2 * t)));
    return CPS_C(scale * (fabs(y) / (2 * t)), scale * copysign(t, y));
}

/* s + x; `lost` gets what that loses (Knuth). */
CPS_MATH double cps_sum_c128(double s, double x, double *lost)
{
    double t = s + x, part = t - s;
    *lost += (s - (t - part)) + (x - part);
    return t;
}
/* log|z| without cancellation near |z| = 1: |z|^2 - 1 = (x - 1)(x + 1) + y^2 with the rounding errors kept. */
CPS_MATH double cps_log_abs(double x, double y)
{
    x = fabs(x), y = fabs(y);
    if (x < y) {
        double t = x;
        x = y, y = t;
    }
    if (cps_infinite(x)) return CPS_INF;
    if (x != x || y != y) return cps_infinite(y) ? CPS_INF : CPS_NAN;
    if (x > 1e150) return log(hypot(x * 0x1p-600, y * 0x1p-600)) + 600 * CPS_LN2;
    if (x < 1e-140) return x == 0 ? -CPS_INF : log(hypot(x * 0x1p600, y * 0x1p600)) - 600 * CPS_LN2;
    if (x < 0.5 || x > 3) return log(hypot(x, y));
    double m = x - 1, p = x + 1, a = m * p, b = y * y, lost = 0; /* m is exact for x >= 0.5 */
    double s = cps_sum_c128(a, b, &lost);
    s = cps_sum_c128(s, fma(m, p, -a), &lost);
    s = cps_sum_c128(s, m * (x - (p - 1)), &lost); /* what x + 1 lost; the product is exact */
    s = cps_sum_c128(s, fma(y, y, -b), &lost);
    return 0.5 * log1p(s + lost);
}

CPS_HEAVY cp_complex128 cps_log_c128(cp_complex128 z) { return CPS_C(cps_log_abs(z.re, z.im), atan2(z.im, z.re)); }
CPS_HEAVY cp_complex128 cps_log2_c128(cp_complex128 z)
{
    cp_complex128 w = cps_log_c128(z);
    return CPS_C(w.re * 1.442695040888963407359924681001892137, w.im * 1.442695040888963407359924681001892137);
}
CPS_HEAVY cp_complex128 cps_log10_c128(cp_complex128 z)
{
    cp_complex128 w = cps_log_c128(z);
    return CPS_C(w.re * 0.434294481903251827651128918916605082, w.im * 0.434294481903251827651128918916605082);
}
CPS_HEAVY cp_complex128 cps_log1p_c128(cp_complex128 z)
{
    double x = z.re, y = z.im;
    if (!(fabs(x) < 0.5 && fabs(y) < 0.5)) return CPS_C(cps_log_abs(1 + x, y), atan2(y, 1 + x));
    double a = x * x, b = y * y, lost = 0, s = cps_sum_c128(2 * x, b, &lost); /* |1 + z|^2 - 1 */
    s = cps_sum_c128(s, a, &lost);
    s = cps_sum_c128(s, fma(y, y, -b), &lost);
    s = cps_sum_c128(s, fma(x, x, -a), &lost);
    return CPS_C(0.5 * log1p(s + lost), atan2(y, 1 + x));
}

/* factor * e^x (cos y, sin y), also where e^x alone would overflow; the factor is a power of two. */
CPS_MATH cp_complex128 cps_exp_polar(double x, double y, double factor)
{
    double c = cos(y), s = sin(y);
    if (x > 700) {
        double t = exp(x - 700) * factor, u = 1.0142320547350045e304; /* e^700 */
        return CPS_C(c * t * u, s * t * u);
    }
    double e = exp(x) * factor;
    return CPS_C(e * c, e * s);
}

CPS_HEAVY cp_complex128 cps_exp_c128(cp_complex128 z)
{
    double x = z.re, y = z.im;
    if (y == 0) return CPS_C(exp(x), y);
    if (cps_finite(x)) return cps_finite(y) ? cps_exp_polar(x, y, 1) : CPS_C(CPS_NAN, CPS_NAN);
    if (x != x) return CPS_C(x, CPS_NAN);
    if (!cps_finite(y)) return x > 0 ? CPS_C(x, CPS_NAN) : CPS_C(0, 0);
    double r = x > 0 ? CPS_INF : 0.0;
    return CPS_C(copysign(r, cos(y)), copysign(r, sin(y)));
}
CPS_HEAVY cp_complex128 cps_exp2_c128(cp_complex128 z)
{
    return cps_exp_c128(CPS_C(z.re * CPS_LN2, z.im * CPS_LN2));
}
CPS_HEAVY cp_complex128 cps_expm1_c128(cp_complex128 z)
{
    if (!cps_finite(z.re) || !cps_finite(z.im) || z.re > 40) {
        cp_complex128 w = cps_exp_c128(z);
        return CPS_C(w.re - 1, w.im);
    }
    double s = sin(0.5 * z.im), e = expm1(z.re);
    return CPS_C(e * cos(z.im) - 2 * s * s, exp(z.re) * sin(z.im));
}

CPS_HEAVY cp_complex128 cps_sinh_c128(cp_complex128 z)
{
    double x = z.re, y = z.im;
    if (cps_finite(x) && cps_finite(y)) {
        if (y == 0) return CPS_C(sinh(x), y);
        if (fabs(x) > 40) {
            cp_complex128 w = cps_exp_polar(fabs(x), y, 0.5);
            return CPS_C(copysign(1.0, x) * w.re, w.im);
        }
        return CPS_C(sinh(x) * cos(y), cosh(x) * sin(y));
    }
    if (y == 0) return CPS_C(x, y);
    if (x == 0) return CPS_C(x, CPS_NAN);
    if (cps_infinite(x)) return cps_finite(y) ? CPS_C(x * cos(y), CPS_INF * sin(y)) : CPS_C(CPS_INF, CPS_NAN);
    return CPS_C(CPS_NAN, CPS_NAN);
}
CPS_HEAVY cp_complex128 cps_cosh_c128(cp_complex128 z)
{
    double x = z.re, y = z.im;
    if (cps_finite(x) && cps_finite(y)) {
        if (y == 0) return CPS_C(cosh(x), copysign(0.0, x) * copysign(1.0, y));
        if (fabs(x) > 40) {
            cp_complex128 w = cps_exp_polar(fabs(x), y, 0.5);
            return CPS_C(w.re, copysign(1.0, x) * w.im);
        }
        return CPS_C(cosh(x) * cos(y), sinh(x) * sin(y));
    }
    if (y == 0) return CPS_C(x * x, x != x ? y : copysign(0.0, x) * copysign(1.0, y));
    if (x == 0) return CPS_C(CPS_NAN, copysign(0.0, x));
    if (cps_infinite(x)) return cps_finite(y) ? CPS_C(CPS_INF * cos(y), x * sin(y)) : CPS_C(CPS_INF, CPS_NAN);
    return CPS_C(CPS_NAN, CPS_NAN);
}
CPS_HEAVY cp_complex128 cps_tanh_c128(cp_complex128 z)
{
    double x = z.re, y = z.im;
    if (x != x) return CPS_C(x, y == 0 ? y : CPS_NAN);
    if (cps_infinite(x)) return CPS_C(copysign(1.0, x), copysign(0.0, cps_finite(y) ? sin(2 * y) : y));
    if (!cps_finite(y)) return CPS_C(x == 0 ? x : CPS_NAN, CPS_NAN);
    if (fabs(x) > 22)
        return CPS_C(copysign(1.0, x), 4 * sin(y) * cos(y) * exp(-2 * fabs(x)));
    double t = tan(y), s = sinh(x), beta = 1 + t * t, rho = sqrt(1 + s * s);
    if (cps_infinite(t)) return CPS_C(rho / s, 1 / t);
    double d = 1 + beta * s * s;
    return CPS_C(beta * rho * s / d, t / d);
}
CPS_HEAVY cp_complex128 cps_sin_c128(cp_complex128 z) { return cps_over_i(cps_sinh_c128(cps_times_i(z))); }
CPS_HEAVY cp_complex128 cps_cos_c128(cp_complex128 z) { return cps_cosh_c128(cps_times_i(z)); }
CPS_HEAVY cp_complex128 cps_tan_c128(cp_complex128 z) { return cps_over_i(cps_tanh_c128(cps_times_i(z))); }

CPS_HEAVY cp_complex128 cps_sinc_c128(cp_complex128 z)
{
    cp_complex128 x = CPS_C(CPS_PI * z.re, CPS_PI * z.im);
    return x.re == 0 && x.im == 0 ? CPS_C(1, 0) : cps_divide_c128(cps_sin_c128(x), x);
}

/* |z| so large that asin, acos and the like equal logarithms to the last bit. */
CPS_MATH int cps_huge(cp_complex128 z) { return fabs(z.re) > 1e150 || fabs(z.im) > 1e150; }

CPS_HEAVY cp_complex128 cps_arcsin_c128(cp_complex128 z)
{
    double x = z.re, y = z.im;
    if (x != x || y != y) {
        if (cps_infinite(x) || cps_infinite(y)) return CPS_C(CPS_NAN, cps_infinite(y) ? y : copysign(CPS_INF, y));
        return CPS_C(x == 0 ? x : CPS_NAN, CPS_NAN);
    }
    if (cps_huge(z)) return CPS_C(atan2(x, fabs(y)), copysign(cps_log_abs(x, y) + CPS_LN2, y));
    cp_complex128 m = cps_sqrt_c128(CPS_C(1 - x, -y)), p = cps_sqrt_c128(CPS_C(1 + x, y));
    return CPS_C(atan2(x, m.re * p.re - m.im * p.im), asinh(m.re * p.im - m.im * p.re));
}
CPS_HEAVY cp_complex128 cps_arccos_c128(cp_complex128 z)
{
    double x = z.re, y = z.im;
    if (x != x || y != y) {
        if (cps_infinite(x) || cps_infinite(y)) return CPS_C(CPS_NAN, cps_infinite(y) ? -y : -CPS_INF);
        return CPS_C(x == 0 ? CPS_PI / 2 : CPS_NAN, CPS_NAN);
    }
    if (cps_huge(z)) return CPS_C(atan2(fabs(y), x), -copysign(cps_log_abs(x, y) + CPS_LN2, y));
    cp_complex128 m = cps_sqrt_c128(CPS_C(1 - x, -y)), p = cps_sqrt_c128(CPS_C(1 + x, y));
    return CPS_C(2 * atan2(m.re, p.re), asinh(p.re * m.im - p.im * m.re));
}
CPS_HEAVY cp_complex128 cps_arcsinh_c128(cp_complex128 z) { return cps_over_i(cps_arcsin_c128(cps_times_i(z))); }
/* arccosh is arccos times i or -i, so that the real part is not negative. */
CPS_HEAVY cp_complex128 cps_arccosh_c128(cp_complex128 z)
{
    cp_complex128 w = cps_arccos_c128(z);
    if (w.re != w.re) return CPS_C(w.im != w.im ? w.im : fabs(w.im), w.re);
    if (w.im != w.im) return CPS_C(w.im, z.re == 0 && z.im != z.im ? w.re : CPS_NAN);
    return CPS_C(fabs(w.im), copysign(w.re, z.im));
}
CPS_HEAVY cp_complex128 cps_arctanh_c128(cp_complex128 z)
{
    double x = fabs(z.re), y = z.im, re, im;
    if (x != x || y != y) {
        if (cps_infinite(y)) return CPS_C(copysign(0.0, z.re), copysign(CPS_PI / 2, y));
        return CPS_C(cps_infinite(x) ? copysign(0.0, z.re) : z.re == 0 ? z.re : CPS_NAN, CPS_NAN);
    }
    if (cps_huge(z)) {
        re = cps_infinite(x) || cps_infinite(y) ? 0 : x > fabs(y) ? 1 / (x + y / x * y) : x / y / (x / y * x + y);
        return CPS_C(copysign(fabs(re), z.re), copysign(CPS_PI / 2, y));
    }
    if (x == 1 && fabs(y) < 1e-150) {
        re = y == 0 ? CPS_INF : CPS_LN2 / 2 - 0.5 * log(fabs(y));
        im = y == 0 ? y : 0.5 * atan2(2.0, -y) * copysign(1.0, y);
        return CPS_C(copysign(re, z.re), y == 0 ? y : copysign(CPS_PI / 4, im));
    }
    double d = 1 - x;
    re = 0.25 * log1p(4 * x / (d * d + y * y));
    im = 0.5 * atan2(2 * y, d * (1 + x) - y * y);
    return CPS_C(copysign(re, z.re), im);
}
CPS_HEAVY cp_complex128 cps_arctan_c128(cp_complex128 z) { return cps_over_i(cps_arctanh_c128(cps_times_i(z))); }

/* NumPy's power: powers of zero, small whole exponents by multiplication, exp(b log a) for the rest. */
CPS_HEAVY cp_complex128 cps_power_c128(cp_complex128 a, cp_complex128 b)
{
    if (b.re == 0 && b.im == 0) return CPS_C(1, 0);
    if (a.re == 0 && a.im == 0)
        return b.re > 0 ? CPS_C(0, 0) : CPS_C(CPS_NAN, CPS_NAN);
    if (b.im == 0 && fabs(b.re) < 100 && b.re == rint(b.re)) {
        int n = (int)fabs(b.re);
        cp_complex128 r = CPS_C(1, 0), p = a;
        int first = 1;
        for (; n; n >>= 1) {
            if (n & 1) r = first ? p : cps_multiply_c128(r, p), first = 0;
            if (n > 1) p = cps_square_c128(p);
        }
        return b.re < 0 ? cps_divide_c128(CPS_C(1, 0), r) : r;
    }
    cp_complex128 l = cps_log_c128(a);
    return cps_exp_c128(cps_multiply_c128(b, l));
}

CPS_MATH cp_complex128 cps_widen(cp_complex64 z) { return CPS_C(z.re, z.im); }
CPS_MATH cp_complex64 cps_narrow(cp_complex128 z) { return cps_make_c64((float)z.re, (float)z.im); }
#define CPS_NARROW(name) \
    CPS_MATH cp_complex64 cps_##name##_c64(cp_complex64 z) { return cps_narrow(cps_##name##_c128(cps_widen(z))); }
CPS_NARROW(sqrt) CPS_NARROW(log) CPS_NARROW(log2) CPS_NARROW(log10) CPS_NARROW(log1p)
CPS_NARROW(exp) CPS_NARROW(exp2) CPS_NARROW(expm1)
CPS_NARROW(sinh) CPS_NARROW(cosh) CPS_NARROW(tanh) CPS_NARROW(sin) CPS_NARROW(cos) CPS_NARROW(tan)
CPS_NARROW(arcsin) CPS_NARROW(arccos) CPS_NARROW(arctan)
CPS_NARROW(arcsinh) CPS_NARROW(arccosh) CPS_NARROW(arctanh) CPS_NARROW(sinc)
#undef CPS_NARROW
CPS_MATH cp_complex64 cps_power_c64(cp_complex64 a, cp_complex64 b)
{
    return cps_narrow(cps_power_c128(cps_widen(a), cps_widen(b)));
}

#endif
