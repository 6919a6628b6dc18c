/* Operators: x + y, x += y, -x, x < y, and conversions to Python's numbers.
 *
 * An operator is the elementwise operation of that name. */
#include "number_rows.h"

/* numpy.NAME(a, b), which asks those operands with __array_ufunc__ in NumPy's order. */
static PyObject *ask_numpy(const char *name, PyObject *a, PyObject *b, bool into_a)
{
    PyObject *numpy = cpy_numpy();
    if (!numpy) return cpy_raise();
    PyObject *f = PyObject_GetAttrString(numpy, name), *r = NULL;
    PyObject *args = PyTuple_Pack(2, a, b), *kw = into_a ? Py_BuildValue("{s:O}", "out", a) : NULL;
    if (f && args && (kw || !into_a)) r = PyObject_Call(f, args, kw);
    Py_XDECREF(f);
    Py_XDECREF(args);
    Py_XDECREF(kw);
    return r;
}

/* An attribute of the object's type: a new reference, or NULL without an exception. */
static PyObject *of_type(PyObject *o, const char *name)
{
    PyObject *r = PyObject_GetAttrString((PyObject *)Py_TYPE(o), name);
    if (!r) PyErr_Clear();
    return r;
}

/* Has it an __array_priority__ above the array's? */
static bool goes_first(PyObject *stranger, PyObject *array)
{
    PyObject *theirs = of_type(stranger, "__array_priority__"),
             *ours = PyObject_GetAttrString(array, "__array_priority__");
    bool first = theirs && ours && PyObject_RichCompareBool(theirs, ours, Py_GT) == 1;
    PyErr_Clear();
    Py_XDECREF(theirs);
    Py_XDECREF(ours);
    return first;
}

/* The same operation of the array that one operand gives of itself, or describes. */
static PyObject *with_its_array(const char *name, PyObject *a, PyObject *b, bool into_a)
{
    PyObject *x = cpy_asarray(a, CP_DEFAULT), *y = x ? cpy_asarray(b, CP_DEFAULT) : NULL;
    PyObject *f = y ? PyObject_GetAttrString(cpy_now()->module, name) : NULL;
    PyObject *r = f ? PyObject_CallFunctionObjArgs(f, x, y, into_a ? a : NULL, NULL) : NULL;
    Py_XDECREF(x);
    Py_XDECREF(y);
    Py_XDECREF(f);
    return r;
}

/* An operation with an operand that is no number. An operand with __array_ufunc__ is called as NumPy calls it. Where
 * that is None, and for other foreign operands, Python tries their reflected method next. In place only an operand that
 * claims it by its priority can answer: the result of another would be bound to the array's name. */
static PyObject *name_with_stranger(const char *name, PyObject *a, PyObject *b, PyObject *stranger, bool into_a)
{
    if (PyErr_Occurred()) return NULL;
    bool numpys = cpy_is_numpy_array(stranger);
    PyObject *own = numpys ? NULL : of_type(stranger, "__array_ufunc__");
    Py_XDECREF(own); /* its type keeps it */
    if (own && own != Py_None) return ask_numpy(name, a, b, into_a);
    const bool lent = !own && (cpy_gives_array(stranger) || cpy_lends(stranger));
    if (lent && !goes_first(stranger, stranger == a ? b : a))
        return with_its_array(name, a, b, into_a);
    if (!numpys && (!into_a || (!own && goes_first(stranger, a)))) Py_RETURN_NOTIMPLEMENTED;
    if (own)
        return PyErr_Format(PyExc_TypeError, "operand '%s' does not support ufuncs (__array_ufunc__=None)",
                            Py_TYPE(stranger)->tp_name);
    return PyErr_Format(PyExc_TypeError, "Unsupported type %R", (PyObject *)Py_TYPE(stranger));
}

static PyObject *with_stranger(cp_op op, PyObject *a, PyObject *b, PyObject *stranger, bool into_a)
{
    cp_op_info info;
    if (PyErr_Occurred()) return NULL;
    if (cp_op_query(op, &info) != CP_OK) return cpy_raise();
    return name_with_stranger(info.name, a, b, stranger, into_a);
}

/* What decides whether other threads may run meanwhile. */
static int64_t larger_size(int n, cp_array *const *in)
{
    int64_t size = cp_size(in[0]);
    for (int i = 1; i < n; i++) size = cp_size(in[i]) > size ? cp_size(in[i]) : size;
    return size;
}

cp_array *cpy_elementwise(cp_op op, int n, cp_array *const *in)
{
    cp_array *r;
    int64_t size = larger_size(n, in);
    CPY_RUN_ON(n, in, size, r = cp_elementwise(op, in, NULL));
    return r;
}

/* The operation with its result in x. */
static bool run_into(cp_op op, int n, cp_array *const *in, cp_array *x)
{
    bool done;
    const cp_ufunc_options into = {.out = x};
    cp_array *held[3] = {in[0], n > 1 ? in[1] : NULL, x};
    CPY_RUN_ON(3, held, larger_size(n, in), done = cp_elementwise_all(op, in, NULL, &into) == CP_OK);
    return done;
}

/* Two operands; `made` are those that end with the operation. */
typedef struct pair { cp_array *in[2], *made[2]; } pair;

static bool take_number(PyObject *o, cp_op op, pair *p, int k)
{
    p->in[k] = cpy_small_int(o);
    if (!p->in[k]) p->in[k] = p->made[k] = cpy_scalar(o, p->in[1 - k], op);
    return p->in[k] != NULL;
}

static void end_pair(const pair *p)
{
    if (p->made[0]) cpy_free(p->made[0]);
    if (p->made[1]) cpy_free(p->made[1]);
}

/* The arrays of a and b, numbers as temporary ones; where it cannot be, false, and *answer is what the operator
 * returns. */
static bool take_pair(cp_op op, PyObject *a, PyObject *b, bool into_a, pair *p, PyObject **answer)
{
    bool a_is = cpy_is_array(a), b_is = cpy_is_array(b);
    p->in[0] = a_is ? cpy_x(a) : NULL, p->in[1] = b_is ? cpy_x(b) : NULL;
    p->made[0] = p->made[1] = NULL;
    if (!a_is && !take_number(a, op, p, 0)) {
        *answer = with_stranger(op, a, b, a, into_a);
        return false;
    }
    if (!b_is && !take_number(b, op, p, 1)) {
        end_pair(p);
        *answer = with_stranger(op, a, b, b, into_a);
        return false;
    }
    if (a_is) p->in[0] = cpy_x(a); /* reading the other's number may have given it another shape */
    if (b_is) p->in[1] = cpy_x(b);
    return true;
}

/* Whether a subclass's own __array_ufunc__ answers. */
static bool answered(cp_op op, PyObject *a, PyObject *b, bool into_a, PyObject **answer)
{
    cp_op_info info;
    return cpy_any_subclass(b ? 2 : 1, (PyObject *[]){a, b}) && cp_op_query(op, &info) == CP_OK &&
           cpy_operator_answered(info.name, a, b, into_a, answer);
}

static PyObject *binary_here(cp_op which, PyObject *a, PyObject *b)
{
    pair p;
    PyObject *answer, *of = cpy_class_of(2, (PyObject *[]){a, b});
    if (of && answered(which, a, b, false, &answer)) return answer;
    if (!take_pair(which, a, b, false, &p, &answer)) return answer;
    cp_array *r = cpy_elementwise(which, 2, p.in);
    end_pair(&p);
    return cpy_result_of(cpy_wrap(r), of);
}

static PyObject *in_place_here(cp_op which, PyObject *self, PyObject *other)
{
    pair p;
    PyObject *answer;
    if (answered(which, self, other, true, &answer)) return answer;
    if (!take_pair(which, self, other, true, &p, &answer)) return answer;
    bool done = run_into(which, 2, p.in, cpy_x(self));
    end_pair(&p);
    return done ? Py_NewRef(self) : cpy_raise();
}

/* The operation again, where its operands lay on two devices. */
static PyObject *together(PyObject *(*operation)(cp_op, PyObject *, PyObject *), cp_op which, PyObject *a, PyObject *b,
                          bool to_first)
{
    cpy_gathered g;
    return cpy_gather(&g, 2, (PyObject *[]){a, b}, to_first)
        ? cpy_gather_end(&g, operation(which, g.at[0], g.at[1])) : NULL;
}

static PyObject *binary(cp_op which, PyObject *a, PyObject *b)
{
    PyObject *r = binary_here(which, a, b);
    return r || !cpy_on_two_devices() ? r : together(binary_here, which, a, b, false);
}

static PyObject *in_place(cp_op which, PyObject *self, PyObject *other)
{
    PyObject *r = in_place_here(which, self, other);
    return r || !cpy_on_two_devices() ? r : together(in_place_here, which, self, other, true);
}

static PyObject *unary(cp_op which, PyObject *a)
{
    PyObject *answer, *of = cpy_is_plain(a) ? NULL : a;
    if (of && answered(which, a, NULL, false, &answer)) return answer;
    return cpy_result_of(cpy_wrap(cpy_elementwise(which, 1, (cp_array *[]){cpy_x(a)})), of);
}

#define BINARY(name, WHICH)                                                                       \
    static PyObject *name(PyObject *a, PyObject *b) { return binary(WHICH, a, b); }               \
    static PyObject *name##_in_place(PyObject *a, PyObject *b) { return in_place(WHICH, a, b); }
BINARY(subtract, CP_OP_subtract)
BINARY(divide, CP_OP_divide)
BINARY(floor_divide, CP_OP_floor_divide)
BINARY(remainder_, CP_OP_remainder)
BINARY(left_shift, CP_OP_left_shift)
BINARY(right_shift, CP_OP_right_shift)
BINARY(and, CP_OP_bitwise_and)
BINARY(or, CP_OP_bitwise_or)
BINARY(xor, CP_OP_bitwise_xor)

/* Python repeats a sequence beside what has an index, which 0-d integers have: no operator takes sequences here. */
static bool would_repeat(PyObject *o)
{
    const PyTypeObject *t = Py_TYPE(o);
    return t->tp_as_sequence && t->tp_as_sequence->sq_repeat && !(t->tp_as_number && t->tp_as_number->nb_multiply);
}

static PyObject *multiply(PyObject *a, PyObject *b)
{
    PyObject *r = binary(CP_OP_multiply, a, b);
    if (r != Py_NotImplemented || !(would_repeat(a) || would_repeat(b))) return r;
    Py_DECREF(r);
    return PyErr_Format(PyExc_TypeError, "unsupported operand type(s) for *: '%s' and '%s'", Py_TYPE(a)->tp_name,
                        Py_TYPE(b)->tp_name);
}

/* Python's `list += x` takes x for elements to append, unless x's addition refuses first. */
static PyObject *add(PyObject *a, PyObject *b)
{
    PyObject *r = binary(CP_OP_add, a, b);
    if (r != Py_NotImplemented || !PyList_Check(a)) return r;
    Py_DECREF(r);
    return PyErr_Format(PyExc_TypeError, "unsupported operand type(s) for +: 'list' and '%s'", Py_TYPE(b)->tp_name);
}

static PyObject *add_in_place(PyObject *a, PyObject *b) { return in_place(CP_OP_add, a, b); }

static PyObject *multiply_in_place(PyObject *a, PyObject *b) { return in_place(CP_OP_multiply, a, b); }

static PyObject *negative(PyObject *a) { return unary(CP_OP_negative, a); }
static PyObject *positive(PyObject *a) { return unary(CP_OP_positive, a); }
static PyObject *absolute(PyObject *a) { return unary(CP_OP_absolute, a); }
static PyObject *invert(PyObject *a) { return unary(CP_OP_invert, a); }

/* x ** 2 is one multiplication, as in NumPy for booleans too (int8); x ** 0.5 of a real or complex x is its root, and
 * x ** -1 its reciprocal. */
static cp_op power_op(PyObject *a, PyObject *b)
{
    if (!cpy_is_array(a) || !(PyLong_CheckExact(b) || PyFloat_CheckExact(b))) return CP_OP_power;
    int overflow;
    const long n = PyLong_CheckExact(b) ? PyLong_AsLongAndOverflow(b, &overflow) : 0;
    if (n == 2) return CP_OP_square;
    const char kind = cp_type_kind(cp_type_of(cpy_x(a)));
    if (kind != 'f' && kind != 'c') return CP_OP_power;
    if (n == -1 && !overflow) return CP_OP_reciprocal;
    return PyFloat_CheckExact(b) && PyFloat_AS_DOUBLE(b) == 0.5 ? CP_OP_sqrt : CP_OP_power;
}

static PyObject *power(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
    const cp_op op = power_op(a, b);
    return op == CP_OP_power ? binary(op, a, b) : unary(op, a);
}

static PyObject *power_in_place(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
    const cp_op op = power_op(a, b);
    if (op == CP_OP_power) return in_place(op, a, b);
    return run_into(op, 1, (cp_array *[]){cpy_x(a)}, cpy_x(a)) ? Py_NewRef(a) : cpy_raise();
}

static PyObject *divmod_here(cp_op which, PyObject *a, PyObject *b)
{
    (void)which;
    pair p;
    cp_array *results[2];
    PyObject *answer, *of = cpy_class_of(2, (PyObject *[]){a, b});
    bool done;
    if (of && answered(CP_OP_divmod, a, b, false, &answer)) return answer;
    if (!take_pair(CP_OP_divmod, a, b, false, &p, &answer)) return answer;
    CPY_RUN_ON(2, p.in, larger_size(2, p.in), done = cp_elementwise_all(CP_OP_divmod, p.in, results, NULL) == CP_OK);
    end_pair(&p);
    if (!done) return cpy_raise();
    PyObject *quotient = cpy_wrap(results[0]), *remainder = cpy_wrap(results[1]);
    if (quotient && remainder) return cpy_result_of(Py_BuildValue("(NN)", quotient, remainder), of);
    Py_XDECREF(quotient);
    Py_XDECREF(remainder);
    return NULL;
}

static PyObject *divmod_(PyObject *a, PyObject *b)
{
    PyObject *r = divmod_here(CP_OP_divmod, a, b);
    return r || !cpy_on_two_devices() ? r : together(divmod_here, CP_OP_divmod, a, b, false);
}

/* x @ y, of arrays alone: a number raises NumPy's error of too few dimensions. */
static PyObject *matmul_here(PyObject *a, PyObject *b, bool into_a)
{
    PyObject *stranger = cpy_is_array(a) ? b : a, *number = NULL, *answer;
    if (cpy_operator_answered("matmul", a, b, into_a, &answer)) return answer;
    if (!cpy_is_array(a) || !cpy_is_array(b)) {
        if (!PyNumber_Check(stranger) || PyObject_HasAttrString(stranger, "__array__") ||
            PyObject_HasAttrString((PyObject *)Py_TYPE(stranger), "__matmul__"))
            return name_with_stranger("matmul", a, b, stranger, into_a);
        cp_array *x = cpy_scalar(stranger, cpy_x(stranger == a ? b : a), CP_OP_multiply);
        if (!x) return name_with_stranger("matmul", a, b, stranger, into_a);
        number = cpy_wrap(x);
        if (!number) return NULL;
    }
    cp_array *in[2] = {cpy_x(a == stranger && number ? number : a), cpy_x(b == stranger && number ? number : b)}, *r;
    const cp_product_options o = {.out = into_a ? in[0] : NULL};
    CPY_RUN_ON(2, in, cp_size(in[0]) + cp_size(in[1]) > 4096 ? INT64_MAX : 0, r = (cp_matmul)(in[0], in[1], &o));
    Py_XDECREF(number);
    if (!into_a || !r) return cpy_result_of(cpy_wrap(r), cpy_class_of(2, (PyObject *[]){a, b}));
    cpy_free(r);
    return Py_NewRef(a);
}

static PyObject *matmul_of(PyObject *a, PyObject *b, bool into_a)
{
    cpy_gathered g;
    PyObject *r = matmul_here(a, b, into_a);
    if (r || !cpy_on_two_devices()) return r;
    return cpy_gather(&g, 2, (PyObject *[]){a, b}, into_a)
        ? cpy_gather_end(&g, matmul_here(g.at[0], g.at[1], into_a)) : NULL;
}

static PyObject *matmul(PyObject *a, PyObject *b) { return matmul_of(a, b, false); }

/* NumPy's rule: what a product of two lines gives would go to every element. */
static PyObject *matmul_in_place(PyObject *a, PyObject *b)
{
    if (cpy_is_array(b) && (cp_ndim(cpy_x(a)) < 1 || cp_ndim(cpy_x(b)) < 2))
        return PyErr_Format(PyExc_ValueError, "inplace matrix multiplication requires the first operand to have at "
                            "least one and the second at least two dimensions.");
    return matmul_of(a, b, true);
}

/* The same answer for every element of a. */
static PyObject *answer_all(PyObject *a, bool answer)
{
    cp_array *x = cpy_x(a), *itself = cpy_elementwise(CP_OP_equal, 2, (cp_array *[]){x, x});
    uint8_t byte = answer;
    cp_array *value = itself ? cp_scalar(CP_BOOL, &byte) : NULL;
    cp_code code = CP_ERROR_INTERNAL;
    if (value) CPY_RUN(cp_size(itself), code = cp_fill(itself, value));
    cpy_free(value);
    if (code == CP_OK) return cpy_wrap(itself);
    cpy_free(itself);
    return cpy_raise();
}

/* Is its != the one that Python makes of == ? */
static bool has_no_own_ne(PyObject *o)
{
    PyObject *own = of_type(o, "__ne__"), *plain = PyObject_GetAttrString((PyObject *)&PyBaseObject_Type, "__ne__");
    const bool same = own && own == plain;
    Py_XDECREF(own);
    Py_XDECREF(plain);
    return same;
}

/* The opposite of an answer, which is given up: element by element, or of its truth. */
static PyObject *inverted(PyObject *answer)
{
    PyObject *r = NULL;
    if (cpy_is_array(answer)) {
        r = PyObject_CallMethod(cpy_now()->module, "logical_not", "O", answer);
    } else {
        const int truth = PyObject_IsTrue(answer);
        r = truth < 0 ? NULL : PyBool_FromLong(!truth);
    }
    Py_DECREF(answer);
    return r;
}

/* What Python would do with `==` and a stranger, but that no number is equal to what knows nothing of arrays: an
 * answer for each element. */
static PyObject *equal_to_stranger(PyObject *a, PyObject *b, int how)
{
    PyObject *host = of_type(b, "__array__");
    Py_XDECREF(host);
    /* as NumPy's arrays */
    if (host) return PyErr_Format(PyExc_TypeError, "Unsupported type %R", (PyObject *)Py_TYPE(b));
    richcmpfunc compare = Py_TYPE(b)->tp_richcompare;
    const bool inverse = how == Py_NE && has_no_own_ne(b); /* Python's would ask whether the answers are true */
    PyObject *r = compare ? compare(b, a, inverse ? Py_EQ : how) : Py_NewRef(Py_NotImplemented);
    if (r != Py_NotImplemented) return inverse && r ? inverted(r) : r;
    Py_DECREF(r);
    return answer_all(a, how == Py_NE);
}

/* With elements of no type of ours (strings, None, dates): NumPy compares them, on the host. */
static PyObject *compare_on_host(PyObject *a, PyObject *b, int how)
{
    PyObject *host = cpy_get(a, 'C', NULL), *numpy = host ? cpy_numpy() : NULL;
    PyObject *theirs = numpy ? PyObject_CallMethod(numpy, "asarray", "O", b) : NULL;
    PyObject *answer = theirs ? PyObject_RichCompare(host, theirs, how) : NULL;
    PyObject *r = answer ? cpy_asarray_near(answer, cpy_x(a)) : NULL;
    Py_XDECREF(host);
    Py_XDECREF(theirs);
    Py_XDECREF(answer);
    return r;
}

static PyObject *compare_with_sequence(PyObject *a, PyObject *b, cp_op op, int how)
{
    PyObject *y = cpy_asarray_near(b, cpy_x(a));
    PyObject *r = y ? binary(op, a, y) : NULL;
    Py_XDECREF(y);
    if (y || !PyErr_ExceptionMatches(PyExc_ValueError)) return r;
    PyErr_Clear();
    return compare_on_host(a, b, how);
}

PyObject *cpy_compare(PyObject *a, PyObject *b, int how)
{
    static const cp_op which[] = {[Py_LT] = CP_OP_less, [Py_LE] = CP_OP_less_equal, [Py_EQ] = CP_OP_equal,
                                  [Py_NE] = CP_OP_not_equal, [Py_GT] = CP_OP_greater, [Py_GE] = CP_OP_greater_equal};
    if (cpy_is_generic(b) && !cpy_is_scalar(b)) return compare_on_host(a, b, how);
    if (PyList_Check(b) || PyTuple_Check(b) || PyRange_Check(b)) return compare_with_sequence(a, b, which[how], how);
    PyObject *r = binary(which[how], a, b);
    if (r != Py_NotImplemented || (how != Py_EQ && how != Py_NE) ||
        Py_TYPE(b)->tp_richcompare == Py_TYPE(a)->tp_richcompare)
        return r;
    Py_DECREF(r);
    return equal_to_stranger(a, b, how);
}

/* --- Python's numbers --- */
static int array_bool(PyObject *o)
{
    cp_array *x = cpy_x(o);
    if (cp_size(x) != 1) {
        PyErr_SetString(
            PyExc_ValueError,
            cp_size(x) == 0
                ? "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not "
                  "empty."
                : "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()");
        return -1;
    }
    const char *here = cp_type_of(x) == CP_BOOL ? cpy_at_hand(x) : NULL; /* most are truth values already */
    if (here) return *here != 0;
    PyObject *v = cpy_item(x);
    int truth = v ? PyObject_IsTrue(v) : -1;
    Py_XDECREF(v);
    return truth;
}

static PyObject *only_element(PyObject *o)
{
    if (cp_ndim(cpy_x(o)) == 0) return cpy_item(cpy_x(o));
    PyErr_SetString(PyExc_TypeError, "only 0-dimensional arrays can be converted to Python scalars");
    return NULL;
}

static PyObject *array_int(PyObject *o)
{
    PyObject *v = only_element(o);
    if (v && PyComplex_Check(v)) {
        Py_DECREF(v);
        PyErr_SetString(PyExc_TypeError,
                        "int() argument must be a string, a bytes-like object or a real number, not 'complex'");
        return NULL;
    }
    if (v && PyLong_CheckExact(v)) return v;
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
    if (v && PyFloat_CheckExact(v)) return v;
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

/*: method("__complex__", "a: array", doc="The element of a 0-d array as a Python complex.") */
PyObject *py_complex_protocol(const py_complex_protocol_args *v)
{
    PyObject *element = only_element(v->self);
    if (!element) return NULL;
    Py_complex c = PyComplex_AsCComplex(element);
    Py_DECREF(element);
    return PyErr_Occurred() ? NULL : PyComplex_FromCComplex(c);
}

const PyType_Slot cpy_number_slots[] = {
    {Py_nb_add, add}, {Py_nb_inplace_add, add_in_place}, {Py_nb_subtract, subtract},
    {Py_nb_inplace_subtract, subtract_in_place}, {Py_nb_multiply, multiply},
    {Py_nb_inplace_multiply, multiply_in_place}, {Py_nb_true_divide, divide},
    {Py_nb_inplace_true_divide, divide_in_place}, {Py_nb_floor_divide, floor_divide},
    {Py_nb_inplace_floor_divide, floor_divide_in_place}, {Py_nb_remainder, remainder_},
    {Py_nb_inplace_remainder, remainder__in_place}, {Py_nb_power, power}, {Py_nb_inplace_power, power_in_place},
    {Py_nb_divmod, divmod_}, {Py_nb_lshift, left_shift}, {Py_nb_inplace_lshift, left_shift_in_place},
    {Py_nb_rshift, right_shift}, {Py_nb_inplace_rshift, right_shift_in_place}, {Py_nb_and, and},
    {Py_nb_inplace_and, and_in_place}, {Py_nb_or, or}, {Py_nb_inplace_or, or_in_place}, {Py_nb_xor, xor},
    {Py_nb_inplace_xor, xor_in_place}, {Py_nb_negative, negative}, {Py_nb_positive, positive},
    {Py_nb_absolute, absolute}, {Py_nb_invert, invert}, {Py_nb_bool, array_bool}, {Py_nb_int, array_int},
    {Py_nb_float, array_float}, {Py_nb_index, array_index}, {Py_nb_matrix_multiply, matmul},
    {Py_nb_inplace_matrix_multiply, matmul_in_place},
    {0, NULL},
};
