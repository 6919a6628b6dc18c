/* The cache of compiled kernels in a folder, for the next process. A file's name is the hash of all that its content
 * depends on, and its end is the hash of its content: what does not match is compiled again. Files appear whole
 * (written beside, then renamed). The folder is the user's own, closed to others: one that others own or can write to
 * is refused. */
#ifndef CPI_KERNEL_CACHE_H
#define CPI_KERNEL_CACHE_H

#include <limits.h>

#include "core/error.h"
#include "kernel/sha256.h"

/* The folder, made where it is missing: CUPRITE_CACHE_DIR, CUPY_CACHE_DIR, or cuprite/kernels in XDG_CACHE_HOME or
 * ~/.cache, or, where that is impossible, cuprite-UID in /tmp. CP_ERROR_IO where it cannot be made or trusted. */
cp_code cpi_cache_folder(char folder[PATH_MAX]);
/* The content stored under the key, for free(); NULL without a record where there is none. */
void *cpi_cache_get(const char *folder, const char *key, size_t *bytes);
/* Stores content; a failure is not an error. Then the oldest files are removed where all are more than the bound
 * (CUPRITE_CACHE_SIZE, bytes; 1 GiB). */
void cpi_cache_put(const char *folder, const char *key, const void *content, size_t bytes);
/* Writes a file whole or not at all. */
bool cpi_cache_write(const char *path, const void *content, size_t bytes, const void *tail, size_t tail_bytes);
/* All of a file, for free(), a 0 behind it; NULL without a record. */
void *cpi_cache_read(const char *path, size_t *bytes);

#endif
