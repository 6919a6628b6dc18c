/* cuprite.scipy.ndimage: connected components and measurements on them. */
#include "cpy.h"

#include <string.h>

CPY_FUNCTION_IN("scipy.ndimage", label, "label", "input, structure=None, output=None",
                "Labels the connected non-zero elements 1, 2, ... in C order of their first element. `structure`: 3**ndim,\n"
                "symmetric, non-zero where neighbours connect (a cross by default). `output`: a dtype, or the array to\n"
                "write the labels to. Returns (labels, count); only the count when `output` is an array.")
{
    cp_array *x = cpy_need(a[0]), *structure = NULL, *out = NULL, *r;
    PyObject *held = NULL;
    cp_type t = CP_DEFAULT;
    int64_t count = 0;
    if (!x) return NULL;
    bool array = cpy_given(a[2]) && cpy_is_array(a[2]);
    if (cpy_is_numpy_array(a[2] ? a[2] : Py_None)) return cpy_need(a[2]), NULL;
    if (array) out = cpy_x(a[2]);
    else if (!cpy_type(a[2], CP_DEFAULT, &t)) return NULL;
    if (cpy_given(a[1])) {
        if (!(held = cpy_asarray_near(a[1], x))) return NULL;
        structure = cpy_x(held);
    }
    if (!array && t != CP_DEFAULT && t != CP_INT32) out = cp_empty((cp_shape){cp_ndim(x), cp_dims(x)}, t);
    CPY_UNLOCKED(r = cp_label(x, structure, out, &count));
    Py_XDECREF(held);
    if (!array && out) cp_free(out);
    if (!r) return cpy_raise();
    if (array) {
        cp_free(r);
        return PyLong_FromLongLong(count);
    }
    PyObject *labels = cpy_wrap(r);
    return labels ? Py_BuildValue("(NL)", labels, (long long)count) : NULL;
}

/* `held` and `scalar` end with the region: an index that was converted, or a number as a host scalar, which the
 * library takes for SciPy's scalar index (one region; other types, and an error when it is empty). */
typedef struct region { cp_array *x, *labels, *index, *scalar; PyObject *held; } region;
typedef cp_array *(*measure)(cp_array *x, cp_array *labels, cp_array *index);

static bool take_region(PyObject *const *a, region *g)
{
    *g = (region){0};
    if (!(g->x = cpy_need(a[0]))) return false;
    if (cpy_given(a[1]) && !(g->labels = cpy_need(a[1]))) return false;
    if (!cpy_given(a[2])) return true;
    if (cpy_is_numpy_array(a[2])) return cpy_need(a[2]) != NULL;
    if (!cpy_is_array(a[2]) && (PyFloat_Check(a[2]) || PyIndex_Check(a[2]))) {
        int64_t n = 0;
        if (!PyFloat_Check(a[2]) && !cpy_int64(a[2], &n)) return false;
        g->index = g->scalar = PyFloat_Check(a[2]) ? cp_float(PyFloat_AS_DOUBLE(a[2])) : cp_int(n);
        return g->index || cpy_raise();
    }
    if (!(g->held = cpy_asarray_near(a[2], g->x))) return false;
    g->index = cpy_x(g->held);
    return true;
}

static cp_array *measured(measure f, PyObject *const *a)
{
    region g;
    cp_array *r = NULL;
    if (take_region(a, &g)) {
        CPY_RUN(cp_size(g.x), r = f(g.x, g.labels, g.index));
        if (!r) cpy_raise();
    }
    cp_free(g.scalar);
    Py_XDECREF(g.held);
    return r;
}

static PyObject *measure_array(measure f, PyObject *const *a)
{
    cp_array *r = measured(f, a);
    return r ? cpy_wrap(r) : NULL;
}

#define MEASURE(id, name, call, what)                                                                                 \
    CPY_FUNCTION_IN("scipy.ndimage", id, name, "input, labels=None, index=None",                                      \
                    what " of the elements with each label in `index` (an integer, or integers of any shape: the\n"   \
                         "result has that shape); without `index` of all labelled elements together.")                \
    {                                                                                                                 \
        return measure_array(call, a);                                                                                \
    }
MEASURE(sum_labels, "sum_labels", cp_sum_labels, "Sum")
MEASURE(sum_of, "sum", cp_sum_labels, "Sum")
MEASURE(mean_of, "mean", cp_mean_labels, "Mean")
MEASURE(variance, "variance", cp_variance_labels, "Variance")
MEASURE(deviation, "standard_deviation", cp_std_labels, "Standard deviation")
MEASURE(minimum_of, "minimum", cp_minimum_labels, "Minimum")
MEASURE(maximum_of, "maximum", cp_maximum_labels, "Maximum")

/* (…, ndim) positions: a tuple for one label, else a list with one entry a label. */
static PyObject *positions(measure f, PyObject *const *a, bool numbers)
{
    cp_array *all = measured(f, a);
    if (!all) return NULL;
    int ndim = (int)cp_dim(all, -1);
    bool one = cp_ndim(all) == 1;
    int64_t n = one || ndim == 0 ? 1 : cp_size(all) / ndim;
    cp_array *flat = cp_reshape(all, CP_SHAPE(n, ndim));
    cp_free(all);
    PyObject *rows = cpy_wrap(flat);
    if (!rows) return NULL;
    PyObject *list = NULL;
    if (numbers) { /* integers on the host, as tuples */
        list = PyObject_CallMethod(rows, "tolist", NULL);
        for (Py_ssize_t i = 0; list && i < PyList_GET_SIZE(list); i++) {
            PyObject *t = PyList_AsTuple(PyList_GET_ITEM(list, i));
            if (!t) Py_CLEAR(list);
            else PyList_SetItem(list, i, t);
        }
    } else if (one) { /* a tuple of 0-d arrays */
        PyObject *row = PySequence_GetItem(rows, 0);
        list = row ? PyList_New(0) : NULL;
        PyObject *t = row ? PySequence_Tuple(row) : NULL;
        if (!list || !t || PyList_Append(list, t) < 0) Py_CLEAR(list);
        Py_XDECREF(t);
        Py_XDECREF(row);
    } else {
        list = PySequence_List(rows);
    }
    Py_DECREF(rows);
    if (!one || !list) return list;
    PyObject *first = PySequence_GetItem(list, 0);
    Py_DECREF(list);
    return first;
}

CPY_FUNCTION_IN("scipy.ndimage", center_of_mass, "center_of_mass", "input, labels=None, index=None",
                "Centre of mass of each label: a tuple of 0-d arrays for one label, a list of arrays for several.")
{
    return positions(cp_center_of_mass, a, false);
}

CPY_FUNCTION_IN("scipy.ndimage", minimum_position, "minimum_position", "input, labels=None, index=None",
                "Position of the first minimum of each label: a tuple of integers, or a list of tuples.")
{
    return positions(cp_minimum_position, a, true);
}

CPY_FUNCTION_IN("scipy.ndimage", maximum_position, "maximum_position", "input, labels=None, index=None",
                "Position of the first maximum of each label: a tuple of integers, or a list of tuples.")
{
    return positions(cp_maximum_position, a, true);
}

CPY_FUNCTION_IN("scipy.ndimage", extrema, "extrema", "input, labels=None, index=None",
                "(minimum, maximum, position of the minimum, position of the maximum) of each label.")
{
    PyObject *low = measure_array(cp_minimum_labels, a), *high = low ? measure_array(cp_maximum_labels, a) : NULL;
    PyObject *at_low = high ? positions(cp_minimum_position, a, true) : NULL;
    PyObject *at_high = at_low ? positions(cp_maximum_position, a, true) : NULL;
    if (at_high) return Py_BuildValue("(NNNN)", low, high, at_low, at_high);
    Py_XDECREF(low);
    Py_XDECREF(high);
    Py_XDECREF(at_low);
    return NULL;
}

static PyObject *box(const int64_t *v, int ndim)
{
    if (ndim && v[0] < 0) Py_RETURN_NONE;
    PyObject *t = PyTuple_New(ndim);
    for (int i = 0; t && i < ndim; i++) {
        PyObject *start = PyLong_FromLongLong(v[2 * i]), *stop = PyLong_FromLongLong(v[2 * i + 1]);
        PyObject *s = start && stop ? PySlice_New(start, stop, NULL) : NULL;
        Py_XDECREF(start);
        Py_XDECREF(stop);
        if (s) PyTuple_SET_ITEM(t, i, s);
        else Py_CLEAR(t);
    }
    return t;
}

CPY_FUNCTION_IN("scipy.ndimage", find_objects, "find_objects", "input, max_label=0",
                "Bounding boxes of the labels 1 to max_label (0: the largest): a list of tuples of slices, None for a\n"
                "label that is not there.")
{
    cp_array *x = cpy_need(a[0]), *r;
    int64_t most = 0;
    if (!x || (a[1] && !cpy_int64(a[1], &most))) return NULL;
    CPY_UNLOCKED(r = cp_find_objects(x, most));
    if (!r) return cpy_raise();
    int64_t n = cp_dim(r, 0);
    int ndim = cp_ndim(x);
    int64_t *v = PyMem_Malloc((size_t)cp_nbytes(r) + 1);
    cp_code code = v ? CP_OK : CP_ERROR_MEMORY;
    if (v) CPY_UNLOCKED(code = cp_to_host(r, v, (size_t)cp_nbytes(r)));
    PyObject *list = NULL;
    if (!v) PyErr_NoMemory();
    else if (code != CP_OK) cpy_raise();
    else list = PyList_New((Py_ssize_t)n);
    for (int64_t i = 0; list && i < n; i++) {
        PyObject *b = box(v + i * ndim * 2, ndim);
        if (b) PyList_SET_ITEM(list, i, b);
        else Py_CLEAR(list);
    }
    PyMem_Free(v);
    cp_free(r);
    return list;
}

CPY_FUNCTION_IN("scipy.ndimage", measure_all, "measure", "input, labels, count",
                "All measurements of the labels 1 to count in one pass: a named tuple of arrays (pixels, flux, centroid,\n"
                "peak, position).")
{
    cp_array *x = cpy_need(a[0]), *labels = x ? cpy_need(a[1]) : NULL;
    int64_t count;
    cp_sources s = {0};
    cp_code code;
    if (!labels || !cpy_int64(a[2], &count)) return NULL;
    CPY_UNLOCKED(code = cp_measure(x, labels, count, &s));
    if (code != CP_OK) return cpy_raise();
    cp_free(s.sum); /* the flux again, where no background is taken off */
    cp_array *fields[5] = {s.pixels, s.flux, s.centroid, s.peak, s.position};
    PyObject *t = PyTuple_New(5);
    for (int i = 0; i < 5; i++) {
        PyObject *o = cpy_wrap(fields[i]);
        if (t && o) PyTuple_SET_ITEM(t, i, o);
        else {
            Py_XDECREF(o);
            Py_CLEAR(t);
        }
    }
    PyObject *module = t ? PyImport_ImportModule("cuprite._support") : NULL;
    PyObject *r = module ? PyObject_CallMethod(module, "Sources", "OOOOO", PyTuple_GET_ITEM(t, 0), PyTuple_GET_ITEM(t, 1),
                                               PyTuple_GET_ITEM(t, 2), PyTuple_GET_ITEM(t, 3), PyTuple_GET_ITEM(t, 4)) : NULL;
    Py_XDECREF(module);
    Py_XDECREF(t);
    return r;
}
