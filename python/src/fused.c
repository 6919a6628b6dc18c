/* Fused expressions in Python.
 *
 *     f = _core._Fused(text, names=None)       names: a sequence of str, the operands in their order; None: those that
 *                                              the source uses, in the order in which they appear
 *     r = f(x, y, ..., out=None, casting="same_kind")
 *     f.names, f.text, f.nresults
 *
 * Operands are arrays, Python's numbers (weak) and NumPy's scalars; the result is an array, or a tuple where the source
 * `return`s several, or one item of an operation with two results. out= is an array, or a tuple with one, or None, for
 * each result, and is returned instead. Errors are those of the operations, with the column of the source. An object is
 * made once and may be called by several threads; other threads run while large operands are worked on. */
#include "cpy.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

#include "cuprite/fuse.h"

enum { MOST_OPERANDS = 64, MOST_RESULTS = 16 };

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    cp_fusion *fusion; /* owned */
    PyObject *text;
    int noperands, nresults;
} fused;

typedef struct {
    cp_array *in[MOST_OPERANDS];
    bool own[MOST_OPERANDS];
    PyObject *out[MOST_RESULTS]; /* borrowed: what the caller gave, to be returned */
    cp_array *held[MOST_OPERANDS + MOST_RESULTS];
    cp_array **outs;             /* the last of held */
    cp_casting casting;
} call;

static bool take_one_out(PyObject *v, int k, call *c)
{
    if (!cpy_out(v, &c->outs[k])) return false;
    if (c->outs[k]) c->out[k] = v;
    return true;
}

static bool take_out(const fused *self, PyObject *v, call *c)
{
    if (v == Py_None || (self->nresults == 1 && !PyTuple_Check(v))) return take_one_out(v, 0, c);
    if (!PyTuple_Check(v) || PyTuple_GET_SIZE(v) != self->nresults) {
        PyErr_Format(PyExc_ValueError, "out= takes a tuple with one array or None for each of the %d results",
                     self->nresults);
        return false;
    }
    for (int k = 0; k < self->nresults; k++)
        if (!take_one_out(PyTuple_GET_ITEM(v, k), k, c)) return false;
    return true;
}

static bool take_keywords(const fused *self, PyObject *const *v, PyObject *names, call *c)
{
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        if (PyUnicode_CompareWithASCIIString(name, "out") == 0) {
            if (!take_out(self, v[i], c)) return false;
        } else if (PyUnicode_CompareWithASCIIString(name, "casting") == 0) {
            if (!cpy_casting(v[i], CP_SAME_KIND, &c->casting)) return false;
        } else {
            PyErr_Format(PyExc_TypeError, "a fused expression has no keyword argument '%U'", name);
            return false;
        }
    }
    return true;
}

/* An array among the operands decides the type of huge integers. */
static bool take_operands(const fused *self, PyObject *const *v, call *c)
{
    const int n = self->noperands;
    cp_array *partner = NULL, *number = NULL;
    for (int i = 0; i < n && !partner; i++)
        if (cpy_is_array(v[i])) partner = cpy_x(v[i]);
    number = partner ? cp_retain(partner) : cpy_find_number(n, v);
    bool done = true;
    for (int i = 0; i < n && done; i++)
        done = (c->in[i] = cpy_operand(v[i], number, CPY_NO_OP, &c->own[i])) != NULL;
    cpy_free(number);
    for (int i = 0; i < n && done; i++)
        if (cpy_is_array(v[i])) c->in[i] = cpy_x(v[i]); /* reading a number may have given the array another shape */
    for (int k = 0; k < self->nresults && done; k++)
        if (c->out[k]) c->outs[k] = cpy_x(c->out[k]);
    return done;
}

static PyObject *returned(const fused *self, cp_array **results, const call *c)
{
    PyObject *tuple = self->nresults > 1 ? PyTuple_New(self->nresults) : NULL;
    bool done = tuple || self->nresults == 1;
    PyObject *one = NULL;
    for (int k = 0; k < self->nresults; k++) {
        if (c->out[k]) cpy_free(results[k]);
        one = c->out[k] ? Py_NewRef(c->out[k]) : cpy_wrap(results[k]);
        done = done && one;
        if (tuple && one) PyTuple_SET_ITEM(tuple, k, one);
    }
    if (done) return tuple ? tuple : one;
    Py_XDECREF(tuple);
    return NULL;
}

static bool run_fused(const fused *self, call *c, cp_array **results)
{
    const cp_fused_options options = {.outs = c->outs, .casting = c->casting};
    const int n = self->noperands;
    int64_t size = 0;
    bool done;
    for (int i = 0; i < n; i++) {
        c->held[i] = c->in[i];
        if (cp_size(c->in[i]) > size) size = cp_size(c->in[i]);
    }
    CPY_RUN_ON(n + self->nresults, c->held, size,
               done = (cp_fusion_run)(self->fusion, c->in, results, &options) == CP_OK);
    return done || (cpy_raise(), false);
}

static PyObject *fused_call(PyObject *callable, PyObject *const *v, size_t flagged, PyObject *names)
{
    const fused *self = (fused *)callable;
    const Py_ssize_t n = PyVectorcall_NARGS(flagged);
    if (n != self->noperands)
        return PyErr_Format(PyExc_TypeError, "%zd operands for an expression with %d", n, self->noperands);
    call c;
    cp_array *results[MOST_RESULTS];
    memset(c.own, 0, (size_t)n * sizeof *c.own);
    memset(c.out, 0, (size_t)self->nresults * sizeof *c.out);
    c.casting = CP_SAME_KIND;
    c.outs = c.held + n;
    memset(c.outs, 0, (size_t)self->nresults * sizeof *c.outs);
    bool done = take_keywords(self, v + n, names, &c);
    bool taken = done && take_operands(self, v, &c);
    done = taken && run_fused(self, &c, results);
    for (Py_ssize_t i = 0; i < n; i++)
        if (c.own[i]) cpy_free(c.in[i]);
    return done ? cpy_warned(returned(self, results, &c)) : NULL;
}

/* --- the object --- */

static bool names_of(PyObject *list, const char **names, Py_ssize_t *n)
{
    *n = PySequence_Fast_GET_SIZE(list);
    if (*n > MOST_OPERANDS) {
        PyErr_Format(PyExc_ValueError, "%zd operands; %d at most", *n, MOST_OPERANDS);
        return false;
    }
    for (Py_ssize_t i = 0; i < *n; i++)
        if (!(names[i] = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(list, i)))) return false;
    return true;
}

static cp_fusion *read_text(PyObject *text, PyObject *names)
{
    const char *at[MOST_OPERANDS + 1] = {NULL};
    Py_ssize_t n = 0, length;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &length);
    if (!bytes) return NULL;
    if ((size_t)length != strlen(bytes)) return PyErr_SetString(PyExc_ValueError, "fused: a byte of value 0"), NULL;
    PyObject *list = cpy_given(names) ? PySequence_Fast(names, "names is no sequence") : NULL;
    bool done = !cpy_given(names) || (list && names_of(list, at, &n));
    cp_fusion *f = done ? cp_fusion_new(bytes, (int)n, list ? at : NULL) : NULL;
    Py_XDECREF(list);
    if (done && !f) cpy_raise();
    return f;
}

static PyObject *fused_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    static char *words[] = {"text", "names", NULL};
    PyObject *text, *names = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "U|O:_Fused", words, &text, &names)) return NULL;
    cp_fusion *f = read_text(text, names);
    fused *self = f ? (fused *)type->tp_alloc(type, 0) : NULL;
    if (!self) return cp_fusion_free(f), NULL;
    self->call = fused_call;
    self->fusion = f;
    self->text = Py_NewRef(text);
    self->noperands = cp_fusion_operands(f);
    self->nresults = cp_fusion_results(f);
    return (PyObject *)self;
}

static void fused_dealloc(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);
    cp_fusion_free(((fused *)o)->fusion);
    Py_XDECREF(((fused *)o)->text);
    type->tp_free(o);
    Py_DECREF(type);
}

static PyObject *get_names(PyObject *o, void *u)
{
    (void)u;
    const fused *self = (fused *)o;
    PyObject *names = PyTuple_New(self->noperands);
    for (int k = 0; names && k < self->noperands; k++) {
        PyObject *name = PyUnicode_FromString(cp_fusion_operand(self->fusion, k));
        if (!name) Py_CLEAR(names);
        else PyTuple_SET_ITEM(names, k, name);
    }
    return names;
}

static PyObject *fused_repr(PyObject *o) { return PyUnicode_FromFormat("<fused %R>", ((fused *)o)->text); }

static PyObject *fused_reduce(PyObject *o, PyObject *u)
{
    (void)u;
    PyObject *names = get_names(o, NULL);
    return names ? Py_BuildValue("(O(ON))", (PyObject *)Py_TYPE(o), ((fused *)o)->text, names) : NULL;
}

static PyMethodDef methods[] = {
    {"__reduce__", fused_reduce, METH_NOARGS, NULL},
    {NULL},
};

static PyGetSetDef attributes[] = {
    {"names", get_names, NULL, "Names of the operands.", NULL},
    {NULL},
};

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(fused, call), READONLY, NULL},
    {"text", T_OBJECT, offsetof(fused, text), READONLY, "The expression."},
    {"nresults", T_INT, offsetof(fused, nresults), READONLY, "Number of results."},
    {NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "An expression of elementwise operations that is computed in one go."},
    {Py_tp_new, fused_new},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_dealloc, fused_dealloc},
    {Py_tp_repr, fused_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_tp_members, members},
    {0, NULL},
};

static PyType_Spec spec = {"cuprite._core._Fused", sizeof(fused), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE, slots};

cp_fusion *cpy_fusion_of(PyObject *o);
cp_fusion *cpy_fusion_of(PyObject *o)
{
    return Py_IS_TYPE(o, cpy_now()->fused) ? ((fused *)o)->fusion : NULL;
}

bool cpy_fused_init(cpy_state *s)
{
    s->fused = (PyTypeObject *)PyType_FromModuleAndSpec(s->module, &spec, NULL);
    return s->fused && PyModule_AddObjectRef(s->module, "_Fused", (PyObject *)s->fused) == 0;
}
