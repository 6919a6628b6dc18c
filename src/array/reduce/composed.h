/* Reductions made of others; cp_reduce has checked reduction, array and type. */
#ifndef CPI_REDUCE_COMPOSED_H
#define CPI_REDUCE_COMPOSED_H

#include "operands/operands.h"
#include "reduce/reduce.h"

/* The mean of masked elements has a divisor for each result: sum over count. `loop` is the result's type. */
cp_array *cpi_masked_mean(cp_array *x, const cp_reduce_options *o, cp_type loop);
/* A mean in integers or bool: the sum, modulo the type or with "or", is divided and truncated, as in NumPy. For a
 * mean in a requested small floating type, the sum is of that type too. */
cp_array *cpi_mean_of_sum(cp_array *x, const cp_reduce_options *o);
/* A reduction that ignores NaN, of elements that are first converted to a type without NaN: a mask keeps where they
 * were. */
cp_array *cpi_reduce_known(cp_reduction r, cp_array *x, const cp_reduce_options *o);
/* A variance or its root about the mean that the options give (NumPy 2's mean=). */
cp_array *cpi_about_mean(cp_reduction r, cp_array *x, const cp_reduce_options *o);

#endif
