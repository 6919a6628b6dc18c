/* Which kernel serves an operation on given operands: NumPy 2's type rules, in one file. */
#ifndef CPI_ELEMENTWISE_RESOLVE_H
#define CPI_ELEMENTWISE_RESOLVE_H

#include "core/array.h"
#include "elementwise/table.h"

typedef struct cpi_plan {
    int op;            /* the kernel's index: the operation, a hidden one, or a faster equivalent */
    int nin;           /* inputs of that kernel */
    cp_type type;      /* type that the loop computes in (half types included) */
    cp_type out[CPI_MAXOUT]; /* types of its results */
    bool swap;         /* the kernel takes the two inputs in reverse order */
} cpi_plan;

/* The plan for inputs and outputs (NULL where new), or an error named after the operation: TYPE where it has no loop
 * for the operands, CASTING where the rule forbids a conversion, OVERFLOW for a weak integer that the type cannot hold,
 * VALUE for an integer to a negative weak power. */
cp_code cpi_resolve(cp_op op, cp_array *const *in, cp_array *const *out, const cp_ufunc_options *options,
                    cpi_plan *plan);
/* The type in which reduce, accumulate and reduceat of the operation compute. The accumulator is of type `first`, the
 * elements of type `second`; where `typed`, the type asked for. CP_DEFAULT and an error where the result's type
 * differs from the first input's. */
cp_type cpi_resolve_accumulate(cp_op op, cp_type first, cp_type second, bool typed, cp_type wanted);
/* Does the loop of that type have both inputs and the result of it? */
bool cpi_is_accumulated(const cpi_op_row *row, cp_type type);
/* The value of host scalar `x` as `type`, for operation `op` (clip saturates integers beyond the type's range). */
void cpi_scalar_value(cp_op op, const cp_array *x, cp_type type, void *value);

#endif
