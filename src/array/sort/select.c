/* The front of the median: the slot sees lanes as C-contiguous rows. */
#include <math.h>
#include <stdlib.h>

#include "cuprite/elementwise.h"
#include "cuprite/reduce.h"
#include "operands/operands.h"
#include "sort/sort.h"

/* NumPy's last step is a sum of one or two, in a wider type where `out` has one. */
static cp_type median_type(cp_type t, const cp_array *out)
{
    t = cpi_is_whole(t) ? CP_FLOAT64 : t;
    bool wider = out && cpi_is_float(t) && !cpi_is_whole(out->type);
    return wider ? cp_promote(t, cpi_part_type(out->type)) : t;
}

static cp_code fill_with_nan(cp_array *result)
{
    cp_array *nan = cpi_is_complex(result->type) ? cp_complex(NAN, NAN) : cp_float(NAN);
    cp_code code = nan ? cp_fill(result, nan) : cp_error();
    cp_free(nan);
    return code;
}

static cp_code medians(cp_array *x, const cpi_slices *slices, cp_array *result)
{
    if (!slices->kept) return CP_OK;
    if (!slices->reduced) {
        cpi_warn(CP_WARNING_MEAN);
        return fill_with_nan(result);
    }
    bool wider = !cpi_is_whole(x->type) && x->type != result->type;
    cp_array *wide = wider ? cp_astype(x, result->type) : cp_retain(x);
    cp_array *dense = wide ? cpi_slices_dense("median", wide, slices, result->device, false) : NULL;
    cp_free(wide);
    if (!dense) return cp_error();
    cp_code code = result->device->backend->sort->median(cpi_stream(result->device), dense->type, slices->kept,
                                                         slices->reduced, dense->data, result->data);
    cp_free(dense);
    return code;
}

/* x's axes as they lie in memory, the outermost first; false where that is their own order. */
static bool axes_in_memory(const cp_array *x, int *order)
{
    bool changed = false;
    for (int axis = 0; axis < x->ndim; axis++) {
        int at = axis;
        for (; at > 0 && llabs(x->strides[order[at - 1]]) < llabs(x->strides[axis]); at--) order[at] = order[at - 1];
        order[at] = axis;
        changed |= at != axis;
    }
    return changed;
}

/* The median along one axis, or none (-1), of an array whose axes lie in another order, which the result has too: that
 * of the array turned to C order, turned back. */
static cp_array *median_transposed(cp_array *x, const int *order, int axis, bool keepdims)
{
    int back[CP_MAXDIM];
    for (int i = 0; i < x->ndim; i++) back[order[i]] = i;
    cp_array *transposed = cp_transpose(x, (cp_axes){x->ndim, order}), *r = NULL, *result = NULL;
    cp_axes axes = axis < 0 ? CP_NONE : (cp_axes){1, &back[axis]};
    if (transposed) r = cp_median(transposed, .axis = axes, .keepdims = true);
    if (r) result = cp_transpose(r, (cp_axes){x->ndim, back});
    cp_free(transposed), cp_free(r);
    if (!result || keepdims || axis < 0) return result;
    r = result;
    result = cp_squeeze(r, CP_AXES(axis));
    cp_free(r);
    return result;
}

/* Do the axes that stay lie in another order than their own? */
static bool kept_in_another_order(const cp_array *x, const cpi_slices *slices)
{
    int64_t before = INT64_MAX;
    for (int i = 0; i < x->ndim; i++) {
        if (slices->gone[i] || x->shape[i] == 1) continue;
        if (llabs(x->strides[i]) > before) return true;
        before = llabs(x->strides[i]);
    }
    return false;
}

/* The median along several axes as NumPy has it: they become one, the last, of a view where their steps let them, whose
 * order the result has, else of a copy in C order. */
static cp_array *median_merged(cp_array *x, const cpi_slices *slices, bool keepdims)
{
    int order[CP_MAXDIM], *gone, kept = 0, n = 0;
    int64_t shape[CP_MAXDIM];
    for (int i = 0; i < x->ndim; i++) {
        if (slices->gone[i]) continue;
        shape[kept] = x->shape[i];
        order[kept++] = i;
    }
    gone = order + kept;
    for (int i = 0; i < x->ndim; i++)
        if (slices->gone[i]) gone[n++] = i;
    shape[kept] = slices->reduced;
    cp_array *transposed = cp_transpose(x, (cp_axes){x->ndim, order});
    cp_array *merged = transposed ? cp_reshape(transposed, (cp_shape){kept + 1, shape}) : NULL;
    cp_array *r = merged ? cp_median(merged, .axis = CP_AXES(-1)) : NULL;
    cp_free(transposed), cp_free(merged);
    if (!r || !keepdims) return r;
    cp_array *result = cp_expand_dims(r, (cp_axes){n, gone});
    cp_free(r);
    return result;
}

/* NumPy's sum of the middle is told the type of integers and half floats, which a complex `out` has to become. */
static bool warns(cp_type t, cp_type result, cp_type out)
{
    return cpi_discards(result, out) || (cpi_is_complex(out) && (cpi_is_whole(t) || cpi_is_half(t)));
}

/* NumPy copies a NaN to `out` once more, from elements of type t and by a stricter rule. */
static cp_code check_unknown(cp_type t, cp_array *result, cp_type out)
{
    uint8_t yes = 0;
    if (cpi_is_whole(t) || cp_can_cast(t, out, CP_SAME_KIND)) return CP_OK;
    cp_array *nan = cp_isnan(result), *any = nan ? cp_any(nan) : NULL;
    cp_code code = any ? cp_to_host(any, &yes, 1) : cp_error();
    cp_free(any), cp_free(nan);
    return !code && yes ? cpi_check_cast("median", CPI_OUTPUT, t, out, CP_SAME_KIND) : code;
}

cp_array *(cp_median)(cp_array *x, const cp_median_options *options)
{
    cpi_slices slices;
    int order[CP_MAXDIM], axis;
    options = CPI_GIVEN(cp_median_options, options);
    if (cpi_null("median", x) || cpi_slices_of("median", x, options->axis, options->keepdims, &slices)) return NULL;
    const bool plain = options->axis.at && !options->out && x->size;
    const int given = options->axis.n;
    if (plain && given >= 2 && kept_in_another_order(x, &slices)) return median_merged(x, &slices, options->keepdims);
    if (plain && given < 2 && x->ndim > given + 1 && axes_in_memory(x, order)) {
        axis = given ? options->axis.at[0] + (options->axis.at[0] < 0 ? x->ndim : 0) : -1;
        return median_transposed(x, order, axis, options->keepdims);
    }
    cp_array *all[2] = {x, options->out};
    cpi_output o = {.function = "median", .device = cpi_common_device("median", 2, all),
                    .type = median_type(x->type, options->out), .ndim = slices.ndim, .shape = slices.shape,
                    .out = options->out, .casting = CP_UNSAFE, .dense = true};
    if (!o.device || cpi_output_open(&o, 1, &x)) return NULL;
    if (o.out && warns(x->type, o.type, o.out->type)) cpi_warn(CP_WARNING_COMPLEX);
    cp_code code = medians(x, &slices, o.array);
    if (!code && o.out && slices.reduced) code = check_unknown(x->type, o.array, o.out->type);
    return cpi_output_close(&o, code);
}
