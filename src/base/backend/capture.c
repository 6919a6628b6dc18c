/* Captures and graphs: see capture.h for the invariants. */
#include "backend/capture.h"

#include <pthread.h>

#include "backend/array.h"
#include "backend/device.h"
#include "backend/pool.h"
#include "backend/stream.h"
#include "core/forks.h"
#include "core/memory.h"

typedef struct owned {
    struct owned *next;
    void *memory;
    void (*release)(void *memory);
} owned;

struct cpi_capture {
    cpi_device *device;
    uint64_t id;          /* the backend's number */
    cp_stream key;
    cp_stream **streams;  /* participants, referenced, since kernels may use a stream's own memory */
    cpi_buffer **buffers; /* references */
    int nstreams, nbuffers;
    bool incomplete;      /* out of memory while recording what it must hold: no graph can be made */
    owned *owns;
    struct cpi_capture *next;
};

int cpi_captures;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CPI_FORK_GUARD(lock)
static cpi_capture *recording; /* cpi_captures of them */
static cpi_capture *given_up;  /* ended while another capture was recording */

/* Space for one more pointer in a list that grows by doubling. Out of memory, the calling function continues and the
 * end of the capture fails. */
static bool grow(cpi_capture *c, void **list, int n)
{
    if (n & (n - 1)) return true;
    bool standing = cp_error() != CP_OK;
    void *more = cpi_realloc(*list, sizeof(void *) * (size_t)(n ? 2 * n : 1));
    if (more) *list = more;
    else if (!standing) cp_error_clear();
    c->incomplete |= !more;
    return more != NULL;
}

/* The stream's own memory lives as long as the capture. */
static void join(cpi_capture *c, cp_stream *s)
{
    for (int i = 0; i < c->nstreams; i++)
        if (c->streams[i] == s) return;
    if (grow(c, (void **)&c->streams, c->nstreams)) c->streams[c->nstreams++] = cpi_stream_ref(s);
}

cpi_capture *cpi_capture_of(cp_stream *stream)
{
    const cpi_backend *backend = stream->device->backend;
    uint64_t id = backend->capture_of ? backend->capture_of(stream) : 0;
    if (!id) return NULL;
    pthread_mutex_lock(&lock);
    cpi_capture *c = recording;
    while (c && (c->id != id || c->device->backend != backend)) c = c->next;
    if (c) join(c, stream);
    pthread_mutex_unlock(&lock);
    return c;
}

cp_stream *cpi_capture_key(cpi_capture *c) { return &c->key; }

void cpi_capture_hold(cpi_capture *c, cpi_buffer *b)
{
    enum { LATELY = 16 };
    pthread_mutex_lock(&lock);
    int i = c->nbuffers - 1;
    while (i >= 0 && i >= c->nbuffers - LATELY && c->buffers[i] != b) i--;
    bool there = i >= 0 && c->buffers[i] == b;
    if (!there && grow(c, (void **)&c->buffers, c->nbuffers)) {
        cpi_buffer_ref(b);
        c->buffers[c->nbuffers++] = b;
    }
    pthread_mutex_unlock(&lock);
}

bool cpi_capture_own(cp_stream *stream, void *memory, void (*release)(void *memory))
{
    cpi_capture *c = cpi_capture_if_any(stream);
    owned *o = c ? cpi_malloc(sizeof *o) : NULL;
    if (!o) return false;
    pthread_mutex_lock(&lock);
    *o = (owned){c->owns, memory, release};
    c->owns = o;
    pthread_mutex_unlock(&lock);
    return true;
}

/* Releases what the capture holds. Its launches are done, and no capture is recording. */
static void let_go(cpi_capture *c)
{
    for (int i = 0; i < c->nbuffers; i++) cpi_buffer_unref(c->buffers[i]);
    for (owned *o = c->owns, *next; o; o = next) {
        next = o->next;
        o->release(o->memory);
        cpi_free_host(o);
    }
    cpi_pool_capture_gone(c->device->pool, c);
    for (int i = 0; i < c->nstreams; i++) cpi_stream_unref(c->streams[i]);
    cpi_free_host(c->buffers);
    cpi_free_host(c->streams);
    cpi_free_host(c);
}

/* Pending captures are released as soon as no capture is recording. */
static void give_up(cpi_capture *c)
{
    pthread_mutex_lock(&lock);
    if (c) {
        c->next = given_up;
        given_up = c;
    }
    cpi_capture *ready = cpi_captures ? NULL : given_up;
    if (ready) given_up = NULL;
    pthread_mutex_unlock(&lock);
    for (cpi_capture *next; ready; ready = next) {
        next = ready->next;
        ready->device->backend->device_sync(ready->device);
        let_go(ready);
    }
}

cp_code cp_stream_capture(cp_stream *s, cp_capture_mode mode)
{
    const char *function = "stream_capture";
    if (cpi_null(function, s)) return CP_ERROR_VALUE;
    const cpi_backend *backend = s->device->backend;
    if (mode < CP_CAPTURE_GLOBAL || mode > CP_CAPTURE_RELAXED)
        return cpi_fail(CP_ERROR_VALUE, "%s: %d is no mode of capture", function, (int)mode);
    if (!backend->capture_begin)
        return cpi_fail(CP_ERROR_UNSUPPORTED, "%s: %s does its work within each call, so there is nothing to capture; "
                        "call the function itself instead of a graph", function, s->device->label);
    if (s == &s->device->null_stream)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: the null stream cannot capture; use a stream of its own", function);
    cpi_capture *c = cpi_malloc(sizeof *c);
    if (!c) return CP_ERROR_MEMORY;
    *c = (cpi_capture){.device = s->device, .key = {.refs = 1, .device = s->device}};
    if (!(c->streams = cpi_malloc(sizeof *c->streams))) { /* the first one identifies the capture at its end */
        cpi_free_host(c);
        return CP_ERROR_MEMORY;
    }
    if (backend->use) backend->use(s->device);
    cp_code code = backend->capture_begin(s, mode);
    if (!code && !(c->id = backend->capture_of(s))) code = cpi_fail(CP_ERROR_DEVICE, "%s: it did not begin", function);
    if (code) {
        cpi_free_host(c->streams);
        cpi_free_host(c);
        return code;
    }
    c->streams[c->nstreams++] = cpi_stream_ref(s);
    pthread_mutex_lock(&lock);
    c->next = recording;
    recording = c;
    __atomic_add_fetch(&cpi_captures, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    return CP_OK;
}

int cp_stream_capturing(cp_stream *s)
{
    if (cpi_null("stream_capturing", s)) return -1;
    const cpi_backend *backend = s->device->backend;
    return backend->capture_of && backend->capture_of(s) != 0;
}

/* The capture that a stream began. The backend may have dropped it already, if it was invalidated. */
static cpi_capture *take(cp_stream *s)
{
    pthread_mutex_lock(&lock);
    cpi_capture **link = &recording;
    while (*link && ((*link)->device != s->device || !(*link)->nstreams || (*link)->streams[0] != s))
        link = &(*link)->next;
    cpi_capture *c = *link;
    if (c) {
        *link = c->next;
        __atomic_sub_fetch(&cpi_captures, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
    return c;
}

cp_graph *cp_stream_capture_end(cp_stream *s)
{
    const char *function = "stream_capture_end";
    if (cpi_null(function, s)) return NULL;
    cpi_device *d = s->device;
    cpi_capture *c = take(s);
    if (!c) {
        cpi_fail(CP_ERROR_DEVICE, "%s: cudaErrorIllegalState: the stream began no capture", function);
        return NULL;
    }
    cp_graph ended = {.device = d, .capture = c}, *g = cpi_malloc(sizeof *g);
    if (d->backend->use) d->backend->use(d);
    cp_code code = d->backend->capture_end(s, &ended);
    if (!code && (!g || c->incomplete)) {
        d->backend->graph_free(&ended);
        code = g ? cpi_fail(CP_ERROR_MEMORY, "%s: out of host memory for what the graph holds", function) : cp_error();
    }
    if (code) {
        give_up(c);
        cpi_free_host(g);
        return NULL;
    }
    *g = ended;
    give_up(NULL);
    return g;
}

static cp_code on_its_device(const char *function, const cp_graph *g, const cp_stream *s)
{
    if (cpi_null(function, g) || cpi_null(function, s)) return CP_ERROR_VALUE;
    if (g->device != s->device)
        return cpi_fail(CP_ERROR_VALUE, "%s: the graph is of %s, the stream of %s", function, g->device->label,
                        s->device->label);
    if (!cpi_may_use(function, s->device)) return cp_error();
    if (s->device->backend->use) s->device->backend->use(s->device);
    return CP_OK;
}

cp_code cp_graph_launch(cp_graph *g, cp_stream *s)
{
    cp_code code = on_its_device("graph_launch", g, s);
    return code ? code : g->device->backend->graph_launch(g, s);
}

cp_code cp_graph_upload(cp_graph *g, cp_stream *s)
{
    cp_code code = on_its_device("graph_upload", g, s);
    return code ? code : g->device->backend->graph_upload(g, s);
}

static void free_later(void *graph) { cp_graph_free(*(cp_graph **)graph); }

void cp_graph_free(cp_graph *g)
{
    if (!g || (cpi_in_call() && cpi_leave_for_later(free_later, &g, sizeof g))) return;
    cpi_device *d = g->device;
    if (!d->forked) {
        if (d->backend->use) d->backend->use(d);
        if (!cpi_capturing()) d->backend->device_sync(d);
        d->backend->graph_free(g);
        give_up(g->capture);
    }
    cpi_free_host(g);
}

void *cp_graph_handle(const cp_graph *g, bool exec) { return !g ? NULL : exec ? g->exec : g->handle; }

