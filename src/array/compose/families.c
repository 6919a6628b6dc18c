/* Functions of several arrays with one result for each: C gets them in results[n], all NULL after an error. */
#include "compose/compose.h"

#include <string.h>

/* Stores `made` as result i; where it is NULL, frees all results and returns false. */
static bool took(cp_array **results, int i, cp_array *made)
{
    if ((results[i] = made)) return true;
    while (i--) cp_free(results[i]), results[i] = NULL;
    return false;
}

static bool are_given(const char *name, int n, cp_array *const *arrays, cp_array **results)
{
    if (n < 0) return cpi_fail(CP_ERROR_VALUE, "%s: %d arrays given", name, n), false;
    if (n && (cpi_null(name, arrays) || cpi_null(name, results))) return false;
    if (n) memset(results, 0, (size_t)n * sizeof *results);
    for (int i = 0; i < n; i++)
        if (cpi_null(name, arrays[i])) return false;
    return true;
}

/* A view with axes of length 1 before and behind those of x, where it has fewer than `least`. */
static cp_array *widened(cp_array *x, int least)
{
    int nd = cp_ndim(x), front = least - nd - (least == 3 && nd < 3 && nd > 0);
    int64_t shape[CP_MAXDIM];
    if (nd >= least) return cp_slice(x, 1, &CP_ELLIPSIS);
    for (int i = 0; i < least; i++) shape[i] = 1;
    memcpy(shape + front, cp_dims(x), (size_t)nd * sizeof *shape);
    return cp_reshape(x, (cp_shape){least, shape});
}

static cp_code at_least(const char *name, int least, int n, cp_array *const *arys, cp_array **results)
{
    if (!are_given(name, n, arys, results)) return cp_error();
    for (int i = 0; i < n; i++)
        if (!took(results, i, widened(arys[i], least))) return cp_error();
    return CP_OK;
}

/*: function("atleast_1d", "*arys: arrays_like", returns="array_or_arrays", unlock="never",
             doc="Arrays with at least one axis: views.") */
cp_code cp_atleast_1d(int n, cp_array *const *arys, cp_array **results)
{
    return at_least("atleast_1d", 1, n, arys, results);
}

/*: function("atleast_2d", "*arys: arrays_like", returns="array_or_arrays", unlock="never",
             doc="Arrays with at least two axes, new ones first: views.") */
cp_code cp_atleast_2d(int n, cp_array *const *arys, cp_array **results)
{
    return at_least("atleast_2d", 2, n, arys, results);
}

/*: function("atleast_3d", "*arys: arrays_like", returns="array_or_arrays", unlock="never",
             doc="Arrays with at least three axes, new ones around that of a 1-d array and behind those of a 2-d "
                 "one: views.") */
cp_code cp_atleast_3d(int n, cp_array *const *arys, cp_array **results)
{
    return at_least("atleast_3d", 3, n, arys, results);
}

/*: function("broadcast_arrays", "*args: arrays_or_numbers, subok: flag = False", returns="arrays", unlock="never",
             doc="The arrays as views of their common shape, which cannot be written to where elements repeat.") */
cp_code cp_broadcast_arrays(int n, cp_array *const *args, cp_array **results)
{
    int nd = 0;
    int64_t shape[CP_MAXDIM];
    if (!are_given("broadcast_arrays", n, args, results)) return cp_error();
    for (int i = 0; i < n; i++)
        if (cpi_broadcast("broadcast_arrays", &nd, shape, cp_ndim(args[i]), cp_dims(args[i]))) return cp_error();
    for (int i = 0; i < n; i++) {
        bool fits = cp_ndim(args[i]) == nd && !memcmp(cp_dims(args[i]), shape, (size_t)nd * sizeof *shape);
        cp_array *view = fits ? cp_slice(args[i], 1, &CP_ELLIPSIS) : cp_broadcast_to(args[i], (cp_shape){nd, shape});
        if (!took(results, i, view)) return cp_error();
    }
    return CP_OK;
}

/* The i-th coordinate, flattened first, in a grid of these lengths; `position` is its axis. */
static cp_array *coordinate(cp_array *x, int n, int position, const int64_t *lengths, bool copy, bool sparse)
{
    int64_t shape[CP_MAXDIM];
    cp_scope *s = cp_scope_begin();
    if (!s) return NULL;
    for (int i = 0; i < n; i++) shape[i] = i == position ? cp_size(x) : 1;
    cp_array *r = cp_reshape(x, (cp_shape){n, shape});
    if (!sparse) r = cp_broadcast_to(r, (cp_shape){n, lengths});
    return cp_scope_return(s, copy ? cp_copy(r) : r);
}

/*: words("indexing", "xy ij", c="cp_indexing") */
/*: function("meshgrid",
             "*xi: arrays_or_numbers, copy: bool = True, sparse: bool = False, indexing: indexing = 'xy'",
             returns="arrays",
             doc="""Coordinate arrays of a grid: one an input, all of the grid's shape, or broadcasting to it with
`sparse`. indexing 'xy': the first two axes are exchanged.""") */
cp_code (cp_meshgrid)(int n, cp_array *const *xi, bool copy, cp_array **results, const cp_meshgrid_options *options)
{
    const cp_meshgrid_options *o = CPI_GIVEN(cp_meshgrid_options, options);
    int64_t lengths[CP_MAXDIM];
    int indices[CP_MAXDIM];
    if (!are_given("meshgrid", n, xi, results)) return cp_error();
    if (n > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "meshgrid: %d arrays given, at most %d axes are possible", n, CP_MAXDIM);
    for (int i = 0; i < n; i++) {
        indices[i] = o->indexing == CP_INDEXING_XY && n > 1 && i < 2 ? 1 - i : i;
        lengths[indices[i]] = cp_size(xi[i]);
    }
    for (int i = 0; i < n; i++)
        if (!took(results, i, coordinate(xi[i], n, indices[i], lengths, copy, o->sparse))) return cp_error();
    return CP_OK;
}
