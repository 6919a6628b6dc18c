/* Factors of sparse matrices and systems that are solved by them: products of the factors, right sides of known
 * solutions and residuals by loops over dense elements; singular matrices; incomplete factors; memory. */
#include <complex.h>
#include <float.h>

#include "check.h"

enum { N = 40, LARGE = 300, SIDES = 3 };
typedef double complex number;
static const cp_sparse_format FORMATS[] = {CP_SPARSE_CSR, CP_SPARSE_CSC, CP_SPARSE_COO, CP_SPARSE_DIA, CP_SPARSE_BSR};
#define FOR_FORMATS(f) size_t i_##f = 0; i_##f < 5; i_##f++
static const cp_type TYPES[] = {CP_FLOAT32, CP_FLOAT64, CP_COMPLEX64, CP_COMPLEX128, CP_INT8, CP_INT64};
#define FOR_TYPES(t) size_t i_##t = 0; i_##t < sizeof TYPES / sizeof *TYPES; i_##t++

static uint64_t seed;
static int64_t below(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(seed >> 33) % n;
}
/* Small integers at `each` places of a row, and somewhere in each row and column, so that there are pivots. */
static void draw(number *x, int n, int each, bool complex_too)
{
    int order[LARGE];
    for (int i = 0; i < n * n; i++) x[i] = 0;
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        const int k = (int)below(i + 1), other = order[i];
        order[i] = order[k], order[k] = other;
    }
    for (int i = 0; i < n; i++) {
        x[i * n + order[i]] = 5 + (double)below(4) + (complex_too ? 2 * I : 0);
        for (int k = 0; k < each; k++) {
            const double im = (double)below(7) - 3;
            x[i * n + below(n)] += (double)(below(7) - 3) + (complex_too ? im * I : 0);
        }
    }
}
static bool is_complex(cp_type t) { return cp_type_kind(t) == 'c'; }
static double eps_of(cp_type t) { return t == CP_FLOAT32 || t == CP_COMPLEX64 ? FLT_EPSILON : DBL_EPSILON; }
static cp_array *array_of(const number *x, int rows, int columns, cp_type type)
{
    cp_array *all = cp_from_host(x, CP_COMPLEX128, CP_SHAPE(rows, columns), NULL);
    return cp_astype(is_complex(type) ? all : cp_real_part(all), type);
}
static cp_sparse *matrix_of(const number *x, int n, cp_type type, cp_sparse_format format)
{
    cp_sparse *a = cp_sparse_from_dense(array_of(x, n, n, type), format);
    ok(a);
    return a;
}
/* An array's elements. */
static void read(cp_array *x, int n, number *to)
{
    ok(x);
    assert_int_equal(cp_size(x), n);
    cp_array *wide = cp_astype(x, CP_COMPLEX128);
    ok(cp_to_host(wide, to, (size_t)n * sizeof *to) == CP_OK);
    cp_free(wide);
}
static number element(const number *x, int n, int row, int column, int trans)
{
    return !trans ? x[row * n + column] : trans == 1 ? x[column * n + row] : conj(x[column * n + row]);
}
/* Is op(a) x = b up to rounding: each residual within eps n times the sum of the sizes of what it is made of? */
static void solves(const number *a, int n, int k, const number *x, const number *b, int trans, double eps)
{
    for (int i = 0; i < n; i++)
        for (int c = 0; c < k; c++) {
            number sum = b[i * k + c];
            double size = cabs(sum);
            for (int j = 0; j < n; j++) {
                const number product = element(a, n, i, j, trans) * x[j * k + c];
                sum -= product, size += cabs(product);
            }
            double most = 0; /* pivots of one size: what is lost is relative to the greatest element of the solution */
            for (int j = 0; j < n; j++) most = fmax(most, cabs(x[j * k + c]));
            if (!(cabs(sum) <= eps * n * (size + 20 * most)))
                fail_msg("row %d, side %d: a residual of %g beside %g", i, c, cabs(sum), size);
        }
}

/* --- factors --- */

static void check_factors(const cp_sparse_factors *f, const number *a, int n, double eps)
{
    cp_sparse *part[2];
    cp_array *places[2];
    static number l[N * N], u[N * N], rows[N], columns[N];
    ok(cp_sparse_lu_parts(f, &part[0], &part[1], &places[0], &places[1]) == CP_OK);
    assert_int_equal(cp_sparse_nnz(part[0]) + cp_sparse_nnz(part[1]) - n, cp_sparse_lu_nnz(f));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cp_sparse_format_of(part[i]), CP_SPARSE_CSC);
        assert_true(cp_sparse_is_canonical(part[i]));
        cp_array *x = cp_sparse_dense(part[i]);
        read(x, n * n, i ? u : l);
        assert_int_equal(cp_type_of(places[i]), CP_INT32);
        read(places[i], n, i ? columns : rows);
        cp_free(places[i]);
        cp_sparse_free(part[i]);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            if (k > i) assert_true(l[i * n + k] == 0);
            if (k < i) assert_true(u[i * n + k] == 0);
            if (k == i) assert_true(l[i * n + k] == 1 && u[i * n + k] != 0);
        }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) { /* (P a Q)[rows[i], columns[k]] = a[i, k] */
            number sum = -a[i * n + k];
            double size = cabs(sum);
            const int r = (int)creal(rows[i]), c = (int)creal(columns[k]);
            for (int j = 0; j < n; j++) sum += l[r * n + j] * u[j * n + c], size += cabs(l[r * n + j] * u[j * n + c]);
            if (!(cabs(sum) <= eps * n * size)) fail_msg("(%d, %d): %g beside %g", i, k, cabs(sum), size);
        }
}
static void check_solutions(const cp_sparse_factors *f, const number *a, int n, cp_type type)
{
    static number b[LARGE * SIDES], x[LARGE * SIDES], y[LARGE];
    const cp_type own = cp_type_kind(type) == 'i' ? CP_FLOAT64 : type;
    for (int trans = 0; trans < 3; trans++)
        for (int mixed = 0; mixed < 2; mixed++) { /* right sides as the matrix, and of the other kind */
            const bool complex_too = is_complex(type) != mixed;
            for (int i = 0; i < n * SIDES; i++)
                b[i] = (double)below(19) - 9 + (complex_too ? ((double)below(19) - 9) * I : 0);
            cp_array *right = array_of(b, n, SIDES, complex_too ? CP_COMPLEX128 : CP_INT16);
            cp_array *z = cp_sparse_lu_solve(f, right, trans);
            ok(z);
            const cp_type of = !complex_too || is_complex(own) ? own
                               : own == CP_FLOAT32 ? CP_COMPLEX64 : CP_COMPLEX128;
            assert_int_equal(cp_type_of(z), of);
            assert_int_equal(cp_ndim(z), 2);
            assert_int_equal(cp_device_of(z), cp_device_of(right));
            read(z, n * SIDES, x);
            solves(a, n, SIDES, x, b, trans, eps_of(own));
            z = cp_sparse_lu_solve(f, cp_slice(right, CP_ITEMS(CP_FULL, CP_AT(1))), trans);
            assert_int_equal(cp_ndim(z), 1);
            read(z, n, y);
            for (int i = 0; i < n; i++) assert_true(y[i] == x[i * SIDES + 1]); /* each side by itself */
        }
    assert_int_equal(cp_size(cp_sparse_lu_solve(f, cp_zeros(CP_SHAPE(n, 0), CP_FLOAT64), 0)), 0);
}
static void test_factors(void **state)
{
    (void)state;
    static number a[N * N];
    seed = 1;
    for (FOR_DEVICES(d))
        for (FOR_TYPES(t))
            for (FOR_FORMATS(f))
                for (int order = 0; order < 4; order++)
                    for (CP_SCOPE) {
                        const cp_type type = TYPES[i_t];
                        draw(a, N, 2, is_complex(type));
                        cp_sparse *m = matrix_of(a, N, type, FORMATS[i_f]);
                        cp_sparse_factors *lu = cp_sparse_lu(m, .order = (cp_sparse_order)order);
                        ok(lu);
                        cp_sparse_free(m); /* factors keep nothing of it */
                        const double eps = eps_of(type);
                        check_factors(lu, a, N, eps);
                        check_solutions(lu, a, N, type);
                        cp_sparse_lu_free(lu);
                    }
    cp_sparse_lu_free(NULL);
}
/* Columns of the same rows, one to forty of them side by side: dense blocks, and all rows below in common. */
static void test_supernodes(void **state)
{
    (void)state;
    static number a[N * N];
    static const cp_type types[] = {CP_FLOAT32, CP_FLOAT64, CP_COMPLEX64, CP_COMPLEX128};
    static const double thresholds[] = {1, 0.1, -1};
    seed = 9;
    for (int turn = 0; turn < 144; turn++)
        for (CP_SCOPE) {
            const cp_type type = types[turn % 4];
            const int n = N - turn % 5, each = turn % 3;
            draw(a, n, each, is_complex(type));
            for (int begin = 0; begin < n;) {
                const int64_t wide = 1 + below(turn % 12 ? 14 : n);
                const int end = begin + wide < n ? (int)(begin + wide) : n;
                for (int c = begin; c < end; c++)
                    for (int r = begin; r < end; r++) a[r * n + c] += (double)below(7) - 3;
                const int64_t more = below(n);
                for (int c = begin; c < end; c++) a[more * n + c] += 1 + (double)below(3);
                begin = end;
            }
            cp_sparse *m = matrix_of(a, n, type, CP_SPARSE_CSC);
            cp_sparse_factors *f = cp_sparse_lu(m, .order = (cp_sparse_order)(turn / 4 % 4),
                                                .threshold = turn / 2 % 4 ? 1 : thresholds[turn / 16 % 3]);
            ok(f);
            check_factors(f, a, n, eps_of(type));
            if (turn / 2 % 4) check_solutions(f, a, n, type);
            cp_sparse_lu_free(f);
            cp_sparse_free(m);
        }
}
/* A grid's Laplacian, whose diagonal is strong, times a known vector; orders leave less than elimination as it is. */
static void test_grid(void **state)
{
    (void)state;
    enum { SIDE = 24, SIZE = SIDE * SIDE };
    double u[SIZE], b[SIZE];
    seed = 2;
    for (int i = 0; i < SIZE; i++) u[i] = (double)below(100);
    for (int i = 0; i < SIZE; i++) {
        const int x = i % SIDE, y = i / SIDE;
        b[i] = 4 * u[i] - (x ? u[i - 1] : 0) - (x < SIDE - 1 ? u[i + 1] : 0) - (y ? u[i - SIDE] : 0) -
               (y < SIDE - 1 ? u[i + SIDE] : 0);
    }
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *two = cp_full(CP_SHAPE(1, SIDE), CP_FLOAT64, cp_float(2));
            cp_array *off = cp_full(CP_SHAPE(1, SIDE), CP_FLOAT64, cp_float(-1));
            cp_array *all = cp_concatenate(3, ((cp_array *[]){off, two, off}), 0);
            cp_sparse *line = cp_sparse_from_diagonals(SIDE, SIDE, all, 3, (const int64_t[]){-1, 0, 1}, CP_SPARSE_CSC);
            cp_sparse *a = cp_sparse_kronsum(line, line);
            cp_array *right = cp_from_host(b, CP_FLOAT64, CP_SHAPE(SIZE), NULL);
            int64_t count[4];
            for (int order = 0; order < 4; order++) {
                cp_sparse_factors *f = cp_sparse_lu(a, .order = (cp_sparse_order)order);
                count[order] = cp_sparse_lu_nnz(f);
                check_near(cp_sparse_lu_solve(f, right, 0), 1e-10, SIZE, u); /* a condition of 250 */
                cp_sparse_lu_free(f);
            }
            assert_int_equal(count[CP_SPARSE_ORDER_CHOSEN], count[CP_SPARSE_ORDER_SYMMETRIC]);
            assert_true(count[CP_SPARSE_ORDER_SYMMETRIC] < count[CP_SPARSE_ORDER_COLUMNS]);
            assert_true(count[CP_SPARSE_ORDER_COLUMNS] * 10 < count[CP_SPARSE_ORDER_NATURAL] * 8);
            assert_true(count[CP_SPARSE_ORDER_SYMMETRIC] < 13000); /* SuperLU's minimum degree: 11534 */
            cp_sparse_free(a), cp_sparse_free(line);
        }
}
/* Rows and columns that are all full, which orders set aside, and those of many more elements than others. */
static void test_dense_lines(void **state)
{
    (void)state;
    static number a[LARGE * LARGE];
    seed = 3;
    for (int order = 0; order < 4; order++)
        for (CP_SCOPE) {
            draw(a, LARGE, 1, false);
            for (int i = 0; i < LARGE; i++) {
                a[i * LARGE + 7] = (double)below(9) - 4, a[i * LARGE + 200] = 1;
                a[30 * LARGE + i] = (double)below(9) - 4, a[31 * LARGE + i] = 2 + (i == 5);
            }
            cp_sparse *m = matrix_of(a, LARGE, CP_FLOAT64, CP_SPARSE_CSC);
            cp_sparse_factors *f = cp_sparse_lu(m, .order = (cp_sparse_order)order);
            ok(f);
            check_solutions(f, a, LARGE, CP_FLOAT64);
            cp_sparse_lu_free(f);
            cp_sparse_free(m);
        }
}
static void test_incomplete(void **state)
{
    (void)state;
    static number a[LARGE * LARGE];
    seed = 4;
    draw(a, LARGE, 4, false);
    for (int i = 0; i < LARGE; i++) a[i * LARGE + i] += 40;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_sparse *m = matrix_of(a, LARGE, CP_FLOAT64, CP_SPARSE_CSR);
            cp_array *b = cp_ones(CP_SHAPE(LARGE), CP_FLOAT64);
            cp_sparse_factors *whole = cp_sparse_lu(m), *some = cp_sparse_lu(m, .drop = 0.01);
            cp_sparse_factors *few = cp_sparse_lu(m, .fill = 1), *tiny = cp_sparse_lu(m, .drop = 1e-300);
            assert_true(cp_sparse_lu_nnz(some) * 2 < cp_sparse_lu_nnz(whole));
            assert_true(cp_sparse_lu_nnz(few) <= 2 * cp_sparse_nnz(m) + LARGE);
            assert_true(cp_sparse_lu_nnz(tiny) <= cp_sparse_lu_nnz(whole));
            cp_array *x = cp_sparse_lu_solve(whole, b, 0), *size = cp_sqrt(cp_sum(cp_multiply(x, x)));
            cp_sparse_factors *const all[] = {tiny, some, few};
            const double far[] = {1e-12, 0.02, 0.3};
            for (int i = 0; i < 3; i++) {
                cp_array *away = cp_subtract(cp_sparse_lu_solve(all[i], b, 0), x);
                const double part = cp_item_float(cp_divide(cp_sqrt(cp_sum(cp_multiply(away, away))), size));
                if (!(part <= far[i]) || (i && part < 1e-14)) fail_msg("factors %d: %g away", i, part);
                cp_sparse_lu_free(all[i]);
            }
            cp_sparse_lu_free(whole);
            cp_sparse_free(m);
        }
}
/* Of a column's elements the greatest are kept, wherever they stand; NaN is the greatest. */
static void test_what_is_kept(void **state)
{
    (void)state;
    enum { M = 5 };
    number a[M * M] = {0};
    for (int k = 0; k < M; k++) a[k * M] = a[k * M + M - 1] = 1;
    for (int k = 0; k < M; k++) a[k * M + k] = 10;
    a[(M - 1) * M] = 5, a[M - 1] = 2, a[2 * M + M - 1] = NAN;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_sparse *m = matrix_of(a, M, CP_FLOAT64, CP_SPARSE_CSC), *l, *u;
            cp_array *rows, *columns;
            cp_sparse_factors *f = cp_sparse_lu(m, .fill = 0.4, .order = CP_SPARSE_ORDER_NATURAL, .threshold = -1);
            ok(cp_sparse_lu_parts(f, &l, &u, &rows, &columns) == CP_OK);
            values(cp_slice(cp_sparse_dense(l), CP_ITEMS(CP_FULL, CP_AT(0))), 1, 0.1, 0, 0, 0.5);
            values(cp_slice(cp_sparse_dense(u), CP_ITEMS(CP_RANGE(0, M - 1), CP_AT(M - 1))), 2, 0, NAN, 0);
            cp_sparse_free(l), cp_sparse_free(u), cp_free(rows), cp_free(columns), cp_sparse_lu_free(f);
            cp_sparse_free(m);
        }
}
static void test_pivots(void **state)
{
    (void)state;
    const number a[4] = {1, 1, 4, 5};
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_sparse *m = matrix_of(a, 2, CP_FLOAT64, CP_SPARSE_CSC), *l, *u;
            cp_array *rows, *columns;
            const double thresholds[] = {0, 1, 0.5, 0.25, 0.1, -1};
            for (int i = 0; i < 6; i++) { /* 1 beside 4 */
                cp_sparse_factors *f = cp_sparse_lu(m, .threshold = thresholds[i], .order = CP_SPARSE_ORDER_NATURAL);
                ok(cp_sparse_lu_parts(f, &l, &u, &rows, &columns) == CP_OK);
                if (i < 3) values(rows, 1, 0), values(cp_sparse_dense(u), 4, 5, 0, -0.25);
                else values(rows, 0, 1), values(cp_sparse_dense(l), 1, 0, 4, 1);
                values(columns, 0, 1);
                cp_sparse_free(l), cp_sparse_free(u), cp_free(rows), cp_free(columns), cp_sparse_lu_free(f);
            }
            cp_sparse_free(m);
        }
}

/* --- what has no solution --- */

#define fails(call, code, text)                                                               \
    do {                                                                                      \
        if (call) fail_msg("%s did not fail", #call);                                         \
        if (!strstr(cp_error_message(), text)) fail_msg("%s: %s", #call, cp_error_message()); \
        failed(code);                                                                         \
    } while (0)
static void test_singular(void **state)
{
    (void)state;
    static number a[LARGE * LARGE];
    seed = 5;
    for (FOR_DEVICES(d))
        for (FOR_FORMATS(f))
            for (int kind = 0; kind < 4; kind++)
                for (CP_SCOPE) {
                    const int n = kind < 3 ? LARGE : 3;
                    draw(a, n, 2, false);
                    for (int i = 0; i < n; i++) {
                        if (kind == 0) a[i * n + 2] = 0; /* a column, a row of zeros */
                        if (kind == 1) a[2 * n + i] = 0;
                        if (kind == 2 && i < 3) /* three columns with elements in two rows */
                            for (int k = 0; k < n; k++) a[k * n + i] = k < 2 ? i + k + 1.0 : 0;
                        if (kind == 3) a[i] = a[i + n] = a[i + 2 * n] = 0;
                    }
                    cp_sparse *m = matrix_of(a, n, CP_FLOAT64, FORMATS[i_f]);
                    cp_array *b = cp_ones(CP_SHAPE(n), CP_FLOAT64);
                    fails(cp_sparse_lu(m), CP_ERROR_LINALG, "sparse_lu: the matrix is singular");
                    fails(cp_sparse_spsolve(m, b), CP_ERROR_LINALG, "sparse_spsolve: the matrix is");
                    cp_sparse_free(m);
                }
    for (FOR_DEVICES(e))
        for (CP_SCOPE) { /* exactly singular by value: the second pivot is 0 */
            cp_sparse *m = matrix_of((number[]){1, 2, 2, 4}, 2, CP_FLOAT64, CP_SPARSE_CSR);
            fails(cp_sparse_lu(m), CP_ERROR_LINALG, "singular");
            fails(cp_sparse_spsolve(m, doubles(1, 2)), CP_ERROR_LINALG, "singular");
            cp_sparse_free(m);
            m = matrix_of((number[]){NAN, 2, 2, 4}, 2, CP_FLOAT64, CP_SPARSE_CSR);
            values(cp_sparse_spsolve(m, doubles(1, 2)), NAN, NAN);
            cp_sparse_free(m);
            m = cp_sparse_from_dense(cp_zeros(CP_SHAPE(2, 3), CP_FLOAT64), CP_SPARSE_CSR);
            fails(cp_sparse_lu(m), CP_ERROR_VALUE, "square");
            fails(cp_sparse_spsolve(m, doubles(1, 2)), CP_ERROR_VALUE, "square");
            fails(cp_sparse_spsolve_triangular(m, doubles(1, 2), true, false), CP_ERROR_VALUE, "square");
            cp_sparse_free(m);
            m = cp_sparse_eye(3, 3, 0, CP_FLOAT32, CP_SPARSE_BSR);
            cp_sparse_factors *f = cp_sparse_lu(m);
            fails(cp_sparse_lu_solve(f, doubles(1, 2), 0), CP_ERROR_VALUE, "3 rows");
            fails(cp_sparse_lu_solve(f, doubles(1, 2, 3), 3), CP_ERROR_VALUE, "trans");
            fails(cp_sparse_lu_solve(f, cp_float(3), 0), CP_ERROR_VALUE, "1-D or 2-D");
            fails(cp_sparse_lu_solve(NULL, doubles(1), 0), CP_ERROR_VALUE, "sparse_lu_solve");
            fails(cp_sparse_spsolve(m, doubles(1, 2)), CP_ERROR_VALUE, "3 rows");
            fails(cp_sparse_lu(m, .drop = -1), CP_ERROR_VALUE, "drop");
            fails(cp_sparse_lu(m, .threshold = 2), CP_ERROR_VALUE, "threshold");
            fails(cp_sparse_lu(m, .threshold = NAN), CP_ERROR_VALUE, "threshold");
            fails(cp_sparse_lu(m, .order = (cp_sparse_order)9), CP_ERROR_VALUE, "order 9");
            cp_sparse_lu_free(f), cp_sparse_free(m);
            m = cp_sparse_eye(0, 0, 0, CP_FLOAT64, CP_SPARSE_CSC);
            f = cp_sparse_lu(m);
            ok(f);
            assert_int_equal(cp_sparse_lu_nnz(f), 0);
            assert_int_equal(cp_size(cp_sparse_lu_solve(f, cp_zeros(CP_SHAPE(0, 2), CP_FLOAT64), 0)), 0);
            assert_int_equal(cp_size(cp_sparse_spsolve(m, cp_zeros(CP_SHAPE(0), CP_FLOAT64))), 0);
            cp_sparse_lu_free(f), cp_sparse_free(m);
        }
}

/* --- systems --- */

static void test_systems(void **state)
{
    (void)state;
    static number a[LARGE * LARGE], b[LARGE * SIDES], x[LARGE * SIDES], first[LARGE * SIDES], alone[LARGE * SIDES];
    for (FOR_TYPES(t))
        for (FOR_FORMATS(f))
            for (int few = 0; few < 2; few++) {
                int devices = 0;
                for (FOR_DEVICES(d))
                    for (CP_SCOPE) {
                        const cp_type type = TYPES[i_t];
                        const int n = few ? 20 : LARGE;
                        seed = 6;
                        draw(a, n, 2, is_complex(type));
                        for (int i = 0; i < n * SIDES; i++) b[i] = (double)below(19) - 9;
                        cp_sparse *m = matrix_of(a, n, type, FORMATS[i_f]);
                        cp_array *z = cp_sparse_spsolve(m, array_of(b, n, SIDES, CP_FLOAT32));
                        ok(z);
                        assert_int_equal(cp_type_of(z), cp_type_kind(type) == 'i'
                                         ? (type == CP_INT8 ? CP_FLOAT32 : CP_FLOAT64) : type);
                        assert_int_equal(cp_device_of(z), cp_sparse_device_of(m));
                        read(z, n * SIDES, x);
                        solves(a, n, SIDES, x, b, 0, eps_of(cp_type_of(z)));
                        if (!devices++) memcpy(first, x, sizeof first);
                        assert_memory_equal(first, x, sizeof(number) * (size_t)(n * SIDES));
                        /* right sides as a matrix: each column by itself, without what is 0 */
                        b[1] = 0;
                        for (int i = 0; i < n; i++) b[i * SIDES + 2] = 0;
                        cp_array *sides = array_of(b, n, SIDES, CP_FLOAT32);
                        cp_sparse *right = cp_sparse_from_dense(sides, FORMATS[(i_f + (size_t)few) % 4]);
                        cp_sparse *y = cp_sparse_spsolve_sparse(m, right);
                        ok(y);
                        assert_int_equal(cp_sparse_format_of(y), FORMATS[i_f] == CP_SPARSE_CSC ? CP_SPARSE_CSC
                                                                                               : CP_SPARSE_CSR);
                        assert_int_equal(cp_sparse_type_of(y), cp_type_of(z));
                        assert_int_equal(cp_sparse_device_of(y), cp_sparse_device_of(m));
                        assert_true(cp_sparse_rows(y) == n && cp_sparse_columns(y) == SIDES);
                        assert_true(cp_sparse_nnz(y) <= 2 * n);
                        read(cp_sparse_dense(y), n * SIDES, x);
                        read(cp_sparse_spsolve(m, sides), n * SIDES, alone);
                        for (int i = 0; i < n * SIDES; i++) assert_true(x[i] == alone[i]);
                        cp_sparse_free(right), cp_sparse_free(y), cp_sparse_free(m);
                    }
            }
}
/* Many columns, solved in several parts; none; what does not fit. */
static void test_sides_of_matrices(void **state)
{
    (void)state;
    enum { WIDE = 50000, ROWS = 120 };
    for (FOR_DEVICES(d))
        for (int few = 0; few < 2; few++)
            for (CP_SCOPE) {
                static number a[ROWS * ROWS];
                const int n = few ? 90 : ROWS;
                seed = 9;
                draw(a, n, 2, false);
                cp_sparse *m = matrix_of(a, n, CP_FLOAT64, CP_SPARSE_CSR);
                cp_sparse *b = cp_sparse_eye(n, WIDE, WIDE - n, CP_FLOAT64, CP_SPARSE_CSR);
                cp_sparse *x = cp_sparse_spsolve_sparse(m, b), *product = x ? cp_sparse_matmul(m, x) : NULL;
                ok(product);
                cp_sparse *rest = cp_sparse_subtract(product, b);
                assert_int_equal(cp_sparse_columns(x), WIDE);
                assert_true(cp_sparse_is_canonical(x));
                assert_true(cp_item_float(cp_sparse_norm(rest, 'F')) < 1e-12 * n);
                cp_sparse_free(rest), cp_sparse_free(product), cp_sparse_free(x), cp_sparse_free(b);
                b = cp_sparse_eye(n, 0, 0, CP_FLOAT32, CP_SPARSE_COO);
                x = cp_sparse_spsolve_sparse(m, b);
                ok(x);
                assert_true(cp_sparse_rows(x) == n && !cp_sparse_columns(x) && cp_sparse_type_of(x) == CP_FLOAT64);
                cp_sparse_free(x), cp_sparse_free(b);
                b = cp_sparse_eye(n + 1, 2, 0, CP_FLOAT64, CP_SPARSE_COO);
                fails(cp_sparse_spsolve_sparse(m, b), CP_ERROR_VALUE, "sparse_spsolve_sparse: b must have");
                fails(cp_sparse_spsolve_sparse(b, m), CP_ERROR_VALUE, "sparse_spsolve_sparse: a must be square");
                fails(cp_sparse_spsolve_sparse(m, NULL), CP_ERROR_VALUE, "sparse_spsolve_sparse: an argument is NULL");
                fails(cp_sparse_spsolve_sparse(NULL, m), CP_ERROR_VALUE, "sparse_spsolve_sparse: an argument is NULL");
                cp_sparse_free(b);
                b = cp_sparse_eye(n, n, 1, CP_FLOAT64, CP_SPARSE_CSR);
                fails(cp_sparse_spsolve_sparse(b, m), CP_ERROR_LINALG, "singular");
                cp_sparse_free(b), cp_sparse_free(m);
            }
}
static void test_triangles(void **state)
{
    (void)state;
    static number a[N * N], own[N * N], b[N * SIDES], x[N * SIDES];
    seed = 7;
    for (FOR_DEVICES(d))
        for (FOR_TYPES(t))
            for (FOR_FORMATS(f))
                for (int kind = 0; kind < 4; kind++)
                    for (CP_SCOPE) {
                        const bool lower = kind & 1, unit = kind & 2;
                        draw(a, N, 2, is_complex(TYPES[i_t]));
                        for (int i = 0; i < N; i++) a[i * N + i] = 2 + (double)below(3);
                        for (int i = 0; i < N * N; i++) {
                            const int row = i / N, column = i % N;
                            own[i] = row == column ? unit ? 1 : a[i] : (row > column) == lower ? a[i] : 0;
                        }
                        for (int i = 0; i < N * SIDES; i++) b[i] = (double)below(19) - 9;
                        cp_sparse *m = matrix_of(a, N, TYPES[i_t], FORMATS[i_f]);
                        cp_array *right = array_of(b, N, SIDES, CP_INT16);
                        cp_array *z = cp_sparse_spsolve_triangular(m, right, lower, unit);
                        read(z, N * SIDES, x);
                        solves(own, N, SIDES, x, b, 0, eps_of(cp_type_of(z)));
                        cp_sparse *zero = cp_sparse_assign(m, ints(3), ints(3), cp_float(0));
                        if (!unit)
                            fails(cp_sparse_spsolve_triangular(zero, right, lower, unit), CP_ERROR_LINALG, "row 3");
                        else cp_free(cp_sparse_spsolve_triangular(zero, right, lower, unit));
                        cp_sparse_free(zero), cp_sparse_free(m);
                    }
}

/* Each function where memory ends. */
static bool body(void)
{
    cp_scope *scope = cp_scope_begin();
    if (!scope) return false;
    static number a[120 * 120];
    seed = 8;
    draw(a, 120, 1, false);
    cp_sparse *m = cp_sparse_from_dense(array_of(a, 120, 120, CP_FLOAT64), CP_SPARSE_CSR);
    cp_array *b = cp_ones(CP_SHAPE(120, 2), CP_COMPLEX128);
    bool all = m && b;
    if (all) {
        cp_sparse_factors *f = cp_sparse_lu(m, .order = CP_SPARSE_ORDER_SYMMETRIC), *g = cp_sparse_lu(m, .drop = 1e-3);
        cp_sparse *l = NULL, *u = NULL;
        cp_array *rows = NULL, *columns = NULL;
        all = f && g && cp_sparse_lu_solve(f, b, 0) && cp_sparse_lu_solve(f, b, 2) &&
              cp_sparse_lu_parts(f, &l, &u, &rows, &columns) == CP_OK && cp_sparse_spsolve(m, b) &&
              cp_sparse_spsolve_triangular(u, b, false, false);
        cp_sparse *x = cp_sparse_spsolve_sparse(m, u);
        all &= x != NULL;
        cp_sparse_free(x);
        cp_sparse_free(l), cp_sparse_free(u), cp_free(rows), cp_free(columns);
        cp_sparse_lu_free(f), cp_sparse_lu_free(g);
    }
    cp_sparse_free(m);
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
        cmocka_unit_test(test_factors), cmocka_unit_test(test_supernodes), cmocka_unit_test(test_grid),
        cmocka_unit_test(test_dense_lines), cmocka_unit_test(test_incomplete), cmocka_unit_test(test_what_is_kept),
        cmocka_unit_test(test_pivots), cmocka_unit_test(test_singular),
        cmocka_unit_test(test_systems), cmocka_unit_test(test_sides_of_matrices), cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_allocations)};
    return check_run(tests);
}
