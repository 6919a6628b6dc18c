/* Fourier transforms from C: the definition in long double over lengths of every algorithm, real transforms and
 * inverses, options, plans that are cached or not, and every allocation failing. */
#include <complex.h>
#include <math.h>

#include "check.h"

enum { MOST = 700 };

static const int64_t lengths[] = {1, 2, 3, 7, 8, 11, 15, 16, 31, 60, 61, 67, 100, 128, 134, 243, 263, 512, 521, 700};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* Numbers between -1 and 1 without a period. */
static double number(int64_t i) { return sin((double)(i * i % 1009) + 0.25 * (double)i); }

static void definition(const double complex *x, int64_t n, int sign, long double complex *y)
{
    static long double complex roots[MOST];
    for (int64_t j = 0; j < n; j++) {
        long double angle = 2 * 3.14159265358979323846264338327950288L * (long double)j / (long double)n;
        roots[j] = cosl(angle) + sign * I * sinl(angle);
    }
    for (int64_t k = 0; k < n; k++) {
        y[k] = 0;
        for (int64_t j = 0; j < n; j++) y[k] += x[j] * roots[j * k % n];
    }
}

/* Two rows of n numbers, interleaved or one after the other: the index of element i of row l. */
static int64_t place(int64_t i, int64_t l, int64_t n, bool beside) { return beside ? 2 * i + l : l * n + i; }

static void compare(cp_array *got, const double complex *x, int64_t n, int64_t kept, int sign, bool beside, double by)
{
    static double complex lane[MOST], result[2 * MOST];
    static long double complex want[MOST];
    ok(got);
    ok(cp_size(got) == 2 * kept);
    ok(cp_to_host(got, result, sizeof result) == CP_OK);
    for (int64_t l = 0; l < 2; l++) {
        for (int64_t i = 0; i < n; i++) lane[i] = x[place(i, l, n, beside)];
        definition(lane, n, sign, want);
        for (int64_t k = 0; k < kept; k++) {
            double wrong = (double)cabsl(result[place(k, l, kept, beside)] - want[k] * by);
            if (wrong > 2e-13 * sqrt((double)n) * by)
                fail_msg("n %d, element %d of lane %d is %g off", (int)n, (int)k, (int)l, wrong);
        }
    }
}

static void complex_transforms(void **state)
{
    (void)state;
    static double complex x[2 * MOST];
    for (int64_t i = 0; i < 2 * MOST; i++) x[i] = number(i) + I * number(3 * i + 1);
    for (FOR_DEVICES(d)) {
        for (int i = 0; i < LENGTHS; i++) {
            const int64_t n = lengths[i];
            for (int beside = 0; beside < 2; beside++) {
                for (CP_SCOPE) {
                    cp_array *a = cp_from_host(x, CP_COMPLEX128, beside ? CP_SHAPE(n, 2) : CP_SHAPE(2, n), NULL);
                    const cp_axes axis = CP_AXES(beside ? 0 : 1);
                    compare(cp_fft(a, .axis = axis), x, n, n, -1, beside, 1);
                    compare(cp_ifft(a, .axis = axis), x, n, n, 1, beside, 1 / (double)n);
                    compare(cp_ifft(a, .axis = axis, .norm = CP_FFT_NORM_ORTHO), x, n, n, 1, beside,
                            1 / sqrt((double)n));
                }
            }
        }
    }
}

static void real_transforms(void **state)
{
    (void)state;
    static double x[2 * MOST], back[2 * MOST];
    static double complex z[2 * MOST];
    for (int64_t i = 0; i < 2 * MOST; i++) z[i] = x[i] = number(i);
    for (FOR_DEVICES(d)) {
        for (int i = 0; i < LENGTHS; i++) {
            const int64_t n = lengths[i];
            for (int beside = 0; beside < 2; beside++) {
                for (CP_SCOPE) {
                    cp_array *a = cp_from_host(x, CP_FLOAT64, beside ? CP_SHAPE(n, 2) : CP_SHAPE(2, n), NULL);
                    const cp_axes axis = CP_AXES(beside ? 0 : 1);
                    cp_array *f = cp_rfft(a, .axis = axis), *b = cp_irfft(f, .n = n, .axis = axis);
                    compare(f, z, n, n / 2 + 1, -1, beside, 1);
                    compare(cp_ihfft(a, .axis = axis, .norm = CP_FFT_NORM_FORWARD), z, n, n / 2 + 1, 1, beside, 1);
                    ok(b);
                    ok(cp_to_host(b, back, sizeof back) == CP_OK);
                    for (int64_t k = 0; k < 2 * n; k++)
                        if (fabs(back[k] - x[k]) > 1e-13) fail_msg("n %d: element %d is not back", (int)n, (int)k);
                }
            }
        }
    }
}

/* Default lengths and axes, s, and errors. */
static void options(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        for (CP_SCOPE) {
            cp_array *x = cp_ones(CP_SHAPE(4, 6), CP_FLOAT32), *r;
            ok((r = cp_fft(x)) != NULL);
            ok(cp_type_of(r) == CP_COMPLEX64 && cp_dim(r, 1) == 6);
            ok((r = cp_fftn(x, .s = CP_SHAPE(3, -1))) != NULL);
            ok(cp_dim(r, 0) == 3 && cp_dim(r, 1) == 6);
            ok((r = cp_rfft2(x)) != NULL);
            ok(cp_dim(r, 1) == 4);
            ok(cp_next_fast_len(1021) == 1024 && cp_next_fast_len(13, .real = true) == 15);
            cp_array *sum = cp_slice(r, CP_ITEMS(CP_AT(0), CP_AT(0)));
            ok(sum && cp_item_float(cp_real_part(sum)) == 24);
            assert_null(cp_fft(x, .axis = CP_AXES(2)));
            failed(CP_ERROR_AXIS);
            assert_null(cp_fft(x, .axis = CP_AXES(0, 1)));
            failed(CP_ERROR_TYPE);
            assert_null(cp_fft(x, .n = -3));
            failed(CP_ERROR_VALUE);
            assert_null(cp_fftn(x, .s = CP_SHAPE(3), .axes = CP_AXES(0, 1)));
            failed(CP_ERROR_VALUE);
            assert_null(cp_fft(x, .norm = (cp_fft_norm)7));
            failed(CP_ERROR_VALUE);
            assert_null(cp_rfft(cp_fft(x)));
            failed(CP_ERROR_TYPE);
            assert_null(cp_dct(x, 9));
            failed(CP_ERROR_VALUE);
            assert_null(cp_fft(NULL));
            failed(CP_ERROR_VALUE);
        }
    }
}

/* No plan is cached, so that each call makes its own. */
static bool calls(void)
{
    bool done = false;
    cp_scope *s = cp_scope_begin();
    if (!s) return false;
    cp_array *x = cp_ones(CP_SHAPE(3, 67), CP_FLOAT64), *row = cp_ones(CP_SHAPE(600), CP_FLOAT64);
    cp_array *a = x ? cp_fft(x) : NULL, *b = a ? cp_irfftn(a) : NULL, *c = b ? cp_rfft2(x, .s = CP_SHAPE(5, 70)) : NULL;
    cp_array *e = c && row ? cp_rfft(row, .n = 1030) : NULL, *f = e ? cp_fft(row) : NULL;
    cp_array *g = f ? cp_dct(x, 2) : NULL, *h = g ? cp_fht(x, 0.1, 0.5) : NULL;
    done = h && cp_fftshift(h) && cp_fftfreq(9, 1);
    cp_scope_end(s);
    return done;
}

/* A transform in blocks, of an array larger than caches, whose axes have separate plans. */
static bool in_blocks(void)
{
    cp_scope *s = cp_scope_begin();
    if (!s) return false;
    cp_array *x = cp_ones(CP_SHAPE(40, 72, 60), CP_COMPLEX64);
    const bool done = x && cp_fftn(x);
    cp_scope_end(s);
    return done;
}

static bool (*body)(void);

static bool without_cache(void)
{
    cp_array *before = cp_fft_plan_cache(0, -2, .clear = true);
    cp_free(before);
    return before && body();
}

static void allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        int64_t was[6];
        cp_array *before = cp_fft_plan_cache(-1, -2);
        ok(before);
        ok(cp_to_host(before, was, sizeof was) == CP_OK);
        cp_free(before);
        body = calls;
        every_allocation_fails(without_cache);
        body = in_blocks;
        every_allocation_fails(without_cache);
        cp_array *after = cp_fft_plan_cache(was[1], -2);
        ok(after);
        cp_free(after);
        every_allocation_fails(calls);
        every_allocation_fails(in_blocks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complex_transforms), cmocka_unit_test(real_transforms), cmocka_unit_test(options),
        cmocka_unit_test(allocations),
    };
    return check_run(tests);
}
