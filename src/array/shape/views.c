/* Views: other shapes and strides over the same memory. Only reshape and ravel may copy, where no view can be. */
#include <string.h>

#include "operands/operands.h"
#include "move/move.h"

/* x itself (retained), or, for a host scalar, a 0-d array on the current device: views need memory. */
static cp_array *solid(const char *function, cp_array *x)
{
    cpi_device *device = cpi_null(function, x) ? NULL : cpi_common_device(function, 1, &x);
    return device ? cpi_in_memory(function, x, device) : NULL;
}

/* View of x with these dimensions; ends the caller's reference to x. */
static cp_array *view_of(cp_array *x, int ndim, const int64_t *shape, const int64_t *strides, char *data)
{
    cp_array *v = x ? cpi_array_view(x, x->type, ndim, shape, strides, data) : NULL;
    cp_free(x);
    return v;
}

/* View of all of x from its first element on; x stays the caller's. */
static cp_array *whole_view(const char *function, cp_array *x, int ndim, const int64_t *shape, const int64_t *strides)
{
    if (!(x->flags & CPI_HOST_SCALAR)) return cpi_array_view(x, x->type, ndim, shape, strides, x->data);
    x = solid(function, x);
    return x ? view_of(x, ndim, shape, strides, x->data) : NULL;
}

/* Strides that give x's elements, read in C order, the new shape; false when there are none. The axes of both
 * shapes are matched in groups of equal product; within a group x must be one arithmetic run. */
static bool reshape_strides(const cp_array *x, int ndim, const int64_t *shape, int64_t *strides)
{
    int64_t old_shape[CP_MAXDIM], old_strides[CP_MAXDIM];
    int old = 0, i = 0, j = 0;
    for (int k = 0; k < x->ndim; k++) {
        if (x->shape[k] == 1) continue;
        old_shape[old] = x->shape[k];
        old_strides[old++] = x->strides[k];
    }
    while (i < old && j < ndim) {
        int i0 = i, j0 = j;
        int64_t a = old_shape[i++], b = shape[j++];
        while (a != b) {
            if (a < b) {
                a *= old_shape[i++];
            } else {
                b *= shape[j++];
            }
        }
        for (int k = i0; k + 1 < i; k++)
            if (old_strides[k] != old_strides[k + 1] * old_shape[k + 1]) return false;
        int64_t step = old_strides[i - 1];
        for (int k = j - 1; k >= j0; k--) {
            strides[k] = step;
            step *= shape[k];
        }
    }
    for (; j < ndim; j++) strides[j] = cpi_itemsize(x->type); /* the rest are ones */
    return true;
}

/* Replaces one that is negative by what x's size asks for, and checks the size. */
static cp_code resolve_shape(const cp_array *x, cp_shape want, int64_t *shape)
{
    char text[160];
    int unknown = -1;
    int64_t known = 1;
    if (want.n < 0 || want.n > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "reshape: %d dimensions given, at most %d are possible", want.n, CP_MAXDIM);
    if (want.n && cpi_null("reshape", want.dim)) return CP_ERROR_VALUE;
    bool wraps = false, zero = false;
    for (int i = 0; i < want.n; i++) {
        shape[i] = want.dim[i];
        if (shape[i] < 0) {
            if (unknown >= 0) return cpi_fail(CP_ERROR_VALUE, "reshape: can only specify one unknown dimension");
            unknown = i;
        } else if (shape[i] == 0) {
            zero = true;
        } else {
            wraps |= __builtin_mul_overflow(known, shape[i], &known);
        }
    }
    if (zero) known = 0;
    bool good = unknown >= 0 ? !wraps && known > 0 && x->size % known == 0 : (zero || !wraps) && known == x->size;
    if (unknown >= 0 && good) shape[unknown] = x->size / known;
    if (good) return CP_OK;
    return cpi_fail(CP_ERROR_VALUE, "reshape: cannot reshape array of size %lld into shape %s", (long long)x->size,
                    cpi_shape_string(want.n, want.dim, text, sizeof text));
}

cp_array *cp_reshape(cp_array *x, cp_shape want)
{
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
    if (cpi_null("reshape", x) || resolve_shape(x, want, shape)) return NULL;
    if (!(x->flags & CPI_HOST_SCALAR) && x->size > 0 && reshape_strides(x, want.n, shape, strides))
        return cpi_array_view(x, x->type, want.n, shape, strides, x->data);
    cp_array *flat = cpi_as_contiguous("reshape", x, x->type);
    if (!flat) return NULL;
    cpi_strides_contiguous(want.n, shape, cpi_itemsize(x->type), 'C', strides);
    return view_of(flat, want.n, shape, strides, flat->data);
}

cp_array *cp_ravel(cp_array *x)
{
    int64_t all = -1;
    if (x && x->size == 0) all = 0;
    return cp_reshape(x, (cp_shape){1, &all});
}

cp_array *cp_transpose(cp_array *x, cp_axes axes)
{
    const char *function = "transpose";
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
    bool seen[CP_MAXDIM];
    if (cpi_null(function, x)) return NULL;
    int n = x->ndim;
    if (axes.at && axes.n != n) {
        cpi_fail(CP_ERROR_VALUE, "%s: axes don't match array: %d given, %d needed", function, axes.n, n);
        return NULL;
    }
    if ((axes.at || axes.n) && cpi_axes_mask(function, axes, n, seen)) return NULL;
    for (int i = 0; i < n; i++) {
        int a = axes.at ? axes.at[i] : n - 1 - i;
        if (a < 0) a += n;
        shape[i] = x->shape[a];
        strides[i] = x->strides[a];
    }
    return whole_view(function, x, n, shape, strides);
}

cp_array *cp_swapaxes(cp_array *x, int a, int b)
{
    int order[CP_MAXDIM];
    if (cpi_null("swapaxes", x) || cpi_axis("swapaxes", &a, x->ndim) || cpi_axis("swapaxes", &b, x->ndim)) return NULL;
    for (int i = 0; i < x->ndim; i++) order[i] = i == a ? b : i == b ? a : i;
    return cp_transpose(x, (cp_axes){x->ndim, order});
}

cp_array *cp_broadcast_to(cp_array *x, cp_shape shape)
{
    const char *function = "broadcast_to";
    int64_t size;
    if (cpi_null(function, x) || cpi_shape_size(function, shape.n, shape.dim, cp_type_size(x->type), &size))
        return NULL;
    return cpi_broadcast_view(function, x, shape.n, shape.dim);
}

cp_array *cp_squeeze(cp_array *x, cp_axes axes)
{
    const char *function = "squeeze";
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
    bool drop[CP_MAXDIM];
    int n = 0;
    if (cpi_null(function, x)) return NULL;
    if (cpi_axes_mask(function, axes, x->ndim, drop)) return NULL;
    for (int i = 0; i < x->ndim; i++) {
        if (drop[i] && x->shape[i] == 1) continue;
        if (drop[i] && axes.at) {
            cpi_fail(CP_ERROR_VALUE, "%s: cannot select an axis to squeeze out which has size not equal to one "
                     "(axis %d has %lld)", function, i, (long long)x->shape[i]);
            return NULL;
        }
        shape[n] = x->shape[i];
        strides[n++] = x->strides[i];
    }
    return whole_view(function, x, n, shape, strides);
}

cp_array *cp_expand_dims(cp_array *x, cp_axes axes)
{
    const char *function = "expand_dims";
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
    bool fresh[CP_MAXDIM];
    if (cpi_null(function, x)) return NULL;
    if (!axes.at) return cpi_fail(CP_ERROR_TYPE, "%s: axes must be given", function), NULL;
    int n = x->ndim + axes.n;
    if (n > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "%s: the result may have at most %d axes", function, CP_MAXDIM), NULL;
    if (cpi_axes_mask(function, axes, n, fresh)) return NULL;
    for (int i = n - 1, k = x->ndim - 1; i >= 0; i--) { /* a new axis steps over the next one, as NumPy's does */
        int64_t over = i + 1 < n ? strides[i + 1] * (shape[i + 1] ? shape[i + 1] : 1) : 0;
        int64_t last = x->ndim ? x->strides[x->ndim - 1] : cpi_itemsize(x->type);
        shape[i] = fresh[i] ? 1 : x->shape[k];
        strides[i] = !fresh[i] ? x->strides[k] : k < x->ndim - 1 ? over : last;
        k -= !fresh[i];
    }
    return whole_view(function, x, n, shape, strides);
}

cp_array *cp_diagonal(cp_array *x, int64_t offset, int axis1, int axis2)
{
    const char *function = "diagonal";
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
    if (cpi_null(function, x)) return NULL;
    if (x->ndim < 2) {
        cpi_fail(CP_ERROR_VALUE, "%s: an array of at least two dimensions is needed, this one has %d", function,
                 x->ndim);
        return NULL;
    }
    if (cpi_axis(function, &axis1, x->ndim) || cpi_axis(function, &axis2, x->ndim)) return NULL;
    if (axis1 == axis2) {
        cpi_fail(CP_ERROR_VALUE, "%s: axis1 and axis2 cannot be the same", function);
        return NULL;
    }
    int n = 0;
    for (int i = 0; i < x->ndim; i++) {
        if (i == axis1 || i == axis2) continue;
        shape[n] = x->shape[i];
        strides[n++] = x->strides[i];
    }
    int64_t rows = x->shape[axis1], columns = x->shape[axis2], start = 0;
    int64_t *less = offset >= 0 ? &columns : &rows, by = offset >= 0           ? offset
                                                         : offset == INT64_MIN ? INT64_MAX
                                                                               : -offset;
    *less = *less > by ? *less - by : 0;
    shape[n] = rows < columns ? rows : columns;
    strides[n] = x->strides[axis1] + x->strides[axis2];
    if (shape[n] > 0) start = by * x->strides[offset >= 0 ? axis2 : axis1];
    cp_retain(x);
    return view_of(x, n + 1, shape, strides, x->data + start);
}

cp_array *cp_view_as(cp_array *x, cp_type type)
{
    const char *function = "view";
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM], from, to = (int64_t)cp_type_size(type);
    if (cpi_null(function, x)) return NULL;
    if (cpi_check_type(function, type)) return NULL;
    x = solid(function, x);
    if (!x) return NULL;
    from = cpi_itemsize(x->type);
    int last = x->ndim - 1;
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    memcpy(strides, x->strides, (size_t)x->ndim * sizeof *strides);
    if (from != to) {
        bool apart = x->size && last >= 0 && x->shape[last] > 1 && x->strides[last] != from;
        const char *why = last < 0 ? "a 0-d array cannot change its item size"
                          : apart  ? "the last axis must be contiguous"
                          : shape[last] * from % to ? "the last axis must be a multiple of the new item size" : NULL;
        if (why) {
            cpi_fail(CP_ERROR_VALUE, "%s: %s", function, why);
            cp_free(x);
            return NULL;
        }
        shape[last] = shape[last] * from / to;
        strides[last] = to;
    }
    cp_array *v = cpi_check_alignment(function, x->device, type, x->ndim, shape, strides, x->data)
                      ? NULL
                      : cpi_array_view(x, type, x->ndim, shape, strides, x->data);
    cp_free(x);
    return v;
}

/* Read-only zeros in C order, in Fortran's where x has that alone: NumPy's imaginary part of real numbers. */
static cp_array *zeros_as(const cp_array *x)
{
    char order = cp_is_f_contiguous(x) && !cp_is_c_contiguous(x) ? 'F' : 'C';
    cp_array *v = cpi_array_new("imag", x->device, x->type, x->ndim, x->shape, order);
    if (v) v->flags |= CPI_READONLY;
    if (!v || !v->size) return v;
    if (!v->device->backend->zero(cpi_stream(v->device), v->data, (size_t)cp_nbytes(v))) return v;
    cp_free(v);
    return NULL;
}

static cp_array *part(const char *function, cp_array *x, bool imaginary)
{
    x = solid(function, x);
    if (!x) return NULL;
    cp_array *v;
    if (cpi_is_complex(x->type)) {
        cp_type real = x->type == CP_COMPLEX64 ? CP_FLOAT32 : CP_FLOAT64;
        v = cpi_array_view(x, real, x->ndim, x->shape, x->strides, x->data + (imaginary ? cpi_itemsize(real) : 0));
    } else {
        v = imaginary ? zeros_as(x) : cpi_again(x);
    }
    cp_free(x);
    return v;
}

cp_array *cp_real_part(cp_array *x) { return part("real", x, false); }
cp_array *cp_imag_part(cp_array *x) { return part("imag", x, true); }
