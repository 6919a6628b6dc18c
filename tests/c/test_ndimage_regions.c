/* Extrema, positions of values, functions of regions: values by definition, errors, and every allocation failing in
 * turn. Semantics are compared with SciPy in Python (test_ndimage.py, test_geometry_labelled.py). */
#include "check.h"
#include "cuprite/ndimage.h"

#define FREE(...) \
    do { \
        cp_array *all_[] = {__VA_ARGS__}; \
        for (size_t i_ = 0; i_ < sizeof all_ / sizeof *all_; i_++) cp_free(all_[i_]); \
    } while (0)
#define ARE(r, ...) \
    do { \
        cp_array *are_ = (r); \
        values(are_, __VA_ARGS__); \
        cp_free(are_); \
    } while (0)

static void extrema(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *line = doubles(3, 1, 7, 7, 1, 9), *x = cp_reshape(line, CP_SHAPE(2, 3)), *r[4];
        cp_array *marks = ints(1, 1, 2, 2, 2, 0), *labels = cp_reshape(marks, CP_SHAPE(2, 3)), *index = ints(2, 1, 5);
        ok(!cp_extrema(x, NULL, NULL, &r[0], &r[1], &r[2], &r[3]));
        assert_int_equal(cp_ndim(r[0]), 0);
        ARE(r[0], 1);
        ARE(r[1], 9);
        ARE(r[2], 0, 1);
        ARE(r[3], 1, 2);
        ok(!cp_extrema(x, labels, index, &r[0], &r[1], &r[2], &r[3]));
        ARE(r[0], 1, 1, 0);
        ARE(r[1], 7, 3, 0);
        ARE(r[2], 1, 1, 0, 1, 0, 0);
        ARE(r[3], 0, 2, 0, 0, 0, 0);
        ok(!cp_extrema(x, labels, NULL, NULL, &r[1], NULL, NULL));
        ARE(r[1], 7);
        ok(!cp_extrema(x, labels, index, NULL, NULL, &r[2], NULL));
        ARE(r[2], 1, 1, 0, 1, 0, 0);
        ok(!cp_extrema(x, labels, index, NULL, NULL, NULL, NULL));
        cp_array *five = cp_int(5), *z = cp_astype(x, CP_COMPLEX64), *none = cp_zeros(CP_SHAPE(0), CP_INT8);
        assert_int_equal(cp_extrema(x, labels, five, &r[0], &r[1], &r[2], &r[3]), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        for (int i = 0; i < 4; i++) assert_null(r[i]);
        assert_int_equal(cp_extrema(z, NULL, NULL, &r[0], NULL, NULL, NULL), CP_ERROR_TYPE);
        failed(CP_ERROR_TYPE);
        assert_int_equal(cp_extrema(none, NULL, NULL, &r[0], NULL, NULL, NULL), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        FREE(line, x, marks, labels, index, five, z, none);
    }
}

static void places_of_values(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *line = ints(4, -1, 4, 4, 2, -1), *x = cp_reshape(line, CP_SHAPE(2, 3)), *v, *e, *p;
        cp_array *small = cp_astype(x, CP_INT8), *turn = cp_transpose(small, CP_ALL);
        ok(!cp_value_indices(small, &v, &e, &p));
        assert_int_equal(cp_type_of(v), CP_INT8);
        assert_int_equal(cp_ndim(p), 2);
        ARE(v, -1, 2, 4);
        ARE(e, 2, 3, 6);
        ARE(p, 0, 1, 1, 0, 0, 1, 1, 2, 1, 0, 2, 0);
        ok(!cp_value_indices(turn, &v, &e, &p));
        ARE(v, -1, 2, 4);
        ARE(e, 2, 3, 6);
        ARE(p, 1, 2, 1, 0, 0, 2, 0, 1, 1, 0, 1, 0);
        cp_array *seven = cp_int(7), *point = cp_full(CP_SHAPE0, CP_UINT16, seven);
        cp_array *none = cp_zeros(CP_SHAPE(0, 3), CP_INT64);
        ok(!cp_value_indices(point, &v, &e, &p));
        assert_true(cp_dim(p, 0) == 0 && cp_dim(p, 1) == 1);
        ARE(v, 7);
        ARE(e, 1);
        cp_free(p);
        ok(!cp_value_indices(none, &v, &e, &p));
        assert_true(cp_size(v) == 0 && cp_size(e) == 0 && cp_dim(p, 0) == 2 && cp_dim(p, 1) == 0);
        FREE(v, e, p);
        cp_array *real = cp_ones(CP_SHAPE(2), CP_FLOAT64), *truth = cp_ones(CP_SHAPE(2), CP_BOOL);
        assert_int_equal(cp_value_indices(real, &v, &e, &p), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        assert_true(!v && !e && !p);
        assert_int_equal(cp_value_indices(truth, &v, &e, &p), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        FREE(line, x, small, turn, seven, point, none, real, truth);
    }
}

typedef struct seen { int calls, limit; bool vector, same; double places; } seen;

/* The sum, and that of the positions in the context. */
static cp_array *total(void *context, cp_array *elements, cp_array *positions)
{
    seen *s = context;
    assert_int_equal(cp_ndim(elements), 1);
    if (positions) {
        assert_int_equal(cp_size(positions), cp_size(elements));
        s->places = s->places * 100 + cp_item_float(cp_sum(positions));
    }
    if (s->calls++ == s->limit) return NULL;
    return s->same ? elements : s->vector ? cp_negative(elements) : cp_sum(elements);
}

static void functions(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *line = doubles(3, 1, 7, 5, 2, 9), *x = cp_reshape(line, CP_SHAPE(2, 3)), *r;
        cp_array *marks = ints(1, 2, 0), *index = ints(2, 7, 1), *label = cp_int(2), *nan = cp_float(NAN);
        seen s = {.limit = -1};
        ARE(cp_labeled_comprehension(x, marks, index, total, &s), 3, 0, 8);
        assert_int_equal(s.calls, 2); /* not for the one without elements */
        ARE(cp_labeled_comprehension(x, marks, index, total, &s, .empty = nan, .pass_positions = true), 3, NAN, 8);
        assert_true(s.places == (1 + 4) * 100 + 0 + 3);
        ok((r = cp_labeled_comprehension(x, marks, label, total, &s, .typed = true, .dtype = CP_INT16)));
        assert_true(cp_ndim(r) == 0 && cp_type_of(r) == CP_INT16);
        ARE(r, 3);
        ARE(cp_labeled_comprehension(x, marks, NULL, total, &s), 11);
        ARE(cp_labeled_comprehension(x, NULL, NULL, total, &s), 27);
        s.vector = true;
        ARE(cp_labeled_comprehension(x, marks, NULL, total, &s), -3, -1, -5, -2);
        s.same = true;
        ARE(cp_labeled_comprehension(x, marks, NULL, total, &s), 3, 1, 5, 2);
        ARE(cp_labeled_comprehension(line, NULL, NULL, total, &s), 3, 1, 7, 5, 2, 9);
        s = (seen){.limit = -1, .vector = true};
        assert_null(cp_labeled_comprehension(x, marks, index, total, &s));
        failed_with(CP_ERROR_VALUE, "labeled_comprehension: the function must give one element");
        ok(!cp_device_synchronize(CP_CURRENT));
        const int64_t live = cp_test_live();
        for (int limit = 0; limit < 2; limit++) {
            s = (seen){.limit = limit};
            assert_null(cp_labeled_comprehension(x, marks, index, total, &s));
            failed_with(CP_ERROR_RUNTIME, "labeled_comprehension: unknown error in region function");
            assert_int_equal(s.calls, limit + 1);
        }
        ok(!cp_device_synchronize(CP_CURRENT));
        assert_int_equal(cp_test_live(), live);
        cp_array *half = doubles(1, 1.5), *z = cp_astype(marks, CP_COMPLEX64);
        s = (seen){.limit = -1};
        assert_null(cp_labeled_comprehension(x, marks, half, total, &s));
        failed(CP_ERROR_VALUE);
        assert_null(cp_labeled_comprehension(x, NULL, index, total, &s));
        failed(CP_ERROR_VALUE);
        assert_null(cp_labeled_comprehension(x, marks, index, NULL, &s));
        failed(CP_ERROR_VALUE);
        assert_null(cp_labeled_comprehension(x, marks, index, total, &s, .empty = half));
        failed(CP_ERROR_VALUE);
        assert_null(cp_labeled_comprehension(x, half, index, total, &s));
        failed(CP_ERROR_VALUE);
        assert_null(cp_labeled_comprehension(x, z, index, total, &s));
        failed(CP_ERROR_TYPE);
        assert_int_equal(s.calls, 0);
        FREE(line, x, marks, index, label, nan, half, z);
    }
}

static cp_array *image, *marks, *index_;

static cp_array *sum(void *context, cp_array *elements, cp_array *positions)
{
    (void)context, (void)positions;
    return cp_sum(elements);
}

static bool body(void)
{
    cp_array *r[12] = {NULL};
    cp_extrema(image, marks, index_, &r[0], &r[1], &r[2], &r[3]);
    cp_extrema(image, NULL, NULL, &r[4], NULL, NULL, &r[5]);
    cp_value_indices(marks, &r[6], &r[7], &r[8]);
    r[9] = cp_labeled_comprehension(image, marks, index_, sum, NULL, .pass_positions = true);
    r[10] = cp_labeled_comprehension(image, marks, NULL, sum, NULL);
    r[11] = cp_labeled_comprehension(image, NULL, NULL, sum, NULL);
    return check_all_made(sizeof r / sizeof *r, r);
}

static void failing_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *line = ints(0, 1, 2, 3), *flat = ints(1, 2, 2, 0);
        image = cp_reshape(line, CP_SHAPE(2, 2)), marks = cp_reshape(flat, CP_SHAPE(2, 2)), index_ = ints(2, 1, 3);
        every_allocation_fails(body);
        FREE(line, flat, image, marks, index_);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(extrema), cmocka_unit_test(places_of_values),
                                       cmocka_unit_test(functions), cmocka_unit_test(failing_allocations)};
    return check_run(tests);
}
