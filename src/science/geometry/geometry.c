/* Coefficients of splines: types, axes and modes; and what the module's functions share. */
#include "geometry/parts.h"

#include <string.h>

/*: python_module("_geometry", doc="Splines and distances in C, behind cuprite.scipy.ndimage.") */
/*: words("resample_mode", "constant nearest reflect mirror wrap grid-wrap grid-constant grid-mirror",
          c="cp_resample_mode", values="CP_RESAMPLE_MODE_CONSTANT CP_RESAMPLE_MODE_NEAREST CP_RESAMPLE_MODE_REFLECT "
          "CP_RESAMPLE_MODE_MIRROR CP_RESAMPLE_MODE_WRAP CP_RESAMPLE_MODE_GRID_WRAP CP_RESAMPLE_MODE_GRID_CONSTANT "
          "CP_RESAMPLE_MODE_REFLECT") */

cp_code cpi_check_order(const char *name, int order)
{
    return order >= 0 && order <= 5 ? CP_OK : cpi_fail(CP_ERROR_RUNTIME, "%s: spline order not supported", name);
}

cp_code cpi_boundary_of(const char *name, cp_resample_mode mode, cpi_boundary *boundary)
{
    static const cpi_boundary of[] = {
        [CP_RESAMPLE_MODE_CONSTANT] = CPI_BOUNDARY_CONSTANT, [CP_RESAMPLE_MODE_NEAREST] = CPI_BOUNDARY_NEAREST,
        [CP_RESAMPLE_MODE_REFLECT] = CPI_BOUNDARY_REFLECT, [CP_RESAMPLE_MODE_MIRROR] = CPI_BOUNDARY_MIRROR,
        [CP_RESAMPLE_MODE_WRAP] = CPI_BOUNDARY_WRAP, [CP_RESAMPLE_MODE_GRID_WRAP] = CPI_BOUNDARY_GRID_WRAP,
        [CP_RESAMPLE_MODE_GRID_CONSTANT] = CPI_BOUNDARY_GRID_CONSTANT};
    if ((unsigned)mode > CP_RESAMPLE_MODE_GRID_CONSTANT)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: boundary mode not supported", name);
    *boundary = of[mode];
    return CP_OK;
}

cp_type cpi_result_type(const char *name, const cp_array *x, const cp_array *out, bool typed, cp_type dtype,
                        cp_type otherwise)
{
    const bool complex_x = cpi_is_complex(x->type);
    cp_type type = out ? out->type : typed ? dtype : otherwise;
    if (typed && cpi_check_type(name, dtype)) return CP_DEFAULT;
    if (complex_x && !cpi_is_complex(type)) {
        if (!out) return cp_promote(type, CP_COMPLEX64);
        return cpi_fail(CP_ERROR_RUNTIME, "%s: output must have complex dtype", name), CP_DEFAULT;
    }
    if (!complex_x && cpi_is_complex(type))
        return cpi_fail(CP_ERROR_RUNTIME, "%s: data type not supported: a complex result of real numbers", name),
               CP_DEFAULT;
    return type;
}

cp_code cpi_doubles_of(const char *name, cp_array *a, double *to)
{
    if (cpi_null(name, a) || cpi_check_real(name, a)) return cp_error();
    cp_array *plain = cp_astype(a, CP_FLOAT64), *dense = plain ? cp_contiguous(plain) : NULL;
    const cp_code code = dense ? cp_to_host(dense, to, (size_t)cp_nbytes(dense)) : cp_error();
    cp_free(dense);
    cp_free(plain);
    return code;
}

cp_code cpi_numbers_of(const char *name, cp_array *a, int n, double *to)
{
    if (cpi_null(name, a)) return cp_error();
    if (a->ndim > 1 || (a->ndim == 1 && a->shape[0] != n))
        return cpi_fail(CP_ERROR_RUNTIME, "%s: sequence argument must have length equal to input rank", name);
    if (n == 0 && a->ndim == 1) return CP_OK;
    double one;
    const cp_code code = cpi_doubles_of(name, a, a->ndim ? to : &one);
    for (int i = 0; !code && !a->ndim && i < n; i++) to[i] = one;
    return code;
}

/* --- coefficients --- */

static cpi_spline_ends ends_of(cpi_boundary mode)
{
    if (mode == CPI_BOUNDARY_GRID_WRAP) return CPI_SPLINE_WRAP;
    return mode == CPI_BOUNDARY_NEAREST || mode == CPI_BOUNDARY_REFLECT ? CPI_SPLINE_REFLECT : CPI_SPLINE_MIRROR;
}

/* One axis of the dense `from` into `to`, of its shape. */
static cp_code filter_axis(cp_array *from, cp_array *to, int axis, int order, cpi_boundary mode)
{
    cpi_spline s = {.source = from->type, .order = order, .ends = ends_of(mode), .outer = 1, .inner = 1,
                    .n = from->shape[axis], .from = from->data, .to = (double *)to->data};
    for (int d = 0; d < from->ndim; d++) {
        if (d < axis) s.outer *= from->shape[d];
        else if (d > axis) s.inner *= from->shape[d];
    }
    cpi_array_used(from);
    return to->device->backend->geometry->spline(cpi_stream(to->device), &s);
}

/* x filtered along axes from .. to - 1: a new dense array of float64. */
static cp_array *filtered(const char *name, cp_array *x, int order, cpi_boundary mode, int from, int to)
{
    cpi_device *device = cpi_common_device(name, 1, &x);
    cp_array *source = device ? cpi_dense(name, x, cpi_sampled_type(x->type), device) : NULL;
    cp_array *r = source ? cpi_array_new(name, device, CP_FLOAT64, x->ndim, x->shape, 'C') : NULL, *other = NULL;
    cp_code code = r ? CP_OK : CP_ERROR_MEMORY;
    int axes = 0;
    for (int axis = from; order >= 2 && axis < to; axis++) axes += x->shape[axis] >= 2;
    /* the CPU filters in place; elsewhere two arrays take turns, so that the last axis ends in the result */
    if (!code && axes > 1 && !device->backend->at_once) {
        other = cpi_array_new(name, device, CP_FLOAT64, x->ndim, x->shape, 'C');
        if (!other) code = CP_ERROR_MEMORY;
    }
    cp_array *now = source;
    for (int axis = from, left = axes; !code && left && r->size && axis < to; axis++) {
        if (x->shape[axis] < 2) continue;
        cp_array *next = other && --left % 2 ? other : r;
        code = filter_axis(now, next, axis, order, mode);
        now = next;
    }
    if (!code && !axes) code = cp_assign(r, source);
    cp_free(other);
    cp_free(source);
    return code ? NULL : r;
}

cp_array *cpi_spline_coefficients(const char *name, cp_array *x, int order, cpi_boundary mode, int from)
{
    return filtered(name, x, order, mode, from, x->ndim);
}

/* Axes from .. to - 1 of real numbers as `type`; SciPy rounds to it after each axis. */
static cp_array *filter_real(const char *name, cp_array *x, int order, cpi_boundary mode, int from, int to,
                             cp_type type)
{
    if (type == CP_FLOAT64) return filtered(name, x, order, mode, from, to);
    for (int axis = from; x && axis < to; axis++) {
        x = filtered(name, x, order, mode, axis, axis + 1);
        if (x) x = cp_astype(x, type);
    }
    return x;
}

static cp_array *filter(const char *name, cp_array *x, int order, cp_resample_mode mode, int from, int to, bool typed,
                        cp_type dtype, cp_array *out)
{
    cpi_composite f;
    cpi_boundary boundary = CPI_BOUNDARY_MIRROR;
    cp_array *r = NULL;
    if (!cpi_begin(&f, name, x)) return NULL;
    const cp_type type = cpi_result_type(name, x, out, typed, dtype, CP_FLOAT64);
    if (type == CP_DEFAULT || cpi_boundary_of(name, mode, &boundary)) return cpi_end(&f, NULL);
    if (out && !cpi_has_shape(out, x->ndim, x->shape))
        return cpi_end(&f, (cpi_fail(CP_ERROR_RUNTIME, "%s: output shape not correct", name), NULL));
    if (order < 2 || from == to) {
        r = cp_astype(x, type);
    } else if (!cpi_is_complex(type)) {
        r = filter_real(name, x, order, boundary, from, to, type);
    } else if ((r = cp_empty((cp_shape){x->ndim, x->shape}, type))) {
        const cp_type real = type == CP_COMPLEX64 ? CP_FLOAT32 : CP_FLOAT64;
        cp_array *re = cp_real_part(x), *im = cp_imag_part(x);
        re = re && im ? filter_real(name, re, order, boundary, from, to, real) : NULL;
        im = re ? filter_real(name, im, order, boundary, from, to, real) : NULL;
        if (!im || cp_assign(cp_real_part(r), re) || cp_assign(cp_imag_part(r), im)) r = NULL;
    }
    if (r && out && cp_assign(out, r)) r = NULL;
    return cpi_end(&f, r && out ? cpi_again(out) : r);
}

/*: function("spline_filter1d", "input: array, order: int, axis: index_axis, mode: resample_mode = 'constant', "
             "dtype: dtype = None, out: out = None", module="_geometry", unlock="always",
             raises={"RuntimeError": "an order beyond 0 to 5, an output of another shape, or of real numbers for "
                                     "complex "
                     "ones"},
             doc="""The coefficients of splines through the elements, along one axis; orders 0 and 1: the elements.
mode says how a line continues: 'constant', 'wrap' and 'grid-constant' as 'mirror', 'nearest' as 'reflect'.""") */
cp_array *(cp_spline_filter1d)(cp_array *input, int order, int axis, const cp_spline_filter1d_options *options)
{
    const cp_spline_filter1d_options *o = CPI_GIVEN(cp_spline_filter1d_options, options);
    if (cpi_null("spline_filter1d", input) || cpi_check_order("spline_filter1d", order)) return NULL;
    if (order > 1 && cpi_axis("spline_filter1d", &axis, input->ndim)) return NULL;
    return filter("spline_filter1d", input, order, o->mode, axis, axis + 1, o->typed, o->dtype, o->out);
}

/*: function("spline_filter", "input: array, order: int, mode: resample_mode = 'constant', dtype: dtype = None, "
             "out: out = None", module="_geometry", unlock="always",
             raises={"RuntimeError": "an order beyond 2 to 5, an output of another shape, or of real numbers for "
                                     "complex "
                     "ones"},
             doc="The coefficients of splines through the elements, along all axes, as spline_filter1d along one.") */
cp_array *(cp_spline_filter)(cp_array *input, int order, const cp_spline_filter_options *options)
{
    const cp_spline_filter_options *o = CPI_GIVEN(cp_spline_filter_options, options);
    if (cpi_null("spline_filter", input)) return NULL;
    if (order < 2 || order > 5) return cpi_fail(CP_ERROR_RUNTIME, "spline_filter: spline order not supported"), NULL;
    return filter("spline_filter", input, order, o->mode, 0, input->ndim, o->typed, o->dtype, o->out);
}
