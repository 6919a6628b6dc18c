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

/* A condition is a number, the lowest value that is kept; an array (2,), the lowest and the highest; or (2, elements),
 * these for each of the signal's elements. NULL: none. */
typedef struct cp_find_peaks_options {
    CP_OPTION(cp_array *, height);       /* of the peaks */
    CP_OPTION(cp_array *, threshold);    /* the steps to both neighbours */
    CP_OPTION(double, distance);         /* peaks are not nearer, 1 at least; lower ones are dropped first; 0: any */
    CP_OPTION(cp_array *, prominence);   /* as cp_peak_prominences has it */
    CP_OPTION(cp_array *, width);        /* as cp_peak_widths has it */
    CP_OPTION(int64_t, wlen);            /* for prominences; 0: all elements */
    CP_OPTION(double, rel_height);       /* for widths; 0: 0.5 */
    CP_OPTION(cp_array *, plateau_size); /* how many elements a peak has */
    int _;
} cp_find_peaks_options;
/* scipy.signal.find_peaks: the indices of the local maxima that meet all conditions. Waits for the device. */
CP_API cp_array *cp_find_peaks(cp_array *x, const cp_find_peaks_options *options);
#define cp_find_peaks(...) CP_CALL(cp_find_peaks, cp_find_peaks_options, __VA_ARGS__, ._ = 0)

#ifdef __cplusplus
}
#endif
#endif
