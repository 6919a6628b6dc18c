/* Geometric sequences: powers of a base, and numbers between two ends. */
#include "compose/compose.h"

/* x converted to a type, on the current device; also a Python number, which has no type of its own. */
static cp_array *as_elements(cp_array *x, cp_type t)
{
    return cp_elementwise(CP_OP_positive, &x, &(cp_ufunc_options){.typed = true, .dtype = t});
}

/* The exponents with axes of length 1 behind the first axis, so that a base of more axes broadcasts. */
static cp_array *beside(cp_array *exponents, const cp_array *base)
{
    if (!exponents || cp_ndim(base) < cp_ndim(exponents)) return exponents;
    int64_t shape[CP_MAXDIM];
    const int ndim = cp_ndim(base) + 1, more = ndim - cp_ndim(exponents);
    if (ndim > CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "logspace: more than %d dimensions", CP_MAXDIM), NULL;
    for (int i = 0; i < ndim; i++) shape[i] = i > 0 && i <= more ? 1 : cp_dim(exponents, i ? i - more : 0);
    return cp_reshape(exponents, (cp_shape){ndim, shape});
}

/* The powers, computed with axis 0 new, in the requested type, with the axis moved where the caller wants it. */
static cp_array *placed(cp_array *y, int axis, bool typed, cp_type t)
{
    if (y && axis) y = cp_moveaxis(y, CP_AXES(0), CP_AXES(axis));
    if (!y || !typed || cp_type_of(y) == t) return y;
    if (cp_type_kind(cp_type_of(y)) == 'c' && cp_type_kind(t) != 'c' && t != CP_BOOL) cpi_warn(CP_WARNING_COMPLEX);
    return cp_astype(y, t);
}

/*: function("logspace",
             "start: number_or_array_like, stop: number_or_array_like, num: count = 50, endpoint: bool = True, base: "
             "number_or_array_like = 10.0, dtype: dtype = None, axis: index_axis = 0", unlock="always",
             about={"start": "the first exponent", "stop": "the last one", "base": "a number, or an array",
                    "num": "how many powers", "endpoint": "True: `stop` is the last exponent",
                    "axis": "where the new axis goes"},
             doc="""`num` powers of base (numbers, or an array) whose exponents go evenly from start to stop; arrays
broadcast, and the powers lie along a new axis.""") */
cp_array *(cp_logspace)(cp_array *start, cp_array *stop, int64_t num, bool endpoint, const cp_logspace_options *options)
{
    const cp_logspace_options *o = CPI_GIVEN(cp_logspace_options, options);
    cpi_composite f;
    if (cpi_null("logspace", start) || cpi_null("logspace", stop)) return NULL;
    cp_array *const all[] = {start, stop, o->base};
    const cp_array *first = start;
    for (int i = 0; i < 3 && first->flags & CPI_HOST_SCALAR; i++)
        if (all[i]) first = all[i];
    if (!cpi_begin(&f, "logspace", first)) return NULL;
    cp_array *base = o->base ? o->base : cp_float(10), *y = cp_linspace(start, stop, num, .open = !endpoint);
    y = base ? beside(y, base) : NULL;
    return cpi_end(&f, y ? placed(cp_power(base, y), o->axis, o->typed, o->dtype) : NULL);
}

/* The type in which NumPy computes: the promotion of the ends, a number and the requested type. */
static cp_type type_of_powers(const cp_array *start, const cp_array *stop, bool typed, cp_type asked)
{
    cp_type t = cp_promote(cp_promote(cp_type_of(start), cp_type_of(stop)), typed ? asked : CP_FLOAT64);
    const char kind = cp_type_kind(t);
    return kind == 'f' || kind == 'c' ? t : cp_promote(t, CP_FLOAT64);
}

/* 1 where an element is 0; -1 on failure. Waits. */
static int has_zero(cp_array *x)
{
    cp_array *any = cp_any(cp_equal(x, cp_int(0)));
    bool yes = false;
    return any && cp_to_host(any, &yes, sizeof yes) == CP_OK ? yes : -1;
}

/* For numbers of one sign, whose logarithms exist; the ends are set exactly. */
static cp_array *geometric(cp_array *start, cp_array *stop, int64_t num, bool endpoint, cp_type t)
{
    cp_array *sign = cp_sign(start), *first = sign ? cp_divide(start, sign) : NULL,
             *last = first ? cp_divide(stop, sign) : NULL;
    if (!last) return NULL;
    cp_array *y = cp_logspace(cp_log10(first), cp_log10(last), num, endpoint, .typed = true, .dtype = t);
    if (y && num > 0 && cp_assign(cp_slice(y, 1, &CP_AT(0)), first)) return NULL;
    if (y && num > 1 && endpoint && cp_assign(cp_slice(y, 1, &CP_AT(-1)), last)) return NULL;
    return y ? cpi_apply_2(CP_OP_multiply, y, sign, y) : NULL;
}

/*: function("geomspace",
             "start: number_or_array_like, stop: number_or_array_like, num: count = 50, endpoint: bool = True, dtype: "
             "dtype = None, axis: index_axis = 0", unlock="always",
             about={"start": "the first number, or an array of them", "stop": "the last one",
                    "num": "how many numbers", "endpoint": "True: `stop` is the last number",
                    "axis": "where the new axis goes"},
             raises={"ValueError": "an end that is zero (they are looked at, which waits for the device)"},
             doc="""`num` numbers from start to stop, each the one before it times the same factor; complex ones lie on
a spiral.""") */
cp_array *(cp_geomspace)(cp_array *start, cp_array *stop, int64_t num, bool endpoint,
                         const cp_geomspace_options *options)
{
    const cp_geomspace_options *o = CPI_GIVEN(cp_geomspace_options, options);
    cpi_composite f;
    if (cpi_null("geomspace", start) || cpi_null("geomspace", stop)) return NULL;
    if (!cpi_begin(&f, "geomspace", start->flags & CPI_HOST_SCALAR ? stop : start)) return NULL;
    const cp_type t = type_of_powers(start, stop, o->typed, o->dtype);
    cp_array *from = as_elements(start, t), *to = from ? as_elements(stop, t) : NULL;
    const int first = to ? has_zero(from) : -1, last = first ? first : has_zero(to);
    if (last > 0) cpi_fail(CP_ERROR_VALUE, "geomspace: Geometric sequence cannot include zero");
    cp_array *y = last ? NULL : geometric(from, to, num, endpoint, t);
    return cpi_end(&f, placed(y, o->axis, o->typed, o->dtype));
}
