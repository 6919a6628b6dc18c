/* Front of the reductions: arguments, types, shapes and errors; the fold itself is the backend's.
 *
 * Invariant: what reaches a backend has kept >= 1, has elements (or an identity or initial value), at most
 * CPI_REDUCE_DIMS merged dimensions of each sort, and a result that overlaps no input. */
#include "reduce/reduce.h"

#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "core/memory.h"
#include "cuprite/elementwise.h"
#include "front/front.h"
#include "move/move.h"

cp_code cp_reduction_query(cp_reduction r, cp_reduction_info *info)
{
    if ((unsigned)r >= CP_NREDUCTIONS) return cpi_fail(CP_ERROR_VALUE, "reduction_query: no reduction has number %d", r);
    if (cpi_null("reduction_query", info)) return CP_ERROR_VALUE;
    const cpi_reduction_row *row = &cpi_reductions[r];
    *info = (cp_reduction_info){row->name, row->ufunc, row->doc, row->identity};
    return CP_OK;
}

cp_reduction cp_reduction_from_name(const char *name)
{
    for (int i = 0; name && i < CP_NREDUCTIONS; i++)
        if (!strcmp(cpi_reductions[i].name, name)) return (cp_reduction)i;
    return CP_NREDUCTIONS;
}

static bool is_place(cp_reduction r) { return cpi_folds[cpi_reductions[r].fold].class_of == CPI_PLACE; }
/* The fold of integers that r makes. */
static cpi_fold fold_of_integers(cp_reduction r)
{
    return cpi_folds[cpi_reductions[r].fold].integers;
}

/* Elements are looked at as they are, the result's type does not depend on theirs. */
static bool is_fixed(cpi_reduce_rule rule)
{
    return rule == CPI_RESULT_INDEX || rule == CPI_RESULT_TRUTH || rule == CPI_RESULT_COUNT;
}

static cp_type real_type(cp_type t)
{
    return t == CP_COMPLEX64 ? CP_FLOAT32 : t == CP_COMPLEX128 ? CP_FLOAT64 : t;
}

/* The type that elements are folded as, NumPy's "loop type"; the result's type follows from it. */
static cp_type loop_type(cpi_reduce_rule rule, cp_type t, const cp_reduce_options *o)
{
    if (is_fixed(rule)) return t;
    if (o->typed) return o->dtype;
    bool whole = t <= CP_UINT64;
    if (rule == CPI_RESULT_WIDE) {
        if (o->out) return cp_promote(o->out->type, t);
        return !whole ? t : t == CP_BOOL || cpi_is_signed(t) ? CP_INT64 : CP_UINT64;
    }
    if (rule == CPI_RESULT_MEAN || rule == CPI_RESULT_REAL) return whole ? CP_FLOAT64 : t;
    return t;
}

static cp_type result_type(cpi_reduce_rule rule, cp_type loop, bool typed)
{
    switch (rule) {
    case CPI_RESULT_INDEX:
    case CPI_RESULT_COUNT: return CP_INT64;
    case CPI_RESULT_TRUTH: return CP_BOOL;
    case CPI_RESULT_REAL: return typed ? loop : real_type(loop);
    default: return loop;
    }
}

/* Must elements be converted before they are folded? Not where the accumulator holds both types. */
static bool must_convert(cpi_reduce_rule rule, cp_type t, cp_type loop)
{
    if (t == loop || is_fixed(rule)) return false;
    if (rule == CPI_RESULT_SAME) return true;
    if (cpi_is_complex(t)) return !cpi_is_complex(loop);
    if (rule != CPI_RESULT_WIDE && loop <= CP_UINT64) return true;
    return cpi_is_float(t) && loop <= CP_UINT64;
}

/* Everything one call is about. Arrays marked "own" are freed at its end. */
typedef struct call {
    cp_reduction r;
    const cpi_reduction_row *row;
    const cp_reduce_options *o;
    cpi_device *device;
    cp_array *x, *where;     /* own */
    cp_array *result;        /* own: out itself or a new array */
    bool reduced[CP_MAXDIM]; /* which axes of x go */
    int ndim;                /* of the result */
    int64_t shape[CP_MAXDIM];
    cpi_reduce_args a;
} call;

/* Beside an extent of 0 the others may have any product; where it wraps, making the result fails. */
static int64_t times(int64_t a, int64_t n)
{
    int64_t p;
    return __builtin_mul_overflow(a, n, &p) ? INT64_MAX : p;
}

static cp_code find_axes(call *c)
{
    const char *name = c->row->name;
    cp_axes axes = c->o->axis;
    int nd = c->x->ndim;
    if (is_place(c->r) && axes.at && axes.n != 1)
        return cpi_fail(CP_ERROR_TYPE, "%s: takes one axis or none, not %d", name, axes.n);
    /* NumPy lets 0-d arrays have an axis 0 here */
    if (nd == 0 && axes.n == 1 && axes.at && (axes.at[0] == 0 || axes.at[0] == -1)) axes = (cp_axes){0, NULL};
    cp_code code = cpi_axes_mask(name, axes, nd, c->reduced);
    if (code) return code;
    c->a.kept = c->a.reduced = 1;
    c->ndim = 0;
    for (int i = 0; i < nd; i++) {
        int64_t n = c->x->shape[i];
        if (c->reduced[i]) c->a.reduced = times(c->a.reduced, n);
        else c->a.kept = times(c->a.kept, n);
        if (!c->reduced[i]) c->shape[c->ndim++] = n;
        else if (c->o->keepdims) c->shape[c->ndim++] = 1;
    }
    if (!c->row->identity && !c->o->initial && c->a.reduced == 0) {
        if (is_place(c->r)) return cpi_fail(CP_ERROR_VALUE, "%s: attempt to get %s of an empty sequence", name, name);
        return cpi_fail(CP_ERROR_VALUE, "%s: zero-size array to reduction operation %s which has no identity", name,
                        c->row->ufunc);
    }
    return CP_OK;
}

static cp_code check_out(call *c, cp_type result)
{
    const cp_array *out = c->o->out;
    const char *name = c->row->name;
    if (out->ndim != c->ndim)
        return cpi_fail(CP_ERROR_VALUE,
                        "%s: output parameter for reduction operation %s has the wrong number of dimensions: "
                        "found %d but expected %d", name, c->row->ufunc, out->ndim, c->ndim);
    if (memcmp(out->shape, c->shape, (size_t)c->ndim * sizeof *c->shape)) {
        char a[256], b[256];
        return cpi_fail(CP_ERROR_VALUE, "%s: output has shape %s but the result has %s", name,
                        cpi_shape_text(out->ndim, out->shape, a, sizeof a),
                        cpi_shape_text(c->ndim, c->shape, b, sizeof b));
    }
    /* as NumPy: any type takes a result, but a place goes where every int64 could have come from */
    if (c->row->rule == CPI_RESULT_INDEX && !cp_can_cast(out->type, result, CP_SAFE))
        return cpi_fail(CP_ERROR_CASTING, "%s: Cannot cast array data from %s to %s according to the rule 'safe'", name,
                        cp_type_name(out->type), cp_type_name(result));
    return cpi_check_writable(name, out);
}

/* The mask as an array of x's shape on x's device; none when it is a true scalar. */
static cp_code find_where(call *c)
{
    cp_array *w = c->o->where;
    const char *name = c->row->name;
    if (!w) return CP_OK;
    if (w->type != CP_BOOL) return cpi_fail(CP_ERROR_TYPE, "%s: where must be a boolean array, not %s", name, cp_type_name(w->type));
    if (!c->row->identity && !c->o->initial)
        return cpi_fail(CP_ERROR_VALUE, "%s: reduction operation '%s' does not have an identity, so to use a where mask "
                        "one has to specify 'initial'", name, c->row->ufunc);
    if (c->row->rule == CPI_RESULT_INDEX || c->row->rule == CPI_RESULT_COUNT)
        return cpi_fail(CP_ERROR_TYPE, "%s: has no argument where", name);
    c->where = cp_broadcast_to(w, (cp_shape){c->x->ndim, c->x->shape});
    return c->where ? CP_OK : cp_error();
}

/* A Python number that starts a result of type t must be one of its values; other arrays are converted. */
static cp_code check_initial(const char *name, const cp_array *v, const unsigned char *raw, cp_type t)
{
    if (cpi_is_complex(v->type) && !cpi_is_complex(t) && (v->flags & CPI_WEAK))
        return cpi_fail(CP_ERROR_TYPE, "%s: a complex initial cannot start a result of %s", name, cp_type_name(t));
    if (!(v->flags & CPI_WEAK) || !cpi_is_int(t)) return CP_OK;
    if (cpi_is_float(v->type)) {
        double x = *(const double *)raw;
        if (isnan(x)) return cpi_fail(CP_ERROR_VALUE, "%s: cannot convert float NaN to integer", name);
        return isinf(x) ? cpi_fail(CP_ERROR_OVERFLOW, "%s: cannot convert float infinity to integer", name) : CP_OK;
    }
    int64_t x = *(const int64_t *)raw, back;
    unsigned char there[16];
    cpi_convert_value(CP_INT64, raw, t, there);
    cpi_convert_value(t, there, CP_INT64, (unsigned char *)&back);
    if (back == x && (x >= 0 || cpi_is_signed(t))) return CP_OK;
    return cpi_fail(CP_ERROR_OVERFLOW, "%s: Python integer %lld out of bounds for %s", name, (long long)x, cp_type_name(t));
}

static cp_code find_initial(call *c)
{
    cp_array *v = c->o->initial;
    if (!v) return CP_OK;
    const char *name = c->row->name;
    bool truth = c->row->rule == CPI_RESULT_TRUTH && c->o->typed; /* a sum or product of truth values */
    if (c->row->rule != CPI_RESULT_WIDE && c->row->rule != CPI_RESULT_SAME && !truth)
        return cpi_fail(CP_ERROR_TYPE, "%s: has no argument initial", name);
    if (v->size != 1) return cpi_fail(CP_ERROR_VALUE, "%s: initial must be one value", name);
    _Alignas(16) unsigned char raw[16];
    cp_code code = cp_to_host(v, raw, sizeof raw);
    if (code || (code = check_initial(name, v, raw, c->a.result))) return code;
    cpi_convert_value(v->type, raw, c->a.result, c->a.value);
    c->a.initial = true;
    return CP_OK;
}

/* NumPy's sums begin at 0, so that no sum is -0.0; kernels begin at the fold's identity, which keeps the sign of a zero. */
static void start_from_zero(call *c)
{
    if (c->a.initial || c->a.whole || !cpi_folds[c->a.fold].from_zero) return;
    memset(c->a.value, 0, sizeof c->a.value);
    c->a.initial = true;
}

static int64_t magnitude(int64_t s) { return s == 0 ? INT64_MAX : s < 0 ? -s : s; }

/* Adds axis d to a list of dimensions, sorted by falling stride of x when `sorted`. */
static int add_dim(cpi_reduce_dim *list, int n, cpi_reduce_dim d, bool sorted)
{
    int at = n;
    if (sorted)
        while (at > 0 && magnitude(list[at - 1].x) < magnitude(d.x)) {
            list[at] = list[at - 1];
            at--;
        }
    list[at] = d;
    return n + 1;
}

static int merge_dims(cpi_reduce_dim *list, int n)
{
    int m = 0;
    for (int i = 0; i < n; i++) {
        cpi_reduce_dim d = list[i];
        if (m) {
            cpi_reduce_dim *p = &list[m - 1];
            if (p->x == d.x * d.n && p->where == d.where * d.n && p->out == d.out * d.n) {
                *p = (cpi_reduce_dim){p->n * d.n, d.x, d.where, d.out};
                continue;
            }
        }
        list[m++] = d;
    }
    return m;
}

/* Fills the dimensions of the arguments; false when there are too many. */
static bool lay_out(call *c)
{
    cpi_reduce_dim keep[CP_MAXDIM + 1], reduce[CP_MAXDIM + 1];
    int nkeep = 0, nreduce = 0, at = 0;
    bool ordered = is_place(c->r);
    const cp_array *x = c->x, *w = c->where, *out = c->result;
    c->a.x = x->data;
    c->a.where = w ? (const uint8_t *)w->data : NULL;
    c->a.out = out->data;
    for (int i = 0; i < x->ndim; i++) {
        bool gone = c->reduced[i];
        cpi_reduce_dim d = {x->shape[i], x->strides[i], w ? w->strides[i] : 0, 0};
        if (!gone) d.out = out->strides[at];
        if (!gone || c->o->keepdims) at++;
        if (d.n == 1) continue;
        if (d.x < 0 && !(gone && ordered) && d.n > 0) {
            c->a.x += d.x * (d.n - 1), d.x = -d.x;
            if (w) c->a.where += d.where * (d.n - 1), d.where = -d.where;
            c->a.out += d.out * (d.n - 1), d.out = -d.out;
        }
        if (gone) nreduce = add_dim(reduce, nreduce, d, !ordered);
        else nkeep = add_dim(keep, nkeep, d, true);
    }
    if (c->a.reduced == 0) nreduce = 0;
    nkeep = merge_dims(keep, nkeep);
    nreduce = merge_dims(reduce, nreduce);
    if (nkeep > CPI_REDUCE_DIMS || nreduce > CPI_REDUCE_DIMS) return false;
    c->a.nkept = nkeep, c->a.nreduced = nreduce;
    memcpy(c->a.keep, keep, (size_t)nkeep * sizeof *keep);
    memcpy(c->a.reduce, reduce, (size_t)nreduce * sizeof *reduce);
    return true;
}

/* Too many dimensions that do not merge: copies with the kept axes in front have one of each sort. */
static cp_array *gathered(call *c, cp_array *x)
{
    int order[CP_MAXDIM], n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < x->ndim; i++)
            if (c->reduced[i] == (pass == 1)) order[n++] = i;
    cp_array *t = cp_transpose(x, (cp_axes){n, order});
    cp_array *copy = t ? cpi_as_contiguous(c->row->name, t, x->type) : NULL;
    cp_free(t);
    return copy;
}

static cp_code lay_out_gathered(call *c)
{
    cp_array *x = gathered(c, c->x);
    if (!x) return cp_error();
    cp_free(c->x);
    c->x = x;
    if (c->where) {
        cp_array *w = gathered(c, c->where);
        if (!w) return cp_error();
        cp_free(c->where);
        c->where = w;
    }
    cp_array *fresh = cpi_array_new(c->row->name, c->device, c->result->type, c->ndim, c->shape, 'C');
    if (!fresh) return cp_error();
    cp_free(c->result);
    c->result = fresh;
    c->a.x = x->data, c->a.out = fresh->data;
    c->a.where = c->where ? (const uint8_t *)c->where->data : NULL;
    int64_t item = cpi_itemsize(x->type), to = cpi_itemsize(fresh->type), mask = c->where ? 1 : 0;
    c->a.nkept = c->a.nreduced = 1;
    c->a.keep[0] = (cpi_reduce_dim){c->a.kept, item * c->a.reduced, mask * c->a.reduced, to};
    c->a.reduce[0] = (cpi_reduce_dim){c->a.reduced, item, mask, 0};
    return CP_OK;
}

/* Makes the array that the backend writes: out itself where that is safe. */
static cp_code make_result(call *c)
{
    cp_array *out = c->o->out;
    if (out && out->type == c->a.result && !(out->flags & CPI_HOST_SCALAR) && !cpi_may_overlap(out, c->x) &&
        !(c->where && cpi_may_overlap(out, c->where))) {
        c->result = cp_retain(out);
        return CP_OK;
    }
    c->result = cpi_array_new(c->row->name, c->device, c->a.result, c->ndim, c->shape, 'C');
    return c->result ? CP_OK : cp_error();
}

static cp_code convert(call *c, cp_type to)
{
    cp_array *y = cp_astype(c->x, to);
    if (!y) return cp_error();
    cp_free(c->x);
    c->x = y;
    return CP_OK;
}

/* Chooses the fold for the elements' type, and how integers are gathered: modulo 2^64 where they stay integers, exactly where
 * that fits, as doubles; or they are converted first, where none of these has kernels. */
static cp_code choose_fold(call *c, cp_type loop)
{
    bool integers = c->x->type <= CP_UINT64;
    c->a.fold = integers ? fold_of_integers(c->r) : c->row->fold;
    const cpi_fold_row *fold = &cpi_folds[c->a.fold];
    c->a.class_of = fold->class_of;
    if (fold->class_of != CPI_NUMBER || !integers) return CP_OK;
    bool modular = c->row->rule == CPI_RESULT_WIDE && c->a.result <= CP_UINT64;
    c->a.exact = !modular && fold->exact && !c->a.initial && cpi_itemsize(c->x->type) <= 2;
    c->a.whole = modular || c->a.exact;
    if (c->a.whole || (fold->exact && cpi_itemsize(c->x->type) > 2)) return CP_OK;
    c->a.fold = c->row->fold;
    return convert(c, loop <= CP_UINT64 ? CP_FLOAT64 : loop);
}

static cp_code run(call *c)
{
    cp_code code;
    if ((code = find_axes(c))) return code;
    c->a.op = c->r;
    cp_type loop = loop_type(c->row->rule, c->x->type, c->o);
    c->a.result = result_type(c->row->rule, loop, c->o->typed);
    if (c->o->out && (code = check_out(c, c->a.result))) return code;
    if ((code = find_where(c)) || (code = find_initial(c))) return code;
    if (must_convert(c->row->rule, c->x->type, loop) && (code = convert(c, loop))) return code;
    if ((code = choose_fold(c, loop))) return code;
    c->a.type = c->x->type;
    c->a.ddof = c->o->ddof;
    start_from_zero(c);
    if ((code = make_result(c))) return code;
    if (c->a.kept) {
        if (!lay_out(c) && (code = lay_out_gathered(c))) return code;
        if ((code = c->device->backend->reduce->reduce(cpi_stream(c->device), &c->a))) return code;
    }
    if (c->o->out && c->o->out != c->result) return cp_assign(c->o->out, c->result);
    return CP_OK;
}

/* The mean of masked elements has a divisor of its own for each result: sum over count. */
static cp_array *masked_mean(cp_array *x, const cp_reduce_options *o)
{
    cp_type t = x->type, loop = loop_type(CPI_RESULT_MEAN, t, o), wide = loop;
    if (loop == CP_FLOAT16 || loop == CP_BFLOAT16) wide = CP_FLOAT32;
    if (loop <= CP_UINT64) wide = CP_FLOAT64;
    cp_reduce_options so = {.axis = o->axis, .keepdims = o->keepdims, .typed = true, .dtype = wide, .where = o->where};
    cp_reduce_options co = {.axis = o->axis, .keepdims = o->keepdims};
    cp_array *sum = cp_reduce(CP_REDUCE_sum, x, &so);
    cp_array *mask = sum ? cp_broadcast_to(o->where, (cp_shape){x->ndim, x->shape}) : NULL;
    cp_array *n = mask ? cp_reduce(CP_REDUCE_sum, mask, &co) : NULL;
    cp_array *nf = n ? cp_astype(n, real_type(wide)) : NULL;
    cp_array *mean = NULL, *result = NULL;
    if (nf) {
        cp_array *in[2] = {sum, nf};
        mean = cp_elementwise(CP_OP_divide, in, &(cp_ufunc_options){.out = sum});
    }
    if (mean && o->out) {
        if (o->out->ndim != mean->ndim || memcmp(o->out->shape, mean->shape, (size_t)mean->ndim * sizeof(int64_t)))
            cpi_fail(CP_ERROR_VALUE, "mean: the output's shape is not the result's");
        else if (!cpi_check_writable("mean", o->out) && !cp_assign(o->out, mean))
            result = cpi_again(o->out);
    } else if (mean) {
        result = mean->type == loop ? cp_retain(mean) : cp_astype(mean, loop);
    }
    cp_free(mean), cp_free(nf), cp_free(n), cp_free(mask), cp_free(sum);
    return result;
}

/* A false host scalar as a mask: a false element in the device's memory. */
static cp_array *false_on(const char *name, cpi_device *device)
{
    cp_array *zero = device ? cpi_array_new(name, device, CP_BOOL, 0, NULL, 'C') : NULL;
    if (!zero || device->backend->zero(cpi_stream(device), zero->data, 1) == CP_OK) return zero;
    cp_free(zero);
    return NULL;
}

/* With a mask that is one value in host memory: without it, or with one the device can read. */
static cp_array *reduce_scalar_mask(cp_reduction r, cp_array *x, const cp_reduce_options *o)
{
    cp_array *two[2] = {x, o->out}, *zero = NULL, *result = NULL;
    cp_reduce_options other = *o;
    other.where = NULL;
    bool keep = *(const uint8_t *)o->where->data;
    if (!keep) other.where = zero = false_on(cpi_reductions[r].name, cpi_common_device(cpi_reductions[r].name, o->out ? 2 : 1, two));
    if (keep || zero) result = cp_reduce(r, x, &other);
    cp_free(zero);
    return result;
}

/* A fold that leaves NaN out, of elements that are converted first to a type without NaN: the mask remembers. */
static cp_array *reduce_known(cp_reduction r, cp_array *x, const cp_reduce_options *o)
{
    cp_reduce_options other = *o;
    cp_array *y = cp_astype(x, o->dtype), *nan = cp_isnan(x), *known = cp_logical_not(nan), *result = NULL;
    other.where = known;
    cp_array *both = known && o->where ? cp_logical_and(known, o->where) : NULL;
    if (o->where) other.where = o->where->type == CP_BOOL ? both : o->where; /* other types are refused below */
    if (y && other.where) result = cp_reduce(r, y, &other);
    cp_free(both), cp_free(known), cp_free(nan), cp_free(y);
    return result;
}

cp_array *cp_reduce(cp_reduction r, cp_array *x, const cp_reduce_options *options)
{
    static const cp_reduce_options none;
    const cp_reduce_options *o = options ? options : &none;
    if ((unsigned)r >= CP_NREDUCTIONS) {
        cpi_fail(CP_ERROR_VALUE, "reduce: no reduction has number %d", (int)r);
        return NULL;
    }
    const char *name = cpi_reductions[r].name;
    if (cpi_null(name, x)) return NULL;
    if (o->typed && !cp_type_size(o->dtype)) {
        cpi_fail(CP_ERROR_TYPE, "%s: dtype is no type", name);
        return NULL;
    }
    if (o->where && o->where->type == CP_BOOL) {
        if (o->where->flags & CPI_HOST_SCALAR) return reduce_scalar_mask(r, x, o);
        if (r == CP_REDUCE_mean) return masked_mean(x, o);
    }
    const cpi_reduction_row *row = &cpi_reductions[r];
    cpi_fold whole = fold_of_integers(r);
    bool wide = o->typed && row->rule == CPI_RESULT_WIDE;
    if (wide && whole != row->fold && must_convert(row->rule, x->type, o->dtype)) return reduce_known(r, x, o);
    /* adding and multiplying truth values is "or" and "and" */
    if (wide && o->dtype == CP_BOOL && (whole == CPI_FOLD_SUM || whole == CPI_FOLD_PRODUCT))
        r = whole == CPI_FOLD_SUM ? CP_REDUCE_any : CP_REDUCE_all;
    call c = {.r = r, .row = &cpi_reductions[r], .o = o};
    cp_array *all[3] = {x};
    int n = 1;
    if (o->out) all[n++] = o->out;
    if (o->where) all[n++] = o->where;
    if (!(c.device = cpi_common_device(name, n, all))) return NULL;
    c.x = x->flags & CPI_HOST_SCALAR ? cp_to_device(x, c.device->id) : cp_retain(x);
    cp_array *result = NULL;
    if (c.x && run(&c) == CP_OK) result = o->out ? cpi_again(o->out) : cp_retain(c.result);
    if (result && row->rule == CPI_RESULT_INDEX && o->typed && !o->out && o->dtype != CP_INT64) {
        cp_array *places = result;
        result = cp_astype(places, o->dtype);
        cp_free(places);
    }
    cp_free(c.result), cp_free(c.where), cp_free(c.x);
    return result;
}
