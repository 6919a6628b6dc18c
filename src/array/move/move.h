/* Moving elements: the slots a backend fills, and what higher layers need besides the public functions.
 *
 * Slots run over a cpi_loop whose op[0] is the output. Operands may have any types and strides; the input may be a
 * host scalar. The output shares no memory with an input unless both are the same elements. */
#ifndef CPI_MOVE_H
#define CPI_MOVE_H

#include "backend/backend.h"
#include "loop/boundary.h"
#include "loop/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An array's location in a larger one: in each dimension its length and the number of elements before it. */
typedef struct cpi_padding {
    cpi_boundary boundary;
    int64_t n[CP_MAXDIM], before[CP_MAXDIM];
    unsigned char value[16] __attribute__((aligned(16))); /* of the array's type, for CPI_BOUNDARY_CONSTANT */
} cpi_padding;

/*: slot("copy_all", host={"loops": "n"}, name='"copy"', bytes="cpi_loop_bytes(n, loops)")
 * slot("ramp", bytes="n * (int64_t)cp_type_size(type)")
 * slot("ramp_int", profiled='"ramp"', bytes="n * (int64_t)cp_type_size(type)")
 * slot("ramp_on", profiled='"ramp"', bytes="n * (int64_t)cp_type_size(type)") */
typedef struct cpi_move_ops {
    /* op[0] = op[1], any two types: astype, assign, fill (host scalar), strided and transposed copies. An
     * optional op[2] is a bool mask. */
    cp_code (*copy)(cp_stream *stream, const cpi_loop *loop);
    /* `n` copies of two operands in any order: no copy writes memory that another one reads or writes. */
    cp_code (*copy_all)(cp_stream *stream, int n, const cpi_loop *loops);
    /* out[i] = start + i*step in float64 (in int64), converted to `type`, to integers by rounding down; contiguous, n
     * >= 0. With use_stop the last element is `stop`. Complex types get the value as their real part. */
    cp_code (*ramp)(cp_stream *stream, void *out, cp_type type, int64_t n, double start, double step, double stop,
                    bool use_stop);
    cp_code (*ramp_int)(cp_stream *stream, void *out, cp_type type, int64_t n, int64_t start, int64_t step);
    /* first, second, and then first + i*(second - first), computed in the floating type `type` (small ones: in
     * float32). first and second are values of that type. */
    cp_code (*ramp_on)(cp_stream *stream, void *out, cp_type type, int64_t n, double first, double second);
    /* op[0] gets op[1] with padding. op[0] is C-contiguous and has at least one dimension and one element. op[1] is
     * of its type and lies in it as `padding` says. No dimension of op[1] is empty where the mode reads its
     * elements. */
    cp_code (*pad)(cp_stream *stream, const cpi_loop *loop, const cpi_padding *padding);
    /* op[0] = op[1] where column - row <= k or (`upper`) >= k, and 0 elsewhere. Both are of one type and share no
     * memory or are the same elements. Rows and columns are the last two dimensions, which are not coalesced with
     * others. */
    cp_code (*triangle)(cp_stream *stream, const cpi_loop *loop, int64_t k, bool upper);
} cpi_move_ops;

#ifndef __CUDACC__
/* A copy of x's values as `type` on x's device (a host scalar's: on the current one), C order; x itself (retained)
 * when it already has all these properties. */
cp_array *cpi_as_contiguous(const char *function, cp_array *x, cp_type type);
/* The one value of x as `type`, in host memory; waits for the device. */
cp_code cpi_item_as(const char *function, const cp_array *x, cp_type type, void *value);
/* cp_assign(to[i], from[i]) for each i, in one slot call where possible. No `to` shares memory with another `to`, nor
 * with the `from` of another one. */
cp_code cpi_assign_all(int n, cp_array *const *to, cp_array *const *from);
#endif

#ifdef __cplusplus
}
#endif
#include "move/slots.h"

#endif
