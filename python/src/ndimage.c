/* cuprite.scipy.ndimage: functions that are more than one library call; their rows are in
 * src/science/ndimage/ndimage.def. */
#include "ndimage_rows.h"

#include <string.h>

PyObject *py_ndimage_label(const py_ndimage_label_args *v)
{
    cp_array *to = NULL, *r;
    cp_type t = CP_DEFAULT;
    int64_t count = 0;
    bool array = cpy_given(v->output) && cpy_is_array(v->output);
    if (cpy_given(v->output) && cpy_is_numpy_array(v->output)) return cpy_need(v->output), NULL;
    if (array) to = cp_retain(cpy_x(v->output));
    else if (!cpy_type(v->output, CP_DEFAULT, &t)) return NULL;
    if (t != CP_DEFAULT && t != CP_INT32) to = CPY_MADE(cp_empty((cp_shape){cp_ndim(v->input), cp_dims(v->input)}, t));
    CPY_UNLOCKED(r = cp_label(v->input, v->structure, to, &count));
    cpy_free(to);
    if (!r) return cpy_raise();
    if (array) {
        cpy_free(r);
        return PyLong_FromLongLong(count);
    }
    PyObject *labels = cpy_wrap(r);
    return labels ? Py_BuildValue("(NL)", labels, (long long)count) : NULL;
}

/* The regions that a measurement is about. */
typedef struct region { cp_array *x, *labels, *index; } region;
#define REGION(v) (&(region){(v)->input, (v)->labels, (v)->index})
typedef cp_array *(*measure)(cp_array *x, cp_array *labels, cp_array *index);

static cp_array *measured(measure f, const region *g)
{
    cp_array *r;
    CPY_RUN(cp_size(g->x), r = f(g->x, g->labels, g->index));
    if (!r) cpy_raise();
    return r;
}

/* The n rows of a (n, ndim) array of int64, as tuples. */
static PyObject *tuples(const cp_array *rows, int64_t n, int ndim)
{
    int64_t *p = PyMem_Malloc((size_t)cp_nbytes(rows) + 1);
    if (!p) return PyErr_NoMemory();
    cp_code code;
    CPY_UNLOCKED(code = cp_to_host(rows, p, (size_t)cp_nbytes(rows)));
    PyObject *list = code == CP_OK ? PyList_New((Py_ssize_t)n) : cpy_raise();
    for (int64_t i = 0; list && i < n; i++) {
        PyObject *t = PyTuple_New(ndim);
        for (int a = 0; t && a < ndim; a++) {
            PyObject *v = PyLong_FromLongLong(p[i * ndim + a]);
            if (v) PyTuple_SET_ITEM(t, a, v);
            else Py_CLEAR(t);
        }
        if (t) PyList_SET_ITEM(list, i, t);
        else Py_CLEAR(list);
    }
    PyMem_Free(p);
    return list;
}

/* (…, ndim) positions, which are given up: a tuple for one label, else a list with one entry a label. */
static PyObject *position_lists(cp_array *all, bool numbers)
{
    int ndim = (int)cp_dim(all, -1);
    bool one = cp_ndim(all) == 1;
    int64_t n = one || ndim == 0 ? 1 : cp_size(all) / ndim;
    PyObject *list = NULL, *rows = NULL;
    if (numbers) { /* integers on the host */
        list = tuples(all, n, ndim);
        cpy_free(all);
    } else {
        cp_array *flat = CPY_MADE(cp_reshape(all, CP_SHAPE(n, ndim)));
        cpy_free(all);
        if (!(rows = cpy_wrap(flat))) return NULL;
    }
    if (rows && one) { /* a tuple of 0-d arrays */
        PyObject *row = PySequence_GetItem(rows, 0);
        list = row ? PyList_New(0) : NULL;
        PyObject *t = row ? PySequence_Tuple(row) : NULL;
        if (!list || !t || PyList_Append(list, t) < 0) Py_CLEAR(list);
        Py_XDECREF(t);
        Py_XDECREF(row);
    } else if (rows) {
        list = PySequence_List(rows);
    }
    Py_XDECREF(rows);
    if (!one || !list) return list;
    PyObject *first = PySequence_GetItem(list, 0);
    Py_DECREF(list);
    return first;
}

static PyObject *positions(measure f, const region *g, bool numbers)
{
    cp_array *all = measured(f, g);
    return all ? position_lists(all, numbers) : NULL;
}

PyObject *py_ndimage_center_of_mass(const py_ndimage_center_of_mass_args *v)
{
    return positions(cp_center_of_mass, REGION(v), false);
}

PyObject *py_ndimage_minimum_position(const py_ndimage_minimum_position_args *v)
{
    return positions(cp_minimum_position, REGION(v), true);
}

PyObject *py_ndimage_maximum_position(const py_ndimage_maximum_position_args *v)
{
    return positions(cp_maximum_position, REGION(v), true);
}

PyObject *py_ndimage_extrema(const py_ndimage_extrema_args *v)
{
    cp_array *x[4] = {NULL};
    cp_code code;
    CPY_RUN(cp_size(v->input), code = cp_extrema(v->input, v->labels, v->index, &x[0], &x[1], &x[2], &x[3]));
    if (code) return cpy_raise();
    PyObject *low = cpy_wrap(x[0]), *high = cpy_wrap(x[1]), *at_low = position_lists(x[2], true),
             *at_high = position_lists(x[3], true);
    if (low && high && at_low && at_high) return Py_BuildValue("(NNNN)", low, high, at_low, at_high);
    Py_XDECREF(low);
    Py_XDECREF(high);
    Py_XDECREF(at_low);
    Py_XDECREF(at_high);
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

PyObject *py_ndimage_find_objects(const py_ndimage_find_objects_args *v)
{
    cp_array *r;
    CPY_UNLOCKED(r = cp_find_objects(v->input, v->max_label));
    if (!r) return cpy_raise();
    int64_t n = cp_dim(r, 0);
    int ndim = cp_ndim(v->input);
    int64_t *bounds = PyMem_Malloc((size_t)cp_nbytes(r) + 1);
    cp_code code = bounds ? CP_OK : CP_ERROR_MEMORY;
    if (bounds) CPY_UNLOCKED(code = cp_to_host(r, bounds, (size_t)cp_nbytes(r)));
    PyObject *list = NULL;
    if (!bounds) PyErr_NoMemory();
    else if (code != CP_OK) cpy_raise();
    else list = PyList_New((Py_ssize_t)n);
    for (int64_t i = 0; list && i < n; i++) {
        PyObject *b = box(bounds + i * ndim * 2, ndim);
        if (b) PyList_SET_ITEM(list, i, b);
        else Py_CLEAR(list);
    }
    PyMem_Free(bounds);
    cpy_free(r);
    return list;
}

PyObject *py_ndimage_measure(const py_ndimage_measure_args *v)
{
    cp_sources s = {0};
    cp_code code;
    CPY_UNLOCKED(code = cp_measure(v->input, v->labels, v->count, &s, .background = v->background, .noise = v->noise));
    if (code != CP_OK) return cpy_raise();
    cp_array *fields[8] = {s.pixels, s.flux, s.centroid, s.peak, s.position, s.sum, s.flux_error, s.centroid_error};
    const bool errors = s.flux_error != NULL;
    PyObject *t = cpy_results(CP_OK, errors ? 8 : 6, fields);
    PyObject *module = t ? PyImport_ImportModule("cuprite._support") : NULL;
    PyObject *make = module ? PyObject_GetAttrString(module, "Sources") : NULL;
    PyObject *r = make ? PyObject_Call(make, t, NULL) : NULL;
    Py_XDECREF(make);
    Py_XDECREF(module);
    Py_XDECREF(t);
    return r;
}
