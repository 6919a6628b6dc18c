/* Views, shapes and joining: what is more than one call; the rows stand in src/shape/shape.def. */
#include "shape_rows.h"

#include <string.h>

/* A view where the elements can stay, else a copy. */
static cp_array *reshaped(cp_array *x, const cpy_ints *shape)
{
    cp_array *r;
    CPY_RUN(cp_is_c_contiguous(x) ? 0 : cp_size(x), r = cp_reshape(x, cpy_shape_of(shape)));
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
    if (v->copy == CPY_COPY_ALWAYS) {
        CPY_RUN(cp_size(x), copied = cp_copy_order(x, v->order));
        if (!copied) return cpy_raise();
        x = copied;
    }
    cp_array *r = reshape_order(x, &v->shape, v->order);
    bool view = r && cp_data(r) == cp_data(v->a);
    cp_free(copied);
    if (r && !view && cp_size(r) && v->copy == CPY_COPY_NEVER) {
        cp_free(r);
        return PyErr_Format(PyExc_ValueError, "Unable to avoid creating a copy while reshaping.");
    }
    return view ? cpy_wrap_view(r, v->self) : cpy_wrap(r);
}

PyObject *py_ravel(const py_ravel_args *v)
{
    cpy_ints shape = {1, {cp_size(v->a) ? -1 : 0}};
    return cpy_wrap_part(reshape_order(v->a, &shape, v->order == 'K' ? 'A' : v->order), v->self);
}

PyObject *py_flatten_method(const py_flatten_method_args *v)
{
    cp_array *c;
    cpy_ints shape = {1, {cp_size(v->a)}};
    CPY_RUN(cp_size(v->a), c = v->order == 'C' ? cp_copy(v->a) : cp_copy_order(v->a, v->order == 'F' ? 'F' : 'K'));
    cp_array *r = c ? reshape_order(c, &shape, v->order == 'K' ? 'A' : v->order) : NULL;
    cp_free(c);
    return cpy_wrap(r);
}

PyObject *py_view_method(const py_view_method_args *v)
{
    cp_type t = cp_type_of(v->a);
    if (v->dtype != (PyObject *)cpy_now()->array && !cpy_type(v->dtype, t, &t)) return NULL;
    return cpy_wrap_view(t == cp_type_of(v->a) ? cp_slice(v->a, 1, &CP_ELLIPSIS) : cp_view_as(v->a, t), v->self);
}

/* --- joining --- */
typedef struct parts { Py_ssize_t n; PyObject *held; cp_array *x[]; } parts;

static parts *take_parts(PyObject *sequence, const char *name)
{
    if (cpy_is_array(sequence) && cp_ndim(cpy_x(sequence)) == 0) {
        PyErr_SetString(PyExc_TypeError, "a sequence of arrays is needed, not a 0-d array");
        return NULL;
    }
    PyObject *held = PySequence_Tuple(sequence); /* other threads may change a list meanwhile */
    if (!held) return NULL;
    Py_ssize_t n = PyTuple_GET_SIZE(held);
    parts *p = PyMem_Malloc(sizeof *p + (size_t)n * sizeof *p->x);
    if (!p) return Py_DECREF(held), PyErr_NoMemory(), NULL;
    p->n = n;
    p->held = held;
    bool done = n > 0;
    if (!done) PyErr_Format(PyExc_ValueError, "%s: need at least one array", name);
    for (Py_ssize_t i = 0; done && i < n; i++) done = (p->x[i] = cpy_need(PyTuple_GET_ITEM(held, i))) != NULL;
    if (done) return p;
    Py_DECREF(held);
    PyMem_Free(p);
    return NULL;
}

static void drop_parts(parts *p)
{
    Py_DECREF(p->held);
    PyMem_Free(p);
}

static bool joined_type(const parts *p, PyObject *dtype, PyObject *casting, cp_type *t)
{
    cp_casting rule;
    if (!cpy_type(dtype, CP_DEFAULT, t) || !cpy_casting(casting, CP_SAME_KIND, &rule)) return false;
    if (*t == CP_DEFAULT) {
        *t = cp_type_of(p->x[0]);
        for (Py_ssize_t i = 1; i < p->n; i++) *t = cp_promote(*t, cp_type_of(p->x[i]));
    }
    for (Py_ssize_t i = 0; i < p->n; i++)
        if (!cp_can_cast(cp_type_of(p->x[i]), *t, rule)) {
            PyErr_Format(PyExc_TypeError, "Cannot cast array data from %s to %s according to the rule",
                         cp_type_name(cp_type_of(p->x[i])), cp_type_name(*t));
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
static bool write_parts(cp_array *out, const parts *p, int axis, bool stacked)
{
    cp_index items[CP_MAXDIM];
    for (int i = 0; i < axis; i++) items[i] = CP_FULL;
    int64_t at = 0;
    for (Py_ssize_t i = 0; i < p->n; i++) {
        int64_t extent = stacked ? 1 : cp_dims(p->x[i])[axis];
        items[axis] = stacked ? CP_AT(at) : CP_RANGE(at, at + extent);
        at += extent;
        cp_array *view = cp_slice(out, axis + 1, items);
        cp_code code = CP_ERROR_INTERNAL;
        if (view) CPY_RUN(cp_size(view), code = cp_assign(view, p->x[i]));
        cp_free(view);
        if (code != CP_OK) return cpy_raise(), false;
    }
    return true;
}

/* The result: a new array on the parts' device, or out when its shape is right. */
static PyObject *joined(const parts *p, cpy_ints *shape, int axis, bool stacked, PyObject *out, PyObject *dtype, PyObject *casting,
                        const char *name)
{
    cp_type t;
    cp_array *to = NULL;
    if (!cpy_out(out, &to) || !joined_type(p, dtype, casting, &t)) return NULL;
    if (to) {
        if (cp_ndim(to) != shape->n || memcmp(cp_dims(to), shape->at, (size_t)shape->n * sizeof(int64_t)) != 0)
            return PyErr_Format(PyExc_ValueError, "%s: out has the wrong shape", name);
        return write_parts(to, p, axis, stacked) ? Py_NewRef(out) : NULL;
    }
    int before = cp_device_current(), there = cp_device_of(p->x[0]);
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

static PyObject *concatenate_parts(parts *p, PyObject *axis_arg, PyObject *out, PyObject *dtype, PyObject *casting)
{
    int axis, ndim = cp_ndim(p->x[0]);
    cpy_ints shape = {ndim, {0}};
    if (ndim == 0) return PyErr_Format(PyExc_ValueError, "concatenate: zero-dimensional arrays cannot be concatenated");
    if (!cpy_int(axis_arg, 0, &axis) || !axis_in(&axis, ndim, "concatenate")) return NULL;
    memcpy(shape.at, cp_dims(p->x[0]), (size_t)ndim * sizeof *shape.at);
    for (Py_ssize_t i = 1; i < p->n; i++) {
        if (!same_shape_but(p->x[0], p->x[i], axis, "concatenate")) return NULL;
        shape.at[axis] += cp_dims(p->x[i])[axis];
    }
    return joined(p, &shape, axis, false, out, dtype, casting, "concatenate");
}

CPY_FUNCTION(concatenate, "tup, axis=0, out=None, *, dtype=None, casting='same_kind'",
             "Arrays behind one another along an axis (None: flattened). Other extents must be equal (ValueError).")
{
    parts *p;
    PyObject *flat = NULL, *axis = a[1];
    if (axis == Py_None) {
        PyObject *s = PySequence_Fast(a[0], "a sequence of arrays is needed");
        flat = s ? PyList_New(0) : NULL;
        for (Py_ssize_t i = 0; flat && i < PySequence_Fast_GET_SIZE(s); i++) {
            PyObject *o = PySequence_Fast_GET_ITEM(s, i);
            PyObject *r = cpy_need(o) ? cpy_wrap(cp_ravel(cpy_x(o))) : NULL;
            if (!r || PyList_Append(flat, r) < 0) Py_CLEAR(flat);
            Py_XDECREF(r);
        }
        Py_XDECREF(s);
        if (!flat) return NULL;
        axis = NULL;
    }
    p = take_parts(flat ? flat : a[0], "concatenate");
    PyObject *r = p ? concatenate_parts(p, axis, a[2], a[3], a[4]) : NULL;
    if (p) drop_parts(p);
    Py_XDECREF(flat);
    return r;
}

CPY_FUNCTION(stack, "tup, axis=0, out=None, *, dtype=None, casting='same_kind'",
             "Arrays of one shape as places of a new axis.")
{
    parts *p = take_parts(a[0], "stack");
    if (!p) return NULL;
    int axis, ndim = cp_ndim(p->x[0]) + 1;
    PyObject *r = NULL;
    cpy_ints shape = {ndim, {0}};
    bool done = cpy_int(a[1], 0, &axis) && axis_in(&axis, ndim, "stack");
    if (done && ndim > CP_MAXDIM) {
        PyErr_Format(PyExc_ValueError, "stack: more than %d dimensions", CP_MAXDIM);
        done = false;
    }
    for (Py_ssize_t i = 1; done && i < p->n; i++)
        if (cp_ndim(p->x[i]) != ndim - 1 || memcmp(cp_dims(p->x[i]), cp_dims(p->x[0]), (size_t)(ndim - 1) * sizeof(int64_t)) != 0) {
            PyErr_SetString(PyExc_ValueError, "stack: all input arrays must have the same shape");
            done = false;
        }
    if (done) {
        for (int i = 0; i < ndim; i++) shape.at[i] = i == axis ? p->n : cp_dims(p->x[0])[i - (i > axis)];
        r = joined(p, &shape, axis, true, a[2], a[3], a[4], "stack");
    }
    drop_parts(p);
    return r;
}

PyObject *py_copyto(const py_copyto_args *v)
{
    cp_array *dst = v->dst, *typed = NULL, *merged = NULL, *src;
    bool own = true;
    src = cpy_is_scalar(v->src) ? cpy_scalar_as(v->src, cp_type_of(dst)) : cpy_operand(v->src, dst, &own);
    if (!src) return NULL;
    if (!own) cp_retain(src);
    cp_code code = CP_ERROR_INTERNAL;
    PyObject *r = NULL;
    if (!cp_can_cast(cp_type_of(src), cp_type_of(dst), v->casting)) {
        PyErr_Format(PyExc_TypeError, "Cannot cast array data from %s to %s according to the rule",
                     cp_type_name(cp_type_of(src)), cp_type_name(cp_type_of(dst)));
    } else {
        if (!v->where)
            CPY_RUN(cp_size(dst), code = cp_assign(dst, src));
        else
            CPY_RUN(cp_size(dst), typed = cp_astype(src, cp_type_of(dst)); merged = cp_where(v->where, typed, dst);
                    code = merged ? cp_assign(dst, merged) : CP_ERROR_INTERNAL);
        r = cpy_none(code);
    }
    cp_free(typed);
    cp_free(merged);
    cp_free(src);
    return r;
}
