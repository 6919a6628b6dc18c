/* exec, as Python's, but that a text is compiled by a function first, which may remember it. Being C it is no line of a
 * traceback, and the function that calls it is the one whose names exec takes. */
#include "cpy.h"

/* self is (Python's exec, the function of a text and of the compiler's flags that gives code). */
static PyObject *executed(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
    PyObject *inner = PyTuple_GET_ITEM(self, 0);
    if (n < 1 || n > 3 || !PyUnicode_Check(args[0])) return PyObject_Vectorcall(inner, args, (size_t)n, names);
    PyCompilerFlags flags = _PyCompilerFlags_INIT;
    PyEval_MergeCompilerFlags(&flags);
    PyObject *code = PyObject_CallFunction(PyTuple_GET_ITEM(self, 1), "Oi", args[0], flags.cf_flags);
    if (!code) return NULL;
    const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    PyObject *given[4] = {code, NULL, NULL, NULL}; /* exec takes three arguments and, by name, closure */
    PyObject *r = NULL;
    if (n + named <= 4) {
        for (Py_ssize_t k = 1; k < n + named; k++) given[k] = args[k];
        r = PyObject_Vectorcall(inner, given, (size_t)n, names);
    } else PyErr_SetString(PyExc_TypeError, "exec expected at most 3 arguments");
    Py_DECREF(code);
    return r;
}

PyObject *cpy_executed(PyObject *m, PyObject *pair)
{
    static PyMethodDef method = {"exec", (PyCFunction)(void (*)(void))executed, METH_FASTCALL | METH_KEYWORDS,
                                 "exec($module, source, globals=None, locals=None, /, *, closure=None)\n--\n\n"
                                 "Execute the given source in the context of globals and locals."};
    (void)m;
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2)
        return PyErr_Format(PyExc_TypeError, "exec and a function are expected");
    return PyCFunction_New(&method, pair);
}
