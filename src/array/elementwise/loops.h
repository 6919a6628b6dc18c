/* CPU kernels: their signature, and the tables that the *_simd.c files fill, one set per instruction set.
 *
 * A kernel runs over n contiguous elements at op[], the outputs first, of the types in its row. Bit i of `scalars`
 * says that input i is one value for all. Of two inputs at most one is; of three, none or the last two; of four, none.
 * An output may be an input. */
#ifndef CPI_ELEMENTWISE_LOOPS_H
#define CPI_ELEMENTWISE_LOOPS_H

#include "cpu/features.h"
#include "elementwise/table.h"
#include "scalar/convert.h"

typedef void (*cpi_kernel)(void *const *op, int64_t n, unsigned scalars);
typedef void (*cpi_chooser)(void *out, const uint8_t *cond, const void *a, const void *b, int64_t n,
                            unsigned scalars);

typedef struct cpi_tolerance { double rtol, atol; bool equal_nan; } cpi_tolerance;
/* out[i] = is a[i] close to b[i]; at most one of the two is one value. */
typedef void (*cpi_closer)(uint8_t *out, const void *a, const void *b, int64_t n, unsigned scalars,
                           const cpi_tolerance *t);

/* Everything one instruction set offers beside the kernels that move elements (move/kernels.h). */
typedef struct cpi_kernels {
    const cpi_kernel *const *ops;                     /* by computing type, then by operation; NULL: no body */
    const cpi_kernel *mathematics[CP_NTYPES];         /* kernels that replace the rows' loops */
    const cpi_kernel *const (*chapters)[CP_NTYPES];   /* by chapter and computing type: its operations' kernels */
    const cpi_closer *close;                          /* float32, float64, complex128, int64, int64 with uint64 */
    cpi_chooser choose[5];                            /* by log2 of the element's size */
} cpi_kernels;

#define CPI_DECLARE_SET(isa)                   \
    extern const cpi_kernels cpi_kernels_##isa;
CPI_DECLARE_SET(v2) CPI_DECLARE_SET(v3) CPI_DECLARE_SET(v4)
/* The kernel of an operation in a computing type; NULL where there is none. */
static inline cpi_kernel cpi_kernel_of(const cpi_kernels *set, int op, cp_type type)
{
    const cpi_op_row *row = &cpi_op_rows[op];
    const cpi_kernel f = set->mathematics[type] ? set->mathematics[type][op] : NULL;
    if (f) return f;
    if (!row->chapter) return set->ops[type] ? set->ops[type][op] : NULL;
    const cpi_kernel *chapter = set->chapters[row->chapter][type];
    return chapter ? chapter[row->place] : NULL;
}
/* Which inputs may be single values, as a set of `scalars` of a kernel (above). */
static inline unsigned cpi_scalars_allowed(const cpi_op_row *row)
{
    return row->nin == 2 ? 1 | 2 | 4 : row->nin == 3 ? 1 | 1 << 6 : 1;
}
/* Those of this processor. */
const cpi_kernels *cpi_kernels_best(void);

#endif
