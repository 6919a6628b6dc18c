/* Scans: values, errors, and that every allocation may fail. Semantics are compared with NumPy in Python. */
#include "check.h"

static void calls(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = ints(3, 1, 2), *y = doubles(1.5, NAN, 2), *r;
        values(r = cp_cumsum(x, CP_FLAT), 3, 4, 6);
        cp_free(r);
        values(r = cp_cumprod(x, 0, .typed = true, .dtype = CP_FLOAT32), 3, 3, 6);
        cp_free(r);
        values(r = cp_nancumsum(y, 0), 1.5, 1.5, 3.5);
        cp_free(r);
        values(r = cp_nancumprod(y, -1), 1.5, 1.5, 3);
        cp_free(r);
        values(r = cp_cumulative_sum(x, CP_FLAT, .include_initial = true), 0, 3, 4, 6);
        cp_free(r);
        cp_array *out = doubles(0, 0, 0);
        values(r = cp_cumulative_prod(x, 0, .out = out), 3, 3, 6);
        values(out, 3, 3, 6);
        cp_free(r), cp_free(out), cp_free(x), cp_free(y);
    }
}

static void errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = ints(3, 1, 2), *few = ints(1, 2);
        assert_null(cp_cumsum(NULL, 0));
        failed(CP_ERROR_VALUE);
        assert_null(cp_cumsum(x, 1));
        failed(CP_ERROR_AXIS);
        assert_null(cp_cumsum(x, 0, .out = few));
        failed(CP_ERROR_VALUE);
        assert_null(cp_cumsum(x, 0, .typed = true, .dtype = (cp_type)77));
        failed(CP_ERROR_TYPE);
        cp_free(x), cp_free(few);
    }
}

static cp_array *input, *table;
static bool body(void)
{
    cp_array *r[] = {cp_cumsum(input, CP_FLAT), cp_cumprod(table, 0), cp_nancumsum(table, 1),
                     cp_cumulative_sum(input, 0, .include_initial = true),
                     cp_cumsum(table, 0, .typed = true, .dtype = CP_FLOAT16)};
    return check_all_made(sizeof r / sizeof *r, r);
}

static void failing_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        input = cp_arange_int(0, 20000, 1, CP_INT32); /* several tiles */
        cp_array *line = doubles(1, 2.5, NAN, 3), *square = cp_reshape(line, CP_SHAPE(2, 2));
        table = cp_transpose(square, CP_ALL);
        every_allocation_fails(body);
        cp_free(input), cp_free(line), cp_free(square), cp_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls), cmocka_unit_test(errors), cmocka_unit_test(failing_allocations),
    };
    return check_run(tests);
}
