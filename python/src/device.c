/* Devices, streams, events and pools: the primitives under cuprite.cuda, whose classes are Python. */
#include "device_rows.h"

#include "cuprite/testing.h"

/*: python_module("_device", doc="The primitives of devices, streams, events and pools, below cuprite.cuda.") */

/*: function("count", "", module="_device", call="cp_device_count()", returns="int", unlock="always",
             doc="Number of GPUs.") */
/*: function("current", "", module="_device", call="cp_device_current()", returns="int", unlock="always",
             doc="The calling thread's device.") */
/*: function("name_arrays", "module: object", c="", module="_device", unlock="never",
             doc="The module that the arrays' class says it is of: programs know CuPy's arrays by it.") */
PyObject *py_device_name_arrays(const py_device_name_arrays_args *v)
{
    PyTypeObject *array = cpy_now()->array; /* nobody can change it from Python */
    if (PyDict_SetItemString(array->tp_dict, "__module__", v->module)) return NULL;
    PyType_Modified(array);
    Py_RETURN_NONE;
}

/*: function("use", "device: int", module="_device", call="cp_device_use(device)", returns="none", unlock="always",
             doc="Makes a device the calling thread's.") */
/*: function("synchronize", "device: int", module="_device", call="cp_device_synchronize(device)", returns="none",
             unlock="always", doc="Waits for a device.") */
/*: function("pool_limit", "device: int, bytes: int64", module="_device", call="cp_pool_limit(device, bytes)",
             returns="none", unlock="always", doc="Limits what the pool may hold; 0 takes the limit away.") */
/*: function("pool_trim", "device: int", module="_device", call="cp_pool_trim(device)", returns="none", unlock="always",
             doc="Gives unused memory back to the device.") */
/*: function("pool_limit_share", "device: int, share: double", module="_device",
             call="cp_pool_limit_share(device, share)", returns="none", unlock="always",
             doc="The same as a share of the device's memory.") */
/*: function("pool_trim_stream", "stream: stream", module="_device", call="cp_pool_trim_stream(stream)",
             returns="none", unlock="always", doc="Gives back what was freed in a stream.") */
/*: function("stream_is_blocking", "stream: stream", module="_device", call="cp_stream_is_blocking(stream)",
             returns="bool", unlock="never", doc="Whether the stream and the null stream wait for each other.") */
/*: function("stream_priority", "stream: stream", module="_device", call="cp_stream_priority(stream)", returns="int",
             unlock="never", doc="The stream's priority; lower goes first.") */
/*: function("stream_capturing", "stream: stream", module="_device", call="cp_stream_capturing(stream)",
             returns="bool", unlock="0", doc="Whether the stream's work is recorded.") */
/*: function("stream_use", "stream: stream", module="_device", call="cp_stream_use(stream)", returns="none",
             unlock="0", doc="Makes a stream the thread's on its device.") */
/*: function("stream_default_per_thread", "", module="_device", call="cp_stream_default_per_thread()", returns="bool",
             unlock="never", doc="Whether the default of streams is each thread's own.") */
/*: function("stream_synchronize", "stream: stream", module="_device", call="cp_stream_synchronize(stream)",
             returns="none", unlock="always", doc="Waits for a stream.") */
/*: function("stream_done", "stream: stream", module="_device", call="cp_stream_done(stream)", returns="bool",
             unlock="0", doc="Whether a stream's work is done.") */
/*: function("stream_device", "stream: stream", module="_device", call="cp_stream_device(stream)", returns="int",
             unlock="never", doc="The stream's device.") */
/*: function("stream_wait", "stream: stream, event: event", module="_device", call="cp_stream_wait(stream, event)",
             returns="none", unlock="0", doc="Later work in the stream waits for the event.") */
/*: function("event_record", "event: event, stream: stream", module="_device", call="cp_event_record(event, stream)",
             returns="none", unlock="0", doc="Records the event in a stream.") */
/*: function("event_synchronize", "event: event", module="_device", call="cp_event_synchronize(event)",
             returns="none", unlock="always", doc="Waits for an event.") */
/*: function("event_done", "event: event", module="_device", call="cp_event_done(event)", returns="bool",
             unlock="0", doc="Whether an event was reached.") */

int cpy_waits_refused;

/*: function("allow_waits", "allow: bool", module="_device", unlock="never",
             doc="Whether this thread's calls may wait for devices; returns what was.") */
PyObject *py_device_allow_waits(const py_device_allow_waits_args *v)
{
    if (!v->allow) __atomic_store_n(&cpy_waits_refused, 1, __ATOMIC_RELAXED);
    return PyBool_FromLong(cp_synchronize_allow(v->allow));
}

/*: function("error", "", module="_device", doc="Why there is no GPU; '' where there is one.") */
PyObject *py_device_error(const py_device_error_args *v)
{
    (void)v;
    cp_device_count();
    return PyUnicode_FromString(cp_device_error());
}

/*: function("blas", "", module="_device",
             doc="The library for linear algebra on the CPU, or why there is none.") */
PyObject *py_device_blas(const py_device_blas_args *v)
{
    (void)v;
    const char *line = cp_blas_library();
    PyObject *text = PyUnicode_DecodeFSDefault(line ? line : cp_error_message());
    cp_error_clear();
    return text;
}

/*: function("parse", "text: string", module="_device", doc="The number of a device from its name.") */
PyObject *py_device_parse(const py_device_parse_args *v)
{
    int d;
    return cp_device_parse(v->text, &d) == CP_OK ? PyLong_FromLong(d) : cpy_raise();
}

/*: function("query", "device: int", module="_device", doc="What is known of a device, a dict.") */
PyObject *py_device_query(const py_device_query_args *v)
{
    cp_device_info i;
    cp_code code;
    CPY_RUN(0, code = cp_device_query(v->device, &i));
    if (code != CP_OK) return cpy_raise();
    return Py_BuildValue("{s:s,s:s,s:i,s:s,s:i,s:L,s:L}", "name", i.name, "backend", i.backend,
                         "number", i.number, "variant", i.variant, "units", i.units,
                         "memory_total", (long long)i.memory_total, "memory_free", (long long)i.memory_free);
}

/*: function("pool", "device: int", module="_device", doc="The pool's figures, a dict.") */
PyObject *py_device_pool(const py_device_pool_args *v)
{
    cp_pool_stats s;
    cp_code code;
    CPY_RUN(0, code = cp_pool_query(v->device, &s));
    if (code != CP_OK) return cpy_raise();
    return Py_BuildValue("{s:L,s:L,s:L,s:L,s:L,s:L,s:L}", "used", (long long)s.used, "held", (long long)s.held, "peak",
                         (long long)s.peak, "limit", (long long)s.limit, "allocations", (long long)s.allocations,
                         "reuses", (long long)s.reuses, "blocks", (long long)s.blocks);
}

/*: function("threads", "n: object = None", module="_device",
             doc="Number of threads of the CPU device; sets it when given.") */
PyObject *py_device_threads(const py_device_threads_args *v)
{
    int n;
    if (cpy_given(v->n) && !cpy_clamped_int(v->n, &n)) return NULL;
    if (cpy_given(v->n) && cp_threads_set(n) != CP_OK) return cpy_raise();
    return PyLong_FromLong(cp_threads());
}

/* --- streams and events travel as capsules --- */
static void free_stream(PyObject *c)
{
    cp_stream *s = PyCapsule_GetPointer(c, "stream");
    CPY_RUN(0, cp_stream_free(s)); /* waits for its work */
}

static void free_event(PyObject *c)
{
    cp_event *e = PyCapsule_GetPointer(c, "event");
    CPY_RUN(0, cp_event_free(e));
}

static PyObject *own_stream(cp_stream *s)
{
    if (!s) return cpy_raise();
    PyObject *c = PyCapsule_New(s, "stream", free_stream);
    if (!c) CPY_RUN(0, cp_stream_free(s));
    return c;
}

/*: function("stream_create", "device: int, blocking: bool = False, priority: int = 0", module="_device",
             doc="A new stream; a blocking one and the null stream wait for each other.") */
PyObject *py_device_stream_create(const py_device_stream_create_args *v)
{
    cp_stream_create_options o = {.blocking = v->blocking, .priority = v->priority};
    cp_stream *s;
    CPY_RUN(0, s = (cp_stream_create)(v->device, &o));
    return own_stream(s);
}

/*: function("stream_external", "device: int, handle: object", module="_device",
             doc="A stream for a native handle.") */
PyObject *py_device_stream_external(const py_device_stream_external_args *v)
{
    void *handle = PyLong_AsVoidPtr(v->handle);
    cp_stream *s;
    if (PyErr_Occurred()) return NULL;
    CPY_RUN(0, s = cp_stream_external(v->device, handle));
    return own_stream(s);
}

/*: function("stream_per_thread", "device: int", module="_device", doc="The calling thread's own stream, not owned.") */
PyObject *py_device_stream_per_thread(const py_device_stream_per_thread_args *v)
{
    cp_stream *s;
    CPY_RUN(0, s = cp_stream_per_thread(v->device));
    return s ? PyCapsule_New(s, "stream", NULL) : cpy_raise();
}

/*: function("stream_null", "device: int", module="_device", doc="The device's null stream.") */
PyObject *py_device_stream_null(const py_device_stream_null_args *v)
{
    cp_stream *s = cp_stream_null(v->device);
    return s ? PyCapsule_New(s, "stream", NULL) : cpy_raise();
}

/*: function("stream_current", "device: int", module="_device",
             doc="The calling thread's stream on a device, not owned.") */
PyObject *py_device_stream_current(const py_device_stream_current_args *v)
{
    cp_stream *s; /* each thread's own may have to be made */
    CPY_RUN(0, s = cp_stream_current(v->device));
    return s ? PyCapsule_New(s, "stream", NULL) : cpy_raise();
}

/*: function("stream_use_default", "device: int", module="_device", doc="Back to the default stream of a device.") */
PyObject *py_device_stream_use_default(const py_device_stream_use_default_args *v)
{
    int before = cp_device_current();
    if (before == CP_NO_DEVICE) return cpy_raise();
    cp_code code = before == v->device ? CP_OK : cp_device_use(v->device);
    if (code == CP_OK) code = cp_stream_use(NULL);
    if (before != v->device) cp_device_use(before);
    return cpy_none(code);
}

/*: function("stream_handle", "stream: stream", module="_device",
             doc="The native handle, a number; 0 of null streams.") */
PyObject *py_device_stream_handle(const py_device_stream_handle_args *v)
{
    return PyLong_FromVoidPtr(cp_stream_handle(v->stream));
}

/*: function("event_create", "device: int, blocking: bool = False, no_timing: bool = False, interprocess: bool = False",
             module="_device", doc="A new event.") */
PyObject *py_device_event_create(const py_device_event_create_args *v)
{
    cp_event_create_options o = {v->blocking, v->no_timing, v->interprocess, 0};
    cp_event *e;
    CPY_RUN(0, e = (cp_event_create)(v->device, &o));
    if (!e) return cpy_raise();
    PyObject *c = PyCapsule_New(e, "event", free_event);
    if (!c) CPY_RUN(0, cp_event_free(e));
    return c;
}

/*: function("event_handle", "event: event", module="_device", doc="The native handle, a number; 0 on the CPU.") */
PyObject *py_device_event_handle(const py_device_event_handle_args *v)
{
    return PyLong_FromVoidPtr(cp_event_handle(v->event));
}

/*: function("event_elapsed", "start: event, end: event", module="_device", doc="Milliseconds between two events.") */
PyObject *py_device_event_elapsed(const py_device_event_elapsed_args *v)
{
    double ms;
    cp_code code;
    CPY_RUN(0, code = cp_event_elapsed(v->start, v->end, &ms));
    if (code != CP_OK) return cpy_raise();
    return PyFloat_FromDouble(ms);
}

/* --- for tests --- */
/*: function("test_fail", "n: int64", module="_device",
             doc="The n-th allocation of the library from now fails, once; 0: none. Returns those counted so far.") */
PyObject *py_device_test_fail(const py_device_test_fail_args *v)
{
    int64_t counted = cp_test_allocations();
    cp_test_fail_allocation(v->n);
    return PyLong_FromLongLong(counted);
}

/*: function("test_live", "", module="_device", doc="Live blocks of the library: arrays and temporaries.") */
PyObject *py_device_test_live(const py_device_test_live_args *v)
{
    (void)v;
    return PyLong_FromLongLong(cp_test_live());
}
