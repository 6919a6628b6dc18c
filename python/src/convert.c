/* Arrays from objects of Python and NumPy, and back to the host.
 *
 * Host memory is read through the buffer protocol. Nested lists of numbers are read here; other
 * inputs (ragged lists, strings, objects) go through numpy.asarray, which also raises the errors. */
#include "convert_rows.h"
#include "dlpack_rows.h"
#include "loop/loop.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* --- from a buffer --- */
static cp_array *take_buffer(const Py_buffer *b, cp_type t)
{
    int64_t dims[CP_MAXDIM], strides[CP_MAXDIM];
    if (b->ndim > CP_MAXDIM) {
        PyErr_Format(PyExc_ValueError, "more than %d dimensions", CP_MAXDIM);
        return NULL;
    }
    bool fortran = b->ndim > 1 && PyBuffer_IsContiguous(b, 'F') && !PyBuffer_IsContiguous(b, 'C');
    for (int i = 0; i < b->ndim; i++) { /* Fortran order is C order of the transposed array, and stays that way */
        int from = fortran ? b->ndim - 1 - i : i;
        dims[i] = b->shape[from];
        strides[i] = b->strides ? b->strides[from] : 0;
    }
    cp_array *x;
    const int64_t *steps = b->strides && !PyBuffer_IsContiguous(b, fortran ? 'F' : 'C') ? strides : NULL;
    CPY_RUN(b->len, x = cp_from_host(b->buf, t, (cp_shape){b->ndim, dims}, steps));
    if (x && fortran) {
        cp_array *reversed = cp_transpose(x, CP_ALL);
        cpy_free(x);
        x = reversed;
    }
    if (!x) cpy_raise();
    return x;
}

/* The unsigned integer of a type's size. */
static cp_type bits_type(cp_type t)
{
    for (cp_type u = 0; u < CP_NTYPES; u++)
        if (cp_type_kind(u) == 'u' && cp_type_size(u) == cp_type_size(t)) return u;
    return CP_DEFAULT;
}

/* A NumPy array of a type that another package has (ml_dtypes) has no buffer that PEP 3118 can name: its bits have. */
static PyObject *bits_of_foreign(PyObject *o, cp_type *t)
{
    PyObject *dtype = PyObject_GetAttrString(o, "dtype");
    PyObject *name = dtype ? PyObject_GetAttrString(dtype, "name") : NULL;
    PyObject *r = NULL;
    *t = name ? cpy_foreign_type(name) : CP_DEFAULT;
    if (*t != CP_DEFAULT) r = PyObject_CallMethod(o, "view", "s", cp_type_name(bits_type(*t)));
    Py_XDECREF(dtype);
    Py_XDECREF(name);
    return r;
}

/* numpy.asarray in the machine's byte order, with a dtype that Cuprite has; raises for others. With a type it is
 * NumPy that makes elements of that type: of None, of strings. */
static PyObject *numpy_native(PyObject *o, cp_type want)
{
    PyObject *numpy = cpy_numpy();
    PyObject *to = want == CP_DEFAULT ? Py_None
                   : numpy            ? cpy_dtype(cpy_type_rows[want].module ? CP_FLOAT64 : want)
                                      : NULL;
    PyObject *host = numpy && to ? PyObject_CallMethod(numpy, "asarray", "OO", o, to) : NULL;
    PyObject *dtype = host ? PyObject_GetAttrString(host, "dtype") : NULL;
    PyObject *native = dtype ? PyObject_CallMethod(dtype, "newbyteorder", "s", "=") : NULL, *r = NULL;
    cp_type t;
    if (native && cpy_type(native, CP_DEFAULT, &t)) {
        PyObject *f = PyObject_GetAttrString(host, "astype");
        PyObject *args = f ? PyTuple_Pack(1, native) : NULL;
        PyObject *kw = args ? Py_BuildValue("{s:O}", "copy", Py_False) : NULL;
        if (kw) r = PyObject_Call(f, args, kw);
        Py_XDECREF(f);
        Py_XDECREF(args);
        Py_XDECREF(kw);
    }
    Py_XDECREF(host);
    Py_XDECREF(dtype);
    Py_XDECREF(native);
    return r;
}

/* From an object with the buffer protocol; `again` says whether NumPy may convert it first. */
static cp_array *from_buffer(PyObject *o, bool again)
{
    Py_buffer b;
    bool swapped = false;
    cp_type t = CP_DEFAULT;
    if (PyObject_GetBuffer(o, &b, PyBUF_RECORDS_RO) == 0) {
        t = cpy_format_type(b.format, b.itemsize, &swapped);
        cp_array *x = t != CP_DEFAULT && !swapped ? take_buffer(&b, t) : NULL;
        PyBuffer_Release(&b);
        if (x || PyErr_Occurred()) return x;
    }
    PyErr_Clear();
    PyObject *bits = bits_of_foreign(o, &t);
    if (bits) {
        cp_array *raw = from_buffer(bits, false);
        cp_array *x = raw ? cp_view_as(raw, t) : NULL;
        cpy_free(raw);
        Py_DECREF(bits);
        if (!x) cpy_raise();
        return x;
    }
    PyErr_Clear();
    PyObject *native = again ? numpy_native(o, CP_DEFAULT) : NULL;
    cp_array *x = native ? from_buffer(native, false) : NULL;
    if (!x && !PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "Unsupported type %R", (PyObject *)Py_TYPE(o));
    Py_XDECREF(native);
    return x;
}

/* --- from nested sequences --- */
typedef struct nest {
    int ndim;
    int64_t dims[CP_MAXDIM];
    cp_type type;
    bool strange; /* NumPy must look at it */
    bool arrays;  /* arrays of ours among the leaves */
    bool huge;    /* integers beyond int64 */
} nest;

static bool is_nest(PyObject *o) { return PyList_Check(o) || PyTuple_Check(o); }

static void widen(nest *d, cp_type t) { d->type = d->type == CP_DEFAULT ? t : cp_promote(d->type, t); }

static void look_at_leaf(PyObject *o, nest *d)
{
    if (PyFloat_CheckExact(o)) widen(d, CP_FLOAT64);
    else if (PyBool_Check(o)) widen(d, CP_BOOL);
    else if (PyLong_CheckExact(o)) {
        int overflow;
        PyLong_AsLongLongAndOverflow(o, &overflow);
        d->huge = d->huge || overflow;
        widen(d, overflow ? CP_UINT64 : CP_INT64);
    } else if (PyComplex_CheckExact(o)) widen(d, CP_COMPLEX128);
    else if (cpy_is_array(o)) d->arrays = true;
    else if (cpy_is_scalar(o)) {
        cp_array *v = cpy_scalar(o, NULL, CPY_NO_OP);
        if (v) widen(d, cp_type_of(v));
        else d->strange = true;
        cpy_free(v);
    } else d->strange = true;
    PyErr_Clear();
}

/* Shape and type of nested lists: `depth` axes are known already from the first branch. */
static void look(PyObject *o, int depth, nest *d, bool first)
{
    if (d->strange) return;
    if (!is_nest(o)) {
        look_at_leaf(o, d);
        if (first) d->ndim = depth;
        else if (depth != d->ndim && !d->arrays) d->strange = true;
        return;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    if (depth == CP_MAXDIM || (!first && (depth >= d->ndim || d->dims[depth] != n))) {
        d->strange = true;
        return;
    }
    if (first) {
        d->dims[depth] = n;
        if (n == 0) d->ndim = depth + 1;
    }
    for (Py_ssize_t i = 0; i < n && i < PySequence_Fast_GET_SIZE(o); i++) {
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(o, i)); /* a number's own code may change the list */
        look(item, depth + 1, d, first && i == 0);
        Py_DECREF(item);
    }
}

static bool fill(PyObject *o, int depth, const nest *d, cp_type t, char **p)
{
    if (depth == d->ndim) {
        if (!cpy_store(t, o, *p)) return false;
        *p += cp_type_size(t);
        return true;
    }
    for (Py_ssize_t i = 0; i < d->dims[depth]; i++) {
        if (!is_nest(o) || i >= PySequence_Fast_GET_SIZE(o)) {
            PyErr_SetString(PyExc_RuntimeError, "a list changed while it was read");
            return false;
        }
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(o, i));
        bool done = fill(item, depth + 1, d, t, p);
        Py_DECREF(item);
        if (!done) return false;
    }
    return true;
}

static cp_array *from_numbers(PyObject *o, const nest *d, cp_type want)
{
    cp_type t = want != CP_DEFAULT ? want : d->type == CP_DEFAULT ? CP_FLOAT64 : d->type;
    cp_type store = cpy_type_rows[t].half ? CP_FLOAT64 : t;
    size_t n = 1;
    for (int i = 0; i < d->ndim; i++) n *= (size_t)d->dims[i]; /* each is backed by a list: no overflow */
    char *memory = PyMem_Malloc(n ? n * cp_type_size(store) : 1), *p = memory;
    if (!memory) return PyErr_NoMemory(), NULL;
    cp_array *x = NULL;
    if (fill(o, 0, d, store, &p)) {
        CPY_RUN((int64_t)n, x = cp_from_host(memory, store, (cp_shape){d->ndim, d->dims}, NULL));
        if (x && store != t) {
            cp_array *y;
            CPY_RUN((int64_t)n, y = cp_astype(x, t));
            cpy_free(x);
            x = y;
        }
        if (!x) cpy_raise();
    }
    PyMem_Free(memory);
    return x;
}

/* What NumPy makes of elements of these arrays' types: it promotes one by one, where concatenate promotes all at
 * once. */
static cp_type promoted(PyObject *arrays)
{
    cp_type t = CP_DEFAULT;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(arrays); i++) {
        cp_type one = cp_type_of(cpy_x(PyList_GET_ITEM(arrays, i)));
        t = i ? cp_promote(t, one) : one;
    }
    return t;
}

/* A stack of arrays is in their common order; what is made of lists is in C order, as NumPy's. */
static PyObject *in_c_order(PyObject *stacked)
{
    cp_array *x = stacked ? cpy_x(stacked) : NULL, *y = NULL;
    if (!x || cp_is_c_contiguous(x)) return stacked;
    CPY_RUN(cp_size(x), y = cp_copy(x));
    Py_DECREF(stacked);
    return y ? cpy_wrap(y) : cpy_raise();
}

/* Arrays within lists: each item becomes an array, and they are stacked. */
static PyObject *stack(PyObject *o, cp_type t)
{
    if (Py_EnterRecursiveCall(" while arrays are stacked")) return NULL; /* a list may contain itself */
    PyObject *now = PySequence_Tuple(o);
    Py_ssize_t n = now ? PyTuple_GET_SIZE(now) : 0;
    PyObject *items = now ? PyList_New(n) : NULL;
    for (Py_ssize_t i = 0; items && i < n; i++) {
        PyObject *x = cpy_asarray(PyTuple_GET_ITEM(now, i), t);
        if (x) x = cpy_brought(x, 'K');
        if (!x) Py_CLEAR(items);
        else PyList_SET_ITEM(items, i, x);
    }
    Py_LeaveRecursiveCall();
    Py_XDECREF(now);
    PyObject *f = items ? PyObject_GetAttrString(cpy_now()->module, "stack") : NULL,
             *args = f ? PyTuple_Pack(1, items) : NULL;
    PyObject *dtype = args ? cpy_dtype(promoted(items)) : NULL,
             *kw = dtype ? Py_BuildValue("{s:O}", "dtype", dtype) : NULL;
    PyObject *r = kw ? PyObject_Call(f, args, kw) : NULL;
    Py_XDECREF(items);
    Py_XDECREF(f);
    Py_XDECREF(args);
    Py_XDECREF(kw);
    return in_c_order(r);
}

/* x, which is given up, in another type. */
static cp_array *converted(cp_array *x, cp_type t)
{
    if (!x || t == CP_DEFAULT || t == cp_type_of(x)) return x;
    cp_array *y = NULL;
    if (cpy_may_discard(cp_type_of(x), t)) {
        CPY_RUN(cp_size(x), y = cp_astype(x, t));
        if (!y) cpy_raise();
    }
    cpy_free(x);
    return y;
}

static PyObject *from_nest(PyObject *o, cp_type t)
{
    nest d = {.type = CP_DEFAULT};
    look(o, 0, &d, true);
    if (d.arrays) {
        if (!is_nest(o) || PySequence_Fast_GET_SIZE(o) == 0)
            return PyErr_Format(PyExc_TypeError, "Unsupported nesting");
        return stack(o, t);
    }
    cp_array *x = NULL;
    if (!d.strange && !(d.huge && t == CP_DEFAULT && d.type != CP_UINT64)) {
        x = from_numbers(o, &d, t);
    } else {
        PyObject *native = numpy_native(o, t);
        x = native ? converted(from_buffer(native, false), t) : NULL;
        Py_XDECREF(native);
    }
    return x ? cpy_wrap(x) : NULL;
}

bool cpy_lends(PyObject *o)
{ /* a class that is made of NumPy's arrays may lend memory of a device, as Numba's mapped arrays do */
    const bool numpy = cpy_is_numpy_array(o) && Py_TYPE(o)->tp_base == &PyBaseObject_Type;
    if (cpy_is_array(o) || is_nest(o) || cpy_is_scalar(o) || numpy || cpy_is_string(o)) return false;
    return PyObject_HasAttrString(o, "__cuda_array_interface__");
}

bool cpy_gives_array(PyObject *o)
{
    if (cpy_is_array(o) || is_nest(o) || PyType_Check(o) || cpy_is_numpy_array(o)) return false;
    PyObject *f = PyObject_GetAttrString((PyObject *)Py_TYPE(o), "__cupy_get_ndarray__");
    if (!f) PyErr_Clear();
    Py_XDECREF(f);
    return f != NULL;
}

static PyObject *given_array(PyObject *o)
{
    PyObject *r = PyObject_CallMethod(o, "__cupy_get_ndarray__", NULL);
    if (!r || cpy_is_array(r)) return r;
    PyErr_Format(PyExc_TypeError, "__cupy_get_ndarray__ of %R gave no array", (PyObject *)Py_TYPE(o));
    Py_DECREF(r);
    return NULL;
}

/* An array over the memory of a GPU that an object describes. */
static cp_array *from_cuda_interface(PyObject *o)
{
    PyObject *module = cpy_module(&cpy_now()->support, "cuprite._support");
    PyObject *r = module ? PyObject_CallMethod(module, "cuda_array_of", "O", o) : NULL;
    cp_array *x = r ? cp_retain(cpy_x(r)) : NULL;
    Py_XDECREF(r);
    return x;
}

/* A copy of what an object lends by DLPack, where NumPy knows nothing of it: a tensor of bfloat16. NumPy's TypeError,
 * if that fails too. */
static cp_array *from_lent(PyObject *o)
{
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return NULL;
    PyObject *type, *value, *trace, *r = NULL;
    PyErr_Fetch(&type, &value, &trace);
    if (PyObject_HasAttrString((PyObject *)Py_TYPE(o), "__dlpack__"))
        r = py_from_dlpack(&(py_from_dlpack_args){.x = o, .device = {.moved = true}, .copy = CPY_COPY_ALWAYS});
    if (!r) return PyErr_Clear(), PyErr_Restore(type, value, trace), NULL;
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    cp_array *x = cp_retain(cpy_x(r));
    Py_DECREF(r);
    return x;
}

/* An object with a buffer or with __array__, and what only NumPy can read (or refuse). */
static cp_array *from_host_object(PyObject *o, cp_type t)
{
    bool text = cpy_is_string(o);
    if (cpy_lends(o)) return from_cuda_interface(o);
    if (PyObject_CheckBuffer(o) && !text) return from_buffer(o, true);
    PyObject *native = numpy_native(o, !text && PyObject_HasAttrString(o, "__array__") ? CP_DEFAULT : t);
    cp_array *x = native ? from_buffer(native, false) : from_lent(o);
    Py_XDECREF(native);
    return x;
}

PyObject *cpy_asarray(PyObject *o, cp_type t)
{
    cp_array *x;
    if (cpy_is_array(o)) {
        if (t == CP_DEFAULT || t == cp_type_of(cpy_x(o))) return Py_NewRef(o);
        x = converted(cp_retain(cpy_x(o)), t);
    } else if (t != CP_DEFAULT && cpy_is_generic(o) && cpy_is_scalar(o)) { /* has a type, and is converted from it */
        PyObject *own = from_nest(o, CP_DEFAULT);
        x = own ? converted(cp_retain(cpy_x(own)), t) : NULL;
        Py_XDECREF(own);
    } else if (is_nest(o) || cpy_is_scalar(o)) {
        return from_nest(o, t);
    } else if (cpy_gives_array(o)) {
        PyObject *given = given_array(o), *r = given ? cpy_asarray(given, t) : NULL;
        Py_XDECREF(given);
        return r;
    } else {
        x = converted(from_host_object(o, t), t);
    }
    return x ? cpy_wrap(x) : NULL;
}

static PyObject *near(PyObject *o, cp_type t, const cp_array *x)
{
    if (cpy_is_array(o)) return Py_NewRef(o);
    int before = cp_device_current(), there = cp_device_of(x);
    if (before == CP_NO_DEVICE || (before != there && cp_device_use(there) != CP_OK)) return cpy_raise();
    PyObject *r = cpy_asarray(o, t);
    if (before != there) cp_device_use(before);
    return r;
}

PyObject *cpy_asarray_near(PyObject *o, const cp_array *x) { return near(o, CP_DEFAULT, x); }
PyObject *cpy_value_near(PyObject *o, const cp_array *x) { return near(o, cp_type_of(x), x); }

cp_array *cpy_value(PyObject *o, const cp_array *x)
{
    PyObject *holder = cpy_value_near(o, x);
    cp_array *value = holder ? cp_retain(cpy_x(holder)) : NULL;
    Py_XDECREF(holder);
    return value;
}

cp_array *cpy_packed(PyObject *v, const cp_array *x)
{
    cp_type t = cp_type_of(x);
    PyObject *numpy = cpy_numpy(), *dtype = numpy ? cpy_dtype(cpy_type_rows[t].module ? CP_FLOAT64 : t) : NULL;
    PyObject *host = dtype ? PyObject_CallMethod(numpy, "empty", "iO", 1, dtype) : NULL;
    PyObject *place = PyLong_FromLong(0);
    bool done = host && place && PyObject_SetItem(host, place, v) == 0;
    cp_array *one = done ? cpy_value(host, x) : NULL, *r = one ? CPY_MADE(cp_reshape(one, CP_SHAPE0)) : NULL;
    if (one && !r) cpy_raise();
    cpy_free(one);
    Py_XDECREF(host);
    Py_XDECREF(place);
    return r;
}

PyObject *cpy_number_in(PyObject *o)
{
    if (!cpy_is_numpy_array(o)) return Py_NewRef(o);
    PyObject *ndim = PyObject_GetAttrString(o, "ndim"), *key = PyTuple_New(0), *r = NULL;
    long n = ndim && key ? PyLong_AsLong(ndim) : -1; /* a derived class may have anything there */
    if (!PyErr_Occurred()) r = n == 0 ? PyObject_GetItem(o, key) : Py_NewRef(o);
    Py_XDECREF(ndim);
    Py_XDECREF(key);
    return r;
}

/* --- to the host --- */
/* numpy.empty(shape, dtype, order) for x. */
static PyObject *host_array(cp_array *x, const char *dtype, char order)
{
    PyObject *numpy = cpy_numpy(), *shape = cpy_tuple(cp_ndim(x), cp_dims(x));
    PyObject *type = dtype ? PyUnicode_FromString(dtype) : Py_XNewRef(cpy_dtype(cp_type_of(x)));
    PyObject *r =
        numpy && shape && type ? PyObject_CallMethod(numpy, "empty", "OOs#", shape, type, &order, (Py_ssize_t)1) : NULL;
    Py_XDECREF(shape);
    Py_XDECREF(type);
    return r;
}

/* x's elements into a writable buffer, C or Fortran order. */
static bool read_into(cp_array *x, PyObject *host, char order)
{
    Py_buffer b;
    if (PyObject_GetBuffer(host, &b, PyBUF_WRITABLE | PyBUF_ANY_CONTIGUOUS) < 0) return false;
    cp_array *y = order == 'F' ? cp_transpose(x, CP_ALL) : cp_retain(x);
    cp_code code = CP_ERROR_INTERNAL;
    if (y && b.len == cp_nbytes(x)) {
        if (b.len > CPY_LARGE || cp_device_of(x) != CP_CPU) CPY_UNLOCKED(code = cp_to_host(y, b.buf, (size_t)b.len));
        else code = cp_to_host(y, b.buf, (size_t)b.len);
    }
    cpy_free(y);
    PyBuffer_Release(&b);
    if (code != CP_OK) cpy_raise();
    return code == CP_OK;
}

/* Of a type that another package has: its bits under that package's dtype; without the package, float32 values. */
static PyObject *get_foreign(cp_array *x, char order)
{
    const cp_type bits = bits_type(cp_type_of(x));
    PyObject *dtype = cpy_dtype(cp_type_of(x));
    PyObject *kind = dtype ? PyObject_GetAttrString(dtype, "standin") : NULL;
    if (!dtype) return NULL;
    bool standin = kind != NULL;
    if (!kind) PyErr_Clear();
    Py_XDECREF(kind);
    cp_array *y = standin ? CPY_MADE(cp_astype(x, CP_FLOAT32)) : cp_view_as(x, bits);
    if (!y) return cpy_raise();
    PyObject *host = host_array(y, standin ? "float32" : cp_type_name(bits), order);
    if (host && !read_into(y, host, order)) Py_CLEAR(host);
    if (host && !standin) {
        PyObject *r = PyObject_CallMethod(host, "view", "O", dtype);
        Py_SETREF(host, r);
    }
    cpy_free(y);
    return host;
}

static PyObject *get_new(cp_array *x, char order)
{
    if (cpy_type_rows[cp_type_of(x)].module) return get_foreign(x, order);
    PyObject *host = host_array(x, NULL, order);
    if (host && !read_into(x, host, order)) Py_CLEAR(host);
    return host;
}

static bool fits_out(cp_array *x, PyObject *out, char *order)
{
    PyObject *shape = PyObject_GetAttrString(out, "shape"), *dtype = PyObject_GetAttrString(out, "dtype");
    PyObject *want = cpy_tuple(cp_ndim(x), cp_dims(x));
    bool done = shape && dtype && want;
    cp_type t = CP_DEFAULT;
    if (done && PyObject_RichCompareBool(shape, want, Py_EQ) != 1) {
        PyErr_Format(PyExc_ValueError, "Shape mismatch. Expected shape: %S, actual shape: %S", want, shape);
        done = false;
    }
    done = done && cpy_type(dtype, CP_DEFAULT, &t);
    if (done && t != cp_type_of(x)) {
        PyErr_Format(PyExc_TypeError, "Dtype mismatch: out must be %s", cp_type_name(cp_type_of(x)));
        done = false;
    }
    Py_buffer b;
    if (done && PyObject_GetBuffer(out, &b, PyBUF_RECORDS) == 0) {
        *order = PyBuffer_IsContiguous(&b, 'C') ? 'C' : PyBuffer_IsContiguous(&b, 'F') ? 'F' : 0;
        PyBuffer_Release(&b);
    } else {
        done = false;
    }
    Py_XDECREF(shape);
    Py_XDECREF(dtype);
    Py_XDECREF(want);
    return done;
}

/* NumPy's own code runs between the steps: x is held by cpy_get. */
static PyObject *get_into(cp_array *x, char order, PyObject *out)
{
    if (!cpy_is_numpy_array(out)) return PyErr_Format(PyExc_TypeError, "Only numpy.ndarray can be obtained from out");
    if (!fits_out(x, out, &order)) return NULL;
    if (order) return read_into(x, out, order) ? Py_NewRef(out) : NULL;
    PyObject *host = get_new(x, 'C');
    PyObject *done = host ? PyObject_CallMethod(cpy_numpy(), "copyto", "OO", out, host) : NULL;
    Py_XDECREF(host);
    Py_XDECREF(done);
    return done ? Py_NewRef(out) : NULL;
}

PyObject *cpy_get(PyObject *self, char order, PyObject *out)
{
    cp_array *x = cp_retain(cpy_x(self));
    order = cpy_host_order(x, order);
    PyObject *r = cpy_given(out) ? get_into(x, order, out) : get_new(x, order);
    cpy_free(x);
    return r;
}

bool cpy_wait_for(PyObject *stream)
{
    PyObject *r = cpy_given(stream) ? PyObject_CallMethod(stream, "synchronize", NULL) : Py_NewRef(Py_None);
    Py_XDECREF(r);
    return r != NULL;
}

/*: method("get",
           "a: array, stream: object = None, order: order('CFAK') = 'C', out: object = None, blocking: flag = True",
           doc="""A NumPy array with a copy of the elements. `out`: a NumPy array of the same shape and dtype to fill.
Waits for the array's device.""") */
PyObject *py_get_method(const py_get_method_args *v)
{
    return cpy_wait_for(v->stream) ? cpy_get(v->self, v->order, v->out) : NULL;
}

/*: function("asnumpy",
             "a: object, stream: object = None, order: order('CFAK') = 'C', out: object = None, *, blocking: flag = "
             "True", doc="A NumPy array on the host: a copy of a device array, also a lent one, else numpy.asarray.") */
PyObject *py_asnumpy(const py_asnumpy_args *v)
{
    if (cpy_is_array(v->a) || cpy_gives_array(v->a) || cpy_lends(v->a)) {
        PyObject *x = cpy_asarray(v->a, CP_DEFAULT), *r = NULL;
        if (x && cpy_wait_for(v->stream)) r = cpy_get(x, v->order, v->out);
        Py_XDECREF(x);
        return r;
    }
    PyObject *numpy = cpy_numpy();
    if (!numpy) return NULL;
    if (!cpy_given(v->out)) return PyObject_CallMethod(numpy, "asarray", "OOC", v->a, Py_None, v->order);
    PyObject *done = PyObject_CallMethod(numpy, "copyto", "OO", v->out, v->a);
    Py_XDECREF(done);
    return done ? Py_NewRef(v->out) : NULL;
}

static bool same_shape(const cp_array *x, const cp_array *y)
{
    return cp_ndim(x) == cp_ndim(y) && memcmp(cp_dims(x), cp_dims(y), (size_t)cp_ndim(x) * sizeof(int64_t)) == 0;
}

/*: method("set", "a: array, arr: array_like, stream: object = None",
           doc="""Copies a NumPy array of the same shape and dtype into this array. ValueError for another shape,
TypeError for another dtype.""") */
PyObject *py_set_method(const py_set_method_args *v)
{
    cp_code code;
    if (!cpy_wait_for(v->stream)) return NULL;
    if (cp_type_of(v->a) != cp_type_of(v->arr))
        return PyErr_Format(PyExc_TypeError, "%s array cannot be set to %s array", cp_type_name(cp_type_of(v->arr)),
                            cp_type_name(cp_type_of(v->a)));
    if (!same_shape(v->a, v->arr))
        return PyErr_Format(PyExc_ValueError, "Shape mismatch: set() needs an array of the same shape");
    CPY_RUN(cp_size(v->a), code = cp_assign(v->a, v->arr));
    return cpy_none(code);
}

/* The indices along the axes of a flat one. */
static bool unravel(const cp_array *x, int64_t flat, cpy_ints *at)
{
    int64_t n = cp_size(x);
    if (flat < -n || flat >= n) {
        PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for size %lld", (long long)flat, (long long)n);
        return false;
    }
    if (flat < 0) flat += n;
    at->n = cp_ndim(x);
    cpi_unravel(at->n, cp_dims(x), flat, at->at);
    return true;
}

/*: method("item", "a: array, *args: positions", unlock="never",
           doc="""One element as a Python number: of an array of size 1, at a flat index, or at one index per axis.
ValueError where that is not one element.""") */
PyObject *py_item_method(const py_item_method_args *v)
{
    if (v->args.n <= 0) return cpy_item(v->a);
    cpy_ints at = v->args;
    if (at.n == 1 && cp_ndim(v->a) != 1 && !unravel(v->a, v->args.at[0], &at)) return NULL;
    if (at.n != cp_ndim(v->a)) return PyErr_Format(PyExc_ValueError, "incorrect number of indices for array");
    cp_index items[CP_MAXDIM];
    for (int i = 0; i < at.n; i++) items[i] = CP_AT(at.at[i]);
    cp_array *one = cp_slice(v->a, at.n, items);
    PyObject *r = one ? cpy_item(one) : cpy_raise();
    cpy_free(one);
    return r;
}

static PyObject *nested_list(cp_array *x, int axis, const char **p)
{
    if (axis == cp_ndim(x)) {
        PyObject *v = cpy_load(cp_type_of(x), *p);
        *p += cp_type_size(cp_type_of(x));
        return v;
    }
    PyObject *list = PyList_New((Py_ssize_t)cp_dims(x)[axis]);
    if (list && axis == cp_ndim(x) - 1 && cp_type_of(x) == CP_FLOAT64) { /* the commonest */
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++, *p += sizeof(double)) {
            double value;
            memcpy(&value, *p, sizeof value);
            PyObject *v = PyFloat_FromDouble(value);
            if (!v) return Py_DECREF(list), NULL;
            PyList_SET_ITEM(list, i, v);
        }
        return list;
    }
    const bool last = axis == cp_ndim(x) - 1;
    const cp_type t = cp_type_of(x);
    const size_t size = cp_type_size(t);
    for (Py_ssize_t i = 0; list && i < (Py_ssize_t)cp_dims(x)[axis]; i++) {
        PyObject *v = last ? cpy_load(t, *p) : nested_list(x, axis + 1, p);
        if (last) *p += size;
        if (!v) Py_CLEAR(list);
        else PyList_SET_ITEM(list, i, v);
    }
    return list;
}

/*: method("tolist", "a: array", doc="The elements as nested lists of Python numbers; of a 0-d array the number.") */
PyObject *py_tolist_method(const py_tolist_method_args *v)
{
    cp_array *x = v->a;
    _Alignas(16) char small[512];
    char *memory = (size_t)cp_nbytes(x) <= sizeof small ? small : PyMem_Malloc((size_t)cp_nbytes(x));
    if (!memory) return PyErr_NoMemory();
    cp_code code;
    /* there is nothing to wait for */
    if (memory == small && cp_device_of(x) == CP_CPU) code = cp_to_host(x, memory, sizeof small);
    else CPY_UNLOCKED(code = cp_to_host(x, memory, (size_t)cp_nbytes(x)));
    const char *p = memory;
    PyObject *r = code == CP_OK ? nested_list(x, 0, &p) : cpy_raise();
    if (memory != small) PyMem_Free(memory);
    return r;
}

char cpy_host_order(const cp_array *x, char order)
{
    if (order != 'A' && order != 'K') return order;
    return cp_is_f_contiguous(x) && !cp_is_c_contiguous(x) ? 'F' : 'C';
}

PyObject *cpy_bytes(cp_array *x, char order)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)cp_nbytes(x));
    if (!bytes) return NULL;
    cp_array *y = order == 'F' ? cp_transpose(x, CP_ALL) : cp_retain(x);
    cp_code code = CP_ERROR_INTERNAL;
    const int64_t size = cp_device_of(x) == CP_CPU ? cp_size(x) : INT64_MAX; /* of a device that may be a wait */
    if (y) CPY_RUN(size, code = cp_to_host(y, PyBytes_AS_STRING(bytes), (size_t)cp_nbytes(y)));
    cpy_free(y);
    if (code == CP_OK) return bytes;
    Py_DECREF(bytes);
    return cpy_raise();
}

/*: method("tobytes", "a: array, order: order('CFA') = 'C'", doc="The elements' bytes, C or Fortran order.") */
PyObject *py_tobytes_method(const py_tobytes_method_args *v) { return cpy_bytes(v->a, cpy_host_order(v->a, v->order)); }

/*: function("_of_buffer", "buffer: object, dtype: object, count: object, offset: object, /", body=True, unlock="never",
             doc="An array of a buffer's bytes; None where NumPy has to say what is wrong.") */
PyObject *py__of_buffer(const py__of_buffer_args *v)
{
    Py_buffer b;
    cp_type t = CP_DEFAULT;
    const int64_t count = PyErr_Occurred() ? -1 : PyLong_AsLongLong(v->count);
    const int64_t offset = PyErr_Occurred() ? -1 : PyLong_AsLongLong(v->offset);
    if (PyErr_Occurred() || !cpy_type(v->dtype, CP_FLOAT64, &t) || PyObject_GetBuffer(v->buffer, &b, PyBUF_SIMPLE)) {
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    const int64_t size = (int64_t)cp_type_size(t), space = offset < 0 || offset > b.len ? 0 : b.len - offset;
    const int64_t n = count >= 0 ? count : space % size ? 0 : space / size;
    cp_array *x = NULL;
    const bool good = n > 0 && n <= space / size;
    if (good) CPY_RUN(n, x = cp_from_host((const char *)b.buf + offset, t, (cp_shape){1, &n}, NULL));
    PyBuffer_Release(&b);
    if (good) return cpy_wrap(x);
    Py_RETURN_NONE;
}

/* --- lists and text of plain numbers --- */

/*: function("_of_numbers", "items: object, dtype: object, /", body=True, unlock="never",
             doc="A 1-d array of a list of Python's numbers; None of another list, for NumPy to look at.") */
PyObject *py__of_numbers(const py__of_numbers_args *v)
{
    cp_type t = CP_DEFAULT;
    if (!cpy_type(v->dtype, CP_FLOAT64, &t)) PyErr_Clear(), t = CP_DEFAULT;
    if (t == CP_DEFAULT || cpy_type_rows[t].half || !PyList_CheckExact(v->items)) Py_RETURN_NONE;
    const Py_ssize_t n = PyList_GET_SIZE(v->items);
    const size_t size = cp_type_size(t);
    char *memory = PyMem_Malloc((size_t)n * size + 1);
    if (!memory) return PyErr_NoMemory();
    bool good = true;
    for (Py_ssize_t i = 0; good && i < n; i++) { /* none of these numbers runs code, so the list stays as it is */
        PyObject *o = PyList_GET_ITEM(v->items, i);
        good = (PyFloat_CheckExact(o) || PyLong_CheckExact(o)) && cpy_store(t, o, memory + (size_t)i * size);
    }
    PyErr_Clear();
    cp_array *x = NULL;
    if (good) CPY_RUN(n, x = cp_from_host(memory, t, (cp_shape){1, &(int64_t){n}}, NULL));
    PyMem_Free(memory);
    if (good) return cpy_wrap(x);
    Py_RETURN_NONE;
}

/* What reading text found: values, rows that have any, and the most and the fewest in one. */
typedef struct table { double *at; int64_t n, rows, most, fewest; } table;

static bool read_row(const char **text, const char *end, locale_t plain, table *t)
{
    const int64_t before = t->n;
    const char *p = *text;
    for (; p < end && *p != '\n'; p++) {
        if (*p == ' ' || *p == '\t') continue;
        const size_t length = strspn(p, "0123456789+-.eE");
        char *behind;
        t->at[t->n] = strtod_l(p, &behind, plain);
        if (!length || behind != p + length) return false;
        t->n++;
        p = behind - 1;
    }
    *text = p < end ? p + 1 : p;
    const int64_t here = t->n - before;
    if (!here) return true;
    t->most = here > t->most ? here : t->most;
    t->fewest = !t->rows || here < t->fewest ? here : t->fewest;
    t->rows++;
    return true;
}

/*: function("_table_of", "text: object, /", body=True, unlock="never",
             doc="""An array (rows, columns) of a string of numbers only, with as many in each line that has any; None
for any other string, which NumPy reads.""") */
PyObject *py__table_of(const py__table_of_args *v)
{
    if (!PyUnicode_Check(v->text) || !PyUnicode_IS_COMPACT_ASCII(v->text)) Py_RETURN_NONE;
    static locale_t plain; /* numbers as C writes them, whatever the program's locale */
    locale_t known = __atomic_load_n(&plain, __ATOMIC_ACQUIRE);
    if (!known) {
        known = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        if (!known) Py_RETURN_NONE;
        __atomic_store_n(&plain, known, __ATOMIC_RELEASE);
    }
    const char *text = PyUnicode_DATA(v->text), *end = text + PyUnicode_GET_LENGTH(v->text);
    table t = {.at = PyMem_Malloc((size_t)(end - text) / 2 * sizeof *t.at + 2 * sizeof *t.at)};
    if (!t.at) return PyErr_NoMemory();
    bool good = true;
    while (good && text < end) good = read_row(&text, end, known, &t);
    good = good && t.n && t.most == t.fewest;
    cp_array *x = NULL;
    if (good) CPY_RUN(t.n, x = cp_from_host(t.at, CP_FLOAT64, CP_SHAPE(t.rows, t.most), NULL));
    PyMem_Free(t.at);
    if (good) return cpy_wrap(x);
    Py_RETURN_NONE;
}
