/* Other rates by polyphase filters without feedback. */
#include "cuprite/lfilter.h"
#include "cuprite/windows.h"
#include "spectra/steps.h"

static const double PI = 3.14159265358979323846264338327950288;

/* A filter that passes what lies below 1 / factor of the highest frequency: the sinc function times a window, with the
 * sum `gain`. */
static cp_array *lowpass(int64_t factor, cp_array *window, double gain)
{
    static const char *const names[] = {"k", "w", "c", "m"};
    const int64_t taps = window ? cp_size(window) : 0;
    cp_array *v[] = {cp_arange_int(0, taps, 1, CP_FLOAT64), window, cp_float(PI / (double)factor),
                     cp_float((double)(taps - 1) / 2)};
    if (!v[0] || !window || !v[2] || !v[3]) return NULL;
    cp_array *h = cp_fused("x = c*(k - m); w*where(x == 0, 1, sin(x)/where(x == 0, 1, x))", 4, names, v);
    return h ? cp_multiply(h, cp_divide(cp_float(gain), cp_sum(h))) : NULL;
}

/* n zeros, in x's type. */
static cp_array *zeros_like(const cp_array *x, int64_t n) { return cp_zeros(CP_SHAPE(n), cp_type_of(x)); }

/* x at up / down times its rate through h, whose middle is no delay. */
static cp_array *polyphase(cp_array *x, int axis, int64_t up, int64_t down, cp_array *h)
{
    const int64_t n = cp_dim(x, axis), taps = cp_size(h), half = (taps - 1) / 2;
    const int64_t length = (n * up + down - 1) / down, before = down - half % down, drop = (half + before) / down;
    /* as many zeros behind the filter as it takes for `length` results */
    const int64_t needed = (length + drop - 1) * down + 1 - ((n - 1) * up + taps + before);
    cp_array *parts[] = {zeros_like(h, before), h, zeros_like(h, needed > 0 ? needed : 0)};
    cp_array *whole = parts[0] && parts[2] ? cp_concatenate(3, parts, 0) : NULL;
    cp_array *y = whole ? cp_upfirdn(whole, x, .up = up, .down = down, .axis = CP_AXES(axis)) : NULL;
    return y ? cpi_range(y, axis, drop, drop + length) : NULL;
}

/* The checked factors without what they share; false with an error. */
static bool reduced(const char *name, const cp_array *x, int axis, int64_t *up, int64_t *down)
{
    if (*up < 1 || *down < 1)
        return !cpi_fail(CP_ERROR_VALUE, "%s: up and down must be at least 1, not %lld and %lld", name, (long long)*up,
                         (long long)*down);
    int64_t a = *up, b = *down, total;
    while (b) {
        const int64_t rest = a % b;
        a = b, b = rest;
    }
    *up /= a, *down /= a;
    const int64_t most = *up > *down ? *up : *down;
    if (most > INT64_MAX / 64 || __builtin_mul_overflow(cp_dim(x, axis) + 64, 2 * most, &total))
        return !cpi_fail(CP_ERROR_VALUE, "%s: the factors are too large", name);
    return true;
}

/*: function("resample_poly", "x: array, up: int64, down: int64, window: array | None = None, axis: index_axes = None",
             module="_spectra", unlock="always",
             about={"window": "the filter's coefficients, 1-d (None: of Kaiser's window with beta 5)"},
             doc="""x at up / down times its rate along an axis, by a polyphase filter without phase. Zeros lie beyond
             the ends.""") */
cp_array *(cp_resample_poly)(cp_array *x, int64_t up, int64_t down, const cp_resample_poly_options *options)
{
    const cp_resample_poly_options *o = CPI_GIVEN(cp_resample_poly_options, options);
    const char *name = "resample_poly";
    cpi_composite f;
    int axis;
    if (!cpi_begin(&f, name, x)) return NULL;
    if (!cpi_given_axis(name, x, o->axis, &axis) || !reduced(name, x, axis, &up, &down)) return cpi_end(&f, NULL);
    if (o->window && (cp_ndim(o->window) != 1 || !cp_size(o->window)))
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: window must be 1-D, with one element at least", name), NULL));
    if (up == down || !cp_size(x)) {
        int64_t shape[CP_MAXDIM];
        for (int i = 0; i < cp_ndim(x); i++) shape[i] = cp_dim(x, i);
        shape[axis] = (shape[axis] * up + down - 1) / down;
        return cpi_end(&f, up == down ? cp_copy(x) : cp_zeros((cp_shape){cp_ndim(x), shape},
                                                              cpi_floating_type(cp_type_of(x))));
    }
    const int64_t most = up > down ? up : down;
    cp_array *signal = cpi_floating(x), *h = NULL;
    if (signal && o->window) h = cp_multiply(o->window, cp_int(up));
    else if (signal) h = lowpass(most, cp_window_kaiser(20 * (double)most + 1, 5, true), (double)up);
    if (h && !o->window) h = cpi_typed(h, cpi_real_type(cpi_is_double(cp_type_of(signal))));
    return cpi_end(&f, h ? polyphase(signal, axis, up, down, h) : NULL);
}

/*: function("decimate", "x: array, q: int64, n: int64 = 0, shift: bool = False, axis: index_axes = None",
             module="_spectra", unlock="always",
             about={"q": "the factor", "n": "the filter's order (0: 20 q)",
                    "shift": "whether the result is delayed by half the order, else by nothing"},
             doc="Every q-th element along an axis, through a filter by Hamming's window against aliases.") */
cp_array *(cp_decimate)(cp_array *x, int64_t q, const cp_decimate_options *options)
{
    const cp_decimate_options *o = CPI_GIVEN(cp_decimate_options, options);
    const char *name = "decimate";
    cpi_composite f;
    int axis;
    int64_t up = 1, down = q;
    if (!cpi_begin(&f, name, x)) return NULL;
    if (!cpi_given_axis(name, x, o->axis, &axis) || !reduced(name, x, axis, &up, &down)) return cpi_end(&f, NULL);
    const int64_t order = o->n ? o->n : 20 * q;
    if (order < 0)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: the order %lld is negative", name, (long long)order), NULL));
    cp_array *signal = cpi_floating(x);
    cp_array *h = signal ? lowpass(q, cp_window_hamming((double)order + 1, true), 1) : NULL;
    h = h ? cpi_typed(h, cpi_real_type(cpi_is_double(cp_type_of(signal)))) : NULL;
    if (!h || !cp_size(x)) return cpi_end(&f, h ? cp_resample_poly(x, 1, q, .axis = CP_AXES(axis)) : NULL);
    if (!o->shift) return cpi_end(&f, polyphase(signal, axis, 1, q, h));
    cp_array *y = cp_upfirdn(h, signal, .up = 1, .down = q, .axis = CP_AXES(axis));
    return cpi_end(&f, y ? cpi_range(y, axis, 0, (cp_dim(x, axis) + q - 1) / q) : NULL);
}
