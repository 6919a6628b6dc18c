/* Sparse matrices with other elements at some places, elements by place, other shapes.
 *
 * Elements are replaced as triples: those of the matrix, then the new ones, in compressed lines whose order is stable,
 * of which the last one of each place stays. */
#include "cuprite/index.h"
#include "operands/operands.h"
#include "sparse/handle.h"

static cp_type index_of(int64_t rows, int64_t columns)
{
    return rows > INT32_MAX || columns > INT32_MAX ? CP_INT64 : CP_INT32;
}

/* --- places --- */

/* Two arrays of integers as the numbers of rows and columns, 1-d and of one length; false with the error set. */
static bool numbers(const char *name, const cp_sparse *a, cp_array *rows, cp_array *columns, cp_array **out)
{
    cp_array *const of[2] = {rows, columns};
    if (cpi_null(name, rows) || cpi_null(name, columns)) return false;
    if (rows->size != columns->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: columns must have %lld elements, as rows has, not %lld", name,
                        (long long)rows->size, (long long)columns->size), false;
    for (int i = 0; i < 2; i++) {
        if (of[i]->type == CP_BOOL)
            return cpi_fail(CP_ERROR_INDEX, "%s: %s must be integers, not bool", name, i ? "columns" : "rows"), false;
        const cp_index item = CP_BY(of[i]);
        if (!(out[i] = cpi_sparse_chosen(name, &item, i, i ? a->columns : a->rows))) return false;
    }
    return true;
}
cp_array *cp_sparse_elements(cp_sparse *a, cp_array *rows, cp_array *columns)
{
    const char *name = "sparse_elements";
    cpi_composite scope;
    cp_array *at[2], *y = NULL;
    if (cpi_null(name, a) || !cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse *m = numbers(name, a, rows, columns, at) ? cpi_sparse_canonical(a) : NULL;
    if (m && !m->part[0]->size) y = cp_zeros(CP_SHAPE(at[0]->size), m->part[0]->type);
    else if (m) {
        const bool by_rows = m->format == CP_SPARSE_CSR;
        cp_array *found = cp_csr_find(m->part[1], m->part[2], at[!by_rows], at[by_rows], true);
        cp_array *value = found ? cp_take(m->part[0], cp_maximum(found, cp_int(0)), 0) : NULL;
        if (value) y = cp_where(cp_less(found, cp_int(0)), cp_zeros(CP_SHAPE0, m->part[0]->type), value);
    }
    cp_sparse_free(m);
    return cpi_end(&scope, y);
}

/* Where the last element of each place is, of compressed lines whose indices ascend. */
static cp_array *last_ones(const cp_sparse *m)
{
    cp_array *line = cp_csr_rows(m->part[1], m->part[2]), *other = m->part[1];
    const int64_t n = other->size;
    cp_array *next = cp_logical_or(cp_not_equal(cpi_range(line, 0, 0, n - 1), cpi_range(line, 0, 1, n)),
                                   cp_not_equal(cpi_range(other, 0, 0, n - 1), cpi_range(other, 0, 1, n)));
    cp_array *one = cp_ones(CP_SHAPE(1), CP_BOOL);
    return next && one ? cp_concatenate(2, ((cp_array *[]){next, one}), 0) : NULL;
}
/* a with values, 1-d, at places that were checked, in a's format. */
static cp_sparse *replaced(cp_sparse *a, cp_array *row, cp_array *column, cp_array *values)
{
    if (!row || !column || !values) return NULL;
    if (!values->size) {
        cp_sparse *m = a->format > CP_SPARSE_COO ? cpi_sparse_compressed(a) : cp_sparse_retain(a);
        return m;
    }
    cp_sparse *m = cpi_sparse_canonical(a), *old = m ? cp_sparse_convert(m, CP_SPARSE_COO) : NULL, *made = NULL;
    const cp_type index = index_of(a->rows, a->columns);
    if (old) {
        cp_array *const parts[3] = {cp_astype(values, a->part[0]->type), cp_astype(row, index),
                                    cp_astype(column, index)};
        cp_array *both[3] = {NULL, NULL, NULL};
        for (int i = 0; i < 3 && parts[i]; i++) {
            cp_array *first = i ? cp_astype(old->part[i], index) : old->part[i];
            both[i] = first ? cp_concatenate(2, ((cp_array *[]){first, parts[i]}), 0) : NULL;
        }
        const cpi_sparse_parts p = {both[0], both[1], both[2]};
        cp_sparse *lines = both[0] && both[1] && both[2]
                               ? cpi_sparse_of_triples(a->rows, a->columns, p, m->format) : NULL;
        cp_sparse *sorted = lines ? cp_sparse_sort_indices(lines) : NULL;
        cp_sparse *kept = sorted ? cpi_sparse_kept(sorted, last_ones(sorted)) : NULL;
        if (kept) kept->sorted = kept->canonical = true;
        made = kept ? cpi_sparse_in_kind(kept, a) : NULL;
        cp_sparse_free(kept);
        cp_sparse_free(sorted);
        cp_sparse_free(lines);
    }
    cp_sparse_free(old);
    cp_sparse_free(m);
    return made;
}
/* values as n of them: one for all, or as many. */
static cp_array *spread(const char *name, cp_array *values, int64_t n)
{
    if (values->ndim > 1 || (values->ndim && values->size != n && values->size != 1))
        return cpi_fail(CP_ERROR_VALUE, "%s: values must be 0-D, or 1-D with %lld elements", name, (long long)n), NULL;
    return cp_broadcast_to(values, CP_SHAPE(n));
}
cp_sparse *cp_sparse_assign(cp_sparse *a, cp_array *rows, cp_array *columns, cp_array *values)
{
    const char *name = "sparse_assign";
    cpi_composite scope;
    cp_array *at[2];
    if (cpi_null(name, a) || cpi_null(name, values) || !cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse *made = NULL;
    if (numbers(name, a, rows, columns, at)) made = replaced(a, at[0], at[1], spread(name, values, at[0]->size));
    return cpi_sparse_end(&scope, made);
}
cp_sparse *cp_sparse_assign_slice(cp_sparse *a, int n, const cp_index *items, cp_array *values)
{
    const char *name = "sparse_assign_slice";
    cpi_composite scope;
    if (cpi_null(name, a) || cpi_null(name, values) || (n > 0 && cpi_null(name, items))) return NULL;
    if (n < 0 || n > 2) return cpi_fail(CP_ERROR_INDEX, "%s: a matrix has two axes, not %d", name, n), NULL;
    if (values->ndim > 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: values must be at most 2-D, not %d-D", name, values->ndim), NULL;
    if (!cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_array *row = cpi_sparse_chosen(name, n > 0 ? &items[0] : NULL, 0, a->rows);
    cp_array *column = row ? cpi_sparse_chosen(name, n > 1 ? &items[1] : NULL, 1, a->columns) : NULL;
    cp_sparse *made = NULL;
    if (column) {
        cp_array *down = cp_broadcast_to(cp_reshape(row, CP_SHAPE(row->size, 1)), CP_SHAPE(row->size, column->size));
        cp_array *right = cp_broadcast_to(column, CP_SHAPE(row->size, column->size));
        cp_array *all = down && right ? cp_broadcast_to(values, CP_SHAPE(row->size, column->size)) : NULL;
        if (all) made = replaced(a, cp_ravel(down), cp_ravel(right), cp_ravel(all));
    }
    return cpi_sparse_end(&scope, made);
}
cp_sparse *cp_sparse_set_diagonal(cp_sparse *a, cp_array *values, int64_t k)
{
    const char *name = "sparse_set_diagonal";
    cpi_composite scope;
    if (cpi_null(name, a) || cpi_null(name, values)) return NULL;
    if (values->ndim > 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: values must be at most 1-D, not %d-D", name, values->ndim), NULL;
    if (k <= -a->rows || k >= a->columns)
        return cpi_fail(CP_ERROR_VALUE, "%s: there is no diagonal %lld", name, (long long)k), NULL;
    if (!cpi_sparse_begin(&scope, name, a)) return NULL;
    const int64_t row = k < 0 ? -k : 0, column = k > 0 ? k : 0;
    int64_t n = a->rows - row < a->columns - column ? a->rows - row : a->columns - column;
    if (values->ndim && values->size < n) n = values->size;
    cp_array *some = values->ndim ? cpi_range(values, 0, 0, n) : cp_broadcast_to(values, CP_SHAPE(n));
    return cpi_sparse_end(&scope, replaced(a, cp_arange_int(row, row + n, 1, CP_INT64),
                                           cp_arange_int(column, column + n, 1, CP_INT64), some));
}

/* --- shapes --- */

cp_sparse *cp_sparse_reshape(cp_sparse *a, int64_t rows, int64_t columns)
{
    const char *name = "sparse_reshape";
    cpi_composite scope;
    int64_t size, wanted;
    if (cpi_null(name, a)) return NULL;
    if (__builtin_mul_overflow(a->rows, a->columns, &size))
        return cpi_fail(CP_ERROR_VALUE, "%s: a matrix must have at most 2^63 - 1 elements", name), NULL;
    if (rows == -1 && columns > 0) rows = size / columns;
    else if (columns == -1 && rows > 0) columns = size / rows;
    if (rows < 0 || columns < 0 || __builtin_mul_overflow(rows, columns, &wanted) || wanted != size)
        return cpi_fail(CP_ERROR_VALUE, "%s: cannot reshape a matrix of %lld elements into shape (%lld, %lld)", name,
                        (long long)size, (long long)rows, (long long)columns), NULL;
    if (cpi_sparse_check_shape(name, rows, columns, a->format) || !cpi_sparse_begin(&scope, name, a)) return NULL;
    if (rows == a->rows && columns == a->columns) return cpi_sparse_end(&scope, cp_sparse_retain(a));
    cp_sparse *m = cp_sparse_convert(a, CP_SPARSE_COO), *made = NULL;
    if (m) {
        cp_array *at = cp_add(cp_multiply(cp_astype(m->part[1], CP_INT64), cp_int(a->columns)),
                              cp_astype(m->part[2], CP_INT64));
        const cp_type index = index_of(rows, columns);
        cp_array *width = cp_int(columns ? columns : 1), *data = m->part[0];
        const cpi_sparse_parts p = {data, cp_astype(cp_floor_divide(at, width), index),
                                    cp_astype(cp_remainder(at, width), index)};
        if (p.first && p.second) made = cpi_sparse_of_triples(rows, columns, p, a->format);
    }
    cp_sparse_free(m);
    return cpi_sparse_end(&scope, made);
}
cp_sparse *cp_sparse_resize(cp_sparse *a, int64_t rows, int64_t columns)
{
    const char *name = "sparse_resize";
    cpi_composite scope;
    if (cpi_null(name, a) || cpi_sparse_check_shape(name, rows, columns, a->format) ||
        !cpi_sparse_begin(&scope, name, a))
        return NULL;
    if (rows == a->rows && columns == a->columns) return cpi_sparse_end(&scope, cp_sparse_retain(a));
    cp_sparse *m = cp_sparse_convert(a, CP_SPARSE_COO), *made = NULL;
    if (m) {
        const cp_type index = index_of(rows, columns);
        cpi_sparse_parts p = cpi_sparse_parts_of(m);
        if (rows < a->rows || columns < a->columns) {
            cp_array *inside = cp_logical_and(cp_less(p.first, cp_int(rows)), cp_less(p.second, cp_int(columns)));
            p = (cpi_sparse_parts){cp_mask_get(p.data, inside), cp_mask_get(p.first, inside),
                                   cp_mask_get(p.second, inside)};
        }
        p.first = cp_astype(p.first, index), p.second = cp_astype(p.second, index);
        if (p.data && p.first && p.second) made = cpi_sparse_of_triples(rows, columns, p, a->format);
    }
    cp_sparse_free(m);
    return cpi_sparse_end(&scope, made);
}
