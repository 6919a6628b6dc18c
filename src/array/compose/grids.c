/* Triangles, sums of diagonals, repeated patterns. */
#include "compose/compose.h"

#include <string.h>

#include "shape/triangles.h"

/* One triangle of the last two axes, 0 elsewhere; a vector is broadcast to the rows of a square. */
static cp_array *half(const char *name, cp_array *m, int64_t k, bool upper)
{
    cpi_composite f;
    if (!cpi_begin(&f, name, m)) return NULL;
    const int nd = cp_ndim(m);
    if (!nd)
        return cpi_end(&f, (cpi_fail(CP_ERROR_TYPE, "%s: an array of at least one dimension is needed", name), NULL));
    cp_array *x = nd > 1 ? m : cp_broadcast_to(m, CP_SHAPE(cp_size(m), cp_size(m)));
    return cpi_end(&f, x ? cpi_triangles(name, x, k, upper) : NULL);
}

/*: function("tril", "m: array_like, k: int64 = 0",
             doc="The lower triangles of the last two axes, up to the k-th diagonal; 0 elsewhere.") */
cp_array *(cp_tril)(cp_array *m, const cp_tril_options *options)
{
    return half("tril", m, options ? options->k : 0, false);
}

/*: function("triu", "m: array_like, k: int64 = 0",
             doc="The upper triangles of the last two axes, from the k-th diagonal on; 0 elsewhere.") */
cp_array *(cp_triu)(cp_array *m, const cp_triu_options *options)
{
    return half("triu", m, options ? options->k : 0, true);
}

/*: function("trace",
             "a: array, offset: offset = 0, axis1: index_axis = 0, axis2: index_axis = 1, dtype: dtype = None, out: "
             "out = None", method=True, doc="The sum along a diagonal of two axes.") */
cp_array *(cp_trace)(cp_array *a, int axis2, const cp_trace_options *options)
{
    const cp_trace_options *o = CPI_GIVEN(cp_trace_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "trace", a)) return NULL;
    cp_array *d = cp_diagonal(a, o->offset, o->axis1, axis2);
    return cpi_end(&f, d ? cp_sum(d, .axis = CP_AXES(-1), .typed = o->typed, .dtype = o->dtype, .out = o->out) : NULL);
}

/*: function("outer", "a: array, b: array, out: out = None",
             doc="Products of every element of `a` with every one of `b`, both flattened.") */
cp_array *(cp_outer)(cp_array *a, cp_array *b, const cp_outer_options *options)
{
    cpi_composite f;
    if (!cpi_begin(&f, "outer", a)) return NULL;
    cp_array *flat = cp_ravel(a), *column = flat ? cp_expand_dims(flat, CP_AXES(1)) : NULL,
             *row = column ? cp_ravel(b) : NULL;
    return cpi_end(&f, row ? cpi_apply_2(CP_OP_multiply, column, row, options ? options->out : NULL) : NULL);
}

/* The result of tile: the axes of array and repetitions; the shorter list is padded with leading ones. */
typedef struct tiles {
    int ndim;
    int64_t from[CP_MAXDIM], times[CP_MAXDIM], shape[CP_MAXDIM];
    bool empty, alone; /* empty: the result is; alone: nothing is repeated */
} tiles;

static cp_code plan_tiles(const cp_array *a, int n, const int64_t *reps, tiles *t)
{
    int nd = cp_ndim(a);
    t->ndim = n > nd ? n : nd;
    if (n < 0 || t->ndim > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "tile: %d repetitions given, an array has 0 to %d dimensions", n, CP_MAXDIM);
    t->empty = false, t->alone = true;
    for (int i = 0; i < t->ndim; i++) {
        int64_t s = t->from[i] = i < t->ndim - nd ? 1 : cp_dims(a)[i - (t->ndim - nd)];
        int64_t r = t->times[i] = i < t->ndim - n ? 1 : reps[i - (t->ndim - n)];
        if (r < 0 && s) return cpi_fail(CP_ERROR_VALUE, "tile: negative dimensions are not allowed");
        if (__builtin_mul_overflow(r, s, &t->shape[i])) return cpi_fail(CP_ERROR_VALUE, "tile: array is too big");
        t->empty |= !t->shape[i], t->alone &= r == 1;
    }
    return CP_OK;
}

/* a with a new axis before each that is repeated: (r0, s0, r1, s1, ...), without those of length 1. Each remaining
 * axis at least doubles the number of elements, so 64 of them would exceed any array's size. */
static cp_array *repeated(cp_array *a, const tiles *t)
{
    int64_t seen[2 * CP_MAXDIM], wide[2 * CP_MAXDIM];
    int m = 0;
    for (int i = 0; i < t->ndim; i++) {
        if (t->times[i] != 1) seen[m] = 1, wide[m++] = t->times[i];
        if (t->from[i] != 1) seen[m] = wide[m] = t->from[i], m++;
    }
    if (m > CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "tile: array is too big"), NULL;
    return cp_broadcast_to(cp_reshape(a, (cp_shape){m, seen}), (cp_shape){m, wide});
}

/*: function("tile", "A: array_like, reps: ints", like=True, raises={"ValueError": "a negative number in `reps`"},
             doc="The array repeated `reps` times along each axis.") */
cp_array *cp_tile(cp_array *A, int n, const int64_t *reps)
{
    tiles t;
    cpi_composite f;
    if (cpi_null("tile", A) || (n > 0 && cpi_null("tile", reps)) || plan_tiles(A, n, reps, &t) ||
        !cpi_begin(&f, "tile", A))
        return NULL;
    cp_shape shape = {t.ndim, t.shape};
    if (t.empty) return cpi_end(&f, cp_empty(shape, cp_type_of(A)));
    if (t.alone) return cpi_end(&f, cp_copy_order(cp_reshape(A, shape), 'K'));
    cp_array *view = repeated(A, &t), *copy = view ? cp_copy(view) : NULL;
    return cpi_end(&f, copy ? cp_reshape(copy, shape) : NULL);
}

/*: function("extract", "condition: array, a: array",
             like=True, doc="The elements of the flattened `a` where the flattened condition is true.") */
cp_array *cp_extract(cp_array *condition, cp_array *a)
{
    cpi_composite f;
    if (!cpi_begin(&f, "extract", a)) return NULL;
    cp_array *flat = cp_ravel(condition);
    return cpi_end(&f, flat ? cp_compress(flat, a, CP_FLAT) : NULL);
}

/*: function("append", "arr: array_like, values: array_like, axis: axis_or_flat = None",
             doc="The array with the values appended along an axis (None: both flattened).") */
cp_array *cp_append(cp_array *arr, cp_array *values, int axis)
{
    return cp_concatenate(2, ((cp_array *[]){arr, values}), axis);
}
