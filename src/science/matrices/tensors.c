/* Linear systems of tensors, reshaped to matrices, and the cross product. */
#include "compose/compose.h"
#include "operands/operands.h"

#include <string.h>

static int64_t product(const int64_t *shape, int from, int to)
{
    int64_t p = 1;
    for (int i = from; i < to; i++) p *= shape[i];
    return p;
}

/* a with these axes moved to the end, in their order; of an axis named twice the second position counts. */
static cp_array *with_axes_last(cp_array *a, cp_axes axes)
{
    int order[CP_MAXDIM], nd = cp_ndim(a);
    for (int i = 0; i < nd; i++) order[i] = i;
    for (int k = 0; k < axes.n; k++) {
        int axis = axes.at[k], at = 0;
        if (cpi_axis("tensorsolve", &axis, nd)) return NULL;
        while (order[at] != axis) at++;
        memmove(order + at, order + at + 1, (size_t)(nd - 1 - at) * sizeof *order);
        order[nd - 1] = axis;
    }
    return cp_transpose(a, (cp_axes){nd, order});
}

/*: function("tensorsolve", "a: array, b: array, axes: index_axes = None", module="_linalg", unlock="always",
             doc="""x with tensordot(a, x, x.ndim) = b; `axes` of a go to its end first. LinAlgError unless the lengths
of x's axes have the same product as b's.""") */
cp_array *(cp_tensorsolve)(cp_array *a, cp_array *b, const cp_tensorsolve_options *options)
{
    cpi_composite f;
    if (cpi_null("tensorsolve", b) || !cpi_begin(&f, "tensorsolve", a)) return NULL;
    cp_axes axes = options ? options->axes : (cp_axes){0};
    int nd = cp_ndim(a), k = nd - cp_ndim(b);
    if (axes.at && axes.n && !(a = with_axes_last(a, axes))) return cpi_end(&f, NULL);
    /* the last k axes are x's; with k 0 or less the shape is what Python's a.shape[-k:] is */
    int from = k > 0 ? nd - k : -k < nd ? -k : nd;
    int64_t p = product(cp_dims(a), from, nd), square;
    if (__builtin_mul_overflow(p, p, &square) || cp_size(a) != square)
        return cpi_end(&f, (cpi_fail(CP_ERROR_LINALG, "tensorsolve: Input arrays must satisfy the requirement "
                                     "prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"), NULL));
    int64_t shape[CP_MAXDIM];
    memcpy(shape, cp_dims(a) + from, (size_t)(nd - from) * sizeof *shape);
    cp_array *matrix = cp_reshape(a, CP_SHAPE(p, p)), *x = matrix ? cp_solve(matrix, cp_ravel(b)) : NULL;
    return cpi_end(&f, x ? cp_reshape(x, (cp_shape){nd - from, shape}) : NULL);
}

/*: function("tensorinv", "a: array, ind: int = 2", module="_linalg", unlock="always",
             doc="The inverse of a as a matrix whose rows are its first `ind` axes and whose columns the others.") */
cp_array *cp_tensorinv(cp_array *a, int ind)
{
    cpi_composite f;
    if (!cpi_begin(&f, "tensorinv", a)) return NULL;
    if (ind <= 0) return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "tensorinv: Invalid ind argument."), NULL));
    int nd = cp_ndim(a), k = ind < nd ? ind : nd;
    int64_t shape[CP_MAXDIM], p = product(cp_dims(a), k, nd), rest = p ? cp_size(a) / p : 0;
    for (int i = 0; i < nd; i++) shape[i] = cp_dims(a)[(i + k) % nd];
    if (p * rest != cp_size(a))
        return cpi_end(&f, (cpi_fail(CP_ERROR_LINALG, "tensorinv: Last 2 dimensions of the array must be square"),
                            NULL));
    cp_array *matrix = cp_reshape(a, CP_SHAPE(p, rest)), *x = matrix ? cp_inv(matrix) : NULL;
    return cpi_end(&f, x ? cp_reshape(x, (cp_shape){nd, shape}) : NULL);
}

/* Part i of vectors along the last axis; NULL for one that two-dimensional vectors lack. */
static cp_array *part(cp_array *v, int i)
{
    return i < cp_dim(v, -1) ? cp_slice(v, CP_ITEMS(CP_ELLIPSIS, CP_AT(i))) : NULL;
}
/* x y - z w, where NULL counts as 0. */
static cp_array *difference(cp_array *x, cp_array *y, cp_array *z, cp_array *w)
{
    cp_array *first = x && y ? cp_multiply(x, y) : NULL, *second = z && w ? cp_multiply(z, w) : NULL;
    if (first && second) return cp_subtract(first, second);
    return first ? first : second ? cp_negative(second) : NULL;
}

/* `to` = x y - z w, without a temporary for it. */
static bool difference_to(cp_array *to, cp_array *x, cp_array *y, cp_array *z, cp_array *w)
{
    const cp_ufunc_options out = {.out = to};
    cp_array *second = to && z && w ? cp_multiply(z, w) : NULL;
    return second && x && y && !cp_elementwise_all(CP_OP_multiply, (cp_array *[]){x, y}, NULL, &out) &&
           !cp_elementwise_all(CP_OP_subtract, (cp_array *[]){to, second}, NULL, &out);
}

/* The three components, each contiguous. */
static cp_array *split_parts(cp_array *v) { return v ? cp_copy(cp_transpose(v, CP_ALL)) : NULL; }

/* The cross product of vectors of three elements, one pair or equally many of each: components are written in place.
 * Where there are many, the components are contiguous temporaries, since strides of three elements cost more than
 * transposing them all. */
static cp_array *cross_of_three(cp_array *a, cp_array *b, cp_type type, int axisc)
{
    enum { MANY = 24 };
    const int nd = cp_ndim(a);
    const int64_t n = cp_dim(a, 0), shape[2] = {axisc ? n : 3, axisc ? 3 : n};
    const bool apart = nd == 2 && n >= MANY, transposed = apart && axisc;
    if (apart) a = split_parts(a), b = split_parts(b);
    cp_array *r = cp_empty(transposed ? CP_SHAPE(3, n) : (cp_shape){nd, shape}, type), *x[3], *y[3];
    for (int i = 0; i < 3; i++) {
        x[i] = a && apart ? cp_slice(a, 1, &CP_AT(i)) : a ? part(a, i) : NULL;
        y[i] = b && apart ? cp_slice(b, 1, &CP_AT(i)) : b ? part(b, i) : NULL;
    }
    for (int i = 0; i < 3 && r; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        cp_array *to =
            axisc && !transposed ? cp_slice(r, 2, (cp_index[]){CP_FULL, CP_AT(i)}) : cp_slice(r, 1, &CP_AT(i));
        if (!difference_to(to, x[j], y[k], x[k], y[j])) r = NULL;
    }
    return r && transposed ? cp_copy(cp_transpose(r, CP_ALL)) : r;
}

/*: function("cross",
             "a: array_like, b: array_like, axisa: int = -1, axisb: int = -1, axisc: int = -1, "
             "axis: index_axis_or_flat = None",
             doc="""The cross products of vectors of two or three elements along an axis of each, which is a new one of
the result (axis: of all three); of two vectors of two elements the third element alone.""") */
cp_array *cp_cross(cp_array *a, cp_array *b, int axisa, int axisb, int axisc, int axis)
{
    cpi_composite f;
    if (cpi_null("cross", b) || !cpi_begin(&f, "cross", a)) return NULL;
    if (axis != CP_FLAT) axisa = axisb = axisc = axis;
    if (!cp_ndim(a) || !cp_ndim(b))
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "cross: At least one array has zero dimension"), NULL));
    if (cpi_axis("cross", &axisa, cp_ndim(a)) || cpi_axis("cross", &axisb, cp_ndim(b))) return cpi_end(&f, NULL);
    a = cp_moveaxis(a, CP_AXES(axisa), CP_AXES(-1)), b = cp_moveaxis(b, CP_AXES(axisb), CP_AXES(-1));
    if (!a || !b) return cpi_end(&f, NULL);
    int64_t na = cp_dim(a, -1), nb = cp_dim(b, -1);
    if ((na != 2 && na != 3) || (nb != 2 && nb != 3))
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "cross: incompatible dimensions for cross product (dimension must "
                                     "be 2 or 3)"), NULL));
    const cp_type type = cp_promote(cp_type_of(a), cp_type_of(b));
    if (na == 3 && nb == 3 && cp_ndim(a) < 3 && cpi_has_shape(a, cp_ndim(b), cp_dims(b)) && type != CP_BOOL) {
        if (cpi_axis("cross", &axisc, cp_ndim(a))) return cpi_end(&f, NULL);
        return cpi_end(&f, cross_of_three(a, b, type, axisc));
    }
    cp_array *x[3], *y[3], *parts[3];
    for (int i = 0; i < 3; i++) x[i] = part(a, i), y[i] = part(b, i);
    parts[2] = difference(x[0], y[1], x[1], y[0]);
    if (na == 2 && nb == 2) return cpi_end(&f, parts[2]);
    parts[0] = difference(x[1], y[2], x[2], y[1]);
    parts[1] = difference(x[2], y[0], x[0], y[2]);
    for (int i = 0; i < 3; i++)
        if (!parts[i] || cpi_axis("cross", &axisc, cp_ndim(parts[i]) + 1)) return cpi_end(&f, NULL);
    return cpi_end(&f, cp_stack(3, parts, axisc));
}
