/* Filters of cuprite.scipy.ndimage by functions of C (scipy.LowLevelCallable): a capsule holds the function, and its
 * context is what the function is called with. Which signatures there are is read in Python (_low_level.py).
 *
 * Invariant: such a function runs with the GIL, as SciPy calls it. */
#include "callbacks_rows.h"

/*: python_module("_callbacks", doc="Filters that call functions of C, behind cuprite.scipy.ndimage.") */

typedef struct callback { void *function, *context; } callback;

static bool take(PyObject *capsule, callback *c)
{
    if (!PyCapsule_CheckExact(capsule)) return PyErr_SetString(PyExc_ValueError, "invalid callable given"), false;
    c->function = PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule));
    c->context = PyCapsule_GetContext(capsule);
    return c->function && !PyErr_Occurred();
}

static int leave(PyThreadState *left, int done)
{
    if (PyErr_Occurred()) done = 0;
    cpy_go_on(left);
    return done;
}

static int on_window(double *window, intptr_t n, double *result, void *context)
{
    const callback *c = context;
    PyThreadState *left = cpy_come_back();
    return leave(left, ((cp_window_function)c->function)(window, n, result, c->context));
}
static int on_line(double *line, intptr_t length, double *results, intptr_t n, void *context)
{
    const callback *c = context;
    PyThreadState *left = cpy_come_back();
    return leave(left, ((cp_line_function)c->function)(line, length, results, n, c->context));
}
static int on_mapping(intptr_t *index, double *position, int ndim, int input_ndim, void *context)
{
    const callback *c = context;
    PyThreadState *left = cpy_come_back();
    return leave(left, ((cp_mapping_function)c->function)(index, position, ndim, input_ndim, c->context));
}

/* The exception: the function's own, or what the filter says; always NULL. */
static PyObject *refused(void)
{
    if (!PyErr_Occurred()) return cpy_raise();
    cp_error_clear();
    return NULL;
}

/*: function("capsule_signature", "capsule: object", module="_callbacks", body=True, returns="object", c="",
             doc="The name of a capsule; None where it has none.") */
PyObject *py_callbacks_capsule_signature(const py_callbacks_capsule_signature_args *v)
{
    if (!PyCapsule_CheckExact(v->capsule)) return PyErr_SetString(PyExc_TypeError, "no capsule is given"), NULL;
    const char *name = PyCapsule_GetName(v->capsule);
    return name ? PyUnicode_FromString(name) : Py_NewRef(Py_None);
}

/*: function("generic_filter", "input: array, function: object, footprint: array, mode: filter_mode, cval: double, "
             "origin: per_axis, output: array", module="_callbacks", body=True, returns="none",
             doc="What a function of C makes of the windows of a footprint, written to the output.") */
PyObject *py_callbacks_generic_filter(const py_callbacks_generic_filter_args *v)
{
    callback c;
    cp_array *r;
    if (!take(v->function, &c)) return NULL;
    const cp_generic_filter_options o = {.footprint = v->footprint, .mode = v->mode, .cval = v->cval,
                                         .origin = cpy_size_of(&v->origin), .out = v->output};
    CPY_RUN(0, r = (cp_generic_filter)(v->input, on_window, &c, &o));
    if (!r) return refused();
    cpy_free(r);
    Py_RETURN_NONE;
}

/*: function("generic_filter1d", "input: array, function: object, filter_size: int64, axis: index_axis, "
             "mode: filter_mode, cval: double, origin: int64, output: array", module="_callbacks", body=True,
             returns="none", doc="What a function of C makes of the lines along an axis, written to the output.") */
PyObject *py_callbacks_generic_filter1d(const py_callbacks_generic_filter1d_args *v)
{
    callback c;
    cp_array *r;
    if (!take(v->function, &c)) return NULL;
    const cp_generic_filter1d_options o = {.mode = v->mode, .cval = v->cval, .origin = v->origin, .out = v->output};
    CPY_RUN(0, r = (cp_generic_filter1d)(v->input, on_line, &c, v->filter_size, v->axis, &o));
    if (!r) return refused();
    cpy_free(r);
    Py_RETURN_NONE;
}

/*: function("geometric_transform", "input: array, mapping: object, order: int, output_shape: per_axis, "
             "mode: resample_mode = 'constant', cval: double = 0, cval_imag: double = 0, filtered: bool = False, "
             "dtype: dtype = None, out: out = None", module="_callbacks", body=True,
             doc="The input's values, by splines, where a function of C says.") */
PyObject *py_callbacks_geometric_transform(const py_callbacks_geometric_transform_args *v)
{
    callback c;
    cp_array *r;
    if (!take(v->mapping, &c)) return NULL;
    const cp_geometric_transform_options o = {
        .output_shape = cpy_size_of(&v->output_shape), .mode = v->mode, .cval = v->cval, .cval_imag = v->cval_imag,
        .filtered = v->filtered, .typed = v->dtype != CP_DEFAULT, .dtype = v->dtype, .out = v->out};
    CPY_RUN(0, r = (cp_geometric_transform)(v->input, on_mapping, &c, v->order, &o));
    if (!r) return refused();
    if (!v->out) return cpy_wrap(r);
    cpy_free(r);
    return Py_NewRef(v->out_object);
}
