/* Composites: values, errors, and that every allocation may fail. Semantics are compared with NumPy in Python. */
#include "check.h"

static void calls(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1.25, -3.5, 2.5), *r;
        values(r = cp_round(x, .decimals = 1), 1.2, -3.5, 2.5);
        cp_free(r);
        values(r = cp_round(x), 1, -4, 2);
        cp_free(r);
        values(r = cp_ptp(x), 6);
        cp_free(r);
        values(r = cp_diff(x, 1, 0), -4.75, 6);
        cp_free(r), cp_free(x);
    }
}

static void results_belong_to_the_caller(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = ints(3, 1, 2), *low = cp_float(0), *high = cp_float(1), *step = NULL, *r;
        int64_t live = cp_test_live();
        for (CP_SCOPE) {
            ok(cp_diff(x, 1, 0)); /* the scope around it frees what is returned */
            ok(cp_linspace(low, high, 5));
        }
        assert_int_equal(cp_test_live(), live);
        values(r = cp_linspace(low, high, 5, .step = &step), 0, 0.25, 0.5, 0.75, 1);
        assert_true(cp_item_float(step) == 0.25);
        cp_free(step), cp_free(r);
        assert_int_equal(cp_test_live(), live);
        cp_free(high), cp_free(low), cp_free(x);
    }
}

static void errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = ints(3, 1, 2), *zero = cp_float(0);
        assert_null(cp_diff(x, -1, 0));
        failed(CP_ERROR_VALUE);
        assert_null(cp_diff(x, 1, 1));
        failed(CP_ERROR_AXIS);
        assert_null(cp_linspace(zero, zero, -1));
        failed(CP_ERROR_VALUE);
        assert_null(cp_ptp(NULL));
        failed(CP_ERROR_VALUE);
        assert_null(cp_outer(x, NULL));
        failed(CP_ERROR_VALUE);
        for (int n = 0; n < 3; n++) { /* a negative count, or a NULL list */
            const int many = n == 0 ? -1 : n == 1 ? INT32_MIN : 1;
            assert_null(cp_tile(x, many, NULL));
            failed(CP_ERROR_VALUE);
            assert_null(cp_tile(x, many == 1 ? 1 << 30 : many, (int64_t[]){2}));
            failed(CP_ERROR_VALUE);
            assert_null(cp_vstack(many, NULL));
            failed(CP_ERROR_VALUE);
            assert_null(cp_concatenate(many, NULL, 0));
            failed(CP_ERROR_VALUE);
            assert_null(cp_partition(x, many, NULL, 0));
            failed(CP_ERROR_VALUE);
            assert_null(cp_slice(x, many, NULL));
            failed(CP_ERROR_VALUE);
            assert_null(cp_reshape(x, (cp_shape){many, NULL}));
            failed(CP_ERROR_VALUE);
            assert_null(cp_broadcast_to(x, (cp_shape){many, NULL}));
            failed(CP_ERROR_VALUE);
            assert_null(cp_flip(x, (cp_axes){many, NULL}));
            failed(CP_ERROR_VALUE);
        }
        cp_free(zero), cp_free(x);
    }
}

/* One result for each of several arrays: all of them, or none. */
static void families(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        int64_t live = cp_test_live();
        for (CP_SCOPE) {
            cp_array *three = ints(3, 1, 2), *two = doubles(1.5, 2.5), *one = cp_float(4), *r[3];
            cp_array *grid[] = {three, two}, *mixed[] = {three, one}, *all[] = {three, two, one},
                     *lacking[] = {three, NULL};
            assert_int_equal(cp_meshgrid(2, grid, true, r, .indexing = CP_INDEXING_IJ), CP_OK);
            assert_true(cp_dim(r[0], 0) == 3 && cp_dim(r[1], 1) == 2);
            assert_true(cp_item_float(cp_slice(r[1], 2, (cp_index[]){CP_AT(2), CP_AT(1)})) == 2.5);
            assert_int_equal(cp_broadcast_arrays(2, mixed, r), CP_OK);
            values(r[1], 4, 4, 4);
            assert_int_equal(cp_atleast_3d(3, all, r), CP_OK);
            assert_true(cp_ndim(r[0]) == 3 && cp_dim(r[0], 1) == 3 && cp_ndim(r[2]) == 3);
            assert_int_equal(cp_broadcast_arrays(2, grid, r), CP_ERROR_VALUE);
            failed(CP_ERROR_VALUE);
            assert_null(r[0]);
            assert_int_equal(cp_atleast_1d(2, lacking, r), CP_ERROR_VALUE);
            failed(CP_ERROR_VALUE);
            assert_int_equal(cp_atleast_1d(-1, NULL, r), CP_ERROR_VALUE);
            failed(CP_ERROR_VALUE);
            assert_int_equal(cp_atleast_1d(0, NULL, NULL), CP_OK);
            cp_array *eye = cp_eye(2, 3, 1, CP_INT32);
            assert_int_equal(cp_item_int(cp_slice(eye, 2, (cp_index[]){CP_AT(1), CP_AT(2)})), 1);
            assert_int_equal(cp_item_int(cp_sum(eye)), 2);
        }
        assert_int_equal(cp_test_live(), live);
    }
}

/* Sequences, indices, polynomials: the highest power first. */
static void sequences_and_places(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2, 3, 4), *one = cp_float(1), *end = cp_float(1000), *two = cp_float(2), *r, *q;
        values(r = cp_geomspace(one, end, 4, true), 1, 10, 100, 1000);
        cp_free(r);
        values(r = cp_logspace(one, two, 2, true, .base = two), 2, 4);
        cp_free(r);
        cp_array *nothing = cp_int(0);
        assert_null(cp_geomspace(one, nothing, 3, true));
        failed(CP_ERROR_VALUE);
        cp_free(nothing);
        cp_array *at = ints(0, -1), *first = cp_int(0), *mask = cp_greater(x, two), *zero = cp_float(0);
        values(r = cp_delete(x, at, 0), 2, 3);
        cp_free(r);
        values(r = cp_delete(x, mask, CP_FLAT), 1, 2);
        cp_free(r);
        values(r = cp_insert(x, at, zero, 0), 0, 1, 2, 3, 0, 4);
        cp_free(r);
        values(r = cp_insert(x, first, x, 0), 1, 2, 3, 4, 1, 2, 3, 4);
        values(q = cp_trim_zeros(r, true, true), 1, 2, 3, 4, 1, 2, 3, 4);
        cp_free(r), cp_free(q);
        assert_null(cp_delete(x, end, 0)); /* an index that is no integer */
        failed(CP_ERROR_INDEX);
        cp_array *place = cp_int(7);
        assert_null(cp_delete(x, place, 0));
        failed(CP_ERROR_INDEX);
        assert_null(cp_insert(x, place, zero, 0));
        failed(CP_ERROR_INDEX);
        cp_free(place);
        cp_array *holes = doubles(0, 0, 3, 0, 4, 0);
        values(r = cp_trim_zeros(holes, true, true), 3, 0, 4);
        cp_free(r);
        values(r = cp_trim_zeros(holes, false, true), 0, 0, 3, 0, 4);
        cp_free(r), cp_free(holes);
        values(r = cp_indices(CP_SHAPE(2, 2)), 0, 0, 1, 1, 0, 1, 0, 1);
        cp_array *plane = cp_slice(r, 1, &CP_AT(0));
        values(q = cp_rot90(plane, 1, CP_AXES(0, 1)), 0, 1, 0, 1);
        cp_free(r), cp_free(q), cp_free(plane);
        values(r = cp_array_equiv(x, one), 0);
        cp_free(r);
        ok(cp_tril_indices(2, 2, &r, &q) == CP_OK);
        values(r, 0, 1, 1);
        values(q, 0, 0, 1);
        cp_free(r), cp_free(q);
        ok(cp_triu_indices(2, 2, &r, &q, .k = 1) == CP_OK);
        values(r, 0);
        values(q, 1);
        cp_free(r), cp_free(q);
        cp_array *p = doubles(1, -3, 2), *by = doubles(1, -1);
        values(r = cp_polyadd(p, by), 1, -2, 1);
        cp_free(r);
        values(r = cp_polysub(by, p), -1, 4, -3);
        cp_free(r);
        values(r = cp_polymul(p, by), 1, -4, 5, -2);
        cp_free(r);
        ok(cp_polydiv(p, by, &q, &r) == CP_OK);
        values(q, 1, -2);
        values(r, 0);
        cp_free(r), cp_free(q);
        values(r = cp_polyder(p, 1), 2, -3);
        cp_free(r);
        values(r = cp_polyint(by, 1), 0.5, -1, 0);
        cp_free(r);
        cp_array *found = cp_roots(p);
        values(r = cp_sort(found, 0), 1, 2);
        values(q = cp_poly(r), 1, -3, 2);
        cp_free(r), cp_free(q), cp_free(found);
        cp_free(p), cp_free(by), cp_free(at), cp_free(first), cp_free(mask), cp_free(zero);
        cp_free(x), cp_free(one), cp_free(end), cp_free(two);
    }
}

static cp_array *input;
static cp_array *ends[2];
static cp_array *places;
static bool pairs(void)
{
    cp_array *a[4] = {NULL}, *b[4] = {NULL};
    bool done = cp_polydiv(ends[0], places, &a[0], &b[0]) == CP_OK;
    done &= cp_tril_indices(2, 3, &a[1], &b[1]) == CP_OK;
    done &= cp_triu_indices(2, 3, &a[2], &b[2]) == CP_OK;
    for (int i = 0; i < 3; i++) cp_free(a[i]), cp_free(b[i]);
    return done;
}

static bool body(void)
{
    cp_array *r[] = {cp_logspace(ends[0], ends[1], 3, true),
                     cp_geomspace(places, ends[1], 3, true, .typed = true, .dtype = CP_FLOAT32),
                     cp_delete(input, places, 0),
                     cp_insert(input, places, ends[1], 0),
                     cp_trim_zeros(input, true, true),
                     cp_indices(CP_SHAPE(2, 3)),
                     cp_array_equiv(input, ends[1]),
                     cp_polyadd(input, ends[0]),
                     cp_polysub(input, ends[0]),
                     cp_polymul(ends[0], places),
                     cp_polyder(ends[0], 1),
                     cp_polyint(ends[0], 2),
                     cp_poly(places),
                     cp_roots(places),
                     cp_round(input, .decimals = 1),
                     cp_ptp(input),
                     cp_diff(input, 2, 0),
                     cp_linspace(ends[0], ends[1], 3),
                     cp_nan_to_num(input, true),
                     cp_tril(input),
                     cp_trapezoid(input, 0, .dx = ends[1]),
                     cp_vstack(1, &input),
                     cp_union1d(input, ends[0]),
                     cp_intersect1d(input, ends[0]),
                     cp_setdiff1d(input, ends[0]),
                     cp_setxor1d(input, ends[0]),
                     cp_isin(input, ends[0], .invert = true),
                     cp_sort_complex(input),
                     cp_lexsort(1, &input, 0),
                     cp_pad(input, 2, (int64_t[]){1, 2}, CP_PAD_MODE_REFLECT, ends[0]),
                     cp_diag(input, .k = 1),
                     cp_tri(2, 3, 0, CP_FLOAT32),
                     cp_bartlett(4), cp_blackman(4), cp_hamming(1), cp_hanning(0), cp_kaiser(4, 2),
                     cp_vander(input, 3, .increasing = true),
                     cp_softmax(input), cp_log_softmax(input), cp_logsumexp(input, .b = input),
                     cp_multigammaln(places, 2)};
    cp_array *square = cp_diagflat(input);
    bool filled = square && cp_fill_diagonal(square, input, .wrap = true) == CP_OK;
    cp_free(square);
    cp_array *of[] = {input, ends[1]}, *grid[2];
    bool done = filled && pairs();
    for (int i = 0; i < 2; i++) {
        cp_code code = i ? cp_broadcast_arrays(2, of, grid) : cp_meshgrid(2, of, true, grid);
        done &= code == CP_OK;
        cp_free(grid[0]), cp_free(grid[1]);
    }
    return check_all_made(sizeof r / sizeof *r, r) && done;
}

static void failing_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        input = doubles(1, 2.5, NAN);
        ends[0] = doubles(0, 1), ends[1] = cp_float(3), places = ints(1, 2);
        every_allocation_fails(body);
        cp_free(places), cp_free(input), cp_free(ends[0]), cp_free(ends[1]);
    }
}

/* An earlier error that was not cleared is no failure of the next call. */
static void an_older_error(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(0, 1, 2, 3), *at = ints(-2, -1, 0, 1), *one = cp_float(1), *two = cp_int(2);
        cp_array *whole = ints(1, 2, 3, 4), *twice = ints(0, 0), *edges = doubles(0, 2, 4), *hist = NULL, *bins = NULL;
        cp_array *of = doubles(5, 6, 7, 8), *period = cp_float(4), *wide = cp_astype(x, CP_COMPLEX128), *r;
        ok(!cp_reshape(x, CP_SHAPE(3)) && cp_error());
        ok(!cp_ufunc_at(CP_OP_add, x, at, one));
        values(x, 1, 2, 3, 4);
        ok(!cp_ufunc_at(CP_OP_ldexp, x, twice, two)); /* in rounds where no order is kept */
        values(x, 16, 2, 3, 4);
        ok(!cp_ufunc_at(CP_OP_power, whole, at, two));
        values(whole, 1, 4, 9, 16);
        ok(r = cp_ufunc_reduce(CP_OP_power, whole, .axis = CP_AXES(0)));
        values(r, 1);
        cp_free(r);
        ok(!cp_histogram(whole, 3, &hist, &bins));
        values(hist, 2, 1, 1);
        cp_free(hist), cp_free(bins);
        ok(!cp_histogram(of, 0, &hist, &bins, .edges = edges));
        values(hist, 0, 0);
        cp_free(hist), cp_free(bins);
        ok(r = cp_interp(one, x, of, .period = period));
        cp_free(r);
        ok((r = cp_real_if_close(wide, 100)) && cp_type_of(r) == CP_FLOAT64);
        cp_free(r);
        failed(CP_ERROR_VALUE);
        ok(!cp_reshape(x, CP_SHAPE(3)) && cp_histogram(x, 0, &hist, &bins));
        cp_error_clear();
        cp_free(x), cp_free(at), cp_free(one), cp_free(two), cp_free(whole), cp_free(twice), cp_free(edges);
        cp_free(of), cp_free(period), cp_free(wide);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls), cmocka_unit_test(results_belong_to_the_caller), cmocka_unit_test(errors),
        cmocka_unit_test(families), cmocka_unit_test(sequences_and_places),
        cmocka_unit_test(failing_allocations), cmocka_unit_test(an_older_error),
    };
    return check_run(tests);
}
