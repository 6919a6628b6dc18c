/* Places of an axis picked by integers that the library made itself: none lies beyond the axis unless the work that
 * made them failed on the device, and then nothing is read there. */
#include "index/index.h"

#include <string.h>

#include "operands/operands.h"

cp_array *cpi_take_rows(const char *name, cp_array *x, int axis, cp_array *index)
{
    int64_t shape[CP_MAXDIM], outer = 1, bytes = cpi_itemsize(x->type);
    cp_array *both[2] = {x, index}, *i = NULL, *r = NULL;
    cpi_device *device = cpi_common_device(name, 2, both);
    cp_array *dense = device ? cpi_dense(name, x, x->type, device) : NULL;
    if (dense && (i = cpi_dense(name, index, CP_INT64, device))) {
        memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
        shape[axis] = i->size;
        r = cpi_array_new(name, device, x->type, x->ndim, shape, 'C');
    }
    if (r && r->size) {
        for (int k = 0; k < axis; k++) outer *= x->shape[k];
        for (int k = axis + 1; k < x->ndim; k++) bytes *= x->shape[k];
        const cpi_rows rows = {outer, i->size, bytes, (const int64_t *)i->data, dense->data, x->shape[axis] * bytes,
                               bytes, r->data, i->size * bytes, bytes, x->shape[axis]};
        cpi_array_used(dense), cpi_array_used(i);
        if (device->backend->index->take(cpi_stream(device), &rows)) cp_free(r), r = NULL;
    }
    cp_free(dense), cp_free(i);
    return r;
}
