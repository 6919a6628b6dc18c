/* median and partition against a sort: types, axes, layouts, NaN, ties, many sizes, errors, failing
 * allocations. */
#include "check.h"
#include "core/type_traits.h"
#include "sort_doubles.h"

static uint64_t seed;
static uint64_t next_random(void)
{
    seed += 0x9E3779B97F4A7C15u;
    uint64_t z = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}
static double uniform(void) { return (double)(next_random() >> 11) / 9007199254740992.0; }

/* The median of n doubles, by sorting; float32's mean of the two middle ones when `single`. */
static double sorted_median(const double *x, int64_t n, bool single)
{
    double *s = malloc((size_t)n * sizeof *s);
    memcpy(s, x, (size_t)n * sizeof *s);
    sort_doubles(s, n);
    double a = s[(n - 1) / 2], b = s[n / 2], last = s[n - 1];
    free(s);
    if (isnan(last)) return NAN;
    if (n & 1) return a;
    return single ? (double)(((float)a + (float)b) / 2) : (a + b) / 2;
}

/* n values as an array of `type` on the current device; x is rounded to what the type holds. */
static cp_array *typed(double *x, int64_t n, cp_type type)
{
    cp_array *d = cp_from_host(x, CP_FLOAT64, CP_SHAPE(n), NULL);
    cp_array *t = d ? cp_astype(d, type) : NULL;
    cp_array *back = t ? cp_astype(t, CP_FLOAT64) : NULL;
    ok(back && cp_to_host(back, x, (size_t)n * sizeof *x) == CP_OK);
    cp_free(d);
    cp_free(back);
    return t;
}

enum { UNIFORM, NORMAL, FEW, EQUAL, ASCENDING, DESCENDING, SPIKE, WITH_NAN, INFINITE, KINDS };
static double sample(int kind, int64_t i, int64_t n)
{
    switch (kind) {
    case UNIFORM: return uniform() * 100;
    case NORMAL: return (uniform() + uniform() + uniform() + uniform() - 2) * 50;
    case FEW: return (double)(next_random() % 3);
    case EQUAL: return 7;
    case ASCENDING: return (double)i / (double)n * 120;
    case DESCENDING: return 120 - (double)i / (double)n * 120;
    case SPIKE: return next_random() % 10 ? 5 : uniform() * 10;
    case WITH_NAN: return i == n / 3 ? NAN : uniform();
    default: return i % 3 == 0 ? -INFINITY : i % 3 == 1 ? INFINITY : uniform();
    }
}
static bool fits(cp_type t, int kind)
{
    bool floating = cp_type_kind(t) == 'f';
    return floating || kind < WITH_NAN;
}

/* The median that cp_median is to return for values of the type. */
static double typed_median(const double *x, int64_t n, cp_type t)
{
    double want = sorted_median(x, n, cpi_compute_type(t) == CP_FLOAT32);
    if (!cpi_is_half(t)) return want;
    cp_array *w = cp_from_host(&want, CP_FLOAT64, CP_SHAPE0, NULL), *h = cp_astype(w, t); /* rounded to the type */
    want = cp_item_float(h);
    cp_free(w);
    cp_free(h);
    return want;
}

static void test_types_and_sizes(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 4, 7, 24, 25, 100, 255, 2999, 3001, 65537, 131072, 200003};
    for (int t = CP_BOOL; t <= CP_FLOAT64; t++)
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                int64_t n = sizes[s];
                if (!check_share() || !fits((cp_type)t, kind)) continue;
                if (n > 10000 && kind == FEW && t > CP_INT32 && t < CP_FLOAT32) continue;
                seed = (uint64_t)(n * 100 + kind);
                size_t bytes = (size_t)n * sizeof(double);
                double *given = malloc(bytes), *x = malloc(bytes), want = 0; /* the same on every device */
                for (int64_t i = 0; i < n; i++) given[i] = sample(kind, i, n);
                for (FOR_DEVICES(d)) {
                    memcpy(x, given, bytes);
                    cp_array *a = typed(x, n, (cp_type)t), *m = cp_median(a);
                    ok(m);
                    assert_int_equal(cp_type_of(m), cp_type_kind((cp_type)t) == 'f' ? t : CP_FLOAT64);
                    assert_int_equal(cp_ndim(m), 0);
                    if (place_of_d == 0) want = typed_median(x, n, (cp_type)t);
                    double got = cp_item_float(m);
                    if (!(got == want || (isnan(got) && isnan(want))))
                        fail_msg("%s, kind %d, n %d: got %.17g, expected %.17g", cp_type_name((cp_type)t), kind, (int)n,
                                 got, want);
                    cp_free(a);
                    cp_free(m);
                }
                free(given), free(x);
            }
}

static void test_long_lanes(void **state)
{
    (void)state;
    int64_t n = 600001;
    double *given = malloc((size_t)n * sizeof *given), *x = malloc((size_t)n * sizeof *x);
    static const cp_type types[] = {CP_UINT8, CP_INT16, CP_FLOAT16, CP_INT32, CP_FLOAT32, CP_INT64, CP_FLOAT64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int kind = UNIFORM; kind <= SPIKE; kind++) {
            if (!check_share()) continue;
            seed = (uint64_t)kind;
            double want = 0;
            for (int64_t i = 0; i < n; i++) given[i] = sample(kind, i, n);
            for (FOR_DEVICES(d)) {
                memcpy(x, given, (size_t)n * sizeof *x);
                cp_array *a = typed(x, n, types[t]), *m = cp_median(a);
                ok(m);
                if (place_of_d == 0) want = sorted_median(x, n, false);
                assert_true(cp_item_float(m) == want);
                cp_free(a);
                cp_free(m);
            }
        }
    free(given);
    free(x);
}

static void test_zeros(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(-0.0, -0.0, 0.0), *m = cp_median(x), *two = cp_slice(x, 1, (cp_index[]){CP_RANGE(0, 2)});
        cp_array *e = cp_median(two);
        assert_false(signbit(cp_item_float(m)));
        assert_false(signbit(cp_item_float(e)));
        float big[] = {3e38f, 3e38f};
        cp_array *b = cp_from_host(big, CP_FLOAT32, CP_SHAPE(2), NULL), *o = cp_median(b); /* the sum is in float32 */
        assert_true(isinf(cp_item_float(o)));
        cp_array *one = cp_from_host(big, CP_FLOAT32, CP_SHAPE(1), NULL), *s = cp_median(one);
        assert_true(cp_item_float(s) == (double)3e38f);
        cp_free(x), cp_free(m), cp_free(two), cp_free(e), cp_free(b), cp_free(o), cp_free(one), cp_free(s);
    }
}

static void test_axes(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *x = cp_reshape(cp_arange(0, 24, 1, CP_FLOAT64), CP_SHAPE(2, 3, 4));
            values(cp_median(x), 11.5);
            values(cp_median(x, .axis = CP_AXES(0)), 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
            values(cp_median(x, .axis = CP_AXES(-2)), 4, 5, 6, 7, 16, 17, 18, 19);
            values(cp_median(x, .axis = CP_AXES(2, 0)), 7.5, 11.5, 15.5);
            cp_array *kept = cp_median(x, .axis = CP_AXES(0, 2), .keepdims = true);
            values(kept, 7.5, 11.5, 15.5);
            assert_int_equal(cp_ndim(kept), 3);
            assert_int_equal(cp_dim(kept, 0), 1);
            assert_int_equal(cp_dim(kept, 1), 3);
            cp_array *none = cp_median(x, .axis = {0, (const int[]){0}});
            assert_int_equal(cp_size(none), 24);
            values(cp_median(cp_slice(x, 3, (cp_index[]){CP_FULL, CP_STEP(2, -4, -2), CP_STEP(0, 4, 3)}),
                             .axis = CP_AXES(1)),
                   4, 7, 16, 19);
            values(cp_median(cp_transpose(x, CP_ALL), .axis = CP_AXES(0)), 1.5, 13.5, 5.5, 17.5, 9.5, 21.5);
            values(cp_median(cp_broadcast_to(doubles(3, 1, 2), CP_SHAPE(2, 3)), .axis = CP_AXES(0)), 3, 1, 2);
            values(cp_median(cp_float(4)), 4);
            cp_array *cube = cp_zeros(CP_SHAPE(0, 3), CP_INT32);
            values(cp_median(cube), NAN);
            values(cp_median(cube, .axis = CP_AXES(0)), NAN, NAN, NAN);
            assert_int_equal(cp_size(cp_median(cube, .axis = CP_AXES(1))), 0);
        }
}

static void test_many_lanes(void **state)
{
    (void)state;
    static const int64_t widths[] = {1, 2, 3, 5, 16, 31, 32, 33, 64, 100, 127, 128, 129, 500, 1024, 1025, 5000};
    for (FOR_DEVICES(d))
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (int type = CP_FLOAT32; type <= CP_FLOAT64; type++) {
                if (!check_share()) continue;
                int64_t n = widths[w], rows = 40000 / n + 3;
                double *x = malloc((size_t)(rows * n) * sizeof *x), *got = malloc((size_t)rows * sizeof *got);
                seed = (uint64_t)n;
                for (int64_t i = 0; i < rows * n; i++) x[i] = sample(i % 7 ? NORMAL : SPIKE, i, n);
                x[(rows - 1) * n + n / 2] = NAN;
                cp_array *a = typed(x, rows * n, (cp_type)type), *b = cp_reshape(a, CP_SHAPE(rows, n));
                cp_array *m = cp_median(b, .axis = CP_AXES(1)), *f = cp_astype(m, CP_FLOAT64);
                ok(f && cp_to_host(f, got, (size_t)rows * sizeof *got) == CP_OK);
                for (int64_t r = 0; r < rows; r++) {
                    double want = sorted_median(x + r * n, n, type == CP_FLOAT32);
                    if (!(got[r] == want || (isnan(got[r]) && isnan(want))))
                        fail_msg("width %d, row %d: got %.17g, expected %.17g", (int)n, (int)r, got[r], want);
                }
                cp_free(a), cp_free(b), cp_free(m), cp_free(f);
                free(x);
                free(got);
            }
}

static void test_complex(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_complex128 z[] = {{2, 1}, {1, 5}, {2, -1}, {3, 0}}, nan[] = {{1, 2}, {3, 1}, {1, NAN}, {NAN, 2}}, got;
        cp_complex64 c[] = {{2, 1}, {1, 5}, {2, -1}}, single;
        cp_array *x = cp_from_host(z, CP_COMPLEX128, CP_SHAPE(4), NULL), *m = cp_median(x);
        ok(m && cp_to_host(m, &got, sizeof got) == CP_OK);
        assert_true(got.re == 2 && got.im == 0);
        cp_array *y = cp_from_host(nan, CP_COMPLEX128, CP_SHAPE(4), NULL), *n = cp_median(y);
        ok(n && cp_to_host(n, &got, sizeof got) == CP_OK);
        assert_true(isnan(got.re) && got.im == 2);
        cp_array *s = cp_from_host(c, CP_COMPLEX64, CP_SHAPE(3), NULL), *o = cp_median(s);
        ok(o && cp_to_host(o, &single, sizeof single) == CP_OK);
        assert_true(single.re == 2 && single.im == -1);
        cp_free(x), cp_free(m), cp_free(y), cp_free(n), cp_free(s), cp_free(o);
    }
}

static void test_out_and_errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *x = cp_reshape(doubles(1, 5, 3, 2, 8, 2), CP_SHAPE(2, 3));
            cp_array *out = cp_zeros(CP_SHAPE(2), CP_FLOAT32);
            cp_array *again = cp_median(x, .axis = CP_AXES(1), .out = out); /* owned by the scope, with out's elements
                                                                               */
            ok(again && cp_data(again) == cp_data(out));
            values(again, 3, 2);
            values(out, 3, 2);
            /* into the operand itself */
            cp_array *view = cp_slice(x, 2, (cp_index[]){CP_FULL, CP_AT(0)});
            ok(cp_median(x, .axis = CP_AXES(1), .out = view));
            values(x, 3, 5, 3, 2, 8, 2);
            assert_null(cp_median(x, .axis = CP_AXES(1), .out = cp_zeros(CP_SHAPE(3), CP_FLOAT64)));
            failed(CP_ERROR_VALUE);
            cp_array *whole = cp_zeros(CP_SHAPE(2), CP_INT64);
            ok(cp_median(x, .axis = CP_AXES(1), .out = whole));
            values(whole, 3, 2);
            assert_null(cp_median(x, .axis = CP_AXES(2)));
            failed(CP_ERROR_AXIS);
            assert_null(cp_median(x, .axis = CP_AXES(0, 0)));
            failed(CP_ERROR_VALUE);
            assert_null(cp_median(x, .axis = CP_AXES(1), .out = cp_broadcast_to(doubles(1), CP_SHAPE(2))));
            failed(CP_ERROR_VALUE);
            assert_null(cp_median(NULL));
            cp_error_clear();
        }
}

/* --- partition --- */

/* A number of the multiset of n values, whatever their order: the sum of what each one's bits are mixed to. Zeros are
 * one value, and so are NaN. */
static uint64_t multiset(const double *x, int64_t n)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double v = isnan(x[i]) ? NAN : x[i] + 0.0;
        memcpy(&seed, &v, sizeof seed);
        sum += next_random();
    }
    return sum;
}

/* p has the values of `a`, which is sorted, and those at kth are where sorting puts them. */
static void check_partition(const double *a, const double *p, int64_t n, int nk, const int64_t *kth)
{
    for (int i = 0; i < nk; i++) {
        int64_t k = kth[i] < 0 ? kth[i] + n : kth[i];
        assert_true(by_value(&p[k], &a[k]) == 0);
        for (int64_t j = 0; j < n; j++)
            if (j < k ? by_value(&p[j], &p[k]) > 0 : by_value(&p[j], &p[k]) < 0)
                fail_msg("n %d, kth %d: element %d is on the wrong side", (int)n, (int)k, (int)j);
    }
    assert_true(multiset(a, n) == multiset(p, n));
}

static void test_partition(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 24, 30, 100, 999, 5000, 300000};
    for (int t = CP_BOOL; t <= CP_FLOAT64; t++)
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                int64_t n = sizes[s], kth[] = {n / 2, -1, n / 5, n / 2};
                if (!check_share() || !fits((cp_type)t, kind)) continue;
                if (n > 10000 && t != CP_FLOAT32 && t != CP_UINT8 && t != CP_INT64) continue;
                seed = (uint64_t)(n + kind);
                size_t bytes = (size_t)n * sizeof(double);
                double *given = malloc(bytes), *x = malloc(bytes), *got = malloc(bytes), *sorted = malloc(bytes);
                for (int64_t i = 0; i < n; i++) given[i] = sample(kind, i, n);
                for (FOR_DEVICES(d)) {
                    memcpy(x, given, bytes);
                    cp_array *a = typed(x, n, (cp_type)t);
                    if (place_of_d == 0) {
                        memcpy(sorted, x, bytes);
                        sort_doubles(sorted, n);
                    }
                    for (int nk = 1; nk <= 4; nk += 3) {
                        cp_array *p = cp_partition(a, nk, kth, -1), *f = p ? cp_astype(p, CP_FLOAT64) : NULL;
                        ok(f && cp_to_host(f, got, bytes) == CP_OK);
                        assert_int_equal(cp_type_of(p), t);
                        check_partition(sorted, got, n, nk, kth);
                        cp_free(p);
                        cp_free(f);
                    }
                    cp_free(a);
                }
                free(given), free(x), free(got), free(sorted);
            }
}

static void test_partition_axes(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            int64_t one = 1, zero = 0, five = 5;
            cp_array *x = cp_reshape(doubles(3, 9, 1, 2, 4, 0), CP_SHAPE(3, 2));
            cp_array *p = cp_partition(x, 1, &one, 0);
            values(cp_slice(p, 2, (cp_index[]){CP_AT(1), CP_FULL}), 3, 2);
            values(cp_slice(p, 2, (cp_index[]){CP_AT(0), CP_FULL}), 1, 0);
            values(x, 3, 9, 1, 2, 4, 0);
            cp_array *flat = cp_partition(x, 1, &five, CP_FLAT);
            assert_int_equal(cp_ndim(flat), 1);
            values(cp_slice(flat, 1, (cp_index[]){CP_AT(5)}), 9);
            cp_array *back = cp_slice(x, 2, (cp_index[]){CP_STEP(2, -4, -1), CP_FULL});
            ok(cp_partition_inplace(back, 1, &zero, 0) == CP_OK);
            values(cp_slice(back, 2, (cp_index[]){CP_AT(0), CP_FULL}), 1, 0);
            ok(cp_partition_inplace(x, 1, &one, 1) == CP_OK);
            ok(cp_partition_inplace(x, 1, &zero, CP_FLAT) == CP_OK);
            values(cp_slice(x, 2, (cp_index[]){CP_AT(0), CP_AT(0)}), 0);
            assert_int_equal(cp_size(cp_partition(cp_zeros(CP_SHAPE(0), CP_FLOAT32), 1, &five, -1)), 0);
            assert_null(cp_partition(x, 1, &five, 0));
            failed(CP_ERROR_VALUE);
            assert_null(cp_partition(x, 1, &zero, 2));
            failed(CP_ERROR_AXIS);
            assert_null(cp_partition(cp_float(1), 1, &zero, -1));
            failed(CP_ERROR_AXIS);
            assert_int_equal(cp_partition_inplace(cp_broadcast_to(doubles(1), CP_SHAPE(2)), 1, &zero, 0),
                             CP_ERROR_VALUE);
            failed(CP_ERROR_VALUE);
            cp_complex64 c[] = {{2, 1}, {1, NAN}, {1, 5}, {2, -1}}, got[4];
            cp_array *z = cp_partition(cp_from_host(c, CP_COMPLEX64, CP_SHAPE(4), NULL), 1, &one, 0);
            ok(z && cp_to_host(z, got, sizeof got) == CP_OK);
            assert_true(got[0].re == 1 && got[0].im == 5 && got[1].re == 2 && got[1].im == -1);
            cp_complex128 w[] = {{2, 1}, {NAN, 0}, {1, 5}, {2, -1}}, last[4];
            cp_array *v = cp_partition(cp_from_host(w, CP_COMPLEX128, CP_SHAPE(4), NULL), 1, (int64_t[]){-1}, 0);
            ok(v && cp_to_host(v, last, sizeof last) == CP_OK);
            assert_true(isnan(last[3].re));
        }
}

static bool allocating(void)
{
    cp_scope *scope = cp_scope_begin();
    if (!scope) return false;
    cp_array *x = cp_reshape(cp_arange(0, 4000, 1, CP_FLOAT32), CP_SHAPE(40, 100));
    cp_array *out = x ? cp_zeros(CP_SHAPE(100), CP_FLOAT64) : NULL;
    cp_array *m = out ? cp_median(x, .axis = CP_AXES(0), .out = out) : NULL;
    cp_free(m); /* `out` again, retained: the scope holds one reference only */
    cp_array *p = m ? cp_partition(x, 1, (int64_t[]){3}, 0) : NULL;
    bool done = p && cp_partition_inplace(x, 1, (int64_t[]){3}, 0) == CP_OK;
    cp_scope_end(scope);
    return done;
}
static bool allocating_long(void)
{
    cp_array *x = cp_arange(0, 200000, 1, CP_FLOAT32), *m = x ? cp_median(x) : NULL;
    bool done = m != NULL;
    cp_free(x), cp_free(m);
    return done;
}
static void test_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        every_allocation_fails(allocating);
        every_allocation_fails(allocating_long);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_and_sizes), cmocka_unit_test(test_long_lanes),
        cmocka_unit_test(test_zeros),           cmocka_unit_test(test_axes),
        cmocka_unit_test(test_many_lanes),      cmocka_unit_test(test_complex),
        cmocka_unit_test(test_out_and_errors),  cmocka_unit_test(test_partition),
        cmocka_unit_test(test_partition_axes),  cmocka_unit_test(test_allocations),
    };
    return check_run(tests);
}
