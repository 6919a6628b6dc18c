/* reduce, accumulate and reduceat of ufuncs on the CPU, and ufunc.at.
 *
 * The elements of a slice are joined in their order. Adjacent slices are joined together, with one kernel call for
 * each element index. A single slice runs the kernel on one element after the other. Invariant: a slice's result
 * depends on its elements only. */
#include "elementwise/accumulate_list.h"

#include <string.h>

#include "cpu/threads.h"
#include "elementwise/loops.h"
#include "move/kernels.h"

enum {
    SIDE = 512,         /* slices joined together */
    FEW = 4,            /* fewer slices are joined one by one */
    GRAIN = 1 << 15     /* elements per task */
};

typedef struct {
    const cpi_ufunc_reduction *c;
    const cpi_kernels *set;
    const cpi_move_kernels *move;
    cpi_kernel kernel;
    cpi_link slice;          /* the loop of one slice, where there is one */
    int64_t block, per_task; /* slices of a block, blocks of a task */
    int size;                /* bytes of an element in the kernel's type */
} job;

/* The slices of a block: the offset of each from the pointers of the ufunc reduction. */
typedef struct {
    int n;
    int64_t x[SIDE], out[SIDE], where[SIDE];
    bool even;                  /* x and out are evenly spaced: */
    int64_t x_step, out_step;
} side;

typedef struct {
    _Alignas(64) char r[SIDE * 16], next[SIDE * 16], row[SIDE * 16], raw[SIDE * 16];
} buffers;

/* The loops made from the operation's body; none where a hand-written kernel replaces them, so that a result has one
 * value. */
static cpi_links links_of(const cpi_kernels *set, int op, cp_type type)
{
    bool hand_written = set->mathematics[type] && set->mathematics[type][op];
    return hand_written ? (cpi_links){NULL, NULL} : cpi_links_of[type][op];
}

static bool evenly(const int64_t *at, int n, int64_t *step)
{
    *step = n > 1 ? at[1] - at[0] : 0;
    bool even = true;
    for (int i = 2; i < n; i++) even &= at[i] - at[i - 1] == *step;
    return even;
}

static void find_side(const cpi_ufunc_reduction *c, int64_t begin, int64_t n, side *s)
{
    const int64_t *const strides[3] = {c->x_step, c->out_step, c->where_step};
    int64_t index[CP_MAXDIM], offset[3];
    cpi_unravel(c->ndim, c->shape, begin, index);
    for (int k = 0; k < 3; k++) offset[k] = cpi_offset(c->ndim, index, strides[k]);
    s->n = (int)n;
    for (int64_t i = 0; i < n; i++) {
        s->x[i] = offset[0], s->out[i] = offset[1], s->where[i] = offset[2];
        cpi_next_offsets(c->ndim, c->shape, index, 3, strides, offset);
    }
    s->even = evenly(s->x, s->n, &s->x_step);
    s->even &= evenly(s->out, s->n, &s->out_step);
}

/* --- adjacent slices --- */

static void take_elements(const cpi_move_kernels *move, void *to, const char *x, const int64_t *at, const side *s,
                          bool even, int64_t step, int size)
{
    if (even) {
        move->gather(to, x + at[0], step, s->n, size);
        return;
    }
    for (int i = 0; i < s->n; i++) memcpy((char *)to + i * size, x + at[i], (size_t)size);
}

/* The elements of all slices at one index, in the kernel's type: in `to`, or in place. */
static const void *row_of(const job *j, const side *s, const char *x, void *to, buffers *b)
{
    const cpi_ufunc_reduction *c = j->c;
    const bool same = c->held == c->type;
    const int size = (int)cpi_itemsize(c->held);
    if (same && s->even && s->x_step == size) return x + s->x[0];
    take_elements(j->move, same ? to : b->raw, x, s->x, s, s->even, s->x_step, size);
    if (!same) j->move->convert[c->held][c->type](to, b->raw, s->n);
    return to;
}

/* Rounds r to the `held` type. The rounded values lie in b->raw, or are r itself. */
static const void *held(const job *j, const side *s, void *r, buffers *b)
{
    const cpi_ufunc_reduction *c = j->c;
    if (c->held == c->type) return r;
    j->move->convert[c->type][c->held](b->raw, r, s->n);
    j->move->convert[c->held][c->type](r, b->raw, s->n);
    return b->raw;
}

static void give(const job *j, const side *s, const void *values, char *out)
{
    const int size = (int)cpi_itemsize(j->c->held);
    if (s->even) {
        j->move->scatter(out + s->out[0], s->out_step, values, s->n, size);
        return;
    }
    for (int i = 0; i < s->n; i++) memcpy(out + s->out[i], (const char *)values + i * size, (size_t)size);
}

/* Slices whose mask is true at the element take their new value. */
static void let_pass(const job *j, const side *s, int64_t k, void *r, const void *next)
{
    const cpi_ufunc_reduction *c = j->c;
    for (int i = 0; i < s->n; i++)
        if (c->where[s->where[i] + k * c->where_along])
            memcpy((char *)r + i * j->size, (const char *)next + i * j->size, (size_t)j->size);
}

static void join_side(const job *j, const side *s, buffers *b)
{
    const cpi_ufunc_reduction *c = j->c;
    int64_t k = 0;
    if (c->started) {
        take_elements(j->move, c->held == c->type ? b->r : b->raw, c->out, s->out, s, s->even, s->out_step,
                      (int)cpi_itemsize(c->held));
        if (c->held != c->type) j->move->convert[c->held][c->type](b->r, b->raw, s->n);
    } else {
        const void *row = row_of(j, s, c->x, b->row, b);
        memcpy(b->r, row, (size_t)(s->n * j->size));
        if (c->every) give(j, s, held(j, s, b->r, b), c->out);
        k = 1;
    }
    for (; k < c->n; k++) {
        const void *row = row_of(j, s, c->x + k * c->x_along, b->row, b);
        void *to = c->where ? b->next : b->r;
        j->kernel((void *[]){to, b->r, (void *)row}, s->n, 0);
        if (c->where) let_pass(j, s, k, b->r, to);
        const void *values = held(j, s, b->r, b);
        if (c->every) give(j, s, values, c->out + k * c->out_along);
    }
    if (!c->every) give(j, s, held(j, s, b->r, b), c->out);
}

/* --- one slice --- */

/* Rounds to the `held` type, back in r. */
static void round_one(const job *j, void *r, void *as_held)
{
    const cpi_ufunc_reduction *c = j->c;
    j->move->convert[c->type][c->held](as_held, r, 1);
    j->move->convert[c->held][c->type](r, as_held, 1);
}

static void load_one(const job *j, void *r, const char *x)
{
    const cpi_ufunc_reduction *c = j->c;
    if (c->held == c->type) memcpy(r, x, (size_t)j->size);
    else j->move->convert[c->held][c->type](r, x, 1);
}

static void join_lane(const job *j, const char *x, char *out, const uint8_t *where, int64_t n)
{
    const cpi_ufunc_reduction *c = j->c;
    const bool same = c->held == c->type;
    const size_t size = (size_t)cpi_itemsize(c->held);
    _Alignas(16) char r[16], value[16], as_held[16];
    int64_t k = 0;
    if (c->started) {
        load_one(j, r, out);
    } else {
        load_one(j, r, x);
        if (c->every) memcpy(out, x, size);
        k = 1;
    }
    for (; k < n; k++) {
        if (where && !where[k * c->where_along]) continue;
        const char *at = x + k * c->x_along;
        if (!same) load_one(j, value, at);
        j->kernel((void *[]){r, r, same ? (void *)at : value}, 1, 0);
        if (!same) round_one(j, r, as_held);
        if (c->every) memcpy(out + k * c->out_along, same ? r : as_held, size);
    }
    if (c->every) return;
    if (!same) round_one(j, r, as_held);
    memcpy(out, same ? r : as_held, size);
}

/* One element, of a size known to the compiler: a call would cost a short slice more than its elements do. */
static inline void copy_one(void *to, const void *from, int size)
{
    switch (size) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, 16);
    }
}

/* The same with the loop that was made for the operation. */
static void join_quickly(const job *j, const char *x, char *out, int64_t n)
{
    const cpi_ufunc_reduction *c = j->c;
    _Alignas(16) char r[16];
    copy_one(r, c->started ? out : x, j->size);
    if (c->every) copy_one(out, r, j->size);
    const int64_t k = c->started ? 0 : 1;
    j->slice(r, x + k * c->x_along, c->x_along, n - k, c->every ? out + k * c->out_along : NULL, c->out_along);
    if (!c->every) copy_one(out, r, j->size);
}

static void join_one_by_one(const job *j, const side *s, int64_t begin)
{
    const cpi_ufunc_reduction *c = j->c;
    for (int i = 0; i < s->n; i++) {
        const char *x = c->x + s->x[i];
        int64_t n = c->n;
        if (c->first) {
            int64_t position = (begin + i) % c->shape[c->ndim - 1];
            x += c->first[position] * c->x_along;
            n = c->last[position] - c->first[position];
        }
        if (j->slice) join_quickly(j, x, c->out + s->out[i], n);
        else join_lane(j, x, c->out + s->out[i], c->where ? c->where + s->where[i] : NULL, n);
    }
}

/* --- */

static void task(void *context, int64_t number, int worker)
{
    const job *j = context;
    const cpi_ufunc_reduction *c = j->c;
    int64_t at = number * j->per_task * j->block, end = at + j->per_task * j->block;
    side s;
    buffers b;
    (void)worker;
    if (end > c->slices) end = c->slices;
    for (; at < end; at += j->block) {
        find_side(c, at, end - at < j->block ? end - at : j->block, &s);
        const bool rows = s.even && s.x_step == j->size; /* adjacent slices are neighbours in memory: vectors */
        if (c->first || s.n < FEW || (j->slice && !rows)) join_one_by_one(j, &s, at);
        else join_side(j, &s, &b);
    }
}

/* Slices whose elements are neighbours are joined in as many vectors as stay in the L1 cache, others in wide rows. */
static int64_t block_of(const cpi_ufunc_reduction *c)
{
    int64_t size = cpi_itemsize(c->held);
    return c->ndim && c->x_step[c->ndim - 1] == size ? SIDE : 64;
}

cp_code cpi_elementwise_cpu_accumulate(cp_stream *stream, const cpi_ufunc_reduction *c)
{
    job j = {.c = c, .set = cpi_kernels_best(), .move = cpi_move_kernels_best(), .size = (int)cpi_itemsize(c->type),
             .block = block_of(c)};
    (void)stream;
    j.kernel = cpi_kernel_of(j.set, c->op, c->type);
    if (!j.kernel) return cpi_fail(CP_ERROR_INTERNAL, "%s: no kernel for %s", cpi_op_rows[c->op].name,
                                   cp_type_name(c->type));
    if (!c->where && c->held == c->type) j.slice = links_of(j.set, c->op, c->type).slice;
    if (!c->slices || (!c->n && !c->first)) return CP_OK;
    int64_t length = c->first ? 64 : c->n, blocks = (c->slices + j.block - 1) / j.block;
    j.per_task = (GRAIN + j.block * length - 1) / (j.block * length);
    cpi_parallel((blocks + j.per_task - 1) / j.per_task, task, &j);
    return CP_OK;
}

/* --- indices of ufunc.at --- */

typedef struct {
    const cpi_indexed *p;
    int64_t each, wrong; /* wrong: an index out of range; INT64_MIN while there is none */
} check;

static void check_task(void *context, int64_t number, int worker)
{
    check *k = context;
    const cpi_indexed *p = k->p;
    int64_t at = number * k->each, end = at + k->each < p->n ? at + k->each : p->n;
    bool out = false;
    (void)worker;
    for (int64_t i = at; i < end; i++) out |= (uint64_t)p->position[i] + (uint64_t)p->x_n >= 2 * (uint64_t)p->x_n;
    for (; out && at < end; at++)
        if (p->position[at] < -p->x_n || p->position[at] >= p->x_n)
            __atomic_store_n(&k->wrong, p->position[at], __ATOMIC_RELAXED);
}

/* Checked before anything is written. */
static cp_code check_indices(const cpi_indexed *p)
{
    check k = {.p = p, .wrong = INT64_MIN};
    int64_t tasks = cpi_cut(p->n, GRAIN, &k.each);
    cpi_parallel(tasks, check_task, &k);
    if (k.wrong == INT64_MIN) return CP_OK;
    return cpi_fail(CP_ERROR_INDEX, "%s: index %lld is out of bounds for axis 0 with size %lld",
                    cpi_op_rows[p->op].name, (long long)k.wrong, (long long)p->x_n);
}

cp_code cpi_elementwise_cpu_at(cp_stream *stream, const cpi_indexed *p)
{
    const cpi_kernels *set = cpi_kernels_best();
    const cpi_move_kernels *move = cpi_move_kernels_best();
    const cpi_op_row *row = &cpi_op_rows[p->op];
    const cpi_kernel f = cpi_kernel_of(set, p->op, p->type);
    const cp_type in = cpi_in_type(row, 0, p->type), out = cpi_out_type(row, 0, p->type);
    _Alignas(16) char value[16], result[16];
    (void)stream;
    if (!f) return cpi_fail(CP_ERROR_INTERNAL, "%s: no kernel for %s", row->name, cp_type_name(p->type));
    cp_code code = check_indices(p);
    if (code) return code;
    const cpi_link_at quickly = p->x_type == p->type ? links_of(set, p->op, p->type).at : NULL;
    if (quickly) {
        quickly(p->x, p->x_n, p->position, p->n, p->v, p->v_step);
        return CP_OK;
    }
    for (int64_t i = 0; i < p->n; i++) {
        char *x = p->x + (p->position[i] + (p->position[i] < 0 ? p->x_n : 0)) * p->x_size;
        void *op[] = {x, x, (void *)(p->v ? p->v + i * p->v_step : NULL)};
        if (p->x_type != in) move->convert[p->x_type][in](op[1] = value, x, 1);
        if (p->x_type != out) op[0] = result;
        f(op, 1, 0);
        if (p->x_type != out) move->convert[out][p->x_type](x, result, 1);
    }
    return CP_OK;
}
