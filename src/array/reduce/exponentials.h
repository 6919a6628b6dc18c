/* What the module reduce does of rows in one pass, for composites that ask for it first. */
#ifndef CPI_REDUCE_EXPONENTIALS_H
#define CPI_REDUCE_EXPONENTIALS_H

#include "cuprite/reduce.h"

/* softmax along axes, or logsumexp with the axes kept, in one pass; NULL without an error where it takes several. */
cp_array *cpi_exponentials_of_rows(cp_array *x, cp_axes axis, bool logarithm);

#endif
