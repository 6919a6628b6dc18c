/* Kernels that are loops over their threads, block by block: see rows.c. */
#ifndef CPI_KERNEL_ROWS_H
#define CPI_KERNEL_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/device/abi.h"

/* Runs blocks first to last - 1 of a kernel that is not made of fibers, one after the other. */
void cpi_rows_run(const __cu_kernel *k, const __cu_launch *l, __cu_worker *worker, uint64_t first, uint64_t last);

#endif
