/* What CUPRITE_CHECK=1 watches while a kernel runs. Every access is compared with live memory, and with the last ones
 * to the same word (races.h), so that a missing barrier is reported whatever the order of the threads.
 *
 * An invalid access ends the launch with a message in which \1 and \2 stand for code addresses, which the launch
 * resolves to lines, and \3 for what is said of lanes in lockstep. A watch belongs to one worker during one launch. */
#ifndef CPI_KERNEL_WATCH_H
#define CPI_KERNEL_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/device/abi.h"

/* How an access is made. */
enum { CPI_READS, CPI_WRITES, CPI_ATOMIC, CPI_VOLATILE_READS, CPI_VOLATILE_WRITES, CPI_EXCHANGES, CPI_ATOMIC_READS };

typedef struct cpi_memory_access {
    uintptr_t address;
    unsigned long bytes;
    int how;
    const void *at;           /* in the compiled code; below CPI_LINES: the user's line */
    const __cu_thread *where; /* whose */
} cpi_memory_access;
enum { CPI_LINES = 1 << 20 };

typedef struct cpi_fault cpi_fault;
typedef struct cpi_address_range { uintptr_t start, end; } cpi_address_range;

/* apart.c: shared variables that are variables of the worker's thread, by their offset in them. */
enum { CPI_APART = 64 };
typedef struct cpi_apart_variable { uint64_t offset, bytes; char name[64]; } cpi_apart_variable;
typedef struct cpi_apart { int n; cpi_apart_variable variable[CPI_APART]; } cpi_apart;
cpi_apart *cpi_apart_read(const void *object, size_t bytes); /* for free(); NULL without memory */
const cpi_apart_variable *cpi_apart_find(const cpi_apart *apart, uint64_t offset); /* NULL: there is none */

enum { CPI_KNOWN = 16 };
typedef struct cpi_watch {
    const struct cpi_span *spans; /* NULL: nothing is watched */
    int nspans;
    uint32_t dynamic;             /* bytes of dynamic shared memory */
    const __cu_kernel *kernel;
    const char *text;             /* what the kernel was compiled from */
    const struct cpi_launch *launch;
    cpi_address_range image;              /* of the compiled code and its variables */
    cpi_address_range thread;             /* of its variables of the thread, once one was used */
    const __cu_variable *variables;
    const cpi_apart *apart;
    cpi_address_range known[CPI_KNOWN];   /* what was found to be live in this launch */
    unsigned next;
} cpi_watch;

/* Global memory, variables and unknown addresses; false, and `fault` filled, where the access is not allowed. */
bool cpi_watch_global(cpi_watch *w, const cpi_memory_access *a, cpi_fault *fault);

/* The calling thread's variables that the object at `image` has; empty: it has none. */
cpi_address_range cpi_watch_thread_variables(cpi_address_range image);
/* Variables of the thread that the compiled code has: those that it keeps for itself. */
bool cpi_watch_is_private(const cpi_watch *w, uintptr_t address);
/* For messages: begins one with the line, the thread and what it does; where the address is. How long they are. */
int cpi_watch_begin(const cpi_memory_access *a, cpi_fault *fault);
/* The name of parameter `number`, from 1; it ends at a comma or with the text. */
const char *cpi_watch_parameter(const __cu_kernel *kernel, int number);
int cpi_watch_position(const cpi_watch *w, const cpi_memory_access *a, char *text, size_t bytes);

/* An index outside the bounds of its array's type, in the compiled source's line and column (of its ], or where its
 * name begins). */
void cpi_watch_bounds(const cpi_watch *w, int line, int column, const char *type, long index,
                      const __cu_thread *where, cpi_fault *fault);
/* An address that is not aligned for its type. */
void cpi_watch_alignment(int line, const char *type, uintptr_t address, const __cu_thread *where, cpi_fault *fault);

#endif
