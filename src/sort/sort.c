/* Sorting: the public functions. Invariant: slots see C-contiguous rows; every other layout is brought to that
 * shape here by a copy with the axis last, and back by an assignment. */
#include "cuprite/sort.h"

#include <string.h>

#include "backend/device.h"
#include "core/array.h"
#include "core/error.h"
#include "core/shape.h"
#include "sort/front.h"
#include "sort/sort.h"

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

static cp_array *axis_last(cp_array *x, int axis) { return cpi_axis_moved(x, axis, x->ndim - 1); }

static bool c_contiguous(const cp_array *x)
{
    return cpi_is_contiguous(x->ndim, x->shape, x->strides, cpi_itemsize(x->type), 'C');
}

/* A contiguous array as one row. */
static cp_array *as_line(cp_array *x)
{
    return cpi_array_view(x, x->type, 1, &x->size, (int64_t[]){cpi_itemsize(x->type)}, x->data);
}

/* The slots behind cp_sort and cp_argsort, in one form. */
static cp_code rows(cp_array *from, cp_array *to, bool indices)
{
    int64_t n = from->shape[from->ndim - 1];
    cp_stream *stream = cpi_stream(from->device);
    const cpi_sort_ops *ops = from->device->backend->sort;
    if (indices) return ops->argsort(stream, from->type, from->size / n, n, from->data, (int64_t *)to->data);
    return ops->sort(stream, from->type, from->size / n, n, from->data, to->data);
}

/* Orders src along its last axis into dst (a view of src's shape): straight into it where it is contiguous. A
 * copy of ours (`own`) is sorted where it is, which spares memory and its traffic. */
static cp_code into(const char *function, cp_array *src, cp_array *dst, bool indices, bool own)
{
    if (c_contiguous(dst)) return rows(src, dst, indices);
    if (own && !indices) {
        cp_code code = rows(src, src, false);
        return code == CP_OK ? cp_assign(dst, src) : code;
    }
    cp_array *made = cpi_array_new(function, dst->device, dst->type, dst->ndim, dst->shape, 'C');
    if (!made) return cp_error();
    cp_code code = rows(src, made, indices);
    if (code == CP_OK) code = cp_assign(dst, made);
    cp_free(made);
    return code;
}

static cp_array *ordered(const char *function, cp_array *x, int axis, bool indices)
{
    if (cpi_null(function, x)) return NULL;
    /* numpy.argsort takes a 0-d array as one of one element, numpy.sort does not */
    bool flat = axis == CP_FLAT || (indices && x->ndim == 0 && (axis == 0 || axis == -1));
    if (!flat && cpi_axis(function, &axis, x->ndim) != CP_OK) return NULL;
    cp_array *view = flat ? cp_retain(x) : axis_last(x, axis), *src = NULL, *line = NULL, *dst = NULL, *out = NULL;
    if (!view || !(src = cpi_as_contiguous(function, view, x->type))) goto done;
    cp_type type = indices ? CP_INT64 : x->type;
    out = cpi_array_new(function, src->device, type, flat ? 1 : x->ndim, flat ? &x->size : x->shape, 'C');
    if (!out || out->size == 0) goto done;
    cp_code code = CP_ERROR_MEMORY;
    if (flat) {
        if ((line = as_line(src))) code = rows(line, out, indices);
    } else if ((dst = axis_last(out, axis))) {
        code = into(function, src, dst, indices, src->data != view->data);
    }
    if (code != CP_OK) {
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

cp_array *cp_sort(cp_array *x, int axis) { return ordered("sort", x, axis, false); }

cp_array *cp_argsort(cp_array *x, int axis) { return ordered("argsort", x, axis, true); }

cp_code cp_sort_inplace(cp_array *x, int axis)
{
    if (cpi_null("sort", x)) return cp_error();
    bool flat = axis == CP_FLAT;
    if (!flat && cpi_axis("sort", &axis, x->ndim) != CP_OK) return cp_error();
    if (cpi_check_writable("sort", x) != CP_OK) return cp_error();
    if (x->size <= 1) return CP_OK;
    cp_code code = CP_ERROR_MEMORY;
    cp_array *view = flat ? cp_retain(x) : axis_last(x, axis), *src = NULL, *line = NULL;
    if (view && (src = cpi_as_contiguous("sort", view, x->type)) /* view itself where it is contiguous */
        && (line = flat ? as_line(src) : cp_retain(src))) {
        code = rows(line, line, false);
        if (code == CP_OK && src->data != view->data) code = cp_assign(view, src);
    } else {
        code = cp_error();
    }
    cp_free(view);
    cp_free(src);
    cp_free(line);
    return code;
}
