/* Elementwise operations: NumPy's ufuncs.
 *
 * One row of elementwise.def is one operation. Operands broadcast; types follow NumPy 2's promotion (NEP 50),
 * where cp_int, cp_float and cp_complex are weak. Operands must be on one device, host scalars go anywhere;
 * the result is a new array on that device. May return before a GPU is done. */
#ifndef CUPRITE_ELEMENTWISE_H
#define CUPRITE_ELEMENTWISE_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* CP_OP_add, CP_OP_sqrt, ...: the operations by number. */
typedef enum cp_op {
#define CP_ELEMENTWISE(name, ...) CP_OP_##name,
#include "elementwise.def"
#undef CP_ELEMENTWISE
    CP_NOPS
} cp_op;

/* Every operation by NumPy's name: cp_add(a, b), cp_sqrt(a), cp_clip(a, lo, hi), ... */
#define CP_ARGS_1 (cp_array * a)
#define CP_ARGS_2 (cp_array * a, cp_array * b)
#define CP_ARGS_3 (cp_array * a, cp_array * b, cp_array * c)
#define CP_ELEMENTWISE(name, nin, ...) CP_API cp_array *cp_##name CP_ARGS_##nin;
#include "elementwise.def"
#undef CP_ELEMENTWISE

typedef struct cp_ufunc_options {
    CP_OPTION(cp_array *, out);     /* result goes here (broadcast to its shape) instead of into a new array */
    CP_OPTION(cp_array *, where);   /* boolean, broadcast: elements that are false are left as they are */
    CP_OPTION(cp_type, dtype);      /* type to compute in, with `typed`; else as NumPy chooses */
    CP_OPTION(bool, typed);         /* dtype is meant */
    CP_OPTION(cp_casting, casting); /* rule for the operands and out; CP_SAME_KIND by default */
    int _;
} cp_ufunc_options;
/* The general call: `in` holds the operation's inputs. Returns out (retained) when it is given. */
CP_API cp_array *cp_elementwise(cp_op op, cp_array *const *in, const cp_ufunc_options *options);

/* What the table says of an operation. */
typedef struct cp_op_info {
    const char *name, *doc;
    int nin;
    bool has_identity;
    double identity;
    double ulp;          /* largest error in units in the last place, for float32 and float64 */
} cp_op_info;
CP_API cp_code cp_op_query(cp_op op, cp_op_info *info);
/* The operation's result and computing types for operands of these types; an error where there is none. */
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
