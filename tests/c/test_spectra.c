/* Spectra, convolutions by transforms, smoothing: values by their definitions, errors, every allocation failing. */
#include "check.h"
#include "cuprite/spectra.h"

#include <complex.h>

static const double PI = 3.14159265358979323846264338327950288;
enum { N = 48 };

static double sample(int i) { return sin(0.7 * i) + 0.1 * ((i * 37) % 11); }
static cp_array *line(int n)
{
    double v[4 * N];
    for (int i = 0; i < n; i++) v[i] = sample(i);
    return cp_from_host(v, CP_FLOAT64, CP_SHAPE(n), NULL);
}
static cp_array *ones(int64_t n) { return cp_ones(CP_SHAPE(n), CP_FLOAT64); }

/* Whether the elements are these; frees the array. */
static void near(cp_array *r, int n, const double *want)
{
    double got[8 * N];
    ok(r && cp_size(r) * (cp_type_kind(cp_type_of(r)) == 'c' ? 2 : 1) == n);
    cp_array *dense = r ? cp_contiguous(r) : NULL;
    ok(dense && cp_to_host(dense, got, sizeof(double) * (size_t)n) == CP_OK);
    for (int i = 0; i < n; i++) ok(fabs(got[i] - want[i]) < 1e-11);
    cp_free(dense);
    cp_free(r);
}

static void convolutions(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        double want[4 * N] = {0};
        for (int i = 0; i < 4 * N - 4; i++)
            for (int k = 0; k < 5; k++)
                if (i - k >= 0 && i - k < 4 * N - 8) want[i] += sample(i - k) * sample(k);
        cp_array *x = line(4 * N - 8), *h = line(5);
        near(cp_fftconvolve(x, h), 4 * N - 4, want);
        near(cp_oaconvolve(x, h), 4 * N - 4, want);
        near(cp_oaconvolve(x, h, .mode = CP_MODE_VALID), 4 * N - 12, want + 4);
        near(cp_fftconvolve(x, h, .mode = CP_MODE_SAME, .axes = CP_AXES(0)), 4 * N - 8, want + 2);
        ok(!cp_fftconvolve(x, h, .axes = CP_AXES(1)));
        failed(CP_ERROR_VALUE);
        ok(!cp_fftconvolve(x, NULL));
        failed(CP_ERROR_VALUE);
        cp_free(x), cp_free(h);
    }
}

static void segments(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        double complex z[5][5]; /* [frequency][segment]: 8 samples, 10 apart */
        double power[25], welch[5], parts[50];
        for (int f = 0; f < 5; f++) {
            welch[f] = 0;
            for (int s = 0; s < 5; s++) {
                z[f][s] = 0;
                for (int i = 0; i < 8; i++) z[f][s] += sample(10 * s + i) * cexp(-2 * I * PI * f * i / 8);
                power[5 * f + s] = creal(z[f][s] * conj(z[f][s])) / 8 * (f % 4 ? 2 : 1);
                parts[2 * (5 * f + s)] = creal(z[f][s]) / 8, parts[2 * (5 * f + s) + 1] = cimag(z[f][s]) / 8;
                welch[f] += power[5 * f + s] / 5;
            }
        }
        cp_array *x = line(N), *w = ones(8);
        near(cp_stft(x, w, .step = 10, .scaling = CP_SPECTRUM_SCALING_SPECTRUM), 50, parts);
        near(cp_spectrogram(x, w, .step = 10), 25, power);
        near(cp_welch(x, w, .step = 10), 5, welch);
        cp_array *c = cp_csd(x, x, w, .step = 10);
        near(cp_copy(cp_real_part(c)), 5, welch);
        for (int f = 0; f < 5; f++) welch[f] /= 3;
        near(cp_welch(x, w, .step = 10, .fs = 3), 5, welch);
        cp_array *s = cp_stft(x, w, .step = 4), *back = cp_istft(s, w, .step = 4);
        double want[N];
        for (int i = 0; i < N; i++) want[i] = sample(i);
        near(back, N, want);
        ok(!cp_stft(x, w, .step = -1));
        failed(CP_ERROR_VALUE);
        ok(!cp_welch(x, w, .nfft = 4));
        failed(CP_ERROR_VALUE);
        ok(!cp_periodogram(x, .window = w, .axis = CP_AXES(3)));
        failed(CP_ERROR_AXIS);
        cp_free(x), cp_free(w), cp_free(c), cp_free(s);
    }
}

static void lines(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = cp_arange(0, 12, 1, CP_FLOAT64), *zeros = cp_zeros(CP_SHAPE(12), CP_FLOAT64);
        double none[12] = {0}, ramp[12], slope[12];
        for (int i = 0; i < 12; i++) ramp[i] = 3.0 * i, slope[i] = 3;
        cp_array *scaled = cp_multiply(x, cp_float(3));
        near(cp_detrend(scaled), 12, none);
        near(cp_savgol_filter(scaled, 5, 2), 12, ramp);
        near(cp_savgol_filter(scaled, 5, 1, .deriv = 1), 12, slope);
        near(cp_medfilt(scaled, .kernel_size = CP_SHAPE(99)), 12, none);
        cp_array *noise = cp_float(1);
        near(cp_wiener(zeros, .noise = noise), 12, none);
        cp_free(noise);
        cp_array *b = doubles(0.5, 0.5), *a = doubles(1, 0), *sos = doubles(0.5, 0.5, 0, 1, 0, 0);
        cp_array *sections = cp_reshape(sos, CP_SHAPE(1, 6));
        near(cp_filtfilt(b, a, scaled), 12, ramp); /* a line stays one where its ends are continued oddly */
        near(cp_sosfiltfilt(sections, scaled), 12, ramp);
        ok(!cp_filtfilt(b, a, scaled, .padlen = 12));
        failed(CP_ERROR_VALUE);
        ok(!cp_sosfiltfilt(sos, scaled));
        failed(CP_ERROR_VALUE);
        cp_free(b), cp_free(a), cp_free(sos), cp_free(sections);
        double tone[16], both[32];
        for (int i = 0; i < 16; i++) {
            tone[i] = cos(2 * PI * i / 8);
            both[2 * i] = tone[i], both[2 * i + 1] = sin(2 * PI * i / 8);
        }
        cp_array *t = cp_from_host(tone, CP_FLOAT64, CP_SHAPE(16), NULL);
        near(cp_analytic_signal(t), 32, both);
        double half[8];
        for (int i = 0; i < 8; i++) half[i] = tone[2 * i];
        near(cp_resample(t, 8), 8, half);
        near(cp_zoom_fft(t, 0.125, 0.375, .m = 2, .fs = 2), 4, (double[]){0, 0, 8, 0}); /* bins 1 and 2 */
            ok(!cp_resample(t, 0));
        failed(CP_ERROR_VALUE);
        ok(!cp_savgol_filter(t, 3, 3));
        failed(CP_ERROR_VALUE);
        ok(!cp_medfilt(t, .kernel_size = CP_SHAPE(2)));
        failed(CP_ERROR_VALUE);
        ok(!cp_czt(t, .m = -1));
        failed(CP_ERROR_VALUE);
        cp_free(x), cp_free(zeros), cp_free(scaled), cp_free(t);
    }
}

static cp_array *x, *w, *m;

static bool by_transforms(void)
{
    cp_array *r[] = {cp_fftconvolve(x, w), cp_oaconvolve(x, w), cp_fftconvolve(m, m, .mode = CP_MODE_SAME),
                     cp_analytic_signal(x), cp_hilbert2(m), cp_resample(x, 9), cp_czt(x, .m = 3)};
    return check_all_made(sizeof r / sizeof *r, r);
}
static bool of_segments(void)
{
    cp_array *r[] = {cp_stft(x, w), cp_welch(x, w, .median = true), cp_csd(x, w, w, .trend = CP_TREND_CONSTANT),
                     cp_spectrogram(x, w, .trend = CP_TREND_LINEAR), cp_periodogram(x), cp_istft(m, w)};
    return check_all_made(sizeof r / sizeof *r, r);
}
static bool of_lines(void)
{
    cp_array *r[] = {cp_detrend(m, .bp = w), cp_lombscargle(x, x, w), cp_savgol_filter(x, 5, 2), cp_medfilt(m),
                     cp_wiener(m), cp_order_filter(x, w, 3), cp_filtfilt(w, w, x)};
    return check_all_made(sizeof r / sizeof *r, r);
}

static void failing_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        x = line(N), w = ones(7);
        m = x ? cp_reshape(x, CP_SHAPE(4, 12)) : NULL;
        every_allocation_fails(by_transforms);
        every_allocation_fails(of_segments);
        every_allocation_fails(of_lines);
        cp_free(x), cp_free(w), cp_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions), cmocka_unit_test(segments), cmocka_unit_test(lines),
        cmocka_unit_test(failing_allocations),
    };
    return check_run(tests);
}
