/* Eigenvalues of general sparse matrices: beside cp_eigvals of the dense matrices, known spectra, and by their
 * definition; pairs that k divides, spaces that products do not leave, matrices without enough eigenvectors, memory. */
#include <complex.h>

#include "check_sparse.h"

typedef double complex number;
static double bound_of(cp_type t) { return is_single(t) ? 2e-4 : 1e-12; }
static void read_numbers(cp_array *x, int64_t n, number *to)
{
    ok(x);
    assert_int_equal(cp_size(x), n);
    cp_array *wide = cp_astype(x, CP_COMPLEX128);
    ok(cp_to_host(wide, to, (size_t)n * sizeof *to) == CP_OK);
}
/* How much an eigenvalue is wanted, less for more. */
static double rank(number w, cp_sparse_which which, bool real)
{
    const double up = real ? fabs(cimag(w)) : cimag(w);
    return which == CP_SPARSE_LM   ? -cabs(w)
           : which == CP_SPARSE_SM ? cabs(w)
           : which == CP_SPARSE_LR ? -creal(w)
           : which == CP_SPARSE_SR ? creal(w)
           : which == CP_SPARSE_LI ? -up
                                   : up;
}
static const cp_sparse_which WHICH[] = {CP_SPARSE_LM, CP_SPARSE_SM, CP_SPARSE_LR,
                                        CP_SPARSE_SR, CP_SPARSE_LI, CP_SPARSE_SI};

/* a v = v diag(w), columns of length 1. */
static void check_pairs(cp_array *a, cp_array *w, cp_array *v, double bound)
{
    check_below(largest(cp_subtract(cp_matmul(a, v), cp_multiply(v, w))), bound);
    cp_array *sizes = cp_sum(cp_multiply(cp_absolute(v), cp_absolute(v)), .axis = CP_AXES(0));
    check_below(largest(cp_subtract(sizes, cp_float(1))), bound);
}
/* Are these k of the n eigenvalues, each another one, as much wanted as the k most wanted, in this order? */
static void check_wanted(const number *w, int k, const number *all, int n, cp_sparse_which which, bool real,
                         double bound)
{
    double ranks[MOST];
    bool taken[MOST] = {false};
    for (int i = 0; i < n; i++) {
        int at = i;
        for (; at > 0 && ranks[at - 1] > rank(all[i], which, real); at--) ranks[at] = ranks[at - 1];
        ranks[at] = rank(all[i], which, real);
    }
    for (int i = 0; i < k; i++) {
        int near = -1;
        for (int j = 0; j < n; j++)
            if (!taken[j] && (near < 0 || cabs(all[j] - w[i]) < cabs(all[near] - w[i]))) near = j;
        taken[near] = true;
        check_below(cabs(all[near] - w[i]), bound);
        check_below(fabs(rank(w[i], which, real) - ranks[i]), bound);
    }
}

static void test_wanted(void **state)
{
    (void)state;
    enum { N = 40 };
    for (FOR_DEVICES(d))
        for (FOR_TYPES(t))
            for (int i = 0; i < 6; i++)
                for (int k = 1; k <= 4; k += 3)
                    for (CP_SCOPE) {
                        seed = 61 + (uint64_t)(10 * i + k);
                        const bool real = !is_complex(TYPES[t]), inside = i == 1 || i == 5;
                        /* restarts, but for values inside of the spectrum, of which they may miss one */
                        const int64_t few = inside ? N : 26;
                        cp_array *a = dense_of(N, N, 1, TYPES[t]), *w, *v, *alone;
                        number all[N], got[4];
                        cp_sparse_eigen_report r;
                        read_numbers(cp_eigvals(cp_astype(a, real ? CP_FLOAT64 : CP_COMPLEX128)), N, all);
                        cp_sparse *s = cp_sparse_from_dense(a, i % 2 ? CP_SPARSE_CSC : CP_SPARSE_COO);
                        ok(cp_sparse_eigs(s, &w, &v, .k = k, .which = WHICH[i], .ncv = few, .report = &r) == CP_OK);
                        assert_int_equal(r.found, k);
                        assert_int_equal(cp_type_of(w), is_single(TYPES[t]) ? CP_COMPLEX64 : CP_COMPLEX128);
                        assert_int_equal(cp_type_of(v), cp_type_of(w));
                        assert_true(cp_dim(v, 0) == N && cp_dim(v, 1) == k && r.products >= few);
                        read_numbers(w, k, got);
                        check_wanted(got, k, all, N, WHICH[i], real, 100 * bound_of(TYPES[t]));
                        check_pairs(a, w, v, 10 * bound_of(TYPES[t]));
                        dense f = dense_map(a);
                        const cp_sparse_map map = map_of(&f);
                        ok(cp_sparse_eigs(NULL, &alone, NULL, .k = k, .which = WHICH[i], .map = &map, .ncv = few + 4,
                                          .v0 = vector_of(N, TYPES[t]), .maxiter = 3000, .report = &r) == CP_OK);
                        assert_int_equal(r.products, f.calls);
                        read_numbers(alone, k, got);
                        check_wanted(got, k, all, N, WHICH[i], real, 100 * bound_of(TYPES[t]));
                        cp_sparse_free(s);
                    }
}
/* Pairs x +- iy in the rows of a matrix that mixes them with others above. */
static cp_array *of_pairs(int n, const double *x, const double *y, cp_type type)
{
    static double a[MOST * MOST];
    for (int i = 0; i < 4 * n * n; i++) a[i] = i / (2 * n) < i % (2 * n) ? drawn() / 4 : 0;
    for (int i = 0; i < n; i++) {
        double *block = a + 2 * i * (2 * n + 1);
        block[0] = block[2 * n + 1] = x[i], block[1] = y[i], block[2 * n] = -y[i];
    }
    return cp_astype(cp_from_host(a, CP_FLOAT64, CP_SHAPE(2 * n, 2 * n), NULL), type);
}
/* Of a pair that k divides the upper one is there; others are complete, the upper one first, vectors conjugate. */
static void test_pairs(void **state)
{
    (void)state;
    enum { PAIRS = 15 };
    double x[PAIRS], y[PAIRS];
    for (int i = 0; i < PAIRS; i++) x[i] = 0.05 * i, y[i] = i < 4 ? 5 - i : 0.3 + 0.01 * i;
    for (FOR_DEVICES(d))
        for (int t = 0; t < 2; t++)
            for (int k = 1; k <= 5; k++)
                for (CP_SCOPE) {
                    seed = 71;
                    cp_array *a = of_pairs(PAIRS, x, y, TYPES[t]), *w, *v;
                    cp_sparse *s = cp_sparse_from_dense(a, CP_SPARSE_CSR);
                    number got[5];
                    for (int i = 0; i < 2; i++) { /* magnitudes, imaginary parts with few vectors */
                        ok(cp_sparse_eigs(s, &w, &v, .k = k, .which = i ? CP_SPARSE_LI : CP_SPARSE_LM,
                                          .ncv = i ? k + 2 : 0, .maxiter = 2000) == CP_OK);
                        read_numbers(w, k, got);
                        for (int j = 0; j < k; j++)
                            check_below(cabs(got[j] - CMPLX(x[j / 2], j % 2 ? -y[j / 2] : y[j / 2])),
                                        10 * bound_of(TYPES[t]));
                        check_pairs(a, w, v, 10 * bound_of(TYPES[t]));
                        if (k < 2) continue;
                        cp_array *first = cp_slice(v, CP_ITEMS(CP_FULL, CP_AT(0)));
                        cp_array *second = cp_slice(v, CP_ITEMS(CP_FULL, CP_AT(1)));
                        check_below(largest(cp_subtract(cp_conjugate(first), second)), 0);
                    }
                    cp_sparse_free(s);
                }
}
static cp_array *solved(void *context, cp_array *x) { return cp_solve(context, x); }
/* Near a number, of complex elements a complex one too: by a function that solves, with the matrix and without it. */
static void test_near_a_number(void **state)
{
    (void)state;
    enum { N = 40, K = 4 };
    for (FOR_DEVICES(d))
        for (FOR_TYPES(t))
            for (CP_SCOPE) {
                seed = 81;
                const bool real = !is_complex(TYPES[t]);
                const number sigma = CMPLX(0.3, real ? 0 : -0.8);
                cp_array *a = dense_of(N, N, 1, TYPES[t]), *w, *v;
                cp_array *eye = cp_eye(N, N, 0, TYPES[t]), *at = real ? cp_float(0.3) : cp_complex(0.3, -0.8);
                number all[N], got[K], turned_about[N], back[K];
                read_numbers(cp_eigvals(cp_astype(a, real ? CP_FLOAT64 : CP_COMPLEX128)), N, all);
                for (int i = 0; i < N; i++) turned_about[i] = 1 / (all[i] - sigma);
                const cp_sparse_map inverse = {N, N, TYPES[t], solved, NULL, cp_subtract(a, cp_multiply(eye, at))};
                cp_sparse *matrix = cp_sparse_from_dense(a, CP_SPARSE_CSR);
                for (int i = 0; i < 2; i++) {
                    ok(cp_sparse_eigs(i ? NULL : matrix, &w, &v, .k = K, .sigma = 0.3, .sigma_im = cimag(sigma),
                                      .inverse = &inverse) == CP_OK);
                    read_numbers(w, K, got);
                    for (int k = 0; k < K; k++) back[k] = 1 / (got[k] - sigma);
                    check_wanted(back, K, turned_about, N, CP_SPARSE_LM, real, 1000 * bound_of(TYPES[t]));
                    check_pairs(a, w, v, 100 * bound_of(TYPES[t]));
                }
                cp_sparse_free(matrix);
            }
}
/* Spaces that products do not leave, and matrices without enough eigenvectors. */
static void test_few_vectors(void **state)
{
    (void)state;
    enum { N = 14 };
    for (FOR_DEVICES(d))
        for (FOR_TYPES(t))
            for (CP_SCOPE) {
                cp_array *eye = cp_eye(N, N, 0, TYPES[t]), *w, *v;
                cp_array *shift = cp_eye(N, N, 1, TYPES[t]), *ring = cp_copy(shift);
                cp_array *none = cp_zeros_like(eye, TYPES[t]), *first = cp_copy(none);
                ok(cp_assign(cp_slice(ring, CP_ITEMS(CP_AT(-1), CP_AT(0))), cp_float(1)) == CP_OK);
                ok(cp_assign(cp_slice(first, CP_ITEMS(CP_FULL, CP_AT(0))), cp_float(2)) == CP_OK);
                cp_array *jordan = cp_add(cp_multiply(eye, cp_float(2)), shift);
                cp_array *const all[] = {none, cp_multiply(eye, cp_float(7)), shift, ring, first, jordan};
                /* an eigenvalue that n vectors share is known to the n-th root of rounding */
                const double far = pow(is_single(TYPES[t]) ? 0x1p-23 : 0x1p-52, 1.0 / N) * 2;
                const double near = 10 * bound_of(TYPES[t]), bounds[] = {near, near, far, near, near, far};
                for (int i = 0; i < 6; i++)
                    for (int k = 1; k <= 4; k++) {
                        cp_sparse *s = cp_sparse_from_dense(all[i], CP_SPARSE_CSR);
                        number got[4];
                        const int64_t ncv = k % 2 && bounds[i] < far && i != 3 ? k + 4 : 0; /* else as many as rows */
                        ok(cp_sparse_eigs(s, &w, &v, .k = k, .which = CP_SPARSE_LR, .ncv = ncv,
                                          .v0 = k == 3 ? cp_slice(eye, CP_ITEMS(CP_AT(0))) : NULL) == CP_OK);
                        read_numbers(w, k, got);
                        for (int j = 0; j < k; j++) {
                            const double turn = 3.14159265358979323846 / N * ((j + 1) / 2) * (j % 2 ? 2 : -2);
                            const number want[] = {0, 7, 0, CMPLX(cos(turn), sin(turn)), j ? 0 : 2, 2};
                            if (i != 3 || !is_complex(TYPES[t])) check_below(cabs(got[j] - want[i]), bounds[i]);
                            else check_below(fabs(creal(got[j] - want[i])), bounds[i]); /* of equal ranks */
                        }
                        check_pairs(all[i], w, v, near);
                        cp_sparse_free(s);
                    }
            }
}
/* First vectors whose elements have no squares in their type. */
static void test_starts(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (FOR_TYPES(t))
            for (int large = 0; large < 2; large++)
                for (CP_SCOPE) {
                    cp_array *i = cp_arange(1, 31, 1, TYPES[t]), *w, *line[1] = {i};
                    cp_array *diagonal = cp_stack(1, line, 0);
                    cp_sparse *s = cp_sparse_from_diagonals(30, 30, diagonal, 1, (int64_t[]){0}, CP_SPARSE_CSR);
                    const double scale = is_single(TYPES[t]) ? (large ? 1e36 : 1e-36) : large ? 1e300 : 1e-300;
                    cp_array *v0 = cp_multiply(i, cp_float(scale));
                    ok(cp_sparse_eigs(s, &w, NULL, .k = 2, .v0 = v0) == CP_OK);
                    near_values(cp_astype(cp_real_part(w), CP_FLOAT64), 30 * bound_of(TYPES[t]), 30, 29);
                    ok(cp_sparse_eigsh(s, &w, NULL, .k = 2, .v0 = v0) == CP_OK);
                    near_values(cp_astype(w, CP_FLOAT64), 30 * bound_of(TYPES[t]), 29, 30);
                    cp_sparse_free(s);
                }
}
/* Matrices whose elements have no squares in their type. */
static void test_scales(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (FOR_TYPES(t))
            for (int large = 0; large < 2; large++)
                for (CP_SCOPE) {
                    const int power = is_single(TYPES[t]) ? 100 : 990;
                    const double scale = ldexp(1, large ? power : -power);
                    cp_array *w, *s, *line[1] = {cp_multiply(cp_arange(1, 31, 1, TYPES[t]), cp_float(scale))};
                    cp_array *diagonal = cp_stack(1, line, 0);
                    cp_sparse *a = cp_sparse_from_diagonals(30, 30, diagonal, 1, (int64_t[]){0}, CP_SPARSE_CSR);
                    ok(cp_sparse_eigs(a, &w, NULL, .k = 2) == CP_OK);
                    near_values(cp_divide(cp_astype(cp_real_part(w), CP_FLOAT64), cp_float(scale)),
                                100 * bound_of(TYPES[t]), 30, 29);
                    ok(cp_sparse_eigsh(a, &w, NULL, .k = 2) == CP_OK);
                    near_values(cp_divide(cp_astype(w, CP_FLOAT64), cp_float(scale)), 100 * bound_of(TYPES[t]), 29, 30);
                    ok(cp_sparse_svds(a, NULL, &s, NULL, .k = 2) == CP_OK);
                    near_values(cp_divide(cp_astype(s, CP_FLOAT64), cp_float(scale)), 100 * bound_of(TYPES[t]), 29, 30);
                    cp_sparse_free(a);
                }
}
/* What has not converged is not returned; a long matrix, of which a restart replaces several blocks of columns. */
static void test_restarts(void **state)
{
    (void)state;
    enum { N = 300000 };
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *i = cp_arange(0, 400, 1, CP_FLOAT64), *w, *v, *line[1] = {i};
            cp_sparse *s = cp_sparse_from_diagonals(400, 400, cp_stack(1, line, 0), 1, (int64_t[]){0}, CP_SPARSE_CSR);
            cp_sparse_eigen_report r;
            ok(cp_sparse_eigs(s, &w, &v, .k = 5, .maxiter = 1, .which = CP_SPARSE_SR, .report = &r) == CP_OK);
            assert_true(r.iterations == 2 && r.found < 5);
            assert_true(cp_size(w) == r.found && cp_dim(v, 1) == r.found && cp_dim(v, 0) == 400);
            ok(cp_sparse_eigs(s, &w, &v, .k = 5, .report = &r) == CP_OK);
            assert_true(r.iterations > 2);
            near_values(cp_real_part(w), 1e-10, 399, 398, 397, 396, 395);
            cp_sparse_free(s);
            cp_array *one = cp_ones(CP_SHAPE(N), CP_FLOAT64), *first = cp_slice(one, CP_ITEMS(CP_RANGE(0, 4)));
            ok(cp_assign(first, doubles(9, 8, 7, 6)) == CP_OK);
            line[0] = one;
            s = cp_sparse_from_diagonals(N, N, cp_stack(1, line, 0), 1, (int64_t[]){0}, CP_SPARSE_DIA);
            ok(cp_sparse_eigs(s, &w, &v, .k = 2, .ncv = 4, .report = &r) == CP_OK);
            near_values(cp_real_part(w), 1e-12, 9, 8);
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
static void test_wrong_arguments(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_sparse *a = cp_sparse_from_dense(cp_eye(9, 9, 0, CP_FLOAT64), CP_SPARSE_CSR);
            cp_sparse *wide = cp_sparse_from_dense(cp_eye(2, 3, 0, CP_FLOAT64), CP_SPARSE_CSR);
            cp_sparse *small = cp_sparse_from_dense(cp_eye(2, 2, 0, CP_FLOAT64), CP_SPARSE_CSR);
            cp_array *w = NULL, *v = NULL;
            const cp_sparse_map other = {8, 8, CP_FLOAT64, solved, NULL, NULL};
            const cp_sparse_map none = {9, 9, CP_FLOAT64, NULL, NULL, NULL};
            const cp_sparse_map fits = {9, 9, CP_FLOAT64, solved, NULL, cp_eye(9, 9, 0, CP_FLOAT64)};
            refuses(cp_sparse_eigs(wide, &w, &v, .k = 1), "sparse_eigs: a must be square, not (2, 3)");
            refuses(cp_sparse_eigs(small, &w, &v, .k = 1), "sparse_eigs: a must have at least 3 rows, not 2");
            refuses(cp_sparse_eigs(a, &w, &v, .k = 8), "sparse_eigs: k must be 1 to 7, not 8");
            refuses(cp_sparse_eigs(a, &w, &v, .k = -1), "sparse_eigs: k must be 1 to 7, not -1");
            refuses(cp_sparse_eigs(a, &w, &v, .k = 3, .ncv = 4), "sparse_eigs: ncv must be above k + 1, not 4");
            for (int i = CP_SPARSE_LA; i <= CP_SPARSE_BE; i++)
                refuses(cp_sparse_eigs(a, &w, &v, .which = (cp_sparse_which)i),
                        "sparse_eigs: which must be LM, SM, LR, SR, LI or SI");
            refuses(cp_sparse_eigs(a, &w, &v, .which = (cp_sparse_which)(CP_SPARSE_SI + 1)),
                    "sparse_eigs: which must be LM, SM, LR, SR, LI or SI");
            refuses(cp_sparse_eigsh(a, &w, &v, .which = CP_SPARSE_LR), "sparse_eigsh: there is no which 5");
            refuses(cp_sparse_eigs(a, &w, &v, .k = 3, .sigma = 2),
                    "sparse_eigs: sigma needs inverse, which solves (a - sigma) y = x");
            refuses(cp_sparse_eigs(a, &w, &v, .k = 3, .sigma_im = NAN, .inverse = &fits),
                    "sparse_eigs: sigma needs inverse, which solves (a - sigma) y = x");
            refuses(cp_sparse_eigs(a, &w, &v, .k = 3, .sigma_im = 1, .inverse = &fits),
                    "sparse_eigs: sigma must be real where a is");
            refuses(cp_sparse_eigsh(a, &w, &v, .k = 3, .sigma_im = 1, .inverse = &fits),
                    "sparse_eigsh: sigma must be real");
            refuses(cp_sparse_eigs(a, &w, &v, .k = 3, .inverse = &other), "sparse_eigs: inverse must have a's shape");
            refuses(cp_sparse_eigs(a, &w, &v, .k = 3, .map = &fits), "sparse_eigs: a and map exclude each other");
            refuses(cp_sparse_eigs(NULL, &w, &v, .k = 3, .map = &none), "sparse_eigs: map needs multiply");
            const cp_sparse_map typeless = {9, 9, (cp_type)99, solved, NULL, NULL};
            refuses(cp_sparse_eigs(NULL, &w, &v, .k = 3, .map = &typeless), "sparse_eigs: there is no type 99");
            const int64_t beyond = (INT64_C(1) << 61) + 1; /* of float64 it is 8 bytes and a turn of size_t */
            const cp_sparse_map huge = {beyond, beyond, CP_FLOAT64, solved, NULL, NULL};
            assert_int_equal(cp_sparse_eigs(NULL, &w, &v, .k = 3, .map = &huge), CP_ERROR_MEMORY);
            failed(CP_ERROR_MEMORY);
            assert_int_equal(cp_sparse_eigsh(NULL, &w, &v, .k = 3, .map = &huge), CP_ERROR_MEMORY);
            failed(CP_ERROR_MEMORY);
            refuses(cp_sparse_eigs(a, &w, &v, .v0 = doubles(1, 2)), "sparse_eigs: v0 must be 1-D and have 9 elements");
            refuses(cp_sparse_eigs(a, &w, &v, .v0 = cp_zeros(CP_SHAPE(9), CP_FLOAT64)),
                    "sparse_eigs: v0 must be finite and not 0");
            refuses(cp_sparse_eigs(a, &w, &v, .tol = -1), "sparse_eigs: tol must not be negative, and finite");
            refuses(cp_sparse_eigs(a, &w, &v, .tol = NAN), "sparse_eigs: tol must not be negative, and finite");
            refuses(cp_sparse_eigs(a, &w, &v, .maxiter = -1), "sparse_eigs: maxiter must not be negative");
            refuses(cp_sparse_eigs(a, NULL, &v, .k = 1), "sparse_eigs: an argument is NULL");
            refuses(cp_sparse_eigs(NULL, &w, &v, .k = 1), "sparse_eigs: an argument is NULL");
            cp_sparse_free(a);
            a = cp_sparse_from_dense(cp_full(CP_SHAPE(9, 9), CP_FLOAT64, cp_float(NAN)), CP_SPARSE_CSR);
            refuses(cp_sparse_eigs(a, &w, &v, .k = 2), "sparse_eigs: products must be finite");
            assert_true(!w && !v);
            cp_sparse_free(a), cp_sparse_free(wide), cp_sparse_free(small);
        }
}

static bool body(void)
{
    cp_scope *scope = cp_scope_begin();
    if (!scope) return false;
    cp_array *x = doubles(4, 1, 0, 2, 1, 4, 1, 0, 0, -3, 5, 1, 2, 0, 0, 3), *w = NULL, *v = NULL;
    cp_sparse *a = cp_sparse_from_dense(x ? cp_reshape(x, CP_SHAPE(4, 4)) : NULL, CP_SPARSE_CSR);
    cp_array *start = x ? cp_slice(x, CP_ITEMS(CP_RANGE(0, 4))) : NULL;
    const bool all = start && cp_sparse_eigs(a, &w, &v, .k = 1, .ncv = 3, .v0 = start) == CP_OK;
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
        cmocka_unit_test(test_wanted), cmocka_unit_test(test_pairs), cmocka_unit_test(test_near_a_number),
        cmocka_unit_test(test_few_vectors), cmocka_unit_test(test_starts), cmocka_unit_test(test_scales),
        cmocka_unit_test(test_restarts),
        cmocka_unit_test(test_wrong_arguments), cmocka_unit_test(test_allocations)};
    return check_run(tests);
}
