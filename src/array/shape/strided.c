/* Views with shapes and strides as the caller likes them. */
#include <string.h>

#include "operands/operands.h"

/*: python_module("_strides", doc="Views with any strides, behind cuprite.lib.stride_tricks.") */

/* Do all elements lie in the memory that x looks into, its buffer's bytes? */
static bool inside(const cp_array *x, int ndim, const int64_t *shape, const int64_t *strides)
{
    int64_t low = 0, high = cpi_itemsize(x->type), step;
    for (int i = 0; i < ndim; i++) {
        if (!shape[i]) return true;
        if (__builtin_mul_overflow(shape[i] - 1, strides[i], &step)) return false;
        if (__builtin_add_overflow(step < 0 ? low : high, step, step < 0 ? &low : &high)) return false;
    }
    const int64_t before = x->buffer ? x->data - cpi_buffer_memory(x->buffer) : 0;
    const int64_t bytes = x->buffer ? (int64_t)x->buffer->bytes : cpi_itemsize(x->type);
    return low >= -before && high <= bytes - before;
}

/*: function("as_strided", "x: array, shape: shape, strides: ints", module="_strides", returns="view", unlock="never",
             doc="""A view from the first element of x on with this shape and these strides, in bytes; elements may
share memory. ValueError where they would lie outside the memory of x, or between the multiples of their size at which a
GPU reads.""") */
cp_array *cp_as_strided(cp_array *x, cp_shape shape, int n, const int64_t *strides)
{
    const char *name = "as_strided";
    int64_t size;
    if (cpi_null(name, x) || (shape.n > 0 && cpi_null(name, shape.dim)) || (n > 0 && cpi_null(name, strides)))
        return NULL;
    if (shape.n != n || n < 0)
        return cpi_fail(CP_ERROR_VALUE, "%s: mismatch in length of strides and shape", name), NULL;
    if (cpi_shape_size(name, n, shape.dim, (size_t)cpi_itemsize(x->type), &size)) return NULL;
    cpi_device *device = cpi_common_device(name, 1, &x);
    cp_array *there = device ? cpi_in_memory(name, x, device) : NULL, *r = NULL;
    if (there && !inside(there, n, shape.dim, strides))
        cpi_fail(CP_ERROR_VALUE, "%s: elements would lie outside the memory of the array", name);
    else if (there && !cpi_check_alignment(name, device, there->type, n, shape.dim, strides, there->data))
        r = cpi_array_view(there, there->type, n, shape.dim, strides, there->data);
    cp_free(there);
    return r;
}
