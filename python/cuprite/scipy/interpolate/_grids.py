"""Interpolation on rectilinear grids, and tensor products of B-splines."""
from __future__ import annotations

import math
import operator
import types

import cuprite
from cuprite import _numpy as numpy
from cuprite import _splines, ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.scipy.interpolate import _arrays
from cuprite.scipy.interpolate._arrays import any_of, array, floating
from cuprite.scipy.interpolate._bsplines import BSpline
from cuprite.scipy.interpolate._cubic import PchipInterpolator
from cuprite.scipy.interpolate._interpolating import make_interp_spline
from cuprite.scipy.interpolate._several import coordinates


def _degrees(k, ndim):
    try:
        k = tuple(operator.index(v) for v in k)
    except TypeError:
        k = (operator.index(k),) * ndim
    if len(k) != ndim:
        raise ValueError(f"len(t) = {ndim} != len(k) = {len(k)}.")
    return k


def _check_knots(t, k):
    for d, (knots, degree) in enumerate(zip(t, k)):
        n = knots.shape[0] - degree - 1 if knots.ndim else 0
        if degree < 0:
            raise ValueError(f"Spline degree in dimension {d} cannot be negative.")
        if knots.ndim != 1:
            raise ValueError(f"Knot vector in dimension {d} must be one-dimensional.")
        if n < degree + 1:
            raise ValueError(f"Need at least {2 * degree + 2} knots for degree {degree} in dimension {d}.")
        if any_of(knots[1:] < knots[:-1]):
            raise ValueError(f"Knots in dimension {d} must be in a non-decreasing order.")
        if not any_of(knots[degree + 1:n + 1] != knots[degree:n]):
            raise ValueError(f"Need at least two internal knots in dimension {d}.")
        if not _arrays.finite(knots):
            raise ValueError(f"Knots in dimension {d} should not have nans or infs.")


@beside_its_arrays
class NdBSpline:
    """A tensor product of splines: the sum of c[i, j, ...] B(i; t[0]) B(j; t[1]) ....

    Parameters: t: the knots of each variable; c: coefficients (n1, n2, ..., ...); k: the degrees, or one; extrapolate:
        whether outer polynomials go on (True, None); else NaN is there.
    Errors: ValueError for shapes that do not fit, knots that descend or are not finite, negative degrees.
    """

    __class_getitem__ = classmethod(types.GenericAlias)

    _held = "c"

    def __init__(self, t, c, k, *, extrapolate=None):
        self.t = tuple(_arrays.real(v) for v in t)
        ndim = len(self.t)
        self.k, self.c = _degrees(k, ndim), cuprite.ascontiguousarray(floating(c))
        self.extrapolate = True if extrapolate is None else bool(extrapolate)
        _check_knots(self.t, self.k)
        if self.c.ndim < ndim:
            raise ValueError(f"Coefficients must be at least {ndim}-dimensional.")
        for d in range(ndim):
            n = self.t[d].size - self.k[d] - 1
            if self.c.shape[d] != n:
                raise ValueError(f"Knots, coefficients and degree in dimension {d} are inconsistent: got "
                                 f"{self.c.shape[d]} coefficients for {self.t[d].size} knots, need at least {n} for "
                                 f"k={self.k[d]}.")

    def __call__(self, xi, *, nu=None, extrapolate=None) -> ndarray:
        """Values at places.

        Parameters: xi: the places, coordinates along the last axis; nu: which derivative of each variable;
            extrapolate: as the constructor has it; None: as constructed.
        Errors: ValueError for another number of coordinates or derivatives, and negative derivatives.
        """
        ndim = len(self.t)
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        nu = [0] * ndim if nu is None else [operator.index(v) for v in numpy.atleast_1d(_arrays.host(nu)).tolist()]
        if len(nu) != ndim:
            raise ValueError(f"invalid number of derivative orders nu = {nu} for ndim = {ndim}.")
        if any(v < 0 for v in nu):
            raise ValueError(f"derivatives must be positive, got nu = {nu}")
        xi = _arrays.real(xi)
        if xi.ndim == 0 or xi.shape[-1] != ndim:
            raise ValueError(f"Shapes: xi.shape={xi.shape} and ndim={ndim}")
        places = xi.reshape(math.prod(xi.shape[:-1]), ndim)
        found = _splines.ndbspline_values(list(self.t), list(self.k), _arrays.columns(self.c, ndim), places, nu,
                                          extrapolate)
        return _arrays.restored(found, self.c, xi.shape[:-1] + self.c.shape[ndim:])

    def derivative(self, nu) -> NdBSpline:
        """The spline that is a partial derivative.

        Parameters: nu: which derivative of each variable.
        Errors: ValueError for another number of derivatives, and negative ones.
        """
        ndim, t, c, k = len(self.t), list(self.t), self.c, list(self.k)
        orders = numpy.asarray(_arrays.host(nu)).astype("int64")
        if orders.shape != (ndim,):
            raise ValueError(f"invalid number of derivative orders nu = {nu} for ndim = {ndim}.")
        if (orders < 0).any():
            raise ValueError(f"derivative orders must be positive, got nu = {nu}")
        for d, n in enumerate(orders.tolist()):
            if n > k[d]:  # 0, of degree 0 on the same knots
                c, k[d] = cuprite.zeros(c.shape[:d] + (t[d].size - 1,) + c.shape[d + 1:], type_of(c)), 0
            elif n:
                along = BSpline.construct_fast(t[d], cuprite.moveaxis(c, d, 0), k[d]).derivative(n)
                t[d], k[d] = along.t, along.k
                c = cuprite.moveaxis(along.c[:along.t.size - along.k - 1], 0, d)
        return NdBSpline(tuple(t), c, tuple(k), extrapolate=self.extrapolate)

    @classmethod
    def design_matrix(cls, xvals, t, k, extrapolate=True):
        """The sparse matrix of products of B-splines at places, (places, coefficients).

        Parameters: xvals: the places (places, variables); t: the knots of each variable; k: the degrees, or one;
            extrapolate: whether places outside of the base count.
        Errors: ValueError for knots that descend or are too few, and other coordinates.
        """
        x = _arrays.real(xvals)
        t = tuple(_arrays.real(v) for v in t)
        ndim = len(t)
        if x.ndim != 2:
            raise ValueError(f"Places are an array of 2 dimensions, not of {x.ndim}.")
        n = x.shape[0]
        if x.shape[-1] != ndim:
            raise ValueError(f"Data and knots are inconsistent: len(t) = {ndim} for  ndim = {x.shape[-1]}.")
        k = _degrees(k, ndim)
        _check_knots(t, k)
        values, indices, size = cuprite.ones((n, 1)), cuprite.zeros((n, 1), "int64"), 1
        for d in range(ndim):
            count = t[d].size - k[d] - 1
            if not extrapolate and any_of((x[:, d] < t[d][k[d]]) | (x[:, d] > t[d][count])):
                raise ValueError(f"Out of bounds w/ x = {x}.")
            one, first = _splines.bspline_basis(t[d], k[d], cuprite.ascontiguousarray(x[:, d]), 0)
            more = first[:, None] + cuprite.arange(k[d] + 1)
            width = values.shape[1] * (k[d] + 1)
            values = (values[:, :, None] * one[:, None, :]).reshape(n, width)
            indices = (indices[:, :, None] * count + more[:, None, :]).reshape(n, width)
            size *= count
        width = values.shape[1]
        return _arrays.sparse_rows(values.reshape(-1), indices.reshape(-1), cuprite.arange(0, n * width + 1, width),
                                   (n, size))


_DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5, "slinear_legacy": 1, "cubic_legacy": 3, "quintic_legacy": 5,
            "pchip": 3}


@beside_its_arrays
class RegularGridInterpolator:
    """Interpolation on a rectilinear grid.

    Parameters: points: the coordinates along each axis, ascending or descending; values: at the grid's points, with
        further axes behind; method: 'linear', 'nearest', 'slinear', 'cubic', 'quintic' or 'pchip'; bounds_error:
        whether places outside are an error; fill_value: the value outside (None: extrapolation); solver and
        solver_args: of SciPy; splines are solved exactly here.
    Errors: ValueError for shapes that do not fit, coordinates that coincide or are not sorted, too few points for the
        method, places outside, and another method.

    Example:
        >>> grid = cp.asarray([0.0, 1.0]), cp.asarray([0.0, 2.0])
        >>> f = cp.scipy.interpolate.RegularGridInterpolator(grid, cp.asarray([[0.0, 2.0], [1.0, 3.0]]))
        >>> f(cp.asarray([[0.5, 1.0]]))
        array([1.5])
    """

    __class_getitem__ = classmethod(types.GenericAlias)

    _held = "values"
    _ALL_METHODS = ["linear", "nearest", *_DEGREES]

    def __init__(self, points, values, method="linear", bounds_error=True, fill_value=cuprite.nan, *, solver=None,
                 solver_args=None):
        if method not in self._ALL_METHODS:
            raise ValueError(f"Method '{method}' is not defined")
        if (solver is not None or solver_args) and method not in ("slinear", "cubic", "quintic"):
            raise ValueError(f"method ='{method}' does not accept the 'solver' argument. Got  solver = {solver} and "
                             f"with arguments {solver_args}.")
        self.method, self.bounds_error = method, bounds_error
        self.values = values = array(values)
        if type_of(values).kind not in "fc":
            self.values = values = values.astype("float64")
        self.grid = self._sorted_grid(points)
        if fill_value is not None and type(fill_value) is not float and not (
                type(fill_value) is int and abs(fill_value) < 2**63):
            kind = numpy.asarray(_arrays.host(fill_value)).dtype
            if not numpy.can_cast(kind, type_of(values), casting="same_kind"):
                raise ValueError("fill_value must be either 'None' or of a type compatible with values")
        self.fill_value = fill_value
        if method == "pchip" and type_of(values).kind == "c":
            raise ValueError("`PchipInterpolator` only works with real values.")
        self._kept = {}
        if method in _DEGREES:
            self._check_size(method)
            if method != "pchip":
                self._spline(method)

    def _sorted_grid(self, points):
        grid, turned = [], []
        if len(points) > self.values.ndim:
            raise ValueError(f"There are {len(points)} point arrays, but values has {self.values.ndim} dimensions")
        for i, p in enumerate(points):
            p = _arrays.real(p)
            if p.ndim != 1:
                raise ValueError(f"The points in dimension {i} must be 1-dimensional")
            if p.size != self.values.shape[i]:
                raise ValueError(f"There are {p.size} points and {self.values.shape[i]} values in dimension {i}")
            if not bool((p[1:] > p[:-1]).all()):
                if not bool((p[1:] < p[:-1]).all()):
                    raise ValueError(f"The points in dimension {i} must be strictly ascending or descending")
                p = cuprite.ascontiguousarray(p[::-1])
                turned.append(i)
            grid.append(p)
        if turned:
            self.values = cuprite.ascontiguousarray(cuprite.flip(self.values, turned))
        return tuple(grid)

    def _check_size(self, method):
        k = _DEGREES[method]
        for i, p in enumerate(self.grid):
            if p.size <= k:
                raise ValueError(f"There are {p.size} points in dimension {i}, but method {method} requires at least "
                                 f"{k + 1} points per dimension.")

    def _spline(self, method):
        """The tensor product of splines through the values: one axis after the other."""
        if method not in self._kept:
            c, knots, k = self.values, [], _DEGREES[method]
            for d, p in enumerate(self.grid):
                one = make_interp_spline(p, c, k=k, axis=d)
                c = cuprite.moveaxis(one.c, 0, d)
                knots.append(one.t)
            self._kept[method] = NdBSpline(knots, c, k)
        return self._kept[method]

    def _places(self, xi):
        ndim = len(self.grid)
        xi = coordinates(xi, ndim)
        if xi.ndim == 0 or xi.shape[-1] != ndim:
            given = xi.shape[-1] if xi.ndim else 0
            raise ValueError(f"The requested sample points xi have dimension {given}, but this "
                             f"RegularGridInterpolator has dimension {ndim}")
        places = xi.reshape(math.prod(xi.shape[:-1]), ndim)
        if self.bounds_error and places.size:
            low, high = places.min(axis=0), places.max(axis=0)
            for i, p in enumerate(self.grid):
                if not bool((p[0] <= low[i]) & (high[i] <= p[-1])):
                    raise ValueError(f"One of the requested xi is out of bounds in dimension {i}")
        return xi.shape[:-1], places

    def _is_outside(self, places) -> ndarray:
        outside = False
        for i, p in enumerate(self.grid):
            outside = outside | (places[:, i] < p[0]) | (places[:, i] > p[-1])
        return outside

    def __call__(self, xi, method=None, *, nu=None) -> ndarray:
        """Values at places.

        Parameters: xi: the places, coordinates along the last axis; method: another than constructed with; nu: which
            derivative of each axis, of splines.
        Errors: ValueError for another number of coordinates, places outside, another method, and derivatives of other
            methods than splines.
        """
        method = self.method if method is None else method
        if method not in self._ALL_METHODS:
            raise ValueError(f"Method '{method}' is not defined")
        if nu is not None and method not in ("slinear", "cubic", "quintic"):
            raise ValueError("Can only compute derivatives for methods ['slinear', 'cubic', 'quintic'], got "
                             f"method ='{method}'.")
        shape, places = self._places(xi)
        ndim, values, fill = len(self.grid), self.values, self.fill_value
        fills = not self.bounds_error and fill is not None
        shape += values.shape[ndim:]
        if method in ("linear", "nearest"):
            found = _splines.grid_values(list(self.grid), _arrays.columns(floating(values), ndim), places,
                                         method == "nearest", not fills or not isinstance(fill, float) or fill == fill)
            found = _arrays.restored(found, values, (places.shape[0],) + values.shape[ndim:])
        else:
            self._check_size(method)
            found = self._by_pchip(places) if method == "pchip" else self._spline(method)(places, nu=nu)
        lines = (-1,) + (1,) * (found.ndim - 1)
        if fills and not (method in ("linear", "nearest") and isinstance(fill, float) and fill != fill
                          and type_of(values).kind == "f"):
            found = cuprite.where(self._is_outside(places).reshape(lines), fill, found)
        if method not in ("linear", "nearest"):
            found = cuprite.where(cuprite.isnan(places).any(axis=1).reshape(lines), cuprite.nan, found)
        if method in ("nearest", "pchip"):
            found = found.astype(type_of(values), copy=False)
        return found.reshape(shape)

    def _by_pchip(self, places) -> ndarray:
        """One axis after the other, from the last: the first for all places at once, the others place by place."""
        last = len(self.grid) - 1
        at = cuprite.nan_to_num(places)
        folded = PchipInterpolator(self.grid[last], floating(self.values), axis=last)(at[:, last])
        folded = cuprite.moveaxis(folded, last, 0)  # (places, n1, ..., n of the last but one, ...)
        for d in range(last - 1, -1, -1):
            count = places.shape[0]
            rows = cuprite.moveaxis(folded, d + 1, 0)  # (n, places, ...)
            one = PchipInterpolator(self.grid[d], rows, axis=0)
            which = cuprite.clip(cuprite.searchsorted(self.grid[d], at[:, d], side="right") - 1, 0,
                                 self.grid[d].size - 2)
            c = one.c[:, which, cuprite.arange(count)]  # (4, places, ...)
            s = _arrays.on_first(at[:, d] - self.grid[d][which], c.ndim - 1)
            folded = ((c[0] * s + c[1]) * s + c[2]) * s + c[3]
        return folded


@beside_its_arrays
def interpn(points, values, xi, method="linear", bounds_error=True, fill_value=cuprite.nan) -> ndarray:
    """Interpolation on a rectilinear grid: a RegularGridInterpolator, or SciPy's 'splinef2d' on the host.

    Parameters: points: the coordinates along each axis; values: at the grid's points; xi: the places, coordinates along
        the last axis; method: 'linear', 'nearest', 'slinear', 'cubic', 'quintic', 'pchip' or 'splinef2d'; bounds_error:
        whether places outside are an error; fill_value: the value outside (None: extrapolation).
    Errors: ValueError for shapes that do not fit, coordinates that coincide or are not sorted, places outside, and
        another method.
    """
    if method not in (*RegularGridInterpolator._ALL_METHODS, "splinef2d"):
        raise ValueError("interpn only understands the methods 'linear', 'nearest', 'slinear', 'cubic', 'quintic', "
                         f"'pchip', and 'splinef2d'. You provided {method}.")
    if method == "splinef2d":
        there = _arrays.scipy_interpolate().interpn
        xi = tuple(map(_arrays.host, xi)) if isinstance(xi, tuple) else _arrays.host(xi)
        return cuprite.asarray(there(tuple(map(_arrays.host, points)), _arrays.host(values), xi, method, bounds_error,
                                     fill_value))
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)
