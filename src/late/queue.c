/* Streams and events of the deferred mock backend: queues that run as late as possible.
 *
 * A queue has a thread that sleeps until another thread waits for a task; then it runs up to that task and no further.
 * So of two streams the one that is waited for always runs first, even where the other should have. Waiting for a
 * device takes its youngest stream first. Only a queue with more than PENDING tasks runs the older half unasked.
 *
 * Invariants: `issued` counts the tasks, `done` those that have run, and tasks up to `wanted` are requested. One lock
 * guards all state; tasks run without it. An error stays with its queue until it is reported. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "late/late.h"

enum { PENDING = 256 };

typedef struct queue {
    int refs; /* the stream, and events recorded in it */
    cpi_device *device;
    pthread_cond_t work;
    late_task *first, *last;
    uint64_t issued, wanted, done;
    bool ends, ended;
    cp_code failure;
    char text[512];
    bool null, blocking;  /* as in CUDA, blocking streams and the null stream wait for each other */
    uint64_t null_awaited, awaited_by_null; /* tasks of the null stream that it awaits, and the reverse */
    struct late_record *record; /* receives its tasks while it is captured */
    struct queue *next; /* of all streams, the youngest first */
} queue;

/* Captured tasks, in order of issue. */
typedef struct late_record {
    uint64_t number;
    queue *began;
    late_task *first, *last;
    bool broken; /* something that cannot be captured was tried */
} late_record;

/* A position in a queue, or in captured work. An event that is recorded again gets a new one: earlier waits keep
 * theirs. */
typedef struct mark {
    int refs;
    queue *queue;
    uint64_t number;
    late_record *record; /* set for a position in captured work */
    double when; /* seconds; set when it is reached */
} mark;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t progress = PTHREAD_COND_INITIALIZER;
static queue *queues;
static int64_t fail_at[LATE_DEVICES]; /* tasks until the injected failure; 0: none */
static bool forked;
_Thread_local bool late_calling;

static void after_fork_child(void) { forked = true; }

__attribute__((constructor)) static void init(void) { pthread_atfork(NULL, NULL, after_fork_child); }

/* --- the thread of a queue --- */

static cp_code run_task(late_task *t, char *text, size_t bytes)
{
    if (t->fails) {
        snprintf(text, bytes, "%s: failed on demand", t->name);
        return CP_ERROR_DEVICE;
    }
    cp_code code = t->run(late_call(t)), reported = late_host->take_error(text, bytes);
    return code ? code : reported;
}

static void *serve(void *argument)
{
    queue *q = argument;
    char text[sizeof q->text];
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!q->ends && (!q->first || q->done >= q->wanted)) pthread_cond_wait(&q->work, &lock);
        late_task *t = q->first;
        if (!t || q->done >= q->wanted) break;
        q->first = t->next;
        pthread_mutex_unlock(&lock);
        cp_code code = run_task(t, text, sizeof text);
        uint64_t number = t->number;
        if (!t->waited) late_task_free(t);
        pthread_mutex_lock(&lock);
        if (code && !q->failure) {
            q->failure = code;
            memcpy(q->text, text, sizeof text);
        }
        q->done = number;
        pthread_cond_broadcast(&progress);
    }
    q->ended = true;
    pthread_cond_broadcast(&progress);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static bool start_thread(queue *q)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's threads */
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool done = pthread_create(&thread, &attributes, serve, q) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return done;
}

/* --- queues; these are called with the lock held --- */

static queue *queue_of(cp_stream *s)
{
    queue *q = s->impl;
    if (q) return q;
    if (!(q = calloc(1, sizeof *q))) return NULL;
    q->refs = 1;
    q->device = s->device;
    q->null = s == &s->device->null_stream;
    q->blocking = s->flags & CPI_STREAM_BLOCKING;
    pthread_cond_init(&q->work, NULL);
    if (!start_thread(q)) {
        free(q);
        return NULL;
    }
    q->next = queues;
    queues = q;
    return s->impl = q;
}

static void queue_unref(queue *q)
{
    if (--q->refs) return;
    pthread_cond_destroy(&q->work);
    free(q);
}

static void ask_for(queue *q, uint64_t number)
{
    if (number <= q->wanted) return;
    q->wanted = number;
    pthread_cond_signal(&q->work);
}

static void wait_for(queue *q, uint64_t number)
{
    ask_for(q, number);
    while (q->done < number) pthread_cond_wait(&progress, &lock);
}

/* Reports the error of the queue's work and clears it. */
static cp_code report(queue *q)
{
    cp_code code = q->failure;
    q->failure = CP_OK;
    return code ? late_host->fail(code, "%s", q->text) : CP_OK;
}

/* Whether queues cannot be used here; writes the error then. */
static bool lost(const char *what)
{
    if (forked)
        late_host->fail(CP_ERROR_DEVICE, "%s: late cannot be used in a process forked from one that used it", what);
    else if (late_calling)
        late_host->fail(CP_ERROR_DEVICE, "%s: cudaErrorNotPermitted: a function that a stream calls may neither use "
                        "nor wait for its device", what);
    return forked || late_calling;
}

static bool append_itself(queue *q, late_task *t)
{
    t->number = ++q->issued;
    t->next = NULL;
    if (q->first) {
        q->last->next = t;
    } else {
        q->first = t;
    }
    q->last = t;
    if (q->issued - q->done > PENDING) ask_for(q, q->issued - PENDING / 2);
    return true;
}

static void record_task(late_record *r, late_task *t)
{
    t->next = NULL;
    if (r->first) {
        r->last->next = t;
    } else {
        r->first = t;
    }
    r->last = t;
}

static late_task *await_task(queue *q, uint64_t number);

/* Later tasks of `q` wait for the present tasks of `other`. */
static bool await_queue(queue *q, queue *other, uint64_t *awaited)
{
    if (other->done == other->issued || *awaited == other->issued) return true;
    late_task *t = await_task(other, other->issued);
    if (!t) return false;
    *awaited = other->issued;
    return append_itself(q, t);
}

/* The null stream waits for blocking streams of its device, and they for it. */
static bool await_others(queue *q)
{
    bool done = true;
    for (queue *r = queues; r && done; r = r->next) {
        if (r->device != q->device || r->record) continue;
        if (q->null && r->blocking) done = await_queue(q, r, &r->awaited_by_null);
        if (q->blocking && r->null) done = await_queue(q, r, &q->null_awaited);
    }
    return done;
}

/* Appends the task; false when there is no queue. */
static bool append(queue *q, late_task *t)
{
    if (!q || t->broken) return false;
    if (q->record) {
        record_task(q->record, t);
        return true;
    }
    if ((q->null || q->blocking) && !await_others(q)) return false;
    return append_itself(q, t);
}

/* An operation that needs its result is refused while the stream is captured, and invalidates the capture. */
static bool captured(cp_stream *stream, const char *what)
{
    queue *q = stream->impl;
    if (!q || !q->record) return false;
    q->record->broken = true;
    late_host->fail(CP_ERROR_DEVICE, "%s: cudaErrorStreamCaptureUnsupported: not permitted while the stream is "
                    "captured", what);
    return true;
}

/* Appends an operation of the program; returns the error of earlier ones, or of issuing it. */
static cp_code give(cp_stream *stream, late_task *t, bool *given)
{
    queue *q = queue_of(stream);
    int64_t *fails = &fail_at[stream->device->ordinal];
    *given = append(q, t);
    if (!*given) return late_host->fail(CP_ERROR_MEMORY, "%s: out of host memory", t->name);
    t->fails = *fails > 0 && --*fails == 0;
    return report(q);
}

/* --- work --- */

cp_code late_give(cp_stream *stream, late_task *t)
{
    bool given = false;
    if (lost(t->name)) {
        late_task_free(t);
        return CP_ERROR_DEVICE;
    }
    pthread_mutex_lock(&lock);
    cp_code code = give(stream, t, &given);
    pthread_mutex_unlock(&lock);
    if (!given) late_task_free(t);
    return code;
}

void late_give_quietly(cp_stream *stream, late_task *t)
{
    bool given = false;
    if (!forked) {
        pthread_mutex_lock(&lock);
        given = append(queue_of(stream), t);
        pthread_mutex_unlock(&lock);
    }
    if (!given) late_task_free(t);
}

cp_code late_give_and_wait(cp_stream *stream, late_task *t)
{
    if (lost(t->name)) return CP_ERROR_DEVICE;
    bool given;
    pthread_mutex_lock(&lock);
    if (captured(stream, t->name)) {
        pthread_mutex_unlock(&lock);
        return CP_ERROR_DEVICE;
    }
    t->waited = true;
    cp_code code = give(stream, t, &given);
    if (given) {
        queue *q = stream->impl;
        wait_for(q, t->number);
        cp_code later = report(q);
        if (!code) code = later;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* --- streams --- */

cp_code late_stream_new(cp_stream *s)
{
    if (lost("stream_create")) return CP_ERROR_DEVICE;
    if (s->flags & CPI_STREAM_ADOPTED)
        return late_host->fail(CP_ERROR_DEVICE, "stream_external: cudaErrorInvalidResourceHandle: late has no stream "
                               "with the handle %p", s->handle);
    s->priority = 0;
    pthread_mutex_lock(&lock);
    queue *q = queue_of(s);
    pthread_mutex_unlock(&lock);
    return q ? CP_OK : late_host->fail(CP_ERROR_MEMORY, "stream_create: out of threads or host memory");
}

void late_stream_free(cp_stream *s)
{
    queue *q = s->impl;
    if (!q || forked) return;
    pthread_mutex_lock(&lock);
    wait_for(q, q->issued);
    q->ends = true;
    pthread_cond_signal(&q->work);
    while (!q->ended) pthread_cond_wait(&progress, &lock);
    queue **link = &queues;
    while (*link != q) link = &(*link)->next;
    *link = q->next;
    queue_unref(q);
    pthread_mutex_unlock(&lock);
}

cp_code late_stream_sync(cp_stream *s)
{
    if (lost("synchronize")) return CP_ERROR_DEVICE;
    cp_code code = CP_OK;
    pthread_mutex_lock(&lock);
    queue *q = s->impl;
    if (captured(s, "synchronize")) {
        code = CP_ERROR_DEVICE;
    } else if (q) {
        wait_for(q, q->issued);
        code = report(q);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* A query starts the queue, so that polling terminates. */
int late_stream_done(cp_stream *s)
{
    if (lost("stream_done")) return -1;
    int done = 1;
    pthread_mutex_lock(&lock);
    queue *q = s->impl;
    if (captured(s, "stream_done")) {
        done = -1;
    } else if (q) {
        done = q->done == q->issued;
        ask_for(q, q->issued);
        if (done && report(q)) done = -1;
    }
    pthread_mutex_unlock(&lock);
    return done;
}

/* With the lock held. */
static void wait_for_all(cpi_device *d)
{
    for (queue *q = queues; q;) { /* a queue may be freed during the wait: restart */
        if (q->device != d || q->done == q->issued) {
            q = q->next;
            continue;
        }
        q->refs++;
        wait_for(q, q->issued);
        queue_unref(q);
        q = queues;
    }
}

void late_device_wait(cpi_device *d)
{
    if (forked) return;
    pthread_mutex_lock(&lock);
    wait_for_all(d);
    pthread_mutex_unlock(&lock);
}

cp_code late_device_sync(cpi_device *d)
{
    if (lost("synchronize")) return CP_ERROR_DEVICE;
    cp_code code = CP_OK;
    pthread_mutex_lock(&lock);
    wait_for_all(d);
    for (queue *q = queues; q; q = q->next)
        if (q->device == d && !code) code = report(q);
    pthread_mutex_unlock(&lock);
    return code;
}

void late_fail(cpi_device *d, int64_t n)
{
    pthread_mutex_lock(&lock);
    fail_at[d->ordinal] = n;
    pthread_mutex_unlock(&lock);
}

/* --- captures --- */

static bool is_recording(const late_record *r)
{
    for (const queue *q = queues; q; q = q->next)
        if (q->record == r) return true;
    return false;
}

cp_code late_capture_begin(cp_stream *s, cp_capture_mode mode)
{
    static uint64_t captures;
    (void)mode;
    if (lost("stream_capture")) return CP_ERROR_DEVICE;
    late_record *r = calloc(1, sizeof *r);
    pthread_mutex_lock(&lock);
    queue *q = r ? queue_of(s) : NULL;
    bool already = q && q->record;
    if (q && !already) {
        *r = (late_record){.number = ++captures, .began = q};
        q->record = r;
    }
    pthread_mutex_unlock(&lock);
    if (q && !already) return CP_OK;
    free(r);
    return already ? late_host->fail(CP_ERROR_DEVICE, "stream_capture: cudaErrorIllegalState: the stream is captured "
                                     "already")
                   : late_host->fail(CP_ERROR_MEMORY, "stream_capture: out of threads or host memory");
}

uint64_t late_capture_of(cp_stream *s)
{
    pthread_mutex_lock(&lock);
    queue *q = s->impl;
    uint64_t number = q && q->record ? q->record->number : 0;
    pthread_mutex_unlock(&lock);
    return number;
}

static void record_free(late_record *r)
{
    for (late_task *t = r->first, *next; t; t = next) {
        next = t->next;
        late_task_free(t);
    }
    free(r);
}

cp_code late_capture_end(cp_stream *s, cp_graph *g)
{
    pthread_mutex_lock(&lock);
    queue *own = s->impl;
    late_record *r = own ? own->record : NULL;
    for (queue *q = queues; r && q; q = q->next)
        if (q->record == r) q->record = NULL;
    bool broken = r && r->broken;
    pthread_mutex_unlock(&lock);
    if (r && !broken) {
        g->handle = g->exec = r;
        return CP_OK;
    }
    if (r) record_free(r);
    return late_host->fail(CP_ERROR_DEVICE, "stream_capture_end: %s",
                           broken ? "cudaErrorStreamCaptureInvalidated: something that cannot be captured was tried"
                                  : "cudaErrorIllegalState: the stream is not captured");
}

static cp_code run_record(void *call)
{
    const late_record *r = *(late_record **)call;
    for (late_task *t = r->first; t; t = t->next) {
        cp_code code = t->run(late_call(t));
        if (code) return code;
    }
    return CP_OK;
}

cp_code late_graph_launch(cp_graph *g, cp_stream *s)
{
    late_task *t = late_task_new("graph", run_record, sizeof g->exec);
    if (!t) return CP_ERROR_MEMORY;
    memcpy(late_call(t), &g->exec, sizeof g->exec);
    return late_give(s, t);
}

cp_code late_graph_upload(cp_graph *g, cp_stream *s)
{
    (void)g;
    (void)s;
    return lost("graph_upload") ? CP_ERROR_DEVICE : CP_OK;
}

void late_graph_free(cp_graph *g) { record_free(g->handle); }

/* --- events --- */

static void mark_unref(mark *m)
{
    if (!m || --m->refs) return;
    queue_unref(m->queue);
    free(m);
}

static void unref(mark *m)
{
    pthread_mutex_lock(&lock);
    mark_unref(m);
    pthread_mutex_unlock(&lock);
}

static cp_code reach(void *call)
{
    mark *m = *(mark **)call;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    pthread_mutex_lock(&lock);
    m->when = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    mark_unref(m);
    pthread_mutex_unlock(&lock);
    return CP_OK;
}

static cp_code await(void *call)
{
    mark *m = *(mark **)call;
    pthread_mutex_lock(&lock);
    wait_for(m->queue, m->number);
    mark_unref(m);
    pthread_mutex_unlock(&lock);
    return CP_OK;
}

/* Waits for tasks of a queue, without an event. */
typedef struct place { queue *queue; uint64_t number; } place;

static cp_code await_slot(void *call)
{
    place *p = call;
    pthread_mutex_lock(&lock);
    wait_for(p->queue, p->number);
    queue_unref(p->queue);
    pthread_mutex_unlock(&lock);
    return CP_OK;
}

static late_task *await_task(queue *q, uint64_t number)
{
    late_task *t = late_task_new_quietly(await_slot, sizeof(place));
    if (!t) return NULL;
    *(place *)late_call(t) = (place){q, number};
    q->refs++;
    return t;
}

/* A task that has a reference to the mark. */
static late_task *mark_task(const char *name, cp_code (*run)(void *), mark *m)
{
    late_task *t = late_task_new(name, run, sizeof m);
    if (t) memcpy(late_call(t), &m, sizeof m);
    return t;
}

cp_code late_event_new(cp_event *e)
{
    e->handle = NULL;
    return lost("event_create") ? CP_ERROR_DEVICE : CP_OK;
}

void late_event_free(cp_event *e)
{
    if (!forked) unref(e->handle);
}

cp_code late_event_record(cp_event *e, cp_stream *s)
{
    const char *name = "event_record";
    if (lost(name)) return CP_ERROR_DEVICE;
    mark *m = calloc(1, sizeof *m);
    late_task *t = m ? mark_task(name, reach, m) : NULL;
    if (!t) {
        free(m);
        return late_host->fail(CP_ERROR_MEMORY, "%s: out of host memory", name);
    }
    pthread_mutex_lock(&lock);
    queue *q = queue_of(s);
    late_record *record = q ? q->record : NULL; /* no task is needed there: the order of tasks is the order of calls */
    bool given = record || append(q, t);
    if (given) {
        *m = (mark){.refs = record ? 1 : 2, .queue = q, .number = record ? 0 : t->number, .record = record};
        q->refs++;
        mark_unref(e->handle);
        e->handle = m;
    }
    pthread_mutex_unlock(&lock);
    if (!given || record) late_task_free(t);
    if (given) return CP_OK;
    free(m);
    return late_host->fail(CP_ERROR_MEMORY, "%s: out of host memory", name);
}

cp_code late_stream_wait(cp_stream *s, cp_event *e)
{
    if (lost("stream_wait")) return CP_ERROR_DEVICE;
    mark *m = e->handle;
    if (!m) return CP_OK; /* never recorded: nothing to wait for */
    late_task *t = mark_task("stream_wait", await, m);
    if (!t) return CP_ERROR_MEMORY;
    pthread_mutex_lock(&lock);
    queue *q = queue_of(s);
    if (q && (m->record || q->record)) { /* a stream that waits for captured work is captured too */
        bool fits = m->record && is_recording(m->record) && (!q->record || q->record == m->record);
        if (fits) q->record = m->record;
        else if (q->record) q->record->broken = true;
        pthread_mutex_unlock(&lock);
        late_task_free(t);
        return fits ? CP_OK : late_host->fail(CP_ERROR_DEVICE, "stream_wait: cudaErrorStreamCaptureIsolation: the "
                                                "event is not of the stream's capture");
    }
    bool given = append(q, t);
    if (given) m->refs++;
    pthread_mutex_unlock(&lock);
    if (given) return CP_OK;
    late_task_free(t);
    return late_host->fail(CP_ERROR_MEMORY, "stream_wait: out of host memory");
}

cp_code late_follow(cp_stream *stream, cp_stream *other)
{
    if (lost("copy")) return CP_ERROR_DEVICE;
    bool given = true;
    pthread_mutex_lock(&lock);
    queue *q = queue_of(stream), *r = queue_of(other);
    if (captured(stream, "copy") || captured(other, "copy")) {
        pthread_mutex_unlock(&lock);
        return CP_ERROR_DEVICE;
    }
    late_task *t = q && r ? await_task(r, r->issued) : NULL;
    given = t && append(q, t);
    pthread_mutex_unlock(&lock);
    return given ? CP_OK : late_host->fail(CP_ERROR_MEMORY, "copy: out of host memory");
}

cp_code late_event_sync(cp_event *e)
{
    if (lost("event_synchronize")) return CP_ERROR_DEVICE;
    cp_code code = CP_OK;
    pthread_mutex_lock(&lock);
    mark *m = e->handle;
    if (m && m->record) {
        code = late_host->fail(CP_ERROR_DEVICE, "event_synchronize: cudaErrorCapturedEvent: it was recorded in "
                               "captured work");
    } else if (m) { /* the event may be recorded again meanwhile */
        m->refs++;
        wait_for(m->queue, m->number);
        mark_unref(m);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int late_event_done(cp_event *e)
{
    if (lost("event_done")) return -1;
    pthread_mutex_lock(&lock);
    mark *m = e->handle;
    int done = !m || m->queue->done >= m->number;
    if (m && m->record) {
        late_host->fail(CP_ERROR_DEVICE, "event_done: cudaErrorCapturedEvent: it was recorded in captured work");
        done = -1;
    } else if (!done) ask_for(m->queue, m->number);
    pthread_mutex_unlock(&lock);
    return done;
}

cp_code late_event_elapsed(cp_event *start, cp_event *end, double *ms)
{
    if (late_event_done(start) != 1 || late_event_done(end) != 1)
        return late_host->fail(CP_ERROR_DEVICE, "event_elapsed: cudaErrorNotReady: an event has not been reached");
    pthread_mutex_lock(&lock);
    *ms = (((mark *)end->handle)->when - ((mark *)start->handle)->when) * 1e3;
    pthread_mutex_unlock(&lock);
    return CP_OK;
}
