/* Wavelets, transforms by them and peaks from ridges: values that SciPy gives, a wavelet of the caller's, errors, every
 * allocation failing. */
#include "check.h"
#include "cuprite/wavelets.h"

/* Whether the elements, complex ones as two numbers, are these; frees the array. */
static void same(cp_array *r, int n, const double *want)
{
    double got[64];
    ok(r);
    const bool complex = cp_type_kind(cp_type_of(r)) == 'c';
    assert_int_equal(cp_size(r) * (complex ? 2 : 1), n);
    cp_array *wide = cp_astype(r, complex ? CP_COMPLEX128 : CP_FLOAT64);
    ok(wide && cp_to_host(wide, got, sizeof(double) * (size_t)n) == CP_OK);
    for (int i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= 1e-13)) fail_msg("element %d: got %.17g, expected %.17g", i, got[i], want[i]);
    cp_free(wide), cp_free(r);
}
#define same_as(r, ...) same((r), (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})

static void wavelets(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        same_as(cp_ricker(5, 1.5), -0.2264395388222002, 0.3150314271462294, 0.708167954684798, 0.3150314271462294,
                -0.2264395388222002);
        same_as(cp_ricker(3.5, 2), 0.3074173640197258, 0.5990106613257645, 0.4912621301709194, 0.09802228700254477);
        same(cp_ricker(-1, 2), 0, NULL);
        same_as(cp_morlet(4, 5, 0.2, true), 0.34104032614201707, 8.35311000494371e-17, -0.3440211931052596,
                -0.5958577442284678, -0.344021193105259, 0.5958577442284682, 0.34104032614201707,
                -8.35311000494371e-17);
        same_as(cp_morlet2(4, 1.5, 5), 0.10551667706165123, 0.3567007102161869, -0.055533905707830525,
                -0.5774847758287133, -0.055533905707830525, 0.5774847758287133, 0.10551667706165123,
                -0.3567007102161869);
        cp_array *h = doubles(1, 2, 3), *m = cp_reshape(h, CP_SHAPE(1, 3));
        same_as(cp_qmf(h), 3, -2, 1);
        ok(!cp_qmf(m));
        failed(CP_ERROR_VALUE);
        ok(!cp_morlet(-1, 5, 1, true));
        failed(CP_ERROR_VALUE);
        cp_free(h), cp_free(m);
    }
}

/* The width itself times a factor, as one sample; nothing of a width of 9. */
static cp_array *scaled(double points, double width, void *context)
{
    if (width == 9) return NULL;
    const double w = width * *(double *)context;
    return points < 1 ? NULL : cp_from_host(&w, CP_FLOAT64, CP_SHAPE(1), NULL);
}
/* i, and real where the width is 2 */
static cp_array *turned(double points, double width, void *context)
{
    (void)points, (void)context;
    if (width == 2) return cp_ones(CP_SHAPE(1), CP_FLOAT64);
    return cp_from_host((double[]){0, 1}, CP_COMPLEX128, CP_SHAPE(1), NULL);
}

static void transforms(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        double factor = 10;
        cp_array *x = doubles(1, 2, 0, -1, 3, 1), *widths = doubles(0.5, 1), *some = doubles(1, 2);
        cp_array *back = doubles(2, 1), *bad = doubles(1, 0), *failing = doubles(1, 9);
        same_as(cp_cwt(x, widths), 0.23058323071971132, 1.9613380228020987, -0.5226881864749922, -2.7390986206347536,
                3.679748633418613, -0.2612445020905989, -0.1298892941738785, 1.922241220024823, 0.5479227686019472,
                -2.7340587598760657, 0.396013659688244, 2.6482090951818367);
        same_as(cp_cwt(x, some, .wavelet = scaled, .context = &factor), 10, 20, 0, -10, 30, 10, 20, 40, 0, -20, 60, 20);
        same_as(cp_cwt(x, some, .wavelet = turned), 0, -1, 0, -2, 0, 0, 0, 1, 0, -3, 0, -1, /* conjugated */
                1, 0, 2, 0, 0, 0, -1, 0, 3, 0, 1, 0);
        ok(!cp_cwt(x, back, .wavelet = turned));
        failed(CP_ERROR_TYPE);
        ok(!cp_cwt(x, failing, .wavelet = scaled, .context = &factor));
        failed(CP_ERROR_VALUE);
        ok(!cp_cwt(x, bad));
        failed(CP_ERROR_VALUE);
        ok(!cp_cwt(x, NULL));
        failed(CP_ERROR_VALUE);
        cp_array *const all[] = {x, widths, some, back, bad, failing};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) cp_free(all[i]);
    }
}

static cp_array *wave(void)
{
    double v[126];
    for (int i = 0; i < 126; i++) v[i] = sin(0.1 * i) + 0.2 * sin(0.1 * i * 9);
    return cp_from_host(v, CP_FLOAT64, CP_SHAPE(126), NULL);
}

static void peaks(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = wave(), *widths = cp_arange_int(1, 12, 1, CP_INT64), *one = doubles(1);
        same_as(cp_find_peaks_cwt(x, widths), 9, 16, 23, 30, 37, 58, 65, 72, 79, 86, 93, 100);
        ok(!cp_find_peaks_cwt(x, widths, .noise_perc = 101));
        failed(CP_ERROR_VALUE);
        ok(!cp_find_peaks_cwt(x, widths, .max_distances = one));
        failed_with(CP_ERROR_VALUE, "find_peaks_cwt: Max_distances must have at least as many rows as matr");
        /* ridges: one of both rows that ends at 2, one of the last row alone at 6, two maxima that join one ridge */
        cp_array *flat = doubles(0, 0, 5, 0, 0, 0, 1, 0, 0, /* the first row */
                                 0, 3, 0, 0, 0, 0, 0, 4, 0);
        cp_array *rows = cp_reshape(flat, CP_SHAPE(2, 9)), *near = doubles(1, 1), *nowhere = doubles(0.5, 0.5);
        same_as(cp_ridge_peaks(rows, near, 1, .min_length = 2, .min_snr = -1), 2, 6);
        same_as(cp_ridge_peaks(rows, nowhere, 1, .min_length = 1, .min_snr = -1), 1, 2, 6, 7);
        same(cp_ridge_peaks(rows, nowhere, 1, .min_length = 2, .min_snr = -1), 0, NULL);
        /* the noise is the least of three, or the median: 0, where 5 / 0 is above all */
        same_as(cp_ridge_peaks(rows, near, 1, .min_length = 2, .window_size = 3, .noise_perc = 50), 2, 6);
        same(cp_ridge_peaks(rows, near, 1, .min_length = 2, .window_size = 1, .noise_perc = 50, .min_snr = 2), 0, NULL);
        ok(!cp_ridge_peaks(flat, near, 1));
        failed(CP_ERROR_VALUE);
        cp_array *const all[] = {x, widths, one, flat, rows, near, nowhere};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) cp_free(all[i]);
    }
}

static cp_array *signal_, *some_widths;

static bool all_of_them(void)
{
    double factor = 2;
    cp_array *r[] = {cp_ricker(5, 1), cp_morlet(5, 5, 1, true), cp_morlet2(5, 1, 5), cp_qmf(signal_),
                     cp_cwt(signal_, some_widths), cp_cwt(signal_, some_widths, .wavelet = scaled, .context = &factor),
                     cp_find_peaks_cwt(signal_, some_widths, .min_length = 1)};
    return check_all_made(sizeof r / sizeof *r, r);
}

static void failing_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        signal_ = wave(), some_widths = doubles(1, 2, 3);
        every_allocation_fails(all_of_them);
        cp_free(signal_), cp_free(some_widths);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wavelets),
        cmocka_unit_test(transforms),
        cmocka_unit_test(peaks),
        cmocka_unit_test(failing_allocations),
    };
    return check_run(tests);
}
