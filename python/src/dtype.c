/* Element types and NumPy's dtypes; NumPy itself, imported when first needed.
 *
 * Invariant: only cpy_numpy imports NumPy, so a program that uses no dtype and no NumPy array never imports it. */
#include "cpy.h"

#include <string.h>

/* The three types first: who sees the module sees them too. */
static bool remember_numpy(cpy_state *s, PyObject *module)
{
    PyObject *array = PyObject_GetAttrString(module, "ndarray");
    PyObject *generic = PyObject_GetAttrString(module, "generic");
    PyObject *dtype = PyObject_GetAttrString(module, "dtype");
    if (!array || !generic || !dtype) {
        Py_XDECREF(array);
        Py_XDECREF(generic);
        Py_XDECREF(dtype);
        return false;
    }
    cpy_publish((PyObject **)&s->numpy_array, array);
    cpy_publish((PyObject **)&s->numpy_generic, generic);
    cpy_publish((PyObject **)&s->numpy_dtype, dtype);
    cpy_publish(&s->numpy, Py_NewRef(module));
    return true;
}

PyObject *cpy_numpy(void)
{
    cpy_state *s = cpy_now();
    PyObject *module = cpy_peek(&s->numpy);
    if (module || !(module = PyImport_ImportModule("numpy"))) return module;
    bool done = remember_numpy(s, module);
    Py_DECREF(module);
    return done ? s->numpy : NULL;
}

PyObject *cpy_numpy_call(const char *name, PyObject *argument)
{
    PyObject *numpy = cpy_numpy();
    PyObject *f = numpy ? PyObject_GetAttrString(numpy, name) : NULL;
    if (!f) return NULL;
    PyObject *r = PyObject_CallOneArg(f, argument);
    Py_DECREF(f);
    return r;
}

/* The state once NumPy was imported; imports nothing. A module that is only half imported does not count. */
static cpy_state *with_numpy(void)
{
    cpy_state *s = cpy_now();
    if (cpy_peek(&s->numpy)) return s;
    PyObject *modules = PyImport_GetModuleDict(), *name = cpy_peek(&s->numpy_name);
    if (!name) name = cpy_publish(&s->numpy_name, PyUnicode_InternFromString("numpy"));
    PyObject *module = modules && name ? PyDict_GetItemWithError(modules, name) : NULL;
    if (module && remember_numpy(s, module)) return s;
    if (module || !name) PyErr_Clear();
    return NULL;
}

PyTypeObject *cpy_numpy_array(void)
{
    cpy_state *s = with_numpy();
    return s ? s->numpy_array : NULL;
}

PyTypeObject *cpy_numpy_generic(void)
{
    cpy_state *s = with_numpy();
    return s ? s->numpy_generic : NULL;
}

bool cpy_is_numpy_array(PyObject *o)
{
    enum { PYTHONS = Py_TPFLAGS_LONG_SUBCLASS | Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_TUPLE_SUBCLASS };
    if (PyFloat_CheckExact(o) || PyType_HasFeature(Py_TYPE(o), PYTHONS)) return false; /* whatever is imported */
    PyTypeObject *t = cpy_numpy_array();
    return t && PyObject_TypeCheck(o, t);
}

/* The dtype of a type that is none of NumPy's: the package's that has it, or a stand-in with its name and size. */
static PyObject *foreign_dtype(cp_type t)
{
    PyObject *module = PyImport_ImportModule("cuprite._dtypes");
    PyObject *r = module ? PyObject_CallMethod(module, "foreign", "s", cp_type_name(t)) : NULL;
    Py_XDECREF(module);
    return r;
}

cp_type cpy_foreign_type(PyObject *name)
{
    for (cp_type t = 0; PyUnicode_Check(name) && t < CP_NTYPES; t++)
        if (cpy_type_rows[t].module && PyUnicode_CompareWithASCIIString(name, cp_type_name(t)) == 0) return t;
    return CP_DEFAULT;
}

PyObject *cpy_dtype(cp_type t)
{
    if (t < 0 || t >= CP_NTYPES) {
        PyErr_SetString(PyExc_SystemError, "no such element type");
        return NULL;
    }
    cpy_state *s = cpy_now();
    PyObject *d = cpy_peek(&s->dtypes[t]);
    if (d || !cpy_numpy()) return d;
    d = cpy_type_rows[t].module ? foreign_dtype(t)
                                : PyObject_CallFunction((PyObject *)s->numpy_dtype, "s", cp_type_name(t));
    if (!d) return NULL;
    if (!cpy_publish(&s->scalar_types[t], PyObject_GetAttrString(d, "type"))) {
        Py_DECREF(d);
        return NULL;
    }
    return cpy_publish(&s->dtypes[t], d);
}

/* A dtype or scalar type that was asked for before, found by its address. */
static bool known_type(const cpy_state *s, PyObject *o, cp_type *t)
{
    for (cp_type i = 0; i < CP_NTYPES; i++)
        if (o == s->dtypes[i] || o == s->scalar_types[i]) {
            *t = i;
            return true;
        }
    return false;
}

bool cpy_known_type(PyObject *o, cp_type *t)
{
    if (cpy_is_array(o)) return *t = cp_type_of(cpy_x(o)), true;
    return known_type(cpy_now(), o, t);
}

static bool unsupported(PyObject *dtype)
{
    PyObject *fields = PyObject_GetAttrString(dtype, "fields"); /* records are no element types at all */
    PyErr_Clear();
    PyErr_Format(fields && fields != Py_None ? PyExc_TypeError : PyExc_ValueError, "Unsupported dtype %S", dtype);
    Py_XDECREF(fields);
    return false;
}

static bool is_native(PyObject *dtype)
{
    PyObject *native = PyObject_GetAttrString(dtype, "isnative");
    bool r = native && PyObject_IsTrue(native) == 1;
    Py_XDECREF(native);
    return r;
}

static bool type_of_numpy_dtype(PyObject *d, cp_type *t)
{
    PyObject *kind = PyObject_GetAttrString(d, "kind"), *size = NULL, *name = NULL;
    bool done = false;
    if (kind) size = PyObject_GetAttrString(d, "itemsize");
    if (size) name = PyObject_GetAttrString(d, "name");
    if (!name) goto out;
    cp_type found = cpy_foreign_type(name);
    if (found == CP_DEFAULT)
        for (cp_type i = 0; i < CP_NTYPES; i++)
            if (!cpy_type_rows[i].module && PyUnicode_READ_CHAR(kind, 0) == (Py_UCS4)cp_type_kind(i) &&
                PyLong_AsSize_t(size) == cp_type_size(i))
                found = i;
    if (found != CP_DEFAULT && !is_native(d)) found = CP_DEFAULT; /* no array of ours is kept in another byte order */
    done = found != CP_DEFAULT || (!PyErr_Occurred() && unsupported(d));
    *t = found;
out:
    Py_XDECREF(kind);
    Py_XDECREF(size);
    Py_XDECREF(name);
    return done;
}

/* "f4", "c16", "d": NumPy's short words, read here because they are so common. */
static cp_type short_name(const char *s)
{
    char kind = 0, bytes = 0;
    if (s[0] && !s[1]) {
        const char letter = s[0] == 'q' ? 'l' : s[0] == 'Q' ? 'L' : s[0]; /* long and long long are one type of ours */
        for (cp_type t = 0; t < CP_NTYPES; t++)
            if (!cpy_type_rows[t].module && cpy_type_rows[t].letter == letter) return t;
    } else if (strchr("iufc", s[0]) && strchr("1248", s[1]) && s[1] && !s[2]) {
        kind = s[0], bytes = (char)(s[1] - '0');
    } else if (strcmp(s, "c16") == 0) {
        kind = 'c', bytes = 16;
    }
    for (cp_type t = 0; kind && t < CP_NTYPES; t++)
        if (!cpy_type_rows[t].module && cp_type_kind(t) == kind && cp_type_size(t) == (size_t)bytes) return t;
    return CP_DEFAULT;
}

/* The commonest of them, without a look at every type: "i4", "u8", "f4", "c16". */
static cp_type common_name(PyObject *o)
{
    static const cp_type whole[2][4] = {{CP_INT8, CP_INT16, CP_INT32, CP_INT64},
                                        {CP_UINT8, CP_UINT16, CP_UINT32, CP_UINT64}};
    if (!PyUnicode_IS_READY(o) || !PyUnicode_IS_COMPACT_ASCII(o)) return CP_DEFAULT;
    const char *s = (const char *)PyUnicode_1BYTE_DATA(o);
    const Py_ssize_t n = PyUnicode_GET_LENGTH(o);
    if (n == 3 && !memcmp(s, "c16", 3)) return CP_COMPLEX128;
    if (n != 2) return CP_DEFAULT;
    if (s[0] == 'f') return s[1] == '4' ? CP_FLOAT32 : s[1] == '8' ? CP_FLOAT64 : CP_DEFAULT;
    if (s[0] == 'c') return s[1] == '8' ? CP_COMPLEX64 : CP_DEFAULT;
    const int bytes = s[1] == '1' ? 0 : s[1] == '2' ? 1 : s[1] == '4' ? 2 : s[1] == '8' ? 3 : -1;
    return bytes < 0 || (s[0] != 'i' && s[0] != 'u') ? CP_DEFAULT : whole[s[0] == 'u'][bytes];
}

bool cpy_type(PyObject *o, cp_type otherwise, cp_type *t)
{
    *t = otherwise;
    if (!cpy_given(o)) return true;
    if (PyUnicode_CheckExact(o) && (*t = common_name(o)) != CP_DEFAULT) return true;
    *t = otherwise;
    cpy_state *s = cpy_now();
    if (known_type(s, o, t)) return true;
    if (o == (PyObject *)&PyFloat_Type) return *t = CP_FLOAT64, true;
    if (o == (PyObject *)&PyLong_Type) return *t = CP_INT64, true;
    if (o == (PyObject *)&PyBool_Type) return *t = CP_BOOL, true;
    if (o == (PyObject *)&PyComplex_Type) return *t = CP_COMPLEX128, true;
    if (PyUnicode_Check(o)) {
        const char *name = PyUnicode_AsUTF8(o);
        if (!name) return false;
        cp_type found = cp_type_from_name(name);
        if (found == CP_DEFAULT && *name) found = short_name(name);
        if (found != CP_DEFAULT) return *t = found, true;
    }
    if (!cpy_numpy()) return false;
    for (cp_type i = 0; i < CP_NTYPES; i++)
        if (!cpy_dtype(i)) return false;
    if (known_type(s, o, t)) return true;
    PyObject *d = PyObject_CallOneArg((PyObject *)s->numpy_dtype, o);
    if (!d) return false;
    bool done = known_type(s, d, t) || type_of_numpy_dtype(d, t);
    Py_DECREF(d);
    return done;
}

/* A format of the struct module that names one number: byte order, then "?", "d", "Zf", ... */
cp_type cpy_format_type(const char *f, Py_ssize_t itemsize, bool *swapped)
{
    *swapped = false;
    if (!f) return itemsize == 1 ? CP_UINT8 : CP_DEFAULT;
    if (strchr("@=<>!", *f)) *swapped = (*f == '>' || *f == '!') && itemsize > 1;
    if (*f && strchr("@=<>!", *f)) f++;
    bool is_complex = *f == 'Z';
    f += is_complex;
    if (!f[0] || f[1]) return CP_DEFAULT;
    char kind = 0;
    if (*f == '?') kind = 'b';
    else if (strchr("bhilqn", *f)) kind = 'i';
    else if (strchr("BHILQN", *f)) kind = 'u';
    else if (strchr("efd", *f)) kind = is_complex ? 'c' : 'f';
    for (cp_type t = 0; kind && t < CP_NTYPES; t++)
        if (!cpy_type_rows[t].module && cp_type_kind(t) == kind && (Py_ssize_t)cp_type_size(t) == itemsize) return t;
    return CP_DEFAULT;
}
