"""Piecewise polynomials of several variables."""
from __future__ import annotations

import math

import cuprite
from cuprite import _numpy as numpy
from cuprite import _splines, ndarray
from cuprite._beside import beside_its_arrays
from cuprite.scipy.interpolate import _arrays
from cuprite.scipy.interpolate._arrays import any_of, array, floating
from cuprite.scipy.interpolate._polynomials import PPoly


def coordinates(points, ndim=None) -> ndarray:
    """Places as an array whose last axis is the coordinates: an array, or a tuple of arrays of coordinates."""
    if isinstance(points, tuple) and len(points) == 1:
        points = points[0]
    if isinstance(points, tuple):
        return cuprite.stack([_arrays.real(v) for v in cuprite.broadcast_arrays(*map(array, points))], axis=-1)
    points = _arrays.real(points)
    if points.ndim == 1:
        return points.reshape(-1, 1) if ndim is None else points.reshape(-1, ndim)
    return points


@beside_its_arrays
class NdPPoly:
    """Piecewise polynomials of several variables, of powers of the distances to the cell's first corner.

    Parameters: c: coefficients (orders ..., cells ..., ...), the highest powers first; x: the breakpoints of each
        variable, ascending; extrapolate: whether the outer polynomials go on; else NaN is there.
    Errors: ValueError for shapes that do not fit and breakpoints that descend.
    """

    _held = "c"

    def __init__(self, c, x, extrapolate=None):
        self.x = tuple(_arrays.real(v) for v in x)
        self.c = cuprite.ascontiguousarray(floating(c))
        self.extrapolate = True if extrapolate is None else bool(extrapolate)
        ndim = len(self.x)
        if any(v.ndim != 1 for v in self.x):
            raise ValueError("x arrays must all be 1-dimensional")
        if any(v.size < 2 for v in self.x):
            raise ValueError("x arrays must all contain at least 2 points")
        if self.c.ndim < 2 * ndim:
            raise ValueError("c must have at least 2*len(x) dimensions")
        if any(any_of(v[1:] < v[:-1]) for v in self.x):
            raise ValueError("x-coordinates are not in increasing order")
        if any(a != b.size - 1 for a, b in zip(self.c.shape[ndim:2 * ndim], self.x)):
            raise ValueError("x and c do not agree on the number of intervals")

    @classmethod
    def construct_fast(cls, c, x, extrapolate=None) -> NdPPoly:
        """The polynomials of arrays that are not checked.

        Parameters: c: coefficients; x: breakpoints; extrapolate: as the constructor has it.
        """
        self = object.__new__(cls)
        self.c, self.x = array(c), tuple(array(v) for v in x)
        self.extrapolate = True if extrapolate is None else extrapolate
        return self

    def __call__(self, x, nu=None, extrapolate=None) -> ndarray:
        """Values at places.

        Parameters: x: the places, coordinates along the last axis; nu: which derivative of each variable; extrapolate:
            as the constructor has it; None: as constructed.
        Errors: ValueError for other lengths of nu.
        """
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        ndim = len(self.x)
        x = coordinates(x)
        nu = [0] * ndim if nu is None else [int(v) for v in _arrays.host(nu).ravel()]
        if len(nu) != ndim:
            raise ValueError("invalid number of derivative orders nu")
        places = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
        found = _splines.ndppoly_values(list(self.x), _arrays.columns(self.c, 2 * ndim), places, nu, extrapolate)
        return _arrays.restored(found, self.c, x.shape[:-1] + self.c.shape[2 * ndim:])

    def _along(self, axis):
        """The same as polynomials of one variable, its two axes first."""
        ndim = len(self.x)
        axis %= ndim
        order = [axis, ndim + axis] + [i for i in range(self.c.ndim) if i not in (axis, ndim + axis)]
        return PPoly.construct_fast(self.c.transpose(order), self.x[axis], self.extrapolate), numpy.argsort(order)

    def _each(self, nu, method):
        result = self
        for axis, n in enumerate(nu):
            one, back = result._along(axis)
            c = cuprite.ascontiguousarray(getattr(one, method)(n).c.transpose(*back))
            result = self.construct_fast(c, self.x, self.extrapolate)
        return result

    def derivative(self, nu) -> NdPPoly:
        """The derivative.

        Parameters: nu: which of each variable; below 0 the antiderivative.
        """
        return self._each([int(v) for v in nu], "derivative")

    def antiderivative(self, nu) -> NdPPoly:
        """The antiderivative, continuous and 0 at the first breakpoints.

        Parameters: nu: how often of each variable; below 0 the derivative.
        """
        return self._each([int(v) for v in nu], "antiderivative")

    def integrate_1d(self, a, b, axis, extrapolate=None) -> NdPPoly | ndarray:
        """The integral along one variable: NdPPoly of the others, or an array where there are none.

        Parameters: a: where it begins; b: where it ends; axis: which variable; extrapolate: as a call has it.
        """
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        ndim = len(self.x)
        axis = int(axis) % ndim
        one, _ = self._along(axis)
        found = one.integrate(a, b, extrapolate)
        if ndim == 1:
            return found.reshape(found.shape)
        return self.construct_fast(found, self.x[:axis] + self.x[axis + 1:], extrapolate)

    def integrate(self, ranges, extrapolate=None) -> ndarray:
        """The integral over a box.

        Parameters: ranges: (from, to) of each variable; extrapolate: as a call has it.
        Errors: ValueError for another number of ranges.
        """
        if not hasattr(ranges, "__len__") or len(ranges) != len(self.x):
            raise ValueError("Range not a sequence of correct length")
        p = self
        for a, b in ranges:
            p = p.integrate_1d(float(a), float(b), 0, extrapolate)
        return p
