"""Smoothing of signals and images: by ranks, by local statistics, by polynomials."""
from __future__ import annotations

import functools
import math
from operator import index

import cuprite
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.scipy.signal._arrays import array, axis_of, here, near, numbers, promoted
from cuprite.scipy.signal._convolution import correlate


def _odd_sizes(x, size):
    """A window's lengths along all axes. Errors: ValueError for even ones."""
    sizes = numbers(3 if size is None else size)
    sizes = sizes if isinstance(sizes, list) else [sizes] * x.ndim
    if len(sizes) != x.ndim:
        raise RuntimeError("kernel_size must be a scalar or have an element for each dimension")
    if any(n % 2 != 1 or n < 1 for n in sizes):
        raise ValueError("Each element of kernel_size should be odd and positive.")
    return tuple(int(s) for s in sizes)


@beside_its_arrays
def order_filter(a, domain, rank) -> ndarray:
    """The element of a rank among those in a window around each element; zeros lie beyond the ends.

    Parameters: a: an array; domain: the window, non-zero where elements count, of odd lengths; rank: 0 for the least.
    Errors: ValueError for even lengths.
    """
    from cuprite.scipy.ndimage import rank_filter
    domain = near(domain)
    for n in domain.shape:
        if n % 2 != 1:
            raise ValueError("Each dimension of domain argument should have an odd number of elements.")
    a = array(a)
    if type_of(a).kind not in "iuf" or type_of(a).char == "e":
        raise ValueError(f"dtype={a.dtype} is not supported by order_filter")
    return rank_filter(a, rank, footprint=domain, mode="constant")


@beside_its_arrays
def medfilt(volume, kernel_size=None) -> ndarray:
    """The median of a window around each element; zeros lie beyond the ends.

    Parameters: volume: an array; kernel_size: the window's length, or one for each axis, all odd (None: 3).
    Errors: ValueError for even lengths.
    """
    from cuprite.scipy.ndimage import rank_filter
    volume = cuprite.atleast_1d(array(volume))
    if type_of(volume).kind not in "iuf" or type_of(volume).char == "e":
        raise ValueError(f"dtype={volume.dtype} is not supported by medfilt")
    sizes = _odd_sizes(volume, kernel_size)
    if 2 * math.prod(map(min, sizes, volume.shape)) < math.prod(sizes):  # more than half of every window is beyond
        return cuprite.zeros_like(volume)
    return rank_filter(volume, math.prod(sizes) // 2, size=sizes, mode="constant")


@beside_its_arrays
def medfilt2d(input, kernel_size=3) -> ndarray:
    """The median of a window around each pixel; zeros lie beyond the edges.

    Parameters: input: 2-d; kernel_size: the window's length, or two, odd.
    Errors: ValueError for other dimensions and even lengths.
    """
    x = array(input)
    if x.ndim != 2:
        raise ValueError("object of too small depth for desired array" if x.ndim < 2 else
                         "object too deep for desired array")
    sizes = None if kernel_size is None else numbers(kernel_size)
    if isinstance(sizes, list) and (len(sizes) != 2 or any(isinstance(n, list) for n in sizes)):
        raise ValueError("kernel_size must be a scalar or a sequence of two")
    return medfilt(x, kernel_size)


@beside_its_arrays
def wiener(im, mysize=None, noise=None) -> ndarray:
    """Wiener's filter: near the local mean where the local variance is small.

    Parameters: im: an array; mysize: the window's length, or one for each axis (None: 3); noise: its power (None: the
        mean of the local variances).
    Errors: ValueError for lengths that are not positive, or not one for each axis.
    """
    from cuprite.scipy.ndimage import uniform_filter
    im = array(im)
    im = im.astype("complex128" if type_of(im).kind == "c" else "float64", copy=False)
    sizes = numbers(3 if mysize is None else mysize)
    sizes = sizes if isinstance(sizes, list) else [sizes] * im.ndim
    if len(sizes) != im.ndim or any(isinstance(n, list) for n in sizes):
        raise ValueError("mysize must be a scalar or have an element for each dimension")
    if any(n < 1 for n in sizes):
        raise ValueError(f"mysize: lengths must be positive, not {mysize}")
    sizes = tuple(index(s) for s in sizes)

    def local(x):
        if all(s % 2 for s in sizes):
            return uniform_filter(x, sizes, mode="constant")
        return correlate(x, cuprite.ones(sizes, type_of(x)), "same") / float(math.prod(sizes))

    mean = local(im)
    variance = local(im * im) - mean * mean
    noise = variance.mean() if noise is None else noise
    smoothed = (im - mean) * (1 - noise / variance) + mean
    return cuprite.where(variance < noise, mean, smoothed)


@functools.lru_cache(maxsize=32)
def _polynomial_weights(length, order, deriv, delta, places):
    """Weights of `length` samples, a row for each place, whose sum is the derivative there of their least-squares
    polynomial."""
    if order >= length:
        raise ValueError("polyorder must be less than window_length.")
    if order < 0 or deriv < 0:
        raise ValueError("polyorder and deriv must not be negative.")
    if deriv > order:
        return cuprite.zeros((len(places), length), device="cpu")
    middle, scale = (length - 1) / 2, max(length - 1, 1) / 2
    powers = near([[((x - middle) / scale) ** k for k in range(order + 1)] for x in range(length)])
    q, r = cuprite.linalg.qr(powers)
    wanted = near([[math.perm(k, deriv) * ((x - middle) / scale) ** (k - deriv) for k in range(deriv, order + 1)]
                   for x in places])
    return wanted @ cuprite.linalg.solve(r, q.T)[deriv:] / (delta * scale) ** deriv


@beside_its_arrays
def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0) -> ndarray:
    """A Savitzky-Golay filter: the value, or a derivative, of the least-squares polynomial of each window.

    Parameters: x: the signal; window_length: how many samples; polyorder: the polynomial's, below that; deriv: which
        derivative; delta: the samples' spacing; axis: an axis; mode: how x is continued, 'mirror', 'constant',
        'nearest', 'wrap' or 'interp': the polynomials of the ends; cval: the constant.
    Errors: ValueError for an unknown mode and lengths that do not fit.

    A. Savitzky, M. J. E. Golay, "Smoothing and differentiation of data by simplified least squares procedures", Anal.
    Chem. 36 (1964).
    """
    from cuprite.scipy.ndimage import convolve1d
    if mode not in ("mirror", "constant", "nearest", "interp", "wrap"):
        raise ValueError("mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'.")
    x = promoted(x)
    axis = axis_of(x, axis)
    half, even = window_length // 2, window_length % 2 == 0
    kind = index(window_length), index(polyorder), index(deriv), float(delta)
    weights = _polynomial_weights(*kind, (half - (0.5 if even else 0),))[0]
    if mode != "interp":
        return convolve1d(x, here(weights[::-1].copy()), axis, mode=mode, cval=cval)
    if window_length > x.shape[axis]:
        raise ValueError("If mode is 'interp', window_length must be less than or equal to the size of x.")
    y = convolve1d(x, here(weights[::-1].copy()), axis, mode="constant")
    rows = cuprite.moveaxis(y, axis, -1)
    source = cuprite.moveaxis(x, axis, -1)
    n = x.shape[axis]
    for begin, first in ((0, 0), (n - window_length, n - half)) if half else ():
        ends = _polynomial_weights(*kind, tuple(range(first - begin, first - begin + half)))
        rows[..., first:first + half] = source[..., begin:begin + window_length] @ here(
            ends.astype(type_of(x.real))).T
    return y
