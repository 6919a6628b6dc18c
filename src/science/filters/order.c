/* Extremes and ranks of boxes and footprints, and grey morphology. */
#include <math.h>

#include "filters/steps.h"

typedef struct order {
    const char *name;
    cp_shape size, origin;
    cp_array *footprint, *structure, *out;
    cp_filter_mode mode;
    double cval;
} order;

/* Extremes of a box, along one axis after the other. */
static cp_array *box(const order *f, cp_array *x, bool low)
{
    int64_t size[CP_MAXDIM], origin[CP_MAXDIM];
    const int ndim = cp_ndim(x);
    cp_array *r = x;
    if (cpi_filter_per_axis(f->name, "size", f->size, ndim, 1, size)) return NULL;
    if (cpi_filter_per_axis(f->name, "origin", f->origin, ndim, 0, origin)) return NULL;
    for (int d = 0; d < ndim && r; d++) {
        cp_array *to = size[d] == 1 ? NULL : cpi_filter_fresh(r, f->out);
        if (size[d] == 1) continue;
        if (!to) return NULL;
        r = low ? cp_minimum_filter1d(r, size[d], d, .mode = f->mode, .cval = f->cval, .origin = origin[d], .out = to)
                : cp_maximum_filter1d(r, size[d], d, .mode = f->mode, .cval = f->cval, .origin = origin[d], .out = to);
    }
    return r == x ? cp_astype(x, f->out ? cp_type_of(f->out) : cp_type_of(x)) : r;
}

static cp_array *extreme(const order *f, cp_array *x, bool low)
{
    if (!x) return NULL;
    if (!f->footprint && !f->structure) {
        if (f->size.dim) return box(f, x, low);
        return cpi_fail(CP_ERROR_RUNTIME, "%s: size, footprint or structure must be given", f->name), NULL;
    }
    cp_array *to = cpi_filter_fresh(x, f->out);
    if (!to) return NULL;
    if (low)
        return cp_minimum_window(x, f->footprint, f->structure, .mode = f->mode, .cval = f->cval, .origin = f->origin,
                                 .out = to);
    return cp_maximum_window(x, f->footprint, f->structure, .mode = f->mode, .cval = f->cval, .origin = f->origin,
                             .out = to);
}

/* Dilation: the window is turned round. */
static cp_array *dilation(const order *given, cp_array *x)
{
    order f = *given;
    int64_t origin[CP_MAXDIM], size[CP_MAXDIM];
    if (!x) return NULL;
    const cp_array *window = f.footprint ? f.footprint : f.structure;
    const int ndim = cp_ndim(x);
    if (window && cp_ndim(window) != ndim)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: a window of %d dimensions for an image of %d", f.name, cp_ndim(window),
                        ndim), NULL;
    if (cpi_filter_per_axis(f.name, "origin", f.origin, ndim, 0, origin)) return NULL;
    if (cpi_filter_per_axis(f.name, "size", f.size, ndim, 1, size)) return NULL;
    for (int d = 0; d < ndim; d++) origin[d] = -origin[d] - !((window ? cp_dim(window, d) : size[d]) & 1);
    f.origin = (cp_shape){ndim, origin};
    if (f.footprint && !(f.footprint = cp_flip(f.footprint, CP_ALL))) return NULL;
    if (f.structure && !(f.structure = cp_flip(f.structure, CP_ALL))) return NULL;
    return extreme(&f, x, false);
}

/* The row's arguments. */
#define ORDER(NAME, o) {NAME, (o)->size, (o)->origin, (o)->footprint, (o)->structure, (o)->out, (o)->mode, (o)->cval}
#define PLAIN(NAME, o) {NAME, (o)->size, (o)->origin, (o)->footprint, NULL, (o)->out, (o)->mode, (o)->cval}
/* Intermediate results have the input's type. */
static order within(const order *f)
{
    order r = *f;
    r.out = NULL;
    return r;
}

/*: function("minimum_filter", """input: array, size: per_axis = None, footprint: array = None,
             mode: filter_mode = 'reflect', cval: double = 0, origin: per_axis = None, out: out = None""",
             module="_filters", doc="The least elements of a box or a footprint; NaN where there is one.") */
cp_array *(cp_minimum_filter)(cp_array *input, const cp_minimum_filter_options *options)
{
    const cp_minimum_filter_options *o = CPI_GIVEN(cp_minimum_filter_options, options);
    const order f = PLAIN("minimum_filter", o);
    cpi_composite c;
    if (!cpi_begin(&c, f.name, input)) return NULL;
    return cpi_filter_end(&c, f.name, extreme(&f, input, true), f.out);
}

/*: function("maximum_filter", """input: array, size: per_axis = None, footprint: array = None,
             mode: filter_mode = 'reflect', cval: double = 0, origin: per_axis = None, out: out = None""",
             module="_filters", doc="The greatest elements of a box or a footprint; NaN where there is one.") */
cp_array *(cp_maximum_filter)(cp_array *input, const cp_maximum_filter_options *options)
{
    const cp_maximum_filter_options *o = CPI_GIVEN(cp_maximum_filter_options, options);
    const order f = PLAIN("maximum_filter", o);
    cpi_composite c;
    if (!cpi_begin(&c, f.name, input)) return NULL;
    return cpi_filter_end(&c, f.name, extreme(&f, input, false), f.out);
}

/* The sizes of the box, where there is no footprint, and the number of the window's elements. */
static cp_code box_of(const order *f, cp_array *x, int64_t *size, int64_t *n)
{
    *n = 1;
    if (f->footprint) {
        *n = cp_item_int(cp_count_nonzero(f->footprint));
        return CP_OK;
    }
    if (!f->size.dim) return cpi_fail(CP_ERROR_RUNTIME, "%s: no footprint or filter size provided", f->name);
    if (cpi_filter_per_axis(f->name, "size", f->size, cp_ndim(x), 1, size)) return cp_error();
    for (int d = 0; d < cp_ndim(x); d++) {
        if (size[d] < 1) return cpi_fail(CP_ERROR_RUNTIME, "%s: incorrect filter size", f->name);
        if (__builtin_mul_overflow(*n, size[d], n))
            return cpi_fail(CP_ERROR_MEMORY, "%s: the window is too large", f->name);
    }
    return CP_OK;
}

typedef enum ranking { BY_RANK, BY_MEDIAN, BY_PERCENTILE } ranking;

static cp_array *ranked(const order *f, cp_array *x, ranking how, int64_t rank, double percentile)
{
    int64_t size[CP_MAXDIM], n;
    if (box_of(f, x, size, &n)) return NULL;
    cp_array *to = cpi_filter_fresh(x, f->out);
    if (!to) return NULL;
    if (how == BY_MEDIAN) rank = n / 2;
    if (how == BY_PERCENTILE) {
        if (percentile < 0) percentile += 100;
        if (!(percentile >= 0 && percentile <= 100))
            return cpi_fail(CP_ERROR_RUNTIME, "%s: invalid percentile", f->name), NULL;
        rank = percentile == 100 ? n - 1 : (int64_t)((double)n * percentile / 100);
    }
    return cpi_filter_window(&(cpi_window_call_nd){.c = {"rank_filter", f->mode, f->cval, to}, .op = CPI_WINDOW_RANK,
                                                   .origin = f->origin, .footprint = f->footprint, .rank = rank,
                                                   .box = {cp_ndim(x), size}}, x);
}

/*: function("rank_filter", """input: array, rank: int64, size: per_axis = None, footprint: array = None,
             mode: filter_mode = 'reflect', cval: double = 0, origin: per_axis = None, out: out = None""",
             module="_filters", doc="The elements of a rank in a box or a footprint, NaN last.") */
cp_array *(cp_rank_filter)(cp_array *input, int64_t rank, const cp_rank_filter_options *options)
{
    const cp_rank_filter_options *o = CPI_GIVEN(cp_rank_filter_options, options);
    const order f = PLAIN("rank_filter", o);
    cpi_composite c;
    if (!cpi_begin(&c, f.name, input)) return NULL;
    return cpi_filter_end(&c, f.name, ranked(&f, input, BY_RANK, rank, 0), f.out);
}

/*: function("median_filter", """input: array, size: per_axis = None, footprint: array = None,
             mode: filter_mode = 'reflect', cval: double = 0, origin: per_axis = None, out: out = None""",
             module="_filters", doc="The medians of a box or a footprint, in whose order NaN is last.") */
cp_array *(cp_median_filter)(cp_array *input, const cp_median_filter_options *options)
{
    const cp_median_filter_options *o = CPI_GIVEN(cp_median_filter_options, options);
    const order f = PLAIN("median_filter", o);
    cpi_composite c;
    if (!cpi_begin(&c, f.name, input)) return NULL;
    return cpi_filter_end(&c, f.name, ranked(&f, input, BY_MEDIAN, 0, 0), f.out);
}

/*: function("percentile_filter", """input: array, percentile: double, size: per_axis = None, footprint: array = None,
             mode: filter_mode = 'reflect', cval: double = 0, origin: per_axis = None, out: out = None""",
             module="_filters", doc="The percentiles of a box or a footprint, in whose order NaN is last.") */
cp_array *(cp_percentile_filter)(cp_array *input, double percentile, const cp_percentile_filter_options *options)
{
    const cp_percentile_filter_options *o = CPI_GIVEN(cp_percentile_filter_options, options);
    const order f = PLAIN("percentile_filter", o);
    cpi_composite c;
    if (!cpi_begin(&c, f.name, input)) return NULL;
    return cpi_filter_end(&c, f.name, ranked(&f, input, BY_PERCENTILE, 0, percentile), f.out);
}

/* --- grey morphology --- */

typedef enum grey { EROSION, DILATION, OPENING, CLOSING, GRADIENT, LAPLACE, WHITE, BLACK } grey;

/* a - b, of booleans where they differ. */
static cp_array *less(cp_array *a, cp_array *b)
{
    if (!a || !b) return NULL;
    return cp_type_of(a) == CP_BOOL && cp_type_of(b) == CP_BOOL ? cp_bitwise_xor(a, b) : cp_subtract(a, b);
}

static cp_array *grey_of(const order *f, cp_array *x, grey how)
{
    const order in = within(f);
    switch (how) {
    case EROSION: return extreme(f, x, true);
    case DILATION: return dilation(f, x);
    case OPENING: return dilation(f, extreme(&in, x, true));
    case CLOSING: return extreme(f, dilation(&in, x), true);
    case GRADIENT: return cp_subtract(dilation(&in, x), extreme(&in, x, true));
    case LAPLACE: return cp_subtract(cp_subtract(cp_add(dilation(&in, x), extreme(&in, x, true)), x), x);
    case WHITE: return less(x, dilation(&in, extreme(&in, x, true)));
    case BLACK: break;
    }
    return less(extreme(&in, dilation(&in, x), true), x);
}

#define GREY(NAME, HOW)                                                             \
    cp_array *(cp_##NAME)(cp_array *input, const cp_##NAME##_options *options)      \
    {                                                                               \
        const cp_##NAME##_options *o = CPI_GIVEN(cp_##NAME##_options, options);     \
        const order f = ORDER(#NAME, o);                                            \
        cpi_composite c;                                                            \
        if (!cpi_begin(&c, f.name, input)) return NULL;                             \
        return cpi_filter_end(&c, f.name, grey_of(&f, input, HOW), f.out);          \
    }

/*: function("grey_erosion", """input: array, size: per_axis = None, footprint: array = None,
             structure: array = None, mode: filter_mode = 'reflect', cval: double = 0, origin: per_axis = None,
             out: out = None""", module="_filters",
             doc="Grey erosion: the least elements of a window, less the structure's.") */
GREY(grey_erosion, EROSION)
/*: function("grey_dilation", """input: array, size: per_axis = None, footprint: array = None,
             structure: array = None, mode: filter_mode = 'reflect', cval: double = 0, origin: per_axis = None,
             out: out = None""", module="_filters",
             doc="Grey dilation: the greatest elements of the turned window, with the structure's added.") */
GREY(grey_dilation, DILATION)
/*: function("grey_opening", """input: array, size: per_axis = None, footprint: array = None,
             structure: array = None, mode: filter_mode = 'reflect', cval: double = 0, origin: per_axis = None,
             out: out = None""", module="_filters", doc="Grey opening: an erosion, then a dilation.") */
GREY(grey_opening, OPENING)
/*: function("grey_closing", """input: array, size: per_axis = None, footprint: array = None,
             structure: array = None, mode: filter_mode = 'reflect', cval: double = 0, origin: per_axis = None,
             out: out = None""", module="_filters", doc="Grey closing: a dilation, then an erosion.") */
GREY(grey_closing, CLOSING)
/*: function("morphological_gradient", """input: array, size: per_axis = None, footprint: array = None,
             structure: array = None, mode: filter_mode = 'reflect', cval: double = 0, origin: per_axis = None,
             out: out = None""", module="_filters", doc="Dilation less erosion.") */
GREY(morphological_gradient, GRADIENT)
/*: function("morphological_laplace", """input: array, size: per_axis = None, footprint: array = None,
             structure: array = None, mode: filter_mode = 'reflect', cval: double = 0, origin: per_axis = None,
             out: out = None""", module="_filters", doc="Dilation and erosion, less the input twice.") */
GREY(morphological_laplace, LAPLACE)
/*: function("white_tophat", """input: array, size: per_axis = None, footprint: array = None,
             structure: array = None, mode: filter_mode = 'reflect', cval: double = 0, origin: per_axis = None,
             out: out = None""", module="_filters", doc="The input less its opening.") */
GREY(white_tophat, WHITE)
/*: function("black_tophat", """input: array, size: per_axis = None, footprint: array = None,
             structure: array = None, mode: filter_mode = 'reflect', cval: double = 0, origin: per_axis = None,
             out: out = None""", module="_filters", doc="The closing less the input.") */
GREY(black_tophat, BLACK)
