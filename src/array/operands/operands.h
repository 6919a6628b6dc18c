/* What every API layer shares: operands, devices, broadcasting, casting, axes, masks, and outputs.
 *
 * An API function checks its own arguments and calls these functions for the rest. Each reports errors under the
 * public function's name, in NumPy's words. Invariant: none of them depends on the kind of device, and none changes
 * an argument. */
#ifndef CPI_OPERANDS_H
#define CPI_OPERANDS_H

#include <string.h>

#include "backend/device.h"
#include "backend/scope.h"
#include "core/memory.h"
#include "core/shape.h"

/* --- operands (operands.c) --- */

/* The device on which an operation of these arrays runs: that of the first one that is no host scalar (the current
 * device when all are). NULL and an error when they lie on different devices. NULL arrays are skipped. */
cpi_device *cpi_common_device(const char *function, int n, cp_array *const *arrays);
/* The shape that the arrays broadcast to. NULL arrays are skipped. */
cp_code cpi_common_shape(const char *function, int n, cp_array *const *arrays, int *ndim, int64_t *shape);
static inline bool cpi_has_shape(const cp_array *x, int ndim, const int64_t *shape)
{
    bool same = x->ndim == ndim;
    for (int i = 0; i < ndim && same; i++) same = x->shape[i] == shape[i];
    return same;
}
/* x in the device's memory: itself (retained), or a copy of a host scalar. */
cp_array *cpi_in_memory(const char *function, cp_array *x, cpi_device *device);
/* x's values as `type` in the device's memory, C-contiguous: x itself (retained) where it already has all these
 * properties. */
cp_array *cpi_dense(const char *function, cp_array *x, cp_type type, cpi_device *device);
/* The same inside a scope that ends with the call: x itself, which the caller has, or an array of the scope's. It is
 * not freed: a reference to x that nobody drops would keep it for ever. */
static inline cp_array *cpi_dense_in_scope(const char *function, cp_array *x, cp_type type, cpi_device *device)
{
    cp_array *dense = cpi_dense(function, x, type, device);
    if (dense == x) cp_free(dense);
    return dense;
}
/* x as cpi_dense has it, in a shape that x broadcasts to. */
cp_array *cpi_dense_shaped(const char *function, cp_array *x, cp_type type, cpi_device *device, int ndim,
                           const int64_t *shape);

/* x broadcast to a shape: a read-only view. */
cp_array *cpi_broadcast_view(const char *function, cp_array *x, int ndim, const int64_t *shape);

/* --- types (casting.c) --- */

/* The type of an array that holds all of these, as numpy.result_type of them. */
cp_type cpi_common_type(int n, cp_array *const *arrays);
/* The promotion of operands, of which host scalars may be weak; `floating`: a weak float takes part too. */
cp_type cpi_promote_arrays(int n, cp_array *const *in, bool floating);
/* The type that x counts as when it is converted to `to`: a Python number may become any type of its kind or a higher
 * one. */
cp_type cpi_counts_as(const cp_array *x, cp_type to);
/* Are imaginary parts lost? Not in a conversion to bool, which tests both parts. */
static inline bool cpi_discards(cp_type from, cp_type to)
{
    return cpi_is_complex(from) && !cpi_is_complex(to) && to != CP_BOOL;
}
/* What is converted, for the message; else the index of an input. Data raise CP_ERROR_TYPE, a ufunc's operands
 * CP_ERROR_CASTING. */
enum { CPI_DATA = -2, CPI_OUTPUT = -1 };
cp_code cpi_check_other_cast(const char *function, int what, cp_type from, cp_type to, cp_casting rule);
/* An error where values of `from` may not become `to` under the rule, and a warning where they lose their imaginary
 * parts. */
static inline cp_code cpi_check_cast(const char *function, int what, cp_type from, cp_type to, cp_casting rule)
{
    return from == to ? CP_OK : cpi_check_other_cast(function, what, from, to, rule);
}
/* CP_ERROR_TYPE for a complex array, and for an invalid type. */
cp_code cpi_check_real(const char *function, const cp_array *x);
cp_code cpi_check_type(const char *function, cp_type type);

/* The least and the greatest value of an integer type (or bool). */
void cpi_integer_range(cp_type t, int64_t *low, uint64_t *high);
/* Is an integer of type `from` a value of type t? The check's error is CP_ERROR_OVERFLOW. */
bool cpi_integer_fits(cp_type from, const void *value, cp_type t);
cp_code cpi_check_integer(const char *function, cp_type from, const void *value, cp_type t);
/* The one value of a 0-d x as type t, in host memory; a Python number must be a value of t, as for NumPy. */
cp_code cpi_value_as(const char *function, const cp_array *x, cp_type t, void *value);

/* --- where (operands.c) --- */

/* CP_ERROR_TYPE unless the mask is boolean; NULL is none. */
cp_code cpi_check_mask(const char *function, const cp_array *where);
/* A mask that is known to exclude nothing: a host scalar. */
static inline bool cpi_is_true(const cp_array *where) { return where->flags & CPI_HOST_SCALAR && where->value[0]; }
/* The mask `where` as a view of that shape on that device. */
cp_array *cpi_mask(const char *function, cp_array *where, cpi_device *device, int ndim, const int64_t *shape);

/* --- axes (axes.c) --- */

/* An axis, or CP_FLAT, which is unchanged. */
cp_code cpi_axis_or_flat(const char *function, int *axis, int ndim);
/* The one axis in `axes`, or -1 for all; CP_ERROR_TYPE where it has another number of axes. */
cp_code cpi_one_axis(const char *function, cp_axes axes, int ndim, int *axis);
/* x with axis `from` moved to position `to`: a view. */
cp_array *cpi_axis_moved(cp_array *x, int from, int to);

/* The shape that a reduction over axes leaves. */
typedef struct cpi_slices {
    bool gone[CP_MAXDIM];       /* axes that are reduced */
    int64_t kept, reduced;      /* slices, and elements of each; INT64_MAX where the product wraps beside a 0 */
    int ndim;                   /* of the result */
    int64_t shape[CP_MAXDIM];
} cpi_slices;
cp_code cpi_slices_of(const char *function, const cp_array *x, cp_axes axes, bool keepdims, cpi_slices *slices);
/* x with each slice as one C-contiguous row: x's own memory where it has that layout, else a copy. `ordered`:
 * elements of a slice stay in C order; else their order is free. */
cp_array *cpi_slices_dense(const char *function, cp_array *x, const cpi_slices *slices, cpi_device *device,
                           bool ordered);

/* A row kernel: `rows` rows of n elements of `type`, C-contiguous, from `from` to `to`. The two are the same memory
 * or do not overlap. rows >= 1, n >= 1. */
typedef struct cpi_row_call {
    const char *function;
    cp_code (*kernel)(const struct cpi_row_call *call, cp_stream *stream, cp_type type, int64_t rows, int64_t n,
                      const void *from, void *to);
    const void *context; /* for the kernel */
} cpi_row_call;
/* Runs the kernel along an axis of x (or of x flattened, CP_FLAT): a new array of x's shape, of type `result`
 * (CP_DEFAULT: x's). `axis` has been checked. */
cp_array *cpi_along_axis(const cpi_row_call *call, cp_array *x, int axis, cp_type result);
/* The same in place. */
cp_code cpi_along_axis_inplace(const cpi_row_call *call, cp_array *x, int axis);

/* --- results (output.c) --- */

/* Strides for the axis order that the inputs agree on, not scaled; false where it is C order. */
bool cpi_common_order(int ndim, int n, cp_array *const *inputs, int64_t *strides);
/* A new array of that shape. Its axes have the inputs' memory order where these agree (NumPy's order 'K'). */
cp_array *cpi_array_for(const char *function, cpi_device *device, cp_type type, int ndim, const int64_t *shape, int n,
                        cp_array *const *inputs);
/* The broadcast shape of operands and an output, whose shape it must be. */
cp_code cpi_broadcast_output(const char *function, const cp_array *out, int *ndim, int64_t *shape);
/* out = x, both of that shape, on out's device; where a mask is given, only where it is true. Other elements keep
 * their exact values. */
cp_code cpi_assign_where(cp_array *out, cp_array *x, cp_array *where, int ndim, const int64_t *shape);

/* The output of an operation: a new array, or `out`. A kernel writes to `array`. That is out itself where out has the
 * result's type and shares no memory with an input; else a new array, which is then assigned to out. */
typedef struct cpi_output {
    const char *function;
    cpi_device *device;
    cp_type type;               /* of the result */
    int ndim;
    const int64_t *shape;
    cp_array *out;              /* or NULL */
    cp_casting casting;         /* from the result's type to out's */
    int nlike;                  /* arrays whose axis order a new one takes; 0: C order */
    cp_array *const *like;
    bool dense;                 /* the kernel writes C-contiguous arrays only */
    cp_array *array;            /* what the kernel writes; set by open */
} cpi_output;
/* Checks out against the result: shape, casting, writable. */
cp_code cpi_check_out(const cpi_output *o);
/* Checks out and makes `array`. On failure nothing is to be closed. */
cp_code cpi_output_open(cpi_output *o, int n, cp_array *const *inputs);
/* Makes the kernel write to a new C-contiguous array instead. */
cp_code cpi_output_separate(cpi_output *o);
/* The result for the caller: out or the new array. When `code` is a failure, frees it and returns NULL. */
cp_array *cpi_output_close(cpi_output *o, cp_code code);
/* Assigns an existing result to out, and consumes the result. NULL result: NULL. */
cp_array *cpi_deliver(const char *function, cp_array *result, cp_array *out, cp_casting casting);

#endif
