"""cuprite.scipy.signal.windows against SciPy's."""
import inspect
import warnings

import numpy as np
import pytest
import scipy.signal

import cuprite as cp
from cuprite.scipy import signal
from cuprite.scipy.signal import windows
from oracle import outcome

once = pytest.mark.once
theirs = scipy.signal.windows
SIZES = [*range(71), 100, 101, 255, 256, 1000, 1021]
PLAIN = """barthann bartlett blackman blackmanharris bohman boxcar cosine flattop hamming hann lanczos nuttall parzen
    triang""".split()
WITH = [
    ("tukey", (), {}), *(("tukey", (alpha,), {}) for alpha in (-1, 0, 0.01, 0.25, 0.3, 0.5, 0.99, 1, 7)),
    *(("kaiser", (beta,), {}) for beta in (0, 0.5, 5, 8.6, 14, 100, -3)),
    *(("gaussian", (std,), {}) for std in (0.1, 1, 2.5, 7, 100, -2)),
    *(("general_gaussian", (p, sig), {}) for p, sig in ((1, 2), (0.5, 3), (1.5, 7), (4, 10), (0, 1), (2, -3))),
    ("exponential", (), {}), *(("exponential", (None, tau), {}) for tau in (0.2, 3, 17, -5)),
    ("general_hamming", (0.6,), {}), ("general_hamming", (0,), {}), ("general_hamming", (-1.5,), {}),
    ("taylor", (), {}), ("taylor", (1,), {}), ("taylor", (2, 20), {}), ("taylor", (6, 35, False), {}),
    ("taylor", (20, 70.5), {}), ("taylor", (5,), {"norm": False}), ("taylor", (), {"sll": 10}),
    *(("general_cosine", (a,), {}) for a in ([], [0.5], [1, 0.5], [1, 2, 3.5, -1, 0, 2], list(range(19)))),
]


def same(got, want, bound=2e-14):
    assert got.dtype == want.dtype == np.float64 and got.shape == want.shape
    np.testing.assert_allclose(got.get(), want, rtol=bound, atol=bound * max(1, np.abs(want).max(initial=0)))


def pair(name, *args, bound=2e-14, **options):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        same(getattr(windows, name)(*args, **options), getattr(theirs, name)(*args, **options), bound)


# --- values ---
@pytest.mark.parametrize("sym", [True, False])
@pytest.mark.parametrize("name, args, options", [(name, (), {}) for name in PLAIN] + WITH)
def test_values(name, args, options, sym):
    for size in SIZES:
        pair(name, size, *args, sym=sym, **options)


def conditioned(size):
    """A rounding of beta changes Chebyshev's polynomial of degree n, and the window, by n**2 roundings."""
    return max(2e-14, np.finfo(float).eps * size**2)


@pytest.mark.parametrize("at", [0, 10, 45, 60, 100.5, -100, 400])
def test_chebyshev(at):
    for size in SIZES:
        for sym in (True, False):
            pair("chebwin", size, at, sym=sym, bound=conditioned(size))


@pytest.mark.parametrize("beta", [0, 0.5, 4, 20, -4])
def test_kaiser_bessel_derived(beta):
    for size in [-4, -3, -0.5, 0, 0.5, *range(2, 72, 2), 1000]:
        pair("kaiser_bessel_derived", size, beta)


def test_center_of_an_exponential():
    for size in SIZES:
        for center in (0, 3, -2.5, size):
            pair("exponential", size, center, 4.0, sym=False)


@pytest.mark.parametrize("name", [*PLAIN, "chebwin", "taylor", "kaiser", "tukey"])
def test_large(name):
    args = {"chebwin": (90,), "kaiser": (9,)}.get(name, ())
    for size in (65536, 100003):
        want = getattr(theirs, name)(size, *args)
        got = getattr(windows, name)(size, *args)
        same(got, want, conditioned(size) if name == "chebwin" else 1e-13)
    if name != "chebwin":  # symmetric to the last bit, where SciPy's are to a rounding
        assert (got == got[::-1]).all()


def test_ends():
    for size in (5, 64, 1001):
        for name in ("bartlett", "bohman", "hann"):
            w = getattr(windows, name)(size)
            assert w[0] == w[-1] == 0


def test_bounds_of_tukey():
    for size in (2, 3, 5, 64, 65):
        pair("tukey", size, 1 - 2**-53)
        for alpha in (1e-20, 1e-300, 5e-324):  # SciPy's last sample is 1, or NaN
            assert windows.tukey(size, alpha).tolist() == [0] + [1] * (size - 2) + [0]


def test_numbers_that_are_whole():
    for size in (7.0, np.float32(7), np.int8(7), True, cp.array(7)):
        same(windows.hann(size), theirs.hann(int(size)))


def test_coefficients_are_arrays():
    a = np.array([1, 0.5, 0.25])
    want = theirs.general_cosine(11, a)
    for given in (a, cp.array(a), cp.array(a, "f4"), cp.array([9, 1, 9, 0.5, 9, 0.25])[1::2], tuple(a)):
        same(windows.general_cosine(11, given), want)
    for kind in "?bBhHiIlLqQefd":
        a = np.array([1, 0, 1]).astype(kind)
        same(windows.general_cosine(11, cp.array(a)), theirs.general_cosine(11, a))


def test_not_finite():
    for name, args in [("kaiser", (np.nan,)), ("kaiser", (1e4,)), ("gaussian", (0,)), ("gaussian", (np.inf,)),
                       ("gaussian", (np.nan,)), ("general_gaussian", (1, 0)), ("exponential", (None, 0)),
                       ("exponential", (None, np.inf)), ("general_hamming", (np.inf,)), ("chebwin", (np.nan,)),
                       ("general_cosine", ([np.nan, 1],)), ("taylor", (4, -30)), ("taylor", (4, np.nan))]:
        for size in (1, 2, 7, 8):
            pair(name, size, *args)


# --- errors ---
NEEDS = {"chebwin": (60,), "gaussian": (1,), "general_gaussian": (1, 1), "general_hamming": (0.5,), "kaiser": (3,),
         "general_cosine": ([1, 2],), "dpss": (0.9,)}
ALL = sorted(set(windows.__all__) - {"get_window"})


@pytest.mark.parametrize("name", sorted(set(ALL) - {"kaiser_bessel_derived"}))
@pytest.mark.parametrize("size", [-1, -2, 1.5, 0.5, -0.5, np.nan, np.inf, -np.inf, None, 1j, [3], "x"])
def test_lengths(name, size):
    args = NEEDS.get(name, ())
    want = outcome(lambda: getattr(theirs, name)(size, *args))
    got = outcome(lambda: getattr(windows, name)(size, *args))
    assert isinstance(want, type)
    if size == "x" and name != "dpss":  # SciPy's ValueError is of int("x")
        assert got is TypeError and want is ValueError
    else:
        assert got is want


@pytest.mark.parametrize("name, args, options", [
    ("kaiser_bessel_derived", (3, 1), {}), ("kaiser_bessel_derived", (2.5, 1), {}),
    ("kaiser_bessel_derived", (np.nan, 1), {}), ("kaiser_bessel_derived", (4, 1), {"sym": False}),
    ("kaiser_bessel_derived", (-4, 1), {"sym": False}), ("kaiser_bessel_derived", (4, 1, True), {}),
    ("lanczos", (4, True), {}), ("exponential", (5, 2), {}), ("exponential", (-5, 2), {}),
    ("tukey", (5, np.nan), {}), ("tukey", (5, None), {}), ("tukey", (5, "a"), {}),
    ("taylor", (5, 0), {}), ("taylor", (5, -3), {}), ("taylor", (5, 4.0), {}), ("taylor", (5, 4, 1e5), {}),
    ("taylor", (5, None), {}), ("chebwin", (5, 1e5), {}), ("chebwin", (5,), {}), ("chebwin", (5, None), {}),
    ("general_cosine", (5, 3), {}), ("general_cosine", (5, [1j, 2]), {}),
    ("general_hamming", (5, None), {}), ("kaiser", (5,), {}), ("hann", (), {}), ("hann", (5, True, 1), {}),
    ("hann", (5,), {"symmetric": True}),
])
def test_arguments(name, args, options):
    want = outcome(lambda: getattr(theirs, name)(*args, **options))
    got = outcome(lambda: getattr(windows, name)(*args, **options))
    assert isinstance(want, type), want
    assert got is want


def test_two_axes_of_coefficients():
    with pytest.raises(ValueError, match="a has 2 axes"):
        windows.general_cosine(5, [[1, 2], [3, 4]])


def test_too_long():
    for size in (2**62, 1e300, 2**200):
        for name in ("boxcar", "hann", "parzen"):
            with pytest.raises((MemoryError, ValueError)):
                getattr(windows, name)(size)


def test_chebyshev_warns():
    for at in (44.9, -1, 0):
        for size in (0, 9):
            with pytest.warns(UserWarning, match="not suitable for spectral analysis") as said:
                windows.chebwin(size, at)
            assert said[0].category is UserWarning and len(said) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for size in (8, 9):
            windows.chebwin(size, 45)


def test_nothing_else_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ALL:
            for size in (2, 8, 9):
                if name != "kaiser_bessel_derived":
                    getattr(windows, name)(size, *NEEDS.get(name, ()))


# --- by name ---
NAMES = [(name, data[1]) for names, data in theirs._windows._WIN_FUNC_DATA.items() for name in names]
GIVEN = {"kaiser": (3.5,), "chebwin": (70,), "gaussian": (4,), "general_gaussian": (1.5, 3), "general_hamming": (0.7,),
         "general_cosine": ([1, 0.5, 0.1],), "dpss": (0.4,)}


def parameters(name):
    return GIVEN.get(theirs._windows._WIN_FUNCS[name][0].__name__, ())


@pytest.mark.parametrize("end", ["", "_symmetric", "_periodic"])
@pytest.mark.parametrize("fftbins", [True, False])
def test_names(end, fftbins):
    for name, needs in NAMES:
        args = parameters(name)
        for size in (1, 2, 16, 17):
            if theirs._windows._WIN_FUNCS[name][0].__name__ != "kaiser_bessel_derived":
                window = (name + end, *args) if args else name + end
                want = theirs.get_window(window, size, fftbins)
                same(signal.get_window(window, size, fftbins), want)
                same(windows.get_window(window, size, fftbins=fftbins), want)


def test_numbers_and_parameters():
    for window in (4.5, 0, np.float32(3), "hann", ("hann",), ("tukey", 0.3), ("exponential", None, 2.0),
                   ("taylor", 5, 40), ("poisson_periodic", 3, 2.0), ("kbd_symmetric", 4.0), np.array(2.0)):
        for size in (8, np.int32(8)):
            same(signal.get_window(window, size), theirs.get_window(window, size))
    same(signal.get_window(cp.array(2.0), 8), theirs.get_window(2.0, 8))


@pytest.mark.parametrize("window", [
    "hanx", "", "hann_", "HANN", ("hann", 1), "kaiser", ("kaiser",), ("hanx", 1), (1, 2), (), None, [1], "kbd",
    ("kbd", 3), ("exponential_symmetric", 3), b"hann", {}, 1j, ("kaiser", 1, 2), ("general_hamming", None)])
def test_windows_that_are_not_there(window):
    want = outcome(lambda: theirs.get_window(window, 8))
    assert isinstance(want, type) and outcome(lambda: signal.get_window(window, 8)) is want


@pytest.mark.parametrize("size, fftbins", [(0, True), (-1, True), (8.0, True), (None, True), ("8", True), (8, 1),
                                           (8, None), (8, np.True_), (0, None)])
def test_other_arguments_of_get_window(size, fftbins):
    want = outcome(lambda: theirs.get_window("hann", size, fftbins))
    assert isinstance(want, type) and outcome(lambda: signal.get_window("hann", size, fftbins)) is want


@pytest.mark.parametrize("arguments", [
    (8, 2.5), (9, 3, 4), (9, 3, 4, False), (1, 0.4), (8, 2.5, 3, True, 2, True), (8, 2.5, None, True, None, True),
    (8, 2.5, None, True, "subsample"), (8, 5), (8, 2.5, 9), (8, -1), (8.5, 2), (8, 2, 1, True, "x")])
def test_dpss(arguments):
    want, got = outcome(lambda: theirs.dpss(*arguments)), outcome(lambda: windows.dpss(*arguments))
    if isinstance(want, type):
        assert got is want
        return
    many = isinstance(want, tuple)
    for a, b in zip(want if many else (want,), got if many else (got,), strict=True):
        np.testing.assert_array_equal(b.get(), a)


def test_dpss_by_its_name():
    for window in (("dpss", 2.5), ("dpss_periodic", 2)):
        np.testing.assert_array_equal(signal.get_window(window, 9).get(), theirs.get_window(window, 9))
    for window in ("dpss", ("dpss", 2, 3)):
        with pytest.raises(ValueError, match="dpss"):
            signal.get_window(window, 9)


# --- the module ---
@once
def test_signatures():
    for name in [*ALL, "get_window"]:
        mine = inspect.signature(getattr(windows, name)).parameters.values()
        want = [p for n, p in inspect.signature(getattr(theirs, name)).parameters.items() if n not in ("xp", "device")]
        assert [(p.name, p.kind, p.default) for p in mine] == [(p.name, p.kind, p.default) for p in want], name
    assert not set(theirs.__all__) - set(windows.__all__)
    assert "windows" in dir(signal) and windows.hann.__module__ == "cuprite.scipy.signal.windows"
