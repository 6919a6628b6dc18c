/* What the files that tools/generate makes of the function rows need, and the tables they leave for the module. */
#ifndef CPY_ROWS_H
#define CPY_ROWS_H

#include "cpy.h"

#include <math.h>

/* An argument's name; ASCII, so that it is compared without an object of its own in any interpreter. */
typedef struct cpy_name { const char *text; Py_ssize_t length; } cpy_name;

typedef struct cpy_signature {
    const char *name;
    const cpy_name *words;
    int n, positional, positional_only, star; /* star: which argument is *args, or -1 */
    uint64_t required;                        /* bit i: argument i has no default */
    bool many;                                /* *args is a tuple also of one, which may be a tuple itself elsewhere */
} cpy_signature;

/* Sorts a call's arguments into o[], borrowed, NULL where one was not given. Of *args, o[n] owns the tuple. */
bool cpy_arguments(const cpy_signature *s, PyObject *const *v, Py_ssize_t n, PyObject *names, PyObject **o);

cp_array *cpy_copy_here(cp_array *x, char order); /* a copy on the current device, as CuPy's copy() makes it */

/* Is any thread inside `with plan:`? If this one is: false with an exception unless the plan is for the transform
 * cuprite.fft.NAME of these arguments: the array, lengths and axes. */
bool cpy_plans_are_in_use(void);
bool cpy_check_plan(const char *name, PyObject *const *o);

/* Does its type say, by __array__, that it is an array? Cuprite's own do, numbers and lists do not. */
bool cpy_is_array_like(PyObject *o);
/* Another library's array with a method of this name. The calls below are of such an array, with a function's
 * arguments: its method, the second argument's, and that of a copy, which is the result. */
bool cpy_has_method(PyObject *o, const char *name);
PyObject *cpy_call_method(const char *name, PyObject *const *v, Py_ssize_t n, PyObject *names);
PyObject *cpy_call_method_of_second(const char *name, PyObject *const *v, Py_ssize_t n, PyObject *names);
PyObject *cpy_call_method_of_copy(const char *name, PyObject *const *v, Py_ssize_t n, PyObject *names);

/* The functions of cuprite.NAME, or of cuprite where the name is "". */
typedef struct cpy_table { const char *name, *module; PyMethodDef *functions; } cpy_table;
extern const cpy_table cpy_tables[]; /* ends with a NULL */
extern PyMethodDef cpy_method_rows[];    /* ndarray's */

/* --- converters: false with an exception where the argument is wrong --- */
/* To be ended by cpy_drop, as all below. */
bool cpy_take_array(PyObject *o, cp_array **x);
/* an array, or what asarray makes of another library's; lists are refused */
bool cpy_take_prototype(PyObject *o, cp_array **x);
bool cpy_take_operand(PyObject *o, cp_array *near, cp_array **x);
bool cpy_take_bound(PyObject *o, cp_array *near, int sign, cp_array **x);
bool cpy_take_start(PyObject *o, cp_array *near, cp_type dtype, cp_array *out, cp_array **x);
bool cpy_take_replacement(PyObject *o, cp_array *near, cp_array **x);
bool cpy_take_array_like(PyObject *o, cp_array *near, cp_array **x);
bool cpy_take_indices(PyObject *o, cp_array *near, cp_array **x);
bool cpy_take_assigned(PyObject *o, cp_array *near, cp_array **x);
bool cpy_take_safely_assigned(PyObject *o, cp_array *near, cp_array **x);
bool cpy_take_array_like_to(cp_op op, PyObject *o, cp_array *near, cp_array **x);
bool cpy_take_number_or_array_like(PyObject *o, cp_array *near, cp_array **x);
bool cpy_take_array_or_list(PyObject *o, cp_array *near, cp_array **x);
bool cpy_take_array_or_number(PyObject *o, cp_array *near, cp_array **x);
bool cpy_take_where(PyObject *o, cp_array **x);              /* a number by its truth, None is false; NULL for True */
bool cpy_offset(PyObject *o, int64_t *v);                    /* of a diagonal: within C's int */
bool cpy_ints_arg(PyObject *o, cpy_ints *v);                 /* one or a sequence; truth values are 0 and 1 */
bool cpy_kth(PyObject *o, cp_array *x, int axis, cpy_kths *v); /* of x; a wrong axis is reported first, as in NumPy */
bool cpy_positions(PyObject *o, cpy_ints *v);
bool cpy_index_axis(PyObject *o, int *v); /* axes as NumPy's Python functions read them, by __index__ */
bool cpy_index_axis_or_flat(PyObject *o, int *axis);
bool cpy_index_axes(PyObject *o, cpy_axes *axes);
bool cpy_permutation(PyObject *o, cpy_axes *axes);
bool cpy_take_out(PyObject *o, cp_array **x, PyObject **object);
bool cpy_take_ufunc_out(PyObject *o, cp_array **x, PyObject **object);
/* What other arguments meet: the first array of these objects, to be dropped; nothing where there is none. */
typedef struct cpy_near { PyObject *o; cp_array *x; } cpy_near;
cpy_near cpy_find_array(int n, PyObject *const *o);
/* The same, else the number that an integer beyond int64 meets (cpy_find_number), which lies on no device. */
cpy_near cpy_find_operand(int n, PyObject *const *o);
bool cpy_take_arrays(PyObject *o, cpy_arrays *v);
bool cpy_take_arrays_or_numbers(PyObject *o, cpy_arrays *v);
bool cpy_take_arrays_like(PyObject *o, cpy_arrays *v); /* each is converted */
void cpy_drop_arrays(cpy_arrays *v);
int64_t cpy_sizes(const cpy_arrays *v);
bool cpy_take_axis_or_all(PyObject *o, cpy_axes *v);
bool cpy_take_bool(PyObject *o, bool *v);
bool cpy_take_copy(PyObject *o, cpy_copy *v);
bool cpy_check_bool(PyObject *o);
bool cpy_check_sort_kind(PyObject *o);
/* Whether a sort must be stable, and whether that was given at all. */
typedef enum cpy_stability { CPY_UNSAID, CPY_UNSTABLE, CPY_STABLE } cpy_stability;
bool cpy_take_stable_kind(PyObject *o, cpy_stability *v);
bool cpy_take_stable_flag(PyObject *o, cpy_stability *v);
bool cpy_check_select_kind(PyObject *o);
bool cpy_check_no_fields(PyObject *o);

static inline int64_t cpy_larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* --- results: NULL raises what the error record says --- */
PyObject *cpy_wrap_whole(cp_array *x, PyObject *o); /* o itself where it is all of o's array, else as wrap_part */
PyObject *cpy_wrap_part(cp_array *x, PyObject *o);           /* a view of o where it shares o's memory */
PyObject *cpy_wrap_rows(cp_array *made); /* a tuple of views, one an index of the first axis */
/* x alone or, where they were asked for, in a tuple before n more arrays, or numbers of those without axes; takes all
 * over. */
PyObject *cpy_wrap_more(cp_array *x, bool asked, int n, cp_array *const *more);
/* One for each of several arrays, and the list, taken over; of one `alone` it instead of a tuple. */
PyObject *cpy_wrap_each(cp_code code, cp_array **made, const cpy_arrays *of, bool alone);
PyObject *cpy_wrap_into(cp_array *x, cp_array *out);         /* converted into `out` where it was given */
PyObject *cpy_wrap_out(cp_array *x, PyObject *out);          /* `out` where it was given, else x */
PyObject *cpy_or_out(PyObject *r, PyObject *out);

#endif
