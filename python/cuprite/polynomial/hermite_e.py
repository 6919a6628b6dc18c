"""Hermite polynomials of probability: He[n + 1] = x He[n] - n He[n - 1], weight exp(-x^2 / 2).

The functions are documented in _bases.py, once for all bases."""
from __future__ import annotations

import math

import cuprite
from cuprite.polynomial._bases import Basis
from cuprite.polynomial._series import ABCPolyBase
from cuprite.polynomial.polyutils import trimcoef
from cuprite._missing import listing as _listing, missing as _missing

__all__ = ["HermiteE", "herme2poly", "hermeadd", "hermecompanion", "hermeder", "hermediv", "hermedomain", "hermefit",
           "hermefromroots", "hermegauss", "hermegrid2d", "hermegrid3d", "hermeint", "hermeline", "hermemul",
           "hermemulx", "hermeone", "hermepow", "hermeroots", "hermesub", "hermetrim", "hermeval", "hermeval2d",
           "hermeval3d", "hermevalnd", "hermevander", "hermevander2d", "hermevander3d", "hermeweight", "hermex",
           "hermezero", "poly2herme"]


_BASIS = Basis((0, 1), lambda n: (0.0, 1.0), lambda n: n - 1.0, lambda j: {j - 1: float(j)} if j else {},
               lambda j: {j + 1: 1.0 / (j + 1)}, math.sqrt(2 * math.pi), lambda x: cuprite.exp(-0.5 * x ** 2))


hermeadd = _BASIS.add
hermesub = _BASIS.sub
hermemulx = _BASIS.mulx
hermemul = _BASIS.mul
hermediv = _BASIS.div
hermepow = _BASIS.pow
hermeval = _BASIS.val
hermeval2d = _BASIS.val2d
hermeval3d = _BASIS.val3d
hermevalnd = _BASIS.valnd
hermegrid2d = _BASIS.grid2d
hermegrid3d = _BASIS.grid3d
hermevander = _BASIS.vander
hermevander2d = _BASIS.vander2d
hermevander3d = _BASIS.vander3d
hermefit = _BASIS.fit
hermefromroots = _BASIS.fromroots
hermeroots = _BASIS.roots
hermecompanion = _BASIS.companion
hermeder = _BASIS.der
hermeint = _BASIS.int
hermegauss = _BASIS.gauss
hermeweight = _BASIS.weight
hermeline = _BASIS.line
hermetrim = trimcoef
herme2poly = _BASIS.to_powers
poly2herme = _BASIS.of_powers


class HermiteE(ABCPolyBase):
    """A series of this basis as an object: arithmetic by operators, values by a call (see ABCPolyBase).

    Parameters: coef: coefficients, the lowest degree first; domain: (least, largest), which is mapped to the window
        (None: the basis'); window: (least, largest), likewise; symbol: the variable's name.
    Errors: ValueError for other than two ends, no coefficients, and a symbol that is no identifier; TypeError for a
        symbol that is no text."""

    basis_name = "He"
    _basis = _BASIS
    _ends = (-1.0, 1.0)


_CONSTANTS = {"hermezero": [0], "hermeone": [1], "hermex": [0, 1], "hermedomain": [-1.0, 1.0]}


def __getattr__(name):
    if name not in _CONSTANTS:
        raise _missing(__name__, name)
    return cuprite.asarray(_CONSTANTS[name])  # of the current device


__dir__ = _listing(__name__)
