"""cupyx.signal: cepstra, pulses and detection for radar, beamforming, channelizers, convolutions of higher order."""
from __future__ import annotations

from operator import index

import numpy

import cuprite
from cuprite import fft as _fft, ndarray
from cuprite._beside import beside_its_arrays
from cuprite._missing import getter as _getter
from cuprite._windows import get_window
from cuprite.scipy.signal._arrays import array, axis_of, floating, on_axis

__getattr__ = _getter(__name__)

__all__ = ["ca_cfar", "cfar_alpha", "channelize_poly", "complex_cepstrum", "convolve1d2o", "convolve1d3o", "firfilter",
           "firfilter2", "firfilter_zi", "freq_shift", "inverse_complex_cepstrum", "minimum_phase", "mvdr",
           "pulse_compression", "pulse_doppler", "real_cepstrum"]


# --- cepstra ---

@beside_its_arrays
def real_cepstrum(x, n=None, axis=-1) -> ndarray:
    """The real cepstrum: the inverse transform of the logarithm of a signal's spectrum, without its phase.

    Parameters: x: the signal; n: the length of the transforms (None: the signal's); axis: an axis.
    Errors: ValueError for a length below 1; AxisError.

    Example:
        >>> cp.asarray(cp.signal.real_cepstrum(cp.asarray([2.0, 0.0, 0.0, 0.0]))).round(4)
        array([0.6931, 0.    , 0.    , 0.    ])
    """
    x = floating(x)
    return _fft.ifft(cuprite.log(abs(_fft.fft(x, n, axis))), n, axis).real


def _slope(delay, n, ndim, axis):
    """The phases of a delay by so many samples."""
    line = on_axis(cuprite.arange(n).astype(float), ndim, axis)
    return (numpy.pi / max((n + 1) // 2, 1)) * delay * line


@beside_its_arrays
def complex_cepstrum(x, n=None, axis=-1) -> tuple[ndarray, ...]:
    """(cepstrum, delay): the inverse transform of the logarithm of a signal's spectrum, whose phase is unwrapped and
    has no slope: the signal is delayed by that many samples.

    Parameters: x: the signal, real; n: the length of the transforms (None: the signal's); axis: an axis.
    Result: the cepstrum, and for each line along the axis its delay.
    Errors: ValueError for a length below 1; AxisError.
    """
    x = floating(x)
    axis = axis_of(x, axis)
    spectrum = _fft.fft(x, n, axis)
    n = spectrum.shape[axis]
    phase = cuprite.unwrap(cuprite.angle(spectrum), axis=axis)
    middle = min((n + 1) // 2, n - 1)
    delay = cuprite.round(cuprite.take(phase, middle, axis) / numpy.pi)
    phase = phase - _slope(cuprite.expand_dims(delay, axis), n, x.ndim, axis)
    return _fft.ifft(cuprite.log(abs(spectrum)) + 1j * phase, n, axis).real, delay


@beside_its_arrays
def inverse_complex_cepstrum(ceps, ndelay) -> ndarray:
    """The signal of a complex cepstrum, along the last axis.

    Parameters: ceps: the cepstrum; ndelay: the delay, one, one for each line, or one for each element.
    Errors: ValueError for a 0-d cepstrum and delays of another shape.
    """
    ceps, delay = floating(ceps), array(ndelay)
    if not ceps.ndim:
        raise ValueError("inverse_complex_cepstrum: the cepstrum has an axis at least")
    if delay.ndim < ceps.ndim:
        delay = delay[..., None]
    logarithm = _fft.fft(ceps)
    phase = _slope(delay, ceps.shape[-1], ceps.ndim, ceps.ndim - 1)
    return _fft.ifft(cuprite.exp(logarithm + 1j * phase)).real


@beside_its_arrays
def minimum_phase(x, n=None) -> ndarray:
    """The signal of minimum phase that has the magnitudes of a signal's spectrum.

    Parameters: x: the signal, 1-d; n: the length of the transforms (None: the signal's).
    Errors: ValueError for a length below 1.
    """
    x = floating(x)
    n = len(x) if n is None else index(n)
    ceps = real_cepstrum(x, n)
    half = (n + 1) // 2
    weights = numpy.zeros(n)
    weights[0], weights[1:half] = 1, 2
    if n % 2 == 0:
        weights[half] = 1
    return _fft.ifft(cuprite.exp(_fft.fft(cuprite.asarray(weights.astype(ceps.dtype)) * ceps))).real


# --- radar ---

def _prepared(x, normalize, window):
    """x, along its last axis times a window's weights, and of norm 1 where it is to be."""
    if window is not None:
        n = x.shape[-1]
        if callable(window):
            w = array(window(_fft.fftfreq(n)))
        elif isinstance(window, (numpy.ndarray, ndarray)):
            if window.shape != (n,):
                raise ValueError("window must have the same length as data")
            w = array(window)
        else:
            w = get_window(window, n, False)
        x = x * (w.astype(x.real.dtype) if w.dtype.kind != "c" else w)
    return x / cuprite.linalg.norm(x) if normalize else x


def _pulses(x):
    x = floating(x)
    if x.ndim != 2:
        raise ValueError(f"x has two axes, pulses and samples, not {x.ndim}")
    return x


@beside_its_arrays
def pulse_compression(x, template, normalize=False, window=None, nfft=None) -> ndarray:
    """The received pulses' correlations with the one that was sent, by transforms.

    Parameters: x: (pulses, samples); template: the pulse that was sent, 1-d; normalize: whether its norm is made 1;
        window: weights of it, a name, a tuple, an array, or a function of frequencies; nfft: the length of the
        transforms (None: the samples').
    Errors: ValueError for other shapes.
    """
    x, template = _pulses(x), floating(template)
    if template.ndim != 1:
        raise ValueError(f"template has one axis, not {template.ndim}")
    nfft = x.shape[1] if nfft is None else index(nfft)
    sent = _fft.fft(_prepared(template, normalize, window), nfft)
    found = _fft.ifft(_fft.fft(x, nfft) * sent.conj(), nfft)
    return found if "c" in (x.dtype.kind, template.dtype.kind) else found.real.copy()


@beside_its_arrays
def pulse_doppler(x, window=None, nfft=None) -> ndarray:
    """The transforms across pulses, of which each frequency is a velocity.

    Parameters: x: (pulses, samples); window: weights of the pulses, a name, a tuple, an array, or a function of
        frequencies; nfft: the length of the transforms (None: how many pulses there are).
    Errors: ValueError for other shapes.
    """
    x = _pulses(x)
    nfft = x.shape[0] if nfft is None else index(nfft)
    return _fft.fft(_prepared(x.T, False, window), nfft).T


def cfar_alpha(pfa, N) -> float:
    """The factor of the noise's mean that gives a probability of false alarms.

    Parameters: pfa: the probability; N: the mean of how many cells it is.

    Example:
        >>> round(cp.signal.cfar_alpha(1e-3, 20), 4)
        8.2508
    """
    return N * (pfa ** (-1.0 / N) - 1)


@beside_its_arrays
def ca_cfar(array, guard_cells, reference_cells, pfa=1e-3) -> tuple[ndarray, ...]:
    """Detection with a constant rate of false alarms: (thresholds, whether cells are above them). A threshold is a
    multiple of the mean of the cells around, without those beside; cells too near the edges have the threshold 0.

    Parameters: array: the data, of one or two dimensions; guard_cells: how many cells on each side do not count, of
        two dimensions one for each; reference_cells: how many cells behind these do; pfa: the probability of false
        alarms.
    Errors: TypeError for more dimensions, complex numbers, and numbers of cells that are not one for each; ValueError
        for arrays that are smaller than the cells.
    """
    from cuprite.scipy.ndimage import uniform_filter
    x = floating(array)
    if x.ndim not in (1, 2) or x.dtype.kind == "c":
        raise TypeError("Only real 1D and 2D arrays are currently supported.")
    guard, around = (numpy.atleast_1d(c) for c in (guard_cells, reference_cells))
    if guard.shape != (x.ndim,) or around.shape != (x.ndim,):
        raise TypeError("Guard and reference cells must be one number for each dimension.")
    guard, around = ([index(c) for c in cells] for cells in (guard, around))
    if min(guard) < 0 or min(around) < 0 or not any(around):
        raise ValueError("Guard and reference cells must not be negative, nor all reference cells 0")
    if any(n <= 2 * (g + r) for n, g, r in zip(x.shape, guard, around)):
        raise ValueError("Array too small for given parameters")
    inner, outer = [2 * g + 1 for g in guard], [2 * (g + r) + 1 for g, r in zip(guard, around)]
    held, cells = (float(numpy.prod(sizes)) for sizes in (inner, outer))
    x = x.astype(float, copy=False)
    sums = uniform_filter(x, outer, mode="constant") * cells - uniform_filter(x, inner, mode="constant") * held
    thresholds = cuprite.zeros(x.shape, numpy.float32)
    middle = tuple(slice(g + r, n - g - r) for n, g, r in zip(x.shape, guard, around))
    thresholds[middle] = sums[middle] * (cfar_alpha(pfa, cells - held) / (cells - held))
    return thresholds, x - thresholds > 0


@beside_its_arrays
def mvdr(x, sv, calc_cov=True) -> ndarray:
    """The weights of a beamformer with the least variance that leaves a direction as it is.

    Parameters: x: (sensors, samples), or their covariances; sv: the steering vector, an element a sensor; calc_cov:
        whether covariances are computed of x.
    Errors: ValueError for more sensors than samples and another number of steering elements; LinAlgError.

    J. Capon, "High-resolution frequency-wavenumber spectrum analysis", Proc. IEEE 57 (1969).
    """
    x, sv = floating(x), floating(sv)
    if x.ndim != 2 or not sv.ndim:
        raise ValueError("mvdr: x has two axes, sv one at least")
    if x.shape[0] > x.shape[1]:
        raise ValueError("Matrix has more sensors than samples. Consider transposing: rows are sensors")
    if x.shape[0] != sv.shape[0]:
        raise ValueError("Steering Vector and input data do not align")
    covariance = cuprite.cov(x) if calc_cov else x  # these are of float64
    weights = cuprite.linalg.inv(covariance) @ sv
    return (weights / (sv.T.conj() @ weights)).astype(cuprite.result_type(x, sv), copy=False)


# --- filters ---

@beside_its_arrays
def freq_shift(x, freq, fs) -> ndarray:
    """The signal times exp(-2 pi i freq / fs k) at sample k, which moves its spectrum down.

    Parameters: x: the signal; freq: by which frequency; fs: the sampling rate.
    Result: complex128. Of several dimensions elements are counted in C order.
    """
    x = array(x)
    places = cuprite.arange(x.size).reshape(x.shape)
    return x * cuprite.exp((-2j * numpy.pi * freq / fs) * places)


@beside_its_arrays
def channelize_poly(x, h, n_chans) -> ndarray:
    """The signal in channels of equal width: filters of a low-pass one, moved to the channels' frequencies.

    Parameters: x: the signal, 1-d; h: the low-pass filter, 1-d; n_chans: how many channels; what is left of x and h
        beyond a multiple of that does not count.
    Result: (channels, len(x) // n_chans): of channel c at step i the conjugate of the sum over k of
        h[k].conj() x[n_chans (i + 1) - 1 - k] exp(-2 pi i c k / n_chans).
    Errors: ValueError for other shapes, and for filters and channels that hold nothing.
    """
    x, h = floating(x), floating(h)
    channels = index(n_chans)
    if x.ndim != 1 or h.ndim != 1:
        raise ValueError("x and h have one axis")
    if channels < 1 or h.size < channels:
        raise ValueError("n_chans is at least 1, and at most the filter's length")
    taps, steps = h.size // channels, x.size // channels
    kind = cuprite.result_type(x, h)
    rows = cuprite.zeros((taps - 1 + steps, channels), kind)
    rows[taps - 1:] = x[:steps * channels].reshape(steps, channels)[:, ::-1]
    weights = h[:taps * channels].reshape(taps, channels).conj().astype(kind)
    sums = cuprite.zeros((steps, channels), kind)
    for t in range(taps):
        sums += rows[taps - 1 - t:taps - 1 - t + steps] * weights[t]
    return _fft.fft(sums, axis=-1).conj().T


def _windows(x, size, count):
    """The view (count, size) of x whose row i is x[i + size - 1], ..., x[i]."""
    step, = x.strides
    return cuprite.lib.stride_tricks.as_strided(x, (count, size), (step, step))[:, ::-1]


def _check_order(in1, in2, ndim, mode, method):
    if in1.ndim != 1:
        raise ValueError("in1 should have one dimension")
    if in2.ndim != ndim:
        raise ValueError(f"in2 should have {ndim} dimensions")
    if mode != "valid":
        raise NotImplementedError(f"Mode == {mode} not implemented")
    if method != "direct":
        raise NotImplementedError("Only Direct method implemented")
    if not in2.size or in1.size < max(in2.shape):
        raise ValueError(f"in2 of shape {in2.shape} must hold elements, and be no longer than in1, which has "
                         f"{in1.size}")
    kind = cuprite.result_type(in1, in2)
    return in1.astype(kind, copy=False), in2.astype(kind, copy=False), in1.size - max(in2.shape) + 1


@beside_its_arrays
def convolve1d2o(in1, in2, mode="valid", method="direct") -> ndarray:
    """A convolution of second order: sums of in2[k, l] in1[i + K - 1 - k] in1[i + L - 1 - l] over k < K and l < L.

    Parameters: in1: the signal, 1-d; in2: the filter, 2-d; mode: 'valid'; method: 'direct'.
    Errors: ValueError for other dimensions, and a filter longer than the signal; NotImplementedError for another
        mode or method.
    """
    x, h, count = _check_order(array(in1), array(in2), 2, mode, method)
    return ((_windows(x, h.shape[0], count) @ h) * _windows(x, h.shape[1], count)).sum(-1, dtype=x.dtype)


@beside_its_arrays
def convolve1d3o(in1, in2, mode="valid", method="direct") -> ndarray:
    """A convolution of third order: sums over three axes of in2 times three elements of in1, as convolve1d2o has them.

    Parameters: in1: the signal, 1-d; in2: the filter, 3-d; mode: 'valid'; method: 'direct'.
    Errors: ValueError for other dimensions, and a filter longer than the signal; NotImplementedError for another
        mode or method.
    """
    x, h, count = _check_order(array(in1), array(in2), 3, mode, method)
    first, second, third = (_windows(x, n, count) for n in h.shape)
    result = cuprite.zeros(count, x.dtype)
    for k in range(h.shape[0]):
        result += first[:, k] * ((second @ h[k]) * third).sum(-1, dtype=x.dtype)
    return result


@beside_its_arrays
def firfilter(b, x, axis=-1, zi=None) -> ndarray | tuple[ndarray, ...]:
    """A filter without feedback along an axis.

    Parameters: b: the coefficients, 1-d; x: the signal; axis: an axis; zi: the state to begin with, len(b) - 1 elements
        along the axis.
    Result: y, or with zi (y, the state behind the last element).
    Errors: ValueError for shapes that do not fit.

    Example:
        >>> cp.signal.firfilter(cp.asarray([1.0, 0.5]), cp.asarray([1.0, 0.0, 2.0]))
        array([1. , 0.5, 2. ])
    """
    from cuprite.scipy.signal import lfilter
    b = array(b)
    return lfilter(b, cuprite.ones(1, b.dtype), x, axis, zi)


@beside_its_arrays
def firfilter_zi(b) -> ndarray:
    """The state of firfilter for the steady response to a step.

    Parameters: b: the coefficients, 1-d.
    Errors: ValueError for other than 1-d coefficients.
    """
    from cuprite.scipy.signal import lfilter_zi
    b = array(b)
    return lfilter_zi(b, cuprite.ones(1, b.dtype))


@beside_its_arrays
def firfilter2(b, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None) -> ndarray:
    """A filter without feedback forth and back: twice its order, no phase.

    Parameters: b: the coefficients, 1-d; x: the signal; axis: an axis; padtype: how x is continued, 'odd', 'even',
        'constant' or None; padlen: by how many elements at each end (None: 3 len(b)); method: 'pad' or 'gust'; irlen:
        for 'gust' the length of the impulse response.
    Errors: ValueError for an unknown method or padtype and for a padlen that is not below x's length.
    """
    from cuprite.scipy.signal import filtfilt
    b = array(b)
    return filtfilt(b, cuprite.ones(1, b.dtype), x, axis, padtype, padlen, method, irlen)
