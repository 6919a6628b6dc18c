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
