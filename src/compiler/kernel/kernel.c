/* Modules and kernels: the module's API layer, which is independent of devices.
 *
 * A module counts its references; each of its kernels holds one. What a launch is given is checked here once, with
 * CUDA's limits, for both devices. */
#include "kernel/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/array.h"
#include "backend/capture.h"
#include "backend/device.h"
#include "backend/live.h"
#include "backend/stream.h"
#include "core/memory.h"
#include "kernel/cache.h"
#include "kernel/compiler.h"

struct cp_module {
    int refs; /* changed atomically */
    cpi_device *device;
    void *impl;
};

struct cp_kernel {
    int refs;
    cp_module *module;
    cpi_function function;
    int64_t shared_most; /* dynamic shared memory that a launch may ask for */
    int carveout;        /* the requested percentage; NO_CARVEOUT: never requested */
    char name[];
};

enum { SHARED_DEFAULT = 48 << 10, THREADS_MOST = 1024, BLOCK_Z_MOST = 64, GRID_YZ_MOST = 65535, NO_CARVEOUT = -2 };

static const cpi_kernel_ops *ops_of(const cp_module *m) { return m->device->backend->kernel; }

/* --- what a backend gets with a source --- */

static void key_of(int nparts, const char *const *parts, char key[2 * CPI_SHA256 + 1])
{
    cpi_sha256 s;
    unsigned char digest[CPI_SHA256];
    cpi_sha256_begin(&s);
    for (int i = 0; i < nparts; i++) cpi_sha256_string(&s, parts[i]);
    cpi_sha256_end(&s, digest);
    cpi_sha256_hex(digest, key);
}

static void *cached(int nparts, const char *const *parts, size_t *bytes)
{
    char folder[PATH_MAX], key[2 * CPI_SHA256 + 1];
    if (cpi_cache_folder(folder)) return NULL;
    key_of(nparts, parts, key);
    return cpi_cache_get(folder, key, bytes);
}

static void keep(int nparts, const char *const *parts, const void *content, size_t bytes)
{
    char folder[PATH_MAX], key[2 * CPI_SHA256 + 1];
    if (cpi_cache_folder(folder)) return;
    key_of(nparts, parts, key);
    cpi_cache_put(folder, key, content, bytes);
}

static cp_module *load(const char *function, cpi_kernel_source *source)
{
    cpi_device *device = cpi_device_current();
    source->headers = cpi_both_sources;
    source->cached = cached;
    source->keep = keep;
    source->refuse = cpi_compiler_refuse;
    source->checked = cpi_kernel_checks();
    cp_module *m = device ? cpi_malloc(sizeof *m) : NULL;
    if (!m) return NULL;
    *m = (cp_module){.refs = 1, .device = device};
    cp_code code = device->backend->kernel->load(cpi_stream(device), source, &m->impl);
    if (!code) return m;
    if (cp_error() != code) cpi_fail(CP_ERROR_INTERNAL, "%s: failed", function);
    cpi_free_host(m);
    return NULL;
}

cp_module *(cp_module_compile)(const char *source, const cp_module_options *options)
{
    const cp_module_options *o = CPI_GIVEN(cp_module_options, options);
    if (cpi_null("module_compile", source)) return NULL;
    if (o->noptions < 0 || o->nnames < 0)
        return cpi_fail(CP_ERROR_VALUE, "module_compile: a negative number of options or names"), NULL;
    for (int i = 0; i < o->noptions; i++)
        if (cpi_null("module_compile", o->options) || cpi_null("module_compile", o->options[i])) return NULL;
    for (int i = 0; i < o->nnames; i++)
        if (cpi_null("module_compile", o->names) || cpi_null("module_compile", o->names[i])) return NULL;
    cpi_kernel_source s = {.text = source, .bytes = strlen(source), .noptions = o->noptions, .options = o->options,
                    .nnames = o->nnames, .names = o->names};
    return load("module_compile", &s);
}

cp_module *cp_module_load(const void *image, int64_t bytes)
{
    if (cpi_null("module_load", image)) return NULL;
    if (bytes < 1) return cpi_fail(CP_ERROR_VALUE, "module_load: %lld bytes given", (long long)bytes), NULL;
    cpi_kernel_source s = {.image = image, .bytes = (size_t)bytes};
    return load("module_load", &s);
}

static void unload_later(void *module)
{
    cp_module *m = *(cp_module **)module;
    ops_of(m)->unload(cpi_stream(m->device), m->impl);
    cpi_free_host(m);
}

void cp_module_free(cp_module *m)
{
    if (!m || __atomic_sub_fetch(&m->refs, 1, __ATOMIC_ACQ_REL)) return;
    if (cpi_in_call() && cpi_leave_for_later(unload_later, &m, sizeof m)) return; /* it may wait for launches */
    unload_later(&m);
}

int cp_module_device(const cp_module *m) { return m ? m->device->id : CP_NO_DEVICE; }

cp_code cp_module_global(cp_module *m, const char *name, void **address, int64_t *bytes)
{
    if (cpi_null("module_global", m) || cpi_null("module_global", name) || cpi_null("module_global", address) ||
        cpi_null("module_global", bytes))
        return CP_ERROR_VALUE;
    if (!cpi_may_use("module_global", m->device)) return cp_error();
    return ops_of(m)->symbol(cpi_stream(m->device), m->impl, name, address, bytes);
}

cp_kernel *cp_module_kernel(cp_module *m, const char *name)
{
    if (cpi_null("module_kernel", m) || cpi_null("module_kernel", name)) return NULL;
    size_t length = strlen(name) + 1;
    cp_kernel *k = cpi_malloc(sizeof *k + length);
    if (!k) return NULL;
    *k = (cp_kernel){.refs = 1, .module = m, .shared_most = SHARED_DEFAULT, .carveout = NO_CARVEOUT};
    memcpy(k->name, name, length);
    if (ops_of(m)->function(cpi_stream(m->device), m->impl, name, &k->function)) {
        cpi_free_host(k);
        return NULL;
    }
    __atomic_add_fetch(&m->refs, 1, __ATOMIC_RELAXED);
    return k;
}

cp_kernel *(cp_kernel_compile)(const char *source, const char *name, const cp_module_options *options)
{
    if (cpi_null("kernel_compile", source) || cpi_null("kernel_compile", name)) return NULL;
    cp_module_options o = *CPI_GIVEN(cp_module_options, options);
    bool expression = strpbrk(name, "<:") != NULL; /* an instance must be requested when the source is compiled */
    if (expression && !o.nnames) o.names = &name, o.nnames = 1;
    cp_module *m = (cp_module_compile)(source, &o);
    cp_kernel *k = cp_module_kernel(m, name);
    cp_module_free(m);
    return k;
}

void cp_kernel_free(cp_kernel *k)
{
    if (!k || __atomic_sub_fetch(&k->refs, 1, __ATOMIC_ACQ_REL)) return;
    cp_module_free(k->module);
    cpi_free_host(k);
}

const char *cp_kernel_name(const cp_kernel *k) { return k ? k->name : ""; }

const char *cp_kernel_tier(const cp_kernel *k) { return k ? k->function.tier : ""; }

static const char *const attribute_names[CP_KERNEL_NATTRIBUTES] = {
#define X(NAME) #NAME,
    CP_KERNEL_ATTRIBUTES(X)
#undef X
};

static bool known(const char *function, cp_kernel_attribute a)
{
    if ((int)a >= 0 && a < CP_KERNEL_NATTRIBUTES) return true;
    cpi_fail(CP_ERROR_VALUE, "%s: there is no attribute %d", function, (int)a);
    return false;
}

cp_code cp_kernel_get(cp_kernel *k, cp_kernel_attribute attribute, int *value)
{
    if (cpi_null("kernel_get", k) || cpi_null("kernel_get", value)) return CP_ERROR_VALUE;
    if (!known("kernel_get", attribute)) return CP_ERROR_VALUE;
    if (attribute == CP_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES) return *value = (int)k->shared_most, CP_OK;
    if (attribute == CP_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT && k->carveout != NO_CARVEOUT)
        return *value = k->carveout, CP_OK;
    return ops_of(k->module)->get(cpi_stream(k->module->device), &k->function, attribute, value);
}

cp_code cp_kernel_set(cp_kernel *k, cp_kernel_attribute attribute, int value)
{
    if (cpi_null("kernel_set", k)) return CP_ERROR_VALUE;
    if (!known("kernel_set", attribute)) return CP_ERROR_VALUE;
    if (attribute < CP_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        return cpi_fail(CP_ERROR_VALUE, "kernel_set: %s cannot be set", attribute_names[attribute]);
    cp_code code = ops_of(k->module)->set(cpi_stream(k->module->device), &k->function, attribute, value);
    if (!code && attribute == CP_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES) k->shared_most = value;
    if (!code && attribute == CP_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT) k->carveout = value;
    return code;
}

/* The limits of CUDA, of every device from compute capability 5 on. */
static cp_code check_limits(const cp_kernel *k, const cpi_launch *l, int64_t shared)
{
    static const char axes[] = "xyz";
    uint64_t threads = (uint64_t)l->block[0] * l->block[1];
    if (threads <= THREADS_MOST) threads *= l->block[2];
    if (threads > THREADS_MOST)
        return cpi_fail(CP_ERROR_DRIVER,
                        "CUDA_ERROR_INVALID_VALUE: %s: a block of %u x %u x %u threads, %d are allowed", k->name,
                        l->block[0], l->block[1], l->block[2], THREADS_MOST);
    if (l->block[2] > BLOCK_Z_MOST)
        return cpi_fail(CP_ERROR_DRIVER, "CUDA_ERROR_INVALID_VALUE: %s: a block of %u threads along z, %d are allowed",
                        k->name, l->block[2], BLOCK_Z_MOST);
    for (int i = 0; i < 3; i++)
        if (l->grid[i] > (i ? (uint32_t)GRID_YZ_MOST : (uint32_t)INT32_MAX))
            return cpi_fail(CP_ERROR_DRIVER,
                            "CUDA_ERROR_INVALID_VALUE: %s: a grid of %u blocks along %c, %d are allowed", k->name,
                            l->grid[i], axes[i], i ? GRID_YZ_MOST : INT32_MAX);
    if (shared < 0 || shared > k->shared_most)
        return cpi_fail(CP_ERROR_DRIVER, "CUDA_ERROR_INVALID_VALUE: %s: %lld bytes of dynamic shared memory, %lld are "
                        "allowed (max_dynamic_shared_size_bytes)", k->name, (long long)shared,
                        (long long)k->shared_most);
    return CP_OK;
}

/* The address and the size of each argument's value. */
static cp_code gather_values(const cp_kernel *k, int n, const cp_argument *arguments, void **values, uint32_t *bytes)
{
    int64_t all = 0;
    for (int i = 0; i < n; i++) {
        const cp_argument *a = &arguments[i];
        const cp_array *x = a->array;
        const bool address = x && !a->value; /* else a struct of bytes, which may point into x */
        if (address && x->flags & CPI_HOST_SCALAR) {
            values[i] = (void *)x->value;
            bytes[i] = (uint32_t)cpi_itemsize(x->type);
            all += bytes[i];
            continue;
        }
        if (x) {
            if (x->device != k->module->device)
                return cpi_fail(CP_ERROR_VALUE, "%s: argument %d is an array of %s, the kernel is one of %s", k->name,
                                i + 1, x->device->label, k->module->device->label);
            cpi_array_used(x);
        }
        if (address) {
            values[i] = (void *)&x->data;
            bytes[i] = sizeof x->data;
        } else {
            if (!a->value || a->bytes < 1 || a->bytes > CPI_KERNEL_ARGUMENTS)
                return cpi_fail(CP_ERROR_VALUE, "%s: argument %d has no value, or one of %lld bytes", k->name, i + 1,
                                (long long)a->bytes);
            values[i] = (void *)a->value;
            bytes[i] = (uint32_t)a->bytes;
        }
        all += bytes[i];
    }
    if (all > CPI_KERNEL_ARGUMENTS)
        return cpi_fail(CP_ERROR_DRIVER, "CUDA_ERROR_INVALID_VALUE: %s: %lld bytes of arguments, %d are allowed",
                        k->name, (long long)all, CPI_KERNEL_ARGUMENTS);
    return CP_OK;
}

bool cpi_kernel_checks(void) { return cpi_live_kept(); }

/* The memory of the arrays in the arguments. */
static int spans_of(int n, const cp_argument *arguments, cpi_span *spans)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        const cp_array *x = arguments[i].array;
        if (!x || x->flags & CPI_HOST_SCALAR) continue;
        char *memory = x->buffer->memory ? x->buffer->memory : x->data;
        int64_t bytes = x->buffer->memory ? (int64_t)x->buffer->bytes : x->size * cpi_itemsize(x->type);
        spans[count++] = (cpi_span){memory, x->data, bytes, cpi_itemsize(x->type), x->size, i + 1};
    }
    return count;
}

static void extents(cp_dim3 d, uint32_t *of)
{
    of[0] = d.x;
    of[1] = d.y ? d.y : 1;
    of[2] = d.z ? d.z : 1;
}

static void release_kernel(void *kernel) { cp_kernel_free(kernel); }

cp_code cp_kernel_launch(cp_kernel *k, cp_dim3 grid, cp_dim3 block, int n, const cp_argument *arguments,
                         const cp_launch_options *options)
{
    const cp_launch_options *o = CPI_GIVEN(cp_launch_options, options);
    if (cpi_null("kernel_launch", k) || (n && cpi_null("kernel_launch", arguments))) return CP_ERROR_VALUE;
    if (n < 0 || n > CPI_KERNEL_ARGUMENTS || n < k->function.nargs)
        return cpi_fail(CP_ERROR_VALUE, "%s: %d arguments given, the kernel takes %d", k->name, n, k->function.nargs);
    if (k->function.nargs >= 0) n = k->function.nargs; /* as in CUDA, more are not looked at */
    cpi_launch l = {.shared = (uint32_t)o->shared, .cooperative = o->cooperative, .n = n};
    extents(grid, l.grid);
    extents(block, l.block);
    cp_code code = check_limits(k, &l, o->shared);
    if (code) return code;
    if (!l.grid[0] || !l.block[0])
        return cpi_fail(CP_ERROR_DRIVER, "CUDA_ERROR_INVALID_VALUE: %s: a grid of %u blocks of %u threads", k->name,
                        l.grid[0], l.block[0]);
    void *values[n + 1];
    uint32_t bytes[n + 1];
    if ((code = gather_values(k, n, arguments, values, bytes))) return code;
    l.values = values;
    l.bytes = bytes;
    cpi_span spans[cpi_kernel_checks() ? n + 1 : 1];
    if (cpi_kernel_checks()) l.nspans = spans_of(n, arguments, spans), l.spans = spans;
    cp_stream *stream = cpi_stream(k->module->device);
    if (cpi_capture_if_any(stream)) { /* the graph launches it as long as the graph lives */
        __atomic_add_fetch(&k->refs, 1, __ATOMIC_RELAXED);
        if (!cpi_capture_own(stream, k, release_kernel)) return cp_kernel_free(k), cp_error();
    }
    return ops_of(k->module)->launch(stream, &k->function, &l);
}
