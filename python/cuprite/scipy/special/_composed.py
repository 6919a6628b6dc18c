"""What cuprite.scipy.special has beside its ufuncs: functions with more arguments than arrays, sums of exponentials,
and names that cuprite has too."""
from __future__ import annotations

import math
import operator

from cuprite import _core, _numpy as numpy, _special
from cuprite._beside import all_beside, beside_its_arrays
from cuprite._element_types import common_type, type_of
from cuprite._support import ufunc_of

__all__ = [
    "btdtr", "btdtri", "cbrt", "exp2", "expm1", "h1vp", "h2vp", "i0", "ivp", "jvp", "kelvin", "kn", "kvp", "lambertw",
    "log1p", "logsumexp", "multigammaln", "polygamma", "round", "sinc", "sph_harm",
    "spherical_in", "spherical_jn", "spherical_kn", "spherical_yn", "yvp", "zeta",
]

sinc = _core.sinc


def _own(name):
    return ufunc_of("scipy.special", name)


def _of_scipy(name, least, takes_complex, x, out, options):
    """The function that cuprite has too, with the types of SciPy's: what has fewer than 32 bits of a fraction gives
    `least`."""
    kind = type_of(x, None)
    if options.get("dtype") is not None:
        if numpy.dtype(options["dtype"]).char not in ("fdFD" if takes_complex else "fd"):
            raise TypeError(f"No loop matching the specified signature and casting was found for ufunc {name}")
    elif kind is not None and "signature" not in options:
        if kind.kind == "c" and not takes_complex:
            raise TypeError(f"ufunc '{name}' not supported for the input types")
        if kind.kind not in "fc" or kind.itemsize == 2:
            options["dtype"] = least if kind.kind in "bV" or kind.itemsize < 4 else "d"
    elif isinstance(x, complex) and not takes_complex:
        raise TypeError(f"ufunc '{name}' not supported for the input types")
    elif isinstance(x, bool) and "signature" not in options:
        options["dtype"] = least
    return getattr(_core, "rint" if name == "round" else name)(x, out=out, **options)


def cbrt(x, out=None, **options) -> _core.ndarray:
    """The real cube root.

    Parameters: x: an array or a number; out: an array for the result, or None; options: a ufunc's (where, casting,
        dtype, ...).
    Errors: TypeError for complex numbers."""
    return _of_scipy("cbrt", "d", False, x, out, options)


def exp2(x, out=None, **options) -> _core.ndarray:
    """2 to the power of x.

    Parameters: x: an array or a number; out: an array for the result, or None; options: a ufunc's (where, casting,
        dtype, ...).
    Errors: TypeError for complex numbers."""
    return _of_scipy("exp2", "d", False, x, out, options)


def expm1(x, out=None, **options) -> _core.ndarray:
    """exp(x) - 1, exact near zero.

    Parameters: x: an array or a number; out: an array for the result, or None; options: a ufunc's (where, casting,
        dtype, ...)."""
    return _of_scipy("expm1", "d", True, x, out, options)


def i0(x, out=None, **options) -> _core.ndarray:
    """The modified Bessel function of the first kind of order 0.

    Parameters: x: an array or a number; out: an array for the result, or None; options: a ufunc's (where, casting,
        dtype, ...).
    Errors: TypeError for complex numbers."""
    return _of_scipy("i0", "d", False, x, out, options)


def log1p(x, out=None, **options) -> _core.ndarray:
    """log(1 + x), exact near zero.

    Parameters: x: an array or a number; out: an array for the result, or None; options: a ufunc's (where, casting,
        dtype, ...)."""
    return _of_scipy("log1p", "d", True, x, out, options)


def round(x, out=None, **options) -> _core.ndarray:
    """The nearest whole number, of two as near the even one.

    Parameters: x: an array or a number; out: an array for the result, or None; options: a ufunc's (where, casting,
        dtype, ...).
    Errors: TypeError for complex numbers."""
    return _of_scipy("round", "f", False, x, out, options)


def kelvin(x, out=None, **options) -> tuple[_core.ndarray, _core.ndarray, _core.ndarray, _core.ndarray]:
    """Kelvin's functions as complex numbers: ber + i bei, ker + i kei, and their derivatives; of types that cast to
    float32 as complex64.

    Parameters: x: an array or a number; out: a tuple of four arrays for the results, or None; options: a ufunc's.
    """
    kind = type_of(x, None)
    single = out is None and "dtype" not in options and (isinstance(x, bool) if kind is None else
                                                         _core.can_cast(kind, "f"))
    found = _own("kelvin")(x, out=out, **options)
    return tuple(part.astype("F") for part in found) if single else found


def multigammaln(a, d) -> _core.ndarray:
    """The logarithm of the multivariate gamma function of d dimensions, as float64.

    Parameters: a: an array or a number, more than (d - 1) / 2; d: a positive whole number.
    Errors: ValueError for another d, and for an a that is not large enough; TypeError for complex numbers."""
    if isinstance(d, complex) or getattr(type_of(d, None), "kind", "") == "c":
        raise TypeError("multigammaln: d is a whole number, not a complex one")
    if not isinstance(d, (int, float)) and not (hasattr(d, "dtype") and d.ndim == 0 and type_of(d).kind in "iuf"):
        raise ValueError("d should be a positive integer (dimension)")
    return _core.rows("scipy.special")["multigammaln"](a, float(d))


def btdtr(a, b, x, out=None) -> _core.ndarray:
    """The beta distribution: betainc(a, b, x).

    Parameters: a: an array or a number; b: an array or a number; x: an array or a number; out: an array for the
        result, or None."""
    return _own("betainc")(a, b, x, out=out)


def btdtri(a, b, p, out=None) -> _core.ndarray:
    """The inverse of btdtr in x: betaincinv(a, b, p).

    Parameters: a: an array or a number; b: an array or a number; p: an array or a number; out: an array for the
        result, or None."""
    return _own("betaincinv")(a, b, p, out=out)


def lambertw(z, k=0, tol=1e-8) -> _core.ndarray:
    """Branch k of Lambert's W, the inverse of w * exp(w), as complex128.

    Parameters: z: an array or a number; k: an array of whole numbers, or one; tol: accepted and without effect, the
        result is as exact as its type."""
    return _own("lambertw")(_core.asarray(z).astype("D"), _core.asarray(k).astype("D"))


def polygamma(n, x) -> _core.ndarray:
    """The n-th derivative of digamma at x; NaN where n is no whole number.

    Parameters: n: an array of whole numbers, or one; x: an array or a number."""
    return _own("polygamma")(_core.asarray(n), _core.asarray(x))


def zeta(x, q=None, out=None, **options) -> _core.ndarray:
    """Hurwitz's zeta function, the sum of (q + k)**-x, or without q Riemann's, of complex numbers too.

    Parameters: x: an array or a number; q: an array or a number, or None; out: an array for the result, or None;
        options: a ufunc's (where, casting, dtype, ...), beside q.
    Errors: TypeError for complex numbers beside q, and for options without q.

    Example:
        >>> cp.scipy.special.zeta(cp.asarray([2.0, 0, -1])).round(4)
        array([ 1.6449, -0.5   , -0.0833])
    """
    if q is not None:
        return _own("zeta")(x, q, out=out, **options)
    if options:
        raise TypeError(f"zeta: {', '.join(options)} beside q alone")
    return ufunc_of("_special", "riemann_zeta")(x, out=out)


def spherical_yn(n, z, derivative=False) -> _core.ndarray:
    """The spherical Bessel function of the second kind of order n, or its derivative.

    Parameters: n: an array of whole numbers, or one; z: an array or a number; derivative: True or False."""
    return _special.spherical_bessel_y(n, z, bool(derivative))


def spherical_jn(n, z, derivative=False) -> _core.ndarray:
    """The spherical Bessel function of the first kind of order n, or its derivative.

    Parameters: n: an array of whole numbers, or one; z: an array or a number; derivative: True or False."""
    return _special.spherical_jn(n, z, bool(derivative))


def spherical_in(n, z, derivative=False) -> _core.ndarray:
    """The modified spherical Bessel function of the first kind of order n, or its derivative.

    Parameters: n: an array of whole numbers, or one; z: an array or a number; derivative: True or False."""
    return _special.spherical_in(n, z, bool(derivative))


def spherical_kn(n, z, derivative=False) -> _core.ndarray:
    """The modified spherical Bessel function of the second kind of order n, or its derivative.

    Parameters: n: an array of whole numbers, or one; z: an array or a number; derivative: True or False."""
    return _special.spherical_kn(n, z, bool(derivative))


def kn(n, x, out=None, **options) -> _core.ndarray:
    """The modified Bessel function of the second kind of whole order n: kv(n, x).

    Parameters: n: an array of whole numbers, or one; x: an array or a number; out: an array for the result, or None;
        options: a ufunc's (where, casting, dtype, ...).
    Errors: TypeError for complex numbers."""
    kind, order = type_of(n, None), n
    if type(n) is not float:  # which takes the array's type
        order = _core.asarray(n)
        kind = type_of(order)
    if "c" in (getattr(kind, "kind", ""), getattr(type_of(x, None), "kind", "")) or isinstance(x, complex):
        raise TypeError("ufunc 'kn' not supported for the input types")
    if type(n) is float:
        order = float(math.trunc(n)) if math.isfinite(n) else n
    else:
        order = _core.trunc(order if kind.kind == "f" else order.astype("d"))
    return _own("kv")(order, x, out=out, **options)


def _derivative(name, v, z, n):
    """The n-th derivative in z. Errors: ValueError for a negative n, TypeError for one that is not whole."""
    n = operator.index(n)
    if not n and isinstance(v, (int, float)):  # a Python number, which has no type beside an array
        return _own(_FUNCTIONS[name])(v, _core.asarray(z) if isinstance(z, (list, tuple)) else z)
    return getattr(_special, name)(v, z, n)


_FUNCTIONS = {"jvp": "jv", "yvp": "yv", "ivp": "iv", "kvp": "kv", "h1vp": "hankel1", "h2vp": "hankel2"}


def jvp(v, z, n=1) -> _core.ndarray:
    """The n-th derivative of jv(v, z) in z.

    Parameters: v: the order, an array or a number; z: an array or a number; n: a whole number, 0 or more.
    Errors: ValueError for a negative n, TypeError for one that is not whole."""
    return _derivative("jvp", v, z, n)


def yvp(v, z, n=1) -> _core.ndarray:
    """The n-th derivative of yv(v, z) in z.

    Parameters: v: the order, an array or a number; z: an array or a number; n: a whole number, 0 or more.
    Errors: ValueError for a negative n, TypeError for one that is not whole."""
    return _derivative("yvp", v, z, n)


def ivp(v, z, n=1) -> _core.ndarray:
    """The n-th derivative of iv(v, z) in z.

    Parameters: v: the order, an array or a number; z: an array or a number; n: a whole number, 0 or more.
    Errors: ValueError for a negative n, TypeError for one that is not whole."""
    return _derivative("ivp", v, z, n)


def kvp(v, z, n=1) -> _core.ndarray:
    """The n-th derivative of kv(v, z) in z.

    Parameters: v: the order, an array or a number; z: an array or a number; n: a whole number, 0 or more.
    Errors: ValueError for a negative n, TypeError for one that is not whole."""
    return _derivative("kvp", v, z, n)


def h1vp(v, z, n=1) -> _core.ndarray:
    """The n-th derivative of hankel1(v, z) in z.

    Parameters: v: the order, an array or a number; z: an array or a number; n: a whole number, 0 or more.
    Errors: ValueError for a negative n, TypeError for one that is not whole."""
    return _derivative("h1vp", v, z, n)


def h2vp(v, z, n=1) -> _core.ndarray:
    """The n-th derivative of hankel2(v, z) in z.

    Parameters: v: the order, an array or a number; z: an array or a number; n: a whole number, 0 or more.
    Errors: ValueError for a negative n, TypeError for one that is not whole."""
    return _derivative("h2vp", v, z, n)


def sph_harm(m, n, theta, phi, out=None) -> _core.ndarray:
    """sph_harm_y with the arguments that SciPy had before: the azimuth comes before the polar angle.

    Parameters: m: an array of whole numbers, or one; n: an array of whole numbers, or one; theta: the azimuth, an array
        or a number; phi: the polar angle, an array or a number; out: an array for the result, or None."""
    return _own("sph_harm_y")(n, m, phi, theta, out=out)


@beside_its_arrays
def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False) -> _core.ndarray | tuple:
    """log of the sum of b * exp(a), without overflow; with return_sign that of its absolute value, and the sign.

    Parameters: a: an array; axis: an axis, a tuple of axes, or None for all elements; b: weights, an array that
        broadcasts with a, or None; keepdims: True keeps summed axes with length 1; return_sign: True gives the sign
        too (of a complex sum its direction). Without it a negative sum is NaN.
    Errors: AxisError for an axis out of bounds."""
    if not return_sign:
        return _core.rows("scipy.special")["logsumexp"](a, axis, b, keepdims)
    a = _core.asarray(a)
    a = a if type_of(a).kind in "fcV" else a.astype("d")
    weighted = b is not None
    if weighted:
        b = _core.asarray(b)
        a = _core.where(b == 0, -math.inf, a)
    m = _largest(a, axis) if a.size else 0
    e = _core.exp(a - m)
    if weighted:
        e = _core.where(b == 0, 0, e * b)
    total = e.sum(axis=axis, keepdims=True)
    sign, out = _core.sign(total), _core.log(_core.abs(total)) + m
    if keepdims:
        return out, sign
    return (out.reshape(()), sign.reshape(())) if axis is None else (out.squeeze(axis=axis), sign.squeeze(axis=axis))


def _largest(x, axis):
    """The largest element, 0 in place of infinities and NaN: what is taken from exponents."""
    m = (x.real if type_of(x).kind == "c" else x).max(axis=axis, keepdims=True)
    return _core.where(_core.isfinite(m), m, 0).astype(type_of(m))

all_beside(__all__, globals())
