/* Linear algebra from C: values, errors, and that every allocation may fail. Accuracy is tested from Python. */
#include "check.h"

#include <math.h>

static cp_array *matrix(void) { return cp_from_host((double[]){4, 1, 1, 3}, CP_FLOAT64, CP_SHAPE(2, 2), NULL); }
static cp_array *many(void) /* 20 of these, which the small kernels take */
{
    cp_array *a = matrix(), *v = cp_broadcast_to(a, CP_SHAPE(20, 2, 2)), *r = v ? cp_copy(v) : NULL;
    cp_free(a), cp_free(v);
    return r;
}

/* Skips the test, with a message, if the machine has no LAPACK. */
static void need_lapack(void)
{
    cp_array *a = matrix(), *w = cp_eigvals(a);
    bool none = !w && cp_error() == CP_ERROR_UNSUPPORTED;
    if (none) {
        print_message("%s\n", cp_error_message());
        cp_error_clear();
    }
    cp_free(w), cp_free(a);
    if (none) skip();
}

static void near(cp_array *x, double wanted)
{
    ok(x);
    assert_true(fabs(cp_item_float(x) - wanted) < 1e-12 * (1 + fabs(wanted)));
    cp_free(x);
}

static void calls(void **state)
{
    (void)state;
    need_lapack();
    for (FOR_DEVICES(d)) {
        cp_array *a = matrix(), *b = doubles(6, 7), *u, *s, *vt, *q, *r, *x;
        near(cp_det(a), 11);
        ok(x = cp_solve(a, b));
        near(cp_slice(x, CP_ITEMS(CP_AT(0))), 1);
        near(cp_slice(x, CP_ITEMS(CP_AT(1))), 2);
        cp_free(x);
        near(cp_norm(a), sqrt(27));
        near(cp_norm(a, .kind = CP_NORM_NUMBER, .p = 1), 5);
        assert_int_equal(cp_svd(a, &u, &s, &vt, .full = false), CP_OK);
        near(cp_sum(s), 7); /* a is symmetric and positive: its eigenvalues */
        assert_int_equal(cp_qr(a, &q, &r), CP_OK);
        x = cp_matmul(q, r);
        near(cp_slice(x, CP_ITEMS(CP_AT(1), CP_AT(0))), 1);
        cp_free(u), cp_free(s), cp_free(vt), cp_free(q), cp_free(r), cp_free(x), cp_free(b), cp_free(a);
    }
}

static void errors(void **state)
{
    (void)state;
    need_lapack();
    for (FOR_DEVICES(d)) {
        cp_array *zero = cp_zeros(CP_SHAPE(2, 2), CP_FLOAT64), *line = doubles(1, 2), *u = line, *s = line;
        cp_array *half = cp_zeros(CP_SHAPE(2, 2), CP_FLOAT16), *x = cp_inv(zero);
        double out[4];
        if (x) cp_to_host(x, out, sizeof out); /* reported on reading, at the latest */
        failed(CP_ERROR_LINALG);
        cp_free(x);
        assert_null(cp_inv(line));
        failed(CP_ERROR_LINALG);
        assert_null(cp_inv(half));
        failed(CP_ERROR_TYPE);
        assert_null(cp_inv(NULL));
        failed(CP_ERROR_VALUE);
        assert_int_not_equal(cp_svd(line, &u, &s, &u), CP_OK);
        assert_null(u);
        assert_null(s);
        failed(CP_ERROR_LINALG);
        assert_int_not_equal(cp_qr(zero, &u, &s, .mode = (cp_qr_mode)9), CP_OK);
        failed(CP_ERROR_VALUE);
        assert_null(cp_solve_triangular(zero, line, .trans = 7));
        failed(CP_ERROR_VALUE);
        assert_null(cp_multi_dot(1, &zero));
        failed(CP_ERROR_VALUE);
        cp_free(zero), cp_free(line), cp_free(half);
    }
}

/* A result with a NULL destination is not leaked. */
static void unwanted(void **state)
{
    (void)state;
    need_lapack();
    for (FOR_DEVICES(d)) {
        cp_array *a = matrix(), *x = NULL, *lone[3] = {a, NULL, a};
        int64_t live = 0;
        for (int i = 0; i < 6; i++) {
            cp_array **to = i % 2 ? &x : NULL;
            assert_int_equal(cp_device_synchronize(CP_CURRENT), CP_OK);
            if (i == 2) live = cp_test_live(); /* caches are filled */
            assert_int_equal(cp_slogdet(a, to, NULL), CP_OK), cp_free(x), x = NULL;
            assert_int_equal(cp_qr(a, NULL, to), CP_OK), cp_free(x), x = NULL;
            assert_int_equal(cp_svd(a, to, NULL, NULL), CP_OK), cp_free(x), x = NULL;
            assert_int_equal(cp_svd(a, NULL, NULL, to), CP_OK), cp_free(x), x = NULL;
            assert_int_equal(cp_eigh(a, NULL, to), CP_OK), cp_free(x), x = NULL;
            assert_int_equal(cp_eig(a, to, NULL), CP_OK), cp_free(x), x = NULL;
            assert_int_equal(cp_schur(a, NULL, to, .sort = CP_SCHUR_LHP), CP_OK), cp_free(x), x = NULL;
            assert_int_equal(cp_lu_factor(a, NULL, to), CP_OK), cp_free(x), x = NULL;
            assert_int_equal(cp_lu_rows(a, to, NULL), CP_OK), cp_free(x), x = NULL;
            assert_int_equal(cp_lstsq(a, a, NULL, to, NULL, NULL, NULL), CP_OK), cp_free(x), x = NULL;
        }
        assert_int_equal(cp_device_synchronize(CP_CURRENT), CP_OK);
        assert_int_equal(cp_test_live(), live);
        assert_null(cp_block_diag(3, lone));
        failed(CP_ERROR_VALUE);
        cp_free(a);
    }
}

/* Results of a call: all of them or none. */
static bool done(cp_code code, int n, cp_array **x)
{
    bool good = code == CP_OK;
    for (int i = 0; i < n; i++) {
        good = good && x[i];
        cp_free(x[i]);
        x[i] = NULL;
    }
    return good;
}
static bool one(cp_array *x) { return done(CP_OK, 1, &x); }

/* Schur's form with all eigenvalues chosen. */
static bool chosen_first(cp_array *a)
{
    cp_array *w = cp_eigvals(a), *chosen = w ? cp_isfinite(w) : NULL, *x[3] = {NULL};
    bool good = chosen && done(cp_schur(a, &x[0], &x[1], .chosen = chosen, .sdim = &x[2]), 3, x);
    cp_free(w), cp_free(chosen);
    return good;
}

static bool factors(cp_array *a)
{
    cp_array *x[4] = {NULL};
    return one(cp_solve(a, a)) && one(cp_inv(a)) && one(cp_det(a)) && one(cp_cholesky(a, .upper = true)) &&
           done(cp_slogdet(a, &x[0], &x[1]), 2, x) && done(cp_qr(a, &x[0], &x[1]), 2, x) &&
           done(cp_svd(a, &x[0], &x[1], &x[2], .full = true), 3, x) && one(cp_svdvals(a)) &&
           done(cp_eigh(a, &x[0], &x[1]), 2, x) && one(cp_eigvalsh(a)) && done(cp_eig(a, &x[0], &x[1]), 2, x) &&
           one(cp_eigvals(a)) &&
           done(cp_schur(a, &x[0], &x[1], .sort = CP_SCHUR_LHP, .sdim = &x[2]), 3, x) &&
           chosen_first(a) &&
           done(cp_lu_factor(a, &x[0], &x[1]), 2, x) &&
           done(cp_lu_rows(a, &x[0], &x[1]), 2, x) && one(cp_solve_triangular(a, a, .lower = true));
}
static bool body(void)
{
    cp_array *a = matrix(), *b = many();
    bool good = a && b && factors(a) && factors(b);
    cp_free(a), cp_free(b);
    return good;
}
static bool composites(void)
{
    cp_array *a = matrix(), *line = a ? cp_ravel(a) : NULL, *x[4] = {NULL}, *three[3] = {a, a, a};
    bool good = line && one(cp_norm(a, .kind = CP_NORM_NUCLEAR)) && one(cp_cond(a, .kind = CP_NORM_FROBENIUS)) &&
                one(cp_matrix_rank(a, .hermitian = true)) && one(cp_hermitian(a)) && one(cp_pinv(a)) &&
                one(cp_expm(a)) && one(cp_matrix_power(a, -5)) && one(cp_cho_solve(a, a, .lower = true)) &&
                one(cp_invh(a)) &&
                one(cp_multi_dot(3, three)) && done(cp_lstsq(a, a, NULL, &x[0], &x[1], &x[2], &x[3]), 4, x) &&
                one(cp_toeplitz(line)) && one(cp_circulant(line)) && one(cp_companion(line)) && one(cp_dft(3)) &&
                one(cp_block_diag(3, three)) && one(cp_tensorinv(a, 1)) && one(cp_helmert(3)) && one(cp_hadamard(4));
    cp_free(line), cp_free(a);
    return good;
}

static void allocations(void **state)
{
    (void)state;
    need_lapack();
    for (FOR_DEVICES(d)) {
        every_allocation_fails(body);
        every_allocation_fails(composites);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls),
        cmocka_unit_test(errors),
        cmocka_unit_test(unwanted),
        cmocka_unit_test(allocations),
    };
    return check_run(tests);
}
