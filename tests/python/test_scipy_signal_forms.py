"""cuprite.scipy.signal: types and layouts of results as SciPy's, and the forms of arguments that CuPy takes."""
import warnings

import numpy as np
import pytest

import cuprite as cp
from oracle import raises

ss = pytest.importorskip("scipy.signal")
s = cp.scipy.signal
r = np.random.default_rng(11)

TYPED = """
wiener(x)
wiener(x, 4)
wiener(x, 3, 0.5)
detrend(x)
detrend(x, type='constant')
detrend(x, bp=[0, 20])
decimate(x, 2)
decimate(x, 2, ftype='fir')
decimate(x, 2, zero_phase=False)
decimate(x, 2, ftype='fir', zero_phase=False)
resample_poly(x, 3, 2)
resample(x, 10)
upfirdn([1.0, 2.0], x)
upfirdn(x[:3], x, 2)
upfirdn(x[:3], x, 2, mode='edge')
savgol_filter(x, 5, 2)
filtfilt([1.0], [1.0, 0.5], x)
filtfilt(xp.asarray([1.0, 0.5]).astype('f4'), xp.asarray([1.0, 0.5]).astype('f4'), x)
sosfiltfilt([[1, 0, 0, 1, 0.5, 0.1]], x)
sosfiltfilt(xp.asarray([[1, 0, 0, 1, 0.5, 0.1]]).astype('f4'), x)
sepfir2d(m, [1.0, 2.0, 1.0], [1.0, 2.0, 1.0])
sepfir2d(m, m[0, :3], m[0, :3])
cspline1d(x)
cspline1d(x, 1.0)
qspline1d(x)
cspline1d_eval(x, xp.asarray([0.5, 1.5]))
qspline1d_eval(x, xp.asarray([0.5, 1.5]))
gauss_spline(x, 3)
symiirorder1(x, 1.0, 0.1)
symiirorder2(x, 0.1, 0.1, 1e-20)
""".strip().split("\n")
TYPES = "bBhilLefdFD"


def called(module, line, xp, **data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval("s." + line, {"s": module, "xp": xp, **data})


@pytest.mark.parametrize("line", TYPED)
def test_types(line):
    """The result's type is SciPy's for each type that SciPy takes, and so are its values. Those of unsigned integers
    overflow in SciPy's extensions."""
    taken = 0
    for kind in TYPES:
        x = r.integers(1, 9, 40).astype(kind)
        m = x.reshape(5, 8)
        try:
            want = called(ss, line, np, x=x, m=m)
        except (TypeError, ValueError, NotImplementedError):
            continue
        if want.dtype.kind != "c" and kind in "FD":
            continue  # SciPy discards the imaginary parts
        taken += 1
        got = called(s, line, cp, x=cp.asarray(x), m=cp.asarray(m))
        assert got.dtype == want.dtype, kind
        if kind in "?BL":
            continue
        bound = 4e-3 if "e" in (kind, want.dtype.char) else 1e-5 if want.dtype.char in "fF" else 1e-10
        np.testing.assert_allclose(got.get(), want, rtol=0, atol=bound * max(1, abs(want).max()))
    assert taken >= 4


LAID_OUT = """
lfilter([1.0, 2.0], [1.0], x, AX)
lfilter([1.0, 2.0], [1.0, 0.5], x, AX)
lfilter([1.0, 2.0], [1.0, 0.5], x, AX, xp.ones([1 if i == AX else n for i, n in enumerate(x.shape)]))[0]
sosfilt([[1, 0, 0, 1, 0.5, 0.1]], x, AX)
filtfilt([1.0, 2.0], [1.0, 0.5], x, AX)
filtfilt([1.0, 2.0], [1.0, 0.5], x, AX, method='gust')
sosfiltfilt([[1, 0, 0, 1, 0.5, 0.1]], x, AX, padlen=3)
upfirdn([1.0, 2.0], x, 2, 1, AX)
upfirdn([1.0, 2.0], x, 2, 3, AX, 'edge')
resample_poly(x, 2, 3, AX)
decimate(x, 2, 2, axis=AX)
savgol_filter(x, 5, 2, axis=AX)
detrend(x, AX)
hilbert(x, axis=AX)
symiirorder1(x[0], 1.0, 0.1)
""".strip().split("\n")


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("line", LAID_OUT)
def test_results_are_contiguous_where_scipys_are(line, axis, order):
    x = np.asarray(r.standard_normal((16, 17, 18)), order=order)
    line = line.replace("AX", str(axis))
    want = called(ss, line, np, x=np.ascontiguousarray(x) if "symiir" in line else x)  # of others SciPy's are wrong
    got = called(s, line, cp, x=cp.asarray(x))
    assert got.flags.c_contiguous or not want.flags.c_contiguous
    np.testing.assert_allclose(got.get(), want, rtol=0, atol=1e-9 * abs(want).max())


# --- CuPy's states: the inputs and the outputs before the first, the oldest first ---

def scipys(b, a, history):
    """SciPy's state of CuPy's, in one dimension."""
    return ss.lfiltic(b, a, history[len(b) - 1:][::-1], history[:len(b) - 1][::-1])


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("inputs, outputs", [(1, 1), (1, 3), (2, 1), (4, 2)])
def test_histories_as_states(inputs, outputs, axis):
    b, a = r.standard_normal(inputs + 1), np.r_[2.0, 0.2 * r.standard_normal(outputs)]
    x = np.moveaxis(r.standard_normal((2, 3, 20)), -1, axis)
    history = np.moveaxis(r.standard_normal((2, 3, inputs + outputs)), -1, axis)
    zi = np.apply_along_axis(lambda h: scipys(b, a, h), axis, history)
    want, behind = ss.lfilter(b, a, x, axis, zi)
    got, after = s.lfilter(b, a, cp.asarray(x), axis, cp.asarray(history))
    np.testing.assert_allclose(got.get(), want, rtol=1e-12, atol=1e-12)
    assert after.shape == history.shape and after.dtype == got.dtype
    # zf is a history again: the signal goes on where it ended
    want, _ = ss.lfilter(b, a, 1 - x, axis, behind)
    got, _ = s.lfilter(b, a, cp.asarray(1 - x), axis, after)
    np.testing.assert_allclose(got.get(), want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("t", ["u1", "u4", "u8", "i2", "f4", "c8"])
def test_histories_of_coefficients_of_any_type(t):
    b, a = np.array([1, 3, 2], t), np.array([2, 1, 1], t)
    x, history = r.standard_normal(20), r.standard_normal(4)
    want, _ = ss.lfilter(b.astype("c16"), a.astype("c16"), x, zi=scipys(b, a, history))
    got, _ = s.lfilter(cp.asarray(b), cp.asarray(a), cp.asarray(x), zi=cp.asarray(history))
    np.testing.assert_allclose(got.get(), want if t == "c8" else want.real, rtol=1e-6)


def test_a_short_signal_keeps_the_end_of_the_history():
    history = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    y, after = s.lfilter([1.0, 0, 0, 0.5], [1.0, 0, 0, 0.25], cp.asarray([7.0]), zi=cp.asarray(history))
    np.testing.assert_array_equal(y.get(), [7 + 0.5 * 1 - 0.25 * 4])
    np.testing.assert_array_equal(after.get(), [2, 3, 7, 5, 6, 6.5])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_histories_as_states_of_sections(axis):
    sos = r.standard_normal((3, 6)) * 0.3
    sos[:, 3] = 1
    x = np.moveaxis(r.standard_normal((2, 5, 20)), -1, axis)
    place = axis % 3 + 1
    history = np.moveaxis(r.standard_normal((3, 2, 5, 4)), -1, place)
    zi = np.stack([np.apply_along_axis(lambda h, c=c: scipys(c[:3], c[3:], h), place - 1, part)
                   for c, part in zip(sos, history)])
    want, behind = ss.sosfilt(sos, x, axis, zi)
    got, after = s.sosfilt(sos, cp.asarray(x), axis, cp.asarray(history))
    np.testing.assert_allclose(got.get(), want, rtol=1e-11, atol=1e-11)
    assert after.shape == history.shape
    want, _ = ss.sosfilt(sos, 1 - x, axis, behind)
    got, _ = s.sosfilt(sos, cp.asarray(1 - x), axis, after)
    np.testing.assert_allclose(got.get(), want, rtol=1e-11, atol=1e-11)
    sos[1, 3] = 2
    with raises(ValueError):
        s.sosfilt(sos, cp.asarray(x), axis, cp.asarray(history))


def test_other_states_do_not_fit():
    x = cp.ones(9)
    for zi in (1, 3, 5):  # SciPy's has 2, CuPy's 4
        with raises(ValueError):
            s.lfilter([1.0, 1, 1], [1.0, 0.1, 0.1], x, zi=cp.ones(zi))
        with raises(ValueError):
            s.sosfilt([[1, 0, 0, 1, 0, 0]], x, zi=cp.ones((1, zi)))
    with raises(ValueError):
        s.sosfilt([[1, 0, 0, 1, 0, 0]], x, zi=cp.ones((2, 4)))
    with raises(ValueError):
        s.lfilter([1.0, 1, 1], [1.0, 0.1, 0.1], cp.ones((2, 9)), zi=cp.ones((3, 4)))


# --- sums that end early ---

@pytest.mark.parametrize("precision", [0.1, 1e-3, 0.5])
@pytest.mark.parametrize("kind", "fdFD")
def test_precision_of_splines(precision, kind):
    x = r.standard_normal((12, 13)).astype(kind)
    lines = ["symiirorder1(x, 2.0, 0.5, p)", "symiirorder1(x, 2.0, -0.3, p)", "cspline2d(x, 0.0, p)",
             "qspline2d(x, 0.0, p)"]
    if kind in "fd":
        lines += ["symiirorder2(x, 0.3, 0.7, p)", "symiirorder2(x, 0.4, 0.0, p)", "cspline2d(x, 0.1, p)"]
    for line in lines:
        want = called(ss, line, np, x=x, p=precision)
        got = called(s, line, cp, x=cp.asarray(x), p=precision)
        assert got.dtype == want.dtype, line
        np.testing.assert_allclose(got.get(), want, atol=1e-5 if kind in "fF" else 1e-10, err_msg=line)


def test_sums_that_do_not_end():
    """0.5 ** 37 is not 1e-11 or less, 0.5 ** 19 not 1e-6."""
    for kind, most in (("d", 37), ("D", 37), ("f", 20), ("F", 20)):
        x = cp.ones(most, kind)
        with raises(ValueError):
            s.symiirorder1(x, 1.0, 0.5)
        assert s.symiirorder1(cp.ones(most + 1, kind), 1.0, 0.5).size == most + 1
        assert s.symiirorder1(x, 1.0, 0.5, 0.1).size == most
    with raises(ValueError):
        s.symiirorder2(cp.ones(12), 0.9, 0.3, 1e-6)
    with raises(ValueError):
        s.cspline2d(cp.ones((8, 8)), 0.0, 1e-9)
    assert s.cspline2d(cp.ones((8, 8))).shape == (8, 8)


# --- transforms ---

@pytest.mark.parametrize("n", [1009, 77385])
def test_a_chirp_around_the_circle_is_the_transform(n):
    x = cp.asarray(r.standard_normal(n))
    want = np.fft.fft(x.get())
    np.testing.assert_allclose(s.czt(x).get(), want, rtol=1e-10, atol=1e-10)


def test_frequencies_as_arrays():
    x = cp.asarray(r.standard_normal(32))
    want = ss.zoom_fft(x.get(), [0.2, 0.5])
    for fn in (cp.asarray([0.2, 0.5]), [cp.asarray(0.2), 0.5], (cp.asarray(0.2), cp.asarray(0.5)),
               np.array([0.2, 0.5])):
        np.testing.assert_allclose(s.zoom_fft(x, fn).get(), want, atol=1e-12)
        np.testing.assert_allclose(s.ZoomFFT(32, fn)(x).get(), want, atol=1e-12)
    np.testing.assert_allclose(s.zoom_fft(x, cp.asarray(0.5)).get(), ss.zoom_fft(x.get(), 0.5), atol=1e-12)
    for fn in (cp.ones(3), [0.1, 0.2, 0.3], cp.ones(0)):
        with raises(ValueError):
            s.zoom_fft(x, fn)
    for call in (lambda: s.czt(cp.asarray(1.0)), lambda: s.zoom_fft(5, 0.5)):
        with raises(IndexError):
            call()


# --- arguments ---

def test_designs_take_cupys_arguments():
    """By their places, where SciPy wants names."""
    np.testing.assert_allclose(s.firls(11, [0, 0.1, 0.4, 0.5], [1, 1, 0, 0], [1, 2]).get(),
                               ss.firls(11, [0, 0.1, 0.4, 0.5], [1, 1, 0, 0], weight=[1, 2]))
    np.testing.assert_allclose(s.firwin(9, 0.3, None, "hann", False).get(),
                               ss.firwin(9, 0.3, window="hann", pass_zero=False))
    np.testing.assert_allclose(s.firwin2(9, [0, 0.5, 1], [1, 1, 0], 33, "hann").get(),
                               ss.firwin2(9, [0, 0.5, 1], [1, 1, 0], nfreqs=33, window="hann"))
    h = [1.0, 2, 4, 2, 1]
    np.testing.assert_allclose(s.minimum_phase(cp.asarray(h), "hilbert", None, True).get(),
                               ss.minimum_phase(np.array(h), "hilbert", None, half=True))
    with raises(ValueError):
        s.firls(11, [0.1, 0.2], [0, 0], [1, 2])
    with raises(TypeError):
        s.firls(11, [0.1, 0.2], [0, 0], [1], 2, 3)
    with raises(TypeError):
        s.firls(11, [0.1, 0.2], [0, 0], [1], weight=[1])


def test_methods_of_different_dimensions():
    for a, b in (((3, 4, 5), (1, 2)), ((), (5,)), ((5,), ())):
        for measure in (False, True):
            with raises(NotImplementedError):
                s.choose_conv_method(cp.ones(a), cp.ones(b), measure=measure)
    assert s.choose_conv_method(cp.ones(()), cp.ones(())) == "direct"


@pytest.mark.parametrize("words, call", [
    ("not a valid index", lambda: s.peak_prominences(cp.ones(3), [1, 5])),
    ("not a valid index", lambda: s.peak_widths(cp.asarray([]), [1])),
    ("prominence data is invalid", lambda: s.peak_widths(
        cp.ones(3), [1], 0.5, (cp.ones(1), cp.asarray([-1]), cp.asarray([2])))),
    ("must have the same shape", lambda: s.peak_widths(
        cp.ones(3), [1], 0.5, (cp.ones(1), cp.asarray([0, 0]), cp.asarray([2])))),
    ("window length is not equal", lambda: s.resample(cp.ones(8), 16, window=cp.ones(5))),
    ("even number of points", lambda: s.windows.kaiser_bessel_derived(5, 2.0)),
    ("symmetric shapes", lambda: s.windows.kaiser_bessel_derived(4, 2.0, sym=False)),
    ("must have parameters", lambda: s.get_window("dpss", 7)),
])
def test_words_of_errors(words, call):
    """Those that SciPy's have too."""
    with raises(ValueError) as error:
        call()
    assert words in str(error.value)


def test_prominence_data_of_none():
    with raises(TypeError):
        s.peak_widths(cp.asarray([1.0, 2, 1]), [1], prominence_data=(None, None, None))


@pytest.mark.parametrize("zero_phase", [True, False])
@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_decimation_by_filters_with_complex_coefficients(device, dtype, zero_phase):
    rng = np.random.default_rng(3)
    x = (rng.standard_normal((2, 90)) + (1j * rng.standard_normal((2, 90)) if dtype in "FD" else 0)).astype(dtype)
    z, p, k = ss.butter(3, 0.3, output="zpk")
    for system in ((z * np.exp(0.3j), p * np.exp(0.3j), k * np.exp(0.1j)),
                   (ss.firwin(31, 0.3) * np.exp(0.2j * np.arange(31)), 1.0), (np.array([0.5, 1, 0.25]), 2.0)):
        want = ss.decimate(x, 3, ftype=ss.dlti(*system), zero_phase=zero_phase)
        mine = s.dlti(*[cp.asarray(v) if np.ndim(v) else v for v in system])
        got = s.decimate(cp.asarray(x), 3, ftype=mine, zero_phase=zero_phase).get()
        assert got.dtype.kind == want.dtype.kind
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-5 if dtype in "fF" else 1e-12)


def test_wavelets_count_with_floats():
    """As SciPy's did, which took any M that arange takes."""
    for M in (5.0, np.float64(5)):
        np.testing.assert_array_equal(s.morlet2(M, 2.0).get(), s.morlet2(5, 2.0).get())
    with raises(TypeError):
        s.morlet2("5", 2.0)


def test_discrete_systems_name_what_they_take():
    u = np.sin(np.arange(20.0))
    for module, xp in ((ss, np), (s, cp)):
        d, c = module.dlti([1.0], [1, 0.5], dt=0.1), module.lti([1.0], [1, 0.5])
        t = xp.arange(20) * 0.1
        assert len(c.output(U=xp.asarray(u), T=t, X0=None)) == len(c.output(None, t)) == 3
        got = d.output(u=xp.asarray(u), t=t, x0=xp.asarray([0.5]))
        for a, b in zip(got, d.output(xp.asarray(u), t, xp.asarray([0.5]))):
            np.testing.assert_array_equal(*(v if xp is np else v.get() for v in (a, b)))
        with raises(TypeError):
            d.output(U=xp.asarray(u), T=t)
        with raises(TypeError):
            c.output(u=xp.asarray(u), t=t)
