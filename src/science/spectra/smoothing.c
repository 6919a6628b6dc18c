/* Smoothing: by polynomials, by local statistics, by ranks with zeros beyond the ends. */
#include <math.h>

#include "cuprite/filters.h"
#include "spectra/steps.h"

/* --- Savitzky and Golay --- */

/*: words("savgol_mode", "interp mirror constant nearest wrap", c="cp_savgol_mode") */

typedef struct savgol {
    int64_t n, order, deriv;
    double delta;
} savgol;

/* The weights whose sum with the samples is the derivative at `at` of their least-squares polynomial. Polynomials that
 * are orthogonal on the samples are made one from the other, with their values and derivatives at the place. */
static void fill_weights(const savgol *g, double at, double *q, double *before, double *w, double *d)
{
    const int64_t n = g->n, m = g->deriv;
    const double mid = (double)(n - 1) / 2, width = n > 1 ? mid : 1;
    double norm = 0, *d0 = d, *d1 = d + m + 1;
    for (int64_t i = 0; i < n; i++) q[i] = 1 / sqrt((double)n), before[i] = 0, w[i] = 0;
    for (int64_t k = 0; k <= m; k++) d0[k] = 0, d1[k] = k ? 0 : 1 / sqrt((double)n);
    for (int64_t degree = 0; degree <= g->order; degree++) {
        for (int64_t i = 0; i < n; i++) w[i] += d1[m] * q[i];
        double beta = 0;
        norm = 0;
        for (int64_t i = 0; i < n; i++) beta += ((double)i - mid) / width * q[i] * before[i];
        for (int64_t i = 0; i < n; i++) {
            const double next = ((double)i - mid) / width * q[i] - beta * before[i];
            before[i] = q[i];
            q[i] = next;
            norm += next * next;
        }
        norm = sqrt(norm);
        if (!(norm > 0)) break;
        for (int64_t i = 0; i < n; i++) q[i] /= norm;
        for (int64_t k = m; k >= 0; k--) {
            const double next = (at - mid) / width * d1[k] + (k ? (double)k / width * d1[k - 1] : 0) - beta * d0[k];
            d0[k] = d1[k];
            d1[k] = next / norm;
        }
    }
    const double scale = pow(g->delta, -(double)m);
    for (int64_t i = 0; i < n; i++) w[i] *= scale;
}

/* Rows of weights for the places `first` + k, k < count, of a window. */
static cp_array *weights(const savgol *g, double first, int64_t count, cp_type type)
{
    double *all = cpi_malloc((size_t)(count * g->n + 2 * g->n + 2 * (g->deriv + 1)) * sizeof *all);
    double *q = all ? all + count * g->n : NULL;
    for (int64_t k = 0; k < count && all; k++)
        fill_weights(g, first + (double)k, q, q + g->n, all + k * g->n, q + 2 * g->n);
    cp_array *r = all ? cpi_typed(cp_from_host(all, CP_FLOAT64, CP_SHAPE(count, g->n), NULL), type) : NULL;
    cpi_free_host(all);
    return r;
}

/* The ends of each line by the polynomials of the first and the last window. */
static bool put_ends(const savgol *g, cp_array *x, cp_array *y)
{
    const int64_t half = g->n / 2, n = cpi_length(x);
    const cp_type type = cpi_real_type(cpi_is_double(cp_type_of(x)));
    cp_array *first = weights(g, 0, half, type), *last = weights(g, (double)(g->n - half), half, type);
    if (!first || !last) return false;
    if (!half) return true;
    cp_array *a = cp_matmul(cpi_last_range(x, 0, g->n), cp_transpose(first, CP_ALL));
    cp_array *b = cp_matmul(cpi_last_range(x, n - g->n, n), cp_transpose(last, CP_ALL));
    return cpi_put(cpi_last_range(y, 0, half), a) && cpi_put(cpi_last_range(y, n - half, n), b);
}

static cp_array *savgol_lines(const savgol *g, cp_array *x, cp_savgol_mode mode, double cval)
{
    static const cp_filter_mode modes[] = {CP_FILTER_MODE_CONSTANT, CP_FILTER_MODE_MIRROR, CP_FILTER_MODE_CONSTANT,
                                           CP_FILTER_MODE_NEAREST, CP_FILTER_MODE_WRAP};
    const double at = (double)(g->n / 2) - (g->n % 2 ? 0 : 0.5);
    cp_array *w = weights(g, at, 1, CP_FLOAT64), *one = w ? cp_ravel(w) : NULL;
    cp_array *y = one ? cp_correlate1d(x, one, -1, .mode = modes[mode], .cval = mode ? cval : 0,
                                           .origin = g->n % 2 ? 0 : -1) : NULL;
    return y && (mode != CP_SAVGOL_MODE_INTERP || put_ends(g, x, y)) ? y : NULL;
}

/*: function("savgol_filter", """x: array, window_length: int64, polyorder: int64, deriv: int64 = 0, delta: double = 0,
             axis: index_axes = None, mode: savgol_mode = 'interp', cval: double = 0""", module="_spectra",
             unlock="always",
             about={"window_length": "how many samples", "polyorder": "the polynomial's, below that",
                    "deriv": "which derivative", "delta": "the samples' spacing (0: 1)",
                    "mode": "how x is continued, 'interp': by the polynomials of the ends", "cval": "the constant"},
             doc="""A Savitzky-Golay filter along an axis: the value, or a derivative, of each window's least-squares
polynomial.""") */
cp_array *(cp_savgol_filter)(cp_array *x, int64_t window_length, int64_t polyorder,
                             const cp_savgol_filter_options *options)
{
    const cp_savgol_filter_options *o = CPI_GIVEN(cp_savgol_filter_options, options);
    const char *name = "savgol_filter";
    cpi_composite f;
    int axis;
    if (!cpi_begin(&f, name, x)) return NULL;
    const savgol g = {window_length, polyorder, o->deriv, o->delta != 0 ? o->delta : 1};
    if (polyorder >= window_length)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: polyorder must be less than window_length.", name), NULL));
    if (polyorder < 0 || o->deriv < 0)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: polyorder and deriv must not be negative.", name), NULL));
    if (window_length > 1 << 24 || o->deriv > 1 << 24)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: windows have at most 2^24 samples", name), NULL));
    if ((unsigned)o->mode > CP_SAVGOL_MODE_WRAP)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: unknown mode", name), NULL));
    if (!cpi_given_axis(name, x, o->axis, &axis)) return cpi_end(&f, NULL);
    if (o->mode == CP_SAVGOL_MODE_INTERP && window_length > cp_dim(x, axis))
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: If mode is 'interp', window_length must be less than or "
                                     "equal to the size of x.", name), NULL));
    x = cpi_to_last(cpi_floating(x), axis);
    return cpi_end(&f, cpi_from_last(x ? savgol_lines(&g, x, o->mode, o->cval) : NULL, axis));
}

/* --- windows around elements --- */

/* The lengths of a window along all axes; false with an error. */
static bool read_sizes(const char *name, const cp_array *x, cp_shape given, bool odd, int64_t *sizes, double *product)
{
    const int ndim = cp_ndim(x);
    *product = 1;
    if (given.n > 1 && given.n != ndim)
        return !cpi_fail(CP_ERROR_VALUE, "%s: the window has one length, or one for each dimension", name);
    for (int i = 0; i < ndim; i++) {
        sizes[i] = given.n < 1 ? 3 : given.n == 1 ? given.dim[0] : given.dim[i];
        if (sizes[i] < 1 || (odd && sizes[i] % 2 == 0))
            return !cpi_fail(CP_ERROR_VALUE, "%s: each length of the window must be %s, not %lld", name,
                             odd ? "odd and positive" : "positive", (long long)sizes[i]);
        *product *= (double)sizes[i];
    }
    return true;
}

/*: function("medfilt", "volume: array, kernel_size: lengths = None", module="_spectra", unlock="always",
             about={"kernel_size": "the window's length, or one for each axis, all odd (None: 3)"},
             doc="The median of a window around each element; zeros lie beyond the ends.") */
cp_array *(cp_medfilt)(cp_array *volume, const cp_medfilt_options *options)
{
    const cp_medfilt_options *o = CPI_GIVEN(cp_medfilt_options, options);
    cpi_composite f;
    int64_t sizes[CP_MAXDIM];
    double product;
    if (!cpi_begin(&f, "medfilt", volume)) return NULL;
    if (cpi_check_real("medfilt", volume) || !read_sizes("medfilt", volume, o->kernel_size, true, sizes, &product))
        return cpi_end(&f, NULL);
    const cp_shape shape = {cp_ndim(volume), cp_dims(volume)};
    double inside = 1;
    for (int i = 0; i < shape.n; i++) inside *= (double)(sizes[i] < shape.dim[i] ? sizes[i] : shape.dim[i]);
    if (2 * inside < product) /* more than half of every window lies beyond the ends; others are no longer than that */
        return cpi_end(&f, cp_zeros(shape, cp_type_of(volume)));
    cp_array *footprint = cp_ones((cp_shape){shape.n, sizes}, CP_BOOL);
    return cpi_end(&f, footprint ? cp_rank_window(volume, (int64_t)product / 2, footprint,
                                                  .mode = CP_FILTER_MODE_CONSTANT) : NULL);
}

/*: function("order_filter", "a: array, domain: array, rank: int64", module="_spectra", unlock="always",
             about={"domain": "the window, non-zero where elements count, of odd lengths", "rank": "0 for the least"},
             doc="The element of a rank among those in a window around each element; zeros lie beyond the ends.") */
cp_array *cp_order_filter(cp_array *a, cp_array *domain, int64_t rank)
{
    cpi_composite f;
    if (!cpi_begin(&f, "order_filter", a)) return NULL;
    if (cpi_null("order_filter", domain)) return cpi_end(&f, NULL);
    for (int i = 0; i < cp_ndim(domain); i++)
        if (cp_dim(domain, i) % 2 != 1)
            return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "order_filter: Each dimension of domain argument should have "
                                         "an odd number of elements."), NULL));
    cp_array *footprint = cp_astype(domain, CP_BOOL);
    return cpi_end(&f, footprint ? cp_rank_window(a, rank, footprint, .mode = CP_FILTER_MODE_CONSTANT) : NULL);
}

/* Means of boxes with zeros beyond the ends. */
static cp_array *local_mean(cp_array *x, const int64_t *sizes)
{
    return cp_uniform_filter(x, .size = (cp_shape){cp_ndim(x), sizes}, .mode = CP_FILTER_MODE_CONSTANT);
}

/*: function("wiener", "im: array, mysize: lengths = None, noise: array | None = None", module="_spectra",
             unlock="always",
             about={"mysize": "the window's length, or one for each axis (None: 3)",
                    "noise": "its power, one number (None: the mean of the local variances)"},
             doc="Wiener's filter: near the local mean where the local variance is small.") */
cp_array *(cp_wiener)(cp_array *im, const cp_wiener_options *options)
{
    static const char *const names[] = {"x", "m", "v", "n"};
    const cp_wiener_options *o = CPI_GIVEN(cp_wiener_options, options);
    cpi_composite f;
    int64_t sizes[CP_MAXDIM];
    double product;
    if (!cpi_begin(&f, "wiener", im)) return NULL;
    if (!read_sizes("wiener", im, o->mysize, false, sizes, &product)) return cpi_end(&f, NULL);
    cp_array *x = cpi_floating(im), *mean = x ? local_mean(x, sizes) : NULL;
    cp_array *squares = mean ? local_mean(cp_multiply(x, x), sizes) : NULL;
    cp_array *variance = squares ? cp_subtract(squares, cp_multiply(mean, mean)) : NULL;
    cp_array *noise = !variance ? NULL : o->noise ? o->noise : cp_mean(variance);
    if (!noise) return cpi_end(&f, NULL);
    return cpi_end(&f, cp_fused("where(v < n, m, (x - m)*(1 - n/v) + m)", 4, names,
                                ((cp_array *[]){x, mean, variance, noise})));
}
