/* Copies: assignment, conversion, contiguity, host and other devices. All values pass through the copy kernel. */
#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "core/array.h"
#include "move/move.h"

/* dst[...] = src on one device; the two share no memory, or are the same elements. */
static cp_code copy_elements(cp_array *dst, const cp_array *src)
{
    if (!dst->size) return CP_OK;
    cpi_array_used(dst);
    cpi_array_used(src);
    cp_stream *stream = cpi_stream(dst->device);
    const cpi_backend *backend = dst->device->backend;
    if (dst->type == src->type && !(src->flags & CPI_HOST_SCALAR) && src->size == dst->size &&
        cp_is_c_contiguous(dst) && cp_is_c_contiguous(src))
        return backend->copy(stream, dst->data, src->data, (size_t)cp_nbytes(dst));
    cpi_loop loop;
    if (src->flags & CPI_HOST_SCALAR && cp_is_c_contiguous(dst)) { /* a number: any shape is 1-d */
        loop.nop = 2, loop.ndim = 1, loop.size = loop.shape[0] = dst->size;
        loop.op[0].data = dst->data, loop.op[0].type = dst->type, loop.op[0].host = false;
        loop.op[1].data = src->data, loop.op[1].type = src->type, loop.op[1].host = true;
        loop.op[0].strides[0] = cpi_itemsize(dst->type), loop.op[1].strides[0] = 0;
        return backend->move->copy(stream, &loop);
    }
    cpi_loop_init(&loop, dst->ndim, dst->shape, 2, (const cp_array *const[]){dst, src});
    cpi_loop_coalesce(&loop);
    return backend->move->copy(stream, &loop);
}

/* y with x's values; on failure frees y and returns NULL. */
static cp_array *filled_from(cp_array *y, const cp_array *x)
{
    if (!y || !copy_elements(y, x)) return y;
    cp_free(y);
    return NULL;
}

static cpi_device *home(const cp_array *x)
{
    return x->flags & CPI_HOST_SCALAR ? cpi_device_current() : x->device;
}

cp_array *cpi_as_contiguous(const char *function, cp_array *x, cp_type type)
{
    cpi_array_used(x);
    if (x->type == type && !(x->flags & CPI_HOST_SCALAR) && cp_is_c_contiguous(x)) return cp_retain(x);
    return filled_from(cpi_array_new(function, home(x), type, x->ndim, x->shape, 'C'), x);
}

/* Does src, without leading axes of length 1, broadcast to dst? */
static cp_code fits(const char *function, const cp_array *dst, const cp_array *src)
{
    int skip = src->ndim > dst->ndim ? src->ndim - dst->ndim : 0;
    bool good = true;
    for (int i = 0; i < skip; i++) good &= src->shape[i] == 1;
    for (int i = skip; i < src->ndim; i++)
        good &= src->shape[i] == 1 || src->shape[i] == dst->shape[dst->ndim - src->ndim + i];
    if (good) return CP_OK;
    char a[160], b[160];
    return cpi_fail(CP_ERROR_VALUE, "%s: could not broadcast input array from shape %s into shape %s", function,
                    cpi_shape_string(src->ndim, src->shape, a, sizeof a),
                    cpi_shape_string(dst->ndim, dst->shape, b, sizeof b));
}

cp_code cp_assign(cp_array *dst, const cp_array *src)
{
    const char *function = "assign";
    if (cpi_null(function, dst) || cpi_null(function, src)) return CP_ERROR_VALUE;
    cp_code code = cpi_check_writable(function, dst);
    if (!code) code = fits(function, dst, src);
    if (code || !dst->size || (dst->type == src->type && cpi_same_elements(dst, src))) return code;
    cp_array *value = NULL, *aligned = NULL;
    const cp_array *from = src;
    const bool number = src->flags & CPI_HOST_SCALAR; /* its memory is not shared */
    if (!number && src->device != dst->device) {
        from = value = cp_to_device((cp_array *)(uintptr_t)src, dst->device->id);
    } else if (!number && cpi_may_overlap(dst, src)) {
        from = value = cp_copy(src);
    }
    if (from && from->ndim > dst->ndim) { /* leading axes of length 1 */
        int skip = from->ndim - dst->ndim;
        from = aligned = cpi_array_view((cp_array *)(uintptr_t)from, from->type, dst->ndim, from->shape + skip,
                                        from->strides + skip, from->data);
    }
    code = from ? copy_elements(dst, from) : cp_error();
    cp_free(aligned);
    cp_free(value);
    return code;
}

/* Is cp_assign(dst, src) only a copy between two arrays of the device? */
static bool only_copies(const cp_array *dst, const cp_array *src)
{
    bool alike = src->ndim == dst->ndim && !memcmp(src->shape, dst->shape, (size_t)dst->ndim * sizeof *dst->shape);
    return alike && dst->size && !(src->flags & CPI_HOST_SCALAR) && src->device == dst->device &&
           !cpi_may_overlap(dst, src) && !(dst->flags & CPI_READONLY);
}

cp_code cpi_assign_all(int n, cp_array *const *to, cp_array *const *from)
{
    enum { TOGETHER = 8 };
    cpi_loop loops[TOGETHER];
    const cpi_backend *backend = n ? to[0]->device->backend : NULL;
    cp_code code = CP_OK;
    int kept = 0;
    for (int i = 0; i < n && !code; i++) {
        if (backend->at_once || to[i]->device != to[0]->device || !only_copies(to[i], from[i])) {
            code = cp_assign(to[i], from[i]);
            continue;
        }
        cpi_array_used(to[i]);
        cpi_array_used(from[i]);
        cpi_loop_init(&loops[kept], to[i]->ndim, to[i]->shape, 2, (const cp_array *const[]){to[i], from[i]});
        cpi_loop_coalesce(&loops[kept++]);
        if (kept < TOGETHER) continue;
        code = backend->move->copy_all(cpi_stream(to[0]->device), kept, loops);
        kept = 0;
    }
    return code || !kept ? code : backend->move->copy_all(cpi_stream(to[0]->device), kept, loops);
}

cp_code cp_set_item(cp_array *x, int n, const int64_t *index, const void *value)
{
    const char *function = "set_item";
    if (cpi_null(function, x) || cpi_null(function, value) || (n > 0 && cpi_null(function, index)))
        return CP_ERROR_VALUE;
    if (n != x->ndim)
        return cpi_fail(CP_ERROR_INDEX, "%s: an element of an array of %d dimensions has %d indices, %d given",
                        function, x->ndim, x->ndim, n);
    char *at = x->data;
    for (int i = 0; i < n; i++) {
        if (index[i] < -x->shape[i] || index[i] >= x->shape[i])
            return cpi_fail(CP_ERROR_INDEX, "%s: index %lld is out of bounds for axis %d with size %lld", function,
                            (long long)index[i], i, (long long)x->shape[i]);
        at += (index[i] < 0 ? index[i] + x->shape[i] : index[i]) * x->strides[i];
    }
    cp_code code = cpi_check_writable(function, x);
    if (code) return code;
    if (x->device->backend->at_once) {
        memcpy(at, value, cp_type_size(x->type));
        return CP_OK;
    }
    cp_array *item = cpi_array_view(x, x->type, 0, NULL, NULL, at), *v = item ? cp_scalar(x->type, value) : NULL;
    code = v ? cp_assign(item, v) : cp_error();
    cp_free(v);
    cp_free(item);
    return code;
}

cp_code cp_fill(cp_array *dst, const cp_array *value)
{
    if (cpi_null("fill", dst) || cpi_null("fill", value)) return CP_ERROR_VALUE;
    if (value->size != 1)
        return cpi_fail(CP_ERROR_VALUE, "fill: one value is needed, %lld given", (long long)value->size);
    return cp_assign(dst, value);
}

cp_array *cp_copy_order(const cp_array *x, char order)
{
    const char *function = "copy";
    if (cpi_null(function, x)) return NULL;
    if (order != 'C' && order != 'F' && order != 'A' && order != 'K') {
        cpi_fail(CP_ERROR_VALUE, "%s: order must be one of 'C', 'F', 'A' or 'K' (got '%c')", function, order);
        return NULL;
    }
    if (order == 'A') order = cp_is_f_contiguous(x) && !cp_is_c_contiguous(x) ? 'F' : 'C';
    return filled_from(order == 'K' ? cpi_array_like(function, x, x->type, x->ndim, x->shape)
                                    : cpi_array_new(function, home(x), x->type, x->ndim, x->shape, order), x);
}

cp_array *cp_copy(const cp_array *x) { return cp_copy_order(x, 'C'); }

cp_array *cp_astype(cp_array *x, cp_type type)
{
    if (cpi_null("astype", x)) return NULL;
    return filled_from(cpi_array_like("astype", x, type, x->ndim, x->shape), x);
}

cp_array *cp_contiguous(cp_array *x)
{
    if (cpi_null("contiguous", x)) return NULL;
    bool is_already = !(x->flags & CPI_HOST_SCALAR) && cp_is_c_contiguous(x);
    return is_already ? cpi_again(x) : cpi_as_contiguous("contiguous", x, x->type);
}

/* Copies the bytes of one element: a call is expensive for so few. */
static void copy_element(void *to, const void *from, int64_t size)
{
    switch (size) {
    case 1: memcpy(to, from, 1); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, (size_t)size);
    }
}

enum { LITTLE = 1 << 16 /* bytes of host memory that are copied without the backend */ };

cp_code cp_to_host(const cp_array *x, void *data, size_t bytes)
{
    const char *function = "to_host";
    if (cpi_null(function, x) || (x->size && cpi_null(function, data))) return CP_ERROR_VALUE;
    if (bytes < (size_t)cp_nbytes(x))
        return cpi_fail(CP_ERROR_VALUE, "%s: a buffer of %zu bytes, the array has %lld", function, bytes,
                        (long long)cp_nbytes(x));
    if (!x->size) return CP_OK;
    if (!(x->flags & CPI_HOST_SCALAR) && !cpi_may_wait(function, x->device)) return cp_error();
    if (x->flags & CPI_HOST_SCALAR || (x->size == 1 && x->device->backend->at_once)) {
        copy_element(data, x->data, cpi_itemsize(x->type));
        return CP_OK;
    }
    if (x->device->backend->at_once && cp_nbytes(x) <= LITTLE && cp_is_c_contiguous(x)) {
        memcpy(data, x->data, (size_t)cp_nbytes(x));
        return CP_OK;
    }
    cp_array *flat = cpi_as_contiguous(function, (cp_array *)(uintptr_t)x, x->type);
    if (!flat) return cp_error();
    cp_code code = x->device->backend->to_host(cpi_stream(x->device), data, flat->data, (size_t)cp_nbytes(x));
    cp_free(flat);
    return code;
}

/* Copies the bytes of a contiguous array to a contiguous array on another device. */
static cp_code transfer(cp_array *to, cp_array *from)
{
    cpi_array_used(to);
    cpi_array_used(from);
    return cpi_copy_peer(to->device, to->data, from->device, from->data, (size_t)cp_nbytes(to));
}

cp_array *cp_to_device(cp_array *x, int device)
{
    const char *function = "to_device";
    if (cpi_null(function, x)) return NULL;
    cpi_device *d = cpi_device_get(function, device);
    if (!d) return NULL;
    if (x->device == d && !(x->flags & CPI_HOST_SCALAR)) return cpi_again(x);
    cp_array *y = cpi_array_new(function, d, x->type, x->ndim, x->shape, 'C');
    if (!y || !x->size) return y;
    cp_array *flat = x->flags & CPI_HOST_SCALAR ? cp_retain(x) : cpi_as_contiguous(function, x, x->type);
    cp_code code = flat ? transfer(y, flat) : cp_error();
    cp_free(flat);
    if (!code) return y;
    cp_free(y);
    return NULL;
}

/* The one value of x, in host memory. */
static cp_code one_value(const char *function, const cp_array *x, void *value)
{
    if (cpi_null(function, x)) return CP_ERROR_VALUE;
    if (x->size != 1)
        return cpi_fail(CP_ERROR_TYPE, "%s: only arrays of size 1 can be converted to a scalar (size is %lld)",
                        function, (long long)x->size);
    return cp_to_host(x, value, 16);
}

cp_code cpi_item_as(const char *function, const cp_array *x, cp_type type, void *result)
{
    _Alignas(16) unsigned char value[16];
    cp_code code = one_value(function, x, value);
    if (!code) cpi_convert_value(x->type, value, type, result);
    return code;
}

double cp_item_float(const cp_array *x)
{
    double result;
    return cpi_item_as("item_float", x, CP_FLOAT64, &result) ? NAN : result;
}

int64_t cp_item_int(const cp_array *x)
{
    int64_t result;
    return cpi_item_as("item_int", x, CP_INT64, &result) ? 0 : result;
}
