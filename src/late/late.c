/* The table of the deferred mock backend: memory, linear copies, streams and events; the modules' slots are generated
 * (tools/generate/late.py). */
#include "late/late.h"

#include <stdio.h>
#include <string.h>

#include "backend/abi.h"
#include "kernel/kernel.h"
#include "sort/sort.h"

const cpi_host_api *late_host;

cp_stream *late_cpu_stream(void) { return late_host->cpu_stream(); }

static cp_code open_device(cpi_device *d)
{
    snprintf(d->name, sizeof d->name, "test device %d", d->ordinal);
    snprintf(d->variant, sizeof d->variant, "late");
    d->units = 1;
    return CP_OK;
}

static cp_code query(cpi_device *d, int64_t *total, int64_t *available)
{
    (void)d;
    return late_host->cpu->query(late_cpu_stream()->device, total, available);
}

/* --- linear copies --- */

enum { KEPT = 16 << 20 }; /* host memory of at most so many bytes is saved at once and copied later */

typedef struct linear {
    char *to;
    const char *from; /* NULL: fill with `byte` */
    size_t bytes;
    int byte;
} linear;

static cp_code run_linear(void *call)
{
    const linear *c = call;
    if (c->from) {
        memcpy(c->to, c->from, c->bytes);
    } else {
        memset(c->to, c->byte, c->bytes);
    }
    return CP_OK;
}

static late_task *linear_task(const char *name, void *to, const void *from, size_t bytes, int byte)
{
    late_task *t = late_task_new(name, run_linear, sizeof(linear));
    if (t) *(linear *)late_call(t) = (linear){late_inside(to), late_inside(from), bytes, byte};
    return t;
}

static cp_code give_and_free(cp_stream *s, late_task *t)
{
    if (!t) return CP_ERROR_MEMORY;
    cp_code code = late_give_and_wait(s, t);
    late_task_free(t);
    return code;
}

static cp_code from_host(cp_stream *s, void *to, const void *from, size_t bytes)
{
    if (!bytes) return CP_OK;
    late_task *t = linear_task("copy from host", to, from, bytes, 0);
    if (!t) return CP_ERROR_MEMORY;
    if (bytes > KEPT) return give_and_free(s, t);
    ((linear *)late_call(t))->from = late_keep_host(t, from, bytes);
    return late_give(s, t);
}

static cp_code to_host(cp_stream *s, void *to, const void *from, size_t bytes)
{
    return bytes ? give_and_free(s, linear_task("copy to host", to, from, bytes, 0)) : CP_OK;
}

static cp_code copy(cp_stream *s, void *to, const void *from, size_t bytes)
{
    if (!bytes) return CP_OK;
    late_task *t = linear_task("copy", to, from, bytes, 0);
    return t ? late_give(s, t) : CP_ERROR_MEMORY;
}

/* In the receiver's queue, after the sender's work; the sender's later work waits for it. */
static cp_code copy_peer(cp_stream *to_stream, void *to, cp_stream *from_stream, const void *from, size_t bytes)
{
    cp_code code = late_follow(to_stream, from_stream);
    if (!code) code = copy(to_stream, to, from, bytes);
    return code ? code : late_follow(from_stream, to_stream);
}

typedef struct host_call { void (*function)(void *); void *argument; } host_call;

static cp_code run_host_call(void *call)
{
    const host_call *c = call;
    late_calling = true;
    c->function(c->argument);
    late_calling = false;
    return CP_OK;
}

static cp_code stream_call(cp_stream *s, void (*function)(void *), void *argument)
{
    late_task *t = late_task_new("stream_call", run_host_call, sizeof(host_call));
    if (!t) return CP_ERROR_MEMORY;
    *(host_call *)late_call(t) = (host_call){function, argument};
    return late_give(s, t);
}

static cp_code zero(cp_stream *s, void *memory, size_t bytes)
{
    if (!bytes) return CP_OK;
    late_task *t = linear_task("zeros", memory, NULL, bytes, 0);
    return t ? late_give(s, t) : CP_ERROR_MEMORY;
}

/* Runs after the stream's own work on the block; other streams that still use it read poison. Errors of the stream are
 * not reported to the thread that frees. */
static void poison(cp_stream *s, void *memory, size_t bytes)
{
    late_task *t = late_task_new_quietly(run_linear, sizeof(linear));
    if (!t) return;
    *(linear *)late_call(t) = (linear){late_inside(memory), NULL, bytes, LATE_POISON};
    late_give_quietly(s, t);
}

/* --- slots that the generator omits --- */

/* unique calls back into the caller's thread, so it runs there after the stream's work. `sized` may get memory that is
 * still being poisoned: that is waited for too. */
typedef struct unique_call {
    cpi_unique inside; /* first: `sized` gets a pointer to it */
    cpi_unique *request;
    cp_stream *stream;
} unique_call;

static cp_code sized(cpi_unique *inside, int64_t count)
{
    unique_call *c = (unique_call *)inside;
    cp_code code = c->request->sized(c->request, count);
    if (!code) code = late_stream_sync(c->stream);
    inside->values = late_inside(c->request->values);
    inside->index = late_inside(c->request->index);
    inside->counts = late_inside(c->request->counts);
    return code;
}

static cp_code run_unique(cp_stream *stream, cpi_unique *request, cp_code (*slot)(cp_stream *, cpi_unique *))
{
    unique_call c = {*request, request, stream};
    late_addresses_in(&c.inside, sizeof c.inside);
    c.inside.sized = sized;
    cp_code code = late_stream_sync(stream);
    return code ? code : slot(late_cpu_stream(), &c.inside);
}

cp_code late_sort_unique(cp_stream *stream, cpi_unique *request);
cp_code late_sort_unique(cp_stream *stream, cpi_unique *request)
{
    return run_unique(stream, request, late_host->cpu->sort->unique);
}

cp_code late_sort_unique_rows(cp_stream *stream, cpi_unique *request);
cp_code late_sort_unique_rows(cp_stream *stream, cpi_unique *request)
{
    return run_unique(stream, request, late_host->cpu->sort->unique_rows);
}

/* --- user kernels: compiled by the CPU at once, launched in the queue --- */

cp_code late_kernel_load(cp_stream *stream, const cpi_kernel_source *source, void **module);
cp_code late_kernel_load(cp_stream *stream, const cpi_kernel_source *source, void **module)
{
    (void)stream;
    return late_host->cpu->kernel->load(late_cpu_stream(), source, module);
}

void late_kernel_unload(cp_stream *stream, void *module);
void late_kernel_unload(cp_stream *stream, void *module)
{
    late_device_wait(stream->device);
    late_host->cpu->kernel->unload(late_cpu_stream(), module);
}

cp_code late_kernel_function(cp_stream *stream, void *module, const char *name, cpi_function *function);
cp_code late_kernel_function(cp_stream *stream, void *module, const char *name, cpi_function *function)
{
    (void)stream;
    return late_host->cpu->kernel->function(late_cpu_stream(), module, name, function);
}

/* Writes to a variable are ordered after earlier launches. */
cp_code late_kernel_symbol(cp_stream *stream, void *module, const char *name, void **address, int64_t *bytes);
cp_code late_kernel_symbol(cp_stream *stream, void *module, const char *name, void **address, int64_t *bytes)
{
    late_device_wait(stream->device);
    return late_host->cpu->kernel->symbol(late_cpu_stream(), module, name, address, bytes);
}

cp_code late_kernel_get(cp_stream *stream, const cpi_function *function, cp_kernel_attribute which, int *value);
cp_code late_kernel_get(cp_stream *stream, const cpi_function *function, cp_kernel_attribute which, int *value)
{
    (void)stream;
    return late_host->cpu->kernel->get(late_cpu_stream(), function, which, value);
}

cp_code late_kernel_set(cp_stream *stream, const cpi_function *function, cp_kernel_attribute which, int value);
cp_code late_kernel_set(cp_stream *stream, const cpi_function *function, cp_kernel_attribute which, int value)
{
    (void)stream;
    return late_host->cpu->kernel->set(late_cpu_stream(), function, which, value);
}

typedef struct launch_call {
    cpi_function function;
    cpi_launch launch;
} launch_call;

static cp_code run_launch(void *call)
{
    launch_call *c = call;
    return late_host->cpu->kernel->launch(late_cpu_stream(), &c->function, &c->launch);
}

cp_code late_kernel_launch(cp_stream *stream, const cpi_function *function, const cpi_launch *launch);
cp_code late_kernel_launch(cp_stream *stream, const cpi_function *function, const cpi_launch *launch)
{
    late_task *t = late_task_new("kernel", run_launch, sizeof(launch_call));
    if (!t) return CP_ERROR_MEMORY;
    launch_call *c = late_call(t);
    size_t n = (size_t)launch->n;
    *c = (launch_call){*function, *launch};
    c->launch.bytes = late_keep_host(t, launch->bytes, n * sizeof *launch->bytes);
    c->launch.values = late_keep_host(t, launch->values, n * sizeof *launch->values);
    for (size_t i = 0; c->launch.values && i < n; i++)
        c->launch.values[i] = late_keep(t, launch->values[i], launch->bytes[i]);
    if (launch->spans) c->launch.spans = late_keep(t, launch->spans, (size_t)launch->nspans * sizeof *launch->spans);
    return late_give(stream, t);
}

/* --- the table --- */

#define MODULE(module) extern const struct cpi_##module##_ops cpi_##module##_late;
CPI_MODULES(MODULE)
#undef MODULE

static const cpi_backend backend = {
    .name = "late", .error = "", .devices = LATE_DEVICES,
    .open = open_device, .query = query,
    .memory_new = late_memory_new, .memory_free = late_memory_free, .memory_freed = poison,
    .from_host = from_host, .to_host = to_host, .copy = copy, .zero = zero, .copy_peer = copy_peer,
    .stream_call = stream_call, .capture_begin = late_capture_begin, .capture_end = late_capture_end,
    .capture_of = late_capture_of, .graph_launch = late_graph_launch, .graph_upload = late_graph_upload,
    .graph_free = late_graph_free,
    .stream_new = late_stream_new, .stream_free = late_stream_free, .stream_sync = late_stream_sync,
    .stream_done = late_stream_done, .stream_wait = late_stream_wait,
    .event_new = late_event_new, .event_free = late_event_free, .event_record = late_event_record,
    .event_sync = late_event_sync, .event_done = late_event_done, .event_elapsed = late_event_elapsed,
    .device_sync = late_device_sync, .fail_operation = late_fail,
#define MODULE(module) .module = &cpi_##module##_late,
    CPI_MODULES(MODULE)
#undef MODULE
};

const uint64_t cuprite_backend_abi = CPI_ABI;

__attribute__((visibility("default"))) const cpi_backend *cuprite_backend_open(const cpi_host_api *host)
{
    late_host = host;
    return &backend;
}
