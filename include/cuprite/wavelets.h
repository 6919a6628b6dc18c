/* Wavelets, transforms by them, and peaks that are found by the ridges of their maxima.
 *
 * Results are new arrays on their arrays' device, of wavelets on the current one, in float64 or complex128. Failures
 * are CP_ERROR_VALUE, where nothing else is said. */
#ifndef CUPRITE_WAVELETS_H
#define CUPRITE_WAVELETS_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Ricker's wavelet, the second derivative of a Gaussian of width a, upside down: `points` samples around its middle (a
 * number that is not whole is rounded up, the middle stays at (points - 1) / 2). */
CP_API cp_array *cp_ricker(double points, double a);
/* Morlet's wavelet: M samples between -2 pi s and 2 pi s of frequency w. complete: without the constant that its mean
 * would have. */
CP_API cp_array *cp_morlet(int64_t M, double w, double s, bool complete);
/* Morlet's wavelet of width s and frequency w, as transforms take it: M samples. */
CP_API cp_array *cp_morlet2(int64_t M, double s, double w);
/* The high-pass filter of a low-pass one (1-d), with quadrature mirror symmetry. */
CP_API cp_array *cp_qmf(cp_array *hk);

/* A wavelet: a 1-d array of `points` samples, which may not be whole, of a width; real or complex. It is called inside
 * a scope, which frees what it makes; NULL is a failure, whose error it has set. */
typedef cp_array *(*cp_wavelet)(double points, double width, void *context);

typedef struct cp_cwt_options {
    CP_OPTION(cp_wavelet, wavelet); /* NULL: cp_ricker */
    CP_OPTION(void *, context);     /* what it is called with */
    int _;
} cp_cwt_options;
/* The convolutions of 1-d data with a wavelet of several widths (1-d, real, above 0), a row each: (widths, elements).
 * Of each width min(10 width, elements) samples are taken, turned and conjugated. complex128 where the data or the
 * first wavelet are complex, else float64; CP_ERROR_TYPE where a later one is. Reads the widths on the host. */
CP_API cp_array *cp_cwt(cp_array *data, cp_array *widths, const cp_cwt_options *options);
#define cp_cwt(...) CP_CALL2(cp_cwt, cp_cwt_options, __VA_ARGS__, ._ = 0)

typedef struct cp_ridge_options {
    CP_OPTION(double, min_length);    /* rows that a ridge has at least (0: a quarter of all, rounded up) */
    CP_OPTION(double, min_snr);       /* least ratio of its end to the noise (0: 1; below 0: any) */
    CP_OPTION(double, noise_perc);    /* the noise is this percentile around the end (0: 10; below 0: the least) */
    CP_OPTION(int64_t, window_size);  /* of so many elements (0: a twentieth, rounded up; below 0: there is no noise) */
    int _;
} cp_ridge_options;
/* The columns where ridges of local maxima end, which begin in the last row: int64, ascending. Maxima of neighbouring
 * rows belong to a ridge where they are at most max_distances[row] apart (one for each row at least); a ridge ends
 * where more than `gap` rows have none. transforms: (rows, columns). Waits for the device. */
CP_API cp_array *cp_ridge_peaks(cp_array *transforms, cp_array *max_distances, double gap,
                                const cp_ridge_options *options);
#define cp_ridge_peaks(...) CP_CALL3(cp_ridge_peaks, cp_ridge_options, __VA_ARGS__, ._ = 0)

typedef struct cp_find_peaks_cwt_options {
    CP_OPTION(cp_wavelet, wavelet);        /* NULL: cp_ricker */
    CP_OPTION(void *, context);            /* what it is called with */
    CP_OPTION(cp_array *, max_distances);  /* NULL: a quarter of the widths */
    CP_OPTION(double, gap_thresh);         /* 0: the first width, rounded up */
    CP_OPTION(double, min_length);         /* these four as cp_ridge_peaks has them */
    CP_OPTION(double, min_snr);
    CP_OPTION(double, noise_perc);
    CP_OPTION(int64_t, window_size);
    int _;
} cp_find_peaks_cwt_options;
/* scipy.signal.find_peaks_cwt: the indices of peaks of a 1-d signal, of those that stay maxima of its transforms by
 * wavelets of many widths. P. Du, W. A. Kibbe, S. M. Lin, Bioinformatics 22 (2006). Waits for the device. */
CP_API cp_array *cp_find_peaks_cwt(cp_array *vector, cp_array *widths, const cp_find_peaks_cwt_options *options);
#define cp_find_peaks_cwt(...) CP_CALL2(cp_find_peaks_cwt, cp_find_peaks_cwt_options, __VA_ARGS__, ._ = 0)

#ifdef __cplusplus
}
#endif
#endif
