/* The array record. Plain data: backends and their plugins read it and never write it; backend/array.h makes them.
 *
 * Invariants: 0 <= ndim <= CP_MAXDIM; size is the product of shape; every element lies inside buffer (or, for
 * a host scalar, inside `value`); the buffer outlives every array that points into it; work on the memory was issued to
 * the buffer's stream, or the other stream was reported to the pool (cpi_array_used), which waits for it before
 * reuse. */
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
    CPI_READONLY = 4     /* a broadcast view, or set by the caller: writing is an error */
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
    void *memory;                   /* NULL: the elements lie in a slab, at `owner` */
    size_t bytes;
    void (*release)(void *owner);   /* for foreign memory, else NULL */
    void *owner;
    void *block;                    /* host memory that is freed with the buffer */
};

/* Converts one host value; saturation and NaN as a cast of NumPy. */
void cpi_convert_value(cp_type from, const void *value, cp_type to, void *result);

#endif
