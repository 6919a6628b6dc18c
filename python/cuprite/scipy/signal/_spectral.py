"""Spectra of signals: periodograms, Welch's averages, short transforms there and back, and those of uneven samples."""
from __future__ import annotations

import functools
import warnings
from operator import index

import cuprite
from cuprite import _numpy as numpy
from cuprite import _device, _signal, _spectra, ndarray
from cuprite.scipy.signal import _transforms as _fft
from cuprite._beside import beside_its_arrays
from cuprite._element_types import common_type, type_of
from cuprite._windows import get_window
from cuprite.lib.stride_tricks import as_strided
from cuprite.scipy.signal._arrays import array, axis_of, floating, host, padded
from cuprite.scipy.signal._filtering import detrend as _detrend

_BOUNDARIES = {"even": "even", "odd": "odd", "constant": "constant", "zeros": "zeros", None: None}


@functools.lru_cache(maxsize=32)
def _held_window(window, nperseg, device):
    """The window of a name, in the host's memory, where it is scaled."""
    w = cuprite.asarray(get_window(window, nperseg), device="cpu")
    w.flags.writeable = False
    return w


def _named_window(window, nperseg):
    try:
        return _held_window(window, nperseg, _device.current())
    except TypeError:  # a parameter that is no key
        return get_window(window, nperseg)


def _window_of(window, nperseg, length):
    """(the window, its length). Errors: ValueError."""
    if isinstance(window, (str, tuple)):
        nperseg = 256 if nperseg is None else nperseg
        if nperseg > length:
            warnings.warn(f"nperseg = {nperseg} is greater than input length  = {length}, using nperseg = {length}",
                          stacklevel=4)
            nperseg = length
        return _named_window(window, nperseg), nperseg
    w = array(window)
    if w.ndim != 1:
        raise ValueError("window must be 1-D")
    if length < w.shape[0]:
        raise ValueError("window is longer than input signal")
    if nperseg is not None and nperseg != w.shape[0]:
        raise ValueError("value specified for nperseg is different from length of window")
    return w, w.shape[0]


def _segments(x, nperseg, step):
    """Overlapping segments of the last axis: a view (..., how many, nperseg)."""
    count = (x.shape[-1] - nperseg) // step + 1
    return as_strided(x, (*x.shape[:-1], count, nperseg), (*x.strides[:-1], step * x.strides[-1], x.strides[-1]))


def _without_trend(how):
    """A function of segments, or None."""
    if not how:
        return None
    return how if callable(how) else functools.partial(_detrend, axis=-1, type=how)


def _in_order(x, axis, trend):
    """The axis last, and a function that is given it there."""
    if axis == x.ndim - 1 or not callable(trend):
        return trend
    return lambda d: cuprite.moveaxis(trend(cuprite.moveaxis(d, -1, axis)), axis, -1)


def _transforms(segments, window, trend, nfft, one_sided):
    pieces = segments if trend is None else trend(segments)
    ours = getattr(trend, "func", None) is _detrend  # then it is a new array
    if ours and common_type(pieces, window) == type_of(pieces):
        pieces *= window
    else:
        pieces = pieces * window
    return (_fft.rfft if one_sided else _fft.fft)(pieces, nfft, -1)


def _outer_shape(x, y, at, other):
    """The shape of two signals beside their axes."""
    rest = x.shape[:at] + x.shape[at + 1:], y.shape[:other] + y.shape[other + 1:]
    try:
        return numpy.broadcast_shapes(*rest)
    except ValueError as why:
        raise ValueError("x and y cannot be broadcast together.") from why


def _ending(x, n):
    """x with zeros up to n elements of the last axis."""
    return x if x.shape[-1] == n else cuprite.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, n - x.shape[-1])])


def _lengths(nperseg, noverlap, nfft):
    """(overlap, length of the transforms). Errors: ValueError."""
    nfft = nperseg if nfft is None else int(nfft)
    if nfft < nperseg:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    noverlap = nperseg // 2 if noverlap is None else int(noverlap)
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    return noverlap, nfft


def _scaled(w, scaling, fs, mode, folded):
    """The window times what makes transforms densities or spectra; for `folded` ones of all frequencies but the first
    and the last, which count twice."""
    if scaling not in ("density", "spectrum"):
        raise ValueError(f"Unknown scaling: {scaling!r}")
    fs = abs(fs) if mode == "psd" else fs  # the sign comes behind
    below = fs * (w * w).sum() if scaling == "density" else w.sum() ** 2
    return w * cuprite.sqrt((2.0 if folded else 1.0) / below)


def _one_sided(wanted, *arrays):
    if wanted and any(type_of(v).kind == "c" for v in arrays):
        warnings.warn("Input data is complex, switching to return_onesided=False", stacklevel=4)
        return False
    return bool(wanted)


def _continued(x, n, boundary, step, pad):
    """x with n elements at each end by the boundary's rule, then with zeros that fill the last segment."""
    if boundary == "zeros":
        begin, size = n // 2, x.shape[-1] + n // 2 * 2
        whole = cuprite.zeros((*x.shape[:-1], size + (-(size - n) % step % n if pad else 0)), type_of(x))
        whole[..., begin:begin + x.shape[-1]] = x
        return whole
    if boundary is not None:
        x = padded(x, n // 2, x.ndim - 1, boundary)
    return _ending(x, x.shape[-1] + -(x.shape[-1] - n) % step % n) if pad else x


def _computed(x, kind):
    """The operand as it is computed: integers as float64, and no operand in less precision than the results."""
    x = floating(x)
    return x.astype("D" if type_of(x).kind == "c" else "d", copy=False) if kind.char == "D" else x


def _helper(x, y, fs, window, nperseg, noverlap, nfft, detrend, onesided, scaling, axis, mode="psd", boundary=None,
            pad=False):
    """(frequencies, times, transforms or spectra), frequencies along the signal's axis, times along the last one.
    For mode 'psd' the second operand's transform times the first one's conjugate."""
    same = y is x
    x = array(x)
    y = x if same else array(y)
    # of the results: complex64 of integers of 8 and 16 bits too
    kind = common_type(x, y, "complex64")
    x = _computed(x, kind)
    y = x if same else _computed(y, kind)
    if boundary not in _BOUNDARIES:
        raise ValueError(f"Unknown boundary option '{boundary}', must be one of: {list(_BOUNDARIES)}")
    axis = index(axis)
    at, other = axis_of(x, axis), axis_of(y, axis)
    outer = None if same else _outer_shape(x, y, at, other)
    if x.size == 0 or y.size == 0:
        shape = x.shape if same else (*outer, min(x.shape[at], y.shape[other]))
        empty = cuprite.empty(shape) if same else cuprite.moveaxis(cuprite.empty(shape), -1, axis)
        return empty, cuprite.empty(empty.shape), cuprite.empty(empty.shape)
    trend = _in_order(x, at, detrend)
    x, y = cuprite.moveaxis(x, axis, -1), cuprite.moveaxis(y, axis, -1)
    n = max(x.shape[-1], y.shape[-1])
    x, y = _ending(x, n), y if same else _ending(y, n)
    if nperseg is not None and int(nperseg) < 1:
        raise ValueError("nperseg must be a positive integer")
    w, nperseg = _window_of(window, None if nperseg is None else int(nperseg), n)
    noverlap, nfft = _lengths(nperseg, noverlap, nfft)
    step = nperseg - noverlap
    x = _continued(x, nperseg, boundary, step, pad)
    sided = _one_sided(onesided, x, y, w)
    lengths = nperseg, step, nfft
    if same and x._device < 0 and fs > 0 and (not trend or trend in ("constant", "linear")):
        result = _by_cache(x, w, lengths, trend or "none", scaling, fs, mode, sided)
    else:
        y = x if same else _continued(y, nperseg, boundary, step, pad)
        result = _by_steps(x, y, w, lengths, _without_trend(trend), scaling, fs, mode, sided)
    times = cuprite.arange(nperseg / 2, x.shape[-1] - nperseg / 2 + 1, step) / float(fs)
    if boundary is not None:
        times -= (nperseg / 2) / fs
    result = result.astype(kind if mode == "stft" or not same else kind.real, copy=False)
    frequencies = (_fft.rfftfreq if sided else _fft.fftfreq)(nfft, 1 / fs)
    return frequencies, times, cuprite.moveaxis(result, -1, axis - 1 if axis < 0 else axis)


def _by_cache(x, w, lengths, trend, scaling, fs, mode, sided):
    """Some segments after the other, so that what lies between stays in the cache: on the CPU."""
    if scaling not in ("density", "spectrum"):
        raise ValueError(f"Unknown scaling: {scaling!r}")
    call = _spectra.spectrogram if mode == "psd" else _spectra.stft
    return cuprite.moveaxis(call(x, array(w), *lengths[1:], fs, trend, not sided, scaling), -1, -2)


def _by_steps(x, y, w, lengths, trend, scaling, fs, mode, sided):
    """All segments in each step, with a scaled window: few passes of a GPU."""
    nperseg, step, nfft = lengths
    folded = sided and mode == "psd"
    w = _scaled(w, scaling, fs, mode, folded)
    w = w.astype(common_type(x, "complex64") if type_of(w).kind == "c" else type_of(x.real))
    w = cuprite.asarray(w, device=x._device)
    result = _transforms(_segments(x, nperseg, step), w, trend, nfft, sided)
    if mode == "psd" and y is x:
        result = abs(result)
        result *= result
    elif mode == "psd":
        result = result.conj() * _transforms(_segments(y, nperseg, step), w, trend, nfft, sided)
    if mode == "psd" and scaling == "density" and fs < 0:
        result *= -1
    if folded:
        ends = result[..., ::nfft if nfft % 2 else max(nfft // 2, 1)]
        ends *= 0.5
    return result


def _averaged(spectra, average):
    """The average over segments, the last axis."""
    if average not in ("mean", "median"):
        raise ValueError(f'average must be "median" or "mean", got {average}')
    if spectra.shape[-1] == 1:
        return spectra.reshape(spectra.shape[:-1])
    if average == "mean":
        return spectra.mean(-1)
    n = spectra.shape[-1]
    # of a sum of two squares the median is below the mean by that (B. Allen et al., FINDCHIRP, 2012, appendix B)
    bias = 1 + sum(1 / (k + 1) - 1 / k for k in range(2, n + 1 - (n + 1) % 2, 2))
    if type_of(spectra).kind == "c":
        return (cuprite.median(spectra.real, -1) + 1j * cuprite.median(spectra.imag, -1)) / bias
    return cuprite.median(spectra, -1) / bias


@beside_its_arrays
def csd(x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
        scaling="density", axis=-1, average="mean") -> tuple[ndarray, ...]:
    """The cross spectral density of two signals, by Welch's method: an average over segments that overlap.

    Parameters: x: a signal; y: another; fs: the sampling rate; window: a name, a tuple, or weights; nperseg: a
        segment's length (None: 256, or the window's); noverlap: by how much segments overlap (None: half); nfft: the
        length of the transforms; detrend: 'constant', 'linear', a function or False; return_onesided: whether real
        signals' halves are folded; scaling: 'density' or 'spectrum'; axis: an axis; average: 'mean' or 'median'.
    Result: (frequencies, densities).
    Errors: ValueError for an unknown word, lengths that do not fit, and one-sided spectra of a real x with a complex y
        or window.
    """
    if not fs > 0:
        raise ValueError(f"Sampling frequency {fs=} must be positive!")
    same = y is x
    x, y = array(x), y if same else array(y)
    if return_onesided and type_of(x).kind != "c":
        if not same and type_of(y).kind == "c":
            raise ValueError("csd: of a real signal and a complex one, spectra are two-sided: return_onesided=False")
        if not isinstance(window, (str, tuple)) and type_of(array(window)).kind == "c":
            raise ValueError("One-sided spectra are not allowed for complex-valued windows: return_onesided=False")
    frequencies, _, spectra = _helper(x, x if same else y, fs, window, nperseg, noverlap, nfft, detrend,
                                      return_onesided, scaling, axis)
    if spectra.ndim > 1 and spectra.size:
        spectra = _averaged(spectra, average)
    return frequencies, spectra


def _frequency_axis(ndim, axis):
    """Where the frequencies are, beside the segments' axis at the end."""
    return axis % (ndim - 1)


@beside_its_arrays
def welch(x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
          scaling="density", axis=-1, average="mean") -> tuple[ndarray, ...]:
    """The power spectral density by Welch's method.

    Parameters: x: the signal; fs: the sampling rate; window: a name, a tuple, or weights; nperseg: a segment's length
        (None: 256, or the window's); noverlap: by how much segments overlap (None: half); nfft: the length of the
        transforms; detrend: 'constant', 'linear', a function or False; return_onesided: whether real signals' halves
        are folded; scaling: 'density' or 'spectrum'; axis: an axis; average: 'mean' or 'median'.
    Result: (frequencies, densities).
    Errors: ValueError for an unknown word and lengths that do not fit.

    P. Welch, "The use of the fast Fourier transform for the estimation of power spectra", IEEE Trans. Audio
    Electroacoust. 15 (1967).
    """
    x = array(x)
    return csd(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)


@beside_its_arrays
def periodogram(x, fs=1.0, window="boxcar", nfft=None, detrend="constant", return_onesided=True, scaling="density",
                axis=-1) -> tuple[ndarray, ...]:
    """The power spectral density of the whole signal.

    Parameters: x: the signal; fs: the sampling rate; window: a name, a tuple, or weights; nfft: the length of the
        transform; detrend: 'constant', 'linear', a function or False; return_onesided: whether real signals' halves
        are folded; scaling: 'density' or 'spectrum'; axis: an axis.
    Result: (frequencies, densities).
    Errors: ValueError for an unknown word and lengths that do not fit.
    """
    x = array(x)
    if x.size == 0:
        return cuprite.empty(x.shape), cuprite.empty(x.shape)
    window = "boxcar" if window is None else window
    axis = axis_of(x, axis)
    n = x.shape[axis]
    nperseg = n
    if nfft is not None:
        if nfft < n:
            x = x[tuple(slice(nfft) if a == axis else slice(None) for a in range(x.ndim))]
            nperseg = nfft
    if not isinstance(window, (str, tuple)):
        if array(window).shape != (nperseg,):
            raise ValueError("the size of the window must be the same size of the input on the specified axis")
    return welch(x, fs, window, nperseg, 0, nfft, detrend, return_onesided, scaling, axis)


@beside_its_arrays
def coherence(x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant",
              axis=-1) -> tuple[ndarray, ...]:
    """The magnitude-squared coherence of two signals.

    Parameters: x: a signal; y: another; fs: the sampling rate; window: a name, a tuple, or weights; nperseg: a
        segment's length; noverlap: by how much segments overlap; nfft: the length of the transforms; detrend:
        'constant', 'linear', a function or False; axis: an axis.
    Result: (frequencies, coherences).
    """
    options = dict(fs=fs, window=window, nperseg=nperseg, noverlap=noverlap, nfft=nfft, detrend=detrend, axis=axis)
    frequencies, xx = welch(x, **options)
    _, yy = welch(y, **options)
    _, xy = csd(x, y, **options)
    return frequencies, (xy.real ** 2 + xy.imag ** 2) / xx / yy


@beside_its_arrays
def spectrogram(x, fs=1.0, window=("tukey", 0.25), nperseg=None, noverlap=None, nfft=None, detrend="constant",
                return_onesided=True, scaling="density", axis=-1, mode="psd") -> tuple[ndarray, ...]:
    """Spectra of segments.

    Parameters: x: the signal; fs: the sampling rate; window: a name, a tuple, or weights; nperseg: a segment's
        length; noverlap: by how much segments overlap (None: an eighth); nfft: the length of the transforms; detrend:
        'constant', 'linear', a function or False; return_onesided: whether real signals' halves are folded; scaling:
        'density' or 'spectrum'; axis: an axis; mode: 'psd', 'complex', 'magnitude', 'angle' or 'phase'.
    Result: (frequencies, times, spectra), the times along the last axis.
    Errors: ValueError for an unknown word and lengths that do not fit.
    """
    modes = ["psd", "complex", "magnitude", "angle", "phase"]
    if mode not in modes:
        raise ValueError(f"unknown value for mode {mode}, must be one of {modes}")
    x = array(x)
    window, nperseg = _window_of(window, nperseg, x.shape[axis_of(x, axis)]) if x.size else (window, nperseg)
    noverlap = nperseg // 8 if noverlap is None and nperseg else noverlap
    kind = "psd" if mode == "psd" else "stft"
    f, t, spectra = _helper(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, kind)
    if mode == "magnitude":
        spectra = abs(spectra)
    elif mode in ("angle", "phase"):
        spectra = cuprite.angle(spectra)
        if mode == "phase":
            spectra = cuprite.unwrap(spectra, axis=_frequency_axis(spectra.ndim, axis))
    return f, t, spectra


@beside_its_arrays
def stft(x, fs=1.0, window="hann", nperseg=256, noverlap=None, nfft=None, detrend=False, return_onesided=True,
         boundary="zeros", padded=True, axis=-1, scaling="spectrum") -> tuple[ndarray, ...]:
    """Fourier transforms of segments.

    Parameters: x: the signal; fs: the sampling rate; window: a name, a tuple, or weights; nperseg: a segment's
        length; noverlap: by how much segments overlap (None: half); nfft: the length of the transforms; detrend:
        'constant', 'linear', a function or False; return_onesided: whether real signals' halves are left out;
        boundary: how x is continued, 'zeros', 'even', 'odd', 'constant' or None; padded: whether zeros fill the last
        segment; axis: an axis; scaling: 'spectrum' or 'psd'.
    Result: (frequencies, times, transforms), the times along the last axis.
    Errors: ValueError for an unknown word and lengths that do not fit.
    """
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f"Parameter {scaling=} not in ['spectrum', 'psd']!")
    x = array(x)
    return _helper(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided,
                   "density" if scaling == "psd" else scaling, axis, "stft", boundary, padded)


def _inverse_lengths(bins, nperseg, noverlap, nfft, input_onesided):
    """(segment, overlap, transform) of transforms with so many frequencies. Errors: ValueError."""
    usual = 2 * (bins - 1) if input_onesided else bins
    nperseg = usual if nperseg is None else int(nperseg)
    if nperseg < 1:
        raise ValueError("nperseg must be a positive integer")
    if nfft is None:
        nfft = nperseg if input_onesided and nperseg == usual + 1 else usual
    noverlap, nfft = _lengths(nperseg, noverlap, nfft)
    return nperseg, noverlap, nfft


@beside_its_arrays
def istft(Zxx, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, input_onesided=True, boundary=True,
          time_axis=-1, freq_axis=-2, scaling="spectrum") -> tuple[ndarray, ...]:
    """The signal of transforms of segments.

    Parameters: Zxx: what stft gives; fs: the sampling rate; window: stft's; nperseg: a segment's length (None: from
        Zxx's shape); noverlap: by how much segments overlap (None: half); nfft: the length of the transforms;
        input_onesided: whether halves were left out; boundary: whether stft continued the signal; time_axis: an axis;
        freq_axis: another; scaling: 'spectrum' or 'psd'.
    Result: (times, signal).
    Errors: ValueError for axes or lengths that do not fit.
    """
    Z = array(Zxx) + 0j
    if Z.ndim < 2:
        raise ValueError("Input stft must be at least 2d!")
    freq_axis, time_axis = axis_of(Z, freq_axis), axis_of(Z, time_axis)
    if freq_axis == time_axis:
        raise ValueError("Must specify differing time and frequency axes!")
    nperseg, noverlap, nfft = _inverse_lengths(Z.shape[freq_axis], nperseg, noverlap, nfft, input_onesided)
    step, count = nperseg - noverlap, Z.shape[time_axis]
    Z = cuprite.moveaxis(Z, (freq_axis, time_axis), (-1, -2))  # (..., segment, frequency)
    if isinstance(window, (str, tuple)):
        w = get_window(window, nperseg)
    else:
        w = array(window)
        if w.ndim != 1:
            raise ValueError("window must be 1-D")
        if w.shape[0] != nperseg:
            raise ValueError(f"window must have length of {nperseg}")
    pieces = (_fft.irfft if input_onesided else _fft.ifft)(Z, nfft, -1)[..., :nperseg]
    if type_of(w).kind != "c":
        w = w.astype(type_of(pieces.real))
    if scaling == "spectrum":
        pieces = pieces * w.sum()
    elif scaling == "psd":
        pieces = pieces * cuprite.sqrt(fs * (w * w).sum())
    else:
        raise ValueError(f"Parameter {scaling=} not in ['spectrum', 'psd']!")
    length = nperseg + (count - 1) * step
    x = _overlapped(pieces * w, step, length)
    norm = _overlapped(cuprite.broadcast_to(w * w, (count, nperseg)), step, length)
    if boundary:
        cut = slice(nperseg // 2, length - nperseg // 2)
        x, norm = x[..., cut], norm[cut]
    tiny = norm <= 1e-10
    if bool(tiny.any()):
        warnings.warn("NOLA condition failed, STFT may not be invertible." +
                      (" Possibly due to missing boundary" if not boundary else ""), stacklevel=2)
    x = x / cuprite.where(tiny, 1.0, norm).astype(type_of(x.real))
    x = x.real if input_onesided else x
    if x.ndim > 1 and time_axis != Z.ndim - 1:
        at = time_axis - (freq_axis < time_axis)
        x = cuprite.moveaxis(x, -1, at)
    return cuprite.arange(x.shape[0] if x.ndim == 1 else norm.size) / float(fs), x


def _overlapped(pieces, step, length):
    """The sum of pieces (..., how many, n), each `step` behind the one before."""
    count, n = pieces.shape[-2:]
    rounds = -(-n // step)
    result = cuprite.zeros((*pieces.shape[:-2], (count + rounds) * step), type_of(pieces))
    for r in range(rounds):
        part = pieces[..., r * step:(r + 1) * step]
        body = result[..., r * step:(r + count) * step].reshape(*pieces.shape[:-2], count, step)
        body[..., :part.shape[-1]] += part
        result[..., r * step:(r + count) * step] = body.reshape(*pieces.shape[:-2], count * step)
    return result[..., :length]


# --- windows that overlap ---

def _overlap_sums(window, nperseg, noverlap, power):
    nperseg, noverlap = int(nperseg), int(noverlap)
    if nperseg < 1:
        raise ValueError("nperseg must be a positive integer")
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    if noverlap < 0:
        raise ValueError("noverlap must be a nonnegative integer")
    w = host(get_window(window, nperseg)) if isinstance(window, (str, tuple)) else host(window)
    if w.ndim != 1:
        raise ValueError("window must be 1-D")
    if w.shape[0] != nperseg:
        raise ValueError("window must have length of nperseg")
    w, step = w ** power, nperseg - noverlap
    sums = sum(w[i * step:(i + 1) * step] for i in range(nperseg // step))
    if nperseg % step:
        sums[:nperseg % step] += w[-(nperseg % step):]
    return sums


def check_COLA(window, nperseg, noverlap, tol=1e-10) -> bool:
    """Whether windows that overlap add up to a constant.

    Parameters: window: a name, a tuple, or weights; nperseg: its length; noverlap: by how much they overlap; tol: how
        far from the median a sum may be.
    Errors: ValueError for lengths that do not fit.
    """
    sums = _overlap_sums(window, nperseg, noverlap, 1)
    return bool(numpy.max(numpy.abs(sums - numpy.median(sums))) < tol)


def check_NOLA(window, nperseg, noverlap, tol=1e-10) -> bool:
    """Whether the squares of windows that overlap are nowhere zero.

    Parameters: window: a name, a tuple, or weights; nperseg: its length; noverlap: by how much they overlap; tol:
        what counts as zero.
    Errors: ValueError for lengths that do not fit.
    """
    return bool(numpy.min(_overlap_sums(window, nperseg, noverlap, 2)) > tol)


# --- uneven samples ---

@beside_its_arrays
def lombscargle(x, y, freqs, precenter=False, normalize=False, *, weights=None, floating_mean=False) -> ndarray:
    """The Lomb-Scargle periodogram of samples at any times.

    Parameters: x: the times; y: the samples; freqs: angular frequencies; precenter: whether y's mean is subtracted;
        normalize: False or 'power', True or 'normalize' (by the fit of a constant), or 'amplitude' (complex);
        weights: of the samples (None: equal ones); floating_mean: whether a constant is fitted too.
    Result: an element for each frequency; of one frequency a 0-d array.
    Errors: ValueError for other than 1-d arrays of equal length, negative weights, and another normalize.

    R. H. D. Townsend, "Fast calculation of the Lomb-Scargle periodogram using graphics processing units", ApJS 191
    (2010); M. Zechmeister, M. Kuerster, "The generalised Lomb-Scargle periodogram", A&A 496 (2009).
    """
    x, y, freqs = (array(v).astype(float) for v in (x, y, freqs))
    w = cuprite.ones_like(y) if weights is None else array(weights).astype(float)
    if not (x.ndim == 1 and x.size > 0 and x.shape == y.shape == w.shape):
        raise ValueError("Parameters x, y, weights must be 1-D arrays of equal non-zero length!")
    if not (freqs.ndim == 1 and freqs.size > 0):
        raise ValueError("Parameter freqs must be a 1-D array of non-zero length!")
    if weights is not None and not (bool((w >= 0).all()) and float(w.sum()) > 0):
        raise ValueError("Parameter weights must have only non-negative entries which sum to a positive value!")
    if isinstance(normalize, bool):
        normalize = "normalize" if normalize else "power"
    if normalize not in ("power", "normalize", "amplitude"):
        raise ValueError("Normalize must be: False (or 'power'), True (or 'normalize'), or 'amplitude'.")
    w = w / w.sum()
    if precenter:
        y = y - y.mean()
    wy = w * y
    mean = wy.sum()
    c1, s1, cy, sy, cc, cs = _signal.trigonometric_sums(x, freqs, w, wy)
    ss = 1 - cc
    fitted = floating_mean
    a2, b2, d2 = (cc - c1 * c1, ss - s1 * s1, cs - c1 * s1) if fitted else (cc, ss, cs)
    tau = 0.5 * cuprite.arctan2(2 * d2, a2 - b2)
    cos, sin = cuprite.cos(tau), cuprite.sin(tau)
    yc, ys = cy * cos + sy * sin, sy * cos - cy * sin
    cc_tau = cc * cos * cos + ss * sin * sin + 2 * cs * cos * sin
    ss_tau = 1 - cc_tau
    if fitted:
        c, s = c1 * cos + s1 * sin, s1 * cos - c1 * sin
        yc, ys = yc - mean * c, ys - mean * s
        cc_tau, ss_tau = cc_tau - c * c, ss_tau - s * s
    least = numpy.finfo(float).epsneg
    cc_tau, ss_tau = cuprite.maximum(cc_tau, least), cuprite.maximum(ss_tau, least)
    a, b = yc / cc_tau, ys / ss_tau
    if normalize == "amplitude":
        return ((a + 1j * b) * cuprite.exp(1j * tau)).squeeze()
    power = (2 * (a * yc + b * ys)).squeeze()
    if normalize == "power":
        return power * (x.shape[0] / 4)
    return power * (0.5 / ((wy * y).sum() - (mean * mean if fitted else 0)))


@beside_its_arrays
def vectorstrength(events, period) -> tuple[ndarray, ...]:
    """How well events keep a period: (strength, phase), strength 1 where all have one phase.

    Parameters: events: their times, 1-d; period: a period above 0, or several.
    Errors: ValueError for other dimensions and periods that are not above 0.
    """
    return _spectra.vectorstrength(array(events), array(period))
