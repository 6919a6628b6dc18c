/* Shared by the CUDA files of this module: kernel arguments, iteration over a loop, conversion at load and store.
 *
 * Three kernels serve an operation with one result and inputs of one type. `flat`: contiguous operands of exactly
 * that type (or one value for all), 16 bytes a load, a kernel for each operation. `runs`: operands that are
 * contiguous or broadcast, of any types; CPI_RUN neighbours a thread. `general`: any strides, any types, a mask; one
 * element a load. Operations with several results, or inputs of other types, have `straight` for contiguous operands
 * beside `general`. Types are converted through a switch that is uniform across threads. Kernels get their arguments
 * as untyped structs, so that one launcher serves all. Sums, differences and products of inputs that repeat have a
 * kernel of their own (periodic.h). */
#ifndef CPI_KERNELS_CUDA_H
#define CPI_KERNELS_CUDA_H

#include "cuda/elements.h"
#include "elementwise/elementwise.h"
#include "elementwise/table.h"
#include "loop/loop.cuh"
#include "move/vectors.cuh"

struct cpi_flat_args {
    void *out;
    const void *in[CPI_MAXIN];
    alignas(16) unsigned char value[CPI_MAXIN][16]; /* of inputs whose bit is set in `values`, in the computing type */
    int64_t n;
    unsigned values;                        /* inputs given by value */
    unsigned singles;                       /* inputs that are one value in device memory */
    bool aligned;                           /* all pointers allow vector accesses */
};

struct cpi_general_args {
    int op;
    cpi_device_loop loop;
    char *data[CPI_DEVICE_LOOP_OPS]; /* output, inputs, mask */
    cp_type type[CPI_DEVICE_LOOP_OPS];
    alignas(16) unsigned char value[CPI_MAXIN][16];
    unsigned values;
    int mask;                   /* operand that is the mask, 0: none */
    bool narrow;                /* an operation of float32 or complex64 by the kernel of the wide type: what it reads
                                   and its results are rounded */
    bool exact;                 /* no operand needs a conversion */
    bool plain;                 /* nor is given by value, and there is no mask */
    bool aligned;               /* for `straight`: runs begin at multiples of their size, or of 16 bytes */
    uint8_t size[CPI_DEVICE_LOOP_OPS]; /* for `straight`: bytes of an element */
};

/* How operand k of `runs` addresses the CPI_RUN elements of a thread. RUN and REPEAT require that no run crosses a
 * row: the last dimension's length is a multiple of CPI_RUN, or it is the only dimension. */
enum cpi_run_mode {
    CPI_RUN_VALUE,  /* given by value */
    CPI_RUN_FLAT,   /* C-contiguous throughout */
    CPI_RUN_RUN,    /* neighbours in the last dimension */
    CPI_RUN_REPEAT, /* one element, the last dimension's stride is 0 */
    CPI_RUN_EACH    /* neighbours in the last dimension, of at least two elements; a run may continue in the next row */
};
struct cpi_runs_args {
    int op;
    cpi_device_loop loop;
    char *data[CPI_MAXIN + 1];  /* output, inputs */
    cp_type type[CPI_MAXIN + 1];
    alignas(16) unsigned char value[CPI_MAXIN][16];
    uint8_t mode[CPI_MAXIN + 1];
    uint8_t size[CPI_MAXIN + 1]; /* bytes of an element */
    unsigned exact;             /* operands that need no conversion */
    unsigned aligned;           /* operands whose runs are aligned to their size, or to 16 bytes */
    bool narrow;                /* as in cpi_general_args */
    bool locate;                /* an operand is RUN, REPEAT or EACH */
    bool each;                  /* an operand is EACH */
};

/* --- host side (elementwise_cuda.cu, elementwise_power_cuda.cu) --- */

/* Can `runs` serve the loop (output, nin inputs; a part made by cpi_device_loop_each)? Fills its arguments. */
bool cpi_runs_fit(const cpi_loop *loop, int nin, cp_type compute, cp_type result, cpi_runs_args *g);
/* Writes CPI_LATE_NEGATIVE_POWER to the stream's mailbox when an exponent that takes part is negative in the loop's
 * integer type. */
cp_code cpi_cuda_check_exponents(cp_stream *stream, cp_type type, const cpi_loop *loop);
/* The kernels of one operation in one computing type; NULL where there is no body. */
struct cpi_cuda_entry {
    const void *flat, *runs, *general;
    const void *straight; /* of several results or inputs of other types: `general` for contiguous operands, no mask */
    int flat_elements;    /* elements a block of `flat` handles */
    bool wide;            /* `runs` and `general` compute in float64 or complex128 whatever the computing type is */
};

/* The kernel of ufunc reductions and of ufunc.at for one computing type. That of float32 and complex64 may be the wide
 * type's, as the arguments name the computing type: a chapter's functions compute in double in any case. */
struct cpi_cuda_accumulator {
    const void *kernel;
};
struct cpi_links_args {
    bool is_reduction;
    union {
        cpi_ufunc_reduction reduction;
        cpi_indexed indexed;
    };
};

/* `flat` of one operation that computes in float, for operands of a half type. */
struct cpi_cuda_half_entry {
    const void *flat;
    int elements;
};

#endif
