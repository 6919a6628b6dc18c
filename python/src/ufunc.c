/* ufunc objects, one for every row of the table of elementwise operations. */
#include "ufunc.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <structmember.h>

typedef struct call_options {
    cp_ufunc_options options;
    PyObject *out[MOST_OUTPUTS]; /* borrowed: what the caller gave, to be returned */
    PyObject *where;             /* and the mask's */
    cp_array *outs[MOST_OUTPUTS];
    bool has_out, out_named, no_subclass;
    char order;
    PyObject *signature;         /* borrowed */
} call_options;

static bool take_where(PyObject *v, call_options *c)
{
    cpy_drop(c->where, c->options.where);
    c->options.where = NULL;
    return cpy_take_where(c->where = v, &c->options.where);
}

/* The array for result k, or None. */
static bool take_one_out(int k, PyObject *v, call_options *c)
{
    if (!cpy_out(v, &c->outs[k])) return false;
    if (c->outs[k]) c->out[k] = v;
    c->has_out |= c->outs[k] != NULL;
    return true;
}

/* out=: one array, or a tuple with one for each result. */
static bool take_out(ufunc *self, PyObject *v, call_options *c)
{
    const int nout = self->info.nout;
    if (v == Py_None || (nout == 1 && !PyTuple_Check(v))) return take_one_out(0, v, c);
    if (!PyTuple_Check(v)) {
        PyErr_SetString(PyExc_TypeError, "'out' must be a tuple of arrays");
        return false;
    }
    if (PyTuple_GET_SIZE(v) != nout) {
        PyErr_SetString(PyExc_ValueError, "The 'out' tuple must have exactly one entry per ufunc output");
        return false;
    }
    for (int k = 0; k < nout; k++)
        if (!take_one_out(k, PyTuple_GET_ITEM(v, k), c)) return false;
    return true;
}

/* NumPy's warning of elements that are never written; false where it is an error. */
static bool warn_of_where(void)
{
    return PyErr_WarnEx(PyExc_UserWarning, "'where' used without 'out', so elements of the output may be undefined. "
                        "If this is intentional, use out=None.", 1) == 0;
}

static bool two_types(void)
{
    PyErr_SetString(PyExc_TypeError, "cannot specify both 'signature' and 'dtype'");
    return false;
}

static bool take_keyword(ufunc *self, PyObject *name, PyObject *v, call_options *c)
{
    const char *word = PyUnicode_AsUTF8(name);
    if (!word) return false;
    if (strcmp(word, "out") == 0) {
        if (c->has_out) {
            PyErr_SetString(PyExc_TypeError, "cannot specify 'out' as both a positional and keyword argument");
            return false;
        }
        c->out_named = true;
        return take_out(self, v, c);
    }
    if (strcmp(word, "where") == 0) return take_where(v, c);
    if (strcmp(word, "signature") == 0 || strcmp(word, "sig") == 0) {
        c->signature = v == Py_None ? NULL : v;
        return !c->options.typed || !c->signature || two_types();
    }
    if (strcmp(word, "dtype") == 0) {
        if (c->signature && v != Py_None) return two_types();
        c->options.typed = v != Py_None;
        return cpy_type(v, CP_DEFAULT, &c->options.dtype);
    }
    if (strcmp(word, "casting") == 0) return cpy_casting(v, CP_SAME_KIND, &c->options.casting);
    if (strcmp(word, "order") == 0) return cpy_order(v, 'K', "CFAK", &c->order);
    if (strcmp(word, "subok") == 0) return (c->no_subclass = PyObject_IsTrue(v) == 0) || !PyErr_Occurred();
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", self->info.name, name);
    return false;
}

static bool wrong_number(ufunc *self, Py_ssize_t n)
{
    PyErr_Format(PyExc_TypeError, "%s() takes from %d to %d positional arguments but %zd were given", self->info.name,
                 self->info.nin, self->info.nin + self->info.nout, n);
    return false;
}

/* ldexp's exponent is an int32 beside what has a type, an int64 beside booleans and Python's numbers: a Python integer
 * must be one. */
static bool exponent_fits(PyObject *a, PyObject *n)
{
    if (!PyLong_Check(n) || PyBool_Check(n)) return true;
    cp_array *x = cpy_is_array(a) ? cp_retain(cpy_x(a)) : cpy_is_generic(a) ? cpy_scalar(a, NULL, CPY_NO_OP) : NULL;
    bool narrow = x && cp_type_of(x) != CP_BOOL;
    bool none = x && cp_type_kind(cp_type_of(x)) == 'c'; /* there is no loop, whatever the exponent */
    cpy_free(x);
    PyErr_Clear(); /* what is no number is reported when it is converted */
    if (none) return true;
    int64_t v;
    if (!cpy_int64(n, &v)) return false;
    if (!narrow || (v >= INT32_MIN && v <= INT32_MAX)) return true;
    PyErr_Format(PyExc_OverflowError, "Python integer %S out of bounds for int32", n);
    return false;
}

/* Inputs to arrays; scalars are made temporary ones. An array among them decides the type of huge integers. */
static bool take_inputs(ufunc *self, PyObject *const *v, cp_array **in, bool *own)
{
    const int nin = self->info.nin;
    cp_array *partner = NULL, *number = NULL;
    if (self->op == CP_OP_ldexp && !exponent_fits(v[0], v[1])) return false;
    for (int i = 0; i < nin; i++)
        if (cpy_is_array(v[i])) partner = cpy_x(v[i]);
    if (!partner && nin > 1) partner = number = cpy_find_number(nin, v);
    else if (nin > 2) number = cp_retain(partner); /* reading one number may give it another shape; the next comes */
    bool done = true;
    for (int i = 0; i < nin && done; i++) done = (in[i] = cpy_operand(v[i], partner, (int)self->op, &own[i])) != NULL;
    cpy_free(number);
    if (!done) return false;
    for (int i = 0; i < nin; i++)
        if (cpy_is_array(v[i])) in[i] = cpy_x(v[i]); /* reading a number may have given the array another shape */
    return true;
}

static PyObject *returned_one(cp_array *r, PyObject *out)
{
    if (!out) return cpy_wrap(r);
    cpy_free(r);
    return Py_NewRef(out);
}

/* order=: 'A' is Fortran order where all inputs lie in it, as a column and a row do, which lie in C order too. */
static char order_of(int nin, cp_array *const *in, char order)
{
    bool fortran = order == 'A';
    for (int i = 0; i < nin; i++) fortran = fortran && cp_is_f_contiguous(in[i]);
    return order != 'A' ? order : fortran ? 'F' : 'C';
}

/* A new result in the order that was asked for; the operation itself leaves it in that of the inputs. */
static bool reorder(cp_array **result, char order)
{
    cp_array *x = *result;
    if (order == 'C' ? cp_is_c_contiguous(x) : cp_is_f_contiguous(x)) return true;
    CPY_RUN(cp_size(x), *result = cp_copy_order(x, order));
    cpy_free(x);
    if (!*result) cpy_raise();
    return *result != NULL;
}

static bool reorder_all(ufunc *self, char order, cp_array **results, const call_options *c)
{
    bool done = true;
    for (int k = 0; k < self->info.nout; k++) done = (c->out[k] || reorder(&results[k], order)) && done;
    for (int k = 0; k < self->info.nout && !done; k++) cpy_free(results[k]);
    return done;
}

/* The result, or a tuple of several; what the caller gave for one is it. Takes the results over. */
static PyObject *returned(int nout, cp_array **results, const call_options *c)
{
    if (nout == 1) return returned_one(results[0], c->out[0]);
    PyObject *tuple = PyTuple_New(nout);
    for (int k = 0; k < nout; k++) {
        PyObject *one = returned_one(results[k], c->out[k]);
        if (!one) Py_CLEAR(tuple);
        if (tuple) PyTuple_SET_ITEM(tuple, k, one);
        else Py_XDECREF(one);
    }
    return tuple;
}

/* Most calls: inputs alone, and one new array. */
static PyObject *call_plain(ufunc *self, PyObject *const *v)
{
    cp_array *in[MOST_INPUTS] = {NULL};
    bool own[MOST_INPUTS] = {false};
    cp_array *r = take_inputs(self, v, in, own) ? cpy_elementwise(self->op, self->info.nin, in) : NULL;
    for (int i = 0; i < self->info.nin; i++)
        if (own[i]) cpy_free(in[i]);
    return cpy_wrap(r);
}

static PyObject *call_here(PyObject *callable, PyObject *const *v, Py_ssize_t n, PyObject *names)
{
    ufunc *self = (ufunc *)callable;
    const int nin = self->info.nin, nout = self->info.nout;
    PyObject *answer, *of = n < nin ? NULL : cpy_class_of(nin, v);
    if ((of || names || n > nin) && cpy_call_answered(callable, v, n, names, &answer)) return answer;
    if (n == nin && nout == 1 && !names) return cpy_result_of(call_plain(self, v), of);
    if (n < nin || n > nin + nout) return wrong_number(self, n), NULL;
    call_options c = {0};
    cp_array *in[MOST_INPUTS] = {NULL}, *results[MOST_OUTPUTS] = {NULL};
    bool own[MOST_INPUTS] = {false}, done = false;
    for (int k = 0; k < n - nin; k++)
        if (!take_one_out(k, v[nin + k], &c)) return NULL;
    Py_ssize_t keywords = names ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t i = 0; i < keywords; i++)
        if (!take_keyword(self, PyTuple_GET_ITEM(names, i), v[n + i], &c)) goto out;
    if (!take_inputs(self, v, in, own) || (c.signature && !cpy_ufunc_signed(self, c.signature, v, &c.options, in, own)))
        goto out;
    if (c.options.where && n == nin && !c.out_named && !warn_of_where()) goto out;
    int64_t size = 0;
    for (int i = 0; i < nin; i++) size = cp_size(in[i]) > size ? cp_size(in[i]) : size;
    for (int k = 0; k < nout; k++)
        if (c.out[k]) c.outs[k] = cpy_x(c.out[k]);
    c.options.outs = c.outs;
    /* asked of the inputs while they are sure to be there */
    char order = c.order && c.order != 'K' ? order_of(nin, in, c.order) : 0;
    enum { HELD = MOST_INPUTS + MOST_OUTPUTS + 1 };
    cp_array *held[HELD] = {c.options.where};
    for (int i = 0; i < MOST_INPUTS; i++) held[1 + i] = in[i];
    for (int k = 0; k < MOST_OUTPUTS; k++) held[1 + MOST_INPUTS + k] = c.outs[k];
    bool into = true;
    for (int k = 0; k < nout; k++) into &= c.out[k] != NULL; /* nothing new is made: the results are the caller's */
    CPY_RUN_ON(HELD, held, size, done = cp_elementwise_all(self->op, in, into ? NULL : results, &c.options) == CP_OK);
    if (!done) cpy_raise();
    done = done && (!order || reorder_all(self, order, results, &c));
out:
    for (int i = 0; i < nin; i++)
        if (own[i]) cpy_free(in[i]);
    cpy_drop(c.where, c.options.where);
    PyObject *r = done ? returned(nout, results, &c) : NULL;
    if (of && !c.no_subclass) r = cpy_result_of(r, of);
    return names ? cpy_warned(r) : r; /* without dtype= or casting= no conversion loses anything */
}

static PyObject *ufunc_call(PyObject *callable, PyObject *const *v, size_t flagged, PyObject *names)
{
    const Py_ssize_t n = PyVectorcall_NARGS(flagged);
    PyObject *r = call_here(callable, v, n, names);
    if (r) return r;
    return cpy_on_two_devices() ? cpy_call_together(call_here, callable, v, n, names, false)
                                : cpy_overridden(callable, v, n, names);
}

/* --- attributes --- */
static PyObject *ufunc_repr(PyObject *o)
{
    return PyUnicode_FromFormat("<ufunc 'cuprite_%s'>", ((ufunc *)o)->info.name);
}
static PyObject *get_name(PyObject *o, void *u) { (void)u; return PyUnicode_FromString(((ufunc *)o)->info.name); }
static PyObject *get_nin(PyObject *o, void *u) { (void)u; return PyLong_FromLong(((ufunc *)o)->info.nin); }
static PyObject *get_nout(PyObject *o, void *u) { (void)u; return PyLong_FromLong(((ufunc *)o)->info.nout); }
static PyObject *get_nargs(PyObject *o, void *u)
{
    (void)u;
    return PyLong_FromLong(((ufunc *)o)->info.nin + ((ufunc *)o)->info.nout);
}

#define OPTIONS "*, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None)"
static const char *signature(const ufunc *f)
{
    static const char *const one[MOST_INPUTS] = {
        "(x, /, out=None, " OPTIONS, "(x1, x2, /, out=None, " OPTIONS, "(x1, x2, x3, /, out=None, " OPTIONS,
        "(x1, x2, x3, x4, /, out=None, " OPTIONS, "(x1, x2, x3, x4, x5, /, out=None, " OPTIONS};
#define TWO(inputs) "(" inputs ", out1=None, out2=None, /, out=(None, None), " OPTIONS
    static const char *const two[MOST_INPUTS] = {TWO("x"), TWO("x1, x2"), TWO("x1, x2, x3"), TWO("x1, x2, x3, x4"),
                                                 TWO("x1, x2, x3, x4, x5")};
#undef TWO
    if (f->info.nout == 4 && f->info.nin == 1)
        return "(x, out1=None, out2=None, out3=None, out4=None, /, out=(None, None, None, None), " OPTIONS;
    if (f->info.nout == 4)
        return "(x1, x2, out1=None, out2=None, out3=None, out4=None, /, out=(None, None, None, None), " OPTIONS;
    return f->info.nout == 1 ? one[f->info.nin - 1] : two[f->info.nin - 1];
}
#undef OPTIONS

static PyObject *get_signature(PyObject *o, void *u)
{
    (void)u;
    return PyUnicode_FromString(signature((ufunc *)o));
}

/* For inspect, which reads no text of objects that are no functions. */
static PyObject *get_signature_object(PyObject *o, void *u)
{
    (void)u;
    PyObject *module = PyImport_ImportModule("cuprite._support");
    PyObject *r = module ? PyObject_CallMethod(module, "signature", "s", signature((ufunc *)o)) : NULL;
    Py_XDECREF(module);
    return r;
}

/* The names of the operands, each with what it takes. */
static const char *operands(const ufunc *f)
{
#define OPERAND(name) "    " name ": an array or a number.\n"
    static const char *const names[MOST_INPUTS] = {
        OPERAND("x"), OPERAND("x1") OPERAND("x2"), OPERAND("x1") OPERAND("x2") OPERAND("x3"),
        OPERAND("x1") OPERAND("x2") OPERAND("x3") OPERAND("x4"),
        OPERAND("x1") OPERAND("x2") OPERAND("x3") OPERAND("x4") OPERAND("x5")};
#undef OPERAND
    return names[f->info.nin - 1];
}
static const char *outputs(const ufunc *f)
{
    if (f->info.nout == 1) return "";
    return f->info.nout == 2 ? "    out1: where the first result goes.\n    out2: where the second result goes.\n"
                             : "    out1: where the first result goes.\n    out2: where the second result goes.\n"
                               "    out3: where the third result goes.\n    out4: where the fourth result goes.\n";
}

static PyObject *get_doc(PyObject *o, void *u)
{
    (void)u;
    ufunc *f = (ufunc *)o;
    return PyUnicode_FromFormat(
        "%s%s\n\n%s\n\nOperands broadcast; types follow NumPy's promotion. At most %d ULP off for float32 and "
        "float64.\n\n"
        "Parameters:\n%s%s"
        "    out: an array, alone or in a tuple, that takes the result and is returned; None: a new one.\n"
        "    where: a boolean array that broadcasts, or True: only its true elements are computed; others stay what\n"
        "        they are in `out`, or are undefined in a new array.\n"
        "    casting: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe': which conversions are allowed.\n"
        "    order: the order of a new array in memory: 'K', 'C', 'F' or 'A'.\n"
        "    dtype: the type that is computed in, None: as the operands give it.\n"
        "    subok: False: new results are arrays of no subclass, whatever the operands are.\n"
        "    signature: the types of all operands, a string as 'dd->d' or a tuple; None: as the operands give them.\n\n"
        "Result: %s; always arrays, of no dimensions where the operands have none.\n\n"
        "Errors: TypeError for an operand that is no array or number (NumPy's arrays are none) and for types that the\n"
        "    operation does not have; UFuncTypeError, a TypeError, for a conversion that `casting` forbids; "
        "ValueError for\n"
        "    shapes that do not broadcast, `out` of another shape, and words that are none of the above.%s",
        f->info.name, signature(f), f->info.doc ? f->info.doc : "", (int)ceil(f->info.ulp), operands(f),
        outputs(f),
        f->info.nout == 1   ? "a new array, or `out`"
        : f->info.nout == 2 ? "a tuple of two arrays, new ones or those of `out`"
                            : "a tuple of four arrays, new ones or those of `out`",
        cpy_example_of(f->info.name));
}

static PyObject *get_identity(PyObject *o, void *u)
{
    (void)u;
    ufunc *f = (ufunc *)o;
    if (!f->info.has_identity) Py_RETURN_NONE;
    if (isinf(f->info.identity)) return PyFloat_FromDouble(f->info.identity);
    if (strncmp(f->info.name, "logical_", 8) == 0) return PyBool_FromLong(f->info.identity != 0);
    return f->info.identity == (double)(int64_t)f->info.identity ? PyLong_FromLongLong((int64_t)f->info.identity)
                                                                  : PyFloat_FromDouble(f->info.identity);
}

static PyObject *get_ulp(PyObject *o, void *u) { (void)u; return PyFloat_FromDouble(((ufunc *)o)->info.ulp); }

bool cpy_ufunc_loop(const ufunc *f, cp_type t, cp_type *in, cp_type *loop, cp_type *out)
{
    for (int i = 0; i < f->info.nin; i++) in[i] = f->info.in[i] == CP_DEFAULT ? t : f->info.in[i];
    if (cp_op_types(f->op, in, loop, out) == CP_OK) return true;
    cp_error_clear();
    if (f->info.nin == 1 || (t != CP_COMPLEX64 && t != CP_COMPLEX128)) return false;
    for (int i = 0; i + 1 < f->info.nin; i++) in[i] = t == CP_COMPLEX64 ? CP_FLOAT32 : CP_FLOAT64;
    if (cp_op_types(f->op, in, loop, out) == CP_OK) return true;
    cp_error_clear();
    return false;
}

/* "dd->d" for every type that the operation takes, by the letters of its row. */
static PyObject *get_types(PyObject *o, void *u)
{
    (void)u;
    ufunc *f = (ufunc *)o;
    PyObject *list = PyList_New(0);
    for (cp_type t = 0; list && t < CP_NTYPES; t++) {
        cp_type in[MOST_INPUTS], loop[MOST_INPUTS], out[MOST_OUTPUTS];
        if (!cpy_ufunc_loop(f, t, in, loop, out)) continue;
        /* converted to another type's loop; truth is asked of every type */
        const bool truth = strncmp(f->info.name, "logical_", 8) == 0;
        if (!truth && memcmp(loop, in, (size_t)f->info.nin * sizeof *in) != 0) continue;
        char text[MOST_INPUTS + MOST_OUTPUTS + 3] = "";
        int k = 0;
        for (int i = 0; i < f->info.nin; i++) text[k++] = cpy_type_rows[truth ? in[i] : loop[i]].letter;
        text[k++] = '-', text[k++] = '>';
        for (int i = 0; i < f->info.nout; i++) text[k++] = cpy_type_rows[out[i]].letter;
        PyObject *s = PyUnicode_FromString(text);
        if (!s || PyList_Append(list, s) < 0) Py_CLEAR(list);
        Py_XDECREF(s);
    }
    return list;
}

static PyObject *get_ntypes(PyObject *o, void *u)
{
    PyObject *list = get_types(o, u);
    PyObject *n = list ? PyLong_FromSsize_t(PyList_GET_SIZE(list)) : NULL;
    Py_XDECREF(list);
    return n;
}

/* A gufunc's in NumPy. */
static PyObject *get_no_signature(PyObject *o, void *u)
{
    (void)o, (void)u;
    Py_RETURN_NONE;
}

/* The row's expressions for bool, integers, real and complex numbers: None, or one for each result. */
static PyObject *get_bodies(PyObject *o, void *u)
{
    (void)u;
    const cp_op_info *info = &((ufunc *)o)->info;
    PyObject *r = PyTuple_New(4);
    for (int k = 0; r && k < 4; k++) {
        PyObject *one = info->body[k][0] ? PyTuple_New(info->nout) : Py_NewRef(Py_None);
        for (int i = 0; one && info->body[k][0] && i < info->nout; i++) {
            PyObject *text = PyUnicode_FromString(info->body[k][i]);
            if (!text) Py_CLEAR(one);
            else PyTuple_SET_ITEM(one, i, text);
        }
        if (!one) Py_CLEAR(r);
        else PyTuple_SET_ITEM(r, k, one);
    }
    return r;
}

/* Of names of types of the operands: those that the operation takes them as, and those of its results. */
static PyObject *ufunc_loop(PyObject *o, PyObject *const *names, Py_ssize_t n)
{
    const cp_op_info *info = &((ufunc *)o)->info;
    cp_type in[MOST_INPUTS], loop[MOST_INPUTS], out[MOST_OUTPUTS];
    if (n != info->nin) return PyErr_Format(PyExc_TypeError, "_loop() takes %d types", info->nin);
    for (int i = 0; i < n; i++)
        if (!cpy_type(names[i], CP_DEFAULT, &in[i])) return NULL;
    if (cp_op_types(((ufunc *)o)->op, in, loop, out) != CP_OK) return cpy_raise();
    PyObject *r = PyTuple_New(info->nin + info->nout);
    for (int i = 0; r && i < info->nin + info->nout; i++) {
        PyObject *name = PyUnicode_FromString(cp_type_name(i < info->nin ? loop[i] : out[i - info->nin]));
        if (!name) Py_CLEAR(r);
        else PyTuple_SET_ITEM(r, i, name);
    }
    return r;
}

static PyGetSetDef attributes[] = {
    {"_bodies", get_bodies, NULL, NULL, NULL},
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
    {"ntypes", get_ntypes, NULL, "Number of types.", NULL},
    {"signature", get_no_signature, NULL, "None: it works on elements.", NULL},
    {NULL},
};

/* By name; of another module's by cuprite._support.ufunc_of. */
static PyObject *ufunc_pickle(PyObject *o, PyObject *u)
{
    (void)u;
    const cp_op_info *info = &((ufunc *)o)->info;
    if (!info->module) return get_name(o, NULL);
    PyObject *module = PyImport_ImportModule("cuprite._support");
    PyObject *f = module ? PyObject_GetAttrString(module, "ufunc_of") : NULL;
    Py_XDECREF(module);
    return f ? Py_BuildValue("(N(ss))", f, info->module, info->name) : NULL;
}

static PyMethodDef methods[] = {
    {"_loop", (PyCFunction)(void (*)(void))ufunc_loop, METH_FASTCALL, NULL},
    {"reduce", (PyCFunction)(void (*)(void))cpy_ufunc_reduce, METH_VARARGS | METH_KEYWORDS,
     "reduce($self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True)\n--\n\n"
     "Joins the elements along axes by the operation, each to those before it; several axes (None: all) where they may "
     "be regrouped.\n\nParameters:\n    array: an array.\n    axis: an axis, a tuple of axes, or None for all.\n"
     "    dtype: the type that is computed in; None: the operation's own choice.\n"
     "    out: an array that takes the result; None: a new one.\n    keepdims: True: the axes stay, with extent 1.\n"
     "    initial: a number to begin with; None: the first element.\n"
     "    where: a boolean array that names the elements that count; True: all.\n\nResult: a new array, or `out`.\n\n"
     "Errors: AxisError for an axis out of bounds; TypeError for what is no array; ValueError for an operation "
     "that does\n"
     "    not join two operands to one, for no elements where it has no identity, and for several axes where "
     "order counts."},
    {"accumulate", (PyCFunction)(void (*)(void))cpy_ufunc_accumulate, METH_VARARGS | METH_KEYWORDS,
     "accumulate($self, array, axis=0, dtype=None, out=None)\n--\n\n"
     "What the elements up to each one along an axis give: the array's shape.\n\nParameters:\n    array: an array.\n"
     "    axis: an axis; negative ones count from the last.\n"
     "    dtype: the type that is computed in; None: the operation's own choice.\n"
     "    out: an array that takes the result; None: a new one.\n\nResult: a new array, or `out`.\n\n"
     "Errors: AxisError for an axis out of bounds; TypeError for what is no array; ValueError for an operation "
     "that does\n"
     "    not join two operands to one."},
    {"reduceat", (PyCFunction)(void (*)(void))cpy_ufunc_reduceat, METH_VARARGS | METH_KEYWORDS,
     "reduceat($self, array, indices, axis=0, dtype=None, out=None)\n--\n\n"
     "What the elements indices[j] to indices[j + 1] - 1 along an axis give, or the one element indices[j] where that "
     "is none. The indices are read, which waits for the device.\n\nParameters:\n    array: an array.\n"
     "    indices: integers, an array or a list.\n    axis: an axis; negative ones count from the last.\n"
     "    dtype: the type that is computed in; None: the operation's own choice.\n"
     "    out: an array that takes the result; None: a new one.\n\nResult: a new array, or `out`.\n\n"
     "Errors: AxisError for an axis out of bounds; IndexError for an index out of bounds; TypeError for what is "
     "no array;\n"
     "    ValueError for an operation that does not join two operands to one."},
    {"outer", (PyCFunction)(void (*)(void))cpy_ufunc_outer, METH_VARARGS | METH_KEYWORDS,
     "outer($self, a, b, /, **options)\n--\n\nThe operation on every pair of elements: shape a.shape + b.shape.\n\n"
     "Parameters:\n    a: an array or a number.\n    b: an array or a number.\n    **options: as of the call.\n\n"
     "Result: a new array, or `out`.\n\nErrors: ValueError for an operation that has not two operands; else as "
     "the call's."},
    {"at", (PyCFunction)(void (*)(void))cpy_ufunc_at, METH_VARARGS,
     "at($self, a, indices, b=None, /)\n--\n\n"
     "a[indices] = op(a[indices], b) in place, where an element that is named more than once is changed each time.\n\n"
     "Parameters:\n    a: the array that is changed.\n    indices: what a[indices] takes.\n"
     "    b: the second operand, which broadcasts; None for operations of one.\n\nResult: None.\n\n"
     "Errors: IndexError for an index out of bounds; ValueError for too many or too few operands."},
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

/* The ufunc under its name and the others that its row says; one of another module under "_" and that module's words.
 * */
static bool add_ufunc(cpy_state *s, ufunc *f)
{
    bool done = true;
    const char *name = f->info.name;
    for (const char *const *alias = f->info.aliases; done && name; name = alias ? *alias++ : NULL) {
        PyObject *key = f->info.module ? PyUnicode_FromFormat("_%s.%s", f->info.module, name)
                                       : PyUnicode_FromString(name);
        done = key && PyObject_SetAttr(s->module, key, (PyObject *)f) == 0;
        Py_XDECREF(key);
    }
    return done;
}

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
        done = done && f->info.nin <= MOST_INPUTS && f->info.nout <= MOST_OUTPUTS && add_ufunc(s, f);
        Py_DECREF(f);
    }
    return done;
}
