/* Filters of Fourier coefficients: what each is multiplied by is a function of tables, one an axis, that are computed
 * on the host. */
#include <math.h>

#include "filters/call.h"

static const double PI = 3.14159265358979323846264338327950288;

typedef enum shape_of { GAUSSIAN, UNIFORM, ELLIPSOID, SHIFT } shape_of;

typedef struct fourier_call {
    const char *name;
    shape_of shape;
    int64_t n;      /* of a real transform's axis: its length before; else negative */
    int axis;
    cp_array *out;
} fourier_call;

/* The number for index k of an axis of length n. */
static double entry(shape_of shape, double parameter, double k, double n)
{
    const double t = PI * parameter * k / n;
    switch (shape) {
    case GAUSSIAN: return 2 * t * t > 50 ? 0 : exp(-2 * t * t);
    case UNIFORM: return k == 0 ? 1 : fabs(k) * parameter > 0 ? sin(t) / t : 0;
    case ELLIPSOID: return t * t;
    case SHIFT: break;
    }
    return -2 * t;
}

static void fill_table(const fourier_call *c, double *to, int d, int64_t n, double parameter)
{
    const bool real = d == c->axis && c->n >= 0;
    const int64_t length = real ? c->n : n;
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = real || i < (n + 1) / 2 ? i : i - n;
        to[i] = entry(c->shape, parameter, (double)k, (double)length);
    }
}

/* All axes' tables on the device. */
static cp_array *tables(const fourier_call *c, cp_array *x, cp_array *parameters, cpi_device *device)
{
    int64_t total = 0, at = 0;
    for (int d = 0; d < x->ndim; d++) total += x->shape[d];
    double *given = cpi_filter_numbers(c->name, parameters, parameters->size);
    double *host = given ? cpi_malloc((size_t)(total ? total : 1) * sizeof *host) : NULL;
    cp_array *r = host ? cpi_array_new(c->name, device, CP_FLOAT64, 1, &total, 'C') : NULL;
    for (int d = 0; r && d < x->ndim; d++) {
        fill_table(c, host + at, d, x->shape[d], given[parameters->size == 1 ? 0 : d]);
        at += x->shape[d];
    }
    cp_code code = CP_OK;
    if (r && total) code = device->backend->from_host(cpi_stream(device), r->data, host, (size_t)total * sizeof *host);
    cpi_free_host(given);
    cpi_free_host(host);
    return code ? cp_free(r), NULL : r;
}

static cp_code run(const fourier_call *c, cp_array *x, cp_array *table, cp_array *to)
{
    static const cpi_fourier_op ops[] = {CPI_FOURIER_PRODUCT, CPI_FOURIER_PRODUCT, CPI_FOURIER_DISC, CPI_FOURIER_SHIFT};
    cpi_fourier_filter f = {.op = ops[c->shape], .type = to->type, .ndim = x->ndim,
                            .tables = (const double *)table->data, .out = to->data};
    cp_array *in = cpi_dense(c->name, x, to->type, to->device);
    if (!in) return cp_error();
    cpi_array_used(in);
    for (int d = 0; d < x->ndim; d++) f.shape[d] = x->shape[d];
    f.in = in->data;
    cp_code code = to->device->backend->filters->fourier(cpi_stream(to->device), &f);
    cp_free(in);
    return code;
}

/* float32, float64 and complex types stay; others become float64. */
static cp_type computed(cp_type t, bool complex)
{
    if (cpi_is_complex(t) || (!complex && t == CP_FLOAT32)) return t;
    return complex ? CP_COMPLEX128 : CP_FLOAT64;
}

static cp_array *filter(fourier_call c, cp_array *x, cp_array *parameters)
{
    if (cpi_null(c.name, x) || cpi_null(c.name, parameters) || cpi_check_real(c.name, parameters)) return NULL;
    if (cpi_axis(c.name, &c.axis, x->ndim)) return NULL;
    if (parameters->size != 1 && (parameters->ndim != 1 || parameters->size != x->ndim))
        return cpi_fail(CP_ERROR_RUNTIME, "%s: sequence argument must have length equal to input rank", c.name), NULL;
    if (c.shape == ELLIPSOID && x->ndim > 3)
        return cpi_fail(CP_ERROR_UNSUPPORTED, "%s: only 1d, 2d and 3d inputs are supported", c.name), NULL;
    cp_type type = computed(x->type, c.shape == SHIFT);
    if (c.out) type = computed(cp_promote(type, c.out->type), c.shape == SHIFT);
    cpi_output o = {.function = c.name, .device = cpi_common_device(c.name, 2, (cp_array *const[]){x, c.out}),
                    .type = type, .ndim = x->ndim, .shape = x->shape, .out = c.out, .casting = CP_UNSAFE,
                    .dense = true};
    cp_array *table = o.device ? tables(&c, x, parameters, o.device) : NULL;
    if (!table || cpi_output_open(&o, 1, &x)) return cp_free(table), NULL;
    cp_code code = x->size ? run(&c, x, table, o.array) : CP_OK;
    cp_free(table);
    return cpi_output_close(&o, code);
}

/*: function("fourier_gaussian", "input: array, sigma: array, n: int64 = -1, axis: index_axis = -1, out: out = None",
             module="_filters", doc="Coefficients times a Gaussian function's transform.") */
cp_array *(cp_fourier_gaussian)(cp_array *input, cp_array *sigma, int64_t n, int axis,
                                const cp_fourier_gaussian_options *options)
{
    const cp_fourier_gaussian_options *o = CPI_GIVEN(cp_fourier_gaussian_options, options);
    return filter((fourier_call){"fourier_gaussian", GAUSSIAN, n, axis, o->out}, input, sigma);
}

/*: function("fourier_uniform", "input: array, size: array, n: int64 = -1, axis: index_axis = -1, out: out = None",
             module="_filters", doc="Coefficients times a box's transform.") */
cp_array *(cp_fourier_uniform)(cp_array *input, cp_array *size, int64_t n, int axis,
                               const cp_fourier_uniform_options *options)
{
    const cp_fourier_uniform_options *o = CPI_GIVEN(cp_fourier_uniform_options, options);
    return filter((fourier_call){"fourier_uniform", UNIFORM, n, axis, o->out}, input, size);
}

/*: function("fourier_ellipsoid", "input: array, size: array, n: int64 = -1, axis: index_axis = -1, out: out = None",
             module="_filters", doc="Coefficients times an ellipsoid's transform.") */
cp_array *(cp_fourier_ellipsoid)(cp_array *input, cp_array *size, int64_t n, int axis,
                                 const cp_fourier_ellipsoid_options *options)
{
    const cp_fourier_ellipsoid_options *o = CPI_GIVEN(cp_fourier_ellipsoid_options, options);
    return filter((fourier_call){"fourier_ellipsoid", ELLIPSOID, n, axis, o->out}, input, size);
}

/*: function("fourier_shift", "input: array, shift: array, n: int64 = -1, axis: index_axis = -1, out: out = None",
             module="_filters", doc="Coefficients of the shifted image.") */
cp_array *(cp_fourier_shift)(cp_array *input, cp_array *shift, int64_t n, int axis,
                             const cp_fourier_shift_options *options)
{
    const cp_fourier_shift_options *o = CPI_GIVEN(cp_fourier_shift_options, options);
    return filter((fourier_call){"fourier_shift", SHIFT, n, axis, o->out}, input, shift);
}
