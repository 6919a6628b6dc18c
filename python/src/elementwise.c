/* Functions and methods made of elementwise operations: clip, isclose, allclose, fill, astype, ... */
#include "cpy.h"

#include <math.h>
#include <string.h>

/* Calls a ufunc of this module by name: what C callers of a row of the table use. */
static cp_array *call(const char *name, cp_array *const *in, cp_array *out)
{
    cp_ufunc_options options = {.out = out};
    cp_op op = cp_op_from_name(name);
    cp_array *r = NULL;
    if (op == CP_NOPS) PyErr_Format(PyExc_NotImplementedError, "%s is not available", name);
    else CPY_RUN(cp_size(in[0]), r = cp_elementwise(op, in, &options));
    if (!r) cpy_raise();
    return r;
}

static PyObject *result(cp_array *r, cp_array *out, PyObject *out_object)
{
    if (!r || !out) return cpy_wrap(r);
    cp_free(r);
    return Py_NewRef(PyTuple_Check(out_object) ? PyTuple_GET_ITEM(out_object, 0) : out_object);
}

/* One bound is a maximum or a minimum, two are a clip. */
static PyObject *clip(PyObject *const *a)
{
    cp_array *x = cpy_need(a[0]), *out, *in[3] = {x, NULL, NULL}, *r = NULL;
    bool own[3] = {false}, low = cpy_given(a[1]), high = cpy_given(a[2]);
    if (!x || !cpy_out(a[3], &out)) return NULL;
    if (!low && !high) { /* NumPy 2: nothing to do */
        r = call("positive", in, out);
        return result(r, out, a[3]);
    }
    if ((low && !(in[1] = cpy_operand(a[1], x, &own[1]))) || (high && !(in[2] = cpy_operand(a[2], x, &own[2])))) goto done;
    if (low && high && cp_op_from_name("clip") != CP_NOPS) {
        r = call("clip", in, out);
    } else {
        cp_array *step = low ? call("maximum", in, high ? NULL : out) : cp_retain(x);
        r = step && high ? call("minimum", (cp_array *[]){step, in[2]}, out) : cp_retain(step);
        cp_free(step);
    }
done:
    if (own[1]) cp_free(in[1]);
    if (own[2]) cp_free(in[2]);
    return result(r, out, a[3]);
}

CPY_FUNCTION_IN("", clip_function, "clip", "a, a_min=None, a_max=None, out=None, *, min=None, max=None",
                "The elements limited to a_min and a_max (arrays or numbers, either may be None).")
{
    PyObject *v[4] = {a[0], cpy_given(a[4]) ? a[4] : a[1], cpy_given(a[5]) ? a[5] : a[2], a[3]};
    return clip(v);
}

CPY_METHOD(clip_method, "clip", "min=None, max=None, out=None", "The elements limited to min and max (either may be None).")
{
    return clip(a);
}

CPY_METHOD(conj_method, "conj", "", "Complex conjugate; a real array itself.")
{
    if (cp_type_kind(cp_type_of(cpy_x(a[0]))) != 'c') return Py_NewRef(a[0]);
    cp_array *r = call("conjugate", (cp_array *[]){cpy_x(a[0])}, NULL);
    return r ? cpy_wrap(r) : NULL;
}

CPY_METHOD(conjugate_method, "conjugate", "", "Complex conjugate; a real array itself.")
{
    return conj_method_body(a);
}

/* Rounding to decimals as NumPy does: scaled by a power of ten, rounded to even, scaled back. */
static PyObject *round_to(PyObject *o, PyObject *decimals_arg, PyObject *out_object)
{
    cp_array *x = cpy_need(o), *out, *r;
    int decimals;
    if (!x || !cpy_int(decimals_arg, 0, &decimals) || !cpy_out(out_object, &out)) return NULL;
    char kind = cp_type_kind(cp_type_of(x));
    if (kind == 'b' || ((kind == 'i' || kind == 'u') && decimals >= 0)) {
        CPY_RUN(cp_size(x), r = cp_copy_order(x, 'K'));
        if (r && kind == 'b') {
            cp_array *half = cp_astype(r, CP_FLOAT16);
            cp_free(r);
            r = half;
        }
        if (!r) return cpy_raise();
        if (!out) return cpy_wrap(r);
        cp_code code = cp_assign(out, r);
        cp_free(r);
        return code == CP_OK ? Py_NewRef(out_object) : cpy_raise();
    }
    if (decimals == 0) return result(call("rint", (cp_array *[]){x}, out), out, out_object);
    const char *there = decimals > 0 ? "multiply" : "divide", *back = decimals > 0 ? "divide" : "multiply";
    cp_array *scale = cp_float(pow(10, abs(decimals)));
    cp_array *up = scale ? call(there, (cp_array *[]){x, scale}, NULL) : NULL;
    cp_array *even = up ? call("rint", (cp_array *[]){up}, NULL) : NULL;
    r = even ? call(back, (cp_array *[]){even, scale}, kind == 'f' || kind == 'c' ? out : NULL) : NULL;
    cp_free(up);
    cp_free(even);
    cp_free(scale);
    if (r && kind != 'f' && kind != 'c') { /* integers to tens: back to their type */
        cp_array *whole = cp_astype(r, cp_type_of(x));
        cp_free(r);
        r = whole;
        if (r && out && cp_assign(out, r) != CP_OK) {
            cp_free(r);
            r = NULL;
        }
        if (!r) return cpy_raise();
    }
    return result(r, out, out_object);
}

CPY_BOTH(round, "round", "a", "decimals=0, out=None", "Rounded to decimals, halves to the even neighbour.")
{
    return round_to(a[0], a[1], a[2]);
}

CPY_FUNCTION(around, "a, decimals=0, out=None", "Rounded to decimals, halves to the even neighbour.")
{
    return round_to(a[0], a[1], a[2]);
}

CPY_METHOD(round_protocol, "__round__", "ndigits=None, /", "Rounded, halves to the even neighbour.")
{
    return round_to(a[0], cpy_given(a[1]) ? a[1] : NULL, NULL);
}

CPY_METHOD(fill, "fill", "value", "Writes one number (or a 0-d array) to every element.")
{
    cp_array *x = cpy_x(a[0]);
    bool array = cpy_is_array(a[1]);
    cp_array *v = array ? cpy_x(a[1]) : cpy_is_scalar(a[1]) ? cpy_scalar_as(a[1], cp_type_of(x)) : cpy_need(a[1]);
    if (!v) return NULL;
    cp_code code;
    CPY_RUN(cp_size(x), code = cp_fill(x, v));
    if (!array) cp_free(v);
    return cpy_none(code);
}

static PyObject *astype(PyObject *o, PyObject *dtype, PyObject *order_arg, PyObject *casting, PyObject *copy_arg)
{
    cp_array *x = cpy_need(o), *r;
    cp_type t;
    char order;
    cp_casting rule;
    bool copy;
    if (!x || !cpy_type(dtype, CP_FLOAT64, &t) || !cpy_order(order_arg, 'K', "CFAK", &order) ||
        !cpy_casting(casting, CP_UNSAFE, &rule) || !cpy_bool(cpy_given(copy_arg) ? copy_arg : NULL, true, &copy))
        return NULL;
    if (!cp_can_cast(cp_type_of(x), t, rule))
        return PyErr_Format(PyExc_TypeError, "Cannot cast array data from dtype('%s') to dtype('%s') according to the rule '%S'",
                            cp_type_name(cp_type_of(x)), cp_type_name(t), casting);
    bool right = order == 'C' ? cp_is_c_contiguous(x) : order == 'F' ? cp_is_f_contiguous(x) : true;
    if (t == cp_type_of(x) && !copy && right) return Py_NewRef(o);
    CPY_RUN(cp_size(x), r = t == cp_type_of(x) ? cp_copy_order(x, order) : cp_astype(x, t));
    if (r && t != cp_type_of(x) && order != 'K') {
        cp_array *ordered;
        CPY_RUN(cp_size(x), ordered = cp_copy_order(r, order == 'A' ? (cp_is_f_contiguous(x) && !cp_is_c_contiguous(x) ? 'F' : 'C') : order));
        cp_free(r);
        r = ordered;
    }
    return cpy_wrap(r);
}

CPY_METHOD(astype_method, "astype", "dtype, order='K', casting=None, subok=None, copy=True",
           "The elements converted to another dtype; the array itself where nothing changes and copy is false.\n"
           "TypeError where the casting rule ('unsafe' by default) does not allow it.")
{
    return astype(a[0], a[1], a[2], a[3], a[5]);
}

CPY_FUNCTION_IN("", astype_function, "astype", "x, dtype, /, *, copy=True", "The elements converted to another dtype.")
{
    return astype(a[0], a[1], NULL, NULL, a[2]);
}

/* --- comparing: host arrays and lists are taken too, as in CuPy --- */
/* Two operands as arrays of one device: the second one's where the first is none. */
static bool take_pair(PyObject *a, PyObject *b, PyObject **x, PyObject **y)
{
    *y = NULL;
    *x = cpy_is_array(b) ? cpy_asarray_near(a, cpy_x(b)) : cpy_asarray(a, CP_DEFAULT);
    if (*x) *y = cpy_asarray_near(b, cpy_x(*x));
    if (!*y) Py_CLEAR(*x);
    return *y != NULL;
}

typedef struct closeness { PyObject *x, *y; double rtol, atol; bool equal_nan; } closeness;
static bool take_close(PyObject *const *a, closeness *c)
{
    *c = (closeness){NULL, NULL, 0, 0, false};
    if (!cpy_double(a[2], 1e-5, &c->rtol) || !cpy_double(a[3], 1e-8, &c->atol) || !cpy_bool(a[4], false, &c->equal_nan)) return false;
    return take_pair(a[0], a[1], &c->x, &c->y);
}

CPY_FUNCTION(isclose, "a, b, rtol=1e-05, atol=1e-08, equal_nan=False", "Whether |a - b| <= atol + rtol*|b|, elementwise.")
{
    closeness c;
    cp_array *r;
    if (!take_close(a, &c)) return NULL;
    CPY_RUN(cp_size(cpy_x(c.x)), r = cp_isclose(cpy_x(c.x), cpy_x(c.y), c.rtol, c.atol, c.equal_nan));
    Py_DECREF(c.x);
    Py_DECREF(c.y);
    return cpy_wrap(r);
}

static PyObject *truth(int v, cp_array *device_of)
{
    if (v < 0) return cpy_raise();
    int before = cp_device_current(), there = cp_device_of(device_of);
    if (before == CP_NO_DEVICE || (before != there && cp_device_use(there) != CP_OK)) return cpy_raise();
    uint8_t byte = v != 0;
    cp_array *r = cp_from_host(&byte, CP_BOOL, CP_SHAPE0, NULL);
    if (before != there) cp_device_use(before);
    return cpy_wrap(r);
}

CPY_FUNCTION(allclose, "a, b, rtol=1e-05, atol=1e-08, equal_nan=False",
             "Whether |a - b| <= atol + rtol*|b| for all elements: a 0-d bool array. NumPy arrays and lists are taken too.")
{
    closeness c;
    int v;
    if (!take_close(a, &c)) return NULL;
    CPY_UNLOCKED(v = cp_allclose(cpy_x(c.x), cpy_x(c.y), c.rtol, c.atol, c.equal_nan));
    PyObject *r = truth(v, cpy_x(c.x));
    Py_DECREF(c.x);
    Py_DECREF(c.y);
    return r;
}

CPY_FUNCTION(array_equal, "a1, a2, equal_nan=False",
             "Whether shapes and elements are equal: a 0-d bool array. NumPy arrays and lists are taken too.")
{
    bool equal_nan;
    int v;
    if (!cpy_bool(a[2], false, &equal_nan)) return NULL;
    PyObject *x, *y;
    if (!take_pair(a[0], a[1], &x, &y)) return NULL;
    CPY_UNLOCKED(v = cp_array_equal(cpy_x(x), cpy_x(y), equal_nan));
    PyObject *r = truth(v, cpy_x(x));
    Py_DECREF(x);
    Py_DECREF(y);
    return r;
}

CPY_FUNCTION(divmod, "x1, x2, /", "(floor_divide(x1, x2), remainder(x1, x2)).")
{
    return PyNumber_Divmod(a[0], a[1]);
}

static PyObject *part(PyObject *o, const char *name) { return cpy_need(o) ? PyObject_GetAttrString(o, name) : NULL; }
CPY_FUNCTION(real, "val", "Real part, a view.")
{
    return part(a[0], "real");
}

CPY_FUNCTION(imag, "val", "Imaginary part, a view; zeros for a real array.")
{
    return part(a[0], "imag");
}

/* --- types --- */
static bool type_of_anything(PyObject *o, cp_type *t)
{
    if (cpy_is_array(o)) return *t = cp_type_of(cpy_x(o)), true;
    if (cpy_is_scalar(o)) {
        PyErr_SetString(PyExc_TypeError, "can_cast() does not support Python numbers: their type depends on the other operand");
        return false;
    }
    return cpy_type(o, CP_FLOAT64, t);
}

CPY_FUNCTION(can_cast, "from_, to, casting='safe'", "Whether values of a dtype (or of an array's) may be converted under the rule.")
{
    cp_type from, to;
    cp_casting rule;
    if (!type_of_anything(a[0], &from) || !cpy_type(a[1], CP_FLOAT64, &to) || !cpy_casting(a[2], CP_SAFE, &rule)) return NULL;
    return PyBool_FromLong(cp_can_cast(from, to, rule));
}

CPY_FUNCTION(promote_types, "type1, type2", "The smallest dtype that both can be converted to safely.")
{
    cp_type x, y;
    if (!cpy_type(a[0], CP_FLOAT64, &x) || !cpy_type(a[1], CP_FLOAT64, &y)) return NULL;
    return Py_XNewRef(cpy_dtype(cp_promote(x, y)));
}
