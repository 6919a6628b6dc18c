"""B-splines of signals and images whose ends are mirrored: filters that run forth and back, and values between samples.

M. Unser, A. Aldroubi, M. Eden, "B-spline signal processing: part II", IEEE Trans. Signal Processing 41 (1993)."""
from __future__ import annotations

import math

import cuprite
from cuprite import _numpy as numpy
from cuprite import _lfilter, ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import common_type, type_of
from cuprite.scipy.signal._arrays import array, floating, host


def _lines(x):
    """x as rows, and whether it was one."""
    x = floating(x)
    if x.ndim not in (1, 2):
        raise ValueError("Input must be 1D or 2D")
    if x.shape[-1] == 0:
        raise ValueError("The signal must not be empty")
    return (x[None], True) if x.ndim == 1 else (x, False)


def _weights(x, values):
    return cuprite.asarray(numpy.asarray(values).astype(type_of(x.real)))


def _filtered(b, a, x, zi):
    coefficients = (_weights(x, c) if numpy.isrealobj(c) else cuprite.asarray(c) for c in (b, a))
    return _lfilter.lfilter(*coefficients, x, -1, zi, True)[0]


def _ended(weights, precision, kind, back=False):
    """The weights of a sum that ends as SciPy's, behind the first one that is not above the precision, or of the second
    order's way back its root; None: whole."""
    if precision is None:
        return weights
    if not 0 < precision <= 1:
        precision = 1e-6 if kind.char in "fF" else 1e-11
    ends = numpy.flatnonzero(numpy.abs(weights) <= (math.sqrt(precision) if back else precision))
    if not ends.size or ends[0] + 1 >= len(weights):
        raise ValueError("Sum to find symmetric boundary conditions did not converge.")
    return numpy.where(numpy.arange(len(weights)) <= ends[0], weights, 0)


def _given(precision, most=0.999999):
    """None, which means whole sums, for a precision that is none; SciPy's end early then, and want longer lines."""
    return precision if 0 < precision <= most else None


@beside_its_arrays
def symiirorder1(signal, c0, z1, precision=-1.0) -> ndarray:
    """c0 / ((1 - z1 / z) (1 - z1 z)) along the last axis of a signal whose ends are mirrored.

    Parameters: signal: of one or two dimensions; c0: a factor; z1: the pole, |z1| < 1; precision: the sum of the first
        state ends where its weights are no larger (not in (0, 1]: 1e-6 for float32 and complex64, else 1e-11).
    Errors: ValueError for other dimensions and poles, and where the sum does not end within the signal.
    """
    return _first_order(signal, c0, z1, precision)


def _first_order(signal, c0, z1, precision=None):
    """symiirorder1; by default the sum is over the whole signal."""
    if abs(z1) >= 1:
        raise ValueError("|z1| must be less than 1.0")
    x, one = _lines(signal)
    n = x.shape[-1]
    if isinstance(z1, complex):
        x = x + 0j
    powers = _ended(numpy.asarray(z1) ** numpy.arange(1, n + 1), precision, type_of(x))
    powers = _weights(x, powers) if numpy.isrealobj(powers) else cuprite.asarray(powers).astype(type_of(x))
    first = x[:, :1] + (x * powers).sum(-1, keepdims=True)
    a = numpy.array([1, -z1])
    forth = cuprite.concatenate([first, _filtered(numpy.ones(1), a, x[:, 1:], first * z1)], -1)
    last = forth[:, -1:] * (-c0 / (z1 - 1.0))
    back = _filtered(numpy.array([c0]), a, forth[:, -2::-1], last * z1) if n > 1 else forth[:, :0]
    y = cuprite.ascontiguousarray(cuprite.concatenate([back[:, ::-1], last], -1))
    return y[0] if one else y


def _forth(k, cs, r, omega):
    """The impulse response of cs / (1 - 2 r cos(omega) / z + r^2 / z^2) at k."""
    k = numpy.asarray(k)
    if omega == 0:
        return cs * r ** k * (k + 1.0) * (k >= 0)
    if omega == math.pi:
        return cs * r ** k * (k + 1.0) * (1 - 2 * (k % 2)) * (k >= 0)
    return cs / math.sin(omega) * r ** k * numpy.sin(omega * (k + 1)) * (k >= 0)


def _both(k, cs, r, omega):
    """That of the filter forth and back."""
    k, square = numpy.abs(k), r * r
    if omega == 0:
        gain = cs * cs * (1 + square) / (1 - square) ** 3
        return gain * r ** k * (1 + (1 - square) / (1 + square) * k)
    if omega == math.pi:
        gain = cs * cs * (1 + square) / (1 - square) ** 3
        return gain * r ** k * (1 + (1 - square) / (1 + square) * k) * (1 - 2 * (k % 2))
    gain = cs * cs * (1 + square) / (1 - square) / (1 - 2 * square * math.cos(2 * omega) + square * square)
    slope = (1 - square) / (1 + square) / math.tan(omega)
    return gain * r ** k * (numpy.cos(omega * k) + slope * numpy.sin(omega * k))


def _second_order(x, r, omega, crossed=False, precision=None):
    """The filter forth and back along the last axis. `crossed`: the second element's state as cspline1d has it."""
    n = x.shape[-1]
    if n < 3:
        raise ValueError("The signal must have at least three elements")
    cs = 1 - 2 * r * math.cos(omega) + r * r
    k = numpy.arange(n)

    def total(weights, reversed_=False):
        weights = _ended(weights, precision, type_of(x), reversed_)
        return ((x[..., ::-1] if reversed_ else x) * _weights(x, weights)).sum(-1, keepdims=True)

    h0, h1 = float(_forth(0, cs, r, omega)), float(_forth(1, cs, r, omega))
    first = x[..., :1] * h0 + total(_forth(k + 1, cs, r, omega))
    ahead = (x[..., :1] * h0 + x[..., 1:2] * h1) if crossed else (x[..., 1:2] * h0 + x[..., :1] * h1)
    second = ahead + total(_forth(k + 2, cs, r, omega))
    b, a = numpy.array([cs, 0, 0]), numpy.array([1, -2 * r * math.cos(omega), r * r])

    a1, a2 = float(a[1]), float(a[2])  # NumPy's numbers would make float64 of float32

    def state(older, newer):
        return cuprite.concatenate([-a1 * newer - a2 * older, -a2 * newer], -1)

    forth = cuprite.concatenate([first, second, _filtered(b, a, x[..., 2:], state(first, second))], -1)
    last = total(_both(k, cs, r, omega) + _both(k + 1, cs, r, omega), True)
    before = total(_both(k - 1, cs, r, omega) + _both(k + 2, cs, r, omega), True)
    back = _filtered(b, a, forth[..., -3::-1], state(last, before))
    return cuprite.concatenate([back[..., ::-1], before, last], -1)


@beside_its_arrays
def symiirorder2(input, r, omega, precision=-1.0) -> ndarray:
    """A filter of second order forth and back along the last axis of a signal whose ends are mirrored.

    Parameters: input: of one or two dimensions; r: the poles' magnitude, below 1; omega: their angle; precision: the
        first states' sums end where their weights are no larger, on the way back than its root (not in (0, 1]: sums
        over the whole signal).
    Errors: ValueError for other dimensions and poles, and where a sum does not end within the signal.
    """
    r, omega = float(r), float(omega)
    if abs(r) >= 1.0:
        raise ValueError("r must be less than 1.0")
    x, one = _lines(input)
    y = _second_order(x, r, omega, precision=_given(precision, 1))
    return y[0] if one else y


# --- coefficients ---

_CUBIC, _QUADRATIC = math.sqrt(3.0) - 2, 2 * math.sqrt(2.0) - 3


def _smoothing_poles(lamb):
    """(magnitude, angle) of a smoothing spline's poles, for a lamb above 1/144."""
    root = math.sqrt(3 + 144 * lamb)
    xi = 1 - 96 * lamb + 24 * lamb * root
    angle = math.atan2(math.sqrt(144 * lamb - 1), math.sqrt(xi))
    return (24 * lamb - 1 - math.sqrt(xi)) / (24 * lamb) * math.sqrt((48 * lamb + 24 * lamb * root) / xi), angle


def _line(signal):
    """As float64 or complex128."""
    x = array(signal)
    if x.ndim != 1:
        raise ValueError("The signal must be 1-D")
    return x.astype("complex128" if type_of(x).kind == "c" else "float64", copy=False)


@beside_its_arrays
def cspline1d(signal, lamb=0.0) -> ndarray:
    """Coefficients of the cubic spline through samples.

    Parameters: signal: 1-d; lamb: how much the spline is smoothed, above 1/144 (0: not at all).
    Errors: ValueError for other dimensions, and another lamb.
    """
    x = _line(signal)
    if lamb != 0.0:
        if lamb <= 1 / 144:
            raise ValueError(f"lamb must be 0 or above 1/144, not {lamb}")
        return _second_order(x, *_smoothing_poles(lamb), crossed=True)
    return _first_order(x, -6 * _CUBIC, _CUBIC) if x.size > 1 else x.copy()  # a constant signal's are its value


@beside_its_arrays
def qspline1d(signal, lamb=0.0) -> ndarray:
    """Coefficients of the quadratic spline through samples.

    Parameters: signal: 1-d; lamb: 0.
    Errors: ValueError for other dimensions and another lamb.
    """
    if lamb != 0.0:
        raise ValueError("Smoothing quadratic splines not supported yet.")
    x = _line(signal)
    return _first_order(x, -8 * _QUADRATIC, _QUADRATIC) if x.size > 1 else x.copy()


def _both_axes(x, function):
    return function(function(x).T).T.copy()


def _image(signal):
    x = array(signal)
    if x.ndim != 2:
        raise ValueError("The image must be 2-D")
    return floating(x)


@beside_its_arrays
def cspline2d(signal, lamb=0.0, precision=-1.0) -> ndarray:
    """Coefficients of the cubic spline through an image.

    Parameters: signal: 2-d; lamb: how much the spline is smoothed, above 1/144; precision: as
        symiirorder1's (not in (0, 1): sums over the whole lines).
    Errors: ValueError for other dimensions, and where a sum does not end within a line.
    """
    x, precision = _image(signal), _given(precision)
    if lamb <= 1 / 144.0:
        return _both_axes(x, lambda v: _first_order(v, -6 * _CUBIC, _CUBIC, precision))
    poles = _smoothing_poles(lamb)
    return _both_axes(_lines(x)[0], lambda v: _second_order(v, *poles, precision=precision))


@beside_its_arrays
def qspline2d(signal, lamb=0.0, precision=-1.0) -> ndarray:
    """Coefficients of the quadratic spline through an image.

    Parameters: signal: 2-d; lamb: 0; precision: as symiirorder1's (not in (0, 1): sums over the whole lines).
    Errors: ValueError for other dimensions, a lamb above 0, and where a sum does not end within a line.
    """
    if lamb > 0:
        raise ValueError("lambda must be negative or zero")
    precision = _given(precision)
    return _both_axes(_image(signal), lambda v: _first_order(v, -8 * _QUADRATIC, _QUADRATIC, precision))


# --- values ---

def _cubic(x):
    x = abs(x)
    return cuprite.where(x < 1, 2 / 3 - 0.5 * x * x * (2 - x), cuprite.where(x < 2, (2 - x) ** 3 / 6, 0))


def _quadratic(x):
    x = abs(x)
    return cuprite.where(x < 0.5, 0.75 - x * x, cuprite.where(x < 1.5, (x - 1.5) ** 2 / 2, 0))


def _values(cj, newx, dx, x0, basis, reach, terms):
    cj = array(cj)
    if cj.size == 0:
        raise ValueError("Spline coefficients 'cj' must not be empty.")
    if cj.ndim != 1:
        raise ValueError("Spline coefficients 'cj' must be 1-D")
    cj = floating(cj)
    x = (array(newx) - x0) / float(dx)
    if not x.size:
        return cuprite.zeros(x.shape, type_of(cj))
    last = cj.size - 1
    # mirrored at both ends; what is no number stays none
    x = last - abs(cuprite.mod(x, 2 * last) - last) if last else x - x
    lower = cuprite.floor(x - reach).astype(int) + 1
    y = 0
    for i in range(terms):
        at = lower + i
        y = y + cj[cuprite.clip(at, 0, last)] * basis(x - at)
    return cuprite.where(cuprite.isnan(x), x, y).astype(type_of(cj), copy=False)


@beside_its_arrays
def cspline1d_eval(cj, newx, dx=1.0, x0=0) -> ndarray:
    """Values of a cubic spline.

    Parameters: cj: cspline1d's coefficients; newx: places; dx: the samples' spacing; x0: the first one's place.
    Errors: ValueError where there are no coefficients.
    """
    kind = type_of(array(cj))
    y = _values(cj, newx, dx, x0, _cubic, 2, 4)
    return y.astype(kind) if kind.char == "e" else y


@beside_its_arrays
def qspline1d_eval(cj, newx, dx=1.0, x0=0) -> ndarray:
    """Values of a quadratic spline.

    Parameters: cj: qspline1d's coefficients; newx: places; dx: the samples' spacing; x0: the first one's place.
    Errors: ValueError where there are no coefficients.
    """
    y = _values(cj, newx, dx, x0, _quadratic, 1.5, 3)
    return y.astype("complex128" if type_of(y).kind == "c" else "float64", copy=False)


@beside_its_arrays
def sepfir2d(input, hrow, hcol) -> ndarray:
    """An image through a filter along its rows and one along its columns, reflected at its edges.

    Parameters: input: 2-d; hrow: a filter of odd length; hcol: another.
    Errors: ValueError for other shapes.
    """
    from cuprite.scipy.ndimage import convolve1d
    x, hrow, hcol = array(input), array(hrow), array(hcol)
    if x.ndim != 2:
        raise ValueError("The image must be 2-D")
    x = x.astype(common_type(x, "float32"), copy=False)  # SciPy's: float32 of short integers
    if hrow.ndim != 1 or hcol.ndim != 1:
        raise ValueError("object too deep for desired array")
    if not hrow.size % 2 or not hcol.size % 2:
        raise ValueError("hrow and hcol must be odd length")
    return convolve1d(convolve1d(x, host(hrow), -1, mode="reflect"), host(hcol), 0, mode="reflect")


@beside_its_arrays
def spline_filter(Iin, lmbda=5.0) -> ndarray:
    """An image smoothed by a cubic spline.

    Parameters: Iin: 2-d, of a floating type; lmbda: how much.
    Errors: TypeError for other types.
    """
    x = array(Iin)
    if type_of(x).char not in "fdFD":
        raise TypeError(f"Invalid data type for Iin: {x.dtype = }")
    h = numpy.array([1.0, 4.0, 1.0]) / 6.0
    return sepfir2d(cspline2d(x, lmbda), h, h).astype(type_of(x), copy=False)
