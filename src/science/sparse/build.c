/* Sparse matrices made of others: beside and below each other, Kronecker's products, triangles. What is
 * made of triples has them in the order of its operands. */
#include "operands/operands.h"
#include "sparse/handle.h"

static cp_type index_of(int64_t rows, int64_t columns)
{
    return rows > INT32_MAX || columns > INT32_MAX ? CP_INT64 : CP_INT32;
}
/* Triples as the format of `like` has them: compressed rows where that is of diagonals or blocks. */
static cp_sparse *of_triples(int64_t rows, int64_t columns, cpi_sparse_parts p, cp_sparse_format like)
{
    cp_sparse *triples = cpi_sparse_made(CP_SPARSE_COO, rows, columns, p, false, false);
    cp_sparse *made = triples ? cp_sparse_convert(triples, like > CP_SPARSE_COO ? CP_SPARSE_CSR : like) : NULL;
    cp_sparse_free(triples);
    return made;
}

/* --- stacks --- */

/* The sum of the lengths along the axis, of matrices that fit; -1 on failure. */
static int64_t stacked_length(const char *name, int n, cp_sparse *const *a, int axis)
{
    int64_t length = 0;
    for (int i = 0; i < n; i++) {
        if (cpi_null(name, a[i])) return -1;
        const int64_t along = axis ? a[i]->columns : a[i]->rows, other = axis ? a[i]->rows : a[i]->columns;
        const int64_t wanted = axis ? a[0]->rows : a[0]->columns;
        if (other != wanted)
            return cpi_fail(CP_ERROR_VALUE, "%s: matrix %d must have %lld %s, as the first one has, not %lld", name, i,
                            (long long)wanted, axis ? "rows" : "columns", (long long)other), -1;
        if (along > INT64_MAX / 2 - length)
            return cpi_fail(CP_ERROR_VALUE, "%s: there are too many %s", name, axis ? "columns" : "rows"), -1;
        length += along;
    }
    return length;
}
static cp_sparse *stack(const char *name, int n, cp_sparse *const *a, int axis)
{
    cpi_composite scope;
    if (n < 1) return cpi_fail(CP_ERROR_VALUE, "%s: there must be at least one matrix, not %d", name, n), NULL;
    if (cpi_null(name, a)) return NULL;
    const int64_t length = stacked_length(name, n, a, axis);
    if (length < 0 || !cpi_sparse_begin(&scope, name, a[0])) return NULL;
    const int64_t rows = axis ? a[0]->rows : length, columns = axis ? length : a[0]->columns;
    const cp_type index = index_of(rows, columns);
    cp_array **part = cpi_malloc(3 * (size_t)n * sizeof *part);
    cp_sparse **triples = cpi_malloc((size_t)n * sizeof *triples), *made = NULL;
    int64_t before = 0;
    int count = 0;
    for (bool good = part && triples; good && count < n; count += good) {
        cp_sparse *m = triples[count] = cp_sparse_convert(a[count], CP_SPARSE_COO);
        if (!m) break;
        for (int k = 0; k < 3; k++) {
            cp_array *x = k ? cp_astype(m->part[k], index) : m->part[0];
            if (x && k == 1 + axis && before) x = cp_add(x, cp_astype(cp_int(before), index));
            part[k * n + count] = x;
            good = good && x;
        }
        if (!good) cp_sparse_free(m);
        before += axis ? a[count]->columns : a[count]->rows;
    }
    if (count == n) {
        const cpi_sparse_parts p = {cp_concatenate(n, part, 0), cp_concatenate(n, part + n, 0),
                                    cp_concatenate(n, part + 2 * n, 0)};
        made = of_triples(rows, columns, p, a[0]->format);
    }
    while (count--) cp_sparse_free(triples[count]);
    cpi_free_host(triples);
    cpi_free_host(part);
    return cpi_sparse_end(&scope, made);
}
cp_sparse *cp_sparse_hstack(int n, cp_sparse *const *a) { return stack("sparse_hstack", n, a, 1); }
cp_sparse *cp_sparse_vstack(int n, cp_sparse *const *a) { return stack("sparse_vstack", n, a, 0); }

/* --- Kronecker's product --- */

/* Number x of a, times y, plus number of b: for each pair. */
static cp_array *pairs(cp_array *x, int64_t times, cp_array *y)
{
    cp_array *a = cp_multiply(cp_astype(x, CP_INT64), cp_int(times));
    return a ? cp_ravel(cp_add(cp_reshape(a, CP_SHAPE(a->size, 1)), cp_astype(y, CP_INT64))) : NULL;
}
cp_sparse *cp_sparse_kron(cp_sparse *a, cp_sparse *b)
{
    const char *name = "sparse_kron";
    cpi_composite scope;
    if (cpi_null(name, a) || cpi_null(name, b)) return NULL;
    int64_t rows, columns;
    if (__builtin_mul_overflow(a->rows, b->rows, &rows) || __builtin_mul_overflow(a->columns, b->columns, &columns) ||
        rows > INT64_MAX / 2 || columns > INT64_MAX / 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: rows and columns must be at most 2^62", name), NULL;
    if (!cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse *x = cp_sparse_convert(a, CP_SPARSE_COO), *y = x ? cp_sparse_convert(b, CP_SPARSE_COO) : NULL;
    cp_sparse *made = NULL;
    if (y) {
        const cp_type index = index_of(rows, columns);
        cp_array *data = cp_ravel(cp_multiply(cp_reshape(x->part[0], CP_SHAPE(x->part[0]->size, 1)), y->part[0]));
        const cpi_sparse_parts p = {data, cp_astype(pairs(x->part[1], b->rows, y->part[1]), index),
                                    cp_astype(pairs(x->part[2], b->columns, y->part[2]), index)};
        made = of_triples(rows, columns, p, a->format);
    }
    cp_sparse_free(y);
    cp_sparse_free(x);
    return cpi_sparse_end(&scope, made);
}

/* --- triangles --- */

static cp_sparse *triangle(const char *name, cp_sparse *a, int64_t k, cp_array *(*keeps)(cp_array *x, cp_array *y))
{
    cpi_composite scope;
    if (!cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse *m = cpi_sparse_compressed(a), *made = NULL;
    if (m) {
        cp_array *line = cp_astype(cp_csr_rows(m->part[1], m->part[2]), CP_INT64);
        cp_array *other = cp_astype(m->part[1], CP_INT64);
        const bool by_rows = m->format == CP_SPARSE_CSR;
        made = cpi_sparse_kept(m, keeps(cp_subtract(by_rows ? other : line, by_rows ? line : other), cp_int(k)));
    }
    cp_sparse *same = cpi_sparse_in_kind(made, a);
    cp_sparse_free(made);
    cp_sparse_free(m);
    return cpi_sparse_end(&scope, same);
}
cp_sparse *cp_sparse_tril(cp_sparse *a, int64_t k) { return triangle("sparse_tril", a, k, cp_less_equal); }
cp_sparse *cp_sparse_triu(cp_sparse *a, int64_t k) { return triangle("sparse_triu", a, k, cp_greater_equal); }
