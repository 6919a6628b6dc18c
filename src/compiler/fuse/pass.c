/* What a pass decides by itself: in which order its loop walks the axes, and which buffer each value has.
 *
 * Invariant: all operands are walked alike, so the order changes no element; a buffer is no other value's before the
 * last step that reads it. */
#include <string.h>

#include "fuse/blocked.h"
#include "loop/loop.h"

enum {
    ROW = 256, /* rows of so many elements are worth blocks of their own */
    FAILED = -1
};

/* --- the loop --- */

void cpi_make_loop(cpi_pass *p, const cpi_extents *s, int64_t *strides)
{
    int64_t *lists[CPI_PASS_ACCESSES], moved[CPI_PASS_ACCESSES];
    p->size = s->size;
    if (s->ndim) memcpy(p->shape, s->dim, (size_t)s->ndim * sizeof *p->shape);
    for (int k = 0; k < p->naccesses; k++) {
        cpi_operand_access *a = &p->accesses[k];
        const cp_array *x = a->x;
        lists[k] = a->strides = strides + k * s->ndim;
        moved[k] = 0;
        for (int d = 0; d < s->ndim; d++) {
            int at = d - (s->ndim - x->ndim); /* x may have leading ones more than s */
            a->strides[d] = at < 0 || x->shape[at] == 1 ? 0 : x->strides[at];
        }
    }
    cpi_loop_axes axes = {s->ndim, p->naccesses, p->shape, lists, moved};
    p->ndim = cpi_axes_coalesce(&axes, CPI_LOOP_REVERSE | CPI_LOOP_ORDER);
    for (int k = 0; k < p->naccesses; k++) p->accesses[k].data += moved[k];
    p->rows = p->ndim <= 1 || p->shape[p->ndim - 1] >= ROW;
}

/* --- buffers --- */

typedef struct { int free[CPI_PASS_SLOTS], nfree, made; } buffers;

static int take_buffer(buffers *b) { return b->nfree ? b->free[--b->nfree] : b->made++; }

/* May the step write where it reads: a kernel on elements of one size, of which it is the last reader? */
static int in_place(const cpi_pass *p, const cpi_pass_step *s, int index)
{
    const cpi_slot *out = &p->slots[s->at[0]];
    if (s->kind != CPI_STEP_KERNEL || s->nout != 1 || out->kind != CPI_SLOT_BUFFER) return FAILED;
    for (int k = 1; k < s->n; k++) {
        const cpi_slot *in = &p->slots[s->at[k]];
        if (in->kind == CPI_SLOT_BUFFER && in->last == index &&
            cpi_itemsize(in->type) == cpi_itemsize(out->type))
            return s->at[k];
    }
    return FAILED;
}

int cpi_assign_buffers(cpi_pass *p)
{
    buffers b = {.nfree = 0, .made = 0};
    int ones = 0;
    for (int i = 0; i < p->nslots; i++) {
        cpi_slot *s = &p->slots[i];
        if (s->kind == CPI_SLOT_ONE) s->place = ones++;
        else if (s->kind == CPI_SLOT_BUFFER && s->first < 0) s->place = take_buffer(&b); /* gathered */
    }
    for (int i = 0; i < p->nsteps; i++) {
        const cpi_pass_step *s = &p->steps[i];
        const int reused = in_place(p, s, i);
        for (int k = 0; k < s->nout; k++) {
            cpi_slot *out = &p->slots[s->at[k]];
            if (out->kind == CPI_SLOT_BUFFER) out->place = reused < 0 ? take_buffer(&b) : p->slots[reused].place;
        }
        for (int k = 0; k < s->n; k++) {
            const cpi_slot *in = &p->slots[s->at[k]];
            bool again = false; /* the same slot twice is freed once */
            for (int q = 0; q < k; q++) again |= s->at[q] == s->at[k];
            if (!again && in->kind == CPI_SLOT_BUFFER && in->last == i && s->at[k] != reused)
                b.free[b.nfree++] = in->place;
        }
    }
    return b.made;
}
