/* Messages for sources that do not compile, in one form for g++, clang++ and NVRTC: the user's line, what is wrong, and
 * the five lines around it. */
#ifndef CPI_KERNEL_MESSAGES_H
#define CPI_KERNEL_MESSAGES_H

#include "core/string.h"
#include "kernel/kernel.h"

/* CP_ERROR_COMPILE with the errors in a compiler's output; what has none in a form that is known is given as it is. */
cp_code cpi_compiler_refuse(const char *output, const char *source);
/* Appends lines `line` - 2 to `line` + 2 with their numbers and a mark; caret: a column, from 0, or -1. */
void cpi_put_excerpt(const char *source, int line, int caret, cpi_string *out);

#endif
