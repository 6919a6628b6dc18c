/* Carlson's symmetric elliptic integrals of complex numbers, by duplication (DLMF 19.36). A negative real number is on
 * the branch cut of the square roots, and NaN; the last argument of RC and RJ may be one, as their principal values. */
#ifndef CPS_CARLSON_COMPLEX_H
#define CPS_CARLSON_COMPLEX_H

#include "scalar/special.h"

CPS_MATH int cps_nan_part(cp_complex128 z) { return (z.re != z.re) | (z.im != z.im); }
CPS_MATH int cps_infinite_part(cp_complex128 z) { return cps_infinite(z.re) | cps_infinite(z.im); }
CPS_MATH int cps_is_zero(cp_complex128 z) { return (z.re == 0) & (z.im == 0); }
CPS_MATH int cps_on_cut(cp_complex128 z) { return (z.im == 0) & (z.re < 0); }
CPS_MATH cp_complex128 cps_plus_c128(cp_complex128 z, double s) { return CPS_C(z.re + s, z.im); }
/* (x + y) / 4 */
CPS_MATH cp_complex128 cps_quarter_sum(cp_complex128 x, cp_complex128 y)
{
    return CPS_C(0.25 * (x.re + y.re), 0.25 * (x.im + y.im));
}
/* 1 - x / mean */
CPS_MATH cp_complex128 cps_away(cp_complex128 x, cp_complex128 mean)
{
    return cps_divide_c128(cps_subtract_c128(mean, x), mean);
}
/* sqrt(x y) + sqrt(x z) + sqrt(y z) of their roots */
CPS_MATH cp_complex128 cps_products(cp_complex128 x, cp_complex128 y, cp_complex128 z)
{
    return cps_add_c128(cps_multiply_c128(x, cps_add_c128(y, z)), cps_multiply_c128(y, z));
}
/* s / sqrt(mean) */
CPS_MATH cp_complex128 cps_over_root(cp_complex128 s, cp_complex128 mean)
{
    return cps_divide_c128(s, cps_sqrt_c128(mean));
}

CPS_HEAVY cp_complex128 cps_carlson_rc_c128(cp_complex128 x, cp_complex128 y)
{
    for (int i = 0; i < 600; i++) {
        const cp_complex128 mean = cps_scale(cps_add_c128(x, cps_scale(y, 2)), 1.0 / 3);
        const cp_complex128 s = cps_divide_c128(cps_subtract_c128(y, mean), mean);
        if (cps_size(s) < 0.005) {
            const double c[8] = {9.0 / 8, 159.0 / 208, 9.0 / 22, 3.0 / 8, 1.0 / 7, 3.0 / 10, 0, 1};
            cp_complex128 r = CPS_C(c[0], 0);
            for (int k = 1; k < 8; k++) r = cps_plus_c128(cps_multiply_c128(r, s), c[k]);
            return cps_over_root(r, mean);
        }
        const cp_complex128 l = cps_add_c128(cps_scale(cps_multiply_c128(cps_sqrt_c128(x), cps_sqrt_c128(y)), 2), y);
        x = cps_quarter_sum(x, l), y = cps_quarter_sum(y, l);
    }
    return CPS_C(CPS_NAN, CPS_NAN);
}
CPS_HEAVY cp_complex128 cps_elliprc_c128(cp_complex128 x, cp_complex128 y)
{
    if (cps_nan_part(x) || cps_nan_part(y) || cps_on_cut(x) || cps_is_zero(y)) return CPS_C(CPS_NAN, CPS_NAN);
    if (cps_infinite_part(x) || cps_infinite_part(y)) return CPS_C(0, 0);
    if (!cps_on_cut(y)) return cps_carlson_rc_c128(x, y);
    const cp_complex128 d = cps_subtract_c128(x, y), f = cps_sqrt_c128(cps_divide_c128(x, d));
    return cps_multiply_c128(f, cps_carlson_rc_c128(d, CPS_C(-y.re, 0)));
}
CPS_HEAVY cp_complex128 cps_carlson_rf_c128(cp_complex128 x, cp_complex128 y, cp_complex128 z)
{
    for (int i = 0; i < 600; i++) {
        const cp_complex128 mean = cps_scale(cps_add_c128(cps_add_c128(x, y), z), 1.0 / 3);
        const cp_complex128 dx = cps_away(x, mean), dy = cps_away(y, mean), dz = CPS_C(-dx.re - dy.re, -dx.im - dy.im);
        if (fmax(cps_size(dx), fmax(cps_size(dy), cps_size(dz))) < 0.004) {
            const cp_complex128 e = cps_subtract_c128(cps_multiply_c128(dx, dy), cps_multiply_c128(dz, dz));
            const cp_complex128 f = cps_multiply_c128(cps_multiply_c128(dx, dy), dz);
            const cp_complex128 ee = cps_multiply_c128(e, e), ef = cps_multiply_c128(e, f);
            const cp_complex128 ff = cps_multiply_c128(f, f), eee = cps_multiply_c128(ee, e);
            cp_complex128 s = CPS_C(1 - e.re / 10 + f.re / 14 + ee.re / 24 - 3 * ef.re / 44,
                                    -e.im / 10 + f.im / 14 + ee.im / 24 - 3 * ef.im / 44);
            s.re += 3 * ff.re / 104 - 5 * eee.re / 208;
            s.im += 3 * ff.im / 104 - 5 * eee.im / 208;
            return cps_over_root(s, mean);
        }
        const cp_complex128 l = cps_products(cps_sqrt_c128(x), cps_sqrt_c128(y), cps_sqrt_c128(z));
        x = cps_quarter_sum(x, l), y = cps_quarter_sum(y, l), z = cps_quarter_sum(z, l);
    }
    return CPS_C(CPS_NAN, CPS_NAN);
}
/* RJ, and RD where p is z; of RD without RC, as each of its arguments is 1. */
CPS_HEAVY cp_complex128 cps_carlson_rj_c128(cp_complex128 x, cp_complex128 y, cp_complex128 z, cp_complex128 p, int rd)
{
    cp_complex128 sum = CPS_C(0, 0), delta = cps_multiply_c128(cps_subtract_c128(p, x), cps_subtract_c128(p, y));
    double power = 1;
    delta = cps_multiply_c128(delta, cps_subtract_c128(p, z));
    for (int i = 0; i < 600; i++) {
        const cp_complex128 three = cps_add_c128(cps_add_c128(x, y), z);
        const cp_complex128 mean = cps_scale(cps_add_c128(three, cps_scale(p, 2)), 0.2);
        const cp_complex128 dx = cps_away(x, mean), dy = cps_away(y, mean), dz = cps_away(z, mean);
        const cp_complex128 dp = cps_away(p, mean);
        if (fmax(fmax(cps_size(dx), cps_size(dy)), fmax(cps_size(dz), cps_size(dp))) < 0.003) {
            const cp_complex128 product = cps_multiply_c128(cps_multiply_c128(dx, dy), dz);
            const cp_complex128 pp = cps_multiply_c128(dp, dp);
            const cp_complex128 e2 = cps_subtract_c128(cps_products(dx, dy, dz), cps_scale(pp, 3));
            const cp_complex128 e2p = cps_multiply_c128(e2, dp), ppp = cps_multiply_c128(pp, dp);
            const cp_complex128 e3 = CPS_C(product.re + 2 * e2p.re + 4 * ppp.re, product.im + 2 * e2p.im + 4 * ppp.im);
            const cp_complex128 e4 = cps_multiply_c128(CPS_C(2 * product.re + e2p.re + 3 * ppp.re,
                                                             2 * product.im + e2p.im + 3 * ppp.im), dp);
            const cp_complex128 e5 = cps_multiply_c128(product, pp), e22 = cps_multiply_c128(e2, e2);
            const cp_complex128 e23 = cps_multiply_c128(e2, e3);
            const cp_complex128 s = CPS_C(
                1 - 3 * e2.re / 14 + e3.re / 6 + 9 * e22.re / 88 - 3 * e4.re / 22 - 9 * e23.re / 52 + 3 * e5.re / 26,
                -3 * e2.im / 14 + e3.im / 6 + 9 * e22.im / 88 - 3 * e4.im / 22 - 9 * e23.im / 52 + 3 * e5.im / 26);
            const cp_complex128 last = cps_over_root(cps_divide_c128(s, mean), mean);
            return cps_add_c128(cps_scale(sum, rd ? 3 : 6), cps_scale(last, power));
        }
        const cp_complex128 rx = cps_sqrt_c128(x), ry = cps_sqrt_c128(y), rz = cps_sqrt_c128(z), rp = cps_sqrt_c128(p);
        const cp_complex128 l = cps_products(rx, ry, rz);
        cp_complex128 add;
        if (rd) add = cps_reciprocal_c128(cps_multiply_c128(rz, cps_add_c128(z, l)));
        else {
            const cp_complex128 d = cps_multiply_c128(cps_multiply_c128(cps_add_c128(rp, rx), cps_add_c128(rp, ry)),
                                                      cps_add_c128(rp, rz));
            const cp_complex128 e = cps_divide_c128(cps_divide_c128(delta, d), d);
            add = cps_divide_c128(cps_carlson_rc_c128(CPS_C(1, 0), cps_plus_c128(e, 1)), d);
        }
        sum = cps_add_c128(sum, cps_scale(add, power));
        power *= 0.25;
        delta = cps_scale(delta, 0x1p-6);
        x = cps_quarter_sum(x, l), y = cps_quarter_sum(y, l), z = cps_quarter_sum(z, l);
        p = rd ? z : cps_quarter_sum(p, l);
    }
    return CPS_C(CPS_NAN, CPS_NAN);
}
/* What the three have in common: 1 where they go on, 0 where they are NaN, -1 infinite, -2 zero. */
CPS_MATH int cps_carlson_usual(cp_complex128 x, cp_complex128 y, cp_complex128 z)
{
    if (cps_nan_part(x) || cps_nan_part(y) || cps_nan_part(z)) return 0;
    if (cps_on_cut(x) || cps_on_cut(y) || cps_on_cut(z)) return 0;
    if (cps_is_zero(x) + cps_is_zero(y) + cps_is_zero(z) > 1) return -1;
    return cps_infinite_part(x) || cps_infinite_part(y) || cps_infinite_part(z) ? -2 : 1;
}
CPS_MATH cp_complex128 cps_carlson_unusual(int usual)
{
    return usual == 0 ? CPS_C(CPS_NAN, CPS_NAN) : usual == -1 ? CPS_C(CPS_INF, 0) : CPS_C(0, 0);
}
CPS_HEAVY cp_complex128 cps_elliprf_c128(cp_complex128 x, cp_complex128 y, cp_complex128 z)
{
    const int usual = cps_carlson_usual(x, y, z);
    return usual == 1 ? cps_carlson_rf_c128(x, y, z) : cps_carlson_unusual(usual);
}
CPS_HEAVY cp_complex128 cps_elliprd_c128(cp_complex128 x, cp_complex128 y, cp_complex128 z)
{
    const int usual = cps_carlson_usual(x, y, z);
    if (usual && cps_is_zero(z)) return CPS_C(CPS_INF, 0);
    return usual == 1 ? cps_carlson_rj_c128(x, y, z, z, 1) : cps_carlson_unusual(usual);
}
/* x (y + z) RD(y, z, x) */
CPS_MATH cp_complex128 cps_rg_part(cp_complex128 x, cp_complex128 y, cp_complex128 z)
{
    if (cps_is_zero(x)) return x;
    return cps_multiply_c128(cps_multiply_c128(x, cps_add_c128(y, z)), cps_carlson_rj_c128(y, z, x, x, 1));
}
/* With a zero among them a negative number is on the upper side of the cut. */
CPS_HEAVY cp_complex128 cps_elliprg_c128(cp_complex128 x, cp_complex128 y, cp_complex128 z)
{
    const int zeros = cps_is_zero(x) + cps_is_zero(y) + cps_is_zero(z);
    const cp_complex128 all = cps_add_c128(cps_add_c128(x, y), z);
    if (cps_nan_part(x) || cps_nan_part(y) || cps_nan_part(z)) return CPS_C(CPS_NAN, CPS_NAN);
    if (!zeros && (cps_on_cut(x) || cps_on_cut(y) || cps_on_cut(z))) return CPS_C(CPS_NAN, CPS_NAN);
    if (cps_infinite_part(x) || cps_infinite_part(y) || cps_infinite_part(z)) return CPS_C(CPS_INF, 0);
    if (zeros > 1) return cps_scale(cps_sqrt_c128(all), 0.5);
    const cp_complex128 s = cps_add_c128(cps_rg_part(x, y, z), cps_rg_part(y, z, x));
    return cps_scale(cps_add_c128(s, cps_rg_part(z, x, y)), 1.0 / 6);
}
CPS_MATH int cps_conjugates(cp_complex128 x, cp_complex128 y, cp_complex128 z)
{
    return x.re == y.re && x.im == -y.im && z.im == 0 && z.re >= 0;
}
CPS_HEAVY cp_complex128 cps_elliprj_c128(cp_complex128 x, cp_complex128 y, cp_complex128 z, cp_complex128 p)
{
    const int usual = cps_carlson_usual(x, y, z), real = x.im == 0 && y.im == 0 && z.im == 0;
    if (usual == 0 || cps_nan_part(p) || cps_is_zero(p)) return CPS_C(CPS_NAN, CPS_NAN);
    if (usual != 1) return cps_carlson_unusual(usual);
    if (cps_infinite_part(p)) return CPS_C(0, 0);
    if (cps_on_cut(p)) return real ? CPS_C(cps_elliprj(x.re, y.re, z.re, p.re), 0) : CPS_C(CPS_NAN, CPS_NAN);
    const int right = x.re >= 0 && y.re >= 0 && z.re >= 0 && p.re > 0; /* else the roots may leave their branch */
    if (!right && !real && !cps_conjugates(x, y, z) && !cps_conjugates(y, z, x) && !cps_conjugates(z, x, y))
        return CPS_C(CPS_NAN, CPS_NAN);
    return cps_carlson_rj_c128(x, y, z, p, 0);
}

#define CPS_N(z) cps_widen(z)
CPS_MATH cp_complex64 cps_elliprc_c64(cp_complex64 x, cp_complex64 y)
{
    return cps_narrow(cps_elliprc_c128(CPS_N(x), CPS_N(y)));
}
CPS_MATH cp_complex64 cps_elliprf_c64(cp_complex64 x, cp_complex64 y, cp_complex64 z)
{
    return cps_narrow(cps_elliprf_c128(CPS_N(x), CPS_N(y), CPS_N(z)));
}
CPS_MATH cp_complex64 cps_elliprd_c64(cp_complex64 x, cp_complex64 y, cp_complex64 z)
{
    return cps_narrow(cps_elliprd_c128(CPS_N(x), CPS_N(y), CPS_N(z)));
}
CPS_MATH cp_complex64 cps_elliprg_c64(cp_complex64 x, cp_complex64 y, cp_complex64 z)
{
    return cps_narrow(cps_elliprg_c128(CPS_N(x), CPS_N(y), CPS_N(z)));
}
CPS_MATH cp_complex64 cps_elliprj_c64(cp_complex64 x, cp_complex64 y, cp_complex64 z, cp_complex64 p)
{
    return cps_narrow(cps_elliprj_c128(CPS_N(x), CPS_N(y), CPS_N(z), CPS_N(p)));
}
#undef CPS_N

#endif
