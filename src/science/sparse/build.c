/* Sparse matrices made of others: beside and below each other, in a grid, Kronecker's products and sums, powers,
 * triangles. What is made of triples has them in the order of its operands. */
#include "operands/operands.h"
#include "sparse/handle.h"

static cp_type index_of(int64_t rows, int64_t columns)
{
    return rows > INT32_MAX || columns > INT32_MAX ? CP_INT64 : CP_INT32;
}
cp_sparse *cpi_sparse_of_triples(int64_t rows, int64_t columns, cpi_sparse_parts p, cp_sparse_format like)
{
    cp_sparse *triples = cpi_sparse_made(CP_SPARSE_COO, rows, columns, p, false, false);
    cp_sparse *made = triples ? cp_sparse_convert(triples, like > CP_SPARSE_COO ? CP_SPARSE_CSR : like) : NULL;
    cp_sparse_free(triples);
    return made;
}

/* --- stacks and blocks --- */

/* Matrices, NULL among them, each with its first row at down[i] and its first column at right[i] of a larger one, in
 * the format of `like`. */
static cp_sparse *placed(int n, cp_sparse *const *a, const int64_t *down, const int64_t *right, int64_t rows,
                         int64_t columns, cp_sparse_format like)
{
    const cp_type index = index_of(rows, columns);
    cp_array **part = cpi_malloc(3 * (size_t)n * sizeof *part);
    cp_sparse **triples = cpi_malloc((size_t)n * sizeof *triples), *made = NULL;
    int count = 0, i = 0;
    for (bool good = part && triples; good && i < n; i++) {
        if (!a[i]) continue;
        cp_sparse *m = cp_sparse_convert(a[i], CP_SPARSE_COO);
        if (!m) break;
        triples[count] = m;
        for (int k = 0; k < 3; k++) {
            cp_array *x = k ? cp_astype(m->part[k], index) : m->part[0];
            const int64_t before = k == 1 ? down[i] : k == 2 ? right[i] : 0;
            if (x && before) x = cp_add(x, cp_astype(cp_int(before), index));
            part[k * n + count] = x;
            good = good && x;
        }
        count++;
    }
    if (count && i == n && cp_error() == CP_OK) {
        const cpi_sparse_parts p = {cp_concatenate(count, part, 0), cp_concatenate(count, part + n, 0),
                                    cp_concatenate(count, part + 2 * n, 0)};
        made = cpi_sparse_of_triples(rows, columns, p, like);
    }
    while (count--) cp_sparse_free(triples[count]);
    cpi_free_host(triples);
    cpi_free_host(part);
    return made;
}
/* sum += length, which is not negative; false with the error set. */
static bool longer(const char *name, int64_t *sum, int64_t length)
{
    if (length > INT64_MAX / 2 - *sum)
        return cpi_fail(CP_ERROR_VALUE, "%s: rows and columns must be at most 2^62", name), false;
    *sum += length;
    return true;
}
static bool check_stacked(const char *name, int n, cp_sparse *const *a, int axis)
{
    for (int i = 0; i < n; i++) {
        if (cpi_null(name, a[i])) return false;
        const int64_t other = axis ? a[i]->rows : a[i]->columns, wanted = axis ? a[0]->rows : a[0]->columns;
        if (other != wanted)
            return cpi_fail(CP_ERROR_VALUE, "%s: matrix %d must have %lld %s, as the first one has, not %lld", name, i,
                            (long long)wanted, axis ? "rows" : "columns", (long long)other), false;
    }
    return true;
}
/* Matrices one behind the other, downwards, to the right, or both. */
static cp_sparse *stack(const char *name, int n, cp_sparse *const *a, bool down, bool right)
{
    cpi_composite scope;
    if (n < 1) return cpi_fail(CP_ERROR_VALUE, "%s: there must be at least one matrix, not %d", name, n), NULL;
    if (cpi_null(name, a) || (down != right && !check_stacked(name, n, a, right))) return NULL;
    for (int i = 0; i < n; i++)
        if (cpi_null(name, a[i])) return NULL;
    if (!cpi_sparse_begin(&scope, name, a[0])) return NULL;
    int64_t *at = cpi_malloc(2 * (size_t)n * sizeof *at), rows = 0, columns = 0;
    bool good = at;
    for (int i = 0; good && i < n; i++) {
        at[i] = down ? rows : 0, at[n + i] = right ? columns : 0;
        good = (down || i == 0 ? longer(name, &rows, a[i]->rows) : true) &&
               (right || i == 0 ? longer(name, &columns, a[i]->columns) : true);
    }
    cp_sparse *made = good ? placed(n, a, at, at + n, rows, columns, a[0]->format) : NULL;
    cpi_free_host(at);
    return cpi_sparse_end(&scope, made);
}
cp_sparse *cp_sparse_hstack(int n, cp_sparse *const *a) { return stack("sparse_hstack", n, a, false, true); }
cp_sparse *cp_sparse_vstack(int n, cp_sparse *const *a) { return stack("sparse_vstack", n, a, true, false); }
cp_sparse *cp_sparse_block_diag(int n, cp_sparse *const *a) { return stack("sparse_block_diag", n, a, true, true); }

/* The lengths of the lines of a grid of matrices along an axis: -1 of lines without a matrix. */
static bool grid_lengths(const char *name, int down, int right, cp_sparse *const *blocks, int axis, int64_t *length)
{
    for (int i = 0; i < (axis ? right : down); i++) length[i] = -1;
    for (int i = 0; i < down * right; i++) {
        if (!blocks[i]) continue;
        const int64_t n = axis ? blocks[i]->columns : blocks[i]->rows;
        int64_t *of = &length[axis ? i % right : i / right];
        if (*of >= 0 && *of != n)
            return cpi_fail(CP_ERROR_VALUE, "%s: block (%d, %d) must have %lld %s, not %lld", name, i / right,
                            i % right, (long long)*of, axis ? "columns" : "rows", (long long)n), false;
        *of = n;
    }
    return true;
}
cp_sparse *cp_sparse_bmat(int down, int right, cp_sparse *const *blocks)
{
    const char *name = "sparse_bmat";
    cpi_composite scope;
    if (down < 1 || right < 1 || down > INT32_MAX / right)
        return cpi_fail(CP_ERROR_VALUE, "%s: there must be rows and columns of blocks, not (%d, %d)", name, down,
                        right), NULL;
    if (cpi_null(name, blocks)) return NULL;
    const int n = down * right;
    const cp_sparse *first = NULL;
    for (int i = 0; i < n && !first; i++) first = blocks[i];
    if (!first) return cpi_fail(CP_ERROR_VALUE, "%s: there must be at least one block", name), NULL;
    if (!cpi_sparse_begin(&scope, name, first)) return NULL;
    int64_t *length = cpi_malloc(((size_t)down + (size_t)right + 2 * (size_t)n) * sizeof *length), rows = 0,
            columns = 0;
    bool good = length && grid_lengths(name, down, right, blocks, 0, length) &&
                grid_lengths(name, down, right, blocks, 1, length + down);
    int64_t *above = length ? length + down + right : NULL, *left = above ? above + n : NULL;
    for (int i = 0; good && i < down; i++) {
        for (int k = 0; k < right; k++) above[i * right + k] = rows;
        good = length[i] < 0 || longer(name, &rows, length[i]);
    }
    for (int k = 0; good && k < right; k++) {
        for (int i = 0; i < down; i++) left[i * right + k] = columns;
        good = length[down + k] < 0 || longer(name, &columns, length[down + k]);
    }
    cp_sparse *made = good ? placed(n, blocks, above, left, rows, columns, first->format) : NULL;
    cpi_free_host(length);
    return cpi_sparse_end(&scope, made);
}

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
        made = cpi_sparse_of_triples(rows, columns, p, a->format);
    }
    cp_sparse_free(y);
    cp_sparse_free(x);
    return cpi_sparse_end(&scope, made);
}

static bool check_square(const char *name, const char *what, const cp_sparse *a)
{
    if (cpi_null(name, a)) return false;
    if (a->rows == a->columns) return true;
    return cpi_fail(CP_ERROR_VALUE, "%s: %s must be square, not (%lld, %lld)", name, what, (long long)a->rows,
                    (long long)a->columns), false;
}
cp_sparse *cp_sparse_kronsum(cp_sparse *a, cp_sparse *b)
{
    const char *name = "sparse_kronsum";
    cpi_composite scope;
    if (!check_square(name, "a", a) || !check_square(name, "b", b) || !cpi_sparse_begin(&scope, name, a)) return NULL;
    const cp_type type = cp_promote(a->part[0]->type, b->part[0]->type);
    cp_sparse *one[2] = {cp_sparse_eye(b->rows, b->rows, 0, type, CP_SPARSE_COO),
                         cp_sparse_eye(a->rows, a->rows, 0, type, CP_SPARSE_COO)};
    cp_sparse *left = one[0] ? cp_sparse_kron(one[0], a) : NULL, *right = one[1] ? cp_sparse_kron(b, one[1]) : NULL;
    cp_sparse *sum = left && right ? cp_sparse_add(left, right) : NULL;
    cp_sparse *made = sum ? cp_sparse_convert(sum, a->format > CP_SPARSE_COO ? CP_SPARSE_CSR : a->format) : NULL;
    cp_sparse *const all[] = {one[0], one[1], left, right, sum};
    for (int i = 0; i < 5; i++) cp_sparse_free(all[i]);
    return cpi_sparse_end(&scope, made);
}
cp_sparse *cp_sparse_matrix_power(cp_sparse *a, int64_t n)
{
    const char *name = "sparse_matrix_power";
    if (!check_square(name, "a", a)) return NULL;
    if (n < 0) return cpi_fail(CP_ERROR_VALUE, "%s: n must not be negative, not %lld", name, (long long)n), NULL;
    cpi_composite scope;
    if (!cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse *made = n ? NULL : cp_sparse_eye(a->rows, a->rows, 0, a->part[0]->type, a->format);
    cp_sparse *square = cp_sparse_retain(a);
    for (int64_t left = n; square && left; left >>= 1) {
        if (left & 1) {
            cp_sparse *next = made ? cp_sparse_matmul(made, square) : cp_sparse_retain(square);
            cp_sparse_free(made);
            if (!(made = next)) break;
        }
        cp_sparse *next = left > 1 ? cp_sparse_matmul(square, square) : NULL;
        cp_sparse_free(square);
        square = next;
    }
    cp_sparse_free(square);
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
