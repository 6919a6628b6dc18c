/* Counting, bins and interpolation: types, errors and memory. What is compared is brought to one type first; what is
 * counted or interpolated is float64. */
#include "statistics/statistics.h"

#include <math.h>
#include <string.h>

#include "cuprite/elementwise.h"
#include "cuprite/reduce.h"
#include "cuprite/sort.h"
#include "operands/operands.h"
#include "index/index.h"
#include "statistics/methods.h"

#define SLOTS(device) ((device)->backend->statistics)

/* --- counts --- */

cp_array *cpi_bincount(const char *name, cp_array *x, cp_array *weights, int64_t bins)
{
    cp_array *both[2] = {x, weights}, *w = NULL, *r = NULL, *dense = NULL;
    cpi_device *device = cpi_common_device(name, 2, both);
    if (!device || !(dense = cpi_dense(name, x, CP_INT64, device))) return NULL;
    if (!weights || (w = cpi_dense(name, weights, CP_FLOAT64, device)))
        r = cpi_array_new(name, device, weights ? CP_FLOAT64 : CP_INT64, 1, &bins, 'C');
    if (r && bins) {
        cpi_array_used(dense);
        const double *values = w ? (const double *)w->data : NULL;
        const cp_code code = dense->size ? SLOTS(device)->bincount(cpi_stream(device), dense->size,
                                                                   (const int64_t *)dense->data, values, bins, r->data)
                                         : device->backend->zero(cpi_stream(device), r->data, (size_t)bins * 8);
        if (code) cp_free(r), r = NULL;
    }
    cp_free(dense), cp_free(w);
    return r;
}

enum { AT_ONCE = 1 << 15, SOME_BINS = 4096, MANY_BINS = 16384 };

/* The counts of dense whole numbers (of no bins: x), and what the least and the greatest of them are; the bins may be
 * too few. Waits, but where nobody asks for those: extent NULL. */
static cp_array *tallied(const char *name, cp_array *x, int64_t bins, int64_t *extent)
{
    const int64_t two = 2;
    const bool at_once = x->device->backend->at_once; /* the host's memory is the device's */
    cp_array *r = bins ? cpi_array_new(name, x->device, CP_INT64, 1, &bins, 'C') : cp_retain(x);
    int64_t unasked[2], *here = extent ? extent : unasked;
    cp_array *ends = r && !at_once ? cpi_array_new(name, x->device, CP_INT64, 1, &two, 'C') : NULL;
    cp_code code = CP_ERROR_MEMORY;
    if (r && (ends || at_once)) {
        cpi_array_used(x), cpi_array_used(r);
        if (ends) cpi_array_used(ends);
        code = SLOTS(x->device)->tally(cpi_stream(x->device), x->type, x->size, x->data, bins,
                                       bins ? (int64_t *)r->data : NULL, ends ? (int64_t *)ends->data : here);
    }
    if (!code && ends && extent) code = cp_to_host(ends, extent, 2 * sizeof *extent);
    cp_free(ends);
    return code ? cp_free(r), NULL : r;
}

/* Can numbers from extent[0] to extent[1] be counted? */
static cp_code check_extent(const char *name, const int64_t *extent)
{
    if (extent[0] < 0) return cpi_fail(CP_ERROR_VALUE, "%s: 'list' argument must have no negative elements", name);
    return extent[1] < INT64_MAX ? CP_OK : cpi_fail(CP_ERROR_MEMORY, "%s: the result has too many elements", name);
}

/* The greatest element of x, int64 and dense and not empty, when all are at least 0. Waits. */
static cp_code greatest_index(const char *name, cp_array *x, int64_t *most)
{
    int64_t extent[2];
    cp_array *none = tallied(name, x, 0, extent);
    cp_free(none);
    if (!none || check_extent(name, extent)) return cp_error();
    *most = extent[1];
    return CP_OK;
}

/* The first `n` of them, and 0 behind. */
static cp_array *lengthened(const char *name, cp_array *counts, int64_t n)
{
    cp_array *r = cpi_array_new(name, counts->device, CP_INT64, 1, &n, 'C');
    const int64_t known = n < counts->size ? n : counts->size;
    const cpi_backend *backend = counts->device->backend;
    cp_index first = CP_RANGE(0, known);
    cp_array *from = r ? cp_slice(counts, 1, &first) : NULL, *to = from ? cp_slice(r, 1, &first) : NULL;
    cp_code code = to ? cp_assign(to, from) : cp_error();
    if (!code && n > known)
        code = backend->zero(cpi_stream(r->device), r->data + known * 8, (size_t)(n - known) * 8);
    cp_free(from), cp_free(to);
    return code ? cp_free(r), NULL : r;
}

/* bincount of whole numbers, at least one of them: of many into some bins first, which are mostly enough, else once the
 * greatest is known. */
static cp_array *counted(const char *name, cp_array *given, cpi_device *device, int64_t minlength)
{
    int64_t extent[2];
    cp_array *x = cpi_dense(name, given, given->type, device), *r = NULL, *exact = NULL;
    if (!x) return NULL;
    const int64_t some = x->size < AT_ONCE ? 0 : cpi_itemsize(x->type) == 1 ? 256
                       : x->size < 32 * AT_ONCE ? SOME_BINS : MANY_BINS;
    r = tallied(name, x, some, extent);
    if (r && !check_extent(name, extent)) {
        const int64_t bins = extent[1] + 1 > minlength ? extent[1] + 1 : minlength;
        exact = extent[1] < some ? lengthened(name, r, bins) : tallied(name, x, bins, NULL);
    }
    cp_free(x), cp_free(r);
    return exact;
}

/*: function("bincount", "x: array, weights: array_like = None, minlength: int64 = 0",
             doc="""How often each of 0, 1, 2, ... is among the integers of a 1-d array, or the sums of their weights,
of float64; at least `minlength` of them. ValueError for negative ones. The greatest is read on the host.""") */
cp_array *(cp_bincount)(cp_array *x, const cp_bincount_options *options)
{
    const cp_bincount_options *o = CPI_GIVEN(cp_bincount_options, options);
    const char *name = "bincount";
    if (cpi_null(name, x)) return NULL;
    if (x->ndim != 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: object %s", name,
                        x->ndim ? "too deep for desired array" : "of too small depth for desired array"), NULL;
    if (!cpi_is_whole(x->type) && cpi_check_cast(name, CPI_DATA, x->type, CP_INT64, CP_SAFE)) return NULL;
    if (o->weights && cpi_check_cast(name, CPI_DATA, o->weights->type, CP_FLOAT64, CP_SAFE)) return NULL;
    if (o->minlength < 0) return cpi_fail(CP_ERROR_VALUE, "%s: 'minlength' must not be negative", name), NULL;
    if (o->weights && (o->weights->ndim != 1 || o->weights->size != x->size) && x->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: The weights and list don't have the same length.", name), NULL;
    int64_t most = -1;
    cpi_device *device = cpi_common_device(name, 1, &x);
    if (device && !o->weights && x->size && cpi_is_whole(x->type)) return counted(name, x, device, o->minlength);
    cp_array *wide = device ? cpi_dense(name, x, CP_INT64, device) : NULL, *r = NULL;
    if (wide && (!x->size || !greatest_index(name, wide, &most)))
        r = cpi_bincount(name, wide, x->size ? o->weights : NULL, most + 1 > o->minlength ? most + 1 : o->minlength);
    cp_free(wide);
    return r;
}

/* --- bins --- */

/* The slot's call: edges are `given`, of float64, or `made`. */
static cp_array *binned(const char *name, cp_array *x, int64_t bins, const cp_array *given, const cpi_edges *made,
                        cpi_bins b, bool counted)
{
    cpi_device *device = x->device;
    cp_array *dense = cpi_dense(name, x, x->type, device), *r = NULL;
    if (dense) r = cpi_array_new(name, device, CP_INT64, 1, counted ? &bins : &x->size, 'C');
    if (r && r->size) {
        b.type = x->type, b.n = x->size, b.bins = bins, b.x = dense->data;
        if (given) b.edges = (const double *)given->data;
        if (made) b.made = *made;
        if (counted) b.counts = (int64_t *)r->data;
        else b.index = (int64_t *)r->data;
        cpi_array_used(dense);
        const cp_code code = x->size ? SLOTS(device)->bins(cpi_stream(device), &b)
                                     : device->backend->zero(cpi_stream(device), r->data, (size_t)cp_nbytes(r));
        if (code) cp_free(r), r = NULL;
    }
    cp_free(dense);
    return r;
}

cp_array *cpi_bins_of(const char *name, cp_array *x, cp_array *edges, bool even, double first, double last,
                      bool counted)
{
    cp_array *both[2] = {x, edges}, *r = NULL;
    cpi_device *device = cpi_common_device(name, 2, both);
    cp_array *e = device ? cpi_dense(name, edges, CP_FLOAT64, device) : NULL;
    const cpi_bins b = {.even = even, .first = first, .last = last};
    if (e) cpi_array_used(e);
    if (e) r = binned(name, x, edges->size - 1, e, NULL, b, counted);
    cp_free(e);
    return r;
}

cp_array *cpi_bins_between(const char *name, cp_array *x, int64_t bins, cpi_edges made, double first, double last,
                           bool counted, cp_array **edges)
{
    const int64_t n = bins + 1;
    const cpi_bins b = {.even = true, .first = first, .last = last};
    cp_array *e = cpi_array_new(name, x->device, made.type, 1, &n, 'C'), *r = NULL;
    if (e) made.to = e->data;
    if (e) r = binned(name, x, bins, NULL, &made, b, counted);
    if (!r) cp_free(e);
    else *edges = e;
    return r;
}

typedef cp_code (*locating)(cp_stream *stream, cp_type type, int64_t n, const void *x, int64_t m, const void *edges,
                            bool right, int64_t *to);

/* What a slot finds among the edges for each element of x, of their common type. */
static cp_array *located(const char *name, cp_array *x, cp_array *edges, bool right, bool few)
{
    cp_array *both[2] = {x, edges}, *r = NULL, *e = NULL;
    cpi_device *device = cpi_common_device(name, 2, both);
    const cp_type type = cpi_common_type(2, both);
    cp_array *dense = device ? cpi_dense(name, x, type, device) : NULL;
    if (dense && (e = cpi_dense(name, edges, type, device)))
        r = cpi_array_new(name, device, CP_INT64, x->ndim, x->shape, 'C');
    if (r && r->size) {
        const locating slot = few ? SLOTS(device)->digitize : SLOTS(device)->locate;
        cpi_array_used(dense), cpi_array_used(e);
        if (slot(cpi_stream(device), type, x->size, dense->data, edges->size, e->data, right, (int64_t *)r->data))
            cp_free(r), r = NULL;
    }
    cp_free(dense), cp_free(e);
    return r;
}

/* Which way the neighbours of a 1-d array go, by NumPy's rule, in which NaN is in order with anything: the first two
 * that are unequal say it, and no later two go the other way. Waits. */
static cp_code direction(cp_array *a, bool *up, bool *ordered)
{
    cp_index later = CP_RANGE(1, INT64_MAX), earlier = CP_RANGE(0, -1);
    uint8_t differ = 0, rises = 1, wrong = 0;
    *up = *ordered = true;
    if (a->size < 2) return CP_OK;
    cp_array *b = cp_slice(a, 1, &later), *c = b ? cp_slice(a, 1, &earlier) : NULL;
    cp_array *rising = c ? cp_less(c, b) : NULL, *falling = rising ? cp_greater(c, b) : NULL;
    cp_array *unequal = falling ? cp_not_equal(c, b) : NULL, *some = unequal ? cp_any(unequal) : NULL;
    cp_array *first = some ? cp_argmax(unequal) : NULL, *way = first ? cp_take(rising, first, CP_FLAT) : NULL;
    cp_code code = way ? cp_to_host(some, &differ, 1) : cp_error();
    if (!code && differ) code = cp_to_host(way, &rises, 1);
    cp_array *any = code ? NULL : cp_any(rises ? falling : rising);
    if (!code) code = any ? cp_to_host(any, &wrong, 1) : cp_error();
    cp_array *const made[] = {b, c, rising, falling, unequal, some, first, way, any};
    for (int i = 0; i < 9; i++) cp_free(made[i]);
    *up = rises, *ordered = !wrong;
    return code;
}

/*: function("digitize", "x: array, bins: array_like, right: bool = False", unlock="always",
             doc="""Which of the intervals between the edges `bins`, which ascend or descend, each element lies in: 0
before the first, their number behind the last. right: an element at an edge belongs to what lies before it. Edges that
do neither are a ValueError, on a GPU at the latest where the result is read.""") */
cp_array *(cp_digitize)(cp_array *x, cp_array *bins, const cp_digitize_options *options)
{
    const char *name = "digitize";
    const bool right = options && options->right;
    bool up, ordered;
    if (cpi_null(name, x) || cpi_null(name, bins)) return NULL;
    if (cpi_is_complex(x->type)) return cpi_fail(CP_ERROR_TYPE, "%s: x may not be complex", name), NULL;
    if (cpi_check_cast(name, CPI_DATA, bins->type, CP_FLOAT64, CP_SAFE)) return NULL;
    if (bins->ndim != 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: object %s", name,
                        bins->ndim ? "too deep for desired array" : "of too small depth for desired array"), NULL;
    if (bins->size && bins->size <= CPI_SMALL_EDGES && x->size)
        return located(name, x, bins, !right, true);
    if (direction(bins, &up, &ordered)) return NULL;
    if (!ordered) return cpi_fail(CP_ERROR_VALUE, "%s: %s", name, CPI_UNORDERED_EDGES), NULL;
    if (up) return located(name, x, bins, !right, false);
    cp_array *transposed = cp_flip(bins, CP_ALL),
             *indices = transposed ? located(name, x, transposed, !right, false) : NULL;
    cp_array *count = indices ? cp_int(bins->size) : NULL, *r = count ? cp_subtract(count, indices) : NULL;
    cp_free(transposed), cp_free(indices), cp_free(count);
    return r;
}

/* --- between samples --- */

static cp_code end_value(cp_array *x, double *to)
{
    if (!x) return CP_OK;
    cp_array *wide = cp_astype(x, CP_COMPLEX128);
    const cp_code code = wide ? cp_to_host(wide, to, 16) : cp_error();
    cp_free(wide);
    return code;
}

/* What lies beyond the samples: what is given, else the first and the last of them. */
static cp_code ends(cpi_interpolation *p, cp_array *fp, const cp_interp_options *o)
{
    const bool left = o->left && !o->period, right = o->right && !o->period;
    cp_index one[2] = {CP_AT(0), CP_AT(-1)};
    cp_array *end;
    for (int i = 0; i < 2; i++) {
        if (i ? right : left) continue;
        if (!(end = cp_slice(fp, 1, &one[i]))) return cp_error();
        const cp_code code = end_value(end, i ? p->right : p->left);
        cp_free(end);
        if (code) return code;
    }
    if (left && end_value(o->left, p->left)) return cp_error();
    return right ? end_value(o->right, p->right) : CP_OK;
}

static cp_array *interpolated(cpi_device *device, cp_array *x, cp_array *xp, cp_array *fp, const cp_interp_options *o)
{
    const char *name = "interp";
    const bool wide = cpi_is_complex(fp->type);
    const cp_type type = wide ? CP_COMPLEX128 : CP_FLOAT64;
    cpi_interpolation p = {.n = x->size, .samples = xp->size, .complex_values = wide};
    if (ends(&p, fp, o)) return NULL;
    cp_array *values = cpi_dense(name, x, CP_FLOAT64, device), *at = NULL, *of = NULL, *r = NULL;
    if (values && (at = cpi_dense(name, xp, CP_FLOAT64, device)) && (of = cpi_dense(name, fp, type, device)))
        r = cpi_array_new(name, device, type, x->ndim, x->shape, 'C');
    if (r && r->size) {
        p.x = (const double *)values->data, p.at = (const double *)at->data, p.of = of->data, p.to = r->data;
        cpi_array_used(values), cpi_array_used(at), cpi_array_used(of);
        if (SLOTS(device)->interpolate(cpi_stream(device), &p)) cp_free(r), r = NULL;
    }
    cp_free(values), cp_free(at), cp_free(of);
    return r;
}

/* The last sample before the first one, and the first behind the last, one period away; `shift` NULL: as they are. */
static cp_array *round_about(cp_array *x, cp_array *shift)
{
    cp_index last = CP_RANGE(-1, INT64_MAX), first = CP_RANGE(0, 1);
    cp_array *a = cp_slice(x, 1, &last), *b = a ? cp_slice(x, 1, &first) : NULL, *before = NULL, *behind = NULL;
    if (b) before = shift ? cp_subtract(a, shift) : cp_retain(a);
    if (before) behind = shift ? cp_add(b, shift) : cp_retain(b);
    cp_array *r = behind ? cp_concatenate(3, ((cp_array *[]){before, x, behind}), 0) : NULL;
    cp_free(a), cp_free(b), cp_free(before), cp_free(behind);
    return r;
}

/* Samples of a periodic function, brought into one period and ordered. */
static cp_array *periodic(cpi_device *device, cp_array *x, cp_array *xp, cp_array *fp, const cp_interp_options *o)
{
    cp_array *p = cp_absolute(o->period), *xs = p ? cp_astype(x, CP_FLOAT64) : NULL;
    cp_array *at = xs ? cp_remainder(xs, p) : NULL, *samples = at ? cp_astype(xp, CP_FLOAT64) : NULL;
    cp_array *in = samples ? cp_remainder(samples, p) : NULL, *order = in ? cp_argsort(in, 0) : NULL;
    cp_array *ordered = order ? cpi_take_rows("interp", in, 0, order) : NULL;
    cp_array *values = ordered ? cpi_take_rows("interp", fp, 0, order) : NULL;
    cp_array *all = values ? round_about(ordered, p) : NULL, *of = all ? round_about(values, NULL) : NULL;
    cp_array *r = of ? interpolated(device, at, all, of, o) : NULL;
    cp_free(p), cp_free(xs), cp_free(at), cp_free(samples), cp_free(in), cp_free(order), cp_free(ordered);
    cp_free(values), cp_free(all), cp_free(of);
    return r;
}

/*: function("interp",
             "x: array_or_number, xp: array_like, fp: array_like, left: number_or_array_like = None, right: "
             "number_or_array_like = None, period: number_or_array_like = None", unlock="always",
             doc="""The piecewise linear function through the samples (xp, fp), xp ascending, at x: float64 or
complex128. left and right: its values beyond them, by default the first and the last. period: xp need not ascend, and
the function goes on for ever.""") */
cp_array *(cp_interp)(cp_array *x, cp_array *xp, cp_array *fp, const cp_interp_options *options)
{
    const cp_interp_options *o = CPI_GIVEN(cp_interp_options, options);
    const char *name = "interp";
    double period[2] = {1, 0};
    if (cpi_null(name, x) || cpi_null(name, xp) || cpi_null(name, fp)) return NULL;
    cp_array *all[3] = {x, xp, fp};
    cpi_device *device = cpi_common_device(name, 3, all);
    if (!device) return NULL;
    const cp_type value = cpi_is_complex(fp->type) ? CP_COMPLEX128 : CP_FLOAT64;
    for (int i = 0; i < 2; i++) {
        cp_array *end = i ? o->right : o->left;
        if (cpi_check_cast(name, CPI_DATA, all[i]->type, CP_FLOAT64, CP_SAFE)) return NULL;
        if (end && !o->period && cpi_check_cast(name, CPI_DATA, end->type, value, CP_SAFE)) return NULL;
    }
    if (o->period && end_value(o->period, period)) return NULL;
    if (period[0] == 0) return cpi_fail(CP_ERROR_VALUE, "%s: period must be a non-zero value", name), NULL;
    if (xp->ndim != 1 || fp->ndim != 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: Data points must be 1-D sequences", name), NULL;
    if (xp->size != fp->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: fp and xp are not of the same length.", name), NULL;
    if (!xp->size) return cpi_fail(CP_ERROR_VALUE, "%s: array of sample points is empty", name), NULL;
    return o->period ? periodic(device, x, xp, fp, o) : interpolated(device, x, xp, fp, o);
}
