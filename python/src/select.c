/* Selecting elements by a condition: what is more than one call; the rows stand in src/index/index.def. */
#include "index_rows.h"

PyObject *py_compress(const py_compress_args *v)
{
    cp_array *r;
    CPY_RUN(cp_size(v->a), r = cp_compress(v->condition, v->a, v->axis));
    return cpy_wrap_into(r, v->out);
}

/* A tuple of one index array an axis: the rows of cp_nonzero. */
static PyObject *nonzero_tuple(cp_array *x)
{
    cp_array *all;
    CPY_RUN(cp_size(x), all = cp_nonzero(x));
    PyObject *rows = cpy_wrap(all);
    int n = rows ? cp_ndim(x) : 0;
    PyObject *t = rows ? PyTuple_New(n) : NULL;
    for (int i = 0; t && i < n; i++) {
        PyObject *row = cpy_wrap_view(cp_slice(all, 1, &CP_AT(i)), rows);
        if (row) PyTuple_SET_ITEM(t, i, row);
        else Py_CLEAR(t);
    }
    Py_XDECREF(rows);
    return t;
}

PyObject *py_nonzero(const py_nonzero_args *v) { return nonzero_tuple(v->a); }

PyObject *py_where(const py_where_args *v)
{
    cp_array *r;
    if (!v->x) return nonzero_tuple(v->condition);
    CPY_RUN(cp_size(v->condition) > cp_size(v->x) ? cp_size(v->condition) : cp_size(v->x), r = cp_where(v->condition, v->x, v->y));
    return cpy_wrap(r);
}
