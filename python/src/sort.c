/* Sorting, selection, distinct values and clipping. */
#include "cpy.h"

#include <math.h>
#include <string.h>

/* order= names fields of records, which these arrays do not have. */
static bool no_fields(PyObject *order)
{
    if (!cpy_given(order)) return true;
    PyErr_SetString(PyExc_ValueError, "Cannot specify order when the array has no fields.");
    return false;
}

CPY_FUNCTION_IN("", sort_function, "sort", "a, axis=-1, kind=None, order=None, *, stable=None", "A sorted copy along an axis (None: flattened); NaN last.")
{
    cp_array *r, *x = cpy_need(a[0]);
    int axis;
    if (!x || !no_fields(a[3]) || !cpy_axis_or_flat(a[1], -1, &axis)) return NULL;
    CPY_RUN(cp_size(x), r = cp_sort(x, axis));
    return cpy_wrap(r);
}

CPY_METHOD(sort_method, "sort", "axis=-1, kind=None, order=None, *, stable=None", "Sorts the array in place along an axis; NaN last.")
{
    cp_code code;
    int axis;
    if (!no_fields(a[3]) || !cpy_axis_or_flat(a[1], -1, &axis)) return NULL;
    CPY_RUN(cp_size(cpy_x(a[0])), code = cp_sort_inplace(cpy_x(a[0]), axis));
    return cpy_none(code);
}

CPY_BOTH(argsort, "argsort", "a", "axis=-1, kind=None, order=None, *, stable=None", "Indices that sort along an axis (None: flattened); int64, stable.")
{
    cp_array *r, *x = cpy_need(a[0]);
    int axis;
    if (!x || !no_fields(a[3]) || !cpy_axis_or_flat(a[1], -1, &axis)) return NULL;
    CPY_RUN(cp_size(x), r = cp_argsort(x, axis));
    return cpy_wrap(r);
}

CPY_FUNCTION_IN("", partition_function, "partition", "a, kth, axis=-1, kind='introselect', order=None",
                "A copy with the kth smallest at its place, smaller ones before, larger behind.")
{
    cp_array *r, *x = cpy_need(a[0]);
    cpy_ints kth;
    int axis;
    if (!x || !cpy_shape(a[1], &kth) || !cpy_axis_or_flat(a[2], -1, &axis)) return NULL;
    CPY_RUN(cp_size(x), r = cp_partition(x, kth.n, kth.at, axis));
    return cpy_wrap(r);
}

CPY_METHOD(partition_method, "partition", "kth, axis=-1, kind='introselect', order=None",
           "In place: the kth smallest at its place, smaller ones before, larger behind.")
{
    cp_code code;
    cpy_ints kth;
    int axis;
    if (!cpy_shape(a[1], &kth) || !cpy_axis_or_flat(a[2], -1, &axis)) return NULL;
    CPY_RUN(cp_size(cpy_x(a[0])), code = cp_partition_inplace(cpy_x(a[0]), kth.n, kth.at, axis));
    return cpy_none(code);
}

CPY_FUNCTION(median, "a, axis=None, out=None, overwrite_input=False, keepdims=False",
             "Median over axes; NaN where there is one, float64 for integers. The input is left as it is.")
{
    cp_array *r, *x = cpy_need(a[0]);
    cpy_axes axes;
    cp_median_options o = {0};
    if (!x || !cpy_axes_arg(a[1], &axes) || !cpy_out(a[2], &o.out) || !cpy_bool(a[4], false, &o.keepdims)) return NULL;
    o.axis = axes.axes;
    CPY_RUN(cp_size(x), r = (cp_median)(x, &o));
    if (!r || !o.out) return cpy_wrap(r);
    cp_free(r);
    return Py_NewRef(a[2]);
}

CPY_FUNCTION(unique, "ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True",
             "Sorted distinct values of the flattened array; with the flags a tuple with the index of each one's first\n"
             "occurrence, the indices that rebuild `ar` (its shape), and the counts. With an axis, of an array of two and\n"
             "more dimensions: the distinct sub-arrays along it, ordered by their first elements that differ; one that\n"
             "holds a NaN equals no other, whatever equal_nan is; the indices that rebuild `ar` are 1-d.")
{
    cp_array *x = cpy_need(a[0]), *values, *extra[3] = {NULL, NULL, NULL};
    bool want[3], equal_nan;
    int axis = 0;
    if (!x || !cpy_bool(a[1], false, &want[0]) || !cpy_bool(a[2], false, &want[1]) || !cpy_bool(a[3], false, &want[2]) ||
        (cpy_given(a[4]) && !cpy_int(a[4], 0, &axis)) || !cpy_bool(a[5], true, &equal_nan))
        return NULL;
    cp_unique_options o = {.index = want[0] ? &extra[0] : NULL, .inverse = want[1] ? &extra[1] : NULL,
                           .counts = want[2] ? &extra[2] : NULL, .distinct_nan = !equal_nan,
                           .axis = cpy_given(a[4]) ? CP_AXES(axis) : CP_ALL};
    CPY_RUN(cp_size(x), values = (cp_unique)(x, &o));
    PyObject *first = cpy_wrap(values);
    if (!first || !(want[0] || want[1] || want[2])) return first;
    PyObject *r = PyTuple_New(1 + want[0] + want[1] + want[2]);
    if (!r) Py_CLEAR(first);
    else PyTuple_SET_ITEM(r, 0, first);
    for (int i = 0, k = 1; i < 3; i++) {
        if (!want[i]) continue;
        PyObject *e = cpy_wrap(extra[i]);
        if (r && e) PyTuple_SET_ITEM(r, k++, e);
        else {
            Py_XDECREF(e);
            Py_CLEAR(r);
        }
    }
    return r;
}

static const char *const centers[] = {"median", "mean", NULL}; /* cp_clip_center's order */

static bool clip_options(PyObject *const *a, cp_sigma_clip_options *o)
{
    int center;
    double kappa;
    if (!cpy_double(a[1], 3, &kappa) || !cpy_word(a[2], "center", centers, 0, &center) || !cpy_int(a[3], 0, &o->max_iterations))
        return false;
    if (!(kappa > 0)) {
        PyErr_SetString(PyExc_ValueError, "sigma_clip: kappa must be positive");
        return false;
    }
    o->kappa = kappa;
    o->center = (cp_clip_center)center;
    return true;
}

CPY_FUNCTION(sigma_clip, "x, kappa=3, center='median', max_iterations=0",
             "Kappa-sigma clipping as one operation: keeps the values strictly between center - kappa*std and\n"
             "center + kappa*std, again and again until none is dropped (or max_iterations times). Returns the kept\n"
             "values, 1-d in C order; NaN is ignored. Real types.")
{
    cp_array *r, *x = cpy_need(a[0]);
    cp_sigma_clip_options o = {0};
    if (!x || !clip_options(a, &o)) return NULL;
    CPY_UNLOCKED(r = (cp_sigma_clip)(x, NULL, &o));
    return cpy_wrap(r);
}

/* The fields of sigma_clip_stats, a named tuple made in _support.py. */
CPY_FUNCTION(sigma_clip_stats, "x, kappa=3, center='median', max_iterations=0",
             "What sigma_clip keeps, in numbers: a named tuple (center, std, lower, upper, count, iterations) of the\n"
             "last, kept set; NaN and count 0 when nothing is left.")
{
    cp_array *x = cpy_need(a[0]);
    cp_sigma_clip_options o = {0};
    cp_clip_result r;
    cp_code code;
    if (!x || !clip_options(a, &o)) return NULL;
    CPY_UNLOCKED(code = (cp_sigma_clip_stats)(x, &r, &o));
    if (code != CP_OK) return cpy_raise();
    PyObject *module = PyImport_ImportModule("cuprite._support");
    PyObject *t = module ? PyObject_CallMethod(module, "ClipStats", "ddddLi", r.center, r.std, r.lower, r.upper,
                                               (long long)r.count, r.iterations) : NULL;
    Py_XDECREF(module);
    return t;
}
