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
        cp_array *real = cp_real_part(c);
        near(cp_copy(real), 5, welch);
        cp_free(real);
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
        cp_array *three = cp_float(3), *scaled = cp_multiply(x, three);
        cp_free(three);
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

static void waves(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        enum { M = 40 };
        double sweep[M], turned[2 * M], pulse[M], saw[M], square[M], poly[M];
        for (int i = 0; i < M; i++) {
            const double part = fmod((i + 0.5) / 10, 1), phase = 2 * PI * (0.01 * i + 0.5 * 0.002 * i * i) + PI / 6;
            sweep[i] = cos(phase);
            turned[2 * i] = cos(phase), turned[2 * i + 1] = sin(phase);
            pulse[i] = exp(-pow(PI * 0.1 * 0.5 * i, 2) / (4 * 0.3 * log(10))) * cos(2 * PI * 0.1 * i);
            saw[i] = part < 0.25 ? 8 * part - 1 : (1.25 - 2 * part) / 0.75;
            square[i] = part < 0.25 ? 1 : -1;
            poly[i] = cos(2 * PI * (0.01 * i * i + 0.03 * i));
        }
        cp_array *t = cp_arange_int(0, M, 1, CP_INT64), *turns = NULL, *part = cp_float(0.25);
        cp_array *line_of = cp_from_host((double[]){0.02, 0.03}, CP_FLOAT64, CP_SHAPE(2), NULL);
        for (CP_SCOPE) turns = cp_keep(cp_multiply(cp_add(t, cp_float(0.5)), cp_float(0.2 * PI)));
        near(cp_chirp(t, 0.01, 10, 0.03, .phi = 30), M, sweep);
        near(cp_chirp(t, 0.01, 10, 0.03, .phi = 30, .analytic = true), 2 * M, turned);
        near(cp_gausspulse(t, 0.1, 0.5, -6), M, pulse);
        near(cp_sawtooth(turns, part), M, saw);
        near(cp_square_wave(turns, part), M, square);
        near(cp_sweep_poly(t, line_of), M, poly);
        ok(!cp_chirp(t, 1, 2, -1, .method = CP_SWEEP_LOGARITHMIC));
        failed(CP_ERROR_VALUE);
        ok(!cp_chirp(t, 0, 2, 1, .method = CP_SWEEP_HYPERBOLIC));
        failed(CP_ERROR_VALUE);
        ok(!cp_gausspulse(t, 1, 0, -6));
        failed(CP_ERROR_VALUE);
        ok(!cp_sweep_poly(t, part));
        failed(CP_ERROR_VALUE);
        ok(!cp_sawtooth(t, NULL));
        failed(CP_ERROR_VALUE);
        cp_free(t), cp_free(turns), cp_free(part), cp_free(line_of);
    }
}

static void rates(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        double want[N] = {0}, level[N / 4];
        for (int i = 0; i < N * 3 / 4; i++) /* 3 / 2 of 24 samples through 1 2 1, 3 times */
            for (int k = 0; k < 3; k++) {
                const int at = 2 * i + 1 - k;
                if (at >= 0 && at % 3 == 0 && at / 3 < N / 2) want[i] += 3 * sample(at / 3) * (k == 1 ? 2 : 1);
            }
        for (int i = 0; i < N / 4; i++) level[i] = 1;
        cp_array *signal = line(N / 2), *steady = ones(4 * N), *part;
        cp_array *h = cp_from_host((double[]){1, 2, 1}, CP_FLOAT64, CP_SHAPE(3), NULL);
        near(cp_resample_poly(signal, 3, 2, .window = h), N * 3 / 4, want);
        near(cp_resample_poly(signal, 6, 4, .window = h, .axis = CP_AXES(0)), N * 3 / 4, want);
        for (int i = 0; i < N / 4; i++)
            want[i] = (i ? sample(2 * i - 1) : 0) + 2 * sample(2 * i) + sample(2 * i + 1);
        near(cp_resample_poly(signal, 1, 2, .window = h), N / 4, want);
        part = cp_decimate(steady, 4, .n = 6); /* away from the ends a constant stays */
        near(cp_slice(part, CP_ITEMS(CP_RANGE(N / 4, N / 2))), N / 4, level);
        ok(!cp_resample_poly(signal, 0, 2));
        failed(CP_ERROR_VALUE);
        ok(!cp_resample_poly(signal, INT64_MAX - 1, 2));
        failed(CP_ERROR_VALUE);
        ok(!cp_resample_poly(signal, 3, 2, .axis = CP_AXES(1)));
        failed(CP_ERROR_AXIS);
        ok(!cp_decimate(signal, 4, .n = -1));
        failed(CP_ERROR_VALUE);
        ok(!cp_decimate(signal, 0));
        failed(CP_ERROR_VALUE);
        cp_free(signal), cp_free(steady), cp_free(part), cp_free(h);
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

static bool of_times(void)
{
    cp_array *r[] = {cp_chirp(x, 1, 2, 3), cp_gausspulse(x, 1, 1, -6), cp_sawtooth(x, x), cp_square_wave(x, x),
                     cp_sweep_poly(x, w), cp_resample_poly(m, 3, 2), cp_resample_poly(m, 2, 3, .window = w),
                     cp_decimate(x, 2), cp_decimate(x, 2, .shift = true)};
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
        every_allocation_fails(of_times);
        cp_free(x), cp_free(w), cp_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions), cmocka_unit_test(segments), cmocka_unit_test(lines),
        cmocka_unit_test(waves), cmocka_unit_test(rates),
        cmocka_unit_test(failing_allocations),
    };
    return check_run(tests);
}
