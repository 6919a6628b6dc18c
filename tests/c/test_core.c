/* Shapes, views, scopes, errors, the pool, streams, threads: everything that needs no kernel. */
#include "check.h"

#include <pthread.h>

static void error_record(void **state)
{
    (void)state;
    cp_error_clear();
    assert_int_equal(cp_error(), CP_OK);
    assert_string_equal(cp_error_message(), "");
    assert_null(cp_empty(CP_SHAPE(-1), CP_FLOAT32));
    assert_int_equal(cp_error(), CP_ERROR_VALUE);
    char first[256];
    snprintf(first, sizeof first, "%s", cp_error_message());
    assert_null(cp_reshape(NULL, CP_SHAPE(3))); /* the first record is kept */
    assert_string_equal(cp_error_message(), first);
    failed(CP_ERROR_VALUE);
    assert_null(cp_ravel(NULL));
    failed(CP_ERROR_VALUE);
    for (int c = 0; c < CP_NERRORS; c++) assert_non_null(cp_code_string((cp_code)c));
    assert_string_equal(cp_code_exception(CP_ERROR_AXIS), "AxisError");
}

static void sizes_do_not_wrap(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        assert_null(cp_empty(CP_SHAPE(INT64_MAX, INT64_MAX), CP_INT8));
        failed(CP_ERROR_VALUE);
        assert_null(cp_empty(CP_SHAPE(INT64_MAX / 4, 3, 0), CP_COMPLEX128));
        failed(CP_ERROR_VALUE);
        assert_null(cp_empty(CP_SHAPE(INT64_MAX / 16 + 1), CP_COMPLEX128));
        failed(CP_ERROR_VALUE);
        assert_null(cp_empty(CP_SHAPE(INT64_MAX / 4), CP_INT8)); /* no memory for this one */
        failed(CP_ERROR_MEMORY);
        int64_t ones[65];
        for (int i = 0; i < 65; i++) ones[i] = 1;
        assert_null(cp_empty((cp_shape){65, ones}, CP_INT8));
        failed(CP_ERROR_VALUE);
        cp_array *x = cp_empty((cp_shape){64, ones}, CP_INT8);
        ok(x);
        assert_int_equal(cp_ndim(x), 64);
        cp_free(x);
        assert_null(cp_empty(CP_SHAPE(3), (cp_type)99));
        failed(CP_ERROR_TYPE);
    }
}

/* Structs with a count and a NULL pointer, or a negative count. */
static void shapes_and_axes_that_mean_nothing(void **state)
{
    (void)state;
    static const int zero[1];
    static const int64_t one[1] = {1};
    const cp_shape shapes[] = {{2, NULL}, {-1, one}, {-1, NULL}, {CP_MAXDIM + 1, NULL}};
    const cp_axes axes[] = {{-3, zero}, {-3, NULL}, {1, NULL}};
    cp_array *x = doubles(1);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        assert_null(cp_zeros(shapes[i], CP_FLOAT32));
        failed(CP_ERROR_VALUE);
        assert_null(cp_full(shapes[i], CP_FLOAT32, x));
        failed(CP_ERROR_VALUE);
        assert_null(cp_from_host(one, CP_INT8, shapes[i], NULL));
        failed(CP_ERROR_VALUE);
        assert_null(cp_broadcast_to(x, shapes[i]));
        failed(CP_ERROR_VALUE);
        assert_null(cp_reshape(x, shapes[i]));
        failed(CP_ERROR_VALUE);
    }
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        assert_null(cp_sum(x, .axis = axes[i]));
        failed(CP_ERROR_VALUE);
        assert_null(cp_squeeze(x, axes[i]));
        failed(CP_ERROR_VALUE);
        assert_null(cp_median(x, .axis = axes[i]));
        failed(CP_ERROR_VALUE);
    }
    cp_free(x);
}

static void views(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        for (CP_SCOPE) {
            double host[24];
            for (int i = 0; i < 24; i++) host[i] = i;
            cp_array *x = cp_from_host(host, CP_FLOAT64, CP_SHAPE(2, 3, 4), NULL);
            ok(x);
            cp_array *t = cp_transpose(x, CP_AXES(2, 0, 1));
            ok(t);
            assert_int_equal(cp_dim(t, 0), 4);
            assert_int_equal(cp_dim(t, -1), 3);
            assert_true(cp_data(t) == cp_data(x));
            cp_array *r = cp_reshape(x, CP_SHAPE(6, -1));
            ok(r);
            assert_true(cp_data(r) == cp_data(x));
            assert_int_equal(cp_dim(r, 1), 4);
            cp_array *s = cp_slice(x, 2, (cp_index[]){CP_AT(1), CP_STEP(2, 0, -1)});
            values(s, 20, 21, 22, 23, 16, 17, 18, 19);
            s = cp_slice(x, 3, (cp_index[]){CP_ELLIPSIS, CP_NEW, CP_AT(-1)});
            ok(s);
            assert_int_equal(cp_ndim(s), 3);
            values(s, 3, 7, 11, 15, 19, 23);
            assert_null(cp_slice(x, 1, (cp_index[]){CP_AT(2)}));
            failed(CP_ERROR_INDEX);
            assert_null(cp_slice(x, 4, (cp_index[]){CP_FULL, CP_FULL, CP_FULL, CP_FULL}));
            failed(CP_ERROR_INDEX);
            assert_null(cp_reshape(x, CP_SHAPE(5, 5)));
            failed(CP_ERROR_VALUE);
            assert_null(cp_transpose(x, CP_AXES(0, 0, 1)));
            failed(CP_ERROR_VALUE);
            assert_null(cp_swapaxes(x, 0, 3));
            failed(CP_ERROR_AXIS);
            values(cp_diagonal(cp_slice(x, 1, (cp_index[]){CP_AT(0)}), 1, 0, 1), 1, 6, 11);
            cp_array *copy = cp_reshape(t, CP_SHAPE(24)); /* no view is possible */
            ok(copy);
            assert_true(cp_data(copy) != cp_data(t));
            cp_array *b = cp_broadcast_to(cp_slice(x, 2, (cp_index[]){CP_AT(0), CP_AT(0)}), CP_SHAPE(3, 4));
            ok(b);
            assert_int_equal(cp_strides(b)[0], 0);
            assert_int_not_equal(cp_assign(b, x), CP_OK);
            failed(CP_ERROR_VALUE);
            cp_array *own = cp_ones(CP_SHAPE(3), CP_INT32);
            ok(cp_set_writable(own, false) == CP_OK);
            cp_array *view = cp_slice(own, 1, (cp_index[]){CP_RANGE(0, 2)});
            assert_false(cp_is_writable(own) || cp_is_writable(view));
            assert_int_not_equal(cp_fill(own, cp_int(3)), CP_OK);
            failed(CP_ERROR_VALUE);
            ok(cp_set_writable(own, true) == CP_OK && cp_fill(own, cp_int(3)) == CP_OK);
            values(view, 3, 3);
            assert_int_not_equal(cp_set_writable(cp_int(3), true), CP_OK);
            failed(CP_ERROR_VALUE);
            assert_int_not_equal(cp_set_writable(NULL, true), CP_OK);
            failed(CP_ERROR_VALUE);
        }
        assert_int_equal(cp_error(), CP_OK);
    }
}

static void overlapping_assignment(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *x = ints(0, 1, 2, 3, 4, 5, 6, 7);
            ok(cp_assign(cp_slice(x, 1, (cp_index[]){CP_RANGE(1, 8)}),
                         cp_slice(x, 1, (cp_index[]){CP_RANGE(0, 7)})) == CP_OK);
            values(x, 0, 0, 1, 2, 3, 4, 5, 6);
            cp_array *y = ints(0, 1, 2, 3);
            ok(cp_assign(y, cp_slice(y, 1, (cp_index[]){{CP_IX_SLICE, 0, 0, -1, 0}})) == CP_OK);
            values(y, 3, 2, 1, 0);
        }
}

static void creation(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            values(cp_zeros(CP_SHAPE(2, 2), CP_COMPLEX64), 0, 0, 0, 0);
            values(cp_ones(CP_SHAPE(3), CP_FLOAT16), 1, 1, 1);
            values(cp_full(CP_SHAPE(2), CP_DEFAULT, cp_float(2.5)), 2.5, 2.5);
            values(cp_arange(0, 1, 0.25, CP_DEFAULT), 0, 0.25, 0.5, 0.75);
            values(cp_arange_int(5, 0, -2, CP_DEFAULT), 5, 3, 1);
            values(cp_progression(3, cp_float(1), cp_float(1.5), CP_FLOAT16), 1, 1.5, 2);
            values(cp_progression(3, cp_int(7), cp_int(5), CP_DEFAULT), 7, 5, 3);
            values(cp_real_part(cp_progression(3, cp_complex(1, 2), cp_complex(2, 0), CP_COMPLEX64)), 1, 2, 3);
            values(cp_imag_part(cp_progression(3, cp_complex(1, 2), cp_complex(2, 0), CP_COMPLEX64)), 2, 0, -2);
            assert_null(cp_progression(3, cp_int(0), cp_int(1), CP_BOOL));
            failed(CP_ERROR_TYPE);
            assert_null(cp_progression(3, cp_zeros(CP_SHAPE(1), CP_INT64), cp_int(1), CP_DEFAULT));
            failed(CP_ERROR_TYPE);
            assert_int_equal(cp_size(cp_arange(0, 1, INFINITY, CP_DEFAULT)), 1);
            values(cp_ramp(0, 1, 5, true, CP_DEFAULT), 0, 0.25, 0.5, 0.75, 1);
            values(cp_ramp(0, 1, 1, true, CP_FLOAT32), 0);
            assert_int_equal(cp_size(cp_arange(3, 0, 1, CP_DEFAULT)), 0);
            assert_null(cp_arange_int(0, 5, 0, CP_DEFAULT));
            failed(CP_ERROR_ZERO_DIVISION);
            assert_null(cp_arange(5, 5, -0.0, CP_DEFAULT));
            failed(CP_ERROR_ZERO_DIVISION);
            assert_null(cp_ramp(0, 1, -1, true, CP_DEFAULT));
            failed(CP_ERROR_VALUE);
            assert_true(cp_item_float(cp_float(2.5)) == 2.5);
            assert_true(cp_item_int(cp_int(7)) == 7);
        }
}

static void one_element(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *x = cp_zeros(CP_SHAPE(2, 3), CP_FLOAT64), *t = cp_transpose(x, CP_ALL);
            ok(cp_set_item(x, 2, (int64_t[]){1, -1}, &(double){5}) == CP_OK);
            ok(cp_set_item(t, 2, (int64_t[]){1, 0}, &(double){7}) == CP_OK);
            values(x, 0, 7, 0, 0, 0, 5);
            cp_array *zero = cp_zeros(CP_SHAPE0, CP_INT16);
            ok(cp_set_item(zero, 0, NULL, &(int16_t){-3}) == CP_OK);
            values(zero, -3);
            assert_int_equal(cp_set_item(x, 1, (int64_t[]){0}, &(double){1}), CP_ERROR_INDEX);
            failed(CP_ERROR_INDEX);
            assert_int_equal(cp_set_item(x, 2, (int64_t[]){0, 3}, &(double){1}), CP_ERROR_INDEX);
            failed(CP_ERROR_INDEX);
            assert_int_equal(cp_set_item(x, 2, (int64_t[]){-3, 0}, &(double){1}), CP_ERROR_INDEX);
            failed(CP_ERROR_INDEX);
            assert_int_equal(cp_set_item(cp_int(1), 0, NULL, &(int64_t){1}), CP_ERROR_VALUE);
            failed(CP_ERROR_VALUE);
            assert_int_equal(cp_set_item(cp_broadcast_to(zero, CP_SHAPE(2)), 1, (int64_t[]){0}, &(int16_t){1}),
                             CP_ERROR_VALUE);
            failed(CP_ERROR_VALUE);
            assert_int_equal(cp_set_item(NULL, 0, NULL, NULL), CP_ERROR_VALUE);
            failed(CP_ERROR_VALUE);
        }
}

/* A view keeps the elements when their original array is freed, wherever they are stored. */
static void views_outlive_their_array(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (int64_t n = 2; n < 4000; n *= 3) {
            int64_t live = cp_test_live();
            cp_pool_stats before, now;
            ok(cp_pool_query(d, &before) == CP_OK);
            cp_array *x = cp_arange_int(0, n, 1, CP_FLOAT64), *v = cp_slice(x, 1, (cp_index[]){CP_AT(n - 1)});
            cp_free(x);
            ok(cp_pool_query(d, &now) == CP_OK);
            assert_true(now.used >= before.used + n * 8 && now.held >= now.used && now.peak >= now.used);
            cp_array *minus = cp_float(-1), *y = cp_full(CP_SHAPE(n), CP_FLOAT64, minus); /* would take the memory */
            values(v, (double)(n - 1));
            cp_free(minus), cp_free(y), cp_free(v);
            ok(cp_pool_query(d, &now) == CP_OK);
            assert_int_equal(now.used, before.used);
            assert_int_equal(cp_test_live(), live);
        }
}

static bool make_and_move(void)
{
    double host[6] = {1, 2, 3, 4, 5, 6}, back[6];
    cp_array *x = cp_from_host(host, CP_FLOAT64, CP_SHAPE(2, 3), NULL);
    cp_array *t = x ? cp_transpose(x, CP_ALL) : NULL;
    cp_array *c = t ? cp_copy(t) : NULL;
    cp_array *a = c ? cp_astype(c, CP_INT16) : NULL;
    cp_array *r = a ? cp_reshape(a, CP_SHAPE(6)) : NULL;
    cp_array *s = r ? cp_from_host(host + 5, CP_FLOAT64, CP_SHAPE(3), (int64_t[]){-16}) : NULL;
    bool done = s && cp_to_host(t, back, sizeof back) == CP_OK && back[1] == 4;
    if (!done) /* inputs are as they were */
        for (int i = 0; i < 6; i++) assert_true(host[i] == i + 1);
    cp_free(s), cp_free(r), cp_free(a), cp_free(c), cp_free(t), cp_free(x);
    return done;
}

static void allocation_failures(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) every_allocation_fails(make_and_move);
}

static void scopes(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        int64_t live = cp_test_live();
        cp_array *kept = NULL;
        for (CP_SCOPE) {
            for (int i = 0; i < 10; i++) cp_empty(CP_SHAPE(i), CP_INT32);
            cp_array *gone = cp_empty(CP_SHAPE(4), CP_INT8);
            cp_free(gone);
            kept = cp_keep(cp_empty(CP_SHAPE(3), CP_FLOAT64));
            cp_scope_begin(); /* left open: the outer end closes it */
            cp_empty(CP_SHAPE(2), CP_FLOAT64);
        }
        assert_int_equal(cp_size(kept), 3);
        cp_free(kept);
        assert_int_equal(cp_test_live(), live);
        /* a result that shares an argument's elements belongs to the scope too */
        cp_array *x = doubles(1, 2, 3), *y = NULL;
        live = cp_test_live();
        for (CP_SCOPE) {
            cp_to_device(x, d);
            cp_contiguous(x);
            cp_real_part(x);
            cp_to_device(cp_float(1), d);
            cp_elementwise(CP_OP_add, (cp_array *[]){x, x}, &(cp_ufunc_options){.out = x});
            y = cp_keep(cp_contiguous(x));
        }
        values(y, 2, 4, 6);
        cp_free(y);
        assert_int_equal(cp_test_live(), live);
        cp_free(x);
    }
}

/* Results that share x's elements: each is a separate array, for one cp_free or for the scope. */
static void results_are_the_callers(void **state)
{
    (void)state;
    enum { MOST = 32 };
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2, 3), *mask = cp_ones(CP_SHAPE(3), CP_BOOL), *n = ints(1, 0, 1);
        cp_array *one = cp_zeros(CP_SHAPE0, CP_FLOAT64), *scalar = cp_float(2);
        cp_array *view = cp_reshape(one, CP_SHAPE0);
        for (int scoped = 0; scoped < 2; scoped++) {
            int64_t live = cp_test_live();
            cp_scope *scope = scoped ? cp_scope_begin() : NULL;
            cp_array *made[MOST] = {
                cp_to_device(x, d), cp_contiguous(x), cp_real_part(x), cp_reshape(x, CP_SHAPE(3)), cp_ravel(x),
                cp_transpose(x, CP_ALL), cp_squeeze(x, CP_ALL), cp_expand_dims(x, CP_NONE), cp_swapaxes(x, 0, 0),
                cp_broadcast_to(x, CP_SHAPE(3)), cp_view_as(x, CP_FLOAT64), cp_astype(x, CP_FLOAT64), cp_copy(x),
                cp_slice(x, CP_ITEMS(CP_ELLIPSIS)), cp_to_device(scalar, d), cp_contiguous(scalar), cp_ravel(scalar),
                cp_real_part(scalar), cp_elementwise(CP_OP_add, (cp_array *[]){x, x}, &(cp_ufunc_options){.out = x}),
                cp_elementwise(CP_OP_add, (cp_array *[]){x, x}, &(cp_ufunc_options){.out = x, .where = mask}),
                cp_sum(x, .out = one), cp_sum(x, .out = view), cp_mean(x, .out = one, .where = mask),
                cp_max(x, .out = one, .where = mask, .initial = one), cp_median(x, .out = one),
                cp_label(n, NULL, n, NULL), cp_sum(x, .axis = CP_NONE),
            };
            for (int i = 0; i < MOST && made[i]; i++) {
                for (int k = 0; k < i; k++) assert_ptr_not_equal(made[i], made[k]);
                assert_true(made[i] != x && made[i] != n && made[i] != one && made[i] != view && made[i] != scalar);
            }
            ok(made[26]);
            for (int i = 0; i < MOST && !scoped; i++) cp_free(made[i]);
            cp_scope_end(scope);
            assert_int_equal(cp_test_live(), live);
        }
        cp_free(view), cp_free(scalar), cp_free(one), cp_free(n), cp_free(mask), cp_free(x);
    }
}

static int leave_by_return(cp_array *x)
{
    for (CP_SCOPE) {
        for (CP_SCOPE) {
            cp_copy(x);
            if (cp_negative(x)) return (int)cp_size(cp_copy(x));
        }
    }
    return 0;
}

static void scopes_end_on_every_way_out(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2, 3);
        int64_t live = cp_test_live();
        int rounds = 0;
        for (CP_SCOPE) {
            cp_copy(x);
            if (cp_copy(x)) break;
            rounds++;
        }
        for (CP_SCOPE) {
            cp_copy(x);
            if (cp_copy(x)) continue;
            rounds++;
        }
        assert_int_equal(leave_by_return(x), 3);
        for (CP_SCOPE) {
            cp_copy(x);
            goto out;
        }
        rounds++;
    out:
        assert_int_equal(rounds, 0);
        cp_array *outside = cp_copy(x);
        cp_free(outside);
        assert_int_equal(cp_test_live(), live); /* and no scope is open: no other owner of this copy */
        cp_scope *s = cp_scope_begin();
        cp_scope_end(s);
        cp_scope *outer = cp_scope_begin();
        cp_copy(x);
        cp_scope_end(s == outer ? NULL : s); /* ended before: the outer one stays open */
        cp_copy(x);
        cp_scope_end(outer);
        assert_int_equal(cp_test_live(), live);
        cp_test_fail_allocation(1);
        for (CP_SCOPE) rounds++;
        cp_test_fail_allocation(0);
        failed(CP_ERROR_MEMORY);
        assert_int_equal(rounds, 0);
        cp_free(x);
    }
}

static void pool(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_pool_stats before, now;
        ok(cp_pool_trim(d) == CP_OK);
        ok(cp_pool_query(d, &before) == CP_OK);
        cp_array *x = cp_empty(CP_SHAPE(5 << 20), CP_INT8);
        ok(x);
        ok(cp_pool_query(d, &now) == CP_OK);
        assert_true(now.used >= before.used + (5 << 20));
        assert_true(now.held >= now.used);
        ok(cp_pool_limit(d, now.held + (1 << 20)) == CP_OK);
        assert_null(cp_empty(CP_SHAPE(300 << 20), CP_INT8));
        failed(CP_ERROR_MEMORY);
        ok(cp_pool_limit(d, 0) == CP_OK);
        cp_free(x);
        ok(cp_pool_query(d, &now) == CP_OK);
        assert_int_equal(now.used, before.used);
        /* random sizes, freed in another order: memory is disjoint and all of it comes back */
        enum { N = 200 };
        cp_array *a[N] = {0};
        unsigned seed = 1;
        for (int round = 0; round < 2000; round++) {
            seed = seed * 1103515245u + 12345u;
            int i = (int)(seed >> 16) % N;
            if (a[i]) {
                cp_free(a[i]);
                a[i] = NULL;
                continue;
            }
            ok(a[i] = cp_empty(CP_SHAPE((int64_t)(seed >> 8) % (round % 10 ? 5000 : 3000000)), CP_INT8));
            for (int j = 0; j < N; j++)
                if (j != i && a[j] && cp_size(a[j]) && cp_size(a[i])) {
                    char *p = cp_data(a[i]), *q = cp_data(a[j]);
                    assert_true(p + cp_size(a[i]) <= q || q + cp_size(a[j]) <= p);
                }
        }
        for (int i = 0; i < N; i++) cp_free(a[i]);
        ok(cp_pool_query(d, &now) == CP_OK);
        assert_int_equal(now.used, before.used);
        ok(cp_pool_trim(d) == CP_OK);
        ok(cp_pool_query(d, &now) == CP_OK);
        assert_true(now.held <= before.held + (2 << 20));
    }
}

/* A request larger than the machine's memory is an error at once; so is one beyond a limit, cached or not. */
static void beyond_memory(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_device_info info;
        ok(cp_device_query(d, &info) == CP_OK);
        int64_t n = info.memory_total / 8;
        assert_null(cp_empty(CP_SHAPE(1LL << 40), CP_FLOAT64));
        failed(CP_ERROR_MEMORY);
        assert_null(cp_empty(CP_SHAPE(n + n / 8), CP_FLOAT64));
        failed(CP_ERROR_MEMORY);
        assert_null(cp_zeros(CP_SHAPE(n + n / 8), CP_FLOAT64));
        failed(CP_ERROR_MEMORY);
        cp_array *one = doubles(1);
        cp_array *wide = cp_broadcast_to(one, CP_SHAPE(1LL << 40));
        ok(wide);
        assert_null(cp_copy(wide));
        failed(CP_ERROR_MEMORY);
        cp_free(wide), cp_free(one);
        cp_array *x = cp_ones(CP_SHAPE(3), CP_INT32); /* the next call works */
        values(x, 1, 1, 1);
        cp_free(x);
    }
}

static void limit_below_what_is_cached(void **state)
{
    (void)state;
    enum { MB = 1 << 20 };
    for (FOR_DEVICES(d)) {
        cp_pool_stats now;
        ok(cp_pool_trim(d) == CP_OK && cp_pool_query(d, &now) == CP_OK);
        int64_t base = now.held;
        cp_array *big = cp_empty(CP_SHAPE(160 * MB), CP_INT8);
        ok(big);
        cp_free(big);
        ok(cp_pool_limit(d, base + 50 * MB) == CP_OK && cp_pool_query(d, &now) == CP_OK);
        assert_true(now.held <= base + 50 * MB);
        assert_null(cp_empty(CP_SHAPE(160 * MB), CP_INT8));
        failed(CP_ERROR_MEMORY);
        /* below the bytes in use: memory freed later is limited too */
        ok(cp_pool_limit(d, 0) == CP_OK && (big = cp_empty(CP_SHAPE(160 * MB), CP_INT8)));
        ok(cp_pool_limit(d, base + 50 * MB) == CP_OK);
        cp_free(big);
        assert_null(cp_empty(CP_SHAPE(160 * MB), CP_INT8));
        failed(CP_ERROR_MEMORY);
        ok(big = cp_empty(CP_SHAPE(20 * MB), CP_INT8));
        ok(cp_pool_query(d, &now) == CP_OK);
        assert_true(now.held <= base + 50 * MB);
        cp_free(big);
        ok(cp_pool_limit(d, 0) == CP_OK);
    }
}

static void streams(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_stream *s = cp_stream_create(d);
        cp_event *a = cp_event_create(d), *b = cp_event_create(d);
        ok(s && a && b);
        double ms = -1;
        assert_int_not_equal(cp_event_elapsed(a, b, &ms), CP_OK);
        failed(CP_ERROR_DEVICE);
        ok(cp_stream_use(s) == CP_OK);
        assert_ptr_equal(cp_stream_current(d), s);
        ok(cp_event_record(a, s) == CP_OK);
        cp_array *x = cp_zeros(CP_SHAPE(1000), CP_FLOAT32);
        ok(cp_event_record(b, NULL) == CP_OK);
        ok(cp_event_synchronize(b) == CP_OK);
        assert_int_equal(cp_event_done(b), 1);
        ok(cp_event_elapsed(a, b, &ms) == CP_OK);
        assert_true(ms >= 0);
        ok(cp_stream_wait(cp_stream_current(d), b) == CP_OK);
        ok(cp_stream_use(NULL) == CP_OK);
        ok(cp_stream_synchronize(s) == CP_OK);
        assert_int_equal(cp_stream_done(s), 1);
        cp_stream_free(s); /* before the array that belongs to it */
        cp_array *last = cp_slice(x, 1, (cp_index[]){CP_AT(999)});
        assert_true(cp_item_float(last) == 0);
        cp_free(last), cp_free(x);
        cp_event_free(a), cp_event_free(b);
    }
}

static void devices(void **state)
{
    (void)state;
    int d;
    ok(cp_device_parse("cpu", &d) == CP_OK);
    assert_int_equal(d, CP_CPU);
    const char *bad[] = {"", "cuda:", "cuda:x", "gpu1", "-1", "cuda:-1", "tpu", "cpu:0", "1x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (strcmp(bad[i], "cuda:") == 0) continue;
        assert_int_not_equal(cp_device_parse(bad[i], &d), CP_OK);
        cp_error_clear();
    }
    assert_int_not_equal(cp_device_parse("cuda:4000", &d), CP_OK);
    failed(CP_ERROR_DEVICE);
    for (FOR_DEVICES(e)) {
        cp_device_info info;
        ok(cp_device_query(e, &info) == CP_OK);
        assert_true(info.name[0] && info.units >= 1 && info.memory_total > 0);
        ok(cp_device_synchronize(e) == CP_OK);
    }
    if (!cp_device_count()) {
        assert_true(cp_device_error()[0]);
        ok(cp_device_use(0) == CP_OK); /* device 0 is the CPU where there is no GPU */
        assert_int_equal(cp_device_current(), CP_CPU);
    }
}

/* The variable applies in threads that have not chosen. */
static void *with_a_wrong_default(void *unused)
{
    if (cp_device_current() != CP_NO_DEVICE || cp_error() == CP_OK) return "cp_device_current";
    cp_error_clear();
    if (cp_zeros(CP_SHAPE(2), CP_FLOAT64) || cp_error() == CP_OK) return "cp_zeros";
    cp_error_clear();
    if (cp_device_use(CP_NO_DEVICE) == CP_OK) return "cp_device_use(CP_NO_DEVICE)";
    cp_error_clear();
    if (cp_device_use(CP_CPU) != CP_OK || cp_device_current() != CP_CPU) return "cp_device_use";
    return unused;
}

static void wrong_default_device(void **state)
{
    (void)state;
    const char *wrong[] = {"foo", "4711", "cuda:4711", "cpu:0", "io:0", "cuda:0x"}, *before = getenv("CUPRITE_DEVICE");
    char *kept = before ? strdup(before) : NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pthread_t thread;
        void *what = NULL;
        setenv("CUPRITE_DEVICE", wrong[i], 1);
        assert_int_equal(pthread_create(&thread, NULL, with_a_wrong_default, NULL), 0);
        pthread_join(thread, &what);
        if (what) fail_msg("CUPRITE_DEVICE=%s: %s did not fail", wrong[i], (char *)what);
    }
    if (kept) {
        setenv("CUPRITE_DEVICE", kept, 1);
    } else {
        unsetenv("CUPRITE_DEVICE");
    }
    free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_record), cmocka_unit_test(shapes_and_axes_that_mean_nothing),
        cmocka_unit_test(sizes_do_not_wrap), cmocka_unit_test(views),
        cmocka_unit_test(overlapping_assignment), cmocka_unit_test(creation), cmocka_unit_test(one_element),
        cmocka_unit_test(views_outlive_their_array), cmocka_unit_test(allocation_failures),
        cmocka_unit_test(scopes), cmocka_unit_test(results_are_the_callers),
        cmocka_unit_test(scopes_end_on_every_way_out), cmocka_unit_test(pool), cmocka_unit_test(beyond_memory),
        cmocka_unit_test(limit_below_what_is_cached), cmocka_unit_test(streams), cmocka_unit_test(devices),
        cmocka_unit_test(wrong_default_device),
    };
    return check_run(tests);
}
