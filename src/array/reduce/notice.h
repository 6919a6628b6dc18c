/* What reductions warn of, in NumPy's words: means and deviations of nothing, minima and maxima of nothing but NaN, and
 * imaginary parts that are lost.
 *
 * What shapes tell is told always. What only the elements tell is told where a call's results are there when it returns
 * (cpi_backend's at_once); elsewhere it would mean waiting for the device. */
#ifndef CPI_REDUCE_NOTICE_H
#define CPI_REDUCE_NOTICE_H

#include "operands/operands.h"
#include "reduce/reduce.h"

/* Imaginary parts that NumPy warns of although none are lost: it reads a complex `out` as the real type it adds in. */
void cpi_notice_out(const cpi_reduction_row *row, const cp_array *x, const cp_reduce_options *o);
/* Warns where one of the counts is at most `most`. */
cp_code cpi_notice_counts(cp_array *counts, double most, cp_warning warning);
/* What the result of reduction r tells. */
cp_code cpi_notice(const cpi_slices *slices, cp_reduction r, cp_array *x, const cp_reduce_options *o, cp_array *result);

#endif
