/* Operands: their common device, their broadcast shape, and their conversion to what kernels take. */
#include "operands/operands.h"

#include <string.h>

cpi_device *cpi_common_device(const char *function, int n, cp_array *const *arrays)
{
    cpi_device *device = NULL;
    for (int i = 0; i < n; i++) {
        if (!arrays[i] || arrays[i]->flags & CPI_HOST_SCALAR) continue;
        if (device && arrays[i]->device != device) {
            cpi_fail(CP_ERROR_TWO_DEVICES, "%s: operands lie on different devices (%s and %s)", function, device->label,
                     arrays[i]->device->label);
            return NULL;
        }
        device = arrays[i]->device;
        cpi_array_used(arrays[i]);
    }
    return device ? device : cpi_device_current();
}

cp_code cpi_common_shape(const char *function, int n, cp_array *const *arrays, int *ndim, int64_t *shape)
{
    const cp_array *first = NULL;
    for (int i = 0; i < n; i++) {
        const cp_array *x = arrays[i];
        if (!x) continue;
        if (!first) {
            first = x;
            *ndim = x->ndim;
            for (int d = 0; d < x->ndim; d++) shape[d] = x->shape[d];
        } else if (x->ndim && !cpi_has_shape(x, *ndim, shape)) {
            cp_code code = cpi_broadcast(function, ndim, shape, x->ndim, x->shape);
            if (code) return code;
        }
    }
    if (!first) *ndim = 0;
    return CP_OK;
}

/* A new array with x's values. */
static cp_array *copied(const char *function, cp_array *x, cp_type type, cpi_device *device, int ndim,
                        const int64_t *shape)
{
    cp_array *y = cpi_array_new(function, device, type, ndim, shape, 'C');
    if (!y || !cp_assign(y, x)) return y;
    cp_free(y);
    return NULL;
}

/* Kernels get addresses: those of another device are wrong numbers on a share of the CPU, and a fault on a GPU. */
static bool elsewhere(const char *function, const cp_array *x, const cpi_device *device)
{
    if (x->flags & CPI_HOST_SCALAR || x->device == device) return false;
    cpi_fail(CP_ERROR_TWO_DEVICES, "%s: operands lie on different devices (%s and %s)", function, device->label,
             x->device->label);
    return true;
}

cp_array *cpi_in_memory(const char *function, cp_array *x, cpi_device *device)
{
    cpi_array_used(x);
    if (elsewhere(function, x, device)) return NULL;
    return x->flags & CPI_HOST_SCALAR ? copied(function, x, x->type, device, 0, NULL) : cp_retain(x);
}

cp_array *cpi_dense(const char *function, cp_array *x, cp_type type, cpi_device *device)
{
    cpi_array_used(x);
    if (elsewhere(function, x, device)) return NULL;
    if (x->type == type && !(x->flags & CPI_HOST_SCALAR) && cp_is_c_contiguous(x)) return cp_retain(x);
    return copied(function, x, type, device, x->ndim, x->shape);
}

cp_array *cpi_dense_shaped(const char *function, cp_array *x, cp_type type, cpi_device *device, int ndim,
                           const int64_t *shape)
{
    if (cpi_has_shape(x, ndim, shape)) return cpi_dense(function, x, type, device);
    return copied(function, x, type, device, ndim, shape);
}

/* x in a shape that it broadcasts to, on a device: a view that cannot be written to. */
static cp_array *broadcast_on(const char *function, cp_array *x, cpi_device *device, int ndim, const int64_t *shape)
{
    char have[160], want[160];
    int64_t strides[CP_MAXDIM];
    if (!cpi_broadcast_strides(x, ndim, shape, strides)) {
        cpi_fail(CP_ERROR_VALUE, "%s: shape %s cannot be broadcast to %s", function,
                 cpi_shape_string(x->ndim, x->shape, have, sizeof have),
                 cpi_shape_string(ndim, shape, want, sizeof want));
        return NULL;
    }
    x = device ? cpi_in_memory(function, x, device) : NULL;
    cp_array *v = x ? cpi_array_view(x, x->type, ndim, shape, strides, x->data) : NULL;
    if (v) v->flags |= CPI_READONLY;
    cp_free(x);
    return v;
}

cp_array *cpi_broadcast_view(const char *function, cp_array *x, int ndim, const int64_t *shape)
{
    return broadcast_on(function, x, cpi_common_device(function, 1, &x), ndim, shape);
}

cp_code cpi_check_mask(const char *function, const cp_array *where)
{
    return where ? cpi_check_cast(function, CPI_DATA, where->type, CP_BOOL, CP_SAFE) : CP_OK;
}

cp_array *cpi_mask(const char *function, cp_array *where, cpi_device *device, int ndim, const int64_t *shape)
{
    return cpi_check_mask(function, where) ? NULL : broadcast_on(function, where, device, ndim, shape);
}
