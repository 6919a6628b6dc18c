/* Calls of ElementwiseKernel and ReductionKernel: what loop.c and loop_call.c share.
 *
 * A call's loop has the axes of the result and, of a reduction, those that are reduced behind them; every operand that
 * is not raw has a stride for each. What kernels are compiled for is a signature (device and types) and below it a
 * variant (how the operands lie); both are asked of the Python class when they first occur, and kept. */
#ifndef CPY_LOOP_H
#define CPY_LOOP_H

#include "cuprite/fuse.h"
#include "kernel.h"

enum { MOST_OPERANDS = 40, NOT_GIVEN = 0xfe, A_NUMBER = 0xff };

/* How an operand lies: kernels are compiled for each. */
enum { IS_NUMBER = 's', RAW_DENSE = 'R', RAW_STRIDED = 'r', DENSE = 'c', UNIT = 'u', REPEATED = 'z', STRIDED = 'g' };

typedef struct variant {
    struct variant *next;
    PyObject *first, *second; /* Kernels; the second one combines the parts of a reduction, else NULL. Without the
                               * first a thread is compiling it, or did in vain */
    int asker;                /* the process whose thread that is: a forked child has none of it */
    int length;
    unsigned char key[];
} variant;

typedef struct signature {
    struct signature *next;
    int device;
    bool gpu;
    int64_t part;             /* bytes of a partial result; 0: there may be none */
    PyObject *engine;         /* what runs until a kernel is compiled: a _Fused, or None; NULL: not asked yet */
    bool no_alias;            /* the engine's outputs may not be among its inputs */
    variant *variants;
    cp_type types[MOST_OPERANDS];
    unsigned char key[MOST_OPERANDS];
} signature;

typedef struct loop_kernel {
    PyObject_HEAD
    vectorcallfunc call;
    int nin, nout;
    bool reduction, no_return, return_tuple, reduce_dims, has_identity;
    bool may_wait;            /* what was not compiled is not compiled by a call, which gives NotImplemented */
    bool alike;               /* operands of different shapes are not taken either */
    bool copies;              /* an input is converted by itself: its order of axes is a copy's (patient kernels) */
    bool direct;              /* the text may be one that the engine knows: _engine tells */
    bool wide;                /* a thread of a GPU may take neighbours at once: nothing is kept between elements */
    bool single;              /* one assignment to one output: nothing is read after something is written */
    bool raw[MOST_OPERANDS];
    PyObject *name;
    signature *signatures;
} loop_kernel;

/* A call under way. Operands are the inputs and, behind them, the outputs. */
typedef struct loop_call {
    loop_kernel *k;
    const signature *s;
    PyObject *o[MOST_OPERANDS];     /* borrowed; NULL: not given */
    PyObject *made[MOST_OPERANDS];  /* outputs made here */
    cp_array *x[MOST_OPERANDS];     /* held; NULL for numbers */
    cpy_by_value value[MOST_OPERANDS];
    int64_t size;                   /* given, or -1 */
    int64_t threads;                /* of a block, or 0 */
    PyObject *axis;
    bool keepdims, prepare;         /* prepare: compile, and run nothing */
    bool declined;                  /* by a patient kernel */
    bool served;                    /* by the engine */
    int ndim, nkept;                /* axes of the loop, and those of the result among them */
    int64_t shape[CP_MAXDIM + 2];
    int64_t stride[MOST_OPERANDS][CP_MAXDIM + 2];
    int64_t kept, reduced;          /* elements of the result, and those that become one of them */
    int wide;                       /* elements that a thread of a GPU takes at once, which are neighbours; or 1 */
    bool column;                    /* of a reduction: neighbours in memory belong to different results */
} loop_call;

/* Where the arrays of a call that only prepares lie: nothing is read there or written. */
#define LOOP_NOWHERE ((void *)(uintptr_t)4096)

static inline int loop_operands(const loop_kernel *k) { return k->nin + k->nout; }
static inline bool loop_steps(const loop_call *c, int i) { return c->x[i] && !c->k->raw[i]; }

/* loop_axes.c: each returns false with an exception */
bool loop_broadcast(loop_call *c);   /* inputs, and of an elementwise kernel outputs: shape and strides */
bool loop_reduce(loop_call *c);      /* of a reduction: the reduced axes go behind the others */
bool loop_outputs(loop_call *c);     /* makes the outputs that were not given, and gives all strides */
void loop_collapse(loop_call *c);    /* fewer axes where operands allow it; at least one of each kind */
/* loop_run.c */
bool loop_run(loop_call *c);
PyObject *loop_make(PyObject *k, PyObject *args); /* _make of Python's */
bool loop_overlap(const cp_array *x, const cp_array *y); /* by their bounds; loop_first.c */
/* loop_first.c: the call by the engine, for which nothing is compiled; false, without an exception, where it would not
 * give what the kernel gives. */
bool loop_first(loop_call *c);
cp_fusion *cpy_fusion_of(PyObject *o); /* fused.c: of a _Fused; else NULL */

#endif
