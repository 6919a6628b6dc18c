"""Legendre polynomials: (n + 1) P[n + 1] = (2 n + 1) x P[n] - n P[n - 1], weight 1 on [-1, 1].

The functions are documented in _bases.py, once for all bases."""
from __future__ import annotations

import cuprite
from cuprite.polynomial._bases import Basis
from cuprite.polynomial._series import ABCPolyBase
from cuprite.polynomial.polyutils import trimcoef
from cuprite._missing import listing as _listing, missing as _missing

__all__ = ["Legendre", "leg2poly", "legadd", "legcompanion", "legder", "legdiv", "legdomain", "legfit", "legfromroots",
           "leggauss", "leggrid2d", "leggrid3d", "legint", "legline", "legmul", "legmulx", "legone", "legpow",
           "legroots", "legsub", "legtrim", "legval", "legval2d", "legval3d", "legvalnd", "legvander", "legvander2d",
           "legvander3d", "legweight", "legx", "legzero", "poly2leg"]


def _derivative(j):
    return {i: 2.0 * i + 1 for i in range(j - 1, -1, -2)}


def _integral(j):
    ends = {j + 1: 1 / (2.0 * j + 1)}
    if j > 1:  # the constant of j = 1 is that of the integral
        ends[j - 1] = -ends[j + 1]
    return ends


_BASIS = Basis((0, 1), lambda n: (0.0, (2.0 * n - 1) / n), lambda n: (n - 1.0) / n, _derivative, _integral, 2.0,
               lambda x: x * 0.0 + 1.0)


legadd = _BASIS.add
legsub = _BASIS.sub
legmulx = _BASIS.mulx
legmul = _BASIS.mul
legdiv = _BASIS.div
legpow = _BASIS.pow
legval = _BASIS.val
legval2d = _BASIS.val2d
legval3d = _BASIS.val3d
legvalnd = _BASIS.valnd
leggrid2d = _BASIS.grid2d
leggrid3d = _BASIS.grid3d
legvander = _BASIS.vander
legvander2d = _BASIS.vander2d
legvander3d = _BASIS.vander3d
legfit = _BASIS.fit
legfromroots = _BASIS.fromroots
legroots = _BASIS.roots
legcompanion = _BASIS.companion
legder = _BASIS.der
legint = _BASIS.int
leggauss = _BASIS.gauss
legweight = _BASIS.weight
legline = _BASIS.line
legtrim = trimcoef
leg2poly = _BASIS.to_powers
poly2leg = _BASIS.of_powers


class Legendre(ABCPolyBase):
    """A series of this basis as an object: arithmetic by operators, values by a call (see ABCPolyBase).

    Parameters: coef: coefficients, the lowest degree first; domain: (least, largest), which is mapped to the window
        (None: the basis'); window: (least, largest), likewise; symbol: the variable's name.
    Errors: ValueError for other than two ends, no coefficients, and a symbol that is no identifier; TypeError for a
        symbol that is no text."""

    basis_name = "P"
    _basis = _BASIS
    _ends = (-1.0, 1.0)


_CONSTANTS = {"legzero": [0], "legone": [1], "legx": [0, 1], "legdomain": [-1.0, 1.0]}


def __getattr__(name):
    if name not in _CONSTANTS:
        raise _missing(__name__, name)
    return cuprite.asarray(_CONSTANTS[name])  # of the current device


__dir__ = _listing(__name__)
