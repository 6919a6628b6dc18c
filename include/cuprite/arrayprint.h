/* Arrays as strings: what numpy.array2string, str and repr write.
 *
 * The string is NumPy's to the letter (2.4 with default print options). bfloat16 is written as float16 is, with the
 * digits that distinguish its numbers. Only the shown elements are copied from a device; that copy waits. */
#ifndef CUPRITE_ARRAYPRINT_H
#define CUPRITE_ARRAYPRINT_H

#include <stdio.h>

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cp_print_options {
    CP_OPTION(bool, repr);         /* "array([1, 2], dtype=int8)", not "[1 2]" */
    CP_OPTION(int, precision);     /* most digits after the point; 0: 8, negative: none */
    CP_OPTION(int64_t, threshold); /* an array of more elements is summarised; 0: 1000, negative: any */
    CP_OPTION(int, edgeitems);     /* elements shown of it at either end of an axis; 0: 3 */
    CP_OPTION(int, linewidth);     /* characters of a line; 0: 75 */
    CP_OPTION(bool, suppress);     /* small numbers are not written with powers of ten */
    int _;
} cp_print_options;

/* x as a string, freed with cp_string_free; NULL on failure. */
CP_API char *cp_array_to_string(cp_array *x, const cp_print_options *options);
#define cp_array_to_string(...) CP_CALL(cp_array_to_string, cp_print_options, __VA_ARGS__, ._ = 0)
CP_API void cp_string_free(char *text); /* NULL is fine */

/* Writes that string and the end of a line to standard output, or to a file. CP_ERROR_IO when that fails. */
CP_API cp_code cp_print(cp_array *x, const cp_print_options *options); /* to stdout */
#define cp_print(...) CP_CALL(cp_print, cp_print_options, __VA_ARGS__, ._ = 0)
CP_API cp_code cp_fprint(FILE *file, cp_array *x, const cp_print_options *options); /* to a file */
#define cp_fprint(...) CP_CALL2(cp_fprint, cp_print_options, __VA_ARGS__, ._ = 0)

#ifdef __cplusplus
}
#endif
#endif
