/* Filters: values, options, errors, and every allocation failing in turn. */
#include "check.h"
#include "cuprite/filters.h"

/* Whether the elements are these; frees the array. */
static void equals(cp_array *r, int n, const double *want)
{
    double got[32];
    ok(r != NULL);
    cp_array *wide = cp_astype(r, CP_FLOAT64);
    ok(wide && cp_size(wide) == n && cp_to_host(wide, got, sizeof got) == CP_OK);
    for (int i = 0; i < n; i++) ok(fabs(got[i] - want[i]) < 1e-12);
    cp_free(wide);
    cp_free(r);
}
#define EQUALS(r, ...) \
    equals(r, (int)(sizeof(double[]){__VA_ARGS__} / sizeof(double)), (const double[]){__VA_ARGS__})

static void lines(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2, 8, 4, 0), *w = doubles(1, 2, 3), *out = cp_zeros(CP_SHAPE(5), CP_INT32);
        EQUALS(cp_correlate1d(x, w, -1), 9, 29, 30, 16, 4);
        EQUALS(cp_correlate1d(x, w, 0, .mode = CP_FILTER_MODE_CONSTANT, .cval = 1), 9, 29, 30, 16, 7);
        EQUALS(cp_convolve1d(x, w, -1, .mode = CP_FILTER_MODE_WRAP), 4, 15, 26, 32, 13);
        EQUALS(cp_uniform_filter1d(x, 3, -1), 4. / 3, 11. / 3, 14. / 3, 4, 4. / 3);
        EQUALS(cp_minimum_filter1d(x, 3, -1), 1, 1, 2, 0, 0);
        EQUALS(cp_maximum_filter1d(x, 2, -1, .origin = -1), 2, 8, 8, 4, 0);
        EQUALS(cp_median_filter(x, .size = CP_SHAPE(3)), 1, 2, 4, 4, 0);
        EQUALS(cp_rank_filter(x, -1, .size = CP_SHAPE(3)), 2, 8, 8, 8, 4);
        EQUALS(cp_percentile_filter(x, 50, .size = CP_SHAPE(3)), 1, 2, 4, 4, 0);
        EQUALS(cp_uniform_filter(x, .size = CP_SHAPE(2), .out = out), 1, 1, 5, 6, 2);
        EQUALS(cp_laplace(x), 1, 5, -10, 0, 4);
        cp_array *even = cp_gaussian_filter(x, 1), *half = cp_gaussian_filter(x, 1, .axes = CP_AXES(0));
        cp_array *sum = cp_sum(even);
        ok(fabs(cp_item_float(sum) - 15) < 1e-9);
        cp_free(sum);
        EQUALS(cp_subtract(even, half), 0, 0, 0, 0, 0);
        cp_free(even), cp_free(half);
        cp_free(x), cp_free(w), cp_free(out);
    }
}

static void complex_numbers(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        const cp_complex128 values[] = {{1, 5}, {2, 0}, {8, -1}};
        cp_array *x = cp_from_host(values, CP_COMPLEX128, CP_SHAPE(3), NULL), *w = doubles(1, 2, 3);
        cp_array *r = cp_correlate1d(x, w, -1, .mode = CP_FILTER_MODE_CONSTANT, .cval = 1), *m = cp_convolve_nd(x, w);
        cp_complex128 got[3];
        ok(r && m && cp_type_of(r) == CP_COMPLEX128 && cp_to_host(r, got, sizeof got) == CP_OK);
        ok(got[0].re == 9 && got[0].im == 10 && got[2].re == 21 && got[2].im == -2); /* the constant has no i */
        cp_array *same = cp_correlate1d(x, w, -1, .mode = CP_FILTER_MODE_CONSTANT, .cval = 1, .out = x);
        ok(same != NULL);
        cp_free(same);
        ok(cp_to_host(x, got, sizeof got) == CP_OK && got[0].re == 9 && got[0].im == 10 && got[2].im == -2);
        cp_array *real = cp_zeros(CP_SHAPE(3), CP_FLOAT64);
        ok(!cp_correlate1d(x, w, -1, .out = real));
        failed(CP_ERROR_RUNTIME);
        cp_free(x), cp_free(w), cp_free(r), cp_free(m), cp_free(real);
    }
}

static void binary(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(0, 1, 1, 1, 0, 0, 1), *s = cp_ones(CP_SHAPE(3), CP_BOOL);
        EQUALS(cp_binary_erosion(x, NULL, 1), 0, 0, 1, 0, 0, 0, 0);
        EQUALS(cp_binary_dilation(x, s, 1), 1, 1, 1, 1, 1, 1, 1);
        EQUALS(cp_binary_erosion(x, s, 0, .border_value = true), 0, 0, 0, 0, 0, 0, 0);
        EQUALS(cp_binary_closing(x, s, 1), 0, 1, 1, 1, 1, 1, 0);
        EQUALS(cp_binary_fill_holes(x, NULL), 0, 1, 1, 1, 1, 1, 1);
        EQUALS(cp_grey_erosion(x, .size = CP_SHAPE(3)), 0, 0, 1, 0, 0, 0, 0);
        EQUALS(cp_white_tophat(x, .size = CP_SHAPE(3)), 0, 0, 0, 0, 0, 0, 1);
        EQUALS(cp_generate_binary_structure(2, 1), 0, 1, 0, 1, 1, 1, 0, 1, 0);
        cp_free(x), cp_free(s);
    }
}

static void errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2, 3), *none = cp_zeros(CP_SHAPE(2), CP_BOOL), *z = cp_ones(CP_SHAPE(3), CP_COMPLEX64);
        ok(!cp_minimum_filter1d(x, 0, -1));
        failed(CP_ERROR_RUNTIME);
        ok(!cp_minimum_filter1d(x, 3, -1, .origin = 2));
        failed(CP_ERROR_VALUE);
        ok(!cp_minimum_filter1d(x, 3, 1));
        failed(CP_ERROR_AXIS);
        ok(!cp_minimum_filter1d(z, 3, 0));
        failed(CP_ERROR_TYPE);
        ok(!cp_minimum_filter1d(x, 3, 0, .mode = (cp_filter_mode)9));
        failed(CP_ERROR_RUNTIME);
        ok(!cp_maximum_filter(x, .footprint = none));
        failed(CP_ERROR_VALUE);
        ok(!cp_maximum_filter(x));
        failed(CP_ERROR_RUNTIME);
        ok(!cp_median_filter(x, .size = CP_SHAPE(3, 3)));
        failed(CP_ERROR_RUNTIME);
        ok(!cp_rank_filter(x, 3, .size = CP_SHAPE(3)));
        failed(CP_ERROR_RUNTIME);
        ok(!cp_percentile_filter(x, 101, .size = CP_SHAPE(3)));
        failed(CP_ERROR_RUNTIME);
        ok(!cp_gaussian_filter(x, 1, .axes = CP_AXES(0, 0)));
        failed(CP_ERROR_VALUE);
        ok(!cp_gaussian_filter(x, 1e300));
        failed(CP_ERROR_VALUE);
        ok(!cp_gaussian_filter(NULL, 1));
        failed(CP_ERROR_VALUE);
        cp_free(x), cp_free(none), cp_free(z);
    }
}

static cp_array *image, *window, *sigma, *spectrum; /* of the device */

/* One of each kind of job. */
static bool body(void)
{
    cp_array *r[] = {
        cp_gaussian_filter(image, 1), cp_convolve_nd(image, window), cp_median_filter(image, .size = CP_SHAPE(3)),
        cp_grey_opening(image, .structure = window), cp_binary_fill_holes(image, NULL),
        cp_binary_dilation(image, NULL, 3), cp_fourier_gaussian(image, sigma, -1, -1),
        cp_maximum_filter(image, .size = CP_SHAPE(5)), cp_uniform_filter(image),
        cp_gaussian_gradient_magnitude(image, 1), cp_gaussian_filter(spectrum, 1), cp_correlate_nd(spectrum, window),
        cp_generate_binary_structure(2, 1),
    };
    return check_all_made(sizeof r / sizeof *r, r);
}

static void failing_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        image = cp_ones(CP_SHAPE(9, 11), CP_FLOAT32);
        window = cp_ones(CP_SHAPE(3, 3), CP_FLOAT64);
        sigma = doubles(2, 1);
        spectrum = cp_ones(CP_SHAPE(9, 11), CP_COMPLEX64);
        every_allocation_fails(body);
        cp_free(image), cp_free(window), cp_free(sigma), cp_free(spectrum);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines), cmocka_unit_test(complex_numbers), cmocka_unit_test(binary),
        cmocka_unit_test(errors), cmocka_unit_test(failing_allocations),
    };
    return check_run(tests);
}
