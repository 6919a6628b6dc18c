/* Filters over windows of all axes: correlations, extremes, ranks. A footprint's positions are read on the host. */
#include <string.h>

#include "cpu/ending.h"
#include "filters/call.h"

double *cpi_filter_numbers(const char *name, cp_array *x, int64_t n)
{
    double *v = cpi_malloc((size_t)(n ? n : 1) * sizeof *v);
    cp_array *dense = v ? cpi_dense(name, x, CP_FLOAT64, cpi_common_device(name, 1, &x)) : NULL;
    const bool good = dense && (!n || cp_to_host(dense, v, (size_t)n * sizeof *v) == CP_OK);
    cp_free(dense);
    if (good) return v;
    cpi_free_host(v);
    return NULL;
}

int64_t *cpi_filter_taps(const char *name, cp_array *footprint, int64_t *ntaps)
{
    const int64_t n = footprint->size;
    uint8_t *set = cpi_malloc((size_t)(n ? n : 1));
    int64_t *taps = set ? cpi_malloc((size_t)(n ? n : 1) * sizeof *taps) : NULL;
    cp_array *dense = taps ? cpi_dense(name, footprint, CP_BOOL, cpi_common_device(name, 1, &footprint)) : NULL;
    const bool good = dense && (!n || cp_to_host(dense, set, (size_t)n) == CP_OK);
    cp_free(dense);
    *ntaps = 0;
    for (int64_t k = 0; good && k < n; k++)
        if (set[k]) taps[(*ntaps)++] = k;
    cpi_free_host(set);
    if (good) return taps;
    cpi_free_host(taps);
    return NULL;
}

static int64_t *all_taps(int64_t n, int64_t *ntaps)
{
    int64_t *taps = cpi_malloc((size_t)(n ? n : 1) * sizeof *taps);
    for (int64_t k = 0; taps && k < n; k++) taps[k] = k;
    *ntaps = n;
    return taps;
}

/* The job's window of a shape, with the origins. A 0-d image is one of one element. */
static cp_code place(const cpi_window_call_nd *w, const cp_array *x, cp_shape window, cpi_window_filter *f)
{
    const char *name = w->c.name;
    int64_t origin[CP_MAXDIM];
    if (window.n != x->ndim)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: a window of %d dimensions for an image of %d", name, window.n, x->ndim);
    if (cpi_filter_per_axis(name, "origin", w->origin, x->ndim, 0, origin)) return cp_error();
    f->ndim = x->ndim ? x->ndim : 1;
    f->shape[0] = f->size[0] = 1, f->before[0] = 0;
    for (int d = 0; d < x->ndim; d++) {
        f->shape[d] = x->shape[d], f->size[d] = window.dim[d];
        if (cpi_filter_before(name, f->size[d], origin[d], &f->before[d])) return cp_error();
    }
    return CP_OK;
}

/* A window's call with its job: from dense memory to dense memory. */
static cp_array *run_window(const cpi_window_call_nd *w, cp_array *x, cp_array *weights, cpi_window_filter *f,
                            cpi_device *device)
{
    const bool sum = f->op == CPI_WINDOW_SUM;
    const cp_type order = sum ? x->type : f->heights ? CP_FLOAT64 : cpi_filter_order_type(x, f->boundary, w->c.cval);
    const cp_type type = sum ? (w->c.out ? w->c.out->type : x->type) : order;
    cpi_output o = {.function = w->c.name, .device = device, .type = type, .ndim = x->ndim, .shape = x->shape,
                    .out = w->c.out, .casting = CP_UNSAFE, .dense = true};
    if (cpi_output_open(&o, 1, &x)) return NULL;
    cp_code code = CP_OK;
    cp_array *in = x->size ? cpi_dense(w->c.name, x, order, device) : NULL;
    if (x->size && !in) code = cp_error();
    if (in) {
        cpi_array_used(in);
        f->from = order, f->to = o.array->type;
        f->fill = w->c.cval;
        f->in = in->data, f->out = o.array->data;
        f->weights = weights ? (const double *)weights->data : NULL;
        code = cpi_ending_named(w->c.name, device->backend->filters->window(cpi_stream(device), f));
    }
    cp_free(in);
    cp_array *r = cpi_output_close(&o, code);
    if (!r || w->c.out || r->type == x->type) return r;
    cp_array *cast = cp_astype(r, x->type);
    cp_free(r);
    return cast;
}

static cp_array *of_weights(const cpi_window_call_nd *w, cp_array *x, cpi_window_filter *f, cpi_device *device)
{
    if (place(w, x, (cp_shape){w->weights->ndim, w->weights->shape}, f)) return NULL;
    cp_array *weights = cpi_dense(w->c.name, w->weights, CP_FLOAT64, device);
    if (!weights) return NULL;
    cpi_array_used(weights);
    cp_array *r = run_window(w, x, weights, f, device);
    cp_free(weights);
    return r;
}

/* The heights of the taps, of a structure that has the footprint's shape. */
static cp_code find_heights(const cpi_window_call_nd *w, cpi_window_filter *f, const int64_t *taps)
{
    double *all = cpi_filter_numbers(w->c.name, w->structure, w->structure->size);
    if (!all) return cp_error();
    for (int64_t k = 0; k < f->ntaps; k++) all[k] = all[taps[k]]; /* ascending */
    f->heights = all, f->nheights = f->ntaps;
    return CP_OK;
}

static cp_array *of_footprint(const cpi_window_call_nd *w, cp_array *x, cpi_window_filter *f, cpi_device *device)
{
    const char *name = w->c.name;
    const cp_array *window = w->footprint ? w->footprint : w->structure;
    const cp_shape shape = window ? (cp_shape){window->ndim, window->shape} : w->box;
    cp_array *r = NULL;
    int64_t size = 1;
    if (place(w, x, shape, f)) return NULL;
    for (int d = 0; d < shape.n; d++)
        if (__builtin_mul_overflow(size, shape.dim[d], &size) || size > INT64_MAX / 16)
            return cpi_fail(CP_ERROR_MEMORY, "%s: the window is too large", name), NULL;
    if (w->structure && !cpi_has_shape(w->structure, shape.n, shape.dim))
        return cpi_fail(CP_ERROR_RUNTIME, "%s: structure array has incorrect shape", name), NULL;
    int64_t *taps = w->footprint ? cpi_filter_taps(name, w->footprint, &f->ntaps) : all_taps(size, &f->ntaps);
    f->taps = taps;
    if (!taps) return NULL;
    if (!f->ntaps) cpi_fail(CP_ERROR_VALUE, "%s: All-zero footprint is not supported.", name);
    else if (f->op == CPI_WINDOW_RANK && (w->rank < -f->ntaps || w->rank >= f->ntaps))
        cpi_fail(CP_ERROR_RUNTIME, "%s: rank not within filter footprint size", name);
    else if (!w->structure || !find_heights(w, f, taps)) {
        f->rank = w->rank < 0 ? w->rank + f->ntaps : w->rank;
        r = run_window(w, x, NULL, f, device);
    }
    cpi_free_host((void *)(uintptr_t)f->heights);
    cpi_free_host(taps);
    return r;
}

static cp_array *filter_part(const void *context, cp_array *x, cp_array *out, double cval)
{
    cpi_window_call_nd own = *(const cpi_window_call_nd *)context;
    own.c.out = out, own.c.cval = cval;
    return cpi_filter_window(&own, x);
}

cp_array *cpi_filter_window(const cpi_window_call_nd *w, cp_array *x)
{
    const char *name = w->c.name;
    cpi_window_filter f = {.op = w->op};
    if (x && cpi_is_complex(x->type) && w->op == CPI_WINDOW_SUM)
        return cpi_filter_by_parts(&w->c, x, filter_part, w);
    if (cpi_null(name, x) || cpi_check_real(name, x) || (w->c.out && cpi_check_real(name, w->c.out))) return NULL;
    if (cpi_filter_rule(&w->c, &f.boundary)) return NULL;
    cp_array *all[3] = {x, w->c.out, w->weights};
    cpi_device *device = cpi_common_device(name, 3, all);
    if (!device) return NULL;
    if (w->op == CPI_WINDOW_SUM) return of_weights(w, x, &f, device);
    if (!w->footprint && !w->structure && !w->box.dim)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: no footprint provided", name), NULL;
    return of_footprint(w, x, &f, device);
}

/*: function("correlate_nd", """input: array, weights: array_like, mode: filter_mode = 'reflect', cval: double = 0,
             origin: per_axis = None, out: out = None""", module="_filters",
             doc="The correlation with weights of the input's number of dimensions, in float64.") */
cp_array *(cp_correlate_nd)(cp_array *input, cp_array *weights, const cp_correlate_nd_options *options)
{
    const cp_correlate_nd_options *o = CPI_GIVEN(cp_correlate_nd_options, options);
    if (cpi_null("correlate", weights) || cpi_check_real("correlate", weights)) return NULL;
    return cpi_filter_window(&(cpi_window_call_nd){{"correlate", o->mode, o->cval, o->out}, CPI_WINDOW_SUM, o->origin,
                                                   NULL, NULL, weights, 0}, input);
}

/*: function("convolve_nd", """input: array, weights: array_like, mode: filter_mode = 'reflect', cval: double = 0,
             origin: per_axis = None, out: out = None""", module="_filters",
             doc="The convolution: the correlation with weights that are reversed along each axis.") */
cp_array *(cp_convolve_nd)(cp_array *input, cp_array *weights, const cp_convolve_nd_options *options)
{
    const cp_convolve_nd_options *o = CPI_GIVEN(cp_convolve_nd_options, options);
    int64_t origin[CP_MAXDIM];
    if (cpi_null("convolve", input) || cpi_null("convolve", weights)) return NULL;
    if (cpi_check_real("convolve", weights)) return NULL;
    if (cpi_filter_per_axis("convolve", "origin", o->origin, weights->ndim, 0, origin)) return NULL;
    for (int d = 0; d < weights->ndim; d++) origin[d] = -origin[d] - !(weights->shape[d] & 1);
    cp_array *turned = cp_flip(weights, CP_ALL);
    if (!turned) return NULL;
    cp_array *r = cpi_filter_window(&(cpi_window_call_nd){{"convolve", o->mode, o->cval, o->out}, CPI_WINDOW_SUM,
                                                          {weights->ndim, origin}, NULL, NULL, turned, 0}, input);
    cp_free(turned);
    return r;
}

/*: function("minimum_window", """input: array, footprint: array | None, structure: array | None,
             mode: filter_mode = 'reflect', cval: double = 0, origin: per_axis = None, out: out = None""",
             module="_filters", doc="The least element of a footprint's, less the structure's heights.") */
cp_array *(cp_minimum_window)(cp_array *input, cp_array *footprint, cp_array *structure,
                              const cp_minimum_window_options *options)
{
    const cp_minimum_window_options *o = CPI_GIVEN(cp_minimum_window_options, options);
    return cpi_filter_window(&(cpi_window_call_nd){{"minimum_filter", o->mode, o->cval, o->out}, CPI_WINDOW_MINIMUM,
                                                   o->origin, footprint, structure, NULL, 0}, input);
}

/*: function("maximum_window", """input: array, footprint: array | None, structure: array | None,
             mode: filter_mode = 'reflect', cval: double = 0, origin: per_axis = None, out: out = None""",
             module="_filters", doc="The greatest element of a footprint's, with the structure's heights added.") */
cp_array *(cp_maximum_window)(cp_array *input, cp_array *footprint, cp_array *structure,
                              const cp_maximum_window_options *options)
{
    const cp_maximum_window_options *o = CPI_GIVEN(cp_maximum_window_options, options);
    return cpi_filter_window(&(cpi_window_call_nd){{"maximum_filter", o->mode, o->cval, o->out}, CPI_WINDOW_MAXIMUM,
                                                   o->origin, footprint, structure, NULL, 0}, input);
}

/*: function("rank_window", """input: array, rank: int64, footprint: array, mode: filter_mode = 'reflect',
             cval: double = 0, origin: per_axis = None, out: out = None""", module="_filters",
             doc="The rank-th element of a footprint's in order, NaN last; negative ranks count from the end.") */
cp_array *(cp_rank_window)(cp_array *input, int64_t rank, cp_array *footprint, const cp_rank_window_options *options)
{
    const cp_rank_window_options *o = CPI_GIVEN(cp_rank_window_options, options);
    if (cpi_null("rank_filter", footprint)) return NULL;
    return cpi_filter_window(&(cpi_window_call_nd){{"rank_filter", o->mode, o->cval, o->out}, CPI_WINDOW_RANK,
                                                   o->origin, footprint, NULL, NULL, rank}, input);
}
