/* Shapes: joining arrays, and the arguments of a slice. */
#include "check.h"

static void joining(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *a = ints(1, 2), *b = doubles(3.5), *pair[2] = {a, b}, *r;
        values(r = cp_concatenate(2, pair, 0), 1, 2, 3.5);
        assert_int_equal(cp_type_of(r), CP_FLOAT64);
        cp_free(r);
        assert_null(cp_concatenate(2, pair, 0, .typed = true, .dtype = CP_INT64));
        failed(CP_ERROR_TYPE);
        values(r = cp_concatenate(2, pair, 0, .typed = true, .dtype = CP_INT64, .casting = CP_UNSAFE), 1, 2, 3);
        cp_free(r);
        cp_array *out = cp_zeros(CP_SHAPE(3), CP_FLOAT32), *small = cp_zeros(CP_SHAPE(3), CP_INT8);
        values(r = cp_concatenate(2, pair, 0, .out = out), 1, 2, 3.5);
        assert_ptr_equal(cp_data(r), cp_data(out));
        cp_free(r);
        assert_null(cp_concatenate(2, pair, 0, .out = small));
        failed(CP_ERROR_TYPE);
        assert_null(cp_concatenate(1, pair, 0, .out = out));
        failed(CP_ERROR_VALUE);
        assert_null(cp_stack(2, pair, 0));
        failed(CP_ERROR_VALUE);
        assert_null(cp_concatenate(2, pair, 1));
        failed(CP_ERROR_AXIS);
        assert_null(cp_concatenate(0, pair, 0));
        failed(CP_ERROR_VALUE);
        assert_null(cp_concatenate(2, ((cp_array *[]){a, NULL}), 0));
        failed(CP_ERROR_VALUE);
        cp_free(small), cp_free(out), cp_free(b), cp_free(a);
    }
}

/* The result overlaps the parts: each is read before it is written. */
static void joining_in_place(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = ints(1, 2, 3, 4), *low = cp_slice(x, 1, &CP_RANGE(0, 2)), *high = cp_slice(x, 1, &CP_RANGE(2, 4)),
                 *r;
        values(r = cp_concatenate(2, ((cp_array *[]){high, low}), 0, .out = x), 3, 4, 1, 2);
        cp_free(r), cp_free(high), cp_free(low), cp_free(x);
    }
}

static void stacking(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *a = ints(1, 2), *b = ints(3, 4), *pair[2] = {a, b}, *r;
        values(r = cp_stack(2, pair, 0), 1, 2, 3, 4);
        cp_free(r);
        values(r = cp_stack(2, pair, -1), 1, 3, 2, 4);
        cp_free(r);
        cp_array *seven = cp_int(7);
        values(r = cp_concatenate(2, ((cp_array *[]){a, seven}), CP_FLAT), 1, 2, 7);
        cp_free(seven), cp_free(r), cp_free(b), cp_free(a);
    }
}

static void slices_that_mean_nothing(void **state)
{
    (void)state;
    cp_array *x = ints(1, 2);
    cp_index odd = CP_FULL;
    odd.kind = (cp_index_kind)77;
    assert_null(cp_slice(x, 1, &odd));
    failed(CP_ERROR_VALUE);
    assert_null(cp_slice(x, -1, &odd));
    failed(CP_ERROR_VALUE);
    cp_free(x);
}

static void moved_axes(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *six = cp_arange_int(0, 6, 1, CP_INT64), *x = cp_reshape(six, CP_SHAPE(1, 2, 3)), *r;
        cp_free(six);
        values(r = cp_flip(x, CP_AXES(-1)), 2, 1, 0, 5, 4, 3);
        cp_free(r);
        values(r = cp_moveaxis(x, CP_AXES(2), CP_AXES(0)), 0, 3, 1, 4, 2, 5);
        assert_int_equal(cp_dim(r, 0), 3);
        assert_int_equal(cp_dim(r, 1), 1);
        cp_free(r);
        r = cp_rollaxis(x, 0, -1);
        ok(r);
        assert_int_equal(cp_dim(r, 0), 2);
        assert_int_equal(cp_dim(r, 1), 1);
        cp_free(r);
        assert_null(cp_flip(x, CP_AXES(0, -3)));
        failed(CP_ERROR_VALUE);
        assert_null(cp_moveaxis(x, CP_AXES(0, 1), CP_AXES(0)));
        failed(CP_ERROR_VALUE);
        assert_null(cp_rollaxis(x, 0, 4));
        failed(CP_ERROR_AXIS);
        cp_free(x);
    }
}

static void copying_to(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = ints(1, 2, 3, 4), *half = cp_float(0.5), *nine = cp_int(9);
        cp_array *mask = cp_from_host((uint8_t[]){1, 0, 0, 1}, CP_BOOL, CP_SHAPE(4), NULL);
        assert_true(cp_copyto(x, half) != CP_OK);
        failed(CP_ERROR_TYPE);
        ok(cp_copyto(x, nine, .where = mask) == CP_OK);
        values(x, 9, 2, 3, 9);
        cp_array *back = cp_flip(x, CP_ALL);
        ok(cp_copyto(x, back, .where = mask) == CP_OK); /* overlapping itself */
        values(x, 9, 2, 3, 9);
        ok(cp_copyto(x, half, .casting = CP_UNSAFE) == CP_OK);
        values(x, 0, 0, 0, 0);
        assert_true(cp_copyto(x, nine, .where = x) != CP_OK);
        failed(CP_ERROR_TYPE);
        cp_free(back), cp_free(mask), cp_free(nine), cp_free(half), cp_free(x);
    }
}

/* Views with the caller's strides stay within the array's memory, be it after its record or a pool block. */
static void strides_of_ones_own(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 2, 60, 500, 100000};
    for (FOR_DEVICES(d)) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            int64_t n = sizes[i], up = 8, down = -8;
            cp_array *three = cp_float(3), *x = cp_full(CP_SHAPE(n), CP_FLOAT64, three);
            cp_array *all = cp_as_strided(x, CP_SHAPE(n), 1, &up), *sum = cp_sum(all);
            assert_true(cp_item_float(sum) == 3.0 * (double)n);
            assert_null(cp_as_strided(x, CP_SHAPE(n + 1), 1, &up));
            failed(CP_ERROR_VALUE);
            assert_null(cp_as_strided(x, CP_SHAPE(2), 1, &down));
            failed(CP_ERROR_VALUE);
            cp_free(sum), cp_free(all), cp_free(x), cp_free(three);
        }
    }
}

static bool join_body(void)
{
    cp_array *a = ints(1, 2, 3), *b = doubles(1, 2, 3), *pair[2] = {a, b};
    cp_array *r = a && b ? cp_stack(2, pair, 1) : NULL, *s = r ? cp_concatenate(2, pair, CP_FLAT) : NULL;
    bool done = s != NULL;
    cp_free(s), cp_free(r), cp_free(b), cp_free(a);
    return done;
}

static void failing_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) every_allocation_fails(join_body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joining),
        cmocka_unit_test(joining_in_place),
        cmocka_unit_test(stacking),
        cmocka_unit_test(slices_that_mean_nothing),
        cmocka_unit_test(moved_axes),
        cmocka_unit_test(copying_to),
        cmocka_unit_test(strides_of_ones_own),
        cmocka_unit_test(failing_allocations),
    };
    return check_run(tests);
}
