"""Radial functions through scattered points."""
from __future__ import annotations

import itertools
import types
import warnings

import cuprite
from cuprite import _numpy as numpy
from cuprite import _splines, ndarray
from cuprite._beside import beside_its_arrays, computed
from cuprite.scipy.interpolate import _arrays
from cuprite.scipy.interpolate._arrays import any_of, floating

_KERNELS = ("linear", "thin_plate_spline", "cubic", "quintic", "multiquadric", "inverse_multiquadric",
            "inverse_quadratic", "gaussian")
_WITHOUT_SCALE = ("linear", "thin_plate_spline", "cubic", "quintic")
_LEAST_DEGREE = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}


def _powers(ndim, degree):
    """The exponents of all monomials to a degree, rows of `ndim`."""
    return [[which.count(d) for d in range(ndim)] for total in range(degree + 1)
            for which in itertools.combinations_with_replacement(range(ndim), total)]


def _monomials(x, powers) -> ndarray:
    """(..., monomials) of points along the last axis."""
    if not powers:
        return cuprite.zeros(x.shape[:-1] + (0,))
    columns = []
    for row in powers:
        product = cuprite.ones(x.shape[:-1])
        for d, p in enumerate(row):
            if p:
                product = product * x[..., d] ** p
        columns.append(product)
    return cuprite.stack(columns, axis=-1)


@beside_its_arrays
class RBFInterpolator:
    """A sum of radial functions around points, and a polynomial.

    Parameters: y: the points (n, dimensions); d: their values (n, ...); neighbors: how many nearest points count at a
        place (None: all); smoothing: 0 for a function through the values, one or one for each point; kernel: 'linear',
        'thin_plate_spline', 'cubic', 'quintic', 'multiquadric', 'inverse_multiquadric', 'inverse_quadratic' or
        'gaussian'; epsilon: by which distances are multiplied; degree: of the polynomial, -1 for none.
    Errors: ValueError for shapes that do not fit, too few points, another kernel, a missing epsilon, a degree below -1;
        LinAlgError for points that coincide or lie so that the polynomial is not determined.

    Example:
        >>> f = cp.scipy.interpolate.RBFInterpolator(cp.asarray([[0.0], [1.0], [3.0]]), cp.asarray([0.0, 1.0, 3.0]))
        >>> f(cp.asarray([[2.0]])).round(12)
        array([2.])
    """

    __class_getitem__ = classmethod(types.GenericAlias)

    _held = "y"

    def __init__(self, y, d, neighbors=None, smoothing=0.0, kernel="thin_plate_spline", epsilon=None, degree=None):
        y, d = _arrays.real(y), floating(d)
        if y.ndim != 2:
            raise ValueError("`y` must be a 2-dimensional array.")
        ny, ndim = y.shape
        if d.ndim == 0 or d.shape[0] != ny:
            raise ValueError(f"Expected the first axis of `d` to have length {ny}.")
        self.y, self.d_shape, self._like = y, d.shape[1:], d
        self.d = _arrays.columns(d, 1)
        self.smoothing = self._smoothing(smoothing, ny)
        kernel = kernel.lower()
        if kernel not in _KERNELS:
            raise ValueError(f"`kernel` must be one of {set(_KERNELS)}.")
        if epsilon is None:
            if kernel not in _WITHOUT_SCALE:
                raise ValueError(f"`epsilon` must be specified if `kernel` is not one of {set(_WITHOUT_SCALE)}.")
            epsilon = 1.0
        self.kernel, self.epsilon = kernel, float(epsilon)
        self._exponents = self._polynomial(degree, ndim)
        self.powers = cuprite.asarray(self._exponents, int).reshape(len(self._exponents), ndim)
        self.neighbors = None if neighbors is None else int(min(neighbors, ny))
        if len(self._exponents) > (ny if self.neighbors is None else self.neighbors):
            raise ValueError(f"At least {len(self._exponents)} data points are required when `degree` is {self.degree} "
                             f"and the number of dimensions is {ndim}.")
        if neighbors is None:
            self._solution = self._solved(y, self.d, self.smoothing)

    @staticmethod
    def _smoothing(smoothing, ny) -> ndarray:
        smoothing = _arrays.real(smoothing)
        if smoothing.ndim == 0:
            return cuprite.broadcast_to(smoothing, (ny,))
        if smoothing.shape != (ny,):
            raise ValueError(f"Expected `smoothing` to be a scalar or have shape ({ny},).")
        return smoothing

    def _polynomial(self, degree, ndim):
        least = _LEAST_DEGREE.get(self.kernel, -1)
        if degree is None:
            degree = max(least, 0)
        else:
            degree = int(degree)
            if degree < -1:
                raise ValueError("`degree` must be at least -1.")
            if -1 < degree < least:
                warnings.warn(f"`degree` should not be below {least} except -1 when `kernel` is '{self.kernel}'. The "
                              "interpolant may not be uniquely solvable, and the smoothing parameter may have an "
                              "unintuitive effect.", UserWarning, stacklevel=4)
        self.degree = degree
        return _powers(ndim, degree)

    def _solved(self, y, d, smoothing):
        """(coefficients, shift, scale) of the system of all points."""
        n, r = y.shape[0], len(self._exponents)
        low, high = y.min(axis=0), y.max(axis=0)
        shift, scale = (low + high) / 2, (high - low) / 2
        scale = cuprite.where(scale == 0, 1.0, scale)
        lhs = cuprite.zeros((n + r, n + r))
        near = y * self.epsilon
        lhs[:n, :n] = _splines.rbf_matrix(near, near, self.kernel)
        index = cuprite.arange(n)
        lhs[index, index] += smoothing
        p = _monomials((y - shift) / scale, self._exponents)
        lhs[:n, n:], lhs[n:, :n] = p, p.T
        return self._found(lhs, cuprite.concatenate([d, cuprite.zeros((r, d.shape[1]))])), shift, scale

    @staticmethod
    def _found(lhs, rhs):
        """The solutions of systems; LinAlgError where there is none."""
        try:
            found = computed(cuprite.linalg.solve(lhs, rhs))
        except numpy.linalg.LinAlgError as why:
            raise numpy.linalg.LinAlgError("Singular matrix") from why
        if any_of(~cuprite.isfinite(found)) and bool(cuprite.isfinite(lhs).all()) and bool(
                cuprite.isfinite(rhs).all()):
            raise numpy.linalg.LinAlgError("Singular matrix")
        return found

    def __call__(self, x) -> ndarray:
        """Values at places.

        Parameters: x: the places (places, dimensions).
        Errors: ValueError for another number of dimensions.
        """
        x = _arrays.real(x)
        if x.ndim != 2:
            raise ValueError("`x` must be a 2-dimensional array.")
        if x.shape[1] != self.y.shape[1]:
            raise ValueError(f"Expected the second axis of `x` to have length {self.y.shape[1]}.")
        if self.neighbors is None:
            c, shift, scale = self._solution
            n = self.y.shape[0]
            found = _splines.rbf_values(self.y * self.epsilon, x * self.epsilon, c[:n], self.kernel)
            if self._exponents:
                found = found + _monomials((x - shift) / scale, self._exponents) @ c[n:]
        else:
            found = self._near(x)
        return _arrays.restored(found, self._like, (x.shape[0],) + self.d_shape)

    def _systems(self, near, at, powers):
        """The values at places, or none, but the systems and the places' rows."""
        try:
            found = _splines.rbf_near(self.y, self.d, self.smoothing, near, at, powers, self.epsilon, self.kernel)
        except numpy.linalg.LinAlgError as why:
            raise numpy.linalg.LinAlgError("Singular matrix") from why
        if any_of(~cuprite.isfinite(found[0])) and all(bool(cuprite.isfinite(v).all()) for v in (
                self.y, self.d, self.smoothing, at)):
            raise numpy.linalg.LinAlgError("Singular matrix")
        return found

    def _near(self, x) -> ndarray:
        from cuprite.scipy.spatial import KDTree
        which = KDTree(self.y).query(x, self.neighbors)[1]
        which = cuprite.sort(which.reshape(x.shape[0], self.neighbors), axis=1)
        n, parts, powers = self.neighbors, [], self.powers
        step = max(1, 2**22 // (n + len(powers)) ** 2)
        for i in range(0, x.shape[0], step):
            near, at = which[i:i + step], x[i:i + step]
            found, lhs, rows = self._systems(near, at, powers)
            if not len(lhs):
                parts.append(found)
                continue
            rhs = cuprite.zeros((at.shape[0], rows.shape[1], self.d.shape[1]))
            rhs[:, :n] = self.d[near]
            parts.append((rows[:, None] @ self._found(lhs, rhs))[:, 0])
        return cuprite.concatenate(parts) if parts else cuprite.zeros((0, self.d.shape[1]))
