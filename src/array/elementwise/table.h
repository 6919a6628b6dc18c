/* What API layers and backends know of the table beyond the public header: hidden operations, which types an
 * operation has loops for, and the types of its operands.
 *
 * Hidden operations have a kernel but no public name: comparisons of int64 with uint64 values (both operands are
 * passed as int64 bits), and operations on the bits of half types (passed as uint16). */
#ifndef CPI_ELEMENTWISE_TABLE_H
#define CPI_ELEMENTWISE_TABLE_H

#include "core/type_traits.h"
#include "elementwise/operations.h"
#include "move/operands.h"

/* How operands choose the computing type (elementwise.def). */
typedef enum cpi_op_rule {
    CPI_RULE_SAME, CPI_RULE_NUMBER, CPI_RULE_COUNT, CPI_RULE_DIVIDE, CPI_RULE_LOGIC,
    CPI_RULE_DOUBLE, CPI_RULE_ORDER, CPI_RULE_ORDERS
} cpi_op_rule;
/* Elements of a signature besides the types themselves: the computing type, and the type of its parts. */
enum { CPI_TYPE_T = -1, CPI_TYPE_PART = -2 };

typedef struct cpi_op_row {
    const char *name, *doc;
    const char *module;             /* Python module; NULL: cuprite */
    const char *const *aliases;     /* other Python names, terminated by NULL; or NULL */
    uint8_t nin, nout, rule;
    bool function, has_identity;    /* function: takes nanoseconds an element */
    int8_t in[CPI_MAXIN], out[CPI_MAXOUT];
    uint8_t chapter, place;         /* chapter: 0, or that of its tables, where it stands at `place` */
    uint16_t by_bits[CP_NTYPES];     /* half types: the hidden operation on their bits, 0 where they compute as float */
    uint32_t loops;                 /* types that have a loop */
    double identity, ulp;
    const char *text[4][CPI_MAXOUT]; /* bodies of bool, integers, real, complex, by output; NULL where there is none */
} cpi_op_row;

/* The type that an element of a signature stands for when kernels compute in `type`. */
static inline cp_type cpi_word_type(int word, cp_type type)
{
    return word == CPI_TYPE_T ? type : word == CPI_TYPE_PART ? cpi_part_type(type) : (cp_type)word;
}

#ifndef __CUDACC__
extern const cpi_op_row cpi_op_rows[CPI_NKERNELS];

static inline cp_type cpi_in_type(const cpi_op_row *row, int k, cp_type type)
{
    return cpi_word_type(row->in[k], type);
}
static inline cp_type cpi_out_type(const cpi_op_row *row, int k, cp_type type)
{
    return cpi_word_type(row->out[k], type);
}
static inline bool cpi_has_loop(const cpi_op_row *row, cp_type type) { return row->loops >> type & 1; }

/* What cp_NAME of an operation with several results calls: new arrays to *results[k]. */
cp_code cpi_elementwise_into(cp_op op, cp_array *const *in, cp_array **const *results);
#endif

#endif
