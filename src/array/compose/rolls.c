/* Rolled arrays, and arrays of another size filled with the same elements. */
#include "compose/compose.h"

#include <string.h>

#include "shape/triangles.h"

/* Chunks that are assigned together: two for each shifted axis, in all combinations. */
enum { TOGETHER = 8 };
typedef struct nchunks {
    int n;
    cp_array *from[TOGETHER], *to[TOGETHER];
} nchunks;

static cp_code put_chunks(cp_array *from, cp_array *to, int axis, const int64_t *shift, nchunks *p)
{
    while (axis < cp_ndim(from) && !shift[axis]) axis++;
    if (axis == cp_ndim(from)) {
        p->from[p->n] = from, p->to[p->n++] = to;
        if (p->n < TOGETHER) return CP_OK;
        p->n = 0;
        return cpi_assign_all(TOGETHER, p->to, p->from);
    }
    const int64_t n = cp_dim(from, axis), s = shift[axis];
    cp_code code = CP_OK;
    for (int i = 0; i < 2 && !code; i++) {
        cp_array *a = cpi_range(from, axis, i ? n - s : 0, i ? n : n - s);
        cp_array *b = cpi_range(to, axis, i ? 0 : s, i ? s : n);
        code = a && b ? put_chunks(a, b, axis + 1, shift, p) : cp_error();
    }
    return code;
}

static cp_code put_all(cp_array *from, cp_array *to, const int64_t *shift)
{
    nchunks p = {0};
    cp_code code = put_chunks(from, to, 0, shift, &p);
    return code || !p.n ? code : cpi_assign_all(p.n, p.to, p.from);
}

/* Adds a shift to the axis's total, modulo its length. */
static void add_shift(int64_t *total, int64_t shift, int64_t n)
{
    if (!n) return;
    shift %= n;
    *total += shift < 0 ? shift + n : shift;
    *total %= n;
}

/*: function("roll", "a: array, shift: ints, axis: index_axes = None",
             like=True,
             doc="Elements shifted along axes by `shift`, those beyond the end to the beginning; None: of the "
                 "flattened array, in the array's shape.") */
cp_array *(cp_roll)(cp_array *a, int n, const int64_t *shift, const cp_roll_options *options)
{
    const cp_axes axes = options ? options->axis : CP_ALL;
    int64_t by[CP_MAXDIM] = {0};
    if (cpi_null("roll", a) || (n > 0 && cpi_null("roll", shift))) return NULL;
    const int pairs = !axes.at ? n : n == 0 || axes.n == 0 ? 0 : n > axes.n ? n : axes.n;
    for (int i = 0; axes.at && i < axes.n; i++) {
        int axis = axes.at[i];
        if (cpi_axis("roll", &axis, cp_ndim(a))) return NULL;
    }
    if (axes.at && n != axes.n && n != 1 && axes.n != 1)
        return cpi_fail(CP_ERROR_VALUE, "roll: shape mismatch: objects cannot be broadcast to a single shape: %d "
                        "shifts, %d axes", n, axes.n), NULL;
    cpi_composite f;
    if (!cpi_begin(&f, "roll", a)) return NULL;
    if (!axes.at) {
        cp_array *line = cp_ravel(a), *r = line ? cp_empty_like(line, CP_DEFAULT) : NULL;
        for (int i = 0; i < n; i++) add_shift(by, shift[i], cp_size(a));
        if (!r || put_all(line, r, by)) return cpi_end(&f, NULL);
        return cpi_end(&f, cp_reshape(r, (cp_shape){cp_ndim(a), cp_dims(a)}));
    }
    for (int i = 0; i < pairs; i++) {
        const int axis = axes.at[axes.n == 1 ? 0 : i], position = axis < 0 ? axis + cp_ndim(a) : axis;
        add_shift(&by[position], shift[n == 1 ? 0 : i], cp_dim(a, position));
    }
    cp_array *r = cp_empty_like(a, CP_DEFAULT);
    return cpi_end(&f, r && put_all(a, r, by) == CP_OK ? r : NULL);
}

/*: function("resize", "a: array_like, new_shape: shape",
             doc="An array of that shape, filled with the elements of `a`, repeated where it is larger.") */
cp_array *cp_resize(cp_array *a, cp_shape new_shape)
{
    int64_t size = 1;
    cpi_composite f;
    if (new_shape.n > 0 && cpi_null("resize", new_shape.dim)) return NULL;
    if (new_shape.n < 0 || new_shape.n > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "resize: %d dimensions given, at most %d are possible", new_shape.n, CP_MAXDIM),
               NULL;
    bool zero = false, wraps = false;
    for (int i = 0; i < new_shape.n; i++) {
        if (new_shape.dim[i] < 0)
            return cpi_fail(CP_ERROR_VALUE, "resize: all elements of `new_shape` must be non-negative"), NULL;
        if (!new_shape.dim[i]) zero = true;
        else wraps |= __builtin_mul_overflow(size, new_shape.dim[i], &size);
    }
    if (wraps && !zero) return cpi_fail(CP_ERROR_VALUE, "resize: the result has too many elements"), NULL;
    if (!cpi_begin(&f, "resize", a)) return NULL;
    if (zero || !cp_size(a)) return cpi_end(&f, cp_zeros(new_shape, cp_type_of(a)));
    cp_array *line = cp_ravel(a), *all = line;
    const int64_t times = (size - 1) / cp_size(a) + 1;
    if (line && times > 1) all = cp_tile(line, 1, &times);
    if (all) all = cpi_range(all, 0, 0, size);
    return cpi_end(&f, all ? cp_reshape(cp_copy(all), new_shape) : NULL);
}
