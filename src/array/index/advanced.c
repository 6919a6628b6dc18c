/* x[items] with index arrays, and assignment to it.
 *
 * Integers, slices, newaxis and the ellipsis first make a view in which the indexed axes are still whole. Integer
 * arrays, and masks converted to the indices of their true elements, then index these axes. A single mask is a
 * selection instead (index.c) and needs no list of indices. Invariant: the indexed axes go where NumPy puts them. If
 * they are adjacent, counting integers as well, they stay where they are; otherwise they come first. */
#include <string.h>

#include "backend/array.h"
#include "index/indexing.h"
#include "move/move.h"

enum { ITEMS = 2 * CP_MAXDIM + 1 };

/* The items of one call, without the arrays, and the positions of the arrays. */
typedef struct reading {
    const char *function;
    int n, used, arrays, masks;
    bool ellipsis;
    cp_index basic[ITEMS];
    cp_array *array[CP_MAXDIM];
    int axis[CP_MAXDIM], reported[CP_MAXDIM]; /* of the view; of x */
    int at;                               /* where the indexed axes are in the result */
} reading;

static int axes_of(const cp_array *array) { return array->type == CP_BOOL ? array->ndim : 1; }

static cp_code count_axes(reading *r, const cp_array *x, int n, const cp_index *items)
{
    r->n = r->used = r->arrays = r->masks = r->at = 0, r->ellipsis = false; /* array members are not cleared */
    for (int i = 0; i < n; i++) {
        const cp_index *item = &items[i];
        if ((unsigned)item->kind > CP_IX_ARRAY)
            return cpi_fail(CP_ERROR_VALUE, "%s: item %d is of no kind (%d)", r->function, i, (int)item->kind);
        if (item->kind == CP_IX_ARRAY) {
            if (cpi_null(r->function, item->array)) return CP_ERROR_VALUE;
            r->used += axes_of(item->array);
            if (r->arrays++ == CP_MAXDIM)
                return cpi_fail(CP_ERROR_INDEX, "%s: more than %d arrays as indices", r->function, CP_MAXDIM);
            r->masks += item->array->type == CP_BOOL;
        }
        r->used += item->kind == CP_IX_INT || item->kind == CP_IX_SLICE;
        if (item->kind == CP_IX_ELLIPSIS && r->ellipsis)
            return cpi_fail(CP_ERROR_INDEX, "%s: an index can only have a single ellipsis ('...')", r->function);
        r->ellipsis |= item->kind == CP_IX_ELLIPSIS;
    }
    if (r->used > x->ndim)
        return cpi_fail(CP_ERROR_INDEX, "%s: too many indices for array: array is %d-dimensional, but %d were indexed",
                        r->function, x->ndim, r->used);
    return CP_OK;
}

static cp_code read_items(reading *r, const cp_array *x, int n, const cp_index *items)
{
    enum { BEFORE, WITHIN, BEHIND, APART } state = BEFORE;
    int from = 0, to = 0, first = 0; /* axes of x, of the view, and the result's axis of the first array */
    cp_code code = count_axes(r, x, n, items);
    if (code) return code;
    r->arrays = 0;
    for (int i = 0; i < n; i++) {
        const cp_index *item = &items[i];
        bool nindices = item->kind == CP_IX_INT || item->kind == CP_IX_ARRAY;
        if (nindices && state == BEFORE) first = to, state = WITHIN;
        else if (nindices && state == BEHIND) state = APART;
        else if (!nindices && state == WITHIN) state = BEHIND;
        int axes = item->kind == CP_IX_ARRAY ? axes_of(item->array) : 1;
        if (r->n + axes > ITEMS) return cpi_fail(CP_ERROR_INDEX, "%s: too many indices for array", r->function);
        if (item->kind != CP_IX_ARRAY) {
            int whole = item->kind == CP_IX_ELLIPSIS ? x->ndim - r->used : 1;
            r->basic[r->n++] = *item;
            if (item->kind != CP_IX_NEW) from += whole;
            if (item->kind != CP_IX_INT) to += whole;
            continue;
        }
        if (item->array->type == CP_BOOL && (code = cpi_check_boolean_index(r->function, x, item->array, from)))
            return code;
        r->array[r->arrays] = item->array;
        r->axis[r->arrays] = to, r->reported[r->arrays++] = from;
        for (int d = 0; d < axes; d++) r->basic[r->n++] = CP_FULL;
        from += axes, to += axes;
    }
    /* `first` counts the view's axes before the first array; all indexed axes are behind it */
    r->at = state == APART ? 0 : first;
    return CP_OK;
}

/* The indices of the true elements: an index array for each axis of the mask. A 0-d mask selects everything or
 * nothing. */
static cp_code add_mask(cpi_indexing *p, const reading *r, int k)
{
    cp_array *mask = r->array[k];
    if (mask->ndim == 0) {
        bool yes = false;
        cp_code code = cpi_item_as(r->function, mask, CP_BOOL, &yes);
        return code ? code : cpi_indexing_widen(p, 1, &(int64_t){yes});
    }
    cp_array *indices = cp_nonzero(mask);
    cp_code code = indices ? CP_OK : cp_error();
    for (int d = 0; d < mask->ndim && !code; d++) {
        cp_array *one = cpi_array_view(indices, CP_INT64, 1, indices->shape + 1, indices->strides + 1,
                                       indices->data + d * indices->strides[0]);
        code = one ? cpi_indexing_add(p, one, r->axis[k] + d, r->reported[k] + d, CPI_INDEX_RAISE) : cp_error();
        cp_free(one);
    }
    cp_free(indices);
    return code;
}

static cp_code open_indexing(cpi_indexing *p, const reading *r, cp_array *view)
{
    cp_array *all[CP_MAXDIM + 1] = {view};
    memcpy(all + 1, r->array, (size_t)r->arrays * sizeof *all);
    cp_code code = cpi_indexing_open(p, r->function, view, cpi_common_device(r->function, r->arrays + 1, all));
    p->at = r->at;
    for (int k = 0; k < r->arrays && !code; k++)
        code = r->array[k]->type == CP_BOOL
            ? add_mask(p, r, k) : cpi_indexing_add(p, r->array[k], r->axis[k], r->reported[k], CPI_INDEX_RAISE);
    return code;
}

static bool is_one_mask(const reading *r) { return r->arrays == 1 && r->masks == 1; }

/* The view with the mask's axes first. */
static cp_array *masked_axes_first(const reading *r, cp_array *view)
{
    int order[CP_MAXDIM], n = 0, first = r->axis[0], last = first + r->array[0]->ndim;
    if (!first) return cp_retain(view);
    for (int i = first; i < last; i++) order[n++] = i;
    for (int i = 0; i < view->ndim; i++)
        if (i < first || i >= last) order[n++] = i;
    return cp_transpose(view, (cp_axes){n, order});
}

static cp_array *get_by_mask(const reading *r, cp_array *view)
{
    cp_array *first_axes = masked_axes_first(r, view), *made = first_axes ? cp_mask_get(first_axes, r->array[0]) : NULL;
    cp_array *moved = made && r->at ? cpi_axis_moved(made, 0, r->at) : cp_retain(made);
    cp_free(first_axes), cp_free(made);
    return moved;
}

static cp_code set_by_mask(const reading *r, cp_array *view, cp_array *value)
{
    cp_array *first_axes = masked_axes_first(r, view);
    cp_code code = first_axes ? cp_mask_set(first_axes, r->array[0], value) : cp_error();
    cp_free(first_axes);
    return code;
}

static bool is_only_array(int n, const cp_index *items)
{
    return n == 1 && items[0].kind == CP_IX_ARRAY && items[0].array;
}

/* The view that the items other than arrays make of x; x itself where there are only arrays, before all other axes. */
static cp_array *view_of(cp_array *x, int n, const cp_index *items, const reading *r)
{
    bool whole = is_only_array(n, items) && x->ndim && !(x->flags & CPI_HOST_SCALAR);
    return whole ? cp_retain(x) : cp_slice(x, r->n, r->basic);
}

cp_array *cp_index_get(cp_array *x, int n, const cp_index *items)
{
    reading r;
    cpi_indexing p;
    r.function = "index_get";
    cp_array *made;
    if (cpi_null("index_get", x) || (n > 0 && cpi_null("index_get", items))) return NULL;
    if (is_only_array(n, items) && cpi_plain_get("index_get", x, items[0].array, false, CPI_INDEX_RAISE, &made))
        return made;
    if (is_only_array(n, items) && cpi_plain_mask_get(x, items[0].array, &made)) return made;
    if (read_items(&r, x, n, items)) return NULL;
    cp_array *view = view_of(x, n, items, &r), *result = NULL;
    if (!view || !r.arrays) return view;
    if (is_one_mask(&r)) {
        result = get_by_mask(&r, view);
    } else {
        if (!open_indexing(&p, &r, view)) result = cpi_indexing_get(&p, NULL, CP_SAME_KIND);
        cpi_indexing_close(&p);
    }
    cp_free(view);
    return result;
}

static cp_code set(cp_array *x, int n, const cp_index *items, cp_array *value)
{
    reading r;
    cpi_indexing p;
    r.function = "index_set";
    cp_code code;
    if (is_only_array(n, items) && cpi_plain_set("index_set", x, items[0].array, value, false, CPI_INDEX_RAISE, &code))
        return code;
    if (is_only_array(n, items) && cpi_plain_mask_set(x, items[0].array, value, &code)) return code;
    code = read_items(&r, x, n, items);
    if (!code) code = cpi_check_writable("index_set", x);
    if (code) return code;
    cp_array *view = view_of(x, n, items, &r);
    if (!view) return cp_error();
    if (!r.arrays) {
        code = cp_assign(view, value);
    } else if (is_one_mask(&r) && n == 1 && x->ndim && r.array[0]->ndim == x->ndim && value->ndim > 1) {
        code = cpi_fail(CP_ERROR_TYPE, "index_set: assignment by a mask of all axes requires a 0 or 1-dimensional "
                        "value, this one has %d dimensions", value->ndim);
    } else if (is_one_mask(&r) && (!r.at || value->ndim == 0)) {
        code = set_by_mask(&r, view, value);
    } else {
        code = open_indexing(&p, &r, view);
        if (!code) code = cpi_indexing_set(&p, value);
        cpi_indexing_close(&p);
    }
    cp_free(view);
    return code;
}

/* Values of another device come from there, as those of x[...] = value do. */
cp_code cp_index_set(cp_array *x, int n, const cp_index *items, cp_array *value)
{
    if (cpi_null("index_set", x) || cpi_null("index_set", value) || (n > 0 && cpi_null("index_set", items)))
        return CP_ERROR_VALUE;
    if (value->flags & CPI_HOST_SCALAR || value->device == x->device) return set(x, n, items, value);
    cp_array *here = cp_to_device(value, x->device->id);
    cp_code code = here ? set(x, n, items, here) : cp_error();
    cp_free(here);
    return code;
}
