"""ShortTimeFFT: Fourier transforms of segments of a signal, and back. What depends on the window alone is computed on
the host; the segments of a signal, a view of it, are transformed at once."""
from __future__ import annotations

import types
from operator import index

import cuprite
from cuprite import _numpy as numpy
from cuprite import ndarray
from cuprite.scipy.signal import _transforms as _fft
from cuprite._beside import beside_its_arrays
from cuprite._element_types import common_type, type_of
from cuprite._windows import get_window
from cuprite.scipy.signal._arrays import array, axis_of, floating, host
from cuprite.scipy.signal._filtering import detrend
from cuprite.scipy.signal._spectral import _overlapped, _segments

_MODES = ("twosided", "centered", "onesided", "onesided2X")
_PADDINGS = {"zeros": {"mode": "constant"}, "edge": {"mode": "edge"}, "even": {"mode": "reflect"},
             "odd": {"mode": "reflect", "reflect_type": "odd"}}


def _sums_of_steps(values, hop):
    """The sums of the elements that lie multiples of hop apart, at each of them."""
    sums = numpy.empty_like(values)
    for m in range(min(hop, values.size)):
        sums[m::hop] = values[m::hop].sum()
    return sums


def _canonical_dual(win, hop):
    """The window of least energy with which segments are added to the signal again; of NumPy's arrays."""
    if hop > win.size:
        raise ValueError(f"hop={hop} is larger than window length of {win.size} => STFT not invertible!")
    if type_of(win).kind in "iu":
        raise ValueError(f"Parameter 'win' cannot be of integer type, but win.dtype={win.dtype} => STFT not "
                         "invertible!")
    sums = _sums_of_steps(win.real ** 2 + win.imag ** 2, hop)
    if not (sums >= numpy.finfo(type_of(win)).resolution * sums.max()).all():
        raise ValueError("Short-time Fourier Transform not invertible!")
    return win / sums


def _is_count(n):
    return isinstance(n, (int, numpy.there("integer")))


def _finite(win, name):
    if not numpy.isfinite(win).all():
        raise ValueError(f"Parameter {name} must have finite entries!")


def closest_STFT_dual_window(win, hop, desired_dual=None, *, scaled=True) -> tuple[ndarray, float | complex]:
    """The window nearest to a desired one with which the segments of a short-time transform give the signal again.

    Parameters: win: the window, 1-d; hop: the step of the segments; desired_dual: what is to be near (None: ones);
        scaled: whether the desired window may be multiplied by a number.
    Result: (window, that number, else 1.0).
    Errors: ValueError for windows that are not 1-d, finite and of one length, a hop that is no integer of 1 to the
        window's length, and windows that cannot be inverted.

    Example:
        >>> cp.scipy.signal.closest_STFT_dual_window(cp.ones(4), 2)[0]
        array([0.5, 0.5, 0.5, 0.5])
    """
    win = host(win)
    desired = numpy.ones_like(win) if desired_dual is None else host(desired_dual)
    if win.ndim != 1 or win.shape != desired.shape:
        raise ValueError("Parameters `win` and `desired_dual` are not 1d arrays of equal length "
                         f"(win.shape={win.shape}, desired_dual.shape={desired.shape})!")
    _finite(win, "win")
    _finite(desired, "desired_dual")
    if not (_is_count(hop) and 1 <= hop <= win.size):
        raise ValueError(f"Parameter hop={hop!r} is not an integer between 1 and len(win)={win.size}!")
    dual = _canonical_dual(win, hop)
    q = dual * _sums_of_steps(win.conj() * desired, hop)
    if not scaled:
        return cuprite.asarray(dual + desired - q), 1.0
    above, below = q.conj() @ dual, (q.real ** 2 + q.imag ** 2).sum()
    if not (abs(above) > 0 and below > numpy.finfo(type_of(dual)).resolution):
        raise ValueError("Unable to calculate scaled closest dual window due to numerically unstable scaling factor! "
                         "Try setting parameter `scaled` to False.")
    factor = above / below
    return cuprite.asarray(dual + factor * (desired - q)), factor.item()


class ShortTimeFFT:
    """A short-time Fourier transform: that of segments, each `hop` samples behind the one before, times a window.

    Parameters: win: the window, 1-d; hop: the step; fs: the sampling rate; fft_mode: 'onesided', 'twosided',
        'centered' (frequencies in their order) or 'onesided2X' (one-sided, doubled as the scaling wants it); mfft: the
        length of the transforms (None: the window's); dual_win: the window of istft (None: the canonical one);
        scale_to: 'magnitude', 'psd' or None; phase_shift: where in a segment, counted from its middle, the phase is
        zero (None: at its beginning).
    Errors: ValueError for windows that are not 1-d and finite, and numbers and words that are none of these.

    Example:
        >>> transform = cp.scipy.signal.ShortTimeFFT(cp.ones(4), hop=2, fs=1.0)
        >>> transform.stft(cp.ones(6)).shape
        (3, 4)
    """

    __class_getitem__ = classmethod(types.GenericAlias)

    def __init__(self, win, hop, fs, *, fft_mode="onesided", mfft=None, dual_win=None, scale_to=None, phase_shift=0):
        w = host(win)
        if not (w.ndim == 1 and w.size > 0):
            raise ValueError(f"Parameter win must be 1d, but win.shape={w.shape}!")
        _finite(w, "win")
        if not (_is_count(hop) and hop >= 1):
            raise ValueError(f"Parameter hop={hop!r} is not an integer >= 1!")
        self._hop, self._scaling, self._there = int(hop), None, {}
        self._set_windows(w, None)
        self.fs = fs
        self.mfft = w.size if mfft is None else mfft
        if dual_win is not None:
            dual = host(dual_win)
            if dual.shape != w.shape:
                raise ValueError(f"dual_win.shape={dual.shape} must equal win.shape={w.shape}!")
            if not numpy.isfinite(dual).all():
                raise ValueError("Parameter dual_win must be a finite array!")
            self._set_windows(w, dual)
        if scale_to is not None:
            self.scale_to(scale_to)
        self.fft_mode, self.phase_shift = fft_mode, phase_shift

    def _set_windows(self, win, dual):
        """Both are kept as the host's, and as arrays of each device that they are used on."""
        self._win, self._dual = win, dual
        some = numpy.flatnonzero(win)
        self._first, self._last = (int(some[0]), int(some[-1])) if some.size else (win.size, -1)
        self._there.clear()

    def _on_device(self, name):
        key = name, cuprite.cuda.Device()
        if key not in self._there:
            self._there[key] = cuprite.asarray(getattr(self, name))
        return self._there[key]

    @classmethod
    def from_dual(cls, dual_win, hop, fs, *, fft_mode="onesided", mfft=None, scale_to=None,
                  phase_shift=0) -> ShortTimeFFT:
        """The transform whose inverse has a window.

        Parameters: dual_win: the window, 1-d; hop: the step; fs: the sampling rate; fft_mode: as ShortTimeFFT has it;
            mfft: the length of the transforms; scale_to: 'magnitude', 'psd' or None; phase_shift: as ShortTimeFFT has
            it.
        Errors: ValueError for windows that cannot be inverted.
        """
        dual = host(dual_win)
        return cls(_canonical_dual(dual, hop), hop, fs, fft_mode=fft_mode, mfft=mfft, dual_win=dual,
                   scale_to=scale_to, phase_shift=phase_shift)

    @classmethod
    def from_window(cls, win_param, fs, nperseg, noverlap, *, symmetric_win=False, fft_mode="onesided", mfft=None,
                    scale_to=None, phase_shift=0) -> ShortTimeFFT:
        """The transform with a window of get_window's.

        Parameters: win_param: a name or a tuple; fs: the sampling rate; nperseg: the window's length; noverlap: by how
            much segments overlap; symmetric_win: whether the window is symmetric, else periodic; fft_mode: as
            ShortTimeFFT has it; mfft: the length of the transforms; scale_to: 'magnitude', 'psd' or None; phase_shift:
            as ShortTimeFFT has it.
        Errors: ValueError for an unknown window and lengths that do not fit.
        """
        win = get_window(win_param, nperseg, not symmetric_win)
        return cls(win, nperseg - noverlap, fs, fft_mode=fft_mode, mfft=mfft, scale_to=scale_to,
                   phase_shift=phase_shift)

    @classmethod
    def from_win_equals_dual(cls, desired_win, hop, fs, *, fft_mode="onesided", mfft=None, scale_to=None,
                             phase_shift=0) -> ShortTimeFFT:
        """The transform whose window, near a desired one, is that of its inverse too, but for a factor.

        Parameters: desired_win: the window, 1-d; hop: the step; fs: the sampling rate; fft_mode: as ShortTimeFFT has
            it; mfft: the length of the transforms; scale_to: 'magnitude', 'psd', 'unitary' (both windows are equal
            then) or None; phase_shift: as ShortTimeFFT has it.
        Errors: ValueError for windows that are not 1-d, finite and of a floating type, and those that cannot be
            inverted.
        """
        desired = host(desired_win)
        if not (desired.ndim == 1 and desired.size > 0):
            raise ValueError(f"Parameter desired_win is not 1d, but desired_win.shape={desired.shape}!")
        if type_of(desired).kind in "iu":
            raise ValueError("Parameter desired_win cannot be of integer type, but "
                             f"desired_win.dtype={desired.dtype} => cast to float | complex ")
        _finite(desired, "desired_win")
        if not (_is_count(hop) and 1 <= hop <= desired.size):
            raise ValueError(f"Parameter hop={hop!r} is not an integer between 1 and "
                             f"len(desired_win)={desired.size}!")
        if scale_to not in ("magnitude", "psd", "unitary", None):
            raise ValueError(f"Parameter scale_to={scale_to!r} not in ['magnitude', 'psd', 'unitary', None]!")
        mfft = desired.size if mfft is None else mfft
        norms = numpy.sqrt(_sums_of_steps(desired.real ** 2 + desired.imag ** 2, hop))
        if not (norms > numpy.finfo(type_of(desired)).resolution * max(abs(desired))).all():
            raise ValueError(f"Parameter desired_win does not have valid STFT dual window for hop={hop!r}!")
        win, factor = desired / norms, numpy.sqrt(mfft) if scale_to == "unitary" else 1
        made = cls(win / factor, hop, fs, fft_mode=fft_mode, mfft=mfft, dual_win=win * factor,
                   phase_shift=phase_shift, scale_to=None if scale_to == "unitary" else scale_to)
        if scale_to == "unitary":
            made._scaling = scale_to
        return made

    # --- properties ---

    @property
    def win(self) -> ndarray:
        """The window."""
        return self._on_device("_win")

    @property
    def hop(self) -> int:
        """The step of the segments, in samples."""
        return self._hop

    @property
    def fs(self) -> float:
        """The sampling rate."""
        return self._fs

    @fs.setter
    def fs(self, value):
        if not value > 0:
            raise ValueError(f"Sampling frequency fs={value} must be positive!")
        self._fs = value

    @property
    def T(self) -> float:
        """The sampling interval."""
        return 1 / self._fs

    @T.setter
    def T(self, value):
        if not value > 0:
            raise ValueError(f"Sampling interval T={value} must be positive!")
        self._fs = 1 / value

    @property
    def fft_mode(self) -> str:
        """'onesided', 'twosided', 'centered' or 'onesided2X'."""
        return self._fft_mode

    @fft_mode.setter
    def fft_mode(self, mode):
        if mode not in _MODES:
            raise ValueError(f"fft_mode='{mode}' not in {_MODES}!")
        if mode.startswith("one") and type_of(self._win).kind == "c":
            raise ValueError(f"One-sided spectra, i.e., fft_mode='{mode}', are not allowed for complex-valued "
                             "windows!")
        if mode == "onesided2X" and self.scaling is None:
            raise ValueError(f"For scaling is None, fft_mode='{mode}' is invalid! Do scale_to('psd') or "
                             "scale_to('magnitude')!")
        self._fft_mode = mode

    @property
    def mfft(self) -> int:
        """The length of the transforms, the window's at least."""
        return self._mfft

    @mfft.setter
    def mfft(self, n):
        if not n >= self.m_num:
            raise ValueError(f"Attribute mfft={n} needs to be at least the window length m_num={self.m_num}!")
        self._mfft = n

    @property
    def phase_shift(self) -> int | None:
        """Where in a segment, counted from its middle, the phase is zero; None: at its beginning."""
        return self._phase_shift

    @phase_shift.setter
    def phase_shift(self, value):
        if value is not None and not _is_count(value):
            raise ValueError(f"phase_shift={value} has the unit samples. Hence it needs to be an int or it may be "
                             "None!")
        if value is not None and not -self.mfft < value < self.mfft:
            raise ValueError(f"-mfft < phase_shift < mfft does not hold for mfft={self.mfft}, phase_shift={value}!")
        self._phase_shift = value

    @property
    def scaling(self) -> str | None:
        """What the window is scaled to: 'magnitude', 'psd', 'unitary' or None."""
        return self._scaling

    def scale_to(self, scaling) -> None:
        """Scales the window, and the inverse's the other way.

        Parameters: scaling: 'magnitude' or 'psd'.
        Errors: ValueError for another word.
        """
        if scaling not in ("magnitude", "psd"):
            raise ValueError(f"scaling={scaling!r} not in {{'magnitude', 'psd'}}!")
        if self._scaling != scaling:
            factor = self.fac_psd if scaling == "psd" else self.fac_magnitude
            self._set_windows(self._win * factor, None if self._dual is None else self._dual / factor)
            self._scaling = scaling

    @property
    def fac_magnitude(self) -> float:
        """What transforms are multiplied by to become magnitude spectra."""
        return 1 if self.scaling == "magnitude" else float(1 / abs(self._win.sum()))

    @property
    def fac_psd(self) -> float:
        """What transforms are multiplied by to become power spectral densities when squared."""
        if self.scaling == "psd":
            return 1
        return float(1 / numpy.sqrt((self._win.real ** 2 + self._win.imag ** 2).sum() / self.T))

    def _dual_window(self):
        if self._dual is None:
            self._dual = _canonical_dual(self._win, self.hop)
        return self._dual

    @property
    def dual_win(self) -> ndarray:
        """The window of the inverse. Errors: ValueError where there is none."""
        self._dual_window()
        return self._on_device("_dual")

    @property
    def invertible(self) -> bool:
        """Whether there is an inverse."""
        try:
            return self._dual_window().size > 0
        except ValueError:
            return False

    @property
    def m_num(self) -> int:
        """The window's length."""
        return self._win.size

    @property
    def m_num_mid(self) -> int:
        """The window's middle."""
        return self.m_num // 2

    @property
    def delta_t(self) -> float:
        """The step of the times."""
        return self.T * self.hop

    @property
    def delta_f(self) -> float:
        """The step of the frequencies."""
        return 1 / (self.mfft * self.T)

    @property
    def onesided_fft(self) -> bool:
        """Whether frequencies below zero are left out."""
        return self.fft_mode.startswith("one")

    @property
    def f_pts(self) -> int:
        """How many frequencies there are."""
        return self.mfft // 2 + 1 if self.onesided_fft else self.mfft

    @property
    def f(self) -> ndarray:
        """The frequencies."""
        if self.onesided_fft:
            return _fft.rfftfreq(self.mfft, self.T)
        f = _fft.fftfreq(self.mfft, self.T)
        return _fft.fftshift(f) if self.fft_mode == "centered" else f

    # --- samples k and segments p ---

    def _before(self):
        """(first sample, first segment) that a signal's samples are in."""
        begin = -self.m_num_mid
        p = 0
        while begin - self.hop + self.m_num > 0 and self._last >= begin - self.hop + self.m_num:
            begin, p = begin - self.hop, p - 1
        return begin, p

    def _behind(self, n):
        """(the sample, the segment) behind the last one that has one of n samples."""
        self._check_length(n)
        p = n // self.hop
        while (p + 1) * self.hop - self.m_num_mid < n and self._first < n + self.m_num_mid - (p + 1) * self.hop:
            p += 1
        return p * self.hop - self.m_num_mid + self.m_num, p + 1

    def _check_length(self, n):
        if not n >= self.m_num - self.m_num_mid:
            raise ValueError(f"Parameter n must be >= ceil(m_num/2) = {self.m_num - self.m_num_mid}!")

    @property
    def k_min(self) -> int:
        """The first sample of the first segment."""
        return self._before()[0]

    @property
    def p_min(self) -> int:
        """The first segment, 0 or below."""
        return self._before()[1]

    def k_max(self, n) -> int:
        """The sample behind the last segment of n samples.

        Parameters: n: how many samples.
        Errors: ValueError for an n below half the window's length.
        """
        return self._behind(n)[0]

    def p_max(self, n) -> int:
        """The segment behind the last one of n samples.

        Parameters: n: how many samples.
        Errors: ValueError for an n below half the window's length.
        """
        return self._behind(n)[1]

    def p_num(self, n) -> int:
        """How many segments n samples have.

        Parameters: n: how many samples.
        Errors: ValueError for an n below half the window's length.
        """
        return self.p_max(n) - self.p_min

    @property
    def lower_border_end(self) -> tuple[int, int]:
        """(the sample, the segment) from which on nothing before the signal is in a segment."""
        begin = self._first - self.m_num_mid
        for p, k in enumerate(range(begin, self.hop + 1, self.hop)):
            if k + self.hop >= 0:
                return k + self.m_num, p + 1
        return 0, max(self.p_min, 0)

    def upper_border_begin(self, n) -> tuple[int, int]:
        """(the sample, the segment) from which on something behind n samples is in a segment.

        Parameters: n: how many samples.
        Errors: ValueError for an n below half the window's length.
        """
        self._check_length(n)
        p = n // self.hop + 1
        while p > max((n - self.m_num) // self.hop - 1, -1):
            over = p * self.hop + self.m_num - self.m_num_mid - n
            if over <= 0 or self._last < max(self.m_num - over, 0):
                break
            p -= 1
        return (p + 1) * self.hop - self.m_num_mid, p + 1

    def p_range(self, n, p0=None, p1=None) -> tuple[int, int]:
        """(p0, p1), of n samples the first and last segment where they are None.

        Parameters: n: how many samples; p0: a segment; p1: the one behind the last.
        Errors: ValueError for segments that n samples do not have.
        """
        least, most = self.p_min, self.p_max(n)
        first, last = least if p0 is None else p0, most if p1 is None else p1
        if not least <= first < last <= most:
            raise ValueError(f"Invalid Parameter p0={p0!r}, p1={p1!r}, i.e., self.p_min={least!r} <= p0 < p1 <= "
                             f"p_max={most!r} does not hold for signal length n={n!r}!")
        return first, last

    def t(self, n, p0=None, p1=None, k_offset=0) -> ndarray:
        """The times of segments.

        Parameters: n: how many samples; p0: the first segment (None: all); p1: the one behind the last (None: all);
            k_offset: the sample that counts as the first.
        Errors: ValueError for segments that n samples do not have.
        """
        if not (_is_count(n) and n > 0):
            raise ValueError(f"Parameter n={n!r} is not a positive integer!")
        p0, p1 = self.p_range(n, p0, p1)
        return cuprite.asarray(numpy.arange(p0, p1) * self.delta_t + k_offset * self.T)

    def nearest_k_p(self, k, left=True) -> int:
        """The nearest sample that is a multiple of the step.

        Parameters: k: a sample; left: whether it lies before k, else behind.
        """
        return k // self.hop * self.hop if left else -(-k // self.hop) * self.hop

    def extent(self, n, axes_seq="tf", center_bins=False) -> tuple[float, float, float, float]:
        """(first time, last time, first frequency, last frequency), for imshow.

        Parameters: n: how many samples; axes_seq: 'tf', or 'ft': frequencies first; center_bins: whether pixels'
            middles lie there.
        Errors: ValueError for another axes_seq, and where frequencies are not in their order.
        """
        if axes_seq not in ("tf", "ft"):
            raise ValueError(f"Parameter axes_seq={axes_seq!r} not in ['tf', 'ft']!")
        if self.fft_mode == "twosided":
            raise ValueError(f"Attribute fft_mode={self.fft_mode} must be in ['centered', 'onesided', 'onesided2X']")
        q0, q1 = (0, self.f_pts) if self.onesided_fft else (-(self.mfft // 2), (self.mfft + 1) // 2)
        half = 0.5 if center_bins else 0
        times = self.delta_t * (self.p_min - half), self.delta_t * (self.p_max(n) - half)
        frequencies = self.delta_f * (q0 - half), self.delta_f * (q1 - half)
        return (*times, *frequencies) if axes_seq == "tf" else (*frequencies, *times)

    # --- transforms ---

    def stft(self, x, p0=None, p1=None, *, k_offset=0, padding="zeros", axis=-1) -> ndarray:
        """The transforms of a signal's segments.

        Parameters: x: the signal; p0: the first segment (None: all); p1: the one behind the last (None: all);
            k_offset: the sample that counts as the first; padding: how x is continued, 'zeros', 'edge', 'even' or
            'odd'; axis: an axis.
        Result: frequencies in the place of the axis, segments along the last one.
        Errors: ValueError for an unknown padding, segments that x does not have, signals shorter than half the window,
            and complex ones where frequencies are one-sided.
        """
        return _forth(self, array(x), None, p0, p1, k_offset, padding, axis)

    def stft_detrend(self, x, detr, p0=None, p1=None, *, k_offset=0, padding="zeros", axis=-1) -> ndarray:
        """The same of segments without their trends.

        Parameters: x: the signal; detr: 'constant', 'linear', a function of a segment, or None; p0: the first segment
            (None: all); p1: the one behind the last (None: all); k_offset: the sample that counts as the first;
            padding: how x is continued, 'zeros', 'edge', 'even' or 'odd'; axis: an axis.
        Errors: ValueError as stft, and for another detr.
        """
        return _forth(self, array(x), detr, p0, p1, k_offset, padding, axis)

    def spectrogram(self, x, y=None, detr=None, *, p0=None, p1=None, k_offset=0, padding="zeros", axis=-1) -> ndarray:
        """The squares of the transforms, or of two signals the product with the second one's conjugate.

        Parameters: x: the signal; y: another one; detr: 'constant', 'linear', a function of a segment, or None; p0: the
            first segment (None: all); p1: the one behind the last (None: all); k_offset: the sample that counts as the
            first; padding: how x is continued, 'zeros', 'edge', 'even' or 'odd'; axis: an axis.
        Errors: ValueError as stft, and for another detr.
        """
        first = _forth(self, array(x), detr, p0, p1, k_offset, padding, axis)
        if y is None or y is x:
            return first.real ** 2 + first.imag ** 2
        return first * _forth(self, array(y), detr, p0, p1, k_offset, padding, axis).conj()

    def istft(self, S, k0=0, k1=None, *, f_axis=-2, t_axis=-1) -> ndarray:
        """The signal of transforms.

        Parameters: S: what stft gives; k0: the first sample; k1: the one behind the last (None: all of them); f_axis:
            the frequencies' axis; t_axis: the segments' axis.
        Errors: ValueError for axes, shapes and samples that do not fit, and where there is no inverse.
        """
        return _back(self, array(S), k0, k1, f_axis, t_axis)


def _turn(transform):
    """How far segments are turned to the left, so that the phase is zero there."""
    shift = transform.phase_shift
    return 0 if shift is None else (shift + transform.m_num_mid) % transform.m_num


def _weighted(transform, pieces):
    """Segments times the window, with zeros up to the transforms' length, turned."""
    w = transform._on_device("_win").conj()
    turn, m, mfft = _turn(transform), transform.m_num, transform.mfft
    if not turn:
        return pieces * w
    kind = common_type(pieces, w)
    out = (cuprite.empty if mfft == m else cuprite.zeros)((*pieces.shape[:-1], mfft), kind)
    cuprite.multiply(pieces[..., turn:], w[turn:], out=out[..., :m - turn])
    cuprite.multiply(pieces[..., :turn], w[:turn], out=out[..., mfft - turn:])
    return out


def _folded(transform, spectra, inverse=False):
    """Of 'onesided2X' the frequencies that stand for two, times what the scaling wants."""
    if transform.fft_mode == "onesided2X":
        factor = numpy.sqrt(2) if transform.scaling == "psd" else 2
        spectra = spectra.copy() if inverse else spectra
        spectra[..., 1:-1 if transform.mfft % 2 == 0 else None] *= 1 / factor if inverse else factor
    return spectra


def _reached(transform, x, first, last, k_offset, padding):
    """The samples of the segments first..last and of one step more, continued beyond the signal's ends."""
    n = x.shape[-1]
    begin = first * transform.hop - transform.m_num_mid + k_offset
    end = begin + (last - first) * transform.hop + transform.m_num  # as far as SciPy reflects
    low, high = min(max(begin, 0), n), max(min(end, n), 0)
    if low >= high:
        if padding != "zeros":
            raise ValueError(f"k_offset={k_offset}: the segments have none of the signal's samples")
        return cuprite.zeros((*x.shape[:-1], end - begin), type_of(x))
    widths = [(0, 0)] * (x.ndim - 1) + [(low - begin, end - high)]
    return cuprite.pad(x[..., low:high], widths, **_PADDINGS[padding])


@beside_its_arrays
def _forth(transform, x, detr, p0, p1, k_offset, padding, axis):
    if transform.onesided_fft and type_of(x).kind == "c":
        raise ValueError(f"Complex-valued `x` not allowed for self.fft_mode={transform.fft_mode!r}'! Set property "
                         "`fft_mode` to 'twosided' or 'centered'.")
    if detr is not None and not isinstance(detr, str) and not callable(detr):
        raise ValueError(f"Parameter detr={detr!r} is not a str, function or None!")
    axis = index(axis)
    at = axis_of(x, axis)
    least = transform.m_num - transform.m_num_mid
    if not x.shape[at] >= least:
        raise ValueError((f"len(x)={x.size}" if x.ndim == 1 else f"of axis={axis!r} of {x.shape}") +
                         f" must be >= ceil(m_num/2) = {least}!")
    x = cuprite.moveaxis(x, at, -1)
    first, last = transform.p_range(x.shape[-1], p0, p1)
    if padding not in _PADDINGS:
        raise ValueError(f"Parameter padding={padding!r} not in {tuple(_PADDINGS)}!")
    samples = _reached(transform, x, first, last, index(k_offset), padding)
    pieces = _segments(samples, transform.m_num, transform.hop)[..., :last - first, :]
    if isinstance(detr, str):
        pieces = detrend(pieces, -1, detr)
    elif detr is not None:
        pieces = cuprite.stack([array(detr(pieces[..., p, :])) for p in range(pieces.shape[-2])], -2)
    forth = _fft.rfft if transform.onesided_fft else _fft.fft
    spectra = _folded(transform, forth(floating(_weighted(transform, pieces)), transform.mfft, -1))
    if transform.fft_mode == "centered":
        spectra = _fft.fftshift(spectra, axes=-1)
    spectra = cuprite.moveaxis(spectra.astype("complex128", copy=False), -1, -2)
    return cuprite.moveaxis(spectra, -2, at) if x.ndim > 1 else spectra


def _check_samples(transform, k0, k1, k_max):
    least = transform.m_num - transform.m_num_mid
    if not transform.k_min <= k0 < k1 <= k_max:
        raise ValueError(f"(self.k_min={transform.k_min!r}) <= (k0={k0!r}) < (k1={k1!r}) <= (k_max={k_max!r}) is "
                         "false!")
    if not k1 - k0 >= least:
        raise ValueError(f"(k1={k1!r}) - (k0={k0!r}) = {k1 - k0} has to be at least the half the window length "
                         f"{least}!")


@beside_its_arrays
def _back(transform, S, k0, k1, f_axis, t_axis):
    if f_axis == t_axis:
        raise ValueError(f"f_axis={f_axis!r} may not be equal to t_axis={t_axis!r}!")
    f_axis, t_axis = axis_of(S, f_axis), axis_of(S, t_axis)
    if f_axis == t_axis:
        raise ValueError(f"f_axis={f_axis!r} may not be equal to t_axis={t_axis!r}!")
    if S.shape[f_axis] != transform.f_pts:
        raise ValueError(f"S.shape[f_axis]={S.shape[f_axis]} must be equal to self.f_pts={transform.f_pts} "
                         f"(S.shape={S.shape})!")
    m, middle, hop, p_min = transform.m_num, transform.m_num_mid, transform.hop, transform.p_min
    count = S.shape[t_axis]
    if not count >= transform.p_num(m - middle):
        raise ValueError(f"S.shape[t_axis]={count} needs to have at least {transform.p_num(m - middle)} slices "
                         f"(S.shape={S.shape})!")
    k_max = (count + p_min - 1) * hop + m - middle
    k1 = k_max if k1 is None else k1
    _check_samples(transform, k0, k1, k_max)
    dual = transform._dual_window()
    S = cuprite.moveaxis(S, (f_axis, t_axis), (-1, -2))
    # the segments that have one of the samples
    first = max((k0 - m + middle) // hop + 1, p_min)
    last = min(-(-(k1 + middle) // hop), count + p_min)
    S = S[..., first - p_min:last - p_min, :]
    if transform.fft_mode == "centered":
        S = _fft.ifftshift(S, axes=-1)
    back = _fft.irfft if transform.onesided_fft else _fft.ifft
    pieces = back(_folded(transform, S, True), transform.mfft, -1)
    turn = _turn(transform)
    pieces = (cuprite.roll(pieces, turn, -1) if turn else pieces)[..., :m] * transform._on_device("_dual")
    kind = "complex128" if not transform.onesided_fft or type_of(dual).kind == "c" else "float64"
    sums = _overlapped(pieces, hop, (last - first - 1) * hop + m)
    begin = first * hop - middle
    x = cuprite.zeros((*S.shape[:-2], k1 - k0), kind)
    low, high = max(k0, begin), min(k1, begin + sums.shape[-1])
    x[..., low - k0:high - k0] = sums[..., low - begin:high - begin]
    return x if x.ndim == 1 else cuprite.moveaxis(x, -1, f_axis if f_axis < x.ndim else t_axis)
