/* Arrays with device memory: creation, views and queries for every API layer. The records are core/array.h's. */
#ifndef CPI_BACKEND_ARRAY_H
#define CPI_BACKEND_ARRAY_H

#include "core/array.h"

/* A new array with memory on a device, contents undefined; order 'C' or 'F'. Memory comes from the pool,
 * ordered by the thread's stream there. */
cp_array *cpi_array_new(const char *function, cpi_device *device, cp_type type, int ndim, const int64_t *shape,
                        char order);
/* A new array with these strides (bytes) over fresh memory; strides must be a permutation of contiguous. */
cp_array *cpi_array_like(const char *function, const cp_array *x, cp_type type, int ndim, const int64_t *shape);
/* The strides of such an array: those of a copy of `like` in NumPy's order 'K'. */
void cpi_strides_like(const cp_array *like, int64_t itemsize, int ndim, const int64_t *shape, int64_t *strides);
/* A view: shares x's buffer; `data` is its first element. */
cp_array *cpi_array_view(cp_array *x, cp_type type, int ndim, const int64_t *shape, const int64_t *strides,
                         char *data);
/* The alignment in bytes that a device needs for elements of a type: 1 on the CPU. A misaligned access is a fatal error
 * of a GPU's context. So functions that make an array over foreign bytes check: CP_ERROR_VALUE for misaligned
 * elements. */
int64_t cpi_alignment(const cpi_device *device, cp_type type);
cp_code cpi_check_alignment(const char *function, const cpi_device *device, cp_type type, int ndim,
                            const int64_t *shape, const int64_t *strides, const char *data);
/* Another view of all of x (for a host scalar: a copy). A public function never returns one of its arguments: where its
 * result is x itself, it returns this. NULL with an error when there is no memory. */
cp_array *cpi_again(cp_array *x);
/* Records that the calling thread's stream is about to use x's memory. Every API function calls it for every array that
 * it passes to a slot and did not make itself. Memory of another stream is then not reused before this stream's work is
 * done. */
extern bool cpi_streams_made; /* any stream but null streams: before that there is nothing to record */
void cpi_array_is_used(const cp_array *x);
static inline void cpi_array_used(const cp_array *x)
{
    if (__atomic_load_n(&cpi_streams_made, __ATOMIC_RELAXED)) cpi_array_is_used(x);
}
/* Start of a buffer's bytes, in the pool or in a slab. */
char *cpi_buffer_memory(const cpi_buffer *b);
/* References to a buffer in addition to those of arrays. */
void cpi_buffer_ref(cpi_buffer *b);
void cpi_buffer_unref(cpi_buffer *b);
/* Fails with CP_ERROR_VALUE when x may not be written to. */
cp_code cpi_check_writable(const char *function, const cp_array *x);

#endif
