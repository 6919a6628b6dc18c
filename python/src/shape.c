/* Views, shapes and joining: what is more than one call; the rows stand in src/shape/shape.def. */
#include "shape_rows.h"

#include <stdlib.h>
#include <string.h>

/* A view where the elements can stay, else a copy. */
static cp_array *reshaped(cp_array *x, const cpy_ints *shape)
{
    cp_array *r;
    CPY_RUN_ON(1, &x, cp_is_c_contiguous(x) ? 0 : cp_size(x), r = cp_reshape(x, cpy_shape_of(shape)));
    return r;
}

/* Reshaping in Fortran order is reshaping the transposed array in C order. */
static cp_array *reshape_order(cp_array *x, const cpy_ints *shape, char order)
{
    if (order == 'A') order = cp_is_f_contiguous(x) && !cp_is_c_contiguous(x) ? 'F' : 'C';
    if (order != 'F') return reshaped(x, shape);
    cpy_ints turned = {.n = shape->n};
    for (int i = 0; i < shape->n; i++) turned.at[i] = shape->at[shape->n - 1 - i];
    cp_array *back = cp_transpose(x, CP_ALL), *flat = reshaped(back, &turned), *r = cp_transpose(flat, CP_ALL);
    cpy_free(back);
    cpy_free(flat);
    return r;
}

PyObject *py_reshape_method(const py_reshape_method_args *v)
{
    if (v->shape.n == CPY_OWN_SHAPE) return cpy_wrap_view(cp_slice(v->a, 1, &CP_ELLIPSIS), v->self);
    if (v->shape.n < 0) return PyErr_Format(PyExc_TypeError, "reshape() takes a shape");
    cp_array *x = v->a, *copied = NULL;
    const void *memory = cp_data(x); /* x is not ours once other threads have run */
    if (v->copy == CPY_COPY_ALWAYS) {
        CPY_RUN_ON(1, &x, cp_size(x), copied = cp_copy_order(x, v->order));
        if (!copied) return cpy_raise();
        x = copied;
    }
    cp_array *r = reshape_order(x, &v->shape, v->order);
    bool view = r && !copied && cp_data(r) == memory;
    cpy_free(copied);
    if (r && !view && cp_size(r) && v->copy == CPY_COPY_NEVER) {
        cpy_free(r);
        return PyErr_Format(PyExc_ValueError, "Unable to avoid creating a copy while reshaping.");
    }
    return view ? cpy_wrap_view(r, v->self) : cpy_wrap(r);
}

void cpy_axes_in_memory(const cp_array *x, int *axes, bool zeros_stay)
{
    const int64_t *strides = cp_strides(x);
    for (int i = 0; i < cp_ndim(x); i++) {
        int j = i;
        for (; j > 0; j--) {
            int64_t before = llabs(strides[axes[j - 1]]), step = llabs(strides[i]);
            if (before >= step || (zeros_stay && (before == 0 || step == 0))) break;
            axes[j] = axes[j - 1];
        }
        axes[j] = i;
    }
}

/* The elements as they lie in memory are those of x with its axes in memory's order, in C order. */
static cp_array *in_memory_order(cp_array *x)
{
    int axes[CP_MAXDIM];
    cpy_axes_in_memory(x, axes, true);
    return cp_transpose(x, (cp_axes){cp_ndim(x), axes});
}

/* A 1-d array of x's elements without gaps; a view where there can be one. */
static cp_array *raveled(cp_array *x, char order)
{
    cpy_ints shape; /* an initialiser would clear its 64 places */
    shape.n = 1, shape.at[0] = cp_size(x);
    cp_array *y = order == 'K' ? in_memory_order(x) : x, *r = NULL, *whole;
    if (y) r = reshape_order(y, &shape, order == 'K' ? 'C' : order);
    if (y != x) cpy_free(y);
    if (!r || cp_is_c_contiguous(r)) return r;
    CPY_RUN(cp_size(r), whole = cp_copy(r));
    cpy_free(r);
    return whole;
}

PyObject *py_ravel(const py_ravel_args *v) { return cpy_wrap_part(raveled(v->a, v->order), v->self); }

PyObject *py_flatten_method(const py_flatten_method_args *v)
{
    cp_array *flat = raveled(v->a, v->order), *r = flat;
    if (flat && cp_data(flat) == cp_data(v->a)) {
        CPY_RUN(cp_size(flat), r = cp_copy(flat));
        cpy_free(flat);
    }
    return cpy_wrap(r);
}

PyObject *py_view_method(const py_view_method_args *v)
{
    cp_type t = cp_type_of(v->a);
    if (v->dtype != (PyObject *)cpy_now()->array && !cpy_type(v->dtype, t, &t)) return NULL;
    return cpy_wrap_view(t == cp_type_of(v->a) ? cp_slice(v->a, 1, &CP_ELLIPSIS) : cp_view_as(v->a, t), v->self);
}

/* What is written to dst; owned. NULL where the rule, or an integer's size, forbids it. */
static cp_array *source(PyObject *o, const cp_array *dst, cp_casting rule)
{
    cp_type t = cp_type_of(dst);
    if (cpy_is_scalar(o)) return cpy_scalar_cast(o, t, rule);
    cp_array *x = cpy_need(o);
    if (!x || !cpy_can_cast(x, t, rule)) return NULL;
    return cpy_may_discard(cp_type_of(x), t) ? cp_retain(cpy_x(o)) : NULL; /* a warning runs code */
}

PyObject *py_copyto(const py_copyto_args *v)
{
    PyObject *given = cpy_number_in(v->src);
    cp_array *src = given ? source(given, v->dst, v->casting) : NULL;
    Py_XDECREF(given);
    if (!src) return NULL;
    cp_code code; /* the rule was kept: a number may be of another type than it stands for */
    CPY_RUN(cp_size(v->dst), code = cp_copyto(v->dst, src, .casting = CP_UNSAFE, .where = v->where));
    cp_warnings_clear(); /* `source` told them before anything was written */
    cpy_free(src);
    return cpy_none(code);
}
