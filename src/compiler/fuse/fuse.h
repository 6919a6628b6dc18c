/* What a text becomes, and what is known of it in one run.
 *
 * A program is a list of nodes in which each comes behind those that it is made of; equal ones are one node. Invariant:
 * a program never changes once it is made, so threads share it without a lock. */
#ifndef CPI_FUSE_H
#define CPI_FUSE_H

#include "core/shape.h"
#include "cuprite/fuse.h"
#include "elementwise/resolve.h"

enum { CPI_FUSE_NODES = 512, CPI_FUSE_OPERANDS = 64, CPI_FUSE_RESULTS = 16, CPI_FUSE_SOURCE = 1 << 16,
       CPI_FUSE_DEPTH = 200 };

typedef enum cpi_node_kind {
    CPI_NODE_OPERAND, /* op: its number */
    CPI_NODE_NUMBER,  /* of `type` in `value` */
    CPI_NODE_OP,      /* op: a cp_op */
    CPI_NODE_PART,    /* result `op` of the operation in[0], which has several */
    CPI_NODE_WHERE,
    CPI_NODE_CAST     /* to the type `op` */
} cpi_node_kind;

typedef struct cpi_node {
    uint8_t kind, nin;
    bool folds;      /* an operator: of Python's numbers alone it is Python's */
    int op, in[CPI_MAXIN];
    int at;          /* where in the text */
    cp_type type;
    _Alignas(16) unsigned char value[16];
} cpi_node;

struct cp_fusion {
    char *text;
    int noperands, nnodes, nresults;
    char *names[CPI_FUSE_OPERANDS];
    int results[CPI_FUSE_RESULTS];
    cpi_node *nodes;
    struct cpi_kept *kept; /* the steps of the last run, for the next one; changed atomically (kept.c) */
};

/* The error that the last call wrote tells the place of the text too. */
void cpi_fuse_error_at(const cp_fusion *f, int at);

/* A number of Python's: bool (which is also an array's type), or int64, float64, complex128. */
typedef struct cpi_number {
    cp_type type;
    union { uint8_t truth; int64_t integer; double real; cp_complex128 complex; _Alignas(16) unsigned char bytes[16]; };
} cpi_number;
/* The operation `op` on one or two of them as Python does it; ZERO_DIVISION, OVERFLOW (for integers beyond 64 bits),
 * TYPE or VALUE, in Python's words. */
cp_code cpi_fold_constants(cp_op op, const cpi_number *a, const cpi_number *b, cpi_number *r);

/* What a node is in one run. */
typedef struct cpi_node_value {
    cp_array *x;     /* the operand itself, or a record without memory: type, flags, size, shape, value */
    cpi_plan plan;   /* of an operation */
    cp_op op;        /* the operation: the node's, or the square that it is */
    int shape;       /* in cpi_run's list */
    int uses;        /* how many nodes and results take it; 0: nobody needs it */
} cpi_node_value;
static inline bool cpi_is_host(const cp_array *x) { return (x->flags & CPI_HOST_SCALAR) != 0; }

typedef struct cpi_extents {
    int ndim;
    const int64_t *dim;
    int64_t size;
    int group;       /* the first of the list that differs in leading ones only */
    int64_t *own;    /* dim, where the list made it */
} cpi_extents;

/* One run of a program. */
typedef struct cpi_run {
    const cp_fusion *f;
    cpi_device *device;
    cpi_node_value *terms;
    cp_array *records;      /* one a node */
    int nshapes, capacity;
    cpi_extents *shapes;
    bool standing;          /* an error of before stands, and stays */
    bool ordered;           /* some operand is not C-contiguous: records have strides, which tell orders only */
    bool warned;            /* something was noticed, which each run has to tell */
    bool checks;            /* an operation looks at its operands before it runs: one by one only */
    cp_array *target[CPI_FUSE_RESULTS]; /* where each result is written: new arrays, or outs; owned */
    unsigned aliased;       /* results whose target shares elements with an operand */
} cpi_run;

/* What the caller gave for result k, or NULL. */
static inline cp_array *cpi_given(const cp_fused_options *o, int k) { return o->outs ? o->outs[k] : k ? NULL : o->out; }

/* kept.c: the run as the last one was, where that was of the same kind. False: it is not done, and nothing has
 * happened. */
bool cpi_kept_run(const cp_fusion *f, cp_array *const *operands, cp_array **results, const cp_fused_options *o,
                  cp_code *code);
/* May the steps of this run be kept? */
bool cpi_may_keep(const cpi_run *run, cp_array *const *operands, const cp_fused_options *o);
void cpi_kept_free(struct cpi_kept *kept);

/* blocked.c: all of it through blocks, into the targets. UNSUPPORTED without a record: it cannot be done so. */
cp_code cpi_run_blocked(cpi_run *run, cp_array *const *operands, bool keep);

#endif
