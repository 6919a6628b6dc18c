"""Interpolation of scattered points: nearest, linear and cubic on a triangulation."""
from __future__ import annotations

import math
import types

import cuprite
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.scipy.interpolate import _arrays
from cuprite.scipy.interpolate._arrays import array, floating, host
from cuprite.scipy.interpolate._several import coordinates


@beside_its_arrays
class _Scattered:
    """Points, their values with further axes, and how places are read."""

    __class_getitem__ = classmethod(types.GenericAlias)

    _held = "points"

    def _take(self, given, values, rescale, needs=2):
        self.points = coordinates(given)
        values = array(values)
        if self.points.ndim != 2:
            raise ValueError("invalid shape for input data points")
        if values.ndim == 0 or values.shape[0] != self.points.shape[0]:
            raise ValueError("different number of values and points")
        if self.points.shape[1] < needs:
            raise ValueError("input data must be at least 2-D")
        self.values_shape, self.values = values.shape[1:], values
        self.offset = self.scale = None
        if rescale:
            self.offset = self.points.mean(axis=0)
            self.points = self.points - self.offset
            extent = self.points.max(axis=0) - self.points.min(axis=0)
            self.scale = cuprite.where(extent > 0, extent, 1.0)
            self.points = self.points / self.scale

    def _places(self, args):
        xi = coordinates(args if len(args) > 1 else args[0], self.points.shape[1])
        if xi.shape[-1] != self.points.shape[1]:
            raise ValueError("number of dimensions in xi does not match x")
        if self.scale is not None:
            xi = (xi - self.offset) / self.scale
        return xi.shape[:-1], xi.reshape(math.prod(xi.shape[:-1]), xi.shape[-1])


@beside_its_arrays
class NearestNDInterpolator(_Scattered):
    """The value of the nearest point.

    Parameters: x: the points (points, dimensions), or a tuple of coordinates; y: their values; rescale: whether each
        dimension is scaled by its extent; tree_options: of KDTree.
    Errors: ValueError for shapes that do not fit.

    Example:
        >>> f = cp.scipy.interpolate.NearestNDInterpolator(cp.asarray([[0.0, 0], [1, 1]]), cp.asarray([5.0, 7.0]))
        >>> f(cp.asarray([[0.9, 0.8]]))
        array([7.])
    """

    def __init__(self, x, y, rescale=False, tree_options=None):
        from cuprite.scipy.spatial import KDTree
        self._take(x, y, rescale, 1)
        self.values = floating(self.values)
        self.tree = KDTree(self.points, **(tree_options or {}))

    def __call__(self, *args, **query_options) -> ndarray:
        """Values at places.

        Parameters: args: the places, or their coordinates one by one; query_options: of KDTree.query.
        Errors: ValueError for another number of coordinates.
        """
        shape, at = self._places(args)
        distance, which = self.tree.query(at, **query_options)
        beyond = cuprite.isinf(distance)
        found = self.values[cuprite.where(beyond, 0, which)]
        if query_options and bool(beyond.any()):
            found = cuprite.where(beyond.reshape((-1,) + (1,) * (found.ndim - 1)), cuprite.nan, found)
        return found.reshape(shape + self.values_shape)


@beside_its_arrays
class _OnTriangles(_Scattered):
    def _triangulate(self, points, values, fill_value, rescale):
        from cuprite.scipy.spatial import Delaunay
        if isinstance(points, Delaunay):
            if rescale:
                raise ValueError("Rescaling is not supported when passing a Delaunay triangulation as ``points``.")
            self._take(points.points, values, False)
            self.tri = points
        else:
            self._take(points, values, rescale)
            self.tri = Delaunay(self.points)
        self.values = floating(self.values)
        self.fill_value = complex(fill_value) if type_of(self.values).kind == "c" else float(fill_value)

    def _finished(self, found, which, shape) -> ndarray:
        outside = (which < 0).reshape((-1,) + (1,) * (found.ndim - 1))
        return cuprite.where(outside, self.fill_value, found).reshape(shape + self.values_shape)


@beside_its_arrays
class LinearNDInterpolator(_OnTriangles):
    """Linear interpolation on Delaunay's triangulation of points.

    Parameters: points: (points, dimensions), a tuple of coordinates, or a Delaunay; values: their values; fill_value:
        the value outside of the hull; rescale: whether each dimension is scaled by its extent.
    Errors: ValueError for shapes that do not fit and one dimension; QhullError for points in a plane.

    Example:
        >>> points = cp.asarray([[0.0, 0], [1, 0], [0, 1]])
        >>> cp.scipy.interpolate.LinearNDInterpolator(points, cp.asarray([0.0, 1, 2]))(cp.asarray([[0.25, 0.5]]))
        array([1.25])
    """

    def __init__(self, points, values, fill_value=cuprite.nan, rescale=False):
        self._triangulate(points, values, fill_value, rescale)

    def __call__(self, *args) -> ndarray:
        """Values at places.

        Parameters: args: the places, or their coordinates one by one.
        Errors: ValueError for another number of coordinates.
        """
        shape, at = self._places(args)
        which, parts = self.tri._located(at)
        corners = self.tri.simplices[cuprite.maximum(which, 0)]
        found = 0
        for i in range(corners.shape[1]):
            found = found + _arrays.on_first(parts[:, i], self.values.ndim) * self.values[corners[:, i]]
        return self._finished(found, which, shape)


@beside_its_arrays
class CloughTocher2DInterpolator(_OnTriangles):
    """Cubic interpolation with a continuous gradient on Delaunay's triangulation of points in the plane.

    SciPy estimates the gradients on the host; values are computed on the device.

    Parameters: points: (points, 2), a tuple of coordinates, or a Delaunay; values: their values; fill_value: the value
        outside of the hull; tol: of the gradients; maxiter: how many steps these take at most; rescale: whether each
        dimension is scaled by its extent.
    Errors: ValueError for shapes that do not fit and other than 2 dimensions; QhullError for points in a line.
    """

    def __init__(self, points, values, fill_value=cuprite.nan, tol=1e-6, maxiter=400, rescale=False):
        self._triangulate(points, values, fill_value, rescale)
        if self.points.shape[1] != 2:
            raise ValueError("this mode of interpolation is available only for 2-D data")
        there = _arrays.scipy_interpolate().CloughTocher2DInterpolator(
            self.tri._there, host(self.values), tol=tol, maxiter=maxiter)
        self.grad = cuprite.asarray(there.grad).reshape(self.values.shape + (2,))  # by point

    def _sides(self) -> ndarray:
        """For each triangle and corner the direction along which the gradient across the opposite side is linear: the
        weights of the neighbour's centre, or -1/2 at the hull."""
        if "_across" not in self.__dict__:
            tri, n = self.tri, self.tri.neighbors
            centre = self.points[tri.simplices].mean(axis=1)
            far = centre[cuprite.maximum(n, 0)]
            t = tri.transform
            weights = []
            for k in range(3):
                d = far[:, k] - t[:, 2]
                c0, c1 = ((t[:, i] * d).sum(axis=1) for i in (0, 1))
                c = [c0, c1, 1 - c0 - c1]
                a, b = c[(k + 1) % 3], c[(k + 2) % 3]
                g = (2 * b + a - 1) / (2 - 3 * b - 3 * a)
                weights.append(cuprite.where(n[:, k] < 0, -0.5, g))
            self._across = cuprite.stack(weights, axis=1)
        return self._across

    def __call__(self, *args) -> ndarray:
        """Values at places.

        Parameters: args: the places, or their coordinates one by one.
        Errors: ValueError for another number of coordinates.
        """
        shape, at = self._places(args)
        which, parts = self.tri._located(at)
        inside = cuprite.maximum(which, 0)
        corners = self.tri.simplices[inside]
        ndim = self.values.ndim
        f = [self.values[corners[:, i]] for i in range(3)]
        slope = self.grad[corners]  # (places, 3, ..., 2)
        across = self._sides()[inside]
        b = [_arrays.on_first(parts[:, i], ndim) for i in range(3)]
        g = [_arrays.on_first(across[:, i], ndim) for i in range(3)]
        xy = self.points[corners]
        edges = {(i, j): xy[:, j] - xy[:, i] for i in range(3) for j in range(3) if i != j}
        df = {(i, j): (slope[:, i] * e.reshape((-1,) + (1,) * (ndim - 1) + (2,))).sum(axis=-1)
              for (i, j), e in edges.items()}
        return self._finished(_clough_tocher(b, f, df, g), which, shape)


def _clough_tocher(b, f, df, g) -> ndarray:
    """The cubic of the third of the triangle that a place lies in, from values f, derivatives df[i, j] along the edge
    from corner i to j, and the directions g across the sides."""
    c3000, c0300, c0030 = f
    c2100, c2010 = (df[0, 1] + 3 * f[0]) / 3, (df[0, 2] + 3 * f[0]) / 3
    c1200, c0210 = (df[1, 0] + 3 * f[1]) / 3, (df[1, 2] + 3 * f[1]) / 3
    c1020, c0120 = (df[2, 0] + 3 * f[2]) / 3, (df[2, 1] + 3 * f[2]) / 3
    c2001 = (c2100 + c2010 + c3000) / 3
    c0201 = (c1200 + c0300 + c0210) / 3
    c0021 = (c1020 + c0120 + c0030) / 3
    c0111 = (g[0] * (-c0300 + 3 * c0210 - 3 * c0120 + c0030)
             + (-c0300 + 2 * c0210 - c0120 + c0021 + c0201)) / 2
    c1011 = (g[1] * (-c0030 + 3 * c1020 - 3 * c2010 + c3000)
             + (-c0030 + 2 * c1020 - c2010 + c2001 + c0021)) / 2
    c1101 = (g[2] * (-c3000 + 3 * c2100 - 3 * c1200 + c0300)
             + (-c3000 + 2 * c2100 - c1200 + c2001 + c0201)) / 2
    c1002 = (c1101 + c1011 + c2001) / 3
    c0102 = (c1101 + c0111 + c0201) / 3
    c0012 = (c1011 + c0111 + c0021) / 3
    c0003 = (c1002 + c0102 + c0012) / 3
    least = cuprite.minimum(cuprite.minimum(b[0], b[1]), b[2])
    b1, b2, b3, b4 = b[0] - least, b[1] - least, b[2] - least, 3 * least
    return (b1 ** 3 * c3000 + 3 * b1 ** 2 * b2 * c2100 + 3 * b1 ** 2 * b3 * c2010 + 3 * b1 ** 2 * b4 * c2001
            + 3 * b1 * b2 ** 2 * c1200 + 6 * b1 * b2 * b4 * c1101 + 3 * b1 * b3 ** 2 * c1020
            + 6 * b1 * b3 * b4 * c1011 + 3 * b1 * b4 ** 2 * c1002 + b2 ** 3 * c0300 + 3 * b2 ** 2 * b3 * c0210
            + 3 * b2 ** 2 * b4 * c0201 + 3 * b2 * b3 ** 2 * c0120 + 6 * b2 * b3 * b4 * c0111
            + 3 * b2 * b4 ** 2 * c0102 + b3 ** 3 * c0030 + 3 * b3 ** 2 * b4 * c0021 + 3 * b3 * b4 ** 2 * c0012
            + b4 ** 3 * c0003)


@beside_its_arrays
def griddata(points, values, xi, method="linear", fill_value=cuprite.nan, rescale=False) -> ndarray:
    """Interpolation of scattered points.

    Parameters: points: (points, dimensions), or a tuple of coordinates; values: their values; xi: the places, or a
        tuple of coordinates; method: 'nearest', 'linear' or 'cubic'; fill_value: the value outside of the hull;
        rescale: whether each dimension is scaled by its extent.
    Errors: ValueError for shapes that do not fit, and another method.
    """
    points = coordinates(points)
    ndim = points.shape[-1] if points.ndim > 1 else 1
    if ndim == 1 and method in ("nearest", "linear", "cubic"):
        from cuprite.scipy.interpolate._lines import interp1d
        points = points.reshape(points.size)
        if isinstance(xi, tuple):
            if len(xi) != 1:
                raise ValueError("invalid number of dimensions in xi")
            xi, = xi
        order = cuprite.argsort(points)
        fill = "extrapolate" if method == "nearest" else fill_value
        return interp1d(points[order], array(values)[order], method, axis=0, bounds_error=False, fill_value=fill)(xi)
    if method == "nearest":
        return NearestNDInterpolator(points, values, rescale)(xi)
    if method == "linear":
        return LinearNDInterpolator(points, values, fill_value, rescale)(xi)
    if method == "cubic" and ndim == 2:
        return CloughTocher2DInterpolator(points, values, fill_value, rescale=rescale)(xi)
    raise ValueError(f"Unknown interpolation method {method!r} for {ndim} dimensional data")
