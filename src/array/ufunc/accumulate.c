/* reduce, accumulate and reduceat: slices along an axis combined by an operation.
 *
 * The API function casts x to the operation's type and moves the axis to the end; `join` passes slices to the device's
 * slot. A long slice of an operation that may be regrouped is first cut into chunks, which are slices themselves: so
 * one slice keeps many threads busy. Invariant: where chunks begin depends on the slice's length alone. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "cuprite/ufunc.h"
#include "index/index.h"
#include "loop/loop.h"
#include "scan/scan.h"
#include "ufunc/ufunc.h"

enum {
    SEGMENT = 1040, /* elements; no power of two, so that chunks do not share the same sets of a cache */
    MANY = 1024    /* slices that keep a device busy by themselves */
};

/* What all joins of a call have in common. */
typedef struct {
    const char *name;
    cp_op op;
    cp_type type;
    cpi_device *device;
} call;

static const cpi_op_row *row_of(const call *f) { return &cpi_op_rows[f->op]; }

/* May elements be regrouped? As in NumPy: for operations with an identity, minimum and maximum. */
static bool may_regroup(cp_op op)
{
    return cpi_op_rows[op].has_identity || op == CP_OP_maximum || op == CP_OP_minimum || op == CP_OP_fmax ||
           op == CP_OP_fmin;
}

/* --- joins: of slices along the last axis of x --- */

/* Adds a dimension to the slices, behind the others. */
static void add_dim(cpi_ufunc_reduction *c, int64_t n, int64_t x, int64_t out, int64_t where)
{
    const int d = c->ndim++;
    c->shape[d] = n, c->x_step[d] = x, c->out_step[d] = out, c->where_step[d] = where;
    c->slices *= n;
}

/* An accumulation over all slices of x, in the order in which they lie in memory; out has x's other axes first. */
static cpi_ufunc_reduction accumulation_of(const call *f, const cp_array *x, const cp_array *out,
                                           const cp_array *where)
{
    const int last = x->ndim - 1;
    cpi_ufunc_reduction c = {.held = f->type, .slices = 1, .n = x->shape[last], .x_along = x->strides[last],
                             .x = x->data, .out = out->data, .where = where ? (const uint8_t *)where->data : NULL};
    c.op = cpi_ufunc_kernel(f->op, f->type, &c.type);
    if (c.op != (int)f->op) c.held = c.type; /* on bits */
    if (where) c.where_along = where->strides[last];
    if (out->ndim == x->ndim) c.out_along = out->strides[last];
    for (int d = 0; d < last; d++)
        add_dim(&c, x->shape[d], x->strides[d], out->strides[d], where ? where->strides[d] : 0);
    cpi_loop_axes axes = {c.ndim, 3, c.shape, (int64_t *const[]){c.x_step, c.out_step, c.where_step}, NULL};
    c.ndim = cpi_axes_coalesce(&axes, CPI_LOOP_ORDER);
    return c;
}

static cp_code run_kernel(const call *f, const cpi_ufunc_reduction *c)
{
    if (!c->slices) return CP_OK;
    return f->device->backend->elementwise->accumulate(cpi_stream(f->device), c);
}

/* Elements from..from + n of x's last axis: a view. */
static cp_array *part(cp_array *x, int64_t from, int64_t n)
{
    int64_t shape[CP_MAXDIM];
    const int last = x->ndim - 1;
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    shape[last] = n;
    return cpi_array_view(x, x->type, x->ndim, shape, x->strides, x->data + from * x->strides[last]);
}

/* The first chunks * SEGMENT elements of x's last axis as two axes: a view. */
static cp_array *in_chunks(cp_array *x, int64_t nchunks)
{
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
    const int n = x->ndim;
    memcpy(shape, x->shape, (size_t)n * sizeof *shape);
    memcpy(strides, x->strides, (size_t)n * sizeof *strides);
    shape[n - 1] = nchunks, shape[n] = SEGMENT;
    strides[n] = strides[n - 1];
    strides[n - 1] *= SEGMENT;
    return cpi_array_view(x, x->type, n + 1, shape, strides, x->data);
}

/* One element of the last axis, which is dropped. */
static cp_array *at(cp_array *x, int64_t i)
{
    return cpi_array_view(x, x->type, x->ndim - 1, x->shape, x->strides, x->data + i * x->strides[x->ndim - 1]);
}

static int64_t lanes_of(const cp_array *x)
{
    int64_t n = x->shape[x->ndim - 1];
    return n ? x->size / n : 0;
}

static bool is_cut(const call *f, const cp_array *x)
{
    return may_regroup(f->op) && x->ndim < CP_MAXDIM && x->shape[x->ndim - 1] >= 4 * SEGMENT && lanes_of(x) < MANY;
}

static cp_code fill_identity(const call *f, cp_array *x)
{
    const double identity = row_of(f)->identity;
    cp_array *v = identity == (double)(int64_t)identity ? cp_int((int64_t)identity) : cp_float(identity);
    if (v && v->type == CP_INT64) v->flags &= ~(unsigned)CPI_WEAK; /* -1 has all bits set */
    cp_code code = v ? cp_fill(x, v) : cp_error();
    cp_free(v);
    return code;
}

/* Repeated subtraction subtracts a sum, as in NumPy. */
static cp_code subtract_sum(const call *f, cp_array *x, cp_array *where, cp_array *out, bool started)
{
    const int64_t n = x->shape[x->ndim - 1], from = started ? 0 : 1;
    const int last = x->ndim - 1;
    cp_array *first = started ? cp_retain(out) : at(x, 0), *rest = part(x, from, n - from), *r = NULL;
    cp_array *sum = first && rest ? cp_reduce(CP_REDUCE_sum, rest, &(cp_reduce_options){
        .axis = {1, &last}, .typed = true, .dtype = f->type, .where = where}) : NULL;
    if (sum) r = cp_elementwise(CP_OP_subtract, (cp_array *[]){first, sum}, &(cp_ufunc_options){.out = out});
    cp_free(first), cp_free(rest), cp_free(sum), cp_free(r);
    return r ? CP_OK : cp_error();
}

/* Combines slices with what out holds, or, where nothing is there yet, begins with their first element. */
static cp_code reduce_slices(const call *f, cp_array *x, cp_array *where, cp_array *out, bool started)
{
    if (f->op == CP_OP_subtract && x->shape[x->ndim - 1]) return subtract_sum(f, x, where, out, started);
    if (!is_cut(f, x) || (where && !row_of(f)->has_identity)) {
        cpi_ufunc_reduction c = accumulation_of(f, x, out, where);
        c.started = started;
        return c.n ? run_kernel(f, &c) : CP_OK;
    }
    const int64_t n = x->shape[x->ndim - 1], nchunks = n / SEGMENT;
    cp_array *xs = in_chunks(x, nchunks), *masks = where ? in_chunks(where, nchunks) : NULL;
    cp_array *made = xs ? cpi_array_new(f->name, f->device, f->type, xs->ndim - 1, xs->shape, 'C') : NULL;
    cp_code code = made && (masks || !where) ? CP_OK : cp_error();
    if (!code && where) code = fill_identity(f, made);
    if (!code) code = reduce_slices(f, xs, masks, made, where != NULL);
    if (!code) code = reduce_slices(f, made, NULL, out, started);
    cp_free(xs), cp_free(masks), cp_free(made);
    if (code || n == nchunks * SEGMENT) return code;
    xs = part(x, nchunks * SEGMENT, n - nchunks * SEGMENT);
    masks = where ? part(where, nchunks * SEGMENT, n - nchunks * SEGMENT) : NULL;
    code = xs && (masks || !where) ? reduce_slices(f, xs, masks, out, true) : cp_error();
    cp_free(xs), cp_free(masks);
    return code;
}

/* out = before . out, where `before` has one element for each row of out's last axis. */
static cp_code join_before(const call *f, cp_array *before, cp_array *out)
{
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
    const int n = out->ndim;
    memcpy(shape, before->shape, (size_t)(n - 1) * sizeof *shape);
    memcpy(strides, before->strides, (size_t)(n - 1) * sizeof *strides);
    shape[n - 1] = 1, strides[n - 1] = cpi_itemsize(before->type);
    cp_array *column = cpi_array_view(before, before->type, n, shape, strides, before->data);
    cp_array *r = column ? cp_elementwise(f->op, (cp_array *[]){column, out}, &(cp_ufunc_options){.out = out}) : NULL;
    cp_free(column), cp_free(r);
    return r ? CP_OK : cp_error();
}

static cp_code accumulate_slices(const call *f, cp_array *x, cp_array *out);

/* The totals of the chunks of `whole` are combined and put before the chunks behind them, and before the rest. */
static cp_code join_chunks(const call *f, cp_array *whole, cp_array *rest)
{
    const int64_t nchunks = whole->shape[whole->ndim - 2];
    cp_array *ends = at(whole, SEGMENT - 1);
    cp_array *sums = ends ? cpi_array_new(f->name, f->device, f->type, ends->ndim, ends->shape, 'C') : NULL;
    cp_code code = sums ? accumulate_slices(f, ends, sums) : cp_error();
    cp_array *before = code ? NULL : part(sums, 0, nchunks - 1), *last = code ? NULL : at(sums, nchunks - 1);
    int64_t shape[CP_MAXDIM];
    memcpy(shape, whole->shape, (size_t)whole->ndim * sizeof *shape);
    shape[whole->ndim - 2]--;
    cp_array *behind = code ? NULL : cpi_array_view(whole, whole->type, whole->ndim, shape, whole->strides,
                                                    whole->data + whole->strides[whole->ndim - 2]);
    code = before && behind && last ? join_before(f, before, behind) : cp_error();
    if (!code && rest->size) code = join_before(f, last, rest);
    cp_free(ends), cp_free(sums), cp_free(before), cp_free(behind), cp_free(last);
    return code;
}

/* The scan that equals this accumulation: where its order changes no bit, and sums of floating types that are regrouped
 * anyway. */
static bool is_scan(const call *f, const cp_array *x, cpi_scan_op *op)
{
    const bool whole = cpi_is_whole(f->type), ordered = cp_type_kind(f->type) != 'c', truth = cpi_is_bool(f->type);
    switch ((int)f->op) {
    case CP_OP_add: return *op = CPI_SCAN_ADD, whole || (!cpi_is_half(f->type) && is_cut(f, x));
    case CP_OP_multiply: return *op = CPI_SCAN_MULTIPLY, whole;
    case CP_OP_maximum: return *op = CPI_SCAN_MAXIMUM, ordered;
    case CP_OP_minimum: return *op = CPI_SCAN_MINIMUM, ordered;
    case CP_OP_fmax: return *op = CPI_SCAN_FMAX, ordered;
    case CP_OP_fmin: return *op = CPI_SCAN_FMIN, ordered;
    case CP_OP_bitwise_and: return *op = CPI_SCAN_AND, whole;
    case CP_OP_bitwise_or: return *op = CPI_SCAN_OR, whole;
    case CP_OP_bitwise_xor: return *op = CPI_SCAN_XOR, whole;
    case CP_OP_logical_and: return *op = CPI_SCAN_AND, truth;
    case CP_OP_logical_or: return *op = CPI_SCAN_OR, truth;
    case CP_OP_logical_xor: return *op = CPI_SCAN_XOR, truth;
    default: return false;
    }
}

static cp_code accumulate_slices(const call *f, cp_array *x, cp_array *out)
{
    cpi_scan_op op;
    cp_code scanned;
    if (is_scan(f, x, &op) && x->type == f->type && cpi_scan_slices(f->name, op, x, out, &scanned)) return scanned;
    if (!is_cut(f, x)) {
        cpi_ufunc_reduction c = accumulation_of(f, x, out, NULL);
        c.every = true;
        return c.n ? run_kernel(f, &c) : CP_OK;
    }
    const int64_t n = x->shape[x->ndim - 1], nchunks = n / SEGMENT, left = n - nchunks * SEGMENT;
    cp_array *xs = in_chunks(x, nchunks), *outs = in_chunks(out, nchunks);
    cp_array *x_rest = part(x, nchunks * SEGMENT, left), *out_rest = part(out, nchunks * SEGMENT, left);
    cp_code code = xs && outs && x_rest && out_rest ? accumulate_slices(f, xs, outs) : cp_error();
    if (!code && left) code = accumulate_slices(f, x_rest, out_rest);
    if (!code) code = join_chunks(f, outs, out_rest);
    cp_free(xs), cp_free(outs), cp_free(x_rest), cp_free(out_rest);
    return code;
}

/* --- what the API functions share --- */

static cp_code check_kind(const char *method, cp_op op, const cp_array *x)
{
    if ((unsigned)op >= CP_NOPS) return cpi_fail(CP_ERROR_VALUE, "%s: there is no operation %d", method, (int)op);
    const cpi_op_row *row = &cpi_op_rows[op];
    if (cpi_null(row->name, x)) return cp_error();
    if (row->nin != 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: %s only supported for binary functions", row->name, method);
    if (row->nout != 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: %s only supported for functions returning a single value", row->name,
                        method);
    return CP_OK;
}

/* Sums and products of integers are computed in 64 bits. */
static cp_type widened(cp_op op, cp_type t)
{
    if ((op != CP_OP_add && op != CP_OP_multiply) || !cpi_is_whole(t) || cpi_itemsize(t) == 8) return t;
    return cpi_is_bool(t) || cpi_is_signed(t) ? CP_INT64 : CP_UINT64;
}

static cp_type type_of(cp_op op, const cp_array *x, const cp_array *out, bool typed, cp_type dtype)
{
    if (typed && cpi_check_type(cpi_op_rows[op].name, dtype)) return CP_DEFAULT;
    cp_type wide = widened(op, x->type);
    if (!typed && !out && wide != x->type) return wide;
    return cpi_resolve_accumulate(op, out ? out->type : x->type, x->type, typed, dtype);
}

cp_array *cpi_ufunc_operand(const char *function, cp_array *x, cp_type type, cpi_device *device)
{
    if (x->type == type && !(x->flags & CPI_HOST_SCALAR)) return cp_retain(x);
    if (cpi_discards(x->type, type)) cpi_warn(CP_WARNING_COMPLEX);
    return x->flags & CPI_HOST_SCALAR ? cpi_dense(function, x, type, device) : cp_astype(x, type);
}

/* Fails where an exponent is negative: elements of x from `from` on that the mask selects. */
static cp_code check_powers(const call *f, cp_array *x, int64_t from, cp_array *where)
{
    const int64_t n = x->shape[x->ndim - 1];
    if (f->op != CP_OP_power || !cpi_is_signed(f->type) || n <= from) return CP_OK;
    cp_array *exponents = part(x, from, n - from), *zero = cp_int(0);
    cp_array *mask = where ? part(where, from, n - from) : NULL;
    cp_array *negative = exponents && zero ? cp_less(exponents, zero) : NULL;
    cp_array *any = negative && (mask || !where) ? cp_any(negative, .where = mask) : NULL;
    uint8_t found = 0;
    bool known = any && !cp_to_host(any, &found, 1);
    cp_free(exponents), cp_free(zero), cp_free(mask), cp_free(negative), cp_free(any);
    if (!known) return cp_error();
    return found ? cpi_fail(CP_ERROR_VALUE, "power: Integers to negative integer powers are not allowed.") : CP_OK;
}

/* --- reduce --- */

/* The reduction of reduce.def that is this operation repeated, without a warning that a ufunc does not have. */
static cp_reduction reduction_of(cp_op op)
{
    cp_reduction_info info;
    for (int r = 0; r < CP_NREDUCTIONS; r++)
        if (cp_reduction_query((cp_reduction)r, &info) == CP_OK && !strcmp(info.ufunc, cpi_op_rows[op].name))
            return op == CP_OP_fmin || op == CP_OP_fmax ? CP_NREDUCTIONS : (cp_reduction)r;
    return CP_NREDUCTIONS;
}

/* x with the reduced axes merged to one, the last. */
static cp_array *slices_last(cp_array *x, const cpi_slices *slices)
{
    int64_t shape[CP_MAXDIM + 1], strides[CP_MAXDIM + 1];
    int n = 0, gone = 0;
    for (int i = 0; i < x->ndim; i++) {
        gone += slices->gone[i];
        if (!slices->gone[i]) shape[n] = x->shape[i], strides[n++] = x->strides[i];
    }
    const int kept = n;
    for (int i = 0; i < x->ndim; i++)
        if (slices->gone[i]) shape[n] = x->shape[i], strides[n++] = x->strides[i];
    if (!gone && n == CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "reduce: no axis of an array of %d dimensions", CP_MAXDIM), NULL;
    if (!gone) shape[n] = 1, strides[n++] = cpi_itemsize(x->type);
    cp_array *turned = cpi_array_view(x, x->type, n, shape, strides, x->data);
    if (!turned || gone <= 1) return turned;
    shape[kept] = slices->reduced;
    cp_array *r = cp_reshape(turned, (cp_shape){kept + 1, shape});
    cp_free(turned);
    return r;
}

typedef struct {
    call f;
    const cp_reduce_options *o;
    cp_array *x, *where; /* owned; the reduced axes last */
    cpi_slices slices;
    cpi_output to;
    int gone; /* axes */
    bool started;
    _Alignas(16) unsigned char start[16];
} reduction;

static cp_code find_slices(reduction *r, const cp_array *x)
{
    const cpi_op_row *row = row_of(&r->f);
    cp_code code = cpi_slices_of(row->name, x, r->o->axis, r->o->keepdims, &r->slices);
    for (int i = 0; i < x->ndim; i++) r->gone += r->slices.gone[i];
    return code;
}

/* What the slices begin with: `initial`, or the identity. */
static cp_code find_start(reduction *r)
{
    const cpi_op_row *row = row_of(&r->f);
    const bool masked = r->o->where && !cpi_is_true(r->o->where);
    r->started = r->o->initial || (row->has_identity && !r->o->no_identity);
    if (!r->started && masked)
        return cpi_fail(CP_ERROR_VALUE, "%s: reduction operation '%s' does not have an identity, so to use a where "
                        "mask one has to specify 'initial'", row->name, row->name);
    if (!r->started && !r->slices.reduced)
        return cpi_fail(CP_ERROR_VALUE, "%s: zero-size array to reduction operation %s which has no identity",
                        row->name, row->name);
    return r->o->initial ? cpi_value_as(row->name, r->o->initial, r->f.type, r->start) : CP_OK;
}

/* NumPy's partial results lie in `out`, in its type. */
static cp_code begin_with_first(reduction *r, cp_array *out)
{
    cp_array *first = at(r->x, 0), *as_out = first ? cp_astype(first, r->o->out->type) : NULL;
    cp_array *rest = part(r->x, 1, r->x->shape[r->x->ndim - 1] - 1);
    cp_code code = as_out && rest ? cp_assign(out, as_out) : cp_error();
    cp_free(first), cp_free(as_out);
    if (code) return cp_free(rest), code;
    cp_free(r->x);
    r->x = rest;
    r->started = true;
    return CP_OK;
}

static cp_code begin(reduction *r, cp_array *out)
{
    const cp_array *given = r->o->out;
    const bool other = given && given->type != r->f.type;
    if (!r->started) return other && r->slices.reduced ? begin_with_first(r, out) : CP_OK;
    if (!r->o->initial) return fill_identity(&r->f, out);
    if (other) {
        _Alignas(16) unsigned char there[16];
        cpi_convert_value(r->f.type, r->start, given->type, there);
        cpi_convert_value(given->type, there, r->f.type, r->start);
    }
    cp_array *v = cp_scalar(r->f.type, r->start);
    cp_code code = v ? cp_fill(out, v) : cp_error();
    cp_free(v);
    return code;
}

/* The result with only the kept axes, as the slices have them. */
static cp_array *result_slices(const reduction *r)
{
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
    cp_array *out = r->to.array;
    int n = 0, ndim = r->x->ndim - 1;
    for (int i = 0, k = 0; k < out->ndim; i++) {
        if (r->slices.gone[i] && !r->o->keepdims) continue;
        if (!r->slices.gone[i]) shape[n] = out->shape[k], strides[n++] = out->strides[k];
        k++;
    }
    return cpi_array_view(out, out->type, ndim, shape, strides, out->data);
}

static cp_code reduce_all(reduction *r, cp_array *given)
{
    const char *name = r->f.name;
    cp_array *where = r->o->where, *whole = NULL;
    if (r->gone > 1 && !may_regroup(r->f.op))
        return cpi_fail(CP_ERROR_VALUE, "%s: reduction operation '%s' is not reorderable, so at most one axis may be "
                        "specified", name, name);
    cp_code code = cpi_check_mask(name, where);
    if (code || (code = find_start(r))) return code;
    cp_array *x = cpi_ufunc_operand(name, given, r->f.type, r->f.device);
    r->x = x ? slices_last(x, &r->slices) : NULL;
    if (r->x && where && !cpi_is_true(where)) {
        whole = cpi_mask(name, where, r->f.device, given->ndim, given->shape);
        r->where = whole ? slices_last(whole, &r->slices) : NULL;
        code = r->where ? CP_OK : cp_error();
    }
    if (!r->x) code = cp_error();
    cp_free(x), cp_free(whole);
    if (!code) code = check_powers(&r->f, r->x, r->started ? 0 : 1, r->where);
    r->to.type = r->f.type;
    r->to.ndim = r->slices.ndim, r->to.shape = r->slices.shape;
    if (!code) code = cpi_output_open(&r->to, 2, (cp_array *[]){given, where});
    cp_array *out = code ? NULL : result_slices(r);
    if (!code && !out) code = cp_error();
    if (!code) code = begin(r, out);
    if (!code) code = reduce_slices(&r->f, r->x, r->where, out, r->started);
    cp_free(out);
    return code;
}

cp_array *(cp_ufunc_reduce)(cp_op op, cp_array *x, const cp_reduce_options *options)
{
    const cp_reduce_options *o = CPI_GIVEN(cp_reduce_options, options);
    if (check_kind("reduce", op, x)) return NULL;
    const cpi_op_row *row = &cpi_op_rows[op];
    cp_reduction known = reduction_of(op);
    const bool truth = row->rule == CPI_RULE_LOGIC && (o->initial || o->typed); /* not checked by it */
    if (known != CP_NREDUCTIONS && !truth) return cp_reduce(known, x, o);
    cp_array *result = NULL, *all[] = {x, o->out, o->where};
    reduction r = {.f = {.name = row->name, .op = op}, .o = o,
                   .to = {.function = row->name, .out = o->out, .casting = CP_UNSAFE}};
    if (find_slices(&r, x)) return NULL;
    r.f.type = type_of(op, x, o->out, o->typed, o->dtype);
    if (r.f.type == CP_DEFAULT || !(r.f.device = r.to.device = cpi_common_device(row->name, 3, all))) return NULL;
    cp_code code = reduce_all(&r, x);
    if (r.to.array) result = cpi_output_close(&r.to, code);
    cp_free(r.x), cp_free(r.where);
    return result;
}

/* --- accumulate, reduceat --- */

static cp_code find_axis(const char *method, const char *name, const cp_array *x, int *axis)
{
    if (!x->ndim && (*axis == 0 || *axis == -1))
        return cpi_fail(CP_ERROR_TYPE, "%s: cannot %s on a scalar", name, method);
    return cpi_axis(name, axis, x->ndim);
}

/* Opens a call with one axis. Returns x in the operation's type with the axis last, which the caller
 * frees. */
static cp_array *open_accumulation(const char *method, cp_op op, cp_array *x, int *axis, const cp_accumulate_options *o,
                                   call *f, cpi_output *to)
{
    if (check_kind(method, op, x)) return NULL;
    const cpi_op_row *row = &cpi_op_rows[op];
    *f = (call){.name = row->name, .op = op};
    if (find_axis(method, f->name, x, axis)) return NULL;
    f->type = type_of(op, x, o->out, o->typed, o->dtype);
    if (f->type == CP_DEFAULT || !(f->device = cpi_common_device(f->name, 2, (cp_array *[]){x, o->out}))) return NULL;
    *to = (cpi_output){.function = f->name, .device = f->device, .type = f->type, .ndim = x->ndim, .out = o->out,
                       .casting = CP_UNSAFE};
    cp_array *converted = cpi_ufunc_operand(f->name, x, f->type, f->device);
    cp_array *moved = converted ? cpi_axis_moved(converted, *axis, x->ndim - 1) : NULL;
    cp_free(converted);
    return moved;
}

cp_array *(cp_ufunc_accumulate)(cp_op op, cp_array *x, int axis, const cp_accumulate_options *options)
{
    const cp_accumulate_options *o = CPI_GIVEN(cp_accumulate_options, options);
    call f;
    cpi_output to;
    cp_array *slices = open_accumulation("accumulate", op, x, &axis, o, &f, &to);
    if (!slices) return NULL;
    to.shape = x->shape;
    to.nlike = 1, to.like = &x;
    cp_code code = check_powers(&f, slices, 1, NULL);
    if (!code) code = cpi_output_open(&to, 2, (cp_array *[]){x, slices});
    if (!code) {
        cp_array *out = cpi_axis_moved(to.array, axis, x->ndim - 1);
        code = out ? accumulate_slices(&f, slices, out) : cp_error();
        cp_free(out);
    }
    cp_free(slices);
    return to.array ? cpi_output_close(&to, code) : NULL;
}

/* Where the segments of an axis of n elements begin and end: 2 * m integers on the device, released by cpi_work_free; m
 * >= 1. NULL with an error. */
static int64_t *segments(cp_op op, cp_array *indices, int64_t n, cpi_device *device)
{
    cp_stream *stream = cpi_stream(device);
    const int64_t m = indices->size;
    cp_array *starts = cpi_dense(cpi_op_rows[op].name, indices, CP_INT64, device);
    int64_t *bound = starts ? cpi_work_alloc(stream, (size_t)(2 * m) * sizeof *bound) : NULL;
    const int64_t *at = starts ? (const int64_t *)starts->data : NULL;
    cp_code code = bound ? device->backend->index->segments(stream, (int)op, at, m, n, bound, bound + m)
                         : cp_error();
    cp_free(starts);
    if (!code) return bound;
    cpi_work_free(stream, bound);
    return NULL;
}

/* All elements of a segment but the first are exponents. */
static cp_code check_segment_powers(const call *f, cp_array *x, const int64_t *bound, int64_t m)
{
    if (f->op != CP_OP_power || !cpi_is_signed(f->type) || !m) return CP_OK;
    cp_stream *stream = cpi_stream(f->device);
    int64_t *here = cpi_malloc((size_t)(2 * m) * sizeof *here);
    cp_code code = here ? f->device->backend->to_host(stream, here, bound, (size_t)(2 * m) * sizeof *here)
                        : CP_ERROR_MEMORY;
    for (int64_t j = 0; j < m && !code; j++) {
        cp_array *segment = part(x, here[j], here[m + j] - here[j]);
        code = segment ? check_powers(f, segment, 1, NULL) : cp_error();
        cp_free(segment);
    }
    cpi_free_host(here);
    return code;
}

static cp_code reduce_segments(const call *f, cp_array *x, cp_array *out, const int64_t *bound, int64_t m)
{
    cpi_ufunc_reduction c = accumulation_of(f, x, out, NULL);
    if (!c.slices || !m) return CP_OK;
    c.first = bound, c.last = bound + m;
    add_dim(&c, m, 0, out->strides[out->ndim - 1], 0);
    return run_kernel(f, &c);
}

static cp_code check_indices(const char *name, const cp_array *indices)
{
    if (cpi_null(name, indices)) return cp_error();
    if (indices->ndim != 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: indices of reduceat have one dimension, not %d", name, indices->ndim);
    if (!cpi_is_whole(indices->type))
        return cpi_fail(CP_ERROR_TYPE, "%s: Cannot cast array data from dtype('%s') to dtype('int64') according to "
                        "the rule 'safe'", name, cp_type_name(indices->type));
    return CP_OK;
}

cp_array *(cp_ufunc_reduceat)(cp_op op, cp_array *x, cp_array *indices, int axis, const cp_accumulate_options *options)
{
    const cp_accumulate_options *o = CPI_GIVEN(cp_accumulate_options, options);
    call f;
    cpi_output to;
    int64_t shape[CP_MAXDIM];
    const char *name = (unsigned)op < CP_NOPS ? cpi_op_rows[op].name : "reduceat";
    if (check_kind("reduceat", op, x) || find_axis("reduceat", name, x, &axis) || check_indices(name, indices))
        return NULL;
    const int64_t m = indices->size;
    cpi_device *device = cpi_common_device(name, 2, (cp_array *[]){x, indices});
    int64_t *bound = device && m ? segments(op, indices, x->shape[axis], device) : NULL;  /* before types */
    const bool heard = bound && !x->size && cpi_hear_of_indices(device, bound); /* the result will not be read */
    const bool go = device && (bound || !m) && !heard;
    cp_array *slices = go ? open_accumulation("reduceat", op, x, &axis, o, &f, &to) : NULL, *r = NULL;
    if (!slices && bound && !heard) cpi_fail_after_indices(device, bound);
    if (slices) {
        memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
        shape[axis] = m;
        to.shape = shape;
        to.nlike = 1, to.like = &x;
        cp_code code = check_segment_powers(&f, slices, bound, m);
        if (!code) code = cpi_output_open(&to, 2, (cp_array *[]){x, slices});
        if (!code) {
            cp_array *out = cpi_axis_moved(to.array, axis, x->ndim - 1);
            code = out ? reduce_segments(&f, slices, out, bound, m) : cp_error();
            cp_free(out);
        } else if (bound) {
            cpi_fail_after_indices(device, bound);
        }
        cp_free(slices);
        r = to.array ? cpi_output_close(&to, code) : NULL;
    }
    if (bound) cpi_work_free(cpi_stream(device), bound);
    return r;
}
