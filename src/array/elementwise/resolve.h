/* Which kernel serves an operation for given operands: NumPy 2's rules for types, in one place. */
#ifndef CPI_ELEMENTWISE_RESOLVE_H
#define CPI_ELEMENTWISE_RESOLVE_H

#include "core/array.h"
#include "elementwise/table.h"

typedef struct cpi_plan {
    int op;            /* the kernel's number: the operation, a hidden one, or one that gives the same faster */
    int nin;           /* inputs of that kernel */
    cp_type type;      /* type that the loop computes in (half types included) */
    cp_type out[CPI_MAXOUT]; /* types of its results */
    bool swap;         /* the kernel takes the two inputs the other way round */
} cpi_plan;

/* The plan for inputs and outputs (NULL where new), or an error named after the operation: TYPE where it has no loop
 * for the operands, CASTING where the rule forbids a conversion, OVERFLOW for a weak integer that the type cannot hold,
 * VALUE for an integer to a negative weak power. */
cp_code cpi_resolve(cp_op op, cp_array *const *in, cp_array *const *out, const cp_ufunc_options *options,
                    cpi_plan *plan);
/* The type in which a chain of the operation computes (reduce, accumulate, reduceat), whose running value is of type
 * `first` and whose elements are of type `second`, or, `typed`, the one asked for; CP_DEFAULT and an error where the
 * result is of another type than the first input. */
cp_type cpi_resolve_accumulate(cp_op op, cp_type first, cp_type second, bool typed, cp_type wanted);
/* Are both inputs and the result of the loop of that type of it? */
bool cpi_is_accumulated(const cpi_op_row *row, cp_type type);
/* The value of host scalar `x` as `type`, for operation `op` (clip takes integers beyond the range as its ends). */
void cpi_scalar_value(cp_op op, const cp_array *x, cp_type type, void *value);

#endif
