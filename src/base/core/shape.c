/* Shapes, strides, axes and loops. Invariant: every product of extents is checked here. */
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
                        cpi_shape_text(ndim, shape, text, sizeof text), itemsize);
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
                            cpi_shape_text(*ndim, shape, ta, sizeof ta), cpi_shape_text(bdim, bshape, tb, sizeof tb));
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

const char *cpi_shape_text(int ndim, const int64_t *shape, char *text, size_t bytes)
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

void cpi_loop_init(cpi_loop *loop, int ndim, const int64_t *shape, int nop, const cp_array *const *arrays)
{
    loop->nop = nop;
    loop->ndim = ndim;
    loop->size = 1;
    for (int i = 0; i < ndim; i++) {
        loop->shape[i] = shape[i];
        loop->size *= shape[i];
    }
    for (int k = 0; k < nop; k++) {
        const cp_array *x = arrays[k];
        cpi_operand *op = &loop->op[k];
        op->data = x->data;
        op->type = x->type;
        op->host = (x->flags & CPI_HOST_SCALAR) != 0;
        int skip = ndim - x->ndim;
        for (int i = 0; i < ndim; i++)
            op->strides[i] = i < skip || x->shape[i - skip] == 1 ? 0 : x->strides[i - skip];
    }
}

static void drop_ones(cpi_loop *loop)
{
    int n = 0;
    for (int i = 0; i < loop->ndim; i++) {
        if (loop->shape[i] == 1) continue;
        if (n != i) {
            loop->shape[n] = loop->shape[i];
            for (int k = 0; k < loop->nop; k++) loop->op[k].strides[n] = loop->op[k].strides[i];
        }
        n++;
    }
    loop->ndim = n;
}

/* Walks backwards axes forwards: every operand's pointer moves to the other end. */
static void turn_backward(cpi_loop *loop)
{
    for (int i = 0; i < loop->ndim; i++) {
        bool turn = loop->op[0].strides[i] < 0;
        if (loop->op[0].strides[i] == 0) {
            for (int k = 1; k < loop->nop && !turn; k++) turn = loop->op[k].strides[i] < 0;
            for (int k = 1; k < loop->nop && turn; k++) turn = loop->op[k].strides[i] <= 0;
        }
        if (!turn) continue;
        for (int k = 0; k < loop->nop; k++) {
            cpi_operand *op = &loop->op[k];
            op->data += op->strides[i] * (loop->shape[i] - 1);
            op->strides[i] = -op->strides[i];
        }
    }
}

static int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

/* True when axis a should lie outside axis b. Operand 0 decides, ties and zeros go to the next. */
static bool outside(const cpi_loop *loop, int a, int b)
{
    for (int k = 0; k < loop->nop; k++) {
        int64_t sa = magnitude(loop->op[k].strides[a]), sb = magnitude(loop->op[k].strides[b]);
        if (sa != sb && sa && sb) return sa > sb;
    }
    return false;
}

static void swap_axes(cpi_loop *loop, int a, int b)
{
    int64_t t = loop->shape[a];
    loop->shape[a] = loop->shape[b];
    loop->shape[b] = t;
    for (int k = 0; k < loop->nop; k++) {
        t = loop->op[k].strides[a];
        loop->op[k].strides[a] = loop->op[k].strides[b];
        loop->op[k].strides[b] = t;
    }
}

static void merge_axes(cpi_loop *loop)
{
    int n = 0;
    for (int i = 1; i < loop->ndim; i++) {
        bool joins = true;
        for (int k = 0; k < loop->nop && joins; k++)
            joins = loop->op[k].strides[n] == loop->op[k].strides[i] * loop->shape[i];
        if (!joins) n++;
        loop->shape[n] = joins ? loop->shape[n] * loop->shape[i] : loop->shape[i];
        for (int k = 0; k < loop->nop; k++) loop->op[k].strides[n] = loop->op[k].strides[i];
    }
    if (loop->ndim) loop->ndim = n + 1;
}

void cpi_loop_coalesce(cpi_loop *loop)
{
    if (!loop->size) return;
    drop_ones(loop);
    turn_backward(loop);
    for (int i = 1; i < loop->ndim; i++) /* insertion sort: few axes, mostly in order, and stable */
        for (int j = i; j > 0 && outside(loop, j, j - 1); j--) swap_axes(loop, j, j - 1);
    merge_axes(loop);
}
