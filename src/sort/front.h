/* What the fronts of the room share. */
#ifndef CPI_SORT_FRONT_H
#define CPI_SORT_FRONT_H

#include "core/array.h"

/* x with axis `from` moved to place `to`: a view. */
cp_array *cpi_axis_moved(cp_array *x, int from, int to);

#endif
