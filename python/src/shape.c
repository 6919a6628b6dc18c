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
    cp_free(back);
    cp_free(flat);
    return r;
}

PyObject *py_reshape_method(const py_reshape_method_args *v)
{
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
    cp_free(copied);
    if (r && !view && cp_size(r) && v->copy == CPY_COPY_NEVER) {
        cp_free(r);
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
    cpy_ints shape = {1, {cp_size(x)}};
    cp_array *y = order == 'K' ? in_memory_order(x) : x, *r = NULL, *whole;
    if (y) r = reshape_order(y, &shape, order == 'K' ? 'C' : order);
    if (y != x) cp_free(y);
    if (!r || cp_is_c_contiguous(r)) return r;
    CPY_RUN(cp_size(r), whole = cp_copy(r));
    cp_free(r);
    return whole;
}

PyObject *py_ravel(const py_ravel_args *v) { return cpy_wrap_part(raveled(v->a, v->order), v->self); }

PyObject *py_flatten_method(const py_flatten_method_args *v)
{
    cp_array *flat = raveled(v->a, v->order), *r = flat;
    if (flat && cp_data(flat) == cp_data(v->a)) {
        CPY_RUN(cp_size(flat), r = cp_copy(flat));
        cp_free(flat);
    }
    return cpy_wrap(r);
}

PyObject *py_view_method(const py_view_method_args *v)
{
    cp_type t = cp_type_of(v->a);
    if (v->dtype != (PyObject *)cpy_now()->array && !cpy_type(v->dtype, t, &t)) return NULL;
    return cpy_wrap_view(t == cp_type_of(v->a) ? cp_slice(v->a, 1, &CP_ELLIPSIS) : cp_view_as(v->a, t), v->self);
}

/* --- joining --- */
static bool joined_type(const cpy_arrays *p, cp_casting rule, cp_type *t)
{
    if (*t == CP_DEFAULT) {
        *t = cp_type_of(p->at[0]);
        for (int i = 1; i < p->n; i++) *t = cp_promote(*t, cp_type_of(p->at[i]));
    }
    for (int i = 0; i < p->n; i++)
        if (!cp_can_cast(cp_type_of(p->at[i]), *t, rule)) {
            PyErr_Format(PyExc_TypeError, "Cannot cast array data from %s to %s according to the rule",
                         cp_type_name(cp_type_of(p->at[i])), cp_type_name(*t));
            return false;
        }
    return true;
}

static bool axis_in(int *axis, int ndim, const char *name)
{
    if (*axis < -ndim || *axis >= ndim) {
        PyObject *module = PyImport_ImportModule("numpy.exceptions");
        PyObject *error = module ? PyObject_GetAttrString(module, "AxisError") : NULL;
        if (error) PyErr_Format(error, "%s: axis %d is out of bounds for array of dimension %d", name, *axis, ndim);
        Py_XDECREF(error);
        Py_XDECREF(module);
        return false;
    }
    *axis += *axis < 0 ? ndim : 0;
    return true;
}

static bool same_shape_but(const cp_array *x, const cp_array *y, int axis, const char *name)
{
    if (cp_ndim(x) != cp_ndim(y)) {
        PyErr_Format(PyExc_ValueError, "%s: all the input array dimensions must match: %d and %d", name, cp_ndim(x), cp_ndim(y));
        return false;
    }
    for (int i = 0; i < cp_ndim(x); i++)
        if (i != axis && cp_dims(x)[i] != cp_dims(y)[i]) {
            PyErr_Format(PyExc_ValueError, "%s: all the input array dimensions except for the concatenation axis must match "
                         "exactly, but along dimension %d there are sizes %lld and %lld", name, i,
                         (long long)cp_dims(x)[i], (long long)cp_dims(y)[i]);
            return false;
        }
    return true;
}

/* Writes the parts behind one another along an axis; with `stacked` each takes one place of a new axis. */
static bool write_parts(cp_array *out, const cpy_arrays *p, int axis, bool stacked)
{
    cp_index items[CP_MAXDIM];
    for (int i = 0; i < axis; i++) items[i] = CP_FULL;
    int64_t at = 0;
    for (int i = 0; i < p->n; i++) {
        int64_t extent = stacked ? 1 : cp_dims(p->at[i])[axis];
        items[axis] = stacked ? CP_AT(at) : CP_RANGE(at, at + extent);
        at += extent;
        cp_array *view = cp_slice(out, axis + 1, items);
        cp_code code = CP_ERROR_INTERNAL;
        if (view) CPY_RUN(cp_size(view), code = cp_assign(view, p->at[i]));
        cp_free(view);
        if (code != CP_OK) return cpy_raise(), false;
    }
    return true;
}

/* The result: a new array on the parts' device, or out when its shape is right. */
static PyObject *joined(const cpy_arrays *p, cpy_ints *shape, int axis, bool stacked, cp_array *out, cp_type t, cp_casting rule,
                        const char *name)
{
    if (!joined_type(p, rule, &t)) return NULL;
    if (out) {
        if (cp_ndim(out) != shape->n || memcmp(cp_dims(out), shape->at, (size_t)shape->n * sizeof(int64_t)) != 0)
            return PyErr_Format(PyExc_ValueError, "%s: out has the wrong shape", name);
        return write_parts(out, p, axis, stacked) ? cpy_wrap(cp_retain(out)) : NULL;
    }
    int before = cp_device_current(), there = cp_device_of(p->at[0]);
    if (before == CP_NO_DEVICE || (before != there && cp_device_use(there) != CP_OK)) return cpy_raise();
    cp_array *x = cp_empty(cpy_shape_of(shape), t);
    if (before != there) cp_device_use(before);
    if (!x) return cpy_raise();
    if (!write_parts(x, p, axis, stacked)) {
        cp_free(x);
        return NULL;
    }
    return cpy_wrap(x);
}

static PyObject *concatenated(const cpy_arrays *p, int axis, const py_concatenate_args *v)
{
    int ndim = cp_ndim(p->at[0]);
    cpy_ints shape = {ndim, {0}};
    if (ndim == 0) return PyErr_Format(PyExc_ValueError, "concatenate: zero-dimensional arrays cannot be concatenated");
    if (!axis_in(&axis, ndim, "concatenate")) return NULL;
    memcpy(shape.at, cp_dims(p->at[0]), (size_t)ndim * sizeof *shape.at);
    for (int i = 1; i < p->n; i++) {
        if (!same_shape_but(p->at[0], p->at[i], axis, "concatenate")) return NULL;
        shape.at[axis] += cp_dims(p->at[i])[axis];
    }
    return joined(p, &shape, axis, false, v->out, v->dtype, v->casting, "concatenate");
}

static bool some(const cpy_arrays *p, const char *name)
{
    if (p->n == 0) PyErr_Format(PyExc_ValueError, "%s: need at least one array", name);
    return p->n > 0;
}

PyObject *py_concatenate(const py_concatenate_args *v)
{
    if (!some(&v->tup, "concatenate")) return NULL;
    if (v->axis != CP_FLAT) return concatenated(&v->tup, v->axis, v);
    cpy_arrays flat = {.at = PyMem_Calloc((size_t)v->tup.n, sizeof *flat.at)};
    if (!flat.at) return PyErr_NoMemory();
    bool done = true;
    while (done && flat.n < v->tup.n) {
        cp_array *x = flat.at[flat.n] = cp_ravel(v->tup.at[flat.n]);
        done = x != NULL;
        flat.n += done;
    }
    PyObject *r = done ? concatenated(&flat, 0, v) : cpy_raise();
    cpy_drop_arrays(&flat);
    return r;
}

PyObject *py_stack(const py_stack_args *v)
{
    const cpy_arrays *p = &v->tup;
    if (!some(p, "stack")) return NULL;
    int axis = v->axis, ndim = cp_ndim(p->at[0]) + 1;
    cpy_ints shape = {ndim, {0}};
    if (!axis_in(&axis, ndim, "stack")) return NULL;
    if (ndim > CP_MAXDIM) return PyErr_Format(PyExc_ValueError, "stack: more than %d dimensions", CP_MAXDIM);
    for (int i = 1; i < p->n; i++)
        if (cp_ndim(p->at[i]) != ndim - 1 || memcmp(cp_dims(p->at[i]), cp_dims(p->at[0]), (size_t)(ndim - 1) * sizeof(int64_t)) != 0)
            return PyErr_Format(PyExc_ValueError, "stack: all input arrays must have the same shape");
    for (int i = 0; i < ndim; i++) shape.at[i] = i == axis ? p->n : cp_dims(p->at[0])[i - (i > axis)];
    return joined(p, &shape, axis, true, v->out, v->dtype, v->casting, "stack");
}

/* What is written to dst; owned. NULL where the rule, or an integer's size, forbids it. */
static cp_array *source(PyObject *o, const cp_array *dst, cp_casting rule)
{
    cp_type t = cp_type_of(dst);
    if (cpy_is_scalar(o)) return cpy_scalar_cast(o, t, rule);
    cp_array *x = cpy_need(o);
    if (x && !cp_can_cast(cp_type_of(x), t, rule)) {
        PyErr_Format(PyExc_TypeError, "Cannot cast array data from dtype('%s') to dtype('%s') according to the rule '%s'",
                     cp_type_name(cp_type_of(x)), cp_type_name(t), cpy_casting_name(rule));
        return NULL;
    }
    return x && cpy_may_discard(cp_type_of(x), t) ? cp_retain(x) : NULL;
}

PyObject *py_copyto(const py_copyto_args *v)
{
    cp_array *dst = v->dst, *typed = NULL, *merged = NULL;
    if (v->where && cp_type_of(v->where) != CP_BOOL)
        return PyErr_Format(PyExc_TypeError, "Cannot cast array data from dtype('%s') to dtype('bool') according to the "
                                             "rule 'safe'", cp_type_name(cp_type_of(v->where)));
    PyObject *given = cpy_number_in(v->src);
    cp_array *src = given ? source(given, dst, v->casting) : NULL;
    Py_XDECREF(given);
    if (!src) return NULL;
    cp_code code;
    if (!v->where)
        CPY_RUN(cp_size(dst), code = cp_assign(dst, src));
    else
        CPY_RUN(cp_size(dst), typed = cp_astype(src, cp_type_of(dst)); merged = cp_where(v->where, typed, dst);
                code = merged ? cp_assign(dst, merged) : CP_ERROR_INTERNAL);
    cp_free(typed);
    cp_free(merged);
    cp_free(src);
    return cpy_none(code);
}
