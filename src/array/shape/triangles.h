/* Triangles of matrices, for the functions that are made of them (tril, tri, vander). */
#ifndef CPI_SHAPE_TRIANGLES_H
#define CPI_SHAPE_TRIANGLES_H

#include "move/move.h"

/* x, of at least two dimensions, with 0 but in the triangles of the last two: where column - row <= k, or >= k. */
cp_array *cpi_triangles(const char *function, cp_array *x, int64_t k, bool upper);

#endif
