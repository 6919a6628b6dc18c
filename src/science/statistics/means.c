/* Averages, covariances, gradients, and NaN-ignoring reductions composed of others. */
#include "compose/compose.h"
#include "cuprite/fuse.h"
#include "cuprite/products.h"
#include "operands/operands.h"
#include "reduce/reduce.h"
#include "statistics/statistics.h"

#include <math.h>
#include <string.h>

/* --- reductions that ignore NaN --- */

static bool has_nan(const cp_array *a) { return !cpi_is_whole(cp_type_of(a)); }

/* Is an element true? Synchronizes. -1: error set. */
static int any(cp_array *truths)
{
    const bool one = truths && cp_size(truths) == 1 && cp_type_of(truths) == CP_BOOL;
    cp_array *r = one || !truths ? NULL : cp_any(truths);
    uint8_t yes = 0;
    const bool read = (one || r) && cp_to_host(one ? truths : r, &yes, 1) == CP_OK;
    cp_free(r);
    return read ? yes : -1;
}

/* Is the device synchronous? Only there a call itself warns of, or rejects, elements' values. */
static bool values_are_known(const cp_array *a) { return a->device->backend->at_once; }

/*: function("nanmean",
             "a: array, axis: known_axes = None, dtype: dtype = None, out: out = None, keepdims: keepdims = False, *, "
             "where: where = True", doc="Arithmetic mean over axes of what is not NaN; NaN of nothing.") */
cp_array *(cp_nanmean)(cp_array *a, const cp_nanmean_options *options)
{
    const cp_nanmean_options *o = CPI_GIVEN(cp_nanmean_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "nanmean", a)) return NULL;
    if (!has_nan(a))
        return cpi_end(&f, cp_mean(a, .axis = o->axis, .typed = o->typed, .dtype = o->dtype, .out = o->out,
                                   .keepdims = o->keepdims, .where = o->where));
    if (o->typed && cpi_is_whole(o->dtype))
        return cpi_end(&f, (cpi_fail(CP_ERROR_TYPE, "nanmean: If a is inexact, then dtype must be inexact"), NULL));
    if (o->out && cpi_is_whole(cp_type_of(o->out)))
        return cpi_end(&f, (cpi_fail(CP_ERROR_TYPE, "nanmean: If a is inexact, then out must be inexact"), NULL));
    if (!o->where && (!o->typed || o->dtype == cp_type_of(a)) && cpi_reduces_known(CP_REDUCE_mean, a))
        return cpi_end(&f, cpi_reduce_knowing(CP_REDUCE_mean, a, &(cp_reduce_options){.axis = o->axis, .out = o->out,
                                                                                       .keepdims = o->keepdims}));
    cp_array *known = cp_equal(a, a);
    cp_array *count = known ? cp_sum(known, .axis = o->axis, .keepdims = o->keepdims, .where = o->where) : NULL;
    cp_array *sum = count ? cp_nansum(a, .axis = o->axis, .typed = o->typed, .dtype = o->dtype,
                                      .keepdims = o->keepdims, .where = o->where) : NULL;
    if (!sum) return cpi_end(&f, NULL);
    if (values_are_known(count) && any(cp_equal(count, cp_int(0))) > 0) cpi_warn(CP_WARNING_MEAN);
    cp_array *mean = o->out ? cp_divide(sum, count)
                            : cp_elementwise(CP_OP_divide, (cp_array *[]){sum, count},
                                             &(cp_ufunc_options){.out = sum, .casting = CP_UNSAFE});
    if (mean == sum) cp_free(mean); /* the scope's reference stays */
    if (!o->out || !mean) return cpi_end(&f, mean);
    return cpi_end(&f, cpi_deliver("nanmean", cp_keep(mean), o->out, CP_UNSAFE));
}

static cp_array *known_position(const char *name, cp_array *a, bool low, cp_axes axis, cp_array *out, bool keepdims)
{
    cpi_composite f;
    if (!cpi_begin(&f, name, a)) return NULL;
    const cp_reduction position = low ? CP_REDUCE_argmin : CP_REDUCE_argmax;
    if (cpi_reduces_known(position, a))
        return cpi_end(&f, cpi_reduce_knowing(position, a, &(cp_reduce_options){.axis = axis, .out = out,
                                                                                .keepdims = keepdims}));
    if (has_nan(a)) {
        cp_array *nan = cp_isnan(a), *none = nan && cp_size(a) ? cp_all(nan, .axis = cp_ndim(a) ? axis : CP_ALL)
                                                              : NULL;
        if (!nan || (cp_size(a) && !none)) return cpi_end(&f, NULL);
        a = cp_where(nan, cp_float(low ? INFINITY : -INFINITY), a);
        /* the device computes the indices while the host waits for the check */
        cp_array *early = !a || out ? NULL : low ? cp_argmin(a, .axis = axis, .keepdims = keepdims)
                                                 : cp_argmax(a, .axis = axis, .keepdims = keepdims);
        const int found = none && (out || early) ? any(none) : 0;
        if (found > 0) cpi_fail(CP_ERROR_VALUE, "%s: All-NaN slice encountered", name);
        if (found || !out) return cpi_end(&f, found ? NULL : early);
    }
    if (!a) return cpi_end(&f, NULL);
    return cpi_end(&f, low ? cp_argmin(a, .axis = axis, .out = out, .keepdims = keepdims)
                           : cp_argmax(a, .axis = axis, .out = out, .keepdims = keepdims));
}

/*: function("nanargmin", "a: array, axis: axis_or_all = None, out: out = None, *, keepdims: keepdims = False",
             unlock="always",
             doc="Index of the first minimum of what is not NaN along an axis, or in the flattened array. ValueError "
                 "where all are NaN, on a GPU at the latest where the result is read.") */
cp_array *(cp_nanargmin)(cp_array *a, const cp_nanargmin_options *options)
{
    const cp_nanargmin_options *o = CPI_GIVEN(cp_nanargmin_options, options);
    return known_position("nanargmin", a, true, o->axis, o->out, o->keepdims);
}

/*: function("nanargmax", "a: array, axis: axis_or_all = None, out: out = None, *, keepdims: keepdims = False",
             unlock="always",
             doc="Index of the first maximum of what is not NaN along an axis, or in the flattened array. ValueError "
                 "where all are NaN, on a GPU at the latest where the result is read.") */
cp_array *(cp_nanargmax)(cp_array *a, const cp_nanargmax_options *options)
{
    const cp_nanargmax_options *o = CPI_GIVEN(cp_nanargmax_options, options);
    return known_position("nanargmax", a, false, o->axis, o->out, o->keepdims);
}

/* The median of complex numbers, sorted by real, then imaginary parts, NaN in either last: half the sum of the two
 * middle ones of those that are not NaN. */
static cp_array *complex_median(cp_array *a, const cp_nanmedian_options *o)
{
    static const char name[] = "nanmedian";
    cpi_slices slices;
    if (cpi_slices_of(name, a, o->axis, o->keepdims, &slices)) return NULL;
    cp_array *rows = cpi_slices_dense(name, a, &slices, a->device, false);
    cp_array *x = rows ? cp_sort(cp_reshape(rows, CP_SHAPE(slices.kept, slices.reduced)), 1) : NULL;
    cp_free(rows); /* which may be a itself */
    cp_array *count = x ? cp_count_nonzero(cp_logical_not(cp_isnan(x)), .axis = CP_AXES(1), .keepdims = true) : NULL;
    if (!count) return NULL;
    cp_array *upper = cp_floor_divide(count, cp_int(2)), *position = cp_subtract(count, cp_int(1));
    cp_array *lower = position ? cp_floor_divide(cp_maximum(position, cp_int(0)), cp_int(2)) : NULL;
    /* all NaN: any index, which is NaN */
    upper = upper ? cp_minimum(upper, cp_int(slices.reduced - 1)) : NULL;
    cp_array *odd = cp_remainder(count, cp_int(2));
    if (!upper || !lower || !odd) return NULL;
    cp_array *high = cp_take_along_axis(x, upper, 1), *low = cp_take_along_axis(x, lower, 1);
    cp_array *both = high && low ? cp_divide(cp_add(low, high), cp_int(2)) : NULL;
    cp_array *r = both ? cp_where(cp_not_equal(odd, cp_int(0)), high, both) : NULL, *none = cp_equal(count, cp_int(0));
    if (none && values_are_known(none) && any(none) > 0) cpi_warn(CP_WARNING_ALL_NAN);
    r = r && none ? cp_where(none, cp_float(NAN), r) : NULL;
    r = r ? cp_reshape(r, (cp_shape){slices.ndim, slices.shape}) : NULL;
    return r && o->out ? cpi_deliver(name, cp_keep(r), o->out, CP_UNSAFE) : r;
}

/*: function("nanmedian",
             "a: array, axis: index_axes = None, out: out = None, overwrite_input: flag = False, keepdims: bool = "
             "False", like=True, doc="Median over axes of what is not NaN; NaN where all are.") */
cp_array *(cp_nanmedian)(cp_array *a, const cp_nanmedian_options *options)
{
    const cp_nanmedian_options *o = CPI_GIVEN(cp_nanmedian_options, options);
    if (cpi_null("nanmedian", a)) return NULL;
    if (!has_nan(a) && cp_size(a)) return cp_median(a, .axis = o->axis, .out = o->out, .keepdims = o->keepdims);
    if (cpi_is_complex(cp_type_of(a)) && cp_size(a)) {
        cpi_composite f;
        return cpi_begin(&f, "nanmedian", a) ? cpi_end(&f, complex_median(a, o)) : NULL;
    }
    cp_array *r = cpi_known_median("nanmedian", a, o->axis, o->keepdims, o->out);
    if (r && cp_size(a) && values_are_known(r)) {
        cp_array *nan = cp_isnan(r);
        const int found = any(nan);
        cp_free(nan);
        if (found < 0) return cp_free(r), NULL;
        if (found) cpi_warn(CP_WARNING_ALL_NAN);
    }
    return r;
}

/* x converted to a type; x itself where it has it. In a composite's scope, which keeps both. */
static cp_array *in_type(cp_array *x, cp_type type) { return cp_type_of(x) == type ? x : cp_astype(x, type); }

/* --- averages --- */

cp_array *cpi_weights_like(const char *name, cp_array *a, cp_array *w, cp_axes axes)
{
    int64_t shape[CP_MAXDIM];
    int given[CP_MAXDIM], order[CP_MAXDIM];
    bool named[CP_MAXDIM];
    if (cpi_axes_mask(name, axes, cp_ndim(a), named)) return NULL;
    if (cpi_has_shape(w, cp_ndim(a), cp_dims(a))) return cp_slice(w, 1, &CP_ELLIPSIS);
    if (!axes.at)
        return cpi_fail(CP_ERROR_TYPE, "%s: Axis must be specified when shapes of a and weights differ.", name), NULL;
    bool fits = cp_ndim(w) == axes.n;
    for (int i = 0; i < axes.n && fits; i++) {
        given[i] = axes.at[i] < 0 ? axes.at[i] + cp_ndim(a) : axes.at[i];
        fits = cp_dim(w, i) == cp_dim(a, given[i]);
    }
    if (!fits)
        return cpi_fail(CP_ERROR_VALUE, "%s: Shape of weights must be consistent with shape of a along specified axis.",
                        name), NULL;
    for (int i = 0; i < axes.n; i++) { /* the weights' axes in the order of a's */
        int position = 0;
        for (int k = 0; k < axes.n; k++) position += given[k] < given[i];
        order[position] = i;
    }
    for (int i = 0; i < cp_ndim(a); i++) shape[i] = named[i] ? cp_dims(a)[i] : 1;
    cp_array *transposed = cp_transpose(w, (cp_axes){axes.n, order});
    cp_array *r = transposed ? cp_reshape(transposed, (cp_shape){cp_ndim(a), shape}) : NULL;
    cp_free(transposed);
    return r;
}

/* Is x a long 1-d float64 array? Then a dot product needs no temporary, and rounds no worse. */
static bool is_long_line(const cp_array *x, cp_type type)
{
    return type == CP_FLOAT64 && cp_ndim(x) == 1 && cp_size(x) >= 1 << 14;
}

/* Is a sum of weights 0? Synchronizes. -1: error set. */
static int any_zero(cp_array *sums)
{
    _Alignas(16) unsigned char bits[16];
    double value[2];
    if (cp_size(sums) != 1) return any(cp_equal(sums, cp_int(0)));
    if (cp_to_host(sums, bits, sizeof bits)) return -1;
    cpi_convert_value(cp_type_of(sums), bits, CP_COMPLEX128, value);
    return value[0] == 0 && value[1] == 0;
}

static cp_array *weighted(cp_array *a, const cp_average_options *o, cp_array **sum)
{
    const char *name = "average";
    cp_array *w = cpi_weights_like(name, a, o->weights, o->axis);
    if (!w) return NULL;
    cp_type t = cp_promote(cp_type_of(a), cp_type_of(w));
    if (cpi_is_whole(cp_type_of(a))) t = cp_promote(t, CP_FLOAT64);
    cp_array *wide = in_type(a, t), *weights = wide ? in_type(w, t) : NULL;
    cp_array *scale = weights ? cp_sum(weights, .axis = o->axis, .keepdims = o->keepdims) : NULL;
    if (!scale) return NULL;
    /* all work is enqueued before the host waits for the check of the weights */
    cp_array *total = NULL;
    if (is_long_line(wide, t) && is_long_line(weights, t)) {
        total = cp_dot(wide, weights);
        if (total && o->keepdims) total = cp_reshape(total, CP_SHAPE(1));
    } else {
        total = cp_sum(cp_multiply(wide, weights), .axis = o->axis, .keepdims = o->keepdims);
    }
    cp_array *r = total ? cp_divide(total, scale) : NULL;
    const int zero = r ? any_zero(scale) : -1;
    if (zero > 0) cpi_fail(CP_ERROR_ZERO_DIVISION, "%s: Weights sum to zero, can't be normalized", name);
    if (zero) return NULL;
    *sum = scale;
    return r;
}

/*: function("average",
             "a: array, axis: index_axes = None, weights: array_like = None, keepdims: bool = False",
             module="_statistics", returns="(average, sum_of_weights)", unlock="always",
             like=True,
             doc="""The mean over axes, or the sum of weights times elements divided by the weights' sum: weights of
a's shape, or of that of the axes; and the sum of the weights. ZeroDivisionError where that is 0.""") */
cp_code (cp_average)(cp_array *a, cp_array **average, cp_array **sum_of_weights, const cp_average_options *options)
{
    const cp_average_options *o = CPI_GIVEN(cp_average_options, options);
    cpi_composite f;
    cp_array *sum = NULL, *r;
    if (average) *average = NULL;
    if (sum_of_weights) *sum_of_weights = NULL;
    if (!cpi_begin(&f, "average", a)) return cp_error();
    if (o->weights) {
        r = weighted(a, o, &sum);
    } else if ((r = cp_mean(a, .axis = o->axis, .keepdims = o->keepdims)) && sum_of_weights) {
        const double each = cp_size(r) ? (double)cp_size(a) / (double)cp_size(r) : NAN;
        sum = cp_full(CP_SHAPE0, cp_type_of(r), cp_float(each));
    }
    if (r && sum_of_weights) {
        if (sum && !cpi_has_shape(sum, cp_ndim(r), cp_dims(r)))
            sum = cp_copy(cp_broadcast_to(sum, (cp_shape){cp_ndim(r), cp_dims(r)}));
        *sum_of_weights = sum ? cp_keep(sum) : NULL;
        if (!*sum_of_weights) r = NULL;
    }
    if (r && average) *average = cp_keep(r);
    cpi_end(&f, NULL);
    if (r && average) cpi_into_scope(*average);
    if (r && sum_of_weights) cpi_into_scope(*sum_of_weights);
    return r ? CP_OK : cp_error();
}

/* --- covariances --- */

/* As a 2-d array of variables and observations. */
static cp_array *table(cp_array *x, cp_type type, bool transposed)
{
    cp_array *wide = in_type(x, type);
    if (!wide) return NULL;
    if (cp_ndim(x) < 2) return cp_reshape(wide, CP_SHAPE(1, cp_size(x)));
    return transposed ? cp_transpose(wide, CP_ALL) : wide;
}

/* Weights of observations, checked. */
static cp_array *observation_weights(const char *kind, cp_array *w, int64_t observations)
{
    cp_array *r = cp_astype(w, CP_FLOAT64);
    if (!r) return NULL;
    const int broken = *kind == 'f' ? any(cp_not_equal(r, cp_rint(r))) : 0;
    if (broken > 0) cpi_fail(CP_ERROR_TYPE, "cov: fweights must be integer");
    if (broken) return NULL;
    if (cp_ndim(w) > 1)
        return cpi_fail(CP_ERROR_RUNTIME, "cov: cannot handle multidimensional %s", kind), NULL;
    if (cp_ndim(w) < 1) return cpi_fail(CP_ERROR_INDEX, "cov: %s: tuple index out of range", kind), NULL;
    if (cp_size(w) != observations)
        return cpi_fail(CP_ERROR_RUNTIME, "cov: incompatible numbers of samples and %s", kind), NULL;
    const int negative = any(cp_less(r, cp_int(0)));
    if (negative > 0) cpi_fail(CP_ERROR_VALUE, "cov: %s cannot be negative", kind);
    return negative ? NULL : r;
}

/* The divisor of the sums of products. */
static cp_array *factor(cp_array *x, cp_array *w, cp_array *sum, cp_array *aweights, double ddof)
{
    if (!w) return cp_float((double)cp_dim(x, 1) - ddof);
    if (ddof == 0) return sum;
    if (!aweights) return cp_subtract(sum, cp_float(ddof));
    return cp_subtract(sum, cp_divide(cp_multiply(cp_float(ddof), cp_sum(cp_multiply(w, aweights))), sum));
}

static cp_array *covariance(cp_array *x, cp_array *fweights, cp_array *aweights, double ddof)
{
    cp_array *w = NULL, *frequencies = NULL, *accuracies = NULL, *sum = NULL, *total;
    if (fweights && !(w = frequencies = observation_weights("fweights", fweights, cp_dim(x, 1)))) return NULL;
    if (aweights && !(accuracies = observation_weights("aweights", aweights, cp_dim(x, 1)))) return NULL;
    if (accuracies && !(w = frequencies ? cp_multiply(frequencies, accuracies) : accuracies)) return NULL;
    cp_array *mean = w ? weighted(x, &(cp_average_options){.axis = CP_AXES(1), .weights = w, .keepdims = true}, &total)
                       : cp_mean(x, .axis = CP_AXES(1), .keepdims = true);
    if (mean && w) sum = cp_sum(cp_astype(w, cp_type_of(x)));
    cp_array *divisor = mean ? factor(x, w, sum, accuracies, ddof) : NULL;
    if (divisor && cp_type_kind(cp_type_of(divisor)) == 'c') divisor = cp_real_part(divisor);
    if (!divisor) return NULL;
    cp_array *value = cp_astype(divisor, CP_FLOAT64);
    double by = 1;
    if (!value || cp_to_host(value, &by, sizeof by)) return NULL;
    if (by <= 0) cpi_warn(CP_WARNING_FREEDOM), by = 0;
    cp_array *centred = cp_subtract(x, mean), *other = w && centred ? cp_multiply(centred, w) : centred;
    other = other ? cp_transpose(other, CP_ALL) : NULL;
    if (other && cp_type_kind(cp_type_of(other)) == 'c') other = cp_conjugate(other);
    cp_array *c = other ? cp_dot(centred, other) : NULL;
    c = c ? cp_multiply(c, cp_float(1 / by)) : NULL;
    return c ? cp_squeeze(c, CP_ALL) : NULL;
}

static cp_array *covariances(cp_array *m, cp_array *y, bool rowvar, bool bias, double ddof, cp_array *fweights,
                             cp_array *aweights, bool typed, cp_type dtype)
{
    if (!isnan(ddof) && ddof != floor(ddof)) return cpi_fail(CP_ERROR_VALUE, "cov: ddof must be integer"), NULL;
    if (cp_ndim(m) > 2) return cpi_fail(CP_ERROR_VALUE, "cov: m has more than 2 dimensions"), NULL;
    if (y && cp_ndim(y) > 2) return cpi_fail(CP_ERROR_VALUE, "cov: y has more than 2 dimensions"), NULL;
    cp_type type = cp_promote(cp_type_of(m), CP_FLOAT64);
    if (y) type = cp_promote(type, cp_type_of(y));
    if (typed && cpi_discards(cp_type_of(m), dtype)) cpi_warn(CP_WARNING_COMPLEX);
    if (typed) type = dtype;
    cp_array *x = table(m, type, !rowvar && cp_ndim(m) != 1);
    if (!x) return NULL;
    if (!cp_dim(x, 0)) return cp_empty(CP_SHAPE(0, 0), CP_FLOAT64);
    if (typed && cpi_is_whole(dtype))
        return cpi_fail(CP_ERROR_TYPE, "cov: dtype must be inexact (got %s)", cp_type_name(dtype)), NULL;
    if (y) {
        if (typed && cpi_discards(cp_type_of(y), dtype)) cpi_warn(CP_WARNING_COMPLEX);
        cp_array *more = table(y, type, false);
        if (more && !rowvar && cp_dim(more, 0) != 1) more = cp_transpose(more, CP_ALL);
        x = more ? cp_concatenate(2, ((cp_array *[]){x, more}), 0) : NULL;
    }
    return x ? covariance(x, fweights, aweights, isnan(ddof) ? !bias : ddof) : NULL;
}

/*: function("cov",
             "m: array, y: array = None, rowvar: bool = True, bias: bool = False, ddof: double = None, fweights: "
             "array_like = None, aweights: array_like = None, *, dtype: dtype = None", unlock="always",
             doc="""Covariances of variables, the rows of m and y (rowvar False: the columns), over observations, which
fweights repeat and aweights weigh; the divisor is their number less ddof (None: 1, or 0 with bias).""") */
cp_array *(cp_cov)(cp_array *m, bool rowvar, double ddof, const cp_cov_options *options)
{
    const cp_cov_options *o = CPI_GIVEN(cp_cov_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "cov", m)) return NULL;
    return cpi_end(&f, covariances(m, o->y, rowvar, o->bias, ddof, o->fweights, o->aweights, o->typed, o->dtype));
}

/* Clips the parts to -1 and 1. */
static cp_code bound(cp_array *x)
{
    cp_array *low = x ? cp_float(-1) : NULL, *high = low ? cp_float(1) : NULL;
    cp_array *r = high ? cp_minimum(cp_maximum(x, low), high) : NULL;
    return r ? cp_assign(x, r) : cp_error();
}

/*: function("corrcoef", "x: array, y: array = None, rowvar: bool = True, *, dtype: dtype = None", unlock="always",
             doc="Pearson's correlation coefficients of variables: covariances divided by the deviations of both.") */
cp_array *(cp_corrcoef)(cp_array *x, bool rowvar, const cp_corrcoef_options *options)
{
    const cp_corrcoef_options *o = CPI_GIVEN(cp_corrcoef_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "corrcoef", x)) return NULL;
    cp_array *c = covariances(x, o->y, rowvar, false, NAN, NULL, NULL, o->typed, o->dtype);
    if (c && cp_ndim(c) == 0) return cpi_end(&f, cp_divide(c, c));
    cp_array *d = c ? cp_diagonal(c, 0, 0, 1) : NULL, *deviation = d ? cp_sqrt(cp_real_part(d)) : NULL;
    if (!deviation) return cpi_end(&f, NULL);
    c = cp_divide(cp_divide(c, cp_expand_dims(deviation, CP_AXES(1))), deviation);
    if (!c || bound(cp_real_part(c))) return cpi_end(&f, NULL);
    if (cp_type_kind(cp_type_of(c)) == 'c' && bound(cp_imag_part(c))) return cpi_end(&f, NULL);
    return cpi_end(&f, c);
}

/* --- gradients --- */

/* A vector of distances, shaped to broadcast along the axis. */
static cp_array *along(cp_array *d, int axis, int ndim)
{
    int64_t shape[CP_MAXDIM];
    if (!d) return NULL;
    for (int i = 0; i < ndim; i++) shape[i] = i == axis ? cp_size(d) : 1;
    return cp_reshape(d, (cp_shape){ndim, shape});
}

/* One element of a vector of distances, or the one distance. */
static cp_array *distance(cp_array *d, int64_t i) { return cp_ndim(d) ? cp_slice(d, 1, &CP_AT(i)) : d; }

/* a x + b y + c z */
static cp_array *three(cp_array *a, cp_array *x, cp_array *b, cp_array *y, cp_array *c, cp_array *z)
{
    cp_array *p = a && x ? cp_multiply(a, x) : NULL, *q = p && b && y ? cp_multiply(b, y) : NULL;
    cp_array *s = q ? cp_add(p, q) : NULL, *t = s && c && z ? cp_multiply(c, z) : NULL;
    return t ? cp_add(s, t) : NULL;
}

static cp_array *times(double n, cp_array *x) { return x ? cp_multiply(cp_float(n), x) : NULL; }

/* Gradients at inner points, into `to`. */
static cp_code inner(cp_array *f, cp_array *d, int axis, cp_array *to)
{
    cp_array *before = cpi_range(f, axis, 0, -2), *here = cpi_range(f, axis, 1, -1),
             *behind = cpi_range(f, axis, 2, INT64_MAX), *done = NULL;
    if (!before || !here || !behind || !to) return cp_error();
    if (!cp_ndim(d)) {
        done = cp_fused("(c - a) / (2.0 * d)", 3, ((const char *[]){"a", "c", "d"}),
                        ((cp_array *[]){before, behind, d}), .out = to, .casting = CP_UNSAFE);
        return done ? CP_OK : cp_error();
    }
    cp_array *d1 = cpi_range(d, 0, 0, -1), *d2 = cpi_range(d, 0, 1, INT64_MAX);
    if (!d1 || !d2) return cp_error();
    if (cp_ndim(f) == 1) {
        done = cp_fused("s = p + q; -q / (p * s) * a + (q - p) / (p * q) * b + p / (q * s) * c", 5,
                        ((const char *[]){"p", "q", "a", "b", "c"}), ((cp_array *[]){d1, d2, before, here, behind}),
                        .out = to, .casting = CP_UNSAFE);
        return done ? CP_OK : cp_error();
    }
    cp_array *sum = cp_add(d1, d2);
    if (!sum) return cp_error();
    const int nd = cp_ndim(f);
    cp_array *u = along(cp_divide(cp_negative(d2), cp_multiply(d1, sum)), axis, nd);
    cp_array *v = along(cp_divide(cp_subtract(d2, d1), cp_multiply(d1, d2)), axis, nd);
    cp_array *w = along(cp_divide(d1, cp_multiply(d2, sum)), axis, nd);
    if (u && v && w)
        done = cp_fused("u * a + v * b + w * c", 6, ((const char *[]){"u", "a", "v", "b", "w", "c"}),
                        ((cp_array *[]){u, before, v, here, w, behind}), .out = to, .casting = CP_UNSAFE);
    return done ? CP_OK : cp_error();
}

/* The gradient at one end, from two samples or three. */
static cp_array *at_end(cp_array *f, cp_array *d, int axis, bool last, int order)
{
    cp_array *x[3];
    for (int i = 0; i < 3 && i <= order; i++) {
        const int64_t at = last ? cp_dim(f, axis) - 1 - order + i : i;
        if (!(x[i] = cpi_range(f, axis, at, at + 1))) return NULL;
    }
    if (order == 1) {
        cp_array *by = distance(d, last ? -1 : 0);
        return by ? cp_divide(cp_subtract(x[1], x[0]), by) : NULL;
    }
    cp_array *a, *b, *c;
    if (!cp_ndim(d)) {
        a = cp_divide(cp_float(last ? 0.5 : -1.5), d);
        b = cp_divide(cp_float(last ? -2 : 2), d);
        c = cp_divide(cp_float(last ? 1.5 : -0.5), d);
    } else {
        cp_array *d1 = distance(d, last ? -2 : 0), *d2 = distance(d, last ? -1 : 1), *sum = d1 && d2 ? cp_add(d1, d2)
                                                                                                     : NULL;
        if (!sum) return NULL;
        if (last) {
            a = cp_divide(d2, cp_multiply(d1, sum));
            b = cp_divide(cp_negative(cp_add(d2, d1)), cp_multiply(d1, d2));
            c = cp_divide(cp_add(times(2, d2), d1), cp_multiply(d2, sum));
        } else {
            a = cp_divide(cp_negative(cp_add(times(2, d1), d2)), cp_multiply(d1, sum));
            b = cp_divide(sum, cp_multiply(d1, d2));
            c = cp_divide(cp_negative(d1), cp_multiply(d2, sum));
        }
    }
    return three(a, x[0], b, x[1], c, x[2]);
}

static cp_code assign_range(cp_array *r, int axis, int64_t from, int64_t to, cp_array *value)
{
    cp_array *there = value ? cpi_range(r, axis, from, to) : NULL;
    return there ? cp_assign(there, value) : cp_error();
}

/*: function("gradient", "f: array, spacing: number_or_array_like = None, axis: index_axis = -1, edge_order: int = 1",
             module="_statistics", unlock="always",
             like=True,
             doc="""Slopes along one axis: central differences, at the ends of first or second order. spacing: the
distance of samples, or their coordinates.""") */
cp_array *(cp_gradient)(cp_array *f, int axis, int edge_order, const cp_gradient_options *options)
{
    const cp_gradient_options *o = CPI_GIVEN(cp_gradient_options, options);
    const char *name = "gradient";
    cpi_composite composite;
    if (!cpi_begin(&composite, name, f)) return NULL;
    cp_array *d = o->spacing ? o->spacing : cp_float(1), *r = NULL;
    const cp_type type = cp_type_of(f), result = cpi_is_whole(type) ? CP_FLOAT64 : type;
    bool good = d && !cpi_axis(name, &axis, cp_ndim(f));
    if (good && cp_ndim(d) > 1)
        good = !cpi_fail(CP_ERROR_VALUE, "%s: distances must be either scalars or 1d", name);
    if (good && cp_ndim(d) && cp_size(d) != cp_dim(f, axis))
        good = !cpi_fail(CP_ERROR_VALUE, "%s: when 1d, distances must match the length of the corresponding dimension",
                        name);
    if (good && cp_ndim(d)) {
        if (cpi_is_whole(cp_type_of(d))) d = cp_astype(d, CP_FLOAT64);
        d = d ? cp_diff(d, 1, 0) : NULL;
        if (d && !cp_size(d)) {
            cpi_fail(CP_ERROR_INDEX, "%s: index 0 is out of bounds for axis 0 with size 0", name);
            d = NULL;
        }
        cp_array *first = d ? distance(d, 0) : NULL, *other = first ? cp_not_equal(d, first) : NULL;
        const int uneven = other ? any(other) : -1;
        if (!uneven) d = first;
        good = uneven >= 0;
    }
    if (good && (edge_order > 2 || edge_order < 1))
        good = !cpi_fail(CP_ERROR_VALUE, "%s: 'edge_order' greater than 2 not supported", name);
    if (good && cp_dim(f, axis) < edge_order + 1)
        good = !cpi_fail(CP_ERROR_VALUE, "%s: Shape of array too small to calculate a numerical gradient, at least "
                        "(edge_order + 1) elements are required.", name);
    if (good && type != CP_BOOL && cpi_is_whole(type)) good = (f = cp_astype(f, CP_FLOAT64)) != NULL;
    if (good) r = cp_empty_like(f, result);
    const int64_t n = r ? cp_dim(f, axis) : 0;
    if (r && n > 2 && inner(f, d, axis, cpi_range(r, axis, 1, -1))) r = NULL;
    if (r && assign_range(r, axis, 0, 1, at_end(f, d, axis, false, edge_order))) r = NULL;
    if (r && assign_range(r, axis, n - 1, n, at_end(f, d, axis, true, edge_order))) r = NULL;
    return cpi_end(&composite, r);
}
