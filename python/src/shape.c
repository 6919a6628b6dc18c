/* Views, shapes and joining: what is more than one call; the rows stand in src/array/shape/shape.def. */
#include "shape_rows.h"

#include <stdlib.h>
#include <string.h>

/* A view where the elements can stay, else a copy. */
static cp_array *reshaped(cp_array *x, const cpy_ints *shape)
{
    cp_array *r;
    const int64_t copied = cp_size(x) > CPY_LARGE && !cp_is_c_contiguous(x) ? cp_size(x) : 0;
    CPY_RUN_ON(1, &x, copied, r = cp_reshape(x, cpy_shape_of(shape)));
    return r;
}

/* Reshaping in Fortran order is reshaping the transposed array in C order. */
static cp_array *reshape_order(cp_array *x, const cpy_ints *shape, char order)
{
    if (order == 'A') order = cp_is_f_contiguous(x) && !cp_is_c_contiguous(x) ? 'F' : 'C';
    if (order != 'F') return reshaped(x, shape);
    cpy_ints reversed = {.n = shape->n};
    for (int i = 0; i < shape->n; i++) reversed.at[i] = shape->at[shape->n - 1 - i];
    cp_array *back = cp_transpose(x, CP_ALL), *flat = reshaped(back, &reversed), *r = cp_transpose(flat, CP_ALL);
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

void cpy_axes_in_memory(const cp_array *x, int *axes)
{
    const int64_t *strides = cp_strides(x);
    for (int i = 0; i < cp_ndim(x); i++) {
        int j = i;
        for (; j > 0 && llabs(strides[axes[j - 1]]) < llabs(strides[i]); j--) axes[j] = axes[j - 1];
        axes[j] = i;
    }
}

/* The axes in the order in which NumPy goes through an array as it lies in memory. Axes that say nothing about it, of
 * stride 0 or of one element, keep their places between the others as far as a stable insertion from the last axis on
 * lets them; an axis is inserted past them. */
static void iterated_axes(const cp_array *x, int *axes)
{
    const int n = cp_ndim(x);
    const int64_t *strides = cp_strides(x), *dims = cp_dims(x);
    for (int i = n - 1; i >= 0; i--) {
        int to = i; /* axes[i + 1 .. n - 1] are in order already */
        const int64_t step = dims[i] == 1 ? 0 : llabs(strides[i]);
        for (int j = i + 1; j < n && step; j++) {
            const int64_t next = dims[axes[j]] == 1 ? 0 : llabs(strides[axes[j]]);
            if (next && next <= step) break;
            if (next) to = j;
        }
        for (int j = i; j < to; j++) axes[j] = axes[j + 1];
        axes[to] = i;
    }
}

/* The elements as they lie in memory are those of x with its axes in memory's order, in C order. */
static cp_array *in_memory_order(cp_array *x)
{
    int axes[CP_MAXDIM];
    iterated_axes(x, axes);
    return cp_transpose(x, (cp_axes){cp_ndim(x), axes});
}

/* A 1-d array of x's elements without gaps; a view where there can be one. */
static cp_array *raveled(cp_array *x, char order)
{
    cpy_ints shape; /* an initialiser would clear its 64 places */
    shape.n = 1, shape.at[0] = cp_size(x);
    if (order != 'F' && cp_is_c_contiguous(x)) return reshaped(x, &shape);
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

/* The class that view(dtype, type) names: in NumPy the first argument may be one too. NULL with an exception. */
static PyTypeObject *class_of_view(const py_view_method_args *v, bool *first)
{
    PyTypeObject *plain = cpy_now()->array, *class = Py_TYPE(v->self);
    PyObject *type = cpy_given(v->type) ? v->type : NULL;
    *first = v->dtype && PyType_Check(v->dtype) && PyType_IsSubtype((PyTypeObject *)v->dtype, plain);
    if (*first && type) return PyErr_SetString(PyExc_ValueError, "Cannot specify output type twice."), NULL;
    if (*first) return (PyTypeObject *)v->dtype;
    if (!type) return class;
    if (PyType_Check(type) && PyType_IsSubtype((PyTypeObject *)type, plain)) return (PyTypeObject *)type;
    return PyErr_SetString(PyExc_ValueError, "Type must be a sub-type of ndarray type"), NULL;
}

PyObject *py_view_method(const py_view_method_args *v)
{
    cp_type t = cp_type_of(v->a);
    bool named;
    PyTypeObject *class = class_of_view(v, &named);
    if (!class || (!named && !cpy_type(v->dtype, t, &t))) return NULL;
    cp_array *x = t == cp_type_of(v->a) ? cp_slice(v->a, 1, &CP_ELLIPSIS) : cp_view_as(v->a, t);
    PyObject *r = cpy_wrap_view(x, v->self);
    return r && class != cpy_now()->array ? cpy_as(r, class, v->self) : r;
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

/* Where the elements lie: from *low to before *high. */
static void bounds_of(const cp_array *x, uintptr_t *low, uintptr_t *high)
{
    *low = *high = cp_size(x) ? (uintptr_t)cp_data(x) : 0;
    for (int i = 0; cp_size(x) && i < cp_ndim(x); i++) {
        const int64_t span = (cp_dims(x)[i] - 1) * cp_strides(x)[i];
        *(span < 0 ? low : high) += (uintptr_t)span;
    }
    if (cp_size(x)) *high += cp_type_size(cp_type_of(x));
}

/*: function("_within", "a: array, b: array, /", body=True, unlock="never",
             doc="Whether the bounds of two arrays' memory overlap.") */
PyObject *py__within(const py__within_args *v)
{
    uintptr_t a, a_end, b, b_end;
    bounds_of(v->a, &a, &a_end);
    bounds_of(v->b, &b, &b_end);
    return PyBool_FromLong(cp_device_of(v->a) == cp_device_of(v->b) && a < b_end && b < a_end);
}

/* One end of a slice, None for an open one. */
static bool take_end(PyObject *o, int flag, cp_index *item, int64_t *at)
{
    if (o == Py_None) return true;
    item->has |= flag;
    *at = PyNumber_AsSsize_t(o, NULL);
    return *at != -1 || !PyErr_Occurred();
}

/*: function("_parts", "a: array, axis: axis, bounds: object, /", body=True, unlock="never",
             doc="A list of views between each two of the bounds of an axis.") */
PyObject *py__parts(const py__parts_args *v)
{
    const int ndim = cp_ndim(v->a), axis = v->axis < 0 ? v->axis + ndim : v->axis;
    cp_index items[CP_MAXDIM];
    if (axis < 0 || axis >= ndim) return cpy_raise_axis(v->axis, ndim), NULL;
    PyObject *bounds = PySequence_Fast(v->bounds, "bounds are a list"), *r = bounds ? PyList_New(0) : NULL;
    for (int i = 0; i < axis; i++) items[i] = CP_FULL;
    for (Py_ssize_t i = 0; r && i + 1 < PySequence_Fast_GET_SIZE(bounds); i++) {
        PyObject *const *ends = PySequence_Fast_ITEMS(bounds) + i;
        cp_index *item = &items[axis];
        *item = CP_FULL;
        PyObject *part = NULL;
        if (take_end(ends[0], CP_HAS_START, item, &item->start) && take_end(ends[1], CP_HAS_STOP, item, &item->stop))
            part = cpy_like(cpy_wrap_view(cp_slice(v->a, axis + 1, items), v->self), v->self);
        if (!part || PyList_Append(r, part) < 0) Py_CLEAR(r);
        Py_XDECREF(part);
    }
    Py_XDECREF(bounds);
    return r;
}
