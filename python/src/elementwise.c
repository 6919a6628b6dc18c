/* Functions and methods made of elementwise operations; their rows are in src/array/elementwise/functions.def. */
#include "elementwise_rows.h"

#include <math.h>
#include <string.h>

/* Calls an operation of the table. */
static cp_array *call(cp_op op, cp_array *const *in, cp_array *out)
{
    cp_ufunc_options options = {.out = out};
    cp_array *r;
    CPY_RUN(cp_size(in[0]), r = cp_elementwise(op, in, &options));
    return r;
}

/* One bound is a maximum or a minimum, two are a clip; without any there is nothing to do, as in NumPy 2. */
static PyObject *clip(cp_array *x, cp_array *low, cp_array *high, cp_array *out)
{
    if (low && high) return cpy_wrap(call(CP_OP_clip, (cp_array *[]){x, low, high}, out));
    if (low) return cpy_wrap(call(CP_OP_maximum, (cp_array *[]){x, low}, out));
    if (high) return cpy_wrap(call(CP_OP_minimum, (cp_array *[]){x, high}, out));
    return cpy_wrap(call(CP_OP_positive, &x, out));
}

PyObject *py_clip(const py_clip_args *v)
{
    return clip(v->a, v->a_min ? v->a_min : v->min, v->a_max ? v->a_max : v->max, v->out);
}

PyObject *py_clip_method(const py_clip_method_args *v) { return clip(v->a, v->min, v->max, v->out); }

PyObject *py_conj_method(const py_conj_method_args *v)
{
    if (cp_type_kind(cp_type_of(v->a)) != 'c') return Py_NewRef(v->self);
    return cpy_wrap(call(CP_OP_conjugate, &v->a, NULL));
}

/* A number, what NumPy makes one of, or a 0-d array, that is to become elements of `to`. */
static cp_array *one_value(PyObject *o, const cp_array *to)
{
    cp_type t = cp_type_of(to);
    if (cpy_is_scalar(o)) return cpy_scalar_as(o, t);
    cp_array *x = cpy_is_array(o) ? cpy_x(o) : NULL;
    /* the object is read again: a warning runs code */
    if (x && cp_ndim(x) == 0) return cpy_may_discard(cp_type_of(x), t) ? cp_retain(cpy_x(o)) : NULL;
    if (!x && !cpy_is_numpy_array(o)) return cpy_packed(o, to); /* a 0-d one is a number by now */
    PyErr_SetString(PyExc_ValueError, "setting an array element with a sequence.");
    return NULL;
}

PyObject *py_fill_method(const py_fill_method_args *v)
{
    PyObject *given = cpy_number_in(v->value);
    cp_array *value = given ? one_value(given, v->a) : NULL;
    Py_XDECREF(given);
    if (!value) return NULL;
    cp_code code;
    CPY_RUN(cp_size(v->a), code = cp_fill(v->a, value));
    cpy_free(value);
    return cpy_none(code);
}

/* Has x that type, in an order that was asked for? 'A' is either. */
static bool is_right(const cp_array *x, cp_type t, char order)
{
    bool c = cp_is_c_contiguous(x), f = cp_is_f_contiguous(x);
    return t == cp_type_of(x) && (order == 'C' ? c : order == 'F' ? f : order == 'A' ? c || f : true);
}

static cp_array *converted(cp_array *x, cp_type t, char order)
{
    bool reversed = cp_is_f_contiguous(x) && !cp_is_c_contiguous(x);
    if (t == cp_type_of(x)) return cp_copy_order(x, order);
    cp_array *r = cp_astype(x, t);
    if (!r || order == 'K') return r;
    cp_array *ordered = cp_copy_order(r, order == 'A' ? (reversed ? 'F' : 'C') : order);
    cp_free(r);
    return ordered;
}

static PyObject *astype(PyObject *self, cp_array *x, cp_type t, char order, cp_casting rule, bool copy, bool moved)
{
    cp_array *r, *there;
    if (!cpy_can_cast(x, t, rule) || !cpy_may_discard(cp_type_of(x), t)) return NULL;
    moved &= cp_device_of(x) != cp_device_current();
    if (!copy && !moved && is_right(x, t, order)) return Py_NewRef(self);
    CPY_RUN(cp_size(x), r = !copy && is_right(x, t, order) ? cp_retain(x) : converted(x, t, order));
    if (r && moved) {
        CPY_UNLOCKED(there = cp_to_device(r, cp_device_current()));
        cpy_free(r);
        r = there;
    }
    return cpy_wrap(r);
}

PyObject *py_astype_method(const py_astype_method_args *v)
{
    return astype(v->self, v->a, v->dtype, v->order, v->casting, v->copy, v->device.moved);
}

PyObject *py_astype(const py_astype_args *v)
{
    return astype(v->self, v->a, v->dtype, 'K', CP_UNSAFE, v->copy, v->device.moved);
}

/* A 0-d boolean on the device of x; -1 raises. */
static PyObject *truth(int value, cp_array *x)
{
    if (value < 0) return cpy_raise();
    int before = cp_device_current(), there = cp_device_of(x);
    if (before == CP_NO_DEVICE || (before != there && cp_device_use(there) != CP_OK)) return cpy_raise();
    uint8_t byte = value != 0;
    cp_array *r = CPY_MADE(cp_from_host(&byte, CP_BOOL, CP_SHAPE0, NULL));
    if (before != there) cp_device_use(before);
    return cpy_wrap(r);
}

PyObject *py_allclose(const py_allclose_args *v)
{
    int value;
    CPY_UNLOCKED(value = cp_allclose(v->a, v->b, v->rtol, v->atol, v->equal_nan));
    return truth(value, v->a);
}

PyObject *py_array_equal(const py_array_equal_args *v)
{
    int value;
    CPY_UNLOCKED(value = cp_array_equal(v->a1, v->a2, v->equal_nan));
    return truth(value, v->a1);
}

PyObject *py_angle(const py_angle_args *v)
{
    cp_ufunc_options o = {
        .out = v->out, .where = v->where, .typed = v->dtype != CP_DEFAULT, .dtype = v->dtype, .casting = v->casting};
    cp_array *r, *scale = v->deg ? cp_float(180 / 3.141592653589793) : NULL, *scaled;
    CPY_RUN(cp_size(v->z), r = cp_elementwise(CP_OP_angle, &v->z, &o));
    if (!r || !v->deg) return cpy_wrap(r);
    o = (cp_ufunc_options){.out = r, .where = v->where};
    CPY_RUN(cp_size(r), scaled = cp_elementwise(CP_OP_multiply, (cp_array *[]){r, scale}, &o));
    cpy_free(scale);
    cpy_free(r);
    return cpy_wrap(scaled);
}

/* An attribute of an array, or of what asarray makes of anything else. */
static PyObject *part(PyObject *o, const char *name)
{
    PyObject *x = cpy_asarray(o, CP_DEFAULT);
    PyObject *r = x ? PyObject_GetAttrString(x, name) : NULL;
    Py_XDECREF(x);
    return r;
}

PyObject *py_real(const py_real_args *v) { return part(v->val, "real"); }
PyObject *py_imag(const py_imag_args *v) { return part(v->val, "imag"); }

/* --- types --- */
static bool type_of_anything(PyObject *o, cp_type *t)
{
    if (cpy_is_array(o)) return *t = cp_type_of(cpy_x(o)), true;
    cp_array *typed = cpy_is_generic(o) ? cpy_scalar(o, NULL, CPY_NO_OP) : NULL;
    if (typed) {
        *t = cp_type_of(typed);
        cpy_free(typed);
        return true;
    }
    if (cpy_is_scalar(o)) {
        PyErr_SetString(PyExc_TypeError,
                        "can_cast() does not support Python numbers: their type depends on the other operand");
        return false;
    }
    return cpy_type(o, CP_FLOAT64, t);
}

PyObject *py_can_cast(const py_can_cast_args *v)
{
    cp_type from;
    return type_of_anything(v->from_, &from) ? PyBool_FromLong(cp_can_cast(from, v->to, v->casting)) : NULL;
}

PyObject *py_promote_types(const py_promote_types_args *v)
{
    return Py_XNewRef(cpy_dtype(cp_promote(v->type1, v->type2)));
}

/*: function("_promoted", "type1: dtype('float64') | None, type2: dtype('float64') | None, /", body=True,
             unlock="never", doc="The name of the type that promote_types gives.") */
PyObject *py__promoted(const py__promoted_args *v)
{
    return PyUnicode_FromString(cp_type_name(cp_promote(v->type1, v->type2)));
}

/*: function("_meeting", "a: object, b: object = None, /", body=True, unlock="never",
             doc="The dtype in which two arrays or dtypes meet; None for what asks NumPy.") */
PyObject *py__meeting(const py__meeting_args *v)
{
    cp_type a, b;
    if (!cpy_known_type(v->a, &a)) Py_RETURN_NONE;
    b = a;
    if (v->b && !cpy_known_type(v->b, &b)) Py_RETURN_NONE;
    return Py_XNewRef(cpy_dtype(cp_promote(a, b)));
}
