/* Scalars: conversions between numbers of Python and NumPy and elements.
 *
 * Python's int, float and complex are weak operands (they take the array's type), bool and NumPy's scalars have
 * a type of their own, as in NumPy 2. */
#include "cpy.h"

#include <math.h>
#include <string.h>

#include "core/type_traits.h"
#include "scalar/halves.h"

bool cpy_is_generic(PyObject *o)
{
    if (PyLong_CheckExact(o) || PyFloat_CheckExact(o)) return false; /* whatever is imported */
    PyTypeObject *t = cpy_numpy_generic();
    return t && PyObject_TypeCheck(o, t);
}

/* A NumPy scalar's bytes; false without an exception when it is no number of ours. Text, dates and times have buffers
 * too, but of single bytes along an axis. */
static bool generic_value(PyObject *o, cp_type *t, unsigned char value[16])
{
    Py_buffer b;
    if (PyObject_GetBuffer(o, &b, PyBUF_FORMAT) < 0) {
        PyErr_Clear();
        return false;
    }
    bool swapped = false;
    bool one = b.format && b.ndim == 0 && b.len == b.itemsize && b.len <= 16;
    *t = one ? cpy_format_type(b.format, b.itemsize, &swapped) : CP_DEFAULT;
    bool done = *t != CP_DEFAULT && !swapped;
    if (done) memcpy(value, b.buf, (size_t)b.len);
    PyBuffer_Release(&b);
    return done;
}

/* A NumPy scalar's type by its class, which is remembered where it is NumPy's own; CP_DEFAULT: no number of ours. */
static cp_type generic_type(PyObject *o)
{
    cpy_state *s = cpy_now();
    PyObject *class = (PyObject *)Py_TYPE(o);
    for (cp_type t = 0; t < CP_NTYPES; t++)
        if (cpy_peek(&s->scalar_types[t]) == class) return t;
    cp_type t;
    _Alignas(16) unsigned char value[16];
    if (!cpy_is_generic(o) || !generic_value(o, &t, value)) return CP_DEFAULT;
    if (!PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_HEAPTYPE)) cpy_publish(&s->scalar_types[t], Py_NewRef(class));
    return t;
}

bool cpy_is_scalar(PyObject *o)
{
    return PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o) || generic_type(o) != CP_DEFAULT;
}

bool cpy_is_string(PyObject *o)
{
    return PyUnicode_Check(o) || PyBytes_Check(o) || (cpy_is_generic(o) && !cpy_is_scalar(o));
}

bool cpy_scalars_init(cpy_state *s)
{
    for (int v = CPY_FIRST_INT; v <= CPY_LAST_INT; v++)
        if (!(s->small_ints[v - CPY_FIRST_INT] = cp_keep(cp_int(v)))) return cpy_raise(), false;
    return true;
}

static cp_array *small_int(int64_t v)
{
    return v < CPY_FIRST_INT || v > CPY_LAST_INT ? NULL : cpy_now()->small_ints[v - CPY_FIRST_INT];
}

cp_array *cpy_small_int(PyObject *o)
{
    int overflow;
    if (!PyLong_CheckExact(o)) return NULL;
    int64_t v = PyLong_AsLongLongAndOverflow(o, &overflow);
    return overflow ? NULL : small_int(v);
}

static bool is_comparison(int op)
{
    return op == CP_OP_equal || op == CP_OP_not_equal || op == CP_OP_less || op == CP_OP_less_equal ||
           op == CP_OP_greater || op == CP_OP_greater_equal;
}

/* The floating type that operation `op` takes integers of type t as, CP_DEFAULT where it computes with integers. */
static cp_type real_loop(int op, cp_type t)
{
    if (t == CP_BOOL) t = CP_INT64; /* what a Python integer is beside booleans */
    cp_type in[3] = {t, t, t}, loop[3], out[2];
    if (op == CPY_NO_OP) return CP_DEFAULT;
    if (cp_op_types((cp_op)op, in, loop, out) != CP_OK) {
        cp_error_clear();
        return CP_DEFAULT;
    }
    return cp_type_kind(loop[0]) == 'f' ? loop[0] : CP_DEFAULT;
}

/* Does operation `op` take type t at all? If not, the TypeError is set: NumPy asks this before it looks at values. */
static bool op_takes(int op, cp_type t)
{
    cp_type in[3] = {t, t, t}, loop[3], out[2];
    return op == CPY_NO_OP || cp_op_types((cp_op)op, in, loop, out) == CP_OK || (cpy_raise(), false);
}

/* v, whose size is at least 2^63, as a number of type t. */
static cp_array *huge_real(cp_type t, double v)
{
    float single = (float)v;
    if (!cpy_type_rows[t].half) return t == CP_FLOAT32 ? cp_scalar(t, &single) : cp_scalar(t, &v);
    uint64_t bits = 0;
    cps_store_half(t, &bits, 0, single);
    return cp_scalar(t, &bits);
}

/* An integer that int64 does not hold: right for uint64 and for reals; else too large, but comparisons still have an
 * answer. */
static cp_array *huge_int(PyObject *o, int sign, const cp_array *partner, int op)
{
    cp_type other = partner ? cp_type_of(partner) : CP_UINT64, real = real_loop(op, other);
    char kind = cp_type_kind(other);
    if (op == CP_OP_ldexp && other != CP_BOOL) real = real_loop(op, CP_INT8); /* exponents do not choose the type */
    bool truth = op == CP_OP_logical_and || op == CP_OP_logical_or || op == CP_OP_logical_xor;
    if (truth || (is_comparison(op) && other == CP_BOOL)) { /* beside a truth value it is not weak: an int64 */
        PyErr_SetString(PyExc_OverflowError, "Python int too large to convert to C long");
        return NULL;
    }
    bool weak = (kind == 'f' || kind == 'c') && op != CP_OP_ldexp;
    if (weak || real != CP_DEFAULT) {
        if (!op_takes(op, other)) return NULL;
        double v = PyLong_AsDouble(o);
        if (v == -1 && PyErr_Occurred()) return NULL;
        return weak ? cp_float(v) : huge_real(real, v);
    }
    if (other == CP_UINT64 && sign > 0) {
        uint64_t v = PyLong_AsUnsignedLongLong(o);
        if (!PyErr_Occurred()) return cp_scalar(CP_UINT64, &v);
        PyErr_Clear();
    }
    if (is_comparison(op)) return cp_float(sign > 0 ? INFINITY : -INFINITY);
    PyErr_Format(PyExc_OverflowError, "Python integer %S out of bounds for %s", o, cp_type_name(other));
    return NULL;
}

cp_array *cpy_scalar(PyObject *o, const cp_array *partner, int op)
{
    cp_array *x = NULL;
    if (PyLong_CheckExact(o)) {
        int overflow;
        int64_t v = PyLong_AsLongLongAndOverflow(o, &overflow);
        x = overflow ? NULL : small_int(v);
        x = overflow ? huge_int(o, overflow, partner, op) : x ? cp_retain(x) : cp_int(v);
    } else if (PyFloat_CheckExact(o)) {
        x = cp_float(PyFloat_AS_DOUBLE(o));
    } else if (PyBool_Check(o)) {
        uint8_t v = o == Py_True;
        x = cp_scalar(CP_BOOL, &v);
    } else if (cpy_is_generic(o)) {
        cp_type t;
        _Alignas(16) unsigned char value[16];
        if (!generic_value(o, &t, value)) return NULL;
        x = cp_scalar(t, value);
    } else if (PyLong_Check(o)) {
        cp_array *held = cp_retain((cp_array *)partner); /* its own code may give the partner another shape */
        PyObject *exact = PyNumber_Long(o);
        if (exact && PyLong_CheckExact(exact)) x = cpy_scalar(exact, partner, op);
        Py_XDECREF(exact);
        cpy_free(held);
        return x;
    } else if (PyFloat_Check(o)) {
        x = cp_float(PyFloat_AS_DOUBLE(o));
    } else if (PyComplex_Check(o)) {
        Py_complex c = PyComplex_AsCComplex(o);
        x = cp_complex(c.real, c.imag);
    } else {
        return NULL;
    }
    if (!x) cpy_raise();
    return x;
}

/* Does int64 not hold this Python integer? */
static bool is_huge(PyObject *o)
{
    int overflow = 0;
    if (o && PyLong_Check(o)) PyLong_AsLongLongAndOverflow(o, &overflow);
    return overflow != 0;
}

cp_array *cpy_find_number(int n, PyObject *const *o)
{
    PyObject *met = NULL;
    bool huge = false;
    int numbers = 0;
    for (int i = 0; i < n; i++) {
        if (!o[i] || !cpy_is_scalar(o[i])) continue;
        huge |= is_huge(o[i]);
        numbers++;
        if (cpy_is_generic(o[i])) met = o[i];
        else if (!met && !PyLong_Check(o[i])) met = o[i];
    }
    if (!huge) return NULL;
    cp_array *x = met ? cpy_scalar(met, NULL, CPY_NO_OP) : numbers > 1 ? cp_scalar(CP_INT64, &(int64_t){0}) : NULL;
    if (!x) PyErr_Clear();
    return x;
}

cp_array *cpy_lent_array(PyObject *o)
{
    if (PyErr_Occurred() || cpy_is_array(o) || (!cpy_gives_array(o) && !cpy_lends(o))) return NULL;
    PyObject *held = cpy_asarray(o, CP_DEFAULT);
    cp_array *x = held ? cp_retain(cpy_x(held)) : NULL;
    Py_XDECREF(held);
    return x;
}

static void unsupported_type(PyObject *o)
{
    if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "Unsupported type %R", (PyObject *)Py_TYPE(o));
}

cp_array *cpy_operand(PyObject *o, const cp_array *partner, int op, bool *owned)
{
    *owned = false;
    if (cpy_is_array(o)) return cpy_x(o);
    cp_array *x = cpy_small_int(o);
    if (x) return x;
    x = cpy_scalar(o, partner, op);
    if (!x) x = cpy_lent_array(o);
    *owned = x != NULL;
    if (!x) unsupported_type(o);
    return x;
}

cp_array *cpy_need(PyObject *o)
{
    if (cpy_is_array(o)) return cpy_x(o);
    unsupported_type(o);
    return NULL;
}

bool cpy_out(PyObject *o, cp_array **out)
{
    *out = NULL;
    if (!cpy_given(o)) return true;
    if (!cpy_is_array(o)) {
        PyErr_Format(PyExc_TypeError, "return arrays must be of ArrayType (got %R)", (PyObject *)Py_TYPE(o));
        return false;
    }
    *out = cpy_x(o);
    return true;
}

PyObject *cpy_only_out(PyObject *o)
{
    if (!o || !PyTuple_Check(o)) return o;
    if (PyTuple_GET_SIZE(o) == 1) return PyTuple_GET_ITEM(o, 0);
    PyErr_SetString(PyExc_ValueError, "The 'out' tuple must have exactly one entry per ufunc output");
    return NULL;
}

/* --- storing --- */
static bool store_int(cp_type t, int64_t v, uint64_t u, void *p)
{
    int bits = (int)cp_type_size(t) * 8;
    bool is_signed = cp_type_kind(t) == 'i';
    bool fits = is_signed ? bits == 64 || (v >= -((int64_t)1 << (bits - 1)) && v < (int64_t)1 << (bits - 1))
                          : bits == 64 || (v >= 0 && v < (int64_t)1 << bits);
    switch (bits) {
    case 8: *(uint8_t *)p = (uint8_t)v; break;
    case 16: *(uint16_t *)p = (uint16_t)v; break;
    case 32: *(uint32_t *)p = (uint32_t)v; break;
    default: *(uint64_t *)p = u;
    }
    return fits;
}

static bool out_of_bounds(PyObject *o, cp_type t)
{
    PyErr_Format(PyExc_OverflowError, "Python integer %S out of bounds for %s", o, cp_type_name(t));
    return false;
}

/* An exact Python int into an integer type. */
static bool store_long(cp_type t, PyObject *o, void *p)
{
    int overflow;
    int64_t v = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow > 0 && t == CP_UINT64) {
        uint64_t u = PyLong_AsUnsignedLongLong(o);
        if (!PyErr_Occurred()) return store_int(t, (int64_t)u, u, p), true;
        PyErr_Clear();
    }
    if (overflow || (t == CP_UINT64 && v < 0)) return out_of_bounds(o, t);
    return store_int(t, v, (uint64_t)v, p) ? true : out_of_bounds(o, t);
}

static bool store_integer(cp_type t, PyObject *o, void *p)
{
    PyObject *i = PyNumber_Long(o); /* raises for NaN and infinity */
    if (!i) return false;
    bool done = store_long(t, i, p);
    Py_DECREF(i);
    return done;
}

static bool store_real(cp_type t, PyObject *o, void *p)
{
    if (cp_type_kind(t) != 'f') return PyLong_CheckExact(o) ? store_long(t, o, p) : store_integer(t, o, p);
    double v = PyFloat_AsDouble(o);
    if (v == -1 && PyErr_Occurred()) return false;
    if (t == CP_FLOAT32) *(float *)p = (float)v;
    else *(double *)p = v;
    return true;
}

bool cpy_may_discard(cp_type from, cp_type to)
{
    if (cp_type_kind(from) != 'c' || cp_type_kind(to) == 'c' || cp_type_kind(to) == 'b') return true;
    return cpy_warn(CP_WARNING_COMPLEX);
}

/* NumPy's scalars become unsigned ones as arrays do, without a check. */
static bool store_converted(cp_type t, PyObject *o, void *p)
{
    cp_array *x = cpy_scalar(o, NULL, CPY_NO_OP), *y = x ? CPY_MADE(cp_astype(x, t)) : NULL;
    cp_code code = CP_ERROR_INTERNAL;
    if (y) CPY_RUN(0, code = cp_to_host(y, p, cp_type_size(t)));
    bool done = code == CP_OK;
    cpy_free(x);
    cpy_free(y);
    if (!done) cpy_raise();
    return done;
}

/* The real part of a complex scalar: of NumPy's, with its warning; Python's is refused. */
static bool store_real_part(cp_type t, PyObject *o, void *p)
{
    if (!cpy_is_generic(o)) {
        PyErr_Format(PyExc_TypeError, "%s argument must be a string or a real number, not 'complex'",
                     cp_type_kind(t) == 'f' ? "float()" : "int()");
        return false;
    }
    if (!cpy_may_discard(CP_COMPLEX128, t)) return false;
    PyObject *real = PyFloat_FromDouble(PyComplex_RealAsDouble(o));
    bool done = real && store_real(t, real, p);
    Py_XDECREF(real);
    return done;
}

/* complex64 is NumPy's only: complex128 derives from Python's complex. */
static bool is_complex64(PyObject *o)
{
    return !PyFloat_Check(o) && !PyLong_Check(o) && generic_type(o) == CP_COMPLEX64;
}

bool cpy_store(cp_type t, PyObject *o, void *p)
{
    /* most do */
    if ((PyFloat_CheckExact(o) || PyLong_CheckExact(o)) && cp_type_kind(t) == 'f') return store_real(t, o, p);
    if (!cpy_is_scalar(o)) {
        unsupported_type(o);
        return false;
    }
    char kind = cp_type_kind(t);
    if (kind == 'b') {
        int truth = PyObject_IsTrue(o);
        *(uint8_t *)p = truth > 0;
        return truth >= 0;
    }
    if (kind == 'c') {
        Py_complex c = PyComplex_AsCComplex(o);
        if (PyErr_Occurred()) return false;
        if (t == CP_COMPLEX64) *(cp_complex64 *)p = (cp_complex64){(float)c.real, (float)c.imag};
        else *(cp_complex128 *)p = (cp_complex128){c.real, c.imag};
        return true;
    }
    if (PyComplex_Check(o) || is_complex64(o)) return store_real_part(t, o, p);
    if (kind == 'u' && !PyLong_CheckExact(o) && cpy_is_generic(o)) return store_converted(t, o, p);
    return store_real(t, o, p);
}

/* A small float's is weak, so that it becomes what it is written into: no rule of casting forbids that. */
cp_array *cpy_scalar_as(PyObject *o, cp_type t)
{
    _Alignas(16) unsigned char value[16];
    bool half = cpy_type_rows[t].half;
    if (!cpy_store(half ? CP_FLOAT64 : t, o, value)) return NULL;
    cp_array *x = half ? cp_float(*(double *)value) : cp_scalar(t, value);
    if (!x) cpy_raise();
    return x;
}

cp_type cpy_type_of_integer(PyObject *o)
{
    int overflow;
    PyLong_AsLongLongAndOverflow(o, &overflow);
    if (!overflow) return CP_INT64;
    PyLong_AsUnsignedLongLong(o);
    bool fits = overflow > 0 && !PyErr_Occurred();
    PyErr_Clear();
    return fits ? CP_UINT64 : CP_DEFAULT;
}

/* Python's numbers go to any type of their kind or a wider one ("no" and "safe" too): they have none of their own. */
static bool may_cast_number(PyObject *o, cp_type t, cp_casting rule)
{
    char kind = cp_type_kind(t);
    if (rule == CP_UNSAFE) return true;
    if (PyLong_Check(o)) {
        return rule == CP_EQUIV ? t == cpy_type_of_integer(o) : kind != 'b';
    }
    if (PyFloat_Check(o)) return rule == CP_EQUIV ? t == CP_FLOAT64 : kind == 'f' || kind == 'c';
    return rule == CP_EQUIV ? t == CP_COMPLEX128 : kind == 'c';
}

cp_array *cpy_scalar_cast(PyObject *o, cp_type t, cp_casting rule)
{
    bool number = !PyBool_Check(o) && !cpy_is_generic(o);
    cp_array *x = number && PyLong_Check(o) ? NULL : cpy_scalar(o, NULL, CPY_NO_OP);
    if (!x && PyErr_Occurred()) return NULL;
    cp_type own = x ? cp_type_of(x) : CP_INT64;
    bool allowed = number ? may_cast_number(o, t, rule) : x && cp_can_cast(own, t, rule);
    if (!allowed)
        PyErr_Format(PyExc_TypeError, "Cannot cast scalar from dtype('%s') to dtype('%s') according to the rule '%s'",
                     cp_type_name(own), cp_type_name(t), cpy_casting_name(rule));
    if (allowed && !x && t == CP_BOOL && cpy_type_of_integer(o) != CP_INT64) allowed = out_of_bounds(o, CP_INT64);
    if (allowed && !x) return cpy_scalar_as(o, t); /* an integer must fit, whatever the rule */
    if (allowed && cpy_may_discard(own, t)) return x;
    cpy_free(x);
    return NULL;
}

/* --- loading --- */

/* Of type T, wherever it lies. */
#define AT(T)                        \
    __extension__({                  \
        T element_;                  \
        memcpy(&element_, p, sizeof element_); \
        element_;                    \
    })

PyObject *cpy_load(cp_type t, const void *p)
{
    switch (t) {
    CPI_CASE_HALVES: {
        uint64_t bits = 0;
        return PyFloat_FromDouble(cps_load_half(t, memcpy(&bits, p, cp_type_size(t)), 0));
    }
    case CP_BOOL: return PyBool_FromLong(AT(uint8_t));
    case CP_INT8: return PyLong_FromLong(AT(int8_t));
    case CP_UINT8: return PyLong_FromLong(AT(uint8_t));
    case CP_INT16: return PyLong_FromLong(AT(int16_t));
    case CP_UINT16: return PyLong_FromLong(AT(uint16_t));
    case CP_INT32: return PyLong_FromLong(AT(int32_t));
    case CP_UINT32: return PyLong_FromUnsignedLong(AT(uint32_t));
    case CP_INT64: return PyLong_FromLongLong(AT(int64_t));
    case CP_UINT64: return PyLong_FromUnsignedLongLong(AT(uint64_t));
    case CP_FLOAT32: return PyFloat_FromDouble(AT(float));
    case CP_FLOAT64: return PyFloat_FromDouble(AT(double));
    case CP_COMPLEX64: {
        const cp_complex64 c = AT(cp_complex64);
        return PyComplex_FromDoubles(c.re, c.im);
    }
    case CP_COMPLEX128: {
        const cp_complex128 c = AT(cp_complex128);
        return PyComplex_FromDoubles(c.re, c.im);
    }
    case CP_DEFAULT: break;
    }
    PyErr_SetString(PyExc_SystemError, "no such element type");
    return NULL;
}

/* The one element of x as a Python number. */
PyObject *cpy_item(cp_array *x)
{
    if (cp_size(x) != 1) {
        PyErr_SetString(PyExc_ValueError, "can only convert an array of size 1 to a Python scalar");
        return NULL;
    }
    _Alignas(16) unsigned char value[16];
    cp_type t = cp_type_of(x);
    const char *here = cpy_at_hand(x);
    if (here) return cpy_load(t, here);
    cp_code code;
    if (cp_device_of(x) == CP_CPU) code = cp_to_host(x, value, sizeof value);
    else CPY_RUN_ON(1, &x, CPY_LARGE + 1, code = cp_to_host(x, value, sizeof value));
    return code == CP_OK ? cpy_load(t, value) : cpy_raise();
}
