/* The extension module cuprite._core, and how errors become exceptions. */
#include "cpy.h"

#include <string.h>

bool cpy_array_ready(PyObject *module);

static PyObject *memory_error, *casting_error, *device_error;

bool cpy_exceptions_init(PyObject *module)
{
    memory_error = PyErr_NewExceptionWithDoc("cuprite.OutOfMemoryError", "The device's memory, or its pool's limit, is used up.",
                                             PyExc_MemoryError, NULL);
    casting_error = PyErr_NewExceptionWithDoc("cuprite.UFuncTypeError", "A conversion that the casting rule does not allow.",
                                              PyExc_TypeError, NULL);
    device_error = PyErr_NewExceptionWithDoc("cuprite.CUDARuntimeError", "The device reported a failure.",
                                             PyExc_RuntimeError, NULL);
    return memory_error && casting_error && device_error &&
           PyModule_AddObjectRef(module, "OutOfMemoryError", memory_error) == 0 &&
           PyModule_AddObjectRef(module, "UFuncTypeError", casting_error) == 0 &&
           PyModule_AddObjectRef(module, "CUDARuntimeError", device_error) == 0;
}

static PyObject *axis_error(void) /* new reference */
{
    PyObject *module = PyImport_ImportModule("numpy.exceptions");
    PyObject *e = module ? PyObject_GetAttrString(module, "AxisError") : NULL;
    Py_XDECREF(module);
    return e;
}

/* The exception named by cp_code_exception, where it is not one of ours. */
static PyObject *exception_of(cp_code code)
{
    switch (code) {
    case CP_ERROR_MEMORY: return Py_NewRef(memory_error);
    case CP_ERROR_CASTING: return Py_NewRef(casting_error);
    case CP_ERROR_DEVICE: return Py_NewRef(device_error);
    case CP_ERROR_AXIS: return axis_error();
    default: break;
    }
    PyObject *builtins = PyEval_GetBuiltins(); /* borrowed */
    PyObject *e = builtins ? PyDict_GetItemString(builtins, cp_code_exception(code)) : NULL;
    return Py_NewRef(e ? e : PyExc_RuntimeError);
}

PyObject *cpy_raise(void)
{
    if (PyErr_Occurred()) { /* an exception of Python's own came first */
        cp_error_clear();
        return NULL;
    }
    cp_code code = cp_error();
    const char *message = code == CP_OK ? "failure without an error record" : cp_error_message();
    PyObject *words = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
    cp_error_clear();
    PyObject *exception = words ? exception_of(code) : NULL;
    if (exception) PyErr_SetObject(exception, words);
    Py_XDECREF(exception);
    Py_XDECREF(words);
    return NULL;
}

static PyObject *rows(PyObject *m, PyObject *module)
{
    (void)m;
    const char *name = PyUnicode_AsUTF8(module);
    return name ? cpy_rows_of(name) : NULL;
}

static PyMethodDef functions[] = {
    {"rows", rows, METH_O, "rows($module, name, /)\n--\n\nThe functions of cuprite.NAME by name, a dict."},
    {NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "cuprite._core",
    .m_doc = "Cuprite's arrays, ufuncs and functions, in C.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *m = PyModule_Create(&definition);
    if (!m) return NULL;
    PyObject *own = NULL;
    bool done = cpy_exceptions_init(m) && cpy_array_ready(m) && cpy_ufuncs_init(m) && (own = cpy_rows_of("")) &&
                PyDict_Update(PyModule_GetDict(m), own) == 0;
    Py_XDECREF(own);
    if (!done) Py_CLEAR(m);
    return m;
}
