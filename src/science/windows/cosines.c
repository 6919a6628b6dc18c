/* Windows that are sums of cosines, by their coefficients, and Chebyshev's, which is a transform of such. */
#include <stdio.h>

#include "windows/samples.h"

/* The k-th coefficient: of the array where there is one, else a number of the host. */
static cp_array *coefficient(cp_array *array, const double *numbers, int64_t k)
{
    return array ? cp_slice(array, 1, &CP_AT(k)) : cp_float(numbers[k]);
}

/* The sum over k < n of coefficient k times cos(k * scale * j): a pass for every eight. */
static cp_array *sum_of_cosines(cp_array *j, double scale, int64_t n, cp_array *array, const double *numbers)
{
    enum { TERMS = 8 };
    static const char *const names[] = {"j", "s", "w", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7"};
    cp_array *x[3 + TERMS] = {j, cp_float(scale), j};
    if (!n) return cp_zeros(CP_SHAPE(cp_size(j)), CP_FLOAT64);
    for (int64_t k = 0; k < n; k += TERMS) {
        const int terms = n - k < TERMS ? (int)(n - k) : TERMS;
        char text[512];
        int at = snprintf(text, sizeof text, "t = s * j; %s", k ? "w" : "0 * t");
        for (int i = 0; i < terms; i++) {
            if (!(x[3 + i] = coefficient(array, numbers, k + i))) return NULL;
            const char *term = k + i ? " + a%d*cos(%lld*t)" : " + a%d";
            at += snprintf(text + at, sizeof text - (size_t)at, term, i, (long long)(k + i));
        }
        if (!x[1] || !(x[2] = cp_fused(text, 3 + terms, names, x))) return NULL;
    }
    return x[2];
}

/* The window of coefficients, from -pi to pi. */
static cp_array *cosines(const char *name, double M, bool sym, int64_t n, cp_array *array, const double *numbers)
{
    cpi_window_call w;
    if (!cpi_window_begin(&w, name, M, sym)) return w.done;
    return cpi_end(&w.f, sum_of_cosines(w.j, PI / (w.length - 1), n, array, numbers));
}

/*: function("general_cosine", "M: window_length, a: array_like, sym: bool = True", module="scipy.signal.windows",
             c="cp_window_general_cosine", unlock="always",
             about={"a": "the coefficients, that of the constant first"},
             raises={"IndexError": "a number as a", "ValueError": "several axes of a",
                     "TypeError": "complex coefficients"},
             doc="The window that is a sum of cosines: a[0] + a[1] cos(t) + a[2] cos(2 t) + ..., t from -pi to pi.") */
cp_array *cp_window_general_cosine(double M, cp_array *a, bool sym)
{
    cpi_composite f;
    cp_array *r = NULL;
    if (!cpi_window_check("general_cosine", M) || !cpi_begin(&f, "general_cosine", a)) return NULL;
    if (M > 1 && cp_ndim(a) != 1)
        cpi_fail(cp_ndim(a) ? CP_ERROR_VALUE : CP_ERROR_INDEX, "general_cosine: a has %d axes, not one", cp_ndim(a));
    else if (M > 1 && cp_type_kind(cp_type_of(a)) == 'c')
        cpi_fail(CP_ERROR_CASTING, "general_cosine: complex coefficients do not fit into a window of float64");
    else r = cosines("general_cosine", M, sym, M > 1 ? cp_dim(a, 0) : 0, a, NULL);
    return cpi_end(&f, r);
}

/*: function("general_hamming", "M: window_length, alpha: double, sym: bool = True", module="scipy.signal.windows",
             c="cp_window_general_hamming", unlock="always", about={"alpha": "the constant term"},
             doc="Hamming's window with another constant: alpha - (1 - alpha) cos(t), t from 0 to 2 pi.") */
cp_array *cp_window_general_hamming(double M, double alpha, bool sym)
{
    return cosines("general_hamming", M, sym, 2, NULL, (double[]){alpha, 1 - alpha});
}

/*: function("hamming", "M: window_length, sym: bool = True", module="scipy.signal.windows", c="cp_window_hamming",
             unlock="always", doc="Hamming's window, a cosine that ends at 0.08.") */
cp_array *cp_window_hamming(double M, bool sym)
{
    return cosines("hamming", M, sym, 2, NULL, (double[]){0.54, 1 - 0.54});
}

/*: function("hann", "M: window_length, sym: bool = True", module="scipy.signal.windows", c="cp_window_hann",
             unlock="always", doc="Hann's window, a cosine that ends in zeros.") */
cp_array *cp_window_hann(double M, bool sym) { return cosines("hann", M, sym, 2, NULL, (double[]){0.5, 0.5}); }

/*: function("blackman", "M: window_length, sym: bool = True", module="scipy.signal.windows", c="cp_window_blackman",
             unlock="always", doc="Blackman's window, three terms of cosines.") */
cp_array *cp_window_blackman(double M, bool sym)
{
    return cosines("blackman", M, sym, 3, NULL, (double[]){0.42, 0.50, 0.08});
}

/*: function("nuttall", "M: window_length, sym: bool = True", module="scipy.signal.windows", c="cp_window_nuttall",
             unlock="always", doc="Nuttall's window, four terms of cosines.") */
cp_array *cp_window_nuttall(double M, bool sym)
{
    return cosines("nuttall", M, sym, 4, NULL, (double[]){0.3635819, 0.4891775, 0.1365995, 0.0106411});
}

/*: function("blackmanharris", "M: window_length, sym: bool = True", module="scipy.signal.windows",
             c="cp_window_blackmanharris", unlock="always",
             doc="The window of Blackman and Harris, four terms of cosines.") */
cp_array *cp_window_blackmanharris(double M, bool sym)
{
    return cosines("blackmanharris", M, sym, 4, NULL, (double[]){0.35875, 0.48829, 0.14128, 0.01168});
}

/*: function("flattop", "M: window_length, sym: bool = True", module="scipy.signal.windows", c="cp_window_flattop",
             unlock="always", doc="The window with a flat top, five terms of cosines, some samples below zero.") */
cp_array *cp_window_flattop(double M, bool sym)
{
    const double a[] = {0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368};
    return cosines("flattop", M, sym, 5, NULL, a);
}

/* a[0 .. nbar - 1]: the coefficients of Taylor's window, Carrara et al., "Spotlight Synthetic Aperture Radar". */
static void taylor_coefficients(double *a, int nbar, double sll, bool norm)
{
    const double A = acosh(pow(10, sll / 20)) / PI, s2 = (double)nbar * nbar / (A * A + (nbar - 0.5) * (nbar - 0.5));
    double top = a[0] = 1;
    for (int m = 1; m < nbar; m++) {
        double f = m % 2 ? 1 : -1, square = (double)m * m;
        for (int i = 1; i < nbar; i++) {
            f *= 1 - square / s2 / (A * A + (i - 0.5) * (i - 0.5));
            if (i != m) f /= 1 - square / ((double)i * i);
        }
        top += a[m] = f; /* twice half of it */
    }
    for (int m = 0; norm && m < nbar; m++) a[m] /= top;
}

/*: function("taylor", "M: window_length, nbar: int = 4, sll: double = 30, norm: bool = True, sym: bool = True",
             module="scipy.signal.windows", c="cp_window_taylor", unlock="always",
             about={"nbar": "the number of nearly constant side lobes beside the main one",
                    "sll": "how far the side lobes lie below the main one, in decibels",
                    "norm": "True: 1 is the value in the middle"},
             raises={"ValueError": "an nbar below 1", "OverflowError": "an sll too large for float64"},
             doc="Taylor's window, nbar terms of cosines.") */
cp_array *cp_window_taylor(double M, int nbar, double sll, bool norm, bool sym)
{
    cpi_window_call w;
    if (!cpi_window_begin(&w, "taylor", M, sym)) return w.done;
    if (nbar < 1) return cpi_end(&w.f, (cpi_fail(CP_ERROR_VALUE, "taylor: nbar is at least 1, not %d", nbar), NULL));
    if (isinf(pow(10, sll / 20)) && !isinf(sll))
        return cpi_end(&w.f, (cpi_fail(CP_ERROR_OVERFLOW, "taylor: sll %g is too large for float64", sll), NULL));
    double *a = cpi_malloc((size_t)nbar * sizeof *a);
    if (!a) return cpi_end(&w.f, NULL);
    taylor_coefficients(a, nbar, sll, norm);
    cp_array *r = sum_of_cosines(w.j, PI / w.length, nbar, NULL, a);
    cpi_free_host(a);
    return cpi_end(&w.f, r);
}

/* Chebyshev's polynomial of order L - 1 at beta cos(pi k / L), the samples of the window's transform. */
static cp_array *chebyshev_samples(double L, double beta)
{
    static const char *const names[] = {"k", "b", "c", "n", "s"};
    cp_array *x[] = {cp_arange(0, L, 1, CP_FLOAT64), cp_float(beta), cp_float(PI / L), cp_float(L - 1),
                     cp_float(fmod(L, 2) != 0 ? 1 : -1)};
    for (int i = 0; i < 5; i++)
        if (!x[i]) return NULL;
    return cp_fused("x = b * cos(c * k); y = cosh(n * arccosh(maximum(abs(x), 1)));"
                    "where(x > 1, y, where(x < -1, s*y, cos(n * arccos(minimum(maximum(x, -1), 1)))))", 5, names, x);
}

/* The transform's first half on both sides of the middle, which an odd length has once. */
static cp_array *chebyshev(double L, double beta)
{
    cp_array *p = chebyshev_samples(L, beta), *half;
    if (!p) return NULL;
    const bool odd = fmod(L, 2) != 0;
    if (odd) half = cp_real_part(cp_rfft(p));
    else {
        cp_array *shift = cp_multiply(cp_arange(0, L, 1, CP_FLOAT64), cp_complex(0, PI / L));
        cp_array *turned = cp_multiply(p, cp_exp(shift)), *f = turned ? cp_fft(turned) : NULL;
        half = f ? cpi_range(cp_real_part(f), 0, 1, (int64_t)L / 2 + 1) : NULL;
    }
    cp_array *left = cpi_range(half, 0, odd, INT64_MAX), *back = left ? cp_flip(left, CP_AXES(0)) : NULL;
    cp_array *w = back ? cp_concatenate(2, ((cp_array *[]){back, half}), 0) : NULL;
    return w ? cp_divide(w, cp_max(w)) : NULL;
}

/*: function("chebwin", "M: window_length, at: double, sym: bool = True", module="scipy.signal.windows",
             c="cp_window_chebwin", unlock="always", about={"at": "how far the side lobes lie below the main one, in "
             "decibels; below 45 a UserWarning says that spectra want more"},
             raises={"OverflowError": "an at too large for float64"},
             doc="The window of Dolph and Chebyshev, whose side lobes are all of one height.") */
cp_array *cp_window_chebwin(double M, double at, bool sym)
{
    cpi_window_call w;
    if (fabs(at) < 45) cpi_warn(CP_WARNING_ATTENUATION);
    const double height = pow(10, fabs(at) / 20);
    if (isinf(height) && !isinf(at) && M > 1)
        return cpi_fail(CP_ERROR_OVERFLOW, "chebwin: at %g is too large for float64", at), NULL;
    if (!cpi_window_begin(&w, "chebwin", M, sym)) return w.done;
    cp_array *r = chebyshev(w.length, cosh(acosh(height) / (w.length - 1)));
    return cpi_end(&w.f, r && !sym ? cp_copy(cpi_range(r, 0, 0, (int64_t)M)) : r);
}
