/* Diagonals and blocks as matrices: conversions, products, transposes beside dense loops; arrays that are none; memory.
 */
#include "check.h"

enum { ROWS = 12, COLUMNS = 8, SIZE = ROWS * COLUMNS, FORMATS = 5 };

static uint64_t seed;
static int64_t below(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(seed >> 33) % n;
}
static void draw(int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++) x[i] = below(3) ? 0 : (double)(below(9) - 4);
}
static cp_array *matrix_of(int64_t rows, int64_t columns, const double *x)
{
    return cp_from_host(x, CP_FLOAT64, CP_SHAPE(rows, columns), NULL);
}
static cp_array *cube_of(int64_t n, int64_t height, int64_t width, const double *x)
{
    return cp_from_host(x, CP_FLOAT64, CP_SHAPE(n, height, width), NULL);
}
/* Whether a matrix is this one; it is freed. */
static void same(cp_sparse *a, int64_t rows, int64_t columns, const double *want)
{
    ok(a);
    assert_int_equal(cp_sparse_rows(a), rows);
    assert_int_equal(cp_sparse_columns(a), columns);
    check_values(cp_sparse_dense(a), (int)(rows * columns), want);
    cp_sparse_free(a);
}
static void check_products(cp_sparse *a, const double *x)
{
    double v[COLUMNS], many[COLUMNS * 3], y[ROWS * 3] = {0}, sums[COLUMNS] = {0}, total = 0;
    for (int i = 0; i < COLUMNS * 3; i++) many[i] = (double)(below(9) - 4), v[i % COLUMNS] = many[i];
    for (int i = 0; i < SIZE; i++) y[i / COLUMNS] += x[i] * v[i % COLUMNS];
    check_values(cp_sparse_dot(a, cp_from_host(v, CP_FLOAT64, CP_SHAPE(COLUMNS), NULL)), ROWS, y);
    memset(y, 0, sizeof y);
    for (int i = 0; i < SIZE * 3; i++) y[i / 3 / COLUMNS * 3 + i % 3] += x[i / 3] * many[i / 3 % COLUMNS * 3 + i % 3];
    check_values(cp_sparse_dot(a, matrix_of(COLUMNS, 3, many)), ROWS * 3, y);
    cp_array *half = cp_astype(cp_ones(CP_SHAPE(COLUMNS), CP_FLOAT64), CP_FLOAT16);
    assert_int_equal(cp_type_of(cp_sparse_dot(a, half)), CP_FLOAT64);
    for (int i = 0; i < SIZE; i++) sums[i % COLUMNS] += x[i], total += x[i];
    check_values(cp_sparse_sum(a, 0), COLUMNS, sums);
    check_values(cp_sparse_sum(a, CP_FLAT), 1, &total);
    for (int64_t k = -ROWS; k <= COLUMNS; k++) {
        double diagonal[COLUMNS];
        int n = 0;
        for (int64_t c = k > 0 ? k : 0; c < COLUMNS && c - k < ROWS; c++) diagonal[n++] = x[(c - k) * COLUMNS + c];
        cp_array *got = cp_sparse_diagonal(a, k);
        ok(got);
        assert_int_equal(cp_size(got), n);
        if (n) check_values(got, n, diagonal);
    }
}
static void check_arithmetic(cp_sparse *a, const double *x)
{
    double want[SIZE], square[ROWS * ROWS] = {0};
    for (int i = 0; i < SIZE; i++) want[i] = 2 * x[i];
    cp_sparse *twice = cp_sparse_add(a, a);
    assert_int_equal(cp_sparse_format_of(twice), CP_SPARSE_CSR);
    same(twice, ROWS, COLUMNS, want);
    cp_sparse *scaled = cp_sparse_scale(a, cp_float(2)), *single = cp_sparse_astype(a, CP_FLOAT32);
    for (int i = 0; i < 2; i++) {
        cp_sparse *m = i ? single : scaled;
        assert_int_equal(cp_sparse_format_of(m), cp_sparse_format_of(a));
        assert_int_equal(cp_sparse_nnz(m), cp_sparse_nnz(a));
    }
    same(scaled, ROWS, COLUMNS, want);
    same(single, ROWS, COLUMNS, x);
    for (int r = 0; r < ROWS; r++)
        for (int s = 0; s < ROWS; s++)
            for (int c = 0; c < COLUMNS; c++) square[r * ROWS + s] += x[r * COLUMNS + c] * x[s * COLUMNS + c];
    cp_sparse *turned = cp_sparse_transpose(a);
    ok(turned);
    assert_int_equal(cp_sparse_format_of(turned), cp_sparse_format_of(a));
    same(cp_sparse_matmul(a, turned), ROWS, ROWS, square);
    cp_sparse_free(turned);
    for (int i = 0; i < 3 * COLUMNS; i++) want[i] = x[2 * COLUMNS + i];
    same(cp_sparse_slice(a, CP_ITEMS(CP_RANGE(2, 5))), 3, COLUMNS, want);
    same(cp_sparse_sum_duplicates(a), ROWS, COLUMNS, x);
    same(cp_sparse_eliminate_zeros(a), ROWS, COLUMNS, x);
    same(cp_sparse_sort_indices(a), ROWS, COLUMNS, x);
}

static void test_conversions(void **state)
{
    (void)state;
    double x[SIZE], turned[SIZE];
    for (FOR_DEVICES(d))
        for (int density = 0; density < 4; density++)
            for (int from = 0; from < FORMATS; from++)
                for (CP_SCOPE) {
                    seed = (uint64_t)density;
                    draw(SIZE, x);
                    for (int i = 0; i < SIZE; i++)
                        if (density == 0 || (density == 1 && i % COLUMNS - i / COLUMNS != 2)) x[i] = 0;
                        else if (density == 3) x[i] = i + 1;
                    cp_sparse *a = cp_sparse_from_dense(matrix_of(ROWS, COLUMNS, x), (cp_sparse_format)from);
                    ok(a);
                    assert_int_equal(cp_sparse_format_of(a), from);
                    for (int to = 0; to < FORMATS; to++) {
                        cp_sparse *b = cp_sparse_convert(a, (cp_sparse_format)to);
                        ok(b);
                        assert_int_equal(cp_sparse_format_of(b), to);
                        same(b, ROWS, COLUMNS, x);
                    }
                    for (int64_t h = 1; h <= 6; h++)
                        for (int64_t w = 1; w <= 8; w *= 2) {
                            if (ROWS % h) continue;
                            cp_sparse *b = cp_sparse_to_blocks(a, h, w);
                            ok(b);
                            assert_true(cp_sparse_is_canonical(b));
                            assert_int_equal(cp_sparse_nnz(b) % (h * w), 0);
                            same(b, ROWS, COLUMNS, x);
                        }
                    for (int i = 0; i < SIZE; i++) turned[i % COLUMNS * ROWS + i / COLUMNS] = x[i];
                    same(cp_sparse_transpose(a), COLUMNS, ROWS, turned);
                    cp_sparse *there = cp_sparse_to_device(a, CP_CPU);
                    assert_int_equal(cp_sparse_nnz(there), cp_sparse_nnz(a));
                    same(there, ROWS, COLUMNS, x);
                    check_products(a, x);
                    if (from >= CP_SPARSE_DIA) check_arithmetic(a, x);
                    cp_sparse_free(a);
                }
}

/* Diagonals that leave the matrix, lie outside of it, or are longer or shorter; none at all. */
static void test_diagonals(void **state)
{
    (void)state;
    const int64_t far[] = {INT64_MAX, 0, INT64_MIN, -1};
    const double data[] = {9, 9, 9, 9, 1, 2, 3, 4, 9, 9, 9, 9, 5, 0, 7, 8}, want[] = {1, 0, 0, 5, 2, 0, 0, 0, 3};
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *x = matrix_of(4, 4, data), *offsets = cp_from_host(far, CP_INT64, CP_SHAPE(4), NULL);
            cp_array *parts[3];
            cp_sparse *a = cp_sparse_new(CP_SPARSE_DIA, 3, 3, x, offsets, NULL);
            ok(a);
            assert_int_equal(cp_sparse_nnz(a), 5);
            ok(cp_sparse_arrays(a, &parts[0], &parts[1], &parts[2]) == CP_OK);
            assert_null(parts[2]);
            check_values(parts[0], 16, data);
            cp_free(parts[0]), cp_free(parts[1]);
            values(cp_sparse_dot(a, doubles(1, 10, 100)), 1, 25, 300);
            cp_sparse *rows = cp_sparse_convert(a, CP_SPARSE_CSR), *turned = cp_sparse_transpose(a);
            assert_int_equal(cp_sparse_nnz(rows), 4); /* without the zero */
            assert_int_equal(cp_sparse_nnz(turned), 5);
            cp_sparse_free(rows);
            same(turned, 3, 3, (double[]){1, 5, 0, 0, 2, 0, 0, 0, 3});
            same(a, 3, 3, want);
            a = cp_sparse_new(CP_SPARSE_DIA, 2, 5, matrix_of(1, 2, (double[]){3, 4}), ints(1), NULL);
            assert_int_equal(cp_sparse_nnz(a), 1);
            same(a, 2, 5, (double[]){0, 4, 0, 0, 0, 0, 0, 0, 0, 0});
            cp_array *none = cp_zeros(CP_SHAPE(0, 0), CP_FLOAT64);
            a = cp_sparse_new(CP_SPARSE_DIA, 2, 2, none, cp_zeros(CP_SHAPE(0), CP_INT32), NULL);
            values(cp_sparse_dot(a, doubles(1, 2)), 0, 0);
            same(a, 2, 2, (double[]){0, 0, 0, 0});
            same(cp_sparse_from_diagonals(3, 3, x, 4, far, CP_SPARSE_DIA), 3, 3, want);
            same(cp_sparse_from_diagonals(2, 2, cp_zeros(CP_SHAPE(0, 3), CP_FLOAT64), 0, NULL, CP_SPARSE_DIA), 2, 2,
                 (double[]){0, 0, 0, 0});
            cp_array *line = cp_ones(CP_SHAPE(50), CP_FLOAT64);
            cp_array *three[3] = {cp_negative(line), cp_multiply(line, cp_float(3)), cp_negative(line)};
            a = cp_sparse_from_diagonals(50, 50, cp_stack(3, three, 0), 3, (int64_t[]){-1, 0, 1}, CP_SPARSE_DIA);
            cp_array *solved = cp_sparse_cg(a, cp_sparse_dot(a, line), .rtol = 1e-12);
            assert_true(cp_item_float(cp_max(cp_absolute(cp_subtract(solved, line)))) < 1e-10);
            cp_sparse_free(a);
        }
}
/* Blocks in any order, one that stands twice, and some behind the last pointer. */
static void test_blocks(void **state)
{
    (void)state;
    const double data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 0};
    const double want[] = {5, 6, 1, 2, 7, 8, 3, 4, 0, 0, 9, 10, 0, 0, 11, 12}, twice[] = {6, 8, 10, 12};
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_sparse *a = cp_sparse_new(CP_SPARSE_BSR, 4, 4, cube_of(4, 2, 2, data), ints(1, 0, 1, 7), ints(0, 2, 3));
            ok(a);
            assert_int_equal(cp_sparse_nnz(a), 12);
            assert_false(cp_sparse_is_canonical(a));
            values(cp_sparse_dot(a, doubles(1, 1, 1, 1)), 14, 22, 19, 23);
            cp_sparse *again = cp_sparse_to_blocks(a, 2, 2), *other = cp_sparse_to_blocks(a, 4, 1);
            assert_true(again == a);
            cp_sparse_free(again);
            same(other, 4, 4, want);
            cp_sparse *turned = cp_sparse_transpose(a);
            assert_int_equal(cp_sparse_format_of(turned), CP_SPARSE_BSR);
            same(turned, 4, 4, (double[]){5, 7, 0, 0, 6, 8, 0, 0, 1, 3, 9, 11, 2, 4, 10, 12});
            same(a, 4, 4, want);
            a = cp_sparse_new(CP_SPARSE_BSR, 2, 2, cube_of(2, 2, 2, data), ints(0, 0), ints(0, 2));
            cp_sparse *sum = cp_sparse_sum_duplicates(a);
            assert_int_equal(cp_sparse_nnz(sum), 4);
            same(sum, 2, 2, twice);
            same(a, 2, 2, twice);
            a = cp_sparse_new(CP_SPARSE_BSR, 0, 6, cube_of(0, 3, 2, data), cp_zeros(CP_SHAPE(0), CP_INT32), ints(0));
            assert_int_equal(cp_size(cp_sparse_dot(a, cp_ones(CP_SHAPE(6), CP_FLOAT64))), 0);
            cp_sparse_free(a);
            /* more columns of blocks than there are marks for */
            a = cp_sparse_new(CP_SPARSE_CSR, 2, (int64_t)1 << 25, doubles(1, 2), ints(3, (1 << 25) - 1), ints(0, 1, 2));
            other = cp_sparse_to_blocks(a, 2, 2);
            ok(other);
            assert_int_equal(cp_sparse_nnz(other), 8);
            values(cp_sparse_sum(other, 1), 1, 2);
            cp_sparse_free(other), cp_sparse_free(a);
        }
}

#define fails(call, code, text)  \
    do {                         \
        assert_null(call);       \
        failed_with(code, text); \
    } while (0)
static void test_no_matrix(void **state)
{
    (void)state;
    const double x[8] = {0};
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *two = matrix_of(2, 3, x), *blocks = cube_of(2, 2, 2, x), *i = ints(0, 1), *p = ints(0, 1, 2);
            fails(cp_sparse_new(CP_SPARSE_DIA, 3, 3, two, i, i), CP_ERROR_VALUE,
                  "sparse_new: diagonals have no third array: second must be NULL");
            fails(cp_sparse_new(CP_SPARSE_DIA, 3, 3, doubles(1), ints(1), NULL), CP_ERROR_VALUE,
                  "sparse_new: data must be 2-D, not 1-D");
            fails(cp_sparse_new(CP_SPARSE_DIA, 3, 3, two, p, NULL), CP_ERROR_VALUE,
                  "sparse_new: offsets must have 2 elements, as data has rows, not 3");
            fails(cp_sparse_new(CP_SPARSE_DIA, 3, 3, two, ints(1, 1), NULL), CP_ERROR_VALUE,
                  "sparse_new: offsets must not have 1 twice");
            fails(cp_sparse_new(CP_SPARSE_DIA, 3, 3, two, doubles(0, 1), NULL), CP_ERROR_TYPE,
                  "sparse_new: offsets must be integers, not float64");
            fails(cp_sparse_new(CP_SPARSE_DIA, -3, 3, two, i, NULL), CP_ERROR_VALUE,
                  "sparse_new: rows must not be negative, not -3");
            fails(cp_sparse_new(CP_SPARSE_DIA, 3, 3, two, NULL, NULL), CP_ERROR_VALUE,
                  "sparse_new: an argument is NULL");
            fails(cp_sparse_new(CP_SPARSE_BSR, 4, 4, two, i, p), CP_ERROR_VALUE,
                  "sparse_new: data must be 3-D, not 2-D");
            fails(cp_sparse_new(CP_SPARSE_BSR, 4, 4, cp_zeros(CP_SHAPE(2, 0, 2), CP_FLOAT64), i, p), CP_ERROR_VALUE,
                  "sparse_new: blocks must not be empty, not (0, 2)");
            fails(cp_sparse_new(CP_SPARSE_BSR, 5, 4, blocks, i, p), CP_ERROR_VALUE,
                  "sparse_new: rows and columns must be multiples of those of a block, (2, 2)");
            fails(cp_sparse_new(CP_SPARSE_BSR, 6, 4, blocks, i, p), CP_ERROR_VALUE,
                  "sparse_new: indptr must have 4 elements, one more than rows of blocks, not 3");
            fails(cp_sparse_new(CP_SPARSE_BSR, 4, 4, blocks, ints(0), p), CP_ERROR_VALUE,
                  "sparse_new: indices must have 2 elements, as data has blocks, not 1");
            fails(cp_sparse_new(CP_SPARSE_BSR, 4, 4, blocks, ints(0, 2), p), CP_ERROR_VALUE,
                  "sparse_new: indices must be below 2");
            fails(cp_sparse_new(CP_SPARSE_BSR, 4, 4, blocks, ints(0, -1), p), CP_ERROR_VALUE,
                  "sparse_new: indices must not be negative");
            fails(cp_sparse_new(CP_SPARSE_BSR, 4, 4, blocks, i, ints(0, 3, 2)), CP_ERROR_VALUE,
                  "sparse_new: indptr must not descend");
            fails(cp_sparse_new(CP_SPARSE_BSR, 4, 4, blocks, i, ints(0, 1, 1 << 30)), CP_ERROR_VALUE,
                  "sparse_new: indptr must end with at most 2, the number of indices, not 1073741824");
            fails(cp_sparse_new(CP_SPARSE_BSR, 4, 4, blocks, i, NULL), CP_ERROR_VALUE,
                  "sparse_new: an argument is NULL");
            fails(cp_sparse_new((cp_sparse_format)5, 4, 4, blocks, i, p), CP_ERROR_VALUE,
                  "sparse_new: there is no format 5");
            fails(cp_sparse_new(CP_SPARSE_BSR, (int64_t)1 << 62, 2, cube_of(2, 2, 2, x), i, p), CP_ERROR_VALUE,
                  "sparse_new: rows and columns must be at most 2^62");
            cp_sparse *a = cp_sparse_from_dense(cp_eye(4, 6, 0, CP_FLOAT64), CP_SPARSE_DIA);
            fails(cp_sparse_to_blocks(a, 0, 2), CP_ERROR_VALUE,
                  "sparse_to_blocks: blocks must not be empty, not (0, 2)");
            fails(cp_sparse_to_blocks(a, 3, 2), CP_ERROR_VALUE,
                  "sparse_to_blocks: rows and columns must be multiples of those of a block, (3, 2)");
            fails(cp_sparse_to_blocks(NULL, 3, 2), CP_ERROR_VALUE, "sparse_to_blocks: an argument is NULL");
            fails(cp_sparse_dot(a, doubles(1, 2)), CP_ERROR_VALUE,
                  "sparse_dot: x must have 6 rows, as a has columns, not 2");
            cp_sparse_free(a);
        }
}

/* --- memory --- */

static bool body(void)
{
    cp_scope *scope = cp_scope_begin();
    if (!scope) return false;
    cp_array *x = doubles(4, 1, 0, 0, 1, 4, 0, 0, 0, 0, 4, 1, 0, 0, 1, 4), *v = doubles(1, 2, 3, 4);
    cp_sparse *a = cp_sparse_from_dense(x ? cp_reshape(x, CP_SHAPE(4, 4)) : NULL, CP_SPARSE_DIA);
    cp_sparse *b = a ? cp_sparse_to_blocks(a, 2, 2) : NULL;
    cp_sparse *made[] = {a, b, cp_sparse_convert(a, CP_SPARSE_CSC), cp_sparse_convert(b, CP_SPARSE_COO),
                         cp_sparse_convert(b, CP_SPARSE_DIA), cp_sparse_convert(a, CP_SPARSE_BSR),
                         cp_sparse_transpose(a), cp_sparse_transpose(b), cp_sparse_add(a, b),
                         cp_sparse_sum_duplicates(b), cp_sparse_scale(a, v ? cp_slice(v, CP_ITEMS(CP_AT(1))) : NULL),
                         cp_sparse_from_diagonals(2, 2, cp_ones(CP_SHAPE(1, 2), CP_FLOAT64), 1, (int64_t[]){0},
                                                  CP_SPARSE_DIA)};
    cp_array *arrays[] = {cp_sparse_dense(a), cp_sparse_dense(b), cp_sparse_dot(a, v), cp_sparse_dot(b, v),
                          cp_sparse_sum(a, CP_FLAT), cp_sparse_diagonal(b, 1), cp_sparse_cg(a, v)};
    bool all = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) all &= arrays[i] != NULL;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        all &= made[i] != NULL;
        cp_sparse_free(made[i]);
    }
    cp_scope_end(scope);
    return all;
}
static void test_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) every_allocation_fails(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_conversions), cmocka_unit_test(test_diagonals),
                                       cmocka_unit_test(test_blocks), cmocka_unit_test(test_no_matrix),
                                       cmocka_unit_test(test_allocations)};
    return check_run(tests);
}
