/* x[key] and x[key] = value: integers, slices, Ellipsis, None, arrays of integers and masks.
 *
 * A key becomes cp_index items, whose arrays it owns. The C library interprets them: without arrays the result is a
 * view, with arrays a copy; both can be assigned to. The end of the file has the bodies of rows of
 * src/array/index/index.def that are more than one call. */
#include "index_rows.h"

#include <limits.h>
#include <string.h>

typedef struct key {
    int n, arrays;
    cp_index at[CP_MAXDIM];
} key;

static void end_key(key *k)
{
    for (int i = 0; i < k->n && k->arrays; i++)
        if (k->at[i].kind == CP_IX_ARRAY) cpy_free(k->at[i].array);
}

static bool bad_index(PyObject *o)
{
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_IndexError,
                     "only integers, slices (`:`), ellipsis (`...`), None and integer or boolean arrays are valid "
                     "indices (got %s)",
                     Py_TYPE(o)->tp_name);
    return false;
}

static bool slice_bound(PyObject *o, int flag, cp_index *item, int64_t *v)
{
    if (o == Py_None) return true;
    item->has |= flag;
    if (PyLong_CheckExact(o)) {
        int overflow;
        *v = PyLong_AsLongLongAndOverflow(o, &overflow);
        if (overflow) *v = overflow > 0 ? PY_SSIZE_T_MAX : PY_SSIZE_T_MIN;
        return true;
    }
    PyObject *i = PyNumber_Index(o);
    if (!i) {
        if (PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_SetString(PyExc_TypeError, "slice indices must be integers or None or have an __index__ method");
        return false;
    }
    bool done = slice_bound(i, flag, item, v);
    Py_DECREF(i);
    return done;
}

static bool slice_item(PyObject *o, cp_index *item)
{
    PySliceObject *s = (PySliceObject *)o;
    *item = CP_FULL;
    if (!slice_bound(s->start, CP_HAS_START, item, &item->start) ||
        !slice_bound(s->stop, CP_HAS_STOP, item, &item->stop))
        return false;
    int has = item->has;
    if (!slice_bound(s->step, 0, item, &item->step)) return false;
    item->has = has;
    if (item->step == INT64_MIN) item->step = -INT64_MAX;
    return true;
}

/* Items that need no array: true and *item set; false without an exception when `o` is something else. */
static bool basic_item(PyObject *o, cp_index *item)
{
    if (PySlice_Check(o)) return slice_item(o, item);
    if (o == Py_None) return *item = CP_NEW, true;
    if (o == Py_Ellipsis) return *item = CP_ELLIPSIS, true;
    if (PyBool_Check(o)) return false;
    if (PyLong_CheckExact(o)) {
        int overflow;
        int64_t i = PyLong_AsLongLongAndOverflow(o, &overflow);
        if (overflow) return PyErr_SetString(PyExc_IndexError, "cannot fit 'int' into an index-sized integer"), false;
        return *item = CP_AT(i), true;
    }
    return false;
}

/* Anything else: an integer in disguise, or an array. */
static bool other_item(PyObject *o, const cp_array *x, cp_index *item)
{
    if (cpy_is_array(o)) { /* as it is, where it may be one */
        char kind = cp_type_kind(cp_type_of(cpy_x(o)));
        if (kind == 'b' || kind == 'i' || kind == 'u') return *item = CP_BY(cp_retain(cpy_x(o))), true;
    }
    PyTypeObject *generic = cpy_numpy_generic();
    bool is_bool = PyBool_Check(o);
    if (generic && PyObject_TypeCheck(o, generic)) {
        cp_array *v = cpy_scalar(o, NULL, CPY_NO_OP);
        if (!v) return bad_index(o);
        is_bool = cp_type_of(v) == CP_BOOL;
        cpy_free(v);
    }
    bool nested = PyList_Check(o) || PyTuple_Check(o), list = nested || cpy_is_numpy_array(o);
    if (!is_bool && !list && !cpy_is_array(o) && PyIndex_Check(o)) {
        int64_t i;
        if (!cpy_int64(o, &i)) return bad_index(o);
        return *item = CP_AT(i), true;
    }
    if (!is_bool && !list && !cpy_is_array(o)) return bad_index(o);
    PyObject *m = cpy_asarray_near(o, x);
    if (!m && PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_SetString(PyExc_IndexError, "arrays used as indices must be of integer (or boolean) type");
    }
    if (!m) return false;
    cp_array *array = cp_retain(cpy_x(m));
    Py_DECREF(m);
    char kind = cp_type_kind(cp_type_of(array));
    if (nested && kind == 'f' && cp_size(array) == 0) { /* an empty list names nothing, of whatever type */
        cp_array *none = cp_astype(array, CP_INT64);
        cpy_free(array);
        if (!(array = none)) return cpy_raise(), false;
    } else if (kind != 'b' && kind != 'i' && kind != 'u') {
        cpy_free(array);
        PyErr_SetString(PyExc_IndexError, "arrays used as indices must be of integer (or boolean) type");
        return false;
    }
    *item = CP_BY(array);
    return true;
}

static bool read_key(PyObject *o, PyObject *self, key *k)
{
    k->n = k->arrays = 0;
    PyObject *const *items = &o;
    Py_ssize_t n = 1;
    if (PyTuple_Check(o)) {
        items = &PyTuple_GET_ITEM(o, 0);
        n = PyTuple_GET_SIZE(o);
    }
    if (n > CP_MAXDIM) {
        PyErr_Format(PyExc_IndexError, "too many indices for array: array is %d-dimensional, but %zd were indexed",
                     cp_ndim(cpy_x(self)), n);
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        if (basic_item(items[i], &k->at[k->n])) {
            k->n++;
            continue;
        }
        cp_array *x = PyErr_Occurred() ? NULL : cp_retain(cpy_x(self)); /* an index's own code may give self a shape */
        bool done = x && other_item(items[i], x, &k->at[k->n]);
        cpy_free(x);
        if (!done) return end_key(k), false;
        k->arrays += k->at[k->n++].kind == CP_IX_ARRAY;
    }
    return true;
}

/* An array that is an index as it is. */
static bool is_index_array(PyObject *o)
{
    if (!cpy_is_plain(o)) return false;
    const cp_type t = cp_type_of(cpy_x(o));
    return t == CP_INT64 || t == CP_BOOL;
}

/* x[index], the commonest: no key has to be read. */
static PyObject *get_by_array(PyObject *self, PyObject *o)
{
    cp_array *x = cpy_hold(self), *r;
    const cp_index item = CP_BY(cpy_hold(o));
    CPY_RUN(cp_size(x), r = cp_index_get(x, 1, &item));
    cpy_drop(self, x);
    cpy_drop(o, item.array);
    return cpy_like(cpy_wrap(r), self);
}

static PyObject *get_here(PyObject *self, PyObject *o)
{
    cp_index one;
    if (is_index_array(o)) return get_by_array(self, o);
    if (!PyTuple_Check(o)) {
        if (basic_item(o, &one)) return cpy_like(cpy_wrap_view(cp_slice(cpy_x(self), 1, &one), self), self);
        if (PyErr_Occurred()) return NULL;
    }
    key k;
    if (!read_key(o, self, &k)) return NULL;
    if (!k.arrays) return cpy_like(cpy_wrap_view(cp_slice(cpy_x(self), k.n, k.at), self), self);
    cp_array *x = cp_retain(cpy_x(self)), *r;
    CPY_RUN(cp_size(x), r = cp_index_get(x, k.n, k.at));
    cpy_free(x);
    end_key(&k);
    return cpy_like(cpy_wrap(r), self);
}

/* The result lies where x does. */
PyObject *cpy_getitem(PyObject *self, PyObject *o)
{
    cpy_gathered g;
    PyObject *r = get_here(self, o);
    if (r || !cpy_on_two_devices()) return r;
    return cpy_gather(&g, 2, (PyObject *[]){self, o}, true) ? cpy_gather_end(&g, get_here(g.at[0], g.at[1])) : NULL;
}

/* Does the key name a single element of x? */
static bool names_element(const key *k, const cp_array *x)
{
    bool named = !k->arrays && k->n > 0 && k->n == cp_ndim(x);
    for (int i = 0; named && i < k->n; i++) named = k->at[i].kind == CP_IX_INT;
    return named;
}

/* A scalar of NumPy's as an element of type t, converted as elements are: nothing is checked. */
static cp_array *converted(PyObject *o, cp_type t)
{
    cp_array *x = cpy_scalar_cast(o, t, CP_UNSAFE);
    if (!x || cp_type_of(x) == t) return x;
    cp_array *y = CPY_MADE(cp_astype(x, t));
    cpy_free(x);
    if (!y) cpy_raise();
    return y;
}

/* A value to be written into x: an array, a number, or what asarray takes. Ended by cpy_drop. Where `places` say where
 * it goes (masks, arrays as indices, put and its like), NumPy's scalars are arrays, which any type takes; where a view
 * does they must fit, as Python's numbers must everywhere. */
static cp_array *value_for(PyObject *v, const cp_array *x, bool element, bool places)
{
    if (cpy_is_array(v)) return cpy_may_discard(cp_type_of(cpy_x(v)), cp_type_of(x)) ? cpy_hold(v) : NULL;
    char kind = cp_type_kind(cp_type_of(x));
    cp_array *small = kind == 'f' || kind == 'c' ? cpy_small_int(v) : NULL; /* there it needs no check */
    if (small) return cp_retain(small);
    if (places && cpy_is_generic(v) && cpy_is_scalar(v)) return converted(v, cp_type_of(x));
    if (cpy_is_scalar(v)) return cpy_scalar_as(v, cp_type_of(x));
    return element || cpy_is_string(v) ? cpy_packed(v, x) : cpy_value(v, x);
}

bool cpy_take_assigned(PyObject *o, cp_array *near, cp_array **x)
{
    if (!near) return PyErr_SetString(PyExc_TypeError, "an array is needed to write into"), false;
    return (*x = value_for(o, near, false, true));
}

bool cpy_take_safely_assigned(PyObject *o, cp_array *near, cp_array **x)
{
    if (near && cpy_is_array(o)) return *x = cpy_hold(o), true;
    return cpy_take_assigned(o, near, x);
}

/* The one value of a 0-d array of the type of `to`, where both are in the host's memory and it can be read at once;
 * else NULL. */
static const char *value_at_hand(PyObject *v, const cp_array *to)
{
    const cp_array *x = cpy_is_plain(v) && cp_device_of(to) == CP_CPU ? cpy_x(v) : NULL;
    return x && cp_ndim(x) == 0 && cp_type_of(x) == cp_type_of(to) ? cpy_at_hand(x) : NULL;
}

/* x[3] = 1.5, x[2, 0] = 7, x[3] = y where y is 0-d: one element and one value, without a view between. 0: done, -1: an
 * exception, 1: the key or the value is of another kind. */
static int set_one(PyObject *self, PyObject *o, PyObject *v)
{
    PyObject *const *items = PyTuple_Check(o) ? &PyTuple_GET_ITEM(o, 0) : &o;
    Py_ssize_t n = PyTuple_Check(o) ? PyTuple_GET_SIZE(o) : 1;
    cp_type t = cp_type_of(cpy_x(self));
    const bool number = !cpy_type_rows[t].half && (PyFloat_CheckExact(v) || PyLong_CheckExact(v));
    const char *read = number || n != cp_ndim(cpy_x(self)) ? NULL : value_at_hand(v, cpy_x(self));
    if (n != cp_ndim(cpy_x(self)) || !(number || read)) return 1;
    int64_t at[CP_MAXDIM];
    for (Py_ssize_t i = 0; i < n; i++) {
        int overflow = 1;
        if (PyLong_CheckExact(items[i])) at[i] = PyLong_AsLongLongAndOverflow(items[i], &overflow);
        if (overflow) return 1;
    }
    _Alignas(16) unsigned char value[16];
    if (read) {
        memcpy(value, read, cp_type_size(t));
    } else if (!cpy_store(t, v, value)) { /* a wrong index is reported before a wrong value */
        PyErr_Clear();
        return 1;
    }
    cp_array *x = cpy_x(self);
    cp_code code;
    CPY_RUN_ON(1, &x, 0, code = cp_set_item(x, (int)n, at, value));
    if (code == CP_OK) return 0;
    cpy_raise();
    return -1;
}

/* Lists may not be nested deeper than what they are written to has axes. */
static bool within(PyObject *v, const cp_array *value, const cp_array *view)
{
    if (cp_ndim(value) <= cp_ndim(view) || !(PyList_Check(v) || PyTuple_Check(v))) return true;
    PyErr_SetString(PyExc_ValueError, "setting an array element with a sequence.");
    return false;
}

/* x[index] = values, arrays both: what can be refused, and how, is the library's. */
static int set_by_array(PyObject *self, PyObject *o, PyObject *v)
{
    cp_array *x = cpy_hold(self), *value = cpy_hold(v);
    const cp_index item = CP_BY(cpy_hold(o));
    cp_code code;
    CPY_RUN(cp_size(x), code = cp_index_set(x, 1, &item, value));
    cpy_drop(self, x);
    cpy_drop(o, item.array);
    cpy_drop(v, value);
    return code == CP_OK ? 0 : (cpy_raise(), -1);
}

static bool set_by_key(PyObject *self, const key *k, PyObject *v)
{
    bool element = names_element(k, cpy_x(self));
    cp_array *to = k->arrays ? cp_retain(cpy_x(self)) : cp_slice(cpy_x(self), k->n, k->at);
    if (!to) return cpy_raise(), false;
    cp_array *value = value_for(v, to, element, k->arrays);
    if (value && !k->arrays && !within(v, value, to)) {
        cpy_free(value);
        value = NULL;
    }
    bool done = false;
    if (value) {
        cp_code code;
        CPY_RUN(cp_size(to), code = k->arrays ? cp_index_set(to, k->n, k->at, value) : cp_assign(to, value));
        done = code == CP_OK;
        if (!done) cpy_raise();
    }
    cpy_free(to);
    cpy_drop(v, value);
    return done;
}

static int set_here(PyObject *self, PyObject *o, PyObject *v)
{
    if (!v) {
        PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
        return -1;
    }
    if (cpy_is_plain(v) && is_index_array(o))
        return cpy_may_discard(cp_type_of(cpy_x(v)), cp_type_of(cpy_x(self))) ? set_by_array(self, o, v) : -1;
    int one = set_one(self, o, v);
    if (one <= 0) return one;
    key k;
    if (!read_key(o, self, &k)) return -1;
    const int before = cpy_go_to(cpy_x(self));
    const bool done = set_by_key(self, &k, v);
    cpy_go_back(before);
    end_key(&k);
    return done ? 0 : -1;
}

int cpy_setitem(PyObject *self, PyObject *o, PyObject *v)
{
    cpy_gathered g;
    int r = set_here(self, o, v);
    if (!r || !cpy_on_two_devices() || !cpy_gather(&g, 3, (PyObject *[]){self, o, v}, true)) return r;
    r = set_here(g.at[0], g.at[1], g.at[2]);
    cpy_gather_end(&g, NULL);
    return r;
}

/* --- by a condition --- */

PyObject *py_compress(const py_compress_args *v)
{
    cp_array *r;
    if (v->out && !cpy_can_cast(v->out, cp_type_of(v->a), CP_SAFE)) return NULL; /* as NumPy */
    CPY_RUN(cp_size(v->a), r = cp_compress(v->condition, v->a, v->axis));
    return cpy_wrap_into(r, v->out);
}

PyObject *py_where(const py_where_args *v)
{
    cp_array *r;
    if (!v->x) {
        CPY_RUN(cp_size(v->condition), r = cp_nonzero(v->condition));
        return cpy_wrap_rows(r);
    }
    CPY_RUN(cp_size(v->condition) > cp_size(v->x) ? cp_size(v->condition) : cp_size(v->x),
            r = cp_where(v->condition, v->x, v->y));
    return cpy_wrap(r);
}
