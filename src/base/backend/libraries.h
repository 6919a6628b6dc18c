/* Where the libraries of others are looked for. */
#ifndef CPI_BACKEND_LIBRARIES_H
#define CPI_BACKEND_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The host program's folders, separated by colons (cp_library_folders_set); they stay as long as the process. */
const char *cpi_library_folders(void);
/* Calls visit with each file FOLDER/PATTERN (a glob), of CUPRITE_LIBRARY_PATH's folders first, until one answers true;
 * whether one did. */
bool cpi_library_each(const char *pattern, bool (*visit)(void *context, const char *path), void *context);
/* The same for the files of one pattern. */
bool cpi_library_glob(const char *pattern, bool (*visit)(void *context, const char *path), void *context);
/* Whether a plugin that was opened from `path` was compiled with the headers of this library: the number that it
 * exports as `symbol` is `abi`. Where not, one line in `why` says so. */
bool cpi_library_fits(void *library, const char *path, const char *symbol, uint64_t abi, char *why, size_t bytes);

#endif
