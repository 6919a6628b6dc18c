/* Host memory of the library. Every block passes here, so that the n-th allocation can be made to fail.
 * A failure writes the error record. */
#ifndef CPI_CORE_MEMORY_H
#define CPI_CORE_MEMORY_H

#include <stddef.h>
#include <stdbool.h>

/* A pointer that every thread has. Never in the static block that the loader keeps (initial-exec): all words of a
 * library lie there if one does, and PyTorch's, which need that room, could then not be loaded beside this one. */
#define CPI_THREAD_WORD _Thread_local

void *cpi_malloc(size_t bytes);               /* NULL and CP_ERROR_MEMORY on failure; size 0 gives a block */
void *cpi_calloc(size_t count, size_t bytes); /* checks the product */
void *cpi_realloc(void *p, size_t bytes);
void cpi_free_host(void *p);
/* The same for what is made and ended by the million: each thread keeps some blocks of few bytes. Who ends one says how
 * many bytes were asked for. */
void *cpi_malloc_kept(size_t bytes);
void cpi_free_kept(void *p, size_t bytes);
void cpi_keep_no_memory(void);                /* for memory checkers, which see every block's end then */
/* Counts one allocation; true when the test hook wants it to fail. For allocators beside these. */
bool cpi_allocation_fails(void);
/* +1 when a device block becomes live, -1 when it ends (cp_test_live). */
void cpi_count_live(int change);

#endif
