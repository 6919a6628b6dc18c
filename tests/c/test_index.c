/* Selection by masks: NumPy's values on every device, sizes around the chunk size, errors. */
#include "check.h"

#define gives(expression, ...)       \
    do {                             \
        cp_array *got_ = (expression); \
        ok(got_);                    \
        values(got_, __VA_ARGS__);   \
        cp_free(got_);               \
    } while (0)

static cp_array *flags(int n, const double *v)
{
    cp_array *x = cp_from_host(v, CP_FLOAT64, CP_SHAPE(n), NULL), *b = cp_astype(x, CP_BOOL);
    cp_free(x);
    return b;
}
#define mask(...) flags((int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (const double[]){__VA_ARGS__})

static void test_compress(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *line = cp_arange_int(0, 12, 1, CP_INT16), *x = cp_reshape(line, CP_SHAPE(3, 4));
        cp_array *c = mask(0, 1, 1), *longer = mask(1, 0, 0, 0, 0), *beyond = mask(1, 0, 0, 0, 1);
        gives(cp_compress(c, x, 0), 4, 5, 6, 7, 8, 9, 10, 11);
        gives(cp_compress(c, x, 1), 1, 2, 5, 6, 9, 10);
        gives(cp_compress(c, x, CP_FLAT), 1, 2);
        gives(cp_compress(longer, x, 1), 0, 4, 8);
        cp_array *t = cp_transpose(x, CP_ALL);
        gives(cp_compress(c, t, 1), 4, 8, 5, 9, 6, 10, 7, 11);
        gives(cp_compress(c, t, CP_FLAT), 4, 8);
        ok(!cp_compress(beyond, x, 1));
        failed(CP_ERROR_INDEX);
        ok(!cp_compress(x, x, 1));
        failed(CP_ERROR_VALUE);
        ok(!cp_compress(c, x, 2));
        failed(CP_ERROR_AXIS);
        ok(!cp_compress(NULL, x, 0));
        failed(CP_ERROR_VALUE);
        cp_free(t), cp_free(c), cp_free(longer), cp_free(beyond), cp_free(x), cp_free(line);
    }
}

static void test_coordinates(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(0, 3, -0.0, NAN, 0, 1), *y = cp_reshape(x, CP_SHAPE(2, 3)), *t = cp_transpose(y, CP_ALL);
        gives(cp_nonzero(x), 1, 3, 5);
        gives(cp_nonzero(y), 0, 1, 1, 1, 0, 2);
        gives(cp_nonzero(t), 0, 1, 2, 1, 0, 1);
        gives(cp_argwhere(y), 0, 1, 1, 0, 1, 2);
        gives(cp_flatnonzero(t), 1, 2, 5);
        cp_array *zero = cp_zeros(CP_SHAPE0, CP_FLOAT32), *empty = cp_zeros(CP_SHAPE(0, 3), CP_FLOAT32), *r;
        ok(!cp_nonzero(zero));
        failed(CP_ERROR_VALUE);
        ok(r = cp_nonzero(empty));
        assert_int_equal(cp_dim(r, 0), 2);
        assert_int_equal(cp_dim(r, 1), 0);
        cp_free(r), cp_free(zero), cp_free(empty), cp_free(t), cp_free(y), cp_free(x);
    }
}

static void test_masks(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2, 3, 4, 5, 6), *y = cp_reshape(x, CP_SHAPE(3, 2)), *rows = mask(1, 0, 1);
        cp_array *all = mask(1, 0, 0, 1, 1, 0), *points = cp_reshape(all, CP_SHAPE(3, 2));
        gives(cp_mask_get(x, all), 1, 4, 5);
        gives(cp_mask_get(y, rows), 1, 2, 5, 6);
        gives(cp_mask_get(y, points), 1, 4, 5);
        cp_array *v = doubles(-1, -2, -3), *seven = cp_int(7), *pair = doubles(8, 9);
        ok(cp_mask_set(y, points, v) == CP_OK);
        values(x, -1, 2, 3, -2, -3, 6);
        ok(cp_mask_set(y, rows, pair) == CP_OK);
        values(x, 8, 9, 3, -2, 8, 9);
        ok(cp_mask_set(x, all, seven) == CP_OK);
        values(x, 7, 9, 3, 7, 7, 9);
        cp_array *t = cp_transpose(y, CP_ALL), *across = cp_transpose(points, CP_ALL);
        ok(cp_mask_set(t, across, v) == CP_OK);
        values(x, -1, 9, 3, -3, -2, 9);
        ok(cp_mask_set(x, rows, v) != CP_OK);
        failed(CP_ERROR_INDEX);
        ok(cp_mask_set(x, all, pair) != CP_OK);
        failed(CP_ERROR_VALUE);
        ok(!cp_mask_get(x, x));
        failed(CP_ERROR_INDEX);
        values(x, -1, 9, 3, -3, -2, 9);
        cp_free(t), cp_free(across), cp_free(v), cp_free(seven), cp_free(pair);
        cp_free(points), cp_free(all), cp_free(rows), cp_free(y), cp_free(x);
    }
}

/* Operands in host memory, and rows whose size is a power of two but whose alignment is not. */
static void test_host_values_and_odd_places(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        bool yes = true, no = false;
        cp_array *three = cp_float(3), *always = cp_scalar(CP_BOOL, &yes), *never = cp_scalar(CP_BOOL, &no);
        gives(cp_flatnonzero(three), 0);
        gives(cp_mask_get(three, always), 3);
        cp_array *point = cp_argwhere(three), *none = cp_mask_get(three, never),
                 *zero = cp_zeros(CP_SHAPE0, CP_FLOAT32);
        ok(point && cp_dim(point, 0) == 1 && cp_dim(point, 1) == 0 && none && cp_size(none) == 0);
        ok(cp_mask_set(zero, never, three) == CP_OK);
        values(zero, 0);
        ok(cp_mask_set(zero, always, three) == CP_OK);
        values(zero, 3);
        cp_array *line = doubles(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14), *f = cp_astype(line, CP_FLOAT32);
        cp_array *table = cp_reshape(f, CP_SHAPE(3, 5)), *rows = mask(1, 0, 1);
        cp_index behind[2] = {CP_RANGE(0, 3), CP_RANGE(1, 5)};
        cp_array *odd = cp_slice(table, 2, behind); /* rows of 16 bytes, stride 20, offset 4 */
        gives(cp_mask_get(odd, rows), 1, 2, 3, 4, 11, 12, 13, 14);
        gives(cp_compress(rows, odd, 0), 1, 2, 3, 4, 11, 12, 13, 14);
        cp_array *four = doubles(-1, -2, -3, -4);
        ok(cp_mask_set(odd, rows, four) == CP_OK);
        values(f, 0, -1, -2, -3, -4, 5, 6, 7, 8, 9, 10, -1, -2, -3, -4);
        cp_array *truth = mask(0, 1, 1), *one = cp_int(0);
        ok(cp_mask_set(truth, truth, one) == CP_OK); /* the mask is the destination */
        values(truth, 0, 0, 0);
        cp_free(truth), cp_free(one), cp_free(four), cp_free(odd), cp_free(rows), cp_free(table), cp_free(f);
        cp_free(line), cp_free(zero), cp_free(none), cp_free(point), cp_free(never), cp_free(always), cp_free(three);
    }
}

/* Every size near the boundaries of words and chunks, every type, sparse and dense. */
static void test_sizes(void **state)
{
    (void)state;
    static const int sizes[] = {1, 31, 32, 33, 63, 64, 65, 127, 511, 513, 4095, 4096, 4097, 16383, 16384, 16385, 70001};
    uint8_t *m = malloc(70001);
    double *v = malloc(70001 * sizeof *v), *want = malloc(70001 * sizeof *want);
    for (FOR_DEVICES(d))
        for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int every = 1; every <= 97; every += 32) {
                int n = sizes[s], count = 0;
                for (int i = 0; i < n; i++) {
                    m[i] = every == 33 ? i % 33 != 5 : i % every == 0;
                    v[i] = (double)(i % 100);
                    if (m[i]) want[count++] = v[i];
                }
                cp_array *mask = cp_from_host(m, CP_BOOL, CP_SHAPE(n), NULL);
                cp_array *x = cp_from_host(v, CP_FLOAT64, CP_SHAPE(n), NULL);
                for (int t = CP_INT8; t < CP_NTYPES; t++) {
                    cp_array *y = cp_astype(x, (cp_type)t), *got = cp_compress(mask, y, CP_FLAT);
                    check_values(got, count, want);
                    cp_free(got), cp_free(y);
                }
                cp_array *at = cp_flatnonzero(mask), *back = cp_mask_get(x, mask);
                ok(cp_size(at) == count);
                check_values(back, count, want);
                cp_free(at), cp_free(back), cp_free(x), cp_free(mask);
            }
    free(m), free(v), free(want);
}

/* Arrays as items: indices, bounds, and the last of several values for one element. */
static void test_arrays_as_items(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        const int64_t at[4] = {2, 0, -1, 2};
        for (CP_SCOPE) {
            cp_array *x = cp_reshape(cp_arange_int(0, 12, 1, CP_INT32), CP_SHAPE(3, 4));
            cp_array *index = cp_from_host(at, CP_INT64, CP_SHAPE(4), NULL);
            cp_array *rows = cp_index_get(x, CP_ITEMS(CP_BY(index), CP_AT(1)));
            check_values(rows, 4, (const double[]){9, 1, 9, 9});
            cp_array *columns = cp_index_get(x, CP_ITEMS(CP_AT(0), CP_ELLIPSIS, CP_BY(index), CP_NEW));
            ok(cp_ndim(columns) == 2 && cp_dim(columns, 0) == 4 && cp_dim(columns, 1) == 1);
            ok(cp_index_set(x, CP_ITEMS(CP_BY(index), CP_AT(3)), cp_arange_int(100, 104, 1, CP_INT64)) == CP_OK);
            check_values(cp_index_get(x, CP_ITEMS(CP_FULL, CP_AT(3))), 3, (const double[]){101, 7, 103});
            ok(!cp_index_get(x, CP_ITEMS(CP_BY(cp_ones(CP_SHAPE(2), CP_FLOAT32)))) && cp_error() == CP_ERROR_INDEX);
            cp_error_clear();
            ok(!cp_slice(x, CP_ITEMS(CP_BY(index))) && cp_error() == CP_ERROR_INDEX);
            cp_error_clear();
            ok(!cp_index_get(x, CP_ITEMS(CP_BY(NULL))) && cp_error());
            cp_error_clear();
            cp_array *wrong = cp_index_get(x, CP_ITEMS(CP_BY(cp_full(CP_SHAPE(1), CP_INT64, cp_int(3))), CP_AT(0)));
            ok((wrong ? (cp_item_float(wrong), cp_error()) : cp_error()) == CP_ERROR_INDEX);
            cp_error_clear();
        }
    }
}

static cp_array *shared_x, *shared_mask;
static bool pick_everything(void)
{
    cp_scope *s = cp_scope_begin();
    cp_array *at = s ? cp_flatnonzero(shared_mask) : NULL, *t = at ? cp_transpose(shared_x, CP_ALL) : NULL;
    cp_array *a = t ? cp_index_get(t, CP_ITEMS(CP_FULL, CP_BY(at))) : NULL;
    bool done = a && cp_index_set(t, CP_ITEMS(CP_FULL, CP_BY(at)), cp_int(1)) == CP_OK;
    done = done && cp_index_set(shared_x, CP_ITEMS(CP_BY(at)), shared_x) == CP_OK;
    cp_scope_end(s);
    return done;
}
/* Temporaries of take.c and masks.c. */
static bool take_everything(void)
{
    cp_scope *s = cp_scope_begin();
    cp_array *t = s ? cp_transpose(shared_x, CP_ALL) : NULL, *at = t ? cp_arange_int(0, 30, 1, CP_INT32) : NULL;
    cp_array *rows = at ? cp_take(t, at, 0) : NULL;
    cp_array *flat = rows ? cp_take(t, at, CP_FLAT, .mode = CP_INDEX_WRAP) : NULL;
    bool done = flat && cp_put(t, at, cp_reshape(at, CP_SHAPE(30))) == CP_OK && cp_put(t, at, flat) == CP_OK;
    cp_array *lanes = done ? cp_argsort(t, 0) : NULL, *along = lanes ? cp_take_along_axis(t, lanes, 0) : NULL;
    done = along && cp_put_along_axis(t, lanes, along, 0) == CP_OK;
    done = done && cp_putmask(t, cp_greater(t, cp_int(3)), flat) == CP_OK;
    done = done && cp_place(t, cp_greater(t, cp_int(3)), flat) == CP_OK;
    cp_array *both[2] = {at, flat}, *chosen = done ? cp_choose(cp_remainder(at, cp_int(2)), 2, both) : NULL;
    cp_array *yes = chosen ? cp_greater(at, cp_int(3)) : NULL;
    cp_array *selected = yes ? cp_select(1, &yes, 1, &chosen, NULL) : NULL;
    cp_array *places = selected ? cp_unravel_index(at, CP_SHAPE(5, 6)) : NULL;
    cp_array *back = places ? cp_ravel_multi_index(1, &at, CP_SHAPE(30)) : NULL;
    cp_array *bits = back ? cp_packbits(cp_reshape(at, CP_SHAPE(5, 6)), 0, .bitorder = CP_BITORDER_LITTLE) : NULL;
    cp_array *bytes = bits ? cp_unpackbits(bits, 0) : NULL, *times = bytes ? cp_remainder(at, cp_int(3)) : NULL;
    done = times && cp_repeat(flat, cp_astype(times, CP_INT64), 0) != NULL;
    cp_scope_end(s);
    return done;
}
static bool select_everything(void)
{
    cp_array *a = cp_compress(shared_mask, shared_x, 0), *b = a ? cp_nonzero(shared_x) : NULL;
    cp_array *t = b ? cp_transpose(shared_x, CP_ALL) : NULL, *c = t ? cp_compress(shared_mask, t, 1) : NULL;
    cp_array *one = c ? cp_int(1) : NULL;
    bool done = one && cp_mask_set(shared_x, shared_mask, one) == CP_OK;
    cp_free(a), cp_free(b), cp_free(t), cp_free(c), cp_free(one);
    return done;
}
/* Scattered writes to an array larger than caches work without the optional workspace. */
static cp_array *shared_values, *shared_slots;
static bool put_all_over(void) { return cp_put(shared_x, shared_slots, shared_values) == CP_OK; }
static void test_writing_without_memory(void **state)
{
    enum { LARGE = 1 << 21, SOME = (1 << 18) + 100 };
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *many = cp_arange_int(0, SOME, 1, CP_INT64);
        cp_array *odd = cp_int(1000003), *large = cp_int(LARGE), *far = cp_multiply(many, odd);
        shared_x = cp_zeros(CP_SHAPE(LARGE), CP_FLOAT32), shared_slots = cp_remainder(far, large); /* none twice */
        shared_values = cp_astype(many, CP_FLOAT32);
        every_allocation_fails(put_all_over);
        cp_array *back = cp_take(shared_x, shared_slots, CP_FLAT);
        assert_int_equal(cp_array_equal(back, shared_values, false), 1);
        cp_free(many), cp_free(odd), cp_free(large), cp_free(far), cp_free(back);
        cp_free(shared_x), cp_free(shared_slots), cp_free(shared_values);
    }
}
static void test_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        shared_x = cp_ones(CP_SHAPE(300, 40), CP_FLOAT32), shared_mask = cp_ones(CP_SHAPE(300), CP_BOOL);
        every_allocation_fails(select_everything);
        every_allocation_fails(pick_everything);
        every_allocation_fails(take_everything);
        cp_free(shared_x), cp_free(shared_mask);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compress), cmocka_unit_test(test_coordinates), cmocka_unit_test(test_masks),
        cmocka_unit_test(test_host_values_and_odd_places), cmocka_unit_test(test_arrays_as_items),
        cmocka_unit_test(test_sizes), cmocka_unit_test(test_writing_without_memory), cmocka_unit_test(test_allocations),
    };
    return check_run(tests);
}
