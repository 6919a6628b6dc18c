/* Filters made of correlations along axes: Gaussian functions and their derivatives, differences, means of boxes. */
#include <math.h>

#include "filters/steps.h"

/* What a filter made of others is called with. */
typedef struct composed {
    const char *name;
    cp_filter_mode mode;
    double cval;
    cp_array *out;
} composed;

/* x correlated with weights of the host along an axis. */
static cp_array *weighted(const composed *c, cp_array *x, const double *w, int64_t n, int axis)
{
    cp_array *weights = x ? cp_from_host(w, CP_FLOAT64, CP_SHAPE(n), NULL) : NULL, *to = cpi_filter_fresh(x, c->out);
    return to && weights ? cp_correlate1d(x, weights, axis, .mode = c->mode, .cval = c->cval, .out = to) : NULL;
}

/* --- Gaussian functions --- */

typedef struct gaussian { double sigma, truncate; int order; } gaussian;

/* The weights, reversed as a correlation takes them: the function times a polynomial of degree `order`. */
static double *gaussian_weights(const char *name, const gaussian *g, int64_t *size)
{
    const double wide = (g->truncate > 0 ? g->truncate : 4) * g->sigma + 0.5, sigma2 = g->sigma * g->sigma;
    if (g->order < 0 || g->order > 32)
        return cpi_fail(CP_ERROR_VALUE, "%s: order must be from 0 to 32", name), NULL;
    if (!(wide >= 0 && wide < 0x1p40)) return cpi_fail(CP_ERROR_VALUE, "%s: no window is so large", name), NULL;
    const int64_t radius = (int64_t)wide, n = 2 * radius + 1;
    double *w = cpi_malloc((size_t)n * sizeof *w), sum = 0, q[34] = {1};
    for (int64_t i = 0; w && i < n; i++) {
        const double x = (double)(i - radius);
        w[i] = exp(-0.5 / sigma2 * x * x);
        sum += w[i];
    }
    for (int k = 0; k < g->order; k++) { /* of q * phi the derivative is (q' - q * x / sigma2) * phi */
        double next[34] = {0};
        for (int j = 0; j <= k + 1; j++)
            next[j] = (j + 1) * q[j + 1] - (j ? q[j - 1] / sigma2 : 0);
        for (int j = 0; j <= k + 1; j++) q[j] = next[j];
    }
    for (int64_t i = 0; w && i < n; i++) {
        const double x = (double)(radius - i);
        double p = 0;
        for (int j = g->order; j >= 0; j--) p = p * x + q[j];
        w[i] *= p / sum;
    }
    *size = n;
    return w;
}

static cp_array *gaussian_line(const composed *c, cp_array *x, int axis, const gaussian *g)
{
    int64_t n = 0;
    double *w = x ? gaussian_weights(c->name, g, &n) : NULL;
    cp_array *r = w ? weighted(c, x, w, n, axis) : NULL;
    cpi_free_host(w);
    return r;
}

/* Along n axes; along `special` (or -1) of another order. */
static cp_array *gaussian_axes(const composed *c, cp_array *x, const gaussian *g, int n, const int *axes, int special,
                               int order)
{
    if (!(g->sigma > 1e-15)) return cp_astype(x, c->out ? cp_type_of(c->out) : cp_type_of(x));
    for (int i = 0; i < n; i++) {
        gaussian own = *g;
        if (axes[i] == special) own.order = order;
        x = gaussian_line(c, x, axes[i], &own);
    }
    return n ? x : cp_copy(x);
}

/*: function("gaussian_filter1d", """input: array, sigma: double, axis: index_axis = -1, order: int = 0,
             mode: filter_mode = 'reflect', cval: double = 0, truncate: double = 0, out: out = None""",
             module="_filters", doc="A Gaussian filter along an axis, or its derivative; truncate 0 is 4.") */
cp_array *(cp_gaussian_filter1d)(cp_array *input, double sigma, int axis, const cp_gaussian_filter1d_options *options)
{
    const cp_gaussian_filter1d_options *o = CPI_GIVEN(cp_gaussian_filter1d_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "gaussian_filter1d", input)) return NULL;
    const composed c = {"gaussian_filter1d", o->mode, o->cval, o->out};
    cp_array *r = gaussian_line(&c, input, axis, &(gaussian){sigma, o->truncate, o->order});
    return cpi_filter_end(&f, c.name, r, o->out);
}

/*: function("gaussian_filter", """input: array, sigma: double, order: int = 0, mode: filter_mode = 'reflect',
             cval: double = 0, truncate: double = 0, axes: index_axes = None, out: out = None""",
             module="_filters", doc="A Gaussian filter along axes (None: all), or its derivative; truncate 0 is 4.") */
cp_array *(cp_gaussian_filter)(cp_array *input, double sigma, const cp_gaussian_filter_options *options)
{
    const cp_gaussian_filter_options *o = CPI_GIVEN(cp_gaussian_filter_options, options);
    cpi_composite f;
    int n, axes[CP_MAXDIM];
    if (!cpi_begin(&f, "gaussian_filter", input)) return NULL;
    const composed c = {"gaussian_filter", o->mode, o->cval, o->out};
    cp_array *r = NULL;
    if (cpi_filter_axes(c.name, o->axes, cp_ndim(input), &n, axes))
        r = gaussian_axes(&c, input, &(gaussian){sigma, o->truncate, o->order}, n, axes, -1, 0);
    return cpi_filter_end(&f, c.name, r, o->out);
}

/* The sum of what is found along each axis, or the root of the sum of its squares. */
typedef cp_array *(*along_axis)(const composed *c, cp_array *x, int axis, double sigma);
static cp_array *each_axis(const composed *c, cp_array *x, along_axis along, double sigma, bool square)
{
    cp_array *sum = cp_ndim(x) ? NULL : cp_copy(x);
    for (int d = 0; d < cp_ndim(x); d++) {
        cp_array *part = along(c, x, d, sigma);
        if (square) part = part ? cpi_apply_2(CP_OP_multiply, part, part, part) : NULL;
        if (!part) return NULL;
        sum = d ? cpi_apply_2(CP_OP_add, sum, part, sum) : part;
    }
    return square && sum && cp_ndim(x) ? cp_astype(cp_sqrt(sum), cp_type_of(sum)) : sum;
}

static cp_array *gaussian_derivative(const composed *c, cp_array *x, int axis, double sigma, int order)
{
    int all[CP_MAXDIM];
    for (int d = 0; d < cp_ndim(x); d++) all[d] = d;
    return gaussian_axes(c, x, &(gaussian){sigma, 0, 0}, cp_ndim(x), all, axis, order);
}
static cp_array *first_derivative(const composed *c, cp_array *x, int axis, double sigma)
{
    return gaussian_derivative(c, x, axis, sigma, 1);
}
static cp_array *second_derivative(const composed *c, cp_array *x, int axis, double sigma)
{
    return gaussian_derivative(c, x, axis, sigma, 2);
}
static cp_array *second_difference(const composed *c, cp_array *x, int axis, double sigma)
{
    (void)sigma;
    return weighted(c, x, (const double[]){1, -2, 1}, 3, axis);
}

/*: function("laplace", """input: array, mode: filter_mode = 'reflect', cval: double = 0, out: out = None""",
             module="_filters", doc="The sum of second differences.") */
cp_array *(cp_laplace)(cp_array *input, const cp_laplace_options *options)
{
    const cp_laplace_options *o = CPI_GIVEN(cp_laplace_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "laplace", input)) return NULL;
    const composed c = {"laplace", o->mode, o->cval, o->out};
    return cpi_filter_end(&f, c.name, each_axis(&c, input, second_difference, 0, false), o->out);
}

/*: function("gaussian_laplace", """input: array, sigma: double, mode: filter_mode = 'reflect', cval: double = 0,
             out: out = None""", module="_filters", doc="The sum of second derivatives of a Gaussian filter.") */
cp_array *(cp_gaussian_laplace)(cp_array *input, double sigma, const cp_gaussian_laplace_options *options)
{
    const cp_gaussian_laplace_options *o = CPI_GIVEN(cp_gaussian_laplace_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "gaussian_laplace", input)) return NULL;
    const composed c = {"gaussian_laplace", o->mode, o->cval, o->out};
    return cpi_filter_end(&f, c.name, each_axis(&c, input, second_derivative, sigma, false), o->out);
}

/*: function("gaussian_gradient_magnitude", """input: array, sigma: double, mode: filter_mode = 'reflect',
             cval: double = 0, out: out = None""", module="_filters",
             doc="The magnitude of the gradient by a Gaussian filter.") */
cp_array *(cp_gaussian_gradient_magnitude)(cp_array *input, double sigma,
                                           const cp_gaussian_gradient_magnitude_options *options)
{
    const cp_gaussian_gradient_magnitude_options *o = CPI_GIVEN(cp_gaussian_gradient_magnitude_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "gaussian_gradient_magnitude", input)) return NULL;
    const composed c = {"gaussian_gradient_magnitude", o->mode, o->cval, o->out};
    return cpi_filter_end(&f, c.name, each_axis(&c, input, first_derivative, sigma, true), o->out);
}

/* --- differences --- */

/* A difference along an axis, smoothed along all others. */
static cp_array *difference(const composed *c, cp_array *x, int axis, double middle)
{
    const int ndim = cp_ndim(x);
    if (cpi_axis(c->name, &axis, ndim)) return NULL;
    x = weighted(c, x, (const double[]){-1, 0, 1}, 3, axis);
    for (int d = 0; d < ndim; d++)
        if (d != axis) x = weighted(c, x, (const double[]){1, middle, 1}, 3, d);
    return x;
}

/*: function("sobel", """input: array, axis: index_axis = -1, mode: filter_mode = 'reflect', cval: double = 0,
             out: out = None""", module="_filters",
             doc="A difference along an axis, a weighted sum along all others.") */
cp_array *(cp_sobel)(cp_array *input, int axis, const cp_sobel_options *options)
{
    const cp_sobel_options *o = CPI_GIVEN(cp_sobel_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "sobel", input)) return NULL;
    const composed c = {"sobel", o->mode, o->cval, o->out};
    return cpi_filter_end(&f, c.name, difference(&c, input, axis, 2), o->out);
}

/*: function("prewitt", """input: array, axis: index_axis = -1, mode: filter_mode = 'reflect', cval: double = 0,
             out: out = None""", module="_filters", doc="A difference along an axis, a sum along all others.") */
cp_array *(cp_prewitt)(cp_array *input, int axis, const cp_prewitt_options *options)
{
    const cp_prewitt_options *o = CPI_GIVEN(cp_prewitt_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "prewitt", input)) return NULL;
    const composed c = {"prewitt", o->mode, o->cval, o->out};
    return cpi_filter_end(&f, c.name, difference(&c, input, axis, 1), o->out);
}

/*: function("uniform_filter", """input: array, size: per_axis = None, mode: filter_mode = 'reflect', cval: double = 0,
             origin: per_axis = None, out: out = None""", module="_filters",
             doc="The mean of a box (3 along each axis by default).") */
cp_array *(cp_uniform_filter)(cp_array *input, const cp_uniform_filter_options *options)
{
    const cp_uniform_filter_options *o = CPI_GIVEN(cp_uniform_filter_options, options);
    const char *name = "uniform_filter";
    cpi_composite f;
    int64_t size[CP_MAXDIM], origin[CP_MAXDIM];
    if (!cpi_begin(&f, name, input)) return NULL;
    const int ndim = cp_ndim(input);
    cp_array *x = NULL;
    if (!cpi_filter_per_axis(name, "size", o->size, ndim, 3, size) &&
        !cpi_filter_per_axis(name, "origin", o->origin, ndim, 0, origin))
        x = input;
    for (int d = 0; d < ndim && x; d++) {
        cp_array *to = cpi_filter_fresh(x, o->out);
        if (!to) x = NULL;
        else if (size[d] != 1)
            x = cp_uniform_filter1d(x, size[d], d, .mode = o->mode, .cval = o->cval, .origin = origin[d], .out = to);
    }
    return cpi_filter_end(&f, name, x == input && x ? cp_copy(x) : x, o->out);
}
