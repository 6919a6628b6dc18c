"""interp1d: steps, lines and splines through points."""
from __future__ import annotations

import cuprite
from cuprite import _numpy as numpy
from cuprite import _splines, ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import common_type, type_of
from cuprite.scipy.interpolate import _arrays
from cuprite.scipy.interpolate._arrays import any_of, floating
from cuprite.scipy.interpolate._interpolating import make_interp_spline
from cuprite.scipy.interpolate._points import Interpolator

_ORDERS = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}


def _extrapolates(fill_value):
    return isinstance(fill_value, str) and fill_value == "extrapolate"


def _broadcast(value, shape, name) -> ndarray:
    value = floating(value)
    try:
        return cuprite.broadcast_to(value, shape).reshape(-1)
    except ValueError as why:
        raise ValueError(f"{name} argument must be able to broadcast up to shape {shape} but had shape {value.shape}"
                         ) from why


@beside_its_arrays
class interp1d(Interpolator):
    """Interpolation along an axis: steps, lines or splines through points.

    Parameters: x: the points; y: their values; kind: 'linear', 'nearest', 'nearest-up', 'zero', 'slinear', 'quadratic',
        'cubic', 'previous', 'next', or a spline's degree; axis: of y; copy: whether arrays are copied; bounds_error:
        whether places outside are an error (None: where no fill_value is given); fill_value: the values outside, one
        or (below, above), or 'extrapolate'; assume_sorted: whether x ascends.
    Errors: ValueError for shapes that do not fit, too few points, places outside; NotImplementedError for another kind.

    Example:
        >>> f = cp.scipy.interpolate.interp1d(cp.asarray([0.0, 1, 2]), cp.asarray([0.0, 10, 40]))
        >>> f(cp.asarray([0.5, 1.5]))
        array([ 5., 25.])
    """

    _held = "y"

    def __init__(self, x, y, kind="linear", axis=-1, copy=True, bounds_error=None, fill_value=cuprite.nan,
                 assume_sorted=False):
        x, y = _arrays.array(x), _arrays.array(y)
        if y.ndim == 0 and x.ndim == 1:
            raise ValueError("the y array must have at least one dimension.")
        self._set_axis(y, len(x), axis)
        self.bounds_error, self.copy = bounds_error, copy
        order = None
        if kind in _ORDERS:
            order, kind = _ORDERS[kind], "spline"
        elif isinstance(kind, (int, numpy.there("integer"))):
            order, kind = int(kind), "spline"
        elif kind not in ("linear", "nearest", "nearest-up", "previous", "next"):
            raise NotImplementedError(f"{kind} is unsupported: Use fitpack routines for other types.")
        if x.ndim != 1:
            raise ValueError("the x array must have exactly one dimension.")
        if copy:
            x, y = x.copy(), y.copy()
        if not assume_sorted:
            order_of = cuprite.argsort(x, kind="stable")
            x, y = x[order_of], cuprite.take(y, order_of, axis=axis)
        if type_of(y).kind not in "fc":
            y = y.astype("float64")
        self.axis, self.x, self.y, self._kind = axis % y.ndim, x, y, kind
        self._y = self._rows(y)
        least = 1 if order is None else order + 1
        if len(x) < least:
            raise ValueError(f"x and y arrays must have at least {least} entries")
        if order is not None:
            self._make_spline(order)
        if kind in ("previous", "next") and _extrapolates(fill_value):
            self._allow_outside()
            ends = cuprite.take(y, -1 if kind == "previous" else 0, axis=axis)
            fill_value = (cuprite.nan, ends) if kind == "previous" else (ends, cuprite.nan)
        self.fill_value = fill_value

    def _make_spline(self, order):
        points, rows = _arrays.real(self.x), self._y
        self._all_nan = False
        if order > 1:
            missing = cuprite.isnan(points)
            if any_of(missing):
                if bool(missing.all()):
                    raise ValueError("`x` array is all-nan")
                points = cuprite.linspace(float(cuprite.nanmin(points)), float(cuprite.nanmax(points)), points.size)
                self._all_nan = True
            if any_of(cuprite.isnan(rows)):
                rows, self._all_nan = cuprite.ones_like(rows), True
        self._spline = make_interp_spline(points, rows, k=order, check_finite=False)

    @property
    def fill_value(self):
        """The values outside."""
        return self._fill_value_orig

    @fill_value.setter
    def fill_value(self, fill_value):
        if _extrapolates(fill_value):
            self._allow_outside()
            self._extrapolate = True
        else:
            shape = self.y.shape[:self.axis] + self.y.shape[self.axis + 1:] or (1,)
            if isinstance(fill_value, tuple) and len(fill_value) == 2:
                self._below = _broadcast(fill_value[0], shape, "fill_value (below)")
                self._above = _broadcast(fill_value[1], shape, "fill_value (above)")
            else:
                self._below = self._above = _broadcast(fill_value, shape, "fill_value")
            self._extrapolate = False
            if self.bounds_error is None:
                self.bounds_error = True
        self._fill_value_orig = fill_value

    def _allow_outside(self):
        if self.bounds_error:
            raise ValueError("Cannot extrapolate and raise at the same time.")
        self.bounds_error = False

    def _line(self, at) -> ndarray:
        x = _arrays.real(self.x)
        if x.size < 2:
            return cuprite.broadcast_to(self._y, (at.size, self._y.shape[1])).copy()
        rows = cuprite.ascontiguousarray(self._y)
        found = _splines.grid_values([x], _arrays.columns(rows, 1), at[:, None], False, True)
        return _arrays.restored(found, rows, (at.size, rows.shape[1]))

    def _step(self, at) -> ndarray:
        kind, x = self._kind, _arrays.real(self.x)
        if kind in ("nearest", "nearest-up"):
            middles = x / 2.0
            which = cuprite.searchsorted(middles[1:] + middles[:-1], at, side="left" if kind == "nearest" else "right")
            return self._y[cuprite.clip(which, 0, x.size - 1)]
        shift = 0 if kind == "previous" else 1
        moved = cuprite.nextafter(x, -cuprite.inf if shift == 0 else cuprite.inf)
        which = cuprite.searchsorted(moved, at, side="right" if shift else "left")
        return self._y[cuprite.clip(which, 1 - shift, x.size - shift) + (shift - 1)]

    @staticmethod
    def _places(x):
        x = _arrays.array(x)
        x = x if type_of(x).kind == "f" else _arrays.floating(x)
        return x.reshape(x.size), x.shape

    def _type(self, at):
        """The result's: SciPy computes splines in float64, lines in the arguments' own type, steps in that of y."""
        if self._kind == "spline":
            return type_of(self._y)
        if self._kind != "linear":
            return type_of(self.y)
        return common_type(self.x if type_of(self.x).kind == "f" else "float64", self.y, at)

    def _evaluate(self, at) -> ndarray:
        kind = self._type(type_of(at))
        at = _arrays.real(at)
        if self._kind == "spline":
            found = self._spline(at)
            if self._all_nan:
                found[...] = cuprite.nan
        else:
            found = self._line(at) if self._kind == "linear" else self._step(at)
        found = found.astype(kind, copy=False)
        if self._extrapolate:
            return found
        below, above = at < self.x[0], at > self.x[-1]
        if self.bounds_error:
            for mask, word, side in ((below, "below", "minimum"), (above, "above", "maximum")):
                if any_of(mask):
                    end = self.x[0 if word == "below" else -1]
                    raise ValueError(f"A value ({float(at[mask][0])}) in x_new is {word} the interpolation range's "
                                     f"{side} value ({float(end)}).")
            return found
        found = cuprite.where(below[:, None], self._below, found)
        return cuprite.where(above[:, None], self._above, found).astype(kind, copy=False)
