/* Fused expressions: values against separate calls, outputs, errors, threads, and that every allocation may fail.
 * Random expressions are compared in Python. */
#include "check.h"

#include <pthread.h>

static void values_and_names(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *a = cp_int(2), *x = doubles(1, -2, 3), *r;
        const char *names[] = {"a", "x"};
        cp_array *in[] = {a, x};
        check_values(r = cp_fused("t = a*x; where(t > 0, t + 1, 0) / 2", 2, names, in), 3, (double[]){1.5, 0, 3.5});
        cp_free(r);
        check_values(r = cp_fused("a*x - a", 2, NULL, in), 3, (double[]){0, -6, 4});
        cp_free(r);
        cp_array *out = doubles(0, 0, 0);
        check_values(r = cp_fused("a*x - a", 2, NULL, in, .out = out), 3, (double[]){0, -6, 4});
        check_values(out, 3, (double[]){0, -6, 4});
        cp_free(r);
        check_values(r = cp_fused("x*x + a", 2, names, in, .out = x), 3, (double[]){3, 6, 11});
        cp_free(r), cp_free(out), cp_free(x), cp_free(a);
    }
}

static void several_results(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_fusion *f = cp_fusion_new("q, r = divmod(x, n); return q*n + r, r, x + row", 0, NULL);
        ok(f);
        assert_int_equal(cp_fusion_operands(f), 3);
        assert_int_equal(cp_fusion_results(f), 3);
        assert_string_equal(cp_fusion_operand(f, 2), "row");
        assert_null(cp_fusion_operand(f, 3));
        cp_array *x = ints(7, -7), *n = cp_int(3);
        cp_array *row = cp_from_host((double[]){1, 2}, CP_FLOAT64, CP_SHAPE(2, 1), NULL);
        cp_array *in[] = {x, n, row}, *results[3];
        for (int again = 0; again < 3; again++) {
            ok(!cp_fusion_run(f, in, results));
            check_values(results[0], 2, (double[]){7, -7});
            check_values(results[1], 2, (double[]){1, 2});
            check_values(results[2], 4, (double[]){8, -6, 9, -5});
            for (int k = 0; k < 3; k++) cp_free(results[k]);
        }
        cp_fusion_free(f);
        cp_free(x), cp_free(n), cp_free(row);
    }
}

static void errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2), *y = doubles(1, 2, 3), *in[] = {x, y}, *r;
        const char *names[] = {"x", "y"};
        assert_null(cp_fusion_new("x +", 2, names));
        assert_string_equal(cp_error_message(), "fused: an expression is missing at column 4 of 'x +'");
        failed(CP_ERROR_VALUE);
        assert_null(cp_fusion_new(NULL, 0, NULL));
        failed(CP_ERROR_VALUE);
        assert_null(cp_fusion_new("x", -1, NULL));
        failed(CP_ERROR_VALUE);
        assert_null(cp_fusion_new("x", 2, (const char *[]){"x", NULL}));
        failed(CP_ERROR_VALUE);
        assert_null(cp_fused("x + y", 2, names, in));
        failed(CP_ERROR_VALUE);
        assert_null(cp_fused("return x, y", 2, names, in));
        failed(CP_ERROR_VALUE);
        assert_null(cp_fused("x & 1", 2, names, in));
        failed(CP_ERROR_TYPE);
        assert_null(cp_fused("x + 1", 2, names, ((cp_array *[]){x, NULL})));
        failed(CP_ERROR_VALUE);
        cp_array *whole = ints(0, 0);
        assert_null(cp_fused("x + 1", 2, names, in, .out = whole));
        failed(CP_ERROR_CASTING);
        check_values(r = cp_fused("x + 1.5", 2, names, in, .out = whole, .casting = CP_UNSAFE), 2, (double[]){2, 3});
        cp_free(r);
        cp_set_writable(whole, false);
        assert_null(cp_fused("x + 1", 2, names, in, .out = whole, .casting = CP_UNSAFE));
        failed(CP_ERROR_VALUE);
        assert_int_equal(cp_fusion_run(NULL, in, &r), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        cp_fusion_free(NULL);
        cp_free(x), cp_free(y), cp_free(whole);
    }
}

/* Smaller shapes, conversions, single values, results of two shapes: every place that allocates. */
static bool body(void)
{
    bool done = false;
    for (CP_SCOPE) {
        cp_array *x = cp_ones(CP_SHAPE(20, 30), CP_FLOAT32), *row = cp_ones(CP_SHAPE(30), CP_INT16), *a = cp_float(2);
        cp_array *one = cp_ones(CP_SHAPE(1), CP_INT8), *results[3], *t = cp_transpose(x, CP_ALL);
        if (!x || !row || !a || !one || !t) break;
        cp_array *in[] = {x, row, a, one}, *turned[] = {t, one, a, one};
        cp_fusion *f = cp_fusion_new("p = exp(row)*one; q, r = divmod(x, a + one); return x*p + q, p, r*x", 4,
                                     (const char *[]){"x", "row", "a", "one"});
        done = f && !cp_fusion_run(f, in, results) && !cp_fusion_run(f, in, results) &&
               !cp_fusion_run(f, turned, results) &&
               cp_fused("sqrt(x)*2 + x", 1, NULL, in) && cp_fused("x*x", 1, NULL, in, .out = x);
        cp_fusion_free(f);
    }
    return done;
}

static void allocations_fail(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) every_allocation_fails(body);
}

typedef struct { cp_fusion *f; cp_array *x, *want; int device; bool fine; } work;

static void *run_often(void *argument)
{
    work *w = argument;
    w->fine = !cp_device_use(w->device);
    for (int i = 0; i < 50 && w->fine; i++) {
        cp_array *n = cp_float(i % 3), *in[] = {w->x, n}, *r = NULL, *zero = cp_multiply(w->x, n);
        cp_array *want = cp_add(w->want, zero);
        w->fine = !cp_fusion_run(w->f, in, &r) && cp_array_equal(r, want, false) == 1;
        cp_free(r), cp_free(n), cp_free(zero), cp_free(want);
    }
    return NULL;
}

static void threads(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        enum { N = 4 };
        pthread_t thread[N];
        work all[N];
        cp_array *x[2] = {cp_arange(0, 1000, 1, CP_FLOAT64), cp_arange(0, 30000, 1, CP_FLOAT32)};
        cp_array *want[2] = {cp_square(x[0]), cp_square(x[1])};
        cp_fusion *f = cp_fusion_new("x*x + x*n", 0, NULL);
        ok(f && want[0] && want[1] && !cp_device_synchronize(d));
        for (int i = 0; i < N; i++) {
            all[i] = (work){f, x[i % 2], want[i % 2], d, false};
            assert_int_equal(pthread_create(&thread[i], NULL, run_often, &all[i]), 0);
        }
        for (int i = 0; i < N; i++) pthread_join(thread[i], NULL);
        for (int i = 0; i < N; i++) assert_true(all[i].fine);
        cp_fusion_free(f);
        for (int i = 0; i < 2; i++) cp_free(x[i]), cp_free(want[i]);
    }
}

/* Random bytes as source: a program or an error; for the sanitizers. */
static void noise(void **state)
{
    (void)state;
    static const char *const words[] = {"x", "y", "(", ")", "+", "-", "**", "//", "<<", ",", "=", ";", "\n", "sin(",
                                        "0x", "1e", "1_0", "2j", "where(", "divmod(", "return ", "True", "#", "~",
                                        "inf", " "};
    const int nwords = sizeof words / sizeof *words;
    uint64_t seed = 1;
    cp_array *x = cp_ones(CP_SHAPE(5), CP_FLOAT32), *in[64], *results[16];
    for (int i = 0; i < 64; i++) in[i] = x;
    for (int round = 0; round < 20000; round++) {
        char text[256] = "";
        int n = round % 24;
        for (int i = 0; i < n; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            unsigned dice = (unsigned)(seed >> 33);
            size_t at = strlen(text);
            if (dice % 8) strcpy(text + at, words[dice / 8 % nwords]);
            else text[at] = (char)(dice / 8 % 255 + 1), text[at + 1] = '\0';
        }
        cp_fusion *f = cp_fusion_new(text, 0, NULL);
        if (f && !cp_fusion_run(f, in, results))
            for (int k = 0; k < cp_fusion_results(f); k++) cp_free(results[k]);
        else assert_true(cp_error() != CP_OK);
        cp_error_clear();
        cp_warnings_clear();
        cp_fusion_free(f);
    }
    cp_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_names), cmocka_unit_test(several_results), cmocka_unit_test(errors),
        cmocka_unit_test(allocations_fail), cmocka_unit_test(threads), cmocka_unit_test(noise),
    };
    return check_run(tests);
}
