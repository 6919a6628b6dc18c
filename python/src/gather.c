/* Operands on several devices. CuPy's kernels read them where they lie, if the device can (peer access), and warn;
 * without that it is a ValueError. Here the call fails first, with CP_ERROR_TWO_DEVICES and nothing done. Where the
 * device could read the others, they are copied to it, which orders both devices' work, and the call is made again.
 *
 * Invariant: what the call writes into lies on its own device, or gets the result afterwards. */
#include "rows.h"

static _Thread_local bool on_two; /* the exception of this thread says so */

void cpy_note_error(cp_code code) { on_two = code == CP_ERROR_TWO_DEVICES; }

bool cpy_on_two_devices(void)
{
    const bool were = on_two && PyErr_Occurred();
    on_two = false;
    return were;
}

/* --- which arrays --- */

static PyObject *first_array(PyObject *const *v, Py_ssize_t n, int device)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *o = v[i];
        if (!o) continue;
        if (cpy_is_array(o) && (device == CP_NO_DEVICE || cp_device_of(cpy_x(o)) == device)) return o;
        if (!PyTuple_Check(o) && !PyList_Check(o)) continue;
        PyObject *inside = first_array(PySequence_Fast_ITEMS(o), PySequence_Fast_GET_SIZE(o), device);
        if (inside) return inside;
    }
    return NULL;
}

/* _device.can_access(there, from): 1, 0, -1 with an exception. */
static int can_access(int there, int from)
{
    PyObject *module = PyImport_ImportModule("cuprite._device");
    PyObject *can = module ? PyObject_CallMethod(module, "can_access", "ii", there, from) : NULL;
    const int answer = can ? PyObject_IsTrue(can) : -1;
    Py_XDECREF(module);
    Py_XDECREF(can);
    return answer;
}

static bool warn(int there, int from)
{
    PyObject *module = PyImport_ImportModule("cuprite._compiler.jobs");
    PyObject *category = module ? PyObject_GetAttrString(module, "PerformanceWarning") : NULL;
    Py_XDECREF(module);
    if (!category) return false;
    const int refused = PyErr_WarnFormat(category, 1, "The device where the array resides (%d) is different from the "
                                         "current device (%d). It is copied there for this call.", from, there);
    Py_DECREF(category);
    return !refused;
}

/* --- copies --- */

/* The array on the target device; NULL without an exception where the device cannot read it. */
static PyObject *brought(cpy_gathered *g, PyObject *o)
{
    const int from = cp_device_of(cpy_x(o));
    if (from == g->device) return Py_NewRef(o);
    const int can = can_access(g->device, from);
    if (can <= 0 || !warn(g->device, from)) return NULL;
    cp_array *x = cpy_hold(o), *there = NULL;
    const int before = cp_device_current();
    if (cp_device_use(g->device) == CP_OK) CPY_UNLOCKED(there = cpy_copy_here(x, 'K'));
    cpy_go_back(before);
    cpy_drop(o, x);
    PyObject *copy = there ? cpy_wrap(there) : cpy_raise();
    if (copy && (PyList_Append(g->given, o) || PyList_Append(g->copies, copy))) Py_CLEAR(copy);
    return copy;
}

static PyObject *all_brought(cpy_gathered *g, PyObject *o)
{
    if (cpy_is_array(o)) return brought(g, o);
    if ((!PyTuple_Check(o) && !PyList_Check(o)) || !first_array(&o, 1, CP_NO_DEVICE)) return Py_NewRef(o);
    PyObject *r = PySequence_List(o);
    for (Py_ssize_t i = 0; r && i < PyList_GET_SIZE(r); i++) {
        PyObject *one = all_brought(g, PyList_GET_ITEM(r, i));
        if (one) PyList_SetItem(r, i, one);
        else Py_CLEAR(r);
    }
    if (r && PyTuple_Check(o)) Py_SETREF(r, PyList_AsTuple(r));
    return r;
}

static void drop(cpy_gathered *g)
{
    for (Py_ssize_t i = 0; i < g->n; i++) Py_XDECREF(g->at[i]);
    PyMem_Free(g->at);
    Py_CLEAR(g->given);
    Py_CLEAR(g->copies);
}

/* The ValueError that was raised, with CuPy's reason. */
static void raise_again(PyObject *type, PyObject *value, PyObject *trace, bool unavailable)
{
    if (unavailable && value)
        PyErr_Format(PyExc_ValueError, "%S. Peer access is unavailable between these devices.", value);
    else
        PyErr_Restore(Py_XNewRef(type), Py_XNewRef(value), Py_XNewRef(trace));
    Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(trace);
}

bool cpy_gather(cpy_gathered *g, Py_ssize_t n, PyObject *const *v, bool to_first)
{
    PyObject *type, *value, *trace, *first = first_array(v, n, CP_NO_DEVICE);
    PyErr_Fetch(&type, &value, &trace);
    const int here = cp_device_current();
    const bool stays = first && (to_first || !first_array(v, n, here));
    *g = (cpy_gathered){.device = stays ? cp_device_of(cpy_x(first)) : here, .n = n,
                        .at = PyMem_Calloc((size_t)n + 1, sizeof *g->at), .given = PyList_New(0),
                        .copies = PyList_New(0)};
    bool done = g->at && g->given && g->copies;
    for (Py_ssize_t i = 0; done && i < n; i++) done = !v[i] || (g->at[i] = all_brought(g, v[i]));
    const bool moved = done && PyList_GET_SIZE(g->copies) > 0;
    if (moved) {
        Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(trace);
        return true;
    }
    drop(g);
    if (PyErr_Occurred()) Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(trace);
    else raise_again(type, value, trace, !done);
    return false;
}

/* --- results --- */

/* Where the call returns a copy, that was for its result: what was given gets it, and returns. */
static PyObject *given_back(cpy_gathered *g, PyObject *r)
{
    for (Py_ssize_t i = 0; r && i < PyList_GET_SIZE(g->copies); i++) {
        if (PyList_GET_ITEM(g->copies, i) != r) continue;
        PyObject *o = PyList_GET_ITEM(g->given, i);
        cp_array *x = cpy_hold(o), *from = cpy_hold(r);
        cp_code code;
        CPY_UNLOCKED(code = cp_assign(x, from));
        cpy_drop(o, x);
        cpy_drop(r, from);
        Py_DECREF(r);
        return code == CP_OK ? Py_NewRef(o) : cpy_raise();
    }
    return r;
}

PyObject *cpy_gather_end(cpy_gathered *g, PyObject *r)
{
    if (r && PyTuple_CheckExact(r)) {
        PyObject *all = PyList_New(0);
        for (Py_ssize_t i = 0; all && i < PyTuple_GET_SIZE(r); i++) {
            PyObject *one = given_back(g, Py_NewRef(PyTuple_GET_ITEM(r, i)));
            if (!one || PyList_Append(all, one)) Py_CLEAR(all);
            Py_XDECREF(one);
        }
        Py_SETREF(r, all ? PyList_AsTuple(all) : NULL);
        Py_XDECREF(all);
    } else {
        r = given_back(g, r);
    }
    drop(g);
    return r;
}

PyObject *cpy_call_together(cpy_call *call, PyObject *self, PyObject *const *v, Py_ssize_t n, PyObject *names,
                            bool to_first)
{
    const Py_ssize_t all = n + (names ? PyTuple_GET_SIZE(names) : 0);
    PyObject **o = PyMem_Malloc((size_t)(all + 1) * sizeof *o);
    if (!o) return NULL; /* the exception that is set */
    o[0] = self;
    for (Py_ssize_t i = 0; i < all; i++) o[i + 1] = v[i];
    cpy_gathered g;
    PyObject *r = NULL;
    if (cpy_gather(&g, all + 1, o, to_first)) r = cpy_gather_end(&g, call(g.at[0], g.at + 1, n, names));
    PyMem_Free(o);
    return r;
}

PyObject *cpy_method_together(PyCFunctionWithKeywords call, PyObject *o, PyObject *args, PyObject *kw, bool to_first)
{
    PyObject *type, *value, *trace, *r = NULL, *again = NULL;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *names = kw ? PyDict_Keys(kw) : PyList_New(0), *values = kw ? PyDict_Values(kw) : PyList_New(0);
    PyErr_Restore(type, value, trace);
    cpy_gathered g;
    if (names && values && cpy_gather(&g, 2, (PyObject *[]){args, values}, to_first)) {
        again = PyDict_New();
        for (Py_ssize_t i = 0; again && i < PyList_GET_SIZE(names); i++)
            if (PyDict_SetItem(again, PyList_GET_ITEM(names, i), PyList_GET_ITEM(g.at[1], i))) Py_CLEAR(again);
        r = cpy_gather_end(&g, again ? call(o, g.at[0], kw ? again : NULL) : NULL);
    }
    Py_XDECREF(again);
    Py_XDECREF(names);
    Py_XDECREF(values);
    return r;
}
