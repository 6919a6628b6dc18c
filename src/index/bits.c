/* Truth values as the bits of bytes, and back: the last axis of an array. What packbits and unpackbits are made of.
 * Invariant: rows are contiguous when a backend sees them, and each begins with a byte of its own. */
#include <string.h>

#include "backend/array.h"
#include "front/front.h"
#include "index/index.h"

/* x with its last axis' extent `last`: a new array; *rows: how many there are. */
static cp_array *with_last(const char *name, const cp_array *x, int64_t last, int64_t *rows)
{
    int64_t shape[CP_MAXDIM];
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    shape[x->ndim - 1] = last;
    *rows = 1;
    for (int i = 0; i < x->ndim - 1; i++) *rows *= shape[i];
    return cpi_array_new(name, x->device, CP_UINT8, x->ndim, shape, 'C');
}

cp_array *cpi_pack_bits(const char *name, cp_array *x, bool little)
{
    cpi_device *device = cpi_common_device(name, 1, &x);
    cp_array *from = device ? cpi_dense(name, x, x->type, device) : NULL;
    if (!from) return NULL;
    const int64_t n = x->shape[x->ndim - 1];
    int64_t rows;
    cp_array *r = with_last(name, from, n / 8 + (n % 8 != 0), &rows);
    if (r && r->size &&
        device->backend->index->pack(cpi_stream(device), (const uint8_t *)from->data, rows, n, little,
                                     (uint8_t *)r->data))
        cp_free(r), r = NULL;
    cp_free(from);
    return r;
}

cp_array *cpi_unpack_bits(const char *name, cp_array *x, bool little)
{
    int64_t n = x->shape[x->ndim - 1], rows;
    if (__builtin_mul_overflow(n, 8, &n))
        return cpi_fail(CP_ERROR_VALUE, "%s: the result has too many elements", name), NULL;
    cpi_device *device = cpi_common_device(name, 1, &x);
    cp_array *from = device ? cpi_dense(name, x, x->type, device) : NULL;
    cp_array *r = from ? with_last(name, from, n, &rows) : NULL;
    if (r && r->size &&
        device->backend->index->unpack(cpi_stream(device), (const uint8_t *)from->data, from->size, little,
                                       (uint8_t *)r->data))
        cp_free(r), r = NULL;
    cp_free(from);
    return r;
}
