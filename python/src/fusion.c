/* The calls of fused functions: the base of cuprite._compiler.fuse.fusion.Fusion.
 *
 * A function that became one kernel, or one expression of the engine, has entries here: guards on a call's arguments,
 * guards on what the function read besides them, and what is called instead. A call that no entry fits, or that the
 * compiled form declines, goes to _slowly, a method of the Python class. Under the GIL entries are only added, or all
 * removed at once; a call holds the entry that it uses. */
#include "loop.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

enum { MOST_ARGUMENTS = 24, MOST_ENTRIES = 64 };

typedef struct entry {
    int users;             /* calls under way, and the list */
    int nargs;
    int64_t below;         /* bytes of an operand; smaller ones are the engine's, whose calls are the cheapest */
    bool whole;            /* `engine` is a function that does it all, and its errors are the call's */
    PyObject *kernel;      /* a _LoopKernel, or None */
    PyObject *engine;      /* a _Fused, or None */
    PyObject *given;       /* what kinds are made of: keeps classes */
    PyObject *operands;    /* a tuple: an argument's index, or the engine's operand itself in a tuple of one */
    PyObject *names;       /* ((dict, name, value), ...) */
    PyObject *cells;       /* ((cell, value), ...) */
    PyObject *attributes;  /* ((index, name, value), ...) */
    PyObject *shapes;      /* ((index, shape), ...) */
    int place[MOST_OPERANDS];
    uint64_t kinds[];
} entry;

typedef struct fusion {
    PyObject_HEAD
    vectorcallfunc call;
    int n;
    entry *entries[MOST_ENTRIES];
} fusion;

/* The members of a record of Python's (cuprite._compiler.fuse.records.Entry) that an entry keeps, by their names. */
static const struct { const char *name; size_t at; bool is_tuple; } KEPT[] = {
    {"kernel", offsetof(entry, kernel), false},        {"engine", offsetof(entry, engine), false},
    {"kinds", offsetof(entry, given), true},           {"operands", offsetof(entry, operands), true},
    {"names", offsetof(entry, names), true},           {"cells", offsetof(entry, cells), true},
    {"attributes", offsetof(entry, attributes), true}, {"shapes", offsetof(entry, shapes), true},
};
enum { NKEPT = sizeof KEPT / sizeof *KEPT };

static PyObject **member(const entry *e, int i)
{
    return (PyObject **)((char *)e + KEPT[i].at);
}

static void let_go(entry *e)
{
    if (--e->users) return;
    for (int i = 0; i < NKEPT; i++) Py_XDECREF(*member(e, i));
    PyMem_Free(e);
}

/* What decides on the program, in a word; false where that is Python's to say. Objects count by their class. */
enum { AN_ARRAY = 1, A_FLOAT, A_BOOL, NOTHING, AN_INT, AN_OBJECT };

static bool kind_of(PyObject *o, uint64_t *kind)
{
    uint64_t what, value = 0;
    if (cpy_is_array(o)) {
        const cp_array *x = cpy_x(o);
        what = AN_ARRAY, value = (uint64_t)cp_type_of(x) << 32 | (uint32_t)cp_device_of(x);
    } else if (PyFloat_CheckExact(o)) {
        what = A_FLOAT;
    } else if (o == Py_None) {
        what = NOTHING;
    } else if (PyBool_Check(o)) {
        what = A_BOOL, value = o == Py_True;
    } else if (PyLong_CheckExact(o)) {
        int overflow;
        long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
        if (overflow || v < -(1LL << 50) || v > 1LL << 50) return false;
        what = AN_INT, value = (uint64_t)v & ((1ULL << 56) - 1);
    } else if (PyUnicode_Check(o) || PyComplex_Check(o) || PyLong_Check(o) || PyFloat_Check(o) || cpy_is_generic(o)) {
        return false;
    } else {
        what = AN_OBJECT, value = (uint64_t)(uintptr_t)Py_TYPE(o) & ((1ULL << 56) - 1);
    }
    *kind = what << 56 | value;
    return true;
}

/* --- guards --- */
static bool names_hold(const entry *e)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(e->names); i++) {
        PyObject *g = PyTuple_GET_ITEM(e->names, i);
        if (PyDict_GetItemWithError(PyTuple_GET_ITEM(g, 0), PyTuple_GET_ITEM(g, 1)) != PyTuple_GET_ITEM(g, 2))
            return PyErr_Clear(), false;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(e->cells); i++) {
        PyObject *g = PyTuple_GET_ITEM(e->cells, i);
        if (PyCell_GET(PyTuple_GET_ITEM(g, 0)) != PyTuple_GET_ITEM(g, 1)) return false;
    }
    return true;
}

static bool attributes_hold(const entry *e, PyObject *const *v)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(e->attributes); i++) {
        PyObject *g = PyTuple_GET_ITEM(e->attributes, i), *value = PyTuple_GET_ITEM(g, 2);
        PyObject *now = PyObject_GetAttr(v[PyLong_AsLong(PyTuple_GET_ITEM(g, 0))], PyTuple_GET_ITEM(g, 1));
        bool same = now && (now == value || (Py_IS_TYPE(now, Py_TYPE(value)) &&
                                             PyObject_RichCompareBool(now, value, Py_EQ) == 1));
        Py_XDECREF(now);
        if (!same) return PyErr_Clear(), false;
    }
    return true;
}

static bool shapes_hold(const entry *e, PyObject *const *v)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(e->shapes); i++) {
        PyObject *g = PyTuple_GET_ITEM(e->shapes, i), *shape = PyTuple_GET_ITEM(g, 1);
        const cp_array *x = cpy_x(v[PyLong_AsLong(PyTuple_GET_ITEM(g, 0))]);
        if (cp_ndim(x) != PyTuple_GET_SIZE(shape)) return false;
        for (int d = 0; d < cp_ndim(x); d++)
            if (PyLong_AsLongLong(PyTuple_GET_ITEM(shape, d)) != cp_dims(x)[d]) return false;
    }
    return true;
}

static bool fits(const entry *e, PyObject *const *v, Py_ssize_t n, const uint64_t *kinds)
{
    return e->nargs == n && memcmp(e->kinds, kinds, (size_t)n * sizeof *kinds) == 0 && names_hold(e) &&
           shapes_hold(e, v) && attributes_hold(e, v);
}

/* --- calls --- */
/* Whether the operands are as small as the engine is quicker for. */
static bool are_small(int64_t below, PyObject *const *v, Py_ssize_t n)
{
    int64_t size = -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!cpy_is_array(v[i])) continue;
        const cp_array *x = cpy_x(v[i]);
        if (cp_nbytes(x) >= below) return false;
        if (cp_size(x) == 1) continue;
        if (size >= 0 && cp_size(x) != size) return false; /* together they may be large */
        size = cp_size(x);
    }
    return true;
}

static PyObject *run_entry(const entry *e, PyObject *const *v)
{
    PyObject *given[MOST_OPERANDS];
    const bool engine = e->kernel == Py_None || (e->engine != Py_None && are_small(e->below, v, e->nargs));
    int n = 0;
    for (; n < PyTuple_GET_SIZE(e->operands); n++) {
        if (e->place[n] < 0 && !engine) break; /* numbers that are operands of the engine alone */
        given[n] = e->place[n] >= 0 ? v[e->place[n]] : PyTuple_GET_ITEM(PyTuple_GET_ITEM(e->operands, n), 0);
    }
    if (engine) return PyObject_Vectorcall(e->engine, given, (size_t)n, NULL);
    return ((loop_kernel *)e->kernel)->call(e->kernel, given, (size_t)n, NULL); /* it is of a class of Python's, whose
                                                                                  calls go a longer way */
}

static PyObject *slowly(PyObject *self, PyObject *const *v, size_t flagged, PyObject *names)
{
    PyObject *f = PyObject_GetAttrString(self, "_slowly");
    PyObject *r = f ? PyObject_Vectorcall(f, v, flagged & ~PY_VECTORCALL_ARGUMENTS_OFFSET, names) : NULL;
    Py_XDECREF(f);
    return r;
}

static PyObject *fusion_call(PyObject *o, PyObject *const *v, size_t flagged, PyObject *names)
{
    fusion *self = (fusion *)o;
    const Py_ssize_t n = PyVectorcall_NARGS(flagged);
    uint64_t kinds[MOST_ARGUMENTS];
    bool known = self->n && n <= MOST_ARGUMENTS && !names;
    for (Py_ssize_t i = 0; i < n && known; i++) known = kind_of(v[i], &kinds[i]);
    for (int i = 0; known && i < self->n; i++) {
        entry *e = self->entries[i];
        e->users++;
        const bool fitting = fits(e, v, n, kinds), whole = fitting && e->whole;
        PyObject *r = fitting ? run_entry(e, v) : Py_NewRef(Py_NotImplemented);
        let_go(e);
        if (whole || (r && r != Py_NotImplemented)) return r;
        if (r) Py_DECREF(r);
        else PyErr_Clear(); /* refused: the function says it in its own words */
    }
    return slowly(o, v, flagged, names);
}

/* --- entries --- */
static bool take_operands(entry *e, PyObject *operands)
{
    for (int i = 0; i < PyTuple_GET_SIZE(operands); i++) {
        PyObject *o = PyTuple_GET_ITEM(operands, i);
        e->place[i] = PyTuple_Check(o) ? -1 : (int)PyLong_AsLong(o);
        if (PyErr_Occurred() || e->place[i] >= e->nargs) return false;
    }
    return true;
}

/* The record's members into the entry; false with an exception. */
static bool take_record(entry *e, PyObject *record)
{
    for (int i = 0; i < NKEPT; i++) {
        PyObject *value = *member(e, i) = PyObject_GetAttrString(record, KEPT[i].name);
        if (!value) return false;
        if (KEPT[i].is_tuple && !PyTuple_Check(value))
            return PyErr_Format(PyExc_TypeError, "_enter: %s must be a tuple, not %R", KEPT[i].name, value), false;
    }
    if (e->kernel != Py_None && !PyObject_TypeCheck(e->kernel, cpy_now()->loop_kernel))
        return PyErr_Format(PyExc_TypeError, "_enter: a kernel over elements is needed, not %R", e->kernel), false;
    PyObject *below = PyObject_GetAttrString(record, "below"), *whole = PyObject_GetAttrString(record, "whole");
    if (below) e->below = PyLong_AsLongLong(below);
    if (whole) e->whole = PyObject_IsTrue(whole) == 1;
    Py_XDECREF(below);
    Py_XDECREF(whole);
    return !PyErr_Occurred();
}

/* What calls of this entry are made of; false, with an exception or without, where words cannot say it. Of an array
 * the record has its type and device, as a tuple; else the argument. */
static bool take_kinds(entry *e)
{
    for (Py_ssize_t i = 0; i < e->nargs; i++) {
        PyObject *a = PyTuple_GET_ITEM(e->given, i);
        if (PyTuple_Check(a)) {
            cp_type type = CP_DEFAULT;
            int device = 0;
            PyObject *name;
            if (!PyArg_ParseTuple(a, "Oi", &name, &device) || !cpy_type(name, CP_DEFAULT, &type)) return false;
            e->kinds[i] = (uint64_t)AN_ARRAY << 56 | (uint64_t)type << 32 | (uint32_t)device;
        } else if (PyType_Check(a)) {
            e->kinds[i] = (uint64_t)AN_OBJECT << 56 | ((uint64_t)(uintptr_t)a & ((1ULL << 56) - 1));
        } else if (!kind_of(a, &e->kinds[i])) {
            return false;
        }
    }
    return true;
}

static PyObject *fusion_enter(PyObject *o, PyObject *record)
{
    fusion *self = (fusion *)o;
    PyObject *kinds = PyObject_GetAttrString(record, "kinds");
    const Py_ssize_t n = kinds ? PyObject_Length(kinds) : -1;
    Py_XDECREF(kinds);
    if (n < 0) return NULL;
    if (n > MOST_ARGUMENTS || self->n == MOST_ENTRIES) Py_RETURN_FALSE;
    entry *e = PyMem_Calloc(1, sizeof *e + (size_t)n * sizeof *e->kinds);
    if (!e) return PyErr_NoMemory();
    e->users = 1;
    e->nargs = (int)n;
    bool known = take_record(e, record) && PyTuple_GET_SIZE(e->given) == n &&
                 PyTuple_GET_SIZE(e->operands) <= MOST_OPERANDS && take_operands(e, e->operands) && take_kinds(e);
    if (!known) {
        let_go(e);
        if (PyErr_Occurred()) return NULL;
        Py_RETURN_FALSE;
    }
    self->entries[self->n++] = e;
    Py_RETURN_TRUE;
}

static void forget(fusion *self)
{
    int n = self->n;
    self->n = 0;
    entry *gone[MOST_ENTRIES]; /* what ends with them may call us */
    memcpy(gone, self->entries, (size_t)n * sizeof *gone);
    for (int i = 0; i < n; i++) let_go(gone[i]);
}

static PyObject *fusion_forget(PyObject *o, PyObject *u)
{
    (void)u;
    forget((fusion *)o);
    Py_RETURN_NONE;
}

/* --- the object --- */
static PyObject *fusion_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    (void)args, (void)kw;
    fusion *o = (fusion *)type->tp_alloc(type, 0);
    if (o) o->call = fusion_call;
    return (PyObject *)o;
}

static int fusion_traverse(PyObject *o, visitproc visit, void *arg)
{
    fusion *self = (fusion *)o;
    Py_VISIT(Py_TYPE(o));
    for (int i = 0; i < self->n; i++) {
        const entry *e = self->entries[i];
        if (e->users != 1) continue; /* a call holds it too */
        for (int k = 0; k < NKEPT; k++) Py_VISIT(*member(e, k));
    }
    return 0;
}

static int fusion_clear(PyObject *o)
{
    forget((fusion *)o);
    return 0;
}

static void fusion_dealloc(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);
    PyObject_GC_UnTrack(o);
    fusion_clear(o);
    type->tp_free(o);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"_enter", fusion_enter, METH_O,
     "_enter($self, entry, /)\n--\n\n"
     "Calls like those that the record (fuse.records.Entry) describes are the kernel's or the engine's from here on;\n"
     "false where there is no space for more of them."},
    {"_forget", fusion_forget, METH_NOARGS, "_forget($self, /)\n--\n\nForgets all of them."},
    {NULL},
};

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(fusion, call), READONLY, NULL},
    {NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "A function some of whose calls are a kernel's."},
    {Py_tp_new, fusion_new},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_dealloc, fusion_dealloc},
    {Py_tp_traverse, fusion_traverse},
    {Py_tp_clear, fusion_clear},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {0, NULL},
};

static PyType_Spec spec = {"cuprite._core._Fusion", sizeof(fusion), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC |
                               Py_TPFLAGS_BASETYPE, slots};

/* --- groups: elementwise operations within a program --- */
typedef struct group {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *kernel, *engine; /* or None */
    PyObject *more;            /* the engine's operands besides the group's */
    PyObject *otherwise;       /* what is called where neither does it: takes and gives the same */
    PyObject *outs;            /* the word, in a tuple */
    int64_t below;
    int nin, nfresh, ntargets;
    int same[MOST_OPERANDS];   /* of a target the input that it is too, or -1 */
} group;

static void bounds(const cp_array *x, intptr_t *low, intptr_t *high)
{
    *low = *high = (intptr_t)cp_data((cp_array *)x);
    for (int d = 0; d < cp_ndim(x); d++) {
        int64_t reach = (cp_dims(x)[d] - 1) * cp_strides(x)[d];
        *(reach < 0 ? low : high) += reach;
    }
    *high += (intptr_t)cp_type_size(cp_type_of(x));
}

/* Whether what is written shares no memory with anything else. */
static bool are_disjoint(const group *g, PyObject *const *v)
{
    for (int t = 0; t < g->ntargets; t++) {
        intptr_t low, high, from, to;
        bounds(cpy_x(v[g->nin + t]), &low, &high);
        for (int i = 0; i < g->nin + t; i++) {
            if (i == g->same[t] || !cpy_is_array(v[i]) || !cp_size(cpy_x(v[i]))) continue;
            bounds(cpy_x(v[i]), &from, &to);
            if (from < high && low < to) return false;
        }
    }
    return true;
}

static PyObject *by_engine(const group *g, PyObject *const *v)
{
    PyObject *given[2 * MOST_OPERANDS];
    int n = 0;
    for (; n < g->nin; n++) given[n] = v[n];
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(g->more); i++) given[n++] = PyTuple_GET_ITEM(g->more, i);
    if (!g->ntargets) return PyObject_Vectorcall(g->engine, given, (size_t)n, NULL);
    PyObject *outs = PyTuple_New(g->nfresh + g->ntargets);
    for (int i = 0; outs && i < g->nfresh + g->ntargets; i++)
        PyTuple_SET_ITEM(outs, i, Py_NewRef(i < g->nfresh ? Py_None : v[g->nin + i - g->nfresh]));
    given[n] = outs;
    PyObject *r = outs ? PyObject_Vectorcall(g->engine, given, (size_t)n, g->outs) : NULL;
    Py_XDECREF(outs);
    return r;
}

static PyObject *by_kernel(const group *g, PyObject *const *v)
{
    PyObject *given[MOST_OPERANDS];
    int n = 0;
    for (; n < g->nin; n++) given[n] = v[n];
    for (int i = 0; i < g->nfresh && g->ntargets; i++) given[n++] = Py_None;
    for (int i = 0; i < g->ntargets; i++) given[n++] = v[g->nin + i];
    return ((loop_kernel *)g->kernel)->call(g->kernel, given, (size_t)n, NULL);
}

static PyObject *group_call(PyObject *o, PyObject *const *v, size_t flagged, PyObject *names)
{
    const group *g = (group *)o;
    const Py_ssize_t n = PyVectorcall_NARGS(flagged);
    if (n != g->nin + g->ntargets || names) return PyErr_Format(PyExc_TypeError, "a group takes its operands");
    for (int i = 0; i < g->ntargets; i++)
        if (!cpy_is_array(v[g->nin + i])) return PyErr_Format(PyExc_TypeError, "a group writes to arrays");
    PyObject *r = NULL;
    if (are_disjoint(g, v)) {
        bool engine = g->engine != Py_None && (g->kernel == Py_None || are_small(g->below, v, n));
        if (engine) r = by_engine(g, v);
        else if (g->kernel != Py_None) r = by_kernel(g, v);
        if (r && r != Py_NotImplemented) return r;
        Py_XDECREF(r);
        PyErr_Clear(); /* refused: the operations say it in their own words */
    }
    return PyObject_Vectorcall(g->otherwise, v, (size_t)n, NULL);
}

static PyObject *group_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    PyObject *kernel, *engine, *more, *same, *otherwise;
    long long below;
    int nin, nfresh;
    if (kw && PyDict_GET_SIZE(kw)) return PyErr_Format(PyExc_TypeError, "_Group() takes no keyword arguments");
    if (!PyArg_ParseTuple(args, "OOLO!iiO!O:_Group", &kernel, &engine, &below, &PyTuple_Type, &more, &nin, &nfresh,
                          &PyTuple_Type, &same, &otherwise))
        return NULL;
    Py_ssize_t all = nin + nfresh + PyTuple_GET_SIZE(same) + PyTuple_GET_SIZE(more);
    if (all > MOST_OPERANDS || nin < 0 || nfresh < 0)
        return PyErr_Format(PyExc_ValueError, "more than %d operands", MOST_OPERANDS);
    if (kernel != Py_None && !PyObject_TypeCheck(kernel, cpy_now()->loop_kernel))
        return PyErr_Format(PyExc_TypeError, "_Group: a kernel over elements is needed, not %R", kernel);
    group *g = (group *)type->tp_alloc(type, 0);
    if (!g) return NULL;
    g->call = group_call;
    g->kernel = Py_NewRef(kernel), g->engine = Py_NewRef(engine), g->more = Py_NewRef(more);
    g->otherwise = Py_NewRef(otherwise);
    g->outs = Py_BuildValue("(s)", "out");
    g->below = below, g->nin = nin, g->nfresh = nfresh, g->ntargets = (int)PyTuple_GET_SIZE(same);
    for (int i = 0; i < g->ntargets; i++) g->same[i] = (int)PyLong_AsLong(PyTuple_GET_ITEM(same, i));
    if (!g->outs || PyErr_Occurred()) return Py_DECREF(g), NULL;
    return (PyObject *)g;
}

static int group_traverse(PyObject *o, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(o));
    Py_VISIT(((group *)o)->kernel);
    Py_VISIT(((group *)o)->engine);
    Py_VISIT(((group *)o)->otherwise);
    return 0;
}

static void group_dealloc(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);
    group *g = (group *)o;
    PyObject_GC_UnTrack(o);
    Py_XDECREF(g->kernel);
    Py_XDECREF(g->engine);
    Py_XDECREF(g->more);
    Py_XDECREF(g->otherwise);
    Py_XDECREF(g->outs);
    type->tp_free(o);
    Py_DECREF(type);
}

static PyMemberDef group_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(group, call), READONLY, NULL},
    {NULL},
};

static PyType_Slot group_slots[] = {
    {Py_tp_doc, "_Group(kernel, engine, below, more, nin, nfresh, same, otherwise): elementwise operations of a "
                "program, called with inputs and what is written."},
    {Py_tp_new, group_new},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_dealloc, group_dealloc},
    {Py_tp_traverse, group_traverse},
    {Py_tp_members, group_members},
    {0, NULL},
};

static PyType_Spec group_spec = {"cuprite._core._Group", sizeof(group), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC |
                                     Py_TPFLAGS_IMMUTABLETYPE, group_slots};

static bool add_type(cpy_state *s, PyType_Spec *of, const char *name)
{
    PyObject *type = PyType_FromModuleAndSpec(s->module, of, NULL);
    bool done = type && PyModule_AddObjectRef(s->module, name, type) == 0;
    Py_XDECREF(type);
    return done;
}

bool cpy_fusions_init(cpy_state *s) { return add_type(s, &spec, "_Fusion") && add_type(s, &group_spec, "_Group"); }
