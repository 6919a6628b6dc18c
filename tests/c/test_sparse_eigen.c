/* Eigenvalues of Hermitian sparse matrices, singular values, the exponential's action, the estimate of a norm: beside
 * cp_eigh, cp_svd, cp_expm and norms of the dense matrices, and by their definition; few vectors, all of them, NaN,
 * memory. */
#include "check_sparse.h"

/* A Hermitian matrix. */
static cp_array *hermitian(int64_t n, cp_type type)
{
    cp_array *half = dense_of(n, n, 1, type);
    return cp_add(half, turned(half));
}
static double bound_of(cp_type t) { return is_single(t) ? 2e-4 : 1e-11; }

/* Numbers of the k eigenvalues that are wanted of n that ascend, ascending. */
static void wanted(const double *w, int n, int k, cp_sparse_which which, double *out)
{
    bool taken[MOST] = {false};
    for (int i = 0; i < k; i++) {
        int best = -1;
        for (int j = 0; j < n; j++) {
            if (taken[j]) continue;
            const double now = w[j], then = best < 0 ? 0 : w[best];
            const bool better = best < 0                                   ? true
                              : which == CP_SPARSE_LM                      ? fabs(now) > fabs(then)
                              : which == CP_SPARSE_SM                      ? fabs(now) < fabs(then)
                              : which == CP_SPARSE_SA                      ? now < then
                              : which == CP_SPARSE_BE && i % 2             ? now < then
                                                                           : now > then;
            if (better) best = j;
        }
        taken[best] = true;
    }
    for (int j = 0, i = 0; j < n; j++)
        if (taken[j]) out[i++] = w[j];
}
/* a v = v diag(w), and v^H v = 1. */
static void check_pairs(cp_array *a, cp_array *w, cp_array *v, double bound)
{
    check_below(largest(cp_subtract(cp_matmul(a, v), cp_multiply(v, w))), bound);
    check_below(largest(cp_subtract(cp_matmul(turned(v), v), cp_eye(cp_size(w), cp_size(w), 0, CP_FLOAT64))), bound);
}
static void eigenvalues_of(cp_array *a, double *to)
{
    cp_array *w = cp_eigvalsh(cp_astype(a, is_complex(cp_type_of(a)) ? CP_COMPLEX128 : CP_FLOAT64));
    ok(cp_to_host(w, to, (size_t)cp_size(w) * sizeof *to) == CP_OK);
}

static void test_eigenvalues(void **state)
{
    (void)state;
    enum { N = 55 };
    for (FOR_DEVICES(d))
        for (FOR_TYPES(t))
            for (int which = CP_SPARSE_LM; which <= CP_SPARSE_BE; which++)
                for (int k = 1; k <= 5; k += 2)
                    for (CP_SCOPE) {
                        seed = 31 + (uint64_t)k;
                        cp_array *a = hermitian(N, TYPES[t]), *w, *v, *alone;
                        double all[N], want[5];
                        cp_sparse_eigen_report r;
                        eigenvalues_of(a, all);
                        wanted(all, N, k, (cp_sparse_which)which, want);
                        cp_sparse *s = cp_sparse_from_dense(a, which % 2 ? CP_SPARSE_CSC : CP_SPARSE_COO);
                        ok(cp_sparse_eigsh(s, &w, &v, .k = k, .which = (cp_sparse_which)which, .report = &r) == CP_OK);
                        assert_int_equal(r.found, k);
                        assert_int_equal(cp_type_of(w), is_single(TYPES[t]) ? CP_FLOAT32 : CP_FLOAT64);
                        assert_int_equal(cp_type_of(v), TYPES[t]);
                        assert_true(cp_dim(v, 0) == N && cp_dim(v, 1) == k && r.products >= N / 3);
                        check_near(cp_astype(w, CP_FLOAT64), 10 * bound_of(TYPES[t]), k, want);
                        check_pairs(a, w, v, 10 * bound_of(TYPES[t]));
                        dense f = dense_map(a);
                        const cp_sparse_map map = map_of(&f);
                        ok(cp_sparse_eigsh(NULL, &alone, NULL, .k = k, .which = (cp_sparse_which)which, .map = &map,
                                           .ncv = k + 8, .v0 = vector_of(N, TYPES[t]), .maxiter = 3000) == CP_OK);
                        check_near(cp_astype(alone, CP_FLOAT64), 10 * bound_of(TYPES[t]), k, want);
                        cp_sparse_free(s);
                    }
}
typedef struct shifted { cp_array *a; int calls; } shifted;
static cp_array *solved(void *context, cp_array *x)
{
    shifted *s = context;
    s->calls++;
    return cp_solve(s->a, x);
}
/* Near a number: by a function that solves, with the matrix and without it. */
static void test_near_a_number(void **state)
{
    (void)state;
    enum { N = 40, K = 4 };
    for (FOR_DEVICES(d))
        for (FOR_TYPES(t))
            for (CP_SCOPE) {
                seed = 41;
                cp_array *a = hermitian(N, TYPES[t]), *w, *v;
                const double sigma = 0.3;
                double all[N], far[N], want[K];
                eigenvalues_of(a, all);
                for (int i = 0; i < N; i++) far[i] = fabs(all[i] - sigma);
                for (int i = 0; i < K; i++) { /* the K nearest, ascending */
                    int best = 0;
                    for (int j = 0; j < N; j++)
                        if (far[j] < far[best]) best = j;
                    want[i] = all[best], far[best] = 1e9;
                    for (int j = i; j > 0 && want[j] < want[j - 1]; j--) {
                        const double one = want[j];
                        want[j] = want[j - 1], want[j - 1] = one;
                    }
                }
                shifted s = {cp_subtract(a, cp_multiply(cp_eye(N, N, 0, TYPES[t]), cp_float(sigma))), 0};
                const cp_sparse_map inverse = {N, N, TYPES[t], solved, NULL, &s};
                cp_sparse *matrix = cp_sparse_from_dense(a, CP_SPARSE_CSR);
                for (int i = 0; i < 2; i++) {
                    ok(cp_sparse_eigsh(i ? NULL : matrix, &w, &v, .k = K, .sigma = sigma, .inverse = &inverse) ==
                       CP_OK);
                    check_near(cp_astype(w, CP_FLOAT64), 10 * bound_of(TYPES[t]), K, want);
                    check_pairs(a, w, v, 10 * bound_of(TYPES[t]));
                }
                assert_true(s.calls >= 20);
                cp_sparse_free(matrix);
            }
}
/* Spaces that products do not leave: multiples of one, few different values, 0; all values; one element. */
static void test_few_different_eigenvalues(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *w, *v, *eye = cp_multiply(cp_eye(30, 30, 0, CP_FLOAT64), cp_float(7));
            cp_sparse *s = cp_sparse_from_dense(eye, CP_SPARSE_CSR);
            ok(cp_sparse_eigsh(s, &w, &v, .k = 3) == CP_OK);
            near_values(w, 1e-13, 7, 7, 7);
            check_pairs(eye, w, v, 1e-13);
            cp_sparse_free(s);
            double x[36] = {0}, want[6] = {-2, -2, 1, 1, 1, 5};
            for (int i = 0; i < 6; i++) x[7 * i] = want[5 - i];
            cp_array *a = cp_from_host(x, CP_FLOAT64, CP_SHAPE(6, 6), NULL);
            s = cp_sparse_from_dense(a, CP_SPARSE_CSR);
            for (int k = 1; k <= 6; k++) { /* up to all of them, with a basis of as many */
                double few[6];
                wanted(want, 6, k, CP_SPARSE_LA, few);
                ok(cp_sparse_eigsh(s, &w, &v, .k = k, .which = CP_SPARSE_LA) == CP_OK);
                check_near(w, 1e-13, k, few);
                check_pairs(a, w, v, 1e-13);
            }
            ok(cp_sparse_eigsh(s, &w, NULL) == CP_OK); /* k: 6 */
            check_near(w, 1e-13, 6, want);
            cp_sparse_free(s);
            s = cp_sparse_from_dense(cp_zeros(CP_SHAPE(9, 9), CP_FLOAT64), CP_SPARSE_CSR);
            ok(cp_sparse_eigsh(s, &w, &v, .k = 2) == CP_OK);
            values(w, 0, 0);
            check_pairs(cp_zeros(CP_SHAPE(9, 9), CP_FLOAT64), w, v, 1e-14);
            cp_sparse_free(s);
            s = cp_sparse_from_dense(cp_from_host((double[]){-3}, CP_FLOAT64, CP_SHAPE(1, 1), NULL), CP_SPARSE_CSR);
            ok(cp_sparse_eigsh(s, &w, &v, .k = 1) == CP_OK);
            values(w, -3);
            values(cp_absolute(v), 1);
            cp_sparse_free(s);
        }
}
/* What has not converged is not returned; a long matrix, of which a restart replaces several blocks of columns. */
static void test_restarts_of_lanczos(void **state)
{
    (void)state;
    enum { N = 600000 };
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *i = cp_arange(0, 400, 1, CP_FLOAT64), *w, *v, *line[1] = {i};
            cp_sparse *s = cp_sparse_from_diagonals(400, 400, cp_stack(1, line, 0), 1, (int64_t[]){0}, CP_SPARSE_CSR);
            cp_sparse_eigen_report r;
            ok(cp_sparse_eigsh(s, &w, &v, .k = 5, .maxiter = 1, .which = CP_SPARSE_SA, .report = &r) == CP_OK);
            assert_true(r.iterations == 2 && r.found < 5);
            assert_true(cp_size(w) == r.found && cp_dim(v, 1) == r.found && cp_dim(v, 0) == 400);
            ok(cp_sparse_eigsh(s, &w, &v, .k = 5, .report = &r) == CP_OK);
            assert_true(r.iterations > 2);
            near_values(w, 1e-10, 395, 396, 397, 398, 399);
            cp_sparse_free(s);
            cp_array *one = cp_ones(CP_SHAPE(N), CP_FLOAT64), *first = cp_slice(one, CP_ITEMS(CP_RANGE(0, 4)));
            ok(cp_assign(first, doubles(9, 8, 7, 6)) == CP_OK);
            line[0] = one;
            s = cp_sparse_from_diagonals(N, N, cp_stack(1, line, 0), 1, (int64_t[]){0}, CP_SPARSE_DIA);
            ok(cp_sparse_eigsh(s, &w, &v, .k = 2, .ncv = 4, .report = &r) == CP_OK);
            near_values(w, 1e-12, 8, 9);
            assert_true(r.iterations > 1);
            check_below(largest(cp_subtract(cp_sparse_dot(s, v), cp_multiply(v, w))), 1e-12);
            cp_sparse_free(s);
        }
}
#define refuses(call, text)                          \
    do {                                             \
        assert_int_equal((call), CP_ERROR_VALUE);    \
        failed_with(CP_ERROR_VALUE, text);           \
    } while (0)
static void test_wrong_eigenvalues(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_sparse *a = cp_sparse_from_dense(cp_eye(9, 9, 0, CP_FLOAT64), CP_SPARSE_CSR);
            cp_sparse *wide = cp_sparse_from_dense(cp_eye(2, 3, 0, CP_FLOAT64), CP_SPARSE_CSR);
            cp_array *w = NULL, *v = NULL, *u = NULL;
            refuses(cp_sparse_eigsh(wide, &w, &v, .k = 1), "sparse_eigsh: a must be square, not (2, 3)");
            refuses(cp_sparse_eigsh(a, &w, &v, .k = 10), "sparse_eigsh: k must be 1 to 9, not 10");
            refuses(cp_sparse_eigsh(a, &w, &v, .k = -1), "sparse_eigsh: k must be 1 to 9, not -1");
            refuses(cp_sparse_svds(wide, &u, &w, &v, .k = 3), "sparse_svds: k must be 1 to 2, not 3");
            refuses(cp_sparse_svds(a, &u, &w, &v, .which = CP_SPARSE_LA), "sparse_svds: which must be LM or SM");
            refuses(cp_sparse_svds(a, &u, &w, &v, .sigma = 1), "sparse_svds: sigma and inverse are cp_sparse_eigsh's");
            refuses(cp_sparse_eigsh(a, &w, &v, .k = 3, .ncv = 3), "sparse_eigsh: ncv must be above k, not 3");
            refuses(cp_sparse_eigsh(a, &w, &v, .k = 3, .sigma = 2),
                    "sparse_eigsh: sigma needs inverse, which solves (a - sigma) y = x");
            refuses(cp_sparse_eigsh(a, &w, &v, .v0 = doubles(1, 2)),
                    "sparse_eigsh: v0 must be 1-D and have 9 elements");
            refuses(cp_sparse_eigsh(a, &w, &v, .v0 = cp_zeros(CP_SHAPE(9), CP_FLOAT64)),
                    "sparse_eigsh: v0 must be finite and not 0");
            refuses(cp_sparse_eigsh(a, &w, &v, .tol = -1), "sparse_eigsh: tol must not be negative, and finite");
            refuses(cp_sparse_eigsh(a, &w, &v, .maxiter = -1), "sparse_eigsh: maxiter must not be negative");
            refuses(cp_sparse_eigsh(a, NULL, &v, .k = 1), "sparse_eigsh: an argument is NULL");
            refuses(cp_sparse_eigsh(NULL, &w, &v, .k = 1), "sparse_eigsh: an argument is NULL");
            cp_sparse_free(a);
            cp_array *nan = cp_full(CP_SHAPE(9, 9), CP_FLOAT64, cp_float(NAN));
            a = cp_sparse_from_dense(nan, CP_SPARSE_CSR);
            refuses(cp_sparse_eigsh(a, &w, &v, .k = 2), "sparse_eigsh: products must be finite");
            refuses(cp_sparse_svds(a, &u, &w, &v, .k = 2), "sparse_svds: products must be finite");
            assert_true(!w && !v && !u);
            cp_sparse_free(a), cp_sparse_free(wide);
        }
}

/* --- singular values --- */

static void test_singular_values(void **state)
{
    (void)state;
    const int64_t shapes[3][2] = {{40, 25}, {25, 40}, {30, 30}};
    for (FOR_DEVICES(d))
        for (FOR_TYPES(t))
            for (int i = 0; i < 6; i++)
                for (CP_SCOPE) {
                    enum { K = 3 };
                    const int64_t m = shapes[i / 2][0], n = shapes[i / 2][1], short_side = m < n ? m : n;
                    const bool least = i % 2;
                    seed = 51 + (uint64_t)i;
                    cp_array *a = dense_of(m, n, 4, TYPES[t]), *u, *s, *vh, *alone;
                    cp_array *all = cp_svdvals(cp_astype(a, is_complex(TYPES[t]) ? CP_COMPLEX128 : CP_FLOAT64));
                    double sizes[MOST], want[K];
                    ok(cp_to_host(all, sizes, (size_t)short_side * sizeof *sizes) == CP_OK);
                    for (int k = 0; k < K; k++) want[k] = least ? sizes[short_side - 1 - k] : sizes[K - 1 - k];
                    cp_sparse *matrix = cp_sparse_from_dense(a, CP_SPARSE_CSR);
                    const cp_sparse_which which = least ? CP_SPARSE_SM : CP_SPARSE_LM;
                    ok(cp_sparse_svds(matrix, &u, &s, &vh, .k = K, .which = which, .maxiter = 2000) == CP_OK);
                    assert_int_equal(cp_type_of(u), TYPES[t]);
                    assert_true(cp_dim(u, 0) == m && cp_dim(vh, 1) == n && cp_size(s) == K);
                    /* small ones come of the square, whose rounding is that of the largest */
                    const double bound = least ? (is_single(TYPES[t]) ? 2e-2 : 1e-7) : 10 * bound_of(TYPES[t]);
                    check_near(cp_astype(s, CP_FLOAT64), bound, K, want);
                    check_below(largest(cp_subtract(cp_matmul(a, turned(vh)), cp_multiply(u, s))), bound);
                    check_below(largest(cp_subtract(cp_matmul(turned(u), a),
                                                    cp_multiply(cp_reshape(s, CP_SHAPE(K, 1)), vh))), bound);
                    dense f = dense_map(a);
                    const cp_sparse_map map = map_of(&f);
                    ok(cp_sparse_svds(NULL, NULL, &alone, NULL, .k = K, .which = which, .maxiter = 2000, .map = &map) ==
                       CP_OK);
                    check_near(cp_astype(alone, CP_FLOAT64), bound, K, want);
                    ok(cp_sparse_svds(NULL, NULL, &alone, &vh, .k = 1, .map = &map) == CP_OK);
                    check_below(fabs(largest(cp_matmul(vh, turned(vh))) - 1), bound);
                    cp_sparse_free(matrix);
                }
}

/* --- blocks --- */

static cp_array *inverse_of(void *context, cp_array *x) { return cp_matmul(context, x); }

/* The extreme values of a matrix, of a pair of matrices, of those orthogonal to known vectors; preconditioned. */
static void test_blocks(void **state)
{
    (void)state;
    enum { N = 50, K = 3 };
    for (FOR_DEVICES(d))
        for (FOR_TYPES(t))
            for (int i = 0; i < 8; i++)
                for (CP_SCOPE) {
                    seed = 81 + (uint64_t)i;
                    const bool smallest = i % 2, pair = i / 2 % 2, known = i / 4 % 2;
                    const cp_type type = TYPES[t], wide = is_complex(type) ? CP_COMPLEX128 : CP_FLOAT64;
                    cp_array *eye = cp_eye(N, N, 0, type), *half = dense_of(N, N, 0, type);
                    cp_array *line = cp_astype(cp_reshape(cp_arange(1, N + 1, 1, CP_FLOAT64), CP_SHAPE(1, N)), type);
                    cp_array *a = cp_add(cp_add(half, turned(half)), cp_multiply(cp_multiply(eye, line), cp_float(3)));
                    cp_array *quarter = cp_multiply(dense_of(N, N, 0, type), cp_float(0.05));
                    cp_array *b = pair ? cp_add(cp_matmul(quarter, turned(quarter)), eye) : eye;
                    /* eigenvalues of l^-1 a l^-H with b = l l^H */
                    cp_array *inverse = cp_inv(cp_cholesky(cp_astype(b, wide)));
                    cp_array *plain = cp_matmul(cp_matmul(inverse, cp_astype(a, wide)), turned(inverse));
                    cp_array *all = NULL, *vectors = NULL, *w, *v;
                    ok(cp_eigh(plain, &all, &vectors) == CP_OK);
                    double sizes[N], want[K];
                    ok(cp_to_host(all, sizes, sizeof sizes) == CP_OK);
                    const int skipped = known ? 2 : 0;
                    for (int k = 0; k < K; k++) want[k] = smallest ? sizes[k + skipped] : sizes[N - 1 - k - skipped];
                    const cp_index out[2] = {CP_FULL, smallest ? CP_RANGE(0, 2) : CP_RANGE(N - 2, N)};
                    cp_array *y = cp_astype(cp_matmul(turned(inverse), cp_slice(vectors, 2, out)), type);
                    cp_sparse *s = cp_sparse_from_dense(a, CP_SPARSE_CSR), *sb = cp_sparse_from_dense(b, CP_SPARSE_CSC);
                    cp_array *near = cp_multiply(eye, cp_float(smallest ? 20 : 220)); /* near a or the other end */
                    near = cp_inv(smallest ? cp_add(near, a) : cp_subtract(near, a));
                    cp_sparse *m = cp_sparse_from_dense(near, CP_SPARSE_CSR);
                    dense f = dense_map(a);
                    const cp_sparse_map map = map_of(&f);
                    cp_sparse_lobpcg_report r;
                    const double bound = is_single(type) ? 2e-2 : 1e-8;
                    for (int how = 0; how < 3; how++) {
                        cp_sparse_lobpcg_options o = {.b = pair ? sb : NULL, .y = known ? y : NULL, .tol = bound,
                                                      .maxiter = 400, .smallest = smallest, .report = &r};
                        if (how == 1) o.m = m;
                        if (how == 2) o.map = &map, o.apply = inverse_of, o.context = near;
                        cp_array *x = dense_of(N, K, 1, type);
                        ok((cp_sparse_lobpcg)(how == 2 ? NULL : s, x, &w, &v, &o) == CP_OK);
                        assert_true(r.converged && r.residual <= bound && r.iterations > 2);
                        assert_int_equal(cp_type_of(v), type);
                        assert_int_equal(cp_type_of(w), is_single(type) ? CP_FLOAT32 : CP_FLOAT64);
                        check_near(cp_astype(w, CP_FLOAT64), is_single(type) ? 2e-3 : 1e-10, K, want);
                        cp_array *bv = cp_matmul(b, v), *left = cp_subtract(cp_matmul(a, v), cp_multiply(bv, w));
                        check_below(largest(left), 1.1 * bound);
                        cp_array *gram = cp_subtract(cp_matmul(turned(v), bv), cp_eye(K, K, 0, CP_FLOAT64));
                        check_below(largest(gram), is_single(type) ? 1e-4 : 1e-10);
                        if (known) check_below(largest(cp_matmul(turned(y), bv)), is_single(type) ? 1e-3 : 1e-9);
                    }
                    assert_true(f.calls > 2);
                    cp_sparse_free(s), cp_sparse_free(sb), cp_sparse_free(m);
                }
}
/* All eigenvalues, one element, equal ones, 0, few steps, what is refused. */
static void test_small_blocks(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            seed = 91;
            cp_array *a = hermitian(5, CP_FLOAT64), *w = NULL, *v = NULL;
            double all[5];
            eigenvalues_of(a, all);
            cp_sparse *s = cp_sparse_from_dense(a, CP_SPARSE_COO);
            ok(cp_sparse_lobpcg(s, dense_of(5, 5, 1, CP_FLOAT64), &w, &v, .smallest = true) == CP_OK);
            check_near(w, 1e-12, 5, all);
            check_pairs(a, w, v, 1e-12);
            cp_sparse_lobpcg_report r;
            cp_array *one = dense_of(5, 1, 1, CP_FLOAT64);
            ok(cp_sparse_lobpcg(s, one, &w, NULL, .tol = 1e-300, .maxiter = 1, .report = &r) == CP_OK);
            assert_true(r.iterations == 1 && !r.converged && r.residual > 0);
            cp_array *x = cp_ones(CP_SHAPE(5, 2), CP_FLOAT64);
            w = NULL;
            refuses(cp_sparse_lobpcg(s, x, &w, &v),
                    "sparse_lobpcg: x must have linearly independent columns, and b be positive definite");
            refuses(cp_sparse_lobpcg(s, doubles(1, 2, 3, 4, 5), &w, &v),
                    "sparse_lobpcg: x must be 2-D and have 5 rows, and 1 to 5 columns");
            refuses(cp_sparse_lobpcg(s, x, &w, &v, .y = dense_of(5, 4, 1, CP_FLOAT64)),
                    "sparse_lobpcg: y must be 2-D and have 5 rows, and at most 3 columns");
            refuses(cp_sparse_lobpcg(s, x, &w, &v, .tol = NAN), "sparse_lobpcg: tol must not be NaN");
            refuses(cp_sparse_lobpcg(s, x, NULL, &v), "sparse_lobpcg: an argument is NULL");
            cp_array *nan = cp_full(CP_SHAPE(5, 2), CP_FLOAT64, cp_float(NAN));
            refuses(cp_sparse_lobpcg(s, nan, &w, &v), "sparse_lobpcg: products must be finite");
            assert_null(w);
            cp_sparse_free(s);
            const double line[] = {4, 4, 4, 4, 2};
            cp_array *of_line = cp_from_host(line, CP_FLOAT64, CP_SHAPE(1, 5), NULL);
            cp_array *equal = cp_multiply(cp_eye(5, 5, 0, CP_FLOAT64), of_line);
            s = cp_sparse_from_dense(equal, CP_SPARSE_CSR);
            ok(cp_sparse_lobpcg(s, dense_of(5, 2, 1, CP_FLOAT64), &w, &v, .report = &r) == CP_OK);
            near_values(w, 1e-6, 4, 4);
            assert_true(r.converged);
            cp_sparse_free(s);
            s = cp_sparse_from_dense(cp_zeros(CP_SHAPE(4, 4), CP_FLOAT64), CP_SPARSE_CSR);
            ok(cp_sparse_lobpcg(s, dense_of(4, 2, 1, CP_FLOAT64), &w, &v) == CP_OK);
            values(w, 0, 0);
            cp_sparse_free(s);
            s = cp_sparse_from_dense(cp_from_host((double[]){-3}, CP_FLOAT64, CP_SHAPE(1, 1), NULL), CP_SPARSE_CSR);
            ok(cp_sparse_lobpcg(s, cp_ones(CP_SHAPE(1, 1), CP_FLOAT64), &w, &v) == CP_OK);
            near_values(w, 1e-15, -3);
            cp_sparse_free(s);
        }
}

/* --- norms, the exponential --- */

static double norm_1(cp_array *a)
{
    return cp_item_float(cp_max(cp_sum(cp_astype(cp_absolute(a), CP_FLOAT64), .axis = CP_AXES(0))));
}
static void test_estimates_of_norms(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (FOR_TYPES(t))
            for (int64_t n = 1; n <= 60; n += n < 4 ? 1 : 7)
                for (int64_t columns = 1; columns <= 3; columns++)
                    for (CP_SCOPE) {
                        seed = (uint64_t)(61 + n);
                        cp_array *a = dense_of(n, n, 1, TYPES[t]), *v, *w;
                        const bool positive = n % 2; /* of such the second round finds the norm */
                        if (positive) a = cp_astype(cp_absolute(a), TYPES[t]);
                        cp_sparse *s = cp_sparse_from_dense(a, CP_SPARSE_CSC);
                        const double exact = norm_1(a), eps = is_single(TYPES[t]) ? 1e-5 : 1e-13;
                        const double found = cp_item_float(cp_sparse_onenormest(s, .t = columns, .v = &v, .w = &w));
                        assert_true(found <= exact * (1 + eps) && found >= exact / 3);
                        if (positive) assert_true(found >= exact * (1 - eps));
                        check_below(largest(cp_subtract(cp_matmul(a, v), w)), eps * exact);
                        check_below(fabs(length(v) - 1), 0);
                        if (columns > 1) check_below(fabs(cp_item_float(cp_sum(cp_absolute(w))) - found), eps * exact);
                        dense f = dense_map(a);
                        const cp_sparse_map map = map_of(&f);
                        check_below(fabs(cp_item_float(cp_sparse_onenormest(NULL, .t = columns, .map = &map)) - found),
                                    eps * exact);
                        assert_true(f.calls > 0);
                        cp_sparse_free(s);
                    }
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_sparse *a = cp_sparse_from_dense(cp_zeros(CP_SHAPE(9, 9), CP_FLOAT64), CP_SPARSE_CSR);
            values(cp_sparse_onenormest(a), 0);
            fails(cp_sparse_onenormest(a, .t = -1), CP_ERROR_VALUE, "sparse_onenormest: t must be 1 to 65536");
            fails(cp_sparse_onenormest(a, .itmax = 1), CP_ERROR_VALUE, "sparse_onenormest: itmax must be 2 to 65536");
            cp_sparse_free(a);
            a = cp_sparse_from_dense(cp_full(CP_SHAPE(9, 9), CP_FLOAT64, cp_float(NAN)), CP_SPARSE_CSR);
            values(cp_sparse_onenormest(a), NAN);
            cp_sparse_free(a);
            a = cp_sparse_from_dense(cp_eye(2, 3, 0, CP_FLOAT64), CP_SPARSE_CSR);
            fails(cp_sparse_onenormest(a), CP_ERROR_VALUE, "sparse_onenormest: a must be square, not (2, 3)");
            cp_sparse_free(a);
        }
}
/* exp(t a) b of the dense exponential, in double precision. */
static cp_array *exponential(cp_array *a, cp_array *b, double t)
{
    const cp_type type = is_complex(cp_type_of(a)) ? CP_COMPLEX128 : CP_FLOAT64;
    return cp_matmul(cp_expm(cp_multiply(cp_astype(a, type), cp_float(t))), cp_astype(b, type));
}
static void test_exponentials(void **state)
{
    (void)state;
    enum { N = 40 };
    for (FOR_DEVICES(d))
        for (FOR_TYPES(t))
            for (int k = 0; k < 4; k++) /* a vector, 2 and 30 columns, a large norm */
                for (CP_SCOPE) {
                    seed = 71 + (uint64_t)k;
                    cp_array *a = dense_of(N, N, -1, TYPES[t]), *b = vector_of(N, TYPES[t]);
                    if (k == 1 || k == 2) b = dense_of(N, k == 1 ? 2 : 30, 0, TYPES[t]);
                    if (k == 3) a = cp_multiply(a, cp_float(5));
                    const double bound = is_single(TYPES[t]) ? 1e-4 : 1e-11;
                    cp_sparse *s = cp_sparse_from_dense(a, CP_SPARSE_COO);
                    cp_array *want = exponential(a, b, 1), *x = cp_sparse_expm_multiply(s, b);
                    ok(x);
                    assert_int_equal(cp_type_of(x), TYPES[t]);
                    check_below(largest(cp_subtract(x, want)), bound * largest(want));
                    dense f = dense_map(a);
                    const cp_sparse_map map = map_of(&f);
                    cp_array *trace = cp_sum(cp_diagonal(a, 0, 0, 1));
                    x = cp_sparse_expm_multiply(NULL, b, .trace = k % 2 ? trace : NULL, .map = &map);
                    check_below(largest(cp_subtract(x, want)), 10 * bound * largest(want));
                    for (int open = 0; open < 2; open++) {
                        const int num = 4;
                        x = cp_sparse_expm_multiply(s, b, .start = k == 1 ? 0 : -0.25, .stop = 0.5, .num = num,
                                                    .open = open);
                        ok(x);
                        assert_int_equal(cp_type_of(x), is_complex(TYPES[t]) ? CP_COMPLEX128 : CP_FLOAT64);
                        assert_true(cp_ndim(x) == cp_ndim(b) + 1 && cp_dim(x, 0) == num);
                        const double start = k == 1 ? 0 : -0.25, step = (0.5 - start) / (open ? num : num - 1);
                        for (int i = 0; i < num; i++) {
                            want = exponential(a, b, start + i * step);
                            check_below(largest(cp_subtract(cp_slice(x, CP_ITEMS(CP_AT(i))), want)),
                                        1e-11 * largest(want) * (k == 3 ? 1e3 : 10));
                        }
                    }
                    cp_sparse_free(s);
                }
}
static void test_special_exponentials(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            const double nilpotent[] = {0, 1, 0, 0};
            cp_sparse *a = cp_sparse_from_dense(cp_from_host(nilpotent, CP_FLOAT64, CP_SHAPE(2, 2), NULL),
                                                CP_SPARSE_CSR);
            values(cp_sparse_expm_multiply(a, doubles(0, 2)), 2, 2);
            values(cp_sparse_expm_multiply(a, ints(0, 2)), 2, 2);
            values(cp_sparse_expm_multiply(a, doubles(0, 2), .start = 1, .stop = 3, .num = 3), 2, 2, 4, 2, 6, 2);
            cp_array *none = cp_zeros(CP_SHAPE(2, 0), CP_FLOAT64);
            assert_int_equal(cp_dim(cp_sparse_expm_multiply(a, none), 1), 0);
            assert_int_equal(cp_dim(cp_sparse_expm_multiply(a, none, .stop = 1, .num = 3), 0), 3);
            fails(cp_sparse_expm_multiply(a, doubles(1, 2, 3)), CP_ERROR_VALUE,
                  "sparse_expm_multiply: b must be 1-D or 2-D and have 2 rows, as a has columns");
            fails(cp_sparse_expm_multiply(a, doubles(1, 2), .num = 1), CP_ERROR_VALUE,
                  "sparse_expm_multiply: num must be at least 2, not 1");
            fails(cp_sparse_expm_multiply(a, doubles(1, 2), .stop = 1), CP_ERROR_VALUE,
                  "sparse_expm_multiply: start, stop and open need num");
            fails(cp_sparse_expm_multiply(a, doubles(1, 2), .trace = cp_float(1)), CP_ERROR_VALUE,
                  "sparse_expm_multiply: trace must be 0-D, and is that of a map");
            cp_sparse_free(a);
            a = cp_sparse_from_dense(cp_zeros(CP_SHAPE(3, 3), CP_FLOAT64), CP_SPARSE_CSR);
            values(cp_sparse_expm_multiply(a, doubles(1, NAN, 3)), 1, NAN, 3);
            cp_sparse_free(a);
            a = cp_sparse_from_dense(cp_from_host((double[]){2}, CP_FLOAT64, CP_SHAPE(1, 1), NULL), CP_SPARSE_CSR);
            near_values(cp_sparse_expm_multiply(a, doubles(3)), 1e-14, 3 * exp(2));
            cp_sparse_free(a);
            a = cp_sparse_from_dense(cp_full(CP_SHAPE(3, 3), CP_FLOAT64, cp_float(NAN)), CP_SPARSE_CSR);
            fails(cp_sparse_expm_multiply(a, doubles(1, 2, 3)), CP_ERROR_VALUE,
                  "sparse_expm_multiply: the 1-norm of a must be finite");
            cp_sparse_free(a);
            a = cp_sparse_from_dense(cp_eye(2, 3, 0, CP_FLOAT64), CP_SPARSE_CSR);
            fails(cp_sparse_expm_multiply(a, doubles(1, 2, 3)), CP_ERROR_VALUE,
                  "sparse_expm_multiply: a must be square, not (2, 3)");
            cp_sparse_free(a);
        }
}

/* --- memory --- */

static bool body(void)
{
    cp_scope *scope = cp_scope_begin();
    if (!scope) return false;
    cp_array *x = doubles(4, 1, 0, 1, 4, 1, 0, 1, 5), *w = NULL, *v = NULL, *u = NULL, *s = NULL, *vh = NULL;
    cp_sparse *a = cp_sparse_from_dense(x ? cp_reshape(x, CP_SHAPE(3, 3)) : NULL, CP_SPARSE_CSR);
    bool all = cp_sparse_eigsh(a, &w, &v, .k = 1, .ncv = 2) == CP_OK;
    all &= cp_sparse_svds(a, &u, &s, &vh, .k = 2) == CP_OK;
    cp_array *b = doubles(1, 2, 3), *estimate = cp_sparse_onenormest(a, .v = &v, .w = &w);
    cp_array *start = x ? cp_slice(cp_reshape(x, CP_SHAPE(3, 3)), CP_ITEMS(CP_FULL, CP_RANGE(0, 1))) : NULL;
    all &= cp_sparse_lobpcg(a, start, &w, &v, .b = a, .m = a, .maxiter = 2, .tol = 1e-300) == CP_OK;
    all &= estimate && v && w && cp_sparse_expm_multiply(a, b) && cp_sparse_expm_multiply(a, b, .stop = 1, .num = 2);
    cp_sparse_free(a);
    cp_scope_end(scope);
    return all;
}
static void test_allocations(void **state)
{
    (void)state;
    every_allocation_fails(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eigenvalues), cmocka_unit_test(test_near_a_number),
        cmocka_unit_test(test_few_different_eigenvalues), cmocka_unit_test(test_restarts_of_lanczos),
        cmocka_unit_test(test_wrong_eigenvalues), cmocka_unit_test(test_singular_values),
        cmocka_unit_test(test_blocks), cmocka_unit_test(test_small_blocks),
        cmocka_unit_test(test_estimates_of_norms), cmocka_unit_test(test_exponentials),
        cmocka_unit_test(test_special_exponentials), cmocka_unit_test(test_allocations)};
    return check_run(tests);
}
