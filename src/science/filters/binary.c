/* Binary morphology: images and masks as bytes, and the slot's call. */
#include <string.h>

#include "filters/steps.h"

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

/* --- what is made of them --- */

/*: function("binary_opening", """input: array, structure: array | None, iterations: int64 = 1, mask: array = None,
             border_value: bool = False, origin: per_axis = None, out: out = None""", module="_filters",
             doc="Binary opening: an erosion, then a dilation.") */
cp_array *(cp_binary_opening)(cp_array *input, cp_array *structure, int64_t iterations,
                              const cp_binary_opening_options *options)
{
    const cp_binary_opening_options *o = CPI_GIVEN(cp_binary_opening_options, options);
    cp_array *x = cp_binary_erosion(input, structure, iterations, .mask = o->mask, .border_value = o->border_value,
                                    .origin = o->origin);
    cp_array *r = x ? cp_binary_dilation(x, structure, iterations, .mask = o->mask, .border_value = o->border_value,
                                         .origin = o->origin, .out = o->out) : NULL;
    cp_free(x);
    return r;
}

/*: function("binary_closing", """input: array, structure: array | None, iterations: int64 = 1, mask: array = None,
             border_value: bool = False, origin: per_axis = None, out: out = None""", module="_filters",
             doc="Binary closing: a dilation, then an erosion.") */
cp_array *(cp_binary_closing)(cp_array *input, cp_array *structure, int64_t iterations,
                              const cp_binary_closing_options *options)
{
    const cp_binary_closing_options *o = CPI_GIVEN(cp_binary_closing_options, options);
    cp_array *x = cp_binary_dilation(input, structure, iterations, .mask = o->mask, .border_value = o->border_value,
                                     .origin = o->origin);
    cp_array *r = x ? cp_binary_erosion(x, structure, iterations, .mask = o->mask, .border_value = o->border_value,
                                        .origin = o->origin, .out = o->out) : NULL;
    cp_free(x);
    return r;
}

/*: function("binary_propagation", """input: array, structure: array | None, mask: array | None,
             border_value: bool = False, origin: per_axis = None, out: out = None""", module="_filters",
             doc="Dilation within a mask until nothing changes.") */
cp_array *(cp_binary_propagation)(cp_array *input, cp_array *structure, cp_array *mask,
                                  const cp_binary_propagation_options *options)
{
    const cp_binary_propagation_options *o = CPI_GIVEN(cp_binary_propagation_options, options);
    return cp_binary_dilation(input, structure, -1, .mask = mask, .border_value = o->border_value, .origin = o->origin,
                              .out = o->out);
}

/*: function("binary_fill_holes", """input: array, structure: array | None, origin: per_axis = None,
             out: out = None""", module="_filters", doc="The true elements, and those that they enclose.") */
cp_array *(cp_binary_fill_holes)(cp_array *input, cp_array *structure, const cp_binary_fill_holes_options *options)
{
    const cp_binary_fill_holes_options *o = CPI_GIVEN(cp_binary_fill_holes_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "binary_fill_holes", input)) return NULL;
    cp_array *mask = cp_logical_not(input), *none = mask ? cp_zeros_like(mask, CP_BOOL) : NULL, *outside = NULL;
    if (none)
        outside = cp_binary_dilation(none, structure, -1, .mask = mask, .border_value = true, .origin = o->origin);
    return cpi_filter_end(&f, "binary_fill_holes", cp_logical_not(outside), o->out);
}

/*: function("binary_hit_or_miss", """input: array, structure1: array, structure2: array | None,
             origin1: per_axis = None, origin2: per_axis = None, out: out = None""", module="_filters",
             doc="True where one structure fits into the true elements and another one (the first one's complement by "
                 "default) into the others.") */
cp_array *(cp_binary_hit_or_miss)(cp_array *input, cp_array *structure1, cp_array *structure2,
                                  const cp_binary_hit_or_miss_options *options)
{
    const cp_binary_hit_or_miss_options *o = CPI_GIVEN(cp_binary_hit_or_miss_options, options);
    const char *name = "binary_hit_or_miss";
    cpi_composite f;
    if (cpi_null(name, structure1) || !cpi_begin(&f, name, input)) return NULL;
    cp_array *second = structure2 ? structure2 : cp_logical_not(structure1), *others = cp_logical_not(input);
    cp_array *hit = cp_binary_erosion(input, structure1, 1, .origin = o->origin1), *miss = NULL;
    if (second && others)
        miss = cp_binary_erosion(others, second, 1, .border_value = true,
                                 .origin = o->origin2.dim ? o->origin2 : o->origin1);
    return cpi_filter_end(&f, name, cp_logical_and(hit, miss), o->out);
}

/*: function("generate_binary_structure", "rank: int64, connectivity: int64", module="_filters",
             doc="3 elements along each axis, true where at most `connectivity` coordinates differ from the middle.") */
cp_array *cp_generate_binary_structure(int64_t rank, int64_t connectivity)
{
    int64_t shape[CP_MAXDIM], size = 1;
    if (rank > 20) return cpi_fail(CP_ERROR_VALUE, "generate_binary_structure: at most 20 dimensions"), NULL;
    const int ndim = rank < 0 ? 0 : (int)rank;
    for (int d = 0; d < ndim; d++) shape[d] = 3, size *= 3;
    uint8_t *set = cpi_malloc((size_t)size);
    for (int64_t i = 0; set && i < size; i++) {
        int64_t differ = 0, rest = i;
        for (int d = 0; d < ndim; d++, rest /= 3) differ += rest % 3 != 1;
        set[i] = differ <= (connectivity < 1 ? 1 : connectivity);
    }
    cp_array *r = set ? cp_from_host(set, CP_BOOL, (cp_shape){ndim, shape}, NULL) : NULL;
    cpi_free_host(set);
    return r;
}

/*: function("iterate_structure", "structure: array, iterations: int64", module="_filters",
             doc="A structuring element dilated by itself.") */
cp_array *cp_iterate_structure(cp_array *structure, int64_t iterations)
{
    const char *name = "iterate_structure";
    cpi_composite f;
    int64_t shape[CP_MAXDIM];
    cp_index items[CP_MAXDIM];
    if (iterations < 2) return cp_copy(structure);
    if (!cpi_begin(&f, name, structure)) return NULL;
    const int ndim = cp_ndim(structure);
    const int64_t more = iterations - 1;
    for (int d = 0; d < ndim; d++) {
        const int64_t n = cp_dim(structure, d);
        if (n > 0 && __builtin_mul_overflow(more, n, &shape[d]))
            return cpi_fail(CP_ERROR_VALUE, "%s: too many iterations", name), cpi_end(&f, NULL);
        shape[d] = n + more * (n - 1);
        items[d] = CP_RANGE(more * (n / 2), more * (n / 2) + n);
    }
    cp_array *all = cp_zeros((cp_shape){ndim, shape}, CP_BOOL), *middle = all ? cp_slice(all, ndim, items) : NULL;
    if (!middle || cp_assign(middle, structure)) return cpi_end(&f, NULL);
    return cpi_end(&f, cp_binary_dilation(all, structure, more));
}
