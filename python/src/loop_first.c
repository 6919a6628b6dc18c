/* Calls of an ElementwiseKernel before its kernel is compiled: the engine of fused expressions runs what the operation
 * was translated to (python/cuprite/_compiler/c_source.py), into the outputs that the call has made or was given.
 *
 * A kernel takes its elements one after the other, the engine operations one after the other: so nothing that is
 * written may be read behind that, and each output has an element of its own for each of the loop. */
#include "loop.h"

#include <string.h>

enum { MOST_RESULTS = 16 };

static int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

/* The memory between the first element and behind the last. */
static void bounds(const cp_array *x, intptr_t *low, intptr_t *high)
{
    *low = *high = (intptr_t)cp_data((cp_array *)x);
    for (int d = 0; d < cp_ndim(x); d++) {
        int64_t reach = (cp_dims(x)[d] - 1) * cp_strides(x)[d];
        *(reach < 0 ? low : high) += reach;
    }
    *high += (intptr_t)cp_type_size(cp_type_of(x));
}

bool loop_overlap(const cp_array *x, const cp_array *y)
{
    intptr_t low, high, from, to;
    if (!cp_size(x) || !cp_size(y)) return false;
    bounds(x, &low, &high);
    bounds(y, &from, &to);
    return from < high && low < to;
}

static bool are_same_elements(const cp_array *x, const cp_array *y)
{
    const size_t n = (size_t)cp_ndim(x) * sizeof(int64_t);
    return cp_data((cp_array *)x) == cp_data((cp_array *)y) && cp_type_of(x) == cp_type_of(y) &&
           cp_ndim(x) == cp_ndim(y) && (!n || (!memcmp(cp_dims(x), cp_dims(y), n) &&
                                               !memcmp(cp_strides(x), cp_strides(y), n)));
}

/* Has each element memory of its own? By axes from the nearest on, each beyond those before. */
static bool is_injective(const cp_array *x)
{
    bool done[CP_MAXDIM] = {false};
    int64_t reach = (int64_t)cp_type_size(cp_type_of(x));
    for (int k = 0; k < cp_ndim(x); k++) {
        int next = -1;
        for (int d = 0; d < cp_ndim(x); d++)
            if (!done[d] && (next < 0 || magnitude(cp_strides(x)[d]) < magnitude(cp_strides(x)[next]))) next = d;
        done[next] = true;
        if (cp_dims(x)[next] == 1) continue;
        if (magnitude(cp_strides(x)[next]) < reach) return false;
        reach += magnitude(cp_strides(x)[next]) * (cp_dims(x)[next] - 1);
    }
    return true;
}

static bool may_write(const loop_call *c, int i)
{
    const cp_array *out = c->x[i];
    if (cp_size(out) != c->kept) return false;
    if (c->made[i]) return true;
    for (int k = 0; k < loop_operands(c->k); k++) {
        if (k == i || !c->x[k] || !loop_overlap(out, c->x[k])) continue;
        if (c->s->no_alias || k >= c->k->nin || !are_same_elements(out, c->x[k])) return false;
    }
    return is_injective(out);
}

/* The number as a host scalar of the parameter's type, which is not weak. */
static cp_array *typed_number(const loop_call *c, int i) { return CPY_MADE(cp_scalar(c->s->types[i], &c->value[i])); }

bool loop_first(loop_call *c)
{
    const int nin = c->k->nin, nout = c->k->nout;
    const cp_fusion *f = cpy_fusion_of(c->s->engine);
    cp_array *in[MOST_OPERANDS] = {NULL}, *results[MOST_RESULTS];
    bool done = f && nout <= MOST_RESULTS;
    for (int i = nin; i < nin + nout && done; i++) done = may_write(c, i);
    for (int i = 0; i < nin && done; i++) done = (in[i] = c->x[i] ? c->x[i] : typed_number(c, i)) != NULL;
    if (done) {
        const cp_fused_options options = {.outs = c->x + nin};
        CPY_UNLOCKED(done = (cp_fusion_run)(f, in, results, &options) == CP_OK);
        for (int k = 0; k < nout && done; k++) cpy_free(results[k]);
    }
    for (int i = 0; i < nin; i++)
        if (in[i] && !c->x[i]) cpy_free(in[i]);
    if (!done) cp_error_clear(); /* what is wrong the kernel's call tells */
    return done;
}
