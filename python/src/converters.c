/* Arguments of function rows: binding a call's to parameters, and a converter for every kind (tools/generate/kinds.py).
 *
 * Invariant: an array that a converter returns is owned or held. So it lives while other threads run, whatever they do
 * to its Python object. */
#include "rows.h"

#include <ctype.h>
#include <string.h>

/* --- a call's arguments by their names --- */
static bool is_word(PyObject *name, const cpy_name *w)
{
    return PyUnicode_GET_LENGTH(name) == w->length && PyUnicode_IS_COMPACT_ASCII(name) &&
           memcmp(PyUnicode_1BYTE_DATA(name), w->text, (size_t)w->length) == 0;
}

static bool take_keyword(const cpy_signature *s, PyObject *name, PyObject *value, PyObject **o)
{
    int at = 0;
    while (at < s->n && !is_word(name, &s->words[at])) at++;
    if (at == s->n || at < s->positional_only || at == s->star) {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", s->name, name);
        return false;
    }
    if (o[at]) {
        PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", s->name, name);
        return false;
    }
    o[at] = value;
    return true;
}

/* *args: one item stands for itself, f(3) and f((3,)) mean the same wherever *args is used. */
static bool take_rest(const cpy_signature *s, PyObject *const *v, Py_ssize_t n, PyObject **o)
{
    for (int i = 0; i < s->star && i < n; i++) o[i] = v[i];
    if (n <= s->star) return true;
    if (n - s->star == 1 && !s->many) {
        o[s->star] = v[s->star];
        return true;
    }
    PyObject *rest = PyTuple_New(n - s->star);
    if (!rest) return false;
    for (Py_ssize_t i = s->star; i < n; i++) PyTuple_SET_ITEM(rest, i - s->star, Py_NewRef(v[i]));
    o[s->star] = o[s->n] = rest;
    return true;
}

static bool wrong_number(const cpy_signature *s, Py_ssize_t n)
{
    PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional argument%s (%zd given)", s->name, s->positional,
                 s->positional == 1 ? "" : "s", n);
    return false;
}

static bool nothing_missing(const cpy_signature *s, PyObject *const *o)
{
    for (int i = 0; s->required >> i; i++)
        if ((s->required >> i & 1) && !o[i]) {
            PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s' (pos %d)", s->name, s->words[i].text,
                         i + 1);
            return false;
        }
    return true;
}

bool cpy_arguments(const cpy_signature *s, PyObject *const *v, Py_ssize_t n, PyObject *names, PyObject **o)
{
    if (s->star < 0 && n > s->positional) return wrong_number(s, n);
    Py_ssize_t plain = s->star < 0 ? n : 0;
    for (Py_ssize_t i = 0; i < plain; i++) o[i] = v[i];
    for (Py_ssize_t i = plain; i < s->n; i++) o[i] = NULL;
    if (s->star >= 0) {
        o[s->n] = NULL;
        if (!take_rest(s, v, n, o)) return false;
    }
    Py_ssize_t keywords = names ? PyTuple_GET_SIZE(names) : 0;
    bool done = true;
    for (Py_ssize_t i = 0; done && i < keywords; i++) done = take_keyword(s, PyTuple_GET_ITEM(names, i), v[n + i], o);
    done = done && (!s->required || nothing_missing(s, o));
    if (!done && s->star >= 0) Py_CLEAR(o[s->n]);
    return done;
}

/* --- arrays --- */
bool cpy_take_array(PyObject *o, cp_array **x)
{
    *x = cpy_need(o) ? cpy_hold(o) : NULL;
    return *x != NULL;
}

bool cpy_take_prototype(PyObject *o, cp_array **x)
{
    return !cpy_is_array(o) && cpy_is_array_like(o) ? cpy_take_array_like(o, NULL, x) : cpy_take_array(o, x);
}

bool cpy_take_operand(PyObject *o, cp_array *near, cp_array **x)
{
    bool own;
    if (cpy_is_array(o)) return *x = cpy_hold(o), true;
    cp_array *v = cpy_operand(o, near, CPY_NO_OP, &own);
    *x = own ? v : cp_retain(v);
    return *x != NULL;
}

/* A Python integer at or beyond the low (sign -1) or high (1) end of an integer array's type. */
static bool beyond(PyObject *o, const cp_array *x, int sign)
{
    char kind = x ? cp_type_kind(cp_type_of(x)) : 0;
    int bits = x ? (int)cp_type_size(cp_type_of(x)) * 8 : 0, overflow;
    if (!PyLong_CheckExact(o) || (kind != 'i' && kind != 'u')) return false;
    int64_t v = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (sign < 0) return overflow ? overflow < 0 : v <= (kind == 'u' ? 0 : INT64_MIN >> (64 - bits));
    if (kind == 'u' && bits == 64) {
        if (overflow <= 0) return false;
        bool most = PyLong_AsUnsignedLongLong(o) == UINT64_MAX; /* also when it raises: there is no more */
        PyErr_Clear();
        return most;
    }
    return overflow ? overflow > 0 : v >= (kind == 'u' ? (INT64_C(1) << bits) - 1 : INT64_MAX >> (64 - bits));
}

bool cpy_take_bound(PyObject *o, cp_array *near, int sign, cp_array **x)
{
    return beyond(o, near, sign) || cpy_take_operand(o, near, x);
}

/* An integer that int64 does not hold. */
static bool is_huge(PyObject *o) { return PyLong_Check(o) && cpy_type_of_integer(o) != CP_INT64; }

static bool is_inexact(cp_type t)
{
    char kind = t == CP_DEFAULT ? 0 : cp_type_kind(t);
    return kind == 'f' || kind == 'c';
}

static bool take_double(PyObject *o, cp_array **x)
{
    double v = PyLong_AsDouble(o);
    if (v == -1 && PyErr_Occurred()) return false;
    *x = cp_scalar(CP_FLOAT64, &v);
    if (!*x) cpy_raise();
    return *x != NULL;
}

/* It becomes the type that the reduction computes in: dtype=, else the one that the array and `out` meet in. */
bool cpy_take_start(PyObject *o, cp_array *near, cp_type dtype, cp_array *out, cp_array **x)
{
    if (o == Py_None) return true; /* not even the identity */
    cp_type t = near ? cp_type_of(near) : CP_DEFAULT;
    if (out && near) t = cp_promote(t, cp_type_of(out));
    if (dtype != CP_DEFAULT) t = dtype;
    if (is_huge(o) && is_inexact(t)) return take_double(o, x);
    if (is_huge(o) && t == CP_BOOL && (dtype != CP_DEFAULT || out)) o = Py_True;
    if (!cpy_take_operand(o, NULL, x)) return false;
    bool whole = t != CP_DEFAULT && cp_type_kind(t) == 'i';
    if (!whole || !cpy_is_generic(o) || cp_type_kind(cp_type_of(*x)) == 'c') return true;
    PyObject *number = PyObject_CallMethod(o, "item", NULL); /* as Python's, which is checked */
    cpy_free(*x);
    *x = number ? cpy_scalar(number, NULL, CPY_NO_OP) : NULL;
    Py_XDECREF(number);
    return *x != NULL;
}

/* Integers have nothing to be replaced: one that is none of theirs is nothing. */
bool cpy_take_replacement(PyObject *o, cp_array *near, cp_array **x)
{
    bool idle = near && !is_inexact(cp_type_of(near)) && PyLong_CheckExact(o);
    return idle || cpy_take_operand(o, near, x);
}

bool cpy_take_array_like(PyObject *o, cp_array *near, cp_array **x)
{
    if (cpy_is_array(o)) return *x = cpy_hold(o), true;
    PyObject *held = near ? cpy_asarray_near(o, near) : cpy_asarray(o, CP_DEFAULT);
    if (!held) return false;
    *x = cp_retain(cpy_x(held));
    Py_DECREF(held);
    return true;
}

bool cpy_take_array_like_to(cp_op op, PyObject *o, cp_array *near, cp_array **x)
{
    if (!PyLong_Check(o) || cpy_type_of_integer(o) != CP_DEFAULT) return cpy_take_array_like(o, near, x);
    if (near && is_inexact(cp_type_of(near))) return take_double(o, x);
    *x = cpy_scalar(o, NULL, (int)op);
    return *x != NULL;
}

bool cpy_take_number_or_array_like(PyObject *o, cp_array *near, cp_array **x)
{
    int huge = 0;
    if (o == Py_None) return PyErr_SetString(PyExc_TypeError, "must be real number, not NoneType"), false;
    if (!cpy_is_scalar(o)) return cpy_take_array_like(o, near, x);
    if (PyLong_Check(o)) PyLong_AsLongLongAndOverflow(o, &huge);
    if (huge) {
        double v = PyLong_AsDouble(o);
        if (v == -1 && PyErr_Occurred()) return false;
        *x = cp_float(v);
        if (!*x) cpy_raise();
    } else {
        *x = cpy_scalar(o, NULL, CPY_NO_OP);
    }
    return *x != NULL;
}

/* Numbers stay numbers: a 0-d argument means something of its own where this is used. NumPy's arrays are refused. */
bool cpy_take_indices(PyObject *o, cp_array *near, cp_array **x)
{
    if (!cpy_take_number_or_array_like(o, near, x)) return false;
    if (!PyList_Check(o) && !PyTuple_Check(o)) return true;
    if (cp_type_kind(cp_type_of(*x)) != 'f') return true;
    cp_array *none = cp_astype(*x, CP_INT64);
    cpy_free(*x);
    return (*x = none) || (cpy_raise(), false);
}

bool cpy_take_array_or_list(PyObject *o, cp_array *near, cp_array **x)
{
    if (cpy_is_array(o) || cpy_is_numpy_array(o)) return cpy_take_array(o, x);
    if (PyFloat_Check(o)) {
        *x = cp_float(PyFloat_AS_DOUBLE(o));
    } else if (PyIndex_Check(o)) {
        int64_t n;
        if (!cpy_int64(o, &n)) return false;
        *x = cp_int(n);
    } else {
        return cpy_take_array_like(o, near, x);
    }
    if (!*x) cpy_raise();
    return *x != NULL;
}

bool cpy_take_array_or_number(PyObject *o, cp_array *near, cp_array **x)
{
    return cpy_is_scalar(o) ? cpy_take_array_like(o, near, x) : cpy_take_array(o, x);
}

bool cpy_take_where(PyObject *o, cp_array **x)
{
    if (o == Py_True) return true;
    if (o != Py_None && !cpy_is_scalar(o)) return cpy_take_array(o, x);
    int truth = PyObject_IsTrue(o);
    if (truth < 0) return false;
    *x = cp_scalar(CP_BOOL, &(uint8_t){truth > 0});
    if (!*x) cpy_raise();
    return *x != NULL;
}

bool cpy_take_out(PyObject *o, cp_array **x, PyObject **object)
{
    if (!cpy_out(o, x)) return false;
    if (*x) cpy_hold(*object = o);
    return true;
}

bool cpy_take_ufunc_out(PyObject *o, cp_array **x, PyObject **object)
{
    o = cpy_only_out(o);
    return o && cpy_take_out(o, x, object);
}

cpy_near cpy_find_array(int n, PyObject *const *o)
{
    for (int i = 0; i < n; i++)
        if (o[i] && cpy_is_array(o[i])) return (cpy_near){o[i], cpy_hold(o[i])};
    return (cpy_near){NULL, NULL};
}

cpy_near cpy_find_operand(int n, PyObject *const *o)
{
    cpy_near near = cpy_find_array(n, o);
    return near.x ? near : (cpy_near){NULL, cpy_find_number(n, o)};
}

static bool take_arrays(PyObject *o, cpy_arrays *v, bool (*take)(PyObject *, cp_array **))
{
    *v = (cpy_arrays){0};
    if (!cpy_is_array(o) && !PySequence_Check(o)) {
        PyErr_Format(PyExc_TypeError, "a sequence of arrays is needed, not %R", (PyObject *)Py_TYPE(o));
        return false;
    }
    if (cpy_is_array(o) && cp_ndim(cpy_x(o)) == 0) {
        PyErr_SetString(PyExc_TypeError, "a sequence of arrays is needed, not a 0-d array");
        return false;
    }
    v->held = PySequence_Tuple(o); /* other threads may change a list meanwhile */
    if (!v->held) return false;
    Py_ssize_t n = PyTuple_GET_SIZE(v->held);
    bool done = n <= INT32_MAX;
    if (!done) PyErr_SetString(PyExc_ValueError, "too many arrays");
    if (done && !(v->at = PyMem_Calloc((size_t)n + 1, sizeof *v->at))) done = (PyErr_NoMemory(), false);
    Py_ssize_t first = 0; /* array, beside which the others are made */
    while (first < n && !cpy_is_array(PyTuple_GET_ITEM(v->held, first))) first++;
    const int before = cpy_go_to(first < n ? cpy_x(PyTuple_GET_ITEM(v->held, first)) : NULL);
    for (Py_ssize_t i = 0; done && i < n; i++) {
        done = take(PyTuple_GET_ITEM(v->held, i), &v->at[i]);
        v->n += done;
    }
    cpy_go_back(before);
    if (!done) cpy_drop_arrays(v);
    return done;
}

bool cpy_take_arrays(PyObject *o, cpy_arrays *v) { return take_arrays(o, v, cpy_take_array); }
static bool take_one_or_number(PyObject *o, cp_array **x) { return cpy_take_array_or_number(o, NULL, x); }
bool cpy_take_arrays_or_numbers(PyObject *o, cpy_arrays *v) { return take_arrays(o, v, take_one_or_number); }

static bool take_one_like(PyObject *o, cp_array **x) { return cpy_take_array_like(o, NULL, x); }
bool cpy_take_arrays_like(PyObject *o, cpy_arrays *v) { return take_arrays(o, v, take_one_like); }

void cpy_drop_arrays(cpy_arrays *v)
{
    for (int i = 0; i < v->n; i++) cpy_drop(PyTuple_GET_ITEM(v->held, i), v->at[i]);
    PyMem_Free(v->at);
    Py_CLEAR(v->held);
    *v = (cpy_arrays){0};
}

int64_t cpy_sizes(const cpy_arrays *v)
{
    int64_t size = 0;
    for (int i = 0; i < v->n; i++) size = cpy_larger(size, cp_size(v->at[i]));
    return size;
}

/* --- numbers, axes, words --- */
bool cpy_take_axis_or_all(PyObject *o, cpy_axes *v)
{
    v->axes = (cp_axes){1, v->at};
    return cpy_axis(o, v->at);
}

/* A text is no truth value: what stands there was meant for another argument. */
bool cpy_take_bool(PyObject *o, bool *v)
{
    if (PyBool_Check(o)) return *v = o == Py_True, true;
    if (PyUnicode_Check(o) || PyBytes_Check(o)) {
        PyErr_Format(PyExc_TypeError, "'%s' object is no truth value", Py_TYPE(o)->tp_name);
        return false;
    }
    return cpy_bool(o, false, v);
}

/* copy=: None is for functions without a default of their own. */
bool cpy_take_copy(PyObject *o, cpy_copy *v)
{
    if (o == Py_None) return *v = CPY_COPY_IF_NEEDED, true;
    if (PyUnicode_Check(o)) {
        PyErr_SetString(PyExc_ValueError, "strings are not allowed for 'copy' keyword. Use True/False/None instead.");
        return false;
    }
    bool copy;
    if (!cpy_take_bool(o, &copy)) return false;
    *v = copy ? CPY_COPY_ALWAYS : CPY_COPY_NEVER;
    return true;
}

/* An integer, as NumPy's C functions take truth values. */
bool cpy_keepdims(PyObject *o, bool *v)
{
    int number = o == Py_True;
    if (!PyBool_Check(o) && !cpy_int(o, &number)) return false;
    return *v = number != 0, true;
}

/* --- what is only checked --- */
bool cpy_check_bool(PyObject *o)
{
    bool v;
    return cpy_take_bool(o, &v);
}

static bool check_kind(PyObject *o, const char *what, const char *letters, const char *words)
{
    if (!PyUnicode_Check(o)) {
        PyErr_Format(PyExc_TypeError, "%s kind must be str, not %s", what, Py_TYPE(o)->tp_name);
        return false;
    }
    Py_UCS4 c = PyUnicode_GET_LENGTH(o) ? PyUnicode_READ_CHAR(o, 0) : 0;
    if (c && c < 128 && strchr(letters, tolower((int)c))) return true;
    PyErr_Format(PyExc_ValueError, "%s kind must be %s (got %R)", what, words, o);
    return false;
}

/* NumPy reads the first letter: 'stable' is 'mergesort' too. */
bool cpy_take_stable_kind(PyObject *o, cpy_stability *v)
{
    if (!cpy_check_sort_kind(o)) return false;
    int c = tolower((int)PyUnicode_READ_CHAR(o, 0));
    return *v = c == 's' || c == 'm' ? CPY_STABLE : CPY_UNSTABLE, true;
}

bool cpy_take_stable_flag(PyObject *o, cpy_stability *v)
{
    bool stable;
    if (!cpy_take_bool(o, &stable)) return false;
    return *v = stable ? CPY_STABLE : CPY_UNSTABLE, true;
}

bool cpy_check_sort_kind(PyObject *o) { return check_kind(o, "sort", "qhsm", "one of 'quick', 'heap', or 'stable'"); }

bool cpy_check_select_kind(PyObject *o)
{
    if (PyUnicode_Check(o) && PyUnicode_CompareWithASCIIString(o, "introselect") == 0) return true;
    return check_kind(o, "select", "", "'introselect'");
}

/* order= names fields of records, which these arrays do not have. */
bool cpy_check_no_fields(PyObject *o)
{
    if (!cpy_given(o)) return true;
    PyErr_SetString(PyExc_ValueError, "Cannot specify order when the array has no fields.");
    return false;
}

/* --- results --- */
PyObject *cpy_wrap_part(cp_array *x, PyObject *o)
{
    return x && cp_data(x) == cp_data(cpy_x(o)) ? cpy_wrap_view(x, o) : cpy_wrap(x);
}

PyObject *cpy_wrap_into(cp_array *x, cp_array *out)
{
    if (!x || !out) return cpy_wrap(x);
    cp_code code;
    CPY_RUN(cp_size(x), code = cp_assign(out, x));
    if (code == CP_OK) return cpy_wrap(x);
    cpy_free(x);
    return cpy_raise();
}

PyObject *cpy_wrap_out(cp_array *x, PyObject *out)
{
    if (!x || !out) return cpy_wrap(x);
    cpy_free(x);
    return Py_NewRef(out);
}

PyObject *cpy_or_out(PyObject *r, PyObject *out)
{
    if (r && out) Py_SETREF(r, Py_NewRef(out));
    return r;
}

PyObject *cpy_wrap_whole(cp_array *x, PyObject *o)
{
    if (!x || !cpy_is_array(o)) return cpy_wrap(x);
    cp_array *all = cpy_x(o);
    size_t bytes = (size_t)cp_ndim(all) * sizeof(int64_t);
    bool same = cp_data(x) == cp_data(all) && cp_type_of(x) == cp_type_of(all) && cp_ndim(x) == cp_ndim(all) &&
                !memcmp(cp_dims(x), cp_dims(all), bytes) && !memcmp(cp_strides(x), cp_strides(all), bytes);
    if (!same) return cpy_wrap_part(x, o);
    cpy_free(x);
    return Py_NewRef(o);
}

PyObject *cpy_wrap_each(cp_code code, cp_array **made, const cpy_arrays *of, bool alone)
{
    PyObject *t = code == CP_OK ? PyTuple_New(of->n) : cpy_raise();
    for (int i = 0; i < of->n; i++) {
        PyObject *from = PyTuple_GET_ITEM(of->held, i);
        PyObject *o = t ? cpy_wrap_whole(made[i], from) : (cpy_free(made[i]), NULL);
        o = alone ? cpy_like(o, from) : cpy_plain(o); /* as NumPy's atleast_1d and broadcast_arrays */
        if (o) PyTuple_SET_ITEM(t, i, o);
        else Py_CLEAR(t);
    }
    PyMem_Free(made);
    if (!t || !alone || of->n != 1) return t;
    PyObject *only = Py_NewRef(PyTuple_GET_ITEM(t, 0));
    Py_DECREF(t);
    return only;
}

PyObject *cpy_wrap_rows(cp_array *made)
{
    PyObject *all = cpy_wrap(made);
    int n = all ? (int)cp_dims(made)[0] : 0;
    PyObject *t = all ? PyTuple_New(n) : NULL;
    for (int i = 0; t && i < n; i++) {
        PyObject *row = cpy_wrap_view(cp_slice(made, 1, &CP_AT(i)), all);
        if (row) PyTuple_SET_ITEM(t, i, row);
        else Py_CLEAR(t);
    }
    Py_XDECREF(all);
    return t;
}

static PyObject *array_or_number(cp_array *x)
{
    if (!x || cp_ndim(x)) return cpy_wrap(x);
    PyObject *number = cpy_item(x);
    cpy_free(x);
    return number;
}

PyObject *cpy_wrap_more(cp_array *x, bool asked, int n, cp_array *const *more)
{
    PyObject *first = cpy_wrap(x), *t = first && asked ? PyTuple_New(1 + n) : NULL;
    if (t) PyTuple_SET_ITEM(t, 0, first);
    else if (asked) Py_CLEAR(first);
    for (int i = 0; asked && i < n; i++) {
        PyObject *o = t ? array_or_number(more[i]) : (cpy_free(more[i]), NULL);
        if (o) PyTuple_SET_ITEM(t, 1 + i, o);
        else Py_CLEAR(t);
    }
    return asked ? t : first;
}

PyObject *cpy_results(cp_code code, int n, cp_array *const *x)
{
    PyObject *t = code == CP_OK ? PyTuple_New(n) : cpy_raise();
    for (int i = 0; i < n; i++) {
        PyObject *o = t ? cpy_wrap(x[i]) : (cpy_free(x[i]), NULL);
        if (o) PyTuple_SET_ITEM(t, i, o);
        else Py_CLEAR(t);
    }
    return t;
}
