/* cp_unique: the public function. Invariant: slots see elements, or rows, that lie one after the other; an axis is
 * brought to the front here and the result's back to its place. Results whose size is not known beforehand are made
 * in `sized`, which the slot calls once it has counted. */
#include "cuprite/sort.h"

#include "operands/operands.h"
#include "sort/sort.h"

typedef struct made {
    cpi_unique request; /* first: `sized` gets a pointer to it */
    cpi_device *device;
    int ndim;                 /* of values */
    int64_t shape[CP_MAXDIM]; /* of values, their count first */
    cp_array *values, *index, *counts, *inverse;
} made;

static cp_code sized(cpi_unique *request, int64_t count)
{
    made *m = (made *)request;
    m->shape[0] = count;
    m->values = cpi_array_new("unique", m->device, request->type, m->ndim, m->shape, 'C');
    if (!m->values) return cp_error();
    request->values = m->values->data;
    if (request->want_index) {
        m->index = cpi_array_new("unique", m->device, CP_INT64, 1, &count, 'C');
        if (!m->index) return cp_error();
        request->index = (int64_t *)m->index->data;
    }
    if (request->want_counts) {
        m->counts = cpi_array_new("unique", m->device, CP_INT64, 1, &count, 'C');
        if (!m->counts) return cp_error();
        request->counts = (int64_t *)m->counts->data;
    }
    return CP_OK;
}

/* No elements, so no slot: nothing at all, or n sub-arrays of nothing, which are all equal. */
static cp_code of_nothing(made *m, int64_t n)
{
    cp_code code = sized(&m->request, n ? 1 : 0);
    const cpi_backend *b = m->device->backend;
    cp_stream *stream = cpi_stream(m->device);
    if (code == CP_OK && n && m->index) code = b->zero(stream, m->index->data, sizeof n);
    if (code == CP_OK && n && m->counts) code = b->from_host(stream, m->counts->data, &n, sizeof n);
    if (code == CP_OK && n && m->inverse) code = b->zero(stream, m->inverse->data, (size_t)n * sizeof n);
    return code;
}

static cp_code from_elements(made *m, cp_array *x, bool want_inverse)
{
    cp_array *src = cpi_dense("unique", x, x->type, m->device);
    if (!src) return cp_error();
    cp_code code = CP_ERROR_MEMORY;
    cpi_unique *q = &m->request;
    m->ndim = 1;
    if (!want_inverse || (m->inverse = cpi_array_new("unique", m->device, CP_INT64, x->ndim, x->shape, 'C'))) {
        q->n = x->size;
        q->from = src->data;
        q->inverse = m->inverse ? (int64_t *)m->inverse->data : NULL;
        code = q->n ? m->device->backend->sort->unique(cpi_stream(m->device), q) : of_nothing(m, 0);
    }
    cp_free(src);
    return code;
}

/* x has its axis in front. Sub-arrays of one element are elements of which each NaN is its own. */
static cp_code from_rows(made *m, cp_array *x, bool want_inverse)
{
    cp_array *src = cpi_dense("unique", x, x->type, m->device);
    if (!src) return cp_error();
    cp_code code = CP_ERROR_MEMORY;
    cpi_unique *q = &m->request;
    m->ndim = x->ndim;
    for (int i = 1; i < x->ndim; i++) m->shape[i] = x->shape[i];
    if (!want_inverse || (m->inverse = cpi_array_new("unique", m->device, CP_INT64, 1, x->shape, 'C'))) {
        const cpi_sort_ops *ops = m->device->backend->sort;
        q->n = x->shape[0];
        q->width = x->size ? x->size / q->n : 0;
        q->from = src->data;
        q->distinct_nan = true;
        q->inverse = m->inverse ? (int64_t *)m->inverse->data : NULL;
        code = q->width == 0 ? of_nothing(m, q->n)
                             : (q->width == 1 ? ops->unique : ops->unique_rows)(cpi_stream(m->device), q);
    }
    cp_free(src);
    return code;
}

static cp_code along(made *m, cp_array *x, int axis, bool want_inverse)
{
    if (axis < 0) return from_elements(m, x, want_inverse);
    cp_array *moved = cpi_axis_moved(x, axis, 0);
    if (!moved) return cp_error();
    cp_code code = from_rows(m, moved, want_inverse);
    cp_free(moved);
    if (code != CP_OK || axis == 0) return code;
    cp_array *back = cpi_axis_moved(m->values, 0, axis);
    if (!back) return cp_error();
    cp_free(m->values);
    m->values = back;
    return CP_OK;
}

cp_array *(cp_unique)(cp_array *x, const cp_unique_options *options)
{
    cp_unique_options none = {0};
    int axis;
    if (!options) options = &none;
    if (options->index) *options->index = NULL;
    if (options->inverse) *options->inverse = NULL;
    if (options->counts) *options->counts = NULL;
    if (cpi_null("unique", x) || cpi_one_axis("unique", options->axis, x->ndim, &axis)) return NULL;
    if (x->ndim == 1) axis = -1; /* sub-arrays of one element are elements */
    made m = {.device = cpi_common_device("unique", 1, &x),
              .request = {.type = x->type,
                          .distinct_nan = options->distinct_nan,
                          .want_index = options->index,
                          .want_counts = options->counts,
                          .sized = sized}};
    if (!m.device || along(&m, x, axis, options->inverse) != CP_OK) {
        cp_free(m.values);
        cp_free(m.index);
        cp_free(m.counts);
        cp_free(m.inverse);
        return NULL;
    }
    if (options->index) *options->index = m.index;
    if (options->inverse) *options->inverse = m.inverse;
    if (options->counts) *options->counts = m.counts;
    return m.values;
}
