/* ufunc objects, one for every row of the table of elementwise operations. */
#include "cpy.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    cp_op op;
    cp_op_info info;
} ufunc;

enum { MOST_INPUTS = 3 };

typedef struct call_options {
    cp_ufunc_options options;
    PyObject *out; /* borrowed: what the caller gave, to be returned */
    bool own_where;
} call_options;

static bool take_where(PyObject *v, call_options *c)
{
    if (v == Py_True || v == Py_None) return true;
    if (v == Py_False) {
        uint8_t no = 0;
        c->options.where = cp_scalar(CP_BOOL, &no);
        c->own_where = true;
        if (!c->options.where) cpy_raise();
        return c->options.where != NULL;
    }
    c->options.where = cpy_operand(v, NULL, &c->own_where);
    if (!c->own_where) cp_retain(c->options.where);
    c->own_where = true;
    return c->options.where != NULL;
}

static bool take_out(PyObject *v, call_options *c)
{
    if (!cpy_out(v, &c->options.out)) return false;
    if (c->options.out) c->out = PyTuple_Check(v) ? PyTuple_GET_ITEM(v, 0) : v;
    return true;
}

static bool take_keyword(ufunc *self, PyObject *name, PyObject *v, call_options *c)
{
    const char *word = PyUnicode_AsUTF8(name);
    if (!word) return false;
    if (strcmp(word, "out") == 0) {
        if (c->out) {
            PyErr_SetString(PyExc_TypeError, "cannot specify 'out' as both a positional and keyword argument");
            return false;
        }
        return take_out(v, c);
    }
    if (strcmp(word, "where") == 0) return take_where(v, c);
    if (strcmp(word, "dtype") == 0) {
        c->options.typed = v != Py_None;
        return cpy_type(v, CP_DEFAULT, &c->options.dtype);
    }
    if (strcmp(word, "casting") == 0) return cpy_casting(v, CP_SAME_KIND, &c->options.casting);
    if (strcmp(word, "order") == 0) {
        char order;
        return cpy_order(v, 'K', "CFAK", &order);
    }
    if (strcmp(word, "subok") == 0) return true;
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", self->info.name, name);
    return false;
}

static bool wrong_number(ufunc *self, Py_ssize_t n)
{
    PyErr_Format(PyExc_TypeError, "%s() takes from %d to %d positional arguments but %zd were given", self->info.name,
                 self->info.nin, self->info.nin + 1, n);
    return false;
}

/* Inputs to arrays; scalars are made temporary ones. An array among them tells huge integers what to become. */
static bool take_inputs(int nin, PyObject *const *v, cp_array **in, bool *own)
{
    cp_array *partner = NULL;
    for (int i = 0; i < nin; i++)
        if (cpy_is_array(v[i])) partner = cpy_x(v[i]);
    for (int i = 0; i < nin; i++)
        if (!(in[i] = cpy_operand(v[i], partner, &own[i]))) return false;
    for (int i = 0; i < nin; i++)
        if (!own[i]) in[i] = cpy_x(v[i]); /* reading a number may have given the array another shape */
    return true;
}

static PyObject *ufunc_call(PyObject *callable, PyObject *const *v, size_t flagged, PyObject *names)
{
    ufunc *self = (ufunc *)callable;
    Py_ssize_t n = PyVectorcall_NARGS(flagged);
    int nin = self->info.nin;
    if (n < nin || n > nin + 1) return wrong_number(self, n), NULL;
    call_options c = {0};
    cp_array *in[MOST_INPUTS] = {NULL}, *r = NULL;
    bool own[MOST_INPUTS] = {false};
    if (n > nin && !take_out(v[nin], &c)) return NULL;
    Py_ssize_t keywords = names ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t i = 0; i < keywords; i++)
        if (!take_keyword(self, PyTuple_GET_ITEM(names, i), v[n + i], &c)) goto out;
    if (!take_inputs(nin, v, in, own)) goto out;
    int64_t size = 0;
    for (int i = 0; i < nin; i++) size = cp_size(in[i]) > size ? cp_size(in[i]) : size;
    if (c.out) c.options.out = cpy_x(c.out);
    cp_array *held[] = {in[0], in[1], in[2], c.options.out};
    CPY_RUN_ON(4, held, size, r = cp_elementwise(self->op, in, &c.options));
    if (!r) cpy_raise();
out:
    for (int i = 0; i < nin; i++)
        if (own[i]) cp_free(in[i]);
    if (c.own_where) cp_free(c.options.where);
    if (!r || !c.out) return r ? cpy_wrap(r) : NULL;
    cp_free(r);
    return Py_NewRef(c.out);
}

/* --- attributes --- */
static PyObject *ufunc_repr(PyObject *o) { return PyUnicode_FromFormat("<ufunc 'cuprite_%s'>", ((ufunc *)o)->info.name); }
static PyObject *get_name(PyObject *o, void *u) { (void)u; return PyUnicode_FromString(((ufunc *)o)->info.name); }
static PyObject *get_nin(PyObject *o, void *u) { (void)u; return PyLong_FromLong(((ufunc *)o)->info.nin); }
static PyObject *get_nout(PyObject *o, void *u) { (void)o, (void)u; return PyLong_FromLong(1); }
static PyObject *get_nargs(PyObject *o, void *u) { (void)u; return PyLong_FromLong(((ufunc *)o)->info.nin + 1); }

static const char *signature(int nin)
{
    return nin == 1 ? "(x, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True)"
         : nin == 2 ? "(x1, x2, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True)"
                    : "(x1, x2, x3, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True)";
}

static PyObject *get_signature(PyObject *o, void *u)
{
    (void)u;
    return PyUnicode_FromString(signature(((ufunc *)o)->info.nin));
}

/* For inspect, which reads no text of objects that are no functions. */
static PyObject *get_signature_object(PyObject *o, void *u)
{
    (void)u;
    PyObject *module = PyImport_ImportModule("cuprite._support");
    PyObject *r = module ? PyObject_CallMethod(module, "signature", "s", signature(((ufunc *)o)->info.nin)) : NULL;
    Py_XDECREF(module);
    return r;
}

static PyObject *get_doc(PyObject *o, void *u)
{
    (void)u;
    ufunc *f = (ufunc *)o;
    return PyUnicode_FromFormat("%s%s\n\n%s\n\nOperands broadcast; types follow NumPy's promotion. Returns `out` where it "
                                "is given. At most %s ULP off for float32 and float64.",
                                f->info.name, signature(f->info.nin), f->info.doc ? f->info.doc : "",
                                f->info.ulp == 0 ? "0" : f->info.ulp <= 0.5 ? "0.5" : f->info.ulp <= 1 ? "1" : "4");
}

static PyObject *get_identity(PyObject *o, void *u)
{
    (void)u;
    ufunc *f = (ufunc *)o;
    if (!f->info.has_identity) Py_RETURN_NONE;
    if (strncmp(f->info.name, "logical_", 8) == 0) return PyBool_FromLong(f->info.identity != 0);
    return f->info.identity == (double)(int64_t)f->info.identity ? PyLong_FromLongLong((int64_t)f->info.identity)
                                                                  : PyFloat_FromDouble(f->info.identity);
}

static PyObject *get_ulp(PyObject *o, void *u) { (void)u; return PyFloat_FromDouble(((ufunc *)o)->info.ulp); }

/* "dd->d" for every type that the operation takes; NumPy's letters, bfloat16 has E. */
static PyObject *get_types(PyObject *o, void *u)
{
    static const char letters[] = "?bBhHiIlLeEfdFD";
    (void)u;
    ufunc *f = (ufunc *)o;
    PyObject *list = PyList_New(0);
    for (cp_type t = 0; list && t < CP_NTYPES; t++) {
        cp_type in[MOST_INPUTS] = {t, t, t}, loop, out;
        if (cp_op_types(f->op, in, &loop, &out) != CP_OK) {
            cp_error_clear();
            continue;
        }
        if (loop != t) continue; /* converted to another type's loop */
        char text[MOST_INPUTS + 4] = "";
        int k = 0;
        while (k < f->info.nin) text[k++] = letters[t];
        text[k++] = '-', text[k++] = '>', text[k++] = letters[out], text[k] = 0;
        PyObject *s = PyUnicode_FromString(text);
        if (!s || PyList_Append(list, s) < 0) Py_CLEAR(list);
        Py_XDECREF(s);
    }
    return list;
}

static PyGetSetDef attributes[] = {
    {"__name__", get_name, NULL, NULL, NULL},
    {"__qualname__", get_name, NULL, NULL, NULL},
    {"__doc__", get_doc, NULL, NULL, NULL},
    {"__text_signature__", get_signature, NULL, NULL, NULL},
    {"__signature__", get_signature_object, NULL, NULL, NULL},
    {"name", get_name, NULL, "Name of the operation.", NULL},
    {"nin", get_nin, NULL, "Number of inputs.", NULL},
    {"nout", get_nout, NULL, "Number of outputs.", NULL},
    {"nargs", get_nargs, NULL, "Number of inputs and outputs.", NULL},
    {"identity", get_identity, NULL, "What leaves every value as it is, or None.", NULL},
    {"ulp", get_ulp, NULL, "Largest error of float32 and float64 results, units in the last place; 0: none.", NULL},
    {"types", get_types, NULL, "The types it computes in, NumPy's letters.", NULL},
    {NULL},
};

/* --- reduce: where a reduction does the same --- */
static cp_reduction reduction_of(const char *name)
{
    cp_reduction_info info;
    for (int r = 0; r < CP_NREDUCTIONS; r++)
        if (cp_reduction_query((cp_reduction)r, &info) == CP_OK && strcmp(info.ufunc, name) == 0) return (cp_reduction)r;
    return CP_NREDUCTIONS;
}

/* ufunc.reduce(a, axis=0, dtype=None, out=None, keepdims=False) */
static PyObject *ufunc_reduce(PyObject *o, PyObject *args, PyObject *kw)
{
    static char *names[] = {"array", "axis", "dtype", "out", "keepdims", "initial", "where", NULL};
    ufunc *self = (ufunc *)o;
    PyObject *x, *axis = NULL, *dtype = NULL, *out = NULL, *initial = NULL, *where = NULL;
    int keepdims = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "O|OOOpOO:reduce", names, &x, &axis, &dtype, &out, &keepdims, &initial, &where))
        return NULL;
    cp_reduction r = reduction_of(self->info.name);
    if (r == CP_NREDUCTIONS)
        return PyErr_Format(PyExc_NotImplementedError, "%s.reduce is not available", self->info.name);
    cp_array *a = cpy_need(x), *m = NULL, *start = NULL;
    cpy_axes axes;
    cp_reduce_options options = {.keepdims = keepdims};
    bool own_where = false, own_start = false;
    if (!a || !cpy_axes_arg(axis, &axes) || !cpy_type(dtype, CP_DEFAULT, &options.dtype) || !cpy_out(out, &options.out))
        return NULL;
    if (!axis) {
        axes.at[0] = 0;
        axes.axes = (cp_axes){1, axes.at};
    }
    options.typed = cpy_given(dtype);
    options.axis = axes.axes;
    if (cpy_given(where) && where != Py_True && !(options.where = m = cpy_operand(where, NULL, &own_where))) return NULL;
    if (cpy_given(initial) && !(options.initial = start = cpy_operand(initial, a, &own_start))) {
        if (own_where) cp_free(m);
        return NULL;
    }
    cp_array *result, *held[] = {a = cpy_x(x), options.out, m};
    CPY_RUN_ON(3, held, cp_size(a), result = cp_reduce(r, a, &options));
    if (own_where) cp_free(m);
    if (own_start) cp_free(start);
    if (!result || !options.out) return cpy_wrap(result);
    cp_free(result);
    return Py_NewRef(PyTuple_Check(out) ? PyTuple_GET_ITEM(out, 0) : out);
}

/* a's axes, then b's. */
static PyObject *outer(PyObject *o, PyObject *a, PyObject *b, PyObject *kw)
{
    cp_array *x = cpy_need(a), *y = cpy_need(b);
    if (!x || !y) return NULL;
    cpy_ints shape = {cp_ndim(x) + cp_ndim(y), {0}};
    if (shape.n > CP_MAXDIM) return PyErr_Format(PyExc_ValueError, "outer: more than %d dimensions", CP_MAXDIM);
    for (int i = 0; i < shape.n; i++) shape.at[i] = i < cp_ndim(x) ? cp_dims(x)[i] : 1;
    PyObject *wide = cpy_wrap(cp_reshape(x, cpy_shape_of(&shape)));
    PyObject *pair = wide ? PyTuple_Pack(2, wide, b) : NULL;
    PyObject *r = pair ? PyObject_Call(o, pair, kw) : NULL;
    Py_XDECREF(wide);
    Py_XDECREF(pair);
    return r;
}

/* ufunc.outer(a, b). */
static PyObject *ufunc_outer(PyObject *o, PyObject *args, PyObject *kw)
{
    PyObject *a, *b;
    if (!PyArg_ParseTuple(args, "OO:outer", &a, &b)) return NULL;
    PyObject *left = cpy_is_scalar(a) ? cpy_asarray(a, CP_DEFAULT) : Py_NewRef(a); /* numbers have their own type here */
    PyObject *right = left ? cpy_is_scalar(b) ? cpy_asarray(b, CP_DEFAULT) : Py_NewRef(b) : NULL;
    PyObject *r = right ? outer(o, left, right, kw) : NULL;
    Py_XDECREF(left);
    Py_XDECREF(right);
    return r;
}

static PyObject *ufunc_pickle(PyObject *o, PyObject *u) { (void)u; return get_name(o, NULL); }

static PyMethodDef methods[] = {
    {"reduce", (PyCFunction)(void (*)(void))ufunc_reduce, METH_VARARGS | METH_KEYWORDS,
     "reduce($self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True)\n--\n\n"
     "Applies the operation along axes; NotImplementedError where no reduction does it."},
    {"outer", (PyCFunction)(void (*)(void))ufunc_outer, METH_VARARGS | METH_KEYWORDS,
     "outer($self, a, b, /, **options)\n--\n\nThe operation on every pair of elements: shape a.shape + b.shape."},
    {"__reduce__", ufunc_pickle, METH_NOARGS, NULL},
    {NULL},
};

static void ufunc_dealloc(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);
    type->tp_free(o);
    Py_DECREF(type);
}

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(ufunc, call), READONLY, NULL},
    {NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_dealloc, ufunc_dealloc},
    {Py_tp_repr, ufunc_repr},
    {Py_tp_getset, attributes},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {"cuprite.ufunc", sizeof(ufunc), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE |
                               Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

/* NumPy's other names of the same operations. */
static const char *const aliases[][2] = {
    {"true_divide", "divide"}, {"abs", "absolute"}, {"mod", "remainder"}, {"conj", "conjugate"}, {"pow", "power"},
    {"acos", "arccos"}, {"asin", "arcsin"}, {"atan", "arctan"}, {"atan2", "arctan2"}, {"acosh", "arccosh"},
    {"asinh", "arcsinh"}, {"atanh", "arctanh"}, {"bitwise_not", "invert"}, {"bitwise_invert", "invert"},
    {"bitwise_left_shift", "left_shift"}, {"bitwise_right_shift", "right_shift"},
};

bool cpy_ufuncs_init(cpy_state *s)
{
    s->ufunc = (PyTypeObject *)PyType_FromModuleAndSpec(s->module, &spec, NULL);
    bool done = s->ufunc && PyModule_AddObjectRef(s->module, "ufunc", (PyObject *)s->ufunc) == 0;
    for (int op = 0; done && op < CP_NOPS; op++) {
        ufunc *f = PyObject_New(ufunc, s->ufunc);
        if (!f) return false;
        f->call = ufunc_call;
        f->op = (cp_op)op;
        done = cp_op_query((cp_op)op, &f->info) == CP_OK ? true : (cpy_raise(), false);
        done = done && f->info.nin <= MOST_INPUTS && PyModule_AddObjectRef(s->module, f->info.name, (PyObject *)f) == 0;
        Py_DECREF(f);
    }
    PyObject *d = PyModule_GetDict(s->module);
    for (size_t i = 0; done && i < sizeof aliases / sizeof *aliases; i++) {
        PyObject *f = PyDict_GetItemString(d, aliases[i][1]);
        done = !f || PyDict_SetItemString(d, aliases[i][0], f) == 0;
    }
    return done;
}
