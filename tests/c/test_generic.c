/* Filters by the caller's functions: values by definition, what the functions get, errors, and every allocation failing
 * in turn. Semantics are compared with SciPy in Python (test_low_level.py). */
#include "check.h"
#include "cuprite/generic.h"

#define FREE(...) \
    do { \
        cp_array *all_[] = {__VA_ARGS__}; \
        for (size_t i_ = 0; i_ < sizeof all_ / sizeof *all_; i_++) cp_free(all_[i_]); \
    } while (0)
/* The elements of a new array, which is freed. */
#define ARE(r, ...) \
    do { \
        cp_array *are_ = (r); \
        values(are_, __VA_ARGS__); \
        cp_free(are_); \
    } while (0)

typedef struct seen { int calls, limit, sets_error; double extra; } seen;

static int sum(double *window, intptr_t n, double *result, void *context)
{
    seen *s = context;
    for (intptr_t i = 0; i < n; i++) *result += window[i];
    *result += s->extra;
    if (s->calls++ != s->limit) return 1;
    if (s->sets_error) cp_error_set(CP_ERROR_VALUE, "sum: no more");
    return 0;
}

static int differences(double *line, intptr_t length, double *results, intptr_t n, void *context)
{
    seen *s = context;
    for (intptr_t i = 0; i + 1 < n; i++) results[i] = line[i + length - n] - line[i]; /* the last stays 0 */
    line[0] = NAN;
    return s->calls++ != s->limit;
}

static int turned(intptr_t *index, double *place, int ndim, int input_ndim, void *context)
{
    seen *s = context;
    for (int d = 0; d < input_ndim; d++) place[d] = (double)index[ndim - 1 - d] * (s->extra ? s->extra : 1);
    index[0] = -7;
    return s->calls++ != s->limit;
}

static cp_array *slope(void *context, cp_array *x, int axis, cp_filter_mode mode, double cval, cp_array *out)
{
    seen *s = context;
    cp_array *weights = doubles(-1, 0, 1);
    cp_array *r = s->calls++ == s->limit ? NULL
                : s->extra ? cp_correlate1d(x, weights, axis, .mode = mode, .cval = cval)
                           : cp_correlate1d(x, weights, axis, .mode = mode, .cval = cval, .out = out);
    cp_free(weights);
    return r;
}

static cp_array *greatest(void *context, cp_array *windows, cp_axes axes)
{
    seen *s = context;
    if (s->calls++ == s->limit) return NULL;
    return s->extra ? cp_sum(windows) : cp_max(windows, .axis = axes);
}

static cp_array *as_it_is(void *context, cp_array *windows, cp_axes axes)
{
    assert_int_equal(axes.n, 0);
    (void)context;
    return cp_negative(windows);
}

static seen s;
static seen *fresh(void)
{
    s = (seen){.limit = -1};
    return &s;
}

static void windows(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2, 4, 8), *i = ints(1, -2, 4, 7), *set = doubles(1, 0, 1);
        ARE(cp_generic_filter(x, sum, fresh(), .size = CP_SHAPE(3)), 4, 7, 14, 20);
        assert_int_equal(s.calls, 4);
        ARE(cp_generic_filter(x, sum, fresh(), .size = CP_SHAPE(3), .mode = CP_FILTER_MODE_MIRROR), 5, 7, 14, 16);
        ARE(cp_generic_filter(x, sum, fresh(), .size = CP_SHAPE(3), .mode = CP_FILTER_MODE_NEAREST), 4, 7, 14, 20);
        ARE(cp_generic_filter(x, sum, fresh(), .size = CP_SHAPE(3), .mode = CP_FILTER_MODE_WRAP), 11, 7, 14, 13);
        ARE(cp_generic_filter(x, sum, fresh(), .size = CP_SHAPE(3), .mode = CP_FILTER_MODE_CONSTANT, .cval = 0.5),
            3.5, 7, 14, 12.5);
        ARE(cp_generic_filter(x, sum, fresh(), .size = CP_SHAPE(2), .origin = CP_SHAPE(-1)), 3, 6, 12, 16);
        ARE(cp_generic_filter(x, sum, fresh(), .footprint = set), 3, 5, 10, 12);
        s = (seen){.limit = -1, .extra = 0.75};
        cp_array *r = cp_generic_filter(i, sum, &s, .size = CP_SHAPE(1)); /* cut off: 1.75, -1.25, 4.75, 7.75 */
        assert_int_equal(cp_type_of(r), CP_INT64);
        ARE(r, 1, -1, 4, 7);
        cp_array *out = cp_zeros(CP_SHAPE(4), CP_FLOAT32), *same;
        ok((same = cp_generic_filter(i, sum, &s, .size = CP_SHAPE(1), .out = out)));
        ARE(same, 1.75, -1.25, 4.75, 7.75);
        values(out, 1.75, -1.25, 4.75, 7.75);
        /* along the second axis alone; the window's axes in another order: rows of the footprint go along axis 1 */
        cp_array *y = cp_reshape(x, CP_SHAPE(2, 2)), *z = doubles(1, 0, 0, 1, 1, 0);
        cp_array *cross = cp_reshape(z, CP_SHAPE(3, 2));
        ARE(cp_generic_filter(y, sum, fresh(), .size = CP_SHAPE(3), .axes = CP_AXES(1)), 4, 5, 16, 20);
        ARE(cp_generic_filter(y, sum, fresh(), .footprint = cross, .axes = CP_AXES(1, 0), .mode = CP_FILTER_MODE_WRAP),
            /* x[i - 1, j - 1] + x[i, j] + x[i - 1, j + 1] */ 8 + 1 + 8, 4 + 2 + 4, 2 + 4 + 2, 1 + 8 + 1);
        ARE(cp_generic_filter(y, sum, fresh(), .size = CP_SHAPE(3), .axes = CP_NONE), 1, 2, 4, 8);
        cp_array *none = cp_zeros(CP_SHAPE(0, 3), CP_INT8);
        ok((r = cp_generic_filter(none, sum, fresh(), .size = CP_SHAPE(3))));
        assert_true(cp_size(r) == 0 && cp_type_of(r) == CP_INT8 && s.calls == 0);
        FREE(x, i, set, out, y, z, cross, none, r);
    }
}

static void lines(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2, 4, 8, 16, 32), *y = cp_reshape(x, CP_SHAPE(2, 3)), *turn = cp_transpose(y, CP_ALL);
        ARE(cp_generic_filter1d(y, differences, fresh(), 2, 1), 0, 1, 0, 0, 8, 0);
        assert_int_equal(s.calls, 2);
        ARE(cp_generic_filter1d(turn, differences, fresh(), 2, -2), 0, 0, 1, 8, 0, 0);
        ARE(cp_generic_filter1d(y, differences, fresh(), 2, 0, .mode = CP_FILTER_MODE_CONSTANT, .cval = -1),
            2, 3, 5, 0, 0, 0);
        ARE(cp_generic_filter1d(y, differences, fresh(), 2, 0, .origin = -1), 7, 14, 28, 0, 0, 0);
        cp_array *out = cp_zeros(CP_SHAPE(2, 3), CP_INT16);
        ARE(cp_generic_filter1d(y, differences, fresh(), 2, 1, .out = out), 0, 1, 0, 0, 8, 0);
        values(out, 0, 1, 0, 0, 8, 0);
        FREE(x, y, turn, out);
    }
}

static void derivatives(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2, 4, 8), *y = cp_reshape(x, CP_SHAPE(2, 2)), *small = cp_astype(y, CP_FLOAT32), *r;
        for (int own = 0; own < 2; own++) { /* written to `out`, or another array */
            s = (seen){.limit = -1, .extra = own};
            ARE(cp_generic_laplace(y, slope, &s), 3 + 1, 6 + 1, 3 + 4, 6 + 4);
            s.calls = 0;
            ARE(cp_generic_laplace(y, slope, &s, .axes = CP_AXES(-1), .mode = CP_FILTER_MODE_CONSTANT, .cval = 1),
                1, 0, 7, -3);
            assert_int_equal(s.calls, 1);
            ARE(cp_generic_gradient_magnitude(y, slope, &s, .axes = CP_AXES(1)), 1, 1, 4, 4);
            ok((r = cp_generic_gradient_magnitude(small, slope, &s)));
            assert_int_equal(cp_type_of(r), CP_FLOAT32);
            ARE(r, (float)sqrt(10), (float)sqrt(37), 5, (float)sqrt(52));
        }
        ARE(cp_generic_laplace(y, slope, fresh(), .axes = CP_NONE), 1, 2, 4, 8);
        cp_array *out = cp_zeros(CP_SHAPE(2, 2), CP_INT32);
        ARE(cp_generic_gradient_magnitude(y, slope, fresh(), .out = out), 3, 6, 5, 7);
        FREE(x, y, small, out);
    }
}

static void vectors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = ints(5, 1, 7, 2, 9, 4), *y = cp_reshape(x, CP_SHAPE(2, 3)), *set = doubles(1, 0, 1), *r;
        ok((r = cp_vectorized_filter(x, greatest, fresh(), .size = CP_SHAPE(3))));
        assert_int_equal(cp_type_of(r), CP_INT64);
        ARE(r, 5, 7, 7, 9, 9, 9);
        assert_int_equal(s.calls, 1);
        ARE(cp_vectorized_filter(x, greatest, fresh(), .size = CP_SHAPE(3), .batch_memory = 50), 5, 7, 7, 9, 9, 9);
        assert_int_equal(s.calls, 3); /* two rows of 24 bytes at once */
        ARE(cp_vectorized_filter(x, greatest, fresh(), .size = CP_SHAPE(3), .valid = true), 7, 7, 9, 9);
        ARE(cp_vectorized_filter(x, greatest, fresh(), .footprint = set), 5, 7, 2, 9, 4, 9);
        ARE(cp_vectorized_filter(x, greatest, fresh(), .footprint = set, .mode = CP_FILTER_MODE_CONSTANT, .cval = 50),
            50, 7, 2, 9, 4, 50);
        ARE(cp_vectorized_filter(y, greatest, fresh(), .size = CP_SHAPE(2)), 5, 5, 7, 5, 9, 9);
        ARE(cp_vectorized_filter(y, greatest, fresh(), .size = CP_SHAPE(2), .axes = CP_AXES(0)), 5, 1, 7, 5, 9, 7);
        ARE(cp_vectorized_filter(y, greatest, fresh(), .size = CP_SHAPE(1, 3), .axes = CP_AXES(1, 0), .valid = false,
                                 .origin = CP_SHAPE(0, 1)), 5, 9, 7, 5, 9, 7);
        ARE(cp_vectorized_filter(y, greatest, fresh(), .size = CP_SHAPE(3, 2), .valid = true,
                                 .axes = CP_AXES(1, 0)), 9);
        ARE(cp_vectorized_filter(y, as_it_is, NULL, .size = CP_SHAPE(1), .axes = CP_NONE), -5, -1, -7, -2, -9, -4);
        cp_array *out = cp_zeros(CP_SHAPE(6), CP_FLOAT32);
        ARE(cp_vectorized_filter(x, greatest, fresh(), .size = CP_SHAPE(3), .out = out), 5, 7, 7, 9, 9, 9);
        values(out, 5, 7, 7, 9, 9, 9);
        FREE(x, y, set, out);
    }
}

static void places(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2, 4, 8, 16, 32), *y = cp_reshape(x, CP_SHAPE(2, 3)), *r;
        ARE(cp_geometric_transform(y, turned, fresh(), 1, .output_shape = CP_SHAPE(3, 2)), 1, 8, 2, 16, 4, 32);
        assert_int_equal(s.calls, 6);
        s = (seen){.limit = -1, .extra = 0.5};
        ok((r = cp_geometric_transform(y, turned, &s, 1, .output_shape = CP_SHAPE(2, 3), .typed = true,
                                       .dtype = CP_FLOAT32, .cval = -1)));
        assert_int_equal(cp_type_of(r), CP_FLOAT32);
        ARE(r, 1, 4.5, 8, 1.5, 6.75, 12);
        ARE(cp_geometric_transform(y, turned, fresh(), 0, .output_shape = CP_SHAPE(4, 1), .cval = -1), 1, 2, 4, -1);
        cp_array *out = cp_zeros(CP_SHAPE(3, 2), CP_FLOAT64);
        ARE(cp_geometric_transform(y, turned, fresh(), 1, .output_shape = CP_SHAPE(3, 2), .filtered = false,
                                   .mode = CP_RESAMPLE_MODE_NEAREST, .out = out), 1, 8, 2, 16, 4, 32);
        ok((r = cp_geometric_transform(y, turned, fresh(), 1, .output_shape = CP_SHAPE(0, 2))));
        assert_true(cp_size(r) == 0 && s.calls == 0);
        FREE(x, y, out, r);
    }
}

/* A function that fails ends the call at once; the output is as it was, and nothing is left. */
static void failures(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2, 4, 8), *y = cp_reshape(x, CP_SHAPE(2, 2)), *out = cp_ones(CP_SHAPE(2, 2), CP_INT8);
        ok(!cp_device_synchronize(CP_CURRENT));
        const int64_t live = cp_test_live();
        for (int limit = 0; limit < 4; limit++) {
            s = (seen){.limit = limit};
            assert_null(cp_generic_filter(y, sum, &s, .size = CP_SHAPE(3), .out = out));
            failed_with(CP_ERROR_RUNTIME, "generic_filter: unknown error in filter function");
            assert_int_equal(s.calls, limit + 1);
            s = (seen){.limit = limit, .sets_error = 1};
            assert_null(cp_generic_filter(y, sum, &s, .size = CP_SHAPE(3)));
            failed_with(CP_ERROR_VALUE, "sum: no more");
            s = (seen){.limit = limit};
            assert_null(cp_geometric_transform(y, turned, &s, 3, .out = out));
            failed_with(CP_ERROR_RUNTIME, "geometric_transform: unknown error in mapping function");
            assert_int_equal(s.calls, limit + 1);
        }
        for (int limit = 0; limit < 2; limit++) {
            s = (seen){.limit = limit};
            assert_null(cp_generic_filter1d(y, differences, &s, 2, 0, .out = out));
            failed_with(CP_ERROR_RUNTIME, "generic_filter1d: unknown error in line processing function");
            s = (seen){.limit = limit};
            assert_null(cp_generic_laplace(y, slope, &s, .out = out));
            failed_with(CP_ERROR_RUNTIME, "generic_laplace: unknown error in derivative function");
            s = (seen){.limit = limit};
            assert_null(cp_generic_gradient_magnitude(y, slope, &s, .out = out));
            failed_with(CP_ERROR_RUNTIME, "generic_gradient_magnitude: unknown error in derivative function");
            s = (seen){.limit = limit};
            assert_null(cp_vectorized_filter(y, greatest, &s, .size = CP_SHAPE(3), .batch_memory = 150, .out = out));
            failed_with(CP_ERROR_RUNTIME, "vectorized_filter: unknown error in filter function");
            assert_int_equal(s.calls, limit + 1);
        }
        s = (seen){.limit = -1, .extra = 1};
        assert_null(cp_vectorized_filter(y, greatest, &s, .size = CP_SHAPE(3), .out = out));
        failed_with(CP_ERROR_VALUE, "vectorized_filter: the function must give one element for each window");
        ok(!cp_device_synchronize(CP_CURRENT));
        assert_int_equal(cp_test_live(), live);
        values(out, 1, 1, 1, 1);
        FREE(x, y, out);
    }
}

static void errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2, 4, 8), *z = cp_astype(x, CP_COMPLEX64), *flat = cp_ones(CP_SHAPE(2, 2), CP_BOOL);
        cp_array *point = cp_ones(CP_SHAPE0, CP_FLOAT64);
#define REFUSED(code, call) do { assert_null(call); failed(code); assert_int_equal(s.calls, 0); } while (0)
        fresh();
        REFUSED(CP_ERROR_VALUE, cp_generic_filter(NULL, sum, &s, .size = CP_SHAPE(3)));
        REFUSED(CP_ERROR_VALUE, cp_generic_filter(x, NULL, &s, .size = CP_SHAPE(3)));
        REFUSED(CP_ERROR_TYPE, cp_generic_filter(z, sum, &s, .size = CP_SHAPE(3)));
        REFUSED(CP_ERROR_TYPE, cp_generic_filter(x, sum, &s, .size = CP_SHAPE(3), .out = z));
        REFUSED(CP_ERROR_RUNTIME, cp_generic_filter(x, sum, &s, .size = CP_SHAPE(3), .out = flat));
        REFUSED(CP_ERROR_RUNTIME, cp_generic_filter(x, sum, &s));
        REFUSED(CP_ERROR_RUNTIME, cp_generic_filter(x, sum, &s, .size = CP_SHAPE(3, 3)));
        REFUSED(CP_ERROR_RUNTIME, cp_generic_filter(x, sum, &s, .size = CP_SHAPE(0)));
        REFUSED(CP_ERROR_RUNTIME, cp_generic_filter(x, sum, &s, .footprint = flat));
        REFUSED(CP_ERROR_RUNTIME, cp_generic_filter(x, sum, &s, .size = CP_SHAPE(3), .mode = (cp_filter_mode)9));
        REFUSED(CP_ERROR_VALUE, cp_generic_filter(x, sum, &s, .size = CP_SHAPE(3), .origin = CP_SHAPE(2)));
        REFUSED(CP_ERROR_AXIS, cp_generic_filter(x, sum, &s, .size = CP_SHAPE(3), .axes = CP_AXES(1)));
        REFUSED(CP_ERROR_VALUE, cp_generic_filter(flat, sum, &s, .size = CP_SHAPE(3), .axes = CP_AXES(1, -1)));
        REFUSED(CP_ERROR_MEMORY, cp_generic_filter(flat, sum, &s, .size = CP_SHAPE((int64_t)1 << 40)));
        REFUSED(CP_ERROR_RUNTIME, cp_generic_filter1d(x, differences, &s, 0, 0));
        REFUSED(CP_ERROR_AXIS, cp_generic_filter1d(x, differences, &s, 2, 1));
        REFUSED(CP_ERROR_AXIS, cp_generic_filter1d(point, differences, &s, 2, 0));
        REFUSED(CP_ERROR_VALUE, cp_generic_filter1d(x, differences, &s, 2, 0, .origin = 1));
        REFUSED(CP_ERROR_TYPE, cp_generic_filter1d(z, differences, &s, 2, 0));
        REFUSED(CP_ERROR_AXIS, cp_generic_laplace(x, slope, &s, .axes = CP_AXES(1)));
        REFUSED(CP_ERROR_RUNTIME, cp_generic_laplace(x, slope, &s, .out = flat));
        REFUSED(CP_ERROR_VALUE, cp_generic_gradient_magnitude(x, NULL, &s));
        REFUSED(CP_ERROR_VALUE, cp_vectorized_filter(x, greatest, &s, .size = CP_SHAPE(5), .valid = true));
        REFUSED(CP_ERROR_VALUE, cp_vectorized_filter(flat, greatest, &s, .size = CP_SHAPE(2), .footprint = flat));
        REFUSED(CP_ERROR_VALUE, cp_vectorized_filter(x, greatest, &s, .size = CP_SHAPE(3), .batch_memory = 23));
        REFUSED(CP_ERROR_VALUE, cp_vectorized_filter(x, greatest, &s, .size = CP_SHAPE(3), .batch_memory = -1));
        REFUSED(CP_ERROR_RUNTIME, cp_geometric_transform(x, turned, &s, 6));
        REFUSED(CP_ERROR_RUNTIME, cp_geometric_transform(point, turned, &s, 1));
        REFUSED(CP_ERROR_RUNTIME, cp_geometric_transform(x, turned, &s, 1, .out = flat));
        REFUSED(CP_ERROR_RUNTIME, cp_geometric_transform(x, turned, &s, 1, .mode = (cp_resample_mode)19));
        REFUSED(CP_ERROR_VALUE, cp_geometric_transform(x, turned, &s, 1, .output_shape = CP_SHAPE(-1)));
        REFUSED(CP_ERROR_VALUE, cp_geometric_transform(x, NULL, &s, 1));
        FREE(x, z, flat, point);
    }
}

static cp_array *image, *footprint;

static bool body(void)
{
    s = (seen){.limit = -1};
    cp_array *r[] = {cp_generic_filter(image, sum, &s, .size = CP_SHAPE(3)),
                     cp_generic_filter(image, sum, &s, .footprint = footprint),
                     cp_generic_filter1d(image, differences, &s, 2, 0),
                     cp_generic_laplace(image, slope, &s),
                     cp_generic_gradient_magnitude(image, slope, &s),
                     cp_vectorized_filter(image, greatest, &s, .size = CP_SHAPE(2)),
                     cp_vectorized_filter(image, greatest, &s, .footprint = footprint, .batch_memory = 64),
                     cp_geometric_transform(image, turned, &s, 3, .mode = CP_RESAMPLE_MODE_NEAREST)};
    return check_all_made(sizeof r / sizeof *r, r);
}

static void failing_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *line = ints(0, 1, 2, 3), *set = ints(1, 0, 1, 1);
        image = cp_reshape(line, CP_SHAPE(2, 2)), footprint = cp_reshape(set, CP_SHAPE(2, 2));
        every_allocation_fails(body);
        FREE(line, set, image, footprint);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(windows), cmocka_unit_test(lines),
                                       cmocka_unit_test(derivatives), cmocka_unit_test(vectors),
                                       cmocka_unit_test(places), cmocka_unit_test(failures), cmocka_unit_test(errors),
                                       cmocka_unit_test(failing_allocations)};
    return check_run(tests);
}
