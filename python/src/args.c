/* Readers of single arguments: from a Python object to a number, a shape, axes, a word.
 *
 * Invariant: true, and the value written, or false with the exception that NumPy raises for such an argument. */
#include "rows.h"

#include <ctype.h>
#include <string.h>

bool cpy_int64(PyObject *o, int64_t *v)
{
    if (PyLong_CheckExact(o)) {
        *v = PyLong_AsLongLong(o);
    } else {
        PyObject *i = PyNumber_Index(o);
        if (!i) return false;
        *v = PyLong_AsLongLong(i);
        Py_DECREF(i);
    }
    return !(*v == -1 && PyErr_Occurred());
}

/* CP_FLAT, the smallest integer, is no axis and no place. */
static int nearest_int(int64_t v) { return v > INT32_MAX ? INT32_MAX : v <= CP_FLAT ? CP_FLAT + 1 : (int)v; }

/* The integer, or the nearest end of int64. */
static bool clamped(PyObject *o, int64_t *v)
{
    int overflow;
    PyObject *i = PyNumber_Index(o);
    if (!i) return false;
    *v = PyLong_AsLongLongAndOverflow(i, &overflow);
    Py_DECREF(i);
    if (overflow) *v = overflow < 0 ? INT64_MIN : INT64_MAX;
    return true;
}

static bool beyond_int(PyObject *error, const char *message) { return PyErr_SetString(error, message), false; }

bool cpy_int(PyObject *o, int *v)
{
    int64_t wide;
    if (!cpy_int64(o, &wide)) return false;
    *v = (int)wide;
    return *v == wide || beyond_int(PyExc_OverflowError, "Python integer too large to convert to C int");
}

bool cpy_clamped_int(PyObject *o, int *v)
{
    int64_t wide;
    if (!clamped(o, &wide)) return false;
    *v = nearest_int(wide);
    return true;
}

bool cpy_clamped_int64(PyObject *o, int64_t *v) { return clamped(o, v); }

bool cpy_offset(PyObject *o, int64_t *v)
{
    int narrow;
    if (!cpy_int(o, &narrow)) return false;
    *v = narrow;
    return true;
}

/* NumPy has two readers of integers. The one, Python's own, takes a truth value for 0 or 1. The other, of its C
 * functions, does not. */
static bool no_truth(PyObject *o, const char *message)
{
    if (!PyBool_Check(o)) return true;
    PyErr_SetString(PyExc_TypeError, message);
    return false;
}

bool cpy_axis(PyObject *o, int *v)
{
    int64_t wide;
    if (!no_truth(o, "an integer is required for the axis") || !cpy_int64(o, &wide)) return false;
    *v = (int)wide;
    return *v == wide || beyond_int(PyExc_ValueError, "integer won't fit into a C int");
}

/* Raises a ValueError instead of the OverflowError that is set. */
static bool too_large(const char *message)
{
    if (PyErr_ExceptionMatches(PyExc_OverflowError)) PyErr_SetString(PyExc_ValueError, message);
    return false;
}

bool cpy_extent(PyObject *o, int64_t *v)
{
    if (!no_truth(o, "an integer is required")) return false;
    return cpy_int64(o, v) || too_large("Maximum allowed dimension exceeded");
}

bool cpy_count(PyObject *o, int64_t *v) { return cpy_int64(o, v) || too_large("Maximum allowed size exceeded"); }

/* Python's integer or a tuple of them, which most shapes are; false for anything else, and without an exception. */
static inline bool plain_shape(PyObject *o, cpy_ints *shape)
{
    if (PyLong_CheckExact(o)) {
        int overflow;
        shape->n = 1;
        shape->at[0] = PyLong_AsLongLongAndOverflow(o, &overflow);
        return !overflow;
    }
    if (!PyTuple_CheckExact(o) || PyTuple_GET_SIZE(o) > CP_MAXDIM) return false;
    int n = (int)PyTuple_GET_SIZE(o), overflow = 0;
    for (int i = 0; i < n && !overflow; i++) {
        PyObject *item = PyTuple_GET_ITEM(o, i);
        if (!PyLong_CheckExact(item)) return false;
        shape->at[i] = PyLong_AsLongLongAndOverflow(item, &overflow);
    }
    shape->n = n;
    return !overflow;
}

/* An integer, or a sequence of them, each read by `take`. */
static bool integers(PyObject *o, cpy_ints *v, bool (*take)(PyObject *, int64_t *))
{
    if (plain_shape(o, v)) return true;
    if (cpy_is_numpy_array(o)) {
        PyObject *number = cpy_number_in(o); /* of a 0-d one, which calls itself a sequence */
        bool one = number && number != o, done = one && take(number, &v->at[0]);
        Py_XDECREF(number);
        v->n = 1;
        if (!number || one) return done;
    }
    v->n = 0;
    if (PyLong_Check(o) || !PySequence_Check(o) || (cpy_is_array(o) && cp_ndim(cpy_x(o)) == 0)) {
        v->n = 1;
        return take(o, &v->at[0]);
    }
    PyObject *s = PySequence_Fast(o, "an integer or a sequence of integers is needed");
    if (!s) return false;
    Py_ssize_t n = PySequence_Fast_GET_SIZE(s);
    if (n > CP_MAXDIM) {
        PyErr_Format(PyExc_ValueError, "maximum supported dimension for an ndarray is currently %d, found %zd",
                     CP_MAXDIM, n);
        Py_DECREF(s);
        return false;
    }
    bool done = true;
    for (Py_ssize_t i = 0; done && i < n && i < PySequence_Fast_GET_SIZE(s); i++) {
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(s, i)); /* a number's own code may change the list */
        done = take(item, &v->at[i]);
        v->n = (int)i + 1;
        Py_DECREF(item);
    }
    Py_DECREF(s);
    return done;
}

bool cpy_shape(PyObject *o, cpy_ints *v) { return integers(o, v, cpy_extent); }

bool cpy_new_shape(PyObject *o, cpy_ints *v)
{
    if (o != Py_None) return cpy_shape(o, v);
    v->n = CPY_OWN_SHAPE;
    return true;
}

bool cpy_ints_arg(PyObject *o, cpy_ints *v) { return integers(o, v, cpy_int64); }

/* With an error set: is the axis one of x? If not, that is the error. */
static void axis_first(const cp_array *x, int axis)
{
    int ndim = x ? cp_ndim(x) : 0;
    if (x && axis != CP_FLAT && (axis < -ndim || axis >= ndim)) cpy_raise_axis(axis, ndim);
}

/* --- the kth of partition, which NumPy makes an array of --- */

static bool no_index(void)
{
    PyErr_SetString(PyExc_TypeError, "Partition index must be integer");
    return false;
}

static bool no_truths(void)
{
    PyErr_SetString(PyExc_ValueError, "Booleans unacceptable as partition index");
    return false;
}

static bool too_deep(void) { return PyErr_SetString(PyExc_ValueError, "kth array must have dimension <= 1"), false; }

static bool is_truth(PyObject *o)
{
    return PyBool_Check(o) || (cpy_is_generic(o) && strncmp(Py_TYPE(o)->tp_name, "numpy.bool", 10) == 0);
}

/* Unsigned ones beyond int64 wrap, as NumPy casts them; what has no more than __index__ is an object to it. */
static bool kth(PyObject *o, int64_t *v)
{
    bool number = PyLong_Check(o) || cpy_is_generic(o) || cpy_is_array(o) || cpy_is_numpy_array(o);
    PyObject *i = is_truth(o) ? PyNumber_Long(o) : number && PyIndex_Check(o) ? PyNumber_Index(o) : NULL;
    if (!i) return no_index();
    cp_type t = cpy_type_of_integer(i);
    *v = t == CP_UINT64 ? (int64_t)PyLong_AsUnsignedLongLong(i) : t == CP_INT64 ? PyLong_AsLongLong(i) : 0;
    Py_DECREF(i);
    return t != CP_DEFAULT || no_index();
}

/* Is it what says of itself, by __array__, which array it is? */
static bool is_like(PyObject *o) { return !cpy_is_generic(o) && cpy_is_array_like(o); }

/* An array's elements as a list, or its only one; what is no array, itself. */
static PyObject *elements(PyObject *o)
{
    if (!cpy_is_array(o) && !cpy_is_numpy_array(o)) {
        PyObject *x = is_like(o) ? cpy_numpy_call("asarray", o) : Py_NewRef(o);
        PyObject *list = x && x != o ? elements(x) : Py_XNewRef(x);
        Py_XDECREF(x);
        return list;
    }
    PyObject *dtype = PyObject_GetAttrString(o, "dtype"), *kind = dtype ? PyObject_GetAttrString(dtype, "kind") : NULL;
    PyObject *shape = kind ? PyObject_GetAttrString(o, "shape") : NULL, *list = NULL;
    Py_UCS4 letter = kind && PyUnicode_Check(kind) ? PyUnicode_READ_CHAR(kind, 0) : 0;
    if (letter == 'b') no_truths();
    else if (letter != 'i' && letter != 'u') no_index();
    else if (shape && PyTuple_Check(shape) && PyTuple_GET_SIZE(shape) > 1) too_deep();
    else if (shape) list = PyObject_CallMethod(o, "tolist", NULL);
    Py_XDECREF(dtype), Py_XDECREF(kind), Py_XDECREF(shape);
    return list;
}

static bool is_list(PyObject *o) { return PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o); }

static bool kths_of(PyObject *o, bool sized, cpy_kths *v)
{
    PyObject *items = is_list(o) ? PySequence_Tuple(o) : PyTuple_Pack(1, o);
    Py_ssize_t n = items ? PyTuple_GET_SIZE(items) : 0;
    bool truths = n > 0, deep = false, done = items && n < INT32_MAX;
    for (Py_ssize_t i = 0; done && i < n; i++) {
        PyObject *item = cpy_number_in(PyTuple_GET_ITEM(items, i));
        truths = truths && item && is_truth(item);
        deep = deep || (item && is_list(item));
        done = item != NULL;
        Py_XDECREF(item);
    }
    if (done && deep) done = too_deep();
    if (done && truths) done = no_truths();
    if (done && !n && !sized) done = no_index(); /* an empty list is one of floating-point numbers */
    if (done && !(v->at = PyMem_Calloc((size_t)n + 1, sizeof *v->at))) done = (PyErr_NoMemory(), false);
    for (Py_ssize_t i = 0; done && i < n; i++) done = kth(PyTuple_GET_ITEM(items, i), &v->at[i]);
    v->n = (int)n;
    Py_XDECREF(items);
    return done;
}

bool cpy_kth(PyObject *o, cp_array *x, int axis, cpy_kths *v)
{
    PyObject *list = elements(o);
    bool done = list && kths_of(list, list != o, v);
    Py_XDECREF(list);
    if (!done) axis_first(x, axis);
    return done;
}

static bool place(PyObject *o, int64_t *v) { return no_truth(o, "an integer is required") && cpy_int64(o, v); }

/* Of item(): indices one by one or in one tuple, but no list. */
bool cpy_positions(PyObject *o, cpy_ints *v)
{
    if (PyTuple_Check(o)) return integers(o, v, place);
    v->n = 1;
    return place(o, &v->at[0]);
}

/* --- axes --- */

/* None: all axes. Else one, or those in a sequence where that is allowed. */
static bool axes_of(PyObject *o, cpy_axes *axes, bool sequence, bool (*take)(PyObject *, int *))
{
    axes->axes = CP_ALL;
    if (!cpy_given(o)) return true;
    axes->axes = (cp_axes){1, axes->at};
    if (!sequence) return take(o, axes->at);
    PyObject *s = PySequence_Tuple(o);
    Py_ssize_t n = s ? PyTuple_GET_SIZE(s) : 0;
    bool done = s && n <= CP_MAXDIM;
    if (s && !done) PyErr_Format(PyExc_ValueError, "more than %d axes", CP_MAXDIM);
    for (Py_ssize_t i = 0; done && i < n; i++) done = take(PyTuple_GET_ITEM(s, i), &axes->at[i]);
    axes->axes.n = (int)n;
    Py_XDECREF(s);
    return done;
}

/* NumPy's loops let a 0-d array have the axes 0 and -1, but no tuple of them. */
bool cpy_axes_arg(PyObject *o, PyObject *x, cpy_axes *axes)
{
    bool tuple = o && PyTuple_Check(o);
    if (!axes_of(o, axes, tuple, cpy_axis)) return false;
    bool end = !tuple && axes->axes.n == 1 && (axes->at[0] == 0 || axes->at[0] == -1);
    if (end && cpy_is_array(x) && cp_ndim(cpy_x(x)) == 0) axes->axes.n = 0;
    return true;
}

static bool counted_axis(PyObject *o, int *v)
{
    return no_truth(o, "an integer is required for the axis") && cpy_int(o, v);
}

/* With a TypeError set: NumPy counts along truth values before it refuses them, where they are axes of x. */
static void counted_first(PyObject *o, cp_array *x)
{
    Py_ssize_t n = PyTuple_Check(o) ? PyTuple_GET_SIZE(o) : 1;
    for (Py_ssize_t i = 0; i < n && PyErr_ExceptionMatches(PyExc_TypeError); i++) {
        PyObject *item = PyTuple_Check(o) ? PyTuple_GET_ITEM(o, i) : o;
        int overflow;
        if (!PyLong_Check(item)) return;
        int64_t axis = PyLong_AsLongLongAndOverflow(item, &overflow);
        axis_first(x, nearest_int(axis));
    }
}

/* Elements that a mask chooses are counted by a loop. */
bool cpy_counted_axes(PyObject *o, PyObject *x, PyObject *where, cpy_axes *axes)
{
    bool masked = where && where != Py_True;
    if (masked) return cpy_axes_arg(o, x, axes);
    if (axes_of(o, axes, o && PyTuple_Check(o), counted_axis)) return true;
    if (PyErr_ExceptionMatches(PyExc_TypeError) && cpy_is_array(x)) counted_first(o, cpy_x(x));
    return false;
}

bool cpy_known_axes(PyObject *o, PyObject *x, PyObject *where, cpy_axes *axes)
{
    char kind = cpy_is_array(x) ? cp_type_kind(cp_type_of(cpy_x(x))) : 'f';
    return kind == 'f' || kind == 'c' ? cpy_axes_arg(o, x, axes) : cpy_counted_axes(o, x, where, axes);
}

bool cpy_index_axis(PyObject *o, int *v)
{
    if (!cpy_int(o, v)) return false;
    *v = nearest_int(*v);
    return true;
}

/* What has no __index__, though its type may (a 1-d array), is a sequence. */
bool cpy_index_axes(PyObject *o, cpy_axes *axes)
{
    if (!PyIndex_Check(o)) return axes_of(o, axes, true, cpy_index_axis);
    if (axes_of(o, axes, false, cpy_index_axis)) return true;
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
    PyErr_Clear();
    return axes_of(o, axes, true, cpy_index_axis);
}

bool cpy_last_axis(PyObject *o, cpy_axes *axes) { return axes_of(o, axes, false, cpy_index_axis); }

bool cpy_plane_axes(PyObject *o, cpy_axes *axes)
{
    if (o != Py_None) return cpy_index_axes(o, axes);
    axes->axes = (cp_axes){-1, NULL};
    return true;
}

/* --- lengths of transforms --- */

static bool no_points(int64_t n)
{
    PyErr_Format(PyExc_ValueError, "Invalid number of FFT data points (%lld) specified.", (long long)n);
    return false;
}

bool cpy_length(PyObject *o, int64_t *v) { return cpy_int64(o, v) && (*v > 0 || no_points(*v)); }

/* -1, and None beside others, is the axis as it is. What is no length the transform refuses, in its order. */
bool cpy_lengths(PyObject *o, cpy_ints *v)
{
    if (PyIndex_Check(o) && !PySequence_Check(o)) {
        v->n = 1;
        return cpy_int64(o, v->at);
    }
    PyObject *s = PySequence_Tuple(o);
    Py_ssize_t n = s ? PyTuple_GET_SIZE(s) : 0;
    bool done = s && n <= CP_MAXDIM;
    if (s && !done) PyErr_Format(PyExc_ValueError, "more than %d axes", CP_MAXDIM);
    for (Py_ssize_t i = 0; done && i < n; i++) {
        PyObject *item = PyTuple_GET_ITEM(s, i);
        v->at[i] = -1;
        done = item == Py_None || cpy_int64(item, &v->at[i]);
    }
    v->n = (int)n;
    Py_XDECREF(s);
    return done;
}

/* They are read as a shape is. */
bool cpy_permutation(PyObject *o, cpy_axes *axes)
{
    axes->axes = CP_ALL;
    if (!cpy_given(o)) return true;
    cpy_ints v;
    if (!cpy_shape(o, &v)) return false;
    for (int i = 0; i < v.n; i++) axes->at[i] = nearest_int(v.at[i]);
    axes->axes = (cp_axes){v.n, axes->at};
    return true;
}

static bool or_flat(PyObject *o, int *axis, bool (*take)(PyObject *, int *))
{
    return o == Py_None ? (*axis = CP_FLAT, true) : take(o, axis);
}

bool cpy_axis_or_flat(PyObject *o, int *axis) { return or_flat(o, axis, cpy_axis); }
bool cpy_index_axis_or_flat(PyObject *o, int *axis) { return or_flat(o, axis, cpy_index_axis); }

/* --- truth values, numbers, words --- */

bool cpy_bool(PyObject *o, bool otherwise, bool *v)
{
    int truth = o ? PyObject_IsTrue(o) : otherwise;
    *v = truth > 0;
    return truth >= 0;
}

bool cpy_choice(PyObject *o, int *v)
{
    bool truth;
    if (!cpy_bool(o, false, &truth)) return false;
    *v = truth ? 1 : -1;
    return true;
}

bool cpy_double(PyObject *o, double otherwise, double *v)
{
    *v = o ? PyFloat_AsDouble(o) : otherwise;
    return !(*v == -1 && PyErr_Occurred());
}

/* False, with an exception, for what is no text. */
bool cpy_is_word(PyObject *o, const char *what)
{
    if (PyUnicode_Check(o)) return true;
    PyErr_Format(PyExc_TypeError, "%s must be str, not %s", what, Py_TYPE(o)->tp_name);
    return false;
}

bool cpy_order(PyObject *o, char otherwise, const char *allowed, char *order)
{
    *order = otherwise;
    if (!cpy_given(o)) return true;
    if (!cpy_is_word(o, "order")) return false;
    if (PyUnicode_GET_LENGTH(o) == 1) {
        Py_UCS4 c = PyUnicode_READ_CHAR(o, 0);
        *order = c < 128 ? (char)toupper((int)c) : '?';
        if (strchr(allowed, *order)) return true;
    }
    PyErr_Format(PyExc_ValueError, "order must be one of the letters of '%s' (got %R)", allowed, o);
    return false;
}

bool cpy_word(PyObject *o, const char *what, const char *const *words, int otherwise, int *which)
{
    *which = otherwise;
    if (!o) return true;
    for (int i = 0; words[i]; i++)
        if (PyUnicode_Check(o) && PyUnicode_CompareWithASCIIString(o, words[i]) == 0) {
            *which = i;
            return true;
        }
    PyObject *list = PyUnicode_FromString("");
    for (int i = 0; list && words[i]; i++) {
        PyObject *longer = PyUnicode_FromFormat("%U%s'%s'", list, i ? ", " : "", words[i]);
        Py_SETREF(list, longer);
    }
    if (list) PyErr_Format(PyExc_ValueError, "%s must be one of %U (got %R)", what, list, o);
    Py_XDECREF(list);
    return false;
}

static const char *const castings[] = {"same_kind", "no", "equiv", "safe", "unsafe", NULL}; /* cp_casting's order */
const char *cpy_casting_name(cp_casting casting) { return castings[casting]; }

bool cpy_casting(PyObject *o, cp_casting otherwise, cp_casting *casting)
{
    int which;
    if (!cpy_is_word(o, "casting") || !cpy_word(o, "casting", castings, (int)otherwise, &which)) return false;
    *casting = (cp_casting)which;
    return true;
}

bool cpy_can_cast(const cp_array *x, cp_type t, cp_casting rule)
{
    if (cp_can_cast(cp_type_of(x), t, rule)) return true;
    PyErr_Format(PyExc_TypeError, "Cannot cast array data from dtype('%s') to dtype('%s') according to the rule '%s'",
                 cp_type_name(cp_type_of(x)), cp_type_name(t), cpy_casting_name(rule));
    return false;
}

PyObject *cpy_tuple(int n, const int64_t *v)
{
    PyObject *t = PyTuple_New(n);
    for (int i = 0; t && i < n; i++) {
        PyObject *item = PyLong_FromLongLong(v[i]);
        if (!item) {
            Py_CLEAR(t);
            break;
        }
        PyTuple_SET_ITEM(t, i, item);
    }
    return t;
}
