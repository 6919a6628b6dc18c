/* Splines, piecewise polynomials, banded systems and radial functions beside closed forms; shapes that do not fit;
 * memory. */
#include "check.h"

#define cube(a, b, c, ...) cp_from_host((double[]){__VA_ARGS__}, CP_FLOAT64, CP_SHAPE(a, b, c), NULL)
#define table(a, b, ...) cp_from_host((double[]){__VA_ARGS__}, CP_FLOAT64, CP_SHAPE(a, b), NULL)

static void test_bsplines(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            /* of degree 1 a line through (0, 1), (1, 3), (2, 2); a second column is its double */
            cp_array *t = doubles(0, 0, 1, 2, 2), *c = table(3, 2, 1, 2, 3, 6, 2, 4);
            cp_array *x = doubles(0, 0.5, 1, 1.5, 2, 3);
            values(cp_bspline_values(t, c, 1, x, 0, true), 1, 2, 2, 4, 3, 6, 2.5, 5, 2, 4, 1, 2);
            values(cp_bspline_values(t, c, 1, x, 1, false), 2, 4, 2, 4, -1, -2, -1, -2, -1, -2, NAN, NAN);
            values(cp_bspline_values(t, c, 1, doubles(NAN, -1), 0, false), NAN, NAN, NAN, NAN);
            /* cubic ones without inner knots are Bernstein's polynomials: x^3, and x of equidistant coefficients */
            cp_array *ends = doubles(0, 0, 0, 0, 1, 1, 1, 1), *at = doubles(0, 0.25, 0.5, 1);
            cp_array *both = table(4, 2, 0, 0, 0, 1, 0, 2, 1, 3);
            values(cp_bspline_values(ends, both, 3, at, 0, false), 0, 0, 1 / 64., 0.75, 0.125, 1.5, 1, 3);
            values(cp_bspline_values(ends, both, 3, at, 2, false), 0, 0, 1.5, 0, 3, 0, 6, 0);
            values(cp_bspline_values(ends, both, 3, at, 4, false), 0, 0, 0, 0, 0, 0, 0, 0);
            /* quadratic ones at the middle of an interval are 1/8, 6/8, 1/8; their slopes -1/2, 0, 1/2 */
            cp_array *w, *first;
            ok(cp_bspline_basis(doubles(0, 1, 2, 3, 4, 5, 6, 7), 2, doubles(2.5, 4.5), 0, &w, &first) == CP_OK);
            values(w, 0.125, 0.75, 0.125, 0.125, 0.75, 0.125);
            values(first, 0, 2);
            ok(cp_bspline_basis(doubles(0, 1, 2, 3, 4, 5, 6, 7), 2, doubles(2.5), 1, &w, &first) == CP_OK);
            values(w, -0.5, 0, 0.5);
            assert_int_equal(cp_size(cp_bspline_values(t, c, 1, cp_zeros(CP_SHAPE(0), CP_FLOAT64), 0, true)), 0);
        }
}

static void test_polynomials(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            /* s^2 from 0 on, 2 s + 1 from 1 on */
            cp_array *c = cube(3, 2, 1, 1, 0, 0, 2, 0, 1), *x = doubles(0, 1, 3), *at = doubles(0.5, 1, 2, 4, -1);
            values(cp_ppoly_values(c, x, at, 0, true, false, false), 0.25, 1, 3, 7, 1);
            values(cp_ppoly_values(c, x, at, 0, false, false, false), 0.25, 1, 3, NAN, NAN);
            values(cp_ppoly_values(c, x, at, 1, true, false, false), 1, 2, 2, 2, -2);
            values(cp_ppoly_values(c, x, at, 2, true, false, false), 2, 0, 0, 0, 2);
            values(cp_ppoly_values(cube(1, 2, 1, 5, 7), doubles(2, 1, 0), doubles(1.5, 0.5), 0, false, true, false), 5,
                   7);
            /* Bernstein's: degrees 1 to 5, with coefficients i: the line */
            for (int k = 1; k <= 5; k++) {
                cp_array *line = cp_reshape(cp_arange(0, k + 1, 1, CP_FLOAT64), CP_SHAPE(k + 1, 1, 1));
                cp_array *y = cp_ppoly_values(line, doubles(0, 2), doubles(0, 0.5, 1, 2), 0, false, false, true);
                near_values(y, 4e-15, 0, 0.25 * k, 0.5 * k, k);
            }
            /* many places in few intervals go another way on the CPU: s^3 - s of each place */
            enum { N = 1000 };
            static double want[N];
            for (int i = 0; i < N; i++) {
                const double s = i * 0.002 - (i * 0.002 >= 1);
                want[i] = s * s * s - s;
            }
            cp_array *places = cp_multiply(cp_arange(0, N, 1, CP_FLOAT64), cp_float(0.002));
            check_near(cp_ppoly_values(cube(4, 2, 1, 1, 1, 0, 0, -1, -1, 0, 0), doubles(0, 1, 2), places, 0, true,
                                       false, false), 1e-15, N, want);
        }
}

static void test_banded(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            /* second differences: of 4, 6, 6, 4 they are -2 */
            cp_array *band = table(4, 3, 2, -1, 0, -1, 2, -1, -1, 2, -1, 0, -1, 2), *first = ints(0, 0, 1, 1);
            near_values(cp_banded_solve(band, first, 4, table(4, 2, 2, 4, 2, 4, 2, 4, 2, 4)), 1e-14, 4, 8, 6, 12, 6, 12,
                        4, 8);
            /* the least squares solution of one unknown is the mean; of two a line through points */
            near_values(cp_banded_solve(table(3, 1, 1, 1, 1), ints(0, 0, 0), 1, table(3, 1, 1, 2, 6)), 1e-15, 3);
            near_values(cp_banded_solve(table(3, 2, 1, 0, 1, 1, 1, 2), ints(0, 0, 0), 2, table(3, 1, 1, 2, 6)), 1e-14,
                        0.5, 2.5);
            /* columns that lie outside are moved inside: nothing else is touched */
            ok(cp_banded_solve(band, ints(-9, 0, 1, 1000), 4, table(4, 1, 1, 1, 1, 1)));
            /* many right-hand sides */
            enum { M = 100 };
            static double want[4 * M];
            for (int i = 0; i < 4 * M; i++) want[i] = (double[]){4, 6, 6, 4}[i / M];
            cp_array *many = cp_full(CP_SHAPE(4, M), CP_FLOAT64, cp_float(2));
            check_near(cp_banded_solve(band, first, 4, many), 1e-14, 4 * M, want);
        }
}

static void test_radial(void **state)
{
    (void)state;
    /* r = 0, 1 and 5 */
    const double want[8][3] = {{0, 0, 25 * log(5)}, {0, -1, -5}, {0, 1, 125}, {0, -1, -3125},
                               {-1, -sqrt(2), -sqrt(26)}, {1, 1 / sqrt(2), 1 / sqrt(26)}, {1, 0.5, 1 / 26.},
                               {1, exp(-1), exp(-25)}};
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *y = table(3, 2, 0, 0, 0.6, 0.8, 3, 4), *x = cp_zeros(CP_SHAPE(1, 2), CP_FLOAT64);
            cp_array *c = table(3, 1, 1, 10, 100);
            for (int k = 0; k < 8; k++) {
                const double *w = want[k], sum = w[0] + 10 * w[1] + 100 * w[2];
                check_near(cp_rbf_matrix(y, x, (cp_rbf_kernel)k), 1e-12, 3, w);
                near_values(cp_rbf_values(y, x, c, (cp_rbf_kernel)k), 1e-10, sum);
            }
        }
}

/* A line's points 0, 1 and 3 next to the place 2, with 1 and the coordinate as the polynomial. */
static void test_neighbours(void **state)
{
    (void)state;
    const double want[] = {0.5, -2, -6, 1, -1, -2, 1, -4, 1, -1 / 3., -6, -4, 2.5, 1, 1,
                           1, 1, 1, 0, 0, -1, -1 / 3., 1, 0, 0};
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *y = table(4, 1, 0, 1, 9, 3), *x = table(1, 1, 2), *smoothing = doubles(0.5, 1, 7, 2.5);
            cp_array *which = cp_reshape(ints(0, 1, 3), CP_SHAPE(1, 3));
            cp_array *powers = cp_reshape(ints(0, 1), CP_SHAPE(2, 1));
            cp_array *d = table(4, 2, 1, 2, 3, 5, 7, 7, 2, 0), *values, *matrix, *rows;
            ok(cp_rbf_near(y, d, smoothing, which, x, powers, 2, CP_RBF_KERNEL_LINEAR, &values, &matrix, &rows) ==
               CP_OK);
            if (cp_size(matrix)) {
                check_near(matrix, 1e-15, 25, want);
                near_values(rows, 1e-15, -4, -2, -2, 1, 1 / 3.);
            } else {
                cp_array *system = cp_from_host(want, CP_FLOAT64, CP_SHAPE(5, 5), NULL);
                cp_array *right = table(5, 2, 1, 2, 3, 5, 2, 0, 0, 0, 0, 0), *row = table(1, 5, -4, -2, -2, 1, 1 / 3.);
                double expected[2];
                ok(cp_to_host(cp_matmul(row, cp_solve(system, right)), expected, sizeof expected) == CP_OK);
                check_near(values, 1e-14, 2, expected);
            }
            assert_int_equal(cp_rbf_near(y, d, smoothing, cp_reshape(ints(0, 1, 4), CP_SHAPE(1, 3)), x, powers, 2,
                                         CP_RBF_KERNEL_LINEAR, &values, &matrix, &rows), CP_ERROR_INDEX);
            failed_with(CP_ERROR_INDEX, "RBFInterpolator: there is no such point");
            assert_int_equal(cp_rbf_near(y, d, x, which, x, powers, 2, CP_RBF_KERNEL_LINEAR, &values, &matrix, &rows),
                             CP_ERROR_VALUE);
            failed(CP_ERROR_VALUE);
        }
}

static void test_several_variables(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *t[2] = {doubles(0, 0, 1, 1), doubles(0, 0, 1, 1)}, *c = cube(2, 2, 1, 1, 2, 3, 4);
            cp_array *x = table(4, 2, 0.5, 0.5, 0, 1, 1, 0, 2, 0);
            values(cp_ndbspline_values(2, t, CP_SHAPE(1, 1), c, x, CP_SHAPE(0, 0), true), 2.5, 2, 3, 5);
            values(cp_ndbspline_values(2, t, CP_SHAPE(1, 1), c, x, CP_SHAPE(1, 0), false), 2, 2, 2, NAN);
            /* 7 x y + 5 x + 3 y + 2 of one cell that begins at (1, 0) */
            cp_array *ends[2] = {doubles(1, 5), doubles(0, 5)};
            cp_array *p = cp_reshape(doubles(7, 5, 3, 2), CP_SHAPE(2, 2, 1, 1, 1));
            values(cp_ndppoly_values(2, ends, p, table(2, 2, 1, 0, 3, 2), CP_SHAPE(0, 0), false), 2, 46);
            values(cp_ndppoly_values(2, ends, p, table(2, 2, 3, 2, 0, 0), CP_SHAPE(0, 1), false), 17, NAN);
            /* x + y on a grid */
            cp_array *grid[2] = {doubles(0, 1, 3), doubles(0, 10)}, *v = cube(3, 2, 1, 0, 10, 1, 11, 3, 13);
            cp_array *at = table(4, 2, 0.5, 5, 2, 10, 3, 0, 4, 20);
            values(cp_grid_values(2, grid, v, at, false, true), 5.5, 12, 3, 24);
            values(cp_grid_values(2, grid, v, at, false, false), 5.5, 12, 3, NAN);
            values(cp_grid_values(2, grid, v, table(2, 2, 0.4, 9, 2.9, 1), true, false), 10, 3);
        }
}

static void test_wrong_arguments(void **state)
{
    (void)state;
    cp_array *a = NULL, *b = NULL;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *t = doubles(0, 0, 1, 1), *c = table(2, 1, 1, 2), *x = doubles(0.5);
            cp_array *z = cp_astype(x, CP_COMPLEX128);
            assert_null(cp_bspline_values(t, c, 2, x, 0, true));
            failed_with(CP_ERROR_VALUE, "BSpline: of degree 2, 2 coefficients need 5 knots, not 4");
            assert_null(cp_bspline_values(t, c, -1, x, 0, true));
            failed_with(CP_ERROR_VALUE, "BSpline: the degree must be 0 to 63, not -1");
            assert_null(cp_bspline_values(t, c, 1, x, -1, true));
            failed_with(CP_ERROR_VALUE, "BSpline: the derivative must be 0 or above, not -1");
            assert_null(cp_bspline_values(t, x, 1, x, 0, true));
            failed_with(CP_ERROR_VALUE, "BSpline: an array of 2 dimensions, not of 1, is needed");
            assert_null(cp_bspline_values(t, c, 1, z, 0, true));
            failed(CP_ERROR_TYPE);
            assert_null(cp_bspline_values(t, NULL, 1, x, 0, true));
            failed(CP_ERROR_VALUE);
            cp_bspline_basis(t, 2, x, 0, &a, &b);
            failed_with(CP_ERROR_VALUE, "BSpline.design_matrix: 4 knots are too few for the degree 2");
            cp_array *one = cube(1, 1, 1, 1);
            assert_null(cp_ppoly_values(one, t, x, 0, true, false, false));
            failed_with(CP_ERROR_VALUE, "PPoly: 1 intervals need as many breakpoints and one more, not 4");
            assert_null(cp_ppoly_values(one, doubles(0, 1), x, 1, true, false, true));
            failed(CP_ERROR_VALUE);
            assert_null(cp_banded_solve(c, ints(0, 0), 3, c));
            failed_with(CP_ERROR_VALUE,
                        "banded_solve: 2 rows of 1 elements, 2 right-hand sides and 3 columns do not fit");
            assert_null(cp_rbf_matrix(c, cp_zeros(CP_SHAPE(1, 2), CP_FLOAT64), CP_RBF_KERNEL_LINEAR));
            failed_with(CP_ERROR_VALUE, "RBFInterpolator: points, places and coefficients do not fit");
            assert_null(cp_rbf_matrix(c, c, (cp_rbf_kernel)8));
            failed_with(CP_ERROR_VALUE, "RBFInterpolator: no such kernel");
            cp_array *two[2] = {t, t}, *place = cp_zeros(CP_SHAPE(1, 2), CP_FLOAT64);
            assert_null(cp_ndbspline_values(2, two, CP_SHAPE(1), one, place, CP_SHAPE(0, 0), true));
            failed_with(CP_ERROR_VALUE, "NdBSpline: 2 numbers are needed, not 1");
            assert_null(cp_ndbspline_values(2, two, CP_SHAPE(1, 1), one, place, CP_SHAPE(0, 0), true));
            failed_with(CP_ERROR_VALUE, "NdBSpline: too few knots or coefficients of variable 0");
            assert_null(cp_grid_values(2, NULL, one, place, false, true));
            failed_with(CP_ERROR_VALUE, "RegularGridInterpolator: an argument is NULL");
            assert_null(cp_grid_values(17, two, one, place, false, true));
            failed_with(CP_ERROR_VALUE, "RegularGridInterpolator: 1 to 16 variables, not 17");
            assert_true(!a && !b);
        }
}

static bool body(void)
{
    cp_scope *scope = cp_scope_begin();
    if (!scope) return false;
    cp_array *t = doubles(0, 0, 1, 1), *c = table(2, 1, 1, 2), *x = doubles(0.25, 0.5), *first = ints(0, 0);
    cp_array *one = cube(1, 1, 1, 1), *ends = doubles(0, 1), *w = NULL, *at = NULL, *grid[1] = {ends};
    cp_array *which = cp_zeros(CP_SHAPE(2, 2), CP_INT64), *powers = cp_zeros(CP_SHAPE(1, 1), CP_INT64);
    cp_array *ones = cp_ones(CP_SHAPE(2), CP_FLOAT64), *values_ = NULL, *matrix = NULL, *rows = NULL;
    const bool made[] = {t && c && x && first && one && ends, cp_bspline_values(t, c, 1, x, 0, true) != NULL,
                         cp_bspline_basis(t, 1, x, 0, &w, &at) == CP_OK,
                         cp_ppoly_values(one, ends, x, 0, true, false, false) != NULL,
                         cp_banded_solve(c, first, 1, c) != NULL, cp_rbf_values(c, c, c, CP_RBF_KERNEL_CUBIC) != NULL,
                         cp_rbf_matrix(c, c, CP_RBF_KERNEL_GAUSSIAN) != NULL,
                         cp_rbf_near(c, c, ones, which, c, powers, 1, CP_RBF_KERNEL_CUBIC, &values_, &matrix,
                                     &rows) == CP_OK,
                         cp_grid_values(1, grid, c, c, false, true) != NULL,
                         cp_ndbspline_values(1, &t, CP_SHAPE(1), c, c, CP_SHAPE(0), true) != NULL};
    bool all = true;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) all &= made[i];
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bsplines), cmocka_unit_test(test_polynomials),
                                       cmocka_unit_test(test_banded), cmocka_unit_test(test_radial),
                                       cmocka_unit_test(test_neighbours),
                                       cmocka_unit_test(test_several_variables), cmocka_unit_test(test_wrong_arguments),
                                       cmocka_unit_test(test_allocations)};
    return check_run(tests);
}
