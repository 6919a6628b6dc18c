/* The slots a backend fills for the module elementwise.
 *
 * Every slot runs over a cpi_loop: op[0] is the output, the others are the inputs. Operands may have any of the 15
 * types; they are converted on the fly to the computing type. They may have any strides, and inputs may be host
 * scalars. The output shares no memory with an input unless both are the same elements (same address, type size and
 * strides); then the operation runs in place. Loops need not be coalesced, but should be. A loop with no element is
 * fine. */
#ifndef CPI_ELEMENTWISE_H
#define CPI_ELEMENTWISE_H

#include "backend/backend.h"
#include "loop/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Slices of n elements, each joined in order by `op`, an operation T,T->T that computes in `type`: r = op(r, x[i]),
 * rounded to `held` after every element. The dimensions shape[] iterate over the slices. In a slice the elements lie
 * `x_along` bytes apart. Where `first` is not NULL, the last dimension counts segments instead: segment j has the
 * elements first[j] to last[j] - 1 (at least one), and x_step is 0 along it.
 *
 * every:   out gets r after each element, `out_along` bytes apart; it may be x itself, element for element
 * started: r begins as out's value, else as the first element, which must exist
 * where:   elements whose byte is 0 are skipped; only where `started` and not `every` */
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
    cp_type type;               /* the computing type */
    cp_type x_type;             /* of x, whose elements are contiguous, x_size bytes each; they are converted */
    char *x;
    int64_t x_n, x_size;        /* elements */
    int64_t n;
    const int64_t *position;    /* device memory */
    const char *v;              /* of the type of the operation's second input, v_step bytes apart; NULL: none */
    int64_t v_step;
} cpi_indexed;

/*: slot("run", profiled="cpi_op_rows[op].name")
 * slot("select", profiled='"where"')
 * slot("all_close", waits=True)
 * slot("accumulate", profiled="cpi_op_rows[c->op].name", bytes="c->slices * c->n * (int64_t)cp_type_size(c->type)")
 * slot("at", profiled="cpi_op_rows[p->op].name", bytes="p->n * (8 + 2 * p->x_size)") */
typedef struct cpi_elementwise_ops {
    /* Operation `op` (a cp_op, or one of the hidden operations of elementwise/table.h) computed in `type`. op[1..nin]
     * are inputs. op[nin + 1], where there, is a bool mask: elements where it is false keep their value. `type` is
     * one that the operation has a body for (cpi_kernel_type). */
    cp_code (*run)(cp_stream *stream, int op, cp_type type, const cpi_loop *loop);
    /* op[0] = op[1] ? op[2] : op[3]; op[1] is converted to bool, op[2] and op[3] to op[0]'s type. */
    cp_code (*select)(cp_stream *stream, const cpi_loop *loop);
    /* op[0] (bool) = |op[1] - op[2]| <= atol + rtol*|op[2]|, computed in `type`: FLOAT32, FLOAT64 or COMPLEX128. */
    cp_code (*close)(cp_stream *stream, cp_type type, const cpi_loop *loop, double rtol, double atol,
                     bool equal_nan);
    /* The same for all elements, the answer on the host; here op[0] and op[1] are the inputs. `type` may also be
     * INT64 (equality of bits) and UINT64: op[0] holds int64 and op[1] uint64 values (exact equality). */
    cp_code (*all_close)(cp_stream *stream, cp_type type, const cpi_loop *loop, double rtol, double atol,
                         bool equal_nan, bool *result);
    cp_code (*accumulate)(cp_stream *stream, const cpi_ufunc_reduction *c);
    /* Where `at_in_order` is false, equal indices are neighbours, none is negative or out of range, and the
     * operation's inputs and its result have one type. */
    cp_code (*at)(cp_stream *stream, const cpi_indexed *p);
    bool at_in_order;     /* any indices in any order (CP_ERROR_INDEX when out of range), and any types */
} cpi_elementwise_ops;
/*: value("at_in_order", cpu="true") */


#ifdef __cplusplus
}
#endif
#include "elementwise/slots.h"

#endif
