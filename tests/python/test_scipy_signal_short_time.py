"""ShortTimeFFT, its dual windows, envelope and find_peaks_cwt against SciPy: cases drawn from numbers."""
import numpy as np
import pytest

import cuprite as cp
from oracle import raises

ss = pytest.importorskip("scipy.signal")
s = cp.scipy.signal
if not hasattr(ss, "envelope"):
    pytest.skip("SciPy has these from 1.17 on", allow_module_level=True)
PROPERTIES = ("p_min", "k_min", "f_pts", "delta_t", "delta_f", "m_num", "m_num_mid", "fac_magnitude", "fac_psd", "T",
              "fs", "hop", "invertible", "onesided_fft", "scaling", "lower_border_end")


def outcome(f):
    try:
        return f()
    except (ValueError, TypeError, IndexError, RuntimeError) as error:
        return error


def same(got, want, scale=1.0):
    """The value, its type and its shape, or the error's type. Says whether it was a value."""
    if isinstance(want, Exception):
        assert type(got) is type(want), (got, want)
        return False
    assert not isinstance(got, Exception), got
    if not isinstance(want, np.ndarray):
        assert got == pytest.approx(want, rel=1e-12) if not isinstance(want, (str, type(None))) else got == want
        return True
    assert isinstance(got, cp.ndarray) and got.dtype == want.dtype and got.shape == want.shape
    bound = 1e-11 * max(scale, abs(want).max(initial=1))
    np.testing.assert_allclose(got.get(), want, rtol=0, atol=bound)
    return True


def drawn(r):
    """(window, hop, options) of a transform."""
    m = int(r.integers(1, 12))
    mode = r.choice(["onesided", "twosided", "centered", "onesided2X"])
    w = r.standard_normal(m) if r.random() < 0.5 else ss.get_window("hann", m)
    if mode in ("twosided", "centered") and r.random() < 0.4:
        w = w + 1j * r.standard_normal(m)
    options = {"fft_mode": str(mode), "mfft": [None, m, m + int(r.integers(0, 5))][r.integers(3)],
               "scale_to": [None, "magnitude", "psd"][r.integers(3)],
               "phase_shift": [None, 0, int(r.integers(-m, m + 1))][r.integers(3)]}
    return w, int(r.integers(1, m + 3)), options


def signal(r, least, mode):
    n = int(r.integers(least, 60))
    shape = [(n,), (3, n), (n, 2)][r.integers(3)]
    x = r.standard_normal(shape)
    return (x + 1j * r.standard_normal(shape) if mode in ("twosided", "centered") and r.random() < 0.4 else x,
            0 if shape[-1] == 2 else -1)


@pytest.mark.parametrize("seed", range(120))
def test_short_time_transforms(seed):
    r = np.random.default_rng(seed)
    w, hop, options = drawn(r)
    theirs = outcome(lambda: ss.ShortTimeFFT(w.copy(), hop, 2.0, **options))
    ours = outcome(lambda: s.ShortTimeFFT(cp.asarray(w), hop, 2.0, **options))
    if isinstance(theirs, Exception):
        assert type(theirs) is type(ours)
        return
    x, axis = signal(r, w.size, options["fft_mode"])
    n = x.shape[axis]
    for name in PROPERTIES:
        want = outcome(lambda: getattr(theirs, name))
        if not isinstance(want, IndexError):  # of windows of zeros
            same(outcome(lambda: getattr(ours, name)), want)
    for name in ("p_max", "k_max", "upper_border_begin", "p_num", "p_range", "extent"):
        for length in (n, w.size, 1):
            same(outcome(lambda: getattr(ours, name)(length)), outcome(lambda: getattr(theirs, name)(length)))
    same(ours.t(n), theirs.t(n))
    same(ours.f, theirs.f)
    given = {"padding": str(r.choice(["zeros", "edge", "even", "odd"])), "axis": axis,
             "k_offset": int(r.integers(-2, 3))}
    trend = [None, "constant", "linear", lambda v: v - v.max()][r.integers(4)]
    if x.ndim == 1:
        trend = trend if x.dtype.kind != "c" or isinstance(trend, (str, type(None))) else None
    elif callable(trend):
        trend = None
    try:
        want = theirs.stft_detrend(x, trend, **given)
    except ValueError:  # np.hstack of more than two axes, and segments beyond the padding
        want = None
    if want is not None:
        same(ours.stft_detrend(cp.asarray(x), trend, **given), want)
    same(ours.spectrogram(cp.asarray(x), cp.asarray(2 * x), axis=axis), theirs.spectrogram(x, 2 * x, axis=axis))
    S = theirs.stft(x, axis=axis)
    if ours.invertible and abs(theirs.dual_win).max() < 1e4:
        same(ours.dual_win, theirs.dual_win)
        for k0, k1 in ((0, None), (0, n), (n // 3, n - 1), (0, 10 ** 6)):
            want = outcome(lambda: theirs.istft(S, k0, k1, f_axis=axis % x.ndim))
            if "broadcast" not in str(want):  # segments that end before k0
                same(outcome(lambda: ours.istft(cp.asarray(S), k0, k1, f_axis=axis % x.ndim)), want,
                     abs(theirs.dual_win).max() * 10)


@pytest.mark.parametrize("seed", range(40))
def test_dual_windows(seed):
    r = np.random.default_rng(1000 + seed)
    w, hop, _ = drawn(r)
    desired = r.standard_normal(w.size) if seed % 2 else None
    for scaled in (True, False):
        want = outcome(lambda: ss.closest_STFT_dual_window(w, hop, desired, scaled=scaled))
        ours = None if desired is None else cp.asarray(desired)
        got = outcome(lambda: s.closest_STFT_dual_window(cp.asarray(w), hop, ours, scaled=scaled))
        if isinstance(want, Exception):
            assert type(got) is type(want)
        else:
            same(got[0], want[0])
            assert got[1] == pytest.approx(want[1])
    for scaling in (None, "unitary", "psd", "magnitude"):
        pair = [outcome(lambda: library.ShortTimeFFT.from_win_equals_dual(v, hop, 3.0, scale_to=scaling,
                                                                          fft_mode="twosided"))
                for library, v in ((s, cp.asarray(w)), (ss, w))]
        if isinstance(pair[1], Exception):
            assert type(pair[0]) is type(pair[1])
            continue
        same(pair[0].win, pair[1].win)
        same(pair[0].dual_win, pair[1].dual_win)
        assert pair[0].scaling == pair[1].scaling


def test_other_ways_to_make_transforms():
    x = np.random.default_rng(2).standard_normal(100)
    for window in ("hann", ("kaiser", 3.0)):
        ours, theirs = (library.ShortTimeFFT.from_window(window, 10.0, 16, 12, symmetric_win=True, scale_to="psd")
                        for library in (s, ss))
        same(ours.stft(cp.asarray(x)), theirs.stft(x))
        ours, theirs = s.ShortTimeFFT.from_dual(ours.win, 4, 10.0), ss.ShortTimeFFT.from_dual(theirs.win, 4, 10.0)
        same(ours.win, theirs.win)
        np.testing.assert_allclose(ours.istft(ours.stft(cp.asarray(x)), k1=100).get(), x, atol=1e-12)
    ours.T, ours.mfft, ours.fft_mode, ours.phase_shift = 0.5, 20, "centered", None
    theirs.T, theirs.mfft, theirs.fft_mode, theirs.phase_shift = 0.5, 20, "centered", None
    ours.scale_to("magnitude")
    theirs.scale_to("magnitude")
    same(ours.stft(cp.asarray(x), 2, 9), theirs.stft(x, 2, 9))
    for name, value in (("T", 0), ("fs", -1.0), ("mfft", 3), ("fft_mode", "other"), ("phase_shift", 0.5),
                        ("phase_shift", 20)):
        with raises(ValueError):
            setattr(theirs, name, value)
        with raises(ValueError):
            setattr(ours, name, value)
    assert (ours.nearest_k_p(7), ours.nearest_k_p(7, False)) == (4, 8)


def test_padding_of_several_dimensions():
    """SciPy's numpy.hstack takes the wrong axis of three."""
    x = np.random.default_rng(4).standard_normal((2, 3, 30))
    transform = s.ShortTimeFFT(cp.ones(6), 3, 1.0, mfft=9)
    one = ss.ShortTimeFFT(np.ones(6), 3, 1.0, mfft=9)
    same(transform.stft(cp.asarray(x)), np.array([[one.stft(row) for row in rows] for rows in x]))


@pytest.mark.parametrize("seed", range(80))
def test_envelopes(seed):
    r = np.random.default_rng(2000 + seed)
    n = int(r.integers(1, 30))
    z = r.standard_normal((2, n) if seed % 3 == 0 else n)
    z = z + 1j * r.standard_normal(z.shape) if seed % 2 else z
    band = [(1, None), (None, None), (2, 5), (-3, 4), (-5, -1), (0, None)][r.integers(6)]
    options = {"n_out": [None, 7, 40, n + 1][r.integers(4)], "squared": bool(r.integers(2)),
               "residual": ["lowpass", "all", None][r.integers(3)]}
    same(outcome(lambda: s.envelope(cp.asarray(z), band, **options)), outcome(lambda: ss.envelope(z, band, **options)))


def test_envelope_below_frequency_0():
    """A band that ends there, which SciPy takes as empty."""
    z = np.exp(-6j * np.pi * np.arange(20) / 20)
    for last in (-1, 0):
        same(s.envelope(cp.asarray(z), (-5, last), residual=None), np.ones(20))


@pytest.mark.parametrize("seed", range(60))
def test_peaks_of_wavelets(seed):
    r = np.random.default_rng(3000 + seed)
    x = r.standard_normal(int(r.integers(5, 300)))
    x = x.cumsum() if seed % 2 else x
    widths = [np.arange(1, 10), np.array([1.5, 2.5, 4]), 3, np.arange(2, 20, 3)][r.integers(4)]
    options = [{}, {"min_snr": 0.5, "noise_perc": 50}, {"gap_thresh": 1, "min_length": 1}, {"window_size": 7},
               {"max_distances": np.ones(20)}][r.integers(5)]
    want = ss.find_peaks_cwt(x, widths, **options)
    got = s.find_peaks_cwt(cp.asarray(x), widths if seed % 3 else cp.asarray(widths), **options)
    assert got.dtype == np.int64 and got.tolist() == want.tolist()


def test_peaks_of_another_wavelet():
    x = np.random.default_rng(9).standard_normal(200).cumsum()

    def wave(n, width):
        return np.exp(-0.5 * ((np.arange(n) - (n - 1) / 2) / width) ** 2)
    got = s.find_peaks_cwt(cp.asarray(x), np.arange(1, 6), lambda n, width: cp.asarray(wave(n, width)))
    assert got.tolist() == ss.find_peaks_cwt(x, np.arange(1, 6), wave).tolist()
