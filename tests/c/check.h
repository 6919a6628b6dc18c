/* Declarations shared by the C tests: cmocka, a loop over the devices of this machine, and arrays from literals. */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuprite.h"
#include "cuprite/testing.h"

/* Device i of those that tests run on: the CPU, late:0, the GPUs, or only the one that CUPRITE_DEVICE names. False
 * after the last, with the CPU current. */
static inline bool check_device(int i, int *device)
{
    const char *only = getenv("CUPRITE_DEVICE");
    if (only && i == 0) {
        if (cp_device_parse(only, device) || cp_device_use(*device)) fail_msg("CUPRITE_DEVICE: %s", cp_error_message());
        return true;
    }
    *device = i == 0 || only ? CP_CPU : i - 2;
    if (only) return cp_device_use(CP_CPU) != CP_OK;
    if (i == 1 && cp_device_parse("late:0", device)) fail_msg("no test device: %s", cp_error_message());
    bool there = i < 2 + cp_device_count();
    if (!there) *device = CP_CPU;
    if (cp_device_use(*device)) fail_msg("device %d: %s", *device, cp_error_message());
    return there;
}
/* for (FOR_DEVICES(d)) { ... }: the body runs with each of them current. */
#define FOR_DEVICES(d) int d = CP_CPU, place_of_##d = 0; check_device(place_of_##d, &d); place_of_##d++

/* Does this process run the next case of a test with many? CUPRITE_SHARE=2/8: the third of every eight; all if it is
 * not set. Slow tools run the shares in parallel. */
static inline bool check_share(void)
{
    static int64_t cases;
    const char *share = getenv("CUPRITE_SHARE");
    int mine, of;
    if (!share) return true;
    if (sscanf(share, "%d/%d", &mine, &of) != 2 || of < 1) fail_msg("CUPRITE_SHARE: %s is no share", share);
    return cases++ % of == mine;
}

/* The result of main: the number of failed tests, of those whose name matches the pattern CUPRITE_TEST ("test_rows",
 * "*axis*"), all if it is not set. */
#define check_run(tests) (cmocka_set_test_filter(getenv("CUPRITE_TEST")), cmocka_run_group_tests(tests, NULL, NULL))

/* The call succeeded; else the test fails with the error message. */
#define ok(expression)                                                                       \
    do {                                                                                     \
        if (!(expression)) fail_msg("%s: %s", #expression, cp_error_message());              \
    } while (0)
/* The last call failed with this code; the record is cleared. */
#define failed(code_)                                                                                                  \
    do {                                                                                                               \
        if (cp_error() != (code_))                                                                                     \
            fail_msg("expected %s, got %s (%s)", cp_code_string(code_), cp_code_string(cp_error()),                    \
                     cp_error_message());                                                                              \
        cp_error_clear();                                                                                              \
    } while (0)

/* The same, and this is what it says. */
#define failed_with(code_, text_)                                                                                      \
    do {                                                                                                               \
        if (strcmp(cp_error_message(), text_)) fail_msg("said \"%s\", not \"%s\"", cp_error_message(), text_);         \
        failed(code_);                                                                                                 \
    } while (0)

/* A 1-d float64 (or int64) array on the current device. */
#define doubles(...) cp_from_host((double[]){__VA_ARGS__}, CP_FLOAT64, \
    CP_SHAPE(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), NULL)
#define ints(...) cp_from_host((int64_t[]){__VA_ARGS__}, CP_INT64, \
    CP_SHAPE(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), NULL)

/* x's elements, converted to float64, equal the values (NaN equals NaN). */
static inline void check_values(cp_array *x, int n, const double *want)
{
    ok(x);
    assert_int_equal(cp_size(x), n);
    cp_array *f = cp_astype(x, CP_FLOAT64);
    ok(f);
    double *got = malloc((size_t)(n ? n : 1) * sizeof *got);
    ok(cp_to_host(f, got, (size_t)n * sizeof *got) == CP_OK);
    for (int i = 0; i < n; i++)
        if (!(got[i] == want[i] || (isnan(got[i]) && isnan(want[i]))))
            fail_msg("element %d: got %.17g, expected %.17g", i, got[i], want[i]);
    free(got);
    cp_free(f);
}
/* The same within a bound, of float64 elements. */
static inline void check_near(cp_array *x, double bound, int n, const double *want)
{
    ok(x);
    assert_int_equal(cp_size(x), n);
    double *got = malloc((size_t)(n ? n : 1) * sizeof *got);
    ok(cp_to_host(x, got, (size_t)n * sizeof *got) == CP_OK);
    for (int i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= bound)) fail_msg("element %d: got %.17g, expected %.17g", i, got[i], want[i]);
    free(got);
}
#define near_values(x, bound, ...) check_near((x), (bound), (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), \
    (const double[]){__VA_ARGS__})
#define values(x, ...) check_values((x), (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), \
    (const double[]){__VA_ARGS__})

/* Were all of n arrays made? They are freed: the end of a `body` for the next function. */
static inline bool check_all_made(size_t n, cp_array **made)
{
    bool all = true;
    for (size_t i = 0; i < n; i++) {
        all &= made[i] != NULL;
        cp_free(made[i]);
    }
    return all;
}

/* Runs `body` with the 1st, 2nd, ... allocation failing until it succeeds untouched. `body` returns true on
 * success and must free what it made. Checks that nothing leaks, that a failure is a memory error, and that a success
 * has set no error, which would be attributed to the next call or hide a wrong result. */
static inline void every_allocation_fails(bool (*body)(void))
{
    cp_error_clear();
    if (!body() || cp_device_synchronize(CP_CURRENT)) /* fills caches */
        fail_msg("without a failure: %s", cp_error_message());
    int64_t live = cp_test_live();
    for (int64_t n = 1;; n++) {
        cp_test_fail_allocation(n);
        bool done = body();
        bool hit = cp_test_allocations() >= n;
        cp_test_fail_allocation(0);
        if (done && cp_error()) fail_msg("allocation %d failing is passed over: %s", (int)n, cp_error_message());
        if (cp_device_synchronize(CP_CURRENT)) done = false; /* pending work may hold memory, or fail */
        if (!done) {
            failed(CP_ERROR_MEMORY);
        }
        if (cp_test_live() != live)
            fail_msg("allocation %d failing leaks %d blocks", (int)n, (int)(cp_test_live() - live));
        if (!hit) {
            assert_true(done);
            return;
        }
    }
}

#endif
