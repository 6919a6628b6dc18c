/* API layer of selection by a condition: shapes, types, errors, and the memory layout of rows. Invariant: backends see
 * contiguous conditions and rows that are contiguous and evenly spaced; others are copied first. */
#include "index/index.h"

#include <string.h>

#include "cuprite/index.h"
#include "operands/operands.h"
#include "loop/loop.h"
#include "move/move.h"

/* One call: the condition made contiguous, the selection, the backend. */
typedef struct choice {
    const char *name;
    cpi_device *device;
    cp_stream *stream;
    const cpi_index_ops *ops;
    cp_array *condition; /* owned */
    cpi_selection s;
    bool selected;
} choice;

static cp_code open_choice(choice *c, const char *name, cpi_device *device)
{
    *c = (choice){.name = name, .device = device};
    if (!device) return cp_error();
    c->stream = cpi_stream(device);
    c->ops = device->backend->index;
    return CP_OK;
}

/* Selects by the first n elements of a condition. */
static cp_code choose(choice *c, cp_array *condition, int64_t n)
{
    c->s.n = n;
    if (n == 0) return CP_OK;
    c->condition = cpi_dense(c->name, condition, condition->type, c->device);
    if (!c->condition) return cp_error();
    cp_code code = c->ops->select(c->stream, c->condition->data, c->condition->type, n, &c->s);
    c->selected = c->s.work != NULL; /* also when it is earlier work's failure that is reported */
    return code;
}

static void close_choice(choice *c)
{
    if (c->selected) c->ops->release(c->stream, &c->s);
    cp_free(c->condition);
}

/* Can the axes first..last-1 of x be iterated with one stride? It is 0 where there is at most one element. */
static bool evenly(const cp_array *x, int first, int last, int64_t *step)
{
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
    for (int i = first; i < last; i++) shape[i - first] = x->shape[i], strides[i - first] = x->strides[i];
    cpi_loop_axes axes = {last - first, 1, shape, (int64_t *const[]){strides}, NULL};
    const int n = cpi_axes_coalesce(&axes, 0);
    *step = n ? strides[n - 1] : 0;
    return n <= 1;
}

/* Do the axes from `first` on form one contiguous run of bytes? */
static bool whole_rows(const cp_array *x, int first)
{
    return cpi_is_contiguous(x->ndim - first, x->shape + first, x->strides + first, cpi_itemsize(x->type), 'C');
}

static int64_t product(const int64_t *shape, int n)
{
    int64_t p = 1;
    for (int i = 0; i < n; i++) p *= shape[i];
    return p;
}

/* Can a row be moved as one element: a power of two of bytes, at multiples of its size? */
static bool elementary(int64_t bytes, const char *data, int64_t step)
{
    bool power = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
    return power && (uintptr_t)data % (uintptr_t)bytes == 0 && step % bytes == 0;
}

/* Calls take or put with the flat indices of the selected elements. If finding them fails on the device, they are
 * arbitrary. */
static cp_code move_rows(choice *c, cpi_rows *rows, bool put)
{
    int64_t *index = cpi_work_alloc(c->stream, (size_t)rows->count * sizeof *index);
    if (!index) return cp_error();
    cp_code code = c->ops->coordinates(c->stream, &c->s, 1, &c->s.n, false, index);
    rows->index = index, rows->most = c->s.n;
    if (!code) code = put ? c->ops->put(c->stream, rows) : c->ops->take(c->stream, rows);
    cpi_work_free(c->stream, index);
    return code;
}

/* The selected slices of x along merged axes first..last-1: shape before + (count) + behind. */
static cp_array *select_slices(choice *c, cp_array *x, int first, int last)
{
    int64_t shape[CP_MAXDIM + 1], step, outer_step;
    int nd = 0, rest = x->ndim - last;
    if (first + 1 + rest > CP_MAXDIM) {
        cpi_fail(CP_ERROR_VALUE, "%s: the result would have more than %d dimensions", c->name, CP_MAXDIM);
        return NULL;
    }
    for (int i = 0; i < first; i++) shape[nd++] = x->shape[i];
    shape[nd++] = c->s.count;
    for (int i = last; i < x->ndim; i++) shape[nd++] = x->shape[i];
    cp_array *out = cpi_array_new(c->name, c->device, x->type, nd, shape, 'C');
    if (!out || out->size == 0) return out;
    cp_array *from = NULL;
    if (evenly(x, 0, first, &outer_step) && evenly(x, first, last, &step) && whole_rows(x, last)) from = cp_retain(x);
    else from = cpi_dense(c->name, x, x->type, c->device);
    if (!from) {
        cp_free(out);
        return NULL;
    }
    evenly(from, 0, first, &outer_step), evenly(from, first, last, &step);
    int64_t bytes = product(x->shape + last, rest) * cpi_itemsize(x->type), outer = product(x->shape, first);
    cp_code code;
    if (outer == 1 && elementary(bytes, from->data, step)) {
        code = c->ops->compact(c->stream, &c->s, from->data, step, bytes, out->data);
    } else {
        cpi_rows rows = {outer,     c->s.count,         bytes, NULL, from->data, outer_step, step,
                         out->data, c->s.count * bytes, bytes};
        code = move_rows(c, &rows, false);
    }
    cp_free(from);
    if (!code) return out;
    cp_free(out);
    return NULL;
}

/* Fails unless every element of the 1-d condition from n on is false. */
static cp_code check_beyond(const char *name, cp_array *condition, int64_t n)
{
    choice c;
    cp_index beyond = CP_RANGE(n, condition->shape[0]);
    cp_array *tail = cp_slice(condition, 1, &beyond);
    if (!tail) return cp_error();
    cp_code code = open_choice(&c, name, condition->device);
    if (!code) code = choose(&c, tail, tail->size);
    if (!code && c.s.count)
        code = cpi_fail(CP_ERROR_INDEX, "%s: a true condition lies beyond the axis of size %lld", name, (long long)n);
    close_choice(&c);
    cp_free(tail);
    return code;
}

cp_array *cp_compress(cp_array *condition, cp_array *x, int axis)
{
    if (cpi_null("compress", condition) || cpi_null("compress", x)) return NULL;
    if (condition->ndim != 1) {
        cpi_fail(CP_ERROR_VALUE, "compress: condition must be a 1-d array");
        return NULL;
    }
    if (x->ndim == 0 && (axis == 0 || axis == -1)) axis = CP_FLAT; /* as NumPy */
    if (cpi_axis_or_flat("compress", &axis, x->ndim)) return NULL;
    bool flat = axis == CP_FLAT;
    cp_array *both[2] = {x, condition};
    choice c;
    if (open_choice(&c, "compress", cpi_common_device("compress", 2, both))) return NULL;
    cp_array *here = cpi_in_memory("compress", x, c.device);
    if (!here) return NULL;
    int64_t n = flat ? x->size : x->shape[axis], given = condition->shape[0];
    cp_array *result = NULL;
    if ((given <= n || !check_beyond("compress", condition, n)) && !choose(&c, condition, given < n ? given : n))
        result = select_slices(&c, here, flat ? 0 : axis, flat ? x->ndim : axis + 1);
    close_choice(&c);
    cp_free(here);
    return result;
}

/* --- coordinates of nonzero elements --- */

/* The nonzero elements of x in this shape: `points` (count, ndim), `flat` (count); otherwise (ndim, count). */
static cp_array *coordinates(const char *name, cp_array *x, int ndim, const int64_t *shape, bool points, bool flat)
{
    choice c;
    cp_array *out = NULL;
    if (!open_choice(&c, name, cpi_common_device(name, 1, &x)) && !choose(&c, x, x->size)) {
        int64_t lengths[2] = {points ? c.s.count : ndim, points ? ndim : c.s.count};
        out = cpi_array_new(name, c.device, CP_INT64, flat ? 1 : 2, flat ? lengths + 1 : lengths, 'C');
        if (out && out->size && c.ops->coordinates(c.stream, &c.s, ndim, shape, points, (int64_t *)out->data)) {
            cp_free(out);
            out = NULL;
        }
    }
    close_choice(&c);
    return out;
}

cp_array *cp_nonzero(cp_array *x)
{
    if (cpi_null("nonzero", x)) return NULL;
    if (x->ndim == 0) {
        cpi_fail(CP_ERROR_VALUE, "nonzero: Calling nonzero on 0d arrays is not allowed. Use atleast_1d first");
        return NULL;
    }
    return coordinates("nonzero", x, x->ndim, x->shape, false, false);
}

cp_array *cp_argwhere(cp_array *x)
{
    if (cpi_null("argwhere", x)) return NULL;
    return coordinates("argwhere", x, x->ndim, x->shape, true, false);
}

cp_array *cp_flatnonzero(cp_array *x)
{
    if (cpi_null("flatnonzero", x)) return NULL;
    return coordinates("flatnonzero", x, 1, &x->size, false, true);
}

/* --- masks --- */

cp_code cpi_check_boolean_index(const char *name, const cp_array *x, const cp_array *mask, int axis)
{
    for (int i = 0; i < mask->ndim; i++)
        if (mask->shape[i] && mask->shape[i] != x->shape[axis + i]) /* empty: fits any shape */
            return cpi_fail(CP_ERROR_INDEX, "%s: boolean index did not match indexed array along axis %d; size of axis "
                            "is %lld but size of corresponding boolean axis is %lld", name, axis + i,
                            (long long)x->shape[axis + i], (long long)mask->shape[i]);
    return CP_OK;
}

/* Is it a mask of x's first axes? */
static cp_code check_mask(const char *name, const cp_array *x, const cp_array *mask)
{
    if (mask->type != CP_BOOL)
        return cpi_fail(CP_ERROR_INDEX, "%s: the mask must be of type bool, not %s", name, cp_type_name(mask->type));
    if (mask->ndim > x->ndim)
        return cpi_fail(CP_ERROR_INDEX, "%s: too many indices for array: array is %d-dimensional, but %d were indexed",
                        name, x->ndim, mask->ndim);
    return cpi_check_boolean_index(name, x, mask, 0);
}

cp_array *cp_mask_get(cp_array *x, cp_array *mask)
{
    if (cpi_null("mask_get", x) || cpi_null("mask_get", mask) || check_mask("mask_get", x, mask)) return NULL;
    cp_array *both[2] = {x, mask};
    choice c;
    if (open_choice(&c, "mask_get", cpi_common_device("mask_get", 2, both))) return NULL;
    cp_array *here = cpi_in_memory("mask_get", x, c.device);
    cp_array *result = NULL;
    if (here && !choose(&c, mask, mask->size)) result = select_slices(&c, here, 0, mask->ndim);
    close_choice(&c);
    cp_free(here);
    return result;
}

/* value as x's type, contiguous, on x's device; *each: one row for every selected slice, or one for all. */
static cp_array *spread_value(choice *c, cp_array *x, cp_array *value, int covered, bool *each)
{
    int64_t shape[CP_MAXDIM + 1];
    int rest = x->ndim - covered;
    shape[0] = c->s.count;
    memcpy(shape + 1, x->shape + covered, (size_t)rest * sizeof *shape);
    int skip = 0; /* leading axes of length 1 */
    while (value->ndim - skip > rest + 1 && value->shape[skip] == 1) skip++;
    *each = value->ndim - skip > rest;
    if (value->ndim - skip == rest + 1 && value->shape[skip] == 1 && c->s.count != 0) *each = false, skip++;
    int ndim = *each ? rest + 1 : rest;
    cp_array *row = skip ? cp_reshape(value, (cp_shape){value->ndim - skip, value->shape + skip}) : cp_retain(value);
    cp_array *wide = row ? cp_broadcast_to(row, (cp_shape){ndim, *each ? shape : shape + 1}) : NULL;
    cp_array *flat = wide ? cpi_dense(c->name, wide, x->type, c->device) : NULL;
    if (flat && cpi_may_overlap(flat, x)) { /* value's own memory */
        cp_array *apart = cp_copy(flat);
        cp_free(flat);
        flat = apart;
    }
    cp_free(wide);
    cp_free(row);
    return flat;
}

static cp_code set_slices(choice *c, cp_array *x, cp_array *value, int covered)
{
    bool each;
    cp_array *v = spread_value(c, x, value, covered, &each);
    if (!v) return cp_error();
    int64_t step, bytes = product(x->shape + covered, x->ndim - covered) * cpi_itemsize(x->type);
    cp_array *to = x;
    bool direct = evenly(x, 0, covered, &step) && whole_rows(x, covered);
    if (c->s.count == 0 || bytes == 0) direct = true;
    else if (!direct && !(to = cpi_dense(c->name, x, x->type, c->device))) return cp_free(v), cp_error();
    evenly(to, 0, covered, &step);
    cp_code code = CP_OK;
    if (c->s.count && bytes) {
        if (elementary(bytes, to->data, step) && elementary(bytes, v->data, 0)) {
            code = c->ops->spread(c->stream, &c->s, to->data, step, bytes, v->data, each ? bytes : 0);
        } else {
            cpi_rows rows = {1, c->s.count, bytes, NULL, to->data, 0, step, v->data, 0, each ? bytes : 0};
            code = move_rows(c, &rows, true);
        }
    }
    if (!direct) {
        if (!code) code = cp_assign(x, to);
        cp_free(to);
    }
    cp_free(v);
    return code;
}

/* One value where the mask is true, a mask of x's shape: a masked copy, no count is needed. */
static bool is_fill(const cp_array *x, const cp_array *mask, const cp_array *value)
{
    bool apart = value->flags & CPI_HOST_SCALAR || !cpi_may_overlap(x, value);
    return mask->size && mask->ndim == x->ndim && value->size == 1 && value->ndim <= (x->ndim ? 1 : 0) && apart &&
           !(mask->flags & CPI_HOST_SCALAR) && !cpi_may_overlap(x, mask);
}

static cp_code fill_masked(cp_array *x, cp_array *mask, cp_array *value)
{
    const cp_array *operands[3] = {x, value, mask};
    cpi_loop loop;
    if (x->size == 0) return CP_OK;
    if (value->flags & CPI_HOST_SCALAR && cp_is_c_contiguous(x) && cp_is_c_contiguous(mask)) {
        _Alignas(16) unsigned char v[16];
        cpi_convert_value(value->type, value->data, x->type, v);
        return x->device->backend->index->fill(cpi_stream(x->device), x->data, (const uint8_t *)mask->data, x->size,
                                               cpi_itemsize(x->type), v);
    }
    cpi_loop_init(&loop, x->ndim, x->shape, 3, operands);
    cpi_loop_coalesce(&loop);
    return x->device->backend->move->copy(cpi_stream(x->device), &loop);
}

cp_code cpi_assign_masked(const char *name, cp_array *x, cp_array *mask, cp_array *values)
{
    cp_array *all[3] = {x, mask, values};
    choice c;
    cp_code code = open_choice(&c, name, cpi_common_device(name, 3, all));
    if (code || !x->size) return code;
    const int64_t bytes = cpi_itemsize(x->type);
    int64_t step;
    cp_array *set = cpi_dense(name, mask, CP_BOOL, c.device), *v = NULL, *to = NULL;
    if (set) v = cpi_dense(name, values, x->type, c.device);
    if (v && cpi_may_overlap(v, x)) {
        cp_array *apart = cp_copy(v);
        cp_free(v);
        v = apart;
    }
    if (v) to = evenly(x, 0, x->ndim, &step) && elementary(bytes, x->data, step) ? cp_retain(x) : cp_copy(x);
    if (to) {
        evenly(to, 0, to->ndim, &step);
        cpi_array_used(set), cpi_array_used(v), cpi_array_used(to);
        code = c.ops->place(c.stream, (const uint8_t *)set->data, x->size, to->data, step, bytes, v->data);
    }
    if (!to) code = cp_error();
    else if (!code && to->data != x->data) code = cp_assign(x, to);
    cp_free(set), cp_free(v), cp_free(to);
    return code;
}

cp_code cp_mask_set(cp_array *x, cp_array *mask, cp_array *value)
{
    if (cpi_null("mask_set", x) || cpi_null("mask_set", mask) || cpi_null("mask_set", value)) return CP_ERROR_VALUE;
    cp_code code;
    if ((code = check_mask("mask_set", x, mask)) || (code = cpi_check_writable("mask_set", x))) return code;
    cp_array *all[3] = {x, mask, value};
    choice c;
    if ((code = open_choice(&c, "mask_set", cpi_common_device("mask_set", 3, all)))) return code;
    if (is_fill(x, mask, value)) return fill_masked(x, mask, value);
    if (!(code = choose(&c, mask, mask->size))) code = set_slices(&c, x, value, mask->ndim);
    close_choice(&c);
    return code;
}
