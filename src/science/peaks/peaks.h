/* The slots that a backend fills for the module peaks. Signals are float64, contiguous, of n elements. Each peak, and
 * each element, is looked at by itself, so the same numbers come on every device. */
#ifndef CPI_PEAKS_H
#define CPI_PEAKS_H

#include "backend/backend.h"
#include "cuprite/peaks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where each of `count` peaks stands, and what was found for it; device memory. */
typedef struct cpi_peaks {
    int64_t n, count;      /* positive */
    const double *x;
    const int64_t *peak;   /* indices, 0..n-1 */
    int64_t wlen;          /* prominences: elements around a peak that count, odd; < 2: all */
    double rel_height;     /* widths: the part of the prominence below the top */
    double *prominence;    /* found, or given for widths */
    int64_t *left, *right; /* bases: found, or given for widths: 0 <= left <= peak <= right < n */
    double *width, *height, *left_place, *right_place; /* widths: found */
} cpi_peaks;

/*: slot("rises", bytes="9 * n")
 * slot("ends", bytes="24 * count")
 * slot("prominences", bytes="32 * p->count")
 * slot("widths", bytes="64 * p->count")
 * slot("distant", bytes="17 * count") */
typedef struct cpi_peaks_ops {
    /* mask[i]: a plateau that begins at i, of one element or more, is above both its neighbours. */
    cp_code (*rises)(cp_stream *stream, int64_t n, const double *x, uint8_t *mask);
    /* The last elements of plateaus that begin at left[i]. */
    cp_code (*ends)(cp_stream *stream, int64_t n, const double *x, int64_t count, const int64_t *left, int64_t *right);
    cp_code (*prominences)(cp_stream *stream, const cpi_peaks *p);
    cp_code (*widths)(cp_stream *stream, const cpi_peaks *p);
    /* keep[i]: no peak of higher rank that is kept is nearer than `distance`. `order`: the peaks by rank, the lowest
     * first. Peaks ascend. */
    cp_code (*distant)(cp_stream *stream, int64_t count, const int64_t *peak, const int64_t *order, int64_t distance,
                     uint8_t *keep);
} cpi_peaks_ops;

#ifdef __cplusplus
}
#endif
#include "peaks/slots.h"

#endif
