/* Filters of windows and of lines by a function of numbers: they are copied to the host with their surroundings, and
 * the function is called for one after the other. */
#include "generic/host.h"

#include <math.h>
#include <string.h>

cp_code cpi_generic_pad_mode(const char *name, cp_filter_mode mode, cp_pad_mode *pad)
{
    static const cp_pad_mode of[] = {
        [CP_FILTER_MODE_REFLECT] = CP_PAD_MODE_SYMMETRIC, [CP_FILTER_MODE_MIRROR] = CP_PAD_MODE_REFLECT,
        [CP_FILTER_MODE_NEAREST] = CP_PAD_MODE_EDGE, [CP_FILTER_MODE_WRAP] = CP_PAD_MODE_WRAP,
        [CP_FILTER_MODE_CONSTANT] = CP_PAD_MODE_CONSTANT};
    if ((unsigned)mode > CP_FILTER_MODE_CONSTANT)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: boundary mode not supported", name);
    *pad = of[mode];
    return CP_OK;
}

bool cpi_generic_window_of(const char *name, const cp_array *x, cp_axes axes, cp_shape size,
                           const cp_array *footprint, cp_shape origin, cpi_generic_window *w)
{
    int64_t origins[CP_MAXDIM];
    if (!cpi_filter_axes(name, axes, x->ndim, &w->n, w->axes)) return false;
    if (!footprint && !size.dim) return !cpi_fail(CP_ERROR_RUNTIME, "%s: no footprint or filter size provided", name);
    if (footprint && footprint->ndim != w->n)
        return !cpi_fail(CP_ERROR_RUNTIME, "%s: a footprint of %d dimensions for %d axes", name, footprint->ndim, w->n);
    if (footprint) size = (cp_shape){w->n, footprint->shape};
    if (cpi_filter_per_axis(name, "size", size, w->n, 1, w->size)) return false;
    if (cpi_filter_per_axis(name, "origin", origin, w->n, 0, origins)) return false;
    for (int i = 0; i < w->n; i++)
        if (cpi_filter_before(name, w->size[i], origins[i], &w->before[i])) return false;
    return true;
}

cp_array *cpi_generic_surrounded(const char *name, cp_array *x, const cpi_generic_window *w, cp_filter_mode mode,
                                 double cval)
{
    int64_t widths[2 * CP_MAXDIM] = {0};
    cp_pad_mode pad = CP_PAD_MODE_CONSTANT;
    if (!x || cpi_generic_pad_mode(name, mode, &pad)) return NULL;
    for (int i = 0; i < w->n; i++) {
        widths[2 * w->axes[i]] = w->before[i];
        widths[2 * w->axes[i] + 1] = w->size[i] - 1 - w->before[i];
    }
    return cp_pad(x, 2 * x->ndim, widths, pad, cp_float(pad == CP_PAD_MODE_CONSTANT ? cval : 0));
}

double *cpi_generic_numbers(cp_array *x)
{
    cp_array *dense = x ? cp_contiguous(x->type == CP_FLOAT64 ? x : cp_astype(x, CP_FLOAT64)) : NULL;
    double *at = dense ? cpi_malloc((size_t)(x->size ? x->size : 1) * sizeof *at) : NULL;
    if (at && !cp_to_host(dense, at, (size_t)x->size * sizeof *at)) return at;
    cpi_free_host(at);
    return NULL;
}

cp_array *cpi_generic_result(double *numbers, cp_shape shape, cp_type type)
{
    int64_t size = 1;
    for (int d = 0; d < shape.n; d++) size *= shape.dim[d];
    for (int64_t i = 0; !cpi_is_float(type) && i < size; i++) numbers[i] = trunc(numbers[i]);
    cp_array *r = cp_from_host(numbers, CP_FLOAT64, shape, NULL);
    return r && type != CP_FLOAT64 ? cp_astype(r, type) : r;
}

/* What both filters check first; the type of the result. False: an error. */
static bool begin(const char *name, cp_array *x, bool given, const cp_array *out, cpi_composite *f, cp_type *type)
{
    if (cpi_null(name, x) || cpi_generic_no_function(name, given) || cpi_check_real(name, x)) return false;
    if (out && (cpi_check_real(name, out) || cpi_check_writable(name, out))) return false;
    if (out && !cpi_has_shape(out, x->ndim, x->shape))
        return !cpi_fail(CP_ERROR_RUNTIME, "%s: output shape not correct", name);
    *type = out ? out->type : x->type;
    return cpi_begin(f, name, x);
}

/* --- windows --- */

typedef struct windows {
    const char *name;
    cp_window_function function;
    void *context;
    int ndim;
    const int64_t *shape, *padded;  /* of the result and of the numbers with their surroundings */
    int64_t taps;
    int64_t *offset;                /* of the window's elements from its first one */
    const double *from;
    double *window, *to;
} windows;

/* The offsets of the elements that take part, in the footprint's order; all where `set` is NULL. */
static void find_offsets(windows *f, const cpi_generic_window *w, const uint8_t *set)
{
    int64_t step[CP_MAXDIM], stride[CP_MAXDIM], n = 1, at[CP_MAXDIM] = {0}, offset = 0;
    for (int d = f->ndim - 1; d >= 0; d--) stride[d] = d + 1 < f->ndim ? stride[d + 1] * f->padded[d + 1] : 1;
    for (int i = 0; i < w->n; i++) step[i] = stride[w->axes[i]], n *= w->size[i];
    f->taps = 0;
    for (int64_t k = 0; k < n; k++) {
        if (!set || set[k]) f->offset[f->taps++] = offset;
        for (int i = w->n - 1; i >= 0; i--) {
            offset += step[i];
            if (++at[i] < w->size[i]) break;
            offset -= at[i] * step[i], at[i] = 0;
        }
    }
}

static cp_code call_windows(const windows *f)
{
    int64_t stride[CP_MAXDIM] = {0}, at[CP_MAXDIM] = {0}, size = 1, first = 0;
    for (int d = f->ndim - 1; d >= 0; d--) stride[d] = d + 1 < f->ndim ? stride[d + 1] * f->padded[d + 1] : 1;
    for (int d = 0; d < f->ndim; d++) size *= f->shape[d];
    for (int64_t i = 0; i < size; i++) {
        for (int64_t k = 0; k < f->taps; k++) f->window[k] = f->from[first + f->offset[k]];
        f->to[i] = 0;
        if (!f->function(f->window, (intptr_t)f->taps, &f->to[i], f->context))
            return cpi_generic_failed(f->name, "filter");
        for (int d = f->ndim - 1; d >= 0; d--) {
            first += stride[d];
            if (++at[d] < f->shape[d]) break;
            first -= at[d] * stride[d], at[d] = 0;
        }
    }
    return CP_OK;
}

/* The numbers of a footprint that is there; NULL with an error. */
static uint8_t *set_of(cp_array *footprint, int64_t n)
{
    cp_array *dense = cp_contiguous(cp_astype(footprint, CP_BOOL));
    uint8_t *set = dense ? cpi_malloc((size_t)(n ? n : 1)) : NULL;
    if (set && !cp_to_host(dense, set, (size_t)n)) return set;
    cpi_free_host(set);
    return NULL;
}

static cp_array *of_windows(windows *f, cp_array *x, const cpi_generic_window *w, const cp_generic_filter_options *o,
                            cp_type type)
{
    int64_t n = 1;
    for (int i = 0; i < w->n; i++)
        if (__builtin_mul_overflow(n, w->size[i], &n))
            return cpi_fail(CP_ERROR_MEMORY, "%s: no memory for so large a window", f->name), NULL;
    cp_array *padded = cpi_generic_surrounded(f->name, cp_astype(x, CP_FLOAT64), w, o->mode, o->cval), *r = NULL;
    uint8_t *set = padded && o->footprint ? set_of(o->footprint, n) : NULL;
    const bool known = padded && (set || !o->footprint);
    double *numbers = known ? cpi_generic_numbers(padded) : NULL;
    f->offset = numbers ? cpi_malloc((size_t)n * sizeof *f->offset) : NULL;
    f->window = f->offset ? cpi_malloc((size_t)n * sizeof *f->window) : NULL;
    f->to = f->window ? cpi_malloc((size_t)x->size * sizeof *f->to) : NULL;
    f->ndim = x->ndim, f->shape = x->shape, f->from = numbers;
    if (f->to) {
        f->padded = padded->shape;
        find_offsets(f, w, set);
        if (!call_windows(f)) r = cpi_generic_result(f->to, (cp_shape){x->ndim, x->shape}, type);
    }
    cpi_free_host(set), cpi_free_host(numbers), cpi_free_host(f->offset), cpi_free_host(f->window);
    cpi_free_host(f->to);
    return r;
}

cp_array *(cp_generic_filter)(cp_array *input, cp_window_function function, void *context,
                              const cp_generic_filter_options *options)
{
    const cp_generic_filter_options *o = CPI_GIVEN(cp_generic_filter_options, options);
    windows f = {.name = "generic_filter", .function = function, .context = context};
    cpi_generic_window w;
    cpi_composite scope;
    cp_type type = CP_DEFAULT;
    cp_pad_mode pad = CP_PAD_MODE_CONSTANT;
    if (!begin(f.name, input, function != NULL, o->out, &scope, &type)) return NULL;
    cp_array *r = NULL;
    if (cpi_generic_window_of(f.name, input, o->axes, o->size, o->footprint, o->origin, &w) &&
        !cpi_generic_pad_mode(f.name, o->mode, &pad))
        r = input->size ? of_windows(&f, input, &w, o, type)
                        : cp_empty((cp_shape){input->ndim, input->shape}, type);
    return cpi_filter_end(&scope, f.name, r, o->out);
}

/* --- lines --- */

typedef struct lines {
    const char *name;
    cp_line_function function;
    void *context;
    int64_t count, length, n;       /* lines, with their surroundings and without */
    double *from, *to;
} lines;

static cp_code call_lines(const lines *f)
{
    memset(f->to, 0, (size_t)(f->count * f->n) * sizeof *f->to);
    for (int64_t i = 0; i < f->count; i++)
        if (!f->function(f->from + i * f->length, (intptr_t)f->length, f->to + i * f->n, (intptr_t)f->n, f->context))
            return cpi_generic_failed(f->name, "line processing");
    return CP_OK;
}

/* The axis is the last one of x. */
static cp_array *of_lines(lines *f, cp_array *x, cp_array *padded, cp_type type)
{
    cp_array *r = NULL;
    f->n = x->shape[x->ndim - 1];
    f->count = x->size / f->n;
    f->from = padded ? cpi_generic_numbers(padded) : NULL;
    f->to = f->from ? cpi_malloc((size_t)x->size * sizeof *f->to) : NULL;
    if (f->to) {
        f->length = padded->shape[x->ndim - 1];
        if (!call_lines(f)) r = cpi_generic_result(f->to, (cp_shape){x->ndim, x->shape}, type);
    }
    cpi_free_host(f->from), cpi_free_host(f->to);
    return r;
}

cp_array *(cp_generic_filter1d)(cp_array *input, cp_line_function function, void *context, int64_t filter_size,
                                int axis, const cp_generic_filter1d_options *options)
{
    const cp_generic_filter1d_options *o = CPI_GIVEN(cp_generic_filter1d_options, options);
    lines f = {.name = "generic_filter1d", .function = function, .context = context};
    cpi_composite scope;
    cp_type type = CP_DEFAULT;
    cp_pad_mode pad = CP_PAD_MODE_CONSTANT;
    cp_array *r = NULL;
    if (!begin(f.name, input, function != NULL, o->out, &scope, &type)) return NULL;
    cpi_generic_window w = {.n = 1, .axes = {input->ndim - 1}, .size = {filter_size}};
    const bool good = !cpi_axis(f.name, &axis, input->ndim) && !cpi_generic_pad_mode(f.name, o->mode, &pad) &&
                      !cpi_filter_before(f.name, filter_size, o->origin, &w.before[0]);
    if (good && !input->size) {
        r = cp_empty((cp_shape){input->ndim, input->shape}, type);
    } else if (good) {
        cp_array *x = cp_astype(input, CP_FLOAT64);
        if (x) x = cpi_axis_moved(x, axis, input->ndim - 1);
        if (x) r = of_lines(&f, x, cpi_generic_surrounded(f.name, x, &w, o->mode, o->cval), type);
        if (r) r = cp_contiguous(cpi_axis_moved(r, input->ndim - 1, axis));
    }
    return cpi_filter_end(&scope, f.name, r, o->out);
}
