/* Windows for spectra: Bartlett, Blackman, Hamming, Hann and Kaiser, as NumPy has them.
 *
 * M may be any number, as in NumPy: the samples lie at 1 - M, 3 - M, ... below M, and below 1 there are none. */
#include "compose/compose.h"

#include <math.h>

#define PI 3.14159265358979323846

/* A call without an operand that determines the device. *done: the result where no formula is needed, empty or a
 * single 1. */
static bool begin_window(cpi_composite *f, double M, cp_array **done)
{
    if (!cpi_begin_alone(f)) return false;
    *done = M < 1 ? cp_empty(CP_SHAPE(0), CP_FLOAT64) : M == 1 ? cp_ones(CP_SHAPE(1), CP_FLOAT64) : NULL;
    return true;
}

/* 1 - M, 3 - M, ... */
static cp_array *indices(double M) { return cp_arange(1 - M, M, 2, CP_FLOAT64); }

/* cos(k pi n / (M - 1)) at the indices n. */
static cp_array *wave(double M, double k)
{
    return cp_cos(cp_divide(cp_multiply(indices(M), cp_float(k * PI)), cp_float(M - 1)));
}

/* a + b cos(pi n / (M - 1)) + c cos(2 pi n / (M - 1)). */
static cp_array *cosines(double M, double a, double b, double c)
{
    cpi_composite f;
    cp_array *r;
    if (!begin_window(&f, M, &r)) return NULL;
    if (M <= 1) return cpi_end(&f, r);
    r = cp_add(cp_float(a), cp_multiply(cp_float(b), wave(M, 1)));
    return cpi_end(&f, c == 0 ? r : cp_add(r, cp_multiply(cp_float(c), wave(M, 2))));
}

/*: function("bartlett", "M: double", doc="Bartlett's window of M samples, a triangle that ends in zeros.") */
cp_array *cp_bartlett(double M)
{
    cpi_composite f;
    cp_array *r;
    if (!begin_window(&f, M, &r)) return NULL;
    if (M <= 1) return cpi_end(&f, r);
    return cpi_end(&f, cp_subtract(cp_int(1), cp_divide(cp_absolute(indices(M)), cp_float(M - 1))));
}

/*: function("blackman", "M: double", doc="Blackman's window of M samples, three terms of cosines.") */
cp_array *cp_blackman(double M) { return cosines(M, 0.42, 0.5, 0.08); }

/*: function("hamming", "M: double", doc="Hamming's window of M samples, a cosine that ends at 0.08.") */
cp_array *cp_hamming(double M) { return cosines(M, 0.54, 0.46, 0); }

/*: function("hanning", "M: double", doc="Hann's window of M samples, a cosine that ends in zeros.") */
cp_array *cp_hanning(double M) { return cosines(M, 0.5, 0.5, 0); }

/*: function("kaiser", "M: double, beta: double",
             doc="Kaiser's window of M samples, from Bessel's function I0; the larger beta, the narrower.") */
cp_array *cp_kaiser(double M, double beta)
{
    cpi_composite f;
    cp_array *r;
    if (!begin_window(&f, M, &r)) return NULL;
    if (M <= 1) return cpi_end(&f, r);
    cp_array *half = cp_float((M - 1) / 2), *n = cp_arange(0, M, 1, CP_FLOAT64);
    cp_array *part = cp_square(cp_divide(cp_subtract(n, half), half));
    cp_array *height = cp_multiply(cp_float(beta), cp_sqrt(cp_subtract(cp_int(1), part)));
    return cpi_end(&f, cp_divide(cp_i0(height), cp_i0(cp_float(beta))));
}
