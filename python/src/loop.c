/* LoopKernel: the base of cuprite.ElementwiseKernel and cuprite.ReductionKernel. This file has the object, its
 * signatures and the parsing of a call's arguments. */
#include "loop.h"
#include "ufunc.h"
#include "rows.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

static bool fail(PyObject *type, const char *text) { return PyErr_SetString(type, text), false; }

/* --- arguments --- */
static bool is_number(PyObject *o)
{
    return PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o) || cpy_is_generic(o);
}

/* What is said of an array that need not be there, (type, shape, strides, device, address modulo 16): an array over no
 * memory. */
static bool take_description(loop_call *c, int i, PyObject *o)
{
    PyObject *name, *shape, *strides;
    cpy_ints dims, steps;
    int device, offset;
    cp_type type;
    if (!PyArg_ParseTuple(o, "OOOii", &name, &shape, &strides, &device, &offset) ||
        !cpy_type(name, CP_DEFAULT, &type) ||
        !cpy_shape(shape, &dims) || !cpy_ints_arg(strides, &steps))
        return false;
    if (steps.n != dims.n) return fail(PyExc_ValueError, "a stride for each axis");
    c->x[i] = cp_from_memory((char *)LOOP_NOWHERE + (offset & 15), type, cpy_shape_of(&dims), steps.at, device, NULL,
                             NULL);
    return c->x[i] || (cpy_raise(), false);
}

static bool take_operand(loop_call *c, int i, PyObject *o)
{
    if (c->prepare && PyTuple_Check(o)) return take_description(c, i, o);
    if (c->k->may_wait && o == Py_None && i >= c->k->nin) return true; /* not given: it is made */
    c->o[i] = o;
    if (cpy_is_array(o)) return c->x[i] = cpy_hold(o), true;
    if (i >= c->k->nin) return fail(PyExc_TypeError, "Output arguments type must be cuprite.ndarray");
    if (is_number(o) || (c->x[i] = cpy_lent_array(o))) return true;
    if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "Unsupported type %R", Py_TYPE(o));
    return false;
}

static bool take_word(loop_call *c, const char *word, PyObject *v, bool *known)
{
    *known = true;
    if (strcmp(word, "stream") == 0) return true;
    if (c->k->reduction) {
        if (strcmp(word, "axis") == 0) return c->axis = v, true;
        if (strcmp(word, "keepdims") == 0) return cpy_keepdims(v, &c->keepdims);
        if (strcmp(word, "out") == 0) {
            if (v == Py_None) return true;
            if (c->o[c->k->nin]) return fail(PyExc_ValueError, "cannot specify 'out' as both a positional and keyword "
                                                               "argument");
            return take_operand(c, c->k->nin, v);
        }
    } else if (strcmp(word, "size") == 0) {
        if (v == Py_None) return true;
        if (!cpy_int64(v, &c->size)) return false;
        return c->size >= -1 || fail(PyExc_ValueError, "size must not be negative");
    } else if (strcmp(word, "block_size") == 0) {
        if (!cpy_int64(v, &c->threads)) return false;
        return c->threads > 0 || fail(PyExc_ValueError, "block_size must be greater than zero");
    }
    return *known = false, true;
}

static bool take_call(loop_call *c, PyObject *const *v, Py_ssize_t n, PyObject *names)
{
    const loop_kernel *k = c->k;
    if (n != k->nin && n != loop_operands(k)) {
        PyErr_Format(PyExc_TypeError, "Wrong number of arguments for %U", k->name);
        return false;
    }
    for (int i = 0; i < n; i++)
        if (!take_operand(c, i, v[i])) return false;
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++) {
        const char *word = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
        bool known = false;
        if (!word || !take_word(c, word, v[n + i], &known)) return false;
        if (known) continue;
        PyErr_Format(PyExc_TypeError, "Wrong arguments {%R: %R}", PyTuple_GET_ITEM(names, i), v[n + i]);
        return false;
    }
    return true;
}

/* --- signatures --- */
/* The device of the arrays, or the current one. */
static bool device_of(loop_call *c, int *device)
{
    *device = CP_NO_DEVICE;
    for (int i = 0; i < loop_operands(c->k); i++) {
        if (!c->x[i]) continue;
        int d = cp_device_of(c->x[i]);
        if (*device != CP_NO_DEVICE && d != *device) {
            PyErr_Format(PyExc_ValueError, "Array device must be same as the current device: array device = %d while "
                                           "current = %d", d, *device);
            cpy_note_error(CP_ERROR_TWO_DEVICES);
            return false;
        }
        *device = d;
    }
    if (*device == CP_NO_DEVICE) *device = cp_device_current();
    return *device != CP_NO_DEVICE || (cpy_raise(), false);
}

/* The names of the operands' types; None for numbers and what was not given. */
static PyObject *names_of(const loop_kernel *k, const unsigned char *key)
{
    PyObject *names = PyTuple_New(loop_operands(k));
    for (int i = 0; names && i < loop_operands(k); i++) {
        bool array = key[i] < CP_NTYPES;
        PyObject *name = array ? PyUnicode_FromString(cp_type_name((cp_type)key[i])) : Py_NewRef(Py_None);
        if (!name) Py_CLEAR(names);
        else PyTuple_SET_ITEM(names, i, name);
    }
    return names;
}

static bool read_types(PyObject *names, int n, cp_type *types)
{
    if (!PyTuple_Check(names) || PyTuple_GET_SIZE(names) != n) return fail(PyExc_TypeError, "a type for each operand");
    for (int i = 0; i < n; i++) {
        const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
        if (!name) return false;
        types[i] = cp_type_from_name(name);
        if (types[i] == CP_DEFAULT) return PyErr_Format(PyExc_TypeError, "Unsupported type %s", name), false;
    }
    return true;
}

static signature *new_signature(loop_kernel *k, int device, const unsigned char *key)
{
    PyObject *names = names_of(k, key), *types = NULL;
    PyObject *r = names ? PyObject_CallMethod((PyObject *)k, "_resolve", "Oi", names, device) : NULL;
    Py_XDECREF(names);
    if (!r) return NULL;
    signature *s = PyMem_Calloc(1, sizeof *s);
    int gpu;
    long long part;
    bool done = s ? PyArg_ParseTuple(r, "OpL", &types, &gpu, &part) && read_types(types, loop_operands(k), s->types)
                  : (PyErr_NoMemory(), false);
    Py_DECREF(r);
    if (!done) return PyMem_Free(s), NULL;
    s->device = device;
    s->gpu = gpu;
    s->part = part;
    memcpy(s->key, key, sizeof s->key);
    s->next = k->signatures;
    return k->signatures = s;
}

/* Numbers of a kernel that waits for its compiler, by their class: it was made for one. */
static unsigned char number_key(const loop_kernel *k, PyObject *o)
{
    if (!k->may_wait) return A_NUMBER;
    return PyFloat_CheckExact(o) ? 'f' + 0x80 : PyLong_CheckExact(o) ? 'i' + 0x80 : A_NUMBER;
}

static bool declined(loop_call *c) { return c->declined = true, false; }

static bool find_signature(loop_call *c)
{
    loop_kernel *k = c->k;
    unsigned char key[MOST_OPERANDS] = {0};
    int n = loop_operands(k), device;
    if (!device_of(c, &device)) return false;
    for (int i = 0; i < n; i++)
        key[i] = c->x[i] ? (unsigned char)cp_type_of(c->x[i]) : c->o[i] ? number_key(k, c->o[i]) : NOT_GIVEN;
    signature *s = k->signatures;
    while (s && (s->device != device || memcmp(s->key, key, (size_t)n) != 0)) s = s->next;
    if (!s && k->may_wait && !c->prepare) return declined(c);
    if (!s && !(s = new_signature(k, device, key))) return false;
    c->s = s;
    for (int i = 0; i < k->nin; i++)
        if (!c->x[i] && !cpy_number_as(c->o[i], s->types[i], &c->value[i])) return false;
    return true;
}

/* --- calls --- */
static PyObject *returned(loop_call *c)
{
    const loop_kernel *k = c->k;
    if (k->no_return) Py_RETURN_NONE;
    PyObject *const *o = c->o + k->nin;
    if (k->nout == 1 && !k->return_tuple) return Py_NewRef(o[0]);
    PyObject *r = PyTuple_New(k->nout);
    for (int i = 0; r && i < k->nout; i++) PyTuple_SET_ITEM(r, i, Py_NewRef(o[i]));
    return r;
}

static bool all_alike(const loop_call *c)
{
    const cp_array *first = NULL;
    for (int i = 0; i < loop_operands(c->k); i++) {
        const cp_array *x = c->x[i];
        if (!x) continue;
        if (!first) first = x;
        if (cp_ndim(x) != cp_ndim(first)) return false;
        if (memcmp(cp_dims(x), cp_dims(first), (size_t)cp_ndim(x) * sizeof(int64_t)) != 0) return false;
    }
    return true;
}

static bool perform(loop_call *c)
{
    if (c->k->alike && !all_alike(c)) return declined(c);
    if (!find_signature(c)) return false;
    int before = cp_device_current(), device = c->s->device;
    if (before != device && cp_device_use(device) != CP_OK) return cpy_raise(), false;
    bool done = loop_broadcast(c) && (!c->k->reduction || loop_reduce(c)) && loop_outputs(c);
    if (done && c->kept > 0) {
        loop_collapse(c);
        done = loop_run(c);
    }
    if (before != device) cp_device_use(before);
    return done;
}

static PyObject *call_or_prepare(PyObject *callable, PyObject *const *v, Py_ssize_t n, PyObject *names, bool prepare)
{
    loop_kernel *k = (loop_kernel *)callable;
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), "stream") == 0 && v[n + i] != Py_None)
            return cpy_call_in(v[n + i], callable, v, n, names, (int)i);
    if (!k->name) return PyErr_SetString(PyExc_RuntimeError, "the kernel was not initialised"), NULL;
    loop_call c; /* its strides are large, and written before they are read */
    const int all = loop_operands(k);
    c.k = k;
    for (int i = 0; i < all; i++) c.o[i] = c.made[i] = NULL, c.x[i] = NULL;
    c.size = -1, c.threads = 0, c.axis = NULL, c.keepdims = false;
    c.prepare = prepare, c.declined = c.served = false, c.wide = 1;
    bool done = take_call(&c, v, n, names) && perform(&c);
    PyObject *r = NULL;
    if (c.declined) r = Py_NewRef(Py_NotImplemented);
    else if (done) r = prepare ? Py_NewRef(Py_None) : returned(&c);
    for (int i = 0; i < all; i++) {
        if (c.x[i]) cpy_drop(c.o[i], c.x[i]);
        Py_XDECREF(c.made[i]);
    }
    return r;
}

static PyObject *call(PyObject *callable, PyObject *const *v, Py_ssize_t n, PyObject *names)
{
    return call_or_prepare(callable, v, n, names, false);
}

/* Are the call's results all that is written? Then its arrays may be copied to one device. */
static bool returns_all(const loop_kernel *k)
{
    bool raw = false;
    for (int i = 0; i < k->nin + k->nout; i++) raw = raw || k->raw[i];
    return !raw && !k->no_return;
}

static PyObject *loop_kernel_call(PyObject *callable, PyObject *const *v, size_t flagged, PyObject *names)
{
    const Py_ssize_t n = PyVectorcall_NARGS(flagged);
    PyObject *r = call(callable, v, n, names);
    if (r) return r;
    if (!cpy_on_two_devices())
        return ((loop_kernel *)callable)->reduction ? NULL : cpy_overridden(callable, v, n, names);
    return returns_all((loop_kernel *)callable) ? cpy_call_together(call, callable, v, n, names, false) : NULL;
}

static PyObject *loop_prepare(PyObject *callable, PyObject *const *v, Py_ssize_t n)
{
    return call_or_prepare(callable, v, n, NULL, true);
}

/* --- the object --- */
static PyObject *loop_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    (void)args, (void)kw;
    loop_kernel *o = (loop_kernel *)type->tp_alloc(type, 0);
    if (o) o->call = loop_kernel_call;
    return (PyObject *)o;
}

static void forget(loop_kernel *k)
{
    signature *s = k->signatures;
    k->signatures = NULL;
    while (s) {
        signature *next = s->next;
        for (variant *v = s->variants; v;) {
            variant *after = v->next;
            Py_XDECREF(v->first);
            Py_XDECREF(v->second);
            PyMem_Free(v);
            v = after;
        }
        Py_XDECREF(s->engine);
        PyMem_Free(s);
        s = next;
    }
}

static PyObject *loop_declare(PyObject *o, PyObject *args)
{
    loop_kernel *k = (loop_kernel *)o;
    const char *raw;
    Py_ssize_t n;
    int nin, nout, reduction, no_return, return_tuple, reduce_dims, has_identity;
    PyObject *name;
    if (!PyArg_ParseTuple(args, "Uy#iippppp:_declare", &name, &raw, &n, &nin, &nout, &reduction, &no_return,
                          &return_tuple, &reduce_dims, &has_identity))
        return NULL;
    if (n > MOST_OPERANDS) return PyErr_Format(PyExc_ValueError, "more than %d parameters", MOST_OPERANDS);
    if (k->name || n != nin + nout) return PyErr_Format(PyExc_RuntimeError, "a kernel is declared once");
    for (int i = 0; i < n; i++) k->raw[i] = raw[i] != 0;
    k->nin = nin, k->nout = nout;
    k->reduction = reduction, k->no_return = no_return, k->return_tuple = return_tuple;
    k->reduce_dims = reduce_dims, k->has_identity = has_identity;
    k->name = Py_NewRef(name);
    Py_RETURN_NONE;
}

/* Kernels refer to nothing but their type, and names to nothing at all: no circle goes through them. */
static int loop_traverse(PyObject *o, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(o));
    return 0;
}

static void loop_dealloc(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);
    PyObject_GC_UnTrack(o);
    forget((loop_kernel *)o);
    Py_CLEAR(((loop_kernel *)o)->name);
    type->tp_free(o);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"_declare", loop_declare, METH_VARARGS,
     "_declare($self, name, raw, nin, nout, reduction, no_return, return_tuple, reduce_dims, has_identity, /)\n--\n\n"
     "Says what the kernel's parameters are; once."},
    {"_prepare", (PyCFunction)(void (*)(void))loop_prepare, METH_FASTCALL,
     "_prepare($self, /, *args)\n--\n\nCompiles what a call with these arguments needs, and runs nothing. Arrays are "
     "described: (type, shape, strides, device, address modulo 16)."},
    {"_make", loop_make, METH_VARARGS,
     "_make($self, device, types, layout, /)\n--\n\nCompiles what a call was done without, as it was passed to "
     "_later."},
    {NULL},
};

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(loop_kernel, call), READONLY, NULL},
    {"_may_wait", T_BOOL, offsetof(loop_kernel, may_wait), 0, NULL},
    {"_alike", T_BOOL, offsetof(loop_kernel, alike), 0, NULL},
    {"_copies", T_BOOL, offsetof(loop_kernel, copies), 0, NULL},
    {"_direct", T_BOOL, offsetof(loop_kernel, direct), 0, NULL},
    {"_wide", T_BOOL, offsetof(loop_kernel, wide), 0, NULL},
    {"_single", T_BOOL, offsetof(loop_kernel, single), 0, NULL},
    {NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "A kernel over the elements of broadcast operands, which asks _resolve and _build for its kernels."},
    {Py_tp_new, loop_new},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_dealloc, loop_dealloc},
    {Py_tp_traverse, loop_traverse},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {0, NULL},
};

static PyType_Spec spec = {"cuprite._core._LoopKernel", sizeof(loop_kernel), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC |
                               Py_TPFLAGS_BASETYPE, slots};

bool cpy_loops_init(cpy_state *s)
{
    s->loop_kernel = (PyTypeObject *)PyType_FromModuleAndSpec(s->module, &spec, NULL);
    return s->loop_kernel && PyModule_AddObjectRef(s->module, "_LoopKernel", (PyObject *)s->loop_kernel) == 0;
}
