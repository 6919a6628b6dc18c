/* searchsorted and lexsort: the public functions. */
#include "cuprite/sort.h"

#include "backend/array.h"
#include "index/indexing.h"
#include "sort/sort.h"

/* --- where values belong --- */

static cp_code check_search(const cp_array *a, const cp_searchsorted_options *o)
{
    const char *name = "searchsorted";
    if ((unsigned)o->side > CP_SIDE_RIGHT) return cpi_fail(CP_ERROR_VALUE, "%s: side %d is none", name, (int)o->side);
    if (a->ndim != 1) return cpi_fail(CP_ERROR_VALUE, "%s: a must be a 1-d array", name);
    if (!o->sorter) return CP_OK;
    char kind = cp_type_kind(o->sorter->type);
    if (kind != 'i' && kind != 'u') return cpi_fail(CP_ERROR_TYPE, "%s: sorter must only contain integers", name);
    if (o->sorter->ndim != 1 || o->sorter->size != a->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: sorter.size must equal a.size", name);
    return CP_OK;
}

/* a in the order that the sorter gives. */
static cp_array *in_order(cp_array *a, cp_array *sorter, cpi_device *device)
{
    cpi_indexing p;
    cp_code code = cpi_indexing_open(&p, "searchsorted", a, device);
    p.failure = "Sorter index out of range.";
    cp_array *r = !code && !cpi_indexing_add(&p, sorter, 0, 0, CPI_INDEX_EXACT)
        ? cpi_indexing_get(&p, NULL, CP_SAME_KIND) : NULL;
    cpi_indexing_close(&p);
    return r;
}

cp_array *(cp_searchsorted)(cp_array *a, cp_array *v, const cp_searchsorted_options *options)
{
    const cp_searchsorted_options *o = CPI_GIVEN(cp_searchsorted_options, options);
    const char *name = "searchsorted";
    if (cpi_null(name, a) || cpi_null(name, v) || check_search(a, o)) return NULL;
    cp_array *all[3] = {a, v, o->sorter};
    cpi_device *device = cpi_common_device(name, 3, all);
    if (!device) return NULL;
    cp_type type = cpi_common_type(2, all);
    cp_array *sorted = o->sorter ? in_order(a, o->sorter, device) : cp_retain(a);
    cp_array *from = sorted ? cpi_dense(name, sorted, type, device) : NULL;
    cp_array *values = from ? cpi_dense(name, v, type, device) : NULL;
    cp_array *r = values ? cpi_array_new(name, device, CP_INT64, v->ndim, v->shape, 'C') : NULL;
    cp_code code = CP_OK;
    if (r && r->size && !from->size) code = device->backend->zero(cpi_stream(device), r->data, (size_t)r->size * 8);
    else if (r && r->size)
        code = device->backend->sort->search(cpi_stream(device), type, from->size, from->data, r->size, values->data,
                                             o->side == CP_SIDE_RIGHT, (int64_t *)r->data);
    cp_free(sorted), cp_free(from), cp_free(values);
    return code ? cp_free(r), NULL : r;
}

/* --- orders --- */

/* x in that order along the axis: of a single one by plain places. */
static cp_array *in_that_order(cp_array *x, cp_array *order, int axis)
{
    return x->ndim == 1 ? cp_take(x, order, 0) : cp_take_along_axis(x, order, axis);
}

cp_array *cp_lexsort(int n, cp_array *const *keys, int axis)
{
    if (n < 1) return cpi_fail(CP_ERROR_TYPE, "lexsort: need sequence of keys with len > 0 in lexsort"), NULL;
    for (int i = 0; i < n; i++) {
        if (cpi_null("lexsort", keys[i])) return NULL;
        if (!cpi_has_shape(keys[i], keys[0]->ndim, keys[0]->shape))
            return cpi_fail(CP_ERROR_VALUE, "lexsort: all keys need to be the same shape"), NULL;
    }
    if (keys[0]->ndim == 0 && (axis == 0 || axis == -1)) return cp_zeros(CP_SHAPE0, CP_INT64);
    if (cpi_axis("lexsort", &axis, keys[0]->ndim)) return NULL;
    cp_scope *s = cp_scope_begin();
    if (!s) return NULL;
    cp_array *order = cp_argsort(keys[0], axis);
    for (int i = 1; i < n && order; i++) {
        cp_array *key = in_that_order(keys[i], order, axis), *next = key ? cp_argsort(key, axis) : NULL;
        order = next ? in_that_order(order, next, axis) : NULL;
    }
    return cp_scope_return(s, order);
}
