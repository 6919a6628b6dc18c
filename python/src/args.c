/* Readers of single arguments: from a Python object to a number, a shape, axes, a word. */
#include "cpy.h"

#include <ctype.h>
#include <string.h>

bool cpy_int64(PyObject *o, int64_t *v)
{
    if (PyLong_CheckExact(o)) {
        *v = PyLong_AsLongLong(o);
    } else {
        PyObject *i = PyNumber_Index(o);
        if (!i) return false;
        *v = PyLong_AsLongLong(i);
        Py_DECREF(i);
    }
    return !(*v == -1 && PyErr_Occurred());
}

bool cpy_int(PyObject *o, int otherwise, int *v)
{
    *v = otherwise;
    if (!o) return true;
    int64_t wide;
    if (!cpy_int64(o, &wide)) return false;
    *v = wide > INT32_MAX ? INT32_MAX : wide <= INT32_MIN ? INT32_MIN + 1 : (int)wide;
    return true;
}

/* A tuple of Python's integers, which most shapes are; false for anything else, and without an exception. */
static inline bool plain_shape(PyObject *o, cpy_ints *shape)
{
    if (!PyTuple_CheckExact(o) || PyTuple_GET_SIZE(o) > CP_MAXDIM) return false;
    int n = (int)PyTuple_GET_SIZE(o), overflow = 0;
    for (int i = 0; i < n && !overflow; i++) {
        PyObject *item = PyTuple_GET_ITEM(o, i);
        if (!PyLong_CheckExact(item)) return false;
        shape->at[i] = PyLong_AsLongLongAndOverflow(item, &overflow);
    }
    shape->n = n;
    return !overflow;
}

bool cpy_shape(PyObject *o, cpy_ints *shape)
{
    if (plain_shape(o, shape)) return true;
    shape->n = 0;
    if (PyLong_Check(o) || !PySequence_Check(o) || (cpy_is_array(o) && cp_ndim(cpy_x(o)) == 0)) {
        shape->n = 1;
        return cpy_int64(o, &shape->at[0]);
    }
    PyObject *s = PySequence_Fast(o, "a shape is an integer or a sequence of integers");
    if (!s) return false;
    Py_ssize_t n = PySequence_Fast_GET_SIZE(s);
    if (n > CP_MAXDIM) {
        PyErr_Format(PyExc_ValueError, "maximum supported dimension for an ndarray is currently %d, found %zd", CP_MAXDIM, n);
        Py_DECREF(s);
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (!cpy_int64(PySequence_Fast_GET_ITEM(s, i), &shape->at[i])) {
            Py_DECREF(s);
            return false;
        }
    shape->n = (int)n;
    Py_DECREF(s);
    return true;
}

bool cpy_axes_arg(PyObject *o, cpy_axes *axes)
{
    axes->axes = CP_ALL;
    if (!cpy_given(o)) return true;
    cpy_ints v;
    if (!cpy_shape(o, &v)) return false;
    for (int i = 0; i < v.n; i++)
        axes->at[i] = v.at[i] > INT32_MAX ? INT32_MAX : v.at[i] <= INT32_MIN ? INT32_MIN + 1 : (int)v.at[i];
    axes->axes = (cp_axes){v.n, axes->at};
    return true;
}

bool cpy_axis_or_flat(PyObject *o, int otherwise, int *axis)
{
    if (o == Py_None) {
        *axis = CP_FLAT;
        return true;
    }
    return cpy_int(o, otherwise, axis);
}

bool cpy_bool(PyObject *o, bool otherwise, bool *v)
{
    int truth = o ? PyObject_IsTrue(o) : otherwise;
    *v = truth > 0;
    return truth >= 0;
}

bool cpy_double(PyObject *o, double otherwise, double *v)
{
    *v = o ? PyFloat_AsDouble(o) : otherwise;
    return !(*v == -1 && PyErr_Occurred());
}

bool cpy_order(PyObject *o, char otherwise, const char *allowed, char *order)
{
    *order = otherwise;
    if (!cpy_given(o)) return true;
    if (PyUnicode_Check(o) && PyUnicode_GET_LENGTH(o) == 1) {
        Py_UCS4 c = PyUnicode_READ_CHAR(o, 0);
        *order = c < 128 ? (char)toupper((int)c) : '?';
        if (strchr(allowed, *order)) return true;
    }
    PyErr_Format(PyExc_ValueError, "order must be one of the letters of '%s' (got %R)", allowed, o);
    return false;
}

bool cpy_word(PyObject *o, const char *what, const char *const *words, int otherwise, int *which)
{
    *which = otherwise;
    if (!o) return true;
    for (int i = 0; words[i]; i++)
        if (PyUnicode_Check(o) && PyUnicode_CompareWithASCIIString(o, words[i]) == 0) {
            *which = i;
            return true;
        }
    PyObject *list = PyUnicode_FromString("");
    for (int i = 0; list && words[i]; i++) {
        PyObject *longer = PyUnicode_FromFormat("%U%s'%s'", list, i ? ", " : "", words[i]);
        Py_SETREF(list, longer);
    }
    if (list) PyErr_Format(PyExc_ValueError, "%s must be one of %U (got %R)", what, list, o);
    Py_XDECREF(list);
    return false;
}

static const char *const castings[] = {"same_kind", "no", "equiv", "safe", "unsafe", NULL}; /* cp_casting's order */
const char *cpy_casting_name(cp_casting casting) { return castings[casting]; }

bool cpy_casting(PyObject *o, cp_casting otherwise, cp_casting *casting)
{
    int which;
    if (!cpy_word(cpy_given(o) ? o : NULL, "casting", castings, (int)otherwise, &which)) return false;
    *casting = (cp_casting)which;
    return true;
}

PyObject *cpy_tuple(int n, const int64_t *v)
{
    PyObject *t = PyTuple_New(n);
    for (int i = 0; t && i < n; i++) {
        PyObject *item = PyLong_FromLongLong(v[i]);
        if (!item) {
            Py_CLEAR(t);
            break;
        }
        PyTuple_SET_ITEM(t, i, item);
    }
    return t;
}
