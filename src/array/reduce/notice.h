/* The warnings of reductions, in NumPy's words: means and deviations of no elements, minima and maxima of NaN only,
 * and discarded imaginary parts.
 *
 * Warnings that follow from shapes are always issued. Warnings that depend on elements are issued only where results
 * are ready when the call returns (cpi_backend's at_once); elsewhere they would mean waiting for the device. */
#ifndef CPI_REDUCE_NOTICE_H
#define CPI_REDUCE_NOTICE_H

#include "operands/operands.h"
#include "reduce/reduce.h"

/* Warns of imaginary parts as NumPy does although none are lost: it reads a complex `out` as the real type it adds
 * in. */
void cpi_notice_out(const cpi_reduction_row *row, const cp_array *x, const cp_reduce_options *o);
/* Warns where one of the counts is at most `most`. */
cp_code cpi_notice_counts(cp_array *counts, double most, cp_warning warning);
/* The warnings that the result of reduction r calls for. */
cp_code cpi_notice(const cpi_slices *slices, cp_reduction r, cp_array *x, const cp_reduce_options *o, cp_array *result);

#endif
