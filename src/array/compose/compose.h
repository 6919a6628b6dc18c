/* Shared by the composites: begin and end, and shorthands for common calls.
 *
 * A composite is made of public functions: it uses no device, slot or kernel directly, so it runs wherever they do.
 * Its body works inside a scope, which frees what the body made and keeps what it returns. NULL arrays pass through,
 * so a body reads as the formula. Its row stands beside it; prototype, options, Python function and pages are
 * generated from the row. */
#ifndef CPI_COMPOSE_H
#define CPI_COMPOSE_H

#include "core/error.h"
#include "core/memory.h"
#include "core/shape.h"
#include "cuprite.h"

/* A composite's call: a scope, with the device of its first operand current. `fine`: no error was set before. */
typedef struct cpi_composite { cp_scope *scope; int before, there; bool fine; } cpi_composite;

/* False, with the error set, where the operand is NULL or memory is exhausted. */
static inline bool cpi_begin(cpi_composite *f, const char *function, const cp_array *x)
{
    f->fine = cp_error() == CP_OK;
    if (cpi_null(function, x)) return false;
    f->before = f->there = cp_device_current();
    if (f->before == CP_NO_DEVICE) return false;
    if (!(x->flags & CPI_HOST_SCALAR)) f->there = cp_device_of(x);
    if (f->there != f->before && cp_device_use(f->there)) return false;
    if ((f->scope = cp_scope_begin())) return true;
    if (f->there != f->before) cp_device_use(f->before);
    return false;
}

/* The same without an operand that determines the device. */
static inline bool cpi_begin_alone(cpi_composite *f)
{
    f->fine = cp_error() == CP_OK;
    f->before = f->there = cp_device_current();
    return f->before != CP_NO_DEVICE && (f->scope = cp_scope_begin());
}

/* Ends the call and frees everything made in it but `result`, which is returned. Returns NULL where any call failed,
 * even one for an option, or for a warning only. */
static inline cp_array *cpi_end(const cpi_composite *f, cp_array *result)
{
    result = cp_scope_return(f->scope, f->fine && cp_error() ? NULL : result);
    if (f->there != f->before) cp_device_use(f->before);
    return result;
}

/* One operation with out=, which may be NULL. */
static inline cp_array *cpi_apply_1(cp_op op, cp_array *a, cp_array *out)
{
    return cp_elementwise(op, &a, &(cp_ufunc_options){.out = out});
}
static inline cp_array *cpi_apply_2(cp_op op, cp_array *a, cp_array *b, cp_array *out)
{
    return cp_elementwise(op, (cp_array *[]){a, b}, &(cp_ufunc_options){.out = out});
}

/* x[..., from:to, ...] of one axis; `to` INT64_MAX: to the end. */
static inline cp_array *cpi_range(cp_array *x, int axis, int64_t from, int64_t to)
{
    cp_index items[CP_MAXDIM];
    if (!x) return NULL;
    for (int i = 0; i < axis; i++) items[i] = CP_FULL;
    items[axis] = CP_RANGE(from, to);
    return cp_slice(x, axis + 1, items);
}

#endif
