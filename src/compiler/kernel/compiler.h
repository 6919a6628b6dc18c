/* The machine's C++ compiler: finding it, and running it. */
#ifndef CPI_KERNEL_COMPILER_H
#define CPI_KERNEL_COMPILER_H

#include "kernel/kernel.h"
#include "kernel/tokens.h"

/* The first of CUPRITE_CXX, CXX, g++, clang++ and c++ that exists. CP_ERROR_UNSUPPORTED, with what to install, where
 * there is none. `identity` distinguishes its versions, and processors. */
cp_code cpi_compiler_find(char path[], size_t bytes, char identity[], size_t identity_bytes);

/* Compiles C++ source with the headers of kernel/device into a shared object in the host's memory (released by free()).
 * CP_ERROR_COMPILE with the compiler's messages (messages.h). */
cp_code cpi_compiler_run(const char *compiler, const char *folder, const cpi_kernel_source *source, const char *text,
                         void **object, size_t *bytes);
/* The user's source after preprocessing, with line markers; for free(). */
cp_code cpi_compiler_preprocess(const char *compiler, const char *folder, const cpi_kernel_source *source, char **text);
/* Rejects options that no CUDA compiler knows (CP_ERROR_COMPILE). */
cp_code cpi_compiler_check_options(const cpi_kernel_source *source);
/* Whether they define a macro with a name of ours (own.c): the source must be preprocessed. */
bool cpi_compiler_defines_ours(const cpi_kernel_source *source);
/* The user's line for the address `offset` bytes from the start of an object that was compiled to be checked; 0: it is
 * not known. */
int cpi_compiler_line(const void *object, size_t bytes, size_t offset);
/* Hash of the headers' contents. */
const char *cpi_compiler_headers_key(void);

/* Made by tools/generate from kernel/device: the CPU's headers, and those of kernel/device/both, which every device
 * has. The last one's name is NULL. */
extern const cpi_header cpi_device_sources[], cpi_both_sources[];
extern const char cpi_device_sources_digest[]; /* of the former */
/* Names that programs need a part of the CPU's headers for, in strcmp's order; parts.c says where they are looked for.
 * A name may be of several parts. */
typedef enum cpi_part {
    CPI_PART_ATOMICS, CPI_PART_BITS, CPI_PART_EXTREMES, CPI_PART_FUNCTIONS, CPI_PART_INVERSES, CPI_PART_WARPS, CPI_PARTS
} cpi_part;
typedef struct cpi_part_name { const char *name; unsigned char length, part; } cpi_part_name;
extern const cpi_part_name cpi_part_names[];
extern const int cpi_part_names_n;

#endif
