/* The state of the module cuprite._core: one a Python interpreter.
 *
 * Everything that the extension keeps between calls and that belongs to Python stands here; nothing of it is in
 * global variables, so interpreters of one process share no object. Code that has no object at hand finds the state
 * with cpy_now(). Slots that are filled when first needed are filled by cpy_publish: whichever thread comes first. */
#ifndef CPY_STATE_H
#define CPY_STATE_H

#include <stdatomic.h>

struct cpy_array;

/* Python objects of freed arrays are kept for the next ones; without a GIL threads have caches of their own. */
#ifdef Py_GIL_DISABLED
enum { CPY_KEPT = 0 };
#else
enum { CPY_KEPT = 64 };
#endif
/* Small integers come by the million: x + 1, x * 2. */
enum { CPY_FIRST_INT = -8, CPY_LAST_INT = 64 };

typedef struct cpy_state {
    PyObject *module;                        /* borrowed: the types refer to it */
    PyTypeObject *array, *ufunc, *kernel, *kernel_module, *lazy_kernel, *loop_kernel, *fused,
                 *kernel_struct;
    PyObject *memory_error, *casting_error, *device_error, *compile_error, *driver_error,
             *synchronized_error;
    PyObject *support, *dispatch, *printing; /* cuprite._support, ._dispatch, ._printing: when first needed */
    PyObject *numpy;                         /* when first needed; set after the three types */
    PyTypeObject *numpy_array, *numpy_generic, *numpy_dtype;
    PyObject *numpy_name;                    /* "numpy": when first needed */
    PyObject *dlpack_method, *dlpack_word, *dlpack_words, *dlpack_version; /* "__dlpack__", what it may be given */
    PyObject *dtypes[CP_NTYPES], *scalar_types[CP_NTYPES];
    PyObject *element_types[CP_NTYPES];      /* of cuprite._element_types: when first needed */
    cp_array *small_ints[CPY_LAST_INT - CPY_FIRST_INT + 1];
    struct cpy_array *kept[CPY_KEPT + 1];
    int nkept;
    struct cpy_state *next;                  /* of another interpreter */
    PyInterpreterState *interpreter;
} cpy_state;

/* The only state while the process has had no more than one. */
extern cpy_state *_Atomic cpy_only;
cpy_state *cpy_find_state(void);             /* the interpreter's; NULL before and after the module's life */
static inline cpy_state *cpy_now(void)
{
    cpy_state *s = atomic_load_explicit(&cpy_only, memory_order_acquire);
    return s ? s : cpy_find_state();
}

/* A slot that another thread may fill at the same time: reading it, and filling it with a reference that is given up
 * when another was faster. The slot's content, borrowed. */
static inline PyObject *cpy_peek(PyObject **slot) { return __atomic_load_n(slot, __ATOMIC_ACQUIRE); }
static inline PyObject *cpy_publish(PyObject **slot, PyObject *value)
{
    PyObject *before = NULL;
    if (!value || __atomic_compare_exchange_n(slot, &before, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return value;
    Py_DECREF(value);
    return before;
}
/* A module that is imported when first needed, borrowed. */
PyObject *cpy_module(PyObject **slot, const char *name);

#endif
