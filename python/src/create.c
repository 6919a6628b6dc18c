/* Making arrays: empty, zeros, full, arange, array, ... */
#include "cpy.h"

#include <string.h>

/* device=: makes it current while one call runs. */
typedef struct place { bool moved; int before; } place;
static bool enter(PyObject *device, place *p)
{
    p->moved = false;
    if (!cpy_given(device)) return true;
    int where;
    if (PyUnicode_Check(device)) {
        const char *name = PyUnicode_AsUTF8(device);
        if (!name) return false;
        if (cp_device_parse(name, &where) != CP_OK) return cpy_raise(), false;
    } else {
        PyObject *number = PyLong_Check(device) ? Py_NewRef(device) : PyObject_GetAttrString(device, "_number");
        bool done = number && cpy_int(number, 0, &where);
        Py_XDECREF(number);
        if (!done) return false;
    }
    p->before = cp_device_current();
    if (p->before == CP_NO_DEVICE || cp_device_use(where) != CP_OK) return cpy_raise(), false;
    p->moved = true;
    return true;
}
static void leave(place *p)
{
    if (p->moved) cp_device_use(p->before);
}

/* A new array in C or Fortran order: the latter is the transpose of a C one. */
typedef cp_array *(*maker)(cp_shape shape, cp_type type);
static cp_array *make(maker f, const cpy_ints *shape, cp_type t, char order)
{
    cp_array *x;
    if (order != 'F' || shape->n < 2) {
        int64_t size = 1;
        for (int i = 0; i < shape->n; i++)
            if (__builtin_mul_overflow(size, shape->at[i], &size)) size = 0;
        CPY_RUN(size, x = f(cpy_shape_of(shape), t));
        return x;
    }
    cpy_ints turned = {shape->n, {0}};
    for (int i = 0; i < shape->n; i++) turned.at[i] = shape->at[shape->n - 1 - i];
    CPY_UNLOCKED(x = f(cpy_shape_of(&turned), t));
    cp_array *r = cp_transpose(x, CP_ALL);
    cp_free(x);
    return r;
}

static PyObject *create(maker f, PyObject *shape, PyObject *dtype, PyObject *order, PyObject *device)
{
    cpy_ints dims;
    cp_type t;
    char letter;
    place p;
    if (!cpy_shape(shape, &dims) || !cpy_type(dtype, CP_FLOAT64, &t) || !cpy_order(order, 'C', "CF", &letter) ||
        !enter(device, &p))
        return NULL;
    cp_array *x = make(f, &dims, t, letter);
    leave(&p);
    return cpy_wrap(x);
}

CPY_FUNCTION(empty, "shape, dtype=None, order='C', *, device=None",
             "A new array whose contents are undefined, on the current device or on `device`; float64 by default.")
{
    return create(cp_empty, a[0], a[1], a[2], a[3]);
}

CPY_FUNCTION(zeros, "shape, dtype=None, order='C', *, device=None", "A new array of zeros; float64 by default.")
{
    return create(cp_zeros, a[0], a[1], a[2], a[3]);
}

CPY_FUNCTION(ones, "shape, dtype=None, order='C', *, device=None", "A new array of ones; float64 by default.")
{
    return create(cp_ones, a[0], a[1], a[2], a[3]);
}

CPY_FUNCTION(full, "shape, fill_value, dtype=None, order='C', *, device=None",
             "A new array of one value, which broadcasts to the shape; its dtype by default.")
{
    cpy_ints dims;
    cp_type t;
    char letter;
    place p;
    if (!cpy_shape(a[0], &dims) || !cpy_type(a[2], CP_DEFAULT, &t) || !cpy_order(a[3], 'C', "CF", &letter) ||
        !enter(a[4], &p))
        return NULL;
    PyObject *value = cpy_asarray(a[1], CP_DEFAULT);
    cp_array *x = NULL;
    if (value) {
        x = make(cp_empty, &dims, t == CP_DEFAULT ? cp_type_of(cpy_x(value)) : t, letter);
        if (!x) cpy_raise();
    }
    leave(&p);
    PyObject *r = x ? cpy_wrap(x) : NULL;
    if (r && cpy_setitem(r, Py_Ellipsis, cpy_is_scalar(a[1]) ? a[1] : value) < 0) Py_CLEAR(r);
    Py_XDECREF(value);
    return r;
}

/* like(a, dtype, order, shape): 'K' keeps a's order of axes. */
static cp_array *like(PyObject *o, PyObject *dtype, PyObject *order, PyObject *shape)
{
    cp_array *x = cpy_need(o);
    cpy_ints dims;
    cp_type t;
    char letter;
    if (!x || !cpy_type(dtype, cp_type_of(x), &t) || !cpy_order(order, 'K', "CFAK", &letter)) return NULL;
    bool same = !cpy_given(shape);
    if (same) {
        dims.n = cp_ndim(x);
        memcpy(dims.at, cp_dims(x), (size_t)dims.n * sizeof *dims.at);
    } else if (!cpy_shape(shape, &dims)) {
        return NULL;
    }
    cp_array *r;
    if (letter == 'K' && same) r = cp_empty_like(x, t);
    else {
        bool fortran = letter == 'F' || (letter != 'C' && cp_is_f_contiguous(x) && !cp_is_c_contiguous(x));
        r = make(cp_empty, &dims, t, fortran ? 'F' : 'C');
    }
    if (!r) cpy_raise();
    return r;
}

static PyObject *filled_like(PyObject *const *a, PyObject *value, PyObject *const *rest)
{
    cp_array *x = like(a[0], rest[0], rest[1], rest[3]);
    PyObject *r = x ? cpy_wrap(x) : NULL;
    if (r && value && cpy_setitem(r, Py_Ellipsis, value) < 0) Py_CLEAR(r);
    return r;
}

static PyObject *number(int v)
{
    return v ? cpy_now()->one : cpy_now()->zero;
}

CPY_FUNCTION(empty_like, "prototype, dtype=None, order='K', subok=None, shape=None",
             "A new array with the prototype's shape and dtype, contents undefined.")
{
    return filled_like(a, NULL, a + 1);
}

CPY_FUNCTION(zeros_like, "a, dtype=None, order='K', subok=None, shape=None", "Zeros in the shape and dtype of `a`.")
{
    return filled_like(a, number(0), a + 1);
}

CPY_FUNCTION(ones_like, "a, dtype=None, order='K', subok=None, shape=None", "Ones in the shape and dtype of `a`.")
{
    return filled_like(a, number(1), a + 1);
}

CPY_FUNCTION(full_like, "a, fill_value, dtype=None, order='K', subok=None, shape=None",
             "One value in the shape and dtype of `a`.")
{
    return filled_like(a, a[1], a + 2);
}

static bool is_integer(PyObject *o)
{
    if (!o || o == Py_None || PyLong_Check(o)) return true;
    return PyIndex_Check(o) && !cpy_is_array(o);
}

CPY_FUNCTION(arange, "start, stop=None, step=1, dtype=None, *, device=None",
             "start, start + step, ... below stop, 1-d; with one argument 0, 1, ... below it. Integers give int64,\n"
             "other numbers float64.")
{
    PyObject *start = cpy_given(a[1]) ? a[0] : number(0), *stop = cpy_given(a[1]) ? a[1] : a[0];
    PyObject *step = cpy_given(a[2]) ? a[2] : number(1);
    cp_type t;
    place p;
    if (!cpy_type(a[3], CP_DEFAULT, &t)) return NULL;
    cp_array *x;
    if (is_integer(start) && is_integer(stop) && is_integer(step)) {
        int64_t v[3];
        if (!cpy_int64(start, &v[0]) || !cpy_int64(stop, &v[1]) || !cpy_int64(step, &v[2]) || !enter(a[4], &p)) return NULL;
        CPY_UNLOCKED(x = cp_arange_int(v[0], v[1], v[2], t == CP_DEFAULT ? CP_INT64 : t));
    } else {
        double v[3];
        if (!cpy_double(start, 0, &v[0]) || !cpy_double(stop, 0, &v[1]) || !cpy_double(step, 1, &v[2]) || !enter(a[4], &p))
            return NULL;
        CPY_UNLOCKED(x = cp_arange(v[0], v[1], v[2], t == CP_DEFAULT ? CP_FLOAT64 : t));
    }
    leave(&p);
    return cpy_wrap(x);
}

/* linspace for numbers; _shaping.py adds retstep, arrays and axis. */
CPY_FUNCTION(_linspace, "start, stop, num, endpoint, dtype, device", "linspace of two numbers.")
{
    double start, stop;
    int64_t num;
    bool endpoint;
    cp_type t;
    place p;
    if (!cpy_double(a[0], 0, &start) || !cpy_double(a[1], 0, &stop) || !cpy_int64(a[2], &num) ||
        !cpy_bool(a[3], true, &endpoint) || !cpy_type(a[4], CP_FLOAT64, &t) || !enter(a[5], &p))
        return NULL;
    cp_array *x = cp_linspace(start, stop, num, endpoint, t);
    leave(&p);
    return cpy_wrap(x);
}

/* asarray in a given order; copies where the order, or `copy`, asks for it. */
static PyObject *convert(PyObject *o, PyObject *dtype, PyObject *order, bool copy, PyObject *device)
{
    cp_type t;
    char letter;
    place p;
    if (!cpy_type(dtype, CP_DEFAULT, &t) || !cpy_order(order, 'K', "CFAK", &letter) || !enter(device, &p)) return NULL;
    PyObject *x = cpy_asarray(o, t);
    if (x && p.moved && cp_device_of(cpy_x(x)) != cp_device_current()) {
        cp_array *there;
        CPY_UNLOCKED(there = cp_to_device(cpy_x(x), cp_device_current()));
        Py_DECREF(x);
        x = cpy_wrap(there);
    }
    leave(&p);
    if (!x) return NULL;
    cp_array *v = cpy_x(x);
    bool wrong = (letter == 'C' && !cp_is_c_contiguous(v)) || (letter == 'F' && !cp_is_f_contiguous(v));
    if (wrong || (copy && x == o)) {
        cp_array *y;
        CPY_RUN(cp_size(v), y = cp_copy_order(v, letter));
        Py_DECREF(x);
        return cpy_wrap(y);
    }
    return x;
}

CPY_FUNCTION(array, "object, dtype=None, copy=True, order='K', subok=False, ndmin=0, *, blocking=False, device=None",
             "An array on the current device from numbers, nested lists, a NumPy array, a buffer, or another array.\n"
             "TypeError or ValueError for what is no number.")
{
    bool copy;
    int ndmin;
    if (!cpy_bool(cpy_given(a[2]) ? a[2] : NULL, a[2] == NULL, &copy) || !cpy_int(a[5], 0, &ndmin)) return NULL;
    PyObject *x = convert(a[0], a[1], a[3], copy, a[7]);
    if (!x || ndmin <= cp_ndim(cpy_x(x))) return x;
    if (ndmin > CP_MAXDIM) {
        Py_DECREF(x);
        return PyErr_Format(PyExc_ValueError, "ndmin must not be larger than %d", CP_MAXDIM);
    }
    cpy_ints shape = {ndmin, {0}};
    int more = ndmin - cp_ndim(cpy_x(x));
    for (int i = 0; i < ndmin; i++) shape.at[i] = i < more ? 1 : cp_dims(cpy_x(x))[i - more];
    PyObject *r = cpy_wrap(cp_reshape(cpy_x(x), cpy_shape_of(&shape)));
    Py_DECREF(x);
    return r;
}

CPY_FUNCTION(asarray, "a, dtype=None, order=None, *, blocking=False, device=None",
             "`a` itself where it is an array of that dtype and order already; else as array().")
{
    return convert(a[0], a[1], a[2], false, a[4]);
}

CPY_FUNCTION(asanyarray, "a, dtype=None, order=None, *, blocking=False", "asarray: there are no other classes of arrays.")
{
    return convert(a[0], a[1], a[2], false, NULL);
}

static PyObject *contiguous(PyObject *o, PyObject *dtype, const char *order)
{
    PyObject *letter = PyUnicode_FromString(order);
    PyObject *x = letter ? convert(o, dtype, letter, false, NULL) : NULL;
    Py_XDECREF(letter);
    if (!x || cp_ndim(cpy_x(x))) return x;
    PyObject *r = cpy_wrap(cp_reshape(cpy_x(x), CP_SHAPE(1))); /* at least one axis, as in NumPy */
    Py_DECREF(x);
    return r;
}

CPY_FUNCTION(ascontiguousarray, "a, dtype=None", "The array in C order, at least 1-d; `a` itself where it is that already.")
{
    return contiguous(a[0], a[1], "C");
}

CPY_FUNCTION(asfortranarray, "a, dtype=None", "The array in Fortran order, at least 1-d; `a` itself where it is that already.")
{
    return contiguous(a[0], a[1], "F");
}

static PyObject *copied(PyObject *o, PyObject *order, char otherwise)
{
    char letter;
    cp_array *y, *x = cpy_need(o);
    if (!x || !cpy_order(order, otherwise, "CFAK", &letter)) return NULL;
    CPY_RUN(cp_size(x), y = cp_copy_order(x, letter));
    return cpy_wrap(y);
}

CPY_FUNCTION_IN("", copy_function, "copy", "a, order='K'", "A copy of the array.")
{
    return copied(a[0], a[1], 'K');
}

CPY_METHOD(copy_method, "copy", "order='C'", "A copy of the array.")
{
    return copied(a[0], a[1], 'C');
}

CPY_METHOD(to_device, "to_device", "device, /, *, stream=None",
           "The array on another device (\"cpu\", \"cuda:1\", a Device, a number); itself where it is there already.")
{
    place p;
    if (!enter(a[1], &p)) return NULL;
    int there = cp_device_current();
    leave(&p);
    if (cp_device_of(cpy_x(a[0])) == there) return Py_NewRef(a[0]);
    cp_array *x;
    CPY_UNLOCKED(x = cp_to_device(cpy_x(a[0]), there));
    return cpy_wrap(x);
}
