/* Devices, streams, events and pools: the primitives below cuprite.cuda, whose classes are Python. */
#include "cpy.h"

#include "cuprite/testing.h"

#define INT_ARGUMENT(v, o) int v; if (!cpy_int((o), 0, &v)) return NULL

CPY_FUNCTION_IN("_device", device_count, "count", "", "Number of GPUs.")
{
    (void)a;
    int n;
    CPY_UNLOCKED(n = cp_device_count()); /* opens the plugin the first time */
    return PyLong_FromLong(n);
}

CPY_FUNCTION_IN("_device", device_trouble, "trouble", "", "Why there is no GPU; '' where there is one.")
{
    (void)a;
    cp_device_count();
    return PyUnicode_FromString(cp_device_trouble());
}

CPY_FUNCTION_IN("_device", device_current, "current", "", "The calling thread's device.")
{
    (void)a;
    int d;
    CPY_UNLOCKED(d = cp_device_current());
    return d == CP_NO_DEVICE ? cpy_raise() : PyLong_FromLong(d);
}

CPY_FUNCTION_IN("_device", device_use, "use", "device", "Makes a device the calling thread's.")
{
    INT_ARGUMENT(d, a[0]);
    cp_code code;
    CPY_UNLOCKED(code = cp_device_use(d));
    return cpy_none(code);
}

CPY_FUNCTION_IN("_device", device_parse, "parse", "text", "The number of a device from its name.")
{
    const char *name = PyUnicode_AsUTF8(a[0]);
    int d;
    if (!name) return NULL;
    return cp_device_parse(name, &d) == CP_OK ? PyLong_FromLong(d) : cpy_raise();
}

CPY_FUNCTION_IN("_device", device_synchronize, "synchronize", "device", "Waits for a device.")
{
    INT_ARGUMENT(d, a[0]);
    cp_code code;
    CPY_UNLOCKED(code = cp_device_synchronize(d));
    return cpy_none(code);
}

CPY_FUNCTION_IN("_device", device_query, "query", "device", "What is known of a device, a dict.")
{
    INT_ARGUMENT(d, a[0]);
    cp_device_info i;
    if (cp_device_query(d, &i) != CP_OK) return cpy_raise();
    return Py_BuildValue("{s:s,s:s,s:i,s:s,s:i,s:L,s:L}", "name", i.name, "backend", i.backend,
                         "number", i.number, "variant", i.variant, "units", i.units,
                         "memory_total", (long long)i.memory_total, "memory_free", (long long)i.memory_free);
}

CPY_FUNCTION_IN("_device", pool_query, "pool", "device", "The pool's figures, a dict.")
{
    INT_ARGUMENT(d, a[0]);
    cp_pool_stats s;
    if (cp_pool_query(d, &s) != CP_OK) return cpy_raise();
    return Py_BuildValue("{s:L,s:L,s:L,s:L,s:L,s:L}", "used", (long long)s.used, "held", (long long)s.held, "peak", (long long)s.peak,
                         "limit", (long long)s.limit, "allocations", (long long)s.allocations, "reuses", (long long)s.reuses);
}

CPY_FUNCTION_IN("_device", pool_limit, "pool_limit", "device, bytes", "Limits what the pool may hold; 0 takes the limit away.")
{
    INT_ARGUMENT(d, a[0]);
    int64_t bytes;
    if (!cpy_int64(a[1], &bytes)) return NULL;
    return cpy_none(cp_pool_limit(d, bytes));
}

CPY_FUNCTION_IN("_device", pool_trim, "pool_trim", "device", "Gives unused memory back to the device.")
{
    INT_ARGUMENT(d, a[0]);
    cp_code code;
    CPY_UNLOCKED(code = cp_pool_trim(d));
    return cpy_none(code);
}

CPY_FUNCTION_IN("_device", threads, "threads", "n=None", "Number of threads of the CPU device; sets it when given.")
{
    if (cpy_given(a[0])) {
        INT_ARGUMENT(n, a[0]);
        if (cp_threads_set(n) != CP_OK) return cpy_raise();
    }
    return PyLong_FromLong(cp_threads());
}

/* --- streams and events travel as capsules --- */
static void free_stream(PyObject *c) { cp_stream_free(PyCapsule_GetPointer(c, "stream")); }
static void free_event(PyObject *c) { cp_event_free(PyCapsule_GetPointer(c, "event")); }
#define STREAM(v, o) cp_stream *v = PyCapsule_GetPointer((o), "stream"); if (!v) return NULL
#define EVENT(v, o) cp_event *v = PyCapsule_GetPointer((o), "event"); if (!v) return NULL

CPY_FUNCTION_IN("_device", stream_create, "stream_create", "device", "A new stream.")
{
    INT_ARGUMENT(d, a[0]);
    cp_stream *s = cp_stream_create(d);
    if (!s) return cpy_raise();
    PyObject *c = PyCapsule_New(s, "stream", free_stream);
    if (!c) cp_stream_free(s);
    return c;
}

CPY_FUNCTION_IN("_device", stream_current, "stream_current", "device", "The calling thread's stream on a device, not owned.")
{
    INT_ARGUMENT(d, a[0]);
    cp_stream *s = cp_stream_current(d);
    return s ? PyCapsule_New(s, "stream", NULL) : cpy_raise();
}

CPY_FUNCTION_IN("_device", stream_use, "stream_use", "stream", "Makes a stream the thread's on its device.")
{
    STREAM(s, a[0]);
    return cpy_none(cp_stream_use(s));
}

CPY_FUNCTION_IN("_device", stream_use_null, "stream_use_null", "device", "Back to the null stream of the current device.")
{
    INT_ARGUMENT(d, a[0]);
    int before = cp_device_current();
    if (before == CP_NO_DEVICE) return cpy_raise();
    cp_code code = before == d ? CP_OK : cp_device_use(d);
    if (code == CP_OK) code = cp_stream_use(NULL);
    if (before != d) cp_device_use(before);
    return cpy_none(code);
}

CPY_FUNCTION_IN("_device", stream_synchronize, "stream_synchronize", "stream", "Waits for a stream.")
{
    STREAM(s, a[0]);
    cp_code code;
    CPY_UNLOCKED(code = cp_stream_synchronize(s));
    return cpy_none(code);
}

CPY_FUNCTION_IN("_device", stream_done, "stream_done", "stream", "Whether a stream's work is done.")
{
    STREAM(s, a[0]);
    int v = cp_stream_done(s);
    return v < 0 ? cpy_raise() : PyBool_FromLong(v);
}

CPY_FUNCTION_IN("_device", stream_device, "stream_device", "stream", "The stream's device.")
{
    STREAM(s, a[0]);
    return PyLong_FromLong(cp_stream_device(s));
}

CPY_FUNCTION_IN("_device", stream_handle, "stream_handle", "stream", "The native handle, a number; 0 on the CPU.")
{
    STREAM(s, a[0]);
    return PyLong_FromVoidPtr(cp_stream_handle(s));
}

CPY_FUNCTION_IN("_device", stream_wait, "stream_wait", "stream, event", "Later work in the stream waits for the event.")
{
    STREAM(s, a[0]);
    EVENT(e, a[1]);
    return cpy_none(cp_stream_wait(s, e));
}

CPY_FUNCTION_IN("_device", event_create, "event_create", "device", "A new event.")
{
    INT_ARGUMENT(d, a[0]);
    cp_event *e = cp_event_create(d);
    if (!e) return cpy_raise();
    PyObject *c = PyCapsule_New(e, "event", free_event);
    if (!c) cp_event_free(e);
    return c;
}

CPY_FUNCTION_IN("_device", event_record, "event_record", "event, stream", "Records the event in a stream.")
{
    EVENT(e, a[0]);
    STREAM(s, a[1]);
    return cpy_none(cp_event_record(e, s));
}

CPY_FUNCTION_IN("_device", event_synchronize, "event_synchronize", "event", "Waits for an event.")
{
    EVENT(e, a[0]);
    cp_code code;
    CPY_UNLOCKED(code = cp_event_synchronize(e));
    return cpy_none(code);
}

CPY_FUNCTION_IN("_device", event_done, "event_done", "event", "Whether an event was reached.")
{
    EVENT(e, a[0]);
    int v = cp_event_done(e);
    return v < 0 ? cpy_raise() : PyBool_FromLong(v);
}

CPY_FUNCTION_IN("_device", event_elapsed, "event_elapsed", "start, end", "Milliseconds between two events.")
{
    EVENT(start, a[0]);
    EVENT(end, a[1]);
    double ms;
    if (cp_event_elapsed(start, end, &ms) != CP_OK) return cpy_raise();
    return PyFloat_FromDouble(ms);
}

/* --- for tests --- */
CPY_FUNCTION_IN("_device", test_fail, "test_fail", "n", "The n-th allocation of the library from now fails, once; 0: none. Returns those counted so far.")
{
    int64_t n, counted = cp_test_allocations();
    if (!cpy_int64(a[0], &n)) return NULL;
    cp_test_fail_allocation(n);
    return PyLong_FromLongLong(counted);
}

CPY_FUNCTION_IN("_device", test_live, "test_live", "", "Live blocks of the library: arrays and temporaries.")
{
    (void)a;
    return PyLong_FromLongLong(cp_test_live());
}
