/* Signals whose ends are mirrored: recurrences forth and back, and B-splines' coefficients, which these give.
 *
 * The first states are sums of the samples times a response that falls: weights are computed by the host, up to where
 * they are zeros. M. Unser, A. Aldroubi, M. Eden, "B-spline signal processing: part II", IEEE Trans. Signal Processing
 * 41 (1993). */
#include <complex.h>
#include <math.h>

#include "cuprite/filters.h"
#include "cuprite/lfilter.h"
#include "spectra/steps.h"

static const double PI = 3.14159265358979323846264338327950288;

/* x as lines along the last axis, of a floating type; NULL with an error. */
static cp_array *lines_of(const char *name, cp_array *x)
{
    if (cp_ndim(x) != 1 && cp_ndim(x) != 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: Input must be 1D or 2D, not of %d dimensions", name, cp_ndim(x)), NULL;
    if (!cpi_length(x)) return cpi_fail(CP_ERROR_VALUE, "%s: The signal must not be empty", name), NULL;
    return cpi_floating(x);
}

/* How many of n weights the sum takes that ends behind the first one which is no larger than `least`; 0 with an error
 * where that is not among those before the last. least < 0: up to the last one that is not zero. */
static int64_t summed(const char *name, const double complex *w, int64_t n, double least)
{
    if (least < 0) {
        while (n > 1 && w[n - 1] == 0) n--;
        return n;
    }
    for (int64_t i = 0; i + 1 < n; i++)
        if (cabs(w[i]) <= least) return i + 1;
    return cpi_fail(CP_ERROR_VALUE, "%s: Sum to find symmetric boundary conditions did not converge.", name), 0;
}

/* Numbers of the host in the type of x's parts, or of x. */
static cp_array *weights_of(cp_array *x, const double complex *w, int64_t n, bool real)
{
    cp_array *all = cp_from_host(w, CP_COMPLEX128, CP_SHAPE(n), NULL);
    if (!real) return cpi_typed(all, cpi_complex_type(cpi_is_double(cp_type_of(x))));
    return all ? cp_astype(cp_real_part(all), cpi_real_type(cpi_is_double(cp_type_of(x)))) : NULL;
}

/* The sums of the last axis' elements times weights: (..., 1). The weights are freed. */
static cp_array *total(const char *name, cp_array *x, double complex *w, double least, bool real)
{
    const int64_t m = w ? summed(name, w, cpi_length(x), least) : 0;
    cp_array *there = m ? weights_of(x, w, m, real) : NULL;
    cpi_free_host(w);
    cp_array *products = there ? cp_multiply(cpi_last_range(x, 0, m), there) : NULL;
    return products ? cp_sum(products, .axis = CP_AXES(-1), .keepdims = true) : NULL;
}

/* --- of first order --- */

/* c0 / ((1 - z1 / z) (1 - z1 z)) along the last axis. The first pass begins with the state of all samples before,
 * which are the mirrored ones; the second with that of a response that is symmetric about the last sample. */
static cp_array *first_order(const char *name, cp_array *x, double complex c0, double complex z1, double least)
{
    const int64_t n = x ? cpi_length(x) : 0;
    const bool real = cimag(z1) == 0;
    double complex *w = x ? cpi_malloc((size_t)n * sizeof *w) : NULL, power = 1;
    for (int64_t i = 0; i < n && w; i++) w[i] = power *= z1;
    const double complex a[] = {1, -z1}, gain = c0 * z1 / (1 - z1);
    cp_array *sum = x ? total(name, x, w, least, real) : NULL;
    cp_array *coefficients = sum ? weights_of(x, a, 2, real) : NULL;
    cp_array *one = coefficients ? cp_ones(CP_SHAPE(1), cp_type_of(coefficients)) : NULL;
    cp_array *forth = one ? cp_lfilter(one, coefficients, x, .zi = sum) : NULL;
    cp_array *last = cpi_last_range(forth, n - 1, n);
    const bool plain = cimag(c0) == 0;
    cp_array *state = last ? cp_multiply(last, real && plain ? cp_float(creal(gain))
                                                             : cp_complex(creal(gain), cimag(gain))) : NULL;
    cp_array *b = state ? weights_of(x, &c0, 1, plain) : NULL;
    cp_array *back = b ? cp_lfilter(b, coefficients, cp_flip(forth, CP_AXES(-1)), .zi = state) : NULL;
    return back ? cp_copy(cp_flip(back, CP_AXES(-1))) : NULL;
}

/* The one element of a number. False with an error. */
static bool number(const char *name, const char *what, cp_array *x, double complex *value)
{
    if (cpi_null(name, x)) return false;
    if (cp_size(x) != 1) return !cpi_fail(CP_ERROR_VALUE, "%s: %s must be a number", name, what);
    cp_array *c = cp_astype(x, CP_COMPLEX128);
    return c && cp_to_host(c, value, sizeof *value) == CP_OK;
}

/*: function("symiirorder1", """signal: array, c0: number_or_array_like, z1: number_or_array_like,
             precision: double = 0""", module="_spectra", unlock="always",
             about={"signal": "of one or two dimensions", "c0": "a number", "z1": "the pole, a number, |z1| < 1",
                    "precision": "where the first state's sum ends (not in (0, 1]: 1e-6 of float32, else 1e-11)"},
             doc="""c0 / ((1 - z1 / z) (1 - z1 z)) along the last axis of a signal whose ends are mirrored: a recurrence
forth and back. ValueError where the sum of the first state does not end within the signal.""") */
cp_array *(cp_symiirorder1)(cp_array *signal, cp_array *c0, cp_array *z1, const cp_symiirorder1_options *options)
{
    const cp_symiirorder1_options *o = CPI_GIVEN(cp_symiirorder1_options, options);
    const char *name = "symiirorder1";
    cpi_composite f;
    double complex gain, pole;
    if (!cpi_begin(&f, name, signal)) return NULL;
    if (!number(name, "c0", c0, &gain) || !number(name, "z1", z1, &pole)) return cpi_end(&f, NULL);
    if (cabs(pole) >= 1) return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: |z1| must be less than 1.0", name), NULL));
    cp_array *x = lines_of(name, signal);
    const bool is_double = x && cpi_is_double(cp_type_of(x));
    const double least = o->precision > 0 && o->precision <= 1 ? o->precision : is_double ? 1e-11 : 1e-6;
    if (x && cpi_is_complex(cp_type_of(z1))) x = cpi_typed(x, cpi_complex_type(is_double));
    return cpi_end(&f, first_order(name, x, gain, pole, least));
}

/* --- of second order --- */

/* cs / (1 - 2 r cos(omega) / z + r^2 / z^2), forth and back. */
typedef struct poles { double r, omega, cs; } poles;

/* The impulse response forth. */
static double forth_at(const poles *p, int64_t k)
{
    const double n = (double)k;
    if (k < 0) return 0;
    if (p->omega == 0) return p->cs * pow(p->r, n) * (n + 1);
    if (p->omega == PI) return p->cs * pow(p->r, n) * (n + 1) * (k % 2 ? -1 : 1);
    return p->cs / sin(p->omega) * pow(p->r, n) * sin(p->omega * (n + 1));
}

/* That of both ways. */
static double both_at(const poles *p, int64_t k)
{
    const double n = fabs((double)k), square = p->r * p->r, slope = (1 - square) / (1 + square), w = p->omega;
    if (w == 0 || w == PI) {
        const double gain = p->cs * p->cs * (1 + square) / pow(1 - square, 3);
        return gain * pow(p->r, n) * (1 + slope * n) * (w == PI && k % 2 ? -1 : 1);
    }
    const double gain = p->cs * p->cs * (1 + square) / (1 - square) / (1 - 2 * square * cos(2 * w) + square * square);
    return gain * pow(p->r, n) * (cos(w * n) + slope / tan(w) * sin(w * n));
}

/* The first states' weights: of the response forth from `shift` on, or of that of both ways about two places. */
static double complex *response(const poles *p, int64_t n, int64_t shift, bool both)
{
    double complex *w = cpi_malloc((size_t)n * sizeof *w);
    for (int64_t k = 0; k < n && w; k++)
        w[k] = both ? both_at(p, k - shift) + both_at(p, k + 1 + shift) : forth_at(p, k + shift);
    return w;
}

/* a x + b y */
static cp_array *combined(double a, cp_array *x, double b, cp_array *y)
{
    return x && y ? cp_add(cp_multiply(x, cp_float(a)), cp_multiply(y, cp_float(b))) : NULL;
}

/* One pass over x from the two results before its first element. */
static cp_array *pass(const poles *p, cp_array *x, cp_array *older, cp_array *newer)
{
    const double complex b[] = {p->cs, 0, 0}, a[] = {1, -2 * p->r * cos(p->omega), p->r * p->r};
    const double a1 = creal(a[1]), a2 = creal(a[2]);
    cp_array *parts[] = {combined(-a1, newer, -a2, older), newer ? cp_multiply(newer, cp_float(-a2)) : NULL};
    cp_array *state = parts[0] && parts[1] ? cp_concatenate(2, parts, -1) : NULL;
    cp_array *hb = state && x ? weights_of(x, b, 3, true) : NULL, *ha = hb ? weights_of(x, a, 3, true) : NULL;
    return ha ? cp_lfilter(hb, ha, x, .zi = state) : NULL;
}

/* The filter both ways along the last axis. `crossed`: the second element's state as cspline1d has it. */
static cp_array *second_order(const char *name, cp_array *x, double r, double omega, bool crossed, double least)
{
    const int64_t n = x ? cpi_length(x) : 0;
    if (!x) return NULL;
    if (n < 3) return cpi_fail(CP_ERROR_VALUE, "%s: The signal must have at least three elements", name), NULL;
    const poles p = {r, omega, 1 - 2 * r * cos(omega) + r * r};
    const double h0 = forth_at(&p, 0), h1 = forth_at(&p, 1);
    cp_array *x0 = cpi_last_range(x, 0, 1), *x1 = cpi_last_range(x, 1, 2);
    cp_array *sums[] = {total(name, x, response(&p, n, 1, false), least, true), NULL};
    if (sums[0]) sums[1] = total(name, x, response(&p, n, 2, false), least, true);
    if (!sums[1] || !x0 || !x1) return NULL;
    cp_array *first = cp_add(cp_multiply(x0, cp_float(h0)), sums[0]);
    cp_array *second = crossed ? combined(h0, x0, h1, x1) : combined(h0, x1, h1, x0);
    second = second ? cp_add(second, sums[1]) : NULL;
    cp_array *forth[] = {first, second, pass(&p, cpi_last_range(x, 2, n), first, second)};
    cp_array *y = forth[0] && forth[1] && forth[2] ? cp_concatenate(3, forth, -1) : NULL;
    const double root = least < 0 ? least : sqrt(least);
    cp_array *turned = y ? cp_flip(x, CP_AXES(-1)) : NULL;
    cp_array *last = turned ? total(name, turned, response(&p, n, 0, true), root, true) : NULL;
    cp_array *before = last ? total(name, turned, response(&p, n, 1, true), root, true) : NULL;
    cp_array *left = before ? cp_flip(cpi_last_range(y, 0, n - 2), CP_AXES(-1)) : NULL;
    cp_array *back = left ? pass(&p, left, last, before) : NULL;
    cp_array *all[] = {back ? cp_flip(back, CP_AXES(-1)) : NULL, before, last};
    return all[0] ? cp_concatenate(3, all, -1) : NULL;
}

/* A precision as second_order and first_order have it: < 0 for none, which are those not in (0, most]. */
static double given(double precision, double most) { return precision > 0 && precision <= most ? precision : -1; }

/*: function("symiirorder2", "input: array, r: double, omega: double, precision: double = 0", module="_spectra",
             unlock="always",
             about={"input": "of one or two dimensions", "r": "the poles' magnitude, below 1", "omega": "their angle",
                    "precision": "where the first states' sums end (not in (0, 1]: with the signal)"},
             doc="""A filter of second order forth and back along the last axis of a signal whose ends are mirrored:
with c = 1 - 2 r cos(omega) + r^2 it is c^2 / ((1 - 2 r cos(omega) / z + r^2 / z^2) (1 - 2 r cos(omega) z + r^2 z^2)).
ValueError where the sum of a first state does not end within the signal.""") */
cp_array *(cp_symiirorder2)(cp_array *input, double r, double omega, const cp_symiirorder2_options *options)
{
    const cp_symiirorder2_options *o = CPI_GIVEN(cp_symiirorder2_options, options);
    const char *name = "symiirorder2";
    cpi_composite f;
    if (!cpi_begin(&f, name, input)) return NULL;
    if (fabs(r) >= 1) return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: r must be less than 1.0", name), NULL));
    return cpi_end(&f, second_order(name, lines_of(name, input), r, omega, false, given(o->precision, 1)));
}

/* --- coefficients of splines --- */

/* sqrt(3) - 2 and 2 sqrt(2) - 3 */
static const double CUBIC = -0.26794919243112270647, QUADRATIC = -0.17157287525380990240;

/* A smoothing spline's poles, for a lamb above 1/144; false with an error where they are not inside the circle. */
static bool smoothing_poles(const char *name, double lamb, double *r, double *omega)
{
    const double root = sqrt(3 + 144 * lamb), xi = 1 - 96 * lamb + 24 * lamb * root;
    *omega = atan2(sqrt(144 * lamb - 1), sqrt(xi));
    *r = (24 * lamb - 1 - sqrt(xi)) / (24 * lamb) * sqrt((48 * lamb + 24 * lamb * root) / xi);
    return fabs(*r) < 1 || !cpi_fail(CP_ERROR_VALUE, "%s: of lamb %g the filter is not stable", name, lamb);
}

/* A line of float64 or complex128; NULL with an error. */
static cp_array *line_of(const char *name, cp_array *x)
{
    if (cp_ndim(x) != 1) return cpi_fail(CP_ERROR_VALUE, "%s: The signal must be 1-D", name), NULL;
    if (!cp_size(x)) return cpi_fail(CP_ERROR_VALUE, "%s: The signal must not be empty", name), NULL;
    return cpi_typed(x, cpi_is_complex(cp_type_of(x)) ? CP_COMPLEX128 : CP_FLOAT64);
}

/* The coefficients of a spline that is not smoothed; those of one sample are its value. */
static cp_array *exact(const char *name, cp_array *x, double factor, double pole, double least)
{
    if (x && cp_ndim(x) == 1 && cp_size(x) == 1) return cp_copy(x);
    return first_order(name, x, -factor * pole, pole, least);
}

/*: function("cspline1d", "signal: array, lamb: double = 0", module="_spectra", unlock="always",
             about={"signal": "1-d", "lamb": "how much the spline is smoothed, above 1/144 (0: not at all)"},
             doc="""Coefficients of the cubic spline through samples, whose ends are mirrored, in float64 or
complex128. ValueError for another lamb, and for one of which the filter is not stable (below 0.05 or so).""") */
cp_array *(cp_cspline1d)(cp_array *signal, const cp_cspline1d_options *options)
{
    const cp_cspline1d_options *o = CPI_GIVEN(cp_cspline1d_options, options);
    const char *name = "cspline1d";
    cpi_composite f;
    double r, omega;
    if (!cpi_begin(&f, name, signal)) return NULL;
    cp_array *x = line_of(name, signal);
    if (!x || o->lamb == 0) return cpi_end(&f, exact(name, x, 6, CUBIC, -1));
    if (!(o->lamb > 1.0 / 144))
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: lamb must be 0 or above 1/144, not %g", name, o->lamb),
                            NULL));
    if (!smoothing_poles(name, o->lamb, &r, &omega)) return cpi_end(&f, NULL);
    return cpi_end(&f, second_order(name, x, r, omega, true, -1));
}

/*: function("qspline1d", "signal: array, lamb: double = 0", module="_spectra", unlock="always",
             about={"signal": "1-d", "lamb": "0, as quadratic splines are not smoothed"},
             doc="""Coefficients of the quadratic spline through samples, whose ends are mirrored, in float64 or
complex128.""") */
cp_array *(cp_qspline1d)(cp_array *signal, const cp_qspline1d_options *options)
{
    const cp_qspline1d_options *o = CPI_GIVEN(cp_qspline1d_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "qspline1d", signal)) return NULL;
    if (o->lamb != 0)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "qspline1d: Smoothing quadratic splines not supported yet."),
                            NULL));
    return cpi_end(&f, exact("qspline1d", line_of("qspline1d", signal), 8, QUADRATIC, -1));
}

/* An image of a floating type; NULL with an error. */
static cp_array *image_of(const char *name, cp_array *x)
{
    if (cp_ndim(x) == 2) return lines_of(name, x);
    return cpi_fail(CP_ERROR_VALUE, "%s: The image must be 2-D, not of %d dimensions", name, cp_ndim(x)), NULL;
}

static cp_array *turned(cp_array *x) { return x ? cp_transpose(x, CP_ALL) : NULL; }

/* Both axes' coefficients of a spline that is not smoothed. */
static cp_array *exact_image(const char *name, cp_array *x, double factor, double pole, double least)
{
    cp_array *y = turned(first_order(name, x, -factor * pole, pole, least));
    if (y && !cpi_length(y)) return cpi_fail(CP_ERROR_VALUE, "%s: The signal must not be empty", name), NULL;
    y = turned(first_order(name, y, -factor * pole, pole, least));
    return y ? cp_copy(y) : NULL;
}

/*: function("cspline2d", "signal: array, lamb: double = 0, precision: double = 0", module="_spectra",
             unlock="always",
             about={"signal": "2-d", "lamb": "how much the spline is smoothed, above 1/144 (else not at all)",
                    "precision": "where the first states' sums end (not in (0, 0.999999]: with the line)"},
             doc="""Coefficients of the cubic spline through an image, whose edges are mirrored. ValueError where the
sum of a first state does not end within a line, and for a lamb of which the filter is not stable.""") */
cp_array *(cp_cspline2d)(cp_array *signal, const cp_cspline2d_options *options)
{
    const cp_cspline2d_options *o = CPI_GIVEN(cp_cspline2d_options, options);
    const char *name = "cspline2d";
    const double least = given(o->precision, 0.999999);
    cpi_composite f;
    double r, omega;
    if (!cpi_begin(&f, name, signal)) return NULL;
    cp_array *x = image_of(name, signal);
    if (!(o->lamb > 1.0 / 144)) return cpi_end(&f, exact_image(name, x, 6, CUBIC, least));
    if (!x || !smoothing_poles(name, o->lamb, &r, &omega)) return cpi_end(&f, NULL);
    cp_array *y = turned(second_order(name, x, r, omega, false, least));
    y = turned(y ? second_order(name, y, r, omega, false, least) : NULL);
    return cpi_end(&f, y ? cp_copy(y) : NULL);
}

/*: function("qspline2d", "signal: array, lamb: double = 0, precision: double = 0", module="_spectra",
             unlock="always",
             about={"signal": "2-d", "lamb": "0 or below, as quadratic splines are not smoothed",
                    "precision": "where the first states' sums end (not in (0, 0.999999]: with the line)"},
             doc="""Coefficients of the quadratic spline through an image, whose edges are mirrored. ValueError where
the sum of a first state does not end within a line.""") */
cp_array *(cp_qspline2d)(cp_array *signal, const cp_qspline2d_options *options)
{
    const cp_qspline2d_options *o = CPI_GIVEN(cp_qspline2d_options, options);
    const char *name = "qspline2d";
    cpi_composite f;
    if (!cpi_begin(&f, name, signal)) return NULL;
    if (o->lamb > 0)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: lambda must be negative or zero", name), NULL));
    return cpi_end(&f, exact_image(name, image_of(name, signal), 8, QUADRATIC, given(o->precision, 0.999999)));
}

/* An image through a filter along an axis; through a complex one by its parts. */
static cp_array *reflected(cp_array *x, cp_array *h, int axis)
{
    if (!cpi_is_complex(cp_type_of(h))) return cp_convolve1d(x, h, axis, .mode = CP_FILTER_MODE_REFLECT);
    cp_array *re = cp_convolve1d(x, cp_real_part(h), axis, .mode = CP_FILTER_MODE_REFLECT);
    cp_array *im = re ? cp_convolve1d(x, cp_imag_part(h), axis, .mode = CP_FILTER_MODE_REFLECT) : NULL;
    return im ? cp_add(re, cp_multiply(im, cp_complex(0, 1))) : NULL;
}

/*: function("sepfir2d", "input: array, hrow: array, hcol: array", module="_spectra", unlock="always",
             about={"input": "2-d", "hrow": "a filter of odd length", "hcol": "another"},
             doc="""An image through a filter along its rows and one along its columns, reflected at its edges. Integers
of at most 16 bits count as float32.""") */
cp_array *cp_sepfir2d(cp_array *input, cp_array *hrow, cp_array *hcol)
{
    const char *name = "sepfir2d";
    cpi_composite f;
    if (!cpi_begin(&f, name, input)) return NULL;
    if (cpi_null(name, hrow) || cpi_null(name, hcol)) return cpi_end(&f, NULL);
    if (cp_ndim(input) != 2)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: The image must be 2-D", name), NULL));
    if (cp_ndim(hrow) != 1 || cp_ndim(hcol) != 1)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: hrow and hcol must be 1-D: object too deep for desired array",
                                     name), NULL));
    if (cp_size(hrow) % 2 == 0 || cp_size(hcol) % 2 == 0)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: hrow and hcol must be odd length", name), NULL));
    cp_array *x = cpi_typed(input, cp_promote(cp_type_of(input), CP_FLOAT32));
    cp_array *y = x ? reflected(x, hrow, 1) : NULL;
    return cpi_end(&f, y ? reflected(y, hcol, 0) : NULL);
}
