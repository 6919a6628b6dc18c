/* Indexing by integer arrays, the common part: from arrays and their strides to the slots' records.
 *
 * Axes of length 1 are dropped, axes that can be traversed as one are joined, and contiguous runs of the rest become
 * one long element. Invariant: if there are still too many axes for a record, the array is first copied into C order
 * with the indexed axes first, and then has few. */
#include "index/indexing.h"

#include <string.h>

#include "backend/array.h"
#include "loop/loop.h"
#include "move/move.h"

cp_code cpi_indexing_open(cpi_indexing *p, const char *function, cp_array *x, cpi_device *device)
{
    p->function = function, p->failure = NULL, p->device = device, p->x = NULL;
    p->nindices = p->ndim = p->at = 0, p->along = -1, p->careless = false;
    if (!device || !(p->x = cpi_in_memory(function, x, device))) return cp_error();
    return CP_OK;
}

void cpi_indexing_close(cpi_indexing *p)
{
    for (int k = 0; k < p->nindices; k++) cp_free(p->axis_index[k].index);
    cp_free(p->x);
}

cp_code cpi_indexing_widen(cpi_indexing *p, int ndim, const int64_t *shape)
{
    char have[160], more[160];
    int nd = ndim > p->ndim ? ndim : p->ndim;
    int64_t wide[CP_MAXDIM];
    for (int d = 0; d < nd; d++) {
        int i = d - (nd - p->ndim), k = d - (nd - ndim);
        int64_t a = i < 0 ? 1 : p->shape[i], b = k < 0 ? 1 : shape[k];
        if (a != b && a != 1 && b != 1)
            return cpi_fail(CP_ERROR_INDEX, "%s: shape mismatch: indexing arrays could not be broadcast together with "
                            "shapes %s %s", p->function, cpi_shape_string(p->ndim, p->shape, have, sizeof have),
                            cpi_shape_string(ndim, shape, more, sizeof more));
        wide[d] = a == 1 ? b : a;
    }
    /* each array has int64 sizes; their broadcast shape is checked in 64 bits too */
    int64_t indices;
    if (cpi_shape_size(p->function, nd, wide, sizeof indices, &indices)) return cp_error();
    p->ndim = nd;
    memcpy(p->shape, wide, (size_t)nd * sizeof *wide);
    return CP_OK;
}

cp_code cpi_indexing_add(cpi_indexing *p, cp_array *index, int axis, int reported, cpi_index_mode mode)
{
    char kind = cp_type_kind(index->type);
    if (kind != 'i' && kind != 'u')
        return cpi_fail(CP_ERROR_INDEX, "%s: arrays used as indices must be of integer (or boolean) type", p->function);
    if (cpi_indexing_widen(p, index->ndim, index->shape)) return cp_error();
    bool fits = index->type == CP_INT64 && !(index->flags & CPI_HOST_SCALAR);
    for (int d = 0; d < index->ndim && fits; d++) fits = index->strides[d] % 8 == 0;
    cpi_array_used(index);
    cp_array *own = fits ? cp_retain(index) : cpi_dense(p->function, index, CP_INT64, p->device);
    if (!own) return cp_error();
    p->axis_index[p->nindices].index = own, p->axis_index[p->nindices].axis = axis,
    p->axis_index[p->nindices].reported = reported;
    p->axis_index[p->nindices++].mode = mode;
    return CP_OK;
}

static bool is_indexed(const cpi_indexing *p, int axis)
{
    for (int k = 0; k < p->nindices; k++)
        if (p->axis_index[k].axis == axis) return true;
    return p->along >= 0;
}

cp_code cpi_indexing_shape(const cpi_indexing *p, int *ndim, int64_t *shape)
{
    int nd = 0, rest = 0;
    int64_t wide[2 * CP_MAXDIM];
    for (int i = 0; i <= p->x->ndim; i++) {
        if (rest == p->at && (i == p->x->ndim || !is_indexed(p, i))) {
            memcpy(wide + nd, p->shape, (size_t)p->ndim * sizeof *wide);
            nd += p->ndim, rest = -1; /* once */
        }
        if (i == p->x->ndim || is_indexed(p, i)) continue;
        wide[nd++] = p->x->shape[i];
        rest += rest >= 0;
    }
    if (nd > CP_MAXDIM)
        return cpi_fail(CP_ERROR_INDEX, "%s: the result would have %d dimensions, at most %d are possible", p->function,
                        nd, CP_MAXDIM);
    *ndim = nd;
    memcpy(shape, wide, (size_t)nd * sizeof *shape);
    return CP_OK;
}

/* --- records --- */

static int64_t index_step(const cp_array *index, int ndim, int d)
{
    int i = d - (ndim - index->ndim);
    return i < 0 || index->shape[i] == 1 ? 0 : index->strides[i] / 8;
}

/* The index's axes; false where they are too many. result NULL: only indices matter. */
static bool lay_index(const cpi_indexing *p, const cp_array *result, cpi_gather *g)
{
    int64_t shape[CP_MAXDIM], step[2 + CP_MAXDIM][CP_MAXDIM], *lists[2 + CP_MAXDIM]; /* array, result, indices */
    int n = 0; /* axes of more than one element */
    for (int d = 0; d < p->ndim; d++) {
        if (p->shape[d] == 1) continue;
        shape[n] = p->shape[d], step[0][n] = 0, step[1][n] = result ? result->strides[p->at + d] : 0;
        if (p->along >= 0 && p->x->shape[d + p->along] != 1) step[0][n] = p->x->strides[d + p->along];
        for (int k = 0; k < p->nindices; k++) {
            if (p->axis_index[k].axis == d + p->along) step[0][n] = 0;
            step[2 + k][n] = index_step(p->axis_index[k].index, p->ndim, d);
        }
        n++;
    }
    if (n > 1) {
        for (int k = 0; k < 2 + p->nindices; k++) lists[k] = step[k];
        n = cpi_axes_coalesce(&(cpi_loop_axes){n, 2 + p->nindices, shape, lists, NULL}, 0);
        if (n > CPI_GATHER_DIMS) return false;
    }
    g->ndim = n;
    if (!g->ndim) { /* a single position as one axis */
        g->ndim = 1, shape[0] = 1;
        for (int k = 0; k < 2 + p->nindices; k++) step[k][0] = 0;
    }
    for (int d = 0; d < g->ndim; d++) {
        g->shape[d] = shape[d], g->array_step[d] = step[0][d], g->values_step[d] = step[1][d];
        for (int k = 0; k < p->nindices; k++) g->axis_index[k].step[d] = step[2 + k][d];
    }
    return true;
}

static bool lay_rest(const cpi_indexing *p, const cp_array *result, cpi_gather *g)
{
    int64_t shape[CP_MAXDIM], step[2][CP_MAXDIM];
    int n = 0, at = 0; /* axes of the rest; of the result */
    for (int i = 0; i < p->x->ndim; i++) {
        if (is_indexed(p, i)) continue;
        if (at == p->at) at += p->ndim;
        if (p->x->shape[i] != 1)
            shape[n] = p->x->shape[i], step[0][n] = p->x->strides[i], step[1][n++] = result->strides[at];
        at++;
    }
    cpi_loop_axes axes = {n, 2, shape, (int64_t *const[]){step[0], step[1]}, NULL};
    if (n > 1) n = cpi_axes_coalesce(&axes, 0);
    if (n > CPI_GATHER_DIMS) return false;
    g->rest = n, g->bytes = cpi_itemsize(p->x->type);
    for (int d = 0; d < n; d++)
        g->rest_shape[d] = shape[d], g->rest_array_step[d] = step[0][d], g->rest_values_step[d] = step[1][d];
    if (n && g->rest_array_step[n - 1] == g->bytes && g->rest_values_step[n - 1] == g->bytes)
        g->bytes *= g->rest_shape[n - 1], g->rest--;
    return true;
}

static void order_indices(const cpi_indexing *p, cpi_gather *g)
{
    g->function = p->function, g->failure = p->failure, g->nindices = p->nindices;
    g->array = g->result = p->x->data, g->rest = 0, g->bytes = 1;
    for (int k = 0; k < p->nindices; k++) {
        cpi_axis_index *to = &g->axis_index[k];
        to->at = (const int64_t *)p->axis_index[k].index->data;
        to->extent = p->x->shape[p->axis_index[k].axis], to->stride = p->x->strides[p->axis_index[k].axis];
        to->axis = p->axis_index[k].reported, to->mode = p->axis_index[k].mode;
    }
}

static bool lay(const cpi_indexing *p, const cp_array *result, cpi_gather *g)
{
    order_indices(p, g);
    g->result = result->data;
    return lay_index(p, result, g) && lay_rest(p, result, g);
}

/* --- running --- */

typedef cp_code (*slot)(cp_stream *, const cpi_gather *);

/* Nothing moves, but indices are checked. result NULL: of an index without axes. */
static cp_code only_check(const cpi_indexing *p, const cp_array *result)
{
    cpi_gather g;
    cp_stream *stream = cpi_stream(p->device);
    order_indices(p, &g);
    if (!lay_index(p, result, &g)) return CP_OK;
    int64_t *to = cpi_work_alloc(stream, (size_t)cpi_gather_count(&g) * sizeof *to);
    if (!to) return cp_error();
    cp_code code = p->device->backend->index->offsets(stream, &g, to);
    cpi_work_free(stream, to);
    return code;
}

/* x with its indexed axes first, in C order: a copy. *back: the transpose that undoes it. */
static cp_array *axes_first(const cpi_indexing *p, int *back)
{
    int order[CP_MAXDIM], n = 0;
    for (int i = 0; i < p->x->ndim; i++)
        if (is_indexed(p, i)) order[n++] = i;
    for (int i = 0; i < p->x->ndim; i++)
        if (!is_indexed(p, i)) order[n++] = i;
    for (int i = 0; i < n; i++) back[order[i]] = i;
    cp_array *view = cp_transpose(p->x, (cp_axes){n, order}), *copy = view ? cp_copy(view) : NULL;
    cp_array *r = copy ? cp_transpose(copy, (cp_axes){n, back}) : NULL;
    cp_free(view), cp_free(copy);
    return r;
}

/* The same with everything in C order. */
static cp_code run_dense(const cpi_indexing *p, cp_array *result, bool put, slot run)
{
    int back[CP_MAXDIM];
    cpi_indexing q = *p;
    cpi_gather g;
    cp_code code = CP_OK;
    cp_array *flat = put ? cpi_dense(p->function, result, result->type, p->device) : cp_retain(result);
    q.x = axes_first(p, back);
    for (int k = 0; k < p->nindices; k++) {
        q.axis_index[k].index =
            cpi_dense_shaped(p->function, p->axis_index[k].index, CP_INT64, p->device, p->ndim, p->shape);
        if (!q.axis_index[k].index) code = cp_error();
    }
    if (!q.x || !flat) code = cp_error();
    if (!code && !lay(&q, flat, &g))
        code = cpi_fail(CP_ERROR_INDEX, "%s: the index has too many axes of its own", p->function);
    if (!code) code = run(cpi_stream(p->device), &g);
    if (!code && put) code = cp_assign(p->x, q.x);
    cp_free(flat);
    cpi_indexing_close(&q);
    return code;
}

/* Index arrays with one element are checked even where the others have none, as in NumPy. */
static cp_code check_numbers(const cpi_indexing *p)
{
    cpi_indexing q = *p;
    q.ndim = q.nindices = 0, q.along = -1;
    for (int k = 0; k < p->nindices; k++)
        if (!p->axis_index[k].index->ndim) q.axis_index[q.nindices++] = p->axis_index[k];
    return q.nindices ? only_check(&q, NULL) : CP_OK;
}

static cp_code apply_indices(const cpi_indexing *p, cp_array *result, bool put)
{
    cpi_gather g;
    int64_t indices = 1;
    for (int d = 0; d < p->ndim; d++) indices *= p->shape[d];
    if (!indices) return check_numbers(p);
    if (!result->size) return p->careless ? CP_OK : only_check(p, result);
    const cpi_index_ops *ops = p->device->backend->index;
    slot move = put ? ops->scatter : ops->gather;
    return lay(p, result, &g) ? move(cpi_stream(p->device), &g) : run_dense(p, result, put, move);
}

cp_array *cpi_indexing_get(const cpi_indexing *p, cp_array *out, cp_casting casting)
{
    int ndim;
    int64_t shape[CP_MAXDIM];
    cp_array *inputs[CP_MAXDIM + 1];
    if (cpi_indexing_shape(p, &ndim, shape)) return NULL;
    cpi_output o = {.function = p->function, .device = p->device, .type = p->x->type, .ndim = ndim, .shape = shape,
                    .out = out, .casting = casting, .dense = true};
    inputs[0] = p->x;
    for (int k = 0; k < p->nindices; k++) inputs[k + 1] = p->axis_index[k].index;
    /* a wrong index must not leave half a result in out */
    if (cpi_output_open(&o, p->nindices + 1, inputs)) return NULL;
    if (out && o.array == out && cpi_output_separate(&o)) return cpi_output_close(&o, cp_error());
    return cpi_output_close(&o, apply_indices(p, o.array, false));
}

cp_code cpi_indexing_set(const cpi_indexing *p, cp_array *value)
{
    char have[160], want[160];
    int ndim;
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
    if (cpi_check_writable(p->function, p->x) || cpi_indexing_shape(p, &ndim, shape)) return cp_error();
    cp_array *v = cpi_in_memory(p->function, value, p->device), *own = NULL, *view = NULL;
    while (v && v->ndim > ndim && v->shape[0] == 1) { /* leading axes of length 1 are allowed */
        cp_array *less = cp_reshape(v, (cp_shape){v->ndim - 1, v->shape + 1});
        cp_free(v);
        v = less;
    }
    if (!v) return cp_error();
    cpi_indexing q = *p;
    cp_code code = CP_OK;
    for (int k = 0; k < p->nindices; k++) q.axis_index[k].index = NULL;
    if (!cpi_broadcast_strides(v, ndim, shape, strides))
        code = cpi_fail(CP_ERROR_VALUE, "%s: shape mismatch: value array of shape %s could not be broadcast to "
                        "indexing result of shape %s", p->function,
                        cpi_shape_string(value->ndim, value->shape, have, sizeof have),
                        cpi_shape_string(ndim, shape, want, sizeof want));
    else if (v->type != p->x->type) own = cpi_dense(p->function, v, p->x->type, p->device);
    else own = cpi_may_overlap(v, p->x) ? cp_copy(v) : cp_retain(v);
    if (!code && !own) code = cp_error();
    for (int k = 0; k < p->nindices && !code; k++) {
        cp_array *index = p->axis_index[k].index;
        q.axis_index[k].index = cpi_may_overlap(index, p->x) ? cp_copy(index) : cp_retain(index);
        if (!q.axis_index[k].index) code = cp_error();
    }
    if (!code) {
        cpi_broadcast_strides(own, ndim, shape, strides);
        view = cpi_array_view(own, own->type, ndim, shape, strides, own->data);
        code = view ? apply_indices(&q, view, true) : cp_error();
    }
    for (int k = 0; k < p->nindices; k++) cp_free(q.axis_index[k].index);
    cp_free(view), cp_free(own), cp_free(v);
    return code;
}

/* The offsets, or with axes the coordinates of their numbers; `to` has capacity for all. */
static cp_code list_offsets(const cpi_indexing *p, const cpi_numbered *axes, int64_t *to)
{
    cpi_gather g;
    cpi_indexing q = *p;
    cp_code code = CP_OK;
    const cpi_index_ops *ops = p->device->backend->index;
    for (int k = 0; k < p->nindices; k++) q.axis_index[k].index = NULL;
    order_indices(p, &g);
    if (!lay_index(p, NULL, &g)) { /* too many axes: in C order they are one */
        for (int k = 0; k < p->nindices && !code; k++) {
            q.axis_index[k].index =
                cpi_dense_shaped(p->function, p->axis_index[k].index, CP_INT64, p->device, p->ndim, p->shape);
            if (!q.axis_index[k].index) code = cp_error();
        }
        if (!code) order_indices(&q, &g), lay_index(&q, NULL, &g);
    }
    cp_stream *stream = cpi_stream(p->device);
    if (!code) code = axes ? ops->unravel(stream, &g, axes, to) : ops->offsets(stream, &g, to);
    for (int k = 0; k < p->nindices; k++) cp_free(q.axis_index[k].index);
    return code;
}

cp_array *cpi_indexing_offsets(const cpi_indexing *p)
{
    cp_array *r = cpi_array_new(p->function, p->device, CP_INT64, p->ndim, p->shape, 'C');
    if (!r || !r->size) return r;
    return list_offsets(p, NULL, (int64_t *)r->data) ? cp_free(r), NULL : r;
}

cp_array *cpi_indexing_unravel(const cpi_indexing *p, const cpi_numbered *axes)
{
    int64_t shape[CP_MAXDIM + 1] = {axes->ndim}, count = 1;
    for (int d = 0; d < p->ndim; d++) count *= shape[d + 1] = p->shape[d];
    cp_array *r = cpi_array_new(p->function, p->device, CP_INT64, p->ndim + 1, shape, 'C');
    if (!r || !count) return r;
    return list_offsets(p, axes, (int64_t *)r->data) ? cp_free(r), NULL : r;
}

cp_array *cpi_counting(const char *function, cpi_device *device, int64_t n)
{
    cp_array *r = cpi_array_new(function, device, CP_INT64, 1, &n, 'C');
    cp_code code = r && n ? device->backend->move->ramp_int(cpi_stream(device), r->data, CP_INT64, n, 0, 1) : CP_OK;
    return code ? cp_free(r), NULL : r;
}
