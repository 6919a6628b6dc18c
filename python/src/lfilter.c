/* Filters that return their state too; their rows are in src/science/lfilter/lfilter.def. */
#include "lfilter_rows.h"

PyObject *py_lfilter_lfilter(const py_lfilter_lfilter_args *v)
{
    cp_array *both[2] = {NULL, NULL};
    const cp_lfilter_options o = {.axis = CP_AXES(v->axis), .zi = v->zi, .zf = v->final ? &both[1] : NULL};
    CPY_RUN(cp_size(v->x), both[0] = (cp_lfilter)(v->b, v->a, v->x, &o));
    return both[0] && v->final ? cpy_results(CP_OK, 2, both) : cpy_wrap(both[0]);
}

PyObject *py_lfilter_sosfilt(const py_lfilter_sosfilt_args *v)
{
    cp_array *both[2] = {NULL, NULL};
    const cp_lfilter_options o = {.axis = CP_AXES(v->axis), .zi = v->zi, .zf = v->final ? &both[1] : NULL};
    CPY_RUN(cp_size(v->x), both[0] = (cp_sosfilt)(v->sos, v->x, &o));
    return both[0] && v->final ? cpy_results(CP_OK, 2, both) : cpy_wrap(both[0]);
}
