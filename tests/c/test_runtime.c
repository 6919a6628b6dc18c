/* The runtime around arrays: streams by flags and handles, host calls, kinds of memory, copies between devices,
 * allocators, limits, capture and graphs. tests/python/test_graphs.py tests captures in full. */
#include "check.h"

#include <pthread.h>

static void test_streams(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_stream *plain = cp_stream_create(d), *blocking = cp_stream_create(d, .blocking = true, .priority = -1);
        ok(plain && blocking);
        assert_false(cp_stream_is_blocking(plain));
        assert_true(cp_stream_is_blocking(blocking));
        assert_int_equal(cp_stream_priority(plain), 0);
        assert_true(cp_stream_priority(blocking) <= 0);
        assert_non_null(cp_stream_handle(plain));
        assert_null(cp_stream_handle(cp_stream_null(d)));
        /* a handle of this library gives that stream, which lives until the last owner has freed it */
        cp_stream *again = cp_stream_external(d, cp_stream_handle(plain));
        assert_ptr_equal(again, plain);
        ok(cp_stream_use(plain) == CP_OK);
        cp_stream_free(again);
        assert_ptr_equal(cp_stream_current(d), plain);
        cp_array *x = cp_ones(CP_SHAPE(1000), CP_FLOAT64);
        ok(cp_stream_synchronize(plain) == CP_OK);
        cp_stream_free(plain);
        assert_ptr_equal(cp_stream_current(d), cp_stream_null(d));
        cp_array *sum = cp_sum(x);
        values(sum, 1000);
        cp_free(sum), cp_free(x);
        assert_ptr_equal(cp_stream_external(d, NULL), cp_stream_null(d));
        cp_stream_free(cp_stream_null(d)); /* nothing happens */
        cp_stream_free(blocking);
        if (cp_stream_handle(cp_stream_null(d)) == NULL && d <= CP_CPU) {
            assert_null(cp_stream_external(d, (void *)(uintptr_t)4096));
            failed(CP_ERROR_DEVICE);
        }
    }
}

/* The null stream and blocking streams wait for each other; so `late`, which defers all work, gives the sum. */
static void test_blocking(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_stream *s = cp_stream_create(d, .blocking = true);
        cp_array *x = doubles(1, 2, 3);
        ok(cp_stream_use(s) == CP_OK);
        cp_array *y = cp_add(x, x);
        ok(cp_stream_use(NULL) == CP_OK);
        cp_array *z = cp_add(y, x);
        values(z, 3, 6, 9);
        cp_free(x), cp_free(y), cp_free(z);
        cp_stream_free(s);
    }
}

static void *thread_stream(void *device) { return cp_stream_per_thread(*(int *)device); }

static void test_stream_of_the_thread(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        pthread_t thread;
        void *others;
        cp_stream *own = cp_stream_per_thread(d);
        ok(own);
        assert_ptr_equal(cp_stream_per_thread(d), own);
        assert_true(cp_stream_is_blocking(own));
        assert_int_equal(pthread_create(&thread, NULL, thread_stream, &d), 0);
        pthread_join(thread, &others);
        assert_true(others && others != own);
    }
}

static void add(void *to) { __atomic_add_fetch((int *)to, 1, __ATOMIC_SEQ_CST); }
static void add_ten(void *to) { __atomic_add_fetch((int *)to, 10, __ATOMIC_SEQ_CST); }

typedef struct waits { cp_stream *stream; cp_code code; } waits;

static void wait_inside(void *p)
{
    waits *w = p;
    w->code = cp_stream_synchronize(w->stream); /* it would wait for itself */
}

static void test_host_calls(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        int count = 0;
        cp_stream *s = cp_stream_create(d);
        ok(cp_stream_call(s, add, &count, NULL) == CP_OK);
        ok(cp_stream_call(s, add, &count, add_ten) == CP_OK);
        ok(cp_stream_synchronize(s) == CP_OK);
        assert_int_equal(__atomic_load_n(&count, __ATOMIC_SEQ_CST), 12);
        waits w = {s, CP_OK};
        ok(cp_stream_call(s, wait_inside, &w, NULL) == CP_OK);
        ok(cp_stream_synchronize(s) == CP_OK); /* the error is the function's own */
        assert_int_equal(w.code, CP_ERROR_DEVICE);
        assert_int_equal(cp_stream_call(s, NULL, NULL, NULL), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        cp_stream_free(s);
    }
}

static void test_events(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        double ms;
        cp_event *quiet = cp_event_create(d, .no_timing = true), *sleepy = cp_event_create(d, .blocking = true);
        cp_event *shared = cp_event_create(d, .interprocess = true);
        ok(quiet && sleepy && shared);
        cp_event *all[] = {quiet, sleepy, shared};
        for (int i = 0; i < 3; i++) {
            ok(cp_event_record(all[i], NULL) == CP_OK && cp_event_synchronize(all[i]) == CP_OK);
            assert_int_equal(cp_event_done(all[i]), 1);
        }
        assert_int_equal(cp_event_elapsed(sleepy, quiet, &ms), CP_ERROR_DEVICE);
        failed(CP_ERROR_DEVICE);
        assert_int_equal(cp_event_elapsed(shared, sleepy, &ms), CP_ERROR_DEVICE);
        failed(CP_ERROR_DEVICE);
        for (int i = 0; i < 3; i++) cp_event_free(all[i]);
    }
}

/* --- memory --- */

static void test_kinds_of_memory(void **state)
{
    (void)state;
    enum { N = 100000 };
    static char out[N], in[N];
    for (int i = 0; i < N; i++) out[i] = (char)(i * 7);
    for (FOR_DEVICES(d)) {
        for (int kind = CP_MEMORY_DEVICE; kind <= CP_MEMORY_PINNED; kind++) {
            int64_t live = cp_test_live();
            int place = kind == CP_MEMORY_PINNED ? CP_CPU : d;
            char *p = cp_memory_new(d, N, (cp_memory_kind)kind), *q = cp_memory_new(d, N, CP_MEMORY_DEVICE);
            ok(p && q);
            memset(in, 0, N);
            ok(cp_memory_copy(p, place, out, CP_CPU, N) == CP_OK);
            ok(cp_memory_copy(q, d, p, place, N) == CP_OK);
            ok(cp_memory_copy(in, CP_CPU, q, d, N) == CP_OK);
            assert_memory_equal(in, out, N);
            cp_memory_free(d, p, N, (cp_memory_kind)kind);
            cp_memory_free(d, q, N, CP_MEMORY_DEVICE);
            cp_memory_free(d, NULL, 0, CP_MEMORY_DEVICE);
            assert_int_equal(cp_test_live(), live);
        }
        assert_null(cp_memory_new(d, (size_t)1 << 60, CP_MEMORY_DEVICE));
        failed(CP_ERROR_MEMORY);
        assert_null(cp_memory_new(d, 8, (cp_memory_kind)9));
        failed(CP_ERROR_VALUE);
        ok(cp_memory_copy(NULL, d, NULL, d, 0) == CP_OK);
        assert_int_equal(cp_memory_copy(NULL, d, in, CP_CPU, 8), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
    }
}

/* From each device to each other one and back; between two of one backend without the host. */
static void test_copies_between_devices(void **state)
{
    (void)state;
    int late;
    ok(cp_device_parse("late:1", &late) == CP_OK);
    for (FOR_DEVICES(d)) {
        int places[] = {CP_CPU, late, cp_device_count() > 1 ? 1 : CP_CPU};
        for (int i = 0; i < 3; i++) {
            cp_array *x = cp_arange(0, 100000, 1, CP_FLOAT32), *there = cp_to_device(x, places[i]);
            cp_array *zero = cp_float(0);
            ok(there && cp_fill(x, zero) == CP_OK); /* after the copy */
            assert_int_equal(cp_device_of(there), places[i]);
            cp_array *back = cp_to_device(there, d), *sum = cp_sum(places[i] == d ? x : back);
            values(sum, places[i] == d ? 0 : 4999950000.0f);
            cp_free(sum), cp_free(back), cp_free(there), cp_free(zero), cp_free(x);
        }
        assert_int_equal(cp_device_can_access(d, CP_CPU), 0);
    }
}

/* --- allocators --- */

static int given, taken;

static void *allocate(int device, size_t bytes, void **token)
{
    if (device != CP_CPU || bytes < 1000) return NULL; /* falls back to the pool */
    if (bytes > 1000000) return *token = &given, NULL; /* failed */
    given++;
    return *token = malloc(bytes);
}

static void release(void *token)
{
    taken++;
    free(token);
}

static void test_allocator(void **state)
{
    (void)state;
    ok(cp_device_use(CP_CPU) == CP_OK);
    given = taken = 0;
    cp_allocator_set(allocate, release);
    ok(cp_device_use(9999)); /* an earlier error is not taken for the allocator's */
    cp_array *small = cp_ones(CP_SHAPE(10), CP_FLOAT64), *x = cp_ones(CP_SHAPE(1000), CP_FLOAT64), *y = cp_add(x, x);
    ok(small && x && y);
    assert_int_equal(given, 2);
    cp_error_clear();
    assert_null(cp_empty(CP_SHAPE(1000000), CP_FLOAT64));
    failed(CP_ERROR_MEMORY);
    cp_allocator_set(NULL, NULL);
    cp_array *z = cp_add(y, y), *sum = cp_sum(z);
    assert_int_equal(given, 2);
    values(sum, 4000);
    cp_array *view = cp_slice(x, 1, (cp_index[]){CP_RANGE(0, 10)});
    cp_free(x);
    assert_int_equal(taken, 0);
    cp_free(view), cp_free(y), cp_free(z), cp_free(sum), cp_free(small);
    assert_int_equal(taken, 2); /* by the release function at the time of allocation */
}

/* --- limits --- */

static void test_limits(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_pool_stats s;
        cp_device_info info;
        ok(cp_pool_trim(d) == CP_OK && cp_device_query(d, &info) == CP_OK);
        ok(cp_pool_limit_share(d, 0.5) == CP_OK && cp_pool_query(d, &s) == CP_OK);
        assert_true(s.limit > 0 && s.limit <= info.memory_total / 2 + 1 && s.limit >= info.memory_total / 2 - 1);
        ok(cp_pool_limit_share(d, 0) == CP_OK && cp_pool_query(d, &s) == CP_OK);
        assert_int_equal(s.limit, 0);
        assert_int_equal(cp_pool_limit_share(d, 1.5), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        assert_int_equal(cp_pool_limit_share(d, NAN), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        cp_stream *t = cp_stream_create(d);
        ok(cp_stream_use(t) == CP_OK);
        cp_array *x = cp_zeros(CP_SHAPE(8 << 20), CP_INT8);
        ok(x && cp_pool_query(d, &s) == CP_OK);
        int64_t held = s.held;
        cp_free(x);
        ok(cp_pool_query(d, &s) == CP_OK);
        bool reuses = s.held == held; /* not under memory checkers */
        ok(cp_pool_trim_stream(cp_stream_null(d)) == CP_OK && cp_pool_query(d, &s) == CP_OK);
        if (reuses) assert_int_equal(s.held, held);
        ok(cp_pool_trim_stream(t) == CP_OK && cp_pool_query(d, &s) == CP_OK);
        assert_true(s.held < held);
        ok(cp_stream_use(NULL) == CP_OK);
        cp_stream_free(t);
    }
}

/* --- graphs --- */

static cp_stream *stream;
static cp_array *x, *y;

static bool graph_body(void)
{
    cp_graph *g = NULL;
    bool done = cp_stream_capture(stream, CP_CAPTURE_RELAXED) == CP_OK;
    if (!done) return false;
    cp_array *z = cp_add(x, x), *sum = z ? cp_add(z, x) : NULL;
    done = sum && cp_assign(y, sum) == CP_OK;
    cp_free(z), cp_free(sum);
    if (done) {
        done = (g = cp_stream_capture_end(stream)) != NULL;
    } else { /* the capture ends anyway; the first error stays */
        g = cp_stream_capture_end(stream);
    }
    done = done && cp_graph_launch(g, stream) == CP_OK && cp_graph_launch(g, stream) == CP_OK;
    done = done && cp_stream_synchronize(stream) == CP_OK;
    cp_graph_free(g);
    return done;
}

static void test_graphs(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        assert_int_equal(cp_stream_capture(cp_stream_null(d), CP_CAPTURE_RELAXED), CP_ERROR_RUNTIME);
        failed(CP_ERROR_RUNTIME);
        stream = cp_stream_create(d);
        ok(stream && cp_stream_use(stream) == CP_OK);
        assert_null(cp_stream_capture_end(stream));
        failed(CP_ERROR_DEVICE);
        assert_int_equal(cp_stream_capture(stream, (cp_capture_mode)7), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        x = doubles(1, 2, 3), y = cp_zeros(CP_SHAPE(3), CP_FLOAT64);
        ok(cp_device_synchronize(d) == CP_OK);
        every_allocation_fails(graph_body);
        values(y, 3, 6, 9);
        cp_free(x), cp_free(y);
        ok(cp_stream_use(NULL) == CP_OK);
        cp_stream_free(stream);
    }
}

/* --- the platform --- */

static void count_names(void *context, const char *name, int n, const int64_t *numbers, const char *text)
{
    if (n && (numbers || text) && strcmp(name, "maxThreadsPerBlock") == 0) *(int64_t *)context = numbers[0];
}

static void test_platform(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        int64_t threads = 0, out[8];
        int status = 0;
        cp_device_info info;
        ok(cp_device_query(d, &info) == CP_OK);
        ok(cp_device_properties(d, count_names, &threads) == CP_OK);
        if (d == CP_CPU || strcmp(info.backend, "cuda") == 0) assert_int_equal(threads, 1024);
        assert_int_equal(cp_device_properties(d, NULL, NULL), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        assert_int_equal(cp_device_call(d, "cudaNothing", 0, NULL, out, &status), -1);
        failed(CP_ERROR_UNSUPPORTED);
        if (strcmp(info.backend, "cuda") == 0) {
            assert_int_equal(cp_device_call(d, "cudaRuntimeGetVersion", 0, NULL, out, &status), 1);
            assert_true(status == 0 && out[0] >= 12000);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams), cmocka_unit_test(test_blocking), cmocka_unit_test(test_stream_of_the_thread),
        cmocka_unit_test(test_host_calls), cmocka_unit_test(test_events), cmocka_unit_test(test_kinds_of_memory),
        cmocka_unit_test(test_copies_between_devices), cmocka_unit_test(test_allocator), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_graphs), cmocka_unit_test(test_platform),
    };
    return check_run(tests);
}
