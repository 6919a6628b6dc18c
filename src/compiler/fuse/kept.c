/* The cached steps of a program's last run, for the next one. With the same types and numbers of operands, only
 * addresses and the number of elements differ, so that small arrays need no lookup of kernels.
 *
 * Only runs of one pass are cached. Where operands have one shape in C order, the steps serve any number of elements,
 * and outputs with the same layout. Else they serve operands of exactly these shapes and strides, and new results.
 * Invariant: a record belongs to one thread while it is used: it is taken out of the program, changed and put back. A
 * thread that finds none does all the work anew. */
#include <string.h>

#include "backend/device.h"
#include "core/memory.h"
#include "fuse/blocked.h"

/* What an operand was: an array, of which the type counts, or a host scalar, of which the value counts too. */
typedef struct { cp_type type; unsigned flags; _Alignas(16) unsigned char value[16]; } operand_kind;

typedef struct cpi_kept {
    cpi_device *device;
    cpi_pass pass;
    char *memory;       /* of the pass; owned */
    unsigned aliased;   /* results that go to an operand's own elements */
    int64_t *layout;    /* of operands that are arrays, and of results: dimensions and strides; NULL: flat */
    int64_t most;       /* capacity of results in these steps */
    operand_kind kinds[]; /* one per operand */
} cpi_kept;

void cpi_kept_free(cpi_kept *kept)
{
    if (!kept) return;
    cpi_free_host(kept->memory);
    cpi_free_host(kept->layout);
    cpi_free_host(kept);
}

static cpi_kept *exchange(const cp_fusion *f, cpi_kept *kept)
{
    return __atomic_exchange_n((cpi_kept **)(uintptr_t)&f->kept, kept, __ATOMIC_ACQ_REL);
}

/* The array whose shape all have; NULL where there is none, or they differ. */
static const cp_array *common(const cp_fusion *f, cp_array *const *operands)
{
    const cp_array *first = NULL;
    for (int i = 0; i < f->noperands; i++) {
        const cp_array *x = operands[i];
        if (!x) return NULL;
        if (cpi_is_host(x)) continue;
        if (x->size < 2 || !cp_is_c_contiguous(x)) return NULL;
        if (!first) first = x;
        else if (x->ndim != first->ndim || memcmp(x->shape, first->shape, (size_t)x->ndim * sizeof *x->shape))
            return NULL;
    }
    return first;
}

/* Do outputs have the operands' layout, and share memory with none, or all elements with an operand (*aliased)? Their
 * types are checked elsewhere. */
static bool take_outputs(const cp_fusion *f, cp_array *const *operands, const cp_fused_options *o,
                         const cp_array *first, unsigned *aliased)
{
    *aliased = 0;
    for (int k = 0; k < f->nresults; k++) {
        const cp_array *out = cpi_given(o, k);
        if (!out) continue;
        if (out->device != first->device || out->flags || !cp_is_c_contiguous(out) || out->ndim != first->ndim ||
            memcmp(out->shape, first->shape, (size_t)out->ndim * sizeof *out->shape))
            return false;
        for (int i = 0; i < f->noperands; i++) {
            if (cpi_is_host(operands[i]) || operands[i]->buffer != out->buffer) continue;
            if (!cpi_same_elements(out, operands[i]) || out->type != operands[i]->type) return false;
            *aliased |= 1u << k;
        }
        for (int q = 0; q < k; q++)
            if (cpi_given(o, q) && cpi_given(o, q)->buffer == out->buffer) return false;
    }
    return true;
}

/* Operands of several shapes or layouts, but no outputs. */
static bool is_laid_out(const cp_fusion *f, cp_array *const *operands, const cp_fused_options *o)
{
    bool any = false, given = false;
    for (int i = 0; i < f->noperands; i++) any |= operands[i] && !cpi_is_host(operands[i]);
    for (int k = 0; k < f->nresults; k++) given |= cpi_given(o, k) != NULL;
    return any && !given;
}

bool cpi_may_keep(const cpi_run *run, cp_array *const *operands, const cp_fused_options *o)
{
    const cp_fusion *f = run->f;
    const cp_array *first = run->warned ? NULL : common(f, operands);
    unsigned aliased;
    if (!first) return !run->warned && is_laid_out(f, operands, o);
    bool may = first && take_outputs(f, operands, o, first, &aliased) && aliased == run->aliased;
    for (int k = 0; k < f->nresults && may; k++) /* else casting rules would have to be checked */
        may = !cpi_given(o, k) || cpi_given(o, k)->type == run->terms[f->results[k]].x->type;
    return may;
}

static int64_t *write_layout(int64_t *at, const cp_array *x)
{
    *at++ = x->ndim;
    memcpy(at, x->shape, (size_t)x->ndim * sizeof *at);
    memcpy(at + x->ndim, x->strides, (size_t)x->ndim * sizeof *at);
    return at + 2 * x->ndim;
}

/* Where the next layout begins; NULL where x has another. */
static const int64_t *compare_layout(const int64_t *at, const cp_array *x)
{
    const size_t n = (size_t)x->ndim;
    if (*at++ != x->ndim || memcmp(at, x->shape, n * sizeof *at) || memcmp(at + n, x->strides, n * sizeof *at))
        return NULL;
    return at + 2 * n;
}

static int64_t *new_layout(const cpi_run *run, cp_array *const *operands)
{
    const cp_fusion *f = run->f;
    size_t n = 0;
    for (int i = 0; i < f->noperands; i++) n += cpi_is_host(operands[i]) ? 0 : 1 + 2 * (size_t)operands[i]->ndim;
    for (int k = 0; k < f->nresults; k++) n += 1 + 2 * (size_t)run->target[k]->ndim;
    int64_t *layout = cpi_malloc(n * sizeof *layout), *at = layout;
    for (int i = 0; i < f->noperands && at; i++)
        if (!cpi_is_host(operands[i])) at = write_layout(at, operands[i]);
    for (int k = 0; k < f->nresults && at; k++) at = write_layout(at, run->target[k]);
    return layout;
}

bool cpi_keep(const cpi_run *run, cp_array *const *operands, cpi_pass *p, char *memory)
{
    const cp_fusion *f = run->f;
    int64_t widest = 1;
    for (int k = 0; k < p->ntargets; k++) {
        int64_t size = cpi_itemsize(p->accesses[k].type);
        if (p->accesses[k].kind == CPI_STREAMED) return false;
        if (size > widest) widest = size;
    }
    const bool flat = common(f, operands) != NULL;
    if ((flat && p->ndim != 1) || p->ntargets != f->nresults) return false;
    for (int k = 0; k < f->nresults; k++) /* else of another shape: an empty one needed no steps */
        if (p->accesses[k].x != run->target[k]) return false;
    cpi_kept *kept = cpi_malloc(sizeof *kept + (size_t)f->noperands * sizeof *kept->kinds);
    int64_t *layout = kept && !flat ? new_layout(run, operands) : NULL;
    if (!kept || (!flat && !layout)) {
        cpi_free_host(kept);
        if (!run->standing) cp_error_clear(); /* the run has its results */
        return false;
    }
    for (int k = 0; k < p->naccesses; k++) p->accesses[k].offset = p->accesses[k].data - p->accesses[k].x->data;
    *kept = (cpi_kept){.device = run->device, .pass = *p, .memory = memory,
                         .layout = layout, .aliased = run->aliased, .most = (CPI_STREAM_BYTES - 1) / widest};
    for (int i = 0; i < f->noperands; i++) {
        kept->kinds[i].type = operands[i]->type;
        kept->kinds[i].flags = operands[i]->flags & (CPI_HOST_SCALAR | CPI_WEAK);
        memcpy(kept->kinds[i].value, operands[i]->value, sizeof kept->kinds[i].value);
    }
    cpi_kept_free(exchange(f, kept));
    return true;
}

static bool is_same(const cpi_kept *kept, const cp_fusion *f, cp_array *const *operands, const cp_array *first)
{
    const int64_t *at = kept->layout;
    if (at ? first != NULL : !first || first->size > kept->most) return false;
    for (int i = 0; i < f->noperands; i++) {
        const cp_array *x = operands[i];
        const operand_kind *kind = &kept->kinds[i];
        if (!x || x->type != kind->type || (x->flags & (CPI_HOST_SCALAR | CPI_WEAK)) != kind->flags) return false;
        if (cpi_is_host(x) ? memcmp(x->value, kind->value, cpi_itemsize(x->type)) != 0 : x->device != kept->device)
            return false;
        if (at && !cpi_is_host(x) && !(at = compare_layout(at, x))) return false;
    }
    return true;
}

/* A new result like the one before. */
static cp_array *result_like(const cpi_kept *kept, cp_type type, const int64_t **at)
{
    const int ndim = (int)**at;
    const int64_t *shape = *at + 1, *strides = shape + ndim;
    cp_array like = {.device = kept->device, .ndim = ndim, .strides = (int64_t *)strides};
    *at = strides + ndim;
    return cpi_array_like("fused", &like, type, ndim, shape);
}

static const int64_t *layout_of_results(const cpi_kept *kept, const cp_fusion *f, cp_array *const *operands)
{
    const int64_t *at = kept->layout;
    for (int i = 0; i < f->noperands && at; i++)
        if (!cpi_is_host(operands[i])) at += 1 + 2 * operands[i]->ndim;
    return at;
}

/* The pass for these operands; allocates their results. */
static cp_code point(cpi_kept *kept, const cp_fusion *f, cp_array *const *operands, const cp_array *first,
                     cp_array **results, const cp_fused_options *o)
{
    cpi_pass *p = &kept->pass;
    const int64_t *at = layout_of_results(kept, f, operands);
    for (int k = 0; k < p->naccesses; k++) {
        cpi_operand_access *a = &p->accesses[k];
        if (k < p->ntargets) {
            cp_array *out = cpi_given(o, k);
            if (out) cpi_array_used(out);
            results[k] = at    ? result_like(kept, a->type, &at)
                         : out ? cpi_again(out)
                             : cpi_array_new("fused", kept->device, a->type, first->ndim, first->shape, 'C');
            if (!results[k]) return cp_error();
            a->data = results[k]->data + a->offset;
        } else {
            const cp_array *x = operands[f->nodes[a->node].op];
            cpi_array_used(x);
            a->data = x->data + a->offset;
        }
    }
    for (int i = 0; i < p->nslots; i++) { /* operands of one element; other constants lie in the kept memory */
        cpi_slot *s = &p->slots[i];
        if (s->kind != CPI_SLOT_FIXED || s->node < 0) continue;
        const cp_array *x = operands[f->nodes[s->node].op];
        cpi_array_used(x);
        s->fixed = x->data;
    }
    if (!kept->layout) p->size = p->shape[0] = first->size;
    return CP_OK;
}

/* Outputs with the types and the relation to operands for which these steps were made. */
static bool outputs_fit(const cpi_kept *kept, const cp_fusion *f, cp_array *const *operands, const cp_fused_options *o,
                        const cp_array *first)
{
    unsigned aliased;
    if (kept->layout) return is_laid_out(f, operands, o);
    bool fit = take_outputs(f, operands, o, first, &aliased) && aliased == kept->aliased;
    for (int k = 0; k < f->nresults && fit; k++)
        fit = !cpi_given(o, k) || cpi_given(o, k)->type == kept->pass.accesses[k].type;
    return fit;
}

/* Whether results come later than the call: the steps were kept on the CPU, where a stream now captures. */
static bool is_deferred(const cp_fusion *f, cp_array *const *operands)
{
    int i = 0;
    while (i < f->noperands && (!operands[i] || cpi_is_host(operands[i]))) i++;
    return i < f->noperands && !operands[i]->device->backend->at_once;
}

bool cpi_kept_run(const cp_fusion *f, cp_array *const *operands, cp_array **results, const cp_fused_options *o,
                  cp_code *code)
{
    if (!__atomic_load_n(&f->kept, __ATOMIC_RELAXED) || is_deferred(f, operands)) return false;
    const cp_array *first = common(f, operands);
    cpi_kept *kept = exchange(f, NULL);
    if (!kept) return false;
    bool same = is_same(kept, f, operands, first) && outputs_fit(kept, f, operands, o, first);
    if (same) {
        for (int k = 0; k < f->nresults; k++) results[k] = NULL;
        *code = point(kept, f, operands, first, results, o);
        if (!*code) cpi_run_pass(&kept->pass);
        for (int k = 0; k < f->nresults && *code; k++) cp_free(results[k]), results[k] = NULL;
    }
    cpi_kept_free(exchange(f, kept));
    return same;
}
