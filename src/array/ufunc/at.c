/* ufunc.at: an operation at indices of an array, one after the other, and outer.
 *
 * Where a device cannot apply indices in their order, and the order matters, they are sorted first, stably. Then those
 * of one element are adjacent, and one thread applies them. Operations of several types go by rounds instead, each of
 * which has every element at most once. Invariant: an element's result is that of a loop over the indices, on every
 * device. Which of two zeros is the larger or the smaller, and which of several NaNs stays, depends on the device. */
#include <stdio.h>
#include <string.h>

#include "cuprite/sort.h"
#include "cuprite/ufunc.h"
#include "index/index.h"
#include "ufunc/ufunc.h"

typedef struct {
    const char *name;
    cp_op op;
    cpi_device *device;
    cp_type type;               /* the loop's */
    cp_array *x, *position, *b; /* owned; x C-contiguous, position a line of n, b NULL, one element or n */
    int64_t n;
} call;

static int64_t step_of(const cp_array *b) { return b && b->size > 1 ? cpi_itemsize(b->type) : 0; }

/* --- indices --- */

/* The indices as a line of int64. */
static cp_code find_indices(call *c, cp_array *given)
{
    if (!cpi_is_int(given->type))
        return cpi_fail(CP_ERROR_INDEX, "%s: arrays used as indices must be of integer (or boolean) type", c->name);
    c->n = given->size;
    c->position = cpi_dense(c->name, given, CP_INT64, c->device);
    return c->position ? CP_OK : cp_error();
}

/* Is every index within x? The answer waits for earlier work of the device, the sort included: then the sort's result
 * holds valid indices, whatever failed. */
static cp_code check_indices(const call *c, cp_array *least, cp_array *most)
{
    const int64_t n = c->x->size;
    int64_t low = 0, high = 0;
    cp_code code = cp_to_host(least, &low, sizeof low);
    if (!code) code = cp_to_host(most, &high, sizeof high);
    if (code || (low >= -n && high < n)) return code;
    return cpi_fail(CP_ERROR_INDEX, "%s: index %lld is out of bounds for axis 0 with size %lld", c->name,
                    (long long)(high >= n ? high : low), (long long)n);
}

/* --- indices that a device has yet to check --- */

cp_code cpi_hear_of_indices(cpi_device *device, const int64_t *known)
{
    cp_stream *stream = cpi_stream(device);
    const cpi_backend *backend = device->backend;
    int64_t first;
    if (backend->capture_of && backend->capture_of(stream)) return CP_OK;
    return cpi_may_wait("reduceat", device) ? backend->to_host(stream, &first, known, sizeof first) : cp_error();
}

void cpi_fail_after_indices(cpi_device *device, const int64_t *known)
{
    char text[512];
    const cp_code code = cp_error();
    snprintf(text, sizeof text, "%s", cp_error_message());
    cp_error_clear();
    if (!cpi_hear_of_indices(device, known)) cpi_fail(code, "%s", text);
}

/* --- devices that do not keep an order --- */

/* Gathers elements into a new line. The indices come from work that may have failed on the device, and then are
 * arbitrary: those beyond the elements are skipped. */
static cp_array *taken(const call *c, cp_array *x, cp_array *position)
{
    const int64_t size = cpi_itemsize(x->type);
    cp_array *r = cpi_array_new(c->name, c->device, x->type, 1, &position->size, 'C');
    cpi_rows rows = {1, position->size, size,   (const int64_t *)position->data, x->data, 0, size, r ? r->data : NULL,
                     0, size,           x->size};
    if (!r || !position->size || !c->device->backend->index->take(cpi_stream(c->device), &rows)) return r;
    return cp_free(r), NULL;
}

static cp_code scatter_values(const call *c, cp_array *position, cp_array *values)
{
    const int64_t size = cpi_itemsize(c->x->type);
    cpi_rows rows = {1, position->size, size,      (const int64_t *)position->data, c->x->data, 0, size, values->data,
                     0, size,           c->x->size};
    return position->size ? c->device->backend->index->put(cpi_stream(c->device), &rows) : CP_OK;
}

/* For each of the sorted indices, how many equal ones are before it. */
static cp_array *rounds_of(const call *c)
{
    cp_index tail = CP_RANGE(1, INT64_MAX), head = CP_RANGE(0, -1);
    cp_scope *scope = cp_scope_begin();
    if (!scope) return NULL;
    cp_array *at = cp_arange_int(0, c->n, 1, CP_INT64), *first = at ? cp_zeros_like(at, CP_DEFAULT) : NULL;
    cp_array *later = first ? cp_slice(first, 1, &tail) : NULL;
    cp_array *changes = later ? cp_not_equal(cp_slice(c->position, 1, &tail), cp_slice(c->position, 1, &head)) : NULL;
    cp_array *r = changes && !cp_copyto(later, cp_slice(at, 1, &tail), .where = changes)
                      ? cp_subtract(at, cp_ufunc_accumulate(CP_OP_maximum, first, 0)) : NULL;
    return cp_scope_return(scope, r);
}

/* One round: the operation on elements that are all different. */
static cp_code do_round(const call *c, cp_array *which)
{
    cp_scope *scope = cp_scope_begin();
    if (!scope) return cp_error();
    cp_array *position = taken(c, c->position, which), *in[2] = {position ? taken(c, c->x, position) : NULL, c->b};
    if (in[0] && step_of(c->b)) in[1] = taken(c, c->b, which);
    cp_array *r = in[0] && (in[1] || !c->b) ? cp_elementwise(c->op, in, NULL) : NULL;
    cp_array *as_x = r ? cp_astype(r, c->x->type) : NULL;
    cp_code code = as_x ? scatter_values(c, position, as_x) : cp_error();
    cp_scope_end(scope);
    return code;
}

static cp_code do_rounds(const call *c)
{
    cp_array *round = rounds_of(c), *most = round ? cp_max(round) : NULL;
    int64_t last = 0;
    cp_code code = most ? cp_to_host(most, &last, sizeof last) : cp_error();
    for (int64_t i = 0; i <= last && !code; i++) {
        cp_array *number = cp_scalar(CP_INT64, &i), *mine = number ? cp_equal(round, number) : NULL;
        cp_array *which = mine ? cp_flatnonzero(mine) : NULL;
        code = which ? do_round(c, which) : cp_error();
        cp_free(number), cp_free(mine), cp_free(which);
    }
    cp_free(round), cp_free(most);
    return code;
}

/* Sorts the indices, and b with them. Negative indices count from the end. While work is recorded nothing can be read
 * back, and those out of bounds wrap around too. */
static cp_code sort_indices(call *c)
{
    const cpi_index_ops *ops = c->device->backend->index;
    cp_array *wrapped = cpi_array_new(c->name, c->device, CP_INT64, 1, &c->n, 'C'), *order = NULL, *position = NULL;
    cp_array *b = NULL;
    cp_code code = wrapped ? ops->wrap(cpi_stream(c->device), (int)c->op, (const int64_t *)c->position->data, c->n,
                                       c->x->size, (int64_t *)wrapped->data) : cp_error();
    if (!code && !(order = cp_argsort(wrapped, 0))) code = cp_error();
    if (!code && !(position = taken(c, wrapped, order))) code = cp_error();
    if (!code && c->b && !(b = step_of(c->b) ? taken(c, c->b, order) : cp_retain(c->b))) code = cp_error();
    cp_free(wrapped), cp_free(order);
    if (code) return cp_free(position), cp_free(b), code;
    cp_free(c->position), cp_free(c->b);
    c->position = position, c->b = b;
    return CP_OK;
}

/* --- */

/* Does an element's result not depend on the order of its indices? */
static bool any_order(const call *c)
{
    const bool whole = cpi_is_int(c->type), real = c->type == CP_FLOAT32 || c->type == CP_FLOAT64;
    if (c->x->type != c->type) return false;
    switch ((int)c->op) {
    case CP_OP_add: case CP_OP_subtract: case CP_OP_multiply:
    case CP_OP_bitwise_and: case CP_OP_bitwise_or: case CP_OP_bitwise_xor: return whole;
    case CP_OP_maximum: case CP_OP_minimum: case CP_OP_fmax: case CP_OP_fmin: return whole || real;
    default: return false;
    }
}

static cp_code apply_at(call *c)
{
    const cpi_op_row *row = &cpi_op_rows[c->op];
    const cpi_elementwise_ops *ops = c->device->backend->elementwise;
    cpi_indexed p = {.x_type = c->x->type, .x = c->x->data, .x_n = c->x->size, .x_size = cpi_itemsize(c->x->type),
                     .n = c->n, .v_step = step_of(c->b)};
    p.op = cpi_ufunc_kernel(c->op, c->type, &p.type);
    if (p.op != (int)c->op) p.x_type = p.type;
    if (!ops->at_in_order && any_order(c)) {
        p.position = (const int64_t *)c->position->data, p.v = c->b->data;
        return c->device->backend->index->at_once(cpi_stream(c->device), &p);
    }
    /* a result of a half type is rounded to it before it is stored in x */
    const bool apart = cpi_is_half(c->type) && c->x->type != c->type;
    if (!ops->at_in_order) {
        cp_code code = sort_indices(c);
        if (code) return code;
    }
    if (apart || (!ops->at_in_order && !cpi_is_accumulated(row, c->type))) {
        cp_code code = ops->at_in_order ? sort_indices(c) : CP_OK;
        return code ? code : do_rounds(c);
    }
    if (c->b) { /* as the kernel has it */
        cp_type in = cpi_in_type(row, 1, cpi_is_half(c->type) ? p.type : c->type);
        cp_array *b = p.op == (int)c->op && c->b->type != in ? cp_astype(c->b, in) : cp_retain(c->b);
        if (!b) return cp_error();
        cp_free(c->b);
        c->b = b;
        p.v = b->data, p.v_step = step_of(b);
    }
    p.position = (const int64_t *)c->position->data;
    return ops->at(cpi_stream(c->device), &p);
}

/* --- rows --- */

/* How a row's addends lie, in c->b; false: the row kernel does not take them. */
static bool find_row_values(call *c, cp_array *given, const cp_array *x, const cp_array *rows, cpi_at_rows *p)
{
    int64_t shape[CP_MAXDIM], all[CP_MAXDIM];
    const int64_t item = cpi_itemsize(c->type);
    int ndim = rows->ndim + x->ndim - 1, joint = ndim;
    if (!given || ndim > CP_MAXDIM) return false;
    memcpy(shape, rows->shape, (size_t)rows->ndim * sizeof *shape);
    memcpy(shape + rows->ndim, x->shape + 1, (size_t)(x->ndim - 1) * sizeof *shape);
    memcpy(all, shape, sizeof all);
    if (cpi_broadcast(c->name, &joint, all, given->ndim, given->shape) || joint != ndim ||
        memcmp(all, shape, (size_t)ndim * sizeof *all)) {
        cp_error_clear();
        return false;
    }
    if (given->size == 1 || cpi_has_shape(given, x->ndim - 1, x->shape + 1)) { /* one for all rows */
        c->b = cpi_dense(c->name, given, c->type, c->device);
        p->v_step = 0, p->v_column = given->size == 1 ? 0 : item;
    } else {
        c->b = cpi_dense_shaped(c->name, given, c->type, c->device, ndim, shape);
        p->v_step = p->width * item, p->v_column = item;
    }
    return true;
}

/* Can rows be combined whole? Each element's indices are applied in order; only the row numbers are sorted. */
static bool by_rows(const call *c)
{
    const bool real = c->type == CP_FLOAT32 || c->type == CP_FLOAT64;
    return real && c->x->type == c->type && (c->op == CP_OP_add || c->op == CP_OP_subtract || c->op == CP_OP_multiply);
}

static cp_code join_rows(const call *c, cp_array *row, cpi_at_rows *p)
{
    cp_array *order = NULL, *sorted = NULL;
    cp_code code = CP_OK;
    if (!c->device->backend->elementwise->at_in_order) {
        order = cp_argsort(row, 0), sorted = order ? taken(c, row, order) : NULL;
        if (!sorted) code = cp_error();
    }
    if (!code) {
        p->op = (int)c->op, p->type = c->type, p->x = c->x->data, p->n = c->n, p->v = c->b->data;
        p->row = (const int64_t *)(sorted ? sorted : row)->data, p->order = order ? (const int64_t *)order->data : NULL;
        code = c->device->backend->index->at_rows(cpi_stream(c->device), p);
    }
    cp_free(order), cp_free(sorted);
    return code;
}

/* The flat indices of rows in x: a row's elements begin at its number times its width. */
static cp_array *positions_of_rows(cp_array *row, const cp_array *rows, const cp_array *x, int64_t width)
{
    int64_t shape[CP_MAXDIM];
    const int ndim = rows->ndim + x->ndim - 1;
    if (ndim > CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "at: more than %d dimensions", CP_MAXDIM), NULL;
    memcpy(shape, rows->shape, (size_t)rows->ndim * sizeof *shape);
    memcpy(shape + rows->ndim, x->shape + 1, (size_t)(x->ndim - 1) * sizeof *shape);
    cp_scope *scope = cp_scope_begin();
    if (!scope) return NULL;
    cp_array *first = cp_multiply(row, cp_int(width)), *along = first ? cp_arange_int(0, width, 1, CP_INT64) : NULL;
    cp_array *all = along ? cp_add(cp_reshape(first, CP_SHAPE(row->size, 1)), along) : NULL;
    return cp_scope_return(scope, all ? cp_reshape(all, (cp_shape){ndim, shape}) : NULL);
}

static cp_code find_type(call *c, const cp_array *x, const cp_array *b);
static cp_code do_at(call *c, cp_array *x, cp_array *indices, cp_array *b);

/* x[rows] = op(x[rows], b); where rows are combined whole, rows and b share no memory with x. */
static cp_code do_at_rows(call *c, cp_array *x, cp_array *rows, cp_array *b)
{
    const int64_t width = x->shape[0] ? x->size / x->shape[0] : 0;
    cp_array *line = cp_ravel(rows), *row = NULL, *indices = NULL;
    cpi_at_rows p = {.width = width};
    cp_code code = line ? find_type(c, x, b) : cp_error();
    if (!code) code = find_indices(c, line);
    cp_free(line);
    if (!code && !(row = cpi_array_new(c->name, c->device, CP_INT64, 1, &c->n, 'C'))) code = cp_error();
    if (!code && c->n)
        code = c->device->backend->index->wrap(cpi_stream(c->device), (int)c->op, (const int64_t *)c->position->data,
                                               c->n, x->shape[0], (int64_t *)row->data);
    if (!code && !(c->x = cp_is_c_contiguous(x) ? cp_retain(x) : cp_copy(x))) code = cp_error();
    const bool apart = (!b || b->buffer != x->buffer) && rows->buffer != x->buffer;
    if (!code && c->n && width && apart && by_rows(c) && find_row_values(c, b, x, rows, &p)) {
        code = c->b ? join_rows(c, row, &p) : cp_error();
        if (!code && c->x != x) code = cp_assign(x, c->x);
    } else if (!code) {
        cp_free(c->x), cp_free(c->position);
        c->x = c->position = NULL;
        indices = positions_of_rows(row, rows, x, width);
        code = indices ? do_at(c, x, indices, b) : cp_error();
    }
    cp_free(row), cp_free(indices);
    return code;
}

/* --- */

/* The types of the loop; its result is cast to x's type, whatever that is. */
static cp_code find_type(call *c, const cp_array *x, const cp_array *b)
{
    const cpi_op_row *row = &cpi_op_rows[c->op];
    cp_type in[CPI_MAXIN], out[CPI_MAXOUT], given[CPI_MAXIN] = {x->type, b ? b->type : CP_BOOL};
    cp_code code = cp_op_types(c->op, given, in, out);
    if (code) return code;
    c->type = row->rule == CPI_RULE_LOGIC ? CP_BOOL : in[0];
    if (cpi_discards(out[0], x->type)) cpi_warn(CP_WARNING_COMPLEX);
    return CP_OK;
}

/* b as the loop's second input, cast to it, one element or one for each index. */
static cp_code find_b(call *c, cp_array *given, const cp_array *position)
{
    if (!given) return CP_OK;
    cp_type t = cpi_in_type(&cpi_op_rows[c->op], 1, c->type);
    int ndim = position->ndim;
    int64_t shape[CP_MAXDIM];
    memcpy(shape, position->shape, (size_t)ndim * sizeof *shape);
    if (cpi_broadcast(c->name, &ndim, shape, given->ndim, given->shape) || !cpi_has_shape(position, ndim, shape)) {
        cp_error_clear();
        /* a wrong index is reported first */
        cp_array *least = cp_min(c->position), *most = least ? cp_max(c->position) : NULL;
        cp_code code = most ? check_indices(c, least, most) : c->n ? cp_error() : CP_OK;
        cp_free(least), cp_free(most);
        if (code) return code;
        cp_error_clear(); /* an empty array has no minimum */
        return cpi_fail(CP_ERROR_VALUE, "%s: array is not broadcastable to correct shape", c->name);
    }
    if (given->size == 1) {
        c->b = cpi_dense(c->name, given, t, c->device);
        return c->b ? CP_OK : cp_error();
    }
    cp_array *dense = cpi_dense_shaped(c->name, given, t, c->device, position->ndim, position->shape);
    c->b = dense ? cp_ravel(dense) : NULL;
    cp_free(dense);
    return c->b ? CP_OK : cp_error();
}

static cp_code check_powers(const call *c)
{
    if (c->op != CP_OP_power || !cpi_is_signed(c->type) || !c->n) return CP_OK;
    cp_array *zero = cp_int(0), *negative = zero ? cp_less(c->b, zero) : NULL;
    cp_array *any = negative ? cp_any(negative) : NULL;
    uint8_t found = 0;
    cp_code code = any ? cp_to_host(any, &found, 1) : cp_error();
    cp_free(zero), cp_free(negative), cp_free(any);
    if (code || !found) return code;
    return cpi_fail(CP_ERROR_VALUE, "power: Integers to negative integer powers are not allowed.");
}

static cp_code do_at(call *c, cp_array *x, cp_array *indices, cp_array *b)
{
    cp_array *line = NULL;
    cp_code code = find_type(c, x, b);
    if (code) return code;
    /* as it was before anything is written */
    cp_array *apart = b && b->buffer && b->buffer == x->buffer && cpi_may_overlap(x, b) ? cp_copy(b) : NULL;
    cp_array *index = indices->buffer && indices->buffer == x->buffer ? cp_copy(indices) : NULL;
    c->x = cp_is_c_contiguous(x) ? cp_retain(x) : cp_copy(x);
    line = c->x ? cp_ravel(index ? index : indices) : NULL;
    if (!line) code = cp_error();
    if (!code) code = find_indices(c, line);
    if (!code) code = find_b(c, apart ? apart : b, indices);
    if (!code) code = check_powers(c);
    if (!code && c->n) code = apply_at(c);
    if (!code && c->x != x) code = cp_assign(x, c->x);
    cp_free(line), cp_free(apart), cp_free(index);
    return code;
}

static cp_code at(cp_op op, cp_array *x, cp_array *indices, cp_array *b, bool rows)
{
    if ((unsigned)op >= CP_NOPS) return cpi_fail(CP_ERROR_VALUE, "at: there is no operation %d", (int)op);
    const cpi_op_row *row = &cpi_op_rows[op];
    const char *name = row->name;
    if (cpi_null(name, x) || cpi_null(name, indices)) return cp_error();
    if (row->nout != 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: Only single output ufuncs supported at this time", name);
    if (row->nin > 2) return cpi_fail(CP_ERROR_VALUE, "%s: Only unary and binary ufuncs supported at this time", name);
    if (b && row->nin == 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: second operand provided when ufunc is unary", name);
    if (!b && row->nin == 2) return cpi_fail(CP_ERROR_VALUE, "%s: second operand needed for ufunc", name);
    if (cpi_check_writable(name, x)) return cp_error();
    call c = {.name = name, .op = op};
    if (!(c.device = cpi_common_device(name, 3, (cp_array *[]){x, indices, b}))) return cp_error();
    int before = cp_device_current();
    if (before != c.device->id && cp_device_use(c.device->id)) return cp_error();
    cp_code code = rows ? do_at_rows(&c, x, indices, b) : do_at(&c, x, indices, b);
    if (before != c.device->id) cp_device_use(before);
    cp_free(c.x), cp_free(c.position), cp_free(c.b);
    return code;
}

cp_code cp_ufunc_at(cp_op op, cp_array *x, cp_array *indices, cp_array *b) { return at(op, x, indices, b, false); }

cp_code cp_ufunc_at_rows(cp_op op, cp_array *x, cp_array *rows, cp_array *b)
{
    if (x && !x->ndim) return cpi_fail(CP_ERROR_VALUE, "at: an array of no axis has no rows");
    return at(op, x, rows, b, true);
}

cp_array *(cp_ufunc_outer)(cp_op op, cp_array *a, cp_array *b, const cp_ufunc_options *options)
{
    if ((unsigned)op >= CP_NOPS) return cpi_fail(CP_ERROR_VALUE, "outer: there is no operation %d", (int)op), NULL;
    const cpi_op_row *row = &cpi_op_rows[op];
    if (cpi_null(row->name, a) || cpi_null(row->name, b)) return NULL;
    if (row->nin != 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: outer product only supported for binary functions", row->name), NULL;
    int64_t shape[CP_MAXDIM];
    const int n = a->ndim + b->ndim;
    if (n > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "%s: outer: more than %d dimensions", row->name, CP_MAXDIM), NULL;
    for (int i = 0; i < n; i++) shape[i] = i < a->ndim ? a->shape[i] : 1;
    cp_array *wide = cp_reshape(a, (cp_shape){n, shape});
    cp_array *r = wide ? cp_elementwise(op, (cp_array *[]){wide, b}, options) : NULL;
    cp_free(wide);
    return r;
}
