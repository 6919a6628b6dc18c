/* The CUDA slots of the module elementwise: which kernel serves a loop, and its launch. */
#include "elementwise/periodic_cuda.h"
#include "elementwise/operations_cuda.h"
#include "move/move_cuda.h"

/* --- operations --- */

struct run_context {
    cp_stream *stream;
    int op;
    cp_type type; /* that the kernel computes in */
    bool narrow;  /* which is wider than the operation's */
    const cpi_cuda_entry *entry;
};

/* Can `flat` serve the loop with operands stored as `stored`? Fills its arguments. */
static bool flat_fits(const cpi_loop *loop, int nin, cp_type compute, cp_type stored, cp_type out, cpi_flat_args *g)
{
    if (loop->ndim > 1 || loop->nop != nin + 1) return false;
    int64_t size = cpi_itemsize(stored), out_size = cpi_itemsize(out);
    const cpi_operand *o = &loop->op[0];
    if (o->type != out || (loop->ndim && o->strides[0] != out_size)) return false;
    g->out = o->data;
    g->n = loop->size;
    g->values = g->singles = 0;
    int64_t width = 16 / size, out_bytes = width * out_size < 16 ? width * out_size : 16;
    g->aligned = (uintptr_t)o->data % out_bytes == 0;
    for (int k = 0; k < nin; k++) {
        const cpi_operand *op = &loop->op[k + 1];
        if (op->host) {
            cpi_cuda_convert(op->type, op->data, compute, g->value[k]);
            g->values |= 1u << k;
            continue;
        }
        if (op->type != stored) return false;
        g->in[k] = op->data;
        if (!loop->ndim || op->strides[0] == 0) {
            g->singles |= 1u << k;
        } else if (op->strides[0] == size) {
            g->aligned &= (uintptr_t)op->data % 16 == 0;
        } else {
            return false;
        }
    }
    return true;
}

/* --- runs --- */

static bool is_flat(const cpi_loop *loop, const cpi_operand *op)
{
    int64_t stride = cpi_itemsize(op->type);
    for (int d = loop->ndim - 1; d >= 0; d--) {
        if (loop->shape[d] != 1 && op->strides[d] != stride) return false;
        stride *= loop->shape[d];
    }
    return true;
}

/* The alignment that an operand's runs should have: their size, or 16 bytes. */
static int64_t run_unit(const cpi_operand *op)
{
    int64_t bytes = CPI_RUN * cpi_itemsize(op->type);
    return bytes < 16 ? bytes : 16;
}

static bool runs_aligned(const cpi_loop *loop, const cpi_operand *op)
{
    int64_t unit = run_unit(op);
    bool yes = (uintptr_t)op->data % (uintptr_t)unit == 0;
    for (int d = 0; d < loop->ndim - 1 && yes; d++) yes = op->strides[d] % unit == 0;
    return yes;
}

/* How an operand's runs are addressed; false when it has none. Where rows are not multiples of a run, a run lies in
 * at most two rows, as it begins at a multiple of its length. */
static bool run_mode(const cpi_loop *loop, const cpi_operand *op, bool whole, uint8_t *mode)
{
    int64_t inner = loop->ndim ? op->strides[loop->ndim - 1] : 0;
    *mode = op->host ? CPI_RUN_VALUE
            : is_flat(loop, op) ? CPI_RUN_FLAT
            : whole && inner == 0 ? CPI_RUN_REPEAT
            : whole ? CPI_RUN_RUN : CPI_RUN_EACH;
    return op->host || *mode == CPI_RUN_FLAT || inner == 0 || inner == cpi_itemsize(op->type);
}

bool cpi_runs_fit(const cpi_loop *loop, int nin, cp_type compute, cp_type result, cpi_runs_args *g)
{
    if (loop->ndim > CPI_DEVICE_LOOP_DIMS || loop->nop != nin + 1) return false;
    bool whole = loop->ndim <= 1 || loop->shape[loop->ndim - 1] % CPI_RUN == 0;
    memset(g, 0, sizeof *g);
    for (int k = 0; k <= nin; k++) {
        const cpi_operand *op = &loop->op[k];
        if (!run_mode(loop, op, whole, &g->mode[k])) return false;
        g->data[k] = op->data;
        g->type[k] = op->type;
        g->size[k] = (uint8_t)cpi_itemsize(op->type);
        if (op->host) cpi_cuda_convert(op->type, op->data, compute, g->value[k - 1]);
        if (op->host || op->type == (k ? compute : result)) g->exact |= 1u << k;
        if (!op->host && runs_aligned(loop, op)) g->aligned |= 1u << k;
        g->each |= g->mode[k] == CPI_RUN_EACH;
        g->locate |= g->each || g->mode[k] == CPI_RUN_RUN || g->mode[k] == CPI_RUN_REPEAT;
    }
    if (g->each && loop->shape[loop->ndim - 1] < 2) return false;
    cpi_device_loop_init(&g->loop, loop, 0, loop->nop);
    return g->mode[0] == CPI_RUN_FLAT || g->mode[0] == CPI_RUN_RUN;
}

/* --- any operands --- */

/* Can `straight` serve the loop, which has no mask? Fills what it needs beside the arguments of `general`. */
static bool straight_fits(const run_context *c, const cpi_loop *loop, cpi_general_args *g)
{
    const cpi_cuda_row *row = &cpi_cuda_rows[c->op];
    if (!c->entry->straight || g->mask) return false;
    g->aligned = true;
    for (int k = 0; k < row->nout + row->nin; k++) {
        const cpi_operand *op = &loop->op[k];
        if (op->host) continue;
        if (!is_flat(loop, op) || (k < row->nout && op->type != cpi_word_type(row->out[k], c->type))) return false;
        g->size[k] = (uint8_t)cpi_itemsize(op->type);
        g->aligned &= (uintptr_t)op->data % (uintptr_t)run_unit(op) == 0;
    }
    return true;
}

static cp_code launch_general(const run_context *c, const cpi_loop *loop)
{
    const cpi_cuda_row *row = &cpi_cuda_rows[c->op];
    const int nin = row->nin, nout = row->nout;
    cpi_general_args g;
    g.op = c->op;
    cpi_device_loop_init(&g.loop, loop, 0, loop->nop);
    g.values = 0;
    g.narrow = c->narrow;
    g.mask = loop->nop > nout + nin ? nout + nin : 0; /* in device memory: `run` handles a mask on the host */
    g.exact = loop->op[0].type == cpi_word_type(row->out[0], c->type);
    for (int k = 0; k < loop->nop; k++) {
        g.data[k] = loop->op[k].data;
        g.type[k] = loop->op[k].type;
        if (k < nout || k >= nout + nin) continue;
        cp_type type = cpi_word_type(row->in[k - nout], c->type);
        if (loop->op[k].host) {
            cpi_cuda_convert(loop->op[k].type, loop->op[k].data, type, g.value[k - nout]);
            g.values |= 1u << (k - nout);
        } else {
            g.exact &= loop->op[k].type == type;
        }
    }
    g.plain = g.exact && !g.values && !g.mask;
    const void *kernel = straight_fits(c, loop, &g) ? c->entry->straight : c->entry->general;
    int64_t per_block = CPI_THREADS * CPI_RUN;
    return cpi_cuda_launch(kernel, cpi_ceil_div(g.loop.n, per_block), &g, c->stream, row->name);
}

static cp_code launch_iterator(void *context, const cpi_loop *loop)
{
    const run_context *c = (const run_context *)context;
    const cpi_cuda_row *row = &cpi_cuda_rows[c->op];
    cpi_runs_args r;
    cp_code code;
    if (cpi_cuda_periodic(c->stream, c->op, c->type, loop, row->name, &code)) return code;
    if (!c->entry->runs || !cpi_runs_fit(loop, row->nin, c->type, cpi_word_type(row->out[0], c->type), &r))
        return launch_general(c, loop);
    r.op = c->op;
    r.narrow = c->narrow;
    int64_t per_block = CPI_THREADS * CPI_RUN;
    return cpi_cuda_launch(c->entry->runs, cpi_ceil_div(r.loop.n, per_block), &r, c->stream, row->name);
}

/* The flat kernel that serves the loop and its arguments; NULL when there is none. */
static const void *flat_kernel(int op, cp_type type, const cpi_loop *loop, cpi_flat_args *g, int *elements)
{
    const cpi_cuda_row *row = &cpi_cuda_rows[op];
    const int nin = row->nin;
    const bool logic = row->rule == CPI_RULE_LOGIC;
    cp_type stored = loop->op[1].host && nin > 1 ? loop->op[2].type : loop->op[1].type;
    cp_type result = cpi_word_type(row->out[0], type);
    if (logic) { /* every type has its own kernel, but values are converted to bool only */
        for (int k = 1; k <= nin; k++)
            if (loop->op[k].host && stored != type) return nullptr;
        type = cpi_compute_type(stored);
    }
    const cpi_cuda_entry *entry = cpi_cuda_entry_of(op, type);
    if (!entry) return nullptr;
    const bool half = cpi_is_half(stored) && !row->chapter;
    const cpi_cuda_half_entry *halves = half ? &cpi_cuda_half_ops[op][cpi_half_position(stored)] : nullptr;
    const void *kernel = half ? halves->flat : entry->flat;
    if (!kernel || type != (half ? cpi_compute_type(stored) : stored)) return nullptr;
    if (half && result != CP_BOOL) result = stored;
    *elements = half ? halves->elements : entry->flat_elements;
    return flat_fits(loop, nin, type, stored, result, g) ? kernel : nullptr;
}

cp_code cpi_elementwise_cuda_run(cp_stream *stream, int op, cp_type type, const cpi_loop *loop)
{
    const cpi_cuda_row *row = &cpi_cuda_rows[op];
    const cpi_cuda_entry *entry = cpi_cuda_entry_of(op, type);
    if (!entry || !entry->general) return cpi_host->fail(CP_ERROR_INTERNAL, "%s: no kernel for this type", row->name);
    if (!loop->size) return CP_OK;
    int nops = row->nout + row->nin, elements;
    const cpi_operand *mask = &loop->op[nops];
    if (loop->nop > nops && mask->host) { /* one mask value for all elements */
        if (!*mask->data) return CP_OK;
        cpi_loop unmasked = *loop;
        unmasked.nop--;
        return cpi_elementwise_cuda_run(stream, op, type, &unmasked);
    }
    if (op == CP_OP_power && cpi_is_int(type)) {
        cp_code code = cpi_cuda_check_exponents(stream, type, loop);
        if (code) return code;
    }
    const cp_type wide = type == CP_FLOAT32 ? CP_FLOAT64 : type == CP_COMPLEX64 ? CP_COMPLEX128 : type;
    run_context c = {stream, op, entry->wide ? wide : type, entry->wide && wide != type, entry};
    cpi_flat_args g;
    if (const void *kernel = entry->flat ? flat_kernel(op, type, loop, &g, &elements) : nullptr)
        return cpi_cuda_launch(kernel, cpi_ceil_div(g.n, elements), &g, stream, row->name);
    return cpi_device_loop_each(loop, launch_iterator, &c);
}

