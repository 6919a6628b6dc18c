/* NaN, and infinities by sign; real parts. */
#include "compose/compose.h"

#include <float.h>
#include <math.h>

/* Is x an infinity of this sign? */
static cp_array *infinite(const char *name, cp_array *x, bool negative, cp_array *out)
{
    cpi_composite f;
    if (x && cp_type_kind(cp_type_of(x)) == 'c')
        return cpi_fail(CP_ERROR_TYPE,
                        "%s: This operation is not supported for %s values because it would be ambiguous.", name,
                        cp_type_name(cp_type_of(x))),
               NULL;
    if (!cpi_begin(&f, name, x)) return NULL;
    /* compared with an infinity, elements would be converted to a type that cannot hold them all */
    if (!cpi_is_float(cp_type_of(x))) {
        cp_array *sign = cp_less(x, cp_int(0));
        return cpi_end(&f, cpi_apply_2(CP_OP_logical_and, cp_isinf(x), negative ? sign : cp_logical_not(sign), out));
    }
    return cpi_end(&f, cpi_apply_2(CP_OP_equal, x, cp_float(negative ? -INFINITY : INFINITY), out));
}

/*: function("isposinf", "x: array, /, out: out = None",
             like=True, doc="Whether elements are infinite and positive. TypeError for complex numbers.") */
cp_array *(cp_isposinf)(cp_array *x, const cp_isposinf_options *o)
{
    return infinite("isposinf", x, false, o ? o->out : NULL);
}

/*: function("isneginf", "x: array, /, out: out = None",
             like=True, doc="Whether elements are infinite and negative. TypeError for complex numbers.") */
cp_array *(cp_isneginf)(cp_array *x, const cp_isneginf_options *o)
{
    return infinite("isneginf", x, true, o ? o->out : NULL);
}

/* The largest finite number of a real type, or its negative, as one of that type. */
static cp_array *largest(cp_type t, bool negative)
{
    const uint64_t magnitude = cpi_float_formats[t].infinity - 1, sign = cpi_magnitude(t) + 1;
    return cp_scalar(t, &(uint64_t){negative ? magnitude | sign : magnitude}); /* little endian */
}

static cp_code replace(cp_array *x, cp_array *where, cp_array *value)
{
    return where && value ? cp_copyto(x, value, .where = where) : cp_error();
}

/* The common case: infinities become the largest finite numbers, in a copy or in x itself. */
static cp_array *limited(cp_array *x, bool copy, cp_array *nan)
{
    const cp_type t = cp_type_of(x);
    cp_array *in[3] = {x, largest(t, true), largest(t, false)}, *none = in[2] ? cp_isnan(x) : NULL;
    cp_array *r = !none ? NULL : copy ? cp_empty_like(x, CP_DEFAULT) : cp_slice(x, 1, &CP_ELLIPSIS);
    if (!r || cp_elementwise_all(CP_OP_clip, in, NULL, &(cp_ufunc_options){.out = r})) return NULL;
    return (nan ? replace(r, none, nan) : cp_mask_set(r, none, cp_float(0))) ? NULL : r;
}

/* Replaces values in a real x; the masks are made before anything changes. */
static cp_code replace_in(cp_array *x, const cp_nan_to_num_options *o)
{
    if (!x) return cp_error();
    cp_array *nan = cp_isnan(x), *high = nan ? cp_isposinf(x) : NULL, *low = high ? cp_isneginf(x) : NULL;
    cp_type t = cp_type_of(x);
    cp_code code = low ? replace(x, nan, o->nan ? o->nan : cp_float(0)) : cp_error();
    if (!code) code = replace(x, high, o->posinf ? o->posinf : largest(t, false));
    return code ? code : replace(x, low, o->neginf ? o->neginf : largest(t, true));
}

/*: function("nan_to_num",
             "x: array_or_number, copy: bool = True, nan: replacement = 0.0, posinf: replacement = None, "
             "neginf: replacement = None",
             returns="view_or_copy",
             like=True,
             doc="""NaN replaced by `nan` (0 by default), infinities by `posinf` and `neginf` (the largest finite
numbers by default), in a copy or, without `copy`, in place.""") */
cp_array *(cp_nan_to_num)(cp_array *x, bool copy, const cp_nan_to_num_options *options)
{
    const cp_nan_to_num_options *o = CPI_GIVEN(cp_nan_to_num_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "nan_to_num", x)) return NULL;
    char kind = cp_type_kind(cp_type_of(x));
    if (kind == 'f' && !o->posinf && !o->neginf) return cpi_end(&f, limited(x, copy, o->nan));
    cp_array *r = copy ? cp_copy_order(x, 'K') : cp_slice(x, 1, &CP_ELLIPSIS);
    cp_code code = r ? CP_OK : cp_error();
    if (!code && kind == 'f') code = replace_in(r, o);
    if (!code && kind == 'c' && !(code = replace_in(cp_real_part(r), o))) code = replace_in(cp_imag_part(r), o);
    return cpi_end(&f, code ? NULL : r);
}

/* Are imaginary parts zero? Real types have none. */
static cp_array *is_real(const char *name, cp_array *x, bool real)
{
    cpi_composite f;
    if (!cpi_begin(&f, name, x)) return NULL;
    const cp_shape shape = {cp_ndim(x), cp_dims(x)};
    cp_array *r = NULL;
    if (cp_type_kind(cp_type_of(x)) != 'c') r = real ? cp_ones(shape, CP_BOOL) : cp_zeros(shape, CP_BOOL);
    else r = (real ? cp_equal : cp_not_equal)(cp_imag_part(x), cp_int(0));
    return cpi_end(&f, r);
}

/*: function("isreal", "x: array_like", like=True, doc="Whether elements have no imaginary part, or one of 0.") */
cp_array *cp_isreal(cp_array *x) { return is_real("isreal", x, true); }

/*: function("iscomplex", "x: array_like", doc="Whether elements have an imaginary part other than 0.") */
cp_array *cp_iscomplex(cp_array *x) { return is_real("iscomplex", x, false); }

/*: function("real_if_close", "a: array, tol: double = 100.0", returns="view_or_copy",
             like=True,
             doc="""The real parts, a view, where no imaginary part of a complex array is larger than tol (in units of
the type's rounding where it is above 1); else the array itself. Waits for the device.""") */
cp_array *cp_real_if_close(cp_array *a, double tol)
{
    cpi_composite f;
    if (!cpi_begin(&f, "real_if_close", a)) return NULL;
    cp_array *r = cp_slice(a, 1, &CP_ELLIPSIS);
    if (r && cp_type_kind(cp_type_of(a)) == 'c') {
        if (tol > 1) tol *= cp_type_of(a) == CP_COMPLEX64 ? FLT_EPSILON : DBL_EPSILON;
        cp_array *small = cp_all(cp_less(cp_absolute(cp_imag_part(a)), cp_float(tol)));
        uint8_t close = 0;
        r = !small || cp_to_host(small, &close, 1) ? NULL : close ? cp_real_part(a) : r;
    }
    return cpi_end(&f, r);
}
