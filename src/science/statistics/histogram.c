/* Histograms: edges are computed here, or, if few and even, by the binning kernel.
 *
 * Invariant: the edges have the bits of NumPy's linspace whichever makes them. */
#include <float.h>
#include <math.h>

#include "compose/compose.h"
#include "operands/operands.h"
#include "statistics/methods.h"
#include "statistics/statistics.h"

/* The value of a 0-d array; x NULL: fails. */
static cp_code value_of_0d(cp_array *x, double *value)
{
    double bits[2];
    if (x && !cpi_is_complex(cp_type_of(x))) {
        const cp_code code = cp_to_host(x, bits, (size_t)cpi_itemsize(cp_type_of(x)));
        if (!code) *value = cpi_number_at(cp_type_of(x), bits, 0);
        return code;
    }
    cp_array *wide = x ? cp_astype(x, CP_FLOAT64) : NULL;
    return wide ? cp_to_host(wide, value, sizeof *value) : cp_error();
}

typedef struct span {
    cp_array *first, *last; /* 0-d: what was given, or numbers of the elements' type */
    double low, high;
} span;

/* An end shifted by a value; a Python scalar stays one. */
static cp_array *beside(cp_array *end, double value, double by)
{
    return end->flags & CPI_WEAK ? cp_float(value + by) : cp_add(end, cp_float(by));
}

/* Has the device a slot that finds the minimum and maximum of this type in one read? */
static bool has_span(const cpi_device *device, cp_type t)
{
    const bool wide = cpi_itemsize(t) > 4 && t != CP_FLOAT64, small = cpi_is_float(t) && cpi_itemsize(t) < 4;
    return device->backend->statistics->span && !wide && !small;
}

static cp_array *ends_by_slot(cp_array *x, cpi_device *device)
{
    const cp_type t = cp_type_of(x);
    cp_array *dense = cpi_dense("histogram", x, t, device);
    cp_array *ends = dense ? cpi_array_new("histogram", device, CP_FLOAT64, 1, (int64_t[]){2}, 'C') : NULL;
    if (ends) cpi_array_used(dense);
    const bool done = ends && !device->backend->statistics->span(cpi_stream(device), t, x->size, dense->data,
                                                                 (double *)ends->data);
    cp_free(dense);
    return done ? cp_astype(ends, t) : NULL;
}

static cp_array *ends_by_reductions(cp_array *x)
{
    cp_array *ends = cp_empty(CP_SHAPE(2), cp_type_of(x)), *low = ends ? cp_slice(ends, 1, &CP_AT(0)) : NULL;
    cp_array *high = low ? cp_slice(ends, 1, &CP_AT(1)) : NULL;
    return high && cp_min(x, .out = low) && cp_max(x, .out = high) ? ends : NULL;
}

/* The minimum and the maximum of a non-empty array, read together as numbers of its type. */
static bool find_ends(cp_array *x, span *s)
{
    _Alignas(16) unsigned char both[32];
    const cp_type t = cp_type_of(x);
    cpi_device *device = cpi_common_device("histogram", 1, &x);
    if (!device) return false;
    cp_array *ends = has_span(device, t) ? ends_by_slot(x, device) : ends_by_reductions(x);
    if (!ends || cp_to_host(ends, both, sizeof both)) return false;
    s->first = cp_scalar(t, both), s->last = cp_scalar(t, both + cpi_itemsize(t));
    return s->first && s->last;
}

/* The range of the bins: as given, else that of the elements; half a unit to both sides of a single value. */
static bool find_span(const char *name, cp_array *a, cp_array *low, cp_array *high, span *s)
{
    const bool given = low && high;
    *s = (span){low, high, 0, 1};
    if (!given && !cp_size(a)) s->first = cp_int(0), s->last = cp_int(1);
    if (!given && cp_size(a) && !find_ends(a, s)) return false;
    if (value_of_0d(s->first, &s->low) || value_of_0d(s->last, &s->high)) return false;
    if (given && s->low > s->high)
        return cpi_fail(CP_ERROR_VALUE, "%s: max must be larger than min in range parameter.", name), false;
    if (!isfinite(s->low) || !isfinite(s->high))
        return cpi_fail(CP_ERROR_VALUE, "%s: %s range of [%g, %g] is not finite", name,
                        given ? "supplied" : "autodetected", s->low, s->high), false;
    if (s->low == s->high) {
        s->first = beside(s->first, s->low, -0.5), s->last = beside(s->last, s->high, 0.5);
        if (value_of_0d(s->first, &s->low) || value_of_0d(s->last, &s->high)) return false;
    }
    return true;
}

/* The type of even edges: that of the elements and both ends, a floating one. */
static cp_type edge_type(const cp_array *a, const span *s)
{
    cp_type t = cpi_promote_arrays(3, (cp_array *[]){(cp_array *)a, s->first, s->last}, true);
    return cpi_is_whole(t) ? cp_promote(t, CP_FLOAT64) : t;
}

static cp_code all_true(cp_array *truths, uint8_t *yes)
{
    cp_array *all = truths ? cp_all(truths) : NULL;
    return all ? cp_to_host(all, yes, 1) : cp_error();
}

/* Are edges far enough from each other that rounding keeps their order? Else they are checked. */
static bool surely_ascend(cp_type t, int64_t bins, const span *s)
{
    const bool wide = t == CP_FLOAT64, single = t == CP_FLOAT32;
    const double size = fmax(fabs(s->low), fabs(s->high)), step = (s->high - s->low) / (double)bins;
    if (!wide && !single) return false;
    return isfinite(s->high - s->low) && size < (wide ? DBL_MAX : FLT_MAX) / 4 &&
           step > 16 * (wide ? DBL_EPSILON : FLT_EPSILON) * size && step > 16 * (wide ? DBL_MIN : FLT_MIN);
}

static cp_array *even_edges(const char *name, const cp_array *a, int64_t bins, const span *s)
{
    if (bins < 1) return cpi_fail(CP_ERROR_VALUE, "%s: `bins` must be positive, when an integer", name), NULL;
    if (bins == INT64_MAX) return cpi_fail(CP_ERROR_MEMORY, "%s: the result has too many elements", name), NULL;
    cp_array *e = cp_linspace(s->first, s->last, bins + 1, .typed = true, .dtype = edge_type(a, s));
    if (!e) return NULL;
    uint8_t ascends = surely_ascend(cp_type_of(e), bins, s);
    if (!ascends && all_true(cp_less(cpi_range(e, 0, 0, -1), cpi_range(e, 0, 1, INT64_MAX)), &ascends)) return NULL;
    if (ascends) return e;
    return cpi_fail(CP_ERROR_VALUE, "%s: Too many bins for data range. Cannot create %lld finite-sized bins.", name,
                    (long long)bins), NULL;
}

/* The type that linspace computes in between two ends: numbers, or typed values alike; CP_DEFAULT: others. */
static cp_type computed_type(const span *s)
{
    const cp_type a = cp_type_of(s->first), b = cp_type_of(s->last);
    const bool weak = s->first->flags & CPI_WEAK;
    if (weak != !!(s->last->flags & CPI_WEAK) || cpi_is_complex(a) || cpi_is_complex(b)) return CP_DEFAULT;
    if (weak || (cpi_is_whole(a) && cpi_is_whole(b))) return CP_FLOAT64;
    return a == b && (a == CP_FLOAT32 || a == CP_FLOAT64) ? a : CP_DEFAULT;
}

/* Can the binning kernel compute even_edges' edges itself? Then its parameters. */
static bool are_made(const cp_array *x, int64_t bins, const span *s, cpi_edges *e)
{
    *e = (cpi_edges){.computed = computed_type(s), .start = s->low, .stop = s->high};
    if (bins < 1 || bins > CPI_MADE_BINS || !cp_size(x) || e->computed == CP_DEFAULT) return false;
    e->type = edge_type(x, s);
    if (!surely_ascend(e->type, bins, s)) return false;
    e->step = e->computed == CP_FLOAT32 ? ((float)s->high - (float)s->low) / (float)bins
                                        : (s->high - s->low) / (double)bins;
    return e->step > 0 && isfinite(e->step);
}

/* Is the last edge NaN, which sorts last? Synchronizes. */
static bool ends_in_nan(cp_array *edges)
{
    const char kind = cp_type_kind(cp_type_of(edges));
    cp_array *last = kind == 'f' && cp_size(edges) ? cp_slice(edges, 1, &CP_RANGE(-1, INT64_MAX)) : NULL;
    uint8_t number = 1;
    return last && !all_true(cp_equal(last, last), &number) && !number;
}

/* Checks given edges: 1-d, nowhere descending; and whether the last is NaN. Without NaN that is one look at them. */
static bool good_edges(const char *name, cp_array *e, bool *nan)
{
    if (cp_ndim(e) != 1) return cpi_fail(CP_ERROR_VALUE, "%s: `bins` must be 1d, when an array", name), false;
    uint8_t ascends = cp_size(e) < 2;
    *nan = false;
    if (!ascends && all_true(cp_less_equal(cpi_range(e, 0, 0, -1), cpi_range(e, 0, 1, INT64_MAX)), &ascends))
        return false;
    if (ascends) return true;
    cp_array *falls = cp_greater(cpi_range(e, 0, 0, -1), cpi_range(e, 0, 1, INT64_MAX));
    if (all_true(falls ? cp_logical_not(falls) : NULL, &ascends)) return false;
    if (!ascends)
        return cpi_fail(CP_ERROR_VALUE, "%s: `bins` must increase monotonically, when an array", name), false;
    *nan = ends_in_nan(e);
    return true;
}

/* The counts between edges whose last ones may be NaN, as in NumPy: by searchsorted in x, sorted. */
static cp_array *counted_in_order(cp_array *x, cp_array *edges)
{
    cp_array *sorted = cp_sort(x, 0), *but_last = cp_slice(edges, 1, &CP_RANGE(0, -1));
    cp_array *last = cp_slice(edges, 1, &CP_RANGE(-1, INT64_MAX));
    cp_array *from = sorted && but_last ? cp_searchsorted(sorted, but_last) : NULL;
    cp_array *to = from && last ? cp_searchsorted(sorted, last, .side = CP_SIDE_RIGHT) : NULL;
    cp_array *all[] = {from, to}, *indices = to ? cp_concatenate(2, all, 0) : NULL;
    return indices ? cp_diff(indices, 1, 0) : NULL;
}

/* Sums of weights by bin, of the weights' type. */
static cp_array *weighed(cp_array *index, cp_array *weights, int64_t bins)
{
    cp_type t = cp_type_of(weights);
    if (cp_type_kind(t) != 'c') {
        cp_array *sums = cpi_bincount("histogram", index, weights, bins);
        return sums ? cp_astype(sums, t) : NULL;
    }
    cp_array *r = cp_empty(CP_SHAPE(bins), t);
    for (int part = 0; r && part < 2; part++) {
        cp_array *w = part ? cp_imag_part(weights) : cp_real_part(weights);
        cp_array *sums = w ? cpi_bincount("histogram", index, w, bins) : NULL; /* NULL weights would mean counting */
        if (!sums || cp_assign(part ? cp_imag_part(r) : cp_real_part(r), sums)) return NULL;
    }
    return r;
}

/* Each bin's fraction of the total, divided by its width. */
static cp_array *density_of(cp_array *counts, cp_array *edges)
{
    cp_array *widths = edges ? cp_diff(edges, 1, 0) : NULL, *wide = widths ? cp_astype(widths, CP_FLOAT64) : NULL;
    return counts && wide ? cp_divide(cp_divide(counts, wide), cp_sum(counts)) : NULL;
}

/*: python_module("_statistics", doc="Histograms in C, behind cuprite.histogram.") */
/*: function("histogram",
             "a: array, bins: int64 = 10, edges: array_like = None, low: number_or_array_like = None, high: "
             "number_or_array_like = None, density: bool = False, weights: array_like = None",
             module="_statistics", returns="(hist, bin_edges)", unlock="always",
             doc="""How many elements lie in each of `bins` intervals of one width between `low` and `high` (by default
the least and the greatest), or in those between `edges`; the last holds its right edge too. The counts, or the sums of
weights, and the edges.""") */
cp_code (cp_histogram)(cp_array *a, int64_t bins, cp_array **hist, cp_array **bin_edges,
                       const cp_histogram_options *options)
{
    const cp_histogram_options *o = CPI_GIVEN(cp_histogram_options, options);
    const char *name = "histogram";
    cpi_composite f;
    span s = {0};
    cpi_edges made;
    bool nan = false;
    if (hist) *hist = NULL;
    if (bin_edges) *bin_edges = NULL;
    if (!cpi_begin(&f, name, a)) return cp_error();
    cp_array *x = cp_ravel(a), *w = o->weights ? cp_ravel(o->weights) : NULL, *edges = NULL, *r = NULL;
    if (x && cp_type_of(x) == CP_BOOL) x = cp_astype(x, CP_UINT8);
    bool good = x && (w || !o->weights);
    if (good && cp_type_kind(cp_type_of(x)) == 'c')
        good = !cpi_fail(CP_ERROR_TYPE, "%s: a must be an array of real numbers", name);
    if (good && o->weights) {
        good = cp_ndim(o->weights) == cp_ndim(a);
        for (int i = 0; good && i < cp_ndim(a); i++) good = cp_dim(o->weights, i) == cp_dim(a, i);
        if (!good) cpi_fail(CP_ERROR_VALUE, "%s: weights should have the same shape as a.", name);
    }
    if (good && !o->edges) good = find_span(name, x, o->low, o->high, &s);
    if (good && !o->edges && are_made(x, bins, &s, &made)) {
        r = cpi_bins_between(name, x, bins, made, s.low, s.high, !w, &edges);
    } else if (good) {
        if (!o->edges) edges = even_edges(name, x, bins, &s);
        else if (good_edges(name, o->edges, &nan)) edges = cp_slice(o->edges, 1, &CP_ELLIPSIS);
        if (edges && cp_size(edges) < 2) r = cp_zeros(CP_SHAPE(0), w ? cp_type_of(w) : CP_INT64);
        else if (edges && nan && !w) r = counted_in_order(x, edges);
        else if (edges) r = cpi_bins_of(name, x, edges, !o->edges, s.low, s.high, !w);
    }
    if (r && w && cp_size(edges) > 1) r = weighed(r, w, cp_size(edges) - 1);
    if (r && o->density) r = density_of(r, edges);
    if (r && hist) *hist = cp_keep(r);
    if (r && bin_edges) *bin_edges = cp_keep(edges);
    cpi_end(&f, NULL);
    if (r && hist) cpi_into_scope(*hist);
    if (r && bin_edges) cpi_into_scope(*bin_edges);
    return r ? CP_OK : cp_error();
}

/* --- in several dimensions --- */

/* The bin number of each coordinate, from 1 on; 0 before the first edge, one more behind the last. The last bin
 * includes its right edge. */
static cp_array *positions_of(cp_array *x, cp_array *edges)
{
    cp_array *at = cp_digitize(x, edges), *last = at ? cp_slice(edges, 1, &CP_AT(-1)) : NULL;
    return last ? cp_subtract(at, cp_equal(x, last)) : NULL;
}

/* Counts, or sums of weights, of all cells and of a border around them for the points outside. */
static cp_array *bordered(const char *name, int n, cp_array *const *x, cp_array *const *edges, cp_array *weights)
{
    cp_array *position = NULL;
    int64_t shape[CP_MAXDIM], total = 1;
    if (n > CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "%s: more than %d dimensions", name, CP_MAXDIM), NULL;
    for (int i = 0; i < n; i++) {
        shape[i] = cp_size(edges[i]) + 1;
        if (__builtin_mul_overflow(total, shape[i], &total))
            return cpi_fail(CP_ERROR_MEMORY, "%s: too many cells", name), NULL;
        cp_array *at = positions_of(x[i], edges[i]);
        position = !i ? at : at && position ? cp_add(cp_multiply(position, cp_int(shape[i])), at) : NULL;
        if (!position) return NULL;
    }
    cp_array *counts = cp_bincount(position, .weights = weights, .minlength = total);
    return counts ? cp_reshape(counts, (cp_shape){n, shape}) : NULL;
}

/* Each cell's fraction of the total, divided by its volume. */
static cp_array *cell_density(cp_array *counts, int n, cp_array *const *edges)
{
    int64_t shape[CP_MAXDIM];
    cp_array *total = cp_sum(counts);
    for (int i = 0; i < n && counts; i++) {
        for (int k = 0; k < n; k++) shape[k] = k == i ? cp_size(edges[i]) - 1 : 1;
        cp_array *widths = cp_diff(edges[i], 1, 0);
        counts = widths ? cp_divide(counts, cp_reshape(widths, (cp_shape){n, shape})) : NULL;
    }
    return counts && total ? cp_divide(counts, total) : NULL;
}

static cp_array *cells(const char *name, int n, cp_array *const *x, cp_array *const *edges, bool density,
                       cp_array *weights)
{
    cp_index inner[CP_MAXDIM];
    for (int i = 0; i < n; i++) {
        bool nan;
        if (!good_edges(name, edges[i], &nan)) return NULL;
        if (!cp_size(edges[i])) return cpi_fail(CP_ERROR_VALUE, "%s: no edges", name), NULL;
        inner[i] = CP_RANGE(1, -1);
    }
    cp_array *all = bordered(name, n, x, edges, weights), *counts = all ? cp_slice(all, n, inner) : NULL;
    cp_array *wide = counts ? cp_astype(counts, CP_FLOAT64) : NULL;
    return wide && density ? cell_density(wide, n, edges) : wide;
}

/*: function("histogramdd", "sample: array, edges: arrays, density: bool = False, weights: array_like = None",
             module="_statistics", unlock="always",
             about={"sample": "(points, dimensions)", "edges": "for each dimension the edges of its bins",
                    "weights": "what each point counts, or None"},
             doc="""How many points lie in each cell of a grid, whose dimensions have these edges; the last bins hold
their right edges too. Counts, or sums of weights, float64.""") */
cp_array *(cp_histogramdd)(cp_array *sample, int n, cp_array *const *edges, const cp_histogramdd_options *options)
{
    const cp_histogramdd_options *o = CPI_GIVEN(cp_histogramdd_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "histogramdd", sample)) return NULL;
    cp_array *x[CP_MAXDIM];
    bool good = n > 0 && n <= CP_MAXDIM && cp_ndim(sample) == 2 && cp_dim(sample, 1) == n;
    if (!good) cpi_fail(CP_ERROR_VALUE, "histogramdd: edges of %d dimensions for a sample that has others", n);
    for (int i = 0; good && i < n; i++) {
        good = !cpi_null("histogramdd", edges[i]) && (x[i] = cp_slice(sample, 2, (cp_index[]){CP_FULL, CP_AT(i)}));
    }
    return cpi_end(&f, good ? cells("histogramdd", n, x, edges, o->density, o->weights) : NULL);
}

/*: function("histogram2d", "x: array, y: array, x_edges: array_like, y_edges: array_like, density: bool = False, "
             "weights: array_like = None", module="_statistics", unlock="always",
             about={"x": "the points' first coordinates", "y": "their second ones", "x_edges": "the edges along x",
                    "y_edges": "the edges along y", "weights": "what each point counts, or None"},
             doc="""How many points (x, y) lie in each cell between these edges; the last bins hold their right edges
too. Counts, or sums of weights, float64.""") */
cp_array *(cp_histogram2d)(cp_array *x, cp_array *y, cp_array *x_edges, cp_array *y_edges,
                           const cp_histogram2d_options *options)
{
    const cp_histogram2d_options *o = CPI_GIVEN(cp_histogram2d_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "histogram2d", x)) return NULL;
    bool good = !cpi_null("histogram2d", y) && !cpi_null("histogram2d", x_edges) && !cpi_null("histogram2d", y_edges);
    if (good && (cp_ndim(x) != 1 || cp_ndim(y) != 1 || cp_size(x) != cp_size(y)))
        good = !cpi_fail(CP_ERROR_VALUE, "histogram2d: x and y must have the same length.");
    cp_array *at[] = {x, y}, *edges[] = {x_edges, y_edges};
    return cpi_end(&f, good ? cells("histogram2d", 2, at, edges, o->density, o->weights) : NULL);
}

/*: function("histogram_bin_edges",
             "a: array, bins: int64 = 10, low: number_or_array_like = None, high: number_or_array_like = None",
             module="_statistics", unlock="always",
             doc="""The edges of `bins` intervals of one width between `low` and `high` (by default the least and the
greatest element), as histogram has them.""") */
cp_array *(cp_histogram_bin_edges)(cp_array *a, int64_t bins, const cp_histogram_bin_edges_options *options)
{
    const cp_histogram_bin_edges_options *o = CPI_GIVEN(cp_histogram_bin_edges_options, options);
    span s = {0};
    cpi_composite f;
    if (!cpi_begin(&f, "histogram_bin_edges", a)) return NULL;
    cp_array *x = cp_type_of(a) == CP_BOOL ? cp_astype(a, CP_UINT8) : a;
    const bool found = x && find_span("histogram_bin_edges", x, o->low, o->high, &s);
    return cpi_end(&f, found ? even_edges("histogram_bin_edges", x, bins, &s) : NULL);
}
