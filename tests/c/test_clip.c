/* Kappa-sigma clipping against the equivalent loop of NumPy's operations: the same elements are kept. */
#include <float.h>

#include "check.h"
#include "sort_doubles.h"

static uint64_t seed;
static double uniform(void)
{
    seed += 0x9E3779B97F4A7C15u;
    uint64_t z = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}
static double normal(void)
{
    double u = 1 - uniform(), v = uniform();
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* Takes the values outside the bounds away; returns how many are left. */
static int64_t inside(double *x, int64_t n, double lower, double upper)
{
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++)
        if (x[i] > lower && x[i] < upper) x[m++] = x[i];
    return m;
}

/* The program, in the precision of float32 or of float64, on values without NaN; sums in long double. Leaves the kept
 * values at the beginning in order, returns the expected result. A sorted copy is clipped too, and so stays sorted. */
static cp_clip_result program(double *x, int64_t n, bool single, double kappa, bool by_mean, int most)
{
    cp_clip_result r = {NAN, NAN, NAN, NAN, n, 0};
    double *s = malloc((size_t)(n + 1) * sizeof *s);
    memcpy(s, x, (size_t)n * sizeof *s);
    sort_doubles(s, n);
    for (;; r.iterations++) {
        if (!n) {
            r.center = r.std = r.lower = r.upper = NAN;
            break;
        }
        long double sum = 0, squares = 0, mean;
        for (int64_t i = 0; i < n; i++) sum += s[i];
        mean = sum / (long double)n;
        for (int64_t i = 0; i < n; i++) squares += (s[i] - mean) * (s[i] - mean);
        double std = (double)sqrtl(squares / (long double)n), a = s[(n - 1) / 2], b = s[n / 2];
        double center = by_mean ? (double)mean : n & 1 ? a : single ? (double)(((float)a + (float)b) / 2) : (a + b) / 2;
        if (single) {
            float c = (float)center, d = (float)std, w = (float)kappa * d, lower = c - w, upper = c + w;
            r.center = c, r.std = d, r.lower = lower, r.upper = upper;
        } else {
            double w = kappa * std;
            r.center = center, r.std = std, r.lower = center - w, r.upper = center + w;
        }
        if (r.iterations && r.iterations == most) break;
        int64_t m = inside(x, n, r.lower, r.upper);
        inside(s, n, r.lower, r.upper);
        if (m == n) {
            r.iterations++;
            break;
        }
        n = m;
    }
    r.count = n;
    free(s);
    return r;
}

/* Equal but for the rounding of sums; `scale` is the magnitude of the summands. */
static bool near(double a, double b, double scale)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-13 * scale;
}

/* Clips n values as `type` on the current device and compares all with the program's result and what it keeps. */
static void check_here(const double *values, int64_t n, cp_type type, cp_sigma_clip_options options,
                       cp_clip_result want, const double *wanted)
{
    double *got = malloc((size_t)(n + 1) * sizeof *got);
    cp_array *d = cp_from_host(values, CP_FLOAT64, CP_SHAPE(n), NULL), *a = cp_astype(d, type);
    cp_clip_result stats, r;
    ok((cp_sigma_clip_stats)(a, &stats, &options) == CP_OK);
    cp_array *kept = (cp_sigma_clip)(a, &r, &options);
    ok(kept);
    assert_int_equal(cp_type_of(kept), type);
    assert_memory_equal(&r, &stats, offsetof(cp_clip_result, iterations) + sizeof r.iterations); /* no padding */
    double scale = fabs(want.center) + 5 * want.std;
    if (r.count != want.count || r.iterations != want.iterations || !near(r.center, want.center, scale) ||
        !near(r.std, want.std, want.std) || !near(r.lower, want.lower, scale) || !near(r.upper, want.upper, scale))
        fail_msg(
            "%s, n %d, kappa %g: got %.17g +- %.17g in %.17g .. %.17g, %d of %d after %d; expected %.17g +- %.17g in "
            "%.17g .. %.17g, %d after %d",
            cp_type_name(type), (int)n, options.kappa, r.center, r.std, r.lower, r.upper, (int)r.count, (int)n,
            r.iterations, want.center, want.std, want.lower, want.upper, (int)want.count, want.iterations);
    assert_int_equal(cp_size(kept), want.count);
    cp_array *f = cp_astype(kept, CP_FLOAT64);
    ok(f && cp_to_host(f, got, (size_t)want.count * sizeof *got) == CP_OK);
    assert_memory_equal(got, wanted, (size_t)want.count * sizeof *got);
    cp_free(d), cp_free(a), cp_free(kept), cp_free(f);
    free(got);
}

/* The same on every device; the program, which takes longest, runs once. */
static void check_clip(const double *values, int64_t n, cp_type type, double kappa, cp_clip_center center, int most)
{
    double *x = malloc((size_t)(n + 1) * sizeof *x);
    cp_array *d = cp_from_host(values, CP_FLOAT64, CP_SHAPE(n), NULL), *a = cp_astype(d, type);
    cp_array *back = cp_astype(a, CP_FLOAT64);
    ok(back && cp_to_host(back, x, (size_t)n * sizeof *x) == CP_OK);
    cp_free(d), cp_free(a), cp_free(back);
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(x[i])) x[m++] = x[i];
    cp_clip_result want = program(x, m, type == CP_FLOAT32, kappa ? kappa : 3, center == CP_CLIP_MEAN, most);
    for (FOR_DEVICES(now))
        check_here(values, n, type,
                   (cp_sigma_clip_options){.kappa = kappa, .center = center, .max_iterations = most}, want, x);
    free(x);
}

enum { NORMAL, OUTLIERS, SKEWED, LATTICE, OFFSET, WITH_NAN, HEAVY, SORTED, GEOMETRIC, HUGE, KINDS };
static double sample(int kind, int64_t i, int64_t n)
{
    switch (kind) {
    case NORMAL: return normal();
    case OUTLIERS: return i % 97 ? normal() : normal() * 1e6;
    case SKEWED: return exp(normal() * 1.5);
    case LATTICE: return floor(normal() * 3);
    case OFFSET: return 1e8 + normal() * 20;
    case WITH_NAN: return i % 5 ? normal() : NAN;
    case GEOMETRIC: return ldexp(1, -(int)(uniform() * 100));
    case HUGE: return i % 50 ? 3 + normal() : normal() * 1e25;
    case HEAVY: return normal() / (uniform() + 1e-9);
    default: return (double)i / (double)n + (i > n - n / 50 ? 40 : 0);
    }
}

static void test_against_program(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 10, 1000, 40000, 150001};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < KINDS; kind++) {
            if (!check_share()) continue;
            int64_t n = sizes[s];
            double *x = malloc((size_t)n * sizeof *x);
            seed = (uint64_t)(n + kind);
            for (int64_t i = 0; i < n; i++) x[i] = sample(kind, i, n);
            check_clip(x, n, CP_FLOAT32, 0, CP_CLIP_MEDIAN, 0);
            check_clip(x, n, CP_FLOAT64, 0, CP_CLIP_MEDIAN, 0);
            check_clip(x, n, CP_FLOAT32, 2.5, CP_CLIP_MEAN, 0);
            check_clip(x, n, CP_FLOAT64, 1.5, CP_CLIP_MEDIAN, 0);
            check_clip(x, n, CP_FLOAT32, 3, CP_CLIP_MEDIAN, 1);
            check_clip(x, n, CP_FLOAT64, 3, CP_CLIP_MEAN, 3);
            free(x);
        }
}

static void test_integers(void **state)
{
    (void)state;
    static const cp_type types[] = {CP_UINT8, CP_INT16, CP_UINT32, CP_INT64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int64_t n = 1000; n <= 100000; n *= 10) {
            if (!check_share()) continue;
            double *x = malloc((size_t)n * sizeof *x);
            seed = (uint64_t)n;
            for (int64_t i = 0; i < n; i++) x[i] = i % 50 ? floor(100 + fmax(-12, fmin(12, normal() * 3))) : 250;
            check_clip(x, n, types[t], 0, CP_CLIP_MEDIAN, 0);
            check_clip(x, n, types[t], 2, CP_CLIP_MEAN, 0);
            free(x);
        }
}

static cp_clip_result stats_of(cp_array *x, cp_sigma_clip_options options)
{
    cp_clip_result r;
    ok(x);
    ok((cp_sigma_clip_stats)(x, &r, &options) == CP_OK);
    return r;
}
static void empty(cp_clip_result r)
{
    assert_int_equal(r.count, 0);
    assert_true(isnan(r.center) && isnan(r.std) && isnan(r.lower) && isnan(r.upper));
}

static void test_edges(void **state)
{
    (void)state;
    cp_sigma_clip_options plain = {0};
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            empty(stats_of(cp_zeros(CP_SHAPE(0), CP_FLOAT32), plain));
            empty(stats_of(cp_zeros(CP_SHAPE(3, 0), CP_INT32), plain));
            assert_int_equal(cp_size(cp_sigma_clip(cp_zeros(CP_SHAPE(0), CP_INT16), NULL)), 0);
            /* strictly between: without a spread nothing is kept */
            empty(stats_of(doubles(5), plain));
            empty(stats_of(cp_full(CP_SHAPE(300, 400), CP_FLOAT32, cp_float(0.1)), plain));
            empty(stats_of(cp_full(CP_SHAPE(70000), CP_FLOAT64, cp_float(0.1)), plain));
            empty(stats_of(cp_full(CP_SHAPE(70000), CP_FLOAT32, cp_float(NAN)), plain));
            empty(stats_of(doubles(NAN, NAN), plain));
            /* an infinity has no finite spread around it */
            empty(stats_of(doubles(1, 2, 3, INFINITY), plain));
            empty(stats_of(doubles(1, 2, -INFINITY, 3, INFINITY), plain));
            /* two values, at exactly one standard deviation from their mean */
            cp_clip_result r = stats_of(doubles(-1, 1, -1, 1), (cp_sigma_clip_options){.kappa = 1});
            empty(r);
            assert_int_equal(r.iterations, 1);
            r = stats_of(doubles(-1, 1, -1, 1), plain);
            assert_true(r.count == 4 && r.std == 1 && r.center == 0 && r.lower == -3 && r.upper == 3 &&
                        r.iterations == 1);
            /* NaN is ignored, the order is C's, the layout does not matter */
            double v[] = {1, 2, 3, 2, 1, 2, 3, 2, 1, 2, NAN, 2, 100, 2, 1};
            cp_array *x = cp_from_host(v, CP_FLOAT64, CP_SHAPE(5, 3), NULL);
            cp_array *kept = cp_sigma_clip(x, &r);
            values(kept, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 2, 2, 1);
            assert_int_equal(r.count, 13);
            assert_int_equal(r.iterations, 2);
            kept = cp_sigma_clip(cp_transpose(x, CP_ALL), NULL);
            values(kept, 1, 2, 3, 2, 2, 1, 2, 2, 3, 2, 1, 2, 1);
            kept = cp_sigma_clip(cp_slice(x, 2, (cp_index[]){CP_STEP(4, -6, -1), CP_AT(0)}), NULL, .kappa = 1.5);
            values(kept, 2, 3, 2, 1);
            assert_int_equal(cp_size(cp_sigma_clip(cp_astype(x, CP_FLOAT16), NULL)), 13);
            assert_int_equal(cp_type_of(cp_sigma_clip(cp_astype(x, CP_BFLOAT16), NULL)), CP_BFLOAT16);
            /* int64 values beyond float64's digits come back unchanged */
            int64_t big = INT64_C(9007199254740993);
            cp_array *wide = ints(big, big + 4, big + 8, big + 2);
            cp_array *same = cp_sigma_clip(wide, NULL);
            int64_t got[4];
            ok(same && cp_to_host(same, got, sizeof got) == CP_OK);
            assert_int_equal(got[0], big);
            assert_int_equal(got[3], big + 2);
        }
}

static void test_errors(void **state)
{
    (void)state;
    cp_clip_result r;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *x = doubles(1, 2, 3);
            assert_null(cp_sigma_clip(cp_zeros(CP_SHAPE(2), CP_COMPLEX64), NULL));
            failed(CP_ERROR_TYPE);
            assert_null(cp_sigma_clip(x, NULL, .kappa = -1));
            failed(CP_ERROR_VALUE);
            assert_null(cp_sigma_clip(x, NULL, .kappa = NAN));
            failed(CP_ERROR_VALUE);
            assert_null(cp_sigma_clip(x, NULL, .max_iterations = -1));
            failed(CP_ERROR_VALUE);
            assert_null(cp_sigma_clip(x, NULL, .center = (cp_clip_center)7));
            failed(CP_ERROR_VALUE);
            assert_int_not_equal(cp_sigma_clip_stats(NULL, &r), CP_OK);
            cp_error_clear();
            ok(cp_sigma_clip_stats(x, &r) == CP_OK);
        }
}

/* The same bits whatever the number of threads. */
static void test_repeatable(void **state)
{
    (void)state;
    int64_t n = 300000;
    float *x = malloc((size_t)n * sizeof *x);
    seed = 1;
    for (int64_t i = 0; i < n; i++) x[i] = (float)sample(OUTLIERS, i, n);
    int threads = cp_threads();
    for (FOR_DEVICES(d)) {
        cp_array *a = cp_from_host(x, CP_FLOAT32, CP_SHAPE(n), NULL);
        cp_clip_result first = stats_of(a, (cp_sigma_clip_options){0});
        for (int t = 1; t <= 3; t++) {
            ok(cp_threads_set(t) == CP_OK);
            cp_clip_result again = stats_of(a, (cp_sigma_clip_options){0});
            assert_memory_equal(&first, &again, offsetof(cp_clip_result, iterations) + sizeof first.iterations);
        }
        ok(cp_threads_set(threads) == CP_OK);
        cp_free(a);
    }
    free(x);
}

/* Its counts, sums and lists are those of a plain loop, for both types, halves and integers. */
static void test_split(void **state)
{
    (void)state;
    enum { N = 70001 };
    static double x[N];
    seed = 5;
    for (int i = 0; i < N; i++) x[i] = floor(sample(OUTLIERS, i, N) * 8) / 8;
    x[3] = NAN;
    x[N - 1] = INFINITY;
    for (FOR_DEVICES(d))
        for (int t = 0; t < 3; t++)
            for (CP_SCOPE) {
                cp_array *a = cp_from_host(x, CP_FLOAT64, CP_SHAPE(N), NULL);
                if (t) a = cp_astype(a, t == 1 ? CP_FLOAT32 : CP_FLOAT16);
                cp_clip_part p = {-1, 1.5, .window_low = -0.25, .window_high = 0.25, .pivot = 0.5};
                int64_t count = 0, below = 0, outside = 0, inside = 0;
                double s1 = 0, s2 = 0, out = 0, in = 0;
                for (int i = 0; i < N; i++) {
                    bool core = x[i] > -1 && x[i] < 1.5;
                    count += core, below += core && x[i] <= -0.25;
                    s1 += core ? x[i] - 0.5 : 0, s2 += core ? (x[i] - 0.5) * (x[i] - 0.5) : 0;
                    outside += !core && x[i] == x[i], inside += core && x[i] > -0.25 && x[i] < 0.25;
                    if (!core && isfinite(x[i])) out += x[i];
                    if (core && x[i] > -0.25 && x[i] < 0.25) in += x[i];
                }
                ok(cp_sigma_clip_split(a, &p) == CP_OK);
                assert_true(p.count == count && p.below == below && p.s1 == s1 && p.s2 == s2); /* eighths are exact */
                assert_true(cp_size(p.fringe) == outside && cp_size(p.window) == inside);
                assert_int_equal(cp_type_of(p.fringe), t ? CP_FLOAT32 : CP_FLOAT64);
                assert_true(cp_item_float(cp_sum(cp_astype(p.window, CP_FLOAT64))) == in);
                cp_array *finite = cp_where(cp_isfinite(p.fringe), p.fringe, cp_float(0));
                if (!t) assert_true(cp_item_float(cp_sum(cp_astype(finite, CP_FLOAT64))) == out);
                p.core_low = INFINITY, p.core_high = -INFINITY, p.window_low = INFINITY, p.window_high = -INFINITY;
                ok(cp_sigma_clip_split(a, &p) == CP_OK);
                assert_true(p.count == 0 && cp_size(p.fringe) == N - 1 && cp_size(p.window) == 0);
                ok(cp_sigma_clip_split(cp_zeros(CP_SHAPE(0, 3), CP_INT8), &p) == CP_OK);
                assert_true(p.count == 0 && cp_size(p.fringe) == 0 && cp_type_of(p.fringe) == CP_FLOAT64);
                assert_int_equal(cp_sigma_clip_split(cp_zeros(CP_SHAPE(3), CP_COMPLEX64), &p), CP_ERROR_TYPE);
                cp_error_clear();
                assert_int_not_equal(cp_sigma_clip_split(NULL, &p), CP_OK);
                cp_error_clear();
                assert_int_not_equal(cp_sigma_clip_split(a, NULL), CP_OK);
                cp_error_clear();
            }
}

static bool allocating(void)
{
    cp_scope *scope = cp_scope_begin();
    if (!scope) return false;
    cp_clip_result r;
    cp_array *x = cp_arange(0, 40000, 1, CP_FLOAT32);
    cp_array *i = x ? cp_arange_int(0, 900, 1, CP_INT16) : NULL;
    bool done = i && cp_sigma_clip_stats(x, &r) == CP_OK && cp_sigma_clip(i, &r);
    cp_clip_part part = {.core_low = 1000, .core_high = 30000, .window_low = 1e4, .window_high = 2e4};
    done = done && cp_sigma_clip_split(x, &part) == CP_OK;
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
        cmocka_unit_test(test_edges),   cmocka_unit_test(test_against_program), cmocka_unit_test(test_integers),
        cmocka_unit_test(test_errors),  cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_split),   cmocka_unit_test(test_allocations),
    };
    return check_run(tests);
}
