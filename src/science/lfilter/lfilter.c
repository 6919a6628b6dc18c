/* Linear filters: arguments, types, states and axes. A filter without feedback is a polyphase filter of rate 1; every
 * other one becomes recurrences along contiguous rows. */
#include "lfilter/lfilter.h"

#include <string.h>

#include "cuprite/elementwise.h"
#include "operands/operands.h"

/* The type that filters compute in. */
static cp_type common(int n, cp_array *const *arrays)
{
    const cp_type t = cpi_common_type(n, arrays);
    return cpi_is_half(t) ? CP_FLOAT32 : cpi_is_float(t) || cpi_is_complex(t) ? t : CP_FLOAT64;
}

/* The axis, the last one by default. */
static cp_code axis_of(const char *name, const cp_array *x, cp_axes axes, int *axis)
{
    if (!x->ndim) return cpi_fail(CP_ERROR_VALUE, "%s: x must have at least one dimension", name);
    cp_code code = cpi_one_axis(name, axes, x->ndim, axis);
    if (code == CP_OK && *axis < 0) *axis = x->ndim - 1;
    return code;
}

/* x's shape with n elements along an axis. */
static void shape_with(const cp_array *x, int axis, int64_t n, int64_t *shape)
{
    for (int i = 0; i < x->ndim; i++) shape[i] = i == axis ? n : x->shape[i];
}

/* --- coefficients --- */

/* Coefficients in the host's memory, for the caller to free: `count` elements of `type`. */
static char *to_host(cp_array *c, cp_type type)
{
    cp_array *dense = cp_astype(c, type);
    char *host = dense ? cpi_malloc((size_t)(dense->size + 1) * (size_t)cpi_itemsize(type)) : NULL;
    if (host && dense->size && cp_to_host(dense, host, (size_t)cp_nbytes(dense)) != CP_OK) {
        cpi_free_host(host);
        host = NULL;
    }
    cp_free(dense);
    return host;
}

static bool is_zero(cp_type type, const char *c)
{
    if (type == CP_FLOAT32) return *(const float *)c == 0;
    if (type == CP_FLOAT64) return *(const double *)c == 0;
    if (type == CP_COMPLEX64) return ((const float *)c)[0] == 0 && ((const float *)c)[1] == 0;
    return ((const double *)c)[0] == 0 && ((const double *)c)[1] == 0;
}

/* c / a in the type; by Smith's method where complex, as NumPy divides. */
static void divide(cp_type type, char *c, const char *a)
{
    if (type == CP_FLOAT32) {
        *(float *)c /= *(const float *)a;
    } else if (type == CP_FLOAT64) {
        *(double *)c /= *(const double *)a;
    } else if (type == CP_COMPLEX64) {
        _Complex float *v = (_Complex float *)c;
        *v /= *(const _Complex float *)a;
    } else {
        _Complex double *v = (_Complex double *)c;
        *v /= *(const _Complex double *)a;
    }
}

/* b and then a, each of order + 1 elements, divided by a[0]; of one filter. */
static cp_code normalized(const char *name, cp_type type, int64_t order, const char *b, int64_t nb, const char *a,
                          int64_t na, char *to)
{
    const int64_t item = cpi_itemsize(type), half = (order + 1) * item;
    if (is_zero(type, a)) return cpi_fail(CP_ERROR_VALUE, "%s: a[0], by which the filter is divided, is 0", name);
    memset(to, 0, (size_t)(2 * half));
    memcpy(to, b, (size_t)(nb * item));
    memcpy(to + half, a, (size_t)(na * item));
    char one[16];
    memcpy(one, a, (size_t)item);
    for (int64_t i = 0; i < nb; i++) divide(type, to + i * item, one);
    for (int64_t i = 0; i < na; i++) divide(type, to + half + i * item, one);
    return CP_OK;
}

/* --- states --- */

/* The states as rows have them: the state's axis last, and where there are sections, axis 0, these before it. */
static cp_array *states_last(cp_array *x, int axis, bool sections)
{
    cp_array *moved = cpi_axis_moved(x, axis, x->ndim - 1);
    cp_array *all = moved && sections ? cpi_axis_moved(moved, 0, x->ndim - 2) : cp_retain(moved);
    cp_free(moved);
    return all;
}
/* And back. */
static cp_array *states_in_place(cp_array *x, int axis, bool sections)
{
    cp_array *moved = sections ? cpi_axis_moved(x, x->ndim - 2, 0) : cp_retain(x);
    cp_array *all = moved ? cpi_axis_moved(moved, x->ndim - 1, axis) : NULL;
    cp_free(moved);
    return all;
}

/* States of zeros, in the shape that states_last gives. */
static cp_array *zero_states(const char *name, cp_type type, cpi_device *device, int ndim, const int64_t *shape,
                             int axis, bool sections)
{
    int64_t last[CP_MAXDIM + 1];
    int at = 0;
    for (int i = sections; i < ndim; i++)
        if (i != axis) last[at++] = shape[i];
    if (sections) last[at++] = shape[0];
    last[at] = shape[axis];
    cp_array *zero = cpi_array_new(name, device, type, ndim, last, 'C');
    if (zero && zero->size &&
        device->backend->zero(cpi_stream(device), zero->data, (size_t)cp_nbytes(zero)) != CP_OK) {
        cp_free(zero);
        zero = NULL;
    }
    return zero;
}

/* States that the filter may change: zi or zeros. `shape`: with the state along `axis`, sections along axis 0;
 * broadcast: zi may have 1 along other axes. */
static cp_array *states_of(const char *name, cp_array *zi, cp_type type, cpi_device *device, int ndim,
                           const int64_t *shape, int axis, bool sections, bool broadcast)
{
    bool fits = !zi || zi->ndim == ndim;
    for (int i = 0; zi && fits && i < ndim; i++)
        fits = zi->shape[i] == shape[i] || (broadcast && i != axis && zi->shape[i] == 1);
    if (!fits) {
        char wanted[200], given[200];
        return cpi_fail(CP_ERROR_VALUE, "%s: zi must have the shape %s, not %s", name,
                        cpi_shape_string(ndim, shape, wanted, sizeof wanted),
                        cpi_shape_string(zi->ndim, zi->shape, given, sizeof given)), NULL;
    }
    if (!zi) return zero_states(name, type, device, ndim, shape, axis, sections);
    cp_array *view = cp_broadcast_to(zi, (cp_shape){ndim, shape});
    cp_array *moved = view ? states_last(view, axis, sections) : NULL;
    cp_array *states = moved ? cpi_array_new(name, device, type, ndim, moved->shape, 'C') : NULL;
    if (states && states->size && cp_assign(states, moved) != CP_OK) {
        cp_free(states);
        states = NULL;
    }
    cp_free(moved);
    cp_free(view);
    return states;
}

/* --- recurrences --- */

/* What cpi_along_axis passes on: all of a recurrence but rows. */
static cp_code run_recurrence(const cpi_row_call *call, cp_stream *stream, cp_type type, int64_t rows, int64_t n,
                              const void *from, void *to)
{
    cpi_recurrence r = *(const cpi_recurrence *)call->context;
    r.type = type;
    r.rows = rows;
    r.n = n;
    r.from = from;
    r.to = to;
    return stream->device->backend->lfilter->recur(stream, &r);
}

/* Host memory as a 1-d array. */
static cp_array *on_device(const char *name, cpi_device *device, cp_type type, int64_t n, const char *host)
{
    cp_array *there = cpi_array_new(name, device, type, 1, &n, 'C');
    if (there && device->backend->from_host(cpi_stream(device), there->data, host, (size_t)cp_nbytes(there)) != CP_OK) {
        cp_free(there);
        there = NULL;
    }
    return there;
}

/* x through the filters; `states` is changed. */
static cp_array *filtered(const char *name, cp_array *x, int axis, cp_type type, cpi_device *device, int64_t filters,
                          int64_t order, const char *coefficients, cp_array *states)
{
    const int64_t count = filters * 2 * (order + 1);
    cp_array *values = x->type == type ? cp_retain(x) : cp_astype(x, type), *there = NULL, *y = NULL;
    if (values && !cpi_lfilter_few(type, order)) there = on_device(name, device, type, count, coefficients);
    if (values && (there || cpi_lfilter_few(type, order))) {
        const cpi_recurrence r = {.filters = filters, .order = order, .c = coefficients,
                                  .bytes = count * cpi_itemsize(type), .there = there ? there->data : NULL,
                                  .state = states->data};
        y = cpi_along_axis(&(cpi_row_call){name, run_recurrence, &r}, values, axis, CP_DEFAULT);
    }
    cp_free(values);
    cp_free(there);
    return y;
}

/* --- filters without feedback --- */

/* The first m elements of each row of x, along an axis, through h. */
static cp_array *phases(const char *name, cp_array *h, cp_array *x, int axis, cp_type type, cpi_device *device,
                        int64_t up, int64_t down, int64_t m)
{
    const int last = x->ndim - 1;
    int64_t shape[CP_MAXDIM];
    cp_array *moved = cpi_axis_moved(x, axis, last), *result = NULL, *back = NULL;
    cp_array *rows = moved ? cpi_dense(name, moved, type, device) : NULL;
    cp_array *taps = rows ? cpi_dense(name, h, type, device) : NULL;
    if (taps) {
        shape_with(rows, last, m, shape);
        result = cpi_array_new(name, device, type, x->ndim, shape, 'C');
    }
    if (result && result->size) {
        const cpi_polyphase p = {.type = type, .rows = result->size / m, .n = rows->shape[last], .m = m, .up = up,
                                 .down = down, .taps = taps->size, .h = taps->data, .from = rows->data,
                                 .to = result->data};
        cp_code code = p.n ? device->backend->lfilter->polyphase(cpi_stream(device), &p)
                           : device->backend->zero(cpi_stream(device), result->data, (size_t)cp_nbytes(result));
        if (code != CP_OK) {
            cp_free(result);
            result = NULL;
        }
    }
    if (result) back = cpi_axis_moved(result, last, axis);
    cp_free(result);
    cp_free(taps);
    cp_free(rows);
    cp_free(moved);
    return back;
}

/* Elements begin..end of x along an axis, in memory of their own. */
static cp_array *part(cp_array *x, int axis, int64_t begin, int64_t end)
{
    cp_array *moved = cpi_axis_moved(x, axis, 0);
    cp_array *cut = moved ? cp_slice(moved, CP_ITEMS(CP_RANGE(begin, end))) : NULL;
    cp_array *back = cut ? cpi_axis_moved(cut, 0, axis) : NULL, *own = back ? cp_copy(back) : NULL;
    cp_free(back);
    cp_free(cut);
    cp_free(moved);
    return own;
}

/* scipy.signal.lfilter with a of one element: the state is added to the first `order` elements of the whole response,
 * and what lies behind x's length is the next one. `states`: rows with the state's axis at the end, or NULL. */
static cp_array *without_feedback(cp_array *h, cp_array *x, int axis, cp_type type, cpi_device *device,
                                  cp_array *states, cp_array **zf)
{
    const int64_t n = x->shape[axis], order = h->size - 1;
    if (!states) return phases("lfilter", h, x, axis, type, device, 1, 1, n);
    cp_array *all = phases("lfilter", h, x, axis, type, device, 1, 1, n + order);
    cp_array *z = all ? cpi_axis_moved(states, x->ndim - 1, axis) : NULL, *first = NULL, *y = NULL;
    cp_array *moved = z ? cpi_axis_moved(all, axis, 0) : NULL;
    cp_array *head = moved ? cp_slice(moved, CP_ITEMS(CP_RANGE(0, order))) : NULL;
    cp_array *view = head ? cpi_axis_moved(head, 0, axis) : NULL;
    if (view && (first = cp_add(view, z)) && cp_assign(view, first) == CP_OK) {
        y = part(all, axis, 0, n);
        *zf = y ? part(all, axis, n, n + order) : NULL;
    }
    if (y && !*zf) {
        cp_free(y);
        y = NULL;
    }
    cp_free(first);
    cp_free(view);
    cp_free(head);
    cp_free(moved);
    cp_free(z);
    cp_free(all);
    return y;
}

/* --- the public functions --- */

/* A 1-d array of coefficients, one element at least. */
static cp_code check_line(const char *name, const char *which, const cp_array *c)
{
    if (c->ndim > 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: %s must be a 1-d array, not one of %d dimensions", name, which, c->ndim);
    if (!c->size) return cpi_fail(CP_ERROR_VALUE, "%s: %s is empty", name, which);
    return CP_OK;
}

/* The filter of checked coefficients, in the host's memory. */
static cp_array *lfilter(cp_array *b, cp_array *a, cp_array *x, int axis, cp_type type, cpi_device *device,
                         const char *coefficients, int64_t order, const cp_lfilter_options *o)
{
    int64_t shape[CP_MAXDIM];
    shape_with(x, axis, order, shape);
    const bool stateless = a->size == 1 && !o->zi && !o->zf;
    cp_array *zf = NULL, *y = NULL;
    cp_array *states = stateless ? NULL : states_of("lfilter", o->zi, type, device, x->ndim, shape, axis, false, true);
    if (!states && !stateless) return NULL;
    if (a->size == 1) {
        cp_array *h = on_device("lfilter", device, type, b->size, coefficients);
        y = h ? without_feedback(h, x, axis, type, device, states, &zf) : NULL;
        cp_free(h);
    } else {
        y = filtered("lfilter", x, axis, type, device, 1, order, coefficients, states);
        zf = y ? cpi_axis_moved(states, x->ndim - 1, axis) : NULL;
        if (y && !zf) {
            cp_free(y);
            y = NULL;
        }
    }
    cp_free(states);
    if (y && o->zf) *o->zf = zf;
    else cp_free(zf);
    return y;
}

cp_array *(cp_lfilter)(cp_array *b, cp_array *a, cp_array *x, const cp_lfilter_options *options)
{
    const cp_lfilter_options *o = CPI_GIVEN(cp_lfilter_options, options);
    if (cpi_null("lfilter", b) || cpi_null("lfilter", a) || cpi_null("lfilter", x)) return NULL;
    cp_array *const all[] = {b, a, x, o->zi};
    cpi_device *device = cpi_common_device("lfilter", 4, all);
    int axis;
    if (!device || check_line("lfilter", "b", b) || check_line("lfilter", "a", a)) return NULL;
    if (axis_of("lfilter", x, o->axis, &axis) != CP_OK) return NULL;
    const cp_type type = common(o->zi ? 4 : 3, all);
    const int64_t order = (b->size > a->size ? b->size : a->size) - 1, item = cpi_itemsize(type);
    char *hb = to_host(b, type), *ha = hb ? to_host(a, type) : NULL;
    char *coefficients = ha ? cpi_malloc((size_t)(2 * (order + 1) * item)) : NULL;
    cp_array *y = NULL;
    if (coefficients && normalized("lfilter", type, order, hb, b->size, ha, a->size, coefficients) == CP_OK)
        y = lfilter(b, a, x, axis, type, device, coefficients, order, o);
    cpi_free_host(coefficients);
    cpi_free_host(ha);
    cpi_free_host(hb);
    return y;
}

/* b and a of each section, from rows of b0 b1 b2 a0 a1 a2. */
static char *sections_of(cp_array *sos, cp_type type)
{
    const int64_t n = sos->shape[0], item = cpi_itemsize(type);
    char *rows = to_host(sos, type);
    char *coefficients = rows ? cpi_malloc((size_t)(6 * n * item)) : NULL;
    for (int64_t s = 0; s < n && coefficients; s++) {
        char *row = rows + 6 * s * item;
        char one[16] = {0}, was[16];
        memcpy(was, row + 3 * item, (size_t)item);
        cpi_convert_value(CP_FLOAT64, &(double){1}, type, one);
        bool good = memcmp(was, one, (size_t)item) == 0;
        if (good)
            good = normalized("sosfilt", type, 2, row, 3, row + 3 * item, 3, coefficients + 6 * s * item) == CP_OK;
        else cpi_fail(CP_ERROR_VALUE, "sosfilt: sos[:, 3] should be all ones");
        if (!good) {
            cpi_free_host(coefficients);
            coefficients = NULL;
        }
    }
    cpi_free_host(rows);
    return coefficients;
}

cp_array *(cp_sosfilt)(cp_array *sos, cp_array *x, const cp_lfilter_options *options)
{
    const cp_lfilter_options *o = CPI_GIVEN(cp_lfilter_options, options);
    if (cpi_null("sosfilt", sos) || cpi_null("sosfilt", x)) return NULL;
    cp_array *const all[] = {sos, x, o->zi};
    cpi_device *device = cpi_common_device("sosfilt", 3, all);
    int axis;
    if (!device || axis_of("sosfilt", x, o->axis, &axis) != CP_OK) return NULL;
    if (sos->ndim != 2 || sos->shape[1] != 6 || !sos->shape[0])
        return cpi_fail(CP_ERROR_VALUE, "sosfilt: sos must have the shape (sections, 6), one section at least"), NULL;
    if (x->ndim == CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "sosfilt: x has too many dimensions"), NULL;
    const cp_type type = common(o->zi ? 3 : 2, all);
    int64_t shape[CP_MAXDIM + 1];
    shape[0] = sos->shape[0];
    shape_with(x, axis, 2, shape + 1);
    cp_array *states = states_of("sosfilt", o->zi, type, device, x->ndim + 1, shape, axis + 1, true, false);
    cp_array *y = NULL;
    char *coefficients = states ? sections_of(sos, type) : NULL;
    if (coefficients) y = filtered("sosfilt", x, axis, type, device, sos->shape[0], 2, coefficients, states);
    if (y && o->zf && !(*o->zf = states_in_place(states, axis + 1, true))) {
        cp_free(y);
        y = NULL;
    }
    cpi_free_host(coefficients);
    cp_free(states);
    return y;
}

cp_array *(cp_upfirdn)(cp_array *h, cp_array *x, const cp_upfirdn_options *options)
{
    const cp_upfirdn_options *o = CPI_GIVEN(cp_upfirdn_options, options);
    if (cpi_null("upfirdn", h) || cpi_null("upfirdn", x)) return NULL;
    cp_array *const both[] = {h, x};
    cpi_device *device = cpi_common_device("upfirdn", 2, both);
    const int64_t up = o->up ? o->up : 1, down = o->down ? o->down : 1;
    int axis;
    if (!device || check_line("upfirdn", "h", h) || axis_of("upfirdn", x, o->axis, &axis) != CP_OK) return NULL;
    if (up < 1 || down < 1)
        return cpi_fail(CP_ERROR_VALUE, "upfirdn: up and down must be at least 1, not %lld and %lld", (long long)up,
                        (long long)down), NULL;
    int64_t m;
    const int64_t n = x->shape[axis];
    if (__builtin_mul_overflow(n - 1, up, &m) || __builtin_add_overflow(m, h->size, &m) || m > INT64_MAX / 2 / down)
        return cpi_fail(CP_ERROR_VALUE, "upfirdn: the result has too many elements"), NULL;
    m = m < 1 ? 0 : (m - 1) / down + 1;
    const cp_type type = cp_promote(cpi_common_type(2, both), CP_FLOAT32); /* SciPy's: float32 of short integers too */
    return phases("upfirdn", h, x, axis, type, device, up, down, m);
}
