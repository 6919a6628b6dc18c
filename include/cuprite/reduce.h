/* Reductions over axes. One row of src/array/reduce/reduce.def is one operation.
 *
 * Types are NumPy's: sums and products of small integers widen to 64 bits, mean of integers is float64,
 * float16 accumulates in float32. Sums of floating-point numbers are pairwise or better and give the same
 * bits on every run of a device. Options are designated initialisers:
 *     cp_sum(x, .axis = CP_AXES(0, 2), .keepdims = true)                                              */
#ifndef CUPRITE_REDUCE_H
#define CUPRITE_REDUCE_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The enumerators CP_REDUCE_sum, ..., the functions cp_sum(x, options), ... and the macros of the same names. */
#include "cuprite/reductions.h"

typedef struct cp_reduce_options {
    CP_OPTION(cp_axes, axis);       /* all axes by default; argmin and argmax: one axis, or all (flattened) */
    CP_OPTION(bool, keepdims);      /* keep reduced axes with length 1 */
    CP_OPTION(bool, typed);         /* dtype is meant */
    CP_OPTION(cp_type, dtype);      /* type to accumulate in and to return, with `typed` */
    CP_OPTION(cp_array *, out);     /* result goes here */
    CP_OPTION(cp_array *, where);   /* boolean, broadcast: only these elements take part */
    CP_OPTION(cp_array *, initial); /* 0-d: starting value (sums, products, minima, maxima) */
    CP_OPTION(bool, no_identity);   /* sums and products start from an element: an error for empty input */
    CP_OPTION(double, ddof);        /* var and std: divisor is n - ddof */
    CP_OPTION(cp_array *, mean);    /* var and std: the mean, where it is known already (with the reduced axes kept) */
    int _;
} cp_reduce_options;

/* The general call, for a reduction chosen at run time; `options` may be NULL. Returns a view of out when it is
 * given. */
CP_API cp_array *cp_reduce(cp_reduction r, cp_array *x, const cp_reduce_options *options);

/* A reduction's row of the table; `ufunc` is NumPy's name of the operation that it repeats. */
typedef struct cp_reduction_info { const char *name, *ufunc, *doc; bool has_identity; } cp_reduction_info;
CP_API cp_code cp_reduction_query(cp_reduction r, cp_reduction_info *info);
CP_API cp_reduction cp_reduction_from_name(const char *name); /* CP_NREDUCTIONS: none */

#ifdef __cplusplus
}
#endif
#endif
