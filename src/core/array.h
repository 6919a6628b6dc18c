/* The array record. Plain data: backends, the CUDA plugin among them, read it and never write it.
 *
 * Invariants: 0 <= ndim <= CP_MAXDIM; size is the product of shape; every element lies inside buffer (or, for
 * a host scalar, inside `value`); the buffer outlives every array that points into it; all work on the memory
 * was issued to, or waited for by, the buffer's stream. */
#ifndef CPI_CORE_ARRAY_H
#define CPI_CORE_ARRAY_H

#include "cuprite/array.h"
#include "core/error.h"
#include "core/type_traits.h"

typedef struct cpi_device cpi_device;
typedef struct cpi_buffer cpi_buffer;

enum {
    CPI_HOST_SCALAR = 1, /* 0-d, data points at `value` below, usable with any device */
    CPI_WEAK = 2,        /* host scalar that takes the other operand's type, as Python's numbers do */
    CPI_READONLY = 4     /* a broadcast view: writing is an error */
};

struct cp_array {
    int refs;                       /* changed atomically */
    cp_type type;
    int ndim;
    unsigned flags;
    cpi_device *device;             /* for host scalars: the CPU */
    cpi_buffer *buffer;             /* NULL for host scalars */
    char *data;
    int64_t size;
    struct cp_scope *scope;         /* owner, or NULL */
    struct cp_array *scope_prev, *scope_next;
    unsigned char value[16] __attribute__((aligned(16)));
    int64_t *shape, *strides;       /* point into dims */
    int64_t dims[];
};

/* A counted block of device memory. */
struct cpi_buffer {
    int refs;                       /* changed atomically */
    cpi_device *device;
    struct cp_stream *stream;       /* the stream the memory belongs to */
    void *memory;                   /* NULL: the elements lie in `block` */
    size_t bytes;
    void (*release)(void *owner);   /* for memory that somebody else owns */
    void *owner;
    void *block;                    /* host memory that ends with the buffer */
};

#ifndef __CUDACC__
/* A new array with memory on a device, contents undefined; order 'C' or 'F'. Memory comes from the pool,
 * ordered by the thread's stream there. */
cp_array *cpi_array_new(const char *function, cpi_device *device, cp_type type, int ndim, const int64_t *shape,
                        char order);
/* A new array with these strides (bytes) over fresh memory; strides must be a permutation of contiguous. */
cp_array *cpi_array_like(const char *function, const cp_array *x, cp_type type, int ndim, const int64_t *shape);
/* A view: shares x's buffer; `data` is its first element. */
cp_array *cpi_array_view(cp_array *x, cp_type type, int ndim, const int64_t *shape, const int64_t *strides,
                         char *data);
/* A copy of x's values as `type` on x's device, C order; x itself (retained) when it already is all that. */
cp_array *cpi_as_contiguous(const char *function, cp_array *x, cp_type type);
/* x for the caller once more, where a function's result is x itself: one more reference, or, inside a scope, which
 * must own what it frees, a view of all of x. NULL with an error when there is no memory. */
cp_array *cpi_again(cp_array *x);
/* Converts one host value; saturation and NaN as a cast of NumPy. */
void cpi_convert_value(cp_type from, const void *value, cp_type to, void *result);
/* Fails with CP_ERROR_VALUE when x may not be written to. */
cp_code cpi_check_writable(const char *function, const cp_array *x);
#endif

#endif
