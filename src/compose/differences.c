/* Differences of neighbours, and sums of areas between them. */
#include "compose/compose.h"

#include <math.h>
#include <string.h>

#include "cuprite/fuse.h"

enum { LONG = 1024 };

/* a[..., 1:, ...] - a[..., :-1, ...]; of booleans: where neighbours differ. */
static cp_array *steps(cp_array *a, int axis)
{
    if (!a) return NULL;
    cp_array *later = cpi_range(a, axis, 1, INT64_MAX), *earlier = cpi_range(a, axis, 0, -1);
    return cpi_apply_2(cp_type_of(a) == CP_BOOL ? CP_OP_not_equal : CP_OP_subtract, later, earlier, NULL);
}

/* A number beside the array along an axis becomes a slice of it. */
static cp_array *as_slice(cp_array *v, const cp_array *a, int axis)
{
    int64_t shape[CP_MAXDIM];
    if (cp_ndim(v)) return v;
    memcpy(shape, cp_dims(a), (size_t)cp_ndim(a) * sizeof *shape);
    shape[axis] = 1;
    return cp_broadcast_to(v, (cp_shape){cp_ndim(a), shape});
}

static cp_array *extended(cp_array *a, int axis, cp_array *before, cp_array *behind)
{
    cp_array *parts[3];
    int n = 0;
    if (before && !(parts[n++] = as_slice(before, a, axis))) return NULL;
    parts[n++] = a;
    if (behind && !(parts[n++] = as_slice(behind, a, axis))) return NULL;
    return n == 1 ? cp_slice(a, 1, &CP_ELLIPSIS) : cp_concatenate(n, parts, axis);
}

/*: function("diff",
             "a: array, n: int = 1, axis: index_axis = -1, prepend: array_like_to('subtract') = None, "
             "append: array_like_to('subtract') = None",
             returns="view_or_copy",
             like=True,
             doc="The n-th differences of neighbours along an axis; `prepend` and `append` are put beside `a` "
                 "first.") */
cp_array *(cp_diff)(cp_array *a, int n, int axis, const cp_diff_options *options)
{
    const cp_diff_options *o = CPI_GIVEN(cp_diff_options, options);
    if (cpi_null("diff", a)) return NULL;
    if (n < 0) return cpi_fail(CP_ERROR_VALUE, "diff: order must be non-negative but got %d", n), NULL;
    if (n > 0 && cp_ndim(a) == 0)
        return cpi_fail(CP_ERROR_VALUE, "diff: diff requires input that is at least one dimensional"), NULL;
    cpi_frame f;
    if (!cpi_begin(&f, "diff", a)) return NULL;
    cp_array *r = NULL;
    if (n == 0) r = cp_slice(a, 1, &CP_ELLIPSIS);
    else if (!cpi_axis("diff", &axis, cp_ndim(a))) r = extended(a, axis, o->prepend, o->append);
    for (int i = 0; i < n && r && cp_dim(r, axis); i++) r = steps(r, axis); /* nothing has no differences */
    return cpi_end(&f, r);
}

/* An end of ediff1d: flat, and of a type that the array's takes. */
static cp_array *flat_end(const char *name, cp_array *v, cp_type type)
{
    if (!cp_can_cast(cp_type_of(v), type, CP_SAME_KIND))
        return cpi_fail(CP_ERROR_TYPE,
                        "ediff1d: dtype of `%s` must be compatible with input `ary` under the `same_kind` "
                        "rule.",
                        name),
               NULL;
    return cp_ravel(v);
}

/*: function("ediff1d", "ary: array, to_end: array_like = None, to_begin: array_like = None",
             like=True,
             doc="Differences of neighbours in the flattened array, with `to_begin` before them and `to_end` "
                 "behind.") */
cp_array *(cp_ediff1d)(cp_array *ary, const cp_ediff1d_options *options)
{
    const cp_ediff1d_options *o = CPI_GIVEN(cp_ediff1d_options, options);
    cpi_frame f;
    if (!cpi_begin(&f, "ediff1d", ary)) return NULL;
    cp_array *flat = cp_ravel(ary), *parts[3];
    cp_type type = cp_type_of(ary);
    int n = 0;
    bool good = true;
    if (o->to_begin) good = (parts[n++] = flat_end("to_begin", o->to_begin, type)) != NULL;
    good =
        good && flat && (parts[n++] = cp_subtract(cpi_range(flat, 0, 1, INT64_MAX), cpi_range(flat, 0, 0, -1))) != NULL;
    if (good && o->to_end) good = (parts[n++] = flat_end("to_end", o->to_end, type)) != NULL;
    return cpi_end(&f, !good ? NULL : n == 1 ? parts[0] : cp_concatenate(n, parts, 0, .typed = true, .dtype = type));
}

/* The widths: distances of x's neighbours along an axis of its own; those of a 1-d x shaped to go with y. */
static cp_array *widths(cp_array *x, const cp_array *y, int axis, int given)
{
    int64_t shape[CP_MAXDIM];
    if (cp_ndim(x) != 1) return cp_diff(x, 1, given);
    cp_array *d = cp_diff(x, 1, 0);
    for (int i = 0; i < cp_ndim(y); i++) shape[i] = i == axis ? cp_size(d) : 1;
    return d ? cp_reshape(d, (cp_shape){cp_ndim(y), shape}) : NULL;
}

/* Are areas of one width between samples the sum of all of them, but half of the two at the ends? Not of whole numbers,
 * which wrap pair by pair, nor where the width is not finite, which makes NaN of pairs that are 0. */
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
    cpi_frame f;
    if (!cpi_begin(&f, "trapezoid", y)) return NULL;
    double width;
    if (!o->x && is_even_line(y, o->dx, own, &width)) return cpi_end(&f, even_areas(y, own, width));
    cp_array *left = cpi_range(y, own, 0, -1), *right = cpi_range(y, own, 1, INT64_MAX), *areas = NULL;
    cp_array *d = o->x ? widths(o->x, y, own, axis) : o->dx ? o->dx : cp_float(1);
    if (left && right && d)
        areas = cp_fused("d * (right + left) / 2.0", 3, ((const char *[]){"d", "left", "right"}),
                         ((cp_array *[]){d, left, right}));
    return cpi_end(&f, areas ? cp_sum(areas, .axis = CP_AXES(axis)) : NULL);
}
