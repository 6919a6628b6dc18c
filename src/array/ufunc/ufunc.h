/* What the fronts of this room share. */
#ifndef CPI_UFUNC_H
#define CPI_UFUNC_H

#include "elementwise/elementwise.h"
#include "elementwise/resolve.h"
#include "operands/operands.h"

/* x's elements as `type` on the device: x itself (retained) where they are; imaginary parts that are lost are warned
 * of. */
cp_array *cpi_ufunc_operand(const char *function, cp_array *x, cp_type type, cpi_device *device);
/* Waits until the device has looked at indices, of which it then knows `known`: a wrong one is told here. Nobody waits
 * where nobody may. (at.c) */
cp_code cpi_hear_of_indices(cpi_device *device, const int64_t *known);
/* The call has failed; a wrong index is told instead, as NumPy does, and not to whoever comes next. */
void cpi_fail_after_indices(cpi_device *device, const int64_t *known);
/* The operation and the type that kernels know it by: some operations on halves are others on their bits. */
static inline int cpi_ufunc_kernel(int op, cp_type type, cp_type *compute)
{
    int bits = cpi_op_rows[op].by_bits[type];
    *compute = bits ? (cp_type)__builtin_ctz(cpi_op_rows[bits].loops) : cpi_compute_type(type);
    return bits ? bits : op;
}

#endif
