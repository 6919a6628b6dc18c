/* Failures that only a running kernel can see: told at the latest when somebody waits, with the operation's name;
 * the library is usable afterwards. */
#include "check.h"

static cp_array *powers(cp_array *a, cp_array *b, cp_array *where, cp_array *out)
{
    return cp_elementwise(CP_OP_power, (cp_array *[]){a, b}, &(cp_ufunc_options){.where = where, .out = out});
}

static void test_negative_powers(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *a = ints(2, 3, 4), *b = ints(2, -1, 0), *yes = cp_ones(CP_SHAPE(3), CP_BOOL);
        int64_t host[3] = {7, 7, 7};
        /* told by the call or by the copy */
        cp_array *r = cp_power(a, b);
        if (r) assert_int_equal(cp_to_host(r, host, sizeof host), CP_ERROR_VALUE);
        assert_non_null(strstr(cp_error_message(), "power"));
        failed(CP_ERROR_VALUE);
        cp_free(r);
        /* told once, by whatever looks first: a wait, or another operation */
        r = cp_power(a, b);
        cp_code code = cp_stream_synchronize(cp_stream_current(d));
        assert_int_equal(r ? code : cp_error(), CP_ERROR_VALUE);
        cp_error_clear();
        cp_free(r);
        assert_int_equal(cp_stream_synchronize(cp_stream_current(d)), CP_OK);
        r = cp_power(a, b);
        if (r) code = cp_device_synchronize(d);
        assert_int_equal(cp_error(), CP_ERROR_VALUE);
        cp_error_clear();
        cp_free(r);
        /* an exponent that takes no part does not count */
        cp_array *set = cp_set_item(yes, 1, (int64_t[]){1}, &(uint8_t){0}) ? NULL : yes;
        ok(set);
        cp_array *out = cp_zeros(CP_SHAPE(3), CP_INT64);
        r = powers(a, b, yes, out);
        ok(r);
        values(r, 4, 0, 1);
        cp_free(r);
        values(a, 2, 3, 4);
        cp_free(out);
        cp_free(a);
        cp_free(b);
        cp_free(yes);
    }
}

/* The failure is its stream's: work of another one is not disturbed. */
static void test_streams(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *a = ints(2, 3), *b = ints(1, -1);
        ok(cp_device_synchronize(d) == CP_OK);
        cp_stream *s = cp_stream_create(d);
        ok(s);
        ok(cp_stream_use(s) == CP_OK);
        cp_array *r = cp_power(a, b);
        bool at_once = !r;
        cp_error_clear();
        ok(cp_stream_use(NULL) == CP_OK);
        cp_array *sum = cp_add(a, a);
        values(sum, 4, 6);
        cp_free(sum);
        if (!at_once) assert_int_equal(cp_stream_synchronize(s), CP_ERROR_VALUE);
        cp_error_clear();
        cp_free(r);
        cp_stream_free(s);
        cp_free(a);
        cp_free(b);
    }
}

static bool power_body(void)
{
    cp_array *a = ints(2, 3), *b = a ? ints(2, 1) : NULL, *r = b ? cp_power(a, b) : NULL;
    int64_t host[2];
    bool done = r && cp_to_host(r, host, sizeof host) == CP_OK;
    cp_free(r);
    cp_free(b);
    cp_free(a);
    return done;
}

static void test_allocation(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) every_allocation_fails(power_body);
}

/* Last: the GPU is lost to the process afterwards, as CUDA has it. */
static void test_lost_device(void **state)
{
    (void)state;
    if (!cp_device_count()) skip(); /* nothing but a GPU fails like this */
    ok(cp_device_use(0) == CP_OK);
    cp_array *nowhere = cp_from_memory((void *)(uintptr_t)4096, CP_FLOAT64, CP_SHAPE(1000), NULL, 0, NULL, NULL);
    ok(nowhere);
    cp_array *sum = cp_sum(nowhere);
    double host;
    if (sum) assert_int_equal(cp_to_host(sum, &host, sizeof host), CP_ERROR_DEVICE);
    if (!strstr(cp_error_message(), "sum")) fail_msg("no operation in: %s", cp_error_message());
    failed(CP_ERROR_DEVICE);
    assert_int_equal(cp_device_synchronize(0), CP_ERROR_DEVICE);
    failed(CP_ERROR_DEVICE);
    cp_free(sum);
    cp_free(nowhere);
    ok(cp_device_use(CP_CPU) == CP_OK); /* the CPU works on */
    cp_array *x = doubles(1, 2);
    values(x, 1, 2);
    cp_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_negative_powers),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_allocation),
        cmocka_unit_test(test_lost_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
