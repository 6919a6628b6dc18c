"""Chebyshev polynomials of the first kind: T[n + 1] = 2 x T[n] - T[n - 1], weight 1 / sqrt(1 - x^2) on [-1, 1].

The functions are documented in _bases.py, once for all bases."""
from __future__ import annotations

import math

import cuprite
from cuprite.polynomial._bases import Basis, _degree
from cuprite.polynomial._series import ABCPolyBase
from cuprite.polynomial.polyutils import mapdomain, trimcoef
from cuprite._missing import listing as _listing, missing as _missing

__all__ = ["Chebyshev", "cheb2poly", "chebadd", "chebcompanion", "chebder", "chebdiv", "chebdomain", "chebfit",
           "chebfromroots", "chebgauss", "chebgrid2d", "chebgrid3d", "chebint", "chebinterpolate", "chebline",
           "chebmul", "chebmulx", "chebone", "chebpow", "chebpts1", "chebpts2", "chebroots", "chebsub", "chebtrim",
           "chebval", "chebval2d", "chebval3d", "chebvalnd", "chebvander", "chebvander2d", "chebvander3d", "chebweight",
           "chebx", "chebzero", "poly2cheb"]


def _derivative(j):
    return {i: (2.0 if i else 1.0) * j for i in range(j - 1, -1, -2)}


def _integral(j):
    if j < 2:
        return {j + 1: 1.0 if j == 0 else 0.25}
    return {j + 1: 0.5 / (j + 1), j - 1: -0.5 / (j - 1)}


def _weight(x):
    return 1.0 / (cuprite.sqrt(1.0 + x) * cuprite.sqrt(1.0 - x))


_BASIS = Basis((0, 1), lambda n: (0.0, 2.0), lambda n: 1.0, _derivative, _integral, math.pi, _weight)


chebadd = _BASIS.add
chebsub = _BASIS.sub
chebmulx = _BASIS.mulx
chebmul = _BASIS.mul
chebdiv = _BASIS.div
chebpow = _BASIS.pow
chebval = _BASIS.val
chebval2d = _BASIS.val2d
chebval3d = _BASIS.val3d
chebvalnd = _BASIS.valnd
chebgrid2d = _BASIS.grid2d
chebgrid3d = _BASIS.grid3d
chebvander = _BASIS.vander
chebvander2d = _BASIS.vander2d
chebvander3d = _BASIS.vander3d
chebfit = _BASIS.fit
chebfromroots = _BASIS.fromroots
chebroots = _BASIS.roots
chebcompanion = _BASIS.companion
chebder = _BASIS.der
chebint = _BASIS.int
chebweight = _BASIS.weight
chebline = _BASIS.line
chebtrim = trimcoef
cheb2poly = _BASIS.to_powers
poly2cheb = _BASIS.of_powers


def chebpts1(npts):
    """The npts roots of T[npts], in ascending order.

    Parameters: npts: an integer above 0.
    Errors: ValueError for another."""
    n = int(npts)
    if n != npts:
        raise ValueError("npts must be integer")
    if n < 1:
        raise ValueError("npts must be >= 1")
    return cuprite.sin(cuprite.arange(-n + 1, n + 1, 2) * (0.5 * math.pi / n))


def chebpts2(npts):
    """The npts points where T[npts - 1] is 1 or -1, in ascending order.

    Parameters: npts: an integer above 1.
    Errors: ValueError for another."""
    n = int(npts)
    if n != npts:
        raise ValueError("npts must be integer")
    if n < 2:
        raise ValueError("npts must be >= 2")
    return cuprite.cos(cuprite.linspace(-math.pi, 0, n))


def chebgauss(deg):
    """(points, weights) of Gauss's rule: integrals of up to degree 2 deg - 1 times the weight.

    Parameters: deg: an integer above 0.
    Errors: ValueError for a deg below 1."""
    n = _degree(deg, 1)
    return cuprite.cos(cuprite.arange(1, 2 * n, 2) * (math.pi / (2.0 * n))), cuprite.full(n, math.pi / n)


def chebinterpolate(func, deg, args=()):
    """The series of degree deg that is func at the points chebpts1(deg + 1).

    Parameters: func: a function of an array; deg: an integer not below 0; args: what func is given besides.
    Errors: TypeError for a deg that is no integer; ValueError for a negative one."""
    if isinstance(deg, bool) or not hasattr(deg, "__index__"):
        raise TypeError("deg must be an int")
    if deg < 0:
        raise ValueError("expected deg >= 0")
    x = chebpts1(deg + 1)
    c = chebvander(x, deg).T @ func(x, *args)
    return cuprite.concatenate([c[:1] / (deg + 1), c[1:] / (0.5 * (deg + 1))])


class Chebyshev(ABCPolyBase):
    """A series of this basis as an object: arithmetic by operators, values by a call (see ABCPolyBase).

    Parameters: coef: coefficients, the lowest degree first; domain: (least, largest), which is mapped to the window
        (None: the basis'); window: (least, largest), likewise; symbol: the variable's name.
    Errors: ValueError for other than two ends, no coefficients, and a symbol that is no identifier; TypeError for a
        symbol that is no text."""

    basis_name = "T"
    _basis = _BASIS
    _ends = (-1.0, 1.0)

    @classmethod
    def interpolate(cls, func, deg, domain=None, args=()):
        """The series of degree deg that is func at the Chebyshev points of the domain.

        Parameters: func: a function of an array; deg: an integer not below 0; domain: (least, largest); args: what
            func is given besides.
        Errors: TypeError for a deg that is no integer; ValueError for a negative one."""
        domain = cuprite.asarray(cls._ends if domain is None else domain)
        window = cuprite.asarray(cls._ends)
        return cls(chebinterpolate(lambda x: func(mapdomain(x, window, domain), *args), deg), domain=domain)


_CONSTANTS = {"chebzero": [0], "chebone": [1], "chebx": [0, 1], "chebdomain": [-1.0, 1.0]}


def __getattr__(name):
    if name not in _CONSTANTS:
        raise _missing(__name__, name)
    return cuprite.asarray(_CONSTANTS[name])  # of the current device


__dir__ = _listing(__name__)
