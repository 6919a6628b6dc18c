/* The commonest indexing by an array, without the general way's records: x and the index dense in the memory of a
 * device that works at once, whole rows (or elements) of x. Invariant: what is done here the general way would do, to
 * the bit and with its errors; what is not plain to see is left to it. */
#include <string.h>

#include "backend/array.h"
#include "index/indexing.h"

static bool lies_dense(const cp_array *x, const cpi_device *device)
{
    return x->device == device && !(x->flags & CPI_HOST_SCALAR) && x->size && cp_is_c_contiguous(x);
}

/* Do two arrays that lie dense on one device share memory? */
static bool meet(const cp_array *a, const cp_array *b)
{
    const uintptr_t p = (uintptr_t)a->data, q = (uintptr_t)b->data;
    return p < q + (uintptr_t)(b->size * cpi_itemsize(b->type)) && q < p + (uintptr_t)(a->size * cpi_itemsize(a->type));
}

/* The record of rows of x, or of its elements where it is taken as flat; false: not here. */
static bool plain(const char *function, cp_array *x, const cp_array *index, bool flat, cpi_index_mode mode,
                  cpi_gather *g)
{
    if (!x->device->backend->at_once || !x->ndim || index->type != CP_INT64) return false;
    if (!lies_dense(x, x->device) || !lies_dense(index, x->device)) return false;
    g->function = function, g->failure = NULL;
    g->array = x->data, g->result = NULL;
    g->ndim = g->nindices = 1, g->rest = 0;
    g->shape[0] = index->size, g->array_step[0] = 0;
    cpi_axis_index *p = &g->axis_index[0];
    p->extent = flat ? x->size : x->shape[0];
    g->bytes = g->values_step[0] = p->stride = x->size / p->extent * cpi_itemsize(x->type);
    p->at = (const int64_t *)index->data, p->step[0] = 1, p->axis = 0, p->mode = mode;
    return true;
}

bool cpi_plain_get(const char *function, cp_array *x, cp_array *index, bool flat, cpi_index_mode mode, cp_array **r)
{
    int64_t shape[2 * CP_MAXDIM];
    cpi_gather g;
    const int rest = flat ? 0 : x->ndim - 1;
    if (index->ndim + rest > CP_MAXDIM || !plain(function, x, index, flat, mode, &g)) return false;
    cpi_array_used(x), cpi_array_used(index);
    for (int d = 0; d < index->ndim; d++) shape[d] = index->shape[d];
    for (int d = 0; d < rest; d++) shape[index->ndim + d] = x->shape[d + 1];
    *r = cpi_array_new(function, x->device, x->type, index->ndim + rest, shape, 'C');
    if (!*r) return true;
    g.result = (*r)->data;
    if (x->device->backend->index->gather(cpi_stream(x->device), &g)) cp_free(*r), *r = NULL;
    return true;
}

/* Has value the shape of x[index]? */
static bool fits(const cp_array *x, const cp_array *index, const cp_array *value, bool flat)
{
    const int rest = flat ? 0 : x->ndim - 1;
    if (value->ndim != index->ndim + rest) return false;
    for (int d = 0; d < index->ndim; d++)
        if (value->shape[d] != index->shape[d]) return false;
    for (int d = 0; d < rest; d++)
        if (value->shape[index->ndim + d] != x->shape[d + 1]) return false;
    return true;
}

bool cpi_plain_set(const char *function, cp_array *x, cp_array *index, cp_array *value, bool flat, cpi_index_mode mode,
                   cp_code *code)
{
    _Alignas(16) char one[16];
    cpi_gather g;
    if (x->flags & CPI_READONLY || !plain(function, x, index, flat, mode, &g) || meet(x, index))
        return false;
    cpi_array_used(x), cpi_array_used(index), cpi_array_used(value);
    if (value->flags & CPI_HOST_SCALAR && g.bytes == cpi_itemsize(x->type)) {
        cpi_convert_value(value->type, value->data, x->type, one);
        g.result = one, g.values_step[0] = 0;
    } else if (value->type == x->type && lies_dense(value, x->device) && fits(x, index, value, flat) &&
               !meet(x, value)) {
        g.result = value->data;
    } else {
        return false;
    }
    *code = x->device->backend->index->scatter(cpi_stream(x->device), &g);
    return true;
}

/* --- masks --- */

static bool plain_mask(cp_array *x, const cp_array *mask)
{
    return mask->type == CP_BOOL && x->device->backend->at_once && lies_dense(x, x->device) &&
           lies_dense(mask, x->device) && cpi_has_shape(mask, x->ndim, x->shape) && x->ndim;
}

bool cpi_plain_mask_get(cp_array *x, cp_array *mask, cp_array **r)
{
    if (!plain_mask(x, mask)) return false;
    const int64_t bytes = cpi_itemsize(x->type);
    const cpi_index_ops *ops = x->device->backend->index;
    cp_stream *stream = cpi_stream(x->device);
    cpi_selection s = {0};
    cpi_array_used(x), cpi_array_used(mask);
    cp_code code = ops->select(stream, mask->data, CP_BOOL, x->size, &s);
    *r = code ? NULL : cpi_array_new("mask_get", x->device, x->type, 1, &s.count, 'C');
    if (*r && s.count && ops->compact(stream, &s, x->data, bytes, bytes, (*r)->data)) cp_free(*r), *r = NULL;
    if (s.work) ops->release(stream, &s);
    return true;
}

enum { FEW = 64 };

/* As many values as are selected. One alone is mostly a masked copy's, which counts nothing: where that is little. */
bool cpi_plain_mask_set(cp_array *x, cp_array *mask, cp_array *value, cp_code *code)
{
    if (x->flags & CPI_READONLY || value->ndim != 1 || value->type != x->type) return false;
    if (!plain_mask(x, mask) || (value->size < 2 && x->size > FEW)) return false;
    if (value->size ? !lies_dense(value, x->device) : value->device != x->device) return false;
    if (meet(x, mask) || (value->size && meet(x, value))) return false;
    const int64_t bytes = cpi_itemsize(x->type);
    const cpi_index_ops *ops = x->device->backend->index;
    cp_stream *stream = cpi_stream(x->device);
    cpi_selection s = {0};
    cpi_array_used(x), cpi_array_used(mask), cpi_array_used(value);
    *code = ops->select(stream, mask->data, CP_BOOL, x->size, &s);
    const bool fits = *code || s.count == value->size;
    if (!*code && fits && s.count) *code = ops->spread(stream, &s, x->data, bytes, bytes, value->data, bytes);
    if (s.work) ops->release(stream, &s);
    return fits;
}
