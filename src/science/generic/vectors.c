/* Filters of all windows by a function of arrays: a view in which the windows have axes of their own. */
#include "generic/host.h"

#include <string.h>

enum { BATCH = 1 << 30 }; /* bytes of the elements of windows in one call */

typedef struct vectors {
    const char *name;
    cp_windows_function function;
    void *context;
    int n;                  /* of a window's axes: the last ones */
    cp_array *set;          /* the footprint, or NULL */
} vectors;

/* The function of windows: their last n axes, or the elements of the footprint as one. */
static cp_array *call_windows(const vectors *f, cp_array *windows)
{
    int last[CP_MAXDIM];
    int n = f->n;
    cp_array *given = windows;
    if (f->set) {
        given = cp_index_get(windows, 2, (const cp_index[]){CP_ELLIPSIS, CP_BY(f->set)});
        n = 1;
    }
    for (int i = 0; i < n; i++) last[i] = i - n;
    if (!given) return NULL;
    cp_array *r = f->function(f->context, given, n ? (cp_axes){n, last} : CP_NONE);
    if (!r) return cpi_generic_failed(f->name, "filter"), NULL;
    if (!cpi_has_shape(r, windows->ndim - f->n, windows->shape))
        return cpi_fail(CP_ERROR_VALUE, "%s: the function must give one element for each window", f->name), NULL;
    if (given != windows && r != given) cp_free(given);
    return r;
}

/* x, whose last n axes are filtered, as a view of (..., windows' lengths). */
static cp_array *windows_of(const vectors *f, cp_array *x, const cpi_generic_window *w)
{
    int64_t shape[2 * CP_MAXDIM], strides[2 * CP_MAXDIM];
    const int ndim = x->ndim;
    if (ndim + f->n > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "%s: windows of %d axes of an array of %d", f->name, f->n, ndim), NULL;
    memcpy(shape, x->shape, (size_t)ndim * sizeof *shape);
    memcpy(strides, x->strides, (size_t)ndim * sizeof *strides);
    for (int i = 0; i < f->n; i++) {
        const int d = ndim - f->n + i;
        shape[ndim + i] = w->size[i], strides[ndim + i] = strides[d];
        if ((shape[d] -= w->size[i] - 1) < 1)
            return cpi_fail(CP_ERROR_VALUE, "%s: window shape cannot be larger than input array shape", f->name), NULL;
    }
    return cp_as_strided(x, (cp_shape){ndim + f->n, shape}, ndim + f->n, strides);
}

/* The function of rows of the first axis, as many at once as the memory is for. */
static cp_array *in_batches(const vectors *f, cp_array *view, int64_t memory)
{
    const int64_t rows = view->shape[0], row = cp_nbytes(view) / (rows ? rows : 1);
    const int64_t count = row ? (memory ? memory : BATCH) / row : rows;
    if (count >= rows) return call_windows(f, view);
    if (count < 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: batch_memory is insufficient for one row of windows", f->name), NULL;
    cp_array *all = NULL;
    for (int64_t i = 0; i < rows; i += count) {
        cp_array *some = cpi_range(view, 0, i, i + count < rows ? i + count : rows);
        cp_array *part = some ? call_windows(f, some) : NULL;
        if (part && !all) all = cp_empty((cp_shape){view->ndim - f->n, view->shape}, part->type);
        cp_array *to = part && all ? cpi_range(all, 0, i, i + part->shape[0]) : NULL;
        if (!to || cp_assign(to, part)) return NULL;
        cp_free(to), cp_free(part);
    }
    return all;
}

static cp_array *of_windows(vectors *f, cp_array *x, const cpi_generic_window *w, const cp_vectorized_filter_options *o)
{
    int last[CP_MAXDIM];
    for (int i = 0; i < w->n; i++) last[i] = i - w->n;
    f->n = w->n;
    f->set = o->footprint ? cp_astype(o->footprint, CP_BOOL) : NULL;
    if (o->footprint && !f->set) return NULL;
    if (!o->valid) x = cpi_generic_surrounded(f->name, x, w, o->mode, o->cval);
    if (x && w->n) x = cp_moveaxis(x, (cp_axes){w->n, w->axes}, (cp_axes){w->n, last});
    cp_array *view = x && w->n ? windows_of(f, x, w) : x;
    if (!view) return NULL;
    if (!w->n) f->set = NULL;
    cp_array *r = view->ndim > w->n ? in_batches(f, view, o->batch_memory) : call_windows(f, view);
    return r && w->n ? cp_moveaxis(r, (cp_axes){w->n, last}, (cp_axes){w->n, w->axes}) : r;
}

cp_array *(cp_vectorized_filter)(cp_array *input, cp_windows_function function, void *context,
                                 const cp_vectorized_filter_options *options)
{
    const cp_vectorized_filter_options *o = CPI_GIVEN(cp_vectorized_filter_options, options);
    vectors f = {.name = "vectorized_filter", .function = function, .context = context};
    cpi_generic_window w;
    cpi_composite scope;
    cp_pad_mode pad = CP_PAD_MODE_CONSTANT;
    if (cpi_null(f.name, input) || cpi_generic_no_function(f.name, function != NULL)) return NULL;
    if (o->footprint && o->size.dim)
        return cpi_fail(CP_ERROR_VALUE, "%s: either size or footprint, not both", f.name), NULL;
    if (o->batch_memory < 0) return cpi_fail(CP_ERROR_VALUE, "%s: batch_memory is negative", f.name), NULL;
    if (!cpi_begin(&scope, f.name, input)) return NULL;
    cp_array *r = NULL;
    if (cpi_generic_window_of(f.name, input, o->axes, o->size, o->footprint, o->origin, &w) &&
        !cpi_generic_pad_mode(f.name, o->mode, &pad))
        r = input->size ? of_windows(&f, input, &w, o) : cp_copy(input);
    return cpi_filter_end(&scope, f.name, r, o->out);
}
