/* Devices, their streams and workspaces, for the API layer. */
#ifndef CPI_BACKEND_DEVICE_H
#define CPI_BACKEND_DEVICE_H

#include "backend/array.h"
#include "backend/backend.h"

cpi_device *cpi_device_cpu(void);
/* The device with that public number; NULL and CP_ERROR_DEVICE when there is none. */
cpi_device *cpi_device_get(const char *function, int id);
cpi_device *cpi_device_current(void);
/* The calling thread's stream on the device. */
cp_stream *cpi_stream(cpi_device *device);
/* Whether the calling thread may wait for the device: cp_synchronize_allow permits it, and the thread is not in a
 * function that a stream of the device's backend called. Else the error is written. */
bool cpi_may_wait(const char *function, const cpi_device *device);
/* Workspace in stream order; NULL: error written. Freed with cpi_work_free. */
void *cpi_work_alloc(cp_stream *stream, size_t bytes);
void cpi_work_free(cp_stream *stream, void *memory);
/* Copies bytes between devices, in the order of the calling thread's streams on both. */
cp_code cpi_copy_peer(cpi_device *to_device, void *to, cpi_device *from_device, const void *from, size_t bytes);
/* Writes the path of a library beside libcuprite.so to `path`; returns it. */
const char *cpi_library_path(const char *name, char *path, size_t bytes);
extern const cpi_host_api cpi_host_table;
extern const cpi_backend cpi_backend_cpu;

#endif
