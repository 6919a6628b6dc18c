/* Reductions made of others; cp_reduce has checked reduction, array and type. */
#ifndef CPI_REDUCE_COMPOSED_H
#define CPI_REDUCE_COMPOSED_H

#include "operands/operands.h"
#include "reduce/reduce.h"

/* The mean of masked elements has a divisor of its own for each result: sum over count. `loop` is the result's type. */
cp_array *cpi_masked_mean(cp_array *x, const cp_reduce_options *o, cp_type loop);
/* A mean in integers or truth values: their sum, modulo the type or with "or", is divided and cut, as in NumPy. One in
 * a small floating type that is asked for: the sum is of that type, too. */
cp_array *cpi_mean_of_sum(cp_array *x, const cp_reduce_options *o);
/* A fold that leaves NaN out, of elements that are converted first to a type without NaN: the mask remembers. */
cp_array *cpi_reduce_known(cp_reduction r, cp_array *x, const cp_reduce_options *o);
/* A variance or its root about the mean that the options give (NumPy 2's mean=). */
cp_array *cpi_about_mean(cp_reduction r, cp_array *x, const cp_reduce_options *o);

#endif
