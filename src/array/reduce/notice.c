/* What reductions warn of (see the header). Elements are looked at again only where the result is not finite. */
#include "reduce/notice.h"

#include <math.h>

#include "core/array.h"
#include "cuprite/elementwise.h"

void cpi_notice_out(const cpi_reduction_row *row, const cp_array *x, const cp_reduce_options *o)
{
    bool real_sum = row->rule == CPI_RESULT_MEAN || row->rule == CPI_RESULT_REAL;
    bool known = cpi_reducers[row->reducer].integers != row->reducer;
    bool chosen = cpi_is_whole(x->type) || (row->rule == CPI_RESULT_MEAN && x->type == CP_FLOAT16);
    if (row->rule == CPI_RESULT_INDEX || row->rule == CPI_RESULT_COUNT) return;
    bool in_real = o->typed ? cpi_is_float(o->dtype) || cpi_is_int(o->dtype) : real_sum && chosen;
    bool back = real_sum && known && o->typed && cpi_is_complex(o->dtype) && !cpi_is_complex(x->type);
    if (back || (in_real && o->out && cpi_is_complex(o->out->type))) cpi_warn(CP_WARNING_COMPLEX);
}

/* The one truth value of `r`, which is ended. */
static cp_code truth(cp_array *r, bool *yes)
{
    uint8_t v = 0;
    cp_code code = r ? cp_to_host(r, &v, 1) : cp_error();
    cp_free(r);
    *yes = v;
    return code;
}

/* Does one of the elements satisfy the operation? */
static cp_code any(cp_op op, cp_array *x, cp_array *y, bool *yes)
{
    cp_array *each = cp_elementwise(op, (cp_array *[]){x, y}, NULL);
    cp_array *r = each && each->size != 1 ? cp_reduce(CP_REDUCE_any, each, NULL) : cp_retain(each);
    cp_free(each);
    return truth(r, yes);
}

/* Is one of the elements NaN? Of a single one, which most results are, without the way of an operation. */
static cp_code any_nan(cp_array *x, bool *yes)
{
    _Alignas(16) unsigned char value[16];
    cp_complex128 v;
    if (x->size != 1) return any(CP_OP_isnan, x, NULL, yes);
    cp_code code = cp_to_host(x, value, sizeof value);
    if (code) return code;
    cpi_convert_value(x->type, value, CP_COMPLEX128, &v);
    *yes = isnan(v.re) || isnan(v.im);
    return CP_OK;
}

cp_code cpi_notice_counts(cp_array *counts, double most, cp_warning warning)
{
    bool few;
    if (!counts->size || !counts->device->backend->at_once) return CP_OK;
    cp_array *limit = cp_float(most);
    cp_code code = limit ? any(CP_OP_less_equal, counts, limit, &few) : cp_error();
    cp_free(limit);
    if (!code && few) cpi_warn(warning);
    return code;
}

/* How many elements take part, `known`: of those that are not NaN. */
static cp_code count(cp_array *x, const cp_reduce_options *o, bool known, cp_array **counts)
{
    cp_reduce_options sum = {.axis = o->axis, .keepdims = o->keepdims};
    cp_array *nan = known ? cp_isnan(x) : NULL, *them = nan ? cp_logical_not(nan) : NULL, *mask = NULL;
    if (o->where && (!known || them)) mask = cpi_mask("var", o->where, x->device, x->ndim, x->shape);
    cp_array *both = them && mask ? cp_logical_and(them, mask) : cp_retain(them ? them : mask);
    *counts = both && (!o->where || mask) ? cp_reduce(CP_REDUCE_sum, both, &sum) : NULL;
    cp_free(both), cp_free(mask), cp_free(them), cp_free(nan);
    return *counts ? CP_OK : cp_error();
}

/* Without a divisor the result is NaN or infinite: only then the counts are needed. */
static cp_code notice_freedom(cp_array *x, const cp_reduce_options *o, bool known, cp_array *result, cp_warning warning)
{
    bool finite = false;
    cp_array *counts = NULL;
    cp_code code = CP_OK;
    if (!cpi_is_whole(result->type)) {
        cp_array *each = cp_isfinite(result), *all = each ? cp_reduce(CP_REDUCE_all, each, NULL) : NULL;
        cp_free(each);
        code = truth(all, &finite);
    }
    if (!code && !finite) code = count(x, o, known, &counts);
    if (!code && counts) code = cpi_notice_counts(counts, o->ddof, warning);
    cp_free(counts);
    return code;
}

cp_code cpi_notice(const cpi_slices *slices, cp_reduction r, cp_array *x, const cp_reduce_options *o, cp_array *result)
{
    cp_warning warning = cpi_reductions[r].warns;
    bool known = warning == CP_WARNING_KNOWN_FREEDOM, masked = o->where && !cpi_is_true(o->where), nan = false;
    bool look = result->size && result->device->backend->at_once;
    if (warning == CP_WARNING_ALL_NAN) {
        cp_code code = look && !cpi_is_whole(result->type) ? any_nan(result, &nan) : CP_OK;
        if (nan) cpi_warn(warning);
        return code;
    }
    bool few = warning == CP_WARNING_MEAN ? !slices->reduced : (double)slices->reduced <= o->ddof;
    if (few && (result->size || !(known || masked))) {
        cpi_warn(warning);
        return CP_OK;
    }
    if (warning == CP_WARNING_MEAN || !look || !(known || masked)) return CP_OK;
    return notice_freedom(x, o, known, result, warning);
}
