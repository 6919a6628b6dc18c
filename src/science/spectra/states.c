/* States of recurrences: of steady responses, and from what a filter gave before; and division of polynomials by one.
 * Coefficients are few and computed on the host, in complex128. */
#include "spectra/states.h"

#include "cuprite/lfilter.h"
#include "cuprite/signal.h"

double complex *cpi_coefficients_of(cp_array *x)
{
    cp_array *c = x ? cp_astype(x, CP_COMPLEX128) : NULL;
    double complex *host = c ? cpi_malloc((size_t)(cp_size(c) + 1) * sizeof *host) : NULL;
    if (!host || cp_to_host(c, host, (size_t)cp_size(c) * sizeof *host) == CP_OK) return host;
    cpi_free_host(host);
    return NULL;
}

/* Numbers of the host as an array of that type. */
static cp_array *typed_states(const double complex *zi, cp_shape shape, cp_type type)
{
    cp_array *all = cp_from_host(zi, CP_COMPLEX128, shape, NULL);
    if (all && !cpi_is_complex(type)) all = cp_real_part(all);
    return cpi_typed(all, type);
}

/* The state of a filter whose input has always been 1: order elements. False with an error where there is none. */
static bool steady(const char *name, const double complex *b, int64_t nb, const double complex *a, int64_t na,
                   double complex *zi)
{
    const int64_t n = na > nb ? na : nb;
    double complex sum_a = 0, sum_d = 0, b0 = nb ? b[0] / a[0] : 0;
#define AT(c, count, i) ((i) < (count) ? (c)[i] / a[0] : 0)
    for (int64_t i = 0; i < n; i++) sum_a += AT(a, na, i);
    for (int64_t i = 1; i < n; i++) sum_d += AT(b, nb, i) - AT(a, na, i) * b0;
    if (n > 1 && sum_a == 0)
        return !cpi_fail(CP_ERROR_LINALG, "%s: Singular matrix: the filter has no steady state, for the sum of `a` is "
                         "0", name);
    double complex part_a = 1, part_d = 0;
    for (int64_t i = 0; i + 1 < n; i++) {
        if (i) part_a += AT(a, na, i), part_d += AT(b, nb, i) - AT(a, na, i) * b0;
        zi[i] = i ? part_a * zi[0] - part_d : sum_d / sum_a;
    }
#undef AT
    return true;
}

/* Whether coefficients are a line, or one number. */
static bool is_line(const char *name, const char *which, cp_array *c)
{
    if (cpi_null(name, c)) return false;
    return cp_ndim(c) < 2 || !cpi_fail(CP_ERROR_VALUE, "%s: %s must be 1-D, not of %d dimensions", name, which,
                                       cp_ndim(c));
}

cp_array *cpi_steady_state(const char *name, cp_array *b, cp_array *a, bool drop_zeros)
{
    const int64_t nb = cp_size(b), na = cp_size(a), n = na > nb ? na : nb;
    double complex *hb = cpi_coefficients_of(b), *ha = hb ? cpi_coefficients_of(a) : NULL;
    double complex *zi = ha ? cpi_malloc((size_t)(n + 1) * sizeof *zi) : NULL;
    int64_t first = 0;
    cp_array *r = NULL;
    while (zi && first < na && ha[first] == 0 && drop_zeros) first++;
    const int64_t kept = na - first, most = kept > nb ? kept : nb;
    if (zi && first == na)
        cpi_fail(CP_ERROR_VALUE, "%s: There must be at least one nonzero `a` coefficient.", name);
    else if (zi && ha[first] == 0)
        cpi_fail(CP_ERROR_VALUE, "%s: a[0], by which the filter is divided, is 0", name);
    else if (zi && steady(name, hb, nb, ha + first, kept, zi))
        r = typed_states(zi, CP_SHAPE(most - 1), cpi_floating_type(cp_promote(cp_type_of(b), cp_type_of(a))));
    cpi_free_host(hb), cpi_free_host(ha), cpi_free_host(zi);
    return r;
}

cp_array *cpi_steady_sections(const char *name, cp_array *sos, int64_t *usual)
{
    const int64_t n = cp_dim(sos, 0);
    double complex *c = cpi_coefficients_of(sos), scale = 1;
    double complex *zi = c ? cpi_malloc((size_t)(2 * n + 1) * sizeof *zi) : NULL;
    int64_t no_b2 = 0, no_a2 = 0;
    bool good = zi != NULL;
    for (int64_t s = 0; s < n && good; s++) {
        const double complex *row = c + 6 * s;
        good = row[3] == 1 ? steady(name, row, 3, row + 3, 3, zi + 2 * s)
                           : !cpi_fail(CP_ERROR_VALUE, "%s: sos[:, 3] should be all ones", name);
        if (!good) break;
        zi[2 * s] *= scale, zi[2 * s + 1] *= scale;
        scale *= (row[0] + row[1] + row[2]) / (row[3] + row[4] + row[5]);
        no_b2 += row[2] == 0, no_a2 += row[5] == 0;
    }
    *usual = 3 * (2 * n + 1 - (no_b2 < no_a2 ? no_b2 : no_a2));
    cp_array *r = good ? typed_states(zi, CP_SHAPE(n, 2), cpi_floating_type(cp_type_of(sos))) : NULL;
    cpi_free_host(c), cpi_free_host(zi);
    return r;
}

/*: function("lfilter_zi", "b: array, a: array", module="_spectra", unlock="always",
             about={"b": "the numerator's coefficients", "a": "the denominator's, without leading zeros"},
             gives="max(len(a), len(b)) - 1 elements",
             doc="""The state of lfilter for the steady response to a step of 1. ValueError for an `a` of zeros,
LinAlgError where there is no steady response, for the sum of `a` is 0.""") */
cp_array *cp_lfilter_zi(cp_array *b, cp_array *a)
{
    const char *name = "lfilter_zi";
    cpi_composite f;
    if (cpi_null(name, a) || !cpi_begin(&f, name, b && !cp_ndim(b) ? a : b)) return NULL;
    if (!is_line(name, "Numerator b", b) || !is_line(name, "Denominator a", a)) return cpi_end(&f, NULL);
    return cpi_end(&f, cpi_steady_state(name, b, a, true));
}

/*: function("sosfilt_zi", "sos: array", module="_spectra", unlock="always",
             about={"sos": "(sections, 6), each b0 b1 b2 1 a1 a2"}, gives="(sections, 2)",
             doc="""The states of sosfilt for the steady response to a step of 1. LinAlgError where a section has none,
for the sum of its `a` is 0.""") */
cp_array *cp_sosfilt_zi(cp_array *sos)
{
    cpi_composite f;
    int64_t usual;
    if (!cpi_begin(&f, "sosfilt_zi", sos)) return NULL;
    if (cp_ndim(sos) != 2 || cp_dim(sos, 1) != 6)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "sosfilt_zi: sos must be shape (n_sections, 6)"), NULL));
    return cpi_end(&f, cpi_steady_sections("sosfilt_zi", sos, &usual));
}

/* state[m] += sign * sum of c[m + 1 + k] * before[k], where before has `n` elements and then zeros. */
static void add_history(double complex *state, const double complex *c, int64_t count, const double complex *before,
                        int64_t n, double sign)
{
    for (int64_t m = 0; m + 1 < count; m++)
        for (int64_t k = 0; m + 1 + k < count && k < n; k++) state[m] += sign * c[m + 1 + k] * before[k];
}

/*: function("lfiltic", "b: array, a: array, y: array, x: array | None = None", module="_spectra", unlock="always",
             about={"b": "the numerator's coefficients", "a": "the denominator's, a[0] not 0",
                    "y": "what the filter gave before, the latest first; zeros behind",
                    "x": "what it was given before, the latest first (None: zeros)"},
             gives="max(len(a), len(b)) - 1 elements",
             doc="The state of lfilter from what it gave and was given before.") */
cp_array *(cp_lfiltic)(cp_array *b, cp_array *a, cp_array *y, const cp_lfiltic_options *options)
{
    const cp_lfiltic_options *o = CPI_GIVEN(cp_lfiltic_options, options);
    const char *name = "lfiltic";
    cpi_composite f;
    if (cpi_null(name, a) || !cpi_begin(&f, name, b && !cp_ndim(b) ? a : b)) return NULL;
    if (!is_line(name, "Filter coefficients `b`", b) || !is_line(name, "Filter coefficients `a`", a) ||
        !is_line(name, "y", y) || (o->x && !is_line(name, "x", o->x))) return cpi_end(&f, NULL);
    const int64_t nb = cp_size(b), na = cp_size(a), n = na > nb ? na : nb;
    cp_type type = cp_promote(cp_promote(cp_type_of(b), cp_type_of(a)), cp_type_of(y));
    if (o->x) type = cp_promote(type, cp_type_of(o->x));
    if (!cpi_is_float(type) && !cpi_is_complex(type)) type = CP_FLOAT64;
    double complex *c[4] = {cpi_coefficients_of(b), NULL, NULL, NULL}, *zi = NULL;
    if (c[0]) c[1] = cpi_coefficients_of(a);
    if (c[1]) c[2] = cpi_coefficients_of(y);
    if (c[2] && o->x) c[3] = cpi_coefficients_of(o->x);
    if (c[2] && (c[3] || !o->x)) zi = cpi_malloc((size_t)(n + 1) * sizeof *zi);
    for (int64_t i = 0; i < n && zi; i++) zi[i] = 0;
    cp_array *r = NULL;
    if (zi && (!na || c[1][0] == 0))
        cpi_fail(CP_ERROR_VALUE, "%s: There must be at least one nonzero `a` coefficient: a[0] is 0", name);
    else if (zi) {
        if (o->x) add_history(zi, c[0], nb, c[3], cp_size(o->x), 1);
        add_history(zi, c[1], na, c[2], cp_size(y), -1);
        for (int64_t i = 0; i < n; i++) zi[i] /= c[1][0];
        r = typed_states(zi, CP_SHAPE(n - 1), type);
    }
    for (int i = 0; i < 4; i++) cpi_free_host(c[i]);
    cpi_free_host(zi);
    return cpi_end(&f, r);
}

/* x as 1-d; NULL with an error. */
static cp_array *filled_line(const char *name, const char *which, cp_array *x)
{
    if (cpi_null(name, x)) return NULL;
    if (cp_ndim(x) > 1 || !cp_size(x))
        return cpi_fail(CP_ERROR_VALUE, "%s: Parameter %s must be non-empty 1d array", name, which), NULL;
    return cp_ndim(x) ? x : cp_reshape(x, CP_SHAPE(1));
}

/* The quotient of 1-d signals, the first no shorter, and what is left. */
static bool divided(cp_array *signal, cp_array *divisor, cp_array **quotient, cp_array **remainder)
{
    double complex *first = cpi_coefficients_of(cp_slice(divisor, 1, &CP_RANGE(0, 1)));
    const bool none = first && *first == 0;
    cpi_free_host(first);
    if (none) cpi_fail(CP_ERROR_VALUE, "deconvolve: the divisor's first element must not be 0");
    if (!first || none) return false;
    cp_array *pulse = cp_zeros(CP_SHAPE(cp_size(signal) - cp_size(divisor) + 1), CP_FLOAT64);
    if (!pulse || !cpi_put(cpi_last_range(pulse, 0, 1), cp_int(1))) return false;
    cp_array *q = cp_lfilter(signal, divisor, pulse), *wide = q ? cpi_typed(divisor, cp_type_of(q)) : NULL;
    cp_array *product = wide ? cp_convolve(wide, q, CP_MODE_FULL) : NULL;
    *quotient = q;
    *remainder = product ? cp_subtract(signal, product) : NULL;
    return *remainder != NULL;
}

/*: function("deconvolve", "signal: array, divisor: array", module="_spectra", unlock="always",
             returns="(quotient, remainder)",
             about={"signal": "1-d, one element at least", "divisor": "1-d, its first element not 0"},
             doc="""signal = convolution of the divisor and the quotient + remainder. The quotient of a signal that is
shorter than the divisor has no elements.""") */
cp_code cp_deconvolve(cp_array *signal, cp_array *divisor, cp_array **quotient, cp_array **remainder)
{
    const char *name = "deconvolve";
    cpi_composite f;
    cp_array *q = NULL, *r = NULL;
    if (cpi_null(name, quotient) || cpi_null(name, remainder)) return cp_error();
    *quotient = *remainder = NULL;
    if (cpi_null(name, divisor)) return cp_error();
    if (!cpi_begin(&f, name, signal && !cp_ndim(signal) ? divisor : signal)) return cp_error();
    signal = filled_line(name, "signal", signal), divisor = signal ? filled_line(name, "divisor", divisor) : NULL;
    if (divisor && cp_size(signal) < cp_size(divisor)) {
        q = cp_empty(CP_SHAPE(0), cp_type_of(signal));
        r = q ? cp_copy(signal) : NULL;
    } else if (divisor && !divided(signal, divisor, &q, &r)) q = NULL;
    if (q && r && !(f.fine && cp_error())) *quotient = cp_keep(q), *remainder = cp_keep(r);
    cpi_end(&f, NULL);
    cpi_into_scope(*quotient), cpi_into_scope(*remainder);
    return *remainder ? CP_OK : cp_error();
}
