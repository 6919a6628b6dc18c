/* The CPU's engine: runs a kernel over contiguous chunks of operands that may have any type and any strides.
 *
 * An input that is contiguous and of the kernel's type is used where it lies; any other is gathered and converted,
 * a chunk at a time, into a buffer that stays in the L1 cache; the output likewise. */
#ifndef CPI_ENGINE_CPU_H
#define CPI_ENGINE_CPU_H

#include "loop/loop.h"
#include "move/kernels.h"
#include "move/operands.h"

enum { CPI_CHUNK = 1024 };

typedef struct cpi_job {
    const cpi_loop *loop;
    int nout, nin;                /* outputs are the loop's first operands, inputs those behind them */
    int mask;                     /* operand that is the mask, 0: none */
    cp_type in_type[CPI_MAXIN];   /* types the kernel wants */
    cp_type out_type[CPI_MAXOUT]; /* types it writes */
    /* n contiguous elements at op[], outputs first; bit i of scalars: input i is one value */
    void (*kernel)(const struct cpi_job *job, void *const *op, int64_t n, unsigned scalars);
    const void *function;         /* for the kernel */
    bool silent;                  /* the kernel keeps its results: outputs are not written */
    int64_t grain;                /* elements that are worth a task of their own */
    /* which inputs the kernel takes as single values: bit s set when the combination `scalars` == s is fine */
    unsigned scalars_allowed;
    /* filled by the engine */
    const cpi_move_kernels *set;
    bool stream, rows;
    int64_t step;                 /* elements of a chunk: what the buffers hold of the widest type */
    _Alignas(16) unsigned char value[CPI_MAXIN][16]; /* inputs that are one value for the whole loop */
    unsigned values;
    unsigned linear;              /* operands that walk the loop with one stride */
} cpi_job;

/* The kernel of copies: what the engine gathers and converts for it is its result. */
void cpi_copy_kernel(const cpi_job *job, void *const *op, int64_t n, unsigned scalars);
/* Runs the job over its whole loop. Cannot fail. */
void cpi_engine_run(cpi_job *job);

#endif
