"""Polynomials against NumPy: values, types, errors; poly1d and the module of series."""
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cuprite as cp
from oracle import as_numpy_does, equal, outcome

seeds = st.integers(0, 2**32 - 1)
TYPES = ["i4", "f8", "f4", "D"]


def test_coefficients_on_the_host_need_no_device():
    with cp.allow_synchronize(False):
        p = cp.poly1d(np.array([0, 0, 1, 2.0])), cp.poly1d(np.zeros(3)), cp.poly1d(np.float32(3))
    want = np.poly1d(np.array([0, 0, 1, 2.0])), np.poly1d(np.zeros(3)), np.poly1d(np.float32(3))
    for x, y in zip(p, want):
        assert x.coeffs.dtype == y.coeffs.dtype and x.coeffs.tolist() == y.coeffs.tolist()


def made(rng, n, dtype):
    x = rng.integers(-5, 6, n)
    return (x + (1j * rng.integers(-5, 6, n) if dtype == "D" else 0)).astype(dtype)


def near(ours, theirs, rtol=1e-12):
    if isinstance(theirs, type):
        assert ours is theirs
        return
    if isinstance(theirs, tuple):
        for a, b in zip(ours, theirs, strict=True):
            near(a, b, rtol)
        return
    if isinstance(theirs, np.poly1d):
        assert isinstance(ours, cp.poly1d) and ours.variable == theirs.variable
        ours, theirs = ours.coeffs, theirs.coeffs
    got, want = cp.asnumpy(ours), np.asarray(theirs)
    assert got.dtype == want.dtype and got.shape == want.shape, (got, want)
    scale = np.abs(want).max() if want.size else 1
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * scale)


@settings(max_examples=150, deadline=None)
@given(seeds, st.integers(0, 6), st.integers(0, 6), st.sampled_from(TYPES), st.sampled_from(TYPES),
       st.sampled_from(["polyadd", "polysub", "polymul", "polydiv"]))
def test_arithmetic(seed, n, m, s, t, name):
    rng = np.random.default_rng(seed)
    p, q = made(rng, n, s), made(rng, m, t)
    if name == "polydiv" and (m == 0 or n == 0 or q[0] == 0):
        return
    near(outcome(lambda: getattr(cp, name)(cp.asarray(p), cp.asarray(q))), outcome(lambda: getattr(np, name)(p, q)),
         1e-5 if "f4" in (s, t) else 1e-12)


@settings(max_examples=100, deadline=None)
@given(seeds, st.integers(1, 6), st.sampled_from(TYPES), st.integers(-1, 4), st.sampled_from([None, 3, [1, 2, 3, 4]]))
def test_calculus(seed, n, dtype, m, k):
    p = made(np.random.default_rng(seed), n, dtype)
    near(outcome(lambda: cp.polyder(cp.asarray(p), m)), outcome(lambda: np.polyder(p, m)))
    near(outcome(lambda: cp.polyint(cp.asarray(p), m, k)), outcome(lambda: np.polyint(p, m, k)), 1e-6)


@settings(max_examples=100, deadline=None)
@given(seeds, st.integers(0, 6), st.sampled_from(TYPES), st.sampled_from(TYPES),
       st.lists(st.integers(0, 4), max_size=3))
def test_values(seed, n, s, t, shape):
    rng = np.random.default_rng(seed)
    p, x = made(rng, n, s), made(rng, shape, t)
    near(outcome(lambda: cp.polyval(cp.asarray(p), cp.asarray(x))), outcome(lambda: np.asarray(np.polyval(p, x))),
         1e-5 if "f4" in (s, t) else 1e-12)


@pytest.mark.parametrize("dtype", ["f8", "f4", "D"])
def test_fit(dtype):
    rng = np.random.default_rng(3)
    x = np.linspace(-1, 1, 30).astype(dtype if dtype != "D" else "f8")
    for shape in ((30,), (30, 2)):
        y = (rng.normal(size=shape) + (1j * rng.normal(size=shape) if dtype == "D" else 0)).astype(dtype)
        w = rng.uniform(1, 2, 30).astype(x.dtype)
        rtol = 1e-4 if dtype == "f4" else 1e-9
        for deg in (0, 1, 4):
            near(cp.polyfit(cp.asarray(x), cp.asarray(y), deg), np.polyfit(x, y, deg), rtol)
            near(cp.polyfit(cp.asarray(x), cp.asarray(y), deg, w=cp.asarray(w)), np.polyfit(x, y, deg, w=w), rtol)
            if len(shape) == 1 and dtype != "D":
                for cov in (True, "unscaled"):
                    near(cp.polyfit(cp.asarray(x), cp.asarray(y), deg, cov=cov), np.polyfit(x, y, deg, cov=cov), rtol)
        ours, theirs = cp.polyfit(cp.asarray(x), cp.asarray(y), 2, full=True), np.polyfit(x, y, 2, full=True)
        for i in (0, 1, 3):
            near(ours[i], theirs[i], rtol)
        assert int(ours[2]) == int(theirs[2]) and ours[4] == pytest.approx(theirs[4])


@pytest.mark.parametrize("f", [
    lambda xp: xp.polyfit(xp.zeros(3), xp.zeros(3), -1),
    lambda xp: xp.polyfit(xp.zeros((3, 1)), xp.zeros(3), 1),
    lambda xp: xp.polyfit(xp.zeros(0), xp.zeros(0), 1),
    lambda xp: xp.polyfit(xp.zeros(3), xp.zeros(4), 1),
    lambda xp: xp.polyfit(xp.zeros(3), xp.zeros((3, 1, 1)), 1),
    lambda xp: xp.polyfit(xp.zeros(3), xp.zeros(3), 1, w=xp.zeros(2)),
    lambda xp: xp.poly1d(xp.zeros((2, 2))),
    lambda xp: xp.poly1d(xp.asarray([1, 2])) ** -1,
    lambda xp: xp.roots(xp.zeros((2, 2))),
    lambda xp: xp.roots(xp.asarray([0.0, 0])),
    lambda xp: xp.poly(xp.zeros((2, 3))),
    lambda xp: xp.poly1d(xp.asarray([0, 0, 1, 2])).coeffs,
    lambda xp: xp.poly1d(xp.asarray([1, 2, 3]))[1].item(),
    lambda xp: xp.poly1d(xp.asarray([1, 2, 3])).order,
    lambda xp: len(xp.poly1d(xp.asarray([1, 2, 3]))),
    lambda xp: str(xp.poly1d(xp.asarray([1.5, -2, 3]), variable="z")),
    lambda xp: repr(xp.poly1d(xp.asarray([1, 2]))),
    lambda xp: bool(xp.poly1d(xp.asarray([1, 2])) == xp.poly1d(xp.asarray([1, 2]))),
    lambda xp: bool(xp.poly1d(xp.asarray([1, 2])) != xp.poly1d(xp.asarray([1, 3]))),
])
def test_as_numpy(f):
    as_numpy_does(f)


def test_poor_condition_warns():
    with pytest.warns(np.exceptions.RankWarning):
        cp.polyfit(cp.ones(4), cp.ones(4), 2)


def test_roots_and_back():
    for p in ([1, -6, 11, -6], [2.0, 0, 0], [0, 1, 3, 2, 0], [1, 0, 1], [5]):
        ours, theirs = cp.roots(cp.asarray(p)), np.roots(p)
        order = np.sort_complex(cp.asnumpy(ours).astype("D"))
        np.testing.assert_allclose(order, np.sort_complex(theirs.astype("D")), atol=1e-12)
    near(cp.poly(cp.asarray([1.0, 2, 3])), np.poly([1.0, 2, 3]))
    near(cp.poly(cp.asarray([1j, -1j])), np.poly([1j, -1j]))
    a = np.array([[2.0, 1], [1, 3]])
    near(cp.poly(cp.asarray(a)), np.poly(a))
    assert cp.poly(cp.zeros(0)) == 1.0


def test_poly1d():
    p, q = np.poly1d([1, 2, 3]), cp.poly1d(cp.asarray([1, 2, 3]))
    for f in (lambda a: a + 1, lambda a: 1 + a, lambda a: a - 2, lambda a: 2 - a, lambda a: a * 3, lambda a: 3 * a,
              lambda a: a * a, lambda a: a / 2, lambda a: a ** 3, lambda a: -a, lambda a: +a, lambda a: a / a,
              lambda a: a.deriv(), lambda a: a.integ(2, 1), lambda a: a(a), lambda a: a ** 0):
        near(f(q), f(p))
    near(q(cp.asarray([1.0, 2])), p(np.array([1.0, 2])))
    q[4] = 7
    p[4] = 7
    near(q, p)
    assert isinstance(q.get(), np.poly1d) and q.get() == p
    q.set(np.poly1d([1, 2, 3, 4, 5]))
    assert q.coeffs.tolist() == [1, 2, 3, 4, 5] and [int(c) for c in q] == [1, 2, 3, 4, 5]
    near(cp.poly1d(cp.asarray([1.0, 2]), True), np.poly1d([1.0, 2], True))
    with pytest.raises(AttributeError):
        q.coeffs = cp.ones(2)


# --- series ---

@settings(max_examples=100, deadline=None)
@given(seeds, st.integers(1, 5), st.integers(1, 5), st.sampled_from(["i4", "f8", "D"]))
def test_series(seed, n, m, dtype):
    rng = np.random.default_rng(seed)
    p, q = made(rng, n, dtype), made(rng, m, dtype)
    a, b = cp.asarray(p), cp.asarray(q)
    ours, theirs = cp.polynomial.polynomial, np.polynomial.polynomial
    for name in ("polyadd", "polysub", "polymul"):
        near(getattr(ours, name)(a, b), getattr(theirs, name)(p, q))
    if q[-1]:
        near(ours.polydiv(a, b), theirs.polydiv(p, q), 1e-9)
    for name in ("polyder", "polyint", "polymulx"):
        near(getattr(ours, name)(a), getattr(theirs, name)(p))
    near(ours.polypow(a, 3), theirs.polypow(p, 3))
    if n > 1 and np.trim_zeros(p, "b").size == n:
        near(ours.polycompanion(a), theirs.polycompanion(p))
    near(ours.polyvander(b, 3), theirs.polyvander(q, 3))
    x = rng.normal(size=(2, 3))
    near(ours.polyval(cp.asarray(x), a), theirs.polyval(x, p))
    near(ours.polyvalfromroots(cp.asarray(x), a), theirs.polyvalfromroots(x, p))
    near(ours.polyfromroots(a), theirs.polyfromroots(p), 1e-9)
    near(cp.polynomial.polyutils.trimseq(a), np.polynomial.polyutils.trimseq(p))
    near(cp.polynomial.polyutils.trimcoef(a, 2), np.polynomial.polyutils.trimcoef(p, 2))
    for c, d in zip(cp.polynomial.polyutils.as_series([a, b]), np.polynomial.polyutils.as_series([p, q])):
        near(c, d)


def test_more_of_series():
    ours, theirs = cp.polynomial.polynomial, np.polynomial.polynomial
    c = np.arange(6.0).reshape(2, 3)
    x, y = np.arange(3.0), np.arange(3.0) + 1
    near(ours.polyval2d(cp.asarray(x), cp.asarray(y), cp.asarray(c)), theirs.polyval2d(x, y, c))
    near(ours.polyval(cp.asarray(x), cp.asarray(c), tensor=False), theirs.polyval(x, c, tensor=False))
    near(ours.polyder(cp.asarray(c), 1, 2, 1), theirs.polyder(c, 1, 2, 1))
    near(ours.polyint(cp.asarray(c), 2, [1, 2], -1, 3, 1), theirs.polyint(c, 2, [1, 2], -1, 3, 1))
    near(ours.polyroots(cp.asarray([-6.0, 11, -6, 1])), theirs.polyroots([-6.0, 11, -6, 1]), 1e-9)
    near(ours.polyline(1, 2), theirs.polyline(1, 2))
    for f in (lambda m: m.polynomial.polyvander(1.0, -1), lambda m: m.polynomial.polyder([1.0], -1),
              lambda m: m.polynomial.polypow([1.0], 1.5), lambda m: m.polyutils.trimcoef([1.0], -1),
              lambda m: m.polyutils.as_series([[]]), lambda m: m.polynomial.polycompanion([1.0])):
        assert outcome(lambda: f(cp.polynomial)) is outcome(lambda: f(np.polynomial)) is ValueError


# --- correlation ---

@settings(max_examples=150, deadline=None)
@given(seeds, st.integers(0, 7), st.integers(0, 7), st.sampled_from(TYPES), st.sampled_from(TYPES),
       st.sampled_from([None, "full", "valid", "same", "odd"]))
def test_correlate(seed, n, m, s, t, mode):
    rng = np.random.default_rng(seed)
    a, v = made(rng, n, s), made(rng, m, t)
    options = {} if mode is None else {"mode": mode}
    ours = outcome(lambda: cp.correlate(cp.asarray(a), cp.asarray(v), **options))
    theirs = outcome(lambda: np.correlate(a, v, **options))
    assert ours is theirs if isinstance(theirs, type) else equal(ours, theirs) is None


def test_no_warning_of_our_own():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cp.polyfit(cp.arange(5.0), cp.arange(5.0), 1)
