/* Windows: values, lengths, errors, and every allocation failing in turn. */
#include "check.h"
#include "cuprite/windows.h"

/* Whether the elements are these, to a few roundings; frees the array. */
static void near(cp_array *r, int n, const double *want)
{
    double got[16];
    ok(r && cp_type_of(r) == CP_FLOAT64 && cp_ndim(r) == 1 && cp_size(r) == n);
    ok(cp_to_host(r, got, sizeof got) == CP_OK);
    for (int i = 0; i < n; i++) ok(fabs(got[i] - want[i]) < 1e-14);
    cp_free(r);
}
#define NEAR(r, ...) \
    near(r, (int)(sizeof(double[]){__VA_ARGS__} / sizeof(double)), (const double[]){__VA_ARGS__})

static void windows(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        NEAR(cp_window_hann(5, true), 0, 0.5, 1, 0.5, 0);
        NEAR(cp_window_hann(4, false), 0, 0.5, 1, 0.5);
        NEAR(cp_window_hamming(3, true), 0.08, 1, 0.08);
        NEAR(cp_window_triang(4, true), 0.25, 0.75, 0.75, 0.25);
        NEAR(cp_window_bartlett(5, true), 0, 0.5, 1, 0.5, 0);
        NEAR(cp_window_boxcar(2, false), 1, 1);
        NEAR(cp_window_tukey(5, 0.5, true), 0, 1, 1, 1, 0);
        NEAR(cp_window_gaussian(3, 1, true), exp(-0.5), 1, exp(-0.5));
        NEAR(cp_window_exponential(3, NAN, 1, true), exp(-1), 1, exp(-1));
        NEAR(cp_window_exponential(3, 0, 1, false), 1, exp(-1), exp(-2));
        NEAR(cp_window_kaiser_bessel_derived(2, 3, true), sqrt(0.5), sqrt(0.5));
        NEAR(cp_window_taylor(1, 4, 30, true, true), 1);
        cp_array *r = cp_window_parzen(0, true);
        ok(r && cp_size(r) == 0);
        cp_free(r);
        cp_array *a = doubles(0.5, 0.5);
        NEAR(cp_window_general_cosine(5, a, true), 0, 0.5, 1, 0.5, 0);
        cp_free(a);
    }
}

static void errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        const double wrong[] = {-1, 0.5, NAN};
        for (int i = 0; i < 3; i++) {
            ok(!cp_window_hann(wrong[i], true));
            failed(CP_ERROR_VALUE);
            ok(!cp_window_boxcar(wrong[i], true));
            failed(CP_ERROR_VALUE);
        }
        ok(!cp_window_parzen(INFINITY, false));
        failed(CP_ERROR_OVERFLOW);
        ok(!cp_window_general_cosine(5, NULL, true));
        failed(CP_ERROR_VALUE);
        ok(!cp_window_exponential(5, 1, 1, true));
        failed(CP_ERROR_VALUE);
        ok(!cp_window_kaiser_bessel_derived(3, 1, true));
        failed(CP_ERROR_VALUE);
        ok(!cp_window_taylor(5, 0, 30, true, true));
        failed(CP_ERROR_VALUE);
        ok(!cp_window_chebwin(5, 1e5, true));
        failed(CP_ERROR_OVERFLOW);
        cp_warnings_clear();
        cp_array *r = cp_window_chebwin(5, 30, true);
        ok(r && cp_warnings() == 1u << CP_WARNING_ATTENUATION);
        cp_free(r), cp_warnings_clear();
    }
}

static cp_array *coefficients;

static bool body(void)
{
    cp_array *r[] = {cp_window_hann(5, true), cp_window_boxcar(5, true), cp_window_triang(5, false),
                     cp_window_kaiser(4, 3, true), cp_window_kaiser_bessel_derived(4, 3, true),
                     cp_window_taylor(6, 12, 30, true, true), cp_window_chebwin(5, 60, true),
                     cp_window_chebwin(5, 60, false), cp_window_general_cosine(4, coefficients, true),
                     cp_window_tukey(5, 0.5, true)};
    return check_all_made(sizeof r / sizeof *r, r);
}

static void failing_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        coefficients = doubles(1, 2);
        every_allocation_fails(body);
        cp_free(coefficients);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows), cmocka_unit_test(errors), cmocka_unit_test(failing_allocations),
    };
    return check_run(tests);
}
