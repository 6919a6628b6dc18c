/* The plugins of backends, found by name. */
#ifndef CPI_BACKEND_REGISTRY_H
#define CPI_BACKEND_REGISTRY_H

#include "backend/backend.h"

enum { CPI_PLUGINS = 8, CPI_PLUGIN_DEVICES = 16 };

typedef struct cpi_plugin {
    char name[16];
    int first;             /* public number of its device 0; further ones follow */
    int devices;           /* 0: there is none, `error` says why */
    char error[512];
    const cpi_backend *backend;
    cpi_device device[CPI_PLUGIN_DEVICES];
    bool open[CPI_PLUGIN_DEVICES];
} cpi_plugin;

/* The plugin whose devices are the GPUs: numbers 0, 1, ... */
cpi_plugin *cpi_plugin_gpu(void);
/* The plugin of that name, opened; NULL when no such library is there. `length` bytes of the name count. */
cpi_plugin *cpi_plugin_named(const char *name, size_t length);
/* The opened plugin that has the public device number; NULL when none has. */
cpi_plugin *cpi_plugin_of(int id);
/* Calls `visit` for each device that was opened. */
void cpi_devices_visit(void (*visit)(cpi_device *device));
/* Around a fork. It waits until no plugin is being opened; in the child locks are free and no plugin's device is
 * usable, unless its backend forks. */
void cpi_registry_before_fork(void);
void cpi_registry_after_fork(void); /* in the parent */
void cpi_registry_in_child(void);

#endif
