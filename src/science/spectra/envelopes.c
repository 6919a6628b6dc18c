/* The envelope of what a signal has in a band of frequencies. A band is a slice of the spectrum whose frequencies run
 * from -n/2 to (n + 1)/2; negative ones lie at its end. */
#include "spectra/steps.h"

/*: words("envelope_residual", "none lowpass all", c="cp_envelope_residual") */

typedef struct band { int64_t n, low, high; bool real; } band; /* of n samples: low <= frequency < high */

static bool holds_zero(const band *b) { return b->low <= 0 && b->high > 0; }

/* A band without frequency 0 in a spectrum. */
static cp_array *places(const band *b, cp_array *s)
{
    const int64_t n = b->n;
    return cpi_last_range(s, b->low < 0 ? b->low + n : b->low, b->high <= 0 ? b->high + n : b->high);
}

static bool zero(cp_array *part) { return cpi_put(part, cp_int(0)); }

/* The spectrum; of a real signal with twice what lies above frequency 0 in the band, and zeros below 0. */
static cp_array *spectrum_of(const band *b, cp_array *z)
{
    if (!b->real) return CPI_AT_ONCE(cp_fft(z));
    cp_array *half = CPI_AT_ONCE(cp_rfft(z));
    cp_array *s = half ? cpi_with_length(z, b->n, cp_type_of(half), true) : NULL;
    if (!cpi_put(cpi_last_range(s, 0, b->n / 2 + 1), half)) return NULL;
    if (b->high <= 0) return s;
    cp_array *above = cpi_last_range(s, b->low > 0 ? b->low : 1, b->high);
    return above && cpi_apply_2(CP_OP_multiply, above, cp_int(2), above) ? s : NULL;
}

/* Times m / n: what m samples of the inverse of n are too small by. */
static cp_array *resized(cp_array *r, int64_t m, int64_t n)
{
    return r && m != n ? cp_multiply(r, cp_float((double)m / (double)n)) : r;
}

/* The band's analytic signal of `m` samples, moved to frequency 0, which leaves its magnitude as it is. */
static cp_array *moved_band(const band *b, cp_array *s, int64_t m)
{
    cp_array *part;
    if (!holds_zero(b)) part = places(b, s);
    else {
        cp_array *ends[] = {cpi_last_range(s, b->n + b->low, b->n), cpi_last_range(s, 0, b->high)};
        part = ends[0] && ends[1] ? cp_concatenate(2, ends, cp_ndim(s) - 1) : NULL;
    }
    cp_array *r = part ? CPI_AT_ONCE(cp_ifft(part, .n = m)) : NULL;
    return resized(r, m, b->n);
}

/* What the filter removed, of the spectrum, which is changed: all of it, or what lies below the band. */
static cp_array *rest_of(const band *b, cp_array *s, int64_t m, bool below)
{
    const int64_t n = b->n, middle = (n + 1) / 2, least = m < n ? m : n;
    bool good;
    /* as in SciPy nothing is left where the band begins at 0, of negative frequencies either */
    if (holds_zero(b))
        good = zero(cpi_last_range(s, 0, b->high)) && zero(cpi_last_range(s, b->low ? n + b->low : 0, n));
    else good = zero(places(b, s));
    if (good && below && b->high > 0 && b->high < middle) good = zero(cpi_last_range(s, b->high, middle));
    if (good && below && b->high <= 0)
        good = zero(cpi_last_range(s, b->low < 0 ? n + b->low : b->low, n)) && zero(cpi_last_range(s, 0, middle));
    if (!good) return NULL;
    if (!b->real) return cp_resample(s, m, .axis = CP_AXES(-1), .spectrum = true);
    if (m != n && least % 2 == 0) { /* the highest frequency that both have */
        cp_array *here = cpi_last_range(s, least / 2, least / 2 + 1);
        if (!here || !cpi_apply_2(CP_OP_multiply, here, cp_float(m < n ? 2 : 0.5), here)) return NULL;
    }
    return resized(CPI_AT_ONCE(cp_irfft(s, .n = m)), m, n);
}

static cp_array *envelope(cp_array *z, const band *b, int64_t m, int axis, const cp_envelope_options *o)
{
    static const char *const names[] = {"a", "b"};
    z = cpi_to_last(cpi_floating(z), axis);
    cp_array *s = z ? spectrum_of(b, z) : NULL, *part = s ? moved_band(b, s, m) : NULL, *r = NULL;
    if (part && o->squared)
        r = cp_fused("a*a + b*b", 2, names, ((cp_array *[]){cp_real_part(part), cp_imag_part(part)}));
    else if (part) r = cp_absolute(part);
    r = cpi_from_last(r, axis);
    if (!r || o->residual == CP_ENVELOPE_RESIDUAL_NONE) return r;
    cp_array *rest = cpi_from_last(rest_of(b, s, m, o->residual == CP_ENVELOPE_RESIDUAL_LOWPASS), axis);
    return rest ? cp_stack(2, ((cp_array *[]){r, rest}), 0) : NULL;
}

/*: function("envelope", """z: array, low: int64, high: int64, n_out: int64 = 0, squared: bool = False,
             residual: envelope_residual = 'none', axis: index_axes = None""", module="_spectra", unlock="always",
             about={"low": "the band's first frequency, in cycles of the whole signal (INT64_MIN: the lowest)",
                    "high": "the one behind its last (INT64_MAX: behind the highest)",
                    "n_out": "how many samples the result has (0: z's)",
                    "squared": "whether the envelope is squared",
                    "residual": "what is returned too: what lies below the band, or all that lies outside of it"},
             gives="the envelope; with a residual (2, ...), the envelope and that",
             doc="The envelope of what a signal has in a band of frequencies along an axis.") */
cp_array *(cp_envelope)(cp_array *z, int64_t low, int64_t high, const cp_envelope_options *options)
{
    const cp_envelope_options *o = CPI_GIVEN(cp_envelope_options, options);
    const char *name = "envelope";
    cpi_composite f;
    int axis;
    if (!cpi_begin(&f, name, z)) return NULL;
    if (!cpi_given_axis(name, z, o->axis, &axis)) return cpi_end(&f, NULL);
    const int64_t n = cp_dim(z, axis), m = o->n_out ? o->n_out : n, most = (n + 1) / 2;
    band b = {n, low == INT64_MIN ? -(n / 2) : low, high == INT64_MAX ? most : high, !cpi_is_complex(cp_type_of(z))};
    if (n < 1) cpi_fail(CP_ERROR_VALUE, "%s: z has no samples along the axis", name);
    else if (m < 1) cpi_fail(CP_ERROR_VALUE, "%s: n_out must be positive, not %lld", name, (long long)m);
    else if ((unsigned)o->residual > CP_ENVELOPE_RESIDUAL_ALL) cpi_fail(CP_ERROR_VALUE, "%s: unknown residual", name);
    else if (b.low < -most || b.low >= b.high || b.high > most)
        cpi_fail(CP_ERROR_VALUE, "%s: the band from %lld to %lld must lie between %lld and %lld", name,
                 (long long)b.low, (long long)b.high, (long long)-most, (long long)most);
    else {
        /* of an odd number -most is the place of the highest frequency, but none of a band around 0 */
        if (b.low < -(n / 2) && b.high > 0) b.low = -(n / 2);
        return cpi_end(&f, envelope(z, &b, m, axis, o));
    }
    return cpi_end(&f, NULL);
}
