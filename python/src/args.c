/* Rows: from a signature to parsed arguments, and the readers of single arguments.
 *
 * Invariant: a row's signature is valid Python between the parentheses of a def ("a, axis=None, *, out=None"),
 * with no commas inside defaults other than in quotes or brackets. */
#include "rows.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static cpy_row *rows; /* complete before anything is called, and then left alone */

/* End of the argument that starts at s: the next comma outside of brackets and quotes, or the end. */
static const char *argument_end(const char *s)
{
    int depth = 0;
    char quote = 0;
    for (; *s; s++) {
        if (quote) quote = *s == quote ? 0 : quote;
        else if (*s == '\'' || *s == '"') quote = *s;
        else if (strchr("([{", *s)) depth++;
        else if (strchr(")]}", *s)) depth--;
        else if (*s == ',' && depth == 0) break;
    }
    return s;
}

static void parse_signature(cpy_row *row)
{
    int positional = -1;
    row->variadic = -1;
    for (const char *s = row->signature; *s;) {
        const char *end = argument_end(s);
        while (*s == ' ') s++;
        if (*s == '/') {
            row->positional_only = row->n;
        } else if (*s == '*' && !isalpha((unsigned char)s[1])) {
            positional = row->n;
        } else if (s < end) {
            if (*s == '*') {
                row->variadic = positional = row->n;
                s++;
            }
            const char *stop = s;
            while (stop < end && (isalnum((unsigned char)*stop) || *stop == '_')) stop++;
            row->args[row->n].name = s;
            row->args[row->n].length = (int)(stop - s);
            bool has_default = memchr(stop, '=', (size_t)(end - stop)) != NULL;
            if (!has_default && row->variadic != row->n) row->required |= 1u << row->n;
            row->n++;
        }
        s = *end ? end + 1 : end;
    }
    row->positional = positional < 0 ? row->n : positional;
}

void cpy_register(cpy_row *row)
{
    parse_signature(row);
    row->def = (PyMethodDef){row->name, (PyCFunction)(void (*)(void))row->function, METH_FASTCALL | METH_KEYWORDS,
                             row->function_doc};
    row->next = rows;
    rows = row;
}

static bool wrong_number(cpy_row *row, Py_ssize_t most, Py_ssize_t given)
{
    PyErr_Format(PyExc_TypeError, "%s() takes at most %zd positional argument%s (%zd given)", row->name, most,
                 most == 1 ? "" : "s", given);
    return false;
}

static bool take_keyword(cpy_row *row, int first, PyObject *name, PyObject *value, PyObject **a)
{
    int at = -1;
    Py_ssize_t length = PyUnicode_IS_ASCII(name) ? PyUnicode_GET_LENGTH(name) : -1;
    for (int i = first; i < row->n && at < 0; i++)
        if (row->args[i].length == length && memcmp(row->args[i].name, PyUnicode_DATA(name), (size_t)length) == 0) at = i;
    if (at < row->positional_only || at == row->variadic) {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", row->name, name);
        return false;
    }
    if (a[at]) {
        PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", row->name, name);
        return false;
    }
    a[at] = value;
    return true;
}

bool cpy_parse(cpy_row *row, PyObject *self, PyObject *const *v, Py_ssize_t n, PyObject *names, PyObject **a)
{
    int first = self != NULL;
    a[0] = self;
    for (int i = first; i < row->n; i++) a[i] = NULL;
    a[CPY_MAX_ARGS] = NULL;
    if (first + n > row->positional) {
        if (row->variadic < 0) return wrong_number(row, row->positional - first, n);
        int plain = row->variadic - first; /* arguments before *args */
        for (int i = 0; i < plain; i++) a[first + i] = v[i];
        if (n - plain == 1) { /* one item stands for itself: f(3) and f((3,)) mean the same wherever *args is used */
            a[row->variadic] = v[plain];
        } else {
            PyObject *rest = PyTuple_New(n - plain);
            if (!rest) return false;
            for (Py_ssize_t i = plain; i < n; i++) PyTuple_SET_ITEM(rest, i - plain, Py_NewRef(v[i]));
            a[row->variadic] = a[CPY_MAX_ARGS] = rest;
        }
    } else {
        for (Py_ssize_t i = 0; i < n; i++) a[first + i] = v[i];
    }
    Py_ssize_t keywords = names ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t i = 0; i < keywords; i++) {
        if (!take_keyword(row, first, PyTuple_GET_ITEM(names, i), v[n + i], a)) {
            Py_CLEAR(a[CPY_MAX_ARGS]);
            return false;
        }
    }
    for (int i = first; row->required >> i; i++) {
        if ((row->required >> i & 1) && !a[i]) {
            PyObject *missing = PyUnicode_FromStringAndSize(row->args[i].name, row->args[i].length);
            if (missing) PyErr_Format(PyExc_TypeError, "%s() missing required argument '%U' (pos %d)", row->name, missing,
                                      i + 1 - first);
            Py_XDECREF(missing);
            Py_CLEAR(a[CPY_MAX_ARGS]);
            return false;
        }
    }
    return true;
}

/* The functions of a module by name; each has the extension's module as its __self__. */
PyObject *cpy_rows_of(cpy_state *s, const char *module)
{
    PyObject *all = PyDict_New(), *name = NULL;
    if (all) name = *module ? PyUnicode_FromFormat("cuprite.%s", module) : PyUnicode_FromString("cuprite");
    if (!name) goto failed;
    for (cpy_row *row = rows; row; row = row->next) {
        if (!row->function || strcmp(row->module, module) != 0) continue;
        PyObject *f = PyCFunction_NewEx(&row->def, s->module, name);
        if (!f || PyDict_SetItemString(all, row->name, f) < 0) {
            Py_XDECREF(f);
            goto failed;
        }
        Py_DECREF(f);
    }
    const char *path = PyUnicode_AsUTF8(name);
    for (const cpy_table *t = cpy_tables; path && t->module; t++)
        for (PyMethodDef *d = strcmp(t->module, path) == 0 ? t->functions : NULL; d && d->ml_name; d++) {
            PyObject *f = PyCFunction_NewEx(d, s->module, name);
            if (!f || PyDict_SetItemString(all, d->ml_name, f) < 0) {
                Py_XDECREF(f);
                goto failed;
            }
            Py_DECREF(f);
        }
    Py_DECREF(name);
    return all;
failed:
    Py_XDECREF(name);
    Py_XDECREF(all);
    return NULL;
}

static pthread_once_t methods_once = PTHREAD_ONCE_INIT;
static PyMethodDef *methods;
static const PyMethodDef *more_methods;

static void make_methods(void)
{
    int n = 0, more = 0;
    for (cpy_row *row = rows; row; row = row->next) n += row->method != NULL;
    for (PyMethodDef *d = cpy_method_rows; d->ml_name; d++) n++;
    while (more_methods[more].ml_name) more++;
    if (!(methods = calloc((size_t)(n + more) + 1, sizeof *methods))) return;
    memcpy(methods, more_methods, (size_t)more * sizeof *methods);
    n = more;
    for (cpy_row *row = rows; row; row = row->next)
        if (row->method)
            methods[n++] = (PyMethodDef){row->name, (PyCFunction)(void (*)(void))row->method,
                                         METH_FASTCALL | METH_KEYWORDS, row->method_doc};
    for (PyMethodDef *d = cpy_method_rows; d->ml_name; d++) methods[n++] = *d;
}

/* One table for the types of all interpreters: there is nothing of Python's in it. */
PyMethodDef *cpy_methods(const PyMethodDef *more)
{
    more_methods = more;
    pthread_once(&methods_once, make_methods);
    return methods ? methods : (PyErr_NoMemory(), NULL);
}

bool cpy_int64(PyObject *o, int64_t *v)
{
    if (PyLong_CheckExact(o)) {
        *v = PyLong_AsLongLong(o);
    } else {
        PyObject *i = PyNumber_Index(o);
        if (!i) return false;
        *v = PyLong_AsLongLong(i);
        Py_DECREF(i);
    }
    return !(*v == -1 && PyErr_Occurred());
}

bool cpy_int(PyObject *o, int otherwise, int *v)
{
    *v = otherwise;
    if (!o) return true;
    int64_t wide;
    if (!cpy_int64(o, &wide)) return false;
    *v = wide > INT32_MAX ? INT32_MAX : wide <= INT32_MIN ? INT32_MIN + 1 : (int)wide;
    return true;
}

bool cpy_shape(PyObject *o, cpy_ints *shape)
{
    shape->n = 0;
    if (PyLong_Check(o) || !PySequence_Check(o) || (cpy_is_array(o) && cp_ndim(cpy_x(o)) == 0)) {
        shape->n = 1;
        return cpy_int64(o, &shape->at[0]);
    }
    PyObject *s = PySequence_Fast(o, "a shape is an integer or a sequence of integers");
    if (!s) return false;
    Py_ssize_t n = PySequence_Fast_GET_SIZE(s);
    if (n > CP_MAXDIM) {
        PyErr_Format(PyExc_ValueError, "maximum supported dimension for an ndarray is currently %d, found %zd", CP_MAXDIM, n);
        Py_DECREF(s);
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (!cpy_int64(PySequence_Fast_GET_ITEM(s, i), &shape->at[i])) {
            Py_DECREF(s);
            return false;
        }
    shape->n = (int)n;
    Py_DECREF(s);
    return true;
}

bool cpy_axes_arg(PyObject *o, cpy_axes *axes)
{
    axes->axes = CP_ALL;
    if (!cpy_given(o)) return true;
    cpy_ints v;
    if (!cpy_shape(o, &v)) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError)) PyErr_SetString(PyExc_ValueError, "axis is out of bounds");
        return false;
    }
    for (int i = 0; i < v.n; i++)
        axes->at[i] = v.at[i] > INT32_MAX ? INT32_MAX : v.at[i] <= INT32_MIN ? INT32_MIN + 1 : (int)v.at[i];
    axes->axes = (cp_axes){v.n, axes->at};
    return true;
}

bool cpy_axis_or_flat(PyObject *o, int otherwise, int *axis)
{
    if (o == Py_None) {
        *axis = CP_FLAT;
        return true;
    }
    return cpy_int(o, otherwise, axis);
}

bool cpy_bool(PyObject *o, bool otherwise, bool *v)
{
    int truth = o ? PyObject_IsTrue(o) : otherwise;
    *v = truth > 0;
    return truth >= 0;
}

bool cpy_double(PyObject *o, double otherwise, double *v)
{
    *v = o ? PyFloat_AsDouble(o) : otherwise;
    return !(*v == -1 && PyErr_Occurred());
}

bool cpy_order(PyObject *o, char otherwise, const char *allowed, char *order)
{
    *order = otherwise;
    if (!cpy_given(o)) return true;
    if (PyUnicode_Check(o) && PyUnicode_GET_LENGTH(o) == 1) {
        Py_UCS4 c = PyUnicode_READ_CHAR(o, 0);
        *order = c < 128 ? (char)toupper((int)c) : '?';
        if (strchr(allowed, *order)) return true;
    }
    PyErr_Format(PyExc_ValueError, "order must be one of the letters of '%s' (got %R)", allowed, o);
    return false;
}

bool cpy_word(PyObject *o, const char *what, const char *const *words, int otherwise, int *which)
{
    *which = otherwise;
    if (!o) return true;
    for (int i = 0; words[i]; i++)
        if (PyUnicode_Check(o) && PyUnicode_CompareWithASCIIString(o, words[i]) == 0) {
            *which = i;
            return true;
        }
    PyObject *list = PyUnicode_FromString("");
    for (int i = 0; list && words[i]; i++) {
        PyObject *longer = PyUnicode_FromFormat("%U%s'%s'", list, i ? ", " : "", words[i]);
        Py_SETREF(list, longer);
    }
    if (list) PyErr_Format(PyExc_ValueError, "%s must be one of %U (got %R)", what, list, o);
    Py_XDECREF(list);
    return false;
}

static const char *const castings[] = {"same_kind", "no", "equiv", "safe", "unsafe", NULL}; /* cp_casting's order */
const char *cpy_casting_name(cp_casting casting) { return castings[casting]; }

bool cpy_casting(PyObject *o, cp_casting otherwise, cp_casting *casting)
{
    int which;
    if (!cpy_word(cpy_given(o) ? o : NULL, "casting", castings, (int)otherwise, &which)) return false;
    *casting = (cp_casting)which;
    return true;
}

PyObject *cpy_tuple(int n, const int64_t *v)
{
    PyObject *t = PyTuple_New(n);
    for (int i = 0; t && i < n; i++) {
        PyObject *item = PyLong_FromLongLong(v[i]);
        if (!item) {
            Py_CLEAR(t);
            break;
        }
        PyTuple_SET_ITEM(t, i, item);
    }
    return t;
}
