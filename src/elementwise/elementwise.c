/* The front of the elementwise operations: shapes, memory and overlap. What computes is decided in resolve.c, what
 * runs it is the device's slot.
 *
 * Invariant: the output of a loop given to a slot shares no memory with an input, unless they are the same
 * elements. */
#include "elementwise/elementwise.h"

#include <string.h>

#include "backend/device.h"
#include "core/shape.h"
#include "elementwise/resolve.h"
#include "front/front.h"

/* What one call works with: operands 0 (output), 1..nin, and the mask behind them. */
typedef struct {
    const char *name;
    cp_op op;
    cpi_plan plan;
    cpi_device *device;
    int ndim;
    int64_t shape[CP_MAXDIM];
    int nop;
    cp_array *operand[CPI_MAXOPS];   /* borrowed, or in `made` */
    cp_array *made[CPI_MAXOPS];      /* copies that this call made */
    _Alignas(16) unsigned char value[CPI_MAXOPS][16];
} call;

static bool is_host(const cp_array *x) { return (x->flags & CPI_HOST_SCALAR) != 0; }

/* The order of the result's axes: as the inputs have them where none objects, else C (NumPy's 'K'). `fake` gets
 * strides that say so. Returns false when C order is right. */
static bool order_like_inputs(const call *c, int first, int n, int64_t *fake)
{
    int order[CP_MAXDIM];
    bool changed = false;
    for (int i = 0; i < c->ndim; i++) {
        int j = i;
        for (; j > 0; j--) {
            int a = order[j - 1];
            bool swap = false, objected = false;
            for (int k = first; k < first + n; k++) {
                const cp_array *x = c->operand[k];
                if (x->ndim != c->ndim) continue;
                int64_t sa = x->shape[a] == 1 ? 0 : x->strides[a], si = x->shape[i] == 1 ? 0 : x->strides[i];
                sa = sa < 0 ? -sa : sa, si = si < 0 ? -si : si;
                if (!sa || !si) continue;
                if (sa < si) swap = true;
                else objected = true;
            }
            if (!swap || objected) break;
            order[j] = a;
            changed = true;
        }
        order[j] = i;
    }
    for (int j = 0; j < c->ndim; j++) fake[order[j]] = c->ndim - j;
    return changed;
}

static cp_array *new_output(const call *c, cp_type type, int first, int n)
{
    int64_t fake[CP_MAXDIM];
    if (c->ndim < 2 || !order_like_inputs(c, first, n, fake))
        return cpi_array_new(c->name, c->device, type, c->ndim, c->shape, 'C');
    cp_array like = {.device = c->device, .ndim = c->ndim, .strides = fake};
    return cpi_array_like(c->name, &like, type, c->ndim, c->shape);
}

/* The operands' common shape; an output must have it already. */
static cp_code common_shape(call *c, int first, int n, const cp_array *out)
{
    const cp_array *x = c->operand[first];
    c->ndim = x->ndim;
    memcpy(c->shape, x->shape, (size_t)x->ndim * sizeof *c->shape);
    for (int k = first + 1; k < first + n; k++) {
        cp_code code = cpi_broadcast(c->name, &c->ndim, c->shape, c->operand[k]->ndim, c->operand[k]->shape);
        if (code) return code;
    }
    if (!out) return CP_OK;
    int ndim = c->ndim;
    int64_t shape[CP_MAXDIM];
    memcpy(shape, c->shape, (size_t)ndim * sizeof *shape);
    cp_code code = cpi_broadcast(c->name, &ndim, shape, out->ndim, out->shape);
    if (code) return code;
    if (ndim != out->ndim || memcmp(shape, out->shape, (size_t)ndim * sizeof *shape)) {
        char a[160], b[160];
        return cpi_fail(CP_ERROR_VALUE, "%s: non-broadcastable output operand with shape %s doesn't match the broadcast "
                        "shape %s", c->name, cpi_shape_text(out->ndim, out->shape, a, sizeof a),
                        cpi_shape_text(ndim, shape, b, sizeof b));
    }
    c->ndim = ndim;
    memcpy(c->shape, shape, (size_t)ndim * sizeof *shape);
    return CP_OK;
}

/* Operand k becomes `x`, which this call frees. */
static cp_code replace(call *c, int k, cp_array *x)
{
    if (!x) return cp_error();
    cp_free(c->made[k]);
    c->operand[k] = c->made[k] = x;
    return CP_OK;
}

static void end_call(call *c)
{
    for (int k = 0; k < CPI_MAXOPS; k++)
        if (c->made[k]) cp_free(c->made[k]);
}

/* Inputs that share memory with the output otherwise than element for element are copied. */
static cp_code separate(call *c)
{
    for (int k = 1; k < c->nop; k++) {
        cp_array *x = c->operand[k];
        if (is_host(x) || x->buffer != c->operand[0]->buffer || !cpi_may_overlap(c->operand[0], x) ||
            cpi_same_elements(c->operand[0], x))
            continue;
        cp_code code = replace(c, k, cp_copy_order(x, 'K'));
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
        op->strides[0] = x->ndim == 0 && (k > 0 || x->size != 1) ? 0 : cpi_itemsize(x->type);
    }
}

/* Host scalars are converted here, once, to the loop's type. */
static void convert_scalars(call *c, cpi_loop *loop, cp_type type)
{
    for (int k = 1; k <= c->plan.nin; k++) {
        if (!loop->op[k].host) continue;
        cpi_scalar_value(c->op, c->operand[k], type, c->value[k]);
        loop->op[k].data = (char *)c->value[k];
        loop->op[k].type = type;
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

/* nextafter of a half type works on the bits: every operand must be of that type first. */
static cp_code run_nextafter(call *c)
{
    cpi_loop loop;
    cp_type type = c->plan.type;
    if (!c->operand[0]->size) return CP_OK;
    for (int k = 1; k <= 2; k++)
        if (!is_host(c->operand[k]) && c->operand[k]->type != type) {
            cp_code code = replace(c, k, cp_astype(c->operand[k], type));
            if (code) return code;
        }
    make_loop(c, &loop);
    convert_scalars(c, &loop, type);
    for (int k = 0; k <= 2; k++) loop.op[k].type = CP_UINT16;
    return c->device->backend->elementwise->run(
        cpi_stream(c->device), type == CP_FLOAT16 ? CP_OP_nextafter_f16 : CP_OP_nextafter_bf16, CP_UINT16, &loop);
}

static bool is_half(cp_type t) { return t == CP_FLOAT16 || t == CP_BFLOAT16; }

/* A half type computes in float32: inputs that lose by the conversion to it must be rounded to it first. */
static cp_code round_inputs(call *c)
{
    for (int k = 1; is_half(c->plan.type) && k <= c->plan.nin; k++) {
        cp_array *x = c->operand[k];
        if (is_host(x) || cp_can_cast(x->type, c->plan.type, CP_SAFE)) continue;
        cp_code code = replace(c, k, cp_astype(x, c->plan.type));
        if (code) return code;
    }
    return CP_OK;
}

static cp_code compute(call *c)
{
    cp_code code = separate(c);
    if (!code) code = round_inputs(c);
    if (code) return code;
    return c->plan.op == CP_OP_nextafter && is_half(c->plan.type) ? run_nextafter(c) : run_loop(c);
}

/* Fills the call from the arguments: operands (swapped where the kernel wants them so), shape, device. */
static cp_code prepare(call *c, cp_array *const *in, const cp_ufunc_options *o)
{
    cp_array *out = o ? o->out : NULL, *where = o ? o->where : NULL;
    int nin = cpi_op_rows[c->op].nin;
    cp_code code = cpi_resolve(c->op, in, o, &c->plan);
    if (code) return code;
    for (int i = 0; i < nin; i++) c->operand[1 + i] = in[i];
    if (c->plan.swap) c->operand[1] = in[1], c->operand[2] = in[0];
    int n = nin;
    if (where) {
        if (where->type != CP_BOOL)
            return cpi_fail(CP_ERROR_TYPE, "%s: the mask of where= must be bool, not %s", c->name, cp_type_name(where->type));
        c->operand[1 + n++] = where;
    }
    code = common_shape(c, 1, n, out);
    if (code) return code;
    c->operand[0] = out; /* for the device check only */
    c->device = cpi_common_device(c->name, n + 1, c->operand);
    if (!c->device) return cp_error();
    if (c->plan.nin < nin) { /* a simpler kernel: the mask moves up */
        c->operand[1 + c->plan.nin] = where;
        n -= nin - c->plan.nin;
    }
    c->nop = n + 1;
    return CP_OK;
}

cp_array *cp_elementwise(cp_op op, cp_array *const *in, const cp_ufunc_options *o)
{
    if ((unsigned)op >= CP_NOPS) {
        cpi_fail(CP_ERROR_VALUE, "elementwise: there is no operation %d", (int)op);
        return NULL;
    }
    call c;
    c.name = cpi_op_rows[op].name;
    c.op = op;
    memset(c.made, 0, sizeof c.made);
    if (cpi_null(c.name, in)) return NULL;
    for (int i = 0; i < cpi_op_rows[op].nin; i++)
        if (cpi_null(c.name, in[i])) return NULL;
    cp_array *out = o ? o->out : NULL;
    if (out && cpi_check_writable(c.name, out)) return NULL;
    if (prepare(&c, in, o)) return NULL;
    /* A result of a half type is rounded to it before it becomes anything else. */
    bool direct = out && !(is_half(c.plan.result) && out->type != c.plan.result);
    cp_array *result = direct ? cpi_again(out) : new_output(&c, c.plan.result, 1, c.plan.nin);
    if (!result) return NULL;
    c.operand[0] = result;
    cp_code code = CP_OK;
    bool masked = o && o->where;
    if (out && !direct && masked) code = cp_assign(result, out); /* keeps what the mask leaves alone */
    if (!code) code = compute(&c);
    end_call(&c);
    if (!code && out && !direct) {
        code = cp_assign(out, result);
        cp_free(result);
        result = cpi_again(out);
    }
    if (!code) return result;
    cp_free(result);
    return NULL;
}

#define CPI_CALL_1(name) cp_array *cp_##name(cp_array *a) { return cp_elementwise(CP_OP_##name, &a, NULL); }
#define CPI_CALL_2(name)                                                       \
    cp_array *cp_##name(cp_array *a, cp_array *b)                              \
    {                                                                          \
        cp_array *in[] = {a, b};                                               \
        return cp_elementwise(CP_OP_##name, in, NULL);                         \
    }
#define CPI_CALL_3(name)                                                       \
    cp_array *cp_##name(cp_array *a, cp_array *b, cp_array *c)                 \
    {                                                                          \
        cp_array *in[] = {a, b, c};                                            \
        return cp_elementwise(CP_OP_##name, in, NULL);                         \
    }
#define CP_ELEMENTWISE(name, nin, ...) CPI_CALL_##nin(name)
#include "cuprite/elementwise.def"
#undef CP_ELEMENTWISE

cp_code cp_op_query(cp_op op, cp_op_info *info)
{
    if ((unsigned)op >= CP_NOPS || cpi_null("op_query", info)) return cpi_fail(CP_ERROR_VALUE, "op_query: no such operation");
    const cpi_op_row *row = &cpi_op_rows[op];
    *info = (cp_op_info){row->name, row->doc, row->nin, row->has_identity, row->identity, row->ulp};
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
    if (cpi_null(c.name, condition) || cpi_null(c.name, a) || cpi_null(c.name, b)) return NULL;
    c.operand[1] = condition, c.operand[2] = a, c.operand[3] = b;
    c.nop = 4;
    if (common_shape(&c, 1, 3, NULL)) return NULL;
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
    return t >= CP_COMPLEX64 ? CP_COMPLEX128 : t == CP_FLOAT64 ? t : CP_FLOAT32;
}

static bool prepare_pair(call *c, const char *name, cp_array *a, cp_array *b)
{
    c->name = name;
    if (cpi_null(name, a) || cpi_null(name, b)) return false;
    c->operand[1] = a, c->operand[2] = b;
    c->nop = 3;
    if (common_shape(c, 1, 2, NULL)) return false;
    c->device = cpi_common_device(name, 2, c->operand + 1);
    return c->device != NULL;
}

cp_array *cp_isclose(cp_array *a, cp_array *b, double rtol, double atol, bool equal_nan)
{
    call c;
    if (!prepare_pair(&c, "isclose", a, b)) return NULL;
    cp_array *result = new_output(&c, CP_BOOL, 1, 2);
    if (!result || !result->size) return result;
    c.operand[0] = result;
    cpi_loop loop;
    make_loop(&c, &loop);
    if (!c.device->backend->elementwise->close(cpi_stream(c.device), close_type(&c), &loop, rtol, atol, equal_nan))
        return result;
    cp_free(result);
    return NULL;
}

/* The answer for all elements; `first` is the operand that goes first. */
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
    if (a->ndim != b->ndim || memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape)) return 0;
    if (!prepare_pair(&c, "array_equal", a, b)) return -1;
    bool integers = a->type <= CP_UINT64 && b->type <= CP_UINT64;
    cp_type type = cp_promote(a->type, b->type);
    if (integers && type == CP_FLOAT64) return for_all(&c, CP_UINT64, a->type == CP_UINT64 ? 2 : 1, 0, 0, false);
    type = integers ? CP_INT64 : type >= CP_COMPLEX64 ? CP_COMPLEX128 : CP_FLOAT64;
    return for_all(&c, type, 1, 0, 0, equal_nan);
}
