/* Sparse matrices: extremes along axes and where they are, how many elements are not 0, which ones. Elements that stand
 * twice count as their sum, zeros that are not stored as elements. */
#include "cuprite/index.h"
#include "cuprite/ufunc.h"
#include "operands/operands.h"
#include "sparse/handle.h"

static cp_array *zero_of(cp_type t) { return cp_zeros(CP_SHAPE0, t); }
cp_code cpi_sparse_check_axis(const char *name, int axis)
{
    if (axis == 0 || axis == 1 || axis == CP_FLAT) return CP_OK;
    return cpi_fail(CP_ERROR_AXIS, "%s: axis must be 0, 1 or CP_FLAT, not %d", name, axis);
}
/* A canonical matrix by the lines along which the axis goes. */
static cp_sparse *along(cp_sparse *a, int axis)
{
    cp_sparse *lines = cp_sparse_convert(a, axis ? CP_SPARSE_CSR : CP_SPARSE_CSC);
    cp_sparse *m = lines ? cpi_sparse_canonical(lines) : NULL;
    cp_sparse_free(lines);
    return m;
}
typedef cp_array *(*pair)(cp_array *x, cp_array *y);

/* --- how much --- */

static cp_array *extreme_of_lines(const cp_sparse *m, cp_op op, pair f, bool stored)
{
    const cp_type type = m->part[0]->type;
    cp_array *y = cp_zeros(CP_SHAPE(cpi_sparse_major(m)), type);
    if (!y || !m->part[0]->size) return y;
    cp_array *lengths = cp_diff(m->part[2], 1, 0), *lines = cp_flatnonzero(lengths);
    cp_array *begin = cp_take(m->part[2], lines, 0), *length = cp_take(lengths, lines, 0);
    cp_array *value = begin ? cp_ufunc_reduceat(op, m->part[0], begin, 0) : NULL;
    if (!value) return NULL;
    if (!stored) value = cp_where(cp_less(length, cp_int(cpi_sparse_minor(m))), f(value, zero_of(type)), value);
    return value && cp_put(y, lines, value) == CP_OK ? y : NULL;
}
static cp_code check_extreme(const char *name, const cp_sparse *a, int axis)
{
    if (cpi_null(name, a) || cpi_sparse_check_axis(name, axis)) return cp_error();
    if (axis == CP_FLAT ? a->rows && a->columns : (axis ? a->columns : a->rows)) return CP_OK;
    return cpi_fail(CP_ERROR_VALUE, "%s: there must be an element along the axis", name);
}
static cp_array *extreme(const char *name, cp_sparse *a, int axis, const cp_sparse_extreme_options *options, cp_op op,
                         pair f)
{
    const bool stored = CPI_GIVEN(cp_sparse_extreme_options, options)->stored;
    cpi_composite scope;
    if (check_extreme(name, a, axis) || !cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse *m = axis == CP_FLAT ? cpi_sparse_canonical(a) : along(a, axis);
    cp_array *y = NULL;
    if (m && axis != CP_FLAT) y = extreme_of_lines(m, op, f, stored);
    else if (m) {
        const int64_t n = m->part[0]->size;
        y = n ? cp_ufunc_reduce(op, m->part[0]) : zero_of(m->part[0]->type);
        if (y && n && !stored && (n % a->rows || n / a->rows != a->columns)) y = f(y, zero_of(m->part[0]->type));
    }
    cp_sparse_free(m);
    return cpi_end(&scope, y);
}
cp_array *(cp_sparse_max)(cp_sparse *a, int axis, const cp_sparse_extreme_options *options)
{
    return extreme("sparse_max", a, axis, options, CP_OP_maximum, cp_maximum);
}
cp_array *(cp_sparse_min)(cp_sparse *a, int axis, const cp_sparse_extreme_options *options)
{
    return extreme("sparse_min", a, axis, options, CP_OP_minimum, cp_minimum);
}
cp_array *(cp_sparse_nanmax)(cp_sparse *a, int axis, const cp_sparse_extreme_options *options)
{
    return extreme("sparse_nanmax", a, axis, options, CP_OP_fmax, cp_fmax);
}
cp_array *(cp_sparse_nanmin)(cp_sparse *a, int axis, const cp_sparse_extreme_options *options)
{
    return extreme("sparse_nanmin", a, axis, options, CP_OP_fmin, cp_fmin);
}

/* --- where --- */

static cp_array *least(cp_array *x, cp_array *begin) { return cp_ufunc_reduceat(CP_OP_minimum, x, begin, 0); }
static cp_array *wide(cp_array *x) { return x && x->type != CP_INT64 ? cp_astype(x, CP_INT64) : x; }

/* The place of each line's extreme, of its elements and, where there is `beats`, the first zero that is not stored: a
 * NaN is one then only of a line whose elements are all stored, as in SciPy. */
static cp_array *place_in_lines(cp_array *data, cp_array *indices, cp_array *indptr, int64_t minor, cp_op op,
                                pair beats)
{
    cp_array *y = cp_zeros(CP_SHAPE(indptr->size - 1), CP_INT64);
    if (!y || !data->size) return y;
    cp_array *ends = wide(indptr), *lengths = cp_diff(ends, 1, 0), *lines = cp_flatnonzero(lengths);
    cp_array *begin = cp_take(ends, lines, 0), *length = cp_take(lengths, lines, 0);
    cp_array *value = begin ? cp_ufunc_reduceat(op, data, begin, 0) : NULL;
    if (!value || !length) return NULL;
    cp_array *which = cp_repeat(cp_arange_int(0, lines->size, 1, CP_INT64), length, 0);
    cp_array *at = cp_subtract(cp_arange_int(0, data->size, 1, CP_INT64), cp_take(begin, which, 0));
    cp_array *own = cp_take(value, which, 0), *beyond = cp_full(CP_SHAPE0, CP_INT64, cp_int(INT64_MAX));
    cp_array *nan = cp_logical_and(cp_not_equal(data, data), cp_not_equal(own, own));
    cp_array *is = cp_logical_or(cp_equal(data, own), nan);
    cp_array *first = least(cp_where(is, at, beyond), begin);
    cp_array *place = wide(cp_take(indices, cp_add(begin, first), 0));
    if (!beats) return place && cp_put(y, lines, place) == CP_OK ? y : NULL;
    cp_array *gap = cp_minimum(least(cp_where(cp_not_equal(indices, at), at, beyond), begin), length);
    cp_array *zero = zero_of(data->type);
    cp_array *stored = cp_logical_or(beats(value, zero), cp_equal(length, cp_int(minor)));
    cp_array *other = cp_where(cp_equal(value, zero), cp_minimum(place, gap), gap);
    place = cp_where(stored, place, other);
    return place && cp_put(y, lines, place) == CP_OK ? y : NULL;
}
/* The same in the matrix' elements as one line. */
static cp_array *place_in_all(const char *name, const cp_sparse *m, cp_op op, pair beats)
{
    int64_t size;
    if (__builtin_mul_overflow(m->rows, m->columns, &size))
        return cpi_fail(CP_ERROR_VALUE, "%s: a matrix must have at most 2^63 - 1 elements", name), NULL;
    cp_array *line = wide(cp_csr_rows(m->part[1], m->part[2]));
    cp_array *at = cp_add(cp_multiply(line, cp_int(m->columns)), wide(m->part[1]));
    cp_array *ends = cp_from_host((const int64_t[]){0, m->part[0]->size}, CP_INT64, CP_SHAPE(2), NULL);
    if (!at || !ends) return NULL;
    return cp_reshape(place_in_lines(m->part[0], at, ends, size, op, beats), CP_SHAPE0);
}
static cp_array *place(const char *name, cp_sparse *a, int axis, const cp_sparse_extreme_options *options, cp_op op,
                       pair beats)
{
    cpi_composite scope;
    if (CPI_GIVEN(cp_sparse_extreme_options, options)->stored) beats = NULL;
    if (check_extreme(name, a, axis) || !cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse *m = along(a, axis ? 1 : 0); /* of all elements in the order of rows */
    cp_array *y = NULL;
    if (m && axis == CP_FLAT && !beats && !m->part[0]->size)
        cpi_fail(CP_ERROR_VALUE, "%s: there must be an element that is stored", name);
    else if (m && axis == CP_FLAT) y = place_in_all(name, m, op, beats);
    else if (m) y = place_in_lines(m->part[0], m->part[1], m->part[2], cpi_sparse_minor(m), op, beats);
    cp_sparse_free(m);
    return cpi_end(&scope, y);
}
cp_array *(cp_sparse_argmax)(cp_sparse *a, int axis, const cp_sparse_extreme_options *options)
{
    return place("sparse_argmax", a, axis, options, CP_OP_maximum, cp_greater);
}
cp_array *(cp_sparse_argmin)(cp_sparse *a, int axis, const cp_sparse_extreme_options *options)
{
    return place("sparse_argmin", a, axis, options, CP_OP_minimum, cp_less);
}

/* --- which and how many --- */

cp_array *cp_sparse_count_nonzero(cp_sparse *a, int axis)
{
    const char *name = "sparse_count_nonzero";
    cpi_composite scope;
    if (cpi_null(name, a) || cpi_sparse_check_axis(name, axis) || !cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse *m = cpi_sparse_canonical(a), *ones = NULL;
    cp_array *y = NULL;
    if (m && axis == CP_FLAT) y = cp_count_nonzero(m->part[0]);
    else if (m && (ones = cpi_sparse_with_data(m, cp_astype(cp_astype(m->part[0], CP_BOOL), CP_INT64))))
        y = cp_sparse_sum(ones, axis);
    cp_sparse_free(ones);
    cp_sparse_free(m);
    return cpi_end(&scope, y);
}
cp_code cp_sparse_find(cp_sparse *a, cp_array **rows, cp_array **columns, cp_array **values)
{
    const char *name = "sparse_find";
    cpi_composite scope;
    if (cpi_null(name, a) || cpi_null(name, rows) || cpi_null(name, columns) || cpi_null(name, values) ||
        !cpi_sparse_begin(&scope, name, a))
        return cp_error();
    cp_sparse *m = along(a, 1), *kept = m ? cpi_sparse_kept(m, m->part[0]) : NULL;
    cp_array *found[3] = {NULL, NULL, NULL}, **const to[3] = {rows, columns, values};
    if (kept && (found[0] = cp_csr_rows(kept->part[1], kept->part[2]))) {
        /* views: a scope would free arrays that are a's */
        found[1] = cp_slice(kept->part[1], 1, &CP_ELLIPSIS);
        found[2] = found[1] ? cp_slice(kept->part[0], 1, &CP_ELLIPSIS) : NULL;
    }
    cp_sparse_free(kept);
    cp_sparse_free(m);
    const bool good = found[2] && !(scope.fine && cp_error() != CP_OK);
    for (int i = 0; i < 3 && good; i++) cp_keep(found[i]);
    cpi_end(&scope, NULL);
    for (int i = 0; i < 3 && good; i++) cpi_into_scope(*to[i] = found[i]);
    return good ? CP_OK : cp_error();
}
cp_array *cp_sparse_trace(cp_sparse *a, int64_t k)
{
    cpi_composite scope;
    if (!cpi_sparse_begin(&scope, "sparse_trace", a)) return NULL;
    return cpi_end(&scope, cp_sum(cp_sparse_diagonal(a, k)));
}
