"""What cuprite.scipy.special has beside its ufuncs: functions with more arguments than arrays, sums of exponentials,
and names that cuprite has too."""
from __future__ import annotations

import math

from cuprite import _core
from cuprite._beside import beside_its_arrays
from cuprite._support import ufunc_of

__all__ = [
    "btdtr", "btdtri", "cbrt", "exp2", "expm1", "i0", "lambertw", "log1p", "logsumexp", "polygamma",
    "round", "sinc", "sph_harm", "sph_harm_y", "spherical_yn",
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
