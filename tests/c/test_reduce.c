/* The reductions: NumPy's values and types on every device, accuracy, fixed bits, failures. */
#include "check.h"

static const cp_type all_types[] = {
#define X(NAME, ...) CP_##NAME,
    CP_TYPES(X)
#undef X
};

/* 0, 1, 2, ... n-1 as a type and shape. */
static cp_array *counting(cp_type type, cp_shape shape)
{
    int64_t n = 1;
    for (int i = 0; i < shape.n; i++) n *= shape.dim[i];
    double *v = malloc((size_t)(n ? n : 1) * sizeof *v);
    for (int64_t i = 0; i < n; i++) v[i] = (double)i;
    cp_array *x = cp_from_host(v, CP_FLOAT64, shape, NULL), *y = cp_astype(x, type);
    free(v);
    cp_free(x);
    return y;
}

/* Checks and frees. */
#define gives(type, expression, ...)                             \
    do {                                                         \
        cp_array *got_ = (expression);                           \
        ok(got_);                                                \
        assert_int_equal(cp_type_of(got_), (type));              \
        values(got_, __VA_ARGS__);                               \
        cp_free(got_);                                           \
    } while (0)

static void test_whole(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(3, 1, 4, 1, 5, 9, 2, 6);
        gives(CP_FLOAT64, cp_sum(x), 31);
        gives(CP_FLOAT64, cp_prod(x), 6480);
        gives(CP_FLOAT64, cp_mean(x), 3.875);
        gives(CP_FLOAT64, cp_var(x), 6.609375);
        gives(CP_FLOAT64, cp_var(x, .ddof = 1), 7.553571428571429);
        gives(CP_FLOAT64, cp_std(x), sqrt(6.609375));
        gives(CP_FLOAT64, cp_min(x), 1);
        gives(CP_FLOAT64, cp_max(x), 9);
        gives(CP_INT64, cp_argmin(x), 1);
        gives(CP_INT64, cp_argmax(x), 5);
        gives(CP_BOOL, cp_any(x), 1);
        gives(CP_BOOL, cp_all(x), 1);
        gives(CP_INT64, cp_count_nonzero(x), 8);
        cp_free(x);
    }
}

static void test_types(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (int t = 0; t < CP_NTYPES; t++) {
            cp_type type = all_types[t];
            char kind = cp_type_kind(type);
            bool whole = kind == 'b' || kind == 'i' || kind == 'u';
            cp_array *x = counting(type, CP_SHAPE(2, 3)); /* bool: 0 1 1 1 1 1 */
            bool flag = type == CP_BOOL;
            cp_type wide = kind == 'u' ? CP_UINT64 : whole ? CP_INT64 : type;
            cp_type real = type == CP_COMPLEX64 ? CP_FLOAT32 : type == CP_COMPLEX128 ? CP_FLOAT64 : type;
            gives(wide, cp_sum(x), flag ? 5 : 15);
            gives(wide, cp_sum(x, .axis = CP_AXES(0)), flag ? 1 : 3, flag ? 2 : 5, flag ? 2 : 7);
            gives(wide, cp_prod(x, .axis = CP_AXES(1)), 0, flag ? 1 : 60);
            if (!flag) {
                gives(whole ? CP_FLOAT64 : type, cp_mean(x, .axis = CP_AXES(-1)), 1, 4);
                gives(whole ? CP_FLOAT64 : real, cp_var(x, .axis = CP_AXES(0)), 2.25, 2.25, 2.25);
                gives(whole ? CP_FLOAT64 : real, cp_std(x, .axis = CP_AXES(0)), 1.5, 1.5, 1.5);
            }
            gives(type, cp_min(x, .axis = CP_AXES(1)), 0, flag ? 1 : 3);
            gives(type, cp_max(x), flag ? 1 : 5);
            gives(CP_INT64, cp_argmax(x, .axis = CP_AXES(0)), 1, flag ? 0 : 1, flag ? 0 : 1);
            gives(CP_INT64, cp_argmin(x), 0);
            gives(CP_BOOL, cp_all(x, .axis = CP_AXES(1)), 0, 1);
            gives(CP_BOOL, cp_any(x, .axis = CP_AXES(0)), 1, 1, 1);
            gives(CP_INT64, cp_count_nonzero(x, .axis = CP_AXES(1)), 2, 3);
            cp_free(x);
        }
}

static void test_axes(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = counting(CP_FLOAT32, CP_SHAPE(2, 3, 4));
        gives(CP_FLOAT32, cp_sum(x, .axis = CP_AXES(0, 2)), 60, 92, 124);
        gives(CP_FLOAT32, cp_sum(x, .axis = CP_AXES(2, 1)), 66, 210);
        cp_array *kept = cp_sum(x, .axis = CP_AXES(0, 2), .keepdims = true);
        ok(kept);
        assert_int_equal(cp_ndim(kept), 3);
        assert_int_equal(cp_dim(kept, 1), 3);
        assert_int_equal(cp_dim(kept, 2), 1);
        cp_free(kept);
        int none;
        cp_array *same = cp_reduce(CP_REDUCE_sum, x, &(cp_reduce_options){.axis = {0, &none}});
        ok(same);
        assert_int_equal(cp_array_equal(same, x, false), 1);
        cp_free(same);
        cp_array *back = cp_slice(x, 3, (cp_index[]){CP_FULL, CP_STEP(2, 0, -2), {CP_IX_SLICE, 0, 0, -1, 0}});
        ok(back); /* rows 2 only, reversed columns */
        gives(CP_FLOAT32, cp_sum(back, .axis = CP_AXES(1)), 11, 10, 9, 8, 23, 22, 21, 20);
        gives(CP_INT64, cp_argmax(back, .axis = CP_AXES(2)), 0, 0);
        gives(CP_INT64, cp_argmin(back, .axis = CP_AXES(2)), 3, 3);
        cp_array *wide = cp_broadcast_to(back, CP_SHAPE(5, 2, 1, 4));
        gives(CP_FLOAT32, cp_sum(wide, .axis = CP_AXES(0, 2, 3)), 190, 430);
        cp_free(wide), cp_free(back), cp_free(x);
    }
}

static void test_masks_and_starts(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2, 3, 4), *small = ints(0, 1, 0, 1), *mask = cp_astype(small, CP_BOOL);
        cp_array *ten = cp_float(10);
        gives(CP_FLOAT64, cp_sum(x, .where = mask), 6);
        gives(CP_FLOAT64, cp_prod(x, .where = mask, .initial = ten), 80);
        gives(CP_FLOAT64, cp_mean(x, .where = mask), 3);
        gives(CP_FLOAT64, cp_var(x, .where = mask), 1);
        gives(CP_FLOAT64, cp_max(x, .where = mask, .initial = ten), 10);
        gives(CP_FLOAT64, cp_min(x, .where = mask, .initial = ten), 2);
        gives(CP_BOOL, cp_all(mask, .where = mask), 1);
        gives(CP_BOOL, cp_all(mask), 0);
        ok(!cp_max(x, .where = mask));
        failed(CP_ERROR_VALUE);
        bool yes = true, no = false;
        cp_array *always = cp_scalar(CP_BOOL, &yes), *never = cp_scalar(CP_BOOL, &no); /* in host memory */
        gives(CP_FLOAT64, cp_sum(x, .where = always), 10);
        gives(CP_FLOAT64, cp_sum(x, .where = never), 0);
        gives(CP_FLOAT64, cp_sum(ten, .where = never), 0);
        gives(CP_FLOAT64, cp_mean(x, .where = always), 2.5);
        gives(CP_FLOAT64, cp_max(x, .where = never, .initial = ten), 10);
        gives(CP_FLOAT64, cp_min(ten), 10);
        gives(CP_INT64, cp_argmax(ten), 0);
        gives(CP_BOOL, cp_all(never), 0);
        gives(CP_BOOL, cp_all(x, .where = never), 1);
        cp_free(always), cp_free(never);
        cp_array *out = cp_zeros(CP_SHAPE0, CP_FLOAT32);
        cp_array *got = cp_sum(x, .out = out);
        assert_ptr_equal(cp_data(got), cp_data(out));
        values(out, 10);
        cp_free(got), cp_free(out);
        out = cp_zeros(CP_SHAPE0, CP_INT64);
        got = cp_sum(x, .out = out); /* any type can receive a result */
        values(out, 10);
        cp_free(got), cp_free(out);
        out = cp_zeros(CP_SHAPE0, CP_FLOAT64);
        ok(!cp_argmax(x, .out = out)); /* but not an index */
        failed(CP_ERROR_CASTING);
        cp_array *far = cp_int(300), *bytes = cp_astype(x, CP_UINT8);
        ok(!cp_max(bytes, .initial = far));
        failed(CP_ERROR_OVERFLOW);
        gives(CP_UINT64, cp_sum(bytes, .initial = far), 310);
        gives(CP_INT32, cp_argmax(x, .typed = true, .dtype = CP_INT32), 3);
        cp_free(far), cp_free(bytes);
        cp_free(out), cp_free(ten), cp_free(mask), cp_free(small), cp_free(x);
    }
}

static void test_empty_and_nan(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *none = cp_zeros(CP_SHAPE(0, 3), CP_FLOAT64);
        gives(CP_FLOAT64, cp_sum(none), 0);
        gives(CP_FLOAT64, cp_prod(none, .axis = CP_AXES(0)), 1, 1, 1);
        gives(CP_FLOAT64, cp_mean(none), NAN);
        gives(CP_FLOAT64, cp_std(none, .axis = CP_AXES(0)), NAN, NAN, NAN);
        gives(CP_BOOL, cp_all(none), 1);
        gives(CP_BOOL, cp_any(none), 0);
        ok(!cp_max(none));
        assert_string_equal(cp_error_message(),
                            "max: zero-size array to reduction operation maximum which has no identity");
        failed(CP_ERROR_VALUE);
        ok(!cp_argmin(none, .axis = CP_AXES(0)));
        failed(CP_ERROR_VALUE);
        ok(!cp_sum(none, .axis = CP_AXES(3)));
        failed(CP_ERROR_AXIS);
        ok(!cp_sum(NULL));
        failed(CP_ERROR_VALUE);
        cp_array *nothing = cp_sum(none, .axis = CP_AXES(1));
        ok(nothing);
        assert_int_equal(cp_size(nothing), 0);
        cp_free(nothing), cp_free(none);
        cp_array *x = doubles(1, NAN, 3, NAN, -INFINITY);
        gives(CP_FLOAT64, cp_max(x), NAN);
        gives(CP_FLOAT64, cp_min(x), NAN);
        gives(CP_INT64, cp_argmax(x), 1);
        gives(CP_INT64, cp_argmin(x), 1);
        gives(CP_INT64, cp_count_nonzero(x), 5);
        cp_free(x);
        x = doubles(-INFINITY, -INFINITY);
        gives(CP_FLOAT64, cp_max(x), -INFINITY);
        gives(CP_INT64, cp_argmax(x), 0);
        gives(CP_FLOAT64, cp_mean(x), -INFINITY);
        cp_free(x);
    }
}

/* Large arrays: the parallel paths, against exact sums. */
static void test_large(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        int64_t n = 3000001;
        cp_array *x = cp_arange_int(0, n, 1, CP_FLOAT64), *f = cp_arange_int(0, n, 1, CP_INT32);
        gives(CP_FLOAT64, cp_sum(x), (double)n * (double)(n - 1) / 2);
        gives(CP_INT64, cp_sum(f), (double)n * (double)(n - 1) / 2);
        gives(CP_INT64, cp_argmax(x), (double)(n - 1));
        gives(CP_INT64, cp_argmin(f), 0);
        cp_array *v = cp_var(x);
        ok(v);
        double want = ((double)n * (double)n - 1) / 12;
        assert_true(fabs(cp_item_float(v) - want) < 1e-14 * want);
        cp_free(v);
        /* an offset that dwarfs the spread */
        cp_array *shift = cp_float(1e9), *y = cp_add(x, shift);
        v = cp_var(y);
        ok(v);
        assert_true(fabs(cp_item_float(v) - want) < 1e-13 * want);
        cp_free(v), cp_free(y), cp_free(shift);
        cp_array *m = cp_reshape(f, CP_SHAPE(-1, 1));
        gives(CP_INT64, cp_sum(m, .axis = CP_AXES(0)), (double)n * (double)(n - 1) / 2);
        cp_free(m), cp_free(f), cp_free(x);
        cp_array *ones = cp_ones(CP_SHAPE(3000, 700), CP_INT8);
        cp_array *s = cp_sum(ones, .axis = CP_AXES(0)), *t = cp_min(s), *u = cp_max(s);
        values(t, 3000), values(u, 3000);
        cp_free(s), cp_free(t), cp_free(u);
        s = cp_sum(ones, .axis = CP_AXES(1)), t = cp_min(s), u = cp_max(s);
        values(t, 700), values(u, 700);
        cp_free(s), cp_free(t), cp_free(u), cp_free(ones);
    }
}

/* Sums of floats are as good as the exact sum rounded: far below the error of sequential addition. */
static void test_accuracy(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        int64_t n = 1000000;
        double *v = malloc((size_t)n * sizeof *v);
        float *f = malloc((size_t)n * sizeof *f);
        long double exact = 0, exactf = 0;
        uint32_t seed = 1;
        for (int64_t i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            v[i] = (double)seed / 4294967296.0, f[i] = (float)v[i];
            exact += (long double)v[i], exactf += (long double)f[i];
        }
        cp_array *x = cp_from_host(v, CP_FLOAT64, CP_SHAPE(n), NULL),
                 *y = cp_from_host(f, CP_FLOAT32, CP_SHAPE(n), NULL);
        cp_array *s = cp_sum(x), *t = cp_sum(y);
        assert_true(fabs(cp_item_float(s) - (double)exact) <= 4e-15 * (double)exact);
        assert_true((float)cp_item_float(t) == (float)exactf);
        cp_free(s), cp_free(t), cp_free(x), cp_free(y);
        free(v), free(f);
    }
}

static void bits_of(cp_array *x, double *out)
{
    cp_array *r[4] = {cp_sum(x), cp_std(x), cp_sum(x, .axis = CP_AXES(0)), cp_var(x, .axis = CP_AXES(1))};
    for (int i = 0; i < 4; i++) {
        ok(r[i]);
        ok(cp_to_host(r[i], out, 8 * (size_t)cp_size(r[i])) == CP_OK);
        out += cp_size(r[i]);
        cp_free(r[i]);
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    enum { R = 700, C = 900 };
    double *v = malloc(R * C * sizeof *v), a[2 + R + C], b[2 + R + C];
    for (int i = 0; i < R * C; i++) v[i] = sin((double)i) * exp((double)(i % 40));
    for (FOR_DEVICES(d)) {
        cp_array *x = cp_from_host(v, CP_FLOAT64, CP_SHAPE(R, C), NULL);
        int before = cp_threads();
        bits_of(x, a);
        for (int threads = 1; threads <= 5; threads += 2) {
            cp_threads_set(threads);
            bits_of(x, b);
            assert_memory_equal(a, b, sizeof a);
        }
        cp_threads_set(before);
        cp_free(x);
    }
    free(v);
}

static cp_array *shared_input;
static bool reduce_everything(void)
{
    cp_array *x = shared_input, *t = cp_transpose(x, CP_ALL), *r[6] = {0};
    bool done = t && (r[0] = cp_sum(x, .axis = CP_AXES(1))) && (r[1] = cp_std(x)) &&
                (r[2] = cp_max(t, .axis = CP_AXES(0))) && (r[3] = cp_sum(x, .typed = true, .dtype = CP_INT16)) &&
                (r[4] = cp_argmax(t)) && (r[5] = cp_mean(x, .axis = CP_AXES(0)));
    cp_free(t);
    for (int i = 0; i < 6; i++) cp_free(r[i]);
    return done;
}
static void test_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        shared_input = counting(CP_FLOAT32, CP_SHAPE(600, 500));
        ok(shared_input);
        every_allocation_fails(reduce_everything);
        cp_free(shared_input);
    }
}

/* More dimensions than the coalesced form holds: every other axis is reduced. */
static void test_many_dimensions(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        int64_t shape[20];
        int axes[10];
        for (int i = 0; i < 20; i++) shape[i] = i < 12 ? 2 : 1;
        for (int i = 0; i < 10; i++) axes[i] = 2 * i;
        cp_array *x = counting(CP_INT32, (cp_shape){20, shape});
        cp_array *s = cp_sum(x, .axis = {10, axes}), *total = cp_sum(s);
        values(total, 4095.0 * 4096 / 2);
        assert_int_equal(cp_ndim(s), 10);
        cp_free(total), cp_free(s), cp_free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole), cmocka_unit_test(test_types), cmocka_unit_test(test_axes),
        cmocka_unit_test(test_masks_and_starts), cmocka_unit_test(test_empty_and_nan), cmocka_unit_test(test_large),
        cmocka_unit_test(test_accuracy), cmocka_unit_test(test_same_bits), cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_many_dimensions),
    };
    return check_run(tests);
}
