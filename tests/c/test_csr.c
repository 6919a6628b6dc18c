/* Sparse matrices: every operation beside loops over dense ones, long rows, both index types, errors, no memory. */
#include "check.h"

enum { ROWS = 37, COLUMNS = 29, MOST = ROWS * COLUMNS };

static uint64_t seed;
static int64_t below(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(seed >> 33) % n;
}

/* A matrix with its dense elements. */
typedef struct sample {
    int64_t rows, columns, n;
    double data[MOST], dense[MOST];
    int64_t indices[MOST], indptr[ROWS + 1];
    cp_array *values, *index, *ends; /* owned by the scope */
} sample;

/* Small integers at a part of the places; each fifth row is empty. Row 3 is full. */
static void draw(sample *s, int64_t rows, int64_t columns, cp_type index)
{
    s->rows = rows, s->columns = columns, s->n = 0;
    memset(s->dense, 0, sizeof s->dense);
    for (int64_t r = 0; r < rows; r++) {
        s->indptr[r] = s->n;
        for (int64_t c = 0; c < columns; c++)
            if (r == 3 || (r % 5 && below(4) == 0)) {
                s->dense[r * columns + c] = s->data[s->n] = (double)(below(7) - 3);
                s->indices[s->n++] = c;
            }
    }
    s->indptr[rows] = s->n;
    s->values = cp_from_host(s->data, CP_FLOAT64, CP_SHAPE(s->n), NULL);
    s->index = cp_astype(cp_from_host(s->indices, CP_INT64, CP_SHAPE(s->n), NULL), index);
    s->ends = cp_astype(cp_from_host(s->indptr, CP_INT64, CP_SHAPE(rows + 1), NULL), index);
}

/* Whether an array has these elements. */
static void same(cp_array *x, int64_t n, const double *want)
{
    ok(x != NULL);
    assert_int_equal(cp_size(x), n);
    double *got = malloc(sizeof *got * (size_t)(n + 1));
    cp_array *wide = cp_astype(x, CP_FLOAT64);
    ok(cp_to_host(wide, got, sizeof *got * (size_t)n) == CP_OK);
    for (int64_t i = 0; i < n; i++)
        if (got[i] != want[i]) fail_msg("element %lld: %.17g, not %.17g", (long long)i, got[i], want[i]);
    free(got);
}
/* Whether three arrays are a matrix that ascends and has those elements. */
static void same_matrix(cp_array *data, cp_array *indices, cp_array *indptr, int64_t rows, int64_t columns,
                        const double *want)
{
    ok(data && indices && indptr);
    assert_int_equal(cp_size(indptr), rows + 1);
    assert_int_equal(cp_item_int(cp_csr_check(indices, indptr, columns)) % CP_SPARSE_LAST, 0);
    same(cp_csr_dense(data, indices, indptr, columns, false, true), rows * columns, want);
    cp_free(data);
    cp_free(indices);
    cp_free(indptr);
}

static sample a, b;

static void elementwise(void)
{
    static double want[MOST];
    cp_array *d, *e, *i, *p;
    for (int op = 0; op < 4; op++) {
        for (int k = 0; k < ROWS * COLUMNS; k++)
            want[k] = op == 0 ? a.dense[k] + b.dense[k] : op == 1 ? a.dense[k] - b.dense[k]
                      : op == 2 ? a.dense[k] * b.dense[k] : a.dense[k] != b.dense[k];
        ok(cp_csr_merge((cp_sparse_op)op, a.values, a.index, a.ends, b.values, b.index, b.ends, COLUMNS, &d, &i, &p)
           == CP_OK);
        int64_t nonzero = 0;
        for (int k = 0; k < ROWS * COLUMNS; k++) nonzero += want[k] != 0;
        assert_int_equal(cp_size(d), nonzero);
        same_matrix(d, i, p, ROWS, COLUMNS, want);
    }
    ok(cp_csr_align(a.values, a.index, a.ends, b.values, b.index, b.ends, COLUMNS, &d, &e, &i, &p) == CP_OK);
    same(cp_csr_dense(e, i, p, COLUMNS, false, true), MOST, b.dense);
    cp_free(e);
    same_matrix(d, i, p, ROWS, COLUMNS, a.dense);
}
static void products(void)
{
    static double want[ROWS * ROWS], x[COLUMNS * 2], y[MOST];
    cp_array *d, *i, *p, *t[3];
    for (int k = 0; k < COLUMNS * 2; k++) x[k] = (double)(below(9) - 4);
    cp_array *vector = cp_from_host(x, CP_FLOAT64, CP_SHAPE(COLUMNS), NULL);
    cp_array *two = cp_from_host(x, CP_FLOAT64, CP_SHAPE(COLUMNS, 2), NULL);
    memset(y, 0, sizeof y);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) y[r] += a.dense[r * COLUMNS + c] * x[c];
    same(cp_csr_multiply(a.values, a.index, a.ends, COLUMNS, vector), ROWS, y);
    memset(y, 0, sizeof y);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < 2 * COLUMNS; c++) y[2 * r + c % 2] += a.dense[r * COLUMNS + c / 2] * x[c];
    same(cp_csr_multiply(a.values, a.index, a.ends, COLUMNS, two), 2 * ROWS, y);
    ok(cp_csr_transpose(b.values, b.index, b.ends, COLUMNS, &t[0], &t[1], &t[2]) == CP_OK);
    memset(y, 0, sizeof y);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) y[r] += b.dense[r * COLUMNS + c] * x[c];
    same(cp_csr_multiply_transposed(t[0], t[1], t[2], ROWS, vector), ROWS, y);
    memset(want, 0, sizeof want);
    for (int r = 0; r < ROWS; r++)
        for (int q = 0; q < ROWS; q++)
            for (int c = 0; c < COLUMNS; c++)
                want[r * ROWS + q] += a.dense[r * COLUMNS + c] * b.dense[q * COLUMNS + c];
    ok(cp_csr_product(a.values, a.index, a.ends, t[0], t[1], t[2], ROWS, &d, &i, &p) == CP_OK);
    same_matrix(d, i, p, ROWS, ROWS, want);
    for (int k = 0; k < 3; k++) cp_free(t[k]);
}
/* Products of blocks and of diagonals, and diagonals. */
static void products_on_the_cpu(void)
{
    static double want[MOST * 2], x[3][COLUMNS], y[3][COLUMNS];
    cp_array *d, *i, *p, *empty, *t[3];
    cp_array *left = cp_reshape(a.values, CP_SHAPE(a.n, 1, 1));
    ok(cp_csr_transpose(b.values, b.index, b.ends, COLUMNS, &t[0], &t[1], &t[2]) == CP_OK);
    cp_array *right = cp_reshape(t[0], CP_SHAPE(b.n, 1, 1));
    ok(cp_bsr_product(left, a.index, a.ends, right, t[1], t[2], ROWS, &d, &i, &p, &empty) == CP_OK);
    memset(want, 0, sizeof want);
    for (int r = 0; r < ROWS; r++)
        for (int q = 0; q < ROWS; q++)
            for (int c = 0; c < COLUMNS; c++)
                want[r * ROWS + q] += a.dense[r * COLUMNS + c] * b.dense[q * COLUMNS + c];
    int64_t zeros = cp_size(d);
    for (int k = 0; k < ROWS * ROWS; k++) zeros -= want[k] != 0;
    assert_int_equal(cp_item_int(empty), zeros);
    same_matrix(cp_reshape(d, CP_SHAPE(cp_size(d))), i, p, ROWS, ROWS, want);

    for (int k = -2; k < 3; k++) {
        const int n = k > 0 ? COLUMNS - k : COLUMNS < ROWS + k ? COLUMNS : ROWS + k;
        for (int e = 0; e < n; e++) want[e] = a.dense[(e - (k < 0 ? k : 0)) * COLUMNS + e + (k > 0 ? k : 0)];
        same(cp_csr_diagonal(a.values, a.index, a.ends, COLUMNS, k), n, want);
    }

    for (int k = 0; k < 3 * COLUMNS; k++) {
        x[k / COLUMNS][k % COLUMNS] = (double)(below(9) - 4);
        y[k / COLUMNS][k % COLUMNS] = (double)(below(9) - 4);
    }
    cp_array *offsets = cp_arange_int(-1, 2, 1, CP_INT32);
    cp_array *first = cp_from_host(x, CP_FLOAT64, CP_SHAPE(3, COLUMNS), NULL);
    cp_array *second = cp_from_host(y, CP_FLOAT64, CP_SHAPE(3, COLUMNS), NULL);
    ok(cp_dia_product(first, offsets, second, offsets, COLUMNS, COLUMNS, COLUMNS, &d, &i) == CP_OK);
    memset(want, 0, sizeof want);
    for (int o = 0; o < 5; o++)
        for (int c = 0; c < COLUMNS; c++)
            for (int k = 0; k < 3; k++) { /* row, inner, column: c - o + 2, c - k + 1, c */
                const int row = c - o + 2, inner = c - k + 1, other = inner - row + 1;
                if (row >= 0 && row < COLUMNS && inner >= 0 && inner < COLUMNS && other >= 0 && other < 3)
                    want[o * COLUMNS + c] += x[other][inner] * y[k][c];
            }
    same(cp_reshape(d, CP_SHAPE(5 * COLUMNS)), 5 * COLUMNS, want);
    for (int o = 0; o < 5; o++) want[o] = o - 2;
    same(i, 5, want);
}
/* What the CPU alone has: triples times arrays, transposes times several columns, columns by number, blocks. */
static void shortcuts(void)
{
    static double want[MOST], x[2 * COLUMNS], y[2 * COLUMNS];
    static int64_t which[COLUMNS];
    cp_array *d, *i, *p, *empty;
    cp_array *row = cp_csr_rows(a.index, a.ends), *ends = cp_coo_ends(row, ROWS);
    if (!ends && cp_error() == CP_ERROR_UNSUPPORTED) {
        cp_error_clear();
        return;
    }
    for (int r = 0; r <= ROWS; r++) want[r] = (double)a.indptr[r];
    same(ends, ROWS + 1, want);
    assert_int_equal(cp_size(cp_coo_ends(a.index, COLUMNS)), 0);
    for (int k = 0; k < 2 * COLUMNS; k++) x[k] = (double)(below(9) - 4);
    memset(y, 0, sizeof y);
    for (int k = 0; k < MOST; k++)
        for (int c = 0; c < 2; c++) y[k % COLUMNS * 2 + c] += a.dense[k] * x[(k / COLUMNS * 2 + c) % (2 * COLUMNS)];
    static double wide[2 * ROWS];
    for (int k = 0; k < 2 * ROWS; k++) wide[k] = x[k % (2 * COLUMNS)];
    cp_array *two = cp_from_host(wide, CP_FLOAT64, CP_SHAPE(ROWS, 2), NULL);
    same(cp_csr_multiply_transposed(a.values, a.index, a.ends, COLUMNS, two), 2 * COLUMNS, y);
    same(cp_coo_multiply(a.values, a.index, row, COLUMNS, two), 2 * COLUMNS, y);
    cp_array *one = cp_slice(two, CP_ITEMS(CP_RANGE(0, ROWS), CP_AT(1)));
    for (int k = 0; k < COLUMNS; k++) want[k] = y[2 * k + 1];
    same(cp_coo_multiply(a.values, a.index, row, COLUMNS, one), COLUMNS, want);
    for (int k = 0; k < COLUMNS; k++) {
        which[k] = below(COLUMNS);
        for (int r = 0; r < ROWS; r++) want[r * COLUMNS + k] = a.dense[r * COLUMNS + which[k]];
    }
    cp_array *columns = cp_from_host(which, CP_INT64, CP_SHAPE(COLUMNS), NULL);
    ok(cp_csr_take_columns(a.values, a.index, a.ends, COLUMNS, columns, true, &d, &i, &p) == CP_OK);
    same_matrix(d, i, p, ROWS, COLUMNS, want);
    which[3] = COLUMNS;
    columns = cp_from_host(which, CP_INT64, CP_SHAPE(COLUMNS), NULL);
    assert_int_equal(cp_csr_take_columns(a.values, a.index, a.ends, COLUMNS, columns, true, &d, &i, &p),
                     CP_ERROR_INDEX);
    failed(CP_ERROR_INDEX);
    cp_array *left = cp_reshape(a.values, CP_SHAPE(a.n, 1, 1)), *right = cp_reshape(b.values, CP_SHAPE(b.n, 1, 1));
    ok(cp_bsr_merge(CP_SPARSE_SUBTRACT, left, a.index, a.ends, right, b.index, b.ends, COLUMNS, &d, &i, &p, &empty)
       == CP_OK);
    int64_t zeros = cp_size(d);
    for (int k = 0; k < MOST; k++) want[k] = a.dense[k] - b.dense[k], zeros -= want[k] != 0;
    assert_int_equal(cp_item_int(empty), zeros);
    same_matrix(cp_reshape(d, CP_SHAPE(cp_size(d))), i, p, ROWS, COLUMNS, want);
    products_on_the_cpu();
}
static void parts(void)
{
    static double want[MOST], y[ROWS + COLUMNS];
    static int64_t at[3][MOST];
    cp_array *d, *i, *p;
    memset(y, 0, sizeof y);
    for (int k = 0; k < MOST; k++) y[k / COLUMNS] += a.dense[k], y[ROWS + k % COLUMNS] += a.dense[k];
    same(cp_csr_sum(a.values, a.index, a.ends, COLUMNS, 1), ROWS, y);
    same(cp_csr_sum(a.values, a.index, a.ends, COLUMNS, 0), COLUMNS, y + ROWS);
    for (int k = 0; k < ROWS; k++) {
        at[0][k] = below(ROWS);
        for (int c = 0; c < COLUMNS; c++) want[k * COLUMNS + c] = a.dense[at[0][k] * COLUMNS + c];
    }
    cp_array *rows = cp_from_host(at[0], CP_INT64, CP_SHAPE(ROWS), NULL);
    ok(cp_csr_take(a.values, a.index, a.ends, rows, &d, &i, &p) == CP_OK);
    same_matrix(d, i, p, ROWS, COLUMNS, want);
    ok(cp_csr_select(a.values, a.index, a.ends, a.values, &d, &i, &p) == CP_OK);
    same_matrix(d, i, p, ROWS, COLUMNS, a.dense);
    for (int k = 0; k < MOST; k++) at[0][k] = k / COLUMNS, at[1][k] = k % COLUMNS, want[k] = -1;
    for (int r = 0; r < ROWS; r++)
        for (int64_t k = a.indptr[r]; k < a.indptr[r + 1]; k++) want[r * COLUMNS + a.indices[k]] = (double)k;
    cp_array *row = cp_from_host(at[0], CP_INT64, CP_SHAPE(MOST), NULL);
    cp_array *column = cp_from_host(at[1], CP_INT64, CP_SHAPE(MOST), NULL);
    same(cp_csr_find(a.index, a.ends, row, column, true), MOST, want);
    same(cp_csr_find(a.index, a.ends, row, column, false), MOST, want);
    for (int r = 0; r < ROWS; r++)
        for (int64_t k = a.indptr[r]; k < a.indptr[r + 1]; k++) want[k] = r;
    same(cp_csr_rows(a.index, a.ends), a.n, want);
}
/* Each element twice, in no order, back to rows that ascend. */
static void order(void)
{
    static double value[2 * MOST], want[MOST];
    static int64_t row[2 * MOST], column[2 * MOST];
    int64_t n = 0;
    for (int r = 0; r < ROWS; r++)
        for (int64_t k = a.indptr[r]; k < a.indptr[r + 1]; k++)
            for (int twice = 0; twice < 2; twice++) {
                const int64_t to = below(n + 1);
                value[n] = value[to], row[n] = row[to], column[n] = column[to];
                value[to] = a.data[k], row[to] = r, column[to] = a.indices[k];
                n++;
            }
    for (int k = 0; k < MOST; k++) want[k] = 2 * a.dense[k];
    cp_array *t[3], *s[3], *d, *i, *p;
    cp_array *where = cp_from_host(row, CP_INT64, CP_SHAPE(n), NULL);
    ok(cp_csr_compress(cp_from_host(value, CP_FLOAT64, CP_SHAPE(n), NULL), where,
                          cp_from_host(column, CP_INT64, CP_SHAPE(n), NULL), ROWS, &t[0], &t[1], &t[2]) == CP_OK);
    const int64_t found = cp_item_int(cp_csr_check(t[1], t[2], COLUMNS));
    assert_int_equal(found / CP_SPARSE_LAST, n);
    assert_true(found & CP_SPARSE_UNSORTED);
    same(cp_csr_dense(t[0], t[1], t[2], COLUMNS, false, false), MOST, want);
    ok(cp_csr_sort(t[0], t[1], t[2], COLUMNS, &s[0], &s[1], &s[2]) == CP_OK);
    assert_int_equal(cp_item_int(cp_csr_check(s[1], s[2], COLUMNS)) % CP_SPARSE_LAST, CP_SPARSE_DUPLICATES);
    ok(cp_csr_sum_duplicates(s[0], s[1], s[2], &d, &i, &p) == CP_OK);
    assert_int_equal(cp_size(d), a.n);
    same_matrix(d, i, p, ROWS, COLUMNS, want);
    for (int k = 0; k < 3; k++) cp_free(t[k]), cp_free(s[k]);
    ok(cp_csr_canonical(cp_from_host(value, CP_FLOAT64, CP_SHAPE(n), NULL), where,
                        cp_from_host(column, CP_INT64, CP_SHAPE(n), NULL), ROWS, COLUMNS, &d, &i, &p) == CP_OK);
    assert_int_equal(cp_size(d), a.n);
    assert_int_equal(cp_item_int(cp_csr_check(i, p, COLUMNS)) % CP_SPARSE_LAST, 0);
    same_matrix(d, i, p, ROWS, COLUMNS, want);
}

/* A basis of 3 rows; x + 2 y and its product with y; a triangle. */
static void solvers(void)
{
    const double x[4] = {3, 4, 0, 0}, y[4] = {1, 2, 3, 4}, plan_out[4] = {5, 8, 6, 8}, product = 71;
    const int64_t plan[] = {0, 1, 1, 0, 2, 0, CP_FACTOR(0, 0, 0, 0, 0, 0), 1, CP_FACTOR(0, 1, 1, 0, 0, 0), 1, 0, 1};
    cp_array *v[2] = {cp_from_host(x, CP_FLOAT64, CP_SHAPE(4), NULL), cp_from_host(y, CP_FLOAT64, CP_SHAPE(4), NULL)};
    cp_array *numbers = cp_ones(CP_SHAPE(2), CP_FLOAT64), *basis = cp_zeros(CP_SHAPE(3, 4), CP_FLOAT64);
    cp_array *h = cp_zeros(CP_SHAPE(2, 3), CP_FLOAT64), *gram = cp_zeros(CP_SHAPE(2, 2), CP_FLOAT64);
    ok(cp_assign(cp_slice(basis, CP_ITEMS(CP_AT(0), CP_AT(1))), cp_float(1)) == CP_OK);
    ok(cp_basis_extend(basis, v[0], h, gram, 0, -1) == CP_OK);
    ok(cp_basis_extend(basis, v[0], h, NULL, 1, 0) == CP_OK);
    const double rows[12] = {0, 1, 0, 0, 1}, coefficients[6] = {4, 3, 0, 4, 3, 0};
    same(basis, 12, rows);
    same(h, 6, coefficients);
    ok(cp_vectors_pass(2, v, sizeof plan / sizeof *plan, plan, numbers, NULL, 2, 1, 1, 1, 0) == CP_OK);
    same(v[0], 4, plan_out);
    same(cp_slice(numbers, CP_ITEMS(CP_AT(1))), 1, &product);
    const int32_t indices[5] = {0, 0, 1, 1, 2}, indptr[4] = {0, 1, 3, 5};
    const double data[5] = {2, 1, 1, 4, 0.5}, right[3] = {2, 3, 4}, solution[3] = {1, 2, -8};
    cp_array *triangle = cp_csr_substitute(cp_from_host(data, CP_FLOAT64, CP_SHAPE(5), NULL),
                                           cp_from_host(indices, CP_INT32, CP_SHAPE(5), NULL),
                                           cp_from_host(indptr, CP_INT32, CP_SHAPE(4), NULL), false,
                                           cp_from_host(right, CP_FLOAT64, CP_SHAPE(3), NULL));
    if (!triangle && cp_error() == CP_ERROR_UNSUPPORTED) cp_error_clear();
    else same(triangle, 3, solution);
    cp_array *all = cp_csr_solve(cp_from_host(data, CP_FLOAT64, CP_SHAPE(5), NULL),
                                 cp_from_host(indices, CP_INT32, CP_SHAPE(5), NULL),
                                 cp_from_host(indptr, CP_INT32, CP_SHAPE(4), NULL), false,
                                 cp_from_host(right, CP_FLOAT64, CP_SHAPE(3), NULL));
    if (!all && cp_error() == CP_ERROR_UNSUPPORTED) cp_error_clear();
    else same(all, 3, solution);
    const double halves[8] = {1, 2, 3, 4, 5, 6, 7, 8}, sums[4] = {5, 11, 39, 53};
    const int32_t places[2] = {0, 1}, ends[3] = {0, 1, 2};
    same(cp_bsr_multiply(cp_from_host(halves, CP_FLOAT64, CP_SHAPE(2, 2, 2), NULL),
                         cp_from_host(places, CP_INT32, CP_SHAPE(2), NULL),
                         cp_from_host(ends, CP_INT32, CP_SHAPE(3), NULL), 4,
                         cp_from_host((double[]){1, 2, 3, 4}, CP_FLOAT64, CP_SHAPE(4), NULL)), 4, sums);
}

static void test_operations(void **state)
{
    (void)state;
    const cp_type types[] = {CP_INT32, CP_INT64};
    for (FOR_DEVICES(dev))
        for (int k = 0; k < 2; k++)
            for (CP_SCOPE) {
                seed = 7;
                draw(&a, ROWS, COLUMNS, types[k]);
                draw(&b, ROWS, COLUMNS, types[k]);
                elementwise();
                products();
                parts();
                shortcuts();
                order();
                solvers();
            }
}

static void test_errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(dev))
        for (CP_SCOPE) {
            seed = 9;
            draw(&a, ROWS, COLUMNS, CP_INT32);
            cp_array *d, *i, *p, *wide = cp_astype(a.ends, CP_INT64), *half = cp_astype(a.values, CP_FLOAT16);
            cp_array *few = cp_zeros(CP_SHAPE(COLUMNS - 1), CP_FLOAT64);
            cp_array *far = cp_arange_int(ROWS, ROWS + 1, 1, CP_INT64);
            assert_null(cp_csr_check(a.index, wide, COLUMNS));
            failed(CP_ERROR_TYPE);
            assert_null(cp_csr_dense(half, a.index, a.ends, COLUMNS, false, false));
            failed(CP_ERROR_TYPE);
            assert_null(cp_csr_multiply(a.values, a.index, a.ends, COLUMNS, few));
            failed(CP_ERROR_VALUE);
            assert_null(cp_csr_sum(a.values, a.index, a.ends, COLUMNS, 2));
            failed(CP_ERROR_VALUE);
            assert_int_equal(cp_csr_take(a.values, a.index, a.ends, far, &d, &i, &p), CP_ERROR_INDEX);
            failed(CP_ERROR_INDEX);
            assert_int_equal(cp_csr_merge(CP_SPARSE_ADD, a.values, a.index, a.ends, half, a.index, a.ends, COLUMNS,
                                             &d, &i, &p), CP_ERROR_TYPE);
            failed(CP_ERROR_TYPE);
            cp_array *number[4], *flat = cp_zeros(CP_SHAPE(2, 2), CP_FLOAT64);
            cp_array *block = cp_zeros(CP_SHAPE(cp_size(a.index), 2, 3), CP_FLOAT64);
            assert_int_equal(cp_bsr_product(block, a.index, a.ends, block, a.index, a.ends, 3 * COLUMNS, &d, &i, &p,
                                            &number[0]), CP_ERROR_VALUE);
            failed(CP_ERROR_VALUE);
            assert_int_equal(cp_dia_product(flat, a.index, flat, a.index, 2, 2, 2, &d, &i), CP_ERROR_VALUE);
            failed(CP_ERROR_VALUE);
            assert_int_equal(cp_dia_product(a.values, a.index, flat, a.index, 2, 2, 2, &d, &i), CP_ERROR_VALUE);
            failed(CP_ERROR_VALUE);
            assert_null(cp_csr_diagonal(block, a.index, a.ends, 3 * COLUMNS + 1, 0));
            failed(CP_ERROR_VALUE);
            assert_null(cp_csr_diagonal(few, a.index, a.ends, COLUMNS, 0));
            failed(CP_ERROR_VALUE);
            assert_null(cp_csr_diagonal(flat, a.index, a.ends, COLUMNS, 0));
            failed(CP_ERROR_VALUE);
            assert_int_equal(cp_csr_merge(CP_SPARSE_ALIGN, a.values, a.index, a.ends, a.values, a.index, a.ends,
                                             COLUMNS, &d, &i, &p), CP_ERROR_VALUE);
            failed(CP_ERROR_VALUE);
            const int64_t plan[] = {0, 0, 0, 1, 0, 1}, missing = cp_size(few);
            assert_int_equal(cp_vectors_pass(1, &few, 6, plan, NULL, NULL, 1, 1, 1, 1, 0), CP_ERROR_VALUE);
            failed(CP_ERROR_VALUE);
            cp_array *rows = cp_zeros(CP_SHAPE(2, missing), CP_FLOAT64), *h = cp_zeros(CP_SHAPE(1, 2), CP_FLOAT64);
            assert_int_equal(cp_basis_extend(rows, few, h, NULL, 0, -1), CP_ERROR_VALUE);
            failed(CP_ERROR_VALUE);
            assert_int_equal(cp_basis_extend(rows, few, h, NULL, 1, 0), CP_ERROR_VALUE);
            failed(CP_ERROR_VALUE);
        }
}

/* What the CPU alone has. */
static bool make_shortcuts(cp_array *ones, cp_array *rows)
{
    cp_array *row = cp_csr_rows(a.index, a.ends), *two = cp_ones(CP_SHAPE(COLUMNS, 2), CP_FLOAT64), *s[4] = {NULL};
    cp_array *block = cp_reshape(a.values, CP_SHAPE(a.n, 1, 1));
    if (!row || !two || !block) return false;
    if (!cp_coo_ends(row, ROWS)) {
        if (cp_error() != CP_ERROR_UNSUPPORTED) return false;
        cp_error_clear();
        return true;
    }
    bool good = cp_coo_multiply(a.values, row, a.index, ROWS, ones) &&
                cp_coo_multiply(a.values, row, a.index, ROWS, two);
    good = good && cp_bsr_merge(CP_SPARSE_ADD, block, a.index, a.ends, block, a.index, a.ends, COLUMNS, &s[0], &s[1],
                                &s[2], &s[3]) == CP_OK;
    cp_array *turned[3] = {NULL}, *offsets = cp_arange_int(-1, 2, 1, CP_INT32);
    cp_array *data = cp_ones(CP_SHAPE(3, COLUMNS), CP_FLOAT64);
    good = good && offsets && data &&
           cp_csr_transpose(a.values, a.index, a.ends, COLUMNS, &turned[0], &turned[1], &turned[2]) == CP_OK;
    cp_array *other = good ? cp_reshape(turned[0], CP_SHAPE(a.n, 1, 1)) : NULL;
    good = other && cp_bsr_product(block, a.index, a.ends, other, turned[1], turned[2], ROWS, &s[0], &s[1], &s[2],
                                   &s[3]) == CP_OK;
    good = good && cp_dia_product(data, offsets, data, offsets, COLUMNS, COLUMNS, COLUMNS, &s[0], &s[1]) == CP_OK &&
           cp_csr_diagonal(block, a.index, a.ends, COLUMNS, 1);
    return good && cp_csr_take_columns(a.values, a.index, a.ends, COLUMNS, rows, true, &s[0], &s[1], &s[2]) == CP_OK;
}
static bool make_everything(void)
{
    cp_array *x[3] = {NULL}, *y[4] = {NULL};
    bool good = true;
    cp_scope *scope = cp_scope_begin();
    if (!scope) return false;
    {
        seed = 11;
        draw(&a, ROWS, COLUMNS, CP_INT32);
        cp_array *ones = cp_ones(CP_SHAPE(COLUMNS), CP_FLOAT64), *rows = cp_arange_int(0, 3, 1, CP_INT64);
        good = ones && rows && a.values && a.ends && a.index;
        cp_array *basis = cp_ones(CP_SHAPE(3, 3), CP_FLOAT64), *h = cp_zeros(CP_SHAPE(2, 3), CP_FLOAT64);
        cp_array *number = cp_zeros(CP_SHAPE(1), CP_FLOAT64);
        const int64_t plan[] = {0, 0, 0, 1, 0, 0};
        good = good && basis && h && number && cp_basis_extend(basis, rows, h, h, 1, -1) == CP_OK &&
               cp_basis_extend(basis, rows, h, NULL, 1, 0) == CP_OK &&
               cp_vectors_pass(1, &ones, 6, plan, number, NULL, 1, 1, 1, 1, 0) == CP_OK;
        good = good && cp_bsr_multiply(cp_reshape(a.values, CP_SHAPE(cp_size(a.values), 1, 1)), a.index, a.ends,
                                       COLUMNS, ones);
        good = good && make_shortcuts(ones, rows);
        cp_array *one[] = {good ? cp_csr_multiply(a.values, a.index, a.ends, COLUMNS, ones) : NULL,
                           good ? cp_csr_sum(a.values, a.index, a.ends, COLUMNS, 0) : NULL,
                           good ? cp_csr_dense(a.values, a.index, a.ends, COLUMNS, true, false) : NULL,
                           good ? cp_csr_check(a.index, a.ends, COLUMNS) : NULL,
                           good ? cp_csr_rows(a.index, a.ends) : NULL,
                           good ? cp_csr_find(a.index, a.ends, rows, rows, true) : NULL};
        for (size_t k = 0; k < sizeof one / sizeof *one; k++) good = good && one[k];
        for (int k = 0; k < 7 && good; k++) {
            memset(x, 0, sizeof x);
            memset(y, 0, sizeof y);
            good = cp_csr_transpose(a.values, a.index, a.ends, COLUMNS, &x[0], &x[1], &x[2]) == CP_OK;
            cp_array *zero = good && k == 6 ? cp_subtract(a.index, a.index) : NULL;
            cp_code code = !good || (k == 6 && !zero) ? cp_error()
                : k == 0 ? cp_csr_product(a.values, a.index, a.ends, x[0], x[1], x[2], ROWS, &y[0], &y[1], &y[2])
                : k == 1 ? cp_csr_merge(CP_SPARSE_ADD, x[0], x[1], x[2], x[0], x[1], x[2], ROWS, &y[0], &y[1], &y[2])
                : k == 2 ? cp_csr_align(x[0], x[1], x[2], x[0], x[1], x[2], ROWS, &y[0], &y[3], &y[1], &y[2])
                : k == 3 ? cp_csr_take(x[0], x[1], x[2], rows, &y[0], &y[1], &y[2])
                : k == 4 ? cp_csr_sum_duplicates(x[0], x[1], x[2], &y[0], &y[1], &y[2])
                : k == 5 ? cp_csr_sort(x[0], x[1], x[2], ROWS, &y[0], &y[1], &y[2])
                         : cp_csr_canonical(a.values, a.index, zero, COLUMNS, 1, &y[0], &y[1], &y[2]);
            good = good && code == CP_OK;
        }
    }
    cp_scope_end(scope);
    return good;
}
static void test_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(dev)) every_allocation_fails(make_everything);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operations), cmocka_unit_test(test_errors),
                                       cmocka_unit_test(test_allocations)};
    return check_run(tests);
}
