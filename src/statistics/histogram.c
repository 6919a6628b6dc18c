/* Histograms: edges are made here, elements are brought to their bins by the room statistics. */
#include <float.h>
#include <math.h>

#include "compose/compose.h"
#include "front/front.h"
#include "statistics/methods.h"
#include "statistics/statistics.h"

/* The value of a 0-d array; x NULL: fails. */
static cp_code number(cp_array *x, double *value)
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
    cp_array *first, *last; /* numbers, or 0-d arrays of the elements' type */
    double low, high;
} span;

/* An end moved; a number without a type of its own remains one. */
static cp_array *beside(cp_array *end, double value, double by)
{
    return end->flags & CPI_WEAK ? cp_float(value + by) : cp_add(end, cp_float(by));
}

/* What the bins cover: what is given, else the elements; half a unit to both sides of a single value. */
static bool find_span(const char *name, cp_array *a, cp_array *low, cp_array *high, span *s)
{
    const bool given = low && high;
    *s = (span){low, high, 0, 1};
    if (!given) {
        s->first = cp_size(a) ? cp_min(a) : cp_int(0);
        s->last = cp_size(a) ? cp_max(a) : cp_int(1);
    }
    if (number(s->first, &s->low) || number(s->last, &s->high)) return false;
    if (given && s->low > s->high)
        return cpi_fail(CP_ERROR_VALUE, "%s: max must be larger than min in range parameter.", name), false;
    if (!isfinite(s->low) || !isfinite(s->high))
        return cpi_fail(CP_ERROR_VALUE, "%s: %s range of [%g, %g] is not finite", name,
                        given ? "supplied" : "autodetected", s->low, s->high), false;
    if (s->low == s->high) {
        s->first = beside(s->first, s->low, -0.5), s->last = beside(s->last, s->high, 0.5);
        if (number(s->first, &s->low) || number(s->last, &s->high)) return false;
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

/* Are edges so far apart that rounding keeps their order? Else they are looked at. */
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

/* Edges that are given: 1-d, nowhere descending. */
static bool good_edges(const char *name, cp_array *e)
{
    if (cp_ndim(e) != 1) return cpi_fail(CP_ERROR_VALUE, "%s: `bins` must be 1d, when an array", name), false;
    uint8_t ascends = cp_size(e) < 2;
    if (!ascends && all_true(cp_less_equal(cpi_range(e, 0, 0, -1), cpi_range(e, 0, 1, INT64_MAX)), &ascends))
        return false;
    return ascends || !cpi_fail(CP_ERROR_VALUE, "%s: `bins` must increase monotonically, when an array", name);
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
        cp_array *sums = w ? cpi_bincount("histogram", index, w, bins) : NULL; /* without weights it would count */
        if (!sums || cp_assign(part ? cp_imag_part(r) : cp_real_part(r), sums)) return NULL;
    }
    return r;
}

/* Each bin's share of all, by its width. */
static cp_array *density_of(cp_array *counts, cp_array *edges)
{
    cp_array *widths = edges ? cp_diff(edges, 1, 0) : NULL, *wide = widths ? cp_astype(widths, CP_FLOAT64) : NULL;
    return counts && wide ? cp_divide(cp_divide(counts, wide), cp_sum(counts)) : NULL;
}

/*: module("_statistics", doc="Histograms in C, behind cuprite.histogram.") */
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
    cpi_frame f;
    span s = {0};
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
    if (good && o->edges) edges = good_edges(name, o->edges) ? cp_slice(o->edges, 1, &CP_ELLIPSIS) : NULL;
    else if (good && find_span(name, x, o->low, o->high, &s)) edges = even_edges(name, x, bins, &s);
    const int64_t count = edges ? cp_size(edges) - 1 : 0;
    if (edges && count < 1) r = cp_zeros(CP_SHAPE(0), w ? cp_type_of(w) : CP_INT64);
    else if (edges && !w) r = cpi_bins_of(name, x, edges, !o->edges, s.low, s.high, true);
    else if (edges) {
        cp_array *index = cpi_bins_of(name, x, edges, !o->edges, s.low, s.high, false);
        r = index ? weighed(index, w, count) : NULL;
    }
    if (r && o->density) r = density_of(r, edges);
    if (r && hist) *hist = cp_keep(r);
    if (r && bin_edges) *bin_edges = cp_keep(edges);
    cpi_end(&f, NULL);
    return r ? CP_OK : cp_error();
}
