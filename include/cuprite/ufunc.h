/* Methods of NumPy's ufuncs: reduce, accumulate and reduceat along an axis, outer for all pairs, at for given indices.
 *
 * Types are NumPy's: an operation computes in the type that its elements and `out` choose, and the result of reduce and
 * accumulate has that type; sums and products of integers of less than 64 bits are made in 64 bits. Elements are
 * combined in order. Operations that may be reassociated (those with an identity, minima and maxima) are split by the
 * size of the axis alone, so the same input gives the same bits. */
#ifndef CUPRITE_UFUNC_H
#define CUPRITE_UFUNC_H

#include "elementwise.h"
#include "reduce.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Combines the elements along axes; by the reduction of reduce.def that repeats the operation, where there is one.
 * Several axes need an operation that may be reassociated; options of moments (ddof, mean) are ignored. */
CP_API cp_array *cp_ufunc_reduce(cp_op op, cp_array *x, const cp_reduce_options *options);
#define cp_ufunc_reduce(...) CP_CALL2(cp_ufunc_reduce, cp_reduce_options, __VA_ARGS__, ._ = 0)

typedef struct cp_accumulate_options {
    CP_OPTION(bool, typed);     /* dtype is meant */
    CP_OPTION(cp_type, dtype);  /* type to compute in and to return, with `typed` */
    CP_OPTION(cp_array *, out); /* result goes here */
    int _;
} cp_accumulate_options;
/* The result of the elements up to each one along an axis: x's shape. */
CP_API cp_array *cp_ufunc_accumulate(cp_op op, cp_array *x, int axis, const cp_accumulate_options *options);
#define cp_ufunc_accumulate(...) CP_CALL3(cp_ufunc_accumulate, cp_accumulate_options, __VA_ARGS__, ._ = 0)
/* Reduces the elements indices[j] to indices[j + 1] - 1 along an axis (the last: to the end), or gives the element
 * indices[j] where that range is empty. `indices` holds integers within the axis and is 1-d; they are read, so this
 * waits. */
CP_API cp_array *cp_ufunc_reduceat(cp_op op, cp_array *x, cp_array *indices, int axis,
                                   const cp_accumulate_options *options);
#define cp_ufunc_reduceat(...) CP_CALL4(cp_ufunc_reduceat, cp_accumulate_options, __VA_ARGS__, ._ = 0)
/* The operation on every pair of elements: shape a.shape + b.shape. */
CP_API cp_array *cp_ufunc_outer(cp_op op, cp_array *a, cp_array *b, const cp_ufunc_options *options);
#define cp_ufunc_outer(...) CP_CALL3(cp_ufunc_outer, cp_ufunc_options, __VA_ARGS__, ._ = 0)
/* x[places[i]] = op(x[places[i]], b[i]) for one i after the other, so that an index may occur more than once;
 * x[places[i]] = op(x[places[i]]) where the operation has one input and b is NULL. `places` are integer indices into
 * the flattened x, negative ones from its end; b broadcasts to their shape. */
CP_API cp_code cp_ufunc_at(cp_op op, cp_array *x, cp_array *places, cp_array *b);
/* The same for whole rows, x[rows[i]] along the first axis of an x of one axis or more; b broadcasts to the shape of
 * rows followed by that of a row. */
CP_API cp_code cp_ufunc_at_rows(cp_op op, cp_array *x, cp_array *rows, cp_array *b);

#ifdef __cplusplus
}
#endif
#endif
