/* Variances about a mean that the caller has already (NumPy 2's mean=), step by step as NumPy takes them: differences,
 * their squares, the sum, the divisor. It is made of public operations and knows no device. */
#include <math.h>

#include "cuprite/elementwise.h"
#include "front/front.h"
#include "reduce/notice.h"

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
    cpi_lanes lanes;
    if (cpi_lanes_of(row->name, x, o->axis, o->keepdims, &lanes)) return NULL;
    double n = (double)lanes.reduced - o->ddof, none = 0;
    if (!where && n <= 0) cpi_warn(row->warns);
    if (!where) return cp_scalar(CP_FLOAT64, n > 0 ? &n : &none);
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
