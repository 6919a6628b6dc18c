"""Splines whose knots FITPACK chooses: SciPy computes them on the host, places are evaluated on the device."""
from __future__ import annotations

import operator

import cuprite
from cuprite import _numpy as numpy
from cuprite import _splines, ndarray
from cuprite._beside import beside_its_arrays
from cuprite.scipy.interpolate import _arrays
from cuprite.scipy.interpolate._arrays import floating, host
from cuprite.scipy.interpolate._bsplines import BSpline

_EXTENSIONS = {0: 0, "extrapolate": 0, 1: 1, "zeros": 1, 2: 2, "raise": 2, 3: 3, "const": 3}


def _values(t, c, k, x, nu, ext) -> ndarray:
    """A spline's values; ext: what is outside: 0 the polynomial, 1 zero, 2 an error, 3 the value at the end
    (of derivatives the polynomial, as FITPACK has it)."""
    first, last = t[k], t[t.size - k - 1]
    shape, x = _arrays.places_of(x)
    outside = (x < first) | (x > last) if ext in (1, 2) else None
    if ext == 2 and x.size and bool(outside.any()):
        raise ValueError("Error code returned by spev: 1")
    if ext == 3 and nu == 0:
        x = cuprite.clip(x, first, last)
    found = _splines.bspline_values(t, c[:t.size - k - 1, None], k, x, nu, True)[:, 0]
    if ext == 1:
        found = cuprite.where(outside, 0.0, found)
    return found.reshape(shape)


@beside_its_arrays
class UnivariateSpline:
    """A smoothing spline through points: as few knots as keep the sum of squared residuals below s.

    Parameters: x: the points, ascending; y: their values; w: weights; bbox: the ends of the base, each None: of x; k:
        the degree, 1 to 5; s: the bound of the sum (None: the number of weights); ext: outside of the base: 0 or
        'extrapolate', 1 or 'zeros', 2 or 'raise', 3 or 'const'; check_finite: whether NaN and infinities are looked
        for.
    Errors: ValueError for shapes that do not fit, points that descend, weights that are not positive, another degree
        or extension.

    Example:
        >>> f = cp.scipy.interpolate.UnivariateSpline(cp.arange(6.0), cp.arange(6.0) ** 2, s=0)
        >>> f(cp.asarray([2.5])).round(9)
        array([6.25])
    """

    _held = "_t"

    def __init__(self, x, y, w=None, bbox=(None, None), k=3, s=None, ext=0, check_finite=False):
        there = _arrays.scipy_interpolate().UnivariateSpline
        self._take(there(host(x), host(y), None if w is None else host(w), list(bbox), k, s, ext, check_finite))

    def _take(self, fit):
        self._fit, self.ext = fit, _EXTENSIONS[fit.ext]
        t, c, self._k = fit._eval_args
        self._t, self._c = cuprite.asarray(t), cuprite.asarray(c)
        if type(self) in (UnivariateSpline, InterpolatedUnivariateSpline, LSQUnivariateSpline):
            self.__class__ = globals()[type(fit).__name__]  # as SciPy's changes: without smoothing it interpolates

    @classmethod
    def _of(cls, fit):
        self = object.__new__(cls)
        self._take(fit)
        return self

    @staticmethod
    def validate_input(x, y, w, bbox, k, s, ext, check_finite) -> tuple[object, ...]:
        """The arguments as SciPy checks them.

        Parameters: x: the points; y: their values; w: weights; bbox: the ends; k: the degree; s: the bound; ext: the
            extension; check_finite: whether NaN and infinities are looked for.
        Errors: ValueError for what does not fit.
        """
        there = _arrays.scipy_interpolate().UnivariateSpline
        return there.validate_input(host(x), host(y), None if w is None else host(w), bbox, k, s, ext, check_finite)

    def set_smoothing_factor(self, s) -> None:
        """Goes on with another bound.

        Parameters: s: the bound.
        """
        self._fit.set_smoothing_factor(s)
        self._take(self._fit)

    def __call__(self, x, nu=0, ext=None) -> ndarray:
        """Values at places.

        Parameters: x: the places; nu: which derivative; ext: as the constructor has it (None: as constructed).
        Errors: ValueError for another extension, and places outside where that is an error.
        """
        ext = self.ext if ext is None else ext
        if ext not in _EXTENSIONS:
            raise ValueError(f"Unknown extrapolation mode {ext}.")
        if not 0 <= nu <= self._k:
            raise ValueError(f"0<=der={nu}<=k={self._k} must hold")
        return _values(self._t, self._c, self._k, x, nu, _EXTENSIONS[ext])

    def get_knots(self) -> ndarray:
        """The knots inside and the ends."""
        return cuprite.asarray(self._fit.get_knots())

    def get_coeffs(self) -> ndarray:
        """The coefficients."""
        return cuprite.asarray(self._fit.get_coeffs())

    def get_residual(self) -> float:
        """The weighted sum of squared residuals."""
        return self._fit.get_residual()

    def integral(self, a, b) -> float:
        """The integral from a to b, where the spline is 0 outside of its base.

        Parameters: a: where it begins; b: where it ends.
        """
        return self._fit.integral(a, b)

    def derivatives(self, x) -> ndarray:
        """The value and all derivatives at a place.

        Parameters: x: the place.
        """
        return cuprite.asarray(self._fit.derivatives(x))

    def roots(self) -> ndarray:
        """Where a cubic spline is 0. Errors: NotImplementedError for other degrees."""
        return cuprite.asarray(self._fit.roots())

    def derivative(self, n=1) -> UnivariateSpline:
        """The derivative.

        Parameters: n: which.
        Errors: ValueError for one above the degree.
        """
        return UnivariateSpline._of(self._fit.derivative(n))

    def antiderivative(self, n=1) -> UnivariateSpline:
        """The antiderivative.

        Parameters: n: how often.
        """
        return UnivariateSpline._of(self._fit.antiderivative(n))


@beside_its_arrays
class InterpolatedUnivariateSpline(UnivariateSpline):
    """The spline through all points.

    Parameters: x: the points, ascending; y: their values; w: weights; bbox: the ends of the base, each None: of x; k:
        the degree, 1 to 5; ext: as UnivariateSpline has it; check_finite: whether NaN and infinities are looked for.
    Errors: ValueError for shapes that do not fit, points that coincide or descend, another degree or extension.
    """

    def __init__(self, x, y, w=None, bbox=(None, None), k=3, ext=0, check_finite=False):
        there = _arrays.scipy_interpolate().InterpolatedUnivariateSpline
        self._take(there(host(x), host(y), None if w is None else host(w), list(bbox), k, ext, check_finite))


@beside_its_arrays
class LSQUnivariateSpline(UnivariateSpline):
    """The spline of given knots with the least squares of differences from points.

    Parameters: x: the points, ascending; y: their values; t: the knots inside; w: weights; bbox: the ends of the base,
        each None: of x; k: the degree, 1 to 5; ext: as UnivariateSpline has it; check_finite: whether NaN and
        infinities are looked for.
    Errors: ValueError for shapes that do not fit, points that descend, knots without points between them, another
        degree or extension.
    """

    def __init__(self, x, y, t, w=None, bbox=(None, None), k=3, ext=0, check_finite=False):
        there = _arrays.scipy_interpolate().LSQUnivariateSpline
        self._take(there(host(x), host(y), host(t), None if w is None else host(w), list(bbox), k, ext, check_finite))


# --- functions of (knots, coefficients, degree) ---

def _to_host(tck):
    """(knots, coefficients, degree) on the host, checked: FITPACK reads as far as the knots and the degree say."""
    t, c, k = tck.tck if isinstance(tck, BSpline) else tck
    several = isinstance(c, (list, tuple)) and bool(c) and numpy.ndim(host(c[0])) > 0
    t, k = numpy.asarray(host(t), "float64"), operator.index(k)
    curves = [numpy.asarray(host(row), "float64") for row in (c if several else [c])]
    several = several or curves[0].ndim > 1
    curves = [row for curve in curves for row in (curve if curve.ndim == 2 else [curve])]
    if not 0 <= k <= 5:
        raise ValueError(f"the degree must be 0 to 5, not {k}")
    if t.ndim != 1 or t.size < 2 * k + 2:
        raise ValueError(f"a spline of degree {k} needs at least {2 * k + 2} knots, in one dimension")
    if any(row.ndim != 1 or row.size < t.size - k - 1 for row in curves):
        raise ValueError(f"a spline of degree {k} with {t.size} knots needs {t.size - k - 1} coefficients")
    full = [numpy.pad(row, (0, max(0, t.size - row.size))) for row in curves]
    return t, full if several else full[0], k


def _only_one(name, tck):
    if isinstance(tck, BSpline) and tck.c.ndim > 1:
        raise ValueError(f"Calling {name}() with BSpline objects with c.ndim > 1 is not allowed.")


@beside_its_arrays
def splrep(x, y, w=None, xb=None, xe=None, k=3, task=0, s=None, t=None, full_output=0, per=0,
           quiet=1) -> tuple[object, ...]:
    """The spline of FITPACK through points: (knots, coefficients, degree). Computed by SciPy on the host.

    Parameters: x: the points; y: their values; w: weights; xb: where the base begins; xe: where it ends; k: the degree;
        task: 0 or -1: knots are given; s: the bound of the sum of squared residuals; t: the knots inside; full_output:
        whether (tck, fp, ier, msg) is returned; per: whether the spline is periodic; quiet: whether there are no
        warnings.
    Errors: TypeError and ValueError as SciPy has them.
    """
    found = _arrays.scipy_interpolate().splrep(host(x), host(y), None if w is None else host(w), xb, xe, k, task, s,
                                               None if t is None else host(t), full_output, per, quiet)
    tck, more = (found[0], found[1:]) if full_output else (found, ())
    tck = cuprite.asarray(tck[0]), cuprite.asarray(tck[1]), tck[2]
    return (tck, *more) if full_output else tck


@beside_its_arrays
def splev(x, tck, der=0, ext=0) -> ndarray:
    """A spline's values at places.

    Parameters: x: the places; tck: (knots, coefficients, degree) or a BSpline; der: which derivative; ext: outside of
        the base: 0 the polynomial, 1 zero, 2 an error, 3 the value at the end.
    Errors: ValueError for a derivative above the degree, another ext, and places outside where that is an error.
    """
    t, c, k = tck.tck if isinstance(tck, BSpline) else tck
    if not 0 <= der <= k:
        raise ValueError(f"0<=der={der}<=k={k} must hold")
    if ext not in (0, 1, 2, 3):
        raise ValueError(f"ext = {ext} not in (0, 1, 2, 3) ")
    return _values(_arrays.real(t), floating(c), k, x, der, ext)


@beside_its_arrays
def splint(a, b, tck, full_output=0) -> float | tuple[float, ndarray]:
    """The integral of a spline from a to b, computed by SciPy on the host.

    Parameters: a: where it begins; b: where it ends; tck: (knots, coefficients, degree) or a BSpline; full_output:
        whether the integrals of the B-splines are returned too.
    """
    _only_one("splint", tck)
    found = _arrays.scipy_interpolate().splint(a, b, _to_host(tck), full_output)
    if isinstance(found, list):
        return found
    return (found[0], cuprite.asarray(found[1])) if full_output else float(found)


@beside_its_arrays
def sproot(tck, mest=10) -> ndarray:
    """Where a cubic spline is 0, computed by SciPy on the host.

    Parameters: tck: (knots, coefficients, degree) or a BSpline; mest: how many at most.
    Errors: ValueError for other degrees.
    """
    _only_one("sproot", tck)
    found = _arrays.scipy_interpolate().sproot(_to_host(tck), mest)
    return [cuprite.asarray(roots) for roots in found] if isinstance(found, list) else cuprite.asarray(found)


@beside_its_arrays
def spalde(x, tck) -> ndarray:
    """The value and all derivatives of a spline at places, computed by SciPy on the host.

    Parameters: x: the place, or places; tck: (knots, coefficients, degree) or a BSpline.
    """
    return cuprite.asarray(numpy.asarray(_arrays.scipy_interpolate().spalde(host(x), _to_host(tck))))


@beside_its_arrays
def insert(x, tck, m=1, per=0) -> BSpline | tuple[ndarray, ndarray, int]:
    """The same spline with a knot more, computed by SciPy on the host.

    Parameters: x: the knot; tck: (knots, coefficients, degree) or a BSpline; m: how often; per: whether the spline is
        periodic.
    Errors: ValueError for a knot outside of the base.
    """
    ours = isinstance(tck, BSpline)
    trailing = tck.c.shape[1:] if ours else ()
    if trailing:
        tck = tck.t, list(tck.c.reshape(tck.c.shape[0], -1).T), tck.k
    t, c, k = _arrays.scipy_interpolate().insert(x, _to_host(tck), m, per)
    for row in c if isinstance(c, list) else [c]:
        row[t.size - k - 1:] = 0                  # FITPACK leaves them as they were in memory
    if trailing:
        c = numpy.stack(c, axis=1).reshape(-1, *trailing)
    c = [cuprite.asarray(row) for row in c] if isinstance(c, list) else cuprite.asarray(c)
    return BSpline(cuprite.asarray(t), c, k) if ours else (cuprite.asarray(t), c, k)
