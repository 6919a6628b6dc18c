"""scipy.fftpack's Fourier transforms on Cuprite's arrays, as cupyx.scipy.fftpack has them."""
from __future__ import annotations

from cuprite import _fft
from cuprite._element_types import type_of
from cuprite._fft_plans import get_fft_plan  # noqa: F401
from cuprite.scipy.fft import _array, _check_plan, _unique
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)

__all__ = ["fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "get_fft_plan"]


_X = "x: an array, a NumPy array, a number or nested lists"
_PLAN = "overwrite_x: True or False (never needed); plan: a plan of get_fft_plan, or None"
_ERRORS = "ValueError for a length below 1 and a plan that does not fit; AxisError for an axis out of bounds"


def _along_one(name, doc):
    """cuprite._fft's transform of that name, along one axis."""
    def function(x, n=None, axis=-1, overwrite_x=False, plan=None):
        x = _array(x)
        _check_plan(plan, x, None if n is None else (n,), (axis,), "C2C")
        return getattr(_fft, name)(x, n, axis)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{doc}

    Parameters: {_X}; n: the length (None: the array's own); axis: an axis (negative ones count from the last);
        {_PLAN}.
    Errors: {_ERRORS}."""
    return function


def _along_several(name, run, default, doc):
    """A transform along several axes, of `run`."""
    def function(x, shape=None, axes=default, overwrite_x=False, plan=None):
        x = _array(x)
        axes = _unique(x, axes)
        _check_plan(plan, x, shape, axes, "C2C")
        return run(x, shape, axes)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{doc}

    Parameters: {_X}; shape: the lengths (None: the array's own); axes: the axes; {_PLAN}.
    Errors: {_ERRORS}."""
    return function


fft = _along_one("fft", "The transform along an axis, not scaled.")
ifft = _along_one("ifft", "The inverse of fft.")
fft2 = _along_several("fft2", _fft.fftn, (-2, -1), "The transform along two axes.")
ifft2 = _along_several("ifft2", _fft.ifftn, (-2, -1), "The inverse of fft2.")
fftn = _along_several("fftn", _fft.fftn, None, "The transform along several axes.")
ifftn = _along_several("ifftn", _fft.ifftn, None, "The inverse of fftn.")


def rfft(x, n=None, axis=-1, overwrite_x=False, plan=None):
    """The transform of real numbers as real numbers: y(0), Re y(1), Im y(1), ... of n elements.

    Parameters: x: an array, a NumPy array, a number or nested lists; n: the length (None: the array's own); axis: an
        axis (negative ones count from the last); overwrite_x: True or False (never needed); plan: a plan of
        get_fft_plan, or None.
    Errors: ValueError for a length below 1 and a plan that does not fit; AxisError for an axis out of bounds."""
    from cuprite import empty, moveaxis
    x = _array(x)
    _check_plan(plan, x, None if n is None else (n,), (axis,), "R2C")
    f = moveaxis(_fft.rfft(x, n, axis), axis, -1)
    n = x.shape[axis] if n is None else n
    r = empty(f.shape[:-1] + (n,), type_of(f.real))
    r[..., 0] = f[..., 0].real
    r[..., 1::2] = f[..., 1:].real
    r[..., 2::2] = f[..., 1:(n + 1) // 2].imag
    return moveaxis(r, -1, axis)


def irfft(x, n=None, axis=-1, overwrite_x=False):
    """The inverse of rfft.

    Parameters: x: an array, a NumPy array, a number or nested lists; n: the length (None: the array's own); axis: an
        axis (negative ones count from the last); overwrite_x: True or False (never needed).
    Errors: TypeError for complex numbers; ValueError for a length below 1."""
    from cuprite import moveaxis, zeros
    x = _array(x)
    if type_of(x).kind == "c":
        raise TypeError("x must be real")
    n = x.shape[axis] if n is None else n
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    y = moveaxis(x, axis, -1)[..., :n]
    have = y.shape[-1]
    f = zeros(y.shape[:-1] + (n // 2 + 1,), "F" if type_of(y).name in ("float32", "float16", "bfloat16") else "D")
    if have:
        f.real[..., 0] = y[..., 0]
    f.real[..., 1:1 + have // 2] = y[..., 1::2]
    f.imag[..., 1:1 + (have - 1) // 2] = y[..., 2::2]
    return moveaxis(_fft.irfft(f, n), -1, axis)
