/* The slots a backend fills for the room elementwise.
 *
 * Every slot runs over a cpi_loop: op[0] is the output, the others the inputs. Operands may have any of the
 * 15 types (they are converted on the fly to the type the operation computes in), any strides, and inputs may
 * be host scalars. The output shares no memory with an input unless both are the same elements (same address,
 * type size and strides); then the operation runs in place. Loops need not be coalesced, but should be; a loop
 * with no element is fine. */
#ifndef CPI_ELEMENTWISE_H
#define CPI_ELEMENTWISE_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/*: slot("all_close", waits=True) */
typedef struct cpi_elementwise_ops {
    /* Operation `op` (a cp_op, or one of the hidden operations of elementwise/table.h) computed in `type`:
     * op[1..nin] are inputs, op[nin + 1], where there, is a bool mask: elements where it is false keep their
     * value. `type` is one that the operation has a body for (cpi_kernel_type). */
    cp_code (*run)(cp_stream *stream, int op, cp_type type, const cpi_loop *loop);
    /* op[0] = op[1] ? op[2] : op[3]; op[1] is converted to bool, op[2] and op[3] to op[0]'s type. */
    cp_code (*select)(cp_stream *stream, const cpi_loop *loop);
    /* op[0] (bool) = |op[1] - op[2]| <= atol + rtol*|op[2]|, computed in `type`: FLOAT32, FLOAT64 or COMPLEX128. */
    cp_code (*close)(cp_stream *stream, cp_type type, const cpi_loop *loop, double rtol, double atol,
                     bool equal_nan);
    /* The same for all elements, the answer on the host; here op[0] and op[1] are the inputs. `type` may be
     * INT64 too (equality of bits), and UINT64: op[0] holds int64 and op[1] uint64 values (exact equality). */
    cp_code (*all_close)(cp_stream *stream, cp_type type, const cpi_loop *loop, double rtol, double atol,
                         bool equal_nan, bool *result);
} cpi_elementwise_ops;

extern const cpi_elementwise_ops cpi_elementwise_cpu;
extern const cpi_elementwise_ops cpi_elementwise_cuda; /* in the plugin */

#ifdef __cplusplus
}
#endif
#endif
