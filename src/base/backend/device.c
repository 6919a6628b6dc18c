/* Devices: the CPU, which is built in, and those of plugins (registry.c).
 *
 * Invariants: the CPU device exists from the first query on; a device is opened (driver context, pool) at most once, on
 * first use; a forked child does not use a plugin's device that its parent used. */
#include "backend/device.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/capture.h"
#include "backend/libraries.h"
#include "backend/live.h"
#include "backend/pool.h"
#include "backend/profile.h"
#include "backend/registry.h"
#include "backend/stream.h"
#include "core/memory.h"
#include "core/slab.h"
#include "cpu/features.h"
#include "cuprite/testing.h"

_Static_assert(CPI_DEVICES > CPI_PLUGINS * CPI_PLUGIN_DEVICES, "every device has a slot");

static cpi_device cpu;
static pthread_once_t cpu_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;

static CPI_THREAD_WORD cpi_device *current;

static void device_after_fork(cpi_device *d)
{
    if (d->backend->forks) return;
    d->forked = true;
    if (current == d) current = NULL;
}

static void before_fork(void)
{
    pthread_mutex_lock(&open_lock);
    cpi_registry_before_fork();
}

static void after_fork_parent(void)
{
    cpi_registry_after_fork();
    pthread_mutex_unlock(&open_lock);
}

static void after_fork_child(void)
{
    pthread_mutex_init(&open_lock, NULL);
    cpi_registry_in_child();
    cpi_streams_after_fork();
    cpi_profile_after_fork();
    device_after_fork(&cpu);
    cpi_devices_visit(device_after_fork);
}

static void cpu_open(void)
{
    cpu = (cpi_device){.backend = &cpi_backend_cpu, .id = CP_CPU, .label = "cpu"};
    cpu.null_stream = (cp_stream){.refs = 1, .device = &cpu};
    cpi_backend_cpu.open(&cpu);
    cpi_backend_set(&cpu, &cpi_backend_cpu);
    cpu.pool = cpi_pool_new(&cpu);
    cpi_streams_from_environment();
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

cpi_device *cpi_device_cpu(void)
{
    pthread_once(&cpu_once, cpu_open);
    return &cpu;
}

/* Path of one of Cuprite's libraries: beside the library of this code, or, if linked statically, where the library was
 * installed. */
const char *cpi_library_path(const char *name, char *path, size_t bytes)
{
    Dl_info info;
    const char *slash = NULL;
    if (dladdr((void *)&cpu_open, &info) && info.dli_fname) slash = strrchr(info.dli_fname, '/');
    if (slash) {
        snprintf(path, bytes, "%.*s/%s", (int)(slash - info.dli_fname), info.dli_fname, name);
        if (access(path, R_OK) == 0) return path;
    }
    snprintf(path, bytes, "%s/%s", CPI_PLUGIN_FOLDER, name);
    return path;
}

int cp_device_count(void) { return cpi_plugin_gpu()->devices; }

const char *cp_device_error(void) { return cpi_plugin_gpu()->error; }

/* Device i of a plugin, opened. */
static cpi_device *device_open(const char *function, cpi_plugin *p, int i)
{
    cpi_device *d = &p->device[i];
    if (d->forked) {
        cpi_fail(CP_ERROR_DEVICE, "%s: %s cannot be used in a process forked from one that used it; the device cpu "
                 "can, and so can %s in a process that is started anew ('spawn')", function, d->label, d->label);
        return NULL;
    }
    if (__atomic_load_n(&p->open[i], __ATOMIC_ACQUIRE)) return d;
    cp_code code = CP_OK;
    cpi_device_cpu(); /* reads the environment for all devices */
    pthread_mutex_lock(&open_lock);
    if (!p->open[i]) {
        if (!d->pool) d->pool = cpi_pool_new(d);
        code = d->pool ? d->backend->open(d) : cpi_fail(CP_ERROR_MEMORY, "%s: out of host memory", function);
        if (!code) code = cpi_pool_limit_from_environment(d);
        if (!code) __atomic_store_n(&p->open[i], true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&open_lock);
    return code ? NULL : d;
}

/* A message that lists the devices that exist instead of the requested one. */
static const char *what_is_there(const cpi_plugin *p, char *text, size_t bytes)
{
    const char *word = p->first ? p->name : "GPU";
    snprintf(text, bytes, "%d %s%s found%s%s", p->devices, word, p->first ? " devices" : p->devices == 1 ? "" : "s",
             p->devices ? "" : ": ", p->devices ? "" : p->error);
    return text;
}

/* The CPU, unless this build's kernels are for newer processors. */
static cpi_device *cpu_for_kernels(const char *function)
{
    char text[160];
    if (!cpi_cpu_lacks(text, sizeof text)) return cpi_device_cpu();
    cpi_fail(CP_ERROR_DEVICE, "%s: %s", function, text);
    return NULL;
}

cpi_device *cpi_device_get(const char *function, int id)
{
    char text[600];
    if (id == CP_CURRENT) return cpi_device_current();
    if (id == CP_CPU) return cpu_for_kernels(function);
    cpi_plugin *p = cpi_plugin_of(id);
    if (id == 0 && p->devices == 0) return cpu_for_kernels(function);
    if (p && id - p->first < p->devices) return device_open(function, p, id - p->first);
    cpi_fail(CP_ERROR_DEVICE, "%s: there is no device %d (%s)", function, id,
             what_is_there(p ? p : cpi_plugin_gpu(), text, sizeof text));
    return NULL;
}

static cpi_device *default_device(void)
{
    const char *choice = getenv("CUPRITE_DEVICE");
    int id = 0;
    if (choice && *choice && cp_device_parse(choice, &id)) return NULL;
    return cpi_device_get("device", id);
}

cpi_device *cpi_device_current(void)
{
    if (!current) current = default_device();
    return current;
}

int cp_device_current(void)
{
    cpi_device *d = cpi_device_current();
    return d ? d->id : CP_NO_DEVICE;
}

cp_code cp_device_use(int device)
{
    cpi_device *d = cpi_device_get("device_use", device);
    if (!d) return cp_error();
    current = d;
    return CP_OK;
}

/* The number of a device, given alone or after a name and a colon; -1 when it is invalid. */
static long ordinal_of(const char *digits)
{
    char *end = NULL;
    if (*digits < '0' || *digits > '9') return -1;
    long i = strtol(digits, &end, 10);
    return *end || i > 1 << 20 ? -1 : i;
}

cp_code cp_device_parse(const char *text, int *device)
{
    char there[600];
    if (cpi_null("device", text) || cpi_null("device", device)) return CP_ERROR_VALUE;
    if (strcmp(text, "cpu") == 0) {
        *device = CP_CPU;
        return CP_OK;
    }
    size_t word = strcspn(text, ":");
    bool number = *text >= '0' && *text <= '9';
    cpi_plugin *p = number ? cpi_plugin_gpu() : cpi_plugin_named(text, word);
    long i = number ? ordinal_of(text) : text[word] ? ordinal_of(text + word + 1) : 0;
    if (!p || i < 0)
        return cpi_fail(CP_ERROR_VALUE, "device: '%s' is no device; expected cpu, cuda, cuda:N or N", text);
    if (i >= p->devices && (!number || i > 0))
        return cpi_fail(CP_ERROR_DEVICE, "device: '%s' is not there (%s)", text, what_is_there(p, there, sizeof there));
    *device = p->first + (int)i;
    return CP_OK;
}

cp_code cp_device_query(int device, cp_device_info *info)
{
    cpi_device *d = cpi_device_get("device_query", device);
    if (!d) return cp_error();
    if (cpi_null("device_query", info)) return CP_ERROR_VALUE;
    memset(info, 0, sizeof *info);
    snprintf(info->name, sizeof info->name, "%s", d->name);
    snprintf(info->backend, sizeof info->backend, "%s", d->backend->name);
    info->number = d->ordinal;
    snprintf(info->variant, sizeof info->variant, "%s", d->variant);
    cp_code code = d->backend->query(d, &info->memory_total, &info->memory_free);
    info->units = d->units;
    return code;
}

cp_code cp_device_synchronize(int device)
{
    cpi_device *d = cpi_device_get("device_synchronize", device);
    return d && cpi_may_wait("device_synchronize", d) ? d->backend->device_sync(d) : cp_error();
}

cp_code cp_pool_query(int device, cp_pool_stats *stats)
{
    cpi_device *d = cpi_device_get("pool_query", device);
    if (!d) return cp_error();
    if (cpi_null("pool_query", stats)) return CP_ERROR_VALUE;
    cpi_pool_stats(d->pool, stats);
    return CP_OK;
}

cp_code cp_pool_limit(int device, int64_t bytes)
{
    cpi_device *d = cpi_device_get("pool_limit", device);
    return d ? cpi_pool_limit(d->pool, bytes) : cp_error();
}

cp_code cp_pool_trim(int device)
{
    cpi_device *d = cpi_device_get("pool_trim", device);
    return d ? cpi_pool_trim(d->pool, NULL) : cp_error();
}

cp_code cp_pool_trim_stream(cp_stream *s)
{
    if (cpi_null("pool_trim", s)) return CP_ERROR_VALUE;
    return cpi_pool_trim(s->device->pool, s);
}

void *cpi_work_alloc(cp_stream *stream, size_t bytes) { return cpi_pool_alloc(stream->device->pool, stream, bytes); }

void cpi_work_free(cp_stream *stream, void *memory) { cpi_pool_free(stream->device->pool, stream, memory); }

static cp_code take_error(char *text, size_t bytes)
{
    cp_code code = cp_error();
    snprintf(text, bytes, "%s", cp_error_message());
    cp_error_clear();
    return code;
}

static cp_stream *cpu_stream(void) { return cpi_stream(cpi_device_cpu()); }

const cpi_host_api cpi_host_table = {
    .fail = cpi_fail, .work_alloc = cpi_work_alloc, .work_free = cpi_work_free, .malloc = cpi_malloc,
    .free = cpi_free_host, .take_error = take_error, .cpu = &cpi_backend_cpu, .cpu_stream = cpu_stream,
    .capture_own = cpi_capture_own, .library_folders = cpi_library_folders,
};

cp_code cp_test_fail_operation(int device, int64_t n)
{
    cpi_device *d = cpi_device_get("test_fail_operation", device);
    if (!d) return cp_error();
    if (!d->backend->fail_operation) return cpi_fail(CP_ERROR_UNSUPPORTED, "test_fail_operation: %s cannot", d->label);
    d->backend->fail_operation(d, n);
    return CP_OK;
}
