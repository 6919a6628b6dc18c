/* API layer of the reductions: arguments, types, shapes and errors; the backend reduces.
 *
 * Invariant: a backend gets kept >= 1, elements (or an identity or initial value), at most CPI_REDUCE_DIMS merged
 * dimensions of each kind, and a result that overlaps no input. */
#include "reduce/reduce.h"

#include <stddef.h>
#include <string.h>

#include "cuprite/elementwise.h"
#include "operands/operands.h"
#include "loop/loop.h"
#include "reduce/composed.h"
#include "reduce/notice.h"

cp_code cp_reduction_query(cp_reduction r, cp_reduction_info *info)
{
    if ((unsigned)r >= CP_NREDUCTIONS)
        return cpi_fail(CP_ERROR_VALUE, "reduction_query: no reduction has number %d", r);
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

static bool is_place(cp_reduction r) { return cpi_reducers[cpi_reductions[r].reducer].class_of == CPI_INDEXED; }
/* The reducer of integers that r uses. */
static cpi_reducer reducer_of_integers(cp_reduction r)
{
    return cpi_reducers[cpi_reductions[r].reducer].integers;
}

/* Are elements used as they are, with a result type independent of theirs? */
static bool is_fixed(cpi_reduce_rule rule)
{
    return rule == CPI_RESULT_INDEX || rule == CPI_RESULT_TRUTH || rule == CPI_RESULT_COUNT;
}

/* The type in which elements are reduced, NumPy's "loop type"; the result's type follows from it. */
static cp_type loop_type(cpi_reduce_rule rule, cp_type t, const cp_reduce_options *o)
{
    if (is_fixed(rule)) return t;
    if (o->typed) return o->dtype;
    bool takes_part = rule == CPI_RESULT_WIDE || (rule == CPI_RESULT_SAME && o->initial); /* out's type, as in NumPy */
    if (o->out && takes_part) return cp_promote(o->out->type, t);
    if (rule == CPI_RESULT_SAME || !cpi_is_whole(t)) return t;
    if (rule != CPI_RESULT_WIDE) return CP_FLOAT64;
    return cpi_is_bool(t) || cpi_is_signed(t) ? CP_INT64 : CP_UINT64;
}

static cp_type result_type(cpi_reduce_rule rule, cp_type loop, bool typed)
{
    switch (rule) {
    case CPI_RESULT_INDEX:
    case CPI_RESULT_COUNT: return CP_INT64;
    case CPI_RESULT_TRUTH: return CP_BOOL;
    case CPI_RESULT_REAL: return typed ? loop : cpi_part_type(loop);
    case CPI_RESULT_SAME:
    case CPI_RESULT_WIDE:
    case CPI_RESULT_MEAN: break;
    }
    return loop;
}

/* For complex elements in a real type, NumPy's mean loses its imaginary part, and elements keep theirs. */
static bool is_about_real(cpi_reduce_rule rule, cp_type t, cp_type loop)
{
    return rule == CPI_RESULT_REAL && cpi_is_complex(t) && cpi_is_float(loop);
}

/* Must elements be converted before the reduction? Not where the accumulator holds both types. */
static bool must_convert(cpi_reduce_rule rule, cp_type t, cp_type loop)
{
    if (t == loop || is_fixed(rule)) return false;
    if (rule == CPI_RESULT_SAME) return true;
    if (rule == CPI_RESULT_WIDE && cpi_is_half(loop) && cpi_itemsize(t) > 1) return true; /* it cannot hold them */
    if (cpi_is_complex(t)) return !cpi_is_complex(loop) && !is_about_real(rule, t, loop);
    return cpi_is_whole(loop) && (rule != CPI_RESULT_WIDE || cpi_is_float(t));
}

/* One call. Arrays marked "own" are freed at its end. */
typedef struct call {
    cp_reduction r;
    const cpi_reduction_row *row;
    const cp_reduce_options *o;
    cp_array *x, *where; /* own */
    cpi_slices slices;
    cpi_output to;
    cpi_reduce_args a;
    int64_t lies[CP_MAXDIM]; /* strides of the array that NumPy reduces: x itself, or its copy */
} call;

/* Is there a result of no elements? */
static bool has_start(const call *c) { return (c->row->identity && !c->o->no_identity) || c->o->initial; }

static cp_code find_axes(call *c)
{
    const char *name = c->row->name;
    cp_axes axes = c->o->axis;
    if (is_place(c->r) && axes.at && axes.n != 1)
        return cpi_fail(CP_ERROR_TYPE, "%s: takes one axis or none, not %d", name, axes.n);
    bool first = axes.n == 1 && axes.at && (axes.at[0] == 0 || axes.at[0] == -1);
    if (is_place(c->r) && first && c->x->ndim == 0) axes = CP_ALL; /* as NumPy */
    cp_code code = cpi_slices_of(name, c->x, axes, c->o->keepdims, &c->slices);
    if (code) return code;
    c->a.kept = c->slices.kept;
    c->a.reduced = c->slices.reduced;
    if (has_start(c) || c->a.reduced) return CP_OK;
    if (is_place(c->r)) return cpi_fail(CP_ERROR_VALUE, "%s: attempt to get %s of an empty sequence", name, name);
    return cpi_fail(CP_ERROR_VALUE, "%s: zero-size array to reduction operation %s which has no identity", name,
                    c->row->ufunc);
}

/* The mask as an array of x's shape on x's device. */
static cp_code find_where(call *c)
{
    cp_array *w = c->o->where;
    const char *name = c->row->name;
    cp_code code = cpi_check_mask(name, w);
    if (code || !w || cpi_is_true(w)) return code;
    if (!has_start(c))
        return cpi_fail(CP_ERROR_VALUE,
                        "%s: reduction operation '%s' does not have an identity, so to use a where mask "
                        "one has to specify 'initial'",
                        name, c->row->ufunc);
    if (c->row->rule == CPI_RESULT_INDEX || c->row->rule == CPI_RESULT_COUNT)
        return cpi_fail(CP_ERROR_TYPE, "%s: has no argument where", name);
    c->where = cpi_mask(name, w, c->to.device, c->x->ndim, c->x->shape);
    return c->where ? CP_OK : cp_error();
}

static cp_code find_initial(call *c, cp_type *loop)
{
    if (!c->o->initial) return CP_OK;
    bool truth = c->row->rule == CPI_RESULT_TRUTH && c->o->typed; /* a sum or product of truth values */
    if (c->row->rule != CPI_RESULT_WIDE && c->row->rule != CPI_RESULT_SAME && !truth)
        return cpi_fail(CP_ERROR_TYPE, "%s: has no argument initial", c->row->name);
    c->a.initial = true;
    cp_code code = cpi_value_as(c->row->name, c->o->initial, c->a.result, c->a.value);
    if (!code && c->o->out && c->o->out->type != c->a.result) { /* NumPy writes the initial value to `out` first */
        _Alignas(16) unsigned char there[16];
        cpi_convert_value(c->a.result, c->a.value, c->o->out->type, there);
        if (!c->a.reduced && !is_fixed(c->row->rule)) { /* and it stays there where nothing follows */
            *loop = c->a.result = c->o->out->type;
            memcpy(c->a.value, there, sizeof there);
            return CP_OK;
        }
        cpi_convert_value(c->o->out->type, there, c->a.result, c->a.value);
    }
    return code;
}

/* NumPy's sums start at 0, so that no sum is -0.0; kernels start at the reducer's identity, which keeps the sign of a
 * zero. */
static void start_from_zero(call *c)
{
    if (c->a.initial || c->o->no_identity || c->a.whole || !cpi_reducers[c->a.reducer].from_zero) return;
    memset(c->a.value, 0, sizeof c->a.value);
    c->a.initial = true;
}

/* Axes on one side of a reduction, kept or reduced. */
typedef struct axes { int n; int64_t shape[CP_MAXDIM], x[CP_MAXDIM], where[CP_MAXDIM], out[CP_MAXDIM]; } axes;

static void add_axis(axes *a, int64_t n, int64_t x, int64_t where, int64_t out)
{
    if (n == 1) return; /* of small arrays there is nothing left to coalesce */
    a->shape[a->n] = n, a->x[a->n] = x, a->where[a->n] = where, a->out[a->n++] = out;
}

/* Coalesces axes into the arguments' dimensions; returns their number, -1: too many. */
static int coalesce(call *c, axes *a, unsigned how, cpi_reduce_dim *to)
{
    if (!a->n) return 0;
    if (a->n == 1 && a->x[0] >= 0) { /* used directly */
        to[0] = (cpi_reduce_dim){a->shape[0], a->x[0], a->where[0], a->out[0]};
        return 1;
    }
    int64_t *const strides[3] = {a->x, a->where, a->out}, moved[3] = {0};
    cpi_loop_axes all = {a->n, 3, a->shape, strides, moved};
    const int n = cpi_axes_coalesce(&all, how);
    if (n > CPI_REDUCE_DIMS) return -1;
    for (int d = 0; d < n; d++) to[d] = (cpi_reduce_dim){a->shape[d], a->x[d], a->where[d], a->out[d]};
    c->a.x += moved[0], c->a.out += moved[2];
    if (c->a.where) c->a.where += moved[1];
    return n;
}

/* Fills the dimensions of the arguments; false when there are too many. x alone decides which axes are reversed and
 * how they are ordered. For argmin and argmax, reduced axes keep their order. */
static bool lay_out(call *c)
{
    const unsigned by_x = CPI_LOOP_REVERSE | CPI_LOOP_ORDER | CPI_LOOP_BY_OPERAND_0;
    axes keep, reduce;
    const cp_array *x = c->x, *w = c->where, *out = c->to.array;
    keep.n = reduce.n = 0;
    c->a.x = x->data;
    c->a.where = w ? (const uint8_t *)w->data : NULL;
    c->a.out = out->data;
    for (int i = 0, at = 0; i < x->ndim; i++) {
        const bool gone = c->slices.gone[i];
        if (!gone) add_axis(&keep, x->shape[i], x->strides[i], w ? w->strides[i] : 0, out->strides[at]);
        else if (c->a.reduced) add_axis(&reduce, x->shape[i], x->strides[i], w ? w->strides[i] : 0, 0);
        if (!gone || c->o->keepdims) at++;
    }
    c->a.nkept = coalesce(c, &keep, by_x, c->a.keep);
    c->a.nreduced = coalesce(c, &reduce, is_place(c->r) ? 0 : by_x, c->a.reduce);
    return c->a.nkept >= 0 && c->a.nreduced >= 0;
}

/* For too many dimensions that do not merge: copies with the kept axes first, which have one dimension of each kind. */
static cp_code gather(call *c, cp_array **x)
{
    cp_array *dense = *x ? cpi_slices_dense(c->row->name, *x, &c->slices, c->to.device, true) : NULL;
    if (*x && !dense) return cp_error();
    cp_free(*x);
    *x = dense;
    return CP_OK;
}

static cp_code lay_out_gathered(call *c)
{
    cp_code code = gather(c, &c->x);
    if (!code) code = gather(c, &c->where);
    if (!code) code = cpi_output_separate(&c->to);
    if (code) return code;
    c->a.x = c->x->data, c->a.out = c->to.array->data;
    c->a.where = c->where ? (const uint8_t *)c->where->data : NULL;
    int64_t item = cpi_itemsize(c->x->type), to = cpi_itemsize(c->to.type), mask = c->where ? 1 : 0;
    c->a.nkept = c->a.nreduced = 1;
    c->a.keep[0] = (cpi_reduce_dim){c->a.kept, item * c->a.reduced, mask * c->a.reduced, to};
    c->a.reduce[0] = (cpi_reduce_dim){c->a.reduced, item, mask, 0};
    return CP_OK;
}

static cp_code convert(call *c, cp_type to)
{
    if (cpi_discards(c->x->type, to)) cpi_warn(CP_WARNING_COMPLEX);
    cp_array *y = cp_astype(c->x, to);
    if (!y) return cp_error();
    cp_free(c->x);
    c->x = y;
    return CP_OK;
}

/* Chooses the reducer for the elements' type and the accumulation of integers: modulo 2^64 where they stay integers,
 * exactly where that fits, else as doubles. Where none of these has kernels, integers are converted first. */
static cp_code choose_reducer(call *c, cp_type loop)
{
    bool integers = cpi_is_whole(c->x->type);
    c->a.reducer = integers ? reducer_of_integers(c->r) : c->row->reducer;
    const cpi_reducer_row *reducer = &cpi_reducers[c->a.reducer];
    c->a.class_of = reducer->class_of;
    if (reducer->class_of != CPI_NUMBER || !integers) return CP_OK;
    bool modular = c->row->rule == CPI_RESULT_WIDE && cpi_is_whole(c->a.result);
    c->a.exact = !modular && reducer->exact && !c->a.initial && cpi_itemsize(c->x->type) <= 2;
    c->a.whole = modular || c->a.exact;
    if (c->a.whole || (reducer->exact && cpi_itemsize(c->x->type) > 2)) return CP_OK;
    c->a.reducer = c->row->reducer;
    return convert(c, cpi_is_whole(loop) ? CP_FLOAT64 : loop);
}

/* Types that NumPy rejects although results could be converted to them. */
static cp_code check_types(const call *c, cp_type loop)
{
    const cp_array *out = c->o->out;
    const char *name = c->row->name;
    if (c->row->rule == CPI_RESULT_INDEX && out && cpi_has_shape(out, c->slices.ndim, c->slices.shape))
        return cpi_check_cast(name, CPI_OUTPUT, out->type, CP_INT64, CP_SAFE); /* as NumPy: the reverse direction */
    if (c->row->rule != CPI_RESULT_REAL) return CP_OK;
    if (cpi_is_bool(loop) && cpi_is_bool(c->x->type))
        return cpi_fail(CP_ERROR_TYPE, "%s: booleans have no differences", name);
    bool known = cpi_reducers[c->row->reducer].integers != c->row->reducer;
    if (known && (cpi_is_whole(c->a.result) || (out && cpi_is_whole(out->type))))
        return cpi_fail(CP_ERROR_TYPE, "%s: If a is inexact, then dtype and out must be inexact", name);
    if (!c->row->root || (!out && !c->slices.ndim)) return CP_OK; /* the root is taken in an array's own type */
    return cpi_check_cast(name, CPI_OUTPUT, CP_FLOAT16, out ? out->type : c->a.result, CP_SAME_KIND);
}

/* NumPy counts the truth values of a copy, and replaces NaN in one. */
static bool is_copied(const call *c)
{
    if (c->row->rule == CPI_RESULT_COUNT) return c->x->type != CP_BOOL;
    return !cpi_is_whole(c->x->type) && c->row->reducer != reducer_of_integers(c->r) &&
           cpi_reducers[c->row->reducer].class_of != CPI_OWN;
}

static void note_strides(call *c)
{
    if (is_copied(c)) cpi_strides_like(c->x, 1, c->x->ndim, c->x->shape, c->lies);
    else if (c->x->ndim) memcpy(c->lies, c->x->strides, (size_t)c->x->ndim * sizeof *c->lies);
}

/* The result's memory order is that of NumPy's loop over all of x's axes, except for argmin and argmax. */
static cp_code open_output(call *c)
{
    int64_t rank[CP_MAXDIM], strides[CP_MAXDIM];
    cp_array whole = {.ndim = c->x->ndim, .shape = c->x->shape, .strides = c->lies};
    cp_array kept = {.ndim = c->slices.ndim, .shape = c->slices.shape, .strides = strides}, *like = &kept;
    if (c->slices.ndim > 1 && !is_place(c->r) &&
        cpi_common_order(whole.ndim, 2, (cp_array *[]){&whole, c->where}, rank)) {
        for (int i = 0, at = 0; i < whole.ndim; i++)
            if (!c->slices.gone[i] || c->o->keepdims) strides[at++] = rank[i];
        c->to.nlike = 1;
        c->to.like = &like;
    }
    cp_code code = cpi_output_open(&c->to, 2, (cp_array *[]){c->x, c->where});
    c->to.nlike = 0, c->to.like = NULL;
    return code;
}

static cp_code run(call *c)
{
    cp_code code;
    if ((code = find_axes(c))) return code;
    c->a.op = c->r;
    note_strides(c);
    cp_type loop = loop_type(c->row->rule, c->x->type, c->o);
    c->a.result = result_type(c->row->rule, loop, c->o->typed);
    if ((code = check_types(c, loop)) || (code = find_where(c)) || (code = find_initial(c, &loop))) return code;
    c->a.about_real = is_about_real(c->row->rule, c->x->type, loop);
    if (c->a.about_real) cpi_warn(CP_WARNING_COMPLEX);
    if (must_convert(c->row->rule, c->x->type, loop) && (code = convert(c, loop))) return code;
    if ((code = choose_reducer(c, loop))) return code;
    c->a.type = c->x->type;
    c->a.ddof = c->o->ddof;
    start_from_zero(c);
    c->to.type = c->a.result;
    c->to.ndim = c->slices.ndim, c->to.shape = c->slices.shape;
    if ((code = open_output(c)) || !c->a.kept) return code;
    if (!lay_out(c) && (code = lay_out_gathered(c))) return code;
    return c->to.device->backend->reduce->reduce(cpi_stream(c->to.device), &c->a);
}

/* The reduction itself; options have been checked. */
static cp_array *reduce(cp_reduction r, cp_array *x, const cp_reduce_options *o, bool known)
{
    cp_array *all[3] = {x, o->out, o->where};
    call c;
    memset(&c, 0, offsetof(call, slices));
    memset(&c.to, 0, sizeof c.to);
    memset(&c.a, 0, offsetof(cpi_reduce_args, keep)); /* the dimensions are written before they are read */
    memset(&c.a.x, 0, sizeof c.a - offsetof(cpi_reduce_args, x));
    c.r = r;
    c.a.known = known;
    c.row = &cpi_reductions[r];
    c.o = o;
    c.to.function = c.row->name;
    c.to.out = o->out;
    c.to.casting = CP_UNSAFE; /* as NumPy: any type takes a result */
    cp_array *result = NULL;
    if (!(c.to.device = cpi_common_device(c.row->name, 3, all))) return NULL;
    if ((c.x = cpi_in_memory(c.row->name, x, c.to.device))) {
        cp_code code = run(&c);
        if (c.to.array) result = cpi_output_close(&c.to, code);
        if (result && c.row->warns != CP_NWARNINGS && cpi_notice(&c.slices, r, x, o, result)) {
            cp_free(result);
            result = NULL;
        }
    }
    cp_free(c.where), cp_free(c.x);
    return result;
}

bool cpi_reduces_known(cp_reduction r, const cp_array *x)
{
    const bool good = cpi_is_float(x->type) || (r == CP_REDUCE_mean && cpi_is_complex(x->type));
    return good && !(x->flags & CPI_HOST_SCALAR) && x->device->backend->reduce->known;
}

cp_array *cpi_reduce_knowing(cp_reduction r, cp_array *x, const cp_reduce_options *o)
{
    if (o->out) cpi_notice_out(&cpi_reductions[r], x, o);
    return reduce(r, x, o, true);
}

cp_array *cp_reduce(cp_reduction r, cp_array *x, const cp_reduce_options *options)
{
    const cp_reduce_options *o = CPI_GIVEN(cp_reduce_options, options);
    if ((unsigned)r >= CP_NREDUCTIONS) {
        cpi_fail(CP_ERROR_VALUE, "reduce: no reduction has number %d", (int)r);
        return NULL;
    }
    const cpi_reduction_row *row = &cpi_reductions[r];
    if (cpi_null(row->name, x) || (o->typed && cpi_check_type(row->name, o->dtype))) return NULL;
    if (cpi_is_whole(x->type)) row = &cpi_reductions[r = row->whole];
    cp_reduce_options truths = *o; /* truth values in a bool `out` are added as bool, not as integers */
    if (!o->typed && o->out && cpi_is_bool(o->out->type) && cpi_is_bool(x->type) && row->rule == CPI_RESULT_WIDE)
        truths.typed = true, truths.dtype = CP_BOOL, o = &truths;
    if (o->mean) return cpi_about_mean(r, x, o);
    if (o->out || o->typed) cpi_notice_out(row, x, o);
    bool cut = o->typed && (cpi_is_whole(o->dtype) || cpi_is_half(o->dtype));
    if (r == CP_REDUCE_mean && cut) return cpi_mean_of_sum(x, o);
    bool masked = o->where && cpi_is_bool(o->where->type) && !cpi_is_true(o->where);
    if (r == CP_REDUCE_mean && masked) return cpi_masked_mean(x, o, loop_type(CPI_RESULT_MEAN, x->type, o));
    cpi_reducer whole = reducer_of_integers(r);
    bool wide = o->typed && row->rule == CPI_RESULT_WIDE;
    if (wide && whole != row->reducer && must_convert(row->rule, x->type, o->dtype)) return cpi_reduce_known(r, x, o);
    /* adding and multiplying truth values is "or" and "and" */
    if (wide && o->dtype == CP_BOOL && (whole == CPI_REDUCER_SUM || whole == CPI_REDUCER_PRODUCT))
        r = whole == CPI_REDUCER_SUM ? CP_REDUCE_any : CP_REDUCE_all;
    cp_array *result = reduce(r, x, o, false);
    if (!result || row->rule != CPI_RESULT_INDEX || !o->typed || o->out || o->dtype == CP_INT64) return result;
    cp_array *positions = result;
    result = cp_astype(positions, o->dtype);
    cp_free(positions);
    return result;
}
