/* The range of values. */
#include "compose/compose.h"

/*: function("ptp", "a: array, axis: axes = None, out: out = None, keepdims: keepdims = False", method=True,
             doc="Maximum minus minimum over axes.") */

/* The maximum is written to `out` first, so that the difference is computed in its type, as in NumPy. */
cp_array *(cp_ptp)(cp_array *a, const cp_ptp_options *options)
{
    const cp_ptp_options *o = CPI_GIVEN(cp_ptp_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "ptp", a)) return NULL;
    cp_array *low = cp_min(a, .axis = o->axis, .keepdims = o->keepdims);
    cp_array *high = low ? cp_max(a, .axis = o->axis, .keepdims = o->keepdims, .out = o->out) : NULL;
    return cpi_end(&f, cpi_apply_2(CP_OP_subtract, high, low, o->out));
}
