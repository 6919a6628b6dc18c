/* Wavelets, and transforms by them: convolutions with one of several widths. Each is a formula of its samples' places,
 * fused into one pass. */
#include <math.h>

#include "wavelets/transform.h"

#include "cuprite/signal.h"
#include "cuprite/spectra.h"
#include "cuprite/wavelets.h"
#include "operands/operands.h"

static const double PI = 3.14159265358979323846264338327950288;

/* A formula of places x, the numbers a, b, c and the imaginary unit i. */
static cp_array *formula(const char *text, cp_array *x, double a, double b, double c)
{
    static const char *const names[] = {"x", "a", "b", "c", "i"};
    cp_array *v[] = {x, cp_float(a), cp_float(b), cp_float(c), cp_complex(0, 1)};
    for (int i = 0; i < 5; i++)
        if (!v[i]) return NULL;
    return cp_fused(text, 5, names, v);
}

/* 0, 1, ... below `points`, which is not more than memory may hold; NULL with an error. */
static cp_array *places(const char *name, double points)
{
    if (!(points < 0x1p62)) return cpi_fail(CP_ERROR_VALUE, "%s: %g samples are too many", name, points), NULL;
    return cp_arange_int(0, points > 0 ? (int64_t)ceil(points) : 0, 1, CP_FLOAT64);
}

cp_array *cp_ricker(double points, double a)
{
    cpi_composite f;
    if (!cpi_begin_alone(&f)) return NULL;
    return cpi_end(&f, formula("t = x - a; s = t*t / b; c * (1 - s) * exp(-0.5*s)", places("ricker", points),
                               (points - 1) / 2, a * a, 2 / (sqrt(3 * a) * pow(PI, 0.25))));
}

cp_array *cp_morlet(int64_t M, double w, double s, bool complete)
{
    cpi_composite f;
    if (M < 0) return cpi_fail(CP_ERROR_VALUE, "morlet: Number of samples, %lld, must be non-negative.", (long long)M),
                      NULL;
    if (!cpi_begin_alone(&f)) return NULL;
    cp_array *from = cp_float(-2 * PI * s), *to = cp_float(2 * PI * s);
    cp_array *x = from && to ? cp_linspace(from, to, M) : NULL;
    return cpi_end(&f, formula("(cos(a*x) - b + i*sin(a*x)) * (exp(-0.5*x*x) * c)", x, w,
                               complete ? exp(-0.5 * w * w) : 0, pow(PI, -0.25)));
}

cp_array *cp_morlet2(int64_t M, double s, double w)
{
    cpi_composite f;
    if (!cpi_begin_alone(&f)) return NULL;
    cp_array *k = places("morlet2", (double)M), *middle = cp_float(((double)M - 1) / 2), *width = cp_float(s);
    cp_array *x = k && middle && width ? cp_divide(cp_subtract(k, middle), width) : NULL;
    return cpi_end(&f, formula("c * (cos(a*x) + i*sin(a*x)) * (exp(-0.5*x*x) * b)", x, w, pow(PI, -0.25), sqrt(1 / s)));
}

cp_array *cp_qmf(cp_array *hk)
{
    static const char *const name = "k";
    cpi_composite f;
    if (!cpi_begin(&f, "qmf", hk)) return NULL;
    if (cp_ndim(hk) != 1) return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "qmf: the filter must be 1-D"), NULL));
    cp_array *k = cp_arange_int(0, cp_size(hk), 1, CP_INT64);
    cp_array *signs = k ? cp_fused("1 - 2*(k % 2)", 1, &name, &k) : NULL;
    return cpi_end(&f, signs ? cp_multiply(cp_flip(hk, CP_ALL), signs) : NULL);
}

/* --- transforms --- */

/* to[...] = from; false where anything failed. */
static bool put(cp_array *to, cp_array *from) { return to && cp_assign(to, from) == CP_OK; }

/* The middle of the convolution, as long as the data. */
static cp_array *convolved(cp_array *data, cp_array *weights)
{
    const int by_transforms = cp_choose_conv_method(data, weights, CP_MODE_SAME);
    if (by_transforms < 0) return NULL;
    if (by_transforms) return cp_fftconvolve(data, weights, .mode = CP_MODE_SAME);
    const int64_t from = (cp_size(weights) - 1) / 2;
    return cpi_range(cp_convolve(data, weights, CP_MODE_FULL), 0, from, from + cp_size(data));
}

/* The wavelet of a width, turned and conjugated, of a double type. */
static cp_array *weights_of(const char *name, cp_array *data, double width, cp_wavelet wavelet, void *context)
{
    const double points = fmin(10 * width, (double)cp_size(data));
    cp_array *w = wavelet ? wavelet(points, width, context) : cp_ricker(points, width);
    if (!w) {
        if (!cp_error()) cpi_fail(CP_ERROR_VALUE, "%s: the wavelet gave nothing", name);
        return NULL;
    }
    if (cp_ndim(w) != 1 || !cp_size(w))
        return cpi_fail(CP_ERROR_VALUE, "%s: a wavelet must be 1-D and not empty", name), NULL;
    const bool complex = cpi_is_complex(cp_type_of(w));
    w = cp_flip(cp_astype(w, complex ? CP_COMPLEX128 : CP_FLOAT64), CP_ALL);
    return w && complex ? cp_conjugate(w) : w;
}

double *cpi_wavelet_widths(const char *name, cp_array *widths, int64_t *n)
{
    if (cpi_null(name, widths) || cpi_check_real(name, widths)) return NULL;
    *n = cp_size(widths);
    if (cp_ndim(widths) > 1 || !*n)
        return cpi_fail(CP_ERROR_VALUE, "%s: widths must be 1-D and not empty", name), NULL;
    cp_array *wide = cp_astype(widths, CP_FLOAT64);
    double *host = wide ? cpi_malloc((size_t)*n * sizeof *host) : NULL;
    bool good = host && cp_to_host(wide, host, (size_t)*n * sizeof *host) == CP_OK;
    for (int64_t i = 0; i < *n && good; i++)
        if (!(host[i] > 0)) good = !cpi_fail(CP_ERROR_VALUE, "%s: a width must be above 0, not %g", name, host[i]);
    if (good) return host;
    cpi_free_host(host);
    return NULL;
}

cp_array *cpi_wavelet_rows(const char *name, cp_array *data, const double *widths, int64_t n, cp_wavelet wavelet,
                           void *context)
{
    if (cp_ndim(data) != 1 || !cp_size(data))
        return cpi_fail(CP_ERROR_VALUE, "%s: the signal must be 1-D and not empty", name), NULL;
    data = cp_astype(data, cpi_is_complex(cp_type_of(data)) ? CP_COMPLEX128 : CP_FLOAT64);
    cp_array *rows = NULL;
    for (int64_t i = 0; i < n && data; i++) {
        cp_array *row = NULL;
        for (CP_SCOPE) {
            cp_array *w = weights_of(name, data, widths[i], wavelet, context);
            row = w ? convolved(data, w) : NULL;
            row = row ? cp_keep(row) : NULL;
        }
        if (row && !rows) rows = cp_empty(CP_SHAPE(n, cp_size(data)), cp_type_of(row));
        bool good = row && rows;
        if (good && cpi_is_complex(cp_type_of(row)) && !cpi_is_complex(cp_type_of(rows)))
            good = !cpi_fail(CP_ERROR_TYPE, "%s: wavelets must all be real, or the first one complex", name);
        good = good && put(cp_slice(rows, 1, &CP_AT(i)), row);
        cp_free(row);
        if (!good) return NULL;
    }
    return rows;
}

cp_array *(cp_cwt)(cp_array *data, cp_array *widths, const cp_cwt_options *options)
{
    const cp_cwt_options *o = CPI_GIVEN(cp_cwt_options, options);
    cpi_composite f;
    int64_t n;
    if (!cpi_begin(&f, "cwt", data)) return NULL;
    double *host = cpi_wavelet_widths("cwt", widths, &n);
    cp_array *rows = host ? cpi_wavelet_rows("cwt", data, host, n, o->wavelet, o->context) : NULL;
    cpi_free_host(host);
    return cpi_end(&f, rows);
}
