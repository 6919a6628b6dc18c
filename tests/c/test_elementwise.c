/* The elementwise operations: NumPy's semantics on every device. Each row against NumPy over all types is in
 * tests/python/test_elementwise.py. */
#include "check.h"

/* The call frees its operands, so that expressions fit in one line. */
static cp_array *take1(cp_array *(*f)(cp_array *), cp_array *a)
{
    cp_array *r = f(a);
    cp_free(a);
    return r;
}
static cp_array *take2(cp_array *(*f)(cp_array *, cp_array *), cp_array *a, cp_array *b)
{
    cp_array *r = f(a, b);
    cp_free(a);
    cp_free(b);
    return r;
}
#define is(expression, type_, ...)                          \
    do {                                                    \
        cp_array *r_ = (expression);                        \
        ok(r_);                                             \
        assert_string_equal(cp_type_name(cp_type_of(r_)), cp_type_name(type_)); \
        values(r_, __VA_ARGS__);                            \
        cp_free(r_);                                        \
    } while (0)

static cp_array *typed(cp_array *x, cp_type t)
{
    cp_array *r = cp_astype(x, t);
    cp_free(x);
    return r;
}

static void test_types(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        is(take1(cp_sqrt, typed(ints(4, 9), CP_INT8)), CP_FLOAT16, 2, 3);
        is(take1(cp_sqrt, typed(ints(4, 9), CP_INT16)), CP_FLOAT32, 2, 3);
        is(take1(cp_sqrt, ints(4, 9)), CP_FLOAT64, 2, 3);
        is(take1(cp_sqrt, typed(ints(4, 9), CP_BFLOAT16)), CP_BFLOAT16, 2, 3);
        is(take2(cp_add, typed(ints(1, 0), CP_BOOL), typed(ints(1, 0), CP_BOOL)), CP_BOOL, 1, 0);
        is(take2(cp_divide, typed(ints(1, 6), CP_INT8), typed(ints(2, 4), CP_INT8)), CP_FLOAT64, 0.5, 1.5);
        is(take2(cp_add, typed(ints(-1), CP_INT64), typed(ints(1), CP_UINT64)), CP_FLOAT64, 0);
        is(take2(cp_less, typed(ints(-1), CP_INT64), typed(ints(-1), CP_UINT64)), CP_BOOL, 1);
        is(take2(cp_greater, typed(ints(-1), CP_UINT64), typed(ints(-1), CP_INT64)), CP_BOOL, 1);
        is(take2(cp_add, typed(ints(1), CP_FLOAT16), typed(ints(1), CP_BFLOAT16)), CP_FLOAT32, 2);
        is(take2(cp_arctan2, typed(ints(0), CP_INT8), typed(ints(1), CP_UINT8)), CP_FLOAT16, 0);
        /* weak scalars take the other operand's type */
        is(take2(cp_add, typed(ints(1, 2), CP_INT8), cp_int(3)), CP_INT8, 4, 5);
        is(take2(cp_add, typed(ints(1, 2), CP_FLOAT32), cp_float(0.5)), CP_FLOAT32, 1.5, 2.5);
        is(take2(cp_multiply, ints(1, 2), cp_float(0.5)), CP_FLOAT64, 0.5, 1);
        is(take2(cp_add, typed(ints(1, 0), CP_BOOL), cp_int(1)), CP_INT64, 2, 1);
        is(take2(cp_add, cp_int(2), cp_int(3)), CP_INT64, 5);
        is(take2(cp_less, typed(ints(1, 255), CP_UINT8), cp_int(300)), CP_BOOL, 1, 1);
        is(take2(cp_equal, typed(ints(1, 255), CP_UINT64), cp_int(-1)), CP_BOOL, 0, 0);
        cp_array *x = typed(ints(1), CP_INT8), *big = cp_int(300), *yes = typed(ints(1), CP_BOOL);
        assert_null(cp_add(x, big));
        failed(CP_ERROR_OVERFLOW);
        assert_null(cp_subtract(yes, yes));
        failed(CP_ERROR_TYPE);
        assert_null(cp_negative(yes));
        failed(CP_ERROR_TYPE);
        assert_null(cp_positive(yes));
        failed(CP_ERROR_TYPE);
        cp_array *f = doubles(1);
        assert_null(cp_bitwise_and(f, f));
        failed(CP_ERROR_TYPE);
        cp_array *minus = cp_int(-1);
        assert_null(cp_power(x, minus));
        failed(CP_ERROR_VALUE);
        cp_free(x), cp_free(big), cp_free(yes), cp_free(f), cp_free(minus);
    }
}

static void test_integers(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        is(take2(cp_floor_divide, ints(7, -7, 7, -7, 5, INT64_MIN), ints(2, 2, -2, -2, 0, -1)), CP_INT64,
           3, -4, -4, 3, 0, (double)INT64_MIN);
        is(take2(cp_remainder, ints(7, -7, 7, -7, 5, INT64_MIN), ints(2, 2, -2, -2, 0, -1)), CP_INT64,
           1, 1, -1, -1, 0, 0);
        is(take2(cp_fmod, ints(7, -7, 5), ints(2, 2, 0)), CP_INT64, 1, -1, 0);
        is(take2(cp_left_shift, typed(ints(1, 1, 1), CP_INT32), typed(ints(3, 32, -1), CP_INT32)), CP_INT32, 8, 0, 0);
        is(take2(cp_right_shift, typed(ints(-8, -8, 8), CP_INT32), typed(ints(1, 40, 40), CP_INT32)), CP_INT32,
           -4, -1, 0);
        is(take2(cp_power, ints(3, -2, 2), ints(4, 3, 0)), CP_INT64, 81, -8, 1);
        is(take2(cp_gcd, ints(12, -12, 0), ints(18, 8, 5)), CP_INT64, 6, 4, 5);
        is(take2(cp_lcm, ints(4, 0), ints(6, 5)), CP_INT64, 12, 0);
        is(take1(cp_absolute, typed(ints(-128, -1), CP_INT8)), CP_INT8, -128, 1);
        is(take2(cp_multiply, typed(ints(200, 65535), CP_UINT16), typed(ints(400, 65535), CP_UINT16)), CP_UINT16,
           80000 % 65536, 1);
        is(take1(cp_invert, typed(ints(0, 1), CP_BOOL)), CP_BOOL, 1, 0);
        is(take2(cp_logical_and, ints(2, 0), doubles(0.5, 1)), CP_BOOL, 1, 0);
    }
}

static void test_floats(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        is(take2(cp_maximum, doubles(NAN, 1, 2), doubles(0, NAN, 1)), CP_FLOAT64, NAN, NAN, 2);
        is(take2(cp_fmax, doubles(NAN, 1, NAN), doubles(0, NAN, NAN)), CP_FLOAT64, 0, 1, NAN);
        is(take2(cp_floor_divide, doubles(7, -7, 1, -1, INFINITY), doubles(2, 2, 0, INFINITY, 1)), CP_FLOAT64,
           3, -4, INFINITY, -1, NAN);
        is(take2(cp_remainder, doubles(7, -7, 5.5), doubles(-2, 2, 0)), CP_FLOAT64, -1, 1, NAN);
        is(take1(cp_rint, doubles(0.5, 1.5, 2.5, -0.5)), CP_FLOAT64, 0, 2, 2, -0.0);
        is(take1(cp_sign, doubles(-2, 0, 3, NAN)), CP_FLOAT64, -1, 0, 1, NAN);
        is(take2(cp_heaviside, doubles(-1, 0, 1), doubles(5, 5, 5)), CP_FLOAT64, 0, 5, 1);
        is(take1(cp_signbit, doubles(-0.0, 0, -1)), CP_BOOL, 1, 0, 1);
        is(take2(cp_nextafter, typed(doubles(1, 0, -1), CP_FLOAT16), typed(doubles(2, -1, -1), CP_FLOAT16)),
           CP_FLOAT16, 1.0009765625, -5.9604644775390625e-08, -1);
        is(take2(cp_nextafter, typed(doubles(1), CP_BFLOAT16), typed(doubles(2), CP_BFLOAT16)), CP_BFLOAT16, 1.0078125);
        cp_array *a = doubles(5, -5, 1), *lo = cp_float(-1), *hi = cp_float(2);
        is(cp_clip(a, lo, hi), CP_FLOAT64, 2, -1, 1);
        cp_free(a), cp_free(lo), cp_free(hi);
        is(typed(doubles(1e10, NAN, -3.7, 300), CP_INT32), CP_INT32, INT32_MIN, INT32_MIN, -3, 300);
        is(typed(doubles(300, -1, 1e20), CP_UINT8), CP_UINT8, 44, 255, 0);
        is(typed(doubles(1e20, -1), CP_INT64), CP_INT64, (double)INT64_MIN, -1);
    }
}

static void test_complex(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_complex128 z[] = {{3, 4}, {-1, 0}, {0, 0}, {0, 2}};
        cp_array *a = cp_from_host(z, CP_COMPLEX128, CP_SHAPE(4), NULL);
        is(cp_absolute(a), CP_FLOAT64, 5, 1, 0, 2);
        cp_array *s = cp_sqrt(a), *im;
        ok(s);
        is(cp_real_part(s), CP_FLOAT64, 2, 0, 0, 1);
        im = cp_imag_part(s);
        is(cp_retain(im), CP_FLOAT64, 1, 1, 0, 1);
        cp_array *b = cp_conjugate(a), *p = cp_multiply(a, b), *l = cp_less(a, b);
        ok(l);
        is(cp_real_part(p), CP_FLOAT64, 25, 1, 0, 4);
        is(cp_retain(l), CP_BOOL, 0, 0, 0, 0);
        cp_free(a), cp_free(s), cp_free(im), cp_free(b), cp_free(p), cp_free(l);
    }
}

static void test_shapes(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *flat = cp_arange_int(0, 6, 1, CP_INT64), *a = cp_reshape(flat, CP_SHAPE(2, 3));
        cp_array *row = ints(10, 20, 30), *t = cp_transpose(a, CP_ALL);
        is(cp_add(a, row), CP_INT64, 10, 21, 32, 13, 24, 35);
        cp_array *column = cp_reshape(flat, CP_SHAPE(6, 1));
        cp_array *outer = cp_multiply(column, row);
        assert_int_equal(cp_size(outer), 18);
        cp_array *sum = cp_add(t, t); /* Fortran order in, Fortran order out */
        assert_true(cp_is_f_contiguous(sum));
        is(cp_retain(sum), CP_INT64, 0, 6, 2, 8, 4, 10);
        cp_array *back = cp_slice(flat, 1, (cp_index[]){{CP_IX_SLICE, 0, 0, -2, 0}});
        is(cp_negative(back), CP_INT64, -5, -3, -1);
        cp_array *none = cp_empty(CP_SHAPE(0, 3), CP_FLOAT32), *empty = cp_exp(none);
        ok(empty);
        assert_int_equal(cp_size(empty), 0);
        assert_null(cp_add(a, column));
        failed(CP_ERROR_VALUE);
        assert_null(cp_add(NULL, a));
        failed(CP_ERROR_VALUE);
        cp_free(flat), cp_free(a), cp_free(row), cp_free(t), cp_free(column), cp_free(outer), cp_free(sum);
        cp_free(back), cp_free(none), cp_free(empty);
    }
}

static void test_out(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = ints(1, 2, 3, 4, 5, 6);
        cp_array *low = cp_slice(x, 1, (cp_index[]){CP_RANGE(0, 5)}),
                 *high = cp_slice(x, 1, (cp_index[]){CP_RANGE(1, 6)});
        /* the output overlaps an input, shifted by one element */
        cp_array *r = cp_elementwise(CP_OP_add, (cp_array *[]){low, low}, &(cp_ufunc_options){.out = high});
        ok(r);
        assert_ptr_equal(cp_data(r), cp_data(high));
        values(x, 1, 2, 4, 6, 8, 10);
        cp_free(r);
        cp_array *mask = typed(ints(1, 0, 1, 0, 1, 0), CP_BOOL), *one = cp_int(1);
        r = cp_elementwise(CP_OP_add, (cp_array *[]){x, one}, &(cp_ufunc_options){.out = x, .where = mask});
        ok(r);
        values(x, 2, 2, 5, 6, 9, 10);
        cp_free(r);
        /* a squared power runs as another operation; the mask must be passed on */
        cp_array *two = cp_int(2);
        r = cp_elementwise(CP_OP_power, (cp_array *[]){x, two}, &(cp_ufunc_options){.out = x, .where = mask});
        ok(r);
        values(x, 4, 2, 25, 6, 81, 10);
        cp_free(r);
        cp_array *narrow = cp_zeros(CP_SHAPE(6), CP_FLOAT32), *bytes = cp_zeros(CP_SHAPE(6), CP_UINT8);
        r = cp_elementwise(CP_OP_add, (cp_array *[]){x, x}, &(cp_ufunc_options){.out = narrow});
        ok(r);
        values(narrow, 8, 4, 50, 12, 162, 20);
        cp_free(r);
        /* no results are wanted beside the outputs, written directly or through another type */
        ok(cp_elementwise_all(CP_OP_negative, &x, NULL, &(cp_ufunc_options){.out = narrow}) == CP_OK);
        values(narrow, -4, -2, -25, -6, -81, -10);
        ok(cp_elementwise_all(CP_OP_add, (cp_array *[]){low, low}, NULL, &(cp_ufunc_options){.out = high}) == CP_OK);
        values(x, 4, 8, 4, 50, 12, 162);
        assert_int_equal(cp_elementwise_all(CP_OP_negative, &x, NULL, NULL), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        assert_null(cp_elementwise(CP_OP_add, (cp_array *[]){x, x}, &(cp_ufunc_options){.out = bytes}));
        failed(CP_ERROR_CASTING);
        r = cp_elementwise(CP_OP_add, (cp_array *[]){x, x}, &(cp_ufunc_options){.out = bytes, .casting = CP_UNSAFE});
        ok(r);
        cp_free(r);
        r = cp_elementwise(CP_OP_sqrt, (cp_array *[]){x}, &(cp_ufunc_options){.typed = true, .dtype = CP_FLOAT32});
        ok(r);
        assert_int_equal(cp_type_of(r), CP_FLOAT32);
        cp_free(r);
        cp_array *small = cp_zeros(CP_SHAPE(3), CP_INT64);
        assert_null(cp_elementwise(CP_OP_add, (cp_array *[]){x, x}, &(cp_ufunc_options){.out = small}));
        failed(CP_ERROR_VALUE);
        cp_free(x), cp_free(low), cp_free(high), cp_free(mask), cp_free(one), cp_free(two), cp_free(narrow);
        cp_free(bytes), cp_free(small);
    }
}

static void test_where(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 5, 2, 7), *t = cp_float(3), *m = cp_greater(x, t), *one = cp_int(1), *zero = cp_int(0);
        is(cp_where(m, one, zero), CP_INT64, 0, 1, 0, 1);
        is(cp_where(m, x, zero), CP_FLOAT64, 0, 5, 0, 7);
        cp_array *y = doubles(1, 5, 2, 7.00001), *n = doubles(NAN, 1), *k = cp_copy(n);
        is(cp_isclose(x, y, 1e-5, 1e-8, false), CP_BOOL, 1, 1, 1, 1);
        assert_int_equal(cp_allclose(x, y, 1e-5, 1e-8, false), 1);
        assert_int_equal(cp_allclose(x, y, 1e-7, 0, false), 0);
        assert_int_equal(cp_array_equal(x, y, false), 0);
        assert_int_equal(cp_array_equal(x, x, false), 1);
        assert_int_equal(cp_array_equal(n, k, false), 0);
        assert_int_equal(cp_array_equal(n, k, true), 1);
        cp_array *s = typed(ints(-1, 2), CP_INT64), *u = typed(ints(-1, 2), CP_UINT64);
        assert_int_equal(cp_array_equal(s, u, false), 0);
        assert_int_equal(cp_array_equal(s, s, false), 1);
        cp_free(x), cp_free(t), cp_free(m), cp_free(one), cp_free(zero), cp_free(y), cp_free(n), cp_free(k);
        cp_free(s), cp_free(u);
    }
}

/* Every row runs for float32, int32 or bool without an error, at sizes around vectors and chunks, in place at any
 * alignment, and strided operands give the same bits as contiguous ones. */
static void test_every_row(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        for (int op = 0; op < CP_NOPS; op++) {
            cp_op_info info;
            ok(cp_op_query((cp_op)op, &info) == CP_OK);
            assert_int_equal(cp_op_from_name(info.name), op);
            cp_type try[] = {CP_FLOAT32, CP_INT32}, in[5], loop[5], out[4];
            bool found = false;
            for (int k = 0; k < 2 && !found; k++) {
                for (int i = 0; i < 5; i++) in[i] = info.in[i] == CP_DEFAULT ? try[k] : info.in[i];
                found = cp_op_types((cp_op)op, in, loop, out) == CP_OK;
                cp_error_clear();
            }
            if (!found) fail_msg("%s has no loop of float32 or int32", info.name);
            for (int n = 0; n < 3; n++) {
                int64_t size = (int64_t[]){1, 67, 3001}[n];
                cp_array *wide = cp_arange(0.25, (double)size * 0.02 + 0.25, 0.01, CP_FLOAT64), *x[5], *y[5], *a[4],
                         *b[4];
                for (int i = 0; i < 5; i++) {
                    cp_array *all = cp_astype(wide, in[i]);
                    x[i] = cp_slice(all, 1, (cp_index[]){{CP_IX_SLICE, 1, 0, 2, CP_HAS_START}});
                    y[i] = cp_copy(x[i]);
                    cp_free(all);
                }
                ok(cp_elementwise_all((cp_op)op, x, a, NULL) == CP_OK);
                ok(cp_elementwise_all((cp_op)op, y, b, NULL) == CP_OK);
                for (int k = 0; k < info.nout; k++) {
                    assert_int_equal(cp_type_of(a[k]), out[k]);
                    assert_int_equal(cp_array_equal(a[k], b[k], true), 1);
                    cp_free(a[k]), cp_free(b[k]);
                }
                for (int i = 0; i < 5; i++) cp_free(x[i]), cp_free(y[i]);
                cp_free(wide);
            }
        }
    }
}

/* Operations with two results: new arrays, arrays of the caller's, one of each, a mask, conversions, errors. */
static void test_two_results(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(7.5, -2.25, INFINITY), *two = cp_int(2), *q, *r,
                 *whole = cp_zeros(CP_SHAPE(3), CP_FLOAT32);
        ok(cp_divmod(x, two, &q, &r) == CP_OK);
        is(q, CP_FLOAT64, 3, -2, NAN);
        is(r, CP_FLOAT64, 1.5, 1.75, NAN);
        cp_array *results[2], *mask = typed(ints(1, 0, 1), CP_BOOL);
        ok(cp_elementwise_all(CP_OP_modf, &x, results,
                              &(cp_ufunc_options){.outs = (cp_array *[]){NULL, whole}, .where = mask}) == CP_OK);
        assert_ptr_equal(cp_data(results[1]), cp_data(whole));
        values(whole, 7, 0, INFINITY);
        cp_free(results[0]), cp_free(results[1]);
        ok(cp_frexp(x, &q, &r) == CP_OK);
        is(q, CP_FLOAT64, 0.9375, -0.5625, INFINITY);
        is(r, CP_INT32, 3, 2, 0);
        cp_array *narrow = cp_zeros(CP_SHAPE(3), CP_UINT8);
        assert_int_equal(cp_elementwise_all(CP_OP_divmod, (cp_array *[]){x, two}, results,
                                            &(cp_ufunc_options){.outs = (cp_array *[]){NULL, narrow}}),
                         CP_ERROR_CASTING);
        assert_null(results[0]);
        failed(CP_ERROR_CASTING);
        assert_null(cp_elementwise(CP_OP_modf, &x, NULL));
        failed(CP_ERROR_VALUE);
        cp_free(x), cp_free(two), cp_free(whole), cp_free(mask), cp_free(narrow);
    }
}

/* An operation's row of the table: bodies as strings, aliases, fixed types. */
static void test_rows_as_data(void **state)
{
    (void)state;
    cp_op_info info;
    ok(cp_op_query(CP_OP_divide, &info) == CP_OK);
    assert_null(info.body[1][0]);
    assert_string_equal(info.body[2][0], "a / b");
    assert_string_equal(info.aliases[0], "true_divide");
    ok(cp_op_query(CP_OP_ldexp, &info) == CP_OK);
    assert_int_equal(info.in[0], CP_DEFAULT);
    assert_int_equal(info.in[1], CP_INT64);
    ok(cp_op_query(CP_OP_divmod, &info) == CP_OK);
    assert_string_equal(info.body[1][1], "F(remainder)(a, b)");
    ok(cp_op_query(CP_OP_erf, &info) == CP_OK);
    assert_string_equal(info.module, "scipy.special");
}

/* Large outputs use non-temporal stores on the CPU and 16-byte vectors on a GPU: ends and alignment. */
static void test_large(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        int64_t n = 3000001;
        cp_array *x = cp_arange_int(0, n, 1, CP_INT32), *one = cp_int(1), *y = cp_add(x, one);
        cp_array *v = cp_slice(x, 1, (cp_index[]){CP_RANGE(1, n)});
        cp_array *w = cp_slice(y, 1, (cp_index[]){CP_RANGE(0, n - 1)});
        assert_int_equal(cp_array_equal(v, w, false), 1);
        cp_array *difference = cp_subtract(v, w), *zero = cp_zeros(CP_SHAPE(n - 1), CP_INT32);
        assert_int_equal(cp_array_equal(difference, zero, false), 1);
        cp_array *m = cp_less(v, one), *f = cp_astype(v, CP_FLOAT64), *g = cp_astype(f, CP_INT32);
        assert_int_equal(cp_array_equal(g, v, false), 1);
        assert_int_equal(cp_item_int(cp_array_equal(m, zero, false) ? one : zero), 1);
        cp_free(x), cp_free(one), cp_free(y), cp_free(v), cp_free(w), cp_free(difference), cp_free(zero);
        cp_free(m), cp_free(f), cp_free(g);
    }
}

/* Host scalars for every operand parameter. */
static void test_host_scalars(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(1, 2, 3), *y = doubles(4, 5, 6), *yes = cp_scalar(CP_BOOL, &(uint8_t){1}),
                 *no = cp_scalar(CP_BOOL, &(uint8_t){0});
        cp_array *one = cp_float(1), *two = cp_int(2), *m = cp_less(x, two), *out = doubles(7, 8, 9);
        cp_array *half = typed(doubles(1, 2, 3), CP_FLOAT16), *wide = cp_zeros(CP_SHAPE(3, 3), CP_FLOAT32);
        ok(m && wide);
        for (int truth = 0; truth < 2; truth++) {
            cp_array *in[] = {x, y, y};
            cp_ufunc_options o = {.out = out, .where = truth ? yes : no};
            is(cp_elementwise(CP_OP_add, in, &o), CP_FLOAT64, truth ? 5 : 7, truth ? 7 : 8, truth ? 9 : 9);
            o.out = half; /* through a result of the row's type */
            is(cp_elementwise(CP_OP_sqrt, (cp_array *[]){half}, &o), CP_FLOAT16, 1, truth ? 1.4140625 : 2,
               truth ? 1.732421875 : 3);
            o.out = wide; /* another type, broadcast */
            cp_array *r = cp_elementwise(CP_OP_clip, (cp_array *[]){x, one, two}, &o), *sum;
            ok(r);
            sum = cp_maximum(r, one);
            is(sum, CP_FLOAT32, 1, truth ? 2 : 1, truth ? 2 : 1, 1, truth ? 2 : 1, truth ? 2 : 1, 1, truth ? 2 : 1,
               truth ? 2 : 1);
            cp_free(r);
        }
        /* scalars as inputs, in every position, and with a scalar mask */
        is(cp_subtract(one, x), CP_FLOAT64, 0, -1, -2);
        is(cp_subtract(x, one), CP_FLOAT64, 0, 1, 2);
        is(cp_subtract(two, one), CP_FLOAT64, 1);
        is(cp_clip(x, one, two), CP_FLOAT64, 1, 2, 2);
        is(cp_clip(two, one, x), CP_FLOAT64, 1, 2, 2);
        is(cp_power(x, two), CP_FLOAT64, 1, 4, 9);
        /* choices */
        is(cp_where(yes, x, y), CP_FLOAT64, 1, 2, 3);
        is(cp_where(no, x, y), CP_FLOAT64, 4, 5, 6);
        is(cp_where(no, x, one), CP_FLOAT64, 1, 1, 1);
        is(cp_where(yes, two, y), CP_FLOAT64, 2, 2, 2);
        is(cp_where(m, two, y), CP_FLOAT64, 2, 5, 6);
        is(cp_where(m, y, one), CP_FLOAT64, 4, 1, 1);
        is(cp_where(m, one, two), CP_FLOAT64, 1, 2, 2);
        is(cp_where(yes, one, two), CP_FLOAT64, 1);
        /* closeness */
        is(cp_isclose(x, one, 0, 0, false), CP_BOOL, 1, 0, 0);
        is(cp_isclose(two, x, 0, 0, false), CP_BOOL, 0, 1, 0);
        is(cp_isclose(two, one, 0, 0, false), CP_BOOL, 0);
        assert_int_equal(cp_allclose(x, two, 0, 1, false), 1);
        assert_int_equal(cp_allclose(two, x, 0, 0.5, false), 0);
        assert_int_equal(cp_allclose(two, two, 0, 0, false), 1);
        /* a copy from one */
        assert_int_equal(cp_assign(out, one), CP_OK);
        values(out, 1, 1, 1);
        assert_int_equal(cp_assign(wide, two), CP_OK);
        cp_free(x), cp_free(y), cp_free(yes), cp_free(no), cp_free(one), cp_free(two), cp_free(m), cp_free(out);
        cp_free(half), cp_free(wide);
    }
}

static cp_array *bits16(int a, int b, int c, int d, cp_type type)
{
    cp_array *r = typed(ints(a, b, c, d), CP_UINT16), *v = cp_view_as(r, type);
    cp_free(r);
    return v;
}

/* Signs and payloads of NaN through conversions, and sums of squares at the edge of the range. */
static void test_edges(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_type halves[] = {CP_FLOAT16, CP_BFLOAT16};
        for (int k = 0; k < 2; k++) {
            int nan = k ? 0x7fc3 : 0x7e03;
            for (cp_type to = CP_FLOAT32; to <= CP_COMPLEX128; to++) {
                cp_array *h = bits16(nan, nan | 0x8000, 0x8000, 0x3c00, halves[k]), *x = cp_astype(h, to);
                cp_array *back = cp_astype(x, halves[k]), *bits = cp_view_as(back, CP_UINT16);
                values(bits, nan, nan | 0x8000, 0x8000, 0x3c00);
                cp_free(h), cp_free(x), cp_free(back), cp_free(bits);
            }
            cp_array *h = bits16(nan, nan | 0x8000, 0x8000, 0x3c00, halves[k]), *x = cp_float(1);
            is(cp_signbit(h), CP_BOOL, 0, 1, 1, 0);
            is(take1(cp_signbit, cp_negative(h)), CP_BOOL, 1, 0, 0, 1);
            is(take1(cp_signbit, cp_absolute(h)), CP_BOOL, 0, 0, 0, 0);
            is(cp_copysign(x, h), halves[k], 1, -1, -1, 1);
            cp_free(h), cp_free(x);
        }
        double big = 1.7976931348623157e308;
        is(take2(cp_hypot, doubles(big, 1.5, 3, INFINITY), doubles(1.5, -big, 4, NAN)), CP_FLOAT64, big, big, 5,
           INFINITY);
        float large = 3.4028234663852886e38f;
        is(take2(cp_hypot, typed(doubles(large, 3), CP_FLOAT32), typed(doubles(1.5, 4), CP_FLOAT32)), CP_FLOAT32, large,
           5);
        cp_array *far = take2(cp_hypot, doubles(1e308, 3e-300), doubles(1e308, -3e-300));
        cp_array *want = doubles(1.4142135623730951e308, 4.2426406871192851e-300);
        assert_int_equal(cp_allclose(far, want, 1e-15, 0, false), 1);
        cp_free(far), cp_free(want);
        is(cp_ramp(-2, 2, 6, true, CP_INT32), CP_INT32, -2, -2, -1, 0, 1, 2);
        is(cp_ramp(-2.5, -0.5, 3, true, CP_INT64), CP_INT64, -3, -2, -1);
        is(cp_arange(-2.5, 2, 1, CP_INT16), CP_INT16, -2, -1, 0, 1, 2);
    }
}

static bool failing_body(void)
{
    bool good = false;
    cp_array *x = doubles(1, 2, 3, 4), *h = x ? cp_astype(x, CP_FLOAT16) : NULL;
    cp_array *low = x ? cp_slice(x, 1, (cp_index[]){CP_RANGE(0, 3)}) : NULL;
    cp_array *high = low ? cp_slice(x, 1, (cp_index[]){CP_RANGE(1, 4)}) : NULL;
    cp_array *a = high ? cp_elementwise(CP_OP_add, (cp_array *[]){low, low}, &(cp_ufunc_options){.out = high}) : NULL;
    cp_array *b = h && a ? cp_nextafter(h, h) : NULL;
    cp_array *m = b ? cp_less(x, h) : NULL, *w = m ? cp_where(m, x, h) : NULL,
             *c = w ? cp_isclose(x, w, 0, 0, true) : NULL;
    if (c) good = cp_allclose(x, x, 0, 0, false) == 1;
    cp_free(x), cp_free(h), cp_free(low), cp_free(high), cp_free(a), cp_free(b), cp_free(m), cp_free(w), cp_free(c);
    return good;
}

static void test_allocation(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) every_allocation_fails(failing_body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),        cmocka_unit_test(test_integers),   cmocka_unit_test(test_floats),
        cmocka_unit_test(test_complex),      cmocka_unit_test(test_shapes),     cmocka_unit_test(test_out),
        cmocka_unit_test(test_where),        cmocka_unit_test(test_every_row),  cmocka_unit_test(test_two_results),
        cmocka_unit_test(test_rows_as_data), cmocka_unit_test(test_large),      cmocka_unit_test(test_host_scalars),
        cmocka_unit_test(test_edges),        cmocka_unit_test(test_allocation),
    };
    return check_run(tests);
}
