/* The axes of a loop kernel's call: broadcasting, reduced axes, outputs, and fewer axes where the operands allow it. */
#include "loop.h"
#include "loop/loop.h"
#include "rows.h"

#include <string.h>

static bool fail(PyObject *type, const char *text) { return PyErr_SetString(type, text), false; }

static PyObject *shape_string(const cp_array *x) { return cpy_tuple(cp_ndim(x), cp_dims(x)); }

static bool cannot_meet(const loop_call *c)
{
    PyObject *text = PyUnicode_FromString("operands could not be broadcast together with shapes");
    for (int i = 0; text && i < loop_operands(c->k); i++) {
        if (!loop_steps(c, i)) continue;
        PyObject *shape = shape_string(c->x[i]);
        PyObject *more = shape ? PyUnicode_FromFormat("%U %R", text, shape) : NULL;
        Py_XDECREF(shape);
        Py_SETREF(text, more);
    }
    if (text) PyErr_SetObject(PyExc_ValueError, text);
    Py_XDECREF(text);
    return false;
}

/* The strides of operand i along the axes of the loop, of which its own are the last ones. */
static void follow(loop_call *c, int i)
{
    const cp_array *x = c->x[i];
    int skip = c->ndim - cp_ndim(x);
    for (int d = 0; d < c->ndim; d++) {
        bool moves = d >= skip && cp_dims(x)[d - skip] != 1;
        c->stride[i][d] = moves ? cp_strides(x)[d - skip] : 0;
    }
}

bool loop_broadcast(loop_call *c)
{
    const int n = c->k->reduction ? c->k->nin : loop_operands(c->k);
    int steps = 0;
    c->ndim = 0;
    for (int i = 0; i < n; i++) {
        if (!loop_steps(c, i)) continue;
        steps++;
        if (cp_ndim(c->x[i]) > c->ndim) c->ndim = cp_ndim(c->x[i]);
    }
    if (c->size >= 0 && steps)
        return fail(PyExc_ValueError, "Specified 'size' can be used only if all of the ndarray are 'raw'.");
    if (c->size < 0 && !steps) return fail(PyExc_ValueError, "Loop size is undecided");
    if (c->size >= 0) c->ndim = 1;
    for (int d = 0; d < c->ndim; d++) c->shape[d] = c->size >= 0 ? c->size : 1;
    for (int i = 0; i < n; i++) {
        if (!loop_steps(c, i)) continue;
        const cp_array *x = c->x[i];
        for (int d = 0, at = c->ndim - cp_ndim(x); d < cp_ndim(x); d++, at++) {
            int64_t extent = cp_dims(x)[d];
            if (extent == 1 || extent == c->shape[at]) continue;
            if (c->shape[at] != 1) return cannot_meet(c);
            c->shape[at] = extent;
        }
    }
    for (int i = 0; i < n; i++)
        if (loop_steps(c, i)) follow(c, i);
    c->nkept = c->ndim;
    c->reduced = 1;
    c->kept = 1;
    for (int d = 0; d < c->ndim; d++) c->kept *= c->shape[d];
    return true;
}

static bool take_axis(PyObject *o, int ndim, bool *reduced)
{
    int axis;
    if (!cpy_index_axis(o, &axis)) return false;
    int at = axis < 0 ? axis + ndim : axis;
    if (at < 0 || at >= ndim) return cpy_raise_axis(axis, ndim), false;
    if (reduced[at]) return fail(PyExc_ValueError, "duplicate value in 'axis'");
    return reduced[at] = true;
}

static bool take_axes(const loop_call *c, bool *reduced)
{
    bool all = !cpy_given(c->axis);
    for (int d = 0; d < c->ndim; d++) reduced[d] = all;
    if (all) return true;
    if (!PyTuple_Check(c->axis)) return take_axis(c->axis, c->ndim, reduced);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(c->axis); i++)
        if (!take_axis(PyTuple_GET_ITEM(c->axis, i), c->ndim, reduced)) return false;
    return true;
}

/* The shape of the result, with axes of extent 1 where others were reduced and keepdims asks for them. */
static bool check_given(const loop_call *c, const int64_t *dims, int n)
{
    for (int i = c->k->nin; i < loop_operands(c->k); i++) {
        const cp_array *x = c->x[i];
        if (!x || c->k->raw[i]) continue;
        if (cp_ndim(x) != n || memcmp(cp_dims(x), dims, (size_t)n * sizeof *dims) != 0)
            return fail(PyExc_ValueError, "Out shape is mismatched");
    }
    return true;
}

static int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

/* The order of axes in memory, the farthest first, that operations' results have where all operands lie in it; false
 * where they do not, and results would depend on which operation comes first. */
static bool common_order(const loop_call *c, int n, int *order)
{
    const int64_t *first = NULL;
    for (int i = 0; i < c->k->nin && !first; i++)
        if (loop_steps(c, i) && cp_ndim(c->x[i]) == n && c->stride[i][0]) first = c->stride[i];
    for (int d = 0; d < n; d++) {
        int at = d;
        for (; first && at > 0; at--) { /* an axis that has no length stays where it is */
            int64_t before = magnitude(first[order[at - 1]]);
            if (!before || before >= magnitude(first[d])) break;
            order[at] = order[at - 1];
        }
        order[at] = d;
    }
    for (int i = 0; i < loop_operands(c->k); i++) { /* of outputs those that are given */
        int64_t before = INT64_MAX;
        if (!loop_steps(c, i) || (i < c->k->nin && !cp_ndim(c->x[i]))) continue; /* one element has no order */
        if (i >= c->k->nin && cp_ndim(c->x[i]) != n) return false;
        const int64_t *stride = i < c->k->nin ? c->stride[i] : cp_strides(c->x[i]);
        for (int k = 0; k < n; k++) {
            int64_t step = c->shape[order[k]] == 1 ? 0 : magnitude(stride[order[k]]);
            if (!step && c->shape[order[k]] > 1 && order[k] != k) return false;
            if (!step) continue; /* it is repeated, or has no length */
            if (step > before) return false;
            before = step;
        }
    }
    return true;
}

/* Whether an input repeats elements along an axis of its own, which a copy of it would have innermost. */
static bool repeats(const loop_call *c)
{
    for (int i = 0; i < c->k->nin; i++) {
        const cp_array *x = c->x[i];
        for (int d = 0; x && d < cp_ndim(x); d++)
            if (!cp_strides(x)[d] && cp_dims(x)[d] > 1) return true;
    }
    return false;
}

static cp_array *new_output(const loop_call *c, int i, const int64_t *dims, int n, const int *order)
{
    int64_t reversed[CP_MAXDIM];
    int back[CP_MAXDIM];
    bool plain = true;
    for (int d = 0; d < n; d++) {
        reversed[d] = dims[order[d]];
        back[order[d]] = d;
        plain = plain && order[d] == d;
    }
    cp_shape shape = {n, plain ? dims : reversed};
    cp_array *x = c->prepare ? cp_from_memory(LOOP_NOWHERE, c->s->types[i], shape, NULL, c->s->device, NULL, NULL)
                             : CPY_MADE(cp_empty(shape, c->s->types[i]));
    if (plain || !x) return x;
    cp_array *r = cp_transpose(x, (cp_axes){n, back});
    cpy_free(x);
    return r;
}

static bool make_outputs(loop_call *c, const int64_t *dims, int n)
{
    int order[CP_MAXDIM];
    for (int d = 0; d < n; d++) order[d] = d;
    bool fresh = false;
    for (int i = c->k->nin; i < loop_operands(c->k); i++) fresh = fresh || !c->x[i];
    if (fresh && c->k->may_wait && n > 1 && ((c->k->copies && repeats(c)) || !common_order(c, n, order)))
        return c->declined = true, false;
    for (int i = c->k->nin; i < loop_operands(c->k); i++) {
        if (c->x[i]) continue;
        if (c->k->raw[i] && c->size < 0) return fail(PyExc_ValueError, "Output array size is Undecided");
        if (c->prepare) {
            c->x[i] = new_output(c, i, dims, n, order);
            if (!c->x[i]) return cpy_raise(), false;
            continue;
        }
        PyObject *o = cpy_wrap(new_output(c, i, dims, n, order));
        if (!o) return false;
        c->made[i] = c->o[i] = o;
        c->x[i] = cpy_hold(o);
    }
    for (int i = c->k->nin; i < loop_operands(c->k); i++)
        if (!cp_is_writable(c->x[i])) return fail(PyExc_ValueError, "output array is read-only");
    return true;
}

bool loop_reduce(loop_call *c)
{
    bool reduced[CP_MAXDIM] = {false};
    int64_t dims[CP_MAXDIM];
    int order[CP_MAXDIM], n = 0, kept = 0, before = c->ndim;
    if (!take_axes(c, reduced)) return false;
    for (int d = 0; d < before; d++) {
        if (!reduced[d] || c->keepdims) dims[n++] = reduced[d] ? 1 : c->shape[d];
        if (!reduced[d]) order[kept++] = d;
    }
    c->nkept = kept;
    for (int d = 0; d < before; d++)
        if (reduced[d]) order[kept++] = d;
    if (!check_given(c, dims, n) || !make_outputs(c, dims, n)) return false;
    int64_t shape[CP_MAXDIM], stride[CP_MAXDIM];
    memcpy(shape, c->shape, sizeof shape);
    for (int d = 0; d < before; d++) c->shape[d] = shape[order[d]];
    for (int i = 0; i < c->k->nin; i++) {
        if (!loop_steps(c, i)) continue;
        memcpy(stride, c->stride[i], sizeof stride);
        for (int d = 0; d < before; d++) c->stride[i][d] = stride[order[d]];
    }
    c->kept = c->reduced = 1;
    for (int d = 0; d < before; d++) *(d < c->nkept ? &c->kept : &c->reduced) *= c->shape[d];
    if (c->reduced || !c->kept || c->k->has_identity) return true;
    PyErr_Format(PyExc_ValueError, "zero-size array to reduction operation %U which has no identity", c->k->name);
    return false;
}

/* The strides of a reduction's output along the axes that are kept. */
static void follow_kept(loop_call *c, int i)
{
    const cp_array *x = c->x[i];
    const int64_t *strides = cp_strides(x), *dims = cp_dims(x);
    bool reduced[CP_MAXDIM] = {false};
    take_axes(c, reduced); /* of the same number of axes as before */
    for (int d = 0, at = 0, from = 0; d < c->ndim; d++) {
        if (!reduced[d]) c->stride[i][at++] = dims[from] == 1 ? 0 : strides[from];
        if (!reduced[d] || c->keepdims) from++;
    }
    for (int d = c->nkept; d < c->ndim; d++) c->stride[i][d] = 0;
}

bool loop_outputs(loop_call *c)
{
    const loop_kernel *k = c->k;
    if (!k->reduction && (!check_given(c, c->shape, c->ndim) || !make_outputs(c, c->shape, c->ndim))) return false;
    for (int i = k->nin; i < loop_operands(k); i++) {
        if (!loop_steps(c, i)) continue;
        if (k->reduction) follow_kept(c, i);
        else follow(c, i);
    }
    return true;
}

/* Axes first .. first + n - 1 become as few as the operands allow; returns their number. */
static int coalesce_group(loop_call *c, int first, int n)
{
    int64_t *strides[MOST_OPERANDS];
    int moving = 0;
    for (int i = 0; i < loop_operands(c->k); i++)
        if (loop_steps(c, i)) strides[moving++] = c->stride[i] + first;
    cpi_loop_axes axes = {n, moving, c->shape + first, strides, NULL};
    return c->k->reduce_dims ? cpi_axes_coalesce(&axes, 0) : n;
}

/* n axes from `first` on go to `to`; where there are none, an axis of one place goes there. Returns how many. */
static int move_group(loop_call *c, int first, int n, int to)
{
    memmove(c->shape + to, c->shape + first, (size_t)n * sizeof *c->shape);
    if (!n) c->shape[to] = 1;
    for (int i = 0; i < loop_operands(c->k); i++) {
        memmove(c->stride[i] + to, c->stride[i] + first, (size_t)n * sizeof **c->stride);
        if (!n) c->stride[i][to] = 0;
    }
    return n ? n : 1;
}

void loop_collapse(loop_call *c)
{
    const int first = c->k->reduction ? c->nkept : c->ndim, kept = coalesce_group(c, 0, first);
    int reduced = 0;
    if (c->k->reduction) { /* before anything is written where it lies */
        reduced = coalesce_group(c, first, c->ndim - first);
        reduced = move_group(c, first, reduced, kept ? kept : 1);
    }
    c->nkept = move_group(c, 0, kept, 0);
    c->ndim = c->nkept + reduced;
}
