/* The order of a tree's points, on the host. */
#ifndef CPI_SPATIAL_SPLIT_H
#define CPI_SPATIAL_SPLIT_H

#include "core/error.h"

/* `order`: the indices of n points (n, ndim), so that node i of level l has those of i*n/2^l to (i+1)*n/2^l: halves
 * along the longest side of the box around them. `points` are overwritten. */
cp_code cpi_tree_split(double *points, int64_t n, int64_t ndim, int levels, int64_t *order);

#endif
