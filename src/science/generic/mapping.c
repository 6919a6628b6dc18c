/* Splines sampled where a function of numbers says: it is called for each index of the result, on the host. */
#include "generic/host.h"

#include <string.h>

typedef struct transform {
    const char *name;
    cp_mapping_function function;
    void *context;
    int ndim, input_ndim;
    const int64_t *shape;
    int64_t size;
    double *to; /* (input_ndim, size) */
} transform;

static cp_code call_all(const transform *f)
{
    intptr_t at[CP_MAXDIM] = {0}, given[CP_MAXDIM];
    double position[CP_MAXDIM];
    for (int64_t i = 0; i < f->size; i++) {
        memcpy(given, at, (size_t)f->ndim * sizeof *at);
        memset(position, 0, (size_t)f->input_ndim * sizeof *position);
        if (!f->function(given, position, f->ndim, f->input_ndim, f->context))
            return cpi_generic_failed(f->name, "mapping");
        for (int d = 0; d < f->input_ndim; d++) f->to[d * f->size + i] = position[d];
        for (int d = f->ndim - 1; d >= 0 && ++at[d] == f->shape[d]; d--) at[d] = 0;
    }
    return CP_OK;
}

/* The coordinates of all elements, (input_ndim, shape), on the current device. */
static cp_array *coordinates(transform *f)
{
    const int64_t bytes = (int64_t)sizeof *f->to * f->input_ndim;
    int64_t dims[CP_MAXDIM + 1];
    f->size = 1, dims[0] = f->input_ndim;
    if (f->ndim >= CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "%s: a result of %d dimensions", f->name, f->ndim), NULL;
    for (int d = 0; d < f->ndim; d++) {
        dims[d + 1] = f->shape[d];
        if (f->shape[d] < 0)
            return cpi_fail(CP_ERROR_VALUE, "%s: output_shape: negative dimensions are not allowed", f->name), NULL;
        if (__builtin_mul_overflow(f->size, f->shape[d], &f->size) || f->size > INT64_MAX / bytes)
            return cpi_fail(CP_ERROR_MEMORY, "%s: no memory for so large a result", f->name), NULL;
    }
    f->to = cpi_malloc((size_t)(f->size ? f->size * bytes : 1));
    const bool good = f->to && !call_all(f);
    cp_array *r = good ? cp_from_host(f->to, CP_FLOAT64, (cp_shape){f->ndim + 1, dims}, NULL) : NULL;
    cpi_free_host(f->to);
    return r;
}

cp_array *(cp_geometric_transform)(cp_array *input, cp_mapping_function mapping, void *context, int order,
                                   const cp_geometric_transform_options *options)
{
    const cp_geometric_transform_options *o = CPI_GIVEN(cp_geometric_transform_options, options);
    transform f = {.name = "geometric_transform", .function = mapping, .context = context};
    cpi_composite scope;
    if (cpi_null(f.name, input) || cpi_generic_no_function(f.name, mapping != NULL)) return NULL;
    if (order < 0 || order > 5) return cpi_fail(CP_ERROR_RUNTIME, "%s: spline order not supported", f.name), NULL;
    if ((unsigned)o->mode > CP_RESAMPLE_MODE_GRID_CONSTANT)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: boundary mode not supported", f.name), NULL;
    const bool shaped = o->output_shape.dim != NULL;
    f.input_ndim = input->ndim;
    f.ndim = shaped ? o->output_shape.n : input->ndim, f.shape = shaped ? o->output_shape.dim : input->shape;
    if (f.ndim < 1 || input->ndim < 1)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: input and output rank must be > 0", f.name), NULL;
    if (o->out && !cpi_has_shape(o->out, f.ndim, f.shape))
        return cpi_fail(CP_ERROR_RUNTIME, "%s: output shape not correct", f.name), NULL;
    if (o->out && cpi_check_writable(f.name, o->out)) return NULL;
    if (!cpi_begin(&scope, f.name, input)) return NULL;
    cp_array *where = coordinates(&f), *r = NULL;
    if (where)
        r = cp_map_coordinates(input, where, order, .mode = o->mode, .cval = o->cval, .cval_imag = o->cval_imag,
                               .filtered = o->filtered, .typed = o->typed, .dtype = o->dtype, .out = o->out);
    return cpi_end(&scope, r);
}
