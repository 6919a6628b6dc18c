/* The N-d loop: how every operation on the CPU iterates over arrays, as nditer does in NumPy.
 *
 * A loop is made by broadcasting operands to one shape (cpi_loop_init), coalesced to as few axes as the strides allow
 * (cpi_loop_coalesce, or cpi_axes_coalesce for strides that are kept elsewhere), split into tasks (cpi_split,
 * cpi_cut of cpu/threads.h), and iterated: cpi_unravel finds where a task begins, cpi_next and cpi_advance go on from
 * there. README.md has an example.
 *
 * Invariant: axes are in C order, the last one is the innermost; strides are in bytes. Coalescing changes neither the
 * set of element tuples nor, without CPI_LOOP_REVERSE and CPI_LOOP_ORDER, their order. */
#ifndef CPI_LOOP_H
#define CPI_LOOP_H

#include "core/shape.h"

#define CPI_MAXOPS 8
/* One operand of a loop: `data` is device memory, or, when `host`, one value in host memory (strides 0). */
typedef struct cpi_operand {
    char *data;
    cp_type type;
    bool host;
    int64_t strides[CP_MAXDIM]; /* bytes, one for each dimension of the loop */
} cpi_operand;
/* What a kernel runs over: the last dimension is the innermost. */
typedef struct cpi_loop {
    int nop, ndim;
    int64_t size;               /* product of shape; 1 for ndim 0 */
    int64_t shape[CP_MAXDIM];
    cpi_operand op[CPI_MAXOPS];
} cpi_loop;

#ifndef __CUDACC__

/* A loop over (ndim, shape) with `nop` arrays broadcast to it; the arrays must fit (checked by the caller with
 * cpi_broadcast). `shape` may have length 1 where the arrays are longer: that axis stays apart (README.md), and the
 * loop is over the arrays' first elements along it. */
void cpi_loop_init(cpi_loop *loop, int ndim, const int64_t *shape, int nop, const cp_array *const *arrays);
/* cpi_axes_coalesce with CPI_LOOP_REVERSE and CPI_LOOP_ORDER: fewest axes, operand 0 forwards and innermost. */
void cpi_loop_coalesce(cpi_loop *loop);

/* Bytes of the elements of all operands of n loops, each element of an operand counted once. */
int64_t cpi_loop_bytes(int n, const cpi_loop *loops);

/* Axes of any number of operands, whose strides may be kept anywhere. */
typedef struct cpi_loop_axes {
    int ndim, nop;
    int64_t *shape;
    int64_t *const *strides; /* of operand k along axis d: strides[k][d] */
    int64_t *moved;          /* of operand k: bytes that reversing adds to its data. Without REVERSE it may be NULL */
} cpi_loop_axes;

/* REVERSE: reverses an axis where the first operand with a non-zero stride has a negative one. ORDER: the axis with
 * the smallest stride becomes the innermost; the first operand in which two axes have different non-zero strides
 * decides. The sort is stable. BY_OPERAND_0: for both, operand 0 alone decides; axes along which its stride is 0 become
 * the outermost. */
enum { CPI_LOOP_REVERSE = 1, CPI_LOOP_ORDER = 2, CPI_LOOP_BY_OPERAND_0 = 4 };
/* Drops axes of length 1, reverses and orders axes where `how` says so, and merges neighbours that all operands
 * iterate with one stride. Axes of length 0 are not reversed. Returns the number of axes left, which is also
 * a->ndim. */
int cpi_axes_coalesce(cpi_loop_axes *a, unsigned how);

/* --- splitting --- */

/* Splits n items of `each` units of work (elements, bytes) into tasks of at most `most` units, but at least one item.
 * Returns the number of tasks, and the items of one in *per_task. n >= 0. */
static inline int64_t cpi_split(int64_t n, int64_t each, int64_t most, int64_t *per_task)
{
    *per_task = each < most ? most / each : 1;
    return n <= *per_task ? n > 0 : (n - 1) / *per_task + 1; /* no division in the small case */
}

/* --- iterating --- */

/* The coordinate along an axis of length n, the innermost of those that *flat counts; *flat then counts the outer
 * ones. */
static inline int64_t cpi_unravel_axis(int64_t n, int64_t *flat)
{
    if (*flat < n) { /* a division costs small arrays more than all else */
        const int64_t at = *flat;
        *flat = 0;
        return at;
    }
    const int64_t rest = *flat / n, at = *flat - rest * n;
    *flat = rest;
    return at;
}

/* The coordinates of element `flat` (C order). For flat == size the first coordinate is the first length. */
static inline void cpi_unravel(int ndim, const int64_t *shape, int64_t flat, int64_t *at)
{
    for (int d = ndim - 1; d > 0; d--) at[d] = cpi_unravel_axis(shape[d], &flat);
    if (ndim) at[0] = flat;
}

static inline int64_t cpi_offset(int ndim, const int64_t *at, const int64_t *strides)
{
    int64_t offset = 0;
    for (int d = 0; d < ndim; d++) offset += at[d] * strides[d];
    return offset;
}

/* The offsets of element `flat` in `nop` operands. */
static inline void cpi_offsets(int ndim, const int64_t *shape, int64_t flat, int nop, const int64_t *const *strides,
                               int64_t *offset)
{
    for (int k = 0; k < nop; k++) offset[k] = 0;
    for (int d = ndim - 1; d >= 0 && flat; d--) {
        const int64_t at = d ? cpi_unravel_axis(shape[d], &flat) : flat;
        for (int k = 0; k < nop; k++) offset[k] += at * strides[k][d];
    }
}

/* The next coordinates in C order; false after the last element, with all coordinates 0 again. */
static inline bool cpi_next(int ndim, const int64_t *shape, int64_t *at)
{
    for (int d = ndim - 1; d >= 0; d--) {
        if (++at[d] < shape[d]) return true;
        at[d] = 0;
    }
    return false;
}

/* The beginning of the next row: of the innermost axis. */
static inline bool cpi_next_row(int ndim, const int64_t *shape, int64_t *at)
{
    if (!ndim) return false;
    at[ndim - 1] = 0;
    return cpi_next(ndim - 1, shape, at);
}

/* cpi_next, with the offsets of `nop` operands. */
static inline bool cpi_next_offsets(int ndim, const int64_t *shape, int64_t *at, int nop, const int64_t *const *strides,
                                    int64_t *offset)
{
    for (int d = ndim - 1; d >= 0; d--) {
        for (int k = 0; k < nop; k++) offset[k] += strides[k][d];
        if (++at[d] < shape[d]) return true;
        for (int k = 0; k < nop; k++) offset[k] -= shape[d] * strides[k][d];
        at[d] = 0;
    }
    return false;
}

/* Moves `steps` along the innermost axis, at most to its end, which is the beginning of the next row. After the last
 * row the first coordinate is the first length. */
static inline void cpi_advance(int ndim, const int64_t *shape, int64_t steps, int64_t *at)
{
    int d = ndim - 1;
    if (d < 0) return;
    at[d] += steps;
    for (; d > 0 && at[d] == shape[d]; d--) at[d] = 0, at[d - 1]++;
}

/* cpi_advance, with the offsets of `nop` operands. */
static inline void cpi_advance_offsets(int ndim, const int64_t *shape, int64_t steps, int64_t *at, int nop,
                                       const int64_t *const *strides, int64_t *offset)
{
    int d = ndim - 1;
    if (d < 0) return;
    at[d] += steps;
    for (int k = 0; k < nop; k++) offset[k] += steps * strides[k][d];
    for (; d > 0 && at[d] == shape[d]; d--) {
        for (int k = 0; k < nop; k++) offset[k] += strides[k][d - 1] - at[d] * strides[k][d];
        at[d] = 0, at[d - 1]++;
    }
}

/* Do all axes continue one another, so that the whole is one axis with the innermost stride? */
static inline bool cpi_is_one_axis(int ndim, const int64_t *shape, const int64_t *strides)
{
    for (int d = ndim - 1; d > 0; d--)
        if (strides[d - 1] != strides[d] * shape[d]) return false;
    return true;
}

#endif
#endif
