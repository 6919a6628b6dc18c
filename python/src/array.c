/* The type cuprite.ndarray: lifetime, attributes and Python's protocols.
 *
 * A Python array owns one reference to a cp_array and, for a view, one to the Python array that it is a view of. */
#include "array_rows.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

/* --- what an array was --- */

/* A record that an object had before its shape was set. It stays while a call that began with it may be under way. */
typedef struct cpy_past {
    cp_array *x;
    struct cpy_past *before;
} cpy_past;

static void forget_past(cpy_array *o)
{
    while (o->past) {
        cpy_past *p = o->past;
        o->past = p->before;
        cpy_free(p->x);
        PyMem_Free(p);
    }
}

/* The object's record becomes x, which it takes over. */
static bool replace_record(cpy_array *o, cp_array *x)
{
    cpy_past *p = PyMem_Malloc(sizeof *p);
    if (!p) {
        cpy_free(x);
        PyErr_NoMemory();
        return false;
    }
    if (!o->users) forget_past(o);
    *p = (cpy_past){o->x, o->past};
    o->past = p;
    o->x = cp_keep(x);
    return true;
}

/* --- life --- */
static cpy_array *new_object(cpy_state *s)
{
    if (!s->nkept) return PyObject_New(cpy_array, s->array);
    cpy_array *o = s->kept[--s->nkept];
    PyObject_Init((PyObject *)o, s->array);
    return o;
}

PyObject *cpy_wrap(cp_array *x)
{
    if (!x) return cpy_raise();
    cpy_array *o = new_object(cpy_now());
    if (!o) {
        cpy_free(x);
        return NULL;
    }
    o->x = cp_keep(x); /* an open scope of the embedding program must not end what Python holds */
    o->base = o->weak = NULL;
    o->users = 0;
    o->past = NULL;
    return (PyObject *)o;
}

PyObject *cpy_wrap_view(cp_array *x, PyObject *base)
{
    PyObject *o = cpy_wrap(x);
    if (!o) return NULL;
    PyObject *root = ((cpy_array *)base)->base;
    ((cpy_array *)o)->base = Py_NewRef(root ? root : base);
    return o;
}

/* Of a derived class Python calls it last: the object is of that class then. */
void cpy_array_dealloc(PyObject *self)
{
    cpy_array *o = (cpy_array *)self;
    PyTypeObject *type = Py_TYPE(self);
    cpy_state *s = cpy_now(); /* NULL when the module went before its last array */
    if (o->weak) PyObject_ClearWeakRefs(self);
    cpy_free(o->x); /* the last of a stream's arrays waits for it, and it may be to call a function */
    if (o->past) forget_past(o);
    Py_CLEAR(o->base);
    if (s && type == s->array && s->nkept < CPY_KEPT) s->kept[s->nkept++] = o;
    else type->tp_free(self);
    Py_DECREF(type);
}

PyObject *cpy_none(cp_code code)
{
    if (code != CP_OK) return cpy_raise();
    Py_RETURN_NONE;
}

/* --- making: ndarray(shape, dtype=float, memptr=None, strides=None, order='C') --- */

/* False, with an exception, where NumPy refuses strides for a new array: negative ones, and those whose elements need
 * more than `space` bytes. */
static bool strides_fit(const cpy_ints *shape, const cpy_ints *strides, int64_t itemsize, int64_t space)
{
    if (strides->n != shape->n) {
        PyErr_SetString(PyExc_ValueError, "strides, if given, must be the same length as shape");
        return false;
    }
    int64_t end = itemsize;
    bool fits = true;
    for (int i = 0; i < shape->n; i++) {
        if (shape->at[i] == 0) return true;
        int64_t span;
        fits = fits && (shape->at[i] == 1 || strides->at[i] >= 0) &&
               !__builtin_mul_overflow(shape->at[i] - 1, strides->at[i], &span) &&
               !__builtin_add_overflow(end, span, &end);
    }
    if (fits && end <= space) return true;
    PyErr_SetString(PyExc_ValueError, "strides is incompatible with shape of requested array and size of buffer");
    return false;
}

static void release_block(void *block) { cp_free(block); }

/* A new array with these strides, within as many bytes as its elements take. */
static cp_array *with_strides(cp_type type, const cpy_ints *shape, PyObject *strides)
{
    cpy_ints steps;
    cp_array *block = cpy_shape(strides, &steps) ? CPY_MADE(cp_empty(cpy_shape_of(shape), type)) : NULL;
    if (!block) return cpy_raise(), NULL;
    cp_array *x = NULL;
    if (strides_fit(shape, &steps, (int64_t)cp_type_size(type), cp_nbytes(block))) {
        if (!cp_size(block)) return block;
        x = cp_from_memory(cp_data(block), type, cpy_shape_of(shape), steps.at, cp_device_of(block), release_block,
                           block);
        if (x) cp_keep(block);
        else cpy_raise();
    }
    if (!x) cpy_free(block);
    return x;
}

/* Whether the elements lie in memptr's memory, where it knows its bounds. */
static bool inside(PyObject *memptr, const cp_array *x, cp_type type)
{
    int64_t low = 0, high = (int64_t)cp_type_size(type);
    if (!cp_size(x)) return true;
    for (int i = 0; i < cp_ndim(x); i++) {
        int64_t end = (cp_dims(x)[i] - 1) * cp_strides(x)[i];
        if (end < 0) low += end;
        else high += end;
    }
    PyObject *look = PyObject_GetAttrString(memptr, "_inside");
    if (!look) return PyErr_Clear(), true;
    PyObject *r = PyObject_CallFunction(look, "LLs", (long long)low, (long long)high, "ndarray");
    Py_DECREF(look);
    Py_XDECREF(r);
    return r != NULL;
}

/* An array over memory that `memptr` (x.data) points to; strides NULL for C order. */
static cp_array *over_memory(PyObject *memptr, cp_type type, const cpy_ints *shape, PyObject *strides)
{
    PyObject *address = PyObject_GetAttrString(memptr, "ptr");
    PyObject *device = address ? PyObject_GetAttrString(memptr, "_device") : NULL;
    cp_array *x = NULL;
    int64_t where;
    cpy_ints steps;
    cpy_owner *keeper = cpy_owner_new(memptr);
    if (keeper && device && cpy_int64(device, &where) && (!cpy_given(strides) || cpy_shape(strides, &steps))) {
        void *p = PyLong_AsVoidPtr(address);
        if (!PyErr_Occurred()) {
            x = cp_from_memory(p, type, cpy_shape_of(shape), cpy_given(strides) ? steps.at : NULL, (int)where,
                               cpy_owner_free, keeper);
            if (!x) cpy_raise();
        }
    }
    if (!x && keeper) cpy_owner_free(keeper);
    if (x && !inside(memptr, x, type)) {
        cpy_free(x);
        x = NULL;
    }
    Py_XDECREF(address);
    Py_XDECREF(device);
    return x;
}

static PyObject *array_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    static char *names[] = {"shape", "dtype", "memptr", "strides", "order", NULL};
    PyObject *shape = NULL, *dtype = NULL, *memptr = NULL, *strides = NULL, *order = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "O|OOOO:ndarray", names, &shape, &dtype, &memptr, &strides, &order))
        return NULL;
    cpy_ints dims;
    cp_type t;
    char letter;
    if (!cpy_shape(shape, &dims) || !cpy_type(dtype, CP_FLOAT64, &t) || !cpy_order(order, 'C', "CF", &letter))
        return NULL;
    cp_array *x;
    if (cpy_given(memptr)) {
        x = over_memory(memptr, t, &dims, strides);
        if (!x) return NULL;
    } else if (cpy_given(strides)) {
        x = with_strides(t, &dims, strides);
        if (!x) return NULL;
    } else if (letter == 'F' && dims.n > 1) {
        cpy_ints reversed = {dims.n, {0}};
        for (int i = 0; i < dims.n; i++) reversed.at[i] = dims.at[dims.n - 1 - i];
        cp_array *c = CPY_MADE(cp_empty(cpy_shape_of(&reversed), t));
        x = cp_transpose(c, CP_ALL);
        cpy_free(c);
    } else {
        x = CPY_MADE(cp_empty(cpy_shape_of(&dims), t));
    }
    if (!x) return cpy_raise();
    if (type == cpy_now()->array) return cpy_wrap(x);
    return cpy_new_of(type, x, NULL, Py_None);
}

/* --- attributes --- */
static PyObject *support(const char *name, PyObject *argument)
{
    PyObject *module = cpy_module(&cpy_now()->support, "cuprite._support");
    PyObject *f = module ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *r = f ? PyObject_CallOneArg(f, argument) : NULL;
    Py_XDECREF(f);
    return r;
}

/* A view of the same class. */
static PyObject *view_of(cp_array *x, PyObject *o) { return cpy_like(cpy_wrap_view(x, o), o); }

static PyObject *get_dtype(PyObject *o, void *u) { (void)u; return Py_XNewRef(cpy_dtype(cp_type_of(cpy_x(o)))); }
static PyObject *get_shape(PyObject *o, void *u) { (void)u; return cpy_tuple(cp_ndim(cpy_x(o)), cp_dims(cpy_x(o))); }
static PyObject *get_strides(PyObject *o, void *u)
{
    (void)u;
    return cpy_tuple(cp_ndim(cpy_x(o)), cp_strides(cpy_x(o)));
}
static PyObject *get_ndim(PyObject *o, void *u) { (void)u; return PyLong_FromLong(cp_ndim(cpy_x(o))); }
static PyObject *get_size(PyObject *o, void *u) { (void)u; return PyLong_FromLongLong(cp_size(cpy_x(o))); }
static PyObject *get_nbytes(PyObject *o, void *u) { (void)u; return PyLong_FromLongLong(cp_nbytes(cpy_x(o))); }
static PyObject *get_itemsize(PyObject *o, void *u)
{
    (void)u;
    return PyLong_FromSize_t(cp_type_size(cp_type_of(cpy_x(o))));
}
/* The type's name, with what its dtype says of it: an ElementType of cuprite._element_types, without NumPy. */
static PyObject *get_type_name(PyObject *o, void *u)
{
    (void)u;
    const cp_type t = cp_type_of(cpy_x(o));
    cpy_state *s = cpy_now();
    PyObject *known = cpy_peek(&s->element_types[t]);
    if (known) return Py_NewRef(known);
    PyObject *module = PyImport_ImportModule("cuprite._element_types");
    PyObject *all = module ? PyObject_GetAttrString(module, "TYPES") : NULL;
    PyObject *found = all ? PyMapping_GetItemString(all, cp_type_name(t)) : NULL;
    Py_XDECREF(all);
    Py_XDECREF(module);
    return Py_XNewRef(cpy_publish(&s->element_types[t], found));
}
static PyObject *get_T(PyObject *o, void *u) { (void)u; return view_of(cp_transpose(cpy_x(o), CP_ALL), o); }
static PyObject *get_flags(PyObject *o, void *u) { (void)u; return support("Flags", o); }
static PyObject *get_device(PyObject *o, void *u) { (void)u; return support("device_of", o); }
static PyObject *get_data(PyObject *o, void *u) { (void)u; return support("data_of", o); }
static PyObject *get_address(PyObject *o, void *u) { (void)u; return PyLong_FromVoidPtr(cp_data(cpy_x(o))); }
static PyObject *get_device_number(PyObject *o, void *u) { (void)u; return PyLong_FromLong(cp_device_of(cpy_x(o))); }
static PyObject *get_c(PyObject *o, void *u) { (void)u; return PyBool_FromLong(cp_is_c_contiguous(cpy_x(o))); }
static PyObject *get_f(PyObject *o, void *u) { (void)u; return PyBool_FromLong(cp_is_f_contiguous(cpy_x(o))); }
static PyObject *get_writable(PyObject *o, void *u) { (void)u; return PyBool_FromLong(cp_is_writable(cpy_x(o))); }
static PyObject *get_cstruct(PyObject *o, void *u) { (void)u; return cpy_cstruct(o); }
static PyObject *get_flat(PyObject *o, void *u) { (void)u; return support("Flat", o); }

static PyObject *get_mT(PyObject *o, void *u)
{
    (void)u;
    if (cp_ndim(cpy_x(o)) < 2) {
        PyErr_SetString(PyExc_ValueError, "matrix transpose with ndim < 2 is undefined");
        return NULL;
    }
    return view_of(cp_swapaxes(cpy_x(o), -1, -2), o);
}

static PyObject *get_real(PyObject *o, void *u)
{
    (void)u;
    if (cp_type_kind(cp_type_of(cpy_x(o))) != 'c') return Py_NewRef(o);
    return view_of(cp_real_part(cpy_x(o)), o);
}

static PyObject *get_imag(PyObject *o, void *u)
{
    (void)u;
    cp_array *x = cpy_x(o), *part;
    CPY_RUN_ON(1, &x, 0, part = cp_imag_part(x)); /* of real ones zeros */
    return cp_type_kind(cp_type_of(cpy_x(o))) == 'c' ? view_of(part, o) : cpy_like(cpy_wrap(part), o);
}

static PyObject *get_base(PyObject *o, void *u)
{
    (void)u;
    PyObject *base = ((cpy_array *)o)->base;
    return Py_NewRef(base ? base : Py_None);
}

/* A number becomes an array first, as in NumPy: one that does not fit is converted as elements are. */
static int set_part(PyObject *o, PyObject *value, void *imaginary)
{
    if (!value) {
        PyErr_SetString(PyExc_AttributeError, "cannot delete the real or imaginary part");
        return -1;
    }
    if (imaginary && cp_type_kind(cp_type_of(cpy_x(o))) != 'c') {
        PyErr_SetString(PyExc_TypeError, "cannot set imaginary part of an array that is not complex");
        return -1;
    }
    PyObject *part = imaginary ? get_imag(o, NULL) : get_real(o, NULL);
    PyObject *given = !part ? NULL : cpy_is_scalar(value) ? cpy_asarray(value, CP_DEFAULT) : Py_NewRef(value);
    int r = given ? cpy_setitem(part, Py_Ellipsis, given) : -1;
    Py_XDECREF(given);
    Py_XDECREF(part);
    return r;
}

/* x.shape = ...: only where no copy is needed. */
static int set_shape(PyObject *o, PyObject *value, void *u)
{
    (void)u;
    cpy_array *self = (cpy_array *)o;
    cpy_ints shape;
    if (!value) {
        PyErr_SetString(PyExc_AttributeError, "cannot delete the shape");
        return -1;
    }
    if (!cpy_shape(value, &shape)) return -1;
    cp_array *x = self->x, *r;
    const void *memory = cp_data(x); /* x is not ours once other threads have run */
    CPY_RUN_ON(1, &x, 0, r = cp_reshape(x, cpy_shape_of(&shape)));
    if (!r) return cpy_raise(), -1;
    if (cp_data(r) != memory && cp_size(r)) {
        cpy_free(r);
        PyErr_SetString(PyExc_AttributeError, "incompatible shape for in-place modification: use reshape");
        return -1;
    }
    return replace_record(self, r) ? 0 : -1;
}

static PyObject *get_cuda_interface(PyObject *o, void *u)
{
    (void)u;
    int d = cp_device_of(cpy_x(o));
    if (cp_device_count() ? d < 0 || d >= cp_device_count() : d != CP_CPU) {
        PyErr_SetString(PyExc_AttributeError, "__cuda_array_interface__: the array is not on a GPU");
        return NULL;
    }
    return support("cuda_array_interface", o);
}

/* NumPy asks whose operators go first. */
static PyObject *get_priority(PyObject *o, void *u) { (void)o, (void)u; return PyFloat_FromDouble(100); }

/* x.flat = values */
static int set_flat(PyObject *o, PyObject *value, void *u)
{
    (void)u;
    PyObject *flat = value ? support("Flat", o) : PyErr_Format(PyExc_AttributeError, "cannot delete the elements");
    PyObject *all = flat ? PySlice_New(NULL, NULL, NULL) : NULL;
    int r = all ? PyObject_SetItem(flat, all, value) : -1;
    Py_XDECREF(flat);
    Py_XDECREF(all);
    return r;
}

static PyGetSetDef attributes[] = {
    {"dtype", get_dtype, NULL, "Type of the elements, a numpy.dtype.", NULL},
    {"shape", get_shape, set_shape, "Lengths of the axes, a tuple.", NULL},
    {"strides", get_strides, NULL, "Bytes from one element to the next along each axis, a tuple.", NULL},
    {"ndim", get_ndim, NULL, "Number of axes.", NULL},
    {"size", get_size, NULL, "Number of elements.", NULL},
    {"nbytes", get_nbytes, NULL, "Bytes of all elements.", NULL},
    {"itemsize", get_itemsize, NULL, "Bytes of one element.", NULL},
    {"T", get_T, NULL, "The array with its axes reversed, a view.", NULL},
    {"mT", get_mT, NULL, "The array with its last two axes exchanged, a view.", NULL},
    {"real", get_real, set_part, "Real part, a view; a real array itself.", NULL},
    {"imag", get_imag, set_part, "Imaginary part: a view; zeros for a real array.", (void *)1},
    {"base", get_base, NULL, "The array whose memory this view looks into, or None.", NULL},
    {"flags", get_flags, NULL, "c_contiguous, f_contiguous, owndata, writeable, aligned.", NULL},
    {"flat", get_flat, set_flat, "The elements in C order, one after the other.", NULL},
    {"device", get_device, NULL, "Where the array lives, a cuprite.cuda.Device.", NULL},
    {"data", get_data, NULL, "Where the first element lies: data.ptr is its address in the device's memory.", NULL},
    {"cstruct", get_cstruct, NULL, "The array as kernels take it by value: CArray of <cupy/carray.cuh>.", NULL},
    {"__array_priority__", get_priority, NULL, NULL, NULL},
    {"_address", get_address, NULL, NULL, NULL},
    {"_device", get_device_number, NULL, NULL, NULL},
    {"_type", get_type_name, NULL, NULL, NULL},
    {"_c_contiguous", get_c, NULL, NULL, NULL},
    {"_f_contiguous", get_f, NULL, NULL, NULL},
    {"_writable", get_writable, NULL, NULL, NULL},
    {"__cuda_array_interface__", get_cuda_interface, NULL, "For libraries that work on GPU memory.", NULL},
    {NULL},
};

/* --- protocols --- */
static Py_ssize_t array_length(PyObject *o)
{
    const cp_array *x = cpy_x(o);
    if (cp_ndim(x)) return (Py_ssize_t)cp_dims(x)[0];
    PyErr_SetString(PyExc_TypeError, "len() of unsized object");
    return -1;
}

static PyObject *array_item(PyObject *o, Py_ssize_t i)
{
    if (cp_ndim(cpy_x(o)) && i >= cp_dims(cpy_x(o))[0]) {
        PyErr_SetString(PyExc_IndexError, "index out of bounds"); /* ends an iteration; never visible */
        return NULL;
    }
    return view_of(cp_slice(cpy_x(o), 1, &CP_AT((int64_t)i)), o);
}

static PyObject *array_iter(PyObject *o)
{
    if (cp_ndim(cpy_x(o)) == 0) {
        PyErr_SetString(PyExc_TypeError, "iteration over a 0-d array");
        return NULL;
    }
    return PySeqIter_New(o);
}

static int array_contains(PyObject *o, PyObject *value)
{
    PyObject *equal = cpy_compare(o, value, Py_EQ);
    if (!equal || !cpy_is_array(equal)) {
        Py_XDECREF(equal);
        return equal ? 0 : -1;
    }
    cp_array *any;
    CPY_RUN(cp_size(cpy_x(equal)), any = cp_any(cpy_x(equal)));
    Py_DECREF(equal);
    if (!any) return cpy_raise(), -1;
    int64_t v;
    CPY_RUN(0, v = cp_item_int(any));
    cpy_free(any);
    if (cp_error() != CP_OK) return cpy_raise(), -1;
    return v != 0;
}

static PyObject *array_richcompare(PyObject *a, PyObject *b, int how) { return cpy_compare(a, b, how); }

/* Python code in _printing.py, which knows NumPy's options. */
static PyObject *text(PyObject *o, const char *name)
{
    PyObject *module = cpy_module(&cpy_now()->printing, "cuprite._printing");
    return module ? PyObject_CallMethod(module, name, "O", o) : NULL;
}

static PyObject *array_repr(PyObject *o) { return text(o, "repr_of"); }
static PyObject *array_str(PyObject *o) { return text(o, "str_of"); }

/*: method("__format__", "a: array, format_spec: object, /",
           doc="Formats a 0-d array as its element.") */
PyObject *py_format_protocol(const py_format_protocol_args *v)
{
    if (cp_ndim(v->a) == 0) {
        PyObject *value = cpy_item(v->a);
        PyObject *r = value ? PyObject_Format(value, v->format_spec) : NULL;
        Py_XDECREF(value);
        return r;
    }
    if (PyUnicode_Check(v->format_spec) && PyUnicode_GET_LENGTH(v->format_spec) == 0) return PyObject_Str(v->self);
    return PyErr_Format(PyExc_TypeError, "unsupported format string passed to %s.__format__",
                        Py_TYPE(v->self)->tp_name);
}

/*: method("__array__", "a: array, dtype: object = None, copy: object = None",
           doc="Raises TypeError: copies to the host are asked for with get().") */
PyObject *py_array_protocol(const py_array_protocol_args *v)
{
    (void)v;
    PyErr_SetString(PyExc_TypeError, "Implicit conversion to a NumPy array is not allowed. "
                                     "Please use `.get()` to construct a NumPy array explicitly.");
    return NULL;
}

/*: method("__bytes__", "a: array", doc="The elements' bytes, C order.") */
PyObject *py_bytes_protocol(const py_bytes_protocol_args *v)
{
    const char kind = cp_type_kind(cp_type_of(v->a));
    if (cp_ndim(v->a) || (kind != 'i' && kind != 'u')) return cpy_bytes(v->a, 'C');
    PyObject *count = cpy_item(v->a); /* as NumPy's: Python takes what has an index for a number of bytes */
    PyObject *r = count ? PyObject_CallOneArg((PyObject *)&PyBytes_Type, count) : NULL;
    Py_XDECREF(count);
    return r;
}

/*: method("__array_namespace__", "a: array, *, api_version: object = None",
           doc="The module, which is the array API's namespace; ValueError for a version that it does not know.") */
PyObject *py_array_namespace_protocol(const py_array_namespace_protocol_args *v)
{
    PyObject *module = cpy_module(&cpy_now()->support, "cuprite._support");
    PyObject *version = v->api_version ? v->api_version : Py_None;
    return module ? PyObject_CallMethod(module, "array_namespace", "OO", v->self, version) : NULL;
}

/*: method("__copy__", "a: array", call="cp_copy_order(a, 'K')", doc="A copy of the array, in its order.") */

/*: method("__deepcopy__", "a: array, memo: object, /", doc="A copy of the array.") */
PyObject *py_deepcopy_protocol(const py_deepcopy_protocol_args *v)
{
    cp_array *r;
    (void)v->memo; /* there is nothing in an array that it could know */
    CPY_RUN(cp_size(v->a), r = cp_copy_order(v->a, 'K'));
    return cpy_wrap(r);
}

/* Pickled as bytes, type, shape and order; made again on the device that is current then. */
/*: method("__reduce__", "a: array",
           doc="For pickle.") */
PyObject *py_reduce_protocol(const py_reduce_protocol_args *v)
{
    char order = cpy_host_order(v->a, 'A');
    PyObject *bytes = cpy_bytes(v->a, order);
    PyObject *make = bytes ? PyObject_GetAttrString(cpy_now()->module, "_unpickle") : NULL;
    PyObject *own = cpy_is_plain(v->self) ? NULL : PyObject_GetAttrString(v->self, "__dict__");
    PyErr_Clear(); /* a class with __slots__ has none */
    PyObject *r =
        make ? Py_BuildValue("N(OsNCO)O", make, bytes, cp_type_name(cp_type_of(v->a)), get_shape(v->self, NULL), order,
                             cpy_is_plain(v->self) ? Py_None : (PyObject *)Py_TYPE(v->self), own ? own : Py_None)
             : NULL;
    Py_XDECREF(own);
    Py_XDECREF(bytes);
    return r;
}

static PyObject *of_class(PyObject *r, PyObject *class)
{
    PyTypeObject *plain = cpy_now()->array;
    if (!r || !cpy_given(class) || class == (PyObject *)plain) return r;
    if (PyType_Check(class) && PyType_IsSubtype((PyTypeObject *)class, plain))
        return cpy_as(r, (PyTypeObject *)class, Py_None);
    Py_DECREF(r);
    return PyErr_Format(PyExc_TypeError, "pickled array: %R is no class of arrays", class);
}

/*: function("_unpickle", "data: object, dtype: dtype, shape: shape, order: order('CF') = 'C', type: object = None, /",
           doc="An array from what pickle kept.") */
PyObject *py__unpickle(const py__unpickle_args *v)
{
    char *data;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(v->data, &data, &length) < 0) return NULL;
    size_t want = cp_type_size(v->dtype);
    cpy_ints reversed = {.n = v->shape.n};
    for (int i = 0; i < v->shape.n; i++) {
        int64_t extent = reversed.at[v->shape.n - 1 - i] = v->shape.at[i];
        if (extent < 0 || __builtin_mul_overflow(want, (size_t)extent, &want)) want = SIZE_MAX;
    }
    if ((size_t)length != want) {
        PyErr_SetString(PyExc_ValueError, "pickled array: the data do not have the length that shape and type ask for");
        return NULL;
    }
    if (v->order == 'C')
        return of_class(cpy_wrap(CPY_MADE(cp_from_host(data, v->dtype, cpy_shape_of(&v->shape), NULL))), v->type);
    cp_array *c = CPY_MADE(cp_from_host(data, v->dtype, cpy_shape_of(&reversed), NULL)), *x = cp_transpose(c, CP_ALL);
    cpy_free(c);
    return of_class(cpy_wrap(x), v->type);
}

/* __array_ufunc__ and __array_function__ need NumPy's names: Python code in _dispatch.py. */
static PyObject *dispatch(const char *name, PyObject *self, PyObject *args, PyObject *kw)
{
    PyObject *module = cpy_module(&cpy_now()->dispatch, "cuprite._dispatch");
    PyObject *f = module ? PyObject_GetAttrString(module, name) : NULL;
    (void)self;
    PyObject *r = f ? PyObject_Call(f, args, kw) : NULL;
    Py_XDECREF(f);
    return r;
}

/*: varargs("__array_ufunc__", doc="NumPy's ufuncs on these arrays are Cuprite's.") */
PyObject *py_array_ufunc(PyObject *self, PyObject *args, PyObject *kw)
{
    return dispatch("array_ufunc", self, args, kw);
}

/*: varargs("__array_function__", doc="NumPy's functions on these arrays are Cuprite's.") */
PyObject *py_array_function(PyObject *self, PyObject *args, PyObject *kw)
{
    return dispatch("array_function", self, args, kw);
}

/*: varargs("__class_getitem__", c="Py_GenericAlias", flags="METH_O | METH_CLASS",
            doc="ndarray[shape, dtype], for annotations.") */

/* What the type has beside number.c's operators; the methods of the rows are added when it is made. */
static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(cpy_array, weak), READONLY, NULL},
    {NULL},
};

static const PyType_Slot own_slots[] = {
    {Py_tp_doc, "ndarray(shape, dtype=float, memptr=None, strides=None, order='C')\n--\n\n"
                "An n-dimensional array on one device. Contents of a new one are undefined; `memptr` (another array's\n"
                "`data`) makes an array over memory that is there already."},
    {Py_tp_new, array_new},
    {Py_tp_dealloc, cpy_array_dealloc},
    {Py_tp_repr, array_repr},
    {Py_tp_str, array_str},
    {Py_tp_hash, PyObject_HashNotImplemented},
    {Py_tp_richcompare, array_richcompare},
    {Py_tp_iter, array_iter},
    {Py_tp_getset, attributes},
    {Py_tp_members, members},
    {Py_sq_length, array_length},
    {Py_sq_item, array_item},
    {Py_sq_contains, array_contains},
    {Py_mp_length, array_length},
    {Py_mp_subscript, cpy_getitem},
    {Py_mp_ass_subscript, cpy_setitem},
};

bool cpy_array_init(cpy_state *s)
{
    enum { OWN = sizeof own_slots / sizeof *own_slots, MOST = 128 };
    PyType_Slot slots[MOST];
    int n = OWN;
    memcpy(slots, own_slots, sizeof own_slots);
    for (const PyType_Slot *slot = cpy_number_slots; slot->slot; slot++) slots[n++] = *slot;
    slots[n++] = (PyType_Slot){Py_tp_methods, cpy_method_rows};
    slots[n] = (PyType_Slot){0, NULL};
    PyType_Spec spec = {"cuprite.ndarray", sizeof(cpy_array), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE, slots};
    s->array = (PyTypeObject *)PyType_FromModuleAndSpec(s->module, &spec, NULL);
    /* as CuPy's class says: its own objects have no attributes beside these (subclasses' have) */
    PyObject *slots_of = s->array ? PyList_New(0) : NULL;
    bool done = slots_of && PyDict_SetItemString(s->array->tp_dict, "__slots__", slots_of) == 0;
    Py_XDECREF(slots_of);
    if (done) PyType_Modified(s->array);
    return done && PyModule_AddObjectRef(s->module, "ndarray", (PyObject *)s->array) == 0;
}
