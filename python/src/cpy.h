/* What the files of the Python extension share.
 *
 * The extension links libcuprite, calls its public functions only, and reads array records (below). NumPy is never
 * linked. It is imported when first needed (a dtype, an array for the host); its arrays are read through the buffer
 * protocol.
 *
 * Functions and methods are declared in rows (tools/generate/functions.py); a file here has the bodies of those that
 * are more than one library call, and what rows cannot express: types, operators, indexing, conversions. */
#ifndef CPY_H
#define CPY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "backend/backend.h"
#include "core/array.h"
#include "cuprite.h"
#include "state.h"
#include "type_rows.h"

/* --- other Python threads --- */

/* Lets other Python threads run while a call that may take long is made, and any call that can come to a device while
 * streams are to call functions of Python's (runtime.c): who waited for such a stream with the GIL, or for a lock that
 * a waiting thread has, would wait for ever. So every call that makes, fills, copies or ends arrays, streams, events or
 * kernels goes through one of these; those that make views and descriptions need not. */
enum { CPY_LARGE = 1 << 15 };
extern int cpy_calls_pending; /* changed atomically */
extern int cpy_locations_wanted; /* the same: while profiling is on (profile.c) */
void cpy_note_location(void);
bool cpy_has_gil(void);
extern _Thread_local PyThreadState *cpy_left; /* the state of a thread that is in such a call; NULL */
void cpy_listen_to_signals(void); /* long calls end where a handler raises (runtime.c) */
#define CPY_LONG(size) ((size) > CPY_LARGE || __atomic_load_n(&cpy_calls_pending, __ATOMIC_RELAXED))
#define CPY_RUN(size, ...)                                                                                 \
    do {                                                                                                   \
        if (CPY_LONG(size)) {                                                                              \
            if (__atomic_load_n(&cpy_locations_wanted, __ATOMIC_RELAXED)) cpy_note_location();                   \
            PyThreadState *thread_ = PyEval_SaveThread(), *outer_ = cpy_left;                              \
            cpy_left = thread_;                                                                            \
            __VA_ARGS__;                                                                                   \
            cpy_left = outer_;                                                                             \
            PyEval_RestoreThread(thread_);                                                                 \
        } else {                                                                                           \
            __VA_ARGS__;                                                                                   \
        }                                                                                                  \
    } while (0)
/* The same where the arrays belong to Python objects: n of x[], NULL for none, are held while other threads run. */
#define CPY_RUN_ON(n, x, size, ...)                                                                        \
    do {                                                                                                   \
        if (CPY_LONG(size)) {                                                                              \
            cp_array *const *x_ = (x);                                                                     \
            for (int i_ = 0; i_ < (n); i_++) cp_retain(x_[i_]);                                            \
            CPY_UNLOCKED(__VA_ARGS__; for (int i_ = 0; i_ < (n); i_++) cp_free(x_[i_]));                   \
        } else {                                                                                           \
            __VA_ARGS__;                                                                                   \
        }                                                                                                  \
    } while (0)
#define CPY_UNLOCKED(...) CPY_RUN((int64_t)CPY_LARGE + 1, __VA_ARGS__)
/* Around what a call of the library calls of Python's: the GIL is had, also where the call runs without it. */
static inline PyThreadState *cpy_come_back(void)
{
    PyThreadState *left = cpy_left;
    if (!left) return NULL;
    cpy_left = NULL;
    PyEval_RestoreThread(left);
    return left;
}
static inline void cpy_go_on(PyThreadState *left)
{
    if (left) cpy_left = PyEval_SaveThread();
}
/* The array that a call makes of few elements, or of what the caller owns. */
#define CPY_MADE(...)                                                                                      \
    __extension__({                                                                                        \
        cp_array *made_;                                                                                   \
        CPY_RUN(0, made_ = (__VA_ARGS__));                                                                 \
        made_;                                                                                             \
    })
/* What a call makes for itself (of numbers, of lists) lies where its array does: makes the device of `x` current.
 * Returns the one that was, for cpy_go_back; CP_NO_DEVICE where nothing changes: NULL, or a number. */
static inline int cpy_go_to(const cp_array *x)
{
    if (!x || x->flags & CPI_HOST_SCALAR) return CP_NO_DEVICE;
    const int before = cp_device_current();
    return before == x->device->id || before == CP_NO_DEVICE || cp_device_use(x->device->id) ? CP_NO_DEVICE : before;
}
static inline void cpy_go_back(int before)
{
    if (before != CP_NO_DEVICE) cp_device_use(before);
}
/* cp_free for callers with the GIL: the last reference frees memory, and may end a stream. */
static inline void cpy_free(cp_array *x)
{
    if (x) CPY_RUN(0, cp_free(x));
}

/* --- arrays --- */

/* Fields of the record, read as backends read them: in attributes and views such calls were a good part of the time. */
static inline cp_type cpy_type_of(const cp_array *x) { return x->type; } /* x is never NULL */
static inline int cpy_ndim(const cp_array *x) { return x ? x->ndim : 0; }
static inline int64_t cpy_size(const cp_array *x) { return x ? x->size : 0; }
static inline const int64_t *cpy_dims(const cp_array *x) { return x ? x->shape : NULL; }
static inline const int64_t *cpy_strides(const cp_array *x) { return x ? x->strides : NULL; }
static inline void *cpy_data(const cp_array *x) { return x ? x->data : NULL; }
static inline int cpy_device_of(const cp_array *x) { return x ? x->device->id : CP_CPU; }
static inline cp_array *cpy_keep(cp_array *x)
{
    return x && __atomic_load_n(&x->scope, __ATOMIC_ACQUIRE) ? cp_keep(x) : x;
}
#define cp_type_of cpy_type_of
#define cp_ndim cpy_ndim
#define cp_size cpy_size
#define cp_dims cpy_dims
#define cp_strides cpy_strides
#define cp_data cpy_data
#define cp_device_of cpy_device_of
#define cp_keep cpy_keep

extern int cpy_waits_refused; /* by any thread, ever: from then on the library is asked about each read */

/* The one element of x where it can be read at once: in the host's memory, while no stream captures or is to call a
 * function of Python's, in which nobody may wait, and no thread was forbidden to. Else NULL. */
static inline const char *cpy_at_hand(const cp_array *x)
{
    const bool free_to_read = !CPY_LONG(0) && !__atomic_load_n(&cpy_waits_refused, __ATOMIC_RELAXED);
    return x->size == 1 && x->device->backend->at_once && free_to_read ? x->data : NULL;
}

typedef struct cpy_array {
    PyObject_HEAD
    cp_array *x;        /* owned; never NULL once the object is visible */
    PyObject *base;     /* the array whose memory this one looks into, or NULL */
    PyObject *weak;
    Py_ssize_t users;   /* calls under way that use x, or what it was when they began */
    struct cpy_past *past; /* what x was before its shape was set: another thread may be using it */
} cpy_array;

/* An array's type is known by what frees it: each interpreter has a type of its own, and classes derived from it are
 * found through their bases. */
void cpy_array_dealloc(PyObject *self);
static inline bool cpy_is_array(PyObject *o)
{
    for (PyTypeObject *t = Py_TYPE(o); t; t = t->tp_base)
        if (t->tp_dealloc == cpy_array_dealloc) return true;
    return false;
}
#define cpy_x(o) (((cpy_array *)(o))->x)
/* Does the array lie on the current device? */
static inline bool cpy_is_here(PyObject *o) { return cp_device_of(cpy_x(o)) == cp_device_current(); }
PyObject *cpy_brought(PyObject *x, char order); /* x, which is given up, on the current device */
/* An array, and of no subclass; an array of a subclass, which are heap types. */
static inline bool cpy_is_plain(PyObject *o) { return Py_TYPE(o)->tp_dealloc == cpy_array_dealloc; }
static inline bool cpy_is_subclass(PyObject *o)
{
    return !cpy_is_plain(o) && (Py_TYPE(o)->tp_flags & Py_TPFLAGS_HEAPTYPE) && cpy_is_array(o);
}

/* What arguments become lives until cpy_drop, whatever other threads do to the objects meanwhile. Arrays are held in
 * their objects, which costs a call less than another reference; what is made of anything else is the call's own. */
static inline cp_array *cpy_hold(PyObject *o)
{
    ((cpy_array *)o)->users++;
    return cpy_x(o);
}
static inline void cpy_drop(PyObject *o, cp_array *x)
{
    if (!x) return;
    if (o && cpy_is_array(o)) ((cpy_array *)o)->users--;
    else cpy_free(x);
}

/* A new Python array that takes over the reference; NULL raises what the error record says. */
PyObject *cpy_wrap(cp_array *x);
/* The same for a result that may look into `base`'s memory: then `base` becomes its base. */
PyObject *cpy_wrap_view(cp_array *x, PyObject *base);
PyObject *cpy_cstruct(PyObject *array); /* structs.c */

/* --- subclass.c --- */
/* A new object of a subclass: takes over x, calls __array_finalize__(of). */
PyObject *cpy_new_of(PyTypeObject *class, cp_array *x, PyObject *base, PyObject *of);
PyObject *cpy_as(PyObject *r, PyTypeObject *class, PyObject *of); /* the same of a plain array's object, given up */
/* A new array that a call made becomes one of the class that `of` has; anything else stays what it is. */
PyObject *cpy_as_class_of(PyObject *r, PyObject *of);
static inline PyObject *cpy_like(PyObject *r, PyObject *of) { return cpy_is_plain(of) ? r : cpy_as_class_of(r, of); }
PyObject *cpy_plain(PyObject *r); /* r, or a view of it that is an ndarray; r is given up */
PyObject *cpy_subok(PyObject *r, PyObject *subok, bool otherwise, PyObject *of); /* the first or the second */
/* The operand whose class a ufunc's results have, borrowed: the subclass of the highest __array_priority__, or NULL. */
PyObject *cpy_find_subclass(int n, PyObject *const *v);
static inline bool cpy_any_subclass(int n, PyObject *const *v)
{
    for (int i = 0; i < n; i++)
        if (!cpy_is_plain(v[i]) && cpy_is_subclass(v[i])) return true;
    return false;
}
static inline PyObject *cpy_class_of(int n, PyObject *const *v)
{
    return cpy_any_subclass(n, v) ? cpy_find_subclass(n, v) : NULL;
}
/* What a ufunc made, an array or a tuple of them, as arrays of the class of `of`; NULL: as they are. */
PyObject *cpy_result_of(PyObject *r, PyObject *of);
/* Whether an operand's subclass has an __array_ufunc__ of its own: then *answer is what it said, NULL with an
 * exception. */
bool cpy_answered(PyObject *ufunc, const char *method, PyObject *args, PyObject *kw, PyObject **answer);
bool cpy_call_answered(PyObject *ufunc, PyObject *const *v, Py_ssize_t n, PyObject *names, PyObject **answer);
bool cpy_operator_answered(const char *name, PyObject *a, PyObject *b, bool into_a, PyObject **answer);

/* Raises the error record as its Python exception and clears it; always NULL. */
PyObject *cpy_raise(void);
/* Operands on several devices (gather.c). cpy_on_two_devices: whether the exception that is set says so; asked once.
 * Then cpy_gather copies the arrays among v[n], and in their lists, to one device: that of the first array where the
 * call writes into it (to_first), else the current one. False with the exception, where a device cannot read another's
 * memory. cpy_gather_end gives the call's result to what was given for it. */
typedef struct cpy_gathered { int device; Py_ssize_t n; PyObject **at, *given, *copies; } cpy_gathered;
typedef PyObject *cpy_call(PyObject *self, PyObject *const *v, Py_ssize_t n, PyObject *names);
void cpy_note_error(cp_code code);
bool cpy_on_two_devices(void);
bool cpy_gather(cpy_gathered *g, Py_ssize_t n, PyObject *const *v, bool to_first);
PyObject *cpy_gather_end(cpy_gathered *g, PyObject *r);
PyObject *cpy_call_together(cpy_call *call, PyObject *self, PyObject *const *v, Py_ssize_t n, PyObject *names,
                            bool to_first);
PyObject *cpy_method_together(PyCFunctionWithKeywords call, PyObject *o, PyObject *args, PyObject *kw,
                              bool to_first);
void cpy_raise_axis(int axis, int ndim);   /* AxisError, in place of an error that is set */
/* Gives Python the warnings of the calls that made r, and returns r; NULL, and r ended, where a filter makes one an
 * error. */
PyObject *cpy_give_warnings(PyObject *r);
static inline PyObject *cpy_warned(PyObject *r) { return cp_warnings() ? cpy_give_warnings(r) : r; }
/* One warning, before anything is written; false where it is an error. */
bool cpy_warn(cp_warning warning);
/* None for CP_OK, else raises. */
PyObject *cpy_none(cp_code code);
/* The array behind a Python array; TypeError "Unsupported type <class ...>" for anything else. */
cp_array *cpy_need(PyObject *o);
/* The same for out=: NULL and None mean no array. False on error. */
bool cpy_out(PyObject *o, cp_array **out);
/* What a tuple of one holds, as ufuncs take out=; anything else itself. Borrowed. */
PyObject *cpy_only_out(PyObject *o);
/* Makes `o` an array as cp.asarray does: a new reference, or NULL with an exception. */
PyObject *cpy_asarray(PyObject *o, cp_type type);
bool cpy_gives_array(PyObject *o); /* Has it CuPy's __cupy_get_ndarray__? */
/* Whether it is an object whose memory, a GPU's, becomes an array's (__cuda_array_interface__). */
bool cpy_lends(PyObject *o);
/* An array that an object gives or describes in one of these ways, owned; NULL, perhaps without an error. */
cp_array *cpy_lent_array(PyObject *o);
/* The same on the device of x, which it is going to meet. */
PyObject *cpy_asarray_near(PyObject *o, const cp_array *x);
/* The same for a value that is to be written into x: numbers and lists become x's type, or are refused. */
PyObject *cpy_value_near(PyObject *o, const cp_array *x);
cp_array *cpy_value(PyObject *o, const cp_array *x); /* the same, owned */
/* The same for one element, of what is no array of ours and no number: NumPy packs it, and refuses sequences. Owned. */
cp_array *cpy_packed(PyObject *o, const cp_array *x);
/* `o`, or the number in a 0-d NumPy array; a new reference. */
PyObject *cpy_number_in(PyObject *o);

/* --- reading arguments: each returns false with an exception set when the argument is wrong --- */
typedef struct cpy_ints { int n; int64_t at[CP_MAXDIM]; } cpy_ints;
typedef struct cpy_kths { int n; int64_t *at; } cpy_kths; /* PyMem_Free ends it */
typedef struct cpy_axes { cp_axes axes; int at[CP_MAXDIM]; } cpy_axes;
typedef struct cpy_arrays { int n; cp_array **at; PyObject *held; } cpy_arrays; /* a sequence of arrays */
typedef struct cpy_position { bool moved; int before; } cpy_position;
typedef enum cpy_copy { CPY_COPY_IF_NEEDED, CPY_COPY_ALWAYS, CPY_COPY_NEVER } cpy_copy; /* copy=None, True, False */
/* device=: makes it current until cpy_leave. */
bool cpy_enter(PyObject *device, cpy_position *p);
void cpy_leave(const cpy_position *p);
bool cpy_int64(PyObject *o, int64_t *v);                         /* anything with __index__ */
bool cpy_int(PyObject *o, int *v);                               /* a C int, OverflowError for more */
bool cpy_clamped_int(PyObject *o, int *v);                       /* the nearest one */
bool cpy_clamped_int64(PyObject *o, int64_t *v);
bool cpy_count(PyObject *o, int64_t *v);                         /* of elements: ValueError for too many */
/* As NumPy's C functions read them: no truth values, ValueError for what does not fit. */
bool cpy_extent(PyObject *o, int64_t *v);
bool cpy_shape(PyObject *o, cpy_ints *shape);                    /* an integer or a sequence of them */
enum { CPY_OWN_SHAPE = -2 };                                     /* None: the number of axes is the array's own */
bool cpy_new_shape(PyObject *o, cpy_ints *shape);                /* or None */
bool cpy_choice(PyObject *o, int *v);                            /* 1 or -1: true or not */
bool cpy_length(PyObject *o, int64_t *v);                        /* of a transform: at least 1 */
bool cpy_lengths(PyObject *o, cpy_ints *v);                      /* of several; None leaves n as it is */
bool cpy_last_axis(PyObject *o, cpy_axes *axes);                 /* one integer */
bool cpy_plane_axes(PyObject *o, cpy_axes *axes);                /* None: n -1, all axes */
bool cpy_axis(PyObject *o, int *v);
bool cpy_axis_or_flat(PyObject *o, int *axis);                   /* None: CP_FLAT */
bool cpy_axes_arg(PyObject *o, PyObject *x, cpy_axes *axes);     /* of x. NULL, None: all; integer; tuple */
bool cpy_known_axes(PyObject *o, PyObject *x, PyObject *where, cpy_axes *axes); /* where integers are counted */
bool cpy_counted_axes(PyObject *o, PyObject *x, PyObject *where, cpy_axes *axes); /* OverflowError beyond a C int */
bool cpy_keepdims(PyObject *o, bool *v);                         /* an integer's truth */
bool cpy_bool(PyObject *o, bool otherwise, bool *v);
bool cpy_double(PyObject *o, double otherwise, double *v);
bool cpy_order(PyObject *o, char otherwise, const char *allowed, char *order);
bool cpy_casting(PyObject *o, cp_casting otherwise, cp_casting *casting);
const char *cpy_casting_name(cp_casting casting);
bool cpy_can_cast(const cp_array *x, cp_type t, cp_casting rule); /* else a TypeError */
bool cpy_is_word(PyObject *o, const char *what);
bool cpy_word(PyObject *o, const char *what, const char *const *words, int otherwise, int *which);
/* A new array of cp_empty, cp_zeros or cp_ones in C or Fortran order. */
typedef cp_array *(*cpy_maker)(cp_shape shape, cp_type type);
cp_array *cpy_make(cpy_maker f, cp_shape shape, cp_type t, char order);
/* x's axes as they lie in memory, the slowest first: what order 'K' means. Those without a stride are the fastest, or
 * stay where they are. */
void cpy_axes_in_memory(const cp_array *x, int *axes);
int64_t cpy_shape_size(cp_shape shape); /* elements; 0 where they are too many */
PyObject *cpy_results(cp_code code, int n, cp_array *const *x); /* a tuple of arrays, which it takes over */
static inline cp_shape cpy_shape_of(const cpy_ints *s) { return (cp_shape){s->n, s->at}; }
static inline cp_shape cpy_lengths_of(const cpy_ints *s) { return s->n < 0 ? CP_SHAPE0 : cpy_shape_of(s); }
/* None: no shape */
static inline cp_shape cpy_size_of(const cpy_ints *s)
{
    return (cp_shape){s->n < 0 ? 0 : s->n, s->n < 0 ? NULL : s->at};
}
static inline bool cpy_given(PyObject *o) { return o && o != Py_None; }
PyObject *cpy_tuple(int n, const int64_t *v);

/* --- types --- */
PyObject *cpy_numpy(void);                       /* the module, borrowed; imports it */
PyObject *cpy_numpy_call(const char *name, PyObject *argument);   /* numpy.name(argument), new reference */
/* The type of that name whose dtype is another package's; CP_DEFAULT: none. */
cp_type cpy_foreign_type(PyObject *name);
PyObject *cpy_dtype(cp_type t);                  /* numpy.dtype, borrowed; NULL with an exception */
bool cpy_known_type(PyObject *o, cp_type *t);    /* of an array, or of a dtype that was asked for before */
bool cpy_type(PyObject *o, cp_type otherwise, cp_type *t); /* whatever NumPy takes as a dtype; NULL, None: otherwise */
PyTypeObject *cpy_numpy_array(void);             /* numpy.ndarray, numpy.generic: NULL until NumPy is imported */
PyTypeObject *cpy_numpy_generic(void);
bool cpy_is_numpy_array(PyObject *o);
/* PEP 3118; CP_DEFAULT: no such type */
cp_type cpy_format_type(const char *format, Py_ssize_t itemsize, bool *swapped);

/* --- scalars --- */
bool cpy_is_generic(PyObject *o);  /* a scalar of NumPy's */
/* True for Python's numbers and for those of NumPy's that have a type of ours. */
bool cpy_is_scalar(PyObject *o);
/* Text, bytes, and NumPy's scalars of no type of ours: NumPy makes numbers of them, or refuses. */
bool cpy_is_string(PyObject *o);
/* A host scalar from one: Python's are weak, NumPy's typed. `partner` is the operand it meets (or NULL)
 * and `op` the operation it is for (or CPY_NO_OP): they decide what becomes of integers beyond int64. NULL without an
 * exception when `o` is no scalar. */
enum { CPY_NO_OP = -1 };
cp_array *cpy_scalar(PyObject *o, const cp_array *partner, int op);
/* What an integer beyond int64 meets where there is no array: a NumPy scalar, else a Python number; NULL without such
 * an integer. Owned. */
cp_array *cpy_find_number(int n, PyObject *const *o);
/* The array of a small Python integer, borrowed; NULL for anything else. */
cp_array *cpy_small_int(PyObject *o);
/* An operand: an array or a scalar; *owned says whether the caller frees it. NULL with an exception. */
cp_array *cpy_operand(PyObject *o, const cp_array *partner, int op, bool *owned);
/* The operation on n arrays; of large ones other threads run meanwhile. */
cp_array *cpy_elementwise(cp_op op, int n, cp_array *const *in);
/* int64, uint64 or neither (CP_DEFAULT), as NumPy takes an integer without a type. */
cp_type cpy_type_of_integer(PyObject *o);
/* Writes one number as type t with the checks that NumPy makes. Not for half types. */
bool cpy_store(cp_type t, PyObject *o, void *p);
/* The value of an element as a Python number. */
PyObject *cpy_load(cp_type t, const void *p);
/* A 0-d host scalar of type t for filling and assigning. */
cp_array *cpy_scalar_as(PyObject *o, cp_type t);
/* A 0-d host scalar that is to be converted to type t under a casting rule, as copyto does. */
cp_array *cpy_scalar_cast(PyObject *o, cp_type t, cp_casting rule);
/* Before complex values become real ones: NumPy's ComplexWarning. False when that is an error. */
bool cpy_may_discard(cp_type from, cp_type to);

/* --- the module's life --- */
bool cpy_array_init(cpy_state *s);
bool cpy_ufuncs_init(cpy_state *s);
bool cpy_fused_init(cpy_state *s);
bool cpy_host_bytes_init(cpy_state *s);

/* --- runtime.c --- */
/* A Python object that C keeps, and the interpreter that it belongs to. It may be freed on any thread, where no Python
 * runs or another interpreter's does. */
typedef struct cpy_owner { PyObject *object; PyInterpreterState *interpreter; } cpy_owner;
cpy_owner *cpy_owner_new(PyObject *object); /* NULL with an exception */
void cpy_owner_free(void *owner);

bool cpy_scalars_init(cpy_state *s);
void cpy_state_enter(cpy_state *s);
int cpy_state_traverse(PyObject *module, visitproc visit, void *arg);
int cpy_state_clear(PyObject *module);
void cpy_state_free(void *module);

/* --- files of the extension that others call --- */
extern const PyType_Slot cpy_number_slots[]; /* up to one of 0 */
PyObject *cpy_compare(PyObject *a, PyObject *b, int how);
PyObject *cpy_getitem(PyObject *self, PyObject *key);
int cpy_setitem(PyObject *self, PyObject *key, PyObject *value);
PyObject *cpy_get(PyObject *self, char order, PyObject *out);     /* a NumPy array */
char cpy_host_order(const cp_array *x, char order);               /* 'C' or 'F' for 'A' and 'K' too */
PyObject *cpy_bytes(cp_array *x, char order);                     /* the elements, C or Fortran order */
bool cpy_wait_for(PyObject *stream); /* what it has to do may be about an array that is read */
PyObject *cpy_item(cp_array *x);                                  /* of an array with one element */

#endif
