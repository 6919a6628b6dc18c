/* Least squares, systems by methods that keep vectors, of sparse matrices and of functions that multiply by one: beside
 * dense solutions, residuals by their definition and SciPy's numbers; singular systems, NaN, memory. */
#include "check_sparse.h"

/* --- least squares --- */

typedef cp_array *(*least)(cp_sparse *, cp_array *, const cp_sparse_least_options *);
static const least LEAST[] = {cp_sparse_lsqr, cp_sparse_lsmr};

/* x of the normal equations (a^H a + damp^2) x = a^H b, in double precision. */
static cp_array *normal_solution(cp_array *a, cp_array *b, double damp)
{
    const cp_type type = is_complex(cp_type_of(a)) ? CP_COMPLEX128 : CP_FLOAT64;
    a = cp_astype(a, type), b = cp_astype(b, type);
    cp_array *eye = cp_multiply(cp_eye(cp_dim(a, 1), cp_dim(a, 1), 0, type), cp_float(damp * damp));
    return cp_solve(cp_add(cp_matmul(turned(a), a), eye), cp_matmul(turned(a), b));
}
static void check_least(int k, cp_array *x, cp_array *want, cp_array *a, cp_array *b, double damp,
                        const cp_sparse_least_report *r, double bound)
{
    check_below(largest(cp_subtract(x, want)), bound);
    cp_array *left = cp_subtract(b, cp_matmul(a, x));
    const double plain = length(left), both = hypot(plain, damp * length(x));
    assert_true(r->stop >= 1 && r->stop <= 6 && r->iterations > 2);
    check_below(fabs(r->damped - both), 10 * bound);
    check_below(fabs(r->residual - (k ? both : plain)), 10 * bound);
    check_below(fabs(r->size - length(x)), (k ? 1 : 100) * bound);
    cp_array *normal = cp_subtract(cp_matmul(turned(a), left), cp_multiply(x, cp_float(damp * damp)));
    check_below(fabs(r->normal - length(normal)), 10 * bound);
}
static void test_least_squares(void **state)
{
    (void)state;
    const int64_t shapes[4][2] = {{40, 25}, {25, 25}, {57, 3}, {1, 1}};
    for (FOR_DEVICES(d))
        for (int k = 0; k < 2; k++)
            for (FOR_TYPES(t))
                for (int i = 0; i < 4; i++)
                    for (CP_SCOPE) {
                        const int64_t m = shapes[i][0], n = shapes[i][1];
                        const double bound = is_single(TYPES[t]) ? 2e-4 : 1e-10;
                        seed = 3 + (uint64_t)i;
                        cp_array *a = dense_of(m, n, 3, TYPES[t]), *b = vector_of(m, TYPES[t]), *x[4], *v[2];
                        cp_sparse *s = cp_sparse_from_dense(a, i % 2 ? CP_SPARSE_COO : CP_SPARSE_CSR);
                        cp_sparse_least_report r[4];
                        const double eps = is_single(TYPES[t]) ? 1e-7 : 1e-14;
                        for (int damped = 0; damped < 2; damped++) {
                            const double damp = damped ? 0.7 : 0;
                            cp_array *want = normal_solution(a, b, damp);
                            for (int e = 0; e < 2; e++) { /* looks at other times: the same steps and bits */
                                const cp_sparse_least_options o = {.damp = damp, .atol = eps, .btol = eps,
                                    .maxiter = 300, .every = e * 7, .variances = k ? NULL : &v[e], .report = &r[e]};
                                x[e] = LEAST[k](s, b, &o);
                                ok(x[e]);
                                assert_int_equal(cp_type_of(x[e]), TYPES[t]);
                                if (n > 2) check_least(k, x[e], want, a, b, damp, &r[e], bound);
                                else check_below(largest(cp_subtract(x[e], want)), bound);
                            }
                            assert_true(cp_array_equal(x[0], x[1], false) == 1);
                            assert_int_equal(r[0].iterations, r[1].iterations);
                            assert_true(r[0].residual == r[1].residual && r[0].condition == r[1].condition);
                            assert_true(r[1].looks <= r[1].iterations / 7 + 2);
                            if (!k) assert_true(cp_array_equal(v[0], v[1], false) == 1);
                        }
                        dense f = dense_map(a);
                        const cp_sparse_map map = map_of(&f);
                        const cp_sparse_least_options by_map = {.damp = 0.7, .atol = eps, .btol = eps, .maxiter = 300,
                                                                .map = &map};
                        check_below(largest(cp_subtract(LEAST[k](NULL, b, &by_map), x[1])), bound);
                        assert_true(f.calls > 1);
                        cp_sparse_free(s);
                    }
}
/* Estimated variances are the diagonal of the inverse when all steps are made, and so are the norms. */
static void test_variances(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            const double dense[] = {2, 0, 1, 0, 3, 0, 1, 0, 4, 1, 1, 0};
            cp_array *a = cp_from_host(dense, CP_FLOAT64, CP_SHAPE(4, 3), NULL);
            cp_array *var, *b = doubles(1, 2, 3, 4);
            cp_sparse *s = cp_sparse_from_dense(a, CP_SPARSE_CSC);
            cp_sparse_least_report r;
            ok(cp_sparse_lsqr(s, b, .atol = 1e-15, .btol = 1e-15, .conlim = -1, .maxiter = 3, .variances = &var,
                              .report = &r));
            cp_array *inverse = cp_inv(cp_matmul(turned(a), a));
            check_below(largest(cp_subtract(var, cp_diagonal(inverse, 0, 0, 1))), 1e-12);
            assert_int_equal(r.iterations, 3);
            /* SciPy 1.17: lsqr(a, b, atol=1e-15, btol=1e-15, conlim=0, iter_lim=3), and with damp = 0.5, 1e-3, 1e-3 */
            assert_true(r.stop == 2 && fabs(r.norm - 5.7445626465380295) < 1e-13);
            check_below(fabs(r.residual - 2.6422220725290826), 1e-14);
            check_below(fabs(r.condition - 3.891011294740858), 1e-12);
            check_below(fabs(r.size - 1.3566869370474781), 1e-13);
            const double x[] = {0.86155853, 0.89155527, 0.45395066};
            for (int k = 0; k < 2; k++) {
                const cp_sparse_least_options o = {.damp = 0.5, .atol = 1e-3, .btol = 1e-3, .report = &r};
                check_near(LEAST[k](s, b, &o), 1e-8, 3, x);
                assert_true(r.stop == 2 && r.iterations == 3);
                check_below(fabs(r.residual - (k ? 2.725630579970791 : 2.6444764674886776)), 1e-13);
                check_below(fabs(r.damped - 2.725630579970791), 1e-13);
                check_below(fabs(r.norm - (k ? 5.744562646538029 : 5.809475019311125)), 1e-13);
                check_below(fabs(r.condition - (k ? 2.2707848879019825 : 3.8254633966215685)), 1e-12);
                check_below(fabs(r.size - 1.3203124953896581), 1e-13);
            }
            cp_sparse_free(s);
        }
}
/* A begin that is given, b = 0, a = 0, few steps, no solution, NaN. */
static void test_least_squares_that_stop(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (int k = 0; k < 2; k++)
            for (CP_SCOPE) {
                seed = 11;
                cp_array *a = dense_of(12, 8, 2, CP_FLOAT64), *b = vector_of(12, CP_FLOAT64), *x;
                cp_array *x0 = vector_of(8, CP_FLOAT64), *zero = cp_zeros(CP_SHAPE(8), CP_FLOAT64);
                cp_sparse *s = cp_sparse_from_dense(a, CP_SPARSE_CSR);
                cp_sparse_least_report r;
                cp_array *want = normal_solution(a, b, 0);
                x = LEAST[k](s, b, &(cp_sparse_least_options){.x0 = x0, .atol = 1e-14, .btol = 1e-14, .maxiter = 50});
                check_below(largest(cp_subtract(x, want)), 1e-11);
                x = LEAST[k](s, b, &(cp_sparse_least_options){.x0 = want, .report = &r});
                check_below(largest(cp_subtract(x, want)), 1e-11);
                x = LEAST[k](s, cp_matmul(a, x0), &(cp_sparse_least_options){.x0 = x0, .report = &r});
                check_below(largest(cp_subtract(x, x0)), 1e-13);
                x = LEAST[k](s, b, &(cp_sparse_least_options){.maxiter = 2, .report = &r});
                assert_int_equal(r.iterations, 2);
                assert_int_equal(r.stop, 7);
                x = LEAST[k](s, b, &(cp_sparse_least_options){.conlim = 1.01, .atol = -1, .btol = -1, .report = &r});
                assert_int_equal(r.stop, 3);
                x = LEAST[k](s, cp_zeros(CP_SHAPE(12), CP_FLOAT64), &(cp_sparse_least_options){.report = &r});
                assert_true(cp_array_equal(x, zero, false) == 1 && r.stop == 0 && r.iterations == 0 && r.residual == 0);
                cp_sparse_free(s);
                s = cp_sparse_from_dense(cp_zeros(CP_SHAPE(12, 8), CP_FLOAT64), CP_SPARSE_CSR);
                x = LEAST[k](s, b, &(cp_sparse_least_options){.report = &r});
                assert_true(cp_array_equal(x, zero, false) == 1 && r.stop == 0 && r.normal == 0);
                check_below(fabs(r.residual - length(b)), 1e-14);
                cp_sparse_free(s);
                /* of rank 1: the shortest solution; 3 columns are the same */
                s = cp_sparse_from_dense(cp_ones(CP_SHAPE(4, 3), CP_FLOAT64), CP_SPARSE_CSR);
                x = LEAST[k](s, doubles(1, 2, 3, 6), &(cp_sparse_least_options){.report = &r});
                near_values(x, 1e-15, 1, 1, 1);
                assert_true(r.stop == 2 && fabs(r.residual - sqrt(14)) < 1e-14);
                cp_sparse_free(s);
                /* more columns than rows: the shortest solution too */
                s = cp_sparse_from_dense(cp_from_host((double[]){1, 2, 2}, CP_FLOAT64, CP_SHAPE(1, 3), NULL),
                                         CP_SPARSE_CSR);
                near_values(LEAST[k](s, doubles(9), NULL), 1e-14, 1, 2, 2);
                x = LEAST[k](s, doubles(NAN), &(cp_sparse_least_options){.report = &r});
                ok(x);
                assert_true(isnan(cp_item_float(cp_sum(x))) && r.stop != 1 && r.stop != 2);
                cp_sparse_free(s);
                s = cp_sparse_from_dense(cp_from_host((double[]){1, NAN, 2}, CP_FLOAT64, CP_SHAPE(3, 1), NULL),
                                         CP_SPARSE_CSR);
                ok(LEAST[k](s, doubles(1, 2, 3), &(cp_sparse_least_options){.report = &r}));
                assert_true(r.stop != 1 && r.stop != 2);
                cp_sparse_free(s);
            }
}
/* Numbers that vanish or leave the range on the way; x and steps are SciPy 1.17's, which are NaN where these are. */
static void test_numbers_that_vanish(void **state)
{
    (void)state;
    const struct { int k, m, n; double a[4], b[2], x[3]; int64_t steps; cp_sparse_least_options o; } cases[] = {
        {0, 1, 3, {2, 2, 2}, {2}, {1 / 3.0, 1 / 3.0, 1 / 3.0}, 2, {.atol = -1, .btol = -1, .conlim = -1, .maxiter = 5}},
        {1, 1, 3, {2, 2, 2}, {2}, {1 / 3.0, 1 / 3.0, 1 / 3.0}, 2, {.atol = -1, .btol = -1, .conlim = -1, .maxiter = 5}},
        {0, 2, 2, {1e-200, 0, 0, 1e-200}, {1e200, 1}, {NAN, NAN}, 9, {.maxiter = 9}},
        {1, 2, 2, {-2, 2, 2, -2}, {-1e300, 0}, {NAN, NAN}, 1, {.maxiter = 3}},
        {0, 1, 2, {1e-150, 1e-150}, {1e150}, {5e299, 5e299}, 1, {.maxiter = 9}},
        {0, 2, 2, {1, 0, 0, 1}, {1, 1}, {1, 1}, 1, {.maxiter = 9, .damp = 1e-200}},
        {0, 2, 2, {NAN, 0, 0, 1}, {0, 0}, {0, 0}, 0, {.maxiter = 9}},
        {1, 2, 2, {NAN, 0, 0, 1}, {0, 0}, {0, 0}, 0, {.maxiter = 9}}};
    for (FOR_DEVICES(d))
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            for (CP_SCOPE) {
                const int m = cases[i].m, n = cases[i].n;
                cp_array *dense = cp_from_host(cases[i].a, CP_FLOAT64, CP_SHAPE(m, n), NULL);
                cp_sparse *a = cp_sparse_from_dense(dense, CP_SPARSE_CSR);
                cp_sparse_least_report r;
                cp_sparse_least_options o = cases[i].o;
                o.report = &r;
                double x[3];
                ok(cp_to_host(LEAST[cases[i].k](a, cp_from_host(cases[i].b, CP_FLOAT64, CP_SHAPE(m), NULL), &o), x,
                              (size_t)n * sizeof *x) == CP_OK);
                assert_int_equal(r.iterations, cases[i].steps);
                for (int j = 0; j < n; j++) {
                    const double want = cases[i].x[j];
                    if (isnan(want)) assert_true(isnan(x[j]));
                    else check_below(fabs(x[j] - want), 1e-14 * fabs(want));
                }
                cp_sparse_free(a);
            }
}
static void test_wrong_least_squares(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_sparse *a = cp_sparse_from_dense(cp_eye(3, 2, 0, CP_FLOAT64), CP_SPARSE_CSR);
            cp_array *b = doubles(1, 2, 3);
            fails(cp_sparse_lsqr(a, doubles(1, 2)), CP_ERROR_VALUE,
                  "sparse_lsqr: b must be 1-D and have 3 elements, as a has rows");
            fails(cp_sparse_lsmr(a, b, .x0 = b), CP_ERROR_VALUE,
                  "sparse_lsmr: x0 must be 1-D and have 2 elements, as a has columns");
            fails(cp_sparse_lsqr(a, b, .damp = -1), CP_ERROR_VALUE, "sparse_lsqr: damp must not be negative");
            fails(cp_sparse_lsqr(a, b, .damp = NAN), CP_ERROR_VALUE, "sparse_lsqr: damp must not be negative");
            fails(cp_sparse_lsmr(a, b, .atol = NAN), CP_ERROR_VALUE,
                  "sparse_lsmr: atol, btol and conlim must not be NaN");
            fails(cp_sparse_lsmr(a, b, .maxiter = -1), CP_ERROR_VALUE, "sparse_lsmr: maxiter must not be negative");
            fails(cp_sparse_lsmr(a, NULL), CP_ERROR_VALUE, "sparse_lsmr: an argument is NULL");
            fails(cp_sparse_lsqr(NULL, b), CP_ERROR_VALUE, "sparse_lsqr: an argument is NULL");
            cp_sparse_map map = {3, 2, CP_FLOAT64, times, NULL, NULL};
            fails(cp_sparse_lsqr(NULL, b, .map = &map), CP_ERROR_VALUE,
                  "sparse_lsqr: map needs adjoint, which multiplies by its adjoint");
            fails(cp_sparse_lsqr(a, b, .map = &map), CP_ERROR_VALUE, "sparse_lsqr: a and map exclude each other");
            map.multiply = NULL;
            fails(cp_sparse_lsqr(NULL, b, .map = &map), CP_ERROR_VALUE, "sparse_lsqr: map needs multiply");
            dense f = {.a = cp_eye(3, 2, 0, CP_FLOAT64), .adjoint = cp_eye(3, 3, 0, CP_FLOAT64)};
            map = map_of(&f);
            fails(cp_sparse_lsqr(NULL, b, .map = &map), CP_ERROR_VALUE,
                  "sparse_lsqr: adjoint must return a 1-D array of 2 elements");
            cp_sparse_free(a);
        }
}

/* --- systems of equations --- */

typedef cp_array *(*method)(cp_sparse *, cp_array *, const cp_sparse_solve_options *);
static const method KEPT[] = {cp_sparse_lgmres, cp_sparse_gcrotmk};

static void test_systems(void **state)
{
    (void)state;
    enum { N = 50 };
    for (FOR_DEVICES(d))
        for (int k = 0; k < 2; k++)
            for (FOR_TYPES(t))
                for (CP_SCOPE) {
                    seed = 17;
                    const double rtol = is_single(TYPES[t]) ? 1e-5 : 1e-12;
                    cp_array *a = dense_of(N, N, 5, TYPES[t]), *b = vector_of(N, TYPES[t]), *x[2];
                    cp_sparse *s = cp_sparse_from_dense(a, CP_SPARSE_CSC);
                    cp_array *diagonal = cp_reshape(cp_divide(cp_float(1), cp_diagonal(a, 0, 0, 1)), CP_SHAPE(N, 1));
                    cp_array *inverse = cp_multiply(diagonal, cp_eye(N, N, 0, TYPES[t]));
                    cp_sparse *m = cp_sparse_from_dense(inverse, CP_SPARSE_COO);
                    cp_sparse_report r[2];
                    for (int with = 0; with < 2; with++)
                        for (int drop = 0; drop < 2; drop++) {
                            for (int e = 0; e < 2; e++) { /* read at other times: the same bits */
                                const cp_sparse_solve_options o = {
                                    .rtol = rtol, .restart = 6, .outer = 3, .m = with ? m : NULL, .every = e,
                                    .smallest = drop, .report = &r[e], .maxiter = 600};
                                x[e] = KEPT[k](s, b, &o);
                                ok(x[e]);
                                assert_int_equal(cp_type_of(x[e]), TYPES[t]);
                                assert_true(r[e].converged && r[e].iterations > 9 && r[e].iterations < 600);
                                const double left = length(cp_subtract(b, cp_matmul(a, x[e])));
                                check_below(left, rtol * length(b) * (1 + 1e-2));
                                check_below(fabs(r[e].residual - left), rtol * length(b) * 0.1);
                            }
                            assert_true(cp_array_equal(x[0], x[1], false) == 1);
                            assert_int_equal(r[0].iterations, r[1].iterations);
                        }
                    dense f = dense_map(a), g = dense_map(inverse);
                    const cp_sparse_map map = map_of(&f);
                    const cp_sparse_solve_options o = {.rtol = rtol, .apply = times, .context = &g, .map = &map};
                    x[0] = KEPT[k](NULL, b, &o);
                    check_below(length(cp_subtract(b, cp_matmul(a, x[0]))), rtol * length(b) * (1 + 1e-2));
                    assert_true(f.calls > 5 && g.calls > 5);
                    cp_sparse_free(s), cp_sparse_free(m);
                }
}
/* Second differences, on which restarted gmres needs six times as many steps. */
static void test_systems_on_which_gmres_is_slow(void **state)
{
    (void)state;
    enum { N = 60 };
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *line = cp_ones(CP_SHAPE(N), CP_FLOAT64);
            cp_array *rows[3] = {cp_negative(line), cp_multiply(line, cp_float(2)), cp_negative(line)};
            cp_sparse *a = cp_sparse_from_diagonals(N, N, cp_stack(3, rows, 0), 3, (int64_t[]){-1, 0, 1},
                                                    CP_SPARSE_CSR);
            cp_array *b = cp_sparse_dot(a, line);
            cp_sparse_report r[3];
            ok(cp_sparse_gmres(a, b, .rtol = 1e-8, .restart = 8, .report = &r[2], .maxiter = 3000));
            for (int k = 0; k < 2; k++) {
                cp_array *x = KEPT[k](a, b, &(cp_sparse_solve_options){.rtol = 1e-8, .restart = 5, .outer = 3,
                                                                       .maxiter = 3000, .report = &r[k]});
                assert_true(r[k].converged);
                check_below(largest(cp_subtract(x, line)), 1e-4);
                assert_true(3 * r[k].iterations < r[2].iterations);
            }
            cp_sparse_free(a);
        }
}
static void test_systems_that_stop(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (int k = 0; k < 2; k++)
            for (CP_SCOPE) {
                seed = 23;
                cp_array *a = dense_of(30, 30, 1, CP_FLOAT64), *b = vector_of(30, CP_FLOAT64), *x;
                cp_sparse *s = cp_sparse_from_dense(a, CP_SPARSE_CSR);
                cp_sparse_report r;
                ok(KEPT[k](s, b, &(cp_sparse_solve_options){.restart = 4, .outer = 2, .maxiter = 9, .report = &r}));
                assert_true(!r.converged && r.iterations == 9);
                cp_array *zero = cp_zeros(CP_SHAPE(30), CP_FLOAT64);
                x = KEPT[k](s, zero, &(cp_sparse_solve_options){.x0 = b, .report = &r});
                assert_true(cp_array_equal(x, zero, false) == 1 && r.iterations == 0 && r.converged);
                x = KEPT[k](s, b, &(cp_sparse_solve_options){.rtol = -1, .maxiter = 2000, .report = &r});
                check_below(length(cp_subtract(b, cp_matmul(a, x))), 1e-13 * length(b));
                cp_array *again = KEPT[k](s, b, &(cp_sparse_solve_options){.x0 = x, .rtol = 1e-10, .report = &r});
                assert_true(r.iterations == 0 && cp_array_equal(x, again, false) == 1);
                cp_sparse_free(s);
                /* singular: with a solution and without, and 0; neither an endless loop nor large numbers */
                s = cp_sparse_from_dense(cp_from_host((double[]){2, 0, 0, 0, 1, 0, 0, 0, 0}, CP_FLOAT64,
                                                      CP_SHAPE(3, 3), NULL), CP_SPARSE_CSR);
                near_values(KEPT[k](s, doubles(4, 5, 0), NULL), 1e-12, 2, 5, 0);
                x = KEPT[k](s, doubles(4, 5, 1), &(cp_sparse_solve_options){.report = &r});
                assert_true(!r.converged && largest(x) < 10);
                x = cp_sparse_gmres(s, doubles(4, 5, 1), .report = &r);
                assert_true(!r.converged && largest(x) < 10);
                cp_sparse_free(s);
                s = cp_sparse_from_dense(cp_zeros(CP_SHAPE(3, 3), CP_FLOAT64), CP_SPARSE_CSR);
                values(KEPT[k](s, doubles(4, 5, 1), &(cp_sparse_solve_options){.report = &r}), 0, 0, 0);
                assert_false(r.converged);
                cp_sparse_free(s);
                s = cp_sparse_from_dense(cp_from_host((double[]){4}, CP_FLOAT64, CP_SHAPE(1, 1), NULL), CP_SPARSE_CSR);
                near_values(KEPT[k](s, doubles(2), NULL), 1e-16, 0.5);
                ok(KEPT[k](s, doubles(NAN), &(cp_sparse_solve_options){.report = &r}));
                assert_false(r.converged);
                assert_null(KEPT[k](s, doubles(2), &(cp_sparse_solve_options){.outer = -1}));
                failed(CP_ERROR_VALUE);
                cp_sparse_free(s);
            }
}
/* The other solvers take functions too. */
static void test_maps(void **state)
{
    (void)state;
    const method all[] = {cp_sparse_cg, cp_sparse_bicgstab, cp_sparse_cgs, cp_sparse_bicg, cp_sparse_qmr,
                          cp_sparse_tfqmr, cp_sparse_minres, cp_sparse_gmres};
    for (FOR_DEVICES(d))
        for (int k = 0; k < 8; k++)
            for (FOR_TYPES(t))
                for (CP_SCOPE) {
                    seed = 29;
                    cp_array *half = dense_of(20, 20, 0, TYPES[t]);
                    cp_array *a = cp_add(cp_add(half, turned(half)), cp_multiply(cp_eye(20, 20, 0, TYPES[t]),
                                                                                 cp_float(12)));
                    cp_array *b = vector_of(20, TYPES[t]);
                    dense f = dense_map(a);
                    const cp_sparse_map map = map_of(&f);
                    cp_sparse_report r;
                    const double rtol = is_single(TYPES[t]) ? 1e-5 : 1e-12;
                    cp_array *x = all[k](NULL, b, &(cp_sparse_solve_options){.rtol = rtol, .map = &map, .report = &r});
                    check_below(length(cp_subtract(b, cp_matmul(a, x))), 50 * rtol * length(b));
                    assert_true(f.calls >= r.iterations && r.converged);
                    cp_sparse_map alone = map;
                    alone.adjoint = NULL;
                    x = all[k](NULL, b, &(cp_sparse_solve_options){.rtol = rtol, .map = &alone});
                    if (k != 3 && k != 4) ok(x);
                    else {
                        assert_null(x);
                        failed(CP_ERROR_VALUE);
                    }
                }
}

static cp_array *itself(void *context, cp_array *x)
{
    int *calls = context; /* with a reference, and without */
    return ++*calls % 2 ? cp_retain(x) : x;
}
static cp_array *nothing(void *context, cp_array *x)
{
    (void)context, (void)x;
    return NULL;
}
/* A row of a table that outlives the call, as a view with steps; the matrix is of ones in the first column. */
static cp_array *older(void *context, cp_array *x)
{
    (void)x;
    return cp_retain(context);
}
/* The identity, which gives x back, and what a function must not return. */
static void test_what_functions_return(void **state)
{
    (void)state;
    const method all[] = {cp_sparse_cg,    cp_sparse_bicgstab, cp_sparse_cgs,   cp_sparse_bicg,   cp_sparse_qmr,
                          cp_sparse_tfqmr, cp_sparse_minres,   cp_sparse_gmres, cp_sparse_lgmres, cp_sparse_gcrotmk};
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            int calls = 0;
            cp_array *b = doubles(3, -1, 2), *w, *v, *u, *two = cp_from_host((double[]){5, 0, 6, 0, 7, 0}, CP_FLOAT64,
                                                                            CP_SHAPE(3, 2), NULL);
            cp_sparse_map map = {3, 3, CP_FLOAT64, itself, itself, &calls};
            for (int k = 0; k < 10; k++)
                near_values(all[k](NULL, b, &(cp_sparse_solve_options){.map = &map, .rtol = 1e-12}), 1e-14, 3, -1, 2);
            for (int k = 0; k < 2; k++)
                near_values(LEAST[k](NULL, b, &(cp_sparse_least_options){.map = &map}), 1e-14, 3, -1, 2);
            ok(cp_sparse_eigsh(NULL, &w, &v, .k = 2, .map = &map) == CP_OK);
            near_values(w, 1e-14, 1, 1);
            ok(cp_sparse_svds(NULL, &u, &w, &v, .k = 3, .map = &map) == CP_OK);
            near_values(w, 1e-14, 1, 1, 1);
            values(cp_sparse_onenormest(NULL, .map = &map), 1);
            near_values(cp_sparse_expm_multiply(NULL, b, .map = &map), 1e-14, 3 * exp(1), -exp(1), 2 * exp(1));
            near_values(b, 0, 3, -1, 2);
            map.multiply = nothing;
            fails(cp_sparse_lgmres(NULL, b, .map = &map, .x0 = b), CP_ERROR_VALUE,
                  "sparse_lgmres: multiply returned NULL");
            assert_int_equal(cp_sparse_eigsh(NULL, &w, NULL, .k = 1, .map = &map), CP_ERROR_VALUE);
            failed_with(CP_ERROR_VALUE, "sparse_eigsh: multiply returned NULL");
            fails(cp_sparse_onenormest(NULL, .map = &map, .t = 1), CP_ERROR_VALUE,
                  "sparse_onenormest: multiply returned NULL");
            map.multiply = older, map.context = b;
            fails(cp_sparse_expm_multiply(NULL, two, .map = &map), CP_ERROR_VALUE,
                  "sparse_expm_multiply: multiply must return an array of the shape (3, 2)");
            cp_array *column = cp_keep(cp_slice(two, CP_ITEMS(CP_FULL, CP_AT(0))));
            map.context = column; /* a x is this whatever x is */
            cp_array *x = cp_sparse_gmres(NULL, column, .map = &map, .maxiter = 1);
            check_below(length(cp_subtract(cp_multiply(x, cp_float(length(column))), column)), 1e-13);
            values(column, 5, 6, 7);
            cp_free(column);
        }
}

/* --- memory --- */

static bool body(void)
{
    cp_scope *scope = cp_scope_begin();
    if (!scope) return false;
    cp_array *x = doubles(4, 1, 0, 1, 4, 1, 0, 1, 4), *b = doubles(1, 2, 3), *var = NULL;
    cp_sparse *a = cp_sparse_from_dense(x ? cp_reshape(x, CP_SHAPE(3, 3)) : NULL, CP_SPARSE_COO);
    cp_array *arrays[] = {cp_sparse_lsqr(a, b, .variances = &var), cp_sparse_lsmr(a, b, .x0 = b),
                          cp_sparse_lgmres(a, b, .restart = 1, .outer = 1),
                          cp_sparse_gcrotmk(a, b, .m = a, .restart = 1, .outer = 2, .smallest = true)};
    bool all = var != NULL;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) all &= arrays[i] != NULL;
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
        cmocka_unit_test(test_least_squares), cmocka_unit_test(test_variances),
        cmocka_unit_test(test_least_squares_that_stop), cmocka_unit_test(test_wrong_least_squares),
        cmocka_unit_test(test_numbers_that_vanish),
        cmocka_unit_test(test_systems), cmocka_unit_test(test_systems_on_which_gmres_is_slow),
        cmocka_unit_test(test_systems_that_stop), cmocka_unit_test(test_maps),
        cmocka_unit_test(test_what_functions_return), cmocka_unit_test(test_allocations)};
    return check_run(tests);
}
