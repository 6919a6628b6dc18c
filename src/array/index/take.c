/* take, put and their like: elements by integers, as cpi_indexing records (indexing.h). Invariant: NumPy's casting:
 * indices are integers or booleans, values that are put are cast to the array's type. */
#include <string.h>

#include "backend/array.h"
#include "cuprite/elementwise.h"
#include "index/indexing.h"

static const cpi_index_mode modes[] = {CPI_INDEX_RAISE, CPI_INDEX_WRAP, CPI_INDEX_CLIP};

/*: python_module("_indexing", doc="Implements cuprite's functions of indices.") */
/*: words("index_mode", "raise wrap clip", c="cp_index_mode", strings_only=True) */
static cp_code check_mode(const char *name, cp_index_mode mode)
{
    return (unsigned)mode <= CP_INDEX_CLIP ? CP_OK : cpi_fail(CP_ERROR_VALUE, "%s: mode %d is none", name, (int)mode);
}

/* Indices as integers: booleans count as 0 and 1. The caller owns the reference. */
static cp_array *integers(const char *name, cp_array *indices, cp_casting rule)
{
    if (indices->type == CP_BOOL) return cp_astype(indices, CP_INT64);
    return cpi_check_cast(name, CPI_DATA, indices->type, CP_INT64, rule) ? NULL : cp_retain(indices);
}

/* A Python number must be a value of its target type. */
static cp_code check_number(const char *name, const cp_array *v, cp_type type)
{
    _Alignas(16) unsigned char value[16];
    bool whole = v->flags & CPI_WEAK && !cpi_is_float(v->type) && !cpi_is_complex(v->type);
    return whole ? cpi_value_as(name, v, type, value) : CP_OK;
}

/* Are there elements along the other axes? */
static bool has_others(const cp_array *x, int axis)
{
    bool others = true;
    for (int i = 0; i < x->ndim; i++) others &= i == axis || x->shape[i];
    return others;
}

/*: function("take", "a: array, indices: indices, axis: axis_or_flat = None, out: out = None, "
                     "mode: index_mode = 'raise'", method=True,
             doc="""The elements at the indices along an axis (None: of the flattened array); the axes of `indices`
replace it. mode: out-of-bounds indices raise IndexError, wrap around, or are clipped.""") */
cp_array *(cp_take)(cp_array *a, cp_array *indices, int axis, const cp_take_options *options)
{
    const cp_take_options *o = CPI_GIVEN(cp_take_options, options);
    if (cpi_null("take", a) || cpi_null("take", indices) || check_mode("take", o->mode)) return NULL;
    if (a->ndim == 0 && (axis == 0 || axis == -1)) axis = CP_FLAT; /* as NumPy */
    if (cpi_axis_or_flat("take", &axis, a->ndim)) return NULL;
    if (o->out && cpi_check_cast("take", CPI_DATA, o->out->type, a->type, CP_SAFE)) return NULL; /* as NumPy */
    cp_array *plain;
    if (!o->out && axis <= 0 && cpi_plain_get("take", a, indices, axis == CP_FLAT, modes[o->mode], &plain))
        return plain;
    cp_array *at = integers("take", indices, CP_SAME_KIND), *r = NULL;
    cp_array *base = axis == CP_FLAT ? cp_ravel(a) : cp_retain(a);
    cp_array *all[3] = {a, at, o->out};
    cpi_indexing p;
    if (axis == CP_FLAT) axis = 0;
    if (at && base && at->size && !base->shape[axis] && has_others(base, axis))
        cpi_fail(CP_ERROR_INDEX, "take: cannot do a non-empty take from an empty axes.");
    else if (at && base) {
        cp_code code = cpi_indexing_open(&p, "take", base, cpi_common_device("take", 3, all));
        p.at = axis, p.careless = o->mode != CP_INDEX_RAISE && !base->shape[axis];
        for (int i = 0; i < axis; i++) p.careless |= !base->shape[i];
        if (!code && !cpi_indexing_add(&p, at, axis, axis, modes[o->mode]))
            r = cpi_indexing_get(&p, o->out, CP_UNSAFE);
        cpi_indexing_close(&p);
    }
    cp_free(at), cp_free(base);
    return r;
}

cp_array *cpi_cycled(const char *name, cp_array *v, int64_t n, cpi_device *device)
{
    if (v->size == 1) return cp_reshape(v, CP_SHAPE(1));
    cp_array *flat = cp_ravel(v), *r = NULL, *count;
    if (!flat || flat->size == n) return flat;
    if (flat->size > n) {
        r = cp_slice(flat, 1, &CP_RANGE(0, n));
    } else if ((count = cpi_counting(name, device, n))) {
        r = cp_take(flat, count, 0, .mode = CP_INDEX_WRAP);
        cp_free(count);
    }
    cp_free(flat);
    return r;
}

/* x's elements as a line: x's own memory, or a copy that unflatten assigns back. */
typedef struct flattened { cp_array *x, *flat; } flattened;
static cp_code flatten(flattened *f, const char *name, cp_array *x)
{
    f->x = x;
    f->flat = cpi_check_writable(name, x) ? NULL : cp_ravel(x);
    return f->flat ? CP_OK : cp_error();
}
static cp_code unflatten(const flattened *f, cp_code code)
{
    if (!code && f->flat->data != f->x->data) {
        cp_array *shaped = cp_reshape(f->flat, (cp_shape){f->x->ndim, f->x->shape});
        code = shaped ? cp_assign(f->x, shaped) : cp_error();
        cp_free(shaped);
    }
    cp_free(f->flat);
    return code;
}

/*: function("put", "a: array, ind: indices, v: assigned, mode: index_mode = 'raise'",
             returns="none",
             doc="""Writes v to the flattened array at the indices; v is repeated as necessary. Of several values for
one element the last one stays.""") */
/*: method("put", "a: array, indices: indices, values: assigned, mode: index_mode = 'raise'",
           call="cp_put(a, indices, values, .mode = mode)", returns="none",
           doc="""Writes the values to the flattened array at the indices; they are repeated as necessary. Of several
values for one element the last one stays.""") */
cp_code (cp_put)(cp_array *a, cp_array *ind, cp_array *v, const cp_put_options *options)
{
    const cp_put_options *o = CPI_GIVEN(cp_put_options, options);
    flattened f = {0};
    if (cpi_null("put", a) || cpi_null("put", ind) || cpi_null("put", v) || check_mode("put", o->mode) ||
        check_number("put", v, a->type))
        return cp_error();
    cp_code done;
    if (cpi_plain_set("put", a, ind, v, true, modes[o->mode], &done)) return done;
    cp_array *all[3] = {a, ind, v}, *values = NULL;
    cp_array *at = integers("put", ind, CP_SAFE), *line = at ? cp_ravel(at) : NULL;
    cpi_device *device = line ? cpi_common_device("put", 3, all) : NULL;
    cp_code code = device ? flatten(&f, "put", a) : cp_error();
    if (!code && line->size && !a->size)
        code = cpi_fail(CP_ERROR_INDEX, "put: cannot replace elements of an empty array");
    if (!code && line->size && v->size) {
        cpi_indexing p;
        if (!(values = cpi_cycled("put", v, line->size, device))) code = cp_error();
        if (!code) {
            code = cpi_indexing_open(&p, "put", f.flat, device);
            if (!code) code = cpi_indexing_add(&p, line, 0, 0, modes[o->mode]);
            if (!code) code = cpi_indexing_set(&p, values);
            cpi_indexing_close(&p);
        }
    }
    if (f.flat) code = unflatten(&f, code);
    cp_free(at), cp_free(line), cp_free(values);
    return code;
}

/* --- along an axis --- */

static cp_code open_along(cpi_indexing *p, const char *name, cp_array *arr, cp_array *indices, cp_array *values,
                          int axis)
{
    int64_t shape[CP_MAXDIM];
    cp_array *all[3] = {arr, indices, values};
    cp_code code = cpi_indexing_open(p, name, arr, cpi_common_device(name, 3, all));
    p->along = 0;
    if (code) return code;
    memcpy(shape, arr->shape, (size_t)arr->ndim * sizeof *shape);
    shape[axis] = 1;
    code = cpi_indexing_add(p, indices, axis, axis, CPI_INDEX_RAISE);
    return code ? code : cpi_indexing_widen(p, arr->ndim, shape);
}

/* An axis of arr and indices, normalised to 0 and more, or CP_FLAT: of the flattened array. */
static cp_code check_along(const char *name, cp_array *arr, cp_array *indices, int *axis)
{
    char kind = cp_type_kind(indices->type);
    if (kind != 'i' && kind != 'u') return cpi_fail(CP_ERROR_INDEX, "%s: `indices` must be an integer array", name);
    if (cpi_axis_or_flat(name, axis, arr->ndim)) return cp_error();
    if (*axis == CP_FLAT && indices->ndim != 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: when axis=None, `indices` must have a single dimension.", name);
    if (*axis != CP_FLAT && arr->ndim != indices->ndim)
        return cpi_fail(CP_ERROR_VALUE, "%s: `indices` and `arr` must have the same number of dimensions", name);
    return CP_OK;
}

/*: function("take_along_axis", "arr: array, indices: array, axis: index_axis_or_flat = -1",
             doc="""The elements at the indices along an axis, for each 1-d slice separately: with argsort's result it
sorts. Along the other axes the two broadcast. None: of the flattened array.""") */
cp_array *cp_take_along_axis(cp_array *arr, cp_array *indices, int axis)
{
    const char *name = "take_along_axis";
    if (cpi_null(name, arr) || cpi_null(name, indices) || check_along(name, arr, indices, &axis)) return NULL;
    cp_array *from = axis == CP_FLAT ? cp_ravel(arr) : cp_retain(arr), *r = NULL;
    cpi_indexing p;
    if (from) {
        if (!open_along(&p, name, from, indices, NULL, axis == CP_FLAT ? 0 : axis))
            r = cpi_indexing_get(&p, NULL, CP_SAME_KIND);
        cpi_indexing_close(&p);
    }
    cp_free(from);
    return r;
}

/*: function("put_along_axis", "arr: array, indices: array, values: assigned, axis: index_axis_or_flat",
             returns="none",
             doc="""Writes values at the indices along an axis, for each 1-d slice separately; the last value for an
element stays. None: of the flattened array.""") */
cp_code cp_put_along_axis(cp_array *arr, cp_array *indices, cp_array *values, int axis)
{
    const char *name = "put_along_axis";
    if (cpi_null(name, arr) || cpi_null(name, indices) || cpi_null(name, values) ||
        check_along(name, arr, indices, &axis) || check_number(name, values, arr->type))
        return cp_error();
    flattened f = {arr, arr};
    cpi_indexing p;
    cp_code code = axis == CP_FLAT ? flatten(&f, name, arr) : cpi_check_writable(name, arr);
    if (code) return code;
    code = open_along(&p, name, f.flat, indices, values, axis == CP_FLAT ? 0 : axis);
    if (!code) code = cpi_indexing_set(&p, values);
    cpi_indexing_close(&p);
    return axis == CP_FLAT ? unflatten(&f, code) : code;
}

/* --- choosing --- */

/* The choices as a new axis, in the shape that everything broadcasts to. */
static cp_array *stacked(int n, cp_array *const *choices, int ndim, const int64_t *shape)
{
    cp_array **wide = cpi_calloc((size_t)n, sizeof *wide), *r = NULL;
    cp_code code = wide ? CP_OK : CP_ERROR_MEMORY;
    for (int i = 0; i < n && !code; i++)
        if (!(wide[i] = cp_broadcast_to(choices[i], (cp_shape){ndim, shape}))) code = cp_error();
    if (!code) r = cp_stack(n, wide, 0, .typed = true, .dtype = cpi_common_type(n, choices));
    for (int i = 0; i < n && wide; i++) cp_free(wide[i]);
    cpi_free_host(wide);
    return r;
}

/*: function("choose", "a: array, choices: arrays_or_numbers, out: out = None, mode: index_mode = 'raise'", method=True,
             options="cp_take_options",
             doc="Element i of choices[a[i]], for each i: `a` selects an array for each element. All broadcast.") */
cp_array *(cp_choose)(cp_array *a, int n, cp_array *const *choices, const cp_take_options *options)
{
    const cp_take_options *o = CPI_GIVEN(cp_take_options, options);
    int ndim = 0;
    int64_t shape[CP_MAXDIM];
    if (cpi_null("choose", a) || check_mode("choose", o->mode)) return NULL;
    if (n < 1) return cpi_fail(CP_ERROR_VALUE, "choose: no choices are given"), NULL;
    for (int i = 0; i < n; i++)
        if (cpi_null("choose", choices[i])) return NULL;
    if (cpi_common_shape("choose", n, choices, &ndim, shape) ||
        cpi_broadcast("choose", &ndim, shape, a->ndim, a->shape))
        return NULL;
    if (ndim == CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "choose: too many dimensions"), NULL;
    cp_array *at = integers("choose", a, CP_SAFE), *from = at ? stacked(n, choices, ndim, shape) : NULL, *r = NULL;
    cp_array *both[3] = {from, at, o->out};
    cpi_indexing p;
    if (from && o->out && !cpi_has_shape(o->out, ndim, shape)) {
        cpi_fail(CP_ERROR_TYPE, "choose: invalid shape for output array."); /* NumPy's */
    } else if (from) {
        cp_code code = cpi_indexing_open(&p, "choose", from, cpi_common_device("choose", 3, both));
        p.along = 1, p.failure = "invalid entry in choice array";
        cpi_index_mode mode = o->mode == CP_INDEX_RAISE ? CPI_INDEX_EXACT : modes[o->mode];
        if (!code) code = cpi_indexing_add(&p, at, 0, 0, mode);
        if (!code && !cpi_indexing_widen(&p, ndim, shape)) r = cpi_indexing_get(&p, o->out, CP_UNSAFE);
        cpi_indexing_close(&p);
    }
    cp_free(at), cp_free(from);
    return r;
}

/* --- flat indices and coordinates --- */

/* Strides of flat numbers in a shape; false where its elements are too many. */
static bool steps_of(cp_shape dims, char order, int64_t *steps, int64_t *size)
{
    *size = 1;
    for (int i = 0; i < dims.n; i++) {
        int d = order == 'F' ? i : dims.n - 1 - i;
        steps[d] = *size;
        if (dims.dim[d] < 0 || __builtin_mul_overflow(*size, dims.dim[d], size)) return false;
    }
    return true;
}

static cp_code check_order(const char *name, char order)
{
    return !order || order == 'C' || order == 'F' ? CP_OK : cpi_fail(CP_ERROR_VALUE, "%s: order must be C or F", name);
}

/*: function("ravel_multi_index", "multi_index: arrays_or_numbers, dims: shape, mode: index_mode = 'raise', "
             "order: order('CF') = 'C'", module="_indexing",
             call="cp_ravel_multi_index(multi_index, dims, .mode = mode, .order = order)",
             doc="Flat indices of coordinates, one integer array per axis; int64.") */
cp_array *(cp_ravel_multi_index)(int n, cp_array *const *multi_index, cp_shape dims,
                                 const cp_ravel_multi_index_options *options)
{
    const char *name = "ravel_multi_index";
    const cp_ravel_multi_index_options *o = CPI_GIVEN(cp_ravel_multi_index_options, options);
    int64_t steps[CP_MAXDIM], size;
    if (check_mode(name, o->mode) || check_order(name, o->order)) return NULL;
    if (n < 1 || n != dims.n || n > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "%s: parameter multi_index must be a sequence of length %d", name, dims.n),
               NULL;
    for (int i = 0; i < n; i++)
        if (cpi_null(name, multi_index[i])) return NULL;
    if (!steps_of(dims, o->order, steps, &size))
        return cpi_fail(CP_ERROR_VALUE, "%s: invalid dims: array size defined by dims is larger than the maximum "
                        "possible size.", name), NULL;
    cp_array shape = {.type = CP_INT8, .ndim = n, .shape = (int64_t *)dims.dim, .strides = steps}, *r = NULL;
    cpi_indexing p = {.function = name, .failure = "invalid entry in coordinates array", .x = &shape, .along = -1,
                      .device = cpi_common_device(name, n, multi_index)};
    cpi_index_mode mode = o->mode == CP_INDEX_RAISE ? CPI_INDEX_EXACT : modes[o->mode];
    cp_code code = p.device ? CP_OK : cp_error();
    for (int i = 0; i < n && !code; i++) {
        cp_array *at = integers(name, multi_index[i], CP_SAME_KIND);
        code = at ? cpi_indexing_add(&p, at, i, i, mode) : cp_error();
        if (code == CP_ERROR_INDEX) /* they do not broadcast */
            cp_error_clear(), code = cpi_fail(CP_ERROR_VALUE, "%s: the coordinates' shapes do not broadcast", name);
        cp_free(at);
    }
    if (!code) r = cpi_indexing_offsets(&p);
    p.x = NULL;
    cpi_indexing_close(&p);
    return r;
}

/*: function("unravel_index", "indices: number_or_array_like, shape: shape, order: order('CF') = 'C'", returns="rows",
             module="_indexing", call="cp_unravel_index(indices, shape, .order = order)",
             doc="Coordinates of flat indices: a tuple of one int64 array per axis.") */
cp_array *(cp_unravel_index)(cp_array *indices, cp_shape shape, const cp_unravel_index_options *options)
{
    const char *name = "unravel_index";
    const cp_unravel_index_options *o = CPI_GIVEN(cp_unravel_index_options, options);
    int64_t steps[CP_MAXDIM], size;
    if (cpi_null(name, indices) || check_order(name, o->order)) return NULL;
    char kind = cp_type_kind(indices->type);
    if (kind != 'i' && kind != 'u') return cpi_fail(CP_ERROR_TYPE, "%s: only int indices permitted", name), NULL;
    if (!steps_of(shape, o->order, steps, &size))
        return cpi_fail(CP_ERROR_VALUE, "%s: dimensions are too large; arrays and shapes with a total size greater "
                        "than 'intp' are not supported.", name), NULL;
    if (shape.n + indices->ndim > CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "%s: too many dimensions", name), NULL;
    int64_t one = 1;
    cp_array line = {.type = CP_INT8, .ndim = 1, .shape = &size, .strides = &one};
    cpi_indexing p = {.function = name, .failure = "an index is out of bounds for array of this size", .x = &line,
                      .along = -1, .device = cpi_common_device(name, 1, &indices)};
    cpi_numbered axes = {shape.n, o->order == 'F', {0}};
    memcpy(axes.shape, shape.dim, (size_t)shape.n * sizeof *axes.shape);
    cp_array *r = p.device && !cpi_indexing_add(&p, indices, 0, 0, CPI_INDEX_EXACT) ? cpi_indexing_unravel(&p, &axes)
                                                                                   : NULL;
    p.x = NULL;
    cpi_indexing_close(&p);
    return r;
}
