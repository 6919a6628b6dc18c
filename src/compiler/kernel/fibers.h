/* The threads of a block as fibers: each has a stack of its own, and waits by switching to another.
 *
 * A worker (a thread of the CPU's pool) runs one block at a time, or all blocks of a cooperative launch. Fibers form a
 * ring and run in turn until they wait. When all have run and nothing has progressed, the launch fails, with the lines
 * and threads that wait. Nothing here is called by two threads at the same time. */
#ifndef CPI_KERNEL_FIBERS_H
#define CPI_KERNEL_FIBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "kernel/device/abi.h"
#include "kernel/watch.h"

typedef struct cpi_crew cpi_crew; /* stacks and records, kept by the worker between launches */

struct cpi_fault { /* a failure in a worker; text empty: none */
    char text[500];
    const void *at[2]; /* code addresses, for whose lines \1 and \2 in the message stand (watch.h) */
    cp_code code;      /* 0: CP_ERROR_DEVICE */
    const void *address; /* which was read or written; NULL: it was something else */
};

/* The calling thread's crew; NULL without memory (no record). */
cpi_crew *cpi_crew_here(void);
/* The part of the crew that kernels of the launch know. */
__cu_worker *cpi_crew_worker(cpi_crew *crew, const __cu_launch *launch);
/* Gives the crew shared memory of that size for each of `blocks` blocks; false without memory. */
bool cpi_crew_shared(cpi_crew *crew, uint32_t blocks, uint32_t dynamic);
/* Runs blocks first to last - 1, one after the other, or, `together`, at once. False, and `fault` filled. */
bool cpi_crew_run(cpi_crew *crew, const __cu_launch *launch, __cu_run_thread run, uint64_t first, uint64_t last,
                  bool together, const cpi_watch *watch, cpi_fault *fault);
/* Blocks that may wait for each other. Several crews run them, each the next one that nobody has begun, and another
 * where all threads that a crew has only wait. */
typedef struct cpi_turns {
    uint64_t next, blocks; /* the next block; how many there are */
    const int *failed;     /* set where another crew has failed */
    uint32_t most;         /* blocks of a crew at once */
} cpi_turns;
bool cpi_crew_take_turns(cpi_crew *crew, const __cu_launch *launch, __cu_run_thread run, cpi_turns *turns,
                         const cpi_watch *watch, cpi_fault *fault);
/* Explains a fault at an address that belongs to none, if it can. */
void cpi_crew_explain(const cpi_crew *crew, cpi_fault *fault);
/* Behind a launch, whose threads were fibers or loops: gives back memory that few kernels use. */
void cpi_crew_rest(cpi_crew *crew, bool fibers);

/* --- space.c: address space --- */
/* That many bytes of zeros, of which those count that are touched; NULL: there is no such space. */
char *cpi_space_reserve(size_t bytes);
void cpi_space_release(char *first, size_t bytes);
/* Bytes that no one may touch, from one page on; false: it cannot be said. */
bool cpi_space_guard(char *page, size_t bytes);
/* Bytes that may be read alone, and are zeros. */
bool cpi_space_only_read(char *page, size_t bytes);
/* Whether the page has been touched; forgets the contents of pages. */
bool cpi_space_touched(char *page);
void cpi_space_forget(char *first, size_t bytes);
extern const __cu_host cpi_crew_host;
/* While accesses are watched: the memory is newly allocated by the running kernel. */
void cpi_crew_forget(const void *memory, size_t bytes);

/* --- context.c: stacks --- */
/* Saves the running context in *from and switches to `to`. */
void cpi_context_switch(void **from, void *to);
/* A context that will call entry(argument) on the stack that ends at `top`. `entry` must not return. */
void *cpi_context_make(char *top, void (*entry)(void *), void *argument);

/* Calls f(argument) on the stack that ends at `top`, aligned to 16. Costs as little as a call: returns match calls. */
void cpi_context_call(void (*f)(void *), void *argument, char *top);

/* --- guard.c: faults of kernels --- */
/* Calls f(argument) so that a bad address, a trap or an illegal instruction in it ends the call and nothing else.
 * False, and `fault` filled. Integer divisions by zero and overflowing ones continue, as on a GPU. */
bool cpi_guarded(void (*f)(void *), void *argument, cpi_fault *fault);
/* The same on a stack of its own between pages without access: what is written far around a local array meets no frame
 * of ours. */
bool cpi_guarded_separately(void (*f)(void *), void *argument, cpi_fault *fault);
/* Before guarded calls: installs our signal handlers. */
void cpi_guard_install(void);
/* Ends the calling thread's guarded call; `fault` is filled already. */
void cpi_guard_fail(const char *text) __attribute__((noreturn));
cpi_fault *cpi_guard_fault(void);
void cpi_guard_leave(void) __attribute__((noreturn));

#endif
