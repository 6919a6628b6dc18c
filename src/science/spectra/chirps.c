/* The z-transform at places on a spiral, and Fourier's at frequencies of a range, by Bluestein's convolution with a
 * chirp: k j = (k^2 + j^2 - (k - j)^2) / 2. */
#include <complex.h>
#include <math.h>

#include "spectra/steps.h"

static const double PI = 3.14159265358979323846264338327950288;

/* The places a w^-k; where |w| is 1, `turn` is the part of a circle between them. */
typedef struct spiral {
    const char *name;
    double complex a, w;
    bool is_circle;
    double turn;
    int64_t around; /* how many go once around, else 0 */
} spiral;

/* w^(k^2 / 2), k < n. */
static cp_array *chirp(const spiral *z, int64_t n)
{
    static const char *const names[] = {"k", "s", "i"};
    if (z->around) { /* without whole turns angles are small, and as exact as pi */
        cp_array *i = cp_arange_int(0, n, 1, CP_INT64), *turns = i ? cp_int(2 * z->around) : NULL;
        cp_array *rest = turns ? cp_remainder(cp_multiply(i, i), turns) : NULL;
        cp_array *x[] = {rest ? cp_astype(rest, CP_FLOAT64) : NULL, cp_float(-PI * z->turn), cp_complex(0, 1)};
        return x[0] && x[1] && x[2] ? cp_fused("t = s*k; cos(t) + i*sin(t)", 3, names, x) : NULL;
    }
    cp_array *k = cp_arange_int(0, n, 1, CP_FLOAT64);
    if (z->is_circle) {
        cp_array *x[] = {k, cp_float(-PI * z->turn), cp_complex(0, 1)};
        return k && x[1] && x[2] ? cp_fused("t = s*(k*k); cos(t) + i*sin(t)", 3, names, x) : NULL;
    }
    const double complex half = clog(z->w) / 2;
    cp_array *squares = cp_multiply(k, k), *s = cp_complex(creal(half), cimag(half));
    return squares && s ? cp_exp(cp_multiply(squares, s)) : NULL;
}

/* a^-k, k < n. */
static cp_array *powers(double complex a, int64_t n)
{
    const double complex l = -clog(a);
    cp_array *k = cp_arange_int(0, n, 1, CP_FLOAT64), *s = cp_complex(creal(l), cimag(l));
    return k && s ? cp_exp(cp_multiply(k, s)) : NULL;
}

/* x, with the axis at the end, at m places. */
static cp_array *transformed(const spiral *z, cp_array *x, int64_t m)
{
    const int64_t n = cpi_length(x), size = cp_next_fast_len(n + m - 1);
    cp_array *all = chirp(z, n > m ? n : m), *before = all ? cpi_range(all, 0, 0, n) : NULL;
    cp_array *inverse = all ? cp_divide(cp_float(1), all) : NULL;
    cp_array *parts[] = {inverse ? cp_flip(cpi_range(inverse, 0, 1, n), CP_AXES(0)) : NULL,
                         cpi_range(inverse, 0, 0, m)};
    cp_array *filter = parts[0] && parts[1] ? cp_concatenate(2, parts, 0) : NULL;
    if (before && z->a != 1) {
        cp_array *start = powers(z->a, n);
        before = start ? cp_multiply(before, start) : NULL;
    }
    cp_array *f = filter ? CPI_AT_ONCE(cp_fft(filter, .n = size)) : NULL;
    cp_array *y = before ? CPI_AT_ONCE(cp_fft(cp_multiply(x, before), .n = size)) : NULL;
    if (!f || !y || !cpi_apply_2(CP_OP_multiply, y, f, y)) return NULL;
    y = cpi_last_range(CPI_AT_ONCE(cp_ifft(y)), n - 1, n + m - 1);
    return y ? cp_multiply(y, cpi_range(all, 0, 0, m)) : NULL;
}

static cp_array *at_places(const spiral *z, cp_array *x, int64_t m, cp_axes given)
{
    int axis;
    if (!cpi_given_axis(z->name, x, given, &axis)) return NULL;
    const int64_t n = cp_dim(x, axis);
    if (n < 1) return cpi_fail(CP_ERROR_VALUE, "%s: Invalid number of data points (0) specified", z->name), NULL;
    if (m < 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: Invalid number of output points (%lld) specified", z->name,
                        (long long)m), NULL;
    x = cpi_to_last(cpi_floating(x), axis);
    return cpi_from_last(x ? transformed(z, x, m) : NULL, axis);
}

/* The one complex number of an array. */
static bool number_of(const char *name, cp_array *x, double complex *value)
{
    double parts[2];
    if (!x) return true;
    if (cp_size(x) != 1) return !cpi_fail(CP_ERROR_VALUE, "%s: w and a are numbers", name);
    cp_array *c = cp_astype(x, CP_COMPLEX128);
    if (!c || cp_to_host(c, parts, sizeof parts) != CP_OK) return false;
    *value = CMPLX(parts[0], parts[1]);
    return true;
}

/*: function("czt", """x: array, m: int64 = 0, w: array | None = None, a: array | None = None,
             axis: index_axes = None""", module="_spectra", unlock="always",
             about={"m": "how many places (0: the length)", "a": "the first place, one complex number (None: 1)",
                    "w": "the ratio of neighbours, one complex number (None: they go once around the circle)"},
             doc="The z-transform of a signal at places a w^-k on a spiral, along an axis; in complex128.") */
cp_array *(cp_czt)(cp_array *x, const cp_czt_options *options)
{
    const cp_czt_options *o = CPI_GIVEN(cp_czt_options, options);
    cpi_composite f;
    int axis;
    if (!cpi_begin(&f, "czt", x)) return NULL;
    if (!cpi_given_axis("czt", x, o->axis, &axis)) return cpi_end(&f, NULL);
    const int64_t m = o->m ? o->m : cp_dim(x, axis);
    spiral z = {"czt", 1, 1, !o->w, 1 / (double)m, o->w ? 0 : m};
    if (!number_of("czt", o->a, &z.a) || !number_of("czt", o->w, &z.w)) return cpi_end(&f, NULL);
    return cpi_end(&f, at_places(&z, x, m, o->axis));
}

/*: function("zoom_fft", """x: array, f1: double, f2: double, m: int64 = 0, fs: double = 0, endpoint: bool = False,
             axis: index_axes = None""", module="_spectra", unlock="always",
             about={"f1": "the first frequency", "f2": "the last one", "m": "how many (0: the length)",
                    "fs": "the sampling rate (0: 2)", "endpoint": "whether the last frequency is among them"},
             doc="The Fourier transform of a signal at frequencies of a range, along an axis; in complex128.") */
cp_array *(cp_zoom_fft)(cp_array *x, double f1, double f2, const cp_zoom_fft_options *options)
{
    const cp_zoom_fft_options *o = CPI_GIVEN(cp_zoom_fft_options, options);
    cpi_composite f;
    int axis;
    if (!cpi_begin(&f, "zoom_fft", x)) return NULL;
    if (!cpi_given_axis("zoom_fft", x, o->axis, &axis)) return cpi_end(&f, NULL);
    const int64_t m = o->m ? o->m : cp_dim(x, axis);
    const double fs = o->fs != 0 ? o->fs : 2, span = (f2 - f1) / fs;
    spiral z = {"zoom_fft", cexp(CMPLX(0, 2 * PI * f1 / fs)), 1, true, 0, 0};
    z.turn = (o->endpoint ? span * (double)m / ((double)m - 1) : span) / (double)m;
    return cpi_end(&f, at_places(&z, x, m, o->axis));
}

/*: function("czt_points", "m: int64, w: number_or_array_like | None = None, a: number_or_array_like | None = None",
             module="_spectra", unlock="always",
             about={"m": "how many",
                    "w": "the ratio of neighbours, a number (None: they go once around the circle)",
                    "a": "the first one, a number (None: 1 + 0j)"},
             gives="complex128; of real `w` and `a` float64", doc="The places of czt's results: a w^-k, k = 0..m-1.") */
cp_array *(cp_czt_points)(int64_t m, const cp_czt_points_options *options)
{
    static const char *const names[] = {"k", "w", "a"};
    const cp_czt_points_options *o = CPI_GIVEN(cp_czt_points_options, options);
    cpi_composite f = {NULL, CP_CPU, CP_CPU, true};
    if (m < 1)
        return cpi_fail(CP_ERROR_VALUE, "czt_points: Invalid number of CZT points (%lld) specified: it must be "
                        "positive", (long long)m), NULL;
    if (!(o->w ? cpi_begin(&f, "czt_points", o->w) : o->a ? cpi_begin(&f, "czt_points", o->a) : cpi_begin_alone(&f)))
        return NULL;
    cp_array *v[3] = {cp_arange_int(0, m, 1, CP_FLOAT64), o->w ? o->w : cp_complex(0, 2 * PI),
                      o->a ? o->a : cp_complex(1, 0)};
    for (int i = 1; i < 3; i++) {
        if (v[i] && cp_size(v[i]) != 1) v[i] = (cpi_fail(CP_ERROR_VALUE, "czt_points: w and a are numbers"), NULL);
        if (!v[i] || !v[0]) return cpi_end(&f, NULL);
        v[i] = cp_astype(cp_reshape(v[i], CP_SHAPE0), cpi_is_complex(cp_type_of(v[i])) ? CP_COMPLEX128 : CP_FLOAT64);
        if (!v[i]) return cpi_end(&f, NULL);
    }
    cp_array *n = cp_float((double)m), *x[] = {v[0], v[1], v[2], n};
    static const char *const around[] = {"k", "j", "a", "n"};
    if (!n) return cpi_end(&f, NULL);
    return cpi_end(&f, o->w ? cp_fused("a * w**-k", 3, names, v) : cp_fused("a * exp(j*k/n)", 4, around, x));
}
