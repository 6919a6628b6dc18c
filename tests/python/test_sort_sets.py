"""Search, orders by several keys and sets against NumPy: NaNs last, -0 equal to 0, ties, types that
meet, empty arrays."""
import os

import numpy as np
import pytest

import cuprite as cp
from oracle import as_numpy_does, equal, outcome, raises
from test_index_keys import TYPES, check, read, source

CASES = int(os.environ.get("CUPRITE_CASES", 600))


def few(rng, shape, t):
    """Numbers with many ties, NaNs, infinities and zeros of both signs."""
    x = np.asarray(rng.integers(-4, 5, shape)).astype("f8")
    if t in "efdFD":
        x = np.where(rng.random(shape) < 0.15, rng.choice([np.nan, np.inf, -np.inf, -0.0], shape), x)
        if t in "FD":
            x = x + 1j * np.where(rng.random(shape) < 0.2, np.nan, rng.integers(-1, 2, shape))
        return np.asarray(x).astype(t)
    return np.asarray(abs(x) % 2 if t == "?" else abs(x) if t in "BHIL" else x).astype(t)


def types(rng, n):
    return [str(rng.choice(list(TYPES))) for _ in range(n)]


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(side):
    rng = np.random.default_rng(1)
    for _ in range(CASES):
        s, t = types(rng, 2) if rng.random() < 0.4 else types(rng, 1) * 2
        x = np.sort(few(rng, int(rng.choice([0, 1, 2, 5, 30, 257])), s))
        v = few(rng, tuple(rng.integers(0, 5, rng.integers(0, 4))), t)
        x, a = (x, cp.asarray(x)) if rng.random() < 0.5 else (np.repeat(x, 2)[::2], cp.asarray(np.repeat(x, 2))[::2])
        check(outcome(lambda: read(cp.searchsorted(a, cp.asarray(v), side))), outcome(np.searchsorted, x, v, side))
        check(outcome(lambda: read(a.searchsorted(cp.asarray(v).T, side=side))), outcome(x.searchsorted, v.T, side))
        order = rng.permutation(x.size)
        mixed, sorter = x[order], np.argsort(x[order], kind="stable").astype(str(rng.choice(list("hil"))))
        check(outcome(lambda: read(cp.searchsorted(cp.asarray(mixed), cp.asarray(v), side, cp.asarray(sorter)))),
              outcome(np.searchsorted, mixed, v, side, sorter))


def test_searchsorted_more():
    x = np.arange(100000) // 3
    v = np.random.default_rng(2).integers(-5, 40000, 50000)
    for t in "ilfdD":
        y, w = x.astype(t), v.astype(t)
        equal(cp.searchsorted(cp.asarray(y), cp.asarray(w)), np.searchsorted(y, w))
    for f in (lambda xp: xp.searchsorted(xp.arange(5), 2.5), lambda xp: xp.searchsorted(xp.arange(5, dtype="i1"), 300),
              lambda xp: xp.searchsorted(xp.arange(5), [1, 2]), lambda xp: xp.searchsorted(xp.zeros((2, 2)), 1),
              lambda xp: xp.searchsorted(xp.asarray(1), 1), lambda xp: xp.searchsorted(xp.arange(3), 1, "middle"),
              lambda xp: xp.searchsorted(xp.arange(3), 1, sorter=xp.arange(2)),
              lambda xp: xp.searchsorted(xp.arange(3), 1, sorter=xp.zeros(3))):
        as_numpy_does(f)
    with raises(ValueError, match="Sorter index out of range"):
        read(cp.searchsorted(cp.arange(3), 1, sorter=cp.asarray([0, 1, 3])))


def test_lexsort():
    rng = np.random.default_rng(3)
    for _ in range(CASES):
        shape = tuple(rng.integers(0, 7, rng.integers(1, 4)))
        keys = [few(rng, shape, t) for t in types(rng, int(rng.integers(1, 4)))]
        axis = int(rng.integers(-len(shape), len(shape) + (rng.random() < 0.05)))
        check(outcome(lambda: read(cp.lexsort([cp.asarray(k) for k in keys], axis))), outcome(np.lexsort, keys, axis))
    equal(cp.lexsort(cp.asarray([[1, 0, 1], [2, 2, 1]])), np.lexsort([[1, 0, 1], [2, 2, 1]]))
    for f in (lambda xp: xp.lexsort([]), lambda xp: xp.lexsort((xp.zeros(2), xp.zeros(3)))):
        as_numpy_does(f)


def test_argpartition():
    rng = np.random.default_rng(4)
    for _ in range(CASES):
        base, view = source(rng)
        x, a = view(base), view(cp.asarray(base))
        axis = None if rng.random() < 0.2 else int(rng.integers(-x.ndim - (rng.random() < 0.05), max(x.ndim, 1)))
        n = x.size if axis is None or not -x.ndim <= axis < x.ndim else x.shape[axis]
        kth = int(rng.integers(-n - (rng.random() < 0.1), max(n + (rng.random() < 0.1), 1)))
        kth = kth if rng.random() < 0.6 else [kth, 0]
        got, want = outcome(lambda: read(cp.argpartition(a, kth, axis))), outcome(np.argpartition, x, kth, axis)
        if isinstance(want, type):
            assert got is want
            continue
        assert got.shape == want.shape and got.dtype == want.dtype
        if x.ndim:
            flat, axis = (x.ravel(), 0) if axis is None else (x, axis)
            if flat.size:
                places = np.take_along_axis(flat, got.get(), axis)
                for k in np.atleast_1d(kth):
                    equal(cp.asarray(places.take(k, axis)), np.partition(flat, k, axis).take(k, axis))
                    lower, upper = np.split(places, [k % n], axis)
                    at = np.expand_dims(places.take(k, axis), axis)
                    assert (lower <= at).all() and (upper >= at).all()
        equal(a.argpartition(kth, -1 if axis is None or not x.ndim else axis) if x.ndim else got, got.get()) \
            if axis is not None and x.ndim and flat is x else None


def test_sorts_of_other_names():
    rng = np.random.default_rng(5)
    for t in TYPES:
        for shape in ((), (0,), (7,), (3, 5), (2, 0, 3)):
            x = few(rng, shape, t)
            check(outcome(lambda: read(cp.sort_complex(cp.asarray(x)))), outcome(np.sort_complex, x))
            check(outcome(lambda: read(cp.msort(cp.asarray(x)))), outcome(np.sort, x, 0))


TWO = ["union1d", "setdiff1d", "setxor1d", "intersect1d", "isin"]


@pytest.mark.parametrize("name", TWO)
def test_two_sets(name):
    rng = np.random.default_rng(6)
    for _ in range(CASES):
        s, t = types(rng, 2) if rng.random() < 0.4 else types(rng, 1) * 2
        x, y = (few(rng, tuple(rng.integers(0, 7, rng.integers(0, 3))), u) for u in (s, t))
        got, want = (outcome(lambda: getattr(xp, name)(xp.asarray(x), xp.asarray(y))) for xp in (cp, np))
        check(got, want)


@pytest.mark.parametrize("name", ["setdiff1d", "setxor1d", "intersect1d", "isin"])
def test_two_sets_without_repetitions(name):
    rng = np.random.default_rng(7)
    for _ in range(CASES // 4):
        x, y = (rng.permutation(20)[:int(n)].astype(str(rng.choice(list("bilfd")))) for n in rng.integers(0, 15, 2))
        got, want = (outcome(lambda: getattr(xp, name)(xp.asarray(x), xp.asarray(y), assume_unique=True))
                     for xp in (cp, np))
        check(got, want)


def test_where_sets_meet():
    rng = np.random.default_rng(8)
    for _ in range(CASES // 2):
        t = types(rng, 1)[0]
        x, y = (few(rng, tuple(rng.integers(0, 7, rng.integers(1, 3))), t) for _ in range(2))
        equal(cp.intersect1d(cp.asarray(x), cp.asarray(y), return_indices=True),
              np.intersect1d(x, y, return_indices=True))
        x, y = (rng.permutation(20)[:int(n)] for n in rng.integers(0, 15, 2))
        equal(cp.intersect1d(cp.asarray(x), cp.asarray(y), True, True), np.intersect1d(x, y, True, True))


def test_membership():
    rng = np.random.default_rng(9)
    for invert in (False, True):
        for kind in (None, "sort"):
            x, y = rng.integers(0, 50, (4, 30)), rng.integers(0, 50, (10, 2))
            equal(cp.isin(cp.asarray(x), cp.asarray(y), invert=invert, kind=kind),
                  np.isin(x, y, invert=invert, kind=kind))
        equal(cp.in1d(cp.asarray(x), cp.asarray(y), invert=invert), np.isin(x.ravel(), y, invert=invert))
    equal(cp.isin(3, [1, 3]), np.isin(3, [1, 3]))
    equal(cp.isin([[1, 2]], 2), np.isin([[1, 2]], 2))
    equal(cp.union1d([1, 2], [2, 3]), np.union1d([1, 2], [2, 3]))
    with raises(ValueError):
        cp.isin(cp.arange(2), cp.arange(2), kind="bogus")


@pytest.mark.parametrize("t", [*"?bBhHiIlLefdFD"])
def test_membership_of_every_type(t):
    """NaN is in no set, -0 is 0, and the largest number is one like others."""
    rng = np.random.default_rng(11)
    kind = np.dtype(t).kind
    for n, m in ((1, 1), (1000, 50), (100, 5000), (70000, 3000)):
        x, y = (rng.integers(0, 2 if t == "?" else 120, k).astype(t) for k in (n, m))
        if kind in "iu":
            x[0] = np.iinfo(t).max
            x[-1] = y[m // 2] = np.iinfo(t).min
            y[0] = np.iinfo(t).max if m > 60 else 3
        if kind in "fc":
            x[n // 2], y[m // 3] = -0.0, 0.0
            x[0] = y[0] = np.nan
        for invert in (False, True):
            equal(cp.isin(cp.asarray(x), cp.asarray(y), invert=invert), np.isin(x, y, invert=invert))
    for other in "ld":
        equal(cp.isin(cp.asarray(x), cp.arange(50, dtype=other)), np.isin(x, np.arange(50, dtype=other)))
    equal(cp.isin(cp.asarray(x), cp.asarray(y[:0]), invert=True), np.isin(x, y[:0], invert=True))


@pytest.mark.parametrize("t", ["?", "i1", "u1", "f4", "f8", "f2", "i4"])
def test_isin_of_few_and_of_bytes(t, device):
    """Sets of 1 to 40 numbers, with numbers that come twice, zeros of both signs, NaN and infinities; both answers."""
    rng = np.random.default_rng(3)
    if np.dtype(t).kind == "f":
        x = rng.choice(np.array([0.0, -0.0, np.nan, np.inf, -np.inf, *range(40)], t), 3000)
    else:
        x = rng.integers(-100, 100, 3000).astype(t)
    for n in (1, 2, 15, 16, 17, 40):
        for m in (1, 7, 256, 300, 3000):
            s = rng.choice(x, n)
            for invert in (False, True):
                ours = cp.isin(cp.asarray(x[:m]), cp.asarray(s), invert=invert).get()
                np.testing.assert_array_equal(ours, np.isin(x[:m], s, invert=invert), strict=True)
    plane = x[:1200].reshape(30, 40)[:, ::-2]
    np.testing.assert_array_equal(cp.isin(cp.asarray(plane), cp.asarray(x[:3])).get(), np.isin(plane, x[:3]))
