"""Signals at other rates: by polyphase filters, by Fourier's coefficients, or a filter before elements are dropped."""
from __future__ import annotations

import functools
import math
from operator import index

import cuprite
from cuprite import _numpy as numpy
from cuprite import _device, _lfilter, ndarray
from cuprite.scipy.signal import _transforms as _fft
from cuprite._beside import beside_its_arrays
from cuprite._element_types import common_type, type_of
from cuprite._windows import get_window
from cuprite.scipy.signal._arrays import along, array, axis_of, floating, here, host, near, on_axis, promoted
from cuprite.scipy.signal._filtering import filtfilt, lfilter, sosfilt, sosfiltfilt

_MODES = ("constant", "symmetric", "reflect", "edge", "wrap", "smooth", "antisymmetric", "antireflect", "line")


def _reached(x, axis, n, mode):
    """n elements before and behind x along an axis."""
    last = x.ndim - 1
    x = cuprite.moveaxis(x, axis, last)
    widths = [(0, 0)] * last + [(n, n)]
    size = x.shape[-1]
    if mode in ("symmetric", "reflect", "edge", "wrap"):
        y = cuprite.pad(x, widths, mode)
    elif mode in ("antisymmetric", "antireflect"):
        # one period and the half that is turned about the end
        if mode == "antisymmetric":
            period, rise = cuprite.concatenate([x, -x[..., ::-1]], -1), None
        else:
            rise = 2 * (x[..., -1:] - x[..., :1])
            period = cuprite.concatenate([x, 2 * x[..., -1:] - x[..., -2::-1]], -1)[..., :max(2 * size - 2, 1)]
        places = numpy.arange(-n, size + n)
        y = period[..., cuprite.asarray(places % period.shape[-1])]
        if rise is not None:
            y = y + rise * cuprite.asarray((places // period.shape[-1]).astype(type_of(x.real)))
    else:
        first, end = x[..., :1], x[..., -1:]
        if size == 1:
            before = behind = cuprite.zeros_like(first)
        elif mode == "smooth":
            before, behind = x[..., 1:2] - first, end - x[..., -2:-1]
        else:
            before = behind = (end - first) / (size - 1)
        steps = cuprite.asarray(numpy.arange(1, n + 1).astype(type_of(x.real)))
        y = cuprite.concatenate([first - before * steps[::-1], x, end + behind * steps], -1)
    return cuprite.moveaxis(y, last, axis)


@beside_its_arrays
def upfirdn(h, x, up=1, down=1, axis=-1, mode="constant", cval=0) -> ndarray:
    """up - 1 zeros behind each element, the filter h, and of that every down-th element.

    Parameters: h: the filter, 1-d; x: the signal; up: a factor; down: a factor; axis: an axis; mode: how x is
        continued, 'constant', 'symmetric', 'reflect', 'edge', 'wrap', 'smooth', 'antisymmetric', 'antireflect' or
        'line'; cval: the constant.
    Errors: ValueError for factors below 1, an unknown mode, and other than 1-d filters.

    Example:
        >>> cp.scipy.signal.upfirdn([1.0, 1.0], cp.asarray([1.0, 2.0, 3.0]), up=2)
        array([1., 1., 2., 2., 3., 3.])
    """
    h, x, up, down = array(h), array(x), index(up), index(down)
    if h.ndim != 1 or h.size == 0:
        raise ValueError("h must be 1-D with non-zero length")
    if up < 1 or down < 1:
        raise ValueError("Both up and down must be >= 1")
    mode = "constant" if mode is None else mode
    if mode not in _MODES:
        raise ValueError(f"Unknown mode: {mode}")
    if mode == "constant" and cval == 0 or not x.shape[axis_of(x, axis)]:
        return cuprite.ascontiguousarray(_lfilter.upfirdn(h, x, up, down, axis))
    axis = axis_of(x, axis)
    x = x.astype(common_type(x, "float32"), copy=False)
    n = -(-(-(-h.size // up) + 1) // down) * down
    if mode == "constant":
        widths = [(0, 0)] * x.ndim
        widths[axis] = (n, n)
        extended = cuprite.pad(x, widths, constant_values=cval)
    else:
        extended = _reached(x, axis, n, mode)
    count = ((x.shape[axis] - 1) * up + h.size - 1) // down + 1
    first = n * up // down
    return cuprite.ascontiguousarray(along(_lfilter.upfirdn(h, extended, up, down, axis), axis, first, first + count))


def lowpass(taps, cutoff, window):
    """A filter of `taps` elements that passes what lies below a part of the highest frequency; in the host's memory: so
    few numbers are not worth a launch and a wait."""
    device = _device.current()
    try:
        _device.use(-1)
        t = cuprite.arange(taps) - (taps - 1) / 2
        h = cutoff * cuprite.sinc(cutoff * t) * get_window(window, taps, False)
        return h / h.sum()
    finally:
        _device.use(device)


_kept_lowpass = functools.lru_cache(maxsize=32)(lowpass)


def _lowpass_for(rate, window):
    """The filter of resample_poly. Long ones are not kept: 32 would fill a processor's memory."""
    if rate > 4096:
        return lowpass(20 * rate + 1, 1 / rate, window)
    try:
        return _kept_lowpass(20 * rate + 1, 1 / rate, window)
    except TypeError:  # a window's parameters that have no hash
        return lowpass(20 * rate + 1, 1 / rate, window)


_STATISTICS = {"mean": cuprite.mean, "median": cuprite.median, "minimum": cuprite.amin, "maximum": cuprite.amax}


@beside_its_arrays
def resample_poly(x, up, down, axis=0, window=("kaiser", 5.0), padtype="constant", cval=None) -> ndarray:
    """x at up / down times its rate, by a polyphase filter without phase.

    Parameters: x: the signal; up: a factor; down: a factor; axis: an axis; window: of the filter, a name or tuple of
        get_window's, or the filter's coefficients; padtype: how x is continued, a mode of upfirdn's, or 'mean',
        'median', 'minimum' or 'maximum', about which x is continued by zeros; cval: the constant.
    Errors: ValueError for factors below 1, other than 1-d filters, and a cval with another padtype.
    """
    x = array(x)
    if up != int(up) or down != int(down):
        raise ValueError("up and down must be integers")
    up, down = int(up), int(down)
    if up < 1 or down < 1:
        raise ValueError("up and down must be >= 1")
    if cval is not None and padtype != "constant":
        raise ValueError("cval has no effect when padtype is not constant")
    axis = axis_of(x, axis)
    divisor = math.gcd(up, down)
    up, down = up // divisor, down // divisor
    if up == down == 1:
        return x.copy()
    n_in = x.shape[axis]
    n_out = -(-n_in * up // down)
    x = floating(x)
    if isinstance(window, (list, numpy.there("ndarray"), cuprite.ndarray)):
        h = array(window)
        if h.ndim > 1:
            raise ValueError("window must be 1-D")
        half = (h.size - 1) // 2
    else:
        half = 10 * max(up, down)
        h = _lowpass_for(max(up, down), window)
        h = h.astype(type_of(x.real))
    h = h * up
    before = down - half % down
    drop = (half + before) // down
    behind = 0
    while ((n_in - 1) * up + before + behind + h.size - 1) // down + 1 < n_out + drop:
        behind += 1
    ends = (cuprite.zeros(n, type_of(h), device=h._device) for n in (before, behind))
    h = here(cuprite.concatenate([next(ends), h, next(ends)]))
    options, about = {}, None
    if padtype in _STATISTICS:
        about = _STATISTICS[padtype](x, axis=axis, keepdims=True)
        x = x - about
    elif padtype in _MODES:
        options = {"mode": padtype, "cval": cval or 0}
    else:
        raise ValueError(f"padtype must be one of: {', '.join((*_STATISTICS, *_MODES))}")
    y = along(upfirdn(h, x, up, down, axis, **options), axis, drop, drop + n_out)
    return y.copy() if about is None else y + about


def _kept(spectrum, axis, num, least, middle):
    """The frequencies of `num` samples; the highest one, `middle`, stands for two or is made of two."""
    n, half = spectrum.shape[axis], least // 2 + 1
    shape = list(spectrum.shape)
    shape[axis] = num
    kept = cuprite.zeros(shape, type_of(spectrum))
    along(kept, axis, 0, half)[...] = along(spectrum, axis, 0, half)
    if least > 2:
        along(kept, axis, half - least, None)[...] = along(spectrum, axis, half - least, None)
    if middle is not None:
        here = along(kept, axis, middle, middle + 1)
        if num < n:
            here += along(spectrum, axis, n - middle, n - middle + 1)
        else:
            here *= 0.5
            along(kept, axis, num - middle, num - middle + 1)[...] = here
    return kept


@beside_its_arrays
def resample(x, num, t=None, axis=0, window=None, domain="time") -> ndarray | tuple[ndarray, ...]:
    """x at `num` places in equal steps, by Fourier's coefficients: x counts as periodic.

    Parameters: x: the signal, or its transform; num: how many samples; t: x's places: then their new places are
        returned too; axis: an axis; window: weights of frequencies, a name, a tuple, an array in fftfreq's order, or
        a function of frequencies; domain: 'time' or 'freq'.
    Errors: ValueError for another domain, and a window of another shape.
    """
    if domain not in ("time", "freq"):
        raise ValueError(f"Acceptable domain flags are 'time' or 'freq', not domain={domain}")
    x = floating(x)
    axis = axis_of(x, axis)
    n, num = x.shape[axis], index(num)
    real = domain == "time" and type_of(x).kind == "f"
    if domain == "freq":
        spectrum = x * (1 / n)
    else:  # divided by n, not by num behind
        spectrum = (_fft.rfft if real else _fft.fft)(x, axis=axis, norm="forward")
    if window is not None:
        if callable(window):
            w = array(window(_fft.fftfreq(n)))
        elif isinstance(window, (numpy.there("ndarray"), cuprite.ndarray)):
            if window.shape != (n,):
                raise ValueError(f"window.shape={window.shape} != {(n,)}, i.e., the window length is not equal to the "
                                 "number of frequency bins!")
            w = array(window)
        else:
            w = _fft.fftshift(get_window(window, n))  # SciPy's, for odd lengths half a place off
        if real:  # the mean of both halves' weights
            w = ((w + cuprite.roll(w[::-1], 1))[:n // 2 + 1] * 0.5).astype(type_of(x))
        spectrum = spectrum * on_axis(w, x.ndim, axis)
    least = min(num, n)
    middle = least // 2 if least % 2 == 0 and n != num else None  # both have that frequency as the highest one
    if real:
        if middle is not None:
            here = along(spectrum, axis, middle, middle + 1)
            here *= 2 if num < n else 0.5
        y = _fft.irfft(spectrum, num, axis, norm="forward")
    else:
        y = _fft.ifft(_kept(spectrum, axis, num, least, middle), axis=axis, norm="forward")
    if t is None:
        return y
    t = array(t)
    return y, cuprite.arange(num) * (t[1] - t[0]) * n / float(num) + t[0]


@beside_its_arrays
def decimate(x, q, n=None, ftype="iir", axis=-1, zero_phase=True) -> ndarray:
    """Every q-th element, behind a filter against what that would fold back.

    Parameters: x: the signal; q: a factor; n: the filter's order (None: 8, or 20 q of 'fir'); ftype: 'iir'
        (Chebyshev's of the first kind, which SciPy designs), 'fir', or a dlti; axis: an axis; zero_phase: True or
        False.
    Errors: ValueError for an unknown ftype; ImportError for 'iir' without SciPy.
    """
    x, q = array(x), index(q)
    axis = axis_of(x, axis)
    n = None if n is None else index(n)
    if ftype == "fir":
        n = 20 * q if n is None else n
        b = lowpass(n + 1, 1 / q, "hamming")
        a, sections, recursive = near([1.0]), None, False
    elif ftype == "iir":
        from cuprite.scipy.signal._by_scipy import scipy_signal
        sections = scipy_signal().cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos")
    elif hasattr(ftype, "to_zpk"):
        from cuprite.scipy.signal._by_scipy import scipy_signal
        system, fraction, sections = ftype.to_zpk(), ftype.to_tf(), None
        b, a = numpy.atleast_1d(host(fraction.num)), numpy.atleast_1d(host(fraction.den))
        recursive = system.poles.size > 0
        if recursive and "c" not in (type_of(b).kind, type_of(a).kind):
            sections = scipy_signal().zpk2sos(host(system.zeros), host(system.poles), host(system.gain))
    else:
        raise ValueError("invalid ftype")
    x = promoted(x)
    kind = type_of(x.real)
    if sections is not None:
        sos = cuprite.asarray(numpy.asarray(sections).astype(kind))
        y = sosfiltfilt(sos, x, axis) if zero_phase else sosfilt(sos, x, axis)
        return along(y, axis, None, None, q).copy()
    kind = common_type(kind, "complex64") if "c" in (type_of(b).kind, type_of(a).kind) else kind
    if recursive:  # complex: no sections
        b, a = (cuprite.asarray(numpy.asarray(v).astype(kind)) for v in (b, a))
        y = filtfilt(b, a, x, axis) if zero_phase else lfilter(b, a, x, axis)
        return along(y, axis, None, None, q).copy()
    b = here((b / a[0]).astype(kind))
    if zero_phase:
        return resample_poly(x, 1, q, axis, b)
    y = _lfilter.upfirdn(b, x, 1, q, axis)
    return along(y, axis, 0, -(-x.shape[axis] // q)).copy()
