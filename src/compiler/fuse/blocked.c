/* Programs on the CPU, chain by chain: a block of elements goes through all operations before the next one comes, so
 * that what lies between stays in the cache.
 *
 * Nodes of one shape (but for leading ones) are a pass over that shape; smaller shapes come first, and what larger ones
 * take of them is an array of its own, so nothing is computed more often than it has elements. All of size 1 is one
 * pass, whose values later ones have as constants. A pass is lowered to steps (lower.c): conversions and the very
 * kernels that the operations run one by one, over contiguous blocks; here they are run.
 * Invariant: an element of a result is made of the same kernels and conversions as one by one, wherever its block
 * begins. */
#include "fuse/blocked.h"

#include <string.h>

#include "backend/device.h"
#include "core/memory.h"
#include "cpu/bytes.h"
#include "cpu/threads.h"
#include "loop/loop.h"

/* --- where elements lie --- */

static char *position_of(const cpi_pass *p, const cpi_operand_access *a, const int64_t *index)
{
    return a->data + cpi_offset(p->ndim, index, a->strides);
}

/* n elements of an operand that walks the loop with no single stride, from `index` on, to a contiguous buffer. */
static void collect(const cpi_pass *p, const cpi_operand_access *a, const int64_t *from, char *buffer, int64_t n)
{
    int64_t index[CP_MAXDIM];
    const int last = p->ndim - 1, size = (int)cpi_itemsize(a->type);
    memcpy(index, from, (size_t)p->ndim * sizeof *index);
    while (n > 0) {
        int64_t length = p->shape[last], m = length - index[last], rows = 1;
        const char *at = position_of(p, a, index);
        if (m == length && last > 0) { /* whole rows, as far as the dimension outside goes */
            rows = p->shape[last - 1] - index[last - 1];
            if (rows > n / length) rows = n / length;
        }
        if (rows > 1) {
            p->move->gather_rows(buffer, at, a->strides[last - 1], rows, a->strides[last], length, size);
            m = rows * length;
            index[last - 1] += rows - 1;
        } else {
            if (m > n) m = n;
            p->move->gather(buffer, at, a->strides[last], m, size);
        }
        buffer += m * size;
        n -= m;
        if (n > 0) cpi_next_row(p->ndim, p->shape, index);
    }
}

/* The other way. */
static void distribute(const cpi_pass *p, const cpi_operand_access *a, const int64_t *from, const char *buffer,
                       int64_t n)
{
    int64_t index[CP_MAXDIM];
    const int last = p->ndim - 1, size = (int)cpi_itemsize(a->type);
    memcpy(index, from, (size_t)p->ndim * sizeof *index);
    while (n > 0) {
        int64_t m = p->shape[last] - index[last] < n ? p->shape[last] - index[last] : n;
        p->move->scatter(position_of(p, a, index), a->strides[last], buffer, m, size);
        buffer += m * size;
        n -= m;
        if (n > 0) cpi_next_row(p->ndim, p->shape, index);
    }
}

/* --- blocks --- */

static void run_step(const cpi_pass *p, const cpi_pass_step *s, void *const *at, int64_t n)
{
    void *op[CPI_STEP_OPERANDS];
    for (int k = 0; k < s->n; k++) op[k] = at[s->at[k]];
    if (s->one) n = 1;
    switch ((cpi_pass_step_kind)s->kind) {
    case CPI_STEP_KERNEL: s->does.kernel(op, n, s->scalars); break;
    case CPI_STEP_CONVERT: s->does.convert(op[0], op[1], n); break;
    case CPI_STEP_CHOOSE: s->does.choose(op[0], op[1], op[2], op[3], n, s->scalars); break;
    case CPI_STEP_SPREAD: p->move->gather(op[0], op[1], 0, n, s->size); break;
    case CPI_STEP_COPY: memcpy(op[0], op[1], (size_t)(n * s->size)); break;
    }
}

typedef struct {
    void *at[CPI_PASS_SLOTS];            /* where each slot is */
    char *here[CPI_PASS_ACCESSES];       /* where each access is */
    int64_t index[CP_MAXDIM];
    _Alignas(64) char buffers[CPI_PASS_BYTES];
    _Alignas(16) char ones[16 * CPI_PASS_SLOTS];
} worker;

/* n elements from where the accesses are. */
static void run_block(const cpi_pass *p, worker *w, int64_t n)
{
    for (int k = 0; k < p->naccesses; k++) {
        const cpi_operand_access *a = &p->accesses[k];
        switch ((cpi_pass_access_kind)a->kind) {
        case CPI_IN_PLACE: w->at[a->slot] = w->here[k]; break;
        case CPI_GATHERED:
            p->move->gather(w->at[a->slot], w->here[k], a->stride, n, (int)cpi_itemsize(a->type));
            break;
        case CPI_COLLECTED: collect(p, a, w->index, w->at[a->slot], n); break;
        case CPI_SCATTERED: case CPI_STREAMED: case CPI_DISTRIBUTED: break;
        }
    }
    for (int i = 0; i < p->nsteps; i++) run_step(p, &p->steps[i], w->at, n);
    for (int k = 0; k < p->ntargets; k++) {
        const cpi_operand_access *a = &p->accesses[k];
        const int size = (int)cpi_itemsize(a->type);
        if (a->kind == CPI_SCATTERED) p->move->scatter(w->here[k], a->stride, w->at[a->slot], n, size);
        else if (a->kind == CPI_STREAMED) p->move->stream(w->here[k], w->at[a->slot], n * size);
        else if (a->kind == CPI_DISTRIBUTED) distribute(p, a, w->index, w->at[a->slot], n);
    }
}

/* Blocks within rows: every access has one stride there. */
static void run_rows(const cpi_pass *p, worker *w, int64_t begin, int64_t end)
{
    const int last = p->ndim - 1;
    while (begin < end) {
        int64_t row = p->ndim ? p->shape[last] - w->index[last] : 1;
        if (row > end - begin) row = end - begin;
        for (int k = 0; k < p->naccesses; k++) w->here[k] = position_of(p, &p->accesses[k], w->index);
        begin += row;
        while (row > 0) {
            int64_t n = row < p->block ? row : p->block;
            run_block(p, w, n);
            for (int k = 0; k < p->naccesses; k++) w->here[k] += n * p->accesses[k].stride;
            row -= n;
        }
        if (begin < end) cpi_next_row(p->ndim, p->shape, w->index);
    }
}

/* Blocks across short rows. */
static void run_across(const cpi_pass *p, worker *w, int64_t begin, int64_t end)
{
    while (begin < end) {
        int64_t n = end - begin < p->block ? end - begin : p->block;
        for (int k = 0; k < p->naccesses; k++) {
            const cpi_operand_access *a = &p->accesses[k];
            w->here[k] = a->data + begin * a->stride; /* of those that have one stride */
        }
        run_block(p, w, n);
        begin += n;
        cpi_unravel(p->ndim, p->shape, begin, w->index);
    }
}

static void run_range(const cpi_pass *p, int64_t begin, int64_t end)
{
    worker w; /* not initialised: every part is written before it is read */
    for (int i = 0; i < p->nslots; i++) {
        const cpi_slot *s = &p->slots[i];
        w.at[i] = s->kind == CPI_SLOT_FIXED ? s->fixed
                : s->kind == CPI_SLOT_ONE   ? w.ones + 16 * s->place
                                            : w.buffers + s->place * p->buffer_bytes;
    }
    cpi_unravel(p->ndim, p->shape, begin, w.index);
    if (p->rows) run_rows(p, &w, begin, end);
    else run_across(p, &w, begin, end);
    for (int k = 0; k < p->ntargets; k++)
        if (p->accesses[k].kind == CPI_STREAMED) cpi_stream_done();
}

typedef struct { const cpi_pass *p; int64_t each; } share;

static void run_task(void *context, int64_t task, int who)
{
    const share *s = context;
    int64_t begin = task * s->each, end = begin + s->each;
    (void)who;
    run_range(s->p, begin, end < s->p->size ? end : s->p->size);
}

void cpi_run_pass(const cpi_pass *p)
{
    int64_t each, tasks = cpi_cut(p->size, p->grain, &each);
    if (tasks <= 1) run_range(p, 0, p->size);
    else cpi_parallel(tasks, run_task, &(share){p, each});
}

/* --- passes --- */

/* Which arrays a pass has to make for those of other shapes: nodes of its own that these take. */
static cp_code make_between(cpi_block_run *c, int group)
{
    const cpi_run *run = c->run;
    const cp_fusion *f = run->f;
    for (int i = 0; i < f->nnodes; i++) {
        const cpi_node_value *t = &run->terms[i];
        if (!t->uses || cpi_is_host(t->x) || run->shapes[t->shape].group == group) continue;
        for (int k = 0; k < f->nodes[i].nin; k++) {
            int j = f->nodes[i].in[k];
            const cpi_extents *s = &run->shapes[run->terms[j].shape];
            if (!cpi_is_computed(run, j) || s->group != group || s->size == 1 || c->between[j]) continue;
            c->between[j] = cpi_array_new("fused", run->device, run->terms[j].x->type, s->ndim, s->dim, 'C');
            if (!c->between[j]) return cp_error();
        }
    }
    return CP_OK;
}

/* Does the pass over the group leave anything behind? */
static bool is_wanted(const cpi_block_run *c, int group)
{
    const cpi_run *run = c->run;
    bool wanted = false;
    for (int i = 0; i < run->f->nnodes && !wanted; i++)
        wanted = run->terms[i].uses && run->shapes[run->terms[i].shape].group == group &&
                 (cpi_is_computed(run, i) || c->is_result[i]);
    return wanted;
}

static cp_code run_group(cpi_block_run *c, int group)
{
    cpi_pass p;
    if (!is_wanted(c, group)) return CP_OK;
    cp_code code = make_between(c, group);
    if (!code) code = cpi_lower(c, group, &p);
    if (!code) {
        cpi_run_pass(&p);
        c->last = p;
    }
    c->npasses++;
    return code;
}

/* Groups in the order of their sizes: what broadcasts to another shape is smaller. */
static cp_code run_groups(cpi_block_run *c)
{
    const cpi_run *run = c->run;
    cp_code code = CP_OK;
    int64_t done = 0; /* all sizes up to this one are computed */
    for (bool more = true; more && !code;) {
        int64_t next = INT64_MAX;
        more = false;
        for (int g = 0; g < run->nshapes; g++)
            if (run->shapes[g].group == g && run->shapes[g].size > done && run->shapes[g].size <= next)
                next = run->shapes[g].size, more = true;
        for (int g = 0; g < run->nshapes && more && !code; g++)
            if (run->shapes[g].group == g && run->shapes[g].size == next) code = run_group(c, g);
        done = next;
    }
    return code;
}

cp_code cpi_run_blocked(cpi_run *run, cp_array *const *operands, bool keep)
{
    const cp_fusion *f = run->f;
    _Alignas(16) char stack[CPI_PASS_STACK];
    const size_t n = (size_t)f->nnodes, bytes = cpi_lower_bytes(run);
    char *memory = bytes <= sizeof stack && !keep ? stack : cpi_malloc(bytes);
    if (!memory) return cp_error();
    cpi_block_run c = {.run = run, .memory = memory, .values = (void *)memory};
    c.between = (cp_array **)(void *)(memory + n * sizeof *c.values);
    c.value = (void *)(c.between + n);
    c.is_result = (bool *)(c.value + n);
    c.work = memory + (n * (sizeof *c.values + sizeof *c.between + sizeof *c.value + sizeof(bool)) + 63) / 64 * 64;
    memset(c.between, 0, n * sizeof *c.between);
    memset(c.is_result, 0, n);
    for (int k = 0; k < f->nresults; k++) c.is_result[f->results[k]] = true;
    cp_code code = run_groups(&c);
    for (int i = 0; i < f->nnodes; i++) cp_free(c.between[i]);
    if (keep && !code && c.npasses == 1 && cpi_keep(run, operands, &c.last, memory)) return CP_OK;
    if (memory != stack) cpi_free_host(memory);
    return code;
}
