/* Eigenvalues of sparse matrices with products of Python's; the row is in src/science/sparse/sparse.def. */
#include "sparse_rows.h"

/* The product of a vector: what a Python function makes of it. */
static cp_array *product_of(void *context, cp_array *x)
{
    PyThreadState *left = cpy_come_back();
    PyObject *given = cpy_wrap(cp_slice(x, 1, &CP_ELLIPSIS));
    PyObject *made = given ? PyObject_CallOneArg(context, given) : NULL;
    cp_array *y = NULL;
    Py_XDECREF(given);
    if (made && cpy_is_array(made)) y = cp_slice(cpy_x(made), 1, &CP_ELLIPSIS);
    else if (made) PyErr_SetString(PyExc_TypeError, "sparse_eigs: a product must be an array");
    Py_XDECREF(made);
    cpy_go_on(left);
    return y;
}
PyObject *py_sparse_sparse_eigs(const py_sparse_sparse_eigs_args *v)
{
    const int64_t n = cp_size(v->v0);
    const cp_sparse_map map = {n, n, cp_type_of(v->v0), product_of, NULL, v->product};
    cp_sparse_eigen_report report = {0, 0, 0};
    const cp_sparse_eigen_options o = {.k = v->k, .which = v->which, .v0 = v->v0, .ncv = v->ncv, .tol = v->tol,
                                       .maxiter = v->maxiter, .map = &map, .report = &report};
    cp_array *both[2] = {NULL, NULL};
    cp_code code;
    CPY_UNLOCKED(code = (cp_sparse_eigs)(NULL, &both[0], &both[1], &o));
    if (PyErr_Occurred()) { /* the function's own */
        cp_error_clear();
        return NULL;
    }
    PyObject *results = cpy_results(code, 2, both);
    PyObject *all = results ? Py_BuildValue("NL", results, (long long)report.iterations) : NULL;
    return all;
}
