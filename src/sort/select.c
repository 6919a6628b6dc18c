/* The fronts of median and partition: axes, types, out, errors. They bring the lanes that a slot selects in to
 * the end of a C-contiguous array; where the memory lies like that already, nothing is copied. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/device.h"
#include "core/memory.h"
#include "sort/sort.h"

/* x with its axes in the order `order`, its values C-contiguous; x's own memory where it is so already. */
static cp_array *ordered(const char *function, cp_array *x, const int *order)
{
    cp_array *view = cp_transpose(x, (cp_axes){x->ndim, order});
    if (!view) return NULL;
    cp_array *dense = cpi_as_contiguous(function, view, x->type);
    cp_free(view);
    return dense;
}

/* A host scalar becomes an array of the current device, so that slots see device memory only. */
static cp_array *on_device(const char *function, cp_array *x)
{
    return x->flags & CPI_HOST_SCALAR ? cpi_as_contiguous(function, x, x->type) : cp_retain(x);
}

/* --- median --- */

/* The kept axes in their order, then the reduced ones, largest stride first: the order inside a lane is free. */
static void lane_order(const cp_array *x, const bool *reduced, int *order)
{
    int n = 0;
    for (int i = 0; i < x->ndim; i++)
        if (!reduced[i]) order[n++] = i;
    int first = n;
    for (int i = 0; i < x->ndim; i++) {
        if (!reduced[i]) continue;
        int at = n++;
        for (; at > first && llabs(x->strides[order[at - 1]]) < llabs(x->strides[i]); at--) order[at] = order[at - 1];
        order[at] = i;
    }
}

static cp_type median_type(cp_type t) { return cpi_is_bool(t) || cpi_is_int(t) ? CP_FLOAT64 : t; }

static cp_code check_out(const cp_array *out, const cp_array *x, cp_type type, int ndim, const int64_t *shape)
{
    char want[256], have[256];
    if (cpi_check_writable("median", out) != CP_OK) return cp_error();
    if (out->device != x->device) return cpi_fail(CP_ERROR_VALUE, "median: out is on another device");
    if (out->ndim != ndim || (ndim && memcmp(out->shape, shape, (size_t)ndim * sizeof *shape)))
        return cpi_fail(CP_ERROR_VALUE, "median: out has shape %s, the result %s",
                        cpi_shape_text(out->ndim, out->shape, have, sizeof have),
                        cpi_shape_text(ndim, shape, want, sizeof want));
    if (!cp_can_cast(type, out->type, CP_SAME_KIND))
        return cpi_fail(CP_ERROR_CASTING, "median: cannot cast the result from %s to %s with casting rule 'same_kind'",
                        cp_type_name(type), cp_type_name(out->type));
    return CP_OK;
}

/* The medians, in a fresh array. */
static cp_array *median_of(cp_array *x, const bool *reduced, int ndim, const int64_t *shape)
{
    int order[CP_MAXDIM];
    int64_t n = 1;
    for (int i = 0; i < x->ndim; i++)
        if (reduced[i]) n *= x->shape[i];
    cp_array *result = cpi_array_new("median", x->device, median_type(x->type), ndim, shape, 'C');
    if (!result || !result->size) return result;
    if (!n) {
        cp_array *nan = cpi_is_complex(x->type) ? cp_complex(NAN, NAN) : cp_float(NAN);
        if (nan && cp_fill(result, nan) == CP_OK) {
            cp_free(nan);
            return result;
        }
        cp_free(nan);
        cp_free(result);
        return NULL;
    }
    lane_order(x, reduced, order);
    cp_array *dense = ordered("median", x, order);
    if (dense && x->device->backend->sort->median(cpi_stream(x->device), x->type, result->size, n, dense->data,
                                                  result->data) == CP_OK) {
        cp_free(dense);
        return result;
    }
    cp_free(dense);
    cp_free(result);
    return NULL;
}

cp_array *(cp_median)(cp_array *x, const cp_median_options *options)
{
    static const cp_median_options plain = {0};
    bool reduced[CP_MAXDIM];
    int64_t shape[CP_MAXDIM];
    int ndim = 0;
    if (cpi_null("median", x)) return NULL;
    if (!options) options = &plain;
    if (cpi_axes_mask("median", options->axis, x->ndim, reduced) != CP_OK) return NULL;
    for (int i = 0; i < x->ndim; i++)
        if (!reduced[i]) shape[ndim++] = x->shape[i];
        else if (options->keepdims) shape[ndim++] = 1;
    cp_array *in = on_device("median", x);
    if (!in) return NULL;
    cp_array *result = NULL;
    if (!options->out || check_out(options->out, in, median_type(in->type), ndim, shape) == CP_OK)
        result = median_of(in, reduced, ndim, shape);
    cp_free(in);
    if (!result || !options->out) return result;
    cp_code code = cp_assign(options->out, result);
    cp_free(result);
    return code == CP_OK ? cpi_again(options->out) : NULL;
}

/* --- partition --- */

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The kth values made non-negative, ascending and distinct; NULL and an error when one is out of bounds. A lane
 * without elements takes any. */
static int64_t *checked_kth(int *n, const int64_t *kth, int64_t extent)
{
    if (*n < 0 || (*n && !kth)) {
        cpi_fail(CP_ERROR_VALUE, "partition: no kth is given");
        return NULL;
    }
    int64_t *k = cpi_malloc((size_t)*n * sizeof *k + 1);
    if (!k) return NULL;
    int kept = 0;
    for (int i = 0; i < *n && extent; i++) {
        k[i] = kth[i] < 0 ? kth[i] + extent : kth[i];
        if (k[i] < 0 || k[i] >= extent) {
            cpi_fail(CP_ERROR_VALUE, "partition: kth(=%lld) out of bounds (%lld)", (long long)kth[i], (long long)extent);
            cpi_free_host(k);
            return NULL;
        }
    }
    if (extent && *n) {
        qsort(k, (size_t)*n, sizeof *k, ascending);
        for (int i = 0; i < *n; i++)
            if (!i || k[i] != k[i - 1]) k[kept++] = k[i];
    }
    *n = kept;
    return k;
}

/* Partitions the lanes along the last axis of an array that is C-contiguous. */
static cp_code partition_rows(cp_array *x, int64_t extent, int n, const int64_t *kth)
{
    if (!x->size || !n) return CP_OK;
    return x->device->backend->sort->partition(cpi_stream(x->device), x->type, x->size / extent, extent, x->data, n, kth);
}

/* A fresh array with the values of x, the axis brought to the end, partitioned; a view of it in x's order. */
static cp_array *partitioned(cp_array *x, int axis, int64_t extent, int n, const int64_t *kth)
{
    int order[CP_MAXDIM], back[CP_MAXDIM], d = 0;
    for (int i = 0; i < x->ndim; i++)
        if (i != axis) order[d++] = i;
    if (x->ndim) order[d] = axis;
    for (int i = 0; i < x->ndim; i++) back[order[i]] = i;
    cp_array *view = cp_transpose(x, (cp_axes){x->ndim, order});
    cp_array *dense = view ? cp_copy(view) : NULL, *result = NULL;
    if (dense && partition_rows(dense, extent, n, kth) == CP_OK)
        result = axis >= x->ndim - 1 ? cp_retain(dense) : cp_transpose(dense, (cp_axes){x->ndim, back});
    cp_free(view);
    cp_free(dense);
    return result;
}

/* What the two functions share: the lane's extent and checked arguments; `flat` is x, raveled for CP_FLAT. */
static cp_array *prepare(cp_array *x, int *n, const int64_t *kth, int *axis, int64_t *extent, int64_t **k)
{
    cp_array *flat;
    if (*axis == CP_FLAT) {
        cp_array *in = on_device("partition", x);
        flat = in ? cp_ravel(in) : NULL;
        cp_free(in);
        *axis = 0;
    } else {
        if (cpi_axis("partition", axis, x->ndim) != CP_OK) return NULL;
        flat = cp_retain(x);
    }
    if (!flat) return NULL;
    *extent = flat->shape[*axis];
    *k = checked_kth(n, kth, *extent);
    if (*k) return flat;
    cp_free(flat);
    return NULL;
}

cp_array *cp_partition(cp_array *x, int n, const int64_t *kth, int axis)
{
    int64_t extent, *k;
    if (cpi_null("partition", x)) return NULL;
    cp_array *flat = prepare(x, &n, kth, &axis, &extent, &k);
    if (!flat) return NULL;
    cp_array *result = partitioned(flat, axis, extent, n, k);
    cpi_free_host(k);
    cp_free(flat);
    if (!result || cp_is_c_contiguous(result)) return result;
    cp_array *c = cp_copy(result);
    cp_free(result);
    return c;
}

/* In place through a partitioned copy, for lanes that are not contiguous. */
static cp_code partition_copied(cp_array *x, cp_array *flat, int axis, int64_t extent, int n, const int64_t *kth)
{
    cp_array *result = partitioned(flat, axis, extent, n, kth);
    cp_array *shaped = result ? cp_reshape(result, (cp_shape){x->ndim, x->shape}) : NULL;
    cp_code code = shaped ? cp_assign(x, shaped) : cp_error();
    cp_free(shaped);
    cp_free(result);
    return code;
}

cp_code cp_partition_inplace(cp_array *x, int n, const int64_t *kth, int axis)
{
    int64_t extent, *k;
    if (cpi_null("partition", x)) return cp_error();
    if (cpi_check_writable("partition", x) != CP_OK) return cp_error();
    bool whole = axis == CP_FLAT;
    cp_array *flat = prepare(x, &n, kth, &axis, &extent, &k);
    if (!flat) return cp_error();
    bool direct = cp_is_c_contiguous(x) && (whole || axis == x->ndim - 1) && !(x->flags & CPI_HOST_SCALAR);
    cp_code code = !n ? CP_OK
                   : direct ? partition_rows(x, extent, n, k)
                            : partition_copied(x, flat, axis, extent, n, k);
    cpi_free_host(k);
    cp_free(flat);
    return code;
}
