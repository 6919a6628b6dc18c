/* The whole contract between the core and a backend, on one page.
 *
 * A backend is one table: memory, streams, events, and a pointer to the table of each module. A module's header
 * (src/LAYER/MODULE/MODULE.h) documents its slots. Slots get arrays and loops that the API layer has checked: types,
 * shapes, devices and sizes are valid, and nothing is empty unless the slot's comment says so. A slot issues its work
 * to `stream` and returns; results may be complete later. It returns CP_OK, or the code of the record it wrote with
 * host->fail. The CPU's table is built in; that of a backend NAME comes from libcuprite-NAME.so, which exports
 * cuprite_backend_open, its only entry point, and cuprite_backend_abi, CPI_ABI of the headers that it was compiled
 * with. A plugin compiled with other headers is refused before it is called. A plugin calls only the functions of the
 * core that are in cpi_host_api. */
#ifndef CPI_BACKEND_H
#define CPI_BACKEND_H

#include "backend/modules.h" /* CPI_MODULES, made of src/modules.def */
#include "core/array.h"
#include "core/shape.h"
#include "cuprite/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CPI_STREAM_BLOCKING = 1, CPI_STREAM_ADOPTED = 2 }; /* see cp_stream_create, cp_stream_external */
struct cp_stream {
    int refs;   /* all references: owners, buffers, captures */
    int owners; /* how many cp_stream_free calls are due */
    cpi_device *device;
    void *handle;   /* cudaStream_t; NULL: the null stream. Backends without one of their own leave the record itself */
    void *impl;     /* private to the backend; NULL until needed */
    unsigned flags; /* CPI_STREAM_... */
    int priority;   /* as requested; once the stream is made, the device's */
    struct cp_stream *next; /* list of all streams (stream.c) */
};
enum { CPI_EVENT_BLOCKING = 1, CPI_EVENT_NO_TIMING = 2, CPI_EVENT_INTERPROCESS = 4 };
struct cp_event {
    cpi_device *device;
    void *handle;     /* cudaEvent_t */
    double when;      /* CPU: seconds of the monotonic clock */
    bool recorded;
    unsigned flags;   /* CPI_EVENT_... */
};
/* Recorded work: the backend's graph, and the objects that must live as long (capture.c). */
struct cp_graph {
    cpi_device *device;
    void *handle, *exec; /* cudaGraph_t and cudaGraphExec_t, or the backend's equivalents */
    struct cpi_capture *capture;
};

typedef struct cpi_backend cpi_backend;

/* Functions that a backend may call. */
typedef struct cpi_host_api {
    cp_code (*fail)(cp_code code, const char *format, ...);
    void *(*work_alloc)(cp_stream *stream, size_t bytes); /* pool memory, 512-byte aligned; NULL: error written */
    void (*work_free)(cp_stream *stream, void *memory);   /* reusable by later work of the stream; NULL is fine */
    void *(*malloc)(size_t bytes);                        /* host memory; NULL: error written */
    void (*free)(void *memory);
    cp_code (*take_error)(char *text, size_t bytes);      /* the calling thread's record and its message; clears it */
    const cpi_backend *cpu;                               /* for backends that use the CPU's slots */
    cp_stream *(*cpu_stream)(void);                       /* the calling thread's there */
    /* If the stream is capturing: release(memory) is called once the captured work can no longer be launched. False,
     * with nothing done, if it is not capturing, or on failure (error written). */
    bool (*capture_own)(cp_stream *stream, void *memory, void (*release)(void *memory));
    const char *(*library_folders)(void); /* see cp_library_folders_set */
} cpi_host_api;

#define CPI_MODULE_OPS(module) struct cpi_##module##_ops;
CPI_MODULES(CPI_MODULE_OPS)
#undef CPI_MODULE_OPS

struct cpi_backend {
    const char *name; /* "cpu", "cuda"; NAME:N is its device N */
    const char *error;   /* why there is no device; else "" */
    int devices;
    bool forks;       /* its devices remain usable in a forked child */
    bool at_once;     /* synchronous: work is done when a slot returns */
    cp_code (*open)(cpi_device *device); /* first use: fills device->impl, name, variant, units */
    /* makes the device current for the calling thread, before every slot that gets one of its streams; NULL: not
     * needed */
    void (*use)(const cpi_device *device);
    cp_code (*query)(cpi_device *device, int64_t *total, int64_t *available);
    /* raw memory for the pool; NULL without an error record when there is none */
    void *(*memory_new)(cpi_device *device, size_t bytes);
    void (*memory_free)(cpi_device *device, void *memory, size_t bytes);
    /* The pool will reuse the memory in stream order. NULL: nothing to do. */
    void (*memory_freed)(cp_stream *stream, void *memory, size_t bytes);
    /* linear copies and fills; to_host returns when the bytes have arrived, from_host when `host` may change */
    cp_code (*from_host)(cp_stream *stream, void *device_memory, const void *host, size_t bytes);
    cp_code (*to_host)(cp_stream *stream, void *host, const void *device_memory, size_t bytes);
    cp_code (*copy)(cp_stream *stream, void *to, const void *from, size_t bytes);
    cp_code (*zero)(cp_stream *stream, void *memory, size_t bytes);
    /* Copies bytes between two devices of the backend, ordered on both streams. NULL: staged through the host. */
    cp_code (*copy_peer)(cp_stream *to_stream, void *to, cp_stream *from_stream, const void *from, size_t bytes);
    /* Memory outside the pool, by kind (device.h); NULL without an error record when there is none. Slot NULL: only
     * memory_new and the host's malloc. */
    void *(*memory_of_kind)(cp_stream *stream, size_t bytes, cp_memory_kind kind);
    void (*memory_of_kind_free)(cp_stream *stream, void *memory, size_t bytes, cp_memory_kind kind);
    /* With CPI_STREAM_ADOPTED the handle exists already and outlives the record. */
    cp_code (*stream_new)(cp_stream *stream);
    void (*stream_free)(cp_stream *stream);
    /* Calls a host function when the stream's earlier work is done, on any thread. */
    cp_code (*stream_call)(cp_stream *stream, void (*function)(void *), void *argument);
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
    /* Capture: work given to the stream is recorded, not executed. capture_begin NULL: no support for capture.
     * capture_of returns the id of the capture that the stream takes part in, 0: none. It never fails. */
    cp_code (*capture_begin)(cp_stream *stream, cp_capture_mode mode);
    cp_code (*capture_end)(cp_stream *stream, cp_graph *graph);
    uint64_t (*capture_of)(cp_stream *stream);
    cp_code (*graph_launch)(cp_graph *graph, cp_stream *stream);
    cp_code (*graph_upload)(cp_graph *graph, cp_stream *stream);
    void (*graph_free)(cp_graph *graph);
    /* Calls the platform's own function by name ("cudaMemAdvise"): arguments and results are integers, addresses
     * included. Sets *status and returns the number of results; -1: no such function, or wrong arguments. */
    int (*native)(cpi_device *device, const char *name, int n, const int64_t *in, int64_t *out, int *status);
    /* The device's properties, reported as names with numbers or a string (cudaDeviceProp). */
    cp_code (*properties)(cpi_device *device, cp_property_fn report, void *context);
    /* cpi_parallel of cpu/threads.h, for backends that copy much host memory; the CPU's table only. */
    void (*parallel)(int64_t tasks, void (*task)(void *context, int64_t task, int worker), void *context);
    /* For tests: the n-th operation issued to the device from now on fails when it runs; 0: none. NULL: unsupported. */
    void (*fail_operation)(cpi_device *device, int64_t n);
    /* modules: `const struct cpi_sort_ops *sort` and so on */
#define CPI_MODULE_POINTER(module) const struct cpi_##module##_ops *module;
    CPI_MODULES(CPI_MODULE_POINTER)
#undef CPI_MODULE_POINTER
};

#define CPI_DEVICES 129
struct cpi_device {
    const cpi_backend *backend;
    int id;         /* public number: CP_CPU, 0.. for GPUs, further ones for devices of other plugins */
    int slot;       /* index in tables of devices, below CPI_DEVICES */
    int ordinal;    /* the backend's number */
    char label[32]; /* "cpu", "cuda:1" */
    char name[256], variant[32];
    int units;
    bool forked;          /* in a child of the process that opened it: unusable */
    void *impl;           /* private to the backend */
    struct cpi_pool *pool;
    cp_stream null_stream;
};

/* Symbols that a plugin exports. */
extern __attribute__((visibility("default"))) const uint64_t cuprite_backend_abi;
typedef const cpi_backend *(*cpi_backend_open_fn)(const cpi_host_api *host);

#ifdef __cplusplus
}
#endif
#endif
