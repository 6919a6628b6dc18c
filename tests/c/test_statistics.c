/* Counts, bins, quantiles, averages: values, errors, and that every allocation may fail. Semantics are compared with
 * NumPy in Python. */
#include "check.h"

static void calls(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = ints(3, 1, 2, 1), *y = doubles(1.5, NAN, 2, 0.25), *half = cp_float(0.5);
        cp_array *edges = doubles(1, 2, 3), *r, *e;
        values(r = cp_bincount(x), 0, 2, 1, 1);
        cp_free(r);
        values(r = cp_digitize(x, edges), 3, 1, 2, 1);
        cp_free(r);
        values(r = cp_interp(x, edges, edges), 3, 1, 2, 1);
        cp_free(r);
        values(r = cp_quantile(x, half), 1.5);
        cp_free(r);
        values(r = cp_nanquantile(y, half, .method = CP_QUANTILE_METHOD_LOWER), 1.5);
        cp_free(r);
        values(r = cp_nanmedian(y), 1.5);
        cp_free(r);
        values(r = cp_nanmean(y), 1.25);
        cp_free(r);
        assert_int_equal(cp_average(x, &r, NULL, .weights = x), CP_OK);
        values(r, 15.0 / 7);
        cp_free(r);
        values(r = cp_gradient(x, 0, 1), -2, -0.5, 0, -1);
        cp_free(r);
        values(r = cp_cov(x, true, NAN), 11.0 / 12);
        cp_free(r);
        assert_int_equal(cp_histogram(x, 2, &r, &e), CP_OK);
        values(r, 2, 2);
        values(e, 1, 2, 3);
        cp_free(r), cp_free(e);
        cp_array *bounds = doubles(0, 1.5, 3), *points = cp_stack(2, ((cp_array *[]){x, x}), 1);
        values(r = cp_histogram2d(x, x, bounds, bounds), 2, 0, 0, 2);
        cp_free(r);
        cp_array *both[] = {bounds, bounds};
        values(r = cp_histogramdd(points, 2, both, .density = true), 2 / 9.0, 0, 0, 2 / 9.0);
        cp_free(r);
        assert_null(cp_histogramdd(points, 1, &bounds));
        failed(CP_ERROR_VALUE);
        values(r = cp_histogram_bin_edges(x, 2), 1, 2, 3);
        cp_free(r), cp_free(bounds), cp_free(points);
        cp_free(x), cp_free(y), cp_free(half), cp_free(edges);
    }
}

static void errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = ints(3, -1, 2), *two = cp_float(2), *r, *e, *none = cp_empty(CP_SHAPE(0), CP_FLOAT64);
        assert_null(cp_bincount(x));
        failed(CP_ERROR_VALUE);
        assert_null(cp_quantile(x, two));
        failed(CP_ERROR_VALUE);
        assert_null(cp_percentile(none, two));
        failed(CP_ERROR_INDEX);
        cp_array *late = cp_digitize(x, x); /* a GPU reports when the result is read */
        assert_int_equal(late ? cp_device_synchronize(CP_CURRENT) : cp_error(), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        cp_free(late);
        assert_null(cp_interp(x, none, none));
        failed(CP_ERROR_VALUE);
        assert_null(cp_gradient(x, 0, 3));
        failed(CP_ERROR_VALUE);
        assert_int_equal(cp_histogram(x, 0, &r, &e), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        assert_null(r);
        cp_free(x), cp_free(two), cp_free(none);
    }
}

static cp_array *whole, *real, *at, *edges, *pairs, *single;
static bool body(void)
{
    cp_array *hist = NULL, *bounds = NULL, *mean = NULL, *sum = NULL;
    cp_array *r[] = {cp_bincount(whole, .weights = real),
                     cp_digitize(real, edges),
                     cp_interp(real, edges, edges, .period = at),
                     cp_quantile(real, at),
                     cp_quantile(real, at, .method = CP_QUANTILE_METHOD_INVERTED_CDF, .weights = whole),
                     cp_nanmedian(real),
                     cp_nanmedian(pairs),
                     cp_nanmedian(pairs, .axis = CP_AXES(0), .out = single),
                     cp_nanmean(real, .out = single),
                     cp_nanmean(real),
                     cp_gradient(real, 0, 2, .spacing = edges),
                     cp_cov(real, true, NAN),
                     cp_corrcoef(real, true),
                     cp_histogram2d(real, real, edges, edges, .density = true, .weights = whole),
                     cp_histogram_bin_edges(real, 3),
                     cp_repeat(real, whole, 0)};
    bool done = cp_histogram(real, 3, &hist, &bounds, .weights = whole) == CP_OK;
    done &= cp_average(real, &mean, &sum, .weights = whole) == CP_OK;
    cp_free(hist), cp_free(bounds), cp_free(mean), cp_free(sum);
    return check_all_made(sizeof r / sizeof *r, r) && done;
}

static void failing_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        whole = ints(1, 2, 3, 1), real = doubles(1, 2.5, 0.5, 3), edges = doubles(0, 1, 2.5, 3), at = cp_float(0.3);
        pairs = cp_astype(real, CP_COMPLEX64), single = cp_zeros((cp_shape){0, NULL}, CP_COMPLEX128);
        every_allocation_fails(body);
        cp_free(whole), cp_free(real), cp_free(edges), cp_free(at), cp_free(pairs), cp_free(single);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls), cmocka_unit_test(errors), cmocka_unit_test(failing_allocations),
    };
    return check_run(tests);
}
