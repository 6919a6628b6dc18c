/* ufuncs along axes, for pairs and at places: values, errors, and that every allocation may fail. What they mean is
 * compared with NumPy in Python. */
#include "check.h"

static cp_array *typed(cp_array *x, cp_type t)
{
    cp_array *r = cp_astype(x, t);
    cp_free(x);
    return r;
}

static void accumulators(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(5, 3, -1, 2), *at = ints(0, 2, 1), *r;
        values(r = cp_ufunc_reduce(CP_OP_subtract, x), 1);
        cp_free(r);
        values(r = cp_ufunc_reduce(CP_OP_add, x), 9);
        cp_free(r);
        values(r = cp_ufunc_reduce(CP_OP_hypot, x, .axis = CP_AXES(0), .keepdims = true), 6.2449979983983983);
        cp_free(r);
        values(r = cp_ufunc_accumulate(CP_OP_add, x, 0), 5, 8, 7, 9);
        cp_free(r);
        values(r = cp_ufunc_accumulate(CP_OP_maximum, x, -1), 5, 5, 5, 5);
        cp_free(r);
        values(r = cp_ufunc_reduceat(CP_OP_add, x, at, 0), 8, -1, 4);
        cp_free(r);
        cp_array *small = typed(ints(100, 100), CP_INT8);
        r = cp_ufunc_accumulate(CP_OP_add, small, 0);
        assert_int_equal(cp_type_of(r), CP_INT64);
        values(r, 100, 200);
        cp_free(r);
        values(r = cp_ufunc_accumulate(CP_OP_add, small, 0, .typed = true, .dtype = CP_INT8), 100, -56);
        cp_free(r), cp_free(small);
        values(r = cp_ufunc_outer(CP_OP_subtract, at, at), 0, -2, -1, 2, 0, 1, 1, -1, 0);
        cp_free(r), cp_free(at), cp_free(x);
    }
}

static void places(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = ints(0, 0, 5), *at = ints(0, 0, -1, 0), *b = ints(1, 2, 3, 4), *one = ints(7);
        assert_int_equal(cp_ufunc_at(CP_OP_add, x, at, b), CP_OK);
        values(x, 7, 0, 8);
        assert_int_equal(cp_ufunc_at(CP_OP_negative, x, at, NULL), CP_OK);
        values(x, -7, 0, -8);
        assert_int_equal(cp_ufunc_at(CP_OP_equal, x, at, one), CP_OK);
        values(x, 0, 0, 0);
        cp_array *line = doubles(1, 2, 3, 4, 5, 6), *grid = cp_reshape(line, CP_SHAPE(3, 2)), *row = doubles(1, 0.5);
        assert_int_equal(cp_ufunc_at_rows(CP_OP_add, grid, at, row), CP_OK);
        values(grid, 4, 3.5, 3, 4, 6, 6.5);
        assert_int_equal(cp_ufunc_at_rows(CP_OP_negative, grid, at, NULL), CP_OK);
        values(grid, -4, -3.5, 3, 4, -6, -6.5);
        assert_int_equal(cp_ufunc_at_rows(CP_OP_add, grid, at, b), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        assert_int_equal(cp_ufunc_at_rows(CP_OP_add, grid, b, row), CP_ERROR_INDEX);
        failed(CP_ERROR_INDEX);
        cp_array *number = cp_float(1);
        assert_int_equal(cp_ufunc_at_rows(CP_OP_add, number, at, row), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        cp_free(line), cp_free(grid), cp_free(row), cp_free(number);
        cp_free(x), cp_free(at), cp_free(b), cp_free(one);
    }
}

/* A wrong index that the call tells or, on a GPU, the next wait. */
static void wrong_index(cp_array *r, cp_code code)
{
    if (r || code == CP_OK) assert_int_equal(cp_device_synchronize(CP_CURRENT), CP_ERROR_INDEX);
    failed(CP_ERROR_INDEX);
    cp_free(r);
}

static void errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = ints(3, 1, 2), *bad = ints(3), *half = doubles(0.5), *none = typed(ints(1, 0), CP_BOOL);
        cp_array *last = ints(-1);
        assert_null(cp_ufunc_reduce(CP_OP_sin, x));
        failed(CP_ERROR_VALUE);
        assert_null(cp_ufunc_accumulate(CP_OP_divmod, x, 0));
        failed(CP_ERROR_VALUE);
        assert_null(cp_ufunc_accumulate(CP_OP_add, x, 1));
        failed(CP_ERROR_AXIS);
        cp_array *r = cp_ufunc_reduceat(CP_OP_add, x, bad, 0);
        wrong_index(r, cp_error());
        assert_null(cp_ufunc_reduceat(CP_OP_add, x, half, 0));
        failed(CP_ERROR_TYPE);
        assert_null(cp_ufunc_reduce(CP_OP_less, x));
        failed(CP_ERROR_TYPE);
        assert_null(cp_ufunc_reduce(CP_OP_subtract, none));
        failed(CP_ERROR_TYPE);
        assert_null(cp_ufunc_reduce((cp_op)CP_NOPS, x));
        failed(CP_ERROR_VALUE);
        assert_null(cp_ufunc_outer(CP_OP_add, x, NULL));
        failed(CP_ERROR_VALUE);
        wrong_index(NULL, cp_ufunc_at(CP_OP_add, x, bad, x));
        assert_int_equal(cp_ufunc_at(CP_OP_add, x, last, x), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        wrong_index(NULL, cp_ufunc_at(CP_OP_add, x, bad, bad));
        assert_int_equal(cp_ufunc_at(CP_OP_add, x, bad, NULL), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        assert_int_equal(cp_ufunc_at(CP_OP_add, x, half, bad), CP_ERROR_INDEX);
        failed(CP_ERROR_INDEX);
        values(x, 3, 1, 2);
        cp_free(x), cp_free(bad), cp_free(half), cp_free(none), cp_free(last);
    }
}

/* True when nothing failed; frees what was made. */
static bool body(void)
{
    bool done = true;
    cp_array *x = cp_arange(0, 5000, 1, CP_FLOAT32), *at = ints(4, 0, 4), *b = doubles(1, 2, 3), *r;
    cp_array *turned = NULL, *mask = NULL, *grid = NULL, *nine = cp_float(9);
    done = x && at && b && nine;
    if (done) done = (r = cp_ufunc_accumulate(CP_OP_add, x, 0)) != NULL, cp_free(r);
    if (done) done = (r = cp_ufunc_reduce(CP_OP_hypot, x)) != NULL, cp_free(r);
    if (done) done = (r = cp_ufunc_reduce(CP_OP_subtract, x)) != NULL, cp_free(r);
    if (done) done = (grid = cp_reshape(x, CP_SHAPE(50, 100))) && (turned = cp_transpose(grid, CP_ALL));
    if (done) done = (mask = cp_less(turned, nine)) != NULL;
    if (done) {
        r = cp_ufunc_reduce(CP_OP_bitwise_xor, mask, .axis = CP_AXES(0), .where = mask);
        done = r != NULL;
        cp_free(r);
    }
    if (done) done = (r = cp_ufunc_reduceat(CP_OP_maximum, turned, at, 0)) != NULL, cp_free(r);
    if (done) done = (r = cp_ufunc_reduce(CP_OP_logaddexp, turned, .axis = CP_AXES(0, 1))) != NULL, cp_free(r);
    if (done) done = cp_ufunc_at(CP_OP_add, x, at, b) == CP_OK;
    if (done) done = cp_ufunc_at(CP_OP_less, turned, at, b) == CP_OK;
    if (done) done = cp_ufunc_at_rows(CP_OP_add, turned, at, nine) == CP_OK;
    if (done) done = cp_ufunc_at_rows(CP_OP_less, turned, at, nine) == CP_OK;
    if (done) done = (r = cp_ufunc_outer(CP_OP_power, at, b)) != NULL, cp_free(r);
    cp_free(x), cp_free(at), cp_free(b), cp_free(turned), cp_free(mask), cp_free(grid), cp_free(nine);
    return done;
}

static void allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) every_allocation_fails(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(accumulators), cmocka_unit_test(places),
                                       cmocka_unit_test(errors), cmocka_unit_test(allocations)};
    return check_run(tests);
}
