"""Laguerre polynomials: (n + 1) L[n + 1] = (2 n + 1 - x) L[n] - n L[n - 1], weight exp(-x) for x > 0.

The functions are documented in _bases.py, once for all bases."""
from __future__ import annotations

import cuprite
from cuprite.polynomial._bases import Basis
from cuprite.polynomial._series import ABCPolyBase
from cuprite.polynomial.polyutils import trimcoef
from cuprite._missing import listing as _listing, missing as _missing

__all__ = ["Laguerre", "lag2poly", "lagadd", "lagcompanion", "lagder", "lagdiv", "lagdomain", "lagfit", "lagfromroots",
           "laggauss", "laggrid2d", "laggrid3d", "lagint", "lagline", "lagmul", "lagmulx", "lagone", "lagpow",
           "lagroots", "lagsub", "lagtrim", "lagval", "lagval2d", "lagval3d", "lagvalnd", "lagvander", "lagvander2d",
           "lagvander3d", "lagweight", "lagx", "lagzero", "poly2lag"]


_BASIS = Basis((1, -1), lambda n: ((2.0 * n - 1) / n, -1.0 / n), lambda n: (n - 1.0) / n,
               lambda j: {i: -1.0 for i in range(j)}, lambda j: {j: 1.0, j + 1: -1.0}, 1.0, lambda x: cuprite.exp(-x))


lagadd = _BASIS.add
lagsub = _BASIS.sub
lagmulx = _BASIS.mulx
lagmul = _BASIS.mul
lagdiv = _BASIS.div
lagpow = _BASIS.pow
lagval = _BASIS.val
lagval2d = _BASIS.val2d
lagval3d = _BASIS.val3d
lagvalnd = _BASIS.valnd
laggrid2d = _BASIS.grid2d
laggrid3d = _BASIS.grid3d
lagvander = _BASIS.vander
lagvander2d = _BASIS.vander2d
lagvander3d = _BASIS.vander3d
lagfit = _BASIS.fit
lagfromroots = _BASIS.fromroots
lagroots = _BASIS.roots
lagcompanion = _BASIS.companion
lagder = _BASIS.der
lagint = _BASIS.int
laggauss = _BASIS.gauss
lagweight = _BASIS.weight
lagline = _BASIS.line
lagtrim = trimcoef
lag2poly = _BASIS.to_powers
poly2lag = _BASIS.of_powers


class Laguerre(ABCPolyBase):
    """A series of this basis as an object: arithmetic by operators, values by a call (see ABCPolyBase).

    Parameters: coef: coefficients, the lowest degree first; domain: (least, largest), which is mapped to the window
        (None: the basis'); window: (least, largest), likewise; symbol: the variable's name.
    Errors: ValueError for other than two ends, no coefficients, and a symbol that is no identifier; TypeError for a
        symbol that is no text."""

    basis_name = "L"
    _basis = _BASIS
    _ends = (0.0, 1.0)


_CONSTANTS = {"lagzero": [0], "lagone": [1], "lagx": [1, -1], "lagdomain": [0.0, 1.0]}


def __getattr__(name):
    if name not in _CONSTANTS:
        raise _missing(__name__, name)
    return cuprite.asarray(_CONSTANTS[name])  # of the current device


__dir__ = _listing(__name__)
