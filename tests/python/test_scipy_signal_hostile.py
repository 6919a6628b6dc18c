"""cuprite.scipy.signal and ndimage's transformations, used wrongly and at the limits: arguments that SciPy refuses,
huge ones, types and axes that are seldom, and systems as objects."""
import copy
import operator
import pickle
import warnings

import numpy as np
import pytest

import cuprite as cp
from oracle import raises

ss = pytest.importorskip("scipy.signal")
s, nd = cp.scipy.signal, cp.scipy.ndimage
r = np.random.default_rng(8)
X, M = r.standard_normal(50), r.standard_normal((6, 7))


def same(got, want, bound=1e-10):
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got.get(), want, rtol=0, atol=bound * max(1, abs(want).max()))


REFUSED = [
    (ValueError, "s.wiener(x, 0)"), (ValueError, "s.wiener(x, -1)"), (TypeError, "s.wiener(x, 2.5)"),
    (ValueError, "s.wiener(m, [3, 0])"), (ValueError, "s.wiener(x, [3, 3])"),
    (ValueError, "s.medfilt(x, -1)"), (ValueError, "s.medfilt2d(m, [3, -1])"),
    (ValueError, "s.medfilt2d(m, [3])"), (ValueError, "s.medfilt2d(m, [3, 3, 3])"),
    (ValueError, "s.savgol_filter(x, 5, 2, deriv=-1)"), (ValueError, "s.savgol_filter(x, 5, -1)"),
    (TypeError, "s.hilbert2(m, 2.5)"), (TypeError, "s.hilbert2(m, (2.5, 3))"),
    (np.exceptions.AxisError, "s.istft(m[None], freq_axis=3)"), (np.exceptions.AxisError, "s.istft(m, time_axis=5)"),
    (ValueError, "s.symiirorder1(x[:0], 1, 0.5)"), (ValueError, "s.symiirorder1(x[0], 1, 0.5)"),
    (ValueError, "s.symiirorder2(x, -1, 0.5)"), (ValueError, "s.cspline2d(m[:0])"),
    (ValueError, "s.cspline1d(x, -1)"), (ValueError, "s.cspline1d(x, 1e-5)"),
    (ValueError, "s.cspline1d_eval(m, [1.0])"), (ValueError, "s.qspline1d_eval(x[0], [1.0])"),
    (np.linalg.LinAlgError, "s.lfilter_zi([1], [1, -1])"), (np.linalg.LinAlgError, "s.filtfilt([1], [1, -1], x)"),
    (np.linalg.LinAlgError, "s.sosfilt_zi([[1, 2, 3, 1, -1, 0]])"),
    (np.linalg.LinAlgError, "s.sosfiltfilt([[1, 2, 3, 1, -1, 0]], x)"),
    (ValueError, "s.lfiltic(m, [1], [1])"), (ValueError, "s.lfiltic([1], m, [1])"),
    (ValueError, "s.lfiltic([1, 2], [1], m)"), (ValueError, "s.lfiltic([1, 2], [1], [1], m)"),
    (ValueError, "s.filtfilt([1, 2], [1, 0.5], x[:0], method='gust')"),
    (ValueError, "s.filtfilt([1, 2], [1, 0.5], x, method='gust', irlen=0)"),
    (ValueError, "s.filtfilt([1], [], x, method='gust')"),
    (MemoryError, "nd.median_filter(x, 10 ** 9)"), (MemoryError, "nd.rank_filter(m, 3, (10 ** 30, 2))"),
    (MemoryError, "nd.generic_filter(m, max, 2 ** 62)"),
    (ValueError, "s.csd(x, x + 1j, nperseg=8)"), (ValueError, "s.welch(x, window=1j * x[:8])"),
    (ValueError, "s.coherence(x, x + 1j, nperseg=8)"), (ValueError, "s.find_peaks_cwt(m, [1, 2])"),
    (ValueError, "s.find_peaks_cwt(x, [1, 2], max_distances=[1])"),
    (ValueError, "s.find_peaks_cwt(x, [1, 2], noise_perc=101)"), (ValueError, "s.envelope(x[:0])"),
    (ValueError, "s.envelope(x, axis=1)"), (ValueError, "s.envelope(x, (3, 2))"), (ValueError, "s.envelope(x, (1,))"),
    (ValueError, "s.envelope(x, n_out=0)"), (ValueError, "s.envelope(x, residual='other')"),
    (ValueError, "nd.geometric_transform(m, lambda p: p, (-1, 2))"),
    (TypeError, "nd.shift(m, None)"), (TypeError, "nd.shift(m, [None, 1])"), (TypeError, "nd.zoom(m, None)"),
    (TypeError, "nd.affine_transform(m, [1, 1], None)"),
]


@pytest.mark.parametrize("kind, line", REFUSED)
def test_refused(kind, line):
    with raises(kind):
        eval(line, {"s": s, "nd": nd, "x": cp.asarray(X), "m": cp.asarray(M)})


@pytest.mark.parametrize("padtype", ["odd", "even", "constant", None])
@pytest.mark.parametrize("kind", ["f4", "f8", "c16", "i4"])
def test_filters_both_ways_in_c(kind, padtype):
    """cp_filtfilt and cp_sosfiltfilt, which have Python's names in a private module."""
    x = (10 * r.standard_normal((3, 60))).astype(kind)
    bound = 1e-4 if kind == "f4" else 1e-10
    word = padtype or "none"
    for b, a in (([0.2, 0.3, 0.1], [1.0, -0.6, 0.2]), ([1.0, 2.0], [2.0]), ([0.5], [1.0, -0.2])):
        both = [np.asarray(c, x.real.dtype if kind != "i4" else "f8") for c in (b, a)]
        for axis, n in ((1, None), (0, 1), (1, 20)):
            got = cp._spectra.filtfilt(*map(cp.asarray, both), cp.asarray(x), axis, word, n or 0)
            if n is None or padtype is None or n < x.shape[axis]:
                same(got, ss.filtfilt(*both, x, axis, padtype, n).astype(got.dtype), bound)
    sos = ss.butter(5, 0.3, output="sos").astype(x.real.dtype if kind != "i4" else "f8")
    for n in (None, 7):
        got = cp._spectra.sosfiltfilt(cp.asarray(sos), cp.asarray(x), 1, word, n or 0)
        same(got, ss.sosfiltfilt(sos, x.astype(float) if kind == "i4" else x, 1, padtype, n).astype(got.dtype), bound)


def test_medians_of_windows_that_no_memory_holds():
    """A window of which more than half lies beyond the ends has the median 0."""
    for length in (99, 101, 103):
        np.testing.assert_array_equal(s.medfilt(cp.asarray(X), length).get(), ss.medfilt(X, length))
    column = X[:, None]  # whose windows are longer than it is wide
    for sizes in ((1, 3), (1, 99), (3, 3), (51, 1), (99, 1), (49, 3)):
        want = ss.medfilt(column, sizes)
        for got in (s.medfilt(cp.asarray(column), sizes), cp._spectra.medfilt(cp.asarray(column), sizes)):
            np.testing.assert_array_equal(got.get(), want)
    tall = cp.ones((200_000, 1))
    assert not s.medfilt(tall, (1, 399_999)).any() and not cp._spectra.medfilt(tall, (1, 399_999)).any()
    for length in (10 ** 12 + 1, 10 ** 30 + 1):
        assert not s.medfilt(cp.asarray(X), length).any()
        assert not s.medfilt2d(cp.asarray(M), (1, length)).any()


@pytest.mark.parametrize("sign", [1, -1])
def test_peaks_that_rise_and_rise(sign):
    """Each is above all before it: walks that looked at all elements would look at 10^10 of them."""
    t = np.arange(200_000)
    x = (0.01 * t + np.sin(t / 3) + 0.1 * np.cos(t * t))[::sign].copy()
    peaks = ss.find_peaks(x)[0]
    heights, left, right = (v.get() for v in s.peak_prominences(cp.asarray(x), cp.asarray(peaks)))
    some = slice(0, 300) if sign > 0 else slice(-300, None)
    where = slice(0, peaks[some][-1] + 2000) if sign > 0 else slice(peaks[some][0] - 2000, None)
    offset = where.start or 0
    for got, want in zip((heights, left, right), ss.peak_prominences(x[where], peaks[some] - offset)):
        np.testing.assert_array_equal(got[some], want + (offset if want.dtype.kind == "i" else 0))
    far = left if sign > 0 else right  # the lowest element on that side is at the signal's end
    assert (abs(far - (0 if sign > 0 else t.size - 1)) < 100).mean() > 0.3


@pytest.mark.parametrize("mode", ["clip", "wrap"])
@pytest.mark.parametrize("values", [X, np.repeat(X, 3), np.zeros(0), np.ones(200)])
def test_extrema_of_a_huge_order(mode, values):
    """As many neighbours as there are elements are all of them."""
    for name in ("argrelmax", "argrelmin"):
        got, = getattr(s, name)(cp.asarray(values), order=10 ** 18, mode=mode)
        want, = getattr(ss, name)(values, order=len(values) + 1, mode=mode)
        np.testing.assert_array_equal(got.get(), want)
    got, = s.argrelextrema(cp.asarray(values), cp.greater_equal, order=10 ** 18, mode=mode)
    want, = ss.argrelextrema(values, np.greater_equal, order=len(values) + 1, mode=mode)
    np.testing.assert_array_equal(got.get(), want)


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "?", "f2", "i4", "f4"])
@pytest.mark.filterwarnings("ignore:nperseg")
def test_spectra_have_the_types_of_scipy(kind):
    x = (20 * r.standard_normal((2, 60))).astype(kind)
    if kind != "f2":  # which SciPy has no transform of
        for name in ("welch", "periodogram"):
            same(getattr(s, name)(cp.asarray(x))[1], getattr(ss, name)(x)[1], 1e-6)
        same(s.stft(cp.asarray(x), nperseg=16)[2], ss.stft(x, nperseg=16)[2], 1e-6)
        same(s.spectrogram(cp.asarray(x), nperseg=16)[2], ss.spectrogram(x, nperseg=16)[2], 1e-6)
    assert s.welch(cp.asarray(x))[1].dtype == (np.float64 if kind == "i4" else np.float32)


def test_cross_spectra_are_computed_in_the_precision_of_the_result():
    x = r.standard_normal(200) + 1j * r.standard_normal(200)
    y = r.standard_normal(200).astype("f4")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got, want = s.csd(cp.asarray(x), cp.asarray(y), nperseg=32)[1], ss.csd(x, y.astype("f8"), nperseg=32)[1]
    same(got, want, 1e-14)


@pytest.mark.parametrize("window", ["hann", ("kaiser", 3.0), "array"])
def test_istft_keeps_single_precision(window):
    window = r.random(9) + 0.5 if window == "array" else window
    z = (r.standard_normal((5, 8)) + 1j * r.standard_normal((5, 8))).astype("F")
    for scaling in ("spectrum", "psd"):
        options = dict(nperseg=9, noverlap=4, scaling=scaling)
        ours = {**options, "window": cp.asarray(window) if isinstance(window, np.ndarray) else window}
        same(s.istft(cp.asarray(z), **ours)[1], ss.istft(z, **options, window=window)[1], 1e-5)


@pytest.mark.parametrize("n", [7, 8, 51])
@pytest.mark.parametrize("num", [2, 5, 9, 14, 60])
@pytest.mark.parametrize("domain", ["time", "freq"])
def test_resample_of_complex_samples_by_a_window(n, num, domain):
    x = r.standard_normal(n) + 1j * r.standard_normal(n)
    for window in ("flattop", ("kaiser", 5.0)):
        options = dict(window=window, domain=domain)
        same(s.resample(cp.asarray(x), num, **options), ss.resample(x, num, **options))


@pytest.mark.parametrize("name", ["cspline1d_eval", "qspline1d_eval"])
def test_splines_of_integers_and_of_what_is_no_number(name):
    at = np.array([1.2, -3.7, 11.0])
    got = getattr(s, name)(cp.asarray([3, -5, 8, 2]), cp.asarray(at))
    same(got, getattr(ss, name)(np.array([3.0, -5, 8, 2]), at))
    for places in ([np.nan, 1.0, np.inf, -np.inf], [np.nan]):
        got = getattr(s, name)(cp.asarray([3.0, -5, 8, 2]), cp.asarray(places)).get()
        np.testing.assert_array_equal(np.isnan(got), ~np.isfinite(places))
    assert np.isnan(getattr(s, name)(cp.asarray([3.0, 4]), cp.ones(2), 0.0).get()).all()


@pytest.mark.parametrize("kind", ["i1", "u2", "i4", "i8"])
def test_medfilt2d_of_integers(kind):
    x = r.integers(0, 100, (9, 8)).astype(kind)
    got, want = s.medfilt2d(cp.asarray(x), [3, 5]), ss.medfilt2d(x, [3, 5])
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got.get(), want)


# --- systems ---

A, B, C, D = np.array([[0.0, 1], [-1, -0.5]]), np.array([[0.0], [1]]), np.array([[1.0, 0]]), np.array([[0.0]])


def systems(where, dt=None):
    on = cp.asarray if where is s else np.asarray
    options = {} if dt is None else {"dt": dt}
    return (where.StateSpace(on(A), on(B), on(C), on(D), **options),
            where.TransferFunction(on([1.0, 2]), on([1.0, 3, 2]), **options),
            where.ZerosPolesGain([1.0], [2.0, 3.0], 2.0, **options))


@pytest.mark.parametrize("dt", [None, 0.1])
@pytest.mark.filterwarnings("ignore:Badly")
def test_systems_are_lti_or_dlti(dt):
    for ours, theirs in zip(systems(s, dt), systems(ss, dt)):
        made = [(ours, theirs)] + [(getattr(ours, f)(), getattr(theirs, f)()) for f in ("to_ss", "to_tf", "to_zpk")]
        for a, b in made:
            for name in ("lti", "dlti", "StateSpace", "TransferFunction", "ZerosPolesGain"):
                assert isinstance(a, getattr(s, name)) == isinstance(b, getattr(ss, name)), name
            assert (a.inputs, a.outputs) == (b.inputs, b.outputs)
        assert isinstance(ours.to_discrete(0.1), s.dlti) if dt is None else True
        for copied in (copy.deepcopy(ours), copy.copy(ours), pickle.loads(pickle.dumps(ours))):
            assert type(copied) is type(ours)
            np.testing.assert_array_equal(copied.poles.get(), ours.poles.get())
        with raises(AttributeError):
            ours.nothing
        ours.name = cp.ones(2)
        assert isinstance(ours.name, cp.ndarray)
    assert not isinstance(3, s.lti) and not isinstance(systems(ss)[0], s.lti)


@pytest.mark.parametrize("dt", [None, 0.1])
def test_state_spaces_are_added_and_multiplied(dt):
    ours, theirs = systems(s, dt)[0], systems(ss, dt)[0]
    pairs = [((ours, o), (theirs, t)) for o, t in ((ours, theirs), (2, 2), (np.float64(2), 2.0),
                                                   (cp.asarray([[2.0]]), np.array([[2.0]])))]
    pairs += [(a[::-1], b[::-1]) for a, b in pairs]
    for operation in (operator.add, operator.sub, operator.mul):
        for a, b in pairs:
            got, want = operation(*a), operation(*b)
            assert isinstance(got, s.StateSpace) and got.dt == want.dt
            for name in "ABCD":
                np.testing.assert_array_equal(getattr(got, name).get(), getattr(want, name))
    np.testing.assert_array_equal((ours / 2).B.get(), (theirs / 2).B)
    np.testing.assert_array_equal((-ours).C.get(), (-theirs).C)
    np.testing.assert_array_equal((np.array([[2.0]]) * ours).C.get(), 2 * C)
    for wrong in (lambda: ours + "a", lambda: ours * systems(s, dt)[1], lambda: ours / ours, lambda: 2 / ours,
                  lambda: ours + systems(s, None if dt else 0.1)[0], lambda: systems(s)[1] + systems(s)[1]):
        with raises(TypeError):
            wrong()


def test_systems_of_discrete_time_take_places():
    ours, theirs = systems(s, 0.1)[1], systems(ss, 0.1)[1]
    for name in ("step", "impulse"):
        got, want = getattr(ours, name)(None, None, 5), getattr(theirs, name)(None, None, 5)
        same(got[0], want[0])
        same(got[1][0], want[1][0])
    for got, want in zip(ours.freqresp(None, 8, True), theirs.freqresp(None, 8, True)):
        same(got, want)


def test_poles_are_placed():
    got, want = (w.place_poles(on(A), on(B), on([-1.0, -2])) for w, on in ((s, cp.asarray), (ss, np.asarray)))
    same(got.gain_matrix, want.gain_matrix)
    same(got.computed_poles, want.computed_poles)
    assert got.rtol == want.rtol and got.nb_iter == want.nb_iter


@pytest.mark.device
def test_states_lie_beside_their_filters():
    """Not on the current device, where a filter on its own device could not take them."""
    with cp.cuda.Device("late:1"):
        b, a, sos = cp.asarray([0.2, 0.3]), cp.asarray([1.0, -0.5]), cp.asarray(ss.butter(3, 0.3, output="sos"))
    for made in (s.lfilter_zi(b, a), s.lfiltic(b, a, [1.0]), s.sosfilt_zi(sos), s.lfiltic([1.0, 2], [1.0], [1.0], a)):
        assert made.device == b.device
