/* Splines, distances and watersheds: values, errors, and every allocation failing in turn. Semantics are compared with
 * SciPy in Python. */
#include "check.h"
#include "cuprite/geometry.h"

/* Whether the elements are these, to a few roundings; frees the array. */
static void near(cp_array *r, int n, const double *want)
{
    double got[32];
    cp_array *wide = r ? cp_astype(r, CP_FLOAT64) : NULL, *dense = wide ? cp_contiguous(wide) : NULL;
    ok(dense && cp_size(dense) == n);
    ok(cp_to_host(dense, got, sizeof got) == CP_OK);
    for (int i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) < 1e-12)) fail_msg("element %d is %.17g, not %.17g", i, got[i], want[i]);
    cp_free(dense), cp_free(wide), cp_free(r);
}
#define NEAR(r, ...) \
    near(r, (int)(sizeof(double[]){__VA_ARGS__} / sizeof(double)), (const double[]){__VA_ARGS__})

static cp_array *square(void)
{
    cp_array *line = cp_arange(0, 9, 1, CP_FLOAT64), *x = line ? cp_reshape(line, CP_SHAPE(3, 3)) : NULL;
    cp_free(line);
    return x;
}

static void splines(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2, 4, 8), *y = square(), *half = cp_float(0.5), *two = doubles(2, 1), *places, *matrix;
        NEAR(cp_shift(x, half, 1, .mode = CP_RESAMPLE_MODE_NEAREST), 1, 1.5, 3, 6);
        NEAR(cp_shift(x, half, 1, .cval = -1), -1, 1.5, 3, 6);
        NEAR(cp_zoom(y, two, 1), 0, 1, 2, 1.2, 2.2, 3.2, 2.4, 3.4, 4.4, 3.6, 4.6, 5.6, 4.8, 5.8, 6.8, 6, 7, 8);
        NEAR(cp_rotate(y, 90, 1), 2, 5, 8, 1, 4, 7, 0, 3, 6);
        NEAR(cp_rotate(y, 45, 0, .keep_shape = true, .mode = CP_RESAMPLE_MODE_GRID_CONSTANT, .dtype = CP_INT8,
                       .typed = true), 1, 2, 5, 0, 4, 8, 3, 6, 7);
        places = doubles(0.5, 3, -1);
        cp_array *row = cp_reshape(places, CP_SHAPE(1, 3));
        NEAR(cp_map_coordinates(x, row, 1, .cval = 9), 1.5, 8, 9);
        cp_free(row), cp_free(places);
        NEAR(cp_affine_transform(y, two, 1, .output_shape = CP_SHAPE(2, 3)), 0, 1, 2, 6, 7, 8);
        places = doubles(0, 1, 0, 1, 0, 0);
        matrix = cp_reshape(places, CP_SHAPE(2, 3));
        NEAR(cp_affine_transform(y, matrix, 1), 0, 3, 6, 1, 4, 7, 2, 5, 8);
        cp_free(matrix), cp_free(places);
        cp_array *c = cp_spline_filter(x, 3, .mode = CP_RESAMPLE_MODE_MIRROR);
        ok(c);
        NEAR(cp_shift(c, half, 3, .filtered = true, .mode = CP_RESAMPLE_MODE_MIRROR, .out = x), 1.35, 1.35, 2.625,
             6.525);
        cp_free(c);
        cp_array *out = doubles(0, 0, 0, 0), *same = cp_spline_filter1d(x, 1, 0, .out = out);
        NEAR(same, 1.35, 1.35, 2.625, 6.525);
        cp_free(out);
        cp_free(x), cp_free(y), cp_free(half), cp_free(two);
    }
}

static void distances(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 1, 0, 1, 1, 1), *two = cp_float(2), *where = NULL, *flat, *r;
        NEAR(cp_distance_transform_edt(x), 2, 1, 0, 1, 2, 3);
        NEAR(cp_distance_transform_edt(x, .sampling = two, .indices = &where), 4, 2, 0, 2, 4, 6);
        NEAR(where, 2, 2, 2, 2, 2, 2);
        cp_array *plane = cp_reshape(x, CP_SHAPE(2, 3));
        NEAR(cp_distance_transform_edt(plane), 2, 1, 0, sqrt(5), sqrt(2), 1);
        r = cp_distance_transform_bf(plane, .metric = CP_DISTANCE_METRIC_TAXICAB, .indices = &where);
        NEAR(r, 2, 1, 0, 3, 2, 1);
        NEAR(where, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2);
        flat = cp_ones(CP_SHAPE(3), CP_INT8);
        NEAR(cp_distance_transform_cdt(x, flat, .indices = &where), 2, 1, 0, 1, 2, 3);
        NEAR(where, 2, 2, 2, 2, 2, 2);
        cp_array *image = cp_astype(x, CP_UINT8), *places = ints(1, 0, 0, 0, 0, -2),
                 *markers = cp_astype(places, CP_INT16);
        r = cp_watershed_ift(image, markers);
        ok(r && cp_type_of(r) == CP_INT16);
        NEAR(r, 1, 1, 1, -2, -2, -2);
        cp_free(image), cp_free(markers), cp_free(places), cp_free(flat), cp_free(plane), cp_free(two), cp_free(x);
    }
}

static void errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2, 4), *y = square(), *one = cp_float(1), *zero = cp_ones(CP_SHAPE0, CP_FLOAT64);
        assert_null(cp_shift(x, x, 6));
        failed(CP_ERROR_RUNTIME);
        assert_null(cp_shift(zero, one, 1));
        failed(CP_ERROR_RUNTIME);
        assert_null(cp_shift(y, x, 1));
        failed(CP_ERROR_RUNTIME);
        assert_null(cp_shift(x, one, 1, .mode = (cp_resample_mode)99));
        failed(CP_ERROR_RUNTIME);
        assert_null(cp_shift(x, one, 1, .out = y));
        failed(CP_ERROR_RUNTIME);
        assert_null(cp_rotate(x, 10, 1));
        failed(CP_ERROR_VALUE);
        assert_null(cp_rotate(y, NAN, 1));
        failed(CP_ERROR_VALUE);
        assert_null(cp_spline_filter1d(x, 3, 1));
        failed(CP_ERROR_AXIS);
        assert_null(cp_affine_transform(x, y, 1));
        failed(CP_ERROR_RUNTIME);
        assert_null(cp_map_coordinates(x, y, 1));
        failed(CP_ERROR_RUNTIME);
        assert_null(cp_distance_transform_bf(x, .metric = (cp_distance_metric)7));
        failed(CP_ERROR_RUNTIME);
        assert_null(cp_distance_transform_cdt(x, y));
        failed(CP_ERROR_RUNTIME);
        assert_null(cp_watershed_ift(x, x));
        failed(CP_ERROR_TYPE);
        assert_null(cp_zoom(NULL, one, 1));
        failed(CP_ERROR_VALUE);
        cp_free(x), cp_free(y), cp_free(one), cp_free(zero);
    }
}

static cp_array *image, *half, *markers, *bytes, *cube;

static bool body(void)
{
    cp_array *w[3] = {NULL, NULL, NULL};
    cp_array *structure = cp_ones(CP_SHAPE(3, 3), CP_INT8);
    cp_array *r[] = {structure,
                     cp_spline_filter(image, 3, .typed = true, .dtype = CP_FLOAT32),
                     cp_spline_filter1d(cube, 2, 0),
                     cp_shift(image, half, 3, .mode = CP_RESAMPLE_MODE_NEAREST),
                     cp_shift(cube, half, 1, .mode = CP_RESAMPLE_MODE_GRID_CONSTANT),
                     cp_zoom(image, half, 1, .typed = true, .dtype = CP_FLOAT16),
                     cp_rotate(image, 30, 3),
                     cp_rotate(cube, 30, 2),
                     cp_affine_transform(image, image, 1, .output_shape = CP_SHAPE(2, 3)),
                     cp_map_coordinates(image, image, 1),
                     cp_distance_transform_edt(image, .indices = &w[0]),
                     cp_distance_transform_bf(image, .indices = &w[1]),
                     structure ? cp_distance_transform_cdt(image, structure, .indices = &w[2]) : NULL,
                     cp_watershed_ift(bytes, markers)};
    cp_free(w[0]), cp_free(w[1]), cp_free(w[2]);
    return check_all_made(sizeof r / sizeof *r, r);
}

static void failing_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *line = doubles(0, 1, 2, 3);
        image = cp_reshape(line, CP_SHAPE(2, 2)), half = cp_float(0.5);
        bytes = cp_astype(image, CP_UINT8), markers = cp_astype(image, CP_INT16);
        cp_array *small = cp_astype(line, CP_COMPLEX64);
        cube = cp_reshape(small, CP_SHAPE(2, 2, 1));
        every_allocation_fails(body);
        cp_free(image), cp_free(half), cp_free(bytes), cp_free(markers), cp_free(cube), cp_free(small), cp_free(line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(splines), cmocka_unit_test(distances), cmocka_unit_test(errors),
                                       cmocka_unit_test(failing_allocations)};
    return check_run(tests);
}
