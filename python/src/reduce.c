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

CPY_BOTH(sum, "sum", "a", "axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True",
         "Sum over axes (all by default); small integers widen to 64 bits. Returns a 0-d array for all axes.")
{
    return REDUCE(sum, a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
}

CPY_BOTH(prod, "prod", "a", "axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True",
         "Product over axes; small integers widen to 64 bits.")
{
    return REDUCE(prod, a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
}

CPY_BOTH(mean, "mean", "a", "axis=None, dtype=None, out=None, keepdims=False, *, where=True",
         "Arithmetic mean over axes; float64 for integers. NaN of nothing.")
{
    return REDUCE(mean, a[0], a[1], a[2], a[3], a[4], NULL, a[5]);
}

CPY_BOTH(var, "var", "a", "axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True",
         "Variance over axes, the divisor is n - ddof.")
{
    return REDUCE(var, a[0], a[1], a[2], a[3], a[5], NULL, a[6], a[4]);
}

CPY_BOTH(std, "std", "a", "axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True",
         "Standard deviation over axes, the divisor is n - ddof.")
{
    return REDUCE(std, a[0], a[1], a[2], a[3], a[5], NULL, a[6], a[4]);
}

#define EXTREMUM(id, name, which, doc)                                                                                \
    CPY_BOTH(id, name, "a", "axis=None, out=None, keepdims=False, initial=None, where=True",                          \
             doc " over axes; NaN wins. ValueError of nothing without `initial`.")                                    \
    {                                                                                                                 \
        return REDUCE(which, a[0], a[1], NULL, a[2], a[3], a[4], a[5]);                                               \
    }
EXTREMUM(min, "min", min, "Minimum")
EXTREMUM(max, "max", max, "Maximum")
#undef EXTREMUM
#define EXTREMUM(id, name, which, doc)                                                                                \
    CPY_FUNCTION(id, "a, axis=None, out=None, keepdims=False, initial=None, where=True",                              \
                 doc " over axes; NaN wins. ValueError of nothing without `initial`.")                                \
    {                                                                                                                 \
        return REDUCE(which, a[0], a[1], NULL, a[2], a[3], a[4], a[5]);                                               \
    }
EXTREMUM(amin, "amin", min, "Minimum")
EXTREMUM(amax, "amax", max, "Maximum")

static PyObject *arg_extremum(cp_reduction which, PyObject *a, PyObject *axis, PyObject *dtype, PyObject *out, PyObject *keepdims)
{
    if (cpy_given(axis) && PyTuple_Check(axis)) return PyErr_Format(PyExc_TypeError, "'tuple' object cannot be interpreted as an integer");
    return reduce_with(which, a, &(arguments){.axis = axis, .dtype = dtype, .out = out, .keepdims = keepdims});
}

CPY_BOTH(argmin, "argmin", "a", "axis=None, dtype=None, out=None, keepdims=False",
         "Index of the first minimum along an axis, or in the flattened array; int64. The first NaN wins.")
{
    return arg_extremum(CP_REDUCE_argmin, a[0], a[1], a[2], a[3], a[4]);
}

CPY_BOTH(argmax, "argmax", "a", "axis=None, dtype=None, out=None, keepdims=False",
         "Index of the first maximum along an axis, or in the flattened array; int64. The first NaN wins.")
{
    return arg_extremum(CP_REDUCE_argmax, a[0], a[1], a[2], a[3], a[4]);
}

CPY_BOTH(any, "any", "a", "axis=None, out=None, keepdims=False, *, where=True", "Whether any element is true, over axes.")
{
    return REDUCE(any, a[0], a[1], NULL, a[2], a[3], NULL, a[4]);
}

CPY_BOTH(all, "all", "a", "axis=None, out=None, keepdims=False, *, where=True", "Whether all elements are true, over axes.")
{
    return REDUCE(all, a[0], a[1], NULL, a[2], a[3], NULL, a[4]);
}

CPY_FUNCTION(count_nonzero, "a, axis=None, *, keepdims=False", "Number of elements other than zero, over axes; int64.")
{
    return REDUCE(count_nonzero, a[0], a[1], NULL, NULL, a[2]);
}

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
