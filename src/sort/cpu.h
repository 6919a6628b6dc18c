/* What the CPU files of the room share. */
#ifndef CPI_SORT_CPU_H
#define CPI_SORT_CPU_H

#include "sort/kernels.h"

/* The kernels for this processor. */
const cpi_sort_kernels *cpi_cpu_sort_kernels(void);

#endif
