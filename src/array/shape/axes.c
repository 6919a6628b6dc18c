/* Views with axes turned round or moved. */
#include <string.h>

#include "operands/operands.h"

/*: function("flip", "m: array, axis: index_axes = None", call="cp_flip(m, axis)", returns="view", unlock="never",
             doc="The elements in reverse order along axes (all by default), a view.")
    function("flipud", "m: array", call="cp_flip(m, CP_AXES(0))", returns="view", unlock="never",
             refuse={"cp_ndim(m) < 1": "ValueError: Input must be >= 1-d."},
             doc="Reversed along the first axis, a view.")
    function("fliplr", "m: array", call="cp_flip(m, CP_AXES(1))", returns="view", unlock="never",
             refuse={"cp_ndim(m) < 2": "ValueError: Input must be >= 2-d."},
             doc="Reversed along the second axis, a view.") */
cp_array *cp_flip(cp_array *x, cp_axes axes)
{
    bool transposed[CP_MAXDIM];
    int64_t strides[CP_MAXDIM];
    if (cpi_null("flip", x) || cpi_axes_mask("flip", axes, x->ndim, transposed)) return NULL;
    if (x->flags & CPI_HOST_SCALAR) return cpi_again(x);
    char *data = x->data;
    for (int i = 0; i < x->ndim; i++) {
        strides[i] = transposed[i] ? -x->strides[i] : x->strides[i];
        if (transposed[i] && x->size) data += x->strides[i] * (x->shape[i] - 1);
    }
    return cpi_array_view(x, x->type, x->ndim, x->shape, strides, data);
}

/* The axes that `axes` names, from 0 on. */
static cp_code take_axes(const char *function, cp_axes axes, int ndim, int *list, bool *named)
{
    cp_code code = axes.at ? cpi_axes_mask(function, axes, ndim, named)
                           : cpi_fail(CP_ERROR_TYPE, "%s: axes must be given", function);
    for (int i = 0; !code && i < axes.n; i++) list[i] = axes.at[i] < 0 ? axes.at[i] + ndim : axes.at[i];
    return code;
}

/*: function("moveaxis", "a: array, source: index_axes, destination: index_axes", returns="view", unlock="never",
             doc="The array with axes moved to other places, the others in their order; a view.") */
cp_array *cp_moveaxis(cp_array *a, cp_axes source, cp_axes destination)
{
    const char *function = "moveaxis";
    int from[CP_MAXDIM], to[CP_MAXDIM], order[CP_MAXDIM];
    bool moved[CP_MAXDIM], taken[CP_MAXDIM];
    if (cpi_null(function, a) || take_axes(function, source, a->ndim, from, moved) ||
        take_axes(function, destination, a->ndim, to, taken))
        return NULL;
    if (source.n != destination.n) {
        cpi_fail(CP_ERROR_VALUE, "%s: `source` and `destination` arguments must have the same number of elements",
                 function);
        return NULL;
    }
    for (int i = 0, rest = 0; i < a->ndim; i++) {
        if (taken[i]) continue;
        while (moved[rest]) rest++;
        order[i] = rest++;
    }
    for (int k = 0; k < source.n; k++) order[to[k]] = from[k];
    return cp_transpose(a, (cp_axes){a->ndim, order});
}

/*: function("rollaxis", "a: array, axis: index_axis, start: clamped_int = 0", call="cp_rollaxis(a, axis, start)",
             returns="view", unlock="never", doc="The array with one axis moved to before `start`, a view.") */
cp_array *cp_rollaxis(cp_array *a, int axis, int start)
{
    const char *function = "rollaxis";
    if (cpi_null(function, a) || cpi_axis(function, &axis, a->ndim)) return NULL;
    if (start < 0) start += a->ndim;
    if (start < 0 || start > a->ndim) {
        cpi_fail(CP_ERROR_AXIS, "%s: 'start' arg requires %d <= start < %d, but %d was passed in", function, -a->ndim,
                 a->ndim + 1, start);
        return NULL;
    }
    return cp_moveaxis(a, CP_AXES(axis), CP_AXES(axis < start ? start - 1 : start));
}
