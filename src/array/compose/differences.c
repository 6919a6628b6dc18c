/* Differences of neighbours. */
#include "compose/compose.h"

#include <string.h>

/* a[..., 1:, ...] - a[..., :-1, ...]; of booleans: where neighbours differ. */
static cp_array *steps(cp_array *a, int axis)
{
    if (!a) return NULL;
    cp_array *later = cpi_range(a, axis, 1, INT64_MAX), *earlier = cpi_range(a, axis, 0, -1);
    return cpi_apply_2(cp_type_of(a) == CP_BOOL ? CP_OP_not_equal : CP_OP_subtract, later, earlier, NULL);
}

/* A number is broadcast to a slice of the array along the axis. */
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
             "a: array_like, n: int = 1, axis: index_axis = -1, prepend: array_like_to('subtract') = None, "
             "append: array_like_to('subtract') = None",
             returns="view_or_copy",
             like=True,
             doc="The n-th differences of neighbours along an axis; `prepend` and `append` are joined to `a` "
                 "first.") */
cp_array *(cp_diff)(cp_array *a, int n, int axis, const cp_diff_options *options)
{
    const cp_diff_options *o = CPI_GIVEN(cp_diff_options, options);
    if (cpi_null("diff", a)) return NULL;
    if (n < 0) return cpi_fail(CP_ERROR_VALUE, "diff: order must be non-negative but got %d", n), NULL;
    if (n > 0 && cp_ndim(a) == 0)
        return cpi_fail(CP_ERROR_VALUE, "diff: diff requires input that is at least one dimensional"), NULL;
    cpi_composite f;
    if (!cpi_begin(&f, "diff", a)) return NULL;
    cp_array *r = NULL;
    if (n == 0) r = cp_slice(a, 1, &CP_ELLIPSIS);
    else if (!cpi_axis("diff", &axis, cp_ndim(a))) r = extended(a, axis, o->prepend, o->append);
    for (int i = 0; i < n && r && cp_dim(r, axis); i++) r = steps(r, axis); /* an empty axis has no differences */
    return cpi_end(&f, r);
}

/* An end of ediff1d, flattened and converted to the array's type. */
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
                 "after them.") */
cp_array *(cp_ediff1d)(cp_array *ary, const cp_ediff1d_options *options)
{
    const cp_ediff1d_options *o = CPI_GIVEN(cp_ediff1d_options, options);
    cpi_composite f;
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
