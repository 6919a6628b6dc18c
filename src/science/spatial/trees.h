/* What the files of spatial share. */
#ifndef CPI_SPATIAL_TREES_H
#define CPI_SPATIAL_TREES_H

#include "compose/compose.h"
#include "cpu/ending.h"

/* Ends a call of two results, of which both are made or none. */
cp_code cpi_spatial_give(const cpi_composite *f, cp_code code, cp_array *first, cp_array *second, cp_array **a,
                         cp_array **b);

#endif
