/* Convolutions by transforms: of the whole arrays, and of blocks of the longer one. */
#include <math.h>

#include "cuprite/signal.h"
#include "spectra/steps.h"

/* Two operands, and the axes along which they are convolved; along others they are broadcast. */
typedef struct pair {
    const char *name;
    cp_array *a, *b;
    cp_mode mode;
    int n;
    int axes[CP_MAXDIM];
} pair;

static bool is_convolved(const pair *p, int axis)
{
    for (int i = 0; i < p->n; i++)
        if (p->axes[i] == axis) return true;
    return false;
}

static bool read_axes(pair *p, cp_axes given)
{
    const int ndim = cp_ndim(p->a);
    bool meant[CP_MAXDIM] = {false};
    for (int i = 0; given.at && i < given.n; i++) {
        if (given.at[i] < -ndim || given.at[i] >= ndim)
            return !cpi_fail(CP_ERROR_VALUE, "%s: axes exceeds dimensionality of input", p->name);
        meant[given.at[i] < 0 ? given.at[i] + ndim : given.at[i]] = true;
    }
    for (int i = 0; i < ndim; i++) {
        const int64_t a = cp_dim(p->a, i), b = cp_dim(p->b, i);
        const bool here = !given.at || meant[i];
        if (!here && a != b && a != 1 && b != 1)
            return !cpi_fail(CP_ERROR_VALUE, "%s: incompatible shapes for in1 and in2 along axis %d: %lld and %lld",
                             p->name, i, (long long)a, (long long)b);
        if (here && a != 1 && b != 1) p->axes[p->n++] = i; /* beside an axis of one element it is a product */
    }
    return true;
}

/* For mode 'valid' the one that holds the other comes first. */
static bool exchange(pair *p)
{
    bool first = true, second = true;
    for (int i = 0; i < p->n; i++) {
        const int64_t a = cp_dim(p->a, p->axes[i]), b = cp_dim(p->b, p->axes[i]);
        first &= a >= b;
        second &= b >= a;
    }
    if (p->mode != CP_MODE_VALID || first) return true;
    if (!second)
        return !cpi_fail(CP_ERROR_VALUE, "%s: For 'valid' mode, one must be at least as large as the other in every "
                         "dimension", p->name);
    cp_array *a = p->a;
    p->a = p->b;
    p->b = a;
    return true;
}

static bool read_pair(pair *p, cp_axes axes)
{
    if (cpi_null(p->name, p->b)) return false;
    if ((unsigned)p->mode > CP_MODE_SAME)
        return !cpi_fail(CP_ERROR_VALUE, "%s: acceptable mode flags are 'valid', 'same', or 'full'", p->name);
    if (cp_ndim(p->a) != cp_ndim(p->b))
        return !cpi_fail(CP_ERROR_VALUE, "%s: in1 and in2 should have the same dimensionality", p->name);
    return read_axes(p, axes) && exchange(p);
}

/* Both of a floating type, none less precise than the other. */
static bool of_one_precision(pair *p)
{
    p->a = cpi_floating(p->a);
    p->b = cpi_floating(p->b);
    if (!p->a || !p->b) return false;
    const bool is_double = cpi_is_double(cp_type_of(p->a)) || cpi_is_double(cp_type_of(p->b));
    cp_array **both[] = {&p->a, &p->b};
    for (int i = 0; i < 2 && is_double; i++)
        *both[i] = cpi_typed(*both[i], cpi_is_complex(cp_type_of(*both[i])) ? CP_COMPLEX128 : CP_FLOAT64);
    return p->a && p->b;
}

static bool is_real(const pair *p) { return !cpi_is_complex(cp_type_of(p->a)) && !cpi_is_complex(cp_type_of(p->b)); }

/* x's transform. Of a small one the rows that are zeros are not transformed: axis by axis, the last one first. */
static cp_array *forth(const pair *p, cp_array *x, const int64_t *lengths, bool real)
{
    const cp_shape s = {p->n, lengths};
    const cp_axes axes = {p->n, p->axes};
    if (p->n < 2 || 4 * cp_dim(x, p->axes[0]) > lengths[0])
        return real ? cp_rfftn(x, .s = s, .axes = axes) : cp_fftn(x, .s = s, .axes = axes);
    for (int i = p->n - 1; i >= 0 && x; i--) {
        const cp_axes one = CP_AXES(p->axes[i]);
        x = real && i == p->n - 1 ? cp_rfft(x, .n = lengths[i], .axis = one)
                                  : cp_fft(x, .n = lengths[i], .axis = one);
    }
    return x;
}

/* The full convolution, of transforms of those lengths. */
static cp_array *by_transform(pair *p, const int64_t *lengths)
{
    const cp_shape s = {p->n, lengths};
    const cp_axes axes = {p->n, p->axes};
    const bool real = is_real(p);
    cp_array *a = CPI_AT_ONCE(forth(p, p->a, lengths, real));
    cp_array *b = a ? CPI_AT_ONCE(forth(p, p->b, lengths, real)) : NULL;
    cp_array *product = b ? cp_multiply(a, b) : NULL;
    if (!product) return NULL;
    return CPI_AT_ONCE(real ? cp_irfftn(product, .s = s, .axes = axes) : cp_ifftn(product, .s = s, .axes = axes));
}

/* What the mode keeps of a full convolution, in memory of its own. */
static cp_array *cut(const pair *p, cp_array *full)
{
    cp_index items[CP_MAXDIM];
    for (int i = 0; full && i < cp_ndim(full); i++) {
        const int64_t n = cp_dim(full, i), a = cp_dim(p->a, i), b = cp_dim(p->b, i);
        const int64_t kept = p->mode == CP_MODE_FULL ? n : p->mode == CP_MODE_SAME ? a
                                                       : is_convolved(p, i)           ? a - b + 1
                                                                                  : n;
        const int64_t from = (n - kept) / 2;
        items[i] = CP_RANGE(from < 0 ? 0 : from, from + kept < 0 ? 0 : from + kept);
    }
    return full ? cp_contiguous(cp_slice(full, cp_ndim(full), items)) : NULL;
}

static cp_array *whole(pair *p)
{
    if (!p->n) return cut(p, cp_multiply(p->a, p->b));
    int64_t wanted[CP_MAXDIM], lengths[CP_MAXDIM];
    if (!of_one_precision(p)) return NULL;
    for (int i = 0; i < p->n; i++) {
        wanted[i] = cp_dim(p->a, p->axes[i]) + cp_dim(p->b, p->axes[i]) - 1;
        lengths[i] = cp_next_fast_len(wanted[i]);
    }
    cp_array *full = by_transform(p, lengths);
    for (int i = 0; i < p->n && full; i++) full = cpi_range(full, p->axes[i], 0, wanted[i]);
    return cut(p, full);
}

/*: python_module("_spectra", doc="Signals by transforms, behind cuprite.scipy.signal.") */
/*: function("fftconvolve", "in1: array, in2: array, mode: mode = 'full', axes: index_axes = None", module="_spectra",
             unlock="always", doc="""The convolution of two arrays by Fourier transforms, along axes (all by default);
along others the arrays are broadcast.""") */
cp_array *(cp_fftconvolve)(cp_array *in1, cp_array *in2, const cp_fftconvolve_options *options)
{
    const cp_fftconvolve_options *o = CPI_GIVEN(cp_fftconvolve_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "fftconvolve", in1)) return NULL;
    pair p = {"fftconvolve", in1, in2, o->mode, 0, {0}};
    if (!read_pair(&p, o->axes)) return cpi_end(&f, NULL);
    if (!cp_size(in1) || !cp_size(in2)) return cpi_end(&f, cp_zeros(CP_SHAPE(0), CP_FLOAT64));
    return cpi_end(&f, whole(&p));
}

/* --- of blocks --- */

/* The length of transforms that takes the fewest operations for each new element. */
static int64_t block_length(int64_t n, int64_t taps)
{
    int64_t best = 0;
    double least = INFINITY;
    for (int64_t size = 8; size < 4 * (n + taps); size *= 2) {
        if (size < 2 * taps) continue;
        /* what leaves the cache costs more */
        const double s = (double)size, cost = s * log2(s) / (s - (double)taps + 1) * (1 + s / 65536);
        if (cost < least) least = cost, best = size;
    }
    return best;
}

/* Results of blocks, (..., how many, step + taps - 1), which overlap, added up. taps - 1 <= step. */
static cp_array *overlapped(cp_array *pieces, int64_t count, int64_t step, int64_t taps)
{
    const int last = cp_ndim(pieces) - 1;
    int64_t shape[CP_MAXDIM];
    for (int i = 0; i < last; i++) shape[i] = cp_dim(pieces, i);
    shape[last - 1] = count * step + taps - 1;
    cp_array *r = cp_empty((cp_shape){last, shape}, cp_type_of(pieces));
    shape[last - 1] = count, shape[last] = step;
    cp_array *body = r ? cp_reshape(cpi_range(r, last - 1, 0, count * step), (cp_shape){last + 1, shape}) : NULL;
    if (!cpi_put(body, cpi_range(pieces, last, 0, step))) return NULL;
    if (taps == 1) return r;
    cp_array *tails = cpi_range(pieces, last, step, step + taps - 1);
    cp_array *begin = cpi_range(cpi_range(body, last - 1, 1, count), last, 0, taps - 1);
    if (!begin || !cpi_apply_2(CP_OP_add, begin, cpi_range(tails, last - 1, 0, count - 1), begin)) return NULL;
    cp_array *end = cpi_range(tails, last - 1, count - 1, count);
    shape[last - 1] = taps - 1;
    return cpi_put(cpi_range(r, last - 1, count * step, count * step + taps - 1),
                   end ? cp_reshape(end, (cp_shape){last, shape}) : NULL) ? r : NULL;
}

/* The full convolution along the last axis, of blocks of the longer one. */
static cp_array *blocks(pair *p)
{
    cp_array *long_one = p->a, *short_one = p->b;
    const int last = cp_ndim(long_one) - 1;
    const int64_t n = cp_dim(long_one, last), taps = cp_dim(short_one, last), size = block_length(n, taps);
    p->axes[0] = last;
    if (size >= n + taps - 1 || last + 2 > CP_MAXDIM)
        return cpi_range(by_transform(p, (int64_t[]){cp_next_fast_len(n + taps - 1)}), last, 0, n + taps - 1);
    const int64_t step = size - taps + 1, count = (n + step - 1) / step;
    int64_t shape[CP_MAXDIM];
    cp_array *padded = cpi_with_length(long_one, count * step, cp_type_of(long_one), false);
    if (!cpi_put(cpi_range(padded, last, 0, n), long_one)) return NULL;
    if (count * step > n && cp_fill(cpi_range(padded, last, n, count * step), cp_int(0)) != CP_OK) return NULL;
    for (int i = 0; i < last; i++) shape[i] = cp_dim(long_one, i);
    shape[last] = count, shape[last + 1] = step;
    p->a = cp_reshape(padded, (cp_shape){last + 2, shape});
    p->b = cp_expand_dims(short_one, CP_AXES(-2));
    p->axes[0] = last + 1;
    if (!p->a || !p->b) return NULL;
    cp_array *pieces = by_transform(p, &size), *all = pieces ? overlapped(pieces, count, step, taps) : NULL;
    return all ? cpi_range(all, last, 0, n + taps - 1) : NULL;
}

/*: function("oaconvolve", "in1: array, in2: array, mode: mode = 'full', axes: index_axes = None", module="_spectra",
             unlock="always", doc="""The same of a long array and a short one along one axis, by transforms of blocks
whose results overlap and are added.""") */
cp_array *(cp_oaconvolve)(cp_array *in1, cp_array *in2, const cp_oaconvolve_options *options)
{
    const cp_oaconvolve_options *o = CPI_GIVEN(cp_oaconvolve_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "oaconvolve", in1)) return NULL;
    pair p = {"oaconvolve", in1, in2, o->mode, 0, {0}};
    if (!read_pair(&p, o->axes)) return cpi_end(&f, NULL);
    if (!cp_size(in1) || !cp_size(in2)) return cpi_end(&f, cp_zeros(CP_SHAPE(0), CP_FLOAT64));
    if (p.n != 1) return cpi_end(&f, whole(&p)); /* of several axes the transforms of the whole are as fast */
    const pair was = p;
    const int axis = p.axes[0];
    const bool in_order = cp_dim(p.a, axis) >= cp_dim(p.b, axis);
    if (!of_one_precision(&p)) return cpi_end(&f, NULL);
    cp_array *a = cpi_to_last(in_order ? p.a : p.b, axis), *b = cpi_to_last(in_order ? p.b : p.a, axis);
    p.a = a, p.b = b;
    cp_array *full = a && b ? blocks(&p) : NULL;
    return cpi_end(&f, full ? cut(&was, cpi_from_last(full, axis)) : NULL);
}

/* --- which --- */

/* Whether integers' results are exact in float64; also of other types. Waits. */
static bool is_exact(cp_array *a, cp_array *b)
{
    double top = (double)(cp_size(a) < cp_size(b) ? cp_size(a) : cp_size(b));
    cp_array *const both[] = {a, b};
    if (!cpi_is_int(cp_type_of(a)) || !cpi_is_int(cp_type_of(b))) return true;
    for (int i = 0; i < 2; i++) {
        cp_array *wide = cp_astype(both[i], CP_FLOAT64), *most = wide ? cp_max(cp_absolute(wide)) : NULL;
        top *= most ? cp_item_float(most) : 0;
    }
    return top <= 0x1p52;
}

/* Whether the definition takes longer. Seconds of one product, and of one element's step of a transform, are those of a
 * CPU with one dimension and with several; the ratio alone counts, and is nearly that of a GPU. */
static bool is_slow(cp_array *a, cp_array *b, cp_mode mode)
{
    const int ndim = cp_ndim(a);
    const double product = ndim > 2 ? 4e-10 : ndim > 1 ? 8e-11 : 6e-11, step = 6e-10;
    double full = 1, out = 1;
    for (int i = 0; i < ndim; i++) {
        const double n = (double)cp_dim(a, i), m = (double)cp_dim(b, i);
        full *= n + m - 1;
        out *= mode == CP_MODE_FULL ? n + m - 1 : mode == CP_MODE_SAME ? n : fabs(n - m) + 1;
    }
    const double direct = out * fmin((double)cp_size(a), (double)cp_size(b)) * product;
    return 3 * full * log2(fmax(full, 2)) * step + 2e-5 < direct;
}

/*: function("choose_conv_method", "in1: array, in2: array, mode: mode", module="_spectra", returns="bool",
             unlock="always", about={"in1": "an array", "in2": "one of as many dimensions", "mode": "what is kept"},
             gives="1 where cp_fftconvolve is expected to be faster than the definition, else 0; in C -1 on failure",
             doc="""Whether transforms are the better way to a convolution: of booleans, and of integers whose results
float64 does not hold, they are not. Of integers waits for the device.""") */
int cp_choose_conv_method(cp_array *in1, cp_array *in2, cp_mode mode)
{
    const char *name = "choose_conv_method";
    cpi_composite f;
    int r = -1;
    if (!cpi_begin(&f, name, in1)) return -1;
    if (cpi_null(name, in2)) return cpi_end(&f, NULL), -1;
    const bool booleans = cp_type_of(in1) == CP_BOOL || cp_type_of(in2) == CP_BOOL;
    if (cp_ndim(in1) != cp_ndim(in2))
        cpi_fail(CP_ERROR_VALUE, "%s: in1 and in2 should have the same dimensionality, not %d and %d", name,
                 cp_ndim(in1), cp_ndim(in2));
    else if ((unsigned)mode > CP_MODE_SAME)
        cpi_fail(CP_ERROR_VALUE, "%s: acceptable mode flags are 'valid', 'same', or 'full'", name);
    else if (!cp_ndim(in1) || booleans || !cp_size(in1) || !cp_size(in2)) r = 0;
    else r = is_exact(in1, in2) && is_slow(in1, in2, mode);
    if (f.fine && cp_error()) r = -1;
    cpi_end(&f, NULL);
    return r;
}

/*: function("correlation_lags", "in1_len: int64, in2_len: int64, mode: mode = 'full'", module="_spectra",
             unlock="always", about={"in1_len": "the first one's length", "in2_len": "the second one's"},
             gives="int64", doc="The shifts that the elements of a 1-d correlation belong to.") */
cp_array *(cp_correlation_lags)(int64_t in1_len, int64_t in2_len, const cp_correlation_lags_options *options)
{
    const cp_correlation_lags_options *o = CPI_GIVEN(cp_correlation_lags_options, options);
    const int64_t first = 1 - in2_len, full = in1_len + in2_len - 1;
    if (in1_len < 0 || in2_len < 0 || in1_len > INT64_MAX / 4 || in2_len > INT64_MAX / 4)
        return cpi_fail(CP_ERROR_VALUE, "correlation_lags: lengths must not be negative: %lld and %lld",
                        (long long)in1_len, (long long)in2_len), NULL;
    if (o->mode == CP_MODE_FULL) return cp_arange_int(first, in1_len, 1, CP_INT64);
    if (o->mode == CP_MODE_SAME) {
        const int64_t from = first + full / 2 - in1_len / 2;
        return cp_arange_int(from, from + in1_len < in1_len ? from + in1_len : in1_len, 1, CP_INT64);
    }
    if (o->mode == CP_MODE_VALID) {
        const int64_t span = in1_len - in2_len;
        return cp_arange_int(span < 0 ? span : 0, span < 0 ? 1 : span + 1, 1, CP_INT64);
    }
    return cpi_fail(CP_ERROR_VALUE, "correlation_lags: unknown mode"), NULL;
}
