"""Polynomials through points, in barycentric and in Newton's form."""
from __future__ import annotations

import math
import types
import warnings

import cuprite
from cuprite import _numpy as numpy
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import common_type, type_of
from cuprite.scipy.interpolate import _arrays
from cuprite.scipy.interpolate._arrays import any_of, array, floating, host


@beside_its_arrays
class Interpolator:
    """Values along an axis of y: what the interpolators share."""

    __class_getitem__ = classmethod(types.GenericAlias)

    _held = "yi"

    def _set_axis(self, yi, count, axis):
        if axis is None:
            raise ValueError("no interpolation axis specified")
        shape = yi.shape or (1,)
        if count is not None and shape[axis] != count:
            raise ValueError("x and y arrays must be equal in length along interpolation axis.")
        self._y_axis = axis % max(yi.ndim, 1)
        self._y_extra_shape = shape[:self._y_axis] + shape[self._y_axis + 1:]
        self._kind = common_type("complex128" if type_of(yi).kind == "c" else "float64")

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The type of values."""
        return cuprite.dtype(self._kind)

    def _rows(self, yi, check=False) -> ndarray:
        yi = cuprite.moveaxis(yi, self._y_axis, 0) if yi.ndim else yi.reshape(1)
        if check and yi.shape[1:] != self._y_extra_shape:
            raise ValueError(f"Data must be of shape {self._y_extra_shape[:self._y_axis]!r} + (N,) + "
                             f"{self._y_extra_shape[self._y_axis:]!r}")
        return floating(yi).reshape(yi.shape[0], math.prod(yi.shape[1:]))

    @staticmethod
    def _places(x):
        x = floating(x)
        return x.reshape(x.size), x.shape

    def _finished(self, y, shape, lead=0) -> ndarray:
        """Rows of places as the result's shape."""
        y = y.reshape(y.shape[:lead] + shape + self._y_extra_shape)
        if self._y_axis and shape:
            nx, order = len(shape), list(range(y.ndim))
            where = lead + nx
            y = y.transpose(order[:lead] + order[where:where + self._y_axis] + order[lead:where]
                            + order[where + self._y_axis:])
        return y

    def __call__(self, x) -> ndarray:
        """Values at places.

        Parameters: x: the places.
        """
        x, shape = self._places(x)
        return self._finished(self._evaluate(x), shape)


@beside_its_arrays
class _WithDerivatives(Interpolator):
    def derivatives(self, x, der=None) -> ndarray:
        """The value and derivatives at places, along a first axis.

        Parameters: x: the places; der: how many, the value among them (None: all that are not 0).
        """
        x, shape = self._places(x)
        return self._finished(self._evaluate_derivatives(x, der), shape, 1)

    def derivative(self, x, der=1) -> ndarray:
        """A derivative at places.

        Parameters: x: the places; der: which.
        """
        x, shape = self._places(x)
        return self._finished(self._evaluate_derivatives(x, der + 1)[der], shape)


@beside_its_arrays
class KroghInterpolator(_WithDerivatives):
    """The polynomial through points and their derivatives, in Newton's form.

    Parameters: xi: the points, sorted; a repeated one has derivatives; yi: the values, for repeated points then the
        derivatives; axis: of yi.
    Errors: ValueError for shapes that do not fit and equal points that are not neighbours.

    Example:
        >>> cp.scipy.interpolate.KroghInterpolator(cp.asarray([0.0, 0, 1]), cp.asarray([0.0, 2, 0]))(cp.asarray([0.5]))
        array([0.5])
    """

    def __init__(self, xi, yi, axis=0):
        self.xi, values = array(xi), array(yi)
        self._set_axis(values, len(self.xi), axis)
        self.yi = self._rows(values)
        self.n, self.r = self.yi.shape
        if self.xi.size > 30:
            warnings.warn(f"{self.xi.size} degrees provided, degrees higher than about thirty cause problems with "
                          "numerical instability with 'KroghInterpolator'", stacklevel=3)
        points, rows = host(self.xi), host(self.yi)
        c = numpy.zeros((self.n + 1, self.r), self._kind)
        c[0] = rows[0]
        v = numpy.zeros((self.n, self.r), self._kind)
        for k in range(1, self.n):
            s = 0
            while s <= k and points[k - s] == points[k]:
                s += 1
            s -= 1
            v[0] = rows[k] / math.factorial(s)
            for i in range(k - s):
                if points[i] == points[k]:
                    raise ValueError("Elements of `xi` can't be equal.")
                v[i + 1] = ((c[i] if s == 0 else v[i + 1]) - v[i]) / (points[i] - points[k])
            c[k] = v[k - s]
        self.c, self._points = cuprite.asarray(c), [v.item() for v in points]

    def _evaluate(self, x) -> ndarray:
        p = cuprite.zeros((x.size, self.r), common_type(self._kind, x)) + self.c[0]
        power = 1
        for k in range(1, self.n):
            power = (x - self._points[k - 1]) * power
            p += power[:, None] * self.c[k]
        return p

    def _evaluate_derivatives(self, x, der=None) -> ndarray:
        n, der = self.n, self.n if der is None else der
        powers, steps = [cuprite.ones(x.size)], []
        for k in range(1, n):
            steps.append(x - self._points[k - 1])
            powers.append(steps[-1] * powers[-1])
        cn = cuprite.zeros((max(der, n + 1), x.size, self.r), common_type(self._kind, x))
        cn[:n + 1] += self.c[:n + 1, None, :]
        cn[0] = self._evaluate(x)
        for k in range(1, n):
            for i in range(1, n - k + 1):
                powers[i] = steps[k + i - 1] * powers[i - 1] + powers[i] if k + i - 1 < n - 1 else powers[i]
                cn[k] += powers[i][:, None] * cn[k + i] if k + i < n else 0
            cn[k] *= math.factorial(k)
        cn[n] = 0
        return cn[:der]


def _asked(p, x, der):
    """Values, a derivative, or a list of derivatives."""
    if isinstance(der, (int, numpy.there("integer"))):
        return p.derivative(x, der=der) if der else p(x)
    der = [int(d) for d in host(der)] if isinstance(der, ndarray) else list(der)
    return p.derivatives(x, der=max(der) + 1)[der]


@beside_its_arrays
def krogh_interpolate(xi, yi, x, der=0, axis=0) -> ndarray:
    """Values of a KroghInterpolator, or of derivatives.

    Parameters: xi: the points; yi: their values; x: places; der: which derivative, or a list of these; axis: of yi.
    """
    return _asked(KroghInterpolator(xi, yi, axis=axis), x, der)


@beside_its_arrays
def approximate_taylor_polynomial(f, x, degree, scale, order=None) -> numpy.poly1d:
    """The Taylor polynomial of a function, from its values near a place: numpy.poly1d.

    Parameters: f: the function; x: the place; degree: the polynomial's; scale: of the distances; order: of the
        polynomial that is fitted (None: the degree).
    """
    n = (degree if order is None else order) + 1
    places = cuprite.asarray(scale * numpy.cos(numpy.linspace(0, cuprite.pi, n, endpoint=n % 1)) + x)
    d = host(KroghInterpolator(places, f(places)).derivatives(x, der=degree + 1))
    return numpy.poly1d((d / [math.factorial(k) for k in range(degree + 1)])[::-1])


@beside_its_arrays
class BarycentricInterpolator(_WithDerivatives):
    """The polynomial through points, in barycentric form.

    Parameters: xi: the points; yi: the values (None: given later); axis: of yi; wi: the weights, where they are known;
        rng: is not needed: nothing is drawn; random_state: its earlier name.
    Errors: ValueError for shapes that do not fit and points that coincide.

    Example:
        >>> p = cp.scipy.interpolate.BarycentricInterpolator(cp.asarray([0.0, 1, 2]), cp.asarray([0.0, 1, 4]))
        >>> p(cp.asarray([1.5]))
        array([2.25])
    """

    def __init__(self, xi, yi=None, axis=0, *, wi=None, rng=None, random_state=None):
        self.xi, self._y_axis = _arrays.real(xi), axis
        self.n = self.xi.size
        self.set_yi(yi, axis)
        width = float(self.xi.max() - self.xi.min()) if self.n > 1 else 0.0
        self._scale = 4.0 / width if width else 1.0
        self.wi = self._weights() if wi is None else _arrays.real(wi)

    def _weights(self) -> ndarray:
        apart = self._scale * (self.xi[:, None] - self.xi)
        cuprite.fill_diagonal(apart, 1.0)
        if any_of(apart == 0):
            raise ValueError("Interpolation points xi must be distinct.")
        signs = cuprite.where((apart < 0).sum(axis=1) % 2 == 1, -1.0, 1.0)
        logs = -cuprite.log(abs(apart)).sum(axis=1)
        largest = abs(logs).max()  # the scale does not matter, so it is one that no weight overflows or vanishes by
        return signs * cuprite.exp(logs - cuprite.where(largest < 600, 0.0, logs.max()))

    def set_yi(self, yi, axis=None) -> None:
        """Sets the values.

        Parameters: yi: the values; axis: of yi (None: as constructed).
        Errors: ValueError for shapes that do not fit.
        """
        if yi is None:
            self.yi = None
            return
        values = array(yi)
        self._set_axis(values, self.n, self._y_axis if axis is None else axis)
        self.yi = self._rows(values)
        self.n, self.r = self.yi.shape

    def add_xi(self, xi, yi=None) -> None:
        """Adds points.

        Parameters: xi: the points; yi: their values, where there are values.
        Errors: ValueError for values without others, and others without values.
        """
        if yi is not None:
            if self.yi is None:
                raise ValueError("No previous yi value to update!")
            self.yi = cuprite.concatenate([self.yi, self._rows(array(yi), True)])
        elif self.yi is not None:
            raise ValueError("No update to yi provided!")
        self.xi = cuprite.concatenate([self.xi, _arrays.real(xi)])
        self.n = self.xi.size
        self.wi = self._weights()

    def _evaluate(self, x, rows=None) -> ndarray:
        rows = self.yi if rows is None else rows
        if x.size == 0:
            return cuprite.zeros((0, self.r), self._kind)
        apart = x[:, None] - self.xi
        same = apart == 0
        c = self.wi / cuprite.where(same, 1.0, apart)
        p = (c @ rows if type_of(rows) == type_of(c) else c.astype(type_of(rows)) @ rows) / c.sum(axis=1)[:, None]
        return cuprite.where(same.any(axis=1)[:, None], rows[same.argmax(axis=1)], p)

    def _differentiated(self) -> ndarray:
        c = self.xi[:, None] - self.xi
        cuprite.fill_diagonal(c, 1.0)
        c = self.wi / (c * self.wi[:, None])
        cuprite.fill_diagonal(c, 0.0)
        return c - cuprite.diag(c.sum(axis=1))

    def _evaluate_derivatives(self, x, der=None) -> ndarray:
        der = self.n if der is None else der
        rows, found, d = self.yi, [], self._differentiated() if der > 1 else None
        for order in range(der):
            if order:
                rows = (d @ rows if type_of(rows) == type_of(d) else d.astype(type_of(rows)) @ rows) if order < self.n \
                    else cuprite.zeros_like(rows)
            found.append(self._evaluate(x, rows))
        return cuprite.stack(found)


@beside_its_arrays
def barycentric_interpolate(xi, yi, x, axis=0, *, der=0, rng=None) -> ndarray:
    """Values of a BarycentricInterpolator, or of derivatives.

    Parameters: xi: the points; yi: their values; x: places; axis: of yi; der: which derivative, or a list of these;
        rng: is not needed: nothing is drawn.
    """
    return _asked(BarycentricInterpolator(xi, yi, axis=axis), x, der)
