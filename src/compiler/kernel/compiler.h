/* The machine's C++ compiler: which it is, and running it. */
#ifndef CPI_KERNEL_COMPILER_H
#define CPI_KERNEL_COMPILER_H

#include "kernel/kernel.h"
#include "kernel/tokens.h"

/* Of CUPRITE_CXX, CXX, g++, clang++ and c++ the first that is there. CP_ERROR_UNSUPPORTED, with what to install, where
 * there is none. `identity` tells one version of it, on one processor, from another. */
cp_code cpi_compiler_find(char path[], size_t bytes, char identity[], size_t identity_bytes);

/* Compiles C++ text with the headers of kernel/device into a shared object in the host's memory (free() ends it).
 * CP_ERROR_COMPILE with the compiler's words and the user's source. */
cp_code cpi_compiler_run(const char *compiler, const char *folder, const cpi_kernel_source *source, const char *text,
                         void **object, size_t *bytes);
/* The user's text with its preprocessor's directives carried out, lines marked; for free(). */
cp_code cpi_compiler_preprocess(const char *compiler, const char *folder, const cpi_kernel_source *source, char **text);
/* CP_ERROR_COMPILE: the compiler's words and, with the numbers of its lines, the user's text. */
cp_code cpi_compiler_refuse(const char *words, const char *text);
/* Refuses options that no CUDA compiler knows (CP_ERROR_COMPILE). */
cp_code cpi_compiler_check_options(const cpi_kernel_source *source);
/* The user's line of the place `offset` bytes from the start of an object that was compiled to be checked; 0: it is
 * not known. */
int cpi_compiler_line(const void *object, size_t bytes, size_t offset);
/* Hash of the headers' texts. */
const char *cpi_compiler_headers_key(void);

/* Made by tools/generate from kernel/device: the CPU's headers, and those of kernel/device/both, which every device
 * has. The last one's name is NULL. */
extern const cpi_header cpi_device_sources[], cpi_both_sources[];

#endif
