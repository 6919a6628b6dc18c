/* The extension module cuprite._core, and how errors become exceptions.
 *
 * Invariant: an error of the C library becomes an exception in cpy_raise alone, which leaves the thread's record
 * clear. */
#include "rows.h"

#include "kernel.h"

#include <string.h>

static bool make_exceptions(cpy_state *s)
{
    s->memory_error = PyErr_NewExceptionWithDoc("cuprite.OutOfMemoryError",
        "The device's memory, or its pool's limit, is used up.", PyExc_MemoryError, NULL);
    s->casting_error = PyErr_NewExceptionWithDoc("cuprite.UFuncTypeError",
        "A conversion that the casting rule does not allow.", PyExc_TypeError, NULL);
    s->device_error = PyErr_NewExceptionWithDoc("cuprite.CUDARuntimeError", "The device reported a failure.",
                                                PyExc_RuntimeError, NULL);
    s->compile_error = PyErr_NewExceptionWithDoc("cuprite._core._CompileError", "A kernel's source does not compile.",
                                                 PyExc_RuntimeError, NULL);
    s->driver_error = PyErr_NewExceptionWithDoc("cuprite.cuda.driver.CUDADriverError",
                                                "What a launch asks for is beyond CUDA's limits, or is not there.",
                                                PyExc_RuntimeError, NULL);
    s->synchronized_error = PyErr_NewExceptionWithDoc("cuprite.DeviceSynchronized",
        "Something would wait for a device where allow_synchronize(False) holds.", PyExc_RuntimeError, NULL);
    return s->memory_error && s->casting_error && s->device_error && s->compile_error && s->driver_error &&
           s->synchronized_error &&
           PyModule_AddObjectRef(s->module, "DeviceSynchronized", s->synchronized_error) == 0 &&
           PyModule_AddObjectRef(s->module, "_CompileError", s->compile_error) == 0 &&
           PyModule_AddObjectRef(s->module, "_CUDADriverError", s->driver_error) == 0 &&
           PyModule_AddObjectRef(s->module, "OutOfMemoryError", s->memory_error) == 0 &&
           PyModule_AddObjectRef(s->module, "UFuncTypeError", s->casting_error) == 0 &&
           PyModule_AddObjectRef(s->module, "CUDARuntimeError", s->device_error) == 0;
}

/* One of NumPy's exceptions, a new reference. */
static PyObject *numpy_error(const char *module_name, const char *name)
{
    PyObject *module = PyImport_ImportModule(module_name);
    PyObject *e = module ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return e;
}

void cpy_raise_axis(int axis, int ndim)
{
    PyErr_Clear();
    PyObject *e = numpy_error("numpy.exceptions", "AxisError");
    if (e) PyErr_Format(e, "axis %d is out of bounds for array of dimension %d", axis, ndim);
    Py_XDECREF(e);
}

/* The exception named by cp_code_exception, where it is not one of ours. */
static PyObject *exception_of(cp_code code)
{
    switch ((int)code) { /* most are builtins */
    case CP_ERROR_MEMORY: return Py_NewRef(cpy_now()->memory_error);
    case CP_ERROR_CASTING: return Py_NewRef(cpy_now()->casting_error);
    case CP_ERROR_DEVICE: return Py_NewRef(cpy_now()->device_error);
    case CP_ERROR_COMPILE: return Py_NewRef(cpy_now()->compile_error);
    case CP_ERROR_DRIVER: return Py_NewRef(cpy_now()->driver_error);
    case CP_ERROR_SYNCHRONIZED: return Py_NewRef(cpy_now()->synchronized_error);
    case CP_ERROR_AXIS: return numpy_error("numpy.exceptions", "AxisError");
    case CP_ERROR_LINALG: return numpy_error("numpy.linalg", "LinAlgError");
    default: break;
    }
    PyObject *builtins = PyEval_GetBuiltins(); /* borrowed */
    PyObject *e = builtins ? PyDict_GetItemString(builtins, cp_code_exception(code)) : NULL;
    return Py_NewRef(e ? e : PyExc_RuntimeError);
}

bool cpy_warn(cp_warning warning)
{
    PyObject *builtins = PyEval_GetBuiltins(); /* borrowed */
    PyObject *category = Py_XNewRef(builtins ? PyDict_GetItemString(builtins, cp_warning_category(warning)) : NULL);
    if (!category) {
        PyObject *module = PyImport_ImportModule("numpy.exceptions");
        category = module ? PyObject_GetAttrString(module, cp_warning_category(warning)) : NULL;
        Py_XDECREF(module);
        if (!category) PyErr_Clear(); /* where NumPy cannot be imported, its base */
    }
    int refused = PyErr_WarnEx(category ? category : PyExc_RuntimeWarning, cp_warning_string(warning), 1);
    Py_XDECREF(category);
    return refused == 0;
}

PyObject *cpy_give_warnings(PyObject *r)
{
    unsigned given = cp_warnings();
    cp_warnings_clear();
    for (int w = 0; r && w < CP_NWARNINGS; w++)
        if (given >> w & 1 && !cpy_warn((cp_warning)w)) Py_CLEAR(r);
    return r;
}

PyObject *cpy_raise(void)
{
    cp_warnings_clear(); /* a call that failed warns of nothing */
    if (PyErr_Occurred()) { /* an exception of Python's own came first */
        cp_error_clear();
        return NULL;
    }
    cp_code code = cp_error();
    cpy_note_error(code);
    const char *message = code == CP_OK ? "failure without an error record" : cp_error_message();
    if (code == CP_ERROR_INTERRUPTED && PyErr_CheckSignals()) { /* what the program's handler raises */
        cp_error_clear();
        return NULL;
    }
    PyObject *words = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
    cp_error_clear();
    PyObject *exception = words ? exception_of(code) : NULL;
    if (exception) PyErr_SetObject(exception, words);
    Py_XDECREF(exception);
    Py_XDECREF(words);
    return NULL;
}

/* Functions of a table, by name; each has the extension's module as its __self__. */
static PyObject *functions_of(cpy_state *s, const cpy_table *t)
{
    PyObject *all = PyDict_New(), *name = all ? PyUnicode_FromString(t->module) : NULL;
    bool done = name != NULL;
    for (PyMethodDef *d = t->functions; done && d->ml_name; d++) {
        PyObject *f = PyCFunction_NewEx(d, s->module, name);
        done = f && PyDict_SetItemString(all, d->ml_name, f) == 0;
        Py_XDECREF(f);
    }
    Py_XDECREF(name);
    if (!done) Py_CLEAR(all);
    return all;
}

static PyObject *rows_of(cpy_state *s, const char *module)
{
    for (const cpy_table *t = cpy_tables; t->name; t++)
        if (strcmp(t->name, module) == 0) return functions_of(s, t);
    return PyDict_New();
}

static PyObject *rows(PyObject *m, PyObject *module)
{
    (void)m;
    const char *name = PyUnicode_AsUTF8(module);
    return name ? rows_of(cpy_now(), name) : NULL;
}

/* sys.unraisablehook can be called by the interpreter alone. */
static PyObject *report_unraisable(PyObject *m, PyObject *error)
{
    (void)m;
    if (!PyExceptionInstance_Check(error)) return PyErr_Format(PyExc_TypeError, "an exception is expected");
    PyErr_Restore(Py_NewRef(Py_TYPE(error)), Py_NewRef(error), PyException_GetTraceback(error));
#if PY_VERSION_HEX >= 0x030d0000
    PyErr_FormatUnraisable("Exception ignored while a kernel was made in the background");
#else
    PyObject *where = PyUnicode_FromString("kernels that are made in the background");
    PyErr_WriteUnraisable(where);
    Py_XDECREF(where);
#endif
    Py_RETURN_NONE;
}

/* What NumPy would write of an array, with its options. */
static PyObject *array_string(PyObject *m, PyObject *args)
{
    PyObject *o;
    int repr, suppress;
    cp_print_options options = {0};
    long long threshold;
    (void)m;
    if (!PyArg_ParseTuple(args, "OpiLiip:_array_string", &o, &repr, &options.precision, &threshold, &options.edgeitems,
                          &options.linewidth, &suppress))
        return NULL;
    if (!cpy_is_array(o)) return PyErr_Format(PyExc_TypeError, "an array is written");
    options.repr = repr, options.suppress = suppress, options.threshold = threshold;
    cp_array *x = cpy_x(o);
    char *text;
    const int64_t size = cp_device_of(x) == CP_CPU ? cp_size(x) : INT64_MAX; /* of a device it is a wait */
    cp_retain(x); /* others may run, and give o another shape */
    CPY_RUN(size, text = (cp_array_to_string)(x, &options));
    cpy_free(x);
    PyObject *r = text ? PyUnicode_FromString(text) : cpy_raise();
    cp_string_free(text);
    return r;
}

PyObject *cpy_executed(PyObject *m, PyObject *pair); /* executed.c */

static PyMethodDef functions[] = {
    {"_executed", cpy_executed, METH_O,
     "_executed($module, pair, /)\n--\n\nexec that hands texts to a function: of (exec, the function)."},
    {"_array_string", array_string, METH_VARARGS,
     "_array_string($module, array, repr, precision, threshold, edgeitems, linewidth, suppress, /)\n--\n\n"
     "What NumPy would write of an array, with its options."},
    {"_report_unraisable", report_unraisable, METH_O,
     "_report_unraisable($module, error, /)\n--\n\nHands an exception that nobody waits for to sys.unraisablehook."},
    {"rows", rows, METH_O, "rows($module, name, /)\n--\n\nThe functions of cuprite.NAME by name, a dict."},
    {NULL},
};

/* Where packages lie that have libraries in them: OpenBLAS, cuBLAS. What fails is not known, no more. */
static void set_library_folders(void)
{
    PyObject *path = PySys_GetObject("path"), *colon = PyUnicode_FromString(":");
    PyObject *folders = path && colon ? PyUnicode_Join(colon, path) : NULL;
    const char *text = folders ? PyUnicode_AsUTF8(folders) : NULL;
    if (text && cp_library_folders_set(text)) cp_error_clear();
    PyErr_Clear();
    Py_XDECREF(folders);
    Py_XDECREF(colon);
}

/* Imported again in the same interpreter, the module has the names of the first: the arrays of both are the same. */
static int execute(PyObject *module)
{
    cpy_state *s = PyModule_GetState(module), *first = cpy_find_state();
    if (first) return PyDict_Merge(PyModule_GetDict(module), PyModule_GetDict(first->module), false);
    s->module = module;
    cpy_state_enter(s);
    set_library_folders();
    cpy_listen_to_signals();
    PyObject *own = NULL;
    bool done = make_exceptions(s) && cpy_scalars_init(s) && cpy_array_init(s) && cpy_ufuncs_init(s) &&
                cpy_kernels_init(s) && cpy_structs_init(s) && cpy_loops_init(s) && cpy_fusions_init(s) &&
                cpy_fused_init(s) && cpy_host_bytes_init(s) && (own = rows_of(s, "")) &&
                PyDict_Update(PyModule_GetDict(module), own) == 0;
    Py_XDECREF(own);
    return done ? 0 : -1;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, execute},
#ifdef Py_MOD_PER_INTERPRETER_GIL_SUPPORTED
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "cuprite._core",
    .m_doc = "Cuprite's arrays, ufuncs and functions, in C.",
    .m_size = sizeof(cpy_state),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = cpy_state_traverse,
    .m_clear = cpy_state_clear,
    .m_free = cpy_state_free,
};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
