/* Analytic signals, trends, other rates: functions of a line's transform or of its moments. */
#include <math.h>

#include "spectra/steps.h"

static bool must_be_real(const char *name, cp_array *x)
{
    if (!cpi_is_complex(cp_type_of(x))) return true;
    return !cpi_fail(CP_ERROR_VALUE, "%s: x must be real", name);
}

/* x[..., :n], with zeros where it is shorter. */
static cp_array *fitted(cp_array *x, int64_t n)
{
    if (cpi_length(x) >= n) return cpi_last_range(x, 0, n);
    cp_array *r = cpi_with_length(x, n, cp_type_of(x), true);
    return cpi_put(cpi_last_range(r, 0, cpi_length(x)), x) ? r : NULL;
}

/* The analytic signal of the last axis: its real part is x, its imaginary part the transform of the spectrum turned by
 * a quarter, without that of frequency 0 and of the highest one of an even number. */
static cp_array *analytic(cp_array *x, int64_t n)
{
    cp_array *s = CPI_AT_ONCE(cp_rfft(x, .n = n));
    cp_array *turned = s ? cpi_apply_2(CP_OP_multiply, s, cp_complex(0, -1), s) : NULL;
    cp_array *r = cpi_with_length(x, n, turned ? cp_type_of(turned) : CP_COMPLEX128, false);
    if (!turned || !cpi_put(cpi_last_range(turned, 0, 1), cp_int(0))) return NULL;
    if (n % 2 == 0 && !cpi_put(cpi_last_range(turned, n / 2, n / 2 + 1), cp_int(0))) return NULL;
    if (!cpi_put(cp_real_part(r), fitted(x, n))) return NULL;
    return cpi_put(cp_imag_part(r), CPI_AT_ONCE(cp_irfft(turned, .n = n))) ? r : NULL;
}

/*: function("analytic_signal", "x: array, N: int64 = 0, axis: index_axes = None", module="_spectra", unlock="always",
             about={"N": "how many elements are transformed; 0: all"},
             doc="The analytic signal of a real one, whose imaginary part is the Hilbert transform, along an axis.") */
cp_array *(cp_analytic_signal)(cp_array *x, const cp_analytic_signal_options *options)
{
    const cp_analytic_signal_options *o = CPI_GIVEN(cp_analytic_signal_options, options);
    cpi_composite f;
    int axis;
    if (!cpi_begin(&f, "analytic_signal", x)) return NULL;
    if (!must_be_real("analytic_signal", x) || !cpi_given_axis("analytic_signal", x, o->axis, &axis))
        return cpi_end(&f, NULL);
    const int64_t n = o->N ? o->N : cp_dim(x, axis);
    if (n <= 0) return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "analytic_signal: N must be positive"), NULL));
    x = cpi_to_last(cpi_floating(x), axis);
    return cpi_end(&f, cpi_from_last(x ? analytic(x, n) : NULL, axis));
}

/* Times 2 for frequencies above 0 along the last axis, 1 for 0, and 0 for others: in place. */
static bool keep_positive(cp_array *s)
{
    const int64_t n = cpi_length(s), half = (n + 1) / 2;
    cp_array *above = cpi_last_range(s, 1, half);
    if (!above || !cpi_apply_2(CP_OP_multiply, above, cp_int(2), above)) return false;
    return cpi_put(cpi_last_range(s, half < 1 ? 1 : half, n), cp_int(0));
}

/*: function("hilbert2", "x: array, s: lengths = None, axes: index_axes = None", module="_spectra",
             unlock="always", about={"s": "the two lengths that are transformed", "axes": "the two axes"},
             doc="The analytic signal of two dimensions: of frequencies that are positive along both.") */
cp_array *(cp_hilbert2)(cp_array *x, const cp_hilbert2_options *options)
{
    const cp_hilbert2_options *o = CPI_GIVEN(cp_hilbert2_options, options);
    cpi_composite f;
    int axes[2] = {-2, -1};
    if (!cpi_begin(&f, "hilbert2", x)) return NULL;
    if (o->axes.at && o->axes.n != 2)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "hilbert2: axes must be two"), NULL));
    for (int i = 0; i < 2; i++) {
        if (o->axes.at) axes[i] = o->axes.at[i];
        if (cpi_axis("hilbert2", &axes[i], cp_ndim(x))) return cpi_end(&f, NULL);
    }
    if (axes[0] == axes[1])
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "hilbert2: axes must contain 2 distinct axes"), NULL));
    if (!must_be_real("hilbert2", x)) return cpi_end(&f, NULL);
    const cp_axes both = {2, axes};
    const int64_t own[2] = {cp_dim(x, axes[0]), cp_dim(x, axes[1])};
    x = cpi_floating(x);
    const cp_shape s = o->s.n == 2 ? o->s : (cp_shape){2, own};
    cp_array *spectrum = x ? CPI_AT_ONCE(cp_fft2(x, .s = s, .axes = both)) : NULL;
    for (int i = 0; i < 2 && spectrum; i++)
        if (!keep_positive(cpi_to_last(spectrum, axes[i]))) spectrum = NULL;
    return cpi_end(&f, spectrum ? CPI_AT_ONCE(cp_ifft2(spectrum, .axes = both)) : NULL);
}

/* --- trends --- */

/* part, along its last axis, without its least-squares line: in place. */
static bool without_line(cp_array *part)
{
    static const char *const names[] = {"x", "m", "s", "t"};
    const int64_t n = cpi_length(part);
    const double mid = (double)(n - 1) / 2;
    const bool is_double = cpi_is_double(cp_type_of(part));
    cp_array *t = cpi_typed(cp_arange(-mid, (double)n - mid - 0.5, 1, CP_FLOAT64), cpi_real_type(is_double));
    cp_array *mean = cp_mean(part, .axis = CP_AXES(-1), .keepdims = true);
    const double squares = (double)n * ((double)n * (double)n - 1) / 12;
    cp_array *moment = t && mean ? cp_matvec(cp_expand_dims(cp_subtract(part, mean), CP_AXES(-2)), t) : NULL;
    cp_array *slope = moment ? cp_multiply(moment, cp_float(squares > 0 ? 1 / squares : 0)) : NULL;
    if (!slope) return false;
    return cp_fused("(x - m) - s*t", 4, names, ((cp_array *[]){part, mean, slope, t}), .out = part) != NULL;
}

/*: function("detrend", "data: array, constant: bool = False, axis: index_axes = None, bp: array | None = None",
             module="_spectra", unlock="always",
             about={"constant": "whether the mean is subtracted, else a line", "bp": "where lines begin, integers"},
             doc="Data without their mean or their least-squares lines along an axis.") */
cp_array *(cp_detrend)(cp_array *data, const cp_detrend_options *options)
{
    const cp_detrend_options *o = CPI_GIVEN(cp_detrend_options, options);
    cpi_composite f;
    int axis;
    if (!cpi_begin(&f, "detrend", data)) return NULL;
    if (!cpi_given_axis("detrend", data, o->axis, &axis)) return cpi_end(&f, NULL);
    cp_array *x = cpi_floating(data);
    if (o->constant)
        return cpi_end(&f, x ? cp_subtract(x, cp_mean(x, .axis = CP_AXES(axis), .keepdims = true)) : NULL);
    const int64_t n = cp_dim(data, axis), breaks = o->bp ? cp_size(o->bp) : 0;
    cp_array *r = x ? cp_copy_order(x, 'K') : NULL, *last = cpi_to_last(r, axis);
    int64_t *at = cpi_malloc((size_t)(breaks + 2) * sizeof *at);
    bool good = at && last;
    cp_array *sorted = good && breaks ? cp_sort(cp_astype(cp_ravel(o->bp), CP_INT64), -1) : NULL;
    if (good && breaks) good = sorted && cp_to_host(sorted, at + 1, (size_t)breaks * sizeof *at) == CP_OK;
    if (good && breaks && (at[1] < 0 || at[breaks] > n))
        good = !cpi_fail(CP_ERROR_VALUE, "detrend: Breakpoints must be less than length of data along given axis.");
    if (good) at[0] = 0, at[breaks + 1] = n;
    for (int64_t i = 0; i <= breaks && good && cp_size(data); i++)
        if (at[i + 1] > at[i]) good = without_line(cpi_last_range(last, at[i], at[i + 1]));
    cpi_free_host(at);
    return cpi_end(&f, good ? r : NULL);
}

/* --- other rates --- */

/* The spectrum of `num` samples made of that of n, along the last axis; real: of a half alone. */
static cp_array *respaced(cp_array *s, int64_t n, int64_t num, bool real)
{
    const int64_t least = n < num ? n : num, half = least / 2 + 1;
    cp_array *kept = cpi_with_length(s, real ? num / 2 + 1 : num, cp_type_of(s), true);
    if (!cpi_put(cpi_last_range(kept, 0, half), cpi_last_range(s, 0, half))) return NULL;
    if (!real && least > 2 &&
        !cpi_put(cpi_last_range(kept, num + half - least, num), cpi_last_range(s, n + half - least, n))) return NULL;
    if (least % 2 || n == num) return kept;
    /* the highest frequency that both have stands for two, or is made of two */
    cp_array *here = cpi_last_range(kept, least / 2, least / 2 + 1), *done;
    if (num < n)
        done = real ? cpi_apply_2(CP_OP_multiply, here, cp_int(2), here)
                    : cpi_apply_2(CP_OP_add, here, cpi_last_range(s, n - least / 2, n - least / 2 + 1), here);
    else done = here ? cpi_apply_2(CP_OP_multiply, here, cp_float(0.5), here) : NULL;
    if (num > n && !real && !cpi_put(cpi_last_range(kept, num - least / 2, num - least / 2 + 1), here)) return NULL;
    return done ? kept : NULL;
}

/*: function("resample", """x: array, num: int64, axis: index_axes = None, weights: array | None = None,
             spectrum: bool = False""", module="_spectra", unlock="always",
             about={"num": "how many samples", "weights": "of the frequencies, in fftfreq's order",
                    "spectrum": "whether x is the signal's transform"},
             doc="A periodic signal at `num` places in equal steps along an axis, by Fourier's coefficients.") */
cp_array *(cp_resample)(cp_array *x, int64_t num, const cp_resample_options *options)
{
    const cp_resample_options *o = CPI_GIVEN(cp_resample_options, options);
    cpi_composite f;
    int axis;
    if (!cpi_begin(&f, "resample", x)) return NULL;
    if (!cpi_given_axis("resample", x, o->axis, &axis)) return cpi_end(&f, NULL);
    const int64_t n = cp_dim(x, axis);
    const bool real = !o->spectrum && !cpi_is_complex(cp_type_of(x));
    if (num < 1 || n < 1)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "resample: %lld samples of %lld", (long long)num,
                                     (long long)n), NULL));
    if (o->weights && (cp_ndim(o->weights) != 1 || cp_size(o->weights) != n))
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "resample: window must have the same length as data"), NULL));
    x = cpi_to_last(cpi_floating(x), axis);
    cp_array *s = !x ? NULL : o->spectrum ? x : CPI_AT_ONCE(real ? cp_rfft(x) : cp_fft(x));
    if (s && o->weights) {
        /* a real signal's spectrum keeps its precision, another one's takes the weights' */
        cp_array *w = real ? cpi_typed(o->weights, cpi_real_type(cpi_is_double(cp_type_of(s)))) : o->weights;
        if (w && real) { /* the mean of both halves' weights */
            const cp_array *back = cp_flip(w, CP_AXES(0));
            cp_array *other = back ? cp_roll((cp_array *)back, 1, ((int64_t[]){1})) : NULL;
            w = cpi_last_range(cp_multiply(cp_add(w, other), cp_float(0.5)), 0, n / 2 + 1);
        }
        s = w ? cp_multiply(s, w) : NULL;
    }
    cp_array *kept = s ? respaced(s, n, num, real) : NULL;
    cp_array *y = kept ? CPI_AT_ONCE(real ? cp_irfft(kept, .n = num) : cp_ifft(kept)) : NULL;
    y = y ? cpi_apply_2(CP_OP_multiply, y, cp_float((double)num / (double)n), y) : NULL;
    return cpi_end(&f, cpi_from_last(y, axis));
}
