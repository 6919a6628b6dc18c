/* Where the libraries of others are looked for. */
#ifndef CPI_BACKEND_LIBRARIES_H
#define CPI_BACKEND_LIBRARIES_H

#include <stdbool.h>

/* The host program's folders, separated by colons (cp_library_folders_set); they stay as long as the process. */
const char *cpi_library_folders(void);
/* Calls visit with each file FOLDER/PATTERN (a glob), of CUPRITE_LIBRARY_PATH's folders first, until one answers true;
 * whether one did. */
bool cpi_library_each(const char *pattern, bool (*visit)(void *context, const char *path), void *context);
/* The same for the files of one pattern. */
bool cpi_library_glob(const char *pattern, bool (*visit)(void *context, const char *path), void *context);

#endif
