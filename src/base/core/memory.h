/* Host memory of the library. Every block passes here, so that the n-th allocation can be made to fail.
 * A failure writes the error record. */
#ifndef CPI_CORE_MEMORY_H
#define CPI_CORE_MEMORY_H

#include <stddef.h>
#include <stdbool.h>

/* A thread-local pointer. Never with the initial-exec TLS model: then all of the library's thread-local variables use
 * the loader's static TLS block. PyTorch needs that space and could then not be loaded beside this library. */
#define CPI_THREAD_WORD _Thread_local

void *cpi_malloc(size_t bytes);               /* NULL and CP_ERROR_MEMORY on failure; size 0 gives a block */
void *cpi_calloc(size_t count, size_t bytes); /* checks the product */
void *cpi_realloc(void *p, size_t bytes);
void cpi_free_host(void *p);
/* The same for short-lived records: each thread caches some small blocks. The caller passes the requested size again
 * when it frees one. */
void *cpi_malloc_kept(size_t bytes);
void cpi_free_kept(void *p, size_t bytes);
/* The record of a small array, and in *memory `cell` bytes (at most CPI_SLAB_SMALL) for its elements, in a slab, where
 * what a kernel writes around them meets no record. *memory is NULL where the slabs have no space. They are freed
 * together. */
void *cpi_malloc_with_cell(size_t bytes, size_t cell, void **memory);
void cpi_free_with_cell(void *p, size_t bytes, void *memory, size_t cell);
void cpi_keep_no_memory(void);                /* for memory checkers, which then see every free */
/* Counts one allocation; true when the test hook wants it to fail. For other allocators. */
bool cpi_allocation_fails(void);
/* +1 when a device block becomes live, -1 when it is freed (cp_test_live). */
void cpi_count_live(int change);

#endif
