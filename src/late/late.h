/* The test backend `late`: a device that no machine lacks, for finding what a GPU would find in the field.
 *
 * Its memory can be touched by its queues only: programs hold addresses at which nothing is mapped, and the elements
 * lie SPAN bytes further. Memory is poisoned when it is new and when it is freed. A stream is a queue on a thread of
 * its own that runs nothing before somebody waits for it, and then nothing but what was waited for: everything else
 * stays as late as it may. The kernels are the CPU's; generated code (tools/generate/late.py) keeps their arguments.
 *
 * Invariants: tasks of a stream run in the order they were given; a task sees no memory of the caller's but what it
 * keeps a copy of, unless the caller waits for it; what a task fails with is told once, by the stream's next call. */
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
/* The address at which queues find what a program knows as `address`, where that is the device's; else itself. */
void *late_address(const void *address);
#define late_inside(pointer) ((__typeof__(pointer))late_address(pointer))
/* The same for every word in a structure that is an address of the device's; and the way back. */
void late_addresses_in(void *structure, size_t bytes);
void late_addresses_out(void *structure, size_t bytes);

/* --- calls.c: tasks and what they keep --- */
typedef struct late_task late_task;
struct late_task {
    late_task *next;
    const char *name; /* of the operation; NULL: none of the program's */
    cp_code (*run)(void *call);
    uint64_t number;  /* in its queue */
    bool waited;      /* the giver frees it */
    bool broken;      /* something could not be kept */
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
/* Copies that live as long as the task; NULL for NULL. Without memory the task is broken, and giving it fails. */
void *late_keep_host(late_task *t, const void *values, size_t bytes);
void *late_keep(late_task *t, const void *structure, size_t bytes); /* with addresses of the device's made usable */
cpi_loop *late_keep_loops(late_task *t, const cpi_loop *loops, size_t n);
cp_array *late_keep_array(late_task *t, const cp_array *x);
/* The caller's structure gets what the task made of its copy. */
void late_take_back(void *structure, const void *kept, size_t bytes);

/* --- queue.c --- */
/* Gives the task to the stream; returns what the stream's earlier work failed with. */
cp_code late_give(cp_stream *stream, late_task *t);
/* The same for a task that is not the program's: nothing is told, failures neither. */
void late_give_quietly(cp_stream *stream, late_task *t);
/* As late_give, and waits for it; the task is then the caller's to free. */
cp_code late_give_and_wait(cp_stream *stream, late_task *t);
cp_code late_stream_new(cp_stream *s);
void late_stream_free(cp_stream *s);
/* The thread is a queue's, in a function of the host's that it calls: there every wait and all work is refused. */
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
/* Later work of `stream` comes after all that `other` has got by now; nobody waits. */
cp_code late_follow(cp_stream *stream, cp_stream *other);
cp_code late_device_sync(cpi_device *d);
void late_device_wait(cpi_device *d); /* tells nothing */
/* The n-th task that the device gets from now on fails when it runs, once; 0: none. */
void late_fail(cpi_device *d, int64_t n);

#endif
