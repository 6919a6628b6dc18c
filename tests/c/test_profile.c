/* Profiling: what is recorded, on every device, and that nothing is once it is off; threads that compute meanwhile. */
#include "check.h"

#include <pthread.h>

static int count_of(const char *text, const char *what)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, what)); p += strlen(what)) n++;
    return n;
}

static char *view_of(cp_profile_view view)
{
    char *text = cp_profile_string(view);
    ok(text != NULL);
    return text;
}

static void add_twice(void)
{
    cp_array *x = cp_arange_int(0, 100, 1, CP_INT64), *y = cp_add(x, x), *z = cp_add(y, x), *s = cp_sum(z);
    int64_t sum = 0;
    ok(s && cp_to_host(s, &sum, sizeof sum) == CP_OK);
    assert_int_equal(sum, 3 * 4950);
    cp_free(x), cp_free(y), cp_free(z), cp_free(s);
}

static void records_and_stops(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_profile_clear();
        ok(cp_profile_start() == CP_OK);
        ok(cp_profile_start() == CP_OK); /* goes on */
        add_twice();
        cp_profile_stop();
        add_twice();
        char *trace = view_of(CP_PROFILE_TRACE), *table = view_of(CP_PROFILE_TABLE);
        char *report = view_of(CP_PROFILE_REPORT);
        assert_int_equal(count_of(trace, "\"name\": \"add\""), 2);
        assert_int_equal(count_of(trace, "\"name\": \"sum\""), 1);
        assert_int_equal(count_of(table, " add\n"), 1);
        assert_int_equal(count_of(report, "copies to the host"), d != CP_CPU);
        cp_string_free(trace), cp_string_free(table), cp_string_free(report);
        cp_profile_clear();
        trace = view_of(CP_PROFILE_TRACE);
        assert_int_equal(count_of(trace, "\"ph\""), 0);
        cp_string_free(trace);
    }
    assert_null(cp_profile_string((cp_profile_view)7));
    failed(CP_ERROR_VALUE);
}

static int done; /* changed atomically */

static void *compute(void *device)
{
    const int d = *(int *)device;
    if (cp_device_use(d)) return "device";
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
        cp_array *x = cp_arange_int(0, 1000, 1, CP_INT64), *y = cp_multiply(x, x), *s = cp_sum(y);
        int64_t sum = s ? cp_item_int(s) : -1;
        cp_free(x), cp_free(y), cp_free(s);
        if (sum != 332833500) return "sum";
    }
    return NULL;
}

static void turns_on_and_off_under_way(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        pthread_t thread[3];
        void *wrong = NULL;
        __atomic_store_n(&done, 0, __ATOMIC_RELEASE);
        for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&thread[i], NULL, compute, &d), 0);
        for (int i = 0; i < 200; i++) {
            ok(cp_profile_start() == CP_OK);
            if (i % 10 == 0) cp_string_free(view_of((cp_profile_view)(i / 10 % 3)));
            if (i % 50 == 0) cp_profile_clear();
            cp_profile_stop();
        }
        __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(pthread_join(thread[i], &wrong), 0);
            if (wrong) fail_msg("%s", (char *)wrong);
        }
        cp_profile_clear();
    }
}

static void location(char *text, size_t bytes) { snprintf(text, bytes, "a \"file\".c:7"); }

static void asks_for_the_location(void **state)
{
    (void)state;
    int late;
    ok(cp_device_parse("late:0", &late) == CP_OK && cp_device_use(late) == CP_OK);
    cp_profile_location(location);
    ok(cp_profile_start() == CP_OK);
    add_twice();
    cp_profile_stop();
    cp_profile_location(NULL);
    char *report = view_of(CP_PROFILE_REPORT), *trace = view_of(CP_PROFILE_TRACE);
    assert_int_equal(count_of(report, "a \"file\".c:7: copies to the host"), 1);
    assert_int_equal(count_of(trace, "a \\\"file\\\".c:7"), 1);
    cp_string_free(report), cp_string_free(trace);
    cp_profile_clear();
    ok(cp_device_use(CP_CPU) == CP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_and_stops), cmocka_unit_test(turns_on_and_off_under_way),
        cmocka_unit_test(asks_for_the_location),
    };
    return check_run(tests);
}
