/* What NumPy's ufuncs do beside their calls: along an axis, for every pair of elements, and at places.
 *
 * Types are NumPy's: an operation computes in the type that its elements and `out` choose, and a chain's result has
 * that type; sums and products of integers of less than 64 bits are made in 64 bits. An element is joined to those
 * before it in their order; operations that may be regrouped (those with an identity, minima and maxima) are cut by the
 * size of the lane alone, so the same input gives the same bits. */
#ifndef CUPRITE_UFUNC_H
#define CUPRITE_UFUNC_H

#include "elementwise.h"
#include "reduce.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Joins the elements along axes; by the reduction of reduce.def that repeats the operation, where there is one. Several
 * axes are for operations that may be regrouped only; options of moments (ddof, mean) are not asked. */
CP_API cp_array *cp_ufunc_reduce(cp_op op, cp_array *x, const cp_reduce_options *options);
#define cp_ufunc_reduce(...) CP_CALL2(cp_ufunc_reduce, cp_reduce_options, __VA_ARGS__, ._ = 0)

typedef struct cp_chain_options {
    CP_OPTION(bool, typed);     /* dtype is meant */
    CP_OPTION(cp_type, dtype);  /* type to compute in and to return, with `typed` */
    CP_OPTION(cp_array *, out); /* result goes here */
    int _;
} cp_chain_options;
/* What the elements up to each one along an axis give: x's shape. */
CP_API cp_array *cp_ufunc_accumulate(cp_op op, cp_array *x, int axis, const cp_chain_options *options);
#define cp_ufunc_accumulate(...) CP_CALL3(cp_ufunc_accumulate, cp_chain_options, __VA_ARGS__, ._ = 0)
/* What the elements indices[j] to indices[j + 1] - 1 along an axis give (the last: to the end), or the one element
 * indices[j] where that is none. `indices` is 1-d, of whole numbers within the axis; they are read, so this waits. */
CP_API cp_array *cp_ufunc_reduceat(cp_op op, cp_array *x, cp_array *indices, int axis, const cp_chain_options *options);
#define cp_ufunc_reduceat(...) CP_CALL4(cp_ufunc_reduceat, cp_chain_options, __VA_ARGS__, ._ = 0)
/* The operation on every pair of elements: shape a.shape + b.shape. */
CP_API cp_array *cp_ufunc_outer(cp_op op, cp_array *a, cp_array *b, const cp_ufunc_options *options);
#define cp_ufunc_outer(...) CP_CALL3(cp_ufunc_outer, cp_ufunc_options, __VA_ARGS__, ._ = 0)
/* x[places[i]] = op(x[places[i]], b[i]) for one i after the other, so that an element may be named more than once;
 * x[places[i]] = op(x[places[i]]) where the operation has one input and b is NULL. Places are whole numbers, in the
 * flattened x, negative ones from its end; b broadcasts to their shape. */
CP_API cp_code cp_ufunc_at(cp_op op, cp_array *x, cp_array *places, cp_array *b);
/* The same of whole rows, x[rows[i]] along the first axis of an x of one axis or more; b broadcasts to their shape,
 * which is rows' and then that of a row. */
CP_API cp_code cp_ufunc_at_rows(cp_op op, cp_array *x, cp_array *rows, cp_array *b);

#ifdef __cplusplus
}
#endif
#endif
