/* Combinations, permutations, factorials; Dirichlet's kernel, softplus. */
#include "special/parts.h"

/*: python_module("_special", doc="Special functions made of others, behind cuprite.scipy.special.") */

/* Where 0 <= k <= n. */
static cp_array *inside(cp_array *n, cp_array *k)
{
    cp_array *both = cp_logical_and(cp_less_equal(k, n), cp_greater_equal(n, cp_int(0)));
    return cp_logical_and(both, cp_greater_equal(k, cp_int(0)));
}

/*: function("comb", "N: array_like, k: array_like, repetition: bool = False", module="_special",
             doc="""How many ways there are to take k of N things, in floating numbers; 0 where there are not so many.
repetition: things may be taken several times.""") */
cp_array *(cp_comb)(cp_array *N, cp_array *k, const cp_comb_options *options)
{
    const cp_comb_options *o = CPI_GIVEN(cp_comb_options, options);
    cpi_composite f;
    if (cpi_null("comb", k) || !cpi_begin(&f, "comb", N)) return NULL;
    if (!o->repetition) return cpi_end(&f, cp_where(inside(N, k), cp_binom(N, k), cp_float(0)));
    cp_array *none = cp_logical_and(cp_equal(k, cp_int(0)), cp_greater_equal(N, cp_int(0)));
    cp_array *more = cp_subtract(cp_add(N, k), cp_int(1));
    return cpi_end(&f, cp_where(none, cp_float(1), cp_binom(more, k)));
}

/*: function("perm", "N: array_like, k: array_like", module="_special",
             doc="How many ways there are to take k of N things in an order, in floating numbers.") */
cp_array *cp_perm(cp_array *N, cp_array *k)
{
    cpi_composite f;
    if (cpi_null("perm", k) || !cpi_begin(&f, "perm", N)) return NULL;
    cp_array *ways = cp_poch(cp_add(cp_subtract(N, k), cp_int(1)), k);
    return cpi_end(&f, cp_where(inside(N, k), ways, cp_float(0)));
}

/* gamma(x + 1), NaN at its poles. */
static cp_array *gamma_1(cp_array *x)
{
    cp_array *r = cp_gamma(cp_add(x, cp_float(1)));
    return cp_where(cp_logical_and(cp_isinf(r), cp_less(x, cp_int(0))), cp_float(NAN), r);
}

/* The product n (n - k) (n - 2 k) ... in float64: powers of k and gamma functions; 0 below 0. */
static cp_array *product(const char *name, cp_array *n, int64_t k)
{
    cpi_composite f;
    if (cpi_null(name, n) || cpi_check_real(name, n)) return NULL;
    if (k < 1) return cpi_fail(CP_ERROR_VALUE, "%s: k must be a positive integer, not %lld", name, (long long)k), NULL;
    if (!cpi_begin(&f, name, n)) return NULL;
    cp_array *x = cp_astype(n, CP_FLOAT64), *r;
    if (k == 1) {
        r = gamma_1(x);
    } else {
        cp_array *by = cp_float((double)k), *rest = cp_remainder(x, by);
        r = cp_power(by, cp_divide(cp_subtract(x, rest), by));
        r = cp_divide(cp_multiply(r, gamma_1(cp_divide(x, by))), gamma_1(cp_divide(rest, by)));
        r = cp_multiply(r, cp_maximum(rest, cp_float(1)));
    }
    cp_array *otherwise = cp_where(cp_isnan(x), x, cp_float(0));
    return cpi_end(&f, cp_where(cp_greater_equal(x, cp_int(0)), r, otherwise));
}

/*: function("factorial", "n: array_like", module="_special",
             doc="n! in float64; of numbers that are not whole gamma(n + 1), below 0 it is 0.") */
cp_array *cp_factorial(cp_array *n) { return product("factorial", n, 1); }

/*: function("factorial2", "n: array_like", module="_special", doc="n (n - 2) (n - 4) ... in float64, 0 below 0.") */
cp_array *cp_factorial2(cp_array *n) { return product("factorial2", n, 2); }

/*: function("factorialk", "n: array_like, k: int64", module="_special",
             doc="n (n - k) (n - 2 k) ... in float64 for a whole k above 0; 0 below 0.") */
cp_array *cp_factorialk(cp_array *n, int64_t k) { return product("factorialk", n, k); }

/*: function("diric", "x: array_like, n: array_like", module="_special",
             doc="Dirichlet's kernel sin(n x / 2) / (n sin(x / 2)) for whole n above 0; NaN for others.") */
cp_array *cp_diric(cp_array *x, cp_array *n)
{
    cpi_composite f;
    if (cpi_null("diric", n) || !cpi_begin(&f, "diric", x)) return NULL;
    n = cp_add(n, cp_subtract(x, x));
    x = n ? cp_add(x, cp_subtract(n, n)) : NULL;
    if (x && !cpi_is_float(x->type) && !cpi_is_complex(x->type)) x = cp_astype(x, CP_FLOAT64);
    if (!x) return cpi_end(&f, NULL);
    const bool wide = x->type == CP_FLOAT64 || x->type == CP_COMPLEX128;
    cp_array *half = cp_divide(x, cp_int(2)), *below = cp_sin(half);
    cp_array *turns = cp_multiply(cp_rint(cp_divide(half, cp_float(CPI_PI))), cp_subtract(n, cp_int(1)));
    turns = cp_remainder(cp_absolute(turns), cp_int(2));
    cp_array *near = cp_less(cp_absolute(below), cp_float(wide ? 1e-7 : 1e-3));
    cp_array *ends = cp_subtract(cp_int(1), cp_multiply(cp_int(2), turns));
    cp_array *value = cp_divide(cp_sin(cp_multiply(n, half)), cp_multiply(n, cp_where(near, cp_int(1), below)));
    cp_array *whole = cp_logical_and(cp_greater(n, cp_int(0)), cp_equal(n, cp_floor(n)));
    cp_array *r = cp_where(whole, cp_where(near, ends, value), cp_float(NAN));
    return cpi_end(&f, r ? cp_astype(r, x->type) : NULL);
}

/*: function("softplus", "x: array_like", module="_special", doc="log(1 + exp(x)), without overflow.") */
cp_array *cp_softplus(cp_array *x)
{
    cpi_composite f;
    if (!cpi_begin(&f, "softplus", x)) return NULL;
    return cpi_end(&f, cp_logaddexp(cp_int(0), x));
}
