/* Axes, and the two layouts that kernels use: the slices of a reduction and the rows of a row kernel, both
 * C-contiguous. Memory with that layout is not copied. */
#include "operands/operands.h"

#include <stdlib.h>
#include <string.h>

#include "cuprite/array.h"

cp_code cpi_axis_or_flat(const char *function, int *axis, int ndim)
{
    return *axis == CP_FLAT ? CP_OK : cpi_axis(function, axis, ndim);
}

cp_code cpi_one_axis(const char *function, cp_axes axes, int ndim, int *axis)
{
    *axis = -1;
    if (!axes.at && !axes.n) return CP_OK;
    if (cpi_null(function, axes.at)) return CP_ERROR_VALUE;
    if (axes.n != 1) return cpi_fail(CP_ERROR_TYPE, "%s: takes one axis or none, not %d", function, axes.n);
    int given = axes.at[0];
    cp_code code = cpi_axis(function, &given, ndim);
    if (!code) *axis = given;
    return code;
}

cp_array *cpi_axis_moved(cp_array *x, int from, int to)
{
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
    for (int i = 0, rest = 0; i < x->ndim; i++) {
        rest += rest == from;
        int at = i == to ? from : rest++;
        shape[i] = x->shape[at];
        strides[i] = x->strides[at];
    }
    return cpi_array_view(x, x->type, x->ndim, shape, strides, x->data);
}

/* Beside a length of 0 the others may have any product; where it wraps, making the result fails. */
static int64_t times(int64_t a, int64_t n)
{
    int64_t p;
    return __builtin_mul_overflow(a, n, &p) ? INT64_MAX : p;
}

cp_code cpi_slices_of(const char *function, const cp_array *x, cp_axes axes, bool keepdims, cpi_slices *l)
{
    cp_code code = cpi_axes_mask(function, axes, x->ndim, l->gone);
    if (code) return code;
    l->kept = l->reduced = 1;
    l->ndim = 0;
    for (int i = 0; i < x->ndim; i++) {
        int64_t n = x->shape[i];
        if (l->gone[i]) {
            l->reduced = times(l->reduced, n);
            if (keepdims) l->shape[l->ndim++] = 1;
        } else {
            l->kept = times(l->kept, n);
            l->shape[l->ndim++] = n;
        }
    }
    return CP_OK;
}

/* The kept axes in their order, then the reduced ones: in their order too, or by descending stride. */
cp_array *cpi_slices_dense(const char *function, cp_array *x, const cpi_slices *l, cpi_device *device, bool ordered)
{
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
    int n = 0;
    for (int i = 0; i < x->ndim; i++) {
        if (l->gone[i]) continue;
        shape[n] = x->shape[i];
        strides[n++] = x->strides[i];
    }
    int first = n;
    for (int i = 0; i < x->ndim; i++) {
        if (!l->gone[i]) continue;
        int at = n++;
        for (; !ordered && at > first && llabs(strides[at - 1]) < llabs(x->strides[i]); at--) {
            shape[at] = shape[at - 1];
            strides[at] = strides[at - 1];
        }
        shape[at] = x->shape[i];
        strides[at] = x->strides[i];
    }
    if (x->flags & CPI_HOST_SCALAR) return cpi_in_memory(function, x, device);
    cp_array *view = cpi_array_view(x, x->type, n, shape, strides, x->data);
    cp_array *dense = view ? cpi_dense(function, view, x->type, device) : NULL;
    cp_free(view);
    return dense;
}

static cp_array *axis_last(cp_array *x, int axis)
{
    return axis == x->ndim - 1 ? cp_retain(x) : cpi_axis_moved(x, axis, x->ndim - 1);
}

/* A contiguous array as one row. */
static cp_array *as_line(cp_array *x)
{
    return cpi_array_view(x, x->type, 1, &x->size, (int64_t[]){cpi_itemsize(x->type)}, x->data);
}

static cp_code run_rows(const cpi_row_call *call, cp_array *from, cp_array *to)
{
    int64_t n = from->shape[from->ndim - 1];
    cpi_array_used(from);
    cpi_array_used(to);
    return call->kernel(call, cpi_stream(from->device), from->type, from->size / n, n, from->data, to->data);
}

/* Runs the kernel on src along its last axis, with the result in dst, a view of src's shape: directly where dst is
 * contiguous. Where src is a temporary copy (`own`), it is overwritten, which saves memory and its traffic. */
static cp_code into(const cpi_row_call *call, cp_array *src, cp_array *dst, bool own)
{
    if (cp_is_c_contiguous(dst)) return run_rows(call, src, dst);
    if (own && src->type == dst->type) {
        cp_code code = run_rows(call, src, src);
        return code ? code : cp_assign(dst, src);
    }
    cp_array *made = cpi_array_new(call->function, dst->device, dst->type, dst->ndim, dst->shape, 'C');
    if (!made) return cp_error();
    cp_code code = run_rows(call, src, made);
    if (!code) code = cp_assign(dst, made);
    cp_free(made);
    return code;
}

cp_array *cpi_along_axis(const cpi_row_call *call, cp_array *x, int axis, cp_type result)
{
    const char *function = call->function;
    bool flat = axis == CP_FLAT;
    cp_array *view = NULL, *src = NULL, *line = NULL, *dst = NULL, *out = NULL;
    cpi_device *device = cpi_common_device(function, 1, &x);
    if (!device || !(view = flat ? cp_retain(x) : axis_last(x, axis))) return NULL;
    if (!(src = cpi_dense(function, view, x->type, device))) goto done;
    out = result == CP_DEFAULT && !flat /* elements move: NumPy's copy in the order of x's axes */
        ? cpi_array_like(function, x, x->type, x->ndim, x->shape)
        : cpi_array_new(function, device, result == CP_DEFAULT ? x->type : result, flat ? 1 : x->ndim,
                        flat ? &x->size : x->shape, 'C');
    if (!out || out->size == 0) goto done;
    cp_code code = CP_ERROR_MEMORY;
    if (flat) {
        if ((line = as_line(src))) code = run_rows(call, line, out);
    } else if ((dst = axis_last(out, axis))) {
        code = into(call, src, dst, src->data != view->data);
    }
    if (code) {
        cp_free(out);
        out = NULL;
    }
done:
    cp_free(view);
    cp_free(src);
    cp_free(line);
    cp_free(dst);
    return out;
}

cp_code cpi_along_axis_inplace(const cpi_row_call *call, cp_array *x, int axis)
{
    bool flat = axis == CP_FLAT;
    if (cpi_check_writable(call->function, x)) return cp_error();
    if (x->size == 0) return CP_OK;
    cp_array *view = flat ? cp_retain(x) : axis_last(x, axis), *src = NULL, *line = NULL;
    cp_code code;
    if (view && (src = cpi_dense(call->function, view, x->type, x->device)) /* view itself where it is contiguous */
        && (line = flat ? as_line(src) : cp_retain(src))) {
        code = run_rows(call, line, line);
        if (!code && src->data != view->data) code = cp_assign(view, src);
    } else {
        code = cp_error();
    }
    cp_free(view);
    cp_free(src);
    cp_free(line);
    return code;
}
