/* Watersheds by the image foresting transform, on the host: markers flood the image, where water that flows between two
 * elements rises by the difference of their values (Felkel, Bruckschwaiger and Wegenkittl, 2001; SciPy's order). */
#include "geometry/parts.h"

#include <stdlib.h>
#include <string.h>

typedef struct element { int32_t before, behind, cost; bool done; } element; /* in the queue of its cost; -1: none */

typedef struct flood {
    int ndim;
    const int64_t *shape;
    int64_t size;
    const uint16_t *value;
    int64_t *label;
    element *all;
    int32_t *first, *last; /* of the queue for each cost */
    int neighbours;
    const int8_t *steps;
} flood;

static void enqueue(flood *w, int32_t i, int cost)
{
    element *e = w->all + i;
    e->cost = cost;
    if (w->label[i] < 0) { /* background is processed after objects */
        e->before = w->last[cost], e->behind = -1;
        if (e->before >= 0) w->all[e->before].behind = i;
        else w->first[cost] = i;
        w->last[cost] = i;
        return;
    }
    e->before = -1, e->behind = w->first[cost];
    if (e->behind >= 0) w->all[e->behind].before = i;
    else w->last[cost] = i;
    w->first[cost] = i;
}

static void dequeue(flood *w, int32_t i)
{
    element *e = w->all + i;
    if (e->before >= 0) w->all[e->before].behind = e->behind;
    else w->first[e->cost] = e->behind;
    if (e->behind >= 0) w->all[e->behind].before = e->before;
    else w->last[e->cost] = e->before;
}

static void visit(flood *w, int32_t from, int32_t to, int unreached)
{
    element *e = w->all + to;
    if (e->done) return;
    const int rise = abs(w->value[from] - w->value[to]), cost = rise > w->all[from].cost ? rise : w->all[from].cost;
    if (cost >= e->cost) return;
    if (e->cost < unreached) dequeue(w, to);
    w->label[to] = w->label[from];
    enqueue(w, to, cost);
}

static void run(flood *w, int most)
{
    for (int64_t i = 0; i < w->size; i++) {
        w->all[i] = (element){-1, -1, most + 1, false};
        if (w->label[i]) enqueue(w, (int32_t)i, 0);
    }
    for (int cost = 0; cost <= most; cost++)
        while (w->first[cost] >= 0) {
            const int32_t i = w->first[cost];
            int64_t at[CP_MAXDIM], rest = i;
            dequeue(w, i);
            w->all[i].done = true;
            for (int d = w->ndim - 1; d >= 0; rest /= w->shape[d], d--) at[d] = rest % w->shape[d];
            for (int k = 0; k < w->neighbours; k++) {
                int64_t offset = 0;
                bool inside = true;
                for (int d = 0; d < w->ndim && inside; d++) {
                    const int step = w->steps[k * w->ndim + d];
                    inside = at[d] + step >= 0 && at[d] + step < w->shape[d];
                    offset = offset * w->shape[d] + step;
                }
                if (inside) visit(w, i, (int32_t)(i + offset), most + 1);
            }
        }
}

/* The steps to the set elements of a structure of 3^ndim, but its centre; NULL with the error. `structure` NULL: a
 * cross. */
static int8_t *read_steps(cp_array *structure, int ndim, int *n)
{
    int64_t size = 1;
    for (int d = 0; d < ndim; d++) size *= 3;
    int8_t *steps = cpi_malloc((size_t)(size * (ndim + 1)));
    uint8_t *set = steps ? (uint8_t *)(steps + size * ndim) : NULL;
    if (!steps) return NULL;
    cp_array *plain = structure ? cp_contiguous(cp_astype(structure, CP_BOOL)) : NULL;
    if (structure && (!plain || cp_to_host(plain, set, (size_t)size))) return cpi_free_host(steps), NULL;
    *n = 0;
    for (int64_t i = 0; i < size; i++) {
        int64_t rest = i;
        int moved = 0;
        for (int d = ndim - 1; d >= 0; d--, rest /= 3) {
            steps[*n * ndim + d] = (int8_t)(rest % 3 - 1);
            moved += rest % 3 != 1;
        }
        if (structure ? set[i] && moved : moved == 1) ++*n;
    }
    return steps;
}

/* The greatest value; the queues are those of 0 to it. */
static int greatest(const uint16_t *value, int64_t n)
{
    int most = 0;
    for (int64_t i = 0; i < n; i++) most = value[i] > most ? value[i] : most;
    return most;
}

static cp_code flood_all(cp_array *values, cp_array *labels, flood *w)
{
    uint16_t *value = cpi_malloc(sizeof *value * (size_t)(w->size + 1));
    w->value = value;
    w->all = value ? cpi_malloc(sizeof *w->all * (size_t)(w->size + 1)) : NULL;
    w->first = w->all ? cpi_malloc(sizeof *w->first * 2 * 65536) : NULL;
    cp_code code = w->first ? CP_OK : CP_ERROR_MEMORY;
    if (!code) code = cp_to_host(values, value, sizeof *value * (size_t)w->size);
    if (!code) code = cp_to_host(labels, w->label, sizeof *w->label * (size_t)w->size);
    if (!code) {
        w->last = w->first + 65536;
        memset(w->first, -1, sizeof *w->first * 2 * 65536);
        run(w, greatest(value, w->size));
    }
    cpi_free_host(value), cpi_free_host(w->all), cpi_free_host(w->first);
    return code;
}

static cp_code check(const char *name, const cp_array *x, const cp_array *markers, const cp_array *structure,
                     const cp_array *out)
{
    if (x->type != CP_UINT8 && x->type != CP_UINT16)
        return cpi_fail(CP_ERROR_TYPE, "%s: only 8 and 16 unsigned inputs are supported", name);
    if (structure && structure->ndim != x->ndim)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: structure and input must have equal rank", name);
    for (int d = 0; structure && d < x->ndim; d++)
        if (structure->shape[d] != 3)
            return cpi_fail(CP_ERROR_RUNTIME, "%s: structure dimensions must be equal to 3", name);
    if (!cpi_has_shape(markers, x->ndim, x->shape))
        return cpi_fail(CP_ERROR_RUNTIME, "%s: input and markers must have equal shape", name);
    if (!cpi_is_int(markers->type) || !cpi_is_signed(markers->type))
        return cpi_fail(CP_ERROR_RUNTIME, "%s: marker should be of integer type", name);
    if (out && (!cpi_is_int(out->type) || !cpi_is_signed(out->type)))
        return cpi_fail(CP_ERROR_RUNTIME, "%s: output should be of integer type", name);
    if (out && !cpi_has_shape(out, x->ndim, x->shape))
        return cpi_fail(CP_ERROR_RUNTIME, "%s: output shape not correct", name);
    if (x->size > INT32_MAX) return cpi_fail(CP_ERROR_VALUE, "%s: more than 2^31 - 1 elements", name);
    return CP_OK;
}

/*: function("watershed_ift", "input: array, markers: array, structure: array = None, out: out = None",
             module="_geometry", unlock="always",
             raises={"TypeError": "an input of other than uint8 or uint16",
                     "RuntimeError": "markers or an output of other than signed integers or of another shape, a "
                                     "structure "
                     "that is not 3 along every axis of the input"},
             doc="""Every element gets the label of a marker: markers' elements (not 0) flood the input from the lowest
passes on, those below 0 after the others. `structure`: 3 along every axis, not 0 where neighbours connect (None: a
cross). Computed on the host: waits.""") */
cp_array *(cp_watershed_ift)(cp_array *input, cp_array *markers, const cp_watershed_ift_options *options)
{
    const cp_watershed_ift_options *o = CPI_GIVEN(cp_watershed_ift_options, options);
    const char *name = "watershed_ift";
    cpi_composite f;
    if (cpi_null(name, markers) || !cpi_begin(&f, name, input)) return NULL;
    if (check(name, input, markers, o->structure, o->out)) return cpi_end(&f, NULL);
    cp_array *values = cp_contiguous(cp_astype(input, CP_UINT16)), *r = NULL;
    cp_array *labels = cp_contiguous(cp_astype(markers, CP_INT64));
    flood w = {.ndim = input->ndim, .shape = input->shape, .size = input->size};
    int8_t *steps = values && labels ? read_steps(o->structure, input->ndim, &w.neighbours) : NULL;
    w.steps = steps;
    w.label = steps ? cpi_malloc(sizeof *w.label * (size_t)(w.size + 1)) : NULL;
    if (w.label && !flood_all(values, labels, &w))
        r = cp_from_host(w.label, CP_INT64, (cp_shape){w.ndim, w.shape}, NULL);
    cpi_free_host(w.label), cpi_free_host(steps);
    if (r) r = cp_astype(r, o->out ? o->out->type : markers->type);
    if (r && o->out && cp_assign(o->out, r)) r = NULL;
    return cpi_end(&f, r && o->out ? cpi_again(o->out) : r);
}
