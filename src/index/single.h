/* Single elements named by one array of integers, on the CPU: what most indexing is. Indices are read where they lie,
 * checked while they are used, and no list of offsets is made of them. */
#ifndef CPI_INDEX_SINGLE_H
#define CPI_INDEX_SINGLE_H

#include "index/index.h"

/* Is it that: one array, elements of 1, 2, 4, 8 or 16 bytes, and enough of them for each place of the rest? */
bool cpi_is_single(const cpi_gather *g);
/* These two say whether all indices were right. Reading stops nowhere: what a wrong one names is not read, and `few` is
 * then worth nothing. Writing looks at all of them first, and writes nothing where one is wrong. */
bool cpi_single_get(const cpi_gather *g);
bool cpi_single_put(const cpi_gather *g);

#endif
