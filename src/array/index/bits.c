/* packbits and unpackbits: booleans to the bits of bytes, and back. Invariant: rows are contiguous when a backend sees
 * them, and each begins with a new byte. */
#include <string.h>

#include "backend/array.h"
#include "cuprite/elementwise.h"
#include "cuprite/index.h"
#include "operands/operands.h"
#include "index/index.h"

/* A new array like x with `last` elements along the last axis; *rows: the number of rows. */
static cp_array *with_last(const char *name, const cp_array *x, int64_t last, int64_t *rows)
{
    int64_t shape[CP_MAXDIM];
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    shape[x->ndim - 1] = last;
    *rows = 1;
    for (int i = 0; i < x->ndim - 1; i++) *rows *= shape[i];
    return cpi_array_new(name, x->device, CP_UINT8, x->ndim, shape, 'C');
}

static cp_array *pack(const char *name, cp_array *x, bool little)
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

static cp_array *unpack(const char *name, cp_array *x, bool little)
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

/*: words("bitorder", "big little", c="cp_bitorder", strings_only=True) */

/* a with the axis last, or flattened: *axis is 0 then. */
static cp_array *bit_rows(const char *name, cp_array *a, int *axis)
{
    if (*axis == CP_FLAT || !a->ndim) {
        if (*axis != CP_FLAT && *axis != 0 && *axis != -1) {
            int one = *axis;
            if (cpi_axis(name, &one, 1)) return NULL;
        }
        *axis = 0;
        return cp_ravel(a);
    }
    return cpi_axis(name, axis, a->ndim) ? NULL : cp_moveaxis(a, CP_AXES(*axis), CP_AXES(-1));
}

/* Moves the last axis back to its old position, in C order; r is released. */
static cp_array *axis_back(cp_array *r, int axis)
{
    if (!r || axis == r->ndim - 1) return r;
    cp_array *moved = cp_moveaxis(r, CP_AXES(-1), CP_AXES(axis)), *dense = moved ? cp_copy(moved) : NULL;
    cp_free(r), cp_free(moved);
    return dense;
}

static cp_code check_order(const char *name, cp_bitorder order)
{
    if ((unsigned)order <= CP_BITORDER_LITTLE) return CP_OK;
    return cpi_fail(CP_ERROR_VALUE, "%s: bitorder %d is none", name, (int)order);
}

/*: function("packbits", "a: array, /, axis: axis_or_flat = None, bitorder: bitorder = 'big'",
             doc="Eight elements along an axis (None: flattened) as the bits of a byte, 1 where they are not zero; the "
                 "last byte is filled with zeros.") */
cp_array *(cp_packbits)(cp_array *a, int axis, const cp_packbits_options *options)
{
    const char *name = "packbits";
    const cp_packbits_options *o = CPI_GIVEN(cp_packbits_options, options);
    if (cpi_null(name, a) || check_order(name, o->bitorder)) return NULL;
    const char kind = cp_type_kind(a->type);
    if (kind == 'f' || kind == 'c')
        return cpi_fail(CP_ERROR_TYPE, "%s: Expected an input array of integer or boolean data type", name), NULL;
    cp_array *rows = bit_rows(name, a, &axis), *zero, *r;
    if (rows && cp_type_size(rows->type) != 1) {
        cp_array *yes = (zero = cp_int(0)) ? cp_not_equal(rows, zero) : NULL;
        cp_free(zero), cp_free(rows);
        rows = yes;
    }
    r = rows ? pack(name, rows, o->bitorder == CP_BITORDER_LITTLE) : NULL;
    cp_free(rows);
    return axis_back(r, axis);
}

/*: python_module("_bits", doc="Implements cuprite.unpackbits.") */
/*: function("unpackbits", "a: array, axis: axis_or_flat = None, bitorder: bitorder = 'big'", module="_bits",
             doc="The bits of bytes as eight elements, 0 or 1, along an axis (None: flattened).") */
cp_array *(cp_unpackbits)(cp_array *a, int axis, const cp_unpackbits_options *options)
{
    const char *name = "unpackbits";
    const cp_unpackbits_options *o = CPI_GIVEN(cp_unpackbits_options, options);
    if (cpi_null(name, a) || check_order(name, o->bitorder)) return NULL;
    if (a->type != CP_UINT8)
        return cpi_fail(CP_ERROR_TYPE, "%s: Expected an input array of unsigned byte data type", name), NULL;
    cp_array *rows = bit_rows(name, a, &axis), *r = rows ? unpack(name, rows, o->bitorder == CP_BITORDER_LITTLE) : NULL;
    cp_free(rows);
    return axis_back(r, axis);
}
