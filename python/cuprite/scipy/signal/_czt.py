"""Chirp z-transforms: the z-transform at places on a spiral, by three Fourier transforms (Bluestein)."""
from __future__ import annotations

import cmath
from operator import index

import cuprite
from cuprite import _numpy as numpy
from cuprite import _spectra, ndarray
from cuprite.scipy.signal import _transforms as _fft
from cuprite._beside import beside_its_arrays
from cuprite._fft import next_fast_len
from cuprite.scipy.signal._arrays import array, axis_of, host


def _whole(n, what):
    try:
        n = index(n)
    except TypeError:
        n = 0
    if n < 1:
        raise ValueError(f"Invalid number of CZT {what} points ({n}) specified. n must be positive and integer type.")
    return n


def czt_points(m, w=None, a=1 + 0j) -> ndarray:
    """The places of a chirp z-transform: a w^-k, k = 0..m-1.

    Parameters: m: how many; w: the ratio of neighbours (None: they go once around the circle); a: the first one.
    Errors: ValueError for an m that is not positive.
    """
    return _spectra.czt_points(_whole(m, "points"), w, a)


class CZT:
    """A chirp z-transform for arrays of one length: call it with (x, axis=-1).

    Parameters: n: the length; m: how many results (None: n); w: the ratio of neighbours (None: around the circle); a:
        the first place.
    Errors: ValueError for lengths that are not positive.
    """

    def __init__(self, n, m=None, w=None, a=1 + 0j):
        n = _whole(n, "data")
        m = n if m is None else _whole(m, "output")
        around = w is None
        self._turn = 1 / m if around else None  # a turn by neighbours, where they lie on a circle
        self._set_up(n, m, cmath.exp(-2j * cmath.pi / m) if around else 1.0 * w, 1.0 * a, around)

    def _set_up(self, n, m, w, a, around):
        self.n, self.m, self.w, self.a, self._around = n, m, w, a, around
        self._size = next_fast_len(n + m - 1)
        self._tables = {}

    def _chirp(self):
        """w ** (k^2 / 2)."""
        k = cuprite.arange(max(self.m, self.n))
        if self._around:
            return cuprite.exp((-1j * cuprite.pi / self.m) * ((k * k) % (2 * self.m)))
        if self._turn is not None:
            return cuprite.exp((-1j * cuprite.pi * self._turn) * (k * k).astype(float))
        return (self.w + 0j) ** (k.astype(float) ** 2 / 2.0)

    def _tables_of(self, kind):
        """What x is multiplied by, the filter's transform, and what the results are multiplied by, on the device."""
        key = cuprite.cuda.Device(), kind
        if key not in self._tables:
            chirp, n, m = self._chirp(), self.n, self.m
            before = chirp[:n]
            if self.a != 1:
                before = before * (self.a + 0j) ** -cuprite.arange(n).astype(float)
            inverse = cuprite.concatenate([1 / chirp[1:n][::-1], 1 / chirp[:m]])
            self._tables[key] = tuple(t.astype(kind, copy=False) for t in (before, _fft.fft(inverse, self._size),
                                                                           chirp[:m]))
        return self._tables[key]

    def __call__(self, x, *, axis=-1) -> ndarray:
        return _transform(self, array(x), axis)

    def points(self) -> ndarray:
        """The places of the results."""
        return czt_points(self.m, self.w, self.a)


@beside_its_arrays
def _transform(plan, x, axis):
    axis = axis_of(x, axis)
    if x.shape[axis] != plan.n:
        raise ValueError(f"CZT defined for length {plan.n}, not {x.shape[axis]}")
    x = cuprite.moveaxis(x, axis, -1)
    before, filters, behind = plan._tables_of(cuprite.result_type(x, "complex128"))
    y = _fft.ifft(filters * _fft.fft(x * before, plan._size, -1), axis=-1)
    y = y[..., plan.n - 1:plan.n + plan.m - 1] * behind
    return cuprite.moveaxis(y, -1, axis)


def _range(fn):
    """(lowest, highest) of a frequency or two. Errors: ValueError."""
    fn = numpy.ravel([host(f) for f in fn] if isinstance(fn, (list, tuple)) else host(fn))
    if fn.size not in (1, 2):
        raise ValueError("fn must be a scalar or 2-length sequence")
    return (0.0, float(fn[0])) if fn.size == 1 else (float(fn[0]), float(fn[1]))


class ZoomFFT(CZT):
    """A Fourier transform at frequencies of a range: call it with (x, axis=-1).

    Parameters: n: the length; fn: the highest frequency, or the lowest and the highest; m: how many results (None:
        n); fs: the sampling rate; endpoint: whether the highest frequency is among them.
    Errors: ValueError for lengths that are not positive, and other than one or two frequencies.
    """

    def __init__(self, n, fn, m=None, *, fs=2, endpoint=False):
        n = _whole(n, "data")
        m = n if m is None else _whole(m, "output")
        f1, f2 = _range(fn)
        self.f1, self.f2, self.fs = f1, f2, fs
        scale = (f2 - f1) * m / (fs * (m - 1)) if endpoint else (f2 - f1) / fs
        self._turn = scale / m
        self._set_up(n, m, cmath.exp(-2j * cmath.pi * self._turn), cmath.exp(2j * cmath.pi * f1 / fs), False)


def _lines(x):
    """x, which has an axis. Errors: IndexError, SciPy's."""
    x = array(x)
    if not x.ndim:
        raise IndexError("tuple index out of range: x has no axis")
    return x


@beside_its_arrays
def czt(x, m=None, w=None, a=1 + 0j, *, axis=-1) -> ndarray:
    """The z-transform at places on a spiral.

    Parameters: x: the signal; m: how many places (None: x's length); w: the ratio of neighbours (None: around the
        circle); a: the first place; axis: an axis.
    Errors: ValueError for an m that is not positive.
    """
    x = _lines(x)
    m = _whole(x.shape[axis_of(x, axis)] if m is None else m, "output")
    return _spectra.czt(x, m, None if w is None else cuprite.asarray(w), cuprite.asarray(a), axis)


@beside_its_arrays
def zoom_fft(x, fn, m=None, *, fs=2, endpoint=False, axis=-1) -> ndarray:
    """The Fourier transform at frequencies of a range.

    Parameters: x: the signal; fn: the highest frequency, or the lowest and the highest; m: how many (None: x's
        length); fs: the sampling rate; endpoint: whether the highest frequency is among them; axis: an axis.
    Errors: ValueError for an m that is not positive, and other than one or two frequencies.
    """
    x = _lines(x)
    m = _whole(x.shape[axis_of(x, axis)] if m is None else m, "output")
    return _spectra.zoom_fft(x, *_range(fn), m, fs, endpoint, axis)
