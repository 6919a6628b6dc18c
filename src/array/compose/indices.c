/* Index grids; an array rotated in a plane; and comparison of arrays of any shapes. */
#include "compose/compose.h"

/*: function("indices", "dimensions: shape, dtype: dtype = None", module="_places", unlock="always",
             doc="Coordinates of a grid of this shape: (ndim, ...dimensions), int64 by default.") */
cp_array *(cp_indices)(cp_shape dimensions, const cp_indices_options *options)
{
    const cp_indices_options *o = CPI_GIVEN(cp_indices_options, options);
    const cp_type t = o->typed ? o->dtype : CP_INT64;
    int64_t shape[CP_MAXDIM];
    const int n = dimensions.n;
    if (n < 0 || n >= CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "indices: %d dimensions", n), NULL;
    shape[0] = n;
    for (int i = 0; i < n; i++) shape[i + 1] = dimensions.dim[i];
    cp_array *grid = cp_empty((cp_shape){n + 1, shape}, t);
    cpi_composite f;
    if (!grid || !cpi_begin(&f, "indices", grid)) return cp_free(grid), NULL;
    bool done = true;
    for (int i = 0; i < n && done; i++) {
        int64_t line[CP_MAXDIM];
        for (int k = 0; k < n; k++) line[k] = k == i ? dimensions.dim[i] : 1;
        cp_array *indices = cp_arange_int(0, dimensions.dim[i], 1, t);
        done = indices && cp_assign(cp_slice(grid, 1, &CP_AT(i)), cp_reshape(indices, (cp_shape){n, line})) == CP_OK;
    }
    cpi_end(&f, NULL);
    return done ? grid : (cp_free(grid), NULL);
}

/*: function("rot90", "m: array, k: int, axes: index_axes", module="_places", returns="view", unlock="never",
             doc="""The array rotated by 90 degrees k times in the plane of two axes, from the first towards the second:
a view. ValueError for axes that are not two different ones of the array.""") */
cp_array *cp_rot90(cp_array *m, int k, cp_axes axes)
{
    cpi_composite f;
    if (!cpi_begin(&f, "rot90", m)) return NULL;
    const int ndim = cp_ndim(m), times = (k % 4 + 4) % 4;
    if (!axes.at || axes.n != 2)
        return cpi_fail(CP_ERROR_VALUE, "rot90: len(axes) must be 2."), cpi_end(&f, NULL);
    const int a = axes.at[0], b = axes.at[1];
    if (a == b || a - b == ndim || b - a == ndim)
        return cpi_fail(CP_ERROR_VALUE, "rot90: Axes must be different."), cpi_end(&f, NULL);
    if (a < -ndim || a >= ndim || b < -ndim || b >= ndim)
        return cpi_fail(CP_ERROR_VALUE, "rot90: Axes=(%d, %d) out of range for array of ndim=%d.", a, b, ndim),
               cpi_end(&f, NULL);
    cp_array *x = times == 3 ? cp_swapaxes(m, a, b) : m;
    if (times == 2) x = cp_flip(m, axes);
    else if (times) x = x ? cp_flip(x, CP_AXES(b)) : NULL;
    return cpi_end(&f, times == 1 ? (x ? cp_swapaxes(x, a, b) : NULL) : x ? cp_slice(x, 1, &CP_ELLIPSIS) : NULL);
}

/* Do the shapes broadcast? */
static bool broadcast_together(const cp_array *a, const cp_array *b)
{
    for (int i = 1; i <= cp_ndim(a) && i <= cp_ndim(b); i++) {
        const int64_t m = cp_dims(a)[cp_ndim(a) - i], n = cp_dims(b)[cp_ndim(b) - i];
        if (m != n && m != 1 && n != 1) return false;
    }
    return true;
}

/*: function("array_equiv", "a1: array_like_to('equal'), a2: array_like_to('equal')",
             doc="Whether two arrays broadcast to one shape and have equal elements then: a 0-d array.") */
cp_array *cp_array_equiv(cp_array *a1, cp_array *a2)
{
    cpi_composite f;
    if (!cpi_begin(&f, "array_equiv", a1)) return NULL;
    if (cpi_null("array_equiv", a2)) return cpi_end(&f, NULL);
    if (!broadcast_together(a1, a2)) return cpi_end(&f, cp_zeros(CP_SHAPE0, CP_BOOL));
    cp_array *equal = cp_equal(a1, a2);
    return cpi_end(&f, equal ? cp_all(equal) : NULL);
}
