/* Filters along one axis: arguments, types, and the slot's call. What all filters share is here too. */
#include <math.h>
#include <string.h>

#include "cpu/ending.h"
#include "filters/call.h"

cp_code cpi_filter_rule(const cpi_filter_call *c, cpi_boundary *rule)
{
    static const cpi_boundary rules[] = {
        [CP_FILTER_MODE_REFLECT] = CPI_BOUNDARY_REFLECT, [CP_FILTER_MODE_MIRROR] = CPI_BOUNDARY_MIRROR,
        [CP_FILTER_MODE_NEAREST] = CPI_BOUNDARY_NEAREST, [CP_FILTER_MODE_WRAP] = CPI_BOUNDARY_GRID_WRAP,
        [CP_FILTER_MODE_CONSTANT] = CPI_BOUNDARY_CONSTANT};
    if ((unsigned)c->mode > CP_FILTER_MODE_CONSTANT)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: boundary mode not supported", c->name);
    *rule = rules[c->mode];
    return CP_OK;
}

cp_code cpi_filter_before(const char *name, int64_t size, int64_t origin, int64_t *before)
{
    if (size < 1) return cpi_fail(CP_ERROR_RUNTIME, "%s: incorrect filter size", name);
    if (origin < -(size / 2) || origin > (size - 1) / 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: invalid origin %lld: for a size of %lld it is from %lld to %lld", name,
                        (long long)origin, (long long)size, (long long)-(size / 2), (long long)((size - 1) / 2));
    *before = size / 2 + origin;
    return CP_OK;
}

cp_type cpi_filter_order_type(const cp_array *x, cpi_boundary rule, double cval)
{
    unsigned char value[16];
    double again;
    if (rule != CPI_BOUNDARY_CONSTANT || cpi_is_float(x->type)) return x->type;
    int64_t low;
    uint64_t high;
    cpi_integer_range(x->type, &low, &high);
    if (!(cval >= (double)low && cval <= (double)high)) return CP_FLOAT64;
    cpi_convert_value(CP_FLOAT64, &cval, x->type, value);
    cpi_convert_value(x->type, value, CP_FLOAT64, &again);
    return again == cval ? x->type : CP_FLOAT64;
}

cp_code cpi_filter_per_axis(const char *name, const char *what, cp_shape given, int ndim, int64_t otherwise,
                            int64_t *values)
{
    if (given.dim && given.n != 1 && given.n != ndim)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: %s has %d numbers for %d axes", name, what, given.n, ndim);
    for (int d = 0; d < ndim; d++) values[d] = !given.dim ? otherwise : given.dim[given.n == 1 ? 0 : d];
    return CP_OK;
}

/* Fills the job's sizes, with the axis apart. */
static void sizes(cpi_line_filter *f, const cp_array *x, int axis)
{
    f->outer = f->inner = 1;
    f->n = x->shape[axis];
    for (int d = 0; d < axis; d++) f->outer *= x->shape[d];
    for (int d = axis + 1; d < x->ndim; d++) f->inner *= x->shape[d];
}

static bool is_sum(cpi_line_op op) { return op == CPI_LINE_CORRELATE || op == CPI_LINE_MEAN; }

/* Dense operands are there: runs the slot. */
static cp_code run_line(const cpi_line_call *l, cp_array *in, cp_array *to, int axis, cp_array *weights,
                        cpi_line_filter *f)
{
    f->op = l->op;
    f->from = in->type, f->to = to->type;
    f->fill = l->c.cval;
    sizes(f, in, axis);
    f->in = in->data, f->out = to->data;
    f->weights = weights ? (const double *)weights->data : NULL;
    return cpi_ending_named(l->c.name, to->device->backend->filters->line(cpi_stream(to->device), f));
}

/* The result of `type`; `computed`: the type of what is read. */
static cp_array *line_of(const cpi_line_call *l, cp_array *x, int axis, cp_array *weights, cpi_line_filter *f,
                         cpi_device *device)
{
    const bool sum = is_sum(l->op);
    const cp_type order = sum ? x->type : cpi_filter_order_type(x, f->boundary, l->c.cval);
    const cp_type type = sum ? (l->c.out ? l->c.out->type : x->type) : order;
    cpi_output o = {.function = l->c.name, .device = device, .type = type, .ndim = x->ndim, .shape = x->shape,
                    .out = l->c.out, .casting = CP_UNSAFE, .dense = true};
    if (cpi_output_open(&o, 1, &x)) return NULL;
    cp_code code = CP_OK;
    if (x->size) {
        cp_array *in = cpi_dense(l->c.name, x, order, device);
        if (in) cpi_array_used(in);
        code = in ? run_line(l, in, o.array, axis, weights, f) : cp_error();
        cp_free(in);
    }
    cp_array *r = cpi_output_close(&o, code);
    if (!r || l->c.out || r->type == x->type) return r;
    cp_array *cast = cp_astype(r, x->type);
    cp_free(r);
    return cast;
}

cp_array *cpi_filter_by_parts(const cpi_filter_call *c, cp_array *x, cpi_filter_part call, const void *context)
{
    if (c->out && !cpi_is_complex(c->out->type))
        return cpi_fail(CP_ERROR_RUNTIME, "%s: output must have complex dtype", c->name), NULL;
    cp_array *out = c->out ? cpi_again(c->out) : cp_empty_like(x, CP_DEFAULT), *kept = NULL;
    /* the second part is read after the first one is written */
    if (out && c->out && cpi_may_overlap(out, x)) x = kept = cp_copy(x);
    cp_array *from[2] = {NULL}, *to[2] = {NULL}, *done = NULL;
    bool good = out && x;
    for (int p = 0; p < 2 && good; p++) {
        from[p] = p ? cp_imag_part(x) : cp_real_part(x), to[p] = p ? cp_imag_part(out) : cp_real_part(out);
        done = from[p] && to[p] ? call(context, from[p], to[p], p ? 0 : c->cval) : NULL;
        good = done != NULL;
        cp_free(done);
    }
    for (int p = 0; p < 2; p++) cp_free(from[p]), cp_free(to[p]);
    cp_free(kept);
    if (good) return out;
    cp_free(out);
    return NULL;
}

typedef struct line_part { const cpi_line_call *l; int axis; } line_part;
static cp_array *filter_part(const void *context, cp_array *x, cp_array *out, double cval)
{
    const line_part *p = context;
    cpi_line_call own = *p->l;
    own.c.out = out, own.c.cval = cval;
    return cpi_filter_line(&own, x, p->axis);
}

cp_array *cpi_filter_line(const cpi_line_call *l, cp_array *x, int axis)
{
    const char *name = l->c.name;
    cpi_line_filter f = {.size = l->size};
    if (x && cpi_is_complex(x->type) && is_sum(l->op))
        return cpi_filter_by_parts(&l->c, x, filter_part, &(line_part){l, axis});
    if (cpi_null(name, x) || cpi_check_real(name, x) || (l->c.out && cpi_check_real(name, l->c.out))) return NULL;
    if (cpi_filter_rule(&l->c, &f.boundary) || cpi_axis(name, &axis, x->ndim)) return NULL;
    if (cpi_filter_before(name, l->size, l->origin, &f.before)) return NULL;
    cp_array *all[3] = {x, l->weights, l->c.out};
    cpi_device *device = cpi_common_device(name, 3, all);
    if (!device) return NULL;
    cp_array *weights = l->weights ? cpi_dense(name, l->weights, CP_FLOAT64, device) : NULL;
    if (l->weights && !weights) return NULL;
    if (weights) cpi_array_used(weights);
    cp_array *r = line_of(l, x, axis, weights, &f, device);
    cp_free(weights);
    return r;
}

static cp_array *weighted(const cpi_filter_call *c, cp_array *x, cp_array *weights, int axis, int64_t origin)
{
    if (cpi_null(c->name, x) || cpi_null(c->name, weights) || cpi_check_real(c->name, weights)) return NULL;
    if (weights->ndim != 1 || weights->size < 1)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: no filter weights given", c->name), NULL;
    return cpi_filter_line(&(cpi_line_call){*c, CPI_LINE_CORRELATE, weights->size, origin, weights}, x, axis);
}

/*: function("correlate1d", """input: array, weights: array_like, axis: index_axis = -1, mode: filter_mode = 'reflect',
             cval: double = 0, origin: int64 = 0, out: out = None""", module="_filters",
             doc="The correlation along an axis with weights of one dimension, in float64.") */
cp_array *(cp_correlate1d)(cp_array *input, cp_array *weights, int axis, const cp_correlate1d_options *options)
{
    const cp_correlate1d_options *o = CPI_GIVEN(cp_correlate1d_options, options);
    return weighted(&(cpi_filter_call){"correlate1d", o->mode, o->cval, o->out}, input, weights, axis, o->origin);
}

/*: function("convolve1d", """input: array, weights: array_like, axis: index_axis = -1, mode: filter_mode = 'reflect',
             cval: double = 0, origin: int64 = 0, out: out = None""", module="_filters",
             doc="The convolution along an axis: the correlation with the reversed weights.") */
cp_array *(cp_convolve1d)(cp_array *input, cp_array *weights, int axis, const cp_convolve1d_options *options)
{
    const cp_convolve1d_options *o = CPI_GIVEN(cp_convolve1d_options, options);
    if (cpi_null("convolve1d", input) || cpi_null("convolve1d", weights)) return NULL;
    cp_array *turned = cp_flip(weights, CP_ALL);
    if (!turned) return NULL;
    const int64_t origin = -o->origin - !(weights->size & 1);
    cp_array *r = weighted(&(cpi_filter_call){"convolve1d", o->mode, o->cval, o->out}, input, turned, axis, origin);
    cp_free(turned);
    return r;
}

/*: function("uniform_filter1d", """input: array, size: int64, axis: index_axis = -1, mode: filter_mode = 'reflect',
             cval: double = 0, origin: int64 = 0, out: out = None""", module="_filters",
             doc="The mean of `size` neighbours along an axis.") */
cp_array *(cp_uniform_filter1d)(cp_array *input, int64_t size, int axis, const cp_uniform_filter1d_options *options)
{
    const cp_uniform_filter1d_options *o = CPI_GIVEN(cp_uniform_filter1d_options, options);
    const cpi_filter_call c = {"uniform_filter1d", o->mode, o->cval, o->out};
    return cpi_filter_line(&(cpi_line_call){c, CPI_LINE_MEAN, size, o->origin, NULL}, input, axis);
}

/*: function("minimum_filter1d", """input: array, size: int64, axis: index_axis = -1, mode: filter_mode = 'reflect',
             cval: double = 0, origin: int64 = 0, out: out = None""", module="_filters",
             doc="The least of `size` neighbours along an axis; NaN where there is one.") */
cp_array *(cp_minimum_filter1d)(cp_array *input, int64_t size, int axis, const cp_minimum_filter1d_options *options)
{
    const cp_minimum_filter1d_options *o = CPI_GIVEN(cp_minimum_filter1d_options, options);
    const cpi_filter_call c = {"minimum_filter1d", o->mode, o->cval, o->out};
    return cpi_filter_line(&(cpi_line_call){c, CPI_LINE_MINIMUM, size, o->origin, NULL}, input, axis);
}

/*: function("maximum_filter1d", """input: array, size: int64, axis: index_axis = -1, mode: filter_mode = 'reflect',
             cval: double = 0, origin: int64 = 0, out: out = None""", module="_filters",
             doc="The greatest of `size` neighbours along an axis; NaN where there is one.") */
cp_array *(cp_maximum_filter1d)(cp_array *input, int64_t size, int axis, const cp_maximum_filter1d_options *options)
{
    const cp_maximum_filter1d_options *o = CPI_GIVEN(cp_maximum_filter1d_options, options);
    const cpi_filter_call c = {"maximum_filter1d", o->mode, o->cval, o->out};
    return cpi_filter_line(&(cpi_line_call){c, CPI_LINE_MAXIMUM, size, o->origin, NULL}, input, axis);
}
