/* Arrays stacked as rows, columns and layers. */
#include "compose/compose.h"

/* Functions that add axes before joining; each returns a view. */
static cp_array *as_row(cp_array *x)
{
    return cp_ndim(x) == 0 ? cp_reshape(x, CP_SHAPE(1, 1)) : cp_ndim(x) == 1 ? cp_expand_dims(x, CP_AXES(0)) : x;
}
static cp_array *as_line(cp_array *x) { return cp_ndim(x) == 0 ? cp_reshape(x, CP_SHAPE(1)) : x; }
static cp_array *as_column(cp_array *x)
{
    return cp_ndim(x) == 0 ? cp_reshape(x, CP_SHAPE(1, 1)) : cp_ndim(x) == 1 ? cp_expand_dims(x, CP_AXES(1)) : x;
}
static cp_array *as_layer(cp_array *x)
{
    if (cp_ndim(x) == 0) return cp_reshape(x, CP_SHAPE(1, 1, 1));
    return cp_ndim(x) == 1 ? cp_expand_dims(x, CP_AXES(0, 2)) : cp_ndim(x) == 2 ? cp_expand_dims(x, CP_AXES(2)) : x;
}

/* Joined along `axis`; -1: the second, but the first of 1-d arrays. */
static cp_array *joined(const char *name, int n, cp_array *const *arrays, cp_array *(*shape)(cp_array *), int axis,
                        const cp_join_options *options)
{
    cpi_composite f;
    if (n < 1) return cpi_fail(CP_ERROR_VALUE, "%s: need at least one array to concatenate", name), NULL;
    if (cpi_null(name, arrays) || !cpi_begin(&f, name, arrays[0])) return NULL;
    cp_array **list = cpi_calloc((size_t)n, sizeof *list), *r = NULL;
    bool good = list != NULL;
    for (int i = 0; good && i < n; i++) good = !cpi_null(name, arrays[i]) && (list[i] = shape(arrays[i])) != NULL;
    if (good) r = (cp_concatenate)(n, list, axis >= 0 ? axis : cp_ndim(list[0]) > 1, options);
    cpi_free_host(list);
    return cpi_end(&f, r);
}

/*: function("vstack", "tup: arrays_like, *, dtype: dtype = None, casting: casting = 'same_kind'",
             doc="Arrays stacked vertically, along the first axis.") */
cp_array *(cp_vstack)(int n, cp_array *const *tup, const cp_vstack_options *o)
{
    cp_join_options join = {0};
    if (o) join = (cp_join_options){.typed = o->typed, .dtype = o->dtype, .casting = o->casting};
    return joined("vstack", n, tup, as_row, 0, &join);
}

/*: function("hstack", "tup: arrays_like, *, dtype: dtype = None, casting: casting = 'same_kind'",
             doc="Arrays stacked horizontally: along the second axis, the first for 1-d ones.") */
cp_array *(cp_hstack)(int n, cp_array *const *tup, const cp_hstack_options *o)
{
    cp_join_options join = {0};
    if (o) join = (cp_join_options){.typed = o->typed, .dtype = o->dtype, .casting = o->casting};
    return joined("hstack", n, tup, as_line, -1, &join);
}

/*: function("dstack", "tup: arrays_like", doc="Arrays stacked along the third axis.") */
cp_array *cp_dstack(int n, cp_array *const *tup) { return joined("dstack", n, tup, as_layer, 2, NULL); }

/*: function("column_stack", "tup: arrays", doc="1-d arrays as the columns of a 2-d one.") */
cp_array *cp_column_stack(int n, cp_array *const *tup) { return joined("column_stack", n, tup, as_column, 1, NULL); }
