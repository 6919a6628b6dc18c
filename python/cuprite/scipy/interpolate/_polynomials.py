"""Piecewise polynomials in one variable: of powers (PPoly) and in Bernstein's basis (BPoly)."""
from __future__ import annotations

import math
import types

import cuprite
from cuprite import _numpy as numpy
from cuprite import _splines, ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.scipy.interpolate import _arrays
from cuprite.scipy.interpolate._arrays import any_of, array, floating, on_first


def _sorted(x):
    d = x[1:] - x[:-1]
    return bool((d >= 0).all()) or bool((d <= 0).all())


@beside_its_arrays
class _Piecewise:
    """Polynomials between breakpoints: c (order, intervals, ...), x, extrapolate, axis."""

    __class_getitem__ = classmethod(types.GenericAlias)

    _held = "c"
    c: ndarray = None  # __init__ sets all four
    x: ndarray = None
    extrapolate: "bool | str" = True
    axis: int = 0

    def __init__(self, c, x, extrapolate=None, axis=0):
        self.c, self.x = floating(c), _arrays.real(x)
        if extrapolate is None:
            extrapolate = True
        elif not isinstance(extrapolate, str) or extrapolate != "periodic":
            extrapolate = bool(extrapolate)
        self.extrapolate = extrapolate
        if self.c.ndim < 2:
            raise ValueError("Coefficients array must be at least 2-dimensional.")
        if not 0 <= axis < self.c.ndim - 1:
            raise ValueError(f"axis={axis} must be between 0 and {self.c.ndim - 1}")
        self.axis = axis
        if axis != 0:
            self.c = cuprite.moveaxis(cuprite.moveaxis(self.c, axis + 1, 0), axis + 1, 0)
        if self.x.ndim != 1:
            raise ValueError("x must be 1-dimensional")
        if self.x.size < 2:
            raise ValueError("at least 2 breakpoints are needed")
        if self.c.shape[0] == 0:
            raise ValueError("polynomial must be at least of order 0")
        if self.c.shape[1] != self.x.size - 1:
            raise ValueError("number of coefficients != len(x)-1")
        if not _sorted(self.x):
            raise ValueError("`x` must be strictly increasing or decreasing.")
        self.c = cuprite.ascontiguousarray(self.c)

    @classmethod
    def construct_fast(cls, c, x, extrapolate=None, axis=0) -> _Piecewise:
        """The polynomials of arrays that are not checked.

        Parameters: c: coefficients (order, intervals, ...), float64 or complex128; x: breakpoints; extrapolate: as the
            constructor has it; axis: the interpolation's axis of results.
        """
        self = object.__new__(cls)
        self.c, self.x, self.axis = array(c), array(x), axis
        self.extrapolate = True if extrapolate is None else extrapolate
        return self

    def extend(self, c, x) -> None:
        """Adds polynomials before or behind the others, in place.

        Parameters: c: their coefficients; x: as many breakpoints, on one side of the others.
        Errors: ValueError for shapes that do not fit, breakpoints that are not sorted or not on one side.
        """
        c, x = floating(c), _arrays.real(x)
        if c.ndim < 2:
            raise ValueError("invalid dimensions for c")
        if x.ndim != 1:
            raise ValueError("invalid dimensions for x")
        if x.shape[0] != c.shape[1]:
            raise ValueError(f"Shapes of x {x.shape} and c {c.shape} are incompatible")
        if c.shape[2:] != self.c.shape[2:] or c.ndim != self.c.ndim:
            raise ValueError(f"Shapes of c {c.shape} and self.c {self.c.shape} are incompatible")
        if c.size == 0:
            return
        if not _sorted(x):
            raise ValueError("`x` is not sorted.")
        first, last, new_first, new_last = (float(v) for v in (self.x[0], self.x[-1], x[0], x[-1]))
        sign = 1 if last >= first else -1
        if sign * new_last < sign * new_first:
            raise ValueError("`x` is in the different order than `self.x`.")
        if sign * new_first >= sign * last:
            parts = [(self.c, self.x), (c, x)]
        elif sign * new_last <= sign * first:
            parts = [(c, x), (self.c, self.x)]
        else:
            raise ValueError("`x` is neither on the left or on the right from `self.x`.")
        k = max(c.shape[0], self.c.shape[0])
        padded = [cuprite.concatenate([cuprite.zeros((k - part.shape[0],) + part.shape[1:], type_of(part)), part])
                  for part, _ in parts]
        self.c = cuprite.concatenate(padded, 1)
        self.x = cuprite.concatenate([parts[0][1], parts[1][1]])

    def _is_descending(self):
        return bool(self.x[-1] < self.x[0])

    def _evaluate(self, x, nu, extrapolate) -> ndarray:
        return _splines.ppoly_values(_arrays.columns(self.c, 2), self.x, x, nu, extrapolate, self._is_descending(),
                                     False)

    def __call__(self, x, nu=0, extrapolate=None) -> ndarray:
        """Values at places.

        Parameters: x: the places; nu: which derivative; extrapolate: whether the first and last polynomials go on,
            'periodic', or None: as constructed.
        """
        if extrapolate is None:
            extrapolate = self.extrapolate
        shape, x = _arrays.places_of(x)
        if extrapolate == "periodic":
            x = self.x[0] + (x - self.x[0]) % (self.x[-1] - self.x[0])
            extrapolate = False
        values = _arrays.restored(self._evaluate(x, nu, bool(extrapolate)), self.c, shape + self.c.shape[2:])
        return _arrays.axis_moved(values, len(shape), self.axis)

    def _bounded(self, a, b, antiderivative) -> ndarray:
        """The integral of periodic polynomials."""
        sign = 1
        if b < a:
            a, b, sign = b, a, -1
        first, last = float(self.x[0]), float(self.x[-1])
        periods, left = divmod(b - a, last - first)
        result = periods * (antiderivative(last) - antiderivative(first))
        a = first + (a - first) % (last - first)
        b = a + left
        if b <= last:
            result = result + antiderivative(b) - antiderivative(a)
        else:
            result = (result + antiderivative(last) - antiderivative(a) + antiderivative(first + left + a - last)
                      - antiderivative(first))
        return sign * result

    def integrate(self, a, b, extrapolate=None) -> ndarray:
        """The integral from a to b.

        Parameters: a: where it begins; b: where it ends; extrapolate: as a call has it.
        """
        if extrapolate is None:
            extrapolate = self.extrapolate
        whole = self.antiderivative()
        whole.axis = 0
        if extrapolate == "periodic":
            whole.extrapolate = False
            return self._bounded(float(a), float(b), whole)
        whole.extrapolate = extrapolate
        return whole(float(b)) - whole(float(a))

    def _like(self, c, periodic=True):
        extrapolate = False if not periodic and self.extrapolate == "periodic" else self.extrapolate
        return self.construct_fast(c, self.x, extrapolate, self.axis)


@beside_its_arrays
class PPoly(_Piecewise):
    """Piecewise polynomials: between x[i] and x[i+1] sum of c[k-m, i] (x - x[i])**m over the powers m.

    Parameters: c: coefficients (order, intervals, ...), the highest power first; x: the breakpoints, sorted;
        extrapolate: whether the first and last polynomials go on (True), NaN is there, or 'periodic'; axis: the
        interpolation's axis of results.
    Errors: ValueError for shapes that do not fit and breakpoints that are not sorted.

    Example:
        >>> cp.scipy.interpolate.PPoly(cp.asarray([[1.0], [0.0]]), cp.asarray([0.0, 2.0]))(cp.asarray([0.5, 1.5]))
        array([0.5, 1.5])
    """

    def derivative(self, nu=1) -> PPoly:
        """The derivative, of one order less.

        Parameters: nu: which; below 0 the antiderivative.
        """
        if nu < 0:
            return self.antiderivative(-nu)
        k = self.c.shape[0]
        if k <= nu:
            return self._like(cuprite.zeros((1,) + self.c.shape[1:], type_of(self.c)))
        factor = cuprite.asarray([math.prod(map(float, range(m, m + nu))) for m in range(k - nu, 0, -1)])
        return self._like(self.c[:k - nu] * on_first(factor, self.c.ndim))

    def antiderivative(self, nu=1) -> PPoly:
        """The antiderivative that is continuous, 0 at the first breakpoint, and has one order more.

        Parameters: nu: how often; 0 or below: the derivative.
        """
        if nu <= 0:
            return self.derivative(-nu)
        k, ndim = self.c.shape[0], self.c.ndim
        factor = cuprite.asarray([math.prod(map(float, range(m, m + nu))) for m in range(k, 0, -1)])
        c = cuprite.concatenate([self.c / on_first(factor, ndim),
                                 cuprite.zeros((nu,) + self.c.shape[1:], type_of(self.c))])
        width = on_first(self.x[1:] - self.x[:-1], ndim - 1)
        for power in range(nu - 1, -1, -1):
            jump = 0
            for m in range(k + nu - 1, power, -1):
                jump = jump * width + math.comb(m, power) * c[k + nu - 1 - m]
            c[k + nu - 1 - power, 1:] = cuprite.cumsum((jump * width)[:-1], axis=0)
        return self._like(c, False)

    def solve(self, y=0.0, discontinuity=True, extrapolate=None) -> ndarray | numpy.ndarray:
        """Where the polynomials are y, by SciPy on the host: an array, or an object array of arrays.

        Parameters: y: the value; discontinuity: whether a change of sign at a breakpoint counts; extrapolate: whether
            places beyond the breakpoints count.
        Errors: ValueError for complex coefficients.
        """
        if type_of(self.c).kind == "c":
            raise ValueError("Root finding is only for real-valued polynomials")
        there = _arrays.scipy_interpolate().PPoly(self.c.get(), self.x.get(), self.extrapolate)
        found = there.solve(float(y), discontinuity, extrapolate)
        if type_of(found) != object:
            return cuprite.asarray(found)
        results = numpy.empty(found.shape, object)
        for i, one in enumerate(found.ravel()):
            results.reshape(-1)[i] = cuprite.asarray(one)
        return results

    def roots(self, discontinuity=True, extrapolate=None) -> ndarray | numpy.ndarray:
        """Where the polynomials are 0: solve of 0.

        Parameters: discontinuity: whether a change of sign at a breakpoint counts; extrapolate: whether places beyond
            the breakpoints count.
        """
        return self.solve(0, discontinuity, extrapolate)

    @classmethod
    def from_spline(cls, tck, extrapolate=None) -> PPoly:
        """The polynomials that a spline is made of.

        Parameters: tck: a BSpline, or (knots, coefficients, degree); extrapolate: as the constructor has it.
        """
        if hasattr(tck, "tck"):
            extrapolate = tck.extrapolate if extrapolate is None else extrapolate
            tck = tck.tck
        t, c, k = _arrays.real(tck[0]), floating(tck[1]), tck[2]
        n = t.size - k - 1
        rows = [_arrays.restored(_splines.bspline_values(t, _arrays.columns(c[:n], 1), k, t[:-1], m, True), c,
                                 (t.size - 1,) + c.shape[1:]) / math.factorial(m) for m in range(k, -1, -1)]
        return cls.construct_fast(cuprite.stack(rows), t, extrapolate)

    @classmethod
    def from_bernstein_basis(cls, bp, extrapolate=None) -> PPoly:
        """The same polynomials of powers.

        Parameters: bp: a BPoly; extrapolate: as the constructor has it; None: as bp has it.
        Errors: TypeError for anything but a BPoly.
        """
        if not isinstance(bp, BPoly):
            raise TypeError(f".from_bernstein_basis only accepts BPoly instances. Got {type(bp)} instead.")
        k = bp.c.shape[0] - 1
        width = on_first(bp.x[1:] - bp.x[:-1], bp.c.ndim - 1)
        c = cuprite.zeros_like(bp.c)
        for a in range(k + 1):
            factor = (-1) ** a * math.comb(k, a) * bp.c[a]
            for s in range(a, k + 1):
                c[k - s] += factor * (math.comb(k - a, s - a) * (-1) ** s) / width ** s
        return cls.construct_fast(c, bp.x, bp.extrapolate if extrapolate is None else extrapolate, bp.axis)


@beside_its_arrays
class BPoly(_Piecewise):
    """Piecewise polynomials in Bernstein's basis: between x[i] and x[i+1] sum of c[a, i] b(a, k; part of the way).

    Parameters: c: coefficients (order, intervals, ...); x: the breakpoints, sorted; extrapolate: whether the first
        and last polynomials go on (True), NaN is there, or 'periodic'; axis: the interpolation's axis of results.
    Errors: ValueError for shapes that do not fit and breakpoints that are not sorted.

    Example:
        >>> cp.scipy.interpolate.BPoly(cp.asarray([[0.0], [0.0], [1.0]]), cp.asarray([0.0, 2.0]))(cp.asarray([1.0]))
        array([0.25])
    """

    def _evaluate(self, x, nu, extrapolate) -> ndarray:
        if nu < 0:
            raise NotImplementedError("Cannot do antiderivatives in the B-basis yet.")
        p = self.derivative(nu) if nu else self
        return _splines.ppoly_values(_arrays.columns(p.c, 2), self.x, x, 0, extrapolate, self._is_descending(), True)

    def derivative(self, nu=1) -> BPoly:
        """The derivative, of one order less.

        Parameters: nu: which; below 0 the antiderivative.
        """
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c
        width = on_first(self.x[1:] - self.x[:-1], c.ndim - 1)
        for _ in range(nu):
            k = c.shape[0] - 1
            c = k * (c[1:] - c[:-1]) / width if k else cuprite.zeros_like(c)
        return self._like(c.copy() if nu == 0 else c)

    def antiderivative(self, nu=1) -> BPoly:
        """The antiderivative that is continuous, 0 at the first breakpoint, and has one order more.

        Parameters: nu: how often; 0 or below: the derivative.
        """
        if nu <= 0:
            return self.derivative(-nu)
        c = self.c
        width = on_first(self.x[1:] - self.x[:-1], c.ndim - 1)
        for _ in range(nu):
            k = c.shape[0]
            inner = cuprite.cumsum(c, axis=0) / k * width
            c = cuprite.concatenate([cuprite.zeros((1,) + c.shape[1:], type_of(c)), inner])
            c[:, 1:] += cuprite.cumsum(c[k], axis=0)[:-1]
        return self._like(c, False)

    def extend(self, c, x) -> None:
        """Adds polynomials before or behind the others, in place.

        Parameters: c: their coefficients, of any order; x: as many breakpoints, on one side of the others.
        Errors: ValueError for shapes that do not fit, breakpoints that are not sorted or not on one side.
        """
        c = floating(c)
        k = max(self.c.shape[0], c.shape[0])
        self.c = _raised(self.c, k - self.c.shape[0])
        _Piecewise.extend(self, _raised(c, k - c.shape[0]), x)

    @classmethod
    def from_power_basis(cls, pp, extrapolate=None) -> BPoly:
        """The same polynomials in Bernstein's basis.

        Parameters: pp: a PPoly; extrapolate: as the constructor has it; None: as pp has it.
        Errors: TypeError for anything but a PPoly.
        """
        if not isinstance(pp, PPoly):
            raise TypeError(f".from_power_basis only accepts PPoly instances. Got {type(pp)} instead.")
        k = pp.c.shape[0] - 1
        width = on_first(pp.x[1:] - pp.x[:-1], pp.c.ndim - 1)
        c = cuprite.zeros_like(pp.c)
        for a in range(k + 1):
            factor = pp.c[a] / math.comb(k, k - a) * width ** (k - a)
            for j in range(k - a, k + 1):
                c[j] += factor * math.comb(j, k - a)
        return cls.construct_fast(c, pp.x, pp.extrapolate if extrapolate is None else extrapolate, pp.axis)

    @classmethod
    def from_derivatives(cls, xi, yi, orders=None, extrapolate=None) -> BPoly:
        """The polynomials with given values and derivatives at breakpoints.

        Parameters: xi: the breakpoints, ascending; yi: for each of them the value, the first derivative, ...;
            orders: of the polynomials, one or one for each interval, with fewer of the derivatives; extrapolate: as the
            constructor has it.
        Errors: ValueError for breakpoints that do not ascend, other lengths, and orders that ask for more derivatives
            than there are.
        """
        xi = _arrays.real(xi)
        if len(xi) != len(yi):
            raise ValueError("xi and yi need to have the same length")
        if any_of(xi[1:] - xi[:1] <= 0):
            raise ValueError("x coordinates are not in increasing order")
        m, points = len(xi) - 1, _arrays.host(xi)
        values = [_arrays.host(y) if isinstance(y, ndarray) else y for y in yi]
        try:
            k = max(len(values[i]) + len(values[i + 1]) for i in range(m))
        except TypeError as why:
            raise ValueError("Using a 1-D array for y? Please .reshape(-1, 1).") from why
        if orders is None:
            orders = [None] * m
        else:
            orders = [orders] * m if isinstance(orders, (int, numpy.there("integer"))) else list(orders)
            k = max(k, max(orders))
            if any(o <= 0 for o in orders):
                raise ValueError("Orders must be positive.")
        pieces = []
        for i in range(m):
            left, right = _both_sides(values[i], values[i + 1], orders[i], points[i], points[i + 1])
            piece = _hermite(points[i], points[i + 1], numpy.asarray(left), numpy.asarray(right))
            pieces.append(_raised(piece, k - len(piece)))
        return cls(cuprite.asarray(numpy.asarray(pieces).swapaxes(0, 1)), xi, extrapolate)


def _both_sides(left, right, order, xa, xb):
    """As many of the derivatives on both sides as a polynomial of that order takes."""
    if order is None:
        return left, right
    n = order + 1
    n1 = min(n // 2, len(left))
    n2 = min(n - n1, len(right))
    n1 = min(n - n2, len(right))
    if n1 + n2 != n:
        raise ValueError(f"Point {xa} has {len(left)} derivatives, point {xb} has {len(right)} derivatives, but order "
                         f"{order} requested")
    if not (n1 <= len(left) and n2 <= len(right)):
        raise ValueError("`order` input incompatible with length y1 or y2.")
    return left[:n1], right[:n2]


def _hermite(xa, xb, ya, yb):
    """Bernstein's coefficients of the polynomial with these derivatives at both ends, on the host."""
    if ya.shape[1:] != yb.shape[1:]:
        raise ValueError(f"Shapes of ya {ya.shape} and yb {yb.shape} are incompatible")
    na, nb = len(ya), len(yb)
    n = na + nb
    c = numpy.empty((n,) + ya.shape[1:], numpy.result_type(ya, yb, "float64"))
    for q in range(na):
        c[q] = ya[q] / math.prod(range(n - q, n)) * (xb - xa) ** q
        for j in range(q):
            c[q] -= (-1) ** (j + q) * math.comb(q, j) * c[j]
    for q in range(nb):
        c[-q - 1] = yb[q] / math.prod(range(n - q, n)) * (-1) ** q * (xb - xa) ** q
        for j in range(q):
            c[-q - 1] -= (-1) ** (j + 1) * math.comb(q, j + 1) * c[-q + j]
    return c


def _raised(c, d):
    """The same polynomials with d coefficients more; NumPy's array or ours."""
    if d == 0:
        return c
    k = c.shape[0] - 1
    zeros = cuprite.zeros if isinstance(c, ndarray) else numpy.zeros
    out = zeros((c.shape[0] + d,) + c.shape[1:], dtype=type_of(c))
    for a in range(k + 1):
        f = c[a] * math.comb(k, a)
        for j in range(d + 1):
            out[a + j] += f * (math.comb(d, j) / math.comb(k + d, a + j))
    return out
