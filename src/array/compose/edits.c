/* Deleting and inserting elements along an axis, by their indices: arrays of integers, negative ones from the end, or
 * masks. */
#include "compose/compose.h"

/* The flattened array for CP_FLAT; the axis counts from 0. */
static cp_array *lines_of(const char *name, cp_array *arr, int *axis)
{
    cp_array *x = *axis == CP_FLAT ? cp_ravel(arr) : arr;
    if (*axis == CP_FLAT) *axis = 0;
    return !x || cpi_axis(name, axis, cp_ndim(x)) ? NULL : x;
}

static bool is_whole(const cp_array *x)
{
    const char kind = cp_type_kind(cp_type_of(x));
    return kind == 'i' || kind == 'u';
}

static bool are_indices(const char *name, const cp_array *x)
{
    return is_whole(x) || !cpi_fail(CP_ERROR_INDEX, "%s: arrays used as indices must be of integer (or boolean) type",
                                    name);
}

/* A single index on the host, from 0 to n or n - 1; false with an error. */
static bool one_index(const char *name, cp_array *obj, int axis, int64_t n, bool end, int64_t *position)
{
    cp_array *one = cp_ndim(obj) ? cp_reshape(obj, CP_SHAPE0) : obj;
    *position = one ? cp_item_int(one) : 0;
    if (!one || cp_error() != CP_OK) return false;
    if (*position < -n || *position >= n + end)
        return !cpi_fail(CP_ERROR_INDEX, "%s: index %lld is out of bounds for axis %d with size %lld", name,
                         (long long)*position, axis, (long long)n);
    if (*position < 0) *position += n;
    return true;
}

static cp_array *join(cp_array *a, cp_array *b, cp_array *c, int axis)
{
    return a && b && c ? cp_concatenate(3, ((cp_array *[]){a, b, c}), axis) : NULL;
}

/* --- delete --- */
static cp_array *without_one(cp_array *x, cp_array *obj, int axis)
{
    int64_t at, n = cp_dim(x, axis);
    if (!one_index("delete", obj, axis, n, false, &at)) return NULL;
    cp_array *a = cpi_range(x, axis, 0, at), *b = cpi_range(x, axis, at + 1, n);
    return a && b ? cp_concatenate(2, ((cp_array *[]){a, b}), axis) : NULL;
}

/* The mask of the indices that stay. */
static cp_array *kept(cp_array *obj, int64_t n)
{
    if (cp_type_of(obj) == CP_BOOL) {
        if (cp_ndim(obj) == 1 && cp_size(obj) == n) return cp_logical_not(obj);
        return cpi_fail(CP_ERROR_VALUE, "delete: boolean array argument obj to delete must be one dimensional and "
                        "match the axis length of %lld", (long long)n), NULL;
    }
    cp_array *keep = are_indices("delete", obj) ? cp_ones(CP_SHAPE(n), CP_BOOL) : NULL;
    return keep && cp_index_set(keep, 1, &CP_BY(obj), cp_int(0)) == CP_OK ? keep : NULL;
}

/*: python_module("_places", doc="cuprite.delete and cuprite.insert in C.") */
/*: function("delete", "arr: array, obj: number_or_array_like, axis: axis_or_flat = None", module="_places",
             like=True, unlock="always",
             doc="""A copy without the elements `obj` (an index, indices or a mask) of an axis; None: of the flattened
array. Waits for the device, to count what stays.""") */
cp_array *cp_delete(cp_array *arr, cp_array *obj, int axis)
{
    cpi_composite f;
    if (!cpi_begin(&f, "delete", arr)) return NULL;
    cp_array *x = cpi_null("delete", obj) ? NULL : lines_of("delete", arr, &axis);
    if (!x) return cpi_end(&f, NULL);
    if (cp_size(obj) == 1 && is_whole(obj)) return cpi_end(&f, without_one(x, obj, axis));
    cp_array *keep = kept(obj, cp_dim(x, axis));
    return cpi_end(&f, keep ? cp_compress(keep, x, axis) : NULL);
}

/* --- insert --- */

/* x's shape with another length along an axis. */
static cp_shape shape_with(const cp_array *x, int axis, int64_t extent, int64_t *shape)
{
    for (int i = 0; i < cp_ndim(x); i++) shape[i] = i == axis ? extent : cp_dims(x)[i];
    return (cp_shape){cp_ndim(x), shape};
}

/* At least as many axes as x has, without surplus leading axes of length 1: values as an assignment reads them. */
static cp_array *with_axes_of(cp_array *values, const cp_array *x)
{
    while (values && cp_ndim(values) > cp_ndim(x) && cp_dim(values, 0) == 1)
        values = cp_slice(values, 1, &CP_AT(0));
    if (!values || cp_ndim(values) >= cp_ndim(x)) return values;
    int64_t shape[CP_MAXDIM];
    const int more = cp_ndim(x) - cp_ndim(values);
    for (int i = 0; i < cp_ndim(x); i++) shape[i] = i < more ? 1 : cp_dims(values)[i - more];
    return cp_reshape(values, (cp_shape){cp_ndim(x), shape});
}

/* Inserts all the values before a single index. With a 0-d index they lie beside the axis, as in x[:, 0, :] =
 * values. */
static cp_array *with_some(cp_array *x, cp_array *obj, cp_array *values, int axis)
{
    int64_t at, n = cp_dim(x, axis), shape[CP_MAXDIM];
    if (!one_index("insert", obj, axis, n, true, &at)) return NULL;
    values = cp_ndim(values) < cp_ndim(x) ? with_axes_of(values, x) : values;
    if (values && !cp_ndim(obj)) values = cp_moveaxis(values, CP_AXES(0), CP_AXES(axis));
    if (!values) return NULL;
    const int64_t more = cp_dim(values, axis);
    values = with_axes_of(values, x);
    values = values ? cp_broadcast_to(values, shape_with(x, axis, more, shape)) : NULL;
    return join(cpi_range(x, axis, 0, at), values, cpi_range(x, axis, at, n), axis);
}

/* r[..., indices, ...] = values along an axis. */
static cp_code put_along(cp_array *r, int axis, cp_array *indices, cp_array *values)
{
    cp_index items[CP_MAXDIM];
    if (!indices || !values) return cp_error();
    for (int i = 0; i < axis; i++) items[i] = CP_FULL;
    items[axis] = CP_BY(indices);
    return cp_index_set(r, axis + 1, items, values);
}

/* Non-negative indices, relative to the axis before insertion. */
static cp_array *counted(cp_array *obj, int64_t n)
{
    cp_array *p = cp_astype(obj, CP_INT64), *wrapped = p ? cp_add(p, cp_int(n)) : NULL;
    return wrapped ? cp_where(cp_less(p, cp_int(0)), wrapped, p) : NULL;
}

/* IndexError for indices beyond the result comes before the error of values that do not fit, as in NumPy. */
static bool are_inside(cp_array *to, int64_t n)
{
    cp_array *all = cp_empty(CP_SHAPE(n), CP_BOOL);
    return all && cp_index_set(all, 1, &CP_BY(to), cp_int(0)) == CP_OK;
}

/* Inserts one value before each of several indices. The k-th index in order moves by k; an element of x by the number
 * of indices at or before it. */
static cp_array *with_each(cp_array *x, cp_array *obj, cp_array *values, int axis)
{
    const int64_t n = cp_dim(x, axis), m = cp_size(obj);
    int64_t shape[CP_MAXDIM];
    cp_array *p = counted(obj, n), *order = p ? cp_argsort(p, 0) : NULL;
    cp_array *sorted = order ? cp_index_get(p, 1, &CP_BY(order)) : NULL, *k = cp_arange_int(0, m, 1, CP_INT64);
    cp_array *i = cp_arange_int(0, n, 1, CP_INT64), *to = sorted ? cp_empty_like(p, CP_DEFAULT) : NULL;
    if (!to || !k || cp_index_set(to, 1, &CP_BY(order), cp_add(sorted, k))) return NULL;
    to = cp_where(cp_less(to, cp_int(0)), cp_subtract(to, cp_int(n + m)), to); /* below -n: never from the end */
    if (!to) return NULL;
    cp_array *r = are_inside(to, n + m) ? cp_empty(shape_with(x, axis, n + m, shape), cp_type_of(x)) : NULL;
    if (!r || !(values = with_axes_of(values, x)) || put_along(r, axis, to, values)) return NULL;
    cp_array *own = cp_add(i, cp_searchsorted(sorted, i, .side = CP_SIDE_RIGHT));
    return put_along(r, axis, own, x) ? NULL : r;
}

/*: function("insert", "arr: array, obj: number_or_array_like, values: array_like, axis: axis_or_flat = None",
             module="_places", like=True, unlock="always",
             doc="""A copy with values inserted before the indices `obj` (an index, indices or a mask) of an axis; None:
of the flattened array. Before a single index all the values along the axis are inserted.""") */
cp_array *cp_insert(cp_array *arr, cp_array *obj, cp_array *values, int axis)
{
    cpi_composite f;
    if (!cpi_begin(&f, "insert", arr)) return NULL;
    cp_array *x = cpi_null("insert", obj) || cpi_null("insert", values) ? NULL : lines_of("insert", arr, &axis);
    if (x && cp_type_of(obj) == CP_BOOL) {
        if (cp_ndim(obj) != 1)
            return cpi_fail(CP_ERROR_VALUE, "insert: boolean array argument obj to insert must be one dimensional"),
                   cpi_end(&f, NULL);
        obj = cp_flatnonzero(obj);
    } else if (x && cp_ndim(obj) > 1) {
        return cpi_fail(CP_ERROR_VALUE, "insert: index array argument obj to insert must be one dimensional or scalar"),
               cpi_end(&f, NULL);
    }
    if (x && obj && cp_size(obj) == 1 && !is_whole(obj))
        cpi_fail(CP_ERROR_TYPE, "insert: slice indices must be integers or None or have an __index__ method");
    else if (x && obj) are_indices("insert", obj);
    if (!x || !obj || !is_whole(obj)) return cpi_end(&f, NULL);
    if (cp_type_kind(cp_type_of(values)) == 'c' && cp_type_kind(cp_type_of(x)) != 'c') cpi_warn(CP_WARNING_COMPLEX);
    if (cp_type_of(values) != cp_type_of(x)) values = cp_astype(values, cp_type_of(x));
    if (!values) return cpi_end(&f, NULL);
    return cpi_end(&f, (cp_size(obj) == 1 ? with_some : with_each)(x, obj, values, axis));
}

/* --- trim_zeros --- */

/* The first index and the end of the elements that are not 0, along each axis; 0 and 0 where there are none. */
static cp_code ends_of(cp_array *x, int64_t *first, int64_t *end)
{
    cp_array *indices = cp_argwhere(x);
    const size_t bytes = (size_t)cp_ndim(x) * sizeof(int64_t);
    for (int i = 0; i < cp_ndim(x); i++) first[i] = end[i] = 0;
    if (!indices) return cp_error();
    if (!cp_size(indices)) return CP_OK;
    cp_array *low = cp_min(indices, .axis = CP_AXES(0)), *high = low ? cp_max(indices, .axis = CP_AXES(0)) : NULL;
    if (!high || cp_to_host(low, first, bytes) || cp_to_host(high, end, bytes)) return cp_error();
    for (int i = 0; i < cp_ndim(x); i++) end[i]++;
    return CP_OK;
}

/*: function("trim_zeros", "filt: array, front: bool = True, back: bool = True, axis: index_axes = None",
             module="_places", returns="view", like=True, unlock="always",
             doc="""A view without the zeros at the front, the back or both of its axes (None: all). Waits for the
device, to find them.""") */
cp_array *(cp_trim_zeros)(cp_array *filt, bool front, bool back, const cp_trim_zeros_options *options)
{
    const cp_trim_zeros_options *o = CPI_GIVEN(cp_trim_zeros_options, options);
    int64_t first[CP_MAXDIM], end[CP_MAXDIM];
    cpi_composite f;
    if (!cpi_begin(&f, "trim_zeros", filt)) return NULL;
    const int n = o->axis.at ? o->axis.n : cp_ndim(filt);
    cp_index items[CP_MAXDIM];
    for (int i = 0; i < cp_ndim(filt); i++) items[i] = CP_FULL;
    if (n && ends_of(filt, first, end)) return cpi_end(&f, NULL);
    for (int i = 0; i < n; i++) {
        int a = o->axis.at ? o->axis.at[i] : i;
        if (cpi_axis("trim_zeros", &a, cp_ndim(filt))) return cpi_end(&f, NULL);
        const bool none = !end[a];
        items[a] = CP_RANGE(front || none ? first[a] : 0, back || none ? end[a] : cp_dim(filt, a));
    }
    return cpi_end(&f, cp_slice(filt, cp_ndim(filt), items));
}
