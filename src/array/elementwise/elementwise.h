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
#include "loop/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lanes of n elements, each joined one after the other by `op`, an operation T,T->T that computes in `type`:
 * r = op(r, x[i]), rounded to `held` after every step. The lanes are walked by the dimensions shape[]; in lane l the
 * elements lie `x_along` bytes apart. Where `first` is not NULL, the last dimension counts stretches instead: that of
 * place j has the elements first[j] to last[j] - 1 (at least one) and x_step 0 there.
 *
 * every:   out gets r after each element, `out_along` bytes apart; it may be x itself, element for element
 * started: r begins as what out holds, else as the first element, which there must be
 * where:   elements whose byte is 0 are passed over; only where r is started and not every one is wanted */
typedef struct cpi_ufunc_reduction {
    int op;
    cp_type type, held;         /* held: of x's and out's elements: `type`, or a half type that computes in it */
    bool every, started;
    int ndim;
    int64_t slices, shape[CP_MAXDIM], x_step[CP_MAXDIM], out_step[CP_MAXDIM], where_step[CP_MAXDIM];
    int64_t n, x_along, out_along, where_along;
    const char *x;
    char *out;
    const uint8_t *where;
    const int64_t *first, *last; /* device memory */
} cpi_ufunc_reduction;

/* x[position[i]] = op(x[position[i]], v[i]) for each i, one after the other; without v: op(x[position[i]]). */
typedef struct cpi_indexed {
    int op;
    cp_type type;               /* that the operation computes in */
    cp_type x_type;             /* of x, whose elements are dense, x_size bytes each; they are converted */
    char *x;
    int64_t x_n, x_size;        /* elements */
    int64_t n;
    const int64_t *position;    /* device memory */
    const char *v;              /* of the type that the operation's second input has, v_step bytes apart; NULL: none */
    int64_t v_step;
} cpi_indexed;

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
    cp_code (*accumulate)(cp_stream *stream, const cpi_ufunc_reduction *c);
    /* Where `at_in_order` is false, equal places are neighbours, none is negative or beyond x, and the operation's
     * inputs and its result have one type. */
    cp_code (*at)(cp_stream *stream, const cpi_indexed *p);
    bool at_in_order;     /* any places in any order (CP_ERROR_INDEX for wrong ones), and any types */
} cpi_elementwise_ops;
/*: value("at_in_order", cpu="true") */


#ifdef __cplusplus
}
#endif
#include "elementwise/slots.h"

#endif
