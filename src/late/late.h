/* The deferred mock backend `late`: a device for tests that runs on every machine and finds bugs of asynchronous
 * devices.
 *
 * Only its queues can access its memory: programs hold unmapped addresses, and the elements lie SPAN bytes further.
 * Memory is poisoned when it is allocated and when it is freed. A stream is a queue on a thread of its own. It runs
 * nothing before a thread waits for it, and then only the work that was waited for: all other work is deferred as long
 * as possible. The kernels are the CPU's; generated code (tools/generate/late.py) saves their arguments.
 *
 * Invariants: tasks of a stream run in the order of issue; a task reads only its own copies of the caller's memory,
 * unless the caller waits for it; a task's error is reported once, by the stream's next call. */
#ifndef CPI_LATE_H
#define CPI_LATE_H

#include "backend/backend.h"
#include "loop/loop.h"

extern const cpi_host_api *late_host;
/* The stream in which the calling thread gives work to the CPU. */
cp_stream *late_cpu_stream(void);

/* --- memory.c --- */
enum { LATE_DEVICES = 2, LATE_POISON = 0xfb };
void *late_memory_new(cpi_device *device, size_t bytes);
void late_memory_free(cpi_device *device, void *memory, size_t bytes);
/* The mapped address of a device address, for use by queues; other addresses are returned unchanged. */
void *late_address(const void *address);
#define late_inside(pointer) ((__typeof__(pointer))late_address(pointer))
/* The same for every word in a structure that is a device address; and the inverse. */
void late_addresses_in(void *structure, size_t bytes);
void late_addresses_out(void *structure, size_t bytes);

/* --- calls.c: tasks and what they keep --- */
typedef struct late_task late_task;
struct late_task {
    late_task *next;
    const char *name; /* of the operation; NULL: an internal task */
    cp_code (*run)(void *call);
    uint64_t number;  /* in its queue */
    bool waited;      /* the issuing thread frees it */
    bool broken;      /* out of memory for a copy */
    bool fails;       /* on demand */
    size_t used;
    struct late_more *more;
    _Alignas(16) char space[8192 - 128];
};
/* NULL with an error when there is no memory. */
late_task *late_task_new(const char *name, cp_code (*run)(void *call), size_t bytes);
late_task *late_task_new_quietly(cp_code (*run)(void *call), size_t bytes); /* writes no error */
void late_task_free(late_task *t);
static inline void *late_call(late_task *t) { return t->space; }
/* Copies that live as long as the task; NULL for NULL. Out of memory, the task is marked broken and issuing it
 * fails. */
void *late_keep_host(late_task *t, const void *values, size_t bytes);
void *late_keep(late_task *t, const void *structure, size_t bytes); /* with device addresses translated */
cpi_loop *late_keep_loops(late_task *t, const cpi_loop *loops, size_t n);
cp_array *late_keep_array(late_task *t, const cp_array *x);
/* Copies the task's version of a structure back to the caller's. */
void late_take_back(void *structure, const void *kept, size_t bytes);

/* --- queue.c --- */
/* Issues the task to the stream; returns the error of the stream's earlier work. */
cp_code late_give(cp_stream *stream, late_task *t);
/* The same for an internal task: no errors are reported. */
void late_give_quietly(cp_stream *stream, late_task *t);
/* As late_give, and waits for it; the task is then the caller's to free. */
cp_code late_give_and_wait(cp_stream *stream, late_task *t);
cp_code late_stream_new(cp_stream *s);
void late_stream_free(cp_stream *s);
/* True in a queue's thread while it calls a host function: waits and work are refused there. */
extern _Thread_local bool late_calling;
cp_code late_stream_sync(cp_stream *s);
int late_stream_done(cp_stream *s);
cp_code late_stream_wait(cp_stream *s, cp_event *e);
cp_code late_event_new(cp_event *e);
void late_event_free(cp_event *e);
cp_code late_event_record(cp_event *e, cp_stream *s);
cp_code late_event_sync(cp_event *e);
int late_event_done(cp_event *e);
cp_code late_event_elapsed(cp_event *start, cp_event *end, double *ms);
cp_code late_capture_begin(cp_stream *s, cp_capture_mode mode);
cp_code late_capture_end(cp_stream *s, cp_graph *g);
uint64_t late_capture_of(cp_stream *s);
cp_code late_graph_launch(cp_graph *g, cp_stream *s);
cp_code late_graph_upload(cp_graph *g, cp_stream *s);
void late_graph_free(cp_graph *g);
/* Later work of `stream` runs after the present work of `other`; does not block. */
cp_code late_follow(cp_stream *stream, cp_stream *other);
cp_code late_device_sync(cpi_device *d);
void late_device_wait(cpi_device *d); /* reports no errors */
/* The n-th task issued to the device from now on fails when it runs, once; 0: none. */
void late_fail(cpi_device *d, int64_t n);

#endif
