/* Host memory of the library. Every block passes here, so that the n-th allocation can be made to fail.
 * A failure writes the error record. */
#ifndef CPI_CORE_MEMORY_H
#define CPI_CORE_MEMORY_H

#include <stddef.h>
#include <stdbool.h>

/* A pointer that every thread has and that small calls read: found without a call of its own. A process that loads the
 * library late has room for a few such words, not for more. */
#define CPI_THREAD_WORD __attribute__((tls_model("initial-exec"))) _Thread_local

void *cpi_malloc(size_t bytes);               /* NULL and CP_ERROR_MEMORY on failure; size 0 gives a block */
void *cpi_calloc(size_t count, size_t bytes); /* checks the product */
void *cpi_realloc(void *p, size_t bytes);
void cpi_free_host(void *p);
/* Counts one allocation; true when the test hook wants it to fail. For allocators beside these. */
bool cpi_allocation_fails(void);
/* +1 when a device block becomes live, -1 when it ends (cp_test_live). */
void cpi_count_live(int change);

#endif
