/* Moving elements: the slots a backend fills, and what the rooms above need besides the public functions.
 *
 * Slots run over a cpi_loop whose op[0] is the output. Operands may have any types and strides; the input may be a host
 * scalar. The output shares no memory with an input unless both are the same elements. */
#ifndef CPI_MOVE_H
#define CPI_MOVE_H

#include "backend/backend.h"
#include "loop/boundary.h"
#include "loop/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of an array within a larger one: in each dimension its extent and the places before it. */
typedef struct cpi_padding {
    cpi_boundary boundary;
    int64_t n[CP_MAXDIM], before[CP_MAXDIM];
    unsigned char value[16] __attribute__((aligned(16))); /* of the array's type, for CPI_BOUNDARY_CONSTANT */
} cpi_padding;

/*: slot("copy_all", host={"loops": "n"}, name='"copy"') */
typedef struct cpi_move_ops {
    /* op[0] = op[1], any two types: astype, assign, fill (host scalar), strided and transposed copies. An
     * optional op[2] is a bool mask. */
    cp_code (*copy)(cp_stream *stream, const cpi_loop *loop);
    /* `n` copies of two operands in any order: none writes what another one touches. */
    cp_code (*copy_all)(cp_stream *stream, int n, const cpi_loop *loops);
    /* out[i] = start + i*step in float64 (in int64), converted to `type`, integers by rounding down; contiguous,
     * n >= 0. With use_stop the last element is `stop`. Complex types get the value as their real part. */
    cp_code (*ramp)(cp_stream *stream, void *out, cp_type type, int64_t n, double start, double step, double stop,
                    bool use_stop);
    cp_code (*ramp_int)(cp_stream *stream, void *out, cp_type type, int64_t n, int64_t start, int64_t step);
    /* first, second, and from there on first + i*(second - first), in the floating `type` itself (small ones: in
     * float32), of which both are values. */
    cp_code (*ramp_on)(cp_stream *stream, void *out, cp_type type, int64_t n, double first, double second);
    /* op[0], C-contiguous and of at least one dimension and element, gets op[1], which is of its type and lies in it as
     * the padding says, and what the padding has around that. No extent is 0 where its elements are asked for. */
    cp_code (*pad)(cp_stream *stream, const cpi_loop *loop, const cpi_padding *padding);
    /* op[0] = op[1], of one type, and nothing or element for element the same memory: where column - row <= k or
     * (`upper`) >= k, and 0 elsewhere. Rows and columns are the last two dimensions, with which no other is joined. */
    cp_code (*triangle)(cp_stream *stream, const cpi_loop *loop, int64_t k, bool upper);
} cpi_move_ops;

#ifndef __CUDACC__
/* A copy of x's values as `type` on x's device (a host scalar's: on the current one), C order; x itself (retained)
 * when it already is all that. */
cp_array *cpi_as_contiguous(const char *function, cp_array *x, cp_type type);
/* The one value of x as `type`, in host memory; waits for the device. */
cp_code cpi_item_as(const char *function, const cp_array *x, cp_type type, void *value);
/* cp_assign(to[i], from[i]) for each i, given to the device together where it can be. No `to` shares memory with
 * another one, nor with the `from` of another one. */
cp_code cpi_assign_all(int n, cp_array *const *to, cp_array *const *from);
#endif

#ifdef __cplusplus
}
#endif
#include "move/slots.h"

#endif
