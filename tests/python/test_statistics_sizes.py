"""Counting and searching where devices take other ways than for few elements: tables, trees and vectors that begin
anywhere. Sums of weights have one answer in every run."""
import numpy as np
import pytest

import cuprite as cp

TYPES = ["u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"]


def drawn(rng, dtype, n, spread=1.0):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        x = (rng.standard_normal(n) * spread).astype(dtype)
        x[rng.integers(0, n, n // 10 + 1)] = rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0], n // 10 + 1)
        return x
    x = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, n, dtype, endpoint=True)
    x[rng.integers(0, n, n // 10 + 1)] = np.iinfo(dtype).max
    return x


def late_start(x, offset):
    """On the device, where vectors of 16 bytes need not begin."""
    return cp.asarray(np.concatenate([x[:1].repeat(offset), x]))[offset:]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n, m", [(10, 700000), (1000, 70001), (1023, 5), (1024, 1025), (4096, 66000), (100003, 600000),
                                  (70000, 300), (1, 3000)])
def test_searchsorted(dtype, n, m):
    rng = np.random.default_rng([n, m])
    a, v = np.sort(drawn(rng, dtype, n)), drawn(rng, dtype, m)
    v[m // 2:] = rng.choice(a, m - m // 2)
    for side in "left", "right":
        got = cp.searchsorted(late_start(a, 1), late_start(v, 3), side=side).get()
        assert np.array_equal(got, np.searchsorted(a, v, side=side))


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("edges", [1, 2, 11, 101, 2048, 2049, 5000])
def test_digitize(edges, down):
    rng = np.random.default_rng(edges)
    e, x = np.sort(rng.standard_normal(edges).round(2)), rng.standard_normal(80000).round(2)
    x[::97] = np.nan
    e = e[::-1].copy() if down else e
    for right in False, True:
        got = cp.digitize(late_start(x, 1), cp.asarray(e), right=right).get()
        assert np.array_equal(got, np.digitize(x, e, right=right))


@pytest.mark.parametrize("dtype", ["bool", "u1", "i1", "u2", "i2", "u4", "i4", "i8"])
@pytest.mark.parametrize("n", [100, 8193, 200003])
@pytest.mark.parametrize("most", [1, 120, 255, 256, 1000, 1025, 3000, 20000])
def test_bincount(dtype, n, most):
    if most > (1 if dtype == "bool" else np.iinfo(dtype).max):
        return
    rng = np.random.default_rng([n, most])
    for x in rng.integers(0, most, n, endpoint=True).astype(dtype), np.full(n, most, dtype):
        got = cp.bincount(late_start(x, 3), minlength=7).get()
        assert np.array_equal(got, np.bincount(x.astype("i8"), minlength=7))


@pytest.mark.parametrize("n", [100, 5000, 300007])
@pytest.mark.parametrize("bins", [1, 10, 512, 1000, 8192, 8193, 40000])
@pytest.mark.parametrize("kind", ["even", "one", "few"])
def test_weights(n, bins, kind):
    rng = np.random.default_rng([n, bins])
    x = rng.integers(0, bins, n)
    if kind == "one":
        x[:] = bins - 1
    if kind == "few":
        x[rng.random(n) < 0.9] = bins // 2
    w = rng.standard_normal(n) * 10.0 ** rng.integers(-6, 6, n)
    a, b = cp.asarray(x), cp.asarray(w)
    first = cp.bincount(a, b).get()
    bound = 4 * np.log2(n) * np.finfo("f8").eps * np.bincount(x, abs(w)) + n * 2**-53 * np.bincount(x, abs(w))
    assert np.all(abs(first - np.bincount(x, w)) <= bound)
    for _ in range(5):
        assert np.array_equal(cp.bincount(a, b).get(), first)


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("bins", [1, 10, 256, 257, 1000, 2048, 2049, 20000])
def test_histogram(dtype, bins):
    rng = np.random.default_rng(bins)
    x = rng.integers(0, 100, 100003).astype(dtype) if dtype[0] != "f" else rng.random(100003).astype(dtype)
    if dtype != "f2":                                        # whose edges are too close beyond some hundreds
        for options in {}, {"range": (0.25, 0.75)}, {"range": (-1.0, 30.0)}:
            counts, edges = cp.histogram(late_start(x, 1), bins, **options)
            theirs, wanted = np.histogram(x, bins, **options)
            assert np.array_equal(edges.get(), wanted) and np.array_equal(counts.get(), theirs)
    edges = np.sort(rng.random(bins + 1) * (60 if dtype[0] != "f" else 0.9))
    assert np.array_equal(cp.histogram(late_start(x, 1), cp.asarray(edges))[0].get(), np.histogram(x, edges)[0])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape, axis", [((100003,), 0), ((20000, 3), 0), ((3, 20000), -1)])
def test_trapezoid(dtype, shape, axis):
    y = np.random.default_rng(1).random(shape).astype(dtype)
    for options in {}, {"dx": 0.25}, {"dx": np.float64(0.5)}:
        wanted = np.trapezoid(y.astype("f8"), axis=axis, **options)
        got = cp.trapezoid(cp.asarray(y), axis=axis, **options)
        assert got.dtype == np.trapezoid(y, axis=axis, **options).dtype
        assert np.allclose(got.get(), wanted, rtol=64 * np.finfo(dtype).eps, atol=0)
    y[(5,) if len(shape) == 1 else (0, 0)] = np.inf
    assert np.array_equal(np.isinf(cp.trapezoid(cp.asarray(y), axis=axis).get()), np.isinf(np.trapezoid(y, axis=axis)))


@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8", "c8"])
@pytest.mark.parametrize("n", [2, 17, 1000, 100003])
def test_neighbours(dtype, n):
    """Operands of one operation that begin at different offsets in a vector."""
    x = np.random.default_rng(n).integers(0, 200, n).astype(dtype)
    y = cp.asarray(x)
    assert np.array_equal((y[1:] - y[:-1]).get(), x[1:] - x[:-1])
    assert np.array_equal((y[1:] == y[:-1]).get(), x[1:] == x[:-1])
    out = cp.zeros(n + 1, dtype=dtype)
    cp.add(y, y, out=out[1:])
    assert np.array_equal(out.get()[1:], x + x) and out[0] == 0
    if dtype in ("f4", "f8"):
        assert np.allclose(cp.exp(y[1:] / 100).get(), np.exp(x[1:] / 100), rtol=1e-6)
