/* Captures, tasks and graphs of the CPU: see record.h for the invariants.
 *
 * Tasks are in the order of the calls, which is an order that the streams' events permit: a launch makes the calls one
 * after the other in the launching thread. One lock guards the list of captures and what a record holds. */
#include "cpu/record.h"

#include <pthread.h>
#include <string.h>

#include "backend/device.h"
#include "backend/profile.h"
#include "core/memory.h"

typedef struct cpi_task_copy {
    struct cpi_task_copy *next;
    _Alignas(16) char space[];
} cpi_task_copy;

typedef struct record {
    int refs; /* the graph, or the capture, and graphs that launch it */
    uint64_t number;
    cp_capture_mode mode;
    pthread_t thread;
    cpi_record_task *first, *last;
    bool invalid;        /* something that cannot be captured was tried */
    cp_stream **streams; /* that take part */
    int nstreams;
    pthread_mutex_t launching; /* launches of one graph exclude each other */
    struct record *next;       /* of the captures under way */
} record;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static record *recording;
static cpi_backend table; /* the device's while a stream captures */

static void after_fork_child(void) { pthread_mutex_init(&lock, NULL); }

/* --- tasks --- */

cpi_record_task *cpi_task_new(const char *name, cp_code (*run)(cp_stream *stream, void *call), size_t bytes)
{
    cpi_record_task *t = cpi_malloc(sizeof *t + bytes);
    if (!t) return NULL;
    memset(t, 0, sizeof *t + bytes);
    t->name = name;
    t->run = run;
    return t;
}

static void task_free(cpi_record_task *t)
{
    if (t->ends) t->ends(t->call);
    for (cpi_task_copy *k = t->kept, *next; k; k = next) {
        next = k->next;
        cpi_free_host(k);
    }
    cpi_free_host(t);
}

void *cpi_task_keep(cpi_record_task *t, const void *values, size_t bytes)
{
    cpi_task_copy *k = values ? cpi_malloc(sizeof *k + bytes) : NULL;
    if (!k) {
        t->incomplete |= values != NULL;
        return NULL;
    }
    k->next = t->kept;
    t->kept = k;
    return memcpy(k->space, values, bytes);
}

cp_array *cpi_task_keep_array(cpi_record_task *t, const cp_array *x)
{
    cp_array *kept = x ? cpi_task_keep(t, x, sizeof *x + 2 * (size_t)x->ndim * sizeof x->dims[0]) : NULL;
    if (!kept) return NULL;
    kept->shape = kept->dims;
    kept->strides = kept->dims + x->ndim;
    if (x->flags & CPI_HOST_SCALAR) kept->data = (char *)kept->value;
    return kept;
}

cp_code cpi_task_record(cp_stream *s, cpi_record_task *t)
{
    if (t->incomplete) {
        task_free(t);
        return CP_ERROR_MEMORY;
    }
    pthread_mutex_lock(&lock);
    record *r = s->impl;
    if (r && r->first) {
        r->last = r->last->next = t;
    } else if (r) {
        r->first = r->last = t;
    }
    pthread_mutex_unlock(&lock);
    if (r) return CP_OK;
    const char *name = t->name; /* another thread ended the capture during this call */
    task_free(t);
    return cpi_fail(CP_ERROR_DEVICE, "%s: cudaErrorStreamCaptureInvalidated: the capture ended during the call", name);
}

cp_code cpi_not_recorded(cp_stream *s, const char *name)
{
    pthread_mutex_lock(&lock);
    record *r = s->impl;
    if (r) r->invalid = true;
    pthread_mutex_unlock(&lock);
    return cpi_fail(CP_ERROR_DEVICE, "%s: cudaErrorStreamCaptureUnsupported: not permitted while the stream captures",
                    name);
}

/* --- linear copies, streams and events while a stream captures --- */

typedef struct linear {
    char *to;
    const char *from; /* NULL: zeros */
    size_t bytes;
} linear;

static cp_code run_linear(cp_stream *s, void *call)
{
    const linear *c = call;
    return c->from ? cpi_backend_cpu.copy(s, c->to, c->from, c->bytes) : cpi_backend_cpu.zero(s, c->to, c->bytes);
}

static cp_code keep_linear(cp_stream *s, const char *name, void *to, const void *from, size_t bytes, bool of_host)
{
    cpi_record_task *t = bytes ? cpi_task_new(name, run_linear, sizeof(linear)) : NULL;
    if (!t) return bytes ? CP_ERROR_MEMORY : CP_OK;
    *(linear *)(void *)t->call = (linear){to, of_host ? cpi_task_keep(t, from, bytes) : from, bytes};
    return cpi_task_record(s, t);
}

static cp_code from_host(cp_stream *s, void *to, const void *from, size_t bytes)
{
    return cpi_recording(s) ? keep_linear(s, "copy from host", to, from, bytes, true)
                            : cpi_backend_cpu.from_host(s, to, from, bytes);
}

static cp_code to_host(cp_stream *s, void *to, const void *from, size_t bytes)
{
    return cpi_recording(s) ? cpi_not_recorded(s, "copy to host") : cpi_backend_cpu.to_host(s, to, from, bytes);
}

static cp_code copy(cp_stream *s, void *to, const void *from, size_t bytes)
{
    return cpi_recording(s) ? keep_linear(s, "copy", to, from, bytes, false) : cpi_backend_cpu.copy(s, to, from, bytes);
}

static cp_code zero(cp_stream *s, void *to, size_t bytes)
{
    return cpi_recording(s) ? keep_linear(s, "zeros", to, NULL, bytes, false) : cpi_backend_cpu.zero(s, to, bytes);
}

typedef struct host_call { void (*function)(void *); void *argument; } host_call;

static cp_code run_host_call(cp_stream *s, void *call)
{
    const host_call *c = call;
    return cpi_backend_cpu.stream_call(s, c->function, c->argument);
}

static cp_code stream_call(cp_stream *s, void (*function)(void *), void *argument)
{
    if (!cpi_recording(s)) return cpi_backend_cpu.stream_call(s, function, argument);
    cpi_record_task *t = cpi_task_new("stream_call", run_host_call, sizeof(host_call));
    if (!t) return CP_ERROR_MEMORY;
    *(host_call *)(void *)t->call = (host_call){function, argument};
    return cpi_task_record(s, t);
}

static cp_code stream_sync(cp_stream *s) { return cpi_recording(s) ? cpi_not_recorded(s, "synchronize") : CP_OK; }

static int stream_done(cp_stream *s)
{
    if (!cpi_recording(s)) return 1;
    cpi_not_recorded(s, "stream_done");
    return -1;
}

/* As in CUDA, a capture may forbid all threads, or its own, to wait for the device. */
static cp_code device_sync(cpi_device *d)
{
    (void)d;
    bool refused = false;
    pthread_mutex_lock(&lock);
    for (record *r = recording; r; r = r->next) {
        const bool forbids = r->mode == CP_CAPTURE_GLOBAL ||
                             (r->mode == CP_CAPTURE_THREAD && pthread_equal(r->thread, pthread_self()));
        refused |= forbids;
        r->invalid |= forbids;
    }
    pthread_mutex_unlock(&lock);
    return refused ? cpi_fail(CP_ERROR_DEVICE, "synchronize: cudaErrorStreamCaptureUnsupported: not permitted while a "
                              "stream captures") : CP_OK;
}

/* With the lock held. */
static bool takes_part(record *r, cp_stream *s)
{
    cp_stream **more = cpi_realloc(r->streams, sizeof *more * (size_t)(r->nstreams + 1));
    if (!more) return false;
    r->streams = more;
    more[r->nstreams++] = s;
    __atomic_store_n(&s->impl, r, __ATOMIC_RELEASE);
    return true;
}

/* An event in captured work has the capture's negative number as its time (cpu.c). */
static cp_code event_record(cp_event *e, cp_stream *s)
{
    cp_code code = cpi_backend_cpu.event_record(e, s);
    const uint64_t number = cpi_cpu_capture_of(s);
    if (number) e->when = -(double)number;
    return code;
}

static cp_code stream_wait(cp_stream *s, cp_event *e)
{
    const char *const name = "stream_wait";
    cp_code code = CP_OK;
    pthread_mutex_lock(&lock);
    record *own = s->impl, *its = recording;
    while (its && -(double)its->number != e->when) its = its->next;
    if (e->recorded && (own != its || e->when < 0)) {
        if (own && own != its) { /* in a capture only its own events can be waited for */
            own->invalid = true;
            code = cpi_fail(CP_ERROR_DEVICE, "%s: %s", name,
                            its ? "cudaErrorStreamCaptureMerge: the event is of another capture"
                                : "cudaErrorStreamCaptureIsolation: the event is not of the stream's capture");
        } else if (!its) {
            code = cpi_fail(CP_ERROR_DEVICE, "%s: cudaErrorCapturedEvent: the event was recorded in captured work",
                            name);
        } else if (!own && !takes_part(its, s)) {
            code = CP_ERROR_MEMORY;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* --- captures --- */

#define MODULE(module) extern const struct cpi_##module##_ops cpi_##module##_recorded;
CPI_BUILT_MODULES(MODULE)
#undef MODULE

/* Fills the table, once, and makes it the device's. With the lock held. */
static void record_on(cpi_device *d)
{
    if (!table.name) {
        table = cpi_backend_cpu;
        table.at_once = false;
        table.from_host = from_host;
        table.to_host = to_host;
        table.copy = copy;
        table.zero = zero;
        table.stream_call = stream_call;
        table.stream_sync = stream_sync;
        table.stream_done = stream_done;
        table.stream_wait = stream_wait;
        table.event_record = event_record;
        table.device_sync = device_sync;
#define MODULE(module) table.module = &cpi_##module##_recorded;
        CPI_BUILT_MODULES(MODULE)
#undef MODULE
        pthread_atfork(NULL, NULL, after_fork_child);
    }
    cpi_backend_set(d, &table);
}

static void unref(record *r)
{
    if (__atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL)) return;
    for (cpi_record_task *t = r->first, *next; t; t = next) {
        next = t->next;
        task_free(t);
    }
    pthread_mutex_destroy(&r->launching);
    cpi_free_host(r->streams);
    cpi_free_host(r);
}

static record *record_new(cp_capture_mode mode)
{
    static uint64_t captures;
    record *r = cpi_malloc(sizeof *r);
    if (!r) return NULL;
    *r = (record){.refs = 1, .mode = mode, .thread = pthread_self()};
    r->number = __atomic_add_fetch(&captures, 1, __ATOMIC_RELAXED);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&r->launching, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return r;
}

cp_code cpi_cpu_capture_begin(cp_stream *s, cp_capture_mode mode)
{
    record *r = record_new(mode);
    if (!r) return CP_ERROR_MEMORY;
    pthread_mutex_lock(&lock);
    const bool captured = s->impl != NULL, done = !captured && takes_part(r, s);
    if (done) {
        r->next = recording;
        recording = r;
        record_on(s->device);
    }
    pthread_mutex_unlock(&lock);
    if (done) return CP_OK;
    unref(r);
    return captured ? cpi_fail(CP_ERROR_DEVICE, "stream_capture: cudaErrorIllegalState: the stream captures already")
                    : CP_ERROR_MEMORY;
}

cp_code cpi_cpu_capture_end(cp_stream *s, cp_graph *graph)
{
    pthread_mutex_lock(&lock);
    record *r = s->impl, **link = &recording;
    while (*link && *link != r) link = &(*link)->next;
    if (*link) *link = r->next;
    for (int i = 0; r && i < r->nstreams; i++) __atomic_store_n(&r->streams[i]->impl, NULL, __ATOMIC_RELEASE);
    if (!recording) cpi_backend_set(s->device, &cpi_backend_cpu);
    pthread_mutex_unlock(&lock);
    if (r && !r->invalid) {
        graph->handle = graph->exec = r;
        return CP_OK;
    }
    if (r) unref(r);
    return cpi_fail(CP_ERROR_DEVICE, "stream_capture_end: %s",
                    r ? "cudaErrorStreamCaptureInvalidated: something that cannot be captured was tried"
                      : "cudaErrorIllegalState: the stream does not capture");
}

uint64_t cpi_cpu_capture_of(cp_stream *s)
{
    if (!cpi_recording(s)) return 0;
    pthread_mutex_lock(&lock);
    const record *r = s->impl;
    const uint64_t number = r ? r->number : 0;
    pthread_mutex_unlock(&lock);
    return number;
}

/* --- graphs --- */

static cp_code launch(record *r, cp_stream *s)
{
    cp_code code = CP_OK;
    if (pthread_mutex_lock(&r->launching))
        return cpi_fail(CP_ERROR_DEVICE, "graph_launch: cudaErrorNotPermitted: a function that a graph calls may not "
                        "launch it");
    for (cpi_record_task *t = r->first; t && !code; t = t->next) code = t->run(&s->device->null_stream, t->call);
    pthread_mutex_unlock(&r->launching);
    return code;
}

static cp_code run_child(cp_stream *s, void *call) { return launch(*(record **)call, s); }
static void child_ends(void *call) { unref(*(record **)call); }

/* The launch of a graph in a captured stream is captured too. */
cp_code cpi_cpu_graph_launch(cp_graph *graph, cp_stream *s)
{
    record *r = graph->exec;
    if (!cpi_recording(s)) return launch(r, s);
    cpi_record_task *t = cpi_task_new("graph_launch", run_child, sizeof r);
    if (!t) return CP_ERROR_MEMORY;
    __atomic_add_fetch(&r->refs, 1, __ATOMIC_RELAXED);
    memcpy(t->call, &r, sizeof r);
    t->ends = child_ends;
    return cpi_task_record(s, t);
}

cp_code cpi_cpu_graph_upload(cp_graph *graph, cp_stream *s)
{
    (void)graph;
    (void)s;
    return CP_OK;
}

void cpi_cpu_graph_free(cp_graph *graph) { unref(graph->handle); }
