/* Matrices as one object: formats, order, parts, arithmetic and solvers beside dense loops and closed forms; arrays
 * that are no matrix; memory. */
#include "check.h"

enum { ROWS = 11, COLUMNS = 7, SIZE = ROWS * COLUMNS };
static const cp_sparse_format FORMATS[] = {CP_SPARSE_CSR, CP_SPARSE_CSC, CP_SPARSE_COO};
#define FOR_FORMATS(f) size_t i_##f = 0; i_##f < 3; i_##f++

static uint64_t seed;
static int64_t below(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(seed >> 33) % n;
}
/* Small integers at a third of the places. */
static void draw(int64_t n, double *dense)
{
    for (int64_t i = 0; i < n; i++) dense[i] = below(3) ? 0 : (double)(below(9) - 4);
}
static cp_array *matrix_of(int64_t rows, int64_t columns, const double *x)
{
    return cp_from_host(x, CP_FLOAT64, CP_SHAPE(rows, columns), NULL);
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

static void test_conversions(void **state)
{
    (void)state;
    double dense[SIZE];
    seed = 1;
    draw(SIZE, dense);
    int64_t nonzero = 0;
    for (int i = 0; i < SIZE; i++) nonzero += dense[i] != 0;
    for (FOR_DEVICES(d))
        for (CP_SCOPE)
            for (FOR_FORMATS(from)) {
                cp_sparse *a = cp_sparse_from_dense(matrix_of(ROWS, COLUMNS, dense), FORMATS[i_from]);
                ok(a);
                assert_int_equal(cp_sparse_format_of(a), FORMATS[i_from]);
                assert_int_equal(cp_sparse_type_of(a), CP_FLOAT64);
                assert_int_equal(cp_sparse_nnz(a), nonzero);
                assert_int_equal(cp_sparse_device_of(a), d);
                for (FOR_FORMATS(to)) {
                    cp_sparse *b = cp_sparse_convert(a, FORMATS[i_to]);
                    assert_int_equal(cp_sparse_format_of(b), FORMATS[i_to]);
                    same(b, ROWS, COLUMNS, dense);
                }
                cp_sparse *there = cp_sparse_to_device(a, CP_CPU), *back = cp_sparse_to_device(there, d);
                assert_int_equal(cp_sparse_device_of(there), CP_CPU);
                same(there, ROWS, COLUMNS, dense);
                same(back, ROWS, COLUMNS, dense);
                cp_sparse *single = cp_sparse_astype(a, CP_FLOAT32);
                assert_int_equal(cp_sparse_type_of(single), CP_FLOAT32);
                same(single, ROWS, COLUMNS, dense);
                double turned[SIZE];
                for (int i = 0; i < SIZE; i++) turned[i % COLUMNS * ROWS + i / COLUMNS] = dense[i];
                same(cp_sparse_transpose(a), COLUMNS, ROWS, turned);
                cp_sparse_free(a);
            }
}

/* The arrays of a matrix are those that were handed in, and outlive the scope that made them. */
static void test_arrays(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_sparse *a = NULL;
        for (CP_SCOPE) {
            cp_array *data = doubles(1, 2, 3), *indices = ints(0, 2, 1), *indptr = ints(0, 2, 2, 3);
            a = cp_sparse_new(CP_SPARSE_CSR, 3, 3, data, indices, indptr);
            ok(a);
            cp_array *part[3];
            ok(cp_sparse_arrays(a, &part[0], &part[1], &part[2]) == CP_OK);
            assert_ptr_equal(cp_data(part[0]), cp_data(data));
            assert_ptr_equal(cp_data(part[1]), cp_data(indices));
            assert_ptr_equal(cp_data(part[2]), cp_data(indptr));
            for (int i = 0; i < 3; i++) cp_free(part[i]);
            assert_true(cp_sparse_is_canonical(a));
        }
        assert_ptr_equal(cp_sparse_retain(a), a);
        cp_sparse_free(a);
        for (CP_SCOPE) same(a, 3, 3, (double[]){1, 0, 2, 0, 0, 0, 0, 3, 0});
    }
    cp_sparse_free(NULL);
}

static void test_order(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            /* (0, 2) twice, its sum 0; columns that descend; what is behind the last pointer is no element */
            cp_array *data = doubles(5, 2, -2, 1, 3, 99), *indices = ints(2, 0, 2, 1, 0, 7), *indptr = ints(0, 1, 1, 5);
            cp_sparse *a = cp_sparse_new(CP_SPARSE_CSR, 3, 3, data, indices, indptr), *part[4];
            assert_int_equal(cp_sparse_nnz(a), 5);
            assert_false(cp_sparse_is_canonical(a));
            const double want[9] = {0, 0, 5, 0, 0, 0, 5, 1, -2};
            same(cp_sparse_sort_indices(a), 3, 3, want);
            part[0] = cp_sparse_sum_duplicates(a);
            assert_true(cp_sparse_is_canonical(part[0]));
            assert_int_equal(cp_sparse_nnz(part[0]), 4);
            part[1] = cp_sparse_sum_duplicates(part[0]);
            assert_ptr_equal(part[1], part[0]); /* nothing to do: one more reference */
            same(part[1], 3, 3, want);
            same(part[0], 3, 3, want);
            cp_sparse_free(a);

            cp_sparse *t = cp_sparse_new(CP_SPARSE_COO, 2, 3, doubles(1, -1, 0, 4), ints(1, 1, 0, 0), ints(2, 2, 1, 0));
            same(cp_sparse_convert(t, CP_SPARSE_CSC), 2, 3, (double[]){4, 0, 0, 0, 0, 0});
            part[0] = cp_sparse_sum_duplicates(t); /* a sum that is 0 stays */
            assert_int_equal(cp_sparse_format_of(part[0]), CP_SPARSE_COO);
            assert_int_equal(cp_sparse_nnz(part[0]), 3);
            part[1] = cp_sparse_eliminate_zeros(part[0]);
            assert_int_equal(cp_sparse_nnz(part[1]), 1);
            same(part[1], 2, 3, (double[]){4, 0, 0, 0, 0, 0});
            cp_sparse_free(part[0]);
            cp_sparse_free(t);
        }
}

static void check_pair(cp_sparse *a, cp_sparse *b, const double *x, const double *y)
{
    double want[SIZE];
    for (int i = 0; i < SIZE; i++) want[i] = x[i] + y[i];
    same(cp_sparse_add(a, b), ROWS, COLUMNS, want);
    for (int i = 0; i < SIZE; i++) want[i] = x[i] - y[i];
    cp_sparse *difference = cp_sparse_subtract(a, b);
    int64_t nonzero = 0;
    for (int i = 0; i < SIZE; i++) nonzero += want[i] != 0;
    assert_int_equal(cp_sparse_nnz(difference), nonzero);
    same(difference, ROWS, COLUMNS, want);
    for (int i = 0; i < SIZE; i++) want[i] = x[i] * y[i];
    same(cp_sparse_multiply(a, b), ROWS, COLUMNS, want);
    double square[ROWS * ROWS] = {0};
    for (int r = 0; r < ROWS; r++)
        for (int q = 0; q < ROWS; q++)
            for (int c = 0; c < COLUMNS; c++) square[r * ROWS + q] += x[r * COLUMNS + c] * y[q * COLUMNS + c];
    cp_sparse *turned = cp_sparse_transpose(b);
    same(cp_sparse_matmul(a, turned), ROWS, ROWS, square);
    cp_sparse_free(turned);
}
static void check_sums(cp_sparse *a, const double *x)
{
    double vector[COLUMNS], two[2 * COLUMNS], want[2 * ROWS + COLUMNS] = {0};
    for (int c = 0; c < COLUMNS; c++) vector[c] = (double)below(9), two[2 * c] = vector[c], two[2 * c + 1] = -c;
    for (int i = 0; i < SIZE; i++) want[i / COLUMNS] += x[i] * vector[i % COLUMNS];
    cp_array *v = cp_from_host(vector, CP_FLOAT64, CP_SHAPE(COLUMNS), NULL);
    check_values(cp_sparse_dot(a, v), ROWS, want);
    memset(want, 0, sizeof want);
    for (int i = 0; i < 2 * SIZE; i++) want[i / 2 / COLUMNS * 2 + i % 2] += x[i / 2] * two[i / 2 % COLUMNS * 2 + i % 2];
    check_values(cp_sparse_dot(a, matrix_of(COLUMNS, 2, two)), 2 * ROWS, want);
    memset(want, 0, sizeof want);
    double all = 0;
    for (int i = 0; i < SIZE; i++) want[i / COLUMNS] += x[i], want[ROWS + i % COLUMNS] += x[i], all += x[i];
    check_values(cp_sparse_sum(a, 1), ROWS, want);
    check_values(cp_sparse_sum(a, 0), COLUMNS, want + ROWS);
    values(cp_sparse_sum(a, CP_FLAT), all);
    for (int k = -ROWS - 1; k <= COLUMNS + 1; k++) {
        int n = 0;
        for (int r = 0; r < ROWS; r++)
            if (r + k >= 0 && r + k < COLUMNS) want[n++] = x[r * COLUMNS + r + k];
        check_values(cp_sparse_diagonal(a, k), n, want);
    }
}
static void test_arithmetic(void **state)
{
    (void)state;
    double x[SIZE], y[SIZE], twice[SIZE];
    seed = 5;
    draw(SIZE, x);
    draw(SIZE, y);
    for (int i = 0; i < SIZE; i++) twice[i] = 2.5 * x[i];
    for (FOR_DEVICES(d))
        for (CP_SCOPE)
            for (FOR_FORMATS(of_a)) {
                cp_sparse *a = cp_sparse_from_dense(matrix_of(ROWS, COLUMNS, x), FORMATS[i_of_a]);
                for (FOR_FORMATS(of_b)) {
                    cp_sparse *b = cp_sparse_from_dense(cp_astype(matrix_of(ROWS, COLUMNS, y), CP_INT16),
                                                        FORMATS[i_of_b]);
                    check_pair(a, b, x, y);
                    cp_sparse_free(b);
                }
                check_sums(a, x);
                same(cp_sparse_scale(a, cp_float(2.5)), ROWS, COLUMNS, twice);
                cp_sparse_free(a);
            }
}
static void test_types(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *index[2] = {cp_astype(ints(0, 1), CP_INT32), cp_astype(ints(0, 1), CP_INT32)};
            cp_sparse *a = cp_sparse_new(CP_SPARSE_COO, 2, 2, cp_astype(doubles(200, 100), CP_UINT8), index[0],
                                         index[1]), *b = cp_sparse_astype(a, CP_FLOAT32);
            cp_array *sum = cp_sparse_sum(a, 0);
            assert_int_equal(cp_type_of(sum), CP_UINT64); /* as NumPy sums */
            values(sum, 200, 100);
            cp_sparse *c = cp_sparse_add(a, b), *half = cp_sparse_scale(a, cp_float(0.5));
            assert_int_equal(cp_sparse_type_of(c), CP_FLOAT32);
            assert_int_equal(cp_sparse_type_of(half), CP_FLOAT64);
            same(half, 2, 2, (double[]){100, 0, 0, 50});
            same(c, 2, 2, (double[]){400, 0, 0, 200});
            cp_array *row, *column, *data;
            ok(cp_sparse_arrays(b, &data, &row, &column) == CP_OK);
            assert_int_equal(cp_type_of(row), CP_INT32);
            cp_free(data), cp_free(row), cp_free(column);
            cp_sparse_free(a), cp_sparse_free(b);
            /* no rows, no columns, no elements */
            cp_sparse *none = cp_sparse_new(CP_SPARSE_CSR, 0, 5, doubles(0), ints(0), ints(0));
            assert_int_equal(cp_sparse_nnz(none), 0); /* what is behind the last pointer is no element */
            same(none, 0, 5, NULL);
            none = cp_sparse_from_dense(cp_zeros(CP_SHAPE(0, 5), CP_FLOAT64), CP_SPARSE_CSC);
            check_values(cp_sparse_sum(none, 0), 5, (double[5]){0});
            same(none, 0, 5, NULL);
        }
}

static void test_slices(void **state)
{
    (void)state;
    double x[SIZE], want[2 * SIZE];
    seed = 9;
    draw(SIZE, x);
    const cp_index rows[] = {CP_FULL, CP_RANGE(2, 9), CP_RANGE(-4, 100), CP_STEP(10, 1, -3), CP_AT(-2), CP_RANGE(5, 5)};
    const cp_index columns[] = {CP_FULL, CP_RANGE(1, 4), CP_STEP(0, 7, 2), CP_STEP(6, 0, -1), CP_AT(3), CP_RANGE(3, 1)};
    const int by_rows[6][SIZE] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -1}, {2, 3, 4, 5, 6, 7, 8, -1}, {7, 8, 9, 10, -1},
                                  {10, 7, 4, -1}, {9, -1}, {-1}};
    const int by_columns[6][SIZE] = {{0, 1, 2, 3, 4, 5, 6, -1}, {1, 2, 3, -1}, {0, 2, 4, 6, -1}, {6, 5, 4, 3, 2, 1, -1},
                                     {3, -1}, {-1}};
    for (FOR_DEVICES(d))
        for (FOR_FORMATS(f))
            for (CP_SCOPE) {
                cp_sparse *a = cp_sparse_from_dense(matrix_of(ROWS, COLUMNS, x), FORMATS[i_f]);
                for (int r = 0; r < 6; r++)
                    for (int c = 0; c < 6; c++) {
                        int n = 0, m = 0, width = 0;
                        while (by_rows[r][m] >= 0) m++;
                        while (by_columns[c][width] >= 0) width++;
                        for (int i = 0; i < m; i++)
                            for (int k = 0; k < width; k++) want[n++] = x[by_rows[r][i] * COLUMNS + by_columns[c][k]];
                        cp_sparse *part = cp_sparse_slice(a, 2, (const cp_index[]){rows[r], columns[c]});
                        ok(part);
                        assert_int_equal(cp_sparse_format_of(part), FORMATS[i_f]);
                        same(part, m, width, want);
                    }
                /* arrays of numbers and a mask */
                cp_array *mask = cp_greater(cp_arange_int(0, COLUMNS, 1, CP_INT64), cp_int(4));
                int n = 0;
                for (int i = 0; i < 3; i++)
                    for (int k = 5; k < 7; k++) want[n++] = x[(int[]){10, 0, 10}[i] * COLUMNS + k];
                same(cp_sparse_slice(a, CP_ITEMS(CP_BY(ints(-1, 0, 10)), CP_BY(mask))), 3, 2, want);
                same(cp_sparse_slice(a, CP_ITEMS(CP_RANGE(0, ROWS))), ROWS, COLUMNS, x);
                cp_sparse_free(a);
            }
}

/* What a failure says. */
#define fails(call, code, text)  \
    do {                         \
        assert_null(call);       \
        failed_with(code, text); \
    } while (0)
static void test_no_matrix(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *v = doubles(1, 2), *i = ints(0, 1), *p = ints(0, 1, 2);
            fails(cp_sparse_new(CP_SPARSE_CSR, 2, 2, v, i, i), CP_ERROR_VALUE,
                  "sparse_new: indptr must have 3 elements, one more than rows, not 2");
            fails(cp_sparse_new(CP_SPARSE_CSC, 2, 3, v, i, p), CP_ERROR_VALUE,
                  "sparse_new: indptr must have 4 elements, one more than columns, not 3");
            fails(cp_sparse_new(CP_SPARSE_CSR, 2, 2, v, ints(0), p), CP_ERROR_VALUE,
                  "sparse_new: indices must have 2 elements, as data has, not 1");
            fails(cp_sparse_new(CP_SPARSE_CSR, 2, 2, v, ints(0, 2), p), CP_ERROR_VALUE,
                  "sparse_new: indices must be below 2");
            fails(cp_sparse_new(CP_SPARSE_CSC, 2, 2, v, ints(0, -1), p), CP_ERROR_VALUE,
                  "sparse_new: indices must not be negative");
            fails(cp_sparse_new(CP_SPARSE_CSR, 2, 2, v, i, ints(1, 1, 2)), CP_ERROR_VALUE,
                  "sparse_new: indptr must start with 0");
            fails(cp_sparse_new(CP_SPARSE_CSR, 2, 2, v, i, ints(0, 3, 2)), CP_ERROR_VALUE,
                  "sparse_new: indptr must not descend");
            fails(cp_sparse_new(CP_SPARSE_CSR, 2, 2, v, i, ints(0, 1, 3)), CP_ERROR_VALUE,
                  "sparse_new: indptr must end with at most 2, the number of indices, not 3");
            fails(cp_sparse_new(CP_SPARSE_CSR, 2, 2, v, v, p), CP_ERROR_TYPE,
                  "sparse_new: indices must be integers, not float64");
            fails(cp_sparse_new(CP_SPARSE_CSR, 2, 2, matrix_of(1, 2, (double[]){1, 2}), i, p), CP_ERROR_VALUE,
                  "sparse_new: data must be 1-D, not 2-D");
            fails(cp_sparse_new(CP_SPARSE_CSR, -1, 2, v, i, p), CP_ERROR_VALUE,
                  "sparse_new: rows must not be negative, not -1");
            fails(cp_sparse_new(CP_SPARSE_CSR, INT64_MAX, 2, v, i, p), CP_ERROR_VALUE,
                  "sparse_new: rows and columns must be at most 2^62");
            fails(cp_sparse_new((cp_sparse_format)7, 2, 2, v, i, p), CP_ERROR_VALUE,
                  "sparse_new: there is no format 7");
            fails(cp_sparse_new(CP_SPARSE_COO, 2, 2, cp_astype(v, CP_FLOAT16), i, i), CP_ERROR_TYPE,
                  "sparse_new: data must not be float16: a sparse matrix has no such elements");
            fails(cp_sparse_new(CP_SPARSE_COO, 2, 2, v, i, ints(0, 2)), CP_ERROR_VALUE,
                  "sparse_new: columns must be below 2, the number of columns, not 2");
            fails(cp_sparse_new(CP_SPARSE_COO, 2, 2, v, ints(-3, 0), i), CP_ERROR_VALUE,
                  "sparse_new: rows must not be negative, not -3");
            fails(cp_sparse_new(CP_SPARSE_COO, 2, 2, v, NULL, i), CP_ERROR_VALUE, "sparse_new: an argument is NULL");
        }
}
static void test_wrong_arguments(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *eye = cp_eye(3, 3, 0, CP_FLOAT64), *wide = cp_eye(2, 3, 0, CP_FLOAT64);
            cp_sparse *a = cp_sparse_from_dense(eye, CP_SPARSE_CSR), *b = cp_sparse_from_dense(wide, CP_SPARSE_CSR);
            fails(cp_sparse_add(a, b), CP_ERROR_VALUE, "sparse_add: inconsistent shapes (3, 3) and (2, 3)");
            fails(cp_sparse_matmul(a, b), CP_ERROR_VALUE,
                  "sparse_matmul: b must have 3 rows, as a has columns, not 2");
            fails(cp_sparse_dot(a, doubles(1, 2)), CP_ERROR_VALUE,
                  "sparse_dot: x must have 3 rows, as a has columns, not 2");
            fails(cp_sparse_scale(a, doubles(1, 2)), CP_ERROR_VALUE, "sparse_scale: factor must be 0-D, not 1-D");
            fails(cp_sparse_sum(a, 2), CP_ERROR_AXIS, "sparse_sum: axis must be 0, 1 or CP_FLAT, not 2");
            fails(cp_sparse_slice(a, CP_ITEMS(CP_AT(3))), CP_ERROR_INDEX,
                  "sparse_slice: index 3 is out of bounds for axis 0 with size 3");
            fails(cp_sparse_slice(a, CP_ITEMS(CP_FULL, CP_BY(ints(0, -4)))), CP_ERROR_INDEX,
                  "sparse_slice: index -4 is out of bounds for axis 1 with size 3");
            fails(cp_sparse_slice(a, CP_ITEMS(CP_STEP(0, 2, 0))), CP_ERROR_VALUE,
                  "sparse_slice: slice step cannot be zero");
            fails(cp_sparse_slice(a, CP_ITEMS(CP_NEW)), CP_ERROR_INDEX,
                  "sparse_slice: an index must be an integer, a slice or an array");
            fails(cp_sparse_from_dense(doubles(1), CP_SPARSE_CSR), CP_ERROR_VALUE,
                  "sparse_from_dense: x must be 2-D, not 1-D");
            fails(cp_sparse_from_diagonals(3, 3, wide, 2, (int64_t[]){1, 1}, CP_SPARSE_CSR), CP_ERROR_VALUE,
                  "sparse_from_diagonals: offsets must not have 1 twice");
            fails(cp_sparse_cg(b, doubles(1, 2)), CP_ERROR_VALUE, "sparse_cg: a must be square, not (2, 3)");
            fails(cp_sparse_cg(a, doubles(1, 2)), CP_ERROR_VALUE,
                  "sparse_cg: b must be 1-D and have 3 elements, as a has rows");
            fails(cp_sparse_bicgstab(a, doubles(1, 2, 3), .atol = -1), CP_ERROR_VALUE,
                  "sparse_bicgstab: atol must not be negative");
            fails(cp_sparse_cg(a, doubles(1, 2, 3), .m = b), CP_ERROR_VALUE, "sparse_cg: m must have a's shape");
            fails(cp_sparse_add(NULL, a), CP_ERROR_VALUE, "sparse_add: an argument is NULL");
            cp_sparse_free(a), cp_sparse_free(b);
        }
}

static void test_diagonals(void **state)
{
    (void)state;
    const double rows[2][3] = {{1, 2, 3}, {4, 5, 6}};
    for (FOR_DEVICES(d))
        for (FOR_FORMATS(f))
            for (CP_SCOPE) {
                cp_array *x = matrix_of(2, 3, rows[0]);
                same(cp_sparse_from_diagonals(3, 3, x, 2, (int64_t[]){0, 1}, FORMATS[i_f]), 3, 3,
                     (double[]){1, 5, 0, 0, 2, 6, 0, 0, 3});
                same(cp_sparse_from_diagonals(2, 4, x, 2, (int64_t[]){2, -1}, FORMATS[i_f]), 2, 4,
                     (double[]){0, 0, 3, 0, 4, 0, 0, 0});
                same(cp_sparse_from_diagonals(2, 2, x, 2, (int64_t[]){9, -9}, FORMATS[i_f]), 2, 2, (double[4]){0});
            }
}

/* --- solvers --- */

/* The n x n matrix of second differences, 2 on the diagonal and -1 beside it. */
static cp_sparse *differences(int64_t n, cp_sparse_format format)
{
    cp_array *line = cp_ones(CP_SHAPE(n), CP_FLOAT64);
    cp_array *rows[3] = {cp_negative(line), cp_multiply(line, cp_float(2)), cp_negative(line)};
    return cp_sparse_from_diagonals(n, n, cp_stack(3, rows, 0), 3, (int64_t[]){-1, 0, 1}, format);
}
/* -u'' = 2 on n points with u = 0 at both ends is u = i (n + 1 - i), of which second differences are exact. */
static void check_parabola(cp_array *x, int64_t n, double bound)
{
    ok(x);
    cp_array *i = cp_arange(1, (double)n + 1, 1, CP_FLOAT64);
    cp_array *exact = cp_multiply(i, cp_subtract(cp_float((double)n + 1), i));
    const double error = cp_item_float(cp_max(cp_absolute(cp_subtract(x, exact))));
    if (!(error <= bound)) fail_msg("the error is %g, not below %g", error, bound);
}
static cp_array *halved(void *context, cp_array *x)
{
    ++*(int *)context;
    return cp_multiply(x, cp_float(0.5));
}
static cp_array *itself(void *context, cp_array *x)
{
    int *calls = context; /* with a reference, and without */
    return ++*calls % 2 ? cp_retain(x) : x;
}
static cp_array *older(void *context, cp_array *x)
{
    (void)x;
    return cp_retain(context);
}
static cp_array *too_short(void *context, cp_array *x)
{
    (void)context;
    return cp_slice(x, CP_ITEMS(CP_RANGE(0, 2)));
}
typedef cp_array *(*method)(cp_sparse *, cp_array *, const cp_sparse_solve_options *);
static const method METHODS[] = {cp_sparse_cg,   cp_sparse_gmres, cp_sparse_minres,   cp_sparse_cgs,
                                 cp_sparse_bicg, cp_sparse_qmr,   cp_sparse_bicgstab, cp_sparse_tfqmr};
enum { CG, GMRES, MINRES, CGS, BICG, QMR, BICGSTAB, TFQMR, SOLVERS };

static void test_solvers(void **state)
{
    (void)state;
    enum { N = 100 };
    for (FOR_DEVICES(d))
        for (int k = 0; k < SOLVERS; k++)
            for (FOR_FORMATS(f))
                for (CP_SCOPE) {
                    cp_sparse *a = differences(N, FORMATS[i_f]), *m = NULL;
                    cp_array *b = cp_full(CP_SHAPE(N), CP_FLOAT64, cp_float(2)), *x[4];
                    cp_sparse_report r[4];
                    int calls = 0;
                    for (int i = 0; i < 3; i++) { /* looks at other times: the same steps and bits */
                        const int64_t every[3] = {0, 1, 7};
                        const cp_sparse_solve_options o = {.rtol = 1e-12, .every = every[i], .restart = N,
                                                           .report = &r[i]};
                        x[i] = METHODS[k](a, b, &o);
                        check_parabola(x[i], N, 1e-7);
                        assert_true(r[i].converged && r[i].residual < r[i].tolerance);
                        assert_int_equal(r[i].iterations, r[0].iterations);
                        assert_true(cp_array_equal(x[i], x[0], false) == 1);
                    }
                    if (k == CG) assert_in_range(r[0].iterations, N / 2 - 1, N / 2 + 1); /* the solution is symmetric */
                    if (k != GMRES && k != MINRES) assert_int_equal(r[1].looks, r[1].iterations + 1);
                    assert_true(r[2].looks <= r[2].iterations / 7 + 2);
                    const cp_sparse_solve_options by_call = {.rtol = 1e-12, .apply = halved, .context = &calls,
                                                             .adjoint = halved, .restart = N, .report = &r[3]};
                    check_parabola(METHODS[k](a, b, &by_call), N, 1e-7);
                    assert_true(calls >= r[3].iterations);
                    const cp_sparse_solve_options same_vector = {.rtol = 1e-12, .apply = itself, .context = &calls,
                                                                 .adjoint = itself, .restart = N};
                    check_parabola(METHODS[k](a, b, &same_vector), N, 1e-7);
                    m = cp_sparse_from_dense(cp_multiply(cp_eye(N, N, 0, CP_FLOAT64), cp_float(0.5)), CP_SPARSE_CSC);
                    check_parabola(METHODS[k](a, b, &(cp_sparse_solve_options){.rtol = 1e-12, .m = m, .restart = N}), N,
                                   1e-7);
                    const cp_sparse_solve_options near = {.rtol = 1e-12, .x0 = x[0], .report = &r[3]};
                    check_parabola(METHODS[k](a, b, &near), N, 1e-7);
                    assert_true(r[3].iterations <= 2);
                    cp_sparse_free(m);
                    cp_sparse_free(a);
                }
}
/* A matrix that is not symmetric, restarted often: the solution is all ones. */
static void test_restarts(void **state)
{
    (void)state;
    enum { N = 60 };
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *line = cp_ones(CP_SHAPE(N), CP_FLOAT64);
            cp_array *rows[3] = {cp_multiply(line, cp_float(-2)), cp_multiply(line, cp_float(4)), line};
            const int64_t offsets[] = {-1, 0, 1};
            cp_sparse *a = cp_sparse_from_diagonals(N, N, cp_stack(3, rows, 0), 3, offsets, CP_SPARSE_CSR);
            cp_array *b = cp_sparse_dot(a, line), *x[2];
            cp_sparse_report r[2];
            for (int i = 0; i < 2; i++) {
                x[i] = cp_sparse_gmres(a, b, .rtol = 1e-10, .every = i, .restart = 5, .report = &r[i]);
                assert_true(r[i].converged && r[i].iterations > 5);
                assert_true(cp_item_float(cp_max(cp_absolute(cp_subtract(x[i], line)))) < 1e-9);
            }
            assert_int_equal(r[0].iterations, r[1].iterations);
            assert_true(cp_array_equal(x[0], x[1], false) == 1);
            ok(cp_sparse_gmres(a, b, .rtol = 1e-10, .restart = 5, .maxiter = 7, .report = &r[0]));
            assert_int_equal(r[0].iterations, 7);
            assert_false(r[0].converged);
            assert_null(cp_sparse_gmres(a, b, .restart = -1));
            failed_with(CP_ERROR_VALUE, "sparse_gmres: restart must not be negative");
            cp_sparse_free(a);
        }
}
static void test_solvers_that_stop(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (int k = 0; k < SOLVERS; k++)
            for (CP_SCOPE) {
                cp_sparse *a = differences(50, CP_SPARSE_CSR);
                cp_array *b = cp_ones(CP_SHAPE(50), CP_FLOAT64);
                cp_sparse_report r;
                ok(METHODS[k](a, b, &(cp_sparse_solve_options){.maxiter = 3, .report = &r}));
                assert_int_equal(r.iterations, 3);
                assert_false(r.converged);
                cp_array *zero = cp_zeros(CP_SHAPE(50), CP_FLOAT64);
                cp_array *x = METHODS[k](a, zero, &(cp_sparse_solve_options){.x0 = b, .report = &r});
                assert_true(cp_array_equal(x, zero, false) == 1);
                assert_int_equal(r.iterations, 0);
                assert_true(r.converged);
                cp_array *of_older = METHODS[k](a, b, &(cp_sparse_solve_options){.apply = older, .context = b,
                                                                                 .adjoint = older, .maxiter = 5});
                if (k != MINRES) ok(of_older);
                else failed_with(CP_ERROR_VALUE, "sparse_minres: a and m must be Hermitian, and m positive definite");
                assert_null(METHODS[k](a, b, &(cp_sparse_solve_options){.apply = too_short, .adjoint = too_short}));
                failed(CP_ERROR_VALUE);
                /* without a tolerance: exact after two steps, and steps behind that change nothing */
                cp_sparse *two = cp_sparse_from_dense(matrix_of(2, 2, (double[]){2, 0, 0, 4}), CP_SPARSE_CSR);
                x = METHODS[k](two, doubles(2, 4), &(cp_sparse_solve_options){.rtol = -1, .maxiter = 40, .report = &r});
                near_values(x, 1e-12, 1, 1);
                cp_sparse_free(two);
                cp_sparse_free(a);
                /* a zero matrix has no solution: NaN from cg, as SciPy's, 0 from the others, no endless loop */
                a = cp_sparse_from_dense(cp_zeros(CP_SHAPE(50, 50), CP_FLOAT64), CP_SPARSE_CSR);
                x = METHODS[k](a, b, &(cp_sparse_solve_options){.report = &r});
                ok(x);
                assert_false(r.converged);
                if (k != CG) assert_true(cp_array_equal(x, zero, false) == 1);
                cp_sparse_free(a);
                /* float32 and complex keep their type; Hermitian, the solution (1, i) */
                const cp_complex64 h[4] = {{2, 0}, {0, 1}, {0, -1}, {3, 0}}, right[2] = {{1, 0}, {0, 2}};
                a = cp_sparse_from_dense(cp_from_host(h, CP_COMPLEX64, CP_SHAPE(2, 2), NULL), CP_SPARSE_CSR);
                x = METHODS[k](a, cp_from_host(right, CP_COMPLEX64, CP_SHAPE(2), NULL),
                               &(cp_sparse_solve_options){.rtol = 1e-6});
                ok(x);
                assert_int_equal(cp_type_of(x), CP_COMPLEX64);
                cp_complex64 got[2];
                ok(cp_to_host(x, got, sizeof got) == CP_OK);
                assert_true(fabs(got[0].re - 1) + fabs(got[0].im) + fabs(got[1].re) + fabs(got[1].im - 1) < 1e-5);
                cp_sparse_free(a);
            }
}

/* Indefinite, shifted and singular matrices, and those that are not Hermitian; m that is not positive. */
static void test_minres(void **state)
{
    (void)state;
    enum { N = 60 };
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *i = cp_arange(0, N, 1, CP_FLOAT64), *one = cp_ones(CP_SHAPE(N), CP_FLOAT64);
            cp_array *rows[1] = {cp_subtract(i, cp_float(20.5))};
            cp_sparse *a = cp_sparse_from_diagonals(N, N, cp_stack(1, rows, 0), 1, (int64_t[]){0}, CP_SPARSE_CSR);
            cp_sparse_report r;
            cp_array *x = cp_sparse_minres(a, rows[0], .rtol = 1e-13, .report = &r);
            assert_true(r.converged && r.residual <= r.tolerance && r.iterations <= N + 20);
            assert_true(cp_item_float(cp_max(cp_absolute(cp_subtract(x, one)))) < 1e-9);
            x = cp_sparse_minres(a, cp_subtract(i, cp_float(5)), .shift = -15.5, .rtol = 1e-13, .report = &r);
            cp_array *want = cp_copy(one); /* row 5 is 0: nothing is there */
            ok(cp_set_item(want, 1, (int64_t[]){5}, &(double){0}) == CP_OK);
            assert_true(r.converged && cp_item_float(cp_max(cp_absolute(cp_subtract(x, want)))) < 1e-9);
            /* no solution: that of least squares, whose residual is b's part in that row */
            x = cp_sparse_minres(a, i, .shift = -15.5, .rtol = 1e-9, .report = &r);
            assert_true(r.converged && fabs(r.residual - 5) < 1e-6);
            x = cp_subtract(cp_multiply(x, cp_subtract(i, cp_float(5))), cp_multiply(i, want));
            assert_true(cp_item_float(cp_max(cp_absolute(x))) < 1e-4);
            rows[0] = cp_negative(one);
            cp_sparse *m = cp_sparse_from_diagonals(N, N, cp_stack(1, rows, 0), 1, (int64_t[]){0}, CP_SPARSE_CSR);
            assert_null(cp_sparse_minres(a, one, .m = m));
            failed_with(CP_ERROR_VALUE, "sparse_minres: m must be positive definite");
            cp_sparse_free(m);
            cp_sparse_free(a);
        }
}

/* A complex matrix that is not Hermitian, with a preconditioner that is not either, of which the adjoints count; what
 * breaks down; functions without their adjoints. */
static void test_two_sided(void **state)
{
    (void)state;
    enum { N = 40 };
    for (FOR_DEVICES(d))
        for (int k = CGS; k < SOLVERS; k++)
            for (CP_SCOPE) {
                const cp_complex128 factors[4] = {{-1, 0.5}, {4, 1}, {0.5, -1}, {0.25, -0.1}};
                cp_array *line = cp_ones(CP_SHAPE(N), CP_COMPLEX128), *rows[4];
                for (int i = 0; i < 4; i++) rows[i] = cp_multiply(line, cp_complex(factors[i].re, factors[i].im));
                const int64_t offsets[] = {-1, 0, 1}, above[] = {0, 1};
                cp_sparse *a = cp_sparse_from_diagonals(N, N, cp_stack(3, rows, 0), 3, offsets, CP_SPARSE_CSC);
                cp_array *of_m[2] = {rows[3], cp_multiply(rows[3], cp_float(0.2))};
                cp_sparse *m = cp_sparse_from_diagonals(N, N, cp_stack(2, of_m, 0), 2, above, CP_SPARSE_COO);
                cp_array *x[2], *b = cp_sparse_dot(a, line);
                cp_sparse_report r[2];
                for (int with = 0; with < 2; with++) {
                    for (int i = 0; i < 2; i++) {
                        const cp_sparse_solve_options o = {.rtol = 1e-11, .m = with ? m : NULL, .every = i * 9,
                                                           .report = &r[i]};
                        x[i] = METHODS[k](a, b, &o);
                        ok(x[i]);
                        assert_true(r[i].converged && r[i].iterations > 3 && r[i].iterations <= N);
                        assert_true(cp_item_float(cp_max(cp_absolute(cp_subtract(x[i], line)))) < 1e-9);
                    }
                    assert_int_equal(r[0].iterations, r[1].iterations);
                    assert_true(cp_array_equal(x[0], x[1], false) == 1);
                }
                cp_sparse_free(a), cp_sparse_free(m);
                /* float32, and a preconditioner of float64 */
                a = cp_sparse_from_dense(cp_astype(matrix_of(2, 2, (double[]){2, 1, 0, 4}), CP_FLOAT32), CP_SPARSE_CSR);
                m = cp_sparse_from_dense(matrix_of(2, 2, (double[]){0.5, 0, 0.1, 0.25}), CP_SPARSE_CSR);
                cp_array *single = cp_astype(doubles(3, 4), CP_FLOAT32);
                x[0] = METHODS[k](a, single, &(cp_sparse_solve_options){.rtol = 1e-6, .m = m});
                ok(x[0]);
                assert_int_equal(cp_type_of(x[0]), CP_FLOAT32);
                near_values(cp_astype(x[0], CP_FLOAT64), 1e-5, 1, 1);
                cp_sparse_free(a), cp_sparse_free(m);
                /* the first direction's product is 0: x stays */
                a = cp_sparse_from_dense(matrix_of(2, 2, (double[]){0, 1, -1, 0}), CP_SPARSE_CSR);
                x[0] = METHODS[k](a, doubles(1, 0), &(cp_sparse_solve_options){.report = &r[0]});
                near_values(x[0], 0, 0, 0);
                assert_false(r[0].converged);
                assert_int_equal(r[0].iterations, 0);
                int calls = 0;
                x[0] = METHODS[k](a, doubles(1, 0), &(cp_sparse_solve_options){.apply = halved, .context = &calls});
                if (k != BICG && k != QMR) ok(x[0]);
                else {
                    assert_null(x[0]);
                    failed(CP_ERROR_VALUE);
                }
                cp_sparse_free(a);
            }
}

/* --- memory --- */

static bool body(void)
{
    cp_scope *scope = cp_scope_begin();
    if (!scope) return false;
    cp_array *x = doubles(4, 1, 0, 1, 4, 1, 0, 1, 4), *b = doubles(1, 2, 3);
    cp_sparse *a = cp_sparse_from_dense(x ? cp_reshape(x, CP_SHAPE(3, 3)) : NULL, CP_SPARSE_COO);
    cp_sparse *made[] = {a, cp_sparse_convert(a, CP_SPARSE_CSC), cp_sparse_sum_duplicates(a), cp_sparse_transpose(a),
                         cp_sparse_add(a, a), cp_sparse_matmul(a, a),
                         cp_sparse_slice(a, CP_ITEMS(CP_RANGE(0, 2), CP_STEP(2, 0, -1))),
                         cp_sparse_from_diagonals(2, 2, cp_ones(CP_SHAPE(1, 2), CP_FLOAT64), 1, (int64_t[]){0},
                                                  CP_SPARSE_CSR)};
    cp_array *arrays[] = {cp_sparse_dense(a), cp_sparse_dot(a, b), cp_sparse_sum(a, 0), cp_sparse_diagonal(a, 0),
                          cp_sparse_cg(a, b), cp_sparse_bicgstab(a, b, .m = a), cp_sparse_gmres(a, b, .m = a),
                          cp_sparse_minres(a, b, .m = a),
                          cp_sparse_bicgstab(a, b, .apply = older, .context = b, .maxiter = 2),
                          cp_sparse_cgs(a, b), cp_sparse_cgs(a, b, .m = a), cp_sparse_bicg(a, b, .m = a),
                          cp_sparse_qmr(a, b), cp_sparse_qmr(a, b, .m = a), cp_sparse_tfqmr(a, b),
                          cp_sparse_tfqmr(a, b, .m = a)};
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversions), cmocka_unit_test(test_arrays), cmocka_unit_test(test_order),
        cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_types), cmocka_unit_test(test_slices),
        cmocka_unit_test(test_no_matrix), cmocka_unit_test(test_wrong_arguments), cmocka_unit_test(test_diagonals),
        cmocka_unit_test(test_solvers), cmocka_unit_test(test_restarts), cmocka_unit_test(test_minres),
        cmocka_unit_test(test_solvers_that_stop), cmocka_unit_test(test_two_sided),
        cmocka_unit_test(test_allocations)};
    return check_run(tests);
}
