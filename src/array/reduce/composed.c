/* Reductions that are made of others and of elementwise operations, step by step as NumPy takes them where its steps
 * can be seen. They know no device. */
#include "reduce/composed.h"

#include <math.h>

#include "cuprite/elementwise.h"
#include "reduce/notice.h"

/* part /= divisor, where part, taken over, is a view; a complex divisor would mix the parts. */
static bool divide_part(cp_array *part, cp_array *divisor)
{
    cp_array *made =
        part ? cp_elementwise(CP_OP_divide, (cp_array *[]){part, divisor}, &(cp_ufunc_options){.out = part}) : NULL;
    cp_free(part);
    cp_free(made);
    return made != NULL;
}

cp_array *cpi_masked_mean(cp_array *x, const cp_reduce_options *o, cp_type loop)
{
    cp_type wide = cpi_is_complex(loop) ? CP_COMPLEX128 : CP_FLOAT64;
    cp_reduce_options so = {.axis = o->axis, .keepdims = o->keepdims, .typed = true, .dtype = wide, .where = o->where};
    cp_reduce_options co = {.axis = o->axis, .keepdims = o->keepdims};
    cp_array *sum = cp_reduce(CP_REDUCE_sum, x, &so);
    cp_array *mask = sum ? cpi_mask("mean", o->where, sum->device, x->ndim, x->shape) : NULL;
    cp_array *n = mask ? cp_reduce(CP_REDUCE_sum, mask, &co) : NULL;
    cp_array *divisor = n && !cpi_notice_counts(n, 0, CP_WARNING_MEAN) ? cp_astype(n, CP_FLOAT64) : NULL;
    cp_array *result = NULL;
    bool done = divisor && divide_part(cp_real_part(sum), divisor);
    if (done && cpi_is_complex(wide)) done = divide_part(cp_imag_part(sum), divisor);
    if (done && o->out) result = cpi_deliver("mean", cp_retain(sum), o->out, CP_UNSAFE);
    else if (done) result = sum->type == loop ? cp_retain(sum) : cp_astype(sum, loop);
    cp_free(divisor), cp_free(n), cp_free(mask), cp_free(sum);
    return result;
}

/* How many elements each result is the mean of: one number, or an array where a mask says. */
static cp_array *counts(cp_array *x, const cpi_slices *slices, cp_array *sum, const cp_reduce_options *o)
{
    cp_reduce_options co = {.axis = o->axis, .keepdims = o->keepdims};
    double all = (double)slices->reduced;
    if (!o->where || cpi_is_true(o->where)) return cp_scalar(CP_FLOAT64, &all);
    cp_array *mask = cpi_mask("mean", o->where, sum->device, x->ndim, x->shape);
    cp_array *n = mask ? cp_reduce(CP_REDUCE_sum, mask, &co) : NULL;
    cp_free(mask);
    return n;
}

cp_array *cpi_mean_of_sum(cp_array *x, const cp_reduce_options *o)
{
    cpi_slices slices;
    if (cpi_slices_of("mean", x, o->axis, o->keepdims, &slices)) return NULL;
    cp_array *sum = cp_reduce(CP_REDUCE_sum, x, o), *n = sum ? counts(x, &slices, sum, o) : NULL, *mean = NULL;
    cp_ufunc_options to = {.out = o->out ? NULL : sum, .casting = CP_UNSAFE}; /* the result lies as the sum */
    if (n) mean = cp_elementwise(CP_OP_divide, (cp_array *[]){sum, n}, &to);
    if (mean && slices.kept && !slices.reduced) cpi_warn(CP_WARNING_MEAN);
    cp_free(n), cp_free(sum);
    return mean && o->out ? cpi_deliver("mean", mean, o->out, CP_UNSAFE) : mean;
}

cp_array *cpi_reduce_known(cp_reduction r, cp_array *x, const cp_reduce_options *o)
{
    cp_reduce_options other = *o;
    if (cpi_check_mask(cpi_reductions[r].name, o->where)) return NULL;
    cp_array *y = cp_astype(x, o->dtype), *nan = cp_isnan(x), *known = cp_logical_not(nan), *result = NULL;
    cp_array *both = known && o->where ? cp_logical_and(known, o->where) : NULL;
    if (x->size) {
        other.where = o->where ? both : known;
        other.no_identity = o->no_identity && o->where && !cpi_is_true(o->where); /* NumPy replaces NaN */
    }
    if (cpi_discards(x->type, o->dtype)) cpi_warn(CP_WARNING_COMPLEX);
    if (y && (other.where || (known && !x->size))) result = cp_reduce(r, y, &other);
    cp_free(both), cp_free(known), cp_free(nan), cp_free(y);
    return result;
}

/* --- variances about a mean that the caller has: differences, their squares, the sum, the divisor --- */

/* Sizes squared: of complex numbers the sum of both parts' squares. */
static cp_array *squares(cp_array *d, bool real)
{
    if (real || !cpi_is_complex(cp_type_of(d))) return cp_square(d);
    cp_array *re = cp_square(cp_real_part(d)), *im = cp_square(cp_imag_part(d));
    return cp_add(re, im);
}

/* The elements that take part, NULL: all. */
static cp_array *taking_part(cp_array *x, cp_array *where, bool known)
{
    if (!known) return where;
    cp_array *them = cp_logical_not(cp_isnan(x));
    return where ? cp_logical_and(them, where) : them;
}

/* Each result's divisor. */
static cp_array *freedom(const cpi_reduction_row *row, cp_array *x, const cp_reduce_options *o, cp_array *where,
                         bool known)
{
    cpi_slices slices;
    if (cpi_slices_of(row->name, x, o->axis, o->keepdims, &slices)) return NULL;
    double n = (double)slices.reduced - o->ddof, none = 0;
    if (!where && n <= 0) cpi_warn(row->warns);
    if (!where) return cp_scalar(CP_FLOAT64, n <= 0 ? &none : &n);
    cp_array *mask = cpi_mask(row->name, where, x->device, x->ndim, x->shape);
    cp_array *counts = mask ? cp_sum(mask, .axis = o->axis, .keepdims = o->keepdims) : NULL;
    if (!counts || cpi_notice_counts(counts, o->ddof, row->warns)) return NULL;
    cp_array *rest = cp_subtract(counts, cp_scalar(CP_FLOAT64, &o->ddof));
    return known ? rest : cp_maximum(rest, cp_scalar(CP_FLOAT64, &none));
}

static cp_array *about_mean(const cpi_reduction_row *row, cp_array *x, const cp_reduce_options *o, bool known)
{
    bool whole = cpi_is_whole(x->type);
    cp_array *where = taking_part(x, o->where, known);
    cp_array *divisor = known && !where ? NULL : freedom(row, x, o, where, known);
    cp_array *d = divisor ? cp_subtract(x, o->mean) : NULL;
    if (d && known && !cpi_has_shape(d, x->ndim, x->shape)) {
        char have[160], want[160];
        cpi_fail(CP_ERROR_VALUE, "%s: the mean broadcasts an array of shape %s to %s", row->name,
                 cpi_shape_string(x->ndim, x->shape, have, sizeof have),
                 cpi_shape_string(d->ndim, d->shape, want, sizeof want));
        return NULL;
    }
    if (d && known && cpi_discards(d->type, x->type)) cpi_warn(CP_WARNING_COMPLEX);
    if (d && known && d->type != x->type) d = cp_astype(d, x->type); /* NumPy writes them to its copy */
    cp_reduce_options so = {.axis = o->axis, .keepdims = o->keepdims, .out = o->out, .where = where,
                            .typed = o->typed || whole, .dtype = o->typed ? o->dtype : CP_FLOAT64};
    cp_array *square = d ? squares(d, !known && (cpi_is_float(x->type) || cpi_is_int(x->type))) : NULL;
    cp_array *sum = square ? cp_reduce(CP_REDUCE_sum, square, &so) : NULL;
    const cp_ufunc_options into = {.out = sum, .casting = CP_UNSAFE}, root = {.out = sum};
    cp_array *r = sum ? cp_elementwise(CP_OP_divide, (cp_array *[]){sum, divisor}, &into) : NULL;
    if (r && known) {
        cp_array *bad = cp_less_equal(divisor, cp_float(0));
        if (!bad || cp_copyto(r, cp_float(NAN), .where = bad)) return NULL;
    }
    if (!r || !row->root) return r;
    if (r->ndim == 0 && !o->out) return cp_astype(cp_sqrt(r), r->type); /* an array's root is taken in its own type */
    return cp_elementwise(CP_OP_sqrt, &r, &root);
}

cp_array *cpi_about_mean(cp_reduction r, cp_array *x, const cp_reduce_options *o)
{
    const cpi_reduction_row *row = &cpi_reductions[r];
    bool known = row->warns == CP_WARNING_KNOWN_FREEDOM;
    if (row->rule != CPI_RESULT_REAL) return cpi_fail(CP_ERROR_TYPE, "%s: has no argument mean", row->name), NULL;
    if (known && ((o->typed && cpi_is_whole(o->dtype)) || (o->out && cpi_is_whole(o->out->type))))
        return cpi_fail(CP_ERROR_TYPE, "%s: If a is inexact, then dtype and out must be inexact", row->name), NULL;
    if (cpi_check_mask(row->name, o->where)) return NULL;
    cp_scope *scope = cp_scope_begin();
    return scope ? cp_scope_return(scope, about_mean(row, x, o, known)) : NULL;
}
