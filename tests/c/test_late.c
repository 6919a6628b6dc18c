/* Asynchronous errors, which only a running kernel can detect: reported at the latest by a wait, with the operation's
 * name; the library is usable afterwards. */
#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

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
        /* reported by the call or by the copy */
        cp_array *r = cp_power(a, b);
        if (r) assert_int_equal(cp_to_host(r, host, sizeof host), CP_ERROR_VALUE);
        assert_non_null(strstr(cp_error_message(), "power"));
        failed(CP_ERROR_VALUE);
        cp_free(r);
        /* reported once, by the first check: a wait, or another operation */
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
        /* a masked exponent is ignored */
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

/* The error belongs to its stream: work of another one is not affected. */
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

static int late_device(void)
{
    int d;
    ok(cp_device_parse("late:0", &d) == CP_OK && cp_device_use(d) == CP_OK);
    return d;
}

/* --- the mock device finds these defects: a synchronous device would miss each of them --- */

static void test_nothing_runs_unasked(void **state)
{
    (void)state;
    int d = late_device();
    cp_array *a = doubles(1, 2, 3), *b = cp_add(a, a);
    cp_event *e = cp_event_create(d);
    ok(b && e && cp_event_record(e, NULL) == CP_OK);
    usleep(20000);
    assert_int_equal(cp_event_done(e), 0);
    values(b, 2, 4, 6);
    assert_int_equal(cp_event_done(e), 1);
    cp_event_free(e);
    cp_free(a), cp_free(b);
}

/* Words of a structure that look like the device's addresses are moved: a small number beside the rest of a pointer, as
 * padding has it, must not. */
static void test_addresses_look_like_nothing_else(void **state)
{
    (void)state;
    late_device();
    cp_array *x = doubles(1, 2, 3);
    const uintptr_t a = (uintptr_t)cp_data(x);
#ifndef __SANITIZE_THREAD__ /* which gives memory where it likes */
    assert_int_not_equal(a >> 40, (uintptr_t)&x >> 40);      /* the stack */
    assert_int_not_equal(a >> 40, (uintptr_t)late_device >> 40);
#endif
    assert_true((a >> 32 & 255) >= 2);
    cp_free(x);
}

/* Reading or writing device memory from the host crashes the process. */
static void test_memory_is_the_queues(void **state)
{
    (void)state;
    late_device();
    cp_array *a = doubles(1, 2, 3);
    values(a, 1, 2, 3);
    for (int writes = 0; writes < 2; writes++) {
        pid_t child = fork();
        if (child == 0) {
            signal(SIGSEGV, SIG_DFL);
            volatile double *p = cp_data(a);
            if (writes) *p = 0;
            _exit(*p > 0 ? 1 : 2);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) > 2); /* the sanitizer's exit status */
#else
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
#endif
    }
    cp_free(a);
}

/* A child of a process that used the device gets an error. */
static void test_forked(void **state)
{
    (void)state;
    int d = late_device();
    cp_array *a = doubles(1, 2, 3);
    values(a, 1, 2, 3);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        double host[3];
        bool told = cp_to_host(a, host, sizeof host) == CP_ERROR_DEVICE;
        cp_error_clear();
        told &= cp_device_use(d) == CP_ERROR_DEVICE && strstr(cp_error_message(), "late:0") &&
                strstr(cp_error_message(), "forked");
        cp_error_clear();
        cp_free(a);
        cp_array *x = cp_device_use(CP_CPU) ? NULL : doubles(4);
        told &= x && cp_to_host(x, host, 8) == CP_OK && host[0] == 4;
        _exit(told ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    cp_free(a);
}

/* Without an event between them the stream that is waited for runs first, whatever the order of issue. */
static void test_missing_wait_is_seen(void **state)
{
    (void)state;
    int d = late_device();
    for (int waits = 0; waits < 2; waits++) {
        ok(cp_device_synchronize(d) == CP_OK); /* memory that earlier tests freed is poisoned by now */
        cp_stream *s = cp_stream_create(d);
        cp_event *e = cp_event_create(d);
        cp_array *a = doubles(1, 2, 3), *sum;
        ok(s && e && a && cp_event_record(e, NULL) == CP_OK && cp_stream_use(s) == CP_OK);
        if (waits) ok(cp_stream_wait(s, e) == CP_OK);
        ok(sum = cp_sum(a));
        double v = cp_item_float(sum);
        ok(cp_stream_use(NULL) == CP_OK);
        if (waits) {
            assert_true(v == 6);
        } else {
            assert_false(v == 6);
        }
        values(a, 1, 2, 3);
        cp_free(a), cp_free(sum);
        cp_event_free(e), cp_stream_free(s);
    }
}

static void test_freed_memory_is_poisoned(void **state)
{
    (void)state;
    int d = late_device();
    cp_array *a = cp_ones(CP_SHAPE(1000), CP_UINT8);
    cp_array *same = cp_from_memory(cp_data(a), CP_UINT8, CP_SHAPE(1000), NULL, d, NULL, NULL);
    ok(a && same);
    cp_array *high = cp_max(same);
    assert_true(cp_item_int(high) == 1);
    cp_free(a);
    cp_array *low = cp_min(same);
    assert_true(cp_item_int(low) == 0xfb);
    cp_free(high), cp_free(low), cp_free(same);
}

/* Reported late, once, with the operation's name, and by the stream of that work. */
static void test_failure_on_demand(void **state)
{
    (void)state;
    int d = late_device();
    cp_array *a = doubles(1, 2, 3), *host = cp_float(1);
    cp_stream *s = cp_stream_create(d);
    ok(a && s && cp_device_synchronize(d) == CP_OK);
    ok(cp_test_fail_operation(d, 2) == CP_OK);
    cp_array *b = cp_add(a, a), *sum = cp_sum(a), *c = cp_add(a, host);
    ok(b && sum && c);
    ok(cp_stream_use(s) == CP_OK);
    cp_array *other = cp_ones(CP_SHAPE(2), CP_FLOAT64);
    values(other, 1, 1); /* another stream has no error to report */
    ok(cp_stream_use(NULL) == CP_OK);
    assert_int_equal(cp_stream_synchronize(cp_stream_current(d)), CP_ERROR_DEVICE);
    assert_string_equal(cp_error_message(), "sum: failed on demand");
    cp_error_clear();
    ok(cp_stream_synchronize(cp_stream_current(d)) == CP_OK);
    values(c, 2, 3, 4);
    cp_free(a), cp_free(b), cp_free(c), cp_free(sum), cp_free(other), cp_free(host);
    cp_stream_free(s);
    assert_int_equal(cp_test_fail_operation(CP_CPU, 1), CP_ERROR_UNSUPPORTED);
    cp_error_clear();
}

/* --- work on the results of failed work --- */

static cp_array *square, *third, *places, *weights, *shares;
static cp_array *of_rows(void) { return cp_compress(third, square, 0); }
static cp_array *of_columns(void) { return cp_compress(third, square, 1); }
static cp_array *rows_set(void)
{
    cp_array *to = cp_copy(square);
    return to && cp_mask_set(to, third, weights) ? cp_free(to), NULL : to;
}
static cp_array *less(void) { return cp_setdiff1d(places, third); }
static cp_array *changed(cp_op op)
{
    cp_array *to = cp_copy(weights);
    return to && cp_ufunc_at(op, to, places, op == CP_OP_add ? weights : places) ? cp_free(to), NULL : to;
}
static cp_array *added(void) { return changed(CP_OP_add); }
static cp_array *scaled(void) { return changed(CP_OP_ldexp); }
static cp_array *shuffled(void)
{
    cp_rng *g = cp_rng_new(3);
    cp_array *r = g ? cp_rng_shuffled(g, square, 1) : NULL;
    cp_rng_free(g);
    return r;
}
static cp_array *counted(void) { return cp_bincount(places, .weights = weights); }
static cp_array *filled(void) { return cp_bincount(places); }
static cp_array *lower(void) { return cp_quantile(square, shares, .method = CP_QUANTILE_METHOD_LOWER); }
static cp_array *nearest(void) { return cp_nanquantile(square, shares, .method = CP_QUANTILE_METHOD_NEAREST); }
static cp_array *linear(void) { return cp_quantile(square, shares, .axis = CP_AXES(0)); }
static cp_array *weighed(void)
{
    return cp_quantile(weights, shares, .method = CP_QUANTILE_METHOD_INVERTED_CDF, .weights = weights);
}
static cp_array *histogram(void)
{
    cp_array *counts = NULL, *edges = NULL;
    if (cp_histogram(weights, 3, &counts, &edges, .weights = weights)) return NULL;
    return cp_free(edges), counts;
}

/* Each operation fails in turn: later ones read poison instead of indices, and stay within their arrays; nothing leaks,
 * and the error is reported by the call or the next wait. */
static void test_behind_a_failure(void **state)
{
    (void)state;
    static cp_array *(*const calls[])(void) = {of_rows, of_columns, rows_set, less, added, scaled, shuffled, counted,
                                               filled, lower, nearest, linear, weighed, histogram};
    int d = late_device();
    cp_array *line = cp_arange_int(0, 9, 1, CP_FLOAT64);
    square = line ? cp_reshape(line, CP_SHAPE(3, 3)) : NULL;
    third = ints(1, 0, 1), places = ints(1, 1, 0), weights = doubles(1, 2, 3), shares = doubles(0, 0.4, 1);
    cp_array *mask = cp_astype(third, CP_BOOL);
    cp_free(third), third = mask;
    ok(square && third && places && weights && shares);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        cp_array *r = calls[i](); /* fills caches */
        ok(r && cp_device_synchronize(d) == CP_OK);
        cp_free(r);
        ok(cp_device_synchronize(d) == CP_OK);
        const int64_t live = cp_test_live();
        bool fails = true;
        for (int n = 1; fails; n++) {
            assert_true(n < 1000);
            ok(cp_test_fail_operation(d, n) == CP_OK);
            r = calls[i]();
            fails = !r;
            if (fails) failed(CP_ERROR_DEVICE);
            cp_free(r);
            if (cp_device_synchronize(d)) {
                failed(CP_ERROR_DEVICE);
                fails = true;
            }
            ok(cp_test_fail_operation(d, 0) == CP_OK && cp_device_synchronize(d) == CP_OK);
            if (cp_test_live() != live) fail_msg("call %d, operation %d failing leaks", (int)i, n);
        }
    }
    cp_free(line), cp_free(square), cp_free(third), cp_free(places), cp_free(weights), cp_free(shares);
}

/* --- an array used on a stream other than its own --- */

static cp_array *op_sqrt(cp_array *x) { return cp_sqrt(x); }
static cp_array *op_add(cp_array *x) { return cp_add(x, x); }
static cp_array *op_sum(cp_array *x) { return cp_sum(x); }
static cp_array *op_median(cp_array *x) { return cp_median(x); }
static cp_array *op_sort(cp_array *x) { return cp_sort(x, -1); }
static cp_array *op_copy(cp_array *x) { return cp_copy(x); }
static cp_array *op_cast(cp_array *x) { return cp_astype(x, CP_INT32); }
static cp_array *op_flip(cp_array *x)
{
    cp_array *t = cp_transpose(x, CP_ALL), *r = cp_contiguous(t);
    cp_free(t);
    return r;
}
static cp_array *op_assign(cp_array *x)
{
    cp_array *r = cp_empty(CP_SHAPE(30, 40), CP_FLOAT64);
    ok(cp_assign(r, x) == CP_OK);
    return r;
}
static cp_array *op_convolve(cp_array *x)
{
    cp_array *line = cp_reshape(x, CP_SHAPE(1200)), *r = cp_convolve(line, line, CP_MODE_FULL);
    cp_free(line);
    return r;
}
static cp_array *op_where(cp_array *x)
{
    cp_array *zero = cp_float(0), *r = cp_where(x, x, zero);
    cp_free(zero);
    return r;
}
static cp_array *op_label(cp_array *x) { return cp_label(x, NULL, NULL, NULL); }

/* Its block is not reused before that stream's work is done: the other stream neither reads later contents nor writes
 * over them. */
static void test_used_elsewhere(void **state)
{
    (void)state;
    cp_array *(*const ops[])(cp_array *) = {op_sqrt, op_add, op_sum, op_median, op_sort, op_copy, op_cast, op_flip,
                                            op_assign, op_convolve, op_where, op_label};
    for (FOR_DEVICES(d)) {
        cp_stream *s = cp_stream_create(d);
        ok(s);
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
            cp_array *ramp = cp_arange(0, 1200, 1, CP_FLOAT64), *x = cp_reshape(ramp, CP_SHAPE(30, 40));
            cp_array *plain = ops[i](x);
            cp_free(ramp);
            ok(x && plain && cp_device_synchronize(d) == CP_OK && cp_stream_use(s) == CP_OK);
            cp_array *r = ops[i](x);
            ok(r && cp_stream_use(NULL) == CP_OK);
            cp_free(x);
            cp_array *next = cp_ones(CP_SHAPE(30, 40), CP_FLOAT64);
            ok(next && cp_stream_synchronize(cp_stream_current(d)) == CP_OK);
            ok(cp_stream_synchronize(s) == CP_OK);
            if (!cp_array_equal(r, plain, true)) fail_msg("device %d, operation %d read what came after", d, (int)i);
            cp_free(r), cp_free(plain), cp_free(next);
        }
        cp_array *x = cp_arange(0, 1200, 1, CP_FLOAT64), *y = cp_ones(CP_SHAPE(1200), CP_FLOAT64);
        ok(x && y && cp_device_synchronize(d) == CP_OK && cp_stream_use(s) == CP_OK);
        cp_array *r = cp_elementwise(CP_OP_negative, (cp_array *[]){x}, &(cp_ufunc_options){.out = y});
        ok(r && cp_stream_use(NULL) == CP_OK);
        cp_free(r), cp_free(y);
        cp_array *next = cp_ones(CP_SHAPE(1200), CP_FLOAT64);
        ok(cp_stream_synchronize(cp_stream_current(d)) == CP_OK && cp_stream_synchronize(s) == CP_OK);
        cp_array *least = cp_min(next);
        assert_true(cp_item_float(least) == 1);
        cp_free(next), cp_free(x), cp_free(least);
        cp_stream_free(s);
    }
}

/* More streams than a block remembers; streams that end before the block; memory is returned when all are done. */
static void test_used_by_many(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_pool_stats before, now;
        cp_array *sum[6];
        cp_array *x = cp_ones(CP_SHAPE(100000), CP_FLOAT64);
        ok(x && cp_device_synchronize(d) == CP_OK && cp_pool_query(d, &before) == CP_OK);
        for (int i = 0; i < 6; i++) {
            cp_stream *s = cp_stream_create(d);
            ok(s && cp_stream_use(s) == CP_OK);
            ok(sum[i] = cp_sum(x));
            ok(cp_stream_use(NULL) == CP_OK);
            cp_stream_free(s);
        }
        cp_free(x);
        cp_array *next = cp_zeros(CP_SHAPE(100000), CP_FLOAT64);
        ok(next && cp_device_synchronize(d) == CP_OK);
        for (int i = 0; i < 6; i++) {
            assert_true(cp_item_float(sum[i]) == 100000);
            cp_free(sum[i]);
        }
        cp_free(next);
        ok(cp_pool_query(d, &now) == CP_OK);
        assert_int_equal(now.used, before.used - 800256); /* x, in units of 512 bytes */
        ok(cp_pool_trim(d) == CP_OK);
    }
}

/* Two devices of one backend: values are copied from one to the other, operands do not mix, work of one does not wait
 * for the other's. */
static void test_two_devices(void **state)
{
    (void)state;
    int d = late_device(), other;
    ok(cp_device_parse("late:1", &other) == CP_OK);
    assert_int_not_equal(d, other);
    assert_int_not_equal(cp_device_parse("late:2", &other), CP_OK);
    failed(CP_ERROR_DEVICE);
    cp_array *a = doubles(1, 2, 3), *b = cp_add(a, a), *there = cp_to_device(b, other), *sum;
    ok(there);
    assert_int_equal(cp_device_of(there), other);
    assert_null(cp_add(there, b));
    if (!strstr(cp_error_message(), "late:0") || !strstr(cp_error_message(), "late:1"))
        fail_msg("%s", cp_error_message());
    failed(CP_ERROR_TWO_DEVICES);
    cp_event *e = cp_event_create(d);
    cp_array *c = cp_add(b, b);
    ok(c && e && cp_event_record(e, NULL) == CP_OK);
    ok(cp_device_use(other) == CP_OK);
    ok(sum = cp_sum(there));
    assert_true(cp_item_float(sum) == 12);
    ok(cp_device_synchronize(other) == CP_OK);
    assert_int_equal(cp_event_done(e), 0);
    ok(cp_device_use(d) == CP_OK);
    values(c, 4, 8, 12);
    cp_free(a), cp_free(b), cp_free(c), cp_free(there), cp_free(sum);
    cp_event_free(e);
}

/* Last: the GPU is unusable in the process afterwards, as in CUDA. */
static void test_lost_device(void **state)
{
    (void)state;
    if (!cp_device_count()) skip(); /* only a GPU fails like this */
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
        cmocka_unit_test(test_nothing_runs_unasked),
        cmocka_unit_test(test_addresses_look_like_nothing_else),
        cmocka_unit_test(test_memory_is_the_queues),
        cmocka_unit_test(test_forked),
        cmocka_unit_test(test_missing_wait_is_seen),
        cmocka_unit_test(test_freed_memory_is_poisoned),
        cmocka_unit_test(test_failure_on_demand),
        cmocka_unit_test(test_behind_a_failure),
        cmocka_unit_test(test_two_devices),
        cmocka_unit_test(test_used_elsewhere),
        cmocka_unit_test(test_used_by_many),
        cmocka_unit_test(test_lost_device),
    };
    return check_run(tests);
}
