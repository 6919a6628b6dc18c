"""Power series, the lowest power first: values, tables of powers, sums, products, quotients, roots, fits."""
from __future__ import annotations

import types

import cuprite
from cuprite._beside import beside_its_arrays
from cuprite import _polynomials
from cuprite._support import _own_array
from cuprite.polynomial._bases import _degree, _derivative_of, _integral_of, _shaped
from cuprite.polynomial._series import ABCPolyBase
from cuprite.polynomial.polyutils import (
    _fit, _from_roots, _grid, _powers, _sum, _times_x, _values, as_series, trimcoef, trimseq)
from cuprite._missing import listing as _listing, missing as _missing

__all__ = ["Polynomial", "polyadd", "polycompanion", "polyder", "polydiv", "polydomain", "polyfit", "polyfromroots",
           "polygrid2d", "polygrid3d", "polyint", "polyline", "polymul", "polymulx", "polyone", "polypow", "polyroots",
           "polysub", "polytrim", "polyval", "polyval2d", "polyval3d", "polyvalfromroots", "polyvalnd",
           "polyvander", "polyvander2d", "polyvander3d", "polyx", "polyzero"]

polytrim = trimcoef


@beside_its_arrays
def polyvander(x, deg):
    """x to the powers 0 .. deg in a new last axis.

    Parameters: x: an array; deg: an integer not below 0.
    Errors: ValueError for a negative deg."""
    n = _degree(deg)
    x = _own_array(x, copy=None, ndmin=1) + 0.0
    return _polynomials._powers(x, n + 1)


@beside_its_arrays
def polycompanion(c):
    """The companion matrix of a series.

    Parameters: c: coefficients, the lowest power first.
    Errors: ValueError for less than two coefficients."""
    [c] = as_series([c])
    if len(c) < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    n = len(c) - 1
    if n == 1:
        return (-c[0] / c[1]).reshape(1, 1)
    m = cuprite.eye(n, k=-1, dtype=c.dtype)
    m[:, -1] -= c[:-1] / c[-1]
    return m


@beside_its_arrays
def polyval(x, c, tensor=True):
    """The series at x; of several series, the further axes of c, all at all of x, or (tensor False) side by side."""
    c, x = _shaped(c, x, tensor)
    value = c[-1] + x * 0
    for i in range(2, len(c) + 1):
        value = c[-i] + value * x
    return value


@beside_its_arrays
def polyval2d(x, y, c):
    """A series of two variables at (x, y).

    Parameters: x: an array; y: an array of the same shape; c: coefficients, the lowest power first, along the first
        two axes.
    Errors: ValueError for different shapes."""
    return _values(polyval, c, x, y)


@beside_its_arrays
def polyval3d(x, y, z, c):
    """A series of three variables at (x, y, z).

    Parameters: x: an array; y: an array of the same shape; z: an array of the same shape; c: coefficients, the
        lowest power first, along the first three axes.
    Errors: ValueError for different shapes."""
    return _values(polyval, c, x, y, z)


@beside_its_arrays
def polyvalnd(pts, c):
    """A series of several variables at the points whose coordinates are given.

    Parameters: pts: arrays of one shape, one for each variable; c: coefficients, the lowest power first, along as
        many first axes.
    Errors: ValueError for different shapes."""
    return _values(polyval, c, *pts)


@beside_its_arrays
def polygrid2d(x, y, c):
    """A series of two variables at each x with each y.

    Parameters: x: an array; y: an array; c: coefficients, the lowest power first, along the first two axes."""
    return _grid(polyval, c, x, y)


@beside_its_arrays
def polygrid3d(x, y, z, c):
    """A series of three variables at each x with each y and each z.

    Parameters: x: an array; y: an array; z: an array; c: coefficients, the lowest power first, along the first three
        axes."""
    return _grid(polyval, c, x, y, z)


@beside_its_arrays
def polyvander2d(x, y, deg):
    """The products of the powers of x with those of y, in a new last axis.

    Parameters: x: an array; y: an array of the same shape; deg: two integers not below 0.
    Errors: ValueError for other than two."""
    return _powers(polyvander, (x, y), deg)


@beside_its_arrays
def polyvander3d(x, y, z, deg):
    """The products of the powers of x, of y and of z, in a new last axis.

    Parameters: x: an array; y: an array of the same shape; z: an array of the same shape; deg: three integers not
        below 0.
    Errors: ValueError for other than three."""
    return _powers(polyvander, (x, y, z), deg)


@beside_its_arrays
def polyfit(x, y, deg, rcond=None, full=False, w=None):
    """The series of degree deg (or of the powers deg) with the least squared distance from y at x.

    Parameters: x: a 1-d array; y: an array of one or two axes; deg: an integer, or several; rcond: singular values
        below this part of the largest are 0 (None: of len(x) ulps); full: True: (coefficients,
        [residuals, rank, singular values, rcond]); w: weights of the samples.
    Errors: TypeError for other shapes and a deg that is no integer; ValueError for a negative deg."""
    return _fit(polyvander, x, y, deg, rcond, full, w)


@beside_its_arrays
def polyvalfromroots(x, r, tensor=True):
    """The series with roots r at x.

    Parameters: x: an array, a NumPy array, a number or nested lists; r: the roots, along the first axis; tensor:
        True: each x with each column of r (False: they broadcast).
    Errors: ValueError for x of as many axes as r where tensor is False."""
    r = _own_array(r, ndmin=1, copy=None)
    if r.dtype.kind in "biu":
        r = r.astype("float64")
    x = cuprite.asarray(x) if isinstance(x, (tuple, list)) else x
    if isinstance(x, cuprite.ndarray):
        if tensor:
            r = r.reshape(r.shape + (1,) * x.ndim)
        elif x.ndim >= r.ndim:
            raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return cuprite.prod(x - r, axis=0)


def polyline(off, scl):
    """off + scl x."""
    return cuprite.asarray([off, scl] if scl != 0 else [off])


@beside_its_arrays
def polyfromroots(roots):
    """The series with these roots and a highest coefficient of 1."""
    return _from_roots(polyline, polymul, roots)


@beside_its_arrays
def polyadd(c1, c2):
    """The sum of two series.

    Parameters: c1: coefficients, the lowest power first; c2: coefficients, the lowest power first."""
    return _sum(c1, c2, 1)


@beside_its_arrays
def polysub(c1, c2):
    """The difference of two series.

    Parameters: c1: coefficients, the lowest power first; c2: coefficients, the lowest power first."""
    return _sum(c1, c2, -1)


@beside_its_arrays
def polymulx(c):
    """The series times x.

    Parameters: c: coefficients, the lowest power first."""
    return _times_x(c)


@beside_its_arrays
def polymul(c1, c2):
    """The product of two series.

    Parameters: c1: coefficients, the lowest power first; c2: coefficients, the lowest power first."""
    c1, c2 = as_series([c1, c2])
    return trimseq(cuprite.convolve(c1, c2))


@beside_its_arrays
def polydiv(c1, c2):
    """(quotient, remainder) of two series.

    Parameters: c1: coefficients, the lowest power first; c2: coefficients, the lowest power first.
    Errors: ZeroDivisionError where the divisor ends in 0."""
    c1, c2 = as_series([c1, c2])
    if c2[-1] == 0:
        raise ZeroDivisionError
    n1, n2 = len(c1), len(c2)
    if n1 < n2:
        return c1[:1] * 0, c1
    if n2 == 1:
        return c1 / c2[-1], c1[:1] * 0
    d, scale, c1 = n1 - n2, c2[-1], c1.copy()
    c2 = c2[:-1] / scale
    i, j = d, n1 - 1
    while i >= 0:
        c1[i:j] -= c2 * c1[j]
        i, j = i - 1, j - 1
    return c1[j + 1:] / scale, trimseq(c1[:j + 1])


@beside_its_arrays
def polypow(c, pow, maxpower=None):
    """The series to a whole power.

    Parameters: c: coefficients, the lowest power first; pow: an integer not below 0; maxpower: the largest allowed,
        or None.
    Errors: ValueError for a pow that is none of these."""
    [c] = as_series([c])
    power = int(pow)
    if power != pow or power < 0:
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None and power > maxpower:
        raise ValueError("Power is too large")
    result = cuprite.ones(1, c.dtype)
    for _ in range(power):
        result = cuprite.convolve(result, c)
    return result


def _exponents(c, n):
    """1 to n along the first axis of coefficients, in their precision."""
    return cuprite.arange(1, n + 1, dtype=c.real.dtype).reshape((n,) + (1,) * (c.ndim - 1))


@beside_its_arrays
def polyder(c, m=1, scl=1, axis=0):
    """The m-th derivative along an axis, each time multiplied by scl.

    Parameters: c: coefficients, the lowest power first; m: how often, not below 0; scl: a factor; axis: an axis
        (negative ones count from the last).
    Errors: ValueError for a negative m; AxisError for an axis out of bounds."""
    def once(c):
        return _exponents(c, len(c) - 1) * (c[1:] * scl)

    return _derivative_of(c, m, axis, once)


@beside_its_arrays
def polyint(c, m=1, k=[], lbnd=0, scl=1, axis=0):
    """The m-th integral along an axis from lbnd on, each time multiplied by scl, with constants k.

    Parameters: c: coefficients, the lowest power first; m: how often, not below 0; k: the constants; lbnd: where the
        integrals begin; scl: a factor; axis: an axis (negative ones count from the last).
    Errors: ValueError for a negative m, too many constants, and an lbnd or scl that is no number."""
    def once(c):
        return cuprite.concatenate([c[:1] * 0, c / _exponents(c, len(c))])

    return _integral_of(c, m, k, lbnd, scl, axis, once, polyval)


@beside_its_arrays
def polyroots(c):
    """The roots of a series, in ascending order.

    Parameters: c: coefficients, the lowest power first."""
    [c] = as_series([c])
    if len(c) < 2:
        return cuprite.zeros(0, c.dtype)
    if len(c) == 2:
        return (-c[0] / c[1]).reshape(1)
    return cuprite.sort(_polynomials.eigenvalues(polycompanion(c)))


class Polynomial(ABCPolyBase):
    """A power series as an object: arithmetic by operators, values by a call (see ABCPolyBase).

    Parameters: coef: coefficients, the lowest degree first; domain: (least, largest), which is mapped to the window
        (None: the basis'); window: (least, largest), likewise; symbol: the variable's name.
    Errors: ValueError for other than two ends, no coefficients, and a symbol that is no identifier; TypeError for a
        symbol that is no text."""

    _basis = types.SimpleNamespace(
        add=polyadd, sub=polysub, mul=polymul, div=polydiv, pow=polypow, val=polyval, fit=polyfit, line=polyline,
        fromroots=polyfromroots, roots=polyroots, der=polyder, int=polyint)


_CONSTANTS = {"polyzero": [0], "polyone": [1], "polyx": [0, 1], "polydomain": [-1.0, 1.0]}


def __getattr__(name):
    if name not in _CONSTANTS:
        raise _missing(__name__, name)
    return cuprite.asarray(_CONSTANTS[name])  # of the current device


__dir__ = _listing(__name__)
