/* The rows of reduce.def: kernels written by hand give what those made from the rows give, for every reduction and
 * type, awkward lengths, strides and values; and reductions that are nothing but rows. */
#include "check.h"
#include "core/type_traits.h"

static const cp_type all_types[] = {
#define X(NAME, ...) CP_##NAME,
    CP_TYPES(X)
#undef X
};

enum { PLAIN, ONE_NAN, NAN_AT_ENDS, INFINITE, BOTH_INFINITE, MINUS_ZEROS, ALL_NAN, NPATTERNS };

static double special(int pattern, int64_t i, int64_t n, double v)
{
    switch (pattern) {
    case ONE_NAN: return i == n / 2 ? NAN : v;
    case NAN_AT_ENDS: return i == 0 || i == n - 1 ? NAN : v;
    case INFINITE: return i == n / 3 ? INFINITY : v;
    case BOTH_INFINITE: return i == n / 3 ? -INFINITY : i == n - 1 ? INFINITY : v;
    case MINUS_ZEROS: return -0.0;
    case ALL_NAN: return NAN;
    default: return v;
    }
}

/* n elements: floating-point ones between 0.75 and 1.25, so that no sum cancels and no product leaves the range;
 * integers of both signs with repetitions; real parts have the special values. */
static cp_array *elements(cp_type type, int64_t n, int pattern)
{
    char kind = cp_type_kind(type);
    bool pairs = kind == 'c';
    double *v = malloc((size_t)(2 * n + 1) * sizeof *v);
    for (int64_t i = 0; i < n; i++) {
        double u = (double)(i * 7919 % 1009) / 2018 + 0.75, w = (double)(i * 31 % 97);
        if (kind == 'i') u = w - 48;
        if (kind == 'u') u = w;
        if (kind == 'b') u = i * 31 % 97 > 5;
        v[pairs ? 2 * i : i] = special(pattern, i, n, u);
        if (pairs) v[2 * i + 1] = w / 97 - 0.5;
    }
    cp_array *x = cp_from_host(v, pairs ? CP_COMPLEX128 : CP_FLOAT64, CP_SHAPE(n), NULL), *y = cp_astype(x, type);
    free(v);
    cp_free(x);
    ok(y);
    return y;
}

/* The last place of 1, and the smallest number above 0; of double neither, as all is summed in double. */
static double power(cp_type t, int exponent) { return cpi_part_type(t) == CP_FLOAT64 ? 0 : ldexp(1, exponent); }
static double epsilon(cp_type t) { return power(t, 1 - cpi_float_formats[t].digits); }
static double smallest(cp_type t) { return power(t, cpi_float_formats[t].least); }

static bool same(double a, double b, double relative, double absolute)
{
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    return a == b || fabs(a - b) <= relative * fabs(b) + absolute;
}

/* Results are equal; those with rounding errors agree to the last place of their type, or 1e-13. */
static void compare(const cp_reduction_info *info, cp_array *got, cp_array *want, cp_type of, int64_t n, int pattern)
{
    ok(got);
    ok(want);
    cp_type t = cp_type_of(want);
    assert_int_equal(cp_type_of(got), t);
    bool exact = !info->has_identity || cp_type_kind(t) == 'i' || cp_type_kind(t) == 'u' || cp_type_kind(t) == 'b';
    double relative = exact ? 0 : 1e-13 + epsilon(t), absolute = exact ? 0 : smallest(t);
    /* imaginary parts, at most a half, cancel */
    if (cp_type_kind(t) == 'c' && (strstr(info->name, "sum") || strstr(info->name, "mean")))
        absolute += 2e-16 * (double)n;
    int64_t size = cp_size(want);
    if (cp_type_kind(t) == 'i' || cp_type_kind(t) == 'u') {
        if (cp_array_equal(got, want, false) != 1)
            fail_msg("%s of %d x %s, pattern %d: not the same by hand and by the row", info->name, (int)n,
                     cp_type_name(of), pattern);
        return;
    }
    double *a = malloc((size_t)size * 16), *b = malloc((size_t)size * 16);
    cp_array *ga = cp_astype(got, CP_COMPLEX128), *wa = cp_astype(want, CP_COMPLEX128);
    ok(cp_to_host(ga, a, (size_t)size * 16) == CP_OK);
    ok(cp_to_host(wa, b, (size_t)size * 16) == CP_OK);
    for (int64_t i = 0; i < size; i++) {
        /* parts of a complex product of infinities depend on the order, and so does which NaN of several wins */
        bool lost = cp_type_kind(t) == 'c' && (!isfinite(b[2 * i]) || !isfinite(b[2 * i + 1]));
        double scale = lost ? 0 : hypot(b[2 * i], b[2 * i + 1]);
        bool good = lost ? !isfinite(a[2 * i]) || !isfinite(a[2 * i + 1])
                         : same(a[2 * i], b[2 * i], relative, absolute + relative * scale) &&
                           same(a[2 * i + 1], b[2 * i + 1], relative, absolute + relative * scale * 4);
        if (!good)
            fail_msg("%s of %d x %s, pattern %d, result %d: %.17g %+.17gj by hand, %.17g %+.17gj by the row",
                     info->name, (int)n, cp_type_name(of), pattern, (int)i, a[2 * i], a[2 * i + 1], b[2 * i],
                     b[2 * i + 1]);
    }
    free(a), free(b);
    cp_free(ga), cp_free(wa);
}

static void compare_call(int r, cp_array *x, const cp_reduce_options *o, cp_type type, int64_t n, int pattern)
{
    cp_reduction_info info;
    assert_int_equal(cp_reduction_query((cp_reduction)r, &info), CP_OK);
    cp_array *tuned = cp_reduce((cp_reduction)r, x, o);
    cp_test_row_kernels(true);
    cp_array *row = cp_reduce((cp_reduction)r, x, o);
    cp_test_row_kernels(false);
    compare(&info, tuned, row, type, n, pattern);
    cp_free(tuned), cp_free(row);
}

/* False of counts, which have no mask, and of the mean, which with one is made of a sum and a count. */
static bool takes_mask(const cp_reduction_info *info, int r, cp_array *x, cp_array *mask)
{
    if (!info->has_identity || strcmp(info->name, "mean") == 0) return false;
    cp_array *y = cp_reduce((cp_reduction)r, x, &(cp_reduce_options){.where = mask});
    bool none = !y && cp_error() == CP_ERROR_TYPE;
    if (none) cp_error_clear();
    cp_free(y);
    return !none;
}

/* The same elements as one run, every other one, rows, columns, and with a mask. */
static void compare_layouts(int r, cp_type type, int64_t n, int pattern)
{
    cp_reduction_info info;
    assert_int_equal(cp_reduction_query((cp_reduction)r, &info), CP_OK);
    cp_array *x = elements(type, n, pattern);
    compare_call(r, x, NULL, type, n, pattern);
    cp_array *half = cp_slice(x, 1, (cp_index[]){CP_STEP(0, n, 2)});
    compare_call(r, half, NULL, type, n, pattern);
    int64_t widths[] = {3, 40};
    for (int i = 0; i < 2 && n <= 1025; i++) {
        int64_t w = widths[i];
        cp_array *line = elements(type, n * w, pattern), *tall = cp_reshape(line, CP_SHAPE(n, w)),
                 *wide = cp_reshape(line, CP_SHAPE(w, n));
        compare_call(r, tall, &(cp_reduce_options){.axis = CP_AXES(0)}, type, n, pattern);
        compare_call(r, wide, &(cp_reduce_options){.axis = CP_AXES(1)}, type, n, pattern);
        cp_free(line), cp_free(tall), cp_free(wide);
    }
    cp_array *count = cp_arange_int(0, n, 1, CP_INT64), *three = cp_int(3), *rest = cp_remainder(count, three);
    cp_array *mask = cp_astype(rest, CP_BOOL);
    if (takes_mask(&info, r, x, mask))
        compare_call(r, x, &(cp_reduce_options){.where = mask}, type, n, pattern);
    cp_free(count), cp_free(three), cp_free(rest), cp_free(mask);
    cp_free(half), cp_free(x);
}

static void test_by_hand_and_by_row(void **state)
{
    (void)state;
    static const int64_t lengths[] = {1, 2, 5, 31, 33, 64, 127, 255, 257, 512, 1024, 1025, 4999, 70001};
    cp_device_use(CP_CPU);
    for (int r = 0; r < CP_NREDUCTIONS; r++)
        for (int t = 0; t < CP_NTYPES; t++) {
            bool floats = cp_type_kind(all_types[t]) == 'f' || cp_type_kind(all_types[t]) == 'c';
            for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
                for (int pattern = 0; pattern < (floats ? NPATTERNS : 1); pattern++)
                    compare_layouts(r, all_types[t], lengths[l], pattern);
        }
}

/* Of nothing: the identities of the rows. */
static void test_nothing(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (int t = 0; t < CP_NTYPES; t++) {
            cp_array *none = cp_zeros(CP_SHAPE(0), all_types[t]);
            for (int r = 0; r < CP_NREDUCTIONS; r++) {
                cp_reduction_info info;
                assert_int_equal(cp_reduction_query((cp_reduction)r, &info), CP_OK);
                if (info.has_identity) {
                    compare_call(r, none, NULL, all_types[t], 0, PLAIN);
                    continue;
                }
                ok(!cp_reduce((cp_reduction)r, none, NULL));
                failed(CP_ERROR_VALUE);
            }
            cp_array *sum = cp_nansum(none), *product = cp_nanprod(none);
            values(sum, 0), values(product, 1);
            assert_int_equal(signbit(cp_item_float(sum)), 0);
            cp_free(sum), cp_free(product), cp_free(none);
        }
}

#define gives(expression, ...)          \
    do {                                \
        cp_array *got_ = (expression);  \
        values(got_, __VA_ARGS__);      \
        cp_free(got_);                  \
    } while (0)

/* Without NaN: rows, and nothing but rows. */
static void test_without_nan(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(NAN, 2, -3, NAN, 0.5), *nan = doubles(NAN, NAN), *two = cp_float(2),
                 *count = ints(4, -7, 2);
        gives(cp_nansum(x), -0.5);
        gives(cp_nanprod(x), -3);
        gives(cp_nanmin(x), -3);
        gives(cp_nanmax(x), 2);
        gives(cp_nanmax(x, .initial = two), 2);
        gives(cp_nansum(x, .initial = two), 1.5);
        gives(cp_nansum(nan), 0);
        gives(cp_nanprod(nan), 1);
        gives(cp_nanmin(nan), NAN);
        gives(cp_nanmax(nan), NAN);
        gives(cp_nanmin(nan, .initial = two), 2);
        gives(cp_nansum(count), -1);
        gives(cp_nanmin(count), -7);
        cp_array *total = cp_nansum(count);
        assert_int_equal(cp_type_of(total), CP_INT64);
        cp_free(total);
        /* converted to integers, NaN still takes no part */
        gives(cp_nansum(x, .typed = true, .dtype = CP_INT32), -1);
        gives(cp_nansum(nan, .typed = true, .dtype = CP_BOOL), 0);
        cp_array *small = ints(0, 1, 0, 1, 1), *mask = cp_astype(small, CP_BOOL);
        gives(cp_nansum(x, .where = mask), 2.5);
        gives(cp_nanprod(x, .where = mask, .typed = true, .dtype = CP_INT8), 0);
        gives(cp_nanmin(x, .where = mask, .initial = two), 0.5);
        ok(!cp_nansum(x, .where = small, .typed = true, .dtype = CP_INT8));
        failed(CP_ERROR_TYPE);
        ok(!cp_nanmin(x, .where = mask));
        failed(CP_ERROR_VALUE);
        cp_array *none = cp_zeros(CP_SHAPE(0), CP_FLOAT32);
        ok(!cp_nanmax(none));
        assert_string_equal(cp_error_message(),
                            "nanmax: zero-size array to reduction operation fmax which has no identity");
        failed(CP_ERROR_VALUE);
        cp_free(none), cp_free(mask), cp_free(small), cp_free(count), cp_free(two), cp_free(nan), cp_free(x);
    }
}

static cp_array *shared_input;
static bool reduce_without_nan(void)
{
    cp_array *x = shared_input, *r[4] = {0};
    bool done = (r[0] = cp_nansum(x, .axis = CP_AXES(1))) && (r[1] = cp_nanmin(x)) &&
                (r[2] = cp_nanprod(x, .typed = true, .dtype = CP_INT16)) && (r[3] = cp_nanmax(x, .axis = CP_AXES(0)));
    for (int i = 0; i < 4; i++) cp_free(r[i]);
    return done;
}
static void test_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        shared_input = cp_ones(CP_SHAPE(600, 500), CP_FLOAT32);
        ok(shared_input);
        every_allocation_fails(reduce_without_nan);
        cp_free(shared_input);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand_and_by_row), cmocka_unit_test(test_nothing), cmocka_unit_test(test_without_nan),
        cmocka_unit_test(test_allocations),
    };
    return check_run(tests);
}
