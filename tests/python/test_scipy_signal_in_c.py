"""Functions of scipy.signal that C computes whole: every type and layout, empty and wrong arguments, against SciPy; and
those of the private modules, which Python's forms go around."""
import numpy as np
import pytest

import cuprite as cp
from oracle import raises

ss = pytest.importorskip("scipy.signal")
s = cp.scipy.signal
r = np.random.default_rng(21)
X, Y, M = r.standard_normal(60), r.standard_normal(60), r.standard_normal((30, 31))
REAL, ALL = "bBhHiIlLfd", "bBhHiIlLfdFD"


def drawn(kind, shape, least=0):
    x = r.integers(least, 9, shape)
    return (x + (1j * r.integers(0, 9, shape) if kind in "FD" else 0)).astype(kind)


def same(got, want, bound=1e-11):
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, want.dtype, got.shape, want.shape)
    bound = bound if want.dtype.char in "dDlq?" else 3e-5
    np.testing.assert_allclose(got.get(), want, rtol=0, atol=bound * max(1, abs(want).max(initial=0)))


def layouts(x):
    """The same elements, differently laid out."""
    yield cp.asarray(x)
    yield cp.asarray(x[..., ::-1].copy())[..., ::-1]
    wide = cp.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    wide[..., ::2] = cp.asarray(x)
    yield wide[..., ::2]
    yield cp.asarray(np.asfortranarray(x))


# --- states ---

@pytest.mark.parametrize("kind", ALL)
def test_states_of_every_type(kind):
    b, a = drawn(kind, 4, 1), drawn(kind, 3, 1)
    a[0] += 9
    for x in layouts(b):
        same(s.lfilter_zi(x, cp.asarray(a)), ss.lfilter_zi(b, a))
    same(s.lfilter_zi(cp.asarray(a), cp.asarray(b)), ss.lfilter_zi(a, b))
    for y, x in ((drawn(kind, 1), None), (drawn(kind, 5), drawn(kind, 2)), (drawn(kind, 0), drawn(kind, 0))):
        want = ss.lfiltic(b, a, y, x)
        same(s.lfiltic(cp.asarray(b), cp.asarray(a), cp.asarray(y), None if x is None else cp.asarray(x)), want)


def test_states_without_a_feedback():
    same(s.lfilter_zi([1.0, 2], [2.0]), ss.lfilter_zi([1.0, 2], [2.0]))
    assert s.lfilter_zi([1.0], [2.0]).shape == (0,)  # SciPy has no companion of one coefficient
    same(s.lfilter_zi(3.0, [0, 0, 2.0, 1]), ss.lfilter_zi(3.0, [0, 0, 2.0, 1]))
    same(s.lfiltic(2.0, [4.0, 1], 3.0), ss.lfiltic(2.0, [4.0, 1], [3.0]))


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("n, m", [(9, 3), (3, 3), (5, 1), (2, 4)])
def test_deconvolution(kind, n, m):
    signal, divisor = drawn(kind, n, 1), drawn(kind, m, 1)
    got, want = s.deconvolve(cp.asarray(signal), cp.asarray(divisor)), ss.deconvolve(signal, divisor)
    if m > n:
        assert got[0].shape == (0,)
    else:
        same(got[0], want[0])
    same(got[1], want[1], 1e-10)


# --- mirrored signals ---

@pytest.mark.parametrize("kind", "fdFD")
def test_recurrences_of_every_layout(kind):
    x = M.astype(kind) + (1j * M[::-1] if kind in "FD" else 0)
    x = x.astype(kind)
    for v in layouts(x):
        same(s.symiirorder1(v, 0.5, 0.2), ss.symiirorder1(x, 0.5, 0.2))
        same(s.symiirorder2(v.real, 0.3, 0.4, 1e-3), ss.symiirorder2(x.real, 0.3, 0.4, 1e-3))
        same(s.cspline2d(v, 0.0, 1e-6), ss.cspline2d(x, 0.0, 1e-6))
        same(s.qspline2d(v, 0.0, 1e-6), ss.qspline2d(x, 0.0, 1e-6))
        same(s.sepfir2d(v, x[0, :3].real.copy(), x[1, :5].real.copy()),
             ss.sepfir2d(x, x[0, :3].real.copy(), x[1, :5].real.copy()))
    for v in layouts(x[0]):
        same(s.cspline1d(v), ss.cspline1d(x[0]))
        same(s.qspline1d(v), ss.qspline1d(x[0]))
        same(s.cspline1d_eval(v, X), ss.cspline1d_eval(x[0], X))


def test_a_complex_pole():
    x = X + 1j * Y
    same(s.symiirorder1(cp.asarray(x), 0.5, 0.2 + 0.3j), ss.symiirorder1(x, 0.5, 0.2 + 0.3j))
    same(s.symiirorder1(cp.asarray(x), 0.5j, np.complex128(-0.3j)), ss.symiirorder1(x, 0.5j, -0.3j))


def test_smoothing_that_is_not_stable():
    for lamb in (0.008, 0.02):
        with raises(ValueError):
            ss.cspline2d(M, lamb)
        with raises(ValueError):
            s.cspline2d(cp.asarray(M), lamb)
        with raises(ValueError):
            s.cspline1d(cp.asarray(X), lamb)


def test_places_of_every_shape_and_type():
    cj = np.array([1.0, 3, -2, 5])
    for places in (np.zeros((0, 3)), np.array(1.5), np.arange(12).reshape(3, 4), M, np.clip(X, -3, 3).astype("f4"),
                   np.array([3], "u1")):
        same(s.cspline1d_eval(cp.asarray(cj), cp.asarray(places)), ss.cspline1d_eval(cj, np.atleast_1d(places)
                                                                                    ).reshape(places.shape))
    for places in (np.zeros(0), X, M):
        same(s.qspline1d_eval(cp.asarray(cj), cp.asarray(places), 2.0, 1.0), ss.qspline1d_eval(cj, places, 2.0, 1.0))


@pytest.mark.parametrize("kind", "bhilfd")
def test_gaussians_of_splines(kind):
    x = drawn(kind, (3, 4))
    for n in (0, 3, 2.5):
        same(s.gauss_spline(cp.asarray(x), n), ss.gauss_spline(x, n))


# --- extrema ---

@pytest.mark.parametrize("kind", "?bBhHiIlLefdFD")
@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_extrema_of_every_type(kind, mode):
    x = drawn(kind, (7, 5, 6))
    for name in ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal"):
        for axis, order in ((0, 1), (1, 2), (-1, 9)):
            want = ss.argrelextrema(x, getattr(np, name), axis, order, mode)
            for v in layouts(x):
                for library in (np, cp):
                    got = s.argrelextrema(v, getattr(library, name), axis, order, mode)
                    assert len(got) == len(want)
                    for g, w in zip(got, want):
                        same(g, w)


@pytest.mark.parametrize("mode", ["clip", "wrap", "raise"])
@pytest.mark.parametrize("shape, axis", [((0,), 0), ((0, 5), 1), ((0, 5), 0), ((5, 0), 0), ((5, 0), 1), ((1,), 0)])
def test_extrema_of_few_elements(shape, axis, mode):
    x = np.zeros(shape)
    try:
        want = ss.argrelextrema(x, np.greater_equal, axis, 2, mode)
    except IndexError as error:
        with raises(type(error), str(error)):
            s.argrelextrema(cp.asarray(x), np.greater_equal, axis, 2, mode)
        return
    for function in (cp.greater_equal, lambda a, b: a >= b):
        for g, w in zip(s.argrelextrema(cp.asarray(x), function, axis, 2, mode), want):
            same(g, w)


def test_the_mode_raise():
    """There is a neighbour beyond the end whatever the elements."""
    for mode in ("raise", None):
        for x, axis in ((X, 0), (M, 1)):
            with pytest.raises(IndexError) as theirs:
                ss.argrelmax(x, axis, mode=mode)
            with raises(IndexError, str(theirs.value)):
                s.argrelmax(cp.asarray(x), axis, mode=mode)
    with raises(ValueError):
        s.argrelmin(cp.asarray(X), mode="other")


def test_other_comparisons():
    """A function of Python's is called with whole arrays."""
    want = ss.argrelextrema(X, lambda a, b: a > b + 0.5, order=2)
    for g, w in zip(s.argrelextrema(cp.asarray(X), lambda a, b: a > b + 0.5, order=2), want):
        same(g, w)


# --- spectra ---

@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("band", [(1, None), (None, None), (2, 9), (-9, -3), (0, None)])
def test_envelopes_of_every_type(kind, band):
    x = drawn(kind, (3, 25))
    if kind not in "FD" and band[0] == -9:
        band = (3, 5)
    for residual in (None, "all", "lowpass"):
        for axis in (0, 1):
            if axis == 0 and band[0] not in (None, 0, 1):
                continue
            same(s.envelope(cp.asarray(x), band, residual=residual, axis=axis),
                 ss.envelope(x, band, residual=residual, axis=axis))


@pytest.mark.parametrize("kind", "fdFD")
@pytest.mark.parametrize("trend", ["none", "constant", "linear"])
def test_coherence_in_c(kind, trend):
    x, y = (v.astype(kind) for v in (r.standard_normal((2, 90)), r.standard_normal((2, 90))))
    window = np.hanning(16) + 0.1
    for step, nfft, axis in ((8, 16, 1), (5, 20, -1)):
        got = cp._spectra.coherence(cp.asarray(x), cp.asarray(y), cp.asarray(window), step, nfft, 2.0, trend,
                                    kind in "FD", axis)
        want = ss.coherence(x, y, 2.0, window, None, 16 - step, nfft, False if trend == "none" else trend, axis)[1]
        same(got, want, 1e-10)


@pytest.mark.parametrize("kind", "fdFD")
@pytest.mark.parametrize("window", ["hann", "single", "double", lambda f: 1 / (1 + abs(f))])
@pytest.mark.parametrize("num", [7, 12, 30])
def test_resample_has_the_types_of_scipy(kind, window, num):
    """A complex signal's spectrum takes the window's precision, a real one's keeps its own."""
    x = (X + 1j * Y if kind in "FD" else X).astype(kind)
    weights = {"single": (Y * Y).astype("f"), "double": Y * Y}.get(window if isinstance(window, str) else "")
    ours = window if weights is None else cp.asarray(weights)
    for domain in ("time", "freq"):
        if domain == "freq" and kind in "fd":
            continue
        same(s.resample(cp.asarray(x), num, window=ours, domain=domain),
             ss.resample(x, num, window=window if weights is None else weights, domain=domain),
             1e-6 if kind in "fF" else 1e-12)


@pytest.mark.parametrize("kind", REAL)
def test_events(kind):
    events, period = drawn(kind, 40, 1), drawn(kind, 5, 1)
    for p in (period, period[0], period[:0]):
        got, want = s.vectorstrength(cp.asarray(events), cp.asarray(p)), ss.vectorstrength(events, p)
        assert all(g.shape == np.shape(p) and g.dtype == w.dtype for g, w in zip(got, want))
        # a phase of half a turn is that of either sign, one of nothing any
        ours, theirs = ((v[0] * np.exp(1j * v[1])) for v in ([g.get() for g in got], want))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5 if kind == "f" else 1e-13)
    for wrong in ((M, 1.0), (X, M + 9), (X, 0.0), (X, [1.0, -1.0])):
        with raises(ValueError):
            s.vectorstrength(*(cp.asarray(v) for v in wrong))


@pytest.mark.filterwarnings("ignore:Mean of empty:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
def test_vector_strength_of_no_events():
    for period in (1.5, [1.0, 2.0]):
        for got, want in zip(s.vectorstrength([], period), ss.vectorstrength([], period)):
            np.testing.assert_array_equal(got.get(), want)


# --- small ones ---

def test_windows_that_overlap():
    for name, n, overlap in (("hann", 64, 32), ("hann", 64, 20), ("boxcar", 60, 45), ("boxcar", 60, 44),
                             ("bartlett", 7, 0)):
        window = ss.get_window(name, n)
        assert cp._spectra.check_COLA(cp.asarray(window), overlap, 1e-10) == ss.check_COLA(name, n, overlap)
        assert cp._spectra.check_NOLA(cp.asarray(window), overlap, 1e-10) == ss.check_NOLA(name, n, overlap)
    assert not cp._spectra.check_COLA(cp.full(4, np.nan), 2, 1.0)
    for wrong in ((cp.ones(4), 4), (cp.ones(4), -1), (cp.ones((2, 2)), 1), (cp.ones(0), 0)):
        for function in (cp._spectra.check_COLA, cp._spectra.check_NOLA):
            with raises(ValueError):
                function(*wrong, 1e-10)


def test_impulses():
    for shape, at, kind in ((5, None, "d"), ((4, 5), (1, -2), "f"), ((3, 3), 1, "i"), ((2, 3, 4), (1, 2, 3), "D"),
                            ((), None, "d")):
        same(cp._spectra.unit_impulse(shape, at, kind), ss.unit_impulse(shape, at, kind))
    with raises(IndexError):
        cp._spectra.unit_impulse(3, 3)
    with raises(IndexError):
        cp._spectra.unit_impulse((3, 3, 3), (1, 2))


@pytest.mark.parametrize("n", [0, 1, 4, 5, 10])
@pytest.mark.parametrize("m", [1, 4, 7, 10])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_lags(n, m, mode):
    if n:
        same(s.correlation_lags(n, m, mode), ss.correlation_lags(n, m, mode))
    elif mode == "full":
        same(s.correlation_lags(n, m), ss.correlation_lags(n, m))


def test_points():
    for w, a in ((None, 1), (None, 2.0), (None, 1j), (0.9, 2), (0.9, 1 + 0j), (np.exp(0.3j), 1.5), (-0.5, 1.0)):
        for m in (1, 6):
            same(s.czt_points(m, w, a), np.asarray(ss.czt_points(m, w, a)))


def test_wavelets():
    """As SciPy had them until 1.15."""
    for n, width in ((9, 1.5), (10, 3), (7.5, 2.0), (0, 1)):
        t = np.arange(n) - (n - 1.0) / 2
        want = 2 / (np.sqrt(3 * width) * np.pi ** 0.25) * (1 - t * t / width ** 2) * np.exp(-t * t / (2 * width ** 2))
        same(s.ricker(n, width), want)
    for n, w, scale, complete in ((8, 5.0, 1.0, True), (9, 3.0, 0.5, False), (0, 5.0, 1.0, True)):
        x = np.linspace(-scale * 2 * np.pi, scale * 2 * np.pi, n)
        want = np.exp(1j * w * x) - (np.exp(-0.5 * w ** 2) if complete else 0)
        same(s.morlet(n, w, scale, complete), want * np.exp(-0.5 * x ** 2) * np.pi ** -0.25)
    x = (np.arange(9) - 4) / 1.5
    same(s.morlet2(9, 1.5, 4.0), np.sqrt(1 / 1.5) * np.exp(4j * x) * np.exp(-0.5 * x ** 2) * np.pi ** -0.25)
    for h in (np.arange(5), X, X.astype("f"), X + 1j, X[:0]):
        same(s.qmf(cp.asarray(h)), h[::-1] * np.where(np.arange(h.size) % 2, -1, 1))
    widths = np.array([0.5, 1, 4.5])
    rows = [ss.convolve(X, np.asarray(s.ricker(min(10 * w, X.size), w).get()), "same") for w in widths]
    same(cp._wavelets.cwt(cp.asarray(X), cp.asarray(widths)), np.array(rows))


@pytest.mark.parametrize("options", [
    {"gap_thresh": 0}, {"gap_thresh": -1}, {"gap_thresh": 2.5}, {"min_length": 0}, {"min_length": 2.5}, {"min_snr": 0},
    {"min_snr": 3.5}, {"noise_perc": 0}, {"noise_perc": 95}, {"window_size": 0}, {"window_size": 9.7},
    {"window_size": 1}, {"max_distances": [0.0] * 6}, {"max_distances": np.arange(9) * 2.0}])
def test_ridges_with_options(options):
    """None of them, not 0 either, means C's default."""
    x = np.sin(np.arange(400) / 7) + 0.5 * np.random.default_rng(4).standard_normal(400)
    for vector in (x, x.astype("f4"), np.round(9 * x).astype(int)):
        widths = [1, 2, 3, 4.5, 6, 8]
        with np.errstate(all="ignore"):
            want = ss.find_peaks_cwt(vector, widths, **options)
        got = s.find_peaks_cwt(cp.asarray(vector), widths, **options)
        np.testing.assert_array_equal(got.get(), want)
