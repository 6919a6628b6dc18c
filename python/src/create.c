/* Array creation functions that are more than one library call; their rows are in src/array/shape/shape.def.
 *
 * Invariant: the result lies on the device that `device=` names. That device is current only between cpy_enter and
 * cpy_leave. */
#include "shape_rows.h"

#include <math.h>
#include <string.h>

/* What Device(number) is. Where there are GPUs, that is their number. */
static PyObject *of_ordinal(PyObject *number)
{
    if (cp_device_count() > 0) return Py_NewRef(number);
    PyObject *module = PyImport_ImportModule("cuprite.cuda.device");
    PyObject *r = module ? PyObject_CallMethod(module, "_of_ordinal", "O", number) : NULL;
    Py_XDECREF(module);
    return r;
}

bool cpy_enter(PyObject *device, cpy_position *p)
{
    p->moved = false;
    if (!cpy_given(device)) return true;
    int where;
    if (PyUnicode_Check(device)) {
        const char *name = PyUnicode_AsUTF8(device);
        if (!name) return false;
        if (cp_device_parse(name, &where) != CP_OK) return cpy_raise(), false;
    } else {
        PyObject *number = PyLong_Check(device) ? of_ordinal(device) : PyObject_GetAttrString(device, "_number");
        if (!number && PyErr_ExceptionMatches(PyExc_AttributeError))
            PyErr_Format(PyExc_ValueError, "device: a %s is no device; expected a Device, its name or its number",
                         Py_TYPE(device)->tp_name);
        bool done = number && cpy_clamped_int(number, &where);
        Py_XDECREF(number);
        if (!done) return false;
    }
    p->before = cp_device_current();
    if (p->before == CP_NO_DEVICE || cp_device_use(where) != CP_OK) return cpy_raise(), false;
    p->moved = true;
    return true;
}

void cpy_leave(const cpy_position *p)
{
    if (p->moved) cp_device_use(p->before);
}

int64_t cpy_shape_size(cp_shape shape)
{
    int64_t size = 1;
    for (int i = 0; i < shape.n; i++)
        if (__builtin_mul_overflow(size, shape.dim[i], &size)) return 0;
    return size;
}

/* In Fortran order it is the transpose of one in C order. */
cp_array *cpy_make(cpy_maker f, cp_shape shape, cp_type t, char order)
{
    if (order != 'F' || shape.n < 2) return f(shape, t);
    cpy_ints reversed = {.n = shape.n};
    for (int i = 0; i < shape.n; i++) reversed.at[i] = shape.dim[shape.n - 1 - i];
    cp_array *x = f(cpy_shape_of(&reversed), t), *r = cp_transpose(x, CP_ALL);
    cp_free(x);
    return r;
}

/* Writes a small number to every element. */
static PyObject *filled(cp_array *x, int value)
{
    cp_code code = CP_ERROR_INTERNAL;
    cp_array *number = cpy_now()->small_ints[value - CPY_FIRST_INT];
    if (x) CPY_RUN(cp_size(x), code = cp_fill(x, number));
    if (code == CP_OK) return cpy_wrap(x);
    cpy_free(x);
    return cpy_raise();
}

/* The same with values that are converted without a rule, as np.full does; only an integer must fit. */
static PyObject *filled_unsafe(cp_array *x, PyObject *value)
{
    if (!x) return cpy_raise();
    cp_array *v = NULL;
    bool text = cpy_is_string(value);
    PyObject *held = text || cpy_is_scalar(value) ? NULL : cpy_asarray(value, CP_DEFAULT);
    if (text) v = cpy_value(value, x);
    else if (cpy_is_scalar(value)) v = cpy_scalar_cast(value, cp_type_of(x), CP_UNSAFE);
    else if (held && cpy_may_discard(cp_type_of(cpy_x(held)), cp_type_of(x))) v = cp_retain(cpy_x(held));
    Py_XDECREF(held);
    cp_code code = CP_ERROR_INTERNAL;
    if (v) CPY_RUN(cp_size(x), code = cp_assign(x, v));
    cpy_free(v);
    if (code == CP_OK) return cpy_wrap(x);
    cpy_free(x);
    return cpy_raise();
}

PyObject *py_eye(const py_eye_args *v)
{
    int64_t columns = v->N;
    if (v->M && v->M != Py_None && !cpy_extent(v->M, &columns)) return NULL;
    if (v->order != 'F') return cpy_wrap(CPY_MADE(cp_eye(v->N, columns, v->k, v->dtype)));
    int64_t k = v->k == INT64_MIN ? INT64_MAX : -v->k;
    cp_array *reversed = CPY_MADE(cp_eye(columns, v->N, k, v->dtype)),
             *x = reversed ? cp_transpose(reversed, CP_ALL) : NULL;
    cpy_free(reversed);
    return cpy_wrap(x);
}

PyObject *py_full(const py_full_args *v)
{
    cp_type t = v->dtype;
    PyObject *value = t == CP_DEFAULT ? cpy_asarray(v->fill_value, CP_DEFAULT) : Py_NewRef(v->fill_value);
    if (!value) return NULL;
    if (t == CP_DEFAULT) t = cp_type_of(cpy_x(value));
    PyObject *r = filled_unsafe(CPY_MADE(cpy_make(cp_empty, cpy_shape_of(&v->shape), t, v->order)), value);
    Py_DECREF(value);
    return r;
}

/* Of another shape, with x's order of axes where there are as many. */
static cp_array *like_in_memory(const cp_array *x, cp_type t, const cpy_ints *shape)
{
    cp_type type = t == CP_DEFAULT ? cp_type_of(x) : t;
    if (shape->n != cp_ndim(x) || cp_is_c_contiguous(x)) return CPY_MADE(cp_empty(cpy_shape_of(shape), type));
    if (cp_is_f_contiguous(x)) return CPY_MADE(cpy_make(cp_empty, cpy_shape_of(shape), type, 'F'));
    int axes[CP_MAXDIM], back[CP_MAXDIM];
    cpy_ints lying = {.n = shape->n};
    cpy_axes_in_memory(x, axes);
    for (int i = 0; i < shape->n; i++) {
        lying.at[i] = shape->at[axes[i]];
        back[axes[i]] = i;
    }
    cp_array *c = CPY_MADE(cp_empty(cpy_shape_of(&lying), type)), *r = cp_transpose(c, (cp_axes){shape->n, back});
    cpy_free(c);
    return r;
}

/* On the current device. 'K' keeps x's order of axes; without a shape (n < 0) it is x's. */
static cp_array *like_here(cp_array *x, cp_type t, char order, const cpy_ints *shape)
{
    if (order == 'K' && shape->n < 0 && cp_device_of(x) == cp_device_current()) {
        cp_array *r;
        CPY_RUN_ON(1, &x, 0, r = cp_empty_like(x, t));
        return r;
    }
    cpy_ints own = {.n = cp_ndim(x)};
    if (order == 'K' && shape->n < 0) memcpy(own.at, cp_dims(x), (size_t)own.n * sizeof own.at[0]);
    if (order == 'K') return like_in_memory(x, t, shape->n < 0 ? &own : shape);
    bool fortran = order == 'F' || (order != 'C' && cp_is_f_contiguous(x) && !cp_is_c_contiguous(x));
    cp_shape to = shape->n < 0 ? (cp_shape){cp_ndim(x), cp_dims(x)} : cpy_shape_of(shape);
    const cp_type type = t == CP_DEFAULT ? cp_type_of(x) : t;
    cp_array *r; /* `to` may be x's own */
    CPY_RUN_ON(1, &x, 0, r = cpy_make(cp_empty, to, type, fortran ? 'F' : 'C'));
    return r;
}

/* On x's device, where `device` names no other. */
static cp_array *like(cp_array *x, cp_type t, char order, const cpy_ints *shape, const cpy_position *device)
{
    const int here = cp_device_current(), there = device->moved ? here : cp_device_of(x);
    if (there == here) return like_here(x, t, order, shape);
    if (here == CP_NO_DEVICE || cp_device_use(there) != CP_OK) return NULL;
    cp_array *r = like_here(x, t, order, shape);
    cp_device_use(here);
    return r;
}

PyObject *py_empty_like(const py_empty_like_args *v)
{
    return cpy_wrap(like(v->prototype, v->dtype, v->order, &v->shape, &v->device));
}

PyObject *py_zeros_like(const py_zeros_like_args *v)
{
    return filled(like(v->a, v->dtype, v->order, &v->shape, &v->device), 0);
}

PyObject *py_ones_like(const py_ones_like_args *v)
{
    return filled(like(v->a, v->dtype, v->order, &v->shape, &v->device), 1);
}

PyObject *py_full_like(const py_full_like_args *v)
{
    return filled_unsafe(like(v->a, v->dtype, v->order, &v->shape, &v->device), v->fill_value);
}

/* An argument's type, as NumPy finds it; CP_DEFAULT of integers that only its dtype object holds. */
static cp_type type_of_number(PyObject *o)
{
    if (cpy_is_array(o)) return cp_type_of(cpy_x(o));
    if (PyLong_Check(o)) return cpy_type_of_integer(o);
    if (PyFloat_CheckExact(o) || !cpy_is_scalar(o)) return PyIndex_Check(o) ? CP_INT64 : CP_FLOAT64;
    cp_array *x = cpy_scalar(o, NULL, CPY_NO_OP);
    cp_type t = x ? cp_type_of(x) : CP_FLOAT64;
    cpy_free(x);
    return t;
}

/* The type of a range: what int64 and all arguments promote to. */
static cp_type type_of_range(PyObject *const *o)
{
    cp_type t = CP_INT64;
    for (int i = 0; i < 3; i++) {
        cp_type own = o[i] ? type_of_number(o[i]) : CP_INT64;
        if (own == CP_DEFAULT) return own;
        t = cp_promote(t, own);
    }
    return t;
}

/* Integers below 2^53 and a type in which steps are exact: nothing to be found out with Python's numbers. */
static bool is_plain_range(PyObject *const *o, cp_type t, int64_t *v)
{
    if (t != CP_DEFAULT && t != CP_INT64 && t != CP_INT32 && t != CP_FLOAT64) return false;
    int64_t least = t == CP_INT32 ? INT32_MIN / 4 : -(INT64_C(1) << 53);
    for (int i = 0; i < 3; i++) {
        int overflow = 0;
        if (o[i] && !PyLong_CheckExact(o[i])) return false;
        if (o[i]) v[i] = PyLong_AsLongLongAndOverflow(o[i], &overflow);
        if (overflow || v[i] < least || v[i] > -least) return false;
    }
    return v[2] != 0;
}

/* The same of Python's numbers for a floating type: float64 is their arithmetic. */
static bool is_plain_real_range(PyObject *const *o, cp_type t, double *v)
{
    if (t != CP_DEFAULT && cp_type_kind(t) != 'f') return false;
    bool real = t != CP_DEFAULT;
    for (int i = 0; i < 3; i++) {
        if (!o[i]) continue;
        if (!PyFloat_CheckExact(o[i]) && !PyLong_CheckExact(o[i])) return false;
        v[i] = PyFloat_AsDouble(o[i]); /* of a huge integer -1 and an exception */
        if (v[i] == -1) PyErr_Clear();
        bool exact = PyFloat_CheckExact(o[i]) || (fabs(v[i]) <= 0x1p53 && v[i] != -1);
        if (!exact) return false;
        real |= PyFloat_CheckExact(o[i]);
    }
    return real;
}

/* A quotient rounded up, 0 where it is negative; false with an exception where that is no size. (Of exactly 2^63 NumPy
 * makes nothing or too much, by the processor.) */
static bool rounded_up(double v, int64_t *n)
{
    v = ceil(v);
    if (isnan(v)) return PyErr_SetString(PyExc_ValueError, "arange: cannot compute length"), false;
    if (v >= 0x1p63 || v < -0x1p63) return PyErr_SetString(PyExc_ValueError, "Maximum allowed size exceeded"), false;
    return *n = v > 0 ? (int64_t)v : 0, true;
}

/* What overflows in the arguments' own arithmetic is a size, as in NumPy. */
static bool too_large(void)
{
    if (PyErr_ExceptionMatches(PyExc_OverflowError))
        PyErr_SetString(PyExc_ValueError, "Maximum allowed size exceeded");
    return false;
}

/* Elements of a range, of the arguments' own arithmetic; a complex one is as long as the shorter of its parts. */
static bool range_length(PyObject *start, PyObject *stop, PyObject *step, bool complex_, int64_t *n)
{
    PyObject *zero = PyLong_FromLong(0), *span = zero ? PyNumber_Subtract(stop, start) : NULL;
    PyObject *ratio = span ? PyNumber_TrueDivide(span, step) : NULL;
    if (ratio && cpy_is_array(ratio)) Py_SETREF(ratio, cpy_item(cpy_x(ratio)));
    int some = ratio ? PyObject_RichCompareBool(span, zero, Py_NE) : -1;
    int none = some < 0 ? -1 : PyObject_RichCompareBool(ratio, zero, Py_EQ);
    bool done = none >= 0;
    if (done && complex_ && PyComplex_Check(ratio)) {
        int64_t other;
        Py_complex c = PyComplex_AsCComplex(ratio);
        done = rounded_up(c.real, n) && rounded_up(c.imag, &other);
        if (done && other < *n) *n = other;
    } else if (done) {
        double v = PyFloat_AsDouble(ratio);
        done = !(v == -1 && PyErr_Occurred());
        if (done && none && some) *n = !signbit(v); /* an infinite step, or too small a quotient */
        else done = done && rounded_up(v, n);
    }
    Py_XDECREF(zero);
    Py_XDECREF(span);
    Py_XDECREF(ratio);
    return done || too_large();
}

/* A host scalar that becomes an element of type t, with a check of bounds for NumPy's integers too. */
static cp_array *range_element(PyObject *o, cp_type t)
{
    char kind = cp_type_kind(t);
    PyObject *number = !o ? NULL : cpy_is_array(o) ? cpy_item(cpy_x(o)) : Py_NewRef(o);
    if (number && (kind == 'i' || kind == 'u')) Py_SETREF(number, PyNumber_Long(number));
    else if (number && !cpy_is_scalar(number)) Py_SETREF(number, PyNumber_Float(number));
    cp_array *x = number ? cpy_scalar_as(number, t) : NULL;
    Py_XDECREF(number);
    return x;
}

/* As NumPy does it: length and second element are the arguments' own arithmetic, all further ones the type's. */
static PyObject *arange_of(PyObject *start, PyObject *stop, PyObject *step, cp_type t)
{
    PyObject *o[3] = {start, stop, step};
    int64_t v[3] = {0, 0, 1}, n = 0;
    double d[3] = {0, 0, 1};
    cp_array *x = NULL;
    if (is_plain_range(o, t, v)) {
        CPY_UNLOCKED(x = cp_arange_int(v[0], v[1], v[2], t));
        return cpy_wrap(x);
    }
    if (is_plain_real_range(o, t, d)) {
        CPY_UNLOCKED(x = cp_arange(d[0], d[1], d[2], t));
        return cpy_wrap(x);
    }
    cp_type found = t == CP_DEFAULT ? type_of_range(o) : t;
    PyObject *from = start ? Py_NewRef(start) : PyLong_FromLong(0), *by = step ? Py_NewRef(step) : PyLong_FromLong(1);
    bool done = from && by && !PyErr_Occurred() && range_length(from, stop, by, cp_type_kind(found) == 'c', &n);
    if (done && found == CP_DEFAULT) {
        PyErr_SetString(PyExc_OverflowError, "arange: the integers are too large for any dtype");
        done = false;
    }
    PyObject *next = done && n > 1 ? PyNumber_Add(from, by) : NULL;
    if (done && n > 1 && !next) done = too_large();
    cp_array *first = done ? n ? range_element(from, found) : cp_int(0) : NULL;
    cp_array *second = !first ? NULL : n > 1 ? range_element(next, found) : cp_retain(first);
    if (second) CPY_UNLOCKED(x = cp_progression(n, first, second, found));
    Py_XDECREF(from);
    Py_XDECREF(by);
    Py_XDECREF(next);
    cpy_free(first);
    cpy_free(second);
    return x ? cpy_wrap(x) : cpy_raise();
}

PyObject *py_arange(const py_arange_args *v)
{
    if (!cpy_given(v->start) && !cpy_given(v->stop))
        return PyErr_Format(PyExc_TypeError, "arange() requires stop to be specified.");
    PyObject *step = cpy_given(v->step) ? v->step : NULL;
    if (!cpy_given(v->stop)) return arange_of(NULL, v->start, step, v->dtype);
    if (v->start == Py_None) return PyErr_Format(PyExc_TypeError, "arange(): None is no start");
    return arange_of(v->start, v->stop, step, v->dtype);
}

static PyObject *would_copy(PyObject *x)
{
    Py_XDECREF(x);
    return PyErr_Format(PyExc_ValueError, "Unable to avoid copy while creating an array as requested.");
}

PyObject *cpy_brought(PyObject *x, char order)
{
    if (cpy_is_here(x)) return x;
    cp_array *there;
    CPY_UNLOCKED(there = cpy_copy_here(cpy_x(x), order));
    Py_DECREF(x);
    return cpy_wrap(there);
}

/* An array of o on the current device where `here`, else an array stays on its own. Copies where `copy`, dtype or order
 * ask for it. */
static PyObject *convert(PyObject *o, cp_type t, char order, cpy_copy copy, bool here)
{
    if (cpy_is_array(o) && (!here || cpy_is_here(o)) && copy != CPY_COPY_ALWAYS && order != 'C' && order != 'F' &&
        (t == CP_DEFAULT || t == cp_type_of(cpy_x(o))))
        return Py_NewRef(o);
    const bool lent = cpy_lends(o);
    PyObject *x = cpy_asarray(o, lent && copy == CPY_COPY_NEVER ? CP_DEFAULT : t);
    bool own = x == o || (x && lent && (t == CP_DEFAULT || cp_type_of(cpy_x(x)) == t)); /* nothing was copied */
    if (x && here && !cpy_is_here(x)) {
        x = cpy_brought(x, order ? order : 'K');
        own = false;
    }
    if (!x) return NULL;
    cp_array *y, *v = cpy_x(x);
    /* A new one in Fortran order has Fortran's strides where C's would serve too, as in NumPy. */
    bool new_f = order == 'F' && !own && cp_ndim(v) > 1 && cp_is_c_contiguous(v);
    bool wrong = (order == 'C' && !cp_is_c_contiguous(v)) || (order == 'F' && (new_f || !cp_is_f_contiguous(v)));
    if (copy == CPY_COPY_NEVER && (wrong || !own)) return would_copy(x);
    if (!wrong && !(copy == CPY_COPY_ALWAYS && own)) return x;
    cp_retain(v);
    CPY_RUN(cp_size(v), y = cp_copy_order(v, order ? order : 'K'));
    cpy_free(v);
    Py_DECREF(x);
    return cpy_wrap(y);
}

PyObject *py_array(const py_array_args *v)
{
    PyObject *x = convert(v->object, v->dtype, v->order, v->copy, true);
    if (!x || v->ndmin <= cp_ndim(cpy_x(x))) return x;
    if (v->ndmin > CP_MAXDIM) {
        Py_DECREF(x);
        return PyErr_Format(PyExc_ValueError, "ndmin must not be larger than %d", CP_MAXDIM);
    }
    cpy_ints shape = {v->ndmin, {0}};
    int more = v->ndmin - cp_ndim(cpy_x(x));
    for (int i = 0; i < v->ndmin; i++) shape.at[i] = i < more ? 1 : cp_dims(cpy_x(x))[i - more];
    cp_array *wide = CPY_MADE(cp_reshape(cpy_x(x), cpy_shape_of(&shape)));
    PyObject *r = x == v->object ? cpy_wrap_view(wide, x) : cpy_wrap(wide);
    Py_DECREF(x);
    return r;
}

PyObject *py_asarray(const py_asarray_args *v) { return convert(v->a, v->dtype, v->order, v->copy, true); }

/* From another device the elements come in the order in which they shall lie. */
cp_array *cpy_copy_here(cp_array *x, char order)
{
    const int here = cp_device_current(), n = cp_ndim(x);
    if (here == CP_NO_DEVICE || here == cp_device_of(x)) return cp_copy_order(x, order);
    if (order == 'A') order = cp_is_f_contiguous(x) && !cp_is_c_contiguous(x) ? 'F' : 'C';
    if (order == 'C' || cp_is_c_contiguous(x)) order = order == 'F' && n > 1 ? 'F' : 'C';
    if (order == 'C') return cp_to_device(x, here);
    int axes[CP_MAXDIM], back[CP_MAXDIM];
    if (order == 'K') cpy_axes_in_memory(x, axes);
    for (int i = 0; i < n; i++) {
        if (order == 'F') axes[i] = n - 1 - i;
        back[axes[i]] = i;
    }
    cp_array *lying = cp_transpose(x, (cp_axes){n, axes}), *there = lying ? cp_to_device(lying, here) : NULL;
    cp_array *r = there ? cp_transpose(there, (cp_axes){n, back}) : NULL;
    cp_free(lying), cp_free(there);
    return r;
}

/* At least one axis, as in NumPy. */
static PyObject *contiguous(PyObject *o, cp_type t, char order)
{
    PyObject *x = convert(o, t, order, CPY_COPY_IF_NEEDED, false);
    if (!x || cp_ndim(cpy_x(x))) return x;
    PyObject *r = cpy_wrap(CPY_MADE(cp_reshape(cpy_x(x), CP_SHAPE(1))));
    Py_DECREF(x);
    return r;
}

PyObject *py_ascontiguousarray(const py_ascontiguousarray_args *v) { return contiguous(v->a, v->dtype, 'C'); }
PyObject *py_asfortranarray(const py_asfortranarray_args *v) { return contiguous(v->a, v->dtype, 'F'); }

PyObject *py_to_device_method(const py_to_device_method_args *v)
{
    if (!cpy_wait_for(v->stream)) return NULL;
    int there = cp_device_current(); /* the wrapper made `device` current */
    if (cp_device_of(v->a) == there) return Py_NewRef(v->self);
    cp_array *x;
    CPY_UNLOCKED(x = cp_to_device(v->a, there));
    return cpy_wrap(x);
}
