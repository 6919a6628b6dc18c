/* Sequences: numbers of Stirling, Bernoulli and Euler, coefficients and characteristic values of wave functions,
 * functions of all orders up to one, or of all degrees. */
#include "special/parts.h"
#include "scalar/mathieu.h"

static cp_array *row(const double *values, int64_t n) { return cp_from_host(values, CP_FLOAT64, CP_SHAPE(n), NULL); }

/* --- numbers of Stirling --- */

enum { MOST_THINGS = 2000 };

/* k x + y; -1 where that does not fit int64, as what is made of -1 does not. */
static int64_t exact_next(int64_t k, int64_t x, int64_t y)
{
    int64_t r;
    if ((k && x < 0) || y < 0 || __builtin_mul_overflow(k, x, &r) || __builtin_add_overflow(r, y, &r)) return -1;
    return r;
}
/* S(n, k) for n to `things` and k to `sets`, a row behind another, and a zero. */
static void exact_table(int64_t things, int64_t sets, int64_t *table)
{
    const int64_t width = sets + 1;
    for (int64_t k = 0; k <= sets; k++) table[k] = k == 0;
    for (int64_t n = 1; n <= things; n++) {
        int64_t *row = table + n * width;
        for (int64_t k = 0; k <= sets; k++) row[k] = exact_next(k, row[k - width], k ? row[k - 1 - width] : 0);
    }
    table[(things + 1) * width] = 0;
}
/* The same rounded from long double, in which `now` has a row. */
static void rounded_table(int64_t things, int64_t sets, double *table, long double *now)
{
    const int64_t width = sets + 1;
    for (int64_t k = 0; k <= sets; k++) now[k] = k == 0;
    for (int64_t n = 0; n <= things; n++) {
        for (int64_t k = sets; k >= 0 && n; k--) /* from behind: what is to the left is of the row before */
            now[k] = (long double)k * now[k] + (k ? now[k - 1] : 0);
        for (int64_t k = 0; k <= sets; k++) table[n * width + k] = (double)now[k];
    }
    table[(things + 1) * width] = 0;
}

static cp_array *stirling_table(int64_t things, int64_t sets, bool exact)
{
    const int64_t n = (things + 1) * (sets + 1) + 1;
    void *table = cpi_malloc((size_t)n * sizeof(double));
    long double *now = cpi_malloc((size_t)(sets + 1) * sizeof *now);
    cp_array *r = NULL;
    if (table && now) {
        if (exact) exact_table(things, sets, table);
        else rounded_table(things, sets, table, now);
        r = cp_from_host(table, exact ? CP_INT64 : CP_FLOAT64, CP_SHAPE(n), NULL);
    }
    cpi_free_host(now), cpi_free_host(table);
    return r;
}

/* The largest element, 0 at least; -1 with an error. Waits. */
static int64_t largest(cp_array *x)
{
    cp_array *most = x ? cp_max(x) : NULL;
    const double v = most ? cp_item_float(most) : -1;
    return !most || cp_error() ? -1 : v < 0 ? 0 : v < 0x1p62 ? (int64_t)v : INT64_MAX;
}
/* r, or NULL with an error where one of its numbers did not fit. */
static cp_array *all_fit(cp_array *r)
{
    cp_array *least = r ? cp_min(r) : NULL;
    if (!least || cp_item_int(least) >= 0) return least ? r : NULL;
    return cpi_fail(CP_ERROR_OVERFLOW, "stirling2: numbers do not fit int64"), NULL;
}

/*: function("stirling2", "N: array_like, K: array_like, exact: bool = False", module="_special", unlock="always",
             raises={"TypeError": "numbers that are not whole", "ValueError": "an N above 2000",
                     "OverflowError": "exact numbers that do not fit int64"},
             doc="""Stirling's numbers of the second kind, how many ways there are to put N things into K sets: in
float64, or exact in int64. Waits for the largest N and K.""") */
cp_array *(cp_stirling2)(cp_array *N, cp_array *K, const cp_stirling2_options *options)
{
    const bool exact = CPI_GIVEN(cp_stirling2_options, options)->exact;
    cpi_composite f;
    if (cpi_null("stirling2", N) || cpi_null("stirling2", K)) return NULL;
    if (!cpi_is_whole(N->type) || !cpi_is_whole(K->type) || N->type == CP_BOOL || K->type == CP_BOOL)
        return cpi_fail(CP_ERROR_TYPE, "stirling2: N and K must contain only integers"), NULL;
    if (!cpi_begin(&f, "stirling2", N->flags & CPI_HOST_SCALAR ? K : N)) return NULL;
    cp_array *n = cp_astype(N, CP_INT64), *k = cp_astype(K, CP_INT64), *both = n && k ? cp_add(n, k) : NULL;
    if (!both || !both->size) return cpi_end(&f, both ? cp_astype(both, exact ? CP_INT64 : CP_FLOAT64) : NULL);
    const int64_t things = largest(N);
    if (things > MOST_THINGS)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "stirling2: N of at most %d, not %lld", MOST_THINGS,
                                     (long long)things), NULL));
    const int64_t sets = things < 0 ? -1 : largest(cp_minimum(k, cp_int(things)));
    cp_array *table = sets < 0 ? NULL : stirling_table(things, sets, exact);
    cp_array *inside = cp_logical_and(cp_greater_equal(k, cp_int(0)), cp_less_equal(k, n)); /* so is n from 0 on */
    cp_array *at = cp_add(cp_multiply(n, cp_int(sets + 1)), k);
    at = table ? cp_where(inside, at, cp_int((things + 1) * (sets + 1))) : NULL;
    cp_array *r = at ? cp_take(table, at, 0) : NULL;
    return cpi_end(&f, exact ? all_fit(r) : r);
}

/* --- numbers of Bernoulli and Euler --- */

/* 1 + sign (1 + by)^-s + (1 + 2 by)^-s + sign (1 + 3 by)^-s + ..., of s from 20 on. */
static long double powers(int64_t s, int by, int sign)
{
    long double sum = 1;
    for (int i = 1 + by, turn = sign; i < 12; i += by, turn *= sign) sum += turn * powl(i, (long double)-s);
    return sum;
}

/* n + 1 numbers, 0 those of odd places: `first` ten of even ones, then 2 (2 j)! (scale / pi)^(2 j + odd) times the sum
 * of powers, with changing signs. */
static cp_array *of_places(const char *name, int n, const double *first, bool euler)
{
    cpi_composite f;
    if (n < 0) return cpi_fail(CP_ERROR_VALUE, "%s: n must be a non-negative integer", name), NULL;
    if (!cpi_begin_alone(&f)) return NULL;
    double *v = cpi_malloc(((size_t)n + 1) * sizeof *v);
    long double size = euler ? 4 / 3.141592653589793238462643383279502884L : 2, half = euler ? 0.5L : 2;
    const long double over = 1 / (half * 3.141592653589793238462643383279502884L);
    for (int64_t i = 0; i <= n && v; i++) {
        if (i) size *= (long double)i * over;
        const int64_t j = i / 2;
        const double sign = euler == (j % 2 != 0) ? -1 : 1;
        v[i] = i % 2 ? 0 : j < 11 ? first[j] :
               sign * (double)(size * (euler ? powers(i + 1, 2, -1) : powers(i, 1, 1)));
    }
    if (v && n && !euler) v[1] = -0.5;
    cp_array *r = v ? row(v, n + 1) : NULL;
    cpi_free_host(v);
    return cpi_end(&f, r);
}

/*: function("bernoulli", "n: int", module="_special", raises={"ValueError": "a negative n"},
             doc="Bernoulli's numbers B0 to Bn in float64; B1 is -1/2.") */
cp_array *cp_bernoulli(int n)
{
    static const double first[11] = {1, 1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6,
                                     -3617. / 510, 43867. / 798, -174611. / 330};
    return of_places("bernoulli", n, first, false);
}

/*: function("euler", "n: int", module="_special", raises={"ValueError": "a negative n"},
             doc="Euler's numbers E0 to En in float64.") */
cp_array *cp_euler(int n)
{
    static const double first[11] = {1, -1, 5, -61, 1385, -50521, 2702765, -199360981, 19391512145., -2404879675441.,
                                     370371188237525.};
    return of_places("euler", n, first, true);
}

/* --- wave functions --- */

enum { MOST_SPHEROIDAL = 199, MOST_COEFFICIENTS = 251 };

static cp_array *spheroidal_values(const char *name, int m, int n, double c, cp_array *(*of)(cp_array *, cp_array *,
                                                                                              cp_array *))
{
    cpi_composite f;
    if ((int64_t)n - m > MOST_SPHEROIDAL)
        return cpi_fail(CP_ERROR_VALUE, "%s: Difference between n and m is too large.", name), NULL;
    if ((int64_t)n - m < -1) return cpi_fail(CP_ERROR_VALUE, "%s: n must be at least m - 1", name), NULL;
    if (!cpi_begin_alone(&f)) return NULL;
    cp_array *degrees = cp_arange_int(m, (int64_t)n + 1, 1, CP_INT64);
    cp_array *wide = degrees ? cp_astype(degrees, CP_FLOAT64) : NULL;
    return cpi_end(&f, wide ? of(cp_float(m), wide, cp_float(c)) : NULL);
}

/*: function("pro_cv_seq", "m: int, n: int, c: double", module="_special",
             raises={"ValueError": "an n above m + 199 or below m - 1"},
             doc="Characteristic values of prolate spheroidal functions of order m and degrees m to n.") */
cp_array *cp_pro_cv_seq(int m, int n, double c) { return spheroidal_values("pro_cv_seq", m, n, c, cp_pro_cv); }

/*: function("obl_cv_seq", "m: int, n: int, c: double", module="_special",
             raises={"ValueError": "an n above m + 199 or below m - 1"},
             doc="Characteristic values of oblate spheroidal functions of order m and degrees m to n.") */
cp_array *cp_obl_cv_seq(int m, int n, double c) { return spheroidal_values("obl_cv_seq", m, n, c, cp_obl_cv); }

/* As many as SciPy thinks to count, up to 251. */
static int coefficients(int m, double q)
{
    const double h = sqrt(q);
    const double n = 0.5 * m + (q <= 1 ? 7.5 + 56.1 * h - 134.7 * q + 90.7 * h * q :
                                17.0 + 3.1 * h - .126 * q + .0037 * h * q);
    return n < MOST_COEFFICIENTS ? (int)n : MOST_COEFFICIENTS;
}

static cp_array *mathieu_coefficients(const char *name, int odd, int m, double q)
{
    cpi_composite f;
    if (!(q >= 0)) return cpi_fail(CP_ERROR_VALUE, "%s: q is not negative", name), NULL;
    if (m < odd) return cpi_fail(CP_ERROR_VALUE, "%s: m must be an integer of at least %d", name, odd), NULL;
    if (!cpi_begin_alone(&f)) return NULL;
    cps_fourier *of = cpi_malloc(sizeof *of);
    double v[MOST_COEFFICIENTS];
    const int n = coefficients(m, q);
    if (!of) return cpi_end(&f, NULL);
    cps_fourier_make(of, odd, m, q);
    for (int i = 0; i < n; i++) v[i] = of->n == 0 ? NAN : i < of->n ? of->c[i] : 0; /* NaN: they are too many */
    cpi_free_host(of);
    return cpi_end(&f, row(v, n));
}

/*: function("mathieu_even_coef", "m: int, q: double", module="_special",
             raises={"ValueError": "a negative m or q"},
             doc="""Fourier coefficients of the even Mathieu function of order m and parameter q: of the cosines of 0,
2, 4, ... x, or of 1, 3, 5, ... x. They are as many as SciPy's, 251 at most; NaN where they cannot be
computed.""") */
cp_array *cp_mathieu_even_coef(int m, double q) { return mathieu_coefficients("mathieu_even_coef", 0, m, q); }

/*: function("mathieu_odd_coef", "m: int, q: double", module="_special",
             raises={"ValueError": "an m that is not above 0, a negative q"},
             doc="""Fourier coefficients of the odd Mathieu function of order m and parameter q: of the sines of 2, 4,
... x, or of 1, 3, 5, ... x.""") */
cp_array *cp_mathieu_odd_coef(int m, double q) { return mathieu_coefficients("mathieu_odd_coef", 1, m, q); }

/* --- functions of several orders, and their derivatives: (2, orders) --- */

/* The orders first, first + 1, ... */
static cp_array *orders_from(double first, int64_t n)
{
    cp_array *whole = cp_arange_int(0, n, 1, CP_INT64), *wide = whole ? cp_astype(whole, CP_FLOAT64) : NULL;
    return wide ? cp_add(wide, cp_float(first)) : NULL;
}
static cp_array *with_derivatives(cp_array *values, cp_array *slopes)
{
    cp_array *both[2] = {values, slopes};
    return values && slopes ? cp_stack(2, both, 0) : NULL;
}
static bool too_large(const char *name, double v)
{
    if (!(fabs(v) < 1e8)) cpi_fail(CP_ERROR_VALUE, "%s: orders are below 10^8", name);
    return !(fabs(v) < 1e8);
}

static cp_array *parabolic(const char *name, double v, double x,
                           cp_code (*of)(cp_array *, cp_array *, cp_array **, cp_array **))
{
    cpi_composite f;
    if (too_large(name, v) || !cpi_begin_alone(&f)) return NULL;
    const int64_t whole = (int64_t)v, n = whole < 1 ? 1 : whole;
    const double top = (double)n + (v - (double)whole); /* of v below 0 it is 0 to 2 */
    cp_array *orders = orders_from(top - trunc(top), n + 1), *values = NULL, *slopes = NULL;
    if (!orders || of(orders, cp_float(x), &values, &slopes)) return cpi_end(&f, NULL);
    return cpi_end(&f, with_derivatives(values, slopes));
}

/*: function("pbdv_seq", "v: double, x: double", module="_special", raises={"ValueError": "a v beyond 10^8"},
             doc="""Parabolic cylinder functions D of x and their derivatives, of orders v, v - 1, ... from 0 to 1 on:
(2, orders), two orders at least.""") */
cp_array *cp_pbdv_seq(double v, double x) { return parabolic("pbdv_seq", v, x, cp_pbdv); }

/*: function("pbvv_seq", "v: double, x: double", module="_special", raises={"ValueError": "a v beyond 10^8"},
             doc="""Parabolic cylinder functions V of x and their derivatives, of orders v, v - 1, ... from 0 to 1 on:
(2, orders), two orders at least.""") */
cp_array *cp_pbvv_seq(double v, double x) { return parabolic("pbvv_seq", v, x, cp_pbvv); }

/*: function("lmbda", "v: double, x: double", module="_special", raises={"ValueError": "a v below 0 or beyond 10^8"},
             doc="""Jahnke and Emde's Lambda functions gamma(v + 1) (2 / x)**v jv(v, x) and their derivatives, of orders
v, v - 1, ... from 0 to 1 on: (2, orders).""") */
cp_array *cp_lmbda(double v, double x)
{
    cpi_composite f;
    if (too_large("lmbda", v)) return NULL;
    if (v < 0) return cpi_fail(CP_ERROR_VALUE, "lmbda: v is not negative"), NULL;
    if (!cpi_begin_alone(&f)) return NULL;
    cp_array *next = orders_from(v - floor(v) + 1, (int64_t)v + 1), *square = cp_float(-0.25 * x * x);
    cp_array *values = cp_hyp0f1(next, square), *above = cp_hyp0f1(cp_add(next, cp_float(1)), square);
    return cpi_end(&f, with_derivatives(values, cp_multiply(cp_divide(cp_float(-0.5 * x), next), above)));
}

typedef cp_array *(*spherical)(cp_array *n, cp_array *z, const cp_spherical_jn_options *options);
static cp_array *spherical_y(cp_array *n, cp_array *z, const cp_spherical_jn_options *options)
{
    return cp_spherical_bessel_y(n, z, .derivative = options->derivative);
}
static cp_array *riccati(const char *name, int n, double x, spherical of)
{
    cpi_composite f;
    if (n < 0) return cpi_fail(CP_ERROR_VALUE, "%s: n must be a non-negative integer", name), NULL;
    if (!cpi_begin_alone(&f)) return NULL;
    cp_array *orders = cp_arange_int(0, (int64_t)n + 1, 1, CP_INT64), *z = cp_full(CP_SHAPE0, CP_FLOAT64, cp_float(x));
    if (!orders || !z) return cpi_end(&f, NULL);
    cp_array *j = of(orders, z, &(cp_spherical_jn_options){0});
    cp_array *slope = of(orders, z, &(cp_spherical_jn_options){.derivative = true});
    return cpi_end(&f, with_derivatives(cp_multiply(z, j), cp_add(j, cp_multiply(z, slope))));
}

/*: function("riccati_jn", "n: int, x: double", module="_special", raises={"ValueError": "a negative n"},
             doc="""x times the spherical Bessel functions of the first kind of orders 0 to n at x, and their
derivatives: (2, n + 1).""") */
cp_array *cp_riccati_jn(int n, double x) { return riccati("riccati_jn", n, x, cp_spherical_jn); }

/*: function("riccati_yn", "n: int, x: double", module="_special", raises={"ValueError": "a negative n"},
             doc="""x times the spherical Bessel functions of the second kind of orders 0 to n at x, and their
derivatives: (2, n + 1).""") */
cp_array *cp_riccati_yn(int n, double x) { return riccati("riccati_yn", n, x, spherical_y); }

/* --- functions of arrays: (2, orders, ...) --- */

enum { MOST_DEGREES = 100000 }; /* of assoc_legendre_q and pbdn */

/* The numbers 0 to n, before `behind` axes. */
static cp_array *column(int n, int behind)
{
    int64_t shape[CP_MAXDIM];
    shape[0] = (int64_t)n + 1;
    for (int i = 1; i <= behind; i++) shape[i] = 1;
    cp_array *whole = cp_arange_int(0, shape[0], 1, CP_INT64);
    return whole ? cp_reshape(cp_astype(whole, CP_FLOAT64), (cp_shape){behind + 1, shape}) : NULL;
}
static bool refused(const char *name, const char *what, int n)
{
    if (n < 0) cpi_fail(CP_ERROR_VALUE, "%s: %s must be a non-negative integer", name, what);
    else if (n > MOST_DEGREES) cpi_fail(CP_ERROR_VALUE, "%s: %s is at most %d, not %d", name, what, MOST_DEGREES, n);
    return n < 0 || n > MOST_DEGREES;
}
/* Complex numbers as complex128, others as float64; NULL where no axes are left for those of the result. */
static cp_array *wide(const char *name, cp_array *z, int axes)
{
    if (z->ndim + axes > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "%s: more than %d dimensions", name, CP_MAXDIM), NULL;
    return cp_astype(z, cpi_is_complex(z->type) ? CP_COMPLEX128 : CP_FLOAT64);
}

/*: function("lqn", "n: int, z: array_like", module="_special", unlock="always",
             raises={"ValueError": "a negative n, an n above 100000"},
             doc="""Legendre functions of the second kind of degrees 0 to n at z, and their derivatives: (2, n + 1,
...), in float64 or complex128. Of complex numbers they are those of the cut from -1 to 1 where |z| <= 1, else those
that decay.""") */
cp_array *cp_lqn(int n, cp_array *z)
{
    cpi_composite f;
    if (cpi_null("lqn", z) || refused("lqn", "n", n) || !cpi_begin(&f, "lqn", z)) return NULL;
    cp_array *x = wide("lqn", z, 2), *degrees = x ? column(n, z->ndim) : NULL, *q = NULL, *slopes = NULL;
    if (!degrees || cp_assoc_legendre_q(degrees, cp_float(0), x, &q, &slopes)) return cpi_end(&f, NULL);
    return cpi_end(&f, with_derivatives(q, slopes));
}

/*: function("lqmn", "m: int, n: int, z: array_like", module="_special", unlock="always",
             raises={"ValueError": "a negative m or n, one above 100000"},
             doc="""Associated Legendre functions of the second kind of orders 0 to m and degrees 0 to n at z, and
their derivatives: (2, m + 1, n + 1, ...), in float64 or complex128. Of complex numbers they are those of the cut from
-1 to 1 where |z| <= 1, else those that decay.""") */
cp_array *cp_lqmn(int m, int n, cp_array *z)
{
    cpi_composite f;
    if (cpi_null("lqmn", z) || refused("lqmn", "m", m) || refused("lqmn", "n", n)) return NULL;
    if (!cpi_begin(&f, "lqmn", z)) return NULL;
    cp_array *x = wide("lqmn", z, 3), *degrees = x ? column(n, z->ndim) : NULL, *q = NULL, *slopes = NULL;
    cp_array *orders = degrees ? column(m, z->ndim + 1) : NULL;
    if (!orders || cp_assoc_legendre_q(degrees, orders, x, &q, &slopes)) return cpi_end(&f, NULL);
    return cpi_end(&f, with_derivatives(q, slopes));
}

/*: function("pbdn_seq", "n: int, z: array_like", module="_special", unlock="always",
             raises={"ValueError": "a negative n, an n above 100000"},
             doc="""Parabolic cylinder functions D of orders 0 to n at z, and their derivatives: (2, n + 1, ...), in
complex128.""") */
cp_array *cp_pbdn_seq(int n, cp_array *z)
{
    cpi_composite f;
    if (cpi_null("pbdn_seq", z) || refused("pbdn_seq", "n", n) || !cpi_begin(&f, "pbdn_seq", z)) return NULL;
    cp_array *x = wide("pbdn_seq", z, 2), *orders = x ? column(n, z->ndim) : NULL, *d = NULL, *slopes = NULL;
    x = orders ? cp_astype(x, CP_COMPLEX128) : NULL;
    if (!x || cp_pbdn(orders, x, &d, &slopes)) return cpi_end(&f, NULL);
    return cpi_end(&f, with_derivatives(d, slopes));
}
