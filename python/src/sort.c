/* Sorting's functions that are more than one call; their rows stand in src/array/sort/sort.def. */
#include "sort_rows.h"

/* x backwards along an axis, a view; x itself where there is no such axis: sorting will say so. */
static cp_array *backwards(cp_array *x, int axis)
{
    int n = cp_ndim(x), at = axis < 0 ? axis + n : axis;
    if (at < 0 || at >= n) return cp_retain(x);
    cp_index items[CP_MAXDIM];
    for (int i = 0; i < at; i++) items[i] = CP_FULL;
    items[at] = CP_FULL;
    items[at].step = -1;
    return cp_slice(x, at + 1, items);
}

cp_code cpy_sort_inplace(cp_array *x, int axis, bool descending, bool stable)
{
    cp_array *view = descending ? backwards(x, axis) : cp_retain(x);
    cp_code code = !view ? cp_error() : stable ? cp_sort_stable_inplace(view, axis) : cp_sort_inplace(view, axis);
    cp_free(view);
    return code;
}

cp_array *cpy_sorted(cp_array *x, int axis, bool descending, bool stable)
{
    if (!descending) return stable ? cp_sort_stable(x, axis) : cp_sort(x, axis);
    cp_array *flat = axis == CP_FLAT ? cp_ravel(x) : cp_retain(x), *r = flat ? cp_copy(flat) : NULL;
    cp_free(flat);
    if (r && cpy_sort_inplace(r, axis == CP_FLAT ? 0 : axis, true, stable) == CP_OK) return r;
    cp_free(r);
    return NULL;
}

/* Backwards, the last of equal elements comes first: the indices are counted from the other end and turned round. */
cp_array *cpy_argsorted(cp_array *x, int axis, bool descending)
{
    if (!descending) return cp_argsort(x, axis);
    cp_array *flat = axis == CP_FLAT ? cp_ravel(x) : cp_retain(x);
    if (axis == CP_FLAT) axis = 0;
    cp_array *view = flat ? backwards(flat, axis) : NULL, *indices = view ? cp_argsort(view, axis) : NULL;
    cp_array *turned = indices ? backwards(indices, axis) : NULL,
             *last = turned ? cp_int(cp_dim(flat, axis) - 1) : NULL;
    cp_array *r = last ? cp_subtract(last, turned) : NULL;
    cp_free(flat);
    cp_free(view);
    cp_free(indices);
    cp_free(turned);
    cp_free(last);
    return r;
}

PyObject *py_unique(const py_unique_args *v)
{
    const bool want[3] = {v->return_index, v->return_inverse, v->return_counts};
    cp_array *values, *extra[3] = {NULL, NULL, NULL};
    cp_unique_options o = {.index = want[0] ? &extra[0] : NULL, .inverse = want[1] ? &extra[1] : NULL,
                           .counts = want[2] ? &extra[2] : NULL, .distinct_nan = !v->equal_nan,
                           .axis = v->axis == CP_FLAT ? CP_ALL : CP_AXES(v->axis)};
    CPY_RUN(cp_size(v->ar), values = (cp_unique)(v->ar, &o));
    if (!values || !(want[0] || want[1] || want[2])) return cpy_wrap(values);
    cp_array *all[4] = {values};
    int n = 1;
    for (int i = 0; i < 3; i++)
        if (want[i]) all[n++] = extra[i];
    return cpy_results(CP_OK, n, all);
}

/* A named tuple made in _support.py. */
PyObject *py_sigma_clip_stats(const py_sigma_clip_stats_args *v)
{
    cp_sigma_clip_options o = {.kappa = v->kappa, .center = v->center, .max_iterations = v->max_iterations};
    cp_clip_result r;
    cp_code code;
    CPY_UNLOCKED(code = (cp_sigma_clip_stats)(v->x, &r, &o));
    if (code != CP_OK) return cpy_raise();
    PyObject *module = PyImport_ImportModule("cuprite._support");
    PyObject *t = module ? PyObject_CallMethod(module, "ClipStats", "ddddLi", r.center, r.std, r.lower, r.upper,
                                               (long long)r.count, r.iterations) : NULL;
    Py_XDECREF(module);
    return t;
}
