/* Permutations and choices.
 *
 * A permutation is the stable argsort of n random words, the same on every device and by every sort; the chance
 * of equal words is below n^2 / 2^64. Choices without replacement of few elements of many use Floyd's algorithm
 * ("Programming pearls", CACM 1987) on the host; with weights they are the indices of the largest u^(1/p) (Efraimidis
 * and Spirakis 2006), by an argsort of -log(u) / p. */
#include <math.h>

#include "cuprite/elementwise.h"
#include "cuprite/reduce.h"
#include "cuprite/sort.h"
#include "index/index.h"
#include "random/draw.h"

/* By the device's permutation slot; false: it has none. *r is NULL where an error was set. */
static bool permuted_there(cp_rng *g, int64_t n, cp_array **r)
{
    cpi_device *device = cpi_device_current();
    *r = NULL;
    if (!device) return true;
    const cpi_random_ops *ops = device->backend->random;
    if (cpi_rng_kind(g) > CP_RNG_PHILOX4X32 || n < ops->permutes_least || n > ops->permutes_most || !n) return false;
    if (!(*r = cpi_array_new("permutation", device, CP_INT64, 1, &n, 'C'))) return true;
    cpi_rng_lock(g);
    const cpi_bit_stream from = cpi_rng_take(g, n);
    cpi_rng_unlock(g);
    if (ops->permutation(cpi_stream(device), &from, n, (int64_t *)(*r)->data)) cp_free(*r), *r = NULL;
    return true;
}

cp_array *cp_rng_permutation(cp_rng *g, int64_t n)
{
    if (cpi_null("permutation", g)) return NULL;
    if (n < 0) return cpi_fail(CP_ERROR_VALUE, "permutation: negative dimensions are not allowed"), NULL;
    cp_array *r;
    if (permuted_there(g, n, &r)) return r;
    cp_array *keys = cp_rng_raw(g, .shape = CP_SHAPE(n));
    r = keys ? cp_argsort(keys, 0) : NULL;
    cp_free(keys);
    return r;
}

/* x[..., index, ...] along an axis, for valid indices; the index's axes replace the axis. */
static cp_array *taken(const char *name, cp_array *x, int axis, cp_array *index)
{
    int64_t shape[2 * CP_MAXDIM], outer = 1, bytes = cpi_itemsize(x->type);
    int ndim = 0;
    if (x->ndim - 1 + index->ndim > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "%s: more than %d dimensions", name, CP_MAXDIM), NULL;
    for (int i = 0; i < axis; i++) outer *= shape[ndim++] = x->shape[i];
    for (int i = 0; i < index->ndim; i++) shape[ndim++] = index->shape[i];
    for (int i = axis + 1; i < x->ndim; i++) bytes *= shape[ndim++] = x->shape[i];
    cp_array *from = cpi_dense(name, x, x->type, x->device), *at = cpi_dense(name, index, CP_INT64, x->device),
             *r = NULL;
    if (from && at) r = cpi_array_new(name, x->device, x->type, ndim, shape, 'C');
    if (r && r->size) {
        const int64_t n = x->shape[axis];
        const cpi_rows rows = {outer,     at->size, bytes,   (const int64_t *)at->data, from->data,
                               n * bytes, bytes,    r->data, at->size * bytes,          bytes, n};
        if (x->device->backend->index->take(cpi_stream(x->device), &rows)) cp_free(r), r = NULL;
    }
    cp_free(at);
    cp_free(from);
    return r;
}

/* Makes x's device the current one; *before is the old one. */
static bool enter(const cp_array *x, int *before)
{
    *before = cp_device_current();
    return *before != CP_NO_DEVICE && (x->flags & CPI_HOST_SCALAR || !cp_device_use(cp_device_of(x)));
}

static cp_array *shuffled(const char *name, cp_rng *g, cp_array *x, int axis)
{
    int before;
    if (cpi_null(name, g) || cpi_null(name, x)) return NULL;
    if (cpi_axis(name, &axis, x->ndim) || !enter(x, &before)) return NULL;
    cpi_array_used(x);
    cp_array *order = cp_rng_permutation(g, x->shape[axis]), *r = order ? taken(name, x, axis, order) : NULL;
    cp_free(order);
    cp_device_use(before);
    return r;
}

cp_array *cp_rng_shuffled(cp_rng *g, cp_array *x, int axis) { return shuffled("shuffled", g, x, axis); }

cp_code cp_rng_shuffle(cp_rng *g, cp_array *x, int axis)
{
    if (!cpi_null("shuffle", x) && cpi_check_writable("shuffle", x)) return cp_error();
    cp_array *r = shuffled("shuffle", g, x, axis);
    const cp_code code = r ? cp_assign(x, r) : cp_error();
    cp_free(r);
    return code;
}

/* Permutes each row by itself: the orders of rows are indices in the flattened rows. */
static cp_array *each_row(cp_rng *g, cp_array *rows, int64_t n)
{
    const int64_t m = rows->size / n;
    cp_array *order = cp_argsort(cp_rng_raw(g, .shape = CP_SHAPE(m, n)), 1);
    cp_array *first = cp_reshape(cp_arange_int(0, m * n, n, CP_INT64), CP_SHAPE(m, 1));
    cp_array *place = cp_reshape(cp_add(order, first), CP_SHAPE(m * n)), *flat = cp_reshape(rows, CP_SHAPE(m * n));
    return place && flat ? taken("permuted", flat, 0, place) : NULL;
}

cp_array *cp_rng_permuted(cp_rng *g, cp_array *x, int axis)
{
    int before;
    if (cpi_null("permuted", g) || cpi_null("permuted", x) || cpi_axis_or_flat("permuted", &axis, x->ndim)) return NULL;
    if (!x->size) return cp_copy(x);
    if (!enter(x, &before)) return NULL;
    cp_array *r = NULL;
    cp_scope *s = cp_scope_begin();
    if (s) {
        cpi_array_used(x);
        cp_array *moved = axis == CP_FLAT ? cp_ravel(x) : cpi_axis_moved(x, axis, x->ndim - 1);
        const int64_t n = axis == CP_FLAT ? x->size : x->shape[axis];
        cp_array *rows = moved ? cp_contiguous(moved) : NULL;
        r = rows ? each_row(g, rows, n) : NULL;
        if (r)
            r = cp_reshape(r, axis == CP_FLAT ? (cp_shape){x->ndim, x->shape} : (cp_shape){moved->ndim, moved->shape});
        if (r && axis != CP_FLAT && axis != x->ndim - 1)
            r = cp_copy(cpi_axis_moved(r, x->ndim - 1, axis));
        r = cp_scope_return(s, r);
    }
    cp_device_use(before);
    return r;
}

cp_array *cp_rng_gather(cp_array *x, cp_array *index, int axis)
{
    const char *name = "choice";
    bool good = true;
    if (cpi_null(name, x) || cpi_null(name, index) || cpi_axis(name, &axis, x->ndim)) return NULL;
    if (!cpi_is_int(index->type)) return cpi_fail(CP_ERROR_TYPE, "%s: indices are integers", name), NULL;
    if (!cpi_common_device(name, 2, (cp_array *[]){x, index})) return NULL;
    cpi_array_used(x), cpi_array_used(index);
    for (CP_SCOPE) {
        cp_array *n = cp_int(x->shape[axis]);
        cp_array *inside = cp_all(cp_logical_and(cp_greater_equal(index, cp_int(0)), cp_less(index, n)));
        if (!inside || cp_to_host(inside, &good, sizeof good)) return NULL;
    }
    if (!good) return cpi_fail(CP_ERROR_INDEX, "%s: an index is out of bounds", name), NULL;
    return taken(name, x, axis, index);
}

/* --- choices --- */

/* Probabilities on the host, checked. */
static double *weights(cp_array *p, int64_t n, int64_t *positive)
{
    const char *name = "choice";
    double sum = 0, lost = 0;
    if (p->ndim != 1) return cpi_fail(CP_ERROR_VALUE, "%s: p must be 1-dimensional", name), NULL;
    if (p->size != n) return cpi_fail(CP_ERROR_VALUE, "%s: a and p must have same size", name), NULL;
    if (cpi_no_parameter(name, &(cpi_parameter){"p", p, CPI_ANY})) return NULL;
    cp_array *dense = cp_astype(p, CP_FLOAT64), *flat = dense ? cp_contiguous(dense) : NULL;
    double *w = flat ? cpi_malloc((size_t)n * sizeof *w) : NULL;
    if (w && cp_to_host(flat, w, (size_t)n * sizeof *w)) cpi_free_host(w), w = NULL;
    cp_free(flat);
    cp_free(dense);
    if (!w) return NULL;
    const char *wrong = NULL;
    *positive = 0;
    for (int64_t i = 0; i < n && !wrong; i++) { /* Kahan's sum, as NumPy's */
        if (isnan(w[i])) wrong = "Probabilities contain NaN";
        else if (w[i] < 0) wrong = "Probabilities are not non-negative";
        const double add = w[i] - lost, next = sum + add;
        lost = (next - sum) - add;
        sum = next;
        *positive += w[i] > 0;
    }
    const double given = cpi_is_float(p->type) ? ldexp(1, -(int)(p->type == CP_FLOAT64   ? 52
                                                                 : p->type == CP_FLOAT32 ? 23
                                                                                         : 7))
                                               : 0x1p-52;
    if (!wrong && !(fabs(sum - 1) <= fmax(sqrt(0x1p-52), sqrt(given)))) wrong = "Probabilities do not sum to 1";
    if (!wrong) return w;
    cpi_free_host(w);
    return cpi_fail(CP_ERROR_VALUE, "%s: %s", name, wrong), NULL;
}

static cp_array *by_weights(cp_rng *g, int64_t n, double *w, const cp_draw_options *o)
{
    double sum = 0;
    int64_t last = n - 1;
    while (last > 0 && !(w[last] > 0)) last--;
    for (int64_t i = 0; i < n; i++) w[i] = sum += w[i];
    for (int64_t i = 0; i < n; i++) w[i] = i >= last ? 1 : w[i] / sum;
    cp_array *table = cp_from_host(w, CP_FLOAT64, CP_SHAPE(n), NULL);
    cpi_drawing d = {.name = "choice", .g = g, .distribution = CPR_CHOICE, .options = o, .table = table, .width = n};
    cp_array *r = table ? cpi_draw_distribution(&d) : NULL;
    cp_free(table);
    return r;
}

/* Keys whose order gives the choice; those of weight 0 are infinite. */
static cp_array *by_keys(cp_rng *g, int64_t n, const double *w)
{
    cp_array *p = cp_from_host(w, CP_FLOAT64, CP_SHAPE(n), NULL);
    cp_array *e = cp_rng_exponential(g, cp_float(1), .shape = CP_SHAPE(n));
    return cp_argsort(cp_divide(e, p), 0);
}

/* k of n by Floyd's algorithm, with a hash table, then in random order. */
static cp_array *few_of_many(cp_rng *g, int64_t n, int64_t k)
{
    int64_t slots = 16;
    while (slots < 2 * k) slots *= 2;
    int64_t *table = cpi_malloc((size_t)slots * sizeof *table), *r = cpi_malloc((size_t)(k ? k : 1) * sizeof *r);
    cp_array *out = NULL;
    if (table && r) {
        memset(table, 0xff, (size_t)slots * sizeof *table);
        cpi_rng_lock(g);
        for (int64_t j = n - k, i = 0; j < n; j++, i++) {
            const int64_t t = (int64_t)cpi_rng_below(g, (uint64_t)j + 1);
            int64_t v = t;
            for (;;) {
                int64_t at = (int64_t)(((uint64_t)v * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (slots - 1);
                while (table[at] >= 0 && table[at] != v) at = (at + 1) & (slots - 1);
                if (table[at] < 0) {
                    table[at] = v;
                    break;
                }
                v = j; /* t was chosen before: j was not */
            }
            r[i] = v;
        }
        for (int64_t i = k - 1; i > 0; i--) {
            const int64_t j = (int64_t)cpi_rng_below(g, (uint64_t)i + 1), v = r[i];
            r[i] = r[j], r[j] = v;
        }
        cpi_rng_unlock(g);
        out = cp_from_host(r, CP_INT64, CP_SHAPE(k), NULL);
    }
    cpi_free_host(r);
    cpi_free_host(table);
    return out;
}

static cp_array *without(cp_rng *g, int64_t n, int64_t k, const double *w)
{
    cp_array *all;
    if (!w && k < n / 50 && k < 1 << 24) return few_of_many(g, n, k);
    all = w ? by_keys(g, n, w) : cp_rng_permutation(g, n);
    return all ? cp_contiguous(cp_slice(all, 1, &CP_RANGE(0, k))) : NULL;
}

cp_array *(cp_rng_choice)(cp_rng *g, int64_t n, bool replace, cp_array *p, const cp_draw_options *options)
{
    const char *name = "choice";
    const cp_draw_options *o = CPI_GIVEN(cp_draw_options, options);
    int64_t shape[CP_MAXDIM], k = 1, positive = 0;
    int ndim;
    if (cpi_null(name, g) || cpi_draw_shape(name, o, 0, NULL, &ndim, shape)) return NULL;
    for (int i = 0; i < ndim; i++)
        if (__builtin_mul_overflow(k, shape[i], &k))
            return cpi_fail(CP_ERROR_VALUE, "%s: too many elements", name), NULL;
    if (n <= 0 && k)
        return cpi_fail(CP_ERROR_VALUE, "%s: a must be a positive integer unless no samples are taken", name), NULL;
    if (!replace && k > n)
        return cpi_fail(CP_ERROR_VALUE, "%s: Cannot take a larger sample than population when replace is False", name),
               NULL;
    double *w = p && n > 0 ? weights(p, n, &positive) : NULL;
    if (p && n > 0 && !w) return NULL;
    if (w && !replace && k > positive)
        return cpi_free_host(w), cpi_fail(CP_ERROR_VALUE, "%s: Fewer non-zero entries in p than size", name), NULL;
    cp_array *r = NULL;
    cp_scope *s = cp_scope_begin();
    if (s && k == 0) r = cp_empty((cp_shape){ndim, shape}, CP_INT64);
    else if (s && !replace) r = cp_reshape(without(g, n, k, w), (cp_shape){ndim, shape});
    else if (s && w) r = by_weights(g, n, w, &(cp_draw_options){.shape = o->shape});
    else if (s) r = cp_rng_integers(g, cp_int(0), cp_int(n), false, .shape = o->shape);
    if (s) r = cp_scope_return(s, r);
    cpi_free_host(w);
    if (r && o->typed && o->dtype != CP_INT64) {
        cp_array *other = cp_astype(r, o->dtype);
        cp_free(r);
        r = other;
    }
    return cpi_deliver(name, r, o->out, CP_SAME_KIND);
}
