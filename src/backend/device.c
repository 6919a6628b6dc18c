/* The registry of devices, and the loading of the CUDA plugin.
 *
 * Invariants: the CPU device exists from the first question on; the plugin is opened at most once, when a GPU
 * is first asked for; a device is opened (driver context, pool) at most once, when it is first used. */
#include "backend/device.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/pool.h"
#include "core/memory.h"

enum { MAX_GPUS = 64 };

static cpi_device cpu;
static pthread_once_t cpu_once = PTHREAD_ONCE_INIT, gpu_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static cpi_device gpus[MAX_GPUS];
static bool gpu_open[MAX_GPUS];
static int gpu_count;
static char trouble[512];
static bool gpu_used, forked_from_gpu;

static _Thread_local cpi_device *current;

static void after_fork_child(void)
{
    pthread_mutex_init(&open_lock, NULL);
    if (cpu.pool) cpi_pool_after_fork(cpu.pool);
    for (int i = 0; i < gpu_count; i++)
        if (gpus[i].pool) cpi_pool_after_fork(gpus[i].pool);
    forked_from_gpu = gpu_used;
}

static void device_init(cpi_device *d, const cpi_backend *backend, int id, int ordinal)
{
    memset(d, 0, sizeof *d);
    d->backend = backend;
    d->id = id;
    d->ordinal = ordinal;
    d->null_stream = (cp_stream){.refs = 1, .device = d};
}

static void cpu_open(void)
{
    device_init(&cpu, &cpi_backend_cpu, CP_CPU, 0);
    cpi_backend_cpu.open(&cpu);
    cpu.pool = cpi_pool_new(&cpu);
    pthread_atfork(NULL, NULL, after_fork_child);
}

cpi_device *cpi_device_cpu(void)
{
    pthread_once(&cpu_once, cpu_open);
    return &cpu;
}

/* Path of a library of ours: beside the one this code is in. */
const char *cpi_library_path(const char *name, char *path, size_t bytes)
{
    Dl_info info;
    const char *slash = NULL;
    if (dladdr((void *)&cpu_open, &info) && info.dli_fname) slash = strrchr(info.dli_fname, '/');
    if (slash) {
        snprintf(path, bytes, "%.*s/%s", (int)(slash - info.dli_fname), info.dli_fname, name);
    } else {
        snprintf(path, bytes, "%s", name);
    }
    return path;
}

static void plugin_open(void)
{
    char path[4096];
    cpi_device_cpu(); /* registers the fork handler */
    const char *choice = getenv("CUPRITE_GPU");
    if (choice && (strcmp(choice, "off") == 0 || strcmp(choice, "0") == 0)) {
        snprintf(trouble, sizeof trouble, "GPUs are switched off by CUPRITE_GPU=%s", choice);
        return;
    }
    /* Without a driver there is no need to map the plugin. */
    if (!dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {
        snprintf(trouble, sizeof trouble, "no NVIDIA driver: libcuda.so.1 was not found");
        return;
    }
    void *library = dlopen(cpi_library_path("libcuprite-cuda.so", path, sizeof path), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(trouble, sizeof trouble, "the CUDA plugin was not loaded: %s", dlerror());
        return;
    }
    cpi_backend_open_fn open = (cpi_backend_open_fn)dlsym(library, "cuprite_backend_open");
    const cpi_backend *backend = open ? open(&cpi_host_table) : NULL;
    if (!backend || backend->abi != CPI_ABI) {
        snprintf(trouble, sizeof trouble, "the CUDA plugin does not fit: ABI %d found, %d needed",
                 backend ? (int)backend->abi : 0, CPI_ABI);
        return;
    }
    if (backend->devices < 1) {
        snprintf(trouble, sizeof trouble, "%s", backend->trouble);
        return;
    }
    gpu_count = backend->devices < MAX_GPUS ? backend->devices : MAX_GPUS;
    for (int i = 0; i < gpu_count; i++) device_init(&gpus[i], backend, i, i);
}

int cp_device_count(void)
{
    pthread_once(&gpu_once, plugin_open);
    return gpu_count;
}

const char *cp_device_trouble(void)
{
    cp_device_count();
    return trouble;
}

static cpi_device *gpu_get(const char *function, int i)
{
    if (forked_from_gpu) {
        cpi_fail(CP_ERROR_DEVICE, "%s: CUDA cannot be used in a process forked from one that used it", function);
        return NULL;
    }
    if (__atomic_load_n(&gpu_open[i], __ATOMIC_ACQUIRE)) return &gpus[i];
    cp_code code = CP_OK;
    pthread_mutex_lock(&open_lock);
    if (!gpu_open[i]) {
        if (!gpus[i].pool) gpus[i].pool = cpi_pool_new(&gpus[i]);
        code = gpus[i].pool ? gpus[i].backend->open(&gpus[i])
                            : cpi_fail(CP_ERROR_MEMORY, "%s: out of host memory", function);
        gpu_used = true;
        if (!code) __atomic_store_n(&gpu_open[i], true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&open_lock);
    return code ? NULL : &gpus[i];
}

cpi_device *cpi_device_get(const char *function, int id)
{
    if (id == CP_CURRENT) return cpi_device_current();
    if (id == CP_CPU) return cpi_device_cpu();
    int n = cp_device_count();
    if (id == 0 && n == 0) return cpi_device_cpu();
    if (id >= 0 && id < n) return gpu_get(function, id);
    cpi_fail(CP_ERROR_DEVICE, "%s: there is no device %d (%d GPU%s found%s%s)", function, id, n, n == 1 ? "" : "s",
             n ? "" : ": ", trouble);
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
    return d ? d->id : CP_CPU;
}

cp_code cp_device_use(int device)
{
    cpi_device *d = cpi_device_get("device_use", device);
    if (!d) return cp_error();
    current = d;
    return CP_OK;
}

cp_code cp_device_parse(const char *text, int *device)
{
    if (cpi_null("device", text) || cpi_null("device", device)) return CP_ERROR_VALUE;
    if (strcmp(text, "cpu") == 0) {
        *device = CP_CPU;
        return CP_OK;
    }
    const char *number = text;
    if (strncmp(text, "cuda", 4) == 0) number = text + 4;
    if (strncmp(text, "gpu", 3) == 0) number = text + 3;
    char *end = NULL;
    long id = 0;
    bool named = number != text;
    if (named && *number == ':') number++;
    if (*number) id = strtol(number, &end, 10);
    if ((*number && (*end || *number < '0' || *number > '9')) || (!named && !*number) || id < 0 || id > 1 << 20 ||
        (named && *number && number[-1] != ':'))
        return cpi_fail(CP_ERROR_VALUE, "device: '%s' is no device; expected cpu, cuda, cuda:N or N", text);
    int n = cp_device_count();
    if (id >= n && (named || id > 0))
        return cpi_fail(CP_ERROR_DEVICE, "device: '%s' is not there (%d GPU%s found%s%s)", text, n, n == 1 ? "" : "s",
                        n ? "" : ": ", trouble);
    *device = (int)id;
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
    snprintf(info->variant, sizeof info->variant, "%s", d->variant);
    info->units = d == &cpu ? cp_threads() : d->units;
    return d->backend->query(d, &info->memory_total, &info->memory_free);
}

cp_code cp_device_synchronize(int device)
{
    cpi_device *d = cpi_device_get("device_synchronize", device);
    return d ? d->backend->device_sync(d) : cp_error();
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
    return d ? cpi_pool_trim(d->pool) : cp_error();
}

void *cpi_work_alloc(cp_stream *stream, size_t bytes) { return cpi_pool_alloc(stream->device->pool, stream, bytes); }

void cpi_work_free(cp_stream *stream, void *memory) { cpi_pool_free(stream->device->pool, stream, memory); }

const cpi_host_api cpi_host_table = {CPI_ABI, cpi_fail, cpi_work_alloc, cpi_work_free, cpi_malloc, cpi_free_host};
