/* Fused expressions: a string of elementwise operations that is computed in one pass, without temporary arrays.
 *
 * A source string is one expression, or statements separated by semicolons or line ends, the last of which is the
 * result (or `return e1, e2` for several):
 *
 *     t = a*x; where(t > 0, exp(t), 0) + y
 *
 * Operators and their precedence are Python's (+ - * / // % ** & | ^ ~ << >> and comparisons; no `and`, `or`, `not`).
 * Functions are the elementwise operations by name (operations.h, and NumPy's other names of them), where(c, a, b), and
 * the names of types, which convert as cp_astype does: float32(x). `q, r = divmod(a, b)` takes both results. Numbers
 * are weak as Python's are, and expressions of numbers alone follow Python's arithmetic; float32(2) has that type.
 * True, False, inf and nan are known; # begins a comment.
 *
 * Results have the types and the bits that separate calls give. So do errors, with the column of the source string
 * appended. On the CPU a sequence of operations runs block by block, and blocks stay in the cache; elsewhere operations
 * run one after the other. Common subexpressions are computed once. */
#ifndef CUPRITE_FUSE_H
#define CUPRITE_FUSE_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A parsed source string: made once, run many times, by several threads at once. */
typedef struct cp_fusion cp_fusion;

/* `names` are the operands' in their order; NULL: the names that the source uses and does not assign, in order of
 * appearance. CP_ERROR_VALUE, with the column, for invalid source. */
CP_API cp_fusion *cp_fusion_new(const char *text, int n, const char *const *names);
CP_API void cp_fusion_free(cp_fusion *f); /* NULL is fine */
/* The numbers of operands and of results (0 for NULL). */
CP_API int cp_fusion_operands(const cp_fusion *f); /* number of operands */
CP_API const char *cp_fusion_operand(const cp_fusion *f, int k); /* a name; NULL where there is none */
CP_API int cp_fusion_results(const cp_fusion *f); /* number of results */

typedef struct cp_fused_options {
    CP_OPTION(cp_array *, out);          /* the first result goes here instead of into a new array */
    CP_OPTION(cp_array *const *, outs);  /* instead of out, one for each result; a NULL entry: a new array */
    CP_OPTION(cp_casting, casting);      /* rule from a result's type to out's; CP_SAME_KIND by default */
    int _;
} cp_fused_options;
/* Operands broadcast and lie on one device, host scalars go anywhere; an out may share memory with operands. results[]
 * receives new arrays or views of outs; on failure all are NULL. May return before a GPU is done. */
CP_API cp_code cp_fusion_run(const cp_fusion *f, cp_array *const *operands, cp_array **results,
                             const cp_fused_options *options);
#define cp_fusion_run(...) CP_CALL3(cp_fusion_run, cp_fused_options, __VA_ARGS__, ._ = 0)
/* Parses and runs in one call, for a source string with one result. */
CP_API cp_array *cp_fused(const char *text, int n, const char *const *names, cp_array *const *operands,
                          const cp_fused_options *options);
#define cp_fused(...) CP_CALL4(cp_fused, cp_fused_options, __VA_ARGS__, ._ = 0)

#ifdef __cplusplus
}
#endif
#endif
