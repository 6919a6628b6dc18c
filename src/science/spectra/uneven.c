/* Sums of sines and cosines at any times: the periodogram of uneven samples, and the phase of events. */
#include <float.h>

#include "cuprite/signal.h"
#include "spectra/steps.h"

/*: words("lomb_scale", "power normalize amplitude", c="cp_lomb_scale") */

enum { AT_ONCE = 1 << 18 }; /* angles of some frequencies */

/* Rows of c1, s1, cy, sy, cc, cs for some frequencies: sums over samples of w cos, w sin, wy cos, wy sin, w cos^2 and
 * w cos sin. */
static bool sums_of(cp_array *x, cp_array *freqs, cp_array *columns, cp_array *w, cp_array *to)
{
    cp_array *angle = cp_multiply(cp_expand_dims(freqs, CP_AXES(1)), x);
    cp_array *cos = angle ? cp_cos(angle) : NULL, *sin = angle ? cpi_apply_1(CP_OP_sin, angle, angle) : NULL;
    cp_array *first = cos && sin ? cp_matmul(cos, columns) : NULL, *second = first ? cp_matmul(sin, columns) : NULL;
    if (!second || !cpi_apply_2(CP_OP_multiply, sin, cos, sin) || !cpi_apply_2(CP_OP_multiply, cos, cos, cos))
        return false;
    cp_array *parts[] = {cpi_range(first, 1, 0, 1), cpi_range(second, 1, 0, 1), cpi_range(first, 1, 1, 2),
                         cpi_range(second, 1, 1, 2), cp_expand_dims(cp_matvec(cos, w), CP_AXES(1)),
                         cp_expand_dims(cp_matvec(sin, w), CP_AXES(1))};
    for (int i = 0; i < 6; i++)
        if (!parts[i] || !cpi_put(cpi_range(to, 0, i, i + 1), cp_transpose(parts[i], CP_ALL))) return false;
    return true;
}

static cp_array *sums(cp_array *x, cp_array *freqs, cp_array *w, cp_array *wy)
{
    const int64_t n = cp_size(freqs), each = AT_ONCE / cp_size(x) + 1;
    cp_array *columns = cp_stack(2, ((cp_array *[]){w, wy}), 1), *r = cp_empty(CP_SHAPE(6, n), CP_FLOAT64);
    for (int64_t at = 0; at < n && columns && r; at += each) {
        const int64_t end = at + each < n ? at + each : n;
        bool good = false;
        for (CP_SCOPE) good = sums_of(x, cpi_range(freqs, 0, at, end), columns, w, cpi_range(r, 1, at, end));
        if (!good) return NULL;
    }
    return columns ? r : NULL;
}

/* The coefficients a, b of the best sinusoids and what they explain, by R. H. D. Townsend, ApJS 191 (2010), and
 * M. Zechmeister, M. Kuerster, A&A 496 (2009). */
static cp_array *periodogram(cp_array *sums, cp_array *mean, bool fitted, cp_lomb_scale scale)
{
    static const char *const names[] = {"c1", "s1", "cy", "sy", "cc", "cs", "y", "f", "least"};
    cp_array *v[9];
    for (int i = 0; i < 6; i++)
        if (!sums || !(v[i] = cp_slice(sums, 1, &CP_AT(i)))) return NULL;
    v[6] = mean, v[7] = cp_float(fitted), v[8] = cp_float(DBL_EPSILON / 2);
    if (!mean || !v[7] || !v[8]) return NULL;
    const char *text = "ss = 1 - cc; t = 0.5*arctan2(2*(cs - f*c1*s1), (cc - f*c1*c1) - (ss - f*s1*s1));"
                       "c = cos(t); s = sin(t); C = f*(c1*c + s1*s); S = f*(s1*c - c1*s);"
                       "yc = cy*c + sy*s - y*C; ys = sy*c - cy*s - y*S;"
                       "p = cc*c*c + ss*s*s + 2*cs*c*s; q = 1 - p;"
                       "p = maximum(p - C*C, least); q = maximum(q - S*S, least);"
                       "a = yc / p; b = ys / q; return a, b, a*yc + b*ys, t";
    cp_fusion *f = cp_fusion_new(text, 9, names);
    cp_array *made[4] = {NULL};
    const cp_code code = f ? cp_fusion_run(f, v, made) : cp_error();
    cp_fusion_free(f);
    if (code != CP_OK) return NULL;
    if (scale != CP_LOMB_SCALE_AMPLITUDE) return made[2];
    cp_array *turned = cp_multiply(made[3], cp_complex(0, 1));
    cp_array *both = cp_add(made[0], cp_multiply(made[1], cp_complex(0, 1)));
    return both && turned ? cp_multiply(both, cp_exp(turned)) : NULL;
}

static cp_array *lomb(cp_array *x, cp_array *y, cp_array *freqs, const cp_lombscargle_options *o)
{
    x = cp_astype(x, CP_FLOAT64), y = cp_astype(y, CP_FLOAT64), freqs = cp_astype(freqs, CP_FLOAT64);
    cp_array *w = o->weights ? cp_astype(o->weights, CP_FLOAT64) : cp_ones(CP_SHAPE(cp_size(y)), CP_FLOAT64);
    w = w ? cp_divide(w, cp_sum(w)) : NULL;
    if (y && o->precenter) y = cp_subtract(y, cp_mean(y));
    cp_array *wy = w && y ? cp_multiply(w, y) : NULL, *mean = wy ? cp_sum(wy) : NULL;
    cp_array *all = mean && x && freqs ? sums(x, freqs, w, wy) : NULL;
    cp_array *r = periodogram(all, mean, o->floating_mean, o->scale);
    if (!r || o->scale == CP_LOMB_SCALE_AMPLITUDE) return r;
    if (o->scale == CP_LOMB_SCALE_POWER) return cp_multiply(r, cp_float((double)cp_size(x) / 2));
    cp_array *squares = cp_sum(cp_multiply(wy, y));
    if (squares && o->floating_mean) squares = cp_subtract(squares, cp_multiply(mean, mean));
    return squares ? cp_divide(r, squares) : NULL;
}

/*: function("lombscargle", """x: array, y: array, freqs: array, weights: array | None = None, precenter: bool = False,
             floating_mean: bool = False, scale: lomb_scale = 'power'""", module="_spectra", unlock="always",
             about={"x": "the times", "y": "the samples", "freqs": "angular frequencies",
                    "weights": "of the samples (None: equal ones)", "precenter": "whether y's mean is subtracted",
                    "floating_mean": "whether a constant is fitted too"},
             doc="The Lomb-Scargle periodogram of samples at any times: the power, its part of all, or amplitudes.") */
cp_array *(cp_lombscargle)(cp_array *x, cp_array *y, cp_array *freqs, const cp_lombscargle_options *options)
{
    const cp_lombscargle_options *o = CPI_GIVEN(cp_lombscargle_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "lombscargle", x)) return NULL;
    if (cpi_null("lombscargle", y) || cpi_null("lombscargle", freqs)) return cpi_end(&f, NULL);
    if (cp_ndim(x) != 1 || !cp_size(x) || cp_ndim(y) != 1 || cp_size(y) != cp_size(x) ||
        (o->weights && (cp_ndim(o->weights) != 1 || cp_size(o->weights) != cp_size(x))))
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "lombscargle: Parameters x, y, weights must be 1-D arrays of "
                                     "equal non-zero length!"), NULL));
    if (cp_ndim(freqs) != 1 || !cp_size(freqs) || (unsigned)o->scale > CP_LOMB_SCALE_AMPLITUDE)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "lombscargle: Parameter freqs must be a 1-D array of non-zero "
                                     "length!"), NULL));
    return cpi_end(&f, lomb(x, y, freqs, o));
}

/* --- events --- */

/*: function("vectorstrength", "events: array, period: array", module="_spectra", returns="(strength, phase)",
             unlock="always",
             about={"events": "their times, 1-d or one", "period": "above 0, one (0-d) or several (1-d)"},
             gives="two arrays of the period's shape, float32 where the period is, else float64",
             doc="""How well events keep a period: the length and the angle of the mean of their phases as numbers on
the unit circle, of length 1 where all have one phase.""") */
cp_code cp_vectorstrength(cp_array *events, cp_array *period, cp_array **strength, cp_array **phase)
{
    static const char *const names[] = {"c", "s", "n"};
    const char *name = "vectorstrength";
    cpi_composite f;
    if (cpi_null(name, strength) || cpi_null(name, phase)) return cp_error();
    *strength = *phase = NULL;
    if (cpi_null(name, period) || !cpi_begin(&f, name, events)) return cp_error();
    cp_array *sums = NULL, *made[2] = {NULL, NULL};
    if (cp_ndim(events) > 1) cpi_fail(CP_ERROR_VALUE, "%s: events cannot have dimensions more than 1", name);
    else if (cp_ndim(period) > 1) cpi_fail(CP_ERROR_VALUE, "%s: period cannot have dimensions more than 1", name);
    else if (!cpi_check_real(name, events) && !cpi_check_real(name, period)) {
        cp_array *wrong = cp_any(cp_less_equal(period, cp_int(0)));
        const bool any = wrong && cp_item_int(wrong), positive = wrong && !any && !(f.fine && cp_error());
        if (any) cpi_fail(CP_ERROR_VALUE, "%s: periods must be positive", name);
        cp_array *at = positive ? cp_reshape(cp_astype(events, CP_FLOAT64), CP_SHAPE(-1)) : NULL;
        cp_array *ones = at ? cp_ones(CP_SHAPE(cp_size(at)), CP_FLOAT64) : NULL;
        cp_array *turns = ones ? cp_divide(cp_float(2 * 3.14159265358979323846264338327950288),
                                           cp_reshape(cp_astype(period, CP_FLOAT64), CP_SHAPE(-1))) : NULL;
        sums = turns ? cp_trigonometric_sums(at, turns, ones, ones) : NULL;
    }
    cp_array *v[] = {NULL, NULL, sums ? cp_float((double)cp_size(events)) : NULL};
    if (v[2]) v[0] = cp_slice(sums, 1, &CP_AT(0)), v[1] = cp_slice(sums, 1, &CP_AT(1));
    for (int i = 0; i < 2 && v[0] && v[1]; i++) {
        cp_array *r = cp_fused(i ? "arctan2(s / n, c / n)" : "hypot(c / n, s / n)", 3, names, v); /* NaN of no events */
        r = r ? cp_reshape(r, (cp_shape){cp_ndim(period), cp_dims(period)}) : NULL;
        made[i] = cpi_typed(r, cpi_floating_type(cp_type_of(period)));
    }
    if (made[0] && made[1] && !(f.fine && cp_error())) *strength = cp_keep(made[0]), *phase = cp_keep(made[1]);
    cpi_end(&f, NULL);
    cpi_into_scope(*strength), cpi_into_scope(*phase);
    return *phase ? CP_OK : cp_error();
}
