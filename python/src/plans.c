/* `with plan:` and cuprite.fft: a transform inside such a block must match the plan.
 *
 * Invariant: while no thread is in a block, a transform costs one comparison more. */
#include "plans_rows.h"

#include <stdatomic.h>

static atomic_int blocks; /* entered and not left, of all threads and interpreters */

/*: function("plan_entered", "change: int", module="_fft", returns="none", unlock="never", like=False,
             doc="Counts a `with plan:` that is entered (1) or left (-1).") */
PyObject *py_fft_plan_entered(const py_fft_plan_entered_args *v)
{
    atomic_fetch_add(&blocks, v->change);
    Py_RETURN_NONE;
}

bool cpy_plans_are_in_use(void) { return atomic_load_explicit(&blocks, memory_order_relaxed) != 0; }

bool cpy_check_plan(const char *name, PyObject *const *o)
{
    PyObject *plans = PyImport_ImportModule("cuprite._fft_plans");
    PyObject *none[3];
    for (int i = 0; i < 3; i++) none[i] = o[i] ? o[i] : Py_None;
    PyObject *r = plans ? PyObject_CallMethod(plans, "check_current", "sOOOi", name, none[0], none[1], none[2],
                                              o[2] != NULL) : NULL;
    Py_XDECREF(plans);
    Py_XDECREF(r);
    return r != NULL;
}
