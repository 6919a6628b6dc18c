/* Spectra of segments of a signal: short transforms, Welch's averages, and the signal of short transforms.
 *
 * Segments are a view of the signal. On the CPU some of them at a time go through all steps, so that what lies between
 * stays in the cache. */
#include <math.h>
#include <stdlib.h>

#include "spectra/steps.h"

#include "cuprite/spectra.h"
#include "cuprite/statistics.h"

/*: words("trend", "none constant linear", c="cp_trend") */
/*: words("spectrum_scaling", "density spectrum", c="cp_spectrum_scaling") */

typedef enum outcome { TRANSFORM, POWER, CROSS } outcome;

typedef struct job {
    const char *name;
    outcome what;
    cp_array *x, *y, *w;             /* with the signals' axis at the end */
    int64_t n, step, nfft, count, bins;
    double fs;
    cp_trend trend;
    cp_spectrum_scaling scaling;
    bool two_sided;
    int axis;
    cp_type kind;                    /* the complex type of results */
    cp_array *scale;                 /* for each frequency */
} job;

static bool read_lengths(job *j, int64_t step, int64_t nfft)
{
    if (cp_ndim(j->w) != 1 || !cp_size(j->w))
        return !cpi_fail(CP_ERROR_VALUE, "%s: window must be 1-D, of one element at least", j->name);
    j->n = cp_size(j->w);
    j->step = step ? step : j->n - j->n / 2;
    j->nfft = nfft ? nfft : j->n;
    if (j->nfft < j->n)
        return !cpi_fail(CP_ERROR_VALUE, "%s: nfft must be greater than or equal to nperseg", j->name);
    if (j->step < 1) return !cpi_fail(CP_ERROR_VALUE, "%s: noverlap must be less than nperseg", j->name);
    if ((unsigned)j->trend > CP_TREND_LINEAR || (unsigned)j->scaling > CP_SPECTRUM_SCALING_SPECTRUM)
        return !cpi_fail(CP_ERROR_VALUE, "%s: unknown trend or scaling", j->name);
    return true;
}

/* The factor of the window and the sampling rate, on the device, for each frequency. */
static cp_array *scales(const job *j)
{
    cp_array *sum = j->scaling == CP_SPECTRUM_SCALING_DENSITY ? cp_sum(cp_multiply(j->w, j->w)) : cp_sum(j->w);
    cp_array *real = sum ? cpi_typed(cp_real_part(sum), CP_FLOAT64) : NULL, *s;
    if (!real) return NULL;
    if (j->scaling == CP_SPECTRUM_SCALING_DENSITY) s = cp_divide(cp_float(1 / j->fs), real);
    else s = cp_divide(cp_float(1), cp_multiply(real, real));
    if (j->what == TRANSFORM) s = cp_sqrt(s);
    const bool is_double = cpi_is_double(cp_type_of(j->x));
    cp_array *all = s ? cp_full(CP_SHAPE(j->bins), cpi_real_type(is_double), s) : NULL;
    if (j->what == TRANSFORM || j->two_sided || !all) return all;
    cp_array *twice = cpi_range(all, 0, 1, j->nfft % 2 ? j->bins : j->bins - 1);
    return twice && cpi_apply_2(CP_OP_multiply, twice, cp_int(2), twice) ? all : NULL;
}

/* x as it is computed, and the window: integers as float64, and no operand in less precision than the results. */
static bool read_types(job *j)
{
    cp_type both = j->y ? cp_promote(cp_type_of(j->x), cp_type_of(j->y)) : cp_type_of(j->x);
    j->kind = cp_promote(both, CP_COMPLEX64);
    cp_array **all[] = {&j->x, &j->y};
    bool complex = cpi_is_complex(cp_type_of(j->w));
    for (int i = 0; i < 2; i++) {
        cp_array *v = *all[i];
        if (!v) continue;
        const cp_type t = cpi_floating_type(cp_type_of(v));
        complex |= cpi_is_complex(t);
        const bool is_double = cpi_is_double(t) || j->kind == CP_COMPLEX128;
        *all[i] = cpi_typed(v, cpi_is_complex(t) ? cpi_complex_type(is_double) : cpi_real_type(is_double));
        if (!*all[i]) return false;
    }
    const bool is_double = cpi_is_double(cp_type_of(j->x));
    j->w = cpi_typed(j->w, cpi_is_complex(cp_type_of(j->w)) ? cpi_complex_type(is_double) : cpi_real_type(is_double));
    j->two_sided |= complex;
    j->bins = j->two_sided ? j->nfft : j->nfft / 2 + 1;
    return j->w != NULL;
}

/* Segments at..at + count of the last axis: a view (..., count, n). */
static cp_array *segments(const job *j, cp_array *x, int64_t at, int64_t count)
{
    const int last = cp_ndim(x) - 1;
    const int64_t item = cp_strides(x)[last];
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
    for (int i = 0; i < last; i++) shape[i] = cp_dim(x, i), strides[i] = cp_strides(x)[i];
    shape[last] = count, strides[last] = j->step * item;
    shape[last + 1] = j->n, strides[last + 1] = item;
    cp_array *from = cpi_last_range(x, at * j->step, (at + count - 1) * j->step + j->n);
    return from ? cp_as_strided(from, (cp_shape){last + 2, shape}, last + 2, strides) : NULL;
}

static cp_array *transforms(const job *j, cp_array *x, int64_t at, int64_t count)
{
    static const char *const names[] = {"x", "m", "w"};
    cp_array *pieces = segments(j, x, at, count), *weighted;
    if (!pieces) return NULL;
    if (j->trend == CP_TREND_CONSTANT) {
        cp_array *mean = cp_mean(pieces, .axis = CP_AXES(-1), .keepdims = true);
        weighted = mean ? cp_fused("(x - m)*w", 3, names, ((cp_array *[]){pieces, mean, j->w})) : NULL;
    } else weighted = cp_multiply(j->trend == CP_TREND_LINEAR ? cp_detrend(pieces) : pieces, j->w);
    if (!weighted) return NULL;
    return CPI_AT_ONCE(j->two_sided ? cp_fft(weighted, .n = j->nfft) : cp_rfft(weighted, .n = j->nfft));
}

/* The results of some segments, into `to`. */
static bool some(const job *j, int64_t at, int64_t count, cp_array *to)
{
    static const char *const names[] = {"a", "b", "s"};
    cp_array *z = transforms(j, j->x, at, count), *y = z && j->what == CROSS ? transforms(j, j->y, at, count) : NULL;
    if (!z || (j->what == CROSS && !y)) return false;
    if (j->what == TRANSFORM) return cpi_apply_2(CP_OP_multiply, z, j->scale, to) != NULL;
    cp_array *power[] = {cp_real_part(z), cp_imag_part(z), j->scale}, *cross[] = {z, y, j->scale};
    if (!power[0] || !power[1]) return false;
    return cp_fused(j->what == POWER ? "(a*a + b*b)*s" : "conjugate(a)*b*s", 3, names,
                    j->what == POWER ? power : cross, .out = to) != NULL;
}

enum { CACHED = 1 << 15 }; /* elements of segments that go through all steps at once */

/* All results: (..., segments, frequencies). */
static cp_array *all_segments(job *j)
{
    const int last = cp_ndim(j->x) - 1;
    int64_t shape[CP_MAXDIM], lines = 1;
    j->count = (cpi_length(j->x) - j->n) / j->step + 1;
    for (int i = 0; i < last; i++) {
        const int64_t a = cp_dim(j->x, i), b = j->y ? cp_dim(j->y, i) : a;
        lines *= shape[i] = a == 1 ? b : a;
    }
    shape[last] = j->count, shape[last + 1] = j->bins;
    const cp_type complex = cpi_complex_type(cpi_is_double(cp_type_of(j->x)));
    const cp_type type = j->what == POWER ? cpi_real_type(complex == CP_COMPLEX128) : complex;
    cp_array *r = cp_empty((cp_shape){last + 2, shape}, type);
    j->scale = scales(j);
    if (!r || !j->scale) return NULL;
    int64_t each = j->count;
    if (cp_device_of(r) == CP_CPU) each = CACHED / (j->n * (lines ? lines : 1));
    each = each < 1 ? 1 : each;
    for (int64_t at = 0; at < j->count; at += each) {
        const int64_t here = each < j->count - at ? each : j->count - at;
        bool good = false;
        for (CP_SCOPE) good = some(j, at, here, cpi_range(r, last, at, at + here));
        if (!good) return NULL;
    }
    return cpi_typed(r, j->what == POWER ? cpi_real_type(j->kind == CP_COMPLEX128) : j->kind);
}

/* The signals with their axes at the end, of one length, shorter ones with zeros behind. */
static bool read_signals(job *j, cp_axes axis)
{
    cp_array **both[] = {&j->y, &j->x};
    int64_t n = 0;
    for (int i = 0; i < 2; i++) {
        if (!*both[i]) continue;
        if (!cpi_given_axis(j->name, *both[i], axis, &j->axis)) return false;
        if (!(*both[i] = cpi_to_last(*both[i], j->axis))) return false;
        n = cpi_length(*both[i]) > n ? cpi_length(*both[i]) : n;
    }
    if (cp_ndim(j->x) + 1 > CP_MAXDIM) return !cpi_fail(CP_ERROR_VALUE, "%s: x has too many dimensions", j->name);
    if (j->y && cp_ndim(j->y) != cp_ndim(j->x))
        return !cpi_fail(CP_ERROR_VALUE, "%s: x and y must have as many dimensions", j->name);
    for (int i = 0; j->y && i < cp_ndim(j->x) - 1; i++)
        if (cp_dim(j->x, i) != cp_dim(j->y, i) && cp_dim(j->x, i) != 1 && cp_dim(j->y, i) != 1)
            return !cpi_fail(CP_ERROR_VALUE, "%s: x and y cannot be broadcast together", j->name);
    if (n < j->n) return !cpi_fail(CP_ERROR_VALUE, "%s: window is longer than input signal", j->name);
    for (int i = 0; i < 2; i++) {
        if (!*both[i] || cpi_length(*both[i]) == n) continue;
        cp_array *longer = cpi_with_length(*both[i], n, cp_type_of(*both[i]), true);
        if (!cpi_put(cpi_last_range(longer, 0, cpi_length(*both[i])), *both[i])) return false;
        *both[i] = longer;
    }
    return true;
}

/* The segments' results with the frequencies in the place of the axis and the segments at the end. */
static cp_array *spectra(job *j, int64_t step, int64_t nfft, cp_axes axis)
{
    if (j->fs == 0) j->fs = 1;
    if (!read_lengths(j, step, nfft) || !read_signals(j, axis) || !read_types(j)) return NULL;
    cp_array *r = all_segments(j);
    return r ? cp_moveaxis(r, CP_AXES(-1), CP_AXES(j->axis)) : NULL;
}

/* The average over segments, the last axis. */
static cp_array *averaged(cp_array *r, bool median)
{
    const int64_t n = r ? cpi_length(r) : 0;
    if (n == 1) return cp_copy(cp_squeeze(r, CP_AXES(-1)));
    if (!r || !median) return r ? cp_mean(r, .axis = CP_AXES(-1)) : NULL;
    double bias = 1; /* of a sum of two squares the median is below the mean by that (B. Allen et al., FINDCHIRP) */
    for (int64_t k = 2; k + 1 <= n; k += 2) bias += 1.0 / (double)(k + 1) - 1.0 / (double)k;
    if (!cpi_is_complex(cp_type_of(r))) {
        cp_array *m = cp_median(r, .axis = CP_AXES(-1));
        return m ? cp_divide(m, cp_float(bias)) : NULL;
    }
    cp_array *a = cp_median(cp_real_part(r), .axis = CP_AXES(-1));
    cp_array *b = a ? cp_median(cp_imag_part(r), .axis = CP_AXES(-1)) : NULL;
    cp_array *both = b ? cp_add(a, cp_multiply(b, cp_complex(0, 1))) : NULL;
    return both ? cp_divide(both, cp_float(bias)) : NULL;
}

/*: function("stft", """x: array, window: array, step: int64 = 0, nfft: int64 = 0, fs: double = 0,
             trend: trend = 'none', two_sided: bool = False, scaling: spectrum_scaling = 'density',
             axis: index_axes = None""", module="_spectra", unlock="always",
             about={"window": "a weight for each sample of a segment", "step": "between segments (0: half a window)",
                    "nfft": "the length of the transforms (0: the window's)", "fs": "the sampling rate (0: 1)"},
             doc="""The transforms of a signal's segments along an axis: frequencies in the axis's place, segments
along the last one. Nothing is added to the signal. Complex ones are two-sided.""") */
cp_array *(cp_stft)(cp_array *x, cp_array *window, const cp_stft_options *options)
{
    const cp_stft_options *o = CPI_GIVEN(cp_stft_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "stft", x)) return NULL;
    if (cpi_null("stft", window)) return cpi_end(&f, NULL);
    job j = {.name = "stft", .what = TRANSFORM, .x = x, .w = window, .fs = o->fs, .trend = o->trend,
             .scaling = o->scaling, .two_sided = o->two_sided};
    return cpi_end(&f, spectra(&j, o->step, o->nfft, o->axis));
}

/*: function("spectrogram", """x: array, window: array, step: int64 = 0, nfft: int64 = 0, fs: double = 0,
             trend: trend = 'none', two_sided: bool = False, scaling: spectrum_scaling = 'density',
             axis: index_axes = None""", module="_spectra", unlock="always",
             doc="The squares of stft's transforms; of one-sided ones frequencies that stand for two count twice.") */
cp_array *(cp_spectrogram)(cp_array *x, cp_array *window, const cp_spectrogram_options *options)
{
    const cp_spectrogram_options *o = CPI_GIVEN(cp_spectrogram_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "spectrogram", x)) return NULL;
    if (cpi_null("spectrogram", window)) return cpi_end(&f, NULL);
    job j = {.name = "spectrogram", .what = POWER, .x = x, .w = window, .fs = o->fs, .trend = o->trend,
             .scaling = o->scaling, .two_sided = o->two_sided};
    return cpi_end(&f, spectra(&j, o->step, o->nfft, o->axis));
}

/*: function("csd", """x: array, y: array, window: array, step: int64 = 0, nfft: int64 = 0, fs: double = 0,
             trend: trend = 'none', two_sided: bool = False, scaling: spectrum_scaling = 'density',
             axis: index_axes = None, median: bool = False""", module="_spectra", unlock="always",
             about={"median": "whether it is the segments' median, else their mean"},
             doc="""The cross spectral density of two signals by Welch's method: the average over segments. The shorter
one is continued by zeros.""") */
cp_array *(cp_csd)(cp_array *x, cp_array *y, cp_array *window, const cp_csd_options *options)
{
    const cp_csd_options *o = CPI_GIVEN(cp_csd_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "csd", x)) return NULL;
    if (cpi_null("csd", y) || cpi_null("csd", window)) return cpi_end(&f, NULL);
    job j = {.name = "csd", .what = CROSS, .x = x, .y = y, .w = window, .fs = o->fs, .trend = o->trend,
             .scaling = o->scaling, .two_sided = o->two_sided};
    return cpi_end(&f, averaged(spectra(&j, o->step, o->nfft, o->axis), o->median));
}

/*: function("welch", """x: array, window: array, step: int64 = 0, nfft: int64 = 0, fs: double = 0,
             trend: trend = 'none', two_sided: bool = False, scaling: spectrum_scaling = 'density',
             axis: index_axes = None, median: bool = False""", module="_spectra", unlock="always",
             doc="The power spectral density by Welch's method: the average of segments' spectra.") */
cp_array *(cp_welch)(cp_array *x, cp_array *window, const cp_welch_options *options)
{
    const cp_welch_options *o = CPI_GIVEN(cp_welch_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "welch", x)) return NULL;
    if (cpi_null("welch", window)) return cpi_end(&f, NULL);
    job j = {.name = "welch", .what = POWER, .x = x, .w = window, .fs = o->fs, .trend = o->trend,
             .scaling = o->scaling, .two_sided = o->two_sided};
    return cpi_end(&f, averaged(spectra(&j, o->step, o->nfft, o->axis), o->median));
}

/*: function("coherence", """x: array, y: array, window: array, step: int64 = 0, nfft: int64 = 0, fs: double = 0,
             trend: trend = 'none', two_sided: bool = False, axis: index_axes = None""", module="_spectra",
             unlock="always",
             about={"window": "a weight for each sample of a segment", "step": "between segments (0: half a window)",
                    "nfft": "the length of the transforms (0: the window's)", "fs": "the sampling rate (0: 1)"},
             doc="""The magnitude-squared coherence of two signals by Welch's method: |csd(x, y)|^2 divided by
welch(x) welch(y), 0..1 at each frequency. The signals are of one length; along other axes they are broadcast.""") */
cp_array *(cp_coherence)(cp_array *x, cp_array *y, cp_array *window, const cp_coherence_options *options)
{
    static const char *const names[] = {"a", "b", "x", "y"};
    const cp_coherence_options *o = CPI_GIVEN(cp_coherence_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "coherence", x)) return NULL;
    if (cpi_null("coherence", y) || cpi_null("coherence", window)) return cpi_end(&f, NULL);
    job both = {.name = "coherence", .what = CROSS, .x = x, .y = y, .w = window, .fs = o->fs, .trend = o->trend,
                .two_sided = o->two_sided};
    job one = both, other = both;
    one.what = other.what = POWER, other.x = y, one.y = other.y = NULL;
    cp_array *cross = averaged(spectra(&both, o->step, o->nfft, o->axis), false);
    cp_array *xx = cross ? averaged(spectra(&one, o->step, o->nfft, o->axis), false) : NULL;
    cp_array *yy = xx ? averaged(spectra(&other, o->step, o->nfft, o->axis), false) : NULL;
    cp_array *v[] = {cp_real_part(cross), cp_imag_part(cross), xx, yy};
    return cpi_end(&f, yy && v[0] && v[1] ? cp_fused("(a*a + b*b) / x / y", 4, names, v) : NULL);
}

/*: function("periodogram", """x: array, window: array | None = None, nfft: int64 = 0, fs: double = 0,
             trend: trend = 'none', two_sided: bool = False, scaling: spectrum_scaling = 'density',
             axis: index_axes = None""", module="_spectra", unlock="always",
             about={"window": "a weight for each sample (None: ones)"},
             doc="The power spectral density of the whole signal.") */
cp_array *(cp_periodogram)(cp_array *x, const cp_periodogram_options *options)
{
    const cp_periodogram_options *o = CPI_GIVEN(cp_periodogram_options, options);
    cpi_composite f;
    int axis;
    if (!cpi_begin(&f, "periodogram", x)) return NULL;
    if (!cpi_given_axis("periodogram", x, o->axis, &axis)) return cpi_end(&f, NULL);
    job j = {.name = "periodogram", .what = POWER, .x = x, .fs = o->fs, .trend = o->trend, .scaling = o->scaling,
             .two_sided = o->two_sided};
    j.w = o->window ? o->window : cp_ones(CP_SHAPE(cp_dim(x, axis)), CP_FLOAT64);
    if (!j.w) return cpi_end(&f, NULL);
    return cpi_end(&f, averaged(spectra(&j, cp_size(j.w), o->nfft, o->axis), false));
}

/* --- back --- */

/* The sum of pieces (..., how many, n), each `step` behind the one before. */
static cp_array *overlapped(cp_array *pieces, int64_t step)
{
    if (!pieces) return NULL;
    const int last = cp_ndim(pieces) - 1;
    const int64_t n = cp_dim(pieces, last), count = cp_dim(pieces, last - 1), rounds = (n + step - 1) / step;
    int64_t shape[CP_MAXDIM];
    for (int i = 0; i < last; i++) shape[i] = cp_dim(pieces, i);
    shape[last - 1] = (count + rounds) * step;
    cp_array *r = cp_zeros((cp_shape){last, shape}, cp_type_of(pieces));
    shape[last - 1] = count, shape[last] = step;
    for (int64_t k = 0; k < rounds && r; k++) {
        const int64_t end = n < (k + 1) * step ? n : (k + 1) * step;
        cp_array *part = cpi_last_range(r, k * step, (k + count) * step);
        int64_t strides[CP_MAXDIM];
        for (int i = 0; part && i < last; i++) strides[i] = cp_strides(part)[i];
        if (!part) return NULL;
        strides[last] = strides[last - 1], strides[last - 1] *= step;
        cp_array *rows = cp_as_strided(part, (cp_shape){last + 1, shape}, last + 1, strides);
        rows = cpi_last_range(rows, 0, end - k * step);
        if (!rows || !cpi_apply_2(CP_OP_add, rows, cpi_last_range(pieces, k * step, end), rows)) return NULL;
    }
    return r ? cpi_last_range(r, 0, n + (count - 1) * step) : NULL;
}

/* The signal of (..., segments, frequencies). */
static cp_array *signal_of(job *j, cp_array *z)
{
    static const char *const names[] = {"x", "n"};
    const bool is_double = cpi_is_double(cp_type_of(z));
    cp_array *pieces = CPI_AT_ONCE(j->two_sided ? cp_ifft(z, .n = j->nfft) : cp_irfft(z, .n = j->nfft));
    cp_array *w = cpi_is_complex(cp_type_of(j->w)) ? j->w : cpi_typed(j->w, cpi_real_type(is_double));
    cp_array *squares = w ? cp_multiply(w, w) : NULL, *sum;
    if (!pieces || !squares) return NULL;
    if (j->scaling == CP_SPECTRUM_SCALING_SPECTRUM) sum = cp_sum(w);
    else sum = cp_sqrt(cp_multiply(cp_sum(squares), cp_float(j->fs)));
    pieces = cp_multiply(cpi_last_range(pieces, 0, j->n), cp_multiply(w, sum));
    cp_array *x = overlapped(pieces, j->step);
    cp_array *norm = overlapped(cp_broadcast_to(squares, CP_SHAPE(cp_dim(z, cp_ndim(z) - 2), j->n)), j->step);
    norm = norm ? cpi_typed(cp_real_part(norm), cpi_real_type(is_double)) : NULL;
    if (!x || !norm) return NULL;
    return cp_fused("x / where(n > 1e-10, n, 1)", 2, names, ((cp_array *[]){x, norm}));
}

/*: function("istft", """Zxx: array, window: array, step: int64 = 0, nfft: int64 = 0, fs: double = 0,
             two_sided: bool = False, scaling: spectrum_scaling = 'density', axes: index_axes = None""",
             module="_spectra", unlock="always",
             about={"axes": "those of the frequencies and of the segments (None: the last two)",
                    "nfft": "the length of the transforms (0: that of Zxx)"},
             doc="The signal of transforms of segments, all that stft was given, along the last axis.") */
cp_array *(cp_istft)(cp_array *Zxx, cp_array *window, const cp_istft_options *options)
{
    const cp_istft_options *o = CPI_GIVEN(cp_istft_options, options);
    cpi_composite f;
    int axes[2] = {-2, -1};
    if (!cpi_begin(&f, "istft", Zxx)) return NULL;
    job j = {.name = "istft", .w = window, .fs = o->fs ? o->fs : 1, .scaling = o->scaling, .two_sided = o->two_sided};
    if (cpi_null("istft", window)) return cpi_end(&f, NULL);
    for (int i = 0; i < 2; i++) {
        if (o->axes.at && o->axes.n == 2) axes[i] = o->axes.at[i];
        if (cpi_axis("istft", &axes[i], cp_ndim(Zxx))) return cpi_end(&f, NULL);
    }
    if (axes[0] == axes[1])
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "istft: Must specify differing time and frequency axes!"), NULL));
    const int64_t bins = cp_dim(Zxx, axes[0]), usual = o->two_sided ? bins : 2 * (bins - 1);
    if (!read_lengths(&j, o->step, o->nfft ? o->nfft : usual > cp_size(window) ? usual : 0))
        return cpi_end(&f, NULL);
    if (!cp_dim(Zxx, axes[1]) || !bins)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "istft: there are no segments"), NULL));
    const cp_type type = cp_promote(cp_type_of(Zxx), CP_COMPLEX64);
    cp_array *z = cp_moveaxis(cpi_typed(Zxx, type), (cp_axes){2, axes}, CP_AXES(-1, -2));
    return cpi_end(&f, z ? signal_of(&j, z) : NULL);
}

/* --- windows that overlap --- */

/* The sums of overlapping windows, of their squares where `square`, on the host: `step` of them; NULL with an error. */
static double *overlap_sums(const char *name, cp_array *window, int64_t noverlap, bool square)
{
    const int64_t n = cp_size(window), step = n - noverlap;
    if (cpi_check_real(name, window)) return NULL;
    if (cp_ndim(window) != 1 || !n) return cpi_fail(CP_ERROR_VALUE, "%s: window must be 1-D and not empty", name), NULL;
    if (step < 1) return cpi_fail(CP_ERROR_VALUE, "%s: noverlap must be less than nperseg.", name), NULL;
    if (noverlap < 0) return cpi_fail(CP_ERROR_VALUE, "%s: noverlap must be a nonnegative integer", name), NULL;
    cp_array *wide = cp_astype(window, CP_FLOAT64);
    double *w = wide ? cpi_malloc((size_t)n * sizeof *w) : NULL;
    double *sums = w ? cpi_malloc((size_t)step * sizeof *sums) : NULL;
    if (!sums || cp_to_host(wide, w, (size_t)n * sizeof *w) != CP_OK) {
        cpi_free_host(w), cpi_free_host(sums);
        return NULL;
    }
    for (int64_t i = 0; i < step; i++) {
        sums[i] = 0;
        for (int64_t k = i; k < n; k += step) sums[i] += square ? w[k] * w[k] : w[k];
    }
    cpi_free_host(w);
    return sums;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/*: function("check_COLA", "window: array, noverlap: int64, tol: double = 1e-10", module="_spectra", returns="bool",
             unlock="always",
             about={"window": "1-d, real", "noverlap": "how many elements of neighbouring windows overlap",
                    "tol": "how far from the median a sum may be"},
             gives="1 or 0; in C -1 on failure",
             doc="Whether windows that overlap add up to a constant.") */
int cp_check_COLA(cp_array *window, int64_t noverlap, double tol)
{
    const char *name = "check_COLA";
    cpi_composite f;
    int r = -1;
    if (!cpi_begin(&f, name, window)) return -1;
    double *sums = overlap_sums(name, window, noverlap, false);
    if (sums) {
        const int64_t n = cp_size(window) - noverlap;
        qsort(sums, (size_t)n, sizeof *sums, by_value);
        const double median = (sums[(n - 1) / 2] + sums[n / 2]) / 2;
        r = 1;
        for (int64_t i = 0; i < n; i++) r = r && fabs(sums[i] - median) < tol; /* NaN is not near */
    }
    cpi_free_host(sums);
    cpi_end(&f, NULL);
    return r;
}

/*: function("check_NOLA", "window: array, noverlap: int64, tol: double = 1e-10", module="_spectra", returns="bool",
             unlock="always",
             about={"window": "1-d, real", "noverlap": "how many elements of neighbouring windows overlap",
                    "tol": "what counts as zero"},
             gives="1 or 0; in C -1 on failure",
             doc="Whether the squares of windows that overlap are nowhere zero: then stft has an inverse.") */
int cp_check_NOLA(cp_array *window, int64_t noverlap, double tol)
{
    cpi_composite f;
    int r = -1;
    if (!cpi_begin(&f, "check_NOLA", window)) return -1;
    double *sums = overlap_sums("check_NOLA", window, noverlap, true);
    if (sums) r = 1;
    for (int64_t i = 0; sums && i < cp_size(window) - noverlap; i++) r = r && sums[i] > tol;
    cpi_free_host(sums);
    cpi_end(&f, NULL);
    return r;
}
