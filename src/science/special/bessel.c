/* Bessel functions that are made of those of neighbouring orders: derivatives in the argument, spherical ones. */
#include "special/parts.h"

typedef cp_array *(*bessel)(cp_array *v, cp_array *z);

/* v, for orders around it: of a type in which no small or unsigned integer wraps and sums are not rounded more than the
 * result is, and which has v's place beside z. */
static cp_array *widened(cp_array *v, const cp_array *z)
{
    const bool wide = z->type == CP_FLOAT64 || z->type == CP_COMPLEX128;
    if (wide && !(z->flags & CPI_HOST_SCALAR) && cpi_is_float(v->type)) return cp_astype(v, CP_FLOAT64);
    switch ((int)v->type) {
    case CP_INT8: case CP_UINT8: return cp_astype(v, CP_INT16);
    case CP_INT16: case CP_UINT16: return cp_astype(v, z->flags & CPI_HOST_SCALAR ? CP_INT32 : CP_FLOAT32);
    case CP_INT32: case CP_UINT32: return cp_astype(v, CP_INT64);
    case CP_UINT64: return cp_astype(v, CP_FLOAT64);
    default: return v;
    }
}

/* The n-th derivative in z as a sum over orders v - n to v + n (DLMF 10.6.7, 10.29.5). */
static cp_array *derivative(const char *name, bessel of, cp_array *v, cp_array *z, int n, int sign)
{
    cpi_composite f;
    double factor = 1, power = 1;
    if (cpi_null(name, v) || cpi_null(name, z)) return NULL;
    if (n < 0) return cpi_fail(CP_ERROR_VALUE, "%s: 'n' must be a non-negative integer", name), NULL;
    if (!cpi_begin(&f, name, z->flags & CPI_HOST_SCALAR ? v : z)) return NULL;
    if (n && !(v = widened(v, z))) return cpi_end(&f, NULL);
    cp_array *total = of(n ? cp_subtract(v, cp_int(n)) : v, z);
    for (int i = 1; i <= n && total; i++) {
        factor *= (double)sign * (n - i + 1) / i, power *= 2;
        cp_array *order = cp_add(v, cp_int(2 * (int64_t)i - n)), *part = of(order, z);
        cp_array *next = cp_add(total, cp_multiply(cp_float(factor), part));
        cp_free(order), cp_free(part), cp_free(total);
        total = next;
    }
    return cpi_end(&f, n ? cp_divide(total, cp_float(power)) : total);
}

/*: function("jvp", "v: array_like, z: number_or_array_like, n: int", module="_special",
             raises={"ValueError": "a negative n"}, doc="The n-th derivative of jv(v, z) in z.") */
cp_array *cp_jvp(cp_array *v, cp_array *z, int n) { return derivative("jvp", cp_jv, v, z, n, -1); }

/*: function("yvp", "v: array_like, z: number_or_array_like, n: int", module="_special",
             raises={"ValueError": "a negative n"}, doc="The n-th derivative of yv(v, z) in z.") */
cp_array *cp_yvp(cp_array *v, cp_array *z, int n) { return derivative("yvp", cp_yv, v, z, n, -1); }

/*: function("ivp", "v: array_like, z: number_or_array_like, n: int", module="_special",
             raises={"ValueError": "a negative n"}, doc="The n-th derivative of iv(v, z) in z.") */
cp_array *cp_ivp(cp_array *v, cp_array *z, int n) { return derivative("ivp", cp_iv, v, z, n, 1); }

/*: function("kvp", "v: array_like, z: number_or_array_like, n: int", module="_special",
             raises={"ValueError": "a negative n"}, doc="The n-th derivative of kv(v, z) in z.") */
cp_array *cp_kvp(cp_array *v, cp_array *z, int n)
{
    cp_array *r = derivative("kvp", cp_kv, v, z, n, 1), *turned = r && n % 2 ? cp_negative(r) : r;
    if (turned != r) cp_free(r);
    return turned;
}

/*: function("h1vp", "v: array_like, z: number_or_array_like, n: int", module="_special",
             raises={"ValueError": "a negative n"}, doc="The n-th derivative of hankel1(v, z) in z.") */
cp_array *cp_h1vp(cp_array *v, cp_array *z, int n) { return derivative("h1vp", cp_hankel1, v, z, n, -1); }

/*: function("h2vp", "v: array_like, z: number_or_array_like, n: int", module="_special",
             raises={"ValueError": "a negative n"}, doc="The n-th derivative of hankel2(v, z) in z.") */
cp_array *cp_h2vp(cp_array *v, cp_array *z, int n) { return derivative("h2vp", cp_hankel2, v, z, n, -1); }

/*: function("kn", "n: array_like, x: array_like", module="_special", raises={"TypeError": "complex numbers"},
             doc="The modified Bessel function of the second kind of whole order n: kv(n, x), with n cut off.") */
cp_array *cp_kn(cp_array *n, cp_array *x)
{
    cpi_composite f;
    if (cpi_null("kn", n) || cpi_null("kn", x) || cpi_check_real("kn", n) || cpi_check_real("kn", x)) return NULL;
    if (!cpi_begin(&f, "kn", x->flags & CPI_HOST_SCALAR ? n : x)) return NULL;
    cp_array *order = cpi_is_float(n->type) ? n : cp_astype(n, CP_FLOAT64);
    return cpi_end(&f, cp_kv(cp_trunc(order), x));
}

/* --- spherical --- */

typedef struct kind { const char *name; bessel of; bool odd, modified; } kind;
static const kind J = {"spherical_jn", cp_jv, true, false}, Y = {"spherical_yn", cp_yv, false, false},
                  I = {"spherical_in", cp_iv, true, true}, K = {"spherical_kn", cp_kv, false, true};

static cp_array *turned(cp_array *n) /* (-1)^n */
{
    return cp_where(cp_not_equal(cp_remainder(n, cp_int(2)), cp_int(0)), cp_float(-1), cp_float(1));
}
static cp_array *is_left(cp_array *z) { return cp_less(cpi_is_complex(z->type) ? cp_real_part(z) : z, cp_int(0)); }

/* r, but at infinity its limits; they are SciPy's where there is none. */
static cp_array *at_infinity(const kind *k, cp_array *n, cp_array *z, cp_array *r)
{
    const bool complex_z = cpi_is_complex(z->type);
    cp_array *infinite = cp_isinf(z), *ends = cp_float(0);
    cp_array *real = complex_z ? cp_equal(cp_imag_part(z), cp_int(0)) : NULL;
    if (k->modified && k->odd) ends = cp_multiply(cp_where(is_left(z), turned(n), cp_float(1)), cp_float(INFINITY));
    else if (k->modified) ends = cp_where(is_left(z), cp_float(-INFINITY), cp_float(0));
    r = cp_where(complex_z ? cp_logical_and(infinite, real) : infinite, ends, r);
    if (!complex_z) return r;
    cp_array *beyond = k->modified ? cp_complex(NAN, 0) : cp_complex(INFINITY, INFINITY);
    return cp_where(cp_logical_and(infinite, cp_logical_not(real)), beyond, r);
}

/* x as z's type; frees nothing, as all is the scope's. */
static cp_array *as(cp_array *x, const cp_array *z) { return x && x->type != z->type ? cp_astype(x, z->type) : x; }

/* sqrt(pi / (2 z)) times the function of order n + 1/2; of real numbers left of 0 by the parity of n, and of the second
 * kind with the first (DLMF 10.47.17). n: float64. */
static cp_array *spherical(const kind *k, cp_array *n, cp_array *z)
{
    const bool complex_z = cpi_is_complex(z->type);
    if (!complex_z && !k->modified && !k->odd) return as(cp_spherical_yn(n, z), z); /* an operation of elements */
    cp_array *order = cp_add(n, cp_float(0.5)), *size = complex_z ? z : cp_absolute(z);
    cp_array *root = cp_sqrt(cp_divide(cp_float(CPI_PI / 2), size)), *r = cp_multiply(root, k->of(order, size));
    if (!complex_z && k->odd) {
        r = cp_multiply(cp_where(is_left(z), turned(n), cp_float(1)), r);
    } else if (!complex_z) {
        cp_array *first = cp_multiply(cp_multiply(cp_float(CPI_PI), root), cp_iv(order, size));
        r = cp_where(is_left(z), cp_subtract(cp_negative(cp_multiply(turned(n), r)), first), r);
    }
    if (!r || !(r = as(at_infinity(k, n, z, r), z))) return NULL;
    cp_array *zero = cp_equal(z, cp_int(0));
    if (k->odd) r = cp_where(zero, cp_where(cp_equal(n, cp_int(0)), cp_float(1), cp_float(0)), r);
    else if (!complex_z) r = cp_where(zero, cp_float(INFINITY), r);
    r = cp_where(cp_less(n, cp_int(0)), cp_float(NAN), as(r, z));
    return as(r, z);
}

/* The function, or its derivative by the neighbouring order (DLMF 10.51). */
static cp_array *spherical_of(const kind *k, cp_array *n, cp_array *z, bool derivative)
{
    cpi_composite f;
    if (cpi_null(k->name, n) || cpi_null(k->name, z) || cpi_check_real(k->name, n)) return NULL;
    if (!cpi_begin(&f, k->name, z->flags & CPI_HOST_SCALAR ? n : z)) return NULL;
    cp_array *order = cp_trunc(cp_astype(n, CP_FLOAT64)), *r = NULL;
    z = cpi_special_floating(z);
    if (order && z && !derivative) r = spherical(k, order, z);
    if (order && z && derivative) {
        cp_array *none = cp_equal(order, cp_int(0)), *before = cp_subtract(order, cp_int(1));
        before = cp_where(cp_greater(order, cp_int(0)), before, order);
        cp_array *first = spherical(k, cp_where(none, cp_float(1), order), z);      /* of order 1 where n is 0 */
        cp_array *here = spherical(k, order, z);
        cp_array *below = before ? spherical(k, before, z) : NULL;
        cp_array *less = cp_divide(cp_multiply(cp_add(order, cp_int(1)), here), z);
        cp_array *alone = k->modified && k->odd ? first : cp_negative(first);
        r = cp_subtract(k->modified && !k->odd ? cp_negative(below) : below, less);
        r = cp_where(none, alone, r);
        if (k->odd) {
            cp_array *third = cp_where(cp_equal(order, cp_int(1)), cp_float(1.0 / 3), cp_float(0));
            r = cp_where(cp_equal(z, cp_int(0)), third, r);
        }
        r = as(r, z);
    }
    return cpi_end(&f, r);
}

/*: function("spherical_jn", "n: array_like, z: array_like, derivative: bool = False", module="_special",
             doc="The spherical Bessel function of the first kind of whole order n, or its derivative.") */
cp_array *(cp_spherical_jn)(cp_array *n, cp_array *z, const cp_spherical_jn_options *options)
{
    return spherical_of(&J, n, z, CPI_GIVEN(cp_spherical_jn_options, options)->derivative);
}

/*: function("spherical_in", "n: array_like, z: array_like, derivative: bool = False", module="_special",
             doc="The modified spherical Bessel function of the first kind of whole order n, or its derivative.") */
cp_array *(cp_spherical_in)(cp_array *n, cp_array *z, const cp_spherical_in_options *options)
{
    return spherical_of(&I, n, z, CPI_GIVEN(cp_spherical_in_options, options)->derivative);
}

/*: function("spherical_kn", "n: array_like, z: array_like, derivative: bool = False", module="_special",
             doc="The modified spherical Bessel function of the second kind of whole order n, or its derivative.") */
cp_array *(cp_spherical_kn)(cp_array *n, cp_array *z, const cp_spherical_kn_options *options)
{
    return spherical_of(&K, n, z, CPI_GIVEN(cp_spherical_kn_options, options)->derivative);
}

/*: function("spherical_bessel_y", "n: array_like, z: array_like, derivative: bool = False", module="_special",
             doc="""The spherical Bessel function of the second kind of whole order n, or its derivative, of complex
numbers too; cp_spherical_yn is that of real numbers as an operation of elements.""") */
cp_array *(cp_spherical_bessel_y)(cp_array *n, cp_array *z, const cp_spherical_bessel_y_options *options)
{
    return spherical_of(&Y, n, z, CPI_GIVEN(cp_spherical_bessel_y_options, options)->derivative);
}
