/* Backend slots of the module kernel: compiling, and launching what was compiled.
 *
 * `load` makes a module of a source or of an image and owns what it needs beyond the call. Modules and functions are
 * the backend's own, in the host's memory; functions belong to their module and end with it. A launch was checked
 * against CUDA's limits (cpi_launch_check), and has as many arguments as the function takes. */
#ifndef CPI_KERNEL_H
#define CPI_KERNEL_H

#include "backend/backend.h"
#include "cuprite/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpi_header { const char *name, *text; } cpi_header;

typedef struct cpi_kernel_source {
    const char *text;  /* CUDA C++; NULL: an image */
    const void *image; /* cubin, fatbin, PTX */
    size_t bytes;
    int noptions, nnames;
    const char *const *options, *const *names;
    /* For backends that do not link the library: headers that mean the same on every device (the last one's name is
     * NULL), and the folder of what was compiled. A key is made of all its parts. Memory for free(). */
    const cpi_header *headers;
    void *(*cached)(int nparts, const char *const *parts, size_t *bytes);
    void (*keep)(int nparts, const char *const *parts, const void *content, size_t bytes);
    /* The error for source that does not compile: the compiler's messages, and the source with line numbers. */
    cp_code (*refuse)(const char *words, const char *text);
    bool checked; /* CUPRITE_CHECK */
} cpi_kernel_source;

enum { CPI_KERNEL_ARGUMENTS = 32764 }; /* bytes of arguments that CUDA allows a kernel */

typedef struct cpi_function {
    void *handle, *module; /* the backend's own */
    const char *tier;      /* what cp_kernel_tier returns; lives as long as the module */
    int nargs;             /* -1: unknown */
} cpi_function;

/* The memory of an array argument; only where accesses are checked (cpi_kernel_checks). */
typedef struct cpi_span {
    char *memory, *data;
    int64_t bytes, itemsize, size; /* of the memory; of an element; of the array */
    int argument;                  /* from 1 */
} cpi_span;

typedef struct cpi_launch {
    uint32_t grid[3], block[3];
    uint32_t shared;
    bool cooperative;
    int n;
    void **values;     /* of each argument, in the host's memory */
    const uint32_t *bytes;
    const cpi_span *spans; /* nspans of them; NULL: nothing is checked */
    int nspans;
} cpi_launch;

/*: slot("load", hand_written=True, captured="called")
 * slot("unload", hand_written=True, captured="called")
 * slot("function", hand_written=True, captured="called")
 * slot("symbol", hand_written=True, captured="called")
 * slot("get", hand_written=True, captured="called")
 * slot("set", hand_written=True, captured="called")
 * slot("launch", hand_written=True, captured="hand_written", profiled='"launch"') */
typedef struct cpi_kernel_ops {
    cp_code (*load)(cp_stream *stream, const cpi_kernel_source *source, void **module);
    void (*unload)(cp_stream *stream, void *module);
    cp_code (*function)(cp_stream *stream, void *module, const char *name, cpi_function *function);
    cp_code (*symbol)(cp_stream *stream, void *module, const char *name, void **address, int64_t *bytes);
    cp_code (*get)(cp_stream *stream, const cpi_function *function, cp_kernel_attribute which, int *value);
    cp_code (*set)(cp_stream *stream, const cpi_function *function, cp_kernel_attribute which, int value);
    cp_code (*launch)(cp_stream *stream, const cpi_function *function, const cpi_launch *launch);
} cpi_kernel_ops;

/* Whether CUPRITE_CHECK=1 was set when the process first asked. */
bool cpi_kernel_checks(void);


#ifdef __cplusplus
}
#endif
#include "kernel/slots.h"

#endif
