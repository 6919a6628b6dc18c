/* DLPack in Python: capsules, streams, and the protocol between producer and consumer.
 *
 * Invariants: a capsule that was not consumed frees its tensor on destruction. A consumed one is renamed, so consuming
 * it again is an error. On a GPU the host never waits: the consumer's stream waits for ours by an event. */
#include "dlpack_rows.h"

#include "dlpack/dlpack.h"

static const char new_name[] = "dltensor_versioned", old_name[] = "dltensor";

/* --- capsules --- */

static void end_new(PyObject *capsule)
{
    if (!PyCapsule_IsValid(capsule, new_name)) return; /* taken */
    struct DLManagedTensorVersioned *m = PyCapsule_GetPointer(capsule, new_name);
    CPY_RUN(0, if (m->deleter) m->deleter(m));
}

static void end_old(PyObject *capsule)
{
    if (!PyCapsule_IsValid(capsule, old_name)) return;
    struct DLManagedTensor *m = PyCapsule_GetPointer(capsule, old_name);
    CPY_RUN(0, if (m->deleter) m->deleter(m));
}

static PyObject *new_capsule(cp_array *x, bool copied)
{
    struct DLManagedTensorVersioned *m;
    CPY_RUN(0, m = copied ? cp_to_dlpack_copied(x) : cp_to_dlpack(x));
    if (!m) return cpy_raise();
    PyObject *capsule = PyCapsule_New(m, new_name, end_new);
    if (!capsule) CPY_RUN(0, m->deleter(m));
    return capsule;
}

static PyObject *old_capsule(cp_array *x)
{
    struct DLManagedTensor *m;
    CPY_RUN(0, m = cp_to_dlpack_old(x));
    if (!m) return cpy_raise();
    PyObject *capsule = PyCapsule_New(m, old_name, end_old);
    if (!capsule) CPY_RUN(0, m->deleter(m));
    return capsule;
}

/* The array of a capsule, which is taken; *copied says whether nobody else has its memory. It is renamed before another
 * thread may run, and gets its name back when no array came of it. */
static cp_array *take_capsule(PyObject *capsule, bool *copied, bool *versioned)
{
    cp_array *x;
    *copied = false;
    *versioned = PyCapsule_IsValid(capsule, new_name);
    void *tensor = PyCapsule_GetPointer(capsule, *versioned ? new_name : old_name); /* NULL: another, or taken */
    if (!tensor) return NULL;
    PyCapsule_SetName(capsule, *versioned ? "used_dltensor_versioned" : "used_dltensor");
    if (*versioned) {
        *copied = ((struct DLManagedTensorVersioned *)tensor)->flags & CPI_DL_COPIED;
        x = CPY_MADE(cp_from_dlpack(tensor));
    } else {
        x = CPY_MADE(cp_from_dlpack_old(tensor));
    }
    if (x) return x;
    PyCapsule_SetName(capsule, *versioned ? new_name : old_name);
    return cpy_raise(), NULL;
}

/* --- what is asked of an array --- */

/* A pair of numbers in a tuple; `what` is the error where it is none. */
static bool take_pair(PyObject *o, const char *what, int *first, int *second)
{
    if (!PyTuple_Check(o)) {
        PyErr_SetString(PyExc_TypeError, what);
        return false;
    }
    return PyArg_ParseTuple(o, "ii", first, second);
}

/* Capsules with a version are for consumers that declare version 1. */
static bool knows_versions(PyObject *o, bool *known)
{
    int major, minor;
    *known = false;
    if (!cpy_given(o)) return true;
    if (!PyTuple_Check(o) || PyTuple_GET_SIZE(o) != 2) {
        PyErr_SetString(PyExc_TypeError, "max_version must be None or a tuple with two elements.");
        return false;
    }
    if (!take_pair(o, "", &major, &minor)) return false;
    return *known = major >= CPI_DL_MAJOR, true;
}

/* The stream of a number of DLPack's; *s NULL: nothing is to be put in order. On the CPU all is done already. */
static bool consumer_stream(PyObject *o, cp_array *x, cp_stream **s, bool *made)
{
    const int device = cp_device_of(x);
    *s = NULL;
    *made = false;
    long long number = cpy_given(o) ? PyLong_AsLongLong(o) : 1; /* None is the null stream */
    if (number == -1 && PyErr_Occurred()) return false;
    if (number < -1 || (number == 0 && device >= 0)) {
        PyErr_Format(PyExc_ValueError, "__dlpack__: %lld is no stream: -1, 1, 2 or a handle is one", number);
        return false;
    }
    if (device == CP_CPU || number == -1) return true;
    if (number == 1) CPY_RUN(0, *s = cp_stream_null(device));
    else if (number == 2) CPY_RUN(0, *s = cp_stream_per_thread(device));
    else CPY_RUN(0, *s = cp_stream_external(device, (void *)(uintptr_t)number));
    *made = *s && number > 2;
    return *s || cpy_raise();
}

static bool hand_over(cp_array *x, PyObject *stream)
{
    cp_stream *s;
    bool made;
    cp_code code = CP_OK;
    if (!consumer_stream(stream, x, &s, &made)) return false;
    if (s) CPY_RUN(0, code = cp_dlpack_hand_over(x, s));
    if (made) CPY_RUN(0, cp_stream_free(s));
    return code == CP_OK || cpy_raise();
}

/* Whether x is requested on another device. That can only be the host, and is a copy. */
static bool asked_elsewhere(PyObject *dl_device, const cp_array *x, bool *elsewhere)
{
    int type, number, own_type, own_number;
    *elsewhere = false;
    if (!cpy_given(dl_device)) return true;
    if (!take_pair(dl_device, "dl_device must be a tuple", &type, &number)) return false;
    if (cp_dlpack_device(x, &own_type, &own_number) != CP_OK) return cpy_raise();
    if (type == own_type && number == own_number) return true;
    *elsewhere = type == CPI_DL_CPU && number == 0;
    if (!*elsewhere) PyErr_SetString(PyExc_BufferError, "unsupported device requested");
    return *elsewhere;
}

/*: method("__dlpack__",
           "a: array, *, stream: object = None, max_version: object = None, dl_device: object = None, "
           "copy: copy = None",
           doc="""A DLPack capsule with the array's memory: for those who know version 1 (`max_version`) a versioned
one. `stream`, on a GPU: the consumer's, which is put behind the array's work: None or 1 the null stream, 2 the thread's
own, a handle, -1 none. `dl_device` (1, 0) copies to the host; BufferError for other devices, and for what DLPack cannot
say.""") */
PyObject *py_dlpack_protocol(const py_dlpack_protocol_args *v)
{
    bool known, elsewhere;
    cp_array *x = v->a, *y = NULL;
    if (!knows_versions(v->max_version, &known) || !asked_elsewhere(v->dl_device, x, &elsewhere)) return NULL;
    if (elsewhere && v->copy == CPY_COPY_NEVER)
        return PyErr_Format(PyExc_BufferError, "__dlpack__: an array of a device comes to the host by a copy");
    const bool copied = elsewhere || v->copy == CPY_COPY_ALWAYS;
    if (elsewhere) CPY_UNLOCKED(y = cp_to_device(x, CP_CPU));
    else if (copied) CPY_RUN_ON(1, &x, cp_size(x), y = cp_copy_order(x, 'K'));
    else y = cp_retain(x);
    if (!y) return cpy_raise();
    PyObject *r = NULL;
    if (hand_over(y, v->stream)) r = known ? new_capsule(y, copied) : old_capsule(y);
    cpy_free(y);
    return r;
}

/*: method("__dlpack_device__", "a: array", doc="Where the array lies, DLPack's (type, number).") */
PyObject *py_dlpack_device_protocol(const py_dlpack_device_protocol_args *v)
{
    int type, number;
    if (cp_dlpack_device(v->a, &type, &number) != CP_OK) return cpy_raise();
    return Py_BuildValue("(ii)", type, number);
}

/*: method("toDlpack", "a: array", doc="A DLPack capsule of the old kind, without a version.") */
PyObject *py_toDlpack_method(const py_toDlpack_method_args *v)
{
    return hand_over(v->a, NULL) ? old_capsule(v->a) : NULL;
}

/* --- what is asked of others --- */

/* DLPack's number of the calling thread's stream on that device. */
static PyObject *own_stream(int device)
{
    cp_stream *s;
    CPY_RUN(0, s = cp_stream_current(device));
    if (!s) return cpy_raise();
    uintptr_t handle = (uintptr_t)cp_stream_handle(s);
    return PyLong_FromUnsignedLongLong(handle ? handle : 1);
}

/* The consumer's stream where `o` lies: None on the host and where nobody says where that is. */
static PyObject *stream_for(PyObject *o, int *type, int *number)
{
    *type = CPI_DL_CPU;
    *number = 0;
    if (cpy_is_numpy_array(o) && Py_TYPE(o) == cpy_now()->numpy_array) Py_RETURN_NONE; /* always the host's */
    PyObject *pair = PyObject_CallMethod(o, "__dlpack_device__", NULL);
    if (!pair && !PyErr_ExceptionMatches(PyExc_AttributeError)) return NULL;
    if (!pair) {
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    PyObject *kind = PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2 ? PyNumber_Index(PyTuple_GET_ITEM(pair, 0))
                                                                        : NULL; /* an enumeration's, maybe */
    PyObject *place = kind ? PyNumber_Index(PyTuple_GET_ITEM(pair, 1)) : NULL;
    if (place) {
        *type = (int)PyLong_AsLong(kind);
        *number = (int)PyLong_AsLong(place);
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "__dlpack_device__ must give a tuple of two numbers");
    }
    Py_XDECREF(kind);
    Py_XDECREF(place);
    Py_DECREF(pair);
    if (PyErr_Occurred()) return NULL;
    if (cpy_is_array(o) && cp_device_of(cpy_x(o)) != CP_CPU) return own_stream(cp_device_of(cpy_x(o)));
    if (*type != CPI_DL_CUDA && *type != CPI_DL_CUDA_MANAGED) Py_RETURN_NONE;
    int device = cp_dlpack_device_of(*type, *number);
    if (device == CP_NO_DEVICE) return cpy_raise();
    if (device == CP_CPU) Py_RETURN_NONE;
    return own_stream(device);
}

/* Names and numbers of every request, made once; false: an exception stands. */
static bool ready(cpy_state *s)
{
    if (!cpy_peek(&s->dlpack_method)) cpy_publish(&s->dlpack_method, PyUnicode_InternFromString("__dlpack__"));
    if (!cpy_peek(&s->dlpack_version))
        cpy_publish(&s->dlpack_version, Py_BuildValue("(ii)", CPI_DL_MAJOR, CPI_DL_MINOR));
    if (!cpy_peek(&s->dlpack_word)) cpy_publish(&s->dlpack_word, Py_BuildValue("(s)", "max_version"));
    if (!cpy_peek(&s->dlpack_words))
        cpy_publish(&s->dlpack_words, Py_BuildValue("(ssss)", "max_version", "dl_device", "copy", "stream"));
    return s->dlpack_method && s->dlpack_version && s->dlpack_word && s->dlpack_words;
}

/* o.__dlpack__(...) in today's words; who does not know them is asked as of old. The stream is the last word, so that
 * where there is none it is left out; NumPy's arrays know what is not said. */
static PyObject *ask(PyObject *o, PyObject *stream, PyObject *dl_device, PyObject *copy)
{
    cpy_state *s = cpy_now();
    if (!s || !ready(s)) return NULL;
    const bool streams = stream != Py_None, numpys = (PyObject *)Py_TYPE(o) == (PyObject *)s->numpy_array;
    const bool plain = numpys && !streams && dl_device == Py_None && copy == Py_None;
    PyObject *words = plain     ? Py_NewRef(s->dlpack_word)
                      : streams ? Py_NewRef(s->dlpack_words)
                                : PyTuple_GetSlice(s->dlpack_words, 0, 3);
    PyObject *const given[] = {o, s->dlpack_version, dl_device, copy, stream};
    PyObject *capsule = words ? PyObject_VectorcallMethod(s->dlpack_method, given, 1, words) : NULL;
    if (words && !capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        Py_SETREF(words, streams ? PyTuple_GetSlice(s->dlpack_words, 3, 4) : NULL);
        if (words || !streams)
            capsule = PyObject_VectorcallMethod(s->dlpack_method, (PyObject *const[]){o, stream}, 1, words);
    }
    Py_XDECREF(words);
    return capsule;
}

/* x, which is given up, where it is asked for, and nobody else's where a copy is. */
static PyObject *settle(cp_array *x, bool copied, cpy_copy copy, bool moved)
{
    const int there = moved ? cp_device_current() : cp_device_of(x);
    if (cp_device_of(x) == there && (copied || copy != CPY_COPY_ALWAYS)) return cpy_wrap(x);
    if (cp_device_of(x) != there && copy == CPY_COPY_NEVER) {
        cpy_free(x);
        return PyErr_Format(PyExc_BufferError, "from_dlpack: an array comes to another device by a copy");
    }
    cp_array *y;
    if (cp_device_of(x) != there) CPY_UNLOCKED(y = cp_to_device(x, there));
    else CPY_RUN(cp_size(x), y = cp_copy_order(x, 'K'));
    cpy_free(x);
    return cpy_wrap(y);
}

/* A capsule has been asked for already: it is taken as it is, as CuPy's from_dlpack takes it. */
static PyObject *from_capsule(const py_from_dlpack_args *v)
{
    bool copied, versioned;
    cp_array *x = take_capsule(v->x, &copied, &versioned);
    return x ? settle(x, copied, v->copy, v->device.moved) : NULL;
}

/*: function("from_dlpack", "x: object, /, *, device: device = None, copy: copy = None",
             doc="""An array over the memory of another library's, by its __dlpack__: nothing is copied where it lies on
`device` (None: on any) and `copy` is not True. BufferError where copy=False cannot be kept.""") */
PyObject *py_from_dlpack(const py_from_dlpack_args *v)
{
    int type, number;
    bool copied, versioned;
    if (PyCapsule_CheckExact(v->x)) return from_capsule(v);
    const bool ours = Py_TYPE(v->x) == cpy_now()->array && cp_device_of(cpy_x(v->x)) == CP_CPU; /* nothing to order */
    if (ours && !v->device.moved && v->copy != CPY_COPY_ALWAYS) return cpy_wrap(cp_slice(cpy_x(v->x), 1, &CP_ELLIPSIS));
    PyObject *const asked[] = {[CPY_COPY_IF_NEEDED] = Py_None, [CPY_COPY_ALWAYS] = Py_True,
                               [CPY_COPY_NEVER] = Py_False};
    PyObject *stream = stream_for(v->x, &type, &number);
    const bool to_host = v->device.moved && cp_device_current() == CP_CPU && type != CPI_DL_CPU;
    PyObject *where = !stream ? NULL : to_host ? Py_BuildValue("(ii)", CPI_DL_CPU, 0) : Py_NewRef(Py_None);
    PyObject *capsule = where ? ask(v->x, stream, where, asked[v->copy]) : NULL;
    Py_XDECREF(stream);
    Py_XDECREF(where);
    cp_array *x = capsule ? take_capsule(capsule, &copied, &versioned) : NULL;
    Py_XDECREF(capsule);
    if (!x) return NULL;
    /* NumPy's rule: what cannot say that it is read-only is taken for it, on the host. */
    if (!versioned && cp_device_of(x) == CP_CPU) cp_set_writable(x, false);
    return settle(x, copied, v->copy, v->device.moved);
}

/*: function("fromDlpack", "dltensor: object",
             doc="An array of a DLPack capsule, which can be taken once.") */
PyObject *py_fromDlpack(const py_fromDlpack_args *v)
{
    bool copied, versioned;
    if (!PyCapsule_CheckExact(v->dltensor))
        return PyErr_Format(PyExc_TypeError, "fromDlpack takes a DLPack capsule, not %R",
                            (PyObject *)Py_TYPE(v->dltensor));
    cp_array *x = take_capsule(v->dltensor, &copied, &versioned);
    return x ? cpy_wrap(x) : NULL;
}
