/* Linear filters and peaks: values beside plain loops, states that go on, chunks, errors, threads, no memory. */
#include "check.h"

enum { N = 40000, ORDER = 3 };

static uint64_t seed;
static double noise(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed >> 20) / (double)(1ull << 43) - 1;
}

/* lfilter as its definition has it; z goes on. */
static void plain(const double *b, const double *a, const double *x, int64_t n, double *z, double *y)
{
    for (int64_t i = 0; i < n; i++) {
        y[i] = z[0] + b[0] * x[i];
        for (int k = 0; k < ORDER; k++) z[k] = (k + 1 < ORDER ? z[k + 1] : 0) + x[i] * b[k + 1] - y[i] * a[k + 1];
    }
}

static const double B[] = {0.2, 0.3, -0.1, 0.05}, A[] = {1, -0.9, 0.4, -0.1};

/* Whether the array has these elements, to a bound; frees it. */
static void same(cp_array *r, int64_t n, const double *want, double bound)
{
    ok(r != NULL);
    assert_int_equal(cp_size(r), n);
    double *got = malloc(sizeof *got * (size_t)(n + 1));
    cp_array *wide = cp_astype(r, CP_FLOAT64);
    ok(cp_to_host(wide, got, sizeof *got * (size_t)n) == CP_OK);
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= bound) && !(isnan(got[i]) && isnan(want[i])) && got[i] != want[i])
            fail_msg("element %lld: %.17g, not %.17g", (long long)i, got[i], want[i]);
    free(got);
    cp_free(wide);
    cp_free(r);
}

static void test_lfilter(void **state)
{
    (void)state;
    static double x[N], y[N];
    seed = 1;
    for (int i = 0; i < N; i++) x[i] = noise();
    const int64_t lengths[] = {1, 2, 3, 31, 33, 2047, 2048, 5000, N};
    for (FOR_DEVICES(d))
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
            for (CP_SCOPE) {
                const int64_t n = lengths[k];
                double z[ORDER] = {0.5, -1, 2}, before[ORDER] = {0.5, -1, 2};
                plain(B, A, x, n, z, y);
                cp_array *b = cp_from_host(B, CP_FLOAT64, CP_SHAPE(4), NULL), *zf = NULL;
                cp_array *a = cp_from_host(A, CP_FLOAT64, CP_SHAPE(4), NULL);
                cp_array *zi = cp_from_host(before, CP_FLOAT64, CP_SHAPE(ORDER), NULL);
                cp_array *s = cp_from_host(x, CP_FLOAT64, CP_SHAPE(n), NULL);
                same(cp_lfilter(b, a, s, .zi = zi, .zf = &zf), n, y, 1e-13);
                same(zf, ORDER, z, 1e-13);
                /* the same of 2 a and 2 b, and by two halves */
                cp_array *two = cp_float(2);
                cp_array *first = cp_slice(s, CP_ITEMS(CP_RANGE(0, n / 2)));
                cp_array *rest = cp_slice(s, CP_ITEMS(CP_RANGE(n / 2, n)));
                same(cp_lfilter(cp_multiply(b, two), cp_multiply(a, two), first, .zi = zi, .zf = &zf), n / 2, y, 1e-13);
                same(cp_lfilter(b, a, rest, .zi = zf), n - n / 2, y + n / 2, 1e-13);
                /* columns */
                cp_array *column = cp_reshape(s, CP_SHAPE(n, 1));
                cp_array *states = cp_reshape(zi, CP_SHAPE(ORDER, 1));
                same(cp_lfilter(b, a, column, .axis = CP_AXES(0), .zi = states), n, y, 1e-13);
            }
}

/* An infinity goes where the recurrence takes it, whatever chunks there are; zeros stay zeros. */
static void test_not_finite(void **state)
{
    (void)state;
    static double x[N], y[N];
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            seed = 3;
            for (int i = 0; i < N; i++) x[i] = noise();
            x[N / 3] = INFINITY;
            double z[ORDER] = {0};
            plain(B, A, x, N, z, y);
            cp_array *b = cp_from_host(B, CP_FLOAT64, CP_SHAPE(4), NULL);
            cp_array *a = cp_from_host(A, CP_FLOAT64, CP_SHAPE(4), NULL);
            same(cp_lfilter(b, a, cp_from_host(x, CP_FLOAT64, CP_SHAPE(N), NULL)), N, y, 1e-13);
            memset(y, 0, sizeof y);
            same(cp_lfilter(b, a, cp_zeros(CP_SHAPE(N), CP_FLOAT64)), N, y, 0);
        }
}

static void test_sections_and_rates(void **state)
{
    (void)state;
    static double x[N], y[N], w[N];
    seed = 5;
    for (int i = 0; i < N; i++) x[i] = noise();
    const double sos[12] = {1, 0.5, 0.25, 1, -0.5, 0.1, 0.3, 0, 0.2, 1, 0.2, -0.3};
    for (int s = 0; s < 2; s++) {
        double z[2] = {0, 0};
        const double *c = sos + 6 * s, *from = s ? w : x;
        double *to = s ? y : w;
        for (int i = 0; i < N; i++) {
            const double v = from[i], r = z[0] + c[0] * v;
            z[0] = z[1] + c[1] * v - c[4] * r;
            z[1] = c[2] * v - c[5] * r;
            to[i] = r;
        }
    }
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *signal = cp_from_host(x, CP_FLOAT64, CP_SHAPE(N), NULL);
            cp_array *filter = cp_from_host(sos, CP_FLOAT64, CP_SHAPE(2, 6), NULL);
            same(cp_sosfilt(filter, signal), N, y, 1e-12);
            for (int up = 1; up < 4; up++)
                for (int down = 1; down < 6; down += 2) {
                    const int taps = 7, n = 3000;
                    const int m = ((n - 1) * up + taps - 1) / down + 1;
                    for (int i = 0; i < m; i++) {
                        w[i] = 0;
                        for (int k = 0; k < taps; k++) {
                            const int at = i * down - k;
                            if (at >= 0 && at % up == 0 && at / up < n) w[i] += (k + 1) * x[at / up];
                        }
                    }
                    cp_array *h = cp_arange(1, taps + 1, 1, CP_FLOAT64);
                    cp_array *part = cp_slice(signal, CP_ITEMS(CP_RANGE(0, n)));
                    same(cp_upfirdn(h, part, .up = up, .down = down), m, w, 1e-12);
                }
        }
}

/* The peaks of 1: 1, 4 and 7, of heights 2, 3 and 5, one of them flat, that meet conditions. */
static void test_find_peaks(void **state)
{
    (void)state;
    const double x[] = {0, 2, 1, 3, 3, 3, 0, 5, 4, 4.5, NAN, 1, 0};
    for (FOR_DEVICES(d)) {
        for (CP_SCOPE) {
            cp_array *s = cp_from_host(x, CP_FLOAT64, CP_SHAPE(13), NULL);
            cp_array *two = cp_float(2), *pair = cp_from_host((double[]){2, 3}, CP_FLOAT64, CP_SHAPE(2), NULL);
            cp_array *each = cp_zeros(CP_SHAPE(2, 13), CP_FLOAT64), *three = cp_ones(CP_SHAPE(3), CP_FLOAT64);
            same(cp_keep(cp_find_peaks(s)), 3, (double[]){1, 4, 7}, 0);
            same(cp_keep(cp_find_peaks(s, .height = cp_float(2.5))), 2, (double[]){4, 7}, 0);
            same(cp_keep(cp_find_peaks(s, .height = pair)), 2, (double[]){1, 4}, 0);
            same(cp_keep(cp_find_peaks(s, .height = each)), 0, NULL, 0);
            same(cp_keep(cp_find_peaks(s, .threshold = cp_float(1))), 2, (double[]){1, 7}, 0);
            same(cp_keep(cp_find_peaks(s, .plateau_size = two)), 1, (double[]){4}, 0);
            same(cp_keep(cp_find_peaks(s, .distance = 3.5)), 2, (double[]){1, 7}, 0);
            same(cp_keep(cp_find_peaks(s, .prominence = two)), 1, (double[]){4}, 0);
            same(cp_keep(cp_find_peaks(s, .prominence = two, .wlen = 3)), 0, NULL, 0);
            same(cp_keep(cp_find_peaks(s, .width = cp_float(0.7))), 2, (double[]){1, 4}, 0);
            same(cp_keep(cp_find_peaks(s, .width = cp_float(0.7), .rel_height = 1)), 3, (double[]){1, 4, 7}, 0);
            ok(!cp_find_peaks(s, .height = three));
            failed(CP_ERROR_VALUE);
            ok(!cp_find_peaks(s, .distance = 0.5));
            failed(CP_ERROR_VALUE);
            ok(!cp_find_peaks(NULL));
            failed(CP_ERROR_VALUE);
            ok(!cp_find_peaks(cp_complex(1, 1)));
            failed(CP_ERROR_TYPE);
        }
    }
}

static void test_peaks(void **state)
{
    (void)state;
    const double x[] = {0, 2, 1, 3, 3, 3, 0, 5, 4, 4.5, NAN, 1, 0};
    for (FOR_DEVICES(d)) {
        for (CP_SCOPE) {
            cp_array *s = cp_from_host(x, CP_FLOAT64, CP_SHAPE(13), NULL), *left, *right, *p, *l, *r, *w[4];
            ok(cp_local_maxima(s, &left, &right) == CP_OK);
            cp_array *peaks = cp_copy(right);
            same(left, 3, (double[]){1, 3, 7}, 0);
            same(right, 3, (double[]){1, 5, 7}, 0);
            ok(cp_peak_prominences(s, peaks, 0, &p, &l, &r) == CP_OK);
            ok(cp_peak_widths(s, peaks, 0.5, p, l, r, &w[0], &w[1], &w[2], &w[3]) == CP_OK);
            same(p, 3, (double[]){1, 3, 1}, 0);
            same(l, 3, (double[]){0, 0, 6}, 0);
            same(r, 3, (double[]){2, 6, 8}, 0);
            same(w[1], 3, (double[]){1.5, 1.5, 4.5}, 0);
            same(w[2], 3, (double[]){0.75, 2.25, 6.9}, 1e-15);
            same(w[3], 3, (double[]){1.5, 5.5, 7.5}, 1e-15);
            same(w[0], 3, (double[]){0.75, 3.25, 0.6}, 1e-15);
            cp_array *at = cp_arange_int(0, 10, 2, CP_INT64), *rank = cp_arange(0, 5, 1, CP_FLOAT64);
            same(cp_peaks_distant(at, rank, 5), 5, (double[]){0, 1, 0, 0, 1}, 0);
            cp_array *far = cp_arange_int(13, 14, 1, CP_INT64);
            assert_int_equal(cp_peak_prominences(s, far, 0, &p, &l, &r), CP_ERROR_VALUE);
            cp_error_clear();
            assert_int_equal(cp_peak_prominences(s, at, 1, &p, &l, &r), CP_ERROR_VALUE);
            cp_error_clear();
            assert_int_equal(cp_local_maxima(cp_zeros(CP_SHAPE(2, 2), CP_FLOAT64), &left, &right), CP_ERROR_VALUE);
            cp_error_clear();
        }
    }
}

static void test_errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *x = cp_ones(CP_SHAPE(5), CP_FLOAT64), *none = cp_zeros(CP_SHAPE(0), CP_FLOAT64);
            cp_array *zero = cp_zeros(CP_SHAPE(2), CP_FLOAT64), *flat = cp_ones(CP_SHAPE(2, 2), CP_FLOAT64);
            assert_null(cp_lfilter(x, zero, x));
            failed(CP_ERROR_VALUE);
            assert_null(cp_lfilter(none, x, x));
            failed(CP_ERROR_VALUE);
            assert_null(cp_lfilter(flat, x, x));
            failed(CP_ERROR_VALUE);
            assert_null(cp_lfilter(x, x, cp_float(1)));
            failed(CP_ERROR_VALUE);
            assert_null(cp_lfilter(x, x, x, .zi = x));
            failed(CP_ERROR_VALUE);
            assert_null(cp_lfilter(x, x, x, .axis = CP_AXES(1)));
            failed(CP_ERROR_AXIS);
            assert_null(cp_sosfilt(flat, x));
            failed(CP_ERROR_VALUE);
            assert_null(cp_sosfilt(cp_zeros(CP_SHAPE(1, 6), CP_FLOAT64), x));
            failed(CP_ERROR_VALUE);
            assert_null(cp_upfirdn(x, x, .up = -1));
            failed(CP_ERROR_VALUE);
            assert_null(cp_upfirdn(x, x, .up = INT64_MAX));
            failed(CP_ERROR_VALUE);
            assert_null(cp_upfirdn(x, NULL));
            failed(CP_ERROR_VALUE);
        }
}

/* The same bits whatever the number of threads. */
static void test_threads(void **state)
{
    (void)state;
    static double x[N], first[N], again[N];
    seed = 9;
    for (int i = 0; i < N; i++) x[i] = noise();
    const int threads = cp_threads();
    for (FOR_DEVICES(d))
        for (CP_SCOPE)
            for (int t = 1; t <= 3; t++) {
                ok(cp_threads_set(t) == CP_OK);
                cp_array *b = cp_from_host(B, CP_FLOAT64, CP_SHAPE(4), NULL);
                cp_array *a = cp_from_host(A, CP_FLOAT64, CP_SHAPE(4), NULL);
                cp_array *y = cp_lfilter(b, a, cp_from_host(x, CP_FLOAT64, CP_SHAPE(N), NULL));
                ok(y && cp_to_host(y, t == 1 ? first : again, sizeof first) == CP_OK);
                if (t > 1) assert_memory_equal(first, again, sizeof first);
            }
    ok(cp_threads_set(threads) == CP_OK);
}

static bool allocating(void)
{
    cp_scope *scope = cp_scope_begin();
    if (!scope) return false;
    cp_array *x = cp_arange(0, 5000, 1, CP_FLOAT32), *h = x ? cp_arange(1, 4, 1, CP_FLOAT32) : NULL, *zf, *p, *l, *r;
    cp_array *one = h ? cp_ones(CP_SHAPE(1), CP_FLOAT32) : NULL, *zi = one ? cp_ones(CP_SHAPE(2), CP_FLOAT32) : NULL;
    cp_array *at = zi ? cp_arange_int(1, 9, 2, CP_INT32) : NULL, *sos = at ? cp_ones(CP_SHAPE(2, 6), CP_FLOAT32) : NULL;
    bool done = sos && cp_lfilter(h, h, x, .zi = zi, .zf = &zf) && cp_lfilter(h, one, x, .zi = zi, .zf = &zf) &&
                cp_sosfilt(sos, x, .zf = &zf) && cp_upfirdn(h, x, .up = 2, .down = 3) &&
                cp_local_maxima(x, &l, &r) == CP_OK && cp_peak_prominences(x, at, 0, &p, &l, &r) == CP_OK &&
                cp_peak_widths(x, at, 1, p, l, r, &p, &zf, &l, &r) == CP_OK && cp_peaks_distant(at, at, 3) &&
                cp_find_peaks(h, .height = zi, .distance = 2, .threshold = zi, .width = zi, .plateau_size = zi);
    cp_scope_end(scope);
    return done;
}
static void test_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) every_allocation_fails(allocating);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lfilter), cmocka_unit_test(test_not_finite), cmocka_unit_test(test_sections_and_rates),
        cmocka_unit_test(test_peaks),   cmocka_unit_test(test_find_peaks), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_allocations),
    };
    return check_run(tests);
}
