/* Connected components and measurements on them (scipy.ndimage).
 *
 * Arrays are real: complex ones are CP_ERROR_TYPE. `labels` broadcasts with x; NULL makes all of x one region,
 * and `index` is ignored. `index` NULL: all pixels with a label above 0 are one region, a 0-d result. A host scalar
 * (cp_int) as `index`: the one region of that label, a 0-d result. Another array: one region for each of its elements,
 * in its shape; labels may be repeated and need not occur.
 *
 * Types are SciPy's: float64, but sum_labels of a single region has NumPy's type for the sum of x. Sums are
 * taken in double (integers in 64 bits, wrapping, where the result is an integer). The sum of an empty region is
 * 0 and its mean NaN; its extremum is 0 at position 0 in an array of results and CP_ERROR_VALUE for a single
 * region. NaN counts as the greatest number in an array of results and wins both ways in a single region. The
 * same input gives the same bits on every run. */
#ifndef CUPRITE_NDIMAGE_H
#define CUPRITE_NDIMAGE_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Labels the connected non-zero elements 1..count in the order of their first element in C order. `structure`:
 * 3^ndim, symmetric about its centre, non-zero where neighbours connect; NULL is the cross of SciPy. `out`:
 * any real array of x's shape, or NULL for a new int32 one (int64 from 2^31 - 2 elements). CP_ERROR_RUNTIME,
 * and `out` unchanged, when its type can't hold the largest label exactly; a bool array gets true for all. Waits if
 * `count` is not NULL or the type might be too small. */
CP_API cp_array *cp_label(cp_array *x, cp_array *structure, cp_array *out, int64_t *count);

CP_API cp_array *cp_sum_labels(cp_array *x, cp_array *labels, cp_array *index); /* sum */
CP_API cp_array *cp_mean_labels(cp_array *x, cp_array *labels, cp_array *index); /* mean */
CP_API cp_array *cp_variance_labels(cp_array *x, cp_array *labels, cp_array *index); /* variance */
CP_API cp_array *cp_std_labels(cp_array *x, cp_array *labels, cp_array *index); /* standard deviation */
CP_API cp_array *cp_minimum_labels(cp_array *x, cp_array *labels, cp_array *index); /* least element */
CP_API cp_array *cp_maximum_labels(cp_array *x, cp_array *labels, cp_array *index); /* greatest element */
/* Positions: float64 (center of mass) or int64 (extrema; first in C order), shape index.shape + (ndim). */
CP_API cp_array *cp_center_of_mass(cp_array *x, cp_array *labels, cp_array *index);
CP_API cp_array *cp_minimum_position(cp_array *x, cp_array *labels, cp_array *index);
CP_API cp_array *cp_maximum_position(cp_array *x, cp_array *labels, cp_array *index);
/* Least and greatest elements and their positions, as the four functions have them, in two passes over x. Pointers may
 * be NULL; what they point to is NULL after a failure. */
CP_API cp_code cp_extrema(cp_array *x, cp_array *labels, cp_array *index, cp_array **minimum, cp_array **maximum,
                          cp_array **minimum_position, cp_array **maximum_position);
/* Where each value of an array of integers lies: `values`, n distinct ones in ascending order, and `positions`, int64
 * (ndim, size), of which those of value i are columns ends[i - 1] (0 for the first) to ends[i] - 1, in C order. `ends`:
 * int64 (n). CP_ERROR_VALUE for other types. */
CP_API cp_code cp_value_indices(cp_array *x, cp_array **values, cp_array **ends, cp_array **positions);
/* Bounding boxes of labels 1..max: int64 (max, ndim, 2), start and stop; an absent label has start and stop -1.
 * max_label 0: the largest label. */
CP_API cp_array *cp_find_objects(cp_array *labels, int64_t max_label);

/* What a function of the caller's makes of the elements of one region, a 1-d array in C order: an array of one element,
 * or NULL where it fails. `positions`: their linear indices in the broadcast x, int64, where they were asked for; else
 * NULL. It is called in the calling thread with x's device current, inside a scope that frees what it makes. */
typedef cp_array *(*cp_region_function)(void *context, cp_array *elements, cp_array *positions);
typedef struct cp_labeled_comprehension_options {
    CP_OPTION(bool, pass_positions);
    CP_OPTION(cp_array *, empty);   /* the result of a region without elements, one number; 0 where not given */
    CP_OPTION(bool, typed);         /* dtype is meant */
    CP_OPTION(cp_type, dtype);      /* of the results; else float64 */
    int _;
} cp_labeled_comprehension_options;
/* A function of the elements of each region: an array of the index' shape. Without `index` there is one region and the
 * function's result is returned as it is, also where it has no elements. CP_ERROR_VALUE for an index without labels and
 * for one with a value that labels' type does not have. Where the function fails without an error it is
 * CP_ERROR_RUNTIME. Waits. */
CP_API cp_array *cp_labeled_comprehension(cp_array *x, cp_array *labels, cp_array *index, cp_region_function function,
                                          void *context, const cp_labeled_comprehension_options *options);
#define cp_labeled_comprehension(...) \
    CP_CALL5(cp_labeled_comprehension, cp_labeled_comprehension_options, __VA_ARGS__, ._ = 0)

/* All measurements in one pass, for labels 1..count (empty regions: 0, NaN for the centre): the measurement step of
 * source finding. `background` is subtracted from every element before fluxes and centres are computed. `noise` is the
 * standard deviation of one element; the errors assume independent noise. */
typedef struct cp_sources {
    cp_array *pixels;         /* (count) int64 */
    cp_array *sum;            /* (count) float64: the pixels as they are */
    cp_array *flux;           /* (count) float64: the pixels above the background */
    cp_array *centroid;       /* (count, ndim) float64: centre of mass of the flux above the background */
    cp_array *peak;           /* (count) x's type, as it is */
    cp_array *position;       /* (count, ndim) int64: of the peak */
    cp_array *flux_error;     /* (count) float64; NULL without noise */
    cp_array *centroid_error; /* (count, ndim) float64; NULL without noise */
} cp_sources;
typedef struct cp_measure_options {
    CP_OPTION(double, background); /* 0 */
    CP_OPTION(double, noise);      /* 0: no errors are wanted */
    int _;
} cp_measure_options;
CP_API cp_code cp_measure(cp_array *x, cp_array *labels, int64_t count, cp_sources *sources,
                          const cp_measure_options *options);
#define cp_measure(...) CP_CALL4(cp_measure, cp_measure_options, __VA_ARGS__, ._ = 0)
CP_API void cp_sources_free(cp_sources *sources); /* frees the arrays */

#ifdef __cplusplus
}
#endif
#endif
