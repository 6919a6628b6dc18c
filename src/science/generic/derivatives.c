/* Sums of what a function of the caller's gives along each axis. */
#include "generic/host.h"

typedef struct derivatives {
    const char *name;
    cp_derivative_function along;
    void *context;
    bool square; /* the root of the sum of squares */
} derivatives;

/* The part of one axis, an array of the filter's own of the result's type. */
static cp_array *part_of(const derivatives *f, cp_array *x, int axis, const cp_generic_derivative_options *o)
{
    cp_array *to = cpi_filter_fresh(x, o->out), *part = to ? f->along(f->context, x, axis, o->mode, o->cval, to) : NULL;
    if (!to) return NULL;
    if (!part) return cpi_generic_failed(f->name, "derivative"), NULL;
    if (!cpi_has_shape(part, x->ndim, x->shape))
        return cpi_fail(CP_ERROR_VALUE, "%s: the derivative has another shape than the input", f->name), NULL;
    if (part != to && cp_assign(to, part)) return NULL;
    return f->square ? cpi_apply_2(CP_OP_multiply, to, to, to) : to;
}

static cp_array *of_axes(const derivatives *f, cp_array *x, const cp_generic_derivative_options *o)
{
    int n, axes[CP_MAXDIM];
    if (!cpi_filter_axes(f->name, o->axes, x->ndim, &n, axes)) return NULL;
    cp_array *sum = n ? part_of(f, x, axes[0], o) : cp_astype(x, o->out ? o->out->type : x->type);
    for (int i = 1; i < n && sum; i++) {
        cp_array *part = part_of(f, x, axes[i], o);
        sum = part ? cpi_apply_2(CP_OP_add, sum, part, sum) : NULL;
        cp_free(part);
    }
    return f->square && n && sum ? cp_astype(cp_sqrt(sum), sum->type) : sum;
}

static cp_array *derived(const derivatives *f, cp_array *x, const cp_generic_derivative_options *options)
{
    const cp_generic_derivative_options *o = CPI_GIVEN(cp_generic_derivative_options, options);
    cpi_composite scope;
    if (cpi_null(f->name, x) || cpi_generic_no_function(f->name, f->along != NULL)) return NULL;
    if (o->out && (cpi_check_writable(f->name, o->out))) return NULL;
    if (o->out && !cpi_has_shape(o->out, x->ndim, x->shape))
        return cpi_fail(CP_ERROR_RUNTIME, "%s: output shape not correct", f->name), NULL;
    if (!cpi_begin(&scope, f->name, x)) return NULL;
    return cpi_filter_end(&scope, f->name, of_axes(f, x, o), o->out);
}

cp_array *(cp_generic_laplace)(cp_array *input, cp_derivative_function derivative2, void *context,
                               const cp_generic_derivative_options *options)
{
    return derived(&(derivatives){"generic_laplace", derivative2, context, false}, input, options);
}

cp_array *(cp_generic_gradient_magnitude)(cp_array *input, cp_derivative_function derivative, void *context,
                                          const cp_generic_derivative_options *options)
{
    return derived(&(derivatives){"generic_gradient_magnitude", derivative, context, true}, input, options);
}
