/* SciPy's windows: each one is an expression of its indices, computed in one pass (cuprite/fuse.h).
 *
 * The indices j are 1 - L, 3 - L, ..., L - 1 for a length L, whole numbers, so that both halves have the same bits. */
#include "windows/samples.h"

/* `text` of the indices j and the numbers a, b, c; ends the call. */
static cp_array *formula(cpi_window_call *w, const char *text, double a, double b, double c)
{
    static const char *const names[] = {"j", "a", "b", "c", "pi"};
    cp_array *x[] = {w->j, cp_float(a), cp_float(b), cp_float(c), cp_float(PI)};
    const bool all = x[1] && x[2] && x[3] && x[4];
    return cpi_end(&w->f, all ? cp_fused(text, 5, names, x) : NULL);
}

/*: python_module("scipy.signal.windows", doc="scipy.signal.windows on Cuprite's arrays.") */

/*: function("boxcar", "M: window_length, sym: bool = True", module="scipy.signal.windows", c="cp_window_boxcar",
             unlock="always", doc="The window of M ones.") */
cp_array *cp_window_boxcar(double M, bool sym)
{
    (void)sym;
    return cpi_window_check("boxcar", M) ? cp_ones(CP_SHAPE((int64_t)fmin(M, 0x1p62)), CP_FLOAT64) : NULL;
}

/*: function("triang", "M: window_length, sym: bool = True", module="scipy.signal.windows", c="cp_window_triang",
             unlock="always", doc="The triangle whose ends are not zero.") */
cp_array *cp_window_triang(double M, bool sym)
{
    cpi_window_call w;
    if (!cpi_window_begin(&w, "triang", M, sym)) return w.done;
    return formula(&w, "(a - abs(j)) / a", w.length + fmod(w.length, 2), 0, 0);
}

/*: function("bartlett", "M: window_length, sym: bool = True", module="scipy.signal.windows", c="cp_window_bartlett",
             unlock="always", doc="Bartlett's window, a triangle that ends in zeros.") */
cp_array *cp_window_bartlett(double M, bool sym)
{
    cpi_window_call w;
    if (!cpi_window_begin(&w, "bartlett", M, sym)) return w.done;
    return formula(&w, "(a - abs(j)) / a", w.length - 1, 0, 0);
}

/*: function("parzen", "M: window_length, sym: bool = True", module="scipy.signal.windows", c="cp_window_parzen",
             unlock="always", doc="Parzen's window, of two cubic polynomials.") */
cp_array *cp_window_parzen(double M, bool sym)
{
    cpi_window_call w;
    if (!cpi_window_begin(&w, "parzen", M, sym)) return w.done;
    return formula(&w, "x = abs(j); y = x / a; z = 1 - y; where(x <= b, 1 - 6*y*y*z, 2*z*z*z)", w.length,
                   (w.length - 1) / 2, 0);
}

/*: function("bohman", "M: window_length, sym: bool = True", module="scipy.signal.windows", c="cp_window_bohman",
             unlock="always", doc="Bohman's window, half a cosine convolved with itself; its ends are zeros.") */
cp_array *cp_window_bohman(double M, bool sym)
{
    cpi_window_call w;
    if (!cpi_window_begin(&w, "bohman", M, sym)) return w.done;
    return formula(&w, "x = abs(j) / a; y = pi * x; where(x < 1, (1 - x)*cos(y) + sin(y)/pi, 0.0)", w.length - 1, 0, 0);
}

/*: function("barthann", "M: window_length, sym: bool = True", module="scipy.signal.windows", c="cp_window_barthann",
             unlock="always", doc="The window of Bartlett and Hann, a triangle and a cosine.") */
cp_array *cp_window_barthann(double M, bool sym)
{
    cpi_window_call w;
    if (!cpi_window_begin(&w, "barthann", M, sym)) return w.done;
    return formula(&w, "x = abs(j) / a; 0.62 - 0.48*x + 0.38*cos(2*pi*x)", 2 * (w.length - 1), 0, 0);
}

/*: function("cosine", "M: window_length, sym: bool = True", module="scipy.signal.windows", c="cp_window_cosine",
             unlock="always", doc="The window of half a period of a sine.") */
cp_array *cp_window_cosine(double M, bool sym)
{
    cpi_window_call w;
    if (!cpi_window_begin(&w, "cosine", M, sym)) return w.done;
    return formula(&w, "cos(a * j)", PI / (2 * w.length), 0, 0);
}

/*: function("lanczos", "M: window_length, *, sym: bool = True", module="scipy.signal.windows", c="cp_window_lanczos",
             unlock="always", doc="Lanczos' window, the sinc between its first zeros.") */
cp_array *cp_window_lanczos(double M, bool sym)
{
    cpi_window_call w;
    if (!cpi_window_begin(&w, "lanczos", M, sym)) return w.done;
    return formula(&w, "sinc(j / a)", w.length - 1, 0, 0);
}

/*: function("tukey", "M: window_length, alpha: double = 0.5, sym: bool = True", module="scipy.signal.windows",
             c="cp_window_tukey", unlock="always",
             about={"alpha": "the tapered part of the window: from 0 on (ones) to 1 (hann)"},
             raises={"ValueError": "an alpha that is not a number"},
             doc="Tukey's window, ones between two halves of a cosine.") */
cp_array *cp_window_tukey(double M, double alpha, bool sym)
{
    cpi_window_call w;
    if (alpha <= 0) return cpi_window_check("tukey", M) ? cp_window_boxcar(M, sym) : NULL;
    if (alpha >= 1) return cp_window_hann(M, sym);
    if (!cpi_window_begin(&w, "tukey", M, sym)) return w.done;
    if (isnan(alpha)) return cpi_end(&w.f, (cpi_fail(CP_ERROR_VALUE, "tukey: alpha is not a number"), NULL));
    const double last = w.length - 1;
    return formula(&w, "x = a - abs(j); where(x <= b, 0.5 + 0.5*cos(pi * (minimum(x, b)/c - 1)), 1.0)", last,
                   2 * floor(alpha * last / 2), alpha * last);
}

/*: function("kaiser", "M: window_length, beta: double, sym: bool = True", module="scipy.signal.windows",
             c="cp_window_kaiser", unlock="always", about={"beta": "the larger, the narrower"},
             doc="Kaiser's window, from Bessel's function I0.") */
cp_array *cp_window_kaiser(double M, double beta, bool sym)
{
    cpi_window_call w;
    if (!cpi_window_begin(&w, "kaiser", M, sym)) return w.done;
    return formula(&w, "x = j / a; i0(b * sqrt(1 - x*x)) / i0(b)", w.length - 1, beta, 0);
}

/*: function("kaiser_bessel_derived", "M: double, beta: double, *, sym: bool = True", module="scipy.signal.windows",
             c="cp_window_kaiser_bessel_derived", unlock="always",
             about={"M": "the number of samples, which is even; below 1 there are none", "sym": "True"},
             raises={"ValueError": "an M that is odd or not whole, sym=False"},
             doc="The window whose squared halves add to one, made of a cumulative sum of Kaiser's window.") */
cp_array *cp_window_kaiser_bessel_derived(double M, double beta, bool sym)
{
    cpi_composite f;
    if (!sym)
        return cpi_fail(CP_ERROR_VALUE, "Kaiser-Bessel Derived windows are only defined for symmetric shapes"), NULL;
    if (!(M < 1) && fmod(M, 2) != 0)
        return cpi_fail(CP_ERROR_VALUE, "Kaiser-Bessel Derived windows are only defined for even number of points, "
                        "not %g", M), NULL;
    if (!cpi_begin_alone(&f)) return NULL;
    if (M < 1) return cpi_end(&f, cp_empty(CP_SHAPE(0), CP_FLOAT64));
    cp_array *kaiser = cp_window_kaiser(M / 2 + 1, beta, true), *sum = kaiser ? cp_cumsum(kaiser, 0) : NULL;
    cp_array *part = cp_sqrt(cp_divide(cpi_range(sum, 0, 0, -1), cpi_range(sum, 0, -1, INT64_MAX)));
    cp_array *back = part ? cp_flip(part, CP_AXES(0)) : NULL;
    return cpi_end(&f, back ? cp_concatenate(2, ((cp_array *[]){part, back}), 0) : NULL);
}

/*: function("gaussian", "M: window_length, std: double, sym: bool = True", module="scipy.signal.windows",
             c="cp_window_gaussian", unlock="always", about={"std": "the standard deviation, in samples"},
             doc="Gauss' window.") */
cp_array *cp_window_gaussian(double M, double std, bool sym)
{
    cpi_window_call w;
    if (!cpi_window_begin(&w, "gaussian", M, sym)) return w.done;
    return formula(&w, "x = j / 2; exp(-(x*x) / a)", 2 * std * std, 0, 0);
}

/*: function("general_gaussian", "M: window_length, p: double, sig: double, sym: bool = True",
             module="scipy.signal.windows",
             c="cp_window_general_gaussian", unlock="always",
             about={"p": "1 for Gauss' window, 0.5 for Laplace's", "sig": "the standard deviation, in samples"},
             doc="Gauss' window with another exponent: exp(-|n / sig| ** (2 p) / 2).") */
cp_array *cp_window_general_gaussian(double M, double p, double sig, bool sym)
{
    cpi_window_call w;
    if (!cpi_window_begin(&w, "general_gaussian", M, sym)) return w.done;
    return formula(&w, "exp(-0.5 * abs(j / a)**b)", 2 * sig, 2 * p, 0);
}

/*: function("exponential", "M: window_length, center: double = None, tau: double = 1.0, sym: bool = True",
             module="scipy.signal.windows", c="cp_window_exponential", unlock="always",
             about={"center": "where the window is 1 (None: in its middle; NaN in C)", "tau": "how fast it falls"},
             raises={"ValueError": "a center of a symmetric window"},
             doc="The exponential window, exp(-|n - center| / tau).") */
cp_array *cp_window_exponential(double M, double center, double tau, bool sym)
{
    cpi_window_call w;
    if (sym && !isnan(center))
        return cpi_fail(CP_ERROR_VALUE, "exponential: If sym==True, center must be None."), NULL;
    if (!cpi_window_begin(&w, "exponential", M, sym)) return w.done;
    const double last = w.length - 1;
    return formula(&w, "exp(-abs((j + a)/2 - b) / c)", last, isnan(center) ? last / 2 : center, tau);
}
