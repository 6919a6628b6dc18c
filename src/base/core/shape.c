/* Shapes, strides and axes. Invariant: every product of extents is checked here. */
#include "core/shape.h"

#include <stdio.h>
#include <string.h>

cp_code cpi_shape_size(const char *function, int ndim, const int64_t *shape, size_t itemsize, int64_t *size)
{
    if (ndim < 0 || ndim > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "%s: %d dimensions given, at most %d are possible", function, ndim, CP_MAXDIM);
    if (ndim && cpi_null(function, shape)) return CP_ERROR_VALUE;
    int64_t n = 1, bytes = (int64_t)itemsize;
    bool empty = false, wraps = false;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0)
            return cpi_fail(CP_ERROR_VALUE, "%s: negative dimensions are not allowed (axis %d is %lld)", function, i,
                            (long long)shape[i]);
        if (shape[i] == 0) {
            empty = true;
            continue;
        }
        /* The product over the non-zero extents must fit even when the array is empty, as in NumPy: strides do. */
        wraps |= __builtin_mul_overflow(n, shape[i], &n);
        wraps |= __builtin_mul_overflow(bytes, shape[i], &bytes);
    }
    if (wraps) {
        char text[256];
        return cpi_fail(CP_ERROR_VALUE, "%s: array is too big: shape %s with %zu bytes an element", function,
                        cpi_shape_string(ndim, shape, text, sizeof text), itemsize);
    }
    *size = empty ? 0 : n;
    return CP_OK;
}

void cpi_strides_contiguous(int ndim, const int64_t *shape, int64_t itemsize, char order, int64_t *strides)
{
    int64_t step = itemsize;
    for (int k = 0; k < ndim; k++) {
        int i = order == 'F' ? k : ndim - 1 - k;
        strides[i] = step;
        if (shape[i] > 1) step *= shape[i];
    }
}

bool cpi_is_contiguous(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize, char order)
{
    int64_t step = itemsize;
    bool result = true;
    for (int k = 0; k < ndim; k++) {
        int i = order == 'F' ? k : ndim - 1 - k;
        if (shape[i] == 0) return true;
        if (shape[i] == 1) continue;
        if (strides[i] != step) result = false;
        step *= shape[i];
    }
    return result;
}

cp_code cpi_axis(const char *function, int *axis, int ndim)
{
    if (*axis < -ndim || *axis >= ndim)
        return cpi_fail(CP_ERROR_AXIS, "%s: axis %d is out of bounds for array of dimension %d", function, *axis, ndim);
    if (*axis < 0) *axis += ndim;
    return CP_OK;
}

cp_code cpi_axes_mask(const char *function, cp_axes axes, int ndim, bool *mask)
{
    for (int i = 0; i < ndim; i++) mask[i] = !axes.at;
    if (axes.n < 0) return cpi_fail(CP_ERROR_VALUE, "%s: %d axes given", function, axes.n);
    if (!axes.at && axes.n) return cpi_fail(CP_ERROR_VALUE, "%s: %d axes given, at no address", function, axes.n);
    if (!axes.at) return CP_OK;
    bool twice = false;
    for (int k = 0; k < axes.n; k++) { /* bounds first: NumPy tells them before what is named twice */
        int a = axes.at[k];
        cp_code code = cpi_axis(function, &a, ndim);
        if (code) return code;
        twice |= mask[a];
        mask[a] = true;
    }
    return twice ? cpi_fail(CP_ERROR_VALUE, "%s: duplicate value in 'axis'", function) : CP_OK;
}

cp_code cpi_broadcast(const char *function, int *ndim, int64_t *shape, int bdim, const int64_t *bshape)
{
    int n = *ndim > bdim ? *ndim : bdim;
    int64_t result[CP_MAXDIM];
    if (n > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "%s: %d dimensions given, at most %d are possible", function, n, CP_MAXDIM);
    for (int i = 1; i <= n; i++) {
        int64_t a = i <= *ndim ? shape[*ndim - i] : 1, b = i <= bdim ? bshape[bdim - i] : 1;
        if (a != b && a != 1 && b != 1) {
            char ta[160], tb[160];
            return cpi_fail(CP_ERROR_VALUE, "%s: operands could not be broadcast together with shapes %s %s", function,
                            cpi_shape_string(*ndim, shape, ta, sizeof ta),
                            cpi_shape_string(bdim, bshape, tb, sizeof tb));
        }
        result[n - i] = a == 1 ? b : a;
    }
    memcpy(shape, result, (size_t)n * sizeof *shape);
    *ndim = n;
    return CP_OK;
}

bool cpi_broadcast_strides(const cp_array *x, int ndim, const int64_t *shape, int64_t *strides)
{
    int skip = ndim - x->ndim;
    if (skip < 0) return false;
    for (int i = 0; i < ndim; i++) {
        int64_t have = i < skip ? 1 : x->shape[i - skip];
        if (have != 1 && have != shape[i]) return false;
        strides[i] = have == 1 ? 0 : x->strides[i - skip];
    }
    return true;
}

const char *cpi_shape_string(int ndim, const int64_t *shape, char *text, size_t bytes)
{
    size_t at = (size_t)snprintf(text, bytes, "(");
    for (int i = 0; i < ndim && at < bytes; i++)
        at += (size_t)snprintf(text + at, bytes - at, "%s%lld", i ? ", " : "", (long long)shape[i]);
    if (at < bytes) snprintf(text + at, bytes - at, ndim == 1 ? ",)" : ")");
    return text;
}

void cpi_extent(const cp_array *x, int64_t *low, int64_t *high)
{
    *low = *high = 0;
    if (!x->size) return;
    for (int i = 0; i < x->ndim; i++) {
        int64_t span = x->strides[i] * (x->shape[i] - 1);
        *(span < 0 ? low : high) += span;
    }
    *high += cpi_itemsize(x->type);
}

bool cpi_may_overlap(const cp_array *a, const cp_array *b)
{
    if (!a->size || !b->size || a->device != b->device) return false;
    int64_t alow, ahigh, blow, bhigh;
    cpi_extent(a, &alow, &ahigh);
    cpi_extent(b, &blow, &bhigh);
    uintptr_t pa = (uintptr_t)a->data, pb = (uintptr_t)b->data;
    return pa + (uintptr_t)alow < pb + (uintptr_t)bhigh && pb + (uintptr_t)blow < pa + (uintptr_t)ahigh;
}

bool cpi_same_elements(const cp_array *a, const cp_array *b)
{
    if (a->data != b->data || a->ndim != b->ndim || cpi_itemsize(a->type) != cpi_itemsize(b->type)) return false;
    for (int i = 0; i < a->ndim; i++)
        if (a->shape[i] != b->shape[i] || (a->shape[i] > 1 && a->strides[i] != b->strides[i])) return false;
    return true;
}
