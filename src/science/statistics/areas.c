/* Numerical integration of samples by the trapezoidal rule. */
#include "backend/array.h"
#include "compose/compose.h"
#include "cuprite/fuse.h"
#include "operands/operands.h"
#include "statistics/statistics.h"

#include <math.h>
#include <string.h>

enum { LONG = 1024 };

/* The widths: differences of x along its axis; those of a 1-d x are shaped to broadcast with y. */
static cp_array *widths(cp_array *x, const cp_array *y, int axis, int given)
{
    int64_t shape[CP_MAXDIM];
    if (cp_ndim(x) != 1) return cp_diff(x, 1, given);
    cp_array *d = cp_diff(x, 1, 0);
    for (int i = 0; i < cp_ndim(y); i++) shape[i] = i == axis ? cp_size(d) : 1;
    return d ? cp_reshape(d, (cp_shape){cp_ndim(y), shape}) : NULL;
}

/* Is the integral at one width the sum of all samples, less half of the two at the ends? Not for integers, which wrap
 * pair by pair, nor for a non-finite width, which makes NaN of pairs that are 0. */
static bool is_even_line(const cp_array *y, cp_array *dx, int axis, double *width)
{
    const cp_type type = cp_type_of(y);
    if ((type != CP_FLOAT32 && type != CP_FLOAT64) || cp_dim(y, axis) < LONG) return false;
    *width = 1;
    if (!dx) return true;
    cp_array *wide = dx->flags & CPI_WEAK ? cp_astype(dx, CP_FLOAT64) : NULL;
    return wide && !cp_to_host(wide, width, sizeof *width) && isfinite(*width);
}

static cp_array *even_areas(cp_array *y, int axis, double width)
{
    const cp_axes along = CP_AXES(axis);
    cp_array *inside = cp_sum(cpi_range(y, axis, 1, -1), .axis = along);
    cp_array *first = cp_sum(cpi_range(y, axis, 0, 1), .axis = along);
    cp_array *last = cp_sum(cpi_range(y, axis, -1, INT64_MAX), .axis = along);
    return cp_multiply(cp_add(inside, cp_multiply(cp_add(first, last), cp_float(0.5))), cp_float(width));
}

/* A 1-d array, with its own x or evenly spaced, on an asynchronous device: one kernel instead of one for each
 * operation. NULL without an error: not applicable. */
static cp_array *line_of_areas(cp_array *y, cp_array *x, double width)
{
    const cp_type type = cp_type_of(y);
    const bool alike = !x || (cp_type_of(x) == type && cp_ndim(x) == 1 && cp_size(x) == cp_size(y));
    if (y->device->backend->at_once || y->flags & CPI_HOST_SCALAR || (x && x->flags & CPI_HOST_SCALAR)) return NULL;
    if (!alike || (type != CP_FLOAT32 && type != CP_FLOAT64) || cp_ndim(y) != 1 || cp_size(y) < 2) return NULL;
    cpi_device *device = cpi_common_device("trapezoid", 2, (cp_array *[]){y, x});
    cp_array *values = device ? cpi_dense("trapezoid", y, type, device) : NULL;
    cp_array *indices = values && x ? cpi_dense("trapezoid", x, type, device) : NULL;
    cp_array *r = values && (indices || !x) ? cpi_array_new("trapezoid", device, type, 0, NULL, 'C') : NULL;
    if (r) {
        cpi_array_used(values);
        if (indices) cpi_array_used(indices);
        if (device->backend->statistics->areas(cpi_stream(device), type, values->size, values->data,
                                               indices ? indices->data : NULL, width, r->data))
            cp_free(r), r = NULL;
    }
    cp_free(values), cp_free(indices);
    return r;
}

/*: function("trapezoid", "y: array, x: array_like = None, dx: operand = 1.0, axis: axis = -1",
             like=True,
             doc="""The integral along an axis by the trapezoidal rule, of samples at `x` or `dx` (an array or a
number, 1 by default) apart. `axis` is one of `y`, of `x` where that has more than one, and of their product: -1 is the
last of each.""") */
cp_array *(cp_trapezoid)(cp_array *y, int axis, const cp_trapezoid_options *options)
{
    const cp_trapezoid_options *o = CPI_GIVEN(cp_trapezoid_options, options);
    int own = axis;
    if (cpi_null("trapezoid", y) || cpi_axis("trapezoid", &own, cp_ndim(y))) return NULL;
    cpi_composite f;
    if (!cpi_begin(&f, "trapezoid", y)) return NULL;
    double width = 1;
    const bool even = !o->x && is_even_line(y, o->dx, own, &width);
    cp_array *line = even || o->x ? line_of_areas(y, o->x, width) : NULL;
    if (line || !f.fine || cp_error()) return cpi_end(&f, line);
    if (even) return cpi_end(&f, even_areas(y, own, width));
    cp_array *left = cpi_range(y, own, 0, -1), *right = cpi_range(y, own, 1, INT64_MAX), *areas = NULL;
    cp_array *d = o->x ? widths(o->x, y, own, axis) : o->dx ? o->dx : cp_float(1);
    if (left && right && d)
        areas = cp_fused("d * (right + left) / 2.0", 3, ((const char *[]){"d", "left", "right"}),
                         ((cp_array *[]){d, left, right}));
    return cpi_end(&f, areas ? cp_sum(areas, .axis = CP_AXES(axis)) : NULL);
}
