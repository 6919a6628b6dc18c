/* From accumulators to results on the CPU: the finishes of reduce.def, initial values, conversion.
 *
 * Invariant: an accumulator of floating-point numbers is rounded once, from double to the result's type. */
#ifndef CPI_REDUCE_FINALIZE_H
#define CPI_REDUCE_FINALIZE_H

#include "reduce/kernels.h"

/* The kernels of one call. */
typedef struct cpi_reduce_choice {
    cpi_reduce_kernel k;            /* folds */
    const cpi_reduce_kernel *row;   /* made from the fold's row for the same type */
    const cpi_reduce_kernel *pairs; /* the same for complex128 */
    cp_type type;                   /* that they fold: float32 for the half types */
} cpi_reduce_choice;

/* Writes n results, `stride` bytes apart, from n accumulators. */
void cpi_reduce_finalize(const cpi_reduce_args *a, const cpi_reduce_choice *c, void *acc, int64_t n, char *out,
                         int64_t stride);

#endif
