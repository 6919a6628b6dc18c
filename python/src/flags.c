/* x.setflags(): whether an array may be written to. What x.flags shows is python/cuprite/_support.py's Flags. */
#include "flags_rows.h"

/* NumPy's rule: an array with memory of its own may become writable, a view where the array that it looks into is. */
static bool may_be_written(cpy_array *o)
{
    return !o->base || !cpy_is_array(o->base) || cp_is_writable(cpy_x(o->base));
}

static bool truth_of(PyObject *o, int *truth) { return (*truth = PyObject_IsTrue(o)) >= 0; }

/*: method("setflags", "a: array, write: object = None, align: object = None, uic: object = None",
           doc="""Whether the array may be written to (`write`); views made from now on have that too. `align` and `uic`
are NumPy's and change nothing: how elements lie is what it is, and nothing is written back.""") */
PyObject *py_setflags_method(const py_setflags_method_args *v)
{
    int write, align = 1, uic = 0;
    if (cpy_given(v->align) && !truth_of(v->align, &align)) return NULL;
    if (cpy_given(v->uic) && !truth_of(v->uic, &uic)) return NULL;
    if (uic) return PyErr_Format(PyExc_ValueError, "cannot set WRITEBACKIFCOPY flag to True");
    if (!cpy_given(v->write)) Py_RETURN_NONE;
    if (!truth_of(v->write, &write)) return NULL;
    if (write && !may_be_written((cpy_array *)v->self))
        return PyErr_Format(PyExc_ValueError, "cannot set WRITEABLE flag to True of this array");
    return cpy_none(cp_set_writable(v->a, write));
}
