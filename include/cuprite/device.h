/* Devices, memory pools, streams and events.
 *
 * A device is a small integer: 0, 1, ... are the GPUs, CP_CPU is the CPU. Where there is no GPU, 0 is
 * the CPU too, so a program written for device 0 runs everywhere. Devices of other backends have the numbers that
 * cp_device_parse gives for their names. The current device belongs to the
 * calling thread; new arrays go there. Each device has one pool; work on a device is ordered by streams;
 * CPU work is finished when its call returns. */
#ifndef CUPRITE_DEVICE_H
#define CUPRITE_DEVICE_H

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CP_CPU (-1)
#define CP_CURRENT (-2) /* in options: the calling thread's current device */
#define CP_NO_DEVICE (-3) /* what cp_device_current answers on failure; no function takes it */

/* Number of GPUs; 0 when there is none or the CUDA plugin cannot be loaded. Opens the plugin. */
CP_API int cp_device_count(void);
/* Why there is no GPU, one line; "" when there is one. */
CP_API const char *cp_device_trouble(void);
/* "cpu", "cuda", "cuda:1", "gpu", "gpu:1", "1" or NAME:N of another backend's plugin to a device; CP_ERROR_VALUE for
 * another word and CP_ERROR_DEVICE for a device that is not there. */
CP_API cp_code cp_device_parse(const char *text, int *device);
/* Makes a device current for the calling thread. */
CP_API cp_code cp_device_use(int device);
/* The current device: the one that CUPRITE_DEVICE names, or device 0, until the thread chooses. The first question
 * opens the plugin. CP_NO_DEVICE with the error set when CUPRITE_DEVICE names no device. */
CP_API int cp_device_current(void);
/* Waits for all work on a device; reports failures that surfaced late. */
CP_API cp_code cp_device_synchronize(int device);

typedef struct cp_device_info {
    char name[256];          /* "NVIDIA H200", or the processor's name */
    char backend[16];        /* "cuda", "cpu", ... */
    int number;              /* among the backend's devices: BACKEND:number is the device's name */
    char variant[32];        /* instruction set in use ("x86-64-v4") or compute capability ("sm_90") */
    int units;               /* multiprocessors, or threads of the CPU pool */
    int64_t memory_total, memory_free; /* bytes */
} cp_device_info;
CP_API cp_code cp_device_query(int device, cp_device_info *info);

/* Number of threads the CPU device uses (CUPRITE_NUM_THREADS, OMP_NUM_THREADS, the processors this
 * process may run on); set with n >= 1. */
CP_API int cp_threads(void);
CP_API cp_code cp_threads_set(int n);

typedef struct cp_pool_stats {
    int64_t used;       /* bytes in live arrays and workspaces */
    int64_t held;       /* bytes taken from the device, used or kept for reuse */
    int64_t peak;       /* most bytes ever used */
    int64_t limit;      /* most bytes that may be held; 0: no limit */
    int64_t allocations, reuses; /* requests, and those served without asking the device */
} cp_pool_stats;
CP_API cp_code cp_pool_query(int device, cp_pool_stats *stats);
/* Limits what the pool may hold, in bytes; 0 takes the limit away. */
CP_API cp_code cp_pool_limit(int device, int64_t bytes);
/* Gives memory that no array uses back to the device. */
CP_API cp_code cp_pool_trim(int device);

/* A new stream on a device; NULL on failure. */
CP_API cp_stream *cp_stream_create(int device);
CP_API void cp_stream_free(cp_stream *s);
/* Makes `s` the calling thread's stream on its device; NULL goes back to the device's null stream. */
CP_API cp_code cp_stream_use(cp_stream *s);
/* The calling thread's stream on a device. */
CP_API cp_stream *cp_stream_current(int device);
CP_API cp_code cp_stream_synchronize(cp_stream *s);
/* 1 when all work is done, 0 when not, -1 on failure. */
CP_API int cp_stream_done(cp_stream *s);
CP_API int cp_stream_device(const cp_stream *s);
/* The native handle (a cudaStream_t), NULL on the CPU. */
CP_API void *cp_stream_handle(const cp_stream *s);
/* Later work in `s` waits for `e`. */
CP_API cp_code cp_stream_wait(cp_stream *s, cp_event *e);

CP_API cp_event *cp_event_create(int device);
CP_API void cp_event_free(cp_event *e);
CP_API cp_code cp_event_record(cp_event *e, cp_stream *s);
CP_API cp_code cp_event_synchronize(cp_event *e);
/* 1 when reached, 0 when not, -1 on failure. */
CP_API int cp_event_done(cp_event *e);
/* Milliseconds between two recorded events that both have been reached. */
CP_API cp_code cp_event_elapsed(cp_event *start, cp_event *end, double *ms);

#ifdef __cplusplus
}
#endif
#endif
