"""What cuprite.scipy.special has beside its ufuncs: functions with more arguments than arrays, sums of exponentials,
and names that cuprite has too."""
from __future__ import annotations

import math
import operator

from cuprite import _core
from cuprite._beside import beside_its_arrays
from cuprite._support import ufunc_of

__all__ = [
    "btdtr", "btdtri", "cbrt", "exp2", "expm1", "h1vp", "h2vp", "i0", "ivp", "jvp", "kn", "kvp", "lambertw", "log1p",
    "logsumexp", "polygamma", "round", "sinc", "sph_harm", "sph_harm_y", "spherical_in", "spherical_jn", "spherical_kn",
    "spherical_yn", "yvp",
]

cbrt, exp2, expm1, i0, log1p, sinc = (_core.cbrt, _core.exp2, _core.expm1, _core.i0, _core.log1p, _core.sinc)
round = _core.rint


def _own(name):
    return ufunc_of("scipy.special", name)


def _floating(x):
    """x as an array of a type that exp has."""
    x = _core.asarray(x)
    return x if x.dtype.kind in "fc" or x.dtype.kind == "V" else x.astype("d")


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
    return _own("polygamma")(n, x)


def spherical_yn(n, z, derivative=False) -> _core.ndarray:
    """The spherical Bessel function of the second kind of order n, or its derivative.

    Parameters: n: an array of whole numbers, or one; z: an array or a number; derivative: True or False."""
    f = _own("spherical_yn")
    if not derivative:
        return f(n, z)
    n, z = _core.asarray(n), _floating(z)
    return _core.where(n == 0, -f(1, z), f(n - 1, z) - (n + 1) * f(n, z) / z)


def _spherical(name, n, z, odd):
    """sqrt(pi / (2 z)) times the function of order n + 1/2; of real numbers left of 0 by the parity of n."""
    n, z = _core.asarray(n).astype("d"), _floating(z)
    if z.dtype.kind == "c":
        r = _core.sqrt(math.pi / 2 / z) * _own(name)(n + 0.5, z)
    else:
        r = _core.sqrt(math.pi / 2 / _core.abs(z)) * _own(name)(n + 0.5, _core.abs(z))
        left = _core.where(n % 2 != 0, -1.0, 1.0) if odd else math.nan
        r = (r * _core.where(z < 0, left, 1.0)).astype(z.dtype)
    if odd:
        r = _core.where(z == 0, _core.where(n == 0, 1.0, 0.0), r).astype(r.dtype)
    elif z.dtype.kind != "c":
        r = _core.where(z == 0, math.inf, r).astype(r.dtype)
    return _core.where(n < 0, math.nan, r).astype(r.dtype)


def spherical_jn(n, z, derivative=False) -> _core.ndarray:
    """The spherical Bessel function of the first kind of order n, or its derivative.

    Parameters: n: an array of whole numbers, or one; z: an array or a number; derivative: True or False."""
    def f(n):
        return _spherical("jv", n, z, True)
    if not derivative:
        return f(n)
    x = _floating(z)
    n = _core.asarray(n).astype(x.real.dtype)
    r = _core.where(n == 0, -f(1), f(_core.where(n > 0, n - 1, n)) - (n + 1) * f(n) / x)
    return _core.where(x == 0, _core.where(n == 1, 1 / 3, 0.0), r).astype(r.dtype)


def spherical_in(n, z, derivative=False) -> _core.ndarray:
    """The modified spherical Bessel function of the first kind of order n, or its derivative.

    Parameters: n: an array of whole numbers, or one; z: an array or a number; derivative: True or False."""
    def f(n):
        return _spherical("iv", n, z, True)
    if not derivative:
        return f(n)
    x = _floating(z)
    n = _core.asarray(n).astype(x.real.dtype)
    r = _core.where(n == 0, f(1), f(_core.where(n > 0, n - 1, n)) - (n + 1) * f(n) / x)
    return _core.where(x == 0, _core.where(n == 1, 1 / 3, 0.0), r).astype(r.dtype)


def spherical_kn(n, z, derivative=False) -> _core.ndarray:
    """The modified spherical Bessel function of the second kind of order n, or its derivative.

    Parameters: n: an array of whole numbers, or one; z: an array or a number; derivative: True or False."""
    def f(n):
        return _spherical("kv", n, z, False)
    if not derivative:
        return f(n)
    x = _floating(z)
    n = _core.asarray(n).astype(x.real.dtype)
    return _core.where(n == 0, -f(1), -f(_core.where(n > 0, n - 1, n)) - (n + 1) * f(n) / x).astype(x.dtype)


def kn(n, x, out=None) -> _core.ndarray:
    """The modified Bessel function of the second kind of whole order n: kv(n, x).

    Parameters: n: an array of whole numbers, or one; x: an array or a number; out: an array for the result, or None."""
    return _own("kv")(_core.trunc(_core.asarray(n).astype("d")), x, out=out)


def _derivative(name, v, z, n, sign):
    """The n-th derivative in z as a sum over orders v - n to v + n (DLMF 10.6.7, 10.29.5)."""
    n = operator.index(n)
    if n < 0:
        raise ValueError("'n' must be a non-negative integer")
    f, v = _own(name), _core.asarray(v)
    if n == 0:
        return f(v, z)
    factor, total = 1.0, f(v - n, z)
    for i in range(1, n + 1):
        factor *= sign * (n - i + 1) / i
        total = total + factor * f(v - n + 2 * i, z)
    return total / 2.0 ** n


def jvp(v, z, n=1) -> _core.ndarray:
    """The n-th derivative of jv(v, z) in z.

    Parameters: v: the order, an array or a number; z: an array or a number; n: a whole number, 0 or more.
    Errors: ValueError for a negative n, TypeError for one that is not whole."""
    return _derivative("jv", v, z, n, -1)


def yvp(v, z, n=1) -> _core.ndarray:
    """The n-th derivative of yv(v, z) in z.

    Parameters: v: the order, an array or a number; z: an array or a number; n: a whole number, 0 or more.
    Errors: ValueError for a negative n, TypeError for one that is not whole."""
    return _derivative("yv", v, z, n, -1)


def ivp(v, z, n=1) -> _core.ndarray:
    """The n-th derivative of iv(v, z) in z.

    Parameters: v: the order, an array or a number; z: an array or a number; n: a whole number, 0 or more.
    Errors: ValueError for a negative n, TypeError for one that is not whole."""
    return _derivative("iv", v, z, n, 1)


def kvp(v, z, n=1) -> _core.ndarray:
    """The n-th derivative of kv(v, z) in z.

    Parameters: v: the order, an array or a number; z: an array or a number; n: a whole number, 0 or more.
    Errors: ValueError for a negative n, TypeError for one that is not whole."""
    return (-1) ** operator.index(n) * _derivative("kv", v, z, n, 1)


def h1vp(v, z, n=1) -> _core.ndarray:
    """The n-th derivative of hankel1(v, z) in z.

    Parameters: v: the order, an array or a number; z: an array or a number; n: a whole number, 0 or more.
    Errors: ValueError for a negative n, TypeError for one that is not whole."""
    return _derivative("hankel1", v, z, n, -1)


def h2vp(v, z, n=1) -> _core.ndarray:
    """The n-th derivative of hankel2(v, z) in z.

    Parameters: v: the order, an array or a number; z: an array or a number; n: a whole number, 0 or more.
    Errors: ValueError for a negative n, TypeError for one that is not whole."""
    return _derivative("hankel2", v, z, n, -1)


def sph_harm_y(n, m, theta, phi, *, diff_n=0) -> _core.ndarray:
    """The spherical harmonic of degree n and order m at the polar angle theta and the azimuth phi.

    Parameters: n: an array of whole numbers, or one; m: an array of whole numbers, or one; theta: an array or a number;
        phi: an array or a number; diff_n: 0, the order of the derivatives.
    Errors: ValueError for diff_n other than 0, 1 and 2, NotImplementedError for 1 and 2."""
    if diff_n not in (0, 1, 2):
        raise ValueError("sph_harm_y: diff_n is currently only implemented for orders 0, 1, and 2, received: "
                         f"{diff_n}.")
    if diff_n:
        raise NotImplementedError("sph_harm_y: derivatives are not implemented; diff_n is 0")
    return _own("sph_harm_y")(n, m, theta, phi)


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
    a = _floating(a)
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
    m = (x.real if x.dtype.kind == "c" else x).max(axis=axis, keepdims=True)
    return _core.where(_core.isfinite(m), m, 0).astype(m.dtype)
