"""scipy.fftpack's Fourier transforms on Cuprite's arrays, as cupyx.scipy.fftpack has them."""
from __future__ import annotations

from cuprite import _fft
from cuprite._fft_plans import get_fft_plan  # noqa: F401
from cuprite.scipy.fft import _array, _check_plan, _unique

__all__ = ["fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "get_fft_plan"]


def fft(x, n=None, axis=-1, overwrite_x=False, plan=None):
    """The transform along an axis, not scaled.

    Parameters: x: an array, a NumPy array, a number or nested lists; n: the length (None: the array's own); axis: an
        axis (negative ones count from the last); overwrite_x: True or False (never needed); plan: a plan of
        get_fft_plan, or None.
    Errors: ValueError for a length below 1 and a plan that does not fit; AxisError for an axis out of bounds."""
    x = _array(x)
    _check_plan(plan, x, None if n is None else (n,), (axis,), "C2C")
    return _fft.fft(x, n, axis)


def ifft(x, n=None, axis=-1, overwrite_x=False, plan=None):
    """The inverse of fft.

    Parameters: x: an array, a NumPy array, a number or nested lists; n: the length (None: the array's own); axis: an
        axis (negative ones count from the last); overwrite_x: True or False (never needed); plan: a plan of
        get_fft_plan, or None.
    Errors: ValueError for a length below 1 and a plan that does not fit; AxisError for an axis out of bounds."""
    x = _array(x)
    _check_plan(plan, x, None if n is None else (n,), (axis,), "C2C")
    return _fft.ifft(x, n, axis)


def _several(run, x, shape, axes, plan):
    x = _array(x)
    axes = _unique(x, axes)
    _check_plan(plan, x, shape, axes, "C2C")
    return run(x, shape, axes)


def fft2(x, shape=None, axes=(-2, -1), overwrite_x=False, plan=None):
    """The transform along two axes.

    Parameters: x: an array, a NumPy array, a number or nested lists; shape: the lengths (None: the array's own);
        axes: the axes; overwrite_x: True or False (never needed); plan: a plan of get_fft_plan, or None.
    Errors: ValueError for a length below 1 and a plan that does not fit; AxisError for an axis out of bounds."""
    return _several(_fft.fftn, x, shape, axes, plan)


def ifft2(x, shape=None, axes=(-2, -1), overwrite_x=False, plan=None):
    """The inverse of fft2.

    Parameters: x: an array, a NumPy array, a number or nested lists; shape: the lengths (None: the array's own);
        axes: the axes; overwrite_x: True or False (never needed); plan: a plan of get_fft_plan, or None.
    Errors: ValueError for a length below 1 and a plan that does not fit; AxisError for an axis out of bounds."""
    return _several(_fft.ifftn, x, shape, axes, plan)


def fftn(x, shape=None, axes=None, overwrite_x=False, plan=None):
    """The transform along several axes.

    Parameters: x: an array, a NumPy array, a number or nested lists; shape: the lengths (None: the array's own);
        axes: the axes; overwrite_x: True or False (never needed); plan: a plan of get_fft_plan, or None.
    Errors: ValueError for a length below 1 and a plan that does not fit; AxisError for an axis out of bounds."""
    return _several(_fft.fftn, x, shape, axes, plan)


def ifftn(x, shape=None, axes=None, overwrite_x=False, plan=None):
    """The inverse of fftn.

    Parameters: x: an array, a NumPy array, a number or nested lists; shape: the lengths (None: the array's own);
        axes: the axes; overwrite_x: True or False (never needed); plan: a plan of get_fft_plan, or None.
    Errors: ValueError for a length below 1 and a plan that does not fit; AxisError for an axis out of bounds."""
    return _several(_fft.ifftn, x, shape, axes, plan)


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
    r = empty(f.shape[:-1] + (n,), f.real.dtype)
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
    if x.dtype.kind == "c":
        raise TypeError("x must be real")
    n = x.shape[axis] if n is None else n
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    y = moveaxis(x, axis, -1)[..., :n]
    have = y.shape[-1]
    f = zeros(y.shape[:-1] + (n // 2 + 1,), "F" if y.dtype.name in ("float32", "float16", "bfloat16") else "D")
    if have:
        f.real[..., 0] = y[..., 0]
    f.real[..., 1:1 + have // 2] = y[..., 1::2]
    f.imag[..., 1:1 + (have - 1) // 2] = y[..., 2::2]
    return moveaxis(_fft.irfft(f, n), -1, axis)
