"""Test signals: sawtooth and square waves, sweeps of frequency, pulses; wavelets and splines' shapes."""
from __future__ import annotations

import cuprite
from cuprite import _numpy as numpy
from cuprite import _spectra, _wavelets, ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.scipy.signal._arrays import array, floating, host

_TURN = 2 * cuprite.pi


def _times(t):
    """As float64 or complex128: SciPy's phases are of these."""
    t = floating(t)
    return t.astype("complex128" if type_of(t).kind == "c" else "float64", copy=False)


@beside_its_arrays
def sawtooth(t, width=1) -> ndarray:
    """A sawtooth of period 2 pi, from -1 up to 1 in a part of the period and then back.

    Parameters: t: times; width: the part, 0..1; NaN comes of others.
    """
    return _spectra.sawtooth(floating(t), floating(width))


@beside_its_arrays
def square(t, duty=0.5) -> ndarray:
    """A square wave of period 2 pi: 1 in a part of the period, then -1.

    Parameters: t: times; duty: the part, 0..1; NaN comes of others.
    """
    return _spectra.square_wave(floating(t), floating(duty))


@beside_its_arrays
def gausspulse(t, fc=1000, bw=0.5, bwr=-6, tpr=-60, retquad=False,
               retenv=False) -> ndarray | tuple[ndarray, ...] | float:
    """A sine wave in a Gaussian: the real part, and where asked the imaginary part and the envelope.

    Parameters: t: times, or 'cutoff': the time at which the envelope has fallen to tpr is returned; fc: the
        frequency; bw: the bandwidth, a part of fc; bwr: where it is measured, decibels below 0; tpr: decibels below
        0; retquad: whether the imaginary part is returned; retenv: whether the envelope is.
    Errors: ValueError for a frequency below 0, a bandwidth that is not above 0, and levels that are not below 0.
    """
    if fc < 0:
        raise ValueError(f"Center frequency (fc={fc:.2f}) must be >=0.")
    if bw <= 0:
        raise ValueError(f"Fractional bandwidth (bw={bw:.2f}) must be > 0.")
    if bwr >= 0:
        raise ValueError(f"Reference level for bandwidth (bwr={bwr:.2f}) must be < 0 dB")
    reference = 10.0 ** (bwr / 20.0)
    a = -(cuprite.pi * fc * bw) ** 2 / (4.0 * numpy.log(reference))
    if isinstance(t, str):
        if t != "cutoff":
            raise ValueError("If `t` is a string, it must be 'cutoff'")
        if tpr >= 0:
            raise ValueError("Reference level for time cutoff must be < 0 dB")
        return numpy.sqrt(-numpy.log(10.0 ** (tpr / 20.0)) / a)
    t = floating(t)
    envelope = cuprite.exp(-a * t * t)
    result = [envelope * cuprite.cos(_TURN * fc * t)]
    if retquad:
        result.append(envelope * cuprite.sin(_TURN * fc * t))
    if retenv:
        result.append(envelope)
    return result[0] if len(result) == 1 else tuple(result)


_SWEEPS = {word: name for name, words in {
    "linear": "linear lin li", "quadratic": "quadratic quad q", "logarithmic": "logarithmic log lo",
    "hyperbolic": "hyperbolic hyp"}.items() for word in words.split()}


@beside_its_arrays
def chirp(t, f0, t1, f1, method="linear", phi=0, vertex_zero=True, *, complex=False) -> ndarray:
    """A cosine whose frequency changes.

    Parameters: t: times; f0: the frequency at 0; t1: another time; f1: the frequency there; method: 'linear',
        'quadratic', 'logarithmic' or 'hyperbolic'; phi: a phase in degrees; vertex_zero: whether the parabola's
        vertex is at 0, else at t1; complex: whether the result is the complex exponential.
    Errors: ValueError for an unknown method, and frequencies that it does not have.
    """
    if method not in _SWEEPS:
        raise ValueError("method must be 'linear', 'quadratic', 'logarithmic', or 'hyperbolic', but a value of "
                         f"{method!r} was given.")
    return _spectra.chirp(_times(t), float(f0), float(t1), float(f1), _SWEEPS[method], float(phi), not vertex_zero,
                          bool(complex))


@beside_its_arrays
def sweep_poly(t, poly, phi=0) -> ndarray:
    """A cosine whose frequency is a polynomial of time.

    Parameters: t: times; poly: the polynomial, highest power first, or a poly1d; phi: a phase in degrees.
    """
    poly = poly.coeffs if hasattr(poly, "coeffs") else poly
    return _spectra.sweep_poly(_times(t), cuprite.atleast_1d(array(poly)), float(phi))


def unit_impulse(shape, idx=None, dtype=float) -> ndarray:
    """Zeros and a single 1.

    Parameters: shape: a length, or several; idx: where the 1 is, a number for all axes, several, or 'mid' (None: at
        the first element); dtype: an element type.

    Example:
        >>> cp.scipy.signal.unit_impulse(4, 2)
        array([0., 0., 1., 0.])
    """
    out = cuprite.zeros(shape, dtype)
    n = numpy.atleast_1d(shape)
    if idx is None:
        idx = (0,) * len(n)
    elif isinstance(idx, str) and idx == "mid":
        idx = tuple(int(i) for i in n // 2)
    elif not hasattr(idx, "__iter__"):
        idx = (idx,) * len(n)
    out[tuple(idx)] = 1
    return out


# --- wavelets, which SciPy had until 1.15 ---

def morlet(M, w=5.0, s=1.0, complete=True) -> ndarray:
    """Morlet's wavelet.

    Parameters: M: how many samples; w: the frequency; s: samples lie between -2 pi s and 2 pi s; complete: whether
        the constant is subtracted that makes the mean zero.
    """
    return _wavelets.morlet(M, w, s, bool(complete))


def morlet2(M, s, w=5) -> ndarray:
    """Morlet's wavelet for cwt.

    Parameters: M: how many samples; s: the width; w: the frequency.
    """
    return _wavelets.morlet2(int(M) if isinstance(M, float) else M, s, w)  # SciPy counts with floats, too


def ricker(points, a) -> ndarray:
    """Ricker's wavelet, the second derivative of a Gaussian.

    Parameters: points: how many samples; a: the width.
    """
    return _wavelets.ricker(points, a)


@beside_its_arrays
def cwt(data, wavelet, widths) -> ndarray:
    """Convolutions with a wavelet of several widths, a row each.

    Parameters: data: 1-d; wavelet: a function (samples, width); widths: the widths.
    """
    from cuprite.scipy.signal._convolution import convolve
    data, rows = array(data), []
    for width in host(widths):
        n = int(min(10 * width, data.size))
        rows.append(convolve(data, array(wavelet(n, width)).conj()[::-1], "same"))
    return cuprite.stack(rows)


def qmf(hk) -> ndarray:
    """The high-pass filter of a low-pass one, with quadrature mirror symmetry.

    Parameters: hk: the low-pass filter's coefficients.
    """
    return _wavelets.qmf(array(hk))


@beside_its_arrays
def gauss_spline(x, n) -> ndarray:
    """The Gaussian that a B-spline of order n nears.

    Parameters: x: places; n: the order.
    """
    return _spectra.gauss_spline(array(x), n)
