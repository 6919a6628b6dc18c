/* Operands: on which device they meet, what shape they broadcast to, whether their types may be converted, and the
 * form in which kernels want them. */
#include "front/front.h"

#include <string.h>

cpi_device *cpi_common_device(const char *function, int n, cp_array *const *arrays)
{
    cpi_device *device = NULL;
    for (int i = 0; i < n; i++) {
        if (!arrays[i] || arrays[i]->flags & CPI_HOST_SCALAR) continue;
        if (device && arrays[i]->device != device) {
            cpi_fail(CP_ERROR_VALUE, "%s: operands lie on different devices (%s and %s)", function, device->label,
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
    *ndim = 0;
    for (int i = 0; i < n; i++) {
        if (!arrays[i]) continue;
        cp_code code = cpi_broadcast(function, ndim, shape, arrays[i]->ndim, arrays[i]->shape);
        if (code) return code;
    }
    return CP_OK;
}

bool cpi_has_shape(const cp_array *x, int ndim, const int64_t *shape)
{
    return x->ndim == ndim && (!ndim || !memcmp(x->shape, shape, (size_t)ndim * sizeof *shape));
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

cp_array *cpi_in_memory(const char *function, cp_array *x, cpi_device *device)
{
    cpi_array_used(x);
    return x->flags & CPI_HOST_SCALAR ? copied(function, x, x->type, device, 0, NULL) : cp_retain(x);
}

cp_array *cpi_dense(const char *function, cp_array *x, cp_type type, cpi_device *device)
{
    cpi_array_used(x);
    if (x->type == type && !(x->flags & CPI_HOST_SCALAR) && cp_is_c_contiguous(x)) return cp_retain(x);
    return copied(function, x, type, device, x->ndim, x->shape);
}

cp_array *cpi_dense_shaped(const char *function, cp_array *x, cp_type type, cpi_device *device, int ndim,
                           const int64_t *shape)
{
    if (cpi_has_shape(x, ndim, shape)) return cpi_dense(function, x, type, device);
    return copied(function, x, type, device, ndim, shape);
}

const char *cpi_casting_name(cp_casting rule)
{
    static const char *const names[] = {
        [CP_SAME_KIND] = "same_kind", [CP_NO_CAST] = "no", [CP_EQUIV] = "equiv", [CP_SAFE] = "safe",
        [CP_UNSAFE] = "unsafe",
    };
    return (unsigned)rule <= CP_UNSAFE ? names[rule] : "no such rule";
}

cp_code cpi_check_cast(const char *function, cp_type from, cp_type to, cp_casting rule)
{
    if (cp_can_cast(from, to, rule)) return CP_OK;
    return cpi_fail(CP_ERROR_TYPE, "%s: Cannot cast array data from dtype('%s') to dtype('%s') according to the rule '%s'",
                    function, cp_type_name(from), cp_type_name(to), cpi_casting_name(rule));
}

/* NumPy's number of a type, which decides which of several types leads. */
static int seniority(cp_type t) { return cpi_is_float(t) && cpi_itemsize(t) == 2 ? CP_NTYPES + t : t; }

/* Every type is promoted with the most senior one, and only then with one another: int8, uint16 and float32 make
 * float32, although int8 and uint16 alone make int32. */
cp_type cpi_common_type(int n, cp_array *const *arrays)
{
    cp_type leader = arrays[0]->type;
    for (int i = 1; i < n; i++)
        if (seniority(arrays[i]->type) > seniority(leader)) leader = arrays[i]->type;
    cp_type common = leader;
    for (int i = 0; i < n; i++) common = cp_promote(common, cp_promote(leader, arrays[i]->type));
    return common;
}

cp_code cpi_check_real(const char *function, const cp_array *x)
{
    return cpi_is_complex(x->type) ? cpi_fail(CP_ERROR_TYPE, "%s: complex type not supported", function) : CP_OK;
}

cp_array *cpi_broadcast_view(const char *function, cp_array *x, int ndim, const int64_t *shape)
{
    char have[160], want[160];
    int64_t strides[CP_MAXDIM];
    if (!cpi_broadcast_strides(x, ndim, shape, strides)) {
        cpi_fail(CP_ERROR_VALUE, "%s: shape %s cannot be broadcast to %s", function,
                 cpi_shape_text(x->ndim, x->shape, have, sizeof have), cpi_shape_text(ndim, shape, want, sizeof want));
        return NULL;
    }
    cpi_device *device = cpi_common_device(function, 1, &x);
    x = device ? cpi_in_memory(function, x, device) : NULL;
    cp_array *v = x ? cpi_array_view(x, x->type, ndim, shape, strides, x->data) : NULL;
    if (v) v->flags |= CPI_READONLY;
    cp_free(x);
    return v;
}

cp_array *cpi_mask(const char *function, cp_array *where, int ndim, const int64_t *shape)
{
    if (cpi_check_cast(function, where->type, CP_BOOL, CP_SAFE)) return NULL;
    return cpi_broadcast_view(function, where, ndim, shape);
}
