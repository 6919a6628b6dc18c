/* Cumulative sums and products: types, axes and memory. Every call becomes one cpi_scan of dense memory in the order
 * in which it lies there. For a device that does not take elements as stored, half types are converted to float32
 * first. */
#include "scan/scan.h"

#include <stdlib.h>
#include <string.h>

#include "cuprite/elementwise.h"
#include "cuprite/scan.h"
#include "operands/operands.h"

typedef struct scanning {
    const char *name;
    cpi_scan_op op;
    bool typed;
    cp_type dtype;
    cp_array *out;
    bool known; /* NaN counts as the identity; only where the device supports that */
} scanning;

/* The computing type: the one asked for, else the promotion of out's and the elements', else NumPy's for sums. */
static cp_type result_type(const cp_array *a, const scanning *s)
{
    cp_type t = a->type;
    if (s->typed) return s->dtype;
    if (s->out) return cp_promote(t, s->out->type);
    return !cpi_is_whole(t) || cpi_itemsize(t) == 8 ? t : cp_type_kind(t) == 'u' ? CP_UINT64 : CP_INT64;
}

/* The axes in memory order, outermost first; false where there are gaps or negative strides. */
static bool order_in_memory(const cp_array *x, int *order)
{
    int64_t step = cpi_itemsize(x->type);
    for (int axis = 0; axis < x->ndim; axis++) {
        int at = axis;
        for (; at > 0 && x->strides[order[at - 1]] < x->strides[axis]; at--) order[at] = order[at - 1];
        order[at] = axis;
    }
    for (int i = x->ndim - 1; i >= 0; i--) {
        if (x->shape[order[i]] != 1 && x->strides[order[i]] != step) return false;
        step *= x->shape[order[i]];
    }
    return true;
}

/* Are the strides equal, counted in elements? */
static bool same_strides(const cp_array *a, const cp_array *b)
{
    const int64_t of_a = cpi_itemsize(a->type), of_b = cpi_itemsize(b->type);
    for (int i = 0; i < a->ndim; i++)
        if (a->strides[i] * of_b != b->strides[i] * of_a && a->shape[i] != 1) return false;
    return true;
}

static cp_code run_scan(const scanning *s, const cp_array *from, cp_array *to, int64_t outer, int64_t n, int64_t inner)
{
    cpi_scan job = {s->op, cpi_compute_type(to->type), s->known, outer, n, inner, from->type, to->type,
                    from->data, to->data};
    cpi_array_used(from), cpi_array_used(to);
    return to->device->backend->scan->scan(cpi_stream(to->device), &job);
}

/* A few long columns, which would leave a device idle: they are transposed to rows. */
static cp_code transposed(const scanning *s, cp_array *x, cp_array *to, int axis)
{
    cp_array *rows = cpi_axis_moved(x, axis, x->ndim - 1), *there = cpi_axis_moved(to, axis, x->ndim - 1);
    cp_array *dense = NULL;
    cp_code code = CP_ERROR_MEMORY;
    if (rows && there && (dense = x->type == to->type ? cp_copy(rows) : cp_astype(rows, to->type))) {
        const int64_t n = x->shape[axis];
        code = run_scan(s, dense, dense, x->size / n, n, 1);
        if (!code) code = cp_assign(there, dense);
    }
    cp_free(rows), cp_free(there), cp_free(dense);
    return code;
}

enum { LONG = 4096, FEW = 1024 };

/* From x to `to`: both dense, with the same strides. */
static cp_code scan_dense(const scanning *s, cp_array *x, cp_array *to, int axis)
{
    int order[CP_MAXDIM];
    int64_t outer = 1, inner = 1;
    bool before = true;
    order_in_memory(x, order);
    for (int i = 0; i < x->ndim; i++) {
        if (order[i] == axis) before = false;
        else if (before) outer *= x->shape[order[i]];
        else inner *= x->shape[order[i]];
    }
    const int64_t n = x->shape[axis];
    if (inner > 1 && n > LONG && outer * inner < FEW) return transposed(s, x, to, axis);
    return run_scan(s, x, to, outer, n, inner);
}

/* Does the device scan x as it lies, as rows of any type? */
static bool goes_directly(const cp_array *x, int axis)
{
    int order[CP_MAXDIM];
    if (x->device->backend->scan->stored || !x->size || !order_in_memory(x, order)) return false;
    for (int i = x->ndim - 1; i >= 0 && order[i] != axis; i--)
        if (x->shape[order[i]] != 1) return false;
    return true;
}

/* Is `from` a smaller integer or bool that is read as 64 bits wide? */
static bool is_widened(cp_type from, cp_type to)
{
    return from != to && cpi_is_whole(from) && cpi_is_whole(to) && cpi_itemsize(from) < 8 && cpi_itemsize(to) == 8;
}

/* The scan of x as `type`, in x's order of axes; into `to` where its layout fits. */
static cp_array *scanned(const scanning *s, cp_array *x, cp_type type, int axis)
{
    const bool direct = goes_directly(x, axis), stored = x->device->backend->scan->stored;
    const bool widened = stored && is_widened(x->type, type);
    const cp_type computed = direct || stored ? type : cpi_compute_type(type);
    int order[CP_MAXDIM];
    cp_array *src = NULL, *to = NULL;
    if (direct) src = cp_retain(x);
    else if (x->type != computed && !widened) src = cp_astype(x, computed);
    else src = order_in_memory(x, order) ? cp_retain(x) : cp_copy_order(x, 'K');
    if (!src) return NULL;
    const bool ours = src->data != x->data, wide = computed != type;
    cp_array *out = wide || !s->out || s->out->type != type || !cpi_has_shape(s->out, src->ndim, src->shape) ||
                            !same_strides(s->out, src) ||
                            (cpi_may_overlap(s->out, src) &&
                             (s->out->type != src->type || !cpi_same_elements(s->out, src)))
                        ? NULL
                        : s->out;
    to = out ? cp_retain(out) : ours && !widened ? cp_retain(src)
             : cpi_array_like(s->name, src, computed, src->ndim, src->shape);
    cp_code code = !to ? CP_ERROR_MEMORY : src->size ? scan_dense(s, src, to, axis) : CP_OK;
    cp_free(src);
    if (!code && wide) {
        src = to;
        to = cp_astype(src, type);
        cp_free(src);
    }
    if (!code && to) return to;
    cp_free(to);
    return NULL;
}

static cp_array *scan(const scanning *s, cp_array *a, int axis)
{
    if (cpi_null(s->name, a) || (s->typed && cpi_check_type(s->name, s->dtype))) return NULL;
    cp_array *both[2] = {a, s->out}, *x = NULL, *made = NULL;
    cpi_device *device = cpi_common_device(s->name, 2, both);
    if (!device || !(x = cpi_in_memory(s->name, a, device))) return NULL;
    const bool flat = axis == CP_FLAT || (!x->ndim && (axis == 0 || axis == -1));
    if (flat) {
        cp_array *line = cp_ravel(x);
        cp_free(x);
        x = line;
        axis = 0;
    }
    if (!x || cpi_axis(s->name, &axis, x->ndim)) return cp_free(x), NULL;
    const cp_type type = result_type(a, s);
    if (s->out) {
        cpi_output check = {.function = s->name, .device = device, .type = type, .ndim = x->ndim, .shape = x->shape,
                            .out = s->out, .casting = CP_UNSAFE};
        if (cpi_check_out(&check)) return cp_free(x), NULL;
    }
    if (cpi_discards(x->type, type)) cpi_warn(CP_WARNING_COMPLEX);
    made = scanned(s, x, type, axis);
    cp_free(x);
    if (!made || !s->out) return made;
    if (made == s->out) return cp_free(made), cpi_again(s->out);
    cp_code code = cp_assign(s->out, made);
    cp_free(made);
    return code ? NULL : cpi_again(s->out);
}

/*: function("cumsum", "a: array, axis: axis_or_flat = None, dtype: dtype = None, out: out = None", method=True,
             doc="Sums of the elements up to each one along an axis (None: flattened); small integers widen to 64 "
                 "bits. Floating types are accumulated in float64.") */
cp_array *(cp_cumsum)(cp_array *a, int axis, const cp_cumsum_options *options)
{
    const cp_cumsum_options *o = CPI_GIVEN(cp_cumsum_options, options);
    return scan(&(scanning){"cumsum", CPI_SCAN_ADD, o->typed, o->dtype, o->out, false}, a, axis);
}

/*: function("cumprod", "a: array, axis: axis_or_flat = None, dtype: dtype = None, out: out = None", method=True,
             doc="Products of the elements up to each one along an axis (None: flattened); small integers widen to 64 "
                 "bits.") */
cp_array *(cp_cumprod)(cp_array *a, int axis, const cp_cumprod_options *options)
{
    const cp_cumprod_options *o = CPI_GIVEN(cp_cumprod_options, options);
    return scan(&(scanning){"cumprod", CPI_SCAN_MULTIPLY, o->typed, o->dtype, o->out, false}, a, axis);
}

/* Rows of any layout: the bits are those of dense rows. */
static cp_code scan_rows(const scanning *s, cp_array *x, cp_array *out)
{
    const int64_t n = x->shape[x->ndim - 1];
    cp_array *from = cp_is_c_contiguous(x) ? cp_retain(x) : cp_copy(x);
    cp_array *to = cp_is_c_contiguous(out) ? cp_retain(out)
                                           : cpi_array_new(s->name, out->device, out->type, out->ndim, out->shape, 'C');
    cp_code code = from && to ? run_scan(s, from, to, x->size / n, n, 1) : cp_error();
    if (!code && to != out) code = cp_assign(out, to);
    cp_free(from), cp_free(to);
    return code;
}

bool cpi_scan_slices(const char *name, cpi_scan_op op, cp_array *x, cp_array *out, cp_code *code)
{
    const scanning s = {.name = name, .op = op};
    int order[CP_MAXDIM];
    if (!x->size || x->type != out->type) return false;
    if (!out->device->backend->scan->stored) {
        if (op > CPI_SCAN_MINIMUM) return false;
        *code = scan_rows(&s, x, out);
        return true;
    }
    const bool dense = order_in_memory(x, order) && same_strides(x, out) &&
                       (!cpi_may_overlap(x, out) || cpi_same_elements(x, out));
    if (!dense && (op != CPI_SCAN_ADD || cpi_is_whole(x->type))) return false; /* accumulate: the same bits */
    *code = dense ? scan_dense(&s, x, out, x->ndim - 1) : scan_rows(&s, x, out);
    return true;
}

/* --- what is not NaN --- */

/* a with NaN replaced by `instead`; integers have none. */
static cp_array *known(const char *name, cp_array *a, int64_t instead)
{
    if (cpi_null(name, a)) return NULL;
    if (cpi_is_whole(a->type)) return cp_retain(a);
    cp_array *nan = cp_isnan(a), *value = nan ? cp_int(instead) : NULL, *r = value ? cp_where(nan, value, a) : NULL;
    cp_free(nan), cp_free(value);
    return r;
}

/* The scan of a with NaN replaced by `instead`: by the scan itself where the device supports it. That is before any
 * conversion. */
static cp_array *scan_known(scanning *s, cp_array *a, int axis, int64_t instead)
{
    if (cpi_null(s->name, a)) return NULL;
    s->known = a->device && a->device->backend->scan->stored && !cpi_is_whole(a->type) &&
               (!s->typed || s->dtype == a->type) && result_type(a, s) == a->type;
    if (s->known) return scan(s, a, axis);
    cp_array *x = known(s->name, a, instead), *r = x ? scan(s, x, axis) : NULL;
    cp_free(x);
    return r;
}

/*: function("nancumsum", "a: array, axis: axis_or_flat = None, dtype: dtype = None, out: out = None",
             like=True, doc="cumsum with 0 for NaN.") */
cp_array *(cp_nancumsum)(cp_array *a, int axis, const cp_nancumsum_options *options)
{
    const cp_nancumsum_options *o = CPI_GIVEN(cp_nancumsum_options, options);
    return scan_known(&(scanning){"nancumsum", CPI_SCAN_ADD, o->typed, o->dtype, o->out, false}, a, axis, 0);
}

/*: function("nancumprod", "a: array, axis: axis_or_flat = None, dtype: dtype = None, out: out = None",
             like=True, doc="cumprod with 1 for NaN.") */
cp_array *(cp_nancumprod)(cp_array *a, int axis, const cp_nancumprod_options *options)
{
    const cp_nancumprod_options *o = CPI_GIVEN(cp_nancumprod_options, options);
    return scan_known(&(scanning){"nancumprod", CPI_SCAN_MULTIPLY, o->typed, o->dtype, o->out, false}, a, axis, 1);
}

/* --- the array API's --- */

/* The scan written along the axis behind one element `first`. */
static cp_array *with_first(const scanning *s, cp_array *x, int axis, int64_t first)
{
    int64_t shape[CP_MAXDIM];
    cp_index one[CP_MAXDIM], rest[CP_MAXDIM];
    cp_array *both[2] = {x, s->out}, *value = cp_int(first), *a = NULL, *b = NULL, *made = NULL;
    cpi_device *device = value ? cpi_common_device(s->name, 2, both) : NULL;
    if (!device) return cp_free(value), NULL;
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    if (__builtin_add_overflow(shape[axis], 1, &shape[axis]))
        return cp_free(value), cpi_fail(CP_ERROR_VALUE, "%s: the result has too many elements", s->name), NULL;
    cpi_output o = {.function = s->name, .device = device, .type = result_type(x, s), .ndim = x->ndim, .shape = shape,
                    .out = s->out, .casting = CP_UNSAFE};
    if (cpi_output_open(&o, 1, &x)) return cp_free(value), NULL;
    for (int i = 0; i < axis; i++) one[i] = rest[i] = CP_FULL;
    one[axis] = CP_RANGE(0, 1), rest[axis] = CP_RANGE(1, INT64_MAX);
    const scanning inner = {s->name, s->op, true, o.type, NULL, false};
    const bool good = (a = cp_slice(o.array, axis + 1, one)) && (b = cp_slice(o.array, axis + 1, rest)) &&
                      (made = scan(&inner, x, axis));
    cp_code code = good ? cp_fill(a, value) : cp_error();
    if (!code) code = cp_assign(b, made);
    cp_free(a), cp_free(b), cp_free(made), cp_free(value);
    return cpi_output_close(&o, code);
}

static cp_array *cumulative(const scanning *s, cp_array *x, int axis, bool include_initial, int64_t first)
{
    if (cpi_null(s->name, x) || (s->typed && cpi_check_type(s->name, s->dtype))) return NULL;
    if (axis == CP_FLAT && x->ndim > 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: For arrays which have more than one dimension ``axis`` argument is "
                        "required.", s->name), NULL;
    cp_array *line = x->ndim ? cp_retain(x) : cp_ravel(x), *r = NULL;
    if (axis == CP_FLAT) axis = 0;
    if (line && !cpi_axis(s->name, &axis, line->ndim))
        r = include_initial ? with_first(s, line, axis, first) : scan(s, line, axis);
    cp_free(line);
    return r;
}

/*: function("cumulative_sum",
             "x: array, /, *, axis: axis_or_flat = None, dtype: dtype = None, out: out = None, include_initial: bool = "
             "False",
             doc="Sums of the elements up to each one along an axis, which arrays of one dimension need not name; with "
                 "include_initial a 0 before them.") */
cp_array *(cp_cumulative_sum)(cp_array *x, int axis, const cp_cumulative_sum_options *options)
{
    const cp_cumulative_sum_options *o = CPI_GIVEN(cp_cumulative_sum_options, options);
    const scanning s = {"cumulative_sum", CPI_SCAN_ADD, o->typed, o->dtype, o->out, false};
    return cumulative(&s, x, axis, o->include_initial, 0);
}

/*: function("cumulative_prod",
             "x: array, /, *, axis: axis_or_flat = None, dtype: dtype = None, out: out = None, include_initial: bool = "
             "False",
             doc="Products of the elements up to each one along an axis, which arrays of one dimension need not name; "
                 "with include_initial a 1 before them.") */
cp_array *(cp_cumulative_prod)(cp_array *x, int axis, const cp_cumulative_prod_options *options)
{
    const cp_cumulative_prod_options *o = CPI_GIVEN(cp_cumulative_prod_options, options);
    const scanning s = {"cumulative_prod", CPI_SCAN_MULTIPLY, o->typed, o->dtype, o->out, false};
    return cumulative(&s, x, axis, o->include_initial, 1);
}
