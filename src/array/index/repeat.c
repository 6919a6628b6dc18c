/* Elements repeated: by a view where all are repeated alike, else by picking places, which the host lists where the
 * numbers are few or in its memory, and the device works out where they lie there. */
#include "index/repeat.h"

#include <string.h>

#include "cuprite/index.h"
#include "cuprite/reduce.h"
#include "cuprite/scan.h"
#include "operands/operands.h"
#include "move/move.h"

/* All of them `times` times: a copy of a view that has them so. */
static cp_array *evenly(cp_array *x, int axis, int64_t times)
{
    int64_t shape[4] = {1, x->shape[axis], times, 1}, size, whole[CP_MAXDIM];
    for (int i = 0; i < axis; i++) shape[0] *= x->shape[i];
    for (int i = axis + 1; i < x->ndim; i++) shape[3] *= x->shape[i];
    memcpy(whole, x->shape, (size_t)x->ndim * sizeof *whole);
    if (__builtin_mul_overflow(times, x->shape[axis], &whole[axis]))
        return cpi_fail(CP_ERROR_VALUE, "repeat: the result has too many elements"), NULL;
    if (cpi_shape_size("repeat", x->ndim, whole, (size_t)cpi_itemsize(x->type), &size)) return NULL;
    cpi_device *device = cpi_common_device("repeat", 1, &x);
    if (!size) return device ? cpi_array_new("repeat", device, x->type, x->ndim, whole, 'C') : NULL;
    cp_array *column = cp_reshape(x, CP_SHAPE(shape[0], shape[1], 1, shape[3]));
    cp_array *wide = column ? cp_broadcast_to(column, (cp_shape){4, shape}) : NULL, *copy = wide ? cp_copy(wide) : NULL;
    cp_array *r = copy ? cp_reshape(copy, (cp_shape){x->ndim, whole}) : NULL;
    cp_free(column), cp_free(wide), cp_free(copy);
    return r;
}

/* A line of elements in memory that the host has: without a list of places. */
static cp_array *expanded(cp_array *x, const int64_t *times, int64_t total)
{
    cp_array *from = cpi_dense("repeat", x, x->type, x->device);
    cp_array *r = from ? cpi_array_new("repeat", x->device, x->type, 1, &total, 'C') : NULL;
    if (r && total && cpi_cpu_repeat(from->data, times, x->size, cpi_itemsize(x->type), r->data)) cp_free(r), r = NULL;
    cp_free(from);
    return r;
}

/* Each as often as its own number says, read on the host. */
static cp_array *one_by_one(cp_array *x, int axis, const int64_t *times)
{
    int64_t total = 0, size;
    bool over = false;
    for (int64_t i = 0; i < x->shape[axis]; i++) over |= __builtin_add_overflow(total, times[i], &total);
    if (over) return cpi_fail(CP_ERROR_VALUE, "repeat: the result has too many elements"), NULL;
    if (cpi_shape_size("repeat", 1, &total, sizeof(int64_t), &size)) return NULL;
    if (x->ndim == 1 && x->device->backend->at_once) return expanded(x, times, total);
    int64_t *place = cpi_malloc((size_t)total * sizeof *place + 1), at = 0;
    if (!place) return NULL;
    for (int64_t i = 0; i < x->shape[axis]; i++)
        for (int64_t k = 0; k < times[i]; k++) place[at++] = i;
    cp_array *here = cp_from_host(place, CP_INT64, CP_SHAPE(total), NULL), *r = NULL;
    cp_array *index = here ? cp_to_device(here, x->device->id) : NULL;
    if (index) r = cpi_take_rows("repeat", x, axis, index);
    cpi_free_host(place);
    cp_free(here), cp_free(index);
    return r;
}

enum { ENOUGH = 64 }; /* numbers: fewer are sooner read than a device's kernels launched */

/* The same where the device works out the places, from the numbers' running sum, which says where each element's end.
 * *tried: false, and nothing done, where their sum may be too large for that. */
static cp_array *on_device(cp_array *x, int axis, cp_array *times, bool *tried)
{
    int64_t most = 0, least = 0, total = 0, size;
    cp_array *high = cp_max(times), *low = high ? cp_min(times) : NULL, *ends = NULL, *last = NULL, *index = NULL;
    cp_array *r = NULL;
    *tried = true;
    if (!low || cp_to_host(high, &most, sizeof most) || cp_to_host(low, &least, sizeof least)) goto done;
    if (least < 0) {
        cpi_fail(CP_ERROR_VALUE, "repeat: repeats may not contain negative values.");
        goto done;
    }
    if (__builtin_mul_overflow(most, times->size, &size)) {
        *tried = false;
        goto done;
    }
    if (!(ends = cp_cumsum(times, 0, .dtype = CP_INT64)) || !(last = cp_slice(ends, 1, &CP_AT(-1))) ||
        cp_to_host(last, &total, sizeof total) || cpi_shape_size("repeat", 1, &total, sizeof(int64_t), &size))
        goto done;
    index = cpi_array_new("repeat", x->device, CP_INT64, 1, &total, 'C');
    cpi_array_used(ends);
    if (index && total && x->device->backend->index->repeat(cpi_stream(x->device), (const int64_t *)ends->data,
                                                            times->size, total, (int64_t *)index->data))
        goto done;
    r = index ? cpi_take_rows("repeat", x, axis, index) : NULL;
done:
    cp_free(high), cp_free(low), cp_free(ends), cp_free(last), cp_free(index);
    return r;
}

/*: function("repeat", "a: array, repeats: number_or_array_like, axis: axis_or_flat = None", method=True,
             unlock="always",
             doc="Each element along an axis (None: flattened) as often as `repeats` says, one number for all or one "
                 "for each. On a GPU the call waits for their sum.") */
cp_array *cp_repeat(cp_array *a, cp_array *repeats, int axis)
{
    const char *name = "repeat";
    if (cpi_null(name, a) || cpi_null(name, repeats)) return NULL;
    const bool rough = repeats->flags & CPI_WEAK && !cpi_is_complex(repeats->type); /* a Python number is cut */
    if (!rough && (repeats->size || repeats->ndim != 1) && /* an empty list is one of integers */
        cpi_check_cast(name, CPI_DATA, repeats->type, CP_INT64, CP_SAFE))
        return NULL;
    if (repeats->ndim > 1) return cpi_fail(CP_ERROR_VALUE, "%s: object too deep for desired array", name), NULL;
    cpi_device *device = cpi_common_device(name, 1, &a);
    cp_array *x = device ? cpi_in_memory(name, a, device) : NULL, *counts = NULL, *r = NULL;
    int64_t *own = NULL;
    if (x && (axis == CP_FLAT || !x->ndim)) {
        cp_array *line = cp_ravel(x);
        const bool none = !x->ndim && axis != CP_FLAT && axis != 0 && axis != -1 && cpi_axis(name, &axis, 1);
        cp_free(x);
        x = line;
        if (none) goto done;
        axis = 0;
    }
    if (!x || cpi_axis(name, &axis, x->ndim)) goto done;
    const bool one = repeats->size == 1;
    if (!one && repeats->size != x->shape[axis]) {
        cpi_fail(CP_ERROR_VALUE, "%s: operands could not be broadcast together with shape (%lld,) (%lld,)", name,
                 (long long)x->shape[axis], (long long)repeats->size);
        goto done;
    }
    const bool number = repeats->flags & CPI_HOST_SCALAR;
    const bool there = number || (repeats->type == CP_INT64 && repeats->device->backend->at_once &&
                                  cp_is_c_contiguous(repeats)); /* in the host's memory */
    int64_t only;
    if (number && cpi_item_as(name, repeats, CP_INT64, &only)) goto done;
    if (!there && !(counts = cp_astype(repeats, CP_INT64))) goto done;
    bool tried = false;
    if (!there && !one && counts->size >= ENOUGH && counts->device == x->device)
        r = on_device(x, axis, counts, &tried);
    if (tried) goto done;
    if (!there && (!(own = cpi_malloc((size_t)repeats->size * sizeof *own + 1)) ||
                   (repeats->size && cp_to_host(counts, own, (size_t)repeats->size * sizeof *own))))
        goto done;
    const int64_t *times = number ? &only : there ? (const int64_t *)repeats->data : own;
    int64_t signs = 0;
    for (int64_t i = 0; i < repeats->size; i++) signs |= times[i];
    if (signs < 0 && x->shape[axis]) {
        cpi_fail(CP_ERROR_VALUE, "%s: repeats may not contain negative values.", name);
        goto done;
    }
    r = one ? evenly(x, axis, times[0]) : one_by_one(x, axis, times);
done:
    cp_free(x), cp_free(counts), cpi_free_host(own);
    return r;
}
