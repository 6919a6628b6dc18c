/* Joining arrays: behind one another along an axis, or as places of a new one. Each part is assigned to its slice of
 * the result, which converts it. */
#include <string.h>

#include "operands/operands.h"
#include "move/move.h"

/* The type of the result, to which every part can be converted under the rule. */
static cp_code joined_type(const char *function, int n, cp_array *const *arrays, const cp_join_options *o,
                           cp_type *type)
{
    if (o->out && o->typed)
        return cpi_fail(CP_ERROR_TYPE, "%s: only takes `out` or `dtype` as an argument, but both were provided",
                        function);
    *type = o->out ? o->out->type : o->typed ? o->dtype : cpi_common_type(n, arrays);
    cp_code code = cpi_check_type(function, *type);
    for (int i = 0; i < n && !code; i++) code = cpi_check_cast(function, CPI_DATA, arrays[i]->type, *type, o->casting);
    return code;
}

/* The result's shape: that of the parts, the extents of the axis added up. */
static cp_code joined_shape(const char *function, int n, cp_array *const *arrays, int axis, int64_t *shape)
{
    const cp_array *first = arrays[0];
    memcpy(shape, first->shape, (size_t)first->ndim * sizeof *shape);
    for (int i = 1; i < n; i++) {
        const cp_array *x = arrays[i];
        if (x->ndim != first->ndim)
            return cpi_fail(CP_ERROR_VALUE, "%s: all the input array dimensions must match exactly, but the array at "
                            "index 0 has %d dimension(s) and the array at index %d has %d dimension(s)", function,
                            first->ndim, i, x->ndim);
        for (int d = 0; d < x->ndim; d++)
            if (d != axis && x->shape[d] != first->shape[d])
                return cpi_fail(
                    CP_ERROR_VALUE,
                    "%s: all the input array dimensions except for the concatenation axis "
                    "must match exactly, but along dimension %d, the array at index 0 has size %lld and the "
                    "array at index %d has size %lld",
                    function, d, (long long)first->shape[d], i, (long long)x->shape[d]);
        if (__builtin_add_overflow(shape[axis], x->shape[axis], &shape[axis]))
            return cpi_fail(CP_ERROR_VALUE, "%s: the result has too many elements", function);
    }
    return CP_OK;
}

static cp_code write_parts(cp_array *to, int n, cp_array *const *arrays, int axis)
{
    int64_t shape[CP_MAXDIM], at = 0;
    cp_array **slices = cpi_calloc((size_t)n, sizeof *slices);
    cp_code code = slices ? CP_OK : CP_ERROR_MEMORY;
    memcpy(shape, to->shape, (size_t)to->ndim * sizeof *shape);
    for (int i = 0; i < n && !code; i++) {
        shape[axis] = arrays[i]->shape[axis];
        slices[i] = cpi_array_view(to, to->type, to->ndim, shape, to->strides, to->data + at * to->strides[axis]);
        if (!slices[i]) code = cp_error();
        at += shape[axis];
    }
    if (!code) code = cpi_assign_all(n, slices, arrays);
    for (int i = 0; slices && i < n; i++) cp_free(slices[i]);
    cpi_free_host(slices);
    return code;
}

/* Does axis `later`, which C order has inside `earlier`, lie outside it? 1 yes, 0 no: one part that objects is enough;
 * -1 nobody says. */
static int lies_outside(int n, cp_array *const *arrays, int later, int earlier)
{
    int verdict = -1;
    for (int i = 0; i < n; i++) {
        const cp_array *x = arrays[i];
        if (x->shape[later] == 1 || x->shape[earlier] == 1) continue;
        int64_t a = x->strides[later], b = x->strides[earlier];
        if ((a < 0 ? -a : a) <= (b < 0 ? -b : b)) return 0;
        verdict = 1;
    }
    return verdict;
}

/* The order of the result's axes as strides that no two share. Axes are sorted in from the first one, as NumPy's
 * concatenate does it; what is made elementwise has them sorted in from the last. */
static void joined_order(int n, cp_array *const *arrays, int64_t *strides)
{
    int order[CP_MAXDIM], ndim = arrays[0]->ndim; /* outermost first */
    for (int axis = 0; axis < ndim; axis++) {
        int position = axis;
        for (int j = axis - 1; j >= 0; j--) {
            int verdict = lies_outside(n, arrays, axis, order[j]);
            if (verdict == 0) break;
            if (verdict > 0) position = j;
        }
        memmove(order + position + 1, order + position, (size_t)(axis - position) * sizeof *order);
        order[position] = axis;
    }
    for (int j = 0; j < ndim; j++) strides[order[j]] = ndim - j;
}

/* Parts of at least one dimension and an axis, or 1-d ones. */
static cp_array *join(const char *function, int n, cp_array *const *arrays, int axis, const cp_join_options *o)
{
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM], all[CP_MAXDIM];
    cp_array ordered = {.ndim = arrays[0]->ndim, .shape = all, .strides = strides};
    cpi_output to = {.function = function, .ndim = arrays[0]->ndim, .shape = shape, .nlike = 1,
                     .like = (cp_array *[]){&ordered}, .out = o->out};
    if (to.ndim == 0) {
        cpi_fail(CP_ERROR_VALUE, "%s: zero-dimensional arrays cannot be concatenated", function);
        return NULL;
    }
    if (cpi_axis(function, &axis, to.ndim) || joined_shape(function, n, arrays, axis, shape) ||
        joined_type(function, n, arrays, o, &to.type))
        return NULL;
    for (int i = 0; i < to.ndim; i++) all[i] = 2; /* every axis has a place */
    joined_order(n, arrays, strides);
    if (!(to.device = cpi_common_device(function, n, arrays)) || cpi_output_open(&to, n, arrays)) return NULL;
    return cpi_output_close(&to, write_parts(to.array, n, arrays, axis));
}

/* The parts as `change` makes them, joined. */
static cp_array *join_changed(const char *function, int n, cp_array *const *arrays, int axis, const cp_join_options *o,
                              cp_array *(*change)(cp_array *x, int axis))
{
    cp_array **parts = cpi_calloc((size_t)n, sizeof *parts), *r = NULL;
    bool good = parts != NULL;
    for (int i = 0; good && i < n; i++) good = (parts[i] = change(arrays[i], axis)) != NULL;
    if (good) r = join(function, n, parts, axis == CP_FLAT ? 0 : axis, o);
    for (int i = 0; parts && i < n; i++) cp_free(parts[i]);
    cpi_free_host(parts);
    return r;
}

static bool are_parts(const char *function, int n, cp_array *const *arrays)
{
    if (n < 1) return cpi_fail(CP_ERROR_VALUE, "%s: need at least one array", function), false;
    if (cpi_null(function, arrays)) return false;
    for (int i = 0; i < n; i++)
        if (cpi_null(function, arrays[i])) return false;
    return true;
}

static cp_array *flattened(cp_array *x, int axis)
{
    (void)axis;
    return cp_ravel(x);
}

static cp_array *with_axis(cp_array *x, int axis) { return cp_expand_dims(x, (cp_axes){1, &axis}); }

cp_array *(cp_concatenate)(int n, cp_array *const *arrays, int axis, const cp_join_options *options)
{
    options = CPI_GIVEN(cp_join_options, options);
    if (!are_parts("concatenate", n, arrays)) return NULL;
    if (axis == CP_FLAT) return join_changed("concatenate", n, arrays, axis, options, flattened);
    return join("concatenate", n, arrays, axis, options);
}

cp_array *(cp_stack)(int n, cp_array *const *arrays, int axis, const cp_join_options *options)
{
    options = CPI_GIVEN(cp_join_options, options);
    if (!are_parts("stack", n, arrays)) return NULL;
    const cp_array *first = arrays[0];
    for (int i = 1; i < n; i++)
        if (!cpi_has_shape(arrays[i], first->ndim, first->shape)) {
            cpi_fail(CP_ERROR_VALUE, "stack: all input arrays must have the same shape");
            return NULL;
        }
    if (cpi_axis("stack", &axis, first->ndim + 1)) return NULL;
    if (first->ndim == CP_MAXDIM) {
        cpi_fail(CP_ERROR_INDEX, "stack: the result would have %d dimensions, at most %d are possible", CP_MAXDIM + 1,
                 CP_MAXDIM);
        return NULL;
    }
    return join_changed("stack", n, arrays, axis, options, with_axis);
}
