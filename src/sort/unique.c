/* cp_unique: the public function. Results whose size is not known beforehand are made in `sized`, which the
 * slot calls once it has counted. */
#include "backend/device.h"
#include "core/array.h"
#include "core/error.h"
#include "cuprite/sort.h"
#include "sort/sort.h"

typedef struct made {
    cpi_unique request; /* first: `sized` gets a pointer to it */
    cpi_device *device;
    cp_array *values, *index, *counts, *inverse;
} made;

static cp_code sized(cpi_unique *request, int64_t count)
{
    made *m = (made *)request;
    m->values = cpi_array_new("unique", m->device, request->type, 1, &count, 'C');
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

cp_array *cp_unique(cp_array *x, const cp_unique_options *options)
{
    cp_unique_options none = {0};
    if (!options) options = &none;
    if (options->index) *options->index = NULL;
    if (options->inverse) *options->inverse = NULL;
    if (options->counts) *options->counts = NULL;
    if (cpi_null("unique", x)) return NULL;
    made m = {.request = {.type = x->type,
                          .n = x->size,
                          .distinct_nan = options->distinct_nan,
                          .want_index = options->index,
                          .want_counts = options->counts,
                          .sized = sized}};
    cp_code code = CP_ERROR_MEMORY;
    cp_array *src = cpi_as_contiguous("unique", x, x->type);
    if (src) m.device = src->device;
    if (src &&
        (!options->inverse || (m.inverse = cpi_array_new("unique", m.device, CP_INT64, x->ndim, x->shape, 'C')))) {
        m.request.from = src->data;
        m.request.inverse = m.inverse ? (int64_t *)m.inverse->data : NULL;
        code = x->size == 0 ? sized(&m.request, 0) : m.device->backend->sort->unique(cpi_stream(m.device), &m.request);
    }
    cp_free(src);
    if (code != CP_OK) {
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
