/* Graphs, kinds of memory, calls from streams, allocators and the platform's own functions, under cuprite.cuda.
 *
 * Invariant: a Python object that C holds (a callback, an allocator's result) is released on whichever thread gets
 * there, with the interpreter that it belongs to. Rows with c="" return numbers and objects where C has enumerations
 * and functions. */
#include "runtime_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if PY_VERSION_HEX < 0x030d0000
#define PyThreadState_GetUnchecked _PyThreadState_UncheckedGet
#define Py_IsFinalizing _Py_IsFinalizing
#endif

/* --- entering an interpreter from any thread --- */

/* The calling thread's state, where it holds the GIL; before 3.12 Python answers with whichever thread's does. */
static PyThreadState *state_of_thread(void)
{
    PyThreadState *now = PyThreadState_GetUnchecked();
#if PY_VERSION_HEX < 0x030c0000
    if (now && now->thread_id != PyThread_get_thread_ident()) now = NULL;
#endif
    return now;
}

bool cpy_has_gil(void) { return state_of_thread() != NULL; }

/* --- interrupts --- */

_Thread_local PyThreadState *cpy_left;

/* Whether a signal's handler has raised something, which is then the call's exception (cpy_raise). Python runs handlers
 * in the main thread, which alone is asked: others would wait for the GIL for nothing. */
static bool is_interrupted(void)
{
    if (syscall(SYS_gettid) != getpid() || Py_IsFinalizing()) return false;
    if (cpy_has_gil()) return PyErr_CheckSignals() != 0;
    PyThreadState *state = cpy_left;
    if (!state) return false;
    PyEval_RestoreThread(state);
    const bool raised = PyErr_CheckSignals() != 0;
    PyEval_SaveThread();
    return raised;
}

void cpy_listen_to_signals(void) { cp_interrupt_set(is_interrupted); }

typedef struct visit {
    PyThreadState *before, *own;
    PyGILState_STATE state;
    bool by_state;
} visit;

/* False where no Python runs any more. The main interpreter knows its threads, so an exception that is left there is
 * the caller's; PyGILState knows no other interpreter. */
static bool enter(const cpy_owner *o, visit *v)
{
    *v = (visit){.before = state_of_thread()};
    if (Py_IsFinalizing()) return false;
    if (v->before && v->before->interp == o->interpreter) return true;
    if (!v->before && o->interpreter == PyInterpreterState_Main()) {
        v->state = PyGILState_Ensure();
        return v->by_state = true;
    }
    if (v->before) PyEval_SaveThread();
    v->own = PyThreadState_New(o->interpreter);
    if (v->own) PyEval_RestoreThread(v->own);
    else if (v->before) PyEval_RestoreThread(v->before);
    return v->own != NULL;
}

static void leave(visit *v)
{
    if (v->by_state) PyGILState_Release(v->state);
    if (!v->own) return;
    PyThreadState_Clear(v->own);
    PyThreadState_DeleteCurrent();
    if (v->before) PyEval_RestoreThread(v->before);
}

cpy_owner *cpy_owner_new(PyObject *object)
{
    cpy_owner *o = malloc(sizeof *o);
    if (!o) return (cpy_owner *)PyErr_NoMemory();
    *o = (cpy_owner){Py_NewRef(object), PyInterpreterState_Get()};
    return o;
}

void cpy_owner_free(void *p)
{
    cpy_owner *o = p;
    visit v;
    if (enter(o, &v)) {
        Py_DECREF(o->object);
        leave(&v);
    }
    free(o);
}

/* --- calls of Python's functions from streams --- */

int cpy_calls_pending;

static int drop(void *object)
{
    Py_DECREF((PyObject *)object);
    return 0;
}

/* The function's own arrays may end with it, and the thread that called it must not use the device: Python's main
 * thread lets go of it, where it can be asked to. */
static void call_ends(void *p)
{
    cpy_owner *o = p;
    if (o->interpreter == PyInterpreterState_Main() && !Py_IsFinalizing() && Py_AddPendingCall(drop, o->object) == 0)
        free(o);
    else
        cpy_owner_free(o);
    __atomic_sub_fetch(&cpy_calls_pending, 1, __ATOMIC_RELAXED);
}

static void call_owner(void *p)
{
    cpy_owner *o = p;
    visit v;
    if (!enter(o, &v)) return;
    PyObject *r = PyObject_CallNoArgs(o->object);
    if (!r) PyErr_WriteUnraisable(o->object); /* there is no caller to raise it to */
    Py_XDECREF(r);
    leave(&v);
}

/*: function("stream_call", "stream: stream, function: object", c="", module="_device",
             doc="Calls a function without arguments once the stream's earlier work is done, on another thread.") */
PyObject *py_device_stream_call(const py_device_stream_call_args *v)
{
    if (!PyCallable_Check(v->function)) return PyErr_Format(PyExc_TypeError, "stream_call: a function is needed");
    cpy_owner *o = cpy_owner_new(v->function);
    cp_code code = CP_OK;
    if (!o) return NULL;
    __atomic_add_fetch(&cpy_calls_pending, 1, __ATOMIC_RELAXED);
    CPY_UNLOCKED(code = cp_stream_call(v->stream, call_owner, o, call_ends));
    if (code) call_ends(o);
    return cpy_none(code);
}

/* --- graphs --- */
static void free_graph(PyObject *c)
{
    cp_graph *g = PyCapsule_GetPointer(c, "graph");
    CPY_UNLOCKED(cp_graph_free(g)); /* waits for launches, whose functions of Python's may be under way */
}

/*: function("stream_capture", "stream: stream, mode: int", c="", module="_device",
             doc="Records the stream's work from now on: 0 global, 1 of this thread, 2 relaxed.") */
PyObject *py_device_stream_capture(const py_device_stream_capture_args *v)
{
    cp_code code;
    CPY_RUN(0, code = cp_stream_capture(v->stream, (cp_capture_mode)v->mode));
    return cpy_none(code);
}

/*: function("stream_capture_end", "stream: stream", module="_device", doc="A graph of what was recorded.") */
PyObject *py_device_stream_capture_end(const py_device_stream_capture_end_args *v)
{
    cp_graph *g;
    CPY_UNLOCKED(g = cp_stream_capture_end(v->stream));
    if (!g) return cpy_raise();
    PyObject *c = PyCapsule_New(g, "graph", free_graph);
    if (!c) CPY_UNLOCKED(cp_graph_free(g));
    return c;
}

/*: function("graph_launch", "graph: graph, stream: stream", module="_device", c="graph_launch", returns="none",
             call="cp_graph_launch(graph, stream)", unlock="0", doc="Does the recorded work in a stream.") */
/*: function("graph_upload", "graph: graph, stream: stream", module="_device", c="graph_upload", returns="none",
             call="cp_graph_upload(graph, stream)", unlock="0", doc="Prepares the next launch.") */

/*: function("graph_handle", "graph: graph, exec: bool", module="_device", doc="The native handle, a number.") */
PyObject *py_device_graph_handle(const py_device_graph_handle_args *v)
{
    return PyLong_FromVoidPtr(cp_graph_handle(v->graph, v->exec));
}

/* --- memory --- */
static bool address(PyObject *o, void **p)
{
    *p = PyLong_AsVoidPtr(o);
    return *p || !PyErr_Occurred();
}

/*: function("memory_new", "device: int, bytes: int64, kind: int", c="", module="_device",
             doc="The address of new memory: 0 the device's, 1 in stream order, 2 managed, 3 pinned.") */
PyObject *py_device_memory_new(const py_device_memory_new_args *v)
{
    void *p;
    if (v->bytes < 0) return PyErr_Format(PyExc_ValueError, "memory of %lld bytes", (long long)v->bytes);
    CPY_UNLOCKED(p = cp_memory_new(v->device, (size_t)v->bytes, (cp_memory_kind)v->kind));
    return p ? PyLong_FromVoidPtr(p) : cpy_raise();
}

/*: function("memory_free", "device: int, memory: object, bytes: int64, kind: int", c="", module="_device",
             doc="Gives back what memory_new gave.") */
PyObject *py_device_memory_free(const py_device_memory_free_args *v)
{
    void *p;
    if (!address(v->memory, &p)) return NULL;
    CPY_UNLOCKED(cp_memory_free(v->device, p, (size_t)v->bytes, (cp_memory_kind)v->kind));
    return cpy_none(cp_error());
}

/*: function("memory_is_there", "memory: object, bytes: int64", c="", module="_device",
             doc="Whether the process has all pages of a range of its addresses, whoever may use them.") */
PyObject *py_device_memory_is_there(const py_device_memory_is_there_args *v)
{
    void *memory;
    if (!address(v->memory, &memory)) return NULL;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), end = (size_t)memory + (size_t)v->bytes;
    bool there = v->bytes >= 0 && end >= (size_t)memory;
    unsigned char pages[4096]; /* which of them are in memory is not asked: those that are not are read in */
    for (size_t at = (size_t)memory / page * page; there && at < end; at += sizeof pages * page) {
        size_t n = end - at < sizeof pages * page ? end - at : sizeof pages * page;
        there = mincore((void *)at, n, pages) == 0 || errno != ENOMEM;
    }
    return PyBool_FromLong(there);
}

/*: function("memory_copy", "to: object, to_device: int, from_: object, from_device: int, bytes: int64",
             c="", module="_device", doc="Copies bytes between addresses of devices; -1 is the host.") */
PyObject *py_device_memory_copy(const py_device_memory_copy_args *v)
{
    void *to, *from;
    cp_code code;
    if (!address(v->to, &to) || !address(v->from_, &from)) return NULL;
    if (v->bytes < 0) return PyErr_Format(PyExc_ValueError, "a copy of %lld bytes", (long long)v->bytes);
    CPY_UNLOCKED(code = cp_memory_copy(to, v->to_device, from, v->from_device, (size_t)v->bytes));
    return cpy_none(code);
}

/* --- an allocator of the program's --- */
static cpy_owner allocator; /* of the process: arrays of every interpreter are made by one library */

/* The function gets (device, bytes) and returns None, so that the pool serves, or an object with an address `ptr`. */
static void *allocate(int device, size_t bytes, void **token)
{
    visit v;
    cpy_owner *o = NULL;
    void *p = NULL;
    *token = &allocator; /* failed */
    if (!enter(&allocator, &v)) return *token = NULL;
    PyObject *function = Py_XNewRef(allocator.object);
    PyObject *r = function ? PyObject_CallFunction(function, "in", device, (Py_ssize_t)bytes) : Py_NewRef(Py_None);
    if (r == Py_None) {
        *token = NULL;
    } else if (r) {
        PyObject *ptr = PyObject_GetAttrString(r, "ptr");
        if (ptr && address(ptr, &p) && p && (o = cpy_owner_new(r))) *token = o;
        else p = NULL;
        Py_XDECREF(ptr);
    }
    if (v.own && PyErr_Occurred()) PyErr_WriteUnraisable(function); /* it cannot reach the caller */
    Py_XDECREF(r);
    Py_XDECREF(function);
    leave(&v);
    return p;
}

static void allocated_release(void *token)
{
    if (token != &allocator) cpy_owner_free(token);
}

/*: function("allocator", "function: object", module="_device",
             doc="New arrays ask function(device, bytes) for an object with an address ptr, or None: the pool serves. "
                 "None instead of the function: the pool alone.") */
PyObject *py_device_allocator(const py_device_allocator_args *v)
{
    PyObject *before = allocator.object;
    bool other = before && allocator.interpreter != PyInterpreterState_Get();
    if (other) return PyErr_Format(PyExc_RuntimeError, "another interpreter of the process has set an allocator");
    if (v->function == Py_None) {
        cp_allocator_set(NULL, allocated_release);
        allocator.object = NULL;
    } else {
        allocator = (cpy_owner){Py_NewRef(v->function), PyInterpreterState_Get()};
        cp_allocator_set(allocate, allocated_release);
    }
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

/* --- the platform --- */

/*: function("can_access", "device: int, peer: int", module="_device", c="device_can_access",
             doc="Whether a device reads and writes the memory of another one directly.") */
PyObject *py_device_can_access(const py_device_can_access_args *v)
{
    int can;
    CPY_RUN(0, can = cp_device_can_access(v->device, v->peer));
    return can < 0 ? cpy_raise() : PyBool_FromLong(can);
}

/*: function("native", "device: int, name: string, numbers: object", module="_device", c="device_call",
             doc="The platform's own function with a tuple of numbers: its status, and a tuple of results.") */
PyObject *py_device_native(const py_device_native_args *v)
{
    enum { MOST = 16, RESULTS = 8 };
    int64_t in[MOST], out[RESULTS] = {0};
    int status = 0, found = 0;
    if (!PyTuple_Check(v->numbers) || PyTuple_GET_SIZE(v->numbers) > MOST)
        return PyErr_Format(PyExc_TypeError, "%s: a tuple of at most %d numbers is needed", v->name, MOST);
    int n = (int)PyTuple_GET_SIZE(v->numbers);
    for (int i = 0; i < n; i++) {
        PyObject *number = PyNumber_Index(PyTuple_GET_ITEM(v->numbers, i));
        if (!number) return NULL;
        in[i] = (int64_t)PyLong_AsUnsignedLongLongMask(number); /* addresses have 64 bits without a sign */
        Py_DECREF(number);
        if (PyErr_Occurred()) return NULL;
    }
    CPY_UNLOCKED(found = cp_device_call(v->device, v->name, n, in, out, &status));
    if (found < 0) return cpy_raise();
    PyObject *results = PyTuple_New(found);
    for (int i = 0; results && i < found; i++) {
        PyObject *number = PyLong_FromLongLong(out[i]);
        if (number) PyTuple_SET_ITEM(results, i, number);
        else Py_CLEAR(results);
    }
    return results ? Py_BuildValue("iN", status, results) : NULL;
}

static void add_property(void *context, const char *name, int n, const int64_t *values, const char *text)
{
    PyObject *all = context, *value = NULL;
    if (PyErr_Occurred()) return;
    if (text) {
        value = PyBytes_FromStringAndSize(text, n);
    } else if (n == 1) {
        value = PyLong_FromLongLong(values[0]);
    } else if ((value = PyTuple_New(n))) {
        for (int i = 0; value && i < n; i++) {
            PyObject *number = PyLong_FromLongLong(values[i]);
            if (number) PyTuple_SET_ITEM(value, i, number);
            else Py_CLEAR(value);
        }
    }
    if (value) PyDict_SetItemString(all, name, value);
    Py_XDECREF(value);
}

/*: function("properties", "device: int", module="_device", c="device_properties",
             doc="What the platform knows of a device by CUDA's names, a dict.") */
PyObject *py_device_properties(const py_device_properties_args *v)
{
    PyObject *all = PyDict_New();
    if (!all) return NULL;
    cp_code code = cp_device_properties(v->device, add_property, all);
    if (!code && !PyErr_Occurred()) return all;
    Py_DECREF(all);
    return PyErr_Occurred() ? NULL : cpy_raise();
}

/* --- bytes of the host's memory that an address points to: the buffer of pinned memory --- */

typedef struct host_bytes {
    PyObject_HEAD
    void *address;
    Py_ssize_t size;
} host_bytes;

static int host_bytes_init(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"address", "size", NULL};
    host_bytes *b = (host_bytes *)self;
    PyObject *at;
    Py_ssize_t size;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "On:_HostBytes", names, &at, &size)) return -1;
    if (size < 0) return PyErr_SetString(PyExc_ValueError, "a negative number of bytes"), -1;
    if (!address(at, &b->address)) return -1;
    b->size = size;
    return 0;
}

static void host_bytes_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static int host_bytes_buffer(PyObject *self, Py_buffer *view, int flags)
{
    host_bytes *b = (host_bytes *)self;
    return PyBuffer_FillInfo(view, self, b->address, b->size, 0, flags);
}

bool cpy_host_bytes_init(cpy_state *s)
{
    PyType_Slot slots[] = {
        {Py_tp_doc, "Bytes of the host's memory at an address: a buffer. Subclasses keep the memory alive."},
        {Py_tp_new, PyType_GenericNew},
        {Py_tp_init, host_bytes_init},
        {Py_tp_dealloc, host_bytes_free},
        {Py_bf_getbuffer, host_bytes_buffer},
        {0, NULL},
    };
    PyType_Spec spec = {"cuprite._HostBytes", sizeof(host_bytes), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    PyObject *type = PyType_FromModuleAndSpec(s->module, &spec, NULL);
    bool done = type && PyModule_AddObjectRef(s->module, "_HostBytes", type) == 0;
    Py_XDECREF(type);
    return done;
}
