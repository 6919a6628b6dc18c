/* The API layer of elementwise operations: shapes, memory and overlap. resolve.c chooses the kernel, and the device's
 * slot runs it.
 *
 * Invariant: the output of a loop given to a slot shares no memory with an input, unless the two are the same
 * elements. */
#include "elementwise/elementwise.h"

#include <string.h>

#include "backend/device.h"
#include "elementwise/resolve.h"
#include "operands/operands.h"

/* One call. Its operands are the outputs, then the inputs, then the mask. */
typedef struct {
    const char *name;
    cp_op op;
    int nout;
    bool wanted; /* the caller takes the results; else it has them in out */
    bool given;  /* the caller gave an array for any of them */
    cpi_plan plan;
    cpi_device *device;
    int ndim;
    int64_t shape[CP_MAXDIM];
    int nop;
    cp_array *operand[CPI_MAXOPS];   /* borrowed, or in `made` */
    unsigned copied;                 /* the operands that are copies made by this call, in `made` */
    cp_array *made[CPI_MAXOPS];
    _Alignas(16) unsigned char value[CPI_MAXOPS][16];
} call;

static bool is_host(const cp_array *x) { return (x->flags & CPI_HOST_SCALAR) != 0; }

static cp_array *new_output(const call *c, cp_type type, int first, int n)
{
    return cpi_array_for(c->name, c->device, type, c->ndim, c->shape, n, c->operand + first);
}

/* x's layout where NumPy converts it to floating point first, integers in a copy. `strides` are the record's. */
static cp_array as_floats(const cp_array *x, int64_t *strides)
{
    cp_array lies = *x;
    if (!cpi_is_whole(x->type) || x->ndim < 2) return lies;
    cpi_strides_like(x, 1, x->ndim, x->shape, strides);
    lies.strides = strides;
    return lies;
}

/* i0 is not a ufunc in NumPy. */
static cp_array *new_output_of_i0(const call *c)
{
    int64_t strides[CP_MAXDIM];
    cp_array lies = as_floats(c->operand[1], strides), *like = &lies;
    return cpi_array_for(c->name, c->device, c->plan.out[0], c->ndim, c->shape, 1, &like);
}

/* Nor is isclose: differences are made of both operands, tolerances of the second, the result of these two. */
static cp_array *new_output_of_isclose(const call *c)
{
    int64_t copied[CP_MAXDIM], rank[2][CP_MAXDIM];
    cp_array b = as_floats(c->operand[2], copied), *pair[2] = {c->operand[1], &b}, *second = &b;
    if (c->ndim < 2) return new_output(c, CP_BOOL, 1, 2);
    cp_array differences = {.ndim = c->ndim, .shape = (int64_t *)c->shape, .strides = rank[0]};
    cp_array tolerances = {.ndim = b.ndim, .shape = b.shape, .strides = rank[1]};
    cpi_common_order(c->ndim, 2, pair, rank[0]);
    cpi_common_order(b.ndim, 1, &second, rank[1]);
    return cpi_array_for(c->name, c->device, CP_BOOL, c->ndim, c->shape, 2, (cp_array *[]){&differences, &tolerances});
}

/* Replaces operand k by `x`, which this call frees. */
static cp_code replace(call *c, int k, cp_array *x)
{
    if (!x) return cp_error();
    if (c->copied >> k & 1) cp_free(c->made[k]);
    c->copied |= 1u << k;
    c->operand[k] = c->made[k] = x;
    return CP_OK;
}

static void end_call(const call *c)
{
    for (int k = 0; c->copied >> k; k++)
        if (c->copied >> k & 1) cp_free(c->made[k]);
}

static cp_array *mask_of(const call *c)
{
    return c->nop > c->nout + c->plan.nin ? c->operand[c->nop - 1] : NULL;
}

static bool clashes(const cp_array *out, const cp_array *x)
{
    return !is_host(x) && x->buffer == out->buffer && cpi_may_overlap(out, x) && !cpi_same_elements(out, x);
}

/* The mask is read again with each result, and where a result is delivered. So no output may share memory with it. */
static cp_code separate_mask(call *c, cp_array *const *out)
{
    cp_array *where = mask_of(c);
    bool shared = false;
    for (int k = 0; where && !is_host(where) && k < c->nout; k++)
        shared |= out[k] && out[k]->buffer == where->buffer && cpi_may_overlap(out[k], where);
    return shared ? replace(c, c->nop - 1, cp_copy_order(where, 'K')) : CP_OK;
}

/* Copies inputs that share memory with an output, unless they are the same elements. */
static cp_code separate(call *c, cp_array *const *out)
{
    cp_code code = separate_mask(c, out);
    if (code) return code;
    for (int k = c->nout; k < c->nop; k++) {
        bool clash = clashes(c->operand[0], c->operand[k]);
        for (int q = 1; q < c->nout; q++) clash |= clashes(c->operand[q], c->operand[k]);
        if (clash) code = replace(c, k, cp_copy_order(c->operand[k], 'K'));
        if (code) return code;
    }
    return CP_OK;
}

static bool contiguous_alike(const call *c)
{
    const cp_array *out = c->operand[0];
    bool order_c = cp_is_c_contiguous(out);
    if (!order_c && !cp_is_f_contiguous(out)) return false;
    for (int k = 1; k < c->nop; k++) {
        const cp_array *x = c->operand[k];
        if (x->ndim == 0) continue;
        if (x->size != out->size || !(order_c ? cp_is_c_contiguous(x) : cp_is_f_contiguous(x))) return false;
        if (x->ndim != out->ndim && !order_c) return false;
    }
    return true;
}

/* The loop over the operands; one dimension where all of them are contiguous in the same order. */
static void make_loop(const call *c, cpi_loop *loop)
{
    if (!contiguous_alike(c)) {
        cpi_loop_init(loop, c->ndim, c->shape, c->nop, (const cp_array *const *)c->operand);
        cpi_loop_coalesce(loop);
        return;
    }
    loop->nop = c->nop;
    loop->ndim = 1;
    loop->size = loop->shape[0] = c->operand[0]->size;
    for (int k = 0; k < c->nop; k++) {
        const cp_array *x = c->operand[k];
        cpi_operand *op = &loop->op[k];
        op->data = x->data;
        op->type = x->type;
        op->host = is_host(x);
        op->strides[0] = x->ndim == 0 && (k >= c->nout || x->size != 1) ? 0 : cpi_itemsize(x->type);
    }
}

/* Host scalars are converted here, once, to the type of the loop. */
static void convert_scalars(call *c, cpi_loop *loop, cp_type type)
{
    const cpi_op_row *row = &cpi_op_rows[c->plan.op];
    for (int i = 0; i < c->plan.nin; i++) {
        int k = c->nout + i;
        if (!loop->op[k].host) continue;
        cp_type to = cpi_in_type(row, i, type);
        cpi_scalar_value(c->op, c->operand[k], to, c->value[k]);
        loop->op[k].data = (char *)c->value[k];
        loop->op[k].type = to;
    }
}

static cp_code run_loop(call *c)
{
    cpi_loop loop;
    cp_type type = c->plan.type;
    if (!c->operand[0]->size) return CP_OK;
    make_loop(c, &loop);
    if (c->plan.op < CP_NOPS) convert_scalars(c, &loop, type); /* hidden operations take 64-bit integers as they are */
    return c->device->backend->elementwise->run(cpi_stream(c->device), c->plan.op, cpi_compute_type(type), &loop);
}

/* A half type's operation on bits: every operand must first be of that type. */
static cp_code run_bits(call *c, int op)
{
    cpi_loop loop;
    cp_type type = c->plan.type;
    if (!c->operand[0]->size) return CP_OK;
    for (int k = c->nout; k < c->nout + c->plan.nin; k++)
        if (!is_host(c->operand[k]) && c->operand[k]->type != type) {
            cp_code code = replace(c, k, cp_astype(c->operand[k], type));
            if (code) return code;
        }
    make_loop(c, &loop);
    convert_scalars(c, &loop, type);
    const cp_type integer = (cp_type)__builtin_ctz(cpi_op_rows[op].loops); /* of that size: its only type */
    for (int k = 0; k < c->nout + c->plan.nin; k++) loop.op[k].type = integer;
    return c->device->backend->elementwise->run(cpi_stream(c->device), op, integer, &loop);
}

/* A half type computes in float32: inputs that lose precision in the half type are rounded to it first. */
static cp_code round_inputs(call *c)
{
    const cpi_op_row *row = &cpi_op_rows[c->plan.op];
    for (int i = 0; cpi_is_half(c->plan.type) && i < c->plan.nin; i++) {
        int k = c->nout + i;
        cp_array *x = c->operand[k];
        if (is_host(x) || row->in[i] != CPI_TYPE_T || cp_can_cast(x->type, c->plan.type, CP_SAFE)) continue;
        cp_code code = replace(c, k, cp_astype(x, c->plan.type));
        if (code) return code;
    }
    return CP_OK;
}

static cp_code compute(call *c)
{
    cp_code code = round_inputs(c);
    if (code) return code;
    int bits = cpi_op_rows[c->plan.op].by_bits[c->plan.type];
    return bits ? run_bits(c, bits) : run_loop(c);
}

/* Fills the call from the arguments; its operands are set already. Swaps operands where the kernel needs that, and
 * finds the mask, shape and device. */
static cp_code prepare(call *c, cp_array *const *in, cp_array *const *out, const cp_ufunc_options *o)
{
    cp_array *where = o ? o->where : NULL;
    const int nin = cpi_op_rows[c->op].nin, nout = c->nout;
    cp_code code = cpi_resolve(c->op, in, out, o, &c->plan);
    if (code) return code;
    if (c->plan.swap) c->operand[nout] = in[1], c->operand[nout + 1] = in[0];
    int n = nin;
    if (where) {
        if (cpi_check_mask(c->name, where)) return cp_error();
        c->operand[nout + n++] = where;
    }
    code = cpi_common_shape(c->name, n, c->operand + nout, &c->ndim, c->shape);
    /* twice: a later output may widen the shape, which an earlier one must have too */
    for (int k = 0; c->given && k < 2 * nout && !code; k++)
        if (out[k % nout]) code = cpi_broadcast_output(c->name, out[k % nout], &c->ndim, c->shape);
    if (code) return code;
    c->device = cpi_common_device(c->name, nout + n, c->operand);
    if (!c->device) return cp_error();
    if (c->plan.nin < nin) { /* a simpler kernel has fewer inputs: the mask moves up */
        c->operand[nout + c->plan.nin] = where;
        n -= nin - c->plan.nin;
    }
    c->nop = nout + n;
    return CP_OK;
}

/* May the kernel write result k to the caller's array? A result of a half type must be rounded to it before any other
 * conversion. Two results must not be written to the same memory. */
static bool is_direct(const call *c, cp_array *const *out, int k)
{
    bool direct = !(cpi_is_half(c->plan.out[k]) && out[k]->type != c->plan.out[k]);
    for (int q = 0; q < k; q++)
        direct &= !out[q] || out[q]->buffer != out[k]->buffer || !cpi_may_overlap(out[q], out[k]);
    return direct;
}

/* The caller's own output as a result: a new view of it, where the caller takes results at all. */
static cp_array *as_result(const call *c, cp_array *out) { return c->wanted ? cpi_again(out) : cp_retain(out); }

/* Assigns results that could not be written directly to their outputs; they become the outputs. */
static cp_code deliver(const call *c, cp_array *const *out, cp_array **results)
{
    cp_array *where = mask_of(c);
    for (int k = 0; k < c->nout; k++) {
        if (!out[k] || results[k]->buffer == out[k]->buffer) continue;
        cp_code code = cpi_assign_where(out[k], results[k], where, c->ndim, c->shape);
        if (code) return code;
        cp_free(results[k]);
        results[k] = as_result(c, out[k]);
        if (!results[k]) return cp_error();
    }
    return CP_OK;
}

static cp_code make_results(call *c, cp_array *const *out, cp_array **results)
{
    for (int k = 0; k < c->nout; k++) {
        results[k] = out[k] && is_direct(c, out, k) ? as_result(c, out[k])
                   : c->op == CP_OP_i0 && !out[k] ? new_output_of_i0(c)
                   : new_output(c, c->plan.out[k], 0, c->nop);
        if (!results[k]) return cp_error();
        c->operand[k] = results[k];
    }
    return CP_OK;
}

/* --- the common call --- */

/* Are the inputs alike: arrays of one type on one device, 0-d or of one length and contiguous, and Python's numbers
 * beside them? Returns the first array, NULL for other inputs. */
static const cp_array *all_alike(int nin, cp_array *const *in)
{
    const cp_array *x = in[0] && is_host(in[0]) ? in[nin - 1] : in[0];
    if (!x || is_host(x) || x->ndim > 1) return NULL;
    for (int i = 0; i < nin; i++) {
        const cp_array *y = in[i];
        if (!y) return NULL;
        if (y->flags & CPI_WEAK) continue;
        if (is_host(y) || y->device != x->device || y->type != x->type || y->ndim != x->ndim || y->size != x->size)
            return NULL;
        if (y->ndim && y->size > 1 && y->strides[0] != cpi_itemsize(y->type)) return NULL;
    }
    return x;
}

/* May `out`, the caller's array for the result, be written as the inputs are read? Not where it shares memory with one
 * that is not the same elements. */
static bool is_alike(const cp_array *out, const cp_array *x, int nin, cp_array *const *in)
{
    if (is_host(out) || out->flags & CPI_READONLY || out->device != x->device || out->ndim != x->ndim ||
        out->size != x->size || (out->ndim && out->size > 1 && out->strides[0] != cpi_itemsize(out->type)))
        return false;
    for (int i = 0; i < nin; i++)
        if (in[i]->buffer == out->buffer && (in[i]->data != out->data || in[i]->type != out->type)) return false;
    return true;
}

/* The loop over the result r and the inputs, whose numbers are converted into `value`. */
static void loop_alike(const cpi_plan *plan, cp_op op, const cp_array *r, cp_array *const *in,
                       unsigned char (*value)[16], cpi_loop *loop)
{
    loop->nop = 1 + plan->nin;
    loop->ndim = 1;
    loop->size = loop->shape[0] = r->size;
    loop->op[0].data = r->data, loop->op[0].type = r->type, loop->op[0].host = false;
    loop->op[0].strides[0] = cpi_itemsize(r->type);
    for (int i = 0; i < plan->nin; i++) {
        const cp_array *y = in[i];
        cpi_operand *to = &loop->op[1 + i];
        to->host = is_host(y);
        to->type = to->host ? cpi_in_type(&cpi_op_rows[plan->op], i, plan->type) : y->type;
        to->data = to->host ? (char *)value[i] : y->data;
        to->strides[0] = y->ndim ? cpi_itemsize(y->type) : 0;
        if (to->host) cpi_scalar_value(op, y, to->type, value[i]);
        else cpi_array_used(y);
    }
}

/* Such inputs need little of what the general way finds out, which is a third of the time that 0-d and small arrays
 * take. The result is a new array or, where there are options, their `out`. False: nothing was done. */
static bool run_alike(cp_op op, cp_array *const *in, cp_array **result, const cp_ufunc_options *o, cp_code *code)
{
    cpi_loop loop;
    cpi_plan plan;
    cp_array *out[CPI_MAXOUT] = {!o ? NULL : o->outs ? o->outs[0] : o->out}, *r;
    _Alignas(16) unsigned char value[CPI_MAXIN][16];
    const cpi_op_row *row = &cpi_op_rows[op];
    const cp_array *x = row->nout == 1 && row->nin <= 2 ? all_alike(row->nin, in) : NULL;
    if (!x || (o && (!out[0] || o->where || o->typed || !is_alike(out[0], x, row->nin, in)))) return false;
    if (cpi_resolve(op, in, out, o, &plan)) return *code = cp_error(), true;
    if (plan.swap || plan.op >= CP_NOPS || cpi_is_half(plan.type) || (o && plan.out[0] != out[0]->type)) return false;
    r = o ? out[0] : cpi_array_new(row->name, x->device, plan.out[0], x->ndim, x->shape, 'C');
    if (!r) return *code = cp_error(), true;
    if (o) cpi_array_used(r);
    loop_alike(&plan, op, r, in, value, &loop);
    *code = !r->size ? CP_OK
                     : x->device->backend->elementwise->run(cpi_stream(x->device), plan.op, cpi_compute_type(plan.type),
                                                            &loop);
    if (*code && !o) cp_free(r);
    else if (!o) *result = r;
    return true;
}

cp_code cp_elementwise_all(cp_op op, cp_array *const *in, cp_array **results, const cp_ufunc_options *o)
{
    if ((unsigned)op >= CP_NOPS) return cpi_fail(CP_ERROR_VALUE, "elementwise: there is no operation %d", (int)op);
    const cpi_op_row *row = &cpi_op_rows[op];
    cp_code done;
    if (in && !o == !!results) {
        if (results) *results = NULL;
        if (run_alike(op, in, results, o, &done)) return done;
    }
    call c;
    c.name = row->name;
    c.op = op;
    c.nout = row->nout;
    c.wanted = results != NULL;
    c.given = false;
    c.copied = 0;
    cp_array *unseen[CPI_MAXOUT];
    if (!results) results = unseen;
    for (int k = 0; k < c.nout; k++) results[k] = NULL;
    if (cpi_null(c.name, in)) return cp_error();
    for (int i = 0; i < row->nin; i++) {
        if (cpi_null(c.name, in[i])) return cp_error();
        c.operand[c.nout + i] = in[i];
    }
    cp_array *out[CPI_MAXOUT];
    for (int k = 0; k < c.nout; k++) {
        out[k] = !o ? NULL : o->outs ? o->outs[k] : k ? NULL : o->out;
        c.operand[k] = out[k]; /* for the device check only */
        c.given |= out[k] != NULL;
        if (!c.wanted && cpi_null(c.name, out[k])) return cp_error();
        if (out[k] && cpi_check_writable(c.name, out[k])) return cp_error();
    }
    /* new results share memory with nothing and need no delivery */
    cp_code code = prepare(&c, in, out, o);
    if (!code) code = make_results(&c, out, results);
    if (!code && c.given) code = separate(&c, out);
    if (!code) code = compute(&c);
    if (!code && c.given) code = deliver(&c, out, results);
    end_call(&c);
    for (int k = 0; k < c.nout && (code || !c.wanted); k++) {
        cp_free(results[k]);
        results[k] = NULL;
    }
    return code;
}

cp_array *cp_elementwise(cp_op op, cp_array *const *in, const cp_ufunc_options *o)
{
    cp_array *results[CPI_MAXOUT] = {NULL};
    if ((unsigned)op < CP_NOPS && cpi_op_rows[op].nout > 1) {
        cpi_fail(CP_ERROR_VALUE, "%s: has %d results; cp_elementwise_all returns them", cpi_op_rows[op].name,
                 cpi_op_rows[op].nout);
        return NULL;
    }
    cp_elementwise_all(op, in, results, o);
    return results[0];
}

cp_code cpi_elementwise_into(cp_op op, cp_array *const *in, cp_array **const *results)
{
    cp_array *made[CPI_MAXOUT];
    for (int k = 0; k < cpi_op_rows[op].nout; k++)
        if (cpi_null(cpi_op_rows[op].name, results[k])) return cp_error();
    cp_code code = cp_elementwise_all(op, in, made, NULL);
    for (int k = 0; k < cpi_op_rows[op].nout; k++) *results[k] = code ? NULL : made[k];
    return code;
}

static cp_type fixed_type(int8_t word) { return word < 0 ? CP_DEFAULT : (cp_type)word; }

cp_code cp_op_query(cp_op op, cp_op_info *info)
{
    if ((unsigned)op >= CP_NOPS || cpi_null("op_query", info))
        return cpi_fail(CP_ERROR_VALUE, "op_query: no such operation");
    const cpi_op_row *row = &cpi_op_rows[op];
    *info = (cp_op_info){
        .name = row->name, .doc = row->doc, .module = row->module, .aliases = row->aliases,
        .nin = row->nin, .nout = row->nout,
        .in = {fixed_type(row->in[0]), fixed_type(row->in[1]), fixed_type(row->in[2]), fixed_type(row->in[3]),
               fixed_type(row->in[4])},
        .has_identity = row->has_identity, .identity = row->identity, .ulp = row->ulp,
        .body = {row->text[0], row->text[1], row->text[2], row->text[3]}};
    return CP_OK;
}

cp_op cp_op_from_name(const char *name)
{
    for (int i = 0; name && i < CP_NOPS; i++)
        if (!strcmp(name, cpi_op_rows[i].name)) return (cp_op)i;
    return CP_NOPS;
}

cp_array *cp_where(cp_array *condition, cp_array *a, cp_array *b)
{
    call c;
    c.name = "where";
    c.nout = 1;
    if (cpi_null(c.name, condition) || cpi_null(c.name, a) || cpi_null(c.name, b)) return NULL;
    c.operand[1] = condition, c.operand[2] = a, c.operand[3] = b;
    c.nop = 4;
    if (cpi_common_shape(c.name, 3, c.operand + 1, &c.ndim, c.shape)) return NULL;
    c.device = cpi_common_device(c.name, 3, c.operand + 1);
    if (!c.device) return NULL;
    cp_type type = cpi_promote_arrays(2, c.operand + 2, false);
    cp_array *result = new_output(&c, type, 1, 3);
    if (!result || !result->size) return result;
    c.operand[0] = result;
    cpi_loop loop;
    make_loop(&c, &loop);
    for (int k = 2; k < 4; k++) {
        if (!loop.op[k].host) continue;
        cpi_convert_value(c.operand[k]->type, c.operand[k]->value, type, c.value[k]);
        loop.op[k].data = (char *)c.value[k];
        loop.op[k].type = type;
    }
    if (!c.device->backend->elementwise->select(cpi_stream(c.device), &loop)) return result;
    cp_free(result);
    return NULL;
}

/* The type in which closeness is computed: numpy.isclose makes b a floating-point number first. */
static cp_type close_type(call *c)
{
    cp_type t = cpi_promote_arrays(2, c->operand + 1, true);
    return cpi_is_complex(t) ? CP_COMPLEX128 : t == CP_FLOAT64 ? t : CP_FLOAT32;
}

static bool prepare_pair(call *c, const char *name, cp_array *a, cp_array *b)
{
    c->name = name;
    c->nout = 1;
    if (cpi_null(name, a) || cpi_null(name, b)) return false;
    c->operand[1] = a, c->operand[2] = b;
    c->nop = 3;
    if (cpi_common_shape(name, 2, c->operand + 1, &c->ndim, c->shape)) return false;
    c->device = cpi_common_device(name, 2, c->operand + 1);
    return c->device != NULL;
}

cp_array *cp_isclose(cp_array *a, cp_array *b, double rtol, double atol, bool equal_nan)
{
    call c;
    if (!prepare_pair(&c, "isclose", a, b)) return NULL;
    cp_array *result = new_output_of_isclose(&c);
    if (!result || !result->size) return result;
    c.operand[0] = result;
    cpi_loop loop;
    make_loop(&c, &loop);
    if (!c.device->backend->elementwise->close(cpi_stream(c.device), close_type(&c), &loop, rtol, atol, equal_nan))
        return result;
    cp_free(result);
    return NULL;
}

/* The answer for all elements; `first` is the operand that comes first. */
static int for_all(call *c, cp_type type, int first, double rtol, double atol, bool equal_nan)
{
    cpi_loop loop;
    bool result;
    const cp_array *pair[2] = {c->operand[first], c->operand[3 - first]};
    cpi_loop_init(&loop, c->ndim, c->shape, 2, pair);
    if (!loop.size) return 1;
    cpi_loop_coalesce(&loop);
    cp_code code = c->device->backend->elementwise->all_close(cpi_stream(c->device), type, &loop, rtol, atol, equal_nan,
                                                              &result);
    return code ? -1 : result;
}

int cp_allclose(cp_array *a, cp_array *b, double rtol, double atol, bool equal_nan)
{
    call c;
    if (!prepare_pair(&c, "allclose", a, b)) return -1;
    return for_all(&c, close_type(&c), 1, rtol, atol, equal_nan);
}

int cp_array_equal(cp_array *a, cp_array *b, bool equal_nan)
{
    call c;
    if (cpi_null("array_equal", a) || cpi_null("array_equal", b)) return -1;
    if (!cpi_has_shape(a, b->ndim, b->shape)) return 0;
    if (!prepare_pair(&c, "array_equal", a, b)) return -1;
    bool integers = cpi_is_whole(a->type) && cpi_is_whole(b->type);
    cp_type type = cp_promote(a->type, b->type);
    if (integers && type == CP_FLOAT64) return for_all(&c, CP_UINT64, a->type == CP_UINT64 ? 2 : 1, 0, 0, false);
    const bool single = cpi_compute_type(a->type) == CP_FLOAT32 && cpi_compute_type(b->type) == CP_FLOAT32;
    type = integers ? CP_INT64 : cpi_is_complex(type) ? CP_COMPLEX128 : single ? CP_FLOAT32 : CP_FLOAT64;
    return for_all(&c, type, 1, 0, 0, equal_nan);
}
