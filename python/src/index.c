/* x[key] and x[key] = value: integers, slices, Ellipsis, None, and boolean masks.
 *
 * A basic key becomes cp_index items and gives a view. A key with one boolean mask is done in two steps: the basic
 * items first, then the mask on the axes it stands for, moved to the front; the selected axis goes back to where
 * NumPy puts it. */
#include "cpy.h"

#include <limits.h>

typedef struct key {
    int n;               /* items without the mask */
    cp_index at[CP_MAXDIM * 2 + 1];
    cp_array *mask;      /* owned; NULL: a basic key */
    int position;        /* axis of the result of the basic items where the mask's axes begin */
    bool front;          /* integers and mask are apart: the selected axis comes first */
} key;

static bool bad_index(PyObject *o)
{
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_IndexError,
                     "only integers, slices (`:`), ellipsis (`...`), None and boolean arrays are valid "
                     "indices (got %s)",
                     Py_TYPE(o)->tp_name);
    return false;
}

static bool integer_array(void)
{
    PyErr_SetString(PyExc_NotImplementedError,
                    "indexing with integer arrays is not available: use boolean masks or slices");
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
static bool other_item(PyObject *o, const cp_array *x, key *k, cp_index *item)
{
    PyTypeObject *generic = cpy_numpy_generic();
    bool is_bool = PyBool_Check(o);
    if (generic && PyObject_TypeCheck(o, generic)) {
        cp_array *v = cpy_scalar(o, NULL, CPY_NO_OP);
        if (!v) return bad_index(o);
        is_bool = cp_type_of(v) == CP_BOOL;
        cpy_free(v);
    }
    bool list = PyList_Check(o) || cpy_is_numpy_array(o);
    if (!is_bool && !list && (!cpy_is_array(o) || cp_ndim(cpy_x(o)) == 0) && PyIndex_Check(o)) {
        char kind = cpy_is_array(o) ? cp_type_kind(cp_type_of(cpy_x(o))) : 'i';
        if (kind == 'i' || kind == 'u') {
            int64_t i;
            if (!cpy_int64(o, &i)) return bad_index(o);
            return *item = CP_AT(i), true;
        }
    }
    if (!is_bool && !list && !cpy_is_array(o)) return bad_index(o);
    PyObject *m = cpy_asarray_near(o, x);
    if (!m) return false;
    char kind = cp_type_kind(cp_type_of(cpy_x(m)));
    if (kind != 'b' || k->mask) {
        if (kind == 'b')
            PyErr_SetString(PyExc_NotImplementedError, "indexing with more than one boolean mask is not available");
        else if (kind == 'i' || kind == 'u' || cp_size(cpy_x(m)) == 0) integer_array();
        else PyErr_SetString(PyExc_IndexError, "arrays used as indices must be of integer (or boolean) type");
        Py_DECREF(m);
        return false;
    }
    k->mask = cp_retain(cpy_x(m));
    Py_DECREF(m);
    return true;
}

/* Where the mask's axes lie once the basic items are done, and whether integers stand apart from it. */
static void place_mask(key *k, int mask_item, int ndim)
{
    int used = 0;
    for (int i = 0; i < k->n; i++) used += k->at[i].kind == CP_IX_INT || k->at[i].kind == CP_IX_SLICE;
    int first_int = -1, last_int = -1;
    k->position = 0;
    for (int i = 0; i < k->n; i++) {
        if (k->at[i].kind == CP_IX_INT) {
            if (first_int < 0) first_int = i;
            last_int = i;
        }
        if (i >= mask_item) continue;
        k->position +=
            k->at[i].kind == CP_IX_ELLIPSIS ? (ndim - used > 0 ? ndim - used : 0) : k->at[i].kind != CP_IX_INT;
    }
    int low = first_int >= 0 && first_int < mask_item ? first_int : mask_item;
    int high = last_int >= mask_item + cp_ndim(k->mask) ? last_int + 1 : mask_item + cp_ndim(k->mask);
    for (int i = low; i < high; i++)
        if (!(i >= mask_item && i < mask_item + cp_ndim(k->mask)) && k->at[i].kind != CP_IX_INT) k->front = true;
}

static bool read_key(PyObject *o, PyObject *self, key *k)
{
    int ndim = cp_ndim(cpy_x(self));
    k->n = 0;
    k->mask = NULL;
    k->front = false;
    PyObject *const *items = &o;
    Py_ssize_t n = 1;
    int mask_item = -1;
    if (PyTuple_Check(o)) {
        items = &PyTuple_GET_ITEM(o, 0);
        n = PyTuple_GET_SIZE(o);
    }
    if (n > CP_MAXDIM) {
        PyErr_Format(PyExc_IndexError, "too many indices for array: array is %d-dimensional, but %zd were indexed",
                     ndim, n);
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        if (basic_item(items[i], &k->at[k->n])) {
            k->n++;
            continue;
        }
        if (PyErr_Occurred()) goto failed;
        cp_array *before = k->mask;
        cp_array *x = cp_retain(cpy_x(self)); /* an index's own code may give self another shape */
        bool done = other_item(items[i], x, k, &k->at[k->n]);
        cpy_free(x);
        if (!done) goto failed;
        if (k->mask == before) {
            k->n++;
            continue;
        }
        mask_item = k->n; /* the mask's axes are kept whole */
        for (int j = 0; j < cp_ndim(k->mask) && k->n < CP_MAXDIM * 2; j++) k->at[k->n++] = CP_FULL;
    }
    if (k->mask) place_mask(k, mask_item, ndim);
    return true;
failed:
    cpy_free(k->mask);
    return false;
}

/* x with `count` axes from `from` moved to `to`; a view. */
static cp_array *move_axes(cp_array *x, int from, int to, int count)
{
    int order[CP_MAXDIM], n = cp_ndim(x), k = 0, rest = 0;
    for (int i = 0; i < n; i++) {
        if (i >= to && i < to + count) {
            order[i] = from + i - to;
            continue;
        }
        while (rest >= from && rest < from + count) rest++;
        order[i] = rest++;
        k++;
    }
    return cp_transpose(x, (cp_axes){n, order});
}

/* The array the mask is applied to: basic items done, the mask's axes in front. */
static cp_array *mask_front(cp_array *x, const key *k)
{
    cp_array *y = cp_slice(x, k->n, k->at);
    if (!y || k->position == 0) return y;
    if (k->position + cp_ndim(k->mask) > cp_ndim(y)) {
        cpy_free(y);
        PyErr_Format(PyExc_IndexError, "too many indices for array: array is %d-dimensional", cp_ndim(x));
        return NULL;
    }
    cp_array *z = move_axes(y, k->position, 0, cp_ndim(k->mask));
    cpy_free(y);
    return z;
}

static PyObject *mask_get(PyObject *self, const key *k)
{
    cp_array *y = mask_front(cpy_x(self), k), *r = NULL;
    if (y) CPY_RUN(cp_size(y), r = cp_mask_get(y, k->mask));
    cpy_free(y);
    if (r && k->position && !k->front) {
        cp_array *moved = move_axes(r, 0, k->position, 1);
        cpy_free(r);
        r = moved;
    }
    return cpy_wrap(r);
}

PyObject *cpy_getitem(PyObject *self, PyObject *o)
{
    cp_index one;
    if (basic_item(o, &one)) return cpy_wrap_view(cp_slice(cpy_x(self), 1, &one), self);
    if (PyErr_Occurred()) return NULL;
    key k;
    if (!read_key(o, self, &k)) return NULL;
    if (!k.mask) return cpy_wrap_view(cp_slice(cpy_x(self), k.n, k.at), self);
    PyObject *r = mask_get(self, &k);
    cpy_free(k.mask);
    return r;
}

/* Does the key name a single element of x? */
static bool names_element(const key *k, const cp_array *x)
{
    bool named = !k->mask && k->n > 0 && k->n == cp_ndim(x);
    for (int i = 0; named && i < k->n; i++) named = k->at[i].kind == CP_IX_INT;
    return named;
}

/* A value to be written into x: an array, a number, or what asarray takes. Ended by cpy_drop. */
static cp_array *value_for(PyObject *v, const cp_array *x, bool element)
{
    if (cpy_is_array(v)) return cpy_may_discard(cp_type_of(cpy_x(v)), cp_type_of(x)) ? cpy_hold(v) : NULL;
    char kind = cp_type_kind(cp_type_of(x));
    cp_array *small = kind == 'f' || kind == 'c' ? cpy_small_int(v) : NULL; /* there it needs no check */
    if (small) return cp_retain(small);
    if (cpy_is_scalar(v)) return cpy_scalar_as(v, cp_type_of(x));
    return element || cpy_is_text(v) ? cpy_packed(v, x) : cpy_value(v, x);
}

/* value in the shape of the selection, its selected axis in front, for a mask that is not. */
static cp_array *value_front(cp_array *value, cp_array *y, const key *k)
{
    if (cp_ndim(value) == 0 || k->front) return cp_retain(value);
    cp_array *count;
    CPY_RUN(cp_size(k->mask), count = cp_count_nonzero(k->mask));
    int64_t selected = 0;
    if (count) CPY_RUN(0, selected = cp_item_int(count));
    cpy_free(count);
    cpy_ints shape = {cp_ndim(y) - cp_ndim(k->mask) + 1, {0}};
    for (int i = 0; i < shape.n; i++)
        shape.at[i] = i == k->position ? selected : cp_dims(y)[cp_ndim(k->mask) + i - (i > k->position)];
    cp_array *full = cp_broadcast_to(value, cpy_shape_of(&shape));
    cp_array *r = full ? move_axes(full, k->position, 0, 1) : NULL;
    cpy_free(full);
    return r;
}

static bool mask_set(PyObject *self, const key *k, cp_array *value)
{
    cp_array *y = mask_front(cpy_x(self), k);
    cp_array *v = y && k->position ? value_front(value, y, k) : cp_retain(value);
    cp_code code = CP_ERROR_INTERNAL;
    if (y && v) CPY_RUN(cp_size(y), code = cp_mask_set(y, k->mask, v));
    cpy_free(y);
    cpy_free(v);
    if (code != CP_OK) cpy_raise();
    return code == CP_OK;
}

/* x[3] = 1.5, x[2, 0] = 7: one element and one number, without a view between. 0: done, -1: an exception, 1: the
 * key or the value is of another kind. */
static int set_one(PyObject *self, PyObject *o, PyObject *v)
{
    PyObject *const *items = PyTuple_Check(o) ? &PyTuple_GET_ITEM(o, 0) : &o;
    Py_ssize_t n = PyTuple_Check(o) ? PyTuple_GET_SIZE(o) : 1;
    cp_type t = cp_type_of(cpy_x(self));
    if (n != cp_ndim(cpy_x(self)) || cpy_type_rows[t].half || !(PyFloat_CheckExact(v) || PyLong_CheckExact(v)))
        return 1;
    int64_t at[CP_MAXDIM];
    for (Py_ssize_t i = 0; i < n; i++) {
        int overflow = 1;
        if (PyLong_CheckExact(items[i])) at[i] = PyLong_AsLongLongAndOverflow(items[i], &overflow);
        if (overflow) return 1;
    }
    _Alignas(16) unsigned char value[16];
    if (!cpy_store(t, v, value)) { /* a wrong index is told before a wrong value */
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

int cpy_setitem(PyObject *self, PyObject *o, PyObject *v)
{
    if (!v) {
        PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
        return -1;
    }
    int one = set_one(self, o, v);
    if (one <= 0) return one;
    key k;
    bool done = false;
    if (!read_key(o, self, &k)) return -1;
    bool element = names_element(&k, cpy_x(self));
    cp_array *to = k.mask ? cp_retain(cpy_x(self)) : cp_slice(cpy_x(self), k.n, k.at);
    if (!to) return cpy_raise(), -1;
    cp_array *value = value_for(v, to, element);
    if (value && !k.mask && !within(v, value, to)) {
        cpy_free(value);
        value = NULL;
    }
    if (value && k.mask) {
        done = mask_set(self, &k, value);
    } else if (value) {
        cp_code code;
        CPY_RUN(cp_size(to), code = cp_assign(to, value));
        done = code == CP_OK;
        if (!done) cpy_raise();
    }
    cpy_free(to);
    cpy_drop(v, value);
    cpy_free(k.mask);
    return done ? 0 : -1;
}
