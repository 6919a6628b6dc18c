/* Modules and kernels of the user's own CUDA C++ in Python, and the way of a launch: objects become cp_argument, other
 * Python threads run while it is issued.
 *
 * A Kernel belongs to one device. A LazyKernel is what cuprite.RawKernel is made of: it keeps a Kernel for each device
 * that it was called on, and asks its method _on(device) for those that it has not. A launch holds the arrays that it
 * is given: another thread may give their objects other shapes meanwhile. */
#include "kernel.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

enum { KNOWN_DEVICES = 8 };

/* What is no extent becomes one that no launch takes, so that the error is the driver's. */
static bool take_extent(PyObject *o, uint32_t *v)
{
    int64_t wide;
    if (!cpy_clamped_int64(o, &wide)) return false;
    *v = wide < 0 || wide > UINT32_MAX ? UINT32_MAX : (uint32_t)wide;
    return true;
}

static bool take_dim3(PyObject *o, const char *what, cp_dim3 *d)
{
    uint32_t v[3] = {1, 1, 1};
    bool done = true;
    if (!PyTuple_Check(o) && !PyList_Check(o)) {
        done = take_extent(o, &v[0]);
    } else {
        PyObject *s = PySequence_Tuple(o);
        if (!s) return false;
        Py_ssize_t n = PyTuple_GET_SIZE(s);
        if (n < 1 || n > 3) {
            PyErr_Format(PyExc_ValueError, "%s must be a tuple of 1 to 3 integers, not of %zd", what, n);
            done = false;
        }
        for (Py_ssize_t i = 0; done && i < n; i++) done = take_extent(PyTuple_GET_ITEM(s, i), &v[i]);
        Py_DECREF(s);
    }
    *d = (cp_dim3){v[0], v[1], v[2]};
    return done;
}

/* --- calls --- */
typedef struct launch {
    PyObject *grid, *block, *args, *stream;
    int64_t shared;
    bool cooperative;
} launch;

static bool take_launch_word(PyObject *name, PyObject *v, launch *l)
{
    const char *word = PyUnicode_AsUTF8(name);
    if (!word) return false;
    if (strcmp(word, "shared_mem") == 0) return cpy_int64(v, &l->shared);
    if (strcmp(word, "cooperative") == 0 || strcmp(word, "enable_cooperative_groups") == 0)
        return cpy_bool(v, false, &l->cooperative);
    PyObject **object = strcmp(word, "stream") == 0  ? &l->stream
                        : strcmp(word, "grid") == 0  ? &l->grid
                        : strcmp(word, "block") == 0 ? &l->block
                        : strcmp(word, "args") == 0  ? &l->args
                                                     : NULL;
    if (!object || (*object && object != &l->stream)) {
        PyErr_Format(PyExc_TypeError, object ? "a kernel got multiple values for argument '%U'"
                                             : "a kernel got an unexpected keyword argument '%U'", name);
        return false;
    }
    *object = v;
    return true;
}

static bool take_launch(PyObject *const *v, Py_ssize_t n, PyObject *names, launch *l)
{
    if (n > 4) {
        PyErr_Format(PyExc_TypeError, "a kernel takes at most 4 positional arguments (%zd given): grid, block, args, "
                                      "shared_mem", n);
        return false;
    }
    PyObject **positional[] = {&l->grid, &l->block, &l->args};
    for (Py_ssize_t i = 0; i < n && i < 3; i++) *positional[i] = v[i];
    if (n == 4 && !cpy_int64(v[3], &l->shared)) return false;
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++)
        if (!take_launch_word(PyTuple_GET_ITEM(names, i), v[n + i], l)) return false;
    if (l->grid && l->block && l->args) return true;
    PyErr_SetString(PyExc_TypeError, "a kernel is called with grid, block and args: kernel((blocks,), (threads,), "
                                     "(a, b, n))");
    return false;
}

static PyObject *run_launch(cp_kernel *k, const launch *l)
{
    cp_dim3 grid, block;
    if (!take_dim3(l->grid, "grid", &grid) || !take_dim3(l->block, "block", &block)) return NULL;
    PyObject *args = PySequence_Tuple(l->args); /* the tuple itself where it is one */
    if (!args) return NULL;
    cpy_launch_arguments g;
    cp_code code = CP_OK;
    bool done = cpy_take_arguments(&g, &PyTuple_GET_ITEM(args, 0), PyTuple_GET_SIZE(args));
    if (done) {
        cp_launch_options options = {.shared = l->shared, .cooperative = l->cooperative};
        CPY_UNLOCKED(code = cp_kernel_launch(k, grid, block, g.n, g.at, &options));
    }
    cpy_drop_arguments(&g);
    Py_DECREF(args);
    return done ? cpy_none(code) : NULL;
}

PyObject *cpy_call_in(PyObject *stream, PyObject *f, PyObject *const *v, Py_ssize_t n, PyObject *names, int without)
{
    PyObject *module = PyImport_ImportModule("cuprite._compiler.kernels");
    PyObject *call = module ? PyObject_GetAttrString(module, "call_in") : NULL;
    PyObject *args = PyTuple_New(n), *words = PyDict_New(), *r = NULL;
    bool done = call && args && words;
    for (Py_ssize_t i = 0; done && i < n; i++) PyTuple_SET_ITEM(args, i, Py_NewRef(v[i]));
    for (Py_ssize_t i = 0; done && names && i < PyTuple_GET_SIZE(names); i++)
        if (i != without) done = PyDict_SetItem(words, PyTuple_GET_ITEM(names, i), v[n + i]) == 0;
    if (done) r = PyObject_CallFunctionObjArgs(call, stream, f, args, words, NULL);
    Py_XDECREF(module);
    Py_XDECREF(call);
    Py_XDECREF(args);
    Py_XDECREF(words);
    return r;
}

/* Where among `names` the word stands; -1: nowhere. */
static int position_of(PyObject *names, const char *word)
{
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), word) == 0) return (int)i;
    return -1;
}

static PyObject *kernel_call(PyObject *self, PyObject *const *v, size_t flagged, PyObject *names)
{
    launch l = {0};
    Py_ssize_t n = PyVectorcall_NARGS(flagged);
    if (!take_launch(v, n, names, &l)) return NULL;
    if (cpy_given(l.stream)) return cpy_call_in(l.stream, self, v, n, names, position_of(names, "stream"));
    return run_launch(((cpy_kernel *)self)->kernel, &l);
}

/* --- Kernel --- */
static PyObject *wrap_kernel(cp_kernel *k)
{
    if (!k) return cpy_raise();
    PyTypeObject *type = cpy_now()->kernel;
    cpy_kernel *o = (cpy_kernel *)type->tp_alloc(type, 0);
    if (!o) {
        CPY_RUN(0, cp_kernel_free(k));
        return NULL;
    }
    o->call = kernel_call;
    o->kernel = k;
    return (PyObject *)o;
}

bool cpy_is_kernel(PyObject *o) { return Py_TYPE(o) == cpy_now()->kernel; }

static void kernel_dealloc(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);
    if (((cpy_kernel *)o)->weak) PyObject_ClearWeakRefs(o);
    CPY_RUN(0, cp_kernel_free(((cpy_kernel *)o)->kernel)); /* the last of a module's unloads it */
    type->tp_free(o);
    Py_DECREF(type);
}

static PyObject *kernel_name(PyObject *o, void *u)
{
    (void)u;
    return PyUnicode_FromString(cp_kernel_name(((cpy_kernel *)o)->kernel));
}

static PyObject *kernel_tier(PyObject *o, void *u)
{
    (void)u;
    return PyUnicode_FromString(cp_kernel_tier(((cpy_kernel *)o)->kernel));
}

static const char *const attribute_names[] = {
#define X(NAME) #NAME,
    CP_KERNEL_ATTRIBUTES(X)
#undef X
};

static int attribute_of(PyObject *name)
{
    for (int i = 0; PyUnicode_Check(name) && i < CP_KERNEL_NATTRIBUTES; i++) {
        const char *word = PyUnicode_AsUTF8(name);
        if (word && strcasecmp(word, attribute_names[i]) == 0) return i;
    }
    PyErr_Format(PyExc_KeyError, "%R", name);
    return -1;
}

static PyObject *kernel_get(PyObject *o, PyObject *name)
{
    int a = attribute_of(name), value;
    if (a < 0) return NULL;
    cp_code code;
    CPY_RUN(0, code = cp_kernel_get(((cpy_kernel *)o)->kernel, (cp_kernel_attribute)a, &value));
    return code == CP_OK ? PyLong_FromLong(value) : cpy_raise();
}

static PyObject *kernel_set(PyObject *o, PyObject *args)
{
    PyObject *name;
    int value;
    if (!PyArg_ParseTuple(args, "Oi:set", &name, &value)) return NULL;
    int a = attribute_of(name);
    cp_code code;
    if (a < 0) return NULL;
    CPY_RUN(0, code = cp_kernel_set(((cpy_kernel *)o)->kernel, (cp_kernel_attribute)a, value));
    return cpy_none(code);
}

static PyGetSetDef kernel_attributes[] = {
    {"name", kernel_name, NULL, "The kernel's name.", NULL},
    {"tier", kernel_tier, NULL, "How it is run: 'loop', 'regions' or 'fibers' on the CPU, 'gpu'.", NULL},
    {NULL},
};

static PyMethodDef kernel_methods[] = {
    {"get", kernel_get, METH_O, "get($self, name, /)\n--\n\nAn attribute by CUDA's name, as 'num_regs'."},
    {"set", kernel_set, METH_VARARGS, "set($self, name, value, /)\n--\n\nSets an attribute that can be set."},
    {NULL},
};

static PyMemberDef kernel_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(cpy_kernel, call), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(cpy_kernel, weak), READONLY, NULL},
    {NULL},
};

static PyType_Slot kernel_slots[] = {
    {Py_tp_doc, "A kernel of one device, to be called as kernel(grid, block, args, shared_mem=0, cooperative=False)."},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_dealloc, kernel_dealloc},
    {Py_tp_getset, kernel_attributes},
    {Py_tp_members, kernel_members},
    {Py_tp_methods, kernel_methods},
    {0, NULL},
};

static PyType_Spec kernel_spec = {"cuprite._core._Kernel", sizeof(cpy_kernel), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE |
                                      Py_TPFLAGS_DISALLOW_INSTANTIATION, kernel_slots};

/* --- Module --- */
typedef struct module_object {
    PyObject_HEAD
    cp_module *module; /* owned */
} module_object;

/* A string as C's, which ends at the first 0: one with a 0 in it would be taken for another. */
static const char *string_of(PyObject *o)
{
    Py_ssize_t n;
    if (!PyUnicode_Check(o)) return PyErr_Format(PyExc_TypeError, "a str is needed, not %R", Py_TYPE(o)), NULL;
    const char *text = PyUnicode_AsUTF8AndSize(o, &n);
    if (text && strlen(text) != (size_t)n) return PyErr_SetString(PyExc_ValueError, "embedded null character"), NULL;
    return text;
}

/* A sequence of strings as C's; what they point into is held by *list. PyMem_Free ends the array. */
static const char **strings(PyObject *o, PyObject **list, int *n)
{
    *list = PySequence_Tuple(o);
    if (!*list) return NULL;
    *n = (int)PyTuple_GET_SIZE(*list);
    const char **at = PyMem_Malloc(sizeof *at * (size_t)(*n + 1));
    if (!at) return (const char **)PyErr_NoMemory();
    for (int i = 0; i < *n; i++)
        if (!(at[i] = string_of(PyTuple_GET_ITEM(*list, i)))) return PyMem_Free(at), NULL;
    return at;
}

static PyObject *wrap_module(PyTypeObject *type, cp_module *m)
{
    if (!m) return cpy_raise();
    module_object *o = (module_object *)type->tp_alloc(type, 0);
    if (!o) {
        CPY_RUN(0, cp_module_free(m));
        return NULL;
    }
    o->module = m;
    return (PyObject *)o;
}

static PyObject *module_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    static char *words[] = {"source", "options", "names", NULL};
    const char *source;
    PyObject *options = NULL, *names = NULL, *held[2] = {NULL, NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kw, "s|OO:Module", words, &source, &options, &names)) return NULL;
    cp_module_options given = {0};
    const char **o = NULL, **t = NULL;
    bool done = (!options || (o = strings(options, &held[0], &given.noptions))) &&
                (!names || (t = strings(names, &held[1], &given.nnames)));
    cp_module *m = NULL;
    if (done) {
        given.options = o;
        given.names = t;
        CPY_UNLOCKED(m = (cp_module_compile)(source, &given));
    }
    PyMem_Free((void *)o);
    PyMem_Free((void *)t);
    Py_XDECREF(held[0]);
    Py_XDECREF(held[1]);
    return done ? wrap_module(type, m) : NULL;
}

static PyObject *module_load(PyObject *type, PyObject *image)
{
    Py_buffer b;
    if (PyObject_GetBuffer(image, &b, PyBUF_SIMPLE) < 0) return NULL;
    cp_module *m;
    CPY_UNLOCKED(m = cp_module_load(b.buf, b.len));
    PyBuffer_Release(&b);
    return wrap_module((PyTypeObject *)type, m);
}

static PyObject *module_kernel(PyObject *o, PyObject *name)
{
    const char *text = string_of(name);
    cp_kernel *k;
    if (!text) return NULL;
    CPY_RUN(0, k = cp_module_kernel(((module_object *)o)->module, text));
    return wrap_kernel(k);
}

static PyObject *module_global(PyObject *o, PyObject *name)
{
    const char *text = string_of(name);
    void *address;
    int64_t bytes;
    if (!text) return NULL;
    cp_code code;
    CPY_RUN(0, code = cp_module_global(((module_object *)o)->module, text, &address, &bytes));
    if (code != CP_OK) return cpy_raise();
    return Py_BuildValue("(NL)", PyLong_FromVoidPtr(address), (long long)bytes);
}

static PyObject *module_device(PyObject *o, void *u)
{
    (void)u;
    return PyLong_FromLong(cp_module_device(((module_object *)o)->module));
}

static void module_dealloc(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);
    CPY_RUN(0, cp_module_free(((module_object *)o)->module));
    type->tp_free(o);
    Py_DECREF(type);
}

static PyMethodDef module_methods[] = {
    {"load", module_load, METH_O | METH_CLASS, "load(image, /)\n--\n\nA module of cubin, fatbin or PTX."},
    {"kernel", module_kernel, METH_O, "kernel($self, name, /)\n--\n\nThe kernel of that name."},
    {"global_", module_global, METH_O,
     "global_($self, name, /)\n--\n\nAddress and bytes of a __device__ or __constant__ variable."},
    {NULL},
};

static PyGetSetDef module_attributes[] = {
    {"device", module_device, NULL, "Number of the device it was compiled for.", NULL},
    {NULL},
};

static PyType_Slot module_slots[] = {
    {Py_tp_doc, "Module(source, options=(), names=())\n--\n\nCUDA C++ compiled for the current device."},
    {Py_tp_new, module_new},
    {Py_tp_dealloc, module_dealloc},
    {Py_tp_methods, module_methods},
    {Py_tp_getset, module_attributes},
    {0, NULL},
};

static PyType_Spec module_spec = {"cuprite._core._Module", sizeof(module_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, module_slots};

/* --- LazyKernel --- */
typedef struct lazy_kernel {
    PyObject_HEAD
    vectorcallfunc call;
    int n;
    bool cooperative;
    struct { int device; PyObject *kernel; } known[KNOWN_DEVICES];
} lazy_kernel;

/* The kernel of the current device: a new reference. */
static PyObject *lazy_on(lazy_kernel *self)
{
    int device = cp_device_current();
    if (device == CP_NO_DEVICE) return cpy_raise();
    for (int i = 0; i < self->n; i++)
        if (self->known[i].device == device) return Py_NewRef(self->known[i].kernel);
    PyObject *k = PyObject_CallMethod((PyObject *)self, "_on", "i", device);
    if (k && !cpy_is_kernel(k)) {
        PyErr_SetString(PyExc_TypeError, "_on must return a Kernel");
        Py_CLEAR(k);
    }
    for (int i = 0; k && i < self->n; i++)
        if (self->known[i].device == device) return k; /* another thread was here meanwhile */
    if (k && self->n < KNOWN_DEVICES) {
        self->known[self->n].device = device;
        self->known[self->n++].kernel = Py_NewRef(k);
    }
    return k;
}

static PyObject *lazy_call(PyObject *callable, PyObject *const *v, size_t flagged, PyObject *names)
{
    lazy_kernel *self = (lazy_kernel *)callable;
    launch l = {.cooperative = self->cooperative};
    Py_ssize_t n = PyVectorcall_NARGS(flagged);
    if (!take_launch(v, n, names, &l)) return NULL;
    if (cpy_given(l.stream)) return cpy_call_in(l.stream, callable, v, n, names, position_of(names, "stream"));
    PyObject *k = lazy_on(self);
    PyObject *r = k ? run_launch(((cpy_kernel *)k)->kernel, &l) : NULL;
    Py_XDECREF(k);
    return r;
}

static PyObject *lazy_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    (void)args, (void)kw;
    lazy_kernel *o = (lazy_kernel *)type->tp_alloc(type, 0);
    if (o) o->call = lazy_call;
    return (PyObject *)o;
}

static int lazy_clear(PyObject *o)
{
    lazy_kernel *self = (lazy_kernel *)o;
    while (self->n) {
        self->n--; /* not in what follows, which reads its argument twice */
        Py_CLEAR(self->known[self->n].kernel);
    }
    return 0;
}

static int lazy_traverse(PyObject *o, visitproc visit, void *arg)
{
    lazy_kernel *self = (lazy_kernel *)o;
    Py_VISIT(Py_TYPE(o));
    for (int i = 0; i < self->n; i++) Py_VISIT(self->known[i].kernel);
    return 0;
}

static void lazy_dealloc(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);
    PyObject_GC_UnTrack(o);
    lazy_clear(o);
    type->tp_free(o);
    Py_DECREF(type);
}

static PyObject *lazy_current(PyObject *o, PyObject *u) { (void)u; return lazy_on((lazy_kernel *)o); }
static PyObject *lazy_forget(PyObject *o, PyObject *u) { (void)u; lazy_clear(o); Py_RETURN_NONE; }

static PyMethodDef lazy_methods[] = {
    {"_current", lazy_current, METH_NOARGS, "_current($self, /)\n--\n\nThe kernel of the current device."},
    {"_forget", lazy_forget, METH_NOARGS, "_forget($self, /)\n--\n\nForgets the kernels of all devices."},
    {NULL},
};

static PyMemberDef lazy_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(lazy_kernel, call), READONLY, NULL},
    {"_cooperative", T_BOOL, offsetof(lazy_kernel, cooperative), 0, NULL},
    {NULL},
};

static PyType_Slot lazy_slots[] = {
    {Py_tp_doc, "A kernel of every device, which asks _on(device) for those that it has not."},
    {Py_tp_new, lazy_new},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_dealloc, lazy_dealloc},
    {Py_tp_traverse, lazy_traverse},
    {Py_tp_clear, lazy_clear},
    {Py_tp_methods, lazy_methods},
    {Py_tp_members, lazy_members},
    {0, NULL},
};

static PyType_Spec lazy_spec = {"cuprite._core._LazyKernel", sizeof(lazy_kernel), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC |
                                    Py_TPFLAGS_BASETYPE, lazy_slots};

static bool add_type(cpy_state *s, PyTypeObject **slot, PyType_Spec *spec, const char *name)
{
    *slot = (PyTypeObject *)PyType_FromModuleAndSpec(s->module, spec, NULL);
    return *slot && PyModule_AddObjectRef(s->module, name, (PyObject *)*slot) == 0;
}

bool cpy_kernels_init(cpy_state *s)
{
    return add_type(s, &s->kernel, &kernel_spec, "_Kernel") &&
           add_type(s, &s->kernel_module, &module_spec, "_Module") &&
           add_type(s, &s->lazy_kernel, &lazy_spec, "_LazyKernel");
}
