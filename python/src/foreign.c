/* What CuPy's functions do with an argument that is another library's array, such as NumPy's: some convert it, as their
 * rows say by kinds like array_like; those below are no more than a call of the argument's own method, so that the
 * result is the other library's too. All others refuse it.
 *
 * Invariant: numbers, texts, lists and tuples are never asked for a method: a list's copy() is not what is meant. */
#include "rows.h"

/*: foreign("method", "sum prod max min mean std var argmax argmin argsort argpartition choose clip copy diagonal dot "
                      "ravel repeat reshape squeeze swapaxes take trace transpose ptp") */
/*: foreign("method_of_second", "compress") */
/*: foreign("method_of_copy", "sort partition") */

bool cpy_is_array_like(PyObject *o)
{
    if (PyLong_CheckExact(o) || PyList_CheckExact(o) || PyTuple_CheckExact(o) || PyFloat_CheckExact(o)) return false;
    PyObject *own = PyObject_GetAttrString((PyObject *)Py_TYPE(o), "__array__");
    if (!own) PyErr_Clear();
    Py_XDECREF(own);
    return own != NULL;
}

bool cpy_has_method(PyObject *o, const char *name)
{
    if (cpy_is_array(o) || PyType_Check(o) || !cpy_is_array_like(o)) return false;
    PyObject *method = PyObject_GetAttrString((PyObject *)Py_TYPE(o), name);
    if (!method) PyErr_Clear();
    Py_XDECREF(method);
    return method != NULL;
}

PyObject *cpy_call_method(const char *name, PyObject *const *v, Py_ssize_t n, PyObject *names)
{
    PyObject *word = PyUnicode_InternFromString(name);
    PyObject *r = word ? PyObject_VectorcallMethod(word, v, (size_t)n, names) : NULL;
    Py_XDECREF(word);
    return r;
}

PyObject *cpy_call_method_of_second(const char *name, PyObject *const *v, Py_ssize_t n, PyObject *names)
{
    Py_ssize_t all = n + (names ? PyTuple_GET_SIZE(names) : 0);
    PyObject **reversed = PyMem_Malloc((size_t)all * sizeof *reversed);
    if (!reversed) return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < all; i++) reversed[i] = v[i < 2 ? 1 - i : i];
    PyObject *r = cpy_call_method(name, reversed, n, names);
    PyMem_Free(reversed);
    return r;
}

PyObject *cpy_call_method_of_copy(const char *name, PyObject *const *v, Py_ssize_t n, PyObject *names)
{
    Py_ssize_t all = n + (names ? PyTuple_GET_SIZE(names) : 0);
    PyObject **given = PyMem_Malloc((size_t)all * sizeof *given);
    PyObject *copy = given ? PyObject_CallMethod(v[0], "copy", NULL) : PyErr_NoMemory(), *r = NULL;
    for (Py_ssize_t i = 0; copy && i < all; i++) given[i] = i ? v[i] : copy;
    if (copy) r = cpy_call_method(name, given, n, names);
    PyMem_Free(given);
    if (r) Py_SETREF(r, Py_NewRef(copy));
    Py_XDECREF(copy);
    return r;
}
