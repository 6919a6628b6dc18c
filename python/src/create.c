/* Making arrays: what is more than one call; the rows stand in src/shape/shape.def. */
#include "shape_rows.h"

#include <string.h>

bool cpy_enter(PyObject *device, cpy_place *p)
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
        bool done = number && cpy_clamped_int(number, &where);
        Py_XDECREF(number);
        if (!done) return false;
    }
    p->before = cp_device_current();
    if (p->before == CP_NO_DEVICE || cp_device_use(where) != CP_OK) return cpy_raise(), false;
    p->moved = true;
    return true;
}
void cpy_leave(const cpy_place *p)
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
    cpy_ints turned = {.n = shape.n};
    for (int i = 0; i < shape.n; i++) turned.at[i] = shape.dim[shape.n - 1 - i];
    cp_array *x = f(cpy_shape_of(&turned), t), *r = cp_transpose(x, CP_ALL);
    cp_free(x);
    return r;
}

/* Writes a small number to every element. */
static PyObject *filled(cp_array *x, int value)
{
    cp_code code = CP_ERROR_INTERNAL;
    if (x) CPY_RUN(cp_size(x), code = cp_fill(x, cpy_now()->small_ints[value - CPY_FIRST_INT]));
    if (code == CP_OK) return cpy_wrap(x);
    cp_free(x);
    return cpy_raise();
}

/* The same with values that are converted without a rule, as np.full does; only an integer must fit. */
static PyObject *filled_unsafe(cp_array *x, PyObject *value)
{
    if (!x) return cpy_raise();
    cp_array *v = NULL;
    bool text = cpy_is_text(value);
    PyObject *held = text || cpy_is_scalar(value) ? NULL : cpy_asarray(value, CP_DEFAULT);
    if (text) v = cpy_value(value, x);
    else if (cpy_is_scalar(value)) v = cpy_scalar_cast(value, cp_type_of(x), CP_UNSAFE);
    else if (held && cpy_may_discard(cp_type_of(cpy_x(held)), cp_type_of(x))) v = cp_retain(cpy_x(held));
    Py_XDECREF(held);
    cp_code code = CP_ERROR_INTERNAL;
    if (v) CPY_RUN(cp_size(x), code = cp_assign(x, v));
    cp_free(v);
    if (code == CP_OK) return cpy_wrap(x);
    cp_free(x);
    return cpy_raise();
}

PyObject *py_eye(const py_eye_args *v)
{
    int64_t columns = v->N;
    if (v->M && v->M != Py_None && !cpy_extent(v->M, &columns)) return NULL;
    if (v->order != 'F') return cpy_wrap(cp_eye(v->N, columns, v->k, v->dtype));
    cp_array *turned = cp_eye(columns, v->N, v->k == INT64_MIN ? INT64_MAX : -v->k, v->dtype),
             *x = turned ? cp_transpose(turned, CP_ALL) : NULL;
    cp_free(turned);
    return cpy_wrap(x);
}

PyObject *py_full(const py_full_args *v)
{
    cp_type t = v->dtype;
    PyObject *value = t == CP_DEFAULT ? cpy_asarray(v->fill_value, CP_DEFAULT) : Py_NewRef(v->fill_value);
    if (!value) return NULL;
    if (t == CP_DEFAULT) t = cp_type_of(cpy_x(value));
    PyObject *r = filled_unsafe(cpy_make(cp_empty, cpy_shape_of(&v->shape), t, v->order), value);
    Py_DECREF(value);
    return r;
}

/* Of another shape, with x's order of axes where there are as many. */
static cp_array *like_in_memory(const cp_array *x, cp_type t, const cpy_ints *shape)
{
    cp_type type = t == CP_DEFAULT ? cp_type_of(x) : t;
    if (shape->n != cp_ndim(x)) return cp_empty(cpy_shape_of(shape), type);
    int axes[CP_MAXDIM], back[CP_MAXDIM];
    cpy_ints lying = {.n = shape->n};
    cpy_axes_in_memory(x, axes, false);
    for (int i = 0; i < shape->n; i++) {
        lying.at[i] = shape->at[axes[i]];
        back[axes[i]] = i;
    }
    cp_array *c = cp_empty(cpy_shape_of(&lying), type), *r = cp_transpose(c, (cp_axes){shape->n, back});
    cp_free(c);
    return r;
}

/* On the current device. 'K' keeps x's order of axes; without a shape (n < 0) it is x's. */
static cp_array *like(cp_array *x, cp_type t, char order, const cpy_ints *shape)
{
    if (order == 'K' && shape->n < 0 && cp_device_of(x) == cp_device_current()) return cp_empty_like(x, t);
    cpy_ints own = {.n = cp_ndim(x)};
    if (order == 'K' && shape->n < 0) memcpy(own.at, cp_dims(x), (size_t)own.n * sizeof own.at[0]);
    if (order == 'K') return like_in_memory(x, t, shape->n < 0 ? &own : shape);
    bool fortran = order == 'F' || (order != 'C' && cp_is_f_contiguous(x) && !cp_is_c_contiguous(x));
    cp_shape to = shape->n < 0 ? (cp_shape){cp_ndim(x), cp_dims(x)} : cpy_shape_of(shape);
    return cpy_make(cp_empty, to, t == CP_DEFAULT ? cp_type_of(x) : t, fortran ? 'F' : 'C');
}

PyObject *py_empty_like(const py_empty_like_args *v)
{
    return cpy_wrap(like(v->prototype, v->dtype, v->order, &v->shape));
}

PyObject *py_zeros_like(const py_zeros_like_args *v)
{
    return filled(like(v->a, v->dtype, v->order, &v->shape), 0);
}

PyObject *py_ones_like(const py_ones_like_args *v)
{
    return filled(like(v->a, v->dtype, v->order, &v->shape), 1);
}

PyObject *py_full_like(const py_full_like_args *v)
{
    return filled_unsafe(like(v->a, v->dtype, v->order, &v->shape), v->fill_value);
}

static bool is_integer(PyObject *o)
{
    if (!o || o == Py_None || PyLong_Check(o)) return true;
    if (!cpy_is_array(o)) return PyIndex_Check(o);
    cp_type t = cp_type_of(cpy_x(o)); /* uint64 and int64 meet in float64 */
    return cp_ndim(cpy_x(o)) == 0 && (cp_type_kind(t) == 'i' || (cp_type_kind(t) == 'u' && t != CP_UINT64));
}

/* NumPy writes the first two values itself, and refuses what an element of the type cannot be. */
static bool range_fits(PyObject *start, PyObject *step, cp_array *x, cp_type t)
{
    char kind = cp_type_kind(t);
    int64_t n = cp_size(x);
    _Alignas(16) unsigned char value[16];
    if (kind == 'b' && n > 2) {
        PyErr_SetString(PyExc_TypeError, "arange() is only supported for booleans when the result has at most "
                        "length 2.");
        return false;
    }
    if ((kind != 'i' && kind != 'u') || n == 0 || !start) return true;
    PyObject *next = step ? PyNumber_Add(start, step) : Py_NewRef(start);
    bool fits = next && cpy_store(t, start, value) && (n == 1 || cpy_store(t, next, value));
    Py_XDECREF(next);
    return fits;
}

static PyObject *arange_of(PyObject *start, PyObject *stop, PyObject *step, cp_type t)
{
    cp_array *x;
    if (step && !PyLong_Check(step) && !PyFloat_CheckExact(step)) { /* NumPy's zeros divide without an exception */
        int nonzero = PyObject_IsTrue(step);
        if (nonzero <= 0) return nonzero ? NULL : PyErr_Format(PyExc_ValueError, "arange: cannot compute length");
    }
    if (is_integer(start) && is_integer(stop) && is_integer(step)) {
        int64_t a = 0, b, c = 1;
        bool good = start ? cpy_int64(start, &a) && cpy_int64(stop, &b) : cpy_count(stop, &b);
        if (!good || (step && !cpy_int64(step, &c))) return NULL;
        CPY_UNLOCKED(x = cp_arange_int(a, b, c, t == CP_DEFAULT ? CP_INT64 : t));
    } else {
        double a, b, c;
        if (!cpy_double(start, 0, &a) || !cpy_double(stop, 0, &b) || !cpy_double(step, 1, &c)) return NULL;
        CPY_UNLOCKED(x = cp_arange(a, b, c, t == CP_DEFAULT ? CP_FLOAT64 : t));
    }
    if (!x || !cpy_is_scalar(start ? start : stop) || range_fits(start, step, x, cp_type_of(x))) return cpy_wrap(x);
    cp_free(x);
    return NULL;
}

PyObject *py_arange(const py_arange_args *v)
{
    if (!cpy_given(v->start) && !cpy_given(v->stop))
        return PyErr_Format(PyExc_TypeError, "arange() requires stop to be specified.");
    PyObject *step = cpy_given(v->step) ? v->step : NULL;
    if (!cpy_given(v->stop)) return arange_of(NULL, v->start, step, v->dtype);
    return arange_of(cpy_given(v->start) ? v->start : NULL, v->stop, step, v->dtype);
}

static PyObject *would_copy(PyObject *x)
{
    Py_XDECREF(x);
    return PyErr_Format(PyExc_ValueError, "Unable to avoid copy while creating an array as requested.");
}

/* An array of o on the current device where `moved`, else on its own. Copies where `copy`, dtype or order ask for
 * it. */
static PyObject *convert(PyObject *o, cp_type t, char order, cpy_copy copy, bool moved)
{
    PyObject *x = cpy_asarray(o, t);
    if (x && moved && cp_device_of(cpy_x(x)) != cp_device_current()) {
        cp_array *there;
        CPY_UNLOCKED(there = cp_to_device(cpy_x(x), cp_device_current()));
        Py_DECREF(x);
        x = cpy_wrap(there);
    }
    if (!x) return NULL;
    cp_array *y, *v = cpy_x(x);
    /* A new one in Fortran order has Fortran's strides where C's would serve too, as in NumPy. */
    bool new_f = order == 'F' && x != o && cp_ndim(v) > 1 && cp_is_c_contiguous(v);
    bool wrong = (order == 'C' && !cp_is_c_contiguous(v)) || (order == 'F' && (new_f || !cp_is_f_contiguous(v)));
    if (copy == CPY_COPY_NEVER && (wrong || x != o)) return would_copy(x);
    if (!wrong && !(copy == CPY_COPY_ALWAYS && x == o)) return x;
    cp_retain(v);
    CPY_RUN(cp_size(v), y = cp_copy_order(v, order ? order : 'K'));
    cp_free(v);
    Py_DECREF(x);
    return cpy_wrap(y);
}

PyObject *py_array(const py_array_args *v)
{
    PyObject *x = convert(v->object, v->dtype, v->order, v->copy, v->device.moved);
    if (!x || v->ndmin <= cp_ndim(cpy_x(x))) return x;
    if (v->ndmin > CP_MAXDIM) {
        Py_DECREF(x);
        return PyErr_Format(PyExc_ValueError, "ndmin must not be larger than %d", CP_MAXDIM);
    }
    cpy_ints shape = {v->ndmin, {0}};
    int more = v->ndmin - cp_ndim(cpy_x(x));
    for (int i = 0; i < v->ndmin; i++) shape.at[i] = i < more ? 1 : cp_dims(cpy_x(x))[i - more];
    PyObject *r = cpy_wrap(cp_reshape(cpy_x(x), cpy_shape_of(&shape)));
    Py_DECREF(x);
    return r;
}

PyObject *py_asarray(const py_asarray_args *v) { return convert(v->a, v->dtype, v->order, v->copy, v->device.moved); }

/* At least one axis, as in NumPy. */
static PyObject *contiguous(PyObject *o, cp_type t, char order)
{
    PyObject *x = convert(o, t, order, CPY_COPY_IF_NEEDED, false);
    if (!x || cp_ndim(cpy_x(x))) return x;
    PyObject *r = cpy_wrap(cp_reshape(cpy_x(x), CP_SHAPE(1)));
    Py_DECREF(x);
    return r;
}

PyObject *py_ascontiguousarray(const py_ascontiguousarray_args *v) { return contiguous(v->a, v->dtype, 'C'); }
PyObject *py_asfortranarray(const py_asfortranarray_args *v) { return contiguous(v->a, v->dtype, 'F'); }

PyObject *py_to_device_method(const py_to_device_method_args *v)
{
    if (!cpy_wait_for(v->stream)) return NULL;
    int there = cp_device_current(); /* the frame made `device` current */
    if (cp_device_of(v->a) == there) return Py_NewRef(v->self);
    cp_array *x;
    CPY_UNLOCKED(x = cp_to_device(v->a, there));
    return cpy_wrap(x);
}
