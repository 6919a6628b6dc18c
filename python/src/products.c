/* Products: functions that are more than one library call. Their rows are in src/array/products. */
#include "products_rows.h"

/* The call with axes of its own, or a signature: python/cuprite/_products.py moves them and calls again. */
static PyObject *with_axes(const char *name, const py_matmul_args *v)
{
    PyObject *module = PyImport_ImportModule("cuprite._products");
    PyObject *f = module ? PyObject_GetAttrString(module, "with_axes") : NULL, *r = NULL;
    PyObject *a = f ? cpy_wrap(cp_retain(v->x1)) : NULL, *b = a ? cpy_wrap(cp_retain(v->x2)) : NULL;
    PyObject *dtype = b ? (v->dtype == CP_DEFAULT ? Py_NewRef(Py_None) : PyUnicode_FromString(cp_type_name(v->dtype)))
                        : NULL;
    static const char *const casts[] = {"same_kind", "no", "equiv", "safe", "unsafe"};
    if (dtype)
        r = PyObject_CallFunction(f, "sOOOsCOOOiO", name, a, b, v->out_object ? v->out_object : Py_None,
                                  casts[v->casting], v->order ? v->order : 'K', dtype, v->axes ? v->axes : Py_None,
                                  v->axis ? v->axis : Py_None, (int)v->keepdims,
                                  v->signature ? v->signature : Py_None);
    Py_XDECREF(module);
    Py_XDECREF(f);
    Py_XDECREF(a);
    Py_XDECREF(b);
    Py_XDECREF(dtype);
    return r;
}

typedef cp_array *call(cp_array *x1, cp_array *x2, const cp_product_options *options);

static PyObject *product(const char *name, call *f, const py_matmul_args *v)
{
    bool plain = (!v->axes || v->axes == Py_None) && (!v->axis || v->axis == Py_None) && !v->keepdims &&
                 (!v->signature || v->signature == Py_None);
    if (!plain) return with_axes(name, v);
    cp_array *r;
    const cp_product_options o = {.out = v->out, .casting = v->casting, .order = v->order, .dtype = v->dtype,
                                  .typed = v->dtype != CP_DEFAULT};
    CPY_RUN(cp_size(v->x1) + cp_size(v->x2) > 4096 ? INT64_MAX : 0, r = f(v->x1, v->x2, &o));
    return cpy_wrap_into(r, v->out);
}

/* The rows have the same arguments, each in a record of its own: one as matmul's. */
#define AS_MATMUL(v)                                                                                                   \
    (&(py_matmul_args){.x1 = (v)->x1, .x2 = (v)->x2, .out = (v)->out, .out_object = (v)->out_object,                   \
                       .casting = (v)->casting, .order = (v)->order, .dtype = (v)->dtype, .axes = (v)->axes,           \
                       .axis = (v)->axis, .keepdims = (v)->keepdims, .signature = (v)->signature})

PyObject *py_matmul(const py_matmul_args *v) { return product("matmul", cp_matmul, v); }
PyObject *py_vecdot(const py_vecdot_args *v) { return product("vecdot", cp_vecdot, AS_MATMUL(v)); }
PyObject *py_matvec(const py_matvec_args *v) { return product("matvec", cp_matvec, AS_MATMUL(v)); }
PyObject *py_vecmat(const py_vecmat_args *v) { return product("vecmat", cp_vecmat, AS_MATMUL(v)); }

/* One axis or several of an operand of tensordot. */
static bool take_axes(PyObject *o, int *n, int *at)
{
    PyObject *list = PyIndex_Check(o) ? PyTuple_Pack(1, o) : PySequence_Tuple(o);
    bool good = list != NULL;
    if (good && PyTuple_GET_SIZE(list) > CP_MAXDIM) {
        PyErr_Format(PyExc_ValueError, "tensordot: %zd axes given", PyTuple_GET_SIZE(list));
        good = false;
    }
    *n = good ? (int)PyTuple_GET_SIZE(list) : 0;
    for (int i = 0; i < *n && good; i++) good = cpy_index_axis(PyTuple_GET_ITEM(list, i), &at[i]);
    Py_XDECREF(list);
    return good;
}

PyObject *py_tensordot(const py_tensordot_args *v)
{
    int na = 2, nb, ax[CP_MAXDIM] = {-2, -1}, bx[CP_MAXDIM] = {0, 1};
    if (v->axes && !PyIndex_Check(v->axes)) {
        PyObject *pair = PySequence_Tuple(v->axes);
        bool good = pair && PyTuple_GET_SIZE(pair) == 2;
        if (pair && !good)
            PyErr_SetString(PyExc_ValueError, "tensordot: axes must be a number or a pair of lists of axes");
        good = good && take_axes(PyTuple_GET_ITEM(pair, 0), &na, ax) && take_axes(PyTuple_GET_ITEM(pair, 1), &nb, bx);
        Py_XDECREF(pair);
        if (!good) return NULL;
    } else {
        if (v->axes && !cpy_index_axis(v->axes, &na)) return NULL;
        if (na < 0) na = 0; /* as NumPy's ranges */
        for (int i = 0; i < na; i++) { /* the first that is wrong decides which error it is */
            if (na > cp_ndim(v->a) || i >= cp_ndim(v->b)) {
                PyErr_SetString(PyExc_IndexError, "tensordot: tuple index out of range");
                return NULL;
            }
            ax[i] = i - na, bx[i] = i;
            if (cp_dims(v->a)[cp_ndim(v->a) + ax[i]] == cp_dims(v->b)[i]) continue;
            PyErr_SetString(PyExc_ValueError, "tensordot: shape-mismatch for sum");
            return NULL;
        }
        nb = na;
    }
    cp_array *r;
    CPY_RUN(INT64_MAX, r = cp_tensordot(v->a, v->b, (cp_axes){na, ax}, (cp_axes){nb, bx}));
    return cpy_wrap(r);
}

/* A path as Python gives it: a list of tuples of operand indices, a leading word left out. The memory is the caller's.
 * */
static cp_axes *take_path(PyObject *o, int *steps)
{
    Py_ssize_t n = PySequence_Size(o), from = 0;
    if (n < 0) return NULL;
    PyObject *first = n ? PySequence_GetItem(o, 0) : NULL;
    if (first && PyUnicode_Check(first)) from = 1;
    Py_XDECREF(first);
    char *memory = PyMem_Calloc((size_t)(n - from) + 1, sizeof(cp_axes) + CP_MAXDIM * sizeof(int));
    cp_axes *path = (cp_axes *)memory;
    int *at = (int *)(memory + ((size_t)(n - from) + 1) * sizeof(cp_axes));
    if (!memory) return (cp_axes *)PyErr_NoMemory();
    bool good = true;
    for (Py_ssize_t i = from; i < n && good; i++, at += CP_MAXDIM) {
        PyObject *step = PySequence_GetItem(o, i);
        good = step && take_axes(step, &path[i - from].n, at);
        path[i - from].at = at;
        Py_XDECREF(step);
    }
    *steps = (int)(n - from);
    if (good) return path;
    PyMem_Free(memory);
    return NULL;
}

/*: function("_einsum", "subscripts: string, operands: arrays_or_numbers, out: out = None, dtype: dtype = None, "
             "casting: casting = 'same_kind', order: order('CFAK') = 'K', optimize: int = 0, path: object = None",
             doc="What cuprite.einsum calls: `optimize` is a cp_path, `path` a list of steps instead of it.") */
PyObject *py__einsum(const py__einsum_args *v)
{
    int steps = 0;
    cp_axes *path = cpy_given(v->path) ? take_path(v->path, &steps) : NULL;
    if (cpy_given(v->path) && !path) return NULL;
    const cp_einsum_options o = {.out = v->out, .dtype = v->dtype, .typed = v->dtype != CP_DEFAULT,
                                 .casting = v->casting, .cast = true, .order = v->order,
                                 .optimize = (cp_path)v->optimize, .steps = steps, .path = path};
    cp_array *r;
    CPY_RUN(INT64_MAX, r = (cp_einsum)(v->subscripts, v->operands.n, v->operands.at, &o));
    PyMem_Free(path);
    PyObject *only = v->operands.n == 1 ? PyTuple_GET_ITEM(v->operands.held, 0) : NULL;
    if (r && !v->out && only && cpy_is_array(only)) return cpy_wrap_part(r, only);
    return cpy_wrap_into(r, v->out);
}
