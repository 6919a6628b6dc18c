/* Selecting elements by a condition: compress, nonzero, extract. */
#include "cpy.h"

static PyObject *compress(PyObject *condition, PyObject *o, PyObject *axis_arg, PyObject *out)
{
    cp_array *x = cpy_need(o), *to, *r;
    int axis = CP_FLAT;
    if (!x || (cpy_given(axis_arg) && !cpy_int(axis_arg, 0, &axis)) || !cpy_out(out, &to)) return NULL;
    PyObject *c = cpy_is_numpy_array(condition) ? (cpy_need(condition), NULL) : cpy_asarray_near(condition, x);
    if (!c) return NULL;
    CPY_RUN(cp_size(x), r = cp_compress(cpy_x(c), x, axis));
    Py_DECREF(c);
    if (!r || !to) return cpy_wrap(r);
    cp_code code = cp_assign(to, r);
    cp_free(r);
    return code == CP_OK ? Py_NewRef(out) : cpy_raise();
}

CPY_FUNCTION_IN("", compress_function, "compress", "condition, a, axis=None, out=None",
                "Slices of `a` along an axis (None: of the flattened array) where the 1-d condition is true.")
{
    return compress(a[0], a[1], a[2], a[3]);
}

CPY_METHOD(compress_method, "compress", "condition, axis=None, out=None",
           "Slices along an axis (None: of the flattened array) where the 1-d condition is true.")
{
    return compress(a[1], a[0], a[2], a[3]);
}

CPY_FUNCTION(extract, "condition, a", "The elements of the flattened `a` where the flattened condition is true.")
{
    cp_array *x = cpy_need(a[1]);
    if (!x || !cpy_need(a[0])) return NULL;
    cp_array *flat = cp_ravel(cpy_x(a[0])), *r = NULL;
    if (flat) CPY_RUN(cp_size(x), r = cp_compress(flat, x, CP_FLAT));
    cp_free(flat);
    return cpy_wrap(r);
}

/* A tuple of one index array an axis: the rows of cp_nonzero. */
static PyObject *nonzero_tuple(cp_array *x)
{
    cp_array *all;
    CPY_RUN(cp_size(x), all = cp_nonzero(x));
    PyObject *rows = cpy_wrap(all);
    int n = rows ? cp_ndim(x) : 0;
    PyObject *t = rows ? PyTuple_New(n) : NULL;
    for (int i = 0; t && i < n; i++) {
        PyObject *row = cpy_wrap_view(cp_slice(all, 1, &CP_AT(i)), rows);
        if (row) PyTuple_SET_ITEM(t, i, row);
        else Py_CLEAR(t);
    }
    Py_XDECREF(rows);
    return t;
}

CPY_BOTH(nonzero, "nonzero", "a", "", "Indices of the elements other than zero: a tuple of one int64 array an axis, C order.")
{
    cp_array *x = cpy_need(a[0]);
    return x ? nonzero_tuple(x) : NULL;
}

CPY_FUNCTION(argwhere, "a", "Indices of the elements other than zero, one row each: shape (count, ndim), int64.")
{
    cp_array *r, *x = cpy_need(a[0]);
    if (!x) return NULL;
    CPY_RUN(cp_size(x), r = cp_argwhere(x));
    return cpy_wrap(r);
}

CPY_FUNCTION(flatnonzero, "a", "Indices, in the flattened array, of the elements other than zero; int64.")
{
    cp_array *r, *x = cpy_need(a[0]);
    if (!x) return NULL;
    CPY_RUN(cp_size(x), r = cp_flatnonzero(x));
    return cpy_wrap(r);
}

/* Operands of where: arrays or scalars; a scalar's partner is the other value. */
CPY_FUNCTION(where, "condition, x=None, y=None",
             "Elements of x where the condition is true, else of y; all broadcast. With the condition alone: nonzero.")
{
    cp_array *c = NULL, *x = NULL, *y = NULL, *r = NULL;
    bool own[3] = {false};
    if (!a[1] != !a[2]) return PyErr_Format(PyExc_ValueError, "Must provide both 'x' and 'y' or neither.");
    if (!a[1]) return (c = cpy_need(a[0])) ? nonzero_tuple(c) : NULL;
    cp_array *partner = cpy_is_array(a[1]) ? cpy_x(a[1]) : cpy_is_array(a[2]) ? cpy_x(a[2]) : NULL;
    if ((c = cpy_operand(a[0], NULL, &own[0])) && (x = cpy_operand(a[1], partner, &own[1])) &&
        (y = cpy_operand(a[2], partner, &own[2]))) {
        int64_t size = cp_size(c) > cp_size(x) ? cp_size(c) : cp_size(x);
        CPY_RUN(size, r = cp_where(c, x, y));
        if (!r) cpy_raise();
    }
    if (own[0]) cp_free(c);
    if (own[1]) cp_free(x);
    if (own[2]) cp_free(y);
    return r ? cpy_wrap(r) : NULL;
}
