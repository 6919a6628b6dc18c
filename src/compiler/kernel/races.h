/* Races, and reads of what nobody wrote, under CUPRITE_CHECK=1.
 *
 * Each word of shared memory and of the global memory that a launch has used has a mark: its last writer and readers,
 * and when. Two accesses of which one writes, by two threads that nothing orders, are a race, whatever the order in
 * which the threads ran. What orders: a barrier (blocks), what lanes of a warp waited for, a fence or a lock between
 * them, the grid's barrier. Atomic operations do not race with each other, nor do volatile ones of a warp. Two threads
 * that write the same value do not either. */
#ifndef CPI_KERNEL_RACES_H
#define CPI_KERNEL_RACES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/watch.h"

typedef struct cpi_mark cpi_mark;     /* of a word */
typedef struct cpi_shadow cpi_shadow; /* the marks of global memory, by address */
enum { CPI_MARKED = 4 };              /* bytes of a word */

/* Between two barriers of its block a thread's epoch is one. `sync` counts what the lanes of its warp waited for,
 * `fence` what may be a lock. Epochs are never repeated; those below `start` are of other launches or lie before a
 * barrier of the grid. */
typedef struct cpi_moment {
    uint32_t epoch, first, start; /* first: the block's */
    uint32_t block, fence;
    uint16_t thread, sync;
} cpi_moment;

/* A write whose value is compared, once it is made, with the one that another thread wrote before. */
typedef struct cpi_pending {
    bool any, shared, same_block;
    cpi_memory_access access;
    unsigned char before[16];
    uint32_t block;
    uint16_t thread, writes; /* who wrote before, who writes */
    const void *at;
} cpi_pending;

cpi_mark *cpi_marks_new(size_t bytes); /* of so many bytes of memory; NULL without memory */
void cpi_marks_drop(cpi_mark *marks, size_t bytes); /* of so many bytes */
cpi_shadow *cpi_shadow_new(void);
/* Frees the marks; `all`: and the record. */
void cpi_shadow_drop(cpi_shadow *shadow, bool all);

/* The memory is a new one from now on. */
void cpi_shadow_forget(cpi_shadow *shadow, uintptr_t from, size_t bytes);

/* False, and `fault` filled, where the access is one of two that race. The access lies `offset` bytes behind the first
 * marked one. `suspect` is filled, once, where it reads what no thread of the block wrote: that is an error if it is
 * none of a race, which is known at the next barrier. */
bool cpi_races_shared(cpi_mark *marks, size_t offset, const cpi_memory_access *a, const cpi_moment *now,
                      cpi_pending *pending, cpi_fault *suspect, cpi_fault *fault);
/* The same of global memory, in arrays and variables; reads of what nobody wrote are recognized by the values with
 * which memory is filled (live.h). */
bool cpi_races_global(cpi_shadow *shadow, const cpi_watch *w, const cpi_memory_access *a, const cpi_moment *now,
                      cpi_pending *pending, cpi_fault *fault);
/* Before the thread that wrote does anything else: false, and `fault` filled, where the value differs. */
bool cpi_races_settle(cpi_pending *pending, const cpi_watch *w, cpi_fault *fault);

#endif
