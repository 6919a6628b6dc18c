/* Methods of ufunc objects: along axes, at indices, for pairs; the types of signature=. */
#include "ufunc.h"
#include "ufunc_methods_rows.h"

#include <string.h>

/* A new result is of the class of x. */
static PyObject *returned(cp_array *r, PyObject *x, PyObject *out)
{
    if (!r) return cpy_raise();
    if (!out) return cpy_warned(cpy_result_of(cpy_wrap(r), cpy_class_of(1, &x)));
    cpy_free(r);
    return cpy_warned(Py_NewRef(out));
}

/* NumPy asks this before anything else. */
static bool joins(const ufunc *f, const char *method)
{
    if (f->info.nin == 2 && f->info.nout == 1) return true;
    PyErr_Format(PyExc_ValueError, "%s only supported for %s", method,
                 f->info.nin != 2 ? "binary functions" : "functions returning a single value");
    return false;
}

/* ufunc.reduce(a, axis=0, dtype=None, out=None, keepdims=False, initial=<the identity>, where=True) */
static PyObject *reduce_here(PyObject *o, PyObject *args, PyObject *kw)
{
    PyObject *answer;
    if (cpy_answered(o, "reduce", args, kw, &answer)) return answer;
    static char *names[] = {"array", "axis", "dtype", "out", "keepdims", "initial", "where", NULL};
    ufunc *self = (ufunc *)o;
    PyObject *x, *axis = NULL, *dtype = NULL, *out = NULL, *keepdims = NULL, *initial = NULL, *where = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "O|OOOOOO:reduce", names, &x, &axis, &dtype, &out, &keepdims, &initial,
                                     &where))
        return NULL;
    cp_array *a = NULL, *m = NULL, *start = NULL, *result = NULL;
    PyObject *into = NULL, *r = NULL;
    cpy_axes axes;
    cp_reduce_options options = {0};
    if (!joins(self, "reduce") || !cpy_take_array(x, &a)) return NULL;
    if ((keepdims && !cpy_keepdims(keepdims, &options.keepdims)) || !cpy_axes_arg(axis, x, &axes) ||
        !cpy_type(dtype, CP_DEFAULT, &options.dtype) || (out && !cpy_take_ufunc_out(out, &options.out, &into)) ||
        (where && !cpy_take_where(where, &m)) ||
        (initial && !cpy_take_start(initial, a, options.dtype, options.out, &start)))
        goto out;
    if (!axis) {
        axes.at[0] = 0;
        axes.axes = (cp_axes){cp_ndim(a) > 0, axes.at};
    }
    options.typed = cpy_given(dtype);
    options.axis = axes.axes;
    options.where = m;
    options.initial = start;
    options.no_identity = initial == Py_None;
    CPY_RUN(cp_size(a), result = (cp_ufunc_reduce)(self->op, a, &options));
    r = returned(result, x, into);
out:
    cpy_drop(x, a);
    cpy_drop(into, options.out);
    cpy_drop(where, m);
    cpy_drop(initial, start);
    return r;
}

/* What accumulate and reduceat have in common. */
typedef struct {
    cp_array *x;
    int axis;
    cp_accumulate_options options;
    PyObject *into;
} accumulation;

/* The one axis; None is that of an array of one dimension. */
static bool one_axis(const char *method, PyObject *axis, PyObject *x, accumulation *c)
{
    cpy_axes axes;
    if (!axis) return c->axis = 0, true;
    if (!cp_ndim(c->x) && PyTuple_Check(axis) && PyTuple_GET_SIZE(axis)) return cpy_raise_axis(0, 0), false;
    if (!cpy_axes_arg(axis, x, &axes)) return false;
    for (int i = 0, ndim = cp_ndim(c->x); axes.axes.at && ndim && i < axes.axes.n; i++)
        if (axes.axes.at[i] < -ndim || axes.axes.at[i] >= ndim) return cpy_raise_axis(axes.axes.at[i], ndim), false;
    const int n = axes.axes.at ? axes.axes.n : cp_ndim(c->x);
    if (cp_ndim(c->x) && n != 1) {
        PyErr_Format(PyExc_ValueError, "%s does not allow multiple axes", method);
        return false;
    }
    c->axis = axes.axes.at && n == 1 ? axes.axes.at[0] : 0;
    return true;
}

static bool open_accumulation(PyObject *f, const char *method, PyObject *x, PyObject *axis, PyObject *dtype,
                              PyObject *out, accumulation *c)
{
    *c = (accumulation){0};
    c->options.typed = cpy_given(dtype);
    return joins((ufunc *)f, method) && cpy_take_array(x, &c->x) && one_axis(method, axis, x, c) &&
           cpy_type(dtype, CP_DEFAULT, &c->options.dtype) &&
           (!out || cpy_take_ufunc_out(out, &c->options.out, &c->into));
}

static PyObject *close_accumulation(accumulation *c, PyObject *x, cp_array *result, bool made)
{
    PyObject *r = made ? returned(result, x, c->into) : NULL;
    cpy_drop(x, c->x);
    cpy_drop(c->into, c->options.out);
    return r;
}

/* ufunc.accumulate(array, axis=0, dtype=None, out=None) */
static PyObject *accumulate_here(PyObject *o, PyObject *args, PyObject *kw)
{
    PyObject *answer;
    if (cpy_answered(o, "accumulate", args, kw, &answer)) return answer;
    static char *names[] = {"array", "axis", "dtype", "out", NULL};
    PyObject *x, *axis = NULL, *dtype = NULL, *out = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "O|OOO:accumulate", names, &x, &axis, &dtype, &out)) return NULL;
    accumulation c;
    cp_array *r = NULL;
    bool made = open_accumulation(o, "accumulate", x, axis, dtype, out, &c);
    if (made) CPY_RUN(cp_size(c.x), r = (cp_ufunc_accumulate)(((ufunc *)o)->op, c.x, c.axis, &c.options));
    return close_accumulation(&c, x, r, made);
}

/* A list's numbers become int64, whatever they are; arrays must be of integers. */
static PyObject *positions_of(PyObject *o, const cp_array *near)
{
    if (cpy_is_array(o)) return Py_NewRef(o);
    if (cpy_is_numpy_array(o)) return cpy_asarray_near(o, near);
    if (o == Py_None) {
        PyErr_SetString(PyExc_ValueError, "object of too small depth for desired array");
        return NULL;
    }
    PyObject *np = cpy_numpy(), *held = np ? PyObject_CallMethod(np, "array", "Os", o, "int64") : NULL;
    PyObject *r = held ? cpy_asarray_near(held, near) : NULL;
    Py_XDECREF(held);
    return r;
}

/* ufunc.reduceat(array, indices, axis=0, dtype=None, out=None) */
static PyObject *reduceat_here(PyObject *o, PyObject *args, PyObject *kw)
{
    PyObject *answer;
    if (cpy_answered(o, "reduceat", args, kw, &answer)) return answer;
    static char *names[] = {"array", "indices", "axis", "dtype", "out", NULL};
    PyObject *x, *indices, *axis = NULL, *dtype = NULL, *out = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "OO|OOO:reduceat", names, &x, &indices, &axis, &dtype, &out))
        return NULL;
    accumulation c;
    cp_array *r = NULL, *at = NULL;
    bool made = open_accumulation(o, "reduceat", x, axis, dtype, out, &c);
    PyObject *held = made ? positions_of(indices, c.x) : NULL;
    made = held && cpy_take_array(held, &at);
    if (made) CPY_UNLOCKED(r = (cp_ufunc_reduceat)(((ufunc *)o)->op, c.x, at, c.axis, &c.options));
    if (held) cpy_drop(held, at);
    Py_XDECREF(held);
    return close_accumulation(&c, x, r, made);
}

/* a's axes, then b's. */
static PyObject *outer(PyObject *o, PyObject *a, PyObject *b, PyObject *kw)
{
    cp_array *x = cpy_need(a), *y = cpy_need(b);
    if (!x || !y) return NULL;
    cpy_ints shape = {cp_ndim(x) + cp_ndim(y), {0}};
    if (shape.n > CP_MAXDIM) return PyErr_Format(PyExc_ValueError, "outer: more than %d dimensions", CP_MAXDIM);
    for (int i = 0; i < shape.n; i++) shape.at[i] = i < cp_ndim(x) ? cp_dims(x)[i] : 1;
    cp_array *widened;
    CPY_RUN_ON(1, &x, cp_is_c_contiguous(x) ? 0 : cp_size(x), widened = cp_reshape(x, cpy_shape_of(&shape)));
    PyObject *wide = cpy_like(cpy_wrap(widened), a);
    PyObject *pair = wide ? PyTuple_Pack(2, wide, b) : NULL;
    PyObject *r = pair ? PyObject_Call(o, pair, kw) : NULL;
    Py_XDECREF(wide);
    Py_XDECREF(pair);
    return r;
}

/* ufunc.outer(a, b): the call on a with further axes, so that it has the call's options. */
PyObject *cpy_ufunc_outer(PyObject *o, PyObject *args, PyObject *kw)
{
    PyObject *answer;
    if (cpy_answered(o, "outer", args, kw, &answer)) return answer;
    PyObject *a, *b;
    if (((ufunc *)o)->info.nin != 2) {
        PyErr_SetString(PyExc_ValueError, "outer product only supported for binary functions");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "OO:outer", &a, &b)) return NULL;
    /* numbers have their own type here */
    cp_array *array = cpy_is_array(a) ? cpy_x(a) : cpy_is_array(b) ? cpy_x(b) : NULL;
    const int before = cpy_go_to(array);
    PyObject *left = cpy_is_scalar(a) ? cpy_asarray(a, CP_DEFAULT) : Py_NewRef(a);
    PyObject *right = left ? cpy_is_scalar(b) ? cpy_asarray(b, CP_DEFAULT) : Py_NewRef(b) : NULL;
    PyObject *r = right ? outer(o, left, right, kw) : NULL;
    cpy_go_back(before);
    Py_XDECREF(left);
    Py_XDECREF(right);
    return r;
}

/* --- at --- */

/* Is the index an array of integers, which name rows of an array of several axes? */
static bool names_rows(PyObject *x, PyObject *indices)
{
    if (cp_ndim(cpy_x(x)) < 2 || !cpy_is_array(indices)) return false;
    const char kind = cp_type_kind(cp_type_of(cpy_x(indices)));
    return kind == 'i' || kind == 'u';
}

/* The flat indices that an index stands for. An integer array that indexes a 1-d array is those already. */
static PyObject *flat_indices(PyObject *x, PyObject *indices)
{
    if (cp_ndim(cpy_x(x)) == 1 && cpy_is_array(indices)) {
        char kind = cp_type_kind(cp_type_of(cpy_x(indices)));
        if (kind == 'i' || kind == 'u') return Py_NewRef(indices);
    }
    PyObject *module = PyImport_ImportModule("cuprite._scatter");
    PyObject *r = module ? PyObject_CallMethod(module, "places", "OO", x, indices) : NULL;
    Py_XDECREF(module);
    return r;
}

/* What NumPy asks before it reads the index: how many operands there are, and whether there is a loop for them. */
static bool may_go(const ufunc *f, const cp_array *x, const cp_array *b)
{
    cp_type given[MOST_INPUTS] = {cp_type_of(x), b ? cp_type_of(b) : CP_BOOL};
    const char *wrong = f->info.nout != 1 ? "Only single output ufuncs supported at this time"
                      : f->info.nin > 2 ? "Only unary and binary ufuncs supported at this time"
                      : f->info.nin == 1 && b ? "second operand provided when ufunc is unary"
                      : f->info.nin == 2 && !b ? "second operand needed for ufunc" : NULL;
    if (wrong) return PyErr_SetString(PyExc_ValueError, wrong), false;
    return cp_op_types(f->op, given, NULL, NULL) == CP_OK || cpy_raise() != NULL;
}

/* ufunc.at(a, indices, b=None, /) */
static PyObject *at_here(PyObject *o, PyObject *args, PyObject *kw)
{
    PyObject *answer;
    if (cpy_answered(o, "at", args, kw, &answer)) return answer;
    ufunc *self = (ufunc *)o;
    PyObject *a, *indices, *b = NULL;
    if (!PyArg_ParseTuple(args, "OO|O:at", &a, &indices, &b)) return NULL;
    if (!cpy_is_array(a)) {
        PyErr_SetString(PyExc_TypeError, "first operand must be array");
        return NULL;
    }
    cp_array *x = cpy_hold(a), *place = NULL, *value = NULL;
    const int before = cpy_go_to(x);
    PyObject *given = b ? cpy_asarray_near(b, x) : NULL;
    bool ready = (given || !b) && (!given || cpy_take_array(given, &value)) && may_go(self, x, value);
    const bool rows = ready && names_rows(a, indices);
    PyObject *where = !ready ? NULL : rows ? Py_NewRef(indices) : flat_indices(a, indices);
    cp_code code = CP_ERROR_INTERNAL;
    ready = where && cpy_take_array(where, &place);
    if (ready)
        CPY_RUN(cp_size(place), code = rows ? cp_ufunc_at_rows(self->op, x, place, value)
                                            : cp_ufunc_at(self->op, x, place, value));
    if (where) cpy_drop(where, place);
    if (given) cpy_drop(given, value);
    cpy_go_back(before);
    cpy_drop(a, x);
    Py_XDECREF(where);
    Py_XDECREF(given);
    return ready ? cpy_warned(cpy_none(code)) : NULL;
}

/* --- operands on several devices --- */
PyObject *cpy_ufunc_reduce(PyObject *o, PyObject *args, PyObject *kw)
{
    PyObject *r = reduce_here(o, args, kw);
    return r || !cpy_on_two_devices() ? r : cpy_method_together(reduce_here, o, args, kw, false);
}

PyObject *cpy_ufunc_accumulate(PyObject *o, PyObject *args, PyObject *kw)
{
    PyObject *r = accumulate_here(o, args, kw);
    return r || !cpy_on_two_devices() ? r : cpy_method_together(accumulate_here, o, args, kw, false);
}

PyObject *cpy_ufunc_reduceat(PyObject *o, PyObject *args, PyObject *kw)
{
    PyObject *r = reduceat_here(o, args, kw);
    return r || !cpy_on_two_devices() ? r : cpy_method_together(reduceat_here, o, args, kw, false);
}

PyObject *cpy_ufunc_at(PyObject *o, PyObject *args)
{
    PyObject *r = at_here(o, args, NULL);
    return r || !cpy_on_two_devices() ? r : cpy_method_together(at_here, o, args, NULL, true);
}

/* --- signature= --- */

static bool no_loop(const ufunc *f)
{
    PyErr_Format(PyExc_TypeError, "No loop matching the specified signature and casting was found for ufunc %s",
                 f->info.name);
    return false;
}

static bool use_dtype(void)
{
    PyErr_SetString(PyExc_TypeError, "Use `dtype` or fill the tuple with more than one 'None'.");
    return false;
}

/* Types of inputs and outputs from "dd->d" or a tuple; CP_DEFAULT: any. */
static bool read_signature(const ufunc *f, PyObject *signature, cp_type *types)
{
    const int nin = f->info.nin, n = nin + f->info.nout;
    PyObject *items = PyTuple_Check(signature) ? Py_NewRef(signature) : NULL;
    if (!items && PyUnicode_Check(signature)) {
        const char *text = PyUnicode_AsUTF8(signature), *arrow = text ? strstr(text, "->") : NULL;
        if (!text) return false;
        if (!arrow && strlen(text) == 1) return use_dtype();
        if (!arrow || (arrow - text != nin || (int)strlen(arrow + 2) != n - nin)) {
            PyErr_Format(PyExc_ValueError, "a type-string for %s, %d typecode(s) before and %d after the -> sign",
                         f->info.name, nin, n - nin);
            return false;
        }
        items = PyTuple_New(n);
        for (int i = 0; items && i < n; i++)
            PyTuple_SET_ITEM(items, i, PyUnicode_FromStringAndSize(i < nin ? text + i : arrow + 2 + i - nin, 1));
        if (!items) return false;
    }
    if (!items) {
        PyErr_SetString(PyExc_TypeError, "the signature object to ufunc must be a string or a tuple.");
        return false;
    }
    const Py_ssize_t given = PyTuple_GET_SIZE(items);
    bool done = given == n;
    if (given == 1 && n != 1) use_dtype();
    else if (!done)
        PyErr_Format(PyExc_ValueError, "a type-tuple must be specified of length %d for ufunc '%s'", n, f->info.name);
    for (int i = 0; i < n && done; i++) {
        PyObject *item = PyTuple_GET_ITEM(items, i);
        done = item && cpy_type(item, CP_DEFAULT, &types[i]);
    }
    Py_DECREF(items);
    return done;
}

/* Is it a Python number that takes the type of what stands beside it? A truth value has a type. */
static bool is_weak(const ufunc *f, PyObject *const *v, int i)
{
    bool typed = false, weak = !cpy_is_array(v[i]) && !cpy_is_generic(v[i]) && !PyBool_Check(v[i]);
    for (int k = 0; k < f->info.nin; k++)
        typed |= cpy_is_array(v[k]) || cpy_is_generic(v[k]) || PyBool_Check(v[k]);
    return weak && typed;
}

static bool fits(const ufunc *f, PyObject *const *v, cp_array *const *in, const cp_type *loop, cp_casting rule)
{
    const bool truth = strncmp(f->info.name, "logical_", 8) == 0; /* anything has one */
    bool yes = true;
    for (int i = 0; i < f->info.nin && yes; i++)
        yes = is_weak(f, v, i) ? rule != CP_EQUIV
                               : (truth && loop[i] == CP_BOOL) || cp_can_cast(cp_type_of(in[i]), loop[i], rule);
    return yes;
}

/* The first loop of those types: where the inputs' are left open, one that they cast to safely. */
static bool find_loop(const ufunc *f, const cp_type *types, PyObject *const *v, cp_array *const *in, cp_type *loop)
{
    const int nin = f->info.nin;
    const bool truth = strncmp(f->info.name, "logical_", 8) == 0;
    for (cp_type t = 0; t < CP_NTYPES; t++) {
        cp_type given[MOST_INPUTS], out[MOST_OUTPUTS];
        bool right = true;
        if (!cpy_ufunc_loop(f, t, given, loop, out)) continue;
        for (int i = 0; i < nin && truth; i++) loop[i] = t;
        for (int i = 0; i < nin && right; i++)
            right = loop[i] == given[i] &&
                    (types[i] != CP_DEFAULT ? types[i] == loop[i]
                                            : is_weak(f, v, i) || cp_can_cast(cp_type_of(in[i]), loop[i], CP_SAFE));
        for (int k = 0; k < f->info.nout && right; k++)
            right = types[nin + k] == CP_DEFAULT || types[nin + k] == out[k];
        if (right) return true;
    }
    return false;
}

/* Python's numbers are read as elements of the type; a half type's stay what they are, where they are weak. */
static bool become(PyObject *o, cp_type t, bool weak, cp_array **x, bool *own)
{
    cp_array *r = NULL;
    const bool half = cpy_type_rows[t].half;
    if (cp_type_of(*x) == t && !weak) return true;
    if (weak && half && (PyFloat_Check(o) || PyLong_Check(o))) return true;
    if (cpy_is_array(o) || (half && !weak)) CPY_RUN(cp_size(*x), r = cp_astype(*x, t));
    else if (!(r = cpy_scalar_as(o, t))) return false;
    if (!r) return cpy_raise() != NULL;
    if (*own) cpy_free(*x);
    *x = r, *own = true;
    return true;
}

bool cpy_ufunc_signed(const ufunc *self, PyObject *signature, PyObject *const *v, cp_ufunc_options *options,
                      cp_array **in, bool *own)
{
    cp_type types[MOST_INPUTS + MOST_OUTPUTS], loop[MOST_INPUTS];
    const int nin = self->info.nin;
    if (!read_signature(self, signature, types)) return false;
    bool open = true;
    for (int i = 0; i < nin; i++) open &= types[i] == CP_DEFAULT;
    if (open && self->info.nout == 1) { /* what dtype= means */
        options->typed = types[nin] != CP_DEFAULT;
        options->dtype = types[nin];
        return true;
    }
    if (!find_loop(self, types, v, in, loop)) return no_loop(self);
    if (!fits(self, v, in, loop, options->casting)) {
        PyErr_Format(cpy_now()->casting_error, "Cannot cast ufunc '%s' input to the types of its signature with "
                     "casting rule '%s'", self->info.name, cpy_casting_name(options->casting));
        return false;
    }
    for (int i = 0; i < nin; i++)
        if (!become(v[i], loop[i], is_weak(self, v, i), &in[i], &own[i])) return false;
    return true;
}

/* --- methods of arrays that python/cuprite/_scatter.py has --- */
static PyObject *scatter(const char *name, PyObject *a, PyObject *slices, PyObject *value)
{
    PyObject *module = PyImport_ImportModule("cuprite._scatter");
    PyObject *r = module ? PyObject_CallMethod(module, name, "OOO", a, slices, value) : NULL;
    Py_XDECREF(module);
    return r;
}

/*: method("scatter_add", "a: array, slices: object, value: object",
           doc="a[slices] += value, where an element that is named more than once gets every addend.") */
PyObject *py_scatter_add_method(const py_scatter_add_method_args *v)
{
    return scatter("scatter_add", v->self, v->slices, v->value);
}

/*: method("scatter_max", "a: array, slices: object, value: object",
           doc="a[slices] = maximum(a[slices], value), where an element may be named more than once.") */
PyObject *py_scatter_max_method(const py_scatter_max_method_args *v)
{
    return scatter("scatter_max", v->self, v->slices, v->value);
}

/*: method("scatter_min", "a: array, slices: object, value: object",
           doc="a[slices] = minimum(a[slices], value), where an element may be named more than once.") */
PyObject *py_scatter_min_method(const py_scatter_min_method_args *v)
{
    return scatter("scatter_min", v->self, v->slices, v->value);
}

/*: method("reduced_view", "a: array",
           doc="A view of the same elements in the same order with as few axes as strides allow.") */
PyObject *py_reduced_view_method(const py_reduced_view_method_args *v)
{
    PyObject *module = PyImport_ImportModule("cuprite._manipulation");
    PyObject *r = module ? PyObject_CallMethod(module, "reduced_view", "O", v->self) : NULL;
    Py_XDECREF(module);
    return r;
}
