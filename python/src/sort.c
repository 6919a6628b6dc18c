/* Sorting functions that are more than one library call; their rows are in src/array/sort/sort.def. */
#include "sort_rows.h"

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

PyObject *py_clip_sigma_clip_split(const py_clip_sigma_clip_split_args *v)
{
    cp_clip_part part = {.core_low = v->core_low, .core_high = v->core_high, .window_low = v->window_low,
                         .window_high = v->window_high, .pivot = v->pivot};
    cp_code code;
    CPY_UNLOCKED(code = cp_sigma_clip_split(v->x, &part));
    if (code != CP_OK) return cpy_raise();
    PyObject *fringe = cpy_wrap(part.fringe), *window = cpy_wrap(part.window);
    if (fringe && window)
        return Py_BuildValue("LLddNN", (long long)part.count, (long long)part.below, part.s1, part.s2, fringe, window);
    Py_XDECREF(fringe);
    Py_XDECREF(window);
    return NULL;
}
