/* The fast Hankel transform of samples at logarithmic distances (Hamilton 2000): rfft, a product with quotients of
 * gamma functions, and the inverse. The coefficients are computed on the host, in double, from logarithms. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "compose/compose.h"
#include "cuprite/fft.h"
#include "fft/axes.h"
#include "operands/operands.h"

static const double PI = 3.14159265358979323846264338327950288, LN_2 = 0.69314718055994530941723212145817657;

/* log gamma(z), continued along paths that do not cross the negative axis: Stirling's series behind a recurrence. */
static double complex log_gamma(double complex z)
{
    static const double bernoulli[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360,
                                       1.0 / 156, -3617.0 / 122400};
    double complex below = 0;
    if (cimag(z) == 0 && creal(z) <= 0 && creal(z) == floor(creal(z))) return INFINITY;
    while (creal(z) < 12) below += clog(z), z += 1;
    double complex r = 1 / z, square = r * r, sum = 0;
    for (int i = 7; i >= 0; i--) sum = sum * square + bernoulli[i];
    return (z - 0.5) * clog(z) - z + 0.5 * log(2 * PI) + sum * r - below;
}

static bool is_pole(double x) { return x <= 0 && x == floor(x); }

/* gamma(p) / gamma(m) where at least one of them is infinite. */
static double pole_quotient(double p, double m)
{
    if (!is_pole(p)) return 0;
    if (!is_pole(m)) return INFINITY;
    double r = exp(lgamma(1 - m) - lgamma(1 - p));
    return fmod(p - m, 2) == 0 ? r : -r;
}

static void fill_coefficients(double complex *u, int64_t n, double dln, double mu, double offset, double bias,
                              bool inverse)
{
    const double p = (mu + 1 + bias) / 2, m = (mu + 1 - bias) / 2;
    for (int64_t k = 0; k <= n / 2; k++) {
        const double y = PI * (double)k / ((double)n * dln);
        double complex a = log_gamma(CMPLX(p, y)), b = log_gamma(CMPLX(m, y));
        u[k] = cexp(CMPLX(creal(a) - creal(b) + LN_2 * bias, cimag(a) + cimag(b) + 2 * y * (LN_2 - offset)));
    }
    if (n % 2 == 0) u[n / 2] = creal(u[n / 2]);
    if (is_pole(p) || is_pole(m)) u[0] = exp2(bias) * pole_quotient(p, m);
    if (isinf(creal(u[0])) && !inverse) u[0] = 0, cpi_warn(CP_WARNING_SINGULAR);
    if (u[0] == 0 && inverse) u[0] = INFINITY, cpi_warn(CP_WARNING_SINGULAR);
    for (int64_t k = 0; inverse && k <= n / 2; k++)
        u[k] = isinf(creal(u[k])) ? 0 : 1 / conj(u[k]);
}

/* exp(by * (j - (n - 1) / 2) + and), j < n, of x's precision. */
static cp_array *slope(int64_t n, double by, double and, const cp_array *x)
{
    cp_array *j = cp_subtract(cp_arange_int(0, n, 1, CP_FLOAT64), cp_float(((double)n - 1) / 2));
    cp_array *e = cp_exp(cp_add(cp_multiply(j, cp_float(by)), cp_float(and)));
    return e && cpi_fft_is_single(x->type) ? cp_astype(e, CP_FLOAT32) : e;
}

static cp_array *transformed(const char *name, cp_array *a, double dln, double mu, double offset, double bias,
                             bool inverse)
{
    if (cp_ndim(a) == 0) return cpi_fail(CP_ERROR_INDEX, "%s: the array has no axis", name), NULL;
    if (cpi_check_real(name, a)) return NULL;
    if (dln == 0 || isnan(dln))
        return cpi_fail(CP_ERROR_VALUE, "%s: dln is the samples' distance, not %g", name, dln), NULL;
    const int64_t n = cp_dim(a, cp_ndim(a) - 1), half = n / 2 + 1;
    if (n < 1) return cpi_fail(CP_ERROR_VALUE, "%s: invalid number of data points (0) specified", name), NULL;
    double complex *u = cpi_malloc((size_t)half * sizeof *u);
    if (!u) return NULL;
    if (bias != 0) a = cp_astype(a, CP_FLOAT64); /* SciPy's slopes are of that type */
    fill_coefficients(u, n, dln, mu, offset, bias, inverse);
    cp_array *c = cp_from_host(u, CP_COMPLEX128, (cp_shape){1, &half}, NULL);
    cpi_free_host(u);
    if (a && c && cpi_fft_is_single(a->type)) c = cp_astype(c, CP_COMPLEX64);
    if (a && bias != 0)
        a = cp_multiply(a, inverse ? slope(n, bias * dln, bias * offset, a) : slope(n, -bias * dln, 0, a));
    cp_array *f = a && c ? cp_multiply(cp_rfft(a), c) : NULL, *r = f ? cp_irfft(f, .n = n) : NULL;
    if (!r || !(r = cp_flip(r, CP_AXES(-1)))) return NULL;
    if (bias == 0) return cp_copy(r);
    return cp_multiply(r, inverse ? slope(n, bias * dln, 0, r) : slope(n, -bias * dln, -bias * offset, r));
}

/*: function("fht", "a: array_like, dln: double, mu: double, offset: double = 0, bias: double = 0", module="_fft",
             unlock="always",
             doc="""The Hankel transform of order mu along the last axis, of samples at distances dln of the
logarithm; offset: the logarithm of the product of the central elements; bias: the exponent of a power law.""") */
cp_array *(cp_fht)(cp_array *a, double dln, double mu, const cp_fht_options *options)
{
    const cp_fht_options *o = CPI_GIVEN(cp_fht_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "fht", a)) return NULL;
    return cpi_end(&f, transformed("fht", a, dln, mu, o->offset, o->bias, false));
}

/*: function("ifht", "A: array_like, dln: double, mu: double, offset: double = 0, bias: double = 0", module="_fft",
             unlock="always", doc="The inverse of fht.") */
cp_array *(cp_ifht)(cp_array *A, double dln, double mu, const cp_ifht_options *options)
{
    const cp_ifht_options *o = CPI_GIVEN(cp_ifht_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "ifht", A)) return NULL;
    return cpi_end(&f, transformed("ifht", A, dln, mu, o->offset, o->bias, true));
}

/*: function("fhtoffset", "dln: double, mu: double, initial: double = 0, bias: double = 0", module="_fft",
             returns="double", unlock="never",
             doc="The offset nearest to `initial` with which the periodic Hankel transform rings least.") */
double (cp_fhtoffset)(double dln, double mu, const cp_fhtoffset_options *options)
{
    const cp_fhtoffset_options *o = CPI_GIVEN(cp_fhtoffset_options, options);
    if (dln == 0) return cpi_fail(CP_ERROR_VALUE, "fhtoffset: dln is the samples' distance, not 0"), 0;
    const double y = PI / (2 * dln);
    double complex p = log_gamma(CMPLX((mu + 1 + o->bias) / 2, y)), m = log_gamma(CMPLX((mu + 1 - o->bias) / 2, y));
    const double at = (LN_2 - o->initial) / dln + (cimag(p) + cimag(m)) / PI;
    return o->initial + (at - nearbyint(at)) * dln;
}
