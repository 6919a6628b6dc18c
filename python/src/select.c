/* Selecting elements by a condition: what is more than one call; the rows stand in src/index/index.def. */
#include "index_rows.h"

PyObject *py_compress(const py_compress_args *v)
{
    cp_array *r;
    CPY_RUN(cp_size(v->a), r = cp_compress(v->condition, v->a, v->axis));
    return cpy_wrap_into(r, v->out);
}

PyObject *py_where(const py_where_args *v)
{
    cp_array *r;
    if (!v->x) {
        CPY_RUN(cp_size(v->condition), r = cp_nonzero(v->condition));
        return cpy_wrap_rows(r);
    }
    CPY_RUN(cp_size(v->condition) > cp_size(v->x) ? cp_size(v->condition) : cp_size(v->x),
            r = cp_where(v->condition, v->x, v->y));
    return cpy_wrap(r);
}
