/* DLPack: arrays as tensors of other libraries, and tensors as arrays.
 *
 * Invariants: everything in a tensor that can be checked (its shape, the range of its strides, its type and device)
 * is checked before an array refers to it. Its deleter is called exactly once, and never when no array was made. */
#include "dlpack/dlpack.h"

#include <string.h>

#include "backend/device.h"
#include "core/memory.h"
#include "core/shape.h"

/* --- types and devices --- */

/* DLPack's type code; a 16-bit float other than IEEE 754's has its own. */
static int code_of(cp_type t)
{
    switch (cp_type_kind(t)) {
    case 'b': return CPI_DL_BOOL;
    case 'i': return CPI_DL_INT;
    case 'u': return CPI_DL_UINT;
    case 'c': return CPI_DL_COMPLEX;
    default: break;
    }
    return cpi_float_formats[t].digits == 8 && cp_type_size(t) == 2 ? CPI_DL_BFLOAT : CPI_DL_FLOAT;
}

static cp_type type_of(int code, int bits)
{
    for (cp_type t = 0; t < CP_NTYPES; t++)
        if (cpi_itemsize(t) * 8 == bits && code_of(t) == code) return t;
    return CP_DEFAULT;
}

static void device_of(const cp_array *x, int *type, int *number)
{
    const char *backend = x->device->backend->name;
    *type = x->device == cpi_device_cpu() ? CPI_DL_CPU : strcmp(backend, "cuda") == 0 ? CPI_DL_CUDA : CPI_DL_EXTENSION;
    *number = *type == CPI_DL_CPU ? 0 : x->device->ordinal;
}

cp_code cp_dlpack_device(const cp_array *x, int *type, int *number)
{
    if (cpi_null("dlpack_device", x) || cpi_null("dlpack_device", type) || cpi_null("dlpack_device", number))
        return CP_ERROR_VALUE;
    device_of(x, type, number);
    return CP_OK;
}

/* Managed memory is treated as the GPU's where there is one: work on it is then ordered by streams. */
int cp_dlpack_device_of(int type, int number)
{
    bool managed = type == CPI_DL_CUDA_MANAGED;
    if (type == CPI_DL_CPU || type == CPI_DL_CUDA_HOST || (managed && !cp_device_count())) return CP_CPU;
    if ((managed || type == CPI_DL_CUDA) && number >= 0 && number < cp_device_count()) return number;
    cpi_fail(CP_ERROR_BUFFER, "from_dlpack: Unsupported device in DLTensor: there is no device %d of type %d", number,
             type);
    return CP_NO_DEVICE;
}

/* --- arrays as tensors --- */

/* Describes x as a tensor, whose shape and strides are written to `extents`. */
static cp_code describe(cp_array *x, cpi_dl_tensor *t, int64_t *extents)
{
    const int64_t itemsize = cpi_itemsize(x->type);
    int type, number;
    device_of(x, &type, &number);
    *t = (cpi_dl_tensor){.data = x->data, .device = {type, number}, .ndim = x->ndim, .shape = extents,
                         .strides = extents + x->ndim};
    t->type.code = (uint8_t)code_of(x->type);
    t->type.bits = (uint8_t)(itemsize * 8);
    t->type.lanes = 1;
    for (int i = 0; i < x->ndim; i++) {
        if (x->size > 1 && x->shape[i] > 1 && x->strides[i] % itemsize)
            return cpi_fail(CP_ERROR_BUFFER,
                            "to_dlpack: DLPack only supports strides which are a multiple of itemsize.");
        t->shape[i] = x->shape[i];
        t->strides[i] = x->strides[i] / itemsize;
    }
    return CP_OK;
}

static void free_versioned(struct DLManagedTensorVersioned *m)
{
    if (!m) return;
    cp_free(m->owner);
    cpi_free_host(m);
}

static void free_old(struct DLManagedTensor *m)
{
    if (!m) return;
    cp_free(m->owner);
    cpi_free_host(m);
}

/* The array that a tensor holds: x itself; for a host scalar, whose value lies in its record, a new array on the
 * host. */
static cp_array *held(cp_array *x)
{
    if (!(x->flags & CPI_HOST_SCALAR)) return cp_retain(x);
    cp_array *r = cpi_array_new("to_dlpack", cpi_device_cpu(), x->type, 0, NULL, 'C');
    if (r) memcpy(r->data, x->data, (size_t)cpi_itemsize(x->type));
    return cp_keep(r);
}

static struct DLManagedTensorVersioned *versioned(cp_array *x, uint64_t flags)
{
    if (cpi_null("to_dlpack", x)) return NULL;
    struct DLManagedTensorVersioned *m = cpi_malloc(sizeof *m + 2 * (size_t)x->ndim * sizeof(int64_t));
    cp_array *owner = m ? held(x) : NULL;
    if (!owner || describe(owner, &m->tensor, (int64_t *)(void *)(m + 1))) {
        cp_free(owner);
        cpi_free_host(m);
        return NULL;
    }
    m->major = CPI_DL_MAJOR;
    m->minor = CPI_DL_MINOR;
    m->flags = flags | (cp_is_writable(x) ? 0 : CPI_DL_READ_ONLY);
    m->owner = owner;
    m->deleter = free_versioned;
    return m;
}

struct DLManagedTensorVersioned *cp_to_dlpack(cp_array *x) { return versioned(x, 0); }
struct DLManagedTensorVersioned *cp_to_dlpack_copied(cp_array *x) { return versioned(x, CPI_DL_COPIED); }

struct DLManagedTensor *cp_to_dlpack_old(cp_array *x)
{
    if (cpi_null("to_dlpack", x)) return NULL;
    if (!cp_is_writable(x)) {
        cpi_fail(CP_ERROR_BUFFER, "to_dlpack: Cannot export readonly array since signalling readonly is unsupported by "
                                  "DLPack (supported by newer DLPack version).");
        return NULL;
    }
    struct DLManagedTensor *m = cpi_malloc(sizeof *m + 2 * (size_t)x->ndim * sizeof(int64_t));
    cp_array *owner = m ? held(x) : NULL;
    if (!owner || describe(owner, &m->tensor, (int64_t *)(void *)(m + 1))) {
        cp_free(owner);
        cpi_free_host(m);
        return NULL;
    }
    m->owner = owner;
    m->deleter = free_old;
    return m;
}

/* --- tensors as arrays --- */

/* A checked tensor: what an array is made from. */
typedef struct seen {
    cp_type type;
    int device;
    int64_t size;
    char *data;
    int64_t strides[CP_MAXDIM];
} seen;

static cp_code refuse(const char *why) { return cpi_fail(CP_ERROR_BUFFER, "from_dlpack: %s", why); }

/* Converts strides to bytes; false where an element's offset would overflow. */
static bool take_strides(const cpi_dl_tensor *t, int64_t itemsize, int64_t size, int64_t *strides)
{
    int64_t low = 0, high = itemsize, span;
    for (int i = 0; i < t->ndim; i++) {
        if (__builtin_mul_overflow(t->strides[i], itemsize, &strides[i])) {
            if (size && t->shape[i] > 1) return false;
            strides[i] = 0;
        }
        if (!size || t->shape[i] < 2) continue;
        if (__builtin_mul_overflow(t->shape[i] - 1, strides[i], &span)) return false;
        int64_t *end = span < 0 ? &low : &high;
        if (__builtin_add_overflow(*end, span, end)) return false;
    }
    return true;
}

static cp_code look(const cpi_dl_tensor *t, seen *s)
{
    if (t->ndim < 0)
        return cpi_fail(CP_ERROR_VALUE, "from_dlpack: number of dimensions must be within [0, %d]", CP_MAXDIM);
    if (t->ndim > CP_MAXDIM)
        return refuse("maxdims of DLPack tensor is higher than the supported maxdims.");
    if (t->type.lanes != 1) return refuse("Unsupported lanes in DLTensor dtype.");
    s->type = type_of(t->type.code, t->type.bits);
    if (s->type == CP_DEFAULT) return refuse("Unsupported dtype in DLTensor.");
    s->device = cp_dlpack_device_of(t->device.type, t->device.number);
    if (s->device == CP_NO_DEVICE) return cp_error();
    if (t->ndim && !t->shape) return refuse("the tensor has no shape");
    const int64_t itemsize = cpi_itemsize(s->type);
    cp_code code = cpi_shape_size("from_dlpack", t->ndim, t->shape, (size_t)itemsize, &s->size);
    if (code != CP_OK) return code;
    if (s->size && !t->data) return refuse("the tensor has no memory");
    uintptr_t address;
    if (__builtin_add_overflow((uintptr_t)t->data, t->offset, &address)) return refuse("its offset is no address");
    s->data = t->data ? (char *)t->data + t->offset : NULL;
    if (t->strides) {
        if (!take_strides(t, itemsize, s->size, s->strides)) return refuse("its strides reach beyond all addresses");
    } else {
        cpi_strides_contiguous(t->ndim, t->shape, itemsize, 'C', s->strides);
    }
    return CP_OK;
}

/* A copy of elements at addresses that no kernel can read; host memory only. */
static cp_array *copied(const cpi_dl_tensor *t, const seen *s)
{
    int64_t dims[CP_MAXDIM + 1], strides[CP_MAXDIM + 1];
    if (s->device != CP_CPU || t->ndim == CP_MAXDIM) {
        refuse("its elements are not aligned");
        return NULL;
    }
    for (int i = 0; i < t->ndim; i++) dims[i] = t->shape[i], strides[i] = s->strides[i];
    dims[t->ndim] = cpi_itemsize(s->type);
    strides[t->ndim] = 1;
    int before = cp_device_current();
    if (before == CP_NO_DEVICE || cp_device_use(CP_CPU) != CP_OK) return NULL;
    cp_array *x = cpi_array_new("from_dlpack", cpi_device_cpu(), s->type, t->ndim, t->shape, 'C');
    cp_array *bytes = x ? cp_from_host(s->data, CP_UINT8, (cp_shape){t->ndim + 1, dims}, strides) : NULL;
    if (bytes) memcpy(x->data, bytes->data, (size_t)(s->size * cpi_itemsize(s->type)));
    cp_device_use(before);
    bool done = bytes != NULL;
    cp_free(bytes);
    if (done) return x;
    cp_free(x);
    return NULL;
}

/* An array of the tensor; `end(owner)` is called when it is freed. */
static cp_array *array_of(const cpi_dl_tensor *t, void (*end)(void *owner), void *owner)
{
    static char nothing[16];
    seen s;
    if (look(t, &s) != CP_OK) return NULL;
    const cpi_device *device = cpi_device_get("from_dlpack", s.device);
    if (!device) return NULL;
    int64_t unit = device->id == CP_CPU ? cpi_itemsize(s.type) / (cpi_is_complex(s.type) ? 2 : 1)
                                            : cpi_alignment(device, s.type);
    if (s.size && (uintptr_t)s.data % (uintptr_t)unit) {
        cp_array *x = copied(t, &s);
        if (x) end(owner);
        return x;
    }
    cp_shape shape = {t->ndim, t->shape};
    return cp_from_memory(s.data ? s.data : nothing, s.type, shape, s.strides, s.device, end, owner);
}

static void end_versioned(void *owner)
{
    struct DLManagedTensorVersioned *m = owner;
    if (m->deleter) m->deleter(m);
}

static void end_old(void *owner)
{
    struct DLManagedTensor *m = owner;
    if (m->deleter) m->deleter(m);
}

/* For a device of another backend, only its own arrays can refer to its memory: a tensor made from such an array
 * gives the array again. */
static cp_array *own_again(cp_array *x, void (*end)(void *owner), void *owner)
{
    cp_array *again = cp_slice(x, 1, &CP_ELLIPSIS);
    if (again) end(owner);
    return again;
}

cp_array *cp_from_dlpack(struct DLManagedTensorVersioned *m)
{
    if (cpi_null("from_dlpack", m)) return NULL;
    if (m->major > CPI_DL_MAJOR) {
        cpi_fail(CP_ERROR_BUFFER, "from_dlpack: DLPack's version %u.%u is not known here", (unsigned)m->major,
                 (unsigned)m->minor);
        return NULL;
    }
    if (m->deleter == free_versioned && m->tensor.device.type == CPI_DL_EXTENSION)
        return own_again(m->owner, end_versioned, m);
    bool read_only = m->flags & CPI_DL_READ_ONLY;
    cp_array *x = array_of(&m->tensor, end_versioned, m);
    if (x && read_only) cp_set_writable(x, false);
    return x;
}

cp_array *cp_from_dlpack_old(struct DLManagedTensor *m)
{
    if (cpi_null("from_dlpack", m)) return NULL;
    if (m->deleter == free_old && m->tensor.device.type == CPI_DL_EXTENSION) return own_again(m->owner, end_old, m);
    return array_of(&m->tensor, end_old, m);
}

/* --- streams --- */

cp_code cp_dlpack_hand_over(cp_array *x, cp_stream *to)
{
    if (cpi_null("dlpack_hand_over", x) || cpi_null("dlpack_hand_over", to)) return CP_ERROR_VALUE;
    cpi_device *device = x->device;
    if (to->device != device)
        return cpi_fail(CP_ERROR_VALUE, "dlpack_hand_over: the stream is of another device than the array");
    if (device->backend->at_once) return CP_OK;
    cp_stream *from = cpi_stream(device);
    if (from == to) return CP_OK;
    cp_event *e = cp_event_create(device->id, .no_timing = true);
    cp_code code = e ? cp_event_record(e, from) : cp_error();
    if (code == CP_OK) code = cp_stream_wait(to, e);
    cp_event_free(e);
    if (code == CP_OK) code = cp_stream_use(to);
    if (code != CP_OK) return code;
    cpi_array_used(x); /* in that stream */
    return cp_stream_use(from);
}
