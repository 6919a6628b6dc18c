/* From a program's nodes of one shape to steps: the kernel of each operation, the conversions before and behind it, and
 * the position of every buffer in the cache.
 *
 * Invariant: kernels and conversions are those that the elementwise module's API layer chooses for the operation alone
 * (elementwise.c: values of host scalars, operations on bits; without dtype= every input casts safely to the type that
 * computes), so an element has the same bits. */
#include "fuse/blocked.h"

#include <limits.h>
#include <string.h>

#include "core/memory.h"
#include "move/engine_cpu.h"

enum {
    LONGEST = 16 << 10,        /* bytes of a buffer */
    FAILED = -1
};

typedef struct {
    cpi_block_run *c;
    const cpi_run *run;
    cpi_pass *p;
    int group;
    bool single;  /* the pass over size 1: its values stay */
    double cost;  /* of an element, in parts of a task that is worth a thread */
} lowering;

/* --- memory of a pass --- */

static size_t accesses_of(const cpi_run *run)
{
    size_t most = 2 * (size_t)run->f->nnodes + (size_t)run->f->nresults;
    return most < CPI_PASS_ACCESSES ? most : CPI_PASS_ACCESSES;
}

static size_t work_bytes(const cpi_run *run)
{
    size_t axes = 1;
    for (int i = 0; i < run->nshapes; i++)
        if ((size_t)run->shapes[i].ndim > axes) axes = (size_t)run->shapes[i].ndim;
    return accesses_of(run) * (sizeof(cpi_operand_access) + axes * sizeof(int64_t));
}

static size_t slots_of(const cpi_run *run)
{
    size_t most = 8 * (size_t)run->f->nnodes + 4 * (size_t)run->f->nresults;
    return most < CPI_PASS_SLOTS ? most : CPI_PASS_SLOTS;
}

size_t cpi_lower_bytes(const cpi_run *run)
{
    const cpi_block_run *c = NULL;
    const size_t a_node = sizeof *c->values + sizeof *c->between + sizeof *c->value + sizeof(bool);
    return (size_t)run->f->nnodes * a_node + 64 + slots_of(run) * (sizeof(cpi_slot) + sizeof(cpi_pass_step)) +
           work_bytes(run);
}

static int new_slot(lowering *l, cp_type type, cpi_slot_kind kind, bool one, void *fixed)
{
    cpi_pass *p = l->p;
    if ((size_t)p->nslots == slots_of(l->run)) return FAILED;
    cpi_slot *s = &p->slots[p->nslots];
    s->type = type;
    s->kind = (uint8_t)kind;
    s->one = one;
    s->fixed = fixed;
    s->parent = s->first = s->last = s->node = -1;
    s->place = 0;
    return p->nslots++;
}

/* A new step, which writes at[0] and on; NULL where there are too many. */
static cpi_pass_step *new_step(lowering *l, cpi_pass_step_kind kind, int nout, int n, const int *at)
{
    cpi_pass *p = l->p;
    if ((size_t)p->nsteps == slots_of(l->run)) return NULL;
    cpi_pass_step *s = &p->steps[p->nsteps];
    memset(s, 0, sizeof *s);
    s->kind = (uint8_t)kind;
    s->nout = (uint8_t)nout;
    s->n = (uint8_t)n;
    s->one = p->slots[at[0]].one;
    s->size = (uint8_t)cpi_itemsize(p->slots[at[0]].type);
    for (int k = 0; k < n; k++) {
        s->at[k] = (int16_t)at[k];
        p->slots[at[k]].last = p->nsteps;
        if (k < nout) p->slots[at[k]].first = p->nsteps;
    }
    p->nsteps++;
    return s;
}

/* --- the loop --- */

static int add_access(lowering *l, const cp_array *x)
{
    cpi_pass *p = l->p;
    if ((size_t)p->naccesses == accesses_of(l->run)) return FAILED;
    cpi_operand_access *a = &p->accesses[p->naccesses];
    a->x = x;
    a->data = x->data;
    a->type = x->type;
    a->slot = -1;
    return p->naccesses++;
}

/* What node j is where a pass of this group uses it: an existing array, or NULL. */
static const cp_array *array_of(const lowering *l, int j)
{
    const cpi_node_value *t = &l->run->terms[j];
    const cpi_extents *s = &l->run->shapes[t->shape];
    if (cpi_is_host(t->x) || s->size == 1) return NULL;
    if (l->run->f->nodes[j].kind == CPI_NODE_OPERAND) return t->x;
    return s->group == l->group ? NULL : l->c->between[j];
}

static bool is_mine(const lowering *l, int i)
{
    const cpi_node_value *t = &l->run->terms[i];
    return t->uses && l->run->shapes[t->shape].group == l->group;
}

/* Adds the array of node j to the accesses, once. */
static bool take_leaf(lowering *l, int j)
{
    const cp_array *x = array_of(l, j);
    if (!x || l->c->value[j].slot[0] >= 0) return true;
    int k = add_access(l, x);
    if (k >= 0) l->p->accesses[k].node = j;
    l->c->value[j].slot[0] = (int16_t)k; /* for now; its slot is assigned when the loop is known */
    return k >= 0;
}

/* Results and intermediate arrays first, then all that the group's nodes use. */
static bool take_accesses(lowering *l)
{
    const cp_fusion *f = l->run->f;
    for (int i = 0; i < f->nnodes; i++) l->c->value[i].slot[0] = l->c->value[i].slot[1] = -1;
    for (int k = 0; k < f->nresults; k++)
        if (is_mine(l, f->results[k]) && add_access(l, l->run->target[k]) < 0) return false;
    for (int i = 0; i < f->nnodes; i++)
        if (is_mine(l, i) && l->c->between[i] && add_access(l, l->c->between[i]) < 0) return false;
    l->p->ntargets = l->p->naccesses;
    for (int i = 0; i < f->nnodes; i++) {
        if (!is_mine(l, i)) continue;
        if (l->c->is_result[i] && !take_leaf(l, i)) return false;
        for (int k = 0; k < f->nodes[i].nin && cpi_is_computed(l->run, i); k++)
            if (f->nodes[i].kind != CPI_NODE_PART && !take_leaf(l, f->nodes[i].in[k])) return false;
    }
    return true;
}

/* How blocks of an operand are accessed, and its slot. */
static bool place_leaf(lowering *l, cpi_operand_access *a)
{
    const cpi_pass *p = l->p;
    bool straight = p->rows || cpi_is_one_axis(p->ndim, p->shape, a->strides);
    a->stride = p->ndim && straight ? a->strides[p->ndim - 1] : 0;
    bool one = straight && a->stride == 0; /* constant within a row */
    bool direct = straight && (one || a->stride == cpi_itemsize(a->type));
    a->kind = direct ? CPI_IN_PLACE : straight ? CPI_GATHERED : CPI_COLLECTED;
    a->slot = new_slot(l, a->type, direct ? CPI_SLOT_MOVES : CPI_SLOT_BUFFER, one, NULL);
    return a->slot >= 0;
}

static bool locate_leaves(lowering *l)
{
    cpi_pass *p = l->p;
    for (int k = p->ntargets; k < p->naccesses; k++)
        if (!place_leaf(l, &p->accesses[k])) return false;
    for (int j = 0; j < l->run->f->nnodes; j++) {
        int16_t *slot = &l->c->value[j].slot[0];
        if (*slot >= 0) *slot = (int16_t)p->accesses[*slot].slot;
    }
    return true;
}

/* --- values --- */

static int constant(lowering *l, cp_type type, const void *value)
{
    int s = new_slot(l, type, CPI_SLOT_FIXED, true, NULL);
    if (s < 0) return s;
    cpi_slot *slot = &l->p->slots[s];
    memcpy(slot->value, value, cpi_itemsize(type));
    slot->fixed = slot->value;
    return s;
}

/* The slot of node j's value. */
static int slot_of(lowering *l, int j)
{
    int16_t *slot = &l->c->value[j].slot[0];
    const cp_array *x = l->run->terms[j].x;
    if (*slot >= 0) return *slot;
    if (cpi_is_host(x)) return *slot = (int16_t)constant(l, x->type, x->value);
    /* of size 1: an operand's element, or the first pass's value */
    bool computed = cpi_is_computed(l->run, j);
    void *at = computed ? (void *)l->c->values[j].bytes : x->data;
    *slot = (int16_t)new_slot(l, x->type, CPI_SLOT_FIXED, true, at);
    if (*slot >= 0 && !computed) l->p->slots[*slot].node = j;
    return *slot;
}

static int result_slot(lowering *l, cp_type type, bool one)
{
    return new_slot(l, type, one ? CPI_SLOT_ONE : CPI_SLOT_BUFFER, one, NULL);
}

static int converted(lowering *l, int s, cp_type type)
{
    cpi_pass *p = l->p;
    if (s < 0 || p->slots[s].type == type) return s;
    for (int i = s + 1; i < p->nslots; i++)
        if (p->slots[i].parent == s && p->slots[i].type == type) return i;
    int r = result_slot(l, type, p->slots[s].one);
    cpi_pass_step *step = r < 0 ? NULL : new_step(l, CPI_STEP_CONVERT, 1, 2, (int[]){r, s});
    if (!step) return FAILED;
    step->does.convert = p->move->convert[p->slots[s].type][type];
    p->slots[r].parent = s;
    l->cost += 1.0 / (1 << 16);
    return r;
}

/* A single value as a block. */
static int spread(lowering *l, int s)
{
    if (s < 0 || !l->p->slots[s].one) return s;
    int r = result_slot(l, l->p->slots[s].type, false);
    return r >= 0 && new_step(l, CPI_STEP_SPREAD, 1, 2, (int[]){r, s}) ? r : FAILED;
}

static int copied(lowering *l, int s)
{
    int r = s < 0 ? FAILED : result_slot(l, l->p->slots[s].type, l->p->slots[s].one);
    if (r < 0) return r;
    if (!l->p->slots[s].one) return new_step(l, CPI_STEP_COPY, 1, 2, (int[]){r, s}) ? r : FAILED;
    cpi_pass_step *step = new_step(l, CPI_STEP_SPREAD, 1, 2, (int[]){r, s});
    return step ? r : FAILED;
}

/* Inputs as the kernel supports them: where it does not support a combination of single values, they are broadcast to
 * blocks. All single: so is the result. Returns the bits of those that stay single, or FAILED. */
static int settle(lowering *l, int n, int *in, unsigned allowed, bool *one)
{
    unsigned scalars = 0;
    for (int k = 0; k < n; k++) scalars |= (unsigned)l->p->slots[in[k]].one << k;
    *one = scalars == (1u << n) - 1;
    if (*one) return 0;
    if (allowed >> scalars & 1) return (int)scalars;
    for (int k = 0; k < n; k++)
        if ((in[k] = spread(l, in[k])) < 0) return FAILED;
    return 0;
}

/* --- operations --- */

/* A host scalar as input k of the kernel: converted as the API layer does it, and then as the engine does. */
static int scalar_input(lowering *l, int i, const cp_array *x, int k, cp_type type, cp_type to)
{
    const cpi_plan *plan = &l->run->terms[i].plan;
    _Alignas(16) unsigned char first[16], value[16];
    if (plan->op >= CP_NOPS) { /* hidden operations take 64-bit integers as they are */
        cpi_convert_value(x->type, x->value, to, value);
    } else {
        cp_type typed = cpi_in_type(&cpi_op_rows[plan->op], k, type);
        cpi_scalar_value(l->run->terms[i].op, x, typed, first);
        cpi_convert_value(typed, first, to, value);
    }
    return constant(l, to, value);
}

/* Input k of operation i for a kernel that takes it as `to`. */
static int input(lowering *l, int i, int k, cp_type to, bool bits)
{
    const cpi_node_value *t = &l->run->terms[i];
    int j = l->run->f->nodes[i].in[t->plan.swap ? 1 - k : k];
    const cp_array *x = l->run->terms[j].x;
    const cp_type type = t->plan.type;
    if (cpi_is_host(x)) return scalar_input(l, i, x, k, type, bits ? type : to);
    int s = slot_of(l, j);
    return converted(l, s, bits ? type : to);
}

static double cost_of(int op, cp_type type)
{
    return cpi_op_rows[op].function ? 1.0 / (cpi_is_complex(type) ? 1 << 10 : 1 << 13) : 1.0 / (1 << 16);
}

/* In the pass over size 1 a value is where later passes look for it. */
static void keep_single(lowering *l, int i, int s)
{
    cpi_slot *slot = &l->p->slots[s];
    if (!l->single || slot->kind != CPI_SLOT_ONE) return;
    slot->kind = CPI_SLOT_FIXED;
    slot->fixed = l->c->values[i].bytes;
}

static bool lower_operation(lowering *l, int i)
{
    const cpi_plan *plan = &l->run->terms[i].plan;
    const int hidden = cpi_op_rows[plan->op].by_bits[plan->type];
    const bool bits = hidden != 0;
    const int op = bits ? hidden : plan->op;
    const cpi_op_row *row = &cpi_op_rows[op];
    /* of an operation on bits the only type that it has, an integer of that size */
    const cp_type type = bits ? (cp_type)__builtin_ctz(row->loops) : cpi_compute_type(plan->type);
    const unsigned allowed = cpi_scalars_allowed(row);
    int at[CPI_STEP_OPERANDS], *in = at + row->nout;
    bool one;
    for (int k = 0; k < row->nin; k++)
        if ((in[k] = input(l, i, k, cpi_in_type(row, k, type), bits)) < 0) return false;
    int scalars = settle(l, row->nin, in, allowed, &one);
    if (scalars < 0) return false;
    for (int k = 0; k < row->nout; k++) {
        cp_type made = bits ? plan->type : cpi_out_type(row, k, type);
        if ((at[k] = result_slot(l, made, one)) < 0) return false;
    }
    cpi_pass_step *step = new_step(l, CPI_STEP_KERNEL, row->nout, row->nout + row->nin, at);
    if (!step) return false;
    step->does.kernel = cpi_kernel_of(l->p->set, op, type);
    step->scalars = (uint8_t)scalars;
    l->cost += cost_of(op, type);
    for (int k = 0; k < row->nout; k++) {
        int s = converted(l, at[k], plan->out[k]);
        if (s < 0) return false;
        l->c->value[i].slot[k] = (int16_t)s;
    }
    if (row->nout == 1) keep_single(l, i, l->c->value[i].slot[0]);
    return step->does.kernel != NULL;
}

static int log2_size(cp_type type) { return __builtin_ctz((unsigned)cpi_itemsize(type)); }

static bool lower_where(lowering *l, int i)
{
    const cpi_node *node = &l->run->f->nodes[i];
    const cp_type type = l->run->terms[i].x->type;
    int at[4];
    bool one;
    for (int k = 0; k < 3; k++) {
        const cp_array *x = l->run->terms[node->in[k]].x;
        cp_type to = k ? type : CP_BOOL;
        _Alignas(16) unsigned char value[16];
        if (cpi_is_host(x)) cpi_convert_value(x->type, x->value, to, value);
        at[k + 1] = cpi_is_host(x) ? constant(l, to, value) : converted(l, slot_of(l, node->in[k]), to);
        if (at[k + 1] < 0) return false;
    }
    int scalars = settle(l, 3, at + 1, 1 | 1 << 2 | 1 << 4 | 1 << 6, &one);
    at[0] = scalars < 0 ? FAILED : result_slot(l, type, one);
    cpi_pass_step *step = at[0] < 0 ? NULL : new_step(l, CPI_STEP_CHOOSE, 1, 4, at);
    if (!step) return false;
    step->does.choose = l->p->set->choose[log2_size(type)];
    step->scalars = (uint8_t)(scalars >> 1);
    l->cost += 1.0 / (1 << 16);
    l->c->value[i].slot[0] = (int16_t)at[0];
    keep_single(l, i, at[0]);
    return true;
}

/* In the pass over size 1 a cast, and a part of several results, is a value of its own. */
static bool lower_alias(lowering *l, int i, int s)
{
    if (s >= 0 && l->single) s = copied(l, s);
    if (s < 0) return false;
    l->c->value[i].slot[0] = (int16_t)s;
    keep_single(l, i, s);
    return true;
}

static bool lower_node(lowering *l, int i)
{
    const cpi_node *node = &l->run->f->nodes[i];
    switch ((cpi_node_kind)node->kind) {
    case CPI_NODE_OP: return lower_operation(l, i);
    case CPI_NODE_WHERE: return lower_where(l, i);
    case CPI_NODE_CAST: return lower_alias(l, i, converted(l, slot_of(l, node->in[0]), (cp_type)node->op));
    case CPI_NODE_PART: return lower_alias(l, i, l->c->value[node->in[0]].slot[node->op]);
    case CPI_NODE_OPERAND:
    case CPI_NODE_NUMBER: break;
    }
    return true;
}

/* --- results --- */

/* The slot of node i's value is the target's memory itself where a step writes a contiguous block there. */
static bool locate_target(lowering *l, cpi_operand_access *a, int i, bool aliased)
{
    cpi_pass *p = l->p;
    const cp_array *x = l->run->terms[i].x;
    bool straight = p->rows || cpi_is_one_axis(p->ndim, p->shape, a->strides);
    a->stride = p->ndim && straight ? a->strides[p->ndim - 1] : 0;
    _Alignas(16) unsigned char value[16];
    int s;
    if (cpi_is_host(x)) {
        cpi_convert_value(x->type, x->value, a->type, value);
        s = constant(l, a->type, value);
    } else {
        s = converted(l, slot_of(l, i), a->type);
    }
    bool given = s >= 0 && p->slots[s].first < 0; /* no step computes it: it may be what another result overwrites */
    if (given && l->run->aliased && !p->slots[s].one) s = copied(l, s);
    if (!l->single) s = spread(l, s);
    if (s < 0) return false;
    cpi_slot *slot = &p->slots[s];
    bool dense = straight && (a->stride == cpi_itemsize(a->type) || !p->ndim);
    bool large = p->size * cpi_itemsize(a->type) >= CPI_STREAM_BYTES && !aliased;
    a->slot = s;
    if (dense && !large && !aliased && slot->kind == CPI_SLOT_BUFFER && slot->first >= 0) {
        slot->kind = CPI_SLOT_MOVES;
        a->kind = CPI_IN_PLACE;
        return true;
    }
    slot->last = INT_MAX;
    a->kind = !straight ? CPI_DISTRIBUTED : dense && large ? CPI_STREAMED : CPI_SCATTERED;
    return true;
}

static bool locate_targets(lowering *l)
{
    const cp_fusion *f = l->run->f;
    cpi_operand_access *a = l->p->accesses;
    for (int k = 0; k < f->nresults; k++)
        if (is_mine(l, f->results[k]) && !locate_target(l, a++, f->results[k], l->run->aliased >> k & 1)) return false;
    for (int i = 0; i < f->nnodes; i++)
        if (is_mine(l, i) && l->c->between[i] && !locate_target(l, a++, i, false)) return false;
    return true;
}

/* --- blocks --- */

/* Elements of a block: the buffers together stay in the cache. */
static bool set_block(lowering *l)
{
    cpi_pass *p = l->p;
    int made = cpi_assign_buffers(p);
    int64_t widest = 1;
    for (int i = 0; i < p->nslots; i++) {
        int64_t size = cpi_itemsize(p->slots[i].type);
        if (p->slots[i].kind == CPI_SLOT_BUFFER && size > widest) widest = size;
    }
    int64_t bytes = made ? CPI_PASS_BYTES / made / 256 * 256 : LONGEST;
    if (bytes > LONGEST) bytes = LONGEST;
    p->buffer_bytes = bytes;
    p->block = bytes / widest;
    double grain = l->cost > 0 ? 1 / l->cost : 1 << 16;
    p->grain = grain < 1024 ? 1024 : (int64_t)grain;
    return bytes > 0;
}

cp_code cpi_lower(cpi_block_run *c, int group, cpi_pass *p)
{
    const cpi_run *run = c->run;
    lowering l = {c, run, p, group, run->shapes[group].size == 1, 0};
    char *at = c->work;
    p->set = cpi_kernels_best();
    p->move = cpi_move_kernels_best();
    p->nslots = p->nsteps = p->naccesses = p->ntargets = 0;
    p->slots = (cpi_slot *)(void *)at;
    at += slots_of(run) * sizeof(cpi_slot);
    p->steps = (cpi_pass_step *)(void *)at;
    at += slots_of(run) * sizeof(cpi_pass_step);
    p->accesses = (cpi_operand_access *)(void *)at;
    at += accesses_of(run) * sizeof(cpi_operand_access);
    if (!take_accesses(&l)) return CP_ERROR_UNSUPPORTED;
    cpi_make_loop(p, &run->shapes[group], (int64_t *)(void *)at);
    if (!locate_leaves(&l)) return CP_ERROR_UNSUPPORTED;
    for (int i = 0; i < run->f->nnodes; i++)
        if (is_mine(&l, i) && cpi_is_computed(run, i) && !lower_node(&l, i)) return CP_ERROR_UNSUPPORTED;
    return locate_targets(&l) && set_block(&l) ? CP_OK : CP_ERROR_UNSUPPORTED;
}
