/* Recurrences of mirrored signals, splines, states, extrema, envelopes, coherence: values that SciPy 1.17 gives of the
 * same signals, errors, every allocation failing. */
#include "check.h"
#include "cuprite/spectra.h"

enum { N = 24 };

static cp_array *first(int n)
{
    double v[N];
    for (int i = 0; i < n; i++) v[i] = sin(0.7 * i) + 0.1 * ((i * 37) % 11);
    return cp_from_host(v, CP_FLOAT64, CP_SHAPE(n), NULL);
}
static cp_array *second(int n)
{
    double v[N];
    for (int i = 0; i < n; i++) v[i] = cos(0.4 * i) + 0.1 * ((i * 29) % 7);
    return cp_from_host(v, CP_FLOAT64, CP_SHAPE(n), NULL);
}
static cp_array *both(int n)
{
    double v[2 * N];
    for (int i = 0; i < n; i++) {
        v[2 * i] = sin(0.7 * i) + 0.1 * ((i * 37) % 11);
        v[2 * i + 1] = cos(0.4 * i) + 0.1 * ((i * 29) % 7);
    }
    return cp_from_host(v, CP_COMPLEX128, CP_SHAPE(n), NULL);
}

/* Whether the elements, complex ones as two numbers, are these; frees the array. */
static void same(cp_array *r, int n, const double *want)
{
    double got[4 * N];
    ok(r);
    assert_int_equal(cp_size(r) * (cp_type_kind(cp_type_of(r)) == 'c' ? 2 : 1), n);
    cp_array *wide = cp_astype(r, cp_type_kind(cp_type_of(r)) == 'c' ? CP_COMPLEX128 : CP_FLOAT64);
    cp_array *dense = wide ? cp_contiguous(wide) : NULL;
    ok(dense && cp_to_host(dense, got, sizeof(double) * (size_t)n) == CP_OK);
    for (int i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= 1e-12)) fail_msg("element %d: got %.17g, expected %.17g", i, got[i], want[i]);
    cp_free(dense), cp_free(wide), cp_free(r);
}
#define same_as(r, ...) same((r), (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})

static void states(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *b = doubles(0.2, 0.3, 0.1), *a = doubles(1, -0.6, 0.2), *zeros = doubles(0, 0), *q, *r;
        same_as(cp_lfilter_zi(b, a), 0.8, -0.1);
        cp_array *led = doubles(0, 2, -0.6), *one = doubles(1), *unstable = doubles(1, -1);
        same_as(cp_lfilter_zi(b, led), 0.32857142857142857, 0.05);
        same(cp_lfilter_zi(one, one), 0, NULL);
        ok(!cp_lfilter_zi(one, unstable));
        failed(CP_ERROR_LINALG);
        ok(!cp_lfilter_zi(b, zeros));
        failed(CP_ERROR_VALUE);
        ok(!cp_lfilter_zi(b, NULL));
        failed(CP_ERROR_VALUE);
        cp_array *rows = doubles(0.2, 0.3, 0.1, 1, -0.6, 0.2, 1, 0.5, 0, 1, 0.25, 0.125);
        cp_array *sos = cp_reshape(rows, CP_SHAPE(2, 6));
        same_as(cp_sosfilt_zi(sos), 0.8, -0.1, 0.0909090909090909, -0.13636363636363633);
        ok(!cp_sosfilt_zi(rows));
        failed(CP_ERROR_VALUE);
        cp_array *steep = doubles(2, -0.6, 0.2), *y = doubles(0.5, 0.25), *x = doubles(1, 2, 3);
        same_as(cp_lfiltic(b, steep, y, .x = x), 0.375, 0);
        same_as(cp_lfiltic(b, steep, y), 0.125, -0.05);
        ok(!cp_lfiltic(b, led, y));
        failed(CP_ERROR_VALUE);
        ok(!cp_lfiltic(b, sos, y));
        failed(CP_ERROR_VALUE);
        cp_array *signal = doubles(2, 7, 9, 11, 5), *divisor = doubles(1, 2, 1);
        ok(cp_deconvolve(signal, divisor, &q, &r) == CP_OK);
        same_as(q, 2, 3, 1);
        same_as(r, 0, 0, 0, 6, 4);
        ok(cp_deconvolve(divisor, signal, &q, &r) == CP_OK);
        same(q, 0, NULL);
        same_as(r, 1, 2, 1);
        ok(cp_deconvolve(signal, zeros, &q, &r) != CP_OK && !q && !r);
        failed(CP_ERROR_VALUE);
        ok(cp_deconvolve(sos, divisor, &q, &r) != CP_OK);
        failed(CP_ERROR_VALUE);
        cp_array *const all[] = {b, a, zeros, led, one, unstable, rows, sos, steep, y, x, signal, divisor};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) cp_free(all[i]);
    }
}

static void recurrences(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = first(8), *z = cp_astype(x, CP_COMPLEX128), *c0 = cp_float(0.7), *z1 = cp_float(0.05);
        cp_array *pole = cp_complex(0.01, 0.02), *far = cp_complex(0.8, 0.7), *one = cp_float(1);
        same_as(cp_symiirorder1(x, c0, z1, .precision = 1e-3), 0.04184843143147622, 0.7972964725487254,
                1.3248982218427936, 0.7706166555608429, 0.6410345890678729, 0.3922927530673384, -0.4645997024130612,
                -0.3054559726589877);
        same_as(cp_symiirorder1(z, c0, pole), 0.006685876964336166, 0.015405253365195496, 0.7430005506324693,
                0.025552505437462514, 1.263296687253454, 0.02883360880765043, 0.6920376216005637, 0.03739889008742276,
                0.5946526135847563, 0.02171633641960567, 0.38534620410357406, 0.002601714915670475,
                -0.4688933194890558, 0.0022723636727137626, -0.274991613654256, -0.01489843223267394);
        same_as(cp_symiirorder2(x, 0.2, 0.7, .precision = 0.02), 0.2705331919540267, 0.9595058229146122,
                1.4293790316373318, 1.0702484692705099, 0.790737042985162, 0.37236333075164907, -0.3563491267254302,
                -0.41163646941849164);
        ok(!cp_symiirorder1(x, c0, far));
        failed(CP_ERROR_VALUE);
        ok(!cp_symiirorder1(x, c0, one));
        failed_with(CP_ERROR_VALUE, "symiirorder1: |z1| must be less than 1.0");
        ok(!cp_symiirorder1(x, c0, x));
        failed(CP_ERROR_VALUE);
        cp_array *slow = cp_float(0.9);
        ok(!cp_symiirorder1(x, c0, slow)); /* the sum does not end within 8 elements */
        failed_with(CP_ERROR_VALUE, "symiirorder1: Sum to find symmetric boundary conditions did not converge.");
        ok(!cp_symiirorder2(x, -1, 0.5));
        failed(CP_ERROR_VALUE);
        ok(!cp_symiirorder2(one, 0.1, 0.5));
        failed(CP_ERROR_VALUE);
        cp_free(x), cp_free(z), cp_free(c0), cp_free(z1), cp_free(pole), cp_free(far), cp_free(one), cp_free(slow);
    }
}

static void splines(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = first(N), *some = first(10), *c = doubles(1, 3, -2, 5), *m = cp_reshape(x, CP_SHAPE(4, 6));
        cp_array *at = doubles(-0.5, 0.25, 1.5, 2.75, 3.5, 7.1), *half = doubles(2, 2.5, 3.25), *none = doubles(NAN, 1);
        same_as(cp_cspline1d(x), -0.21148524293960835, 1.0574262146980429, 2.2470865075735826, 0.666926134938389,
                0.8644651525661052, 0.8851421557326221, -1.1097331416343115, -0.47566422367690486, 0.7176743605959353,
                -0.1826330459407648, 1.9137412260732227, 0.6695877339606138, 1.3369172413463253, 1.510336749183777,
                -0.6636740639853178, -0.45451526875406756, 0.20356057917156728, -0.8347934228401056,
                0.6267904387666461, 2.1293699511003434, 0.873148330011589, 2.1216808630225246, -0.08539079524407726,
                0.03859245842800849);
        same_as(cp_cspline1d(some, .lamb = 1), 0.3958467413277027, 0.7966773760944331, 1.1907755929316142,
                1.1165409859058242, 0.7851027567843157, 0.2971257584266782, -0.17074996806322176, -0.1931435796757716,
                0.08025294310205032, 0.26114023110297624);
        same_as(cp_qspline1d(x), -0.1532871957735678, 1.0730103704149756, 2.068966471185235, 0.7967886423812839,
                0.8559766077180475, 0.747256912557667, -0.9457839045810126, -0.44515966438028765, 0.5571209898680816,
                0.052300622193221735, 1.663586480847386, 0.8220732824727652, 1.3093196953320199, 1.3587998102413597,
                -0.5093316579853691, -0.4346428963445558, 0.07962295627934596, -0.6765166745420594,
                0.6343801930767368, 1.9392198938507295, 1.086858541391684, 1.8644877033581233, 0.09218988760303908,
                0.007319824989273483);
        same_as(cp_cspline1d_eval(c, at), 1.8958333333333333, 1.6223958333333333, 0.6041666666666666, 2.7890625,
                1.6041666666666665, 1.6515);
        same_as(cp_qspline1d_eval(c, at), 2, 1.5625, 0.5, 3.03125, 1.5, 1.94);
        same_as(cp_cspline1d_eval(c, half, .dx = 0.5, .x0 = 2), 1.3333333333333333, 1.8333333333333333,
                1.6041666666666665);
        cp_array *missing = cp_cspline1d_eval(c, none);
        values(missing, NAN, 3 * 2 / 3.0 + (1 - 2) / 6.0);
        cp_free(missing);
        cp_array *places = doubles(0, 0.5, -1.5);
        same_as(cp_gauss_spline(places, 3), 0.690988298942671, 0.4749088496333091, 0.02364431936519717);
        cp_array *row = doubles(1, 2, 3), *column = doubles(0.5, 1, 0.25), *even = doubles(1, 2);
        same_as(cp_sepfir2d(m, row, column), -0.5648936282990219, 3.6369067903989274, 9.536913753856938,
                11.695602334809053, 8.71231803209483, 8.708500708142255, 0.21676939851253174, 1.425329255610022,
                3.045933793237692, 4.307250186000063, 5.071998500682491, 7.327645927554554, 8.875852533268835,
                8.398097535496927, 6.98920717985045, 2.769414027725286, 2.0782688276053296, 0.748492009624333,
                9.104550723151117, 11.22980261255513, 14.31466651082685, 10.490149469961668, 7.463213721990638,
                1.0717250969863776);
        /* of a constant image the coefficients are the constant */
        cp_array *five = cp_float(5), *constant = cp_full(CP_SHAPE(40, 41), CP_FLOAT64, five);
        cp_array *smooth[] = {cp_cspline2d(constant), cp_cspline2d(constant, .lamb = 1),
                              cp_qspline2d(constant, .precision = 1e-10)};
        for (int i = 0; i < 3; i++) {
            double got[40 * 41];
            ok(smooth[i] && cp_to_host(smooth[i], got, sizeof got) == CP_OK);
            for (int k = 0; k < 40 * 41; k++) ok(fabs(got[k] - 5) < (i == 1 ? 1e-4 : 1e-9));
            cp_free(smooth[i]);
        }
        ok(!cp_cspline1d(some, .lamb = 1e-3));
        failed(CP_ERROR_VALUE);
        ok(!cp_cspline1d(some, .lamb = 0.01));
        failed_with(CP_ERROR_VALUE, "cspline1d: of lamb 0.01 the filter is not stable");
        ok(!cp_qspline1d(some, .lamb = 1));
        failed(CP_ERROR_VALUE);
        ok(!cp_qspline2d(m, .lamb = 1));
        failed(CP_ERROR_VALUE);
        ok(!cp_cspline2d(x));
        failed(CP_ERROR_VALUE);
        ok(!cp_cspline2d(m, .precision = 1e-9)); /* the sum does not end within 6 elements */
        failed(CP_ERROR_VALUE);
        ok(!cp_cspline1d_eval(m, at));
        failed(CP_ERROR_VALUE);
        ok(!cp_sepfir2d(m, row, even));
        failed(CP_ERROR_VALUE);
        cp_array *const all[] = {x, some, c, m, at, half, none, places, row, column, even, constant, five};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) cp_free(all[i]);
    }
}

static void extrema(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(3, 1, 2, 5, 4, 4, 0, 6), *m = cp_reshape(x, CP_SHAPE(2, 4)), *none = doubles(0);
        same_as(cp_argrelmax(x), 3);
        same_as(cp_argrelmin(x), 1, 6);
        same_as(cp_argrelmax(x, .mode = CP_BEYOND_WRAP), 3, 7);
        same_as(cp_argrelmin(x, .order = 2), 1, 6);
        same(cp_argrelmax(x, .order = INT64_MAX, .mode = CP_BEYOND_WRAP), 0, NULL); /* nothing is above itself */
        same_as(cp_argrelextrema(x, CP_COMPARISON_GREATER_EQUAL), 0, 3, 5, 7);
        same_as(cp_argrelextrema(m, CP_COMPARISON_LESS, .axis = 1), 0, 1, 1, 2); /* rows, then columns */
        same_as(cp_argrelextrema(x, CP_COMPARISON_NOT_EQUAL), 1, 2, 3, 6);
        cp_array *empty = cp_slice(none, 1, &CP_RANGE(0, 0));
        same(cp_argrelmax(empty), 0, NULL);
        ok(!cp_argrelmax(x, .order = -1));
        failed(CP_ERROR_VALUE);
        ok(!cp_argrelmax(x, .axis = 1));
        failed(CP_ERROR_AXIS);
        ok(!cp_argrelextrema(x, (cp_comparison)9));
        failed(CP_ERROR_VALUE);
        cp_free(x), cp_free(m), cp_free(none), cp_free(empty);
    }
}

static void envelopes(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = first(N), *z = both(N);
        same_as(cp_envelope(x, 2, 6), 0.8152410629618314, 0.8226232044269415, 0.8452362561931629, 0.8673398201039055,
                0.8778989381073408, 0.8749150701845294, 0.864920885083066, 0.8587838488789078, 0.8651281726384704,
                0.8849107779275442, 0.9114590064480556, 0.9357105719113936, 0.9520030182042937, 0.9608056734458104,
                0.9675608822500766, 0.9784062821503765, 0.9951022276897469, 1.0126641569218415, 1.021524742154869,
                1.0125030844467044, 0.9815719683038568, 0.9326866420803609, 0.8779727582210612, 0.834271733046072);
        same_as(cp_envelope(x, 2, 6, .n_out = 12, .residual = CP_ENVELOPE_RESIDUAL_ALL), 0.8152410629618314,
                0.8452362561931629, 0.8778989381073408, 0.864920885083066, 0.8651281726384704, 0.9114590064480556,
                0.9520030182042937, 0.9675608822500767, 0.9951022276897469, 1.021524742154869, 0.9815719683038568,
                0.8779727582210612, 0.7974333362869923, 0.6650807253692287, 0.6734938168070865, 0.4916077248726057,
                0.49696928568542004, 0.359331268684229, 0.4443842740436593, 0.4005278129924753, 0.5683237935235651,
                0.5740008134890984, 0.7448483246452315, 0.7062772696774751);
        same_as(cp_envelope(z, -5, -1, .n_out = 9, .squared = true), 1.1004940632840263, 0.40467899258412576,
                0.038806662770717926, 0.013462580497141207, 0.02032756253768638, 0.0872015933813599,
                0.21599041195977714, 0.6431021916272293, 1.2201207173201674);
        ok(!cp_envelope(x, 3, 2));
        failed(CP_ERROR_VALUE);
        ok(!cp_envelope(x, 1, INT64_MAX, .n_out = -1));
        failed(CP_ERROR_VALUE);
        ok(!cp_envelope(x, 1, INT64_MAX, .axis = CP_AXES(1)));
        failed(CP_ERROR_AXIS);
        cp_free(x), cp_free(z);
    }
}

static void others(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = first(N), *y = second(N), *w = cp_ones(CP_SHAPE(8), CP_FLOAT64), *strength, *phase;
        same_as(cp_coherence(x, y, w, .step = 4), 0.36374720435417995, 0.018105255906150187, 0.015982236737772035,
                0.006273292447325596, 0.3807219190990547);
        ok(!cp_coherence(x, y, x, .step = -1));
        failed(CP_ERROR_VALUE);
        cp_array *periods = doubles(1, 2.5), *period = cp_float(1), *wrong = doubles(1, 0);
        ok(cp_vectorstrength(x, periods, &strength, &phase) == CP_OK);
        same_as(strength, 0.0456585428467122, 0.03287906696435566);
        same_as(phase, -2.78793742972049, -3.102122865271449);
        ok(cp_vectorstrength(x, period, &strength, &phase) == CP_OK && cp_ndim(strength) == 0);
        same_as(strength, 0.0456585428467122);
        cp_free(phase);
        ok(cp_vectorstrength(x, wrong, &strength, &phase) != CP_OK && !strength && !phase);
        failed(CP_ERROR_VALUE);
        same_as(cp_correlation_lags(3, 2), -1, 0, 1, 2);
        same_as(cp_correlation_lags(4, 10, .mode = CP_MODE_SAME), -5, -4, -3, -2);
        same_as(cp_correlation_lags(4, 6, .mode = CP_MODE_VALID), -2, -1, 0);
        ok(!cp_correlation_lags(-1, 2));
        failed(CP_ERROR_VALUE);
        cp_array *hann = doubles(0, 0.25, 0.75, 1, 0.75, 0.25);
        assert_int_equal(cp_check_COLA(w, 4, 1e-10), 1);
        assert_int_equal(cp_check_COLA(w, 5, 1e-10), 0);
        assert_int_equal(cp_check_NOLA(hann, 0, 1e-10), 0);
        assert_int_equal(cp_check_NOLA(hann, 3, 1e-10), 1);
        assert_int_equal(cp_check_COLA(w, 8, 1e-10), -1);
        failed(CP_ERROR_VALUE);
        assert_int_equal(cp_check_NOLA(w, -1, 1e-10), -1);
        failed(CP_ERROR_VALUE);
        same_as(cp_czt_points(4), 1, 0, 0, 1, -1, 0, 0, -1);
        cp_array *ratio = cp_float(0.5), *start = cp_float(2), *turn = cp_complex(0, 1);
        same_as(cp_czt_points(3, .w = ratio, .a = start), 2, 4, 8);
        same_as(cp_czt_points(3, .w = turn), 1, 0, 0, -1, -1, 0);
        ok(!cp_czt_points(0));
        failed(CP_ERROR_VALUE);
        same_as(cp_unit_impulse(CP_SHAPE(2, 3), .idx = CP_SHAPE(1, -2)), 0, 0, 0, 0, 1, 0);
        same_as(cp_unit_impulse(CP_SHAPE(3)), 1, 0, 0);
        ok(!cp_unit_impulse(CP_SHAPE(3), .idx = CP_SHAPE(3)));
        failed(CP_ERROR_INDEX);
        cp_array *large = cp_zeros(CP_SHAPE(200000), CP_FLOAT64), *booleans = cp_zeros(CP_SHAPE(200000), CP_BOOL);
        assert_int_equal(cp_choose_conv_method(large, large, CP_MODE_FULL), 1);
        assert_int_equal(cp_choose_conv_method(large, x, CP_MODE_FULL), 0);
        assert_int_equal(cp_choose_conv_method(large, booleans, CP_MODE_FULL), 0);
        assert_int_equal(cp_choose_conv_method(large, NULL, CP_MODE_FULL), -1);
        failed(CP_ERROR_VALUE);
        cp_array *const all[] = {x, y, w, periods, period, wrong, hann, ratio, start, turn, large, booleans};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) cp_free(all[i]);
    }
}

static cp_array *line, *few, *image;

static bool of_recurrences(void)
{
    cp_array *r[] = {NULL, cp_symiirorder2(image, 0.2, 0.7, .precision = 0.02), cp_cspline1d(line),
                     cp_cspline1d(line, .lamb = 1), cp_qspline2d(image, .precision = 0.1), cp_sepfir2d(image, few, few),
                     cp_cspline1d_eval(few, line), cp_gauss_spline(line, 3)};
    for (CP_SCOPE) r[0] = cp_keep(cp_symiirorder1(line, cp_float(1), cp_float(0.1)));
    return check_all_made(sizeof r / sizeof *r, r);
}
static bool of_states(void)
{
    cp_array *r[] = {cp_lfilter_zi(few, few), cp_lfiltic(few, few, line, .x = line), NULL, NULL, NULL, NULL};
    const bool divided = cp_deconvolve(line, few, &r[2], &r[3]) == CP_OK;
    const bool measured = divided && cp_vectorstrength(line, few, &r[4], &r[5]) == CP_OK;
    return check_all_made(sizeof r / sizeof *r, r) && measured;
}
static bool of_others(void)
{
    cp_array *r[] = {cp_argrelmax(image, .order = 2), cp_envelope(line, 1, 5, .residual = CP_ENVELOPE_RESIDUAL_LOWPASS),
                     cp_coherence(line, line, few, .trend = CP_TREND_CONSTANT), cp_czt_points(5),
                     cp_unit_impulse(CP_SHAPE(4))};
    const bool chosen = cp_choose_conv_method(line, few, CP_MODE_FULL) >= 0 && cp_check_COLA(few, 1, 1e-10) >= 0;
    return check_all_made(sizeof r / sizeof *r, r) && chosen;
}

static void failing_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        line = first(N), few = doubles(1, 0.25, 0.5), image = cp_reshape(line, CP_SHAPE(4, 6));
        every_allocation_fails(of_recurrences);
        every_allocation_fails(of_states);
        every_allocation_fails(of_others);
        cp_free(line), cp_free(few), cp_free(image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states),    cmocka_unit_test(recurrences), cmocka_unit_test(splines),
        cmocka_unit_test(extrema),   cmocka_unit_test(envelopes),   cmocka_unit_test(others),
        cmocka_unit_test(failing_allocations),
    };
    return check_run(tests);
}
