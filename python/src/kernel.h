/* What the files of the extension that know kernels share: the object of a compiled kernel, and arguments of a launch
 * made of Python's objects. */
#ifndef CPY_KERNEL_H
#define CPY_KERNEL_H

#include "cpy.h"
#include "cuprite/kernel.h"

/* A kernel of one device. */
typedef struct cpy_kernel {
    PyObject_HEAD
    vectorcallfunc call;
    cp_kernel *kernel; /* owned */
    PyObject *weak;
} cpy_kernel;

/* The value of an argument that lies nowhere else. */
typedef union cpy_by_value {
    _Alignas(16) unsigned char bytes[16];
    bool truth;
    int64_t integer;
    double real, complex[2];
    void *address;
} cpy_by_value;

enum { CPY_INLINE_ARGUMENTS = 24 };

/* The arguments of a launch. Values of more than 16 bytes are copied to memory of their own. */
typedef struct cpy_launch_arguments {
    int n;
    cp_argument *at;
    cpy_by_value *values;
    void **copies;
    PyObject *const *from;
    cp_argument inline_arguments[CPY_INLINE_ARGUMENTS];
    cpy_by_value few_values[CPY_INLINE_ARGUMENTS];
    void *few_copies[CPY_INLINE_ARGUMENTS];
} cpy_launch_arguments;

bool cpy_take_arguments(cpy_launch_arguments *g, PyObject *const *from, Py_ssize_t n);
/* Also after a failure. */
void cpy_drop_arguments(cpy_launch_arguments *g);

bool cpy_is_kernel(PyObject *o);
/* A Python number, or one of NumPy's, as a value of type t, converted as C converts; false with an exception. */
bool cpy_number_as(PyObject *o, cp_type t, cpy_by_value *value);
/* Calls `f` while `stream` is the thread's. */
PyObject *cpy_call_in(PyObject *stream, PyObject *f, PyObject *const *v, Py_ssize_t n, PyObject *names, int without);

/* The argument that a cstruct or an mdspan is; false for anything else. */
bool cpy_take_struct(PyObject *o, cp_argument *a);

bool cpy_kernels_init(cpy_state *s);
bool cpy_structs_init(cpy_state *s);
bool cpy_loops_init(cpy_state *s);
bool cpy_fusions_init(cpy_state *s);

#endif
