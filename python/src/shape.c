/* Views and shapes: reshape, transpose, squeeze, ..., concatenate and stack. */
#include "cpy.h"

#include <string.h>

/* A result that looks into o's memory gets o as its base, a copy does not. */
static PyObject *view_or_copy(cp_array *r, PyObject *o)
{
    if (r && cp_data(r) != cp_data(cpy_x(o))) return cpy_wrap(r);
    return cpy_wrap_view(r, o);
}

/* Reshaping in Fortran order is reshaping the transposed array in C order. */
static PyObject *reshape_order(PyObject *o, cpy_ints *shape, char order)
{
    cp_array *x = cpy_x(o), *r;
    if (order == 'A') order = cp_is_f_contiguous(x) && !cp_is_c_contiguous(x) ? 'F' : 'C';
    if (order != 'F') {
        CPY_RUN(cp_is_c_contiguous(x) ? 0 : cp_size(x), r = cp_reshape(x, cpy_shape_of(shape)));
        return view_or_copy(r, o);
    }
    for (int i = 0, j = shape->n - 1; i < j; i++, j--) {
        int64_t v = shape->at[i];
        shape->at[i] = shape->at[j];
        shape->at[j] = v;
    }
    cp_array *turned = cp_transpose(x, CP_ALL), *flat;
    CPY_RUN(cp_size(x), flat = cp_reshape(turned, cpy_shape_of(shape)));
    r = cp_transpose(flat, CP_ALL);
    cp_free(turned);
    cp_free(flat);
    return view_or_copy(r, o);
}

static PyObject *reshape(PyObject *o, PyObject *shape, PyObject *order)
{
    cpy_ints s;
    char letter;
    if (!cpy_need(o) || !cpy_shape(shape, &s) || !cpy_order(order, 'C', "CFA", &letter)) return NULL;
    return reshape_order(o, &s, letter);
}

CPY_METHOD(reshape_method, "reshape", "*shape, order='C'",
           "The same elements in another shape, a view where one can be; one extent may be -1.\n"
           "ValueError where the number of elements differs.")
{
    if (!a[1]) return PyErr_Format(PyExc_TypeError, "reshape() takes a shape");
    return reshape(a[0], a[1], a[2]);
}

CPY_FUNCTION_IN("", reshape_function, "reshape", "a, shape, order='C'",
                "The same elements in another shape, a view where one can be; one extent may be -1.")
{
    return reshape(a[0], a[1], a[2]);
}

CPY_BOTH(ravel, "ravel", "a", "order='C'", "The elements as a 1-d array, a view where one can be.")
{
    cpy_ints s = {1, {-1}};
    char letter;
    if (!cpy_need(a[0]) || !cpy_order(a[1], 'C', "CFAK", &letter)) return NULL;
    if (cp_size(cpy_x(a[0])) == 0) s.at[0] = 0;
    return reshape_order(a[0], &s, letter == 'K' ? 'A' : letter);
}

CPY_METHOD(flatten, "flatten", "order='C'", "A 1-d copy of the elements.")
{
    char letter;
    if (!cpy_order(a[1], 'C', "CFAK", &letter)) return NULL;
    cp_array *x = cpy_x(a[0]), *c;
    cpy_ints s = {1, {cp_size(x)}};
    if (letter != 'C') {
        CPY_RUN(cp_size(x), c = cp_copy_order(x, letter == 'F' ? 'F' : 'K'));
        PyObject *whole = cpy_wrap(c);
        PyObject *r = whole ? reshape_order(whole, &s, letter == 'F' ? 'F' : 'A') : NULL;
        Py_XDECREF(whole);
        return r;
    }
    CPY_RUN(cp_size(x), c = cp_copy(x));
    cp_array *r = cp_reshape(c, cpy_shape_of(&s));
    cp_free(c);
    return cpy_wrap(r);
}

static PyObject *transpose(PyObject *o, PyObject *axes)
{
    cpy_axes v;
    if (axes && PyTuple_Check(axes) && PyTuple_GET_SIZE(axes) == 0 && cpy_is_array(o) && cp_ndim(cpy_x(o))) axes = NULL;
    if (!cpy_need(o) || !cpy_axes_arg(axes, &v)) return NULL;
    return cpy_wrap_view(cp_transpose(cpy_x(o), v.axes), o);
}

CPY_METHOD(transpose_method, "transpose", "*axes", "The array with its axes in another order (reversed by default), a view.")
{
    return transpose(a[0], a[1]);
}

CPY_FUNCTION_IN("", transpose_function, "transpose", "a, axes=None",
                "The array with its axes in another order (reversed by default), a view.")
{
    return transpose(a[0], a[1]);
}

CPY_FUNCTION(permute_dims, "a, axes=None", "The array with its axes in another order, a view.")
{
    return transpose(a[0], a[1]);
}

CPY_FUNCTION(matrix_transpose, "x, /", "The array with its last two axes exchanged, a view.")
{
    if (!cpy_need(a[0])) return NULL;
    return cpy_wrap_view(cp_swapaxes(cpy_x(a[0]), -1, -2), a[0]);
}

CPY_BOTH(swapaxes, "swapaxes", "a", "axis1, axis2", "The array with two axes exchanged, a view.")
{
    int i, j;
    if (!cpy_need(a[0]) || !cpy_int(a[1], 0, &i) || !cpy_int(a[2], 0, &j)) return NULL;
    return cpy_wrap_view(cp_swapaxes(cpy_x(a[0]), i, j), a[0]);
}

CPY_BOTH(squeeze, "squeeze", "a", "axis=None", "Without axes of extent 1 (all, or those named), a view.")
{
    cpy_axes v;
    if (!cpy_need(a[0]) || !cpy_axes_arg(a[1], &v)) return NULL;
    return cpy_wrap_view(cp_squeeze(cpy_x(a[0]), v.axes), a[0]);
}

CPY_FUNCTION(expand_dims, "a, axis", "With new axes of extent 1 at these places of the result, a view.")
{
    cpy_axes v;
    if (!cpy_need(a[0]) || !cpy_axes_arg(a[1], &v)) return NULL;
    return cpy_wrap_view(cp_expand_dims(cpy_x(a[0]), v.axes), a[0]);
}

CPY_BOTH(diagonal, "diagonal", "a", "offset=0, axis1=0, axis2=1",
         "The diagonal of two axes as the last axis of a view. ValueError for less than two axes.")
{
    int64_t offset = 0;
    int i, j;
    if (!cpy_need(a[0]) || (a[1] && !cpy_int64(a[1], &offset)) || !cpy_int(a[2], 0, &i) || !cpy_int(a[3], 1, &j)) return NULL;
    cp_array *r = cp_diagonal(cpy_x(a[0]), offset, i, j);
    return cpy_wrap_view(r, a[0]);
}

CPY_FUNCTION(broadcast_to, "array, shape, subok=False", "The array in a larger shape, a view that cannot be written to.")
{
    cpy_ints s;
    if (!cpy_need(a[0]) || !cpy_shape(a[1], &s)) return NULL;
    return cpy_wrap_view(cp_broadcast_to(cpy_x(a[0]), cpy_shape_of(&s)), a[0]);
}

CPY_METHOD(view, "view", "dtype=None", "The same bytes as another dtype (the last axis scales); a view.")
{
    cp_type t;
    cp_array *x = cpy_x(a[0]);
    if (a[1] == (PyObject *)cpy_now()->array) a = (PyObject *[]){a[0], NULL};
    if (!cpy_type(a[1], cp_type_of(x), &t)) return NULL;
    return cpy_wrap_view(t == cp_type_of(x) ? cp_slice(x, 1, &CP_ELLIPSIS) : cp_view_as(x, t), a[0]);
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

CPY_FUNCTION(copyto, "dst, src, casting='same_kind', where=True",
             "Writes src, broadcast, into dst; with `where` only at its true elements. TypeError where the casting\n"
             "rule does not allow the conversion.")
{
    cp_array *dst = cpy_need(a[0]);
    cp_casting rule;
    bool own, own_where = false;
    if (!dst || !cpy_casting(a[2], CP_SAME_KIND, &rule)) return NULL;
    bool python = cpy_is_scalar(a[1]);
    cp_array *src = python ? cpy_scalar_as(a[1], cp_type_of(dst)) : cpy_operand(a[1], dst, &own);
    if (python) own = true;
    if (!src) return NULL;
    cp_code code = CP_ERROR_CASTING;
    PyObject *r = NULL;
    if (!cp_can_cast(cp_type_of(src), cp_type_of(dst), rule)) {
        PyErr_Format(PyExc_TypeError, "Cannot cast array data from %s to %s according to the rule",
                     cp_type_name(cp_type_of(src)), cp_type_name(cp_type_of(dst)));
    } else if (!a[3] || a[3] == Py_True) {
        CPY_RUN(cp_size(dst), code = cp_assign(dst, src));
        r = cpy_none(code);
    } else {
        cp_array *where = cpy_operand(a[3], dst, &own_where), *typed = NULL, *merged = NULL;
        if (where) {
            CPY_RUN(cp_size(dst), typed = cp_astype(src, cp_type_of(dst)); merged = cp_where(where, typed, dst);
                    code = merged ? cp_assign(dst, merged) : CP_ERROR_INTERNAL);
            r = cpy_none(code);
        }
        cp_free(typed);
        cp_free(merged);
        if (own_where) cp_free(where);
    }
    if (own) cp_free(src);
    return r;
}
