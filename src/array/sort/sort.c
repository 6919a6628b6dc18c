/* Sorting and partition: the public functions. Slots see C-contiguous rows; cpi_along_axis brings every other layout to
 * that shape and back. */
#include <stdlib.h>

#include "cuprite/elementwise.h"
#include "cuprite/sort.h"

#include "operands/operands.h"
#include "sort/sort.h"

static cp_code sort_rows(const cpi_row_call *call, cp_stream *stream, cp_type type, int64_t rows, int64_t n,
                         const void *from, void *to)
{
    (void)call;
    return stream->device->backend->sort->sort(stream, type, rows, n, from, to);
}

static cp_code argsort_rows(const cpi_row_call *call, cp_stream *stream, cp_type type, int64_t rows, int64_t n,
                            const void *from, void *to)
{
    (void)call;
    return stream->device->backend->sort->argsort(stream, type, rows, n, from, to);
}

static const cpi_row_call sort_call = {"sort", sort_rows, NULL}, argsort_call = {"argsort", argsort_rows, NULL};

/* --- the stable sort: equal numbers that are told apart (zeros of either sign, NaN) keep their order --- */

static bool equals_differ(cp_type type) { return cp_type_kind(type) == 'f' || cp_type_kind(type) == 'c'; }

/* x's elements in the order of argsort, in C order. */
static cp_array *gathered(cp_array *x, int axis)
{
    cp_array *order = cp_argsort(x, axis), *r = order ? cp_take_along_axis(x, order, axis) : NULL;
    cp_free(order);
    return r;
}

/* An array for x's elements in another order, as cpi_along_axis makes it. */
static cp_array *array_for(cp_array *x, int axis)
{
    if (axis == CP_FLAT) return cpi_array_new("sort", x->device, x->type, 1, &x->size, 'C');
    return cpi_array_like("sort", x, x->type, x->ndim, x->shape);
}

static cp_array *sort_stable(cp_array *x, int axis)
{
    cp_array *r = gathered(x, axis);
    if (!r || axis == CP_FLAT) return r;
    cp_array *like = array_for(x, axis); /* in the order of x's axes, as sort's is */
    bool same = like && cp_is_c_contiguous(like), done = like && !same && cp_assign(like, r) == CP_OK;
    if (!same) cp_free(r);
    if (!done) cp_free(like);
    return same ? r : done ? like : NULL;
}

static cp_code sort_stable_inplace(cp_array *x, int axis)
{
    cp_array *r = gathered(x, axis), *whole = r ? cp_reshape(r, (cp_shape){x->ndim, x->shape}) : NULL;
    cp_code code = whole ? cp_assign(x, whole) : cp_error();
    cp_free(r);
    cp_free(whole);
    return code;
}

/* --- descending order: the ascending one of x backwards, written backwards, so that equal elements keep theirs --- */

/* A view of x backwards along an axis, or along all of them. */
static cp_array *backwards(cp_array *x, int axis)
{
    cp_index items[CP_MAXDIM];
    for (int d = 0; d < x->ndim; d++) {
        items[d] = CP_FULL;
        if (axis == CP_FLAT || d == axis) items[d].step = -1;
    }
    return cp_slice(x, x->ndim, items);
}

/* The elements of x in descending order to `to`, which may be x. They are sorted into memory of their own and copied
 * once. */
static cp_code sort_descending(cp_array *x, int axis, bool stable, cp_array *to)
{
    cp_array *from = stable ? backwards(x, axis) : cp_retain(x), *sorted = NULL, *whole = NULL, *view = NULL;
    if (from) sorted = stable ? gathered(from, axis) : cpi_along_axis(&sort_call, from, axis, CP_DEFAULT);
    if (sorted) whole = cp_reshape(sorted, (cp_shape){to->ndim, to->shape});
    if (whole) view = backwards(to, axis);
    cp_code code = view ? cp_assign(view, whole) : cp_error();
    cp_free(from);
    cp_free(sorted);
    cp_free(whole);
    cp_free(view);
    return code;
}

/* --- the functions --- */

cp_array *(cp_sort)(cp_array *x, int axis, const cp_sort_options *options)
{
    const cp_sort_options *o = CPI_GIVEN(cp_sort_options, options);
    if (cpi_null("sort", x) || cpi_axis_or_flat("sort", &axis, x->ndim)) return NULL;
    const bool stable = o->stable && equals_differ(x->type);
    if (!o->descending) return stable ? sort_stable(x, axis) : cpi_along_axis(&sort_call, x, axis, CP_DEFAULT);
    cp_array *r = array_for(x, axis);
    if (!r || sort_descending(x, axis, stable, r) == CP_OK) return r;
    return cp_free(r), NULL;
}

cp_code (cp_sort_inplace)(cp_array *x, int axis, const cp_sort_options *options)
{
    const cp_sort_options *o = CPI_GIVEN(cp_sort_options, options);
    if (cpi_null("sort", x) || cpi_axis_or_flat("sort", &axis, x->ndim)) return cp_error();
    if (cpi_check_writable("sort", x)) return cp_error();
    const bool stable = o->stable && equals_differ(x->type);
    if (o->descending) return sort_descending(x, axis, stable, x);
    return stable ? sort_stable_inplace(x, axis) : cpi_along_axis_inplace(&sort_call, x, axis);
}

/* Of x backwards the indices count from the other end. */
static cp_array *argsort_descending(cp_array *x, int axis)
{
    cp_array *from = backwards(x, axis), *order = from ? cpi_along_axis(&argsort_call, from, axis, CP_INT64) : NULL;
    cp_array *view = order ? backwards(order, axis) : NULL;
    cp_array *last = view ? cp_int((axis == CP_FLAT ? x->size : x->shape[axis]) - 1) : NULL;
    cp_array *r = last ? cp_subtract(last, view) : NULL;
    cp_free(from);
    cp_free(order);
    cp_free(view);
    cp_free(last);
    return r;
}

cp_array *(cp_argsort)(cp_array *x, int axis, const cp_sort_options *options)
{
    const cp_sort_options *o = CPI_GIVEN(cp_sort_options, options);
    if (cpi_null("argsort", x)) return NULL;
    /* numpy.argsort takes a 0-d array as one of one element, numpy.sort does not */
    if (x->ndim == 0 && (axis == 0 || axis == -1)) axis = CP_FLAT;
    if (cpi_axis_or_flat("argsort", &axis, x->ndim)) return NULL;
    return o->descending ? argsort_descending(x, axis) : cpi_along_axis(&argsort_call, x, axis, CP_INT64);
}

/* --- partition --- */

typedef struct indices { int n; int64_t *kth; } indices; /* ascending, distinct, not negative */

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The kth values of lanes of `extent` elements. An array without elements (0) takes any. */
static cp_code take_positions(const char *name, indices *p, int n, const int64_t *kth, int64_t extent)
{
    *p = (indices){0, NULL};
    if (n < 0 || (n && !kth)) return cpi_fail(CP_ERROR_VALUE, "%s: no kth is given", name);
    for (int i = 0; i < n && extent; i++)
        if (kth[i] < -extent || kth[i] >= extent)
            return cpi_fail(CP_ERROR_VALUE, "%s: kth(=%lld) out of bounds (%lld)", name, (long long)kth[i],
                            (long long)extent);
    int64_t *k = cpi_malloc((size_t)n * sizeof *k + 1);
    if (!k) return CP_ERROR_MEMORY;
    *p = (indices){0, k};
    if (!extent || !n) return CP_OK;
    for (int i = 0; i < n; i++) k[i] = kth[i] < 0 ? kth[i] + extent : kth[i];
    qsort(k, (size_t)n, sizeof *k, ascending);
    for (int i = 0; i < n; i++)
        if (!i || k[i] != k[i - 1]) k[p->n++] = k[i];
    return CP_OK;
}

static cp_code partition_rows(const cpi_row_call *call, cp_stream *stream, cp_type type, int64_t rows, int64_t n,
                              const void *from, void *to)
{
    const indices *p = call->context;
    const cpi_backend *b = stream->device->backend;
    cp_code code = from == to ? CP_OK : b->copy(stream, to, from, (size_t)(rows * n * cpi_itemsize(type)));
    return code || !p->n ? code : b->sort->partition(stream, type, rows, n, to, p->n, p->kth);
}

static cp_code prepare_partition(const char *name, cp_array *x, int n, const int64_t *kth, int *axis, indices *p)
{
    cp_code code = cpi_axis_or_flat(name, axis, x->ndim);
    return code ? code : take_positions(name, p, n, kth, *axis == CP_FLAT || !x->size ? x->size : x->shape[*axis]);
}

cp_array *cp_partition(cp_array *x, int n, const int64_t *kth, int axis)
{
    indices p;
    if (cpi_null("partition", x) || prepare_partition("partition", x, n, kth, &axis, &p)) return NULL;
    cp_array *r = cpi_along_axis(&(cpi_row_call){"partition", partition_rows, &p}, x, axis, CP_DEFAULT);
    cpi_free_host(p.kth);
    return r;
}

cp_code cp_partition_inplace(cp_array *x, int n, const int64_t *kth, int axis)
{
    indices p;
    if (cpi_null("partition", x) || prepare_partition("partition", x, n, kth, &axis, &p)) return cp_error();
    cp_code code = cpi_along_axis_inplace(&(cpi_row_call){"partition", partition_rows, &p}, x, axis);
    cpi_free_host(p.kth);
    return code;
}

static cp_code argpartition_rows(const cpi_row_call *call, cp_stream *stream, cp_type type, int64_t rows, int64_t n,
                                 const void *from, void *to)
{
    const indices *p = call->context;
    const cpi_sort_ops *ops = stream->device->backend->sort;
    return p->n ? ops->argpartition(stream, type, rows, n, from, to, p->n, p->kth)
                : ops->argsort(stream, type, rows, n, from, to);
}

cp_array *cp_argpartition(cp_array *a, int n, const int64_t *kth, int axis)
{
    indices p;
    if (cpi_null("argpartition", a)) return NULL;
    if (a->ndim == 0 && (axis == 0 || axis == -1)) axis = CP_FLAT;
    if (prepare_partition("argpartition", a, n, kth, &axis, &p)) return NULL;
    cp_array *r = cpi_along_axis(&(cpi_row_call){"argpartition", argpartition_rows, &p}, a, axis, CP_INT64);
    cpi_free_host(p.kth);
    return r;
}
