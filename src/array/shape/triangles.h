/* Triangles of matrices, for the functions made from them (tril, tri, vander). */
#ifndef CPI_SHAPE_TRIANGLES_H
#define CPI_SHAPE_TRIANGLES_H

#include "move/move.h"

/* x, of at least two dimensions, with 0 outside a triangle of the last two: the elements where column - row <= k, or
 * >= k, are kept. */
cp_array *cpi_triangles(const char *function, cp_array *x, int64_t k, bool upper);

#endif
