/* Streams and events. Invariant: a stream's record outlives every buffer that belongs to it; its native
 * stream ends with cp_stream_free, after its work is done. */
#include "backend/stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "backend/array.h"
#include "backend/capture.h"
#include "backend/device.h"
#include "backend/pool.h"
#include "core/forks.h"
#include "core/memory.h"

static _Thread_local cp_stream *streams[CPI_DEVICES];

static cp_stream **slot_of(const cpi_device *d) { return &streams[d->slot]; }

static bool default_per_thread; /* written before there is any device */
static cp_stream *own_stream(cpi_device *d);

/* The thread's own stream; the null stream, whose order is always correct, if there is no memory for it. */
static cp_stream *own_default(cpi_device *device)
{
    bool fine = cp_error() == CP_OK;
    cp_stream *s = own_stream(device);
    if (!s && fine) cp_error_clear();
    return s;
}

cp_stream *cpi_stream(cpi_device *device)
{
    bool others = __atomic_load_n(&cpi_streams_made, __ATOMIC_RELAXED);
    cp_stream *s = others ? *slot_of(device) : NULL;
    if (device->backend->use) device->backend->use(device);
    if (!s && others && default_per_thread) s = own_default(device);
    return s ? s : &device->null_stream;
}

cp_stream *cpi_stream_ref(cp_stream *s)
{
    if (s != &s->device->null_stream) __atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
    return s;
}

/* --- streams by handle --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CPI_FORK_GUARD(lock)
static cp_stream *made;

static void enlist(cp_stream *s)
{
    pthread_mutex_lock(&lock);
    s->next = made;
    made = s;
    pthread_mutex_unlock(&lock);
    __atomic_store_n(&cpi_streams_made, true, __ATOMIC_RELAXED);
}

/* Another reference to the stream with that handle; NULL for a foreign handle. */
static cp_stream *find(const cpi_device *d, const void *handle)
{
    pthread_mutex_lock(&lock);
    cp_stream *s = made;
    while (s && (s->device != d || s->handle != handle)) s = s->next;
    int refs = s ? __atomic_load_n(&s->refs, __ATOMIC_RELAXED) : 0;
    while (refs && !__atomic_compare_exchange_n(&s->refs, &refs, refs + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    if (refs) __atomic_add_fetch(&s->owners, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    return refs ? s : NULL;
}

void cpi_streams_after_fork(void)
{
    cpi_calls_after_fork();
}

static void unref_later(void *stream) { cpi_stream_unref(*(cp_stream **)stream); }

void cpi_stream_unref(cp_stream *s)
{
    if (s == &s->device->null_stream) return;
    if (cpi_in_call() && cpi_leave_for_later(unref_later, &s, sizeof s)) return;
    if (__atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL)) return;
    pthread_mutex_lock(&lock);
    cp_stream **link = &made;
    while (*link && *link != s) link = &(*link)->next;
    if (*link) *link = s->next;
    pthread_mutex_unlock(&lock);
    cpi_device *d = s->device;
    if (s->flags & CPI_STREAM_ADOPTED) d->backend->device_sync(d); /* its owner may have destroyed it */
    else d->backend->stream_sync(s);
    cpi_pool_stream_ends(d->pool, s, &d->null_stream);
    d->backend->stream_free(s);
    cpi_free_host(s);
}

static cp_stream *stream_new(cpi_device *d, void *handle, unsigned flags, int priority)
{
    cp_stream *s = d ? cpi_malloc(sizeof *s) : NULL;
    if (!s) return NULL;
    *s = (cp_stream){.refs = 1, .owners = 1, .device = d, .handle = handle, .flags = flags, .priority = priority};
    if (d->backend->stream_new(s)) {
        cpi_free_host(s);
        return NULL;
    }
    if (!s->handle) s->handle = s;
    enlist(s);
    return s;
}

cp_stream *(cp_stream_create)(int device, const cp_stream_create_options *options)
{
    const cp_stream_create_options *o = CPI_GIVEN(cp_stream_create_options, options);
    cpi_device *d = cpi_device_get("stream_create", device);
    return stream_new(d, NULL, o->blocking ? CPI_STREAM_BLOCKING : 0, o->priority);
}

cp_stream *cp_stream_external(int device, void *handle)
{
    enum { LEGACY = 1, PER_THREAD = 2 }; /* CUDA's numbers for streams without a handle */
    cpi_device *d = cpi_device_get("stream_external", device);
    if (!d) return NULL;
    if ((uintptr_t)handle <= LEGACY) return &d->null_stream;
    if ((uintptr_t)handle == PER_THREAD) {
        cp_stream *own = cp_stream_per_thread(device);
        return own ? find(d, own->handle) : NULL;
    }
    cp_stream *s = find(d, handle);
    return s ? s : stream_new(d, handle, CPI_STREAM_ADOPTED, 0);
}

cp_stream *cp_stream_null(int device)
{
    cpi_device *d = cpi_device_get("stream_null", device);
    return d ? &d->null_stream : NULL;
}

/* --- per-thread streams --- */

static pthread_key_t own_key; /* a table of streams by the device's slot, made on a thread's first query */
static pthread_once_t own_once = PTHREAD_ONCE_INIT;

static void own_end(void *table)
{
    cp_stream **own = table;
    for (int i = 0; i < CPI_DEVICES; i++)
        if (own[i] && !own[i]->device->forked) cp_stream_free(own[i]);
    free(own);
}

static void own_init(void) { pthread_key_create(&own_key, own_end); }

static cp_stream *own_stream(cpi_device *d)
{
    pthread_once(&own_once, own_init);
    cp_stream **own = pthread_getspecific(own_key);
    if (!own && (!(own = calloc(CPI_DEVICES, sizeof *own)) || pthread_setspecific(own_key, own))) {
        free(own);
        cpi_fail(CP_ERROR_MEMORY, "stream_per_thread: out of host memory");
        return NULL;
    }
    if (!own[d->slot]) own[d->slot] = stream_new(d, NULL, CPI_STREAM_BLOCKING, 0);
    return own[d->slot];
}

cp_stream *cp_stream_per_thread(int device)
{
    cpi_device *d = cpi_device_get("stream_per_thread", device);
    return d ? own_stream(d) : NULL;
}

void cpi_streams_from_environment(void)
{
    const char *text = getenv("CUPRITE_PER_THREAD_DEFAULT_STREAM");
    if (!text || !*text) text = getenv("CUPY_CUDA_PER_THREAD_DEFAULT_STREAM");
    default_per_thread = text && *text && strcmp(text, "0") != 0;
    if (default_per_thread) __atomic_store_n(&cpi_streams_made, true, __ATOMIC_RELAXED);
}

bool cp_stream_default_per_thread(void)
{
    cpi_device_cpu();
    return default_per_thread;
}

/* --- waits --- */

static _Thread_local bool waits_refused;
static bool ever_refused; /* by any thread: before that thread-local state is not read */

bool cp_synchronize_allow(bool allow)
{
    bool before = !waits_refused;
    waits_refused = !allow;
    if (!allow) __atomic_store_n(&ever_refused, true, __ATOMIC_RELAXED);
    return before;
}

bool cpi_may_wait(const char *function, const cpi_device *device)
{
    if (cpi_call_forbids(device)) return cpi_call_refuses(function), false;
    if (!__atomic_load_n(&ever_refused, __ATOMIC_RELAXED) || !waits_refused) return true;
    cpi_fail(CP_ERROR_SYNCHRONIZED, "%s: this thread may not wait for devices now", function);
    return false;
}

void cp_stream_free(cp_stream *s)
{
    if (!s || s == &s->device->null_stream) return;
    bool last = !__atomic_sub_fetch(&s->owners, 1, __ATOMIC_ACQ_REL);
    if (last && *slot_of(s->device) == s) *slot_of(s->device) = NULL;
    cpi_stream_unref(s);
}

cp_code cp_stream_use(cp_stream *s)
{
    cpi_device *d = s ? s->device : cpi_device_current();
    if (!d) return cp_error();
    *slot_of(d) = s == &d->null_stream && !default_per_thread ? NULL : s;
    return CP_OK;
}

cp_stream *cp_stream_current(int device)
{
    cpi_device *d = cpi_device_get("stream_current", device);
    return d ? cpi_stream(d) : NULL;
}

cp_code cp_stream_synchronize(cp_stream *s)
{
    if (cpi_null("stream_synchronize", s)) return CP_ERROR_VALUE;
    if (!cpi_may_wait("stream_synchronize", s->device)) return cp_error();
    return s->device->backend->stream_sync(s);
}

int cp_stream_done(cp_stream *s) { return cpi_null("stream_done", s) ? -1 : s->device->backend->stream_done(s); }

int cp_stream_device(const cp_stream *s) { return s ? s->device->id : CP_CPU; }

void *cp_stream_handle(const cp_stream *s) { return s ? s->handle : NULL; }

bool cp_stream_is_blocking(const cp_stream *s) { return s && s->flags & CPI_STREAM_BLOCKING; }

int cp_stream_priority(const cp_stream *s) { return s ? s->priority : 0; }

/* --- events --- */

cp_code cp_stream_wait(cp_stream *s, cp_event *e)
{
    if (cpi_null("stream_wait", s) || cpi_null("stream_wait", e)) return CP_ERROR_VALUE;
    return s->device->backend->stream_wait(s, e);
}

cp_event *(cp_event_create)(int device, const cp_event_create_options *options)
{
    const cp_event_create_options *o = CPI_GIVEN(cp_event_create_options, options);
    cpi_device *d = cpi_device_get("event_create", device);
    cp_event *e = d ? cpi_malloc(sizeof *e) : NULL;
    if (!e) return NULL;
    unsigned flags = (o->blocking ? CPI_EVENT_BLOCKING : 0u) | (o->no_timing ? CPI_EVENT_NO_TIMING : 0u) |
                     (o->interprocess ? CPI_EVENT_INTERPROCESS | CPI_EVENT_NO_TIMING : 0u);
    *e = (cp_event){.device = d, .flags = flags};
    if (d->backend->use) d->backend->use(d);
    if (d->backend->event_new(e)) {
        cpi_free_host(e);
        return NULL;
    }
    return e;
}

static void free_later(void *event) { cp_event_free(*(cp_event **)event); }

void cp_event_free(cp_event *e)
{
    if (!e || (cpi_in_call() && cpi_leave_for_later(free_later, &e, sizeof e))) return;
    e->device->backend->event_free(e);
    cpi_free_host(e);
}

void *cp_event_handle(const cp_event *e) { return e ? e->handle : NULL; }

cp_code cp_event_record(cp_event *e, cp_stream *s)
{
    if (cpi_null("event_record", e)) return CP_ERROR_VALUE;
    if (!s) s = cpi_stream(e->device);
    if (s->device != e->device) return cpi_fail(CP_ERROR_VALUE, "event_record: stream and event are of two devices");
    cp_code code = e->device->backend->event_record(e, s);
    if (!code) e->recorded = true;
    return code;
}

cp_code cp_event_synchronize(cp_event *e)
{
    if (cpi_null("event_synchronize", e)) return CP_ERROR_VALUE;
    if (!cpi_may_wait("event_synchronize", e->device)) return cp_error();
    return e->device->backend->event_sync(e);
}

int cp_event_done(cp_event *e) { return cpi_null("event_done", e) ? -1 : e->device->backend->event_done(e); }

cp_code cp_event_elapsed(cp_event *start, cp_event *end, double *ms)
{
    if (cpi_null("event_elapsed", start) || cpi_null("event_elapsed", end) || cpi_null("event_elapsed", ms))
        return CP_ERROR_VALUE;
    if (!start->recorded || !end->recorded)
        return cpi_fail(CP_ERROR_DEVICE, "event_elapsed: cudaErrorInvalidResourceHandle: both events must have been "
                        "recorded");
    if ((start->flags | end->flags) & CPI_EVENT_NO_TIMING)
        return cpi_fail(CP_ERROR_DEVICE, "event_elapsed: cudaErrorInvalidResourceHandle: an event was made without "
                        "timing");
    if (start->device != end->device)
        return cpi_fail(CP_ERROR_VALUE, "event_elapsed: the events are of two devices");
    return start->device->backend->event_elapsed(start, end, ms);
}
