/* Where extremes of matrices are, counts, elements by place and their replacement, other shapes, grids of blocks, sums
 * and powers of matrices, comparisons that are true for zeros: beside loops over dense elements and SciPy's results. */
#include <math.h>

#include "check.h"

enum { ROWS = 6, COLUMNS = 4, SIZE = ROWS * COLUMNS };
static const cp_sparse_format FORMATS[] = {CP_SPARSE_CSR, CP_SPARSE_CSC, CP_SPARSE_COO, CP_SPARSE_DIA, CP_SPARSE_BSR};
#define FOR_FORMATS(f) size_t i_##f = 0; i_##f < 5; i_##f++
static const cp_type TYPES[] = {CP_INT8, CP_INT16, CP_INT32, CP_INT64, CP_UINT8, CP_UINT16, CP_UINT32, CP_UINT64,
                                CP_FLOAT32, CP_FLOAT64, CP_COMPLEX64, CP_COMPLEX128, CP_BOOL};
#define FOR_TYPES(t) size_t i_##t = 0; i_##t < sizeof TYPES / sizeof *TYPES; i_##t++

static uint64_t seed;
static int64_t below(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(seed >> 33) % n;
}
/* Small integers at a third of the places; none in the second row and column, all in the fourth ones. */
static void draw(int n, double *x)
{
    for (int i = 0; i < n; i++) {
        const int row = i / COLUMNS, column = i % COLUMNS;
        x[i] = row == 1 || column == 1 ? 0 : row == 3 || column == 3 ? 1 + (double)below(3)
               : below(3) ? 0 : (double)(below(7) - 3);
    }
}
static bool is_signed(cp_type t) { return cp_type_kind(t) != 'u' && t != CP_BOOL; }
static double as_type(double x, cp_type t) { return t == CP_BOOL ? x != 0 : is_signed(t) ? x : fabs(x); }
static cp_sparse *matrix_of(const double *x, int64_t rows, int64_t columns, cp_type type, cp_sparse_format format)
{
    cp_array *dense = cp_from_host(x, CP_FLOAT64, CP_SHAPE(rows, columns), NULL);
    cp_sparse *a = cp_sparse_from_dense(cp_astype(is_signed(type) ? dense : cp_absolute(dense), type), format);
    ok(a);
    return a;
}
static cp_sparse *matrix(const double *x, cp_sparse_format format)
{
    return matrix_of(x, ROWS, COLUMNS, CP_FLOAT64, format);
}
/* Whether a matrix is this one, and in its operand's format, or compressed rows; it is freed. */
static void same(cp_sparse *a, cp_sparse_format of, int64_t rows, int64_t columns, const double *want)
{
    ok(a);
    assert_int_equal(cp_sparse_format_of(a), of > CP_SPARSE_COO ? CP_SPARSE_CSR : of);
    assert_int_equal(cp_sparse_rows(a), rows);
    assert_int_equal(cp_sparse_columns(a), columns);
    cp_array *x = cp_sparse_dense(a);
    check_values(cp_type_kind(cp_type_of(x)) == 'c' ? cp_real_part(x) : x, (int)(rows * columns), want);
    cp_sparse_free(a);
}
/* The call gives NULL, and this code with a message that has `text`. */
#define fails(call, code, text)                                                               \
    do {                                                                                      \
        if (call) fail_msg("%s did not fail", #call);                                         \
        if (!strstr(cp_error_message(), text)) fail_msg("%s: %s", #call, cp_error_message()); \
        failed(code);                                                                         \
    } while (0)

/* --- where and how many --- */

/* The first place of a line's extreme. */
static int place(const double *x, int at, int step, int n, bool most)
{
    int e = 0;
    for (int i = 1; i < n; i++)
        if (most ? x[at + i * step] > x[at + e * step] : x[at + i * step] < x[at + e * step]) e = i;
    return e;
}
typedef cp_array *(*extreme)(cp_sparse *a, int axis, const cp_sparse_extreme_options *options);
static void check_places(cp_sparse *a, const double *x)
{
    double want[ROWS];
    for (int most = 0; most < 2; most++) {
        const extreme f = most ? cp_sparse_argmax : cp_sparse_argmin;
        for (int i = 0; i < COLUMNS; i++) want[i] = place(x, i, COLUMNS, ROWS, most);
        cp_array *y = f(a, 0, NULL);
        check_values(y, COLUMNS, want);
        assert_int_equal(cp_type_of(y), CP_INT64);
        for (int i = 0; i < ROWS; i++) want[i] = place(x, i * COLUMNS, 1, COLUMNS, most);
        check_values(f(a, 1, NULL), ROWS, want);
        y = f(a, CP_FLAT, NULL);
        assert_int_equal(cp_ndim(y), 0);
        values(y, place(x, 0, 1, SIZE, most));
        fails(f(a, 2, NULL), CP_ERROR_AXIS, most ? "sparse_argmax" : "sparse_argmin");
        const extreme g = most ? cp_sparse_nanmax : cp_sparse_nanmin;
        for (int i = 0; i < ROWS; i++) want[i] = x[i * COLUMNS + place(x, i * COLUMNS, 1, COLUMNS, most)];
        y = g(a, 1, NULL);
        check_values(cp_type_kind(cp_type_of(y)) == 'c' ? cp_real_part(y) : y, ROWS, want);
    }
}
static void check_counts(cp_sparse *a, const double *x)
{
    double rows[ROWS] = {0}, columns[COLUMNS] = {0}, all = 0;
    for (int i = 0; i < SIZE; i++) rows[i / COLUMNS] += x[i] != 0, columns[i % COLUMNS] += x[i] != 0, all += x[i] != 0;
    cp_array *y = cp_sparse_count_nonzero(a, 0);
    check_values(y, COLUMNS, columns);
    assert_int_equal(cp_type_of(y), CP_INT64);
    check_values(cp_sparse_count_nonzero(a, 1), ROWS, rows);
    values(cp_sparse_count_nonzero(a, CP_FLAT), all);
    double row[SIZE], column[SIZE], value[SIZE];
    int n = 0;
    for (int i = 0; i < SIZE; i++)
        if (x[i] != 0) row[n] = i / COLUMNS, column[n] = i % COLUMNS, value[n++] = x[i];
    cp_array *found[3];
    ok(cp_sparse_find(a, &found[0], &found[1], &found[2]) == CP_OK);
    check_values(found[0], n, row);
    check_values(found[1], n, column);
    assert_int_equal(cp_type_of(found[2]), cp_sparse_type_of(a));
    check_values(cp_type_kind(cp_type_of(found[2])) == 'c' ? cp_real_part(found[2]) : found[2], n, value);
    for (int i = 0; i < 3; i++) cp_free(found[i]);
    for (int k = -ROWS - 1; k <= COLUMNS + 1; k++) {
        double sum = 0;
        for (int i = 0; i < ROWS; i++)
            if (i + k >= 0 && i + k < COLUMNS) sum += x[i * COLUMNS + i + k];
        if (cp_sparse_type_of(a) == CP_FLOAT64) values(cp_sparse_trace(a, k), sum);
    }
}
static void test_where(void **state)
{
    (void)state;
    double x[SIZE], y[SIZE];
    seed = 1;
    for (FOR_DEVICES(d))
        for (FOR_TYPES(t))
            for (FOR_FORMATS(f))
                for (CP_SCOPE) {
                    draw(SIZE, x);
                    for (int i = 0; i < SIZE; i++) y[i] = as_type(x[i], TYPES[i_t]);
                    cp_sparse *a = matrix_of(x, ROWS, COLUMNS, TYPES[i_t], FORMATS[i_f]);
                    check_places(a, y);
                    check_counts(a, y);
                    cp_sparse_free(a);
                }
}
/* SciPy 1.17's results: NaN, zeros that are stored, ties, elements that stand twice. */
static void test_where_rare(void **state)
{
    (void)state;
    const double nan[12] = {0, NAN, 1, NAN, 2, 3, -1, 0, -2, NAN, NAN, NAN};
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            for (FOR_FORMATS(f)) {
                cp_sparse *a = matrix_of(nan, 4, 3, CP_FLOAT64, FORMATS[i_f]);
                /* blocks, and so do diagonals, store zeros; of blocks all of a row's, so that its NaN counts */
                if (FORMATS[i_f] != CP_SPARSE_BSR) {
                    values(cp_sparse_argmax(a, 0), 0, 2, 3);
                    values(cp_sparse_argmin(a, 0), 0, 2, 3);
                    values(cp_sparse_argmax(a, 1), 0, 0, 1, 0);
                    values(cp_sparse_argmin(a, 1), 0, 0, 2, 0);
                }
                values(cp_sparse_nanmax(a, 0), 0, 2, 3);
                values(cp_sparse_nanmax(a, 1), 1, 3, 0, NAN);
                values(cp_sparse_nanmax(a, CP_FLAT), 3);
                values(cp_sparse_nanmin(a, 1), 0, 2, -2, NAN);
                values(cp_sparse_nanmin(a, CP_FLAT), -2);
                cp_sparse_free(a);
            }
            cp_sparse *a = cp_sparse_new(CP_SPARSE_CSR, 3, 3, doubles(0, -1, -2, -3, 0, -1), ints(2, 0, 0, 2, 1, 0),
                                         ints(0, 2, 4, 6)); /* indices that descend, zeros that are stored */
            values(cp_sparse_argmax(a, 1), 1, 1, 1);
            values(cp_sparse_argmin(a, 1), 0, 2, 0);
            values(cp_sparse_argmax(a, CP_FLAT), 1);
            values(cp_sparse_count_nonzero(a, 1), 1, 2, 1);
            cp_sparse_free(a);
            a = cp_sparse_new(CP_SPARSE_COO, 2, 2, doubles(3, -3, 2, 1, 1), ints(0, 0, 0, 1, 1), ints(1, 1, 0, 0, 1));
            values(cp_sparse_argmax(a, 1), 0, 0); /* 2, 3 - 3 and 1, 1 */
            values(cp_sparse_argmax(a, CP_FLAT), 0);
            values(cp_sparse_argmin(a, CP_FLAT), 1);
            values(cp_sparse_count_nonzero(a, CP_FLAT), 3);
            cp_array *row, *column, *value;
            ok(cp_sparse_find(a, &row, &column, &value) == CP_OK);
            values(row, 0, 1, 1);
            values(column, 0, 0, 1);
            values(value, 2, 1, 1);
            cp_free(row), cp_free(column), cp_free(value);
            cp_sparse_free(a);
            a = cp_sparse_new(CP_SPARSE_COO, 100, INT32_MAX, doubles(-1, 5), ints(0, 99), ints(0, 7));
            values(cp_sparse_argmax(a, CP_FLAT), 99.0 * 2147483647 + 7);
            values(cp_sparse_argmin(a, CP_FLAT), 0);
            cp_sparse_free(a);
        }
}
static void test_where_none(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (FOR_FORMATS(f))
            for (CP_SCOPE) {
                cp_sparse *a = cp_sparse_from_dense(cp_zeros(CP_SHAPE(0, 3), CP_FLOAT64), FORMATS[i_f]);
                fails(cp_sparse_argmax(a, 0), CP_ERROR_VALUE, "element");
                fails(cp_sparse_argmin(a, CP_FLAT), CP_ERROR_VALUE, "element");
                assert_int_equal(cp_size(cp_sparse_argmax(a, 1)), 0);
                values(cp_sparse_count_nonzero(a, 0), 0, 0, 0);
                values(cp_sparse_trace(a, 0), 0);
                same(cp_sparse_reshape(a, 3, 0), FORMATS[i_f], 3, 0, NULL);
                same(cp_sparse_resize(a, 1, 2), FORMATS[i_f], 1, 2, (double[]){0, 0});
                cp_sparse *const both[2] = {a, a};
                same(cp_sparse_block_diag(2, both), FORMATS[i_f], 0, 6, NULL);
                same(cp_sparse_equal(a, a), CP_SPARSE_CSR + (FORMATS[i_f] == CP_SPARSE_CSC), 0, 3, NULL);
                cp_sparse_free(a);
                a = cp_sparse_from_dense(cp_zeros(CP_SHAPE(2, 3), CP_FLOAT64), FORMATS[i_f]);
                values(cp_sparse_argmax(a, 1), 0, 0);
                values(cp_sparse_argmax(a, CP_FLAT), 0);
                values(cp_sparse_elements(a, ints(0, 1), ints(2, -1)), 0, 0);
                same(cp_sparse_assign(a, ints(1), ints(-1), cp_float(7)), FORMATS[i_f], 2, 3,
                     (double[]){0, 0, 0, 0, 0, 7});
                cp_sparse_free(a);
            }
}

/* --- replacing --- */

static void test_assign(void **state)
{
    (void)state;
    double x[SIZE], want[SIZE], some[9];
    seed = 2;
    for (FOR_DEVICES(d))
        for (FOR_TYPES(t))
            for (FOR_FORMATS(f))
                for (CP_SCOPE) {
                    const cp_type type = TYPES[i_t];
                    draw(SIZE, x);
                    cp_sparse *a = matrix_of(x, ROWS, COLUMNS, type, FORMATS[i_f]);
                    int64_t row[9], column[9];
                    for (int i = 0; i < SIZE; i++) want[i] = x[i] = as_type(x[i], type);
                    for (int i = 0; i < 9; i++) { /* places of which some come twice, counted from either end */
                        row[i] = below(2 * ROWS) - ROWS, column[i] = below(2 * COLUMNS) - COLUMNS;
                        some[i] = as_type((double)below(4), type);
                        want[(row[i] + ROWS) % ROWS * COLUMNS + (column[i] + COLUMNS) % COLUMNS] = some[i];
                    }
                    cp_array *rows = cp_from_host(row, CP_INT64, CP_SHAPE(9), NULL);
                    cp_array *columns = cp_from_host(column, CP_INT64, CP_SHAPE(9), NULL);
                    cp_array *v = cp_from_host(some, CP_FLOAT64, CP_SHAPE(9), NULL);
                    cp_sparse *b = cp_sparse_assign(a, rows, columns, v);
                    ok(b);
                    assert_int_equal(cp_sparse_type_of(b), type);
                    cp_array *y = cp_sparse_elements(b, rows, columns);
                    for (int i = 0; i < 9; i++)
                        some[i] = want[(row[i] + ROWS) % ROWS * COLUMNS + (column[i] + COLUMNS) % COLUMNS];
                    check_values(cp_type_kind(type) == 'c' ? cp_real_part(y) : y, 9, some);
                    same(b, FORMATS[i_f], ROWS, COLUMNS, want);
                    same(cp_sparse_assign(a, ints(2, 2), ints(1, 3), cp_int(1)), FORMATS[i_f], ROWS, COLUMNS,
                         (memcpy(want, x, sizeof want), want[9] = want[11] = 1, want));
                    cp_sparse_free(a);
                }
}
static void test_assign_slices(void **state)
{
    (void)state;
    double x[SIZE], want[SIZE];
    seed = 3;
    draw(SIZE, x);
    for (FOR_DEVICES(d))
        for (FOR_FORMATS(f))
            for (CP_SCOPE) {
                const cp_sparse_format of = FORMATS[i_f];
                cp_sparse *a = matrix(x, of);
                memcpy(want, x, sizeof want);
                for (int r = 1; r < ROWS; r += 2)
                    for (int c = 0; c < 3; c++) want[r * COLUMNS + c] = 10 + c;
                same(cp_sparse_assign_slice(a, CP_ITEMS(CP_STEP(1, 9, 2), CP_RANGE(0, 3)), doubles(10, 11, 12)), of,
                     ROWS, COLUMNS, want);
                memcpy(want, x, sizeof want);
                for (int c = 0; c < COLUMNS; c++) want[4 * COLUMNS + c] = 5, want[c] = 5;
                same(cp_sparse_assign_slice(a, CP_ITEMS(CP_BY(ints(-2, 0))), cp_float(5)), of, ROWS, COLUMNS, want);
                memcpy(want, x, sizeof want);
                for (int r = 0; r < ROWS; r++) want[r * COLUMNS + 3] = r, want[r * COLUMNS + 1] = r;
                cp_array *column = cp_reshape(cp_arange(0, ROWS, 1, CP_FLOAT64), CP_SHAPE(ROWS, 1));
                same(cp_sparse_assign_slice(a, CP_ITEMS(CP_FULL, CP_BY(ints(3, 1))), column), of, ROWS, COLUMNS, want);
                same(cp_sparse_assign_slice(a, CP_ITEMS(CP_RANGE(3, 3)), cp_float(5)), of, ROWS, COLUMNS, x);
                fails(cp_sparse_assign_slice(a, CP_ITEMS(CP_AT(6)), cp_float(5)), CP_ERROR_INDEX, "out of bounds");
                fails(cp_sparse_assign_slice(a, CP_ITEMS(CP_AT(0)), doubles(1, 2)), CP_ERROR_VALUE, "broadcast");
                fails(cp_sparse_assign(a, ints(6), ints(0), cp_float(5)), CP_ERROR_INDEX, "out of bounds");
                fails(cp_sparse_assign(a, ints(0, 1), ints(0), cp_float(5)), CP_ERROR_VALUE, "2 elements");
                fails(cp_sparse_assign(a, ints(0, 1), ints(0, 1), doubles(1, 2, 3)), CP_ERROR_VALUE, "values");
                fails(cp_sparse_elements(a, ints(0), ints(4)), CP_ERROR_INDEX, "out of bounds");
                fails(cp_sparse_elements(a, doubles(0), ints(0)), CP_ERROR_INDEX, "integers");
                for (int k = 1 - ROWS; k < COLUMNS; k++) {
                    memcpy(want, x, sizeof want);
                    int n = 0;
                    for (int r = 0; r < ROWS; r++)
                        if (r + k >= 0 && r + k < COLUMNS && n < 3) want[r * COLUMNS + r + k] = 20 + n++;
                    same(cp_sparse_set_diagonal(a, doubles(20, 21, 22), k), of, ROWS, COLUMNS, want);
                    for (int r = 0; r < ROWS; r++)
                        if (r + k >= 0 && r + k < COLUMNS) want[r * COLUMNS + r + k] = -1;
                    same(cp_sparse_set_diagonal(a, cp_float(-1), k), of, ROWS, COLUMNS, want);
                }
                fails(cp_sparse_set_diagonal(a, cp_float(1), COLUMNS), CP_ERROR_VALUE, "diagonal 4");
                fails(cp_sparse_set_diagonal(a, cp_float(1), -ROWS), CP_ERROR_VALUE, "diagonal -6");
                cp_sparse_free(a);
            }
}

/* --- shapes and others --- */

static void test_shapes(void **state)
{
    (void)state;
    static const int SHAPES[][2] = {{1, 24}, {24, 1}, {4, 6}, {8, 3}, {2, 12}, {6, 4}};
    double x[SIZE], want[64];
    seed = 4;
    draw(SIZE, x);
    for (FOR_DEVICES(d))
        for (FOR_FORMATS(f))
            for (CP_SCOPE) {
                cp_sparse *a = matrix(x, FORMATS[i_f]);
                for (int i = 0; i < 5; i++)
                    same(cp_sparse_reshape(a, SHAPES[i][0], i % 2 ? SHAPES[i][1] : -1), FORMATS[i_f], SHAPES[i][0],
                         SHAPES[i][1], x);
                same(cp_sparse_reshape(a, -1, 8), FORMATS[i_f], 3, 8, x);
                fails(cp_sparse_reshape(a, 5, 5), CP_ERROR_VALUE, "24 elements into shape (5, 5)");
                fails(cp_sparse_reshape(a, -1, 7), CP_ERROR_VALUE, "reshape");
                fails(cp_sparse_reshape(a, -1, -1), CP_ERROR_VALUE, "reshape");
                fails(cp_sparse_resize(a, -1, 1), CP_ERROR_VALUE, "negative");
                for (int rows = 0; rows < 8; rows += 2)
                    for (int columns = 1; columns < 8; columns += 2) {
                        for (int i = 0; i < rows * columns; i++) {
                            const int r = i / columns, c = i % columns;
                            want[i] = r < ROWS && c < COLUMNS ? x[r * COLUMNS + c] : 0;
                        }
                        same(cp_sparse_resize(a, rows, columns), FORMATS[i_f], rows, columns, want);
                    }
                cp_sparse_free(a);
            }
}
static void test_grids(void **state)
{
    (void)state;
    double x[SIZE], want[4 * SIZE];
    seed = 5;
    draw(SIZE, x);
    for (FOR_DEVICES(d))
        for (FOR_FORMATS(f))
            for (CP_SCOPE) {
                const cp_sparse_format of = FORMATS[i_f];
                cp_sparse *a = matrix(x, of), *t = cp_sparse_transpose(a), *b = matrix(x, CP_SPARSE_CSC);
                cp_sparse *const pair[2] = {a, b}, *const grid[4] = {NULL, a, t, NULL};
                const int w = 2 * COLUMNS;
                for (int i = 0; i < 4 * SIZE; i++) {
                    const int r = i / w, c = i % w;
                    want[i] = (r < ROWS) != (c < COLUMNS) ? 0 : x[r % ROWS * COLUMNS + c % COLUMNS];
                }
                same(cp_sparse_block_diag(2, pair), of, 2 * ROWS, w, want);
                /* [[0, a], [t, 0]]: 4 + 6 rows of 6 + 4 columns, of t's columns and a's */
                double square[100] = {0};
                for (int i = 0; i < SIZE; i++) {
                    const int r = i / COLUMNS, c = i % COLUMNS;
                    square[r * 10 + 6 + c] = x[i], square[(6 + c) * 10 + r] = x[i];
                }
                same(cp_sparse_bmat(2, 2, (cp_sparse *const *)grid), of, 10, 10, square);
                cp_sparse *const gap[3] = {a, NULL, b};
                for (int i = 0; i < 2 * SIZE; i++) want[i] = x[i / w * COLUMNS + i % COLUMNS];
                same(cp_sparse_bmat(1, 3, gap), of, ROWS, w, want);
                cp_sparse *const wrong[2] = {a, t}, *const none[2] = {NULL, NULL};
                fails(cp_sparse_bmat(1, 2, wrong), CP_ERROR_VALUE, "block (0, 1) must have 6 rows, not 4");
                fails(cp_sparse_bmat(2, 1, wrong), CP_ERROR_VALUE, "block (1, 0) must have 4 columns, not 6");
                fails(cp_sparse_bmat(2, 1, none), CP_ERROR_VALUE, "at least one");
                fails(cp_sparse_bmat(0, 1, none), CP_ERROR_VALUE, "rows and columns");
                fails(cp_sparse_block_diag(0, pair), CP_ERROR_VALUE, "at least one");
                fails(cp_sparse_block_diag(2, none), CP_ERROR_VALUE, "sparse_block_diag");
                cp_sparse_free(b), cp_sparse_free(t), cp_sparse_free(a);
            }
}
static void test_squares(void **state)
{
    (void)state;
    const double x[9] = {1, 0, 2, 0, -1, 0, 3, 0, 0}, y[4] = {0, 1, 2, 5};
    double sum[36] = {0}, power[9], next[9];
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            sum[i * 6 + k] = (i / 3 == k / 3 ? x[i % 3 * 3 + k % 3] : 0) + (i % 3 == k % 3 ? y[i / 3 * 2 + k / 3] : 0);
    for (FOR_DEVICES(d))
        for (FOR_FORMATS(f))
            for (CP_SCOPE) {
                cp_sparse *a = matrix_of(x, 3, 3, CP_FLOAT64, FORMATS[i_f]);
                cp_sparse *b = matrix_of(y, 2, 2, CP_INT16, CP_SPARSE_CSC);
                same(cp_sparse_kronsum(a, b), FORMATS[i_f], 6, 6, sum);
                for (int i = 0; i < 9; i++) power[i] = i % 4 == 0;
                for (int n = 0; n < 8; n++) {
                    cp_sparse *p = cp_sparse_matrix_power(a, n);
                    ok(p);
                    check_values(cp_sparse_dense(p), 9, power);
                    cp_sparse_free(p);
                    for (int i = 0; i < 9; i++) {
                        next[i] = 0;
                        for (int k = 0; k < 3; k++) next[i] += power[i / 3 * 3 + k] * x[k * 3 + i % 3];
                    }
                    memcpy(power, next, sizeof power);
                }
                cp_sparse *wide = cp_sparse_resize(a, 3, 4);
                fails(cp_sparse_matrix_power(wide, 2), CP_ERROR_VALUE, "square");
                fails(cp_sparse_matrix_power(a, -1), CP_ERROR_VALUE, "negative");
                fails(cp_sparse_kronsum(a, wide), CP_ERROR_VALUE, "b must be square");
                fails(cp_sparse_kronsum(wide, a), CP_ERROR_VALUE, "a must be square");
                cp_sparse_free(wide), cp_sparse_free(b), cp_sparse_free(a);
                for (int k = -5; k < 6; k++) {
                    double one[12];
                    for (int i = 0; i < 12; i++) one[i] = i % 4 - i / 4 == k;
                    cp_sparse *e = cp_sparse_eye(3, 4, k, k % 2 ? CP_INT8 : CP_FLOAT32, FORMATS[i_f]);
                    ok(e);
                    assert_int_equal(cp_sparse_format_of(e), FORMATS[i_f]);
                    assert_int_equal(cp_sparse_type_of(e), k % 2 ? CP_INT8 : CP_FLOAT32);
                    check_values(cp_sparse_dense(e), 12, one);
                    if (k == -3 || k == 4) assert_int_equal(cp_sparse_nnz(e), 0);
                    cp_sparse_free(e);
                }
                fails(cp_sparse_eye(-1, 1, 0, CP_FLOAT64, FORMATS[i_f]), CP_ERROR_VALUE, "negative");
                fails(cp_sparse_eye(1, 1, 0, CP_FLOAT16, FORMATS[i_f]), CP_ERROR_TYPE, "float16");
            }
}
static void test_pairs(void **state)
{
    (void)state;
    double x[SIZE], y[SIZE], want[SIZE];
    seed = 6;
    draw(SIZE, x);
    draw(SIZE, y);
    for (int i = 0; i < SIZE; i += 3) y[i] = x[i];
    x[2] = y[8] = x[10] = y[10] = NAN;
    for (FOR_DEVICES(d))
        for (FOR_FORMATS(f))
            for (FOR_FORMATS(g))
                for (CP_SCOPE) {
                    cp_sparse *a = matrix(x, FORMATS[i_f]), *b = matrix(y, FORMATS[i_g]);
                    const cp_sparse_format of = FORMATS[i_f] == CP_SPARSE_CSC ? CP_SPARSE_CSC : CP_SPARSE_CSR;
                    for (int i = 0; i < SIZE; i++) want[i] = x[i] == y[i];
                    cp_sparse *equal = cp_sparse_equal(a, b);
                    assert_int_equal(cp_sparse_type_of(equal), CP_BOOL);
                    same(equal, of, ROWS, COLUMNS, want);
                    for (int i = 0; i < SIZE; i++) want[i] = !(x[i] > y[i]);
                    same(cp_sparse_less_equal(a, b), of, ROWS, COLUMNS, want);
                    for (int i = 0; i < SIZE; i++) want[i] = !(x[i] < y[i]);
                    same(cp_sparse_greater_equal(a, b), of, ROWS, COLUMNS, want);
                    cp_sparse *t = cp_sparse_transpose(b);
                    fails(cp_sparse_equal(a, t), CP_ERROR_VALUE, "sparse_equal: inconsistent shapes");
                    cp_sparse_free(t), cp_sparse_free(b), cp_sparse_free(a);
                }
}
static void test_dense_factor(void **state)
{
    (void)state;
    double x[SIZE], y[SIZE], want[SIZE];
    seed = 7;
    draw(SIZE, x);
    for (int i = 0; i < SIZE; i++) y[i] = 1 + (double)below(9);
    for (FOR_DEVICES(d))
        for (FOR_FORMATS(f))
            for (CP_SCOPE) {
                const cp_sparse_format of = FORMATS[i_f];
                cp_sparse *a = matrix(x, of);
                cp_array *all = cp_from_host(y, CP_FLOAT64, CP_SHAPE(ROWS, COLUMNS), NULL);
                for (int i = 0; i < SIZE; i++) want[i] = x[i] * y[i];
                same(cp_sparse_multiply_dense(a, all), of, ROWS, COLUMNS, want);
                for (int i = 0; i < SIZE; i++) want[i] = x[i] * y[i % COLUMNS];
                same(cp_sparse_multiply_dense(a, cp_slice(all, CP_ITEMS(CP_AT(0)))), of, ROWS, COLUMNS, want);
                for (int i = 0; i < SIZE; i++) want[i] = x[i] * y[i / COLUMNS * COLUMNS];
                same(cp_sparse_multiply_dense(a, cp_slice(all, CP_ITEMS(CP_FULL, CP_RANGE(0, 1)))), of, ROWS, COLUMNS,
                     want);
                cp_sparse *line = cp_sparse_slice(a, CP_ITEMS(CP_AT(3)));
                for (int i = 0; i < SIZE; i++) want[i] = x[3 * COLUMNS + i % COLUMNS] * y[i];
                same(cp_sparse_multiply_dense(line, all), of, ROWS, COLUMNS, want);
                cp_sparse_free(line);
                line = cp_sparse_slice(a, CP_ITEMS(CP_FULL, CP_AT(3)));
                for (int i = 0; i < SIZE; i++) want[i] = x[i / COLUMNS * COLUMNS + 3] * y[i];
                same(cp_sparse_multiply_dense(line, cp_astype(all, CP_INT32)), of, ROWS, COLUMNS, want);
                cp_sparse_free(line);
                fails(cp_sparse_multiply_dense(a, doubles(1, 2)), CP_ERROR_VALUE, "inconsistent shapes");
                fails(cp_sparse_multiply_dense(a, cp_ones(CP_SHAPE(1, 1, 1), CP_FLOAT64)), CP_ERROR_VALUE, "2-D");
                cp_array *turned = cp_multiply(cp_from_host(x, CP_FLOAT64, CP_SHAPE(ROWS, COLUMNS), NULL),
                                               cp_complex(1, 2));
                cp_sparse *z = cp_sparse_from_dense(turned, of), *conj = cp_sparse_conj(z);
                ok(conj);
                assert_int_equal(cp_sparse_format_of(conj), of);
                for (int i = 0; i < SIZE; i++) want[i] = -2 * x[i];
                check_values(cp_imag_part(cp_sparse_dense(conj)), SIZE, want);
                check_values(cp_real_part(cp_sparse_dense(conj)), SIZE, x);
                cp_sparse_free(conj), cp_sparse_free(z);
                conj = cp_sparse_conj(a);
                assert_ptr_equal(conj, a);
                cp_sparse_free(conj), cp_sparse_free(a);
            }
}
static void test_random(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (FOR_TYPES(t))
            for (FOR_FORMATS(f))
                for (CP_SCOPE) {
                    cp_rng *g = cp_rng_new(7);
                    cp_sparse *a = cp_sparse_random(12, 10, 0.26, TYPES[i_t], FORMATS[i_f], g);
                    ok(a);
                    assert_int_equal(cp_sparse_format_of(a), FORMATS[i_f]);
                    assert_int_equal(cp_sparse_type_of(a), TYPES[i_t]);
                    if (FORMATS[i_f] < CP_SPARSE_DIA) assert_int_equal(cp_sparse_nnz(a), 31); /* of 31.2 */
                    if (cp_type_kind(TYPES[i_t]) == 'f') {
                        cp_array *most = cp_sparse_max(a, CP_FLAT), *least = cp_sparse_min(a, CP_FLAT);
                        assert_true(cp_item_float(most) < 1 && cp_item_float(most) > 0.5);
                        values(least, 0);
                    }
                    fails(cp_sparse_random(2, 2, 1.5, CP_FLOAT64, FORMATS[i_f], g), CP_ERROR_VALUE, "density");
                    fails(cp_sparse_random(2, 2, NAN, CP_FLOAT64, FORMATS[i_f], g), CP_ERROR_VALUE, "density");
                    cp_sparse_free(a);
                    a = cp_sparse_random(0, 10, 1, TYPES[i_t], FORMATS[i_f], g);
                    ok(a);
                    assert_int_equal(cp_sparse_format_of(a), FORMATS[i_f]);
                    check_values(cp_sparse_dense(a), 0, NULL);
                    cp_sparse_free(a), cp_rng_free(g);
                }
    for (FOR_DEVICES(e)) /* the elements of cuprite.scipy.sparse.random; then so many places that they are drawn */
        for (CP_SCOPE) {
            cp_rng *g = cp_rng_new(9);
            cp_array *part[3];
            cp_sparse *c = cp_sparse_random(2, 3, 0.5, CP_INT16, CP_SPARSE_COO, g);
            ok(cp_sparse_arrays(c, &part[0], &part[1], &part[2]) == CP_OK);
            values(part[0], 23254, 7055, -28632);
            values(part[1], 1, 0, 1);
            values(part[2], 0, 0, 1);
            for (int i = 0; i < 3; i++) cp_free(part[i]);
            cp_sparse_free(c), cp_rng_free(g);
            g = cp_rng_new(8);
            cp_sparse *a = cp_sparse_random(3000, 5000, 1e-3, CP_DEFAULT, CP_SPARSE_CSR, g);
            cp_sparse *b = cp_sparse_sum_duplicates(a);
            assert_int_equal(cp_sparse_nnz(b), 15000);
            assert_true(cp_item_float(cp_sparse_elements(a, ints(2299), ints(3835))) > 0.12);
            cp_sparse_free(b), cp_sparse_free(a), cp_rng_free(g);
        }
}

/* Each function where memory ends. */
static bool body(void)
{
    cp_scope *scope = cp_scope_begin();
    if (!scope) return false;
    cp_sparse *a = cp_sparse_new(CP_SPARSE_COO, 2, 2, doubles(3, -1, 5), ints(0, 0, 1), ints(1, 1, 0));
    cp_rng *g = cp_rng_new(3);
    bool all = a && g;
    if (all) {
        cp_sparse *const both[2] = {a, a}, *const grid[4] = {a, NULL, NULL, a};
        cp_sparse *made[] = {cp_sparse_equal(a, a), cp_sparse_block_diag(2, both), cp_sparse_bmat(2, 2, grid),
                             cp_sparse_reshape(a, 1, 4), cp_sparse_resize(a, 1, 3), cp_sparse_kronsum(a, a),
                             cp_sparse_assign(a, ints(0, 1), ints(1, 1), doubles(1, 2)),
                             cp_sparse_assign_slice(a, CP_ITEMS(CP_AT(1)), cp_float(2)),
                             cp_sparse_set_diagonal(a, cp_float(2), 1), cp_sparse_matrix_power(a, 5),
                             cp_sparse_eye(2, 3, 1, CP_FLOAT64, CP_SPARSE_CSC), cp_sparse_conj(a),
                             cp_sparse_multiply_dense(a, doubles(1, 2)),
                             cp_sparse_random(3, 3, 0.5, CP_COMPLEX64, CP_SPARSE_CSR, g)};
        cp_array *const arrays[] = {cp_sparse_argmax(a, 0), cp_sparse_argmin(a, CP_FLAT), cp_sparse_nanmax(a, 1),
                                    cp_sparse_count_nonzero(a, 0), cp_sparse_count_nonzero(a, CP_FLAT),
                                    cp_sparse_trace(a, 0), cp_sparse_elements(a, ints(0), ints(1))};
        cp_array *found[3] = {NULL, NULL, NULL};
        all &= cp_sparse_find(a, &found[0], &found[1], &found[2]) == CP_OK;
        for (int i = 0; i < 3; i++) cp_free(found[i]);
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) all &= arrays[i] != NULL;
        for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
            all &= made[i] != NULL;
            cp_sparse_free(made[i]);
        }
    }
    cp_rng_free(g);
    cp_sparse_free(a);
    cp_scope_end(scope);
    return all;
}
/* On the CPU: the test device runs what comes behind a failed task, on what that has left. */
static void test_allocations(void **state)
{
    (void)state;
    ok(cp_device_use(CP_CPU) == CP_OK);
    every_allocation_fails(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_where), cmocka_unit_test(test_where_rare), cmocka_unit_test(test_where_none),
        cmocka_unit_test(test_assign), cmocka_unit_test(test_assign_slices), cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_grids), cmocka_unit_test(test_squares), cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_dense_factor), cmocka_unit_test(test_random), cmocka_unit_test(test_allocations)};
    return check_run(tests);
}
