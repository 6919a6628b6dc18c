"""Splines as sums of B-splines: values, derivatives, integrals, conversion."""
from __future__ import annotations

import operator
import types

import cuprite
from cuprite import _splines, ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.scipy.interpolate import _arrays
from cuprite.scipy.interpolate._arrays import any_of, array, floating, on_first


@beside_its_arrays
class BSpline:
    """A spline: the sum of c[j] B(j, k; t).

    Parameters: t: knots, which do not descend, as many as coefficients and k + 1 more; c: coefficients (n, ...); k:
        the degree, to 63; extrapolate: whether the first and last polynomials go on (True), NaN is there, or
        'periodic'; axis: the interpolation's axis of c.
    Errors: ValueError for shapes that do not fit, knots that descend or are not finite, a negative degree.

    Example:
        >>> cp.scipy.interpolate.BSpline(cp.asarray([0.0, 1, 2, 3]), cp.asarray([2.0, 4.0]), 1)(cp.asarray([1.5]))
        array([3.])
    """

    __class_getitem__ = classmethod(types.GenericAlias)

    _held = "c"

    def __init__(self, t, c, k, extrapolate=True, axis=0):
        self.k = k = operator.index(k)
        self.c, self.t = floating(c), _arrays.real(t)
        self.extrapolate = extrapolate if isinstance(extrapolate, str) and extrapolate == "periodic" \
            else bool(extrapolate)
        self.axis = _arrays.axis_of(axis, self.c.ndim)
        if self.axis:
            self.c = cuprite.moveaxis(self.c, self.axis, 0)
        if k < 0:
            raise ValueError("Spline order cannot be negative.")
        if self.t.ndim != 1:
            raise ValueError("Knot vector must be one-dimensional.")
        n = self.t.size - k - 1
        if n < k + 1:
            raise ValueError(f"Need at least {2 * k + 2} knots for degree {k}")
        if any_of(self.t[1:] < self.t[:-1]):
            raise ValueError("Knots must be in a non-decreasing order.")
        if not any_of(self.t[k + 1:n + 1] != self.t[k:n]):
            raise ValueError("Need at least two internal knots.")
        if not _arrays.finite(self.t):
            raise ValueError("Knots should not have nans or infs.")
        if self.c.shape[0] < n:
            raise ValueError("Knots, coefficients and degree are inconsistent.")
        self.c = cuprite.ascontiguousarray(self.c)

    @classmethod
    def construct_fast(cls, t, c, k, extrapolate=True, axis=0) -> BSpline:
        """The spline of arrays that are not checked.

        Parameters: t: knots, float64; c: coefficients (n, ...), float64 or complex128; k: the degree; extrapolate: as
            the constructor has it; axis: the interpolation's axis of results.
        """
        self = object.__new__(cls)
        self.t, self.c, self.k = array(t), array(c), k
        self.extrapolate, self.axis = extrapolate, axis
        return self

    @property
    def tck(self) -> tuple[ndarray, ndarray, int]:
        """(knots, coefficients, degree)."""
        return self.t, self.c, self.k

    @classmethod
    def basis_element(cls, t, extrapolate=True) -> BSpline:
        """The B-spline of these knots alone.

        Parameters: t: k + 2 knots; extrapolate: as the constructor has it.
        """
        t = _arrays.real(t)
        k = t.size - 2
        t = cuprite.concatenate([cuprite.full(k, t[0] - 1), t, cuprite.full(k, t[-1] + 1)])
        c = cuprite.zeros(t.size)
        c[k] = 1.0
        return cls.construct_fast(t, c, k, extrapolate)

    @classmethod
    def design_matrix(cls, x, t, k, extrapolate=False):
        """The sparse matrix of B-splines at places, (places, coefficients).

        Parameters: x: the places; t: the knots; k: the degree; extrapolate: whether places outside of the base count,
            or 'periodic'.
        Errors: ValueError for knots that descend or are too few, and places outside of them.
        """
        x, t, k = cuprite.atleast_1d(_arrays.real(x)), _arrays.real(t), operator.index(k)
        if k < 0:
            raise ValueError("Spline order cannot be negative.")
        if t.ndim != 1 or any_of(t[1:] < t[:-1]):
            raise ValueError(f"Expect t to be a 1-D sorted array_like, but got t={t}.")
        if t.size < 2 * k + 2:
            raise ValueError(f"Length t is not enough for k={k}.")
        if not (_arrays.finite(x) and _arrays.finite(t)):
            raise ValueError("Array must not contain infs or nans.")
        n = t.size - k - 1
        if isinstance(extrapolate, str) and extrapolate == "periodic":
            x = t[k] + (x - t[k]) % (t[n] - t[k])
        elif not extrapolate and any_of((x < t[k]) | (x > t[n])):
            raise ValueError(f"Out of bounds w/ x = {x}.")
        values, first = _splines.bspline_basis(t, k, x, 0)
        small = "int32" if x.size * (k + 1) < 2**31 - 1 else "int64"
        indices = (first[:, None] + cuprite.arange(k + 1)).astype(small)
        starts = cuprite.arange(0, (x.size + 1) * (k + 1), k + 1, dtype=small)
        return _arrays.sparse_rows(values.reshape(-1), indices.reshape(-1), starts, (x.size, n))

    def _at(self, x, nu, extrapolate) -> ndarray:
        c = self.c[:self.t.size - self.k - 1]
        return _splines.bspline_values(self.t, _arrays.columns(c, 1), self.k, x, nu, extrapolate)

    def __call__(self, x, nu=0, extrapolate=None) -> ndarray:
        """Values at places.

        Parameters: x: the places; nu: which derivative; extrapolate: whether the first and last polynomials go on,
            'periodic', or None: as constructed.
        """
        if extrapolate is None:
            extrapolate = self.extrapolate
        shape, x = _arrays.places_of(x)
        if isinstance(extrapolate, str) and extrapolate == "periodic":
            first, last = self.t[self.k], self.t[self.t.size - self.k - 1]
            x = first + (x - first) % (last - first)
            extrapolate = False
        values = _arrays.restored(self._at(x, nu, bool(extrapolate)), self.c, shape + self.c.shape[1:])
        return _arrays.axis_moved(values, len(shape), self.axis)

    def derivative(self, nu=1) -> BSpline:
        """The derivative, of one degree less.

        Parameters: nu: which.
        """
        return self.construct_fast(*splder(self._padded(), nu), extrapolate=self.extrapolate, axis=self.axis)

    def antiderivative(self, nu=1) -> BSpline:
        """The antiderivative, of one degree more.

        Parameters: nu: how often.
        """
        extrapolate = False if self.extrapolate == "periodic" else self.extrapolate
        return self.construct_fast(*splantider(self._padded(), nu), extrapolate=extrapolate, axis=self.axis)

    def _padded(self):
        more = self.t.size - self.c.shape[0]
        if more <= 0:
            return self.t, self.c, self.k
        return self.t, cuprite.concatenate([self.c, cuprite.zeros((more,) + self.c.shape[1:], type_of(self.c))]), self.k

    def integrate(self, a, b, extrapolate=None) -> ndarray:
        """The integral from a to b.

        Parameters: a: where it begins; b: where it ends; extrapolate: as a call has it; without, the spline is 0
            outside of its base.
        """
        if extrapolate is None:
            extrapolate = self.extrapolate
        a, b, sign = (float(a), float(b), 1) if not b < a else (float(b), float(a), -1)
        first, last = float(self.t[self.k]), float(self.t[self.t.size - self.k - 1])
        n = int((self.t[:self.t.size - self.k - 1] < last).sum())  # what begins at the base's end is 0 in it
        inner = self.construct_fast(self.t[:n + self.k + 1], self.c[:n], self.k)
        whole = self.construct_fast(*splantider(inner._padded(), 1))
        constant = None  # behind an interval that is empty
        if inner.t.size < self.t.size and b > last:
            constant = self.construct_fast(self.t, self.c, self.k)(cuprite.asarray(last + 1.0), extrapolate=True)

        def between(low, high):
            behind = 0.0 if constant is None or high <= last else constant * (high - max(low, last))
            low, high = (low, high) if constant is None else (min(low, last), min(high, last))
            ends = whole(cuprite.asarray([low, high]), extrapolate=True)
            return ends[1] - ends[0] + behind

        if isinstance(extrapolate, str) and extrapolate == "periodic":
            periods, left = divmod(b - a, last - first)
            result = periods * between(first, last)
            a = first + (a - first) % (last - first)
            b = a + left
            result = result + (between(a, b) if b <= last else between(a, last) + between(first, first + b - last))
        elif not extrapolate:
            result = between(max(a, first), min(b, last))
        else:
            result = between(a, b)
        return sign * result

    @classmethod
    def from_power_basis(cls, pp, bc_type="not-a-knot") -> BSpline:
        """The spline that a CubicSpline is, computed by SciPy on the host.

        Parameters: pp: a CubicSpline; bc_type: as it was constructed with: 'not-a-knot', 'natural', 'clamped' or
            'periodic'.
        Errors: NotImplementedError for anything but a CubicSpline; TypeError for another bc_type.
        """
        if not getattr(type(pp), "_is_spline", False):
            raise NotImplementedError(f"Only CubicSpline objects are accepted for now. Got {type(pp)} instead.")
        there = _arrays.scipy_interpolate()
        same = there.CubicSpline.construct_fast(pp.c.get(), pp.x.get(), pp.extrapolate, pp.axis)
        found = there.BSpline.from_power_basis(same, bc_type)
        return cls.construct_fast(found.t, found.c, found.k, found.extrapolate, found.axis)

    def insert_knot(self, x, m=1) -> BSpline:
        """The same spline with a knot more, computed by SciPy on the host.

        Parameters: x: the knot; m: how often.
        Errors: ValueError for a knot outside of the base, and for m below 1.
        """
        same = _arrays.scipy_interpolate().BSpline.construct_fast(self.t.get(), self.c.get(), self.k,
                                                                  self.extrapolate, self.axis)
        found = same.insert_knot(x, m)
        return self.construct_fast(found.t, found.c, self.k, self.extrapolate, self.axis)


def splder(tck, n=1) -> BSpline | tuple[ndarray, ndarray, int]:
    """The derivative of a spline (knots, coefficients, degree), as such a tuple.

    Parameters: tck: the spline, a tuple or a BSpline; n: which derivative; below 0 the antiderivative.
    Errors: ValueError for a derivative above the degree, and for knots inside that are repeated too often.
    """
    if isinstance(tck, BSpline):
        return tck.derivative(n)
    if n < 0:
        return splantider(tck, -n)
    t, c, k = _arrays.real(tck[0]), floating(tck[1]), tck[2]
    if n > k:
        raise ValueError(f"Order of derivative (n = {n!r}) must be <= order of spline (k = {k!r})")
    for _ in range(n):
        dt = t[k + 1:-1] - t[1:-k - 1]
        if any_of(dt == 0):
            raise ValueError(f"The spline has internal repeated knots and is not differentiable {n} times")
        c = (c[1:-1 - k] - c[:-2 - k]) * k / on_first(dt, c.ndim)
        c = cuprite.concatenate([c, cuprite.zeros((k,) + c.shape[1:], type_of(c))])
        t, k = t[1:-1], k - 1
    return t, c, k


def splantider(tck, n=1) -> BSpline | tuple[ndarray, ndarray, int]:
    """The antiderivative of a spline (knots, coefficients, degree), as such a tuple.

    Parameters: tck: the spline, a tuple or a BSpline; n: how often; below 0 the derivative.
    """
    if isinstance(tck, BSpline):
        return tck.antiderivative(n)
    if n < 0:
        return splder(tck, -n)
    t, c, k = _arrays.real(tck[0]), floating(tck[1]), tck[2]
    for _ in range(n):
        dt = t[k + 1:] - t[:-k - 1]
        c = cuprite.cumsum(c[:-k - 1] * on_first(dt, c.ndim), axis=0) / (k + 1)
        last = cuprite.broadcast_to(c[-1:], (k + 2,) + c.shape[1:])
        c = cuprite.concatenate([cuprite.zeros((1,) + c.shape[1:], type_of(c)), c, last])
        t, k = cuprite.concatenate([t[:1], t, t[-1:]]), k + 1
    return t, c, k


def of_scipy(spline) -> BSpline:
    """A BSpline of SciPy's as one of ours."""
    return BSpline.construct_fast(cuprite.asarray(spline.t), cuprite.asarray(spline.c), spline.k, spline.extrapolate,
                                  spline.axis)
