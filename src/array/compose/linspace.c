/* Evenly spaced samples between numbers, and between arrays. */
#include "backend/scope.h"
#include "compose/compose.h"

#include <math.h>

/* A number with x's part in a promotion, and a value that every type can hold. */
static cp_array *stand_in(const cp_array *x)
{
    static const _Alignas(16) unsigned char zero[16];
    cp_type t = cp_type_of(x);
    if (!(x->flags & CPI_WEAK)) return cp_scalar(t, zero);
    return t == CP_INT64 ? cp_int(0) : t == CP_FLOAT64 ? cp_float(0) : cp_complex(0, 0);
}

/* The type in which NumPy computes: the promotion of both ends with a float. */
static cp_type sample_type(const cp_array *start, const cp_array *stop)
{
    cp_array *sum = cp_add(stand_in(start), stand_in(stop)), *real = sum ? cp_multiply(sum, cp_float(1)) : NULL;
    return real ? cp_type_of(real) : CP_DEFAULT;
}

/* stop - start, computed in `type`. */
static cp_array *difference(cp_array *start, cp_array *stop, cp_type type)
{
    return cp_elementwise(CP_OP_subtract, (cp_array *[]){stop, start},
                          &(cp_ufunc_options){.typed = true, .dtype = type});
}

/* 1 where an element of x is 0, 0 where none is; -1 on failure. Waits. */
static int any_zero(cp_array *x)
{
    cp_array *all = cp_all(x);
    bool none;
    return all && cp_to_host(all, &none, sizeof none) == CP_OK ? !none : -1;
}

/* The samples along axis 0, before the axes of the ends. */
static cp_array *samples(cp_array *start, cp_array *stop, int64_t num, bool endpoint, cp_array **step)
{
    int64_t parts = endpoint ? num - 1 : num, shape[CP_MAXDIM];
    cp_type type = sample_type(start, stop);
    cp_array *delta = type == CP_DEFAULT ? NULL : difference(start, stop, type);
    if (!delta) return NULL;
    int ndim = cp_ndim(delta) + 1;
    if (ndim > CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "linspace: more than %d dimensions", CP_MAXDIM), NULL;
    for (int i = 0; i < ndim; i++) shape[i] = i ? 1 : num;
    cp_array *y = cp_reshape(cp_arange_int(0, num, 1, type), (cp_shape){ndim, shape}), *n = cp_float((double)parts);
    if (parts > 0) {
        *step = cp_divide(delta, n);
        int zero = *step ? any_zero(*step) : -1;
        if (zero < 0) return NULL;
        y = zero ? cp_multiply(cp_divide(y, n), delta) : cp_multiply(y, *step); /* a difference of denormals is kept */
    } else {
        *step = cp_float(NAN);
        y = cp_multiply(y, delta);
    }
    y = cp_add(y, start);
    if (endpoint && num > 1) {
        cp_array *last = y ? cp_slice(y, 1, &CP_AT(-1)) : NULL;
        if (!last || cp_assign(last, stop)) return NULL;
    }
    return y;
}

static cp_array *between(cp_array *start, cp_array *stop, int64_t num, const cp_linspace_options *o, cp_array **step)
{
    if (num < 0)
        return cpi_fail(CP_ERROR_VALUE, "linspace: Number of samples, %lld, must be non-negative", (long long)num),
               NULL;
    cp_array *y = samples(start, stop, num, !o->open, step);
    if (y && o->axis) y = cp_moveaxis(y, CP_AXES(0), CP_AXES(o->axis));
    if (!y || !o->typed || o->dtype == cp_type_of(y)) return y;
    char kind = cp_type_kind(o->dtype);
    if (cp_type_kind(cp_type_of(y)) == 'c' && kind == 'f') cpi_warn(CP_WARNING_COMPLEX);
    return cp_astype(kind == 'i' || kind == 'u' ? cp_floor(y) : y, o->dtype);
}

/* For numbers: one kernel writes the samples. Not where the step vanishes although the ends differ, or is infinite. */
static cp_array *between_numbers(cp_array *start, cp_array *stop, int64_t num, const cp_linspace_options *o,
                                 cp_array **step)
{
    double a = cp_item_float(start), b = cp_item_float(stop);
    int64_t parts = o->open ? num : num - 1;
    double each = parts > 0 ? (b - a) / (double)parts : NAN;
    int axis = o->axis;
    if (cpi_axis("linspace", &axis, 1)) return NULL;
    if ((each == 0 && a != b) || !isfinite(b - a)) return between(start, stop, num, o, step);
    *step = cp_float(each);
    return cp_ramp(a, b, num, !o->open, o->typed ? o->dtype : CP_FLOAT64);
}

static bool is_number(const cp_array *x)
{
    return x->flags & CPI_HOST_SCALAR && (x->flags & CPI_WEAK || cp_type_of(x) == CP_FLOAT64) &&
           cp_type_kind(cp_type_of(x)) != 'c';
}

cp_array *(cp_linspace)(cp_array *start, cp_array *stop, int64_t num, const cp_linspace_options *options)
{
    const cp_linspace_options *o = CPI_GIVEN(cp_linspace_options, options);
    cp_array *step = NULL;
    cpi_composite f;
    if (cpi_null("linspace", start) || cpi_null("linspace", stop)) return NULL;
    if (!cpi_begin(&f, "linspace", start->flags & CPI_HOST_SCALAR ? stop : start)) return NULL;
    bool numbers = is_number(start) && is_number(stop);
    cp_array *y = (numbers ? between_numbers : between)(start, stop, num, o, &step);
    if (y && !step) y = NULL; /* the step's failure is the call's */
    if (y && o->step) *o->step = cp_keep(step);
    cp_array *made = cpi_end(&f, y);
    if (made && o->step) cpi_into_scope(step);
    return made;
}
