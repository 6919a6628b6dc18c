/* Raw memory: its kinds, copies of bytes between devices, and the limits set by the environment.
 *
 * Invariant: a kind that a backend lacks falls back to its plain device memory, or, for host kinds, to host memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/array.h"
#include "backend/device.h"
#include "backend/live.h"
#include "backend/pool.h"
#include "backend/stream.h"
#include "core/memory.h"

static bool known(const char *function, cp_memory_kind kind)
{
    if (kind >= CP_MEMORY_DEVICE && kind <= CP_MEMORY_PINNED) return true;
    cpi_fail(CP_ERROR_VALUE, "%s: %d is no kind of memory", function, (int)kind);
    return false;
}

const char *cpi_bytes_string(double n, char text[32])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int unit = 0;
    for (; n >= 1024 && unit < 6; unit++) n /= 1024;
    snprintf(text, 32, unit ? "%.1f %s" : "%.0f %s", n, units[unit]);
    return text;
}

static void fail_memory(const char *function, cpi_device *d, size_t bytes)
{
    char asked[32], available[32];
    int64_t total = 0, rest = 0;
    const bool known = d->backend->query(d, &total, &rest) == CP_OK;
    cpi_fail(CP_ERROR_MEMORY, "%s: out of memory on %s: %zu bytes asked for (%s)%s%s", function, d->name, bytes,
             cpi_bytes_string((double)bytes, asked), known ? ", available are " : "",
             known ? cpi_bytes_string((double)rest, available) : "");
}

static void *new_memory(cpi_device *d, size_t bytes, cp_memory_kind kind)
{
    const cpi_backend *backend = d->backend;
    cp_stream *stream = cpi_stream(d);
    if (backend->memory_of_kind) return backend->memory_of_kind(stream, bytes, kind);
    void *p = NULL;
    if (kind != CP_MEMORY_PINNED) return backend->memory_new(d, bytes);
    return posix_memalign(&p, 512, bytes) ? NULL : p;
}

void *cp_memory_new(int device, size_t bytes, cp_memory_kind kind)
{
    const char *function = "memory_new";
    cpi_device *d = cpi_device_get(function, device);
    if (!d || !known(function, kind) || !cpi_may_use(function, d)) return NULL;
    if (!bytes) bytes = 1;
    void *p = cpi_allocation_fails() ? NULL : new_memory(d, bytes, kind);
    if (!p) return fail_memory(function, d, bytes), NULL;
    cpi_count_live(1);
    cpi_live_add(p, bytes);
    if (device == CP_CPU) cpi_live_poison(p, bytes);
    return p;
}

typedef struct ended { cp_stream *stream; void *memory; size_t bytes; cp_memory_kind kind; } ended;

static void give_back(const ended *e)
{
    cpi_device *d = e->stream->device;
    if (d->backend->memory_of_kind_free) {
        d->backend->memory_of_kind_free(e->stream, e->memory, e->bytes, e->kind);
    } else if (e->kind == CP_MEMORY_PINNED) {
        free(e->memory);
    } else {
        d->backend->memory_free(d, e->memory, e->bytes);
    }
}

static void give_back_later(void *what)
{
    ended *e = what;
    if (e->stream->device->backend->use) e->stream->device->backend->use(e->stream->device);
    give_back(e);
    cpi_stream_unref(e->stream);
}

void cp_memory_free(int device, void *memory, size_t bytes, cp_memory_kind kind)
{
    const char *function = "memory_free";
    cpi_device *d = memory ? cpi_device_get(function, device) : NULL;
    if (!d || !known(function, kind)) return;
    ended e = {cpi_stream(d), memory, bytes ? bytes : 1, kind};
    cpi_count_live(-1);
    cpi_live_remove(memory);
    if (cpi_in_call()) {
        cpi_stream_ref(e.stream);
        if (cpi_leave_for_later(give_back_later, &e, sizeof e)) return;
        cpi_stream_unref(e.stream);
    }
    give_back(&e);
}

cp_code cpi_copy_peer(cpi_device *to_device, void *to, cpi_device *from_device, const void *from, size_t bytes)
{
    const cpi_backend *there = to_device->backend, *here = from_device->backend;
    if (from_device->id == CP_CPU) return there->from_host(cpi_stream(to_device), to, from, bytes);
    if (to_device->id == CP_CPU && !cpi_may_wait("to_device", from_device)) return cp_error();
    if (to_device->id == CP_CPU) return here->to_host(cpi_stream(from_device), to, from, bytes);
    if (there == here && there->copy_peer) {
        cp_stream *sender = cpi_stream(from_device);
        return there->copy_peer(cpi_stream(to_device), to, sender, from, bytes);
    }
    void *host = cpi_malloc(bytes);
    if (!host) return CP_ERROR_MEMORY;
    cp_code code = here->to_host(cpi_stream(from_device), host, from, bytes);
    if (!code) code = there->from_host(cpi_stream(to_device), to, host, bytes);
    if (!code) code = there->stream_sync(cpi_stream(to_device)); /* `host` is freed here */
    cpi_free_host(host);
    return code;
}

cp_code cp_memory_copy(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    const char *function = "memory_copy";
    if (!bytes) return CP_OK;
    if (cpi_null(function, to) || cpi_null(function, from)) return CP_ERROR_VALUE;
    cpi_device *d = cpi_device_get(function, to_device), *s = d ? cpi_device_get(function, from_device) : NULL;
    if (!s || !cpi_may_use(function, d) || !cpi_may_use(function, s)) return cp_error();
    return d == s ? d->backend->copy(cpi_stream(d), to, from, bytes) : cpi_copy_peer(d, to, s, from, bytes);
}

int cp_device_can_access(int device, int peer)
{
    const char *function = "device_can_access";
    cpi_device *d = cpi_device_get(function, device), *other = d ? cpi_device_get(function, peer) : NULL;
    if (!other) return -1;
    if (d == other || !d->backend->native || d->backend != other->backend) return 0;
    int64_t in[2] = {d->ordinal, other->ordinal}, out[8];
    int status = 0, n = d->backend->native(d, "cudaDeviceCanAccessPeer", 2, in, out, &status);
    return n == 1 && !status && out[0];
}

int cp_device_call(int device, const char *name, int n, const int64_t *in, int64_t *out, int *status)
{
    const char *function = "device_call";
    cpi_device *d = cpi_device_get(function, device);
    if (!d || cpi_null(function, name) || cpi_null(function, out) || cpi_null(function, status)) return -1;
    if (n > 0 && cpi_null(function, in)) return -1;
    int found = -1;
    if (d->backend->use) d->backend->use(d);
    if (d->backend->native) found = d->backend->native(d, name, n, in, out, status);
    if (found < 0) cpi_fail(CP_ERROR_UNSUPPORTED, "%s: %s has no %s with %d arguments", function, d->label, name, n);
    return found;
}

cp_code cp_device_properties(int device, cp_property_fn report, void *context)
{
    const char *function = "device_properties";
    cpi_device *d = cpi_device_get(function, device);
    if (!d) return cp_error();
    if (!report) return cpi_fail(CP_ERROR_VALUE, "%s: there is no function to call", function);
    return d->backend->properties ? d->backend->properties(d, report, context) : CP_OK;
}

/* --- limits --- */

cp_code cp_pool_limit_share(int device, double share)
{
    cpi_device *d = cpi_device_get("pool_limit", device);
    if (!d) return cp_error();
    if (!(share >= 0 && share <= 1))
        return cpi_fail(CP_ERROR_VALUE, "pool_limit: a share of the memory is a number from 0 to 1, not %g", share);
    int64_t total, available;
    cp_code code = d->backend->query(d, &total, &available);
    return code ? code : cpi_pool_limit(d->pool, (int64_t)(share * (double)total));
}

cp_code cpi_pool_limit_from_environment(cpi_device *d)
{
    const char *name = "CUPRITE_GPU_MEMORY_LIMIT", *text = getenv(name);
    if (!text || !*text) text = getenv(name = "CUPY_GPU_MEMORY_LIMIT");
    if (!text || !*text) return CP_OK;
    char *end = NULL;
    double number = strtod(text, &end);
    bool share = end != text && strcmp(end, "%") == 0;
    if (end == text || (*end && !share) || !(number >= 0) || (share ? number > 100 : number > 9e18))
        return cpi_fail(CP_ERROR_VALUE, "device: %s='%s' is neither a number of bytes nor a share such as 50%%", name,
                        text);
    int64_t total, available;
    cp_code code = share ? d->backend->query(d, &total, &available) : CP_OK;
    if (code) return code;
    return cpi_pool_limit(d->pool, share ? (int64_t)(number / 100 * (double)total) : (int64_t)number);
}
