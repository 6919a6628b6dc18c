/* Streams and events. Invariant: a stream's record outlives every buffer that belongs to it; its native
 * stream ends with cp_stream_free, after its work is done. */
#include "backend/stream.h"

#include "backend/array.h"
#include "backend/device.h"
#include "backend/pool.h"
#include "core/memory.h"

static _Thread_local cp_stream *streams[CPI_DEVICES];

static cp_stream **slot_of(const cpi_device *d) { return &streams[d->slot]; }

cp_stream *cpi_stream(cpi_device *device)
{
    bool others = __atomic_load_n(&cpi_streams_made, __ATOMIC_RELAXED);
    cp_stream *s = others ? *slot_of(device) : NULL;
    if (device->backend->use) device->backend->use(device);
    return s ? s : &device->null_stream;
}

cp_stream *cpi_stream_ref(cp_stream *s)
{
    if (s != &s->device->null_stream) __atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
    return s;
}

void cpi_stream_unref(cp_stream *s)
{
    if (s == &s->device->null_stream || __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL)) return;
    s->device->backend->stream_sync(s);
    cpi_pool_stream_ends(s->device->pool, s, &s->device->null_stream);
    s->device->backend->stream_free(s);
    cpi_free_host(s);
}

cp_stream *cp_stream_create(int device)
{
    cpi_device *d = cpi_device_get("stream_create", device);
    cp_stream *s = d ? cpi_malloc(sizeof *s) : NULL;
    if (!s) return NULL;
    *s = (cp_stream){.refs = 1, .device = d};
    if (d->backend->stream_new(s)) {
        cpi_free_host(s);
        return NULL;
    }
    __atomic_store_n(&cpi_streams_made, true, __ATOMIC_RELAXED);
    return s;
}

void cp_stream_free(cp_stream *s)
{
    if (!s) return;
    if (*slot_of(s->device) == s) *slot_of(s->device) = NULL;
    cpi_stream_unref(s);
}

cp_code cp_stream_use(cp_stream *s)
{
    cpi_device *d = s ? s->device : cpi_device_current();
    if (!d) return cp_error();
    *slot_of(d) = s == &d->null_stream ? NULL : s;
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
    return s->device->backend->stream_sync(s);
}

int cp_stream_done(cp_stream *s) { return cpi_null("stream_done", s) ? -1 : s->device->backend->stream_done(s); }

int cp_stream_device(const cp_stream *s) { return s ? s->device->id : CP_CPU; }

void *cp_stream_handle(const cp_stream *s) { return s ? s->handle : NULL; }

cp_code cp_stream_wait(cp_stream *s, cp_event *e)
{
    if (cpi_null("stream_wait", s) || cpi_null("stream_wait", e)) return CP_ERROR_VALUE;
    return s->device->backend->stream_wait(s, e);
}

cp_event *cp_event_create(int device)
{
    cpi_device *d = cpi_device_get("event_create", device);
    cp_event *e = d ? cpi_malloc(sizeof *e) : NULL;
    if (!e) return NULL;
    *e = (cp_event){d, NULL, 0, false};
    if (d->backend->event_new(e)) {
        cpi_free_host(e);
        return NULL;
    }
    return e;
}

void cp_event_free(cp_event *e)
{
    if (!e) return;
    e->device->backend->event_free(e);
    cpi_free_host(e);
}

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
    return e->device->backend->event_sync(e);
}

int cp_event_done(cp_event *e) { return cpi_null("event_done", e) ? -1 : e->device->backend->event_done(e); }

cp_code cp_event_elapsed(cp_event *start, cp_event *end, double *ms)
{
    if (cpi_null("event_elapsed", start) || cpi_null("event_elapsed", end) || cpi_null("event_elapsed", ms))
        return CP_ERROR_VALUE;
    if (!start->recorded || !end->recorded)
        return cpi_fail(CP_ERROR_VALUE, "event_elapsed: both events must have been recorded");
    return start->device->backend->event_elapsed(start, end, ms);
}
