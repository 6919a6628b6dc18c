/* The arguments of a launch: Python objects become cp_argument.
 *
 * Invariant: an array argument is held until cpy_drop_arguments, since another thread may give its object another
 * shape meanwhile; values of more than 16 bytes are copied to memory of their own. */
#include "kernel.h"

#include <string.h>

#include "scalar/halves.h"

enum { MOST_BYTES = 32764 };

static bool unsupported(PyObject *o)
{
    PyErr_Format(PyExc_TypeError, "Unsupported type %R", Py_TYPE(o));
    return false;
}

static bool take_value(cp_argument *a, const void *value, int64_t bytes)
{
    a->value = value;
    a->bytes = bytes;
    return true;
}

static bool take_address(PyObject *number, cp_argument *a, cpy_by_value *v)
{
    PyObject *index = number ? PyNumber_Index(number) : NULL;
    v->address = index ? PyLong_AsVoidPtr(index) : NULL;
    Py_XDECREF(index);
    return !PyErr_Occurred() && take_value(a, &v->address, sizeof v->address);
}

static bool take_integer(PyObject *o, cp_argument *a, cpy_by_value *v)
{
    int overflow;
    v->integer = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow > 0) { /* what is no int64 can only be meant as a uint64 */
        v->integer = (int64_t)PyLong_AsUnsignedLongLong(o);
        if (PyErr_Occurred()) return false;
    } else if (overflow) {
        PyErr_SetString(PyExc_OverflowError, "Python integer too large to convert to a 64-bit integer");
        return false;
    }
    return take_value(a, &v->integer, sizeof v->integer);
}

/* The bytes of a NumPy scalar, or of a NumPy array that is passed by value. */
static bool take_bytes(PyObject *o, cp_argument *a, cpy_by_value *v, void **copy)
{
    Py_buffer b;
    if (PyObject_GetBuffer(o, &b, PyBUF_C_CONTIGUOUS) < 0) return PyErr_Clear(), unsupported(o);
    void *to = v->bytes;
    if (b.len > MOST_BYTES)
        PyErr_Format(PyExc_ValueError, "an argument by value has at most %d bytes, not %zd", MOST_BYTES, b.len);
    else if (b.len > (Py_ssize_t)sizeof v->bytes && !(to = *copy = PyMem_Malloc((size_t)b.len)))
        PyErr_NoMemory();
    if (!PyErr_Occurred()) {
        memcpy(to, b.buf, (size_t)b.len);
        take_value(a, to, b.len);
    }
    PyBuffer_Release(&b);
    return !PyErr_Occurred();
}

/* NumPy's arrays lie in the host's memory, where no kernel reads; records and 0-d arrays are meant as values. */
static bool numpy_value(PyObject *o)
{
    PyObject *ndim = PyObject_GetAttrString(o, "ndim"), *dtype = PyObject_GetAttrString(o, "dtype");
    PyObject *kind = dtype ? PyObject_GetAttrString(dtype, "kind") : NULL;
    bool value = ndim && kind &&
                 (PyLong_AsLong(ndim) == 0 || PyUnicode_CompareWithASCIIString(kind, "V") == 0);
    Py_XDECREF(ndim);
    Py_XDECREF(dtype);
    Py_XDECREF(kind);
    return PyErr_Clear(), value;
}

/* cuda.MemoryPointer and what has its `ptr`; arrays of other libraries. */
static bool take_foreign(PyObject *o, cp_argument *a, cpy_by_value *v)
{
    PyObject *r = PyObject_GetAttrString(o, "ptr");
    if (!r) {
        PyErr_Clear();
        PyObject *interface = PyObject_GetAttrString(o, "__cuda_array_interface__");
        PyObject *data = interface ? PyMapping_GetItemString(interface, "data") : NULL;
        r = data ? PySequence_GetItem(data, 0) : NULL;
        Py_XDECREF(interface);
        Py_XDECREF(data);
    }
    if (!r) return PyErr_Clear(), unsupported(o);
    bool done = take_address(r, a, v);
    Py_DECREF(r);
    return done || (PyErr_Clear(), unsupported(o));
}

static bool take(PyObject *o, cp_argument *a, cpy_by_value *v, void **copy)
{
    if (cpy_is_array(o)) return a->array = cpy_hold(o), true;
    if (PyBool_Check(o)) return v->truth = o == Py_True, take_value(a, &v->truth, 1);
    if (PyLong_Check(o)) return take_integer(o, a, v);
    if (cpy_is_generic(o)) return take_bytes(o, a, v, copy); /* before float, of which numpy.float64 is one */
    if (PyFloat_Check(o)) return v->real = PyFloat_AS_DOUBLE(o), take_value(a, &v->real, sizeof v->real);
    if (PyComplex_Check(o)) {
        Py_complex c = PyComplex_AsCComplex(o);
        v->complex[0] = c.real, v->complex[1] = c.imag;
        return take_value(a, v->complex, sizeof v->complex);
    }
    if (o == Py_None) return v->address = NULL, take_value(a, &v->address, sizeof v->address);
    if (cpy_is_numpy_array(o)) return numpy_value(o) ? take_bytes(o, a, v, copy) : unsupported(o);
    return cpy_take_struct(o, a) || take_foreign(o, a, v);
}

void cpy_drop_arguments(cpy_launch_arguments *g)
{
    for (int i = 0; i < g->n; i++) {
        if (g->at[i].array) cpy_drop(g->from[i], g->at[i].array);
        PyMem_Free(g->copies[i]);
    }
    if (g->at == g->inline_arguments) return;
    PyMem_Free(g->at);
    PyMem_Free(g->values);
    PyMem_Free(g->copies);
}

bool cpy_take_arguments(cpy_launch_arguments *g, PyObject *const *from, Py_ssize_t n)
{
    g->n = 0;
    g->from = from;
    g->at = g->inline_arguments;
    g->values = g->few_values;
    g->copies = g->few_copies;
    if (n > CPY_INLINE_ARGUMENTS) {
        g->at = PyMem_Malloc((size_t)n * sizeof *g->at);
        g->values = PyMem_Malloc((size_t)n * sizeof *g->values);
        g->copies = PyMem_Malloc((size_t)n * sizeof *g->copies);
        if (!g->at || !g->values || !g->copies) return PyErr_NoMemory(), false;
    }
    for (bool done = true; done && g->n < n;) {
        int i = g->n++;
        g->at[i] = (cp_argument){0};
        g->copies[i] = NULL;
        done = take(from[i], &g->at[i], &g->values[i], &g->copies[i]);
        if (!done) return false;
    }
    return true;
}

/* --- numbers as values of a type --- */
static bool real_as(cp_type t, double re, cpy_by_value *v)
{
    if (cpy_type_rows[t].half) return cps_store_half(t, v->bytes, 0, (float)re), true;
    if (t == CP_FLOAT32) return memcpy(v->bytes, &(float){(float)re}, 4), true;
    return v->real = re, true;
}

/* C leaves open what a number beyond the type becomes; here it is the lowest 64 bits of the nearest integer. */
static uint64_t whole(double re)
{
    if (re >= -0x1p63 && re < 0x1p63) return (uint64_t)(int64_t)re;
    return re >= 0x1p63 && re < 0x1p64 ? (uint64_t)re : (uint64_t)INT64_MIN;
}

static bool integer_bits(PyObject *o, uint64_t *bits)
{
    *bits = PyLong_AsUnsignedLongLongMask(o);
    return !(*bits == UINT64_MAX && PyErr_Occurred());
}

static bool complex_as(PyObject *o, cp_type t, cpy_by_value *v)
{
    Py_complex c = PyComplex_AsCComplex(o);
    if (c.real == -1 && PyErr_Occurred()) return false;
    if (t == CP_COMPLEX64) memcpy(v->bytes, (float[]){(float)c.real, (float)c.imag}, 8);
    else v->complex[0] = c.real, v->complex[1] = c.imag;
    return true;
}

bool cpy_number_as(PyObject *o, cp_type t, cpy_by_value *v)
{
    if (!PyLong_Check(o) && !PyFloat_CheckExact(o) && !PyComplex_CheckExact(o)) {
        PyObject *item = cpy_is_generic(o) ? PyObject_CallMethod(o, "item", NULL) : NULL;
        bool number = item && (PyLong_Check(item) || PyFloat_CheckExact(item) || PyComplex_CheckExact(item));
        bool done = number && cpy_number_as(item, t, v);
        Py_XDECREF(item);
        return done || (!PyErr_Occurred() && unsupported(o));
    }
    char kind = cp_type_kind(t);
    if (kind == 'c') return complex_as(o, t, v);
    if (PyComplex_Check(o)) {
        PyErr_Format(PyExc_TypeError, "a complex number cannot become %s", cp_type_name(t));
        return false;
    }
    if (kind == 'b') return v->truth = PyObject_IsTrue(o) == 1, true;
    if (kind == 'f') {
        double re = PyFloat_AsDouble(o);
        return !(re == -1 && PyErr_Occurred()) && real_as(t, re, v);
    }
    uint64_t bits;
    if (PyFloat_Check(o)) bits = whole(PyFloat_AS_DOUBLE(o));
    else if (!integer_bits(o, &bits)) return false;
    memcpy(v->bytes, &bits, sizeof bits); /* the lowest bytes come first */
    return true;
}
