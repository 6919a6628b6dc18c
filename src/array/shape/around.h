/* Arrays made of one array by what lies around its elements; composites of that kind (tril, pad, roll) may use this. */
#ifndef CPI_SHAPE_AROUND_H
#define CPI_SHAPE_AROUND_H

#include "move/move.h"

/* x with before[d] elements in front of it and behind[d] behind it in each dimension, of which there is at least one:
 * in x's order where that is Fortran's. */
cp_array *cpi_padded(const char *function, cp_array *x, cpi_pad_way way, const int64_t *before, const int64_t *behind,
                     const cp_array *value);
/* x, of at least two dimensions, with 0 but in the triangles of the last two: where column - row <= k, or >= k. */
cp_array *cpi_triangles(const char *function, cp_array *x, int64_t k, bool upper);

#endif
