/* Devices, memory and its pools, streams, events, graphs.
 *
 * A device is a small integer: 0, 1, ... are the GPUs, CP_CPU is the CPU. Where there is no GPU, 0 is
 * the CPU too, so a program written for device 0 runs everywhere. Devices of other backends have the numbers that
 * cp_device_parse gives for their names. The current device belongs to the
 * calling thread; new arrays go there. Each device has one memory pool. Streams order the work on a device; CPU work is
 * finished when its call returns. */
#ifndef CUPRITE_DEVICE_H
#define CUPRITE_DEVICE_H

#include "calls.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CP_CPU (-1)
#define CP_CURRENT (-2) /* in options: the calling thread's current device */
#define CP_NO_DEVICE (-3) /* returned by cp_device_current on failure; no function accepts it */

/* Number of GPUs; 0 when there is none or the CUDA plugin cannot be loaded. Opens the plugin. */
CP_API int cp_device_count(void);
/* Why there is no GPU, one line; "" when there is one. */
CP_API const char *cp_device_error(void);
/* "cpu", "cuda", "cuda:1", "gpu", "gpu:1", "1" or NAME:N of another backend's plugin to a device. CP_ERROR_VALUE for
 * any other string, CP_ERROR_DEVICE for a device that does not exist. */
CP_API cp_code cp_device_parse(const char *text, int *device);
/* Makes a device current for the calling thread. */
CP_API cp_code cp_device_use(int device);
/* The current device: the one that CUPRITE_DEVICE names, or device 0, until the thread chooses. The first call opens
 * the plugin. CP_NO_DEVICE with the error set when CUPRITE_DEVICE names no device. */
CP_API int cp_device_current(void);
/* Waits for all work on a device; reports its asynchronous errors. */
CP_API cp_code cp_device_synchronize(int device);

typedef struct cp_device_info {
    char name[256];          /* "NVIDIA H200", or the processor's name */
    char backend[16];        /* "cuda", "cpu", ... */
    int number;              /* index within the backend: BACKEND:number is the device's name */
    char variant[32];        /* instruction set in use ("x86-64-v4") or compute capability ("sm_90") */
    int units;               /* multiprocessors, or threads of the CPU pool */
    int64_t memory_total, memory_free; /* bytes */
} cp_device_info;
CP_API cp_code cp_device_query(int device, cp_device_info *info); /* name, memory, units */

/* 1 when `device` can read and write the memory of `peer` directly, 0 when not, -1 on failure. Copies between devices
 * use peer access by themselves; without it they are staged through the host. */
CP_API int cp_device_can_access(int device, int peer);
/* Reports the device's properties under CUDA's names (cudaDeviceProp): n numbers, or a string and its length n. The CPU
 * reports the limits of user kernels there. */
typedef void (*cp_property_fn)(void *context, const char *name, int n, const int64_t *values, const char *text);
CP_API cp_code cp_device_properties(int device, cp_property_fn report, void *context);
/* Calls the platform's own function by name ("cudaMemAdvise"). Arguments are integers, addresses included. Its status
 * goes to *status and its results, 8 at most, to `out`. Returns their number; -1 with the error set where there is no
 * such function, as on the CPU. */
CP_API int cp_device_call(int device, const char *name, int n, const int64_t *in, int64_t *out, int *status);

/* Sets folders, separated by colons, of packages with libraries (Python's site-packages). OpenBLAS, cuBLAS and others
 * are searched there too when they are first needed. The program's own folders are in CUPRITE_LIBRARY_PATH. */
CP_API cp_code cp_library_folders_set(const char *folders);

/* Number of threads of the CPU device; n >= 1. The default is CUPRITE_NUM_THREADS, OMP_NUM_THREADS or the number of
 * processors this process may run on. */
CP_API int cp_threads(void);
CP_API cp_code cp_threads_set(int n); /* of the CPU, from now on */

/* Whether the program wants its call to end. Distances of points, searches in trees (cdist, KDTree), shortest paths,
 * filters of images by windows and direct convolutions ask about ten times a second, on the thread that called, and
 * fail with CP_ERROR_INTERRUPTED where it is true; on the CPU only. The function may call the library. NULL, the
 * default: nobody is asked. */
typedef bool cp_interrupt(void);
CP_API void cp_interrupt_set(cp_interrupt *function);

typedef struct cp_pool_stats {
    int64_t used;       /* bytes in live arrays and workspaces */
    int64_t held;       /* bytes taken from the device, used or kept for reuse */
    int64_t peak;       /* most bytes ever used */
    int64_t limit;      /* most bytes that may be held; 0: no limit */
    int64_t allocations, reuses; /* requests, and those served without asking the device */
    int64_t blocks;     /* kept for reuse: their number */
} cp_pool_stats;
CP_API cp_code cp_pool_query(int device, cp_pool_stats *stats); /* bytes held and used */
/* Limits the bytes that the pool may hold; 0 removes the limit. For devices other than the CPU the initial limit is
 * CUPRITE_GPU_MEMORY_LIMIT or, without that, CUPY_GPU_MEMORY_LIMIT: bytes, or "50%" of its memory. */
CP_API cp_code cp_pool_limit(int device, int64_t bytes);
/* The same as a share of the device's memory, 0 to 1. */
CP_API cp_code cp_pool_limit_share(int device, double share);
/* Returns cached memory that no array uses to the device. */
CP_API cp_code cp_pool_trim(int device);
/* The same for the memory that was freed in one stream. */
CP_API cp_code cp_pool_trim_stream(cp_stream *s);

typedef enum cp_memory_kind {
    CP_MEMORY_DEVICE,  /* from the device itself */
    CP_MEMORY_ASYNC,   /* from the platform's pool, in stream order (cudaMallocAsync) */
    CP_MEMORY_MANAGED, /* host and device use it under one address */
    CP_MEMORY_PINNED   /* the host's, page-locked: transfers need no staging and may run beside other work */
} cp_memory_kind;
/* Allocates outside the pool; NULL on failure. A kind that the device lacks falls back to the nearest one: on the CPU
 * all are host memory, and without page-locked memory pageable host memory is used. */
CP_API void *cp_memory_new(int device, size_t bytes, cp_memory_kind kind); /* outside the pool */
CP_API void cp_memory_free(int device, void *memory, size_t bytes, cp_memory_kind kind); /* of cp_memory_new */
/* Copies bytes between devices, in the order of the calling thread's streams there. CP_CPU is the host; its bytes have
 * been read or have arrived when the call returns. */
CP_API cp_code cp_memory_copy(void *to, int to_device, const void *from, int from_device, size_t bytes);
/* Sets the allocator of new arrays in all threads. It returns an address on the device, and in *token the argument of
 * `release`, which is called when the last view is gone. A NULL address with a token is a failure; without one the pool
 * is used. A NULL function restores the pool, the default. Workspaces always come from the pool. */
typedef void *(*cp_allocate_fn)(int device, size_t bytes, void **token);
CP_API void cp_allocator_set(cp_allocate_fn allocate, void (*release)(void *token));

typedef struct cp_stream_create_options {
    CP_OPTION(bool, blocking); /* it and the null stream wait for each other's earlier work */
    CP_OPTION(int, priority);  /* lower goes first; clamped to the device's range */
    int _;
} cp_stream_create_options;
/* A new stream on a device; NULL on failure. */
CP_API cp_stream *cp_stream_create(int device, const cp_stream_create_options *options);
#define cp_stream_create(...) CP_CALL(cp_stream_create, cp_stream_create_options, __VA_ARGS__, ._ = 0)
/* Wraps an external stream (a cudaStream_t), which must outlive the work given to it; for a handle of this library it
 * returns that stream. NULL and CP_ERROR_VALUE where the device has no stream with that handle. Freed as others are. */
CP_API cp_stream *cp_stream_external(int device, void *handle);
/* The device's null stream, and a blocking stream that belongs to the calling thread and ends with it. Do not free
 * them. */
CP_API cp_stream *cp_stream_null(int device); /* the device's default stream */
CP_API cp_stream *cp_stream_per_thread(int device); /* the calling thread's own */
CP_API void cp_stream_free(cp_stream *s); /* NULL is fine */
/* Makes `s` the calling thread's stream on its device; NULL restores the default of the current device: its null
 * stream, or with CUPRITE_PER_THREAD_DEFAULT_STREAM=1 (CUPY_CUDA_PER_THREAD_DEFAULT_STREAM=1) the thread's own. */
CP_API cp_code cp_stream_use(cp_stream *s);
/* The calling thread's stream on a device. */
CP_API cp_stream *cp_stream_current(int device); /* where calls issue work */
CP_API cp_code cp_stream_synchronize(cp_stream *s); /* waits for its work */
/* Sets whether calls of this thread may synchronize with a device (the default); returns the former setting. If not,
 * waits for streams, events and devices and copies to the host fail with CP_ERROR_SYNCHRONIZED. */
CP_API bool cp_synchronize_allow(bool allow);
/* Whether the default stream is per-thread. */
CP_API bool cp_stream_default_per_thread(void);
/* 1 when all work is done, 0 when not, -1 on failure. */
CP_API int cp_stream_done(cp_stream *s); /* 1: all work is done, 0: not yet, -1: error */
CP_API int cp_stream_device(const cp_stream *s); /* number of the device */
/* The native handle (a cudaStream_t; elsewhere an opaque value), NULL for null streams. */
CP_API void *cp_stream_handle(const cp_stream *s); /* cudaStream_t */
CP_API bool cp_stream_is_blocking(const cp_stream *s); /* with regard to the null stream */
CP_API int cp_stream_priority(const cp_stream *s); /* the lower, the earlier */
/* Calls a host function once the stream's earlier work is done; on the CPU at once. The function must neither use nor
 * wait for the device: waits fail with CP_ERROR_DEVICE (cudaErrorNotPermitted). release(argument), where not NULL, is
 * called after it, or at the end of the graph if the call was captured. */
CP_API cp_code cp_stream_call(cp_stream *s, void (*function)(void *argument), void *argument,
                              void (*release)(void *argument));
/* Later work in `s` waits for `e`. */
CP_API cp_code cp_stream_wait(cp_stream *s, cp_event *e);

typedef struct cp_event_create_options {
    CP_OPTION(bool, blocking);     /* waiting threads sleep instead of spinning */
    CP_OPTION(bool, no_timing);    /* cannot measure time */
    CP_OPTION(bool, interprocess); /* other processes may use it; without timing */
    int _;
} cp_event_create_options;
CP_API cp_event *cp_event_create(int device, const cp_event_create_options *options); /* not recorded yet */
#define cp_event_create(...) CP_CALL(cp_event_create, cp_event_create_options, __VA_ARGS__, ._ = 0)
CP_API void cp_event_free(cp_event *e); /* NULL is fine */
/* The native handle (a cudaEvent_t), NULL on the CPU. */
CP_API void *cp_event_handle(const cp_event *e); /* cudaEvent_t */
CP_API cp_code cp_event_record(cp_event *e, cp_stream *s); /* after the stream's work so far */
CP_API cp_code cp_event_synchronize(cp_event *e); /* waits until it is reached */
/* 1 when reached, 0 when not, -1 on failure. */
CP_API int cp_event_done(cp_event *e);
/* Milliseconds between two recorded events that have both been reached. */
CP_API cp_code cp_event_elapsed(cp_event *start, cp_event *end, double *ms);

/* --- graphs ---
 *
 * Between cp_stream_capture and cp_stream_capture_end the work of a stream, and of streams that wait for its events, is
 * recorded and not executed. Allocation works. Memory that recorded work uses lives as long as the graph. Calls that
 * need a result (a copy to the host, a wait) are errors and invalidate the capture. A launch on the CPU is done when
 * the call returns. */
typedef enum cp_capture_mode { CP_CAPTURE_GLOBAL, CP_CAPTURE_THREAD, CP_CAPTURE_RELAXED } cp_capture_mode;
CP_API cp_code cp_stream_capture(cp_stream *s, cp_capture_mode mode); /* begins to record */
/* 1 while the stream's work is captured, 0 when not, -1 on failure. */
CP_API int cp_stream_capturing(cp_stream *s);
/* Ends the capture and returns its graph; NULL on failure, which also ends the capture. */
CP_API cp_graph *cp_stream_capture_end(cp_stream *s);
/* Executes the recorded work in a stream of the graph's device. */
CP_API cp_code cp_graph_launch(cp_graph *g, cp_stream *s);
/* Prepares the next launch in the stream. */
CP_API cp_code cp_graph_upload(cp_graph *g, cp_stream *s); /* before the first launch */
CP_API void cp_graph_free(cp_graph *g); /* NULL is fine */
/* The native handles: cudaGraph_t, or with `exec` cudaGraphExec_t. */
CP_API void *cp_graph_handle(const cp_graph *g, bool exec);

#ifdef __cplusplus
}
#endif
#endif
