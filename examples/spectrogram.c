/* The spectrogram of a sound that rises, of a drum that beats, and of noise: transforms of segments that overlap, drawn
 * as a picture, time to the right and frequency upwards. What is too low to be heard is filtered out first.
 *
 *     cc spectrogram.c $(pkg-config --cflags --libs cuprite) -lm -o spectrogram
 *     ./spectrogram [RESULT.png [DEVICE]] */
#include <cuprite.h>
#include <math.h>
#include <stdio.h>

enum { RATE = 22050, SAMPLES = 4 * RATE, SEGMENT = 512, STEP = 128 };
static const double TURN = 6.283185307179586, PER_SECOND = RATE;

/* A tone from 500 to 8000 Hz, a hum of 50 Hz, a click eight times a second, noise. */
static cp_array *sound(void)
{
    cp_rng *rng = cp_rng_new(1);
    cp_array *t = cp_divide(cp_arange(0, SAMPLES, 1, CP_FLOAT64), cp_float(RATE));
    cp_array *turns = cp_add(cp_multiply(t, cp_float(500)), cp_multiply(cp_square(t), cp_float(7500 / 8.0)));
    cp_array *rising = cp_sin(cp_multiply(turns, cp_float(TURN)));
    cp_array *hum = cp_multiply(cp_sin(cp_multiply(t, cp_float(50 * TURN))), cp_float(5));
    cp_array *beat = cp_exp(cp_multiply(cp_remainder(t, cp_float(0.125)), cp_float(-800)));
    cp_array *noise = cp_rng_normal(rng, cp_float(0), cp_float(0.05), .shape = CP_SHAPE(SAMPLES));
    cp_rng_free(rng);
    return cp_add(cp_add(rising, hum), cp_add(cp_multiply(beat, cp_float(3)), noise));
}

/* Above 200 Hz: two sections of second order, a Butterworth filter of order 4. */
static cp_array *without_hum(cp_array *x)
{
    const double w = tan(TURN / 2 * 200 / PER_SECOND);
    double sections[2][6];
    for (int i = 0; i < 2; i++) {
        const double q = 2 * cos(TURN / 2 * (2 * i + 1) / 8), norm = 1 + q * w + w * w;
        const double section[6] = {1, -2, 1, norm, 2 * (w * w - 1), 1 - q * w + w * w};
        for (int k = 0; k < 6; k++) sections[i][k] = section[k] / norm;
    }
    return cp_sosfilt(cp_from_host(sections, CP_FLOAT64, CP_SHAPE(2, 6), NULL), x);
}

/* Powers of the segments' transforms: frequencies downwards, times to the right. */
static cp_array *spectra(cp_array *x)
{
    const int64_t count = (SAMPLES - SEGMENT) / STEP + 1;
    const int64_t strides[2] = {8 * STEP, 8};
    cp_array *segments = cp_as_strided(x, CP_SHAPE(count, SEGMENT), 2, strides);
    cp_array *transforms = cp_rfft(cp_multiply(segments, cp_window_hann(SEGMENT, false)));
    return cp_transpose(cp_square(cp_absolute(transforms)), CP_ALL);
}

/* Decibels below the highest as greys, 60 of them; high frequencies on top. */
static cp_array *picture(cp_array *power)
{
    cp_array *level = cp_multiply(cp_log10(cp_add(cp_divide(power, cp_max(power)), cp_float(1e-9))), cp_float(10));
    cp_array *grey = cp_multiply(cp_add(level, cp_float(60)), cp_float(255.0 / 60));
    return cp_astype(cp_flip(cp_clip(grey, cp_float(0), cp_float(255)), CP_AXES(0)), CP_UINT8);
}

int main(int argc, char **argv)
{
    const char *out = argc > 1 ? argv[1] : "spectrogram.png";
    int device;
    if (argc > 2 && (cp_device_parse(argv[2], &device) != CP_OK || cp_device_use(device) != CP_OK)) {
        fprintf(stderr, "%s\n", cp_error_message());
        return 1;
    }
    for (CP_SCOPE) {
        cp_array *power = spectra(without_hum(sound())), *loudest = cp_argmax(power, .axis = CP_AXES(0));
        const int64_t last = cp_dim(power, 1) - 1;
        const double step = PER_SECOND / (double)SEGMENT;
        double f[2];
        for (int i = 0; i < 2; i++) /* the first and the last segment's loudest tone */
            f[i] = (double)cp_item_int(cp_slice(loudest, CP_ITEMS(CP_AT(i ? last : 0)))) * step;
        if (cp_png_write(out, picture(power)) == CP_OK)
            printf("%lld segments, the loudest tone from %.0f Hz to %.0f Hz: %s\n", (long long)last + 1, f[0], f[1],
                   out);
    }
    if (cp_error() != CP_OK) fprintf(stderr, "%s\n", cp_error_message());
    return cp_error() != CP_OK;
}
