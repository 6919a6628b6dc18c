/* Loading what was compiled for the CPU. A module has a shared object in memory of its own, so that two modules of one
 * source have separate variables and what is run is what was verified. */
#ifndef CPI_KERNEL_LOAD_H
#define CPI_KERNEL_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/device/abi.h"
#include "kernel/watch.h"

typedef struct cpi_kernel_library { /* one shared object */
    void *handle;
    const __cu_kernel *kernels;
    const __cu_variable *variables;
    cpi_address_range image; /* its address range */
    char *text;      /* CUPRITE_CHECK: its source, and the object, in which lines can be looked up */
    void *object;
    size_t bytes;
    cpi_apart *apart; /* its shared variables that are those of a thread */
} cpi_kernel_library;

/* Does the object have all that its segment table names? The loader does not check, and would crash on a file that a
 * compiler left unfinished. */
bool cpi_object_is_whole(const void *object, size_t bytes);
/* Loads it, and runs the constructors of its variables as guarded calls. False, with an error record. */
bool cpi_kernel_open(const void *object, size_t bytes, cpi_kernel_library *library);
void cpi_kernel_close(cpi_kernel_library *library);

#endif
