"""Convolution and correlation of any number of dimensions: by the definition, by transforms, or by those of blocks."""
from __future__ import annotations

import time

import cuprite
from cuprite import _numpy as numpy
from cuprite import _signal, _spectra, ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import common_type, type_of
from cuprite.scipy.signal._arrays import array

_MODES = ("full", "valid", "same")


def _check_mode(mode):
    if mode not in _MODES:
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")


def _exchange(mode, shape1, shape2, axes=None):
    """Whether 'valid' takes the operands the other way round. Errors: ValueError where neither holds the other."""
    if mode != "valid" or not shape1:
        return False
    axes = range(len(shape1)) if axes is None else axes
    if all(shape1[i] >= shape2[i] for i in axes):
        return False
    if not all(shape2[i] >= shape1[i] for i in axes):
        raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")
    return True


def _middle(x, shape):
    """The elements of x in its middle."""
    return x[tuple(slice((n - m) // 2, (n - m) // 2 + m) for n, m in zip(x.shape, shape))]


def _cut(full, shape1, shape2, mode, axes):
    """What the mode keeps of a full convolution."""
    if mode == "full":
        return full
    if mode == "same":
        return _middle(full, shape1).copy()
    kept = [full.shape[a] if a not in axes else shape1[a] - shape2[a] + 1 for a in range(full.ndim)]
    return _middle(full, kept).copy()


# --- by transforms ---

def _pair(in1, in2):
    in1, in2 = array(in1), array(in2)
    if in1.ndim != in2.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    return in1, in2


def _axes(axes):
    """As C has them. Errors: ValueError for none."""
    if axes is None:
        return None
    axes = [axes] if numpy.ndim(axes) == 0 else list(axes)
    if not axes:
        raise ValueError("when provided, axes cannot be empty")
    return axes


@beside_its_arrays
def fftconvolve(in1, in2, mode="full", axes=None) -> ndarray:
    """The convolution of two arrays by Fourier transforms.

    Parameters: in1: an array; in2: one of as many dimensions; mode: 'full', 'valid' or 'same'; axes: along which
        (None: all); along others the arrays are broadcast.
    Errors: ValueError for another mode and for shapes that do not fit.
    """
    in1, in2 = _pair(in1, in2)
    _check_mode(mode)
    return _spectra.fftconvolve(in1, in2, mode, _axes(axes)) if in1.ndim else in1 * in2


@beside_its_arrays
def oaconvolve(in1, in2, mode="full", axes=None) -> ndarray:
    """The convolution of a long array and a short one by transforms of blocks, whose results overlap and are added.

    Parameters: in1: an array; in2: one of as many dimensions; mode: 'full', 'valid' or 'same'; axes: along which
        (None: all); along others the arrays are broadcast.
    Errors: ValueError for another mode and for shapes that do not fit.
    """
    in1, in2 = _pair(in1, in2)
    _check_mode(mode)
    return _spectra.oaconvolve(in1, in2, mode, _axes(axes)) if in1.ndim else in1 * in2


# --- which ---

@beside_its_arrays
def choose_conv_method(in1, in2, mode="full", measure=False) -> str | tuple[str, dict[str, float]]:
    """'direct' or 'fft', whichever is estimated to be faster.

    Parameters: in1: an array; in2: one of as many dimensions; mode: 'full', 'valid' or 'same'; measure: True: both
        are timed, and (method, {method: seconds}) is returned.
    Errors: ValueError for another mode; NotImplementedError for different numbers of dimensions.
    """
    in1, in2 = array(in1), array(in2)
    _check_mode(mode)
    if in1.ndim != in2.ndim:
        raise NotImplementedError("choose_conv_method: in1 and in2 should have the same dimensionality, not "
                                  f"{in1.ndim} and {in2.ndim}")
    if not in1.ndim:
        return ("direct", {"fft": 0.0, "direct": 0.0}) if measure else "direct"
    if measure:
        times = {}
        for method in ("fft", "direct"):
            convolve(in1, in2, mode, method)
            begin = time.perf_counter()
            cuprite.asnumpy(convolve(in1, in2, mode, method).ravel()[:1])
            times[method] = time.perf_counter() - begin
        return ("fft" if times["fft"] < times["direct"] else "direct"), times
    return "fft" if _spectra.choose_conv_method(in1, in2, mode) else "direct"


def _direct(in1, in2, mode):
    """The convolution by its definition, in1 the larger one where the mode is 'valid'."""
    kind = common_type(in1, in2)
    if in1.ndim == 1:
        if mode == "same":
            return _middle(cuprite.convolve(in1, in2, "full"), in1.shape).copy()
        return cuprite.convolve(in1, in2, mode)
    if in1.ndim == 2 and kind.name not in ("bool", "float16"):
        return _signal.convolve2d(in1, in2, mode)
    small, large = (in2, in1) if in2.size <= in1.size else (in1, in2)
    full = cuprite.zeros([a + b - 1 for a, b in zip(in1.shape, in2.shape)], kind)
    large, small = large.astype(kind), small.astype(kind)
    for place in numpy.ndindex(small.shape):
        part = full[tuple(slice(i, i + n) for i, n in zip(place, large.shape))]
        part += large * small[place]
    return _cut(full, in1.shape, in2.shape, mode, range(in1.ndim))


@beside_its_arrays
def convolve(in1, in2, mode="full", method="auto") -> ndarray:
    """The convolution of two arrays.

    Parameters: in1: an array; in2: one of as many dimensions; mode: 'full', 'valid' or 'same'; method: 'direct',
        'fft' or 'auto' (choose_conv_method).
    Errors: ValueError for another mode or method, and for shapes that do not fit.

    Example:
        >>> cp.scipy.signal.convolve(cp.asarray([1.0, 2.0, 3.0]), cp.asarray([0.0, 1.0, 0.5]))
        array([0. , 1. , 2.5, 4. , 1.5])
    """
    in1, in2 = array(in1), array(in2)
    if not in1.ndim and not in2.ndim:
        return in1 * in2
    if in1.ndim != in2.ndim:
        raise ValueError("volume and kernel should have the same dimensionality")
    _check_mode(mode)
    if method not in ("auto", "direct", "fft"):
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    if _exchange(mode, in1.shape, in2.shape):
        in1, in2 = in2, in1
    if method == "auto":
        method = choose_conv_method(in1, in2, mode)
    if not in1.size or not in2.size:
        return cuprite.zeros(0, common_type(in1, in2))
    if method == "direct":
        return _direct(in1, in2, mode)
    kind = common_type(in1, in2)
    out = fftconvolve(in1, in2, mode)
    if kind.kind in "bui":
        out = cuprite.around(out)
    return out.astype(kind, copy=False)


@beside_its_arrays
def correlate(in1, in2, mode="full", method="auto") -> ndarray:
    """The cross-correlation of two arrays: sums of in1's elements times in2's conjugated ones, moved along.

    Parameters: in1: an array; in2: one of as many dimensions; mode: 'full', 'valid' or 'same'; method: 'direct',
        'fft' or 'auto'.
    Errors: ValueError for another mode or method, and for shapes that do not fit.
    """
    in1, in2 = array(in1), array(in2)
    if not in1.ndim and not in2.ndim:
        return in1 * in2.conj()
    if in1.ndim != in2.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    _check_mode(mode)
    if method not in ("auto", "direct", "fft"):
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    turned = in2[(slice(None, None, -1),) * in2.ndim].conj()
    if not _exchange(mode, in1.shape, in2.shape):
        return convolve(in1, turned, mode, method)
    return convolve(turned, in1, mode, method)


def correlation_lags(in1_len, in2_len, mode="full") -> ndarray:
    """The shifts that the elements of a 1-d correlation belong to.

    Parameters: in1_len: the first one's length; in2_len: the second one's; mode: 'full', 'valid' or 'same'.
    Errors: ValueError for another mode.

    Example:
        >>> cp.scipy.signal.correlation_lags(3, 2)
        array([-1,  0,  1,  2])
    """
    if mode not in _MODES:
        raise ValueError(f"Mode {mode} is invalid")
    return _spectra.correlation_lags(in1_len, in2_len, mode)


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0) -> ndarray:
    """The convolution of two images by its definition.

    Parameters: in1: 2-d; in2: 2-d; mode: 'full', 'valid' or 'same'; boundary: 'fill', 'wrap' or 'symm'; fillvalue: of
        'fill'.
    Errors: TypeError for anything but Cuprite's arrays; ValueError for other than two axes.

    Example:
        >>> cp.scipy.signal.convolve2d(cp.ones((2, 2)), cp.ones((2, 2)))
        array([[1., 2., 1.],
               [2., 4., 2.],
               [1., 2., 1.]])
    """
    return _signal.convolve2d(in1, in2, mode, boundary, fillvalue)


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0) -> ndarray:
    """The cross-correlation of two images by its definition.

    Parameters: in1: 2-d; in2: 2-d; mode: 'full', 'valid' or 'same'; boundary: 'fill', 'wrap' or 'symm'; fillvalue: of
        'fill'.
    Errors: TypeError for anything but Cuprite's arrays; ValueError for other than two axes.
    """
    return _signal.correlate2d(in1, in2, mode, boundary, fillvalue)
