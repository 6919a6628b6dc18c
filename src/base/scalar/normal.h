/* The chapter of the error functions: of real numbers, and of complex ones by Faddeeva's function. On the axes a
 * complex function is the real one. Elsewhere its error is relative to its magnitude, or to 1 near a zero. */
#ifndef CPS_NORMAL_H
#define CPS_NORMAL_H

#include "scalar/faddeeva.h"

/* The odd series of erf(z) and of Dawson's integral, over z, in z^2: for |z| < 1. */
CPS_TABLE cps_erf_series[20] = {
    1.1283791670955126, -0.37612638903183754, 0.11283791670955126, -0.026866170645131252, 0.005223977625442188,
    -0.0008548327023450853, 0.00012055332981789664, -1.492565035840625e-05, 1.6462114365889248e-06,
    -1.6365844691234924e-07, 1.4807192815879218e-08, -1.2290555301717928e-09, 9.422759064650411e-11,
    -6.7113668551641105e-12, 4.4632242632864775e-13, -2.7835162072109215e-14, 1.6342614095367152e-15,
    -9.063970842808673e-17, 4.763348040515068e-18, -2.3784598852774293e-19};
CPS_TABLE cps_dawsn_series[22] = {
    1.0, -0.6666666666666666, 0.26666666666666666, -0.0761904761904762, 0.016931216931216932,
    -0.0030784030784030783, 0.0004736004736004736, -6.314672981339648e-05, 7.4290270368701745e-06,
    -7.820028459863341e-07, 7.447646152250801e-08, -6.476214045435479e-09, 5.180971236348383e-10,
    -3.8377564713691727e-11, 2.6467286009442573e-12, -1.7075668393188757e-13, 1.0348889935265912e-14,
    -5.913651391580522e-16, 3.196568319773255e-17, -1.6392658050119255e-18, 7.996418561033783e-20,
    -3.719264446992458e-21};
CPS_MATH cp_complex128 cps_odd_series(const double *c, int n, cp_complex128 z)
{
    const cp_complex128 q = cps_multiply_c128(z, z);
    cp_complex128 sum = CPS_C(c[n - 1], 0);
    for (int k = n - 2; k >= 0; k--) sum = cps_multiply_c128(sum, q), sum.re += c[k];
    return cps_multiply_c128(sum, z);
}
CPS_MATH int cps_in_unit_circle(cp_complex128 z) { return z.re * z.re + z.im * z.im < 1; }

/* exp(-z^2 scale) w(i z root), root^2 = scale: erfc of z root */
CPS_HEAVY cp_complex128 cps_erfc_scaled(cp_complex128 z, double scale, double root)
{
    if (z.re != z.re || z.im != z.im) return CPS_C(CPS_NAN, CPS_NAN);
    const double side = z.re < 0 ? -1 : 1;
    if (z.re == 0) { /* 1 - i erfi(y root) */
        const double y = fabs(z.im), half = exp(0.5 * scale * y * y);
        const double d = -CPS_TWO_OVER_SQRT_PI * cps_dawsn(z.im * root);
        return CPS_C(1, y > 60 ? copysign(CPS_INF, d) : d * half * half * (1 + scale * fma(y, y, -(y * y))));
    }
    if (fabs(z.im) == CPS_INF) return CPS_C(CPS_NAN, CPS_NAN);
    if (fabs(z.re) == CPS_INF) return CPS_C(1 - side, 0);
    const cp_complex128 w = cps_wofz_c128(CPS_C(-side * z.im * root, side * z.re * root));
    const cp_complex128 e = cps_exp_square_c128(z, scale);
    cp_complex128 r = cps_multiply_c128(e, w);
    const cp_complex128 less = cps_infinite(e.re) || cps_infinite(e.im) ? cps_exp_square_less(z, scale, 700) : e;
    if (cps_infinite(less.re) || cps_infinite(less.im)) { /* of the direction of the product */
        const double angle = -2 * z.re * z.im * scale + atan2(w.im, w.re);
        const double size = exp(0.5 * (z.im * z.im - z.re * z.re) * scale);
        const double m = size * hypot(w.re, w.im) * size;
        r = CPS_C(m * cos(angle), m * sin(angle));
    } else if (cps_infinite(e.re) || cps_infinite(e.im)) { /* times exp(700) */
        r = cps_multiply_c128(less, w);
        r = CPS_C(r.re * 1.0142320547350045e304, r.im * 1.0142320547350045e304);
    }
    return side < 0 ? CPS_C(2 - r.re, -r.im) : r;
}
CPS_HEAVY cp_complex128 cps_erfc_c128(cp_complex128 z)
{
    return z.im == 0 ? CPS_C(cps_erfc(z.re), -z.im) : cps_erfc_scaled(z, 1, 1);
}
CPS_HEAVY cp_complex128 cps_erf_c128(cp_complex128 z)
{
    if (z.im == 0) return CPS_C(cps_erf(z.re), z.im);
    if (z.re == 0) return CPS_C(z.re, cps_erfi(z.im));
    if (cps_in_unit_circle(z)) return cps_odd_series(cps_erf_series, 20, z);
    const int left = z.re < 0;
    const cp_complex128 c = cps_erfc_scaled(left ? CPS_C(-z.re, -z.im) : z, 1, 1);
    return left ? CPS_C(c.re - 1, c.im) : CPS_C(1 - c.re, -c.im);
}
CPS_MATH cp_complex128 cps_erfcx_c128(cp_complex128 z)
{
    return z.im == 0 ? CPS_C(cps_erfcx(z.re), -z.im) : cps_wofz_c128(CPS_C(-z.im, z.re));
}
CPS_MATH cp_complex128 cps_erfi_c128(cp_complex128 z) { return cps_over_i(cps_erf_c128(cps_times_i(z))); }
CPS_HEAVY cp_complex128 cps_dawsn_c128(cp_complex128 z)
{
    if (z.im == 0) return CPS_C(cps_dawsn(z.re), z.im);
    if (z.re != z.re || z.im != z.im) return CPS_C(CPS_NAN, CPS_NAN);
    if (cps_in_unit_circle(z)) return cps_odd_series(cps_dawsn_series, 22, z);
    const double side = z.im < 0 ? -1 : 1; /* odd; i sqrt(pi) / 2 (exp(-z^2) - w(z)) */
    if (z.re == 0)
        return CPS_C(z.re, side * (0.5 * CPS_SQRT_PI) * (cps_exp_square_c128(z, 1).re - cps_erfcx(fabs(z.im))));
    const cp_complex128 w = cps_wofz_c128(CPS_C(side * z.re, side * z.im)), e = cps_exp_square_c128(z, 1);
    return CPS_C(side * (0.5 * CPS_SQRT_PI) * (w.im - e.im), side * (0.5 * CPS_SQRT_PI) * (e.re - w.re));
}
CPS_HEAVY cp_complex128 cps_ndtr_c128(cp_complex128 z)
{
    if (z.im == 0) return CPS_C(cps_ndtr(z.re), z.im);
    const cp_complex128 c = cps_erfc_scaled(CPS_C(-z.re, -z.im), 0.5, CPS_SQRT_HALF);
    return CPS_C(0.5 * c.re, 0.5 * c.im);
}
/* On the principal branch. */
CPS_HEAVY cp_complex128 cps_log_ndtr_c128(cp_complex128 z)
{
    if (z.im == 0) return CPS_C(cps_log_ndtr(z.re), z.im);
    if (z.re > 0) { /* log(1 - ndtr(-z)) */
        const cp_complex128 tail = cps_ndtr_c128(CPS_C(-z.re, -z.im));
        if (fabs(tail.re) < 0.5 && fabs(tail.im) < 0.5) return cps_log1p_c128(CPS_C(-tail.re, -tail.im));
        if (fabs(tail.re) < 1e300 && fabs(tail.im) < 1e300) return cps_log_c128(CPS_C(1 - tail.re, -tail.im));
    }
    const cp_complex128 l = cps_log_c128(cps_wofz_c128(CPS_C(z.im * CPS_SQRT_HALF, -z.re * CPS_SQRT_HALF)));
    const double angle = z.re * z.im, n = rint(angle / (2 * CPS_PI)); /* a turn is 2 pi in two parts */
    const double turned = fma(-n, 2.4492935982947064e-16, fma(-n, 2 * CPS_PI, angle)) + fma(z.re, z.im, -angle);
    const double im = l.im - turned;
    return CPS_C(l.re - CPS_LN2 + 0.5 * (z.im - z.re) * (z.im + z.re), im - 2 * CPS_PI * rint(im / (2 * CPS_PI)));
}
/* The convolution of a normal and a Cauchy distribution. */
CPS_HEAVY double cps_voigt_profile(double x, double sigma, double gamma)
{
    if (x != x || sigma != sigma || gamma != gamma) return CPS_NAN;
    if (sigma == 0)
        return gamma == 0 ? (x == 0 ? CPS_INF : 0) : gamma / CPS_PI / (x * x + gamma * gamma);
    if (cps_infinite(x) || cps_infinite(sigma) || cps_infinite(gamma)) return 0;
    const double f = 1 / (sigma * CPS_SQRT_2PI), u = x / sigma;
    if (gamma > 0 && sigma > 0 && (fabs(u) > 1e9 || gamma / sigma > 1e9))
        return gamma / CPS_PI / (x * x + gamma * gamma);
    if (gamma == 0) return f * cps_exp_square(u, 0.5);
    return f * cps_wofz_c128(CPS_C(u * CPS_SQRT_HALF, gamma / sigma * CPS_SQRT_HALF)).re;
}

#define CPS_NARROW(name) \
    CPS_MATH cp_complex64 cps_##name##_c64(cp_complex64 z) { return cps_narrow(cps_##name##_c128(cps_widen(z))); }
CPS_NARROW(wofz)
CPS_NARROW(erf)
CPS_NARROW(erfc)
CPS_NARROW(erfcx)
CPS_NARROW(erfi)
CPS_NARROW(dawsn)
CPS_NARROW(ndtr)
CPS_NARROW(log_ndtr)
#undef CPS_NARROW

#endif
