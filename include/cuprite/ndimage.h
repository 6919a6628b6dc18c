/* Connected components and measurements on them (scipy.ndimage).
 *
 * `labels` is an integer array of the image's shape (or NULL: one region, all of it, label unspecified);
 * `index` an integer array of the labels to measure, of any shape (NULL: all pixels with a label other than 0
 * together, a 0-d result). Results have index's shape, float64 or the image's type as SciPy's have. */
#ifndef CUPRITE_NDIMAGE_H
#define CUPRITE_NDIMAGE_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Labels the connected non-zero elements 1..count in the order of their first element in C order. `structure`:
 * 3^ndim, symmetric about its centre, non-zero where neighbours connect; NULL is the cross of SciPy. `out`:
 * any integer or floating array of x's shape, or NULL for a new int32 one. Waits when `count` is not NULL. */
CP_API cp_array *cp_label(cp_array *x, cp_array *structure, cp_array *out, int64_t *count);

CP_API cp_array *cp_sum_labels(cp_array *x, cp_array *labels, cp_array *index);
CP_API cp_array *cp_mean_labels(cp_array *x, cp_array *labels, cp_array *index);
CP_API cp_array *cp_variance_labels(cp_array *x, cp_array *labels, cp_array *index);
CP_API cp_array *cp_std_labels(cp_array *x, cp_array *labels, cp_array *index);
CP_API cp_array *cp_minimum_labels(cp_array *x, cp_array *labels, cp_array *index);
CP_API cp_array *cp_maximum_labels(cp_array *x, cp_array *labels, cp_array *index);
/* Positions: float64 (center of mass) or int64 (extrema; first in C order), shape index.shape + (ndim). */
CP_API cp_array *cp_center_of_mass(cp_array *x, cp_array *labels, cp_array *index);
CP_API cp_array *cp_minimum_position(cp_array *x, cp_array *labels, cp_array *index);
CP_API cp_array *cp_maximum_position(cp_array *x, cp_array *labels, cp_array *index);
/* Bounding boxes of labels 1..max: int64 (max, ndim, 2), start and stop; a label that is not there has start
 * and stop -1. max_label 0: the largest label. */
CP_API cp_array *cp_find_objects(cp_array *labels, int64_t max_label);

/* All of it in one pass, for labels 1..count: the measurement step of source finding. */
typedef struct cp_sources {
    cp_array *pixels;    /* (count) int64 */
    cp_array *flux;      /* (count) float64: sum of the pixels */
    cp_array *centroid;  /* (count, ndim) float64: centre of mass */
    cp_array *peak;      /* (count) x's type */
    cp_array *position;  /* (count, ndim) int64: of the peak */
} cp_sources;
CP_API cp_code cp_measure(cp_array *x, cp_array *labels, int64_t count, cp_sources *sources);
CP_API void cp_sources_free(cp_sources *sources);

#ifdef __cplusplus
}
#endif
#endif
