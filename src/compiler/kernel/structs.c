/* Arrays as structs that kernels take by value: the memory layout of CArray of <cupy/carray.cuh> and mdspan of
 * <cuda/std/mdspan>. Both begin with the address; of an array without axes the rest is zeros, which a kernel may leave
 * unread. */
#include <string.h>

#include "core/error.h"
#include "backend/array.h"
#include "kernel/kernel.h"

enum { WORD = sizeof(int64_t) };

/* False, with an error, for what has no memory that a kernel could be given. */
static bool begin(const char *function, cp_array *x, cp_struct *s)
{
    if (cpi_null(function, x) || cpi_null(function, s)) return false;
    memset(s, 0, sizeof *s);
    if (x->flags & CPI_HOST_SCALAR)
        return cpi_fail(CP_ERROR_VALUE, "%s: a host scalar lies on no device", function), false;
    s->array = x;
    s->value[0] = (int64_t)(intptr_t)x->data;
    return true;
}

cp_code cp_cstruct(cp_array *x, cp_struct *s)
{
    if (!begin("cstruct", x, s)) return CP_ERROR_VALUE;
    s->value[1] = x->size;
    memcpy(s->value + 2, x->shape, (size_t)x->ndim * WORD);
    memcpy(s->value + 2 + x->ndim, x->strides, (size_t)x->ndim * WORD);
    s->bytes = (2 + 2 * (x->ndim ? x->ndim : 1)) * WORD;
    return CP_OK;
}

/* The stride of an axis in elements. */
static cp_code step_of(const cp_array *x, int axis, bool unsafe, int64_t *step)
{
    const int64_t size = (int64_t)cpi_itemsize(x->type), bytes = x->strides[axis];
    *step = bytes / size;
    if (bytes % size)
        return cpi_fail(CP_ERROR_VALUE, "mdspan: axis %d has a stride of %lld bytes, elements have %lld", axis,
                        (long long)bytes, (long long)size);
    if (!unsafe && (bytes <= 0 || x->shape[axis] == 0))
        return cpi_fail(CP_ERROR_VALUE, "mdspan: axis %d has extent %lld and a stride of %lld bytes (allow_unsafe)",
                        axis, (long long)x->shape[axis], (long long)bytes);
    return CP_OK;
}

/* The k-th integer of an mdspan. */
static void write_integer(cp_struct *s, bool narrow, int k, int64_t v)
{
    if (narrow) memcpy((char *)(s->value + 1) + k * WORD / 2, &(int32_t){(int32_t)v}, WORD / 2);
    else s->value[1 + k] = v;
}

static bool counts(bool narrow, int64_t v) { return !narrow || (v <= INT32_MAX && v >= INT32_MIN); }

cp_code (cp_mdspan)(cp_array *x, cp_type index_type, cp_struct *s, const cp_mdspan_options *options)
{
    const cp_mdspan_options *o = CPI_GIVEN(cp_mdspan_options, options);
    const bool narrow = index_type == CP_INT32;
    if (!begin("mdspan", x, s)) return CP_ERROR_VALUE;
    if (!narrow && index_type != CP_INT64)
        return cpi_fail(CP_ERROR_VALUE, "mdspan: index_type must be int32 or int64, not %s", cp_type_name(index_type));
    if (!counts(narrow, x->size))
        return cpi_fail(CP_ERROR_VALUE, "mdspan: an int32 does not count %lld elements", (long long)x->size);
    for (int i = 0; i < x->ndim; i++) {
        int64_t step;
        cp_code code = step_of(x, i, o->allow_unsafe, &step);
        if (code) return code;
        if (!counts(narrow, x->shape[i]) || !counts(narrow, step))
            return cpi_fail(CP_ERROR_VALUE, "mdspan: axis %d is too long for an int32", i);
        write_integer(s, narrow, i, x->shape[i]);
        write_integer(s, narrow, x->ndim + i, step);
    }
    s->bytes = x->ndim ? WORD + 2 * x->ndim * (narrow ? WORD / 2 : WORD) : 2 * WORD;
    return CP_OK;
}
