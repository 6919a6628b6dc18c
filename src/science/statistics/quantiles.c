/* Quantiles: what is given is checked and read on the host, where few places of a row are wanted they are selected,
 * else rows are sorted, and the backend reads the quantiles off the rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuprite/elementwise.h"
#include "cuprite/reduce.h"
#include "cuprite/sort.h"
#include "operands/operands.h"
#include "index/index.h"
#include "sort/sort.h"
#include "statistics/methods.h"
#include "statistics/statistics.h"

/*: words("quantile_method",
          "linear lower higher midpoint nearest inverted_cdf averaged_inverted_cdf closest_observation "
          "interpolated_inverted_cdf hazen weibull median_unbiased normal_unbiased", c="cp_quantile_method") */

enum { FEW_POSITIONS = 8, LONG_ROW = 1 << 17 };

typedef struct asking {
    const char *name;
    bool known, percent;
    cp_axes axes;
    bool keepdims;
    cp_quantile_method method;
    cp_array *out, *weights;
    double *q;   /* on the host: 0 to 1 */
    int64_t count;
    bool whole;  /* q are integers, and no percents */
    cpi_quantiles job;
} asking;

/* q as numbers from 0 to 1, in the arithmetic of their type. */
static cp_code read_positions(asking *s, cp_array *q)
{
    if (q->ndim > 2) return cpi_fail(CP_ERROR_VALUE, "%s: q must be a scalar or 1d", s->name);
    if (cpi_is_complex(q->type)) return cpi_fail(CP_ERROR_TYPE, "%s: q must be real", s->name);
    if (q->ndim == 2 && !q->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: zero-size array to reduction operation minimum which has no identity",
                        s->name);
    const bool single = cpi_is_float(q->type) && q->type != CP_FLOAT64;
    cp_array *wide = cp_astype(q, CP_FLOAT64);
    cp_code code = CP_ERROR_MEMORY;
    s->count = q->size;
    s->whole = cpi_is_whole(q->type) && !s->percent;
    s->job.computed = single ? CP_FLOAT32 : CP_FLOAT64;
    if (wide && (s->q = cpi_malloc((size_t)q->size * sizeof *s->q + 1)))
        code = q->size ? cp_to_host(wide, s->q, (size_t)q->size * sizeof *s->q) : CP_OK;
    cp_free(wide);
    for (int64_t i = 0; !code && i < s->count; i++) {
        if (s->percent) s->q[i] = cpi_rounded(single, s->q[i] / 100);
        if (!(s->q[i] >= 0 && s->q[i] <= 1))
            code = cpi_fail(CP_ERROR_VALUE, s->percent ? "%s: Percentiles must be in the range [0, 100]"
                                                       : "%s: Quantiles must be in the range [0, 1]", s->name);
    }
    return code;
}

static bool gives_elements(const asking *s)
{
    switch ((int)s->method) {
    case CP_QUANTILE_METHOD_LOWER: case CP_QUANTILE_METHOD_HIGHER: case CP_QUANTILE_METHOD_NEAREST:
    case CP_QUANTILE_METHOD_INVERTED_CDF: case CP_QUANTILE_METHOD_CLOSEST_OBSERVATION: return true;
    case CP_QUANTILE_METHOD_LINEAR: return s->whole;
    default: return false;
    }
}

/* The type of what lies between elements: theirs where q is a Python number. */
static cp_type between(const cp_array *a, const cp_array *q)
{
    if (q->flags & CPI_WEAK) return cpi_is_whole(a->type) ? CP_FLOAT64 : a->type;
    return cp_promote(a->type, cpi_is_whole(q->type) ? CP_FLOAT64 : q->type);
}

/* Which elements of a row are read, ascending and distinct; 0: too many to be worth it. */
static int wanted_positions(const asking *s, int64_t n, int64_t *indices)
{
    int found = 0;
    const bool single = s->job.computed == CP_FLOAT32;
    if (s->weights || s->count > FEW_POSITIONS) return 0;
    if (!cpi_is_whole(s->job.type) && !s->known) indices[found++] = n - 1; /* NaN would be there */
    for (int64_t i = 0; i < s->count; i++) {
        cpi_quantile_position p = {0, 0, 0};
        if (s->job.elements) p.before = p.behind = cpi_quantile_element(s->method, single, (double)n, s->q[i]);
        else p = cpi_quantile_between(s->method, single, n, s->q[i]);
        for (int k = 0; k < 2; k++) {
            int64_t v = k ? p.behind : p.before;
            int at = 0;
            v = v > n - 1 ? n - 1 : v < 0 ? 0 : v;
            while (at < found && indices[at] < v) at++;
            if (at < found && indices[at] == v) continue;
            memmove(indices + at + 1, indices + at, (size_t)(found - at) * sizeof *indices);
            indices[at] = v, found++;
        }
    }
    return found;
}

/* The weights of sorted rows: theirs in the order of the elements. */
static cp_array *sorted_weights(const asking *s, cp_array *rows, cp_array *weights, int64_t count, int64_t n)
{
    cp_array *order = cp_argsort(rows, -1), *row = order ? cp_arange_int(0, count, 1, CP_INT64) : NULL;
    cp_array *size = row ? cp_int(n) : NULL, *first = size ? cp_multiply(row, size) : NULL;
    cp_array *column = first ? cp_expand_dims(first, CP_AXES(1)) : NULL,
             *position = column ? cp_add(order, column) : NULL;
    cp_array *flat = position ? cp_ravel(position) : NULL, *line = flat ? cp_ravel(weights) : NULL;
    cp_array *r = line ? cpi_take_rows(s->name, line, 0, flat) : NULL;
    cp_free(order), cp_free(row), cp_free(size), cp_free(first), cp_free(column), cp_free(position);
    cp_free(flat), cp_free(line);
    return r;
}

/* Weights like a, from its shape or that of the one axis; not negative, and with a finite sum that is not 0. */
static cp_array *full_weights(const asking *s, cp_array *a)
{
    if (s->method != CP_QUANTILE_METHOD_INVERTED_CDF)
        return cpi_fail(CP_ERROR_VALUE, "%s: Only method 'inverted_cdf' supports weights.", s->name), NULL;
    if (cpi_is_complex(s->weights->type)) return cpi_fail(CP_ERROR_TYPE, "%s: weights must be real", s->name), NULL;
    cp_array *like = cpi_weights_like(s->name, a, s->weights, s->axes);
    cp_array *wide = like ? cp_astype(like, CP_FLOAT64) : NULL;
    cp_array *r = wide ? cp_broadcast_to(wide, (cp_shape){a->ndim, a->shape}) : NULL;
    cp_free(like), cp_free(wide);
    if (!r) return NULL;
    cp_array *zero = cp_int(0), *less = zero ? cp_less(r, zero) : NULL, *any = less ? cp_any(less) : NULL;
    uint8_t yes = 0;
    cp_code code = any ? cp_to_host(any, &yes, 1) : cp_error();
    if (!code && yes) code = cpi_fail(CP_ERROR_VALUE, "%s: Weights must be non-negative.", s->name);
    cp_free(zero), cp_free(less), cp_free(any);
    return code ? cp_free(r), NULL : r;
}

/* Which rows have nothing but NaN: those have that as their result, whatever they weigh. */
static cp_array *unknown_rows(cp_array *table)
{
    cp_array *nan = cp_isnan(table), *r = nan ? cp_all(nan, .axis = CP_AXES(1)) : NULL;
    cp_free(nan);
    return r;
}

/* A row whose weights have no sum is an error; one with a NaN among its elements has that as its result. */
static cp_code check_sums(const asking *s, cp_array *elements, cp_array *weights, int64_t rows, int64_t n)
{
    cp_array *table = cp_reshape(weights, CP_SHAPE(rows, n)), *sum = table ? cp_sum(table, .axis = CP_AXES(1)) : NULL;
    cp_array *finite = sum ? cp_isfinite(sum) : NULL, *both = finite ? cp_logical_and(finite, sum) : NULL;
    cp_array *excused = both && s->known ? unknown_rows(elements) : NULL;
    cp_array *each = !s->known ? cp_retain(both) : excused ? cp_logical_or(both, excused) : NULL;
    cp_array *all = each ? cp_all(each) : NULL;
    uint8_t yes = 1;
    cp_code code = all ? cp_to_host(all, &yes, 1) : cp_error();
    if (!code && !yes) code = cpi_fail(CP_ERROR_VALUE, "%s: Weights included NaN, inf or were all zero.", s->name);
    cp_free(table), cp_free(sum), cp_free(finite), cp_free(both), cp_free(all);
    cp_free(excused), cp_free(each);
    return code;
}

/* Rows of a copy of the elements, with the places that are read in order. */
static cp_array *ordered_rows(asking *s, cp_array *a, const cpi_slices *slices, cpi_device *device, cp_array **weights)
{
    int64_t indices[2 * FEW_POSITIONS + 1];
    cp_array *dense = cpi_slices_dense(s->name, a, slices, device, true), *w = NULL;
    if (!dense) return NULL;
    if (dense->data == a->data) {
        cp_array *own = cp_copy(dense);
        cp_free(dense);
        if (!(dense = own)) return NULL;
    }
    const int64_t n = slices->reduced, rows = slices->kept;
    if (s->weights) {
        cp_array *full = full_weights(s, a),
                 *there = full ? cpi_slices_dense(s->name, full, slices, device, true) : NULL;
        cp_array *table = there ? cp_reshape(dense, CP_SHAPE(rows, n)) : NULL;
        if (table && !check_sums(s, table, there, rows, n)) w = sorted_weights(s, table, there, rows, n);
        cp_free(full), cp_free(there), cp_free(table);
        if (!w) return cp_free(dense), NULL;
    }
    *weights = w;
    const int found = s->known ? 0 : wanted_positions(s, n, indices);
    const cpi_sort_ops *sort = device->backend->sort;
    cp_stream *stream = cpi_stream(device);
    cpi_array_used(dense);
    const cp_code code = found ? sort->partition(stream, dense->type, rows, n, dense->data, found, indices)
                               : sort->sort(stream, dense->type, rows, n, dense->data, dense->data);
    if (!code) return dense;
    cp_free(dense), cp_free(w);
    *weights = NULL;
    return NULL;
}

/* Can places be picked out of the one row, which stays? Where results are there when calls return: how many elements
 * are numbers is read. */
static bool can_select_kth(const asking *s, const cpi_slices *slices, const cpi_device *device)
{
    const int bytes = (int)cpi_itemsize(s->job.type);
    return device->backend->at_once && device->backend->sort->select_kth && slices->kept == 1 &&
           slices->reduced >= LONG_ROW && !s->weights && s->count <= FEW_POSITIONS && (bytes == 4 || bytes == 8) &&
           !cpi_is_complex(s->job.type);
}

static cp_code count_numbers(cp_array *x, int64_t *numbers)
{
    cp_array *nan = cp_isnan(x), *count = nan ? cp_count_nonzero(nan) : NULL;
    int64_t missing = 0;
    const cp_code code = count ? cp_to_host(count, &missing, sizeof missing) : cp_error();
    cp_free(nan), cp_free(count);
    *numbers = x->size - missing;
    return code;
}

/* Only the elements that are read, in s->job.indices, which is memory of the caller's. */
static cp_array *selected(asking *s, cp_array *a, const cpi_slices *slices, cpi_device *device, int64_t *indices)
{
    cpi_quantiles *job = &s->job;
    cp_array *dense = cpi_slices_dense(s->name, a, slices, device, true), *r = NULL;
    job->numbers = slices->reduced, job->indices = indices;
    cp_code code = dense ? CP_OK : cp_error();
    if (!code && s->known && !cpi_is_whole(job->type)) code = count_numbers(dense, &job->numbers);
    if (!code) {
        job->found = job->numbers ? wanted_positions(s, job->numbers, indices) : 0;
        if (!job->found) indices[job->found++] = slices->reduced - 1;
        const int64_t found = job->found;
        if ((r = cpi_array_new(s->name, device, job->type, 1, &found, 'C')))
            code = device->backend->sort->select_kth(cpi_stream(device), job->type, slices->reduced, dense->data,
                                                     job->found, indices, r->data);
    }
    cp_free(dense);
    return code ? cp_free(r), NULL : r;
}

static cp_code read_off(asking *s, cp_array *a, const cpi_slices *slices, cpi_device *device, cp_array *r)
{
    int64_t indices[2 * FEW_POSITIONS + 1];
    cp_array *weights = NULL, *rows = can_select_kth(s, slices, device) ? selected(s, a, slices, device, indices)
                                                                 : ordered_rows(s, a, slices, device, &weights);
    cp_array *q = rows ? cp_from_host(s->q, CP_FLOAT64, CP_SHAPE(s->count), NULL) : NULL, *there = NULL;
    cp_code code = CP_ERROR_MEMORY;
    if (q && (there = cp_to_device(q, device->id))) {
        cpi_quantiles *job = &s->job;
        job->rows = slices->kept, job->n = slices->reduced, job->count = s->count;
        job->x = rows->data, job->q = (const double *)there->data, job->to = r->data;
        job->method = s->method, job->known = s->known;
        job->weight = weights ? (const double *)weights->data : NULL;
        cpi_array_used(there);
        code = device->backend->statistics->quantiles(cpi_stream(device), job);
    }
    cp_free(rows), cp_free(q), cp_free(there), cp_free(weights);
    return code;
}

/* NumPy's medians assign to out, its quantiles compute into it. */
static cp_casting casting_of(const asking *s) { return s->method == CPI_QUANTILE_MEDIAN ? CP_UNSAFE : CP_SAME_KIND; }

/* Of an array without elements: NumPy's mean of it, whatever q is. */
static cp_array *of_nothing(const asking *s, cp_array *a, const cpi_slices *slices)
{
    cp_array *both[2] = {a, s->out};
    cpi_output o = {.function = s->name, .device = cpi_common_device(s->name, 2, both),
                    .type = cpi_is_whole(a->type) ? CP_FLOAT64 : a->type, .ndim = slices->ndim, .shape = slices->shape,
                    .out = s->out, .casting = casting_of(s)};
    if (!o.device || cpi_output_open(&o, 1, &a)) return NULL;
    if (slices->kept) cpi_warn(CP_WARNING_MEAN);
    cp_array *nan = cpi_is_complex(a->type) ? cp_complex(NAN, NAN) : cp_float(NAN);
    const cp_code code = nan ? cp_fill(o.array, nan) : cp_error();
    cp_free(nan);
    return cpi_output_close(&o, code);
}

/* Methods that NumPy computes in integers where q are some: 0 or 1, so the least and the greatest element. */
static bool is_integral(const asking *s, const cp_array *q)
{
    return s->whole && !(q->flags & CPI_WEAK) &&
           (s->method == CP_QUANTILE_METHOD_WEIBULL || s->method == CP_QUANTILE_METHOD_AVERAGED_INVERTED_CDF ||
            s->method == CP_QUANTILE_METHOD_INTERPOLATED_INVERTED_CDF);
}

static cp_array *quantiles(asking *s, cp_array *a, cp_array *q);
static cp_array *integral(asking *s, cp_array *a, cp_array *q)
{
    cp_array *out = s->out, *typed = NULL;
    s->out = NULL, s->method = CP_QUANTILE_METHOD_LOWER;
    cp_array *r = quantiles(s, a, q);
    if (r) typed = cp_astype(r, cp_promote(a->type, q->type == CP_BOOL ? CP_INT64 : q->type));
    cp_free(r);
    return cpi_deliver(s->name, typed, out, CP_SAME_KIND);
}

/* 1 where an element is true; takes the array over. */
static bool any_true(cp_array *x, cp_code *code)
{
    cp_array *any = x ? cp_any(x) : NULL;
    bool yes = false;
    cp_free(x);
    if (!any || cp_to_host(any, &yes, sizeof yes)) *code = cp_error();
    cp_free(any);
    return yes;
}

/* NumPy's warning of rows of nothing but NaN, where results are there anyway: the rows are looked at only where a
 * result is NaN. */
static cp_code notice_nothing(const asking *s, cp_array *a, const cpi_device *device, cp_array *result)
{
    cp_code code = CP_OK;
    if (!s->known || s->method == CPI_QUANTILE_MEDIAN || !device->backend->at_once || !cpi_is_float(a->type))
        return CP_OK;
    if (!any_true(cp_isnan(result), &code) || code) return code;
    cp_array *nan = cp_isnan(a), *rows = nan ? cp_all(nan, .axis = s->axes) : NULL;
    cp_free(nan);
    if (any_true(rows, &code)) cpi_warn(CP_WARNING_ALL_NAN);
    return code;
}

static cp_array *quantiles(asking *s, cp_array *a, cp_array *q)
{
    cpi_slices slices;
    int64_t shape[2 * CP_MAXDIM];
    if (cpi_null(s->name, a) || cpi_null(s->name, q)) return NULL;
    if (cpi_is_complex(a->type) && (s->method != CPI_QUANTILE_MEDIAN || a->size)) /* nothing has a median that is NaN */
        return cpi_fail(CP_ERROR_TYPE, "%s: a must be an array of real numbers", s->name), NULL;
    cpi_free_host(s->q), s->q = NULL;
    if (read_positions(s, q) || cpi_slices_of(s->name, a, s->axes, s->keepdims, &slices)) return NULL;
    cp_array *both[2] = {a, s->out};
    s->job.type = a->type, s->job.elements = gives_elements(s), s->job.result = between(a, q);
    if (s->known && !a->size) return of_nothing(s, a, &slices);
    if (!slices.reduced && (s->count || cpi_is_float(a->type))) /* no places of no integers are none */
        return cpi_fail(CP_ERROR_INDEX, "%s: index -1 is out of bounds for axis 0 with size 0", s->name), NULL;
    if (a->type == CP_BOOL && !s->job.elements)
        return cpi_fail(CP_ERROR_TYPE, "%s: numpy boolean subtract, the `-` operator, is not supported, use the "
                        "bitwise_xor, the `^` operator, or the logical_xor function instead.", s->name), NULL;
    if (is_integral(s, q)) return integral(s, a, q);
    if (q->ndim + slices.ndim > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "%s: the result would have more than %d dimensions", s->name, CP_MAXDIM), NULL;
    if (q->ndim) memcpy(shape, q->shape, (size_t)q->ndim * sizeof *shape);
    memcpy(shape + q->ndim, slices.shape, (size_t)slices.ndim * sizeof *shape);
    cpi_output o = {.function = s->name, .device = cpi_common_device(s->name, 2, both),
                    .type = s->job.elements ? a->type : s->job.result, .ndim = q->ndim + slices.ndim, .shape = shape,
                    .out = s->out, .casting = casting_of(s), .dense = true};
    if (!o.device || cpi_output_open(&o, 1, &a)) return NULL;
    cp_code code = CP_OK;
    if (slices.kept && s->count) code = read_off(s, a, &slices, o.device, o.array);
    if (slices.kept && s->count && !code) code = notice_nothing(s, a, o.device, o.array);
    return cpi_output_close(&o, code);
}

cp_array *cpi_known_median(const char *name, cp_array *a, cp_axes axes, bool keepdims, cp_array *out)
{
    asking s = {name, true, false, axes, keepdims, CPI_QUANTILE_MEDIAN, out};
    cp_array *half = cp_float(0.5), *r = half ? quantiles(&s, a, half) : NULL;
    cp_free(half);
    cpi_free_host(s.q);
    return r;
}

#define ASK(function, is_known, is_percent)                                                                       \
    const cp_##function##_options *o = CPI_GIVEN(cp_##function##_options, options);                               \
    asking s = {#function, is_known, is_percent, o->axis, o->keepdims, o->method, o->out, o->weights};            \
    cp_array *r = quantiles(&s, a, q);                                                                            \
    cpi_free_host(s.q);                                                                                           \
    return r

/*: function("quantile",
             "a: array, q: number_or_array_like, axis: index_axes = None, out: out = None, overwrite_input: flag = "
             "False, method: quantile_method = 'linear', keepdims: bool = False, *, weights: array_like = None",
             unlock="always",
             doc="""The values below which the parts q (0 to 1) of the elements lie, over axes; NaN where there is one.
The result's first axes are q's. method: NumPy's thirteen. weights, with 'inverted_cdf' alone, of a's shape or that of
the axes. IndexError of nothing.""") */
cp_array *(cp_quantile)(cp_array *a, cp_array *q, const cp_quantile_options *options) { ASK(quantile, false, false); }

/*: function("percentile",
             "a: array, q: number_or_array_like, axis: index_axes = None, out: out = None, overwrite_input: flag = "
             "False, method: quantile_method = 'linear', keepdims: bool = False, *, weights: array_like = None",
             unlock="always", doc="quantile of percents: q from 0 to 100.") */
cp_array *(cp_percentile)(cp_array *a, cp_array *q, const cp_percentile_options *options)
{
    ASK(percentile, false, true);
}

/*: function("nanquantile",
             "a: array, q: number_or_array_like, axis: index_axes = None, out: out = None, overwrite_input: flag = "
             "False, method: quantile_method = 'linear', keepdims: bool = False, *, weights: array_like = None",
             unlock="always", doc="quantile of what is not NaN; NaN where all are.") */
cp_array *(cp_nanquantile)(cp_array *a, cp_array *q, const cp_nanquantile_options *options)
{
    ASK(nanquantile, true, false);
}

/*: function("nanpercentile",
             "a: array, q: number_or_array_like, axis: index_axes = None, out: out = None, overwrite_input: flag = "
             "False, method: quantile_method = 'linear', keepdims: bool = False, *, weights: array_like = None",
             unlock="always", doc="percentile of what is not NaN; NaN where all are.") */
cp_array *(cp_nanpercentile)(cp_array *a, cp_array *q, const cp_nanpercentile_options *options)
{
    ASK(nanpercentile, true, true);
}
