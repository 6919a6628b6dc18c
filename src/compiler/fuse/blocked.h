/* A pass over one shape, as steps over blocks: what lower.c makes and blocked.c runs.
 *
 * Slots are places of values in a block: constants, single values, buffers, or the memory of an operand or a result
 * itself. Invariant: a pass is not written to while it runs, so threads share it; what changes from block to block is
 * in a worker's own table. */
#ifndef CPI_FUSE_BLOCKED_H
#define CPI_FUSE_BLOCKED_H

#include "elementwise/loops.h"
#include "move/kernels.h"
#include "fuse/fuse.h"

enum { CPI_PASS_SLOTS = 512, CPI_PASS_ACCESSES = 96, CPI_STEP_OPERANDS = CPI_MAXIN + CPI_MAXOUT,
       CPI_PASS_BYTES = 64 << 10,  /* of a worker's buffers */
       CPI_PASS_STACK = 16 << 10 };

typedef enum { CPI_SLOT_FIXED, CPI_SLOT_ONE, CPI_SLOT_BUFFER, CPI_SLOT_MOVES } cpi_slot_kind;
typedef struct cpi_slot {
    _Alignas(16) unsigned char value[16]; /* a constant */
    void *fixed;
    cp_type type;
    uint8_t kind;
    bool one;       /* a single value, for all elements of a block */
    int parent;     /* the slot that it is converted from, or -1 */
    int first, last; /* steps that write it, and that read it last; -1, INT_MAX: before and behind all */
    int place;      /* of a buffer, of a single value: its number */
    int node;       /* fixed to the element of this operand; -1: to what is the pass's own */
} cpi_slot;

typedef enum { CPI_STEP_KERNEL, CPI_STEP_CONVERT, CPI_STEP_CHOOSE, CPI_STEP_SPREAD, CPI_STEP_COPY } cpi_pass_step_kind;
typedef struct cpi_pass_step {
    union { cpi_kernel kernel; cpi_converter convert; cpi_chooser choose; } does;
    uint8_t kind, n, nout, scalars, size; /* n: operands, of which the first nout are written */
    bool one;
    int16_t at[CPI_STEP_OPERANDS];        /* slots */
} cpi_pass_step;

/* In place: slots that move along. The last three are results'. */
typedef enum {
    CPI_IN_PLACE, CPI_GATHERED, CPI_COLLECTED, CPI_SCATTERED, CPI_STREAMED, CPI_DISTRIBUTED
} cpi_pass_access_kind;
typedef struct cpi_operand_access {
    char *data;
    const cp_array *x;
    cp_type type;
    uint8_t kind;
    int slot;
    int node;           /* whose array it is, where it is no result's */
    int64_t offset;     /* of data from the array's first element, where it is walked from another end */
    int64_t stride;     /* of the innermost dimension, or of the whole loop */
    int64_t *strides;   /* one for each dimension of the loop */
} cpi_operand_access;

typedef struct cpi_pass {
    const cpi_kernels *set;
    const cpi_move_kernels *move;
    int ndim;
    int64_t shape[CP_MAXDIM], size, block, grain, buffer_bytes;
    bool rows;          /* blocks lie within rows */
    int nslots, nsteps, naccesses, ntargets; /* the first accesses are results' */
    cpi_slot *slots;
    cpi_pass_step *steps;
    cpi_operand_access *accesses;
} cpi_pass;

/* One run of a program through blocks. */
typedef struct cpi_block_run {
    cpi_run *run;
    char *memory, *work;         /* of the pass */
    struct { _Alignas(16) unsigned char bytes[16]; } *values; /* of nodes of size 1, when they are computed */
    cp_array **between;          /* of nodes that passes over larger shapes take */
    struct { int16_t slot[CPI_MAXOUT]; } *value; /* of nodes, in the pass at hand */
    bool *is_result;
    int npasses;
    cpi_pass last;
} cpi_block_run;

/* pass.c: the shape and each access's strides (room for as many as there are dimensions), as the loop walks them. */
void cpi_make_loop(cpi_pass *p, const cpi_extents *s, int64_t *strides);
/* The buffers that are needed; one is another's again behind the last step that reads it. Numbers of single values are
 * never given again. */
int cpi_assign_buffers(cpi_pass *p);
/* A pass runs on all elements, on the pool's threads. */
void cpi_run_pass(const cpi_pass *p);
/* The only pass of a run, which lies in `memory`, is kept for the next one; the memory is the kept record's then. */
bool cpi_keep(const cpi_run *run, cp_array *const *operands, cpi_pass *p, char *memory);
enum { CPI_STREAM_BYTES = 6 << 20 }; /* results of so many are written past the caches */

/* Is the node made by operations, as against given? */
static inline bool cpi_is_computed(const cpi_run *run, int i)
{
    return run->f->nodes[i].kind != CPI_NODE_OPERAND && !cpi_is_host(run->terms[i].x);
}
size_t cpi_lower_bytes(const cpi_run *run);
/* The steps of a pass over the shapes of a group, in the chain's memory. UNSUPPORTED without a record: too many. */
cp_code cpi_lower(cpi_block_run *c, int group, cpi_pass *p);

#endif
