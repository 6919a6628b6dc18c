/* Shapes, strides, axes and broadcasting. (loop/loop.h has what kernels run over.)
 *
 * Invariant: every product of extents in the library is formed here, and none wraps. */
#ifndef CPI_CORE_SHAPE_H
#define CPI_CORE_SHAPE_H

#include "core/array.h"

/* Number of elements; CP_ERROR_VALUE ("NAME: ...") for a negative extent, more than CP_MAXDIM dimensions, or
 * when elements times `itemsize` passes INT64_MAX. */
cp_code cpi_shape_size(const char *function, int ndim, const int64_t *shape, size_t itemsize, int64_t *size);
/* Contiguous strides in bytes; order 'C' or 'F'. Extents 0 count as 1, as in NumPy. */
void cpi_strides_contiguous(int ndim, const int64_t *shape, int64_t itemsize, char order, int64_t *strides);
bool cpi_is_contiguous(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize, char order);
/* -ndim <= axis < ndim to 0..ndim-1; CP_ERROR_AXIS otherwise. */
cp_code cpi_axis(const char *function, int *axis, int ndim);
/* Marks the axes that `axes` names in `mask` (ndim entries); errors for bounds and for one named twice. */
cp_code cpi_axes_mask(const char *function, cp_axes axes, int ndim, bool *mask);
/* Broadcasts shape `b` into (*ndim, shape), NumPy's rule; CP_ERROR_VALUE when they do not fit. */
cp_code cpi_broadcast(const char *function, int *ndim, int64_t *shape, int bdim, const int64_t *bshape);
/* Strides under which x has a shape that it broadcasts to; false when it does not. */
bool cpi_broadcast_strides(const cp_array *x, int ndim, const int64_t *shape, int64_t *strides);
/* "(3, 4)" into text, for messages; returns text. */
const char *cpi_shape_string(int ndim, const int64_t *shape, char *text, size_t bytes);
/* First and one-past-last byte an array touches, relative to its data. */
void cpi_extent(const cp_array *x, int64_t *low, int64_t *high);
/* May the two arrays share a byte? (Bounds only: true may be wrong, false never is.) */
bool cpi_may_overlap(const cp_array *a, const cp_array *b);
/* Same data, shape and strides: an elementwise kernel may run in place. */
bool cpi_same_elements(const cp_array *a, const cp_array *b);

#endif
