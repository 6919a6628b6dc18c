/* Inline PTX as C++: ptx.c reads asm statements, ptx_instructions.c writes one instruction. */
#ifndef CPI_KERNEL_PTX_H
#define CPI_KERNEL_PTX_H

#include "kernel/translate.h"

enum { CPI_PTX_OPERANDS = 30, CPI_PTX_PARTS = 16, CPI_PTX_WORD = 64, CPI_PTX_MARK = '\1' };

/* One asm statement. In its text %0 is CPI_PTX_MARK and the number, %% is %. */
typedef struct cpi_ptx {
    cpi_string *out;
    int line, number; /* the user's line; which asm statement of the source it is */
    char constraint[CPI_PTX_OPERANDS];
    int noperands;
    bool kernel; /* it stands in a kernel: exit is return */
    cpi_string registers; /* the names that its text declares, with blanks around each */
} cpi_ptx;

/* An instruction: its opcode's parts, and its operands. */
typedef struct cpi_ptx_instruction {
    char opcode[CPI_PTX_WORD * 2], parts[CPI_PTX_PARTS][CPI_PTX_WORD];
    int nparts;
    const char *operand[CPI_PTX_PARTS];
    size_t length[CPI_PTX_PARTS];
    int noperands;
} cpi_ptx_instruction;

/* Replaces the source's asm statements. False: `*text` is as it was, with an error record. */
bool cpi_ptx_translate(char **text);
/* Writes an instruction. False: it is not known (no record). */
bool cpi_ptx_put(cpi_ptx *x, const cpi_ptx_instruction *i);
/* The C++ type of ".u32", NULL: it is none. */
const char *cpi_ptx_type(const char *part);
/* Whether an operand is %NAME of a register that there is not. */
bool cpi_ptx_is_unknown(const cpi_ptx *x, const char *operand, size_t length);
/* Of ptx_instructions.c, for ptx_half.c: whether the opcode has a part; whether it has no others than types, those
 * `allowed` and what changes nothing here; operand k as a source; `set(register, ` of operand 0; the address of operand
 * k; whether that is in shared memory. */
bool cpi_ptx_has(const cpi_ptx_instruction *i, const char *part);
bool cpi_ptx_known(const cpi_ptx_instruction *i, const char *const *allowed);
bool cpi_ptx_put_argument(cpi_ptx *x, const cpi_ptx_instruction *i, int k, const char *type);
bool cpi_ptx_open_result(cpi_ptx *x, const cpi_ptx_instruction *i);
bool cpi_ptx_put_address(cpi_ptx *x, const cpi_ptx_instruction *i, int k, int more, bool shared);
bool cpi_ptx_is_shared(const cpi_ptx_instruction *i);
/* ptx_half.c: as cpi_ptx_put, of numbers of 16 bits and pairs of them; what holds the bits of one, by its PTX name. */
const char *cpi_ptx_half_bits(const char *part);
bool cpi_ptx_put_half(cpi_ptx *x, const cpi_ptx_instruction *i);
/* Writes an operand that is read, as type `type`; NULL: as it is. */
bool cpi_ptx_put_source(cpi_ptx *x, const char *operand, size_t length, const char *type);

#endif
