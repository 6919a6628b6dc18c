/* Archives of arrays for Python: the handle is passed as a capsule; cuprite._files is the public interface. */
#include "io_rows.h"

#include <string.h>

/*: python_module("_io", doc="The functions below cuprite.io and cuprite.load.") */

static void close_archive(PyObject *capsule)
{
    cp_archive *a = PyCapsule_GetPointer(capsule, "archive");
    CPY_RUN(0, cp_archive_close(a));
}

/*: function("archive_open", "path: string", module="_io", c="",
             doc="An archive of arrays: its handle and the names of its members.") */
PyObject *py_io_archive_open(const py_io_archive_open_args *v)
{
    cp_archive *a;
    CPY_UNLOCKED(a = cp_archive_open(v->path));
    if (!a) return cpy_raise();
    PyObject *capsule = PyCapsule_New(a, "archive", close_archive), *names = NULL;
    if (!capsule) {
        cp_archive_close(a);
        return NULL;
    }
    int n = cp_archive_count(a);
    names = PyList_New(n);
    for (int i = 0; names && i < n; i++) {
        const char *name = cp_archive_name(a, i);
        PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
        if (!text) Py_CLEAR(names);
        else PyList_SET_ITEM(names, i, text);
    }
    if (names) return Py_BuildValue("(NN)", capsule, names);
    Py_DECREF(capsule);
    return NULL;
}

/*: function("archive_load", "archive: object, i: int, max_header: int64 = 0", module="_io", c="",
             doc="The array of a member.") */
PyObject *py_io_archive_load(const py_io_archive_load_args *v)
{
    cp_archive *a = PyCapsule_GetPointer(v->archive, "archive");
    cp_array *x;
    if (!a) return NULL;
    Py_INCREF(v->archive); /* other threads may let it go */
    CPY_UNLOCKED(x = cp_archive_load(a, v->i, v->max_header));
    Py_DECREF(v->archive);
    return cpy_wrap(x);
}

/*: function("archive_save", "path: string, names: object, arrays: arrays, compressed: bool = False", module="_io",
 *c="",
             doc="Writes an archive; names are a tuple of text.") */
PyObject *py_io_archive_save(const py_io_archive_save_args *v)
{
    const int n = v->arrays.n;
    cp_code code;
    if (!PyTuple_Check(v->names) || PyTuple_GET_SIZE(v->names) != n)
        return PyErr_Format(PyExc_ValueError, "as many names as arrays");
    const char **names = PyMem_Calloc((size_t)n + 1, sizeof *names);
    if (!names) return PyErr_NoMemory();
    for (int i = 0; i < n; i++) {
        names[i] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(v->names, i));
        if (!names[i]) {
            PyMem_Free(names);
            return NULL;
        }
    }
    const cp_savez_options o = {.compressed = v->compressed};
    CPY_UNLOCKED(code = (cp_savez)(v->path, n, names, v->arrays.at, &o));
    PyMem_Free(names);
    return cpy_none(code);
}

/* --- methods of arrays --- */

static PyObject *in_python(const char *name, PyObject *args)
{
    PyObject *module = args ? PyImport_ImportModule("cuprite._files") : NULL;
    PyObject *f = module ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *r = f ? PyObject_CallObject(f, args) : NULL;
    Py_XDECREF(module);
    Py_XDECREF(f);
    Py_XDECREF(args);
    return r;
}

/*: method("tofile", "a: array, fid: object, sep: object = '', format: object = '%s'",
           doc="Writes the elements, C order, to a file or file object: their bytes, or text with `sep` between.") */
PyObject *py_tofile_method(const py_tofile_method_args *v)
{
    PyObject *sep = v->sep ? Py_NewRef(v->sep) : PyUnicode_FromString("");
    PyObject *format = v->format ? Py_NewRef(v->format) : PyUnicode_FromString("%s");
    PyObject *args = sep && format ? PyTuple_Pack(4, v->self, v->fid, sep, format) : NULL;
    Py_XDECREF(sep);
    Py_XDECREF(format);
    return in_python("tofile", args);
}

/*: method("dump", "a: array, file: object", doc="Pickles the array into a file, which cuprite.load reads.") */
PyObject *py_dump_method(const py_dump_method_args *v)
{
    return in_python("dump", PyTuple_Pack(2, v->self, v->file));
}

/*: method("dumps", "a: array", doc="The bytes of the array's pickle.") */
PyObject *py_dumps_method(const py_dumps_method_args *v) { return in_python("dumps", PyTuple_Pack(1, v->self)); }

/*: method("byteswap", "a: array, inplace: bool = False",
           doc="Each element with its bytes in the other order: a copy, or the array itself.") */
PyObject *py_byteswap_method(const py_byteswap_method_args *v)
{
    return in_python("byteswap", PyTuple_Pack(2, v->self, v->inplace ? Py_True : Py_False));
}
