"""Filters of signals: recurrences and sections, forth and back, states, analytic signals, trends."""
from __future__ import annotations

from operator import index

import cuprite
from cuprite import _numpy as numpy
from cuprite import _lfilter, _spectra, ndarray
from cuprite.scipy.signal import _transforms as _fft
from cuprite._beside import beside_its_arrays
from cuprite._element_types import common_type, type_of
from cuprite.scipy.signal._arrays import along, array, axis_of, floating, here, host, near, on_axis, padded, promoted


def _coefficients(b, name):
    b = array(b)
    if b.ndim > 1:
        raise ValueError(f"{name} must be 1-D")
    return cuprite.atleast_1d(b)


@beside_its_arrays
def lfilter(b, a, x, axis=-1, zi=None) -> ndarray | tuple[ndarray, ...]:
    """A filter along an axis: a[0] y[n] = b[0] x[n] + b[1] x[n - 1] + ... - a[1] y[n - 1] - ...

    Parameters: b: the numerator's coefficients, 1-d; a: the denominator's, a[0] not 0; x: the signal; axis: an axis;
        zi: the state to begin with, max(len(a), len(b)) - 1 elements along the axis, or as CuPy has it len(b) - 1
        inputs and len(a) - 1 outputs before the first, the oldest first.
    Result: y, or with zi (y, zf), zf the state behind the last element, in zi's form.
    Errors: ValueError for a[0] = 0 and for shapes that do not fit.

    Example:
        >>> cp.scipy.signal.lfilter([1.0], [1.0, -0.5], cp.asarray([1.0, 0.0, 0.0]))
        array([1.  , 0.5 , 0.25])
    """
    b, a, x = _coefficients(b, "b"), _coefficients(a, "a"), array(x)
    if zi is None:
        return cuprite.ascontiguousarray(_lfilter.lfilter(b, a, x, axis, None, False))
    zi = array(zi)
    if _is_history(zi, x, axis, b.size + a.size - 2, max(b.size, a.size) - 1):
        return _lfilter_from_history(b, a, x, axis_of(x, axis), zi)
    y, zf = _lfilter.lfilter(b, a, x, axis, zi, True)
    return cuprite.ascontiguousarray(y), zf


def _is_history(zi, x, axis, many, order):
    """Whether a state is CuPy's: the inputs and outputs before the first, which are more than SciPy's sums of them."""
    return many > order and x.ndim == zi.ndim and zi.shape[axis_of(x, axis)] == many


def _state_of_history(b, a, history):
    """SciPy's state of what is along the last axis."""
    order, parts = max(b.size, a.size) - 1, []
    for c, sign in ((b, 1), (a, -1)):
        # element m of the state has the input (output) of lag k times the coefficient m + k
        place = numpy.arange(order)[:, None] + numpy.arange(c.size - 1, 0, -1)
        c = c / a[0] * sign  # in this order: unsigned numbers have no -1
        padded = cuprite.concatenate([c, cuprite.zeros(1, type_of(c))])
        parts.append(padded[cuprite.asarray(numpy.minimum(place, c.size))])
    return history @ cuprite.concatenate(parts, 1).T


def _lfilter_from_history(b, a, x, axis, zi):
    x, zi = cuprite.moveaxis(x, axis, -1), cuprite.moveaxis(zi, axis, -1)
    zi = cuprite.broadcast_to(zi, (*x.shape[:-1], zi.shape[-1]))
    inputs, outputs = b.size - 1, a.size - 1
    y, _ = _lfilter.lfilter(b, a, x, -1, _state_of_history(b, a, zi), True)
    past = cuprite.concatenate([zi[..., :inputs], x], -1), cuprite.concatenate([zi[..., inputs:], y], -1)
    kept = [p[..., p.shape[-1] - n:] for p, n in zip(past, (inputs, outputs))]
    zf = cuprite.concatenate(kept, -1).astype(type_of(y), copy=False)
    return tuple(cuprite.ascontiguousarray(cuprite.moveaxis(v, -1, axis)) for v in (y, zf))


@beside_its_arrays
def sosfilt(sos, x, axis=-1, zi=None) -> ndarray | tuple[ndarray, ...]:
    """A filter in sections of second order along an axis.

    Parameters: sos: (sections, 6), each b0 b1 b2 1 a1 a2; x: the signal; axis: an axis; zi: the states to begin with,
        (sections, x's shape with 2 along the axis), or as CuPy has it with 4: two inputs and two outputs of each
        section before the first, the oldest first.
    Result: y, or with zi (y, zf), zf in zi's form.
    Errors: ValueError for shapes that do not fit and for sections whose a0 is not 1.
    """
    sos, x = _sections(sos), array(x)
    if zi is None:
        return cuprite.ascontiguousarray(_lfilter.sosfilt(sos, x, axis, None, False))
    zi = array(zi)
    if zi.shape[:1] == sos.shape[:1] and x.ndim and _is_history(zi[0], x, axis, 4, 2):
        return _sosfilt_from_history(sos, x, axis_of(x, axis), zi)
    y, zf = _lfilter.sosfilt(sos, x, axis, zi, True)
    return cuprite.ascontiguousarray(y), zf


def _sosfilt_from_history(sos, x, axis, zi):
    if bool((sos[:, 3] != 1).any()):
        raise ValueError("sos[:, 3] should be all ones")
    states = []
    for section, state in zip(sos, zi):
        x, zf = _lfilter_from_history(section[:3], section[3:], x, axis, state)
        states.append(zf)
    return x, cuprite.stack(states)


def _sections(sos):
    sos = cuprite.atleast_2d(array(sos))
    if sos.ndim != 2:
        raise ValueError("sos array must be 2D")
    if sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    return sos


@beside_its_arrays
def lfilter_zi(b, a) -> ndarray:
    """The state of lfilter for the steady response to a step.

    Parameters: b: the numerator's coefficients; a: the denominator's.
    Result: max(len(a), len(b)) - 1 elements.
    Errors: ValueError for other than 1-d coefficients and for an `a` of zeros.
    """
    return here(_spectra.lfilter_zi(near(b), near(a)))


@beside_its_arrays
def sosfilt_zi(sos) -> ndarray:
    """The states of sosfilt for the steady response to a step.

    Parameters: sos: (sections, 6).
    Result: (sections, 2).
    Errors: ValueError for another shape and for sections whose a0 is not 1.
    """
    return here(_spectra.sosfilt_zi(near(_sections(sos))))


@beside_its_arrays
def lfiltic(b, a, y, x=None) -> ndarray:
    """The state of lfilter from what it gave and was given before.

    Parameters: b: the numerator's coefficients; a: the denominator's; y: outputs, the latest first; x: inputs, the
        latest first (None: zeros).
    Result: max(len(a), len(b)) - 1 elements.
    Errors: ValueError for a[0] = 0, and for other than 1-d arguments.
    """
    return here(_spectra.lfiltic(near(b), near(a), near(y), None if x is None else near(x)))


# --- forth and back ---

def _extended(x, axis, padtype, padlen, usual):
    """(n, x with n elements more at each end)."""
    if padtype not in ("even", "odd", "constant", None):
        raise ValueError(f"Unknown value '{padtype}' given to padtype. padtype must be 'even', 'odd', 'constant', or "
                         "None.")
    n = 0 if padtype is None else usual if padlen is None else padlen
    if n < 0 or x.shape[axis] <= n:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {n}.")
    return n, padded(x, n, axis, padtype) if n > 0 else x


def _with(kind, x):
    """x in the type that it has with coefficients of a type: short integers are float32 beside float32."""
    return floating(x.astype(common_type(kind, x)) if kind.kind in "fc" and type_of(x).kind in "iu" else x)


def _without(y, n, axis):
    return along(y, axis, n, -n).copy() if n > 0 else y


@beside_its_arrays
def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None) -> ndarray:
    """A filter forth and back: twice the filter's order, no phase.

    Parameters: b: the numerator's coefficients; a: the denominator's; x: the signal; axis: an axis; padtype: how x is
        continued, 'odd', 'even', 'constant' or None; padlen: by how many elements at each end (None: 3 max(len(a),
        len(b))); method: 'pad', or 'gust' for Gustafsson's, which needs no continuation; irlen: for 'gust' the length
        of the impulse response, beyond which it counts as over.
    Errors: ValueError for an unknown method or padtype and for a padlen that is not below x's length.
    """
    b, a, x = _coefficients(b, "b"), _coefficients(a, "a"), array(x)
    x = _with(common_type(b, a), x)
    axis = axis_of(x, axis)
    if method not in ("pad", "gust"):
        raise ValueError("method must be 'pad' or 'gust'.")
    if method == "gust":
        return _gustafsson(b, a, x, axis, irlen)[0]
    n, extended = _extended(x, axis, padtype, padlen, 3 * max(a.size, b.size))
    zi = on_axis(lfilter_zi(b, a), x.ndim, axis)
    y, _ = _lfilter.lfilter(b, a, extended, axis, zi * along(extended, axis, 0, 1), True)
    y = cuprite.flip(y, axis)
    y, _ = _lfilter.lfilter(b, a, y, axis, zi * along(y, axis, 0, 1), True)
    return _without(cuprite.flip(y, axis), n, axis) if n else cuprite.flip(y, axis).copy()


def _gustafsson(b, a, x, axis, irlen):
    """(y, state forth, state back): the initial states for which both orders of the two passes agree best.

    F. Gustafsson, "Determining the initial states in forward-backward filtering", IEEE Trans. Signal Processing 44
    (1996)."""
    if not b.size or not a.size:
        raise ValueError(f"{'a' if b.size else 'b'} is empty")
    if irlen is not None and irlen < 1:
        raise ValueError(f"irlen must be positive, not {irlen}")
    if not x.size:
        raise ValueError("The input vector x must not be empty.")
    order = max(b.size, a.size) - 1
    if not order:
        return x * (b[0] / a[0]) ** 2, None, None
    x = cuprite.moveaxis(x, axis, -1)
    n = x.shape[-1]
    m = n if irlen is None or n <= 2 * irlen else irlen
    kind = common_type(b, a, x)
    # column k: what the filter gives of zeros from the k-th state on
    first = _lfilter.lfilter(b, a, cuprite.zeros(m, kind), 0, cuprite.eye(1, order, dtype=kind)[0], True)[0]
    observed = cuprite.zeros((m, order), kind)
    for k in range(order):
        observed[k:, k] = first[:m - k]
    backward = observed[::-1]
    back = _lfilter.lfilter(b, a, backward.copy(), 0)
    forth = back[::-1]
    many = 2 * m if m < n else m
    equations, response = cuprite.zeros((many, 2 * order), kind), cuprite.zeros((many, 2 * order), kind)
    equations[:m, :order], response[:m, :order] = forth - observed, forth
    equations[many - m:, order:], response[many - m:, order:] = backward - back, backward
    once = _lfilter.lfilter(b, a, x, -1)
    forth_back = _lfilter.lfilter(b, a, once[..., ::-1], -1)[..., ::-1]
    once = _lfilter.lfilter(b, a, x[..., ::-1], -1)[..., ::-1]
    difference = _lfilter.lfilter(b, a, once, -1) - forth_back
    if m < n:
        difference = cuprite.concatenate([difference[..., :m], difference[..., n - m:]], -1)
    rows = difference.reshape(-1, many).T
    states = cuprite.linalg.lstsq(equations, rows, rcond=None)[0]
    correction = (response @ states).T.reshape(difference.shape)
    y = forth_back.copy()
    y[..., :m] += correction[..., :m]
    if m < n:
        y[..., n - m:] += correction[..., m:]
    shape = (*x.shape[:-1], order)
    return (cuprite.moveaxis(y, -1, axis), states[:order].T.reshape(shape), states[order:].T.reshape(shape))


@beside_its_arrays
def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None) -> ndarray:
    """A filter in sections of second order, forth and back.

    Parameters: sos: (sections, 6); x: the signal; axis: an axis; padtype: how x is continued, 'odd', 'even',
        'constant' or None; padlen: by how many elements at each end (None: SciPy's number).
    Errors: ValueError for another shape, an unknown padtype, and a padlen that is not below x's length.
    """
    sos, x = _sections(sos), array(x)
    x = _with(type_of(sos), x)
    axis = axis_of(x, axis)
    rows, states = near(sos), sosfilt_zi(sos)
    taps = 2 * len(rows) + 1 - min(int((rows[:, 2] == 0).sum()), int((rows[:, 5] == 0).sum()))
    n, extended = _extended(x, axis, padtype, padlen, 3 * taps)
    shape = [len(rows)] + [1] * x.ndim
    shape[axis + 1] = 2
    zi = states.reshape(shape)
    y, _ = _lfilter.sosfilt(sos, extended, axis, zi * along(extended, axis, 0, 1), True)
    y = cuprite.flip(y, axis)
    y, _ = _lfilter.sosfilt(sos, y, axis, zi * along(y, axis, 0, 1), True)
    return _without(cuprite.flip(y, axis), n, axis) if n else cuprite.flip(y, axis).copy()


@beside_its_arrays
def deconvolve(signal, divisor) -> tuple[ndarray, ...]:
    """(quotient, remainder) with signal = convolve(divisor, quotient) + remainder.

    Parameters: signal: 1-d; divisor: 1-d, its first element not 0.
    Errors: ValueError for other shapes.
    """
    return _spectra.deconvolve(array(signal), array(divisor))


# --- analytic signals ---

def _real_only(x):
    x = array(x)
    if type_of(x).kind == "c":
        raise ValueError("x must be real.")
    return floating(x)


@beside_its_arrays
def hilbert(x, N=None, axis=-1) -> ndarray:
    """The analytic signal, whose imaginary part is the Hilbert transform.

    Parameters: x: real; N: the number of elements that are transformed (None: all); axis: an axis.
    Errors: ValueError for complex x, and for an N that is not positive.
    """
    x = _real_only(x)
    axis = axis_of(x, axis)
    n = x.shape[axis] if N is None else N
    if n <= 0:
        raise ValueError("N must be positive.")
    if x._device < 0:  # half the work, but more steps
        return cuprite.ascontiguousarray(_spectra.analytic_signal(x, n, axis))
    spectrum = _fft.rfft(x, n, axis)
    positive = along(spectrum, axis, 1, (n + 1) // 2)
    positive *= 2
    return _fft.ifft(spectrum, n, axis)  # negative frequencies are 0


@beside_its_arrays
def hilbert2(x, N=None, axes=(-2, -1)) -> ndarray:
    """The analytic signal of two dimensions: of frequencies that are positive along both.

    Parameters: x: real, of two dimensions at least; N: lengths that are transformed, one for both or two (None: x's
        own); axes: the two axes.
    Errors: ValueError for complex x, other than two different axes, and lengths that are not positive.
    """
    x = array(x)
    x = _real_only(cuprite.atleast_2d(x) if x.ndim < 2 else x)
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("axes must be a tuple of length 2")
    axes = tuple(axis_of(x, a) for a in axes)
    if axes[0] == axes[1]:
        raise ValueError("axes must contain 2 distinct axes")
    if N is None:
        shape = tuple(x.shape[a] for a in axes)
    elif numpy.ndim(N) == 0:
        if N <= 0:
            raise ValueError("N must be positive.")
        shape = (index(N), index(N))
    else:
        shape = tuple(index(n) for n in N)
        if len(shape) != 2 or min(shape) <= 0:
            raise ValueError("When given as a tuple, N must hold exactly two positive integers")
    spectrum = _fft.fft2(x, shape, axes)
    for axis, n in zip(axes, shape):
        h = cuprite.zeros(n, type_of(x))
        h[:(n + 1) // 2] = 2
        h[0] = 1
        spectrum *= on_axis(h, x.ndim, axis)
    return _fft.ifft2(spectrum, axes=axes)


# --- trends ---

@beside_its_arrays
def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False) -> ndarray:
    """data without its mean or its least-squares line.

    Parameters: data: the signal; axis: an axis; type: 'linear' ('l') or 'constant' ('c'); bp: where one line ends and
        the next one begins; overwrite_data: True or False (never needed).
    Errors: ValueError for another type, and a bp beyond the data.
    """
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    data = array(data)
    axis = axis_of(data, axis)
    if type in ("constant", "c"):
        kept = type_of(data).char == "e"
        data = floating(data)
        centred = data - data.mean(axis, keepdims=True)
        return centred.astype("e") if kept else centred
    data = cuprite.ascontiguousarray(promoted(data))
    n = data.shape[axis]
    if isinstance(bp, int) and bp == 0:
        return _without_line(data, axis)
    ends = numpy.unique(numpy.concatenate([[0], numpy.atleast_1d(host(bp)).ravel(), [n]])).astype(int)
    if ends.size and (ends[-1] > n or ends[0] < 0):
        raise ValueError("Breakpoints must be less than length of data along given axis.")
    result = cuprite.empty(data.shape, type_of(data))
    for begin, end in zip(ends, ends[1:]):
        along(result, axis, int(begin), int(end))[...] = _without_line(along(data, axis, int(begin), int(end)), axis)
    return result


def _without_line(x, axis):
    n = x.shape[axis]
    if n == 0:
        return x.copy()
    centred = x - x.mean(axis, keepdims=True)
    if n == 1:
        return centred
    t = cuprite.arange((1 - n) / 2, (n + 1) / 2, dtype=type_of(x.real))  # n places around 0
    last = centred if axis == x.ndim - 1 else cuprite.moveaxis(centred, axis, -1)
    slope = (last @ t) * (12 / (n * (n * n - 1)))  # by the sum of squares
    centred -= cuprite.expand_dims(slope, axis) * on_axis(t, x.ndim, axis)
    return centred
