"""Legendre functions of whole degree and order with their derivatives, and spherical harmonics: by the recurrence in
the degree, whose derivatives are recurrences too. A step is a few operations of whole arrays on their device."""
from __future__ import annotations

import math
import operator

from cuprite import _core, _numpy as numpy, ndarray
from cuprite._beside import all_beside
from cuprite._element_types import type_of
from cuprite._support import ufunc_of

__all__ = [
    "assoc_laguerre", "assoc_legendre_p", "assoc_legendre_p_all", "legendre_p", "legendre_p_all", "sph_harm_y",
    "sph_harm_y_all", "sph_legendre_p", "sph_legendre_p_all",
]


def _check_diff(diff_n):
    """The order of the derivatives."""
    if not hasattr(diff_n, "__index__") or operator.index(diff_n) < 0:
        raise ValueError(f"diff_n must be a non-negative integer, received: {diff_n}.")
    if operator.index(diff_n) > 2:
        raise ValueError(f"diff_n is currently only implemented for orders 0, 1, and 2, received: {diff_n}.")
    return operator.index(diff_n)


def _whole(x, name):
    """Degrees or orders, an array of integers. Errors: TypeError for other numbers."""
    x = _core.asarray(x)
    if type_of(x).kind not in "iub":
        raise TypeError(f"{name}: whole numbers, an array of integers, not of {x.dtype}")
    return x.astype("q")


def _real(x, name):
    x = _core.asarray(x)
    if type_of(x).kind not in "fiub":
        raise TypeError(f"{name}: real numbers, not {x.dtype}")
    return x.astype("d")


def _single(*given):
    """Are all of them of float32? Some of SciPy's results are then."""
    return all(getattr(getattr(x, "dtype", None), "char", "") == "f" for x in given)


def _most(n, name):
    """A degree or an order of one number, from 0 on."""
    if not hasattr(n, "__index__") or getattr(n, "ndim", 0) or operator.index(n) < 0:
        raise ValueError(f"{name} must be a non-negative integer")
    return operator.index(n)


def _largest(x):
    return int(_core.abs(x).max()) if x.size else 0


class _Kind:
    """Which Legendre functions: what the recurrence multiplies with, and the functions of degree m and order m.

    x: the argument z, or the polar angle; cut: 2 or 3; norm: whether they are normalised; polar: whether x is the
    angle."""

    def __init__(self, x, m, norm, cut=2, polar=False):
        self.x, self.m, self.order = x, m.astype("d"), _core.abs(m).astype("d")
        self.norm, self.cut, self.polar = norm or polar, cut, polar
        self.start = (0.5 / math.sqrt(math.pi) if polar else math.sqrt(0.5)) if self.norm else 1.0
        if polar:
            self.u, self.s = _core.cos(x), _core.sin(x)
            self.by = (self.u, -self.s, -self.u)
        else:
            self.u, self.s = x, _core.sqrt(1 - x) * _core.sqrt(1 + x) if cut == 2 else \
                _core.sqrt(x - 1) * _core.sqrt(x + 1)
            self.by = (x, 1.0, 0.0)

    def _factor(self, i):
        """By what the functions of degree and order i are larger than those of i - 1, but for s."""
        sign = -1.0 if self.cut == 2 else 1.0
        if self.norm:
            return _core.where(self.m < 0, -sign if self.cut == 2 else 1.0, sign) * math.sqrt((2 * i + 1) / (2 * i))
        return _core.where(self.m < 0, 1 / (2 * i), sign * (2 * i - 1))

    def diagonal(self, diff):
        """The functions of degree m and their derivatives, without the four last powers of s until the end: those
        of a derivative are fewer."""
        order, s = self.order, self.s
        q = _core.where(order > 0, self.start + 0 * s, self.start)  # NaN beyond the cut, derivatives too
        for i in range(1, _largest(self.m) + 1):
            q = _core.where(i <= order, q * self._factor(i) * _core.where(i <= order - 4, s, 1.0), q)
        few = _core.minimum(order, 4)

        def with_power(factor, less):
            """factor times s**(order - less), 0 where the factor is 0."""
            return _core.where(factor == 0, 0.0, factor * q * _core.power(s, few - less))
        found = [q * _core.power(s, few)]
        u, sign = self.u, -1 if self.cut == 2 else 1
        if diff and self.polar:
            found.append(with_power(order * u, 1))
        elif diff:
            found.append(with_power(order * u * sign, 2))
        if diff > 1 and self.polar:
            found.append(with_power(order * (order - 1) * u * u, 2) - with_power(order, 0))
        elif diff > 1:
            found.append(with_power(sign * order, 2) + with_power(order * (order - 2) * u * u, 4))
        if self.polar:  # of angles outside of 0 to pi too the sine is the root of 1 - u * u
            turned = _core.where((s < 0) & (order % 2 == 1), -1.0, 1.0)
            found = [turned * f for f in found]
        return found

    def _coefficients(self, k):
        """(a, b) of p(k) = a u p(k-1) - b p(k-2)."""
        inside, order = k > self.order, self.order
        if self.norm:
            a = _core.sqrt((4.0 * k * k - 1) / _core.where(inside, k * k - order * order, 1.0))
            before = _core.where(k - 1 > order, ((k - 1.0) ** 2 - order * order) / max(4 * (k - 1.0) ** 2 - 1, 1), 0.0)
            return a, a * _core.sqrt(_core.maximum(before, 0.0))
        below = _core.where(inside, k - self.m, 1.0)
        return (2 * k - 1) / below, (k + self.m - 1) / below

    def _edges(self, k, found):
        """Derivatives at -1 and 1 are infinite where a power of s below 1 is left."""
        if self.polar or len(found) == 1:
            return found
        left = -1.0 if k % 2 else 1.0
        turned = _core.where(self.m < 0, -1.0, 1.0) if self.cut == 2 else 1.0
        edge, inside = _core.abs(self.x) == 1, k >= self.order
        at = edge & (self.order == 1) & inside
        found[1] = _core.where(at, math.inf * turned * _core.where(self.x < 0, left, 1.0), found[1])
        if len(found) > 2:
            sign = 1.0 if self.cut == 2 else -1.0
            found[2] = _core.where(at, sign * math.inf * turned * _core.where(self.x < 0, -left, 1.0), found[2])
            at = edge & (self.order == 3) & inside
            found[2] = _core.where(at, -sign * math.inf * turned * _core.where(self.x < 0, -left, 1.0), found[2])
        return found

    def degrees(self, top, diff):
        """For each degree from 0 to top the functions and their derivatives."""
        first = self.diagonal(diff)
        zero = [_core.zeros_like(f) for f in first]
        now, before = zero, zero
        u, du, ddu = self.by
        for k in range(top + 1):
            a, b = self._coefficients(k)
            product = [u * now[0]]
            if diff:
                product.append(du * now[0] + u * now[1])
            if diff > 1:
                product.append(ddu * now[0] + 2 * du * now[1] + u * now[2])
            following = []
            for f, p, old, none in zip(first, product, before, zero):
                f = _core.where(self.order == k, f, none)
                following.append(_core.where(self.order < k, a * p - _core.where(k - 1 > self.order, b * old, 0.0), f))
            before, now = now, following
            yield self._edges(k, list(now))


def _one(kind, n, diff):
    """Of the degrees n, which may be arrays: (1 + diff, ...)."""
    shape = numpy.broadcast_shapes(n.shape, kind.m.shape, kind.x.shape)
    found = [_core.zeros(shape) for _ in range(diff + 1)]
    for k, values in enumerate(kind.degrees(_largest(n), diff)):
        found = [_core.where(n == k, v, f) for v, f in zip(values, found)]
    return _core.stack(found)


def _all(kind, top, diff):
    """Of all degrees up to top: (1 + diff, top + 1, ...)."""
    shape = numpy.broadcast_shapes(kind.m.shape, kind.x.shape)
    rows = [[_core.broadcast_to(v, shape) for v in values] for values in kind.degrees(top, diff)]
    return _core.stack([_core.stack(column) for column in zip(*rows)])


def _orders(m, ndim):
    """0, 1, ... m, -m, ... -1 before `ndim` axes, as SciPy orders them."""
    return _core.asarray([*range(m + 1), *range(-m, 0)], dtype="q").reshape((-1, *[1] * ndim))


def legendre_p(n, z, *, diff_n=0) -> ndarray:
    """Legendre's polynomial of degree n and its derivatives: (diff_n + 1, ...).

    Parameters: n: an array of whole numbers, or one; z: an array or a number; diff_n: 0, 1 or 2, how many
        derivatives.
    Errors: TypeError for degrees that are not whole, and complex z; ValueError for another diff_n."""
    diff, n, z = _check_diff(diff_n), _whole(n, "n"), _real(z, "z")
    n = _core.where(n < 0, -n - 1, n)
    return _one(_Kind(z, _core.zeros((), "q"), False), n, diff)


def legendre_p_all(n, z, *, diff_n=0) -> ndarray:
    """Legendre's polynomials of degrees 0 to n and their derivatives: (diff_n + 1, n + 1, ...).

    Parameters: n: a whole number, 0 or more; z: an array or a number; diff_n: 0, 1 or 2, how many derivatives.
    Errors: ValueError for another n; TypeError for complex z; ValueError for another diff_n."""
    diff = _check_diff(diff_n)
    found = _all(_Kind(_real(z, "z"), _core.zeros((), "q"), False), _most(n, "n"), diff)
    return found.astype("f") if _single(z) else found


def _branch(branch_cut):
    if getattr(branch_cut, "ndim", 0) or branch_cut not in (2, 3):
        raise ValueError(f"branch_cut must be 2 or 3, received: {branch_cut}.")
    return int(branch_cut)


def assoc_legendre_p(n, m, z, *, branch_cut=2, norm=False, diff_n=0) -> ndarray:
    """The associated Legendre function of degree n and order m and its derivatives: (diff_n + 1, ...).

    Parameters: n: an array of whole numbers, or one; m: an array of whole numbers, or one; z: an array or a number;
        branch_cut: 2, for z from -1 to 1, or 3, for z from 1 on; norm: True: normalised; diff_n: 0, 1 or 2, how many
        derivatives.
    Errors: TypeError for degrees and orders that are not whole, and complex z; ValueError for another branch_cut;
        ValueError for another diff_n."""
    diff, n, m = _check_diff(diff_n), _whole(n, "n"), _whole(m, "m")
    return _one(_Kind(_real(z, "z"), m, bool(norm), _branch(branch_cut)), n, diff)


def assoc_legendre_p_all(n, m, z, *, branch_cut=2, norm=False, diff_n=0) -> ndarray:
    """The associated Legendre functions of degrees 0 to n and orders 0 to m and -m to -1 and their derivatives:
    (diff_n + 1, n + 1, 2 m + 1, ...).

    Parameters: n: a whole number, 0 or more; m: a whole number, 0 or more; z: an array or a number; branch_cut: 2, for
        z from -1 to 1, or 3, for z from 1 on; norm: True: normalised; diff_n: 0, 1 or 2, how many derivatives.
    Errors: ValueError for another n, m or branch_cut; TypeError for complex z; ValueError for another diff_n."""
    diff, n, m, z = _check_diff(diff_n), _most(n, "n"), _most(m, "m"), _real(z, "z")
    return _all(_Kind(z, _orders(m, z.ndim), bool(norm), _branch(branch_cut)), n, diff)


def sph_legendre_p(n, m, theta, *, diff_n=0) -> ndarray:
    """The spherical Legendre function of degree n and order m and its derivatives: (diff_n + 1, ...).

    Parameters: n: an array of whole numbers, or one; m: an array of whole numbers, or one; theta: the polar angle, an
        array or a number; diff_n: 0, 1 or 2, how many derivatives.
    Errors: TypeError for degrees and orders that are not whole; ValueError for another diff_n."""
    diff, n, m = _check_diff(diff_n), _whole(n, "n"), _whole(m, "m")
    return _one(_Kind(_real(theta, "theta"), m, True, polar=True), n, diff)


def sph_legendre_p_all(n, m, theta, *, diff_n=0) -> ndarray:
    """The spherical Legendre functions of degrees 0 to n and orders 0 to m and -m to -1 and their derivatives:
    (diff_n + 1, n + 1, 2 m + 1, ...).

    Parameters: n: a whole number, 0 or more; m: a whole number, 0 or more; theta: the polar angle, an array or a
        number; diff_n: 0, 1 or 2, how many derivatives.
    Errors: ValueError for another n or m; ValueError for another diff_n."""
    diff, n, m, x = _check_diff(diff_n), _most(n, "n"), _most(m, "m"), _real(theta, "theta")
    found = _all(_Kind(x, _orders(m, x.ndim), True, polar=True), n, diff)
    return found.astype("f") if _single(theta) else found


def _turned(p, m, phi, diff):
    """Spherical harmonics of the functions p of the polar angle: the harmonic, its gradient, its Hessian matrix."""
    i = 1j * m.astype("d")
    turn = _core.exp(i * phi)
    y = p[0] * turn
    if not diff:
        return y
    dy = p[1] * turn
    gradient = _core.stack([dy, i * y], -1)
    if diff == 1:
        return y, gradient
    rows = [_core.stack([p[2] * turn, i * dy], -1), _core.stack([i * dy, i * i * y], -1)]
    return y, gradient, _core.stack(rows, -2)


def sph_harm_y(n, m, theta, phi, *, diff_n=0) -> ndarray | tuple[ndarray, ...]:
    """The spherical harmonic of degree n and order m at the polar angle theta and the azimuth phi; with diff_n its
    gradient (..., 2) and its Hessian matrix (..., 2, 2) too.

    Parameters: n: an array of whole numbers, or one; m: an array of whole numbers, or one; theta: an array or a number;
        phi: an array or a number; diff_n: 0, 1 or 2.
    Errors: TypeError for degrees and orders that are not whole, where derivatives are asked for; ValueError for another
        diff_n."""
    diff = _check_diff(diff_n)
    if not diff:
        return ufunc_of("scipy.special", "sph_harm_y")(n, m, theta, phi)
    phi, m = _real(phi, "phi"), _whole(m, "m")
    return _turned(sph_legendre_p(n, m, theta, diff_n=diff), m, phi, diff)


def sph_harm_y_all(n, m, theta, phi, *, diff_n=0) -> ndarray | tuple[ndarray, ...]:
    """The spherical harmonics of degrees 0 to n and orders 0 to m and -m to -1: (n + 1, 2 m + 1, ...); with diff_n
    their gradients and Hessian matrices too.

    Parameters: n: a whole number, 0 or more; m: a whole number, 0 or more; theta: the polar angle, an array or a
        number; phi: the azimuth, an array or a number; diff_n: 0, 1 or 2.
    Errors: ValueError for another n or m; ValueError for another diff_n."""
    diff, single = _check_diff(diff_n), _single(theta, phi)
    phi, theta = _real(phi, "phi"), _real(theta, "theta")
    shape = numpy.broadcast_shapes(theta.shape, phi.shape)
    p = sph_legendre_p_all(n, m, _core.broadcast_to(theta, shape), diff_n=diff)
    found = _turned(p, _orders(operator.index(m), len(shape)), phi, diff)
    if not single:
        return found
    return found.astype("F") if not diff else tuple(f.astype("F") for f in found)


def assoc_laguerre(x, n, k=0.0) -> ndarray:
    """Laguerre's generalized polynomial of degree n and parameter k at x: eval_genlaguerre(n, k, x).

    Parameters: x: an array or a number; n: an array or a number; k: an array or a number."""
    return ufunc_of("scipy.special", "eval_genlaguerre")(n, k, x)

all_beside(__all__, globals())
