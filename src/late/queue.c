/* Streams and events of the backend late: queues that run as late as they may.
 *
 * A queue has a thread that sleeps until somebody waits for a task; then it runs up to that task and no further. So of
 * two streams the one that is waited for is always early and the other late, whichever should have come first. Waiting
 * for a device takes its youngest stream first. Only a queue with more than PENDING tasks runs the older half unasked.
 *
 * Invariants: `issued` tasks were given, `done` of them have run, those up to `wanted` are asked for; all is guarded by
 * one lock, and tasks run without it. A failure stays with its queue until it is told. */
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
    struct queue *next; /* of all streams, the youngest first */
} queue;

/* A place in a queue. An event that is recorded again gets another one: waits that were given keep theirs. */
typedef struct mark {
    int refs;
    queue *queue;
    uint64_t number;
    double when; /* seconds; set when it is reached */
} mark;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t progress = PTHREAD_COND_INITIALIZER;
static queue *queues;
static int64_t fail_at[LATE_DEVICES]; /* tasks until the one that fails on demand; 0: none does */
static bool forked;

static void after_fork_child(void) { forked = true; }

__attribute__((constructor)) static void init(void) { pthread_atfork(NULL, NULL, after_fork_child); }

/* --- the thread of a queue --- */

static cp_code run(late_task *t, char *text, size_t bytes)
{
    if (t->fails) {
        snprintf(text, bytes, "%s: failed on demand", t->name);
        return CP_ERROR_DEVICE;
    }
    cp_code code = t->run(late_call(t)), told = late_host->take_error(text, bytes);
    return code ? code : told;
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
        cp_code code = run(t, text, sizeof text);
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

/* Tells what the queue's work failed with, and forgets it. */
static cp_code tell(queue *q)
{
    cp_code code = q->failure;
    q->failure = CP_OK;
    return code ? late_host->fail(code, "%s", q->text) : CP_OK;
}

static cp_code lost(const char *what)
{
    return late_host->fail(CP_ERROR_DEVICE, "%s: late cannot be used in a process forked from one that used it", what);
}

/* Appends the task; false when there is no queue. */
static bool append(queue *q, late_task *t)
{
    if (!q || t->broken) return false;
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

/* Appends an operation of the program's; returns what earlier ones failed with, or why it could not be given. */
static cp_code give(cp_stream *stream, late_task *t, bool *given)
{
    queue *q = queue_of(stream);
    int64_t *fails = &fail_at[stream->device->ordinal];
    *given = append(q, t);
    if (!*given) return late_host->fail(CP_ERROR_MEMORY, "%s: out of host memory", t->name);
    t->fails = *fails > 0 && --*fails == 0;
    return tell(q);
}

/* --- work --- */

cp_code late_give(cp_stream *stream, late_task *t)
{
    bool given = false;
    if (forked) {
        cp_code code = lost(t->name);
        late_task_free(t);
        return code;
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
    if (forked) return lost(t->name);
    bool given;
    pthread_mutex_lock(&lock);
    t->waited = true;
    cp_code code = give(stream, t, &given);
    if (given) {
        queue *q = stream->impl;
        wait_for(q, t->number);
        cp_code later = tell(q);
        if (!code) code = later;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* --- streams --- */

cp_code late_stream_new(cp_stream *s)
{
    if (forked) return lost("stream_create");
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
    if (forked) return lost("synchronize");
    cp_code code = CP_OK;
    pthread_mutex_lock(&lock);
    queue *q = s->impl;
    if (q) {
        wait_for(q, q->issued);
        code = tell(q);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* Asking sets the queue to work, so that who asks again and again gets an end. */
int late_stream_done(cp_stream *s)
{
    if (forked) return lost("stream_done"), -1;
    int done = 1;
    pthread_mutex_lock(&lock);
    queue *q = s->impl;
    if (q) {
        done = q->done == q->issued;
        ask_for(q, q->issued);
        if (done && tell(q)) done = -1;
    }
    pthread_mutex_unlock(&lock);
    return done;
}

/* With the lock held. */
static void wait_for_all(cpi_device *d)
{
    for (queue *q = queues; q;) { /* a queue that is waited for may go meanwhile: begin again */
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
    if (forked) return lost("synchronize");
    cp_code code = CP_OK;
    pthread_mutex_lock(&lock);
    wait_for_all(d);
    for (queue *q = queues; q; q = q->next)
        if (q->device == d && !code) code = tell(q);
    pthread_mutex_unlock(&lock);
    return code;
}

void late_fail(cpi_device *d, int64_t n)
{
    pthread_mutex_lock(&lock);
    fail_at[d->ordinal] = n;
    pthread_mutex_unlock(&lock);
}

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
    return forked ? lost("event_create") : CP_OK;
}

void late_event_free(cp_event *e)
{
    if (!forked) unref(e->handle);
}

cp_code late_event_record(cp_event *e, cp_stream *s)
{
    const char *name = "event_record";
    if (forked) return lost(name);
    mark *m = calloc(1, sizeof *m);
    late_task *t = m ? mark_task(name, reach, m) : NULL;
    if (!t) {
        free(m);
        return late_host->fail(CP_ERROR_MEMORY, "%s: out of host memory", name);
    }
    pthread_mutex_lock(&lock);
    queue *q = queue_of(s);
    bool given = append(q, t);
    if (given) {
        *m = (mark){.refs = 2, .queue = q, .number = t->number};
        q->refs++;
        mark_unref(e->handle);
        e->handle = m;
    }
    pthread_mutex_unlock(&lock);
    if (given) return CP_OK;
    late_task_free(t);
    free(m);
    return late_host->fail(CP_ERROR_MEMORY, "%s: out of host memory", name);
}

cp_code late_stream_wait(cp_stream *s, cp_event *e)
{
    if (forked) return lost("stream_wait");
    mark *m = e->handle;
    if (!m) return CP_OK; /* never recorded: nothing to wait for */
    late_task *t = mark_task("stream_wait", await, m);
    if (!t) return CP_ERROR_MEMORY;
    pthread_mutex_lock(&lock);
    queue *q = queue_of(s);
    bool given = append(q, t);
    if (given) m->refs++;
    pthread_mutex_unlock(&lock);
    if (given) return CP_OK;
    late_task_free(t);
    return late_host->fail(CP_ERROR_MEMORY, "stream_wait: out of host memory");
}

cp_code late_event_sync(cp_event *e)
{
    if (forked) return lost("event_synchronize");
    pthread_mutex_lock(&lock);
    mark *m = e->handle;
    if (m) { /* the event may be recorded again meanwhile */
        m->refs++;
        wait_for(m->queue, m->number);
        mark_unref(m);
    }
    pthread_mutex_unlock(&lock);
    return CP_OK;
}

int late_event_done(cp_event *e)
{
    if (forked) return lost("event_done"), -1;
    pthread_mutex_lock(&lock);
    mark *m = e->handle;
    int done = !m || m->queue->done >= m->number;
    if (!done) ask_for(m->queue, m->number);
    pthread_mutex_unlock(&lock);
    return done;
}

cp_code late_event_elapsed(cp_event *start, cp_event *end, double *ms)
{
    if (late_event_done(start) != 1 || late_event_done(end) != 1)
        return late_host->fail(CP_ERROR_DEVICE, "event_elapsed: an event has not been reached");
    pthread_mutex_lock(&lock);
    *ms = (((mark *)end->handle)->when - ((mark *)start->handle)->when) * 1e3;
    pthread_mutex_unlock(&lock);
    return CP_OK;
}
