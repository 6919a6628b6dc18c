/* What the CPU files of the room share. */
#ifndef CPI_SORT_CPU_H
#define CPI_SORT_CPU_H

#include "sort/kernels.h"
#include "sort/sort.h"

/* The kernels for this processor. */
const cpi_sort_kernels *cpi_cpu_sort_kernels(void);

/* unique by a table, where the values are integers close together; false when they are not. */
bool cpi_cpu_unique_table(cp_stream *stream, cpi_unique *request, cp_code *code);

#endif
