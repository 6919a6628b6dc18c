/* The spectrum of a sound: two notes and noise, their transform, and the tones that stand out, drawn as bars.
 *
 *     cc spectrum.c $(pkg-config --cflags --libs cuprite) -o spectrum
 *     ./spectrum [cpu|cuda:0]
 *
 * The transform of real numbers has n / 2 + 1 elements; cp_rfftfreq gives their frequencies. */
#include <cuprite.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 1 << 16, BANDS = 24, WIDE = 60 };
static const double RATE = 44100, LENGTH = SAMPLES;

/* amplitude * sin(2 pi frequency t) */
static cp_array *tone(cp_array *t, double frequency, double amplitude)
{
    return cp_multiply(cp_sin(cp_multiply(t, cp_float(6.283185307179586 * frequency))), cp_float(amplitude));
}

/* Noise from integers, without a generator: multiples of the golden ratio modulo 1. */
static cp_array *noise(cp_array *index)
{
    cp_array *x = cp_multiply(cp_multiply(index, index), cp_float(0.6180339887498949));
    return cp_subtract(cp_subtract(x, cp_floor(x)), cp_float(0.5));
}

/* Magnitudes in bands of equal width on the logarithm of the frequency, in decibels. */
static cp_code draw(cp_array *magnitude, cp_array *frequency)
{
    const double low = 100, high = 10000, bands = BANDS;
    for (int i = 0; i < BANDS; i++) {
        double from = low * pow(high / low, i / bands), to = low * pow(high / low, (i + 1) / bands);
        cp_array *above = cp_greater_equal(frequency, cp_float(from)), *below = cp_less(frequency, cp_float(to));
        cp_array *inside = cp_logical_and(above, below);
        cp_array *loudest = cp_max(cp_multiply(magnitude, inside));
        double level = 20 * log10(cp_item_float(loudest) + 1e-12);
        int bar = (int)((level + 60) / 60 * (double)WIDE);
        if (cp_error() != CP_OK) return cp_error();
        printf("%6.0f Hz %7.1f dB  ", from, level);
        for (int k = 0; k < bar; k++) putchar('#');
        putchar('\n');
    }
    return CP_OK;
}

int main(int argc, char **argv)
{
    int device;
    if (argc > 1 && (cp_device_parse(argv[1], &device) != CP_OK || cp_device_use(device) != CP_OK)) {
        fprintf(stderr, "%s\n", cp_error_message());
        return 1;
    }
    for (CP_SCOPE) {
        cp_array *index = cp_arange_int(0, SAMPLES, 1, CP_FLOAT64), *t = cp_divide(index, cp_float(RATE));
        cp_array *notes = cp_add(tone(t, 440, 1), tone(t, 659.26, 0.5));
        cp_array *sound = cp_add(notes, cp_multiply(noise(index), cp_float(0.2)));
        /* a window keeps a tone's energy from leaking into its neighbours' bands */
        cp_array *angle = cp_multiply(index, cp_float(6.283185307179586 / LENGTH));
        cp_array *window = cp_subtract(cp_float(0.5), cp_multiply(cp_cos(angle), cp_float(0.5)));
        cp_array *spectrum = cp_rfft(cp_multiply(sound, window), .norm = CP_FFT_NORM_FORWARD);
        cp_array *magnitude = cp_multiply(cp_absolute(spectrum), cp_float(4)), *f = cp_rfftfreq(SAMPLES, 1.0 / RATE);
        cp_array *best = cp_argmax(magnitude);
        printf("%d samples, the loudest at %.1f Hz\n\n", SAMPLES, (double)cp_item_int(best) * RATE / LENGTH);
        draw(magnitude, f);
    }
    if (cp_error() != CP_OK) fprintf(stderr, "%s\n", cp_error_message());
    return cp_error() != CP_OK;
}
