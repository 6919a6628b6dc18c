/* Reductions that are more than one call; the others are made of their table's rows (tools/generate/reductions.py). */
#include "reduce_rows.h"

/*: function("ptp", "a: array, axis: axes = None, out: out = None, keepdims: bool = False", doc="Maximum minus minimum over axes.") */
PyObject *py_ptp(const py_ptp_args *v)
{
    cp_array *high, *low = NULL, *r = NULL;
    cp_reduce_options o = {.axis = v->axis.axes, .keepdims = v->keepdims};
    cp_ufunc_options into = {.out = v->out};
    CPY_RUN(cp_size(v->a), high = (cp_max)(v->a, &o); low = high ? (cp_min)(v->a, &o) : NULL;
            r = low ? cp_elementwise(CP_OP_subtract, (cp_array *[]){high, low}, &into) : NULL);
    cp_free(high);
    cp_free(low);
    return cpy_wrap(r);
}
