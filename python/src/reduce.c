/* Reductions: sum, mean, max, argmax, ... as functions and methods. */
#include "cpy.h"

typedef struct arguments { PyObject *axis, *dtype, *out, *keepdims, *initial, *where, *ddof; } arguments;

static bool options_of(const arguments *v, cp_array *x, cpy_axes *axes, cp_reduce_options *o, bool own[2])
{
    own[0] = own[1] = false;
    if (!cpy_axes_arg(v->axis, axes) || !cpy_type(v->dtype, CP_DEFAULT, &o->dtype) || !cpy_out(v->out, &o->out) ||
        !cpy_bool(v->keepdims, false, &o->keepdims) || !cpy_double(v->ddof, 0, &o->ddof))
        return false;
    o->axis = axes->axes;
    o->typed = cpy_given(v->dtype);
    if (cpy_given(v->initial) && !(o->initial = cpy_operand(v->initial, x, &own[0]))) return false;
    if (cpy_given(v->where) && v->where != Py_True && !(o->where = cpy_operand(v->where, NULL, &own[1]))) return false;
    return true;
}

static PyObject *reduce_with(cp_reduction which, PyObject *a, const arguments *v)
{
    cp_array *x = cpy_need(a), *r = NULL;
    cpy_axes axes;
    cp_reduce_options options = {0};
    bool own[2] = {false, false}, failed = !x || !options_of(v, x, &axes, &options, own);
    if (!failed) {
        CPY_RUN(cp_size(x), r = cp_reduce(which, x, &options));
        if (!r) cpy_raise();
    }
    if (own[0]) cp_free(options.initial);
    if (own[1]) cp_free(options.where);
    if (!r) return NULL;
    if (!options.out) return cpy_wrap(r);
    cp_free(r);
    return Py_NewRef(PyTuple_Check(v->out) ? PyTuple_GET_ITEM(v->out, 0) : v->out);
}

#define REDUCE(which, a, ...) reduce_with(CP_REDUCE_##which, (a), &(arguments){__VA_ARGS__})

static PyObject *place_of(cp_reduction which, PyObject *a, PyObject *axis, PyObject *dtype, PyObject *out, PyObject *keepdims)
{
    if (cpy_given(axis) && PyTuple_Check(axis)) return PyErr_Format(PyExc_TypeError, "'tuple' object cannot be interpreted as an integer");
    return reduce_with(which, a, &(arguments){.axis = axis, .dtype = dtype, .out = out, .keepdims = keepdims});
}

/* --- the rows of reduce.def: what `result` says decides which arguments there are --- */

#define ARGUMENTS_WIDE "axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True"
#define CALL_WIDE(which) REDUCE(which, a[0], a[1], a[2], a[3], a[4], a[5], a[6])
#define ARGUMENTS_MEAN "axis=None, dtype=None, out=None, keepdims=False, *, where=True"
#define CALL_MEAN(which) REDUCE(which, a[0], a[1], a[2], a[3], a[4], NULL, a[5])
#define ARGUMENTS_REAL "axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True"
#define CALL_REAL(which) REDUCE(which, a[0], a[1], a[2], a[3], a[5], NULL, a[6], a[4])
#define ARGUMENTS_SAME "axis=None, out=None, keepdims=False, initial=None, where=True"
#define CALL_SAME(which) REDUCE(which, a[0], a[1], NULL, a[2], a[3], a[4], a[5])
#define ARGUMENTS_INDEX "axis=None, dtype=None, out=None, keepdims=False"
#define CALL_INDEX(which) place_of(CP_REDUCE_##which, a[0], a[1], a[2], a[3], a[4])
#define ARGUMENTS_TRUTH "axis=None, out=None, keepdims=False, *, where=True"
#define CALL_TRUTH(which) REDUCE(which, a[0], a[1], NULL, a[2], a[3], NULL, a[4])
#define ARGUMENTS_COUNT "axis=None, *, keepdims=False"
#define CALL_COUNT(which) REDUCE(which, a[0], a[1], NULL, NULL, a[2])

#define ROW_METHOD(name, arguments, doc) CPY_BOTH(name, #name, "a", arguments, doc)
#define ROW_FUNCTION(name, arguments, doc) CPY_FUNCTION(name, "a, " arguments, doc)
#define CP_REDUCE(name, fold, result, identity, ufunc, python, finish, doc) \
    ROW_##python(name, ARGUMENTS_##result, doc) { return CALL_##result(name); }
#include "cuprite/reduce.def"

/* NumPy's other names for two of them. */
CPY_FUNCTION(amin, "a, " ARGUMENTS_SAME, "The same as min.") { return CALL_SAME(min); }
CPY_FUNCTION(amax, "a, " ARGUMENTS_SAME, "The same as max.") { return CALL_SAME(max); }

/* Maximum minus minimum; without booleans, as NumPy's subtraction. */
CPY_FUNCTION(ptp, "a, axis=None, out=None, keepdims=False", "Maximum minus minimum over axes.")
{
    PyObject *high = REDUCE(max, a[0], a[1], NULL, NULL, a[3]);
    PyObject *low = high ? REDUCE(min, a[0], a[1], NULL, NULL, a[3]) : NULL;
    cp_array *out = NULL, *r = NULL;
    if (low && cpy_out(a[2], &out)) {
        cp_ufunc_options options = {.out = out};
        r = cp_elementwise(cp_op_from_name("subtract"), (cp_array *[]){cpy_x(high), cpy_x(low)}, &options);
        if (!r) cpy_raise();
    }
    Py_XDECREF(high);
    Py_XDECREF(low);
    if (!r) return NULL;
    if (!out) return cpy_wrap(r);
    cp_free(r);
    return Py_NewRef(a[2]);
}
