/* Products: literal answers, errors, a naive reference over types and layouts, and that every allocation may fail.
 * Semantics are compared with NumPy in Python. */
#include "check.h"

static cp_array *matrix(int64_t rows, int64_t cols, double first)
{
    double data[64];
    for (int i = 0; i < rows * cols; i++) data[i] = first + i;
    return cp_from_host(data, CP_FLOAT64, CP_SHAPE(rows, cols), NULL);
}

static void literal_answers(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *a = matrix(2, 3, 1), *b = matrix(3, 2, 1), *v = doubles(1, 2, 3), *r;
        values(r = cp_matmul(a, b), 22, 28, 49, 64);
        cp_free(r);
        values(r = cp_matmul(a, v), 14, 32);
        cp_free(r);
        values(r = cp_matmul(v, b), 22, 28);
        cp_free(r);
        values(r = cp_matmul(v, v), 14);
        assert_int_equal(cp_ndim(r), 0);
        cp_free(r);
        values(r = cp_vecdot(a, v), 14, 32);
        cp_free(r);
        values(r = cp_matvec(a, v), 14, 32);
        cp_free(r);
        values(r = cp_vecmat(v, b), 22, 28);
        cp_free(r);
        values(r = cp_dot(a, b), 22, 28, 49, 64);
        cp_free(r);
        values(r = cp_inner(a, a), 14, 32, 32, 77);
        cp_free(r);
        values(r = cp_vdot(a, b), 91);
        cp_free(r);
        values(r = cp_tensordot(a, b, CP_AXES(0, 1), CP_AXES(1, 0)), 86);
        cp_free(r);
        values(r = cp_kron(v, v), 1, 2, 3, 2, 4, 6, 3, 6, 9);
        cp_free(r);
        values(r = cp_einsum("ij,jk->ki", 2, ((cp_array *[]){a, b})), 22, 49, 28, 64);
        cp_free(r);
        values(r = cp_einsum("ij,jk,kl->l", 3, ((cp_array *[]){a, b, a}), .optimize = CP_PATH_OPTIMAL), 439, 602, 765);
        cp_free(r), cp_free(v), cp_free(b), cp_free(a);
    }
}

static void results_go_to_out(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *a = matrix(2, 2, 1), *out = cp_zeros(CP_SHAPE(2, 2), CP_FLOAT32), *r;
        values(r = cp_matmul(a, a, .out = out), 7, 10, 15, 22);
        cp_free(r);
        values(out, 7, 10, 15, 22);
        values(r = cp_matmul(a, a, .out = a), 7, 10, 15, 22); /* over an operand */
        cp_free(r);
        assert_null(cp_dot(a, a, .out = out)); /* of another type */
        failed(CP_ERROR_VALUE);
        assert_null(cp_matmul(a, a, .out = out, .casting = CP_SAFE));
        failed(CP_ERROR_CASTING);
        cp_free(out), cp_free(a);
    }
}

static void errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *a = matrix(2, 3, 1), *b = matrix(2, 3, 1), *n = cp_float(2);
        assert_null(cp_matmul(a, b));
        failed(CP_ERROR_VALUE);
        assert_null(cp_matmul(a, n));
        failed(CP_ERROR_VALUE);
        assert_null(cp_matmul(a, NULL));
        failed(CP_ERROR_VALUE);
        assert_null(cp_matmul(a, b, .typed = true, .dtype = (cp_type)99));
        assert_int_not_equal(cp_error(), CP_OK);
        cp_error_clear();
        assert_null(cp_tensordot(a, b, CP_AXES(5), CP_AXES(0)));
        failed(CP_ERROR_AXIS);
        assert_null(cp_tensordot(a, b, CP_AXES(0, 1), CP_AXES(0)));
        failed(CP_ERROR_VALUE);
        assert_null(cp_einsum("ij", 2, ((cp_array *[]){a, b})));
        failed(CP_ERROR_VALUE);
        assert_null(cp_einsum(NULL, 1, &a));
        failed(CP_ERROR_VALUE);
        assert_null(cp_einsum("ij", 0, NULL));
        failed(CP_ERROR_VALUE);
        cp_array *three[3] = {a, b, a};
        for (int n = -2; n < 3; n += 4) { /* steps of a path with invalid operands */
            const cp_axes nowhere[2] = {{n, n < 0 ? (int[]){0} : NULL}, {2, NULL}};
            assert_null(cp_einsum("ij,jk,kl", 3, three, .steps = 2, .path = nowhere));
            failed(CP_ERROR_VALUE);
        }
        cp_free(n), cp_free(b), cp_free(a);
    }
}

/* Integer values, whose sums are the same in every order, in every type but bool. */
static void every_type(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{1, 1, 5}, {3, 4, 5}, {17, 33, 9}, {70, 1, 65}, {1, 70, 65}, {129, 65, 300}};
    for (FOR_DEVICES(d))
        for (int t = CP_INT8; t < CP_DEFAULT; t++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                if (!check_share()) continue;
                int64_t m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
                double *x = malloc((size_t)(m * k) * sizeof *x), *y = malloc((size_t)(k * n) * sizeof *y);
                double *want = calloc((size_t)(m * n), sizeof *want);
                for (int64_t i = 0; i < m * k; i++) x[i] = (double)(i % 2);
                for (int64_t i = 0; i < k * n; i++) y[i] = (double)(i % 5 == 0);
                for (int64_t i = 0; i < m; i++)
                    for (int64_t j = 0; j < n; j++)
                        for (int64_t p = 0; p < k; p++) want[i * n + j] += x[i * k + p] * y[p * n + j];
                cp_array *a = cp_from_host(x, CP_FLOAT64, CP_SHAPE(m, k), NULL), *ta = cp_astype(a, (cp_type)t);
                cp_array *b = cp_from_host(y, CP_FLOAT64, CP_SHAPE(k, n), NULL), *tb = cp_astype(b, (cp_type)t);
                cp_array *f = cp_copy_order(tb, 'F'), *r;
                check_values(r = cp_matmul(ta, tb), (int)(m * n), want);
                cp_free(r);
                check_values(r = cp_matmul(ta, f), (int)(m * n), want);
                cp_free(r);
                cp_free(f), cp_free(tb), cp_free(b), cp_free(ta), cp_free(a);
                free(want), free(y), free(x);
            }
}

static cp_array *given[4];

static bool body(void)
{
    cp_array *r[] = {cp_matmul(given[0], given[1]), cp_vdot(given[3], given[3]),
                     cp_einsum("ij,jk,kl->li", 3, ((cp_array *[]){given[0], given[1], given[0]})),
                     cp_tensordot(given[2], given[2], CP_AXES(0, 2), CP_AXES(0, 2)), cp_kron(given[3], given[3])};
    return check_all_made(sizeof r / sizeof *r, r);
}

static void no_memory(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        given[0] = cp_ones(CP_SHAPE(40, 50), CP_INT32);
        given[1] = cp_ones(CP_SHAPE(50, 40), CP_INT16);
        given[2] = cp_ones(CP_SHAPE(8, 9, 10), CP_FLOAT32);
        given[3] = cp_ones(CP_SHAPE(300), CP_COMPLEX64);
        every_allocation_fails(body);
        for (int i = 0; i < 4; i++) cp_free(given[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(literal_answers), cmocka_unit_test(results_go_to_out),
                                       cmocka_unit_test(errors), cmocka_unit_test(every_type),
                                       cmocka_unit_test(no_memory)};
    return check_run(tests);
}
