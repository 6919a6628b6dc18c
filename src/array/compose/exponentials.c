/* Sums of exponentials without overflow: the largest exponent is taken from all, and added to the logarithm. */
#include "compose/compose.h"

#include <math.h>

#include "reduce/exponentials.h"

/* Integers as float64. */
static cp_array *floating(cp_array *x)
{
    const char kind = x ? cp_type_kind(cp_type_of(x)) : 'f';
    return kind == 'f' || kind == 'c' || kind == 'V' ? x : cp_astype(x, CP_FLOAT64);
}

/* In the type of exp(x). */
static cp_array *as_exp(cp_array *x)
{
    if (!x) return NULL;
    const cp_type from = cp_type_of(x);
    cp_type to = from;
    return cp_op_types(CP_OP_exp, &from, NULL, &to) ? NULL : to == from ? x : cp_astype(x, to);
}

/* The largest element along axes, which stay with length 1; 0 in place of infinities and NaN. `real`: the largest real
 * part. */
static cp_array *largest(cp_array *x, cp_axes axis, bool real)
{
    cp_array *m = x ? cp_max(real ? cp_real_part(x) : x, .axis = axis, .keepdims = true) : NULL;
    cp_array *wild = cp_logical_not(cp_isfinite(m));
    return wild && !cp_copyto(m, cp_float(0), .where = wild) ? m : NULL;
}

/*: function("softmax", "x: array_like_to('exp'), axis: axes = None", module="scipy.special",
             doc="exp(x) divided by its sum over axes.") */
cp_array *(cp_softmax)(cp_array *x, const cp_softmax_options *options)
{
    const cp_softmax_options *o = CPI_GIVEN(cp_softmax_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "softmax", x)) return NULL;
    x = as_exp(x);
    cp_array *rows = cpi_exponentials_of_rows(x, o->axis, false);
    if (rows || cp_error() != CP_OK) return cpi_end(&f, rows);
    /* an infinity is taken as it is: its row is NaN, as SciPy's */
    cp_array *e = cp_subtract(x, cp_max(cp_real_part(x), .axis = o->axis, .keepdims = true));
    e = cpi_apply_1(CP_OP_exp, e, e);
    return cpi_end(&f, e ? cpi_apply_2(CP_OP_divide, e, cp_sum(e, .axis = o->axis, .keepdims = true), e) : NULL);
}

/*: function("log_softmax", "x: array_like_to('exp'), axis: axes = None", module="scipy.special",
             doc="log(softmax(x)), exact where that is near 0.") */
cp_array *(cp_log_softmax)(cp_array *x, const cp_log_softmax_options *options)
{
    const cp_log_softmax_options *o = CPI_GIVEN(cp_log_softmax_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "log_softmax", x)) return NULL;
    x = as_exp(x);
    cp_array *d = cp_subtract(x, largest(x, o->axis, false)), *e = cp_exp(d);
    cp_array *total = e ? cp_log(cp_sum(e, .axis = o->axis, .keepdims = true)) : NULL;
    return cpi_end(&f, d && total ? cpi_apply_2(CP_OP_subtract, d, total, d) : NULL);
}

/* The largest exponent, and the sum of b exp(a - that), both with the axes kept. */
static cp_array *scaled_sum(cp_array *a, cp_array *b, cp_axes axis, cp_array **top)
{
    cp_array *zero = NULL;
    if (b) { /* what has no weight takes no part, infinities neither */
        zero = cp_equal(b, cp_int(0));
        a = zero ? cp_where(zero, cp_float(-INFINITY), a) : NULL;
    }
    *top = a && cp_size(a) ? largest(a, axis, true) : a ? cp_zeros(CP_SHAPE0, cp_type_of(a)) : NULL;
    cp_array *e = cp_subtract(a, *top);
    e = cpi_apply_1(CP_OP_exp, e, e);
    if (b && e) {
        e = cp_multiply(e, b);
        if (!e || cp_copyto(e, cp_int(0), .where = zero)) return NULL;
    }
    return e ? cp_sum(e, .axis = axis, .keepdims = true) : NULL;
}

static cp_array *without_axes(cp_array *r, cp_axes axis, bool keepdims)
{
    return keepdims || !r ? r : axis.n || axis.at ? cp_squeeze(r, axis) : cp_reshape(r, CP_SHAPE0);
}

/*: function("logsumexp", "a: array_like_to('divide'), axis: axes = None, b: array_like = None, "
                          "keepdims: keepdims = False", module="scipy.special",
             doc="log of the sum of b * exp(a) over axes; NaN where the sum is negative.") */
cp_array *(cp_logsumexp)(cp_array *a, const cp_logsumexp_options *options)
{
    const cp_logsumexp_options *o = CPI_GIVEN(cp_logsumexp_options, options);
    cpi_composite f;
    cp_array *top;
    if (!cpi_begin(&f, "logsumexp", a)) return NULL;
    a = floating(a);
    cp_array *rows = o->b ? NULL : cpi_exponentials_of_rows(a, o->axis, true);
    if (rows || cp_error() != CP_OK) return cpi_end(&f, without_axes(rows, o->axis, o->keepdims));
    cp_array *total = cp_log(scaled_sum(a, o->b, o->axis, &top));
    return cpi_end(&f, without_axes(cp_add(total, top), o->axis, o->keepdims));
}

/*: function("multigammaln", "a: array_like_to('divide'), d: double", module="scipy.special",
             doc="The logarithm of the multivariate gamma function of d dimensions, a whole number.",
             raises={"ValueError": "d that is no positive whole number, and a of at most (d - 1) / 2"}) */
cp_array *cp_multigammaln(cp_array *a, double d)
{
    cpi_composite f;
    if (!(d >= 1) || d != floor(d) || d > 1e6)
        return cpi_fail(CP_ERROR_VALUE, "multigammaln: d should be a positive integer (dimension)"), NULL;
    if (!cpi_begin(&f, "multigammaln", a)) return NULL;
    a = cp_astype(a, CP_FLOAT64); /* SciPy's result for every type */
    cp_array *low = cp_any(cp_less_equal(a, cp_float(0.5 * (d - 1))));
    if (low && cp_item_int(low)) {
        cpi_fail(CP_ERROR_VALUE, "multigammaln: condition a (%f) > 0.5 * (d-1) not met", 0.5 * (d - 1));
        return cpi_end(&f, NULL);
    }
    cp_array *sum = low ? cp_add(cp_gammaln(a), cp_float(d * (d - 1) * 0.25 * 1.1447298858494001741)) : NULL;
    for (int j = 1; j < (int)d && sum; j++)
        sum = cpi_apply_2(CP_OP_add, sum, cp_gammaln(cp_subtract(a, cp_float(0.5 * j))), sum);
    return cpi_end(&f, sum);
}
