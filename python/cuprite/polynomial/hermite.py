"""Hermite polynomials of the physicists: H[n + 1] = 2 x H[n] - 2 n H[n - 1], weight exp(-x^2).

The functions are documented in _bases.py, once for all bases."""
from __future__ import annotations

import math

import cuprite
from cuprite.polynomial._bases import Basis
from cuprite.polynomial._series import ABCPolyBase
from cuprite.polynomial.polyutils import trimcoef
from cuprite._missing import listing as _listing, missing as _missing

__all__ = ["Hermite", "herm2poly", "hermadd", "hermcompanion", "hermder", "hermdiv", "hermdomain", "hermfit",
           "hermfromroots", "hermgauss", "hermgrid2d", "hermgrid3d", "hermint", "hermline", "hermmul", "hermmulx",
           "hermone", "hermpow", "hermroots", "hermsub", "hermtrim", "hermval", "hermval2d", "hermval3d", "hermvalnd",
           "hermvander", "hermvander2d", "hermvander3d", "hermweight", "hermx", "hermzero", "poly2herm"]


_BASIS = Basis((0, 2), lambda n: (0.0, 2.0), lambda n: 2.0 * (n - 1), lambda j: {j - 1: 2.0 * j} if j else {},
               lambda j: {j + 1: 0.5 / (j + 1)}, math.sqrt(math.pi), lambda x: cuprite.exp(-x ** 2))


hermadd = _BASIS.add
hermsub = _BASIS.sub
hermmulx = _BASIS.mulx
hermmul = _BASIS.mul
hermdiv = _BASIS.div
hermpow = _BASIS.pow
hermval = _BASIS.val
hermval2d = _BASIS.val2d
hermval3d = _BASIS.val3d
hermvalnd = _BASIS.valnd
hermgrid2d = _BASIS.grid2d
hermgrid3d = _BASIS.grid3d
hermvander = _BASIS.vander
hermvander2d = _BASIS.vander2d
hermvander3d = _BASIS.vander3d
hermfit = _BASIS.fit
hermfromroots = _BASIS.fromroots
hermroots = _BASIS.roots
hermcompanion = _BASIS.companion
hermder = _BASIS.der
hermint = _BASIS.int
hermgauss = _BASIS.gauss
hermweight = _BASIS.weight
hermline = _BASIS.line
hermtrim = trimcoef
herm2poly = _BASIS.to_powers
poly2herm = _BASIS.of_powers


class Hermite(ABCPolyBase):
    """A series of this basis as an object: arithmetic by operators, values by a call (see ABCPolyBase).

    Parameters: coef: coefficients, the lowest degree first; domain: (least, largest), which is mapped to the window
        (None: the basis'); window: (least, largest), likewise; symbol: the variable's name.
    Errors: ValueError for other than two ends, no coefficients, and a symbol that is no identifier; TypeError for a
        symbol that is no text."""

    basis_name = "H"
    _basis = _BASIS
    _ends = (-1.0, 1.0)


_CONSTANTS = {"hermzero": [0], "hermone": [1], "hermx": [0, 1 / 2], "hermdomain": [-1.0, 1.0]}


def __getattr__(name):
    if name not in _CONSTANTS:
        raise _missing(__name__, name)
    return cuprite.asarray(_CONSTANTS[name])  # of the current device


__dir__ = _listing(__name__)
