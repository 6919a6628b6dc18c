/* Test signals of times: one fused pass each. */
#include <math.h>

#include "spectra/steps.h"

static const double PI = 3.14159265358979323846264338327950288, TURN = 2 * 3.14159265358979323846264338327950288;

/*: words("sweep", "linear quadratic logarithmic hyperbolic", c="cp_sweep") */

/* A phase as a formula of t, with its constants. */
typedef struct phase { const char *text; double a, b, c; } phase;

/* The phase of a sweep, without what it begins with; false with an error for frequencies that it does not have. */
static bool phase_of(double f0, double t1, double f1, cp_sweep method, bool vertex_at_end, phase *p)
{
    *p = (phase){"a*t", TURN * f0, 0, 0};
    if (method == CP_SWEEP_LINEAR) {
        *p = (phase){"c*(a*t + b*t*t)", f0, 0.5 * (f1 - f0) / t1, TURN};
    } else if (method == CP_SWEEP_QUADRATIC && vertex_at_end) {
        *p = (phase){"a*t + b*((c - t)**3 - c**3)", TURN * f1, TURN * (f1 - f0) / (t1 * t1) / 3, t1};
    } else if (method == CP_SWEEP_QUADRATIC) {
        *p = (phase){"c*(a*t + b*t**3/3)", f0, (f1 - f0) / (t1 * t1), TURN};
    } else if (method == CP_SWEEP_LOGARITHMIC) {
        if (!(f0 * f1 > 0))
            return !cpi_fail(CP_ERROR_VALUE, "chirp: For a logarithmic chirp, f0 and f1 must be nonzero and have the "
                             "same sign.");
        if (f0 != f1) *p = (phase){"a*(b**(t/c) - 1)", TURN * t1 / log(f1 / f0) * f0, f1 / f0, t1};
    } else if (method == CP_SWEEP_HYPERBOLIC) {
        if (f0 == 0 || f1 == 0)
            return !cpi_fail(CP_ERROR_VALUE, "chirp: For a hyperbolic chirp, f0 and f1 must be nonzero.");
        if (f0 != f1) *p = (phase){"a*log(abs(1 - t/b))", TURN * (f1 * t1 / (f0 - f1)) * f0, -f1 * t1 / (f0 - f1), 0};
    } else {
        return !cpi_fail(CP_ERROR_VALUE, "chirp: unknown method");
    }
    return true;
}

/* The formula of t, the constants, a phase d and the imaginary unit. */
static cp_array *formula(const char *text, cp_array *t, double a, double b, double c, double d)
{
    static const char *const names[] = {"t", "a", "b", "c", "d", "i"};
    cp_array *v[] = {cpi_floating(t), cp_float(a), cp_float(b), cp_float(c), cp_float(d), cp_complex(0, 1)};
    for (int i = 0; i < 6; i++)
        if (!v[i]) return NULL;
    return cp_fused(text, 6, names, v);
}

/*: function("chirp", """t: array, f0: double, t1: double, f1: double, method: sweep = 'linear', phi: double = 0,
             vertex_at_end: bool = False, analytic: bool = False""", module="_spectra", unlock="always",
             about={"t": "times", "f0": "the frequency at 0", "t1": "another time", "f1": "the frequency there",
                    "method": "how it changes", "phi": "a phase in degrees",
                    "vertex_at_end": "whether a parabola's vertex is at t1, else at 0",
                    "analytic": "whether the complex exponential is made"},
             doc="A cosine whose frequency changes.") */
cp_array *(cp_chirp)(cp_array *t, double f0, double t1, double f1, const cp_chirp_options *options)
{
    const cp_chirp_options *o = CPI_GIVEN(cp_chirp_options, options);
    cpi_composite f;
    phase p;
    char text[120];
    if (!cpi_begin(&f, "chirp", t)) return NULL;
    if (!phase_of(f0, t1, f1, o->method, o->vertex_at_end, &p)) return cpi_end(&f, NULL);
    const char *wave = o->analytic ? "cos(x) + i*sin(x)" : "cos(x)";
    snprintf(text, sizeof text, "x = %s + d; %s", p.text, wave);
    return cpi_end(&f, formula(text, t, p.a, p.b, p.c, o->phi * PI / 180));
}

/*: function("gausspulse", """t: array, fc: double, bw: double, bwr: double, analytic: bool = False""",
             module="_spectra", unlock="always",
             about={"t": "times", "fc": "the frequency", "bw": "the bandwidth, a part of it",
                    "bwr": "where that is measured, decibels below 0",
                    "analytic": "whether the sine is made as the imaginary part"},
             doc="A cosine in a Gaussian.") */
cp_array *(cp_gausspulse)(cp_array *t, double fc, double bw, double bwr, const cp_gausspulse_options *options)
{
    const cp_gausspulse_options *o = CPI_GIVEN(cp_gausspulse_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "gausspulse", t)) return NULL;
    if (!(fc >= 0) || !(bw > 0) || !(bwr < 0)) {
        cpi_fail(CP_ERROR_VALUE, "gausspulse: the frequency %g must not be below 0, the bandwidth %g must be above it, "
                 "the level %g below", fc, bw, bwr);
        return cpi_end(&f, NULL);
    }
    const double reference = log(pow(10, bwr / 20)), part = PI * fc * bw;
    const char *text = o->analytic ? "e = exp(a*t*t); x = b*t; e*cos(x) + i*(e*sin(x))" : "exp(a*t*t)*cos(b*t)";
    return cpi_end(&f, formula(text, t, part * part / (4 * reference), TURN * fc, 0, 0));
}

/*: function("sawtooth", "t: array, width: array", module="_spectra", unlock="always",
             about={"t": "times", "width": "the part of a period in which it rises, 0..1; of others NaN comes"},
             doc="A sawtooth of period 2 pi, from -1 up to 1 and back.") */
cp_array *cp_sawtooth(cp_array *t, cp_array *width)
{
    static const char *const names[] = {"t", "w", "p", "turn"};
    cpi_composite f;
    if (!cpi_begin(&f, "sawtooth", t)) return NULL;
    if (cpi_null("sawtooth", width)) return cpi_end(&f, NULL);
    cp_array *v[] = {cpi_floating(t), width, cp_float(PI), cp_float(TURN)};
    return cpi_end(&f, v[0] && v[2] && v[3] ? cp_fused(
        "x = remainder(t, turn); up = x/where(w > 0, p*w, 1) - 1;"
        "down = (p*(w + 1) - x)/where(w < 1, p*(1 - w), 1);"
        "where((w > 1) | (w < 0), nan, where(x < w*turn, up, down))", 4, names, v) : NULL);
}

/*: function("square_wave", "t: array, duty: array", module="_spectra", unlock="always",
             about={"t": "times", "duty": "the part of a period in which it is 1, 0..1; of others NaN comes"},
             doc="A square wave of period 2 pi: 1, then -1.") */
cp_array *cp_square_wave(cp_array *t, cp_array *duty)
{
    static const char *const names[] = {"t", "w", "turn"};
    cpi_composite f;
    if (!cpi_begin(&f, "square_wave", t)) return NULL;
    if (cpi_null("square_wave", duty)) return cpi_end(&f, NULL);
    cp_array *v[] = {cpi_floating(t), duty, cp_float(TURN)};
    return cpi_end(&f, v[0] && v[2] ? cp_fused("where((w > 1) | (w < 0), nan, where(remainder(t, turn) < w*turn, 1.0, "
                                               "-1.0))", 3, names, v) : NULL);
}

/*: function("sweep_poly", "t: array, poly: array, phi: double = 0", module="_spectra", unlock="always",
             about={"t": "times", "poly": "the polynomial's coefficients, real, the highest power first",
                    "phi": "a phase in degrees"},
             doc="A cosine whose frequency is a polynomial of time.") */
cp_array *(cp_sweep_poly)(cp_array *t, cp_array *poly, const cp_sweep_poly_options *options)
{
    const cp_sweep_poly_options *o = CPI_GIVEN(cp_sweep_poly_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "sweep_poly", t)) return NULL;
    if (cpi_null("sweep_poly", poly) || cpi_check_real("sweep_poly", poly)) return cpi_end(&f, NULL);
    if (cp_ndim(poly) != 1)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "sweep_poly: the polynomial is a 1-d array"), NULL));
    const int64_t n = cp_size(poly);
    cp_array *c = cp_astype(poly, CP_FLOAT64), *x = cpi_floating(t);
    double *host = cpi_malloc((size_t)(n + 1) * sizeof *host);
    bool good = host && c && x && cp_to_host(c, host, (size_t)n * sizeof *host) == CP_OK;
    cp_array *value = good ? cp_multiply(x, cp_float(0)) : NULL;
    for (int64_t i = 0; i < n && value; i++) { /* the integral, by Horner */
        static const char *const names[] = {"v", "t", "c"};
        cp_array *k = cp_float(host[i] / (double)(n - i));
        value = k ? cp_fused("v*t + c", 3, names, ((cp_array *[]){value, x, k}), .out = value) : NULL;
    }
    cpi_free_host(host);
    value = value ? cpi_apply_2(CP_OP_multiply, value, x, value) : NULL;
    return cpi_end(&f, value ? formula("cos(a*t + d)", value, TURN, 0, 0, o->phi * PI / 180) : NULL);
}

/*: function("unit_impulse", "shape: shape, idx: per_axis = None, dtype: dtype = None", module="_spectra",
             unlock="always",
             about={"shape": "a length, or several", "idx": "where the 1 is, of each axis or one for all (None: at 0)",
                    "dtype": "an element type (None: float64)"},
             doc="Zeros and a single 1.") */
cp_array *(cp_unit_impulse)(cp_shape shape, const cp_unit_impulse_options *options)
{
    const cp_unit_impulse_options *o = CPI_GIVEN(cp_unit_impulse_options, options);
    const char *name = "unit_impulse";
    cpi_composite f;
    cp_index at[CP_MAXDIM];
    if (!cpi_begin_alone(&f)) return NULL;
    cp_array *r = cp_zeros(shape, o->typed ? o->dtype : CP_FLOAT64);
    if (r && o->idx.n > 1 && o->idx.n != cp_ndim(r))
        r = (cpi_fail(CP_ERROR_INDEX, "%s: %d indices for %d axes", name, o->idx.n, cp_ndim(r)), NULL);
    for (int i = 0; r && i < cp_ndim(r); i++)
        at[i] = CP_AT(o->idx.n < 1 ? 0 : o->idx.n == 1 ? o->idx.dim[0] : o->idx.dim[i]);
    cp_array *one = r ? cp_slice(r, cp_ndim(r), at) : NULL;
    return cpi_end(&f, cpi_put(one, cp_int(1)) ? r : NULL);
}
