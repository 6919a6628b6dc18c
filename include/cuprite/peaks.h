/* Peaks of a signal: where it is above its neighbours, how much, and how wide.
 *
 * A signal is 1-d and real, and counts as float64. Results are new 1-d arrays with an element for each peak, on its
 * device: indices are int64, others float64. NaN is above nothing. On failure no result is set. */
#ifndef CUPRITE_PEAKS_H
#define CUPRITE_PEAKS_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The local maxima: their first and last elements, which differ for plateaus. Waits for the device. */
CP_API cp_code cp_local_maxima(cp_array *x, cp_array **left, cp_array **right);
/* scipy.signal.peak_prominences: how much the signal falls on both sides before it is above a peak, and the elements to
 * which it falls. wlen: how many elements around a peak count, above 1 (rounded up to an odd number); 0: all. `peaks`
 * are integers; CP_ERROR_VALUE for one outside of the signal (which waits for the device). */
CP_API cp_code cp_peak_prominences(cp_array *x, cp_array *peaks, int64_t wlen, cp_array **prominences,
                                   cp_array **left_bases, cp_array **right_bases);
/* scipy.signal.peak_widths at a part of the prominence below the top: widths, heights, and between which places. */
CP_API cp_code cp_peak_widths(cp_array *x, cp_array *peaks, double rel_height, cp_array *prominences,
                              cp_array *left_bases, cp_array *right_bases, cp_array **widths, cp_array **heights,
                              cp_array **left, cp_array **right);
/* Which of ascending peaks are kept so that none are nearer than `distance`, those with the highest priority first
 * (real, one a peak): a boolean array. */
CP_API cp_array *cp_peaks_distant(cp_array *peaks, cp_array *priority, int64_t distance);

#ifdef __cplusplus
}
#endif
#endif
