/* Functions and comparisons of elements, extremes, means, norms, stacks, Kronecker's products and triangles of
 * matrices, beside loops over their elements; what is refused; elements that stand twice. */
#include <math.h>

#include "check.h"

enum { ROWS = 8, COLUMNS = 6, SIZE = ROWS * COLUMNS };
static const cp_sparse_format FORMATS[] = {CP_SPARSE_CSR, CP_SPARSE_CSC, CP_SPARSE_COO, CP_SPARSE_DIA, CP_SPARSE_BSR};
#define FOR_FORMATS(f) size_t i_##f = 0; i_##f < 5; i_##f++

static uint64_t seed;
static int64_t below(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(seed >> 33) % n;
}
/* Small integers at a third of the places; none in the second row and column, all in the fourth ones. */
static void draw(double *x)
{
    for (int i = 0; i < SIZE; i++) {
        const int row = i / COLUMNS, column = i % COLUMNS;
        x[i] = row == 1 || column == 1 ? 0 : row == 3 || column == 3 ? -1 - (double)below(5)
               : below(3) ? 0 : (double)(below(9) - 4);
    }
}
static cp_sparse *matrix(const double *x, cp_sparse_format format)
{
    cp_sparse *a = cp_sparse_from_dense(cp_from_host(x, CP_FLOAT64, CP_SHAPE(ROWS, COLUMNS), NULL), format);
    ok(a);
    return a;
}
/* Whether a matrix is this one, and in its operand's format, or compressed rows; it is freed. */
static void same(cp_sparse *a, cp_sparse_format of, int64_t rows, int64_t columns, const double *want)
{
    ok(a);
    assert_int_equal(cp_sparse_format_of(a), of > CP_SPARSE_COO ? CP_SPARSE_CSR : of);
    assert_int_equal(cp_sparse_rows(a), rows);
    assert_int_equal(cp_sparse_columns(a), columns);
    check_values(cp_sparse_dense(a), (int)(rows * columns), want);
    cp_sparse_free(a);
}

/* The call gives NULL, and this code with a message that has `text`. */
#define fails(call, code, text)                                                             \
    do {                                                                                    \
        if (call) fail_msg("%s did not fail", #call);                                       \
        if (!strstr(cp_error_message(), text)) fail_msg("%s: %s", #call, cp_error_message()); \
        failed(code);                                                                       \
    } while (0)

static cp_array *plus_one(cp_array *x) { return cp_add(x, cp_float(1)); }
static cp_array *no_array(cp_array *x) { return (void)x, NULL; } /* and no error */
static cp_array *first_one(cp_array *x) { return cp_ndim(x) ? cp_slice(x, CP_ITEMS(CP_RANGE(0, 1))) : x; }

static void test_functions(void **state)
{
    (void)state;
    double x[SIZE], want[SIZE];
    seed = 1;
    draw(x);
    for (FOR_DEVICES(d))
        for (CP_SCOPE)
            for (FOR_FORMATS(f)) {
                cp_sparse *a = matrix(x, FORMATS[i_f]);
                for (int i = 0; i < SIZE; i++) want[i] = fabs(x[i]);
                same(cp_sparse_apply(a, cp_absolute), FORMATS[i_f], ROWS, COLUMNS, want);
                for (int i = 0; i < SIZE; i++) want[i] = x[i] * x[i] * x[i];
                same(cp_sparse_power(a, cp_float(3)), FORMATS[i_f], ROWS, COLUMNS, want);
                fails(cp_sparse_apply(a, cp_cos), CP_ERROR_VALUE, "f(0)");
                fails(cp_sparse_apply(a, plus_one), CP_ERROR_VALUE, "f(0)");
                fails(cp_sparse_apply(a, first_one), CP_ERROR_VALUE, "as many elements");
                fails(cp_sparse_apply(a, no_array), CP_ERROR_VALUE, "f returned NULL");
                assert_null(cp_sparse_astype(a, (cp_type)39)); /* no type */
                failed(CP_ERROR_TYPE);
                fails(cp_sparse_eye(2, 2, 0, (cp_type)39, FORMATS[i_f]), CP_ERROR_TYPE, "no type 39");
                fails(cp_sparse_power(a, cp_float(0)), CP_ERROR_VALUE, "exponent");
                fails(cp_sparse_power(a, doubles(1, 2)), CP_ERROR_VALUE, "0-D");
                cp_sparse_free(a);
            }
    for (FOR_DEVICES(e))
        for (CP_SCOPE) { /* elements that stand twice are one, 3 - 1 */
            cp_sparse *a = cp_sparse_new(CP_SPARSE_COO, 2, 2, doubles(3, -1, 5), ints(0, 0, 1), ints(1, 1, 0));
            same(cp_sparse_power(a, cp_float(2)), CP_SPARSE_COO, 2, 2, (double[]){0, 4, 25, 0});
            values(cp_sparse_max(a, CP_FLAT), 5);
            values(cp_sparse_max(a, 0), 5, 2);
            values(cp_sparse_norm(a, '1'), 5);
            cp_sparse_free(a);
        }
}

static void check_pair(cp_sparse *a, cp_sparse *b, cp_sparse_format of, const double *x, const double *y)
{
    double want[SIZE];
    for (int i = 0; i < SIZE; i++) want[i] = fmax(x[i], y[i]);
    same(cp_sparse_maximum(a, b), of, ROWS, COLUMNS, want);
    for (int i = 0; i < SIZE; i++) want[i] = fmin(x[i], y[i]);
    same(cp_sparse_minimum(a, b), of, ROWS, COLUMNS, want);
    int64_t count = 0;
    for (int i = 0; i < SIZE; i++) count += want[i] = x[i] < y[i];
    cp_sparse *less = cp_sparse_less(a, b);
    assert_int_equal(cp_sparse_type_of(less), CP_BOOL);
    assert_int_equal(cp_sparse_nnz(less), count);
    same(less, of, ROWS, COLUMNS, want);
    for (int i = 0; i < SIZE; i++) want[i] = x[i] > y[i];
    same(cp_sparse_greater(a, b), of, ROWS, COLUMNS, want);
    for (int i = 0; i < SIZE; i++) want[i] = x[i] != y[i];
    same(cp_sparse_not_equal(a, b), of, ROWS, COLUMNS, want);
}
static void test_pairs(void **state)
{
    (void)state;
    double x[SIZE], y[SIZE];
    seed = 2;
    draw(x);
    draw(y);
    for (FOR_DEVICES(d))
        for (CP_SCOPE)
            for (FOR_FORMATS(f))
                for (FOR_FORMATS(g)) {
                    cp_sparse *a = matrix(x, FORMATS[i_f]), *b = matrix(y, FORMATS[i_g]);
                    /* triples become compressed rows here, as for sums */
                    const cp_sparse_format of = FORMATS[i_f] == CP_SPARSE_CSC ? CP_SPARSE_CSC : CP_SPARSE_CSR;
                    check_pair(a, b, of, x, y);
                    cp_sparse *t = cp_sparse_transpose(b);
                    fails(cp_sparse_maximum(a, t), CP_ERROR_VALUE, "inconsistent shapes");
                    cp_sparse_free(t);
                    cp_sparse_free(b);
                    cp_sparse_free(a);
                }
}

/* The extreme of a line of x that begins at `at`, by `step`. */
static double extreme(const double *x, int at, int step, int n, bool most)
{
    double e = x[at];
    for (int i = 1; i < n; i++) e = most ? fmax(e, x[at + i * step]) : fmin(e, x[at + i * step]);
    return e;
}
static double sum(const double *x, int at, int step, int n, bool sizes)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += sizes ? fabs(x[at + i * step]) : x[at + i * step];
    return s;
}
static void check_along(cp_sparse *a, const double *x)
{
    double want[ROWS], columns = 0, rows = 0, squares = 0;
    for (int most = 0; most < 2; most++) {
        cp_array *(*f)(cp_sparse *, int, const cp_sparse_extreme_options *) = most ? cp_sparse_max : cp_sparse_min;
        for (int i = 0; i < COLUMNS; i++) want[i] = extreme(x, i, COLUMNS, ROWS, most);
        check_values(f(a, 0, NULL), COLUMNS, want);
        for (int i = 0; i < ROWS; i++) want[i] = extreme(x, i * COLUMNS, 1, COLUMNS, most);
        check_values(f(a, 1, NULL), ROWS, want);
        values(f(a, CP_FLAT, NULL), extreme(x, 0, 1, SIZE, most));
    }
    for (int i = 0; i < COLUMNS; i++) {
        want[i] = sum(x, i, COLUMNS, ROWS, false) / ROWS;
        columns = fmax(columns, sum(x, i, COLUMNS, ROWS, true));
    }
    check_values(cp_sparse_mean(a, 0), COLUMNS, want);
    for (int i = 0; i < ROWS; i++) {
        want[i] = sum(x, i * COLUMNS, 1, COLUMNS, false) / COLUMNS;
        rows = fmax(rows, sum(x, i * COLUMNS, 1, COLUMNS, true));
    }
    check_values(cp_sparse_mean(a, 1), ROWS, want);
    values(cp_sparse_mean(a, CP_FLAT), sum(x, 0, 1, SIZE, false) / SIZE);
    for (int i = 0; i < SIZE; i++) squares += x[i] * x[i];
    values(cp_sparse_norm(a, 'F'), sqrt(squares));
    values(cp_sparse_norm(a, '1'), columns);
    values(cp_sparse_norm(a, 'I'), rows);
}
static void test_axes(void **state)
{
    (void)state;
    double x[SIZE];
    seed = 3;
    draw(x);
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            for (FOR_FORMATS(f)) {
                cp_sparse *a = matrix(x, FORMATS[i_f]);
                check_along(a, x);
                cp_sparse *whole = cp_sparse_astype(a, CP_INT32);
                cp_array *mean = cp_sparse_mean(whole, CP_FLAT);
                assert_int_equal(cp_type_of(mean), CP_FLOAT64);
                values(mean, sum(x, 0, 1, SIZE, false) / SIZE);
                cp_sparse_free(whole);
                fails(cp_sparse_max(a, 2), CP_ERROR_AXIS, "axis");
                fails(cp_sparse_norm(a, 'x'), CP_ERROR_VALUE, "order");
                cp_sparse_free(a);
            }
            const double nan[4] = {1, NAN, 0, 0};
            cp_sparse *a = cp_sparse_from_dense(cp_from_host(nan, CP_FLOAT64, CP_SHAPE(2, 2), NULL), CP_SPARSE_CSR);
            values(cp_sparse_max(a, 1), NAN, 0);
            values(cp_sparse_min(a, CP_FLAT), NAN);
            cp_sparse_free(a);
            a = cp_sparse_from_dense(cp_zeros(CP_SHAPE(0, 3), CP_FLOAT64), CP_SPARSE_CSR);
            fails(cp_sparse_max(a, 0), CP_ERROR_VALUE, "element");
            assert_int_equal(cp_size(cp_sparse_max(a, 1)), 0);
            values(cp_sparse_norm(a, '1'), 0);
            cp_sparse_free(a);
        }
}

static void test_building(void **state)
{
    (void)state;
    double x[SIZE], y[SIZE], want[2 * SIZE], product[4 * SIZE];
    seed = 4;
    draw(x);
    draw(y);
    for (FOR_DEVICES(d))
        for (CP_SCOPE)
            for (FOR_FORMATS(f)) {
                const cp_sparse_format of = FORMATS[i_f];
                cp_sparse *a = matrix(x, of), *b = matrix(y, CP_SPARSE_CSC), *both[2] = {a, b};
                for (int i = 0; i < 2 * SIZE; i++) want[i] = i < SIZE ? x[i] : y[i - SIZE];
                same(cp_sparse_vstack(2, both), of, 2 * ROWS, COLUMNS, want);
                for (int i = 0; i < SIZE; i++) {
                    const int at = i / COLUMNS * 2 * COLUMNS + i % COLUMNS;
                    want[at] = x[i], want[at + COLUMNS] = y[i];
                }
                same(cp_sparse_hstack(2, both), of, ROWS, 2 * COLUMNS, want);
                same(cp_sparse_hstack(1, both), of, ROWS, COLUMNS, x);
                cp_sparse *small = cp_sparse_new(CP_SPARSE_COO, 2, 2, doubles(2, 3), ints(0, 1), ints(1, 0));
                for (int i = 0; i < 4 * SIZE; i++) {
                    const int row = i / (2 * COLUMNS), column = i % (2 * COLUMNS);
                    const double factor = (row + column) % 2 ? row % 2 ? 3 : 2 : 0;
                    product[i] = x[row / 2 * COLUMNS + column / 2] * factor;
                }
                same(cp_sparse_kron(a, small), of, 2 * ROWS, 2 * COLUMNS, product);
                for (int k = -ROWS; k <= COLUMNS; k++) {
                    for (int i = 0; i < SIZE; i++) want[i] = i % COLUMNS - i / COLUMNS <= k ? x[i] : 0;
                    same(cp_sparse_tril(a, k), of, ROWS, COLUMNS, want);
                    for (int i = 0; i < SIZE; i++) want[i] = i % COLUMNS - i / COLUMNS >= k ? x[i] : 0;
                    same(cp_sparse_triu(a, k), of, ROWS, COLUMNS, want);
                }
                both[1] = small;
                fails(cp_sparse_hstack(2, both), CP_ERROR_VALUE, "matrix 1 must have 8 rows");
                fails(cp_sparse_vstack(2, both), CP_ERROR_VALUE, "matrix 1 must have 6 columns");
                fails(cp_sparse_vstack(0, both), CP_ERROR_VALUE, "at least one");
                cp_sparse_free(small);
                cp_sparse_free(b);
                cp_sparse_free(a);
            }
}

/* SciPy's results with explicit=True, but of argmax and argmin of all, which there are numbers of stored elements. */
static void test_stored(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) { /* -1 0 . | . . . | NaN -2 . | . 5 5, and the first -1 as -3 + 2 */
            cp_sparse *coo = cp_sparse_new(CP_SPARSE_COO, 4, 3, doubles(2, 0, NAN, -2, 5, 5, -3),
                                           ints(0, 0, 2, 2, 3, 3, 0), ints(0, 1, 0, 1, 1, 2, 0));
            for (int i = 0; i < 3; i++) {
                cp_sparse *a = cp_sparse_convert(coo, FORMATS[i]);
                values(cp_sparse_max(a, 1, .stored = true), 0, 0, NAN, 5);
                values(cp_sparse_max(a, 0, .stored = true), NAN, 5, 5);
                values(cp_sparse_min(a, 1, .stored = true), -1, 0, NAN, 5);
                values(cp_sparse_min(a, 0, .stored = true), NAN, -2, 5);
                values(cp_sparse_nanmax(a, 0, .stored = true), -1, 5, 5);
                values(cp_sparse_nanmin(a, 0, .stored = true), -1, -2, 5);
                values(cp_sparse_nanmax(a, 1, .stored = true), 0, 0, -2, 5);
                values(cp_sparse_nanmin(a, CP_FLAT, .stored = true), -2);
                values(cp_sparse_max(a, CP_FLAT, .stored = true), NAN);
                values(cp_sparse_argmax(a, 1, .stored = true), 1, 0, 0, 1);
                values(cp_sparse_argmin(a, 1, .stored = true), 0, 0, 0, 1);
                values(cp_sparse_argmax(a, 0, .stored = true), 2, 3, 3);
                values(cp_sparse_argmin(a, 0, .stored = true), 2, 2, 3);
                values(cp_sparse_argmax(a, CP_FLAT, .stored = true), 6);
                cp_sparse_free(a);
            }
            cp_sparse_free(coo);
            coo = cp_sparse_new(CP_SPARSE_COO, 2, 2, doubles(-5, -4), ints(0, 1), ints(1, 1));
            values(cp_sparse_max(coo, CP_FLAT), 0);
            values(cp_sparse_max(coo, CP_FLAT, .stored = true), -4);
            values(cp_sparse_argmax(coo, CP_FLAT), 0);
            values(cp_sparse_argmax(coo, CP_FLAT, .stored = true), 3);
            values(cp_sparse_argmin(coo, CP_FLAT, .stored = true), 1);
            cp_sparse_free(coo);
            coo = cp_sparse_from_dense(cp_zeros(CP_SHAPE(2, 3), CP_INT8), CP_SPARSE_COO);
            values(cp_sparse_min(coo, CP_FLAT, .stored = true), 0);
            values(cp_sparse_argmin(coo, 0, .stored = true), 0, 0, 0);
            fails(cp_sparse_argmin(coo, CP_FLAT, .stored = true), CP_ERROR_VALUE,
                  "sparse_argmin: there must be an element that is stored");
            cp_sparse_free(coo);
        }
}

/* Each function where memory ends. */
static bool body(void)
{
    cp_scope *scope = cp_scope_begin();
    if (!scope) return false;
    cp_sparse *a = cp_sparse_new(CP_SPARSE_COO, 2, 3, doubles(3, -1, 5), ints(0, 0, 1), ints(1, 1, 0));
    bool all = a != NULL;
    if (a) {
        cp_sparse *const both[2] = {a, a};
        cp_sparse *made[] = {cp_sparse_apply(a, cp_sqrt), cp_sparse_power(a, cp_float(2)), cp_sparse_maximum(a, a),
                             cp_sparse_less(a, a), cp_sparse_hstack(2, both), cp_sparse_vstack(2, both),
                             cp_sparse_kron(a, a), cp_sparse_tril(a, 0)};
        cp_array *const arrays[] = {cp_sparse_max(a, 0), cp_sparse_min(a, CP_FLAT), cp_sparse_mean(a, 1),
                                    cp_sparse_norm(a, 'F'), cp_sparse_norm(a, 'I')};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) all &= arrays[i] != NULL;
        for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
            all &= made[i] != NULL;
            cp_sparse_free(made[i]);
        }
    }
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions), cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_axes), cmocka_unit_test(test_stored),
                                       cmocka_unit_test(test_building), cmocka_unit_test(test_allocations)};
    return check_run(tests);
}
