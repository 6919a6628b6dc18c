/* Special functions made of others (cuprite/special.h): values from SciPy 1.17, identities, errors, and every
 * allocation failing in turn. Semantics are compared with SciPy in Python (test_special.py, test_special_counting.py,
 * test_special_legendre.py). */
#include "check.h"

#include <limits.h>
#include "cuprite/special.h"

#define FREE(...) \
    do { \
        cp_array *all_[] = {__VA_ARGS__}; \
        for (size_t i_ = 0; i_ < sizeof all_ / sizeof *all_; i_++) cp_free(all_[i_]); \
    } while (0)

/* The elements to a few roundings, NaN and infinities too; frees the array. */
static void near(cp_array *r, int n, const double *want)
{
    double got[64];
    cp_array *wide = r ? cp_astype(r, CP_FLOAT64) : NULL, *dense = wide ? cp_contiguous(wide) : NULL;
    ok(dense);
    assert_int_equal(cp_size(dense), n);
    ok(!cp_to_host(dense, got, sizeof got));
    for (int i = 0; i < n; i++) {
        const bool same = got[i] == want[i] || (isnan(got[i]) && isnan(want[i]));
        if (!same && !(fabs(got[i] - want[i]) <= 4e-15 * fmax(1, fabs(want[i]))))
            fail_msg("element %d is %.17g, not %.17g", i, got[i], want[i]);
    }
    FREE(dense, wide, r);
}
#define NEAR(r, ...) \
    near(r, (int)(sizeof(double[]){__VA_ARGS__} / sizeof(double)), (const double[]){__VA_ARGS__})

static void counting(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *n = ints(5, 5, 0, -1, 3), *k = ints(2, 0, 0, 0, 4), *x = doubles(0, 1, 2.5, -2, NAN), *two = ints(2);
        NEAR(cp_comb(n, k), 10, 1, 1, 0, 0);
        NEAR(cp_comb(n, k, .repetition = true), 15, 1, 1, NAN, 15);
        NEAR(cp_perm(n, two), 20, 20, 0, 0, 6);
        NEAR(cp_factorial(n), 120, 120, 1, 0, 6);
        NEAR(cp_factorial(x), 1, 1, 3.3233509704478426, 0, NAN);
        NEAR(cp_factorial2(n), 15, 15, 1, 0, 3);
        NEAR(cp_factorialk(n, 3), 10, 10, 1, 0, 3);
        cp_array *angles = doubles(0, 1, -2, 6.283185307179586), *four = ints(4), *half = doubles(2.5), *f;
        NEAR(cp_diric(angles, four), 1, sin(2.) / (4 * sin(0.5)), sin(4.) / (4 * sin(1.)), -1);
        NEAR(cp_diric(angles, half), NAN, NAN, NAN, NAN);
        NEAR(cp_softplus(angles), log(2), log1p(exp(1)), log1p(exp(-2)), log1p(exp(6.283185307179586)));
        cp_array *small = cp_astype(n, CP_FLOAT32);
        ok((f = cp_comb(small, cp_keep(two))));
        assert_int_equal(cp_type_of(f), CP_FLOAT64); /* beside int64 */
        FREE(n, k, x, two, angles, four, half, small, f);
    }
}

static void bessel(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *v = ints(0, 1), *x = doubles(2, 0.5), *j[3], *z = cp_astype(x, CP_COMPLEX128), *part = NULL, *r;
        cp_array *one = ints(1, 2), *minus = ints(-1, 0);
        j[0] = cp_jv(minus, x), j[1] = cp_jv(one, x), j[2] = cp_jv(v, x);
        cp_array *twice = cp_subtract(j[0], j[1]), *two = cp_int(2), *slope = cp_divide(twice, two);
        double want[2];
        ok(!cp_to_host(slope, want, sizeof want));
        NEAR(cp_jvp(v, x, 1), want[0], want[1]);
        NEAR(cp_jvp(v, x, 0), 0.22389077914123567, 0.24226845767487388);
        NEAR(cp_jvp(v, x, 2), 0.06447162473720106, -0.18106041075750862);
        NEAR(cp_yvp(v, x, 1), 0.1070324315409375, 2.4984260518337797);
        NEAR(cp_ivp(v, x, 1), 1.590636854637329, 0.5476947599595309);
        NEAR(cp_kvp(v, x, 1), -0.13986588181652246, -4.237301311234267);
        NEAR(cp_kvp(v, x, 2), 0.18382681365779463, 16.756808222485038);
        ok((r = cp_h1vp(v, x, 1)) && (part = cp_real_part(r)));
        FREE(part, r);
        ok((r = cp_h2vp(v, z, 1)) && (part = cp_imag_part(r)));
        cp_array *turned = cp_negative(part);
        NEAR(turned, 0.1070324315409375, 2.4984260518337797);
        FREE(part, r);
        cp_array *n = doubles(0, 1.9);
        NEAR(cp_kn(n, x), 0.11389387274953341, 1.6564411200033007);
        cp_array *ends = doubles(2, 0), *orders = ints(0, 1), *s = doubles(1.5, -1.5, INFINITY);
        cp_array *alone = ints(1);
        NEAR(cp_spherical_jn(orders, ends), sin(2.) / 2, 0);
        NEAR(cp_spherical_jn(orders, ends, .derivative = true), cos(2.) / 2 - sin(2.) / 4, 1. / 3);
        NEAR(cp_spherical_in(orders, ends), sinh(2.) / 2, 0);
        NEAR(cp_spherical_in(orders, ends, .derivative = true), cosh(2.) / 2 - sinh(2.) / 4, 1. / 3);
        NEAR(cp_spherical_kn(orders, x), 1.5707963267948966 * exp(-2.) / 2,
             1.5707963267948966 * exp(-0.5) * (2 + 4));
        NEAR(cp_spherical_jn(alone, s), sin(1.5) / 2.25 - cos(1.5) / 1.5, -(sin(1.5) / 2.25 - cos(1.5) / 1.5), 0);
        NEAR(cp_spherical_bessel_y(orders, x), -cos(2.) / 2, -cos(0.5) / 0.25 - sin(0.5) / 0.5);
        ok((r = cp_spherical_bessel_y(orders, z)) && (part = cp_real_part(r)));
        cp_array *copy = cp_copy(part);
        NEAR(copy, -cos(2.) / 2, -cos(0.5) / 0.25 - sin(0.5) / 0.5);
        FREE(v, x, z, part, r, one, minus, j[0], j[1], j[2], twice, two, slope, n, ends, orders, s, alone);
    }
}

static void legendre(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *n = ints(0, 1, 2, -3), *z = doubles(0.5), *m = ints(0, 1, -1, 2), *two = ints(2), *edge = doubles(-1);
        NEAR(cp_legendre_p(n, z), 1, 0.5, -0.125, 0.5);
        NEAR(cp_legendre_p(n, z, .diff_n = 2), 1, 0.5, -0.125, 0.5, 0, 1, 1.5, 1, 0, 0, 3, 0);
        NEAR(cp_legendre_p_all(3, z, .diff_n = 1), 1, 0.5, -0.125, -0.4375, 0, 1, 1.5, 0.375);
        const double s = sqrt(0.75);
        NEAR(cp_assoc_legendre_p(two, m, z), -0.125, -1.5 * s, 0.25 * s, 2.25);
        NEAR(cp_assoc_legendre_p(two, m, z, .diff_n = 1), -0.125, -1.5 * s, 0.25 * s, 2.25, 1.5, -3 * s + 0.75 / s,
             0.5 * s - 0.125 / s, -3);
        NEAR(cp_assoc_legendre_p(two, m, z, .norm = true), -0.125 * sqrt(2.5), -1.5 * s * sqrt(2.5 / 6),
             1.5 * s * sqrt(2.5 / 6), 2.25 * sqrt(2.5 / 24));
        cp_array *three = doubles(3);
        NEAR(cp_assoc_legendre_p(two, m, three, .branch_cut = 3), 13, 9 * sqrt(8), 1.5 * sqrt(8), 24);
        NEAR(cp_assoc_legendre_p_all(1, 1, z), 1, 0, 0, 0.5, -s, 0.5 * s);
        cp_array *first = ints(1);
        NEAR(cp_assoc_legendre_p(first, first, edge, .diff_n = 1), 0, -INFINITY);
        cp_array *angle = doubles(0.7);
        const double c = 1 / sqrt(4 * 3.14159265358979323846);
        NEAR(cp_sph_legendre_p(first, m, angle, .diff_n = 1), c * sqrt(3) * cos(0.7), -c * sqrt(1.5) * sin(0.7),
             c * sqrt(1.5) * sin(0.7), 0, -c * sqrt(3) * sin(0.7), -c * sqrt(1.5) * cos(0.7),
             c * sqrt(1.5) * cos(0.7), 0);
        NEAR(cp_sph_legendre_p_all(1, 1, angle), c, 0, 0, c * sqrt(3) * cos(0.7), -c * sqrt(1.5) * sin(0.7),
             c * sqrt(1.5) * sin(0.7));
        cp_array *none = cp_zeros(CP_SHAPE(0, 2), CP_FLOAT64), *r = cp_legendre_p(first, none);
        assert_true(r && cp_ndim(r) == 3 && cp_size(r) == 0);
        cp_array *all = cp_legendre_p_all(INT32_MAX, none); /* of no elements, at once */
        assert_true(all && cp_ndim(all) == 4 && cp_dim(all, 1) == INT64_C(1) << 31);
        FREE(n, z, m, two, edge, three, first, angle, none, r, all);
    }
}

/* Every second element of a (complex) array's parts, re, im, re, ...; frees it. */
static cp_array *parts(cp_array *r)
{
    cp_array *both[2] = {r ? cp_real_part(r) : NULL, r ? cp_imag_part(r) : NULL}, *v = NULL;
    if (both[0] && both[1]) v = cp_stack(2, both, -1);
    FREE(both[0], both[1], r);
    return v;
}

static void zeta(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(2, 0, -1, 1, -2, 60.5, -259, INFINITY), *z = cp_astype(x, CP_COMPLEX128);
        cp_array *half = doubles(0.5, -3, 2), *turn = cp_complex(0, 14), *s = cp_add(half, turn), *r;
        const double pi = 3.14159265358979323846;
        cp_array *few = cp_slice(x, 1, &CP_RANGE(0, 6)), *whole = cp_slice(z, 1, &CP_RANGE(0, 3));
        NEAR(cp_riemann_zeta(few), pi * pi / 6, -0.5, -1. / 12, INFINITY, 0, 1);
        NEAR(parts(cp_riemann_zeta(whole)), pi * pi / 6, 0, -0.5, 0, -1. / 12, 0);
        NEAR(parts(cp_riemann_zeta(s)), 0.02224114260999359, -0.10325812326645005, -10.568309946957882,
             -11.904129162554622, 0.68936377888190000, 0.015418738812501525);
        ok((r = cp_riemann_zeta(z)));
        assert_int_equal(cp_type_of(r), CP_COMPLEX128);
        FREE(x, z, half, turn, s, r, few, whole);
    }
}

static void sequences(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *n = ints(4, 5, 0, -1, 3), *k = ints(2, 3, 0, 0, 4), *zero = doubles(0), *angle = doubles(0.7), *r;
        NEAR(cp_stirling2(n, k), 7, 25, 1, 0, 0);
        NEAR(cp_stirling2(n, k, .exact = true), 7, 25, 1, 0, 0);
        ok((r = cp_stirling2(n, k, .exact = true)));
        assert_int_equal(cp_type_of(r), CP_INT64);
        NEAR(cp_bernoulli(6), 1, -0.5, 1. / 6, 0, -1. / 30, 0, 1. / 42);
        NEAR(cp_bernoulli(0), 1);
        NEAR(cp_euler(8), 1, 0, -1, 0, 5, 0, -61, 0, 1385);
        NEAR(cp_pro_cv_seq(0, 2, 0), 0, 2, 6);
        NEAR(cp_obl_cv_seq(1, 2, 0), 2, 6);
        NEAR(cp_mathieu_even_coef(2, 0), 0, 1, 0, 0, 0, 0, 0, 0);
        NEAR(cp_mathieu_odd_coef(3, 0), 0, 1, 0, 0, 0, 0, 0, 0, 0);
        NEAR(cp_lmbda(1, 0), 1, 1, 0, 0);
        NEAR(cp_riccati_jn(1, 2), sin(2.), sin(2.) / 2 - cos(2.), cos(2.), cos(2.) / 2 - sin(2.) / 4 + sin(2.));
        NEAR(cp_riccati_yn(0, 2), -cos(2.), sin(2.));
        NEAR(cp_pbdv_seq(1, 2), exp(-1.), 2 * exp(-1.), -exp(-1.), -exp(-1.));
        NEAR(cp_pbvv_seq(0.5, 0), -0.65600389733375279, -0.45747508503955077, 0.68621262755932634,
             -0.65600389733375279);
        const double c = 1 / sqrt(4 * 3.14159265358979323846), s = sin(0.7), t = cos(0.7);
        NEAR(parts(cp_sph_harm_y_all(1, 1, angle, zero)), c, 0, 0, 0, 0, 0, c * sqrt(3) * t, 0, -c * sqrt(1.5) * s, 0,
             c * sqrt(1.5) * s, 0);
        cp_array *all = cp_sph_harm_y_all(1, 0, angle, zero, .diff_n = 2);
        NEAR(parts(all), c, 0, c * sqrt(3) * t, 0, 0, 0, -c * sqrt(3) * s, 0, 0, 0, 0, 0, 0, 0, -c * sqrt(3) * t, 0,
             0, 0, 0, 0, 0, 0, 0, 0);
        FREE(n, k, zero, angle, r);
    }
}

/* Legendre functions of the second kind by their logarithms, parabolic cylinder functions by Hermite polynomials. */
static void second_kinds(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *half = doubles(0.5), *three = doubles(3), *both = doubles(-0.5, INFINITY), *turn;
        const double q = atanh(0.5), r = 0.5 * log(2), s = sqrt(0.75), u = sqrt(8), e = exp(-0.0625);
        NEAR(cp_lqn(1, half), q, 0.5 * q - 1, 4. / 3, q + 2. / 3);
        NEAR(cp_lqn(0, both), -q, 0, 4. / 3, 0);
        NEAR(cp_lqn(1, three), r, 3 * r - 1, -0.125, r - 0.375);
        NEAR(cp_lqmn(1, 1, half), q, 0.5 * q - 1, -1 / s, -s * (q + 2. / 3), 4. / 3, q + 2. / 3, -0.5 / (s * s * s),
             0.5 / s * (q + 2. / 3) - s * (4. / 3 + 20. / 9));
        NEAR(cp_lqmn(1, 0, three), r, -1 / u, -0.125, 3 / (u * u * u));
        cp_array *z = cp_astype(half, CP_COMPLEX128), *w = cp_multiply(cp_keep(z), turn = cp_complex(0, 1));
        NEAR(parts(cp_lqn(0, w)), 0, atan(0.5), 0.8, 0);
        NEAR(parts(cp_pbdn_seq(1, half)), e, 0, 0.5 * e, 0, -0.25 * e, 0, 0.875 * e, 0);
        NEAR(parts(cp_pbdn_seq(0, w)), 1 / e, 0, 0, -0.25 / e);
        FREE(half, three, both, turn, z, w);
    }
}

static void ellipsoidal(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *h2 = doubles(5), *k2 = doubles(8), *n = ints(0, 1, 1, 1, 3), *s = doubles(4);
        cp_array *minus = doubles(-1), *bad = doubles(2), *few = cp_slice(n, 1, &CP_RANGE(0, 4)), *one = ints(1);
        cp_array *p = ints(1, 1, 2, 3, 8), *first = cp_slice(p, 1, &CP_RANGE(0, 4));
        const double pi = 3.14159265358979323846;
        NEAR(cp_ellip_harm(h2, k2, n, p, s), 1, 4, sqrt(11), sqrt(8), NAN);
        NEAR(cp_ellip_harm(h2, k2, n, p, s, .signm = minus), 1, 4, -sqrt(11), sqrt(8), NAN);
        NEAR(cp_ellip_harm(h2, k2, n, p, s, .signm = minus, .signn = minus), 1, 4, -sqrt(11), -sqrt(8), NAN);
        NEAR(cp_ellip_harm(h2, k2, n, p, s, .signn = bad), NAN, NAN, NAN, NAN, NAN);
        NEAR(cp_lame_harmonic(h2, k2, one, one, s), 4);
        NEAR(cp_ellip_normal(h2, k2, few, first), 4 * pi, 4. / 3 * pi * 40, 4. / 3 * pi * 15, 4. / 3 * pi * 24);
        cp_array *two = ints(2), *kinds = ints(3, 4, 5); /* s and the roots, two of them each */
        NEAR(cp_ellip_harm(h2, k2, two, kinds, s), 4 * sqrt(11), 4 * sqrt(8), sqrt(88));
        NEAR(cp_ellip_harm_2(k2, h2, two, kinds, s), NAN, NAN, NAN);
        cp_array *edge = doubles(3), *square = doubles(9), *far = doubles(INFINITY), *three = ints(3);
        NEAR(cp_ellip_harm_2(h2, k2, one, three, far), 0);
        NEAR(cp_ellip_harm_2(h2, square, one, three, edge), 0.5);
        FREE(h2, k2, n, p, s, minus, bad, few, one, first, two, kinds, edge, square, far, three);
    }
}

static void harmonics(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *n = ints(1, 0), *m = ints(1, 0), *angle = doubles(0.7), *zero = doubles(0);
        cp_array *none = cp_zeros(CP_SHAPE(0), CP_FLOAT64);
        const double c = sqrt(1.5 / (4 * 3.14159265358979323846)), s = sin(0.7), t = cos(0.7), y = c / sqrt(1.5);
        NEAR(parts(cp_sph_harm_y_derivatives(n, m, angle, zero, 0)), -c * s, 0, y, 0);
        NEAR(parts(cp_sph_harm_y_derivatives(n, m, angle, zero, 2)), -c * s, 0, y, 0, -c * t, 0, 0, 0, 0, -c * s, 0, 0,
             c * s, 0, 0, 0, 0, -c * t, 0, 0, c * s, 0, 0, 0);
        cp_array *one = cp_slice(n, 1, &CP_RANGE(0, 1)), *r = cp_sph_harm_y_derivatives(one, one, none, zero, 1);
        assert_true(r && cp_ndim(r) == 2 && cp_dim(r, 0) == 3 && cp_size(r) == 0);
        FREE(n, m, angle, zero, none, one, r);
    }
}

static void errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *n = ints(1, 2), *x = doubles(0.5, 1), *z = cp_astype(x, CP_COMPLEX64);
        cp_array *minus = ints(-1), *far = cp_astype(minus, CP_UINT64); /* which no int64 holds */
#define REFUSED(code, call) do { assert_null(call); failed(code); } while (0)
        REFUSED(CP_ERROR_VALUE, cp_jvp(n, x, -1));
        REFUSED(CP_ERROR_VALUE, cp_jvp(n, NULL, 1));
        REFUSED(CP_ERROR_TYPE, cp_kn(n, z));
        REFUSED(CP_ERROR_TYPE, cp_spherical_jn(z, x));
        REFUSED(CP_ERROR_VALUE, cp_factorialk(n, 0));
        REFUSED(CP_ERROR_TYPE, cp_factorial(z));
        REFUSED(CP_ERROR_VALUE, cp_comb(NULL, n));
        REFUSED(CP_ERROR_TYPE, cp_legendre_p(x, x));
        REFUSED(CP_ERROR_TYPE, cp_legendre_p(n, z));
        REFUSED(CP_ERROR_VALUE, cp_legendre_p(n, x, .diff_n = 3));
        REFUSED(CP_ERROR_VALUE, cp_legendre_p_all(1, x, .diff_n = INT_MAX));
        REFUSED(CP_ERROR_VALUE, cp_sph_legendre_p_all(1, 1, x, .diff_n = INT_MIN));
        REFUSED(CP_ERROR_VALUE, cp_legendre_p(far, x));
        REFUSED(CP_ERROR_VALUE, cp_assoc_legendre_p(n, far, x));
        REFUSED(CP_ERROR_TYPE, cp_assoc_legendre_p(n, x, x));
        REFUSED(CP_ERROR_VALUE, cp_assoc_legendre_p(n, n, x, .branch_cut = 1));
        REFUSED(CP_ERROR_VALUE, cp_legendre_p_all(-1, x));
        REFUSED(CP_ERROR_VALUE, cp_sph_legendre_p_all(1, -1, x));
        cp_array *many = ints(26), *more = ints(2001), *few = ints(9);
        REFUSED(CP_ERROR_TYPE, cp_stirling2(x, n));
        REFUSED(CP_ERROR_VALUE, cp_stirling2(n, NULL));
        REFUSED(CP_ERROR_VALUE, cp_stirling2(more, n));
        REFUSED(CP_ERROR_OVERFLOW, cp_stirling2(many, few, .exact = true));
        REFUSED(CP_ERROR_VALUE, cp_bernoulli(-1));
        REFUSED(CP_ERROR_VALUE, cp_euler(INT_MIN));
        REFUSED(CP_ERROR_VALUE, cp_pro_cv_seq(0, 200, 1));
        REFUSED(CP_ERROR_VALUE, cp_obl_cv_seq(INT_MIN, INT_MAX, 1));
        REFUSED(CP_ERROR_VALUE, cp_pro_cv_seq(5, 3, 1));
        REFUSED(CP_ERROR_VALUE, cp_mathieu_even_coef(-1, 1));
        REFUSED(CP_ERROR_VALUE, cp_mathieu_odd_coef(0, 1));
        REFUSED(CP_ERROR_VALUE, cp_mathieu_odd_coef(1, NAN));
        REFUSED(CP_ERROR_VALUE, cp_lmbda(-0.5, 1));
        REFUSED(CP_ERROR_VALUE, cp_pbdv_seq(NAN, 1));
        REFUSED(CP_ERROR_VALUE, cp_riccati_jn(-1, 1));
        REFUSED(CP_ERROR_VALUE, cp_sph_harm_y_all(1, -1, x, x));
        REFUSED(CP_ERROR_VALUE, cp_sph_harm_y_all(1, 1, x, x, .diff_n = 3));
        REFUSED(CP_ERROR_TYPE, cp_sph_harm_y_all(1, 1, z, x));
        REFUSED(CP_ERROR_VALUE, cp_lqn(-1, x));
        REFUSED(CP_ERROR_VALUE, cp_lqn(INT_MAX, x));
        REFUSED(CP_ERROR_VALUE, cp_lqn(1, NULL));
        REFUSED(CP_ERROR_VALUE, cp_lqmn(-1, 1, x));
        REFUSED(CP_ERROR_VALUE, cp_lqmn(1, INT_MIN, z));
        REFUSED(CP_ERROR_VALUE, cp_pbdn_seq(100001, x));
        REFUSED(CP_ERROR_TYPE, cp_ellip_harm(x, x, n, n, z));
        REFUSED(CP_ERROR_TYPE, cp_ellip_harm(x, x, n, n, x, .signn = z));
        REFUSED(CP_ERROR_VALUE, cp_ellip_harm(x, NULL, n, n, x));
        REFUSED(CP_ERROR_TYPE, cp_ellip_harm_2(x, x, n, n, z));
        REFUSED(CP_ERROR_TYPE, cp_sph_harm_y_derivatives(x, n, x, x, 1));
        REFUSED(CP_ERROR_TYPE, cp_sph_harm_y_derivatives(n, n, z, x, 1));
        REFUSED(CP_ERROR_VALUE, cp_sph_harm_y_derivatives(n, n, x, x, 3));
        REFUSED(CP_ERROR_VALUE, cp_sph_harm_y_derivatives(n, NULL, x, x, 1));
        FREE(n, x, z, minus, far, many, more, few);
    }
}

static cp_array *whole, *real;

static bool body(void)
{
    cp_array *r[] = {cp_comb(whole, whole), cp_comb(whole, whole, .repetition = true), cp_perm(whole, whole),
                     cp_factorial(real), cp_factorialk(whole, 3), cp_diric(real, whole), cp_softplus(real),
                     cp_jvp(whole, real, 2), cp_kvp(whole, real, 1), cp_kn(whole, real),
                     cp_spherical_jn(whole, real, .derivative = true), cp_spherical_kn(whole, real),
                     cp_spherical_bessel_y(whole, real, .derivative = true),
                     cp_legendre_p(whole, real, .diff_n = 2), cp_legendre_p_all(2, real),
                     cp_assoc_legendre_p_all(2, 2, real, .diff_n = 2),
                     cp_sph_legendre_p(whole, whole, real, .diff_n = 1), cp_stirling2(whole, whole),
                     cp_bernoulli(3), cp_pro_cv_seq(0, 2, 1), cp_mathieu_even_coef(1, 1), cp_lmbda(1.5, 1),
                     cp_pbdv_seq(1.5, 1), cp_riccati_yn(2, 1),
                     cp_sph_harm_y_all(1, 1, real, real, .diff_n = 1), cp_lqn(1, real), cp_lqmn(1, 2, real),
                     cp_pbdn_seq(2, real),
                     cp_ellip_harm(real, whole, whole, whole, real, .signm = real, .signn = whole),
                     cp_sph_harm_y_derivatives(whole, whole, real, real, 2)};
    return check_all_made(sizeof r / sizeof *r, r);
}

static void failing_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        whole = ints(1, 2), real = doubles(0.5, 0.25);
        every_allocation_fails(body);
        FREE(whole, real);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counting), cmocka_unit_test(bessel),
                                       cmocka_unit_test(legendre), cmocka_unit_test(zeta),
                                       cmocka_unit_test(sequences), cmocka_unit_test(second_kinds),
                                       cmocka_unit_test(ellipsoidal), cmocka_unit_test(harmonics),
                                       cmocka_unit_test(errors),
                                       cmocka_unit_test(failing_allocations)};
    return check_run(tests);
}
