/* From accumulators to results on the CPU: the finishes of reduce.def, initial values, conversion.
 *
 * Invariant: an accumulator of floating-point numbers is rounded once, from double to the result's type. */
#ifndef CPI_REDUCE_FINISH_H
#define CPI_REDUCE_FINISH_H

#include "reduce/kernels.h"

/* The accumulator of no elements (for extremes, which kernels never ask for it). */
void cpi_reduce_identity(cpi_reduce_kind kind, cp_type type, void *acc);
/* Writes n results from n accumulators, `stride` bytes apart. `type` is the kernel's type (float32 for halves). */
void cpi_reduce_finish(const cpi_reduce_args *a, cpi_reduce_kind kind, const cpi_reduce_kernel *k, cp_type type,
                       void *acc, int64_t n, char *out, int64_t stride);

#endif
