/* Declarations shared by the files of ufunc objects. */
#ifndef CPY_UFUNC_H
#define CPY_UFUNC_H

#include "rows.h"

typedef struct cpy_ufunc {
    PyObject_HEAD
    vectorcallfunc call;
    cp_op op;
    cp_op_info info;
} ufunc;

enum { MOST_INPUTS = 5, MOST_OUTPUTS = 4 };

/* The section `Example:` of a ufunc's docstring, "" where there is none (tools/generate/examples.py). */
const char *cpy_example_of(const char *name);
/* After a call that failed: where the exception is a TypeError and an argument's class has
 * __cupy_override_elementwise_kernel__, as CuPy's distributed arrays do, what that returns; else NULL. */
PyObject *cpy_overridden(PyObject *callable, PyObject *const *v, Py_ssize_t n, PyObject *names);
PyObject *cpy_ufunc_reduce(PyObject *o, PyObject *args, PyObject *kw);
PyObject *cpy_ufunc_accumulate(PyObject *o, PyObject *args, PyObject *kw);
PyObject *cpy_ufunc_reduceat(PyObject *o, PyObject *args, PyObject *kw);
PyObject *cpy_ufunc_outer(PyObject *o, PyObject *args, PyObject *kw);
PyObject *cpy_ufunc_at(PyObject *o, PyObject *args);
/* The types of a loop that computes in t; orders and parameters before a complex argument are real. False: none. */
bool cpy_ufunc_loop(const ufunc *f, cp_type t, cp_type *in, cp_type *loop, cp_type *out);
/* signature=: the inputs become those of the loop asked for, under the casting rule; false with an exception. */
bool cpy_ufunc_signed(const ufunc *self, PyObject *signature, PyObject *const *v, cp_ufunc_options *options,
                      cp_array **in, bool *own);

#endif
