/* Subclasses of ndarray: which results get an operand's class, and how; ufuncs that a class overrides.
 *
 * Invariant: C makes an ndarray. It becomes an object of the subclass once, before it is visible to the program, by
 * ndarray's own __new__ and with the class's __array_finalize__(template), as NumPy's do. */
#include "subclass_rows.h"

#include "state.h"

/* The class's own attribute where it is another than ndarray's: a new reference, or NULL without an exception. */
static PyObject *own_attribute(PyTypeObject *class, const char *name)
{
    PyObject *theirs = PyObject_GetAttrString((PyObject *)class, name),
             *ours = PyObject_GetAttrString((PyObject *)cpy_now()->array, name);
    PyErr_Clear();
    if (theirs == ours) Py_CLEAR(theirs);
    Py_XDECREF(ours);
    return theirs;
}

/* Calls __array_finalize__(of); the object, or NULL where that failed. */
static PyObject *finalized(PyObject *o, PyObject *of)
{
    PyObject *finalize = own_attribute(Py_TYPE(o), "__array_finalize__"), *r = NULL;
    if (!finalize || finalize == Py_None) {
        Py_XDECREF(finalize);
        return o;
    }
    r = PyObject_CallFunctionObjArgs(finalize, o, of, NULL);
    Py_DECREF(finalize);
    if (!r) Py_CLEAR(o);
    Py_XDECREF(r);
    return o;
}

PyObject *cpy_new_of(PyTypeObject *class, cp_array *x, PyObject *base, PyObject *of)
{
    cpy_array *o = (cpy_array *)class->tp_alloc(class, 0);
    if (!o) {
        cpy_free(x);
        return NULL;
    }
    o->x = cp_keep(x);
    o->base = Py_XNewRef(base);
    return finalized((PyObject *)o, of);
}

PyObject *cpy_as(PyObject *r, PyTypeObject *class, PyObject *of)
{
    PyObject *o = cpy_new_of(class, cp_retain(cpy_x(r)), ((cpy_array *)r)->base, of);
    Py_DECREF(r);
    return o;
}

/* Is it a plain array without other references? */
static bool is_new(PyObject *r) { return cpy_is_plain(r) && Py_REFCNT(r) == 1; }

PyObject *cpy_as_class_of(PyObject *r, PyObject *of)
{
    if (!r || !cpy_is_array(of) || !is_new(r)) return r;
    return cpy_as(r, Py_TYPE(of), of);
}

PyObject *cpy_plain(PyObject *r)
{
    if (!r || cpy_is_plain(r) || !cpy_is_array(r)) return r;
    PyObject *plain = cpy_wrap_view(cp_slice(cpy_x(r), 1, &CP_ELLIPSIS), r);
    Py_DECREF(r);
    return plain;
}

PyObject *cpy_subok(PyObject *r, PyObject *subok, bool otherwise, PyObject *of)
{
    const bool keep = cpy_given(subok) ? PyObject_IsTrue(subok) == 1 : otherwise;
    return keep && of ? cpy_like(r, of) : cpy_plain(r);
}

/* --- operands --- */
static double priority_of(PyObject *o)
{
    PyObject *v = PyObject_GetAttrString(o, "__array_priority__");
    double priority = v ? PyFloat_AsDouble(v) : 0;
    Py_XDECREF(v);
    if (PyErr_Occurred()) PyErr_Clear();
    return priority;
}

PyObject *cpy_find_subclass(int n, PyObject *const *v)
{
    PyObject *found = NULL;
    for (int i = 0; i < n; i++)
        if (cpy_is_subclass(v[i]) && (!found || priority_of(v[i]) > priority_of(found))) found = v[i];
    return found;
}

/* A ufunc's result by the class's own __array_wrap__, where it has one. */
static PyObject *wrapped(PyObject *r, PyObject *of)
{
    PyObject *wrap = r && is_new(r) ? own_attribute(Py_TYPE(of), "__array_wrap__") : NULL;
    if (!wrap) return cpy_as_class_of(r, of);
    PyObject *made = PyObject_CallFunctionObjArgs(wrap, of, r, Py_None, Py_False, NULL);
    Py_DECREF(wrap);
    Py_DECREF(r);
    return made;
}

PyObject *cpy_result_of(PyObject *r, PyObject *of)
{
    if (!r || !of) return r;
    if (!PyTuple_CheckExact(r)) return wrapped(r, of);
    Py_ssize_t n = PyTuple_GET_SIZE(r);
    PyObject *t = PyTuple_New(n);
    for (Py_ssize_t i = 0; t && i < n; i++) {
        PyObject *one = PyTuple_GET_ITEM(r, i);
        PyTuple_SET_ITEM(r, i, Py_NewRef(Py_None)); /* the only reference, as `wrapped` wants it */
        one = wrapped(one, of);
        if (one) PyTuple_SET_ITEM(t, i, one);
        else Py_CLEAR(t);
    }
    Py_DECREF(r);
    return t;
}

/* --- __array_ufunc__ of a subclass --- */
enum { MOST_ASKED = 8 };

/* Those that have one of their own, in the order in which NumPy asks: from the left, subclasses before their bases. */
typedef struct asked { int n; PyObject *o[MOST_ASKED]; } asked;

static void ask(asked *a, PyObject *o)
{
    if (a->n == MOST_ASKED || !cpy_is_subclass(o)) return;
    PyObject *own = own_attribute(Py_TYPE(o), "__array_ufunc__");
    Py_XDECREF(own); /* its class keeps it */
    int at = own ? 0 : a->n;
    for (int i = 0; own && i < a->n; i++)
        if (Py_TYPE(a->o[i]) == Py_TYPE(o)) return;
    if (!own) return;
    while (at < a->n && !PyType_IsSubtype(Py_TYPE(o), Py_TYPE(a->o[at]))) at++;
    for (int i = a->n++; i > at; i--) a->o[i] = a->o[i - 1];
    a->o[at] = o;
}

/* The keywords as NumPy hands them on: `out` is a tuple. */
static PyObject *with_tuple(PyObject *kw)
{
    PyObject *d = kw ? PyDict_Copy(kw) : PyDict_New(), *out = d ? PyDict_GetItemString(d, "out") : NULL;
    if (!out || PyTuple_Check(out)) return d;
    PyObject *t = out == Py_None ? NULL : PyTuple_Pack(1, out);
    if (t ? PyDict_SetItemString(d, "out", t) < 0 : PyDict_DelItemString(d, "out") < 0) Py_CLEAR(d);
    Py_XDECREF(t);
    return d;
}

static PyObject *refused(const asked *a, PyObject *ufunc, const char *method)
{
    return PyErr_Format(PyExc_TypeError, "operand type(s) all returned NotImplemented from __array_ufunc__(%R, '%s'), "
                        "of which '%s' is the first", ufunc, method, Py_TYPE(a->o[0])->tp_name);
}

bool cpy_answered(PyObject *ufunc, const char *method, PyObject *args, PyObject *kw, PyObject **answer)
{
    asked a = {0};
    PyObject *out = kw ? PyDict_GetItemString(kw, "out") : NULL;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); i++) ask(&a, PyTuple_GET_ITEM(args, i));
    for (Py_ssize_t i = 0; out && i < (PyTuple_Check(out) ? PyTuple_GET_SIZE(out) : 1); i++)
        ask(&a, PyTuple_Check(out) ? PyTuple_GET_ITEM(out, i) : out);
    if (!a.n) return false;
    PyObject *options = with_tuple(kw), *word = options ? PyUnicode_FromString(method) : NULL, *r = NULL;
    for (int i = 0; word && i < a.n && !r; i++) {
        PyObject *own = PyObject_GetAttrString((PyObject *)Py_TYPE(a.o[i]), "__array_ufunc__");
        PyObject *first = PyTuple_Pack(3, a.o[i], ufunc, word);
        PyObject *all = first ? PySequence_Concat(first, args) : NULL;
        if (own == Py_None)
            PyErr_Format(PyExc_TypeError, "operand '%s' does not support ufuncs (__array_ufunc__=None)",
                         Py_TYPE(a.o[i])->tp_name);
        else if (own && all) r = PyObject_Call(own, all, options);
        Py_XDECREF(own);
        Py_XDECREF(first);
        Py_XDECREF(all);
        if (PyErr_Occurred()) break;
        if (r == Py_NotImplemented) Py_CLEAR(r);
    }
    Py_XDECREF(options);
    Py_XDECREF(word);
    *answer = r || PyErr_Occurred() ? r : refused(&a, ufunc, method);
    return true;
}

bool cpy_call_answered(PyObject *ufunc, PyObject *const *v, Py_ssize_t n, PyObject *names, PyObject **answer)
{
    const Py_ssize_t more = names ? PyTuple_GET_SIZE(names) : 0;
    bool any = cpy_any_subclass((int)n, v);
    for (Py_ssize_t i = 0; i < more && !any; i++)
        any = PyTuple_Check(v[n + i]) ? PyTuple_GET_SIZE(v[n + i]) > 0 : cpy_is_subclass(v[n + i]);
    if (!any) return false;
    PyObject *args = PyTuple_New(n), *kw = more ? PyDict_New() : NULL;
    bool made = args && (kw || !more);
    for (Py_ssize_t i = 0; made && i < n; i++) PyTuple_SET_ITEM(args, i, Py_NewRef(v[i]));
    for (Py_ssize_t i = 0; made && i < more; i++)
        made = PyDict_SetItem(kw, PyTuple_GET_ITEM(names, i), v[n + i]) == 0;
    *answer = NULL;
    bool answered = !made || cpy_answered(ufunc, "__call__", args, kw, answer);
    Py_XDECREF(args);
    Py_XDECREF(kw);
    return answered;
}

bool cpy_operator_answered(const char *name, PyObject *a, PyObject *b, bool into_a, PyObject **answer)
{
    PyObject *v[] = {a, b};
    if (!cpy_any_subclass(b ? 2 : 1, v)) return false;
    PyObject *ufunc = PyObject_GetAttrString(cpy_now()->module, name);
    PyObject *args = b ? PyTuple_Pack(2, a, b) : PyTuple_Pack(1, a);
    PyObject *kw = into_a ? Py_BuildValue("{s:(O)}", "out", a) : NULL;
    *answer = NULL;
    bool answered = !ufunc || !args || (into_a && !kw) || cpy_answered(ufunc, "__call__", args, kw, answer);
    Py_XDECREF(ufunc);
    Py_XDECREF(args);
    Py_XDECREF(kw);
    return answered;
}

/* --- what the classes call --- */
/*: method("__array_finalize__", "a: array, obj: object, /",
           doc="Called for each new object of a subclass with the array that it was made from, or None.") */
PyObject *py_array_finalize_protocol(const py_array_finalize_protocol_args *v)
{
    (void)v;
    Py_RETURN_NONE;
}

/*: method("__array_wrap__", "a: array, array: array, context: object = None, return_scalar: bool = False, /",
           like=False,
           doc="A ufunc's result as an array of this class.") */
PyObject *py_array_wrap_protocol(const py_array_wrap_protocol_args *v)
{
    (void)v->return_scalar, (void)v->context; /* results of no axes are arrays here */
    return cpy_new_of(Py_TYPE(v->self), cp_slice(v->array, 1, &CP_ELLIPSIS), NULL, v->self);
}

PyObject *cpy_overridden(PyObject *callable, PyObject *const *v, Py_ssize_t n, PyObject *names)
{
    const char *method = "__cupy_override_elementwise_kernel__";
    const Py_ssize_t all = n + (names ? PyTuple_GET_SIZE(names) : 0);
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return NULL;
    for (Py_ssize_t i = 0; i < all; i++) {
        if (cpy_is_array(v[i])) continue;
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyObject *override = PyObject_GetAttrString((PyObject *)Py_TYPE(v[i]), method);
        PyObject **given = override ? PyMem_Malloc((size_t)(all + 2) * sizeof *given) : NULL;
        if (!given) {
            Py_XDECREF(override);
            PyErr_Restore(type, value, trace);
            continue;
        }
        Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(trace);
        given[0] = v[i], given[1] = callable;
        for (Py_ssize_t k = 0; k < all; k++) given[k + 2] = v[k];
        PyObject *r = PyObject_Vectorcall(override, given, (size_t)n + 2, names);
        PyMem_Free(given);
        Py_DECREF(override);
        return r;
    }
    return NULL;
}
