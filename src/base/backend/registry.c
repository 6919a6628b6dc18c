/* The registry of plugins: a backend NAME is libcuprite-NAME.so, beside libcuprite.so or in a folder of
 * CUPRITE_BACKENDS (separated by colons).
 *
 * Invariants: a plugin is opened at most once, when it is first requested, and is never closed. Plugin k has the public
 * device numbers from k * STEP on; plugin 0 serves GPUs, whatever is opened before. Nothing in a plugin that was
 * compiled with other headers is called. */
#include "backend/registry.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/abi.h"
#include "backend/device.h"
#include "backend/libraries.h"
#include "backend/profile.h"

enum { STEP = 64 };

/* Conditions for loading known plugins; other plugins have none. */
typedef struct known {
    const char *name;
    const char *off;     /* environment variable that disables it */
    const char *needs;   /* library that it requires */
    const char *without; /* the error without that library */
} known;
static const known gpu = {"cuda", "CUPRITE_GPU", "libcuda.so.1", "no NVIDIA driver: libcuda.so.1 was not found"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cpi_plugin *plugins[CPI_PLUGINS]; /* [0]: GPUs */
static int count = 1;                    /* changed atomically, under the lock */

static void device_init(cpi_device *d, const cpi_plugin *p, int i, int slot)
{
    cpi_backend_set(d, p->backend);
    d->id = p->first + i;
    d->slot = slot;
    d->ordinal = i;
    snprintf(d->label, sizeof d->label, "%s:%d", p->name, i);
    d->null_stream = (cp_stream){.refs = 1, .device = d};
}

/* Path of the plugin's library; false when there is none. */
static bool find_library(const char *name, char *path, size_t bytes)
{
    char file[64];
    snprintf(file, sizeof file, "libcuprite-%s.so", name);
    if (access(cpi_library_path(file, path, bytes), R_OK) == 0) return true;
    const char *folders = getenv("CUPRITE_BACKENDS");
    while (folders && *folders) {
        size_t n = strcspn(folders, ":");
        snprintf(path, bytes, "%.*s/%s", (int)n, folders, file);
        if (n && access(path, R_OK) == 0) return true;
        folders += n + (folders[n] == ':');
    }
    return false;
}

/* True, with a reason in `why`, if the plugin must not be loaded. */
static bool held_back(const known *k, char *why, size_t bytes)
{
    const char *choice = getenv(k->off);
    if (choice && (strcmp(choice, "off") == 0 || strcmp(choice, "0") == 0))
        return snprintf(why, bytes, "GPUs are switched off by %s=%s", k->off, choice);
    return !dlopen(k->needs, RTLD_LAZY | RTLD_LOCAL) && snprintf(why, bytes, "%s", k->without);
}

static void map_library(cpi_plugin *p)
{
    char path[4096];
    size_t capacity = sizeof p->error;
    void *library = find_library(p->name, path, sizeof path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        const char *why = dlerror();
        snprintf(p->error, capacity, "the plugin %s was not loaded: %s", p->name, why ? why : "it was not found");
        return;
    }
    if (!cpi_library_fits(library, path, "cuprite_backend_abi", CPI_ABI, p->error, capacity)) {
        dlclose(library);
        return;
    }
    cpi_backend_open_fn open = (cpi_backend_open_fn)dlsym(library, "cuprite_backend_open");
    const cpi_backend *backend = open ? open(&cpi_host_table) : NULL;
    if (!backend) {
        snprintf(p->error, capacity, "the plugin %s has no cuprite_backend_open", p->name);
        return;
    }
    p->backend = backend;
    p->devices = backend->devices < CPI_PLUGIN_DEVICES ? backend->devices : CPI_PLUGIN_DEVICES;
    if (p->devices < 1) snprintf(p->error, capacity, "%s", backend->error);
}

/* Opens a plugin at index k; NULL if out of memory. Called with the lock held. */
static cpi_plugin *plugin_open(int k, const char *name, size_t length)
{
    cpi_plugin *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    snprintf(p->name, sizeof p->name, "%.*s", (int)length, name);
    p->first = k * STEP;
    if (k || !held_back(&gpu, p->error, sizeof p->error)) map_library(p);
    for (int i = 0; i < p->devices; i++) device_init(&p->device[i], p, i, 1 + k * CPI_PLUGIN_DEVICES + i);
    __atomic_store_n(&plugins[k], p, __ATOMIC_RELEASE);
    if (k >= count) __atomic_store_n(&count, k + 1, __ATOMIC_RELEASE);
    return p;
}

cpi_plugin *cpi_plugin_gpu(void)
{
    static cpi_plugin none = {.name = "cuda", .error = "out of host memory"};
    cpi_plugin *p = __atomic_load_n(&plugins[0], __ATOMIC_ACQUIRE);
    if (p) return p;
    cpi_device_cpu(); /* registers the fork handler */
    pthread_mutex_lock(&lock);
    p = plugins[0] ? plugins[0] : plugin_open(0, gpu.name, strlen(gpu.name));
    pthread_mutex_unlock(&lock);
    return p ? p : &none;
}

static bool is_name(const char *name, size_t length)
{
    if (!length || length >= sizeof plugins[0]->name || name[0] < 'a' || name[0] > 'z') return false;
    for (size_t i = 0; i < length; i++)
        if ((name[i] < 'a' || name[i] > 'z') && (name[i] < '0' || name[i] > '9')) return false;
    return true;
}

cpi_plugin *cpi_plugin_named(const char *name, size_t length)
{
    char path[4096], file[16];
    cpi_plugin *p = NULL;
    if (!is_name(name, length)) return NULL;
    snprintf(file, sizeof file, "%.*s", (int)length, name);
    if (strcmp(file, gpu.name) == 0 || strcmp(file, "gpu") == 0) return cpi_plugin_gpu();
    cpi_device_cpu();
    pthread_mutex_lock(&lock);
    for (int k = 1; k < count && !p; k++)
        if (strcmp(plugins[k]->name, file) == 0) p = plugins[k];
    if (!p && count < CPI_PLUGINS && find_library(file, path, sizeof path)) p = plugin_open(count, name, length);
    pthread_mutex_unlock(&lock);
    return p;
}

cpi_plugin *cpi_plugin_of(int id)
{
    int k = id < 0 ? -1 : id / STEP;
    if (k == 0) return cpi_plugin_gpu();
    return k > 0 && k < __atomic_load_n(&count, __ATOMIC_ACQUIRE) ? plugins[k] : NULL;
}

void cpi_devices_visit(void (*visit)(cpi_device *device))
{
    for (int k = 0; k < count; k++)
        for (int i = 0; plugins[k] && i < plugins[k]->devices; i++)
            if (plugins[k]->open[i]) visit(&plugins[k]->device[i]);
}

/* A fork waits until a plugin is open: a driver half initialised by another thread would crash the child. */
void cpi_registry_before_fork(void) { pthread_mutex_lock(&lock); }
void cpi_registry_after_fork(void) { pthread_mutex_unlock(&lock); }

/* The platform does not survive a fork: no device of a loaded plugin can be used, opened before or not. */
void cpi_registry_in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    for (int k = 0; k < count; k++)
        for (int i = 0; plugins[k] && i < plugins[k]->devices; i++)
            if (!plugins[k]->backend->forks) plugins[k]->device[i].forked = true;
}
