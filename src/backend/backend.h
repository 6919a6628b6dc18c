/* The whole contract between the core and a backend, on one page.
 *
 * A backend is one table: memory, streams, events, and a pointer to the table of each room. A room's header
 * (src/ROOM/ROOM.h) says what its slots do. Slots get arrays and loops that the front has checked: types,
 * shapes, devices and sizes are right, and nothing is empty unless the slot's comment says so. A slot
 * issues its work to `stream` and returns; results may be there later. It returns CP_OK, or the code of the
 * record it wrote with host->fail. The CPU's table is built in; CUDA's comes from libcuprite-cuda.so, whose
 * only entry is cuprite_backend_open. The plugin calls nothing of the core but the functions in cpi_host_api. */
#ifndef CPI_BACKEND_H
#define CPI_BACKEND_H

#include "core/array.h"
#include "core/shape.h"

#define CPI_ABI 2

#ifdef __cplusplus
extern "C" {
#endif

struct cp_stream {
    int refs;
    cpi_device *device;
    void *handle; /* cudaStream_t; NULL: the null stream, or the CPU */
    void *impl;   /* the backend's own; NULL until it needs it */
};
struct cp_event {
    cpi_device *device;
    void *handle;     /* cudaEvent_t */
    double when;      /* CPU: seconds of the monotonic clock */
    bool recorded;
};

/* What a backend may call. */
typedef struct cpi_host_api {
    uint32_t abi;
    cp_code (*fail)(cp_code code, const char *format, ...);
    void *(*work_alloc)(cp_stream *stream, size_t bytes); /* pool memory, 512-byte aligned; NULL: error written */
    void (*work_free)(cp_stream *stream, void *memory);   /* usable again by later work of the stream; NULL fine */
    void *(*malloc)(size_t bytes);                        /* host memory; NULL: error written */
    void (*free)(void *memory);
} cpi_host_api;

typedef struct cpi_backend {
    uint32_t abi;
    const char *name; /* "cpu", "cuda" */
    const char *trouble; /* why there is no device; "" */
    int devices;
    cp_code (*open)(cpi_device *device); /* first use: fills device->impl, name, variant, units */
    /* makes the device current for the calling thread, before every slot that gets one of its streams; NULL: not
     * needed */
    void (*use)(const cpi_device *device);
    cp_code (*query)(cpi_device *device, int64_t *total, int64_t *available);
    /* raw memory for the pool; NULL without an error record when there is none */
    void *(*memory_new)(cpi_device *device, size_t bytes);
    void (*memory_free)(cpi_device *device, void *memory, size_t bytes);
    /* linear copies and fills; to_host returns when the bytes have arrived, from_host when `host` may change */
    cp_code (*from_host)(cp_stream *stream, void *device_memory, const void *host, size_t bytes);
    cp_code (*to_host)(cp_stream *stream, void *host, const void *device_memory, size_t bytes);
    cp_code (*copy)(cp_stream *stream, void *to, const void *from, size_t bytes);
    cp_code (*zero)(cp_stream *stream, void *memory, size_t bytes);
    cp_code (*stream_new)(cp_stream *stream);
    void (*stream_free)(cp_stream *stream);
    cp_code (*stream_sync)(cp_stream *stream);
    int (*stream_done)(cp_stream *stream);
    cp_code (*stream_wait)(cp_stream *stream, cp_event *event);
    cp_code (*event_new)(cp_event *event);
    void (*event_free)(cp_event *event);
    cp_code (*event_record)(cp_event *event, cp_stream *stream);
    cp_code (*event_sync)(cp_event *event);
    int (*event_done)(cp_event *event);
    cp_code (*event_elapsed)(cp_event *start, cp_event *end, double *ms);
    cp_code (*device_sync)(cpi_device *device);
    /* rooms */
    const struct cpi_elementwise_ops *elementwise;
    const struct cpi_reduce_ops *reduce;
    const struct cpi_index_ops *index;
    const struct cpi_sort_ops *sort;
    const struct cpi_signal_ops *signal;
    const struct cpi_ndimage_ops *ndimage;
} cpi_backend;

struct cpi_device {
    const cpi_backend *backend;
    int id;       /* public number: 0.. for GPUs, CP_CPU */
    int ordinal;  /* the backend's number */
    char name[256], variant[32];
    int units;
    void *impl;           /* the backend's own */
    struct cpi_pool *pool;
    cp_stream null_stream;
};

typedef const cpi_backend *(*cpi_backend_open_fn)(const cpi_host_api *host);

#ifdef __cplusplus
}
#endif
#endif
