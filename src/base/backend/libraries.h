/* Search paths of third-party libraries. */
#ifndef CPI_BACKEND_LIBRARIES_H
#define CPI_BACKEND_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The host program's folders, separated by colons (cp_library_folders_set); never freed. */
const char *cpi_library_folders(void);
/* Calls visit with each file FOLDER/PATTERN (a glob), CUPRITE_LIBRARY_PATH's folders first, until one call returns
 * true; whether one did. */
bool cpi_library_each(const char *pattern, bool (*visit)(void *context, const char *path), void *context);
/* The same for the files of one pattern. */
bool cpi_library_glob(const char *pattern, bool (*visit)(void *context, const char *path), void *context);
/* Whether a plugin opened from `path` was compiled with this library's headers: it exports `abi` as `symbol`. If not,
 * `why` gets a one-line reason. */
bool cpi_library_fits(void *library, const char *path, const char *symbol, uint64_t abi, char *why, size_t bytes);

#endif
