/* Binary morphology: images and masks as bytes, and the slot's call. */
#include <string.h>

#include "cuprite/elementwise.h"
#include "filters/call.h"

typedef struct binary_call {
    const char *name;
    bool dilate, border;
    int64_t iterations;
    cp_array *structure, *mask, *out;
    cp_shape origin;
} binary_call;

/* The structure's window; of a dilation the structure is turned round. `taps` are in the order of that window. */
static cp_code place(const binary_call *b, const cp_array *x, const cp_array *structure, int64_t *taps,
                     cpi_binary_filter *f)
{
    int64_t origin[CP_MAXDIM], centre = 0;
    if (structure->ndim != x->ndim)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: structure and input must have same dimensionality", b->name);
    if (structure->size < 1) return cpi_fail(CP_ERROR_RUNTIME, "%s: structure must not be empty", b->name);
    if (cpi_filter_per_axis(b->name, "origin", b->origin, x->ndim, 0, origin)) return cp_error();
    f->ndim = x->ndim ? x->ndim : 1;
    f->shape[0] = f->size[0] = 1, f->before[0] = 0;
    for (int d = 0; d < x->ndim; d++) {
        f->shape[d] = x->shape[d], f->size[d] = structure->shape[d];
        if (b->dilate) origin[d] = -origin[d] - !(f->size[d] & 1);
        if (cpi_filter_before(b->name, f->size[d], origin[d], &f->before[d])) return cp_error();
    }
    for (int d = 0; d < f->ndim; d++) centre = centre * f->size[d] + f->before[d];
    const int64_t n = f->ntaps;
    for (int64_t k = 0; b->dilate && k < n / 2; k++) {
        const int64_t t = taps[k];
        taps[k] = taps[n - 1 - k], taps[n - 1 - k] = t;
    }
    for (int64_t k = 0; k < n; k++) {
        if (b->dilate) taps[k] = structure->size - 1 - taps[k];
        if (taps[k] == centre) f->monotone = true;
    }
    return CP_OK;
}

/* A structure of no element: all of none are true, any of none is not. */
static cp_code run_without(const binary_call *b, cp_array *in, cp_array *mask, cp_array *to)
{
    cp_array *value = cp_int(!b->dilate);
    cp_code code = value ? cp_assign(to, value) : cp_error();
    if (!code && mask) {
        cp_array *kept = cp_where(mask, to, in);
        code = kept ? cp_assign(to, kept) : cp_error();
        cp_free(kept);
    }
    cp_free(value);
    return code;
}

static cp_array *run(const binary_call *b, cp_array *x, cp_array *structure, cpi_device *device)
{
    cpi_binary_filter f = {.iterations = b->iterations, .dilate = b->dilate, .border = b->border};
    cpi_output o = {.function = b->name, .device = device, .type = CP_BOOL, .ndim = x->ndim, .shape = x->shape,
                    .out = b->out, .casting = CP_UNSAFE, .dense = true};
    int64_t *taps = cpi_filter_taps(b->name, structure, &f.ntaps);
    f.taps = taps;
    if (!taps || place(b, x, structure, taps, &f)) return cpi_free_host(taps), NULL;
    if (cpi_output_open(&o, 2, (cp_array *const[]){x, b->mask})) return cpi_free_host(taps), NULL;
    cp_array *in = cpi_dense(b->name, x, CP_BOOL, device);
    cp_array *mask = b->mask ? cpi_dense(b->name, b->mask, CP_BOOL, device) : NULL;
    cp_code code = in && (mask || !b->mask) ? CP_OK : cp_error();
    if (!code && x->size && !f.ntaps) {
        code = run_without(b, in, mask, o.array);
    } else if (!code && x->size) {
        cpi_array_used(in);
        if (mask) cpi_array_used(mask);
        f.in = (const uint8_t *)in->data, f.out = (uint8_t *)o.array->data;
        f.mask = mask ? (const uint8_t *)mask->data : NULL;
        code = device->backend->filters->binary(cpi_stream(device), &f);
    }
    cp_free(mask);
    cp_free(in);
    cpi_free_host(taps);
    return cpi_output_close(&o, code);
}

/* The elements at a distance of 1 or less, a cross: an array in host memory, which `set` owns. */
static cp_array *cross(const char *name, int ndim, uint8_t **set)
{
    int64_t shape[CP_MAXDIM], size = 1;
    for (int d = 0; d < ndim; d++) shape[d] = 3, size *= ndim > 20 ? 1 : 3;
    if (ndim > 20) return cpi_fail(CP_ERROR_VALUE, "%s: no structure of %d dimensions", name, ndim), NULL;
    if (!(*set = cpi_malloc((size_t)size))) return NULL;
    memset(*set, 0, (size_t)size);
    (*set)[size / 2] = 1;
    for (int64_t step = 1; step < size; step *= 3) (*set)[size / 2 - step] = (*set)[size / 2 + step] = 1;
    return cp_from_memory(*set, CP_BOOL, (cp_shape){ndim, shape}, NULL, CP_CPU, NULL, NULL);
}

static cp_array *call(const binary_call *b, cp_array *x)
{
    if (cpi_null(b->name, x) || cpi_check_real(b->name, x) || (b->out && cpi_check_real(b->name, b->out))) return NULL;
    if (b->mask && !cpi_has_shape(b->mask, x->ndim, x->shape))
        return cpi_fail(CP_ERROR_RUNTIME, "%s: mask and input must have equal sizes", b->name), NULL;
    cp_array *all[3] = {x, b->mask, b->out};
    cpi_device *device = cpi_common_device(b->name, 3, all);
    uint8_t *set = NULL;
    cp_array *structure = !device ? NULL : b->structure ? cp_retain(b->structure) : cross(b->name, x->ndim, &set);
    cp_array *r = structure ? run(b, x, structure, device) : NULL;
    cp_free(structure);
    cpi_free_host(set);
    return r;
}

/*: function("binary_erosion", """input: array, structure: array | None, iterations: int64 = 1, mask: array = None,
             border_value: bool = False, origin: per_axis = None, out: out = None""", module="_filters",
             doc="Binary erosion, repeated; iterations below 1: until nothing changes. The structure is a cross by "
                 "default.") */
cp_array *(cp_binary_erosion)(cp_array *input, cp_array *structure, int64_t iterations,
                              const cp_binary_erosion_options *options)
{
    const cp_binary_erosion_options *o = CPI_GIVEN(cp_binary_erosion_options, options);
    return call(&(binary_call){"binary_erosion", false, o->border_value, iterations, structure, o->mask, o->out,
                               o->origin}, input);
}

/*: function("binary_dilation", """input: array, structure: array | None, iterations: int64 = 1, mask: array = None,
             border_value: bool = False, origin: per_axis = None, out: out = None""", module="_filters",
             doc="Binary dilation, repeated; iterations below 1: until nothing changes. The structure is a cross by "
                 "default.") */
cp_array *(cp_binary_dilation)(cp_array *input, cp_array *structure, int64_t iterations,
                               const cp_binary_dilation_options *options)
{
    const cp_binary_dilation_options *o = CPI_GIVEN(cp_binary_dilation_options, options);
    return call(&(binary_call){"binary_dilation", true, o->border_value, iterations, structure, o->mask, o->out,
                               o->origin}, input);
}
