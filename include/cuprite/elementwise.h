/* Elementwise operations: NumPy's ufuncs.
 *
 * Every operation is a function of NumPy's name, cp_add(a, b), cp_sqrt(a), and has a number, CP_OP_add: operations.h,
 * made from src/array/elementwise/elementwise.def. Operands broadcast; types follow NumPy 2's promotion (NEP 50),
 * where cp_int, cp_float and cp_complex are weak. Operands must be on one device, host scalars go anywhere;
 * the result is a new array on that device. May return before a GPU is done. */
#ifndef CUPRITE_ELEMENTWISE_H
#define CUPRITE_ELEMENTWISE_H

#include "array.h"
#include "cuprite/operations.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cp_ufunc_options {
    CP_OPTION(cp_array *, out);     /* result goes here (broadcast to its shape) instead of into a new array */
    CP_OPTION(cp_array *, where);   /* boolean, broadcast: elements that are false are left as they are */
    CP_OPTION(cp_type, dtype);      /* type to compute in, with `typed`; else as NumPy chooses */
    CP_OPTION(bool, typed);         /* dtype is meant */
    CP_OPTION(cp_casting, casting); /* rule for the operands and out; CP_SAME_KIND by default */
    CP_OPTION(cp_array *const *, outs); /* instead of out, one for each result; a NULL entry: a new array */
    int _;
} cp_ufunc_options;
/* The general call: `in` holds the operation's inputs. Returns a view of out when it is given. */
CP_API cp_array *cp_elementwise(cp_op op, cp_array *const *in, const cp_ufunc_options *options);
/* The same for operations with any number of results, which go to results[]; on failure all of those are NULL.
 * `results` may be NULL where options give an array for each of them. */
CP_API cp_code cp_elementwise_all(cp_op op, cp_array *const *in, cp_array **results, const cp_ufunc_options *options);

/* An operation's row of the table. */
typedef struct cp_op_info {
    const char *name, *doc;
    const char *module;         /* its Python module; NULL: cuprite itself */
    const char *const *aliases; /* other Python names, ended by NULL; NULL: none */
    int nin, nout;
    cp_type in[5];              /* the fixed type of an input; CP_DEFAULT: the computing type, or that of its parts */
    bool has_identity;
    double identity;
    double ulp;                 /* largest error in units in the last place, for float32 and float64 */
    const char *const *body[4]; /* for bool, integers, real and complex numbers: an expression for each result; the
                                   first is NULL where there is no body */
} cp_op_info;
CP_API cp_code cp_op_query(cp_op op, cp_op_info *info);
/* The types to which the operation converts operands of these types, and those of its results (either may be NULL); an
 * error where there is no loop. */
CP_API cp_code cp_op_types(cp_op op, const cp_type *in, cp_type *loop_in, cp_type *loop_out);
/* Operation of that name; CP_NOPS when there is none. */
CP_API cp_op cp_op_from_name(const char *name);

/* Elements of `a` where `condition` is true, else of `b`; all broadcast. */
CP_API cp_array *cp_where(cp_array *condition, cp_array *a, cp_array *b);
/* True when shapes are equal and all elements are (NaN equal to NaN where asked). 1, 0; -1 on failure. */
CP_API int cp_array_equal(cp_array *a, cp_array *b, bool equal_nan);
/* |a - b| <= atol + rtol*|b| elementwise: bool array (numpy.isclose). */
CP_API cp_array *cp_isclose(cp_array *a, cp_array *b, double rtol, double atol, bool equal_nan);
/* The same for all elements: 1, 0; -1 on failure. */
CP_API int cp_allclose(cp_array *a, cp_array *b, double rtol, double atol, bool equal_nan);

#ifdef __cplusplus
}
#endif
#endif
