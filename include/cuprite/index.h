/* Selecting elements by a condition. The number of selected elements is not known beforehand, so these
 * calls wait for the device. */
#ifndef CUPRITE_INDEX_H
#define CUPRITE_INDEX_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Slices of x along `axis` whose entry in the 1-d `condition` is true (numpy.compress). A condition shorter
 * than the axis drops the rest; a longer one must be false there. axis = CP_FLAT: of the flattened array. */
CP_API cp_array *cp_compress(cp_array *condition, cp_array *x, int axis);
/* Indices of the non-zero elements: int64 array of shape (ndim, count), C order (numpy.nonzero; row i is the
 * i-th array of NumPy's tuple). 0-d input is an error as in NumPy 2. */
CP_API cp_array *cp_nonzero(cp_array *x);
/* numpy.argwhere: (count, ndim), numpy.flatnonzero: (count). */
CP_API cp_array *cp_argwhere(cp_array *x);
CP_API cp_array *cp_flatnonzero(cp_array *x);
/* x[mask]: mask.shape must equal x.shape[:mask.ndim]; result (count, ...rest). */
CP_API cp_array *cp_mask_get(cp_array *x, cp_array *mask);
/* x[mask] = value: value broadcasts to (count, ...rest). */
CP_API cp_code cp_mask_set(cp_array *x, cp_array *mask, cp_array *value);
/* Each element along an axis (CP_FLAT: flattened) as often as `repeats` says: integers, one for each or one for all. */
CP_API cp_array *cp_repeat(cp_array *a, cp_array *repeats, int axis);

#ifdef __cplusplus
}
#endif
#endif
