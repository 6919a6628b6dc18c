/* Operators: x + y, x += y, -x, x < y, and conversions to Python's numbers.
 *
 * An operator is the elementwise operation of that name; the names are looked up once. */
#include "cpy.h"

enum {
    ADD, SUBTRACT, MULTIPLY, DIVIDE, FLOOR_DIVIDE, REMAINDER, POWER, LEFT_SHIFT, RIGHT_SHIFT, AND, OR, XOR, NEGATIVE,
    POSITIVE, ABSOLUTE, INVERT, SQUARE, LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, NOPERATORS
};
static const char *const names[NOPERATORS] = {
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power", "left_shift", "right_shift",
    "bitwise_and", "bitwise_or", "bitwise_xor", "negative", "positive", "absolute", "invert", "square",
    "less", "less_equal", "equal", "not_equal", "greater", "greater_equal",
};
static cp_op ops[NOPERATORS];

static cp_op operation(int which)
{
    static bool ready;
    if (!ready) {
        for (int i = 0; i < NOPERATORS; i++) ops[i] = cp_op_from_name(names[i]);
        ready = true;
    }
    return ops[which];
}

/* An object that wants to do the operation itself, or no number at all: Python asks it next. */
static bool stranger(PyObject *o)
{
    if (PyErr_Occurred()) return false;
    if (!cpy_is_numpy_array(o)) return true;
    PyErr_Format(PyExc_TypeError, "Unsupported type %R", (PyObject *)Py_TYPE(o));
    return false;
}

static cp_array *run(cp_op op, int n, cp_array *const *in, const cp_ufunc_options *options)
{
    cp_array *r;
    int64_t size = cp_size(in[0]);
    if (n > 1 && cp_size(in[1]) > size) size = cp_size(in[1]);
    CPY_RUN(size, r = cp_elementwise(op, in, options));
    return r;
}

static PyObject *binary_with(cp_op op, PyObject *a, PyObject *b, cp_array *out, bool comparison)
{
    static const cp_ufunc_options none;
    cp_ufunc_options into = {.out = out};
    const cp_ufunc_options *options = out ? &into : &none;
    bool a_is = cpy_is_array(a), b_is = cpy_is_array(b);
    cp_array *in[2] = {a_is ? cpy_x(a) : NULL, b_is ? cpy_x(b) : NULL};
    if (!a_is && !(in[0] = cpy_scalar(a, in[1], comparison))) {
        if (!stranger(a)) return NULL;
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (!b_is && !(in[1] = cpy_scalar(b, in[0], comparison))) {
        if (!a_is) cp_free(in[0]);
        if (!stranger(b)) return NULL;
        Py_RETURN_NOTIMPLEMENTED;
    }
    cp_array *r = run(op, 2, in, options);
    if (!a_is) cp_free(in[0]);
    if (!b_is) cp_free(in[1]);
    return cpy_wrap(r);
}

static PyObject *binary(int which, PyObject *a, PyObject *b)
{
    return binary_with(operation(which), a, b, NULL, false);
}

static PyObject *in_place(int which, PyObject *self, PyObject *other)
{
    PyObject *r = binary_with(operation(which), self, other, cpy_x(self), false);
    if (!r || !cpy_is_array(r)) return r;
    Py_DECREF(r); /* a second name for self's array */
    return Py_NewRef(self);
}

static PyObject *unary(int which, PyObject *a)
{
    static const cp_ufunc_options none;
    return cpy_wrap(run(operation(which), 1, (cp_array *[]){cpy_x(a)}, &none));
}

#define BINARY(name, WHICH)                                                                       \
    static PyObject *name(PyObject *a, PyObject *b) { return binary(WHICH, a, b); }               \
    static PyObject *name##_in_place(PyObject *a, PyObject *b) { return in_place(WHICH, a, b); }
BINARY(add, ADD)
BINARY(subtract, SUBTRACT)
BINARY(multiply, MULTIPLY)
BINARY(divide, DIVIDE)
BINARY(floor_divide, FLOOR_DIVIDE)
BINARY(remainder_, REMAINDER)
BINARY(left_shift, LEFT_SHIFT)
BINARY(right_shift, RIGHT_SHIFT)
BINARY(and, AND)
BINARY(or, OR)
BINARY(xor, XOR)
static PyObject *negative(PyObject *a) { return unary(NEGATIVE, a); }
static PyObject *positive(PyObject *a) { return unary(POSITIVE, a); }
static PyObject *absolute(PyObject *a) { return unary(ABSOLUTE, a); }
static PyObject *invert(PyObject *a) { return unary(INVERT, a); }

/* x ** 2 is one multiplication; as in NumPy, for booleans too (int8). */
static bool is_square(PyObject *a, PyObject *b)
{
    if (!PyLong_CheckExact(b) || !cpy_is_array(a) || operation(SQUARE) == CP_NOPS) return false;
    int overflow;
    return PyLong_AsLongAndOverflow(b, &overflow) == 2;
}

static PyObject *power(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
    return is_square(a, b) ? unary(SQUARE, a) : binary(POWER, a, b);
}

static PyObject *power_in_place(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
    if (!is_square(a, b)) return in_place(POWER, a, b);
    cp_ufunc_options into = {.out = cpy_x(a)};
    cp_array *r = run(operation(SQUARE), 1, (cp_array *[]){cpy_x(a)}, &into);
    if (!r) return cpy_raise();
    cp_free(r);
    return Py_NewRef(a);
}

static PyObject *divmod_(PyObject *a, PyObject *b)
{
    PyObject *q = binary(FLOOR_DIVIDE, a, b);
    if (!q || q == Py_NotImplemented) return q;
    PyObject *r = binary(REMAINDER, a, b);
    return r ? Py_BuildValue("(NN)", q, r) : (Py_DECREF(q), NULL);
}

PyObject *cpy_compare(PyObject *a, PyObject *b, int how)
{
    static const int which[] = {[Py_LT] = LESS, [Py_LE] = LESS_EQUAL, [Py_EQ] = EQUAL,
                                [Py_NE] = NOT_EQUAL, [Py_GT] = GREATER, [Py_GE] = GREATER_EQUAL};
    if (b == Py_None && (how == Py_EQ || how == Py_NE)) { /* elementwise, as in NumPy: no number is None */
        cp_array *x = cpy_x(a), *itself = cp_elementwise(operation(EQUAL), (cp_array *[]){x, x}, &(cp_ufunc_options){0});
        uint8_t answer = how == Py_NE;
        cp_array *value = itself ? cp_scalar(CP_BOOL, &answer) : NULL;
        cp_code code = value ? cp_fill(itself, value) : CP_ERROR_INTERNAL;
        cp_free(value);
        if (code == CP_OK) return cpy_wrap(itself);
        cp_free(itself);
        return cpy_raise();
    }
    return binary_with(operation(which[how]), a, b, NULL, true);
}

/* --- Python's numbers --- */
static int array_bool(PyObject *o)
{
    cp_array *x = cpy_x(o);
    if (cp_size(x) != 1) {
        PyErr_SetString(PyExc_ValueError, cp_size(x) == 0
            ? "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty."
            : "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()");
        return -1;
    }
    PyObject *v = cpy_item(x);
    int truth = v ? PyObject_IsTrue(v) : -1;
    Py_XDECREF(v);
    return truth;
}

/* The element of a 0-d array, or of one with a single element as CuPy allows. */
static PyObject *only_element(PyObject *o)
{
    if (cp_size(cpy_x(o)) == 1) return cpy_item(cpy_x(o));
    PyErr_SetString(PyExc_TypeError, "only 0-dimensional arrays can be converted to Python scalars");
    return NULL;
}

static PyObject *array_int(PyObject *o)
{
    PyObject *v = only_element(o);
    if (v && PyComplex_Check(v)) {
        Py_DECREF(v);
        PyErr_SetString(PyExc_TypeError, "int() argument must be a string, a bytes-like object or a real number, not 'complex'");
        return NULL;
    }
    PyObject *r = v ? PyNumber_Long(v) : NULL;
    Py_XDECREF(v);
    return r;
}

static PyObject *array_float(PyObject *o)
{
    PyObject *v = only_element(o);
    if (v && PyComplex_Check(v)) {
        Py_DECREF(v);
        PyErr_SetString(PyExc_TypeError, "float() argument must be a string or a real number, not 'complex'");
        return NULL;
    }
    PyObject *r = v ? PyNumber_Float(v) : NULL;
    Py_XDECREF(v);
    return r;
}

static PyObject *array_index(PyObject *o)
{
    char kind = cp_type_kind(cp_type_of(cpy_x(o)));
    if (cp_ndim(cpy_x(o)) || (kind != 'i' && kind != 'u')) {
        PyErr_SetString(PyExc_TypeError, "only integer scalar arrays can be converted to a scalar index");
        return NULL;
    }
    return cpy_item(cpy_x(o));
}

CPY_METHOD(complex_protocol, "__complex__", "", "The only element as a Python complex.")
{
    PyObject *v = only_element(a[0]);
    if (!v) return NULL;
    Py_complex c = PyComplex_AsCComplex(v);
    Py_DECREF(v);
    return PyErr_Occurred() ? NULL : PyComplex_FromCComplex(c);
}

PyNumberMethods cpy_number = {
    .nb_add = add, .nb_inplace_add = add_in_place,
    .nb_subtract = subtract, .nb_inplace_subtract = subtract_in_place,
    .nb_multiply = multiply, .nb_inplace_multiply = multiply_in_place,
    .nb_true_divide = divide, .nb_inplace_true_divide = divide_in_place,
    .nb_floor_divide = floor_divide, .nb_inplace_floor_divide = floor_divide_in_place,
    .nb_remainder = remainder_, .nb_inplace_remainder = remainder__in_place,
    .nb_power = power, .nb_inplace_power = power_in_place,
    .nb_divmod = divmod_,
    .nb_lshift = left_shift, .nb_inplace_lshift = left_shift_in_place,
    .nb_rshift = right_shift, .nb_inplace_rshift = right_shift_in_place,
    .nb_and = and, .nb_inplace_and = and_in_place,
    .nb_or = or, .nb_inplace_or = or_in_place,
    .nb_xor = xor, .nb_inplace_xor = xor_in_place,
    .nb_negative = negative, .nb_positive = positive, .nb_absolute = absolute, .nb_invert = invert,
    .nb_bool = array_bool, .nb_int = array_int, .nb_float = array_float, .nb_index = array_index,
};
