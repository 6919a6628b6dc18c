/* The API layer of fused expressions: types and shapes of all that a program computes, and where its results go. It
 * also has the execution of one operation after the other, which every device supports. Execution by blocks is
 * blocked.c.
 *
 * Invariant: operands are read before an output that shares memory with them is written. Types, shapes and errors are
 * those of separate calls of the public functions, whose resolver (elementwise/resolve.h) determines them. */
#include "fuse/fuse.h"

#include <string.h>

#include "backend/device.h"
#include "core/memory.h"
#include "cuprite/elementwise.h"
#include "operands/operands.h"

enum { STACK_BYTES = 8 << 10 };

/* --- shapes --- */

/* Dimensions without leading ones. */
static int bare(int ndim, const int64_t *dim, const int64_t **from)
{
    while (ndim && *dim == 1) ndim--, dim++;
    *from = dim;
    return ndim;
}

static bool same_dims(int n, const int64_t *a, const int64_t *b)
{
    return !n || !memcmp(a, b, (size_t)n * sizeof *a); /* a 0-d shape has none */
}

static bool grow_shapes(cpi_run *run)
{
    int capacity = run->capacity ? 2 * run->capacity : 8;
    cpi_extents *more = cpi_realloc(run->shapes, (size_t)capacity * sizeof *more);
    if (more) run->shapes = more, run->capacity = capacity;
    return more != NULL;
}

/* The number of a shape in the list; FAILED without memory. `dim` must outlive the run, or else is copied. */
enum { FAILED = -1 };
static int shape_number(cpi_run *run, int ndim, const int64_t *dim, int64_t size, bool copy)
{
    const int64_t *mine, *other;
    int bare_ndim = bare(ndim, dim, &mine), group = run->nshapes;
    for (int i = run->nshapes - 1; i >= 0; i--) {
        const cpi_extents *s = &run->shapes[i];
        if (s->ndim == ndim && same_dims(ndim, s->dim, dim)) return i;
        if (bare(s->ndim, s->dim, &other) == bare_ndim && same_dims(bare_ndim, mine, other)) group = s->group;
    }
    if (run->nshapes == run->capacity && !grow_shapes(run)) return FAILED;
    cpi_extents *s = &run->shapes[run->nshapes];
    *s = (cpi_extents){ndim, dim, size, group, NULL};
    if (copy) {
        s->own = cpi_malloc((size_t)ndim * sizeof *dim);
        if (!s->own) return FAILED;
        memcpy(s->own, dim, (size_t)ndim * sizeof *dim);
        s->dim = s->own;
    }
    return run->nshapes++;
}

/* The shape that two of the list broadcast to; FAILED with an error where they do not. */
static int broadcast(cpi_run *run, const char *name, int a, int b)
{
    int64_t dim[CP_MAXDIM], size;
    const cpi_extents *x = &run->shapes[a], *y = &run->shapes[b];
    int ndim = x->ndim;
    if (a == b || !y->ndim) return a;
    if (!x->ndim) return b;
    memcpy(dim, x->dim, (size_t)ndim * sizeof *dim);
    if (cpi_broadcast(name, &ndim, dim, y->ndim, y->dim)) return FAILED;
    if (cpi_shape_size(name, ndim, dim, 1, &size)) return FAILED;
    return shape_number(run, ndim, dim, size, true);
}

/* --- types --- */

static cp_array *input(const cpi_run *run, const cpi_node *node, int k) { return run->terms[node->in[k]].x; }

/* A record for node i, which has no memory. */
static cp_array *record(cpi_run *run, int i, cp_type type, unsigned flags, int shape)
{
    cp_array *x = &run->records[i];
    memset(x, 0, sizeof *x);
    x->refs = 1;
    x->type = type;
    x->flags = flags;
    x->device = run->device;
    x->data = (char *)x->value;
    run->terms[i].x = x;
    run->terms[i].shape = shape;
    if (shape < 0) { /* a host scalar's */
        x->size = 1;
        run->terms[i].shape = shape_number(run, 0, NULL, 1, false);
        return run->terms[i].shape < 0 ? NULL : x;
    }
    x->ndim = run->shapes[shape].ndim;
    x->shape = (int64_t *)run->shapes[shape].dim;
    x->size = run->shapes[shape].size;
    return x;
}

/* The order of axes that a new array of node i would have, from its inputs. */
static bool set_order(cpi_run *run, int i)
{
    cp_array *x = &run->records[i], *inputs[CPI_MAXIN];
    const cpi_node *node = &run->f->nodes[i];
    if (!run->ordered || x->ndim < 1) return true;
    x->strides = cpi_malloc((size_t)x->ndim * sizeof *x->strides);
    if (!x->strides) return false;
    for (int k = 0; k < node->nin; k++) inputs[k] = input(run, node, k);
    cpi_common_order(x->ndim, node->nin, inputs, x->strides);
    return true;
}

/* The node's inputs broadcast; FAILED with an error. */
static int common_shape(cpi_run *run, const char *name, const cpi_node *node)
{
    int shape = run->terms[node->in[0]].shape;
    for (int k = 1; k < node->nin && shape >= 0; k++)
        shape = broadcast(run, name, shape, run->terms[node->in[k]].shape);
    return shape;
}

static bool type_operand(cpi_run *run, int i, cp_array *x)
{
    run->terms[i].x = x;
    run->terms[i].shape = shape_number(run, x->ndim, x->shape, x->size, false);
    return run->terms[i].shape >= 0;
}

static bool type_number(cpi_run *run, int i, cp_type type, const void *value, bool weak)
{
    cp_array *x = record(run, i, type, CPI_HOST_SCALAR | (weak ? CPI_WEAK : 0), -1);
    if (x) memcpy(x->value, value, cpi_itemsize(type));
    return x != NULL;
}

/* Is the node an operator on Python's numbers? Then its value is one. (True and False are not weak, nor are
 * NumPy's.) */
static bool folds(const cpi_run *run, const cpi_node *node)
{
    bool all = node->folds;
    for (int k = 0; k < node->nin && all; k++) {
        const cp_array *x = input(run, node, k);
        all = x->flags & CPI_WEAK || (cpi_is_host(x) && x->type == CP_BOOL);
    }
    return all;
}

static bool folded_type(cpi_run *run, int i)
{
    const cpi_node *node = &run->f->nodes[i];
    cpi_number v[2], r;
    for (int k = 0; k < node->nin; k++) {
        const cp_array *x = input(run, node, k);
        v[k].type = x->type;
        memcpy(v[k].bytes, x->value, sizeof v[k].bytes);
    }
    if (cpi_fold_constants((cp_op)node->op, &v[0], node->nin > 1 ? &v[1] : NULL, &r)) return false;
    return type_number(run, i, r.type, r.bytes, r.type != CP_BOOL);
}

/* Integers to integer powers: negative exponents are an error, so all of them are checked first. */
static bool looks_first(const cpi_plan *plan, const cp_array *exponent)
{
    return plan->op == CP_OP_power && cpi_is_signed(plan->type) && !cpi_is_host(exponent) &&
           exponent->type != CP_BOOL;
}

/* x**2 is a square, of booleans too; x**0.5 of a real or complex x is its square root, and x**-1 its reciprocal:
 * NumPy's operator, unlike its function. */
static cp_op operation(const cpi_node *node, cp_array *const *in)
{
    int64_t n;
    double e;
    if (!node->folds || node->op != CP_OP_power || cpi_is_host(in[0]) || !(in[1]->flags & CPI_WEAK))
        return (cp_op)node->op;
    memcpy(&n, in[1]->value, sizeof n);
    memcpy(&e, in[1]->value, sizeof e);
    const bool whole = in[1]->type == CP_INT64, inexact = cpi_is_float(in[0]->type) || cpi_is_complex(in[0]->type);
    if (whole && n == 2) return CP_OP_square;
    if (inexact && whole && n == -1) return CP_OP_reciprocal;
    return inexact && in[1]->type == CP_FLOAT64 && e == 0.5 ? CP_OP_sqrt : CP_OP_power;
}

static bool type_operation(cpi_run *run, int i)
{
    const cpi_node *node = &run->f->nodes[i];
    cpi_node_value *term = &run->terms[i];
    cp_array *in[CPI_MAXIN] = {NULL}, *out[CPI_MAXOUT] = {NULL};
    if (folds(run, node)) return folded_type(run, i);
    for (int k = 0; k < node->nin; k++) in[k] = input(run, node, k);
    term->op = operation(node, in);
    if (cpi_resolve(term->op, in, out, NULL, &term->plan)) return false;
    int shape = common_shape(run, cpi_op_rows[node->op].name, node);
    if (shape < 0 || !record(run, i, term->plan.out[0], 0, shape)) return false;
    run->checks |= term->plan.nin == 2 && looks_first(&term->plan, in[1]);
    return set_order(run, i);
}

static bool type_where(cpi_run *run, int i)
{
    const cpi_node *node = &run->f->nodes[i];
    cp_array *choices[2] = {input(run, node, 1), input(run, node, 2)};
    cp_type type = cpi_promote_arrays(2, choices, false);
    int shape = common_shape(run, "where", node);
    return shape >= 0 && record(run, i, type, 0, shape) && set_order(run, i);
}

static bool type_cast(cpi_run *run, int i)
{
    const cpi_node *node = &run->f->nodes[i];
    cp_array *x = input(run, node, 0);
    cp_type type = (cp_type)node->op;
    if (cpi_is_host(x)) {
        _Alignas(16) unsigned char value[16];
        return !cpi_value_as(cp_type_name(type), x, type, value) && type_number(run, i, type, value, false);
    }
    if (cpi_discards(x->type, type)) cpi_warn(CP_WARNING_COMPLEX), run->warned = true;
    if (!record(run, i, type, 0, run->terms[node->in[0]].shape) || !set_order(run, i)) return false;
    /* A copy has the axes along which its original repeats elements innermost; operations leave them where they are. */
    if (run->records[i].strides && run->f->nodes[node->in[0]].kind == CPI_NODE_OPERAND)
        cpi_strides_like(x, 1, x->ndim, x->shape, run->records[i].strides);
    return true;
}

static bool type_part(cpi_run *run, int i)
{
    const cpi_node *node = &run->f->nodes[i];
    const cpi_node_value *whole = &run->terms[node->in[0]];
    return record(run, i, whole->plan.out[node->op], 0, whole->shape) && set_order(run, i);
}

static bool type_node(cpi_run *run, int i, cp_array *const *operands)
{
    const cpi_node *node = &run->f->nodes[i];
    switch ((cpi_node_kind)node->kind) {
    case CPI_NODE_OPERAND: return type_operand(run, i, operands[node->op]);
    case CPI_NODE_NUMBER: return type_number(run, i, node->type, node->value, node->type != CP_BOOL);
    case CPI_NODE_OP: return type_operation(run, i);
    case CPI_NODE_PART: return type_part(run, i);
    case CPI_NODE_WHERE: return type_where(run, i);
    case CPI_NODE_CAST: return type_cast(run, i);
    }
    return false;
}

static cp_array *one_node(const cpi_run *run, int i, cp_array **made, cp_array *out);

/* Node i has no types. In separate calls a negative exponent before it would have been reported first: is there one? */
static bool fails_before(cpi_run *run, int i, cp_array *const *operands)
{
    bool failed = false;
    cp_error_clear();
    cp_array **made = cpi_calloc((size_t)i + 1, sizeof *made);
    for (int j = 0; j < i; j++) run->terms[j].uses = 0;
    for (int j = 0; j < i && made && !failed; j++) {
        const cpi_node *node = &run->f->nodes[j];
        const bool there = cpi_is_host(run->terms[j].x) || node->kind == CPI_NODE_OPERAND;
        if (!there && node->kind == CPI_NODE_OP && cpi_op_rows[node->op].nout > 1) continue; /* parts call it */
        made[j] = there ? run->terms[j].x : one_node(run, j, made, NULL);
        if (made[j]) continue;
        failed = true;
        cpi_fuse_error_at(run->f, node->at);
    }
    for (int j = 0; j < i && made; j++)
        if (made[j] && made[j] != run->terms[j].x) cp_free(made[j]);
    cpi_free_host(made);
    if (!failed && made) type_node(run, i, operands); /* writes its error again */
    return failed || !made;
}

static bool type_nodes(cpi_run *run, cp_array *const *operands)
{
    for (int i = 0; i < run->f->nnodes; i++) {
        if (type_node(run, i, operands)) continue;
        if (run->checks && !run->standing && cp_error() != CP_ERROR_MEMORY && fails_before(run, i, operands))
            return false;
        if (!run->standing && cp_error() != CP_ERROR_MEMORY) cpi_fuse_error_at(run->f, run->f->nodes[i].at);
        return false;
    }
    return true;
}

/* Which nodes are needed, and how many others use them. */
static void count_uses(cpi_run *run)
{
    const cp_fusion *f = run->f;
    for (int i = 0; i < f->nnodes; i++) run->terms[i].uses = 0;
    for (int k = 0; k < f->nresults; k++) run->terms[f->results[k]].uses++;
    for (int i = f->nnodes - 1; i >= 0; i--) {
        const cpi_node *node = &f->nodes[i];
        if (!run->terms[i].uses || cpi_is_host(run->terms[i].x)) continue; /* a number exists already */
        for (int k = 0; k < node->nin; k++) run->terms[node->in[k]].uses++;
    }
}

/* --- results --- */

static cp_code check_out(const cpi_run *run, const cp_array *out, int k, cp_casting rule)
{
    const cpi_node_value *term = &run->terms[run->f->results[k]];
    const cpi_extents *s = &run->shapes[term->shape];
    int64_t shape[CP_MAXDIM];
    int ndim = s->ndim;
    if (ndim) memcpy(shape, s->dim, (size_t)ndim * sizeof *shape);
    if (cpi_check_writable("fused", out) || cpi_broadcast_output("fused", out, &ndim, shape)) return cp_error();
    return cpi_check_cast("fused", CPI_OUTPUT, cpi_counts_as(term->x, out->type), out->type, rule);
}

/* May the blocks of result k be written to `out` itself? Elements that it shares with an operand must be the very same
 * ones; *aliased: there are such. */
static bool is_direct(const cpi_run *run, cp_array *const *operands, const cp_fused_options *o, int k, bool *aliased)
{
    const cp_fusion *f = run->f;
    const cp_array *out = cpi_given(o, k);
    const cpi_extents *s = &run->shapes[run->terms[f->results[k]].shape];
    bool direct = cpi_has_shape(out, s->ndim, s->dim);
    for (int i = 0; i < f->noperands && direct; i++) {
        const cp_array *x = operands[i];
        if (cpi_is_host(x) || x->buffer != out->buffer || !cpi_may_overlap(out, x)) continue;
        direct = cpi_same_elements(out, x);
        *aliased = true;
    }
    for (int q = 0; q < f->nresults && direct; q++) {
        const cp_array *other = q == k ? NULL : cpi_given(o, q);
        direct = !other || other->buffer != out->buffer || !cpi_may_overlap(out, other);
    }
    /* shared elements are written while nodes of another shape may still have to read them */
    for (int i = 0; i < f->nnodes && direct && *aliased; i++)
        direct = !run->terms[i].uses || run->shapes[run->terms[i].shape].size == 1 ||
                 run->shapes[run->terms[i].shape].group == s->group;
    return direct;
}

static cp_array *new_result(const cpi_run *run, int k)
{
    const cpi_node_value *term = &run->terms[run->f->results[k]];
    const cpi_extents *s = &run->shapes[term->shape];
    cp_array *like = term->x;
    if (!run->ordered) return cpi_array_new("fused", run->device, term->x->type, s->ndim, s->dim, 'C');
    return cpi_array_for("fused", run->device, term->x->type, s->ndim, s->dim, 1, &like);
}

static bool make_targets(cpi_run *run, cp_array *const *operands, const cp_fused_options *o)
{
    for (int k = 0; k < run->f->nresults; k++) {
        bool aliased = false;
        cp_array *out = cpi_given(o, k);
        bool direct = out && is_direct(run, operands, o, k, &aliased);
        run->target[k] = direct ? cp_retain(out) : new_result(run, k);
        if (direct && aliased) run->aliased |= 1u << k;
        if (!run->target[k]) return false;
    }
    return true;
}

/* From the written targets to the returned arrays. */
static cp_code deliver(cpi_run *run, cp_array **results, const cp_fused_options *o)
{
    for (int k = 0; k < run->f->nresults; k++) {
        cp_array *out = cpi_given(o, k), *made = run->target[k];
        if (out && made != out && cp_assign(out, made)) return cp_error();
        results[k] = out ? cpi_again(out) : made;
        if (!results[k]) return cp_error();
        if (!out) run->target[k] = NULL;
    }
    return CP_OK;
}

/* --- one by one --- */

static cp_array *one_node(const cpi_run *run, int i, cp_array **made, cp_array *out)
{
    const cpi_node *node = &run->f->nodes[i];
    cp_array *in[CPI_MAXIN] = {NULL}, *results[CPI_MAXOUT];
    const cp_ufunc_options into = {.out = out};
    for (int k = 0; k < node->nin; k++) in[k] = made[node->in[k]];
    switch ((cpi_node_kind)node->kind) {
    case CPI_NODE_OP: return cp_elementwise(run->terms[i].op, in, out ? &into : NULL);
    case CPI_NODE_WHERE: return cp_where(in[0], in[1], in[2]);
    case CPI_NODE_CAST: return cp_astype(in[0], (cp_type)node->op);
    case CPI_NODE_PART: {
        const cpi_node *whole = &run->f->nodes[node->in[0]];
        for (int k = 0; k < whole->nin; k++) in[k] = made[whole->in[k]];
        if (cp_elementwise_all((cp_op)whole->op, in, results, NULL)) return NULL;
        for (int j = i + 1; j < run->f->nnodes; j++) { /* stores the operation's other result */
            const cpi_node *other = &run->f->nodes[j];
            bool wanted = other->kind == CPI_NODE_PART && other->in[0] == node->in[0] && run->terms[j].uses;
            if (!wanted) continue;
            made[j] = results[other->op];
            return results[node->op];
        }
        cp_free(results[1 - node->op]);
        return results[node->op];
    }
    case CPI_NODE_OPERAND:
    case CPI_NODE_NUMBER: break;
    }
    return NULL;
}

static void end_node(cpi_run *run, cp_array **made, int i)
{
    if (--run->terms[i].uses || made[i] == run->terms[i].x) return;
    cp_free(made[i]);
    made[i] = NULL;
}

static void end_inputs(cpi_run *run, cp_array **made, int i)
{
    const cpi_node *node = &run->f->nodes[i];
    if (cpi_is_host(run->terms[i].x)) return;
    for (int k = 0; k < node->nin; k++) {
        const cpi_node *from = &run->f->nodes[node->in[k]];
        bool whole = node->kind == CPI_NODE_PART && from->kind == CPI_NODE_OP;
        end_node(run, made, node->in[k]);
        if (whole && !run->terms[node->in[k]].uses) end_inputs(run, made, node->in[k]);
    }
}

/* Operations with several results run when one of theirs is needed. */
static bool waits(const cpi_run *run, int i)
{
    const cpi_node *node = &run->f->nodes[i];
    return node->kind == CPI_NODE_OP && cpi_op_rows[node->op].nout > 1 && !cpi_is_host(run->terms[i].x);
}

/* Each node by its public function; what is no longer needed is released. The last one of a program with one result
 * writes to out itself. */
static cp_code run_nodes(cpi_run *run, cp_array **made, cp_array *out)
{
    const cp_fusion *f = run->f;
    for (int i = 0; i < f->nnodes; i++) {
        if (!run->terms[i].uses || waits(run, i)) continue;
        bool last = f->nresults == 1 && f->results[0] == i && run->terms[i].uses == 1;
        bool there = cpi_is_host(run->terms[i].x) || f->nodes[i].kind == CPI_NODE_OPERAND;
        cp_array *into = last && f->nodes[i].kind == CPI_NODE_OP ? out : NULL;
        if (!made[i]) made[i] = there ? run->terms[i].x : one_node(run, i, made, into);
        if (!made[i]) {
            if (!run->standing && cp_error() != CP_ERROR_MEMORY) cpi_fuse_error_at(f, f->nodes[i].at);
            return cp_error();
        }
        end_inputs(run, made, i);
    }
    return CP_OK;
}

/* Node i as a result of its own: no other node has it. */
static cp_array *as_result(const cpi_run *run, cp_array *x, int k)
{
    cp_array *copy = new_result(run, k);
    if (!copy || !cp_assign(copy, x)) return copy;
    cp_free(copy);
    return NULL;
}

static cp_code run_one_by_one(cpi_run *run, cp_array **results, const cp_fused_options *o)
{
    const cp_fusion *f = run->f;
    cp_array **made = cpi_calloc((size_t)f->nnodes, sizeof *made);
    if (!made) return cp_error();
    cp_code code = run_nodes(run, made, o->casting == CP_SAME_KIND ? cpi_given(o, 0) : NULL);
    for (int k = 0; k < f->nresults && !code; k++) {
        int i = f->results[k];
        cp_array *x = made[i];
        bool own = x == run->terms[i].x || run->terms[i].uses > 1;
        run->target[k] = own ? as_result(run, x, k) : x;
        if (!own) made[i] = NULL;
        run->terms[i].uses--;
        if (!run->target[k]) code = cp_error();
    }
    for (int i = 0; i < f->nnodes; i++)
        if (made[i] && made[i] != run->terms[i].x) cp_free(made[i]);
    cpi_free_host(made);
    for (int k = 0; k < f->nresults && !code; k++) { /* what was written to out itself is a view of it */
        cp_array *out = cpi_given(o, k), *x = run->target[k];
        if (!out || !cpi_same_elements(out, x) || x->buffer != out->buffer) continue;
        results[k] = x;
        run->target[k] = NULL;
    }
    for (int k = 0; k < f->nresults && !code; k++) {
        if (results[k]) continue;
        cp_array *out = cpi_given(o, k);
        if (out) code = cp_assign(out, run->target[k]);
        results[k] = code ? NULL : out ? cpi_again(out) : run->target[k];
        if (!out) run->target[k] = NULL;
        if (!results[k]) code = cp_error();
    }
    return code;
}

/* --- entry points --- */

static cp_code compute(cpi_run *run, cp_array *const *operands, cp_array **results, const cp_fused_options *o)
{
    if (run->device->backend->at_once && !run->checks) {
        if (!make_targets(run, operands, o)) return cp_error();
        cp_code code = cpi_run_blocked(run, operands, cpi_may_keep(run, operands, o));
        if (!code) return deliver(run, results, o);
        if (code != CP_ERROR_UNSUPPORTED || (!run->standing && cp_error())) return code;
        for (int k = 0; k < run->f->nresults; k++) cp_free(run->target[k]), run->target[k] = NULL;
    }
    return run_one_by_one(run, results, o);
}

static cp_code prepare(cpi_run *run, cp_array *const *operands, const cp_fused_options *o)
{
    const cp_fusion *f = run->f;
    cp_array *all[CPI_FUSE_OPERANDS + CPI_FUSE_RESULTS];
    int n = 0;
    for (int i = 0; i < f->noperands; i++) {
        if (cpi_null("fused", operands[i])) return cp_error();
        run->ordered |= operands[i]->ndim > 1 && !cp_is_c_contiguous(operands[i]);
        all[n++] = operands[i];
    }
    for (int k = 0; k < f->nresults; k++) all[n++] = cpi_given(o, k);
    run->device = cpi_common_device("fused", n, all);
    if (!run->device || !type_nodes(run, operands)) return cp_error();
    count_uses(run);
    for (int k = 0; k < f->nresults; k++)
        if (cpi_given(o, k) && check_out(run, cpi_given(o, k), k, o->casting)) return cp_error();
    return CP_OK;
}

static void end_run(cpi_run *run)
{
    for (int k = 0; k < run->f->nresults; k++) cp_free(run->target[k]);
    for (int i = 0; i < run->f->nnodes && run->ordered; i++)
        if (run->terms[i].x == &run->records[i]) cpi_free_host(run->records[i].strides);
    for (int i = 0; i < run->nshapes; i++) cpi_free_host(run->shapes[i].own);
    cpi_free_host(run->shapes);
}

cp_code (cp_fusion_run)(const cp_fusion *f, cp_array *const *operands, cp_array **results,
                        const cp_fused_options *options)
{
    _Alignas(16) char stack[STACK_BYTES];
    const cp_fused_options *o = CPI_GIVEN(cp_fused_options, options);
    if (cpi_null("fused", f) || cpi_null("fused", results) || (f->noperands && cpi_null("fused", operands)))
        return cp_error();
    cp_code code = CP_OK;
    if (cpi_kept_run(f, operands, results, o, &code)) return code;
    size_t each = sizeof(cp_array) + sizeof(cpi_node_value), bytes = (size_t)f->nnodes * each;
    char *memory = bytes <= sizeof stack ? stack : cpi_malloc(bytes);
    for (int k = 0; k < f->nresults; k++) results[k] = NULL;
    if (!memory) return cp_error();
    cpi_run run = {.f = f, .records = (cp_array *)memory, .standing = cp_error() != CP_OK};
    run.terms = (cpi_node_value *)(void *)(memory + (size_t)f->nnodes * sizeof(cp_array));
    for (int i = 0; i < f->nnodes; i++) run.terms[i].x = NULL;
    code = prepare(&run, operands, o);
    if (!code) code = compute(&run, operands, results, o);
    end_run(&run);
    if (memory != stack) cpi_free_host(memory);
    for (int k = 0; k < f->nresults && code; k++) {
        cp_free(results[k]);
        results[k] = NULL;
    }
    return code;
}

cp_array *(cp_fused)(const char *text, int n, const char *const *names, cp_array *const *operands,
                     const cp_fused_options *options)
{
    cp_array *results[CPI_FUSE_RESULTS] = {NULL};
    cp_fusion *f = cp_fusion_new(text, n, names);
    if (f && f->noperands != n)
        cpi_fail(CP_ERROR_VALUE, "fused: %d operands for an expression with %d", n, f->noperands);
    else if (f && f->nresults != 1)
        cpi_fail(CP_ERROR_VALUE, "fused: %d results; cp_fusion_run returns them", f->nresults);
    else if (f) (cp_fusion_run)(f, operands, results, options);
    cp_fusion_free(f);
    return results[0];
}
