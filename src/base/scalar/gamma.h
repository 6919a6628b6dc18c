/* The chapter of the gamma function: that of real numbers, and of complex ones by the logarithm.
 *
 * Complex logarithms are Stirling's series far from the negative axis, else its shift by a few steps; left of 0 the
 * reflection. Near 1 and 2, where they are 0, a Taylor series. */
#ifndef CPS_GAMMA_H
#define CPS_GAMMA_H

#include "scalar/gamma_real.h"

CPS_MATH cp_complex128 cps_scaled_c128(cp_complex128 z, double s) { return CPS_C(z.re * s, z.im * s); }
/* sin(pi z), and log of it without overflow */
CPS_MATH cp_complex128 cps_sinpi_c128(cp_complex128 z)
{
    const double y = CPS_PI * z.im;
    return CPS_C(cps_sinpi(z.re) * cosh(y), cps_cospi(z.re) * sinh(y));
}

/* log(gamma(1 + w)) for |w| <= 0.2: -euler w + sum of zeta(k) (-w)^k / k */
CPS_MATH cp_complex128 cps_loggamma_near_1(cp_complex128 w)
{
    const double zeta_less_1[24] = {
        0.64493406684822643647, 0.20205690315959428540, 0.082323233711138191516, 0.036927755143369926331,
        0.017343061984449139715, 0.0083492773819228268398, 0.0040773561979443393786, 0.0020083928260822144179,
        0.00099457512781808533715, 0.00049418860411946455870, 0.00024608655330804829864, 0.00012271334757848914675,
        6.1248135058704829258e-05, 3.0588236307020493552e-05, 1.5282259408651871733e-05, 7.6371976378997622737e-06,
        3.8172932649998398565e-06, 1.9082127165539389257e-06, 9.5396203387279611315e-07, 4.7693298678780646312e-07,
        2.3845050272773299001e-07, 1.1921992596531107307e-07, 5.9608189051259479612e-08, 2.9803503514652280187e-08};
    cp_complex128 sum = CPS_C(0, 0);
    const cp_complex128 minus = CPS_C(-w.re, -w.im);
    for (int k = 25; k >= 2; k--)
        sum = cps_multiply_c128(minus, cps_add_c128(sum, CPS_C((1 + zeta_less_1[k - 2]) / k, 0)));
    return cps_multiply_c128(minus, cps_add_c128(sum, CPS_C(CPS_EULER, 0)));
}
/* log(gamma(z)) - ((z - 1/2) log(z) - z + log(2 pi) / 2) */
CPS_MATH cp_complex128 cps_stirling_c128(cp_complex128 z)
{
    const cp_complex128 r = cps_reciprocal_c128(z), s = cps_multiply_c128(r, r);
    const double c[10] = {-0.59243243243243243243, 0.17964437236883057316, -0.029550653594771241830,
                          0.0064102564102564102564, -0.0019175269175269175269, 0.00084175084175084175084,
                          -0.00059523809523809523810, 0.00079365079365079365079, -0.0027777777777777777778,
                          0.083333333333333333333};
    cp_complex128 p = CPS_C(c[0], 0);
    for (int k = 1; k < 10; k++) p = cps_add_c128(cps_multiply_c128(p, s), CPS_C(c[k], 0));
    return cps_multiply_c128(p, r);
}
CPS_MATH cp_complex128 cps_loggamma_stirling(cp_complex128 z)
{
    const cp_complex128 l = cps_log_c128(z), main = cps_multiply_c128(CPS_C(z.re - 0.5, z.im), CPS_C(l.re - 1, l.im));
    return cps_add_c128(CPS_C(main.re + (0.5 * CPS_LOG_2PI - 0.5), main.im), cps_stirling_c128(z));
}
CPS_HEAVY cp_complex128 cps_loggamma_right(cp_complex128 z) /* z.re >= 0.1 */
{
    if (z.re > 7 || fabs(z.im) > 7) return cps_loggamma_stirling(z);
    if (hypot(z.re - 1, z.im) <= 0.2) return cps_loggamma_near_1(CPS_C(z.re - 1, z.im));
    if (hypot(z.re - 2, z.im) <= 0.2)
        return cps_add_c128(cps_log1p_c128(CPS_C(z.re - 2, z.im)), cps_loggamma_near_1(CPS_C(z.re - 2, z.im)));
    /* down by the logarithm of a product, whose argument is followed around 0 */
    cp_complex128 product = z;
    int crossed = 0;
    for (z.re += 1; z.re <= 7; z.re += 1) {
        const double before = product.im;
        product = cps_multiply_c128(product, z);
        crossed += z.im >= 0 ? before >= 0 && product.im < 0 : before <= 0 && product.im > 0;
    }
    const cp_complex128 l = cps_log_c128(product), g = cps_loggamma_stirling(z);
    return CPS_C(g.re - l.re, g.im - l.im - (z.im >= 0 ? 2 : -2) * CPS_PI * crossed);
}
CPS_HEAVY cp_complex128 cps_loggamma_c128(cp_complex128 z)
{
    if (z.re != z.re || z.im != z.im) return CPS_C(CPS_NAN, CPS_NAN);
    if (z.im == 0 && z.re == -CPS_INF) return CPS_C(CPS_NAN, CPS_NAN);
    if (z.im == 0 && cps_is_pole(z.re)) return CPS_C(CPS_INF, 0);
    if (z.re == CPS_INF && z.im == 0) return z;
    if (z.re >= 0.1 || fabs(z.im) > 7) return cps_loggamma_right(z);
    /* log(pi / sin(pi z)) - loggamma(1 - z), on the branch that the half turns of z give */
    const cp_complex128 s = cps_log_c128(cps_sinpi_c128(z)), g = cps_loggamma_right(CPS_C(1 - z.re, -z.im));
    const double turns = copysign(2 * CPS_PI, z.im) * floor(0.5 * z.re + 0.25);
    return CPS_C(1.1447298858494001741 - s.re - g.re, turns - s.im - g.im);
}
/* NaN left of 0: the logarithm is real only where gamma is positive, and on its principal branch nowhere there. */
CPS_MATH double cps_loggamma(double x) { return x < 0 ? CPS_NAN : cps_gammaln(x); }
CPS_HEAVY cp_complex128 cps_gamma_c128(cp_complex128 z)
{
    if (z.im == 0) return CPS_C(cps_is_pole(z.re) ? CPS_NAN : cps_gamma(z.re), cps_is_pole(z.re) ? CPS_NAN : 0);
    if (fabs(z.re) < 1e-20 && fabs(z.im) < 1e-20) return cps_reciprocal_c128(z);
    return cps_exp_c128(cps_loggamma_c128(z));
}
CPS_HEAVY cp_complex128 cps_rgamma_c128(cp_complex128 z)
{
    if (z.im == 0) return CPS_C(cps_rgamma(z.re), 0);
    if (fabs(z.re) < 1e-20 && fabs(z.im) < 1e-20) return z;
    const cp_complex128 l = cps_loggamma_c128(z);
    return cps_exp_c128(CPS_C(-l.re, -l.im));
}
CPS_HEAVY cp_complex128 cps_digamma_c128(cp_complex128 z)
{
    if (z.im == 0) return CPS_C(cps_digamma(z.re), cps_is_pole(z.re) ? CPS_NAN : 0);
    if (z.re != z.re || z.im != z.im) return CPS_C(CPS_NAN, CPS_NAN);
    cp_complex128 sum = CPS_C(0, 0);
    if (z.re < 0 && fabs(z.im) < 10) { /* digamma(1 - z) - pi / tan(pi z) */
        const cp_complex128 s = cps_sinpi_c128(z), y = CPS_C(z.re + 0.5, z.im);
        sum = cps_scaled_c128(cps_divide_c128(cps_sinpi_c128(y), s), -CPS_PI);
        z = CPS_C(1 - z.re, -z.im);
    }
    while (z.re < 10 && fabs(z.im) < 10) {
        sum = cps_subtract_c128(sum, cps_reciprocal_c128(z));
        z.re += 1;
    }
    const cp_complex128 r = cps_reciprocal_c128(z), s = cps_multiply_c128(r, r), l = cps_log_c128(z);
    const double c[10] = {-26.456212121212121212, 3.0539543302701197438, -0.44325980392156862745,
                          0.083333333333333333333, -0.021092796092796092796, 0.0075757575757575757576,
                          -0.0041666666666666666667, 0.0039682539682539682540, -0.0083333333333333333333,
                          0.083333333333333333333};
    cp_complex128 p = CPS_C(c[0], 0);
    for (int k = 1; k < 10; k++) p = cps_add_c128(cps_multiply_c128(p, s), CPS_C(c[k], 0));
    p = cps_multiply_c128(p, s);
    return cps_add_c128(sum, CPS_C(l.re - 0.5 * r.re - p.re, l.im - 0.5 * r.im - p.im));
}
CPS_MATH cp_complex64 cps_loggamma_c64(cp_complex64 z) { return cps_narrow(cps_loggamma_c128(cps_widen(z))); }
CPS_MATH cp_complex64 cps_gamma_c64(cp_complex64 z) { return cps_narrow(cps_gamma_c128(cps_widen(z))); }
CPS_MATH cp_complex64 cps_rgamma_c64(cp_complex64 z) { return cps_narrow(cps_rgamma_c128(cps_widen(z))); }
CPS_MATH cp_complex64 cps_digamma_c64(cp_complex64 z) { return cps_narrow(cps_digamma_c128(cps_widen(z))); }

#endif
