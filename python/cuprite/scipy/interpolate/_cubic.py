"""Cubic polynomials between points: by derivatives, splines, and those that keep the points' shape."""
from __future__ import annotations

import cuprite
from cuprite import _numpy as numpy
from cuprite import _splines, ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.scipy.interpolate import _arrays
from cuprite.scipy.interpolate._arrays import any_of, floating, on_first
from cuprite.scipy.interpolate._polynomials import PPoly


def _prepared(x, y, axis, dydx=None):
    """(x, dx, y, axis, dydx) with the axis first. Errors: ValueError."""
    x, y = _arrays.array(x), floating(y)
    if type_of(x).kind == "c":
        raise ValueError("`x` must contain real values.")
    x = _arrays.real(x)
    if dydx is not None:
        dydx = floating(dydx)
        if y.shape != dydx.shape:
            raise ValueError("The shapes of `y` and `dydx` must be identical.")
        kind = numpy.result_type(type_of(y), type_of(dydx))
        y, dydx = y.astype(kind, copy=False), dydx.astype(kind, copy=False)
    axis = axis % y.ndim if y.ndim else 0
    if x.ndim != 1:
        raise ValueError("`x` must be 1-dimensional.")
    if x.size < 2:
        raise ValueError("`x` must contain at least 2 elements.")
    if y.ndim == 0 or x.size != y.shape[axis]:
        raise ValueError(f"The length of `y` along `axis`={axis} doesn't match the length of `x`")
    for name, values in (("x", x), ("y", y), ("dydx", dydx)):
        if values is not None and not _arrays.finite(values):
            raise ValueError(f"`{name}` must contain only finite values.")
    dx = x[1:] - x[:-1]
    if any_of(dx <= 0):
        raise ValueError("`x` must be strictly increasing sequence.")
    y = cuprite.moveaxis(y, axis, 0)
    return x, dx, y, axis, None if dydx is None else cuprite.moveaxis(dydx, axis, 0)


def _coefficients(dx, y, dydx) -> ndarray:
    """(4, intervals, ...) of the cubics with these values and derivatives."""
    dx = on_first(dx, y.ndim)
    slope = (y[1:] - y[:-1]) / dx
    t = (dydx[:-1] + dydx[1:] - 2 * slope) / dx
    return cuprite.stack([t / dx, (slope - dydx[:-1]) / dx - t, dydx[:-1], y[:-1]])


@beside_its_arrays
class CubicHermiteSpline(PPoly):
    """Cubic polynomials with given values and derivatives at points.

    Parameters: x: the points, ascending; y: the values; dydx: the derivatives; axis: of y; extrapolate: as PPoly has
        it.
    Errors: ValueError for shapes that do not fit, points that do not ascend, and numbers that are not finite.

    Example:
        >>> x = cp.asarray([0.0, 1.0])
        >>> cp.scipy.interpolate.CubicHermiteSpline(x, x ** 2, 2 * x)(cp.asarray([0.5]))
        array([0.25])
    """

    def __init__(self, x, y, dydx, axis=0, extrapolate=None):
        self._made(*_prepared(x, y, axis, dydx), extrapolate)

    def _made(self, x, dx, y, axis, dydx, extrapolate):
        self.c, self.x, self.axis = _coefficients(dx, y, dydx), x, axis
        if extrapolate is None:
            extrapolate = True
        self.extrapolate = extrapolate if isinstance(extrapolate, str) and extrapolate == "periodic" \
            else bool(extrapolate)

    @classmethod
    def construct_fast(cls, c, x, extrapolate=None, axis=0) -> CubicHermiteSpline:
        """The polynomials of arrays that are not checked.

        Parameters: c: coefficients (order, intervals, ...), float64 or complex128; x: breakpoints; extrapolate: as the
            constructor has it; axis: the interpolation's axis of results.
        """
        return super().construct_fast(c, x, extrapolate, axis)


# --- shape-preserving ---

def _pchip_end(h0, h1, m0, m1) -> ndarray:
    """The derivative at an end, from the slopes of two intervals."""
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    turns = cuprite.sign(d) != cuprite.sign(m0)
    steep = (cuprite.sign(m0) != cuprite.sign(m1)) & (abs(d) > 3 * abs(m0))
    return cuprite.where(turns, 0.0, cuprite.where(steep, 3 * m0, d))


def _pchip_derivatives(dx, y) -> ndarray:
    dx = on_first(dx, y.ndim)
    slope = (y[1:] - y[:-1]) / dx
    if y.shape[0] == 2:
        return cuprite.concatenate([slope, slope])
    before, behind, h0, h1 = slope[:-1], slope[1:], dx[:-1], dx[1:]
    flat = (cuprite.sign(before) != cuprite.sign(behind)) | (before == 0) | (behind == 0)
    w1, w2 = 2 * h1 + h0, h1 + 2 * h0
    mean = (w1 / cuprite.where(flat, 1.0, before) + w2 / cuprite.where(flat, 1.0, behind)) / (w1 + w2)
    inner = cuprite.where(flat, 0.0, 1.0 / cuprite.where(flat, 1.0, mean))
    return cuprite.concatenate([_pchip_end(dx[:1], dx[1:2], slope[:1], slope[1:2]), inner,
                                _pchip_end(dx[-1:], dx[-2:-1], slope[-1:], slope[-2:-1])])


@beside_its_arrays
class PchipInterpolator(CubicHermiteSpline):
    """Cubic polynomials through points, monotone where the points are.

    Parameters: x: the points, ascending; y: the values, real; axis: of y; extrapolate: as PPoly has it.
    Errors: ValueError for shapes that do not fit, points that do not ascend, numbers that are complex or not finite.

    Example:
        >>> x = cp.asarray([0.0, 1, 2, 3])
        >>> cp.scipy.interpolate.PchipInterpolator(x, cp.asarray([0.0, 0, 1, 1]))(cp.asarray([0.5, 1.5]))
        array([0. , 0.5])
    """

    def __init__(self, x, y, axis=0, extrapolate=None):
        x, dx, y, axis, _ = _prepared(x, y, axis)
        if type_of(y).kind == "c":
            raise ValueError("`PchipInterpolator` only works with real values for `y`.")
        self._made(x, dx, y, axis, _pchip_derivatives(dx, y), extrapolate)


pchip = PchipInterpolator


@beside_its_arrays
def pchip_interpolate(xi, yi, x, der=0, axis=0) -> ndarray | list[ndarray]:
    """Values of a PchipInterpolator, or of derivatives.

    Parameters: xi: the points; yi: their values; x: places; der: which derivative, or a list of these; axis: of yi.
    """
    p = PchipInterpolator(xi, yi, axis=axis)
    if isinstance(der, (int, numpy.there("integer"))):
        return p.derivative(der)(x) if der else p(x)
    return [p.derivative(nu)(x) for nu in der]


def _akima_derivatives(dx, y, method) -> ndarray:
    slope = (y[1:] - y[:-1]) / on_first(dx, y.ndim)
    if y.shape[0] == 2:
        return cuprite.concatenate([slope, slope])
    one = 2.0 * slope[:1] - slope[1:2]
    last = 2.0 * slope[-1:] - slope[-2:-1]
    m = cuprite.concatenate([2.0 * one - slope[:1], one, slope, last, 2.0 * last - slope[-1:]])
    dm = abs(m[1:] - m[:-1])
    f1, f2 = dm[2:], dm[:-2]
    if method == "makima":
        pm = abs(m[1:] + m[:-1])
        f1, f2 = f1 + 0.5 * pm[2:], f2 + 0.5 * pm[:-2]
    f12 = f1 + f2
    clear = f12 > 1e-9 * (f12.max() if f12.size else 0)
    part = f2 / cuprite.where(clear, f12, 1.0)
    return cuprite.where(clear, m[1:-2] + part * (m[2:-1] - m[1:-2]), 0.5 * (m[3:] + m[:-3]))


@beside_its_arrays
class Akima1DInterpolator(CubicHermiteSpline):
    """Cubic polynomials through points by Akima's derivatives, which few neighbours determine.

    Parameters: x: the points, ascending; y: the values, real; axis: of y; method: 'akima' or 'makima'; extrapolate: as
        PPoly has it; None: NaN outside.
    Errors: ValueError for shapes that do not fit, points that do not ascend, numbers that are complex or not finite;
        NotImplementedError for another method.
    """

    def __init__(self, x, y, axis=0, *, method="akima", extrapolate=None):
        if method not in ("akima", "makima"):
            raise NotImplementedError(f"`method`={method} is unsupported.")
        x, dx, y, axis, _ = _prepared(x, y, axis)
        if type_of(y).kind == "c":
            raise ValueError("`Akima1DInterpolator` only works with real values for `y`.")
        self._made(x, dx, y, axis, _akima_derivatives(dx, y, method), False if extrapolate is None else extrapolate)

    def extend(self, c, x, right=True) -> None:
        """Is not there. Parameters: c: coefficients; x: breakpoints; right: on which side. Errors:
        NotImplementedError."""
        raise NotImplementedError("Extending a 1-D Akima interpolator is not yet implemented")

    @classmethod
    def from_spline(cls, tck, extrapolate=None) -> Akima1DInterpolator:
        """Is not there. Parameters: tck: a spline; extrapolate: whether it goes on. Errors: NotImplementedError."""
        raise NotImplementedError("This method does not make sense for an Akima interpolator.")

    @classmethod
    def from_bernstein_basis(cls, bp, extrapolate=None) -> Akima1DInterpolator:
        """Is not there. Parameters: bp: polynomials; extrapolate: whether they go on. Errors: NotImplementedError."""
        raise NotImplementedError("This method does not make sense for an Akima interpolator.")


# --- cubic splines ---

def _condition(bc, shape, complex_y):
    """A boundary condition as (order, value). Errors: ValueError."""
    if isinstance(bc, str):
        if bc == "clamped":
            return 1, cuprite.zeros(shape)
        if bc == "natural":
            return 2, cuprite.zeros(shape)
        if bc in ("not-a-knot", "periodic"):
            return bc
        raise ValueError(f"bc_type={bc} is not allowed.")
    try:
        order, value = bc
    except Exception as why:
        raise ValueError("A specified derivative value must be given in the form (order, value).") from why
    if order not in (1, 2):
        raise ValueError("The specified derivative order must be 1 or 2.")
    value = floating(value)
    if value.shape != shape:
        raise ValueError(f"`deriv_value` shape {value.shape} is not the expected one {shape}.")
    return order, value


def _conditions(bc_type, y):
    if isinstance(bc_type, str):
        if bc_type == "periodic":
            if not bool(cuprite.allclose(y[0], y[-1], rtol=1e-15, atol=1e-15)):
                raise ValueError("The first and last `y` point along the axis must be identical (within machine "
                                 "precision) when bc_type='periodic'.")
        bc_type = bc_type, bc_type
    else:
        if len(bc_type) != 2:
            raise ValueError("`bc_type` must contain 2 elements to specify start and end conditions.")
        if any(isinstance(b, str) and b == "periodic" for b in bc_type):
            raise ValueError("'periodic' `bc_type` is defined for both curve ends and cannot be used with other "
                             "boundary conditions.")
    return [_condition(b, y.shape[1:], type_of(y).kind == "c") for b in bc_type]


def _solved(rows, first, right) -> ndarray:
    n = right.shape[0]
    c = _splines.banded_solve(rows, first, n, _arrays.columns(right, 1))
    return _arrays.restored(c, right, right.shape)


def _end(bc, dx, slope, y, at):
    """(row, right side) of the first equation; `at` 0, or -1 for the last with everything reversed."""
    h0 = dx[at]
    if isinstance(bc, str):
        h1 = dx[1 if at == 0 else -2]
        s0, s1 = slope[at], slope[1 if at == 0 else -2]
        d = h0 + h1
        right = ((h0 + 2 * d) * h1 * s0 + h0 ** 2 * s1) / d
        return (h1, d), right
    order, value = bc
    if order == 1:
        return (cuprite.ones(()), cuprite.zeros(())), value
    sign = -0.5 if at == 0 else 0.5
    step = y[1] - y[0] if at == 0 else y[-1] - y[-2]
    return (2 * h0, h0), sign * value * h0 ** 2 + 3 * step


def _slopes(dx, y, bc) -> ndarray:
    """The derivatives of the spline at its points: a tridiagonal system."""
    n = y.shape[0]
    dxr = on_first(dx, y.ndim)
    slope = (y[1:] - y[:-1]) / dxr
    if n == 2:
        bc = [(1, slope[0]) if isinstance(b, str) else b for b in bc]
    if n == 3 and bc[0] == "not-a-knot" and bc[1] == "not-a-knot":  # a parabola
        one, zero = cuprite.ones(()), cuprite.zeros(())
        rows = cuprite.stack([cuprite.stack([one, one, zero]), cuprite.stack([dx[1], 2 * (dx[0] + dx[1]), dx[0]]),
                              cuprite.stack([zero, one, one])])
        right = cuprite.stack([2 * slope[0], 3 * (dxr[0] * slope[1] + dxr[1] * slope[0]), 2 * slope[1]])
        return _solved(rows, cuprite.zeros(3, "int64"), right)
    if isinstance(bc[0], str) and bc[0] == "periodic":
        return _periodic_slopes(dx, dxr, slope, y)
    (a, b), first = _end(bc[0], dx, slope, y, 0)
    (d, e), last = _end(bc[1], dx, slope, y, -1)
    first, last = (cuprite.broadcast_to(v, y.shape[1:])[None] for v in (first, last))
    if n == 2:
        rows = cuprite.stack([cuprite.stack([a, b]), cuprite.stack([e, d])])
        return _solved(rows, cuprite.zeros(2, "int64"), cuprite.concatenate([first, last]))
    zero = cuprite.zeros(())
    inner = cuprite.stack([dx[1:], 2 * (dx[:-1] + dx[1:]), dx[:-1]], axis=1)
    rows = cuprite.concatenate([cuprite.stack([a, b, zero])[None], inner, cuprite.stack([zero, e, d])[None]])
    middle = 3 * (dxr[1:] * slope[:-1] + dxr[:-1] * slope[1:])
    starts = cuprite.clip(cuprite.arange(n) - 1, 0, n - 3)
    return _solved(rows, starts, cuprite.concatenate([first, middle, last]))


def _periodic_slopes(dx, dxr, slope, y) -> ndarray:
    """The same round the circle: the last but one derivative is found from two solutions without it."""
    n = y.shape[0]
    if n == 3:
        return cuprite.broadcast_to((slope / dxr).sum(0) / (1 / dxr).sum(0), y.shape)
    before, behind = cuprite.roll(dx, 1), dx  # of the points 0 .. n - 2
    h0, h1 = on_first(before, y.ndim), on_first(behind, y.ndim)
    right = 3 * (h1 * cuprite.roll(slope, 1, axis=0) + h0 * slope)
    m = n - 2  # unknowns without the last
    rows = cuprite.stack([behind, 2 * (before + behind), before], axis=1)[:m]
    starts = cuprite.arange(m) - 1
    if m == 2:
        rows, starts = cuprite.stack([rows[0, 1:], rows[1, :2]]), cuprite.zeros(2, "int64")
    else:
        zero = cuprite.zeros(1)
        rows = cuprite.concatenate([cuprite.concatenate([rows[0, 1:], zero])[None], rows[1:m - 1],
                                    cuprite.concatenate([zero, rows[m - 1, :2]])[None]])
        starts = cuprite.clip(starts, 0, m - 3)
    unit = cuprite.zeros((m,))
    unit[0] = -behind[0]
    unit[-1] += -before[m - 1]
    one = _solved(rows, starts, right[:m])
    two = _solved(rows, starts, unit)
    shape = (m,) + (1,) * (y.ndim - 1)
    last = right[m] - before[m] * one[0] - behind[m] * one[m - 1]
    last = last / (2 * (before[m] + behind[m]) + before[m] * two[0] + behind[m] * two[m - 1])
    found = one + two.reshape(shape) * last[None]
    return cuprite.concatenate([found, last[None], found[:1]])


@beside_its_arrays
class CubicSpline(CubicHermiteSpline):
    """Cubic polynomials through points, with two continuous derivatives.

    Parameters: x: the points, ascending; y: the values; axis: of y; bc_type: 'not-a-knot', 'periodic', 'clamped',
        'natural', or two conditions, of the first and the last point, each one of these words or (order, value) of a
        derivative; extrapolate: as PPoly has it; None: 'periodic' for periodic splines, else True.
    Errors: ValueError for shapes that do not fit, points that do not ascend, numbers that are not finite, and other
        conditions.

    Example:
        >>> x = cp.asarray([0.0, 1, 2, 3])
        >>> cp.scipy.interpolate.CubicSpline(x, x ** 3)(cp.asarray([0.5, 2.5]))
        array([ 0.125, 15.625])
    """

    _is_spline = True

    def __init__(self, x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
        x, dx, y, axis, _ = _prepared(x, y, axis)
        bc = _conditions(bc_type, y)
        if any(isinstance(b, tuple) and type_of(b[1]).kind == "c" for b in bc):
            y = y.astype("complex128", copy=False)
        if extrapolate is None:
            extrapolate = "periodic" if isinstance(bc[0], str) and bc[0] == "periodic" else True
        slopes = _slopes(dx, y, bc) if y.size else cuprite.zeros_like(y)
        self._made(x, dx, y, axis, slopes, extrapolate)
