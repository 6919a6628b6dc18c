/* Arrays and buffers: ownership and lifetime.
 *
 * Invariants: a buffer lives as long as one array points into it; a partly built record is never visible to other
 * threads. An array with its own memory and its buffer are one block of host memory, which is freed with the buffer,
 * because views may outlive the array. On the CPU a few bytes of elements come with the block, but never lie in it or
 * beside it: kernels of the user may write around them. */
#include "backend/array.h"

#include <string.h>

#include "backend/capture.h"
#include "backend/device.h"
#include "backend/pool.h"
#include "backend/scope.h"
#include "backend/stream.h"
#include "core/memory.h"
#include "core/shape.h"

static cp_array *host_scalar(cp_type type, const void *value, unsigned flags);

cp_array *cp_retain(cp_array *x)
{
    if (x) __atomic_add_fetch(&x->refs, 1, __ATOMIC_RELAXED);
    return x;
}

/* Whether this was the last reference. The holder of the only reference need not write: no other thread can take
 * one. */
static bool last_reference(int *refs)
{
    return __atomic_load_n(refs, __ATOMIC_ACQUIRE) == 1 || !__atomic_sub_fetch(refs, 1, __ATOMIC_ACQ_REL);
}

/* Bytes of a record, and of a record with its buffer. */
static size_t record_bytes(int ndim) { return sizeof(cp_array) + 2 * (size_t)ndim * sizeof(int64_t); }

static size_t block_bytes(const cpi_buffer *b)
{
    return record_bytes(((const cp_array *)b->block)->ndim) + sizeof *b;
}

/* A release function may call the library: the pending error of the current call is kept. */
static void release_of(const cpi_buffer *b)
{
    cpi_kept_error kept;
    cpi_error_keep(&kept);
    b->release(b->owner);
    cpi_error_restore(&kept);
}

/* The buffer is part of the block of the array that it was made for. */
void cpi_buffer_unref(cpi_buffer *b)
{
    if (!last_reference(&b->refs)) return;
    if (!b->release && !b->memory) {
        cpi_stream_unref(b->stream);
        cpi_pool_count_small(b->device->pool, -(int64_t)b->bytes);
        cpi_free_with_cell(b->block, block_bytes(b), b->owner, b->bytes);
        return;
    }
    if (b->release) release_of(b);
    else cpi_pool_free(b->device->pool, b->stream, b->memory);
    cpi_stream_unref(b->stream);
    cpi_free_kept(b->block, block_bytes(b));
}

void cpi_buffer_ref(cpi_buffer *b) { __atomic_add_fetch(&b->refs, 1, __ATOMIC_RELAXED); }

void cp_free(cp_array *x)
{
    if (!x || !last_reference(&x->refs)) return;
    if (__atomic_load_n(&x->scope, __ATOMIC_ACQUIRE)) cpi_scope_leave(x);
    if (cpi_leaks_wanted) cpi_leaks_ended(x);
    cpi_buffer *b = x->buffer;
    if (!b || b->block != x) cpi_free_kept(x, record_bytes(x->ndim));
    if (b) cpi_buffer_unref(b);
}

/* x is complete: from here on other threads may see it. */
static cp_array *made(cp_array *x)
{
    if (cpi_scope_now()) cpi_scope_enter(x);
    if (cpi_leaks_wanted) cpi_leaks_made(x);
    return x;
}

/* Fills a record, without memory; shape is copied, the caller sets the strides. */
static inline __attribute__((always_inline)) cp_array *begin_record(cp_array *x, cpi_device *device, cp_type type,
                                                                    int ndim, const int64_t *shape, int64_t size)
{
    x->refs = 1;
    x->type = type;
    x->ndim = ndim;
    x->flags = 0;
    x->device = device;
    x->buffer = NULL;
    x->data = NULL;
    x->size = size;
    x->scope = NULL;
    x->scope_prev = x->scope_next = NULL;
    x->shape = x->dims;
    x->strides = x->dims + ndim;
    for (int i = 0; i < ndim; i++) x->shape[i] = shape[i];
    return x;
}

static cp_array *record_new(cpi_device *device, cp_type type, int ndim, const int64_t *shape, int64_t size)
{
    cp_array *x = cpi_malloc_kept(record_bytes(ndim));
    return x ? begin_record(x, device, type, ndim, shape, size) : NULL;
}

static bool type_known(const char *function, cp_type type)
{
    if (type >= 0 && type < CP_NTYPES) return true;
    cpi_fail(CP_ERROR_TYPE, "%s: %d is not an element type", function, (int)type);
    return false;
}

/* A record and its buffer, and, where `cell` is not NULL, memory for so many bytes of elements. */
static cp_array *record_with_buffer(cpi_device *device, cp_type type, int ndim, const int64_t *shape, int64_t size,
                                    size_t bytes, void **cell)
{
    const size_t block = record_bytes(ndim) + sizeof(cpi_buffer);
    cp_array *x = cell ? cpi_malloc_with_cell(block, bytes, cell) : cpi_malloc_kept(block);
    if (!x) return NULL;
    begin_record(x, device, type, ndim, shape, size);
    x->buffer = (cpi_buffer *)(void *)(x->dims + 2 * ndim);
    return x;
}

/* --- memory from an allocator of the program's --- */

static cp_allocate_fn allocate; /* NULL: none */
static void (*allocated_release)(void *token);

void cp_allocator_set(cp_allocate_fn function, void (*release)(void *token))
{
    allocated_release = release ? release : cpi_release_nothing;
    __atomic_store_n(&allocate, function, __ATOMIC_RELEASE);
}

/* An array whose memory the program's allocator gave; NULL and *ours when it declines and the pool is to be used. */
static cp_array *array_from_allocator(cp_allocate_fn function, cpi_device *device, cp_type type, int ndim,
                                      const int64_t *shape, int64_t size, bool *ours)
{
    void *token = NULL;
    size_t bytes = (size_t)(size * cpi_itemsize(type));
    cpi_kept_error kept;
    cpi_error_keep(&kept);
    void *memory = function(device->id, bytes, &token);
    if (memory || !token || kept.code) cpi_error_restore(&kept); /* else it may have set the reason */
    *ours = !memory && !token;
    if (!memory && token)
        cpi_fail(CP_ERROR_MEMORY, "out of memory on %s: the program's allocator gave no %zu bytes", device->name,
                 bytes);
    if (!memory) return NULL;
    cp_array *x = record_with_buffer(device, type, ndim, shape, size, 0, NULL);
    if (!x) {
        cpi_error_keep(&kept);
        allocated_release(token);
        cpi_error_restore(&kept);
        return NULL;
    }
    x->data = memory;
    cp_stream *stream = cpi_stream_ref(cpi_stream(device));
    *x->buffer = (cpi_buffer){1, device, stream, memory, bytes, allocated_release, token, x};
    return x;
}

char *cpi_buffer_memory(const cpi_buffer *b) { return b->memory || b->release ? b->memory : b->owner; }

/* An array with memory of its own, not yet in a scope: in the pool, or, for a few bytes of host memory, in a slab. */
static cp_array *array_with_memory(cpi_device *device, cp_type type, int ndim, const int64_t *shape, int64_t size)
{
    cp_allocate_fn other = __atomic_load_n(&allocate, __ATOMIC_ACQUIRE);
    if (other && size) {
        bool ours;
        cp_array *theirs = array_from_allocator(other, device, type, ndim, shape, size, &ours);
        if (!ours) return theirs;
    }
    size_t bytes = (size_t)(size * cpi_itemsize(type));
    cp_stream *stream = cpi_stream(device);
    /* captured work has memory of its own */
    bool small = bytes <= cpi_pool_small(device->pool) && !cpi_capture_if_any(stream);
    void *cell = NULL;
    cp_array *x = record_with_buffer(device, type, ndim, shape, size, bytes, small ? &cell : NULL);
    if (!x) return NULL;
    if (cell) {
        x->data = cell;
        cpi_pool_count_small(device->pool, (int64_t)bytes);
    } else if (!(x->data = cpi_pool_alloc(device->pool, stream, bytes))) {
        cpi_free_host(x);
        return NULL;
    }
    *x->buffer = (cpi_buffer){1, device, cpi_stream_ref(stream), cell ? NULL : x->data, bytes, NULL, cell, x};
    return x;
}

/* NumPy's new arrays without elements have strides of 0. */
static void no_strides(cp_array *x)
{
    for (int i = 0; i < x->ndim; i++) x->strides[i] = 0;
}

cp_array *cpi_array_new(const char *function, cpi_device *device, cp_type type, int ndim, const int64_t *shape,
                        char order)
{
    int64_t size;
    if (!device || !type_known(function, type)) return NULL;
    if (cpi_shape_size(function, ndim, shape, cp_type_size(type), &size)) return NULL;
    cp_array *x = array_with_memory(device, type, ndim, shape, size);
    if (!x) return NULL;
    if (size) cpi_strides_contiguous(ndim, shape, cpi_itemsize(type), order, x->strides);
    else no_strides(x);
    return made(x);
}

/* Axes from the largest stride to the smallest, stable. Axes of length 1, whose strides mean nothing, keep their
 * position of C or Fortran order if the array is contiguous so. */
static void axes_in_memory(const cp_array *like, int ndim, const int64_t *shape, int *order)
{
    bool single = false, same = like->ndim == ndim;
    for (int i = 0; i < ndim; i++) {
        int j = i;
        int64_t s = same ? like->strides[i] : ndim - i;
        for (; j > 0; j--) {
            int64_t t = same ? like->strides[order[j - 1]] : ndim - order[j - 1];
            if ((t < 0 ? -t : t) >= (s < 0 ? -s : s)) break;
            order[j] = order[j - 1];
        }
        order[j] = i;
        single |= shape[i] == 1;
    }
    if (!single || like->shape != shape) return;
    bool c = cp_is_c_contiguous(like);
    if (!c && !cp_is_f_contiguous(like)) return;
    for (int i = 0; i < ndim; i++) order[i] = c ? i : ndim - 1 - i;
}

void cpi_strides_like(const cp_array *like, int64_t itemsize, int ndim, const int64_t *shape, int64_t *strides)
{
    int order[CP_MAXDIM];
    axes_in_memory(like, ndim, shape, order);
    for (int i = ndim - 1; i >= 0; i--) {
        strides[order[i]] = itemsize;
        if (shape[order[i]] > 1) itemsize *= shape[order[i]];
    }
}

cp_array *cpi_array_like(const char *function, const cp_array *like, cp_type type, int ndim, const int64_t *shape)
{
    int64_t size;
    if (!type_known(function, type)) return NULL;
    if (cpi_shape_size(function, ndim, shape, cp_type_size(type), &size)) return NULL;
    cpi_device *device = like->flags & CPI_HOST_SCALAR ? cpi_device_current() : like->device;
    cp_array *x = device ? array_with_memory(device, type, ndim, shape, size) : NULL;
    if (!x) return NULL;
    if (size) cpi_strides_like(like, cpi_itemsize(type), ndim, shape, x->strides);
    else no_strides(x);
    return made(x);
}

cp_array *cpi_array_view(cp_array *x, cp_type type, int ndim, const int64_t *shape, const int64_t *strides, char *data)
{
    int64_t size = 1;
    for (int i = 0; i < ndim; i++) size *= shape[i];
    cp_array *v = record_new(x->device, type, ndim, shape, size);
    if (!v) return NULL;
    if (ndim) memcpy(v->strides, strides, (size_t)ndim * sizeof *strides); /* NULL for 0-d views */
    v->flags = x->flags & CPI_READONLY;
    v->data = data;
    v->buffer = x->buffer;
    __atomic_add_fetch(&x->buffer->refs, 1, __ATOMIC_RELAXED);
    return made(v);
}

int64_t cpi_alignment(const cpi_device *device, cp_type type)
{
    const int64_t size = cpi_itemsize(type);
    return device->id == CP_CPU ? 1 : size < 8 ? size : 8;
}

cp_code cpi_check_alignment(const char *function, const cpi_device *device, cp_type type, int ndim,
                            const int64_t *shape, const int64_t *strides, const char *data)
{
    const int64_t unit = cpi_alignment(device, type);
    uint64_t at = (uint64_t)(uintptr_t)data;
    for (int i = 0; i < ndim; i++) {
        if (!shape[i]) return CP_OK;
        if (shape[i] > 1) at |= (uint64_t)strides[i]; /* units are powers of two */
    }
    if (at % (uint64_t)unit == 0) return CP_OK;
    return cpi_fail(CP_ERROR_VALUE, "%s: on %s elements of type %s must lie at multiples of %lld bytes; a copy's do",
                    function, device->label, cp_type_name(type), (long long)unit);
}

cp_array *cpi_again(cp_array *x)
{
    if (!x) return NULL;
    if (x->flags & CPI_HOST_SCALAR) return host_scalar(x->type, x->value, x->flags & CPI_WEAK);
    return cpi_array_view(x, x->type, x->ndim, x->shape, x->strides, x->data);
}

cp_array *cp_from_memory(void *data, cp_type type, cp_shape shape, const int64_t *strides, int device,
                         void (*release)(void *owner), void *owner)
{
    const char *function = "from_memory";
    int64_t size;
    cpi_device *d = cpi_device_get(function, device);
    if (!d || !type_known(function, type)) return NULL;
    if (cpi_shape_size(function, shape.n, shape.dim, cp_type_size(type), &size)) return NULL;
    if (size && cpi_null(function, data)) return NULL;
    int64_t contiguous[CP_MAXDIM];
    if (!strides) cpi_strides_contiguous(shape.n, shape.dim, cpi_itemsize(type), 'C', contiguous), strides = contiguous;
    if (cpi_check_alignment(function, d, type, shape.n, shape.dim, strides, data)) return NULL;
    cp_array *x = record_with_buffer(d, type, shape.n, shape.dim, size, 0, NULL);
    if (!x) return NULL;
    *x->buffer = (cpi_buffer){1, d, cpi_stream_ref(cpi_stream(d)), data, (size_t)(size * cpi_itemsize(type)),
                              release ? release : cpi_release_nothing, owner, x};
    if (shape.n) memcpy(x->strides, strides, (size_t)shape.n * sizeof *strides);
    x->data = data;
    return made(x);
}

void cpi_release_nothing(void *owner) { (void)owner; }

static cp_array *host_scalar(cp_type type, const void *value, unsigned flags)
{
    if (!type_known("scalar", type) || cpi_null("scalar", value)) return NULL;
    cp_array *x = record_new(cpi_device_cpu(), type, 0, NULL, 1);
    if (!x) return NULL;
    memset(x->value, 0, sizeof x->value);
    memcpy(x->value, value, cp_type_size(type));
    x->flags = CPI_HOST_SCALAR | flags;
    x->data = (char *)x->value;
    return made(x);
}

cp_array *cp_int(int64_t v) { return host_scalar(CP_INT64, &v, CPI_WEAK); }
cp_array *cp_float(double v) { return host_scalar(CP_FLOAT64, &v, CPI_WEAK); }
cp_array *cp_complex(double re, double im) { return host_scalar(CP_COMPLEX128, &(cp_complex128){re, im}, CPI_WEAK); }
cp_array *cp_scalar(cp_type type, const void *value) { return host_scalar(type, value, 0); }

cp_type cp_type_of(const cp_array *x) { return x ? x->type : CP_DEFAULT; }
int cp_ndim(const cp_array *x) { return x ? x->ndim : 0; }
int64_t cp_size(const cp_array *x) { return x ? x->size : 0; }
int64_t cp_nbytes(const cp_array *x) { return x ? x->size * cpi_itemsize(x->type) : 0; }
const int64_t *cp_dims(const cp_array *x) { return x ? x->shape : NULL; }
const int64_t *cp_strides(const cp_array *x) { return x ? x->strides : NULL; }
void *cp_data(const cp_array *x) { return x ? x->data : NULL; }
int cp_device_of(const cp_array *x) { return x ? x->device->id : CP_CPU; }

int64_t cp_dim(const cp_array *x, int axis)
{
    if (!x || axis < -x->ndim || axis >= x->ndim) return -1;
    return x->shape[axis < 0 ? axis + x->ndim : axis];
}

bool cp_is_c_contiguous(const cp_array *x)
{
    return x && cpi_is_contiguous(x->ndim, x->shape, x->strides, cpi_itemsize(x->type), 'C');
}

bool cp_is_f_contiguous(const cp_array *x)
{
    return x && cpi_is_contiguous(x->ndim, x->shape, x->strides, cpi_itemsize(x->type), 'F');
}

bool cp_is_writable(const cp_array *x) { return x && !(x->flags & CPI_READONLY); }

cp_code cp_set_writable(cp_array *x, bool writable)
{
    if (cpi_null("set_writable", x)) return CP_ERROR_VALUE;
    if (x->flags & CPI_HOST_SCALAR)
        return writable ? cpi_fail(CP_ERROR_VALUE, "set_writable: a host scalar is never written to") : CP_OK;
    x->flags = writable ? x->flags & ~(unsigned)CPI_READONLY : x->flags | CPI_READONLY;
    return CP_OK;
}

bool cpi_streams_made;

void cpi_array_is_used(const cp_array *x)
{
    const cpi_buffer *b = x ? x->buffer : NULL;
    if (!b || b->device->backend->at_once) return;
    cp_stream *stream = cpi_stream(b->device);
    cpi_capture *capture = cpi_capture_if_any(stream);
    if (capture) {
        bool its_own = !b->release && b->memory && stream == b->stream &&
                       cpi_pool_capture(b->device->pool, b->memory) == capture;
        if (!its_own) cpi_capture_hold(capture, (cpi_buffer *)b);
        return;
    }
    if (b->release || !b->memory) return;
    if (stream != b->stream) cpi_pool_used(b->device->pool, stream, b->memory);
}

cp_code cpi_check_writable(const char *function, const cp_array *x)
{
    if (x->flags & (CPI_READONLY | CPI_HOST_SCALAR))
        return cpi_fail(CP_ERROR_VALUE, "%s: the destination is read-only", function);
    return CP_OK;
}
