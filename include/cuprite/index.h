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

/* x[items], arrays among them: a copy as NumPy's advanced indexing makes it (without arrays a view, cp_slice). Where
 * arrays and integers stand beside one another their axes take their place, else they come first. An index beyond its
 * axis is CP_ERROR_INDEX: at once on the CPU, elsewhere where the stream's work is looked at next. */
CP_API cp_array *cp_index_get(cp_array *x, int n, const cp_index *items);
/* x[items] = value, which broadcasts. Of several values for one element the last one stays. */
CP_API cp_code cp_index_set(cp_array *x, int n, const cp_index *items, cp_array *value);

#ifdef __cplusplus
}
#endif
#endif
