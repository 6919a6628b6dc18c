/* What fronts and backends know of the table beyond the public header: hidden operations, which types an operation
 * has bodies for, and what its result's type is.
 *
 * Hidden operations have a kernel but no public name: comparisons of int64 with uint64 values (both operands are
 * passed as int64 bits), and nextafter of the half types (passed as uint16 bits). */
#ifndef CPI_ELEMENTWISE_TABLE_H
#define CPI_ELEMENTWISE_TABLE_H

#include "cuprite/elementwise.h"

enum {
    CPI_OP_FIRST_HIDDEN = CP_NOPS - 1,
#define CP_ELEMENTWISE(name, ...) CP_OP_##name,
#include "elementwise/mixed.def"
#include "elementwise/halves.def"
#undef CP_ELEMENTWISE
    CPI_NKERNELS
};

typedef enum cpi_op_class {
    CPI_CLASS_SAME, CPI_CLASS_TRUTH, CPI_CLASS_PART, CPI_CLASS_NUMBER, CPI_CLASS_DIVIDE, CPI_CLASS_LOGIC
} cpi_op_class;

/* Is there a body? CPI_HAS(DO(...)) is 1, CPI_HAS(NONE) 0. */
#define CPI_HAS_DO(...) 1
#define CPI_HAS_NONE 0
#define CPI_HAS(body) CPI_HAS_##body
#define CPI_EXPR_DO(...) (__VA_ARGS__)
#define CPI_EXPR_NONE 0
#define CPI_JOIN_(a, b) a##b
#define CPI_JOIN(a, b) CPI_JOIN_(a, b)

/* The type in which a kernel leaves its result when it computes in `type`. */
static inline cp_type cpi_result_type(cpi_op_class c, cp_type type)
{
    if (c == CPI_CLASS_TRUTH || c == CPI_CLASS_LOGIC) return CP_BOOL;
    if (c == CPI_CLASS_PART && type == CP_COMPLEX64) return CP_FLOAT32;
    if (c == CPI_CLASS_PART && type == CP_COMPLEX128) return CP_FLOAT64;
    return type;
}


typedef struct cpi_op_row {
    const char *name, *doc;
    uint8_t nin, rule, kinds; /* kinds: bits CPI_KIND_* of the bodies that exist */
    bool has_identity;
    double identity, ulp;
} cpi_op_row;
enum { CPI_KIND_BOOL = 1, CPI_KIND_INT = 2, CPI_KIND_FLOAT = 4, CPI_KIND_COMPLEX = 8 };

#ifndef __CUDACC__
extern const cpi_op_row cpi_op_rows[CPI_NKERNELS];
#endif

#endif
