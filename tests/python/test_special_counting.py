"""cuprite.scipy.special's combinations, factorials, Stirling's numbers, Dirichlet's kernel and softplus beside SciPy's;
zeros, quadratures and polynomials, which SciPy computes, and sequences of numbers, which it checks."""
import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import scipy.special

import cuprite as cp
from cuprite.scipy import special as ours
from cuprite.scipy.special import _polynomials, _quadratures, _zeros
from oracle import outcome

pytestmark = pytest.mark.filterwarnings("ignore")


def both(name, *x, rtol=1e-12, **words):
    """Ours and SciPy's: the same types, or the same exception's type."""
    def call(module, array):
        with np.errstate(all="ignore"):
            return getattr(module, name)(*[array(v) if isinstance(v, np.ndarray) else v for v in x], **words)
    want = outcome(call, scipy.special, np.asarray)
    got = outcome(call, ours, cp.asarray)
    if isinstance(want, type):
        assert got is want, (got, want)
        return
    assert not isinstance(got, type), got
    if isinstance(want, int) and not isinstance(want, np.generic):
        assert type(got) is int and got == want
        return
    got = got.get()
    assert got.dtype == np.asarray(want).dtype and got.shape == np.shape(want)
    np.testing.assert_allclose(got, want, rtol=rtol, atol=1e-300)


@pytest.mark.parametrize("name", ["comb", "perm"])
def test_combinations(name, device):
    n, k = np.arange(-3, 40)[:, None], np.arange(-2, 20)
    both(name, n, k)
    both(name, n.astype("d") + 0.25, k.astype("d"))
    both(name, n.astype("f"), k.astype("f"), rtol=1e-6)
    both(name, 10, k)
    both(name, 10, 3)
    for x in ((10, 3), (0, 0), (5, 7), (-1, 2), (100, 50), (4, -1), (5.0, 2.0)):
        both(name, *x, exact=True)
    both(name, 5.5, 2, exact=True)
    both(name, np.arange(3), 2, exact=True)
    both(name, 3, np.arange(2.0), exact=True)
    both(name, np.array([4]), np.array(2), exact=True)
    both(name, [5, 3], 2, exact=True)
    both(name, 5, math.nan, exact=True)


def test_combinations_with_repetition(device):
    n, k = np.arange(0, 12)[:, None], np.arange(0, 9)
    both("comb", n, k, repetition=True)
    for x in ((0, 0), (5, 3), (3, 0), (0, 2)):
        both("comb", *x, repetition=True, exact=True)


@pytest.mark.parametrize("name", ["factorial", "factorial2", "factorialk"])
def test_factorials(name, device):
    more = (3,) if name == "factorialk" else ()
    for t in "bhilBQ":
        both(name, np.arange(0 if t in "BQ" else -4, 60).astype(t), *more, rtol=1e-13)
    both(name, np.arange(160, 310, 7), *more, rtol=1e-12)
    for t in "fd":  # numbers that are not whole need another extension, except for n!
        both(name, np.array([-1.5, 0, 0.5, 3, 7.25, np.nan, np.inf], t), *more, rtol=3e-7 if t == "f" else 1e-12)
        both(name, np.array([-1.5, 0, 0.5, 3, 7.25], t), *more, rtol=3e-7 if t == "f" else 1e-12, extend="complex")
    both(name, np.array([0.5 + 1j, 3 - 2j, -1.5 + 0.1j]), *more, extend="complex", rtol=1e-11)
    both(name, np.array([0.5 + 1j]), *more)
    both(name, np.array([True]), *more)
    both(name, np.arange(4), *more, extend="all")
    both(name, np.arange(4), *more, exact=True, extend="complex")
    for n in (0, 1, 5, 25, -3, 100):
        both(name, n, *more, exact=True)
        both(name, n, *more, rtol=1e-13)
    exact = getattr(ours, name)(cp.asarray(np.arange(-2, 16)), *more, exact=True)
    assert exact.dtype == np.int64
    np.testing.assert_array_equal(exact.get(), getattr(scipy.special, name)(np.arange(-2, 16), *more, exact=True))
    assert outcome(getattr(ours, name), cp.asarray([70]), *more, exact=True) is OverflowError
    assert outcome(getattr(ours, name), cp.asarray([10 ** 6]), *more, exact=True) is OverflowError
    both(name, np.zeros(0, "i"), *more)
    for n in (np.float32(2.5), np.float16(3), np.float32(1), np.float32(0), np.float32(-2.5), np.float64(2.5)):
        both(name, n, *more, rtol=1e-3)  # SciPy computes in float16 on the way
        both(name, n, *more, rtol=1e-3, extend="complex")


def test_steps_of_factorialk(device):
    for k in (0, -1, 2.5, "a"):
        both("factorialk", np.arange(5), k)
    for k in (4, 9, 17):
        both("factorialk", np.arange(-2, 60), k, rtol=1e-12)
    for k in (2.5, -2, 1 + 1j):
        both("factorialk", np.arange(1, 8), k, extend="complex", rtol=1e-11)


def test_stirling_numbers(device):
    n, k = np.arange(-1, 40)[:, None], np.arange(-1, 41)
    got = ours.stirling2(cp.asarray(n), cp.asarray(k))
    exact = scipy.special.stirling2(n, k, exact=True).astype(float)
    np.testing.assert_allclose(got.get(), exact, rtol=1e-15)
    small = ours.stirling2(cp.arange(20)[:, None], cp.arange(20), exact=True)
    np.testing.assert_array_equal(small.get(), scipy.special.stirling2(np.arange(20)[:, None], np.arange(20),
                                                                       exact=True).astype("q"))
    assert ours.stirling2(60, 21, exact=True) == scipy.special.stirling2(60, 21, exact=True)
    assert float(ours.stirling2(200, 3)) == float(scipy.special.stirling2(200, 3, exact=True))
    assert float(ours.stirling2(1000, 100)) == math.inf and ours.stirling2(2000, 1999) == 1999000
    assert outcome(ours.stirling2, cp.asarray([40]), cp.asarray([20]), exact=True) is OverflowError
    fits = ours.stirling2(cp.asarray([30, 30, 100, 26, 2000]), cp.asarray([1, 30, 1, 8, 1]), exact=True)
    assert fits.get().tolist() == [1, 1, 1, scipy.special.stirling2(26, 8, exact=True), 1]  # others of the table do not
    assert outcome(ours.stirling2, cp.asarray([30, 30]), cp.asarray([1, 12]), exact=True) is OverflowError
    assert outcome(ours.stirling2, 2001, 3) is ValueError
    assert outcome(ours.stirling2, cp.asarray([2**64 - 1], dtype="Q"), 3) is ValueError
    assert ours.stirling2(cp.asarray([4, 5]), cp.asarray([2**64 - 1], dtype="Q")).get().tolist() == [0, 0]
    assert outcome(ours.stirling2, cp.ones(2), 3) is TypeError
    assert ours.stirling2(cp.zeros(0, "i"), 3).shape == (0,)


def test_dirichlet(device):
    x = np.concatenate([np.linspace(-40, 40, 401), np.pi * np.arange(-6, 7), 1e-9 + 2 * np.pi * np.arange(-3, 3)])
    for n in (0, 1, 2, 5, 8, -3, 2.5):
        both("diric", x, n, rtol=1e-9)
    both("diric", x[:, None], np.arange(1, 6), rtol=1e-9)
    both("diric", x.astype("f"), np.ones(len(x), "f") * 4, rtol=1e-3)
    both("diric", np.arange(5), 3)


def test_softplus(device):
    x = np.array([-800.0, -3, 0, 3, 800, np.nan, np.inf, -np.inf])
    both("softplus", x, rtol=1e-15)
    both("softplus", x.astype("f"), rtol=1e-6)


ARGUMENTS = {"n": 4, "nt": 3, "z": 0.3, "x": 1.5, "v": 2.5, "m": 2, "c": 1.5, "q": 3.0, "alpha": 0.5, "beta": 1.5,
             "p1": 2.5, "q1": 1.5, "h2": 2.0, "k2": 5.0, "p": 2, "s": 1.2}


def arguments(function):
    import inspect
    return [ARGUMENTS[name] for name, p in inspect.signature(function).parameters.items() if p.default is p.empty]


def same(got, want):
    """Arrays on the current device with SciPy's values."""
    if isinstance(want, (tuple, list)):
        assert isinstance(got, tuple) and len(got) == len(want)
        for g, w in zip(got, want):
            same(g, w)
    elif isinstance(want, (np.ndarray, np.generic)):
        assert isinstance(got, cp.ndarray) and got.device == cp.zeros(1).device and got.dtype == want.dtype
        np.testing.assert_array_equal(got.get(), want)
    else:
        assert got == want


@pytest.mark.parametrize("name", [*_zeros.__all__, *_quadratures.__all__])
def test_by_scipy(name, device):
    f = getattr(ours, name)
    x = arguments(f)
    same(f(*x), getattr(scipy.special, name)(*x))
    assert "Parameters:" in f.__doc__
    bad = ["a"] * len(x)
    assert outcome(f, *bad) is outcome(getattr(scipy.special, name), *bad)
    if "roots" in name:
        same(f(*x, mu=True), getattr(scipy.special, name)(*x, mu=True))


#: arguments of sequences of ours: usual ones, ends, what is refused
SEQUENCES = {
    "bernoulli": [(0,), (1,), (2.7,), (60,), (-1,), ("a",), ([1],)],
    "euler": [(0,), (1,), (2.7,), (60,), (-1,), ("a",), ([1],)],
    "lmbda": [(0, 1.5), (0.3, 2.5), (4, -3.0), (6.5, 0.2), (3, 20.0), (-1, 1.0), ("a", 1), ([1], 2)],
    "mathieu_even_coef": [(0, 0.0), (0, 0.5), (1, 3.0), (4, 1.0), (7, 30.0), (2.0, 300.0), (2.5, 1), (-1, 1), (1, -1),
                          ("a", 1), ([1], 2), (1, math.nan), (1, 1j)],
    "mathieu_odd_coef": [(1, 0.5), (2, 3.0), (3, 1.0), (8, 30.0), (5.0, 300.0), (0, 1), (1, -1), (1, "a"), (1, [2])],
    "obl_cv_seq": [(0, 3, 1.5), (2, 9, 8.0), (1, 1, 0.5), (3.0, 5.0, 2), (0, 200, 1), (0.5, 2, 1), ([1], 2, 3),
                   (2, 1, 3), (2, 0, 3), (9, -2, 3)],
    "pro_cv_seq": [(0, 3, 1.5), (2, 9, 8.0), (1, 1, 0.5), (3.0, 5.0, 2), (0, 200, 1), (0.5, 2, 1), (1, "a", 3),
                   (2, 1, 3), (2, 0, 3), (9, -2, 3)],
    "pbdv_seq": [(2.5, 1.5), (0, 1.0), (0.25, -1.0), (4, 2.5), ("a", 1), (1, "a"), ([1], 2)],
    "pbvv_seq": [(2.5, 1.5), (0, 1.0), (0.25, -1.0), (4, 2.5), ("a", 1), (1, "a"), (1, [2])],
    "riccati_jn": [(0, 1.5), (5, 1.5), (4.0, 20.0), (3, 0.1), (2.5, 1), (-1, 1), ("a", 1), (1, [2]), (2, 1j)],
    "riccati_yn": [(0, 1.5), (5, 1.5), (4.0, 20.0), (3, 0.1), (2.5, 1), (-1, 1), ("a", 1), ([1], 2)],
}


@pytest.mark.parametrize("name", sorted(SEQUENCES))
def test_sequences(name, device):
    """SciPy's values, as many and of the same type; what it refuses is refused by the same exception."""
    for x in SEQUENCES[name]:
        want = outcome(getattr(scipy.special, name), *x)
        got = outcome(getattr(ours, name), *x)
        if isinstance(want, type):
            assert got is want, (x, got, want)
            continue
        assert isinstance(got, tuple) == isinstance(want, tuple), (x, got)
        for g, w in zip(got if isinstance(got, tuple) else (got,), want if isinstance(want, tuple) else (want,),
                        strict=True):
            assert g.dtype == w.dtype and g.shape == w.shape, (x, g.shape, w.shape)
            np.testing.assert_allclose(g.get(), w, rtol=1e-9, atol=1e-11, err_msg=str(x))


def test_numbers_of_bernoulli_and_euler(device):
    """Exact, by their recurrences."""
    numbers = [Fraction(1)]
    for m in range(1, 101):
        numbers.append(-sum(math.comb(m + 1, k) * numbers[k] for k in range(m)) / (m + 1))
    np.testing.assert_allclose(ours.bernoulli(100).get(), [float(v) for v in numbers], rtol=2e-16)
    whole = [1]
    for m in range(1, 51):
        whole.append(-sum(math.comb(2 * m, 2 * k) * whole[k] for k in range(m)))
    np.testing.assert_allclose(ours.euler(100).get()[::2], [float(v) for v in whole], rtol=2e-16)
    assert not ours.euler(99).get()[1::2].any() and not ours.bernoulli(99).get()[3::2].any()


@pytest.mark.parametrize("odd", [False, True])
def test_coefficients_of_mathieus_functions(odd, device):
    """Their sums are the functions, with digits where SciPy's coefficients have none; too many are warned of."""
    x = np.linspace(0, 90, 7)
    for m, q in ((1, 1.5), (6, 20.0), (9, 700.0), (4, 2e3)):
        c = (ours.mathieu_odd_coef if odd else ours.mathieu_even_coef)(m, q).get()
        k = 2 * np.arange(len(c)) + (m % 2 or 2 * odd)
        angles = np.radians(x)[:, None] * k
        want = (ours.mathieu_sem if odd else ours.mathieu_cem)(m, q, cp.asarray(x))[0].get()
        np.testing.assert_allclose((np.sin if odd else np.cos)(angles) @ c, want, atol=2e-13)
    with pytest.warns(RuntimeWarning, match="Too many predicted coefficients"):
        (ours.mathieu_odd_coef if odd else ours.mathieu_even_coef)(1, 1e4)


@pytest.mark.parametrize("monic", [False, True])
@pytest.mark.parametrize("name", [n for n in _polynomials.__all__ if n != "orthopoly1d"])
def test_polynomials(name, monic, device):
    f = getattr(ours, name)
    x = [ARGUMENTS[{"p": "p1", "q": "q1"}.get(p, p)] if p != "n" else 6
         for p in f.__wrapped__.__code__.co_varnames if p != "monic"]
    mine, theirs = f(*x, monic=monic), getattr(scipy.special, name)(*x, monic=monic)
    assert isinstance(mine, cp.poly1d) and isinstance(mine, ours.orthopoly1d)
    np.testing.assert_array_equal(mine.coef.get(), theirs.coef)
    np.testing.assert_array_equal(mine.weights.get(), theirs.weights)
    assert mine.limits == theirs.limits and mine.normcoef == theirs.normcoef and mine.order == 6
    at = np.linspace(0.05, 0.95, 9)
    np.testing.assert_allclose(mine(cp.asarray(at)).get(), theirs(at), rtol=1e-9, atol=1e-12 * abs(theirs.coef).max())
    assert isinstance(mine(0.3), cp.ndarray) and abs(float(mine(0.3)) - theirs(0.3)) < 1e-9 * abs(theirs.coef).max()
    assert mine.weight_func(0.3) == theirs.weight_func(0.3)
    np.testing.assert_allclose((mine * mine).coef.get(), (theirs * theirs).coef, rtol=1e-9, atol=1e-9)
    assert outcome(f, -1, *x[1:]) is outcome(getattr(scipy.special, name), -1, *x[1:]) is ValueError


def test_without_scipy():
    """An ImportError in a line, at the call."""
    text = ("import sys; sys.modules['scipy'] = None\n"
            "import cuprite.scipy.special as s\n"
            "for call in (lambda: s.jn_zeros(0, 3), lambda: s.legendre(3), lambda: s.roots_hermite(3)):\n"
            "    try: call(); print('no error')\n"
            "    except ImportError as e: print('SciPy' in str(e) and '\\n' not in str(e))\n")
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"] * 3


def test_riemanns_zeta(device):
    """Without q it is Riemann's, with its reflection below 0; near zeros the slope is that of the function."""
    x = np.concatenate([np.linspace(-259.7, 60, 2001), [0, 1, np.nextafter(1, 2), np.inf, -np.inf, np.nan, -0.0, 1e-300,
                                                        -0.01, -0.0101, 1e5, -0.5, -171.5, -259.99, -270.1, -1000.1]])
    x = np.concatenate([x[abs(x - np.rint(x / 2) * 2) > 1e-6], [-2.0, -4, -100, -300], x[-16:]])
    got, want = ours.zeta(cp.asarray(x)).get(), scipy.special.zeta(x)
    np.testing.assert_allclose(got, want, rtol=1e-12)
    off = np.array([1e-9, -3e-9, 1e-12])
    off = -2 - (-2 - off)                                          # as they are, seen from -2
    np.testing.assert_allclose(ours.zeta(cp.asarray(-2 - off)).get() / off, 0.030448457058393270780, rtol=3e-8)
    for dtype in "feilB?":
        v = np.array([0, 1, 2, 5]).astype(dtype)
        got, want = ours.zeta(cp.asarray(v)), scipy.special.zeta(v)
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got.get(), want, rtol=1e-6)
    out = cp.zeros(2)
    assert ours.zeta(cp.asarray([2.0, 4.0]), out=out) is out
    np.testing.assert_allclose(out.get(), scipy.special.zeta([2.0, 4.0]))
    np.testing.assert_allclose(ours.zeta(cp.asarray([2.0, 4.0]), 3.0, out=out).get(), scipy.special.zeta([2, 4], 3.0))
    for t in "FD":
        got, want = ours.zeta(cp.asarray(np.array([2 + 1j, -1 + 3j, 0.5 + 9j], t))), scipy.special.zeta(
            np.array([2 + 1j, -1 + 3j, 0.5 + 9j], t))
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got.get(), want, rtol=1e-6 if t == "F" else 1e-11)
    with pytest.raises(TypeError):
        ours.zeta(1j, 2.0)
    with pytest.raises(TypeError):
        ours.zeta(cp.ones(2), where=cp.ones(2, bool))
